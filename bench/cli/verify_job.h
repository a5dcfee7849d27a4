/// One `weft verify`: what is to be compared and what came out, for the command and its printer.
#pragma once

#include "cli.h"

/// Configurations that make one row of the table: one executor with all its schedule seeds.
typedef struct verify_group {
    weft_cli_executor executor;
    size_t first; // Index of its first configuration.
    size_t count;
    double time_s;
} verify_group;

/// Configurations that are drawn while the time lasts.
typedef struct verify_draws {
    bool wanted;
    bool one;       // The same one again and again.
    uint64_t seed;  // Of the draws; of the draw, if it is one.
    uint64_t limit; // How many.
    double time_s;  // For all; 0: no limit.
    double started_s;
    double ended_s;
    uint64_t last_seed; // Of the last draw,
    weft_executor_desc last;
} verify_draws;

typedef struct verify_job {
    const weft_cli* cli;
    const weft_cli_options* options;
    const weft_module* module;
    const char* module_name; // As it was given: a name or a path. Null: the caller's only one.
    weft_module_options sizes;
    uint64_t tick_count;
    bool ticks_cut;    // Fewer than the module's own, to keep the whole short.
    bool entities_cut; // The same.
    weft_executor_desc* configs;
    size_t config_count;
    verify_group* groups;
    size_t group_count;
    verify_draws draws;
    weft_cli_hashes against; // Empty without --against.
    weft_cli_progress progress;
    double seen_s; // When progress was last reported.
    double reference_s;
    double locate_s;
    const weft_verify_report* report;
} verify_job;

/// Prints what is about to be done.
void verify_print_head(const verify_job* job);

/// Prints the table and, on a difference, one screen about the first one.
void verify_print(const verify_job* job);

/// Prints the same as JSON. False if that failed.
bool verify_print_json(const verify_job* job);
