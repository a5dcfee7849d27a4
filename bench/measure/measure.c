#define _GNU_SOURCE // sched_getaffinity

// Which measurements there are, and how one is run.

#include "measure.h"

#include "probe.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>

// In the order of `weft bench`.
static const weft_measure* const measures[] = {
    &weft_measure_limits,          //
    &weft_measure_motion,          //
    &weft_measure_iterate,         //
    &weft_measure_tick10,          //
    &weft_measure_overhead,        //
    &weft_measure_dag,             //
    &weft_measure_taskbench,       //
    &weft_measure_waiting,         //
    &weft_measure_churn,           //
    &weft_measure_create,          //
    &weft_measure_ecs_bench_suite, //
    &weft_measure_ecs_benchmark,   //
    &weft_measure_presence,        //
    &weft_measure_creatures,       //
    &weft_measure_digest,          //
    &weft_measure_reduce,          //
    &weft_measure_messages,        //
    &weft_measure_false_sharing,   //
    &weft_measure_memory,          //
    &weft_measure_price,           //
    &weft_measure_guard,           //
    &weft_measure_trace,           //
    &weft_measure_log,             //
    &weft_measure_persist,         //
    &weft_measure_rollback,        //
    &weft_measure_processes,       //
    &weft_measure_forecast,        //
    &weft_measure_numbers,         //
    &weft_measure_headline,        //
};

const weft_measure* const* weft_measures(size_t* count_out) {
    *count_out = sizeof(measures) / sizeof(measures[0]);
    return measures;
}

const weft_measure* weft_measure_find(const char* name) {
    for (size_t i = 0; i < sizeof(measures) / sizeof(measures[0]); ++i) {
        if (strcmp(measures[i]->name, name) == 0)
            return measures[i];
    }
    return NULL;
}

// Probes of 10 ms at most; where the measurement itself is tested, of 1 ms.
static void begin(weft_conditions* conditions, const weft_topology* topology, bool quick) {
    conditions->topology = topology;
    conditions->cpus = weft_watch_cpus_read();
    conditions->probe_ns = quick ? WEFT_PROBE_NS / 10 : WEFT_PROBE_NS;
}

static void probe(weft_conditions* conditions, int when) {
    conditions->ghz[when] = weft_probe_ghz();
    if (!conditions->topology)
        return;
    conditions->line_ns[when] = weft_probe_line_ns(conditions->topology, conditions->probe_ns);
    weft_conditions_line(conditions, conditions->line_ns[when]);
}

// A measurement may pin the calling thread. The next one begins as free as this one.
static weft_status run_free(const weft_measure* measure, const weft_measure_options* options,
                            weft_measure_table* table) {
    cpu_set_t own;
    bool known = sched_getaffinity(0, sizeof(own), &own) == 0;
    weft_status status = measure->run(options, table);
    if (known)
        (void)sched_setaffinity(0, sizeof(own), &own);
    return status;
}

weft_status weft_measure_run(const weft_measure* measure, const weft_measure_options* options,
                             weft_measure_table* table) {
    memset(table, 0, sizeof(*table));
    table->name = measure->name;
    weft_topology* topology = NULL;
    weft_conditions* conditions = &table->conditions;
    if (weft_topology_create(NULL, &topology) != WEFT_STATUS_OK)
        topology = NULL; // The measurement will say why, if it needs one.
    begin(conditions, topology, options->quick);
    weft_measure_options recorded = *options;
    recorded.conditions = conditions;
    probe(conditions, 0);
    weft_watch before = weft_watch_read(&conditions->cpus);
    weft_status status = run_free(measure, &recorded, table);
    weft_watch after = weft_watch_read(&conditions->cpus);
    probe(conditions, 1);
    weft_watched watched = weft_watch_compare(&conditions->cpus, &before, &after);
    conditions->others = watched.others;
    conditions->stolen = watched.stolen;
    conditions->shares_known = watched.known;
    conditions->seconds = (double)(after.wall - before.wall) / 1e9;
    conditions->topology = NULL;
    weft_topology_destroy(topology);
    if (status != WEFT_STATUS_OK && table->error[0] == '\0')
        snprintf(table->error, sizeof(table->error), "%s", weft_status_text(status));
    table->passed = status == WEFT_STATUS_OK;
    for (uint32_t i = 0; i < table->row_count; ++i)
        table->passed = table->passed && table->row[i].verdict != WEFT_MEASURE_FAIL;
    return status;
}
