// Every way in which a worker process can die, once and always: the world comes back, and the
// report says what it was (C11).

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "doom.h"

#include <signal.h>
#include <time.h>

#include "exec.h"

enum {
    TIMEOUT = 100
};

// What is expected of a death.
typedef struct ending {
    weft_crash_kind kind;
    int signal;
    int code;
    const char* text;
} ending;

static ending ending_of(doom_kind kind) {
    switch (kind) {
    case DOOM_KILL:
    case DOOM_LATER:
        return (ending){WEFT_CRASH_SIGNAL, SIGKILL, 0, "was killed by SIGKILL"};
    case DOOM_ABORT:
    case DOOM_ASSERT:
        return (ending){WEFT_CRASH_SIGNAL, SIGABRT, 0, "was killed by SIGABRT"};
    case DOOM_EXIT:
        return (ending){WEFT_CRASH_EXIT, 0, 3, "exited with code 3"};
    case DOOM_LEAVE:
        return (ending){WEFT_CRASH_EXIT, 0, 0, "exited with code 0"};
    case DOOM_DIVIDE:
        return (ending){WEFT_CRASH_SIGNAL, SIGFPE, 0, "was killed by SIGFPE"};
    case DOOM_LOOP:
        return (ending){WEFT_CRASH_STUCK, 0, 0, "was in one task for 0.5 s, and was killed"};
    default:
        return (ending){WEFT_CRASH_SIGNAL, SIGSEGV, 0, "was killed by SIGSEGV"};
    }
}

static weft_executor_desc desc_of(uint32_t workers, doom_kind kind) {
    weft_executor_desc desc = doom_desc(workers);
    if (kind == DOOM_LOOP)
        desc.stuck_ns = 500000000;
    return desc;
}

// The frame of the function that dies, with its line. Compilers add to the name.
static void check_frames(const weft_crash_report* report, doom_kind kind) {
    const char* function = doom_function(kind);
    bool found = false;
    if (function[0] == '\0')
        return;
    cr_assert_gt(report->frame_count, 0, "%s", doom_name(kind));
    for (uint32_t i = 0; i < report->frame_count && !found; i++)
        found = strncmp(report->frames[i].function, function, strlen(function)) == 0 &&
                report->frames[i].line == doom_get()->line &&
                strstr(report->frames[i].file, "doom.c") != NULL &&
                report->frames[i].module[0] != '\0' && report->frames[i].offset != 0;
    cr_assert(found, "%s: no frame is of %s, line %u: %s", doom_name(kind), function,
              doom_get()->line, report->text);
    TEXT_HAS(report->text, function);
}

static void check_report(const weft_crash_report* report, doom_kind kind, uint64_t tick) {
    ending end = ending_of(kind);
    const char* name = doom_name(kind);
    cr_assert_eq(report->kind, end.kind, "%s: %s", name, report->text);
    cr_assert_eq(report->signal, end.signal, "%s: %s", name, report->text);
    cr_assert_eq(report->exit_code, end.code, "%s: %s", name, report->text);
    cr_assert_eq(report->tick, tick, "%s: %s", name, report->text);
    TEXT_HAS(report->text, end.text);
    check_frames(report, kind);
}

static void check_place(const weft_crash_report* report, doom_kind kind) {
    cr_assert(report->in_system, "%s: %s", doom_name(kind), report->text);
    cr_assert_str_eq(report->system, "doomed");
    cr_assert_eq(report->archetype, 2, "%s", report->text);
    cr_assert_eq(report->shard, doom_get()->shard, "%s", report->text);
    TEXT_HAS(report->text, "in system \"doomed\", archetype 2, shard 1");
}

static void check_address(const weft_crash_report* report, doom_kind kind) {
#if defined(__x86_64__) || defined(__i386__)
    const char* wrote = "it wrote ";
#else
    const char* wrote = "it touched ";
#endif
    if (kind == DOOM_READ_ONLY) {
        TEXT_HAS(report->text, wrote);
        TEXT_HAS(report->text, "Cargo.crates of entity ");
        cr_assert_neq(report->address, 0);
    } else if (kind == DOOM_NULL) {
        TEXT_HAS(report->text, wrote);
        TEXT_HAS(report->text, "address ");
        cr_assert_eq(report->address, 0);
    }
}

// Once ------------------------------------------------------------------------------------------

static void dies_once(uint32_t workers, doom_kind kind) {
    weft_digest expected[DOOM_TICKS + 1];
    weft_executor_desc desc = desc_of(workers, kind);
    const doom* f = doom_set(kind, DOOM_IN_CHUNK, 1);
    doom_expected(expected);
    sim s = doom_open(&desc);
    cr_assert_eq(weft_executor_crash_report(s.executor)->kind, WEFT_CRASH_NONE);
    for (uint32_t tick = 0; tick < DOOM_TICKS; tick++) {
        doom_tick(&s);
        doom_check(&s, expected, doom_name(kind));
        uint64_t crashes = weft_executor_stats_read(s.executor).crashes;
        cr_assert_eq(crashes, tick >= f->tick, "%s: %" PRIu64 " crashes after tick %u",
                     doom_name(kind), crashes, tick);
    }
    const weft_crash_report* report = weft_executor_crash_report(s.executor);
    check_report(report, kind, f->tick);
    check_place(report, kind);
    check_address(report, kind);
    cr_assert(report->recovered);
    cr_assert_eq(report->deaths, 1);
    cr_assert_lt(report->worker, workers);
    cr_assert_eq(f->deaths, 1);
    cr_assert_gt(weft_executor_stats_read(s.executor).recovery_ns, 0);
    cr_assert_geq(weft_executor_stats_read(s.executor).ticks, DOOM_TICKS);
    sim_close(&s);
}

static bool is_wild(doom_kind kind) {
    return kind == DOOM_WILD_WORLD || kind == DOOM_WILD_ALL;
}

Test(kinds, a_worker_that_dies_once_costs_nothing, .timeout = TIMEOUT) {
    for (doom_kind kind = DOOM_KILL; kind < DOOM_LATER; kind++)
        if (!is_wild(kind))
            for (uint32_t workers = 1; workers <= 3; workers++)
                dies_once(workers, kind);
}

// Always ----------------------------------------------------------------------------------------

static void dies_always(uint32_t workers, doom_kind kind, uint32_t retries) {
    weft_digest expected[DOOM_TICKS + 1];
    char line[512];
    weft_executor_desc desc = desc_of(workers, kind);
    doom* f = doom_set(kind, DOOM_IN_CHUNK, DOOM_ALWAYS);
    desc.crash_retries = retries;
    doom_expected(expected);
    sim s = doom_open(&desc);
    while (weft_world_tick(s.world) < f->tick)
        doom_tick(&s);
    doom_input(s.world);
    for (uint32_t i = 1; i <= 2; i++) { // It is tried again as often as the host likes.
        cr_assert_eq(weft_executor_tick(s.executor), WEFT_STATUS_CRASHED, "%s", doom_name(kind));
        cr_assert(!weft_world_has_failed(s.world));
        cr_assert_eq(weft_world_tick(s.world), f->tick);
        cr_assert_eq(f->deaths, i * (retries + 1), "%s", doom_name(kind));
        cr_assert_eq(weft_executor_stats_read(s.executor).crashes, i * (retries + 1));
        const weft_crash_report* report = weft_executor_crash_report(s.executor);
        check_report(report, kind, f->tick);
        check_place(report, kind);
        cr_assert(!report->recovered);
        cr_assert_eq(report->deaths, retries + 1);
        (void)snprintf(line, sizeof(line), "attempt %u of %u; the world is as it was before tick 5",
                       retries + 1, retries + 1);
        TEXT_HAS(weft_world_error(s.world), line);
        TEXT_HAS(weft_world_error(s.world), ending_of(kind).text);
        WORLD_OK(s.world, weft_world_digest_check(s.world));
    }
    f->kind = DOOM_NONE; // The cause is gone.
    sim_tick(&s);
    while (weft_world_tick(s.world) < DOOM_TICKS)
        doom_tick(&s);
    doom_check(&s, expected, doom_name(kind));
    sim_close(&s);
}

Test(kinds, a_worker_that_always_dies_leaves_the_world_as_it_was, .timeout = TIMEOUT) {
    for (doom_kind kind = DOOM_KILL; kind < DOOM_LATER; kind++)
        if (!is_wild(kind) && kind != DOOM_LOOP)
            dies_always(1 + kind % 3, kind, kind % 2);
    dies_always(2, DOOM_LOOP, 0);
}

// The world is at world(t): events of the tick are posted, and count for its digest.
Test(kinds, the_world_before_the_tick_has_the_serial_digest, .timeout = TIMEOUT) {
    weft_digest expected[DOOM_TICKS + 1];
    weft_executor_desc desc = doom_desc(2);
    doom* f = doom_set(DOOM_NULL, DOOM_IN_CHUNK, DOOM_ALWAYS);
    f->tick = 6; // In which nothing is posted.
    doom_expected(expected);
    sim s = doom_open(&desc);
    while (weft_world_tick(s.world) < f->tick)
        doom_tick(&s);
    cr_assert_eq(weft_executor_tick(s.executor), WEFT_STATUS_CRASHED);
    doom_check(&s, expected, "after CRASHED");
    DIGEST_EQ(weft_world_digest_full(s.world), expected[6]);
    sim_close(&s);
}

// Anything may have been written ------------------------------------------------------------------

Test(kinds, a_worker_that_writes_over_everything_costs_nothing, .timeout = TIMEOUT) {
    weft_digest expected[DOOM_TICKS + 1];
    for (uint32_t workers = 1; workers <= 3; workers++)
        for (doom_kind kind = DOOM_WILD_WORLD; kind <= DOOM_WILD_ALL; kind++) {
            weft_executor_desc desc = doom_desc(workers);
            const doom* f = doom_set(kind, DOOM_IN_CHUNK, 1);
            doom_expected(expected);
            sim s = doom_open(&desc);
            for (uint32_t tick = 0; tick < DOOM_TICKS; tick++) {
                doom_tick(&s);
                doom_check(&s, expected, doom_name(kind));
            }
            weft_executor_stats stats = weft_executor_stats_read(s.executor);
            const weft_crash_report* report = weft_executor_crash_report(s.executor);
            cr_assert_eq(f->deaths, 1);
            cr_assert_eq(stats.crashes, 1);
            cr_assert(stats.images >= 1 && stats.images <= DOOM_TICKS * 2);
            cr_assert(stats.ticks >= DOOM_TICKS && stats.ticks <= 2 * DOOM_TICKS);
            // Of the others that fall over it, whoever is seen first: by any way to end.
            cr_assert_neq(report->kind, WEFT_CRASH_NONE);
            cr_assert(report->recovered);
            cr_assert_eq(report->tick, f->tick);
            sim_close(&s);
        }
}

Test(kinds, a_worker_that_always_writes_over_everything_is_given_up, .timeout = TIMEOUT) {
    weft_digest expected[DOOM_TICKS + 1];
    weft_executor_desc desc = doom_desc(2);
    doom* f = doom_set(DOOM_WILD_ALL, DOOM_IN_CHUNK, DOOM_ALWAYS);
    desc.crash_retries = 3;
    doom_expected(expected);
    sim s = doom_open(&desc);
    while (weft_world_tick(s.world) < f->tick)
        doom_tick(&s);
    doom_input(s.world);
    cr_assert_eq(weft_executor_tick(s.executor), WEFT_STATUS_CRASHED);
    cr_assert_eq(f->deaths, 4);
    f->kind = DOOM_NONE;
    sim_tick(&s);
    while (weft_world_tick(s.world) < DOOM_TICKS)
        doom_tick(&s);
    doom_check(&s, expected, "wild");
    sim_close(&s);
}

// Where it happens --------------------------------------------------------------------------------

// Runs all ticks with one death; the report is left in `report`.
static void dies_at(uint32_t workers, const doom* f, weft_crash_report* report, const char* name) {
    weft_digest expected[DOOM_TICKS + 1];
    weft_executor_desc desc = doom_desc(workers);
    sim s = doom_run(&desc, f, expected, name);
    // Who died while it waited is found within 5 ms, but by a request.
    struct timespec moment = {0, 1000000};
    for (uint32_t i = 0; i < 5000 && weft_executor_stats_read(s.executor).crashes == 0; i++) {
        (void)nanosleep(&moment, NULL);
        doom_check(&s, expected, name);
    }
    cr_assert_geq(weft_executor_stats_read(s.executor).crashes, 1, "%s", name);
    *report = *weft_executor_crash_report(s.executor);
    cr_assert(report->recovered, "%s: %s", name, report->text);
    sim_close(&s);
}

Test(kinds, death_in_a_system_of_the_world_is_named, .timeout = TIMEOUT) {
    weft_crash_report report;
    for (uint32_t workers = 1; workers <= 3; workers++) {
        doom* f = doom_set(DOOM_ABORT, DOOM_IN_WORLD, 1);
        dies_at(workers, f, &report, "world");
        check_report(&report, DOOM_ABORT, f->tick);
        cr_assert(report.in_system);
        cr_assert_str_eq(report.system, "sum");
        cr_assert_eq(report.archetype, 0);
        cr_assert_eq(report.shard, 0);
        TEXT_HAS(report.text, "in system \"sum\"");
        cr_assert_null(strstr(report.text, "archetype"));
    }
}

// A combine function is called by the leader, between systems.
Test(kinds, death_between_systems_is_told, .timeout = TIMEOUT) {
    weft_crash_report report;
    for (uint32_t workers = 1; workers <= 3; workers++) {
        dies_at(workers, doom_set(DOOM_NULL, DOOM_IN_COMBINE, 1), &report, "combine");
        check_report(&report, DOOM_NULL, 0);
        cr_assert(!report.in_system, "%s", report.text);
        cr_assert_eq(report.worker, 0);
        cr_assert_str_eq(report.system, "");
        cr_assert_eq(report.archetype, 0);
    }
}

Test(kinds, who_is_stuck_between_systems_is_killed_too, .timeout = TIMEOUT) {
    weft_executor_desc desc = desc_of(2, DOOM_LOOP);
    doom_set(DOOM_LOOP, DOOM_IN_COMBINE, 1);
    sim s = doom_open(&desc);
    doom_tick(&s);
    const weft_crash_report* report = weft_executor_crash_report(s.executor);
    check_report(report, DOOM_LOOP, 0);
    cr_assert(!report->in_system, "%s", report->text);
    cr_assert(report->recovered);
    sim_close(&s);
}

Test(kinds, the_leader_and_every_other_worker_may_die, .timeout = TIMEOUT) {
    weft_crash_report report;
    for (uint32_t worker = 0; worker < 3; worker++) {
        doom* f = doom_set(DOOM_KILL, DOOM_IN_WORKER, 1);
        f->worker = worker;
        f->busy = true; // Until it comes.
        dies_at(3, f, &report, "one of three");
        cr_assert_eq(report.worker, worker, "%s", report.text);
        cr_assert_eq(report.signal, SIGKILL);
        cr_assert(report.in_system);
    }
}

Test(kinds, others_may_be_in_the_middle_of_their_tasks, .timeout = TIMEOUT) {
    weft_crash_report report;
    for (uint32_t workers = 2; workers <= 3; workers++) {
        doom* f = doom_set(DOOM_KILL, DOOM_IN_CHUNK, 1);
        f->busy = true;
        dies_at(workers, f, &report, "busy");
        cr_assert_eq(report.signal, SIGKILL);
    }
}

Test(kinds, two_may_die_at_once, .timeout = TIMEOUT) {
    weft_crash_report report;
    for (doom_kind kind = DOOM_KILL; kind <= DOOM_NULL; kind++) {
        doom* f = doom_set(kind, DOOM_IN_TWO, 2);
        dies_at(2, f, &report, "two");
        cr_assert_eq(f->deaths, 2);
        cr_assert_leq(report.shard, 1);
    }
}

// From the last system on: at the end of the stage, in the commit, in the digest, while it waits.
Test(kinds, death_comes_at_any_moment_of_a_tick, .timeout = TIMEOUT) {
    weft_crash_report report;
    uint32_t outside = 0;
    for (uint64_t delay = 0; delay < 3000000; delay += 60000) {
        doom* f = doom_set(DOOM_LATER, DOOM_IN_WORLD, 1);
        f->delay_ns = delay;
        dies_at(1 + (uint32_t)(delay / 60000 % 3), f, &report, "later");
        cr_assert_eq(report.signal, SIGKILL);
        outside += !report.in_system;
    }
    cr_assert_gt(outside, 0);
}

// Ticks are short beside this, so what is more is the host's finding of it. What the machine is
// busy with counts too, so only much is wrong; the numbers are for who reads them.
Test(kinds, a_death_is_found_at_once, .timeout = TIMEOUT) {
    enum {
        ROUNDS = 20
    };
    uint64_t found_ns[ROUNDS];
    for (uint32_t i = 0; i < ROUNDS; i++) {
        struct timespec now;
        weft_executor_desc desc = doom_desc(2);
        doom* f = doom_set(DOOM_KILL, DOOM_IN_CHUNK, 1);
        sim s = doom_open(&desc);
        while (weft_world_tick(s.world) < f->tick)
            doom_tick(&s);
        s.executor->desc.crash_retries = 0; // So that the tick ends with coming back.
        cr_assert_eq(weft_executor_tick(s.executor), WEFT_STATUS_CRASHED);
        (void)clock_gettime(CLOCK_MONOTONIC, &now);
        uint64_t end = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
        uint64_t back = weft_executor_stats_read(s.executor).recovery_ns;
        cr_assert_geq(end, f->died_ns + back);
        found_ns[i] = end - f->died_ns - back;
        cr_assert_lt(found_ns[i], 2000000000);
        sim_close(&s);
    }
    uint64_t sum = 0;
    uint64_t most = 0;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        sum += found_ns[i];
        most = found_ns[i] > most ? found_ns[i] : most;
    }
    (void)fprintf(stderr, "a death is found after %.0f us on average, %.0f us at most\n",
                  (double)sum / ROUNDS / 1e3, (double)most / 1e3);
}

// Without images ----------------------------------------------------------------------------------

Test(kinds, without_images_the_world_fails_and_says_so, .timeout = TIMEOUT) {
    static const doom_kind kinds[] = {DOOM_KILL, DOOM_NULL, DOOM_EXIT};
    for (uint32_t i = 0; i < 3; i++) {
        weft_executor_desc desc = doom_desc(2);
        desc.image_percent = 0;
        doom* f = doom_set(kinds[i], DOOM_IN_CHUNK, 1);
        sim s = doom_open(&desc);
        while (weft_world_tick(s.world) < f->tick)
            doom_tick(&s);
        cr_assert_eq(weft_executor_tick(s.executor), WEFT_STATUS_CRASHED);
        cr_assert(weft_world_has_failed(s.world));
        TEXT_HAS(weft_world_error(s.world), "in tick 5");
        TEXT_HAS(weft_world_error(s.world), ending_of(kinds[i]).text);
        TEXT_HAS(weft_world_error(s.world), "no image of the world is kept");
        TEXT_HAS(weft_world_error(s.world), "image_ticks");
        cr_assert_eq(weft_executor_tick(s.executor), WEFT_STATUS_WORLD_FAILED);
        cr_assert_eq(weft_executor_stats_read(s.executor).images, 0);
        sim_close(&s);
    }
}
