/// One `weft bisect`: who is compared, what came out, and the bundle that says it again.
#pragma once

#include <weft/bisect.h>

#include "verify_job.h"

typedef struct bisect_job {
    const weft_cli* cli;
    const weft_cli_options* options;
    const weft_module* module;
    const char* module_name; // As it was given: a name or a path. Null: the caller's only one.
    weft_module_options sizes;
    weft_executor_desc config; // The suspect's.
    char suspect[WEFT_CLI_DRAW_SIZE];
    char reference[WEFT_CLI_DRAW_SIZE];
    const char* sides[2];         // Short words for both, the reference first.
    uint64_t tick;                // Where verify or the files have it.
    weft_verify_digests expected; // Of the reference, after it;
    weft_verify_digests seen;     // and of the suspect.
    const verify_job* verify;     // Null: it was not found by verify.
    const verify_suspect* one;    // Of `verify`.
    weft_cli_progress progress;
    weft_bisect_report* report;
    weft_write write;        // Of the report, or of the bundle that is replayed.
    const char* bundle_path; // Written, or replayed; null: none.
    bool other_systems;      // The suspect's build has another schedule: tasks are not compared.
} bisect_job;

// bisect_job.c -----------------------------------------------------------------------------------

/// A description with the job's callbacks.
weft_bisect_desc bisect_job_desc(bisect_job* job);

/// Bisects; the report stays with the job. On failure prints and returns the exit code, else OK.
weft_exit bisect_job_run(bisect_job* job, const weft_bisect_desc* desc);

/// Fills the job from what verify has found.
void bisect_job_take(bisect_job* job, const verify_job* verify, const verify_suspect* one);

/// Bisects what `weft verify` has found and writes the bundle, which it mentions.
weft_exit bisect_verified(const verify_job* verify, const char* path);

// bisect_print.c ---------------------------------------------------------------------------------

/// Prints the screen about the difference.
void bisect_print(const bisect_job* job);

/// The same as JSON; of a bundle `replay` says what the replay showed, else it is null.
bool bisect_print_json(const bisect_job* job, const char* replay);

/// The part of it that enters bundles.
json_t* bisect_finding_json(const bisect_job* job);

/// Prints the command that replays a bundle.
void bisect_replay_print(const bisect_job* job, FILE* file);

// bisect_bundle.c --------------------------------------------------------------------------------

/// Writes all that the tick needs to a file. On failure prints.
weft_exit bisect_bundle_write(const bisect_job* job, const char* path);

/// What a bundle says of the run that made it.
typedef struct bisect_bundle {
    weft_cli_bundle file;
    char module[WEFT_CLI_LINE_SIZE]; // Name, or path.
    char module_hash[WEFT_DIGEST_TEXT];
    weft_module_options sizes;
    uint64_t tick;
    uint64_t schema_hash;
    uint64_t schedule_hash;
    weft_executor_desc config;
    char suspect[WEFT_CLI_DRAW_SIZE];
    char reference[WEFT_CLI_DRAW_SIZE];
    weft_verify_digests digests[2]; // The reference's and the suspect's.
    weft_write write;
} bisect_bundle;

/// Reads a bundle; the line says what is wrong. Status: FILE_ERROR, BAD_FORMAT.
weft_status bisect_bundle_read(const char* path, bisect_bundle* out, char* line, size_t capacity);
void bisect_bundle_deinit(bisect_bundle* bundle);

/// Hash of the file that a module is in: its shared object, or the program. Empty if it cannot be
/// read.
void bisect_module_hash(const char* module_name, char text[WEFT_DIGEST_TEXT]);

// bisect_record.c --------------------------------------------------------------------------------

/// Writes a record: what a run is after its last tick, and what the tasks of that tick gave.
typedef struct bisect_record {
    const weft_module* module;
    weft_world* world;
    const weft_schedule* schedule;
    const weft_task_output* outputs;
    size_t output_count;
} bisect_record;
weft_status bisect_record_write(const char* path, const bisect_record* record, char* line,
                                size_t capacity);

/// A record in memory.
typedef struct bisect_recorded {
    weft_cli_bundle file;
    uint64_t tick;
    uint64_t schema_hash;
    uint64_t schedule_hash;
    char program[WEFT_CLI_DRAW_SIZE]; // Version, commit and compiler.
    weft_task_output* outputs;
    size_t output_count;
} bisect_recorded;

/// Reads a record; the line says what is wrong. Status: FILE_ERROR, BAD_FORMAT, OUT_OF_MEMORY.
weft_status bisect_record_read(const char* path, bisect_recorded* out, char* line, size_t capacity);
void bisect_record_deinit(bisect_recorded* record);

/// Bisects between the job's own serial run and a record.
weft_exit bisect_record_compare(bisect_job* job, const bisect_recorded* record);

// bisect_replay.c, bisect_files.c, bisect_builds.c: the other forms of the command ----------------

weft_exit bisect_replay(const weft_cli* cli, weft_cli_options* options);
weft_exit bisect_files(const weft_cli* cli, weft_cli_options* options);
weft_exit bisect_builds(const weft_cli* cli, weft_cli_options* options);

/// The part of a program that compares its own run with another program's record.
weft_exit bisect_against_record(const weft_cli* cli, weft_cli_options* options);

/// Bisects a module by verify, from its arguments on: `options` has its name, or none.
weft_exit bisect_module(const weft_cli* cli, weft_cli_options* options);
