#include "net.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A system declares at most 64 accesses; one of them is its own resource.
#define READS_MAX 60

static const weft_module net_module = {.abi = WEFT_MODULE_ABI, .name = "graph"};

static weft_status failed(weft_net* net, weft_status status, const char* line) {
    snprintf(net->rig.error, sizeof(net->rig.error), "graph: %s",
             line[0] ? line : weft_status_text(status));
    return status;
}

// Which node reads the other's resource.
static bool later_reads(const weft_peer_edges* edges, uint32_t node) {
    return edges->first[node + 1] - edges->first[node] <= READS_MAX;
}

static uint32_t list_access(const weft_net* net, uint32_t node, weft_access* out) {
    const weft_peer_edges* edges = net->edges;
    uint32_t count = 0;
    out[count++] = (weft_access){WEFT_ACCESS_RESOURCE_WRITE, &net->types[node]};
    if (later_reads(edges, node)) {
        for (uint32_t k = edges->first[node]; k < edges->first[node + 1]; ++k)
            out[count++] = (weft_access){WEFT_ACCESS_RESOURCE_READ, &net->types[edges->from[k]]};
    }
    for (uint32_t later = node + 1; later < edges->node_count; ++later) {
        if (later_reads(edges, later))
            continue;
        for (uint32_t k = edges->first[later]; k < edges->first[later + 1]; ++k) {
            if (edges->from[k] == node && count < 1 + READS_MAX)
                out[count++] = (weft_access){WEFT_ACCESS_RESOURCE_READ, &net->types[later]};
        }
    }
    return count;
}

static weft_status add_systems(weft_net* net, weft_system_fn* run, const char* contexts,
                               size_t context_size) {
    for (uint32_t node = 0; node < net->edges->node_count; ++node) {
        snprintf(net->names[node], sizeof(net->names[node]), "node_%u", node);
        net->types[node] = *WEFT_TYPE(TaskCell);
        net->types[node].name = net->names[node];
        WEFT_TRY(weft_world_register_resource(net->rig.world, &net->types[node], 1, NULL));
    }
    for (uint32_t node = 0; node < net->edges->node_count; ++node) {
        weft_access access[1 + READS_MAX];
        weft_system_desc desc = weft_system_desc_default();
        desc.name = net->names[node];
        desc.run = run;
        desc.context = contexts + node * context_size;
        desc.scope = WEFT_SCOPE_WORLD;
        desc.access = access;
        desc.access_count = list_access(net, node, access);
        WEFT_TRY(weft_schedule_add_system(net->rig.schedule, &desc));
    }
    return weft_schedule_build(net->rig.schedule);
}

// Every edge of the schedule is one of the graph, and every edge of the graph crosses from one
// stage to a later one.
static bool same_edges(const weft_net* net) {
    const weft_peer_edges* edges = net->edges;
    const weft_schedule* schedule = net->rig.schedule;
    for (uint32_t i = 0; i < weft_schedule_edge_count(schedule); ++i) {
        weft_edge edge = weft_schedule_edge(schedule, i);
        bool known = false;
        uint32_t from = edge.from, to = edge.to;
        for (uint32_t k = edges->first[to]; k < edges->first[to + 1]; ++k)
            known = known || edges->from[k] == from;
        if (!known)
            return false;
    }
    for (uint32_t node = 0; node < edges->node_count; ++node) {
        for (uint32_t k = edges->first[node]; k < edges->first[node + 1]; ++k) {
            if (weft_schedule_system_stage(schedule, edges->from[k]) >=
                weft_schedule_system_stage(schedule, node))
                return false;
        }
    }
    return true;
}

// Kahn's order with the smallest index first is that of the nodes, whose edges go upwards.
static bool same_ranks(const weft_net* net) {
    for (uint32_t node = 0; node < net->edges->node_count; ++node) {
        if (strcmp(weft_schedule_system_name(net->rig.schedule, node), net->names[node]) != 0)
            return false;
    }
    return true;
}

static weft_status open_all(weft_net* net, weft_system_fn* run, const void* contexts,
                            size_t context_size) {
    weft_world_desc desc = weft_world_desc_default();
    weft_memory memory = weft_memory_system();
    WEFT_TRY(weft_world_create(&desc, &memory, &net->rig.world));
    WEFT_TRY(weft_schedule_create(net->rig.world, &net->rig.schedule));
    return add_systems(net, run, contexts, context_size);
}

weft_status weft_net_open(weft_net* net, const weft_peer_edges* edges, weft_system_fn* run,
                          const void* contexts, size_t context_size) {
    *net = (weft_net){.rig = {.module = &net_module}, .edges = edges};
    net->types = calloc((size_t)edges->node_count + 1, sizeof(*net->types));
    net->names = calloc((size_t)edges->node_count + 1, sizeof(*net->names));
    if (!net->types || !net->names)
        return failed(net, WEFT_STATUS_OUT_OF_MEMORY, "");
    weft_status status = open_all(net, run, contexts, context_size);
    if (status != WEFT_STATUS_OK && net->rig.schedule &&
        weft_schedule_error(net->rig.schedule)[0] != '\0')
        return failed(net, status, weft_schedule_error(net->rig.schedule));
    if (status != WEFT_STATUS_OK)
        return failed(net, status, net->rig.world ? weft_world_error(net->rig.world) : "");
    if (!same_ranks(net) || !same_edges(net))
        return failed(net, WEFT_STATUS_DIVERGED, "the schedule has other edges than the graph");
    return WEFT_STATUS_OK;
}

void weft_net_close(weft_net* net) {
    weft_rig_close(&net->rig);
    free(net->types);
    free(net->names);
    net->types = NULL;
    net->names = NULL;
}

void weft_net_prepare(void* side) {
    weft_net_side* work = side;
    weft_peer_pin(work->place, &work->own);
}

weft_status weft_net_run(void* side, uint64_t repeat) {
    const weft_net_side* work = side;
    weft_rig_side rig = {.rig = &work->net->rig, .executor = work->executor};
    return weft_rig_run(&rig, repeat);
}

void weft_net_finish(void* side) {
    const weft_net_side* work = side;
    weft_peer_unpin(&work->own);
    weft_peer_settle();
}
