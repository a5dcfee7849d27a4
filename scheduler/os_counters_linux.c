// perf_event_open(2). The first counter of a group leads it: a group is counted together or not at
// all, so that its numbers may be divided by one another.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "os_counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define GROUP_SIZE WEFT__OS_GROUP_SIZE

static const struct {
    uint32_t type;
    uint64_t config;
} events[WEFT_TRACE_COUNTERS] = {
    [WEFT_TRACE_CYCLES] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    [WEFT_TRACE_INSTRUCTIONS] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    [WEFT_TRACE_CACHE_MISSES] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    [WEFT_TRACE_SWITCHES] = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
    [WEFT_TRACE_FAULTS] = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    [WEFT_TRACE_MIGRATIONS] = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
};
_Static_assert(WEFT_TRACE_COUNTERS % GROUP_SIZE == 0, "groups are of one size");

int weft__os_thread_id(void) {
    return (int)syscall(SYS_gettid);
}

static int event_open(uint32_t counter, int thread, int leader) {
    struct perf_event_attr attr = {
        .size = sizeof(attr),
        .type = events[counter].type,
        .config = events[counter].config,
        .read_format =
            PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
        // Of the kernel only its software events: these are counted in it.
        .exclude_kernel = events[counter].type == PERF_TYPE_HARDWARE,
        .exclude_hv = 1,
    };
    return (int)syscall(SYS_perf_event_open, &attr, thread, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

static int paranoid_level(void) {
    int level = -2;
    FILE* file = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
    if (file == NULL)
        return level;
    if (fscanf(file, "%d", &level) != 1)
        level = -2;
    (void)fclose(file);
    return level;
}

static void explain(uint32_t counter, int error, char* reason, size_t capacity) {
    const char* name = weft_trace_counter_name((weft_trace_counter)counter);
    bool hardware = events[counter].type == PERF_TYPE_HARDWARE;
    if (error == EACCES || error == EPERM)
        (void)snprintf(reason, capacity,
                       "%s: not permitted; /proc/sys/kernel/perf_event_paranoid is %d, and the "
                       "sandbox may forbid it too",
                       name, paranoid_level());
    else if (hardware && (error == ENOENT || error == EOPNOTSUPP || error == ENODEV))
        (void)snprintf(reason, capacity,
                       "%s: the processor's counters are not to be had here, as "
                       "in most virtual machines",
                       name);
    else
        (void)snprintf(reason, capacity, "%s: perf_event_open: %s", name, strerror(error));
}

uint32_t weft__os_counters_open(weft__os_counters* counters, int thread, char* reason,
                                size_t capacity) {
    uint32_t had = 0;
    *counters = (weft__os_counters){.thread = thread};
    for (uint32_t i = 0; i < WEFT_TRACE_COUNTERS; i++) {
        uint32_t first = i - i % GROUP_SIZE;
        int leader = i == first ? -1 : counters->descriptors[first];
        counters->descriptors[i] = -1;
        if (i != first && leader < 0)
            continue; // The group's reason is told.
        counters->descriptors[i] = event_open(i, thread, leader);
        if (counters->descriptors[i] >= 0)
            had |= 1u << i;
        else if (reason[0] == '\0')
            explain(i, errno, reason, capacity);
    }
    return had;
}

void weft__os_counters_close(weft__os_counters* counters) {
    if (counters->thread == 0)
        return;
    for (uint32_t i = WEFT_TRACE_COUNTERS; i-- > 0;)
        if (counters->descriptors[i] >= 0)
            (void)close(counters->descriptors[i]);
    *counters = (weft__os_counters){.thread = 0};
}

static uint64_t scaled(uint64_t value, uint64_t enabled_ns, uint64_t running_ns) {
    return running_ns >= enabled_ns
               ? value
               : (uint64_t)((double)value * (double)enabled_ns / (double)running_ns);
}

static void add_group(weft__os_counters* counters, uint32_t first, const uint64_t* words) {
    uint32_t group = first / GROUP_SIZE;
    uint64_t enabled_ns = words[1] - counters->enabled_ns[group];
    uint64_t running_ns = words[2] - counters->running_ns[group];
    if (running_ns == 0)
        return; // Nothing was counted: the next time stands for this one too.
    counters->enabled_ns[group] = words[1];
    counters->running_ns[group] = words[2];
    for (uint32_t i = first, at = 0; i < first + GROUP_SIZE; i++)
        if (counters->descriptors[i] >= 0 && at < words[0]) {
            uint64_t raw = words[3 + at++];
            counters->total.value[i] += scaled(raw - counters->raw[i], enabled_ns, running_ns);
            counters->raw[i] = raw;
        }
}

void weft__os_counters_read(weft__os_counters* counters, weft_trace_counts* counts) {
    for (uint32_t first = 0; counters->thread != 0 && first < WEFT_TRACE_COUNTERS;
         first += GROUP_SIZE) {
        uint64_t words[3 + GROUP_SIZE] = {0}; // Members, time enabled, time running, values.
        if (counters->descriptors[first] >= 0 &&
            read(counters->descriptors[first], words, sizeof(words)) > 0)
            add_group(counters, first, words);
    }
    *counts = counters->total;
}
