// Candidates for a machine that is not at hand, and the choice.

#include "tune_forecast.h"

#include <stdlib.h>
#include <string.h>

// Choosing ---------------------------------------------------------------------------------------

static bool are_same(const tune_forecast* all, uint32_t a, uint32_t b) {
    for (uint32_t i = 0; i < all->report.count; i++)
        if (all->policy[a].results[i].tick_ns != all->policy[b].results[i].tick_ns)
            return false;
    return true;
}

void tune_forecast_choose(tune_forecast* all) {
    const uint32_t* counts = all->report.counts;
    uint32_t count = all->report.count;
    WEFT_ASSERT(all->policy_count > 0 && count > 0);
    all->best = 0;
    for (uint32_t i = 0; i < all->policy_count; i++) {
        tune_policy* policy = &all->policy[i];
        const tune_policy* best = &all->policy[all->best];
        policy->best = forecast_best(policy->results, count);
        if (policy->results[policy->best].tick_ns < best->results[best->best].tick_ns)
            all->best = i;
        policy->same_as = 0;
        while (!are_same(all, policy->same_as, i))
            policy->same_as++;
    }
    const tune_policy* best = &all->policy[all->best];
    double limit_ns = best->results[best->best].tick_ns * TUNE_AS_GOOD;
    all->chosen = all->best;
    all->at = best->best;
    for (uint32_t i = 0; i < all->policy_count; i++) {
        const weft_forecast_result* results = all->policy[i].results;
        uint32_t at = forecast_fewest(results, counts, count, limit_ns);
        if (at == count || counts[at] > counts[all->at])
            continue;
        double chosen_ns = all->policy[all->chosen].results[all->at].tick_ns;
        if (counts[at] == counts[all->at] &&
            (results[at].tick_ns > chosen_ns ||
             (results[at].tick_ns >= chosen_ns && i >= all->chosen)))
            continue;
        all->chosen = i;
        all->at = at;
    }
}

void tune_forecast_choose_grain(tune_forecast* all) {
    double by_cost_ns = all->policy[all->chosen].results[all->at].tick_ns;
    all->grain_best = 0;
    for (uint32_t i = 1; i < all->grain_count; i++)
        if (all->grain[i].result.tick_ns < all->grain[all->grain_best].result.tick_ns)
            all->grain_best = i;
    all->has_grain = all->grain_count > 0 &&
                     all->grain[all->grain_best].result.tick_ns * TUNE_AS_GOOD < by_cost_ns;
}

// Playing ----------------------------------------------------------------------------------------

static weft_status play_policies(tune_forecast* all) {
    forecast_report* report = &all->report;
    const weft_cli_options* options = report->options;
    if (options->has_placement)
        all->policy[all->policy_count++].placement = options->placement;
    for (int i = 0; i < WEFT_PLACEMENT_LIST; i++)
        all->policy[all->policy_count++].placement.policy = (weft_placement_policy)i;
    for (uint32_t i = 0; i < all->policy_count; i++) {
        report->machine.placement = all->policy[i].placement;
        weft_status status = forecast_report_play(report);
        all->policy[i].results = report->results;
        report->results = NULL;
        WEFT_TRY(status);
    }
    tune_forecast_choose(all);
    report->machine.placement = all->policy[all->chosen].placement;
    return WEFT_STATUS_OK;
}

static void set_layout(tune_forecast* all) {
    uint32_t workers = all->report.counts[all->at];
    const weft_placement* placement = &all->policy[all->chosen].placement;
    weft_layout* layout = &all->layout;
    *layout = weft_layout_default(workers);
    if (workers == 1)
        layout->kind = WEFT_EXECUTOR_SERIAL; // As it was measured.
    else
        layout->policy = placement->policy;
    if (layout->policy != WEFT_PLACEMENT_LIST)
        return;
    layout->cpu_count = placement->cpu_count < workers ? placement->cpu_count : workers;
    WEFT_ASSERT(layout->cpu_count <= WEFT_LAYOUT_CPUS_MAX);
    memcpy(layout->cpus, placement->cpus, layout->cpu_count * sizeof(layout->cpus[0]));
}

// Those that the search on this machine tries, of the layout that was chosen.
static weft_status play_grains(tune_forecast* all) {
    forecast_report* report = &all->report;
    weft_tune_desc desc = {.start = all->layout};
    weft_tune_candidate* candidate = malloc(sizeof(*candidate)); // Too large for a stack.
    WEFT_ASSERT(candidate != NULL);
    weft_status status = WEFT_STATUS_OK;
    for (uint32_t i = 0; status == WEFT_STATUS_OK; i++) {
        if (!weft_tune_candidate_at(&desc, &all->layout, WEFT_TUNE_GRAIN, i, candidate))
            break;
        if (candidate->layout.grain == 0)
            continue; // By cost, as the others were played.
        WEFT_ASSERT(all->grain_count < TUNE_GRAINS_MAX);
        tune_grain* grain = &all->grain[all->grain_count++];
        grain->grain = report->machine.grain = candidate->layout.grain;
        status = weft_forecast_play(report->forecast, &report->machine, report->counts[all->at],
                                    &grain->result);
    }
    free(candidate);
    report->machine.grain = 0;
    tune_forecast_choose_grain(all);
    if (all->has_grain)
        all->layout.grain = all->grain[all->grain_best].grain;
    return status;
}

// The command ------------------------------------------------------------------------------------

static weft_exit write_layout(tune_forecast* all) {
    char line[WEFT_CLI_LINE_SIZE];
    const forecast_report* report = &all->report;
    weft_cli_layout* file = calloc(1, sizeof(*file));
    WEFT_ASSERT(file != NULL);
    (void)snprintf(file->module, sizeof file->module, "%s", report->module->name);
    file->schedule_hash = report->schedule_hash;
    file->entity_count = report->entity_count;
    file->is_forecast = true;
    file->layout = all->layout;
    all->path = tune_layout_path(report->options);
    weft_status status =
        weft_cli_layout_write(all->path, file, tune_forecast_file_json(all), line, sizeof line);
    free(file);
    if (status == WEFT_STATUS_OK)
        return WEFT_EXIT_OK;
    weft_cli_complain("%s", line);
    return WEFT_EXIT_FAILURE;
}

static weft_exit find(tune_forecast* all) {
    weft_exit code = forecast_report_open(&all->report);
    if (code != WEFT_EXIT_OK)
        return code;
    weft_status status = play_policies(all);
    if (status == WEFT_STATUS_OK) {
        set_layout(all);
        status = play_grains(all);
    }
    if (status != WEFT_STATUS_OK)
        return forecast_report_fail(&all->report, status);
    weft_cli_progress_end(&all->report.progress);
    code = write_layout(all);
    if (code != WEFT_EXIT_OK)
        return code;
    all->report.results = all->policy[all->chosen].results;
    if (!all->report.options->json)
        tune_forecast_print(all);
    else if (!tune_forecast_print_json(all))
        code = WEFT_EXIT_FAILURE;
    all->report.results = NULL;
    return code;
}

weft_exit tune_forecast_run(const weft_cli_options* options, const weft_module* module) {
    tune_forecast* all = calloc(1, sizeof(*all));
    WEFT_ASSERT(all != NULL);
    all->report.module = module;
    all->report.options = options;
    all->report.entity_count = options->entity_count;
    weft_exit code = find(all);
    for (uint32_t i = 0; i < all->policy_count; i++)
        free(all->policy[i].results);
    forecast_report_deinit(&all->report);
    free(all);
    return code;
}
