// What the API shows of a world, against the model.

#include "replay.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool differs(char* problem, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(problem, PROBLEM_SIZE, format, arguments);
    va_end(arguments);
    return false;
}

static bool compare_value(const replay* r, weft_entity entity, uint32_t type, const uint8_t* found,
                          char* problem) {
    const uint8_t* expected = model_read(&r->m, entity, type);
    const char* name = program_weft_type(type)->name;
    if ((expected == NULL) != (found == NULL))
        return differs(problem, "entity %u:%u %s %s", entity.slot, entity.generation,
                       found == NULL ? "lacks" : "has", name);
    if (expected == NULL || memcmp(expected, found, program_types[type].size) == 0)
        return true;
    char text[2 * MODEL_VALUE_MAX * 2 + 16];
    int at = 0;
    for (uint32_t i = 0; i < program_types[type].size; i++)
        at += snprintf(text + at, sizeof(text) - (size_t)at, "%02X", found[i]);
    at += snprintf(text + at, sizeof(text) - (size_t)at, ", expected ");
    for (uint32_t i = 0; i < program_types[type].size; i++)
        at += snprintf(text + at, sizeof(text) - (size_t)at, "%02X", expected[i]);
    return differs(problem, "entity %u:%u %s is %s", entity.slot, entity.generation, name, text);
}

static bool compare_entity(const replay* r, weft_entity entity, char* problem) {
    if (!weft_world_is_alive(r->world, entity))
        return differs(problem, "entity %u:%u is dead", entity.slot, entity.generation);
    for (uint32_t type = 0; type < TYPE_COUNT; type++)
        if (!compare_value(r, entity, type,
                           weft_world_read(r->world, entity, program_weft_type(type)), problem))
            return false;
    return true;
}

static bool compare_dead(const replay* r, char* problem) {
    uint32_t count = r->stale_count < STALE_MAX ? r->stale_count : STALE_MAX;
    for (uint32_t i = 0; i < count; i++) {
        weft_entity entity = r->stale[i];
        bool expected = model_alive(&r->m, entity);
        if (weft_world_is_alive(r->world, entity) != expected ||
            (!expected && weft_world_read(r->world, entity, WEFT_TYPE(Age)) != NULL))
            return differs(problem, "handle %u:%u is %s", entity.slot, entity.generation,
                           expected ? "dead" : "alive");
    }
    return true;
}

// What the host's provisional handles have become.
static bool compare_newborns(const replay* r, char* problem) {
    for (uint32_t i = 0; i < r->host_names.count; i++) {
        weft_entity found = weft_world_resolve(r->world, r->host_names.entities[i]);
        weft_entity expected = model_resolve(&r->m, MODEL_NEW(r->host_names.numbers[i]));
        if (!weft_entity_equal(found, expected))
            return differs(problem, "newborn %u is %u:%u, expected %u:%u", r->host_names.numbers[i],
                           found.slot, found.generation, expected.slot, expected.generation);
    }
    return true;
}

static bool compare_counts(const replay* r, char* problem) {
    weft_world_stats stats = weft_world_stats_read(r->world);
    const struct {
        const char* name;
        uint64_t found;
        uint64_t expected;
    } counts[] = {
        {"living", weft_world_entity_count(r->world), r->m.alive_count},
        {"created", stats.created, r->m.created},
        {"destroyed", stats.destroyed, r->m.destroyed},
        {"moved", stats.moved, r->m.moved},
        {"dropped", stats.commands_dropped, r->m.dropped},
        {"archetypes", stats.archetypes, r->m.archetype_count - 1},
    };
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
        if (counts[i].found != counts[i].expected)
            return differs(problem, "%s: %" PRIu64 ", expected %" PRIu64, counts[i].name,
                           counts[i].found, counts[i].expected);
    return true;
}

typedef struct query {
    uint32_t term_count;
    weft_access terms[4];
    uint32_t value_type; // A term whose column is compared; TYPE_COUNT: none.
} query;

static const query queries[] = {
    {0, {{0}}, TYPE_COUNT},
    {1, {WEFT_READS(Age)}, TYPE_AGE},
    {2, {WEFT_READS(Wide), WEFT_WITHOUT(Age)}, TYPE_WIDE},
    {2, {WEFT_READS_OPTIONAL(Friend), WEFT_WITHOUT(Mark)}, TYPE_FRIEND},
    {2, {WEFT_WITH(Mark), WEFT_READS(Echo)}, TYPE_ECHO},
    {1, {WEFT_READS(Wound)}, TYPE_WOUND},
    {3, {WEFT_READS(Age), WEFT_WITHOUT(Seen), WEFT_READS_OPTIONAL(Echo)}, TYPE_ECHO},
    {2, {WEFT_WITH(Seen), WEFT_READS(Debt)}, TYPE_DEBT},
    {1, {WEFT_WITHOUT(Wide)}, TYPE_COUNT},
};

// The sets of a query, from its terms.
static void query_sets(const query* q, uint32_t* with, uint32_t* without) {
    *with = *without = 0;
    for (uint32_t i = 0; i < q->term_count; i++)
        for (uint32_t type = 0; type < TYPE_COUNT; type++) {
            if (q->terms[i].type != program_weft_type(type))
                continue;
            if (q->terms[i].mode == WEFT_ACCESS_WITHOUT)
                *without |= 1u << type;
            else if (q->terms[i].mode != WEFT_ACCESS_READ_OPTIONAL)
                *with |= 1u << type;
        }
}

static bool compare_visit(replay* r, uint32_t number, char* problem) {
    const query* q = &queries[number];
    uint32_t with;
    uint32_t without;
    query_sets(q, &with, &without);
    uint32_t expected = model_visit(&r->m, q->term_count > 0, with, without, r->items);
    uint32_t at = 0;
    weft_cursor cursor = weft_world_visit(r->world, q->terms, q->term_count);
    while (weft_cursor_next(&cursor)) {
        const uint8_t* column = NULL;
        if (q->value_type != TYPE_COUNT)
            column = weft_cursor_column(&cursor, program_weft_type(q->value_type));
        for (uint32_t i = 0; i < cursor.row_count; i++, at++) {
            weft_entity entity = cursor.entities[i];
            if (at >= expected || !weft_entity_equal(entity, r->items[at].entity))
                return differs(problem, "query %u, visit %u of %u is %u:%u, expected %u:%u", number,
                               at, expected, entity.slot, entity.generation,
                               at < expected ? r->items[at].entity.slot : 0,
                               at < expected ? r->items[at].entity.generation : 0);
            if (q->term_count > 0 && cursor.archetype != r->items[at].archetype)
                return differs(problem, "query %u, visit %u: archetype %u, expected %u", number, at,
                               cursor.archetype, r->items[at].archetype);
            if (q->value_type != TYPE_COUNT &&
                !compare_value(
                    r, entity, q->value_type,
                    column == NULL ? NULL : column + (size_t)i * program_types[q->value_type].size,
                    problem))
                return false;
        }
    }
    if (at != expected)
        return differs(problem, "query %u visits %u entities, expected %u", number, at, expected);
    return true;
}

bool replay_compare(replay* r, char* problem) {
    if (r->item_capacity < r->m.alive_count + 1) {
        r->item_capacity = (uint32_t)r->m.alive_count * 2 + 64;
        r->items = realloc(r->items, r->item_capacity * sizeof(r->items[0]));
        if (r->items == NULL)
            abort();
    }
    if (!compare_counts(r, problem) || !compare_newborns(r, problem) || !compare_dead(r, problem))
        return false;
    uint32_t living = model_visit(&r->m, false, 0, 0, r->items);
    for (uint32_t i = 0; i < living; i++)
        if (!compare_entity(r, r->items[i].entity, problem))
            return false;
    for (uint32_t i = 0; i < sizeof(queries) / sizeof(queries[0]); i++)
        if (!compare_visit(r, i, problem))
            return false;
    return true;
}
