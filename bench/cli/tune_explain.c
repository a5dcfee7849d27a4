// Where the time of a layout goes, and what could be done about it.

#include <stdlib.h>

#include "tune_report.h"

#define SYSTEMS_SHOWN 24u
// So much longer than in the comparison is not the record's doing.
#define DISTURBED 1.25

weft_status tune_explain(tune_report* report) {
    uint32_t count = weft_schedule_system_count(report->schedule);
    weft_inspect* inspect = NULL;
    uint32_t* ranks = calloc((size_t)count + 1, sizeof(*ranks));
    report->chain = calloc((size_t)count + 1, sizeof(*report->chain));
    weft_status status = ranks == NULL || report->chain == NULL
                             ? WEFT_STATUS_OUT_OF_MEMORY
                             : weft_inspect_create(report->schedule, &inspect);
    if (status == WEFT_STATUS_OK) {
        report->chain_count =
            weft_costs_path(&report->costs, report->schedule, report->chain, &report->chain_ns);
        report->width =
            weft_inspect_width(inspect, WEFT_INSPECT_EXACT_MAX, ranks, &report->width_exact);
        report->advice_count = weft_advise(&report->costs, report->schedule, report->advice);
    }
    weft_inspect_destroy(inspect);
    free(ranks);
    return status;
}

void tune_explain_deinit(tune_report* report) {
    weft_costs_deinit(&report->costs);
    free(report->chain);
    report->chain = NULL;
}

// Figures ----------------------------------------------------------------------------------------

/// Microseconds of a tick.
static double tick_us(const tune_report* report, uint64_t ns) {
    return report->costs.ticks > 0 ? (double)ns / 1000 / (double)report->costs.ticks : 0;
}

static double ratio(uint64_t part, uint64_t whole) {
    return whole > 0 ? (double)part / (double)whole : 0;
}

/// Time in which workers had nothing to do in a stage, as a share of all their time in it.
static double stage_idle(const tune_report* report, const weft_cost_stage* stage) {
    double room = (double)stage->ns * report->costs.worker_count;
    double idle = room > 0 ? 1 - (double)stage->work_ns / room : 0;
    return idle > 0 ? idle : 0;
}

static uint64_t system_sum(const tune_report* report) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < report->costs.system_count; i++)
        sum += report->costs.system[i].ns;
    return sum;
}

/// Ranks by falling cost. Free it.
static uint32_t* systems_by_cost(const tune_report* report) {
    const weft_costs* costs = &report->costs;
    uint32_t* ranks = calloc((size_t)costs->system_count + 1, sizeof(*ranks));
    WEFT_ASSERT(ranks != NULL);
    for (uint32_t i = 0; i < costs->system_count; i++) {
        uint32_t at = i;
        for (; at > 0 && costs->system[ranks[at - 1]].ns < costs->system[i].ns; at--)
            ranks[at] = ranks[at - 1];
        ranks[at] = i;
    }
    return ranks;
}

/// What is done alone between the stages and the end of a tick.
static double commit_us(const tune_report* report) {
    const weft_costs* costs = &report->costs;
    return tick_us(report, weft_costs_serial_ns(costs) - weft_costs_between_ns(costs));
}

/// The first system of a stage.
static const char* stage_name(const tune_report* report, uint32_t stage) {
    uint32_t rank = 0;
    while (rank < report->costs.system_count &&
           weft_schedule_system_stage(report->schedule, rank) != stage)
        rank++;
    return rank < report->costs.system_count ? weft_schedule_system_name(report->schedule, rank)
                                             : "";
}

// Text -------------------------------------------------------------------------------------------

/// A figure, or an empty cell.
static void cell_add(weft_cli_table* table, bool there, double figure) {
    if (there)
        weft_cli_table_add(table, "%.2f", figure);
    else
        weft_cli_table_add(table, "%s", "");
}

static void systems_print(const tune_report* report) {
    static const char* const heads[] = {"system", "stage",    "us a tick",   "share", "calls",
                                        "rows",   "ns a row", "bytes a row", "GB/s"};
    const weft_costs* costs = &report->costs;
    char number[WEFT_CLI_NUMBER_SIZE];
    uint32_t* ranks = systems_by_cost(report);
    uint64_t sum = system_sum(report);
    weft_cli_table table = weft_cli_table_create("lrrrrrrrr");
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
        weft_cli_table_add(&table, "%s", heads[i]);
    for (uint32_t i = 0; i < costs->system_count && i < SYSTEMS_SHOWN; i++) {
        const weft_cost_system* system = &costs->system[ranks[i]];
        weft_cli_table_add(&table, "%s", weft_schedule_system_name(report->schedule, ranks[i]));
        weft_cli_table_add(&table, "%u", weft_schedule_system_stage(report->schedule, ranks[i]));
        weft_cli_table_add(&table, "%.1f", tick_us(report, system->ns));
        weft_cli_table_add(&table, "%.1f%%", ratio(system->ns, sum) * 100);
        weft_cli_table_add(&table, "%.1f", ratio(system->calls, costs->ticks));
        weft_cli_table_add(
            &table, "%s",
            weft_cli_number(costs->ticks > 0 ? system->rows / costs->ticks : 0, number));
        cell_add(&table, system->rows > 0, ratio(system->ns, system->rows));
        weft_cli_table_add(&table, "%.0f", weft_cost_bytes(system));
        cell_add(&table, system->rows > 0, weft_cost_gbs(system));
    }
    weft_cli_table_print(&table, stdout);
    if (costs->system_count > SYSTEMS_SHOWN)
        printf("and %u more\n", costs->system_count - SYSTEMS_SHOWN);
    free(ranks);
}

static void stages_print(const tune_report* report) {
    static const char* const heads[] = {"stage", "begins with", "us",     "share",
                                        "idle",  "items",       "longest"};
    const weft_costs* costs = &report->costs;
    weft_cli_table table = weft_cli_table_create("rlrrrrr");
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
        weft_cli_table_add(&table, "%s", heads[i]);
    for (uint32_t i = 0; i < costs->stage_count && i < SYSTEMS_SHOWN; i++) {
        const weft_cost_stage* stage = &costs->stage[i];
        weft_cli_table_add(&table, "%u", i);
        weft_cli_table_add(&table, "%s", stage_name(report, i));
        weft_cli_table_add(&table, "%.1f", tick_us(report, stage->ns));
        weft_cli_table_add(&table, "%.1f%%", ratio(stage->ns, costs->tick_ns) * 100);
        weft_cli_table_add(&table, "%.0f%%", stage_idle(report, stage) * 100);
        weft_cli_table_add(&table, "%.1f", ratio(stage->items, costs->ticks));
        weft_cli_table_add(&table, "%.1f us", tick_us(report, stage->longest_ns));
    }
    weft_cli_table_print(&table, stdout);
}

static void chain_print(const tune_report* report) {
    uint64_t sum = system_sum(report);
    printf("chain     %.1f us of %.1f us of work are one chain of edges:",
           tick_us(report, report->chain_ns), tick_us(report, sum));
    for (uint32_t i = 0; i < report->chain_count && i < SYSTEMS_SHOWN; i++)
        printf("%s %s", i > 0 ? "," : "",
               weft_schedule_system_name(report->schedule, report->chain[i]));
    printf("%s\n", report->chain_count > SYSTEMS_SHOWN ? ", ..." : "");
    if (report->width == 1)
        printf("width     1: any two systems are ordered\n");
    else
        printf("width     %s%u systems of which no two are ordered\n",
               report->width_exact ? "" : "at least ", report->width);
}

/// What a tick of the layout that was recorded took in the comparison.
static double usual_ns(const tune_report* report) {
    return report->result.tick_ns[report->result.is_certain];
}

// What was recorded is the chosen layout's, but not what it is like if others had the CPUs.
static bool is_disturbed(const tune_report* report) {
    double found_ns = (double)report->costs.host_ns / (double)report->costs.ticks;
    return report->result.gain_rounds > 0 && found_ns >= DISTURBED * usual_ns(report);
}

void tune_explain_print(const tune_report* report) {
    const weft_costs* costs = &report->costs;
    uint64_t serial = weft_costs_serial_ns(costs);
    uint64_t shared = weft_costs_shared_ns(costs);
    printf("record    %llu ticks with this layout\n\n", (unsigned long long)costs->ticks);
    systems_print(report);
    printf("\n");
    stages_print(report);
    printf("\ntick      %.1f us by %u %s, recorded, who share %.1f us of work\n",
           tick_us(report, costs->tick_ns), costs->worker_count,
           costs->worker_count == 1 ? "worker" : "workers", tick_us(report, shared));
    if (is_disturbed(report))
        printf("beware    a tick of this layout took %.1f us in the comparison: something else "
               "used the "
               "CPUs while this was recorded\n",
               usual_ns(report) / 1000);
    printf("alone     %.1f us, %.1f%% of a tick, are done by one worker: commit %.1f us\n",
           tick_us(report, serial), ratio(serial, costs->tick_ns) * 100, commit_us(report));
    if (report->start.kind == WEFT_EXECUTOR_PROCESSES && costs->host_ns > costs->tick_ns)
        printf(
            "host      waits %.1f us more for a tick than the leading worker takes for it: asking "
            "and answering, inputs, images of the world\n",
            tick_us(report, costs->host_ns - costs->tick_ns));
    chain_print(report);
    if (costs->read_gbs > 0)
        printf("memory    gives %u %s %.1f GB/s to read and %.1f to read and write\n",
               costs->worker_count, costs->worker_count == 1 ? "worker" : "workers",
               costs->read_gbs, costs->update_gbs);
    if (costs->visits > 0 && costs->worker_count > 1)
        printf("sharing   %.1f%% of the visits of chunks were by another worker than in the tick "
               "before\n",
               ratio(costs->moves, costs->visits) * 100);
    if (costs->lost > 0)
        printf("records   are missing of %llu ticks of %llu\n", (unsigned long long)costs->lost,
               (unsigned long long)costs->ticks);
    for (uint32_t i = 0; i < report->advice_count; i++)
        printf("%s%s: %s\n", i == 0 ? "\n" : "", weft_advice_names[report->advice[i].kind],
               report->advice[i].text);
    if (report->advice_count == 0)
        printf("\nnothing stands out\n");
}

// JSON -------------------------------------------------------------------------------------------

static json_t* systems_json(const tune_report* report) {
    json_t* list = json_array();
    for (uint32_t i = 0; i < report->costs.system_count; i++) {
        const weft_cost_system* system = &report->costs.system[i];
        (void)json_array_append_new(
            list,
            json_pack("{s:s, s:I, s:f, s:f, s:f, s:f, s:f, s:f}", //
                      "name", weft_schedule_system_name(report->schedule, i), "stage",
                      (json_int_t)weft_schedule_system_stage(report->schedule, i), //
                      "us", tick_us(report, system->ns),                           //
                      "calls", ratio(system->calls, report->costs.ticks),          //
                      "rows", ratio(system->rows, report->costs.ticks),            //
                      "ns_per_row", ratio(system->ns, system->rows),               //
                      "bytes_per_row", weft_cost_bytes(system),                    //
                      "gbs", weft_cost_gbs(system)));
    }
    return list;
}

static json_t* stages_json(const tune_report* report) {
    json_t* list = json_array();
    for (uint32_t i = 0; i < report->costs.stage_count; i++) {
        const weft_cost_stage* stage = &report->costs.stage[i];
        (void)json_array_append_new(
            list,
            json_pack("{s:s, s:f, s:f, s:f, s:f, s:f}", "begins_with", stage_name(report, i), "us",
                      tick_us(report, stage->ns), "work_us", tick_us(report, stage->work_ns),
                      "longest_us", tick_us(report, stage->longest_ns), "items",
                      ratio(stage->items, report->costs.ticks), "idle", stage_idle(report, stage)));
    }
    return list;
}

void tune_explain_json(const tune_report* report, json_t* object) {
    const weft_costs* costs = &report->costs;
    json_t* chain = json_array();
    json_t* advice = json_array();
    for (uint32_t i = 0; i < report->chain_count; i++)
        (void)json_array_append_new(
            chain, json_string(weft_schedule_system_name(report->schedule, report->chain[i])));
    for (uint32_t i = 0; i < report->advice_count; i++)
        (void)json_array_append_new(
            advice, json_pack("{s:s, s:f, s:s}", "kind", weft_advice_names[report->advice[i].kind],
                              "share", report->advice[i].share, "text", report->advice[i].text));
    json_t* explained = json_pack("{s:I, s:I, s:I, s:b, s:f, s:f, s:f, s:f, s:f, s:f, s:o, s:I, "
                                  "s:b, s:I, s:f, s:f, s:f, s:o, s:o, s:o}",                 //
                                  "workers", (json_int_t)costs->worker_count,                //
                                  "ticks", (json_int_t)costs->ticks,                         //
                                  "ticks_with_lost_records", (json_int_t)costs->lost,        //
                                  "disturbed", (int)is_disturbed(report),                    //
                                  "tick_us", tick_us(report, costs->tick_ns),                //
                                  "host_us", tick_us(report, costs->host_ns),                //
                                  "alone_us", tick_us(report, weft_costs_serial_ns(costs)),  //
                                  "commit_us", commit_us(report),                            //
                                  "shared_us", tick_us(report, weft_costs_shared_ns(costs)), //
                                  "chain_us", tick_us(report, report->chain_ns),             //
                                  "chain", chain,                                            //
                                  "width", (json_int_t)report->width,                        //
                                  "width_exact", (int)report->width_exact,                   //
                                  "visits", (json_int_t)costs->visits,                       //
                                  "moves", ratio(costs->moves, costs->visits),               //
                                  "read_gbs", costs->read_gbs,                               //
                                  "update_gbs", costs->update_gbs,                           //
                                  "systems", systems_json(report),                           //
                                  "stages", stages_json(report),                             //
                                  "advice", advice);
    (void)json_object_set_new(object, "explained", explained);
}
