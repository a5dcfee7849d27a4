// All graphs of up to four systems: ranks, stages and edges against the plain model; then, for each
// that orders its conflicts in another way, what a tick leaves behind, on several executors and in
// a plain run of one system after the other.

#include <weft/executor.h>
#include <weft/memory.h>

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "campaign.h"
#include "plain_graph.h"

enum {
    SYSTEMS = 4,
    PAIRS = SYSTEMS * (SYSTEMS - 1) / 2,
    TYPES = PAIRS + SYSTEMS, // One for each pair to share, and one of each system's own.
    BONDS = 9,               // No conflict, row, barrier; no relation, forward, backward.
    ENTITIES = 6,
    FILLERS = 4096, // Between the halves of these, so that they lie in two shards.
    WORLDS = 7,
#ifdef CAMPAIGN_SLOW
    STRIDE = 23, // Of the numbers of graphs: no power of a digit's base.
#else
    STRIDE = 1,
#endif
    SHARE = 97, // One of so many is run by worker processes, which are forked for each.
};

// How the systems of a pair are related.
static void bind(plain_graph* g, uint32_t bond, uint32_t pair, uint32_t first, uint32_t second) {
    if (bond / 3 == 1)
        plain_graph_relate(g, first, second, pair % 2 == 0);
    if (bond / 3 == 2)
        plain_graph_relate(g, second, first, pair % 2 == 0);
}

// The mode in which a system of a pair reaches what they share, or 0.
static weft_access_mode mode_of(uint32_t bond, uint32_t pair, bool first) {
    if (bond % 3 == 0)
        return (weft_access_mode)0;
    if (bond % 3 == 1)
        return WEFT_ACCESS_WRITE;
    return first == (pair % 2 == 0) ? WEFT_ACCESS_WRITE : WEFT_ACCESS_READ_ANY;
}

static uint32_t bond_of(uint32_t number, uint32_t pair) {
    for (uint32_t i = 0; i < pair; i++)
        number /= BONDS;
    return number % BONDS;
}

// Graph `number` of `count` systems: its digits are the bonds of the pairs.
static void make_graph(plain_graph* g, uint32_t count, uint32_t number) {
    g->count = g->relation_count = 0;
    g->type_count = TYPES;
    for (uint32_t i = 0; i < count; i++) {
        plain_graph_add(g, WEFT_SCOPE_CHUNK);
        plain_graph_term(g, PAIRS + i, WEFT_ACCESS_WRITE);
        uint32_t pair = 0;
        for (uint32_t first = 0; first < count; first++)
            for (uint32_t second = first + 1; second < count; second++, pair++) {
                if (first != i && second != i)
                    continue;
                weft_access_mode mode = mode_of(bond_of(number, pair), pair, first == i);
                if (mode != 0)
                    plain_graph_term(g, pair, mode);
            }
    }
    uint32_t pair = 0;
    for (uint32_t first = 0; first < count; first++)
        for (uint32_t second = first + 1; second < count; second++, pair++)
            bind(g, bond_of(number, pair), pair, first, second);
    plain_graph_solve(g);
}

static uint32_t graph_total(uint32_t count) {
    uint32_t total = 1;
    for (uint32_t i = 0; i < count * (count - 1) / 2; i++)
        total *= BONDS;
    return total;
}

Test(small_worlds, every_graph_is_ranked_as_the_plain_model_ranks_it, .timeout = 100) {
    weft_world_desc desc = weft_world_desc_default();
    weft_world* world;
    plain_graph g;
    plain_graph_init(&g, SYSTEMS);
    g.type_count = TYPES;
    cr_assert_eq(weft_world_create(&desc, NULL, &world), WEFT_STATUS_OK);
    cr_assert_eq(plain_graph_register(&g, world), WEFT_STATUS_OK);
    for (uint32_t count = 1; count <= SYSTEMS; count++)
        for (uint32_t number = 0; number < graph_total(count); number += STRIDE) {
            char problem[PLAIN_PROBLEM_SIZE];
            weft_schedule* schedule;
            make_graph(&g, count, number);
            cr_assert_eq(weft_schedule_create(world, &schedule), WEFT_STATUS_OK);
            cr_assert_eq(plain_graph_schedule(&g, schedule, NULL), WEFT_STATUS_OK);
            cr_assert(plain_graph_compare(&g, schedule, problem), "graph %u of %u systems: %s",
                      number, count, problem);
            weft_schedule_destroy(schedule);
        }
    weft_world_destroy(world);
    plain_graph_deinit(&g);
}

// Running ----------------------------------------------------------------------------------------

// The worlds that run the same graphs one after the other, and the plain values.
typedef struct small_worlds {
    weft_world* worlds[WORLDS];
    weft_topology* topology;
    weft_entity entities[ENTITIES];
    uint32_t values[ENTITIES][TYPES];
    uint32_t before[ENTITIES][TYPES]; // When the tick began.
} small_worlds;

static const weft_executor_desc* executor_of(uint32_t world, uint32_t number) {
    static weft_executor_desc descs[WORLDS];
    for (uint32_t i = 0; i < WORLDS; i++)
        descs[i] = weft_executor_desc_default();
    descs[0].kind = WEFT_EXECUTOR_SERIAL;
    descs[1].kind = WEFT_EXECUTOR_VIRTUAL;
    descs[1].worker_count = 2;
    descs[2].kind = WEFT_EXECUTOR_VIRTUAL;
    descs[2].worker_count = 3;
    descs[2].sweep = WEFT_SWEEP_SYSTEM_MAJOR;
    descs[3].kind = WEFT_EXECUTOR_VIRTUAL;
    descs[3].worker_count = 4;
    descs[3].no_fusion = true;
    descs[4].kind = WEFT_EXECUTOR_VIRTUAL;
    descs[4].worker_count = 2;
    descs[5].kind = WEFT_EXECUTOR_THREADS;
    descs[5].worker_count = 2;
    descs[5].everybody = true;
    descs[5].grain = 1;
    descs[6].kind =
        TEST_HAS_PROCESSES && number % SHARE == 0 ? WEFT_EXECUTOR_PROCESSES : WEFT_EXECUTOR_SERIAL;
    descs[6].worker_count = 2;
    descs[6].everybody = true;
    return &descs[world];
}

// Entities are alike by threes: with everything, without the first type, with few.
static bool entity_has(uint32_t entity, uint32_t type) {
    if (entity % 3 == 0 || type >= PAIRS)
        return true;
    return entity % 3 == 1 ? type != 0 : type == 3;
}

// Where a system writes a row's value; null where the row has none of a sparse type.
static uint32_t* value_at(weft_view* view, uint32_t row, const plain_term* term) {
    if (term->kind == PLAIN_SPARSE)
        return weft_view_sparse_write(view, row, plain_graph_type(term->type));
    return (uint32_t*)weft_view_write(view, plain_graph_type(term->type)) + row;
}

// What a system computes, so that any other order of two that conflict shows: for each row the sum
// of what it reaches, on top of three times what it writes.
static weft_status compute(weft_view* view, const void* context) {
    const plain_system* system = context;
    uint32_t any = system->index + 1;
    for (uint32_t i = 0; i < system->term_count; i++) {
        if (system->terms[i].mode != WEFT_ACCESS_READ_ANY)
            continue;
        weft_access terms[] = {{WEFT_ACCESS_READ, plain_graph_type(system->terms[i].type)},
                               {WEFT_ACCESS_WITH, plain_graph_type(PAIRS)}}; // No fillers.
        weft_cursor cursor = weft_view_visit(view, terms, 2);
        while (weft_cursor_next(&cursor)) {
            const uint32_t* column = weft_cursor_column(&cursor, terms[0].type);
            for (uint32_t row = 0; row < cursor.row_count; row++)
                any += column[row];
        }
    }
    for (uint32_t row = 0; row < weft_view_row_count(view); row++) {
        uint32_t* values[PLAIN_TERMS_MAX];
        uint32_t count = 0;
        uint32_t sum = any;
        bool matches = true;
        for (uint32_t i = 0; i < system->term_count && matches; i++) {
            if (system->terms[i].mode != WEFT_ACCESS_WRITE)
                continue;
            values[count] = value_at(view, row, &system->terms[i]);
            matches = values[count] != NULL;
            sum += matches ? *values[count] : 0;
            count++;
        }
        for (uint32_t i = 0; i < count && matches; i++)
            *values[i] = 3 * *values[i] + sum;
    }
    return WEFT_STATUS_OK;
}

// The same in plain arrays.
static void compute_plainly(small_worlds* w, const plain_system* system) {
    uint32_t any = system->index + 1;
    for (uint32_t i = 0; i < system->term_count; i++) {
        const plain_term* term = &system->terms[i];
        for (uint32_t entity = 0; entity < ENTITIES && term->mode == WEFT_ACCESS_READ_ANY; entity++)
            any += (term->kind == PLAIN_BUFFERED ? w->before : w->values)[entity][term->type];
    }
    for (uint32_t entity = 0; entity < ENTITIES; entity++) {
        uint32_t sum = any;
        bool matches = true;
        for (uint32_t i = 0; i < system->term_count; i++) {
            if (system->terms[i].mode != WEFT_ACCESS_WRITE)
                continue;
            matches = matches && entity_has(entity, system->terms[i].type);
            sum += w->values[entity][system->terms[i].type];
        }
        for (uint32_t i = 0; i < system->term_count && matches; i++)
            if (system->terms[i].mode == WEFT_ACCESS_WRITE)
                w->values[entity][system->terms[i].type] =
                    3 * w->values[entity][system->terms[i].type] + sum;
    }
}

static void open_worlds(small_worlds* w, const plain_graph* g) {
    memset(w, 0, sizeof(*w));
    cr_assert_eq(weft_topology_create(NULL, &w->topology), WEFT_STATUS_OK);
    for (uint32_t i = 0; i < WORLDS; i++) {
        weft_world_desc desc = weft_world_desc_default();
        weft_memory memory;
        bool shared = i == WORLDS - 1;
        if (shared)
            cr_assert_eq(weft_memory_aliased(false, &memory), WEFT_STATUS_OK);
        cr_assert_eq(weft_world_create(&desc, shared ? &memory : NULL, &w->worlds[i]),
                     WEFT_STATUS_OK);
        cr_assert_eq(plain_graph_register(g, w->worlds[i]), WEFT_STATUS_OK);
        weft_commands* commands = weft_world_commands(w->worlds[i]);
        for (uint32_t entity = 0; entity < ENTITIES; entity++) {
            if (entity == ENTITIES / 2)
                (void)weft_commands_create_many(commands, 0, FILLERS, NULL, 0);
            w->entities[entity] = weft_commands_create(commands, 0);
            for (uint32_t type = 0; type < TYPES; type++) {
                uint32_t value = 100 * entity + type;
                if (!entity_has(entity, type))
                    continue;
                weft_commands_add(commands, 0, w->entities[entity], plain_graph_type(type), &value);
                w->values[entity][type] = value;
            }
        }
        cr_assert_eq(weft_world_commit(w->worlds[i]), WEFT_STATUS_OK);
        for (uint32_t entity = 0; entity < ENTITIES; entity++)
            w->entities[entity] = weft_world_resolve(w->worlds[i], w->entities[entity]);
    }
}

// One tick of a graph in one of the worlds.
static void run_graph(small_worlds* w, const plain_graph* g, uint32_t world, uint32_t number,
                      weft_digest digests[2]) {
    weft_executor_desc desc = *executor_of(world, number);
    weft_schedule* schedule;
    weft_executor* executor;
    desc.schedule_seed = number + world;
    desc.topology = w->topology;
    cr_assert_eq(weft_schedule_create(w->worlds[world], &schedule), WEFT_STATUS_OK);
    cr_assert_eq(plain_graph_schedule(g, schedule, compute), WEFT_STATUS_OK);
    cr_assert_eq(weft_executor_create(&desc, schedule, &executor), WEFT_STATUS_OK);
    cr_assert_eq(weft_executor_tick(executor), WEFT_STATUS_OK, "%s",
                 weft_world_error(w->worlds[world]));
    cr_assert_eq(weft_executor_digest(executor, &digests[0], &digests[1]), WEFT_STATUS_OK);
    weft_executor_destroy(executor);
    weft_schedule_destroy(schedule);
}

static void check_graph(small_worlds* w, const plain_graph* g, uint32_t number) {
    weft_digest digests[WORLDS][2];
    for (uint32_t i = 0; i < WORLDS; i++) {
        run_graph(w, g, i, number, digests[i]);
        cr_assert(weft_digest_equal(digests[i][0], digests[0][0]) &&
                      weft_digest_equal(digests[i][1], digests[0][1]),
                  "graph %u of %u systems: world %u has other digests than the serial one", number,
                  g->count, i);
    }
    memcpy(w->before, w->values, sizeof(w->before));
    for (uint32_t rank = 0; rank < g->count; rank++)
        compute_plainly(w, &g->systems[g->order[rank]]);
    for (uint32_t entity = 0; entity < ENTITIES; entity++)
        for (uint32_t type = 0; type < TYPES; type++) {
            const uint32_t* found =
                weft_world_read(w->worlds[0], w->entities[entity], plain_graph_type(type));
            if (entity_has(entity, type))
                cr_assert(found != NULL && *found == w->values[entity][type],
                          "graph %u of %u systems: entity %u has %u of type %u, expected %u",
                          number, g->count, entity, found == NULL ? 0 : *found, type,
                          w->values[entity][type]);
        }
}

// Relations of systems that share nothing change no outcome, nor do those along the registration.
static bool is_new(uint32_t count, uint32_t number) {
    for (uint32_t pair = 0; pair < count * (count - 1) / 2; pair++) {
        uint32_t bond = bond_of(number, pair);
        if (bond / 3 == 1 || (bond / 3 == 2 && bond % 3 == 0))
            return false;
    }
    return true;
}

static void run_every_order(bool mixed) {
    static small_worlds w;
    plain_graph g;
    uint32_t runs = 0;
    plain_graph_init(&g, SYSTEMS);
    g.type_count = TYPES;
    for (uint32_t pair = 0; pair < PAIRS; pair++)
        g.kinds[pair] = mixed ? (plain_kind)(pair % 3) : PLAIN_DENSE;
    open_worlds(&w, &g);
    for (uint32_t count = 1; count <= SYSTEMS; count++)
        for (uint32_t number = 0; number < graph_total(count); number += STRIDE) {
            if (!is_new(count, number))
                continue;
            make_graph(&g, count, number);
            if (g.result != WEFT_STATUS_OK)
                continue;
            check_graph(&w, &g, number);
            runs++;
        }
    fprintf(stderr, "small worlds: %u graphs run\n", runs);
    cr_assert_gt(runs, 5000 / STRIDE);
    for (uint32_t i = 0; i < WORLDS; i++)
        weft_world_destroy(w.worlds[i]);
    weft_topology_destroy(w.topology);
    plain_graph_deinit(&g);
}

Test(small_worlds, every_order_of_conflicts_gives_the_plain_outcome, .timeout = 200) {
    run_every_order(false);
}

Test(small_worlds, every_order_of_conflicts_on_all_kinds_gives_the_plain_outcome, .timeout = 200) {
    run_every_order(true);
}
