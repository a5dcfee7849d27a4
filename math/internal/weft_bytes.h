/// Bounds-checked little-endian writing and reading over a caller's buffer.
///
/// Both keep a sticky failure flag, so a caller may write or read a whole record and check once.
/// The bytes are the same on every machine. A tree node is hashed by writing its kind, ids,
/// lengths and the children's digests in order, then taking weft__bytes_digest. An object may be
/// used by one thread at a time.
#pragma once

#include "weft/hash.h"

#include <string.h>

/// Whether integers lie in memory as they are written here.
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define WEFT__LITTLE_ENDIAN 1
#else
#define WEFT__LITTLE_ENDIAN 0
#endif

/// A writer. `size` counts the bytes of whole items written.
typedef struct weft__bytes {
    uint8_t* data;
    size_t capacity;
    size_t size;
    bool overflow; ///< an item did not fit: it and all later ones were dropped
} weft__bytes;

/// Starts an empty writer over `capacity` bytes, which it does not own; null when capacity is 0.
void weft__bytes_init(weft__bytes* bytes, void* buffer, size_t capacity);

/// The place of the next `size` bytes, or null and overflow. The base of the appends below.
static inline uint8_t* weft__bytes_reserve(weft__bytes* bytes, size_t size) {
    if (bytes->overflow || size > bytes->capacity - bytes->size) {
        bytes->overflow = true;
        return NULL;
    }
    uint8_t* place = bytes->data + bytes->size;
    bytes->size += size;
    return place;
}

/// Appends the low `size` bytes of an integer, lowest first.
static inline void weft__bytes_put_integer(weft__bytes* bytes, uint64_t value, size_t size) {
    uint8_t* place = weft__bytes_reserve(bytes, size);
    if (place == NULL)
        return;
#if WEFT__LITTLE_ENDIAN
    memcpy(place, &value, size);
#else
    for (size_t i = 0; i < size; ++i)
        place[i] = (uint8_t)(value >> (8 * i));
#endif
}

/// Appends one integer, or a digest (low half first). Inline: digest nodes are made of these.
static inline void weft__bytes_put_u8(weft__bytes* bytes, uint8_t value) {
    weft__bytes_put_integer(bytes, value, 1);
}
static inline void weft__bytes_put_u16(weft__bytes* bytes, uint16_t value) {
    weft__bytes_put_integer(bytes, value, 2);
}
static inline void weft__bytes_put_u32(weft__bytes* bytes, uint32_t value) {
    weft__bytes_put_integer(bytes, value, 4);
}
static inline void weft__bytes_put_u64(weft__bytes* bytes, uint64_t value) {
    weft__bytes_put_integer(bytes, value, 8);
}
static inline void weft__bytes_put_digest(weft__bytes* bytes, weft_digest value) {
    // Both halves or none.
    if (bytes->capacity - bytes->size < 16)
        bytes->overflow = true;
    weft__bytes_put_integer(bytes, value.low, 8);
    weft__bytes_put_integer(bytes, value.high, 8);
}

/// Appends `size` bytes as they are; `source` may be null when size is 0.
void weft__bytes_put_raw(weft__bytes* bytes, const void* source, size_t size);

/// The digest of what was written. Asserts that nothing was dropped.
weft_digest weft__bytes_digest(const weft__bytes* bytes, uint64_t seed);

/// A reader. `offset` counts the bytes of whole items read.
typedef struct weft__reader {
    const uint8_t* data;
    size_t size;
    size_t offset;
    bool underflow; ///< an item was not there in full: it and all later ones read as zero
} weft__reader;

/// Starts a reader over `size` bytes, which it does not own; null when size is 0.
void weft__reader_init(weft__reader* reader, const void* buffer, size_t size);

/// Reads one integer, or a digest; zero past the end.
uint8_t weft__reader_get_u8(weft__reader* reader);
uint16_t weft__reader_get_u16(weft__reader* reader);
uint32_t weft__reader_get_u32(weft__reader* reader);
uint64_t weft__reader_get_u64(weft__reader* reader);
weft_digest weft__reader_get_digest(weft__reader* reader);

/// The next `size` bytes in place, not aligned for anything, or null past the end. A view of 0
/// bytes may also be null.
const uint8_t* weft__reader_view(weft__reader* reader, size_t size);

/// The bytes not yet read; 0 after an underflow.
size_t weft__reader_left(const weft__reader* reader);

/// OK when everything was read and nothing was missing, else BAD_FORMAT.
WEFT_NODISCARD weft_status weft__reader_finish(const weft__reader* reader);
