#define _GNU_SOURCE // sched_getaffinity

#include "watch.h"

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

uint64_t weft_measure_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t weft_measure_switches(void) {
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_nivcsw : 0;
}

bool weft_measure_is_disturbed(uint64_t switches, uint64_t elapsed_ns) {
    return switches > elapsed_ns / 10000000;
}

// The process' own time -------------------------------------------------------------------------

static uint64_t clock_ns(clockid_t clock) {
    struct timespec now;
    if (clock_gettime(clock, &now) != 0)
        return 0;
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

// Children that were waited for, and their children.
static uint64_t ended_ns(void) {
    struct rusage usage;
    if (getrusage(RUSAGE_CHILDREN, &usage) != 0)
        return 0;
    struct timeval user = usage.ru_utime;
    struct timeval system = usage.ru_stime;
    return (uint64_t)(user.tv_sec + system.tv_sec) * 1000000000u +
           (uint64_t)(user.tv_usec + system.tv_usec) * 1000u;
}

// Children of a process' first thread that are alive, and theirs; worker processes are started by
// first threads. Where the system does not list them, nothing.
static uint64_t living_ns(const char* list, int depth) {
    char path[64];
    uint64_t sum = 0;
    FILE* file = fopen(list, "re");
    if (!file)
        return 0;
    int pid;
    while (fscanf(file, "%d", &pid) == 1) {
        clockid_t clock;
        if (clock_getcpuclockid(pid, &clock) == 0)
            sum += clock_ns(clock);
        snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, pid);
        if (depth > 0)
            sum += living_ns(path, depth - 1);
    }
    (void)fclose(file);
    return sum;
}

// The CPUs' time ---------------------------------------------------------------------------------

weft_watch_cpus weft_watch_cpus_read(void) {
    weft_watch_cpus cpus = {.count = 0};
    cpu_set_t* set = CPU_ALLOC(WEFT_WATCH_CPUS_MAX);
    size_t size = CPU_ALLOC_SIZE(WEFT_WATCH_CPUS_MAX);
    if (set && sched_getaffinity(0, size, set) == 0) {
        for (uint32_t cpu = 0; cpu < WEFT_WATCH_CPUS_MAX; ++cpu) {
            if (!CPU_ISSET_S(cpu, size, set))
                continue;
            cpus.mask[cpu / 64] |= (uint64_t)1 << cpu % 64;
            ++cpus.count;
        }
    }
    CPU_FREE(set);
    return cpus;
}

bool weft_watch_parse(const char* line, uint32_t* cpu_out, uint64_t* busy_out,
                      uint64_t* stolen_out) {
    uint64_t user, nice, system, idle, wait, irq, soft, stolen;
    if (strncmp(line, "cpu", 3) != 0 || line[3] == ' ' ||
        sscanf(line,
               "cpu%" SCNu32 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
               " %" SCNu64 " %" SCNu64,
               cpu_out, &user, &nice, &system, &idle, &wait, &irq, &soft, &stolen) != 9)
        return false;
    *busy_out = user + nice + system + irq + soft;
    *stolen_out = stolen;
    return true;
}

static bool is_watched(const weft_watch_cpus* cpus, uint32_t cpu) {
    return cpu < WEFT_WATCH_CPUS_MAX && (cpus->mask[cpu / 64] >> cpu % 64 & 1) != 0;
}

// The lines of the CPUs come first.
static void read_cpus(const weft_watch_cpus* cpus, weft_watch* watch) {
    char line[256];
    long rate = sysconf(_SC_CLK_TCK);
    uint64_t tick = rate > 0 ? 1000000000u / (uint64_t)rate : 0;
    FILE* file = fopen("/proc/stat", "re");
    if (!file)
        return;
    while (fgets(line, sizeof(line), file) && strncmp(line, "cpu", 3) == 0) {
        uint32_t cpu;
        uint64_t busy, stolen;
        if (!weft_watch_parse(line, &cpu, &busy, &stolen) || !is_watched(cpus, cpu))
            continue;
        watch->busy += busy * tick;
        watch->stolen += stolen * tick;
        watch->known = true;
    }
    (void)fclose(file);
}

weft_watch weft_watch_read(const weft_watch_cpus* cpus) {
    weft_watch watch = {.known = false};
    read_cpus(cpus, &watch);
    watch.own = clock_ns(CLOCK_PROCESS_CPUTIME_ID) + ended_ns() +
                living_ns("/proc/thread-self/children", 2);
    watch.switches = weft_measure_switches();
    watch.wall = weft_measure_now_ns();
    return watch;
}

static double difference(uint64_t from, uint64_t to) {
    return to > from ? (double)(to - from) : 0;
}

weft_watched weft_watch_compare(const weft_watch_cpus* cpus, const weft_watch* from,
                                const weft_watch* to) {
    double wall = difference(from->wall, to->wall);
    double all = wall * cpus->count;
    weft_watched watched = {
        .known = from->known && to->known && all > 0,
        .disturbed = weft_measure_is_disturbed(to->switches - from->switches, (uint64_t)wall),
    };
    if (!watched.known)
        return watched;
    double others = difference(from->busy, to->busy) - difference(from->own, to->own);
    double stolen = difference(from->stolen, to->stolen);
    others = others > 0 ? others : 0;
    watched.others = others < all ? others / all : 1;
    watched.stolen = stolen < all ? stolen / all : 1;
    // Two ticks are within the error of the accounts.
    if (others + stolen > 20e6 + 0.05 * all)
        watched.disturbed = true;
    return watched;
}
