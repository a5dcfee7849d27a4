#include "weft_bytes.h"

#include <string.h>

void weft__bytes_init(weft__bytes* bytes, void* buffer, size_t capacity) {
    *bytes = (weft__bytes){.data = (uint8_t*)buffer, .capacity = capacity};
}

void weft__bytes_put_raw(weft__bytes* bytes, const void* source, size_t size) {
    if (size == 0)
        return;
    uint8_t* place = weft__bytes_reserve(bytes, size);
    if (place != NULL)
        memcpy(place, source, size);
}

weft_digest weft__bytes_digest(const weft__bytes* bytes, uint64_t seed) {
    WEFT_ASSERT(!bytes->overflow);
    return weft_digest_of(bytes->data, bytes->size, seed);
}

void weft__reader_init(weft__reader* reader, const void* buffer, size_t size) {
    *reader = (weft__reader){.data = (const uint8_t*)buffer, .size = size};
}

const uint8_t* weft__reader_view(weft__reader* reader, size_t size) {
    if (reader->underflow || size > reader->size - reader->offset) {
        reader->underflow = true;
        return NULL;
    }
    if (size == 0)
        return NULL;
    const uint8_t* place = reader->data + reader->offset;
    reader->offset += size;
    return place;
}

static uint64_t get_integer(weft__reader* reader, size_t size) {
    const uint8_t* place = weft__reader_view(reader, size);
    uint64_t value = 0;
    for (size_t i = 0; place != NULL && i < size; ++i)
        value |= (uint64_t)place[i] << (8 * i);
    return value;
}

uint8_t weft__reader_get_u8(weft__reader* reader) {
    return (uint8_t)get_integer(reader, 1);
}

uint16_t weft__reader_get_u16(weft__reader* reader) {
    return (uint16_t)get_integer(reader, 2);
}

uint32_t weft__reader_get_u32(weft__reader* reader) {
    return (uint32_t)get_integer(reader, 4);
}

uint64_t weft__reader_get_u64(weft__reader* reader) {
    return get_integer(reader, 8);
}

weft_digest weft__reader_get_digest(weft__reader* reader) {
    weft_digest digest = {0, 0};
    const uint8_t* place = weft__reader_view(reader, 16);
    for (size_t i = 0; place != NULL && i < 8; ++i) {
        digest.low |= (uint64_t)place[i] << (8 * i);
        digest.high |= (uint64_t)place[8 + i] << (8 * i);
    }
    return digest;
}

size_t weft__reader_left(const weft__reader* reader) {
    return reader->underflow ? 0 : reader->size - reader->offset;
}

weft_status weft__reader_finish(const weft__reader* reader) {
    bool whole = !reader->underflow && reader->offset == reader->size;
    return whole ? WEFT_STATUS_OK : WEFT_STATUS_BAD_FORMAT;
}
