// weft lint: determinism of sources and objects, before anything runs.

#include "cli.h"

#include <string.h>
#include <unistd.h>

#include "lint_model.h"

/// Where the compiler's flags begin in an argument list: behind "--". argc if there are none.
static int flags_find(int argc, char** argv) {
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--") == 0)
            return i;
    }
    return argc;
}

static weft_exit rules_print(bool as_json) {
    json_t* rules = json_array();
    for (size_t i = 0; i < WEFT_LINT_RULE_COUNT; i++) {
        const weft_lint_rule_text* rule = weft_lint_rule_get((weft_lint_rule)i);
        (void)json_array_append_new(rules, json_pack("{s:s, s:s, s:s, s:s}", "name", rule->name,
                                                     "finds", rule->finds, "why", rule->why,
                                                     "instead", rule->instead));
        if (!as_json)
            printf("%-13s %s\n%-13s %s; %s\n", rule->name, rule->finds, "", rule->why,
                   rule->instead);
    }
    if (as_json)
        return weft_cli_json_print(json_pack("{s:o}", "rules", rules)) ? WEFT_EXIT_OK
                                                                       : WEFT_EXIT_FAILURE;
    json_decref(rules);
    return WEFT_EXIT_OK;
}

static bool is_source(const char* name) {
    size_t length = strlen(name);
    return length > 2 &&
           (strcmp(name + length - 2, ".c") == 0 || strcmp(name + length - 2, ".h") == 0);
}

/// Reads every file. Those that fail are all named before the command ends.
static weft_exit files_read(weft_lint* lint, weft_lint_parser* parser,
                            const weft_cli_options* options) {
    char line[WEFT_CLI_LINE_SIZE];
    weft_exit code = WEFT_EXIT_OK;
    weft_cli_progress progress = weft_cli_progress_start(options->quiet);
    for (size_t i = 0; i < options->name_count; i++) {
        size_t index = weft_lint_file_index(lint, options->names[i]);
        lint->files[index].is_given = true;
    }
    for (size_t i = 0; i < options->name_count && !weft_cli_interrupted(); i++) {
        const char* name = options->names[i];
        weft_cli_progress_draw(&progress, "file", i, options->name_count);
        bool read = false;
        if (options->object) {
            read = weft_lint_object_add(lint, name, line, sizeof line);
            if (!read)
                weft_cli_complain("%s", line);
        } else if (access(name, R_OK) != 0 || !is_source(name)) {
            weft_cli_complain(is_source(name) ? "%s: cannot be read"
                                              : "%s: is no .c or .h file; objects need --object",
                              name);
        } else {
            read = weft_lint_source_add(lint, parser, name, stderr);
            if (!read)
                weft_cli_complain("%s does not compile; flags for the compiler go behind '--': "
                                  "weft lint %s -- -Iinclude",
                                  name, name);
        }
        code = read ? code : WEFT_EXIT_USAGE;
    }
    weft_cli_progress_end(&progress);
    return weft_cli_interrupted() ? WEFT_EXIT_FAILURE : code;
}

static weft_exit result_print(const weft_lint* lint, const weft_cli_options* options) {
    bool printed = true;
    if (options->json)
        printed = weft_cli_json_print(weft_lint_json(lint));
    else if (options->sarif)
        printed = weft_cli_json_print(weft_lint_sarif(lint));
    else
        weft_lint_print(lint, stdout);
    if (!printed)
        return WEFT_EXIT_FAILURE;
    return lint->finding_count > 0 ? WEFT_EXIT_DIFFERENT : WEFT_EXIT_OK;
}

/// Reads the names of rules. False if one is none, which is said.
static bool rules_parse(const weft_cli_options* options, bool without[WEFT_LINT_RULE_COUNT]) {
    for (size_t i = 0; i < options->without_count; i++) {
        const char* name = options->without[i];
        weft_lint_rule rule = weft_lint_rule_find(name, strlen(name));
        if (rule == WEFT_LINT_RULE_COUNT) {
            weft_cli_complain("--without: '%s' is no rule; `weft lint --list-rules` shows all",
                              name);
            return false;
        }
        without[rule] = true;
    }
    return true;
}

/// Lints, with the parser if sources are to be read.
static weft_exit files_lint(weft_lint_parser* parser, const weft_cli_options* options) {
    weft_lint_options how = {
        .all = options->all,
        .floats = options->floats,
        .float_files = options->float_files,
        .float_file_count = options->float_file_count,
        .pure = options->pure,
        .pure_count = options->pure_count,
        .flags = options->flags,
        .flag_count = options->flag_count,
    };
    if (!rules_parse(options, how.without))
        return WEFT_EXIT_USAGE;
    weft_lint* lint = weft_lint_create(&how);
    struct sigaction before = weft_cli_interrupt_catch();
    weft_exit code = files_read(lint, parser, options);
    weft_cli_interrupt_release(&before);
    if (code == WEFT_EXIT_OK) {
        weft_lint_finish(lint);
        if (!options->object && !options->all && lint->entry_count == 0) {
            weft_cli_complain("no system is in these files: name the file too that registers it, "
                              "or look at every function with --all");
            code = WEFT_EXIT_USAGE;
        } else {
            code = result_print(lint, options);
        }
    }
    weft_lint_destroy(lint);
    return code;
}

weft_exit weft_cli_lint(const weft_cli* cli, int argc, char** argv) {
    char line[WEFT_CLI_LINE_SIZE];
    weft_cli_options options;
    weft_exit code = WEFT_EXIT_USAGE;
    (void)cli;
    int end = flags_find(argc, argv);
    weft_cli_options_parse(WEFT_CLI_LINT, end, argv, &options);
    for (int i = end + 1; i < argc; i++)
        weft_cli_options_flag(&options, argv[i]);
    weft_lint_parser* parser = NULL;
    if (options.list_rules)
        code = rules_print(options.json);
    else if (options.name_count == 0)
        weft_cli_complain("lint needs a file: the sources of your systems, or with --object what "
                          "was made of them");
    else if (options.json && options.sarif)
        weft_cli_complain("--json and --sarif exclude each other");
    else if (!options.object && (parser = weft_lint_parser_create(line, sizeof line)) == NULL)
        weft_cli_complain("%s", line);
    else
        code = files_lint(parser, &options);
    weft_lint_parser_destroy(parser);
    weft_cli_options_deinit(&options);
    return code;
}
