/// Batches of independent items, and who runs them.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// Runs one item as a worker: lane `worker` is the item's for the time of the call.
typedef void weft__item_fn(void* context, uint32_t worker, uint32_t item);

/// Independent items, for any worker in any order. `cost_ns` is a guess of what one worker needs
/// for all. Items ascend by shard where `shard_of` is given (from `unsharded` on), so that a worker
/// can start with its own. The context lies in the world's memory: workers may be processes that
/// share nothing else. Where an item is a list of steps, `step_count` and `step` run it step by
/// step: same effect as `fn`, for executors that interleave items.
typedef struct weft__batch {
    uint32_t count;
    uint32_t unsharded;
    uint64_t cost_ns;
    weft__item_fn* fn;
    void* context;
    uint32_t (*shard_of)(const void* context, uint32_t item);
    uint32_t (*step_count)(const void* context, uint32_t item);
    void (*step)(void* context, uint32_t worker, uint32_t item, uint32_t step);
} weft__batch;

/// The parts of a commit and of a digest, for those who look at the time.
typedef enum weft__phase {
    WEFT__PHASE_NONE = 0,
    WEFT__PHASE_ORDER = 1,
    WEFT__PHASE_ROUTE = 2,
    WEFT__PHASE_FOLD = 3,
    WEFT__PHASE_ASSIGN = 4,
    WEFT__PHASE_MERGE = 5,
    WEFT__PHASE_MESSAGES = 6,
    WEFT__PHASE_LEAVES = 7,
    WEFT__PHASE_TREE = 8,
} weft__phase;

/// Runs batches and returns when all is done. `ecs` knows no threads: executors bring their own.
/// `phase` is told what begins now; null: nobody wants to know.
typedef struct weft__runner {
    void (*run)(struct weft__runner* runner, const weft__batch* batch);
    void (*phase)(struct weft__runner* runner, weft__phase phase);
} weft__runner;

static inline void weft__runner_phase(weft__runner* runner, weft__phase phase) {
    if (runner->phase != NULL)
        runner->phase(runner, phase);
}

/// A runner that does everything on the calling thread as worker 0.
weft__runner weft__runner_serial(void);
