#include "image.h"

#include <string.h>

// Room for more than there is now: worlds grow, and the old copy goes before the new one comes.
static weft_status make_room(weft__image* image, size_t size) {
    void* bytes;
    if (size <= image->capacity)
        return WEFT_STATUS_OK;
    size_t capacity = size + size / 4;
    weft__image_free(image);
    WEFT_TRY(weft__os_region_reserve(capacity, &bytes));
    image->bytes = bytes;
    image->capacity = capacity;
    return WEFT_STATUS_OK;
}

static void copy_parts(const weft__image* image, uint8_t* to, const uint8_t* from) {
    memcpy(to, from, image->gap_begin);
    memcpy(to + image->gap_end, from + image->gap_end, image->size - image->gap_end);
}

weft_status weft__image_take(weft__image* image, const weft_world* world) {
    const weft__alias_memory* memory = weft__memory_alias(&world->arena.memory);
    WEFT_ASSERT(memory != NULL && !world->running);
    const uint8_t* base = memory->pair.base;
    WEFT_TRY(make_room(image, memory->used));
    image->size = memory->used;
    image->gap_begin = image->gap_end = image->size;
    if (world->arena.bump != NULL) { // The rest of a segment.
        image->gap_begin = (size_t)(world->arena.bump - base);
        image->gap_end = (size_t)(world->arena.bump_end - base);
    }
    WEFT_ASSERT(image->gap_begin <= image->gap_end && image->gap_end <= image->size);
    copy_parts(image, image->bytes, base);
    return WEFT_STATUS_OK;
}

void weft__image_put_back(const weft__image* image, weft__alias_memory* memory) {
    weft__alias_memory kept;
    WEFT_ASSERT(image->size >= sizeof(kept));
    memcpy(&kept, image->bytes, sizeof(kept)); // What is in place may be anything.
    memory->pair = kept.pair;
    weft__memory_forget_after(memory, kept.used);
    copy_parts(image, kept.pair.base, image->bytes);
}

void weft__image_free(weft__image* image) {
    weft__os_region_release(image->bytes, image->capacity);
    *image = (weft__image){.bytes = NULL};
}
