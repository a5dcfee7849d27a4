/// What `weft tune` found, and the forms that it takes.
#pragma once

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
} tune_report;

/// Prints it for people, or as JSON; false if that failed.
void tune_print(const tune_report* report);
bool tune_print_json(const tune_report* report);

/// What the layout's file says of how it was found.
json_t* tune_file_json(const tune_report* report);
