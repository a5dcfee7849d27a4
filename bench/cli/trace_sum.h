/// What a trace comes to: time by system, by worker and by what a tick is made of.
#pragma once

#include "trace_file.h"

/// Calls of one system.
typedef struct trace_calls {
    uint64_t count;
    uint64_t rows;
    uint64_t total_ns;
    uint64_t max_ns;
    weft_trace_record slowest;
} trace_calls;

typedef struct trace_sum {
    const trace_source* source;
    bool one_thread; // All workers are run by one thread, so none waits.
    uint32_t system_count;
    trace_calls* systems;                // [system_count]
    uint64_t (*kinds)[WEFT_TRACE_KINDS]; // [worker_count] nanoseconds, but of what is
                                         // the host's.
    weft_trace_counts counts;            // Of all workers.
    uint64_t ticks;
    uint64_t records;
    uint64_t host_end_ns; // Up to then the time of worker 0 is the host's.
} trace_sum;

/// False if there is no memory.
bool trace_sum_open(const trace_source* source, bool one_thread, trace_sum* sum);
void trace_sum_add(trace_sum* sum, const trace_round* round);
void trace_sum_close(trace_sum* sum);

/// Prints it, indented as the screen of `weft run` is.
void trace_sum_print(const trace_sum* sum);

/// Adds it to an object.
void trace_sum_json(const trace_sum* sum, json_t* object);
