// What `weft tune` says.

#include <inttypes.h>

#include "topo_report.h"
#include "tune_report.h"

/// "0.912 (0.905 to 0.921)"; with too few samples for an interval "0.912", without any nothing.
#define RATIO_SIZE 48u
static const char* ratio_text(const weft_statistics_ratio* ratio, char text[RATIO_SIZE]) {
    text[0] = '\0';
    if (ratio->estimate > 0 && !ratio->is_certain)
        (void)snprintf(text, RATIO_SIZE, "%.3f", ratio->estimate);
    else if (ratio->estimate > 0)
        (void)snprintf(text, RATIO_SIZE, "%.3f (%.3f to %.3f)", ratio->estimate, ratio->low,
                       ratio->high);
    return text;
}

static void trials_print(const tune_report* report) {
    const weft_tune_result* result = &report->result;
    weft_cli_table table = weft_cli_table_create("lllrl");
    char ratio[RATIO_SIZE];
    static const char* const heads[] = {"factor", "candidate", "time, best so far = 1", "rounds",
                                        "verdict"};
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
        weft_cli_table_add(&table, "%s", heads[i]);
    for (uint32_t i = 0; i < result->trial_count; i++) {
        const weft_tune_trial* trial = &result->trial[i];
        weft_cli_table_add(&table, "%s", weft_tune_factor_names[trial->factor]);
        weft_cli_table_add(&table, "%s", trial->what);
        weft_cli_table_add(&table, "%s", ratio_text(&trial->ratio, ratio));
        weft_cli_table_add(&table, "%u", trial->rounds);
        weft_cli_table_add(&table, "%s", weft_tune_verdict_names[trial->verdict]);
    }
    weft_cli_table_print(&table, stdout);
}

static void gain_print(const tune_report* report) {
    const weft_tune_result* result = &report->result;
    char text[WEFT_LAYOUT_TEXT];
    char ratio[RATIO_SIZE];
    weft_layout_text(&result->found, text);
    printf("best      %s\n", text);
    if (weft_layout_equal(&result->found, &report->start)) {
        printf(
            "against   nothing: no candidate is certainly faster than the default, which stays\n");
        return;
    }
    printf(
        "against   the default, once more: %s of its time, 99%%, %u pairs; a tick takes %.4g ms, "
        "by default %.4g ms\n",
        ratio_text(&result->gain, ratio), result->gain_rounds, result->tick_ns[1] / 1e6,
        result->tick_ns[0] / 1e6);
    if (!result->is_certain)
        printf("          not certainly faster, so the default is written\n");
}

void tune_print(const tune_report* report) {
    const weft_tune_result* result = &report->result;
    char number[WEFT_CLI_NUMBER_SIZE];
    char time[WEFT_CLI_NUMBER_SIZE];
    char text[WEFT_LAYOUT_TEXT];
    char machine[256];
    (void)weft_topology_summary(report->topology, machine, sizeof machine);
    printf("module    %s, %s entities, seed %" PRIu64 "\n", report->module->name,
           weft_cli_number(report->entity_count, number), report->seed);
    printf("machine   %s\n", machine);
    weft_layout_text(&report->start, text);
    printf("default   %s\n\n", text);
    trials_print(report);
    printf("\nsearch    %u candidates in %s", result->trial_count,
           weft_cli_seconds(report->time_s, time));
    if (result->skipped > 0)
        printf(", no time for %u more", result->skipped);
    if (report->compares)
        printf("; the same digests in %s rounds\n", weft_cli_number(report->compared, number));
    else
        printf("; digests are not compared: the module turns determinism off\n");
    if (report->start.kind == WEFT_EXECUTOR_THREADS)
        printf("not tried worker processes, which are tuned on their own: --executor processes\n");
    gain_print(report);
    weft_layout_text(&result->chosen, text);
    printf("layout    %s: %s\n", report->path, text);
    tune_explain_print(report);
}

// JSON -------------------------------------------------------------------------------------------

static json_t* ratio_json(const weft_statistics_ratio* ratio) {
    return json_pack("{s:f, s:f, s:f, s:b}", "estimate", ratio->estimate, "low", ratio->low, "high",
                     ratio->high, "certain", (int)ratio->is_certain);
}

json_t* tune_file_json(const tune_report* report) {
    const weft_tune_result* result = &report->result;
    char text[WEFT_LAYOUT_TEXT];
    char start[WEFT_LAYOUT_TEXT];
    char machine[256];
    (void)weft_topology_summary(report->topology, machine, sizeof machine);
    weft_layout_text(&result->found, text);
    weft_layout_text(&report->start, start);
    return json_pack("{s:s, s:s, s:s, s:s, s:b, s:o, s:I, s:f, s:f}", //
                     "weft", weft_version(),                          //
                     "machine", machine,                              //
                     "default", start,                                //
                     "best", text,                                    //
                     "certain", (int)result->is_certain,              //
                     "time_to_default", ratio_json(&result->gain),    //
                     "pairs", (json_int_t)result->gain_rounds,        //
                     "default_tick_ns", result->tick_ns[0],           //
                     "best_tick_ns", result->tick_ns[1]);
}

static json_t* trials_json(const tune_report* report) {
    json_t* list = json_array();
    for (uint32_t i = 0; i < report->result.trial_count; i++) {
        const weft_tune_trial* trial = &report->result.trial[i];
        (void)json_array_append_new(
            list,
            json_pack("{s:s, s:s, s:s, s:I, s:o}", "factor", weft_tune_factor_names[trial->factor],
                      "candidate", trial->what, "verdict", weft_tune_verdict_names[trial->verdict],
                      "rounds", (json_int_t)trial->rounds, "ratio", ratio_json(&trial->ratio)));
    }
    return list;
}

/// The machine, with the workers of the layout that was written.
static json_t* machine_json(const tune_report* report) {
    const weft_layout* layout = &report->result.chosen;
    const weft_placement placement = {layout->policy, layout->cpus, layout->cpu_count};
    return topo_json_of(report->topology, NULL, &placement, layout->worker_count,
                        report->entity_count);
}

bool tune_print_json(const tune_report* report) {
    char text[WEFT_LAYOUT_TEXT];
    weft_layout_text(&report->result.chosen, text);
    json_t* root = json_pack("{s:s, s:s, s:I, s:o, s:s, s:s, s:f, s:b, s:I, s:I, s:o, s:o, s:o}", //
                             "weft", weft_version(),                                              //
                             "module", report->module->name,                                      //
                             "entities", (json_int_t)report->entity_count,                        //
                             "seed", weft_cli_json_hex(report->seed),                             //
                             "file", report->path,                                                //
                             "layout", text,                                                      //
                             "seconds", report->time_s,                                           //
                             "digests_compared", (int)report->compares,                           //
                             "rounds", (json_int_t)report->compared,                              //
                             "skipped", (json_int_t)report->result.skipped,                       //
                             "search", trials_json(report),                                       //
                             "result", tune_file_json(report),                                    //
                             "topology", machine_json(report));
    tune_explain_json(report, root);
    return weft_cli_json_print(root);
}
