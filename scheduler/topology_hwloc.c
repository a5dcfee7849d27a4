#include <weft/topology.h>

#include "os.h"
#include "placement.h"

#include <hwloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Lists, with room for what there can be at most.
typedef struct topology_lists {
    weft_topology_cpu* cpus;
    weft_topology_node* nodes;
    weft_topology_cache* caches;
    weft_topology_kind* kinds;
    weft_topology_closed_cpu* closed;
    uint32_t cpu_capacity; // PUs of hwloc.
    uint32_t node_count;
    uint32_t cache_count;
    uint32_t kind_count;
    uint32_t closed_count;
} topology_lists;

// One region of the operating system's memory: this and its lists.
struct weft_topology {
    hwloc_topology_t hwloc;
    weft_topology_info info;
    topology_lists lists;
    size_t region_size;
    char quota_source[WEFT__OS_SOURCE_SIZE];
};

static const hwloc_obj_type_t cache_types[] = {
    HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L5CACHE};

#define CACHE_TYPES (sizeof cache_types / sizeof *cache_types)

static const char synthetic_prefix[] = "synthetic:";

weft_topology_desc weft_topology_desc_default(void) {
    return (weft_topology_desc){0};
}

// Makes hwloc read the source. The topology is the caller's to destroy even when that fails.
static weft_status hwloc_open(const char* source, hwloc_topology_t* out) {
    hwloc_topology_t hwloc = NULL;
    if (hwloc_topology_init(&hwloc) != 0)
        return WEFT_STATUS_OUT_OF_MEMORY;
    *out = hwloc;
    // hwloc's own restriction to the binding is not used: it has to be told that the topology is
    // this machine's, which would make a topology from hwloc's environment variables pass for it.
    if (hwloc_topology_set_flags(hwloc, HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING) != 0)
        return WEFT_STATUS_OS;
    weft_status refused = WEFT_STATUS_OS;
    bool accepted = true;
    if (source != NULL && strncmp(source, synthetic_prefix, sizeof synthetic_prefix - 1) == 0) {
        refused = WEFT_STATUS_BAD_ARGUMENT;
        accepted = hwloc_topology_set_synthetic(hwloc, source + sizeof synthetic_prefix - 1) == 0;
    } else if (source != NULL) {
        if (access(source, R_OK) != 0)
            return WEFT_STATUS_FILE_ERROR;
        refused = WEFT_STATUS_BAD_FORMAT;
        accepted = hwloc_topology_set_xml(hwloc, source) == 0;
    }
    return accepted && hwloc_topology_load(hwloc) == 0 ? WEFT_STATUS_OK : refused;
}

// The value of a numeric fact about a kind of core, 0 if it is not told.
static uint64_t kind_fact(const struct hwloc_info_s* infos, unsigned count, const char* name) {
    for (unsigned i = 0; i < count; i++) {
        if (strcmp(infos[i].name, name) == 0)
            return strtoull(infos[i].value, NULL, 10);
    }
    return 0;
}

static bool kind_has(const struct hwloc_info_s* infos, unsigned count, const char* name) {
    for (unsigned i = 0; i < count; i++) {
        if (strcmp(infos[i].name, name) == 0)
            return true;
    }
    return false;
}

// Whether two kinds that hwloc ranks one after the other are cores of different make. Cores of one
// make differ by some percent in their highest frequency, and hwloc calls that kinds as well; to
// prefer the luckier ones would crowd workers for nothing.
static bool kind_differs(hwloc_topology_t hwloc, unsigned slower, unsigned faster) {
    static const char* const measures[] = {"LinuxCapacity", "FrequencyMaxMHz"};
    struct hwloc_info_s* slow_infos = NULL;
    struct hwloc_info_s* fast_infos = NULL;
    unsigned slow_count = 0;
    unsigned fast_count = 0;
    int slow_efficiency = -1;
    int fast_efficiency = -1;
    if (hwloc_cpukinds_get_info(hwloc, slower, NULL, &slow_efficiency, &slow_count, &slow_infos,
                                0) != 0 ||
        hwloc_cpukinds_get_info(hwloc, faster, NULL, &fast_efficiency, &fast_count, &fast_infos,
                                0) != 0)
        return false;
    if (slow_efficiency < 0 || slow_efficiency == fast_efficiency)
        return false;
    if (kind_has(slow_infos, slow_count, "CoreType") ||
        kind_has(fast_infos, fast_count, "CoreType"))
        return true;
    for (size_t i = 0; i < sizeof measures / sizeof *measures; i++) {
        uint64_t slow = kind_fact(slow_infos, slow_count, measures[i]);
        uint64_t fast = kind_fact(fast_infos, fast_count, measures[i]);
        if (slow != 0 && fast != 0)
            return fast * 100 >= slow * 115;
    }
    return true;
}

// The speed class of hwloc's kind number `index`, counted up from the slowest.
static uint32_t kind_rank(hwloc_topology_t hwloc, int index) {
    uint32_t rank = 0;
    for (int i = 1; i <= index; i++)
        rank += kind_differs(hwloc, (unsigned)i - 1, (unsigned)i);
    return rank;
}

static uint32_t ancestor_identity(hwloc_topology_t hwloc, hwloc_obj_t pu, hwloc_obj_type_t type) {
    hwloc_obj_t ancestor = hwloc_get_ancestor_obj_by_type(hwloc, type, pu);
    return ancestor != NULL ? ancestor->logical_index : WEFT_TOPOLOGY_UNKNOWN;
}

static weft_topology_cpu cpu_describe(hwloc_topology_t hwloc, hwloc_obj_t pu) {
    int kind = hwloc_cpukinds_get_by_cpuset(hwloc, pu->cpuset, 0);
    // Of several nodes (fast and large memory) the first one stands for all: the CPUs around it
    // share the others as well.
    int node = pu->nodeset != NULL ? hwloc_bitmap_first(pu->nodeset) : -1;
    return (weft_topology_cpu){
        .os_index = pu->os_index,
        .core = ancestor_identity(hwloc, pu, HWLOC_OBJ_CORE),
        .l2 = ancestor_identity(hwloc, pu, HWLOC_OBJ_L2CACHE),
        .l3 = ancestor_identity(hwloc, pu, HWLOC_OBJ_L3CACHE),
        .node = node >= 0 ? (uint32_t)node : WEFT_TOPOLOGY_UNKNOWN,
        .package = ancestor_identity(hwloc, pu, HWLOC_OBJ_PACKAGE),
        .kind = kind > 0 ? kind_rank(hwloc, kind) : 0,
    };
}

// The CPUs that may be used: allowed to the control group, and on this machine in the calling
// thread's mask, if the system tells it. Null if there is no memory.
static hwloc_bitmap_t usable_set(weft_topology* topology) {
    hwloc_bitmap_t usable = hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(topology->hwloc));
    if (usable == NULL || !topology->info.is_this_machine)
        return usable;
    // Asked for here first: hwloc 2.9 asks again and again for ever when it is refused.
    topology->info.mask_unknown = weft__os_affinity_list(NULL, 0) == 0;
    if (topology->info.mask_unknown)
        return usable;
    hwloc_bitmap_t mask = hwloc_bitmap_alloc();
    if (mask == NULL || hwloc_get_cpubind(topology->hwloc, mask, HWLOC_CPUBIND_THREAD) != 0 ||
        hwloc_bitmap_and(usable, usable, mask) != 0) {
        hwloc_bitmap_free(usable);
        usable = NULL;
    }
    hwloc_bitmap_free(mask);
    return usable;
}

// How many different things the CPUs belong to, by one of their identities at `offset`: those
// known, or 1 if none is.
static uint32_t count_distinct(const weft_topology_cpu* cpus, uint32_t count, size_t offset) {
    uint32_t distinct = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t* mine = (const uint32_t*)((const char*)&cpus[i] + offset);
        bool first = *mine != WEFT_TOPOLOGY_UNKNOWN;
        for (uint32_t j = 0; j < i && first; j++)
            first = *(const uint32_t*)((const char*)&cpus[j] + offset) != *mine;
        distinct += first;
    }
    return distinct > 0 ? distinct : 1;
}

static void read_cpus(weft_topology* topology, hwloc_const_bitmap_t usable) {
    hwloc_topology_t hwloc = topology->hwloc;
    weft_topology_cpu* cpus = topology->lists.cpus;
    uint32_t count = 0;
    for (uint32_t i = 0; i < topology->lists.cpu_capacity; i++) {
        hwloc_obj_t pu = hwloc_get_obj_by_type(hwloc, HWLOC_OBJ_PU, i);
        if (!hwloc_bitmap_isset(usable, pu->os_index))
            continue;
        weft_topology_cpu cpu = cpu_describe(hwloc, pu);
        // hwloc's logical order puts the CPUs of a core next to each other.
        if (cpu.core == WEFT_TOPOLOGY_UNKNOWN)
            cpu.core = UINT32_MAX - 1 - pu->logical_index;
        else if (count > 0 && cpus[count - 1].core == cpu.core)
            cpu.sibling = cpus[count - 1].sibling + 1;
        cpus[count++] = cpu;
    }
    weft_topology_info* info = &topology->info;
    info->worker_cpu_count = count;
    info->core_count = count_distinct(cpus, count, offsetof(weft_topology_cpu, core));
    info->node_count = count_distinct(cpus, count, offsetof(weft_topology_cpu, node));
    info->package_count = count_distinct(cpus, count, offsetof(weft_topology_cpu, package));
    info->kind_count = count_distinct(cpus, count, offsetof(weft_topology_cpu, kind));
}

// How many usable CPUs lie below an object, or around a node.
static uint32_t usable_below(hwloc_const_bitmap_t usable, hwloc_obj_t object) {
    uint32_t count = 0;
    int cpu = -1;
    while ((cpu = hwloc_bitmap_next(object->cpuset, cpu)) >= 0)
        count += hwloc_bitmap_isset(usable, (unsigned)cpu) != 0;
    return count;
}

static void read_nodes(weft_topology* topology, hwloc_const_bitmap_t usable) {
    topology_lists* lists = &topology->lists;
    hwloc_obj_t node = NULL;
    while ((node = hwloc_get_next_obj_by_type(topology->hwloc, HWLOC_OBJ_NUMANODE, node)) != NULL)
        lists->nodes[lists->node_count++] =
            (weft_topology_node){.os_index = node->os_index,
                                 .cpu_count = usable_below(usable, node),
                                 .bytes = node->attr->numanode.local_memory};
}

static void read_caches(weft_topology* topology, hwloc_const_bitmap_t usable) {
    topology_lists* lists = &topology->lists;
    for (uint32_t level = 0; level < CACHE_TYPES; level++) {
        hwloc_obj_t cache = NULL;
        while ((cache = hwloc_get_next_obj_by_type(topology->hwloc, cache_types[level], cache)) !=
               NULL) {
            uint32_t count = usable_below(usable, cache);
            if (count > 0)
                lists->caches[lists->cache_count++] =
                    (weft_topology_cache){.level = level + 1,
                                          .identity = cache->logical_index,
                                          .cpu_count = count,
                                          .bytes = cache->attr->cache.size};
        }
    }
}

// Classes of cores, whose names are those of hwloc's first kind in each.
static void read_kinds(weft_topology* topology) {
    topology_lists* lists = &topology->lists;
    weft_topology_kind* kinds = lists->kinds;
    int total = hwloc_cpukinds_get_nr(topology->hwloc, 0);
    for (int i = 0; i < total; i++) {
        struct hwloc_info_s* infos = NULL;
        unsigned count = 0;
        if (hwloc_cpukinds_get_info(topology->hwloc, (unsigned)i, NULL, NULL, &count, &infos, 0) !=
            0)
            continue;
        weft_topology_kind* kind = &kinds[kind_rank(topology->hwloc, i)];
        uint32_t mhz = (uint32_t)kind_fact(infos, count, "FrequencyMaxMHz");
        kind->mhz = mhz > kind->mhz ? mhz : kind->mhz;
        for (unsigned k = 0; k < count && kind->name == NULL; k++)
            kind->name = strcmp(infos[k].name, "CoreType") == 0 ? infos[k].value : NULL;
    }
    for (uint32_t i = 0; i < topology->info.worker_cpu_count; i++) {
        const weft_topology_cpu* cpu = &lists->cpus[i];
        WEFT_ASSERT(cpu->kind == 0 || cpu->kind < (uint32_t)total);
        kinds[cpu->kind].cpu_count++;
        kinds[cpu->kind].core_count += cpu->sibling == 0;
        if (cpu->kind >= lists->kind_count)
            lists->kind_count = cpu->kind + 1;
    }
}

static void read_closed(weft_topology* topology, hwloc_const_bitmap_t usable) {
    topology_lists* lists = &topology->lists;
    hwloc_const_bitmap_t all = hwloc_topology_get_complete_cpuset(topology->hwloc);
    hwloc_const_bitmap_t allowed = hwloc_topology_get_allowed_cpuset(topology->hwloc);
    int cpu = -1;
    while ((cpu = hwloc_bitmap_next(all, cpu)) >= 0) {
        if (!hwloc_bitmap_isset(usable, (unsigned)cpu))
            lists->closed[lists->closed_count++] = (weft_topology_closed_cpu){
                (uint32_t)cpu, hwloc_bitmap_isset(allowed, (unsigned)cpu) != 0};
    }
}

static weft_status topology_read(weft_topology* topology) {
    hwloc_bitmap_t usable = usable_set(topology);
    if (usable == NULL)
        return WEFT_STATUS_OS;
    read_cpus(topology, usable);
    bool any = topology->info.worker_cpu_count > 0;
    if (any) {
        read_nodes(topology, usable);
        read_caches(topology, usable);
        read_kinds(topology);
        read_closed(topology, usable);
        hwloc_obj_t package = hwloc_get_obj_by_type(topology->hwloc, HWLOC_OBJ_PACKAGE, 0);
        if (package != NULL)
            topology->info.model = hwloc_obj_get_info_by_name(package, "CPUModel");
    }
    hwloc_bitmap_free(usable);
    return any ? WEFT_STATUS_OK : WEFT_STATUS_OS;
}

static void topology_read_quota(weft_topology* topology, const weft_topology_desc* desc) {
    topology->info.quota_source = topology->quota_source;
    topology->info.quota_milli_cpus = desc->quota_milli_cpus;
    if (desc->quota_milli_cpus != 0)
        strcpy(topology->quota_source, WEFT__PLACEMENT_QUOTA_GIVEN);
    else if (desc->source == NULL || desc->cgroup_root != NULL)
        weft__os_cpu_quota(desc->cgroup_root, &topology->info.quota_milli_cpus,
                           topology->quota_source, sizeof topology->quota_source);
    else
        strcpy(topology->quota_source, "no quota is known for another machine");
}

// Reserves the topology with its lists behind it.
static weft_status topology_reserve(hwloc_topology_t hwloc, weft_topology** out) {
    size_t cpus = (size_t)hwloc_get_nbobjs_by_type(hwloc, HWLOC_OBJ_PU);
    size_t nodes = (size_t)hwloc_get_nbobjs_by_type(hwloc, HWLOC_OBJ_NUMANODE);
    int all = hwloc_bitmap_weight(hwloc_topology_get_complete_cpuset(hwloc));
    int kinds = hwloc_cpukinds_get_nr(hwloc, 0);
    size_t kind_room = kinds > 0 ? (size_t)kinds : 1;
    size_t closed = all > 0 ? (size_t)all : 0;
    size_t caches = 0;
    for (size_t i = 0; i < CACHE_TYPES; i++)
        caches += (size_t)hwloc_get_nbobjs_by_type(hwloc, cache_types[i]);
    WEFT_ASSERT(cpus > 0);
    size_t size = sizeof(weft_topology) + caches * sizeof(weft_topology_cache) +
                  kind_room * sizeof(weft_topology_kind) + nodes * sizeof(weft_topology_node) +
                  cpus * sizeof(weft_topology_cpu) + closed * sizeof(weft_topology_closed_cpu);
    void* region = NULL;
    WEFT_TRY(weft__os_region_reserve(size, &region));
    weft_topology* topology = region;
    topology_lists* lists = &topology->lists;
    topology->hwloc = hwloc;
    topology->region_size = size;
    // In the order of their alignment.
    lists->caches = (weft_topology_cache*)(void*)(topology + 1);
    lists->kinds = (weft_topology_kind*)(void*)(lists->caches + caches);
    lists->nodes = (weft_topology_node*)(void*)(lists->kinds + kind_room);
    lists->cpus = (weft_topology_cpu*)(void*)(lists->nodes + nodes);
    lists->closed = (weft_topology_closed_cpu*)(void*)(lists->cpus + cpus);
    lists->cpu_capacity = (uint32_t)cpus;
    WEFT_ASSERT((uint8_t*)(lists->closed + closed) == (uint8_t*)region + size);
    *out = topology;
    return WEFT_STATUS_OK;
}

weft_status weft_topology_create(const weft_topology_desc* desc, weft_topology** out) {
    WEFT_ASSERT(out != NULL);
    *out = NULL;
    weft_topology_desc used = desc != NULL ? *desc : weft_topology_desc_default();
    hwloc_topology_t hwloc = NULL;
    weft_topology* topology = NULL;
    weft_status status = hwloc_open(used.source, &hwloc);
    if (status == WEFT_STATUS_OK)
        status = topology_reserve(hwloc, &topology);
    if (status != WEFT_STATUS_OK) {
        if (hwloc != NULL)
            hwloc_topology_destroy(hwloc);
        return status;
    }
    topology->info.is_this_machine =
        used.source == NULL && hwloc_topology_is_thissystem(hwloc) != 0;
    status = topology_read(topology);
    if (status != WEFT_STATUS_OK) {
        weft_topology_destroy(topology);
        return status;
    }
    topology_read_quota(topology, &used);
    *out = topology;
    return WEFT_STATUS_OK;
}

void weft_topology_destroy(weft_topology* topology) {
    if (topology == NULL)
        return;
    hwloc_topology_destroy(topology->hwloc);
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
    return topology->lists.cpus;
}

const weft_topology_node* weft_topology_nodes(const weft_topology* topology, uint32_t* count) {
    WEFT_ASSERT(topology != NULL && count != NULL);
    *count = topology->lists.node_count;
    return topology->lists.nodes;
}

const weft_topology_cache* weft_topology_caches(const weft_topology* topology, uint32_t* count) {
    WEFT_ASSERT(topology != NULL && count != NULL);
    *count = topology->lists.cache_count;
    return topology->lists.caches;
}

const weft_topology_kind* weft_topology_kinds(const weft_topology* topology, uint32_t* count) {
    WEFT_ASSERT(topology != NULL && count != NULL);
    *count = topology->lists.kind_count;
    return topology->lists.kinds;
}

const weft_topology_closed_cpu* weft_topology_closed_cpus(const weft_topology* topology,
                                                          uint32_t* count) {
    WEFT_ASSERT(topology != NULL && count != NULL);
    *count = topology->lists.closed_count;
    return topology->lists.closed;
}

// Whether a page has the policy.
static bool is_interleaved(hwloc_topology_t hwloc, const uint8_t* page,
                           hwloc_const_bitmap_t nodes) {
    hwloc_bitmap_t found = hwloc_bitmap_alloc();
    hwloc_membind_policy_t policy = HWLOC_MEMBIND_DEFAULT;
    bool is =
        found != NULL &&
        hwloc_get_area_membind(hwloc, page, 1, found, &policy, HWLOC_MEMBIND_BYNODESET) == 0 &&
        policy == HWLOC_MEMBIND_INTERLEAVE && hwloc_bitmap_isequal(found, nodes);
    hwloc_bitmap_free(found);
    return is;
}

weft_status weft_topology_interleave(const weft_topology* topology, void* base, size_t size) {
    WEFT_ASSERT(topology != NULL);
    WEFT_ASSERT(base != NULL && size > 0);
    if (!topology->info.is_this_machine)
        return WEFT_STATUS_UNSUPPORTED;
    hwloc_bitmap_t nodes = hwloc_bitmap_alloc();
    if (nodes == NULL)
        return WEFT_STATUS_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < topology->lists.node_count; i++) {
        const weft_topology_node* node = &topology->lists.nodes[i];
        if (node->cpu_count > 0 && node->bytes > 0)
            (void)hwloc_bitmap_set(nodes, node->os_index);
    }
    // A policy belongs to the whole mapping, so its ends speak for all of it.
    const uint8_t* first = base;
    bool set = !hwloc_bitmap_iszero(nodes) &&
               hwloc_set_area_membind(topology->hwloc, base, size, nodes, HWLOC_MEMBIND_INTERLEAVE,
                                      HWLOC_MEMBIND_BYNODESET) == 0 &&
               is_interleaved(topology->hwloc, first, nodes) &&
               is_interleaved(topology->hwloc, first + size - 1, nodes);
    hwloc_bitmap_free(nodes);
    return set ? WEFT_STATUS_OK : WEFT_STATUS_OS;
}

weft_status weft_topology_pin_self(const weft_topology* topology, uint32_t os_index) {
    WEFT_ASSERT(topology != NULL);
    // hwloc's binding calls succeed without doing anything on a topology of another machine.
    if (!topology->info.is_this_machine)
        return WEFT_STATUS_UNSUPPORTED;
    bool usable = false;
    for (uint32_t i = 0; i < topology->info.worker_cpu_count; i++)
        usable = usable || topology->lists.cpus[i].os_index == os_index;
    if (!usable)
        return WEFT_STATUS_BAD_ARGUMENT;
    if (topology->info.mask_unknown)
        return WEFT_STATUS_OS; // A pin could not be read back, and hwloc would never return.
    hwloc_bitmap_t only = hwloc_bitmap_alloc();
    hwloc_bitmap_t read_back = hwloc_bitmap_alloc();
    weft_status status = WEFT_STATUS_OUT_OF_MEMORY;
    if (only != NULL && read_back != NULL && hwloc_bitmap_only(only, os_index) == 0) {
        int flags = HWLOC_CPUBIND_THREAD;
        bool pinned = hwloc_set_cpubind(topology->hwloc, only, flags | HWLOC_CPUBIND_STRICT) == 0 &&
                      hwloc_get_cpubind(topology->hwloc, read_back, flags) == 0 &&
                      hwloc_bitmap_isequal(only, read_back);
        status = pinned ? WEFT_STATUS_OK : WEFT_STATUS_OS;
    }
    hwloc_bitmap_free(only);
    hwloc_bitmap_free(read_back);
    return status;
}
