/// What it costs to record what workers spend their time on, and what the branch costs that asks
/// whether to: a second world without a trace shows how far two runs of the same are apart.

#include "lockstep.h"

#include <stdio.h>

#include <weft/trace.h>

enum {
    OFF = 0,
    ON = 1,
    AGAIN = 2, // Off.
    WAYS = 3,
    RECORDS = 1 << 16,
};

typedef struct subject {
    const weft_module* module;
    uint64_t entity_count;
    uint64_t quick_count;
    double target; // Of the ratio of on to off; 0: none.
} subject;

// The last two are what the framework itself costs: a call there is a few nanoseconds of work.
static const subject subjects[] = {
    {&weft_workload_creatures, 1000000, 2000, 1.03}, {&weft_workload_tick10, 1000000, 2000, 1.03},
    {&weft_workload_motion, 1000000, 2000, 1.03},    {&weft_workload_churn, 100000, 2000, 1.03},
    {&weft_workload_tick10, 10000, 500, 0},          {&weft_workload_overhead, 10, 10, 0},
};

static weft_status measure(const weft_measure_options* options, const weft_executor_desc* desc,
                           uint32_t workers, const void* subject_of, weft_measure_table* table) {
    const subject* what = subject_of;
    static const char* const names[WAYS] = {"off", "on", "off again"};
    weft_lockstep all[WAYS];
    for (uint32_t i = 0; i < WAYS; ++i) {
        all[i] =
            (weft_lockstep){.module = what->module,
                            .entity_count = options->quick ? what->quick_count : what->entity_count,
                            .desc = *desc,
                            .pins_caller = true};
        if (options->entity_count > 0)
            all[i].entity_count = options->entity_count;
        all[i].desc.trace_records = i == ON ? RECORDS : 0;
        snprintf(all[i].name, sizeof(all[i].name), "%s", names[i]);
    }
    char label[80];
    snprintf(label, sizeof(label), "%s, %llu, %u worker%s", what->module->name,
             (unsigned long long)all[OFF].entity_count, workers, workers > 1 ? "s" : "");
    weft_status status = weft_lockstep_run(options, what->module->name,
                                           weft_lockstep_length_of(options), all, WAYS, table);
    if (status == WEFT_STATUS_OK && !weft_lockstep_equal(&all[OFF], &all[ON])) {
        snprintf(table->error, sizeof(table->error), "%.60s: a trace changes the world",
                 what->module->name);
        status = WEFT_STATUS_DIVERGED;
    }
    if (status == WEFT_STATUS_OK) {
        weft_series on = weft_series_ratio(&all[ON].us, &all[OFF].us);
        weft_series again = weft_series_ratio(&all[AGAIN].us, &all[OFF].us);
        weft_measure_add(table, "us/tick", &all[OFF].us, 1, "%s, off", label);
        weft_measure_row* row = weft_measure_add(table, "ratio", &on, 1, "%s, on to off", label);
        if (what->target > 0)
            weft_measure_target(options, row, WEFT_MEASURE_AT_MOST, what->target);
        weft_measure_add(table, "ratio", &again, 1, "%s, off to off", label);
    }
    weft_lockstep_close(all, WAYS);
    return status;
}

static weft_status run(const weft_measure_options* options, weft_measure_table* table) {
    snprintf(table->title, sizeof(table->title), "what a trace costs, as ratios to a run without");
    return weft_lockstep_each(options, WEFT_EXECUTOR_SERIAL, subjects,
                              sizeof(subjects) / sizeof(subjects[0]), sizeof(subjects[0]), measure,
                              table);
}

const weft_measure weft_measure_trace = {
    .name = "trace",
    .summary = "what it costs to record what workers spend their time on",
    .run = run,
};
