/// Systems, the graph that orders them and the plan that runs them (C4, C5).
#pragma once

#include <weft/view.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weft_schedule weft_schedule;

typedef enum weft_scope {
    WEFT_SCOPE_CHUNK = 0, // Called once per matching chunk that has rows.
    WEFT_SCOPE_WORLD = 1, // Called once per tick.
} weft_scope;

/// Run identity of a system. Start from weft_system_desc_default(). Names and lists are copied.
typedef struct weft_system_desc {
    const char* name; // Unique; keys the system's random draws; 1 to 63 characters.
    weft_system_fn* run;
    const void* context; // Passed to run; must not change while the schedule lives.
    weft_scope scope;
    const weft_access* access; // Use WEFT_ACCESS().
    size_t access_count;       // At most 64.
    const char* const* before; // Names of systems that must run later; null-terminated or null.
    const char* const* after;  // Names of systems that must run earlier; null-terminated or null.
    uint32_t cookie;           // Set by the default function. Do not write.
} weft_system_desc;

/// Chunk scope, no access, no relations; name and run must be set.
WEFT_API weft_system_desc weft_system_desc_default(void);

/// A system description in one expression:
/// WEFT_SYSTEM("motion", motion, WEFT_ACCESS(WEFT_WRITES(Position), WEFT_READS(Velocity))).
#define WEFT_SYSTEM_COOKIE 0x57535953u
#define WEFT_SYSTEM(system_name, function, ...)                                                    \
    (&(const weft_system_desc){                                                                    \
        .name = (system_name), .run = (function), .cookie = WEFT_SYSTEM_COOKIE, __VA_ARGS__})

/// Creates an empty schedule for a world, which must outlive it.
WEFT_API WEFT_NODISCARD weft_status weft_schedule_create(weft_world* world,
                                                         weft_schedule** schedule_out);

/// Destroys a schedule. Null is allowed. Executors of it must be gone.
WEFT_API void weft_schedule_destroy(weft_schedule* schedule);

/// Registers a system. Registration order is the last tie-break of C5. Status: BAD_ARGUMENT,
/// DUPLICATE, UNKNOWN_TYPE, BAD_ACCESS, WRONG_PHASE after the build; nothing changed on failure.
WEFT_API WEFT_NODISCARD weft_status weft_schedule_add_system(weft_schedule* schedule,
                                                             const weft_system_desc* desc);

/// Builds the graph, the canonical rank and the plan. Idempotent. Status: GRAPH_CYCLE,
/// UNKNOWN_SYSTEM, BAD_ACCESS; the error names the systems and the cause of every edge.
WEFT_API WEFT_NODISCARD weft_status weft_schedule_build(weft_schedule* schedule);

/// One line (cycles: one per edge) on the last failing call; empty if none failed.
WEFT_API const char* weft_schedule_error(const weft_schedule* schedule);

/// Systems by canonical rank, 0 to count - 1. Valid after the build.
WEFT_API uint32_t weft_schedule_system_count(const weft_schedule* schedule);
WEFT_API const char* weft_schedule_system_name(const weft_schedule* schedule, uint32_t rank);

/// Scope of a system. Valid after the build.
WEFT_API weft_scope weft_schedule_system_scope(const weft_schedule* schedule, uint32_t rank);

/// What a system declared, in its order; commands stand last. Valid after the build.
WEFT_API uint32_t weft_schedule_access_count(const weft_schedule* schedule, uint32_t rank);
WEFT_API weft_access weft_schedule_access(const weft_schedule* schedule, uint32_t rank,
                                          uint32_t index);

/// Stage of a system, 0 to stage_count - 1: stages are separated by barriers. Valid after the
/// build.
WEFT_API uint32_t weft_schedule_stage_count(const weft_schedule* schedule);
WEFT_API uint32_t weft_schedule_system_stage(const weft_schedule* schedule, uint32_t rank);

/// One reason why system `from` runs before system `to` (ranks).
typedef struct weft_edge {
    uint32_t from;
    uint32_t to;
    bool barrier;          // They cannot share a stage.
    bool by_registration;  // Ordered by registration alone: no before/after says so.
    const weft_type* type; // What they conflict on; null for an explicit relation.
    const char* reason;    // "write-write on the same row", "declared after", ...
} weft_edge;

/// Edges of the graph, ordered by the registration of (from, to). Valid after the build.
WEFT_API uint32_t weft_schedule_edge_count(const weft_schedule* schedule);
WEFT_API weft_edge weft_schedule_edge(const weft_schedule* schedule, uint32_t index);

/// Hash over names, access, scopes and order of all systems. Part of a run's identity.
WEFT_API uint64_t weft_schedule_hash(const weft_schedule* schedule);

#ifdef __cplusplus
}
#endif
