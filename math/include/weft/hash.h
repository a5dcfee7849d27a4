/// Hashes of bytes: XXH3, 128 bits for digests and 64 bits for names.
///
/// They find accidents, not an adversary. The value depends on the bytes and the seed alone, never
/// on alignment, byte order or instruction set. Source: the xxHash library, 0.8 or later, whose
/// XXH3 output is frozen. Pure functions, callable from any thread.
#pragma once

#include "weft/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A 128-bit hash value. Digests are combined by hashing their bytes in order, never by xor or sum.
typedef struct weft_digest {
    uint64_t low;
    uint64_t high;
} weft_digest;

/// Characters of a formatted digest, with the NUL.
#define WEFT_DIGEST_TEXT 33

/// XXH3-128 of `size` bytes; `bytes` may be null when size is 0.
WEFT_API weft_digest weft_digest_of(const void* bytes, size_t size, uint64_t seed);

/// Whether two digests are the same.
static inline bool weft_digest_equal(weft_digest a, weft_digest b) {
    return a.low == b.low && a.high == b.high;
}

/// Writes 32 lowercase hexadecimal digits, the high half first, and a NUL.
WEFT_API void weft_digest_format(weft_digest digest, char text[WEFT_DIGEST_TEXT]);

/// Reads what weft_digest_format writes and nothing else: exactly 32 lowercase digits. Otherwise
/// BAD_FORMAT, and `out` is left as it was.
WEFT_API WEFT_NODISCARD weft_status weft_digest_parse(const char* text, weft_digest* out);

/// XXH3-64 of `size` bytes; `bytes` may be null when size is 0.
WEFT_API uint64_t weft_hash64_of(const void* bytes, size_t size, uint64_t seed);

/// XXH3-64 with seed 0 of a NUL-terminated name, without the NUL: the identity of systems,
/// components and resources across runs and files.
WEFT_API uint64_t weft_hash64_of_name(const char* name);

#ifdef __cplusplus
}
#endif
