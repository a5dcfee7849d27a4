// Worker processes in host programs of every kind: with handlers, threads, streams; and hosts that
// end (bug D12).

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "hosts.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "doom.h"

enum {
    TIMEOUT = 100
};

Test(host, however_it_ends_no_worker_is_left, .timeout = TIMEOUT) {
    hosts_end(3);
}

// Who waits for children --------------------------------------------------------------------------

// Runs all ticks; one worker dies by a null write.
static weft_crash_report one_dies(doom_kind kind) {
    weft_digest expected[DOOM_TICKS + 1];
    weft_executor_desc desc = doom_desc(2);
    doom_set(kind, DOOM_IN_CHUNK, 1);
    doom_expected(expected);
    sim s = doom_open(&desc);
    while (weft_world_tick(s.world) < DOOM_TICKS) {
        doom_tick(&s);
        doom_check(&s, expected, "with handlers");
    }
    weft_crash_report report = *weft_executor_crash_report(s.executor);
    cr_assert_eq(weft_executor_stats_read(s.executor).crashes, 1);
    cr_assert(report.recovered, "%s", report.text);
    sim_close(&s);
    return report;
}

static void check_lost(const weft_crash_report* report) {
    cr_assert_eq(report->kind, WEFT_CRASH_LOST, "%s", report->text);
    cr_assert_eq(report->signal, 0);
    TEXT_HAS(report->text, "nobody knows how");
    TEXT_HAS(report->text, "in system \"doomed\"");
}

Test(host, that_ignores_its_children, .timeout = TIMEOUT) {
    (void)signal(SIGCHLD, SIG_IGN);
    weft_crash_report report = one_dies(DOOM_KILL);
    check_lost(&report);
    report = one_dies(DOOM_NULL); // It has told why itself.
    check_lost(&report);
    TEXT_HAS(report.text, "die_by_null");
}

static volatile sig_atomic_t taken;

static void take_all(int number) {
    (void)number;
    while (waitpid(-1, NULL, WNOHANG) > 0)
        taken = taken + 1;
}

Test(host, that_waits_for_any_child, .timeout = TIMEOUT) {
    (void)signal(SIGCHLD, take_all);
    for (uint32_t i = 0; i < 5; i++) {
        weft_crash_report report = one_dies(DOOM_KILL);
        cr_assert(report.kind == WEFT_CRASH_LOST || report.signal == SIGKILL, "%s", report.text);
    }
    cr_assert_gt(taken, 0);
}

// Threads -----------------------------------------------------------------------------------------

static _Atomic bool stop;

static void* keep_busy(void* context) {
    FILE* null = fopen("/dev/null", "w");
    while (!stop) {
        void* block = malloc(1000);
        if (null != NULL)
            (void)fprintf(null, "%p\n", block);
        free(block);
    }
    if (null != NULL)
        (void)fclose(null);
    return context;
}

static void* read_line(void* context) {
    char line[16];
    return fgets(line, sizeof(line), context);
}

// One waits for a line that does not come, with its stream's lock.
Test(host, with_threads, .timeout = TIMEOUT) {
    pthread_t threads[3];
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    FILE* terminal = fdopen(ends[0], "r");
    cr_assert_not_null(terminal);
    cr_assert_eq(pthread_create(&threads[0], NULL, keep_busy, NULL), 0);
    cr_assert_eq(pthread_create(&threads[1], NULL, keep_busy, NULL), 0);
    cr_assert_eq(pthread_create(&threads[2], NULL, read_line, terminal), 0);
    for (doom_kind kind = DOOM_KILL; kind <= DOOM_EXIT; kind++)
        (void)one_dies(kind);
    stop = true;
    cr_assert_eq(write(ends[1], "go\n", 3), 3);
    for (uint32_t i = 0; i < 3; i++)
        cr_assert_eq(pthread_join(threads[i], NULL), 0);
    (void)fclose(terminal);
    (void)close(ends[1]);
}

static sim opened;

static void* open_one(void* context) {
    weft_executor_desc desc = doom_desc(2);
    opened = doom_open(&desc);
    doom_tick(&opened);
    return context;
}

static void* tick_one(void* context) {
    doom_tick(&opened);
    return context;
}

// Workers belong to the process, not to the thread that has made them.
Test(host, whose_threads_end, .timeout = TIMEOUT) {
    weft_digest expected[DOOM_TICKS + 1];
    pthread_t thread;
    doom_set(DOOM_KILL, DOOM_IN_CHUNK, 1);
    doom_expected(expected);
    cr_assert_eq(pthread_create(&thread, NULL, open_one, NULL), 0);
    cr_assert_eq(pthread_join(thread, NULL), 0);
    while (weft_world_tick(opened.world) < DOOM_TICKS) {
        cr_assert_eq(pthread_create(&thread, NULL, tick_one, NULL), 0);
        cr_assert_eq(pthread_join(thread, NULL), 0);
    }
    doom_check(&opened, expected, "threads that end");
    cr_assert_eq(weft_executor_stats_read(opened.executor).crashes, 1);
    sim_close(&opened);
}

// Streams and exit --------------------------------------------------------------------------------

static int print_and_run(void* context) {
    const int* end = context;
    weft_executor_desc desc = doom_desc(2);
    FILE* other = fdopen(dup(*end), "w");
    (void)dup2(*end, STDOUT_FILENO);
    (void)printf("once;");
    (void)fprintf(other, "other;");
    doom_set(DOOM_EXIT, DOOM_IN_CHUNK, 1);
    sim s = doom_open(&desc);
    while (weft_world_tick(s.world) < DOOM_TICKS)
        doom_tick(&s);
    bool crashed = weft_executor_stats_read(s.executor).crashes == 1;
    sim_close(&s);
    (void)fflush(stdout);
    (void)fclose(other);
    return crashed ? 0 : 1;
}

Test(host, whose_streams_hold_something, .timeout = TIMEOUT) {
    char text[64] = "";
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    cr_assert_eq(hosts_fork(print_and_run, &ends[1]), 0);
    (void)close(ends[1]);
    size_t size = 0;
    ssize_t got;
    while (size < sizeof(text) - 1 &&
           (got = read(ends[0], text + size, sizeof(text) - 1 - size)) > 0)
        size += (size_t)got;
    cr_assert_str_eq(text, "once;other;");
    (void)close(ends[0]);
}

static _Atomic uint32_t* exits;

static void count_exit(void) {
    if (exits != NULL)
        (*exits)++;
}

// What is registered for the end of the host is not done at the end of a worker.
Test(host, that_has_something_to_do_at_its_end, .timeout = TIMEOUT) {
    exits = mmap(NULL, sizeof(*exits), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq((void*)exits, MAP_FAILED);
    cr_assert_eq(atexit(count_exit), 0);
    weft_crash_report report = one_dies(DOOM_EXIT);
    cr_assert_eq(report.kind, WEFT_CRASH_EXIT);
    cr_assert_eq(report.exit_code, 3);
    cr_assert_eq(*exits, 0);
}

// Strangers ---------------------------------------------------------------------------------------

static int use_in_child(void* context) {
    sim* s = context;
    weft_digest full;
    if (weft_executor_tick(s->executor) != WEFT_STATUS_UNSUPPORTED ||
        weft_executor_digest(s->executor, NULL, &full) != WEFT_STATUS_UNSUPPORTED)
        return 1;
    sim_close(s);
    return 0;
}

// A forked child shares the memory, and may neither use the workers nor take them along.
Test(host, that_forks, .timeout = TIMEOUT) {
    weft_digest expected[DOOM_TICKS + 1];
    weft_executor_desc desc = doom_desc(2);
    doom_set(DOOM_KILL, DOOM_IN_CHUNK, 1);
    doom_expected(expected);
    sim s = doom_open(&desc);
    while (weft_world_tick(s.world) < DOOM_TICKS) {
        doom_tick(&s);
        doom_check(&s, expected, "a host that forks");
        cr_assert_eq(hosts_fork(use_in_child, &s), 0);
        doom_check(&s, expected, "after the fork");
    }
    cr_assert_eq(weft_executor_stats_read(s.executor).crashes, 1);
    sim_close(&s);
}
