/// Which worker runs on which CPU, and whom it helps when its own work is done.
///
/// A pure function of its arguments: equal topologies give equal placements. It decides who runs a
/// task and never what the task does.
#pragma once

#include <weft/base.h>
#include <weft/topology.h>

#include <stdbool.h>
#include <stdint.h>

/// The CPU of a worker that is not pinned.
#define WEFT__PLACEMENT_UNPINNED UINT32_MAX

/// How CPUs are chosen. Both pinning policies take one CPU of every core before any SMT sibling,
/// and fast cores before slow ones. They differ only while there are CPUs to spare.
typedef enum weft__placement_policy {
    /// The default: the fewest workers for each package, NUMA node and L3, in this order. Sweeps
    /// over columns are bound by memory, so few workers want every memory controller and every
    /// cache.
    WEFT__PLACEMENT_SPREAD,
    /// Neighbours first: fills a node before the next. For worlds that fit into one cache.
    WEFT__PLACEMENT_COMPACT,
    /// Nobody is pinned.
    WEFT__PLACEMENT_NONE,
} weft__placement_policy;

/// A placement of worker_count workers, in arrays of the caller's.
typedef struct weft__placement {
    /// worker_count entries: the OS index of each worker's CPU, or WEFT__PLACEMENT_UNPINNED.
    /// Ordered by SMT sibling, then speed, then neighbourhood, so that workers of close numbers are
    /// close.
    uint32_t* cpus;
    /// worker_count rows of worker_count - 1 entries: for each worker the others, nearest first by
    /// weft_topology_distance, equally near ones in ascending cyclic order from its own number on.
    uint32_t* help_order;
    /// More workers than CPUs: the CPUs are dealt out again from the first on, and nobody may spin.
    bool oversubscribed;
    /// More workers than the CPU time quota pays for: nobody may spin.
    bool over_quota;
} weft__placement;

/// Computes a placement; `placement->cpus` and `placement->help_order` point to the caller's
/// arrays. Without a topology (null) nobody is pinned, all are equally near, and both flags are
/// false. Fails with OUT_OF_MEMORY only.
WEFT_NODISCARD weft_status weft__placement_compute(const weft_topology* topology,
                                                   uint32_t worker_count,
                                                   weft__placement_policy policy,
                                                   weft__placement* placement);
