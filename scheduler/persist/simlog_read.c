// Reading logs. Frames are whole and undamaged when they come here, but a file may still be written
// by somebody else: every count is checked against what is there before it is used.

#include "simlog_format.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "compress.h"
#include "os.h"
#include "weft_arena.h"
#include "weft_bytes.h"

struct weft_simlog_reader {
    weft__arena arena;
    weft__frames frames;
    uint8_t* schema; // Content of the first frame.
    size_t schema_size;
    uint64_t seed;
    uint64_t schema_hash;
    uint32_t table_count;
    weft_simlog_table* tables;
    uint64_t* row_counts; // Of the part at hand.
    uint64_t next_tick;   // After the part at hand; UINT64_MAX before the first.
    bool segment;         // A segment is at hand:
    uint64_t tick_count;
    const uint8_t* counts;       // its rows by tick and table,
    const uint8_t** column_base; // [table] and the values of each one's first column.
    uint8_t* expanded;           // Columns that were packed.
    size_t expanded_size;
    char line[WEFT_SIMLOG_LINE];
};

static weft_status refuse(weft_simlog_reader* reader, const char* format, ...) WEFT_PRINTF(2, 3);

static weft_status refuse(weft_simlog_reader* reader, const char* format, ...) {
    int length = snprintf(reader->line, sizeof(reader->line), "%s: ", reader->frames.source.path);
    va_list arguments;
    va_start(arguments, format);
    if (length > 0 && (size_t)length < sizeof(reader->line))
        (void)vsnprintf(reader->line + length, sizeof(reader->line) - (size_t)length, format,
                        arguments);
    va_end(arguments);
    return WEFT_STATUS_BAD_FORMAT;
}

static weft_status no_memory(weft_simlog_reader* reader) {
    (void)refuse(reader, "no memory is left to read the log");
    return WEFT_STATUS_OUT_OF_MEMORY;
}

static weft_status next_frame(weft_simlog_reader* reader, weft__frame* out) {
    weft_status status = weft__frames_next(&reader->frames, out);
    if (status != WEFT_STATUS_OK)
        (void)snprintf(reader->line, sizeof(reader->line), "%s", reader->frames.line);
    return status;
}

// The schema -------------------------------------------------------------------------------------

// A name of a table or a column; null if it is not there, or no name.
static const char* read_name(weft_simlog_reader* reader, weft__reader* bytes) {
    uint32_t length = weft__reader_get_u32(bytes);
    const uint8_t* from = length > 0 && length < 65536 ? weft__reader_view(bytes, length) : NULL;
    char* name = from == NULL ? NULL : weft__arena_alloc(&reader->arena, (size_t)length + 1);
    for (uint32_t i = 0; name != NULL && i < length; i++) {
        if (from[i] < 0x20 || from[i] == 0x7f)
            return NULL;
        name[i] = (char)from[i];
    }
    if (name != NULL)
        name[length] = '\0';
    return name;
}

static bool read_columns(weft_simlog_reader* reader, weft__reader* bytes,
                         weft_simlog_table* table) {
    // Each has 9 bytes at least, so a count cannot ask for more memory than the file is worth.
    if (table->column_count == 0 || table->column_count > weft__reader_left(bytes) / 9)
        return false;
    weft_simlog_column* columns =
        weft__arena_alloc_zero(&reader->arena, table->column_count * sizeof(*columns));
    uint64_t size = 0;
    for (uint32_t i = 0; columns != NULL && i < table->column_count; i++) {
        uint32_t kind = weft__reader_get_u32(bytes);
        columns[i].size = weft__column_size(kind);
        columns[i].kind = (weft_kind)kind;
        columns[i].name = read_name(reader, bytes);
        size += columns[i].size;
        if (columns[i].size == 0 || columns[i].name == NULL)
            return false;
    }
    table->columns = columns;
    return columns != NULL && size == table->row_size;
}

static bool read_schema(weft_simlog_reader* reader) {
    weft__reader bytes;
    weft__reader_init(&bytes, reader->schema, reader->schema_size);
    reader->schema_hash = weft__reader_get_u64(&bytes);
    reader->seed = weft__reader_get_u64(&bytes);
    uint32_t count = weft__reader_get_u32(&bytes);
    if (count == 0 || count > weft__reader_left(&bytes) / 20)
        return false;
    reader->tables = weft__arena_alloc_zero(&reader->arena, count * sizeof(weft_simlog_table));
    reader->row_counts = weft__arena_alloc_zero(&reader->arena, count * sizeof(uint64_t));
    reader->column_base = weft__arena_alloc_zero(&reader->arena, count * sizeof(uint8_t*));
    if (reader->tables == NULL || reader->row_counts == NULL || reader->column_base == NULL)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        weft_simlog_table* table = &reader->tables[i];
        table->row_size = weft__reader_get_u32(&bytes);
        (void)weft__reader_get_u64(&bytes);
        table->column_count = weft__reader_get_u32(&bytes);
        table->name = read_name(reader, &bytes);
        if (table->name == NULL || !read_columns(reader, &bytes, table))
            return false;
    }
    reader->table_count = count;
    return weft__reader_finish(&bytes) == WEFT_STATUS_OK;
}

static weft_status open_schema(weft_simlog_reader* reader) {
    weft__frame frame;
    WEFT_TRY(next_frame(reader, &frame));
    if (frame.content == NULL)
        return refuse(reader, "the log is cut off before the description of its tables; remove it");
    if (frame.kind != WEFT__SIMLOG_SCHEMA)
        return refuse(reader, "the log does not begin with its tables, but with a frame of kind %u",
                      frame.kind);
    reader->schema_size = frame.length;
    reader->schema = weft__arena_alloc(&reader->arena, frame.length + 1);
    if (reader->schema == NULL)
        return no_memory(reader);
    memcpy(reader->schema, frame.content, frame.length);
    if (!read_schema(reader))
        return refuse(reader, "the description of the log's tables is inconsistent; it was not "
                              "written by this version of Weft");
    return WEFT_STATUS_OK;
}

weft_status weft_simlog_reader_open(const char* path, weft_simlog_reader** reader_out,
                                    char line[WEFT_SIMLOG_LINE]) {
    WEFT_ASSERT(path != NULL && reader_out != NULL && line != NULL);
    *reader_out = NULL;
    line[0] = '\0';
    weft__arena arena;
    weft__arena_init(&arena, NULL);
    weft_simlog_reader* reader = weft__arena_alloc_zero(&arena, sizeof(*reader));
    if (reader == NULL) {
        weft__arena_deinit(&arena);
        (void)snprintf(line, WEFT_SIMLOG_LINE, "no memory is left to read a log");
        return WEFT_STATUS_OUT_OF_MEMORY;
    }
    reader->arena = arena;
    reader->next_tick = UINT64_MAX;
    weft_status status = weft__frames_open(&reader->frames, path, &weft__simlog_format);
    if (status != WEFT_STATUS_OK)
        (void)snprintf(reader->line, sizeof(reader->line), "%s", reader->frames.line);
    else
        status = open_schema(reader);
    if (status != WEFT_STATUS_OK) {
        memcpy(line, reader->line, WEFT_SIMLOG_LINE);
        weft_simlog_reader_close(reader);
        return status;
    }
    *reader_out = reader;
    return WEFT_STATUS_OK;
}

void weft_simlog_reader_close(weft_simlog_reader* reader) {
    if (reader == NULL)
        return;
    weft__frames_close(&reader->frames);
    weft__os_region_release(reader->expanded, reader->expanded_size);
    weft__arena arena = reader->arena; // The reader lies in it.
    weft__arena_deinit(&arena);
}

// Parts ------------------------------------------------------------------------------------------

// Rows of each table, which are those of all ticks together, and the bytes of all columns.
static bool read_counts(weft_simlog_reader* reader, weft__reader* bytes,
                        const weft_simlog_part* part, uint64_t* columns_out) {
    WEFT_ASSERT(reader->segment && reader->tick_count == part->tick_count);
    uint64_t cells = part->tick_count * reader->table_count;
    *columns_out = 0;
    for (uint32_t i = 0; i < reader->table_count; i++)
        reader->row_counts[i] = weft__reader_get_u64(bytes);
    if (part->tick_count > WEFT__SIMLOG_TICKS_MAX || cells > weft__reader_left(bytes) / 4)
        return false;
    reader->counts = weft__reader_view(bytes, (size_t)cells * 4);
    for (uint32_t i = 0; i < reader->table_count; i++) {
        uint64_t rows = 0;
        for (uint64_t j = 0; j < part->tick_count; j++)
            rows += weft_simlog_reader_tick_rows(reader, i, j);
        if (rows != reader->row_counts[i] || rows > (UINT64_C(1) << 40))
            return false;
        *columns_out += rows * reader->tables[i].row_size;
    }
    return *columns_out <= SIZE_MAX;
}

// The columns of a segment, expanded where they were packed; null where they are not as they must.
static weft_status read_values(weft_simlog_reader* reader, weft__reader* bytes, bool packed,
                               size_t size, const uint8_t** out) {
    *out = NULL;
    if (!packed) {
        *out = weft__reader_view(bytes, size);
        return WEFT_STATUS_OK;
    }
    if (!weft__compress_available()) {
        (void)refuse(reader, "its segments are compressed, and this build has no zstd; read it "
                             "with a build that has (Debian: libzstd-dev)");
        return WEFT_STATUS_UNSUPPORTED;
    }
    if (size > reader->expanded_size) {
        void* grown;
        if (weft__os_region_reserve(size, &grown) != WEFT_STATUS_OK)
            return no_memory(reader);
        weft__os_region_release(reader->expanded, reader->expanded_size);
        reader->expanded = grown;
        reader->expanded_size = size;
    }
    size_t length = weft__reader_left(bytes);
    const uint8_t* block = weft__reader_view(bytes, length);
    if (size > 0 && length > 0 && weft__expand(block, length, reader->expanded, size))
        *out = reader->expanded;
    return WEFT_STATUS_OK;
}

static weft_status read_segment(weft_simlog_reader* reader, weft__reader* bytes, bool packed,
                                const weft_simlog_part* part, bool* sound) {
    uint64_t size;
    const uint8_t* values;
    *sound = read_counts(reader, bytes, part, &size);
    if (!*sound)
        return WEFT_STATUS_OK;
    WEFT_TRY(read_values(reader, bytes, packed, (size_t)size, &values));
    *sound = size == 0 ? !packed : values != NULL;
    for (uint32_t i = 0; i < reader->table_count; i++) {
        reader->column_base[i] = values;
        if (values != NULL)
            values += (size_t)reader->row_counts[i] * reader->tables[i].row_size;
    }
    return WEFT_STATUS_OK;
}

static bool read_gap(weft_simlog_reader* reader, weft__reader* bytes, weft_simlog_part* part) {
    uint64_t counted = weft__reader_get_u64(bytes);
    part->counted = counted != 0;
    for (uint32_t i = 0; i < reader->table_count; i++)
        reader->row_counts[i] = counted != 0 ? weft__reader_get_u64(bytes) : 0;
    return counted <= 1;
}

weft_status weft_simlog_reader_next(weft_simlog_reader* reader, weft_simlog_part* part_out) {
    weft__frame frame;
    *part_out = (weft_simlog_part){.kind = WEFT_SIMLOG_END};
    reader->segment = false;
    WEFT_TRY(next_frame(reader, &frame));
    if (frame.content == NULL)
        return WEFT_STATUS_OK;
    if (frame.kind < WEFT__SIMLOG_SEGMENT || frame.kind > WEFT__SIMLOG_PACKED)
        return refuse(reader, "frame %llu at byte %llu is of kind %u, which a log does not have",
                      (unsigned long long)frame.number, (unsigned long long)frame.offset,
                      frame.kind);
    weft__reader bytes;
    weft__reader_init(&bytes, frame.content, frame.length);
    weft_simlog_part part = {.row_counts = reader->row_counts};
    part.kind = frame.kind == WEFT__SIMLOG_DROPPED  ? WEFT_SIMLOG_DROPPED
                : frame.kind == WEFT__SIMLOG_UNSEEN ? WEFT_SIMLOG_UNSEEN
                                                    : WEFT_SIMLOG_SEGMENT;
    part.first_tick = weft__reader_get_u64(&bytes);
    part.tick_count = weft__reader_get_u64(&bytes);
    bool sound = part.tick_count > 0 && part.first_tick < UINT64_MAX - part.tick_count &&
                 (reader->next_tick == UINT64_MAX || reader->next_tick == part.first_tick);
    if (sound && part.kind == WEFT_SIMLOG_SEGMENT) {
        reader->tick_count = part.tick_count;
        reader->segment = true; // Its counts are read while it is checked.
        weft_status status =
            read_segment(reader, &bytes, frame.kind == WEFT__SIMLOG_PACKED, &part, &sound);
        reader->segment = status == WEFT_STATUS_OK;
        WEFT_TRY(status);
    } else if (sound) {
        sound = read_gap(reader, &bytes, &part);
    }
    reader->segment = sound && part.kind == WEFT_SIMLOG_SEGMENT;
    if (!sound || weft__reader_finish(&bytes) != WEFT_STATUS_OK)
        return refuse(reader,
                      "frame %llu at byte %llu is inconsistent, though its checksum is right; it "
                      "was not written by this version of Weft",
                      (unsigned long long)frame.number, (unsigned long long)frame.offset);
    reader->next_tick = part.first_tick + part.tick_count;
    *part_out = part;
    return WEFT_STATUS_OK;
}

uint32_t weft_simlog_reader_tick_rows(const weft_simlog_reader* reader, uint32_t table,
                                      uint64_t index) {
    WEFT_ASSERT(reader->segment && table < reader->table_count && index < reader->tick_count);
    const uint8_t* at = reader->counts + (index * reader->table_count + table) * 4;
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

const uint8_t* weft_simlog_reader_column(const weft_simlog_reader* reader, uint32_t table,
                                         uint32_t column) {
    WEFT_ASSERT(reader->segment && table < reader->table_count);
    const weft_simlog_table* of = &reader->tables[table];
    WEFT_ASSERT(column < of->column_count);
    uint64_t before = 0;
    for (uint32_t i = 0; i < column; i++)
        before += of->columns[i].size;
    const uint8_t* base = reader->column_base[table]; // Null where there are no rows.
    return base == NULL ? NULL : base + (size_t)(before * reader->row_counts[table]);
}

// What it is of ----------------------------------------------------------------------------------

uint64_t weft_simlog_reader_seed(const weft_simlog_reader* reader) {
    return reader->seed;
}

uint64_t weft_simlog_reader_schema_hash(const weft_simlog_reader* reader) {
    return reader->schema_hash;
}

uint32_t weft_simlog_reader_table_count(const weft_simlog_reader* reader) {
    return reader->table_count;
}

const weft_simlog_table* weft_simlog_reader_table(const weft_simlog_reader* reader,
                                                  uint32_t table) {
    WEFT_ASSERT(table < reader->table_count);
    return &reader->tables[table];
}

uint64_t weft_simlog_reader_torn(const weft_simlog_reader* reader) {
    return reader->frames.torn;
}

const char* weft_simlog_reader_error(const weft_simlog_reader* reader) {
    return reader->line;
}

const uint8_t* weft__simlog_reader_schema(const weft_simlog_reader* reader, size_t* size_out) {
    *size_out = reader->schema_size;
    return reader->schema;
}

void weft__simlog_reader_end(const weft_simlog_reader* reader, uint64_t* offset_out,
                             uint64_t* number_out) {
    *offset_out = reader->frames.offset;
    *number_out = reader->frames.number;
}
