// Logs for other programs: what all forms need.

#define _GNU_SOURCE // asprintf

#include "export.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

weft_status export_fail(export_log* log, weft_status status, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(log->line, sizeof log->line, format, arguments);
    va_end(arguments);
    return status;
}

static weft_status no_memory(export_log* log) {
    return export_fail(log, WEFT_STATUS_OUT_OF_MEMORY, "%s",
                       weft_status_text(WEFT_STATUS_OUT_OF_MEMORY));
}

static bool column_add(export_table* table, export_form form, uint32_t source, weft_kind kind,
                       const char* name) {
    export_column* column = &table->columns[table->column_count];
    *column = (export_column){.form = form, .source = source, .kind = kind};
    if (asprintf(&column->name, form == EXPORT_RAW ? "%s.raw" : "%s", name) < 0) {
        column->name = NULL;
        return false;
    }
    table->column_count++;
    return true;
}

/// What the column of ticks is called: "log.tick" in a table that has a "tick" of its own. SQLite
/// does not tell upper case from lower.
static const char* tick_name(const weft_simlog_table* from) {
    for (uint32_t i = 0; i < from->column_count; i++)
        if (strcasecmp(from->columns[i].name, "tick") == 0)
            return "log.tick";
    return "tick";
}

/// The tick, then the log's columns; fixed-point ones twice.
static bool table_fill(export_table* table, const weft_simlog_table* from, uint32_t index) {
    *table = (export_table){.name = from->name, .index = index, .wanted = true};
    table->columns = calloc(1 + 2 * (size_t)from->column_count, sizeof *table->columns);
    bool filled =
        table->columns != NULL && column_add(table, EXPORT_TICK, 0, WEFT_KIND_U64, tick_name(from));
    for (uint32_t i = 0; i < from->column_count && filled; i++) {
        const weft_simlog_column* column = &from->columns[i];
        bool fixed = column->kind == WEFT_KIND_FIXED || column->kind == WEFT_KIND_FIXED64;
        filled = column_add(table, fixed ? EXPORT_SCALED : EXPORT_PLAIN, i, column->kind,
                            column->name) &&
                 (!fixed || column_add(table, EXPORT_RAW, i, column->kind, column->name));
    }
    return filled;
}

static void note_part(export_log* log, const weft_simlog_part* part) {
    if (log->first_tick == log->end_tick)
        log->first_tick = part->first_tick;
    log->end_tick = part->first_tick + part->tick_count;
    if (part->kind == WEFT_SIMLOG_SEGMENT)
        log->segment_count++;
    else if (part->kind == WEFT_SIMLOG_DROPPED)
        log->dropped_ticks += part->tick_count;
    else
        log->unseen_ticks += part->tick_count;
    for (uint32_t i = 0; i < log->table_count; i++) {
        if (part->kind == WEFT_SIMLOG_SEGMENT)
            log->tables[i].row_count += part->row_counts[i];
        else if (part->counted)
            log->tables[i].dropped_rows += part->row_counts[i];
    }
}

static weft_status next_part(export_log* log, weft_simlog_part* part) {
    weft_status status = weft_simlog_reader_next(log->reader, part);
    if (status != WEFT_STATUS_OK)
        (void)export_fail(log, status, "%s", weft_simlog_reader_error(log->reader));
    return status;
}

weft_status export_open(const char* path, export_log* log) {
    *log = (export_log){.path = path, .shown = path};
    WEFT_TRY(weft_simlog_reader_open(path, &log->reader, log->line));
    uint32_t count = weft_simlog_reader_table_count(log->reader);
    log->tables = calloc(count, sizeof *log->tables);
    if (log->tables == NULL)
        return no_memory(log);
    for (; log->table_count < count; log->table_count++)
        if (!table_fill(&log->tables[log->table_count],
                        weft_simlog_reader_table(log->reader, log->table_count), log->table_count))
            return no_memory(log);
    weft_simlog_part part;
    do {
        WEFT_TRY(next_part(log, &part));
        if (part.kind != WEFT_SIMLOG_END)
            note_part(log, &part);
    } while (part.kind != WEFT_SIMLOG_END);
    log->torn = weft_simlog_reader_torn(log->reader);
    return WEFT_STATUS_OK;
}

void export_close(export_log* log) {
    for (uint32_t i = 0; i < log->table_count; i++) {
        for (uint32_t j = 0; j < log->tables[i].column_count; j++)
            free(log->tables[i].columns[j].name);
        free(log->tables[i].columns);
    }
    free(log->tables);
    weft_simlog_reader_close(log->reader);
    *log = (export_log){0};
}

// Names of tables are the reader's, so the new one's take their place.
weft_status export_rewind(export_log* log) {
    weft_simlog_reader* reader;
    WEFT_TRY(weft_simlog_reader_open(log->path, &reader, log->line));
    if (weft_simlog_reader_table_count(reader) != log->table_count) {
        weft_simlog_reader_close(reader);
        return export_fail(log, WEFT_STATUS_FILE_ERROR, "%s: somebody has replaced it meanwhile",
                           log->path);
    }
    weft_simlog_reader_close(log->reader);
    log->reader = reader;
    for (uint32_t i = 0; i < log->table_count; i++)
        log->tables[i].name = weft_simlog_reader_table(reader, i)->name;
    return WEFT_STATUS_OK;
}

weft_status export_next(export_log* log, weft_simlog_part* part, bool* more) {
    do {
        WEFT_TRY(next_part(log, part));
        // What a run adds meanwhile is not of this export.
        *more = part->kind != WEFT_SIMLOG_END && part->first_tick < log->end_tick;
    } while (*more && part->kind != WEFT_SIMLOG_SEGMENT);
    return WEFT_STATUS_OK;
}

bool export_each_row(const export_log* log, const export_table* table, const weft_simlog_part* part,
                     export_row_fn* fn, void* context) {
    export_row row = {.log = log, .table = table, .tick = part->first_tick};
    for (uint64_t i = 0; i < part->tick_count; i++, row.tick++) {
        uint32_t count = weft_simlog_reader_tick_rows(log->reader, table->index, i);
        for (uint32_t j = 0; j < count; j++, row.index++)
            if (!fn(context, &row))
                return false;
    }
    return true;
}

bool export_is_signed(weft_kind kind) {
    return kind == WEFT_KIND_I8 || kind == WEFT_KIND_I16 || kind == WEFT_KIND_I32 ||
           kind == WEFT_KIND_I64 || kind == WEFT_KIND_FIXED || kind == WEFT_KIND_FIXED64;
}

uint64_t export_bits(const export_row* row, const export_column* column) {
    if (column->form == EXPORT_TICK)
        return row->tick;
    uint32_t size = weft_kind_size(column->kind);
    WEFT_ASSERT(size >= 1 && size <= 8); // Columns are of scalars.
    const uint8_t* from =
        weft_simlog_reader_column(row->log->reader, row->table->index, column->source) +
        row->index * size;
    uint64_t bits = 0;
    for (uint32_t i = 0; i < size; i++)
        bits |= (uint64_t)from[i] << (8 * i);
    unsigned unused = 64 - 8 * size;
    return export_is_signed(column->kind) ? (uint64_t)((int64_t)(bits << unused) >> unused) : bits;
}

double export_scaled(weft_kind kind, uint64_t bits) {
    return (double)(int64_t)bits / (kind == WEFT_KIND_FIXED ? 65536.0 : 4294967296.0);
}

weft_status export_publish(export_log* log, const char* path, export_write_fn* write) {
    char* temporary;
    struct stat info;
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
        return export_fail(log, WEFT_STATUS_FILE_ERROR,
                           "%s: the export cannot be written: not a regular file", path);
    if (asprintf(&temporary, "%s.tmp-%ld", path, (long)getpid()) < 0)
        return no_memory(log);
    (void)unlink(temporary); // Of a process that had this number and died.
    weft_status status = write(log, temporary);
    if (status == WEFT_STATUS_OK && rename(temporary, path) != 0)
        status = export_fail(log, WEFT_STATUS_FILE_ERROR, "%s: the export cannot be written: %s",
                             path, strerror(errno));
    if (status != WEFT_STATUS_OK)
        (void)unlink(temporary);
    free(temporary);
    return status;
}
