// Counters of workers. They are opened by the host for the threads of others, so that it can read
// them while these wait, also if they are processes.

#include <stdio.h>
#include <string.h>

#include "exec.h"
#include "trace_ring.h"

static const char* const counter_names[WEFT_TRACE_COUNTERS] = {
    [WEFT_TRACE_CYCLES] = "cycles",
    [WEFT_TRACE_INSTRUCTIONS] = "instructions",
    [WEFT_TRACE_CACHE_MISSES] = "cache misses",
    [WEFT_TRACE_SWITCHES] = "context switches",
    [WEFT_TRACE_FAULTS] = "page faults",
    [WEFT_TRACE_MIGRATIONS] = "migrations",
};

const char* weft_trace_counter_name(weft_trace_counter counter) {
    return counter < WEFT_TRACE_COUNTERS ? counter_names[counter] : "?";
}

uint32_t weft_trace_count(weft_executor* executor, char* reason, size_t capacity) {
    WEFT_ASSERT(executor != NULL && reason != NULL && capacity > 0);
    weft__trace* trace = executor->trace;
    uint32_t had = (1u << WEFT_TRACE_COUNTERS) - 1;
    reason[0] = '\0';
    if (trace == NULL) {
        (void)snprintf(reason, capacity,
                       "the executor does not trace: set "
                       "weft_executor_desc.trace_records");
        return 0;
    }
    for (uint32_t i = 0; i < trace->worker_count; i++) {
        weft__trace_ring* ring = &trace->rings[i];
        int thread = (int)weft__atomic_u32_load_acquire(&ring->thread);
        weft__os_counters_close(&ring->counters);
        ring->before = ring->counted = (weft_trace_counts){{0}};
        // Those that have no thread of their own are counted with the caller.
        if (i == 0 && thread == 0)
            thread = weft__os_thread_id();
        if (thread != 0)
            had &= weft__os_counters_open(&ring->counters, thread, reason, capacity);
    }
    return had;
}

// A process that died has a successor, which is counted on top.
static void follow(weft__trace_ring* ring) {
    char reason[256] = "";
    int thread = (int)weft__atomic_u32_load_acquire(&ring->thread);
    if (ring->counters.thread == 0 || thread == 0 || thread == ring->counters.thread)
        return;
    weft__os_counters_close(&ring->counters);
    (void)weft__os_counters_open(&ring->counters, thread, reason, sizeof(reason));
    ring->before = ring->counted;
}

weft_trace_counts weft_trace_counts_read(weft_executor* executor, uint32_t worker) {
    WEFT_ASSERT(executor != NULL);
    weft__trace* trace = executor->trace;
    weft_trace_counts counts = {{0}};
    if (trace == NULL || worker >= trace->worker_count)
        return counts;
    weft__trace_ring* ring = &trace->rings[worker];
    follow(ring);
    weft__os_counters_read(&ring->counters, &counts);
    for (uint32_t i = 0; i < WEFT_TRACE_COUNTERS; i++)
        counts.value[i] += ring->before.value[i];
    ring->counted = counts;
    return counts;
}
