#define _GNU_SOURCE // reallocarray

#include "series.h"

#include <stdlib.h>
#include <string.h>

#include "export.h"

series* series_new(series_set* set, const char* table, const char* column) {
    series* grown = reallocarray(set->at, set->count + 1, sizeof *grown);
    if (grown == NULL)
        return NULL;
    set->at = grown;
    series* added = &grown[set->count];
    *added = (series){.table = strdup(table), .column = column != NULL ? strdup(column) : NULL};
    if (added->table == NULL || (column != NULL && added->column == NULL)) {
        free(added->table);
        return NULL;
    }
    set->count++;
    return added;
}

bool series_add(series* to, double tick, double value) {
    if (to->count == to->capacity) {
        size_t wanted = to->capacity * 2 + 256;
        double* ticks = reallocarray(to->ticks, wanted, sizeof *ticks);
        to->ticks = ticks != NULL ? ticks : to->ticks;
        double* values = reallocarray(to->values, wanted, sizeof *values);
        to->values = values != NULL ? values : to->values;
        if (ticks == NULL || values == NULL)
            return false;
        to->capacity = wanted;
    }
    to->ticks[to->count] = tick;
    to->values[to->count++] = value;
    return true;
}

static void series_free(series* one) {
    free(one->table);
    free(one->column);
    free(one->ticks);
    free(one->values);
}

void series_forget(series_set* set) {
    for (size_t i = 0; i < set->count; i++)
        series_free(&set->at[i]);
    free(set->at);
    *set = (series_set){0};
}

/// A table's series: the first is of its rows, one for each column follows.
typedef struct gathered {
    size_t first;  // In the set.
    uint32_t most; // Rows in a tick.
} gathered;

/// Not of the tick, which rows often say again.
static bool is_number(const export_column* column) {
    return strcasecmp(column->name, "tick") != 0 &&
           (column->form == EXPORT_PLAIN || column->form == EXPORT_SCALED);
}

static double value_of(const export_row* row, const export_column* column) {
    uint64_t bits = export_bits(row, column);
    uint32_t half = (uint32_t)bits;
    float number;
    if (column->form == EXPORT_SCALED)
        return export_scaled(column->kind, bits);
    if (column->kind == WEFT_KIND_FLOAT) {
        memcpy(&number, &half, sizeof number);
        return (double)number;
    }
    return export_is_signed(column->kind) ? (double)(int64_t)bits : (double)bits;
}

static bool gather_begin(const export_log* log, series_set* set, gathered* tables) {
    for (uint32_t i = 0; i < log->table_count; i++) {
        tables[i].first = set->count;
        if (series_new(set, log->tables[i].name, NULL) == NULL)
            return false;
        for (uint32_t j = 0; j < log->tables[i].column_count; j++) {
            const export_column* column = &log->tables[i].columns[j];
            if (is_number(column) && series_new(set, log->tables[i].name, column->name) == NULL)
                return false;
        }
    }
    return true;
}

/// Adds one segment of a table.
static bool gather(const export_log* log, const export_table* table, const weft_simlog_part* part,
                   series_set* set, gathered* to) {
    export_row row = {.log = log, .table = table, .tick = part->first_tick};
    for (uint64_t i = 0; i < part->tick_count; i++, row.tick++) {
        uint32_t rows = weft_simlog_reader_tick_rows(log->reader, table->index, i);
        size_t at = to->first;
        to->most = rows > to->most ? rows : to->most;
        if (!series_add(&set->at[at++], (double)row.tick, rows))
            return false;
        for (uint32_t j = 0; j < table->column_count && rows > 0 && to->most <= 1; j++)
            if (is_number(&table->columns[j]) &&
                !series_add(&set->at[at++], (double)row.tick, value_of(&row, &table->columns[j])))
                return false;
        row.index += rows;
    }
    return true;
}

/// Drops what is no series after all.
static void gather_end(const export_log* log, series_set* set, const gathered* tables) {
    size_t kept = 0;
    for (uint32_t i = 0; i < log->table_count; i++) {
        size_t end = i + 1 < log->table_count ? tables[i + 1].first : set->count;
        for (size_t j = tables[i].first; j < end; j++) {
            bool columns = tables[i].most == 1 && end - tables[i].first > 1;
            if ((set->at[j].column != NULL) == columns)
                set->at[kept++] = set->at[j];
            else
                series_free(&set->at[j]);
        }
    }
    set->count = kept;
}

static weft_status read_parts(export_log* log, series_set* set, gathered* tables) {
    weft_simlog_part part;
    bool more;
    WEFT_TRY(export_rewind(log));
    for (;;) {
        WEFT_TRY(export_next(log, &part, &more));
        if (!more)
            return WEFT_STATUS_OK;
        for (uint32_t i = 0; i < log->table_count; i++)
            if (!gather(log, &log->tables[i], &part, set, &tables[i]))
                return WEFT_STATUS_OUT_OF_MEMORY;
    }
}

weft_status series_read(const char* path, series_set* out, char* line, size_t capacity) {
    export_log log;
    *out = (series_set){0};
    weft_status status = export_open(path, &log);
    gathered* tables = calloc((size_t)log.table_count + 1, sizeof *tables);
    if (status == WEFT_STATUS_OK && (tables == NULL || !gather_begin(&log, out, tables)))
        status = WEFT_STATUS_OUT_OF_MEMORY;
    if (status == WEFT_STATUS_OK)
        status = read_parts(&log, out, tables);
    if (status == WEFT_STATUS_OK)
        gather_end(&log, out, tables);
    else
        (void)snprintf(line, capacity, "%s",
                       log.line[0] != '\0' ? log.line : weft_status_text(status));
    free(tables);
    export_close(&log);
    return status;
}
