/// What looks for faults, each run on the faulty simulation as a user would run it on theirs, and
/// the place that it names.
#pragma once

#include "cli.h"
#include "faulty.h"

typedef enum weft_instrument {
    WEFT_INSTRUMENT_ROOT = 0,    // verify, by digests.
    WEFT_INSTRUMENT_SYNC = 1,    // The same from encoded states.
    WEFT_INSTRUMENT_HEAVY = 2,   // The same by outputs of tasks.
    WEFT_INSTRUMENT_PERTURB = 3, // verify, drawn configurations.
    WEFT_INSTRUMENT_DIGEST = 4,  // All digests anew after each tick.
    WEFT_INSTRUMENT_ALIAS = 5,   // Guards.
    WEFT_INSTRUMENT_HASH = 6,
    WEFT_INSTRUMENT_TWIN = 7,
    WEFT_INSTRUMENT_TRAP = 8,
    WEFT_INSTRUMENT_TICK = 9, // What a tick refuses by itself, with every executor.
    WEFT_INSTRUMENT_LINT = 10,
    WEFT_INSTRUMENT_COUNT = 11,
} weft_instrument;

/// The name as it is written: "root", "--check=sync", "--guard=twin", "lint".
const char* weft_instrument_name(weft_instrument instrument);

/// The instrument with this name, or WEFT_INSTRUMENT_COUNT.
weft_instrument weft_instrument_find(const char* name);

#define WEFT_FINDING_SIZE 640u // Of the longest error line, and more.

/// What an instrument says.
typedef struct weft_instrument_finding {
    bool found;
    bool absent;  // It is not built in, or the machine lacks what it needs: `place` says why.
    int32_t bit;  // Values that differ in this bit alone; else -1.
    bool hidden;  // The serial run does not repeat itself.
    bool guarded; // A guard saw an access: the next two say which.
    weft_guard_act act;
    bool declared;   // To be read.
    char source[64]; // "faulty.c:120", where a line was named.
    double time_s;
    char place[WEFT_FINDING_SIZE]; // "tick 4, mark: FaultyTrace.sum of entity 4138:1 (...)"
} weft_instrument_finding;

/// Runs an instrument. `faulty` says which fault is in the simulation; its memory of earlier runs
/// stays. The lint looks at a source with the same fault; other faults than those of the clock and
/// of addresses it takes for none.
weft_instrument_finding weft_instrument_run(weft_instrument instrument, weft_faulty* faulty);
