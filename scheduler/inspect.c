// Order and pairs of a built schedule: closure, reduced graph, paths, width.

#include "inspection.h"

#include <string.h>

#include "conflict.h"
#include "weft_bits.h"

#define SCRATCH_COUNT (sizeof(((weft_inspect*)0)->scratch) / sizeof(uint32_t*))

static size_t list_bytes(const weft_inspect* inspect) {
    return ((size_t)inspect->count + 1) * sizeof(uint32_t);
}

static size_t closure_bytes(const weft_inspect* inspect) {
    return ((size_t)inspect->count + 1) * inspect->words * sizeof(uint64_t) + 1;
}

static weft_status inspect_reserve(weft_inspect* inspect) {
    weft__arena* arena = &inspect->schedule->world->arena;
    size_t edges = (size_t)inspect->schedule->edges.count + 1;
    inspect->after = weft__arena_alloc(arena, closure_bytes(inspect));
    inspect->first = weft__arena_alloc_zero(arena, list_bytes(inspect));
    inspect->arcs = weft__arena_alloc(arena, edges * sizeof(weft__inspect_arc));
    inspect->from = weft__arena_alloc(arena, edges * sizeof(uint32_t));
    inspect->scratch_bits =
        weft__arena_alloc(arena, ((size_t)inspect->words + 1) * sizeof(uint64_t));
    bool some = inspect->after != NULL && inspect->first != NULL && inspect->arcs != NULL &&
                inspect->from != NULL && inspect->scratch_bits != NULL;
    for (size_t i = 0; i < SCRATCH_COUNT; i++) {
        inspect->scratch[i] = weft__arena_alloc(arena, list_bytes(inspect));
        some = some && inspect->scratch[i] != NULL;
    }
    return some ? WEFT_STATUS_OK : WEFT_STATUS_OUT_OF_MEMORY;
}

// Files the edges by (from, to) in ranks: counting by `to`, then by `from`, both stable. The arcs
// of the first pass are kept in `from` alone, as edge numbers.
static void arcs_sort(weft_inspect* inspect) {
    const weft_schedule* schedule = inspect->schedule;
    const weft__system* systems = schedule->systems.items;
    uint32_t* place = inspect->first;
    for (uint32_t i = 0; i < schedule->edges.count; i++)
        place[systems[schedule->edges.items[i].to].rank + 1]++;
    for (uint32_t i = 0; i < inspect->count; i++)
        place[i + 1] += place[i];
    for (uint32_t i = 0; i < schedule->edges.count; i++)
        inspect->from[place[systems[schedule->edges.items[i].to].rank]++] = i;
    memset(place, 0, list_bytes(inspect));
    for (uint32_t i = 0; i < schedule->edges.count; i++)
        place[systems[schedule->edges.items[i].from].rank + 1]++;
    for (uint32_t i = 0; i < inspect->count; i++)
        place[i + 1] += place[i];
    uint32_t* next = inspect->scratch[0];
    memcpy(next, place, list_bytes(inspect));
    for (uint32_t i = 0; i < schedule->edges.count; i++) {
        const weft__edge* edge = &schedule->edges.items[inspect->from[i]];
        inspect->arcs[next[systems[edge->from].rank]++] =
            (weft__inspect_arc){.to = systems[edge->to].rank, .edge = inspect->from[i]};
    }
    for (uint32_t rank = 0; rank < inspect->count; rank++)
        for (uint32_t i = place[rank]; i < place[rank + 1]; i++)
            inspect->from[i] = rank;
}

// True if `from` sends what `to` consumes in the same tick: the build refuses the reverse.
static bool is_forced(const weft_world* world, const weft__access* from, const weft__access* to) {
    for (uint32_t i = 0; i < from->terms.count; i++) {
        const weft__term* term = &from->terms.items[i];
        if (term->mode != WEFT_ACCESS_EMIT ||
            world->channels.items[term->index].delivery != WEFT_DELIVERY_TICK)
            continue;
        for (uint32_t j = 0; j < to->terms.count; j++)
            if (to->terms.items[j].mode == WEFT_ACCESS_CONSUME &&
                to->terms.items[j].type_id == term->type_id)
                return true;
    }
    return false;
}

static void arcs_judge(weft_inspect* inspect) {
    const weft_schedule* schedule = inspect->schedule;
    for (uint32_t i = 0; i < schedule->edges.count; i++) {
        weft__inspect_arc* arc = &inspect->arcs[i];
        const weft__edge* edge = &schedule->edges.items[arc->edge];
        arc->settled = !edge->by_registration ||
                       is_forced(schedule->world, &schedule->systems.items[edge->from].access,
                                 &schedule->systems.items[edge->to].access);
    }
}

// A closure, from the last system backwards: of all arcs or of those that are settled. A system's
// arcs ascend, so what another path reaches is there when its arc comes: whatever lies between two
// systems has a rank between theirs.
static void close_arcs(weft_inspect* inspect, bool settled) {
    memset(inspect->after, 0, closure_bytes(inspect));
    for (uint32_t from = inspect->count; from-- > 0;) {
        uint64_t* row = inspect->after + (size_t)from * inspect->words;
        for (uint32_t i = inspect->first[from]; i < inspect->first[from + 1]; i++) {
            weft__inspect_arc* arc = &inspect->arcs[i];
            uint32_t to = arc->to;
            WEFT_ASSERT(from < to && to < inspect->count);
            arc->implied = (row[to / 64] >> (to % 64) & 1) != 0;
            if (arc->implied || (settled && !arc->settled))
                continue;
            const uint64_t* behind = weft__inspect_after(inspect, to);
            for (uint32_t word = to / 64; word < inspect->words; word++)
                row[word] |= behind[word];
            row[to / 64] |= (uint64_t)1 << (to % 64);
        }
        for (uint32_t i = inspect->first[from]; i < inspect->first[from + 1] && settled; i++) {
            weft__inspect_arc* arc = &inspect->arcs[i];
            bool reached = (row[arc->to / 64] >> (arc->to % 64) & 1) != 0;
            arc->order = !inspect->schedule->edges.items[arc->edge].by_registration
                             ? WEFT_ORDER_DECLARED
                         : reached ? WEFT_ORDER_MESSAGES
                                   : WEFT_ORDER_REGISTRATION;
        }
    }
}

weft_status weft_inspect_create(const weft_schedule* schedule, weft_inspect** inspect_out) {
    WEFT_ASSERT(schedule != NULL && inspect_out != NULL);
    *inspect_out = NULL;
    if (!schedule->built)
        return WEFT_STATUS_WRONG_PHASE;
    weft_inspect* inspect = weft__arena_alloc_zero(&schedule->world->arena, sizeof(*inspect));
    if (inspect == NULL)
        return WEFT_STATUS_OUT_OF_MEMORY;
    inspect->schedule = schedule;
    inspect->count = schedule->systems.count;
    inspect->words = (inspect->count + 63) / 64;
    weft_status status = inspect_reserve(inspect);
    if (status == WEFT_STATUS_OK) {
        arcs_sort(inspect);
        arcs_judge(inspect);
        close_arcs(inspect, true);
        close_arcs(inspect, false);
        status = weft__inspect_find(inspect);
    }
    if (status != WEFT_STATUS_OK)
        weft_inspect_destroy(inspect);
    else
        *inspect_out = inspect;
    return status;
}

void weft_inspect_destroy(weft_inspect* inspect) {
    if (inspect == NULL)
        return;
    weft__arena* arena = &inspect->schedule->world->arena;
    size_t edges = (size_t)inspect->schedule->edges.count + 1;
    weft__arena_free(arena, inspect->after, closure_bytes(inspect));
    weft__arena_free(arena, inspect->first, list_bytes(inspect));
    weft__arena_free(arena, inspect->arcs, edges * sizeof(weft__inspect_arc));
    weft__arena_free(arena, inspect->from, edges * sizeof(uint32_t));
    weft__arena_free(arena, inspect->scratch_bits, ((size_t)inspect->words + 1) * sizeof(uint64_t));
    for (size_t i = 0; i < SCRATCH_COUNT; i++)
        weft__arena_free(arena, inspect->scratch[i], list_bytes(inspect));
    WEFT__VEC_FREE(arena, inspect->findings);
    weft__arena_free(arena, inspect, sizeof(*inspect));
}

weft_inspect_edge weft_inspect_edge_at(const weft_inspect* inspect, uint32_t index) {
    WEFT_ASSERT(index < inspect->schedule->edges.count);
    const weft__inspect_arc* arc = &inspect->arcs[index];
    weft_edge edge = weft_schedule_edge(inspect->schedule, arc->edge);
    WEFT_CHECK(edge.from == inspect->from[index] && edge.to == arc->to);
    return (weft_inspect_edge){edge, arc->implied, arc->order};
}

bool weft_inspect_is_before(const weft_inspect* inspect, uint32_t from, uint32_t to) {
    WEFT_ASSERT(from < inspect->count && to < inspect->count);
    return (weft__inspect_after(inspect, from)[to / 64] >> (to % 64) & 1) != 0;
}

// Paths ------------------------------------------------------------------------------------------

uint32_t weft_inspect_path(weft_inspect* inspect, uint32_t from, uint32_t to, uint32_t* ranks) {
    WEFT_ASSERT(ranks != NULL);
    if (!weft_inspect_is_before(inspect, from, to))
        return 0;
    uint32_t* steps = inspect->scratch[0];
    uint32_t* parent = inspect->scratch[1];
    for (uint32_t i = from; i <= to; i++)
        steps[i] = WEFT__NONE;
    steps[from] = 0;
    for (uint32_t at = from; at < to; at++) {
        if (steps[at] == WEFT__NONE)
            continue;
        for (uint32_t i = inspect->first[at]; i < inspect->first[at + 1]; i++) {
            uint32_t next = inspect->arcs[i].to;
            if (next > to || steps[next] <= steps[at] + 1)
                continue;
            steps[next] = steps[at] + 1;
            parent[next] = at;
        }
    }
    WEFT_ASSERT(steps[to] != WEFT__NONE);
    uint32_t count = steps[to] + 1;
    for (uint32_t i = count, at = to; i-- > 0; at = parent[at]) {
        ranks[i] = at;
        if (i == 0)
            break;
    }
    return count;
}

uint32_t weft_inspect_critical_path(weft_inspect* inspect, uint32_t* ranks) {
    WEFT_ASSERT(ranks != NULL);
    uint32_t* length = inspect->scratch[0];
    uint32_t* next = inspect->scratch[1];
    uint32_t best = WEFT__NONE;
    for (uint32_t at = inspect->count; at-- > 0;) {
        length[at] = 1;
        next[at] = WEFT__NONE;
        for (uint32_t i = inspect->first[at]; i < inspect->first[at + 1]; i++) {
            uint32_t to = inspect->arcs[i].to;
            if (length[to] + 1 <= length[at])
                continue;
            length[at] = length[to] + 1;
            next[at] = to;
        }
        if (best == WEFT__NONE || length[at] >= length[best])
            best = at;
    }
    uint32_t count = 0;
    for (uint32_t at = best; at != WEFT__NONE; at = next[at])
        ranks[count++] = at;
    return count;
}

// Width ------------------------------------------------------------------------------------------

/// A matching of systems with systems after them, by Hopcroft and Karp: "Let each chain go on".
typedef struct matching {
    const weft_inspect* inspect;
    uint32_t* after;  // [count] the system that each is matched with, or WEFT__NONE.
    uint32_t* before; // The reverse.
    uint32_t* layer;  // [count] of each system as a first one; WEFT__NONE: not reached.
    uint32_t* cursor; // [count] where its search goes on; also the search's queue.
    uint32_t* stack;  // [count]
    uint64_t* unseen; // [words] systems, as second ones, that this phase has not come to.
} matching;

// Layers of alternating paths from all unmatched first systems, up to the first layer that meets an
// unmatched second one. False if none does: the matching is a largest one.
static bool matching_layers(matching* m) {
    uint32_t count = m->inspect->count;
    uint32_t* queue = m->cursor;
    uint32_t tail = 0;
    uint32_t last = WEFT__NONE;
    memset(m->unseen, 0xff, m->inspect->words * sizeof(uint64_t));
    for (uint32_t i = 0; i < count; i++) {
        m->layer[i] = m->after[i] == WEFT__NONE ? 0 : WEFT__NONE;
        if (m->after[i] == WEFT__NONE)
            queue[tail++] = i;
    }
    for (uint32_t head = 0; head < tail && m->layer[queue[head]] <= last; head++) {
        uint32_t at = queue[head];
        const uint64_t* row = weft__inspect_after(m->inspect, at);
        for (uint32_t word = at / 64; word < m->inspect->words; word++) {
            uint64_t fresh = row[word] & m->unseen[word];
            m->unseen[word] &= ~fresh;
            for (; fresh != 0; fresh &= fresh - 1) {
                uint32_t owner = m->before[word * 64 + weft__ctz64(fresh)];
                if (owner == WEFT__NONE) {
                    last = m->layer[at];
                    continue;
                }
                WEFT_CHECK(m->layer[owner] == WEFT__NONE);
                m->layer[owner] = m->layer[at] + 1;
                queue[tail++] = owner;
            }
        }
    }
    return last != WEFT__NONE;
}

// The next second system for `at` that is unseen and on the way, or WEFT__NONE. Each pair is looked
// at once in a phase, as the cursor only goes on.
static uint32_t matching_next(matching* m, uint32_t at) {
    const uint64_t* row = weft__inspect_after(m->inspect, at);
    uint32_t word = m->cursor[at] / 64;
    uint64_t mask = ~(uint64_t)0 << (m->cursor[at] % 64);
    for (; word < m->inspect->words; word++, mask = ~(uint64_t)0) {
        for (uint64_t some = row[word] & m->unseen[word] & mask; some != 0; some &= some - 1) {
            uint32_t to = word * 64 + weft__ctz64(some);
            uint32_t owner = m->before[to];
            if (owner != WEFT__NONE && m->layer[owner] != m->layer[at] + 1)
                continue;
            m->cursor[at] = to + 1;
            return to;
        }
    }
    m->cursor[at] = m->inspect->count;
    return WEFT__NONE;
}

// Looks for an alternating path from an unmatched first system, and turns it over.
static void matching_augment(matching* m, uint32_t root) {
    uint32_t depth = 0;
    m->stack[0] = root;
    for (;;) {
        uint32_t at = m->stack[depth];
        uint32_t to = m->cursor[at] < m->inspect->count ? matching_next(m, at) : WEFT__NONE;
        if (to == WEFT__NONE) {
            if (depth-- == 0)
                return;
            continue;
        }
        m->unseen[to / 64] &= ~((uint64_t)1 << (to % 64));
        if (m->before[to] != WEFT__NONE) {
            m->stack[++depth] = m->before[to];
            continue;
        }
        // Each system of the stack takes what its cursor has just passed, which the next one had.
        for (uint32_t i = 0; i <= depth; i++) {
            uint32_t owner = m->stack[i];
            m->after[owner] = m->cursor[owner] - 1;
            m->before[m->cursor[owner] - 1] = owner;
        }
        return;
    }
}

// König: what is reached as a first system and not as a second one is in no pair of the order.
static uint32_t width_exact(weft_inspect* inspect, uint32_t* ranks) {
    matching m = {.inspect = inspect,
                  .after = inspect->scratch[0],
                  .before = inspect->scratch[1],
                  .layer = inspect->scratch[2],
                  .cursor = inspect->scratch[3],
                  .stack = inspect->scratch[4],
                  .unseen = inspect->scratch_bits};
    for (uint32_t i = 0; i < inspect->count; i++)
        m.after[i] = m.before[i] = WEFT__NONE;
    while (matching_layers(&m)) {
        memset(m.unseen, 0xff, inspect->words * sizeof(uint64_t));
        memset(m.cursor, 0, inspect->count * sizeof(uint32_t));
        for (uint32_t i = 0; i < inspect->count; i++)
            if (m.after[i] == WEFT__NONE)
                matching_augment(&m, i);
    }
    uint32_t count = 0;
    uint32_t unmatched = 0;
    for (uint32_t i = 0; i < inspect->count; i++) {
        unmatched += m.after[i] == WEFT__NONE;
        if (m.layer[i] != WEFT__NONE && (m.unseen[i / 64] >> (i % 64) & 1) != 0)
            ranks[count++] = i;
    }
    WEFT_ASSERT(count == unmatched); // Dilworth: as many as there are chains.
    return count;
}

static uint32_t width_of_levels(weft_inspect* inspect, uint32_t* ranks) {
    uint32_t* level = inspect->scratch[0];
    uint32_t* size = inspect->scratch[1];
    uint32_t best = 0;
    memset(level, 0, list_bytes(inspect));
    memset(size, 0, list_bytes(inspect));
    for (uint32_t at = 0; at < inspect->count; at++) {
        size[level[at]]++;
        for (uint32_t i = inspect->first[at]; i < inspect->first[at + 1]; i++) {
            uint32_t* to = &level[inspect->arcs[i].to];
            *to = *to > level[at] ? *to : level[at] + 1;
        }
    }
    for (uint32_t i = 0; i < inspect->count; i++)
        best = size[i] > size[best] ? i : best;
    uint32_t count = 0;
    for (uint32_t i = 0; i < inspect->count; i++)
        if (level[i] == best)
            ranks[count++] = i;
    return count;
}

uint32_t weft_inspect_width(weft_inspect* inspect, uint32_t exact_max, uint32_t* ranks,
                            bool* exact_out) {
    WEFT_ASSERT(ranks != NULL && exact_out != NULL);
    *exact_out = inspect->count <= exact_max;
    return *exact_out ? width_exact(inspect, ranks) : width_of_levels(inspect, ranks);
}

// Pairs ------------------------------------------------------------------------------------------

uint32_t weft_inspect_bonds(const weft_inspect* inspect, uint32_t first, uint32_t second,
                            weft_bond bonds[WEFT_BONDS_MAX]) {
    const weft_world* world = inspect->schedule->world;
    WEFT_ASSERT(first < inspect->count && second < inspect->count && first != second);
    const weft__access* a = &weft__schedule_at(inspect->schedule, first)->access;
    const weft__access* b = &weft__schedule_at(inspect->schedule, second)->access;
    const weft_type* apart = weft__conflict_excludes(a, b);
    if (apart == NULL)
        apart = weft__conflict_excludes(b, a);
    uint32_t count = 0;
    for (uint32_t i = 0; i < a->terms.count; i++) {
        for (uint32_t j = 0; j < b->terms.count; j++) {
            const weft__term* x = &a->terms.items[i];
            const weft__term* y = &b->terms.items[j];
            if (x->type_id != y->type_id)
                continue;
            weft__conflict found = weft__conflict_of_terms(world, x, y);
            bool meets = found.barrier || apart == NULL;
            WEFT_ASSERT(count < WEFT_BONDS_MAX);
            bonds[count++] = (weft_bond){
                .type = x->type,
                .first = x->mode,
                .second = y->mode,
                .conflict = found.reason != NULL && meets,
                .barrier = found.barrier,
                .apart = found.reason != NULL && !meets ? apart : NULL,
                .reason = found.reason == NULL ? weft__conflict_none_reason(world, x, y)
                          : meets              ? found.reason
                                               : "no archetype has rows for both",
            };
        }
    }
    if (a->commands && b->commands)
        bonds[count++] =
            (weft_bond){.first = WEFT_ACCESS_COMMANDS,
                        .second = WEFT_ACCESS_COMMANDS,
                        .reason = "commands are applied after the tick, in an order of their own"};
    return count;
}

uint32_t weft_inspect_finding_count(const weft_inspect* inspect) {
    return inspect->findings.count;
}

weft_finding weft_inspect_finding(const weft_inspect* inspect, uint32_t index) {
    WEFT_ASSERT(index < inspect->findings.count);
    return inspect->findings.items[index];
}
