/// What the forms of `weft export` share: a log that was looked through, and its rows as columns of
/// scalars.
#pragma once

#include "cli.h"

/// What a column of an export holds.
typedef enum export_form {
    EXPORT_TICK,   // The tick of the row.
    EXPORT_PLAIN,  // The log's values.
    EXPORT_SCALED, // Fixed-point numbers as numbers,
    EXPORT_RAW,    // and as integers: "NAME.raw".
} export_form;

typedef struct export_column {
    char* name;
    export_form form;
    uint32_t source; // Column of the log.
    weft_kind kind;  // Of the log's; U64 of a tick.
} export_column;

typedef struct export_table {
    const char* name;
    uint32_t index; // In the log.
    bool wanted;
    uint64_t row_count;
    uint64_t dropped_rows; // That the log counted, and has not.
    export_column* columns;
    uint32_t column_count;
} export_table;

/// A log, from its first part to its last whole one.
typedef struct export_log {
    const char* path;
    const char* shown; // What people call it.
    weft_simlog_reader* reader;
    export_table* tables;
    uint32_t table_count;
    uint64_t first_tick;
    uint64_t end_tick; // After the last; the same where there is none.
    uint64_t segment_count;
    uint64_t dropped_ticks;
    uint64_t unseen_ticks;
    uint64_t torn; // Bytes.
    char line[WEFT_SIMLOG_LINE];
} export_log;

/// Opens a log and reads it once, to its end. Status: as the reader's, OUT_OF_MEMORY; the line says
/// why. To be closed in any case.
weft_status export_open(const char* path, export_log* log);
void export_close(export_log* log);

/// Goes back to the first part.
weft_status export_rewind(export_log* log);

/// Goes on to the next segment; false in `more` at the end.
weft_status export_next(export_log* log, weft_simlog_part* part, bool* more);

/// One row of the segment at hand.
typedef struct export_row {
    const export_log* log;
    const export_table* table;
    uint64_t tick;
    uint64_t index; // In the segment.
} export_row;

/// Calls `fn` for the segment's rows of a table until it says false, which is returned then.
typedef bool export_row_fn(void* context, const export_row* row);
bool export_each_row(const export_log* log, const export_table* table, const weft_simlog_part* part,
                     export_row_fn* fn, void* context);

/// A value's bits; of signed kinds with the sign in all 64.
uint64_t export_bits(const export_row* row, const export_column* column);

/// Whether the kind's values have a sign.
bool export_is_signed(weft_kind kind);

/// A fixed-point number, exact but for what a double cannot hold.
double export_scaled(weft_kind kind, uint64_t bits);

/// Makes a file of this name, which is new. Status: FILE_ERROR, UNSUPPORTED, and those of the log.
typedef weft_status export_write_fn(export_log* log, const char* path);

/// The one wanted table; a null path is standard output.
weft_status export_csv(export_log* log, const char* path);

/// All wanted tables.
weft_status export_sqlite(export_log* log, const char* path);
weft_status export_npz(export_log* log, const char* path);

/// Has a file written under another name beside its own, and gives it its own when it is whole.
weft_status export_publish(export_log* log, const char* path, export_write_fn* write);

/// Fills the line of the log; returns the status.
weft_status export_fail(export_log* log, weft_status status, const char* format, ...)
    WEFT_PRINTF(3, 4);
