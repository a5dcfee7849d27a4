/// Counters of what a thread does, by the processor and the system.
#pragma once

#include <weft/trace.h>

#define WEFT__OS_GROUP_SIZE 3u
#define WEFT__OS_GROUPS (WEFT_TRACE_COUNTERS / WEFT__OS_GROUP_SIZE)

/// Open counters of one thread; by groups that are read at once.
typedef struct weft__os_counters {
    int descriptors[WEFT_TRACE_COUNTERS]; // -1: this one is not to be had.
    int thread;                           // 0: none, and nothing is open.
    // At the last read: for how long a group could count, and did, and what.
    uint64_t enabled_ns[WEFT__OS_GROUPS];
    uint64_t running_ns[WEFT__OS_GROUPS];
    uint64_t raw[WEFT_TRACE_COUNTERS];
    weft_trace_counts total; // Scaled up.
} weft__os_counters;

/// The calling thread, as weft__os_counters_open() takes it, also of another process.
int weft__os_thread_id(void);

/// Counts from now on. Returns the counters that are had, 1 << weft_trace_counter each; `reason`
/// has a line on why one is missing, if one is.
uint32_t weft__os_counters_open(weft__os_counters* counters, int thread, char* reason,
                                size_t capacity);
void weft__os_counters_close(weft__os_counters* counters);

/// Reads all. What the processor counted by turns is scaled up, since the last read by its share of
/// the time since: so no count goes back.
void weft__os_counters_read(weft__os_counters* counters, weft_trace_counts* counts);
