// weft bench: measurements, as tables for people or as JSON.

#include "cli.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

static void bench_progress(void* context, const char* what, uint64_t done, uint64_t total) {
    weft_cli_progress_draw(context, what, done, total);
}

/// "at most 1.1: passed", or nothing.
static void verdict_text(const weft_measure_row* row, char* text, size_t capacity) {
    text[0] = '\0';
    if (row->verdict != WEFT_MEASURE_NO_TARGET)
        (void)snprintf(text, capacity, "%s %.4g: %s",
                       row->sense == WEFT_MEASURE_AT_MOST ? "at most" : "at least", row->target,
                       row->verdict == WEFT_MEASURE_PASS ? "met" : "MISSED");
}

static void bench_print(const weft_measure_table* result) {
    char text[WEFT_MEASURE_TEXT];
    weft_cli_table table = weft_cli_table_create("lrrrrlll");
    weft_cli_table_add(&table, "%s", "");
    for (size_t i = 0; i < WEFT_MEASURE_COLUMNS; i++)
        weft_cli_table_add(&table, "%s", weft_measure_columns[i]);
    weft_cli_table_add(&table, "unit");
    weft_cli_table_add(&table, "target");
    weft_cli_table_add(&table, "%s", "");
    for (uint32_t i = 0; i < result->row_count; i++) {
        const weft_measure_row* row = &result->row[i];
        weft_cli_table_add(&table, "%s", row->name);
        for (size_t column = 0; column < WEFT_MEASURE_COLUMNS; column++)
            weft_cli_table_add(&table, "%.4g", row->value[column]);
        weft_cli_table_add(&table, "%s", row->unit);
        verdict_text(row, text, sizeof text);
        weft_cli_table_add(&table, "%s", text);
        weft_cli_table_add(&table, "%s", row->note);
    }
    printf("%s: %s\n", result->name, result->title);
    weft_cli_table_print(&table, stdout);
    if (result->note[0] != '\0')
        printf("%s\n", result->note);
    char conditions[WEFT_CONDITIONS_TEXT];
    weft_conditions_text(&result->conditions, conditions);
    printf("%s\n", conditions);
    if (result->summary[0] != '\0')
        printf("\n%s", result->summary);
    printf("\n");
    (void)fflush(stdout);
}

static json_t* row_json(const weft_measure_row* row) {
    static const char* const verdicts[] = {
        [WEFT_MEASURE_NO_TARGET] = "none",
        [WEFT_MEASURE_PASS] = "met",
        [WEFT_MEASURE_FAIL] = "missed",
    };
    json_t* object =
        json_pack("{s:s, s:s, s:f, s:f, s:f, s:f, s:I, s:s}", "name", row->name, "unit", row->unit,
                  "median", row->value[WEFT_MEASURE_MEDIAN], "min", row->value[WEFT_MEASURE_MIN],
                  "low", row->value[WEFT_MEASURE_LOW], "high", row->value[WEFT_MEASURE_HIGH],
                  "samples", (json_int_t)row->sample_count, "note", row->note);
    if (row->verdict != WEFT_MEASURE_NO_TARGET)
        (void)json_object_set_new(
            object, "target",
            json_pack("{s:s, s:f, s:s}", "sense",
                      row->sense == WEFT_MEASURE_AT_MOST ? "at_most" : "at_least", "value",
                      row->target, "verdict", verdicts[row->verdict]));
    return object;
}

static json_t* table_json(const weft_measure_table* table) {
    json_t* rows = json_array();
    for (uint32_t i = 0; i < table->row_count; i++)
        (void)json_array_append_new(rows, row_json(&table->row[i]));
    return json_pack("{s:s, s:s, s:s, s:s, s:b, s:o}", "name", table->name, "title", table->title,
                     "note", table->note, "summary", table->summary, "passed", (int)table->passed,
                     "rows", rows);
}

/// Runs one measurement and prints it, or appends it to `all`.
static weft_exit bench_run(const weft_measure* measure, const weft_measure_options* options,
                           json_t* all) {
    weft_measure_table* table = calloc(1, sizeof(*table));
    if (table == NULL) {
        weft_cli_complain("%s: %s", measure->name, weft_status_text(WEFT_STATUS_OUT_OF_MEMORY));
        return WEFT_EXIT_FAILURE;
    }
    weft_status status = weft_measure_run(measure, options, table);
    weft_cli_progress_end(options->progress_context);
    weft_exit code = WEFT_EXIT_OK;
    if (status != WEFT_STATUS_OK) {
        const char* line = table->error[0] != '\0' ? table->error : weft_status_text(status);
        weft_cli_complain("%s: %s [%s]", measure->name, line, weft_status_name(status));
        code = status == WEFT_STATUS_DIVERGED ? WEFT_EXIT_DIFFERENT : WEFT_EXIT_FAILURE;
    } else if (all != NULL) {
        (void)json_array_append_new(all, table_json(table));
    } else {
        bench_print(table);
    }
    free(table);
    return code;
}

/// Checks all names before the first measurement begins.
static weft_exit bench_check_names(const weft_cli_options* options) {
    size_t count;
    const weft_measure* const* measures = weft_measures(&count);
    for (size_t i = 0; i < options->name_count; i++) {
        const char* names[64];
        if (weft_measure_find(options->names[i]) != NULL)
            continue;
        size_t name_count = count < 64 ? count : 64;
        for (size_t j = 0; j < name_count; j++)
            names[j] = measures[j]->name;
        const char* nearest = weft_cli_nearest(options->names[i], names, name_count);
        weft_cli_complain("no measurement is named '%s'%s%s%s; `weft list` shows all",
                          options->names[i], nearest != NULL ? ": did you mean '" : "",
                          nearest != NULL ? nearest : "", nearest != NULL ? "'?" : "");
        return WEFT_EXIT_USAGE;
    }
    return WEFT_EXIT_OK;
}

/// Runs what was named, or everything; the worst exit code wins.
static weft_exit bench_run_all(const weft_cli_options* options, json_t* all) {
    size_t count;
    const weft_measure* const* measures = weft_measures(&count);
    weft_cli_progress progress = weft_cli_progress_start(options->quiet);
    weft_measure_options settings = {
        .worker_max = options->worker_count,
        .quick = options->quick,
        .entity_count = options->entity_count,
        .tick_count = options->tick_count,
        .seed = options->seed,
        .progress = bench_progress,
        .progress_context = &progress,
    };
    weft_exit worst = WEFT_EXIT_OK;
    size_t run_count = options->name_count > 0 ? options->name_count : count;
    for (size_t i = 0; i < run_count; i++) {
        const weft_measure* measure =
            options->name_count > 0 ? weft_measure_find(options->names[i]) : measures[i];
        weft_exit code = bench_run(measure, &settings, all);
        worst = code > worst ? code : worst;
    }
    return worst;
}

weft_exit weft_cli_bench(const weft_cli* cli, int argc, char** argv) {
    (void)cli;
    weft_cli_options options;
    weft_cli_options_parse(WEFT_CLI_BENCH, argc, argv, &options);
    weft_exit code = bench_check_names(&options);
    if (code == WEFT_EXIT_OK) {
        json_t* all = options.json ? json_array() : NULL;
        code = bench_run_all(&options, all);
        if (all != NULL && !weft_cli_json_print(json_pack("{s:s, s:o}", "weft", weft_version(),
                                                          "measurements", all)))
            code = WEFT_EXIT_FAILURE;
    }
    weft_cli_options_deinit(&options);
    return code;
}
