/// The columnar log: the tables of a world, tick by tick, in a file (weft_world_register_table).
///
/// The caller of weft_simlog_tick() copies the rows of the last tick into one of two containers.
/// When that is full the two are swapped, and a thread writes it as one *segment*: for each table
/// its columns. Where a segment ends follows from the rows alone, so a file's bytes are the same
/// for every executor, worker count and speed of the disk, as long as no tick is left out. A file
/// whose writer died is read up to its last whole segment, and a run that is started again goes on
/// there. The log changes no result: not the state, not a digest.
#pragma once

#include <weft/world.h>

#ifdef __cplusplus
extern "C" {
#endif

// Writing ----------------------------------------------------------------------------------------

typedef struct weft_simlog weft_simlog;

/// What becomes of a tick whose rows have no room, because the thread is still writing.
typedef enum weft_simlog_policy {
    WEFT_SIMLOG_BLOCK = 0, // It waits, up to `wait_ns`; then the log fails.
    WEFT_SIMLOG_DROP = 1,  // It is left out, and the file says which ticks were.
    WEFT_SIMLOG_COUNT = 2, // The same, and the file says how many rows of each table they had.
} weft_simlog_policy;

/// Start from weft_simlog_desc_default().
typedef struct weft_simlog_desc {
    weft_simlog_policy policy;
    uint64_t wait_ns;       // BLOCK: the longest that one tick waits.
    uint32_t segment_ticks; // A segment ends after so many ticks, 1 to 1,000,000,
    uint32_t segment_bytes; // or with the tick in which its rows reach so many bytes, 1 to 2^30.
    bool compress;          // Columns are compressed by zstd, where the build has it.
    bool sync;              // Each segment is made durable before the next one is written.
    uint32_t cookie;        // Set by the default function. Do not write.
} weft_simlog_desc;

/// BLOCK for at most 10 seconds; segments of 1024 ticks or 8 MiB; not compressed; synced.
WEFT_API weft_simlog_desc weft_simlog_desc_default(void);

/// Bytes that a line for people needs.
#define WEFT_SIMLOG_LINE 1280u

/// Starts to log a world between ticks, with all its tables; from then on rows of
/// WEFT_DELIVERY_LOG are kept. Where there is a file, it must be of the same tables and seed: it is
/// gone on with behind its last whole segment, and ticks that it has already are passed over.
/// `line` says what went wrong. Status: BAD_ARGUMENT (description; a world without tables),
/// FILE_ERROR, BAD_FORMAT, IDENTITY_MISMATCH, UNSUPPORTED (no zstd in this build), BAD_TYPE (too
/// long a name of a column), OUT_OF_MEMORY, OS.
WEFT_API WEFT_NODISCARD weft_status weft_simlog_open(const weft_simlog_desc* desc, const char* path,
                                                     weft_world* world, weft_simlog** log_out,
                                                     char line[WEFT_SIMLOG_LINE]);

/// Takes the rows of the tick that has just ended. Called by one thread after every tick; never
/// waits longer than the policy says, but where the world has jumped over ticks. The first failure,
/// also of the thread, sticks and ends the log; the world is not touched by it. Status: FILE_ERROR,
/// TOO_LATE (BLOCK: the thread did not keep up), OUT_OF_MEMORY.
WEFT_API WEFT_NODISCARD weft_status weft_simlog_tick(weft_simlog* log);

/// Writes what is left, however long that takes, makes it durable, and frees the log. The world
/// must still be there. Null is allowed. `line` may be null. Status: the first failure of all.
WEFT_API WEFT_NODISCARD weft_status weft_simlog_close(weft_simlog* log, char* line);

/// One line on the failure; empty if there is none.
WEFT_API const char* weft_simlog_error(const weft_simlog* log);

/// Writes the state of a world between ticks as a log of one tick, which is the number of ticks
/// done: a table for each component, with the columns entity.slot and entity.generation before its
/// own, for each resource and each reduction. What has the name is replaced. Status: FILE_ERROR,
/// BAD_ARGUMENT (a world without these), BAD_TYPE (too long a name of a column), OUT_OF_MEMORY,
/// WORLD_FAILED.
WEFT_API WEFT_NODISCARD weft_status weft_simlog_write_state(const weft_world* world,
                                                            const char* path,
                                                            char line[WEFT_SIMLOG_LINE]);

/// What happened so far. Not part of any result.
typedef struct weft_simlog_stats {
    uint64_t ticks;         // Taken.
    uint64_t rows;          // Of these ticks.
    uint64_t bytes;         // The same, in memory.
    uint64_t ticks_passed;  // Passed over because the file has them.
    uint64_t ticks_dropped; // Left out by the policy.
    uint64_t waits;         // Ticks that waited for the thread,
    uint64_t wait_ns;       // and how long in all.
    uint64_t file_first;    // The first tick of the file; UINT64_MAX if it had none when opened.
} weft_simlog_stats;

/// The counters now.
WEFT_API weft_simlog_stats weft_simlog_stats_read(const weft_simlog* log);

// Reading ----------------------------------------------------------------------------------------

typedef struct weft_simlog_reader weft_simlog_reader;

/// One column: a scalar of a table's rows.
typedef struct weft_simlog_column {
    const char* name; // "cell", "at.x", "parts[2].speed", "eater.slot", "eater.generation"
    weft_kind kind;   // I8 to U64, BOOL, FIXED, FIXED64 or FLOAT.
    uint32_t size;    // Bytes of a value: 1, 2, 4 or 8.
} weft_simlog_column;

/// One table of a file.
typedef struct weft_simlog_table {
    const char* name;
    uint32_t row_size; // Bytes.
    uint32_t column_count;
    const weft_simlog_column* columns;
} weft_simlog_table;

typedef enum weft_simlog_part_kind {
    WEFT_SIMLOG_END = 0,
    WEFT_SIMLOG_SEGMENT = 1, // Rows.
    WEFT_SIMLOG_DROPPED = 2, // Ticks that the policy left out.
    WEFT_SIMLOG_UNSEEN = 3,  // Ticks that were not logged, such as between two runs.
} weft_simlog_part_kind;

/// A run of ticks in a file. Parts follow each other without a gap.
typedef struct weft_simlog_part {
    weft_simlog_part_kind kind;
    uint64_t first_tick;
    uint64_t tick_count;
    bool counted;         // DROPPED: `row_counts` are known.
    uint64_t* row_counts; // [table]
} weft_simlog_part;

/// Opens a file. Status: FILE_ERROR, BAD_FORMAT (no log, of another version, or damaged; `line`
/// says which), OUT_OF_MEMORY.
WEFT_API WEFT_NODISCARD weft_status weft_simlog_reader_open(const char* path,
                                                            weft_simlog_reader** reader_out,
                                                            char line[WEFT_SIMLOG_LINE]);

/// Closes it. Null is allowed.
WEFT_API void weft_simlog_reader_close(weft_simlog_reader* reader);

/// What the file is of.
WEFT_API uint64_t weft_simlog_reader_seed(const weft_simlog_reader* reader);
WEFT_API uint64_t weft_simlog_reader_schema_hash(const weft_simlog_reader* reader);
WEFT_API uint32_t weft_simlog_reader_table_count(const weft_simlog_reader* reader);
WEFT_API const weft_simlog_table* weft_simlog_reader_table(const weft_simlog_reader* reader,
                                                           uint32_t table);

/// Goes on to the next part, to END behind the last whole one. Status: BAD_FORMAT, FILE_ERROR,
/// UNSUPPORTED (compressed, and no zstd in this build), OUT_OF_MEMORY.
WEFT_API WEFT_NODISCARD weft_status weft_simlog_reader_next(weft_simlog_reader* reader,
                                                            weft_simlog_part* part_out);

/// At the end: bytes behind the last whole segment, of a writer that died.
WEFT_API uint64_t weft_simlog_reader_torn(const weft_simlog_reader* reader);

/// One line on the last failure.
WEFT_API const char* weft_simlog_reader_error(const weft_simlog_reader* reader);

/// Rows of a table in tick `first_tick` + `index` of the segment at hand.
WEFT_API uint32_t weft_simlog_reader_tick_rows(const weft_simlog_reader* reader, uint32_t table,
                                               uint64_t index);

/// A column of a table in the segment at hand: its values in little-endian, one behind the other,
/// not aligned; may be null where there are no rows. Valid until the next call of
/// weft_simlog_reader_next().
WEFT_API const uint8_t* weft_simlog_reader_column(const weft_simlog_reader* reader, uint32_t table,
                                                  uint32_t column);

#ifdef __cplusplus
}
#endif
