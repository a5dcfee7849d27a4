// `weft graph --json`: the whole schedule, for programs.

#include "graph_report.h"

void graph_json_write(FILE* file, json_t* value) {
    WEFT_ASSERT(value != NULL);
    (void)json_dumpf(value, file, JSON_INDENT(2));
    (void)fputc('\n', file);
    json_decref(value);
}

static json_t* names_json(const graph_report* report, const uint32_t* ranks, uint32_t count) {
    json_t* list = json_array();
    for (uint32_t i = 0; i < count; i++)
        (void)json_array_append_new(list, json_string(graph_name(report, ranks[i])));
    return list;
}

static json_t* systems_json(const graph_report* report) {
    json_t* list = json_array();
    for (uint32_t rank = 0; rank < report->count; rank++) {
        json_t* accesses = json_array();
        bool world = weft_schedule_system_scope(report->schedule, rank) == WEFT_SCOPE_WORLD;
        for (uint32_t i = 0; i < weft_schedule_access_count(report->schedule, rank); i++) {
            weft_access access = weft_schedule_access(report->schedule, rank, i);
            (void)json_array_append_new(
                accesses, json_pack("{s:s, s:s?}", "mode", weft_access_mode_name(access.mode),
                                    "type", access.type != NULL ? access.type->name : NULL));
        }
        (void)json_array_append_new(
            list,
            json_pack("{s:s, s:i, s:i, s:s, s:o}", "name", graph_name(report, rank), "rank",
                      (int)rank, "stage", (int)weft_schedule_system_stage(report->schedule, rank),
                      "scope", world ? "world" : "chunk", "access", accesses));
    }
    return list;
}

json_t* graph_edge_json(const graph_report* report, const weft_inspect_edge* at) {
    static const char* const orders[] = {
        [WEFT_ORDER_DECLARED] = "declared",
        [WEFT_ORDER_MESSAGES] = "messages",
        [WEFT_ORDER_REGISTRATION] = "registration",
    };
    return json_pack("{s:s, s:s, s:b, s:s, s:b, s:s?, s:s}", "from",
                     graph_name(report, at->edge.from), "to", graph_name(report, at->edge.to),
                     "barrier", at->edge.barrier, "order", orders[at->order], "implied",
                     at->implied, "type", at->edge.type != NULL ? at->edge.type->name : NULL,
                     "reason", at->edge.reason);
}

static json_t* edges_json(const graph_report* report) {
    json_t* list = json_array();
    for (uint32_t i = 0; i < report->edge_count; i++) {
        weft_inspect_edge at = weft_inspect_edge_at(report->inspect, i);
        if (!at.implied || report->all_edges)
            (void)json_array_append_new(list, graph_edge_json(report, &at));
    }
    return list;
}

static json_t* ambiguous_json(const graph_report* report) {
    json_t* list = json_array();
    for (uint32_t i = 0; i < report->edge_count; i++) {
        weft_inspect_edge at = weft_inspect_edge_at(report->inspect, i);
        if (at.order != WEFT_ORDER_REGISTRATION || (at.implied && !report->all_edges))
            continue;
        (void)json_array_append_new(
            list, json_pack("{s:s, s:s, s:b, s:o}", "first", graph_name(report, at.edge.from),
                            "then", graph_name(report, at.edge.to), "implied", at.implied, "common",
                            graph_bonds_json(report, at.edge.from, at.edge.to)));
    }
    return list;
}

static json_t* overlaps_json(const graph_report* report) {
    json_t* list = json_array();
    for (uint32_t i = 0; i < report->count; i++) {
        for (uint32_t j = i + 1; j < report->count; j++) {
            if (weft_inspect_is_before(report->inspect, i, j))
                continue;
            (void)json_array_append_new(
                list, json_pack("{s:s, s:s, s:o}", "first", graph_name(report, i), "second",
                                graph_name(report, j), "common", graph_bonds_json(report, i, j)));
        }
    }
    return list;
}

static void findings_add(const graph_report* report, json_t* to) {
    json_t* writers = json_array();
    json_t* early = json_array();
    json_t* dead = json_array();
    json_t* idle = json_array();
    for (uint32_t i = 0; i < weft_inspect_finding_count(report->inspect); i++) {
        weft_finding finding = weft_inspect_finding(report->inspect, i);
        const char* name = graph_name(report, finding.system);
        if (finding.kind == WEFT_FINDING_DOUBLE_WRITER) {
            if (!graph_finding_continues(report, i))
                (void)json_array_append_new(
                    writers,
                    json_pack("{s:s, s:[s]}", "type", finding.type->name, "writers", name));
            json_t* last = json_array_get(writers, json_array_size(writers) - 1);
            (void)json_array_append_new(json_object_get(last, "writers"),
                                        json_string(graph_name(report, finding.other)));
        } else if (finding.kind == WEFT_FINDING_READ_BEFORE_WRITE) {
            (void)json_array_append_new(
                early, json_pack("{s:s, s:s, s:s}", "type", finding.type->name, "reader", name,
                                 "first_writer", graph_name(report, finding.other)));
        } else {
            (void)json_array_append_new(
                graph_is_dead(finding.kind) ? dead : idle,
                json_pack("{s:s, s:s}", "system", name, "reason", graph_life_text(finding.kind)));
        }
    }
    (void)json_object_set_new(to, "double_writers", writers);
    (void)json_object_set_new(to, "reads_before_writes", early);
    (void)json_object_set_new(to, "dead", dead);
    (void)json_object_set_new(to, "idle", idle);
}

static json_t* denied_json(const graph_report* report) {
    json_t* list = json_array();
    for (int i = 0; i < GRAPH_DENY_COUNT; i++)
        if (report->denied[i] && graph_deny_count(report, (graph_deny)i) > 0)
            (void)json_array_append_new(list, json_string(graph_deny_name((graph_deny)i)));
    return list;
}

void graph_json_print(FILE* file, const void* context) {
    const graph_report* report = context;
    json_t* root = json_pack(
        "{s:s, s:I, s:o, s:o, s:i, s:o, s:o, s:I, s:o, s:I, s:o, s:o, s:b, s:I}", "module",
        report->module->name, "entities", (json_int_t)report->entity_count, "seed",
        weft_cli_json_hex(report->seed), "schedule",
        weft_cli_json_hex(weft_schedule_hash(report->schedule)), "stages",
        (int)weft_schedule_stage_count(report->schedule), "systems", systems_json(report), "edges",
        edges_json(report), "implied_edges", (json_int_t)report->implied_count, "ambiguous",
        ambiguous_json(report), "implied_ambiguous", (json_int_t)report->ambiguous_implied_count,
        "critical_path", names_json(report, report->path, report->path_count), "width",
        names_json(report, report->width, report->width_count), "width_exact", report->width_exact,
        "unordered_pairs", (json_int_t)report->free_count);
    WEFT_ASSERT(root != NULL);
    findings_add(report, root);
    if (report->overlaps)
        (void)json_object_set_new(root, "overlaps", overlaps_json(report));
    (void)json_object_set_new(root, "denied", denied_json(report));
    graph_json_write(file, root);
}
