/// The CPUs that a run may use, how far they lie apart, and how much CPU time it may spend.
///
/// CPUs are named by their OS index everywhere: the numbers of taskset and /proc/cpuinfo, which in
/// a container are neither dense nor do they start at 0. A position in the list of CPUs is only an
/// order. A topology never changes after its creation, so any thread may read it.
#pragma once

#include <weft/base.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The identity of something that the machine lacks or that the system does not tell, a cache for
/// instance. It equals no identity, itself included.
#define WEFT_TOPOLOGY_UNKNOWN UINT32_MAX

/// The distances between two CPUs that weft_topology_distance knows: the closest that applies.
typedef enum weft_topology_step {
    WEFT_TOPOLOGY_SAME_CPU = 0,
    WEFT_TOPOLOGY_SAME_CORE = 1,
    WEFT_TOPOLOGY_SAME_L2 = 2,
    WEFT_TOPOLOGY_SAME_L3 = 3,
    WEFT_TOPOLOGY_SAME_NODE = 4,
    WEFT_TOPOLOGY_SAME_PACKAGE = 5,
    WEFT_TOPOLOGY_OTHER = 6,
} weft_topology_step;

/// Where a topology comes from.
typedef struct weft_topology_desc {
    /// Null for this machine, "synthetic:..." with a description that hwloc understands
    /// ("synthetic:package:2 core:4 pu:2"), or the path of an hwloc XML file.
    const char* source;
    /// The folder that stands for "/" when the CPU quota is read: below it, proc/self/cgroup and
    /// sys/fs/cgroup. Null takes this machine's own quota if `source` is null, and none otherwise.
    const char* cgroup_root;
} weft_topology_desc;

/// One CPU that may be used. The identities compare equal for what two CPUs share.
typedef struct weft_topology_cpu {
    /// The OS index, by which a thread is pinned.
    uint32_t os_index;
    uint32_t core;
    /// 0 for the first usable CPU of a core, 1 for its first SMT sibling, and so on.
    uint32_t sibling;
    uint32_t l2;
    uint32_t l3;
    /// The OS index of the NUMA node.
    uint32_t node;
    uint32_t package;
    /// The speed class of the core: 0 for the slowest, higher is faster.
    uint32_t kind;
} weft_topology_cpu;

/// The figures of a topology. All count usable CPUs only: inside the control group's CPU set and
/// the affinity mask that the creating thread had.
typedef struct weft_topology_info {
    /// CPUs that workers may run on; at least 1.
    uint32_t worker_cpu_count;
    /// Cores with a usable CPU.
    uint32_t core_count;
    /// NUMA nodes with a usable CPU; a node of memory alone does not count.
    uint32_t node_count;
    /// Packages (sockets) with a usable CPU.
    uint32_t package_count;
    /// Speed classes of cores; 1 unless the machine is hybrid.
    uint32_t kind_count;
    /// The CPU time quota in thousandths of a CPU, rounded up; 0 for none.
    uint32_t quota_milli_cpus;
    /// Where the quota was read, or why there is none. Lives as long as the topology.
    const char* quota_source;
    /// Whether the CPUs are those of the machine that this process runs on. Nothing can be pinned
    /// on another.
    bool is_this_machine;
} weft_topology_info;

/// A set of usable CPUs and their neighbourhood.
typedef struct weft_topology weft_topology;

/// This machine, with its own quota.
WEFT_API weft_topology_desc weft_topology_desc_default(void);

/// Reads a topology. Of this machine, only CPUs that the calling thread may run on are taken, so
/// create it before pinning. A null description is the default one. Fails with BAD_ARGUMENT for a
/// synthetic description that cannot be understood, FILE_ERROR or BAD_FORMAT for an XML file,
/// UNSUPPORTED for a source other than this machine in a build without hwloc, OS, OUT_OF_MEMORY.
WEFT_API WEFT_NODISCARD weft_status weft_topology_create(const weft_topology_desc* desc,
                                                         weft_topology** out);

/// Destroys a topology; null does nothing.
WEFT_API void weft_topology_destroy(weft_topology* topology);

/// The figures of a topology.
WEFT_API weft_topology_info weft_topology_info_get(const weft_topology* topology);

/// The usable CPUs, neighbours next to each other, `*count` of them. Lives as long as the topology.
WEFT_API const weft_topology_cpu* weft_topology_cpus(const weft_topology* topology,
                                                     uint32_t* count);

/// How many workers to start when the user does not say: one for each usable CPU, but no more than
/// the quota pays for (rounded up). Never 0.
WEFT_API uint32_t weft_topology_suggested_workers(const weft_topology* topology);

/// How far apart two CPUs lie (a weft_topology_step), by OS index. WEFT_TOPOLOGY_OTHER if one of
/// them is not a usable CPU of the topology.
WEFT_API uint32_t weft_topology_distance(const weft_topology* topology, uint32_t os_index_a,
                                         uint32_t os_index_b);

/// Pins the calling thread to one CPU and reads its mask back: OK means that the mask is exactly
/// this CPU. Fails with UNSUPPORTED if the topology is not of this machine, BAD_ARGUMENT if the CPU
/// is not a usable one, OS if the system refuses.
WEFT_API WEFT_NODISCARD weft_status weft_topology_pin_self(const weft_topology* topology,
                                                           uint32_t os_index);

/// Writes one line about a topology, cut to fit and ended by a null byte, without a line end.
/// Returns the length of the whole line, as snprintf does.
WEFT_API size_t weft_topology_summary(const weft_topology* topology, char* buffer, size_t size);

#ifdef __cplusplus
}
#endif
