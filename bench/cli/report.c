// Output: tables, numbers for people, JSON values.

#define _GNU_SOURCE

#include "cli.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// Tables -----------------------------------------------------------------------------------------

weft_cli_table weft_cli_table_create(const char* alignment) {
    weft_cli_table table = {.alignment = alignment, .column_count = strlen(alignment)};
    WEFT_ASSERT(table.column_count > 0 && table.column_count <= WEFT_CLI_COLUMNS_MAX);
    return table;
}

void weft_cli_table_add(weft_cli_table* table, const char* format, ...) {
    if (table->cell_count == table->capacity) {
        size_t wanted = table->capacity * 2 + 64;
        char** cells = realloc(table->cells, wanted * sizeof(*cells));
        if (cells == NULL) {
            table->failed = true;
            return;
        }
        table->cells = cells;
        table->capacity = wanted;
    }
    va_list args;
    va_start(args, format);
    char* cell = NULL;
    if (vasprintf(&cell, format, args) < 0)
        table->failed = true;
    else
        table->cells[table->cell_count++] = cell;
    va_end(args);
}

static void table_print_row(const weft_cli_table* table, size_t row, const int* widths,
                            FILE* file) {
    for (size_t column = 0; column < table->column_count; column++) {
        const char* cell = table->cells[row * table->column_count + column];
        bool last = column + 1 == table->column_count;
        bool left = table->alignment[column] == 'l';
        if (left && last)
            (void)fprintf(file, "%s\n", cell);
        else
            (void)fprintf(file, "%*s%s", left ? -widths[column] : widths[column], cell,
                          last ? "\n" : "  ");
    }
}

void weft_cli_table_print(weft_cli_table* table, FILE* file) {
    int widths[WEFT_CLI_COLUMNS_MAX] = {0};
    size_t row_count = table->cell_count / table->column_count;
    for (size_t i = 0; i < table->cell_count; i++) {
        int* width = &widths[i % table->column_count];
        int length = (int)strlen(table->cells[i]);
        *width = length > *width ? length : *width;
    }
    for (size_t row = 0; row < row_count && !table->failed; row++)
        table_print_row(table, row, widths, file);
    if (table->failed)
        weft_cli_complain("no memory is left for the table");
    weft_cli_table_destroy(table);
}

void weft_cli_table_destroy(weft_cli_table* table) {
    for (size_t i = 0; i < table->cell_count; i++)
        free(table->cells[i]);
    free(table->cells);
    *table = (weft_cli_table){0};
}

// Numbers ----------------------------------------------------------------------------------------

const char* weft_cli_number(uint64_t number, char text[WEFT_CLI_NUMBER_SIZE]) {
    char digits[WEFT_CLI_NUMBER_SIZE];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, number);
    char* to = text;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return text;
}

const char* weft_cli_seconds(double seconds, char text[WEFT_CLI_NUMBER_SIZE]) {
    if (seconds < 1.0)
        (void)snprintf(text, WEFT_CLI_NUMBER_SIZE, "%.1f ms", seconds * 1e3);
    else if (seconds < 120.0)
        (void)snprintf(text, WEFT_CLI_NUMBER_SIZE, "%.*f s", seconds < 10.0 ? 2 : 1, seconds);
    else
        (void)snprintf(text, WEFT_CLI_NUMBER_SIZE, "%.0f min %02d s", (double)(int)(seconds / 60),
                       (int)seconds % 60);
    return text;
}

// JSON -------------------------------------------------------------------------------------------

json_t* weft_cli_json_digest(weft_digest digest) {
    char text[WEFT_DIGEST_TEXT];
    weft_digest_format(digest, text);
    return json_string(text);
}

json_t* weft_cli_json_hex(uint64_t number) {
    return json_sprintf("0x%016" PRIx64, number);
}

bool weft_cli_json_print(json_t* value) {
    bool printed =
        value != NULL && json_dumpf(value, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9)) == 0;
    if (printed)
        (void)fputc('\n', stdout);
    else
        weft_cli_complain("the result could not be made into JSON");
    json_decref(value);
    return printed;
}

// Lines ------------------------------------------------------------------------------------------

void weft_cli_complain(const char* format, ...) {
    va_list args;
    va_start(args, format);
    (void)fflush(stdout);
    (void)fputs("weft: ", stderr);
    (void)vfprintf(stderr, format, args);
    (void)fputc('\n', stderr);
    va_end(args);
}

void weft_cli_shell_print(FILE* file, const char* text) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-./:,=+@%";
    if (text[0] != '\0' && text[strspn(text, plain)] == '\0') {
        (void)fputs(text, file);
        return;
    }
    (void)fputc('\'', file);
    for (; *text != '\0'; text++) {
        if (*text == '\'')
            (void)fputs("'\\''", file);
        else
            (void)fputc(*text, file);
    }
    (void)fputc('\'', file);
}
