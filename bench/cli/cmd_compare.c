// weft bench compare, weft bench runs: results that were kept.

#include "cli.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "compare.h"
#include "run_json.h"

/// One side of a comparison.
typedef struct compare_side {
    const char* argument;
    char path[1024];
    weft_run run;
} compare_side;

/// "FILE:NUMBER", unless there is a file of the whole name. Without a number: the latest run.
static bool side_parse(compare_side* side, int64_t* number) {
    uint64_t value = 0;
    *number = 0;
    size_t length = strlen(side->argument);
    const char* colon = strrchr(side->argument, ':');
    if (colon != NULL && access(side->argument, F_OK) != 0 &&
        weft_cli_u64_parse(colon + 1, &value) && value > 0 && value <= INT64_MAX) {
        *number = (int64_t)value;
        length = (size_t)(colon - side->argument);
    }
    if (length >= sizeof side->path)
        return false;
    memcpy(side->path, side->argument, length);
    side->path[length] = '\0';
    return true;
}

static weft_exit side_load(compare_side* side) {
    char line[WEFT_RESULTS_LINE];
    int64_t number;
    weft_status status;
    if (!side_parse(side, &number)) {
        weft_cli_complain("%.200s...: %s", side->argument, strerror(ENAMETOOLONG));
        return WEFT_EXIT_FAILURE;
    }
    if (weft_run_json_is(side->path))
        status = weft_run_json_load(side->path, &side->run, line);
    else
        status = weft_results_load(side->path, number, &side->run, line);
    if (status == WEFT_STATUS_OK)
        return WEFT_EXIT_OK;
    weft_cli_complain("%s", line);
    return WEFT_EXIT_FAILURE;
}

// Text -------------------------------------------------------------------------------------------

static void side_print(const compare_side* side, char name) {
    const weft_run_head* head = &side->run.head;
    const char* commit = weft_machine_fact(&head->machine, "commit");
    printf("%c  %s", name, side->path);
    if (head->number > 0)
        printf(" run %" PRId64, head->number);
    printf(", %s, weft %s%s%s\n", head->time, weft_machine_fact(&head->machine, "weft"),
           commit[0] != '\0' ? " " : "", commit);
}

static void change_text(const weft_compare_row* row, char* text, size_t capacity) {
    if (row->change == WEFT_CHANGE_SLOWER)
        (void)snprintf(text, capacity, "SLOWER by %.1f%%", (row->cost - 1) * 100);
    else if (row->change == WEFT_CHANGE_FASTER)
        (void)snprintf(text, capacity, "faster by %.1f%%", (1 / row->cost - 1) * 100);
    else if (!row->ratio.is_certain)
        (void)snprintf(text, capacity, "no difference shown: too few samples");
    else
        (void)snprintf(text, capacity, "no difference%s", row->is_wide ? " shown: unsteady" : "");
}

static void rows_print(const weft_comparison* comparison) {
    weft_cli_table table = weft_cli_table_create("lrrlrrrl");
    static const char* const heads[] = {"", "A", "B", "unit", "B/A", "99% interval", "samples", ""};
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
        weft_cli_table_add(&table, "%s", heads[i]);
    for (uint32_t i = 0; i < comparison->row_count; i++) {
        const weft_compare_row* row = &comparison->row[i];
        char text[64];
        change_text(row, text, sizeof text);
        weft_cli_table_add(&table, "%s: %s", row->measurement, row->a->name);
        weft_cli_table_add(&table, "%.4g", row->a->value[WEFT_MEASURE_MEDIAN]);
        weft_cli_table_add(&table, "%.4g", row->b->value[WEFT_MEASURE_MEDIAN]);
        weft_cli_table_add(&table, "%s", row->a->unit);
        weft_cli_table_add(&table, "%.3f", row->ratio.estimate);
        weft_cli_table_add(&table, "%.3f to %.3f", row->ratio.low, row->ratio.high);
        weft_cli_table_add(&table, "%u, %u", row->a->sample_count, row->b->sample_count);
        weft_cli_table_add(&table, "%s", text);
    }
    weft_cli_table_print(&table, stdout);
}

static void lines_print(const char* title, const weft_compare_lines* lines) {
    if (lines->count > 0)
        printf("\n%s\n", title);
    for (uint32_t i = 0; i < lines->count; i++)
        printf("  %s\n", lines->line[i]);
}

static void comparison_print(const weft_comparison* comparison, const compare_side sides[2]) {
    side_print(&sides[0], 'A');
    side_print(&sides[1], 'B');
    printf("\n");
    if (comparison->row_count > 0)
        rows_print(comparison);
    else
        printf("no row is in both\n");
    lines_print("only in A:", &comparison->only[0]);
    lines_print("only in B:", &comparison->only[1]);
    lines_print("A and B were not made alike:", &comparison->warnings);
    printf("\n%u faster, %u slower, %u without a difference; threshold %.3g%%\n",
           comparison->count[WEFT_CHANGE_FASTER], comparison->count[WEFT_CHANGE_SLOWER],
           comparison->count[WEFT_CHANGE_NONE], comparison->threshold * 100);
}

// JSON -------------------------------------------------------------------------------------------

static json_t* side_json(const compare_side* side) {
    const weft_run_head* head = &side->run.head;
    return json_pack("{s:s, s:I, s:s, s:o, s:o}", "file", side->path, "run",
                     (json_int_t)head->number, "time", head->time, "machine",
                     weft_run_json_facts(&head->machine), "options",
                     weft_run_json_facts(&head->options));
}

static json_t* compared_row_json(const weft_compare_row* row) {
    return json_pack("{s:s, s:s, s:s, s:f, s:f, s:f, s:f, s:f, s:b, s:I, s:I, s:s}", "measurement",
                     row->measurement, "name", row->a->name, "unit", row->a->unit, "a",
                     row->a->value[WEFT_MEASURE_MEDIAN], "b", row->b->value[WEFT_MEASURE_MEDIAN],
                     "ratio", row->ratio.estimate, "low", row->ratio.low, "high", row->ratio.high,
                     "enough_samples", (int)row->ratio.is_certain, "samples_a",
                     (json_int_t)row->a->sample_count, "samples_b",
                     (json_int_t)row->b->sample_count, "change", weft_change_names[row->change]);
}

static json_t* lines_json(const weft_compare_lines* lines) {
    json_t* array = json_array();
    for (uint32_t i = 0; i < lines->count; i++)
        (void)json_array_append_new(array, json_string(lines->line[i]));
    return array;
}

static bool comparison_print_json(const weft_comparison* comparison, const compare_side sides[2]) {
    json_t* rows = json_array();
    for (uint32_t i = 0; i < comparison->row_count; i++)
        (void)json_array_append_new(rows, compared_row_json(&comparison->row[i]));
    return weft_cli_json_print(json_pack(
        "{s:o, s:o, s:f, s:f, s:I, s:I, s:I, s:o, s:o, s:o, s:o}", "a", side_json(&sides[0]), "b",
        side_json(&sides[1]), "threshold", comparison->threshold, "confidence",
        1 - WEFT_COMPARE_ERROR, "faster", (json_int_t)comparison->count[WEFT_CHANGE_FASTER],
        "slower", (json_int_t)comparison->count[WEFT_CHANGE_SLOWER], "no_difference",
        (json_int_t)comparison->count[WEFT_CHANGE_NONE], "rows", rows, "only_a",
        lines_json(&comparison->only[0]), "only_b", lines_json(&comparison->only[1]), "warnings",
        lines_json(&comparison->warnings)));
}

// Commands ---------------------------------------------------------------------------------------

static weft_exit compare(const weft_cli_options* options, compare_side sides[2]) {
    for (int i = 0; i < 2; i++) {
        sides[i].argument = options->names[i];
        weft_exit code = side_load(&sides[i]);
        if (code != WEFT_EXIT_OK)
            return code;
    }
    weft_comparison comparison = weft_compare(&sides[0].run, &sides[1].run, options->threshold);
    weft_exit code = comparison.count[WEFT_CHANGE_SLOWER] > 0 ? WEFT_EXIT_DIFFERENT : WEFT_EXIT_OK;
    if (!options->json)
        comparison_print(&comparison, sides);
    else if (!comparison_print_json(&comparison, sides))
        code = WEFT_EXIT_FAILURE;
    weft_comparison_deinit(&comparison);
    return code;
}

weft_exit weft_cli_compare(const weft_cli* cli, int argc, char** argv) {
    weft_cli_options options;
    compare_side sides[2] = {0};
    weft_exit code = WEFT_EXIT_USAGE;
    (void)cli;
    weft_cli_options_parse(WEFT_CLI_COMPARE, argc, argv, &options);
    if (options.name_count != 2)
        weft_cli_complain("compare takes two runs, before and after: FILE or FILE:NUMBER each");
    else
        code = compare(&options, sides);
    weft_run_deinit(&sides[0].run);
    weft_run_deinit(&sides[1].run);
    weft_cli_options_deinit(&options);
    return code;
}

/// Where the list of runs goes: one of the two.
typedef struct runs_list {
    weft_cli_table table;
    json_t* array;
} runs_list;

static void runs_add(void* context, const weft_results_entry* run) {
    runs_list* list = context;
    if (list->array != NULL) {
        (void)json_array_append_new(list->array,
                                    json_pack("{s:I, s:s, s:s, s:s, s:s, s:s}", "run",
                                              (json_int_t)run->number, "time", run->time, "commit",
                                              run->commit, "compiler", run->compiler, "cpu",
                                              run->cpu, "measurements", run->measurements));
        return;
    }
    weft_cli_table_add(&list->table, "%" PRId64, run->number);
    weft_cli_table_add(&list->table, "%s", run->time);
    weft_cli_table_add(&list->table, "%s", run->commit);
    weft_cli_table_add(&list->table, "%s", run->compiler);
    weft_cli_table_add(&list->table, "%s", run->cpu);
    weft_cli_table_add(&list->table, "%s", run->measurements);
}

weft_exit weft_cli_runs(const weft_cli* cli, int argc, char** argv) {
    weft_cli_options options;
    char line[WEFT_RESULTS_LINE];
    weft_exit code = WEFT_EXIT_OK;
    (void)cli;
    weft_cli_options_parse(WEFT_CLI_RUNS, argc, argv, &options);
    runs_list list = {.table = weft_cli_table_create("rlllll"),
                      .array = options.json ? json_array() : NULL};
    static const char* const heads[] = {"run", "time", "commit", "compiler", "cpu", "measurements"};
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
        weft_cli_table_add(&list.table, "%s", heads[i]);
    if (options.name_count != 1) {
        weft_cli_complain("runs takes one file of results");
        code = WEFT_EXIT_USAGE;
    } else if (weft_results_list(options.names[0], runs_add, &list, line) != WEFT_STATUS_OK) {
        weft_cli_complain("%s", line);
        code = WEFT_EXIT_FAILURE;
    } else if (list.array != NULL) {
        code = weft_cli_json_print(json_pack("{s:O}", "runs", list.array)) ? WEFT_EXIT_OK
                                                                           : WEFT_EXIT_FAILURE;
    }
    if (code == WEFT_EXIT_OK && list.array == NULL)
        weft_cli_table_print(&list.table, stdout);
    else
        weft_cli_table_destroy(&list.table);
    json_decref(list.array);
    weft_cli_options_deinit(&options);
    return code;
}
