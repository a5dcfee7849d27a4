/// `weft tune --machine`: the layout for a machine that is not at hand, by forecasts.
///
/// Ticks are measured here once, and each candidate that a forecast tells apart is played on the
/// machine: numbers of workers with each placement, then grains of what was chosen. Order inside
/// stages, waiting and pages of memory are the same to it.
#pragma once

#include "forecast_report.h"
#include "tune_report.h"

#define TUNE_POLICIES_MAX 4u
#define TUNE_GRAINS_MAX 8u

/// What is as good as the best: so many times its tick.
#define TUNE_AS_GOOD 1.02

typedef struct tune_policy {
    weft_placement placement;
    weft_forecast_result* results; // By number of workers, as in the report.
    uint32_t best;                 // Of these.
    uint32_t same_as;              // The first policy with the same forecasts; maybe itself.
} tune_policy;

typedef struct tune_grain {
    uint32_t grain;
    weft_forecast_result result; // With what was chosen.
} tune_grain;

typedef struct tune_forecast {
    forecast_report report; // With the policy that was chosen.
    tune_policy policy[TUNE_POLICIES_MAX];
    uint32_t policy_count;
    uint32_t best;   // The policy with the shortest tick of all.
    uint32_t chosen; // The policy,
    uint32_t at;     // and which of its results.
    tune_grain grain[TUNE_GRAINS_MAX];
    uint32_t grain_count;
    uint32_t grain_best; // Its index.
    bool has_grain;      // It is better than by cost, and taken.
    weft_layout layout;
    const char* path; // Of the layout, once it is written.
} tune_forecast;

/// Chooses policy and number of workers from the results: the fewest workers that are as good as
/// the best, of these the shortest tick, of these the first policy.
void tune_forecast_choose(tune_forecast* all);

/// Chooses the grain, which is by cost unless one is better by more than what is as good.
void tune_forecast_choose_grain(tune_forecast* all);

/// All of the command.
weft_exit tune_forecast_run(const weft_cli_options* options, const weft_module* module);

/// Prints all for people, or as JSON; false if that failed.
void tune_forecast_print(const tune_forecast* all);
bool tune_forecast_print_json(const tune_forecast* all);

/// What the layout's file says of how it was found.
json_t* tune_forecast_file_json(const tune_forecast* all);
