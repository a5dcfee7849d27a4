/// Traces as files that ui.perfetto.dev and chrome://tracing load: JSON in Chrome's trace event
/// format.
#pragma once

#include <weft/trace.h>

#include "cli.h"

/// What a trace is of.
typedef struct trace_source {
    const weft_module* module;
    const weft_module_options* sizes;
    const weft_world* world;
    const weft_schedule* schedule;
    uint32_t worker_count;
    const char* executor;  // "threads".
    uint32_t counter_mask; // What is counted of workers, 1 << weft_trace_counter each.
} trace_source;

/// A record and who wrote it.
typedef struct trace_item {
    weft_trace_record record;
    uint32_t worker;
    uint32_t order; // In which it came.
} trace_item;

/// What happened from the end of a tick to the end of the next, or a bit later: items by worker,
/// then by begin, what holds others before them.
typedef struct trace_round {
    const trace_item* items;
    size_t count;
    uint64_t commands; // Of this round.
    uint64_t messages;
    const weft_trace_counts* counts; // [worker_count], of this round.
} trace_round;

typedef struct trace_file trace_file;

/// Begins a file. Status: FILE_ERROR, OUT_OF_MEMORY, with the line.
weft_status trace_file_open(const trace_source* source, const char* path, trace_file** file_out,
                            char* line, size_t capacity);

/// Adds a round. False if the file has become so large that nothing is added any more.
bool trace_file_add(trace_file* file, const trace_round* round);

/// Events written.
uint64_t trace_file_events(const trace_file* file);

/// Ends and destroys it; null is allowed. Status: FILE_ERROR.
weft_status trace_file_close(trace_file* file, char* line, size_t capacity);
