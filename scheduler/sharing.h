/// How a batch is shared among workers: whose items are whose, and how many are claimed at once.
///
/// Pure functions of what is known about the batch. The pool follows them (pool_run.c), and a
/// forecast plays them for workers that are not at hand (forecast_play.c).
#pragma once

#include "weft_world.h"

/// What a batch is shared by.
typedef struct weft__sharing {
    uint64_t join_ns; // A batch of nothing, handed out and joined.
    uint64_t shards;  // Of the world.
    uint32_t active;  // Workers that take part.
    uint32_t grain;   // Items claimed at once; 0: chosen by cost.
} weft__sharing;

/// What one look for work takes.
typedef struct weft__claims {
    uint32_t grain; // Items, at least 1 and at most WEFT__GRAIN_MAX.
    bool helps;     // Whoever is done with its share helps the others.
} weft__claims;

/// Whether to share at all a batch of which nothing is known but this cost; 0: no gain.
uint64_t weft__sharing_gain(uint64_t cost_ns, uint64_t workers, uint64_t join_ns);

/// Pieces that are worth a claim and the way of its lines to a helper and back, but not so large
/// that the end of the batch is uneven, unless it is said how large they are. `cost_ns` is one
/// worker's for all `count` items.
weft__claims weft__sharing_claims(const weft__sharing* sharing, uint32_t count, uint64_t cost_ns);

/// How many items of no shard each worker but the caller gets; 0: all get as many. Where the way
/// to them and back is a good part of the batch, the caller does more meanwhile. A cost of 0 is
/// not known.
uint64_t weft__sharing_each(const weft__sharing* sharing, const weft__batch* batch,
                            uint64_t cost_ns);

/// Where the share of the `number`-th worker ends (a weft__cut): items of shards by shard, the same
/// in every tick, the others by number, `each` as above. It begins where that of the one before
/// ends; number 0 is nobody's.
uint64_t weft__sharing_end(const weft__sharing* sharing, const weft__batch* batch, uint64_t each,
                           uint64_t number);
