// `weft topo --json`: a machine and its workers, for programs.

#include <stdlib.h>

#include "topo_report.h"

/// Null where hwloc does not tell, or gave none and the topology one of its own.
static json_t* identity_json(uint32_t identity) {
    return identity >= UINT32_MAX / 2 ? json_null() : json_integer(identity);
}

static json_t* cpus_json(const topo_report* report) {
    json_t* list = json_array();
    for (uint32_t i = 0; i < report->info.worker_cpu_count; i++) {
        const weft_topology_cpu* cpu = &report->cpus[i];
        (void)json_array_append_new(
            list, json_pack("{s:I, s:o, s:i, s:o, s:o, s:o, s:o, s:i}", "cpu",
                            (json_int_t)cpu->os_index, "core", identity_json(cpu->core), "sibling",
                            (int)cpu->sibling, "l2", identity_json(cpu->l2), "l3",
                            identity_json(cpu->l3), "node", identity_json(cpu->node), "package",
                            identity_json(cpu->package), "kind", (int)cpu->kind));
    }
    return list;
}

static json_t* closed_json(const topo_report* report) {
    const weft_topology_closed_cpu* closed = report->closed;
    json_t* list = json_array();
    for (uint32_t i = 0; i < report->closed_count; i++)
        (void)json_array_append_new(list,
                                    json_pack("{s:I, s:b}", "cpu", (json_int_t)closed[i].os_index,
                                              "masked", (int)closed[i].masked));
    return list;
}

static json_t* nodes_json(const topo_report* report) {
    const weft_topology_node* nodes = report->nodes;
    json_t* list = json_array();
    for (uint32_t i = 0; i < report->node_count; i++)
        (void)json_array_append_new(
            list, json_pack("{s:I, s:I, s:I}", "node", (json_int_t)nodes[i].os_index, "cpus",
                            (json_int_t)nodes[i].cpu_count, "bytes", (json_int_t)nodes[i].bytes));
    return list;
}

static json_t* caches_json(const topo_report* report) {
    const weft_topology_cache* caches = report->caches;
    json_t* list = json_array();
    for (uint32_t i = 0; i < report->cache_count; i++)
        (void)json_array_append_new(
            list, json_pack("{s:i, s:i, s:i, s:I}", "level", (int)caches[i].level, "cache",
                            (int)caches[i].identity, "cpus", (int)caches[i].cpu_count, "bytes",
                            (json_int_t)caches[i].bytes));
    return list;
}

static json_t* kinds_json(const topo_report* report) {
    const weft_topology_kind* kinds = report->kinds;
    json_t* list = json_array();
    for (uint32_t i = 0; i < report->info.kind_count; i++)
        (void)json_array_append_new(list, json_pack("{s:i, s:s?, s:i, s:i, s:i}", "kind", (int)i,
                                                    "name", kinds[i].name, "mhz", (int)kinds[i].mhz,
                                                    "cores", (int)kinds[i].core_count, "cpus",
                                                    (int)kinds[i].cpu_count));
    return list;
}

static json_t* workers_json(const topo_report* report) {
    json_t* list = json_array();
    for (uint32_t worker = 0; worker < report->worker_count; worker++) {
        const weft_seat* seat = &report->seats[worker];
        uint32_t first = 0;
        uint32_t end = 0;
        char* why = topo_why(report, worker);
        topo_shards(report, worker, &first, &end);
        (void)json_array_append_new(
            list, json_pack("{s:i, s:I, s:s, s:o, s:b, s:s, s:I, s:I, s:s}", "worker", (int)worker,
                            "cpu", (json_int_t)seat->cpu, "reason", topo_reason_name(seat->reason),
                            "beside", identity_json(seat->beside), "rests", (int)seat->rests, "pin",
                            topo_pin_text(report->pins[worker]), "first_shard", (json_int_t)first,
                            "shards", (json_int_t)(end - first), "why", why));
        free(why);
    }
    return list;
}

json_t* topo_json(const topo_report* report) {
    const weft_topology_info* info = &report->info;
    json_t* machine = json_pack(
        "{s:s?, s:s?, s:b, s:b, s:i, s:i, s:i, s:i}", "source", report->source, "model",
        info->model, "here", (int)info->is_this_machine, "mask_known", (int)!info->mask_unknown,
        "packages", (int)info->package_count, "nodes", (int)info->node_count, "cores",
        (int)info->core_count, "cpus", (int)info->worker_cpu_count);
    json_t* quota = json_pack("{s:i, s:s}", "milli_cpus", (int)info->quota_milli_cpus, "source",
                              info->quota_source);
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:o, s:s, s:i, s:i, s:I, s:I, s:o}",
                     "weft", weft_version(), "machine", machine, "cpus", cpus_json(report),
                     "closed", closed_json(report), "kinds", kinds_json(report), "caches",
                     caches_json(report), "memory", nodes_json(report), "interleaving",
                     topo_binding_text(report), "quota", quota, "placement",
                     weft_cli_placement_name(report->placement.policy), "suggested",
                     (int)report->suggested_count, "taking_part", (int)report->active_count,
                     "entities", (json_int_t)report->entity_count, "shards",
                     (json_int_t)report->shard_count, "workers", workers_json(report));
}

json_t* topo_json_of(const weft_topology* topology, const char* source,
                     const weft_placement* placement, uint32_t worker_count,
                     uint64_t entity_count) {
    topo_report report = {.source = source,
                          .topology = topology,
                          .placement = *placement,
                          .worker_count = worker_count,
                          .entity_count = entity_count};
    json_t* json = topo_report_init(&report) == WEFT_STATUS_OK ? topo_json(&report) : NULL;
    topo_report_deinit(&report);
    return json;
}

void topo_json_print(FILE* file, const void* context) {
    json_t* root = topo_json(context);
    WEFT_ASSERT(root != NULL);
    (void)json_dumpf(root, file, JSON_INDENT(2));
    (void)fputc('\n', file);
    json_decref(root);
}
