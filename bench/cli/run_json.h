/// Runs of measurements as JSON: what `weft bench --json` prints, `weft bench compare` reads.
#pragma once

#include <jansson.h>

#include "results.h"

/// Facts as an object.
json_t* weft_run_json_facts(const weft_machine* facts);

/// One measurement: what it was, what the machine was like, and its rows with all samples. Of one
/// that failed: why.
json_t* weft_run_json_table(const weft_measure_table* table, weft_status status);

/// The whole: version, time, machine, options and the measurements, which it takes over.
json_t* weft_run_json(const weft_run_head* head, json_t* measurements);

/// Whether the file begins as JSON does.
bool weft_run_json_is(const char* path);

/// Reads a run. Deinit it after a failure too. Status: FILE_ERROR, BAD_FORMAT, OUT_OF_MEMORY.
weft_status weft_run_json_load(const char* path, weft_run* out, char line[WEFT_RESULTS_LINE]);
