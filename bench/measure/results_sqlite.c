// Files of results by SQLite.

#include "harness.h"
#include "results.h"

#include <errno.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct weft_results {
    sqlite3* db;
    char path[WEFT_RESULTS_LINE / 2];
};

#define PATIENCE_MS 10000 // For another process that writes.

static const char schema[] =
    "CREATE TABLE run (number INTEGER PRIMARY KEY, time TEXT NOT NULL);"
    "CREATE TABLE fact (run INTEGER NOT NULL REFERENCES run, kind TEXT NOT NULL,"
    " position INTEGER NOT NULL, name TEXT NOT NULL, text TEXT NOT NULL,"
    " PRIMARY KEY (run, kind, position)) WITHOUT ROWID;"
    "CREATE TABLE measurement (id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES run,"
    " name TEXT NOT NULL, status TEXT NOT NULL, title TEXT NOT NULL, note TEXT NOT NULL,"
    " summary TEXT NOT NULL, error TEXT NOT NULL, seconds REAL NOT NULL,"
    " line_before_ns REAL NOT NULL, line_after_ns REAL NOT NULL, line_min_ns REAL NOT NULL,"
    " line_max_ns REAL NOT NULL, ghz_before REAL NOT NULL, ghz_after REAL NOT NULL,"
    " others REAL NOT NULL, stolen REAL NOT NULL, shares_known INTEGER NOT NULL,"
    " samples INTEGER NOT NULL, disturbed INTEGER NOT NULL, repeated INTEGER NOT NULL);"
    "CREATE TABLE result (id INTEGER PRIMARY KEY,"
    " measurement INTEGER NOT NULL REFERENCES measurement, name TEXT NOT NULL,"
    " unit TEXT NOT NULL, median REAL NOT NULL, min REAL NOT NULL, low REAL NOT NULL,"
    " high REAL NOT NULL, sense TEXT NOT NULL, target REAL, verdict TEXT NOT NULL,"
    " disturbed INTEGER NOT NULL, repeated INTEGER NOT NULL, note TEXT NOT NULL);"
    "CREATE TABLE sample (result INTEGER NOT NULL REFERENCES result, position INTEGER NOT NULL,"
    " value REAL NOT NULL, PRIMARY KEY (result, position)) WITHOUT ROWID;"
    "CREATE INDEX measurement_run ON measurement (run);"
    "CREATE INDEX result_measurement ON result (measurement);"
    "CREATE VIEW medians AS SELECT run.number AS run, time, measurement.name AS measurement,"
    " title, result.name AS name, median, low, high, unit FROM result"
    " JOIN measurement ON measurement.id = result.measurement"
    " JOIN run ON run.number = measurement.run ORDER BY result.id;";

static const char* const verdict_names[] = {
    [WEFT_MEASURE_NO_TARGET] = "none",
    [WEFT_MEASURE_PASS] = "met",
    [WEFT_MEASURE_FAIL] = "missed",
};

bool weft_results_supported(void) {
    return true;
}

// Statements -------------------------------------------------------------------------------------

// Binds values by a letter each: i int64_t, f double, t text, n a double that is left out.
static int bind(sqlite3_stmt* statement, const char* kinds, va_list values) {
    int code = SQLITE_OK;
    for (int at = 1; kinds[at - 1] != '\0' && code == SQLITE_OK; ++at) {
        if (kinds[at - 1] == 'i')
            code = sqlite3_bind_int64(statement, at, va_arg(values, int64_t));
        else if (kinds[at - 1] == 'f')
            code = sqlite3_bind_double(statement, at, va_arg(values, double));
        else if (kinds[at - 1] == 't')
            code =
                sqlite3_bind_text(statement, at, va_arg(values, const char*), -1, SQLITE_TRANSIENT);
        else
            (void)va_arg(values, double);
    }
    return code;
}

// Begins a statement; the caller steps through it and finalizes it. Null after a failure.
static sqlite3_stmt* begin(sqlite3* db, const char* sql, const char* kinds, ...) {
    sqlite3_stmt* statement = NULL;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
        return NULL;
    va_list values;
    va_start(values, kinds);
    int code = bind(statement, kinds, values);
    va_end(values);
    if (code == SQLITE_OK)
        return statement;
    (void)sqlite3_finalize(statement);
    return NULL;
}

// Runs a statement that gives no rows. The id of what it inserted is left in the database.
static bool insert(sqlite3* db, const char* sql, const char* kinds, ...) {
    sqlite3_stmt* statement = NULL;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
        return false;
    va_list values;
    va_start(values, kinds);
    bool done =
        bind(statement, kinds, values) == SQLITE_OK && sqlite3_step(statement) == SQLITE_DONE;
    va_end(values);
    (void)sqlite3_finalize(statement);
    return done;
}

static bool execute(sqlite3* db, const char* sql) {
    return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK;
}

// Errors -----------------------------------------------------------------------------------------

static weft_status refuse(weft_status status, char line[WEFT_RESULTS_LINE], const char* path,
                          const char* why) {
    (void)snprintf(line, WEFT_RESULTS_LINE, "%.200s: %s", path, why);
    return status;
}

// What the database's last error means to a user.
static weft_status explain(sqlite3* db, const char* path, const char* verb,
                           char line[WEFT_RESULTS_LINE]) {
    int code = sqlite3_errcode(db) & 0xff;
    int system = sqlite3_system_errno(db);
    const char* text = sqlite3_errmsg(db);
    const char* todo = "";
    if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB) {
        (void)snprintf(line, WEFT_RESULTS_LINE,
                       "%.200s: the file of results is damaged (%s); nothing was changed: use a "
                       "copy, or another file",
                       path, text);
        return WEFT_STATUS_BAD_FORMAT;
    }
    if (code == SQLITE_BUSY || code == SQLITE_LOCKED)
        todo = "; try again when nobody else uses it";
    else if (code == SQLITE_FULL || sqlite3_extended_errcode(db) == SQLITE_IOERR_WRITE)
        todo = "; make room, or save elsewhere: what the file had is still there";
    bool has_reason = system != 0 && (code == SQLITE_IOERR || code == SQLITE_CANTOPEN ||
                                      code == SQLITE_FULL || code == SQLITE_READONLY);
    (void)snprintf(line, WEFT_RESULTS_LINE, "%.200s: the file of results cannot be %s: %s%s", path,
                   verb, has_reason ? strerror(system) : text, todo);
    return code == SQLITE_NOMEM ? WEFT_STATUS_OUT_OF_MEMORY : WEFT_STATUS_FILE_ERROR;
}

// Opening ----------------------------------------------------------------------------------------

static uint32_t big_endian(const unsigned char* at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

// Looks at the first bytes, before SQLite does anything to a file that is not ours: its format says
// where version and application are. An empty file is as good as none.
static weft_status check_header(const char* path, bool* is_new, char line[WEFT_RESULTS_LINE]) {
    unsigned char head[100];
    struct stat about;
    *is_new = false;
    if (stat(path, &about) != 0) {
        *is_new = errno == ENOENT;
        return *is_new ? WEFT_STATUS_OK
                       : refuse(WEFT_STATUS_FILE_ERROR, line, path, strerror(errno));
    }
    if (!S_ISREG(about.st_mode))
        return refuse(WEFT_STATUS_FILE_ERROR, line, path, "not a regular file");
    *is_new = about.st_size == 0;
    if (*is_new)
        return WEFT_STATUS_OK;
    FILE* file = fopen(path, "rbe");
    if (!file)
        return refuse(WEFT_STATUS_FILE_ERROR, line, path, strerror(errno));
    size_t size = fread(head, 1, sizeof(head), file);
    (void)fclose(file);
    if (size < sizeof(head) || memcmp(head, "SQLite format 3", 16) != 0)
        return refuse(WEFT_STATUS_BAD_FORMAT, line, path,
                      "this is no file of results: it is no SQLite file; it was left as it is");
    if (big_endian(head + 68) != WEFT_RESULTS_ID)
        return refuse(
            WEFT_STATUS_BAD_FORMAT, line, path,
            "this is no file of results: it is another program's SQLite file, and was left "
            "as it is");
    if (big_endian(head + 60) > WEFT_RESULTS_VERSION) {
        (void)snprintf(line, WEFT_RESULTS_LINE,
                       "%.200s: file of results of version %u, this weft knows version %d; use a "
                       "newer weft",
                       path, big_endian(head + 60), WEFT_RESULTS_VERSION);
        return WEFT_STATUS_BAD_FORMAT;
    }
    return WEFT_STATUS_OK;
}

static weft_status check_content(sqlite3* db, const char* path, char line[WEFT_RESULTS_LINE]) {
    char why[160];
    sqlite3_stmt* statement = begin(db, "PRAGMA quick_check(1)", "");
    if (!statement || sqlite3_step(statement) != SQLITE_ROW) {
        weft_status status = explain(db, path, "read", line);
        (void)sqlite3_finalize(statement);
        return status;
    }
    (void)snprintf(why, sizeof(why), "%s", (const char*)sqlite3_column_text(statement, 0));
    (void)sqlite3_finalize(statement);
    if (strcmp(why, "ok") == 0)
        return WEFT_STATUS_OK;
    why[strcspn(why, "\n")] = '\0';
    (void)snprintf(line, WEFT_RESULTS_LINE, "%.200s: the file of results is damaged: %s", path,
                   why);
    return WEFT_STATUS_BAD_FORMAT;
}

static weft_status open_db(const char* path, int flags, sqlite3** out,
                           char line[WEFT_RESULTS_LINE]) {
    const char* verb = flags & SQLITE_OPEN_CREATE ? "opened for writing" : "opened";
    weft_status status = WEFT_STATUS_OK;
    if (sqlite3_open_v2(path, out, flags, NULL) != SQLITE_OK)
        status = *out ? explain(*out, path, verb, line)
                      : refuse(WEFT_STATUS_OUT_OF_MEMORY, line, path, "no memory");
    else if (sqlite3_busy_timeout(*out, PATIENCE_MS) != SQLITE_OK)
        status = explain(*out, path, verb, line);
    else
        status = check_content(*out, path, line);
    if (status == WEFT_STATUS_OK)
        return status;
    (void)sqlite3_close(*out);
    *out = NULL;
    return status;
}

// Makes the tables of a new file. Writing the version proves of an old one that it can be written.
static bool prepare(sqlite3* db) {
    char identity[96];
    (void)snprintf(identity, sizeof(identity),
                   "PRAGMA application_id = %d; PRAGMA user_version = %d", WEFT_RESULTS_ID,
                   WEFT_RESULTS_VERSION);
    if (!execute(db, "BEGIN IMMEDIATE"))
        return false;
    sqlite3_stmt* statement = begin(db, "PRAGMA user_version", "");
    bool done = statement && sqlite3_step(statement) == SQLITE_ROW;
    bool is_empty = done && sqlite3_column_int(statement, 0) == 0;
    (void)sqlite3_finalize(statement);
    done = done && (!is_empty || execute(db, schema)) && execute(db, identity);
    return done && execute(db, "COMMIT");
}

weft_status weft_results_open(const char* path, weft_results** out, char line[WEFT_RESULTS_LINE]) {
    bool is_new;
    *out = NULL;
    WEFT_TRY(check_header(path, &is_new, line));
    weft_results* results = calloc(1, sizeof(*results));
    if (!results)
        return refuse(WEFT_STATUS_OUT_OF_MEMORY, line, path, "no memory");
    (void)snprintf(results->path, sizeof(results->path), "%s", path);
    weft_status status =
        open_db(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, &results->db, line);
    if (status == WEFT_STATUS_OK && sqlite3_db_readonly(results->db, "main") == 1)
        status = refuse(WEFT_STATUS_FILE_ERROR, line, path,
                        "the file of results cannot be written: it is read-only");
    if (status == WEFT_STATUS_OK && !prepare(results->db))
        status = explain(results->db, path, "written", line);
    if (status == WEFT_STATUS_OK)
        *out = results;
    else
        weft_results_close(results);
    return status;
}

void weft_results_close(weft_results* results) {
    if (!results)
        return;
    (void)sqlite3_close(results->db);
    free(results);
}

// Writing ----------------------------------------------------------------------------------------

static bool add_facts(sqlite3* db, int64_t run, const char* kind, const weft_machine* facts) {
    for (uint32_t i = 0; i < facts->count; ++i) {
        if (!insert(db, "INSERT INTO fact VALUES (?, ?, ?, ?, ?)", "ititt", run, kind, (int64_t)i,
                    facts->fact[i].name, facts->fact[i].text))
            return false;
    }
    return true;
}

static bool add_run(sqlite3* db, const weft_run_head* head, int64_t* number) {
    if (!insert(db, "INSERT INTO run (time) VALUES (?)", "t", head->time))
        return false;
    *number = sqlite3_last_insert_rowid(db);
    return add_facts(db, *number, "machine", &head->machine) &&
           add_facts(db, *number, "option", &head->options);
}

static bool add_row(sqlite3* db, int64_t measurement, const weft_measure_row* row) {
    const double* value = row->value;
    const char* sense = row->sense == WEFT_MEASURE_AT_MOST ? "at_most" : "at_least";
    bool has_target = row->verdict != WEFT_MEASURE_NO_TARGET;
    if (!insert(db, "INSERT INTO result VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                has_target ? "ittfffftftiit" : "ittfffftntiit", measurement, row->name, row->unit,
                value[WEFT_MEASURE_MEDIAN], value[WEFT_MEASURE_MIN], value[WEFT_MEASURE_LOW],
                value[WEFT_MEASURE_HIGH], sense, row->target, verdict_names[row->verdict],
                (int64_t)row->disturbed, (int64_t)row->repeated, row->note))
        return false;
    int64_t result = sqlite3_last_insert_rowid(db);
    for (uint32_t i = 0; i < row->sample_count; ++i) {
        if (!insert(db, "INSERT INTO sample VALUES (?, ?, ?)", "iif", result, (int64_t)i,
                    row->sample[i]))
            return false;
    }
    return true;
}

static bool add_table(sqlite3* db, int64_t run, weft_status status,
                      const weft_measure_table* table) {
    const weft_conditions* is = &table->conditions;
    if (!insert(
            db,
            "INSERT INTO measurement VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
            "?, ?, ?, ?, ?)",
            "itttttt"
            "fffffffff"
            "iiii",
            run, table->name, weft_status_name(status), table->title, table->note, table->summary,
            table->error, is->seconds, is->line_ns[0], is->line_ns[1], is->line_min, is->line_max,
            is->ghz[0], is->ghz[1], is->others, is->stolen, (int64_t)is->shares_known,
            (int64_t)is->samples, (int64_t)is->disturbed, (int64_t)is->repeated))
        return false;
    int64_t measurement = sqlite3_last_insert_rowid(db);
    for (uint32_t i = 0; i < table->row_count && status == WEFT_STATUS_OK; ++i) {
        if (!add_row(db, measurement, &table->row[i]))
            return false;
    }
    return true;
}

weft_status weft_results_add(weft_results* results, weft_run_head* head, weft_status status,
                             const weft_measure_table* table, char line[WEFT_RESULTS_LINE]) {
    sqlite3* db = results->db;
    int64_t number = head->number;
    bool done = execute(db, "BEGIN IMMEDIATE");
    done = done && (number > 0 || add_run(db, head, &number));
    done = done && add_table(db, number, status, table) && execute(db, "COMMIT");
    if (done) {
        head->number = number;
        return WEFT_STATUS_OK;
    }
    weft_status failure = explain(db, results->path, "written", line);
    (void)execute(db, "ROLLBACK");
    return failure;
}

// Reading ----------------------------------------------------------------------------------------

static const char* text_of(sqlite3_stmt* statement, int column) {
    const char* text = (const char*)sqlite3_column_text(statement, column);
    return text ? text : "";
}

// Ends a statement whose last step was `code`: whether there were no more rows.
static bool end(sqlite3_stmt* statement, int code) {
    return sqlite3_finalize(statement) == SQLITE_OK && code == SQLITE_DONE;
}

static bool read_facts(sqlite3* db, int64_t run, const char* kind, weft_machine* facts) {
    sqlite3_stmt* statement =
        begin(db, "SELECT name, text FROM fact WHERE run = ? AND kind = ? ORDER BY position", "it",
              run, kind);
    int code;
    if (!statement)
        return false;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW)
        weft_machine_add(facts, text_of(statement, 0), text_of(statement, 1));
    return end(statement, code);
}

static bool read_samples(sqlite3* db, int64_t result, weft_series* series) {
    sqlite3_stmt* statement =
        begin(db, "SELECT value FROM sample WHERE result = ? ORDER BY position", "i", result);
    int code;
    if (!statement)
        return false;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW)
        weft_series_add(series, sqlite3_column_double(statement, 0));
    return end(statement, code);
}

static bool read_rows(sqlite3* db, int64_t measurement, weft_measure_table* table) {
    sqlite3_stmt* statement =
        begin(db,
              "SELECT id, name, unit, sense, disturbed, repeated, target, verdict FROM result"
              " WHERE measurement = ? ORDER BY id",
              "i", measurement);
    int code;
    if (!statement)
        return false;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        weft_series series = {.disturbed = (uint32_t)sqlite3_column_int(statement, 4),
                              .repeated = (uint32_t)sqlite3_column_int(statement, 5)};
        if (!read_samples(db, sqlite3_column_int64(statement, 0), &series))
            break;
        weft_measure_row* row =
            weft_measure_add(table, text_of(statement, 2), &series, 1, "%s", text_of(statement, 1));
        row->sense = strcmp(text_of(statement, 3), "at_least") == 0 ? WEFT_MEASURE_AT_LEAST
                                                                    : WEFT_MEASURE_AT_MOST;
        row->target = sqlite3_column_double(statement, 6);
        for (int i = WEFT_MEASURE_PASS; i <= WEFT_MEASURE_FAIL; ++i) {
            if (strcmp(text_of(statement, 7), verdict_names[i]) == 0)
                row->verdict = (weft_measure_verdict)i;
        }
    }
    return end(statement, code);
}

static void read_conditions(sqlite3_stmt* statement, int column, weft_conditions* is) {
    double* const values[] = {&is->seconds,  &is->line_ns[0], &is->line_ns[1],
                              &is->line_min, &is->line_max,   &is->ghz[0],
                              &is->ghz[1],   &is->others,     &is->stolen};
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); ++i)
        *values[i] = sqlite3_column_double(statement, column++);
    is->shares_known = sqlite3_column_int(statement, column++) != 0;
    is->samples = (uint32_t)sqlite3_column_int(statement, column++);
    is->disturbed = (uint32_t)sqlite3_column_int(statement, column++);
    is->repeated = (uint32_t)sqlite3_column_int(statement, column);
}

static bool read_tables(sqlite3* db, weft_run* run) {
    sqlite3_stmt* statement =
        begin(db,
              "SELECT id, name, status, title, note, error, seconds, line_before_ns, line_after_ns,"
              " line_min_ns, line_max_ns, ghz_before, ghz_after, others, stolen, shares_known,"
              " samples, disturbed, repeated FROM measurement WHERE run = ? ORDER BY id",
              "i", run->head.number);
    int code;
    if (!statement)
        return false;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        weft_run_table* added = weft_run_add(run, text_of(statement, 1));
        if (!added)
            break;
        weft_measure_table* table = &added->table;
        (void)snprintf(added->status, sizeof(added->status), "%s", text_of(statement, 2));
        (void)snprintf(table->title, sizeof(table->title), "%s", text_of(statement, 3));
        (void)snprintf(table->note, sizeof(table->note), "%s", text_of(statement, 4));
        (void)snprintf(table->error, sizeof(table->error), "%s", text_of(statement, 5));
        read_conditions(statement, 6, &table->conditions);
        if (!read_rows(db, sqlite3_column_int64(statement, 0), table))
            break;
    }
    return end(statement, code);
}

// Finds the run and reads its time. Number 0 is the latest.
static weft_status find_run(sqlite3* db, const char* path, weft_run_head* head,
                            char line[WEFT_RESULTS_LINE]) {
    int64_t wanted = head->number;
    sqlite3_stmt* statement =
        begin(db, "SELECT number, time FROM run WHERE number = ? OR ? = 0 ORDER BY number DESC",
              "ii", wanted, wanted);
    int code = statement ? sqlite3_step(statement) : SQLITE_ERROR;
    if (code == SQLITE_ROW) {
        head->number = sqlite3_column_int64(statement, 0);
        (void)snprintf(head->time, sizeof(head->time), "%s", text_of(statement, 1));
    }
    weft_status status = WEFT_STATUS_OK;
    if (code == SQLITE_DONE && wanted == 0) {
        status = refuse(WEFT_STATUS_OUT_OF_RANGE, line, path, "no run is in this file of results");
    } else if (code == SQLITE_DONE) {
        (void)snprintf(line, WEFT_RESULTS_LINE,
                       "%.200s: has no run %" PRId64 "; `weft bench runs` lists those it has", path,
                       wanted);
        status = WEFT_STATUS_OUT_OF_RANGE;
    } else if (code != SQLITE_ROW) {
        status = explain(db, path, "read", line);
    }
    (void)sqlite3_finalize(statement);
    return status;
}

static weft_status open_to_read(const char* path, sqlite3** out, char line[WEFT_RESULTS_LINE]) {
    bool is_new;
    *out = NULL;
    WEFT_TRY(check_header(path, &is_new, line));
    if (is_new)
        return refuse(WEFT_STATUS_FILE_ERROR, line, path,
                      "there is no such file of results; `weft bench --save FILE` makes one");
    return open_db(path, SQLITE_OPEN_READONLY, out, line);
}

weft_status weft_results_load(const char* path, int64_t number, weft_run* out,
                              char line[WEFT_RESULTS_LINE]) {
    sqlite3* db;
    *out = (weft_run){.head = {.number = number}};
    WEFT_TRY(open_to_read(path, &db, line));
    // One transaction, so that what another process adds meanwhile is not seen by halves.
    weft_status status = WEFT_STATUS_OK;
    if (!execute(db, "BEGIN"))
        status = explain(db, path, "read", line);
    if (status == WEFT_STATUS_OK)
        status = find_run(db, path, &out->head, line);
    if (status == WEFT_STATUS_OK &&
        !(read_facts(db, out->head.number, "machine", &out->head.machine) &&
          read_facts(db, out->head.number, "option", &out->head.options) && read_tables(db, out)))
        status = explain(db, path, "read", line);
    (void)sqlite3_close(db);
    return status;
}

weft_status weft_results_list(const char* path,
                              void (*entry)(void* context, const weft_results_entry* run),
                              void* context, char line[WEFT_RESULTS_LINE]) {
    static const char sql[] = "SELECT number, time,"
                              " (SELECT text FROM fact WHERE run = number AND name = 'commit'),"
                              " (SELECT text FROM fact WHERE run = number AND name = 'compiler'),"
                              " (SELECT text FROM fact WHERE run = number AND name = 'cpu'),"
                              " (SELECT group_concat(name, ', ') FROM"
                              "  (SELECT name FROM measurement WHERE run = number ORDER BY id))"
                              " FROM run ORDER BY number";
    sqlite3* db;
    WEFT_TRY(open_to_read(path, &db, line));
    sqlite3_stmt* statement = begin(db, sql, "");
    int code = SQLITE_ERROR;
    while (statement && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        weft_results_entry run = {.number = sqlite3_column_int64(statement, 0)};
        (void)snprintf(run.time, sizeof(run.time), "%s", text_of(statement, 1));
        (void)snprintf(run.commit, sizeof(run.commit), "%s", text_of(statement, 2));
        (void)snprintf(run.compiler, sizeof(run.compiler), "%s", text_of(statement, 3));
        (void)snprintf(run.cpu, sizeof(run.cpu), "%s", text_of(statement, 4));
        (void)snprintf(run.measurements, sizeof(run.measurements), "%s", text_of(statement, 5));
        entry(context, &run);
    }
    weft_status status = code == SQLITE_DONE ? WEFT_STATUS_OK : explain(db, path, "read", line);
    (void)sqlite3_finalize(statement);
    (void)sqlite3_close(db);
    return status;
}
