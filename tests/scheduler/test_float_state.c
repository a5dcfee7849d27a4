// The floating-point state of workers (C9): pinned for every task, and a system that leaves it
// changed fails its tick by name.

#include "float_control.h"

#include <weft/float_state.h>

#include "worlds.h"

WEFT_COMPONENT(Body, (uint32_t, mass));

#if defined(__SSE__)
#define CAN_SPOIL true
#else
#define CAN_SPOIL false
#endif

enum {
    ENTITIES = 5 * WEFT_SHARD_SLOTS
};

// Ways to spoil MXCSR: flush to zero, denormals are zero, three roundings.
static const uint32_t spoilers[] = {0x8000, 0x0040, 0x2000, 0x4000, 0x6000};

#define SPOILERS (sizeof(spoilers) / sizeof(spoilers[0]))

static void spoil(uint32_t bits) {
    weft__float_control_write(weft__float_control_read() | bits);
}

Test(float_state, pinning_keeps_denormals_and_rounds_to_nearest) {
    uint64_t first = weft_float_state_pin();
    cr_assert_null(weft_float_state_fault());
    volatile float tiny = 1e-38f;
    for (size_t i = 0; CAN_SPOIL && i < SPOILERS; i++) {
        spoil(spoilers[i]);
        const char* fault = weft_float_state_fault();
        cr_assert_not_null(fault);
        cr_assert_not(weft__float_state_is_pinned(), "spoiler %zu", i);
        TEXT_HAS(fault, i < 2 ? "denormal" : "rounding");
        uint64_t before = weft_float_state_pin();
        cr_assert_null(weft_float_state_fault());
        cr_assert(weft__float_state_is_pinned());
        cr_assert_gt(tiny / 8, 0.0f);
        weft_float_state_restore(before);
        cr_assert_not_null(weft_float_state_fault());
        (void)weft_float_state_pin();
    }
    weft_float_state_restore(first);
}

Test(float_state, a_flag_that_arithmetic_raises_is_not_control) {
    (void)weft_float_state_pin();
    volatile float one = 1;
    volatile float third = one / 3;
    cr_assert_gt(third, 0.0f);
    if (CAN_SPOIL)
        spoil(0x20); // Inexact.
    cr_assert_null(weft_float_state_fault());
}

static weft_status grow(weft_view* view, const void* context) {
    (void)context;
    Body* bodies = WEFT_WRITE(view, Body);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++)
        bodies[i].mass++;
    return WEFT_STATUS_OK;
}

// Fails by its state of floats alone, in the chunks of shards 3 and 1.
static weft_status meddle(weft_view* view, const void* context) {
    if (weft_float_state_fault() != NULL)
        return weft_view_fail(view, "the state was changed before the task");
    bool here = weft_view_shard(view) == 3 || weft_view_shard(view) == 1;
    if (weft_view_tick(view) == 2 && here)
        spoil(*(const uint32_t*)context);
    return WEFT_STATUS_OK;
}

static uint32_t meddle_bits;

static void build(weft_world* world, weft_schedule* schedule) {
    world_component(world, WEFT_TYPE(Body), WEFT_STORAGE_DENSE);
    for (uint32_t i = 0; i < ENTITIES; i++)
        WEFT_CREATE(weft_world_commands(world), 0, WEFT_VALUE(Body, {i}));
    world_commit(world);
    SCHEDULE_OK(schedule, weft_schedule_add_system(
                              schedule, WEFT_SYSTEM("grow", grow, WEFT_ACCESS(WEFT_WRITES(Body)))));
    SCHEDULE_OK(schedule, weft_schedule_add_system(
                              schedule, WEFT_SYSTEM("meddle", meddle, .context = &meddle_bits,
                                                    WEFT_ACCESS(WEFT_READS(Body)))));
}

static const run_config configs[] = {
    {.name = "serial", .kind = WEFT_EXECUTOR_SERIAL, .workers = 1},
    {.name = "virtual 3", .kind = WEFT_EXECUTOR_VIRTUAL, .workers = 3, .seed = 3},
    {.name = "threads 1", .kind = WEFT_EXECUTOR_THREADS, .workers = 1},
    {.name = "threads 2",
     .kind = WEFT_EXECUTOR_THREADS,
     .workers = 2,
     .everybody = true,
     .grain = 1},
    {.name = "threads 3",
     .kind = WEFT_EXECUTOR_THREADS,
     .workers = 3,
     .everybody = true,
     .grain = 1},
#if TEST_HAS_PROCESSES
    {.name = "processes 1", .kind = WEFT_EXECUTOR_PROCESSES, .workers = 1},
    {.name = "processes 3",
     .kind = WEFT_EXECUTOR_PROCESSES,
     .workers = 3,
     .everybody = true,
     .grain = 1},
#endif
};

Test(float_state, a_system_that_changes_it_fails_its_tick_by_name) {
    for (size_t i = 0; CAN_SPOIL && i < sizeof(configs) / sizeof(configs[0]); i++) {
        meddle_bits = spoilers[i % SPOILERS];
        sim s = sim_open(&configs[i], build);
        for (uint32_t tick = 0; tick < 2; tick++)
            sim_tick(&s);
        cr_assert_eq(weft_executor_tick(s.executor), WEFT_STATUS_FLOAT_STATE, "%s",
                     configs[i].name);
        const char* error = weft_world_error(s.world);
        TEXT_HAS(error, "\"meddle\"");
        TEXT_HAS(error, "tick 2");
        TEXT_HAS(error, "shard 1");
        TEXT_HAS(error,
                 i % SPOILERS < 2 ? "denormal numbers are switched off" : "rounding is changed");
        cr_assert_null(weft_float_state_fault(), "%s: the caller keeps it", configs[i].name);
        sim_close(&s);
    }
}

Test(float_state, the_callers_own_state_neither_matters_nor_is_lost) {
    for (size_t i = 0; CAN_SPOIL && i < sizeof(configs) / sizeof(configs[0]); i++) {
        meddle_bits = 0;
        sim s = sim_open(&configs[i], build);
        spoil(spoilers[i % SPOILERS]);
        for (uint32_t tick = 0; tick < 4; tick++)
            sim_tick(&s); // meddle looks before each task.
        cr_assert_not_null(weft_float_state_fault(), "%s", configs[i].name);
        (void)weft_float_state_pin();
        sim_close(&s);
    }
}

// Notes what happened to its numbers in some chunks only.
static weft_status note(weft_view* view, const void* context) {
    (void)context;
    uint32_t shard = weft_view_shard(view);
    if (weft_view_tick(view) == 1 && shard >= 2)
        *weft_view_number_flags(view) |= shard == 3 ? WEFT_NUMBER_UNDEFINED : WEFT_NUMBER_SATURATED;
    return WEFT_STATUS_OK;
}

static void build_noting(weft_world* world, weft_schedule* schedule) {
    build(world, schedule);
    SCHEDULE_OK(schedule, weft_schedule_add_system(
                              schedule, WEFT_SYSTEM("note", note, WEFT_ACCESS(WEFT_READS(Body)))));
}

Test(float_state, a_tick_reports_the_smallest_task_whose_numbers_saturated) {
    for (size_t i = 0; i < sizeof(configs) / sizeof(configs[0]); i++) {
        meddle_bits = 0;
        sim s = sim_open(&configs[i], build_noting);
        for (uint32_t tick = 0; tick < 3; tick++) {
            sim_tick(&s);
            weft_number_report report = weft_executor_numbers(s.executor);
            if (tick != 1) {
                cr_assert_eq(report.flags, 0u);
                cr_assert_null(report.system);
                continue;
            }
            cr_assert_eq(report.flags, WEFT_NUMBER_SATURATED | WEFT_NUMBER_UNDEFINED);
            cr_assert_eq(report.task_count, 3u);
            cr_assert_eq(report.shard, 2u);
            cr_assert_eq(report.archetype, 1u);
            cr_assert_str_eq(report.system, "note");
        }
        sim_close(&s);
    }
}
