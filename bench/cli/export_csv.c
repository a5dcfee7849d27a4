// One table of a log as CSV (RFC 4180, but for line ends): names, then a line for each row.

#define _GNU_SOURCE // fileno

#include "export.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

/// A word in quotes where it needs them.
static void put_word(FILE* file, const char* word) {
    if (strpbrk(word, ",\"\r\n") == NULL) {
        (void)fputs(word, file);
        return;
    }
    (void)fputc('"', file);
    for (; *word != '\0'; word++)
        (void)fprintf(file, *word == '"' ? "\"\"" : "%c", *word);
    (void)fputc('"', file);
}

/// Exact: a fraction of n bits has at most n decimal digits.
static void put_fixed(FILE* file, int64_t raw, uint32_t fraction_bits) {
    uint64_t magnitude = raw < 0 ? (uint64_t)0 - (uint64_t)raw : (uint64_t)raw;
    uint64_t mask = ((uint64_t)1 << fraction_bits) - 1;
    uint64_t fraction = magnitude & mask;
    (void)fprintf(file, "%s%" PRIu64, raw < 0 ? "-" : "", magnitude >> fraction_bits);
    for (const char* point = "."; fraction != 0; point = "") {
        fraction *= 10;
        (void)fprintf(file, "%s%c", point, (char)('0' + (fraction >> fraction_bits)));
        fraction &= mask;
    }
}

static void put_value(FILE* file, const export_column* column, uint64_t bits) {
    uint32_t half = (uint32_t)bits;
    float number;
    if (column->form == EXPORT_SCALED) {
        put_fixed(file, (int64_t)bits, column->kind == WEFT_KIND_FIXED ? 16 : 32);
    } else if (column->kind == WEFT_KIND_FLOAT) {
        memcpy(&number, &half, sizeof number);
        (void)fprintf(file, "%.9g", (double)number);
    } else if (export_is_signed(column->kind)) {
        (void)fprintf(file, "%" PRId64, (int64_t)bits);
    } else {
        (void)fprintf(file, "%" PRIu64, bits);
    }
}

static bool put_row(void* context, const export_row* row) {
    FILE* file = context;
    for (uint32_t i = 0; i < row->table->column_count; i++) {
        const export_column* column = &row->table->columns[i];
        if (i > 0)
            (void)fputc(',', file);
        put_value(file, column, export_bits(row, column));
    }
    (void)fputc('\n', file);
    return ferror(file) == 0;
}

/// What is printed.
typedef struct csv_print {
    export_log* log;
    const export_table* table;
} csv_print;

static weft_status print_rows(const csv_print* print, FILE* file) {
    weft_simlog_part part;
    bool more;
    for (uint32_t i = 0; i < print->table->column_count; i++) {
        if (i > 0)
            (void)fputc(',', file);
        put_word(file, print->table->columns[i].name);
    }
    (void)fputc('\n', file);
    WEFT_TRY(export_rewind(print->log));
    for (;;) {
        WEFT_TRY(export_next(print->log, &part, &more));
        if (!more || !export_each_row(print->log, print->table, &part, put_row, file))
            return WEFT_STATUS_OK; // Whoever owns the file sees that it failed.
    }
}

static weft_status print_file(const csv_print* print, const char* path) {
    FILE* file = fopen(path, "wx");
    if (file == NULL)
        return export_fail(print->log, WEFT_STATUS_FILE_ERROR, "%s: cannot be written: %s", path,
                           strerror(errno));
    weft_status status = print_rows(print, file);
    bool stored = fflush(file) == 0 && ferror(file) == 0 && fsync(fileno(file)) == 0;
    int error = errno;
    stored = fclose(file) == 0 && stored;
    if (status == WEFT_STATUS_OK && !stored)
        status = export_fail(print->log, WEFT_STATUS_FILE_ERROR, "%s: cannot be written: %s", path,
                             strerror(error));
    return status;
}

weft_status export_csv(export_log* log, const char* path) {
    csv_print print = {.log = log};
    for (uint32_t i = 0; i < log->table_count; i++)
        if (log->tables[i].wanted)
            print.table = &log->tables[i];
    WEFT_ASSERT(print.table != NULL);
    return path == NULL ? print_rows(&print, stdout) : print_file(&print, path);
}
