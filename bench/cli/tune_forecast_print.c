// What `weft tune --machine` says.

#include "tune_forecast.h"

static const weft_forecast_result* chosen_result(const tune_forecast* all) {
    return all->has_grain ? &all->grain[all->grain_best].result
                          : &all->policy[all->chosen].results[all->at];
}

static double percent_better(double ns, double than_ns) {
    return ns > 0 ? (than_ns / ns - 1) * 100 : 0;
}

static void policies_print(const tune_forecast* all) {
    static const char* const heads[] = {"placement", "best workers", "tick us", "speed-up"};
    const forecast_report* report = &all->report;
    weft_cli_table table = weft_cli_table_create("lrrr");
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
        weft_cli_table_add(&table, "%s", heads[i]);
    for (uint32_t i = 0; i < all->policy_count; i++) {
        const tune_policy* policy = &all->policy[i];
        const weft_forecast_result* best = &policy->results[policy->best];
        const char* name = weft_cli_placement_name(policy->placement.policy);
        if (policy->same_as < i)
            weft_cli_table_add(
                &table, "%s, as %s", name,
                weft_cli_placement_name(all->policy[policy->same_as].placement.policy));
        else
            weft_cli_table_add(&table, "%s", name);
        weft_cli_table_add(&table, "%u", report->counts[policy->best]);
        weft_cli_table_add(&table, "%.1f", best->tick_ns / 1000);
        weft_cli_table_add(&table, "%.2f", forecast_speedup(report, best));
    }
    weft_cli_table_print(&table, stdout);
}

static void grain_print(const tune_forecast* all) {
    double by_cost_ns = all->policy[all->chosen].results[all->at].tick_ns;
    if (all->grain_count == 0)
        return;
    const tune_grain* best = &all->grain[all->grain_best];
    printf("grain     ");
    if (all->has_grain)
        printf("%u: ticks are %.1f%% faster than with the grain by cost\n", best->grain,
               percent_better(best->result.tick_ns, by_cost_ns));
    else
        printf("by cost: no fixed one is over %.0f%% faster\n", (TUNE_AS_GOOD - 1) * 100);
}

void tune_forecast_print(const tune_forecast* all) {
    const forecast_report* report = &all->report;
    const tune_policy* best = &all->policy[all->best];
    const weft_forecast_result* chosen = &all->policy[all->chosen].results[all->at];
    uint32_t workers = report->counts[all->at];
    char text[WEFT_LAYOUT_TEXT];
    forecast_curve_print(stdout, report);
    printf("\n");
    policies_print(all);
    printf("\nchosen    %u %s, %s: %.2f times as fast as one, ", workers,
           workers == 1 ? "worker" : "workers",
           weft_cli_placement_name(report->machine.placement.policy),
           forecast_speedup(report, chosen));
    if (best->results[best->best].tick_ns < chosen->tick_ns)
        printf("the fewest within %.0f%% of the best, %u %s with %.2f", (TUNE_AS_GOOD - 1) * 100,
               report->counts[best->best], weft_cli_placement_name(best->placement.policy),
               forecast_speedup(report, &best->results[best->best]));
    else
        printf("the best of these");
    printf("; %s\n", forecast_holds_back(chosen));
    grain_print(all);
    printf("others    order in stages, waiting and pages are all the same to a forecast: as by "
           "default\n");
    weft_layout_text(&all->layout, text);
    printf("layout    %s: %s\n          a forecast, nobody has measured it: `weft tune` on that "
           "machine does\n",
           all->path, text);
}

// JSON -------------------------------------------------------------------------------------------

static json_t* policies_json(const tune_forecast* all) {
    json_t* list = json_array();
    for (uint32_t i = 0; i < all->policy_count; i++) {
        const tune_policy* policy = &all->policy[i];
        const weft_forecast_result* best = &policy->results[policy->best];
        const weft_placement* same = &all->policy[policy->same_as].placement;
        (void)json_array_append_new(
            list,
            json_pack("{s:s, s:i, s:f, s:f, s:f, s:s?}", "placement",
                      weft_cli_placement_name(policy->placement.policy), "best_workers",
                      (int)all->report.counts[policy->best], "tick_ns", best->tick_ns, "bound_ns",
                      best->bound_ns, "speedup", forecast_speedup(&all->report, best), "same_as",
                      policy->same_as < i ? weft_cli_placement_name(same->policy) : NULL));
    }
    return list;
}

static json_t* grains_json(const tune_forecast* all) {
    json_t* list = json_array();
    for (uint32_t i = 0; i < all->grain_count; i++)
        (void)json_array_append_new(list, json_pack("{s:i, s:f}", "grain", (int)all->grain[i].grain,
                                                    "tick_ns", all->grain[i].result.tick_ns));
    return list;
}

json_t* tune_forecast_file_json(const tune_forecast* all) {
    const forecast_report* report = &all->report;
    const weft_forecast_result* chosen = chosen_result(all);
    char machine[256];
    (void)weft_topology_summary(report->there, machine, sizeof machine);
    return json_pack("{s:s, s:s, s:s, s:o, s:f, s:f, s:f, s:f, s:f}", //
                     "weft", weft_version(),                          //
                     "source", report->options->machine,              //
                     "machine", machine,                              //
                     "assumed", forecast_assumed_json(report),        //
                     "within", TUNE_AS_GOOD - 1,                      //
                     "one_worker_tick_ns", report->one.tick_ns,       //
                     "tick_ns", chosen->tick_ns,                      //
                     "bound_ns", chosen->bound_ns,                    //
                     "speedup", forecast_speedup(report, chosen));
}

bool tune_forecast_print_json(const tune_forecast* all) {
    const forecast_report* report = &all->report;
    char text[WEFT_LAYOUT_TEXT];
    weft_layout_text(&all->layout, text);
    json_t* root = forecast_json(report);
    json_t* more = json_pack("{s:o, s:o, s:{s:i, s:s, s:i}, s:s, s:s, s:s, s:o, s:o}",           //
                             "policies", policies_json(all),                                     //
                             "grains", grains_json(all),                                         //
                             "chosen", "workers", (int)report->counts[all->at],                  //
                             "placement",                                                        //
                             weft_cli_placement_name(report->machine.placement.policy), "grain", //
                             (int)all->layout.grain,                                             //
                             "file", all->path,                                                  //
                             "layout", text,                                                     //
                             "evidence", "forecast",                                             //
                             "result", tune_forecast_file_json(all),                             //
                             "topology", forecast_topology_json(report, report->counts[all->at]));
    if (root != NULL)
        (void)json_object_update(root, more);
    json_decref(more);
    return weft_cli_json_print(root);
}
