// Systems that refuse what worker processes need: another way, or a clear line.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "doom.h"
#include "hosts.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "processes.h"

enum {
    TIMEOUT = 100,
    FINE = 0,
    SKIPPED = 100, // What a case cannot have here.
};

// A process of its own for each case, as filters and limits stay.
static void run_case(int (*function)(void* context), void* context) {
    int code = hosts_fork(function, context);
    if (code == SKIPPED)
        cr_skip("it cannot be had here");
    cr_assert_eq(code, FINE);
}

// From here on some calls of the system fail. False where there is no such filter.
static bool refuse_calls(const int* calls, unsigned short count, int error) {
    struct sock_filter code[24];
    unsigned short size = 0;
    code[size++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (unsigned short i = 0; i < count; i++) {
        code[size++] =
            (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)calls[i], 0, 1);
        code[size++] =
            (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error);
    }
    code[size++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {size, code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static const int forks[] = {
    SYS_clone,
#ifdef SYS_clone3
    SYS_clone3,
#endif
#ifdef SYS_fork
    SYS_fork,
    SYS_vfork,
#endif
};

#define FORKS ((unsigned short)(sizeof(forks) / sizeof(forks[0])))

// As doom_open(), with the status of the executor.
static weft_status try_open(const weft_executor_desc* desc, sim* s) {
    weft_world_desc world_desc = weft_world_desc_default();
    weft_memory memory;
    *s = (sim){.world = NULL};
    WEFT_TRY(weft_memory_aliased(false, &memory));
    WEFT_TRY(weft_world_create(&world_desc, &memory, &s->world));
    WEFT_TRY(weft_schedule_create(s->world, &s->schedule));
    doom_build(s->world, s->schedule);
    return weft_executor_create(desc, s->schedule, &s->executor);
}

// Ends are found without being told
// -----------------------------------------------------------------

static int poll_for_ends(void* context) {
    const int calls[] = {SYS_pidfd_open};
    weft_digest* expected = context;
    weft_executor_desc desc = doom_desc(2);
    sim s;
    if (!refuse_calls(calls, 1, ENOSYS))
        return SKIPPED;
    for (doom_kind kind = DOOM_KILL; kind <= DOOM_NULL; kind++) {
        doom_set(kind, DOOM_IN_CHUNK, 1);
        EXPECT(try_open(&desc, &s) == WEFT_STATUS_OK);
        EXPECT(s.executor->processes->workers[0].descriptor < 0);
        while (weft_world_tick(s.world) < DOOM_TICKS) {
            doom_input(s.world);
            EXPECT(weft_executor_tick(s.executor) == WEFT_STATUS_OK);
        }
        const weft_crash_report* report = weft_executor_crash_report(s.executor);
        EXPECT(weft_digest_equal(weft_world_digest_full(s.world), expected[DOOM_TICKS]));
        EXPECT(weft_executor_stats_read(s.executor).crashes == 1);
        EXPECT(report->signal == (kind == DOOM_KILL ? SIGKILL : SIGSEGV) && report->recovered);
        sim_close(&s);
    }
    return FINE;
}

Test(refusals, without_descriptors_of_processes, .timeout = TIMEOUT) {
    weft_digest expected[DOOM_TICKS + 1];
    doom_set(DOOM_NONE, DOOM_IN_CHUNK, 0);
    doom_expected(expected);
    run_case(poll_for_ends, expected);
}

static int leave_workers(void* context) {
    const int calls[] = {SYS_pidfd_open};
    pid_t ids[2];
    weft_executor_desc desc = doom_desc(2);
    sim s;
    doom_set(DOOM_NONE, DOOM_IN_CHUNK, 0);
    if (!refuse_calls(calls, 1, ENOSYS))
        return SKIPPED;
    EXPECT(try_open(&desc, &s) == WEFT_STATUS_OK);
    EXPECT(weft_executor_tick(s.executor) == WEFT_STATUS_OK);
    for (uint32_t i = 0; i < 2; i++)
        ids[i] = s.executor->processes->workers[i].id;
    EXPECT(write(*(const int*)context, ids, sizeof(ids)) == (ssize_t)sizeof(ids));
    return FINE; // Without destroying anything.
}

Test(refusals, workers_end_with_a_host_that_they_cannot_watch, .timeout = TIMEOUT) {
    int ends[2];
    pid_t ids[2];
    cr_assert_eq(pipe(ends), 0);
    cr_assert_eq(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    run_case(leave_workers, &ends[1]);
    cr_assert_eq(read(ends[0], ids, sizeof(ids)), (ssize_t)sizeof(ids));
    for (uint32_t i = 0; i < 2; i++) {
        pid_t gone = 0;
        for (uint32_t ms = 0; ms < 2000 && gone == 0; ms++) {
            const struct timespec wait = {0, 1000000};
            gone = waitpid(ids[i], NULL, WNOHANG);
            (void)nanosleep(&wait, NULL);
        }
        if (gone == 0)
            (void)kill(ids[i], SIGKILL);
        cr_assert_eq(gone, ids[i]);
    }
}

// No memory files, no descriptors, no addresses
// -----------------------------------------------------

static int have_no_memory_files(void* context) {
    const int calls[] = {SYS_memfd_create};
    weft_memory memory;
    if (!refuse_calls(calls, 1, *(const int*)context))
        return SKIPPED;
    EXPECT(weft_memory_aliased(false, &memory) == WEFT_STATUS_UNSUPPORTED);
    return FINE;
}

Test(refusals, without_memory_files, .timeout = TIMEOUT) {
    int errors[] = {ENOSYS, EPERM};
    run_case(have_no_memory_files, &errors[0]);
    run_case(have_no_memory_files, &errors[1]);
}

static int use_plain_memory(void* context) {
    weft_executor_desc desc = doom_desc(2);
    weft_world_desc world_desc = weft_world_desc_default();
    sim s = {.world = NULL};
    (void)context;
    EXPECT(weft_world_create(&world_desc, NULL, &s.world) == WEFT_STATUS_OK);
    EXPECT(weft_schedule_create(s.world, &s.schedule) == WEFT_STATUS_OK);
    doom_build(s.world, s.schedule);
    EXPECT(weft_executor_create(&desc, s.schedule, &s.executor) == WEFT_STATUS_BAD_ARGUMENT);
    EXPECT(strstr(weft_world_error(s.world), "weft_memory_aliased()") != NULL);
    weft_schedule_destroy(s.schedule);
    weft_world_destroy(s.world);
    return FINE;
}

Test(refusals, in_memory_that_is_not_shared, .timeout = TIMEOUT) {
    run_case(use_plain_memory, NULL);
}

static int have_no_descriptors(void* context) {
    weft_executor_desc desc = doom_desc(2);
    weft_memory memory;
    sim s;
    sim t;
    (void)context;
    EXPECT(try_open(&desc, &s) == WEFT_STATUS_OK);
    EXPECT(try_open(&desc, &t) == WEFT_STATUS_OK);
    weft_executor_destroy(t.executor);
    int next = dup(0);
    EXPECT(next >= 0);
    (void)close(next);
    const struct rlimit limit = {(rlim_t)next, (rlim_t)next};
    EXPECT(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    EXPECT(weft_memory_aliased(false, &memory) == WEFT_STATUS_OUT_OF_MEMORY);
    EXPECT(weft_executor_create(&desc, t.schedule, &t.executor) == WEFT_STATUS_OS);
    EXPECT(strstr(weft_world_error(t.world), "descriptor") != NULL);
    EXPECT(t.executor == NULL && !weft_world_has_failed(t.world));
    EXPECT(weft_executor_tick(s.executor) == WEFT_STATUS_OK);
    sim_close(&t);
    sim_close(&s);
    return FINE;
}

Test(refusals, without_descriptors, .timeout = TIMEOUT) {
    doom_set(DOOM_NONE, DOOM_IN_CHUNK, 0);
    run_case(have_no_descriptors, NULL);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
static int have_few_addresses(void* context) {
    const struct rlimit little = {(rlim_t)256 << 20, RLIM_INFINITY};
    const struct rlimit more = {(rlim_t)2 << 30, RLIM_INFINITY};
    weft_digest* expected = context;
    weft_executor_desc desc = doom_desc(2);
    weft_memory memory;
    sim s;
    EXPECT(setrlimit(RLIMIT_AS, &little) == 0);
    EXPECT(weft_memory_aliased(false, &memory) == WEFT_STATUS_OUT_OF_MEMORY);
    EXPECT(setrlimit(RLIMIT_AS, &more) == 0);
    EXPECT(try_open(&desc, &s) == WEFT_STATUS_OK);
    while (weft_world_tick(s.world) < DOOM_TICKS) {
        doom_input(s.world);
        EXPECT(weft_executor_tick(s.executor) == WEFT_STATUS_OK);
    }
    EXPECT(weft_digest_equal(weft_world_digest_full(s.world), expected[DOOM_TICKS]));
    EXPECT(weft_executor_stats_read(s.executor).crashes == 1);
    sim_close(&s);
    return FINE;
}

Test(refusals, with_few_addresses, .timeout = TIMEOUT) {
    weft_digest expected[DOOM_TICKS + 1];
    doom_set(DOOM_KILL, DOOM_IN_CHUNK, 1);
    doom_expected(expected);
    run_case(have_few_addresses, expected);
}
#endif

// No processes ------------------------------------------------------------------------------------

static int cannot_fork(void* context) {
    weft_executor_desc desc = doom_desc(3);
    sim s;
    (void)context;
    if (!refuse_calls(forks, FORKS, EAGAIN))
        return SKIPPED;
    EXPECT(try_open(&desc, &s) == WEFT_STATUS_OS);
    EXPECT(s.executor == NULL && !weft_world_has_failed(s.world));
    EXPECT(strstr(weft_world_error(s.world), "3 worker processes could not be started") != NULL);
    EXPECT(strstr(weft_world_error(s.world), "ulimit -u") != NULL);
    desc = weft_executor_desc_default(); // The world is sound.
    EXPECT(weft_executor_create(&desc, s.schedule, &s.executor) == WEFT_STATUS_OK);
    EXPECT(weft_executor_tick(s.executor) == WEFT_STATUS_OK);
    sim_close(&s);
    return FINE;
}

Test(refusals, of_processes_at_the_start, .timeout = TIMEOUT) {
    doom_set(DOOM_NONE, DOOM_IN_CHUNK, 0);
    run_case(cannot_fork, NULL);
}

static int cannot_fork_again(void* context) {
    weft_executor_desc desc = doom_desc(2);
    sim s;
    (void)context;
    EXPECT(try_open(&desc, &s) == WEFT_STATUS_OK);
    if (!refuse_calls(forks, FORKS, EAGAIN))
        return SKIPPED;
    while (weft_world_tick(s.world) < 5)
        EXPECT(weft_executor_tick(s.executor) == WEFT_STATUS_OK);
    EXPECT(weft_executor_tick(s.executor) == WEFT_STATUS_OS);
    EXPECT(weft_world_has_failed(s.world));
    EXPECT(strstr(weft_world_error(s.world), "after a worker process had died") != NULL);
    EXPECT(strstr(weft_world_error(s.world), "2 worker processes could not be started") != NULL);
    EXPECT(weft_executor_tick(s.executor) != WEFT_STATUS_OK);
    sim_close(&s);
    return FINE;
}

Test(refusals, of_processes_after_a_death, .timeout = TIMEOUT) {
    doom_set(DOOM_KILL, DOOM_IN_CHUNK, 1);
    run_case(cannot_fork_again, NULL);
}

static int have_no_processes_left(void* context) {
    const struct rlimit limit = {1, 1};
    weft_executor_desc desc = doom_desc(2);
    sim s;
    (void)context;
    // Root may have as many as it likes.
    if (geteuid() == 0 &&
        (setresgid(65534, 65534, 65534) != 0 || setresuid(65534, 65534, 65534) != 0))
        return SKIPPED;
    if (setrlimit(RLIMIT_NPROC, &limit) != 0)
        return SKIPPED;
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    if (child > 0) { // Some containers do not count.
        (void)waitpid(child, NULL, 0);
        return SKIPPED;
    }
    EXPECT(try_open(&desc, &s) == WEFT_STATUS_OS);
    EXPECT(strstr(weft_world_error(s.world), "ulimit -u") != NULL);
    return FINE;
}

Test(refusals, by_the_limit_of_processes, .timeout = TIMEOUT) {
    doom_set(DOOM_NONE, DOOM_IN_CHUNK, 0);
    run_case(have_no_processes_left, NULL);
}

// One executor at a time has workers on a world, and the next when that is gone.
Test(refusals, a_second_executor_with_workers, .timeout = TIMEOUT) {
    weft_executor_desc desc = doom_desc(2);
    weft_executor* second;
    sim s;
    doom_set(DOOM_NONE, DOOM_IN_CHUNK, 0);
    cr_assert_eq(try_open(&desc, &s), WEFT_STATUS_OK);
    cr_assert_eq(weft_executor_create(&desc, s.schedule, &second), WEFT_STATUS_BAD_ARGUMENT);
    cr_assert_null(second);
    TEXT_HAS(weft_world_error(s.world), "another executor of this world has worker processes");
    doom_tick(&s);
    weft_executor_destroy(s.executor);
    cr_assert_eq(weft_executor_create(&desc, s.schedule, &s.executor), WEFT_STATUS_OK);
    doom_tick(&s);
    sim_close(&s);
}
