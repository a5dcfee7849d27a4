/// What `weft forecast` finds: ticks of a simulation here, played on a machine.
#pragma once

#include "cli.h"
#include "prospect.h"

typedef struct forecast_report {
    const weft_module* module;
    const weft_cli_options* options;
    uint64_t entity_count;
    uint64_t schedule_hash;
    uint32_t tick_count;  // To measure.
    weft_topology* here;  // This machine.
    weft_topology* there; // The machine of the forecast.
    uint32_t* counts;     // Of workers: what to play.
    uint32_t count;
    weft_prospect_machine found;   // What this machine can do.
    weft_forecast_machine machine; // With the placement that is played.
    weft_forecast* forecast;
    bool lines_known;              // What it costs to read what others wrote was measured.
    weft_forecast_result one;      // With one worker,
    weft_forecast_result* results; // and with each of the counts.
    weft_cli_progress progress;
    char line[WEFT_CLI_LINE_SIZE];
} forecast_report;

/// Opens the machine of the options, reads its numbers, and measures. `module`, `options` and the
/// number of entities are set. Says what is wrong. Progress goes on until
/// weft_cli_progress_end().
weft_exit forecast_report_open(forecast_report* report);

/// Plays with each of the counts on `machine`. `results` is new.
weft_status forecast_report_play(forecast_report* report);

/// Says why a forecast failed.
weft_exit forecast_report_fail(forecast_report* report, weft_status status);

void forecast_report_deinit(forecast_report* report);

/// The first result with the shortest tick; there is one.
uint32_t forecast_best(const weft_forecast_result* results, uint32_t count);

/// The result with the fewest workers, by `counts`, whose tick takes at most so long; of these the
/// shortest. `count` if there is none.
uint32_t forecast_fewest(const weft_forecast_result* results, const uint32_t* counts,
                         uint32_t count, double limit_ns);

/// How many times as fast as one worker.
double forecast_speedup(const forecast_report* report, const weft_forecast_result* result);

/// Where most of the time of a result's workers goes that is not work, as a sentence.
const char* forecast_holds_back(const weft_forecast_result* result);

/// What was measured, what is assumed, and the curve with its bound.
void forecast_curve_print(FILE* file, const forecast_report* report);

/// The machine as `weft topo --json` prints it, with so many workers.
json_t* forecast_topology_json(const forecast_report* report, uint32_t worker_count);

/// All of it for people, and as an object.
void forecast_print(FILE* file, const forecast_report* report);
json_t* forecast_json(const forecast_report* report);

/// The machine as it is assumed.
json_t* forecast_assumed_json(const forecast_report* report);
