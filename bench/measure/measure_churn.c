/// The price of one structural operation, recorded, merged in order, committed and hashed.
///
/// The target is 350 ns at a million entities. The choice of the entities is part of the time here.
/// The worlds take turns of ten ticks after one that is not timed, which brings the world back into
/// the caches.

#include "churn.h"
#include "harness.h"
#include "rig.h"

#include <stdio.h>

enum {
    WORLDS = 4,
    WARM_TICKS = 3,
    BLOCK_TICKS = 10
};

// One world and the nanoseconds per operation that were measured in it.
typedef struct churn_trial {
    const weft_module* module;
    uint64_t entity_count;
    double target; // 0: none.
    weft_rig rig;
    weft_series series;
} churn_trial;

static weft_status open_trial(churn_trial* trial, const weft_measure_options* options,
                              const weft_topology* topology) {
    weft_executor_desc desc = weft_rig_threads(1, topology);
    WEFT_TRY(weft_rig_open(&trial->rig, trial->module, trial->entity_count, options->seed));
    WEFT_TRY(weft_rig_add(&trial->rig, &desc));
    weft_rig_side side = {.rig = &trial->rig, .digest = true};
    return weft_rig_run(&side, WARM_TICKS);
}

// Every tick is a sample: the world goes on changing, so none can be repeated.
static weft_status sample(churn_trial* trial) {
    weft_digest view, full;
    uint64_t before = weft_churn_operations(trial->rig.world);
    uint64_t switches = weft_measure_switches();
    uint64_t start = weft_measure_now_ns();
    WEFT_TRY(weft_rig_tick(&trial->rig, 0));
    WEFT_TRY(weft_executor_digest(trial->rig.executor[0], &view, &full));
    uint64_t end = weft_measure_now_ns();
    uint64_t operations = weft_churn_operations(trial->rig.world) - before;
    if (operations == 0)
        return WEFT_STATUS_OK;
    switches = weft_measure_switches() - switches;
    trial->series.disturbed += weft_measure_is_disturbed(switches, end - start);
    weft_series_add(&trial->series, (double)(end - start) / (double)operations);
    return WEFT_STATUS_OK;
}

static weft_status sample_block(churn_trial* trial, uint64_t ticks) {
    weft_rig_side side = {.rig = &trial->rig, .digest = true};
    WEFT_TRY(weft_rig_run(&side, 1));
    for (uint64_t i = 0; i < ticks; ++i)
        WEFT_TRY(sample(trial));
    return WEFT_STATUS_OK;
}

static weft_status measure(const weft_measure_options* options, const weft_topology* topology,
                           churn_trial* trials, uint32_t count, weft_measure_table* table) {
    uint64_t ticks = options->tick_count > 0 ? options->tick_count : options->quick ? 5 : 60;
    for (uint32_t i = 0; i < count; ++i) {
        weft_measure_report(options, "building worlds", i, count);
        WEFT_TRY(open_trial(&trials[i], options, topology));
    }
    for (uint64_t tick = 0; tick < ticks; tick += BLOCK_TICKS) {
        uint64_t block = ticks - tick < BLOCK_TICKS ? ticks - tick : BLOCK_TICKS;
        weft_measure_report(options, "churn", tick, ticks);
        for (uint32_t i = 0; i < count; ++i)
            WEFT_TRY(sample_block(&trials[(tick / BLOCK_TICKS + i) % count], block));
    }
    weft_measure_report(options, "churn", ticks, ticks);
    for (uint32_t i = 0; i < count; ++i) {
        const churn_trial* one = &trials[i];
        weft_measure_row* row =
            weft_measure_add(table, "ns/operation", &one->series, 1, "%s, %llu entities",
                             one->module->name, (unsigned long long)one->entity_count);
        if (one->target > 0)
            weft_measure_target(options, row, WEFT_MEASURE_AT_MOST, one->target);
    }
    return WEFT_STATUS_OK;
}

static weft_status run(const weft_measure_options* options, weft_measure_table* table) {
    uint64_t small = options->quick ? 3000 : 100000;
    uint64_t large = options->quick ? 10000 : 1000000;
    churn_trial trials[WORLDS] = {
        {.module = &weft_workload_churn, .entity_count = small},
        {.module = &weft_workload_churn_sparse, .entity_count = small},
        {.module = &weft_workload_churn, .entity_count = large, .target = 350},
        {.module = &weft_workload_churn_sparse, .entity_count = large},
    };
    uint32_t count = WORLDS;
    if (options->entity_count > 0) {
        // One size, for which there is no target.
        count = 2;
        for (uint32_t i = 0; i < count; ++i) {
            trials[i].entity_count = options->entity_count;
            trials[i].target = 0;
        }
    }
    snprintf(table->title, sizeof(table->title),
             "births, deaths, tags and untags of 1%% of the entities each");
    weft_topology* topology = NULL;
    weft_status status = weft_topology_create(NULL, &topology);
    if (status == WEFT_STATUS_OK)
        status = measure(options, topology, trials, count, table);
    for (uint32_t i = 0; i < count; ++i) {
        if (status != WEFT_STATUS_OK && trials[i].rig.error[0] != '\0')
            snprintf(table->error, sizeof(table->error), "%s", trials[i].rig.error);
        weft_rig_close(&trials[i].rig);
    }
    if (status != WEFT_STATUS_OK && table->error[0] == '\0')
        snprintf(table->error, sizeof(table->error), "%s", weft_status_text(status));
    weft_topology_destroy(topology);
    return status;
}

const weft_measure weft_measure_churn = {
    .name = "churn",
    .summary = "the price of a structural operation, digest included",
    .run = run,
};
