/// Registered systems: what the graph orders and the plan runs.
#pragma once

#include <weft/schedule.h>

#include "weft_view.h"

#define WEFT__SYSTEM_NAME 64u

/// A named relation of one system to another.
typedef struct weft__relation {
    char name[WEFT__SYSTEM_NAME];
    bool before; // This system runs before the named one; else after it.
} weft__relation;

typedef struct weft__system {
    char name[WEFT__SYSTEM_NAME];
    weft_system_fn* run;
    const void* context;
    weft_scope scope;
    weft__access access;
    WEFT__VEC(weft__relation) relations;
    uint64_t hash; // Of the name: keys random draws.
    uint32_t rank;
    uint32_t stage;
    uint32_t command_number; // Among the systems of its scope that record commands.
} weft__system;

/// An edge between two systems by registration index.
typedef struct weft__edge {
    uint32_t from;
    uint32_t to;
    bool barrier;
    bool by_registration;
    const weft_type* type;
    const char* reason;
} weft__edge;

struct weft_schedule {
    weft_world* world;
    bool built;
    WEFT__VEC(weft__system) systems; // By registration.
    WEFT__VEC(weft__edge) edges;     // By (from, to) in registration indexes.
    WEFT__VEC(uint32_t) order;       // Rank to registration index.
    uint32_t stage_count;
    char error[1024];
};

/// Sets the error line and returns `status`.
weft_status weft__schedule_fail(weft_schedule* schedule, weft_status status, const char* format,
                                ...) WEFT_PRINTF(3, 4);

/// The system of a rank.
static inline weft__system* weft__schedule_at(const weft_schedule* schedule, uint32_t rank) {
    WEFT_CHECK(rank < schedule->order.count);
    return &schedule->systems.items[schedule->order.items[rank]];
}
