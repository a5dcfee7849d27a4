/// The arena: all memory of one world.
///
/// Where weft_memory.apart is set, blocks of a page and more begin with a page.
///
/// Blocks come from size classes (eight to each doubling) cut from large segments. Freed blocks
/// go back to their class, so a steady state acquires nothing. Addresses never influence a result.
/// It may be one region shared by processes: it holds no pointer outside itself but the provider's.
#pragma once

#include <weft/world.h>

#define WEFT__ARENA_CLASSES 256u
#define WEFT__ARENA_ALIGN 64u
/// No block is larger: a quarter of a 32-bit address space, more than any 64-bit machine has.
#define WEFT__ARENA_BLOCK_MAX ((size_t)1 << (sizeof(size_t) == 4 ? 30 : 40))

typedef struct weft__arena_segment {
    struct weft__arena_segment* next;
    size_t size;
} weft__arena_segment;

typedef struct weft__arena {
    weft_memory memory;
    weft__arena_segment* segments;
    uint8_t* bump; // Free tail of the segment that blocks are cut from.
    uint8_t* bump_end;
    void* free_lists[WEFT__ARENA_CLASSES];
    uint64_t used;     // Bytes in blocks that are out.
    uint64_t reserved; // Bytes of all segments.
    uint64_t changes;  // Blocks ever given out or taken back.
    // Called around every allocation when several workers run; null otherwise. `math` and `ecs`
    // hold no locks, so the executor brings its own.
    void (*enter)(void* guard);
    void (*leave)(void* guard);
    void* guard;
} weft__arena;

/// Starts an empty arena. `memory` null means the C library's allocator.
void weft__arena_init(weft__arena* arena, const weft_memory* memory);

/// Gives every segment back.
void weft__arena_deinit(weft__arena* arena);

/// A block of at least `size` bytes, aligned to 64, contents undefined; null when memory is out.
void* weft__arena_alloc(weft__arena* arena, size_t size);

/// The same, zeroed.
void* weft__arena_alloc_zero(weft__arena* arena, size_t size);

/// Bytes to ask for so that a block lies on pages of its own, where the memory wants that.
size_t weft__arena_apart(const weft__arena* arena, size_t size);

/// Takes back a block of weft__arena_alloc() of the same size. Null is allowed.
void weft__arena_free(weft__arena* arena, void* block, size_t size);

/// Called for each piece of memory that nobody has: what is in it says nothing.
typedef void weft__arena_gap_fn(void* context, uint8_t* begin, size_t size);

/// Visits the free blocks of at least `least` bytes, without the pointer at their starts, and the
/// piece that new blocks are cut from; in no order.
void weft__arena_gaps(const weft__arena* arena, size_t least, weft__arena_gap_fn* fn,
                      void* context);

/// Size class of a request, below WEFT__ARENA_CLASSES: blocks of one class are interchangeable.
uint32_t weft__arena_class(size_t size);

/// Bytes that a request of `size` really takes.
size_t weft__arena_block_size(size_t size);

/// Grows an array to hold at least `need` elements, keeping its contents. `*array` may be null.
/// `need` may be more than an address: then OUT_OF_MEMORY, as always when there is no room.
WEFT_NODISCARD weft_status weft__arena_grow(weft__arena* arena, void** array, uint32_t* capacity,
                                            size_t element_size, uint64_t need);

/// A typed growable array living in the arena.
#define WEFT__VEC(type)                                                                            \
    struct {                                                                                       \
        type* items;                                                                               \
        uint32_t count;                                                                            \
        uint32_t capacity;                                                                         \
    }

/// Makes room for `extra` more items; a weft_status.
#define WEFT__VEC_RESERVE(arena, vec, extra)                                                       \
    ((uint64_t)(vec).count + (extra) <= (vec).capacity                                             \
         ? WEFT_STATUS_OK                                                                          \
         : weft__arena_grow((arena), (void**)&(vec).items, &(vec).capacity,                        \
                            sizeof((vec).items[0]), (uint64_t)(vec).count + (extra)))

/// Appends a value; a weft_status.
#define WEFT__VEC_PUSH(arena, vec, value)                                                          \
    (WEFT__VEC_RESERVE((arena), (vec), 1) != WEFT_STATUS_OK                                        \
         ? WEFT_STATUS_OUT_OF_MEMORY                                                               \
         : ((vec).items[(vec).count++] = (value), WEFT_STATUS_OK))

/// Gives the items back. The vector may not be used again.
#define WEFT__VEC_FREE(arena, vec)                                                                 \
    weft__arena_free((arena), (vec).items, (vec).capacity * sizeof((vec).items[0]))
