// Putting an encoded state into a world, after all of it was looked through (state_read.c).
//
// The old contents go first and the new ones take their memory, so a world can be filled again and
// again without growing. Keeping the old ones until the new are there would make a failure for want
// of memory harmless, and twice the memory the rule.

#include <weft/state.h>

#include "state_format.h"

// Clearing ---------------------------------------------------------------------------------------

// Whatever a tick may leave behind where it fails. The scratch of fold and merge is as good as new
// after every item, also after one that found no memory.
static void clear_lane(weft__lane* lane) {
    lane->changed.count = lane->swaps.count = lane->presences.count = 0;
    lane->failure.status = WEFT_STATUS_OK;
    lane->numbers = (weft__numbers){0};
    lane->number_flags = 0;
    lane->dropped = lane->moved = 0;
    lane->unknown = false;
}

static void clear_shards(weft_world* world) {
    for (uint32_t i = 0; i < world->shards.count; i++) {
        weft__shard* shard = world->shards.items[i];
        WEFT__VEC_FREE(&world->arena, shard->chunks);
        WEFT__VEC_FREE(&world->arena, shard->archetypes);
        WEFT__VEC_FREE(&world->arena, shard->locals);
        weft__arena_free(&world->arena, shard->slots, WEFT_SHARD_SLOTS * sizeof(weft__slot));
        weft__arena_free(&world->arena, shard, sizeof(*shard));
    }
    world->shards.count = 0;
}

static void clear_chunks(weft_world* world) {
    for (uint32_t i = 0; i < world->chunks.count; i++)
        weft__chunk_destroy(world, world->chunks.items[i]);
    world->chunks.count = 0;
    for (uint32_t i = 0; i < world->sparse.count; i++) {
        weft__archetype* table = &world->sparse.items[i];
        for (uint32_t j = 0; j < table->chunks.count; j++)
            weft__chunk_destroy(world, table->chunks.items[j]);
        table->chunks.count = 0;
        table->dirty = table->node_empty = true;
    }
    world->sparse_chunk_count = 0;
    weft__runs_free(world);
}

// Nothing of the past may be taken for the present: partials are stamped with ticks that come
// again, and provisional handles of the last commit lead to entities that are gone.
static void clear_past(weft_world* world) {
    for (uint32_t i = 0; i < world->reductions.count; i++)
        world->reductions.items[i].stamps.count = 0;
    for (uint32_t i = 0; i < world->channels.count; i++) {
        world->channels.items[i].count = 0;
        world->channels.items[i].next_count = 0;
        world->channels.items[i].dirty = true;
    }
    world->creates.count = world->create_map.count = 0;
    world->free_slots.count = 0;
    world->digests.valid = false;
    world->digest_wanted = false;
    world->allocator_dirty = true;
}

static void clear_world(weft_world* world) {
    for (uint32_t i = 0; i <= world->channels.count; i++)
        weft__log_clear(world, i);
    for (uint32_t i = 0; i < world->lane_count; i++)
        clear_lane(&world->lanes[i]);
    clear_lane(&world->host);
    clear_chunks(world);
    weft__archetypes_clear(world);
    clear_shards(world);
    clear_past(world);
    world->storage_epoch++;
}

// Filling ----------------------------------------------------------------------------------------

static const uint8_t* get_values(const weft_type* type, const uint8_t* in, uint32_t count,
                                 void* out) {
    size_t size = (size_t)count * type->size;
    if (size == 0)
        return in;
    if (WEFT__LITTLE_ENDIAN)
        memcpy(out, in, size);
    else
        weft__type_decode(type, in, count, out);
    return in + size;
}

static const uint8_t* get_handles(const uint8_t* in, uint32_t count, weft_entity* out) {
    size_t size = (size_t)count * WEFT__STATE_HANDLE;
    if (WEFT__LITTLE_ENDIAN && count > 0)
        memcpy(out, in, size);
    for (uint32_t i = 0; i < count && !WEFT__LITTLE_ENDIAN; i++)
        out[i] = weft__state_handle(in + (size_t)i * WEFT__STATE_HANDLE);
    return in + size;
}

// A new chunk with room for its rows.
static weft_status create_chunk(weft_world* world, const weft__state_line* line, bool sparse,
                                weft__chunk** out) {
    uint32_t id = line->archetype;
    WEFT_ASSERT(id < (sparse ? world->sparse.count : world->archetypes.count));
    weft__archetype* table = sparse ? &world->sparse.items[id] : &world->archetypes.items[id];
    uint32_t capacity = weft__chunk_capacity_for(line->rows);
    WEFT_TRY(weft__chunk_create(world, table, id, sparse, line->shard, out));
    weft__chunk* chunk = *out;
    if (line->rows == 0)
        return WEFT_STATUS_OK;
    if (!weft__block_take(world, &world->lanes[0], chunk, capacity, &chunk->block))
        return WEFT_STATUS_OUT_OF_MEMORY;
    chunk->capacity = capacity;
    weft__block_layout(world, table, capacity, &chunk->block, &chunk->entities, chunk->columns,
                       chunk->backs);
    return WEFT_STATUS_OK;
}

// Gives a new chunk its rows.
static void fill_chunk(const weft_world* world, weft__chunk* chunk, uint32_t rows,
                       const uint8_t* content) {
    const weft__archetype* table = weft__chunk_table(world, chunk);
    WEFT_ASSERT(rows > 0 && rows <= chunk->capacity && chunk->row_count == 0);
    content = get_handles(content, rows, chunk->entities);
    for (uint32_t i = 0; i < table->column_count; i++)
        content = get_values(weft__type_at(world, table->column_types[i])->type, content, rows,
                             chunk->columns[i]);
    uint32_t first = chunk->entities[0].slot % WEFT_SHARD_SLOTS;
    if (chunk->entities[rows - 1].slot % WEFT_SHARD_SLOTS - first == rows - 1)
        weft__members_insert_run(&chunk->members, first, rows);
    else
        for (uint32_t row = 0; row < rows; row++)
            weft__members_insert(&chunk->members, chunk->entities[row].slot % WEFT_SHARD_SLOTS);
    chunk->row_count = rows;
    uint32_t members = weft__members_count(&chunk->members, 0);
    WEFT_ASSERT(members == rows);
}

static void settle_rows(weft__shard* shard, const weft__chunk* chunk) {
    for (uint32_t row = 0; row < chunk->row_count; row++)
        shard->slots[chunk->entities[row].slot % WEFT_SHARD_SLOTS] =
            (weft__slot){chunk->entities[row].generation, chunk->local + 1};
    _Static_assert(WEFT__LIVE_WORDS == WEFT__MEMBER_WORDS, "both have a bit for each slot");
    for (uint32_t word = 0; word < WEFT__LIVE_WORDS; word++)
        shard->live[word] |= chunk->members.words[word];
}

// All rows of one shard.
static void fill_item(void* context, uint32_t worker, uint32_t item) {
    const weft__state_image* image = context;
    weft_world* world = image->world;
    WEFT_ASSERT(item < image->shards.count && item < world->shards.count);
    uint32_t id = image->shards.items[item].first;
    (void)worker;
    for (; id != WEFT__NONE; id = image->lines.items[id].next) {
        const weft__state_line* line = &image->lines.items[id];
        weft__chunk* chunk = world->chunks.items[id];
        WEFT_ASSERT(chunk->shard == item && chunk->archetype == line->archetype);
        if (line->rows == 0)
            continue;
        fill_chunk(world, chunk, line->rows, image->data + line->at + WEFT__STATE_HEAD);
        settle_rows(world->shards.items[item], chunk);
    }
}

// Memory is taken here, in one order, and filled by all workers.
static weft_status add_chunks(weft__state_image* image) {
    weft_world* world = image->world;
    weft__chunk* chunk;
    weft__batch batch = {.count = image->shards.count,
                         .cost_ns = image->reader.size / 8,
                         .fn = fill_item,
                         .context = image};
    for (uint32_t i = 0; i < image->chunk_count; i++)
        WEFT_TRY(create_chunk(world, &image->lines.items[i], false, &chunk));
    image->runner->run(image->runner, &batch);
    return WEFT_STATUS_OK;
}

static weft_status add_presences(weft__state_image* image) {
    weft_world* world = image->world;
    weft__reader lines;
    weft__reader_init(&lines, image->data + image->presences_at,
                      (size_t)image->presence_count * WEFT__STATE_CHUNK);
    image->reader.offset = image->presence_at;
    for (uint32_t i = 0; i < image->presence_count; i++) {
        weft__state_line line = {.archetype = weft__reader_get_u32(&lines)};
        line.shard = weft__reader_get_u32(&lines);
        line.rows = weft__reader_get_u32(&lines);
        weft__state_head head;
        weft__chunk* chunk;
        WEFT_TRY(create_chunk(world, &line, true, &chunk));
        fill_chunk(world, chunk, line.rows, weft__state_take(&image->reader, &head));
    }
    WEFT_ASSERT(weft__reader_finish(&lines) == WEFT_STATUS_OK);
    return WEFT_STATUS_OK;
}

// All leaves are hashed anew, once lanes have room to list them.
static void mark_chunks(weft_world* world) {
    weft__lane* lane = &world->lanes[0];
    for (uint32_t i = 0; i < world->chunks.count; i++)
        for (uint32_t j = 0; j <= world->chunks.items[i]->column_count; j++)
            if (world->chunks.items[i]->row_count > 0)
                weft__chunk_mark(lane, world->chunks.items[i], j);
    for (uint32_t i = 0; i < world->sparse.count; i++)
        for (uint32_t j = 0; j < world->sparse.items[i].chunks.count; j++)
            for (uint32_t k = 0; k <= world->sparse.items[i].chunks.items[j]->column_count; k++)
                weft__chunk_mark(lane, world->sparse.items[i].chunks.items[j], k);
}

static weft_status fill_storage(weft__state_image* image) {
    weft_world* world = image->world;
    for (uint32_t i = 0; i < image->archetype_count; i++)
        WEFT_TRY(weft__archetype_store(world, image->sets.items[i]));
    if (image->slot_count > 0)
        WEFT_TRY(weft__shard_ensure(world, (image->slot_count - 1) / WEFT_SHARD_SLOTS));
    WEFT_TRY(add_chunks(image));
    WEFT_TRY(add_presences(image));
    WEFT_TRY(weft__lanes_refresh(world));
    mark_chunks(world);
    return WEFT_STATUS_OK;
}

static weft_status fill_free(weft__state_image* image) {
    weft_world* world = image->world;
    WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, world->free_slots, image->free_count));
    while (world->free_slots.count < image->free_count) {
        weft__state_head head;
        const uint8_t* content = weft__state_take(&image->reader, &head);
        WEFT_ASSERT(head.kind == WEFT__STATE_FREE);
        (void)get_handles(content, head.count, world->free_slots.items + world->free_slots.count);
        world->free_slots.count += head.count;
    }
    WEFT_ASSERT(world->free_slots.count == image->free_count);
    return WEFT_STATUS_OK;
}

// The parts of one list, with addressees where `targets` is given.
static void fill_list(weft__state_image* image, uint32_t type_id, void* values,
                      weft_entity* targets, uint32_t count) {
    const weft_type* type = weft__type_at(image->world, type_id)->type;
    for (uint32_t done = 0; done < count;) {
        weft__state_head head;
        const uint8_t* content = weft__state_take(&image->reader, &head);
        WEFT_ASSERT(head.part == done / WEFT__STATE_PART && head.count <= count - done);
        if (targets != NULL)
            content = get_handles(content, head.count, targets + done);
        (void)get_values(type, content, head.count, (uint8_t*)values + (size_t)done * type->size);
        done += head.count;
    }
}

static weft_status fill_messages(weft__state_image* image, uint32_t index) {
    weft_world* world = image->world;
    weft__channel* channel = &world->channels.items[index];
    uint32_t size = weft__type_at(world, channel->type)->type->size;
    uint32_t count = image->message_counts.items[index];
    channel->next_payloads.count = channel->next_targets.count = 0;
    WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, channel->next_payloads, (uint64_t)count * size));
    WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, channel->next_targets, count));
    bool addressed = channel->target == WEFT_TARGET_ENTITY;
    if (!addressed && count > 0)
        memset(channel->next_targets.items, 0, (size_t)count * sizeof(weft_entity));
    fill_list(image, channel->type, channel->next_payloads.items,
              addressed ? channel->next_targets.items : NULL, count);
    channel->next_count = count;
    return WEFT_STATUS_OK;
}

static weft_status fill_values(weft__state_image* image) {
    weft_world* world = image->world;
    for (uint32_t i = 0; i < world->resources.count; i++) {
        weft__resource* resource = &world->resources.items[i];
        fill_list(image, resource->type, resource->values, NULL, resource->count);
        resource->dirty = true;
    }
    for (uint32_t i = 0; i < world->reductions.count; i++) {
        weft__reduction* reduction = &world->reductions.items[i];
        fill_list(image, reduction->type, reduction->value, NULL, 1);
        reduction->dirty = true;
    }
    for (uint32_t i = 0; i < world->channels.count; i++)
        WEFT_TRY(fill_messages(image, i));
    return WEFT_STATUS_OK;
}

// Memory that runs out leaves the world with a part of the state.
static weft_status apply(weft__state_image* image) {
    weft_world* world = image->world;
    clear_world(world);
    world->tick = image->tick;
    world->started = image->tick > 0;
    world->slot_count = image->slot_count;
    world->live_count = image->live_count;
    world->retired_count = image->retired_count;
    WEFT_TRY(fill_storage(image));
    WEFT_TRY(fill_free(image));
    WEFT_TRY(fill_values(image));
    WEFT_ASSERT(weft__reader_finish(&image->reader) == WEFT_STATUS_OK);
    WEFT_ASSERT(world->live_count + world->free_slots.count + world->retired_count ==
                world->slot_count);
    world->failed = false;
    return WEFT_STATUS_OK;
}

static weft_status decode(weft__state_image* image, const void* bytes, size_t size) {
    WEFT_TRY(weft__state_parse(image, bytes, size));
    weft_status status = apply(image);
    if (status != WEFT_STATUS_OK)
        status = weft__world_break(image->world, status,
                                   "no memory is left for the state; the world has lost what it "
                                   "held, make a new one with more memory");
    return status;
}

// The image lies with the world: workers that are processes see no more of the caller's.
weft_status weft__state_decode(weft_world* world, weft__runner* runner, const void* bytes,
                               size_t size) {
    WEFT_ASSERT(runner != NULL);
    WEFT_ASSERT(world != NULL && (bytes != NULL || size == 0) && !world->running);
    if (world->schema_broken)
        return WEFT_STATUS_WORLD_FAILED;
    weft__state_image* image = weft__arena_alloc_zero(&world->arena, sizeof(*image));
    if (image == NULL)
        return weft__world_fail(world, WEFT_STATUS_OUT_OF_MEMORY,
                                "no memory is left to look through the state of %llu bytes",
                                (unsigned long long)size);
    image->world = world;
    image->runner = runner;
    weft_status status = decode(image, bytes, size);
    weft__state_forget(image);
    weft__arena_free(&world->arena, image, sizeof(*image));
    return status;
}

weft_status weft_world_decode(weft_world* world, const void* bytes, size_t size) {
    weft__runner serial = weft__runner_serial();
    WEFT_TRY(weft__state_decode(world, &serial, bytes, size));
    weft_world_checkpoint(world);
    return WEFT_STATUS_OK;
}
