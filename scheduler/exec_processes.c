// What is asked of worker processes, and what is done when one dies of it.
//
//   host     asks ------------------------------------------- reads the answer, or sees a death
//   leader        runs the tick as worker 0 ------- answers
//   others           share its batches ----------
//
// The host never runs a system. When a worker ends, nothing that any of them wrote is trusted: all
// are killed, the image of the world's memory is put back, fresh ones are forked, what was asked
// for since is done again, and then what was going on.

#include "exec_processes.h"

#include <string.h>

#include "os.h"
#include "processes.h"

// Deaths over ticks that went well before: somebody kills workers one after the other.
#define RERUN_DEATHS_MAX 1000u

void weft__exec_processes_run(weft__runner* runner, const weft__batch* batch) {
    weft_executor* executor = (weft_executor*)runner;
    if (weft__processes_inside(executor->pool)) {
        weft__task_note_step(executor->notes, 2);
        weft__pool_run(runner, batch);
        weft__task_note_step(executor->notes, 2); // What follows is the leader's alone.
        return;
    }
    executor->stats.tasks += batch->count;
    executor->stats.stages_alone++;
    for (uint32_t i = 0; i < batch->count; i++)
        batch->fn(batch->context, 0, i);
}

// Going back -------------------------------------------------------------------------------------

static weft_status diverged(const weft__processes* processes, const char* how) {
    const weft_world* world = processes->world;
    char reason[sizeof(world->error)];
    memcpy(reason, world->error, sizeof(reason));
    return weft__world_break(processes->world, WEFT_STATUS_DIVERGED,
                             "run again after a worker process had died, tick %llu %s: it depends "
                             "on what is not in the world, such as a static variable or a clock; "
                             "weft verify --check=sync looks for it%s%s",
                             (unsigned long long)world->tick, how, reason[0] != '\0' ? ": " : "",
                             reason);
}

// Compares the world with what was known of it. False if somebody died.
static bool check_again(weft__processes* processes, weft_status* status) {
    weft_world* world = processes->world;
    const weft_digest* expected = weft__recovery_expected(&processes->recovery, world->tick);
    *status = WEFT_STATUS_OK;
    if (expected == NULL)
        return true;
    if (!weft__processes_ask(processes, WEFT__REQUEST_DIGEST, 0, NULL, status))
        return false;
    if (*status != WEFT_STATUS_OK || weft_digest_equal(world->digests.full, *expected))
        return true;
    world->error[0] = '\0';
    *status = diverged(processes, "begins with another digest");
    return true;
}

// From the image on. False if somebody died.
static bool run_again(weft__processes* processes, uint64_t target, weft_status* status) {
    weft_world* world = processes->world;
    weft__recovery* recovery = &processes->recovery;
    uint64_t took_ns = 0;
    for (;;) {
        uint64_t tick = world->tick; // Not to be trusted when somebody has died.
        bool alive = check_again(processes, status);
        if (alive && *status == WEFT_STATUS_OK) {
            weft__recovery_on_the_way(recovery, took_ns);
            *status = weft__recovery_post(recovery);
        }
        if (alive && (*status != WEFT_STATUS_OK || tick == target))
            return true;
        WEFT_ASSERT(tick < target || !alive);
        uint64_t begin = weft__os_clock_ns();
        if (!alive || !weft__processes_ask(processes, WEFT__REQUEST_TICK, 0, NULL, status)) {
            recovery->reached = tick;
            return false;
        }
        took_ns = weft__os_clock_ns() - begin;
        processes->executor->stats.reruns++;
        if (*status != WEFT_STATUS_OK) {
            *status = diverged(processes, "fails");
            return true;
        }
    }
}

// Brings the world back to where a tick's events have been posted.
static weft_status recover(weft__processes* processes, uint64_t target) {
    weft_executor* executor = processes->executor;
    weft_world* world = processes->world;
    weft_status status = WEFT_STATUS_OK;
    uint32_t deaths = 0;
    uint64_t begin = weft__os_clock_ns();
    bool there = false;
    weft__processes_kill(processes);
    processes->recovery.reached = target;
    if (!processes->recovery.whole) {
        weft__processes_lose(processes, target);
        return weft__world_break(world, WEFT_STATUS_CRASHED,
                                 "%s; no image of the world is kept that it could come back from "
                                 "(weft_executor_desc.image_ticks, .image_percent), so it is empty",
                                 processes->report.text);
    }
    while (!there && status == WEFT_STATUS_OK) {
        weft__recovery_put_back(&processes->recovery);
        executor->stats = processes->stats;
        status = weft__processes_start(processes);
        if (status == WEFT_STATUS_OK)
            there = run_again(processes, target, &status);
        if (there)
            break;
        weft__processes_kill(processes);
        if (status == WEFT_STATUS_OK && ++deaths > RERUN_DEATHS_MAX) {
            weft__recovery_put_back(&processes->recovery);
            executor->stats = processes->stats;
            status = weft__world_fail(world, WEFT_STATUS_CRASHED,
                                      "more than %u died while ticks ran again", RERUN_DEATHS_MAX);
        }
    }
    executor->stats.crashes += 1 + deaths;
    executor->stats.recovery_ns += weft__os_clock_ns() - begin;
    if (status == WEFT_STATUS_OK || world->failed)
        return status;
    char reason[sizeof(world->error)];
    memcpy(reason, world->error, sizeof(reason));
    return weft__world_break(world, status, "after a worker process had died: %s", reason);
}

// Asking -----------------------------------------------------------------------------------------

static weft_status give_up(weft__processes* processes) {
    weft_world* world = processes->world;
    const weft_crash_report* report = &processes->report;
    return weft__world_fail(
        world, WEFT_STATUS_CRASHED, "%s; attempt %u of %u; the world is as it was before tick %llu",
        report->text, report->deaths, processes->executor->desc.crash_retries + 1,
        (unsigned long long)world->tick);
}

weft_status weft__exec_processes_ask(weft_executor* executor, weft__request request,
                                     uint64_t argument) {
    weft__processes* processes = executor->processes;
    weft_world* world = executor->world;
    weft_status status;
    bool ticks = request == WEFT__REQUEST_TICK || request == WEFT__REQUEST_TRACED;
    if (processes->lost)
        return WEFT_STATUS_WORLD_FAILED;
    WEFT_TRY(weft__recovery_before(&processes->recovery, ticks));
    uint64_t target = world->tick;
    uint32_t retries = executor->desc.crash_retries;
    if (processes->pool == NULL)
        WEFT_TRY(weft__processes_start(processes));
    uint64_t begin = weft__os_clock_ns();
    uint32_t deaths = 0;
    while (!weft__processes_ask(processes, request, argument, &processes->report, &status)) {
        processes->report.deaths = ++deaths;
        processes->report.tick = target;
        WEFT_TRY(recover(processes, target));
        weft__crash_describe(processes);
        begin = weft__os_clock_ns();
        if (deaths > retries) {
            weft__recovery_after(&processes->recovery, 0);
            return give_up(processes);
        }
    }
    processes->report.recovered |= deaths > 0;
    if (request == WEFT__REQUEST_ROLLBACK)
        weft__recovery_forget(&processes->recovery);
    weft__recovery_after(&processes->recovery,
                         request == WEFT__REQUEST_TICK ? weft__os_clock_ns() - begin : 0);
    if (request == WEFT__REQUEST_DIGEST && status == WEFT_STATUS_OK)
        weft__recovery_note(&processes->recovery);
    return status;
}

// Start and end ----------------------------------------------------------------------------------

weft_status weft__exec_processes_start(weft_executor* executor) {
    if (weft__memory_alias(&executor->world->arena.memory) == NULL)
        return weft__world_fail(executor->world, WEFT_STATUS_BAD_ARGUMENT,
                                "worker processes need memory that they can share: create the "
                                "world with that of weft_memory_aliased()");
    // When one comes back, what lies in the world's memory of the other is from another time.
    if (weft__memory_alias(&executor->world->arena.memory)->led)
        return weft__world_fail(executor->world, WEFT_STATUS_BAD_ARGUMENT,
                                "another executor of this world has worker processes: destroy it "
                                "first");
    weft_status status = weft__processes_create(executor);
    if (status != WEFT_STATUS_OK)
        return weft__world_fail(executor->world, status,
                                "there is no memory, or no descriptor, for worker processes");
    executor->processes->recovery.memory->led = true;
    return weft__processes_start(executor->processes);
}

void weft__exec_processes_stop(weft_executor* executor) {
    if (executor->processes != NULL)
        executor->processes->recovery.memory->led = false;
    weft__processes_destroy(executor->processes);
    executor->processes = NULL;
    executor->pool = NULL;
    executor->notes = NULL;
}
