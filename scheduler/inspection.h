/// The inside of a weft_inspect, shared by its parts.
#pragma once

#include <weft/inspect.h>

#include "system.h"

/// An edge by ranks, as a system's list of edges has it.
typedef struct weft__inspect_arc {
    uint32_t to;
    uint32_t edge; // In schedule.edges.
    bool implied;
    bool settled; // Declared, or forced by messages, not only through others.
    weft_inspect_order order;
} weft__inspect_arc;

struct weft_inspect {
    const weft_schedule* schedule;
    uint32_t count;          // Systems.
    uint32_t words;          // Of a row of `after`.
    uint64_t* after;         // [count][words]: which systems run after each, transitively.
    uint32_t* first;         // [count + 1] where each system's arcs begin.
    weft__inspect_arc* arcs; // By (from, to).
    uint32_t* from;          // [edge count] of each arc.
    uint32_t* scratch[5];    // [count] each, for one call at a time.
    uint64_t* scratch_bits;  // [words]
    WEFT__VEC(weft_finding) findings;
};

/// The systems after `rank`, a bit each.
static inline const uint64_t* weft__inspect_after(const weft_inspect* inspect, uint32_t rank) {
    WEFT_CHECK(rank < inspect->count);
    return inspect->after + (size_t)rank * inspect->words;
}

/// Fills inspect.findings (findings.c). Status: OUT_OF_MEMORY.
WEFT_NODISCARD weft_status weft__inspect_find(weft_inspect* inspect);
