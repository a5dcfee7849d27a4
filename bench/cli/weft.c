// The program `weft`: which command, and what it exits with.

#include "cli.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const weft_cli_row command_rows[] = {
    {"run", WEFT_CLI_RUN, weft_cli_run, "run a simulation and print its digests"},
    {"verify", WEFT_CLI_VERIFY, weft_cli_verify,
     "compare every executor with the serial run, tick by tick"},
    {"bisect", WEFT_CLI_BISECT, weft_cli_bisect,
     "go from a difference to its cause; replay a bundle"},
    {"replay", WEFT_CLI_REPLAY, weft_cli_replay, "run a journal again and compare every digest"},
    {"graph", WEFT_CLI_GRAPH, weft_cli_graph, "show how systems are ordered, and why"},
    {"topo", WEFT_CLI_TOPO, weft_cli_topo, "show the machine, and where workers and shards go"},
    {"forecast", WEFT_CLI_FORECAST, weft_cli_forecast,
     "say what a tick takes with more workers, here or on another machine"},
    {"tune", WEFT_CLI_TUNE, weft_cli_tune,
     "search for a faster layout, and say what holds it back"},
    {"bench", WEFT_CLI_BENCH, weft_cli_bench, "measure Weft on this machine"},
    {"bench compare", WEFT_CLI_COMPARE, weft_cli_compare,
     "say which rows of two runs are faster or slower"},
    {"bench runs", WEFT_CLI_RUNS, weft_cli_runs, "list the runs of a file of results"},
    {"report", WEFT_CLI_REPORT, weft_cli_report,
     "make one page of results, hashes, traces, logs and graph"},
    {"lint", WEFT_CLI_LINT, weft_cli_lint, "find in sources and objects what breaks determinism"},
    {"selftest", WEFT_CLI_SELFTEST, weft_cli_selftest,
     "plant faults and see that each instrument names them"},
    {"export", WEFT_CLI_EXPORT, weft_cli_export,
     "write the tables of a log as CSV, SQLite or arrays of NumPy"},
    {"list", WEFT_CLI_LIST, weft_cli_list, "list the simulations and measurements in this program"},
    {"completion", WEFT_CLI_COMPLETION, weft_cli_completion,
     "print what makes a shell complete commands and options"},
};

#define COMMAND_COUNT (sizeof command_rows / sizeof command_rows[0])

const weft_cli_row* weft_cli_rows(size_t* count_out) {
    *count_out = COMMAND_COUNT;
    return command_rows;
}

static void help_print(FILE* file, const char* program) {
    (void)fprintf(file,
                  "Usage: %s COMMAND [OPTION...] [ARGUMENT...]\n"
                  "Deterministic parallel simulation: the parallel run is the serial run, bit for "
                  "bit.\n\n",
                  program);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        (void)fprintf(file, "  %-13s  %s\n", command_rows[i].name, command_rows[i].summary);
    (void)fprintf(file,
                  "\nExamples:\n"
                  "  %s list\n"
                  "  %s run creatures --entities 100k\n"
                  "  %s verify creatures\n"
                  "  %s verify ./my_module.so --configs threads:8\n"
                  "  %s bench headline\n\n"
                  "  -?, --help      this text; `%s COMMAND --help` for one command\n"
                  "  -V, --version   the version\n\n"
                  "Exit status: 0 equal or done, 1 different, 2 wrong usage, 3 failure.\n",
                  program, program, program, program, program, program);
}

const char* weft_cli_path_name(const char* path) {
    const char* slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static weft_exit command_unknown(const char* program, const char* word) {
    const char* names[COMMAND_COUNT];
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        names[i] = command_rows[i].name;
    const char* nearest = weft_cli_nearest(word, names, COMMAND_COUNT);
    weft_cli_complain("'%s' is not a command%s%s%s; `%s --help` lists them", word,
                      nearest != NULL ? ": did you mean '" : "", nearest != NULL ? nearest : "",
                      nearest != NULL ? "'?" : "", program);
    return WEFT_EXIT_USAGE;
}

/// Runs a command with "program command" as its name in usage lines.
static weft_exit command_run(const weft_cli* cli, const weft_cli_row* row, int argc, char** argv) {
    char name[96];
    char** args = calloc((size_t)argc + 1, sizeof(*args));
    if (args == NULL) {
        weft_cli_complain("%s", weft_status_text(WEFT_STATUS_OUT_OF_MEMORY));
        return WEFT_EXIT_FAILURE;
    }
    memcpy(args, argv, (size_t)argc * sizeof(*args));
    (void)snprintf(name, sizeof name, "%s %s", weft_cli_path_name(cli->program), row->name);
    args[0] = name;
    weft_exit code = row->run(cli, argc, args);
    free(args);
    return code;
}

/// The command that these words begin with; of two that do, the longer one. Null if none does.
static const weft_cli_row* command_find(char* const* words) {
    const weft_cli_row* found = NULL;
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        const char* name = command_rows[i].name;
        size_t first = strcspn(name, " ");
        bool whole = name[first] == '\0';
        if (strncmp(words[0], name, first) != 0 || words[0][first] != '\0')
            continue;
        if (whole ? found == NULL : words[1] != NULL && strcmp(words[1], name + first + 1) == 0)
            found = &command_rows[i];
    }
    return found;
}

static bool word_is(const char* word, const char* a, const char* b, const char* c) {
    return strcmp(word, a) == 0 || strcmp(word, b) == 0 || strcmp(word, c) == 0;
}

static weft_exit dispatch(const weft_cli* cli, int argc, char** argv) {
    const char* program = weft_cli_path_name(cli->program);
    if (argc < 2) {
        help_print(stderr, program);
        return WEFT_EXIT_USAGE;
    }
    const char* word = argv[1];
    if (word_is(word, "--help", "-?", "-h") || (strcmp(word, "help") == 0 && argc == 2)) {
        help_print(stdout, program);
        return WEFT_EXIT_OK;
    }
    if (word_is(word, "--version", "-V", "version")) {
        printf("weft %s\n", weft_version());
        return WEFT_EXIT_OK;
    }
    // `weft help run` is `weft run --help`.
    bool wants_help = strcmp(word, "help") == 0;
    const weft_cli_row* row = command_find(argv + (wants_help ? 2 : 1));
    if (row == NULL)
        return command_unknown(program, argv[wants_help ? 2 : 1]);
    if (wants_help) {
        char help[] = "--help";
        char* help_args[] = {argv[0], help, NULL};
        return command_run(cli, row, 2, help_args);
    }
    int words = strchr(row->name, ' ') != NULL ? 2 : 1;
    return command_run(cli, row, argc - words, argv + words);
}

int weft_main(int argc, char** argv, const weft_module* const* modules, size_t module_count) {
    weft_cli cli = {
        .program = argc > 0 ? argv[0] : "weft",
        .modules = modules,
        .module_count = module_count,
    };
    argp_program_version = "weft " WEFT_VERSION;
    argp_err_exit_status = WEFT_EXIT_USAGE;
    weft_exit code = dispatch(&cli, argc, argv);
    // A full disk or a closed pipe must not look like success.
    if (fflush(stdout) != 0 || ferror(stdout)) {
        weft_cli_complain("standard output could not be written: %s", strerror(errno));
        code = code == WEFT_EXIT_OK ? WEFT_EXIT_FAILURE : code;
    }
    return (int)code;
}
