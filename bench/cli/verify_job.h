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
    weft_verify_report* report;
} verify_job;

// verify_print.c: the screen ---------------------------------------------------------------------

/// Prints what is about to be done.
void verify_print_head(const verify_job* job);

/// Prints the table and, on a difference, one screen about the first one.
void verify_print(const verify_job* job);

/// Prints the same as JSON. False if that failed.
bool verify_print_json(const verify_job* job);

// verify_job.c -----------------------------------------------------------------------------------

/// Opens the module and fills the job with what the options ask for; `cli` and `options` are set.
/// On failure prints and returns the exit code. To be closed in any case.
weft_exit verify_job_open(verify_job* job, const char* command, weft_cli_options* options,
                          weft_cli_module* module);

/// Verifies; the report stays with the job. Prints only what leaves no report.
weft_exit verify_job_run(verify_job* job);
void verify_job_close(verify_job* job);

// verify_print.c ---------------------------------------------------------------------------------

/// A configuration and what came out of it.
typedef struct verify_suspect {
    const weft_executor_desc* config;
    const weft_verify_result* result;
    bool drawn;
} verify_suspect;

/// The first configuration with this outcome, drawn ones last. False if there is none.
bool verify_suspect_find(const verify_job* job, weft_verify_outcome outcome, verify_suspect* out);

/// The executor of a configuration in words.
void verify_suspect_text(const verify_suspect* one, char* text, size_t capacity);

/// The command that shows a difference or failure again: `weft verify ...`, or with "bisect" the
/// one that goes on from it.
void verify_suspect_command(const verify_job* job, const verify_suspect* one, const char* command,
                            FILE* file);

/// Prints the task of a place, and the value of a result's with words for the two sides.
void verify_task_print(const weft_verify_place* place);
void verify_value_print(const weft_verify_result* result, const char* reference, const char* found);
void verify_digests_print(const char* label, weft_verify_digests digests);

json_t* verify_place_json(const weft_verify_place* place);
