// Logs whose writer died, and files that were cut or damaged: what is read is right, and a run that
// is started again ends with the file that it would have had.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "simlog_sample.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "effort.h"

enum {
    KILLS = 30,
    KILL_TICKS = 4000,
    CUT_TICKS = 12
};

static void assert_same(const test_bytes* a, const test_bytes* b, const char* when) {
    cr_assert(a->size == b->size && memcmp(a->data, b->data, a->size) == 0, "%s", when);
}

static test_bytes whole_file(const log_folder* folder, uint64_t ticks) {
    char line[WEFT_SIMLOG_LINE];
    cr_assert_eq(log_run(folder->path, ticks, NULL, NULL, line, NULL), WEFT_STATUS_OK, "%s", line);
    test_bytes whole = bytes_load(folder->path);
    (void)unlink(folder->path);
    return whole;
}

// Writes until it is killed.
static pid_t start_writer(const log_folder* folder) {
    pid_t child = fork();
    cr_assert(child >= 0);
    if (child != 0)
        return child;
    weft_status status = log_run(folder->path, KILL_TICKS, NULL, NULL, NULL, NULL);
    _exit(status == WEFT_STATUS_OK ? 0 : 1);
}

Test(simlog_crash, a_killed_writer_leaves_whole_segments) {
    char line[WEFT_SIMLOG_LINE];
    log_folder folder = log_folder_make();
    test_bytes whole = whole_file(&folder, KILL_TICKS);
    uint32_t inside = 0;
    for (uint32_t i = 0; i < TEST_EFFORT(KILLS); i++) {
        pid_t child = start_writer(&folder);
        (void)usleep(300 + i * 700);
        (void)kill(child, SIGKILL);
        int ended;
        cr_assert_eq(waitpid(child, &ended, 0), child);
        log_survey found = {0};
        if (access(folder.path, F_OK) == 0)
            cr_assert_eq(log_check(folder.path, &found, line), WEFT_STATUS_OK, "%s", line);
        inside += found.ticks > 0 && found.ticks < KILL_TICKS;
        weft_status status = log_run(folder.path, KILL_TICKS, NULL, NULL, line, NULL);
        cr_assert_eq(status, WEFT_STATUS_OK, "%s", line);
        test_bytes again = bytes_load(folder.path);
        assert_same(&again, &whole, "a run that was killed and started again wrote another file");
        free(again.data);
        (void)unlink(folder.path);
    }
    cr_assert(TEST_EFFORT_PART > 1 || inside > 0, "nobody was killed while writing");
    free(whole.data);
    log_folder_remove(&folder);
}

// Where each segment begins, and the end.
static uint32_t segment_bounds(const log_folder* folder, uint64_t* bounds, uint32_t capacity) {
    char line[WEFT_SIMLOG_LINE];
    weft_simlog_reader* reader;
    weft_simlog_part part;
    uint64_t number;
    uint32_t count = 0;
    cr_assert_eq(weft_simlog_reader_open(folder->path, &reader, line), WEFT_STATUS_OK);
    do {
        cr_assert(count < capacity);
        weft__simlog_reader_end(reader, &bounds[count++], &number);
        cr_assert_eq(weft_simlog_reader_next(reader, &part), WEFT_STATUS_OK);
    } while (part.kind != WEFT_SIMLOG_END);
    weft_simlog_reader_close(reader);
    return count;
}

Test(simlog_crash, a_file_cut_at_any_byte_is_read_to_its_last_whole_segment) {
    char line[WEFT_SIMLOG_LINE];
    log_folder folder = log_folder_make();
    test_bytes whole = whole_file(&folder, CUT_TICKS);
    uint64_t bounds[CUT_TICKS + 2];
    bytes_store(folder.path, whole.data, whole.size);
    uint32_t count = segment_bounds(&folder, bounds, CUT_TICKS + 2);
    cr_assert_eq(count, 4, "three segments of four ticks");
    cr_assert_eq(bounds[3], whole.size);
    for (size_t size = 0; size < whole.size; size += TEST_EFFORT_PART) {
        log_survey found;
        bytes_store(folder.path, whole.data, size);
        weft_status status = log_check(folder.path, &found, line);
        if (size < bounds[0]) {
            cr_assert_eq(status, WEFT_STATUS_BAD_FORMAT, "%zu bytes", size);
            cr_assert_eq(log_run(folder.path, CUT_TICKS, NULL, NULL, line, NULL),
                         WEFT_STATUS_BAD_FORMAT, "it is not thrown away");
            continue;
        }
        uint32_t segments = 0;
        while (bounds[segments + 1] <= size)
            segments++;
        cr_assert_eq(status, WEFT_STATUS_OK, "%zu bytes: %s", size, line);
        cr_assert_eq(found.segments, segments, "%zu bytes", size);
        cr_assert_eq(found.torn, size - bounds[segments]);
        if (size % 16 != 0)
            continue;
        cr_assert_eq(log_run(folder.path, CUT_TICKS, NULL, NULL, line, NULL), WEFT_STATUS_OK);
        test_bytes again = bytes_load(folder.path);
        assert_same(&again, &whole, "the file is not completed as it was");
        free(again.data);
    }
    free(whole.data);
    log_folder_remove(&folder);
}

// Rows are checked one by one by log_check: a bit that gets through is found there.
Test(simlog_crash, a_flipped_bit_never_becomes_a_row) {
    char line[WEFT_SIMLOG_LINE];
    log_folder folder = log_folder_make();
    test_bytes whole = whole_file(&folder, CUT_TICKS);
    uint64_t bounds[CUT_TICKS + 2];
    bytes_store(folder.path, whole.data, whole.size);
    uint32_t count = segment_bounds(&folder, bounds, CUT_TICKS + 2);
    for (size_t at = 0; at < whole.size; at += TEST_EFFORT_PART) {
        log_survey found;
        uint8_t bit = (uint8_t)(1u << (at * 5 % 8));
        whole.data[at] ^= bit;
        bytes_store(folder.path, whole.data, whole.size);
        weft_status status = log_check(folder.path, &found, line);
        // In the last segment it is as if that had not been written; before, it is damage.
        if (at >= bounds[count - 2])
            cr_assert(status == WEFT_STATUS_OK && found.segments == 2 && found.torn > 0, "%zu", at);
        else
            cr_assert_eq(status, WEFT_STATUS_BAD_FORMAT, "byte %zu", at);
        whole.data[at] ^= bit;
    }
    free(whole.data);
    log_folder_remove(&folder);
}
