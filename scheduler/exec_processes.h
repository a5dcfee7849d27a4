/// n worker processes over the memory of one world. What they do is what threads do (pool.h): one
/// of them, the leader, is the caller of their pool and runs whole ticks; the host program asks it
/// to, and waits. So whatever a system does to its process, the host still stands (C11).
#pragma once

#include "exec.h"

/// What the leader is asked for.
typedef enum weft__request {
    WEFT__REQUEST_TICK = 1,
    WEFT__REQUEST_TRACED = 2, // A tick with the outputs of its tasks.
    WEFT__REQUEST_DIGEST = 3,
    WEFT__REQUEST_ROLLBACK = 4, // To the tick `argument`.
    WEFT__REQUEST_END = 5,
} weft__request;

/// Forks the workers and starts what watches them. On failure the world has the line, and what was
/// started is to be stopped.
WEFT_NODISCARD weft_status weft__exec_processes_start(weft_executor* executor);
void weft__exec_processes_stop(weft_executor* executor);

/// Has something done, again and again if workers die of it. Status: that of what was done; CRASHED
/// and those of recovery, with the line as the world's error.
WEFT_NODISCARD weft_status weft__exec_processes_ask(weft_executor* executor, weft__request request,
                                                    uint64_t argument);

/// A runner's `run`: in the leader by all workers, in the host alone.
void weft__exec_processes_run(weft__runner* runner, const weft__batch* batch);

// executor.c
/// Has something done here, or by the leader of worker processes.
WEFT_NODISCARD weft_status weft__executor_ask(weft_executor* executor, weft__request request,
                                              uint64_t argument);
/// Does what a leader is asked for.
WEFT_NODISCARD weft_status weft__executor_serve(weft_executor* executor, weft__request request,
                                                uint64_t argument);
