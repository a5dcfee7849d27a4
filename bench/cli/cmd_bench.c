// weft bench: measurements, as tables for people or as JSON, and kept in files.

#define _GNU_SOURCE // open_memstream

#include "cli.h"

#include <inttypes.h>
#include <stdlib.h>

#include "measure.h"
#include "results.h"
#include "run_json.h"

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

// Runs -------------------------------------------------------------------------------------------

/// What became of all measurements.
typedef struct bench_session {
    const weft_cli_options* options;
    weft_measure_options settings;
    weft_run_head head;
    weft_results* results;      // Null: not saved.
    json_t* measurements;       // Null: tables.
    weft_cli_progress progress; // Of the whole.
    char place[64];             // "3/12 churn: ", where there are several.
    size_t count;
    size_t done;
    size_t verdicts[3]; // Of rows, by weft_measure_verdict.
    char* lines;        // Of missed targets and failures, for the end.
    size_t lines_size;
    FILE* lines_file; // Writes them.
    double started_s;
    weft_exit worst;
} bench_session;

static void bench_progress(void* context, const char* what, uint64_t done, uint64_t total) {
    bench_session* session = context;
    char text[128];
    (void)snprintf(text, sizeof text, "%s%s", session->place, what);
    weft_cli_progress_draw(&session->progress, text, done, total);
}

static void bench_worsen(bench_session* session, weft_exit code) {
    session->worst = code > session->worst ? code : session->worst;
}

static void bench_count(bench_session* session, const weft_measure_table* table) {
    session->done++;
    for (uint32_t i = 0; i < table->row_count; i++) {
        const weft_measure_row* row = &table->row[i];
        char text[WEFT_MEASURE_TEXT];
        session->verdicts[row->verdict]++;
        verdict_text(row, text, sizeof text);
        if (row->verdict == WEFT_MEASURE_FAIL)
            (void)fprintf(session->lines_file, "  %s: %s: %.4g %s, %s\n", table->name, row->name,
                          row->value[WEFT_MEASURE_MEDIAN], row->unit, text);
    }
}

static void bench_fail(bench_session* session, const weft_measure_table* table,
                       weft_status status) {
    weft_cli_complain("%s: %s [%s]", table->name, table->error, weft_status_name(status));
    (void)fprintf(session->lines_file, "  %s: FAILED: %s\n", table->name, table->error);
    bench_worsen(session, status == WEFT_STATUS_DIVERGED ? WEFT_EXIT_DIFFERENT : WEFT_EXIT_FAILURE);
}

/// A table that cannot be saved is printed all the same, and the next one may be saved again.
static void bench_save(bench_session* session, const weft_measure_table* table,
                       weft_status status) {
    char line[WEFT_RESULTS_LINE];
    if (session->results == NULL ||
        weft_results_add(session->results, &session->head, status, table, line) == WEFT_STATUS_OK)
        return;
    weft_cli_complain("%s was not saved: %s", table->name, line);
    bench_worsen(session, WEFT_EXIT_FAILURE);
}

/// Runs one measurement, prints it or adds it to the JSON, and saves it.
static void bench_run(bench_session* session, const weft_measure* measure) {
    weft_measure_table* table = calloc(1, sizeof(*table));
    if (table == NULL) {
        weft_cli_complain("%s: %s", measure->name, weft_status_text(WEFT_STATUS_OUT_OF_MEMORY));
        bench_worsen(session, WEFT_EXIT_FAILURE);
        return;
    }
    weft_status status = weft_measure_run(measure, &session->settings, table);
    weft_cli_progress_end(&session->progress);
    if (status != WEFT_STATUS_OK)
        bench_fail(session, table, status);
    else
        bench_count(session, table);
    if (session->measurements != NULL)
        (void)json_array_append_new(session->measurements, weft_run_json_table(table, status));
    else if (status == WEFT_STATUS_OK)
        bench_print(table);
    bench_save(session, table, status);
    free(table);
}

/// Checks all names before the first measurement begins.
static weft_exit bench_check_names(const weft_cli_options* options) {
    size_t count;
    if (options->suite && options->name_count > 0) {
        weft_cli_complain("--suite is every measurement: leave '%s' out, or --suite",
                          options->names[0]);
        return WEFT_EXIT_USAGE;
    }
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

static void facts_print(const weft_machine* machine) {
    weft_cli_table table = weft_cli_table_create("ll");
    for (uint32_t i = 0; i < machine->count; i++) {
        weft_cli_table_add(&table, "%s", machine->fact[i].name);
        weft_cli_table_add(&table, "%s", machine->fact[i].text);
    }
    weft_cli_table_print(&table, stdout);
    printf("\n");
    (void)fflush(stdout);
}

/// The end of several: what was met, what was missed, what failed.
static void suite_print(const bench_session* session) {
    char time[WEFT_CLI_NUMBER_SIZE];
    const size_t* verdicts = session->verdicts;
    printf("%zu of %zu measurements in %s; targets: %zu met, %zu missed; %zu rows without a "
           "target\n%s",
           session->done, session->count,
           weft_cli_seconds(weft_cli_clock() - session->started_s, time),
           verdicts[WEFT_MEASURE_PASS], verdicts[WEFT_MEASURE_FAIL],
           verdicts[WEFT_MEASURE_NO_TARGET], session->lines);
}

/// Runs what was named, or everything.
static void bench_run_all(bench_session* session) {
    const weft_cli_options* options = session->options;
    size_t all;
    const weft_measure* const* measures = weft_measures(&all);
    session->count = options->name_count > 0 ? options->name_count : all;
    if (session->count > 1 && session->measurements == NULL)
        facts_print(&session->head.machine);
    for (size_t i = 0; i < session->count; i++) {
        const weft_measure* measure =
            options->name_count > 0 ? weft_measure_find(options->names[i]) : measures[i];
        if (session->count > 1)
            (void)snprintf(session->place, sizeof session->place, "%zu/%zu %s: ", i + 1,
                           session->count, measure->name);
        bench_run(session, measure);
    }
}

/// Prints the end, as JSON all of it.
static void bench_finish(bench_session* session) {
    (void)fflush(session->lines_file);
    const char* path = session->options->save_path;
    if (session->measurements != NULL) {
        json_t* root = weft_run_json(&session->head, session->measurements);
        if (session->head.number > 0)
            (void)json_object_set_new(
                root, "saved",
                json_pack("{s:s, s:I}", "file", path, "run", (json_int_t)session->head.number));
        if (!weft_cli_json_print(root))
            bench_worsen(session, WEFT_EXIT_FAILURE);
        return;
    }
    if (session->count > 1)
        suite_print(session);
    if (session->head.number > 0)
        printf("saved as run %" PRId64 " of %s\n", session->head.number, path);
}

/// Runs everything with a file that is open for results, or none.
static weft_exit bench_session_run(const weft_cli_options* options, weft_results* results) {
    bench_session session = {
        .options = options,
        .settings = {.worker_max = options->worker_count,
                     .quick = options->quick,
                     .entity_count = options->entity_count,
                     .tick_count = options->tick_count,
                     .seed = options->seed,
                     .progress = bench_progress,
                     .progress_context = &session},
        .results = results,
        .measurements = options->json ? json_array() : NULL,
        .progress = weft_cli_progress_start(options->quiet),
        .started_s = weft_cli_clock(),
    };
    session.head = weft_run_head_now(&session.settings);
    session.lines_file = open_memstream(&session.lines, &session.lines_size);
    WEFT_ASSERT(session.lines_file != NULL);
    bench_run_all(&session);
    bench_finish(&session);
    (void)fclose(session.lines_file);
    free(session.lines);
    return session.worst;
}

weft_exit weft_cli_bench(const weft_cli* cli, int argc, char** argv) {
    (void)cli;
    weft_cli_options options;
    weft_cli_options_parse(WEFT_CLI_BENCH, argc, argv, &options);
    weft_exit code = bench_check_names(&options);
    weft_results* results = NULL;
    // A file that cannot be written is found before anything is measured.
    char line[WEFT_RESULTS_LINE];
    if (code == WEFT_EXIT_OK && options.save_path != NULL &&
        weft_results_open(options.save_path, &results, line) != WEFT_STATUS_OK) {
        weft_cli_complain("%s", line);
        code = WEFT_EXIT_FAILURE;
    }
    if (code == WEFT_EXIT_OK)
        code = bench_session_run(&options, results);
    weft_results_close(results);
    weft_cli_options_deinit(&options);
    return code;
}
