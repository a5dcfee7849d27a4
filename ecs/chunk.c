// Chunks: storage of the rows of one archetype in one shard.

#include <string.h>

#include "weft_bits.h"
#include "weft_world.h"

#define CHUNK_ROWS_MIN 16u

// Position of the first chunk whose shard is not below `shard`.
static uint32_t chunks_lower(weft__chunk* const* chunks, uint32_t count, uint32_t shard) {
    uint32_t low = 0;
    uint32_t high = count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (chunks[middle]->shard < shard)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t weft__shard_lower(const weft__shard* shard, uint32_t archetype) {
    uint32_t low = 0;
    uint32_t high = shard->archetypes.count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (shard->archetypes.items[middle] < archetype)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

weft__chunk* weft__chunk_find(const weft__archetype* table, uint32_t shard) {
    uint32_t at = chunks_lower(table->chunks.items, table->chunks.count, shard);
    if (at == table->chunks.count || table->chunks.items[at]->shard != shard)
        return NULL;
    return table->chunks.items[at];
}

uint32_t weft__chunk_capacity_for(uint32_t rows) {
    WEFT_ASSERT(rows <= WEFT_SHARD_SLOTS);
    uint32_t capacity = CHUNK_ROWS_MIN;
    while (capacity < rows)
        capacity *= 2;
    return capacity;
}

static void list_insert(weft__chunk** items, uint32_t count, uint32_t at, weft__chunk* chunk) {
    WEFT_ASSERT(at <= count);
    memmove(items + at + 1, items + at, (count - at) * sizeof(items[0]));
    items[at] = chunk;
}

static size_t chunk_flags(uint32_t columns) {
    return weft__align_up(2 * ((size_t)columns + 1), sizeof(void*));
}

// One allocation holds the chunk and its arrays per column.
static size_t chunk_bytes(uint32_t columns) {
    return sizeof(weft__chunk) + chunk_flags(columns) + 2 * columns * sizeof(void*) +
           ((size_t)columns + 1) * sizeof(weft_digest);
}

static weft__chunk* chunk_alloc(weft_world* world, uint32_t columns) {
    size_t pointers = columns * sizeof(void*);
    size_t flags = chunk_flags(columns);
    uint8_t* memory = weft__arena_alloc_zero(&world->arena, chunk_bytes(columns));
    if (memory == NULL)
        return NULL;
    weft__chunk* chunk = (weft__chunk*)(void*)memory;
    memory += sizeof(weft__chunk);
    chunk->dirty = memory; // What a task needs comes first.
    chunk->filled = memory + columns + 1;
    memory += flags;
    chunk->columns = (void**)(void*)memory;
    chunk->backs = (void**)(void*)(memory + pointers);
    chunk->leaves = (weft_digest*)(void*)(memory + 2 * pointers);
    WEFT_ASSERT((uint8_t*)(chunk->leaves + columns + 1) == (uint8_t*)chunk + chunk_bytes(columns));
    return chunk;
}

weft_status weft__chunk_create(weft_world* world, weft__archetype* table, uint32_t table_id,
                               bool sparse, uint32_t shard_number, weft__chunk** chunk_out) {
    WEFT_ASSERT(shard_number < world->shards.count);
    WEFT_ASSERT(weft__chunk_find(table, shard_number) == NULL);
    weft__shard* shard = world->shards.items[shard_number];
    WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, table->chunks, 1));
    WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, shard->chunks, 1));
    WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, shard->locals, 1));
    WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, shard->archetypes, 1));
    WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, world->chunks, 1));
    weft__chunk* chunk = chunk_alloc(world, table->column_count);
    if (chunk == NULL)
        return WEFT_STATUS_OUT_OF_MEMORY;
    chunk->archetype = table_id;
    chunk->shard = shard_number;
    chunk->sparse = sparse;
    WEFT_ASSERT(table->column_count < UINT16_MAX);
    chunk->column_count = (uint16_t)table->column_count;
    chunk->change = WEFT__NONE;
    chunk->id = sparse ? WEFT__NONE : world->chunks.count;
    uint32_t at = chunks_lower(table->chunks.items, table->chunks.count, shard_number);
    list_insert(table->chunks.items, table->chunks.count++, at, chunk);
    if (sparse) {
        world->sparse_chunk_count++;
    } else {
        world->chunks.items[world->chunks.count++] = chunk;
        at = weft__shard_lower(shard, table_id);
        list_insert(shard->chunks.items, shard->chunks.count++, at, chunk);
        uint32_t* ids = shard->archetypes.items;
        memmove(ids + at + 1, ids + at, (shard->archetypes.count++ - at) * sizeof(ids[0]));
        ids[at] = table_id;
        chunk->local = shard->locals.count;
        shard->locals.items[shard->locals.count++] = chunk;
        if (shard->locals.count > world->shard_chunks_max)
            world->shard_chunks_max = shard->locals.count;
    }
    WEFT_ASSERT(weft__chunk_table(world, chunk) == table);
    *chunk_out = chunk;
    return WEFT_STATUS_OK;
}

void weft__chunk_destroy(weft_world* world, weft__chunk* chunk) {
    weft__block_free(world, chunk);
    weft__arena_free(&world->arena, chunk, chunk_bytes(chunk->column_count));
}

void weft__chunk_mark(weft__lane* lane, weft__chunk* chunk, uint32_t leaf) {
    WEFT_CHECK(leaf <= chunk->column_count);
    chunk->dirty_count = (uint16_t)(chunk->dirty_count + !chunk->dirty[leaf]);
    chunk->dirty[leaf] = 1;
    if (chunk->listed)
        return;
    chunk->listed = true;
    WEFT_ASSERT(lane->changed.count < lane->changed.capacity);
    lane->changed.items[lane->changed.count++] = chunk;
}

void* weft__chunk_write(weft_world* world, weft__lane* lane, weft__chunk* chunk, uint32_t column,
                        uint32_t type_id) {
    WEFT_CHECK(column < chunk->column_count);
    weft__chunk_mark(lane, chunk, column);
    chunk->written_tick = world->tick + 1;
    if (chunk->backs[column] == NULL)
        return chunk->columns[column];
    if (!chunk->filled[column]) {
        chunk->filled[column] = 1;
        memcpy(chunk->backs[column], chunk->columns[column],
               (size_t)chunk->row_count * weft__type_at(world, type_id)->type->size);
        if (!chunk->swap) {
            chunk->swap = true;
            WEFT_ASSERT(lane->swaps.count < lane->swaps.capacity);
            lane->swaps.items[lane->swaps.count++] = chunk;
        }
    }
    return chunk->backs[column];
}

void* weft__presence_write(weft_world* world, weft__lane* lane, weft__chunk* chunk) {
    WEFT_ASSERT(chunk->sparse && chunk->column_count == 1);
    uint32_t count = lane->presences.count;
    if (count > 0 && lane->presences.items[count - 1] == chunk)
        return chunk->columns[0];
    if (WEFT__VEC_PUSH(&world->arena, lane->presences, chunk) != WEFT_STATUS_OK)
        weft__lane_fail(lane, WEFT_STATUS_OUT_OF_MEMORY, 0, 0, chunk->shard,
                        "no memory is left for the list of written presence tables");
    return chunk->columns[0];
}

void weft__presences_mark(weft_world* world) {
    for (uint32_t i = 0; i < world->lane_count; i++) {
        weft__lane* lane = &world->lanes[i];
        for (uint32_t j = 0; j < lane->presences.count; j++) {
            WEFT_ASSERT(lane->presences.items[j]->sparse);
            weft__chunk_mark(lane, lane->presences.items[j], 0);
            lane->presences.items[j]->written_tick = world->tick + 1;
        }
        lane->presences.count = 0;
    }
}
