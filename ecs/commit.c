// The commit: one outcome for every way of recording the same commands (C6).
//
//   gather    all lanes' records in key order; from here on nobody knows who recorded what
//   route     each record to its target: a chain per slot, a chain per newborn, a set of the dying
//   fold      each chain to a final component set; only these sets will be stored
//   check     limits; up to here the world is unchanged
//   assign    archetype ids (survivors by slot, then newborns by key), freed slots ascending, slots
//             of newborns by key, chunks
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

// Where a provisional number's create is filed in create_map, if its unit is of this commit.
static uint64_t create_place(const weft_world* world, uint64_t number) {
    uint64_t unit = number >> world->create_bits; // weft-lint: allow(shift): at most 33 bits
    // weft-lint: allow(shift): at most 33 bits
    return (uint32_t)world->unit_map.items[unit] + (number - (unit << world->create_bits));
}

static uint32_t create_find(const weft_world* world, uint64_t number) {
    uint64_t unit = number >> world->create_bits; // weft-lint: allow(shift): at most 33 bits
    if (unit >= world->unit_map.count ||
        (uint32_t)(world->unit_map.items[unit] >> 32) != world->commit_number)
        return WEFT__NONE;
    uint64_t at = create_place(world, number);
    if (at >= world->create_map.count)
        return WEFT__NONE;
    uint32_t found = world->create_map.items[at];
    const weft__create* create = &world->creates.items[found];
    return number - create->number < create->count ? found : WEFT__NONE;
}

uint64_t weft__create_place(const weft_world* world, weft_entity entity) {
    WEFT_ASSERT(weft__entity_is_provisional(entity));
    uint64_t number = provisional_number(entity);
    uint64_t unit = number >> world->create_bits; // weft-lint: allow(shift): at most 33 bits
    if (unit >= world->unit_map.count ||
        (uint32_t)(world->unit_map.items[unit] >> 32) != world->commit_number)
        return UINT64_MAX;
    return create_place(world, number);
}

weft_entity weft__commit_resolve(const weft_world* world, weft_entity entity) {
    WEFT_ASSERT(weft__entity_is_provisional(entity));
    uint64_t number = provisional_number(entity);
    uint32_t found = create_find(world, number);
    if (found == WEFT__NONE)
        return WEFT_ENTITY_NULL;
    const weft__create* create = &world->creates.items[found];
    if (create->count == 1 || weft_entity_is_null(create->real))
        return create->real;
    return weft__bulk_member(world, create, (uint32_t)(number - create->number));
}

static weft_status too_many(weft_world* world, uint64_t newborn_count, uint64_t room) {
    return weft__world_fail(world, WEFT_STATUS_ENTITY_LIMIT,
                            "%llu creates, but only %llu of %u slots are free; raise "
                            "weft_world_desc.slot_limit or create less",
                            (unsigned long long)newborn_count, (unsigned long long)room,
                            world->desc.slot_limit);
}

// Slots that creates of this commit may take, once its destroys are known.
static uint64_t slot_room(const weft_world* world) {
    return world->free_slots.count + world->freed + (world->desc.slot_limit - world->slot_count);
}

// Creates of many are small records: what cannot fit whatever is cancelled is refused before
// memory is asked for.
static weft_status check_total(weft_world* world, uint64_t total) {
    uint64_t handles = 0;
    for (uint32_t i = 0; i < world->segments.count; i++)
        handles += world->segments.items[i]->bulk_handles;
    if (total > (uint64_t)world->desc.slot_limit + world->records.count + handles)
        return too_many(world, total, slot_room(world));
    return total > UINT32_MAX ? WEFT_STATUS_OUT_OF_MEMORY : WEFT_STATUS_OK;
}

// Gives every segment with creates its run in create_map, and its units a way there.
static weft_status map_units(weft_world* world) {
    uint64_t total = 0;
    world->creates.count = 0;
    world->create_map.count = 0;
    for (uint32_t i = 0; i < world->segments.count; i++)
        total += world->segments.items[i]->create_count;
    WEFT_TRY(check_total(world, total));
    WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, world->create_map, total));
    world->create_map.count = (uint32_t)total;
    uint32_t base = 0;
    if (world->unit_map.count < world->create_units) {
        uint32_t extra = world->create_units - world->unit_map.count;
        WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, world->unit_map, extra));
        memset(world->unit_map.items + world->unit_map.count, 0, extra * sizeof(uint64_t));
        world->unit_map.count = world->create_units;
    }
    for (uint32_t i = 0; i < world->segments.count; i++) {
        weft__segment* segment = world->segments.items[i];
        segment->create_base = base;
        for (uint64_t first = 0; first < segment->create_count;
             // weft-lint: allow(shift): at most 33 bits
             first += (uint64_t)1 << world->create_bits) {
            // weft-lint: allow(shift): at most 33 bits
            uint32_t unit = segment->unit + (uint32_t)(first >> world->create_bits);
            WEFT_ASSERT(unit < world->unit_map.count);
            world->unit_map.items[unit] =
                (uint64_t)world->commit_number << 32 | (base + (uint32_t)first);
        }
        base += (uint32_t)segment->create_count;
    }
    return WEFT_STATUS_OK;
}

static void register_create(weft_world* world, const weft__record* record) {
    if (!weft__op_creates(record->op))
        return;
    uint64_t number = provisional_number(record->entity);
    uint64_t at = create_place(world, number);
    WEFT_ASSERT(at < world->create_map.count);
    world->create_map.items[at] = world->creates.count;
    world->creates.items[world->creates.count++] = (weft__create){.number = number,
                                                                  .record = record,
                                                                  .count = 1,
                                                                  .chain = WEFT__NONE,
                                                                  .chain_end = WEFT__NONE,
                                                                  .next = WEFT__NONE};
}

// Numbers the creates by key order: rows of a task may have been recorded in any order.
static weft_status register_creates(weft_world* world) {
    WEFT_TRY(map_units(world));
    if (world->create_map.count == 0)
        return WEFT_STATUS_OK;
    uint64_t need = world->create_map.count;
    uint64_t bulk = 0;
    for (uint32_t i = 0; i < world->segments.count; i++) {
        need += world->segments.items[i]->bulk_records;
        need -= world->segments.items[i]->bulk_creates;
        bulk += world->segments.items[i]->bulk_creates;
    }
    uint64_t marked = 0; // Each may split a run in two, and stands between them.
    if (bulk > 0)
        weft__bulk_mark(world, &marked);
    WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, world->creates, need + 2 * marked));
    for (uint32_t i = 0; i < world->segments.count; i++) {
        const weft__segment* segment = world->segments.items[i];
        for (uint32_t j = 0; j < segment->count && segment->create_count > 0; j++) {
            const weft__record* record = world->records.items[segment->first_record + j];
            if (record->op == WEFT__OP_CREATE_MANY)
                weft__bulk_register(world, record, marked > 0);
            else
                register_create(world, record);
        }
    }
    WEFT_ASSERT(bulk > 0 || world->creates.count == world->create_map.count);
    return WEFT_STATUS_OK;
}

static weft__reference reference_of(const weft__record* record, weft_entity entity) {
    uint8_t op = record->op == WEFT__OP_DESTROY_MANY ? WEFT__OP_DESTROY : record->op;
    return (weft__reference){.record = record,
                             .entity = entity,
                             .type = record->type,
                             .op = op,
                             .next = WEFT__NONE,
                             .then = WEFT__NONE};
}

static void route_provisional(weft_world* world, const weft__record* record, weft_entity entity) {
    uint32_t found = create_find(world, provisional_number(entity));
    if (found == WEFT__NONE) {
        world->stats.commands_dropped++;
        return;
    }
    weft__create* create = &world->creates.items[found];
    WEFT_ASSERT(create->count == 1); // What is spoken of is no part of a run.
    weft__reference reference = reference_of(record, entity);
    if (reference.op == WEFT__OP_DESTROY) {
        create->cancelled = true;
        return;
    }
    uint32_t at = world->references.count++;
    world->references.items[at] = reference;
    if (create->chain == WEFT__NONE)
        create->chain = at;
    else
        world->references.items[create->chain_end].then = at;
    create->chain_end = at;
}

// Files by shard only: slots are looked up shard by shard, while their lines are near.
static void route_real(weft_world* world, const weft__record* record, weft_entity entity) {
    uint32_t number = entity.slot / WEFT_SHARD_SLOTS;
    if (number >= world->shards.count) {
        world->stats.commands_dropped++;
        return;
    }
    weft__shard* shard = world->shards.items[number];
    uint32_t at = world->references.count++;
    world->references.items[at] = reference_of(record, entity);
    if (shard->reference_first == WEFT__NONE)
        shard->reference_first = at;
    else
        world->references.items[shard->reference_last].next = at;
    shard->reference_last = at;
    shard->touched = true;
}

static WEFT__INLINE void route_one(weft_world* world, const weft__record* record,
                                   weft_entity entity) {
    if (weft__entity_is_provisional(entity))
        route_provisional(world, record, entity);
    else
        route_real(world, record, entity);
}

static weft_status route(weft_world* world) {
    world->references.count = 0;
    uint64_t need = world->records.count;
    for (uint32_t i = 0; i < world->segments.count; i++)
        need += world->segments.items[i]->bulk_handles;
    WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, world->references, need));
    for (uint32_t i = 0; i < world->records.count; i++) {
        const weft__record* record = world->records.items[i];
        if (weft__op_creates(record->op))
            continue;
        if (record->op != WEFT__OP_DESTROY_MANY) {
            route_one(world, record, record->entity);
            continue;
        }
        const weft_entity* handles = weft__record_handles(record);
        for (uint32_t j = 0; j < weft__record_many(record)->count; j++)
            route_one(world, record, handles[j]);
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
    WEFT_TRY(WEFT__VEC_PUSH(&world->arena, world->wanted_sets, set));
    world->sets.items[set].archetype = SET_WANTED;
    return WEFT_STATUS_OK;
}

// Folds a chain over a set. `*sparse` tells whether a sparse component is named.
static weft_status fold_chain(weft_world* world, uint32_t chain, uint32_t* set, bool* sparse) {
    const weft__reference* references = world->references.items;
    for (uint32_t at = chain; at != WEFT__NONE; at = references[at].then) {
        uint32_t type = references[at].type;
        if (weft__type_at(world, type)->role == WEFT__ROLE_SPARSE) {
            *sparse = true;
            continue;
        }
        if (references[at].op == WEFT__OP_SET) {
            world->stats.commands_dropped += !weft__set_has(world, *set, type);
            continue;
        }
        *set = weft__set_step(world, *set, type, references[at].op == WEFT__OP_ADD);
        if (*set == WEFT__NONE)
            return WEFT_STATUS_OUT_OF_MEMORY;
    }
    return WEFT_STATUS_OK;
}

static weft__bundle_set bundle_key(const weft__bundle* bundle) {
    weft__bundle_set key = {.set = 0};
    const weft__part* part = weft__bundle_first(bundle);
    for (uint32_t i = 0; i < bundle->count; i++, part = weft__bundle_next(part))
        key.ids[i / 4] |= (uint64_t)part->type << (i % 4 * 16);
    return key;
}

static weft_status fold_parts(weft_world* world, const weft__bundle* bundle, uint32_t* set,
                              bool* sparse) {
    const weft__part* part = weft__bundle_first(bundle);
    for (uint32_t i = 0; i < bundle->count; i++, part = weft__bundle_next(part)) {
        if (weft__type_at(world, part->type)->role == WEFT__ROLE_SPARSE) {
            *sparse = true;
            continue;
        }
        *set = weft__set_step(world, *set, part->type, true);
        if (*set == WEFT__NONE)
            return WEFT_STATUS_OUT_OF_MEMORY;
    }
    return WEFT_STATUS_OK;
}

// The set that a create's own components make. Creates come in few kinds, so the set of a list of
// types is remembered.
static weft_status fold_bundle(weft_world* world, const weft__record* record, uint32_t* set,
                               bool* sparse) {
    const weft__bundle* bundle = weft__record_bundle(record);
    if (bundle == NULL)
        return WEFT_STATUS_OK;
    if (bundle->count > WEFT__BUNDLE_IDS)
        return fold_parts(world, bundle, set, sparse);
    weft__bundle_set key = bundle_key(bundle);
    weft__bundle_set* memo =
        &world->bundle_sets[((key.ids[0] ^ key.ids[1] << 1) * 0x9E3779B97F4A7C15u) >> 59];
    if (memo->ids[0] != key.ids[0] || memo->ids[1] != key.ids[1]) {
        WEFT_TRY(fold_parts(world, bundle, &key.set, &key.sparse));
        *memo = key;
    }
    *set = memo->set;
    *sparse |= memo->sparse;
    return WEFT_STATUS_OK;
}

static uint32_t chain_length(const weft_world* world, uint32_t chain) {
    uint32_t length = 0;
    for (; chain != WEFT__NONE; chain = world->references.items[chain].then)
        length++;
    return length;
}

// Sorts a shard's commands by entity into the scratch chains, and finds out who dies.
static void chain_shard(weft_world* world, const weft__shard* shard) {
    weft__reference* references = world->references.items;
    uint32_t ahead = shard->reference_first; // Slots are looked up anywhere: fetch early.
    for (uint32_t i = 0; i < 16 && ahead != WEFT__NONE; i++)
        ahead = references[ahead].next;
    for (uint32_t at = shard->reference_first; at != WEFT__NONE; at = references[at].next) {
        if (ahead != WEFT__NONE) {
            __builtin_prefetch(&shard->slots[references[ahead].entity.slot % WEFT_SHARD_SLOTS]);
            ahead = references[ahead].next;
        }
        uint32_t local = references[at].entity.slot % WEFT_SHARD_SLOTS;
        weft__slot slot = shard->slots[local];
        if (slot.chunk == 0 || slot.generation != references[at].entity.generation) {
            world->stats.commands_dropped++;
            continue;
        }
        uint64_t bit = (uint64_t)1 << (local % 64);
        if (references[at].op == WEFT__OP_DESTROY) {
            world->dying[local / 64] |= bit;
            continue;
        }
        world->working[local / 64] |= bit;
        if (world->chain_first[local] == WEFT__NONE)
            world->chain_first[local] = at;
        else
            references[world->chain_last[local]].then = at;
        world->chain_last[local] = at;
    }
}

static weft_status fold_entity(weft_world* world, weft__shard* shard, uint32_t local, bool dies) {
    weft__slot slot = shard->slots[local];
    uint32_t chain = world->chain_first[local];
    world->chain_first[local] = WEFT__NONE;
    weft__edit* edit = &world->edits.items[world->edits.count++];
    *edit = (weft__edit){
        .slot = local, .kind = WEFT__EDIT_UPDATE, .chain = chain, .generation = slot.generation};
    if (dies) {
        world->stats.commands_dropped += chain_length(world, chain);
        world->freed += slot.generation != UINT32_MAX;
        edit->kind = WEFT__EDIT_DEATH;
        return WEFT_STATUS_OK;
    }
    uint32_t before = world->archetypes.items[weft__slot_chunk(shard, slot)->archetype].set;
    edit->set = before;
    WEFT_TRY(fold_chain(world, chain, &edit->set, &shard->sparse));
    if (edit->set != before)
        edit->kind = WEFT__EDIT_MOVE;
    return want_set(world, edit->set);
}

static weft_status fold_shard(weft_world* world, weft__shard* shard) {
    shard->edit_begin = world->edits.count;
    chain_shard(world, shard);
    weft_status status = WEFT_STATUS_OK;
    for (uint32_t word = 0; word < WEFT__LIVE_WORDS; word++) {
        uint64_t bits = world->working[word] | world->dying[word];
        for (; bits != 0; bits &= bits - 1) {
            uint32_t bit = weft__ctz64(bits);
            // weft-lint: allow(shift): the place of a bit
            bool dies = (world->dying[word] >> bit & 1) != 0;
            weft_status one = fold_entity(world, shard, word * 64 + bit, dies);
            status = status == WEFT_STATUS_OK ? one : status;
        }
        world->working[word] = world->dying[word] = 0;
    }
    shard->edit_end = world->edits.count;
    shard->sparse |= world->sparse.count > 0 && shard->edit_end > shard->edit_begin;
    return status;
}

static weft_status fold(weft_world* world, uint64_t* newborn_count) {
    WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, world->edits, world->references.count));
    WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, world->touched, world->shards.count));
    list_touched(world);
    for (uint32_t i = 0; i < world->touched.count; i++)
        WEFT_TRY(fold_shard(world, world->shards.items[world->touched.items[i]]));
    for (uint32_t i = 0; i < world->creates.count; i++) {
        weft__create* create = &world->creates.items[i];
        if (create->cancelled) {
            world->stats.commands_dropped += chain_length(world, create->chain);
            const weft__bundle* bundle = weft__record_bundle(create->record);
            world->stats.commands_dropped += bundle == NULL ? 0 : bundle->count;
            continue;
        }
        *newborn_count += create->count;
        WEFT_TRY(fold_bundle(world, create->record, &create->set, &create->sparse));
        WEFT_TRY(fold_chain(world, create->chain, &create->set, &create->sparse));
        WEFT_TRY(want_set(world, create->set));
    }
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
        for (uint32_t j = shard->edit_begin; j < shard->edit_end; j++) {
            const weft__edit* edit = &world->edits.items[j];
            if (edit->kind != WEFT__EDIT_DEATH)
                continue;
            deaths++;
            if (edit->generation == UINT32_MAX)
                world->retired_count++;
            else
                world->free_slots.items[world->free_slots.count++] =
                    (weft_entity){number * WEFT_SHARD_SLOTS + edit->slot, edit->generation + 1};
        }
    }
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

static weft_status assign_shard(weft_world* world, uint32_t number) {
    weft__shard* shard = world->shards.items[number];
    for (uint32_t i = shard->edit_begin; i < shard->edit_end; i++) {
        weft__edit* edit = &world->edits.items[i];
        if (edit->kind == WEFT__EDIT_DEATH)
            continue;
        if (shard->sparse)
            WEFT_TRY(assign_sparse(world, number, edit->chain));
        if (edit->kind == WEFT__EDIT_MOVE)
            WEFT_TRY(target_chunk(world, number, edit->set, &edit->target));
    }
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
    WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, world->touched,
                               world->shards.count - world->touched.count));
    list_touched(world);
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
            if (!table->has_entities || chunk->written_tick != world->tick + 1)
                continue;
            for (uint32_t column = 0; column < table->column_count; column++)
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
static void clean_up(weft_world* world, bool merged) {
    for (uint32_t i = 0; i < world->wanted_sets.count; i++)
        world->sets.items[world->wanted_sets.items[i]].archetype = WEFT__NONE;
    for (uint32_t i = 0; i < world->shards.count; i++) {
        weft__shard* shard = world->shards.items[i];
        if (!shard->touched)
            continue;
        WEFT_CHECK(!merged || weft__shard_fault(world, i) == NULL);
        shard->touched = shard->sparse = false;
        shard->edit_begin = shard->edit_end = 0;
        shard->newborn_first = shard->birth_first = shard->reference_first = WEFT__NONE;
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
    uint64_t newborn_count = 0;
    WEFT_TRY(register_creates(world));
    WEFT_TRY(route(world));
    WEFT_TRY(fold(world, &newborn_count));
    WEFT_TRY(check_limits(world, newborn_count));
    // From here on only missing memory can fail, and that breaks the world.
    WEFT_TRY(store_sets(world));
    WEFT_TRY(free_slots(world));
    WEFT_TRY(assign_newborns(world));
    WEFT_TRY(assign_chunks(world));
    if (world->creates.count > 0)
        resolve_state(world);
    weft__batch batch = {.count = world->touched.count,
                         .cost_ns = world->records.count * 100u + newborn_count * 10u,
                         .fn = merge_item,
                         .context = world,
                         .shard_of = merge_shard_of};
    runner->run(runner, &batch);
    const weft__failure* failure = weft__world_failure(world);
    return failure == NULL ? WEFT_STATUS_OK : failure->status;
}

weft_status weft__commit(weft_world* world, weft__runner* runner) {
    WEFT_ASSERT(world != NULL && runner != NULL);
    world->commit_number++;
    world->touched.count = world->edits.count = world->wanted_sets.count = 0;
    world->births.count = 0;
    world->freed = 0;
    weft_status status = weft__log_gather(world, 0, !world->running);
    bool anything = world->records.count > 0;
    if (status == WEFT_STATUS_OK && anything)
        status = commit_run(world, runner);
    if (anything || status != WEFT_STATUS_OK)
        clean_up(world, status == WEFT_STATUS_OK);
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
