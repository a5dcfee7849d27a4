/// Runs that go on changing, so that no tick can be repeated: each way to run has a world of its
/// own with the same start, and they take turns, a block of ticks each. Tick t of one is compared
/// with tick t of another.
#pragma once

#include "harness.h"
#include "rig.h"

#include <weft/simlog.h>

typedef struct weft_lockstep {
    // Set before weft_lockstep_run().
    char name[48];
    const weft_module* module;
    uint64_t entity_count;
    weft_executor_desc desc;
    const char* journal_path;  // A journal of every tick, with its digest; null: none.
    const char* log_path;      // A log of every tick, in its time; null: none.
    weft_simlog_desc log_desc; // How that is written.
    bool digest;               // Both digests after each tick, in its time.
    bool unordered;            // weft_world_desc.unordered_commit.
    bool pins_caller;          // Threads: the thread that measures stays on worker 0's CPU.
    bool aliased;              // Memory that is mapped twice; for TRAP with columns apart.
    // Set by the calls.
    weft_rig rig;
    weft_journal* journal;
    weft_simlog* log;
    weft_series us; // Microseconds of each timed tick, by round.
} weft_lockstep;

/// How long. One tick at the start of each block is not timed: it brings the world back into the
/// caches.
typedef struct weft_lockstep_length {
    uint32_t warm; // Ticks before the first block.
    uint32_t blocks;
    uint32_t ticks; // Timed ticks of a block.
} weft_lockstep_length;

/// 5 blocks of 6 after 3, or a quick one; `options->tick_count` sets the ticks of all blocks.
weft_lockstep_length weft_lockstep_length_of(const weft_measure_options* options);

/// Opens all worlds, runs them, and checks by the module's own check where there is one. On failure
/// the table has the line. Close them all the same.
weft_status weft_lockstep_run(const weft_measure_options* options, const char* what,
                              weft_lockstep_length length, weft_lockstep* all, uint32_t count,
                              weft_measure_table* table);

/// Measures one subject by a number of workers, and adds rows. On failure the table has the line.
typedef weft_status weft_lockstep_measure(const weft_measure_options* options,
                                          const weft_executor_desc* desc, uint32_t workers,
                                          const void* subject, weft_measure_table* table);

/// Measures each of `count` subjects of `size` bytes by one worker, serially or on a thread as
/// `one` says, and then, where there are several CPUs, by a thread on each that is worth it.
weft_status weft_lockstep_each(const weft_measure_options* options, weft_executor_kind one,
                               const void* subjects, size_t count, size_t size,
                               weft_lockstep_measure* measure, weft_measure_table* table);

/// Ends the logs and destroys the worlds. Zeroed ones are allowed.
void weft_lockstep_close(weft_lockstep* all, uint32_t count);

/// Whether two of them, both at the same tick, have the same digests.
bool weft_lockstep_equal(weft_lockstep* a, weft_lockstep* b);
