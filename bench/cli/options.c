// One table of options for all commands; each row says which commands take it.

#define _GNU_SOURCE // reallocarray

#include "option_values.h"

#include <stdlib.h>
#include <string.h>

enum {
    KEY_ENTITIES = 256,
    KEY_TICKS,
    KEY_SEED,
    KEY_EXECUTOR,
    KEY_WORKERS,
    KEY_SCHEDULE_SEED,
    KEY_CONFIGS,
    KEY_SEEDS,
    KEY_AGAINST,
    KEY_HASHES,
    KEY_DIGEST_CHECK,
    KEY_CHECK,
    KEY_PERTURB,
    KEY_PERTURB_SEED,
    KEY_PERTURB_DRAW,
    KEY_TIME,
    KEY_JSON,
    KEY_NO_PIN,
    KEY_PLACEMENT,
    KEY_CPUS,
    KEY_INTERLEAVE,
    KEY_LAYOUT,
    KEY_MACHINE,
    KEY_QUOTA,
    KEY_SVG,
    KEY_WORKER_COUNTS,
    KEY_SPEED,
    KEY_SMT,
    KEY_BANDWIDTH,
    KEY_DIGEST,
    KEY_SWEEP,
    KEY_GUARD,
    KEY_ROLLBACK,
    KEY_IMAGES,
    KEY_RETRIES,
    KEY_STUCK,
    KEY_QUICK,
    KEY_SUITE,
    KEY_SAVE,
    KEY_THRESHOLD,
    KEY_ALL,
    KEY_FLOAT,
    KEY_PURE,
    KEY_WITHOUT,
    KEY_OBJECT,
    KEY_FLAG,
    KEY_SARIF,
    KEY_LIST_RULES,
    KEY_LIST,
    KEY_FORMAT,
    KEY_ALL_EDGES,
    KEY_OVERLAPS,
    KEY_WHY,
    KEY_DENY,
    KEY_DENY_AMBIGUOUS,
    KEY_BUNDLE,
    KEY_BUILDS,
    KEY_RECORD,
    KEY_LOG,
    KEY_LOG_POLICY,
    KEY_TABLE,
    KEY_JOURNAL,
    KEY_FSYNC,
    KEY_SNAPSHOT,
    KEY_SNAPSHOT_EVERY,
    KEY_COMPRESS,
    KEY_RESUME,
    KEY_FROM,
    KEY_TO,
    KEY_DIFF,
    KEY_RATE,
    KEY_AUDIT,
    KEY_LATE,
    KEY_TRACE,
    KEY_TRACE_TICKS,
    KEY_PLOT,
    KEY_MODULE,
    KEY_TITLE,
    KEY_OUTPUT = 'o',
    KEY_QUIET = 'q',
};

#define ALL                                                                                        \
    (WEFT_CLI_RUN | WEFT_CLI_VERIFY | WEFT_CLI_BENCH | WEFT_CLI_LIST | WEFT_CLI_LINT |             \
     WEFT_CLI_GRAPH | WEFT_CLI_BISECT | WEFT_CLI_SELFTEST | WEFT_CLI_REPLAY | WEFT_CLI_EXPORT |    \
     WEFT_CLI_TOPO | WEFT_CLI_FORECAST | WEFT_CLI_TUNE)
#define COMPARES (WEFT_CLI_VERIFY | WEFT_CLI_BISECT)
#define KEPT (WEFT_CLI_COMPARE | WEFT_CLI_RUNS)
#define SIMULATES (WEFT_CLI_RUN | COMPARES)
#define EXECUTES (SIMULATES | WEFT_CLI_REPLAY)
#define SIZED (SIMULATES | WEFT_CLI_BENCH)

/// An option and the commands that have it.
typedef struct option_row {
    unsigned commands;
    struct argp_option option;
} option_row;

static const option_row option_rows[] = {
    {SIZED | WEFT_CLI_GRAPH | WEFT_CLI_EXPORT | WEFT_CLI_TOPO | WEFT_CLI_FORECAST | WEFT_CLI_TUNE |
         WEFT_CLI_REPORT,
     {"entities", KEY_ENTITIES, "N", 0, "Size of the simulation: 250000, 10k, 1M, 1e6", 1}},
    {SIZED, {"ticks", KEY_TICKS, "N", 0, "Ticks to run, written like --entities", 1}},
    {WEFT_CLI_FORECAST | WEFT_CLI_TUNE,
     {"ticks", KEY_TICKS, "N", 0, "Ticks to measure for a forecast (default: 24)", 1}},
    {SIZED | WEFT_CLI_GRAPH | WEFT_CLI_EXPORT | WEFT_CLI_FORECAST | WEFT_CLI_TUNE | WEFT_CLI_REPORT,
     {"seed", KEY_SEED, "N", 0, "Seed of every random draw, 64 bits, or 0x...", 1}},
    {EXECUTES,
     {"executor", KEY_EXECUTOR, "KIND[:N]", 0,
      "Who runs the systems: serial, virtual:3, threads:8, "
      "processes:4",
      2}},
    {WEFT_CLI_TUNE,
     {"executor", KEY_EXECUTOR, "KIND[:N]", 0,
      "What is to be beaten: threads, or processes, which are tuned on their own (default: "
      "threads)",
      2}},
    {SIZED | WEFT_CLI_REPLAY | WEFT_CLI_TOPO,
     {"workers", KEY_WORKERS, "N", 0, "Workers of the executor (default: what the machine has)",
      2}},
    {EXECUTES,
     {"schedule-seed", KEY_SCHEDULE_SEED, "N", 0,
      "Seed from which virtual draws its schedule and placement", 2}},
    {EXECUTES,
     {"sweep", KEY_SWEEP, "ORDER", 0, "Order inside a stage: auto, chunk, system (default: auto)",
      2}},
    {SIMULATES,
     {"guard", KEY_GUARD, "GUARD", 0,
      "Watch what systems touch: none, alias, hash, twin, trap (default: verify alias, run none)",
      2}},
    {WEFT_CLI_RUN,
     {"rollback", KEY_ROLLBACK, "K", OPTION_ARG_OPTIONAL,
      "Keep states to go back to when a tick fails: every K ticks, or as often as takes 2%", 2}},
    {WEFT_CLI_RUN,
     {"images", KEY_IMAGES, "K", 0,
      "With processes: keep an image to come back from every K ticks; 0: none (default: as often "
      "as "
      "takes 2%)",
      2}},
    {WEFT_CLI_RUN,
     {"retries", KEY_RETRIES, "N", 0,
      "With processes: run a tick again up to N times when a worker dies (default: 1)", 2}},
    {WEFT_CLI_RUN,
     {"stuck", KEY_STUCK, "TIME", 0,
      "With processes: kill a worker that does not go on for so long: 500ms, 30s, 0: never "
      "(default: 30s)",
      2}},
    {EXECUTES | WEFT_CLI_TOPO | WEFT_CLI_FORECAST,
     {"placement", KEY_PLACEMENT, "POLICY", 0,
      "CPUs of the workers: spread (the default), compact, per-node", 2}},
    {EXECUTES | WEFT_CLI_TOPO | WEFT_CLI_FORECAST | WEFT_CLI_TUNE,
     {"cpus", KEY_CPUS, "LIST", 0, "CPUs of the workers, in this order: 0,2,4-7", 2}},
    {WEFT_CLI_RUN,
     {"interleave", KEY_INTERLEAVE, NULL, 0,
      "Memory in turn on all NUMA nodes, not where it is first touched", 2}},
    {EXECUTES,
     {"layout", KEY_LAYOUT, "FILE", 0,
      "Run as `weft tune` found best; what else is said here comes first", 2}},
    {WEFT_CLI_TOPO | WEFT_CLI_FORECAST | WEFT_CLI_TUNE,
     {"machine", KEY_MACHINE, "MACHINE", 0,
      "Another machine: an XML file of hwloc, or 'synthetic:package:2 core:8 pu:2'", 1}},
    {WEFT_CLI_FORECAST,
     {"workers", KEY_WORKER_COUNTS, "LIST", 0,
      "Numbers of workers: 1..128 or 1,2,4..8 (default: 1, 2, 4, ... and what the machine has)",
      2}},
    {WEFT_CLI_TUNE,
     {"workers", KEY_WORKER_COUNTS, "N|LIST", 0,
      "Try no more workers; with --machine, numbers of workers: 1..128 or 1,2,4..8", 2}},
    {WEFT_CLI_FORECAST | WEFT_CLI_TUNE,
     {"speed", KEY_SPEED, "X", 0, "Its cores are so many times as fast as those here (default: 1)",
      1}},
    {WEFT_CLI_FORECAST | WEFT_CLI_TUNE,
     {"smt", KEY_SMT, "X", 0, "A core with two busy CPUs does X of one (default: 1, no gain)", 1}},
    {WEFT_CLI_FORECAST | WEFT_CLI_TUNE,
     {"bandwidth", KEY_BANDWIDTH, "GB/S", 0,
      "Memory bandwidth of each of its NUMA nodes (default: that of all cores here)", 1}},
    {WEFT_CLI_FORECAST | WEFT_CLI_TUNE,
     {"digest", KEY_DIGEST, NULL, 0, "With the digest of every tick", 4}},
    {WEFT_CLI_TOPO | WEFT_CLI_FORECAST | WEFT_CLI_TUNE,
     {"quota", KEY_QUOTA, "CPUS", 0, "Reckon with this quota of CPU time: 1.5", 1}},
    {WEFT_CLI_TOPO, {"svg", KEY_SVG, "FILE", 0, "Draw a picture into a file", 3}},
    {EXECUTES, {"no-pin", KEY_NO_PIN, NULL, 0, "Do not pin workers to CPUs", 2}},
    {COMPARES,
     {"configs", KEY_CONFIGS, "LIST", 0, "Executors to compare: virtual:2,virtual:3,threads:8", 3}},
    {COMPARES,
     {"seeds", KEY_SEEDS, "N", 0, "Schedules to draw for each virtual executor (default: 20)", 3}},
    {WEFT_CLI_VERIFY,
     {"against", KEY_AGAINST, "FILE", 0, "Also compare the serial run with a hash file", 3}},
    {COMPARES,
     {"perturb", KEY_PERTURB, "N", 0,
      "Draw N configurations: executor, workers, grain, order, fusion, pinning, waiting, delays",
      3}},
    {COMPARES,
     {"perturb-seed", KEY_PERTURB_SEED, "N", 0,
      "Seed from which they are drawn (default: a new one, which is printed)", 3}},
    {COMPARES,
     {"perturb-draw", KEY_PERTURB_DRAW, "SEED", 0,
      "One draw again, as a finding prints it; with threads up to 20 times", 3}},
    {COMPARES,
     {"time", KEY_TIME, "TIME", 0, "Draw configurations until the time is up: 60s, 5m, 2h", 3}},
    {WEFT_CLI_TUNE, {"time", KEY_TIME, "TIME", 0, "Search so long: 60s, 5m (default: 60s)", 3}},
    {WEFT_CLI_TUNE,
     {"output", KEY_OUTPUT, "FILE", 0, "Write the layout to a file (default: layout.json)", 4}},
    {COMPARES,
     {"check", KEY_CHECK, "HOW", 0,
      "What to compare: root (digests, the default), sync (also each tick serially from its "
      "encoded state), heavy (also the output of every task)",
      3}},
    {WEFT_CLI_RUN | WEFT_CLI_VERIFY,
     {"hashes", KEY_HASHES, "FILE", 0, "Write the digests of every tick to a file", 4}},
    {WEFT_CLI_RUN,
     {"log", KEY_LOG, "FILE", 0, "Log the tables of every tick to a file, or go on with one", 4}},
    {WEFT_CLI_RUN,
     {"log-policy", KEY_LOG_POLICY, "POLICY", 0,
      "What a tick does when the disk is behind: block, drop, count (default: block)", 4}},
    {WEFT_CLI_RUN,
     {"trace", KEY_TRACE, "FILE", 0,
      "Write what each worker did and when to a file for ui.perfetto.dev or chrome://tracing", 4}},
    {WEFT_CLI_RUN,
     {"trace-ticks", KEY_TRACE_TICKS, "FROM:TO", 0,
      "Of these ticks alone: 100:120, 100:, :20 (default: all, as far as a file of 1 GiB goes)",
      4}},
    {SIMULATES,
     {"digest-check", KEY_DIGEST_CHECK, NULL, 0,
      "After every tick rehash the whole world and run the module's own check", 4}},
    {WEFT_CLI_BENCH | WEFT_CLI_TUNE,
     {"quick", KEY_QUICK, NULL, 0, "Tiny sizes and few samples: to test the measurement", 4}},
    {WEFT_CLI_BENCH,
     {"suite", KEY_SUITE, NULL, 0, "Every measurement in order, as without a name", 3}},
    {WEFT_CLI_BENCH,
     {"save", KEY_SAVE, "FILE", 0, "Add the run to a file of results, made when there is none", 4}},
    {WEFT_CLI_COMPARE,
     {"threshold", KEY_THRESHOLD, "PERCENT", 0,
      "Smaller differences are none: 0.5%, 5 (default: 2%)", 1}},
    {WEFT_CLI_LINT,
     {"all", KEY_ALL, NULL, 0, "Look at every function, not only at what systems reach", 1}},
    {WEFT_CLI_LINT,
     {"float", KEY_FLOAT, "PATTERN", OPTION_ARG_OPTIONAL,
      "Allow float32 everywhere, or in files whose paths match: --float='*/pinned*'", 1}},
    {WEFT_CLI_LINT,
     {"pure", KEY_PURE, "PATTERN", 0, "External functions that depend on their arguments alone",
      1}},
    {WEFT_CLI_LINT, {"without", KEY_WITHOUT, "RULE", 0, "Leave a rule out", 1}},
    {WEFT_CLI_LINT,
     {"compile-flag", KEY_FLAG, "FLAG", 0, "A flag for the compiler; those behind -- are too", 1}},
    {WEFT_CLI_LINT,
     {"object", KEY_OBJECT, NULL, 0, "The files are objects: look at their symbols", 1}},
    {WEFT_CLI_LINT, {"sarif", KEY_SARIF, NULL, 0, "Print the result as SARIF 2.1.0", 5}},
    {WEFT_CLI_LINT, {"list-rules", KEY_LIST_RULES, NULL, 0, "List the rules", 5}},
    {WEFT_CLI_SELFTEST, {"list", KEY_LIST, NULL, 0, "List the faults, and who must find them", 1}},
    {WEFT_CLI_SELFTEST,
     {"without", KEY_WITHOUT, "INSTRUMENT", 0,
      "Show this one no fault: the self-test must fail and say so", 1}},
    {WEFT_CLI_GRAPH,
     {"format", KEY_FORMAT, "FORMAT", 0, "text, json, dot or svg (default: by the file, or text)",
      2}},
    {WEFT_CLI_GRAPH, {"output", KEY_OUTPUT, "FILE", 0, "Write to a file", 2}},
    {WEFT_CLI_VERIFY,
     {"bundle", KEY_BUNDLE, "FILE", 0,
      "Bisect the difference that is shown, and write what replays it to a file", 4}},
    {WEFT_CLI_BISECT,
     {"output", KEY_OUTPUT, "FILE", 0, "Write what replays the difference to a file, a bundle", 4}},
    {WEFT_CLI_BISECT,
     {"builds", KEY_BUILDS, NULL, 0, "Compare two programs: `weft`, or programs linked with it",
      3}},
    {WEFT_CLI_RUN | WEFT_CLI_BISECT, // How two programs of weft speak with each other.
     {"record", KEY_RECORD, "FILE", OPTION_HIDDEN, "The last tick of a run", 4}},
    {WEFT_CLI_EXPORT,
     {"format", KEY_FORMAT, "FORMAT", 0, "csv, sqlite or npz (default: by the file, or csv)", 1}},
    {WEFT_CLI_EXPORT, {"output", KEY_OUTPUT, "FILE", 0, "Write to a file", 1}},
    {WEFT_CLI_EXPORT, {"table", KEY_TABLE, "NAME", 0, "Only this table; csv is one", 1}},
    {WEFT_CLI_EXPORT, {"list", KEY_LIST, NULL, 0, "Show tables, columns, rows and ticks", 1}},
    {WEFT_CLI_GRAPH, {"all-edges", KEY_ALL_EDGES, NULL, 0, "Show edges that others imply, too", 3}},
    {WEFT_CLI_GRAPH,
     {"overlaps", KEY_OVERLAPS, NULL, 0, "List the pairs that are not ordered, with the reason",
      3}},
    {WEFT_CLI_GRAPH,
     {"why", KEY_WHY, NULL, 0, "Say what orders two systems, or why they may overlap", 3}},
    {WEFT_CLI_GRAPH,
     {"deny", KEY_DENY, "LIST", 0,
      "Fail if there is one: ambiguous, double-writer, read-before-write, dead", 4}},
    {WEFT_CLI_GRAPH,
     {"deny-ambiguous", KEY_DENY_AMBIGUOUS, NULL, 0, "The same as --deny ambiguous", 4}},
    {WEFT_CLI_RUN, {"rate", KEY_RATE, "HZ", 0, "Run in real time, so many ticks a second", 2}},
    {WEFT_CLI_RUN,
     {"late", KEY_LATE, "HOW", 0, "Ticks that are late: catch-up (the default) or skip", 2}},
    {WEFT_CLI_RUN,
     {"audit", KEY_AUDIT, NULL, 0, "Also print BLAKE2b-256 of the state after the last tick", 4}},
    {WEFT_CLI_RUN,
     {"journal", KEY_JOURNAL, "FILE", 0, "Record the inputs and the digest of every tick", 4}},
    {WEFT_CLI_RUN,
     {"fsync", KEY_FSYNC, "WHEN", 0,
      "When the journal is made durable: tick, a number of ticks, none (default: at the end)", 4}},
    {WEFT_CLI_RUN,
     {"plot", KEY_PLOT, "NAME[,NAME]", 0,
      "Draw series by gnuplot into -o FILE: entities, TABLE or TABLE.COLUMN of --log", 4}},
    {WEFT_CLI_RUN, {"output", KEY_OUTPUT, "FILE", 0, "Picture of --plot: .png or .svg", 4}},
    {WEFT_CLI_REPORT, {"output", KEY_OUTPUT, "FILE", 0, "The page (default: report.html)", 1}},
    {WEFT_CLI_REPORT,
     {"module", KEY_MODULE, "WORKLOAD|MODULE.so", 0, "Also show the graph of this simulation", 1}},
    {WEFT_CLI_REPORT, {"title", KEY_TITLE, "TEXT", 0, "Title of the page", 1}},
    {WEFT_CLI_RUN | WEFT_CLI_REPLAY,
     {"snapshot", KEY_SNAPSHOT, "FILE", 0,
      "run: write the state after the last tick; replay: start there (may be given several times)",
      4}},
    {WEFT_CLI_RUN, {"snapshot-every", KEY_SNAPSHOT_EVERY, "N", 0, "Also after every N ticks", 4}},
    {WEFT_CLI_RUN, {"compress", KEY_COMPRESS, NULL, 0, "Compress snapshots and logs", 4}},
    {WEFT_CLI_RUN,
     {"resume", KEY_RESUME, "FILE", 0, "Go on from a snapshot, or from the end of a journal", 4}},
    {WEFT_CLI_REPLAY,
     {"from", KEY_FROM, "TICK", 0, "Start at the latest snapshot that is not after it", 3}},
    {WEFT_CLI_REPLAY, {"to", KEY_TO, "TICK", 0, "Stop after it", 3}},
    {WEFT_CLI_REPLAY, {"diff", KEY_DIFF, NULL, 0, "Say where two journals part", 3}},
    {ALL | KEPT, {"json", KEY_JSON, NULL, 0, "Print the result as JSON", 5}},
    {ALL, {"quiet", KEY_QUIET, NULL, 0, "Show no progress", 5}},
};

#define OPTION_COUNT (sizeof option_rows / sizeof option_rows[0])

/// What an option may be, where that is one of a few words. Parsing decides; a test of the program
/// gives it each word.
static const struct {
    unsigned commands;
    int key;
    const char* values;
} value_rows[] = {
    {EXECUTES, KEY_EXECUTOR, "serial virtual threads processes"},
    {WEFT_CLI_TUNE, KEY_EXECUTOR, "threads processes"},
    {EXECUTES, KEY_SWEEP, "auto chunk system"},
    {SIMULATES, KEY_GUARD, "none alias hash twin trap"},
    {COMPARES, KEY_CHECK, "root sync heavy"},
    {WEFT_CLI_RUN, KEY_LOG_POLICY, "block drop count"},
    {WEFT_CLI_RUN, KEY_LATE, "catch-up skip"},
    {WEFT_CLI_RUN, KEY_FSYNC, "tick none"},
    {WEFT_CLI_GRAPH, KEY_FORMAT, "text json dot svg"},
    {WEFT_CLI_GRAPH, KEY_DENY, "ambiguous double-writer read-before-write dead"},
    {WEFT_CLI_EXPORT, KEY_FORMAT, "csv sqlite npz"},
};

bool weft_cli_option_next(weft_cli_command command, size_t* at, weft_cli_option* out) {
    const struct argp_option* option = NULL;
    for (; *at < OPTION_COUNT && option == NULL; ++*at) {
        const option_row* row = &option_rows[*at];
        if ((row->commands & (unsigned)command) && !(row->option.flags & OPTION_HIDDEN))
            option = &row->option;
    }
    if (option == NULL)
        return false;
    *out = (weft_cli_option){.name = option->name,
                             .letter = option->key < 256 ? (char)option->key : '\0',
                             .argument = option->arg,
                             .argument_optional = (option->flags & OPTION_ARG_OPTIONAL) != 0,
                             .text = option->doc};
    for (size_t i = 0; i < sizeof value_rows / sizeof value_rows[0]; i++) {
        if ((value_rows[i].commands & (unsigned)command) && value_rows[i].key == option->key)
            out->values = value_rows[i].values;
    }
    return true;
}

// Parsing ----------------------------------------------------------------------------------------

/// What is for worker processes.
static error_t parse_process(int key, const char* text, struct argp_state* state) {
    weft_cli_options* options = state->input;
    switch (key) {
    case KEY_IMAGES:
        options->image_ticks = option_number(state, "images", text, "number of ticks");
        options->has_images = true;
        return 0;
    case KEY_RETRIES:
        options->retries = option_number(state, "retries", text, "whole number");
        options->has_retries = true;
        return 0;
    case KEY_STUCK:
        option_stuck(state, text, options);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse_option(int key, char* text, struct argp_state* state) {
    weft_cli_options* options = state->input;
    switch (key) {
    case KEY_IMAGES:
    case KEY_RETRIES:
    case KEY_STUCK:
        return parse_process(key, text, state);
    case KEY_ENTITIES:
        option_count(state, "entities", text, &options->has_entity_count, &options->entity_count);
        return 0;
    case KEY_TICKS:
        option_count(state, "ticks", text, &options->has_tick_count, &options->tick_count);
        return 0;
    case KEY_SEED:
        option_u64(state, "seed", text, &options->has_seed, &options->seed);
        return 0;
    case KEY_SCHEDULE_SEED:
        option_u64(state, "schedule-seed", text, &options->has_schedule_seed,
                   &options->schedule_seed);
        return 0;
    case KEY_SWEEP:
        option_sweep(state, text, options);
        return 0;
    case KEY_GUARD:
        option_guard(state, text, options);
        return 0;
    case KEY_ROLLBACK:
        options->rollback_ticks =
            text == NULL ? 0 : option_small(state, "rollback", text, UINT32_MAX);
        options->has_rollback = true;
        return 0;
    case KEY_SEEDS:
        options->seed_count = option_small(state, "seeds", text, WEFT_CLI_SEEDS_MAX);
        options->has_seed_count = true;
        return 0;
    case KEY_WORKERS:
        options->worker_count = option_small(state, "workers", text, WEFT_CLI_WORKERS_MAX);
        return 0;
    case KEY_EXECUTOR:
        option_executor(state, text);
        options->executor = text;
        return 0;
    case ARGP_KEY_ARG:
        options->names[options->name_count++] = text;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void list_add(const char*** list, size_t* count, const char* text) {
    const char** grown = reallocarray(*list, *count + 1, sizeof(**list));
    WEFT_ASSERT(grown != NULL);
    *list = grown;
    grown[(*count)++] = text;
}

void weft_cli_options_flag(weft_cli_options* options, const char* flag) {
    list_add(&options->flags, &options->flag_count, flag);
}

static error_t parse_bench(int key, char* text, struct argp_state* state) {
    weft_cli_options* options = state->input;
    switch (key) {
    case KEY_QUICK:
        options->quick = true;
        return 0;
    case KEY_SUITE:
        options->suite = true;
        return 0;
    case KEY_SAVE:
        options->save_path = text;
        return 0;
    case KEY_THRESHOLD:
        options->threshold = option_percent(state, "threshold", text);
        return 0;
    default:
        return parse_option(key, text, state);
    }
}

static error_t parse_lint(int key, char* text, struct argp_state* state) {
    weft_cli_options* options = state->input;
    switch (key) {
    case KEY_ALL:
        options->all = true;
        return 0;
    case KEY_FLOAT:
        if (text != NULL)
            list_add(&options->float_files, &options->float_file_count, text);
        else
            options->floats = true;
        return 0;
    case KEY_PURE:
        list_add(&options->pure, &options->pure_count, text);
        return 0;
    case KEY_WITHOUT:
        list_add(&options->without, &options->without_count, text);
        return 0;
    case KEY_FLAG:
        weft_cli_options_flag(options, text);
        return 0;
    case KEY_OBJECT:
        options->object = true;
        return 0;
    case KEY_SARIF:
        options->sarif = true;
        return 0;
    case KEY_LIST_RULES:
        options->list_rules = true;
        return 0;
    case KEY_LIST:
        options->list = true;
        return 0;
    default:
        return parse_bench(key, text, state);
    }
}

static error_t parse_graph(int key, char* text, struct argp_state* state) {
    weft_cli_options* options = state->input;
    switch (key) {
    case KEY_FORMAT:
        options->format = text;
        return 0;
    case KEY_OUTPUT:
        options->output_path = text;
        return 0;
    case KEY_ALL_EDGES:
        options->all_edges = true;
        return 0;
    case KEY_OVERLAPS:
        options->overlaps = true;
        return 0;
    case KEY_WHY:
        options->why = true;
        return 0;
    case KEY_DENY:
        list_add(&options->deny, &options->deny_count, text);
        return 0;
    case KEY_DENY_AMBIGUOUS:
        list_add(&options->deny, &options->deny_count, "ambiguous");
        return 0;
    case KEY_BUNDLE:
        options->bundle_path = text;
        return 0;
    case KEY_BUILDS:
        options->builds = true;
        return 0;
    case KEY_RECORD:
        options->record_path = text;
        return 0;
    default:
        return parse_lint(key, text, state);
    }
}

static error_t parse_log(int key, char* text, struct argp_state* state) {
    weft_cli_options* options = state->input;
    switch (key) {
    case KEY_LOG:
        options->log_path = text;
        return 0;
    case KEY_LOG_POLICY:
        if (!weft_cli_log_policy_parse(text, &options->log_policy))
            argp_error(state, "--log-policy: '%s' is not block, drop or count", text);
        options->has_log_policy = true;
        return 0;
    case KEY_TABLE:
        options->table = text;
        return 0;
    default:
        return parse_graph(key, text, state);
    }
}

static error_t parse_perturb(int key, char* text, struct argp_state* state) {
    weft_cli_options* options = state->input;
    switch (key) {
    case KEY_PERTURB:
        option_count(state, "perturb", text, &options->has_perturb_count, &options->perturb_count);
        if (options->perturb_count == 0)
            argp_error(state, "--perturb: draw at least one configuration");
        return 0;
    case KEY_PERTURB_SEED:
        option_u64(state, "perturb-seed", text, &options->has_perturb_seed, &options->perturb_seed);
        return 0;
    case KEY_PERTURB_DRAW:
        option_u64(state, "perturb-draw", text, &options->has_perturb_draw, &options->perturb_draw);
        return 0;
    case KEY_TIME:
        option_time(state, text, options);
        return 0;
    case KEY_CHECK:
        option_depth(state, text, options);
        return 0;
    default:
        return parse_log(key, text, state);
    }
}

static error_t parse_persist(int key, char* text, struct argp_state* state) {
    weft_cli_options* options = state->input;
    switch (key) {
    case KEY_JOURNAL:
        options->journal_path = text;
        return 0;
    case KEY_FSYNC:
        options->sync_ticks = option_fsync(state, text);
        options->has_fsync = true;
        return 0;
    case KEY_SNAPSHOT:
        list_add(&options->snapshots, &options->snapshot_count, text);
        return 0;
    case KEY_SNAPSHOT_EVERY:
        option_count(state, "snapshot-every", text, &options->has_snapshot_every,
                     &options->snapshot_every);
        return 0;
    case KEY_COMPRESS:
        options->compress = true;
        return 0;
    case KEY_RESUME:
        options->resume_path = text;
        return 0;
    case KEY_FROM:
        option_count(state, "from", text, &options->has_from, &options->from);
        return 0;
    case KEY_TO:
        option_count(state, "to", text, &options->has_to, &options->to);
        return 0;
    case KEY_DIFF:
        options->diff = true;
        return 0;
    case KEY_AUDIT:
        options->audit = true;
        return 0;
    case KEY_RATE:
        options->rate = option_small(state, "rate", text, WEFT_CLOCK_RATE_MAX);
        return 0;
    case KEY_LATE:
        if (strcmp(text, "catch-up") != 0 && strcmp(text, "skip") != 0)
            argp_error(state, "--late: '%s' is not catch-up or skip", text);
        options->skip_late = text[0] == 's';
        return 0;
    default:
        return parse_perturb(key, text, state);
    }
}

static error_t parse_trace(int key, char* text, struct argp_state* state) {
    weft_cli_options* options = state->input;
    switch (key) {
    case KEY_TRACE:
        options->trace_path = text;
        return 0;
    case KEY_TRACE_TICKS:
        option_trace_ticks(state, text, options);
        return 0;
    default:
        return parse_persist(key, text, state);
    }
}

static error_t parse_forecast(int key, char* text, struct argp_state* state) {
    weft_cli_options* options = state->input;
    switch (key) {
    case KEY_WORKER_COUNTS:
        options->worker_counts = text;
        return 0;
    case KEY_SPEED:
        options->speed = option_factor(state, "speed", text, 0.01, 100);
        return 0;
    case KEY_SMT:
        options->smt = option_factor(state, "smt", text, 1, 8);
        return 0;
    case KEY_BANDWIDTH:
        options->bandwidth = option_factor(state, "bandwidth", text, 0.1, 100000);
        return 0;
    case KEY_DIGEST:
        options->digest = true;
        return 0;
    default:
        return parse_trace(key, text, state);
    }
}

static error_t parse_place(int key, char* text, struct argp_state* state) {
    weft_cli_options* options = state->input;
    switch (key) {
    case KEY_PLACEMENT:
    case KEY_CPUS:
        if (options->has_placement && (options->cpus != NULL) != (key == KEY_CPUS))
            argp_error(state, "--placement and --cpus exclude each other");
        options->has_placement = true;
        if (key == KEY_CPUS)
            option_cpus(state, text, options);
        else if (!weft_cli_placement_parse(text, &options->placement.policy))
            argp_error(state, "--placement: '%s' is not spread, compact or per-node", text);
        return 0;
    case KEY_NO_PIN:
        options->no_pin = true;
        return 0;
    case KEY_INTERLEAVE:
        options->interleave = true;
        return 0;
    case KEY_LAYOUT:
        options->layout_path = text;
        return 0;
    case KEY_MACHINE:
        options->machine = text;
        return 0;
    case KEY_QUOTA:
        if (!weft_cli_quota_parse(text, &options->quota_milli_cpus))
            argp_error(state, "--quota: '%s' is not a number of CPUs; write 1.5", text);
        return 0;
    case KEY_SVG:
        options->svg_path = text;
        return 0;
    case ARGP_KEY_END:
        if (options->interleave && options->guard != WEFT_GUARD_NONE)
            argp_error(state, "--interleave and --guard want different memory");
        if (options->no_pin && options->has_placement)
            argp_error(state, "--no-pin leaves no room for --placement or --cpus");
        return 0;
    default:
        return parse_forecast(key, text, state);
    }
}

static error_t parse_report(int key, char* text, struct argp_state* state) {
    weft_cli_options* options = state->input;
    switch (key) {
    case KEY_PLOT:
        options->plot = text;
        return 0;
    case KEY_MODULE:
        options->module = text;
        return 0;
    case KEY_TITLE:
        options->title = text;
        return 0;
    default:
        return parse_place(key, text, state);
    }
}

/// Options that are kept as they are.
static error_t parse_plain(int key, char* text, struct argp_state* state) {
    weft_cli_options* options = state->input;
    switch (key) {
    case KEY_CONFIGS:
        options->configs = text;
        return 0;
    case KEY_AGAINST:
        options->against_path = text;
        return 0;
    case KEY_HASHES:
        options->hashes_path = text;
        return 0;
    case KEY_DIGEST_CHECK:
        options->digest_check = true;
        return 0;
    case KEY_JSON:
        options->json = true;
        return 0;
    case KEY_QUIET:
        options->quiet = true;
        return 0;
    default:
        return parse_report(key, text, state);
    }
}

void weft_cli_options_parse(weft_cli_command command, int argc, char** argv,
                            weft_cli_options* options) {
    struct argp_option rows[OPTION_COUNT + 1] = {0};
    size_t count = 0;
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        if (option_rows[i].commands & (unsigned)command)
            rows[count++] = option_rows[i].option;
    }
    const weft_cli_help* help = weft_cli_help_of(command);
    struct argp argp = {// An empty list is lost by some versions of the library.
                        .options = count > 0 ? rows : NULL,
                        .parser = parse_plain,
                        .args_doc = help->arguments,
                        .doc = help->text};
    *options = (weft_cli_options){.names = calloc((size_t)argc + 1, sizeof(char*)),
                                  .seed = 1,
                                  .schedule_seed = 1,
                                  .threshold = 0.02};
    WEFT_ASSERT(options->names != NULL);
    (void)argp_parse(&argp, argc, argv, 0, NULL, options);
}

void weft_cli_options_deinit(weft_cli_options* options) {
    free(options->names);
    free(options->layout);
    free(options->cpus);
    free(options->flags);
    free(options->float_files);
    free(options->pure);
    free(options->without);
    free(options->deny);
    free(options->snapshots);
    *options = (weft_cli_options){0};
}
