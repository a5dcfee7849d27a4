/// The order inside a stage: all systems on one chunk while it is warm, or one system over all
/// chunks after the other.
///
/// Both are the same tasks, and on each chunk by rank, so the choice changes no result. Which is
/// cheaper depends on the systems: data that they share favours the chunk, tables or code of their
/// own the system. So both are timed, again and again, and the cheaper one is taken.
#pragma once

#include <weft/executor.h>

/// The choice of one stage.
typedef struct weft__sweep {
    uint32_t groups;     // Of the running batch: parts that go system by system; 0: by chunk.
    uint32_t runs;       // Since the last trial.
    bool by_system;      // The way that was cheaper in the last trial.
    uint64_t best_ns[2]; // Of the trial, by chunk and by system; 0: not run yet.
} weft__sweep;

/// Chooses the next run's way into `groups`, which is `group_count` or 0. True if the run belongs
/// to a trial and its time is wanted by weft__sweep_note().
bool weft__sweep_next(weft__sweep* sweep, weft_sweep wanted, uint32_t group_count);

/// Takes the time of the run that was chosen last.
void weft__sweep_note(weft__sweep* sweep, uint64_t took_ns);
