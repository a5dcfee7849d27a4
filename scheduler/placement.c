// All that is computed from a topology's list of CPUs alone, whichever body has read it: the
// placement of workers, and the parts of weft/topology.h that both bodies share.
#include "placement.h"

#include <inttypes.h>
#include <stdio.h>

#include "os.h"

static bool same(uint32_t a, uint32_t b) {
    return a == b && a != WEFT_TOPOLOGY_UNKNOWN;
}

static weft_topology_step cpu_distance(const weft_topology_cpu* a, const weft_topology_cpu* b) {
    if (a->os_index == b->os_index)
        return WEFT_TOPOLOGY_SAME_CPU;
    if (same(a->core, b->core))
        return WEFT_TOPOLOGY_SAME_CORE;
    if (same(a->l2, b->l2))
        return WEFT_TOPOLOGY_SAME_L2;
    if (same(a->l3, b->l3))
        return WEFT_TOPOLOGY_SAME_L3;
    if (same(a->node, b->node))
        return WEFT_TOPOLOGY_SAME_NODE;
    if (same(a->package, b->package))
        return WEFT_TOPOLOGY_SAME_PACKAGE;
    return WEFT_TOPOLOGY_OTHER;
}

uint32_t weft_topology_distance(const weft_topology* topology, uint32_t os_index_a,
                                uint32_t os_index_b) {
    WEFT_ASSERT(topology != NULL);
    uint32_t count = 0;
    const weft_topology_cpu* cpus = weft_topology_cpus(topology, &count);
    const weft_topology_cpu* a = NULL;
    const weft_topology_cpu* b = NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (cpus[i].os_index == os_index_a)
            a = &cpus[i];
        if (cpus[i].os_index == os_index_b)
            b = &cpus[i];
    }
    return a != NULL && b != NULL ? cpu_distance(a, b) : WEFT_TOPOLOGY_OTHER;
}

// The workers that the quota pays for, UINT32_MAX if there is none.
static uint32_t quota_workers(const weft_topology_info* info) {
    uint32_t milli_cpus = info->quota_milli_cpus;
    return milli_cpus == 0 ? UINT32_MAX : milli_cpus / 1000 + (milli_cpus % 1000 != 0);
}

uint32_t weft_topology_suggested_workers(const weft_topology* topology) {
    WEFT_ASSERT(topology != NULL);
    weft_topology_info info = weft_topology_info_get(topology);
    uint32_t quota = quota_workers(&info);
    uint32_t workers = info.worker_cpu_count < quota ? info.worker_cpu_count : quota;
    WEFT_ASSERT(workers > 0);
    return workers;
}

size_t weft_topology_summary(const weft_topology* topology, char* buffer, size_t size) {
    WEFT_ASSERT(topology != NULL);
    WEFT_ASSERT(buffer != NULL || size == 0);
    weft_topology_info info = weft_topology_info_get(topology);
    char quota[32] = "no";
    if (info.quota_milli_cpus > 0)
        (void)snprintf(quota, sizeof quota, "%" PRIu32 ".%03" PRIu32, info.quota_milli_cpus / 1000,
                       info.quota_milli_cpus % 1000);
    int length =
        snprintf(buffer, size,
                 "%s: CPUs %" PRIu32 ", cores %" PRIu32 " (kinds %" PRIu32 "), nodes %" PRIu32
                 ", packages %" PRIu32 ", CPU quota %s (%s), suggested workers %" PRIu32,
                 info.is_this_machine ? "this machine" : "another machine", info.worker_cpu_count,
                 info.core_count, info.kind_count, info.node_count, info.package_count, quota,
                 info.quota_source, weft_topology_suggested_workers(topology));
    WEFT_ASSERT(length > 0);
    return (size_t)length;
}

// One CPU while the placement is computed.
typedef struct candidate {
    const weft_topology_cpu* cpu;
    // Workers already placed on the same package, node and L3.
    uint32_t package_load;
    uint32_t node_load;
    uint32_t l3_load;
    bool taken;
} candidate;

static int order(uint32_t a, uint32_t b) {
    return (a > b) - (a < b);
}

// The order in which cores are worth having: SMT level first, then speed. Equal ones keep their
// place in the list of CPUs.
static int order_by_worth(const weft_topology_cpu* a, const weft_topology_cpu* b) {
    int by_sibling = order(a->sibling, b->sibling);
    return by_sibling != 0 ? by_sibling : order(b->kind, a->kind);
}

static int order_by_load(const candidate* a, const candidate* b) {
    int by_package = order(a->package_load, b->package_load);
    if (by_package != 0)
        return by_package;
    int by_node = order(a->node_load, b->node_load);
    return by_node != 0 ? by_node : order(a->l3_load, b->l3_load);
}

static void take_one(candidate* candidates, uint32_t count, weft__placement_policy policy) {
    candidate* best = NULL;
    for (uint32_t i = 0; i < count; i++) {
        candidate* other = &candidates[i];
        if (other->taken)
            continue;
        int by = best != NULL ? order_by_worth(other->cpu, best->cpu) : -1;
        if (by == 0 && policy == WEFT__PLACEMENT_SPREAD)
            by = order_by_load(other, best);
        if (by < 0)
            best = other;
    }
    WEFT_ASSERT(best != NULL);
    best->taken = true;
    for (uint32_t i = 0; i < count; i++) {
        candidate* other = &candidates[i];
        other->package_load += same(other->cpu->package, best->cpu->package);
        other->node_load += same(other->cpu->node, best->cpu->node);
        other->l3_load += same(other->cpu->l3, best->cpu->l3);
    }
}

// Chooses a CPU for every worker: `chosen` gets worker_count entries. `candidates` are all CPUs in
// list order.
static void choose_cpus(candidate* candidates, uint32_t count, uint32_t worker_count,
                        weft__placement_policy policy, const weft_topology_cpu** chosen) {
    WEFT_ASSERT(count > 0);
    uint32_t wanted = worker_count < count ? worker_count : count;
    for (uint32_t i = 0; i < wanted; i++)
        take_one(candidates, count, policy);
    // Insertion keeps list order among CPUs of equal worth.
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!candidates[i].taken)
            continue;
        uint32_t at = found++;
        for (; at > 0 && order_by_worth(candidates[i].cpu, chosen[at - 1]) < 0; at--)
            chosen[at] = chosen[at - 1];
        chosen[at] = candidates[i].cpu;
    }
    WEFT_ASSERT(found == wanted);
    for (uint32_t worker = found; worker < worker_count; worker++)
        chosen[worker] = chosen[worker % found];
}

// Without `chosen` all are equally near.
static void order_helpers(const weft_topology_cpu* const* chosen, uint32_t worker_count,
                          uint32_t* help_order) {
    if (worker_count == 1)
        return; // The array may be null.
    for (uint32_t worker = 0; worker < worker_count; worker++) {
        uint32_t* row = help_order + (size_t)worker * (worker_count - 1);
        uint32_t length = 0;
        for (uint32_t step = WEFT_TOPOLOGY_SAME_CPU; step <= WEFT_TOPOLOGY_OTHER; step++) {
            for (uint32_t i = 1; i < worker_count; i++) {
                uint32_t other = (worker + i) % worker_count;
                uint32_t distance = WEFT_TOPOLOGY_OTHER;
                if (chosen != NULL)
                    distance = cpu_distance(chosen[worker], chosen[other]);
                if (distance == step)
                    row[length++] = other;
            }
        }
        WEFT_ASSERT(length == worker_count - 1);
    }
}

static weft_status place_on_cpus(const weft_topology* topology, uint32_t worker_count,
                                 weft__placement_policy policy, weft__placement* placement) {
    uint32_t count = 0;
    const weft_topology_cpu* cpus = weft_topology_cpus(topology, &count);
    size_t chosen_size = worker_count * sizeof(const weft_topology_cpu*);
    size_t size = chosen_size + count * sizeof(candidate);
    void* region = NULL;
    WEFT_TRY(weft__os_region_reserve(size, &region));
    const weft_topology_cpu** chosen = region;
    candidate* candidates = (candidate*)(void*)((char*)region + chosen_size);
    for (uint32_t i = 0; i < count; i++)
        candidates[i].cpu = &cpus[i];
    choose_cpus(candidates, count, worker_count, policy, chosen);
    for (uint32_t worker = 0; worker < worker_count; worker++)
        placement->cpus[worker] = chosen[worker]->os_index;
    order_helpers(chosen, worker_count, placement->help_order);
    weft__os_region_release(region, size);
    return WEFT_STATUS_OK;
}

weft_status weft__placement_compute(const weft_topology* topology, uint32_t worker_count,
                                    weft__placement_policy policy, weft__placement* placement) {
    WEFT_ASSERT(worker_count > 0);
    WEFT_ASSERT(placement != NULL && placement->cpus != NULL);
    WEFT_ASSERT(placement->help_order != NULL || worker_count == 1);
    placement->oversubscribed = false;
    placement->over_quota = false;
    if (topology != NULL) {
        weft_topology_info info = weft_topology_info_get(topology);
        placement->oversubscribed = worker_count > info.worker_cpu_count;
        placement->over_quota = worker_count > quota_workers(&info);
    }
    if (topology != NULL && policy != WEFT__PLACEMENT_NONE)
        return place_on_cpus(topology, worker_count, policy, placement);
    for (uint32_t worker = 0; worker < worker_count; worker++)
        placement->cpus[worker] = WEFT__PLACEMENT_UNPINNED;
    order_helpers(NULL, worker_count, placement->help_order);
    return WEFT_STATUS_OK;
}
