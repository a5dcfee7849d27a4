// `weft graph --format dot`: the schedule in the language of graphviz.
//
// Made to be read on paper too: light fills, and nothing is told by a colour alone. Stages are
// boxes from top to bottom, solid edges are declared, dashed ones are by registration, the longest
// chain is thick.

#include <stdlib.h>

#include "graph_report.h"

/// Above this many systems boxes have names alone.
#define DETAILS_MAX 40u

/// A picture of more edges cannot be read, and graphviz would take minutes for it. Implied edges
/// are left out where there are more edges than this; where it is more even so, edges are straight
/// and without labels, and stages may stand side by side.
#define EDGES_MAX 400u

static bool is_dense(const graph_report* report) {
    return report->edge_count - report->implied_count > EDGES_MAX;
}

static bool is_drawn(const graph_report* report, const weft_inspect_edge* at) {
    return !at->implied || (report->all_edges && report->edge_count <= EDGES_MAX);
}

/// Prints text for an HTML-like label.
static void html_print(FILE* file, const char* text) {
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '<':
            (void)fputs("&lt;", file);
            break;
        case '>':
            (void)fputs("&gt;", file);
            break;
        case '&':
            (void)fputs("&amp;", file);
            break;
        case '\n':
            (void)fputs("<br/>", file);
            break;
        default:
            (void)fputc(*text, file);
        }
    }
}

/// Prints text between quotes.
static void quoted_print(FILE* file, const char* text) {
    (void)fputc('"', file);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            (void)fputc('\\', file);
        (void)fputc(*text, file);
    }
    (void)fputc('"', file);
}

static bool is_dead(const graph_report* report, uint32_t rank) {
    for (uint32_t i = 0; i < weft_inspect_finding_count(report->inspect); i++) {
        weft_finding finding = weft_inspect_finding(report->inspect, i);
        if (finding.system == rank && graph_is_dead(finding.kind))
            return true;
    }
    return false;
}

static bool on_path(const graph_report* report, uint32_t rank) {
    return report->place[rank] > 0 && report->path_count > 1;
}

/// True for an edge between neighbours of the longest chain.
static bool is_step(const graph_report* report, const weft_edge* edge) {
    return report->place[edge->from] > 0 &&
           report->place[edge->to] == report->place[edge->from] + 1;
}

static void system_print(FILE* file, const graph_report* report, uint32_t rank) {
    bool world = weft_schedule_system_scope(report->schedule, rank) == WEFT_SCOPE_WORLD;
    bool dead = is_dead(report, rank);
    (void)fprintf(file, "    s%u [label=<<b>", rank);
    html_print(file, graph_name(report, rank));
    (void)fputs("</b>", file);
    if (dead)
        (void)fputs(" (dead)", file);
    if (report->count <= DETAILS_MAX) {
        char* access = graph_accesses(report, rank, "\n");
        if (access[0] != '\0') {
            (void)fputs("<br/><font point-size=\"9\">", file);
            html_print(file, access);
            (void)fputs("</font>", file);
        }
        free(access);
    }
    (void)fputs(">", file);
    if (world)
        (void)fputs(", style=\"filled,rounded\", fillcolor=\"#fdf3dc\"", file);
    if (dead)
        (void)fputs(", fillcolor=\"#eeeeee\", fontcolor=\"#777777\"", file);
    if (on_path(report, rank))
        (void)fputs(", penwidth=2.5", file);
    (void)fputs("];\n", file);
}

static void edge_print(FILE* file, const graph_report* report, const weft_inspect_edge* at) {
    (void)fprintf(file, "  s%u -> s%u [", at->edge.from, at->edge.to);
    if (at->edge.type != NULL && !is_dense(report)) {
        (void)fputs("label=<<table border=\"0\" cellpadding=\"3\"><tr><td>", file);
        html_print(file, at->edge.type->name);
        (void)fputs("</td></tr></table>>, ", file);
    }
    (void)fputs("edgetooltip=", file);
    quoted_print(file, at->edge.reason);
    if (at->order == WEFT_ORDER_REGISTRATION)
        (void)fputs(", style=dashed", file);
    if (is_step(report, &at->edge))
        (void)fputs(", penwidth=2.5", file);
    if (at->implied)
        (void)fputs(", constraint=false, color=\"#b0b8c0\"", file);
    (void)fputs("];\n", file);
}

static void head_print(FILE* file, const graph_report* report) {
    (void)fputs("digraph ", file);
    quoted_print(file, report->module->name);
    (void)fputs(" {\n  graph [fontname=\"Helvetica\", fontsize=12, labelloc=t, labeljust=l, "
                "nodesep=0.3, ranksep=0.4, ",
                file);
    (void)fputs(is_dense(report) ? "splines=line, label=<<b>" : "newrank=true, label=<<b>", file);
    html_print(file, report->module->name);
    (void)fputs("</b>: ", file);
    graph_count_print(file, report->count, "system");
    (void)fputs(", ", file);
    graph_count_print(file, weft_schedule_stage_count(report->schedule), "stage");
    (void)fprintf(file, ", longest chain %u (thick), width %s%u<br align=\"left\"/>",
                  report->path_count, report->width_exact ? "" : "at least ", report->width_count);
    (void)fputs("<font point-size=\"9\">dashed: ordered by registration alone; rounded: once a "
                "tick, not by chunks",
                file);
    if (report->all_edges && report->implied_count > 0)
        (void)fprintf(file, "; %s: implied by others",
                      report->edge_count <= EDGES_MAX ? "grey" : "left out, as there are too many");
    (void)fputs("</font><br align=\"left\"/>>];\n"
                "  node [fontname=\"Helvetica\", fontsize=12, shape=box, style=\"filled\", "
                "fillcolor=\"#e9f1fa\", color=\"#33475b\", margin=\"0.12,0.06\"];\n"
                "  edge [fontname=\"Helvetica\", fontsize=9, color=\"#33475b\", "
                "arrowsize=0.7];\n",
                file);
}

/// Marks systems that have a shown edge to (`out`) or from another one of their stage.
static void mark_inner(const graph_report* report, bool* out, bool* in) {
    for (uint32_t i = 0; i < report->edge_count; i++) {
        weft_inspect_edge at = weft_inspect_edge_at(report->inspect, i);
        if (weft_schedule_system_stage(report->schedule, at.edge.from) !=
            weft_schedule_system_stage(report->schedule, at.edge.to))
            continue;
        out[at.edge.from] = true;
        in[at.edge.to] = true;
    }
}

/// One point between each two stages, behind the last systems of one and before the first of the
/// next.
static void order_print(FILE* file, const graph_report* report) {
    uint32_t stage_count = weft_schedule_stage_count(report->schedule);
    bool* out = calloc((size_t)report->count + 1, sizeof(bool));
    bool* in = calloc((size_t)report->count + 1, sizeof(bool));
    WEFT_ASSERT(out != NULL && in != NULL);
    mark_inner(report, out, in);
    for (uint32_t stage = 1; stage < stage_count; stage++)
        (void)fprintf(file, "  b%u [style=invis, shape=point, width=0.01];\n", stage);
    for (uint32_t rank = 0; rank < report->count; rank++) {
        uint32_t stage = weft_schedule_system_stage(report->schedule, rank);
        if (!out[rank] && stage + 1 < stage_count)
            (void)fprintf(file, "  s%u -> b%u [style=invis, weight=0];\n", rank, stage + 1);
        if (!in[rank] && stage > 0)
            (void)fprintf(file, "  b%u -> s%u [style=invis, weight=0];\n", stage, rank);
    }
    free(out);
    free(in);
}

void graph_dot_print(FILE* file, const void* context) {
    const graph_report* report = context;
    uint32_t stage_count = weft_schedule_stage_count(report->schedule);
    head_print(file, report);
    for (uint32_t stage = 0; stage < stage_count; stage++) {
        (void)fprintf(file,
                      "  subgraph cluster_%u {\n    label=\"stage %u\"; labeljust=l; "
                      "fontsize=10; style=filled; color=\"#bbbbbb\"; fillcolor=\"#f8f8f8\";\n",
                      stage, stage);
        for (uint32_t rank = 0; rank < report->count; rank++)
            if (weft_schedule_system_stage(report->schedule, rank) == stage)
                system_print(file, report, rank);
        (void)fputs("  }\n", file);
    }
    if (!is_dense(report))
        order_print(file, report);
    for (uint32_t i = 0; i < report->edge_count; i++) {
        weft_inspect_edge at = weft_inspect_edge_at(report->inspect, i);
        if (is_drawn(report, &at))
            edge_print(file, report, &at);
    }
    (void)fputs("}\n", file);
}
