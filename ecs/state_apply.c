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
    weft__reader reader;
    size_t size = (size_t)count * WEFT__STATE_HANDLE;
    _Static_assert(sizeof(weft_entity) == WEFT__STATE_HANDLE, "a handle is two words");
    if (WEFT__LITTLE_ENDIAN && count > 0)
        memcpy(out, in, size);
    weft__reader_init(&reader, in, size);
    for (uint32_t i = 0; i < count && !WEFT__LITTLE_ENDIAN; i++) {
        out[i].slot = weft__reader_get_u32(&reader);
        out[i].generation = weft__reader_get_u32(&reader);
    }
    return in + size;
}

// Gives a new chunk its rows.
static weft_status fill_chunk(weft_world* world, weft__chunk* chunk, uint32_t rows,
                              const uint8_t* content) {
    const weft__archetype* table = weft__chunk_table(world, chunk);
    uint32_t capacity = weft__chunk_capacity_for(rows);
    WEFT_ASSERT(rows > 0 && chunk->row_count == 0);
    if (!weft__block_take(world, &world->lanes[0], chunk, capacity, &chunk->block))
        return WEFT_STATUS_OUT_OF_MEMORY;
    chunk->capacity = capacity;
    weft__block_layout(world, table, capacity, &chunk->block, &chunk->entities, chunk->columns,
                       chunk->backs);
    content = get_handles(content, rows, chunk->entities);
    for (uint32_t i = 0; i < table->column_count; i++)
        content = get_values(weft__type_at(world, table->column_types[i])->type, content, rows,
                             chunk->columns[i]);
    for (uint32_t row = 0; row < rows; row++)
        weft__members_insert(&chunk->members, chunk->entities[row].slot % WEFT_SHARD_SLOTS);
    chunk->row_count = rows;
    WEFT_ASSERT(weft__members_count(&chunk->members, 0) == rows);
    return WEFT_STATUS_OK;
}

static void settle_rows(weft__shard* shard, const weft__chunk* chunk) {
    for (uint32_t row = 0; row < chunk->row_count; row++) {
        uint32_t local = chunk->entities[row].slot % WEFT_SHARD_SLOTS;
        shard->slots[local] = (weft__slot){chunk->entities[row].generation, chunk->local + 1};
        shard->live[local / 64] |= (uint64_t)1 << (local % 64);
    }
}

// One line of a list of chunks, and its rows from the sections that follow the list.
static weft_status add_chunk(weft_world* world, bool sparse, weft__reader* lines,
                             weft__reader* sections) {
    weft__state_head head;
    uint32_t id = weft__reader_get_u32(lines);
    uint32_t number = weft__reader_get_u32(lines);
    uint32_t rows = weft__reader_get_u32(lines);
    weft__archetype* table = sparse ? &world->sparse.items[id] : &world->archetypes.items[id];
    weft__chunk* chunk;
    WEFT_TRY(weft__chunk_create(world, table, id, sparse, number, &chunk));
    if (rows == 0)
        return WEFT_STATUS_OK;
    const uint8_t* content = weft__state_take(sections, &head);
    WEFT_TRY(fill_chunk(world, chunk, rows, content));
    if (!sparse)
        settle_rows(world->shards.items[number], chunk);
    return WEFT_STATUS_OK;
}

static weft_status add_chunks(weft__state_image* image, weft__reader* sections, bool sparse) {
    weft_world* world = image->world;
    uint32_t count = sparse ? image->presence_count : image->chunk_count;
    weft__reader lines;
    weft__reader_init(&lines, image->data + (sparse ? image->presences_at : image->chunks_at),
                      (size_t)count * WEFT__STATE_CHUNK);
    for (uint32_t i = 0; i < count; i++)
        WEFT_TRY(add_chunk(world, sparse, &lines, sections));
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
    weft__reader sections = image->reader;
    for (uint32_t i = 0; i < image->archetype_count; i++)
        WEFT_TRY(weft__archetype_store(world, image->sets.items[i]));
    if (image->slot_count > 0)
        WEFT_TRY(weft__shard_ensure(world, (image->slot_count - 1) / WEFT_SHARD_SLOTS));
    sections.offset = image->rows_at;
    WEFT_TRY(add_chunks(image, &sections, false));
    sections.offset = image->presence_at;
    WEFT_TRY(add_chunks(image, &sections, true));
    WEFT_TRY(weft__lanes_refresh(world));
    mark_chunks(world);
    image->reader.offset = sections.offset;
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

weft_status weft__state_apply(weft__state_image* image) {
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
    world->failed = false;
    return WEFT_STATUS_OK;
}

weft_status weft__state_decode(weft_world* world, const void* bytes, size_t size) {
    WEFT_ASSERT(world != NULL && (bytes != NULL || size == 0) && !world->running);
    if (world->schema_broken)
        return WEFT_STATUS_WORLD_FAILED;
    weft__state_image image = {.world = world};
    weft_status status = weft__state_parse(&image, bytes, size);
    if (status == WEFT_STATUS_OK) {
        status = weft__state_apply(&image);
        if (status != WEFT_STATUS_OK)
            status = weft__world_break(world, status,
                                       "no memory is left for the state; the world has lost what "
                                       "it held, make a new one with more memory");
    }
    weft__state_forget(&image);
    return status;
}

weft_status weft_world_decode(weft_world* world, const void* bytes, size_t size) {
    WEFT_TRY(weft__state_decode(world, bytes, size));
    weft_world_checkpoint(world);
    return WEFT_STATUS_OK;
}
