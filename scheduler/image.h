/// A copy of a world's memory as it lies, for when nothing in that can be trusted any more.
///
/// A worker process that dies may have stopped in the middle of any store, and may have written
/// anywhere before. So what is kept is not read through the world's structures, as a snapshot is:
/// it is all bytes, put back to where they were.
#pragma once

#include "memory.h"
#include "weft_world.h"

/// It lies in memory of this process alone.
typedef struct weft__image {
    uint8_t* bytes;
    size_t capacity;
    size_t size;
    size_t gap_begin; // Bytes that were free, and are not kept.
    size_t gap_end;
} weft__image;

/// Copies the memory of a world that no process touches, over what the image held. Status:
/// OUT_OF_MEMORY, and then the image is what it was or empty.
WEFT_NODISCARD weft_status weft__image_take(weft__image* image, const weft_world* world);

/// Puts it back. The world's objects are then those of the image; nobody else may have it
/// meanwhile.
void weft__image_put_back(const weft__image* image, weft__alias_memory* memory);

void weft__image_free(weft__image* image);
