// The conflict graph, the canonical rank and the stages (C5).

#include "worlds.h"

WEFT_COMPONENT(A, (uint32_t, value));
WEFT_COMPONENT(B, (uint32_t, value));
WEFT_COMPONENT(C, (uint32_t, value));
WEFT_COMPONENT(D, (uint32_t, value));
WEFT_COMPONENT(Twin, (uint32_t, value)); // Buffered.
WEFT_COMPONENT(Spot, (uint32_t, value)); // Sparse.
WEFT_RESOURCE(Gauge, (uint32_t, value));
WEFT_MESSAGE(Shout, (uint32_t, value)); // Same tick.
WEFT_MESSAGE(Echo, (uint32_t, value));  // Next tick.
WEFT_PARTIAL(Total, (uint32_t, value));
WEFT_COMPONENT(Stranger, (uint32_t, value)); // Never registered.

static void total_combine(void* left, const void* right) {
    ((Total*)left)->value += ((const Total*)right)->value;
}

static weft_status idle(weft_view* view, const void* context) {
    (void)view;
    (void)context;
    return WEFT_STATUS_OK;
}

static weft_world* make(void) {
    weft_world* world = world_make();
    world_component(world, WEFT_TYPE(A), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(B), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(C), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(D), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Twin), WEFT_STORAGE_BUFFERED);
    world_component(world, WEFT_TYPE(Spot), WEFT_STORAGE_SPARSE);
    WORLD_OK(world, weft_world_register_resource(world, WEFT_TYPE(Gauge), 1, NULL));
    WORLD_OK(world, weft_world_register_channel(world, WEFT_TYPE(Shout), WEFT_TARGET_WORLD,
                                                WEFT_DELIVERY_TICK));
    WORLD_OK(world, weft_world_register_channel(world, WEFT_TYPE(Echo), WEFT_TARGET_WORLD,
                                                WEFT_DELIVERY_NEXT));
    WORLD_OK(world, weft_world_register_reduction(world, WEFT_TYPE(Total), NULL, total_combine));
    return world;
}

// Two systems
// --------------------------------------------------------------------------------------

typedef enum bond {
    BOND_NONE,
    BOND_ROW,
    BOND_BARRIER,
    BOND_REFUSED, // The build fails.
} bond;

typedef struct pair {
    bond expected;
    weft_access first[3];
    weft_access second[3];
} pair;

static const pair pairs[] = {
    {BOND_NONE, {WEFT_READS(A)}, {WEFT_READS(A)}},
    {BOND_ROW, {WEFT_READS(A)}, {WEFT_WRITES(A)}},
    {BOND_ROW, {WEFT_WRITES(A)}, {WEFT_WRITES(A)}},
    {BOND_NONE, {WEFT_WRITES(A)}, {WEFT_WRITES(B)}},
    {BOND_ROW, {WEFT_READS_OPTIONAL(A)}, {WEFT_WRITES(A)}},
    {BOND_ROW, {WEFT_WRITES_OPTIONAL(A)}, {WEFT_READS(A)}},
    {BOND_ROW, {WEFT_WRITES_OPTIONAL(A)}, {WEFT_WRITES_OPTIONAL(A)}},
    {BOND_NONE, {WEFT_WITH(A)}, {WEFT_WRITES(A)}},
    {BOND_NONE, {WEFT_WITHOUT(A)}, {WEFT_WRITES(A)}},
    // Queries that match no common archetype.
    {BOND_NONE, {WEFT_WRITES(A), WEFT_WITH(B)}, {WEFT_WRITES(A), WEFT_WITHOUT(B)}},
    {BOND_NONE, {WEFT_WRITES(A), WEFT_WITHOUT(B)}, {WEFT_WRITES(A), WEFT_READS(B)}},
    {BOND_NONE, {WEFT_WRITES(A), WEFT_WRITES(B)}, {WEFT_READS(A), WEFT_WITHOUT(B)}},
    {BOND_ROW, {WEFT_WRITES(A), WEFT_READS_OPTIONAL(B)}, {WEFT_WRITES(A), WEFT_WITHOUT(B)}},
    {BOND_ROW, {WEFT_WRITES(A), WEFT_WITHOUT(B)}, {WEFT_WRITES(A), WEFT_WITHOUT(B)}},
    {BOND_ROW, {WEFT_WRITES(A), WEFT_WITH(Spot)}, {WEFT_WRITES(A), WEFT_WITHOUT(Spot)}},
    // Any row.
    {BOND_BARRIER, {WEFT_READS_ANY(A)}, {WEFT_WRITES(A)}},
    {BOND_BARRIER, {WEFT_WRITES_OPTIONAL(A)}, {WEFT_READS_ANY(A)}},
    {BOND_NONE, {WEFT_READS_ANY(A)}, {WEFT_READS(A)}},
    {BOND_NONE, {WEFT_READS_ANY(A)}, {WEFT_READS_ANY(A)}},
    {BOND_NONE, {WEFT_READS_ANY(A)}, {WEFT_WITH(A)}},
    {BOND_BARRIER, {WEFT_READS_ANY(A), WEFT_WITH(B)}, {WEFT_WRITES(A), WEFT_WITHOUT(B)}},
    {BOND_BARRIER, {WEFT_READS_ANY(Spot)}, {WEFT_WRITES(Spot)}},
    // Buffered: readers see the last tick.
    {BOND_NONE, {WEFT_READS(Twin)}, {WEFT_WRITES(Twin)}},
    {BOND_NONE, {WEFT_WRITES(Twin)}, {WEFT_READS_ANY(Twin)}},
    {BOND_ROW, {WEFT_WRITES(Twin)}, {WEFT_WRITES(Twin)}},
    {BOND_NONE, {WEFT_WRITES(Twin), WEFT_READS_ANY(Twin)}, {WEFT_READS(Twin)}},
    // Sparse own rows.
    {BOND_ROW, {WEFT_READS(Spot)}, {WEFT_WRITES(Spot)}},
    {BOND_ROW, {WEFT_WRITES(Spot)}, {WEFT_WRITES_OPTIONAL(Spot)}},
    {BOND_NONE, {WEFT_READS(Spot)}, {WEFT_READS(Spot)}},
    // Channels, reductions, resources, commands.
    {BOND_BARRIER, {WEFT_EMITS(Shout)}, {WEFT_CONSUMES(Shout)}},
    {BOND_REFUSED, {WEFT_CONSUMES(Shout)}, {WEFT_EMITS(Shout)}},
    {BOND_NONE, {WEFT_EMITS(Shout)}, {WEFT_EMITS(Shout)}},
    {BOND_NONE, {WEFT_EMITS(Echo)}, {WEFT_CONSUMES(Echo)}},
    {BOND_NONE, {WEFT_CONSUMES(Echo)}, {WEFT_EMITS(Echo)}},
    {BOND_BARRIER, {WEFT_REDUCES(Total)}, {WEFT_REDUCED(Total)}},
    {BOND_BARRIER, {WEFT_REDUCED(Total)}, {WEFT_REDUCES(Total)}},
    {BOND_NONE, {WEFT_REDUCES(Total)}, {WEFT_REDUCES(Total)}},
    {BOND_NONE, {WEFT_READS_RESOURCE(Gauge)}, {WEFT_READS_RESOURCE(Gauge)}},
    {BOND_NONE, {WEFT_COMMANDS}, {WEFT_COMMANDS}},
    {BOND_NONE, {WEFT_COMMANDS}, {WEFT_WRITES(A)}},
    // The gravest of several counts.
    {BOND_BARRIER, {WEFT_WRITES(A), WEFT_WRITES(B)}, {WEFT_WRITES(A), WEFT_READS_ANY(B)}},
};

static size_t count_terms(const weft_access* terms) {
    size_t count = 0;
    while (count < 3 && terms[count].mode != 0)
        count++;
    return count;
}

static void add(weft_schedule* schedule, const char* name, const weft_access* terms, size_t count,
                weft_scope scope, const char* const* before, const char* const* after) {
    weft_system_desc desc = weft_system_desc_default();
    desc.name = name;
    desc.run = idle;
    desc.scope = scope;
    desc.access = terms;
    desc.access_count = count;
    desc.before = before;
    desc.after = after;
    run_add(schedule, &desc);
}

static void check_pair(const pair* p, size_t number) {
    weft_world* world = make();
    weft_schedule* schedule = run_schedule(world);
    add(schedule, "first", p->first, count_terms(p->first), WEFT_SCOPE_CHUNK, NULL, NULL);
    add(schedule, "second", p->second, count_terms(p->second), WEFT_SCOPE_CHUNK, NULL, NULL);
    weft_status status = weft_schedule_build(schedule);
    cr_assert_eq(status == WEFT_STATUS_OK, p->expected != BOND_REFUSED, "pair %zu: %s", number,
                 weft_schedule_error(schedule));
    if (status == WEFT_STATUS_OK) {
        bool bound = p->expected != BOND_NONE;
        cr_assert_eq(weft_schedule_edge_count(schedule), bound, "pair %zu", number);
        cr_assert_eq(weft_schedule_stage_count(schedule), p->expected == BOND_BARRIER ? 2 : 1,
                     "pair %zu", number);
        if (bound) {
            weft_edge edge = weft_schedule_edge(schedule, 0);
            cr_assert(edge.from == 0 && edge.to == 1 && edge.by_registration, "pair %zu", number);
            cr_assert_eq(edge.barrier, p->expected == BOND_BARRIER, "pair %zu", number);
            cr_assert(edge.type != NULL && edge.reason != NULL && edge.reason[0] != '\0');
        }
    }
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
}

Test(graph, which_accesses_conflict_and_how) {
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
        check_pair(&pairs[i], i);
}

Test(graph, writers_of_a_resource_have_a_barrier_to_all_its_users) {
    static const weft_access read[] = {WEFT_READS_RESOURCE(Gauge)};
    static const weft_access write[] = {WEFT_WRITES_RESOURCE(Gauge)};
    weft_world* world = make();
    weft_schedule* schedule = run_schedule(world);
    add(schedule, "read", read, 1, WEFT_SCOPE_CHUNK, NULL, NULL);
    add(schedule, "write", write, 1, WEFT_SCOPE_WORLD, NULL, NULL);
    add(schedule, "again", write, 1, WEFT_SCOPE_WORLD, NULL, NULL);
    add(schedule, "other", read, 1, WEFT_SCOPE_WORLD, NULL, NULL);
    SCHEDULE_OK(schedule, weft_schedule_build(schedule));
    cr_assert_eq(weft_schedule_stage_count(schedule), 4);
    cr_assert_eq(weft_schedule_edge_count(schedule), 5);
    for (uint32_t i = 0; i < 5; i++) {
        cr_assert(weft_schedule_edge(schedule, i).barrier);
        cr_assert_eq(weft_schedule_edge(schedule, i).type, WEFT_TYPE(Gauge));
    }
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
}

// Order
// --------------------------------------------------------------------------------------------

static void check_names(const weft_schedule* schedule, const char* expected) {
    char text[512] = "";
    size_t at = 0;
    for (uint32_t i = 0; i < weft_schedule_system_count(schedule); i++)
        at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s", i == 0 ? "" : " ",
                               weft_schedule_system_name(schedule, i));
    cr_assert_str_eq(text, expected);
}

#define NAMES(...) ((const char* const[]){__VA_ARGS__, NULL})

// Known answer of five systems with forward relations.
Test(graph, systems_move_no_later_than_they_must) {
    weft_world* world = make();
    weft_schedule* schedule = run_schedule(world);
    add(schedule, "A", NULL, 0, WEFT_SCOPE_CHUNK, NULL, NAMES("B"));
    add(schedule, "B", NULL, 0, WEFT_SCOPE_CHUNK, NULL, NULL);
    add(schedule, "C", NULL, 0, WEFT_SCOPE_CHUNK, NULL, NAMES("B", "A"));
    add(schedule, "D", NULL, 0, WEFT_SCOPE_CHUNK, NULL, NULL);
    add(schedule, "E", NULL, 0, WEFT_SCOPE_CHUNK, NULL, NAMES("D", "C"));
    SCHEDULE_OK(schedule, weft_schedule_build(schedule));
    check_names(schedule, "B A C D E");
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
}

Test(graph, without_edges_the_order_is_that_of_registration) {
    weft_world* world = make();
    weft_schedule* schedule = run_schedule(world);
    static const char* const names[] = {"z", "m", "a", "q", "b"};
    for (uint32_t i = 0; i < 5; i++)
        add(schedule, names[i], NULL, 0, WEFT_SCOPE_CHUNK, NULL, NULL);
    SCHEDULE_OK(schedule, weft_schedule_build(schedule));
    check_names(schedule, "z m a q b");
    for (uint32_t i = 0; i < 5; i++)
        cr_assert_eq(weft_schedule_system_scope(schedule, i), WEFT_SCOPE_CHUNK);
    cr_assert_eq(weft_schedule_edge_count(schedule), 0);
    cr_assert_eq(weft_schedule_stage_count(schedule), 1);
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
}

// A chain of relations decides conflicts at its far ends, and only what is left is ambiguous.
Test(graph, relations_decide_transitively_and_registration_the_rest) {
    static const weft_access write[] = {WEFT_WRITES(A)};
    weft_world* world = make();
    weft_schedule* schedule = run_schedule(world);
    add(schedule, "last", write, 1, WEFT_SCOPE_CHUNK, NULL, NAMES("middle"));
    add(schedule, "middle", NULL, 0, WEFT_SCOPE_CHUNK, NULL, NAMES("first"));
    add(schedule, "first", write, 1, WEFT_SCOPE_CHUNK, NULL, NULL);
    add(schedule, "free", write, 1, WEFT_SCOPE_CHUNK, NULL, NULL);
    SCHEDULE_OK(schedule, weft_schedule_build(schedule));
    check_names(schedule, "first middle last free");
    uint32_t ambiguous = 0;
    for (uint32_t i = 0; i < weft_schedule_edge_count(schedule); i++) {
        weft_edge edge = weft_schedule_edge(schedule, i);
        ambiguous += edge.by_registration;
        cr_assert_eq(edge.by_registration, edge.to == 3, "%u to %u", edge.from, edge.to);
        cr_assert_lt(edge.from, edge.to);
    }
    cr_assert_eq(ambiguous, 2);
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
}

// Cycles
// -------------------------------------------------------------------------------------------

Test(graph, a_cycle_of_relations_names_every_edge) {
    weft_world* world = make();
    weft_schedule* schedule = run_schedule(world);
    add(schedule, "outside", NULL, 0, WEFT_SCOPE_CHUNK, NULL, NULL);
    add(schedule, "red", NULL, 0, WEFT_SCOPE_CHUNK, NAMES("green"), NULL);
    add(schedule, "green", NULL, 0, WEFT_SCOPE_CHUNK, NAMES("blue"), NULL);
    add(schedule, "blue", NULL, 0, WEFT_SCOPE_CHUNK, NAMES("red"), NULL);
    add(schedule, "behind", NULL, 0, WEFT_SCOPE_CHUNK, NULL, NAMES("red"));
    cr_assert_eq(weft_schedule_build(schedule), WEFT_STATUS_GRAPH_CYCLE);
    const char* error = weft_schedule_error(schedule);
    TEXT_HAS(error, "\"red\" before \"green\": declared before");
    TEXT_HAS(error, "\"green\" before \"blue\": declared before");
    TEXT_HAS(error, "\"blue\" before \"red\": declared before");
    cr_assert_null(strstr(error, "outside"), "%s", error);
    cr_assert_null(strstr(error, "behind"), "%s", error);
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
}

Test(graph, a_system_before_itself_is_a_cycle) {
    weft_world* world = make();
    weft_schedule* schedule = run_schedule(world);
    add(schedule, "ego", NULL, 0, WEFT_SCOPE_CHUNK, NULL, NAMES("ego"));
    cr_assert_eq(weft_schedule_build(schedule), WEFT_STATUS_GRAPH_CYCLE);
    TEXT_HAS(weft_schedule_error(schedule), "\"ego\"");
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
}

// Conflicts take the direction of registration, relations may turn against it: each edge of the
// cycle says why it is there.
Test(graph, a_cycle_through_conflicts_names_the_data) {
    static const weft_access write_a[] = {WEFT_WRITES(A)};
    static const weft_access both[] = {WEFT_READS(A), WEFT_WRITES(B)};
    static const weft_access write_b[] = {WEFT_READS_ANY(B)};
    weft_world* world = make();
    weft_schedule* schedule = run_schedule(world);
    add(schedule, "one", write_a, 1, WEFT_SCOPE_CHUNK, NULL, NULL);
    add(schedule, "two", both, 2, WEFT_SCOPE_CHUNK, NULL, NULL);
    add(schedule, "three", write_b, 1, WEFT_SCOPE_CHUNK, NAMES("one"), NULL);
    cr_assert_eq(weft_schedule_build(schedule), WEFT_STATUS_GRAPH_CYCLE);
    const char* error = weft_schedule_error(schedule);
    TEXT_HAS(error, "\"one\" before \"two\": read-write on the same row A");
    TEXT_HAS(error, "\"two\" before \"three\": any-row read of what the other writes B");
    TEXT_HAS(error, "\"three\" before \"one\": declared before");
    TEXT_HAS(error, "registration");
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
}

// Random graphs
// ------------------------------------------------------------------------------------

enum {
    SYSTEMS_MAX = 14,
    KINDS = 4, // A to D.
    GRAPHS = 3000
};

typedef struct model_system {
    char name[24];
    weft_access terms[KINDS];
    uint32_t term_count;
    weft_access_mode modes[KINDS]; // 0: not named.
    bool relations[SYSTEMS_MAX];   // Must run before.
} model_system;

typedef struct model_graph {
    model_system systems[SYSTEMS_MAX];
    uint32_t count;
    bool declared[SYSTEMS_MAX][SYSTEMS_MAX]; // Transitively.
    bool edge[SYSTEMS_MAX][SYSTEMS_MAX];
    bool barrier[SYSTEMS_MAX][SYSTEMS_MAX];
    bool ambiguous[SYSTEMS_MAX][SYSTEMS_MAX];
    uint32_t order[SYSTEMS_MAX];
    uint32_t stage[SYSTEMS_MAX]; // By registration.
    uint32_t stage_count;
} model_graph;

static uint64_t draw(uint64_t* state) {
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static void generate(model_graph* g, uint64_t* state) {
    static const weft_type* types[KINDS];
    types[0] = WEFT_TYPE(A);
    types[1] = WEFT_TYPE(B);
    types[2] = WEFT_TYPE(C);
    types[3] = WEFT_TYPE(D);
    memset(g, 0, sizeof(*g));
    g->count = 1 + (uint32_t)(draw(state) % SYSTEMS_MAX);
    uint64_t relations = draw(state) % 20;
    for (uint32_t i = 0; i < g->count; i++) {
        model_system* s = &g->systems[i];
        snprintf(s->name, sizeof(s->name), "system %u", i);
        for (uint32_t kind = 0; kind < KINDS; kind++) {
            uint32_t mode = (uint32_t)(draw(state) % 14);
            if (mode == 0 || mode > WEFT_ACCESS_READ_ANY)
                continue;
            s->modes[kind] = (weft_access_mode)mode;
            s->terms[s->term_count++] = (weft_access){(weft_access_mode)mode, types[kind]};
        }
        for (uint32_t j = 0; j < g->count; j++)
            s->relations[j] = i != j && draw(state) % 400 < relations + (i < j ? 20 : 0);
    }
}

static bool writes(weft_access_mode mode) {
    return mode == WEFT_ACCESS_WRITE || mode == WEFT_ACCESS_WRITE_OPTIONAL;
}

static bool reads(weft_access_mode mode) {
    return mode == WEFT_ACCESS_READ || mode == WEFT_ACCESS_READ_OPTIONAL || writes(mode);
}

static bool needs(weft_access_mode mode) {
    return mode == WEFT_ACCESS_READ || mode == WEFT_ACCESS_WRITE || mode == WEFT_ACCESS_WITH;
}

// 0: none, 1: on the same row, 2: barrier.
static int conflict(const model_system* a, const model_system* b) {
    int found = 0;
    bool disjoint = false;
    for (uint32_t kind = 0; kind < KINDS; kind++) {
        weft_access_mode x = a->modes[kind];
        weft_access_mode y = b->modes[kind];
        if ((writes(x) && y == WEFT_ACCESS_READ_ANY) || (writes(y) && x == WEFT_ACCESS_READ_ANY))
            return 2;
        if ((writes(x) && reads(y)) || (writes(y) && reads(x)))
            found = 1;
        if ((needs(x) && y == WEFT_ACCESS_WITHOUT) || (needs(y) && x == WEFT_ACCESS_WITHOUT))
            disjoint = true;
    }
    return disjoint ? 0 : found;
}

// False if the relations alone are a cycle.
static bool close_relations(model_graph* g) {
    for (uint32_t i = 0; i < g->count; i++)
        for (uint32_t j = 0; j < g->count; j++)
            g->declared[i][j] = g->systems[i].relations[j];
    for (uint32_t k = 0; k < g->count; k++)
        for (uint32_t i = 0; i < g->count; i++)
            for (uint32_t j = 0; j < g->count; j++)
                g->declared[i][j] |= g->declared[i][k] && g->declared[k][j];
    for (uint32_t i = 0; i < g->count; i++)
        if (g->declared[i][i])
            return false;
    return true;
}

// False on a cycle.
static bool rank_model(model_graph* g) {
    bool done[SYSTEMS_MAX] = {false};
    if (!close_relations(g))
        return false;
    for (uint32_t i = 0; i < g->count; i++)
        for (uint32_t j = i + 1; j < g->count; j++) {
            int found = conflict(&g->systems[i], &g->systems[j]);
            uint32_t from = g->declared[j][i] ? j : i;
            uint32_t to = from == i ? j : i;
            if (found == 0 && !g->systems[i].relations[j] && !g->systems[j].relations[i])
                continue;
            g->edge[from][to] = true;
            g->barrier[from][to] = found == 2;
            g->ambiguous[from][to] = !g->declared[from][to];
        }
    for (uint32_t rank = 0; rank < g->count; rank++) {
        uint32_t next = 0;
        for (; next < g->count; next++) {
            bool ready = !done[next];
            for (uint32_t i = 0; i < g->count; i++)
                ready = ready && (done[i] || !g->edge[i][next]);
            if (ready)
                break;
        }
        if (next == g->count)
            return false;
        done[next] = true;
        g->order[rank] = next;
        for (uint32_t i = 0; i < g->count; i++) {
            uint32_t least = g->stage[i] + g->barrier[i][next];
            if (g->edge[i][next] && least > g->stage[next])
                g->stage[next] = least;
        }
        if (g->stage[next] + 1 > g->stage_count)
            g->stage_count = g->stage[next] + 1;
    }
    return true;
}

static weft_schedule* register_model(weft_world* world, const model_graph* g) {
    weft_schedule* schedule = run_schedule(world);
    for (uint32_t i = 0; i < g->count; i++) {
        const char* before[SYSTEMS_MAX + 1] = {NULL};
        const char* after[SYSTEMS_MAX + 1] = {NULL};
        uint32_t before_count = 0;
        uint32_t after_count = 0;
        // A relation is declared by one of its two ends.
        for (uint32_t j = 0; j < g->count; j++) {
            if (g->systems[i].relations[j] && (i + j) % 2 == 0)
                before[before_count++] = g->systems[j].name;
            if (g->systems[j].relations[i] && (i + j) % 2 == 1)
                after[after_count++] = g->systems[j].name;
        }
        add(schedule, g->systems[i].name, g->systems[i].terms, g->systems[i].term_count,
            WEFT_SCOPE_CHUNK, before, after);
    }
    return schedule;
}

static void compare_graph(const weft_schedule* schedule, const model_graph* g, uint64_t seed,
                          uint32_t number) {
    uint32_t edges = 0;
    for (uint32_t rank = 0; rank < g->count; rank++) {
        const model_system* s = &g->systems[g->order[rank]];
        cr_assert(strcmp(weft_schedule_system_name(schedule, rank), s->name) == 0,
                  "WEFT_TEST_SEED=0x%" PRIX64 " graph %u: rank %u is %s, expected %s", seed, number,
                  rank, weft_schedule_system_name(schedule, rank), s->name);
        cr_assert(weft_schedule_system_stage(schedule, rank) == g->stage[g->order[rank]],
                  "WEFT_TEST_SEED=0x%" PRIX64 " graph %u: stage of %s", seed, number, s->name);
        for (uint32_t i = 0; i < g->count; i++)
            edges += g->edge[g->order[rank]][i];
    }
    cr_assert(weft_schedule_edge_count(schedule) == edges &&
                  weft_schedule_stage_count(schedule) == g->stage_count,
              "WEFT_TEST_SEED=0x%" PRIX64 " graph %u: %u edges, expected %u", seed, number,
              weft_schedule_edge_count(schedule), edges);
    for (uint32_t i = 0; i < edges; i++) {
        weft_edge edge = weft_schedule_edge(schedule, i);
        uint32_t from = g->order[edge.from];
        uint32_t to = g->order[edge.to];
        cr_assert(g->edge[from][to] && g->barrier[from][to] == edge.barrier &&
                      g->ambiguous[from][to] == edge.by_registration,
                  "WEFT_TEST_SEED=0x%" PRIX64 " graph %u: edge from %u to %u", seed, number, from,
                  to);
    }
}

Test(graph, random_graphs_are_ranked_as_a_plain_model_ranks_them) {
    const char* text = getenv("WEFT_TEST_SEED");
    uint64_t seed = text != NULL ? strtoull(text, NULL, 0) : UINT64_C(0x6A47);
    uint64_t state = seed;
    uint32_t cycles = 0;
    fprintf(stderr, "graph: WEFT_TEST_SEED=0x%" PRIX64 "\n", seed);
    weft_world* world = make();
    for (uint32_t i = 0; i < GRAPHS; i++) {
        static model_graph g;
        generate(&g, &state);
        bool ranked = rank_model(&g);
        weft_schedule* schedule = register_model(world, &g);
        weft_status status = weft_schedule_build(schedule);
        cr_assert(status == (ranked ? WEFT_STATUS_OK : WEFT_STATUS_GRAPH_CYCLE),
                  "WEFT_TEST_SEED=0x%" PRIX64 " graph %u: %s (%s)", seed, i,
                  weft_status_name(status), weft_schedule_error(schedule));
        cycles += !ranked;
        if (ranked)
            compare_graph(schedule, &g, seed, i);
        weft_schedule_destroy(schedule);
    }
    cr_assert(cycles > 0 && cycles < GRAPHS, "%u of %u graphs have cycles", cycles,
              (uint32_t)GRAPHS);
    weft_world_destroy(world);
}

// Two worlds that know the same get the same plan.
Test(graph, the_plan_is_the_same_in_two_worlds) {
    uint64_t state = 99;
    for (uint32_t i = 0; i < 50; i++) {
        static model_graph g;
        weft_world* worlds[2];
        weft_schedule* schedules[2];
        generate(&g, &state);
        if (!rank_model(&g))
            continue;
        for (uint32_t j = 0; j < 2; j++) {
            worlds[j] = make();
            if (j == 1) // Entities and archetypes do not enter it.
                WEFT_ADD(weft_world_commands(worlds[j]), 0, world_create_one(worlds[j]), B, {1});
            world_commit(worlds[j]);
            schedules[j] = register_model(worlds[j], &g);
            SCHEDULE_OK(schedules[j], weft_schedule_build(schedules[j]));
        }
        cr_assert_eq(weft_schedule_hash(schedules[0]), weft_schedule_hash(schedules[1]));
        cr_assert_eq(weft_schedule_edge_count(schedules[0]),
                     weft_schedule_edge_count(schedules[1]));
        for (uint32_t k = 0; k < weft_schedule_edge_count(schedules[0]); k++) {
            weft_edge a = weft_schedule_edge(schedules[0], k);
            weft_edge b = weft_schedule_edge(schedules[1], k);
            cr_assert(a.from == b.from && a.to == b.to && a.barrier == b.barrier &&
                      a.by_registration == b.by_registration && a.type == b.type &&
                      strcmp(a.reason, b.reason) == 0);
        }
        for (uint32_t k = 0; k < g.count; k++)
            cr_assert_eq(weft_schedule_system_stage(schedules[0], k),
                         weft_schedule_system_stage(schedules[1], k));
        for (uint32_t j = 0; j < 2; j++) {
            weft_schedule_destroy(schedules[j]);
            weft_world_destroy(worlds[j]);
        }
    }
}

// Registration
// -------------------------------------------------------------------------------------

static void refuse(weft_world* world, weft_schedule* schedule, const weft_system_desc* desc,
                   weft_status status, const char* part) {
    uint64_t hash = weft_schedule_hash(schedule);
    cr_assert_eq(weft_schedule_add_system(schedule, desc), status, "%s", part);
    TEXT_HAS(weft_schedule_error(schedule), part);
    cr_assert_eq(weft_schedule_hash(schedule), hash, "something was registered");
    (void)world;
}

Test(graph, bad_descriptions_are_refused_and_change_nothing) {
    weft_world* world = make();
    weft_schedule* schedule = run_schedule(world);
    char longest[65];
    memset(longest, 'n', sizeof(longest));
    longest[64] = '\0';
    weft_system_desc desc = weft_system_desc_default();
    refuse(world, schedule, &desc, WEFT_STATUS_BAD_ARGUMENT, "name");
    desc.name = "idle";
    refuse(world, schedule, &desc, WEFT_STATUS_BAD_ARGUMENT, "\"idle\"");
    desc.run = idle;
    desc.cookie = 0;
    refuse(world, schedule, &desc, WEFT_STATUS_BAD_ARGUMENT, "weft_system_desc_default");
    refuse(world, schedule, NULL, WEFT_STATUS_BAD_ARGUMENT, "weft_system_desc_default");
    desc = *WEFT_SYSTEM("idle", idle, .scope = (weft_scope)2);
    refuse(world, schedule, &desc, WEFT_STATUS_BAD_ARGUMENT, "scope");
    desc = *WEFT_SYSTEM(longest, idle);
    refuse(world, schedule, &desc, WEFT_STATUS_BAD_ARGUMENT, "63 characters");
    longest[63] = '\0';
    run_add(schedule, WEFT_SYSTEM(longest, idle));
    refuse(world, schedule, &desc, WEFT_STATUS_DUPLICATE, "registered already");
    SCHEDULE_OK(schedule, weft_schedule_build(schedule));
    SCHEDULE_OK(schedule, weft_schedule_build(schedule));
    refuse(world, schedule, WEFT_SYSTEM("late", idle), WEFT_STATUS_WRONG_PHASE, "built");
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
}

Test(graph, bad_access_lists_are_refused_by_name) {
    weft_world* world = make();
    weft_schedule* schedule = run_schedule(world);
    refuse(world, schedule, WEFT_SYSTEM("s", idle, WEFT_ACCESS(WEFT_READS(A), WEFT_WRITES(A))),
           WEFT_STATUS_BAD_ACCESS, "A is declared as READ and as WRITE");
    refuse(world, schedule, WEFT_SYSTEM("s", idle, WEFT_ACCESS(WEFT_WRITES(A), WEFT_READS_ANY(A))),
           WEFT_STATUS_BAD_ACCESS, "READ_ANY");
    refuse(world, schedule, WEFT_SYSTEM("s", idle, WEFT_ACCESS(WEFT_WITH(A), WEFT_WITHOUT(A))),
           WEFT_STATUS_BAD_ACCESS, "WITHOUT");
    refuse(world, schedule,
           WEFT_SYSTEM("s", idle, WEFT_ACCESS(WEFT_EMITS(Shout), WEFT_CONSUMES(Shout))),
           WEFT_STATUS_BAD_ACCESS, "Shout");
    refuse(world, schedule, WEFT_SYSTEM("s", idle, WEFT_ACCESS(WEFT_READS(Stranger))),
           WEFT_STATUS_UNKNOWN_TYPE, "Stranger");
    refuse(world, schedule, WEFT_SYSTEM("s", idle, WEFT_ACCESS(WEFT_READS(Gauge))),
           WEFT_STATUS_BAD_ACCESS, "Gauge");
    refuse(world, schedule, WEFT_SYSTEM("s", idle, WEFT_ACCESS(WEFT_EMITS(A))),
           WEFT_STATUS_BAD_ACCESS, "EMIT(A)");
    refuse(world, schedule, WEFT_SYSTEM("s", idle, WEFT_ACCESS({WEFT_ACCESS_READ, NULL})),
           WEFT_STATUS_BAD_ACCESS, "no type");
    refuse(world, schedule,
           WEFT_SYSTEM("s", idle, WEFT_ACCESS({(weft_access_mode)99, WEFT_TYPE(A)})),
           WEFT_STATUS_BAD_ACCESS, "99");
    refuse(world, schedule,
           WEFT_SYSTEM("s", idle, .scope = WEFT_SCOPE_WORLD, WEFT_ACCESS(WEFT_READS(A))),
           WEFT_STATUS_BAD_ACCESS, "world scope");
    refuse(world, schedule,
           WEFT_SYSTEM("s", idle, .scope = WEFT_SCOPE_WORLD, WEFT_ACCESS(WEFT_REDUCES(Total))),
           WEFT_STATUS_BAD_ACCESS, "Total");
    weft_access many[65];
    for (uint32_t i = 0; i < 65; i++)
        many[i] = (weft_access)WEFT_COMMANDS;
    weft_system_desc desc = *WEFT_SYSTEM("s", idle, .access = many, .access_count = 65);
    refuse(world, schedule, &desc, WEFT_STATUS_BAD_ACCESS, "65 entries");
    SCHEDULE_OK(schedule, weft_schedule_build(schedule));
    cr_assert_eq(weft_schedule_system_count(schedule), 0);
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
}

Test(graph, the_schedule_hash_covers_names_access_scope_and_relations) {
    uint64_t seen[8];
    weft_world* world = make();
    for (uint32_t i = 0; i < 8; i++) {
        weft_schedule* schedule = run_schedule(world);
        run_add(schedule, WEFT_SYSTEM("other", idle));
        if (i < 2)
            run_add(schedule, WEFT_SYSTEM(i == 0 ? "s" : "t", idle));
        else if (i < 4)
            run_add(schedule,
                    WEFT_SYSTEM("s", idle,
                                WEFT_ACCESS({i == 2 ? WEFT_ACCESS_READ : WEFT_ACCESS_WRITE,
                                             WEFT_TYPE(A)})));
        else if (i == 4)
            run_add(schedule, WEFT_SYSTEM("s", idle, WEFT_ACCESS(WEFT_COMMANDS)));
        else if (i == 5)
            run_add(schedule, WEFT_SYSTEM("s", idle, .scope = WEFT_SCOPE_WORLD));
        else
            run_add(schedule, WEFT_SYSTEM("s", idle, .before = i == 6 ? NAMES("other") : NULL,
                                          .after = i == 7 ? NAMES("other") : NULL));
        seen[i] = weft_schedule_hash(schedule);
        for (uint32_t j = 0; j < i; j++)
            cr_assert_neq(seen[i], seen[j], "schedules %u and %u hash alike", i, j);
        weft_schedule_destroy(schedule);
    }
    weft_world_destroy(world);
}
