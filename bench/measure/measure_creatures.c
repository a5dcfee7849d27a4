/// The ecosystem: how long a tick takes by number of creatures and of workers, with the digest of
/// every tick and without.

#include "lockstep.h"

#include <stdio.h>

enum {
    RUNS = 6 // Serial, 1 worker, all workers; each without and with the digest.
};

static const char* const run_names[RUNS / 2] = {"serial", "1 worker", "workers"};

static uint32_t choose(const weft_measure_options* options, const weft_topology* topology,
                       uint64_t entity_count, weft_lockstep* all) {
    uint32_t workers = weft_rig_workers(options->worker_max, topology);
    uint32_t count = workers > 1 ? RUNS : RUNS - 2;
    weft_executor_desc desc[RUNS / 2] = {weft_rig_serial(), weft_rig_threads(1, topology),
                                         weft_rig_threads(workers, topology)};
    for (uint32_t i = 0; i < count; ++i) {
        all[i] = (weft_lockstep){.module = &weft_workload_creatures,
                                 .entity_count = entity_count,
                                 .desc = desc[i / 2],
                                 .digest = i % 2 != 0};
        if (i / 2 == 2)
            snprintf(all[i].name, sizeof(all[i].name), "%u workers", workers);
        else
            snprintf(all[i].name, sizeof(all[i].name), "%s", run_names[i / 2]);
    }
    return count;
}

static void fill(weft_measure_table* table, uint64_t entity_count, const weft_lockstep* all,
                 uint32_t count) {
    unsigned long long creatures = entity_count;
    for (uint32_t i = 0; i < count; ++i) {
        const char* digest = all[i].digest ? ", digest" : "";
        weft_measure_add(table, "us/tick", &all[i].us, 1, "%llu, %s%s", creatures, all[i].name,
                         digest);
        weft_measure_add(table, "ns", &all[i].us, 1000 / (double)entity_count,
                         "%llu, %s%s, for each creature", creatures, all[i].name, digest);
    }
    for (uint32_t i = 1; i < count; i += 2) {
        weft_series ratio = weft_series_ratio(&all[i].us, &all[i - 1].us);
        weft_measure_add(table, "ratio", &ratio, 1, "%llu, %s, with the digest", creatures,
                         all[i].name);
    }
    for (uint32_t i = 4; i < count; ++i) {
        weft_series ratio = weft_series_ratio(&all[i - 4].us, &all[i].us);
        weft_measure_add(table, "ratio", &ratio, 1, "%llu, speed-up of %s%s over serial", creatures,
                         all[i].name, all[i].digest ? ", digest" : "");
    }
}

static weft_status compare(weft_lockstep* all, uint32_t count, weft_measure_table* table) {
    for (uint32_t i = 1; i < count; ++i) {
        if (weft_lockstep_equal(&all[0], &all[i]))
            continue;
        snprintf(table->error, sizeof(table->error), "%s%s ended in another world than %s",
                 all[i].name, all[i].digest ? ", digest" : "", all[0].name);
        return WEFT_STATUS_DIVERGED;
    }
    return WEFT_STATUS_OK;
}

static weft_status measure(const weft_measure_options* options, const weft_topology* topology,
                           uint64_t entity_count, weft_measure_table* table) {
    weft_lockstep all[RUNS];
    uint32_t count = choose(options, topology, entity_count, all);
    weft_status status = weft_lockstep_run(options, "creatures", weft_lockstep_length_of(options),
                                           all, count, table);
    if (status == WEFT_STATUS_OK)
        status = compare(all, count, table);
    if (status == WEFT_STATUS_OK)
        fill(table, entity_count, all, count);
    weft_lockstep_close(all, count);
    return status;
}

static weft_status run(const weft_measure_options* options, weft_measure_table* table) {
    uint64_t sizes[2] = {options->quick ? 2000 : 100000, options->quick ? 5000 : 1000000};
    uint32_t size_count = 2;
    if (options->entity_count > 0) {
        sizes[0] = options->entity_count;
        size_count = 1;
    }
    snprintf(table->title, sizeof(table->title), "a tick of the ecosystem");
    weft_topology* topology = NULL;
    weft_status status = weft_topology_create(NULL, &topology);
    for (uint32_t i = 0; i < size_count && status == WEFT_STATUS_OK; ++i)
        status = measure(options, topology, sizes[i], table);
    weft_topology_destroy(topology);
    return status;
}

const weft_measure weft_measure_creatures = {
    .name = "creatures",
    .summary = "the ecosystem by size, workers and digest",
    .run = run,
};
