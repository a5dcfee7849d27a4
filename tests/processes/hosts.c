#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "hosts.h"

#include <dirent.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "doom.h"
#include "processes.h"

#define WORKERS 2u
#define LEAVES 0 // Instead of a signal.

/// What a host tells of itself, in memory that outlives it.
typedef struct witness {
    pid_t workers[WORKERS];
    _Atomic uint32_t ticks;
} witness;

static void as_usual(void) {
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT,
                                  SIGTERM, SIGINT, SIGHUP, SIGCHLD};
    const struct rlimit none = {0, 0};
    sigset_t all;
    (void)setrlimit(RLIMIT_CORE, &none);
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
        (void)signal(signals[i], SIG_DFL);
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_UNBLOCK, &all, NULL);
}

int hosts_fork(int (*function)(void* context), void* context) {
    int status = 0;
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        as_usual();
        _exit(function(context));
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFEXITED(status), "the process was killed by signal %d", WTERMSIG(status));
    return WEXITSTATUS(status);
}

static void moment(long ns) {
    const struct timespec wait = {0, ns};
    (void)nanosleep(&wait, NULL);
}

// Never returns. `asleep`: it waits between ticks; else it runs on.
static void be_host(witness* seen, int way, bool asleep) {
    weft_executor_desc desc = doom_desc(WORKERS);
    as_usual();
    doom_set(DOOM_NONE, DOOM_IN_CHUNK, 0);
    sim s = doom_open(&desc);
    for (uint32_t i = 0; i < WORKERS; i++)
        seen->workers[i] = s.executor->processes->workers[i].id;
    for (;;) {
        doom_tick(&s);
        seen->ticks++;
        if (way == LEAVES && seen->ticks == 5)
            quick_exit(0);
        while (asleep && seen->ticks >= 5)
            moment(1000000);
    }
}

// Files that others can see, and that this process does not have, too.
static void check_no_files(pid_t worker) {
    char path[64];
    char link[320];
    char name[512];
    (void)snprintf(path, sizeof(path), "/proc/%d/fd", worker);
    DIR* files = opendir(path);
    cr_assert_not_null(files);
    for (const struct dirent* file = readdir(files); file != NULL; file = readdir(files)) {
        (void)snprintf(link, sizeof(link), "%s/%s", path, file->d_name);
        ssize_t size = readlink(link, name, sizeof(name) - 1);
        name[size > 0 ? size : 0] = '\0';
        cr_assert_null(strstr(name, "/weft"), "%s", name);
    }
    (void)closedir(files);
    (void)snprintf(path, sizeof(path), "/proc/%d/maps", worker);
    FILE* maps = fopen(path, "r");
    cr_assert_not_null(maps);
    while (fgets(name, sizeof(name), maps) != NULL)
        cr_assert(strstr(name, "/dev/shm/weft") == NULL && strstr(name, "/tmp/weft-") == NULL, "%s",
                  name);
    (void)fclose(maps);
    DIR* shared = opendir("/dev/shm");
    for (const struct dirent* file = shared != NULL ? readdir(shared) : NULL; file != NULL;
         file = readdir(shared))
        cr_assert_neq(strncmp(file->d_name, "weft", 4), 0, "/dev/shm/%s", file->d_name);
    if (shared != NULL)
        (void)closedir(shared);
}

// This process is their next parent, so that it sees them end.
static void check_gone(const witness* seen, int way) {
    for (uint32_t i = 0; i < WORKERS; i++) {
        pid_t gone = 0;
        for (uint32_t ms = 0; ms < 2000 && gone == 0; ms++) {
            gone = waitpid(seen->workers[i], NULL, WNOHANG);
            if (gone == 0)
                moment(1000000);
        }
        if (gone == 0)
            (void)kill(seen->workers[i], SIGKILL); // Not left to the machine.
        cr_assert_eq(gone, seen->workers[i], "worker %u outlives its host, which ended by %d", i,
                     way);
    }
}

static void end_one(witness* seen, int way, bool asleep) {
    *seen = (witness){.ticks = 0};
    pid_t host = fork();
    cr_assert_geq(host, 0);
    if (host == 0)
        be_host(seen, way, asleep);
    for (uint32_t ms = 0; ms < 20000 && seen->ticks < 5; ms++)
        moment(1000000);
    cr_assert_geq(seen->ticks, 5);
    if (way != LEAVES) {
        if (asleep)
            check_no_files(seen->workers[0]);
        cr_assert_eq(kill(host, way), 0);
    }
    cr_assert_eq(waitpid(host, NULL, 0), host);
    check_gone(seen, way);
}

void hosts_end(uint32_t rounds) {
    static const int ways[] = {SIGKILL, SIGSEGV, SIGABRT, SIGTERM, SIGINT, SIGHUP, LEAVES};
    weft_digest expected[DOOM_TICKS + 1];
    weft_executor_desc desc = doom_desc(WORKERS);
    witness* seen =
        mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(seen, MAP_FAILED);
    cr_assert_eq(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    doom_set(DOOM_NONE, DOOM_IN_CHUNK, 0);
    doom_expected(expected);
    sim healthy = doom_open(&desc);
    for (uint32_t round = 0; round < rounds; round++)
        for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
            end_one(seen, ways[i], (round + i) % 2 == 0);
            if (weft_world_tick(healthy.world) < DOOM_TICKS)
                doom_tick(&healthy);
            doom_check(&healthy, expected, "the healthy one");
        }
    cr_assert_eq(weft_executor_stats_read(healthy.executor).crashes, 0);
    sim_close(&healthy);
    (void)munmap(seen, sizeof(*seen));
}
