// Bundles: a header, then sections, each with its length and checksum, all integers little-endian.
//
//   8 magic  4 version  4 sections  8 bytes in all  8 checksum of these
//   4 kind   4 zero     8 length    8 checksum of these and the content      content
//
// Kinds ascend. Nothing follows the last section.

#include "cli.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC UINT64_C(0x4C444E4254464557) // "WEFTBNDL"
#define VERSION 1u
#define HEADER 32u
#define HEAD 24u
#define SUMMED 16u // Bytes of a head that its checksum begins with.

static void put(uint8_t* out, uint64_t value, size_t size) {
    for (size_t i = 0; i < size; i++)
        out[i] = (uint8_t)(value >> (8 * i));
}

static uint64_t get(const uint8_t* in, size_t size) {
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++)
        value |= (uint64_t)in[i] << (8 * i);
    return value;
}

static uint64_t section_sum(const uint8_t* head, const void* content, size_t size) {
    return weft_hash64_of(content, size, weft_hash64_of(head, SUMMED, 0));
}

// Writing ----------------------------------------------------------------------------------------

static void bundle_print(FILE* file, const void* context) {
    const weft_cli_bundle* bundle = context;
    uint8_t header[HEADER] = {0};
    uint64_t count = 0;
    uint64_t size = HEADER;
    for (size_t kind = 1; kind < WEFT_CLI_SECTION_COUNT; kind++) {
        count += bundle->bytes[kind] != NULL;
        size += bundle->bytes[kind] != NULL ? HEAD + bundle->sizes[kind] : 0;
    }
    put(header, MAGIC, 8);
    put(header + 8, VERSION, 4);
    put(header + 12, count, 4);
    put(header + 16, size, 8);
    put(header + 24, weft_hash64_of(header, 24, 0), 8);
    (void)fwrite(header, 1, sizeof header, file);
    for (size_t kind = 1; kind < WEFT_CLI_SECTION_COUNT; kind++) {
        uint8_t head[HEAD] = {0};
        if (bundle->bytes[kind] == NULL)
            continue;
        put(head, kind, 4);
        put(head + 8, bundle->sizes[kind], 8);
        put(head + SUMMED, section_sum(head, bundle->bytes[kind], bundle->sizes[kind]), 8);
        (void)fwrite(head, 1, sizeof head, file);
        (void)fwrite(bundle->bytes[kind], 1, bundle->sizes[kind], file);
    }
}

weft_status weft_cli_bundle_write(const char* path, const weft_cli_bundle* bundle, char* line,
                                  size_t capacity) {
    return weft_cli_file_write(path, "bundle", bundle_print, bundle, line, capacity);
}

// Reading ----------------------------------------------------------------------------------------

static const char* const section_names[WEFT_CLI_SECTION_COUNT] = {
    "", "identity", "executor", "state", "inputs", "plan", "environment", "finding", "outputs"};

/// What is wrong with the header, or null.
static const char* header_fault(const uint8_t* bytes, size_t size, char* text, size_t capacity) {
    if (size < 8 || get(bytes, 8) != MAGIC)
        return "this is no bundle of weft bisect";
    if (size < HEADER)
        return "it is cut off in its header";
    if (get(bytes + 24, 8) != weft_hash64_of(bytes, 24, 0))
        return "its header is damaged";
    (void)snprintf(text, capacity, "it is of version %" PRIu64 ", this program reads version %u",
                   get(bytes + 8, 4), VERSION);
    if (get(bytes + 8, 4) != VERSION)
        return text;
    (void)snprintf(text, capacity, "it has %zu bytes, and should have %" PRIu64 ": cut off, or %s",
                   size, get(bytes + 16, 8), "joined with something else");
    return get(bytes + 16, 8) != size ? text : NULL;
}

/// Reads one section at `*offset`; what is wrong with it, or null.
static const char* section_read(weft_cli_bundle* out, const uint8_t* bytes, size_t size,
                                size_t* offset, uint64_t* last, char* text, size_t capacity) {
    const uint8_t* head = bytes + *offset;
    if (size - *offset < HEAD)
        return "it is cut off between sections";
    uint64_t kind = get(head, 4);
    uint64_t length = get(head + 8, 8);
    const char* name = kind < WEFT_CLI_SECTION_COUNT ? section_names[kind] : "of an unknown kind";
    (void)snprintf(text, capacity, "its section '%s' is damaged", name);
    if (kind <= *last || kind >= WEFT_CLI_SECTION_COUNT || get(head + 4, 4) != 0 ||
        length > size - *offset - HEAD ||
        get(head + SUMMED, 8) != section_sum(head, head + HEAD, (size_t)length))
        return text;
    out->bytes[kind] = head + HEAD;
    out->sizes[kind] = (size_t)length;
    *offset += HEAD + (size_t)length;
    *last = kind;
    return NULL;
}

static const char* bundle_fault(weft_cli_bundle* out, size_t size, char* text, size_t capacity) {
    const uint8_t* bytes = (const uint8_t*)out->file;
    const char* fault = header_fault(bytes, size, text, capacity);
    size_t offset = HEADER;
    uint64_t last = 0;
    uint64_t count = fault == NULL ? get(bytes + 12, 4) : 0;
    for (uint64_t i = 0; i < count && fault == NULL; i++)
        fault = section_read(out, bytes, size, &offset, &last, text, capacity);
    if (fault == NULL && offset != size)
        return "something follows its last section";
    return fault;
}

weft_status weft_cli_bundle_read(const char* path, weft_cli_bundle* out, char* line,
                                 size_t capacity) {
    char text[128];
    size_t size;
    *out = (weft_cli_bundle){0};
    if (!weft_cli_file_read(path, &out->file, &size)) {
        (void)snprintf(line, capacity, "%s: the bundle cannot be read: %s", path, strerror(errno));
        return WEFT_STATUS_FILE_ERROR;
    }
    const char* fault = bundle_fault(out, size, text, sizeof text);
    if (fault == NULL)
        return WEFT_STATUS_OK;
    (void)snprintf(line, capacity, "%s: %s", path, fault);
    weft_cli_bundle_deinit(out);
    return WEFT_STATUS_BAD_FORMAT;
}

void weft_cli_bundle_deinit(weft_cli_bundle* bundle) {
    free(bundle->file);
    *bundle = (weft_cli_bundle){0};
}

bool weft_cli_bundle_is(const char* path) {
    static const char ending[] = ".weftbundle";
    uint8_t magic[8] = {0};
    size_t length = strlen(path);
    if (length >= sizeof ending && strcmp(path + length + 1 - sizeof ending, ending) == 0)
        return true;
    FILE* file = fopen(path, "re");
    bool is = file != NULL && fread(magic, 1, sizeof magic, file) == sizeof magic &&
              get(magic, 8) == MAGIC;
    if (file != NULL)
        (void)fclose(file);
    return is;
}
