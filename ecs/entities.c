// Slots, generations and where each entity lives (C2).

#include "weft_world.h"

weft_status weft__shard_ensure(weft_world* world, uint32_t number) {
    WEFT_ASSERT(number <= (WEFT_SLOT_LIMIT_MAX - 1) / WEFT_SHARD_SLOTS);
    while (world->shards.count <= number) {
        WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, world->shards, 1));
        weft__shard* shard = weft__arena_alloc_zero(&world->arena, sizeof(*shard));
        if (shard == NULL)
            return WEFT_STATUS_OUT_OF_MEMORY;
        shard->slots = weft__arena_alloc_zero(&world->arena, WEFT_SHARD_SLOTS * sizeof(weft__slot));
        if (shard->slots == NULL) {
            weft__arena_free(&world->arena, shard, sizeof(*shard));
            return WEFT_STATUS_OUT_OF_MEMORY;
        }
        shard->newborn_first = shard->birth_first = WEFT__NONE;
        world->shards.items[world->shards.count++] = shard;
    }
    return WEFT_STATUS_OK;
}

bool weft_world_is_alive(const weft_world* world, weft_entity entity) {
    uint32_t row;
    return weft__entity_find(world, entity, &row) != NULL;
}

const void* weft_world_read(const weft_world* world, weft_entity entity, const weft_type* type) {
    uint32_t id = weft__type_id(world, type);
    uint32_t row;
    const weft__chunk* chunk = weft__entity_find(world, entity, &row);
    if (id == 0 || chunk == NULL)
        return NULL;
    const weft__type* registered = weft__type_at(world, id);
    const weft__archetype* table = weft__chunk_table(world, chunk);
    if (registered->role == WEFT__ROLE_SPARSE) {
        table = &world->sparse.items[registered->index];
        chunk = weft__chunk_find(table, entity.slot / WEFT_SHARD_SLOTS);
        row = chunk == NULL ? WEFT__NONE : weft__chunk_row(chunk, entity.slot);
        if (row == WEFT__NONE)
            return NULL;
    } else if (registered->role != WEFT__ROLE_COMPONENT || !weft__archetype_has(table, id)) {
        return NULL;
    }
    uint32_t column = weft__archetype_column(table, id);
    if (column == WEFT__NONE) // A tag: present, nothing to read.
        return &chunk->entities[row];
    return (const uint8_t*)chunk->columns[column] + (size_t)row * type->size;
}
