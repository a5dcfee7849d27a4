/// What guards cost: the same workloads under each of them, and in memory that is mapped twice with
/// no guard at all, which is what a read-only mapping costs by itself.

#include "lockstep.h"

#include <stdio.h>

#include "iterate.h"

enum {
    WAYS = 6,
    PLAIN = 0, // Memory as usual, no guard.
    TWICE = 1, // Mapped twice, no guard.
};

typedef struct subject {
    const weft_module* module;
    uint64_t entity_count;
    uint64_t quick_count;
} subject;

static const subject subjects[] = {
    {&weft_workload_creatures, 100000, 3000}, {&weft_workload_creatures, 1000000, 3000},
    {&weft_workload_churn, 100000, 3000},     {&weft_suite_iterate, 100000, 3000},
    {&weft_workload_motion, 100000, 3000},    {&weft_workload_motion, 2000000, 5000},
};

// The guards from HASH on are for one worker at a time.
static uint32_t choose(const weft_measure_options* options, const weft_executor_desc* desc,
                       const subject* what, weft_lockstep all[WAYS]) {
    uint32_t count = desc->kind == WEFT_EXECUTOR_THREADS && desc->worker_count > 1 ? 3 : WAYS;
    for (uint32_t i = 0; i < count; ++i) {
        all[i] =
            (weft_lockstep){.module = what->module,
                            .entity_count = options->quick ? what->quick_count : what->entity_count,
                            .desc = *desc,
                            .aliased = i != PLAIN};
        if (options->entity_count > 0)
            all[i].entity_count = options->entity_count;
        if (i > TWICE)
            all[i].desc.guard = (weft_guard)(WEFT_GUARD_ALIAS + (i - TWICE - 1));
        snprintf(all[i].name, sizeof(all[i].name), "%s",
                 i == PLAIN   ? "no guard"
                 : i == TWICE ? "mapped twice"
                              : weft_guard_name(all[i].desc.guard));
    }
    return count;
}

static weft_status measure(const weft_measure_options* options, const weft_executor_desc* desc,
                           uint32_t workers, const void* subject_of, weft_measure_table* table) {
    const subject* what = subject_of;
    weft_lockstep all[WAYS];
    uint32_t count = choose(options, desc, what, all);
    unsigned long long entities = all[0].entity_count;
    const char* plural = workers > 1 ? "s" : "";
    weft_status status = weft_lockstep_run(options, what->module->name,
                                           weft_lockstep_length_of(options), all, count, table);
    for (uint32_t i = 0; i < count && status == WEFT_STATUS_OK; ++i) {
        if (i == PLAIN) {
            weft_measure_add(table, "us/tick", &all[i].us, 1, "%s, %llu, %u worker%s, %s",
                             what->module->name, entities, workers, plural, all[i].name);
            continue;
        }
        weft_series ratio = weft_series_ratio(&all[i].us, &all[PLAIN].us);
        weft_measure_add(table, "ratio", &ratio, 1, "%s, %llu, %u worker%s, %s", what->module->name,
                         entities, workers, plural, all[i].name);
        if (weft_lockstep_equal(&all[PLAIN], &all[i]))
            continue;
        snprintf(table->error, sizeof(table->error),
                 "%.60s: %.20s gives other digests than no guard", what->module->name, all[i].name);
        status = WEFT_STATUS_DIVERGED;
    }
    weft_lockstep_close(all, count);
    return status;
}

static weft_status run(const weft_measure_options* options, weft_measure_table* table) {
    snprintf(table->title, sizeof(table->title), "what guards cost, as ratios to a run without");
    return weft_lockstep_each(options, WEFT_EXECUTOR_SERIAL, subjects,
                              sizeof(subjects) / sizeof(subjects[0]), sizeof(subjects[0]), measure,
                              table);
}

const weft_measure weft_measure_guard = {
    .name = "guard",
    .summary = "what guards cost, and memory that is mapped twice by itself",
    .run = run,
};
