/// What a built schedule is like: who waits for whom and why, who may overlap, what looks wrong.
///
/// Everything here is a function of the registered systems and, for dead systems, of the archetypes
/// that the world has. Nothing changes the schedule or the world. One thread at a time.
#pragma once

#include <weft/schedule.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weft_inspect weft_inspect;

/// Inspects a built schedule, which must outlive it. Takes n * n / 8 bytes for n systems from the
/// world's memory, and time by edges and by n * n / 64. Status: WRONG_PHASE before the build,
/// OUT_OF_MEMORY.
WEFT_API WEFT_NODISCARD weft_status weft_inspect_create(const weft_schedule* schedule,
                                                        weft_inspect** inspect_out);

/// Forgets it. Null is allowed.
WEFT_API void weft_inspect_destroy(weft_inspect* inspect);

// Order ------------------------------------------------------------------------------------------

/// Who decided which of two systems comes first.
typedef enum weft_inspect_order {
    WEFT_ORDER_DECLARED = 0, // `before` and `after`, maybe through other systems.
    WEFT_ORDER_MESSAGES = 1, // The build takes no other order: same-tick messages are sent before
                             // they are consumed, here or on the way through other systems.
    WEFT_ORDER_REGISTRATION = 2, // Registration alone. The other way round would do other things
                                 // and be taken as well: the pair is ambiguous.
} weft_inspect_order;

/// An edge between ranks. `implied`: other edges say so too, so it is not in the reduced graph. If
/// all ambiguous edges of the reduced graph are declared, no edge is ambiguous.
typedef struct weft_inspect_edge {
    weft_edge edge;
    bool implied;
    weft_inspect_order order;
} weft_inspect_edge;

/// Edge `index` of weft_schedule_edge_count(), ordered by (from, to) in ranks.
WEFT_API weft_inspect_edge weft_inspect_edge_at(const weft_inspect* inspect, uint32_t index);

/// True if edges order system `from` before system `to`, directly or through others.
WEFT_API bool weft_inspect_is_before(const weft_inspect* inspect, uint32_t from, uint32_t to);

/// A shortest path of edges: its systems from `from` to `to`, both included, into `ranks`, which
/// has room for as many as there are systems. Returns their number; 0 where there is no path. Among
/// the shortest the one through the smallest ranks, seen from its end.
WEFT_API uint32_t weft_inspect_path(weft_inspect* inspect, uint32_t from, uint32_t to,
                                    uint32_t* ranks);

/// Systems of a longest chain of edges, first to last, into `ranks` (room for all systems). Returns
/// their number. No executor can do the systems of one chunk in fewer steps.
WEFT_API uint32_t weft_inspect_critical_path(weft_inspect* inspect, uint32_t* ranks);

/// Up to this many systems the width is exact at little cost.
#define WEFT_INSPECT_EXACT_MAX 16384u

/// Systems of which no two are ordered, as many as there are such, ascending, into `ranks` (room
/// for all systems). Returns their number, the width: by Dilworth's theorem, from a largest
/// matching of the transitive closure. With more than `exact_max` systems it is the largest set of
/// systems that have equally many before them on their longest chains, a lower bound, and
/// *exact_out is false.
WEFT_API uint32_t weft_inspect_width(weft_inspect* inspect, uint32_t exact_max, uint32_t* ranks,
                                     bool* exact_out);

// Pairs ------------------------------------------------------------------------------------------

/// What two systems have in common in one type.
typedef struct weft_bond {
    const weft_type* type; // Null: both record commands.
    weft_access_mode first;
    weft_access_mode second;
    bool conflict;
    bool barrier;           // A conflict that ends the stage.
    const weft_type* apart; // Not null: no archetype matches both, as one requires and the other
                            // excludes this component, and so there is no conflict.
    const char* reason;     // Of the conflict, or why there is none. Static.
} weft_bond;

/// No two access lists have more in common.
#define WEFT_BONDS_MAX 129u

/// Everything two different systems have in common, in the order of the first one's access list, at
/// most WEFT_BONDS_MAX. Two systems without a conflict may overlap, unless others are between them:
/// see weft_inspect_is_before().
WEFT_API uint32_t weft_inspect_bonds(const weft_inspect* inspect, uint32_t first, uint32_t second,
                                     weft_bond bonds[WEFT_BONDS_MAX]);

// Findings ---------------------------------------------------------------------------------------

typedef enum weft_finding_kind {
    /// Two systems write one component or resource, ordered or not, even where their rows never
    /// meet: `system` and the next writer by rank, `other`.
    WEFT_FINDING_DOUBLE_WRITER = 0,
    /// `system` reads a component, resource or reduction before each of its writers, of which
    /// `other` is the first: it sees the value of the tick before. Writers on other rows do not
    /// count, and what is buffered is always read like that.
    WEFT_FINDING_READ_BEFORE_WRITE = 1,
    /// Dead: `system` declares no write, message, partial or command, so it cannot change anything.
    WEFT_FINDING_DEAD_NO_OUTPUT = 2,
    /// Dead: `system` matches no archetype of the world, and no system that runs records commands,
    /// which could make entities for it. Only a host with commands of its own still could.
    WEFT_FINDING_DEAD_UNMATCHED = 3,
    /// `system` matches no archetype of the world yet. No other system reads what it would write,
    /// and it records no commands; the host may read it.
    WEFT_FINDING_IDLE_UNREAD = 4,
    /// `system` matches no archetype of the world yet. No fault.
    WEFT_FINDING_IDLE = 5,
} weft_finding_kind;

typedef struct weft_finding {
    weft_finding_kind kind;
    uint32_t system;       // Rank.
    uint32_t other;        // Rank; the system's own where the kind names no other.
    const weft_type* type; // Null where the kind is not about a type.
} weft_finding;

/// What was found: by kind as long as it is about types, then by type in the order of registration
/// and rank; then dead and idle systems by rank.
WEFT_API uint32_t weft_inspect_finding_count(const weft_inspect* inspect);
WEFT_API weft_finding weft_inspect_finding(const weft_inspect* inspect, uint32_t index);

#ifdef __cplusplus
}
#endif
