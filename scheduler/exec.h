/// The tick's skeleton and what each kind of executor brings: a runner of batches.
#pragma once

#include <weft/executor.h>

#include "atomics.h"
#include "guard_call.h"
#include "pace.h"
#include "plan.h"

#define WEFT__WORKERS_MAX 1024u

struct weft__pool;
struct weft__processes;
struct weft__rollback;
struct weft__meter;
struct weft__trace;

/// What a worker process is doing, for when it dies or does not go on. It lies in memory that the
/// host shares, and is written by the worker alone.
typedef struct weft__task_note {
    WEFT_CACHE_ALIGNED weft__atomic_u64 serial; // Changes as it goes on. Odd: in a system, or
    uint32_t rank;                              // WEFT__NONE: in another item, or finishing.
    uint32_t archetype;
    uint32_t shard;
} weft__task_note;

/// The worker goes on: by one into something or out of it, by two from one thing to the next.
static inline void weft__task_note_step(weft__task_note* note, uint64_t by) {
    weft__atomic_u64_store_release(&note->serial,
                                   weft__atomic_u64_load_relaxed(&note->serial) + by);
}

/// An item of a batch that is no stage's: stages note their systems themselves.
typedef struct weft__noted {
    weft__task_note* notes;
    weft__item_fn* fn;
    void* context;
} weft__noted;

/// One stage's batch, as its items see it. It stays where it is and is hardly ever written: a line
/// that workers have is not taken from them.
typedef struct weft__stage_run {
    weft_executor* executor;
    weft__stage* stage;
    uint32_t rank_end; // Systems from this rank on are not run: one before has failed.
} weft__stage_run;

/// Looks at the world right after a task, on its thread, with the task's lane as it left it.
typedef void weft__probe_fn(void* context, const weft_view* view, const weft__system* system);

struct weft_executor {
    weft__runner runner; // First: a runner's `run` gets back to its executor by it.
    weft_executor_desc desc;
    weft_schedule* schedule;
    weft_world* world;
    weft__plan plan;
    uint32_t worker_count;
    bool traced;
    bool watched;                           // Calls are noted, guarded or recorded.
    weft__guard* guard;                     // Null: systems are trusted.
    struct weft__output_lane* output_lanes; // Traced tick: outputs per worker.
    weft__probe_fn* probe;                  // Traced tick: called after each task; or null.
    void* probe_context;
    weft__stage_run* runs;             // [stage_count]
    struct weft__rollback* rollback;   // Null: a failed world stays failed.
    struct weft__pool* pool;           // Threads and processes.
    struct weft__processes* processes; // In the host's memory.
    weft__task_note* notes;            // [worker_count] of processes; else null.
    struct weft__trace* trace;         // Null: no time is recorded.
    uint8_t pad[WEFT_CACHE_LINE]; // Workers read what is above; below is what the caller writes.
    weft__pace* pace;             // Of the batch that is about to run, or null.
    weft_executor_stats stats;
    weft_number_report numbers;
    uint32_t batch_count;      // Of this tick, where draws are keyed by it.
    struct weft__meter* meter; // While a tick is measured for a forecast.
    // Virtual.
    WEFT__VEC(uint32_t) open;  // Items of the running batch that are not done.
    WEFT__VEC(uint32_t) steps; // Steps done of each item.
    // Traced tick: all outputs, sorted.
    WEFT__VEC(weft_task_output) outputs;
    WEFT__VEC(weft_task_output) output_scratch;
};

/// Outputs that one worker saw in a traced tick.
typedef struct weft__output_lane {
    WEFT__VEC(weft_task_output) outputs;
    bool out_of_memory;
    uint8_t pad[128];
} weft__output_lane;

// executor.c
/// Commits what the host recorded. May fail the world.
WEFT_NODISCARD weft_status weft__executor_host(weft_executor* executor);
/// The tick itself. Any status but OK has failed the world.
WEFT_NODISCARD weft_status weft__executor_step(weft_executor* executor);

// outputs.c
/// Hashes everything that a task of a traced tick wrote, right after it.
void weft__outputs_note(const weft__stage_run* run, uint32_t worker, const weft_view* view,
                        const weft__system* system);
void weft__outputs_free(weft_executor* executor);

// exec_serial.c, exec_virtual.c: every item in order; a (worker, item) drawn for every step.
void weft__exec_serial_run(weft__runner* runner, const weft__batch* batch);
void weft__exec_virtual_run(weft__runner* runner, const weft__batch* batch);

// exec_threads.c
/// Starts and pins the workers. Status: OS, OUT_OF_MEMORY. To be stopped also after a failure.
WEFT_NODISCARD weft_status weft__exec_threads_start(weft_executor* executor);
void weft__exec_threads_stop(weft_executor* executor);
