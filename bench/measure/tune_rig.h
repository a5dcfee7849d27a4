/// Two worlds of one workload that are run as two layouts say, for the search.
///
/// Both have the same start, so tick t of the one does what tick t of the other does, and after
/// each round their digests are compared. Where memory and first touch are part of what is
/// compared, which is so on machines with several nodes, each layout has a world of its own; else
/// they change places from round to round, or with worker processes after some rounds.
#pragma once

#include "rig.h"
#include "tune.h"

typedef struct weft_tune_rig weft_tune_rig;

typedef struct weft_tune_rig_desc {
    const weft_module* module;
    uint64_t entity_count;
    uint64_t seed;
    const weft_topology* topology;
    bool quick;
    bool (*stopped)(void* context); // May be null, as the next.
    void (*progress)(void* context, const char* what, double share);
    void* context;
} weft_tune_rig_desc;

/// Makes a ground of it. OUT_OF_MEMORY.
weft_status weft_tune_rig_create(const weft_tune_rig_desc* desc, weft_tune_rig** out);

/// Null is allowed.
void weft_tune_rig_destroy(weft_tune_rig* rig);

weft_tune_ground weft_tune_rig_ground(weft_tune_rig* rig);

/// One line on what failed; empty if nothing did.
const char* weft_tune_rig_error(const weft_tune_rig* rig);

/// Rounds after which both digests were the same; whether they are compared at all, which they are
/// not where the module has turned determinism off.
uint64_t weft_tune_rig_compared(const weft_tune_rig* rig);
bool weft_tune_rig_compares(const weft_tune_rig* rig);
