/// The inputs of one tick as bytes.
#pragma once

#include "weft_world.h"

/// Bytes that weft__inputs_put() writes for the inputs that a world keeps: those of one tick, as a
/// state was decoded right before it.
size_t weft__inputs_size(const weft_world* world);
void weft__inputs_put(const weft_world* world, uint8_t* out);

/// Posts them again. Status: BAD_FORMAT, and those of weft_world_post().
WEFT_NODISCARD weft_status weft__inputs_post(weft_world* world, const void* bytes, size_t size);
