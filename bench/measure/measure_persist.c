/// Files: what a journal of every tick costs, and snapshots against plain files of their size.

#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <weft/snapshot.h>

#include "bounds.h"
#include "lockstep.h"

enum {
    PLAIN_BLOCK = 1 << 20, // Bytes of one write.
    PATH_SIZE = 128,
};

typedef struct persist_run {
    const weft_measure_options* options;
    weft_measure_table* table;
    weft_topology* topology;
    uint64_t entities;
    uint32_t workers;
    char folder[64];
    char journal[PATH_SIZE];
    char snapshot[PATH_SIZE];
    char plain[PATH_SIZE];
    weft_rig rig;
    weft_snapshot_desc desc;
    uint64_t size; // Of the snapshot.
    uint8_t* block;
} persist_run;

// Journal ----------------------------------------------------------------------------------------

// The same ticks of two worlds with a digest each, one of which keeps a journal.
static weft_status measure_journal(persist_run* run) {
    weft_lockstep both[2];
    for (uint32_t i = 0; i < 2; ++i)
        both[i] = (weft_lockstep){.name = "creatures",
                                  .module = &weft_workload_creatures,
                                  .entity_count = run->entities,
                                  .desc = weft_rig_threads(run->workers, run->topology),
                                  .journal_path = i == 1 ? run->journal : NULL,
                                  .digest = true};
    weft_lockstep_length length = weft_lockstep_length_of(run->options);
    // The difference is far below the noise of a few ticks.
    if (!run->options->quick && run->options->tick_count == 0)
        length.blocks *= 6;
    weft_status status = weft_lockstep_run(run->options, "journal", length, both, 2, run->table);
    if (status == WEFT_STATUS_OK && !weft_lockstep_equal(&both[0], &both[1])) {
        snprintf(run->table->error, sizeof(run->table->error),
                 "creatures with and without a journal ended in different worlds");
        status = WEFT_STATUS_DIVERGED;
    }
    if (status == WEFT_STATUS_OK) {
        weft_series ratio = weft_series_ratio(&both[1].us, &both[0].us);
        weft_measure_add(run->table, "us", &both[0].us, 1, "a tick of creatures with its digest");
        weft_measure_add(run->table, "us", &both[1].us, 1, "the same with a journal");
        weft_measure_row* row = weft_measure_add(run->table, "ratio", &ratio, 1,
                                                 "with a journal against without, %u worker%s",
                                                 run->workers, run->workers > 1 ? "s" : "");
        weft_measure_target(run->options, row, WEFT_MEASURE_AT_MOST, 1.02);
    }
    weft_lockstep_close(both, 2);
    return status;
}

// Snapshots --------------------------------------------------------------------------------------

static weft_status once_save(void* context, uint64_t* elapsed) {
    persist_run* run = context;
    uint64_t start = weft_measure_now_ns();
    weft_status status = weft_snapshot_save(run->rig.executor[0], run->snapshot, &run->desc);
    *elapsed += weft_measure_now_ns() - start;
    return status;
}

static weft_status once_load(void* context, uint64_t* elapsed) {
    persist_run* run = context;
    uint64_t start = weft_measure_now_ns();
    weft_status status = weft_snapshot_load(run->rig.world, run->snapshot, &run->desc);
    *elapsed += weft_measure_now_ns() - start;
    return status;
}

// What a snapshot cannot be faster than: bytes that are there, written under another name, made
// durable and renamed.
static weft_status once_write(void* context, uint64_t* elapsed) {
    persist_run* run = context;
    char name[PATH_SIZE + 8];
    snprintf(name, sizeof(name), "%s.tmp", run->plain);
    uint64_t start = weft_measure_now_ns();
    int file = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    bool written = file >= 0;
    for (uint64_t at = 0; at < run->size && written; at += PLAIN_BLOCK) {
        uint64_t left = run->size - at;
        size_t now = left < PLAIN_BLOCK ? (size_t)left : PLAIN_BLOCK;
        written = write(file, run->block, now) == (ssize_t)now;
    }
    written = written && fsync(file) == 0 && rename(name, run->plain) == 0;
    if (file >= 0)
        (void)close(file);
    *elapsed += weft_measure_now_ns() - start;
    return written ? WEFT_STATUS_OK : WEFT_STATUS_FILE_ERROR;
}

static weft_status once_read(void* context, uint64_t* elapsed) {
    persist_run* run = context;
    uint64_t start = weft_measure_now_ns();
    int file = open(run->plain, O_RDONLY | O_CLOEXEC);
    ssize_t got = file >= 0 ? 1 : -1;
    while (got > 0)
        got = read(file, run->block, PLAIN_BLOCK);
    if (file >= 0)
        (void)close(file);
    *elapsed += weft_measure_now_ns() - start;
    return got == 0 ? WEFT_STATUS_OK : WEFT_STATUS_FILE_ERROR;
}

static weft_status open_world(persist_run* run) {
    weft_executor_desc desc = weft_rig_threads(run->workers, run->topology);
    weft_snapshot_info info;
    run->desc = weft_snapshot_desc_default();
    WEFT_TRY(weft_rig_open(&run->rig, &weft_workload_creatures, run->entities, run->options->seed));
    WEFT_TRY(weft_rig_add(&run->rig, &desc));
    run->desc.executor = run->rig.executor[0];
    WEFT_TRY(weft_rig_tick(&run->rig, 0));
    WEFT_TRY(weft_snapshot_save(run->rig.executor[0], run->snapshot, &run->desc));
    WEFT_TRY(
        weft_snapshot_inspect(run->snapshot, &info, run->table->error, sizeof(run->table->error)));
    run->size = info.file_size;
    run->block = calloc(1, PLAIN_BLOCK);
    return run->block != NULL ? WEFT_STATUS_OK : WEFT_STATUS_OUT_OF_MEMORY;
}

static weft_status measure_snapshots(persist_run* run) {
    static const char* const names[] = {"a snapshot written", "a plain file written",
                                        "a snapshot loaded", "a plain file read"};
    weft_sampling sampling = weft_sampling_of(run->options);
    weft_case cases[4] = {
        {.once = once_save}, {.once = once_write}, {.once = once_load}, {.once = once_read}};
    WEFT_TRY(open_world(run));
    uint64_t bytes = run->size;
    for (int i = 0; i < 4; i++) {
        cases[i].name = names[i];
        cases[i].context = run;
        cases[i].units = (double)bytes;
        cases[i].restless = true; // They wait for the disk.
    }
    WEFT_TRY(weft_measure_cases(run->options, "snapshots", sampling, cases, 4));
    for (int i = 0; i < 4; i++) {
        weft_series rate = weft_series_rate(&cases[i].series);
        weft_measure_add(run->table, "GB/s", &rate, 1, "%s, %llu MB", names[i],
                         (unsigned long long)(bytes / 1000000));
    }
    for (int i = 0; i < 4; i += 2) {
        weft_series ratio = weft_series_ratio(&cases[i].series, &cases[i + 1].series);
        weft_measure_add(run->table, "ratio", &ratio, 1, "time of %s against %s", names[i],
                         names[i + 1]);
    }
    return WEFT_STATUS_OK;
}

// The whole ---------------------------------------------------------------------------------------

static weft_status make_folder(persist_run* run) {
    const char* place = getenv("TMPDIR");
    if (place == NULL || strlen(place) > 32)
        place = "/tmp";
    snprintf(run->folder, sizeof(run->folder), "%s/weft-bench-XXXXXX", place);
    if (mkdtemp(run->folder) == NULL) {
        snprintf(run->table->error, sizeof(run->table->error), "%s: no folder can be made: %s",
                 place, strerror(errno));
        run->folder[0] = '\0';
        return WEFT_STATUS_FILE_ERROR;
    }
    snprintf(run->journal, sizeof(run->journal), "%s/journal", run->folder);
    snprintf(run->snapshot, sizeof(run->snapshot), "%s/snapshot", run->folder);
    snprintf(run->plain, sizeof(run->plain), "%s/plain", run->folder);
    return WEFT_STATUS_OK;
}

static void clean(persist_run* run) {
    if (run->folder[0] == '\0')
        return;
    (void)unlink(run->journal);
    (void)unlink(run->snapshot);
    (void)unlink(run->plain);
    (void)rmdir(run->folder);
}

static weft_status run(const weft_measure_options* options, weft_measure_table* table) {
    persist_run all = {.options = options, .table = table};
    all.entities = options->entity_count > 0 ? options->entity_count
                   : options->quick          ? 3000
                                             : 1000000;
    snprintf(table->title, sizeof(table->title),
             "journal and snapshots of creatures, %llu entities", (unsigned long long)all.entities);
    WEFT_TRY(weft_topology_create(NULL, &all.topology));
    all.workers = weft_rig_workers(options->worker_max, all.topology);
    weft_status status = make_folder(&all);
    if (status == WEFT_STATUS_OK)
        status = measure_journal(&all);
    if (status == WEFT_STATUS_OK) {
        status = measure_snapshots(&all);
        if (status != WEFT_STATUS_OK && table->error[0] == '\0')
            snprintf(table->error, sizeof(table->error), "%s",
                     all.rig.error[0] != '\0' ? all.rig.error
                     : all.rig.world != NULL  ? weft_world_error(all.rig.world)
                                              : weft_status_text(status));
    }
    free(all.block);
    weft_rig_close(&all.rig);
    weft_topology_destroy(all.topology);
    clean(&all);
    return status;
}

const weft_measure weft_measure_persist = {
    .name = "persist",
    .summary = "what a journal costs, and snapshots against plain files",
    .run = run,
};
