// A worker process that has a CPU is not taken for one that has lost it.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "worlds.h"

#include <weft/memory.h>

#include "processes.h"

enum {
    TIMEOUT = 60,
    TICKS = 40
};

// A rest is for who waited for most of the time that the caller first sleeps for it.
#define WAIT_LEAST (WEFT__STALL_NS / 2)

WEFT_COMPONENT(Load, (uint32_t, runs));

static void burn(uint64_t ns) {
    uint64_t begin = weft__os_clock_ns();
    while (weft__os_clock_ns() - begin < ns)
        weft__cpu_relax();
}

// The leader's is soon done; then it waits for the other, who has no reason to leave its CPU, so
// that the system tells little of what it has had.
static weft_status unequal(weft_view* view, const void* context) {
    (void)context;
    burn(weft_view_shard(view) == 0 ? 1000000 : 9000000);
    WEFT_WRITE(view, Load)[0].runs++;
    return WEFT_STATUS_OK;
}

static sim open_unequal(void) {
    weft_world_desc world_desc = weft_world_desc_default();
    weft_executor_desc desc = weft_executor_desc_default();
    weft_memory memory;
    sim s = {0};
    cr_assert_eq(weft_memory_aliased(false, &memory), WEFT_STATUS_OK);
    cr_assert_eq(weft_world_create(&world_desc, &memory, &s.world), WEFT_STATUS_OK);
    s.schedule = run_schedule(s.world);
    world_component(s.world, WEFT_TYPE(Load), WEFT_STORAGE_DENSE);
    weft_commands* commands = weft_world_commands(s.world);
    for (uint32_t i = 0; i <= WEFT_SHARD_SLOTS; i++) {
        weft_entity made = weft_commands_create(commands, 0);
        if (i % WEFT_SHARD_SLOTS == 0)
            WEFT_ADD(commands, 0, made, Load, {0});
    }
    world_commit(s.world);
    run_add(s.schedule, WEFT_SYSTEM("unequal", unequal, WEFT_ACCESS(WEFT_WRITES(Load))));
    desc.kind = WEFT_EXECUTOR_PROCESSES;
    desc.worker_count = 2;
    WORLD_OK(s.world, weft_executor_create(&desc, s.schedule, &s.executor));
    return s;
}

Test(rests, who_runs_all_the_time_does_not_rest, .timeout = TIMEOUT) {
    uint64_t before;
    uint64_t after;
    sim s = open_unequal();
    int worker = s.executor->processes->workers[1].id;
    if (!weft__os_cpu_wait_ns(worker, &before))
        cr_skip("the system does not tell who waits");
    for (uint32_t i = 0; i < TICKS; i++) {
        uint64_t rests = weft_executor_stats_read(s.executor).rests;
        sim_tick(&s);
        if (weft_executor_stats_read(s.executor).rests == rests)
            continue;
        cr_assert(weft__os_cpu_wait_ns(worker, &after));
        cr_assert_gt(after - before, WAIT_LEAST,
                     "tick %u: a rest, and it has waited for %" PRIu64 " ns only", i,
                     after - before);
        before = after;
    }
    (void)fprintf(stderr, "%" PRIu64 " rests, %" PRIu64 " stages alone\n",
                  weft_executor_stats_read(s.executor).rests,
                  weft_executor_stats_read(s.executor).stages_alone);
    sim_close(&s);
}
