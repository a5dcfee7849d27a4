/// BLAKE2b-256 of bytes that come in pieces: by libb2 (blake_b2.c), or not at all (blake_none.c).
#pragma once

#include <weft/audit.h>

#define WEFT__BLAKE_STATE 512u

/// A hash under way.
typedef struct weft__blake {
    _Alignas(64) uint8_t state[WEFT__BLAKE_STATE];
} weft__blake;

/// False in a build without it: nothing else here may be called then.
bool weft__blake_begin(weft__blake* blake);
void weft__blake_add(weft__blake* blake, const void* bytes, size_t size);
void weft__blake_end(weft__blake* blake, uint8_t out[WEFT_AUDIT_SIZE]);
