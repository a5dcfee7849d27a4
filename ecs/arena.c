#include "weft_arena.h"

#include <stdlib.h>
#include <string.h>

#include "weft_bits.h"

// Segments double what there is until they have a size that huge pages are good for. From then on
// they are a sixteenth of it: at most so much lies idle. Doubling all the way took a third more
// than ten million entities need.
#define ARENA_SEGMENT_MIN ((size_t)1 << 20)
#define ARENA_SEGMENT_DOUBLING ((size_t)1 << 23)
#define ARENA_SEGMENT_MAX ((size_t)1 << 28)
#define ARENA_SEGMENT_SHARE 16u
#define ARENA_PAGE 4096u

// Classes are multiples of 64 bytes up to 1024, then eight to each doubling: nothing wastes more
// than an eighth, and a full chunk whose rows have 9 to 16, 18, 20 to 32 by 4 bytes wastes nothing,
// so that such chunks lie back to back and are hashed as one stream.
#define ARENA_UNIT_CLASSES 16u
#define ARENA_STEP_BITS 3u

static size_t arena_class_size(uint32_t class_index) {
    WEFT_ASSERT(class_index < WEFT__ARENA_CLASSES);
    if (class_index < ARENA_UNIT_CLASSES)
        return (class_index + (size_t)1) * WEFT__ARENA_ALIGN;
    uint32_t above = class_index - ARENA_UNIT_CLASSES;
    size_t steps = (1u << ARENA_STEP_BITS) + 1 + (above & ((1u << ARENA_STEP_BITS) - 1));
    // weft-lint: allow(shift): at most 30, as there are 256 classes
    return (steps << (1 + (above >> ARENA_STEP_BITS))) * WEFT__ARENA_ALIGN;
}

static uint32_t arena_class_of(size_t size) {
    WEFT_ASSERT(size > 0);
    uint64_t units = (uint64_t)(size - 1) / WEFT__ARENA_ALIGN; // Less one.
    if (units < ARENA_UNIT_CLASSES)
        return (uint32_t)units;
    uint32_t shift = 63u - ARENA_STEP_BITS - (uint32_t)__builtin_clzll(units);
    // weft-lint: allow(shift): under 64
    uint32_t step = (uint32_t)(units >> shift) & ((1u << ARENA_STEP_BITS) - 1);
    uint32_t class_index = ARENA_UNIT_CLASSES + ((shift - 1) << ARENA_STEP_BITS) + step;
    WEFT_ASSERT(class_index < WEFT__ARENA_CLASSES);
    WEFT_ASSERT(arena_class_size(class_index) >= size);
    return class_index;
}

static void* arena_malloc(void* context, size_t size) {
    (void)context;
    // weft-lint: allow(alloc): the default weft_memory, between ticks
    void* segment = aligned_alloc(ARENA_PAGE, size);
    if (segment != NULL)
        memset(segment, 0, size);
    return segment;
}

static void arena_malloc_release(void* context, void* segment, size_t size) {
    (void)context;
    (void)size;
    free(segment); // weft-lint: allow(alloc): as above
}

void weft__arena_init(weft__arena* arena, const weft_memory* memory) {
    WEFT_ASSERT(arena != NULL);
    memset(arena, 0, sizeof(*arena));
    if (memory != NULL)
        arena->memory = *memory;
    else
        arena->memory = (weft_memory){.acquire = arena_malloc, .release = arena_malloc_release};
    WEFT_ASSERT(arena->memory.acquire != NULL && arena->memory.release != NULL);
    size_t apart = arena->memory.apart;
    WEFT_ASSERT(apart == 0 || (apart >= ARENA_PAGE && (apart & (apart - 1)) == 0));
}

void weft__arena_deinit(weft__arena* arena) {
    WEFT_ASSERT(arena != NULL);
    weft__arena_segment* segment = arena->segments;
    while (segment != NULL) {
        weft__arena_segment* next = segment->next;
        arena->memory.release(arena->memory.context, segment, segment->size);
        segment = next;
    }
    arena->segments = NULL;
    if (arena->memory.close != NULL)
        arena->memory.close(arena->memory.context);
}

// Bytes from `place` to where a block of `size` bytes may begin.
static size_t arena_gap(const weft__arena* arena, const uint8_t* place, size_t size) {
    size_t apart = arena->memory.apart;
    if (apart == 0 || size < apart)
        return 0;
    // weft-lint: allow(address): only how it lies to a page
    return (size_t)(-(uintptr_t)place & (apart - 1));
}

size_t weft__arena_apart(const weft__arena* arena, size_t size) {
    size_t apart = arena->memory.apart;
    return apart == 0 ? size : weft__align_up(size, apart) + apart;
}

// Hands a piece of a segment to the free lists, largest class first, so that nothing of it is lost.
static void arena_retire(weft__arena* arena, uint8_t* begin, const uint8_t* end) {
    // weft-lint: allow(address): both are of one segment
    while ((size_t)(end - begin) >= WEFT__ARENA_ALIGN) {
        // weft-lint: allow(address): both are of one segment
        size_t left = (size_t)(end - begin);
        size_t gap = arena_gap(arena, begin, left);
        left = gap != 0 && gap < left ? gap : left;
        uint32_t class_index = arena_class_of(left);
        while (arena_class_size(class_index) > left)
            class_index--;
        *(void**)(void*)begin = arena->free_lists[class_index];
        arena->free_lists[class_index] = begin;
        begin += arena_class_size(class_index);
    }
}

// What a segment is larger than its first block, at most.
static size_t arena_head(const weft__arena* arena) {
    return arena->memory.apart > ARENA_PAGE ? arena->memory.apart : ARENA_PAGE;
}

static size_t arena_segment_size(const weft__arena* arena, size_t need) {
    uint64_t size = arena->reserved;
    if (size > ARENA_SEGMENT_DOUBLING)
        size = ARENA_SEGMENT_DOUBLING;
    if (size < arena->reserved / ARENA_SEGMENT_SHARE)
        size = arena->reserved / ARENA_SEGMENT_SHARE;
    if (size < ARENA_SEGMENT_MIN)
        size = ARENA_SEGMENT_MIN;
    if (size > ARENA_SEGMENT_MAX)
        size = ARENA_SEGMENT_MAX;
    size_t head = arena_head(arena);
    return (size_t)size < need + head ? need + head : (size_t)size;
}

static weft__arena_segment* arena_add_segment(weft__arena* arena, size_t need) {
    size_t size = arena_segment_size(arena, need);
    size = (size + ARENA_SEGMENT_MIN - 1) & ~(ARENA_SEGMENT_MIN - 1);
    weft__arena_segment* segment = arena->memory.acquire(arena->memory.context, size);
    size_t head = arena_head(arena);
    if (segment == NULL && size > need + 2 * head) { // A smaller one may still be had.
        size = (need + 2 * head) & ~(head - 1);
        segment = arena->memory.acquire(arena->memory.context, size);
    }
    if (segment == NULL)
        return NULL;
    // weft-lint: allow(address): checked, not kept
    WEFT_ASSERT((uintptr_t)segment % ARENA_PAGE == 0);
    segment->next = arena->segments;
    segment->size = size;
    arena->segments = segment;
    arena->reserved += size;
    return segment;
}

// A block from a new segment. Of its rest and the old segment's, the larger one is cut next: a
// large block that has a segment to itself does not end the one at hand.
static void* arena_take_new(weft__arena* arena, size_t size) {
    weft__arena_segment* segment = arena_add_segment(arena, size);
    if (segment == NULL)
        return NULL;
    uint8_t* block = (uint8_t*)segment + WEFT__ARENA_ALIGN;
    size_t gap = arena_gap(arena, block, size);
    arena_retire(arena, block, block + gap);
    block += gap;
    uint8_t* rest = block + size;
    uint8_t* end = (uint8_t*)segment + segment->size;
    // weft-lint: allow(address): two and two of one segment
    if (end - rest <= arena->bump_end - arena->bump) {
        arena_retire(arena, rest, end);
        return block;
    }
    arena_retire(arena, arena->bump, arena->bump_end);
    arena->bump = rest;
    arena->bump_end = end;
    return block;
}

static void* arena_take(weft__arena* arena, uint32_t class_index) {
    void* block = arena->free_lists[class_index];
    size_t size = arena_class_size(class_index);
    size_t gap = arena_gap(arena, arena->bump, size);
    if (block != NULL) {
        memcpy(&arena->free_lists[class_index], block, sizeof(void*));
        // weft-lint: allow(address): both are of one segment
    } else if ((size_t)(arena->bump_end - arena->bump) >= gap + size) {
        arena_retire(arena, arena->bump, arena->bump + gap);
        arena->bump += gap;
        block = arena->bump;
        arena->bump += size;
    } else {
        block = arena_take_new(arena, size);
    }
    arena->used += block != NULL ? size : 0;
    return block;
}

void* weft__arena_alloc(weft__arena* arena, size_t size) {
    WEFT_ASSERT(arena != NULL);
    if (size > WEFT__ARENA_BLOCK_MAX)
        return NULL;
    uint32_t class_index = arena_class_of(size == 0 ? 1 : size);
    if (arena->enter != NULL)
        arena->enter(arena->guard);
    void* block = arena_take(arena, class_index);
    arena->changes++;
    if (arena->leave != NULL)
        arena->leave(arena->guard);
    WEFT_CHECK((uintptr_t)block % WEFT__ARENA_ALIGN == 0);
    return block;
}

void* weft__arena_alloc_zero(weft__arena* arena, size_t size) {
    void* block = weft__arena_alloc(arena, size);
    if (block != NULL)
        memset(block, 0, size);
    return block;
}

void weft__arena_free(weft__arena* arena, void* block, size_t size) {
    WEFT_ASSERT(arena != NULL);
    if (block == NULL)
        return;
    uint32_t class_index = arena_class_of(size == 0 ? 1 : size);
    if (arena->enter != NULL)
        arena->enter(arena->guard);
    memcpy(block, &arena->free_lists[class_index], sizeof(void*));
    arena->free_lists[class_index] = block;
    WEFT_ASSERT(arena->used >= arena_class_size(class_index));
    arena->used -= arena_class_size(class_index);
    arena->changes++;
    if (arena->leave != NULL)
        arena->leave(arena->guard);
}

void weft__arena_gaps(const weft__arena* arena, size_t least, weft__arena_gap_fn* fn,
                      void* context) {
    WEFT_ASSERT(arena != NULL && least > WEFT__ARENA_ALIGN);
    for (uint32_t i = arena_class_of(least); i < WEFT__ARENA_CLASSES; i++) {
        size_t size = arena_class_size(i);
        uint8_t* block = arena->free_lists[i];
        for (; block != NULL && size >= least; block = *(void**)(void*)block)
            fn(context, block + WEFT__ARENA_ALIGN, size - WEFT__ARENA_ALIGN);
    }
    // weft-lint: allow(address): both are of one segment
    size_t rest = (size_t)(arena->bump_end - arena->bump);
    if (rest > 0)
        fn(context, arena->bump, rest);
}

uint32_t weft__arena_class(size_t size) {
    return arena_class_of(size == 0 ? 1 : size);
}

size_t weft__arena_block_size(size_t size) {
    return arena_class_size(arena_class_of(size == 0 ? 1 : size));
}

weft_status weft__arena_grow(weft__arena* arena, void** array, uint32_t* capacity,
                             size_t element_size, uint64_t need) {
    WEFT_ASSERT(element_size > 0);
    if (need <= *capacity)
        return WEFT_STATUS_OK;
    uint64_t target = need < 8 ? 8 : need;
    if (target < (uint64_t)*capacity * 2)
        target = (uint64_t)*capacity * 2;
    if (target > WEFT__ARENA_BLOCK_MAX / element_size) // weft-lint: allow(division): as above
        return WEFT_STATUS_OUT_OF_MEMORY;
    size_t bytes = weft__arena_block_size((size_t)target * element_size);
    target = bytes / element_size; // weft-lint: allow(division): asserted above
    if (target > UINT32_MAX)
        target = UINT32_MAX;
    void* grown = weft__arena_alloc(arena, bytes);
    if (grown == NULL || target < need)
        return WEFT_STATUS_OUT_OF_MEMORY;
    if (*array != NULL) {
        memcpy(grown, *array, (size_t)*capacity * element_size);
        weft__arena_free(arena, *array, (size_t)*capacity * element_size);
    }
    *array = grown;
    *capacity = (uint32_t)target;
    return WEFT_STATUS_OK;
}
