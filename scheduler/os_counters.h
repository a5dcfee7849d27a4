/// Counters of what a thread does, by the processor and the system.
#pragma once

#include <weft/trace.h>

/// Open counters of one thread; by groups that are read at once.
typedef struct weft__os_counters {
    int descriptors[WEFT_TRACE_COUNTERS]; // -1: this one is not to be had.
    int thread;                           // 0: none, and nothing is open.
} weft__os_counters;

/// The calling thread, as weft__os_counters_open() takes it, also of another process.
int weft__os_thread_id(void);

/// Counts from now on. Returns the counters that are had, 1 << weft_trace_counter each; `reason`
/// has a line on why one is missing, if one is.
uint32_t weft__os_counters_open(weft__os_counters* counters, int thread, char* reason,
                                size_t capacity);
void weft__os_counters_close(weft__os_counters* counters);

/// Reads all; what the processor counted by turns is scaled up.
void weft__os_counters_read(const weft__os_counters* counters, weft_trace_counts* counts);
