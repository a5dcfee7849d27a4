/// What the columnar log costs: the same run with and without one, each tick's rows handed over in
/// its time.

#define _GNU_SOURCE // mkdtemp

#include "lockstep.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    WAYS = 3 // None, a log, a log that is synced.
};

// Segments are small, so that a few ticks write some.
static void choose(const weft_measure_options* options, const weft_executor_desc* desc,
                   const char* folder, char paths[WAYS][96], weft_lockstep all[WAYS]) {
    static const char* const names[WAYS] = {"no log", "log", "log, synced"};
    for (uint32_t i = 0; i < WAYS; ++i) {
        all[i] = (weft_lockstep){.module = &weft_workload_creatures,
                                 .entity_count = options->quick ? 3000 : 1000000,
                                 .desc = *desc,
                                 .log_desc = weft_simlog_desc_default()};
        if (options->entity_count > 0)
            all[i].entity_count = options->entity_count;
        all[i].log_desc.sync = i == 2;
        all[i].log_desc.segment_bytes = options->quick ? 1024 : 1u << 20;
        snprintf(all[i].name, sizeof(all[i].name), "%s", names[i]);
        snprintf(paths[i], sizeof(paths[i]), "%s/%u.log", folder, i);
        all[i].log_path = i == 0 ? NULL : paths[i];
    }
}

static weft_status report(const weft_measure_options* options, weft_lockstep all[WAYS],
                          uint32_t workers, weft_measure_table* table) {
    const char* plural = workers > 1 ? "s" : "";
    unsigned long long entities = all[0].entity_count;
    weft_measure_add(table, "us/tick", &all[0].us, 1, "creatures, %llu, %u worker%s, no log",
                     entities, workers, plural);
    for (uint32_t i = 1; i < WAYS; ++i) {
        weft_series ratio = weft_series_ratio(&all[i].us, &all[0].us);
        weft_measure_row* row =
            weft_measure_add(table, "ratio", &ratio, 1, "creatures, %llu, %u worker%s, %s",
                             entities, workers, plural, all[i].name);
        weft_measure_target(options, row, WEFT_MEASURE_AT_MOST, 1.05);
        weft_simlog_stats stats = weft_simlog_stats_read(all[i].log);
        snprintf(row->note, sizeof(row->note), "%llu rows, %llu KB a tick; %llu ticks waited",
                 (unsigned long long)(stats.rows / stats.ticks),
                 (unsigned long long)(stats.bytes / stats.ticks / 1024),
                 (unsigned long long)stats.waits);
        if (!weft_lockstep_equal(&all[0], &all[i])) {
            snprintf(table->error, sizeof(table->error), "%s gives other digests", all[i].name);
            return WEFT_STATUS_DIVERGED;
        }
    }
    return WEFT_STATUS_OK;
}

static weft_status measure(const weft_measure_options* options, const weft_executor_desc* desc,
                           uint32_t workers, const void* folder, weft_measure_table* table) {
    weft_lockstep all[WAYS];
    char paths[WAYS][96];
    choose(options, desc, folder, paths, all);
    weft_status status =
        weft_lockstep_run(options, "log", weft_lockstep_length_of(options), all, WAYS, table);
    if (status == WEFT_STATUS_OK)
        status = report(options, all, workers, table);
    weft_lockstep_close(all, WAYS);
    for (uint32_t i = 1; i < WAYS; ++i)
        (void)unlink(paths[i]);
    return status;
}

static weft_status run(const weft_measure_options* options, weft_measure_table* table) {
    snprintf(table->title, sizeof(table->title), "what logging the tables of creatures costs");
    char folder[64] = "/tmp/weft-bench-XXXXXX";
    if (mkdtemp(folder) == NULL) {
        snprintf(table->error, sizeof(table->error), "no folder could be made in /tmp");
        return WEFT_STATUS_FILE_ERROR;
    }
    weft_status status = weft_lockstep_each(options, WEFT_EXECUTOR_THREADS, folder, 1,
                                            sizeof(folder), measure, table);
    (void)rmdir(folder);
    return status;
}

const weft_measure weft_measure_log = {
    .name = "log",
    .summary = "what the columnar log costs a run of creatures",
    .run = run,
};
