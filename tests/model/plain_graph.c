#include "plain_graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "programs.h"

static void* checked(void* memory) {
    if (memory == NULL)
        abort();
    return memory;
}

void plain_graph_init(plain_graph* g, uint32_t capacity) {
    memset(g, 0, sizeof(*g));
    g->capacity = capacity;
    g->systems = checked(calloc(capacity, sizeof(g->systems[0])));
    g->relations = checked(calloc(4 * (size_t)capacity, sizeof(g->relations[0])));
}

static void drop_solution(plain_graph* g) {
    free(g->declared);
    free(g->edges);
    free(g->barriers);
    free(g->modes);
    free(g->order);
    free(g->stages);
    g->declared = g->edges = g->barriers = NULL;
    g->modes = NULL;
    g->order = g->stages = NULL;
}

void plain_graph_deinit(plain_graph* g) {
    drop_solution(g);
    free(g->systems);
    free(g->relations);
    memset(g, 0, sizeof(*g));
}

uint32_t plain_graph_add(plain_graph* g, weft_scope scope) {
    if (g->count == g->capacity)
        abort();
    plain_system* system = &g->systems[g->count];
    *system = (plain_system){.scope = scope, .index = g->count};
    (void)snprintf(system->name, sizeof(system->name), "as long as names often are, s%u", g->count);
    return g->count++;
}

void plain_graph_term(plain_graph* g, uint32_t type, weft_access_mode mode) {
    plain_system* system = &g->systems[g->count - 1];
    if (system->term_count == PLAIN_TERMS_MAX || type >= g->type_count)
        abort();
    system->terms[system->term_count++] = (plain_term){type, mode, g->kinds[type]};
}

void plain_graph_relate(plain_graph* g, uint32_t first, uint32_t second, bool told_by_first) {
    if (g->relation_count == 4 * g->capacity)
        abort();
    g->relations[g->relation_count++] = (plain_relation){first, second, told_by_first};
}

// Drawing ----------------------------------------------------------------------------------------

static uint32_t below(uint64_t* state, uint32_t bound) {
    if (bound == 0)
        abort();
    return (uint32_t)(program_random(state) >> 33) % bound;
}

// A mode that fits the kind and the scope, or 0.
static weft_access_mode draw_mode(uint64_t* state, plain_kind kind, weft_scope scope) {
    bool chunks = scope == WEFT_SCOPE_CHUNK;
    switch (kind) {
    case PLAIN_DENSE:
    case PLAIN_BUFFERED:
    case PLAIN_SPARSE:
        if (!chunks || below(state, 12) == 0)
            return WEFT_ACCESS_READ_ANY;
        return (weft_access_mode)(WEFT_ACCESS_READ + below(state, 6));
    case PLAIN_RESOURCE:
        return chunks || below(state, 2) == 0 ? WEFT_ACCESS_RESOURCE_READ
                                              : WEFT_ACCESS_RESOURCE_WRITE;
    case PLAIN_CHANNEL:
        return below(state, 2) == 0 ? WEFT_ACCESS_EMIT : WEFT_ACCESS_CONSUME;
    default:
        return chunks && below(state, 2) == 0 ? WEFT_ACCESS_REDUCE : WEFT_ACCESS_REDUCED;
    }
}

static void draw_terms(plain_graph* g, const plain_shape* shape, uint64_t* state) {
    uint32_t index = plain_graph_add(g, below(state, 6) == 0 ? WEFT_SCOPE_WORLD : WEFT_SCOPE_CHUNK);
    uint32_t terms = below(state, shape->terms + 1);
    for (uint32_t i = 0; i < terms; i++) {
        uint32_t type = below(state, g->type_count);
        bool taken = false;
        for (uint32_t j = 0; j < g->systems[index].term_count; j++)
            taken = taken || g->systems[index].terms[j].type == type;
        if (!taken)
            plain_graph_term(g, type, draw_mode(state, g->kinds[type], g->systems[index].scope));
    }
}

void plain_graph_draw(plain_graph* g, const plain_shape* shape, uint64_t seed) {
    uint64_t state = seed;
    g->type_count = shape->types;
    for (uint32_t i = 0; i < shape->types; i++)
        g->kinds[i] =
            below(&state, 2) == 0
                ? PLAIN_DENSE
                : (plain_kind)below(&state, shape->messages ? PLAIN_KIND_COUNT : PLAIN_CHANNEL);
    for (uint32_t i = 0; i < shape->count; i++)
        draw_terms(g, shape, &state);
    for (uint32_t i = 0; i < shape->relations + shape->backward && shape->count > 1; i++) {
        bool back = i >= shape->relations;
        uint32_t second = 1 + below(&state, shape->count - 1);
        uint32_t most = back && shape->reach < second ? shape->reach : second;
        uint32_t first = second - 1 - below(&state, most);
        if (back)
            plain_graph_relate(g, second, first, below(&state, 2) == 0);
        else
            plain_graph_relate(g, first, second, below(&state, 2) == 0);
    }
}

// Solving ----------------------------------------------------------------------------------------

#define MODE(name) (1u << WEFT_ACCESS_##name)

enum {
    OWN_WRITE = MODE(WRITE) | MODE(WRITE_OPTIONAL),
    OWN = OWN_WRITE | MODE(READ) | MODE(READ_OPTIONAL),
    NEEDS = MODE(READ) | MODE(WRITE) | MODE(WITH),
};

static bool test_bit(const plain_graph* g, const uint64_t* bits, uint32_t from, uint32_t to) {
    return (bits[(size_t)from * g->words + to / 64] >> to % 64 & 1) != 0;
}

static void set_bit(const plain_graph* g, uint64_t* bits, uint32_t from, uint32_t to) {
    bits[(size_t)from * g->words + to / 64] |= (uint64_t)1 << to % 64;
}

// One side does x, the other y, in either way.
static bool meet(uint32_t a, uint32_t b, uint32_t x, uint32_t y) {
    return ((a & x) != 0 && (b & y) != 0) || ((a & y) != 0 && (b & x) != 0);
}

static bool is_barrier(plain_kind kind, uint32_t a, uint32_t b) {
    switch (kind) {
    case PLAIN_RESOURCE:
        return meet(a, b, MODE(RESOURCE_WRITE), MODE(RESOURCE_READ) | MODE(RESOURCE_WRITE));
    case PLAIN_CHANNEL:
        return meet(a, b, MODE(EMIT), MODE(CONSUME));
    case PLAIN_REDUCTION:
        return meet(a, b, MODE(REDUCE), MODE(REDUCED));
    case PLAIN_BUFFERED:
        return false;
    default:
        return meet(a, b, OWN_WRITE, MODE(READ_ANY));
    }
}

uint32_t plain_graph_conflict(const plain_graph* g, uint32_t a, uint32_t b) {
    bool row = false;
    bool disjoint = false;
    const uint16_t* theirs = g->modes + (size_t)b * g->type_count;
    for (uint32_t i = 0; i < g->systems[a].term_count; i++) {
        uint32_t type = g->systems[a].terms[i].type;
        uint32_t x = g->modes[(size_t)a * g->type_count + type];
        uint32_t y = theirs[type];
        if (y == 0)
            continue;
        plain_kind kind = g->kinds[type];
        if (is_barrier(kind, x, y))
            return 2;
        if (kind <= PLAIN_SPARSE)
            row = row || meet(x, y, OWN_WRITE, kind == PLAIN_BUFFERED ? OWN_WRITE : OWN);
        if (kind <= PLAIN_BUFFERED)
            disjoint = disjoint || meet(x, y, NEEDS, MODE(WITHOUT));
    }
    return row && !disjoint;
}

// What each system runs before by relations alone: a walk from each. False if one comes back.
static bool close_relations(plain_graph* g) {
    uint32_t* starts = checked(calloc(g->count + 2u, sizeof(uint32_t)));
    uint32_t* next = checked(calloc(g->relation_count + 1u, sizeof(uint32_t)));
    uint32_t* stack = checked(calloc(g->count + 1u, sizeof(uint32_t)));
    for (uint32_t i = 0; i < g->relation_count; i++)
        starts[g->relations[i].first + 2]++;
    for (uint32_t i = 0; i < g->count; i++)
        starts[i + 2] += starts[i + 1];
    for (uint32_t i = 0; i < g->relation_count; i++)
        next[starts[g->relations[i].first + 1]++] = g->relations[i].second;
    bool acyclic = true;
    for (uint32_t from = 0; from < g->count; from++) {
        uint32_t depth = 0;
        stack[depth++] = from;
        while (depth > 0) {
            uint32_t at = stack[--depth];
            for (uint32_t i = starts[at]; i < starts[at + 1]; i++) {
                if (test_bit(g, g->declared, from, next[i]))
                    continue;
                set_bit(g, g->declared, from, next[i]);
                if (next[i] != from)
                    stack[depth++] = next[i];
            }
        }
        acyclic = acyclic && !test_bit(g, g->declared, from, from);
    }
    free(starts);
    free(next);
    free(stack);
    return acyclic;
}

static void find_edges(plain_graph* g) {
    for (uint32_t i = 0; i < g->count; i++)
        for (uint32_t j = i + 1; j < g->count; j++) {
            uint32_t found = plain_graph_conflict(g, i, j);
            bool back = test_bit(g, g->declared, j, i);
            if (found != 0)
                set_bit(g, g->edges, back ? j : i, back ? i : j);
            if (found == 2)
                set_bit(g, g->barriers, back ? j : i, back ? i : j);
        }
    // A relation without a conflict ends a stage where a system of the whole world is concerned.
    for (uint32_t i = 0; i < g->relation_count; i++) {
        uint32_t first = g->relations[i].first;
        uint32_t second = g->relations[i].second;
        bool world = g->systems[first].scope == WEFT_SCOPE_WORLD ||
                     g->systems[second].scope == WEFT_SCOPE_WORLD;
        if (world && !test_bit(g, g->edges, first, second))
            set_bit(g, g->barriers, first, second);
    }
    for (uint32_t i = 0; i < g->relation_count; i++)
        set_bit(g, g->edges, g->relations[i].first, g->relations[i].second);
}

// The smallest system of which all that runs before it has a rank, again and again. False on a
// cycle.
static bool give_ranks(plain_graph* g) {
    uint32_t* pending = checked(calloc(g->count + 1u, sizeof(uint32_t)));
    uint32_t ranks = 0;
    for (uint32_t i = 0; i < g->count; i++)
        for (uint32_t j = 0; j < g->count; j++)
            pending[j] += test_bit(g, g->edges, i, j);
    while (ranks < g->count) {
        uint32_t next = 0;
        while (next < g->count && pending[next] != 0)
            next++;
        if (next == g->count)
            break;
        pending[next] = UINT32_MAX;
        g->order[ranks++] = next;
        for (uint32_t j = 0; j < g->count; j++) {
            if (!test_bit(g, g->edges, next, j))
                continue;
            pending[j]--;
            uint32_t least = g->stages[next] + test_bit(g, g->barriers, next, j);
            g->stages[j] = g->stages[j] > least ? g->stages[j] : least;
        }
        g->stage_count =
            g->stages[next] + 1 > g->stage_count ? g->stages[next] + 1 : g->stage_count;
    }
    free(pending);
    return ranks == g->count;
}

// Whoever consumes messages of this tick must not run before one who sends them; nobody may read a
// reduction between two who fill it.
static bool is_directed(const plain_graph* g) {
    for (uint32_t type = 0; type < g->type_count; type++) {
        bool filled = false;
        bool read_since = false;
        bool consumed = false;
        for (uint32_t rank = 0; rank < g->count; rank++) {
            uint32_t modes = g->modes[(size_t)g->order[rank] * g->type_count + type];
            if (g->kinds[type] == PLAIN_CHANNEL && consumed && (modes & MODE(EMIT)) != 0)
                return false;
            if (g->kinds[type] == PLAIN_REDUCTION && read_since && (modes & MODE(REDUCE)) != 0)
                return false;
            consumed = consumed || (modes & MODE(CONSUME)) != 0;
            filled = filled || (modes & MODE(REDUCE)) != 0;
            read_since = read_since || (filled && (modes & MODE(REDUCED)) != 0);
        }
    }
    return true;
}

void plain_graph_solve(plain_graph* g) {
    drop_solution(g);
    g->words = (g->count + 63) / 64;
    size_t bits = (size_t)g->count * g->words + 1;
    g->declared = checked(calloc(bits, sizeof(uint64_t)));
    g->edges = checked(calloc(bits, sizeof(uint64_t)));
    g->barriers = checked(calloc(bits, sizeof(uint64_t)));
    g->modes = checked(calloc((size_t)g->count * g->type_count + 1, sizeof(uint16_t)));
    g->order = checked(calloc(g->count + 1u, sizeof(uint32_t)));
    g->stages = checked(calloc(g->count + 1u, sizeof(uint32_t)));
    g->stage_count = 0;
    for (uint32_t i = 0; i < g->count; i++)
        for (uint32_t j = 0; j < g->systems[i].term_count; j++) {
            const plain_term* term = &g->systems[i].terms[j];
            uint16_t* modes = &g->modes[(size_t)i * g->type_count + term->type];
            *modes = (uint16_t)(*modes | 1u << term->mode);
        }
    g->result = WEFT_STATUS_GRAPH_CYCLE;
    if (!close_relations(g))
        return;
    find_edges(g);
    if (give_ranks(g))
        g->result = is_directed(g) ? WEFT_STATUS_OK : WEFT_STATUS_BAD_ACCESS;
}
