// Channels: messages merged in key order and handed to consumers by target.
//
// Collecting, looking for the dead and moving are batches; the sort by target between them is one
// worker's, some nanoseconds a message.

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

enum {
    BLOCK_MESSAGES = 2048, // Looked at or moved by one item.
    GATHER_NS = 15,        // Guesses for one message.
    LIVE_NS = 10,
    MOVE_NS = 3,
};

// A batch that runs after a system has failed in this tick could not tell a failure of its own from
// that one, and is run by the caller.
static weft_status run(weft_world* world, weft__runner* runner, const weft__batch* batch) {
    if (weft__world_failure(world) == NULL)
        return weft__commit_batch(world, runner, batch);
    weft__runner serial = weft__runner_serial();
    serial.run(&serial, batch);
    return WEFT_STATUS_OK;
}

static weft_status run_blocks(weft_world* world, weft__runner* runner, weft__item_fn* fn,
                              uint32_t count, uint32_t cost_ns) {
    uint32_t blocks = (count + BLOCK_MESSAGES - 1) / BLOCK_MESSAGES;
    weft__batch batch = {.count = blocks,
                         .unsharded = blocks,
                         .cost_ns = (uint64_t)count * cost_ns,
                         .fn = fn,
                         .context = world};
    return run(world, runner, &batch);
}

static uint32_t block_end(uint32_t item, uint32_t count) {
    uint32_t first = item * BLOCK_MESSAGES;
    WEFT_ASSERT(first < count);
    return count - first < BLOCK_MESSAGES ? count : first + BLOCK_MESSAGES;
}

// Messages to the dead are marked in world.sort_keys, the others have their index there.
static void live_item(void* context, uint32_t worker, uint32_t item) {
    const weft_world* world = context;
    const weft__delivery* delivery = &world->delivery;
    uint32_t end = block_end(item, delivery->count);
    (void)worker;
    for (uint32_t i = item * BLOCK_MESSAGES; i < end; i++)
        world->sort_keys.items[i] =
            weft_world_is_alive(world, delivery->targets[i]) ? i : WEFT__NONE;
}

static void move_item(void* context, uint32_t worker, uint32_t item) {
    const weft_world* world = context;
    const weft__delivery* delivery = &world->delivery;
    const weft__channel* channel = &world->channels.items[delivery->channel];
    uint32_t size = message_size(world, channel);
    uint32_t end = block_end(item, channel->count);
    (void)worker;
    for (uint32_t i = item * BLOCK_MESSAGES; i < end; i++) {
        uint32_t from = world->sort_keys.items[i];
        channel->targets.items[i] = delivery->targets[from];
        memcpy(channel->payloads.items + (size_t)i * size, delivery->payloads + (size_t)from * size,
               size);
    }
}

// Order of delivery: indexes into the source, in world.sort_keys. Messages to the dead are left
// out. Two stable counting passes, by slot in the shard and by shard: key order is kept per slot.
// Those who write to their own rows send in that order already.
static uint32_t order_by_slot(weft_world* world) {
    const weft_entity* targets = world->delivery.targets;
    uint32_t count = world->delivery.count;
    uint32_t* order = world->sort_keys.items;
    uint32_t* between = world->sort_scratch.items;
    uint32_t* starts = between + count;
    uint32_t kept = 0;
    uint32_t last = 0;
    bool ascending = true;
    for (uint32_t i = 0; i < count; i++) {
        if (order[i] == WEFT__NONE)
            continue;
        order[kept++] = i;
        ascending = ascending && targets[i].slot >= last;
        last = targets[i].slot;
    }
    world->stats.messages_dropped += count - kept;
    if (ascending)
        return kept;
    memset(starts, 0, (WEFT_SHARD_SLOTS + 1) * sizeof(uint32_t));
    for (uint32_t i = 0; i < kept; i++)
        starts[targets[order[i]].slot % WEFT_SHARD_SLOTS + 1]++;
    for (uint32_t i = 0; i < WEFT_SHARD_SLOTS; i++)
        starts[i + 1] += starts[i];
    WEFT_ASSERT(starts[WEFT_SHARD_SLOTS] == kept);
    for (uint32_t i = 0; i < kept; i++)
        between[starts[targets[order[i]].slot % WEFT_SHARD_SLOTS]++] = order[i];
    memset(starts, 0, (world->shards.count + 1) * sizeof(uint32_t));
    for (uint32_t i = 0; i < kept; i++)
        starts[targets[between[i]].slot / WEFT_SHARD_SLOTS + 1]++;
    for (uint32_t i = 0; i < world->shards.count; i++)
        starts[i + 1] += starts[i];
    WEFT_ASSERT(starts[world->shards.count] == kept);
    for (uint32_t i = 0; i < kept; i++)
        order[starts[targets[between[i]].slot / WEFT_SHARD_SLOTS]++] = between[i];
    return kept;
}

// Fills the delivered list from the pending one, which is in key order.
static weft_status deliver(weft_world* world, uint32_t index, weft__runner* runner) {
    weft__channel* channel = &world->channels.items[index];
    uint32_t size = message_size(world, channel);
    uint32_t count = channel->next_count;
    channel->count = 0;
    CHANNEL_RESERVE(world, channel, , count, size);
    if (count == 0)
        return WEFT_STATUS_OK;
    if (channel->target == WEFT_TARGET_WORLD) {
        memcpy(channel->payloads.items, channel->next_payloads.items, (size_t)count * size);
        memset(channel->targets.items, 0, count * sizeof(weft_entity));
        channel->count = count;
        return WEFT_STATUS_OK;
    }
    world->delivery = (weft__delivery){.targets = channel->next_targets.items,
                                       .payloads = channel->next_payloads.items,
                                       .channel = index,
                                       .count = count};
    world->sort_keys.count = world->sort_scratch.count = 0;
    WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, world->sort_keys, count));
    WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, world->sort_scratch,
                               (size_t)count + WEFT_SHARD_SLOTS + 1 + world->shards.count + 1));
    WEFT_TRY(run_blocks(world, runner, live_item, count, LIVE_NS));
    channel->count = order_by_slot(world);
    return run_blocks(world, runner, move_item, channel->count, MOVE_NS);
}

// What one task sent. Each has its place, so tasks are independent.
static void gather_item(void* context, uint32_t worker, uint32_t item) {
    weft_world* world = context;
    const weft__delivery* delivery = &world->delivery;
    WEFT_ASSERT(item < world->segments.count);
    const weft__channel* channel = &world->channels.items[delivery->channel];
    const weft__type* type = weft__type_at(world, channel->type);
    const weft__segment* segment = world->segments.items[item];
    uint32_t size = type->type->size;
    uint8_t* payloads = delivery->to_payloads + (size_t)segment->first_record * size;
    (void)worker;
    weft__log_read(world, segment);
    for (uint32_t i = 0; i < segment->count; i++) {
        const weft__record* record = world->records.items[segment->first_record + i];
        WEFT_CHECK(record->op == WEFT__OP_MESSAGE && record->type == channel->type);
        if (delivery->to_targets != NULL)
            delivery->to_targets[segment->first_record + i] = record->entity;
        memcpy(payloads + (size_t)i * size, weft__record_value(record), size);
    }
    // After the commit handles are real.
    if (channel->delivery != WEFT_DELIVERY_TICK && type->has_entities)
        weft__type_resolve(world, type->type, payloads, segment->count);
}

// Copies what tasks sent, whose log is in order, to where `to` says, and forgets it.
static weft_status gather(weft_world* world, const weft__delivery* to, weft__runner* runner) {
    world->delivery = *to;
    weft__batch batch = {.count = world->segments.count,
                         .unsharded = world->segments.count,
                         .cost_ns = (uint64_t)world->records.count * GATHER_NS,
                         .fn = gather_item,
                         .context = world};
    WEFT_TRY(run(world, runner, &batch));
    weft__log_clear(world, world->channels.items[to->channel].stream);
    return WEFT_STATUS_OK;
}

// What tasks sent, in key order, becomes what is pending.
static weft_status collect(weft_world* world, uint32_t index, weft__runner* runner) {
    weft__channel* channel = &world->channels.items[index];
    WEFT_TRY(weft__log_order(world, channel->stream, false));
    uint32_t count = world->records.count;
    channel->next_count = 0;
    CHANNEL_RESERVE(world, channel, next_, count, message_size(world, channel));
    weft__delivery to = {.to_targets = channel->next_targets.items,
                         .to_payloads = channel->next_payloads.items,
                         .channel = index};
    WEFT_TRY(gather(world, &to, runner));
    channel->next_count = count;
    return WEFT_STATUS_OK;
}

weft_status weft__channel_deliver(weft_world* world, uint32_t index, weft__runner* runner) {
    WEFT_ASSERT(world->channels.items[index].delivery == WEFT_DELIVERY_TICK);
    WEFT_TRY(collect(world, index, runner));
    return deliver(world, index, runner);
}

weft_status weft__channel_collect(weft_world* world, uint32_t index, weft__runner* runner) {
    weft__channel* channel = &world->channels.items[index];
    WEFT_ASSERT(channel->delivery == WEFT_DELIVERY_NEXT && channel->next_count == 0);
    WEFT_TRY(collect(world, index, runner));
    channel->dirty = true;
    return WEFT_STATUS_OK;
}

weft_status weft__channel_keep(weft_world* world, uint32_t index, weft__runner* runner) {
    weft__channel* channel = &world->channels.items[index];
    WEFT_ASSERT(channel->delivery == WEFT_DELIVERY_LOG && channel->count == 0);
    if (!world->keep_tables)
        return WEFT_STATUS_OK;
    WEFT_TRY(weft__log_order(world, channel->stream, false));
    uint32_t count = world->records.count;
    channel->payloads.count = 0;
    WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, channel->payloads,
                               (uint64_t)count * message_size(world, channel)));
    weft__delivery to = {.to_payloads = channel->payloads.items, .channel = index};
    WEFT_TRY(gather(world, &to, runner));
    channel->count = count;
    return WEFT_STATUS_OK;
}

weft_status weft__channel_turn(weft_world* world, uint32_t index, weft__runner* runner) {
    weft__channel* channel = &world->channels.items[index];
    WEFT_ASSERT(channel->delivery == WEFT_DELIVERY_NEXT);
    WEFT_TRY(deliver(world, index, runner));
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
