/// A copy of a world's memory as it lies, for when nothing in that can be trusted any more.
///
/// A worker process that dies may have stopped in the middle of any store, and may have written
/// anywhere before. So what is kept is not read through the world's structures, as a snapshot is:
/// it is all bytes but those of large free blocks, put back to where they were.
#pragma once

#include "memory_alias.h"
#include "weft_world.h"

/// Bytes that are not kept.
typedef struct weft__image_gap {
    size_t begin;
    size_t end;
} weft__image_gap;

/// It lies in memory of this process alone.
typedef struct weft__image {
    weft__arena* arena; // Of the lists. Set by the owner, as all zero but this is an empty image.
    uint8_t* bytes;
    size_t capacity;
    size_t size; // Of the memory from its start; what is kept of it are `kept` bytes.
    size_t kept;
    WEFT__VEC(weft__image_gap) gaps; // Ascending.
    WEFT__VEC(weft__image_gap) scratch;
} weft__image;

/// True if there is room for a world as it is: then weft__image_reserve() does not fail, and what
/// the image holds until the next one is taken is not lost in vain.
bool weft__image_has_room(const weft__image* image, const weft_world* world);

/// Makes room for what there is, so that the copy itself meets no new memory. Status:
/// OUT_OF_MEMORY; the image is empty then.
WEFT_NODISCARD weft_status weft__image_reserve(weft__image* image, const weft_world* world);

/// Copies the memory of a world that no process touches, over what the image held, after
/// weft__image_reserve() of the same world as it is.
void weft__image_take(weft__image* image, const weft_world* world);

/// Puts it back. The world's objects are then those of the image; nobody else may have it
/// meanwhile.
void weft__image_put_back(const weft__image* image, weft__alias_memory* memory);

void weft__image_free(weft__image* image);
