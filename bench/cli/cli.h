/// What the commands of the program `weft` share: options, sessions, hash files, output.
///
/// Functions that can fail in operation return a weft_status and fill a line for people: what,
/// where, why, what to do. Commands turn statuses into the exit codes below.
#pragma once

#include <signal.h>
#include <stdio.h>

#include <jansson.h>

#include <weft/audit.h>
#include <weft/clock.h>
#include <weft/crash.h>
#include <weft/journal.h>
#include <weft/module.h>
#include <weft/simlog.h>
#include <weft/snapshot.h>
#include <weft/verify.h>

typedef enum weft_exit {
    WEFT_EXIT_OK = 0,        // Equal, or done.
    WEFT_EXIT_DIFFERENT = 1, // Something that must be equal is not, or a guard found something.
    WEFT_EXIT_USAGE = 2,     // The command line is wrong.
    WEFT_EXIT_FAILURE = 3,   // Module, file, system, machine or interrupt.
} weft_exit;

#define WEFT_CLI_LINE_SIZE 640u
#define WEFT_CLI_WORKERS_MAX 1024u
#define WEFT_CLI_SEEDS_MAX 100000u
#define WEFT_CLI_ENTITIES_MAX 100000u // Where a simulation's own size may be more than is needed.

/// The program as it was started.
typedef struct weft_cli {
    const char* program;               // argv[0], for commands that are printed.
    const weft_module* const* modules; // The caller's own.
    size_t module_count;
} weft_cli;

// options.c --------------------------------------------------------------------------------------

typedef enum weft_cli_command {
    WEFT_CLI_RUN = 1,
    WEFT_CLI_VERIFY = 2,
    WEFT_CLI_BENCH = 4,
    WEFT_CLI_LIST = 8,
    WEFT_CLI_GRAPH = 16,
    WEFT_CLI_EXPORT = 32,
    WEFT_CLI_TOPO = 64,
    WEFT_CLI_LINT = 128,
    WEFT_CLI_COMPARE = 256, // Of bench, as the next one.
    WEFT_CLI_RUNS = 512,
    WEFT_CLI_BISECT = 1024,
    WEFT_CLI_SELFTEST = 2048,
    WEFT_CLI_REPLAY = 4096,
    WEFT_CLI_FORECAST = 8192,
    WEFT_CLI_TUNE = 16384,
    WEFT_CLI_REPORT = 1 << 15,
    WEFT_CLI_COMPLETION = 1 << 20,
} weft_cli_command;

/// An executor as it is written: "serial", "virtual", "threads:8".
typedef struct weft_cli_executor {
    weft_executor_kind kind;
    uint32_t worker_count; // 0: not said.
} weft_cli_executor;

/// Everything that can stand on a command line. Pointers go into argv.
typedef struct weft_cli_options {
    const char** names; // Arguments that are no options.
    size_t name_count;
    uint64_t entity_count;
    uint64_t tick_count;
    uint64_t seed;
    uint64_t schedule_seed;
    uint32_t seed_count;
    uint32_t worker_count; // 0: not said.
    const char* executor;  // As written; null: not said.
    const char* configs;   // The same.
    const char* hashes_path;
    const char* against_path;
    bool has_entity_count;
    bool has_tick_count;
    bool has_seed;
    bool has_schedule_seed;
    bool has_seed_count;
    bool json;
    bool digest_check;
    weft_verify_depth depth;
    bool has_perturb_count;
    uint64_t perturb_count; // Schedules to draw.
    bool has_perturb_seed;
    uint64_t perturb_seed;
    bool has_perturb_draw;
    uint64_t perturb_draw;
    double time_s; // For drawn schedules; 0: not said.
    bool quiet;
    bool no_pin;
    bool has_placement; // --placement or --cpus.
    weft_placement placement;
    uint32_t* cpus; // Of the placement.
    bool interleave;
    const char* layout_path;
    struct weft_cli_layout* layout; // Of that file, once it is read.
    bool has_sweep;
    weft_sweep sweep;
    bool has_guard;
    weft_guard guard;
    bool has_rollback;
    uint32_t rollback_ticks; // 0: chosen by cost.
    bool has_images;
    uint32_t image_ticks; // 0: none.
    bool has_retries;
    uint32_t retries;
    bool has_stuck;
    uint64_t stuck_ns; // 0: never.
    bool quick;
    // bench
    bool suite;
    const char* save_path;
    double threshold; // 0.02 for 2%.
    // lint
    const char** flags; // For the compiler.
    size_t flag_count;
    const char** float_files; // Patterns.
    size_t float_file_count;
    const char** pure; // The same.
    size_t pure_count;
    const char** without; // Names of rules; of instruments.
    size_t without_count;
    bool floats;
    bool all;
    bool object;
    bool sarif;
    bool list_rules;
    // selftest
    bool list;
    // graph
    const char* format;
    const char* output_path;
    const char** deny; // As written, each a list of names.
    size_t deny_count;
    bool all_edges;
    bool overlaps;
    bool why;
    // topo
    const char* machine;
    const char* svg_path;
    uint32_t quota_milli_cpus; // 0: not said.
    // forecast
    const char* worker_counts; // As written; null: not said.
    double speed;              // 0: not said, as the next two.
    double smt;
    double bandwidth; // GB/s of a node.
    bool digest;
    // bisect
    const char* bundle_path; // Of verify.
    const char* record_path; // Of run.
    bool builds;
    // run --log, export
    const char* log_path;
    bool has_log_policy;
    weft_simlog_policy log_policy;
    const char* table;
    // run --trace
    const char* trace_path;
    bool has_trace_ticks;
    uint64_t trace_from; // The first tick, counted from 0,
    uint64_t trace_to;   // and the last.
    // Snapshots and journals
    const char* journal_path;
    const char* resume_path;
    const char** snapshots; // One for run.
    size_t snapshot_count;
    bool has_fsync;
    uint32_t sync_ticks; // As in weft_journal_desc.
    bool has_snapshot_every;
    uint64_t snapshot_every;
    bool compress;
    bool has_from;
    uint64_t from;
    bool has_to;
    uint64_t to;
    bool diff;
    // report, run --plot
    const char* plot;
    const char* module;
    const char* title;
    // Real time
    uint32_t rate; // Ticks a second; 0: as fast as it goes.
    bool skip_late;
    bool audit;
} weft_cli_options;

/// Reads the arguments of one command; argv[0] is what usage lines call the program. Prints and
/// exits with WEFT_EXIT_USAGE on a mistake and with 0 after --help, as argp does.
void weft_cli_options_parse(weft_cli_command command, int argc, char** argv,
                            weft_cli_options* options);

/// Adds one flag for the compiler.
void weft_cli_options_flag(weft_cli_options* options, const char* flag);

/// An option as it is listed.
typedef struct weft_cli_option {
    const char* name;
    char letter;            // Its short name; 0: none.
    const char* argument;   // What --help calls it; null: it takes none.
    bool argument_optional; // Only behind "=".
    const char* values;     // Words that it may be, separated by spaces; null: anything.
    const char* text;
} weft_cli_option;

/// The next option of a command that --help shows; false after the last. `*at` is 0 before the
/// first.
bool weft_cli_option_next(weft_cli_command command, size_t* at, weft_cli_option* out);

/// Forgets what parsing allocated.
void weft_cli_options_deinit(weft_cli_options* options);

// words.c ----------------------------------------------------------------------------------------

/// A whole number: "250000", "10k", "1M", "2.5e6". False if it is not one or does not fit.
bool weft_cli_count_parse(const char* text, uint64_t* out);

/// 64 bits, decimal or with 0x, nothing else in the text.
bool weft_cli_u64_parse(const char* text, uint64_t* out);

/// Seconds: "60s", "5m", "2h", "90". False if it is not that or not above 0.
bool weft_cli_time_parse(const char* text, double* seconds_out);

/// Bytes of the character that begins here, control characters too; 0 if it is no UTF-8.
size_t weft_cli_utf8_length(const char* text);

/// The name that is nearest to `name`, or null if none is near.
const char* weft_cli_nearest(const char* name, const char* const* names, size_t count);

/// CPUs of time, "1.5", as thousandths, rounded up. False if it is not that or not above 0.
bool weft_cli_quota_parse(const char* text, uint32_t* milli_cpus_out);

/// CPUs as taskset takes them: "0,2,4-7". Allocates `*cpus_out`. False if it is not that, or more
/// than workers can be.
bool weft_cli_cpus_parse(const char* text, uint32_t** cpus_out, uint32_t* count_out);

/// The other way. Free it.
char* weft_cli_cpus_text(const uint32_t* cpus, uint32_t count);

// executors.c ------------------------------------------------------------------------------------

/// The name of an executor kind as it is written.
const char* weft_cli_executor_name(weft_executor_kind kind);

/// True of executors whose workers run at the same time.
bool weft_cli_executor_is_parallel(weft_executor_kind kind);

/// Whether a guard can watch several workers of such an executor.
bool weft_cli_guard_watches(weft_guard guard, weft_executor_kind kind);

/// The first `length` characters of `text` as an executor.
bool weft_cli_executor_parse(const char* text, size_t length, weft_cli_executor* out);

/// The description of an executor. Under `virtual` the schedule seed also draws the placement
/// options, so that a seed alone repeats a run.
weft_executor_desc weft_cli_executor_desc(weft_cli_executor executor, uint64_t schedule_seed,
                                          bool no_pin);

/// The executor that the options ask for; says what is wrong with them.
weft_exit weft_cli_executor_choose(const weft_cli_options* options, weft_executor_desc* out);

/// Puts the placement that the options ask for, if they do, into a description.
void weft_cli_executor_place(const weft_cli_options* options, weft_executor_desc* desc);

/// A placement's policy as it is written: "per-node"; the list is "list", and not parsed.
const char* weft_cli_placement_name(weft_placement_policy policy);
bool weft_cli_placement_parse(const char* text, weft_placement_policy* out);

/// Draws how threads share batches and wait, for runs that look for faults.
void weft_cli_executor_permute(weft_executor_desc* desc, uint64_t draw);

/// An order inside stages as it is written: "chunk".
const char* weft_cli_sweep_name(weft_sweep sweep);
bool weft_cli_sweep_parse(const char* text, weft_sweep* out);

/// What verify compares as it is written: "root".
const char* weft_cli_depth_name(weft_verify_depth depth);
bool weft_cli_depth_parse(const char* text, weft_verify_depth* out);

// help.c -----------------------------------------------------------------------------------------

/// What --help says of a command besides its options: arguments, then text before and after.
typedef struct weft_cli_help {
    weft_cli_command command;
    const char* arguments;
    const char* text;
} weft_cli_help;

const weft_cli_help* weft_cli_help_of(weft_cli_command command);
// run_log.c --------------------------------------------------------------------------------------

/// What a log does when the disk is behind, by its name: "block".
bool weft_cli_log_policy_parse(const char* text, weft_simlog_policy* out);

/// Starts the log that the options ask for; null if none. Fills the line on failure.
weft_status weft_cli_log_open(const weft_cli_options* options, weft_world* world,
                              weft_simlog** log_out, char* line, size_t capacity);

/// Ends it; null is allowed. Keeps the counters.
weft_status weft_cli_log_close(weft_simlog** log, weft_simlog_stats* stats, char* line,
                               size_t capacity);

/// Prints the line on what was logged, and its JSON; the path may be null: nothing was.
void weft_cli_log_print(const char* path, const weft_simlog_stats* stats);
json_t* weft_cli_log_json(const char* path, const weft_simlog_stats* stats);

// module.c ---------------------------------------------------------------------------------------

/// A loaded simulation. `handle` is the shared object's, null for others.
typedef struct weft_cli_module {
    const weft_module* module;
    void* handle;
} weft_cli_module;

/// All modules by name: the caller's own, then the built-in ones. Free the array.
const weft_module** weft_cli_modules(const weft_cli* cli, size_t* count_out);

/// True if a module's name is the path of a shared object: if it could not be anything else.
bool weft_cli_module_is_path(const char* name);

/// Finds a module by name, or loads the shared object at a path. Status: BAD_MODULE, OUT_OF_MEMORY;
/// the exit code tells an unknown name (usage) from a bad file (failure).
weft_status weft_cli_module_open(const weft_cli* cli, const char* name, weft_cli_module* out,
                                 weft_exit* exit_out, char* line, size_t capacity);

void weft_cli_module_close(weft_cli_module* module);

/// The memory of a world.
typedef enum weft_cli_memory {
    WEFT_CLI_MEMORY_PLAIN = 0,
    WEFT_CLI_MEMORY_ALIASED = 1, // Mapped twice, where that can be had.
    WEFT_CLI_MEMORY_SHARED = 2,  // The same for worker processes, which cannot do without.
    WEFT_CLI_MEMORY_APART = 3,   // The same with columns on pages of their own.
} weft_cli_memory;

/// What a guard and an executor need.
weft_cli_memory weft_cli_memory_for(weft_guard guard, weft_executor_kind kind);

/// Makes a module's world and schedule, committed and built. On failure both may be set, for
/// weft_cli_error(); the caller destroys them.
weft_status weft_cli_world_make(const weft_module* module, const weft_module_options* options,
                                weft_cli_memory memory, weft_world** world_out,
                                weft_schedule** schedule_out);

/// The same without the commit, which an executor then does with all its workers. What is given in
/// place of plain memory may be null.
weft_status weft_cli_world_build(const weft_module* module, const weft_module_options* options,
                                 weft_cli_memory memory, const weft_memory* given,
                                 weft_world** world_out, weft_schedule** schedule_out);

/// The description that a module's worlds are made with.
weft_world_desc weft_cli_world_desc(const weft_module* module, const weft_module_options* options);

/// What follows the seed in a line for people: ", float_pinned_32"; nothing for fixed point.
const char* weft_cli_math_note(weft_math_backend math);

/// The line of whoever failed: the world, else the schedule, else the status. Never null.
const char* weft_cli_error(weft_status status, const weft_world* world,
                           const weft_schedule* schedule);

/// The module named on the command line (or the caller's only one) and the sizes of the run, with
/// the module's defaults filled in. On failure prints and returns the exit code.
weft_exit weft_cli_prepare(const weft_cli* cli, const char* command, weft_cli_options* options,
                           weft_cli_module* module_out);

// topology_open.c --------------------------------------------------------------------------------

/// The machine of --machine, else this one, with the quota of --quota. Says why it cannot be had.
weft_exit weft_cli_topology_open(const weft_cli_options* options, weft_topology** topology_out);

// guard_print.c ----------------------------------------------------------------------------------

/// Prints the screen on what a guard found.
void weft_cli_guard_print(const weft_guard_report* report);

/// The guard, and what it found if anything; the report may be null.
json_t* weft_cli_guard_json(weft_guard guard, const weft_guard_report* report);

// draw.c -----------------------------------------------------------------------------------------

/// A seed that nobody has used before, as far as a clock can tell.
uint64_t weft_cli_draw_new_seed(void);

/// The seed of draw number `draw`.
uint64_t weft_cli_draw_seed(uint64_t perturb_seed, uint64_t draw);

/// The configuration that a draw's seed stands for. Under a guard that watches one worker at a time
/// it is virtual.
weft_executor_desc weft_cli_draw_config(uint64_t draw_seed, bool no_pin, weft_guard guard);

/// What is drawn, in words: "threads, 8 workers, by system, grain 2, unpinned, delayed".
#define WEFT_CLI_DRAW_SIZE 160u
void weft_cli_draw_text(const weft_executor_desc* config, char text[WEFT_CLI_DRAW_SIZE]);

// persist.c --------------------------------------------------------------------------------------

/// What a run keeps in files.
typedef struct weft_cli_persist {
    const weft_cli_options* options;
    weft_simlog* log; // Gets the ticks that are run again; null: none.
    weft_journal* journal;
    const char* journal_path;
    weft_identity_pair pairs[4]; // Of the run: simulation, size, build.
    char entities[24];
    uint64_t saved_tick; // Of the last snapshot,
    bool saved;          // if there is one.
} weft_cli_persist;

/// False, with a line for people, where the options contradict each other.
bool weft_cli_persist_check(const weft_cli_options* options, char* line, size_t capacity);

/// Goes on where the options say, if they do, and starts the journal. Afterwards the world is at
/// the first tick to run. Where it fails, the world's error has the line.
weft_status weft_cli_persist_open(weft_cli_persist* persist, const weft_module* module,
                                  const weft_module_options* sizes, const weft_cli_options* options,
                                  weft_world* world, weft_schedule* schedule,
                                  weft_executor* executor);

/// Runs one tick, and what follows it.
weft_status weft_cli_persist_tick(weft_cli_persist* persist, weft_world* world,
                                  weft_executor* executor);

/// Saves the world after a tick that workers died of: to where --snapshot says, else to
/// MODULE-crash-TICK.snapshot in the working folder. `path` or, on failure, `line` is filled.
weft_status weft_cli_persist_rescue(weft_cli_persist* persist, weft_world* world,
                                    weft_executor* executor, char* path, size_t path_capacity,
                                    char* line, size_t capacity);

/// Writes what is to be written after the last tick and closes everything; allowed where nothing
/// was opened. `line` is filled on failure.
weft_status weft_cli_persist_close(weft_cli_persist* persist, weft_world* world,
                                   weft_executor* executor, bool failed, char* line,
                                   size_t capacity);

/// Loads a snapshot of a simulation of this size. Where it fails, the world's error has the line.
weft_status weft_cli_persist_load(const weft_cli_options* options, const weft_module* module,
                                  uint64_t entity_count, weft_world* world, const char* path);

/// What a run says of itself in files, and what its journal must say.
void weft_cli_persist_identify(weft_cli_persist* persist, const weft_module* module,
                               uint64_t entity_count);

// hashes.c ---------------------------------------------------------------------------------------

/// What a hash file is about.
typedef struct weft_cli_identity {
    char version[32]; // Of the library that wrote it.
    char module[64];
    uint64_t entity_count;
    uint64_t seed;
    uint64_t schema_hash;
    uint64_t schedule_hash;
    weft_math_backend math;
} weft_cli_identity;

/// A hash file in memory: digests of tick 0 to digest_count - 1.
typedef struct weft_cli_hashes {
    weft_cli_identity identity;
    weft_verify_digests* digests;
    uint64_t digest_count;
    uint64_t capacity;
} weft_cli_hashes;

/// Appends one tick's digests. Status: OUT_OF_MEMORY.
weft_status weft_cli_hashes_add(weft_cli_hashes* hashes, weft_verify_digests digests);

/// Writes a hash file: to a temporary file beside it, synced, then renamed. Status: FILE_ERROR.
weft_status weft_cli_hashes_write(const char* path, const weft_cli_hashes* hashes, char* line,
                                  size_t capacity);

/// Reads a hash file, strictly. Status: FILE_ERROR, BAD_FORMAT, OUT_OF_MEMORY.
weft_status weft_cli_hashes_read(const char* path, weft_cli_hashes* out, char* line,
                                 size_t capacity);

/// Compares who made a file with who is about to use it. Status: IDENTITY_MISMATCH.
weft_status weft_cli_hashes_match(const char* path, const weft_cli_hashes* hashes,
                                  const weft_cli_identity* identity, char* line, size_t capacity);

void weft_cli_hashes_deinit(weft_cli_hashes* hashes);

// file_write.c ---------------------------------------------------------------------------------

/// A file that is being written: to a temporary one beside it.
typedef struct weft_cli_file {
    const char* path;
    const char* what; // What the line for people calls it.
    char* temporary;
    FILE* stream;
} weft_cli_file;

/// Begins it. Status: FILE_ERROR, and nothing is begun.
weft_status weft_cli_file_begin(weft_cli_file* file, const char* path, const char* what, char* line,
                                size_t capacity);

/// Syncs and renames it, if all went well; also after a failed begin, when it does nothing. Status:
/// FILE_ERROR, and there is no file.
weft_status weft_cli_file_end(weft_cli_file* file, char* line, size_t capacity);

/// Forgets it.
void weft_cli_file_drop(weft_cli_file* file);

/// Prints to a file what is in `context`.
typedef void weft_cli_print_fn(FILE* file, const void* context);

/// Writes a file: to a temporary one beside it, synced, then renamed. `what` is what the line for
/// people calls it. Status: FILE_ERROR.
weft_status weft_cli_file_write(const char* path, const char* what, weft_cli_print_fn* print,
                                const void* context, char* line, size_t capacity);

/// Reads a whole regular file; `*bytes_out` is to be freed, and has a byte behind its end. False
/// with errno set.
bool weft_cli_file_read(const char* path, char** bytes_out, size_t* size_out);

// child.c ----------------------------------------------------------------------------------------

/// Another program, which gets a text and gives bytes.
typedef struct weft_cli_child {
    const char* name;       // In lines for people: "graphviz".
    const char* package;    // Of Debian.
    char* const* arguments; // The first is the program; null behind the last.
    const char* input;
} weft_cli_child;

/// Runs it, for a minute at most; free the bytes, which have a zero behind their end. Status:
/// UNSUPPORTED where it cannot be started, OS, OUT_OF_MEMORY; the line says why.
weft_status weft_cli_child_run(const weft_cli_child* child, char** bytes_out, size_t* size_out,
                               char* line, size_t capacity);

// bundle.c ---------------------------------------------------------------------------------------

/// Sections of a bundle, in the order in which they lie there. Numbers enter files.
typedef enum weft_cli_section {
    WEFT_CLI_SECTION_IDENTITY = 1,    // JSON: module, sizes, hashes, tick.
    WEFT_CLI_SECTION_EXECUTOR = 2,    // JSON: the suspect's configuration.
    WEFT_CLI_SECTION_STATE = 3,       // Encoded state before the tick; of a record, after it.
    WEFT_CLI_SECTION_INPUTS = 4,      // Of the tick.
    WEFT_CLI_SECTION_PLAN = 5,        // Text: systems by stage.
    WEFT_CLI_SECTION_ENVIRONMENT = 6, // JSON: build and machine.
    WEFT_CLI_SECTION_FINDING = 7,     // JSON: digests, place, write before.
    WEFT_CLI_SECTION_OUTPUTS = 8,     // Of a record: what each task of the tick gave.
    WEFT_CLI_SECTION_COUNT = 9,
} weft_cli_section;

/// Sections in memory; one that is not there has no bytes.
typedef struct weft_cli_bundle {
    const void* bytes[WEFT_CLI_SECTION_COUNT];
    size_t sizes[WEFT_CLI_SECTION_COUNT];
    char* file; // What was read, if it was.
} weft_cli_bundle;

/// True if a file looks like a bundle, or its name says so.
bool weft_cli_bundle_is(const char* path);

/// Writes a bundle: to a temporary file beside it, synced, then renamed. Status: FILE_ERROR.
weft_status weft_cli_bundle_write(const char* path, const weft_cli_bundle* bundle, char* line,
                                  size_t capacity);

/// Reads a bundle, strictly: every bit counts. Status: FILE_ERROR, BAD_FORMAT.
weft_status weft_cli_bundle_read(const char* path, weft_cli_bundle* out, char* line,
                                 size_t capacity);

void weft_cli_bundle_deinit(weft_cli_bundle* bundle);

// progress.c -------------------------------------------------------------------------------------

/// Progress on standard error: only on a terminal, only after two seconds.
typedef struct weft_cli_progress {
    bool enabled;
    bool shown;
    double started_s;
    double drawn_s;
} weft_cli_progress;

/// Seconds of a clock that never goes back.
double weft_cli_clock(void);

weft_cli_progress weft_cli_progress_start(bool quiet);

/// Draws "what done of total". Cheap when it is not yet time.
void weft_cli_progress_draw(weft_cli_progress* progress, const char* what, uint64_t done,
                            uint64_t total);

/// Wipes the line.
void weft_cli_progress_end(weft_cli_progress* progress);

/// From now on the first SIGINT is noted, the second one kills. Returns what to restore.
struct sigaction weft_cli_interrupt_catch(void);
void weft_cli_interrupt_release(const struct sigaction* before);
bool weft_cli_interrupted(void);

// report.c ---------------------------------------------------------------------------------------

/// Text table: cells are copied, columns are as wide as they need.
#define WEFT_CLI_COLUMNS_MAX 12u

typedef struct weft_cli_table {
    const char* alignment; // One character per column: 'l' or 'r'.
    size_t column_count;
    char** cells;
    size_t cell_count;
    size_t capacity;
    bool failed; // No memory: printing says so.
} weft_cli_table;

weft_cli_table weft_cli_table_create(const char* alignment);

/// Adds one cell; rows fill from left to right.
void weft_cli_table_add(weft_cli_table* table, const char* format, ...) WEFT_PRINTF(2, 3);

/// Prints the table, its first row as the head, and destroys it.
void weft_cli_table_print(weft_cli_table* table, FILE* file);

/// Destroys a table that is not printed.
void weft_cli_table_destroy(weft_cli_table* table);

/// A number in groups of three: "1,234,567".
#define WEFT_CLI_NUMBER_SIZE 32u
const char* weft_cli_number(uint64_t number, char text[WEFT_CLI_NUMBER_SIZE]);

/// Seconds for people: "4.2 ms", "12.3 s", "3 min 20 s".
const char* weft_cli_seconds(double seconds, char text[WEFT_CLI_NUMBER_SIZE]);

/// JSON values. A 64-bit number that JSON readers may round goes as text.
json_t* weft_cli_json_digest(weft_digest digest);
json_t* weft_cli_json_hex(uint64_t number);

/// Prints a value with a line end and releases it. False when there was no memory for it.
bool weft_cli_json_print(json_t* value);

/// Prints "weft: ..." as one line on standard error.
void weft_cli_complain(const char* format, ...) WEFT_PRINTF(1, 2);

/// Prints `text` as one word of a shell command.
void weft_cli_shell_print(FILE* file, const char* text);

// crash_print.c
/// Prints why a run with worker processes has ended.
void weft_cli_crash_print(const weft_crash_report* report);
/// The last death of a worker as an object; null if nobody has died.
json_t* weft_cli_crash_json(const weft_crash_report* report);

// weft.c -----------------------------------------------------------------------------------------

/// A command of the program.
typedef struct weft_cli_row {
    const char* name; // One word or two.
    weft_cli_command command;
    weft_exit (*run)(const weft_cli* cli, int argc, char** argv);
    const char* summary;
} weft_cli_row;

/// All commands. Of two words, the first is a command too and stands before.
const weft_cli_row* weft_cli_rows(size_t* count_out);

/// The last part of a path, for usage lines.
const char* weft_cli_path_name(const char* path);

// cmd_*.c ----------------------------------------------------------------------------------------

weft_exit weft_cli_run(const weft_cli* cli, int argc, char** argv);
weft_exit weft_cli_replay(const weft_cli* cli, int argc, char** argv);
weft_exit weft_cli_verify(const weft_cli* cli, int argc, char** argv);
weft_exit weft_cli_bench(const weft_cli* cli, int argc, char** argv);
weft_exit weft_cli_compare(const weft_cli* cli, int argc, char** argv);
weft_exit weft_cli_runs(const weft_cli* cli, int argc, char** argv);
weft_exit weft_cli_lint(const weft_cli* cli, int argc, char** argv);
weft_exit weft_cli_selftest(const weft_cli* cli, int argc, char** argv);
weft_exit weft_cli_graph(const weft_cli* cli, int argc, char** argv);
weft_exit weft_cli_topo(const weft_cli* cli, int argc, char** argv);
weft_exit weft_cli_forecast(const weft_cli* cli, int argc, char** argv);
weft_exit weft_cli_tune(const weft_cli* cli, int argc, char** argv);
weft_exit weft_cli_bisect(const weft_cli* cli, int argc, char** argv);
weft_exit weft_cli_report(const weft_cli* cli, int argc, char** argv);
weft_exit weft_cli_export(const weft_cli* cli, int argc, char** argv);
weft_exit weft_cli_list(const weft_cli* cli, int argc, char** argv);
weft_exit weft_cli_completion(const weft_cli* cli, int argc, char** argv);

/// The name of a fault of selftest; null from their number on.
const char* weft_cli_selftest_fault(size_t index);
