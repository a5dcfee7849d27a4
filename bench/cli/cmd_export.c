// weft export: the tables of a log, or of a snapshot, for other programs.

#define _GNU_SOURCE // mkdtemp

#include "export.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef enum format {
    FORMAT_CSV,
    FORMAT_SQLITE,
    FORMAT_NPZ,
    FORMAT_COUNT,
} format;

static const char* const format_names[FORMAT_COUNT] = {"csv", "sqlite", "npz"};

/// A format by its name; FORMAT_COUNT if there is none.
static format format_find(const char* name) {
    int i = 0;
    while (i < FORMAT_COUNT && strcmp(format_names[i], name) != 0)
        i++;
    return (format)i;
}

/// The format that is asked for, or that the output's name ends in.
static weft_exit format_choose(const weft_cli_options* options, format* out) {
    const char* dot =
        options->output_path != NULL ? strrchr(options->output_path, '.') : (const char*)NULL;
    *out = dot != NULL ? format_find(dot + 1) : FORMAT_COUNT;
    if (*out == FORMAT_COUNT)
        *out = FORMAT_CSV;
    if (options->format != NULL)
        *out = format_find(options->format);
    if (*out == FORMAT_COUNT) {
        weft_cli_complain("--format: '%s' is not csv, sqlite or npz", options->format);
        return WEFT_EXIT_USAGE;
    }
    if (options->list && (options->format != NULL || options->output_path != NULL)) {
        weft_cli_complain("--list writes no file: leave --format and -o out");
        return WEFT_EXIT_USAGE;
    }
    if (options->json && !options->list) {
        weft_cli_complain("--json goes with --list");
        return WEFT_EXIT_USAGE;
    }
    if (*out != FORMAT_CSV && options->output_path == NULL) {
        weft_cli_complain("--format %s needs a file: add -o FILE", format_names[*out]);
        return WEFT_EXIT_USAGE;
    }
    return WEFT_EXIT_OK;
}

/// Names of the tables: "Eaten, Born, Dead".
static void print_tables(FILE* file, const export_log* log) {
    for (uint32_t i = 0; i < log->table_count; i++)
        (void)fprintf(file, "%s%s", i > 0 ? ", " : "", log->tables[i].name);
}

static weft_exit choose_tables(const weft_cli_options* options, export_log* log, format form) {
    bool found = options->table == NULL;
    for (uint32_t i = 0; i < log->table_count; i++) {
        log->tables[i].wanted =
            options->table == NULL || strcmp(options->table, log->tables[i].name) == 0;
        found = found || log->tables[i].wanted;
    }
    if (!found) {
        (void)fprintf(stderr, "weft: %s has no table '%s'; it has ", log->shown, options->table);
        print_tables(stderr, log);
        (void)fputc('\n', stderr);
        return WEFT_EXIT_USAGE;
    }
    if (form == FORMAT_CSV && !options->list && options->table == NULL && log->table_count > 1) {
        (void)fprintf(stderr, "weft: csv has one table a file: add --table, one of ");
        print_tables(stderr, log);
        (void)fputc('\n', stderr);
        return WEFT_EXIT_USAGE;
    }
    return WEFT_EXIT_OK;
}

// The list ---------------------------------------------------------------------------------------

static void list_columns(const export_log* log, const export_table* table) {
    const weft_simlog_table* from = weft_simlog_reader_table(log->reader, table->index);
    for (uint32_t i = 0; i < from->column_count; i++)
        printf("%s%s %s", i == 0 ? "  " : ", ", from->columns[i].name,
               weft_kind_name(from->columns[i].kind));
    printf("\n");
}

static void list_print(const export_log* log) {
    char number[WEFT_CLI_NUMBER_SIZE];
    printf("file      %s, seed %" PRIu64 "\n", log->shown, weft_simlog_reader_seed(log->reader));
    if (log->end_tick == log->first_tick)
        printf("ticks     none\n");
    else
        printf("ticks     %" PRIu64 " to %" PRIu64 " in %s segments\n", log->first_tick,
               log->end_tick - 1, weft_cli_number(log->segment_count, number));
    if (log->dropped_ticks > 0)
        printf("left out  %s ticks, by the policy\n", weft_cli_number(log->dropped_ticks, number));
    if (log->unseen_ticks > 0)
        printf("unlogged  %s ticks\n", weft_cli_number(log->unseen_ticks, number));
    if (log->torn > 0)
        printf("torn      %s bytes behind the last whole segment: its writer died\n",
               weft_cli_number(log->torn, number));
    for (uint32_t i = 0; i < log->table_count; i++) {
        const export_table* table = &log->tables[i];
        if (!table->wanted)
            continue;
        printf("\n%s: %s rows", table->name, weft_cli_number(table->row_count, number));
        if (table->dropped_rows > 0)
            printf(", and %s left out", weft_cli_number(table->dropped_rows, number));
        printf("\n");
        list_columns(log, table);
    }
}

static json_t* columns_json(const export_log* log, const export_table* table) {
    const weft_simlog_table* from = weft_simlog_reader_table(log->reader, table->index);
    json_t* columns = json_array();
    for (uint32_t i = 0; i < from->column_count; i++)
        (void)json_array_append_new(columns,
                                    json_pack("{s:s, s:s}", "name", from->columns[i].name, "kind",
                                              weft_kind_name(from->columns[i].kind)));
    return columns;
}

static bool list_print_json(const export_log* log) {
    json_t* tables = json_array();
    for (uint32_t i = 0; i < log->table_count; i++) {
        const export_table* table = &log->tables[i];
        if (table->wanted)
            (void)json_array_append_new(tables,
                                        json_pack("{s:s, s:I, s:I, s:o}", "name", table->name,
                                                  "rows", (json_int_t)table->row_count,
                                                  "rows_left_out", (json_int_t)table->dropped_rows,
                                                  "columns", columns_json(log, table)));
    }
    return weft_cli_json_print(
        json_pack("{s:s, s:s, s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:o}",                //
                  "weft", weft_version(),                                                   //
                  "file", log->shown,                                                       //
                  "seed", weft_cli_json_hex(weft_simlog_reader_seed(log->reader)),          //
                  "schema", weft_cli_json_hex(weft_simlog_reader_schema_hash(log->reader)), //
                  "first_tick", (json_int_t)log->first_tick,                                //
                  "ticks", (json_int_t)(log->end_tick - log->first_tick),                   //
                  "ticks_left_out", (json_int_t)log->dropped_ticks,                         //
                  "ticks_unlogged", (json_int_t)log->unseen_ticks,                          //
                  "segments", (json_int_t)log->segment_count,                               //
                  "torn_bytes", (json_int_t)log->torn,                                      //
                  "tables", tables));
}

// The command ------------------------------------------------------------------------------------

static weft_status write_export(const weft_cli_options* options, export_log* log, format form) {
    static export_write_fn* const writers[FORMAT_COUNT] = {export_csv, export_sqlite, export_npz};
    if (options->output_path == NULL)
        return export_csv(log, NULL);
    return export_publish(log, options->output_path, writers[form]);
}

static weft_exit export_all(const weft_cli_options* options, const char* path, format form) {
    export_log log;
    weft_status status = export_open(path, &log);
    weft_exit code = WEFT_EXIT_FAILURE;
    if (status == WEFT_STATUS_OK) {
        log.shown = options->names[0];
        code = choose_tables(options, &log, form);
        if (code == WEFT_EXIT_OK && options->list && options->json)
            code = list_print_json(&log) ? WEFT_EXIT_OK : WEFT_EXIT_FAILURE;
        else if (code == WEFT_EXIT_OK && options->list)
            list_print(&log);
        else if (code == WEFT_EXIT_OK)
            status = write_export(options, &log, form);
    }
    if (status != WEFT_STATUS_OK) {
        weft_cli_complain("%s [%s]", log.line, weft_status_name(status));
        code = WEFT_EXIT_FAILURE;
    }
    export_close(&log);
    return code;
}

// Snapshots --------------------------------------------------------------------------------------

/// Loads the snapshot into a world of its simulation, and writes that as a log.
static weft_status state_write(const weft_cli_options* options, const weft_module* module,
                               const char* path, char* line, size_t capacity) {
    weft_module_options sizes = {options->has_entity_count ? options->entity_count
                                                           : module->entity_count_default,
                                 options->seed};
    weft_world* world = NULL;
    weft_schedule* schedule = NULL;
    char text[WEFT_SIMLOG_LINE] = "";
    weft_status status =
        weft_cli_world_make(module, &sizes, WEFT_CLI_MEMORY_PLAIN, &world, &schedule);
    if (status == WEFT_STATUS_OK)
        status =
            weft_cli_persist_load(options, module, sizes.entity_count, world, options->names[0]);
    if (status != WEFT_STATUS_OK)
        (void)snprintf(line, capacity, "%s", weft_cli_error(status, world, schedule));
    else
        status = weft_simlog_write_state(world, path, text);
    if (text[0] != '\0')
        (void)snprintf(line, capacity, "%s", text);
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
    return status;
}

/// A snapshot has no names of fields; its simulation has.
static weft_exit export_snapshot(const weft_cli* cli, const weft_cli_options* options,
                                 format form) {
    char folder[] = "/tmp/weft-export-XXXXXX";
    char path[sizeof folder + 8];
    char line[WEFT_SIMLOG_LINE] = "";
    weft_cli_module module = {0};
    weft_exit code = WEFT_EXIT_FAILURE;
    if (weft_cli_module_open(cli, options->names[1], &module, &code, line, sizeof line) !=
        WEFT_STATUS_OK) {
        weft_cli_complain("%s", line);
        return code;
    }
    weft_status status = WEFT_STATUS_FILE_ERROR;
    if (mkdtemp(folder) == NULL) {
        (void)snprintf(line, sizeof line, "no folder can be made in /tmp: %s", strerror(errno));
    } else {
        (void)snprintf(path, sizeof path, "%s/state", folder);
        status = state_write(options, module.module, path, line, sizeof line);
        code = status == WEFT_STATUS_OK ? export_all(options, path, form) : WEFT_EXIT_FAILURE;
        (void)unlink(path);
        (void)rmdir(folder);
    }
    if (status != WEFT_STATUS_OK) {
        weft_cli_complain("%s [%s]", line, weft_status_name(status));
        code = WEFT_EXIT_FAILURE;
    }
    weft_cli_module_close(&module);
    return code;
}

static bool is_snapshot(const char* path) {
    weft_snapshot_info info;
    char line[WEFT_SIMLOG_LINE];
    return weft_snapshot_inspect(path, &info, line, sizeof line) == WEFT_STATUS_OK;
}

static weft_exit check_names(const weft_cli_options* options, const char* program) {
    if (options->name_count == 0 || options->name_count > 2) {
        weft_cli_complain("export takes one log, or a snapshot and its simulation; `%s --help` "
                          "shows how",
                          program);
        return WEFT_EXIT_USAGE;
    }
    if (options->name_count == 1 && is_snapshot(options->names[0])) {
        weft_cli_complain("%s is a snapshot: name its simulation too, with the --entities and "
                          "--seed that it was run with",
                          options->names[0]);
        return WEFT_EXIT_USAGE;
    }
    return WEFT_EXIT_OK;
}

weft_exit weft_cli_export(const weft_cli* cli, int argc, char** argv) {
    weft_cli_options options;
    format form = FORMAT_CSV;
    weft_cli_options_parse(WEFT_CLI_EXPORT, argc, argv, &options);
    weft_exit code = check_names(&options, argv[0]);
    if (code == WEFT_EXIT_OK)
        code = format_choose(&options, &form);
    if (code == WEFT_EXIT_OK && options.name_count == 2)
        code = export_snapshot(cli, &options, form);
    else if (code == WEFT_EXIT_OK)
        code = export_all(&options, options.names[0], form);
    weft_cli_options_deinit(&options);
    return code;
}
