/// A workload against the loops that an expert writes for it over plain arrays.
///
/// Both sides call the same kernels, compiled once with the same flags, on memory from the same
/// source, and must reach the same values. So a ratio over 1 is what the framework costs.
#pragma once

#include "hand.h"
#include "harness.h"
#include "rig.h"

typedef struct weft_duel {
    const weft_module* module;
    uint64_t entity_count;
    const char* what;   // For progress.
    const char* unit;   // Of the times in the table,
    double units;       // as many to a tick, in nanoseconds.
    const char* prefix; // Of the names of the rows: which size.
    double target[2];   // Largest good ratio with one worker and with two; 0: none.
    double speedup;     // Least good speed-up of two workers; 0: none.
    weft_series* times; // [2] Weft's with one worker and with two, for the caller; may be null.
    void* hand;         // The hand-written side, passed to all calls below.
    /// Copies the world's start into plain arrays.
    weft_status (*open)(void* hand, const weft_world* world);
    /// One tick of one part of the rows. Parts are independent: one join a tick is all it takes.
    weft_hand_part* part;
    /// Whether both sides have the same values.
    bool (*equal)(void* hand, const weft_world* world);
    /// Frees what `open` made; also after it failed, or was not called.
    void (*close)(void* hand);
} weft_duel;

/// Runs the duel with one worker and, where there are two CPUs, with two, and fills the table.
/// DIVERGED when the sides do not agree.
weft_status weft_duel_run(const weft_duel* duel, const weft_measure_options* options,
                          weft_measure_table* table);
