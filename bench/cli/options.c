// One table of options for all commands; each row says which commands take it.

#include "option_parse.h"

#include <stdlib.h>

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
    {WEFT_CLI_BENCH | WEFT_CLI_TUNE | WEFT_CLI_FORECAST,
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
                        .parser = option_parse,
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
