/// Results that are kept: a file of runs, each with its machine, its options and every sample.
///
/// The file is an SQLite database (results_sqlite.c; results_none.c where the library is not built
/// in). Each measurement is added in one transaction when it ends, so a file never holds a part of
/// one, and a run that is ended early keeps what it had. A file of another program, or of a later
/// version, is refused and left as it is. Functions that fail write one line: what, where, why, and
/// what to do.
#pragma once

#include "machine.h"
#include "measure.h"

/// Version of the schema. Files of later versions are refused.
#define WEFT_RESULTS_VERSION 1

/// "WEFT" as SQLite's application id.
#define WEFT_RESULTS_ID 0x57454654

#define WEFT_RESULTS_LINE 512u

/// What is said of a run besides its tables.
typedef struct weft_run_head {
    int64_t number; // From 1; 0 where it has none.
    char time[32];  // "2026-11-30T14:05:16Z", when it began.
    weft_machine machine;
    weft_machine options; // As they were given: "quick", "workers", "entities", "ticks", "seed".
} weft_run_head;

typedef struct weft_run_table {
    char name[WEFT_MEASURE_TEXT]; // What table.name is.
    char status[32];              // "OK", or why there are no rows.
    weft_measure_table table;
} weft_run_table;

/// A run that was read.
typedef struct weft_run {
    weft_run_head head;
    weft_run_table** table; // In the order in which they were measured.
    uint32_t table_count;
} weft_run;

/// Adds an empty table. Null when there is no memory.
weft_run_table* weft_run_add(weft_run* run, const char* name);

/// Forgets what was read. A zeroed run is allowed.
void weft_run_deinit(weft_run* run);

/// The head of a run that begins now, on this machine.
weft_run_head weft_run_head_now(const weft_measure_options* options);

/// A file that is open for one more run.
typedef struct weft_results weft_results;

/// Whether this build can read and write such files. If not, the others fail with UNSUPPORTED.
bool weft_results_supported(void);

/// Opens a file, or makes one, and makes sure that it can be written. Status: FILE_ERROR,
/// BAD_FORMAT for what is no file of results or is damaged, UNSUPPORTED, OUT_OF_MEMORY.
weft_status weft_results_open(const char* path, weft_results** out, char line[WEFT_RESULTS_LINE]);

/// Adds a table to the run, which begins with its first. If that fails nothing is added, and the
/// next one may still be. Sets the head's number.
weft_status weft_results_add(weft_results* results, weft_run_head* head, weft_status status,
                             const weft_measure_table* table, char line[WEFT_RESULTS_LINE]);

/// Null does nothing.
void weft_results_close(weft_results* results);

/// Reads the run of this number, or the latest one for 0. Deinit the run after a failure too.
/// Status: as weft_results_open, and OUT_OF_RANGE for a run that is not there.
weft_status weft_results_load(const char* path, int64_t number, weft_run* out,
                              char line[WEFT_RESULTS_LINE]);

/// One line of the list of runs.
typedef struct weft_results_entry {
    int64_t number;
    char time[32];
    char commit[64];
    char compiler[96];
    char cpu[128];
    char measurements[256]; // Names, by commas, cut to fit.
} weft_results_entry;

/// Calls `entry` for each run in order.
weft_status weft_results_list(const char* path,
                              void (*entry)(void* context, const weft_results_entry* run),
                              void* context, char line[WEFT_RESULTS_LINE]);
