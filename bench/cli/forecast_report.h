/// What `weft forecast` finds: ticks of a simulation here, played on a machine.
#pragma once

#include "cli.h"
#include "prospect.h"

typedef struct forecast_report {
    const weft_module* module;
    const weft_cli_options* options;
    uint64_t entity_count;
    uint32_t tick_count;    // To measure.
    weft_topology* here;    // This machine.
    weft_topology* there;   // The machine of the forecast.
    const uint32_t* counts; // Of workers: what to play.
    uint32_t count;
    weft_prospect_machine found; // What this machine can do.
    weft_forecast_machine machine;
    weft_forecast* forecast;
    weft_forecast_result one;      // With one worker,
    weft_forecast_result* results; // and with each of the counts.
    char line[WEFT_CLI_LINE_SIZE];
} forecast_report;

/// Measures and plays. `module`, `options`, the sizes, topologies and counts are set. On failure
/// the line is filled.
weft_status forecast_report_init(forecast_report* report);
void forecast_report_deinit(forecast_report* report);

/// "1..16", "1,2,4..8" as numbers of workers in the order in which they stand. Free them. False if
/// it is not that.
bool forecast_counts_parse(const char* text, uint32_t** counts_out, uint32_t* count_out);

/// 1, 2, 4, ... and all CPUs that the quota of a machine pays for. Free them.
uint32_t* forecast_counts_default(const weft_topology* topology, uint32_t* count_out);

// Each prints a forecast_report.
void forecast_text_print(FILE* file, const void* report);
void forecast_json_print(FILE* file, const void* report);
