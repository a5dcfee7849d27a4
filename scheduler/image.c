#include "image.h"

#include <string.h>

#include "weft_sort.h"

// Smaller free blocks are copied: to leave them out costs as much.
#define GAP_LEAST ((size_t)1 << 14)

static bool gap_before(weft__image_gap a, weft__image_gap b, const void* extra) {
    (void)extra;
    return a.begin < b.begin;
}

WEFT__SORT(sort_gaps, weft__image_gap, void, gap_before)

/// A walk over the free blocks of a world.
typedef struct gap_walk {
    weft__image* image;
    const uint8_t* base;
    weft_status status;
} gap_walk;

static void add_gap(void* context, uint8_t* begin, size_t size) {
    gap_walk* walk = context;
    size_t at = (size_t)(begin - walk->base);
    weft__image_gap gap = {at, at + size};
    if (walk->status == WEFT_STATUS_OK)
        walk->status = WEFT__VEC_PUSH(walk->image->arena, walk->image->gaps, gap);
}

static weft_status find_gaps(weft__image* image, const weft_world* world, const uint8_t* base) {
    gap_walk walk = {image, base, WEFT_STATUS_OK};
    image->gaps.count = image->scratch.count = 0;
    weft__arena_gaps(&world->arena, GAP_LEAST, add_gap, &walk);
    WEFT_TRY(walk.status);
    WEFT_TRY(WEFT__VEC_RESERVE(image->arena, image->scratch, image->gaps.count));
    sort_gaps(image->gaps.items, image->scratch.items, image->gaps.count, NULL);
    return WEFT_STATUS_OK;
}

// What is kept lies without gaps.
static void copy_parts(const weft__image* image, uint8_t* place, bool back) {
    size_t at = 0;
    uint8_t* kept = image->bytes;
    for (uint32_t i = 0; i <= image->gaps.count; i++) {
        size_t end = i < image->gaps.count ? image->gaps.items[i].begin : image->size;
        WEFT_ASSERT(at <= end && end <= image->size);
        if (back)
            memcpy(place + at, kept, end - at);
        else
            memcpy(kept, place + at, end - at);
        kept += end - at;
        at = i < image->gaps.count ? image->gaps.items[i].end : end;
    }
    WEFT_ASSERT((size_t)(kept - image->bytes) == image->kept);
}

static weft_status make_room(weft__image* image) {
    void* bytes;
    if (image->kept <= image->capacity)
        return WEFT_STATUS_OK;
    weft__os_region_release(image->bytes, image->capacity);
    image->bytes = NULL;
    image->capacity = 0;
    size_t capacity = image->kept + image->kept / 4; // Worlds grow.
    WEFT_TRY(weft__os_region_reserve(capacity, &bytes));
    weft__os_region_own(bytes, capacity);
    memset(bytes, 0, capacity);
    image->bytes = bytes;
    image->capacity = capacity;
    return WEFT_STATUS_OK;
}

/// What a walk over the free blocks would find.
typedef struct gap_count {
    uint64_t count;
    size_t bytes;
} gap_count;

static void count_gap(void* context, uint8_t* begin, size_t size) {
    gap_count* found = context;
    (void)begin;
    found->count++;
    found->bytes += size;
}

bool weft__image_has_room(const weft__image* image, const weft_world* world) {
    const weft__alias_memory* memory = weft__memory_alias(&world->arena.memory);
    gap_count found = {0, 0};
    WEFT_ASSERT(memory != NULL && !world->running);
    weft__arena_gaps(&world->arena, GAP_LEAST, count_gap, &found);
    WEFT_ASSERT(found.bytes <= memory->used);
    return found.count <= image->gaps.capacity && found.count <= image->scratch.capacity &&
           memory->used - found.bytes <= image->capacity;
}

weft_status weft__image_reserve(weft__image* image, const weft_world* world) {
    const weft__alias_memory* memory = weft__memory_alias(&world->arena.memory);
    WEFT_ASSERT(memory != NULL && !world->running);
    WEFT_TRY(find_gaps(image, world, memory->pair.base));
    image->size = image->kept = memory->used;
    for (uint32_t i = 0; i < image->gaps.count; i++)
        image->kept -= image->gaps.items[i].end - image->gaps.items[i].begin;
    return make_room(image);
}

void weft__image_take(weft__image* image, const weft_world* world) {
    const weft__alias_memory* memory = weft__memory_alias(&world->arena.memory);
    WEFT_ASSERT(image->size == memory->used);
    copy_parts(image, memory->pair.base, false);
}

void weft__image_put_back(const weft__image* image, weft__alias_memory* memory) {
    weft__alias_memory kept;
    WEFT_ASSERT(image->kept >= sizeof(kept));
    memcpy(&kept, image->bytes, sizeof(kept)); // What is in place may be anything.
    memory->pair = kept.pair;
    weft__memory_forget_after(memory, kept.used);
    copy_parts(image, kept.pair.base, true);
}

void weft__image_free(weft__image* image) {
    weft__os_region_release(image->bytes, image->capacity);
    image->bytes = NULL;
    image->capacity = image->size = image->kept = 0;
}
