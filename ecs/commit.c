// The commit: one outcome for every way of recording the same commands (C6).
//
//   gather    all lanes' records in key order; from here on nobody knows who recorded what
//   route     each record to its target: a chain per slot, a chain per newborn, a set of the dying
//   fold      each chain to a final component set; only these sets will be stored
//   check     limits; up to here the world is unchanged
//   assign    archetype ids (survivors by slot, then newborns by key), freed slots ascending, slots
//             of newborns by key, chunks and room
//   merge     all shards independently: merge.c
//
// All but the merge is one serial pass over the commands: it hands out ids, and ids come in order.

#include <string.h>

#include "weft_bits.h"
#include "weft_world.h"

// Marks a set that this commit will store; never survives the commit.
#define SET_WANTED (WEFT__NONE - 1)

static uint64_t provisional_number(weft_entity entity) {
    return (uint64_t)(entity.slot - WEFT__PROVISIONAL_SLOT) << 32 | entity.generation;
}

static uint32_t create_find(const weft_world* world, uint64_t number) {
    uint64_t unit = number >> world->create_bits;
    if (unit >= world->unit_map.count ||
        (uint32_t)(world->unit_map.items[unit] >> 32) != world->commit_number)
        return WEFT__NONE;
    uint64_t at = (uint32_t)world->unit_map.items[unit] + (number - (unit << world->create_bits));
    if (at >= world->create_map.count)
        return WEFT__NONE;
    uint32_t found = world->create_map.items[at];
    return world->creates.items[found].number == number ? found : WEFT__NONE;
}

weft_entity weft__commit_resolve(const weft_world* world, weft_entity entity) {
    WEFT_ASSERT(weft__entity_is_provisional(entity));
    uint32_t found = create_find(world, provisional_number(entity));
    return found == WEFT__NONE ? WEFT_ENTITY_NULL : world->creates.items[found].real;
}

// Gives every segment with creates its run in create_map, and its units a way there.
static weft_status map_units(weft_world* world) {
    uint32_t total = 0;
    if (world->unit_map.count < world->create_units) {
        uint32_t extra = world->create_units - world->unit_map.count;
        WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, world->unit_map, extra));
        memset(world->unit_map.items + world->unit_map.count, 0, extra * sizeof(uint64_t));
        world->unit_map.count = world->create_units;
    }
    for (uint32_t i = 0; i < world->segments.count; i++) {
        weft__segment* segment = world->segments.items[i];
        segment->create_base = total;
        for (uint64_t first = 0; first < segment->create_count;
             first += (uint64_t)1 << world->create_bits) {
            uint32_t unit = segment->unit + (uint32_t)(first >> world->create_bits);
            WEFT_ASSERT(unit < world->unit_map.count);
            world->unit_map.items[unit] =
                (uint64_t)world->commit_number << 32 | (total + (uint32_t)first);
        }
        total += segment->create_count;
    }
    world->creates.count = 0;
    world->create_map.count = 0;
    WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, world->creates, total));
    WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, world->create_map, total));
    world->create_map.count = total;
    return WEFT_STATUS_OK;
}

// Numbers the creates by key order: rows of a task may have been recorded in any order.
static weft_status register_creates(weft_world* world) {
    WEFT_TRY(map_units(world));
    if (world->create_map.count == 0)
        return WEFT_STATUS_OK;
    for (uint32_t i = 0; i < world->records.count; i++) {
        const weft__record* record = world->records.items[i];
        if (record->op != WEFT__OP_CREATE)
            continue;
        uint64_t number = provisional_number(record->entity);
        uint64_t unit = number >> world->create_bits;
        uint64_t at =
            (uint32_t)world->unit_map.items[unit] + (number - (unit << world->create_bits));
        WEFT_ASSERT(at < world->create_map.count);
        world->create_map.items[at] = world->creates.count;
        world->creates.items[world->creates.count++] = (weft__create){
            .number = number, .chain = WEFT__NONE, .chain_end = WEFT__NONE, .next = WEFT__NONE};
    }
    WEFT_ASSERT(world->creates.count == world->create_map.count);
    return WEFT_STATUS_OK;
}

static void chain_append(weft_world* world, const weft__record* record, uint32_t* first,
                         uint32_t* last) {
    uint32_t at = world->references.count++;
    world->references.items[at] = (weft__reference){record, WEFT__NONE};
    if (*first == WEFT__NONE)
        *first = at;
    else
        world->references.items[*last].next = at;
    *last = at;
}

static void route_provisional(weft_world* world, const weft__record* record) {
    uint32_t found = create_find(world, provisional_number(record->entity));
    if (found == WEFT__NONE) {
        world->stats.commands_dropped++;
        return;
    }
    weft__create* create = &world->creates.items[found];
    if (record->op == WEFT__OP_DESTROY)
        create->cancelled = true;
    else
        chain_append(world, record, &create->chain, &create->chain_end);
}

static void route_real(weft_world* world, const weft__record* record) {
    uint32_t number = record->entity.slot / WEFT_SHARD_SLOTS;
    uint32_t local = record->entity.slot % WEFT_SHARD_SLOTS;
    weft__shard* shard = number < world->shards.count ? world->shards.items[number] : NULL;
    if (shard == NULL || shard->chunk_of[local] == NULL ||
        shard->generations[local] != record->entity.generation) {
        world->stats.commands_dropped++;
        return;
    }
    shard->touched = true;
    if (record->op == WEFT__OP_DESTROY) {
        shard->dying[local / 64] |= (uint64_t)1 << (local % 64);
        return;
    }
    shard->work[local / 64] |= (uint64_t)1 << (local % 64);
    chain_append(world, record, &shard->chains[local], &shard->chain_ends[local]);
}

static weft_status route(weft_world* world) {
    world->references.count = 0;
    WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, world->references, world->records.count));
    for (uint32_t i = 0; i < world->records.count; i++) {
        const weft__record* record = world->records.items[i];
        if (record->op == WEFT__OP_CREATE)
            continue;
        if (weft__entity_is_provisional(record->entity))
            route_provisional(world, record);
        else
            route_real(world, record);
    }
    return WEFT_STATUS_OK;
}

static void list_touched(weft_world* world) {
    world->touched.count = 0;
    for (uint32_t i = 0; i < world->shards.count; i++)
        if (world->shards.items[i]->touched)
            world->touched.items[world->touched.count++] = i;
}

static weft_status want_set(weft_world* world, uint32_t set) {
    if (world->sets.items[set].archetype != WEFT__NONE)
        return WEFT_STATUS_OK;
    WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, world->wanted_sets, 1));
    world->wanted_sets.items[world->wanted_sets.count++] = set;
    world->sets.items[set].archetype = SET_WANTED;
    return WEFT_STATUS_OK;
}

// Folds a chain over a set. `*sparse` tells whether a sparse component is named.
static weft_status fold_chain(weft_world* world, uint32_t chain, uint32_t* set, bool* sparse) {
    for (uint32_t at = chain; at != WEFT__NONE; at = world->references.items[at].next) {
        const weft__record* record = world->references.items[at].record;
        if (weft__type_at(world, record->type)->role == WEFT__ROLE_SPARSE) {
            *sparse = true;
            continue;
        }
        if (record->op == WEFT__OP_SET) {
            world->stats.commands_dropped += !weft__set_has(world, *set, record->type);
            continue;
        }
        *set = weft__set_step(world, *set, record->type, record->op == WEFT__OP_ADD);
        if (*set == WEFT__NONE)
            return WEFT_STATUS_OUT_OF_MEMORY;
    }
    return WEFT_STATUS_OK;
}

static uint32_t chain_length(const weft_world* world, uint32_t chain) {
    uint32_t length = 0;
    for (; chain != WEFT__NONE; chain = world->references.items[chain].next)
        length++;
    return length;
}

static weft_status fold_shard(weft_world* world, weft__shard* shard) {
    shard->edit_begin = world->edits.count;
    for (uint32_t word = 0; word < WEFT__LIVE_WORDS; word++) {
        for (uint64_t bits = shard->work[word]; bits != 0; bits &= bits - 1) {
            uint32_t slot = word * 64 + weft__ctz64(bits);
            if ((shard->dying[word] >> (slot % 64) & 1) != 0) {
                world->stats.commands_dropped += chain_length(world, shard->chains[slot]);
                continue;
            }
            uint32_t before = world->archetypes.items[shard->chunk_of[slot]->archetype].set;
            uint32_t set = before;
            WEFT_TRY(fold_chain(world, shard->chains[slot], &set, &shard->sparse));
            WEFT_TRY(want_set(world, set));
            world->edits.items[world->edits.count++] = (weft__edit){slot, set, set != before, NULL};
        }
    }
    shard->edit_end = world->edits.count;
    return WEFT_STATUS_OK;
}

static weft_status fold(weft_world* world, uint32_t* newborn_count) {
    world->edits.count = 0;
    world->wanted_sets.count = 0;
    world->touched.count = 0;
    WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, world->edits, world->references.count));
    WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, world->touched, world->shards.count));
    list_touched(world);
    for (uint32_t i = 0; i < world->touched.count; i++)
        WEFT_TRY(fold_shard(world, world->shards.items[world->touched.items[i]]));
    for (uint32_t i = 0; i < world->creates.count; i++) {
        weft__create* create = &world->creates.items[i];
        if (create->cancelled) {
            world->stats.commands_dropped += chain_length(world, create->chain);
            continue;
        }
        (*newborn_count)++;
        WEFT_TRY(fold_chain(world, create->chain, &create->set, &create->sparse));
        WEFT_TRY(want_set(world, create->set));
    }
    return WEFT_STATUS_OK;
}

static weft_status check_limits(weft_world* world, uint32_t newborn_count) {
    uint64_t freed = 0;
    for (uint32_t i = 0; i < world->touched.count; i++) {
        const weft__shard* shard = world->shards.items[world->touched.items[i]];
        for (uint32_t word = 0; word < WEFT__LIVE_WORDS; word++)
            for (uint64_t bits = shard->dying[word]; bits != 0; bits &= bits - 1)
                freed += shard->generations[word * 64 + weft__ctz64(bits)] != UINT32_MAX;
    }
    uint64_t room = world->free_slots.count + freed + (world->desc.slot_limit - world->slot_count);
    if (newborn_count > room)
        return weft__world_fail(world, WEFT_STATUS_ENTITY_LIMIT,
                                "%u creates, but only %llu of %u slots are free; raise "
                                "weft_world_desc.slot_limit or create less",
                                newborn_count, (unsigned long long)room, world->desc.slot_limit);
    uint64_t archetypes = world->archetypes.count - 1 + (uint64_t)world->wanted_sets.count;
    if (archetypes > world->desc.archetype_limit)
        return weft__world_fail(world, WEFT_STATUS_ARCHETYPE_LIMIT,
                                "%llu component sets are needed, the limit is %u; raise "
                                "weft_world_desc.archetype_limit or combine fewer components",
                                (unsigned long long)archetypes, world->desc.archetype_limit);
    return WEFT_STATUS_OK;
}

static weft_status store_sets(weft_world* world) {
    for (uint32_t i = 0; i < world->wanted_sets.count; i++) {
        uint32_t set = world->wanted_sets.items[i];
        world->sets.items[set].archetype = WEFT__NONE;
        WEFT_TRY(weft__archetype_store(world, set));
    }
    world->wanted_sets.count = 0;
    return WEFT_STATUS_OK;
}

// Frees the slots of the dying, ascending. A slot that has used its last generation is retired.
static weft_status free_slots(weft_world* world) {
    for (uint32_t i = 0; i < world->touched.count; i++) {
        uint32_t number = world->touched.items[i];
        weft__shard* shard = world->shards.items[number];
        for (uint32_t word = 0; word < WEFT__LIVE_WORDS; word++) {
            uint32_t count = weft__popcount64(shard->dying[word]);
            if (count == 0)
                continue;
            WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, world->free_slots, count));
            for (uint64_t bits = shard->dying[word]; bits != 0; bits &= bits - 1) {
                uint32_t slot = word * 64 + weft__ctz64(bits);
                shard->chunk_of[slot]->delta--;
                if (++shard->generations[slot] == 0)
                    world->retired_count++;
                else
                    world->free_slots.items[world->free_slots.count++] =
                        number * WEFT_SHARD_SLOTS + slot;
            }
            shard->dirty = true;
            shard->sparse |= world->sparse.count > 0;
            world->allocator_dirty = true;
            world->live_count -= count;
            world->stats.destroyed += count;
        }
    }
    return WEFT_STATUS_OK;
}

static weft__chunk* shard_chunk(const weft__shard* shard, uint32_t archetype) {
    uint32_t low = 0;
    uint32_t high = shard->chunks.count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (shard->chunks.items[middle]->archetype < archetype)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < shard->chunks.count && shard->chunks.items[low]->archetype == archetype)
        return shard->chunks.items[low];
    return NULL;
}

// The chunk that a row of this set goes to, with one more row to come.
static weft_status target_chunk(weft_world* world, uint32_t number, uint32_t set,
                                weft__chunk** out) {
    weft__shard* shard = world->shards.items[number];
    uint32_t archetype = world->sets.items[set].archetype;
    WEFT_ASSERT(archetype < world->archetypes.count);
    weft__chunk* chunk = shard_chunk(shard, archetype);
    if (chunk == NULL)
        WEFT_TRY(weft__chunk_create(world, &world->archetypes.items[archetype], archetype, false,
                                    number, &chunk));
    chunk->delta++;
    shard->carry += world->archetypes.items[archetype].pack_size;
    *out = chunk;
    return WEFT_STATUS_OK;
}

static weft_status assign_newborns(weft_world* world) {
    for (uint32_t i = 0; i < world->creates.count; i++) {
        weft__create* create = &world->creates.items[i];
        if (create->cancelled)
            continue;
        uint32_t slot = world->free_slots.count > 0
                            ? world->free_slots.items[--world->free_slots.count]
                            : world->slot_count++;
        uint32_t number = slot / WEFT_SHARD_SLOTS;
        WEFT_TRY(weft__shard_ensure(world, number));
        weft__shard* shard = world->shards.items[number];
        create->real = (weft_entity){slot, shard->generations[slot % WEFT_SHARD_SLOTS]};
        WEFT_ASSERT(create->real.generation != 0);
        create->next = shard->newborn_first;
        shard->newborn_first = i;
        shard->touched = true;
        shard->sparse |= create->sparse;
        WEFT_TRY(target_chunk(world, number, create->set, &create->target));
        world->allocator_dirty = true;
        world->live_count++;
        world->stats.created++;
    }
    return WEFT_STATUS_OK;
}

// Presence chunks that commands of this chain may grow. The bound counts every add.
static weft_status assign_sparse(weft_world* world, uint32_t number, uint32_t chain) {
    for (; chain != WEFT__NONE; chain = world->references.items[chain].next) {
        const weft__record* record = world->references.items[chain].record;
        const weft__type* type = weft__type_at(world, record->type);
        if (type->role != WEFT__ROLE_SPARSE || record->op != WEFT__OP_ADD)
            continue;
        weft__archetype* table = &world->sparse.items[type->index];
        weft__chunk* chunk = weft__chunk_find(table, number);
        if (chunk == NULL)
            WEFT_TRY(weft__chunk_create(world, table, type->index, true, number, &chunk));
        chunk->delta++;
        if (world->shards.items[number]->carry < (size_t)WEFT_SHARD_SLOTS * table->pack_size)
            world->shards.items[number]->carry += table->pack_size;
    }
    return WEFT_STATUS_OK;
}

static weft_status assign_shard(weft_world* world, uint32_t number) {
    weft__shard* shard = world->shards.items[number];
    for (uint32_t i = shard->edit_begin; i < shard->edit_end; i++) {
        weft__edit* edit = &world->edits.items[i];
        if (shard->sparse)
            WEFT_TRY(assign_sparse(world, number, shard->chains[edit->slot]));
        if (!edit->moves)
            continue;
        shard->chunk_of[edit->slot]->delta--;
        WEFT_TRY(target_chunk(world, number, edit->set, &edit->target));
    }
    for (uint32_t i = shard->newborn_first; i != WEFT__NONE; i = world->creates.items[i].next)
        if (world->creates.items[i].sparse)
            WEFT_TRY(assign_sparse(world, number, world->creates.items[i].chain));
    return WEFT_STATUS_OK;
}

static weft_status make_room(weft_world* world, weft__chunk* chunk) {
    int64_t rows = (int64_t)chunk->row_count + chunk->delta;
    chunk->delta = 0;
    if (rows > (int64_t)WEFT_SHARD_SLOTS) { // Only the bound of a presence table can be above.
        WEFT_ASSERT(chunk->sparse);
        rows = WEFT_SHARD_SLOTS;
    }
    WEFT_ASSERT(rows >= 0);
    if ((uint32_t)rows <= chunk->capacity)
        return WEFT_STATUS_OK;
    const weft__archetype* table = weft__chunk_table(world, chunk);
    uint32_t capacity = weft__chunk_capacity_for((uint32_t)rows);
    size_t size = weft__chunk_bytes(world, table, capacity);
    chunk->grown = weft__arena_alloc(&world->arena, size);
    if (chunk->grown == NULL)
        return WEFT_STATUS_OUT_OF_MEMORY;
    chunk->grown_size = size;
    chunk->grown_capacity = capacity;
    return WEFT_STATUS_OK;
}

// Chunks, room and scratch for the merge.
static weft_status assign_room(weft_world* world) {
    size_t carry = 0;
    WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, world->touched,
                               world->shards.count - world->touched.count));
    list_touched(world);
    for (uint32_t i = 0; i < world->touched.count; i++) {
        uint32_t number = world->touched.items[i];
        weft__shard* shard = world->shards.items[number];
        WEFT_TRY(assign_shard(world, number));
        for (uint32_t j = 0; j < shard->chunks.count; j++)
            WEFT_TRY(make_room(world, shard->chunks.items[j]));
        for (uint32_t j = 0; j < world->sparse.count && shard->sparse; j++) {
            weft__chunk* chunk = weft__chunk_find(&world->sparse.items[j], number);
            if (chunk != NULL)
                WEFT_TRY(make_room(world, chunk));
        }
        carry = shard->carry > carry ? shard->carry : carry;
    }
    WEFT_TRY(weft__lanes_refresh(world));
    for (uint32_t i = 0; i < world->lane_count; i++) {
        weft__lane* lane = &world->lanes[i];
        if (lane->carry_size >= carry)
            continue;
        weft__arena_free(&world->arena, lane->carry, lane->carry_size);
        lane->carry_size = weft__arena_block_size(carry);
        lane->carry = weft__arena_alloc(&world->arena, lane->carry_size);
        if (lane->carry == NULL)
            return WEFT_STATUS_OUT_OF_MEMORY;
    }
    return WEFT_STATUS_OK;
}

// Provisional handles in what systems wrote in place become real.
static void resolve_state(weft_world* world) {
    for (uint32_t i = 0; i < world->lane_count; i++) {
        weft__lane* lane = &world->lanes[i];
        for (uint32_t j = 0; j < lane->changed.count; j++) {
            weft__chunk* chunk = lane->changed.items[j];
            const weft__archetype* table = weft__chunk_table(world, chunk);
            for (uint32_t column = 0; column < table->column_count && table->has_entities; column++)
                if (chunk->dirty[column])
                    weft__type_resolve(world,
                                       weft__type_at(world, table->column_types[column])->type,
                                       chunk->columns[column], chunk->row_count);
        }
    }
    for (uint32_t i = 0; i < world->resources.count; i++) {
        weft__resource* resource = &world->resources.items[i];
        if (resource->dirty)
            weft__type_resolve(world, weft__type_at(world, resource->type)->type, resource->values,
                               resource->count);
    }
    for (uint32_t i = 0; i < world->reductions.count; i++) {
        weft__reduction* reduction = &world->reductions.items[i];
        weft__type_resolve(world, weft__type_at(world, reduction->type)->type, reduction->value, 1);
    }
    for (uint32_t i = 0; i < world->channels.count; i++) {
        weft__channel* channel = &world->channels.items[i];
        weft__type_resolve(world, weft__type_at(world, channel->type)->type,
                           channel->payloads.items, channel->count);
    }
}

static void merge_item(void* context, uint32_t worker, uint32_t item) {
    weft_world* world = context;
    weft__merge_shard(world, &world->lanes[worker], world->touched.items[item]);
}

static uint32_t merge_shard_of(const void* context, uint32_t item) {
    return ((const weft_world*)context)->touched.items[item];
}

// Forgets everything that belongs to this commit alone; also after a refusal.
static void clean_up(weft_world* world) {
    for (uint32_t i = 0; i < world->wanted_sets.count; i++)
        world->sets.items[world->wanted_sets.items[i]].archetype = WEFT__NONE;
    for (uint32_t i = 0; i < world->shards.count; i++) {
        weft__shard* shard = world->shards.items[i];
        if (!shard->touched)
            continue;
        for (uint32_t word = 0; word < WEFT__LIVE_WORDS; word++) {
            for (uint64_t bits = shard->work[word]; bits != 0; bits &= bits - 1)
                shard->chains[word * 64 + weft__ctz64(bits)] = WEFT__NONE;
            shard->work[word] = shard->dying[word] = 0;
        }
        for (uint32_t j = 0; j < shard->chunks.count; j++) {
            weft__chunk* chunk = shard->chunks.items[j];
            weft__arena_free(&world->arena, chunk->grown, chunk->grown_size);
            chunk->grown = NULL;
        }
        for (uint32_t j = 0; j < world->sparse.count && shard->sparse; j++) {
            weft__chunk* chunk = weft__chunk_find(&world->sparse.items[j], i);
            if (chunk == NULL)
                continue;
            weft__arena_free(&world->arena, chunk->grown, chunk->grown_size);
            chunk->grown = NULL;
        }
        shard->touched = shard->sparse = false;
        shard->edit_begin = shard->edit_end = 0;
        shard->newborn_first = WEFT__NONE;
        shard->carry = 0;
    }
    for (uint32_t i = 0; i < world->lane_count; i++) {
        world->stats.commands_dropped += world->lanes[i].dropped;
        world->stats.moved += world->lanes[i].moved;
        world->lanes[i].dropped = world->lanes[i].moved = 0;
    }
    weft__log_clear(world, 0);
}

static weft_status commit_run(weft_world* world, weft__runner* runner) {
    uint32_t newborn_count = 0;
    WEFT_TRY(register_creates(world));
    WEFT_TRY(route(world));
    WEFT_TRY(fold(world, &newborn_count));
    WEFT_TRY(check_limits(world, newborn_count));
    // From here on only missing memory can fail, and that breaks the world.
    WEFT_TRY(store_sets(world));
    WEFT_TRY(free_slots(world));
    WEFT_TRY(assign_newborns(world));
    WEFT_TRY(assign_room(world));
    if (world->creates.count > 0)
        resolve_state(world);
    weft__batch batch = {.count = world->touched.count,
                         .cost_ns = (uint64_t)world->records.count * 100u,
                         .fn = merge_item,
                         .context = world,
                         .shard_of = merge_shard_of};
    runner->run(runner, &batch);
    return WEFT_STATUS_OK;
}

weft_status weft__commit(weft_world* world, weft__runner* runner) {
    WEFT_ASSERT(world != NULL && runner != NULL);
    world->commit_number++;
    world->touched.count = world->edits.count = world->wanted_sets.count = 0;
    weft_status status = weft__log_gather(world, 0, !world->running);
    bool anything = world->records.count > 0;
    if (status == WEFT_STATUS_OK && anything)
        status = commit_run(world, runner);
    if (anything || status != WEFT_STATUS_OK)
        clean_up(world);
    if (anything)
        world->digests.valid = false;
    bool refused = status == WEFT_STATUS_ENTITY_LIMIT || status == WEFT_STATUS_ARCHETYPE_LIMIT;
    if (status != WEFT_STATUS_OK && !refused)
        return weft__world_break(world, status,
                                 "the commit ran out of memory after %llu bytes; "
                                 "give the world more",
                                 (unsigned long long)world->arena.reserved);
    return status;
}
