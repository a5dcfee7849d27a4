/// What determinism costs: every workload with ordered commits and the digest of every tick, and
/// without both.
///
/// Without order each commit and channel takes what was recorded as it comes, worker by worker
/// (weft_world_desc.unordered_commit). What is not taken away: rows that ascend by slot, and the
/// generator. They are how the storage works and what the workloads draw from.

#include "lockstep.h"

#include <stdio.h>

enum {
    WAYS = 3 // Neither, order alone, order and digest.
};

typedef struct subject {
    const weft_module* module;
    uint64_t entity_count;
    uint64_t quick_count;
} subject;

static const subject subjects[] = {
    {&weft_workload_creatures, 1000000, 3000},
    {&weft_workload_churn, 1000000, 3000},
    {&weft_workload_boids, 20000, 1000},
    {&weft_workload_motion, 1000000, 5000},
};

static weft_status measure(const weft_measure_options* options, const weft_executor_desc* desc,
                           uint32_t workers, const void* subject_of, weft_measure_table* table) {
    const subject* what = subject_of;
    weft_lockstep all[WAYS];
    for (uint32_t i = 0; i < WAYS; ++i) {
        all[i] =
            (weft_lockstep){.module = what->module,
                            .entity_count = options->quick ? what->quick_count : what->entity_count,
                            .desc = *desc,
                            .digest = i == 2,
                            .unordered = i == 0};
        if (options->entity_count > 0)
            all[i].entity_count = options->entity_count;
        snprintf(all[i].name, sizeof(all[i].name), "%s", what->module->name);
    }
    weft_status status = weft_lockstep_run(options, what->module->name,
                                           weft_lockstep_length_of(options), all, WAYS, table);
    if (status == WEFT_STATUS_OK) {
        const char* plural = workers > 1 ? "s" : "";
        weft_series order = weft_series_ratio(&all[1].us, &all[0].us);
        weft_series whole = weft_series_ratio(&all[2].us, &all[0].us);
        weft_measure_add(table, "us/tick", &all[0].us, 1, "%s, %u worker%s, neither",
                         what->module->name, workers, plural);
        weft_measure_add(table, "ratio", &order, 1, "%s, %u worker%s, with order",
                         what->module->name, workers, plural);
        weft_measure_row* row =
            weft_measure_add(table, "ratio", &whole, 1, "%s, %u worker%s, with order and digest",
                             what->module->name, workers, plural);
        weft_measure_target(options, row, WEFT_MEASURE_AT_MOST, 1.05);
    }
    weft_lockstep_close(all, WAYS);
    return status;
}

static weft_status run(const weft_measure_options* options, weft_measure_table* table) {
    snprintf(table->title, sizeof(table->title), "what order and the digest of every tick cost");
    return weft_lockstep_each(options, WEFT_EXECUTOR_THREADS, subjects,
                              sizeof(subjects) / sizeof(subjects[0]), sizeof(subjects[0]), measure,
                              table);
}

const weft_measure weft_measure_price = {
    .name = "price",
    .summary = "what determinism costs: the same workloads without order and digest",
    .run = run,
};
