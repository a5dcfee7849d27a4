// `weft forecast`: the forecast in words and for programs, with all that it assumes.

#include <string.h>

#include "forecast_report.h"
#include "topo_report.h"

// A number of workers is enough that gives so much of the best speed-up.
#define ENOUGH 0.95

double forecast_speedup(const forecast_report* report, const weft_forecast_result* result) {
    return result->tick_ns > 0 ? report->one.tick_ns / result->tick_ns : 1;
}

static const char* source(const forecast_report* report) {
    return report->options->machine != NULL ? report->options->machine : "this one";
}

static const char* as_here(bool said) {
    return said ? "" : ", as here";
}

static void head_print(FILE* file, const forecast_report* report) {
    char number[WEFT_CLI_NUMBER_SIZE];
    uint32_t disturbed = 0;
    uint32_t ticks = weft_forecast_ticks(report->forecast, &disturbed);
    weft_topology_info there = weft_topology_info_get(report->there);
    (void)fprintf(file, "forecast  %s, %s entities, %s\n", report->module->name,
                  weft_cli_number(report->entity_count, number),
                  report->options->digest ? "with the digest of every tick" : "without digests");
    (void)fprintf(file, "measured  %u ticks of one worker here, %.1f us of work each", ticks,
                  report->one.work_ns / 1000);
    if (disturbed > 0)
        (void)fprintf(file, "; %u were disturbed", disturbed);
    (void)fprintf(file, "\nmachine   %s: %u package%s, %u NUMA node%s, %u cores, %u CPUs\n",
                  source(report), there.package_count, there.package_count > 1 ? "s" : "",
                  there.node_count, there.node_count > 1 ? "s" : "", there.core_count,
                  there.worker_cpu_count);
    if (there.quota_milli_cpus != 0)
        (void)fprintf(file, "quota     %.6g CPUs\n", there.quota_milli_cpus / 1000.0);
    (void)fprintf(file, "placement %s\n",
                  weft_cli_placement_name(report->machine.placement.policy));
}

static void assumptions_print(FILE* file, const forecast_report* report) {
    const weft_cli_options* options = report->options;
    const weft_forecast_machine* machine = &report->machine;
    (void)fprintf(file, "assumed   a core, the fastest kind: %.4g times as fast as one here%s\n",
                  machine->speed, options->speed > 0 ? "" : "; --speed");
    (void)fprintf(file, "          a core with two busy CPUs does %.4g of one%s\n", machine->smt,
                  options->smt > 0 ? "" : "; --smt");
    if (machine->crowding > 1.005)
        (void)fprintf(file, "          with all CPUs busy computing takes %.3g times as long\n",
                      machine->crowding);
    (void)fprintf(file,
                  "          memory: %.3g GB/s for a core, as here; %.3g for a NUMA node%s%s\n",
                  machine->core_bytes_per_ns, machine->node_bytes_per_ns,
                  as_here(options->bandwidth > 0), options->bandwidth > 0 ? "" : "; --bandwidth");
    (void)fprintf(file,
                  "          a line goes to and fro in %.0f ns; two join in %.0f ns, each further "
                  "worker adds %.0f%s\n",
                  machine->line_ns, machine->join_ns, machine->line_ns / 4,
                  report->found.alone ? "; guessed, here is one CPU" : "");
    if (machine->move_bytes_per_ns > 0)
        (void)fprintf(file, "          what is in another core's cache comes at %.3g GB/s\n",
                      machine->move_bytes_per_ns);
    (void)fprintf(file, "          %s\n",
                  report->lines_known
                      ? "what others wrote is as far as between two workers here, who took turns"
                      : "what others wrote is as near as one's own: not measured");
    (void)fprintf(file,
                  "          workers are awake; memory of another node is as fast; items cost what "
                  "they cost here\n\n");
}

static void table_print(FILE* file, const forecast_report* report) {
    static const char* const heads[] = {"workers",  "cores", "nodes",  "tick us",
                                        "speed-up", "bound", "busy",   "memory",
                                        "lines",    "alone", "waiting"};
    weft_cli_table table = weft_cli_table_create("rrrrrrrrrrr");
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
        weft_cli_table_add(&table, "%s", heads[i]);
    for (uint32_t i = 0; i < report->count; i++) {
        const weft_forecast_result* result = &report->results[i];
        weft_cli_table_add(&table, "%u", report->counts[i]);
        weft_cli_table_add(&table, "%u", result->core_count);
        weft_cli_table_add(&table, "%u", result->node_count);
        weft_cli_table_add(&table, "%.1f", result->tick_ns / 1000);
        weft_cli_table_add(&table, "%.2f", forecast_speedup(report, result));
        weft_cli_table_add(&table, "%.2f",
                           result->bound_ns > 0 ? report->one.tick_ns / result->bound_ns : 1);
        weft_cli_table_add(&table, "%.0f%%", 100 * result->busy);
        weft_cli_table_add(&table, "%.0f%%", 100 * result->memory);
        weft_cli_table_add(&table, "%.0f%%", 100 * result->lines);
        weft_cli_table_add(&table, "%.0f%%", 100 * result->alone);
        weft_cli_table_add(&table, "%.0f%%", 100 * result->waiting);
    }
    weft_cli_table_print(&table, file);
}

// The count with the best speed-up, and the first that gives nearly as much.
static void find_best(const forecast_report* report, uint32_t* best_out, uint32_t* enough_out) {
    *best_out = forecast_best(report->results, report->count);
    double limit_ns = report->results[*best_out].tick_ns / ENOUGH;
    *enough_out = forecast_fewest(report->results, report->counts, report->count, limit_ns);
    WEFT_ASSERT(*enough_out < report->count);
}

const char* forecast_holds_back(const weft_forecast_result* result) {
    if (result->busy > 0.9)
        return "nothing much holds them back";
    const struct {
        double share;
        const char* text;
    } shares[] = {
        {result->memory, "memory holds them back"},
        {result->lines, "reading what others wrote holds them back"},
        {result->alone, "what the caller does alone holds them back"},
        {result->waiting, "waiting for the last one holds them back"},
    };
    size_t most = 0;
    for (size_t i = 1; i < sizeof shares / sizeof shares[0]; i++)
        if (shares[i].share > shares[most].share)
            most = i;
    return shares[most].text;
}

void forecast_curve_print(FILE* file, const forecast_report* report) {
    head_print(file, report);
    assumptions_print(file, report);
    table_print(file, report);
}

void forecast_print(FILE* file, const forecast_report* report) {
    uint32_t best, enough;
    forecast_curve_print(file, report);
    find_best(report, &best, &enough);
    const weft_forecast_result* result = &report->results[enough];
    (void)fprintf(file, "\n%u worker%s: %.2f times as fast as one, ", report->counts[enough],
                  report->counts[enough] > 1 ? "s are enough" : " is enough",
                  forecast_speedup(report, result));
    if (best == enough)
        (void)fprintf(file, "the best of these");
    else
        (void)fprintf(file, "the best are %u with %.2f", report->counts[best],
                      forecast_speedup(report, &report->results[best]));
    (void)fprintf(file, "; %s\n", forecast_holds_back(&report->results[best]));
}

static json_t* results_json(const forecast_report* report) {
    json_t* list = json_array();
    for (uint32_t i = 0; i < report->count; i++) {
        const weft_forecast_result* one = &report->results[i];
        (void)json_array_append_new(
            list,
            json_pack(
                "{s:i, s:i, s:i, s:i, s:b, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:i, s:i}",
                "workers", (int)report->counts[i], "taking_part", (int)one->active, "cores",
                (int)one->core_count, "nodes", (int)one->node_count, "cached", (int)one->cached,
                "tick_ns", one->tick_ns, "bound_ns", one->bound_ns, "speedup",
                forecast_speedup(report, one), "efficiency",
                forecast_speedup(report, one) / report->counts[i], "busy", one->busy, "memory",
                one->memory, "lines", one->lines, "alone", one->alone, "waiting", one->waiting,
                "batches", (int)one->batch_count, "batches_shared", (int)one->batches_shared));
    }
    return list;
}

json_t* forecast_assumed_json(const forecast_report* report) {
    const weft_forecast_machine* machine = &report->machine;
    return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:b}", "speed", machine->speed,
                     "smt", machine->smt, "crowding", machine->crowding, "core_gb_s",
                     machine->core_bytes_per_ns, "node_gb_s", machine->node_bytes_per_ns,
                     "move_gb_s", machine->move_bytes_per_ns, "line_ns", machine->line_ns,
                     "join_ns", machine->join_ns, "claim_ns", machine->claim_ns, "lines",
                     (int)report->lines_known);
}

json_t* forecast_topology_json(const forecast_report* report, uint32_t worker_count) {
    return topo_json_of(report->there, report->options->machine, &report->machine.placement,
                        worker_count, report->entity_count);
}

json_t* forecast_json(const forecast_report* report) {
    weft_topology_info there = weft_topology_info_get(report->there);
    uint32_t disturbed = 0;
    uint32_t ticks = weft_forecast_ticks(report->forecast, &disturbed);
    uint32_t best, enough;
    find_best(report, &best, &enough);
    json_t* root = json_pack(
        "{s:s, s:I, s:o, s:b, s:i, s:i, s:f, s:s, s:{s:s?, s:i, s:i, s:i, s:i}, s:o, s:o, s:i, "
        "s:i}",
        "simulation", report->module->name, "entities", (json_int_t)report->entity_count, "seed",
        weft_cli_json_hex(report->options->seed), "digest", (int)report->options->digest, "ticks",
        (int)ticks, "disturbed", (int)disturbed, "work_ns", report->one.work_ns, "placement",
        weft_cli_placement_name(report->machine.placement.policy), "machine", "source",
        report->options->machine, "packages", (int)there.package_count, "nodes",
        (int)there.node_count, "cores", (int)there.core_count, "cpus", (int)there.worker_cpu_count,
        "assumed", forecast_assumed_json(report), "forecasts", results_json(report), "best",
        (int)report->counts[best], "enough", (int)report->counts[enough]);
    (void)json_object_set_new(root, "topology",
                              forecast_topology_json(report, report->counts[enough]));
    return root;
}
