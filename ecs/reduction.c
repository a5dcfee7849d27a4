// Reductions: a partial per chunk, combined in chunk order by a fixed tree.
//
// The tree pairs neighbours level by level, so its shape is a function of the number of chunks
// alone. A plain left fold would give the same answer everywhere too, but could not be computed in
// parallel; a tree by worker would give another answer for another worker count.

#include <string.h>

#include "weft_view.h"

weft_status weft__reduction_reserve(weft_world* world, uint32_t index) {
    weft__reduction* reduction = &world->reductions.items[index];
    uint32_t need = reduction->producer_count * world->chunks.count;
    uint32_t size = weft__type_at(world, reduction->type)->type->size;
    reduction->partials.count = 0;
    WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, reduction->partials, (uint64_t)need * size));
    if (reduction->stamps.count < need) {
        WEFT_TRY(
            WEFT__VEC_RESERVE(&world->arena, reduction->stamps, need - reduction->stamps.count));
        memset(reduction->stamps.items + reduction->stamps.count, 0,
               (need - reduction->stamps.count) * sizeof(uint64_t));
        reduction->stamps.count = need;
    }
    return WEFT_STATUS_OK;
}

void* weft__reduction_partial(weft_world* world, uint32_t index, uint32_t producer,
                              const weft__chunk* chunk) {
    weft__reduction* reduction = &world->reductions.items[index];
    WEFT_ASSERT(producer < reduction->producer_count);
    uint32_t at = producer * world->chunks.count + chunk->id;
    WEFT_ASSERT(at < reduction->stamps.count);
    uint32_t size = weft__type_at(world, reduction->type)->type->size;
    uint8_t* partial = reduction->partials.items + (size_t)at * size;
    if (reduction->stamps.items[at] != world->tick + 1) {
        reduction->stamps.items[at] = world->tick + 1;
        memcpy(partial, reduction->identity, size);
    }
    return partial;
}

weft_status weft__reduction_finish(weft_world* world, uint32_t index,
                                   const struct weft__access* const* producers) {
    weft__reduction* reduction = &world->reductions.items[index];
    uint32_t size = weft__type_at(world, reduction->type)->type->size;
    uint32_t count = 0;
    reduction->leaves.count = 0;
    WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, reduction->leaves,
                               (uint64_t)reduction->producer_count * world->chunks.count * size));
    uint8_t* leaves = reduction->leaves.items;
    for (uint32_t producer = 0; producer < reduction->producer_count; producer++) {
        for (uint32_t i = 0; i < world->archetypes.count; i++) {
            const weft__archetype* archetype = &world->archetypes.items[i];
            if (!weft__access_matches(producers[producer], archetype))
                continue;
            for (uint32_t j = 0; j < archetype->chunks.count; j++) {
                if (archetype->chunks.items[j]->row_count == 0)
                    continue;
                const void* partial =
                    weft__reduction_partial(world, index, producer, archetype->chunks.items[j]);
                memcpy(leaves + (size_t)count++ * size, partial, size);
            }
        }
    }
    for (uint64_t width = 1; width < count; width *= 2)
        for (uint64_t i = 0; i + width < count; i += 2 * width)
            reduction->combine(leaves + i * size, leaves + (i + width) * size);
    memcpy(reduction->value, count > 0 ? leaves : reduction->identity, size);
    return WEFT_STATUS_OK;
}
