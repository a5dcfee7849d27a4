/// Delays and choices that vary how threads meet: for finding faults. A function of seed, tick,
/// batch and item alone, so that one seed makes the same delays again; who is hit by them, and
/// when, still depends on time. Nothing here can change a result.
#pragma once

#include "weft_world.h"

/// A batch whose items wait before they run.
typedef struct weft__perturb {
    weft_random_key key; // Seed, tick and batch.
    weft__item_fn* fn;   // What the items do then.
    void* context;
} weft__perturb;

/// Starts the batch of this number in a tick.
weft__perturb weft__perturb_batch(uint64_t seed, uint64_t tick, uint32_t batch,
                                  const weft__batch* what);

/// How long an item waits: half of them not at all, an eighth up to 40 us, the others up to 4 us.
uint32_t weft__perturb_delay_ns(const weft__perturb* perturb, uint32_t item);

/// An item function: waits, then runs the item. The context is a weft__perturb.
void weft__perturb_item(void* context, uint32_t worker, uint32_t item);

/// A choice of a batch from 0 to `count` - 1; `what` numbers the choices.
uint32_t weft__perturb_choose(const weft__perturb* perturb, uint32_t what, uint32_t count);

/// Where a worker begins to look for work in others' shares of one batch, 0 to `count` - 1.
uint32_t weft__perturb_turn(uint64_t seed, uint32_t epoch, uint32_t worker, uint32_t count);
