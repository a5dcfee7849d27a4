// What is said of costs: of costs that are made up, each piece where its condition holds and not
// where it does not; and of a workload, that the sums fit together.

#include "advice.h"
#include "creatures.h"

#include <criterion/criterion.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

WEFT_COMPONENT(Large, (array, uint64_t, values, 8));
WEFT_COMPONENT(Little, (uint32_t, value));
WEFT_COMPONENT(Left, (uint64_t, value));
WEFT_COMPONENT(Right, (uint32_t, value));
WEFT_COMPONENT(First, (uint32_t, value));
WEFT_COMPONENT(Second, (uint32_t, value));
WEFT_COMPONENT(Third, (uint32_t, value));
WEFT_RESOURCE(Board, (uint64_t, level));

static weft_world* world;
static weft_schedule* schedule;
static weft_costs costs;

enum {
    MOVE,
    TURN,
    LOOK,
    COUNT,
    SYSTEMS
};

static weft_status nothing(weft_view* view, const void* context) {
    (void)view;
    (void)context;
    return WEFT_STATUS_OK;
}

// Two systems on the same rows, one that reads all rows, and one of world scope.
static void open_costs(void) {
    weft_world_desc desc = weft_world_desc_default();
    cr_assert_eq(weft_world_create(&desc, NULL, &world), WEFT_STATUS_OK);
    cr_assert_eq(weft_world_register_component(world, WEFT_TYPE(Large), WEFT_STORAGE_DENSE),
                 WEFT_STATUS_OK);
    cr_assert_eq(weft_world_register_component(world, WEFT_TYPE(Little), WEFT_STORAGE_DENSE),
                 WEFT_STATUS_OK);
    cr_assert_eq(weft_world_register_resource(world, WEFT_TYPE(Board), 1, NULL), WEFT_STATUS_OK);
    cr_assert_eq(weft_schedule_create(world, &schedule), WEFT_STATUS_OK);
    const weft_system_desc* systems[SYSTEMS] = {
        WEFT_SYSTEM("move", nothing, WEFT_ACCESS(WEFT_WRITES(Large), WEFT_READS(Little))),
        WEFT_SYSTEM("turn", nothing, WEFT_ACCESS(WEFT_WRITES(Large))),
        WEFT_SYSTEM("look", nothing, WEFT_ACCESS(WEFT_WRITES(Little), WEFT_READS_ANY(Large))),
        WEFT_SYSTEM("count", nothing, .scope = WEFT_SCOPE_WORLD,
                    WEFT_ACCESS(WEFT_WRITES_RESOURCE(Board), WEFT_READS_ANY(Little)))};
    for (int i = 0; i < SYSTEMS; i++)
        cr_assert_eq(weft_schedule_add_system(schedule, systems[i]), WEFT_STATUS_OK);
    cr_assert_eq(weft_schedule_build(schedule), WEFT_STATUS_OK);
    cr_assert_eq(weft_schedule_stage_count(schedule), 3);
    // A tick of 1 ms by 2 workers, all of it shared, with chunks that are large and stay where they
    // are, out of caches that are far too small and from a memory that is far too fast.
    costs = (weft_costs){.system_count = SYSTEMS,
                         .stage_count = 3,
                         .worker_count = 2,
                         .system = calloc(SYSTEMS, sizeof(weft_cost_system)),
                         .stage = calloc(3, sizeof(weft_cost_stage)),
                         .ticks = 10,
                         .tick_ns = 10000000,
                         .visits = 1000,
                         .read_gbs = 1e6,
                         .update_gbs = 1e6,
                         .cache_bytes = 1};
    for (int i = 0; i < 3; i++)
        costs.stage[i] = (weft_cost_stage){.ns = 3333333,
                                           .work_ns = 6500000,
                                           .others_ns = 3250000,
                                           .longest_ns = 100000,
                                           .items = 1000};
    costs.system[MOVE] = (weft_cost_system){1000, 4000000, 3250000, 4, 64};
    costs.system[TURN] = (weft_cost_system){1000, 4000000, 3250000, 0, 64};
    costs.system[LOOK] = (weft_cost_system){1000, 4000000, 6500000, 0, 4};
    costs.system[COUNT] = (weft_cost_system){10, 0, 100000, 0, 0};
}

static void close_costs(void) {
    weft_costs_deinit(&costs);
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
}

TestSuite(advice, .init = open_costs, .fini = close_costs, .timeout = 60);

// How much there is of a kind; the first of it.
static uint32_t count_of(weft_advice_kind kind, char text[400]) {
    weft_advice all[WEFT_ADVICE_MAX];
    uint32_t count = weft_advise(&costs, schedule, all);
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        cr_expect(strpbrk(all[i].text, "0123456789") != NULL, "no number: %s", all[i].text);
        cr_expect(all[i].share >= 0 && all[i].share <= 1, "%f: %s", all[i].share, all[i].text);
        cr_expect(i == 0 || all[i].share <= all[i - 1].share, "out of order: %s", all[i].text);
        if (all[i].kind == kind && found++ == 0)
            (void)snprintf(text, 400, "%s", all[i].text);
    }
    return found;
}

static void expect(weft_advice_kind kind, uint32_t count, const char* said) {
    char text[400] = "";
    cr_expect_eq(count_of(kind, text), count, "%s: %u, not %u: %s", weft_advice_names[kind],
                 count_of(kind, text), count, text);
    cr_expect(strstr(text, said) != NULL, "'%s' lacks '%s'", text, said);
}

// LOOK alone is so large and reads rows of others that it is named.
Test(advice, little_is_said_of_what_is_well) {
    for (int kind = 0; kind < WEFT_ADVICE_KINDS; kind++)
        if (kind != WEFT_ADVICE_SPLIT)
            expect((weft_advice_kind)kind, 0, "");
    expect(WEFT_ADVICE_SPLIT, 1,
           "system look is 33% of all work, reads rows of others in 1 component and");
    costs.system[LOOK].ns = 1000000;
    expect(WEFT_ADVICE_SPLIT, 0, "");
}

Test(advice, what_one_does_alone_limits_all) {
    costs.caller_ns[WEFT_TRACE_COMMIT] = 1200000;
    costs.caller_ns[WEFT_TRACE_MERGE] = 900000;
    costs.caller_ns[WEFT_TRACE_FINISH] = 100000;
    expect(WEFT_ADVICE_SERIAL, 0, ""); // 4%: the merge is shared.
    costs.caller_ns[WEFT_TRACE_PREPARE] = 600000;
    // 1 ms of all, and 19.5 + 0.9 ms of shared work.
    expect(WEFT_ADVICE_SERIAL, 1, "10% of a tick (100.0 us)");
    expect(WEFT_ADVICE_SERIAL, 1, "30.0 us in the commit, 70.0 us before and between");
    expect(WEFT_ADVICE_SERIAL, 1, "at most 21.4 times");
    costs.others_ns[WEFT_TRACE_PREPARE] = 200000; // Then the caller shared as much of it.
    expect(WEFT_ADVICE_SERIAL, 1, "8% of a tick (80.0 us)");
    expect(WEFT_ADVICE_SERIAL, 1, "30.0 us in the commit, 50.0 us before and between");
    expect(WEFT_ADVICE_SERIAL, 1, "at most 27.0 times");
    costs.others_ns[WEFT_TRACE_ASSIGN] = 500000;
    costs.caller_ns[WEFT_TRACE_ASSIGN] = 150000; // It cannot have shared more than it did.
    expect(WEFT_ADVICE_SERIAL, 1, "15.0 us in the commit, 50.0 us before and between");
}

Test(advice, idle_stages_are_told_by_their_cause) {
    weft_cost_stage well = costs.stage[1];
    costs.stage[1].work_ns = 4000000; // Of 6.67: idle for 40%.
    costs.stage[1].others_ns = 1000000;
    expect(WEFT_ADVICE_WAIT, 1, "the stage of look takes 333.3 us");
    expect(WEFT_ADVICE_WAIT, 1, "nothing to do for 40% of their time in it");
    costs.stage[1].others_ns = 10000;
    expect(WEFT_ADVICE_WAIT, 1, "run by one worker alone, but for 0.2% of its work");
    costs.stage[1].others_ns = 1000000;
    costs.stage[1].longest_ns = 2000000;
    expect(WEFT_ADVICE_WIDTH, 1, "one chunk of 100 takes 200.0 us of 333.3 us");
    costs.stage[1].items = 10;
    expect(WEFT_ADVICE_WIDTH, 1, "the stage of look has 1.0 chunks for 2 workers");
    costs.worker_count = 1;
    expect(WEFT_ADVICE_WIDTH, 0, "");
    costs.worker_count = 2;
    costs.stage[1] = well;
    costs.system[LOOK].ns = 1000000;
    costs.stage[2].work_ns = costs.system[COUNT].ns = 3000000;
    expect(WEFT_ADVICE_SPLIT, 1,
           "system count is of world scope and takes 300.0 us of the 333.3 us");
    costs.stage[2].ns = 500000; // 5% of the tick.
    expect(WEFT_ADVICE_SPLIT, 0, "");
}

Test(advice, neighbours_on_the_same_columns_could_be_one) {
    costs.system[MOVE].calls = 10000; // Of 325 ns each.
    expect(WEFT_ADVICE_MERGE, 1, "move and turn are in one stage, have 64 of 68 and 64 bytes");
    costs.system[TURN].calls = 0;
    expect(WEFT_ADVICE_MERGE, 0, "");
}

Test(advice, memory_is_named_where_it_is_the_limit) {
    // TURN: 128 bytes of 4 million rows in 3.25 ms: 157.5 GB/s, twice that with two workers.
    costs.read_gbs = costs.update_gbs = 400;
    expect(WEFT_ADVICE_MEMORY, 2, "system move moves 324.9 GB/s with 2 workers");
    expect(WEFT_ADVICE_COLD, 2, "component Large is 64 of the 64 bytes that turn moves");
    expect(WEFT_ADVICE_MERGE, 1, "");
    costs.cache_bytes = 68.0 * 400000 / 2 + 1; // More than a tick has.
    expect(WEFT_ADVICE_MEMORY, 0, "");
    costs.cache_bytes = 1;
    costs.read_gbs = costs.update_gbs = 200; // Faster than memory: it was not memory.
    expect(WEFT_ADVICE_MEMORY, 0, "");
    costs.read_gbs = costs.update_gbs = 0; // Not known.
    expect(WEFT_ADVICE_MEMORY, 0, "");
}

// Left and Right are used by one system only; each of the others by one more.
Test(advice, components_that_only_go_together) {
    const weft_access all[] = {WEFT_WRITES(Left), WEFT_READS(Right), WEFT_READS(First),
                               WEFT_READS(Second), WEFT_READS(Third)};
    weft_world* other = NULL;
    weft_schedule* wide = NULL;
    weft_schedule* held = schedule;
    weft_world_desc desc = weft_world_desc_default();
    cr_assert_eq(weft_world_create(&desc, NULL, &other), WEFT_STATUS_OK);
    cr_assert_eq(weft_schedule_create(other, &wide), WEFT_STATUS_OK);
    for (int i = 0; i < 5; i++)
        cr_assert_eq(weft_world_register_component(other, all[i].type, WEFT_STORAGE_DENSE),
                     WEFT_STATUS_OK);
    static const char* const names[] = {"wide", "one", "two", "three"};
    for (size_t i = 0; i < 4; i++) {
        weft_system_desc system = weft_system_desc_default();
        system.name = names[i];
        system.run = nothing;
        system.access = i == 0 ? all : &all[i + 1];
        system.access_count = i == 0 ? 5 : 1;
        cr_assert_eq(weft_schedule_add_system(wide, &system), WEFT_STATUS_OK);
    }
    cr_assert_eq(weft_schedule_build(wide), WEFT_STATUS_OK);
    cr_assert_eq(weft_schedule_stage_count(wide), 1);
    schedule = wide;
    costs.system[MOVE].ns = 8000000;
    expect(WEFT_ADVICE_JOIN, 1,
           "components Left and Right, of 8 and 4 bytes, are used by the same");
    expect(WEFT_ADVICE_JOIN, 1,
           "the same systems (1, 41% of all work), one of which walks 5 columns");
    costs.system[MOVE].ns = 1000000;
    expect(WEFT_ADVICE_JOIN, 0, "");
    schedule = held;
    weft_schedule_destroy(wide);
    weft_world_destroy(other);
}

Test(advice, small_chunks_and_those_that_move) {
    costs.system[LOOK].calls = 40000; // 100 rows each.
    expect(WEFT_ADVICE_SMALL, 1, "system look is called 4000 times in a tick for 100 rows each");
    costs.moves = 99;
    expect(WEFT_ADVICE_SHARING, 0, "");
    costs.moves = 250;
    expect(WEFT_ADVICE_SHARING, 1, "25% of the visits of chunks");
}

Test(advice, nothing_is_said_of_nothing) {
    weft_advice all[WEFT_ADVICE_MAX];
    costs.ticks = 0;
    cr_expect_eq(weft_advise(&costs, schedule, all), 0);
}

// COUNT reads what LOOK writes, which reads what the others write.
Test(advice, the_costliest_chain_is_found) {
    uint32_t ranks[SYSTEMS];
    uint64_t ns = 0;
    cr_assert_eq(weft_costs_path(&costs, schedule, ranks, &ns), 4);
    cr_expect_eq(ns, 3250000 + 3250000 + 6500000 + 100000);
    for (uint32_t i = 0; i < 4; i++)
        cr_expect_eq(ranks[i], i);
}

// On a workload ----------------------------------------------------------------------------------

static bool has_edge(uint32_t from, uint32_t to, const weft_schedule* of) {
    for (uint32_t i = 0; i < weft_schedule_edge_count(of); i++) {
        weft_edge edge = weft_schedule_edge(of, i);
        if (edge.from == from && edge.to == to)
            return true;
    }
    return false;
}

static void check_chain(const weft_costs* measured) {
    weft_module_options options = {100, 1};
    weft_world* other = NULL;
    weft_schedule* of = NULL;
    weft_world_desc desc = weft_world_desc_default();
    cr_assert_eq(weft_world_create(&desc, NULL, &other), WEFT_STATUS_OK);
    cr_assert_eq(weft_schedule_create(other, &of), WEFT_STATUS_OK);
    cr_assert_eq(weft_workload_creatures.build(&options, other, of), WEFT_STATUS_OK);
    cr_assert_eq(weft_schedule_build(of), WEFT_STATUS_OK);
    uint32_t* ranks = calloc(measured->system_count, sizeof(*ranks));
    uint64_t ns = 0;
    uint64_t sum = 0;
    uint32_t count = weft_costs_path(measured, of, ranks, &ns);
    cr_assert_gt(count, 0);
    for (uint32_t i = 0; i < count; i++) {
        sum += measured->system[ranks[i]].ns;
        cr_expect(i == 0 || has_edge(ranks[i - 1], ranks[i], of));
    }
    cr_expect_eq(sum, ns);
    // Of all chains, so also of those of one system and of two.
    for (uint32_t i = 0; i < measured->system_count; i++) {
        cr_expect_geq(ns, measured->system[i].ns);
        for (uint32_t k = 0; k < measured->system_count; k++)
            cr_expect(!has_edge(i, k, of) || ns >= measured->system[i].ns + measured->system[k].ns);
    }
    free(ranks);
    weft_schedule_destroy(of);
    weft_world_destroy(other);
}

Test(advice, costs_of_a_workload_fit_together) {
    weft_topology* topology = NULL;
    char line[256] = "";
    cr_assert_eq(weft_topology_create(NULL, &topology), WEFT_STATUS_OK);
    for (uint32_t workers = 1; workers <= 3; workers++) {
        weft_layout layout = weft_layout_default(workers);
        weft_costs measured;
        weft_costs_desc desc = {.module = &weft_workload_creatures,
                                .entity_count = 20000,
                                .seed = 1,
                                .topology = topology,
                                .layout = &layout,
                                .quick = true};
        cr_assert_eq(weft_costs_measure(&desc, &measured, line, sizeof line), WEFT_STATUS_OK, "%s",
                     line);
        uint64_t systems = 0;
        uint64_t stages = 0;
        uint64_t work = 0;
        for (uint32_t i = 0; i < measured.system_count; i++)
            systems += measured.system[i].ns;
        for (uint32_t i = 0; i < measured.stage_count; i++) {
            const weft_cost_stage* stage = &measured.stage[i];
            stages += stage->ns;
            work += stage->work_ns;
            cr_expect_leq(stage->longest_ns, stage->work_ns);
            cr_expect_leq(stage->others_ns, stage->work_ns);
            cr_expect(workers > 1 || stage->others_ns == 0);
        }
        cr_expect_eq(measured.ticks, 3);
        cr_expect_eq(measured.lost, 0);
        cr_expect_eq(measured.worker_count, workers);
        cr_expect_gt(systems, 0);
        cr_expect_geq(work, systems);
        cr_expect_leq(stages, measured.tick_ns);
        cr_expect_leq(weft_costs_serial_ns(&measured) + stages, measured.tick_ns);
        cr_expect_leq(measured.moves, measured.visits);
        cr_expect(workers > 1 || measured.moves == 0);
        cr_expect_gt(measured.read_gbs, 0);
        check_chain(&measured);
        weft_costs_deinit(&measured);
    }
    weft_topology_destroy(topology);
}
