/// The price of one structural operation, recorded, merged in order, committed and hashed.
///
/// Mixed: births, deaths, tags and untags of 1% of the entities each; and each kind alone. The
/// choice of the entities is part of the time. Worlds of one size take turns; the one on two
/// workers starts like the one on one, so its ratio compares the same tick.

#include "churn.h"
#include "lockstep.h"

#include <stdio.h>

enum {
    MIXED,
    MIXED_TWO, // On two workers.
    SPARSE,
    CREATE,
    DESTROY,
    TAG,
    UNTAG,
    WORLDS
};

static const weft_module* const modules[WORLDS] = {
    &weft_workload_churn, &weft_workload_churn, &weft_workload_churn_sparse, &weft_churn_create,
    &weft_churn_destroy,  &weft_churn_tag,      &weft_churn_untag,
};

static void report_world(const weft_measure_options* options, const weft_lockstep* one,
                         double target, weft_measure_table* table) {
    // Ticks differ by the noise of the draws, which the mean of many makes small.
    double ticks = (double)weft_world_tick(one->rig.world);
    double operations = (double)weft_churn_operations(one->rig.world) / ticks;
    weft_measure_row* row =
        weft_measure_add(table, "ns/operation", &one->us, operations > 0 ? 1000 / operations : 0,
                         "%s, %llu entities", one->name, (unsigned long long)one->entity_count);
    if (target > 0)
        weft_measure_target(options, row, WEFT_MEASURE_AT_MOST, target);
}

static weft_status measure_size(const weft_measure_options* options, const weft_topology* topology,
                                uint64_t entity_count, double target, weft_measure_table* table) {
    weft_lockstep worlds[WORLDS] = {0};
    for (uint32_t i = 0; i < WORLDS; ++i) {
        uint32_t workers = i == MIXED_TWO ? 2 : 1;
        worlds[i].module = modules[i];
        worlds[i].entity_count = entity_count;
        worlds[i].desc = weft_rig_threads(workers, topology);
        worlds[i].digest = true;
        snprintf(worlds[i].name, sizeof(worlds[i].name), "%s%s", modules[i]->name,
                 i == MIXED_TWO ? ", 2 workers"
                 : i > SPARSE   ? " alone"
                                : "");
    }
    weft_status status = weft_lockstep_run(options, "churn", weft_lockstep_length_of(options),
                                           worlds, WORLDS, table);
    if (status == WEFT_STATUS_OK && !weft_lockstep_equal(&worlds[MIXED], &worlds[MIXED_TWO])) {
        snprintf(table->error, sizeof(table->error),
                 "one and two workers have different digests after the same ticks");
        status = WEFT_STATUS_DIVERGED;
    }
    for (uint32_t i = 0; i < WORLDS && status == WEFT_STATUS_OK; ++i)
        report_world(options, &worlds[i], i == MIXED ? target : 0, table);
    if (status == WEFT_STATUS_OK) {
        weft_series ratio = weft_series_ratio(&worlds[MIXED].us, &worlds[MIXED_TWO].us);
        weft_measure_row* row = weft_measure_add(table, "ratio", &ratio, 1,
                                                 "speed-up at 2 workers, churn, %llu entities",
                                                 (unsigned long long)entity_count);
        if (target > 0)
            weft_measure_target(options, row, WEFT_MEASURE_AT_LEAST, 1.7);
    }
    weft_lockstep_close(worlds, WORLDS);
    return status;
}

static weft_status measure(const weft_measure_options* options, const weft_topology* topology,
                           weft_measure_table* table) {
    if (options->entity_count > 0) // One size, for which there is no target.
        return measure_size(options, topology, options->entity_count, 0, table);
    WEFT_TRY(measure_size(options, topology, options->quick ? 3000 : 100000, 120, table));
    return measure_size(options, topology, options->quick ? 10000 : 1000000, 300, table);
}

static weft_status run(const weft_measure_options* options, weft_measure_table* table) {
    snprintf(table->title, sizeof(table->title),
             "births, deaths, tags and untags of 1%% of the entities each, and each kind alone");
    weft_topology* topology = NULL;
    weft_status status = weft_topology_create(NULL, &topology);
    if (status == WEFT_STATUS_OK)
        status = measure(options, topology, table);
    weft_topology_destroy(topology);
    return status;
}

const weft_measure weft_measure_churn = {
    .name = "churn",
    .summary = "the price of a structural operation, digest included",
    .run = run,
};
