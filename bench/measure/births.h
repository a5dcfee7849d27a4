/// Creation and destruction of many entities as cases of a measurement.
///
/// A world-scope system creates them in even ticks and destroys them in odd ones. A sample is one
/// of the two, the system and the commit that follows it.
#pragma once

#include "harness.h"

#include <weft/executor.h>

enum {
    WEFT_BIRTHS_COLUMNS = 4
};

/// What is created and how. Fill in all but the last part; pass it as the context of a weft_case
/// whose `once` is weft_births_once().
typedef struct weft_births {
    uint32_t entity_count;
    const weft_type* type[WEFT_BIRTHS_COLUMNS];
    const void* values[WEFT_BIRTHS_COLUMNS]; // One value for each entity.
    uint32_t column_count;
    bool bulk;   // One call for all, or one for each.
    bool deaths; // What is timed is their destruction.
    bool fresh;  // A new world for each sample: its memory is new too. Else one, kept warm.
    uint32_t worker_count;
    const weft_topology* topology;
    // The rest is its own. All zero at first.
    weft_world* world;
    weft_schedule* schedule;
    weft_executor* executor;
    weft_digest digest; // Of the first world after its creation, for comparisons.
    char error[256];
} weft_births;

/// Runs both ticks and adds the time of one: the `once` of a case.
weft_status weft_births_once(void* births, uint64_t* elapsed);

/// Destroys what is kept. All zero is allowed.
void weft_births_close(weft_births* births);
