// `weft graph` for people: the whole schedule.

#include <inttypes.h>
#include <stdlib.h>

#include "graph_report.h"

/// No more names than this in a line, of which the last one is the last of all.
#define NAMES_MAX 12u

static void names_print(FILE* file, const graph_report* report, const uint32_t* ranks,
                        uint32_t count, const char* between) {
    for (uint32_t i = 0; i < count; i++) {
        if (count > NAMES_MAX && i == NAMES_MAX - 1) {
            (void)fprintf(file, "%s(%u more)", between, count - NAMES_MAX);
            i = count - 1;
        }
        (void)fprintf(file, "%s%s", i > 0 ? between : "", graph_name(report, ranks[i]));
    }
    (void)fputc('\n', file);
}

static void head_print(FILE* file, const graph_report* report) {
    char number[WEFT_CLI_NUMBER_SIZE];
    uint64_t pairs = (uint64_t)report->count * (report->count - (report->count > 0)) / 2;
    (void)fprintf(file, "module   %s%s%s\n", report->module->name,
                  report->module->summary != NULL ? ": " : "",
                  report->module->summary != NULL ? report->module->summary : "");
    (void)fprintf(file, "size     %s entities, seed %" PRIu64 "\n",
                  weft_cli_number(report->entity_count, number), report->seed);
    (void)fputs("graph    ", file);
    graph_count_print(file, report->count, "system");
    (void)fputs(", ", file);
    graph_count_print(file, weft_schedule_stage_count(report->schedule), "stage");
    (void)fputs(", ", file);
    graph_count_print(file, report->edge_count - report->implied_count, "edge");
    if (report->implied_count > 0)
        (void)fprintf(file, " and %u that they imply", report->implied_count);
    (void)fputs("\nlongest  ", file);
    graph_count_print(file, report->path_count, "system");
    (void)fputs(report->path_count > 0 ? ": " : "", file);
    names_print(file, report, report->path, report->path_count, " > ");
    (void)fprintf(file, "width    %s", report->width_exact ? "" : "at least ");
    graph_count_print(file, report->width_count, "system");
    (void)fputs(report->width_count > 0 ? ": " : "", file);
    names_print(file, report, report->width, report->width_count, ", ");
    (void)fprintf(file, "overlap  %s of ", weft_cli_number(report->free_count, number));
    (void)fprintf(file, "%s pairs are not ordered%s\n", weft_cli_number(pairs, number),
                  report->overlaps || report->free_count == 0 ? "" : " (--overlaps lists them)");
}

static void systems_print(FILE* file, const graph_report* report) {
    weft_cli_table table = weft_cli_table_create("rrlll");
    weft_cli_table_add(&table, "stage");
    weft_cli_table_add(&table, "rank");
    weft_cli_table_add(&table, "system");
    weft_cli_table_add(&table, "scope");
    weft_cli_table_add(&table, "access");
    for (uint32_t stage = 0; stage < weft_schedule_stage_count(report->schedule); stage++) {
        for (uint32_t rank = 0; rank < report->count; rank++) {
            if (weft_schedule_system_stage(report->schedule, rank) != stage)
                continue;
            bool world = weft_schedule_system_scope(report->schedule, rank) == WEFT_SCOPE_WORLD;
            char* access = graph_accesses(report, rank, "; ");
            weft_cli_table_add(&table, "%u", stage);
            weft_cli_table_add(&table, "%u", rank);
            weft_cli_table_add(&table, "%s", graph_name(report, rank));
            weft_cli_table_add(&table, "%s", world ? "world" : "chunk");
            weft_cli_table_add(&table, "%s", access);
            free(access);
        }
    }
    weft_cli_table_print(&table, file);
}

static void edges_print(FILE* file, const graph_report* report) {
    weft_cli_table table = weft_cli_table_create("llll");
    weft_cli_table_add(&table, "edge");
    weft_cli_table_add(&table, "waits for");
    weft_cli_table_add(&table, "order");
    weft_cli_table_add(&table, "because of");
    for (uint32_t i = 0; i < report->edge_count; i++) {
        weft_inspect_edge at = weft_inspect_edge_at(report->inspect, i);
        if (at.implied && !report->all_edges)
            continue;
        weft_cli_table_add(&table, "%s > %s", graph_name(report, at.edge.from),
                           graph_name(report, at.edge.to));
        weft_cli_table_add(&table, "%s", graph_wait_text(&at.edge));
        weft_cli_table_add(&table, "%s%s", graph_order_text(at.order),
                           at.implied ? ", implied" : "");
        if (at.edge.type != NULL)
            weft_cli_table_add(&table, "%s: %s", at.edge.type->name, at.edge.reason);
        else
            weft_cli_table_add(&table, "%s", at.edge.reason);
    }
    (void)fputc('\n', file);
    weft_cli_table_print(&table, file);
}

static void ambiguous_print(FILE* file, const graph_report* report) {
    weft_cli_table table = weft_cli_table_create("lll");
    weft_cli_table_add(&table, "first");
    weft_cli_table_add(&table, "then");
    weft_cli_table_add(&table, "in conflict on");
    for (uint32_t i = 0; i < report->edge_count; i++) {
        weft_inspect_edge at = weft_inspect_edge_at(report->inspect, i);
        if (at.order != WEFT_ORDER_REGISTRATION || (at.implied && !report->all_edges))
            continue;
        char* data = graph_bonds(report, at.edge.from, at.edge.to, true);
        weft_cli_table_add(&table, "%s", graph_name(report, at.edge.from));
        weft_cli_table_add(&table, "%s", graph_name(report, at.edge.to));
        weft_cli_table_add(&table, "%s", data);
        free(data);
    }
    (void)fputs("\nordered by registration alone: ", file);
    graph_count_print(file, report->ambiguous_count, "pair");
    if (!report->all_edges && report->ambiguous_implied_count > 0)
        (void)fprintf(file, ", of which %u %s from the others", report->ambiguous_implied_count,
                      report->ambiguous_implied_count == 1 ? "follows" : "follow");
    (void)fputc('\n', file);
    weft_cli_table_print(&table, file);
    (void)fputs("To settle a pair, name one system in .before or .after of the other, or let them "
                "not meet:\na component of its own, a buffered one, or .without in one of the "
                "queries.\n",
                file);
}

static void writers_print(FILE* file, const graph_report* report) {
    weft_cli_table table = weft_cli_table_create("ll");
    char* writers = NULL;
    weft_cli_table_add(&table, "data");
    weft_cli_table_add(&table, "written by");
    for (uint32_t i = 0; i < weft_inspect_finding_count(report->inspect); i++) {
        weft_finding finding = weft_inspect_finding(report->inspect, i);
        if (finding.kind != WEFT_FINDING_DOUBLE_WRITER || graph_finding_continues(report, i))
            continue;
        writers = graph_writers(report, i, ", ");
        weft_cli_table_add(&table, "%s", finding.type->name);
        weft_cli_table_add(&table, "%s", writers);
        free(writers);
    }
    (void)fputs("\nwritten by more than one system\n", file);
    weft_cli_table_print(&table, file);
}

static void early_print(FILE* file, const graph_report* report) {
    weft_cli_table table = weft_cli_table_create("lll");
    weft_cli_table_add(&table, "data");
    weft_cli_table_add(&table, "read by");
    weft_cli_table_add(&table, "first written by");
    for (uint32_t i = 0; i < weft_inspect_finding_count(report->inspect); i++) {
        weft_finding finding = weft_inspect_finding(report->inspect, i);
        if (finding.kind != WEFT_FINDING_READ_BEFORE_WRITE)
            continue;
        weft_cli_table_add(&table, "%s", finding.type->name);
        weft_cli_table_add(&table, "%s", graph_name(report, finding.system));
        weft_cli_table_add(&table, "%s", graph_name(report, finding.other));
    }
    (void)fputs("\nread before it is written, so as the tick before left it\n", file);
    weft_cli_table_print(&table, file);
}

static void life_print(FILE* file, const graph_report* report, bool dead) {
    weft_cli_table table = weft_cli_table_create("ll");
    bool some = false;
    weft_cli_table_add(&table, "%s", dead ? "dead" : "idle");
    weft_cli_table_add(&table, "why");
    for (uint32_t i = 0; i < weft_inspect_finding_count(report->inspect); i++) {
        weft_finding finding = weft_inspect_finding(report->inspect, i);
        if (graph_life_text(finding.kind) == NULL || graph_is_dead(finding.kind) != dead)
            continue;
        weft_cli_table_add(&table, "%s", graph_name(report, finding.system));
        weft_cli_table_add(&table, "%s", graph_life_text(finding.kind));
        some = true;
    }
    if (some) {
        (void)fputc('\n', file);
        weft_cli_table_print(&table, file);
    } else {
        weft_cli_table_destroy(&table);
    }
}

static void overlaps_print(FILE* file, const graph_report* report) {
    weft_cli_table table = weft_cli_table_create("lll");
    weft_cli_table_add(&table, "not ordered");
    weft_cli_table_add(&table, "stage");
    weft_cli_table_add(&table, "because of");
    for (uint32_t i = 0; i < report->count; i++) {
        for (uint32_t j = i + 1; j < report->count; j++) {
            if (weft_inspect_is_before(report->inspect, i, j))
                continue;
            uint32_t first = weft_schedule_system_stage(report->schedule, i);
            uint32_t second = weft_schedule_system_stage(report->schedule, j);
            char* data = graph_bonds(report, i, j, false);
            weft_cli_table_add(&table, "%s, %s", graph_name(report, i), graph_name(report, j));
            if (first == second)
                weft_cli_table_add(&table, "%u", first);
            else
                weft_cli_table_add(&table, "%u, %u", first, second);
            weft_cli_table_add(&table, "%s", data);
            free(data);
        }
    }
    (void)fputc('\n', file);
    weft_cli_table_print(&table, file);
}

void graph_text_print(FILE* file, const void* context) {
    const graph_report* report = context;
    head_print(file, report);
    (void)fputc('\n', file);
    systems_print(file, report);
    if (report->edge_count > 0)
        edges_print(file, report);
    if (report->ambiguous_count > 0)
        ambiguous_print(file, report);
    if (graph_deny_count(report, GRAPH_DENY_DOUBLE_WRITER) > 0)
        writers_print(file, report);
    if (graph_deny_count(report, GRAPH_DENY_READ_BEFORE_WRITE) > 0)
        early_print(file, report);
    life_print(file, report, true);
    life_print(file, report, false);
    if (report->overlaps && report->free_count > 0)
        overlaps_print(file, report);
}
