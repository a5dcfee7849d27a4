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

static int order_by_policy(const candidate* a, const candidate* b, weft_placement_policy policy) {
    if (policy == WEFT_PLACEMENT_SPREAD)
        return order_by_load(a, b);
    return policy == WEFT_PLACEMENT_PER_NODE ? order(a->node_load, b->node_load) : 0;
}

static void take_one(candidate* candidates, uint32_t count, weft_placement_policy policy) {
    candidate* best = NULL;
    for (uint32_t i = 0; i < count; i++) {
        candidate* other = &candidates[i];
        if (other->taken)
            continue;
        int by = best != NULL ? order_by_worth(other->cpu, best->cpu) : -1;
        if (by == 0)
            by = order_by_policy(other, best, policy);
        if (by < 0)
            best = other;
    }
    WEFT_ASSERT(best != NULL);
    best->taken = true;
    for (uint32_t i = 0; i < count; i++) {
        candidate* other = &candidates[i];
        other->package_load += same(other->cpu->package, best->cpu->package);
        // CPUs of no known node are a node's worth, or they would always have the fewest workers.
        other->node_load += other->cpu->node == best->cpu->node;
        other->l3_load += same(other->cpu->l3, best->cpu->l3);
    }
}

// Chooses a CPU for every worker: `chosen` gets worker_count entries. `candidates` are all CPUs in
// list order.
static void choose_cpus(candidate* candidates, uint32_t count, uint32_t worker_count,
                        weft_placement_policy policy, const weft_topology_cpu** chosen) {
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

static const weft_topology_cpu* find_cpu(const weft_topology_cpu* cpus, uint32_t count,
                                         uint32_t os_index) {
    for (uint32_t i = 0; i < count; i++) {
        if (cpus[i].os_index == os_index)
            return &cpus[i];
    }
    return NULL;
}

// A list is taken as it is, or refused for one of its CPUs.
static weft_status choose_listed(const weft_topology* topology, const weft_placement* placement,
                                 uint32_t worker_count, const weft_topology_cpu** chosen,
                                 uint32_t* refused) {
    uint32_t count = 0;
    const weft_topology_cpu* cpus = weft_topology_cpus(topology, &count);
    *refused = WEFT_TOPOLOGY_UNKNOWN;
    if (placement->cpu_count == 0 || placement->cpus == NULL)
        return WEFT_STATUS_BAD_ARGUMENT;
    for (uint32_t i = 0; i < placement->cpu_count; i++) {
        bool bad = find_cpu(cpus, count, placement->cpus[i]) == NULL;
        for (uint32_t j = 0; j < i && !bad; j++)
            bad = placement->cpus[j] == placement->cpus[i];
        if (bad) {
            *refused = placement->cpus[i];
            return WEFT_STATUS_BAD_ARGUMENT;
        }
    }
    for (uint32_t worker = 0; worker < worker_count; worker++)
        chosen[worker] = find_cpu(cpus, count, placement->cpus[worker % placement->cpu_count]);
    return WEFT_STATUS_OK;
}

static weft_status choose(const weft_topology* topology, const weft_placement* placement,
                          uint32_t worker_count, const weft_topology_cpu** chosen,
                          uint32_t* refused) {
    if (placement->policy == WEFT_PLACEMENT_LIST)
        return choose_listed(topology, placement, worker_count, chosen, refused);
    *refused = WEFT_TOPOLOGY_UNKNOWN;
    if (placement->policy > WEFT_PLACEMENT_LIST || placement->cpu_count != 0)
        return WEFT_STATUS_BAD_ARGUMENT;
    uint32_t count = 0;
    const weft_topology_cpu* cpus = weft_topology_cpus(topology, &count);
    void* region = NULL;
    WEFT_TRY(weft__os_region_reserve(count * sizeof(candidate), &region));
    candidate* candidates = region;
    for (uint32_t i = 0; i < count; i++)
        candidates[i].cpu = &cpus[i];
    choose_cpus(candidates, count, worker_count, placement->policy, chosen);
    weft__os_region_release(region, count * sizeof(candidate));
    return WEFT_STATUS_OK;
}

uint32_t weft__placement_suggest(const weft_topology* topology, const weft_placement* placement) {
    uint32_t workers = weft_topology_suggested_workers(topology);
    bool listed = placement != NULL && placement->policy == WEFT_PLACEMENT_LIST;
    if (listed && placement->cpu_count > 0 && placement->cpu_count < workers)
        workers = placement->cpu_count;
    WEFT_ASSERT(workers > 0);
    return workers;
}

weft_status weft__placement_compute(const weft_topology* topology, uint32_t worker_count,
                                    const weft_placement* placement, weft__placement* out) {
    WEFT_ASSERT(topology != NULL && worker_count > 0);
    WEFT_ASSERT(out != NULL && out->cpus != NULL);
    WEFT_ASSERT(out->help_order != NULL || worker_count == 1);
    out->room = weft__placement_suggest(topology, placement);
    if (placement == NULL) {
        for (uint32_t worker = 0; worker < worker_count; worker++)
            out->cpus[worker] = WEFT__PLACEMENT_UNPINNED;
        order_helpers(NULL, worker_count, out->help_order);
        return WEFT_STATUS_OK;
    }
    size_t size = worker_count * sizeof(const weft_topology_cpu*);
    void* region = NULL;
    WEFT_TRY(weft__os_region_reserve(size, &region));
    const weft_topology_cpu** chosen = region;
    weft_status status = choose(topology, placement, worker_count, chosen, &out->refused);
    if (status == WEFT_STATUS_OK) {
        for (uint32_t worker = 0; worker < worker_count; worker++)
            out->cpus[worker] = chosen[worker]->os_index;
        order_helpers(chosen, worker_count, out->help_order);
    }
    weft__os_region_release(region, size);
    return status;
}

// Seats ------------------------------------------------------------------------------------------

static uint32_t fastest_kind(const weft_topology* topology) {
    uint32_t count = 0;
    const weft_topology_cpu* cpus = weft_topology_cpus(topology, &count);
    uint32_t fastest = 0;
    for (uint32_t i = 0; i < count; i++)
        fastest = cpus[i].kind > fastest ? cpus[i].kind : fastest;
    return fastest;
}

static weft_seat_reason seat_reason(const weft_topology_cpu* cpu, uint32_t fastest,
                                    weft_placement_policy policy, bool taken) {
    if (taken)
        return WEFT_SEAT_SHARED;
    if (policy == WEFT_PLACEMENT_LIST)
        return WEFT_SEAT_LISTED;
    if (cpu->sibling > 0)
        return WEFT_SEAT_SIBLING;
    return cpu->kind < fastest ? WEFT_SEAT_SLOW_CORE : WEFT_SEAT_CORE;
}

weft_status weft_topology_place(const weft_topology* topology, const weft_placement* placement,
                                uint32_t worker_count, weft_seat* seats) {
    WEFT_ASSERT(topology != NULL && placement != NULL);
    WEFT_ASSERT(seats != NULL && worker_count > 0);
    uint32_t room = weft__placement_suggest(topology, placement);
    uint32_t fastest = fastest_kind(topology);
    uint32_t refused = 0;
    size_t size = worker_count * sizeof(const weft_topology_cpu*);
    void* region = NULL;
    WEFT_TRY(weft__os_region_reserve(size, &region));
    const weft_topology_cpu** chosen = region;
    weft_status status = choose(topology, placement, worker_count, chosen, &refused);
    for (uint32_t worker = 0; worker < worker_count && status == WEFT_STATUS_OK; worker++) {
        const weft_topology_cpu* cpu = chosen[worker];
        uint32_t beside = WEFT_TOPOLOGY_UNKNOWN;
        bool taken = false;
        for (uint32_t other = 0; other < worker && !taken; other++) {
            taken = chosen[other] == cpu;
            if (taken || (beside == WEFT_TOPOLOGY_UNKNOWN && same(chosen[other]->core, cpu->core)))
                beside = other;
        }
        seats[worker] = (weft_seat){.cpu = cpu->os_index,
                                    .reason = seat_reason(cpu, fastest, placement->policy, taken),
                                    .beside = beside,
                                    .rests = worker >= room};
    }
    weft__os_region_release(region, size);
    return status;
}

void weft_topology_shards(uint32_t shard_count, uint32_t worker_count, uint32_t worker,
                          uint32_t* first, uint32_t* end) {
    WEFT_ASSERT(worker < worker_count);
    WEFT_ASSERT(first != NULL && end != NULL);
    *first = weft__placement_shard_end(shard_count, worker, worker_count);
    *end = weft__placement_shard_end(shard_count, (uint64_t)worker + 1, worker_count);
}
