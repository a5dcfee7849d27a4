#include "sharing.h"

#include "board.h"
#include "placement.h"

// A claim should be worth its compare-and-swap, and a share is not cut finer than this.
#define CLAIM_NS 2000u
// A share of so few joins is taken whole: what could be gained by helping is less than it costs.
#define WHOLE_JOINS 8u
// A batch of fewer joins is cut unevenly.
#define UNEVEN_JOINS 16u

uint64_t weft__sharing_gain(uint64_t cost_ns, uint64_t workers, uint64_t join_ns) {
    WEFT_ASSERT(workers > 0);
    uint64_t together = cost_ns / workers + join_ns;
    return cost_ns > together ? cost_ns - together : 0;
}

weft__claims weft__sharing_claims(const weft__sharing* sharing, uint32_t count, uint64_t cost_ns) {
    WEFT_ASSERT(count > 0 && sharing->active > 0);
    uint64_t item_ns = cost_ns / count + 1;
    uint64_t steal_ns = 2 * sharing->join_ns;
    bool small = cost_ns <= WHOLE_JOINS * sharing->active * sharing->join_ns && item_ns <= steal_ns;
    uint64_t piece_ns = cost_ns / (8u * sharing->active);
    piece_ns = piece_ns < CLAIM_NS ? piece_ns : CLAIM_NS;
    piece_ns = piece_ns > steal_ns ? piece_ns : steal_ns;
    uint64_t grain = small ? WEFT__GRAIN_MAX : piece_ns / item_ns;
    grain = sharing->grain != 0 ? sharing->grain : grain;
    grain = grain < WEFT__GRAIN_MAX ? grain : WEFT__GRAIN_MAX;
    return (weft__claims){grain == 0 ? 1 : (uint32_t)grain, !small};
}

uint64_t weft__sharing_each(const weft__sharing* sharing, const weft__batch* batch,
                            uint64_t cost_ns) {
    uint64_t parts = sharing->active;
    if (batch->unsharded < batch->count || cost_ns <= sharing->join_ns ||
        cost_ns > UNEVEN_JOINS * sharing->join_ns)
        return 0;
    parts *= cost_ns;
    uint64_t each = (batch->unsharded * (cost_ns - sharing->join_ns) + parts / 2) / parts;
    each = each > 0 ? each : 1;
    return each * (sharing->active - 1) < batch->unsharded ? each : 0;
}

// First sharded item whose shard is not below `shard`.
static uint32_t item_lower(const weft__batch* batch, uint32_t shard) {
    uint32_t low = batch->unsharded;
    uint32_t high = batch->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (batch->shard_of(batch->context, middle) < shard)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint64_t weft__sharing_end(const weft__sharing* sharing, const weft__batch* batch, uint64_t each,
                           uint64_t number) {
    uint64_t active = sharing->active;
    uint64_t homed = batch->count - batch->unsharded;
    WEFT_ASSERT(number <= active);
    uint64_t loose = batch->unsharded * number / active;
    if (each != 0)
        loose = batch->unsharded - each * (active - number);
    if (number == 0)
        loose = 0;
    uint32_t end = batch->count;
    if (homed == 0 || number == 0)
        end = batch->unsharded;
    else if (number < active && batch->shard_of != NULL)
        end = item_lower(batch, weft__placement_shard_end(sharing->shards, number, active));
    else if (number < active)
        end = batch->unsharded + (uint32_t)(homed * number / active);
    return weft__cut((uint32_t)loose, end);
}
