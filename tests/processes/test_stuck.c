// Workers that do not go on: in a system, in all that a tick does beside systems, while they wait;
// stopped by a signal or in a loop. They are found after weft_executor_desc.stuck_ns and replaced.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "doom.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    TIMEOUT = 100
};

#define STUCK_NS UINT64_C(200000000)
// Looks are an eighth of that apart; the rest is for a machine that is busy.
#define FOUND_NS (20 * STUCK_NS)

static weft_executor_desc desc_of(uint32_t workers) {
    weft_executor_desc desc = doom_desc(workers);
    desc.stuck_ns = STUCK_NS;
    desc.crash_retries = 3; // A busy machine may hold others up for so long.
    return desc;
}

static uint64_t now_ns(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

// As a serial run of so many ticks.
static void check_serial(sim* s, const char* name) {
    weft_executor_desc desc = weft_executor_desc_default();
    weft_digest full;
    sim serial = doom_open(&desc);
    while (weft_world_tick(serial.world) < weft_world_tick(s->world))
        doom_tick(&serial);
    WORLD_OK(s->world, weft_executor_digest(s->executor, NULL, &full));
    cr_assert(weft_digest_equal(full, weft_world_digest_full(serial.world)),
              "%s: another digest after tick %" PRIu64, name, weft_world_tick(s->world));
    sim_close(&serial);
}

// Ticks until somebody was found, at most for FOUND_NS.
static void tick_until_found(sim* s, const char* name) {
    const struct timespec moment = {0, 1000000};
    uint64_t begin = now_ns();
    while (weft_executor_stats_read(s->executor).crashes == 0 && now_ns() - begin < FOUND_NS) {
        (void)nanosleep(&moment, NULL);
        doom_tick(s);
    }
    cr_assert_geq(weft_executor_stats_read(s->executor).crashes, 1, "%s: not found", name);
}

// Runs all ticks with one that gets stuck; what was found is left in `report`.
static void sticks(uint32_t workers, const doom* f, weft_crash_report* report, const char* name) {
    weft_digest expected[DOOM_TICKS + 1];
    weft_executor_desc desc = desc_of(workers);
    sim s = doom_run(&desc, f, expected, name);
    tick_until_found(&s, name);
    *report = *weft_executor_crash_report(s.executor);
    cr_assert_eq(report->kind, WEFT_CRASH_STUCK, "%s: %s", name, report->text);
    cr_assert(report->recovered, "%s: %s", name, report->text);
    TEXT_HAS(report->text, " for 0.2 s, and was killed");
    check_serial(&s, name);
    sim_close(&s);
}

Test(stuck, who_is_stopped_in_a_system_is_found, .timeout = TIMEOUT) {
    weft_crash_report report;
    for (uint32_t workers = 1; workers <= 3; workers++) {
        sticks(workers, doom_set(DOOM_STOP, DOOM_IN_CHUNK, 1), &report, "stopped");
        TEXT_HAS(report.text, "was stopped by somebody");
        cr_assert(report.in_system, "%s", report.text);
        cr_assert_str_eq(report.system, "doomed");
        cr_assert_eq(report.shard, 1);
    }
}

// The leader from the last system on: at the end of the stage, in the commit, in the digest, while
// it waits; the other one from a system on. Returns how often it was in no system.
static uint32_t sweep(doom_kind kind, const char* text) {
    weft_crash_report report;
    uint32_t outside = 0;
    uint32_t others = 0;
    for (uint64_t delay = 0; delay < 12; delay++) {
        bool other = delay % 2 == 1;
        doom* f = doom_set(kind, other ? DOOM_IN_WORKER : DOOM_IN_WORLD, 1);
        f->delay_ns = delay * 100000;
        f->worker = f->busy = other;
        sticks(other ? 2 : 1 + (uint32_t)(delay / 2 % 3), f, &report, doom_name(kind));
        if (text != NULL)
            TEXT_HAS(report.text, text);
        outside += !report.in_system;
        others += report.worker == 1;
    }
    cr_assert_gt(others, 0);
    return outside;
}

Test(stuck, who_is_stopped_is_found_at_any_moment_of_a_tick, .timeout = TIMEOUT) {
    cr_assert_gt(sweep(DOOM_STOP_LATER, "was stopped by somebody"), 0);
}

Test(stuck, who_loops_is_found_at_any_moment_of_a_tick, .timeout = TIMEOUT) {
    cr_assert_gt(sweep(DOOM_HANG_LATER, NULL), 0);
}

// Nobody misses it: the others do its share.
Test(stuck, who_is_stopped_while_it_waits_is_found, .timeout = TIMEOUT) {
    weft_executor_desc desc = desc_of(3);
    doom_set(DOOM_NONE, DOOM_IN_CHUNK, 0);
    for (uint32_t worker = 0; worker < 3; worker++) {
        sim s = doom_open(&desc);
        while (weft_world_tick(s.world) < 4)
            doom_tick(&s);
        doom_signal(&s, worker, SIGSTOP);
        tick_until_found(&s, "waiting");
        const weft_crash_report* report = weft_executor_crash_report(s.executor);
        cr_assert_eq(report->kind, WEFT_CRASH_STUCK, "%s", report->text);
        cr_assert_eq(report->worker, worker, "%s", report->text);
        cr_assert(!report->in_system);
        TEXT_HAS(report->text, "was stopped by somebody");
        doom_tick(&s);
        check_serial(&s, "waiting");
        sim_close(&s);
    }
}

// Who goes on in time is left alone, and so is everybody when the program itself was stopped.
Test(stuck, who_is_stopped_for_a_moment_is_left_alone, .timeout = TIMEOUT) {
    weft_digest expected[DOOM_TICKS + 1];
    weft_executor_desc desc = desc_of(2);
    const struct timespec moment = {0, 20000000};
    desc.stuck_ns = 8 * STUCK_NS; // A wait may last long where others use the CPUs.
    doom_set(DOOM_NONE, DOOM_IN_CHUNK, 0);
    doom_expected(expected);
    sim s = doom_open(&desc);
    while (weft_world_tick(s.world) < DOOM_TICKS) {
        doom_signal(&s, 1, SIGSTOP);
        (void)nanosleep(&moment, NULL);
        doom_tick(&s);
        doom_signal(&s, 1, SIGCONT);
        doom_check(&s, expected, "for a moment");
    }
    cr_assert_eq(weft_executor_stats_read(s.executor).crashes, 0, "%s",
                 weft_executor_crash_report(s.executor)->text);
    sim_close(&s);
}

// What the leader waits for does not come, and nobody does anything.
Test(stuck, a_batch_that_never_ends_is_found, .timeout = TIMEOUT) {
    weft_crash_report report;
    sticks(2, doom_set(DOOM_LOSE, DOOM_IN_CHUNK, 1), &report, "a batch that never ends");
    cr_assert_eq(report.worker, 0);
    TEXT_HAS(report.text, "did not go on");
}

// Everybody is stopped --------------------------------------------------------------------------

static int run_slowly(void* context) {
    weft_executor_desc desc = desc_of(2);
    _Atomic uint32_t* ticks = context;
    doom* f = doom_set(DOOM_KILL, DOOM_IN_WORKER, 1);
    desc.stuck_ns = 8 * STUCK_NS; // A wait may last long where others use the CPUs.
    f->worker = 77;               // It is nobody's turn, and all wait for it for 300 ms.
    f->busy = true;
    (void)setpgid(0, 0);
    sim s = doom_open(&desc);
    while (weft_world_tick(s.world) < 7) {
        if (weft_executor_tick(s.executor) != WEFT_STATUS_OK)
            return 1;
        *ticks = (uint32_t)weft_world_tick(s.world);
    }
    bool undisturbed = weft_executor_stats_read(s.executor).crashes == 0;
    sim_close(&s);
    return undisturbed ? 0 : 2;
}

Test(stuck, the_whole_program_may_be_stopped, .timeout = TIMEOUT) {
    const struct timespec little = {0, 100000000};
    const struct timespec between = {0, 170000000}; // Longer than from one look to the next.
    const struct timespec stop = {2, 0};            // Longer than the limit.
    int status = 0;
    _Atomic uint32_t* ticks =
        mmap(NULL, sizeof(*ticks), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(ticks, MAP_FAILED);
    (void)doom_get();
    pid_t host = fork();
    cr_assert_geq(host, 0);
    if (host == 0)
        _exit(run_slowly((void*)ticks));
    for (uint32_t i = 0; i < 600 && *ticks < 5; i++)
        (void)nanosleep(&little, NULL);
    cr_assert_geq(*ticks, 5);
    for (uint32_t i = 0; i < 2; i++) {
        (void)nanosleep(&between, NULL);
        cr_assert_eq(kill(-host, SIGSTOP), 0);
        (void)nanosleep(&stop, NULL);
        cr_assert_eq(kill(-host, SIGCONT), 0);
    }
    cr_assert_eq(waitpid(host, &status, 0), host);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%x", (unsigned)status);
    (void)munmap((void*)ticks, sizeof(*ticks));
}
