// Creates of many in the commit. A record stands for many entities, and so does a create of the
// commit as long as no other command speaks of one of them: such a run is folded once, gets its
// slots in at most two pieces for each shard, and its values go from the log to their columns.
//
// An entity that other commands speak of becomes a create of its own between two runs, so whatever
// may happen to a newborn is written down once, for single creates.

#include <string.h>

#include "weft_world.h"

static void mark_one(weft_world* world, weft_entity entity, uint64_t* marked) {
    if (!weft__entity_is_provisional(entity))
        return;
    uint64_t place = weft__create_place(world, entity);
    if (place >= world->create_map.count)
        return;
    if (*marked == 0)
        memset(world->create_map.items, 0, world->create_map.count * sizeof(uint32_t));
    *marked += world->create_map.items[place] == 0;
    world->create_map.items[place] = 1;
}

// Marks in the map among the entities of creates of many.
static uint64_t count_marks(const weft_world* world) {
    uint64_t count = 0;
    for (uint32_t i = 0; i < world->records.count; i++) {
        const weft__record* record = world->records.items[i];
        if (record->op != WEFT__OP_CREATE_MANY)
            continue;
        uint32_t members = weft__record_many(record)->count;
        uint64_t place = weft__create_place(world, record->entity);
        WEFT_ASSERT(place <= world->create_map.count && members <= world->create_map.count - place);
        const uint32_t* marks = world->create_map.items + place;
        for (uint32_t j = 0; j < members; j++)
            count += marks[j];
    }
    return count;
}

void weft__bulk_mark(weft_world* world, uint64_t* marked) {
    *marked = 0;
    for (uint32_t i = 0; i < world->records.count; i++) {
        const weft__record* record = world->records.items[i];
        if (weft__op_creates(record->op))
            continue;
        if (record->op != WEFT__OP_DESTROY_MANY) {
            mark_one(world, record->entity, marked);
            continue;
        }
        const weft_entity* handles = weft__record_handles(record);
        for (uint32_t j = 0; j < weft__record_many(record)->count; j++)
            mark_one(world, handles[j], marked);
    }
    if (*marked > 0)
        *marked = count_marks(world);
}

static void register_run(weft_world* world, const weft__record* record, uint64_t place,
                         uint32_t index, uint32_t count) {
    WEFT_ASSERT(count > 0 && world->creates.count < world->creates.capacity);
    uint32_t at = world->creates.count++;
    uint64_t number =
        (uint64_t)(record->entity.slot - WEFT__PROVISIONAL_SLOT) << 32 | record->entity.generation;
    world->creates.items[at] = (weft__create){.number = number + index,
                                              .record = record,
                                              .count = count,
                                              .index = index,
                                              .chain = WEFT__NONE,
                                              .chain_end = WEFT__NONE,
                                              .next = WEFT__NONE};
    for (uint32_t i = 0; i < count; i++)
        world->create_map.items[place + index + i] = at;
}

void weft__bulk_register(weft_world* world, const weft__record* record, bool marked) {
    WEFT_ASSERT(record->op == WEFT__OP_CREATE_MANY);
    uint64_t place = weft__create_place(world, record->entity);
    uint32_t count = weft__record_many(record)->count;
    WEFT_ASSERT(place + count <= world->create_map.count);
    const uint32_t* marks = world->create_map.items + place;
    uint32_t first = 0;
    for (uint32_t i = 0; i < count && marked; i++) {
        if (marks[i] == 0)
            continue;
        if (i > first)
            register_run(world, record, place, first, i - first);
        register_run(world, record, place, i, 1);
        first = i + 1;
    }
    if (count > first)
        register_run(world, record, place, first, count - first);
}

// Files members of a run under their shard.
static weft_status assign_birth(weft_world* world, uint32_t number, weft__birth birth) {
    weft__shard* shard = world->shards.items[number];
    const weft__create* create = &world->creates.items[birth.create];
    WEFT_ASSERT(birth.count > 0 && birth.member + birth.count <= create->count);
    WEFT_TRY(weft__commit_chunk(world, number, create->set, &birth.target));
    birth.next = shard->birth_first;
    shard->birth_first = world->births.count;
    shard->touched = true;
    shard->sparse |= create->sparse;
    if (birth.member < create->popped) // The others go to their columns straight from the log.
        shard->carry += (size_t)birth.count * weft__chunk_table(world, birth.target)->pack_size;
    return WEFT__VEC_PUSH(&world->arena, world->births, birth);
}

// Freed slots first, from the top of the list. They are read again while rows are merged and
// handles are resolved: what was popped stays in place until the next commit frees slots.
static weft_status assign_popped(weft_world* world, uint32_t create) {
    const weft__create* run = &world->creates.items[create];
    const weft_entity* top = world->free_slots.items + run->top;
    WEFT_ASSERT(run->popped <= world->free_slots.count && run->top == world->free_slots.count);
    world->free_slots.count -= run->popped;
    for (uint32_t member = 0; member < run->popped;) {
        uint32_t number = top[-1 - (int64_t)member].slot / WEFT_SHARD_SLOTS;
        uint32_t end = member + 1;
        while (end < run->popped && top[-1 - (int64_t)end].slot / WEFT_SHARD_SLOTS == number)
            end++;
        WEFT_TRY(
            assign_birth(world, number,
                         (weft__birth){.create = create, .member = member, .count = end - member}));
        member = end;
    }
    return WEFT_STATUS_OK;
}

weft_status weft__bulk_assign(weft_world* world, uint32_t create) {
    weft__create* run = &world->creates.items[create];
    WEFT_ASSERT(run->count > 1 && run->chain == WEFT__NONE && !run->cancelled);
    run->top = world->free_slots.count;
    run->popped = run->count < run->top ? run->count : run->top;
    run->real = (weft_entity){world->slot_count, 1};
    WEFT_TRY(assign_popped(world, create));
    for (uint32_t member = run->popped; member < run->count;) {
        uint32_t number = world->slot_count / WEFT_SHARD_SLOTS;
        uint32_t room = WEFT_SHARD_SLOTS - world->slot_count % WEFT_SHARD_SLOTS;
        uint32_t count = run->count - member < room ? run->count - member : room;
        WEFT_TRY(weft__shard_ensure(world, number));
        WEFT_TRY(assign_birth(world, number,
                              (weft__birth){.create = create, .member = member, .count = count}));
        world->slot_count += count;
        member += count;
    }
    WEFT_ASSERT(world->slot_count <= world->desc.slot_limit);
    world->allocator_dirty = true;
    world->live_count += run->count;
    world->stats.created += run->count;
    return WEFT_STATUS_OK;
}
