// Hash files: the digests of every tick of a run as text.
//
//   weft-hashes 1
//   weft 0.1.0
//   module creatures
//   entities 10000
//   seed 0x0000000000000001
//   ticks 600
//   schema 0x0123456789abcdef
//   schedule 0x0123456789abcdef
//   math fixed_point_16_16
//   0 <view digest> <full digest>
//   1 <view digest> <full digest>
//   ...
//   600 <view digest> <full digest>
//
// The line of tick t is the state after t ticks. The reader takes this form and no other: every
// line is there, in this order, with single spaces, and ends with a line feed.

#define _GNU_SOURCE

#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FORMAT_NUMBER 1u
#define FOUND_SIZE 48u

weft_status weft_cli_hashes_add(weft_cli_hashes* hashes, weft_verify_digests digests) {
    if (hashes->digest_count == hashes->capacity) {
        uint64_t wanted = hashes->capacity * 2 + 256;
        weft_verify_digests* grown =
            wanted > SIZE_MAX / sizeof(*grown)
                ? NULL
                : realloc(hashes->digests, (size_t)wanted * sizeof(*grown));
        if (grown == NULL)
            return WEFT_STATUS_OUT_OF_MEMORY;
        hashes->digests = grown;
        hashes->capacity = wanted;
    }
    hashes->digests[hashes->digest_count++] = digests;
    return WEFT_STATUS_OK;
}

void weft_cli_hashes_deinit(weft_cli_hashes* hashes) {
    free(hashes->digests);
    *hashes = (weft_cli_hashes){0};
}

// Writing ----------------------------------------------------------------------------------------

static void hashes_print(FILE* file, const void* context) {
    const weft_cli_hashes* hashes = context;
    const weft_cli_identity* identity = &hashes->identity;
    (void)fprintf(file, "weft-hashes %u\nweft %s\nmodule %s\n", FORMAT_NUMBER, identity->version,
                  identity->module);
    (void)fprintf(file, "entities %" PRIu64 "\nseed 0x%016" PRIx64 "\nticks %" PRIu64 "\n",
                  identity->entity_count, identity->seed, hashes->digest_count - 1);
    (void)fprintf(file, "schema 0x%016" PRIx64 "\nschedule 0x%016" PRIx64 "\nmath %s\n",
                  identity->schema_hash, identity->schedule_hash, weft_math_name(identity->math));
    for (uint64_t tick = 0; tick < hashes->digest_count; tick++) {
        char view[WEFT_DIGEST_TEXT];
        char full[WEFT_DIGEST_TEXT];
        weft_digest_format(hashes->digests[tick].view, view);
        weft_digest_format(hashes->digests[tick].full, full);
        (void)fprintf(file, "%" PRIu64 " %s %s\n", tick, view, full);
    }
}

weft_status weft_cli_hashes_write(const char* path, const weft_cli_hashes* hashes, char* line,
                                  size_t capacity) {
    return weft_cli_file_write(path, "hash file", hashes_print, hashes, line, capacity);
}

// Reading ----------------------------------------------------------------------------------------

/// A hash file under the reader. `found` points at the text of the current line.
typedef struct hashes_reader {
    const char* path;
    char* bytes;
    size_t size;
    size_t offset;
    const char* found;
    size_t found_length;
    uint64_t line_number;
    char* line; // For the error.
    size_t capacity;
} hashes_reader;

/// The text of the current line as it can be shown: cut, and without control characters.
static const char* reader_found(const hashes_reader* reader, char text[FOUND_SIZE]) {
    size_t length = reader->found_length;
    size_t shown = length < FOUND_SIZE - 4 ? length : FOUND_SIZE - 4;
    for (size_t i = 0; i < shown; i++) {
        char c = reader->found[i];
        text[i] = c >= ' ' && c <= '~' ? c : '?';
    }
    (void)snprintf(text + shown, FOUND_SIZE - shown, "%s", shown < length ? "..." : "");
    return text;
}

static weft_status reader_expect(const hashes_reader* reader, const char* format, ...)
    WEFT_PRINTF(2, 3);

/// Says what was expected in the current line and what is there.
static weft_status reader_expect(const hashes_reader* reader, const char* format, ...) {
    char expected[160];
    char found[FOUND_SIZE];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(expected, sizeof expected, format, args);
    va_end(args);
    if (reader->found == NULL)
        (void)snprintf(reader->line, reader->capacity,
                       "%s:%" PRIu64 ": the file is truncated: expected %s, found its end",
                       reader->path, reader->line_number, expected);
    else
        (void)snprintf(reader->line, reader->capacity, "%s:%" PRIu64 ": expected %s, found '%s'",
                       reader->path, reader->line_number, expected, reader_found(reader, found));
    return WEFT_STATUS_BAD_FORMAT;
}

/// Goes on to the next line. At the end of the file `found` is null. A last line without a line
/// feed is an error.
static weft_status reader_next(hashes_reader* reader) {
    reader->line_number++;
    reader->found = NULL;
    reader->found_length = 0;
    if (reader->offset == reader->size)
        return WEFT_STATUS_OK;
    const char* start = reader->bytes + reader->offset;
    const char* end = memchr(start, '\n', reader->size - reader->offset);
    reader->found = start;
    reader->found_length = end != NULL ? (size_t)(end - start) : reader->size - reader->offset;
    reader->offset += reader->found_length + (end != NULL);
    // The first line is looked at in any case: a file of another kind is not a truncated one.
    if (end == NULL && start != reader->bytes) {
        char found[FOUND_SIZE];
        (void)snprintf(reader->line, reader->capacity,
                       "%s:%" PRIu64 ": the file is truncated: expected a whole line, found '%s' "
                       "without a line feed",
                       reader->path, reader->line_number, reader_found(reader, found));
        return WEFT_STATUS_BAD_FORMAT;
    }
    return WEFT_STATUS_OK;
}

/// The rest of the current line after "key ", as text that ends. Null if the key is another.
static const char* reader_value(const hashes_reader* reader, const char* key, char* text,
                                size_t capacity) {
    size_t length = strlen(key);
    if (reader->found == NULL || reader->found_length <= length + 1 ||
        memcmp(reader->found, key, length) != 0 || reader->found[length] != ' ')
        return NULL;
    size_t rest = reader->found_length - length - 1;
    if (rest >= capacity || memchr(reader->found, '\0', reader->found_length) != NULL)
        return NULL;
    memcpy(text, reader->found + length + 1, rest);
    text[rest] = '\0';
    return text;
}

static weft_status read_word(hashes_reader* reader, const char* key, char* text, size_t capacity) {
    WEFT_TRY(reader_next(reader));
    const char* value = reader_value(reader, key, text, capacity);
    if (value == NULL || strchr(value, ' ') != NULL)
        return reader_expect(reader, "'%s' and one word", key);
    return WEFT_STATUS_OK;
}

/// A decimal number as it is written: no sign, no leading zero.
static bool decimal_parse(const char* text, uint64_t* out) {
    if (text[0] < '0' || text[0] > '9' || (text[0] == '0' && text[1] != '\0'))
        return false;
    return weft_cli_u64_parse(text, out);
}

static weft_status read_decimal(hashes_reader* reader, const char* key, uint64_t* out) {
    char text[24];
    WEFT_TRY(reader_next(reader));
    const char* value = reader_value(reader, key, text, sizeof text);
    if (value == NULL || !decimal_parse(value, out))
        return reader_expect(reader, "'%s' and a decimal number", key);
    return WEFT_STATUS_OK;
}

static weft_status read_hex(hashes_reader* reader, const char* key, uint64_t* out) {
    char text[24];
    WEFT_TRY(reader_next(reader));
    const char* value = reader_value(reader, key, text, sizeof text);
    if (value == NULL || strlen(value) != 18 || memcmp(value, "0x", 2) != 0 ||
        strspn(value + 2, "0123456789abcdef") != 16 || !weft_cli_u64_parse(value, out))
        return reader_expect(reader, "'%s 0x' and 16 hexadecimal digits", key);
    return WEFT_STATUS_OK;
}

/// The first line, which tells a foreign file from one of another version.
static weft_status read_format(hashes_reader* reader) {
    char text[24];
    uint64_t number;
    WEFT_TRY(reader_next(reader));
    const char* value = reader_value(reader, "weft-hashes", text, sizeof text);
    if (value == NULL || !decimal_parse(value, &number)) {
        char found[FOUND_SIZE];
        if (reader->found == NULL)
            return reader_expect(reader, "'weft-hashes %u'", FORMAT_NUMBER);
        (void)snprintf(reader->line, reader->capacity,
                       "%s:1: this is no hash file: expected 'weft-hashes %u', found '%s'",
                       reader->path, FORMAT_NUMBER, reader_found(reader, found));
        return WEFT_STATUS_BAD_FORMAT;
    }
    if (number == FORMAT_NUMBER)
        return WEFT_STATUS_OK;
    (void)snprintf(reader->line, reader->capacity,
                   "%s:1: hash file of version %" PRIu64 ", this program reads version %u",
                   reader->path, number, FORMAT_NUMBER);
    return WEFT_STATUS_BAD_FORMAT;
}

static weft_status read_math(hashes_reader* reader, weft_math_backend* out) {
    static const weft_math_backend all[] = {WEFT_MATH_FIXED_16_16, WEFT_MATH_FLOAT_PINNED_32};
    char text[64];
    WEFT_TRY(read_word(reader, "math", text, sizeof text));
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        *out = all[i];
        if (strcmp(text, weft_math_name(all[i])) == 0)
            return WEFT_STATUS_OK;
    }
    return reader_expect(reader, "'math %s' or 'math %s'", weft_math_name(all[0]),
                         weft_math_name(all[1]));
}

static weft_status read_header(hashes_reader* reader, weft_cli_identity* identity,
                               uint64_t* tick_count) {
    WEFT_TRY(read_format(reader));
    WEFT_TRY(read_word(reader, "weft", identity->version, sizeof identity->version));
    WEFT_TRY(read_word(reader, "module", identity->module, sizeof identity->module));
    WEFT_TRY(read_decimal(reader, "entities", &identity->entity_count));
    WEFT_TRY(read_hex(reader, "seed", &identity->seed));
    WEFT_TRY(read_decimal(reader, "ticks", tick_count));
    WEFT_TRY(read_hex(reader, "schema", &identity->schema_hash));
    WEFT_TRY(read_hex(reader, "schedule", &identity->schedule_hash));
    return read_math(reader, &identity->math);
}

/// The line of one tick: number, view digest, full digest.
static weft_status read_tick(hashes_reader* reader, uint64_t tick, uint64_t tick_count,
                             weft_verify_digests* out) {
    char number[24];
    char text[2 * WEFT_DIGEST_TEXT + 1];
    WEFT_TRY(reader_next(reader));
    (void)snprintf(number, sizeof number, "%" PRIu64, tick);
    if (reader->found == NULL)
        return reader_expect(reader, "tick %" PRIu64 " of %" PRIu64, tick, tick_count);
    const char* value = reader_value(reader, number, text, sizeof text);
    if (value != NULL && strlen(value) == 2 * WEFT_DIGEST_TEXT - 1 &&
        value[WEFT_DIGEST_TEXT - 1] == ' ') {
        text[WEFT_DIGEST_TEXT - 1] = '\0';
        if (weft_digest_parse(text, &out->view) == WEFT_STATUS_OK &&
            weft_digest_parse(text + WEFT_DIGEST_TEXT, &out->full) == WEFT_STATUS_OK)
            return WEFT_STATUS_OK;
    }
    return reader_expect(reader, "tick %" PRIu64 " and two digests of 32 hexadecimal digits", tick);
}

static weft_status read_all(hashes_reader* reader, weft_cli_hashes* out) {
    uint64_t tick_count = 0;
    WEFT_TRY(read_header(reader, &out->identity, &tick_count));
    for (uint64_t tick = 0; tick <= tick_count; tick++) {
        weft_verify_digests digests;
        WEFT_TRY(read_tick(reader, tick, tick_count, &digests));
        if (weft_cli_hashes_add(out, digests) != WEFT_STATUS_OK) {
            (void)snprintf(reader->line, reader->capacity, "%s: no memory is left", reader->path);
            return WEFT_STATUS_OUT_OF_MEMORY;
        }
    }
    WEFT_TRY(reader_next(reader));
    if (reader->found != NULL)
        return reader_expect(reader, "the end of the file after tick %" PRIu64, tick_count);
    return WEFT_STATUS_OK;
}

weft_status weft_cli_hashes_read(const char* path, weft_cli_hashes* out, char* line,
                                 size_t capacity) {
    hashes_reader reader = {.path = path, .line = line, .capacity = capacity};
    *out = (weft_cli_hashes){0};
    if (!weft_cli_file_read(path, &reader.bytes, &reader.size)) {
        (void)snprintf(line, capacity, "%s: the hash file cannot be read: %s", path,
                       strerror(errno));
        return WEFT_STATUS_FILE_ERROR;
    }
    weft_status status = read_all(&reader, out);
    free(reader.bytes);
    if (status != WEFT_STATUS_OK)
        weft_cli_hashes_deinit(out);
    return status;
}

// Matching ---------------------------------------------------------------------------------------

weft_status weft_cli_hashes_match(const char* path, const weft_cli_hashes* hashes,
                                  const weft_cli_identity* identity, char* line, size_t capacity) {
    const weft_cli_identity* file = &hashes->identity;
    if (strcmp(file->module, identity->module) != 0)
        (void)snprintf(line, capacity, "%s:3: made by module '%s', this run is of '%s'", path,
                       file->module, identity->module);
    else if (file->entity_count != identity->entity_count)
        (void)snprintf(line, capacity,
                       "%s:4: made with %" PRIu64 " entities, this run has %" PRIu64
                       "; leave --entities out to take the file's",
                       path, file->entity_count, identity->entity_count);
    else if (file->seed != identity->seed)
        (void)snprintf(line, capacity,
                       "%s:5: made with seed 0x%" PRIx64 ", this run has 0x%" PRIx64
                       "; leave --seed out to take the file's",
                       path, file->seed, identity->seed);
    else if (file->schema_hash != identity->schema_hash)
        (void)snprintf(line, capacity,
                       "%s:7: made with schema 0x%016" PRIx64 ", this run has 0x%016" PRIx64
                       ": the module's components or their fields have changed",
                       path, file->schema_hash, identity->schema_hash);
    else if (file->schedule_hash != identity->schedule_hash)
        (void)snprintf(line, capacity,
                       "%s:8: made with schedule 0x%016" PRIx64 ", this run has 0x%016" PRIx64
                       ": the module's systems, their access or their order have changed",
                       path, file->schedule_hash, identity->schedule_hash);
    else if (file->math != identity->math)
        (void)snprintf(line, capacity, "%s:9: made with %s, this run has %s", path,
                       weft_math_name(file->math), weft_math_name(identity->math));
    else
        return WEFT_STATUS_OK;
    return WEFT_STATUS_IDENTITY_MISMATCH;
}
