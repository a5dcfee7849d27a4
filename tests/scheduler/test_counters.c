// Counters of workers where the processor has some: what is asked for, how it is read, and what is
// said of those that are not to be had.

#include "fake_pmu.h"

#include <weft/trace.h>

#include "rig.h"
#include "worlds.h"

enum {
    HARDWARE = PERF_TYPE_HARDWARE,
    SOFTWARE = PERF_TYPE_SOFTWARE,
    WORKERS = 3,
    ALL = (1 << WEFT_TRACE_COUNTERS) - 1,
    OF_PROCESSOR =
        1 << WEFT_TRACE_CYCLES | 1 << WEFT_TRACE_INSTRUCTIONS | 1 << WEFT_TRACE_CACHE_MISSES
};

static char reason[256];

static weft_rig open_rig(weft_executor_kind kind, uint32_t workers) {
    weft_rig rig;
    weft_rig_start start = {
        .entity_count = 100, .seed = 7, .aliased = kind == WEFT_EXECUTOR_PROCESSES};
    weft_executor_desc desc = weft_executor_desc_default();
    desc.kind = kind;
    desc.worker_count = workers;
    desc.trace_records = 1000;
    cr_assert_eq(weft_rig_open_as(&rig, &weft_workload_creatures, &start), WEFT_STATUS_OK, "%s",
                 rig.error);
    cr_assert_eq(weft_rig_add(&rig, &desc), WEFT_STATUS_OK, "%s", rig.error);
    return rig;
}

static uint32_t count(weft_rig* rig) {
    return weft_trace_count(rig->executor[0], reason, sizeof reason);
}

// What the next read adds to every group.
static void step(uint64_t enabled, uint64_t running, uint64_t cycles, uint64_t instructions,
                 uint64_t misses, uint64_t switches) {
    fake_pmu.enabled = enabled;
    fake_pmu.running = running;
    fake_pmu.value[HARDWARE][PERF_COUNT_HW_CPU_CYCLES] = cycles;
    fake_pmu.value[HARDWARE][PERF_COUNT_HW_INSTRUCTIONS] = instructions;
    fake_pmu.value[HARDWARE][PERF_COUNT_HW_CACHE_MISSES] = misses;
    fake_pmu.value[SOFTWARE][PERF_COUNT_SW_CONTEXT_SWITCHES] = switches;
}

static void expect(weft_rig* rig, uint32_t worker, uint64_t cycles, uint64_t instructions,
                   uint64_t misses, uint64_t switches) {
    weft_trace_counts counts = weft_trace_counts_read(rig->executor[0], worker);
    cr_assert_eq(counts.value[WEFT_TRACE_CYCLES], cycles, "%zu cycles",
                 (size_t)counts.value[WEFT_TRACE_CYCLES]);
    cr_assert_eq(counts.value[WEFT_TRACE_INSTRUCTIONS], instructions, "%zu instructions",
                 (size_t)counts.value[WEFT_TRACE_INSTRUCTIONS]);
    cr_assert_eq(counts.value[WEFT_TRACE_CACHE_MISSES], misses, "%zu misses",
                 (size_t)counts.value[WEFT_TRACE_CACHE_MISSES]);
    cr_assert_eq(counts.value[WEFT_TRACE_SWITCHES], switches, "%zu switches",
                 (size_t)counts.value[WEFT_TRACE_SWITCHES]);
}

// By two groups of each worker's own thread. Only what is counted in user mode needs no permission.
static void look_at_events(uint32_t workers) {
    int threads[WORKERS];
    uint32_t thread_count = 0;
    for (int i = 0; i < FAKE_PMU_FILES; i++) {
        const fake_event* event = &fake_pmu.events[i];
        if (!fake_pmu.is_open[i])
            continue;
        bool hardware = event->attr.type == HARDWARE;
        cr_assert_eq(event->attr.exclude_kernel, hardware);
        cr_assert(!event->attr.inherit && !event->attr.disabled && !event->attr.pinned);
        cr_assert_eq(event->leader >= 0 ? 0u : 3u, event->member_count);
        if (event->leader >= 0) {
            cr_assert_eq(fake_pmu.events[event->leader].attr.type, event->attr.type);
            continue;
        }
        cr_assert_eq(event->attr.config, hardware ? (uint64_t)PERF_COUNT_HW_CPU_CYCLES
                                                  : (uint64_t)PERF_COUNT_SW_CONTEXT_SWITCHES);
        cr_assert_eq(event->attr.read_format,
                     (uint64_t)(PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
                                PERF_FORMAT_TOTAL_TIME_RUNNING));
        for (uint32_t k = 0; hardware && k < thread_count; k++)
            cr_assert_neq(threads[k], event->thread);
        if (hardware)
            threads[thread_count++] = event->thread;
    }
    cr_assert_eq(thread_count, workers);
}

static const struct {
    weft_executor_kind kind;
    uint32_t workers;
    uint32_t threads; // That are counted.
} placements[] = {{WEFT_EXECUTOR_SERIAL, 1, 1},
                  {WEFT_EXECUTOR_VIRTUAL, WORKERS, 1},
                  {WEFT_EXECUTOR_THREADS, WORKERS, WORKERS},
                  {WEFT_EXECUTOR_PROCESSES, WORKERS, WORKERS}};

Test(counters, each_worker_has_its_own) {
    for (size_t i = 0; i < sizeof placements / sizeof placements[0]; i++) {
        weft_rig rig = open_rig(placements[i].kind, placements[i].workers);
        cr_assert_eq(weft_rig_tick(&rig, 0), WEFT_STATUS_OK, "%s", rig.error);
        for (uint32_t round = 0; round < 2; round++) { // The second time anew.
            cr_assert_eq(count(&rig), (uint32_t)ALL, "%s", reason);
            cr_assert_str_eq(reason, "");
            cr_assert_eq(fake_pmu.open, placements[i].threads * WEFT_TRACE_COUNTERS);
            look_at_events(placements[i].threads);
            for (uint32_t worker = 0; worker < placements[i].workers; worker++) {
                bool has = worker < placements[i].threads;
                step(100, 100, 10 + worker, 20, 30, 4);
                expect(&rig, worker, has ? 10 + worker : 0, has ? 20 : 0, has ? 30 : 0,
                       has ? 4 : 0);
                expect(&rig, worker, has ? 2 * (10 + worker) : 0, has ? 40 : 0, has ? 60 : 0,
                       has ? 8 : 0);
            }
        }
        weft_rig_close(&rig);
        cr_assert_eq(fake_pmu.open, 0u, "%u files are left open", fake_pmu.open);
    }
}

// Counters that take turns count a part of the time. With the whole's share of time instead of that
// since the last read, a count would fall as soon as its group gets all the time.
Test(counters, what_was_counted_by_turns_is_scaled_and_never_falls) {
    weft_rig rig = open_rig(WEFT_EXECUTOR_SERIAL, 1);
    cr_assert_eq(count(&rig), (uint32_t)ALL);
    step(100, 50, 1000, 3000, 7, 1);
    expect(&rig, 0, 2000, 6000, 14, 2);
    step(100, 100, 100, 300, 1, 0);
    expect(&rig, 0, 2100, 6300, 15, 2);
    // Not at all, for a while: the next part stands for that too.
    step(100, 0, 0, 0, 0, 0);
    expect(&rig, 0, 2100, 6300, 15, 2);
    step(100, 50, 10, 30, 5, 1);
    expect(&rig, 0, 2140, 6420, 35, 6);
    step(0, 0, 0, 0, 0, 0);
    expect(&rig, 0, 2140, 6420, 35, 6);
    weft_rig_close(&rig);
}

Test(counters, a_member_that_is_missing_leaves_the_others_theirs) {
    fake_pmu.error[HARDWARE][PERF_COUNT_HW_INSTRUCTIONS] = ENOENT;
    weft_rig rig = open_rig(WEFT_EXECUTOR_THREADS, 2);
    cr_assert_eq(count(&rig), (uint32_t)(ALL & ~(1 << WEFT_TRACE_INSTRUCTIONS)));
    cr_assert_str_eq(reason, "instructions: the processor's counters are not to be had here, as in "
                             "most virtual machines");
    step(100, 100, 10, 20, 30, 4);
    expect(&rig, 1, 10, 0, 30, 4);
    cr_assert_eq(weft_rig_tick(&rig, 0), WEFT_STATUS_OK);
    weft_rig_close(&rig);
    cr_assert_eq(fake_pmu.open, 0u);
}

Test(counters, without_a_leader_there_is_no_group) {
    static const int errors[] = {ENOENT, ENODEV, EOPNOTSUPP};
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        fake_pmu.error[HARDWARE][PERF_COUNT_HW_CPU_CYCLES] = errors[i];
        weft_rig rig = open_rig(WEFT_EXECUTOR_THREADS, 2);
        cr_assert_eq(count(&rig), (uint32_t)(ALL & ~OF_PROCESSOR));
        TEXT_HAS(reason, "cycles: the processor's counters are not to be had here");
        step(100, 100, 10, 20, 30, 4);
        expect(&rig, 1, 0, 0, 0, 4);
        weft_rig_close(&rig);
    }
}

Test(counters, a_refusal_is_told_with_what_refuses) {
    static const int errors[] = {EACCES, EPERM};
    for (size_t i = 0; i < 2; i++) {
        fake_pmu.error[SOFTWARE][PERF_COUNT_SW_CONTEXT_SWITCHES] = errors[i];
        weft_rig rig = open_rig(WEFT_EXECUTOR_THREADS, 2);
        cr_assert_eq(count(&rig), (uint32_t)OF_PROCESSOR);
        TEXT_HAS(reason, "context switches: not permitted; /proc/sys/kernel/perf_event_paranoid");
        cr_assert_null(strchr(reason, '\n'));
        step(100, 100, 10, 20, 30, 4);
        expect(&rig, 1, 10, 20, 30, 0);
        weft_rig_close(&rig);
    }
}

// Only those that every worker has are said to be had.
Test(counters, files_may_run_out) {
    weft_rig rig = open_rig(WEFT_EXECUTOR_THREADS, WORKERS);
    fake_pmu.room = 2 * WEFT_TRACE_COUNTERS + 2;
    cr_assert_eq(count(&rig), (uint32_t)(1 << WEFT_TRACE_CYCLES | 1 << WEFT_TRACE_INSTRUCTIONS));
    cr_assert_str_eq(reason, "cache misses: perf_event_open: Too many open files");
    cr_assert_eq(weft_rig_tick(&rig, 0), WEFT_STATUS_OK);
    weft_rig_close(&rig);
    cr_assert_eq(fake_pmu.open, 0u);
}
