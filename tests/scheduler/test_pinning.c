// Threads on the CPUs that a placement names: pins are read back, a refusal is reported and changes
// nothing but speed.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "os.h"
#include "refusal.h"
#include "worlds.h"

#include <sched.h>
#include <stdio.h>
#include <weft/memory.h>

WEFT_COMPONENT(Count, (uint64_t, value));

enum {
    ROWS = 20000,
    TICKS = 5,
};

static weft_status add(weft_view* view, const void* context) {
    (void)context;
    Count* counts = WEFT_WRITE(view, Count);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++)
        counts[i].value = counts[i].value * UINT64_C(6364136223846793005) + i;
    return WEFT_STATUS_OK;
}

static void build(weft_world* world, weft_schedule* schedule) {
    WORLD_OK(world, weft_world_register_component(world, WEFT_TYPE(Count), WEFT_STORAGE_DENSE));
    for (uint64_t i = 0; i < ROWS; i++) {
        WEFT_CREATE(weft_world_commands(world), 0, WEFT_VALUE(Count, {.value = i}));
    }
    world_commit(world);
    run_add(schedule, WEFT_SYSTEM("add", add, WEFT_ACCESS(WEFT_WRITES(Count))));
}

static weft_executor_desc threads(uint32_t workers, weft_placement placement) {
    weft_executor_desc desc = weft_executor_desc_default();
    desc.kind = WEFT_EXECUTOR_THREADS;
    desc.worker_count = workers;
    desc.placement = placement;
    return desc;
}

static weft_digest run(const weft_executor_desc* desc, weft_executor_stats* stats) {
    sim s = {.world = world_make()};
    s.schedule = run_schedule(s.world);
    build(s.world, s.schedule);
    SCHEDULE_OK(s.schedule, weft_executor_create(desc, s.schedule, &s.executor));
    if (desc->kind == WEFT_EXECUTOR_THREADS)
        (void)!weft_executor_pin_caller(s.executor);
    for (uint32_t tick = 0; tick < TICKS; tick++)
        sim_tick(&s);
    weft_digest digest = weft_world_digest_full(s.world);
    if (stats != NULL)
        *stats = weft_executor_stats_read(s.executor);
    sim_close(&s);
    return digest;
}

static weft_digest run_serial(void) {
    weft_executor_desc desc = weft_executor_desc_default();
    desc.kind = WEFT_EXECUTOR_SERIAL;
    return run(&desc, NULL);
}

// In each way of placing, on the CPUs that are allowed here, fewer workers than CPUs and more.
Test(pinning, every_placement_is_read_back, .timeout = 60) {
    uint32_t cpus[1024];
    uint32_t allowed = weft__os_affinity_list(cpus, 1024);
    weft_digest expected = run_serial();
    for (uint32_t i = 0; i <= WEFT_PLACEMENT_LIST; i++) {
        weft_placement placement = {.policy = (weft_placement_policy)i};
        if (placement.policy == WEFT_PLACEMENT_LIST) {
            placement.cpus = cpus;
            placement.cpu_count = allowed;
        }
        for (uint32_t workers = 1; workers <= 3; workers++) {
            weft_executor_stats stats;
            weft_executor_desc desc = threads(workers, placement);
            DIGEST_EQ(run(&desc, &stats), expected);
            cr_assert_eq(stats.pinned_count, workers, "policy %u: %u of %u", i, stats.pinned_count,
                         workers);
            // The caller is pinned now, and a topology that is read takes its mask for all CPUs.
            cpu_set_t all;
            CPU_ZERO(&all);
            for (uint32_t k = 0; k < allowed; k++)
                CPU_SET(cpus[k], &all);
            cr_assert_eq(sched_setaffinity(0, sizeof all, &all), 0);
        }
    }
}

// The last of the allowed CPUs alone: whoever is beyond it rests there.
Test(pinning, a_list_of_one_cpu, .timeout = 60) {
    uint32_t cpus[1024];
    uint32_t allowed = weft__os_affinity_list(cpus, 1024);
    weft_placement placement = {WEFT_PLACEMENT_LIST, &cpus[allowed - 1], 1};
    weft_executor_stats stats;
    weft_executor_desc desc = threads(0, placement);
    weft_digest expected = run_serial();
    DIGEST_EQ(run(&desc, &stats), expected);
    cr_assert_eq(stats.worker_count, 1);
    cr_assert_eq(sched_getcpu(), (int)cpus[allowed - 1]);
    desc.worker_count = 3;
    DIGEST_EQ(run(&desc, &stats), expected);
    cr_assert_eq(stats.pinned_count, 3);
    cr_assert(stats.oversubscribed);
    cr_assert_eq(stats.tasks_helped, 0);
}

Test(pinning, a_bad_list_is_refused_by_name, .timeout = 20) {
    static const uint32_t far[] = {4000000};
    const struct {
        weft_placement placement;
        const char* line;
    } cases[] = {{{WEFT_PLACEMENT_LIST, far, 1}, "CPU 4000000 is listed twice, or is not one"},
                 {{WEFT_PLACEMENT_LIST, NULL, 0}, "WEFT_PLACEMENT_LIST wants a list of CPUs"},
                 {{WEFT_PLACEMENT_COMPACT, far, 1}, "and the other policies none"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sim s = {.world = world_make()};
        s.schedule = run_schedule(s.world);
        build(s.world, s.schedule);
        weft_executor_desc desc = threads(1, cases[i].placement);
        cr_assert_eq(weft_executor_create(&desc, s.schedule, &s.executor),
                     WEFT_STATUS_BAD_ARGUMENT);
        cr_assert_null(s.executor);
        cr_assert_not_null(strstr(weft_world_error(s.world), cases[i].line), "%s",
                           weft_world_error(s.world));
        // Unpinned, the list is not asked for.
        desc.pin = false;
        SCHEDULE_OK(s.schedule, weft_executor_create(&desc, s.schedule, &s.executor));
        sim_tick(&s);
        sim_close(&s);
    }
}

static void check_refused(int error, bool ask) {
    weft_digest expected = run_serial();
    uint32_t allowed = weft__os_affinity_count();
    if (!refusal_begin(error, ask)) {
        printf("skipped: this system has no filters of system calls\n");
        return;
    }
    weft_topology* topology = NULL;
    cr_assert_eq(weft_topology_create(NULL, &topology), WEFT_STATUS_OK);
    weft_topology_info info = weft_topology_info_get(topology);
    uint32_t count = 0;
    const weft_topology_cpu* cpus = weft_topology_cpus(topology, &count);
    cr_assert_eq(info.mask_unknown, ask);
    if (!ask)
        cr_assert_eq(count, allowed);
    cr_assert_eq(weft_topology_pin_self(topology, cpus[0].os_index), WEFT_STATUS_OS);
    weft_topology_destroy(topology);
    for (uint32_t workers = 1; workers <= 3; workers++) {
        weft_executor_stats stats;
        weft_executor_desc desc = threads(workers, (weft_placement){0});
        DIGEST_EQ(run(&desc, &stats), expected);
        cr_assert_eq(stats.pinned_count, 0);
        cr_assert_eq(stats.worker_count, workers);
    }
}

// Memory that is dealt out over the nodes: read back here, and refused by a system that refuses.
Test(pinning, interleaved_memory, .timeout = 60) {
    weft_topology* topology = NULL;
    weft_memory memory;
    cr_assert_eq(weft_topology_create(NULL, &topology), WEFT_STATUS_OK);
    weft_status status = weft_memory_interleaved(topology, &memory);
    if (status == WEFT_STATUS_OK) {
        weft_world_desc world_desc = weft_world_desc_default();
        sim s = {0};
        cr_assert_eq(weft_world_create(&world_desc, &memory, &s.world), WEFT_STATUS_OK);
        s.schedule = run_schedule(s.world);
        build(s.world, s.schedule);
        weft_executor_desc desc = threads(2, (weft_placement){0});
        SCHEDULE_OK(s.schedule, weft_executor_create(&desc, s.schedule, &s.executor));
        for (uint32_t tick = 0; tick < TICKS; tick++)
            sim_tick(&s);
        weft_digest digest = weft_world_digest_full(s.world);
        sim_close(&s);
        DIGEST_EQ(digest, run_serial());
    } else {
        printf("skipped: %s\n", weft_status_name(status));
    }
    if (status != WEFT_STATUS_UNSUPPORTED && refusal_begin(EPERM, false))
        cr_assert_eq(weft_memory_interleaved(topology, &memory), WEFT_STATUS_OS);
    weft_topology_destroy(topology);
}

Test(pinning, a_refusal_is_reported_and_not_fatal, .timeout = 60) {
    check_refused(EPERM, false);
}

Test(pinning, an_invalid_mask_is_not_fatal, .timeout = 60) {
    check_refused(EINVAL, false);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) // They read it for each thread.
Test(pinning, a_mask_that_cannot_be_read_is_not_fatal, .timeout = 60) {
    check_refused(EPERM, true);
}
#endif
