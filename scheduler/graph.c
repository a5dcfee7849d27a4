// The conflict graph (C5).
//
// Two systems conflict when both can reach the same data and one of them writes it. A conflict on
// own rows alone is settled chunk by chunk, so both may share a stage; any other conflict puts a
// barrier between them. Direction: the declared before/after, transitively, else registration
// order. The rank is Kahn's order, smallest registration index first.

#include "graph.h"

#include <stdio.h>
#include <string.h>

#include "conflict.h"
#include "weft_bits.h"

typedef struct graph {
    weft_schedule* schedule;
    uint32_t count;
    uint32_t words;
    uint64_t* reach; // [count][words]: transitive closure of the declared relations.
    WEFT__VEC(weft__edge) declared;
    uint32_t* first;   // [count + 1] edges of each system as `from`, after sorting.
    uint32_t* pending; // [count] predecessors not yet ranked.
    // Who has an entry on a type that can conflict: systems of type t, ascending, in
    // users[users_begin[t]] to users[users_begin[t + 1]].
    uint32_t* users_begin;
    uint32_t* users;
    uint64_t* others; // [words]: systems that have an entry on a type of the one at hand.
} graph;

static bool bit_test(const graph* g, uint32_t from, uint32_t to) {
    WEFT_CHECK(from < g->count && to < g->count);
    return (g->reach[(size_t)from * g->words + to / 64] >> (to % 64) & 1) != 0;
}

// Letters that differ, for near matches of a misspelt name.
static uint32_t name_distance(const char* a, const char* b) {
    uint32_t row[WEFT__SYSTEM_NAME + 1];
    size_t length = strlen(b);
    WEFT_ASSERT(length <= WEFT__SYSTEM_NAME);
    for (uint32_t j = 0; j <= length; j++)
        row[j] = j;
    for (uint32_t i = 0; a[i] != '\0'; i++) {
        uint32_t diagonal = row[0];
        row[0] = i + 1;
        for (uint32_t j = 0; j < length; j++) {
            uint32_t best = diagonal + (a[i] != b[j]);
            diagonal = row[j + 1];
            best = best < row[j] + 1 ? best : row[j] + 1;
            row[j + 1] = best < diagonal + 1 ? best : diagonal + 1;
        }
    }
    return row[length];
}

// The nearest name that may have been meant, or WEFT__NONE.
static uint32_t name_nearest(const graph* g, uint32_t index, const char* name) {
    uint32_t near = WEFT__NONE;
    uint32_t near_distance = 4;
    for (uint32_t i = 0; i < g->count; i++) {
        uint32_t distance = name_distance(name, g->schedule->systems.items[i].name);
        if (distance < near_distance && i != index) {
            near = i;
            near_distance = distance;
        }
    }
    return near;
}

static weft_status relation_resolve(graph* g, uint32_t index, const weft__relation* relation) {
    weft_schedule* schedule = g->schedule;
    uint64_t hash = weft_hash64_of_name(relation->name);
    for (uint32_t i = 0; i < g->count; i++) {
        const weft__system* system = &schedule->systems.items[i];
        if (system->hash != hash || strcmp(relation->name, system->name) != 0)
            continue;
        WEFT_TRY(WEFT__VEC_RESERVE(&schedule->world->arena, g->declared, 1));
        g->declared.items[g->declared.count++] =
            (weft__edge){.from = relation->before ? index : i,
                         .to = relation->before ? i : index,
                         .reason = relation->before ? "declared before" : "declared after"};
        return WEFT_STATUS_OK;
    }
    uint32_t near = name_nearest(g, index, relation->name);
    return weft__schedule_fail(schedule, WEFT_STATUS_UNKNOWN_SYSTEM,
                               "system \"%s\" is declared to run %s \"%s\", which is not "
                               "registered%s%s%s",
                               schedule->systems.items[index].name,
                               relation->before ? "before" : "after", relation->name,
                               near == WEFT__NONE ? "" : "; did you mean \"",
                               near == WEFT__NONE ? "" : schedule->systems.items[near].name,
                               near == WEFT__NONE ? "" : "\"?");
}

static bool edge_before(const weft__edge* a, const weft__edge* b) {
    return a->from != b->from ? a->from < b->from : a->to < b->to;
}

// Sorts edges by (from, to): counting by `to`, then by `from`, both stable. Drops repeats.
static weft_status edges_sort(graph* g, weft__edge* edges, uint32_t* count) {
    weft__arena* arena = &g->schedule->world->arena;
    size_t bytes = (size_t)*count * sizeof(weft__edge);
    weft__edge* scratch = weft__arena_alloc(arena, bytes);
    if (scratch == NULL)
        return WEFT_STATUS_OUT_OF_MEMORY;
    for (int pass = 0; pass < 2; pass++) {
        memset(g->first, 0, (g->count + 1) * sizeof(uint32_t));
        for (uint32_t i = 0; i < *count; i++)
            g->first[(pass == 0 ? edges[i].to : edges[i].from) + 1]++;
        for (uint32_t i = 0; i < g->count; i++)
            g->first[i + 1] += g->first[i];
        for (uint32_t i = 0; i < *count; i++)
            scratch[g->first[pass == 0 ? edges[i].to : edges[i].from]++] = edges[i];
        if (bytes > 0)
            memcpy(edges, scratch, bytes);
    }
    weft__arena_free(arena, scratch, bytes);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < *count; i++)
        if (kept == 0 || edge_before(&edges[kept - 1], &edges[i]))
            edges[kept++] = edges[i];
    *count = kept;
    memset(g->first, 0, (g->count + 1) * sizeof(uint32_t));
    for (uint32_t i = 0; i < kept; i++)
        g->first[edges[i].from + 1]++;
    for (uint32_t i = 0; i < g->count; i++)
        g->first[i + 1] += g->first[i];
    WEFT_ASSERT(g->first[0] == 0 && g->first[g->count] == kept);
    return WEFT_STATUS_OK;
}

// Names one cycle among the unranked systems, an edge a line: from the smallest one backwards along
// its smallest unranked predecessor. What there is no room for is counted.
static weft_status report_cycle(graph* g, const weft__edge* edges, uint32_t edge_count) {
    weft_schedule* schedule = g->schedule;
    weft__arena* arena = &schedule->world->arena;
    uint32_t* backs = weft__arena_alloc(arena, (size_t)g->count * sizeof(uint32_t));
    if (backs == NULL)
        return WEFT_STATUS_OUT_OF_MEMORY;
    // Edges ascend by `from`.
    for (uint32_t i = edge_count; i-- > 0;)
        if (g->pending[edges[i].from] != 0)
            backs[edges[i].to] = i;
    uint32_t at = 0;
    while (g->pending[at] == 0) {
        at++;
        WEFT_ASSERT(at < g->count); // Some system is on a cycle.
    }
    // After `count` steps backwards we are on a cycle; then it is walked once.
    for (uint32_t step = 0; step < g->count; step++)
        at = edges[backs[at]].from;
    uint32_t start = at;
    uint32_t left_out = 0;
    size_t size = sizeof(schedule->error);
    int length = snprintf(schedule->error, size, "the systems' order is a cycle");
    do {
        const weft__edge* back = &edges[backs[at]];
        char line[320];
        (void)snprintf(line, sizeof(line), "\n  \"%s\" before \"%s\": %s%s%.64s%s",
                       schedule->systems.items[back->from].name,
                       schedule->systems.items[back->to].name, back->reason,
                       back->type != NULL ? " " : "", back->type != NULL ? back->type->name : "",
                       back->by_registration ? ", by registration order" : "");
        if (left_out > 0 || (size_t)length + strlen(line) + 32 > size)
            left_out++;
        else
            length += snprintf(schedule->error + length, size - (size_t)length, "%s", line);
        at = back->from;
    } while (at != start);
    if (left_out > 0)
        (void)snprintf(schedule->error + length, size - (size_t)length, "\n  and %u more",
                       left_out);
    weft__arena_free(arena, backs, (size_t)g->count * sizeof(uint32_t));
    return WEFT_STATUS_GRAPH_CYCLE;
}

// Kahn's order, smallest index first. `ready` is a bit set, so the smallest is its first bit.
static weft_status rank(graph* g, const weft__edge* edges, uint32_t edge_count, uint32_t* order) {
    weft__arena* arena = &g->schedule->world->arena;
    uint64_t* ready = weft__arena_alloc_zero(arena, g->words * sizeof(uint64_t));
    if (ready == NULL)
        return WEFT_STATUS_OUT_OF_MEMORY;
    memset(g->pending, 0, g->count * sizeof(uint32_t));
    for (uint32_t i = 0; i < edge_count; i++)
        g->pending[edges[i].to]++;
    for (uint32_t i = 0; i < g->count; i++)
        if (g->pending[i] == 0)
            ready[i / 64] |= (uint64_t)1 << (i % 64);
    uint32_t done = 0;
    for (uint32_t word = 0; word < g->words;) {
        if (ready[word] == 0) {
            word++;
            continue;
        }
        uint32_t next = word * 64 + weft__ctz64(ready[word]);
        ready[word] &= ready[word] - 1;
        order[done++] = next;
        for (uint32_t i = g->first[next]; i < g->first[next + 1]; i++) {
            uint32_t to = edges[i].to;
            if (--g->pending[to] != 0)
                continue;
            ready[to / 64] |= (uint64_t)1 << (to % 64);
            word = to / 64 < word ? to / 64 : word;
        }
    }
    weft__arena_free(arena, ready, g->words * sizeof(uint64_t));
    WEFT_ASSERT(done <= g->count);
    return done == g->count ? WEFT_STATUS_OK : report_cycle(g, edges, edge_count);
}

// Transitive closure of the declared relations, backwards along their own order.
static weft_status close_declared(graph* g, uint32_t* order) {
    WEFT_TRY(edges_sort(g, g->declared.items, &g->declared.count));
    WEFT_TRY(rank(g, g->declared.items, g->declared.count, order));
    for (uint32_t k = g->count; k-- > 0;) {
        uint32_t from = order[k];
        uint64_t* row = g->reach + (size_t)from * g->words;
        for (uint32_t i = g->first[from]; i < g->first[from + 1]; i++) {
            uint32_t to = g->declared.items[i].to;
            row[to / 64] |= (uint64_t)1 << (to % 64);
            for (uint32_t word = 0; word < g->words; word++)
                row[word] |= g->reach[(size_t)to * g->words + word];
        }
    }
    return WEFT_STATUS_OK;
}

static bool may_conflict(const weft__term* term) {
    return term->type_id != 0 && term->mode != WEFT_ACCESS_WITH &&
           term->mode != WEFT_ACCESS_WITHOUT;
}

static void list_users(graph* g) {
    weft_schedule* schedule = g->schedule;
    uint32_t types = schedule->world->types.count;
    // Counted two places on, and filled one place on: the begins end where they belong.
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < g->count; i++) {
            const weft__access* access = &schedule->systems.items[i].access;
            for (uint32_t j = 0; j < access->terms.count; j++) {
                const weft__term* term = &access->terms.items[j];
                if (!may_conflict(term))
                    continue;
                WEFT_ASSERT(term->type_id <= types);
                if (pass == 0)
                    g->users_begin[term->type_id + 2]++;
                else
                    g->users[g->users_begin[term->type_id + 1]++] = i;
            }
        }
        for (uint32_t i = 0; i <= types && pass == 0; i++)
            g->users_begin[i + 2] += g->users_begin[i + 1];
    }
}

// Marks the systems after this one that have an entry on one of its types.
static void mark_others(graph* g, uint32_t index) {
    memset(g->others, 0, g->words * sizeof(uint64_t));
    const weft__access* access = &g->schedule->systems.items[index].access;
    for (uint32_t i = 0; i < access->terms.count; i++) {
        const weft__term* term = &access->terms.items[i];
        if (!may_conflict(term))
            continue;
        for (uint32_t j = g->users_begin[term->type_id + 1]; j-- > g->users_begin[term->type_id];) {
            uint32_t user = g->users[j];
            if (user <= index)
                break;
            g->others[user / 64] |= (uint64_t)1 << (user % 64);
        }
    }
}

static weft_status add_conflict(graph* g, uint32_t i, uint32_t j) {
    WEFT_ASSERT(i < j && j < g->count);
    weft_schedule* schedule = g->schedule;
    weft__conflict found = weft__conflict_of(schedule->world, &schedule->systems.items[i],
                                             &schedule->systems.items[j]);
    if (found.reason == NULL)
        return WEFT_STATUS_OK;
    bool back = bit_test(g, j, i);
    WEFT_TRY(WEFT__VEC_RESERVE(&schedule->world->arena, schedule->edges, 1));
    schedule->edges.items[schedule->edges.count++] =
        (weft__edge){.from = back ? j : i,
                     .to = back ? i : j,
                     .barrier = found.barrier,
                     .by_registration = !back && !bit_test(g, i, j),
                     .type = found.type,
                     .reason = found.reason};
    return WEFT_STATUS_OK;
}

static weft_status collect_edges(graph* g) {
    weft_schedule* schedule = g->schedule;
    list_users(g);
    for (uint32_t i = 0; i < g->count; i++) {
        mark_others(g, i);
        for (uint32_t word = i / 64; word < g->words; word++)
            for (uint64_t bits = g->others[word]; bits != 0; bits &= bits - 1)
                WEFT_TRY(add_conflict(g, i, word * 64 + weft__ctz64(bits)));
    }
    // Declared relations without a conflict: a barrier only where a world-scope system is involved.
    WEFT_TRY(WEFT__VEC_RESERVE(&schedule->world->arena, schedule->edges, g->declared.count));
    for (uint32_t i = 0; i < g->declared.count; i++) {
        weft__edge edge = g->declared.items[i];
        edge.barrier = schedule->systems.items[edge.from].scope == WEFT_SCOPE_WORLD ||
                       schedule->systems.items[edge.to].scope == WEFT_SCOPE_WORLD;
        schedule->edges.items[schedule->edges.count++] = edge;
    }
    return edges_sort(g, schedule->edges.items, &schedule->edges.count);
}

// What is finished inside a tick must be finished before its readers: all senders of a same-tick
// channel before all consumers, and no reader of a reduction between two of its writers.
static weft_status check_direction(weft_schedule* schedule) {
    for (uint32_t i = 0; i < schedule->edges.count; i++) {
        const weft__edge* edge = &schedule->edges.items[i];
        const weft__system* from = &schedule->systems.items[edge->from];
        const weft__system* to = &schedule->systems.items[edge->to];
        for (uint32_t j = 0; j < from->access.terms.count; j++) {
            const weft__term* term = &from->access.terms.items[j];
            if (term->mode != WEFT_ACCESS_CONSUME ||
                schedule->world->channels.items[term->index].delivery != WEFT_DELIVERY_TICK)
                continue;
            for (uint32_t k = 0; k < to->access.terms.count; k++)
                if (to->access.terms.items[k].mode == WEFT_ACCESS_EMIT &&
                    to->access.terms.items[k].type_id == term->type_id)
                    return weft__schedule_fail(
                        schedule, WEFT_STATUS_BAD_ACCESS,
                        "system \"%s\" consumes %s before \"%s\" sends it in the same tick (%s); "
                        "register the sender first, declare an order, or register the channel "
                        "with WEFT_DELIVERY_NEXT",
                        from->name, term->type->name, to->name, edge->reason);
        }
    }
    return WEFT_STATUS_OK;
}

static weft_status check_reductions(weft_schedule* schedule) {
    for (uint32_t i = 0; i < schedule->world->reductions.count; i++) {
        uint32_t id = schedule->world->reductions.items[i].type;
        uint32_t reader = WEFT__NONE;
        bool written = false;
        for (uint32_t r = 0; r < schedule->order.count; r++) {
            const weft__system* system = weft__schedule_at(schedule, r);
            for (uint32_t j = 0; j < system->access.terms.count; j++) {
                const weft__term* term = &system->access.terms.items[j];
                if (term->type_id != id)
                    continue;
                if (term->mode == WEFT_ACCESS_REDUCED && written)
                    reader = r;
                if (term->mode == WEFT_ACCESS_REDUCE && reader != WEFT__NONE)
                    return weft__schedule_fail(
                        schedule, WEFT_STATUS_BAD_ACCESS,
                        "system \"%s\" reads reduction %s between two of its writers, the later "
                        "being \"%s\"; declare the writers before the reader",
                        weft__schedule_at(schedule, reader)->name, term->type->name, system->name);
                written |= term->mode == WEFT_ACCESS_REDUCE;
            }
        }
    }
    return WEFT_STATUS_OK;
}

static void assign_stages(graph* g) {
    weft_schedule* schedule = g->schedule;
    schedule->stage_count = g->count > 0 ? 1 : 0;
    for (uint32_t i = 0; i < g->count; i++)
        schedule->systems.items[i].stage = 0;
    for (uint32_t r = 0; r < g->count; r++) {
        uint32_t from = schedule->order.items[r];
        schedule->systems.items[from].rank = r;
        uint32_t stage = schedule->systems.items[from].stage;
        schedule->stage_count =
            stage + 1 > schedule->stage_count ? stage + 1 : schedule->stage_count;
        for (uint32_t i = g->first[from]; i < g->first[from + 1]; i++) {
            const weft__edge* edge = &schedule->edges.items[i];
            WEFT_ASSERT(edge->from == from && edge->to != from);
            weft__system* to = &schedule->systems.items[edge->to];
            uint32_t least = stage + (edge->barrier ? 1 : 0);
            to->stage = to->stage < least ? least : to->stage;
        }
    }
}

static weft_status graph_run(graph* g) {
    weft_schedule* schedule = g->schedule;
    schedule->edges.count = 0;
    for (uint32_t i = 0; i < g->count; i++)
        for (uint32_t j = 0; j < schedule->systems.items[i].relations.count; j++)
            WEFT_TRY(relation_resolve(g, i, &schedule->systems.items[i].relations.items[j]));
    WEFT_TRY(close_declared(g, schedule->order.items));
    WEFT_TRY(collect_edges(g));
    WEFT_TRY(rank(g, schedule->edges.items, schedule->edges.count, schedule->order.items));
    WEFT_TRY(check_direction(schedule));
    assign_stages(g);
    return check_reductions(schedule);
}

static weft_status graph_alloc(graph* g, size_t* bytes) {
    weft_schedule* schedule = g->schedule;
    weft__arena* arena = &schedule->world->arena;
    uint32_t terms = 0;
    for (uint32_t i = 0; i < g->count; i++)
        terms += schedule->systems.items[i].access.terms.count;
    size_t reach = (size_t)g->count * g->words;
    size_t begins = (size_t)schedule->world->types.count + 3;
    *bytes = (reach + g->words) * sizeof(uint64_t) +
             (2 * ((size_t)g->count + 1) + begins + terms) * sizeof(uint32_t);
    g->reach = weft__arena_alloc_zero(arena, *bytes);
    if (g->reach == NULL)
        return WEFT_STATUS_OUT_OF_MEMORY;
    g->others = g->reach + reach;
    g->first = (uint32_t*)(void*)(g->others + g->words);
    g->pending = g->first + g->count + 1;
    g->users_begin = g->pending + g->count + 1;
    g->users = g->users_begin + begins;
    WEFT_ASSERT((uint8_t*)(g->users + terms) == (uint8_t*)g->reach + *bytes);
    return WEFT__VEC_RESERVE(arena, schedule->order, (size_t)g->count + 1);
}

weft_status weft__graph_build(weft_schedule* schedule) {
    WEFT_ASSERT(schedule != NULL && !schedule->built);
    weft__arena* arena = &schedule->world->arena;
    graph g = {.schedule = schedule, .count = schedule->systems.count};
    g.words = (g.count + 63) / 64;
    size_t bytes;
    weft_status status = graph_alloc(&g, &bytes);
    schedule->order.count = g.count;
    if (status == WEFT_STATUS_OK)
        status = graph_run(&g);
    weft__arena_free(arena, g.reach, bytes);
    weft__arena_free(arena, g.declared.items, g.declared.capacity * sizeof(weft__edge));
    return status;
}
