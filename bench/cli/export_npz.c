// Columns of a log as arrays of NumPy: a ZIP archive of .npy files (format 1.0), uncompressed, as
// numpy.savez writes it.
//
// An array lies behind its length, so each is read from the log when its turn comes, segment by
// segment: memory is a segment's, and the log is read once for each column.

#define _GNU_SOURCE // asprintf

#include "export.h"

#include <stdlib.h>
#include <string.h>
#include <zip.h>

#define NPY_ALIGN 64u

/// One array on its way into the archive.
typedef struct npz_array {
    export_log* log;
    const export_table* table;
    const export_column* column;
    uint8_t head[256];
    size_t head_size;
    uint8_t* values;    // Of the segment at hand.
    size_t value_count; // Bytes,
    size_t capacity;
    size_t given; // and of these, given away; of the head too.
    bool in_head;
    zip_error_t error;
} npz_array;

/// NumPy's name of a type.
static const char* dtype(const export_column* column) {
    if (column->form == EXPORT_SCALED)
        return "<f8";
    switch (column->kind) {
    case WEFT_KIND_I8:
        return "|i1";
    case WEFT_KIND_U8:
        return "|u1";
    case WEFT_KIND_BOOL:
        return "|b1";
    case WEFT_KIND_I16:
        return "<i2";
    case WEFT_KIND_U16:
        return "<u2";
    case WEFT_KIND_I32:
    case WEFT_KIND_FIXED:
        return "<i4";
    case WEFT_KIND_U32:
        return "<u4";
    case WEFT_KIND_I64:
    case WEFT_KIND_FIXED64:
        return "<i8";
    case WEFT_KIND_FLOAT:
        return "<f4";
    default:
        WEFT_ASSERT(column->kind == WEFT_KIND_U64);
        return "<u8";
    }
}

/// Bytes of a value in the array.
static size_t value_size(const export_column* column) {
    return column->form == EXPORT_SCALED ? 8 : weft_kind_size(column->kind);
}

static void make_head(npz_array* array) {
    char text[192];
    int length =
        snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (%llu,), }",
                 dtype(array->column), (unsigned long long)array->table->row_count);
    WEFT_ASSERT(length > 0 && (size_t)length < sizeof text);
    static const uint8_t magic[8] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0};
    size_t size = (10 + (size_t)length + 1 + NPY_ALIGN - 1) / NPY_ALIGN * NPY_ALIGN;
    WEFT_ASSERT(size <= sizeof array->head);
    memset(array->head, ' ', size);
    memcpy(array->head, magic, 8);
    array->head[8] = (uint8_t)(size - 10);
    array->head[9] = (uint8_t)((size - 10) >> 8);
    memcpy(array->head + 10, text, (size_t)length);
    array->head[size - 1] = '\n';
    array->head_size = size;
}

static bool put_value(void* context, const export_row* row) {
    npz_array* array = context;
    uint64_t bits = export_bits(row, array->column);
    if (array->column->form == EXPORT_SCALED) {
        double scaled = export_scaled(array->column->kind, bits);
        memcpy(&bits, &scaled, sizeof bits);
    }
    size_t size = value_size(array->column);
    for (size_t i = 0; i < size; i++)
        array->values[array->value_count++] = (uint8_t)(bits >> (8 * i));
    return true;
}

/// Brings the next segment's values; none at the end.
static weft_status next_values(npz_array* array) {
    weft_simlog_part part;
    bool more;
    array->value_count = array->given = 0;
    array->in_head = false;
    do {
        WEFT_TRY(export_next(array->log, &part, &more));
        if (!more)
            return WEFT_STATUS_OK;
    } while (part.row_counts[array->table->index] == 0);
    size_t size = (size_t)part.row_counts[array->table->index] * value_size(array->column);
    if (size > array->capacity) {
        free(array->values);
        array->values = malloc(size);
        array->capacity = array->values != NULL ? size : 0;
        if (array->values == NULL)
            return export_fail(array->log, WEFT_STATUS_OUT_OF_MEMORY, "no memory for %zu bytes",
                               size);
    }
    (void)export_each_row(array->log, array->table, &part, put_value, array);
    return WEFT_STATUS_OK;
}

static weft_status array_read(npz_array* array, uint8_t* out, size_t size, size_t* done) {
    for (*done = 0; *done < size;) {
        size_t there = array->in_head ? array->head_size : array->value_count;
        if (array->given == there) {
            WEFT_TRY(next_values(array));
            if (array->value_count == 0)
                return WEFT_STATUS_OK;
            continue;
        }
        size_t now = there - array->given < size - *done ? there - array->given : size - *done;
        memcpy(out + *done, (array->in_head ? array->head : array->values) + array->given, now);
        array->given += now;
        *done += now;
    }
    return WEFT_STATUS_OK;
}

/// What libzip asks of a source.
static zip_int64_t array_source(void* context, void* data, zip_uint64_t size,
                                zip_source_cmd_t command) {
    npz_array* array = context;
    size_t done;
    switch (command) {
    case ZIP_SOURCE_OPEN:
        array->in_head = true;
        array->given = 0;
        if (export_rewind(array->log) == WEFT_STATUS_OK)
            return 0;
        break;
    case ZIP_SOURCE_READ:
        if (array_read(array, data, (size_t)size, &done) == WEFT_STATUS_OK)
            return (zip_int64_t)done;
        break;
    case ZIP_SOURCE_STAT: {
        zip_stat_t* info = data;
        zip_stat_init(info);
        info->size = array->head_size + array->table->row_count * value_size(array->column);
        info->mtime = 0; // The same log gives the same archive.
        info->valid |= ZIP_STAT_SIZE | ZIP_STAT_MTIME;
        return (zip_int64_t)sizeof *info;
    }
    case ZIP_SOURCE_CLOSE:
        return 0;
    case ZIP_SOURCE_FREE:
        free(array->values);
        free(array);
        return 0;
    case ZIP_SOURCE_ERROR:
        return zip_error_to_data(&array->error, data, size);
    case ZIP_SOURCE_SUPPORTS:
        return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE,
                                              ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE,
                                              -1);
    default:
        zip_error_set(&array->error, ZIP_ER_OPNOTSUPP, 0);
        return -1;
    }
    zip_error_set(&array->error, ZIP_ER_READ, 0);
    return -1;
}

/// Adds one array; it belongs to the archive then.
static bool add_array(zip_t* archive, export_log* log, const export_table* table,
                      const export_column* column) {
    char* name = NULL;
    npz_array* array = calloc(1, sizeof *array);
    if (array == NULL || asprintf(&name, "%s.%s.npy", table->name, column->name) < 0) {
        free(array);
        return false;
    }
    *array = (npz_array){.log = log, .table = table, .column = column};
    zip_error_init(&array->error);
    make_head(array);
    zip_source_t* source = zip_source_function(archive, array_source, array);
    if (source == NULL)
        free(array);
    zip_int64_t index = source != NULL ? zip_file_add(archive, name, source, ZIP_FL_ENC_UTF_8) : -1;
    if (source != NULL && index < 0)
        zip_source_free(source);
    free(name);
    return index >= 0 &&
           zip_set_file_compression(archive, (zip_uint64_t)index, ZIP_CM_STORE, 0) == 0;
}

static weft_status explain(export_log* log, const char* path, zip_t* archive) {
    return export_fail(log, WEFT_STATUS_FILE_ERROR, "%s: cannot be written: %s", path,
                       zip_strerror(archive));
}

weft_status export_npz(export_log* log, const char* path) {
    int code = 0;
    zip_t* archive = zip_open(path, ZIP_CREATE | ZIP_EXCL, &code);
    if (archive == NULL) {
        zip_error_t error;
        zip_error_init_with_code(&error, code);
        (void)export_fail(log, WEFT_STATUS_FILE_ERROR, "%s: cannot be written: %s", path,
                          zip_error_strerror(&error));
        zip_error_fini(&error);
        return WEFT_STATUS_FILE_ERROR;
    }
    bool added = true;
    for (uint32_t i = 0; i < log->table_count; i++)
        for (uint32_t j = 0; j < log->tables[i].column_count && log->tables[i].wanted; j++)
            added = added && add_array(archive, log, &log->tables[i], &log->tables[i].columns[j]);
    log->line[0] = '\0';
    if (added && zip_close(archive) == 0)
        return WEFT_STATUS_OK;
    // What the log said when it was read stands before what the archive makes of it.
    weft_status status =
        log->line[0] != '\0' ? WEFT_STATUS_FILE_ERROR : explain(log, path, archive);
    zip_discard(archive);
    return status;
}
