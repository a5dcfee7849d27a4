/// Ten, a hundred and a thousand systems over ten rows: a tick in which the framework is all there
/// is.
///
/// The targets are below the 4.8 us that the fastest peer needs for a hundred such systems on one
/// thread, without digests or commands. A second worker must cost next to nothing: a tick smaller
/// than a hand-over is run by one worker.

#include "harness.h"
#include "rig.h"
#include "ten_systems.h"

#include <stdio.h>

enum {
    SERIAL,
    ONE,
    TWO,
    KINDS
};

enum {
    SIZES = 3,
    DIGEST_SIZE = 1 // The size that is also measured with a digest after each tick.
};

static weft_status build_10(const weft_module_options* options, weft_world* world,
                            weft_schedule* schedule) {
    return weft_overhead_build(options->entity_count, 10, world, schedule);
}

static weft_status build_1000(const weft_module_options* options, weft_world* world,
                              weft_schedule* schedule) {
    return weft_overhead_build(options->entity_count, 1000, world, schedule);
}

static const weft_module ten = {
    .abi = WEFT_MODULE_ABI, .name = "overhead", .entity_count_default = 10, .build = build_10};
static const weft_module thousand = {
    .abi = WEFT_MODULE_ABI, .name = "overhead", .entity_count_default = 10, .build = build_1000};

// One size: its world, and its cases in the common list.
typedef struct overhead {
    const weft_module* module;
    uint32_t systems;
    double target_us;
    weft_rig rig;
    weft_rig_side sides[2 * KINDS];
    uint32_t first; // Case.
} overhead;

static weft_status add(const weft_measure_options* options, const weft_topology* topology,
                       uint32_t kinds, bool digests, overhead* one, weft_case* cases,
                       uint32_t* count) {
    static const char* const names[2][KINDS] = {
        {"serial", "1 worker", "2 workers"},
        {"serial, digest each tick", "1 worker, digest each tick", "2 workers, digest each tick"},
    };
    WEFT_TRY(weft_rig_open(&one->rig, one->module, options->entity_count, options->seed));
    const weft_executor_desc descs[KINDS] = {weft_rig_serial(), weft_rig_threads(1, topology),
                                             weft_rig_threads(2, topology)};
    for (uint32_t i = 0; i < kinds; ++i)
        WEFT_TRY(weft_rig_add(&one->rig, &descs[i]));
    one->first = *count;
    for (uint32_t i = 0; i < (digests ? 2 : 1) * kinds; ++i) {
        uint32_t kind = i % kinds;
        bool digest = i >= kinds;
        one->sides[i] = (weft_rig_side){.rig = &one->rig, .executor = kind, .digest = digest};
        cases[(*count)++] = (weft_case){.name = names[digest][kind],
                                        .run = weft_rig_run,
                                        .context = &one->sides[i],
                                        .units = 1000};
    }
    return WEFT_STATUS_OK;
}

static void report(const weft_measure_options* options, const overhead* one, const weft_case* cases,
                   uint32_t kinds, uint32_t count, weft_measure_table* table) {
    for (uint32_t i = 0; i < count; ++i) {
        const weft_case* of = &cases[one->first + i];
        weft_measure_row* row = weft_measure_add(table, "us/tick", &of->series, 1, "%u systems, %s",
                                                 one->systems, of->name);
        if ((i == SERIAL || i == ONE) && one->target_us > 0)
            weft_measure_target(options, row, WEFT_MEASURE_AT_MOST, one->target_us);
    }
    if (kinds <= TWO)
        return;
    weft_series ratio =
        weft_series_ratio(&cases[one->first + TWO].series, &cases[one->first + SERIAL].series);
    weft_measure_row* row = weft_measure_add(table, "ratio", &ratio, 1,
                                             "%u systems, 2 workers against serial", one->systems);
    weft_measure_target(options, row, WEFT_MEASURE_AT_MOST, 1.2);
}

static weft_status measure(const weft_measure_options* options, const weft_topology* topology,
                           uint32_t kinds, overhead* sizes, weft_measure_table* table) {
    weft_case cases[SIZES * KINDS + KINDS];
    uint32_t ends[SIZES];
    uint32_t count = 0;
    for (uint32_t i = 0; i < SIZES; ++i) {
        WEFT_TRY(add(options, topology, kinds, i == DIGEST_SIZE, &sizes[i], cases, &count));
        ends[i] = count;
    }
    WEFT_TRY(weft_measure_cases(options, "overhead", weft_sampling_of(options), cases, count));
    for (uint32_t i = 0; i < SIZES; ++i)
        report(options, &sizes[i], cases, kinds, ends[i] - sizes[i].first, table);
    return WEFT_STATUS_OK;
}

static weft_status run(const weft_measure_options* options, weft_measure_table* table) {
    snprintf(table->title, sizeof(table->title), "10, 100 and 1000 systems over %llu rows",
             (unsigned long long)(options->entity_count > 0 ? options->entity_count : 10));
    weft_topology* topology = NULL;
    overhead sizes[SIZES] = {{.module = &ten, .systems = 10, .target_us = 0.5},
                             {.module = &weft_workload_overhead, .systems = 100, .target_us = 3},
                             {.module = &thousand, .systems = 1000}};
    weft_status status = weft_topology_create(NULL, &topology);
    uint32_t kinds = KINDS;
    if (status == WEFT_STATUS_OK) {
        if (options->worker_max == 1 || weft_topology_info_get(topology).worker_cpu_count < 2)
            kinds = TWO;
        status = measure(options, topology, kinds, sizes, table);
    }
    for (uint32_t i = 0; i < SIZES; ++i) {
        if (status != WEFT_STATUS_OK && sizes[i].rig.error[0] != '\0')
            snprintf(table->error, sizeof(table->error), "%s", sizes[i].rig.error);
        weft_rig_close(&sizes[i].rig);
    }
    weft_topology_destroy(topology);
    return status;
}

const weft_measure weft_measure_overhead = {
    .name = "overhead",
    .summary = "10, 100 and 1000 systems over ten rows: what a tick costs by itself",
    .run = run,
};
