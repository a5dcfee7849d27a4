/// A workload set up to run: a world, its schedule and as many executors as are compared.
#pragma once

#include "workload.h"

#include <weft/journal.h>

#define WEFT_RIG_EXECUTORS_MAX 8

typedef struct weft_rig {
    const weft_module* module;
    weft_world* world;
    weft_schedule* schedule;
    weft_executor* executor[WEFT_RIG_EXECUTORS_MAX]; // In the order in which they were added.
    uint32_t executor_count;
    char error[256]; // One line on the last failure; empty if none.
} weft_rig;

/// Creates the world and the schedule, has the module build them, commits and builds. An entity
/// count of 0 is the module's default. On failure only the error line is left to read; close it all
/// the same.
weft_status weft_rig_open(weft_rig* rig, const weft_module* module, uint64_t entity_count,
                          uint64_t seed);

/// What a world is made with, beside its module.
typedef struct weft_rig_start {
    uint64_t entity_count; // 0: the module's default.
    uint64_t seed;
    bool unordered_commit;     // See weft_world_desc.
    bool aliased;              // Memory that is mapped twice,
    bool apart;                // with columns apart.
    const weft_memory* memory; // In place of the system's; null: that.
    bool uncommitted;          // The first entities are left to weft_executor_commit().
} weft_rig_start;

/// The same with all that can be said.
weft_status weft_rig_open_as(weft_rig* rig, const weft_module* module, const weft_rig_start* start);

/// Adds an executor. They may alternate between ticks.
weft_status weft_rig_add(weft_rig* rig, const weft_executor_desc* desc);

/// Posts the tick's input, if the module has any, and runs one tick on the executor of this index.
weft_status weft_rig_tick(weft_rig* rig, uint32_t index);

/// The same, recorded in a journal where it is not null.
weft_status weft_rig_tick_journal(weft_rig* rig, uint32_t index, weft_journal* journal);

/// A rig's executor as a case of a measurement (harness.h).
typedef struct weft_rig_side {
    weft_rig* rig;
    uint32_t executor;
    bool digest; // Both digests after each tick.
} weft_rig_side;

/// Runs `repeat` ticks: the `run` of a weft_case whose context is a weft_rig_side.
weft_status weft_rig_run(void* side, uint64_t repeat);

/// Destroys everything. A zeroed rig is allowed.
void weft_rig_close(weft_rig* rig);

/// As many workers as the topology suggests, at most `worker_max` unless that is 0.
uint32_t weft_rig_workers(uint32_t worker_max, const weft_topology* topology);

/// A serial executor, n virtual workers, or n pinned threads.
weft_executor_desc weft_rig_serial(void);
weft_executor_desc weft_rig_virtual(uint32_t worker_count, uint64_t schedule_seed);
weft_executor_desc weft_rig_threads(uint32_t worker_count, const weft_topology* topology);
