/// The tick's skeleton and what each kind of executor brings: a runner of batches.
#pragma once

#include <weft/executor.h>

#include "plan.h"

#define WEFT__WORKERS_MAX 1024u

struct weft__pool;

struct weft_executor {
    weft__runner runner; // First: a runner's `run` gets back to its executor by it.
    weft_executor_desc desc;
    weft_schedule* schedule;
    weft_world* world;
    weft__plan plan;
    uint32_t worker_count;
    weft_executor_stats stats;
    weft_number_report numbers;
    // Virtual.
    WEFT__VEC(uint32_t) open;  // Items of the running batch that are not done.
    WEFT__VEC(uint32_t) steps; // Steps done of each item.
    uint32_t batch_count;      // Of this tick: keys the draws.
    // Threads.
    struct weft__pool* pool;
    void* pool_block;
    size_t pool_block_size;
    bool alone; // The last batch ran on worker 0 only.
    // Traced tick: outputs per worker, then all of them sorted.
    bool traced;
    struct weft__trace_lane* trace_lanes;
    WEFT__VEC(weft_task_output) outputs;
    WEFT__VEC(weft_task_output) output_scratch;
};

/// Outputs that one worker saw in a traced tick.
typedef struct weft__trace_lane {
    WEFT__VEC(weft_task_output) outputs;
    bool out_of_memory;
    uint8_t pad[128];
} weft__trace_lane;

// exec_serial.c, exec_virtual.c: every item in order; a (worker, item) drawn for every step.
void weft__exec_serial_run(weft__runner* runner, const weft__batch* batch);
void weft__exec_virtual_run(weft__runner* runner, const weft__batch* batch);

// exec_threads.c
/// Starts and pins the workers. Status: OS, OUT_OF_MEMORY.
WEFT_NODISCARD weft_status weft__exec_threads_start(weft_executor* executor);
void weft__exec_threads_stop(weft_executor* executor);
void weft__exec_threads_run(weft__runner* runner, const weft__batch* batch);
/// Guards the arena while several workers may record. Between start and stop of the stages.
void weft__exec_threads_guard(weft_executor* executor, bool on);
