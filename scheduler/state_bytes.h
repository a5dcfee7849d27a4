/// Encoded states in memory.
#pragma once

#include "weft_world.h"

/// An encoded state. All zero but for the arena: none.
typedef struct weft__state_bytes {
    uint8_t* data;
    size_t size;
    size_t capacity;
    weft__arena* arena;
} weft__state_bytes;

/// Replaces the contents by the state of a world. On failure there are none.
WEFT_NODISCARD weft_status weft__state_bytes_encode(weft_world* world, weft__state_bytes* out);

/// Replaces the contents by bytes from elsewhere. On failure there are none.
WEFT_NODISCARD weft_status weft__state_bytes_copy(weft__state_bytes* out, const void* bytes,
                                                  size_t size);

/// Gives the memory back.
void weft__state_bytes_free(weft__state_bytes* bytes);
