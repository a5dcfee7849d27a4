// n workers on one thread. Each step's worker and item are drawn from a seed, so an order bug shows
// at the first tick, at the speed of a serial run, and repeats from its seed. Steps of one item
// keep their order: systems of a stage on one chunk run by rank. What it cannot show is a race
// inside a step.

#include "exec.h"

void weft__exec_virtual_run(weft__runner* runner, const weft__batch* batch) {
    weft_executor* executor = (weft_executor*)runner;
    weft__arena* arena = &executor->world->arena;
    executor->open.count = executor->steps.count = 0;
    if (WEFT__VEC_RESERVE(arena, executor->open, batch->count) != WEFT_STATUS_OK ||
        WEFT__VEC_RESERVE(arena, executor->steps, batch->count) != WEFT_STATUS_OK) {
        weft__lane_fail(&executor->world->lanes[0], WEFT_STATUS_OUT_OF_MEMORY, 0, 0, 0,
                        "no memory is left for the virtual executor's list of tasks");
        return;
    }
    uint32_t* open = executor->open.items;
    uint32_t* steps = executor->steps.items;
    for (uint32_t i = 0; i < batch->count; i++) {
        open[i] = i;
        steps[i] = 0;
    }
    weft_random_key key = {.seed = executor->desc.schedule_seed,
                           .system = ((uint64_t)executor->batch_count++ << 32) | 0x56495254u,
                           .tick = executor->world->tick};
    uint32_t draw = 0;
    for (uint32_t left = batch->count; left > 0;) {
        uint32_t worker = weft_random_below(key, 0, draw, executor->worker_count);
        uint32_t at = weft_random_below(key, 1, draw++, left);
        draw &= 0x0FFFFFFFu;
        uint32_t item = open[at];
        uint32_t count = batch->step_count != NULL ? batch->step_count(batch->context, item) : 1;
        if (batch->step_count == NULL)
            batch->fn(batch->context, worker, item);
        else if (count > 0)
            batch->step(batch->context, worker, item, steps[item]);
        if (++steps[item] >= count)
            open[at] = open[--left];
    }
    executor->stats.tasks += batch->count;
}
