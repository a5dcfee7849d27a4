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

/// How workers are put on CPUs. All but LIST take one CPU of every core before any SMT sibling, and
/// fast cores before slow ones; they differ while there are CPUs to spare.
typedef enum weft_placement_policy {
    WEFT_PLACEMENT_SPREAD = 0,   // The fewest workers for each package, NUMA node and L3, in this
                                 // order: every memory controller and every cache is used.
    WEFT_PLACEMENT_COMPACT = 1,  // Neighbours first: fills a node before the next.
    WEFT_PLACEMENT_PER_NODE = 2, // As many on each node as on any other; in a node, neighbours
                                 // first.
    WEFT_PLACEMENT_LIST = 3,     // The CPUs that are listed, in this order.
} weft_placement_policy;

/// A placement. It decides who runs a task and never what the task does. All zero is the default.
typedef struct weft_placement {
    weft_placement_policy policy;
    const uint32_t* cpus; // LIST: OS indices of usable CPUs, none twice. Read during calls only.
    uint32_t cpu_count;   // LIST: at least 1. Else 0.
} weft_placement;

/// Why a worker is where it is.
typedef enum weft_seat_reason {
    WEFT_SEAT_CORE = 0,      // It has a core to itself, of the fastest kind.
    WEFT_SEAT_SLOW_CORE = 1, // It has a core to itself; every faster one has a worker.
    WEFT_SEAT_SIBLING = 2,   // Every core has a worker: it shares the core of `beside`.
    WEFT_SEAT_LISTED = 3,    // The list says so.
    WEFT_SEAT_SHARED = 4,    // Every CPU has a worker: it is on that of `beside`.
} weft_seat_reason;

/// The place of one worker.
typedef struct weft_seat {
    uint32_t cpu; // OS index.
    weft_seat_reason reason;
    uint32_t beside; // The first worker on the same core; WEFT_TOPOLOGY_UNKNOWN: there is none.
    bool rests;      // Beyond the CPUs, or if it has one, beyond the quota: gets no work.
} weft_seat;

/// Where a topology comes from.
typedef struct weft_topology_desc {
    /// Null for this machine, "synthetic:..." with a description that hwloc understands
    /// ("synthetic:package:2 core:4 pu:2"), or the path of an hwloc XML file.
    const char* source;
    /// The folder that stands for "/" when the CPU quota is read: below it, proc/self/cgroup and
    /// sys/fs/cgroup. Null takes this machine's own quota if `source` is null, and none otherwise.
    const char* cgroup_root;
    /// A quota to reckon with instead, in thousandths of a CPU; 0 for none.
    uint32_t quota_milli_cpus;
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

/// A NUMA node that the process may use.
typedef struct weft_topology_node {
    uint32_t os_index;
    uint32_t cpu_count; // Usable CPUs; 0: memory alone.
    uint64_t bytes;     // 0: CPUs alone, or not told.
} weft_topology_node;

/// A cache for data with a usable CPU below it.
typedef struct weft_topology_cache {
    uint32_t level; // 1 is the nearest to the core.
    uint32_t identity;
    uint32_t cpu_count; // Usable CPUs that share it.
    uint64_t bytes;     // 0: not told.
} weft_topology_cache;

/// A speed class of cores.
typedef struct weft_topology_kind {
    const char* name; // "IntelAtom"; null: not told. Lives as long as the topology.
    uint32_t mhz;     // Highest frequency; 0: not told.
    uint32_t core_count;
    uint32_t cpu_count;
} weft_topology_kind;

/// A CPU of the machine that may not be used.
typedef struct weft_topology_closed_cpu {
    uint32_t os_index;
    bool masked; // Allowed, but not in the mask of the thread that made the topology. Else it is
                 // offline, or outside the control group's set.
} weft_topology_closed_cpu;

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
    /// The name of the first package's processor, or null. Lives as long as the topology.
    const char* model;
    /// Whether the CPUs are those of the machine that this process runs on. Nothing can be pinned
    /// on another.
    bool is_this_machine;
    /// The system did not tell the thread's affinity mask: all CPUs count that the control group
    /// allows, and nothing can be pinned, as no pin can be read back.
    bool mask_unknown;
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

/// The NUMA nodes, those without CPUs or memory too, `*count` of them; none where the system does
/// not tell. This and the three that follow live as long as the topology.
WEFT_API const weft_topology_node* weft_topology_nodes(const weft_topology* topology,
                                                       uint32_t* count);

/// The caches, by level and then by neighbourhood.
WEFT_API const weft_topology_cache* weft_topology_caches(const weft_topology* topology,
                                                         uint32_t* count);

/// The speed classes, slowest first: weft_topology_cpu.kind is an index.
WEFT_API const weft_topology_kind* weft_topology_kinds(const weft_topology* topology,
                                                       uint32_t* count);

/// The CPUs that are known and may not be used, by OS index.
WEFT_API const weft_topology_closed_cpu* weft_topology_closed_cpus(const weft_topology* topology,
                                                                   uint32_t* count);

/// How many workers to start when the user does not say: one for each usable CPU, but no more than
/// the quota pays for (rounded up). Never 0.
WEFT_API uint32_t weft_topology_suggested_workers(const weft_topology* topology);

/// How far apart two CPUs lie (a weft_topology_step), by OS index. WEFT_TOPOLOGY_OTHER if one of
/// them is not a usable CPU of the topology.
WEFT_API uint32_t weft_topology_distance(const weft_topology* topology, uint32_t os_index_a,
                                         uint32_t os_index_b);

/// Where an executor with this placement puts `worker_count` workers (at least 1), one seat each.
/// A pure function: equal topologies give equal seats. Fails with BAD_ARGUMENT for a list that is
/// empty, has a CPU twice or one that is not usable, or a list where none is wanted; OUT_OF_MEMORY.
WEFT_API WEFT_NODISCARD weft_status weft_topology_place(const weft_topology* topology,
                                                        const weft_placement* placement,
                                                        uint32_t worker_count, weft_seat* seats);

/// The shards that a worker owns, of `shard_count`, where `worker_count` take part: those from
/// `*first` on and before `*end`.
WEFT_API void weft_topology_shards(uint32_t shard_count, uint32_t worker_count, uint32_t worker,
                                   uint32_t* first, uint32_t* end);

/// Pins the calling thread to one CPU and reads its mask back: OK means that the mask is exactly
/// this CPU. Fails with UNSUPPORTED if the topology is not of this machine, BAD_ARGUMENT if the CPU
/// is not a usable one, OS if the system refuses.
WEFT_API WEFT_NODISCARD weft_status weft_topology_pin_self(const weft_topology* topology,
                                                           uint32_t os_index);

/// Asks that pages of a region, which begins and ends with pages that nobody has touched, lie in
/// turn on the NUMA nodes that have usable CPUs and memory, and reads that back. Fails with
/// UNSUPPORTED if the topology is not of this machine, or in a build without hwloc; OS if the
/// system refuses.
WEFT_API WEFT_NODISCARD weft_status weft_topology_interleave(const weft_topology* topology,
                                                             void* base, size_t size);

/// Writes one line about a topology, cut to fit and ended by a null byte, without a line end.
/// Returns the length of the whole line, as snprintf does.
WEFT_API size_t weft_topology_summary(const weft_topology* topology, char* buffer, size_t size);

#ifdef __cplusplus
}
#endif
