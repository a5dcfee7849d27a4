// Stages, programs and task lists.

#include "plan.h"

#include <stdio.h>
#include <string.h>

static weft_world* plan_world(const weft__plan* plan) {
    return plan->schedule->world;
}

// The first stage that comes after all systems with this access to this type; `found` tells whether
// there is any.
static uint32_t stage_after(const weft__plan* plan, weft_access_mode mode, uint32_t type_id,
                            const uint32_t* stage_of, bool* found) {
    uint32_t stage = 0;
    *found = false;
    for (uint32_t rank = 0; rank < plan->schedule->order.count; rank++) {
        const weft__system* system = weft__schedule_at(plan->schedule, rank);
        for (uint32_t i = 0; i < system->access.terms.count; i++) {
            const weft__term* term = &system->access.terms.items[i];
            if (term->mode != mode || term->type_id != type_id)
                continue;
            *found = true;
            stage = stage_of[rank] + 1 > stage ? stage_of[rank] + 1 : stage;
        }
    }
    WEFT_ASSERT(stage <= plan->stage_count);
    return stage;
}

// Numbers the writers of a reduction by rank, and lists them.
static weft_status number_producers(weft__plan* plan, uint32_t reduction) {
    weft_world* world = plan_world(plan);
    weft__reduction* target = &world->reductions.items[reduction];
    target->producer_count = 0;
    for (uint32_t rank = 0; rank < plan->schedule->order.count; rank++) {
        weft__system* system = weft__schedule_at(plan->schedule, rank);
        for (uint32_t i = 0; i < system->access.terms.count; i++) {
            weft__term* term = &system->access.terms.items[i];
            if (term->mode != WEFT_ACCESS_REDUCE || term->type_id != target->type)
                continue;
            term->producer = target->producer_count++;
            WEFT_TRY(WEFT__VEC_PUSH(&world->arena, plan->producers, &system->access));
        }
    }
    return WEFT_STATUS_OK;
}

static weft_status place_finishes(weft__plan* plan, const uint32_t* stage_of) {
    weft_world* world = plan_world(plan);
    bool found;
    for (uint32_t i = 0; i < world->channels.count; i++) {
        if (world->channels.items[i].delivery != WEFT_DELIVERY_TICK)
            continue;
        uint32_t stage =
            stage_after(plan, WEFT_ACCESS_EMIT, world->channels.items[i].type, stage_of, &found);
        if (found)
            WEFT_TRY(WEFT__VEC_PUSH(&world->arena, plan->stages.items[stage].channels, i));
    }
    for (uint32_t i = 0; i < world->reductions.count; i++) {
        WEFT_TRY(WEFT__VEC_PUSH(&world->arena, plan->producer_begin, plan->producers.count));
        uint32_t stage = stage_after(plan, WEFT_ACCESS_REDUCE, world->reductions.items[i].type,
                                     stage_of, &found);
        if (!found)
            continue;
        WEFT_TRY(number_producers(plan, i));
        WEFT_TRY(WEFT__VEC_PUSH(&world->arena, plan->stages.items[stage].reductions, i));
    }
    return WEFT_STATUS_OK;
}

static weft_status place_systems(weft__plan* plan, uint32_t* stage_of, bool fused) {
    weft_world* world = plan_world(plan);
    for (uint32_t rank = 0; rank < plan->schedule->order.count; rank++) {
        weft__system* system = weft__schedule_at(plan->schedule, rank);
        stage_of[rank] = fused ? system->stage : rank;
        WEFT_ASSERT(stage_of[rank] < plan->stage_count);
        weft__stage* stage = &plan->stages.items[stage_of[rank]];
        bool chunk_scope = system->scope == WEFT_SCOPE_CHUNK;
        if (chunk_scope)
            WEFT_TRY(WEFT__VEC_PUSH(&world->arena, stage->chunk_systems, rank));
        else
            WEFT_TRY(WEFT__VEC_PUSH(&world->arena, stage->world_systems, rank));
        if (system->access.commands)
            system->command_number = chunk_scope ? plan->chunk_creators++ : plan->world_creators++;
    }
    return WEFT_STATUS_OK;
}

weft_status weft__plan_init(weft__plan* plan, weft_schedule* schedule, bool fused) {
    WEFT_ASSERT(plan != NULL && schedule->built);
    memset(plan, 0, sizeof(*plan));
    plan->schedule = schedule;
    plan->storage_epoch = schedule->world->storage_epoch;
    plan->stage_count = fused ? schedule->stage_count : schedule->systems.count;
    weft_world* world = schedule->world;
    WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, plan->stages, plan->stage_count + 1));
    plan->stages.count = plan->stage_count + 1;
    memset(plan->stages.items, 0, plan->stages.count * sizeof(weft__stage));
    size_t bytes = ((size_t)schedule->systems.count + 1) * sizeof(uint32_t);
    uint32_t* stage_of = weft__arena_alloc(&world->arena, bytes);
    if (stage_of == NULL)
        return WEFT_STATUS_OUT_OF_MEMORY;
    weft_status status = place_systems(plan, stage_of, fused);
    if (status == WEFT_STATUS_OK)
        status = place_finishes(plan, stage_of);
    weft__arena_free(&world->arena, stage_of, bytes);
    return status;
}

// The stage of a system of chunk scope, or null.
static weft__stage* stage_of_system(weft__plan* plan, const char* name) {
    for (uint32_t i = 0; i < plan->stage_count; i++) {
        weft__stage* stage = &plan->stages.items[i];
        for (uint32_t j = 0; j < stage->chunk_systems.count; j++)
            if (strcmp(weft__schedule_at(plan->schedule, stage->chunk_systems.items[j])->name,
                       name) == 0)
                return stage;
    }
    return NULL;
}

weft_status weft__plan_order(weft__plan* plan, const weft_executor_desc* desc) {
    WEFT_ASSERT(plan != NULL && (desc->sweeps != NULL || desc->sweep_count == 0));
    for (uint32_t i = 0; i < plan->stage_count; i++)
        plan->stages.items[i].order = desc->sweep;
    for (uint32_t i = 0; i < desc->sweep_count; i++) {
        const weft_system_sweep* wanted = &desc->sweeps[i];
        weft__stage* stage = stage_of_system(plan, wanted->system);
        if (stage == NULL)
            return weft__world_fail(plan_world(plan), WEFT_STATUS_UNKNOWN_SYSTEM,
                                    "the order of a stage is asked for by system \"%.63s\", which "
                                    "is no registered system of chunk scope",
                                    wanted->system);
        if (wanted->sweep > WEFT_SWEEP_SYSTEM_MAJOR)
            return WEFT_STATUS_BAD_ARGUMENT;
        for (uint32_t j = 0; j < i; j++)
            if (desc->sweeps[j].sweep != wanted->sweep &&
                stage_of_system(plan, desc->sweeps[j].system) == stage)
                return weft__world_fail(plan_world(plan), WEFT_STATUS_BAD_ARGUMENT,
                                        "systems \"%.63s\" and \"%.63s\" are in one stage, and "
                                        "ask for different orders of it",
                                        desc->sweeps[j].system, wanted->system);
        stage->order = wanted->sweep;
    }
    return WEFT_STATUS_OK;
}

void weft__plan_deinit(weft__plan* plan) {
    WEFT_ASSERT(plan != NULL);
    weft__arena* arena = &plan_world(plan)->arena;
    for (uint32_t i = 0; i < plan->stages.count; i++) {
        weft__stage* stage = &plan->stages.items[i];
        WEFT__VEC_FREE(arena, stage->chunk_systems);
        WEFT__VEC_FREE(arena, stage->world_systems);
        WEFT__VEC_FREE(arena, stage->channels);
        WEFT__VEC_FREE(arena, stage->reductions);
        WEFT__VEC_FREE(arena, stage->programs);
        WEFT__VEC_FREE(arena, stage->entries);
        WEFT__VEC_FREE(arena, stage->columns);
        WEFT__VEC_FREE(arena, stage->tasks);
    }
    WEFT__VEC_FREE(arena, plan->stages);
    WEFT__VEC_FREE(arena, plan->producers);
    WEFT__VEC_FREE(arena, plan->producer_begin);
    WEFT__VEC_FREE(arena, plan->last_writers);
}

static bool writes_own(const weft__term* term) {
    return (term->mode == WEFT_ACCESS_WRITE || term->mode == WEFT_ACCESS_WRITE_OPTIONAL) &&
           !term->sparse;
}

// Who writes each column of an archetype last. Writers of a column are in conflict where they meet,
// so they run by rank.
static weft_status find_last_writers(weft__plan* plan, const weft__archetype* archetype) {
    weft_world* world = plan_world(plan);
    plan->last_writers.count = 0;
    WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, plan->last_writers, archetype->column_count));
    for (uint32_t i = 0; i < archetype->column_count; i++)
        plan->last_writers.items[i] = WEFT__NONE;
    for (uint32_t rank = 0; rank < plan->schedule->order.count; rank++) {
        const weft__system* system = weft__schedule_at(plan->schedule, rank);
        const weft__access* access = &system->access;
        if (system->scope != WEFT_SCOPE_CHUNK || !weft__access_matches(access, archetype))
            continue;
        for (uint32_t i = 0; i < access->terms.count; i++) {
            if (!writes_own(&access->terms.items[i]))
                continue;
            uint32_t column = weft__archetype_column(archetype, access->terms.items[i].type_id);
            if (column != WEFT__NONE)
                plan->last_writers.items[column] = rank;
        }
    }
    return WEFT_STATUS_OK;
}

// Appends the columns that are as they will be hashed once this entry's system has run. Those with
// handles are not: the commit makes provisional ones real.
static void add_finals(const weft__plan* plan, weft__stage* stage, weft__entry* entry,
                       const weft__access* access) {
    entry->finals = stage->columns.count;
    for (uint32_t i = 0; i < access->terms.count; i++) {
        uint32_t column = stage->columns.items[entry->columns + i];
        if (!writes_own(&access->terms.items[i]) || column == WEFT__NONE ||
            plan->last_writers.items[column] != entry->rank ||
            weft__type_at(plan_world(plan), access->terms.items[i].type_id)->has_entities)
            continue;
        WEFT_ASSERT(stage->columns.count < stage->columns.capacity);
        stage->columns.items[stage->columns.count++] = column;
        entry->final_count++;
    }
}

// Appends the program of one archetype.
static weft_status add_program(weft__plan* plan, weft__stage* stage, uint32_t archetype_id) {
    weft_world* world = plan_world(plan);
    const weft__archetype* archetype = &world->archetypes.items[archetype_id];
    weft__program program = {stage->entries.count, 0};
    WEFT_ASSERT(stage->programs.count == archetype_id);
    for (uint32_t i = 0; i < stage->chunk_systems.count; i++) {
        uint32_t rank = stage->chunk_systems.items[i];
        const weft__access* access = &weft__schedule_at(plan->schedule, rank)->access;
        if (!weft__access_matches(access, archetype))
            continue;
        WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, stage->entries, 1));
        WEFT_TRY(
            WEFT__VEC_RESERVE(&world->arena, stage->columns, 2 * (size_t)access->terms.count + 1));
        weft__entry* entry = &stage->entries.items[stage->entries.count++];
        *entry = (weft__entry){.rank = rank,
                               .columns = stage->columns.count,
                               .system = weft__schedule_at(plan->schedule, rank)};
        weft__access_columns(access, archetype, stage->columns.items + stage->columns.count);
        stage->columns.count += access->terms.count;
        add_finals(plan, stage, entry, access);
        program.count++;
    }
    WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, stage->programs, 1));
    stage->programs.items[stage->programs.count++] = program;
    stage->joint = stage->joint || program.count > 1;
    return WEFT_STATUS_OK;
}

const weft__entry* weft__stage_entry(const weft__stage* stage, uint32_t archetype, uint32_t rank) {
    WEFT_CHECK(archetype < stage->programs.count);
    const weft__program* program = &stage->programs.items[archetype];
    const weft__entry* entries = stage->entries.items + program->begin;
    for (uint32_t i = 0; i < program->count && entries[i].rank <= rank; i++)
        if (entries[i].rank == rank)
            return &entries[i];
    return NULL;
}

static weft_status list_tasks(weft__plan* plan, weft__stage* stage) {
    weft_world* world = plan_world(plan);
    stage->tasks.count = 0;
    WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, stage->tasks, world->chunks.count));
    for (uint32_t i = 0; i < world->shards.count && stage->entries.count > 0; i++) {
        const weft__shard* shard = world->shards.items[i];
        for (uint32_t j = 0; j < shard->chunks.count; j++)
            if (stage->programs.items[shard->chunks.items[j]->archetype].count > 0)
                stage->tasks.items[stage->tasks.count++] = shard->chunks.items[j];
    }
    return WEFT_STATUS_OK;
}

// Ids name other archetypes now and chunks lie elsewhere. What stages cost stays a good guess.
static void forget_storage(weft__plan* plan) {
    for (uint32_t i = 0; i < plan->stage_count; i++) {
        weft__stage* stage = &plan->stages.items[i];
        stage->programs.count = stage->entries.count = stage->columns.count = 0;
        stage->tasks.count = 0;
        stage->joint = false;
    }
    plan->archetype_count = plan->chunk_count = 0;
    plan->storage_epoch = plan_world(plan)->storage_epoch;
}

weft_status weft__plan_refresh(weft__plan* plan) {
    weft_world* world = plan_world(plan);
    WEFT_ASSERT(!world->running);
    if (plan->storage_epoch != world->storage_epoch)
        forget_storage(plan);
    if (plan->archetype_count == world->archetypes.count &&
        plan->chunk_count == world->chunks.count)
        return WEFT_STATUS_OK;
    WEFT_ASSERT(plan->archetype_count <= world->archetypes.count);
    WEFT_ASSERT(plan->chunk_count <= world->chunks.count);
    for (uint32_t i = plan->archetype_count; i < world->archetypes.count; i++) {
        WEFT_TRY(find_last_writers(plan, &world->archetypes.items[i]));
        for (uint32_t j = 0; j < plan->stage_count; j++)
            WEFT_TRY(add_program(plan, &plan->stages.items[j], i));
    }
    for (uint32_t i = 0; i < plan->stage_count; i++)
        WEFT_TRY(list_tasks(plan, &plan->stages.items[i]));
    plan->archetype_count = world->archetypes.count;
    plan->chunk_count = world->chunks.count;
    for (uint32_t i = 0; i < world->reductions.count; i++)
        WEFT_TRY(weft__reduction_reserve(world, i));
    return WEFT_STATUS_OK;
}

uint32_t weft__plan_units(const weft__plan* plan) {
    uint64_t units = (uint64_t)plan->chunk_creators * plan->chunk_count +
                     (uint64_t)plan->world_creators * WEFT__WORLD_UNITS;
    WEFT_ASSERT(units < UINT32_MAX);
    return (uint32_t)units;
}

uint32_t weft__plan_unit(const weft__plan* plan, const weft__system* system,
                         const weft__chunk* chunk) {
    WEFT_CHECK(system->access.commands);
    WEFT_CHECK(chunk == NULL || chunk->id < plan->chunk_count);
    if (chunk != NULL)
        return system->command_number * plan->chunk_count + chunk->id;
    return plan->chunk_creators * plan->chunk_count + system->command_number * WEFT__WORLD_UNITS;
}

// The partials were sound, so it was the combining that made the value what the state may not hold,
// out of infinities say: a failure of the last writer, after all its chunks.
static void check_reduction(weft__plan* plan, uint32_t index) {
    weft_world* world = plan_world(plan);
    const weft__reduction* reduction = &world->reductions.items[index];
    WEFT_ASSERT(index < plan->producer_begin.count);
    char fault[144];
    char text[192];
    uint32_t at;
    weft_status status = weft__values_check(weft__type_at(world, reduction->type), reduction->value,
                                            1, &at, fault, sizeof(fault));
    if (status == WEFT_STATUS_OK || reduction->producer_count == 0)
        return;
    const weft__access* last =
        plan->producers.items[plan->producer_begin.items[index] + reduction->producer_count - 1];
    uint32_t rank = 0;
    while (&weft__schedule_at(plan->schedule, rank)->access != last)
        rank++;
    (void)snprintf(text, sizeof(text), "%s after the partials were combined", fault);
    weft__lane_fail(&world->lanes[0], status, rank, WEFT__NONE, WEFT__NONE, text);
}

weft_status weft__plan_deliver(weft__plan* plan, uint32_t stage_index, weft__runner* runner) {
    WEFT_CHECK(stage_index <= plan->stage_count);
    const weft__stage* stage = &plan->stages.items[stage_index];
    for (uint32_t i = 0; i < stage->channels.count; i++)
        WEFT_TRY(weft__channel_deliver(plan_world(plan), stage->channels.items[i], runner));
    return WEFT_STATUS_OK;
}

weft_status weft__plan_combine(weft__plan* plan, uint32_t stage_index) {
    WEFT_CHECK(stage_index <= plan->stage_count);
    const weft__stage* stage = &plan->stages.items[stage_index];
    for (uint32_t i = 0; i < stage->reductions.count; i++) {
        uint32_t index = stage->reductions.items[i];
        WEFT_TRY(weft__reduction_finish(plan_world(plan), index,
                                        plan->producers.items + plan->producer_begin.items[index]));
        check_reduction(plan, index);
    }
    return WEFT_STATUS_OK;
}
