// What is recorded of the machine: who used the CPUs, and what is probed.

#define _GNU_SOURCE

#include "hand.h"
#include "harness.h"
#include "probe.h"

#include <criterion/criterion.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

Test(watch, lines_of_cpus_are_read) {
    uint32_t cpu;
    uint64_t busy, stolen;
    cr_assert(weft_watch_parse("cpu12 1 20 300 4000 50000 600000 7000000 80000000 9 9\n", &cpu,
                               &busy, &stolen));
    cr_expect_eq(cpu, 12);
    cr_expect_eq(busy, 7600321);
    cr_expect_eq(stolen, 80000000);
    cr_expect_not(weft_watch_parse("cpu  1 2 3 4 5 6 7 8 9 10\n", &cpu, &busy, &stolen));
    cr_expect_not(weft_watch_parse("intr 5 1 2 3 4 5 6 7 8 9\n", &cpu, &busy, &stolen));
    cr_expect_not(weft_watch_parse("cpu0 1 2 3\n", &cpu, &busy, &stolen));
}

static weft_watched compare(weft_watch to) {
    const weft_watch_cpus cpus = {.mask = {3}, .count = 2};
    const weft_watch from = {.wall = 1000, .own = 500, .known = true};
    to.wall += from.wall;
    to.own += from.own;
    to.known = true;
    return weft_watch_compare(&cpus, &from, &to);
}

Test(watch, shares_are_of_all_watched_cpus) {
    // A second on two CPUs, half a second of which is not ours.
    weft_watched watched =
        compare((weft_watch){.wall = 1000000000, .busy = 1500000000, .own = 1000000000});
    cr_expect_float_eq(watched.others, 0.25, 1e-9);
    cr_expect(watched.disturbed);
    watched = compare((weft_watch){.wall = 1000000000, .busy = 1100000000, .own = 1000000000});
    cr_expect_float_eq(watched.others, 0.05, 1e-9);
    cr_expect_not(watched.disturbed);
    watched = compare((weft_watch){.wall = 1000000000, .stolen = 200000000});
    cr_expect_float_eq(watched.stolen, 0.1, 1e-9);
    cr_expect(watched.disturbed);
}

Test(watch, errors_of_the_accounts_are_no_disturbance) {
    // In 40 ms two ticks of 10 ms may be counted amiss, in either direction.
    weft_watched watched =
        compare((weft_watch){.wall = 40000000, .busy = 60000000, .own = 40000000});
    cr_expect_not(watched.disturbed);
    watched = compare((weft_watch){.wall = 40000000, .busy = 20000000, .own = 40000000});
    cr_expect_float_eq(watched.others, 0, 1e-9);
    watched = compare((weft_watch){.wall = 40000000, .busy = 70000000, .own = 40000000});
    cr_expect(watched.disturbed);
    watched = compare((weft_watch){.wall = 40000000, .switches = 5});
    cr_expect(watched.disturbed);
}

Test(watch, unknown_shares_leave_the_switches) {
    const weft_watch_cpus cpus = {.count = 2};
    const weft_watch from = {.wall = 0};
    weft_watch to = {.wall = 40000000, .busy = 80000000};
    cr_expect_not(weft_watch_compare(&cpus, &from, &to).disturbed);
    to.switches = 5;
    cr_expect(weft_watch_compare(&cpus, &from, &to).disturbed);
}

static void work_for(uint64_t ns) {
    uint64_t end = weft_measure_now_ns() + ns;
    while (weft_measure_now_ns() < end)
        ;
}

// A process that is nobody's child and wants the same CPU for so long.
static void start_hog(uint64_t ns) {
    pid_t middle = fork();
    cr_assert_geq(middle, 0);
    if (middle == 0) {
        if (fork() == 0)
            work_for(ns);
        _exit(0);
    }
    cr_assert_eq(waitpid(middle, NULL, 0), middle);
}

static void stay_here(void) {
    cpu_set_t here;
    CPU_ZERO(&here);
    CPU_SET(sched_getcpu(), &here);
    cr_assert_eq(sched_setaffinity(0, sizeof(here), &here), 0);
}

// The canary of the whole: a hog on our CPU must be seen.
Test(watch, hog_is_seen) {
    stay_here();
    weft_watch_cpus cpus = weft_watch_cpus_read();
    cr_assert_eq(cpus.count, 1);
    start_hog(400000000);
    weft_watch from = weft_watch_read(&cpus);
    work_for(300000000);
    weft_watch to = weft_watch_read(&cpus);
    weft_watched watched = weft_watch_compare(&cpus, &from, &to);
    cr_expect(watched.disturbed);
    if (watched.known)
        cr_expect_gt(watched.others, 0.1);
}

// A child's time is our own, while it lives and after.
Test(watch, child_is_not_another) {
    weft_watch_cpus cpus = weft_watch_cpus_read();
    weft_watch from = weft_watch_read(&cpus);
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        work_for(60000000000u);
        _exit(0);
    }
    clockid_t clock;
    struct timespec worked = {0};
    cr_assert_eq(clock_getcpuclockid(child, &clock), 0);
    while (worked.tv_sec == 0 && worked.tv_nsec < 50000000) {
        usleep(10000);
        cr_assert_eq(clock_gettime(clock, &worked), 0);
    }
    bool lists_children = access("/proc/thread-self/children", R_OK) == 0;
    weft_watch living = weft_watch_read(&cpus);
    kill(child, SIGKILL);
    cr_assert_eq(waitpid(child, NULL, 0), child);
    weft_watch ended = weft_watch_read(&cpus);
    if (lists_children)
        cr_expect_geq(living.own - from.own, 50000000);
    cr_expect_geq(ended.own - from.own, 50000000);
}

static weft_status work_once(void* context, uint64_t repeat) {
    (void)context;
    for (uint64_t i = 0; i < repeat; ++i)
        work_for(100000);
    return WEFT_STATUS_OK;
}

// Rounds in which the hog runs are taken again when it is gone.
Test(watch, disturbed_rounds_are_taken_again) {
    stay_here();
    weft_conditions conditions = {.cpus = weft_watch_cpus_read()};
    weft_measure_options options = {.conditions = &conditions};
    weft_case cases[2] = {{.name = "a", .run = work_once, .units = 1},
                          {.name = "b", .run = work_once, .units = 1}};
    start_hog(500000000);
    weft_sampling sampling = {.sample_ns = 25000000, .samples = 12};
    cr_assert_eq(weft_measure_cases(&options, "hog", sampling, cases, 2), WEFT_STATUS_OK);
    cr_expect_eq(cases[0].series.count, 12);
    cr_expect_eq(cases[1].series.count, 12);
    cr_expect_eq(conditions.samples, 24);
    cr_expect_gt(conditions.repeated, 0);
    cr_expect_leq(conditions.repeated, 24);
    cr_expect_eq(conditions.disturbed, cases[0].series.disturbed + cases[1].series.disturbed);
    cr_expect_leq(cases[0].series.repeated + cases[1].series.repeated, conditions.repeated);
}

Test(probe, line_and_clock_are_plausible) {
    weft_topology* topology;
    cr_assert_eq(weft_topology_create(NULL, &topology), WEFT_STATUS_OK);
    uint64_t start = weft_measure_now_ns();
    double line = weft_probe_line_ns(topology, WEFT_PROBE_NS);
    uint64_t elapsed = weft_measure_now_ns() - start;
    uint32_t cpu[2];
    if (weft_hand_cpus(topology, cpu, 2) < 2)
        cr_expect_eq(line, 0);
    else
        cr_expect_lt(line, 10e6); // 0 where the CPUs were busy all the time.
    cr_expect_lt(elapsed, 2000000000u);
    double ghz = weft_probe_ghz();
    cr_expect(ghz >= 0 && ghz < 20, "%g", ghz);
    weft_topology_destroy(topology);
}

Test(conditions, text_says_what_changed) {
    char text[WEFT_CONDITIONS_TEXT];
    weft_conditions conditions = {.seconds = 2.5};
    weft_conditions_text(&conditions, text);
    cr_expect_str_eq(text, "2.5 s");
    conditions.line_ns[0] = 90;
    weft_conditions_line(&conditions, 90);
    weft_conditions_line(&conditions, 0);
    weft_conditions_line(&conditions, 110);
    cr_expect_not(weft_conditions_line_changed(&conditions));
    weft_conditions_text(&conditions, text);
    cr_expect_str_eq(text, "2.5 s, a line goes to and fro in 90 ns (90 to 110)");
    weft_conditions_line(&conditions, 470);
    cr_expect(weft_conditions_line_changed(&conditions));
    weft_conditions_text(&conditions, text);
    cr_expect_not_null(strstr(text, "near and far in turn"));
    conditions.shares_known = true;
    conditions.others = 0.256;
    conditions.stolen = 0.1;
    conditions.samples = 40;
    conditions.disturbed = 3;
    conditions.repeated = 8;
    conditions.ghz[0] = 3.5;
    conditions.ghz[1] = 2.5;
    weft_conditions_text(&conditions, text);
    cr_expect_not_null(strstr(text, "3.50 GHz before and 2.50 after"));
    cr_expect_not_null(strstr(text, "other processes had 26% of the CPUs, other machines 10%"));
    cr_expect_not_null(strstr(text, "3 of 40 samples disturbed (8 taken again)"));
}
