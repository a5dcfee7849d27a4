// The commit: one outcome for every way of recording the same commands (C6).
//
//   route     all lanes' records in key order to their targets: route.c
//   fold      each entity's commands to one final component set: fold.c
//   check     limits; up to here the world is unchanged
//   assign    archetype ids (survivors by slot, then newborns by key), freed slots ascending, slots
//             of newborns by key, chunks; then handles to newborns become real: handles.c
//   merge     all shards independently: merge.c
//
// Routing, folding, handles and merging go in parallel, in pieces that do not touch each other.
// What hands out numbers is serial, and comes in order.

#include <string.h>

#include "weft_bits.h"
#include "weft_world.h"

weft_status weft__commit_batch(weft_world* world, weft__runner* runner, const weft__batch* batch) {
    WEFT_ASSERT(batch->fn != NULL && batch->unsharded <= batch->count);
    if (batch->count == 0)
        return WEFT_STATUS_OK;
    runner->run(runner, batch);
    const weft__failure* failure = weft__world_failure(world); // Such as no memory for a schedule.
    return failure == NULL ? WEFT_STATUS_OK : failure->status;
}

static weft_status too_many(weft_world* world, uint64_t newborn_count, uint64_t room) {
    WEFT_ASSERT(newborn_count > room);
    return weft__world_fail(world, WEFT_STATUS_ENTITY_LIMIT,
                            "%llu creates, but only %llu of %u slots are free; raise "
                            "weft_world_desc.slot_limit or create less",
                            (unsigned long long)newborn_count, (unsigned long long)room,
                            world->desc.slot_limit);
}

// Slots that creates of this commit may take, once its destroys are known.
static uint64_t slot_room(const weft_world* world) {
    WEFT_ASSERT(world->slot_count <= world->desc.slot_limit);
    return world->free_slots.count + world->freed + (world->desc.slot_limit - world->slot_count);
}

// Creates of many are small records: what cannot fit whatever is cancelled is refused before
// memory is asked for.
weft_status weft__commit_check_total(weft_world* world, uint64_t total) {
    uint64_t handles = 0;
    for (uint32_t i = 0; i < world->segments.count; i++)
        handles += world->segments.items[i]->bulk_handles;
    if (total > (uint64_t)world->desc.slot_limit + world->records.count + handles)
        return too_many(world, total, slot_room(world));
    return total > UINT32_MAX ? WEFT_STATUS_OUT_OF_MEMORY : WEFT_STATUS_OK;
}

// Shards with newborns alone join those with commands.
static weft_status list_touched(weft_world* world) {
    if (world->creates.count == 0)
        return WEFT_STATUS_OK;
    world->touched.count = 0;
    WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, world->touched, world->shards.count));
    for (uint32_t i = 0; i < world->shards.count; i++)
        if (world->shards.items[i]->touched)
            world->touched.items[world->touched.count++] = i;
    return WEFT_STATUS_OK;
}

static weft_status check_limits(weft_world* world, uint64_t newborn_count) {
    uint64_t room = slot_room(world);
    if (newborn_count > room)
        return too_many(world, newborn_count, room);
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
    WEFT_ASSERT(world->archetypes.count - 1 <= world->desc.archetype_limit);
    world->wanted_sets.count = 0;
    return WEFT_STATUS_OK;
}

// Frees the slots of the dying, ascending. A slot that has used its last generation is retired.
static weft_status free_slots(weft_world* world) {
    WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, world->free_slots, world->freed));
    uint64_t deaths = 0;
    for (uint32_t i = 0; i < world->touched.count; i++) {
        uint32_t number = world->touched.items[i];
        const weft__shard* shard = world->shards.items[number];
        WEFT_ASSERT(i == 0 || world->touched.items[i - 1] < number);
        WEFT_ASSERT(shard->edit_begin <= shard->edit_deaths);
        deaths += shard->edit_deaths - shard->edit_begin;
        for (uint32_t j = shard->edit_begin; j < shard->edit_deaths; j++) {
            const weft__edit* edit = &world->edits.items[j];
            WEFT_CHECK(edit->kind == WEFT__EDIT_DEATH);
            if (edit->generation == UINT32_MAX)
                world->retired_count++;
            else
                world->free_slots.items[world->free_slots.count++] =
                    (weft_entity){number * WEFT_SHARD_SLOTS + edit->slot, edit->generation + 1};
        }
    }
    WEFT_ASSERT(deaths <= world->live_count);
    world->allocator_dirty |= deaths > 0;
    world->live_count -= deaths;
    world->stats.destroyed += deaths;
    return WEFT_STATUS_OK;
}

weft_status weft__commit_chunk(weft_world* world, uint32_t number, uint32_t set,
                               weft__chunk** out) {
    const weft__shard* shard = world->shards.items[number];
    weft__set* node = &world->sets.items[set];
    uint32_t archetype = node->archetype;
    WEFT_ASSERT(archetype < world->archetypes.count);
    weft__chunk* chunk = node->last_chunk;
    if (chunk == NULL || chunk->shard != number) {
        uint32_t at = weft__shard_lower(shard, archetype);
        if (at < shard->archetypes.count && shard->archetypes.items[at] == archetype)
            chunk = shard->chunks.items[at];
        else
            WEFT_TRY(weft__chunk_create(world, &world->archetypes.items[archetype], archetype,
                                        false, number, &chunk));
        node->last_chunk = chunk;
    }
    WEFT_CHECK(chunk->archetype == archetype && chunk->shard == number && !chunk->sparse);
    *out = chunk;
    return WEFT_STATUS_OK;
}

// The chunk that a row of this set goes to, and room for the row on its way there.
static weft_status target_chunk(weft_world* world, uint32_t number, uint32_t set,
                                weft__chunk** out) {
    WEFT_TRY(weft__commit_chunk(world, number, set, out));
    world->shards.items[number]->carry += weft__chunk_table(world, *out)->pack_size;
    return WEFT_STATUS_OK;
}

static weft_status assign_newborns(weft_world* world) {
    for (uint32_t i = 0; i < world->creates.count; i++) {
        weft__create* create = &world->creates.items[i];
        if (create->cancelled)
            continue;
        if (create->count > 1) {
            WEFT_TRY(weft__bulk_assign(world, i));
            continue;
        }
        create->real = world->free_slots.count > 0
                           ? world->free_slots.items[--world->free_slots.count]
                           : (weft_entity){world->slot_count++, 1};
        WEFT_CHECK(create->real.slot < world->slot_count && create->real.generation != 0);
        uint32_t number = create->real.slot / WEFT_SHARD_SLOTS;
        WEFT_TRY(weft__shard_ensure(world, number));
        weft__shard* shard = world->shards.items[number];
        create->next = shard->newborn_first;
        shard->newborn_first = i;
        shard->touched = true;
        shard->sparse |= create->sparse;
        WEFT_TRY(target_chunk(world, number, create->set, &create->target));
        world->allocator_dirty = true;
        world->live_count++;
        world->stats.created++;
    }
    WEFT_ASSERT(world->slot_count <= world->desc.slot_limit);
    return WEFT_STATUS_OK;
}

// Makes sure that a presence chunk is there and that one more row can be carried to it.
static weft_status assign_presence(weft_world* world, uint32_t number, const weft__type* type) {
    if (type->role != WEFT__ROLE_SPARSE)
        return WEFT_STATUS_OK;
    weft__archetype* table = &world->sparse.items[type->index];
    weft__chunk* chunk = weft__chunk_find(table, number);
    if (chunk == NULL)
        WEFT_TRY(weft__chunk_create(world, table, type->index, true, number, &chunk));
    weft__shard* shard = world->shards.items[number];
    if (shard->carry < (size_t)WEFT_SHARD_SLOTS * table->pack_size)
        shard->carry += table->pack_size;
    return WEFT_STATUS_OK;
}

// Presence chunks that commands of this chain, or a create's own components, may fill.
static weft_status assign_sparse(weft_world* world, uint32_t number, uint32_t chain) {
    for (; chain != WEFT__NONE; chain = world->references.items[chain].then)
        if (world->references.items[chain].op != WEFT__OP_REMOVE)
            WEFT_TRY(assign_presence(world, number,
                                     weft__type_at(world, world->references.items[chain].type)));
    return WEFT_STATUS_OK;
}

static weft_status assign_bundle(weft_world* world, uint32_t number, const weft__record* record) {
    const weft__bundle* bundle = weft__record_bundle(record);
    if (bundle == NULL)
        return WEFT_STATUS_OK;
    const weft__part* part = weft__bundle_first(bundle);
    for (uint32_t i = 0; i < bundle->count; i++, part = weft__bundle_next(part))
        WEFT_TRY(assign_presence(world, number, weft__type_at(world, part->type)));
    return WEFT_STATUS_OK;
}

// What is not there yet: chunks for survivors that move, presence chunks.
static weft_status assign_edits(weft_world* world, uint32_t number) {
    const weft__shard* shard = world->shards.items[number];
    for (uint32_t i = shard->edit_deaths; i < shard->edit_end; i++) {
        weft__edit* edit = &world->edits.items[i];
        WEFT_CHECK(edit->kind != WEFT__EDIT_DEATH && edit->set != WEFT__NONE);
        if (shard->sparse)
            WEFT_TRY(assign_sparse(world, number, edit->chain));
        if (edit->kind == WEFT__EDIT_MOVE && edit->target == NULL)
            WEFT_TRY(target_chunk(world, number, edit->set, &edit->target));
    }
    return WEFT_STATUS_OK;
}

static weft_status assign_shard(weft_world* world, uint32_t number) {
    const weft__shard* shard = world->shards.items[number];
    WEFT_ASSERT(shard->touched && !shard->unknown);
    if (shard->missing || shard->sparse)
        WEFT_TRY(assign_edits(world, number));
    if (!shard->sparse)
        return WEFT_STATUS_OK;
    for (uint32_t i = shard->newborn_first; i != WEFT__NONE; i = world->creates.items[i].next) {
        const weft__create* create = &world->creates.items[i];
        if (!create->sparse)
            continue;
        WEFT_TRY(assign_bundle(world, number, create->record));
        WEFT_TRY(assign_sparse(world, number, create->chain));
    }
    for (uint32_t i = shard->birth_first; i != WEFT__NONE; i = world->births.items[i].next) {
        const weft__birth* birth = &world->births.items[i];
        const weft__create* create = &world->creates.items[birth->create];
        for (uint32_t j = 0; j < birth->count && create->sparse; j++)
            WEFT_TRY(assign_bundle(world, number, create->record));
    }
    return WEFT_STATUS_OK;
}

// Chunks and scratch for the merge.
static weft_status assign_chunks(weft_world* world) {
    size_t carry = 0;
    WEFT_TRY(list_touched(world));
    for (uint32_t i = 0; i < world->touched.count; i++) {
        uint32_t number = world->touched.items[i];
        WEFT_TRY(assign_shard(world, number));
        const weft__shard* shard = world->shards.items[number];
        carry = shard->carry > carry ? shard->carry : carry;
    }
    WEFT_TRY(weft__lanes_refresh(world));
    for (uint32_t i = 0; i < world->lane_count; i++) {
        weft__lane* lane = &world->lanes[i];
        if (lane->carry_size >= carry)
            continue;
        weft__arena_free(&world->arena, lane->carry, lane->carry_size);
        lane->carry_size = 0;
        lane->carry = weft__arena_alloc(&world->arena, weft__arena_block_size(carry));
        if (lane->carry == NULL)
            return WEFT_STATUS_OUT_OF_MEMORY;
        lane->carry_size = weft__arena_block_size(carry);
    }
    return WEFT_STATUS_OK;
}

static void merge_item(void* context, uint32_t worker, uint32_t item) {
    weft_world* world = context;
    WEFT_ASSERT(worker < world->lane_count && item < world->touched.count);
    weft__merge_shard(world, &world->lanes[worker], world->touched.items[item]);
}

static uint32_t merge_shard_of(const void* context, uint32_t item) {
    const weft_world* world = context;
    WEFT_ASSERT(item < world->touched.count);
    return world->touched.items[item];
}

// Forgets everything that belongs to this commit alone; also after a refusal.
static void clean_up(weft_world* world, bool merged) {
    for (uint32_t i = 0; i < world->wanted_sets.count; i++)
        world->sets.items[world->wanted_sets.items[i]].archetype = WEFT__NONE;
    for (uint32_t i = 0; i < world->touched.count; i++) {
        weft__shard* shard = world->shards.items[world->touched.items[i]];
        WEFT_CHECK(!merged || weft__shard_fault(world, world->touched.items[i]) == NULL);
        shard->touched = shard->sparse = shard->unknown = shard->missing = false;
        shard->edit_begin = shard->edit_deaths = shard->edit_end = shard->reference_end = 0;
        shard->newborn_first = shard->birth_first = WEFT__NONE;
        shard->freed = 0;
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
    weft__runner_phase(runner, WEFT__PHASE_ROUTE);
    WEFT_TRY(weft__route(world, runner));
    weft__runner_phase(runner, WEFT__PHASE_FOLD);
    WEFT_TRY(weft__fold_all(world, runner));
    weft__runner_phase(runner, WEFT__PHASE_ASSIGN);
    uint64_t newborn_count = world->create_map.count - world->cancelled;
    WEFT_TRY(check_limits(world, newborn_count));
    // From here on only missing memory can fail, and that breaks the world.
    WEFT_TRY(store_sets(world));
    WEFT_TRY(free_slots(world));
    WEFT_TRY(assign_newborns(world));
    WEFT_TRY(assign_chunks(world));
    if (world->creates.count > 0)
        WEFT_TRY(weft__handles_resolve(world, runner));
    weft__runner_phase(runner, WEFT__PHASE_MERGE);
    weft__batch batch = {.count = world->touched.count,
                         .cost_ns = world->records.count * 100u + newborn_count * 10u,
                         .fn = merge_item,
                         .context = world,
                         .shard_of = merge_shard_of};
    return weft__commit_batch(world, runner, &batch);
}

weft_status weft__commit(weft_world* world, weft__runner* runner) {
    WEFT_ASSERT(world != NULL && runner != NULL);
    world->commit_number++;
    world->touched.count = world->edits.count = world->wanted_sets.count = 0;
    world->births.count = 0;
    world->freed = world->cancelled = 0;
    weft_status status = weft__log_order(world, 0, !world->running);
    bool anything = world->records.count > 0;
    if (status == WEFT_STATUS_OK && anything)
        status = commit_run(world, runner);
    if (anything || status != WEFT_STATUS_OK)
        clean_up(world, status == WEFT_STATUS_OK);
    if (anything)
        world->digests.valid = false;
    // Every slot is living, free or retired; only where memory ran out it may not be so.
    WEFT_ASSERT(status == WEFT_STATUS_OUT_OF_MEMORY ||
                world->live_count + world->free_slots.count + world->retired_count ==
                    world->slot_count);
    bool refused = status == WEFT_STATUS_ENTITY_LIMIT || status == WEFT_STATUS_ARCHETYPE_LIMIT;
    if (status != WEFT_STATUS_OK && !refused)
        return weft__world_break(world, status,
                                 "the commit ran out of memory after %llu bytes; "
                                 "give the world more",
                                 (unsigned long long)world->arena.reserved);
    return status;
}

#define TRIM(world, vec)                                                                           \
    do {                                                                                           \
        WEFT__VEC_FREE(&(world)->arena, vec);                                                      \
        memset(&(vec), 0, sizeof(vec));                                                            \
    } while (0)

void weft__commit_trim(weft_world* world) {
    weft__stream* stream = &world->host.streams.items[0];
    WEFT_ASSERT(!world->running && stream->segments.count == 0);
    TRIM(world, world->segments);
    TRIM(world, world->segment_scratch);
    TRIM(world, world->records);
    TRIM(world, world->record_scratch);
    TRIM(world, world->block_segments);
    TRIM(world, world->blocks);
    TRIM(world, world->block_counts);
    TRIM(world, world->references);
    TRIM(world, world->creates);
    TRIM(world, world->births);
    TRIM(world, world->create_map);
    TRIM(world, world->edits);
    TRIM(world, world->handle_spans);
    TRIM(world, world->sort_keys);
    TRIM(world, world->sort_scratch);
    for (weft__log_block* block = stream->first; block != NULL;) {
        weft__log_block* next = block->next;
        weft__arena_free(&world->arena, block, sizeof(*block) + block->size);
        block = next;
    }
    stream->first = stream->current = NULL;
}
