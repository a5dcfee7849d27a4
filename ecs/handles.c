// Provisional handles in what systems wrote in place become real, before rows move (C6).

#include "weft_world.h"

enum {
    SPAN_VALUES = 4096, // Of one item; a chunk has no more rows.
};

static weft_status add_span(weft_world* world, const weft_type* type, void* values,
                            uint32_t count) {
    for (uint32_t first = 0; first < count; first += SPAN_VALUES) {
        uint32_t some = count - first < SPAN_VALUES ? count - first : SPAN_VALUES;
        weft__handle_span span = {type, (uint8_t*)values + (size_t)first * type->size, some};
        WEFT_TRY(WEFT__VEC_PUSH(&world->arena, world->handle_spans, span));
    }
    return WEFT_STATUS_OK;
}

// Columns that were written in this tick. They come by the lane that wrote them, so that nearly all
// are looked at by who has them in its cache.
static weft_status add_chunks(weft_world* world, const weft__lane* lane) {
    for (uint32_t i = 0; i < lane->changed.count; i++) {
        weft__chunk* chunk = lane->changed.items[i];
        const weft__archetype* table = weft__chunk_table(world, chunk);
        if (!table->has_entities || chunk->written_tick != world->tick + 1)
            continue;
        for (uint32_t column = 0; column < table->column_count; column++) {
            const weft__type* type = weft__type_at(world, table->column_types[column]);
            if (chunk->dirty[column] && type->has_entities)
                WEFT_TRY(add_span(world, type->type, chunk->columns[column], chunk->row_count));
        }
    }
    return WEFT_STATUS_OK;
}

static weft_status add_globals(weft_world* world) {
    for (uint32_t i = 0; i < world->resources.count; i++) {
        const weft__resource* resource = &world->resources.items[i];
        const weft__type* type = weft__type_at(world, resource->type);
        if (resource->dirty && type->has_entities)
            WEFT_TRY(add_span(world, type->type, resource->values, resource->count));
    }
    for (uint32_t i = 0; i < world->reductions.count; i++) {
        const weft__reduction* reduction = &world->reductions.items[i];
        const weft__type* type = weft__type_at(world, reduction->type);
        if (type->has_entities)
            WEFT_TRY(add_span(world, type->type, reduction->value, 1));
    }
    for (uint32_t i = 0; i < world->channels.count; i++) {
        weft__channel* channel = &world->channels.items[i];
        const weft__type* type = weft__type_at(world, channel->type);
        if (type->has_entities)
            WEFT_TRY(add_span(world, type->type, channel->payloads.items, channel->count));
    }
    return WEFT_STATUS_OK;
}

static void resolve_span(void* context, uint32_t worker, uint32_t item) {
    const weft_world* world = context;
    const weft__handle_span* span = &world->handle_spans.items[item];
    (void)worker;
    weft__type_resolve(world, span->type, span->values, span->count);
}

weft_status weft__handles_resolve(weft_world* world, weft__runner* runner) {
    uint64_t values = 0;
    world->handle_spans.count = 0;
    for (uint32_t i = 0; i < world->lane_count; i++)
        WEFT_TRY(add_chunks(world, &world->lanes[i]));
    WEFT_TRY(add_globals(world));
    for (uint32_t i = 0; i < world->handle_spans.count; i++)
        values += world->handle_spans.items[i].count;
    weft__batch batch = {.count = world->handle_spans.count,
                         .unsharded = world->handle_spans.count,
                         .cost_ns = values / 2,
                         .fn = resolve_span,
                         .context = world};
    return weft__commit_batch(world, runner, &batch);
}
