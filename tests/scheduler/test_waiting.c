// How workers wait and who takes part is placement: it changes no result, also not in a process
// that has lost its workers, and nobody waits for somebody who is not there.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "worlds.h"

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

// ThreadSanitizer ends a forked child that starts a thread.
#if defined(__SANITIZE_THREAD__)
#define CHILD_MAY_START_THREADS 0
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CHILD_MAY_START_THREADS 0
#endif
#endif
#ifndef CHILD_MAY_START_THREADS
#define CHILD_MAY_START_THREADS 1
#endif

enum {
    CELLS = 4,
    TICKS = 40
};

WEFT_COMPONENT(Count, (uint32_t, value));
WEFT_RESOURCE(Cell0, (uint64_t, value));
WEFT_RESOURCE(Cell1, (uint64_t, value));
WEFT_RESOURCE(Cell2, (uint64_t, value));
WEFT_RESOURCE(Cell3, (uint64_t, value));

static const weft_type* const cell_types[CELLS] = {WEFT_TYPE(Cell0), WEFT_TYPE(Cell1),
                                                   WEFT_TYPE(Cell2), WEFT_TYPE(Cell3)};

// Systems of one stage: a cell each, and all chunks.
static weft_status fill(weft_view* view, const void* context) {
    uint64_t* cell = weft_view_resource_write(view, *(const weft_type* const*)context);
    for (uint32_t i = 0; i < 300; i++)
        *cell = *cell * UINT64_C(6364136223846793005) + weft_view_tick(view);
    return WEFT_STATUS_OK;
}

static weft_status count_up(weft_view* view, const void* context) {
    (void)context;
    Count* counts = WEFT_WRITE(view, Count);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++)
        counts[i].value = counts[i].value * 5 + (uint32_t)weft_view_tick(view);
    return WEFT_STATUS_OK;
}

// A stage after: reads them all.
static weft_status mix(weft_view* view, const void* context) {
    (void)context;
    uint64_t sum = 0;
    for (uint32_t i = 1; i < CELLS; i++)
        sum = sum * 31 + *(const uint64_t*)weft_view_resource(view, cell_types[i]);
    *(uint64_t*)weft_view_resource_write(view, cell_types[0]) += sum;
    return WEFT_STATUS_OK;
}

static void build(weft_world* world, weft_schedule* schedule) {
    static const char* const names[CELLS] = {"fill_0", "fill_1", "fill_2", "fill_3"};
    world_component(world, WEFT_TYPE(Count), WEFT_STORAGE_DENSE);
    for (uint32_t i = 0; i < CELLS; i++)
        WORLD_OK(world, weft_world_register_resource(world, cell_types[i], 1, NULL));
    weft_commands* commands = weft_world_commands(world);
    for (uint32_t i = 0; i < 3 * WEFT_SHARD_SLOTS; i++) {
        weft_entity made = weft_commands_create(commands, 0);
        WEFT_ADD(commands, 0, made, Count, {i});
    }
    world_commit(world);
    for (uint32_t i = 0; i < CELLS; i++) {
        weft_access access = {WEFT_ACCESS_RESOURCE_WRITE, cell_types[i]};
        weft_system_desc desc = weft_system_desc_default();
        desc.name = names[i];
        desc.run = fill;
        desc.context = &cell_types[i];
        desc.scope = WEFT_SCOPE_WORLD;
        desc.access = &access;
        desc.access_count = 1;
        run_add(schedule, &desc);
    }
    run_add(schedule, WEFT_SYSTEM("count_up", count_up, WEFT_ACCESS(WEFT_WRITES(Count))));
    run_add(schedule,
            WEFT_SYSTEM("mix", mix, .scope = WEFT_SCOPE_WORLD,
                        WEFT_ACCESS(WEFT_WRITES_RESOURCE(Cell0), WEFT_READS_RESOURCE(Cell1),
                                    WEFT_READS_RESOURCE(Cell2), WEFT_READS_RESOURCE(Cell3))));
}

static weft_status run_ticks(sim* s, uint32_t ticks, weft_digest* full) {
    for (uint32_t i = 0; i < ticks; i++)
        WEFT_TRY(weft_executor_tick(s->executor));
    return weft_executor_digest(s->executor, NULL, full);
}

static weft_digest expected_after(uint32_t ticks) {
    sim s = sim_open(&run_configs[0], build);
    weft_digest full;
    WORLD_OK(s.world, run_ticks(&s, ticks, &full));
    sim_close(&s);
    return full;
}

static sim open_with(const weft_executor_desc* desc) {
    sim s = {.world = world_make()};
    s.schedule = run_schedule(s.world);
    build(s.world, s.schedule);
    SCHEDULE_OK(s.schedule, weft_executor_create(desc, s.schedule, &s.executor));
    return s;
}

static weft_executor_desc threads(uint32_t count) {
    weft_executor_desc desc = weft_executor_desc_default();
    desc.kind = WEFT_EXECUTOR_THREADS;
    desc.worker_count = count;
    return desc;
}

Test(waiting, no_way_of_waiting_changes_a_result, .timeout = 100) {
    static const uint32_t times[] = {0, 1, 5000, 2000000};
    weft_digest expected = expected_after(TICKS);
    for (uint32_t i = 0; i < 32; i++) {
        weft_executor_desc desc = threads(2 + i % 3);
        desc.spin_ns = times[i % 4];
        desc.yield_ns = times[i / 4 % 4];
        desc.everybody = i / 16 == 1;
        desc.tick_period_ns = i % 5 == 0 ? 300000 : i % 7 == 0 ? 1 : 0;
        sim s = open_with(&desc);
        weft_digest full;
        for (uint32_t tick = 0; tick < TICKS; tick++) {
            WORLD_OK(s.world, weft_executor_tick(s.executor));
            if (tick % 8 == 0)
                usleep(300); // Long enough to fall asleep, for some.
        }
        WORLD_OK(s.world, run_ticks(&s, 0, &full));
        DIGEST_EQ(full, expected);
        sim_close(&s);
    }
}

// Systems of one stage go to all workers, and only with `everybody` whatever they cost.
Test(waiting, everybody_means_every_batch, .timeout = 60) {
    weft_executor_desc desc = threads(2);
    desc.everybody = true;
    sim s = open_with(&desc);
    weft_digest full;
    WORLD_OK(s.world, run_ticks(&s, TICKS, &full));
    weft_executor_stats stats = weft_executor_stats_read(s.executor);
    cr_assert_leq(stats.stages_alone, 2 * TICKS, "of a tick only batches of one item"); // mix
    sim_close(&s);
}

Test(waiting, workers_beyond_the_cpus_rest, .timeout = 60) {
    weft_digest expected = expected_after(TICKS);
    cpu_set_t before;
    cr_assert_eq(sched_getaffinity(0, sizeof(before), &before), 0);
    int cpu = 0;
    while (!CPU_ISSET((size_t)cpu, &before))
        cpu++;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((size_t)cpu, &one);
    cr_assert_eq(sched_setaffinity(0, sizeof(one), &one), 0);
    weft_executor_desc desc = threads(0);
    sim s = open_with(&desc);
    cr_assert_eq(weft_executor_stats_read(s.executor).worker_count, 1);
    sim_close(&s);
    desc.worker_count = 4;
    s = open_with(&desc);
    weft_digest full;
    WORLD_OK(s.world, run_ticks(&s, TICKS, &full));
    DIGEST_EQ(full, expected);
    weft_executor_stats stats = weft_executor_stats_read(s.executor);
    cr_assert(stats.oversubscribed);
    cr_assert_eq(stats.wakes, 0);
    cr_assert_eq(stats.tasks_helped, 0);
    sim_close(&s);
    cr_assert_eq(sched_setaffinity(0, sizeof(before), &before), 0);
}

// Fork -------------------------------------------------------------------------------------------

// Runs `ticks` more ticks in a child; its exit status is 0 if they end in `expected`.
static int in_child(sim* inherited, uint32_t ticks, weft_digest expected) {
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        alarm(20); // What hangs is a failure.
        sim s = *inherited;
        if (s.executor == NULL) {
            weft_executor_desc desc = threads(2);
            desc.kind = CHILD_MAY_START_THREADS ? desc.kind : WEFT_EXECUTOR_SERIAL;
            desc.everybody = true;
            s = open_with(&desc);
        }
        weft_digest full = {0, 0};
        weft_status status = run_ticks(&s, ticks, &full);
        bool same = status == WEFT_STATUS_OK && weft_digest_equal(full, expected);
        sim_close(&s);
        _exit(same ? 0 : 1);
    }
    int status = -1;
    cr_assert_eq(waitpid(child, &status, 0), child);
    return status;
}

Test(waiting, a_forked_child_runs_worlds_of_its_own, .timeout = 60) {
    weft_executor_desc desc = threads(2);
    desc.everybody = true;
    sim s = open_with(&desc);
    weft_digest full;
    WORLD_OK(s.world, run_ticks(&s, TICKS, &full));
    sim none = {.executor = NULL};
    cr_assert_eq(in_child(&none, TICKS, expected_after(TICKS)), 0);
    WORLD_OK(s.world, run_ticks(&s, TICKS, &full));
    DIGEST_EQ(full, expected_after(2 * TICKS));
    sim_close(&s);
}

// The workers stay with the parent. In the child the caller does everything alone.
Test(waiting, a_forked_child_goes_on_with_what_it_inherits, .timeout = 60) {
    for (uint32_t i = 0; i < 4; i++) {
        weft_executor_desc desc = threads(2 + i % 2);
        desc.everybody = i / 2 == 1;
        sim s = open_with(&desc);
        weft_digest full;
        WORLD_OK(s.world, run_ticks(&s, TICKS, &full));
        cr_assert_eq(in_child(&s, TICKS, expected_after(2 * TICKS)), 0);
        WORLD_OK(s.world, run_ticks(&s, 2 * TICKS, &full));
        DIGEST_EQ(full, expected_after(3 * TICKS));
        sim_close(&s);
    }
}

// A child that only looks at the digest, and never ticks, has no workers either.
Test(waiting, a_forked_child_digests_and_destroys, .timeout = 60) {
    weft_executor_desc desc = threads(2);
    desc.everybody = true;
    sim s = open_with(&desc);
    weft_digest full;
    for (uint32_t i = 0; i < TICKS; i++)
        sim_tick(&s);
    cr_assert_eq(in_child(&s, 0, expected_after(TICKS)), 0);
    WORLD_OK(s.world, run_ticks(&s, 0, &full));
    sim_close(&s);
}
