/// Forecasts that can be checked here: two workers from ticks of one, and one from ticks of two.
///
/// Each workload is one world, on which both executors take turns: some ticks that are timed as a
/// whole, then some that are measured item by item. So what forecast and outcome are compared on is
/// the same state at nearly the same time.

#include <stdio.h>

#include "harness.h"
#include "prospect.h"

enum {
    WAYS = 2, // One worker, two workers.
    WARM = 4,
};

typedef struct subject {
    const weft_module* module;
    uint64_t quick_count;
} subject;

static const subject subjects[] = {
    {&weft_workload_creatures, 3000},      {&weft_workload_motion, 20000},
    {&weft_workload_motion_compute, 5000}, {&weft_workload_boids, 1000},
    {&weft_workload_churn, 3000},
};

typedef struct trial {
    const weft_measure_options* options;
    weft_measure_table* table;
    const weft_topology* topology;
    const subject* what;
    weft_prospect_machine here;
    weft_rig rig;
    weft_forecast* forecast[WAYS];
    weft_series ticks[WAYS];
    uint32_t patience; // Disturbed ticks that may still be taken again.
} trial;

// Runs one tick that is timed as a whole, or measured. True in `good` if nobody took the CPUs.
static weft_status run_tick(trial* all, uint32_t way, bool measured, bool* good) {
    double took = 0;
    weft_watch before = weft_measure_watch(all->options);
    if (measured) {
        WEFT_TRY(weft_prospect_tick(&all->rig, way, all->forecast[way], false));
    } else {
        uint64_t begin = weft_measure_now_ns();
        WEFT_TRY(weft_rig_tick(&all->rig, way));
        took = (double)(weft_measure_now_ns() - begin);
    }
    // A worker whose CPU was taken rests for a while.
    bool together = way == 0 || weft_forecast_join_ns(all->rig.executor[way]) > 0;
    *good = !weft_measure_watched(all->options, &before) && together;
    if (!measured && (*good || all->patience == 0))
        weft_series_add(&all->ticks[way], took);
    if (!measured && !*good && all->patience == 0)
        all->ticks[way].disturbed++;
    if (measured && !*good && all->patience > 0)
        weft_forecast_drop(all->forecast[way]);
    return WEFT_STATUS_OK;
}

// Disturbed ticks are taken again, as long as there is patience.
static weft_status run_block(trial* all, uint32_t way, uint32_t ticks) {
    WEFT_TRY(weft_rig_tick(&all->rig, way)); // Brings the data to these caches.
    for (uint32_t i = 0; i < 2 * ticks;) {
        bool good = false;
        WEFT_TRY(run_tick(all, way, i % 2 == 1, &good));
        if (good || all->patience == 0)
            ++i;
        else
            --all->patience;
    }
    return WEFT_STATUS_OK;
}

// What was forecast against what came, as samples: one forecast, many outcomes.
static void add_row(trial* all, uint32_t from, uint32_t to, double forecast_ns) {
    weft_series ratio = {.disturbed = all->ticks[to].disturbed};
    for (uint32_t i = 0; i < all->ticks[to].count; ++i)
        weft_series_add(&ratio, forecast_ns / all->ticks[to].value[i]);
    weft_measure_row* row =
        weft_measure_add(all->table, "ratio", &ratio, 1, "%s, %u from %u, forecast / measured",
                         all->what->module->name, to + 1, from + 1);
    snprintf(row->note, sizeof(row->note), "%.4g us forecast%s", forecast_ns / 1000,
             from == to ? ""
             : row->value[WEFT_MEASURE_MEDIAN] > 1.15 || row->value[WEFT_MEASURE_MEDIAN] < 0.85
                 ? ", over 15% off"
                 : ", within 15%");
}

static weft_status compare(trial* all) {
    weft_forecast_machine machine = weft_prospect_there(&all->here, all->topology);
    weft_series* ticks = all->ticks;
    for (uint32_t way = 0; way < WAYS; ++way)
        weft_measure_add(all->table, "us/tick", &ticks[way], 0.001, "%s, %u worker%s",
                         all->what->module->name, way + 1, way > 0 ? "s" : "");
    for (uint32_t from = 0; from < WAYS; ++from) {
        for (uint32_t to = 0; to < WAYS; ++to) {
            weft_forecast_result result;
            WEFT_TRY(weft_forecast_play(all->forecast[from], &machine, to + 1, &result));
            add_row(all, from, to, result.tick_ns);
        }
    }
    return WEFT_STATUS_OK;
}

static weft_status measure_subject(trial* all) {
    const weft_measure_options* options = all->options;
    uint64_t count = options->quick ? all->what->quick_count : options->entity_count;
    uint32_t blocks = options->quick ? 2 : 8;
    all->patience = options->quick ? 0 : 400;
    WEFT_TRY(weft_rig_open(&all->rig, all->what->module, count, options->seed));
    for (uint32_t way = 0; way < WAYS; ++way) {
        weft_executor_desc desc = weft_prospect_executor(way + 1, all->topology);
        WEFT_TRY(weft_rig_add(&all->rig, &desc));
        weft_forecast_desc measured = weft_prospect_desc(&all->here, all->topology, way + 1);
        WEFT_TRY(weft_forecast_create(&measured, &all->forecast[way]));
    }
    // As `weft run` does: the caller would get into the way of the other one.
    (void)!weft_executor_pin_caller(all->rig.executor[WAYS - 1]);
    for (uint32_t i = 0; i < WARM; ++i)
        WEFT_TRY(weft_rig_tick(&all->rig, i % WAYS));
    for (uint32_t block = 0; block < blocks; ++block) {
        weft_measure_report(options, all->what->module->name, block, blocks);
        for (uint32_t way = 0; way < WAYS; ++way)
            WEFT_TRY(run_block(all, way, 4));
    }
    bool known;
    for (uint32_t way = 0; way < WAYS; ++way)
        WEFT_TRY(weft_prospect_lines(&all->here, all->topology, &all->rig, WAYS - 1,
                                     all->forecast[way], false, &known));
    return compare(all);
}

static weft_status measure_all(trial* all) {
    WEFT_TRY(weft_prospect_machine_measure(all->topology, all->options->quick, &all->here));
    snprintf(all->table->note, sizeof(all->table->note),
             "one core %.3g GB/s, all %.3g, another cache %.3g; crowding %.3g; line %.0f ns, join "
             "%.0f ns, claim %.1f "
             "ns",
             all->here.core_bytes_per_ns, all->here.all_bytes_per_ns, all->here.move_bytes_per_ns,
             all->here.crowding, all->here.line_ns, all->here.join_ns, all->here.claim_ns);
    if (all->here.alone) {
        snprintf(all->table->note, sizeof(all->table->note),
                 "one CPU: there is nothing to compare");
        return WEFT_STATUS_OK;
    }
    for (size_t i = 0; i < sizeof(subjects) / sizeof(subjects[0]); ++i) {
        trial one = *all;
        one.what = &subjects[i];
        weft_status status = measure_subject(&one);
        if (status != WEFT_STATUS_OK)
            snprintf(all->table->error, sizeof(all->table->error), "%s", one.rig.error);
        for (uint32_t way = 0; way < WAYS; ++way)
            weft_forecast_destroy(one.forecast[way]);
        weft_rig_close(&one.rig);
        WEFT_TRY(status);
    }
    return WEFT_STATUS_OK;
}

static weft_status run(const weft_measure_options* options, weft_measure_table* table) {
    snprintf(table->title, sizeof(table->title), "forecasts against what they foretell");
    weft_topology* topology = NULL;
    weft_status status = weft_topology_create(NULL, &topology);
    if (status == WEFT_STATUS_OK) {
        trial all = {.options = options, .table = table, .topology = topology};
        status = measure_all(&all);
    }
    weft_topology_destroy(topology);
    return status;
}

const weft_measure weft_measure_forecast = {
    .name = "forecast",
    .summary = "forecasts for one and two workers, each from the other, against measured ticks",
    .run = run,
};
