#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "feed.h"

#include "journal_format.h"
#include "snapshot_format.h"
#include "state_format.h"
#include "weft_state.h"
#include "workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define TICKS 6u
#define SAMPLE_MAX ((size_t)1 << 20)

struct feed {
    weft_world* world;
    weft_schedule* schedule;
    weft_executor* executor;
    weft_digest full; // Of what a refusal must leave.
    int file;
    char path[32];
    uint8_t* samples[2];
    size_t sizes[2];
};

// These stand outside of any test.
static void must(bool condition, const char* what) {
    if (condition)
        return;
    (void)fprintf(stderr, "a promise is broken: %s\n", what);
    abort();
}

static void make_world(feed* all) {
    static const weft_module_options few = {4, 9};
    weft_world_desc desc = weft_world_desc_default();
    weft_executor_desc serial = weft_executor_desc_default();
    desc.seed = few.seed;
    if (weft_workload_orbits.describe != NULL)
        weft_workload_orbits.describe(&few, &desc);
    must(weft_world_create(&desc, NULL, &all->world) == WEFT_STATUS_OK, "a world");
    must(weft_schedule_create(all->world, &all->schedule) == WEFT_STATUS_OK, "a schedule");
    must(weft_workload_orbits.build(&few, all->world, all->schedule) == WEFT_STATUS_OK, "a build");
    must(weft_world_commit(all->world) == WEFT_STATUS_OK, "a commit");
    must(weft_executor_create(&serial, all->schedule, &all->executor) == WEFT_STATUS_OK,
         "an executor");
}

static void drop_world(feed* all) {
    weft_executor_destroy(all->executor);
    weft_schedule_destroy(all->schedule);
    weft_world_destroy(all->world);
}

// One that did not fail and has a known state.
static void fresh_world(feed* all) {
    if (all->world != NULL)
        drop_world(all);
    make_world(all);
    all->full = weft_world_digest_full(all->world);
}

static void keep_sample(feed* all, feed_kind kind, const char* path) {
    FILE* file = fopen(path, "rbe");
    must(file != NULL, "a sample");
    all->samples[kind] = malloc(SAMPLE_MAX);
    must(all->samples[kind] != NULL, "memory");
    all->sizes[kind] = fread(all->samples[kind], 1, SAMPLE_MAX, file);
    must(all->sizes[kind] < SAMPLE_MAX, "a small sample");
    (void)fclose(file);
    (void)unlink(path);
}

static void make_samples(feed* all) {
    char folder[] = "/tmp/weft-fuzz-XXXXXX";
    char path[64];
    char line[256];
    weft_journal* journal;
    weft_journal_desc desc = weft_journal_desc_default();
    weft_snapshot_desc how = weft_snapshot_desc_default();
    must(mkdtemp(folder) != NULL, "a folder");
    fresh_world(all);
    (void)snprintf(path, sizeof(path), "%s/journal", folder);
    must(weft_journal_create(&desc, all->schedule, path, &journal) == WEFT_STATUS_OK, "a journal");
    for (uint32_t tick = 0; tick < TICKS; tick++)
        must(weft_journal_tick(journal, all->executor) == WEFT_STATUS_OK, "a tick");
    must(weft_journal_close(journal, line, sizeof(line)) == WEFT_STATUS_OK, "a close");
    keep_sample(all, FEED_JOURNAL, path);
    (void)snprintf(path, sizeof(path), "%s/snapshot", folder);
    must(weft_snapshot_save(all->executor, path, &how) == WEFT_STATUS_OK, "a snapshot");
    keep_sample(all, FEED_SNAPSHOT, path);
    (void)rmdir(folder);
}

feed* feed_open(void) {
    feed* all = calloc(1, sizeof(*all));
    must(all != NULL, "memory");
    all->file = memfd_create("weft-fuzz", MFD_CLOEXEC);
    must(all->file >= 0, "a file in memory");
    (void)snprintf(all->path, sizeof(all->path), "/proc/self/fd/%d", all->file);
    make_samples(all);
    fresh_world(all);
    return all;
}

void feed_close(feed* all) {
    drop_world(all);
    (void)close(all->file);
    free(all->samples[0]);
    free(all->samples[1]);
    free(all);
}

const uint8_t* feed_sample(const feed* all, feed_kind kind, size_t* size_out) {
    *size_out = all->sizes[kind];
    return all->samples[kind];
}

// Sealing -----------------------------------------------------------------------------------------

static uint64_t get(const uint8_t* at, size_t size) {
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++)
        value |= (uint64_t)at[i] << 8 * i;
    return value;
}

static void put_sum(uint8_t* at, uint64_t sum) {
    for (size_t i = 0; i < 8; i++)
        at[i] = (uint8_t)(sum >> 8 * i);
}

static void seal_sections(uint8_t* at, size_t left) {
    while (left >= WEFT__STATE_HEAD) {
        uint64_t length = get(at + 16, 8);
        if (length > left - WEFT__STATE_HEAD)
            return;
        put_sum(at + WEFT__STATE_SUMMED,
                weft__state_checksum(at, at + WEFT__STATE_HEAD, (size_t)length));
        at += WEFT__STATE_HEAD + length;
        left -= WEFT__STATE_HEAD + (size_t)length;
    }
}

// Of the encoded state in a part of a snapshot; the first one begins with the state's header.
static void seal_part(uint8_t* at, size_t left, bool first) {
    if (left < WEFT__SNAPSHOT_DATA_HEAD)
        return;
    at += WEFT__SNAPSHOT_DATA_HEAD;
    left -= WEFT__SNAPSHOT_DATA_HEAD;
    if (first && left >= WEFT__STATE_HEADER) {
        put_sum(at + WEFT__STATE_HEADER - 8, weft_hash64_of(at, WEFT__STATE_HEADER - 8, 0));
        at += WEFT__STATE_HEADER;
        left -= WEFT__STATE_HEADER;
    }
    seal_sections(at, left);
}

static void seal_all(feed_kind kind, uint8_t* bytes, size_t size) {
    if (size < WEFT__FRAME_FILE_HEADER)
        return;
    put_sum(bytes + 24, weft_hash64_of(bytes, 24, 0));
    bytes += WEFT__FRAME_FILE_HEADER;
    size -= WEFT__FRAME_FILE_HEADER;
    while (size >= WEFT__FRAME_HEAD) {
        uint32_t frame = (uint32_t)get(bytes + 4, 4);
        uint64_t number = get(bytes + 8, 8);
        uint64_t length = get(bytes + 16, 8);
        if (length > size - WEFT__FRAME_HEAD)
            return;
        if (kind == FEED_SNAPSHOT && frame == WEFT__SNAPSHOT_DATA)
            seal_part(bytes + WEFT__FRAME_HEAD, (size_t)length, number == 1);
        weft__frame_seal(bytes, frame, number, bytes + WEFT__FRAME_HEAD, (size_t)length);
        bytes += WEFT__FRAME_HEAD + length;
        size -= WEFT__FRAME_HEAD + (size_t)length;
    }
}

// Giving ------------------------------------------------------------------------------------------

static bool give_snapshot(feed* all) {
    weft_snapshot_desc desc = weft_snapshot_desc_default();
    desc.executor = all->executor;
    weft_status status = weft_snapshot_load(all->world, all->path, &desc);
    if (status != WEFT_STATUS_OK && status != WEFT_STATUS_DIGEST_MISMATCH) {
        must(weft_world_error(all->world)[0] != '\0', "a refusal has a line");
        must(weft_digest_equal(weft_world_digest_full(all->world), all->full),
             "a refusal leaves the world as it was");
        return false;
    }
    // What was taken runs; it may be another world than was saved.
    if (status == WEFT_STATUS_OK)
        (void)!weft_executor_tick(all->executor);
    fresh_world(all);
    return status == WEFT_STATUS_OK;
}

static bool give_journal(feed* all) {
    weft_journal_desc desc = weft_journal_desc_default();
    weft_replay* replay;
    weft_status status = weft_replay_open(&desc, all->schedule, all->path, &replay);
    if (status != WEFT_STATUS_OK) {
        must(replay == NULL && weft_world_error(all->world)[0] != '\0', "a refusal has a line");
        return false;
    }
    status = weft_replay_seek(replay);
    while (status == WEFT_STATUS_OK && !weft_replay_info_read(replay).ended)
        status = weft_replay_tick(replay, all->executor);
    weft_replay_close(replay);
    fresh_world(all);
    return status == WEFT_STATUS_OK;
}

bool feed_give(feed* all, feed_kind kind, uint8_t* bytes, size_t size, bool seal) {
    if (seal)
        seal_all(kind, bytes, size);
    must(ftruncate(all->file, (off_t)size) == 0, "a file's size");
    must(pwrite(all->file, bytes, size, 0) == (ssize_t)size, "a file's bytes");
    return kind == FEED_SNAPSHOT ? give_snapshot(all) : give_journal(all);
}
