/// A static graph as a Weft schedule: a world-scope system for each node, and resource accesses
/// that make exactly the graph's edges.
///
/// Each node has a resource, which it writes. For an edge the later node reads the earlier one's
/// resource; where it would have too many to declare, the earlier node reads the later one's. So
/// only the two ends of an edge ever conflict.
#pragma once

#include "peer.h"
#include "rig.h"
#include "taskgrid.h"

typedef struct weft_net {
    weft_rig rig; // Its executors are the caller's to add.
    const weft_peer_edges* edges;
    weft_type* types;  // One for each node, of a weft_task_cell.
    char (*names)[16]; // Of systems and types.
} weft_net;

/// Builds it, and checks that the schedule's edges are those of the graph. Node n's system is
/// `run` with the context contexts + n * context_size. On failure the rig's error line says why;
/// close it all the same. DIVERGED when the edges are not the same.
weft_status weft_net_open(weft_net* net, const weft_peer_edges* edges, weft_system_fn* run,
                          const void* contexts, size_t context_size);

/// The resource that node `node` writes.
static inline const weft_type* weft_net_type(const weft_net* net, uint32_t node) {
    return &net->types[node];
}

/// Frees all. A zeroed net is allowed.
void weft_net_close(weft_net* net);

/// A net's executor as a case of a measurement. The caller is pinned as peers pin it, and what is
/// left to spin afterwards does not disturb the next one.
typedef struct weft_net_side {
    weft_net* net;
    uint32_t executor;
    const weft_peer_place* place;
    weft_peer_mask own;
} weft_net_side;

/// The three calls of a weft_case whose context is a weft_net_side.
void weft_net_prepare(void* side);
weft_status weft_net_run(void* side, uint64_t repeat);
void weft_net_finish(void* side);
