// How workers wait and who takes part is placement: it changes no result, also not in a process
// that has lost its workers, and nobody waits for somebody who is not there.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "worlds.h"

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

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

static sim open_in(weft_world* world, const weft_executor_desc* desc) {
    sim s = {.world = world};
    s.schedule = run_schedule(s.world);
    build(s.world, s.schedule);
    SCHEDULE_OK(s.schedule, weft_executor_create(desc, s.schedule, &s.executor));
    return s;
}

static sim open_with(const weft_executor_desc* desc) {
    weft_world_desc world_desc = weft_world_desc_default();
    return open_in(world_make_for(desc->kind, &world_desc), desc);
}

static weft_executor_desc workers(weft_executor_kind kind, uint32_t count) {
    weft_executor_desc desc = weft_executor_desc_default();
    desc.kind = kind;
    desc.worker_count = count;
    return desc;
}

static weft_executor_desc threads(uint32_t count) {
    return workers(WEFT_EXECUTOR_THREADS, count);
}

static void wait_in_all_ways(weft_executor_kind kind) {
    static const uint32_t times[] = {0, 1, 5000, 2000000};
    weft_digest expected = expected_after(TICKS);
    for (uint32_t i = 0; i < 32; i++) {
        weft_executor_desc desc = workers(kind, 2 + i % 3);
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

Test(waiting, no_way_of_waiting_changes_a_result, .timeout = 100) {
    wait_in_all_ways(WEFT_EXECUTOR_THREADS);
}

#if TEST_HAS_PROCESSES
Test(waiting, no_way_of_waiting_of_processes_changes_a_result, .timeout = 100) {
    wait_in_all_ways(WEFT_EXECUTOR_PROCESSES);
}
#endif

static void share_every_batch(weft_executor_kind kind) {
    weft_executor_desc desc = workers(kind, 2);
    desc.everybody = true;
    sim s = open_with(&desc);
    weft_digest full;
    WORLD_OK(s.world, run_ticks(&s, TICKS, &full));
    weft_executor_stats stats = weft_executor_stats_read(s.executor);
    cr_assert_leq(stats.stages_alone, 2 * TICKS, "of a tick only batches of one item"); // mix
    sim_close(&s);
}

// Systems of one stage go to all workers, and only with `everybody` whatever they cost.
Test(waiting, everybody_means_every_batch, .timeout = 60) {
    share_every_batch(WEFT_EXECUTOR_THREADS);
#if TEST_HAS_PROCESSES
    share_every_batch(WEFT_EXECUTOR_PROCESSES);
#endif
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
    for (int i = 0; i < 1 + TEST_HAS_PROCESSES; i++) {
        weft_executor_desc desc =
            workers(i == 0 ? WEFT_EXECUTOR_THREADS : WEFT_EXECUTOR_PROCESSES, 0);
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
    }
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
            desc.kind = TEST_HAS_PROCESSES ? desc.kind : WEFT_EXECUTOR_SERIAL;
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

#if TEST_HAS_PROCESSES
// What a forked child does with a world whose memory it shares with its parent; 0 if that goes as
// it should.
typedef int child_fn(const sim* s);

static int child_reads(const sim* s) {
    uint32_t value =
        ((const Count*)weft_world_read(s->world, (weft_entity){7, 1}, WEFT_TYPE(Count)))->value;
    return weft_world_tick(s->world) == TICKS && value != 7 ? 0 : 1;
}

static int child_is_refused(const sim* s) {
    weft_digest full;
    const weft_task_output* outputs;
    size_t count;
    weft_executor* another;
    weft_executor_desc desc = weft_executor_desc_default();
    if (weft_executor_tick(s->executor) != WEFT_STATUS_UNSUPPORTED)
        return 1;
    if (weft_executor_create(&desc, s->schedule, &another) != WEFT_STATUS_UNSUPPORTED)
        return 4;
    if (weft_executor_digest(s->executor, NULL, &full) != WEFT_STATUS_UNSUPPORTED)
        return 2;
    return weft_executor_tick_traced(s->executor, &outputs, &count) == WEFT_STATUS_UNSUPPORTED ? 0
                                                                                               : 3;
}

static int child_destroys(const sim* s) {
    sim own = *s;
    sim_close(&own);
    return 0;
}

static int child_runs_its_own(const sim* s) {
    weft_executor_desc desc = workers(WEFT_EXECUTOR_PROCESSES, 2);
    weft_digest full;
    (void)s;
    sim own = open_with(&desc);
    weft_digest expected = expected_after(TICKS);
    weft_status status = run_ticks(&own, TICKS, &full);
    sim_close(&own);
    return status == WEFT_STATUS_OK && weft_digest_equal(full, expected) ? 0 : 1;
}

static void check_child(const sim* s, child_fn* does) {
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        alarm(20); // What hangs is a failure.
        _exit(does(s));
    }
    int status = -1;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_eq(status, 0, "the child ended with %d", status);
}

Test(waiting, a_forked_child_leaves_a_shared_world_alone, .timeout = 60) {
    static child_fn* const children[] = {child_reads, child_is_refused, child_destroys,
                                         child_runs_its_own};
    static const weft_executor_kind kinds[] = {WEFT_EXECUTOR_PROCESSES, WEFT_EXECUTOR_PROCESSES,
                                               WEFT_EXECUTOR_SERIAL, WEFT_EXECUTOR_THREADS};
    for (uint32_t i = 0; i < 4; i++) {
        weft_executor_desc desc = workers(kinds[i], 2 + i % 2);
        desc.everybody = i == 1;
        desc.rollback_ticks = i == 1 ? 5 : 0;
        sim s = open_in(world_make_shared(), &desc);
        weft_digest full;
        WORLD_OK(s.world, run_ticks(&s, TICKS, &full));
        for (size_t k = 0; k < sizeof(children) / sizeof(children[0]); k++)
            check_child(&s, children[k]);
        WORLD_OK(s.world, weft_world_digest_check(s.world));
        WORLD_OK(s.world, run_ticks(&s, TICKS, &full));
        DIGEST_EQ(full, expected_after(2 * TICKS));
        cr_assert_eq(weft_executor_stats_read(s.executor).crashes, 0);
        cr_assert_eq(weft_executor_stats_read(s.executor).ticks, 2 * TICKS);
        sim_close(&s);
    }
}
#endif
