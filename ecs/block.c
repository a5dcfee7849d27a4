// Where rows lie: blocks of one chunk, and runs, in which the full chunks of an archetype lie side
// by side, column by column.
//
// A walk over a column goes chunk by chunk, and a processor that prefetches starts anew wherever
// the next address is far away: over 32 KB pieces that costs as much as the work. In a run the
// column of one chunk is followed by the same column of the next one. Only chunks with room for a
// whole shard are in runs: all slices of an archetype are then alike, and a merge that takes a
// slice and gives one back, chunk after chunk, moves each column by one place and keeps the order.

#include <string.h>

#include "weft_bits.h"
#include "weft_world.h"

// Chunks of a run: with so many, the starts are few enough not to be seen.
#define RUN_CHUNKS_MAX 32u

/// The head of a run. Its regions follow: handles, then the columns, each with a piece for every
/// slice.
struct weft__run {
    struct weft__run* next;
    size_t bytes;
    uint32_t slice_count;
};

static size_t run_head(const weft_world* world) {
    size_t apart = world->arena.memory.apart;
    return apart != 0 ? apart : WEFT__ARENA_ALIGN;
}

size_t weft__column_bytes(const weft_world* world, uint32_t capacity, uint32_t size) {
    WEFT_CHECK(capacity <= WEFT_SHARD_SLOTS);
    size_t bytes = weft__align_up((size_t)capacity * size, WEFT__ARENA_ALIGN);
    return weft__arena_apart(&world->arena, bytes);
}

// Of handles, columns and second columns.
static size_t block_bytes(const weft_world* world, const weft__archetype* table,
                          uint32_t capacity) {
    size_t bytes = weft__column_bytes(world, capacity, sizeof(weft_entity));
    for (uint32_t i = 0; i < table->column_count; i++) {
        size_t column = weft__column_bytes(world, capacity, table->column_sizes[i]);
        bytes += weft__type_at(world, table->column_types[i])->buffered ? 2 * column : column;
    }
    return bytes;
}

// This block's piece of the region that begins at *region, which is moved to the next.
static uint8_t* region_next(uint8_t** region, const weft__block* block, size_t bytes) {
    WEFT_CHECK(block->run == NULL || block->slice < block->run->slice_count);
    uint8_t* piece = *region + block->slice * bytes;
    *region += (block->run != NULL ? block->run->slice_count : 1) * bytes;
    return piece;
}

void weft__block_layout(const weft_world* world, const weft__archetype* table, uint32_t capacity,
                        const weft__block* block, weft_entity** entities, void** columns,
                        void** backs) {
    WEFT_ASSERT(block->start != NULL && (block->run != NULL || block->slice == 0));
    uint8_t* region = block->run != NULL ? (uint8_t*)block->run + run_head(world) : block->start;
    *entities = (weft_entity*)(void*)region_next(
        &region, block, weft__column_bytes(world, capacity, sizeof(weft_entity)));
    for (uint32_t i = 0; i < table->column_count; i++) {
        size_t bytes = weft__column_bytes(world, capacity, table->column_sizes[i]);
        columns[i] = region_next(&region, block, bytes);
        bool buffered = weft__type_at(world, table->column_types[i])->buffered;
        backs[i] = buffered ? region_next(&region, block, bytes) : NULL;
    }
    WEFT_ASSERT((uint8_t*)*entities == block->start);
}

// Slices -----------------------------------------------------------------------------------------
// Free ones are a list through their own first bytes, in the order in which they lie.

static void slice_push(weft__block* list, weft__block slice) {
    WEFT_ASSERT(slice.run != NULL && slice.slice < slice.run->slice_count);
    memcpy(slice.start, list, sizeof(*list));
    *list = slice;
}

static weft__block slice_pop(weft__block* list) {
    weft__block slice = *list;
    WEFT_ASSERT(slice.start != NULL);
    memcpy(list, slice.start, sizeof(*list));
    return slice;
}

static void guard_enter(weft_world* world) {
    if (world->arena.enter != NULL)
        world->arena.enter(world->arena.guard);
}

static void guard_leave(weft_world* world) {
    if (world->arena.leave != NULL)
        world->arena.leave(world->arena.guard);
}

// The lane's slices are of one archetype: few shards have more than one chunk that needs one.
static void lane_choose(weft_world* world, weft__lane* lane, uint32_t archetype) {
    WEFT_ASSERT(archetype < world->archetypes.count);
    if (lane->slice_archetype == archetype)
        return;
    if (lane->slices.start != NULL) {
        WEFT_ASSERT(lane->slice_archetype < world->archetypes.count);
        weft__block last = lane->slices;
        for (weft__block next = last; next.start != NULL; memcpy(&next, next.start, sizeof(next)))
            last = next;
        guard_enter(world); // The whole list goes before the others, so it keeps its order.
        weft__block* free = &world->archetypes.items[lane->slice_archetype].slices;
        memcpy(last.start, free, sizeof(*free));
        *free = lane->slices;
        guard_leave(world);
        lane->slices = (weft__block){0};
    }
    lane->slice_archetype = archetype;
}

// Makes a run of about `wanted` slices: as many as the arena's block has room for.
static uint32_t run_create(weft_world* world, weft__lane* lane, const weft__archetype* table,
                           uint32_t wanted) {
    WEFT_ASSERT(wanted > 0);
    size_t slice_bytes = block_bytes(world, table, WEFT_SHARD_SLOTS);
    size_t head = run_head(world);
    size_t bytes = head + wanted * slice_bytes;
    struct weft__run* run = weft__arena_alloc(&world->arena, bytes);
    if (run == NULL)
        return 0;
    // weft-lint: allow(division): there are always handles
    run->slice_count = (uint32_t)((weft__arena_block_size(bytes) - head) / slice_bytes);
    WEFT_ASSERT(run->slice_count >= wanted);
    run->bytes = bytes;
    guard_enter(world);
    run->next = world->runs;
    world->runs = run;
    world->slice_count += run->slice_count;
    guard_leave(world);
    size_t pitch = weft__column_bytes(world, WEFT_SHARD_SLOTS, sizeof(weft_entity));
    for (uint32_t i = run->slice_count; i-- > 0;) // So that the first is taken first.
        slice_push(&lane->slices, (weft__block){(uint8_t*)run + head + i * pitch, run, i});
    return run->slice_count;
}

// Slices of the next run. A shard has at most one full chunk, mostly, so the shards without a slice
// are a guess of what will be needed: a part of them, since other archetypes need some too. In a
// world that grows shard by shard a sixteenth of what there is may lie idle.
static uint32_t run_length(const weft_world* world) {
    uint32_t shards = world->shards.count;
    uint32_t missing = shards > world->slice_count ? (shards - world->slice_count) / 4 : 0;
    uint32_t length = missing > world->slice_count / 16 ? missing : world->slice_count / 16;
    length = length < RUN_CHUNKS_MAX ? length : RUN_CHUNKS_MAX;
    return length > 1 ? length : 1;
}

// Gives the lane a slice that was used before, or a new run.
static bool lane_fill(weft_world* world, weft__lane* lane, weft__archetype* table) {
    WEFT_ASSERT(lane->slices.start == NULL);
    guard_enter(world);
    uint32_t wanted = run_length(world);
    bool used = table->slices.start != NULL;
    if (used)
        slice_push(&lane->slices, slice_pop(&table->slices));
    guard_leave(world);
    if (used)
        return true;
    uint32_t made = run_create(world, lane, table, wanted);
    if (made == 0 && wanted > 1)
        made = run_create(world, lane, table, 1);
    return made > 0;
}

// Taking and giving ------------------------------------------------------------------------------

static bool takes_slice(const weft__chunk* chunk, uint32_t capacity) {
    return capacity == WEFT_SHARD_SLOTS && !chunk->sparse;
}

bool weft__block_take(weft_world* world, weft__lane* lane, const weft__chunk* chunk,
                      uint32_t capacity, weft__block* out) {
    WEFT_ASSERT(capacity > 0 && capacity <= WEFT_SHARD_SLOTS && (capacity & (capacity - 1)) == 0);
    if (takes_slice(chunk, capacity)) {
        lane_choose(world, lane, chunk->archetype);
        if (lane->slices.start == NULL &&
            !lane_fill(world, lane, &world->archetypes.items[chunk->archetype]))
            return false;
        *out = slice_pop(&lane->slices);
        return true;
    }
    size_t bytes = block_bytes(world, weft__chunk_table(world, chunk), capacity);
    uint32_t class_index = weft__arena_class(bytes);
    *out = (weft__block){.start = lane->spares[class_index]};
    lane->spares[class_index] = NULL;
    if (out->start == NULL)
        out->start = weft__arena_alloc(&world->arena, bytes);
    return out->start != NULL;
}

void weft__block_give(weft_world* world, weft__lane* lane, const weft__chunk* chunk) {
    if (chunk->block.start == NULL)
        return;
    WEFT_ASSERT(chunk->block.start == (uint8_t*)chunk->entities);
    WEFT_ASSERT((chunk->block.run != NULL) == takes_slice(chunk, chunk->capacity));
    if (takes_slice(chunk, chunk->capacity)) {
        lane_choose(world, lane, chunk->archetype);
        slice_push(&lane->slices, chunk->block);
        return;
    }
    size_t bytes = block_bytes(world, weft__chunk_table(world, chunk), chunk->capacity);
    uint32_t class_index = weft__arena_class(bytes);
    if (lane->spares[class_index] == NULL)
        lane->spares[class_index] = chunk->block.start;
    else
        weft__arena_free(&world->arena, chunk->block.start, bytes);
}

void weft__block_free(weft_world* world, const weft__chunk* chunk) {
    if (chunk->block.start == NULL || takes_slice(chunk, chunk->capacity))
        return;
    weft__arena_free(&world->arena, chunk->block.start,
                     block_bytes(world, weft__chunk_table(world, chunk), chunk->capacity));
}

void weft__runs_free(weft_world* world) {
    WEFT_ASSERT(!world->running);
    for (struct weft__run* run = world->runs; run != NULL;) {
        struct weft__run* next = run->next;
        weft__arena_free(&world->arena, run, run->bytes);
        run = next;
    }
    world->runs = NULL;
    world->slice_count = 0;
    for (uint32_t i = 0; i < world->lane_count; i++)
        world->lanes[i].slices = (weft__block){0};
    for (uint32_t i = 0; i < world->archetypes.count; i++)
        world->archetypes.items[i].slices = (weft__block){0};
}
