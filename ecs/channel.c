// Channels: messages merged in key order and handed to consumers by target.

#include <string.h>

#include "weft_world.h"

static uint32_t message_size(const weft_world* world, const weft__channel* channel) {
    return weft__type_at(world, channel->type)->type->size;
}

// Appends to a pair of arrays.
#define CHANNEL_RESERVE(world, channel, prefix, extra, size)                                       \
    do {                                                                                           \
        (channel)->prefix##payloads.count = (channel)->prefix##count * (size);                     \
        (channel)->prefix##targets.count = (channel)->prefix##count;                               \
        WEFT_TRY(WEFT__VEC_RESERVE(&(world)->arena, (channel)->prefix##payloads,                   \
                                   (uint64_t)(extra) * (size)));                                   \
        WEFT_TRY(WEFT__VEC_RESERVE(&(world)->arena, (channel)->prefix##targets, (extra)));         \
    } while (0)

// Order of delivery: indexes into the source, in world.sort_keys. Messages to the dead are left
// out. Two stable counting passes, by slot in the shard and by shard: key order is kept per slot.
// Those who write to their own rows send in that order already.
static weft_status order_by_slot(weft_world* world, const weft_entity* targets, uint32_t count,
                                 uint32_t* kept_out) {
    world->sort_keys.count = world->sort_scratch.count = 0;
    WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, world->sort_keys, count));
    WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, world->sort_scratch,
                               (size_t)count + WEFT_SHARD_SLOTS + 1 + world->shards.count + 1));
    uint32_t* order = world->sort_keys.items;
    uint32_t* between = world->sort_scratch.items;
    uint32_t* starts = between + count;
    uint32_t kept = 0;
    uint32_t last = 0;
    bool ascending = true;
    for (uint32_t i = 0; i < count; i++) {
        if (!weft_world_is_alive(world, targets[i])) {
            world->stats.messages_dropped++;
            continue;
        }
        order[kept++] = i;
        ascending = ascending && targets[i].slot >= last;
        last = targets[i].slot;
    }
    *kept_out = kept;
    if (ascending)
        return WEFT_STATUS_OK;
    memset(starts, 0, (WEFT_SHARD_SLOTS + 1) * sizeof(uint32_t));
    for (uint32_t i = 0; i < kept; i++)
        starts[targets[order[i]].slot % WEFT_SHARD_SLOTS + 1]++;
    for (uint32_t i = 0; i < WEFT_SHARD_SLOTS; i++)
        starts[i + 1] += starts[i];
    for (uint32_t i = 0; i < kept; i++)
        between[starts[targets[order[i]].slot % WEFT_SHARD_SLOTS]++] = order[i];
    memset(starts, 0, (world->shards.count + 1) * sizeof(uint32_t));
    for (uint32_t i = 0; i < kept; i++)
        starts[targets[between[i]].slot / WEFT_SHARD_SLOTS + 1]++;
    for (uint32_t i = 0; i < world->shards.count; i++)
        starts[i + 1] += starts[i];
    for (uint32_t i = 0; i < kept; i++)
        order[starts[targets[between[i]].slot / WEFT_SHARD_SLOTS]++] = between[i];
    return WEFT_STATUS_OK;
}

// Fills the delivered list from a source in key order.
static weft_status deliver(weft_world* world, weft__channel* channel, const weft_entity* targets,
                           const uint8_t* payloads, uint32_t count) {
    uint32_t size = message_size(world, channel);
    channel->count = 0;
    CHANNEL_RESERVE(world, channel, , count, size);
    if (channel->target == WEFT_TARGET_WORLD) {
        if (count > 0) {
            memcpy(channel->payloads.items, payloads, (size_t)count * size);
            memset(channel->targets.items, 0, count * sizeof(weft_entity));
        }
        channel->count = count;
        return WEFT_STATUS_OK;
    }
    uint32_t kept = 0;
    WEFT_TRY(order_by_slot(world, targets, count, &kept));
    for (uint32_t i = 0; i < kept; i++) {
        uint32_t from = world->sort_keys.items[i];
        channel->targets.items[i] = targets[from];
        memcpy(channel->payloads.items + (size_t)i * size, payloads + (size_t)from * size, size);
    }
    channel->count = kept;
    return WEFT_STATUS_OK;
}

// What tasks sent, in key order, at the end of the pending arrays.
static weft_status collect(weft_world* world, weft__channel* channel) {
    WEFT_TRY(weft__log_gather(world, channel->stream));
    uint32_t size = message_size(world, channel);
    CHANNEL_RESERVE(world, channel, next_, world->records.count, size);
    for (uint32_t i = 0; i < world->records.count; i++) {
        const weft__record* record = world->records.items[i];
        uint32_t at = channel->next_count++;
        channel->next_targets.items[at] = record->entity;
        memcpy(channel->next_payloads.items + (size_t)at * size, weft__record_value(record), size);
    }
    weft__log_clear(world, channel->stream);
    return WEFT_STATUS_OK;
}

weft_status weft__channel_deliver(weft_world* world, uint32_t index) {
    weft__channel* channel = &world->channels.items[index];
    WEFT_ASSERT(channel->delivery == WEFT_DELIVERY_TICK);
    channel->next_count = 0;
    WEFT_TRY(collect(world, channel));
    return deliver(world, channel, channel->next_targets.items, channel->next_payloads.items,
                   channel->next_count);
}

weft_status weft__channel_collect(weft_world* world, uint32_t index) {
    weft__channel* channel = &world->channels.items[index];
    WEFT_ASSERT(channel->delivery == WEFT_DELIVERY_NEXT && channel->next_count == 0);
    WEFT_TRY(collect(world, channel));
    weft__type_resolve(world, weft__type_at(world, channel->type)->type,
                       channel->next_payloads.items, channel->next_count);
    channel->dirty = true;
    return WEFT_STATUS_OK;
}

// The rows of one task. Each has its place, so tasks are independent.
static void keep_item(void* context, uint32_t worker, uint32_t item) {
    weft_world* world = context;
    const weft__channel* channel = &world->channels.items[world->keeping];
    const weft_type* type = weft__type_at(world, channel->type)->type;
    (void)worker;
    const weft__segment* segment = world->segments.items[item];
    uint32_t size = type->size;
    weft__log_read(world, segment);
    uint8_t* rows = channel->payloads.items + (size_t)segment->first_record * size;
    for (uint32_t i = 0; i < segment->count; i++)
        memcpy(rows + (size_t)i * size,
               weft__record_value(world->records.items[segment->first_record + i]), size);
    if (weft__type_at(world, channel->type)->has_entities)
        weft__type_resolve(world, type, rows, segment->count);
}

weft_status weft__channel_keep(weft_world* world, uint32_t index, weft__runner* runner) {
    weft__channel* channel = &world->channels.items[index];
    WEFT_ASSERT(channel->delivery == WEFT_DELIVERY_LOG && channel->count == 0);
    if (!world->keep_tables)
        return WEFT_STATUS_OK;
    uint32_t size = message_size(world, channel);
    WEFT_TRY(weft__log_order(world, channel->stream, false));
    uint32_t count = world->records.count;
    channel->payloads.count = 0;
    WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, channel->payloads, (uint64_t)count * size));
    world->keeping = index;
    weft__batch batch = {.count = world->segments.count,
                         .cost_ns = (uint64_t)count * 8,
                         .fn = keep_item,
                         .context = world};
    WEFT_TRY(weft__commit_batch(world, runner, &batch));
    channel->count = count;
    weft__log_clear(world, channel->stream);
    return WEFT_STATUS_OK;
}

weft_status weft__channel_turn(weft_world* world, uint32_t index) {
    weft__channel* channel = &world->channels.items[index];
    WEFT_ASSERT(channel->delivery == WEFT_DELIVERY_NEXT);
    WEFT_TRY(deliver(world, channel, channel->next_targets.items, channel->next_payloads.items,
                     channel->next_count));
    channel->next_count = 0;
    channel->dirty = true;
    return WEFT_STATUS_OK;
}

weft_status weft__channel_post(weft_world* world, uint32_t index, weft_entity target,
                               const void* message) {
    weft__channel* channel = &world->channels.items[index];
    WEFT_ASSERT(channel->delivery == WEFT_DELIVERY_NEXT);
    uint32_t size = message_size(world, channel);
    CHANNEL_RESERVE(world, channel, next_, 1, size);
    uint32_t at = channel->next_count++;
    channel->next_targets.items[at] = target;
    memcpy(channel->next_payloads.items + (size_t)at * size, message, size);
    channel->dirty = true;
    world->digests.valid = false;
    return WEFT_STATUS_OK;
}
