// Writing logs: two containers, one that ticks fill, and one that a thread writes.
//
// `turn` says whose the back container is, and everything that goes with it (what the thread writes
// with, and its failure): the caller's while it is EMPTY, the thread's while it is FULL. Where a
// segment ends is decided by the caller from the rows alone; when it is handed over depends on the
// disk, and only a policy that leaves ticks out can make that visible.

#include "simlog_format.h"

#include <stdio.h>
#include <string.h>

#include "compress.h"
#include "os.h"
#include "park.h"
#include "weft_arena.h"
#include "weft_bytes.h"

#define SIMLOG_COOKIE 0x5753494Du
#define TURN_EMPTY 0u
#define TURN_FULL 1u

/// Ticks without rows.
typedef struct gap {
    uint32_t kind; // WEFT__SIMLOG_DROPPED or WEFT__SIMLOG_UNSEEN.
    uint64_t first_tick;
    uint64_t tick_count; // 0: there is none.
} gap;

/// Rows of some ticks in a row, and the gap before them.
typedef struct container {
    gap before;
    uint64_t* gap_rows; // [table] of the gap.
    uint64_t first_tick;
    uint32_t tick_count;
    uint64_t bytes;
    WEFT__VEC(uint32_t) counts; // [tick][table]
    WEFT__VEC(uint8_t) * rows;  // [table]
} container;

/// A table that is logged.
typedef struct logged_table {
    const weft_type* type;
    WEFT__VEC(weft__column) columns;
} logged_table;

struct weft_simlog {
    weft_simlog_desc desc;
    weft_world* world;
    weft__arena arena; // The caller's: the thread allocates nothing from it.
    uint32_t table_count;
    logged_table* tables;
    weft__schema schema;
    container containers[2];
    uint32_t front;
    bool full;           // The front container ends a segment: it must be handed over.
    gap dropped;         // Ticks that were left out since.
    uint64_t* drop_rows; // [table]
    uint64_t next_tick;  // That the file has not.
    bool begun;          // It has any.
    weft_status status;  // The first failure.
    weft_simlog_stats stats;
    char line[WEFT_SIMLOG_LINE];

    weft__os_thread thread;
    weft__park park;
    weft__atomic_u32 turn;
    weft__atomic_u32 stop;
    // Whose the turn is.
    weft__file file;
    uint64_t frame_number;
    uint8_t* buffer; // One frame's content.
    size_t buffer_size;
    weft_status writer_status;
};

weft_simlog_desc weft_simlog_desc_default(void) {
    return (weft_simlog_desc){.policy = WEFT_SIMLOG_BLOCK,
                              .wait_ns = UINT64_C(10000000000),
                              .segment_ticks = 1024,
                              .segment_bytes = 8u << 20,
                              .sync = true,
                              .cookie = SIMLOG_COOKIE};
}

// The thread -------------------------------------------------------------------------------------

static bool buffer_reserve(weft_simlog* log, uint64_t size) {
    if (size <= log->buffer_size)
        return true;
    void* buffer;
    size_t grown = (size_t)size + (size_t)size / 4;
    if ((uint64_t)grown < size || weft__os_region_reserve(grown, &buffer) != WEFT_STATUS_OK)
        return false;
    weft__os_region_release(log->buffer, log->buffer_size);
    log->buffer = buffer;
    log->buffer_size = grown;
    return true;
}

static weft_status write_gap(weft_simlog* log, const container* back) {
    if (back->before.tick_count == 0)
        return WEFT_STATUS_OK;
    bool counted =
        back->before.kind == WEFT__SIMLOG_DROPPED && log->desc.policy == WEFT_SIMLOG_COUNT;
    uint64_t size = WEFT__SIMLOG_GAP_HEAD + (counted ? 8 * (uint64_t)log->table_count : 0);
    if (!buffer_reserve(log, size))
        return WEFT_STATUS_OUT_OF_MEMORY;
    weft__bytes bytes;
    weft__bytes_init(&bytes, log->buffer, log->buffer_size);
    weft__bytes_put_u64(&bytes, back->before.first_tick);
    weft__bytes_put_u64(&bytes, back->before.tick_count);
    weft__bytes_put_u64(&bytes, counted);
    for (uint32_t i = 0; counted && i < log->table_count; i++)
        weft__bytes_put_u64(&bytes, back->gap_rows[i]);
    WEFT_ASSERT(!bytes.overflow && bytes.size == size);
    return weft__frame_append(&log->file, back->before.kind, log->frame_number++, log->buffer,
                              bytes.size);
}

static void put_columns(weft_simlog* log, const container* back, uint32_t table,
                        weft__bytes* bytes) {
    const logged_table* from = &log->tables[table];
    uint32_t row_size = from->type->size;
    size_t count = back->rows[table].count / row_size;
    WEFT_ASSERT(count * row_size == back->rows[table].count);
    for (uint32_t i = 0; i < from->columns.count && count > 0; i++) {
        const weft__column* column = &from->columns.items[i];
        uint8_t* out = weft__bytes_reserve(bytes, count * column->size);
        WEFT_ASSERT(out != NULL);
        weft__column_gather(back->rows[table].items, row_size, column->offset, column->size, count,
                            out);
    }
}

// Everything before the columns.
static void put_segment_head(weft_simlog* log, const container* back, weft__bytes* bytes) {
    weft__bytes_put_u64(bytes, back->first_tick);
    weft__bytes_put_u64(bytes, back->tick_count);
    for (uint32_t i = 0; i < log->table_count; i++)
        weft__bytes_put_u64(bytes, back->rows[i].count / log->tables[i].type->size);
    for (uint32_t i = 0; i < back->counts.count; i++)
        weft__bytes_put_u32(bytes, back->counts.items[i]);
}

// A segment lies in the buffer: its head, then its columns. A packed one is made behind it.
static weft_status append_packed(weft_simlog* log, size_t head, size_t columns) {
    uint8_t* packed = log->buffer + head + columns;
    WEFT_ASSERT(2 * head + columns + weft__compress_bound(columns) <= log->buffer_size);
    memcpy(packed, log->buffer, head);
    size_t size =
        weft__compress(log->buffer + head, columns, packed + head, weft__compress_bound(columns));
    if (size == 0)
        return WEFT_STATUS_OUT_OF_MEMORY;
    return weft__frame_append(&log->file, WEFT__SIMLOG_PACKED, log->frame_number++, packed,
                              head + size);
}

static weft_status write_segment(weft_simlog* log, const container* back) {
    if (back->tick_count == 0)
        return WEFT_STATUS_OK;
    WEFT_ASSERT(back->counts.count == back->tick_count * log->table_count);
    uint64_t head = WEFT__SIMLOG_SEGMENT_HEAD + 8 * (uint64_t)log->table_count +
                    4 * (uint64_t)back->counts.count;
    uint64_t columns = 0;
    for (uint32_t i = 0; i < log->table_count; i++)
        columns += back->rows[i].count;
    bool packs = log->desc.compress && columns > 0;
    uint64_t packed = packs ? head + weft__compress_bound((size_t)columns) : 0;
    if (!buffer_reserve(log, head + columns + packed))
        return WEFT_STATUS_OUT_OF_MEMORY;
    weft__bytes bytes;
    weft__bytes_init(&bytes, log->buffer, (size_t)(head + columns));
    put_segment_head(log, back, &bytes);
    WEFT_ASSERT(bytes.size == head);
    for (uint32_t i = 0; i < log->table_count; i++)
        put_columns(log, back, i, &bytes);
    WEFT_ASSERT(!bytes.overflow && bytes.size == head + columns);
    if (packs)
        return append_packed(log, (size_t)head, (size_t)columns);
    return weft__frame_append(&log->file, WEFT__SIMLOG_SEGMENT, log->frame_number++, log->buffer,
                              bytes.size);
}

static weft_status write_container(weft_simlog* log, const container* back) {
    WEFT_TRY(write_gap(log, back));
    WEFT_TRY(write_segment(log, back));
    return log->desc.sync ? weft__file_sync(&log->file) : WEFT_STATUS_OK;
}

static void writer_run(void* context) {
    weft_simlog* log = context;
    for (;;) {
        uint32_t ticket = weft__park_prepare(&log->park);
        if (weft__atomic_u32_load_acquire(&log->turn) == TURN_FULL) {
            weft__park_cancel(&log->park);
            // `front` is the caller's, and stays while the turn is FULL.
            log->writer_status = write_container(log, &log->containers[1 - log->front]);
            weft__atomic_u32_store_release(&log->turn, TURN_EMPTY);
            weft__park_notify(&log->park);
        } else if (weft__atomic_u32_load_acquire(&log->stop) != 0) {
            weft__park_cancel(&log->park);
            return;
        } else {
            weft__park_sleep(&log->park, ticket, 0);
        }
    }
}

// Handing over -----------------------------------------------------------------------------------

static weft_status simlog_fail(weft_simlog* log, weft_status status, const char* line) {
    WEFT_ASSERT(status != WEFT_STATUS_OK && log->status == WEFT_STATUS_OK);
    (void)snprintf(log->line, sizeof(log->line), "%s", line);
    log->status = status;
    return status;
}

// True if the back container is the caller's again. Then the thread's failure is the log's.
static bool writer_done(weft_simlog* log) {
    if (weft__atomic_u32_load_acquire(&log->turn) != TURN_EMPTY)
        return false;
    if (log->writer_status != WEFT_STATUS_OK && log->status == WEFT_STATUS_OK)
        (void)simlog_fail(log, log->writer_status,
                          log->writer_status == WEFT_STATUS_OUT_OF_MEMORY
                              ? "the log: no memory is left to write a segment"
                              : log->file.line);
    return true;
}

// Waits until the thread is done, or until the clock shows the deadline; 0 is none.
static bool writer_wait(weft_simlog* log, uint64_t deadline_ns) {
    while (!writer_done(log)) {
        uint32_t ticket = weft__park_prepare(&log->park);
        if (weft__atomic_u32_load_acquire(&log->turn) == TURN_EMPTY) {
            weft__park_cancel(&log->park);
            continue;
        }
        weft__park_sleep(&log->park, ticket, deadline_ns);
        if (deadline_ns != 0 && weft__os_clock_ns() >= deadline_ns)
            return writer_done(log);
    }
    return true;
}

static void container_clear(weft_simlog* log, container* of) {
    of->before = (gap){0};
    of->first_tick = 0;
    of->tick_count = 0;
    of->bytes = 0;
    of->counts.count = 0;
    for (uint32_t i = 0; i < log->table_count; i++)
        of->rows[i].count = 0;
}

// The thread is done: the front container becomes its, and what was left out meanwhile stands
// before the next rows.
static void hand_over(weft_simlog* log) {
    WEFT_ASSERT(weft__atomic_u32_load_relaxed(&log->turn) == TURN_EMPTY);
    log->front = 1 - log->front;
    container* front = &log->containers[log->front];
    container_clear(log, front);
    front->before = log->dropped;
    memcpy(front->gap_rows, log->drop_rows, log->table_count * sizeof(uint64_t));
    memset(log->drop_rows, 0, log->table_count * sizeof(uint64_t));
    log->dropped = (gap){0};
    log->full = false;
    weft__atomic_u32_store_release(&log->turn, TURN_FULL);
    weft__park_notify(&log->park);
}

// BLOCK: waits for the thread as long as is allowed.
static weft_status wait_for_writer(weft_simlog* log) {
    uint64_t started = weft__os_clock_ns();
    bool done = writer_wait(log, started + log->desc.wait_ns);
    log->stats.waits++;
    log->stats.wait_ns += weft__os_clock_ns() - started;
    if (log->status != WEFT_STATUS_OK)
        return log->status;
    if (done)
        return WEFT_STATUS_OK;
    char line[WEFT_SIMLOG_LINE];
    (void)snprintf(line, sizeof(line),
                   "%.800s: tick %llu found the log still busy with ticks before it after %llu ms; "
                   "log to a faster disk, allow a longer wait, or take a policy that leaves ticks "
                   "out",
                   log->file.path, (unsigned long long)log->next_tick,
                   (unsigned long long)(log->desc.wait_ns / 1000000));
    return simlog_fail(log, WEFT_STATUS_TOO_LATE, line);
}

// Ticks ------------------------------------------------------------------------------------------

static void drop_tick(weft_simlog* log, uint64_t tick) {
    if (log->dropped.tick_count == 0)
        log->dropped = (gap){WEFT__SIMLOG_DROPPED, tick, 0};
    WEFT_ASSERT(log->dropped.first_tick + log->dropped.tick_count == tick);
    log->dropped.tick_count++;
    log->stats.ticks_dropped++;
    for (uint32_t i = 0; i < log->table_count; i++)
        log->drop_rows[i] += weft_world_table(log->world, i).count;
}

static weft_status take_rows(weft_simlog* log, container* front) {
    WEFT_TRY(WEFT__VEC_RESERVE(&log->arena, front->counts, log->table_count));
    for (uint32_t i = 0; i < log->table_count; i++) {
        weft_table table = weft_world_table(log->world, i);
        size_t size = (size_t)table.count * log->tables[i].type->size;
        if (size > UINT32_MAX - front->rows[i].count)
            return WEFT_STATUS_OUT_OF_MEMORY;
        WEFT_TRY(WEFT__VEC_RESERVE(&log->arena, front->rows[i], size));
        if (size > 0)
            memcpy(front->rows[i].items + front->rows[i].count, table.rows, size);
        front->rows[i].count += (uint32_t)size;
        front->counts.items[front->counts.count++] = table.count;
        front->bytes += size;
        log->stats.rows += table.count;
        log->stats.bytes += size;
    }
    return WEFT_STATUS_OK;
}

static weft_status take_tick(weft_simlog* log, uint64_t tick) {
    container* front = &log->containers[log->front];
    WEFT_ASSERT(!log->full);
    if (front->tick_count == 0) {
        front->first_tick = tick;
        // A segment follows what is before it.
        WEFT_ASSERT(front->before.tick_count == 0 ||
                    front->before.first_tick + front->before.tick_count == tick);
    }
    WEFT_ASSERT(front->first_tick + front->tick_count == tick);
    if (take_rows(log, front) != WEFT_STATUS_OK)
        return simlog_fail(log, WEFT_STATUS_OUT_OF_MEMORY,
                           "the log: no memory is left for the rows of a tick");
    front->tick_count++;
    log->stats.ticks++;
    log->full =
        front->tick_count >= log->desc.segment_ticks || front->bytes >= log->desc.segment_bytes;
    if (log->full && writer_done(log) && log->status == WEFT_STATUS_OK)
        hand_over(log);
    return log->status;
}

// Ticks that nobody logged, between what the file has and this one. A segment cannot skip them, so
// the front container ends before.
static weft_status note_unseen(weft_simlog* log, uint64_t tick) {
    WEFT_ASSERT(tick > log->next_tick);
    if (log->containers[log->front].tick_count > 0 || log->dropped.tick_count > 0) {
        if (!writer_wait(log, 0) || log->status != WEFT_STATUS_OK)
            return log->status;
        hand_over(log);
    }
    if (!writer_wait(log, 0) || log->status != WEFT_STATUS_OK)
        return log->status;
    if (log->containers[log->front].before.tick_count > 0)
        hand_over(log);
    WEFT_ASSERT(log->containers[log->front].tick_count == 0 && !log->full);
    log->containers[log->front].before =
        (gap){WEFT__SIMLOG_UNSEEN, log->next_tick, tick - log->next_tick};
    return WEFT_STATUS_OK;
}

weft_status weft_simlog_tick(weft_simlog* log) {
    WEFT_ASSERT(log != NULL);
    (void)writer_done(log);
    if (log->status != WEFT_STATUS_OK)
        return log->status;
    WEFT_ASSERT(weft_world_tick(log->world) > 0);
    uint64_t tick = weft_world_tick(log->world) - 1;
    if (log->begun && tick < log->next_tick) {
        log->stats.ticks_passed++;
        return WEFT_STATUS_OK;
    }
    if (log->begun && tick > log->next_tick)
        WEFT_TRY(note_unseen(log, tick));
    log->begun = true;
    log->next_tick = tick;
    if (log->full) {
        if (!writer_done(log) && log->desc.policy == WEFT_SIMLOG_BLOCK)
            WEFT_TRY(wait_for_writer(log));
        if (!writer_done(log)) {
            drop_tick(log, tick);
            log->next_tick = tick + 1;
            return WEFT_STATUS_OK;
        }
        if (log->status != WEFT_STATUS_OK)
            return log->status;
        hand_over(log);
    }
    WEFT_TRY(take_tick(log, tick));
    log->next_tick = tick + 1;
    return WEFT_STATUS_OK;
}

// Opening ----------------------------------------------------------------------------------------

/// Columns being filed.
typedef struct filing {
    weft__arena* arena;
    logged_table* table;
    weft_status status;
} filing;

static void file_column(void* context, const char* name, weft_kind kind, uint32_t offset) {
    filing* into = context;
    size_t length = strlen(name) + 1;
    char* copy = weft__arena_alloc(into->arena, length);
    weft__column column = {copy, kind, weft_kind_size(kind), offset};
    if (copy == NULL || WEFT__VEC_PUSH(into->arena, into->table->columns, column) != WEFT_STATUS_OK)
        into->status = WEFT_STATUS_OUT_OF_MEMORY;
    else
        memcpy(copy, name, length);
}

static weft_status file_tables(weft_simlog* log) {
    log->tables = weft__arena_alloc_zero(&log->arena, log->table_count * sizeof(logged_table));
    log->drop_rows = weft__arena_alloc_zero(&log->arena, log->table_count * sizeof(uint64_t));
    if (log->tables == NULL || log->drop_rows == NULL)
        return WEFT_STATUS_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < 2; i++) {
        container* of = &log->containers[i];
        of->gap_rows = weft__arena_alloc_zero(&log->arena, log->table_count * sizeof(uint64_t));
        of->rows = weft__arena_alloc_zero(&log->arena, log->table_count * sizeof(of->rows[0]));
        if (of->gap_rows == NULL || of->rows == NULL)
            return WEFT_STATUS_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < log->table_count; i++) {
        log->tables[i].type = weft_world_table(log->world, i).type;
        filing into = {&log->arena, &log->tables[i], WEFT_STATUS_OK};
        weft_status visited = weft__columns_visit(log->tables[i].type, file_column, &into);
        WEFT_TRY(into.status);
        if (visited != WEFT_STATUS_OK)
            return simlog_fail(log, visited,
                               "the log: a column's name, with all it is nested in, has more than "
                               "255 characters; shorten it");
    }
    return WEFT_STATUS_OK;
}

static weft_status make_schema(weft_simlog* log) {
    log->schema.arena = &log->arena;
    weft__schema_begin(&log->schema, log->world, log->table_count);
    for (uint32_t i = 0; i < log->table_count; i++) {
        uint32_t id = weft__type_id(log->world, log->tables[i].type);
        weft__schema_table(&log->schema, weft__type_at(log->world, id), false);
    }
    return log->schema.status;
}

static weft_status create_file(weft_simlog* log, const char* path, const weft__file_calls* calls) {
    WEFT_TRY(weft__file_create(&log->file, path, calls));
    WEFT_TRY(weft__frame_begin(&log->file, &weft__simlog_format));
    WEFT_TRY(weft__frame_append(&log->file, WEFT__SIMLOG_SCHEMA, log->frame_number++,
                                log->schema.bytes.items, log->schema.bytes.count));
    return weft__file_publish(&log->file, false);
}

// Reads a file to its end. Status of the reader; IDENTITY_MISMATCH.
static weft_status survey(weft_simlog* log, weft_simlog_reader* reader) {
    size_t size;
    const uint8_t* schema = weft__simlog_reader_schema(reader, &size);
    if (size != log->schema.bytes.count || memcmp(schema, log->schema.bytes.items, size) != 0)
        return WEFT_STATUS_IDENTITY_MISMATCH;
    for (weft_simlog_part part;;) {
        WEFT_TRY(weft_simlog_reader_next(reader, &part));
        if (part.kind == WEFT_SIMLOG_END)
            return WEFT_STATUS_OK;
        if (!log->begun)
            log->stats.file_first = part.first_tick;
        log->begun = true;
        log->next_tick = part.first_tick + part.tick_count;
    }
}

static weft_status continue_file(weft_simlog* log, const char* path, weft_simlog_reader* reader,
                                 const weft__file_calls* calls) {
    weft_status status = survey(log, reader);
    if (status == WEFT_STATUS_IDENTITY_MISMATCH) {
        char line[WEFT_SIMLOG_LINE];
        (void)snprintf(line, sizeof(line),
                       "%.800s: the log that is there is of another run (seed %llu, here %llu; %s "
                       "schema); take another name, or remove it",
                       path, (unsigned long long)weft_simlog_reader_seed(reader),
                       (unsigned long long)log->world->desc.seed,
                       weft_simlog_reader_schema_hash(reader) == weft_world_schema_hash(log->world)
                           ? "the same"
                           : "another");
        return simlog_fail(log, status, line);
    }
    if (status != WEFT_STATUS_OK)
        return simlog_fail(log, status, weft_simlog_reader_error(reader));
    uint64_t offset;
    weft__simlog_reader_end(reader, &offset, &log->frame_number);
    return weft__file_continue(&log->file, path, offset, calls);
}

static weft_status open_file(weft_simlog* log, const char* path, const weft__file_calls* calls) {
    weft_simlog_reader* reader;
    char line[WEFT_SIMLOG_LINE];
    weft_status status;
    if (!weft__file_exists(path)) {
        status = create_file(log, path, calls);
    } else {
        status = weft_simlog_reader_open(path, &reader, line);
        if (status != WEFT_STATUS_OK)
            return simlog_fail(log, status, line);
        status = continue_file(log, path, reader, calls);
        weft_simlog_reader_close(reader);
    }
    if (status != WEFT_STATUS_OK && log->status == WEFT_STATUS_OK)
        (void)simlog_fail(log, status, log->file.line);
    return status;
}

static weft_status simlog_start(weft_simlog* log, const char* path, const weft__file_calls* calls) {
    WEFT_TRY(file_tables(log));
    WEFT_TRY(make_schema(log));
    WEFT_TRY(open_file(log, path, calls));
    WEFT_TRY(weft__os_thread_start(&log->thread, writer_run, log, "weft-log"));
    weft_world_keep_tables(log->world, true);
    return WEFT_STATUS_OK;
}

static void simlog_free(weft_simlog* log) {
    weft__file_close(&log->file);
    weft__os_region_release(log->buffer, log->buffer_size);
    weft__arena arena = log->arena; // The log lies in it.
    weft__arena_deinit(&arena);
}

static const char* desc_fault(const weft_simlog_desc* desc, const weft_world* world) {
    if (desc == NULL || desc->cookie != SIMLOG_COOKIE)
        return "the description did not start from weft_simlog_desc_default()";
    if (desc->policy > WEFT_SIMLOG_COUNT)
        return "the policy does not exist";
    if (desc->segment_ticks == 0 || desc->segment_ticks > WEFT__SIMLOG_TICKS_MAX ||
        desc->segment_bytes == 0 || desc->segment_bytes > WEFT__SIMLOG_BYTES_MAX)
        return "a segment has 1 to 1,000,000 ticks and ends after 1 to 2^30 bytes";
    if (weft_world_table_count(world) == 0)
        return "the world has no tables; use weft_world_register_table() or a channel of "
               "WEFT_DELIVERY_LOG";
    return NULL;
}

weft_status weft__simlog_open(const weft_simlog_desc* desc, const char* path, weft_world* world,
                              const weft__file_calls* calls, weft_simlog** log_out,
                              char line[WEFT_SIMLOG_LINE]) {
    WEFT_ASSERT(path != NULL && world != NULL && log_out != NULL && line != NULL);
    *log_out = NULL;
    const char* fault = desc_fault(desc, world);
    bool lacking = fault == NULL && desc->compress && !weft__compress_available();
    if (lacking)
        fault = "this build has no zstd, so it cannot compress; leave compression out";
    (void)snprintf(line, WEFT_SIMLOG_LINE, "the log: %s", fault == NULL ? "" : fault);
    if (fault != NULL)
        return lacking ? WEFT_STATUS_UNSUPPORTED : WEFT_STATUS_BAD_ARGUMENT;
    weft__arena arena;
    weft__arena_init(&arena, NULL);
    size_t slack = WEFT_CACHE_LINE; // The arena aligns to 64, the park wants 128.
    uint8_t* block = weft__arena_alloc_zero(&arena, sizeof(weft_simlog) + slack);
    if (block == NULL) {
        weft__arena_deinit(&arena);
        (void)snprintf(line, WEFT_SIMLOG_LINE, "the log: no memory is left");
        return WEFT_STATUS_OUT_OF_MEMORY;
    }
    weft_simlog* log = (weft_simlog*)(((uintptr_t)block + slack - 1) & ~(uintptr_t)(slack - 1));
    log->arena = arena;
    log->desc = *desc;
    log->world = world;
    log->table_count = weft_world_table_count(world);
    log->stats.file_first = UINT64_MAX;
    weft__park_init(&log->park, false);
    weft_status status = simlog_start(log, path, calls);
    if (status != WEFT_STATUS_OK) {
        (void)snprintf(line, WEFT_SIMLOG_LINE, "%s",
                       log->line[0] != '\0' ? log->line : weft_status_text(status));
        simlog_free(log);
        return status;
    }
    line[0] = '\0';
    *log_out = log;
    return WEFT_STATUS_OK;
}

weft_status weft_simlog_open(const weft_simlog_desc* desc, const char* path, weft_world* world,
                             weft_simlog** log_out, char line[WEFT_SIMLOG_LINE]) {
    return weft__simlog_open(desc, path, world, NULL, log_out, line);
}

// Closing ----------------------------------------------------------------------------------------

static void flush(weft_simlog* log) {
    (void)writer_wait(log, 0);
    // What is in the front container, and then what was left out behind it.
    for (int i = 0; i < 2 && log->status == WEFT_STATUS_OK; i++) {
        hand_over(log);
        (void)writer_wait(log, 0);
    }
    if (log->status == WEFT_STATUS_OK && weft__file_sync(&log->file) != WEFT_STATUS_OK)
        (void)simlog_fail(log, WEFT_STATUS_FILE_ERROR, log->file.line);
}

weft_status weft_simlog_close(weft_simlog* log, char* line) {
    if (line != NULL)
        line[0] = '\0';
    if (log == NULL)
        return WEFT_STATUS_OK;
    flush(log);
    weft__atomic_u32_store_release(&log->stop, 1);
    weft__park_notify(&log->park);
    weft__os_thread_join(&log->thread);
    weft_world_keep_tables(log->world, false);
    weft_status status = log->status;
    if (line != NULL)
        memcpy(line, log->line, WEFT_SIMLOG_LINE);
    simlog_free(log);
    return status;
}

const char* weft_simlog_error(const weft_simlog* log) {
    return log->line;
}

weft_simlog_stats weft_simlog_stats_read(const weft_simlog* log) {
    return log->stats;
}
