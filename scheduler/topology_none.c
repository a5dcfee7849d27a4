// The topology of builds without hwloc: usable CPUs are known, their neighbourhood is not, so each
// is a core of its own on one node.
#include <weft/topology.h>

#include <string.h>

#include "os.h"
#include "placement.h"

// One region of the operating system's memory: this, the CPUs, and room for their indices.
struct weft_topology {
    weft_topology_info info;
    weft_topology_kind kind;
    size_t region_size;
    char quota_source[WEFT__OS_SOURCE_SIZE];
    weft_topology_cpu cpus[];
};

weft_topology_desc weft_topology_desc_default(void) {
    return (weft_topology_desc){0};
}

// Fills in up to `capacity` CPUs: the mask may have changed since they were counted.
static uint32_t topology_read_cpus(weft_topology* topology, uint32_t capacity) {
    uint32_t* indices = (uint32_t*)(topology->cpus + capacity);
    uint32_t count = weft__os_affinity_list(indices, capacity);
    count = count < capacity ? count : capacity;
    // Not told: there is at least one, and pinning to it will tell whether it is this one.
    topology->info.mask_unknown = count == 0;
    count = count > 0 ? count : 1;
    for (uint32_t i = 0; i < count; i++) {
        topology->cpus[i] = (weft_topology_cpu){.os_index = indices[i],
                                                .core = i,
                                                .l2 = WEFT_TOPOLOGY_UNKNOWN,
                                                .l3 = WEFT_TOPOLOGY_UNKNOWN};
    }
    return count;
}

weft_status weft_topology_create(const weft_topology_desc* desc, weft_topology** out) {
    WEFT_ASSERT(out != NULL);
    *out = NULL;
    weft_topology_desc used = desc != NULL ? *desc : weft_topology_desc_default();
    if (used.source != NULL)
        return WEFT_STATUS_UNSUPPORTED;
    uint32_t capacity = weft__os_affinity_count();
    size_t size = sizeof(weft_topology) + capacity * (sizeof(weft_topology_cpu) + sizeof(uint32_t));
    void* region = NULL;
    WEFT_TRY(weft__os_region_reserve(size, &region));
    weft_topology* topology = region;
    topology->region_size = size;
    weft_topology_info* info = &topology->info;
    uint32_t count = topology_read_cpus(topology, capacity);
    *info = (weft_topology_info){.worker_cpu_count = count,
                                 .core_count = count,
                                 .node_count = 1,
                                 .package_count = 1,
                                 .kind_count = 1,
                                 .quota_source = topology->quota_source,
                                 .is_this_machine = true,
                                 .mask_unknown = info->mask_unknown};
    topology->kind = (weft_topology_kind){.core_count = count, .cpu_count = count};
    info->quota_milli_cpus = used.quota_milli_cpus;
    if (used.quota_milli_cpus != 0)
        strcpy(topology->quota_source, WEFT__PLACEMENT_QUOTA_GIVEN);
    else
        weft__os_cpu_quota(used.cgroup_root, &info->quota_milli_cpus, topology->quota_source,
                           sizeof topology->quota_source);
    *out = topology;
    return WEFT_STATUS_OK;
}

void weft_topology_destroy(weft_topology* topology) {
    if (topology != NULL)
        weft__os_region_release(topology, topology->region_size);
}

weft_topology_info weft_topology_info_get(const weft_topology* topology) {
    WEFT_ASSERT(topology != NULL);
    return topology->info;
}

const weft_topology_cpu* weft_topology_cpus(const weft_topology* topology, uint32_t* count) {
    WEFT_ASSERT(topology != NULL);
    WEFT_ASSERT(count != NULL);
    *count = topology->info.worker_cpu_count;
    return topology->cpus;
}

const weft_topology_node* weft_topology_nodes(const weft_topology* topology, uint32_t* count) {
    WEFT_ASSERT(topology != NULL && count != NULL);
    *count = 0;
    return NULL;
}

const weft_topology_cache* weft_topology_caches(const weft_topology* topology, uint32_t* count) {
    WEFT_ASSERT(topology != NULL && count != NULL);
    *count = 0;
    return NULL;
}

const weft_topology_kind* weft_topology_kinds(const weft_topology* topology, uint32_t* count) {
    WEFT_ASSERT(topology != NULL && count != NULL);
    *count = 1;
    return &topology->kind;
}

const weft_topology_closed_cpu* weft_topology_closed_cpus(const weft_topology* topology,
                                                          uint32_t* count) {
    WEFT_ASSERT(topology != NULL && count != NULL);
    *count = 0;
    return NULL;
}

weft_status weft_topology_interleave(const weft_topology* topology, void* base, size_t size) {
    WEFT_ASSERT(topology != NULL);
    WEFT_ASSERT(base != NULL && size > 0);
    return WEFT_STATUS_UNSUPPORTED;
}

weft_status weft_topology_pin_self(const weft_topology* topology, uint32_t os_index) {
    WEFT_ASSERT(topology != NULL);
    bool usable = false;
    for (uint32_t i = 0; i < topology->info.worker_cpu_count; i++)
        usable = usable || topology->cpus[i].os_index == os_index;
    if (!usable)
        return WEFT_STATUS_BAD_ARGUMENT;
    weft_status status = weft__os_affinity_set(os_index);
    uint32_t read_back = WEFT_TOPOLOGY_UNKNOWN;
    if (status == WEFT_STATUS_OK &&
        (weft__os_affinity_list(&read_back, 1) != 1 || read_back != os_index))
        status = WEFT_STATUS_OS;
    return status;
}
