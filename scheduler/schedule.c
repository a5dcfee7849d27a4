// The registry of systems.

#include "system.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "graph.h"
#include "memory_alias.h"

weft_system_desc weft_system_desc_default(void) {
    return (weft_system_desc){.scope = WEFT_SCOPE_CHUNK, .cookie = WEFT_SYSTEM_COOKIE};
}

weft_status weft__schedule_fail(weft_schedule* schedule, weft_status status, const char* format,
                                ...) {
    WEFT_ASSERT(status != WEFT_STATUS_OK);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(schedule->error, sizeof(schedule->error), format, arguments);
    va_end(arguments);
    return status;
}

weft_status weft_schedule_create(weft_world* world, weft_schedule** schedule_out) {
    WEFT_ASSERT(world != NULL && schedule_out != NULL);
    *schedule_out = weft__arena_alloc_zero(&world->arena, sizeof(weft_schedule));
    if (*schedule_out == NULL)
        return WEFT_STATUS_OUT_OF_MEMORY;
    (*schedule_out)->world = world;
    return WEFT_STATUS_OK;
}

void weft_schedule_destroy(weft_schedule* schedule) {
    if (schedule == NULL || schedule->world == NULL) // Lost (loss.c).
        return;
    if (weft__memory_is_foreign(&schedule->world->arena.memory))
        return;
    weft__arena* arena = &schedule->world->arena;
    for (uint32_t i = 0; i < schedule->systems.count; i++) {
        WEFT__VEC_FREE(arena, schedule->systems.items[i].access.terms);
        WEFT__VEC_FREE(arena, schedule->systems.items[i].relations);
    }
    WEFT__VEC_FREE(arena, schedule->systems);
    WEFT__VEC_FREE(arena, schedule->edges);
    WEFT__VEC_FREE(arena, schedule->order);
    weft__arena_free(arena, schedule, sizeof(*schedule));
}

static weft_status relations_add(weft_schedule* schedule, weft__system* system,
                                 const char* const* names, bool before) {
    weft__arena* arena = &schedule->world->arena;
    for (uint32_t i = 0; names != NULL && names[i] != NULL; i++) {
        if (strlen(names[i]) >= WEFT__SYSTEM_NAME || names[i][0] == '\0')
            return weft__schedule_fail(schedule, WEFT_STATUS_BAD_ARGUMENT,
                                       "system \"%s\": \"%.80s\" is not a system's name",
                                       system->name, names[i]);
        WEFT_TRY(WEFT__VEC_RESERVE(arena, system->relations, 1));
        weft__relation* relation = &system->relations.items[system->relations.count++];
        relation->before = before;
        (void)snprintf(relation->name, sizeof(relation->name), "%s", names[i]);
    }
    return WEFT_STATUS_OK;
}

// Own rows exist in chunk scope only; resources have one writer at a time, so it has world scope.
static weft_status check_scope(weft_schedule* schedule, const weft__system* system) {
    for (uint32_t i = 0; i < system->access.terms.count; i++) {
        const weft__term* term = &system->access.terms.items[i];
        bool own = term->mode <= WEFT_ACCESS_WITHOUT || term->mode == WEFT_ACCESS_REDUCE;
        if (own && system->scope == WEFT_SCOPE_WORLD)
            return weft__schedule_fail(schedule, WEFT_STATUS_BAD_ACCESS,
                                       "system \"%s\" has world scope and no own rows, but "
                                       "declares own-row access to %s; use READ_ANY or chunk scope",
                                       system->name, term->type->name);
        if (term->mode == WEFT_ACCESS_RESOURCE_WRITE && system->scope == WEFT_SCOPE_CHUNK)
            return weft__schedule_fail(schedule, WEFT_STATUS_BAD_ACCESS,
                                       "system \"%s\" writes resource %s once per chunk, in no "
                                       "order; use world scope, a reduction or a channel",
                                       system->name, term->type->name);
    }
    return WEFT_STATUS_OK;
}

static weft_status check_desc(weft_schedule* schedule, const weft_system_desc* desc) {
    if (schedule->built)
        return weft__schedule_fail(schedule, WEFT_STATUS_WRONG_PHASE,
                                   "systems are added before the schedule is built");
    if (desc == NULL || desc->cookie != WEFT_SYSTEM_COOKIE)
        return weft__schedule_fail(schedule, WEFT_STATUS_BAD_ARGUMENT,
                                   "the system description did not start from "
                                   "weft_system_desc_default() or WEFT_SYSTEM()");
    if (desc->name == NULL || desc->name[0] == '\0' || strlen(desc->name) >= WEFT__SYSTEM_NAME)
        return weft__schedule_fail(schedule, WEFT_STATUS_BAD_ARGUMENT,
                                   "system %u: the name must have 1 to %u characters",
                                   schedule->systems.count, WEFT__SYSTEM_NAME - 1);
    if (desc->run == NULL || desc->scope > WEFT_SCOPE_WORLD)
        return weft__schedule_fail(schedule, WEFT_STATUS_BAD_ARGUMENT,
                                   "system \"%s\" has no function or no valid scope", desc->name);
    uint64_t hash = weft_hash64_of_name(desc->name);
    for (uint32_t i = 0; i < schedule->systems.count; i++) {
        const weft__system* other = &schedule->systems.items[i];
        // Draws are keyed by 32 bits folded from the hash: two systems must not share them.
        if ((uint32_t)(other->hash ^ other->hash >> 32) != (uint32_t)(hash ^ hash >> 32))
            continue;
        if (strcmp(other->name, desc->name) == 0)
            return weft__schedule_fail(schedule, WEFT_STATUS_DUPLICATE,
                                       "system \"%s\" is registered already", desc->name);
        return weft__schedule_fail(schedule, WEFT_STATUS_DUPLICATE,
                                   "systems \"%s\" and \"%s\" would share random draws, "
                                   "because their names hash alike; rename one",
                                   other->name, desc->name);
    }
    return WEFT_STATUS_OK;
}

weft_status weft_schedule_add_system(weft_schedule* schedule, const weft_system_desc* desc) {
    WEFT_ASSERT(schedule != NULL);
    WEFT_TRY(check_desc(schedule, desc));
    weft__arena* arena = &schedule->world->arena;
    WEFT_TRY(WEFT__VEC_RESERVE(arena, schedule->systems, 1));
    weft__system system = {.run = desc->run, .context = desc->context, .scope = desc->scope};
    (void)snprintf(system.name, sizeof(system.name), "%s", desc->name);
    system.hash = weft_hash64_of_name(desc->name);
    char reason[256];
    weft_status status = weft__access_compile(schedule->world, desc->access, desc->access_count,
                                              &system.access, reason, sizeof(reason));
    if (status != WEFT_STATUS_OK)
        return weft__schedule_fail(schedule, status, "system \"%s\": %s", desc->name, reason);
    WEFT_TRY(check_scope(schedule, &system));
    WEFT_TRY(relations_add(schedule, &system, desc->before, true));
    WEFT_TRY(relations_add(schedule, &system, desc->after, false));
    schedule->systems.items[schedule->systems.count++] = system;
    return WEFT_STATUS_OK;
}

weft_status weft_schedule_build(weft_schedule* schedule) {
    WEFT_ASSERT(schedule != NULL);
    if (schedule->built)
        return WEFT_STATUS_OK;
    WEFT_TRY(weft__graph_build(schedule));
    schedule->built = true;
    return WEFT_STATUS_OK;
}

const char* weft_schedule_error(const weft_schedule* schedule) {
    WEFT_ASSERT(schedule != NULL);
    return schedule->error;
}

uint32_t weft_schedule_system_count(const weft_schedule* schedule) {
    return schedule->systems.count;
}

const char* weft_schedule_system_name(const weft_schedule* schedule, uint32_t rank) {
    WEFT_ASSERT(schedule->built);
    return weft__schedule_at(schedule, rank)->name;
}

weft_scope weft_schedule_system_scope(const weft_schedule* schedule, uint32_t rank) {
    WEFT_ASSERT(schedule->built);
    return weft__schedule_at(schedule, rank)->scope;
}

uint32_t weft_schedule_access_count(const weft_schedule* schedule, uint32_t rank) {
    WEFT_ASSERT(schedule->built);
    const weft__access* access = &weft__schedule_at(schedule, rank)->access;
    return access->terms.count + access->commands;
}

weft_access weft_schedule_access(const weft_schedule* schedule, uint32_t rank, uint32_t index) {
    WEFT_ASSERT(index < weft_schedule_access_count(schedule, rank));
    const weft__access* access = &weft__schedule_at(schedule, rank)->access;
    if (index == access->terms.count)
        return (weft_access){WEFT_ACCESS_COMMANDS, NULL};
    return (weft_access){access->terms.items[index].mode, access->terms.items[index].type};
}

uint32_t weft_schedule_stage_count(const weft_schedule* schedule) {
    WEFT_ASSERT(schedule->built);
    return schedule->stage_count;
}

uint32_t weft_schedule_system_stage(const weft_schedule* schedule, uint32_t rank) {
    WEFT_ASSERT(schedule->built);
    return weft__schedule_at(schedule, rank)->stage;
}

uint32_t weft_schedule_edge_count(const weft_schedule* schedule) {
    WEFT_ASSERT(schedule->built);
    return schedule->edges.count;
}

weft_edge weft_schedule_edge(const weft_schedule* schedule, uint32_t index) {
    WEFT_ASSERT(schedule->built && index < schedule->edges.count);
    const weft__edge* edge = &schedule->edges.items[index];
    return (weft_edge){.from = schedule->systems.items[edge->from].rank,
                       .to = schedule->systems.items[edge->to].rank,
                       .barrier = edge->barrier,
                       .by_registration = edge->by_registration,
                       .type = edge->type,
                       .reason = edge->reason};
}

uint64_t weft_schedule_hash(const weft_schedule* schedule) {
    uint64_t hash = weft_hash64_of_name("weft schedule 1");
    for (uint32_t i = 0; i < schedule->systems.count; i++) {
        const weft__system* system = &schedule->systems.items[i];
        uint64_t head[3] = {hash, system->hash, (uint64_t)system->scope};
        hash = weft__hash_words(head, 3, system->access.commands);
        for (uint32_t j = 0; j < system->access.terms.count; j++) {
            const weft__term* term = &system->access.terms.items[j];
            uint64_t part[3] = {hash, (uint64_t)term->mode,
                                weft__type_at(schedule->world, term->type_id)->hash};
            hash = weft__hash_words(part, 3, j);
        }
        for (uint32_t j = 0; j < system->relations.count; j++) {
            const weft__relation* relation = &system->relations.items[j];
            uint64_t part[2] = {hash, weft_hash64_of_name(relation->name)};
            hash = weft__hash_words(part, 2, relation->before);
        }
    }
    return hash;
}
