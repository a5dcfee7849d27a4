/// weft run --trace: what the executor records goes to a file and to a summary.
#pragma once

#include "cli.h"

typedef struct run_trace run_trace;

/// Has an executor that is to be created trace, if the options ask for a trace.
void run_trace_prepare(const weft_cli_options* options, const weft_module_options* sizes,
                       const weft_schedule* schedule, weft_executor_desc* desc);

/// Begins the file. `*trace_out` is null if the options ask for none. On failure the line is
/// filled.
weft_status run_trace_open(const weft_cli_options* options, const weft_module* module,
                           const weft_module_options* sizes, weft_world* world,
                           weft_schedule* schedule, weft_executor* executor,
                           const weft_executor_desc* desc, run_trace** trace_out, char* line,
                           size_t capacity);

/// Takes what was recorded since the last call, after tick number `tick`. Status: OUT_OF_MEMORY.
weft_status run_trace_tick(run_trace* trace, uint64_t tick);

/// Ends the file. Status: FILE_ERROR.
weft_status run_trace_end(run_trace* trace, char* line, size_t capacity);

/// Prints the summary; its JSON, null if there is no trace.
void run_trace_print(const run_trace* trace);
json_t* run_trace_json(const run_trace* trace);

/// Null is allowed.
void run_trace_close(run_trace* trace);
