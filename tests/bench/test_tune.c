// The search for a layout, on machines and clocks that are made up; and on a workload, for what
// does not hang on time.

#include "creatures.h"
#include "tune_rig.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// A machine on which a tick takes what `cost` says, more or less.
typedef struct fake {
    double (*cost)(const struct fake* fake, const weft_layout* layout);
    double noise;      // Of a time, as a share of it.
    uint64_t state;    // Of the draws.
    double seconds;    // The clock.
    double switch_s;   // From then on everything costs the same; 0: never.
    bool refuses;      // Small pages.
    uint64_t diverges; // In this round; 0: never.
    uint64_t rounds;
    uint64_t stop_after; // Rounds; 0: never.
    weft_layout layout[2];
    bool open;
} fake;

static double draw(fake* f) {
    f->state = f->state * 6364136223846793005u + 1442695040888963407u;
    return (double)(f->state >> 11) / 9007199254740992.0;
}

static weft_status fake_open(void* context, const weft_layout* a, const weft_layout* b) {
    fake* f = context;
    cr_assert_not(f->open);
    f->open = true;
    f->layout[0] = *a;
    f->layout[1] = *b;
    f->seconds += 0.05;
    return f->refuses && b->memory == WEFT_LAYOUT_SMALL_PAGES ? WEFT_STATUS_UNSUPPORTED
                                                              : WEFT_STATUS_OK;
}

static weft_status fake_round(void* context, double ns[2]) {
    fake* f = context;
    cr_assert(f->open);
    f->rounds++;
    for (int i = 0; i < 2; i++) {
        bool level = f->switch_s > 0 && f->seconds > f->switch_s;
        // A busy machine only makes it longer.
        double stretch = 1 - f->noise * log(1 - draw(f));
        ns[i] = (level ? 1e6 : f->cost(f, &f->layout[i])) * stretch;
        f->seconds += 10 * ns[i] / 1e9;
    }
    return f->rounds == f->diverges ? WEFT_STATUS_DIVERGED : WEFT_STATUS_OK;
}

static void fake_close(void* context) {
    ((fake*)context)->open = false;
}

static double fake_seconds(void* context) {
    return ((const fake*)context)->seconds;
}

static bool fake_stopped(void* context) {
    const fake* f = context;
    return f->stop_after > 0 && f->rounds >= f->stop_after;
}

// Two systems in a stage, so that there is an order to choose.
static weft_world* world;
static weft_schedule* schedule;
static weft_topology* topology;

static void open_machine(void) {
    weft_topology_desc desc = weft_topology_desc_default();
    desc.source = "synthetic:package:2 [numa] core:4 pu:1";
    if (weft_topology_create(&desc, &topology) != WEFT_STATUS_OK)
        cr_assert_eq(weft_topology_create(NULL, &topology), WEFT_STATUS_OK);
    weft_module_options options = {100, 1};
    weft_world_desc world_desc = weft_world_desc_default();
    cr_assert_eq(weft_world_create(&world_desc, NULL, &world), WEFT_STATUS_OK);
    cr_assert_eq(weft_schedule_create(world, &schedule), WEFT_STATUS_OK);
    cr_assert_eq(weft_workload_creatures.build(&options, world, schedule), WEFT_STATUS_OK);
    cr_assert_eq(weft_schedule_build(schedule), WEFT_STATUS_OK);
}

static void close_machine(void) {
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
    weft_topology_destroy(topology);
}

TestSuite(tune, .init = open_machine, .fini = close_machine, .timeout = 60);

static weft_status run_from(fake* f, weft_layout start, weft_tune_result* result) {
    weft_tune_ground ground = {.context = f,
                               .open = fake_open,
                               .round = fake_round,
                               .close = fake_close,
                               .seconds = fake_seconds,
                               .stopped = fake_stopped};
    weft_tune_desc desc = {
        .topology = topology, .schedule = schedule, .start = start, .worker_max = 8, .time_s = 60};
    weft_status status = weft_tune_search(&desc, &ground, result);
    cr_assert_not(f->open);
    return status;
}

static weft_status run(fake* f, uint32_t workers, weft_tune_result* result) {
    return run_from(f, weft_layout_default(workers), result);
}

// Work that is shared, and a cost of each worker: least at 3 or 4.
static double cost_of_three(const fake* f, const weft_layout* layout) {
    (void)f;
    double workers = layout->kind == WEFT_EXECUTOR_SERIAL ? 1.1 : layout->worker_count;
    double cost = 1e6 / workers + 1e5 * workers;
    if (layout->grain == 4 && layout->worker_count > 1)
        cost *= 0.9;
    if (layout->memory == WEFT_LAYOUT_SMALL_PAGES)
        cost *= 0.95;
    for (uint32_t i = 0; i < layout->sweep_count; i++)
        cost *= layout->sweeps[i].sweep == WEFT_SWEEP_SYSTEM_MAJOR ? 0.96 : 1.02;
    return cost;
}

static double cost_of_overhead(const fake* f, const weft_layout* layout) {
    (void)f;
    return layout->kind == WEFT_EXECUTOR_SERIAL ? 1000 : 1000 + 400.0 * layout->worker_count;
}

static double cost_of_default(const fake* f, const weft_layout* layout) {
    (void)f;
    weft_layout start = weft_layout_default(8);
    return weft_layout_equal(layout, &start) ? 1e6 : 1.05e6;
}

static double cost_of_nothing(const fake* f, const weft_layout* layout) {
    (void)f;
    (void)layout;
    return 1e6;
}

Test(tune, what_is_faster_is_found) {
    weft_tune_result* result = calloc(1, sizeof *result);
    fake f = {.cost = cost_of_three, .noise = 0.02, .state = 1};
    cr_assert_eq(run(&f, 8, result), WEFT_STATUS_OK);
    char text[WEFT_LAYOUT_TEXT];
    weft_layout_text(&result->chosen, text);
    cr_expect(result->is_certain);
    cr_expect(result->chosen.worker_count == 3 || result->chosen.worker_count == 4, "%s", text);
    cr_expect_eq(result->chosen.grain, 4, "%s", text);
    cr_expect_eq(result->chosen.memory, WEFT_LAYOUT_SMALL_PAGES, "%s", text);
    cr_assert_gt(result->chosen.sweep_count, 0, "%s", text);
    cr_expect_eq(result->chosen.sweeps[0].sweep, WEFT_SWEEP_SYSTEM_MAJOR, "%s", text);
    weft_layout start = weft_layout_default(8);
    double real = cost_of_three(&f, &result->chosen) / cost_of_three(&f, &start);
    cr_expect(result->gain.low <= real && real <= result->gain.high, "%f is not in %f to %f", real,
              result->gain.low, result->gain.high);
    free(result);
}

Test(tune, one_worker_may_be_best) {
    weft_tune_result* result = calloc(1, sizeof *result);
    fake f = {.cost = cost_of_overhead, .noise = 0.05, .state = 2};
    cr_assert_eq(run(&f, 4, result), WEFT_STATUS_OK);
    cr_expect(result->is_certain);
    cr_expect_eq(result->chosen.kind, WEFT_EXECUTOR_SERIAL);
    free(result);
}

Test(tune, the_default_stays_where_nothing_is_faster) {
    weft_tune_result* result = calloc(1, sizeof *result);
    fake f = {.cost = cost_of_default, .noise = 0.02, .state = 3};
    cr_assert_eq(run(&f, 8, result), WEFT_STATUS_OK);
    weft_layout start = weft_layout_default(8);
    cr_expect(weft_layout_equal(&result->chosen, &start));
    cr_expect(weft_layout_equal(&result->found, &start));
    cr_expect_eq(result->gain.estimate, 1);
    for (uint32_t i = 0; i < result->trial_count; i++)
        cr_expect_eq(result->trial[i].verdict, WEFT_TUNE_NO_GAIN, "%s", result->trial[i].what);
    free(result);
}

// Where all cost the same some candidate of so many is now and then taken by luck. The last
// comparison takes it back.
Test(tune, luck_is_not_written) {
    weft_tune_result* result = calloc(1, sizeof *result);
    uint32_t lucky = 0;
    uint32_t certain = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        fake f = {.cost = cost_of_nothing, .noise = 0.2, .state = seed * 7919};
        cr_assert_eq(run(&f, 8, result), WEFT_STATUS_OK);
        weft_layout start = weft_layout_default(8);
        lucky += !weft_layout_equal(&result->found, &start);
        certain += result->is_certain;
        cr_expect(result->is_certain || weft_layout_equal(&result->chosen, &start));
    }
    cr_expect_gt(lucky, 0, "the last comparison was never needed");
    cr_expect_leq(certain, 1);
    free(result);
}

// A gain that is gone when it is looked at again.
Test(tune, a_gain_that_does_not_last_is_not_written) {
    weft_tune_result* result = calloc(1, sizeof *result);
    fake f = {.cost = cost_of_three, .noise = 0.02, .state = 4, .switch_s = 2};
    cr_assert_eq(run(&f, 8, result), WEFT_STATUS_OK);
    weft_layout start = weft_layout_default(8);
    cr_expect_not(weft_layout_equal(&result->found, &start));
    cr_expect_not(result->is_certain);
    cr_expect(weft_layout_equal(&result->chosen, &start));
    free(result);
}

Test(tune, what_cannot_be_had_is_passed_over) {
    weft_tune_result* result = calloc(1, sizeof *result);
    fake f = {.cost = cost_of_three, .noise = 0.02, .state = 5, .refuses = true};
    cr_assert_eq(run(&f, 8, result), WEFT_STATUS_OK);
    uint32_t refused = 0;
    for (uint32_t i = 0; i < result->trial_count; i++)
        refused += result->trial[i].verdict == WEFT_TUNE_REFUSED;
    cr_expect_geq(refused, 1);
    cr_expect_eq(result->chosen.memory, WEFT_LAYOUT_HUGE_PAGES);
    cr_expect(result->is_certain);
    free(result);
}

Test(tune, a_difference_ends_it) {
    weft_tune_result* result = calloc(1, sizeof *result);
    fake f = {.cost = cost_of_three, .state = 6, .diverges = 30};
    cr_assert_eq(run(&f, 8, result), WEFT_STATUS_DIVERGED);
    cr_expect_eq(f.rounds, 30);
    free(result);
}

Test(tune, it_can_be_stopped) {
    weft_tune_result* result = calloc(1, sizeof *result);
    fake f = {.cost = cost_of_three, .state = 7, .stop_after = 30};
    cr_assert_eq(run(&f, 8, result), WEFT_STATUS_OK);
    cr_expect(result->stopped);
    cr_expect_eq(f.rounds, 30);
    free(result);
}

// Who starts with processes gets processes, and nothing is tried that they do not have.
static double cost_of_processes(const fake* f, const weft_layout* layout) {
    cr_expect_eq(layout->kind, WEFT_EXECUTOR_PROCESSES);
    cr_expect_eq(layout->memory, WEFT_LAYOUT_HUGE_PAGES);
    double cost = cost_of_three(f, layout);
    return layout->spin_ns == 0 ? cost * 0.9 : cost;
}

Test(tune, processes_stay_processes) {
    weft_tune_result* result = calloc(1, sizeof *result);
    fake f = {.cost = cost_of_processes, .noise = 0.02, .state = 9};
    weft_layout start = weft_layout_default(8);
    start.kind = WEFT_EXECUTOR_PROCESSES;
    cr_assert_eq(run_from(&f, start, result), WEFT_STATUS_OK);
    char text[WEFT_LAYOUT_TEXT];
    weft_layout_text(&result->chosen, text);
    cr_expect(result->is_certain);
    cr_expect_eq(strncmp(text, "processes, ", 11), 0, "%s", text);
    cr_expect(result->chosen.worker_count == 3 || result->chosen.worker_count == 4, "%s", text);
    cr_expect_eq(result->chosen.grain, 4, "%s", text);
    cr_expect_eq(result->chosen.spin_ns, 0, "%s", text);
    uint32_t factors = 0;
    for (uint32_t i = 0; i < result->trial_count; i++)
        factors |= 1u << result->trial[i].factor;
    cr_expect_eq(factors, (1u << WEFT_TUNE_FACTORS) - 1 - (1u << WEFT_TUNE_MEMORY));
    free(result);
}

// One process waits for the host, and the host for it.
static double cost_of_sleeping(const fake* f, const weft_layout* layout) {
    (void)f;
    return layout->spin_ns == 0 ? 0.8e6 : 1e6 + 1e5 * layout->worker_count;
}

Test(tune, how_one_process_waits_is_tried) {
    weft_tune_result* result = calloc(1, sizeof *result);
    fake f = {.cost = cost_of_sleeping, .noise = 0.02, .state = 10};
    weft_layout start = weft_layout_default(2);
    start.kind = WEFT_EXECUTOR_PROCESSES;
    cr_assert_eq(run_from(&f, start, result), WEFT_STATUS_OK);
    cr_expect(result->is_certain);
    cr_expect_eq(result->chosen.worker_count, 1);
    cr_expect_eq(result->chosen.spin_ns, 0);
    free(result);
}

// Slow ticks: the last comparison has its rounds all the same, and little more time is taken.
static double cost_of_a_large_world(const fake* f, const weft_layout* layout) {
    return 20 * cost_of_three(f, layout);
}

Test(tune, time_is_kept) {
    weft_tune_result* result = calloc(1, sizeof *result);
    fake f = {.cost = cost_of_a_large_world, .noise = 0.02, .state = 8};
    cr_assert_eq(run(&f, 8, result), WEFT_STATUS_OK);
    cr_expect_gt(result->skipped, 0);
    cr_expect_geq(result->gain_rounds, 12);
    cr_expect_lt(f.seconds, 90, "%f", f.seconds);
    free(result);
}

// On a workload ----------------------------------------------------------------------------------

static void search_workload(weft_executor_kind kind, uint64_t compared) {
    weft_topology* here = NULL;
    weft_tune_rig* rig = NULL;
    cr_assert_eq(weft_topology_create(NULL, &here), WEFT_STATUS_OK);
    weft_tune_rig_desc desc = {.module = &weft_workload_creatures,
                               .entity_count = 20000,
                               .seed = 1,
                               .topology = here,
                               .quick = true};
    cr_assert_eq(weft_tune_rig_create(&desc, &rig), WEFT_STATUS_OK);
    weft_tune_desc search = {.topology = here,
                             .schedule = schedule,
                             .start = weft_layout_default(2),
                             .worker_max = 3,
                             .time_s = 60,
                             .quick = true};
    search.start.kind = kind;
    weft_tune_ground ground = weft_tune_rig_ground(rig);
    weft_tune_result* result = calloc(1, sizeof *result);
    cr_assert_eq(weft_tune_search(&search, &ground, result), WEFT_STATUS_OK, "%s",
                 weft_tune_rig_error(rig));
    cr_expect(weft_tune_rig_compares(rig));
    cr_expect_geq(weft_tune_rig_compared(rig), compared);
    for (uint32_t i = 0; i < result->trial_count && kind == WEFT_EXECUTOR_PROCESSES; i++)
        cr_expect_neq(result->trial[i].verdict, WEFT_TUNE_REFUSED, "%s", result->trial[i].what);
    cr_expect_not(result->is_certain);
    cr_expect_eq(result->chosen.worker_count, 2);
    weft_tune_rig_destroy(rig);
    weft_topology_destroy(here);
    free(result);
}

Test(tune, layouts_of_a_workload_compute_the_same) {
    search_workload(WEFT_EXECUTOR_THREADS, 2 * 15);
}

// Both worlds have worker processes of their own, and exchange layouts after a round.
Test(tune, layouts_of_processes_compute_the_same) {
    search_workload(WEFT_EXECUTOR_PROCESSES, 2 * 12);
}
