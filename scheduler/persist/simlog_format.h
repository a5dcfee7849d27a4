/// The format of the columnar log: what its frames hold (frame.h). All integers are little-endian.
///
/// Frame 0 is SCHEMA: schema hash (8), seed (8), tables (4); for each table row size (4), hash of
/// its type (8), columns (4), name; for each column kind (4), name. A name is its length (4) and so
/// many bytes.
///
/// SEGMENT: first tick (8), ticks (8); for each table its rows (8); for each tick, for each table,
/// rows (4); then for each table, for each of its columns, the values. PACKED is the same with all
/// of these values as one block of zstd.
///
/// DROPPED, UNSEEN: first tick (8), ticks (8), counted (8): 0 or 1; if it is, for each table rows
/// (8). Ticks follow each other from frame to frame.
#pragma once

#include <weft/simlog.h>

#include "frame.h"
#include "weft_world.h"

#define WEFT__SIMLOG_SCHEMA 1u
#define WEFT__SIMLOG_SEGMENT 2u
#define WEFT__SIMLOG_DROPPED 3u
#define WEFT__SIMLOG_UNSEEN 4u
#define WEFT__SIMLOG_PACKED 5u

#define WEFT__SIMLOG_NAME 256u // Of a column, with the NUL.
#define WEFT__SIMLOG_SEGMENT_HEAD 16u
#define WEFT__SIMLOG_GAP_HEAD 24u
#define WEFT__SIMLOG_TICKS_MAX 1000000u
#define WEFT__SIMLOG_BYTES_MAX (1u << 30)

/// Of all files of this kind.
extern const weft__frame_format weft__simlog_format;

/// A column where it lies in a row.
typedef struct weft__column {
    char* name;
    weft_kind kind;
    uint32_t size;
    uint32_t offset;
} weft__column;

/// Called for each scalar of a type, by offset.
typedef void weft__column_fn(void* context, const char* name, weft_kind kind, uint32_t offset);

/// Visits them. BAD_TYPE if the name of one does not fit; it is cut then.
WEFT_NODISCARD weft_status weft__columns_visit(const weft_type* type, weft__column_fn* fn,
                                               void* context);

/// Bytes of a scalar; 0 if a column cannot be of this kind.
uint32_t weft__column_size(uint32_t kind);

/// Copies one column of `count` rows of `row_size` bytes: little-endian, one behind the other.
void weft__column_gather(const uint8_t* rows, uint32_t row_size, uint32_t offset, uint32_t size,
                         size_t count, uint8_t* out);

/// The content of a SCHEMA under construction. The first failure sticks.
typedef struct weft__schema {
    weft__arena* arena;
    WEFT__VEC(uint8_t) bytes;
    weft_status status;
} weft__schema;

/// Its head.
void weft__schema_begin(weft__schema* schema, const weft_world* world, uint32_t table_count);

/// A table of a type; `entities`: with the columns of a handle before its own.
void weft__schema_table(weft__schema* schema, const weft__type* type, bool entities);

/// Opens a log whose calls of the system are these; null are the system's own. As
/// weft_simlog_open().
WEFT_NODISCARD weft_status weft__simlog_open(const weft_simlog_desc* desc, const char* path,
                                             weft_world* world, const weft__file_calls* calls,
                                             weft_simlog** log_out, char line[WEFT_SIMLOG_LINE]);

/// The content of the first frame of a file. Belongs to the reader.
const uint8_t* weft__simlog_reader_schema(const weft_simlog_reader* reader, size_t* size_out);

/// The next frame's offset and number: where a writer goes on.
void weft__simlog_reader_end(const weft_simlog_reader* reader, uint64_t* offset_out,
                             uint64_t* number_out);
