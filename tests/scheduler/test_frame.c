// Files of frames: what is read of whole, cut, damaged and foreign ones; disks that fail.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "frame.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "file_faults.h"
#include "folder.h"
#include "weft_bytes.h"

static const weft__frame_format format = {
    .what = "sample", .magic = "WEFTTEST", .version = 3, .length_max = 1u << 22};

#define FRAMES 6u

typedef struct sample_file {
    test_folder folder;
    char path[96];
    uint64_t ends[FRAMES + 1]; // Of the header and of each frame.
    uint8_t bytes[8192];
    size_t size;
} sample_file;

// Contents of 0, 13, 26, ... bytes.
static size_t content_of(uint64_t number, uint8_t content[256]) {
    size_t length = (size_t)number * 13;
    for (size_t i = 0; i < length; i++)
        content[i] = (uint8_t)(number * 31 + i);
    return length;
}

static weft_status write_frames(weft__file* file, uint64_t from, uint64_t to, uint64_t* ends) {
    for (uint64_t i = from; i < to; i++) {
        uint8_t content[256];
        size_t length = content_of(i, content);
        WEFT_TRY(weft__frame_append(file, (uint32_t)i + 100, i, content, length));
        if (ends != NULL)
            ends[i + 1] = file->size;
    }
    return WEFT_STATUS_OK;
}

static void load(sample_file* sample) {
    FILE* file = fopen(sample->path, "rb");
    cr_assert_not_null(file);
    sample->size = fread(sample->bytes, 1, sizeof(sample->bytes), file);
    (void)fclose(file);
}

static void store(const sample_file* sample, const uint8_t* bytes, size_t size) {
    bytes_store(sample->path, bytes, size);
}

static void open_folder(sample_file* sample) {
    *sample = (sample_file){.size = 0};
    sample->folder = folder_open();
    (void)snprintf(sample->path, sizeof(sample->path), "%s/file", sample->folder.path);
}

static void make(sample_file* sample) {
    weft__file file;
    open_folder(sample);
    cr_assert_eq(weft__file_create(&file, sample->path, NULL), WEFT_STATUS_OK);
    cr_assert_eq(weft__frame_begin(&file, &format), WEFT_STATUS_OK);
    sample->ends[0] = file.size;
    cr_assert_eq(write_frames(&file, 0, FRAMES, sample->ends), WEFT_STATUS_OK);
    cr_assert_neq(access(sample->path, F_OK), 0, "a part has the name");
    cr_assert_eq(weft__file_publish(&file, false), WEFT_STATUS_OK, "%s", file.line);
    weft__file_close(&file);
    load(sample);
    cr_assert_eq(sample->size, sample->ends[FRAMES]);
}

static void drop(const sample_file* sample) {
    char path[128];
    (void)unlink(sample->path);
    (void)snprintf(path, sizeof(path), "%s.tmp", sample->path);
    (void)unlink(path);
    folder_close_empty(&sample->folder);
}

// Reads everything: the frames that are whole and right, and how it ended.
static weft_status read_all(const sample_file* sample, uint64_t* count_out, uint64_t* torn_out,
                            char line[WEFT__FILE_LINE]) {
    weft__frames frames;
    weft__frame frame = {.content = NULL};
    *count_out = *torn_out = 0;
    weft_status status = weft__frames_open(&frames, sample->path, &format);
    while (status == WEFT_STATUS_OK) {
        uint8_t content[256];
        status = weft__frames_next(&frames, &frame);
        if (status != WEFT_STATUS_OK || frame.content == NULL)
            break;
        cr_assert_eq(frame.number, *count_out);
        cr_assert_eq(frame.kind, frame.number + 100);
        cr_assert_eq(frame.length, content_of(frame.number, content));
        cr_assert_eq(memcmp(frame.content, content, frame.length), 0);
        ++*count_out;
    }
    *torn_out = frames.torn;
    memcpy(line, frames.line, WEFT__FILE_LINE);
    weft__frames_close(&frames);
    return status;
}

Test(frame, round_trip) {
    sample_file sample;
    char line[WEFT__FILE_LINE];
    uint64_t count;
    uint64_t torn;
    make(&sample);
    cr_assert_eq(read_all(&sample, &count, &torn, line), WEFT_STATUS_OK);
    cr_assert_eq(count, FRAMES);
    cr_assert_eq(torn, 0);
    drop(&sample);
}

// At each byte: what is whole is read, the rest is named, and a writer goes on behind it.
Test(frame, cut_anywhere) {
    sample_file sample;
    char line[WEFT__FILE_LINE];
    uint64_t count;
    uint64_t torn;
    make(&sample);
    for (size_t size = 0; size < sample.size; size++) {
        uint64_t whole = 0;
        while (whole < FRAMES && sample.ends[whole + 1] <= size)
            whole++;
        store(&sample, sample.bytes, size);
        weft_status status = read_all(&sample, &count, &torn, line);
        if (size < sample.ends[0]) {
            cr_assert_eq(status, WEFT_STATUS_BAD_FORMAT);
            cr_assert(strstr(line, size == 0 ? "no sample" : "cut off") != NULL, "%s", line);
            continue;
        }
        cr_assert_eq(status, WEFT_STATUS_OK, "cut at %zu: %s", size, line);
        cr_assert_eq(count, whole);
        cr_assert_eq(torn, size - sample.ends[whole]);
        weft__file file;
        cr_assert_eq(weft__file_continue(&file, sample.path, sample.ends[whole], NULL),
                     WEFT_STATUS_OK);
        cr_assert_eq(write_frames(&file, whole, FRAMES, NULL), WEFT_STATUS_OK);
        weft__file_close(&file);
        cr_assert_eq(read_all(&sample, &count, &torn, line), WEFT_STATUS_OK);
        cr_assert(count == FRAMES && torn == 0, "what was written later is lost");
    }
    drop(&sample);
}

// Before the last frame every bit is missed, and the place is named; in it, it is as if torn.
Test(frame, flipped_anywhere) {
    sample_file sample;
    char line[WEFT__FILE_LINE];
    uint64_t count;
    uint64_t torn;
    make(&sample);
    for (size_t bit = 0; bit < 8 * sample.size; bit++) {
        uint8_t bytes[sizeof(sample.bytes)];
        memcpy(bytes, sample.bytes, sample.size);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        store(&sample, bytes, sample.size);
        weft_status status = read_all(&sample, &count, &torn, line);
        if (bit / 8 >= sample.ends[FRAMES - 1]) {
            cr_assert_eq(status, WEFT_STATUS_OK, "%s", line);
            cr_assert(count == FRAMES - 1 && torn == sample.size - sample.ends[FRAMES - 1]);
            continue;
        }
        cr_assert_eq(status, WEFT_STATUS_BAD_FORMAT, "bit %zu is not missed", bit);
        cr_assert(strstr(line, sample.path) == line, "%s", line);
        if (bit / 8 >= sample.ends[0])
            cr_assert(strstr(line, "damaged at byte") != NULL, "%s", line);
    }
    drop(&sample);
}

static void expect_refusal(const sample_file* sample, const uint8_t* bytes, size_t size,
                           const char* words) {
    char line[WEFT__FILE_LINE];
    uint64_t count;
    uint64_t torn;
    store(sample, bytes, size);
    cr_assert_eq(read_all(sample, &count, &torn, line), WEFT_STATUS_BAD_FORMAT);
    cr_assert(strstr(line, words) != NULL, "%s", line);
}

Test(frame, foreign_headers_are_named) {
    sample_file sample;
    uint8_t bytes[sizeof(sample.bytes)];
    static const uint8_t swapped[] = {0x0a, 0x0b, 0x0c, 0x0d};
    static const uint8_t other[] = {'W', 'E', 'F', 'T', 'O', 'T', 'H', 'R'};
    make(&sample);
    memcpy(bytes, sample.bytes, sample.size);
    memcpy(bytes + 8, swapped, sizeof(swapped));
    expect_refusal(&sample, bytes, sample.size, "other byte order: its mark is 0d0c0b0a");
    memcpy(bytes, sample.bytes, sample.size);
    bytes[12]++;
    expect_refusal(&sample, bytes, sample.size, "version 4 of the format, and this library reads");
    memcpy(bytes, other, sizeof(other));
    expect_refusal(&sample, bytes, sample.size, "does not begin with WEFTTEST");
    drop(&sample);
}

// A length that cannot be is refused before memory is taken for it; so is a frame that is missing.
Test(frame, inconsistent_frames_are_refused) {
    sample_file sample;
    uint8_t bytes[sizeof(sample.bytes)];
    make(&sample);
    memcpy(bytes, sample.bytes, sample.size);
    weft__bytes head;
    uint8_t* at = bytes + sample.ends[2];
    weft__bytes_init(&head, at + 16, 24);
    weft__bytes_put_u64(&head, UINT64_C(1) << 60);
    weft__bytes_put_u64(&head, 0);
    weft__bytes_put_u64(&head, weft_hash64_of(at, 32, 2));
    expect_refusal(&sample, bytes, sample.size, "of 1152921504606846976 bytes");
    size_t gone = sample.ends[3] - sample.ends[2];
    memcpy(bytes, sample.bytes, sample.ends[2]);
    memcpy(bytes + sample.ends[2], sample.bytes + sample.ends[3], sample.size - sample.ends[3]);
    expect_refusal(&sample, bytes, sample.size - gone, "in the place of frame 2");
    drop(&sample);
}

Test(frame, long_contents_and_many_frames) {
    sample_file sample;
    weft__file file;
    weft__frames frames;
    weft__frame frame;
    open_folder(&sample);
    uint8_t* content = calloc(1, 3u << 20);
    cr_assert_eq(weft__file_create(&file, sample.path, NULL), WEFT_STATUS_OK);
    cr_assert_eq(weft__frame_begin(&file, &format), WEFT_STATUS_OK);
    for (uint64_t i = 0; i < 40; i++)
        cr_assert_eq(weft__frame_append(&file, 1, i, content, i % 7 == 0 ? 3u << 20 : 70000),
                     WEFT_STATUS_OK);
    cr_assert_eq(weft__file_publish(&file, true), WEFT_STATUS_OK);
    weft__file_close(&file);
    cr_assert_eq(weft__frames_open(&frames, sample.path, &format), WEFT_STATUS_OK);
    for (uint64_t i = 0; i < 40; i++) {
        cr_assert_eq(weft__frames_next(&frames, &frame), WEFT_STATUS_OK);
        cr_assert_eq(frame.length, i % 7 == 0 ? 3u << 20 : 70000);
    }
    cr_assert_eq(weft__frames_next(&frames, &frame), WEFT_STATUS_OK);
    cr_assert_null(frame.content);
    weft__frames_close(&frames);
    free(content);
    drop(&sample);
}

// Disks that fail ---------------------------------------------------------------------------------

Test(file, short_writes_are_gone_on_with) {
    sample_file whole;
    sample_file sample;
    weft__file file;
    file_faults faults = file_faults_none();
    weft__file_calls calls = file_faults_calls(&faults);
    make(&whole);
    open_folder(&sample);
    faults.write_max = 7;
    cr_assert_eq(weft__file_create(&file, sample.path, &calls), WEFT_STATUS_OK);
    cr_assert_eq(weft__frame_begin(&file, &format), WEFT_STATUS_OK);
    cr_assert_eq(write_frames(&file, 0, FRAMES, NULL), WEFT_STATUS_OK);
    cr_assert_eq(weft__file_publish(&file, true), WEFT_STATUS_OK);
    weft__file_close(&file);
    load(&sample);
    cr_assert_eq(sample.size, whole.size);
    cr_assert_eq(memcmp(sample.bytes, whole.bytes, whole.size), 0);
    drop(&sample);
    drop(&whole);
}

// At each byte. A new file does not get its name; one that is continued stays readable.
Test(file, full_disks_at_every_byte) {
    sample_file sample;
    char line[WEFT__FILE_LINE];
    uint64_t count;
    uint64_t torn;
    make(&sample);
    for (uint64_t room = 0; room < sample.size; room++) {
        weft__file file;
        file_faults faults = file_faults_none();
        weft__file_calls calls = file_faults_calls(&faults);
        uint64_t whole = 0;
        faults.room = room;
        cr_assert_eq(weft__file_continue(&file, sample.path, sample.ends[0], &calls),
                     WEFT_STATUS_OK);
        cr_assert_eq(write_frames(&file, 0, FRAMES, NULL),
                     sample.ends[0] + room < sample.size ? WEFT_STATUS_FILE_ERROR : WEFT_STATUS_OK);
        if (file.status != WEFT_STATUS_OK) {
            cr_assert(strstr(file.line, "No space left on device; make room") != NULL, "%s",
                      file.line);
            faults.room = UINT64_MAX;
            cr_assert_eq(weft__file_append(&file, "x", 1), WEFT_STATUS_FILE_ERROR, "behind a hole");
        }
        weft__file_close(&file);
        while (whole < FRAMES && sample.ends[whole + 1] <= sample.ends[0] + room)
            whole++;
        cr_assert_eq(read_all(&sample, &count, &torn, line), WEFT_STATUS_OK, "%s", line);
        cr_assert_eq(count, whole);
    }
    drop(&sample);
}

Test(file, what_fails_has_no_name) {
    for (int way = 0; way < 3; way++) {
        sample_file sample;
        weft__file file;
        file_faults faults = file_faults_none();
        weft__file_calls calls = file_faults_calls(&faults);
        open_folder(&sample);
        faults.room = way == 0 ? 20 : UINT64_MAX;
        faults.sync_count = way == 1 ? 0 : UINT64_MAX;
        faults.rename_fails = way == 2;
        cr_assert_eq(weft__file_create(&file, sample.path, &calls), WEFT_STATUS_OK);
        weft_status status = weft__frame_begin(&file, &format);
        cr_assert_eq(status, way == 0 ? WEFT_STATUS_FILE_ERROR : WEFT_STATUS_OK);
        cr_assert_eq(weft__file_publish(&file, true), WEFT_STATUS_FILE_ERROR);
        cr_assert(strstr(file.line, way == 0   ? "cannot be written: No space"
                                    : way == 1 ? "cannot be made durable: Input/output"
                                               : "cannot be named: Permission denied") != NULL,
                  "%s", file.line);
        weft__file_close(&file);
        cr_assert_neq(access(sample.path, F_OK), 0);
        drop(&sample); // The temporary file is gone too.
    }
}

Test(file, names_that_are_taken) {
    sample_file sample;
    weft__file file;
    weft__file other;
    make(&sample);
    cr_assert_eq(weft__file_create(&file, sample.path, NULL), WEFT_STATUS_OK);
    cr_assert_eq(weft__file_create(&other, sample.path, NULL), WEFT_STATUS_FILE_ERROR);
    cr_assert(strstr(other.line, "another process is writing it") != NULL, "%s", other.line);
    cr_assert_eq(weft__file_append(&file, "new", 3), WEFT_STATUS_OK);
    cr_assert_eq(weft__file_publish(&file, false), WEFT_STATUS_FILE_ERROR);
    cr_assert(strstr(file.line, "File exists; take another name") != NULL, "%s", file.line);
    weft__file_close(&file);
    cr_assert_eq(weft__file_continue(&file, sample.path, sample.size, NULL), WEFT_STATUS_OK);
    cr_assert_eq(weft__file_continue(&other, sample.path, 0, NULL), WEFT_STATUS_FILE_ERROR);
    weft__file_close(&file);
    cr_assert_eq(weft__file_continue(&file, sample.path, sample.size + 1, NULL),
                 WEFT_STATUS_FILE_ERROR);
    cr_assert(strstr(file.line, "shorter") != NULL, "%s", file.line);
    uint8_t before[sizeof(sample.bytes)];
    memcpy(before, sample.bytes, sample.size);
    load(&sample);
    cr_assert_eq(memcmp(before, sample.bytes, sample.size), 0, "it was written over");
    drop(&sample);
}

Test(file, what_is_no_file) {
    sample_file sample;
    weft__file file;
    weft__source source;
    char path[WEFT__FILE_PATH + 8];
    open_folder(&sample);
    cr_assert_eq(weft__file_create(&file, sample.folder.path, NULL), WEFT_STATUS_FILE_ERROR);
    cr_assert_eq(weft__source_open(&source, sample.folder.path), WEFT_STATUS_FILE_ERROR);
    cr_assert(strstr(source.line, "no regular file") != NULL, "%s", source.line);
    cr_assert_eq(weft__source_open(&source, sample.path), WEFT_STATUS_FILE_ERROR);
    cr_assert(strstr(source.line, "No such file") != NULL, "%s", source.line);
    cr_assert_eq(weft__source_open(&source, ""), WEFT_STATUS_FILE_ERROR);
    cr_assert_eq(mkfifo(sample.path, 0600), 0);
    cr_assert_eq(weft__source_open(&source, sample.path), WEFT_STATUS_FILE_ERROR);
    memset(path, 'x', sizeof(path) - 1);
    path[sizeof(path) - 1] = '\0';
    cr_assert_eq(weft__file_create(&file, path, NULL), WEFT_STATUS_FILE_ERROR);
    cr_assert(strstr(file.line, "too long") != NULL, "%s", file.line);
    drop(&sample);
}
