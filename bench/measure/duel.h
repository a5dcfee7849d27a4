/// A workload against the loops that an expert writes for it over plain arrays.
///
/// Both sides call the same kernels, compiled once with the same flags, on memory from the same
/// source, and must reach the same values. So a ratio over 1 is what the framework costs. Where
/// there are no such loops the workload is compared with its own serial run, by digest.
#pragma once

#include "hand.h"
#include "harness.h"
#include "rig.h"

typedef struct weft_duel {
    const weft_module* module;
    uint64_t entity_count;
    const char* label;      // Stands before the name of every row; null where there is one duel.
    const char* what;       // For progress.
    const char* unit;       // Of the times in the table,
    double units;           // as many to a tick, in nanoseconds.
    double target[2];       // Largest good ratio with one worker and with two; 0: none.
    double limit;           // Largest good time of one worker, in `unit`; 0: none.
    double speedup;         // Least good speed-up of two workers; 0: none.
    weft_series* times;     // [2] Weft's with one worker and with two, for the caller, or null.
    bool peers;             // Also against the loops of other runtimes, with two threads.
    weft_sampling sampling; // No samples: as weft_sampling_of() has it.
    void* hand;             // The hand-written side, passed to all calls below.
    /// Copies the world's start into plain arrays.
    weft_status (*open)(void* hand, const weft_world* world);
    /// One tick of one part of the rows. Parts are independent: one join a tick is all it takes.
    /// Null: there is no hand-written side.
    weft_hand_part* part;
    /// Whether both sides have the same values.
    bool (*equal)(void* hand, const weft_world* world);
    /// Frees what `open` made; also after it failed, or was not called.
    void (*close)(void* hand);
} weft_duel;

/// Runs the duel with one worker and, where there are two CPUs, with two, and adds its rows to the
/// table. DIVERGED when the sides do not agree.
weft_status weft_duel_run(const weft_duel* duel, const weft_measure_options* options,
                          weft_measure_table* table);
