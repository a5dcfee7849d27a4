/// XXH3-64 of bytes that come in pieces.
#pragma once

#include "weft/hash.h"

/// A hash under way, used by one thread at a time. Not to be copied.
typedef struct weft__hash64 {
    _Alignas(64) unsigned char state[576];
} weft__hash64;

/// Starts a hash of nothing.
void weft__hash64_begin(weft__hash64* hash, uint64_t seed);

/// Appends bytes; `bytes` may be null when size is 0.
void weft__hash64_add(weft__hash64* hash, const void* bytes, size_t size);

/// The value of weft_hash64_of() for all bytes so far.
uint64_t weft__hash64_end(const weft__hash64* hash);
