// Measuring a simulation for a forecast, and playing it.

#include "forecast_report.h"

#include <stdlib.h>
#include <string.h>

#define WARM_TICKS 4u
// Ticks in which somebody else had the CPU are measured again, as long as there are not too many.
#define PATIENCE 4u

static bool number_parse(const char** at, uint32_t* out) {
    char* end;
    if (**at < '0' || **at > '9')
        return false;
    unsigned long number = strtoul(*at, &end, 10);
    *at = end;
    *out = (uint32_t)number;
    return number >= 1 && number <= WEFT_FORECAST_WORKERS_MAX;
}

bool forecast_counts_parse(const char* text, uint32_t** counts_out, uint32_t* count_out) {
    uint32_t* counts = malloc(WEFT_FORECAST_WORKERS_MAX * sizeof(*counts));
    uint32_t count = 0;
    WEFT_ASSERT(counts != NULL);
    for (const char* at = text;; at++) {
        uint32_t first = 0;
        bool right = number_parse(&at, &first);
        uint32_t last = first;
        if (right && strncmp(at, "..", 2) == 0) {
            at += 2;
            right = number_parse(&at, &last);
        }
        if (!right || last < first || last - first >= WEFT_FORECAST_WORKERS_MAX - count ||
            (*at != ',' && *at != '\0')) {
            free(counts);
            return false;
        }
        for (uint32_t workers = first; workers <= last; workers++)
            counts[count++] = workers;
        if (*at == '\0')
            break;
    }
    *counts_out = counts;
    *count_out = count;
    return true;
}

uint32_t* forecast_counts_default(const weft_topology* topology, uint32_t* count_out) {
    uint32_t all = weft_topology_suggested_workers(topology);
    all = all < WEFT_FORECAST_WORKERS_MAX ? all : WEFT_FORECAST_WORKERS_MAX;
    uint32_t* counts = malloc(32 * sizeof(*counts));
    uint32_t count = 0;
    WEFT_ASSERT(counts != NULL);
    for (uint32_t workers = 1; workers < all; workers *= 2)
        counts[count++] = workers;
    counts[count++] = all;
    *count_out = count;
    return counts;
}

static weft_status measure_ticks(forecast_report* report, weft_rig* rig,
                                 weft_cli_progress* progress) {
    uint32_t patience = PATIENCE * report->tick_count;
    for (uint32_t i = 0; i < WARM_TICKS; i++)
        WEFT_TRY(weft_rig_tick(rig, 0));
    uint32_t disturbed = 0;
    while (weft_forecast_ticks(report->forecast, NULL) < report->tick_count) {
        uint32_t before = disturbed;
        WEFT_TRY(weft_prospect_tick(rig, 0, report->forecast, report->options->digest));
        uint32_t count = weft_forecast_ticks(report->forecast, &disturbed);
        weft_cli_progress_draw(progress, "measured ticks", count, report->tick_count);
        if (disturbed > before && patience > 0) {
            weft_forecast_drop(report->forecast);
            disturbed--;
            patience--;
        }
    }
    return WEFT_STATUS_OK;
}

static weft_status measure(forecast_report* report, weft_rig* rig, weft_cli_progress* progress) {
    weft_executor_desc executor = weft_prospect_executor(1, report->here);
    weft_forecast_desc desc = weft_prospect_desc(&report->found, report->here, 1);
    weft_status status =
        weft_rig_open(rig, report->module, report->entity_count, report->options->seed);
    if (status == WEFT_STATUS_OK)
        status = weft_rig_add(rig, &executor);
    if (status == WEFT_STATUS_OK)
        status = weft_forecast_create(&desc, &report->forecast);
    if (status == WEFT_STATUS_OK)
        status = measure_ticks(report, rig, progress);
    if (status != WEFT_STATUS_OK)
        (void)snprintf(report->line, sizeof report->line, "%s",
                       rig->error[0] != '\0' ? rig->error : weft_status_text(status));
    return status;
}

static weft_status play(forecast_report* report, weft_cli_progress* progress) {
    report->results = calloc(report->count, sizeof(*report->results));
    if (report->results == NULL)
        return WEFT_STATUS_OUT_OF_MEMORY;
    WEFT_TRY(weft_forecast_play(report->forecast, &report->machine, 1, &report->one));
    for (uint32_t i = 0; i < report->count; i++) {
        WEFT_TRY(weft_forecast_play(report->forecast, &report->machine, report->counts[i],
                                    &report->results[i]));
        weft_cli_progress_draw(progress, "numbers of workers", i + 1, report->count);
    }
    return WEFT_STATUS_OK;
}

static void set_machine(forecast_report* report) {
    const weft_cli_options* options = report->options;
    report->machine = weft_prospect_there(&report->found, report->there);
    report->machine.placement = options->placement;
    if (options->speed > 0)
        report->machine.speed = options->speed;
    if (options->smt > 0)
        report->machine.smt = options->smt;
    if (options->bandwidth > 0)
        report->machine.node_bytes_per_ns = options->bandwidth;
}

weft_status forecast_report_init(forecast_report* report) {
    weft_rig rig = {0};
    weft_cli_progress progress = weft_cli_progress_start(report->options->quiet);
    weft_status status = weft_prospect_machine_measure(report->here, false, &report->found);
    if (status == WEFT_STATUS_OK)
        status = measure(report, &rig, &progress);
    weft_rig_close(&rig);
    if (status == WEFT_STATUS_OK) {
        set_machine(report);
        status = play(report, &progress);
    }
    weft_cli_progress_end(&progress);
    if (status != WEFT_STATUS_OK && report->line[0] == '\0')
        (void)snprintf(report->line, sizeof report->line, "%s", weft_status_text(status));
    return status;
}

void forecast_report_deinit(forecast_report* report) {
    weft_forecast_destroy(report->forecast);
    if (report->there != report->here)
        weft_topology_destroy(report->there);
    weft_topology_destroy(report->here);
    free(report->results);
    *report = (forecast_report){0};
}
