/// Encoded states in memory.
#pragma once

#include "weft_world.h"

/// An encoded state.
typedef struct weft__verify_bytes {
    WEFT__VEC(uint8_t) data;
    weft__arena* arena;
} weft__verify_bytes;

/// Replaces the contents by the state of a world. OUT_OF_MEMORY also where it is too large.
WEFT_NODISCARD weft_status weft__verify_encode(weft_world* world, weft__verify_bytes* out);

WEFT_NODISCARD weft_status weft__verify_decode(weft_world* world, const weft__verify_bytes* from);
