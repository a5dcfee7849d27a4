// Measuring a simulation for a forecast, and playing it.

#include "forecast_report.h"

#include <stdlib.h>
#include <string.h>

#define WARM_TICKS 4u
#define TICKS_DEFAULT 24u
#define TICKS_QUICK 3u
#define TICKS_MAX 10000u
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

/// "1..16", "1,2,4..8" as numbers of workers in the order in which they stand. Free them. False if
/// it is not that.
static bool counts_parse(const char* text, uint32_t** counts_out, uint32_t* count_out) {
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

/// 1, 2, 4, ... and all CPUs that the quota of a machine pays for. Free them.
static uint32_t* counts_default(const weft_topology* topology, uint32_t* count_out) {
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

// Measuring --------------------------------------------------------------------------------------

static weft_status measure_ticks(forecast_report* report, weft_rig* rig) {
    uint32_t patience = PATIENCE * report->tick_count;
    for (uint32_t i = 0; i < WARM_TICKS; i++)
        WEFT_TRY(weft_rig_tick(rig, 0));
    uint32_t disturbed = 0;
    while (weft_forecast_ticks(report->forecast, NULL) < report->tick_count) {
        uint32_t before = disturbed;
        WEFT_TRY(weft_prospect_tick(rig, 0, report->forecast, report->options->digest));
        uint32_t count = weft_forecast_ticks(report->forecast, &disturbed);
        weft_cli_progress_draw(&report->progress, "measured ticks", count, report->tick_count);
        if (disturbed > before && patience > 0) {
            weft_forecast_drop(report->forecast);
            disturbed--;
            patience--;
        }
    }
    return WEFT_STATUS_OK;
}

// What lines of other workers cost, where two CPUs can tell.
static weft_status measure_lines(forecast_report* report, weft_rig* rig) {
    if (report->found.alone)
        return WEFT_STATUS_OK;
    weft_executor_desc executor = weft_prospect_executor(2, report->here);
    WEFT_TRY(weft_rig_add(rig, &executor));
    (void)!weft_executor_pin_caller(rig->executor[1]); // Else the two might share a CPU.
    weft_cli_progress_draw(&report->progress, "lines of other workers", 0, 1);
    return weft_prospect_lines(&report->found, report->here, rig, 1, report->forecast,
                               report->options->digest, &report->lines_known);
}

static weft_status measure(forecast_report* report) {
    weft_rig rig = {0};
    WEFT_TRY(weft_prospect_machine_measure(report->here, report->options->quick, &report->found));
    weft_executor_desc executor = weft_prospect_executor(1, report->here);
    weft_forecast_desc desc = weft_prospect_desc(&report->found, report->here, 1);
    weft_status status =
        weft_rig_open(&rig, report->module, report->entity_count, report->options->seed);
    if (status == WEFT_STATUS_OK)
        status = weft_rig_add(&rig, &executor);
    if (status == WEFT_STATUS_OK)
        status = weft_forecast_create(&desc, &report->forecast);
    if (status == WEFT_STATUS_OK)
        status = measure_ticks(report, &rig);
    if (status == WEFT_STATUS_OK)
        status = measure_lines(report, &rig);
    if (status == WEFT_STATUS_OK)
        report->schedule_hash = weft_schedule_hash(rig.schedule);
    else
        (void)snprintf(report->line, sizeof report->line, "%s", rig.error);
    weft_rig_close(&rig);
    return status;
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

// Opening ----------------------------------------------------------------------------------------

static weft_exit open_machines(forecast_report* report) {
    weft_exit code = weft_cli_topology_open(report->options, &report->there);
    if (code != WEFT_EXIT_OK)
        return code;
    if (weft_topology_create(NULL, &report->here) == WEFT_STATUS_OK)
        return WEFT_EXIT_OK;
    weft_cli_complain("this machine cannot be looked at");
    return WEFT_EXIT_FAILURE;
}

/// Numbers of workers and of ticks, and CPUs, as far as they can be wrong.
static weft_exit open_numbers(forecast_report* report) {
    const weft_cli_options* options = report->options;
    uint64_t ticks = options->quick ? TICKS_QUICK : TICKS_DEFAULT;
    ticks = options->has_tick_count ? options->tick_count : ticks;
    if (ticks == 0 || ticks > TICKS_MAX) {
        weft_cli_complain("--ticks: a forecast measures 1 to %u ticks", TICKS_MAX);
        return WEFT_EXIT_USAGE;
    }
    report->tick_count = (uint32_t)ticks;
    if (options->worker_counts == NULL) {
        report->counts = counts_default(report->there, &report->count);
    } else if (!counts_parse(options->worker_counts, &report->counts, &report->count)) {
        weft_cli_complain("--workers: '%s' is no list of numbers from 1 to %u; write 1..128 or "
                          "1,2,4..8",
                          options->worker_counts, WEFT_FORECAST_WORKERS_MAX);
        return WEFT_EXIT_USAGE;
    }
    weft_seat seat;
    if (weft_topology_place(report->there, &options->placement, 1, &seat) !=
        WEFT_STATUS_BAD_ARGUMENT)
        return WEFT_EXIT_OK;
    weft_cli_complain("--cpus: a CPU is listed twice, or may not be used; without --cpus "
                      "`weft topo` shows those that may");
    return WEFT_EXIT_USAGE;
}

weft_exit forecast_report_open(forecast_report* report) {
    weft_exit code = open_machines(report);
    if (code == WEFT_EXIT_OK)
        code = open_numbers(report);
    if (code != WEFT_EXIT_OK)
        return code;
    report->progress = weft_cli_progress_start(report->options->quiet);
    weft_status status = measure(report);
    if (status == WEFT_STATUS_OK) {
        set_machine(report);
        status = weft_forecast_play(report->forecast, &report->machine, 1, &report->one);
    }
    if (status == WEFT_STATUS_OK)
        return WEFT_EXIT_OK;
    return forecast_report_fail(report, status);
}

weft_exit forecast_report_fail(forecast_report* report, weft_status status) {
    weft_cli_progress_end(&report->progress);
    weft_cli_complain("%s", report->line[0] != '\0' ? report->line : weft_status_text(status));
    return WEFT_EXIT_FAILURE;
}

// Playing ----------------------------------------------------------------------------------------

weft_status forecast_report_play(forecast_report* report) {
    report->results = calloc(report->count, sizeof(*report->results));
    if (report->results == NULL)
        return WEFT_STATUS_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < report->count; i++) {
        WEFT_TRY(weft_forecast_play(report->forecast, &report->machine, report->counts[i],
                                    &report->results[i]));
        weft_cli_progress_draw(&report->progress, "numbers of workers", i + 1, report->count);
    }
    return WEFT_STATUS_OK;
}

uint32_t forecast_fewest(const weft_forecast_result* results, const uint32_t* counts,
                         uint32_t count, double limit_ns) {
    uint32_t found = count;
    for (uint32_t i = 0; i < count; i++) {
        if (results[i].tick_ns > limit_ns)
            continue;
        if (found == count || counts[i] < counts[found] ||
            (counts[i] == counts[found] && results[i].tick_ns < results[found].tick_ns))
            found = i;
    }
    return found;
}

uint32_t forecast_best(const weft_forecast_result* results, uint32_t count) {
    uint32_t best = 0;
    for (uint32_t i = 1; i < count; i++)
        if (results[i].tick_ns < results[best].tick_ns)
            best = i;
    return best;
}

void forecast_report_deinit(forecast_report* report) {
    weft_forecast_destroy(report->forecast);
    if (report->there != report->here)
        weft_topology_destroy(report->there);
    weft_topology_destroy(report->here);
    free(report->counts);
    free(report->results);
    *report = (forecast_report){0};
}
