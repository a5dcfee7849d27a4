// What a schedule is like: order, paths, width, pairs, findings. Against plain models: the closure
// by Floyd and Warshall, the longest chain and the largest set without order by trying all.

#include "worlds.h"

#include <time.h>
#include <weft/inspect.h>

WEFT_COMPONENT(A, (uint32_t, value));
WEFT_COMPONENT(B, (uint32_t, value));
WEFT_COMPONENT(C, (uint32_t, value));
WEFT_COMPONENT(Twin, (uint32_t, value)); // Buffered.
WEFT_RESOURCE(Gauge, (uint32_t, value));
WEFT_MESSAGE(Shout, (uint32_t, value)); // Same tick.
WEFT_MESSAGE(Echo, (uint32_t, value));  // Next tick.
WEFT_MESSAGE(Row, (uint32_t, value));   // Of a table.
WEFT_PARTIAL(Total, (uint32_t, value));

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
    world_component(world, WEFT_TYPE(Twin), WEFT_STORAGE_BUFFERED);
    WORLD_OK(world, weft_world_register_resource(world, WEFT_TYPE(Gauge), 1, NULL));
    WORLD_OK(world, weft_world_register_channel(world, WEFT_TYPE(Shout), WEFT_TARGET_WORLD,
                                                WEFT_DELIVERY_TICK));
    WORLD_OK(world, weft_world_register_channel(world, WEFT_TYPE(Echo), WEFT_TARGET_WORLD,
                                                WEFT_DELIVERY_NEXT));
    WORLD_OK(world, weft_world_register_reduction(world, WEFT_TYPE(Total), NULL, total_combine));
    return world;
}

static weft_inspect* inspect_built(weft_schedule* schedule) {
    weft_inspect* inspect;
    SCHEDULE_OK(schedule, weft_schedule_build(schedule));
    cr_assert_eq(weft_inspect_create(schedule, &inspect), WEFT_STATUS_OK);
    return inspect;
}

static void close_all(weft_inspect* inspect, weft_schedule* schedule, weft_world* world) {
    weft_inspect_destroy(inspect);
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
}

#define SYSTEM(name, ...) WEFT_SYSTEM(name, idle, WEFT_ACCESS(__VA_ARGS__))
#define NAMES(...) ((const char* const[]){__VA_ARGS__, NULL})

// Random schedules --------------------------------------------------------------------------------

enum {
    SYSTEMS_MAX = 12,
    KINDS = 6, // A, B, C, Twin, Shout, Total.
    GRAPHS = 2000,
};

typedef struct model {
    uint32_t count;
    weft_access_mode modes[SYSTEMS_MAX][KINDS]; // By registration, later by rank. 0: not named.
    bool relations[SYSTEMS_MAX][SYSTEMS_MAX];
    bool edge[SYSTEMS_MAX][SYSTEMS_MAX]; // By rank, as the schedule has them.
    bool after[SYSTEMS_MAX][SYSTEMS_MAX];
    bool settled[SYSTEMS_MAX][SYSTEMS_MAX]; // By relations and messages alone.
    uint32_t steps[SYSTEMS_MAX][SYSTEMS_MAX];
    uint32_t rows[3]; // Component sets of the world's archetypes, bits of A, B, C, Twin.
} model;

static uint64_t draw(uint64_t* state) {
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static const weft_type* kind_type(uint32_t kind) {
    const weft_type* types[KINDS] = {WEFT_TYPE(A),    WEFT_TYPE(B),     WEFT_TYPE(C),
                                     WEFT_TYPE(Twin), WEFT_TYPE(Shout), WEFT_TYPE(Total)};
    return types[kind];
}

static void generate(model* m, uint64_t* state) {
    memset(m, 0, sizeof(*m));
    m->count = (uint32_t)(draw(state) % (SYSTEMS_MAX + 1));
    uint64_t density = 8 + draw(state) % 30;
    for (uint32_t i = 0; i < m->count; i++) {
        for (uint32_t kind = 0; kind < KINDS; kind++) {
            uint32_t mode = (uint32_t)(draw(state) % density);
            if (kind == KINDS - 1) // Nobody writes between readers: those are first.
                mode = mode == 1 ? WEFT_ACCESS_REDUCE : 0;
            else if (kind == KINDS - 2) // Senders come first.
                mode = mode >= 4                        ? 0
                       : i < m->count / 2 || i % 5 == 0 ? WEFT_ACCESS_EMIT
                                                        : WEFT_ACCESS_CONSUME;
            else if (mode > WEFT_ACCESS_READ_ANY)
                mode = 0;
            m->modes[i][kind] = (weft_access_mode)mode;
        }
        for (uint32_t j = 0; j < m->count; j++)
            m->relations[i][j] = i < j && draw(state) % 100 < 6;
    }
    if (m->count > 0 && draw(state) % 3 == 0)
        m->modes[0][KINDS - 1] = WEFT_ACCESS_REDUCED;
    for (uint32_t i = 0; i < 3; i++)
        m->rows[i] = (uint32_t)(draw(state) % 15 + 1);
}

static void make_rows(weft_world* world, const model* m) {
    for (uint32_t i = 0; i < 3; i++) {
        weft_commands* commands = weft_world_commands(world);
        weft_entity entity = weft_commands_create(commands, 0);
        for (uint32_t kind = 0; kind < 4; kind++)
            if ((m->rows[i] >> kind & 1) != 0)
                weft_commands_add(commands, 0, entity, kind_type(kind), NULL);
    }
    world_commit(world);
}

static weft_schedule* register_model(weft_world* world, const model* m) {
    static char names[SYSTEMS_MAX][16];
    weft_schedule* schedule = run_schedule(world);
    for (uint32_t i = 0; i < m->count; i++)
        snprintf(names[i], sizeof(names[i]), "s%u", i);
    for (uint32_t i = 0; i < m->count; i++) {
        const char* before[SYSTEMS_MAX + 1] = {NULL};
        weft_access terms[KINDS];
        uint32_t before_count = 0;
        uint32_t term_count = 0;
        for (uint32_t j = 0; j < m->count; j++)
            if (m->relations[i][j])
                before[before_count++] = names[j];
        for (uint32_t kind = 0; kind < KINDS; kind++)
            if (m->modes[i][kind] != 0)
                terms[term_count++] = (weft_access){m->modes[i][kind], kind_type(kind)};
        run_add(schedule, WEFT_SYSTEM(names[i], idle, .access = terms, .access_count = term_count,
                                      .before = before));
    }
    return schedule;
}

static void close_relation(bool relation[SYSTEMS_MAX][SYSTEMS_MAX], uint32_t count) {
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t j = 0; j < count; j++)
                relation[i][j] = relation[i][j] || (relation[i][k] && relation[k][j]);
}

// Turns the model to ranks, and takes the edges from the schedule.
static void model_close(model* m, const weft_schedule* schedule) {
    model old = *m;
    uint32_t number[SYSTEMS_MAX];
    for (uint32_t rank = 0; rank < m->count; rank++) {
        number[rank] = (uint32_t)strtoul(weft_schedule_system_name(schedule, rank) + 1, NULL, 10);
        memcpy(m->modes[rank], old.modes[number[rank]], sizeof(m->modes[rank]));
    }
    for (uint32_t i = 0; i < weft_schedule_edge_count(schedule); i++) {
        weft_edge edge = weft_schedule_edge(schedule, i);
        m->edge[edge.from][edge.to] = true;
    }
    for (uint32_t i = 0; i < m->count; i++)
        for (uint32_t j = 0; j < m->count; j++) {
            m->relations[i][j] = old.relations[number[i]][number[j]];
            m->settled[i][j] =
                m->relations[i][j] || (m->modes[i][KINDS - 2] == WEFT_ACCESS_EMIT &&
                                       m->modes[j][KINDS - 2] == WEFT_ACCESS_CONSUME);
            m->steps[i][j] = m->edge[i][j] ? 1 : 1000;
        }
    close_relation(m->relations, m->count);
    close_relation(m->settled, m->count);
    for (uint32_t k = 0; k < m->count; k++)
        for (uint32_t i = 0; i < m->count; i++)
            for (uint32_t j = 0; j < m->count; j++)
                if (m->steps[i][k] + m->steps[k][j] < m->steps[i][j])
                    m->steps[i][j] = m->steps[i][k] + m->steps[k][j];
    for (uint32_t i = 0; i < m->count; i++)
        for (uint32_t j = 0; j < m->count; j++)
            m->after[i][j] = m->steps[i][j] < 1000;
}

#define SAYS "WEFT_TEST_SEED=0x%" PRIX64 " graph %u: "

static uint32_t longest_from(const model* m, uint32_t at) {
    uint32_t best = 1;
    for (uint32_t next = 0; next < m->count; next++) {
        uint32_t length = m->edge[at][next] ? 1 + longest_from(m, next) : 0;
        best = length > best ? length : best;
    }
    return best;
}

static uint32_t widest(const model* m) {
    uint32_t best = 0;
    for (uint32_t set = 0; set < 1u << m->count; set++) {
        bool free = true;
        for (uint32_t i = 0; i < m->count && free; i++)
            for (uint32_t j = 0; j < m->count && free; j++)
                free = !((set >> i & 1) && (set >> j & 1) && m->after[i][j]);
        uint32_t size = (uint32_t)__builtin_popcount(set);
        best = free && size > best ? size : best;
    }
    return best;
}

static void check_edges(const model* m, const weft_inspect* inspect, uint32_t edges, uint64_t seed,
                        uint32_t number) {
    uint32_t last = 0;
    for (uint32_t i = 0; i < edges; i++) {
        weft_inspect_edge at = weft_inspect_edge_at(inspect, i);
        uint32_t key = at.edge.from * SYSTEMS_MAX + at.edge.to + 1;
        bool implied = false;
        for (uint32_t k = 0; k < m->count; k++)
            implied = implied || (m->after[at.edge.from][k] && m->after[k][at.edge.to]);
        cr_assert(key > last, SAYS "edges are out of order", seed, number);
        weft_inspect_order order = m->relations[at.edge.from][at.edge.to] ? WEFT_ORDER_DECLARED
                                   : m->settled[at.edge.from][at.edge.to] ? WEFT_ORDER_MESSAGES
                                                                          : WEFT_ORDER_REGISTRATION;
        cr_assert(at.order == order, SAYS "order %d, not %d, of %u and %u", seed, number, at.order,
                  order, at.edge.from, at.edge.to);
        cr_assert(at.implied == implied, SAYS "edge %u to %u", seed, number, at.edge.from,
                  at.edge.to);
        last = key;
    }
}

static void check_paths(const model* m, weft_inspect* inspect, uint64_t seed, uint32_t number) {
    uint32_t ranks[SYSTEMS_MAX];
    for (uint32_t i = 0; i < m->count; i++) {
        for (uint32_t j = 0; j < m->count; j++) {
            uint32_t count = weft_inspect_path(inspect, i, j, ranks);
            cr_assert(weft_inspect_is_before(inspect, i, j) == m->after[i][j], SAYS "%u before %u",
                      seed, number, i, j);
            cr_assert(count == (m->after[i][j] ? m->steps[i][j] + 1 : 0),
                      SAYS "path of %u from %u to %u", seed, number, count, i, j);
            cr_assert(count == 0 || (ranks[0] == i && ranks[count - 1] == j));
            for (uint32_t k = 1; k < count; k++)
                cr_assert(m->edge[ranks[k - 1]][ranks[k]], SAYS "path", seed, number);
        }
    }
}

static void check_sizes(const model* m, weft_inspect* inspect, uint64_t seed, uint32_t number) {
    uint32_t ranks[SYSTEMS_MAX];
    uint32_t longest = 0;
    bool exact = false;
    for (uint32_t i = 0; i < m->count; i++) {
        uint32_t length = longest_from(m, i);
        longest = length > longest ? length : longest;
    }
    uint32_t count = weft_inspect_critical_path(inspect, ranks);
    cr_assert(count == longest, SAYS "critical path %u, not %u", seed, number, count, longest);
    for (uint32_t k = 1; k < count; k++)
        cr_assert(m->edge[ranks[k - 1]][ranks[k]], SAYS "critical path", seed, number);
    uint32_t width = widest(m);
    for (uint32_t limit = 0; limit <= SYSTEMS_MAX; limit += SYSTEMS_MAX) {
        count = weft_inspect_width(inspect, limit, ranks, &exact);
        cr_assert_eq(exact, m->count <= limit);
        cr_assert(exact ? count == width : count <= width && count > 0, SAYS "width %u, not %u",
                  seed, number, count, width);
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t j = i + 1; j < count; j++)
                cr_assert(ranks[i] < ranks[j] && !m->after[ranks[i]][ranks[j]],
                          SAYS "%u and %u are ordered", seed, number, ranks[i], ranks[j]);
    }
}

static bool writes(weft_access_mode mode) {
    return mode == WEFT_ACCESS_WRITE || mode == WEFT_ACCESS_WRITE_OPTIONAL;
}

static bool reads(weft_access_mode mode) {
    return mode == WEFT_ACCESS_READ || mode == WEFT_ACCESS_READ_OPTIONAL ||
           mode == WEFT_ACCESS_READ_ANY;
}

static bool needs(weft_access_mode mode) {
    return mode == WEFT_ACCESS_READ || mode == WEFT_ACCESS_WRITE || mode == WEFT_ACCESS_WITH;
}

static bool apart(const model* m, uint32_t i, uint32_t j) {
    for (uint32_t kind = 0; kind < 4; kind++)
        if ((needs(m->modes[i][kind]) && m->modes[j][kind] == WEFT_ACCESS_WITHOUT) ||
            (needs(m->modes[j][kind]) && m->modes[i][kind] == WEFT_ACCESS_WITHOUT))
            return true;
    return false;
}

// 0: no conflict on this type, 1: on the same row, 2: barrier.
static int clash(const model* m, uint32_t i, uint32_t j, uint32_t kind) {
    weft_access_mode x = m->modes[i][kind];
    weft_access_mode y = m->modes[j][kind];
    if ((x == WEFT_ACCESS_EMIT && y == WEFT_ACCESS_CONSUME) ||
        (y == WEFT_ACCESS_EMIT && x == WEFT_ACCESS_CONSUME))
        return 2;
    if ((x == WEFT_ACCESS_REDUCE && y == WEFT_ACCESS_REDUCED) ||
        (y == WEFT_ACCESS_REDUCE && x == WEFT_ACCESS_REDUCED))
        return 2;
    if (kind == 3 && !(writes(x) && writes(y)))
        return 0;
    if ((writes(x) && y == WEFT_ACCESS_READ_ANY) || (writes(y) && x == WEFT_ACCESS_READ_ANY))
        return 2;
    if ((writes(x) && (writes(y) || reads(y))) || (writes(y) && reads(x)))
        return apart(m, i, j) ? 0 : 1;
    return 0;
}

static void check_bonds(const model* m, const weft_inspect* inspect, uint64_t seed,
                        uint32_t number) {
    for (uint32_t i = 0; i < m->count; i++) {
        for (uint32_t j = 0; j < m->count; j++) {
            weft_bond bonds[WEFT_BONDS_MAX];
            uint32_t at = 0;
            uint32_t count = i != j ? weft_inspect_bonds(inspect, i, j, bonds) : 0;
            for (uint32_t kind = 0; kind < KINDS && i != j; kind++) {
                if (m->modes[i][kind] == 0 || m->modes[j][kind] == 0)
                    continue;
                int expected = clash(m, i, j, kind);
                cr_assert(at < count && bonds[at].type == kind_type(kind) &&
                              bonds[at].first == m->modes[i][kind] &&
                              bonds[at].second == m->modes[j][kind],
                          SAYS "bond %u of %u and %u", seed, number, at, i, j);
                cr_assert(bonds[at].conflict == (expected != 0) &&
                              (bonds[at].conflict && bonds[at].barrier) == (expected == 2) &&
                              bonds[at].reason != NULL,
                          SAYS "%u and %u: %s", seed, number, i, j, bonds[at].reason);
                cr_assert(bonds[at].apart == NULL || apart(m, i, j));
                at++;
            }
            cr_assert(at == count, SAYS "%u bonds of %u and %u", seed, number, count, i, j);
        }
    }
}

static uint32_t expect_finding(const weft_inspect* inspect, uint32_t at, weft_finding expected,
                               uint64_t seed, uint32_t number) {
    cr_assert(at < weft_inspect_finding_count(inspect), SAYS "finding %u is missing", seed, number,
              at);
    weft_finding found = weft_inspect_finding(inspect, at);
    cr_assert(found.kind == expected.kind && found.system == expected.system &&
                  found.other == expected.other && found.type == expected.type,
              SAYS "finding %u: kind %d of %u and %u, not %d of %u and %u", seed, number, at,
              found.kind, found.system, found.other, expected.kind, expected.system,
              expected.other);
    return at + 1;
}

static bool matches(const model* m, uint32_t system, uint32_t row) {
    for (uint32_t kind = 0; kind < 4; kind++) {
        bool has = (row >> kind & 1) != 0;
        if ((needs(m->modes[system][kind]) && !has) ||
            (m->modes[system][kind] == WEFT_ACCESS_WITHOUT && has))
            return false;
    }
    return true;
}

static void check_findings(const model* m, const weft_inspect* inspect, uint64_t seed,
                           uint32_t number) {
    uint32_t at = 0;
    for (uint32_t kind = 0; kind < 4; kind++)
        for (uint32_t i = 0, last = SYSTEMS_MAX; i < m->count; i++) {
            if (!writes(m->modes[i][kind]))
                continue;
            if (last != SYSTEMS_MAX)
                at = expect_finding(
                    inspect, at,
                    (weft_finding){WEFT_FINDING_DOUBLE_WRITER, last, i, kind_type(kind)}, seed,
                    number);
            last = i;
        }
    for (uint32_t kind = 0; kind < KINDS; kind++)
        for (uint32_t i = 0; i < m->count; i++) {
            bool late = false;
            uint32_t first = SYSTEMS_MAX;
            bool reader = reads(m->modes[i][kind]) || m->modes[i][kind] == WEFT_ACCESS_REDUCED;
            for (uint32_t j = m->count; j-- > 0 && reader;) {
                bool meets = i != j && clash(m, i, j, kind) != 0;
                late = late || (meets && m->after[j][i]);
                first = meets ? j : first;
            }
            if (first != SYSTEMS_MAX && !late)
                at = expect_finding(
                    inspect, at,
                    (weft_finding){WEFT_FINDING_READ_BEFORE_WRITE, i, first, kind_type(kind)}, seed,
                    number);
        }
    for (uint32_t i = 0; i < m->count; i++) {
        bool output = m->modes[i][KINDS - 1] == WEFT_ACCESS_REDUCE ||
                      m->modes[i][KINDS - 2] == WEFT_ACCESS_EMIT;
        for (uint32_t kind = 0; kind < 4; kind++)
            output = output || writes(m->modes[i][kind]);
        bool met = matches(m, i, 0); // The empty archetype is always there.
        for (uint32_t k = 0; k < 3; k++)
            met = met || matches(m, i, m->rows[k]);
        if (!output || !met)
            at = expect_finding(
                inspect, at,
                (weft_finding){output ? WEFT_FINDING_DEAD_UNMATCHED : WEFT_FINDING_DEAD_NO_OUTPUT,
                               i, i, NULL},
                seed, number);
    }
    cr_assert(at == weft_inspect_finding_count(inspect), SAYS "%u findings too many", seed, number,
              weft_inspect_finding_count(inspect) - at);
}

Test(inspect, random_schedules_are_what_plain_models_say) {
    const char* text = getenv("WEFT_TEST_SEED");
    uint64_t seed = text != NULL ? strtoull(text, NULL, 0) : UINT64_C(0x15EC);
    uint64_t state = seed;
    uint32_t built = 0;
    fprintf(stderr, "inspect: WEFT_TEST_SEED=0x%" PRIX64 "\n", seed);
    for (uint32_t i = 0; i < GRAPHS; i++) {
        model m;
        generate(&m, &state);
        weft_world* world = make();
        make_rows(world, &m);
        weft_schedule* schedule = register_model(world, &m);
        if (weft_schedule_build(schedule) == WEFT_STATUS_OK) {
            weft_inspect* inspect = inspect_built(schedule);
            model_close(&m, schedule);
            check_edges(&m, inspect, weft_schedule_edge_count(schedule), seed, i);
            check_paths(&m, inspect, seed, i);
            check_sizes(&m, inspect, seed, i);
            check_bonds(&m, inspect, seed, i);
            check_findings(&m, inspect, seed, i);
            weft_inspect_destroy(inspect);
            built++;
        }
        weft_schedule_destroy(schedule);
        weft_world_destroy(world);
    }
    cr_assert_gt(built, GRAPHS / 2, "only %u of %u schedules could be built", built,
                 (uint32_t)GRAPHS);
}

// Known answers -----------------------------------------------------------------------------------

Test(inspect, nothing_is_there_before_the_build) {
    weft_world* world = make();
    weft_schedule* schedule = run_schedule(world);
    weft_inspect* inspect;
    cr_assert_eq(weft_inspect_create(schedule, &inspect), WEFT_STATUS_WRONG_PHASE);
    cr_assert_null(inspect);
    weft_inspect_destroy(inspect);
    inspect = inspect_built(schedule);
    bool exact = false;
    uint32_t ranks[1];
    cr_assert_eq(weft_inspect_critical_path(inspect, ranks), 0);
    cr_assert_eq(weft_inspect_width(inspect, 1, ranks, &exact), 0);
    cr_assert_eq(weft_inspect_width(inspect, 0, ranks, &exact), 0);
    cr_assert_eq(weft_inspect_finding_count(inspect), 0);
    close_all(inspect, schedule, world);
}

// The letter N: two chains of two, and the level of the ends is no largest set.
Test(inspect, width_is_exact_where_levels_are_not) {
    weft_world* world = make();
    weft_schedule* schedule = run_schedule(world);
    run_add(schedule, WEFT_SYSTEM("root", idle, .before = NAMES("a", "b")));
    run_add(schedule, WEFT_SYSTEM("a", idle, .before = NAMES("c", "d")));
    run_add(schedule, WEFT_SYSTEM("b", idle));
    run_add(schedule, WEFT_SYSTEM("c", idle));
    run_add(schedule, WEFT_SYSTEM("d", idle));
    weft_inspect* inspect = inspect_built(schedule);
    bool exact = false;
    uint32_t ranks[5];
    cr_assert_eq(weft_inspect_width(inspect, WEFT_INSPECT_EXACT_MAX, ranks, &exact), 3);
    cr_assert(exact && ranks[0] == 2 && ranks[1] == 3 && ranks[2] == 4);
    cr_assert_eq(weft_inspect_width(inspect, 4, ranks, &exact), 2);
    cr_assert(!exact);
    close_all(inspect, schedule, world);
}

// A diamond has two paths of one length; the reduced graph is without its diagonal.
Test(inspect, a_diagonal_is_implied_and_the_path_is_the_shortest) {
    weft_world* world = make();
    weft_schedule* schedule = run_schedule(world);
    run_add(schedule, WEFT_SYSTEM("top", idle, .before = NAMES("left", "right", "end")));
    run_add(schedule, WEFT_SYSTEM("left", idle, .before = NAMES("end")));
    run_add(schedule, WEFT_SYSTEM("right", idle, .before = NAMES("end")));
    run_add(schedule, WEFT_SYSTEM("end", idle, .before = NAMES("last")));
    run_add(schedule, WEFT_SYSTEM("last", idle));
    weft_inspect* inspect = inspect_built(schedule);
    uint32_t ranks[5];
    cr_assert_eq(weft_schedule_edge_count(schedule), 6);
    for (uint32_t i = 0; i < 6; i++) {
        weft_inspect_edge at = weft_inspect_edge_at(inspect, i);
        cr_assert_eq(at.implied, at.edge.from == 0 && at.edge.to == 3);
    }
    cr_assert_eq(weft_inspect_path(inspect, 0, 4, ranks), 3);
    cr_assert(ranks[0] == 0 && ranks[1] == 3 && ranks[2] == 4);
    cr_assert_eq(weft_inspect_path(inspect, 4, 0, ranks), 0);
    cr_assert_eq(weft_inspect_critical_path(inspect, ranks), 4);
    cr_assert(ranks[0] == 0 && ranks[1] == 1 && ranks[2] == 3 && ranks[3] == 4);
    close_all(inspect, schedule, world);
}

static const char* only_reason(const weft_access* first, const weft_access* second,
                               bool* conflict_out) {
    weft_world* world = make();
    weft_schedule* schedule = run_schedule(world);
    weft_bond bonds[WEFT_BONDS_MAX];
    run_add(schedule, WEFT_SYSTEM("first", idle, .access = first, .access_count = 1));
    run_add(schedule, WEFT_SYSTEM("second", idle, .access = second, .access_count = 1));
    weft_inspect* inspect = inspect_built(schedule);
    cr_assert_eq(weft_inspect_bonds(inspect, 0, 1, bonds), 1);
    *conflict_out = bonds[0].conflict;
    close_all(inspect, schedule, world);
    return bonds[0].reason;
}

Test(inspect, pairs_without_conflict_have_a_reason) {
    static const struct {
        weft_access first;
        weft_access second;
        const char* reason;
    } pairs[] = {
        {WEFT_READS(A), WEFT_READS_ANY(A), "both only read it"},
        {WEFT_WRITES(A), WEFT_WITH(A), "who has it does not change within a tick"},
        {WEFT_WITHOUT(A), WEFT_WRITES_OPTIONAL(A), "who has it does not change within a tick"},
        {WEFT_READS_ANY(Twin), WEFT_WRITES(Twin), "the reader sees the value of the tick before"},
        {WEFT_EMITS(Shout), WEFT_EMITS(Shout), "messages are put in order after all are sent"},
        {WEFT_CONSUMES(Echo), WEFT_EMITS(Echo), "what is sent arrives in the next tick"},
        {WEFT_CONSUMES(Echo), WEFT_CONSUMES(Echo), "both only read it"},
        {WEFT_REDUCES(Total), WEFT_REDUCES(Total), "each chunk has a partial of its own"},
        {WEFT_REDUCED(Total), WEFT_REDUCED(Total), "both only read it"},
        {WEFT_READS_RESOURCE(Gauge), WEFT_READS_RESOURCE(Gauge), "both only read it"},
        {WEFT_COMMANDS, WEFT_COMMANDS, "commands are applied after the tick"},
    };
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        bool conflict;
        const char* reason = only_reason(&pairs[i].first, &pairs[i].second, &conflict);
        cr_assert(!conflict, "pair %zu", i);
        TEXT_HAS(reason, pairs[i].reason);
    }
}

Test(inspect, rows_that_never_meet_are_named) {
    weft_world* world = make();
    weft_schedule* schedule = run_schedule(world);
    weft_bond bonds[WEFT_BONDS_MAX];
    run_add(schedule, SYSTEM("first", WEFT_WRITES(A), WEFT_WITHOUT(B), WEFT_COMMANDS));
    run_add(schedule, SYSTEM("second", WEFT_WITH(B), WEFT_READS(A), WEFT_READS_ANY(C)));
    run_add(schedule, SYSTEM("third", WEFT_WRITES(C), WEFT_WITHOUT(B)));
    weft_inspect* inspect = inspect_built(schedule);
    cr_assert_eq(weft_inspect_bonds(inspect, 0, 1, bonds), 2);
    cr_assert(bonds[0].type == WEFT_TYPE(A) && !bonds[0].conflict &&
              bonds[0].apart == WEFT_TYPE(B));
    cr_assert(bonds[1].type == WEFT_TYPE(B) && !bonds[1].conflict && bonds[1].apart == NULL);
    // Any rows meet all the same.
    cr_assert_eq(weft_inspect_bonds(inspect, 1, 2, bonds), 2);
    cr_assert(bonds[1].type == WEFT_TYPE(C) && bonds[1].conflict && bonds[1].barrier &&
              bonds[1].apart == NULL);
    close_all(inspect, schedule, world);
}

Test(inspect, access_lists_are_given_back) {
    weft_world* world = make();
    weft_schedule* schedule = run_schedule(world);
    run_add(schedule, SYSTEM("one", WEFT_COMMANDS, WEFT_WRITES(A), WEFT_READS_ANY(B)));
    run_add(schedule, WEFT_SYSTEM("none", idle));
    SCHEDULE_OK(schedule, weft_schedule_build(schedule));
    cr_assert_eq(weft_schedule_access_count(schedule, 0), 3);
    cr_assert_eq(weft_schedule_access(schedule, 0, 0).mode, WEFT_ACCESS_WRITE);
    cr_assert_eq(weft_schedule_access(schedule, 0, 1).type, WEFT_TYPE(B));
    cr_assert_eq(weft_schedule_access(schedule, 0, 2).mode, WEFT_ACCESS_COMMANDS);
    cr_assert_null(weft_schedule_access(schedule, 0, 2).type);
    cr_assert_eq(weft_schedule_access_count(schedule, 1), 0);
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
}

// Findings ---------------------------------------------------------------------------------------

// The kind that is found of a system besides what is found of types, or -1.
static int life_of(const weft_inspect* inspect, uint32_t rank) {
    for (uint32_t i = 0; i < weft_inspect_finding_count(inspect); i++) {
        weft_finding finding = weft_inspect_finding(inspect, i);
        if (finding.kind >= WEFT_FINDING_DEAD_NO_OUTPUT && finding.system == rank)
            return (int)finding.kind;
    }
    return -1;
}

Test(inspect, dead_systems) {
    weft_world* world = make();
    weft_schedule* schedule = run_schedule(world);
    WEFT_ADD(weft_world_commands(world), 0, world_create_one(world), A, {1});
    world_commit(world);
    run_add(schedule, SYSTEM("looks", WEFT_READS(A)));
    run_add(schedule, SYSTEM("works", WEFT_WRITES(A)));
    run_add(schedule, SYSTEM("waits", WEFT_READS(A), WEFT_WRITES(B)));
    run_add(schedule, SYSTEM("makes in vain", WEFT_READS(B), WEFT_COMMANDS));
    run_add(schedule, SYSTEM("sees resources", WEFT_READS_RESOURCE(Gauge)));
    run_add(schedule, SYSTEM("calls", WEFT_EMITS(Shout)));
    weft_inspect* inspect = inspect_built(schedule);
    // Commands of a system that matches nothing make nothing.
    cr_assert_eq(life_of(inspect, 0), WEFT_FINDING_DEAD_NO_OUTPUT);
    cr_assert_eq(life_of(inspect, 1), -1);
    cr_assert_eq(life_of(inspect, 2), WEFT_FINDING_DEAD_UNMATCHED);
    cr_assert_eq(life_of(inspect, 3), WEFT_FINDING_DEAD_UNMATCHED);
    cr_assert_eq(life_of(inspect, 4), WEFT_FINDING_DEAD_NO_OUTPUT);
    cr_assert_eq(life_of(inspect, 5), -1);
    close_all(inspect, schedule, world);
}

Test(inspect, idle_systems_may_wake_where_there_are_commands) {
    weft_world* world = make();
    WORLD_OK(world, weft_world_register_channel(world, WEFT_TYPE(Row), WEFT_TARGET_WORLD,
                                                WEFT_DELIVERY_LOG));
    weft_schedule* schedule = run_schedule(world);
    run_add(schedule, WEFT_SYSTEM("god", idle, .scope = WEFT_SCOPE_WORLD,
                                  WEFT_ACCESS(WEFT_COMMANDS, WEFT_READS_ANY(A))));
    run_add(schedule, SYSTEM("is read", WEFT_WRITES(A)));
    run_add(schedule, SYSTEM("is not", WEFT_WRITES(B)));
    run_add(schedule, SYSTEM("has a filter on it", WEFT_WITH(B), WEFT_REDUCES(Total)));
    run_add(schedule, SYSTEM("makes", WEFT_READS(C), WEFT_COMMANDS));
    run_add(schedule, SYSTEM("writes", WEFT_WITH(B), WEFT_WRITES(Twin)));
    run_add(schedule, SYSTEM("writes too", WEFT_WITH(B), WEFT_WRITES_OPTIONAL(Twin)));
    run_add(schedule, SYSTEM("logs", WEFT_WITH(B), WEFT_EMITS(Row)));
    weft_inspect* inspect = inspect_built(schedule);
    cr_assert_eq(life_of(inspect, 0), -1);
    cr_assert_eq(life_of(inspect, 1), WEFT_FINDING_IDLE);
    cr_assert_eq(life_of(inspect, 2), WEFT_FINDING_IDLE_UNREAD);
    cr_assert_eq(life_of(inspect, 3), WEFT_FINDING_IDLE_UNREAD);
    for (uint32_t rank = 4; rank < 8; rank++)
        cr_assert_eq(life_of(inspect, rank), WEFT_FINDING_IDLE, "rank %u", rank);
    close_all(inspect, schedule, world);
}

Test(inspect, resources_and_channels_are_written_and_read) {
    weft_world* world = make();
    weft_schedule* schedule = run_schedule(world);
    run_add(schedule, SYSTEM("early", WEFT_READS_RESOURCE(Gauge), WEFT_EMITS(Echo)));
    run_add(schedule, WEFT_SYSTEM("first", idle, .scope = WEFT_SCOPE_WORLD,
                                  WEFT_ACCESS(WEFT_WRITES_RESOURCE(Gauge))));
    run_add(schedule, WEFT_SYSTEM("second", idle, .scope = WEFT_SCOPE_WORLD,
                                  WEFT_ACCESS(WEFT_WRITES_RESOURCE(Gauge))));
    run_add(schedule, SYSTEM("late", WEFT_READS_RESOURCE(Gauge), WEFT_EMITS(Shout)));
    weft_inspect* inspect = inspect_built(schedule);
    cr_assert_eq(weft_inspect_finding_count(inspect), 2);
    weft_finding finding = weft_inspect_finding(inspect, 0);
    cr_assert(finding.kind == WEFT_FINDING_DOUBLE_WRITER && finding.system == 1 &&
              finding.other == 2 && finding.type == WEFT_TYPE(Gauge));
    finding = weft_inspect_finding(inspect, 1);
    cr_assert(finding.kind == WEFT_FINDING_READ_BEFORE_WRITE && finding.system == 0 &&
              finding.other == 1 && finding.type == WEFT_TYPE(Gauge));
    close_all(inspect, schedule, world);
}

// Many systems ------------------------------------------------------------------------------------

enum {
    MANY = 10000,
    CHAINS = 100,
};

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Chains of equal length, of which each link also waits for one that is drawn among the links
// before it in other chains.
static weft_schedule* many_systems(weft_world* world, bool mixed) {
    static char names[MANY][8];
    weft_schedule* schedule = run_schedule(world);
    uint64_t state = 7;
    for (uint32_t i = 0; i < MANY; i++) {
        const char* after[3] = {NULL};
        snprintf(names[i], sizeof(names[i]), "%u", i);
        if (i >= CHAINS)
            after[0] = names[i - CHAINS];
        if (i >= CHAINS && mixed && draw(&state) % 4 == 0)
            after[1] = names[draw(&state) % (i / CHAINS * CHAINS)];
        run_add(schedule, WEFT_SYSTEM(names[i], idle, .after = after));
    }
    return schedule;
}

static void check_many(bool mixed) {
    static uint32_t ranks[MANY];
    weft_world* world = make();
    weft_schedule* schedule = many_systems(world, mixed);
    bool exact = false;
    double start = seconds();
    weft_inspect* inspect = inspect_built(schedule);
    cr_assert_eq(weft_inspect_critical_path(inspect, ranks), MANY / CHAINS);
    cr_assert_eq(weft_inspect_width(inspect, WEFT_INSPECT_EXACT_MAX, ranks, &exact), CHAINS);
    double took = seconds() - start;
    cr_assert(exact);
    for (uint32_t i = 0; i < CHAINS; i++)
        for (uint32_t j = 0; j < i; j++)
            cr_assert(!weft_inspect_is_before(inspect, ranks[j], ranks[i]));
    fprintf(stderr, "inspect: %d systems in %.2f s\n", MANY, took);
    cr_assert_lt(took, 60.0);
    close_all(inspect, schedule, world);
}

Test(inspect, ten_thousand_systems_in_chains, .timeout = 120) {
    check_many(false);
}

Test(inspect, ten_thousand_systems_in_a_net, .timeout = 120) {
    check_many(true);
}
