// Tables of a log as tables of SQLite, in one transaction.

#define _GNU_SOURCE // open_memstream

#include "export.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

/// A database that is filled.
typedef struct sqlite_fill {
    export_log* log;
    const char* path;
    sqlite3* db;
    sqlite3_stmt* insert; // Of the table at hand.
} sqlite_fill;

static weft_status explain(const sqlite_fill* fill) {
    return export_fail(fill->log, WEFT_STATUS_FILE_ERROR, "%s: cannot be written: %s", fill->path,
                       fill->db != NULL ? sqlite3_errmsg(fill->db) : "no memory");
}

static weft_status execute(const sqlite_fill* fill, const char* sql) {
    return sqlite3_exec(fill->db, sql, NULL, NULL, NULL) == SQLITE_OK ? WEFT_STATUS_OK
                                                                      : explain(fill);
}

/// A name as SQL writes it.
static void put_name(FILE* sql, const char* name) {
    (void)fputc('"', sql);
    for (; *name != '\0'; name++)
        (void)fprintf(sql, *name == '"' ? "\"\"" : "%c", *name);
    (void)fputc('"', sql);
}

/// Columns that may hold what is no integer of SQLite's have no type: text stays text there.
static const char* type_name(const export_column* column) {
    if (column->form == EXPORT_SCALED || column->kind == WEFT_KIND_FLOAT)
        return " REAL";
    return column->kind == WEFT_KIND_U64 && column->form != EXPORT_TICK ? "" : " INTEGER";
}

static void print_create(FILE* sql, const export_table* table) {
    (void)fputs("CREATE TABLE ", sql);
    put_name(sql, table->name);
    for (uint32_t i = 0; i < table->column_count; i++) {
        (void)fputs(i == 0 ? " (" : ", ", sql);
        put_name(sql, table->columns[i].name);
        (void)fputs(type_name(&table->columns[i]), sql);
    }
    (void)fputs(")", sql);
}

static void print_insert(FILE* sql, const export_table* table) {
    (void)fputs("INSERT INTO ", sql);
    put_name(sql, table->name);
    (void)fputs(" VALUES (", sql);
    for (uint32_t i = 0; i < table->column_count; i++)
        (void)fputs(i == 0 ? "?" : ", ?", sql);
    (void)fputs(")", sql);
}

static void print_index(FILE* sql, const export_table* table) {
    (void)fprintf(sql, "CREATE INDEX \"tick of %u\" ON ", table->index);
    put_name(sql, table->name);
    (void)fprintf(sql, " (\"%s\")", table->columns[0].name);
}

/// A statement's text, to be freed; null when memory is out.
static char* sql_of(void (*print)(FILE* sql, const export_table* table),
                    const export_table* table) {
    char* text = NULL;
    size_t size;
    FILE* sql = open_memstream(&text, &size);
    if (sql == NULL)
        return NULL;
    print(sql, table);
    if (fclose(sql) == 0)
        return text;
    free(text);
    return NULL;
}

static weft_status execute_for(const sqlite_fill* fill,
                               void (*print)(FILE* sql, const export_table* table),
                               const export_table* table) {
    char* sql = sql_of(print, table);
    weft_status status = sql == NULL ? explain(fill) : execute(fill, sql);
    free(sql);
    return status;
}

static int bind(sqlite3_stmt* statement, int at, const export_column* column, uint64_t bits) {
    char text[32];
    uint32_t half = (uint32_t)bits;
    float number;
    if (column->form == EXPORT_SCALED)
        return sqlite3_bind_double(statement, at, export_scaled(column->kind, bits));
    if (column->kind == WEFT_KIND_FLOAT) {
        memcpy(&number, &half, sizeof number);
        return sqlite3_bind_double(statement, at, (double)number);
    }
    if (bits <= INT64_MAX || export_is_signed(column->kind))
        return sqlite3_bind_int64(statement, at, (int64_t)bits);
    (void)snprintf(text, sizeof text, "%llu", (unsigned long long)bits);
    return sqlite3_bind_text(statement, at, text, -1, SQLITE_TRANSIENT);
}

static bool insert_row(void* context, const export_row* row) {
    const sqlite_fill* fill = context;
    int code = SQLITE_OK;
    for (uint32_t i = 0; i < row->table->column_count && code == SQLITE_OK; i++)
        code = bind(fill->insert, (int)i + 1, &row->table->columns[i],
                    export_bits(row, &row->table->columns[i]));
    if (code == SQLITE_OK)
        code = sqlite3_step(fill->insert);
    (void)sqlite3_reset(fill->insert);
    return code == SQLITE_DONE;
}

static weft_status fill_rows(const sqlite_fill* fill, const export_table* table) {
    weft_simlog_part part;
    bool more;
    WEFT_TRY(export_rewind(fill->log));
    for (;;) {
        WEFT_TRY(export_next(fill->log, &part, &more));
        if (!more)
            return WEFT_STATUS_OK;
        if (!export_each_row(fill->log, table, &part, insert_row, (void*)(uintptr_t)fill))
            return explain(fill);
    }
}

static weft_status fill_table(sqlite_fill* fill, const export_table* table) {
    WEFT_TRY(execute_for(fill, print_create, table));
    char* sql = sql_of(print_insert, table);
    int code =
        sql == NULL ? SQLITE_NOMEM : sqlite3_prepare_v2(fill->db, sql, -1, &fill->insert, NULL);
    free(sql);
    weft_status status = code == SQLITE_OK ? fill_rows(fill, table) : explain(fill);
    (void)sqlite3_finalize(fill->insert);
    fill->insert = NULL;
    return status == WEFT_STATUS_OK ? execute_for(fill, print_index, table) : status;
}

static weft_status fill_all(sqlite_fill* fill) {
    if (sqlite3_open_v2(fill->path, &fill->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) !=
        SQLITE_OK)
        return explain(fill);
    // The file has its name only when it is whole, so nothing has to be taken back.
    WEFT_TRY(execute(fill, "PRAGMA journal_mode = OFF"));
    WEFT_TRY(execute(fill, "BEGIN"));
    for (uint32_t i = 0; i < fill->log->table_count; i++)
        if (fill->log->tables[i].wanted)
            WEFT_TRY(fill_table(fill, &fill->log->tables[i]));
    return execute(fill, "COMMIT");
}

weft_status export_sqlite(export_log* log, const char* path) {
    sqlite_fill fill = {.log = log, .path = path};
    weft_status status = fill_all(&fill);
    if (sqlite3_close(fill.db) != SQLITE_OK && status == WEFT_STATUS_OK)
        status = explain(&fill);
    return status;
}
