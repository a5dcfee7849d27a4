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

/// The source of a quota that a description gives.
#define WEFT__PLACEMENT_QUOTA_GIVEN "given"

/// A placement of worker_count workers, in arrays of the caller's.
typedef struct weft__placement {
    /// worker_count entries: the OS index of each worker's CPU, or WEFT__PLACEMENT_UNPINNED.
    /// Unless listed, ordered by SMT sibling, then speed, then neighbourhood, so that workers of
    /// close numbers are close.
    uint32_t* cpus;
    /// worker_count rows of worker_count - 1 entries: for each worker the others, nearest first by
    /// weft_topology_distance, equally near ones in ascending cyclic order from its own number on.
    uint32_t* help_order;
    /// Workers that may take part: one for each CPU that is to be used, but no more than the CPU
    /// time quota pays for. The others could only take time from them.
    uint32_t room;
    /// The CPU for which a list was refused.
    uint32_t refused;
} weft__placement;

/// Computes a placement; `out->cpus` and `out->help_order` point to the caller's arrays. Without
/// `placement` nobody is pinned, and all are equally near. Fails with OUT_OF_MEMORY, or
/// BAD_ARGUMENT as weft_topology_place() does.
WEFT_NODISCARD weft_status weft__placement_compute(const weft_topology* topology,
                                                   uint32_t worker_count,
                                                   const weft_placement* placement,
                                                   weft__placement* out);

/// Workers to start for a placement when the user does not say.
uint32_t weft__placement_suggest(const weft_topology* topology, const weft_placement* placement);

/// The first shard that does not belong to the first `number` of `active` workers.
static inline uint32_t weft__placement_shard_end(uint64_t shard_count, uint64_t number,
                                                 uint64_t active) {
    return (uint32_t)((shard_count * number + active - 1) / active);
}
