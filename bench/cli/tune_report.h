/// What `weft tune` found, and the forms that it takes.
#pragma once

#include "advice.h"
#include "layout_file.h"
#include "tune.h"

typedef struct tune_report {
    const weft_module* module;
    uint64_t entity_count;
    uint64_t seed;
    const weft_topology* topology;
    weft_layout start;
    weft_tune_result result;
    bool compares; // Digests mean something.
    uint64_t compared;
    double time_s;
    const char* path; // Of the layout, once it is written.
    // With the layout that was chosen:
    const weft_schedule* schedule;
    weft_costs costs;
    weft_advice advice[WEFT_ADVICE_MAX];
    uint32_t advice_count;
    uint32_t* chain; // [system_count] the chain of edges that costs most.
    uint32_t chain_count;
    uint64_t chain_ns;
    uint32_t width; // Systems of which no two are ordered.
    bool width_exact;
} tune_report;

/// Where the options have the layout written.
const char* tune_layout_path(const weft_cli_options* options);

/// Fills what follows from the costs. OUT_OF_MEMORY.
weft_status tune_explain(tune_report* report);
void tune_explain_deinit(tune_report* report);

/// Prints it, and adds it to an object.
void tune_explain_print(const tune_report* report);
void tune_explain_json(const tune_report* report, json_t* object);

/// Prints all for people, or as JSON; false if that failed.
void tune_print(const tune_report* report);
bool tune_print_json(const tune_report* report);

/// What the layout's file says of how it was found.
json_t* tune_file_json(const tune_report* report);
