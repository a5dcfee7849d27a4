/// A hundred systems over ten rows: a tick in which the framework is all there is.
///
/// The target of 4 us is below the 4.8 us that the fastest peer needs for a hundred such systems on
/// one thread, without a graph, digests or commands. A second worker must cost no more than the
/// tick itself: a tick smaller than a wake-up is run by one worker.

#include "harness.h"
#include "rig.h"

#include <stdio.h>

enum {
    SERIAL,
    ONE,
    TWO,
    KINDS
};

static weft_status measure(const weft_measure_options* options, const weft_topology* topology,
                           uint32_t kinds, weft_rig* rig, weft_measure_table* table) {
    static const char* const names[2][KINDS] = {
        {"serial", "1 worker", "2 workers"},
        {"serial, digest each tick", "1 worker, digest each tick", "2 workers, digest each tick"},
    };
    WEFT_TRY(weft_rig_open(rig, &weft_workload_overhead, options->entity_count, options->seed));
    const weft_executor_desc descs[KINDS] = {weft_rig_serial(), weft_rig_threads(1, topology),
                                             weft_rig_threads(2, topology)};
    weft_rig_side sides[2 * KINDS];
    weft_case cases[2 * KINDS];
    for (uint32_t i = 0; i < kinds; ++i)
        WEFT_TRY(weft_rig_add(rig, &descs[i]));
    for (uint32_t i = 0; i < 2 * kinds; ++i) {
        uint32_t kind = i % kinds;
        bool digest = i >= kinds;
        sides[i] = (weft_rig_side){.rig = rig, .executor = kind, .digest = digest};
        cases[i] = (weft_case){
            .name = names[digest][kind], .run = weft_rig_run, .context = &sides[i], .units = 1000};
    }
    WEFT_TRY(weft_measure_cases(options, "overhead", weft_sampling_of(options), cases, 2 * kinds));
    for (uint32_t i = 0; i < 2 * kinds; ++i) {
        weft_measure_row* row =
            weft_measure_add(table, "us/tick", &cases[i].series, 1, "%s", cases[i].name);
        if (i == SERIAL)
            weft_measure_target(options, row, WEFT_MEASURE_AT_MOST, 4.0);
    }
    if (kinds <= TWO)
        return WEFT_STATUS_OK;
    weft_series ratio = weft_series_ratio(&cases[TWO].series, &cases[SERIAL].series);
    weft_measure_row* row = weft_measure_add(table, "ratio", &ratio, 1, "2 workers against serial");
    weft_measure_target(options, row, WEFT_MEASURE_AT_MOST, 1.5);
    return WEFT_STATUS_OK;
}

static weft_status run(const weft_measure_options* options, weft_measure_table* table) {
    snprintf(table->title, sizeof(table->title), "a hundred systems over %llu rows",
             (unsigned long long)(options->entity_count > 0
                                      ? options->entity_count
                                      : weft_workload_overhead.entity_count_default));
    weft_topology* topology = NULL;
    weft_rig rig = {.module = &weft_workload_overhead};
    weft_status status = weft_topology_create(NULL, &topology);
    uint32_t kinds = KINDS;
    if (status == WEFT_STATUS_OK) {
        if (options->worker_max == 1 || weft_topology_info_get(topology).worker_cpu_count < 2)
            kinds = TWO;
        status = measure(options, topology, kinds, &rig, table);
    }
    if (status != WEFT_STATUS_OK)
        snprintf(table->error, sizeof(table->error), "%s",
                 rig.error[0] ? rig.error : weft_status_text(status));
    weft_rig_close(&rig);
    weft_topology_destroy(topology);
    return status;
}

const weft_measure weft_measure_overhead = {
    .name = "overhead",
    .summary = "a hundred systems over ten rows: what a tick costs by itself",
    .run = run,
};
