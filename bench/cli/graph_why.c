// `weft graph --why`: what orders two systems, or why they may overlap.

#include "graph_report.h"

/// The edge between two systems of a path; there is one.
static weft_inspect_edge edge_between(const graph_report* report, uint32_t from, uint32_t to) {
    uint32_t low = 0;
    uint32_t high = report->edge_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        weft_edge edge = weft_inspect_edge_at(report->inspect, middle).edge;
        if (edge.from < from || (edge.from == from && edge.to <= to))
            low = middle;
        else
            high = middle;
    }
    weft_inspect_edge found = weft_inspect_edge_at(report->inspect, low);
    WEFT_ASSERT(found.edge.from == from && found.edge.to == to);
    return found;
}

static void path_print(FILE* file, const graph_report* report) {
    weft_cli_table table = weft_cli_table_create("llll");
    weft_cli_table_add(&table, "edge");
    weft_cli_table_add(&table, "waits for");
    weft_cli_table_add(&table, "order");
    weft_cli_table_add(&table, "because of");
    for (uint32_t i = 1; i < report->between_count; i++) {
        weft_inspect_edge at = edge_between(report, report->between[i - 1], report->between[i]);
        weft_cli_table_add(&table, "%s > %s", graph_name(report, at.edge.from),
                           graph_name(report, at.edge.to));
        weft_cli_table_add(&table, "%s", graph_wait_text(&at.edge));
        weft_cli_table_add(&table, "%s", graph_order_text(at.order));
        weft_cli_table_add(&table, "%s%s%s", at.edge.type != NULL ? at.edge.type->name : "",
                           at.edge.type != NULL ? ": " : "", at.edge.reason);
    }
    (void)fputc('\n', file);
    weft_cli_table_print(&table, file);
}

static void stages_print(FILE* file, const graph_report* report) {
    const char* first = graph_name(report, report->first);
    const char* second = graph_name(report, report->second);
    uint32_t a = weft_schedule_system_stage(report->schedule, report->first);
    uint32_t b = weft_schedule_system_stage(report->schedule, report->second);
    (void)fputc('\n', file);
    if (a != b)
        (void)fprintf(file,
                      "%s is in stage %u, %s in stage %u: all of %s is done before %s begins.\n",
                      first, a, second, b, a < b ? first : second, a < b ? second : first);
    else if (report->between_count > 0)
        (void)fprintf(file,
                      "Both are in stage %u, which goes chunk by chunk: on each chunk %s comes "
                      "first, and different\nchunks do not wait for each other.\n",
                      a, graph_name(report, report->between[0]));
    else
        (void)fprintf(file, "Both are in stage %u and may run at once.\n", a);
}

static void bonds_print(FILE* file, const graph_report* report) {
    weft_bond bonds[WEFT_BONDS_MAX];
    uint32_t count = weft_inspect_bonds(report->inspect, report->first, report->second, bonds);
    if (count == 0) {
        (void)fputs("They have no data in common.\n", file);
        return;
    }
    weft_cli_table table = weft_cli_table_create("llll");
    weft_cli_table_add(&table, "in common");
    weft_cli_table_add(&table, "%s", graph_name(report, report->first));
    weft_cli_table_add(&table, "%s", graph_name(report, report->second));
    weft_cli_table_add(&table, "conflict");
    for (uint32_t i = 0; i < count; i++) {
        weft_cli_table_add(&table, "%s", bonds[i].type != NULL ? bonds[i].type->name : "commands");
        weft_cli_table_add(&table, "%s", weft_access_mode_name(bonds[i].first));
        weft_cli_table_add(&table, "%s", weft_access_mode_name(bonds[i].second));
        weft_cli_table_add(&table, "%s%s%s%s", bonds[i].conflict ? "" : "none: ", bonds[i].reason,
                           bonds[i].apart != NULL ? ", as one needs and the other excludes " : "",
                           bonds[i].apart != NULL ? bonds[i].apart->name : "");
    }
    (void)fputc('\n', file);
    weft_cli_table_print(&table, file);
}

void graph_why_print(FILE* file, const void* context) {
    const graph_report* report = context;
    const char* first = graph_name(report, report->first);
    const char* second = graph_name(report, report->second);
    if (report->between_count > 0) {
        uint32_t last = report->between[report->between_count - 1];
        (void)fprintf(file, "%s runs before %s.\n", graph_name(report, report->between[0]),
                      graph_name(report, last));
        path_print(file, report);
    } else {
        (void)fprintf(file, "Nothing orders %s and %s.\n", first, second);
    }
    bonds_print(file, report);
    stages_print(file, report);
}

static json_t* bond_json(const weft_bond* bond) {
    return json_pack("{s:s?, s:s, s:s, s:b, s:b, s:s?, s:s}", "type",
                     bond->type != NULL ? bond->type->name : NULL, "first",
                     weft_access_mode_name(bond->first), "second",
                     weft_access_mode_name(bond->second), "conflict", bond->conflict, "barrier",
                     bond->barrier, "apart", bond->apart != NULL ? bond->apart->name : NULL,
                     "reason", bond->reason);
}

json_t* graph_bonds_json(const graph_report* report, uint32_t first, uint32_t second) {
    weft_bond bonds[WEFT_BONDS_MAX];
    json_t* list = json_array();
    uint32_t count = weft_inspect_bonds(report->inspect, first, second, bonds);
    for (uint32_t i = 0; i < count; i++)
        (void)json_array_append_new(list, bond_json(&bonds[i]));
    return list;
}

void graph_why_json_print(FILE* file, const void* context) {
    const graph_report* report = context;
    json_t* path = json_array();
    const char* relation = report->between_count == 0            ? "none"
                           : report->between[0] == report->first ? "before"
                                                                 : "after";
    for (uint32_t i = 1; i < report->between_count; i++) {
        weft_inspect_edge at = edge_between(report, report->between[i - 1], report->between[i]);
        (void)json_array_append_new(path, graph_edge_json(report, &at));
    }
    graph_json_write(
        file,
        json_pack("{s:s, s:s, s:s, s:i, s:i, s:o, s:o}", "first", graph_name(report, report->first),
                  "second", graph_name(report, report->second), "relation", relation, "first_stage",
                  (int)weft_schedule_system_stage(report->schedule, report->first), "second_stage",
                  (int)weft_schedule_system_stage(report->schedule, report->second), "path", path,
                  "common", graph_bonds_json(report, report->first, report->second)));
}
