// What looks wrong in a schedule although it can be run.

#include <string.h>

#include "conflict.h"
#include "inspection.h"

/// One access entry of one system.
typedef struct use {
    uint32_t rank;
    const weft__term* term;
} use;

/// All access entries by type id, then rank.
typedef struct uses {
    uint32_t type_count; // Ids are 1 to type_count.
    uint32_t* first;     // [type_count + 2]
    use* items;
    size_t count;
} uses;

static bool writes_value(weft_access_mode mode) {
    return mode == WEFT_ACCESS_WRITE || mode == WEFT_ACCESS_WRITE_OPTIONAL ||
           mode == WEFT_ACCESS_RESOURCE_WRITE;
}

static bool is_output(weft_access_mode mode) {
    return writes_value(mode) || mode == WEFT_ACCESS_EMIT || mode == WEFT_ACCESS_REDUCE;
}

/// Reads without writing, so that it can come too early.
static bool only_reads(weft_access_mode mode) {
    return mode == WEFT_ACCESS_READ || mode == WEFT_ACCESS_READ_OPTIONAL ||
           mode == WEFT_ACCESS_READ_ANY || mode == WEFT_ACCESS_RESOURCE_READ ||
           mode == WEFT_ACCESS_REDUCED;
}

static bool takes_value(weft_access_mode mode) {
    return only_reads(mode) || writes_value(mode) || mode == WEFT_ACCESS_CONSUME;
}

static weft_status uses_collect(const weft_inspect* inspect, uses* u) {
    weft_world* world = inspect->schedule->world;
    u->type_count = world->types.count;
    for (uint32_t rank = 0; rank < inspect->count; rank++)
        u->count += weft__schedule_at(inspect->schedule, rank)->access.terms.count;
    u->first =
        weft__arena_alloc_zero(&world->arena, ((size_t)u->type_count + 2) * sizeof(uint32_t));
    u->items = weft__arena_alloc(&world->arena, (u->count + 1) * sizeof(use));
    if (u->first == NULL || u->items == NULL)
        return WEFT_STATUS_OUT_OF_MEMORY;
    // Type 0 has no uses, or those of a WITHOUT of an unknown type: its end is the next one's
    // start.
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t rank = 0; rank < inspect->count; rank++) {
            const weft__access* access = &weft__schedule_at(inspect->schedule, rank)->access;
            for (uint32_t i = 0; i < access->terms.count; i++) {
                const weft__term* term = &access->terms.items[i];
                WEFT_ASSERT(term->type_id <= u->type_count);
                if (pass == 0)
                    u->first[term->type_id + 1]++;
                else
                    u->items[u->first[term->type_id]++] = (use){rank, term};
            }
        }
        for (uint32_t i = 0; i <= u->type_count && pass == 0; i++)
            u->first[i + 1] += u->first[i];
    }
    memmove(u->first + 1, u->first, ((size_t)u->type_count + 1) * sizeof(uint32_t));
    u->first[0] = 0;
    WEFT_ASSERT(u->first[u->type_count + 1] == u->count);
    return WEFT_STATUS_OK;
}

static weft_status finding_add(weft_inspect* inspect, weft_finding_kind kind, uint32_t system,
                               uint32_t other, const weft_type* type) {
    WEFT_ASSERT(system < inspect->count && other < inspect->count);
    weft_finding finding = {kind, system, other, type};
    return WEFT__VEC_PUSH(&inspect->schedule->world->arena, inspect->findings, finding);
}

static weft_status find_double_writers(weft_inspect* inspect, const use* items, uint32_t count) {
    uint32_t last = WEFT__NONE;
    for (uint32_t i = 0; i < count; i++) {
        if (!writes_value(items[i].term->mode))
            continue;
        if (last != WEFT__NONE)
            WEFT_TRY(finding_add(inspect, WEFT_FINDING_DOUBLE_WRITER, last, items[i].rank,
                                 items[i].term->type));
        last = items[i].rank;
    }
    return WEFT_STATUS_OK;
}

/// The first writer in conflict with a reader: before it if there is any such.
static uint32_t first_writer(const weft_inspect* inspect, const use* reader, const use* items,
                             uint32_t count) {
    const weft_world* world = inspect->schedule->world;
    const weft__access* access = &weft__schedule_at(inspect->schedule, reader->rank)->access;
    for (uint32_t i = 0; i < count; i++) {
        const use* writer = &items[i];
        if (writer->rank == reader->rank || !is_output(writer->term->mode))
            continue;
        weft__conflict found = weft__conflict_of_terms(world, reader->term, writer->term);
        const weft__access* other = &weft__schedule_at(inspect->schedule, writer->rank)->access;
        if (found.reason != NULL &&
            (found.barrier || (weft__conflict_excludes(access, other) == NULL &&
                               weft__conflict_excludes(other, access) == NULL)))
            return writer->rank;
    }
    return WEFT__NONE;
}

static weft_status find_early_readers(weft_inspect* inspect, const use* items, uint32_t count) {
    uint32_t last = WEFT__NONE;
    for (uint32_t i = 0; i < count; i++) {
        // READ and READ_ANY of one system are one finding.
        if (!only_reads(items[i].term->mode) || items[i].rank == last)
            continue;
        uint32_t writer = first_writer(inspect, &items[i], items, count);
        if (writer == WEFT__NONE || writer < items[i].rank)
            continue;
        last = items[i].rank;
        WEFT_ASSERT(weft_inspect_is_before(inspect, last, writer));
        WEFT_TRY(finding_add(inspect, WEFT_FINDING_READ_BEFORE_WRITE, last, writer,
                             items[i].term->type));
    }
    return WEFT_STATUS_OK;
}

static bool is_matched(const weft_inspect* inspect, const weft__system* system) {
    const weft_world* world = inspect->schedule->world;
    if (system->scope == WEFT_SCOPE_WORLD)
        return true;
    for (uint32_t i = 0; i < world->archetypes.count; i++)
        if (weft__access_matches(&system->access, &world->archetypes.items[i]))
            return true;
    return false;
}

static bool has_output(const weft__system* system) {
    bool some = system->access.commands;
    for (uint32_t i = 0; i < system->access.terms.count; i++)
        some = some || is_output(system->access.terms.items[i].mode);
    return some;
}

/// True if some other system reads what this one would write, or a table shows it.
static bool is_read(const weft_world* world, const weft__system* system, uint32_t rank,
                    const uses* u) {
    for (uint32_t i = 0; i < system->access.terms.count; i++) {
        const weft__term* term = &system->access.terms.items[i];
        if (!is_output(term->mode))
            continue;
        if (term->mode == WEFT_ACCESS_EMIT &&
            world->channels.items[term->index].delivery == WEFT_DELIVERY_LOG)
            return true;
        for (uint32_t j = u->first[term->type_id]; j < u->first[term->type_id + 1]; j++)
            if (u->items[j].rank != rank && takes_value(u->items[j].term->mode))
                return true;
    }
    return system->access.commands;
}

// Systems that match nothing cannot make entities for others, so one look at those that match tells
// whether anybody ever will.
static weft_status find_dead(weft_inspect* inspect, const uses* u) {
    bool more_may_come = false;
    uint32_t* matched = inspect->scratch[0];
    for (uint32_t rank = 0; rank < inspect->count; rank++) {
        const weft__system* system = weft__schedule_at(inspect->schedule, rank);
        matched[rank] = is_matched(inspect, system);
        more_may_come = more_may_come || (matched[rank] && system->access.commands);
    }
    for (uint32_t rank = 0; rank < inspect->count; rank++) {
        const weft__system* system = weft__schedule_at(inspect->schedule, rank);
        weft_finding_kind kind = WEFT_FINDING_IDLE;
        if (!has_output(system))
            kind = WEFT_FINDING_DEAD_NO_OUTPUT;
        else if (matched[rank])
            continue;
        else if (!more_may_come)
            kind = WEFT_FINDING_DEAD_UNMATCHED;
        else if (!is_read(inspect->schedule->world, system, rank, u))
            kind = WEFT_FINDING_IDLE_UNREAD;
        WEFT_TRY(finding_add(inspect, kind, rank, rank, NULL));
    }
    return WEFT_STATUS_OK;
}

static weft_status find_all(weft_inspect* inspect, const uses* u) {
    for (uint32_t type = 1; type <= u->type_count; type++)
        WEFT_TRY(find_double_writers(inspect, u->items + u->first[type],
                                     u->first[type + 1] - u->first[type]));
    for (uint32_t type = 1; type <= u->type_count; type++)
        WEFT_TRY(find_early_readers(inspect, u->items + u->first[type],
                                    u->first[type + 1] - u->first[type]));
    return find_dead(inspect, u);
}

weft_status weft__inspect_find(weft_inspect* inspect) {
    weft__arena* arena = &inspect->schedule->world->arena;
    uses u = {0};
    weft_status status = uses_collect(inspect, &u);
    if (status == WEFT_STATUS_OK)
        status = find_all(inspect, &u);
    weft__arena_free(arena, u.first, ((size_t)u.type_count + 2) * sizeof(uint32_t));
    weft__arena_free(arena, u.items, (u.count + 1) * sizeof(use));
    return status;
}
