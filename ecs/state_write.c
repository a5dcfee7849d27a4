// Encoding of a world's state (state_format.h).
//
// Chunks are written by id, in order of creation, and the empty ones are listed too: their number
// and their ids are in the provisional handles that systems see.

#include <weft/state.h>

#include "state_format.h"
#include "weft_state.h"

/// A state on its way out: to a sink, or to memory. Without either it is only measured.
typedef struct state_writer {
    weft_world* world;
    weft_sink_fn* sink;
    void* context;
    uint8_t* out;  // Memory for what is to come; null: a sink, or nothing.
    uint64_t size; // So far.
    weft_status status;
    weft__bytes bytes; // The section under construction, in the world's scratch.
} state_writer;

static void write_out(state_writer* writer, const void* bytes, size_t size) {
    if (writer->out != NULL) {
        if (bytes != writer->out)
            memcpy(writer->out, bytes, size);
        writer->out += size;
        return;
    }
    WEFT_ASSERT(writer->sink != NULL);
    if (writer->status == WEFT_STATUS_OK)
        writer->status = writer->sink(writer->context, bytes, size);
}

// Starts a section. False if its content is not wanted.
static bool open_section(state_writer* writer, const weft__state_head* head) {
    weft_world* world = writer->world;
    uint64_t need = WEFT__STATE_HEAD + head->length;
    uint8_t* place = writer->out;
    writer->size += need;
    if ((writer->sink == NULL && place == NULL) || writer->status != WEFT_STATUS_OK)
        return false;
    // Straight into the caller's memory touches no scratch: several threads may do it.
    if (place == NULL)
        world->bytes.count = 0;
    if (place == NULL && WEFT__VEC_RESERVE(&world->arena, world->bytes, need) != WEFT_STATUS_OK) {
        writer->status = weft__world_fail(world, WEFT_STATUS_OUT_OF_MEMORY,
                                          "no memory is left to encode %llu bytes of the state",
                                          (unsigned long long)need);
        return false;
    }
    weft__bytes_init(&writer->bytes, place != NULL ? place : world->bytes.items, (size_t)need);
    weft__state_put_head(&writer->bytes, head);
    weft__bytes_put_u64(&writer->bytes, 0); // For the checksum.
    return true;
}

static void close_section(state_writer* writer) {
    weft__bytes* bytes = &writer->bytes;
    WEFT_ASSERT(!bytes->overflow && bytes->size == bytes->capacity);
    uint8_t* data = bytes->data;
    uint64_t sum =
        weft__state_checksum(data, data + WEFT__STATE_HEAD, bytes->size - WEFT__STATE_HEAD);
    weft__bytes place;
    weft__bytes_init(&place, data + WEFT__STATE_SUMMED, sizeof(sum));
    weft__bytes_put_u64(&place, sum);
    write_out(writer, data, bytes->size);
}

static void put_values(weft__bytes* bytes, const weft_type* type, const void* values,
                       uint32_t count) {
    size_t size = (size_t)count * type->size;
    if (WEFT__LITTLE_ENDIAN) {
        weft__bytes_put_raw(bytes, values, size);
        return;
    }
    uint8_t* place = size == 0 ? NULL : weft__bytes_reserve(bytes, size);
    if (place != NULL)
        weft__type_encode(type, values, count, place);
}

static void put_handles(weft__bytes* bytes, const weft_entity* handles, uint32_t count) {
    if (WEFT__LITTLE_ENDIAN) {
        weft__bytes_put_raw(bytes, handles, (size_t)count * sizeof(handles[0]));
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        weft__bytes_put_u32(bytes, handles[i].slot);
        weft__bytes_put_u32(bytes, handles[i].generation);
    }
}

// Sections ---------------------------------------------------------------------------------------

static void write_schema(state_writer* writer) {
    const weft_world* world = writer->world;
    weft__state_head head = {.kind = WEFT__STATE_SCHEMA, .count = world->types.count};
    for (uint32_t i = 0; i < world->types.count; i++)
        head.length += WEFT__STATE_TYPE + strlen(world->types.items[i].type->name);
    if (!open_section(writer, &head))
        return;
    for (uint32_t i = 0; i < world->types.count; i++) {
        const weft__type* type = &world->types.items[i];
        uint32_t length = (uint32_t)strlen(type->type->name);
        weft__bytes_put_u8(&writer->bytes, (uint8_t)type->role);
        weft__bytes_put_u8(&writer->bytes, (uint8_t)weft__state_flags(world, type));
        weft__bytes_put_u32(&writer->bytes, weft__state_values(world, type));
        weft__bytes_put_u64(&writer->bytes, type->hash);
        weft__bytes_put_u32(&writer->bytes, length);
        weft__bytes_put_raw(&writer->bytes, type->type->name, length);
    }
    close_section(writer);
}

// Empty presence tables say nothing.
static uint32_t presence_count(const weft_world* world) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < world->sparse.count; i++)
        for (uint32_t j = 0; j < world->sparse.items[i].chunks.count; j++)
            count += world->sparse.items[i].chunks.items[j]->row_count > 0;
    return count;
}

static void write_world(state_writer* writer) {
    const weft_world* world = writer->world;
    weft__state_head head = {.kind = WEFT__STATE_WORLD,
                             .count = world->channels.count,
                             .length = WEFT__STATE_WORLD_SIZE + 4ull * world->channels.count};
    if (!open_section(writer, &head))
        return;
    weft__bytes* bytes = &writer->bytes;
    weft__bytes_put_u64(bytes, world->desc.seed);
    weft__bytes_put_u32(bytes, (uint32_t)world->desc.math);
    weft__bytes_put_u32(bytes, weft__state_identity_flags(&world->desc));
    weft__bytes_put_u32(bytes, world->desc.slot_limit);
    weft__bytes_put_u32(bytes, world->desc.archetype_limit);
    weft__bytes_put_u64(bytes, world->tick);
    weft__bytes_put_u64(bytes, world->live_count);
    weft__bytes_put_u64(bytes, world->retired_count);
    weft__bytes_put_u32(bytes, world->slot_count);
    weft__bytes_put_u32(bytes, world->free_slots.count);
    weft__bytes_put_u32(bytes, world->archetypes.count);
    weft__bytes_put_u32(bytes, world->chunks.count);
    weft__bytes_put_u32(bytes, presence_count(world));
    for (uint32_t i = 0; i < world->channels.count; i++) {
        const weft__channel* channel = &world->channels.items[i];
        weft__bytes_put_u32(bytes,
                            channel->delivery == WEFT_DELIVERY_NEXT ? channel->next_count : 0);
    }
    close_section(writer);
}

static void write_archetypes(state_writer* writer) {
    const weft_world* world = writer->world;
    weft__state_head head = {.kind = WEFT__STATE_ARCHETYPES, .count = world->archetypes.count - 1};
    for (uint32_t i = 1; i < world->archetypes.count; i++)
        head.length += 2 + 2ull * world->archetypes.items[i].component_count;
    if (!open_section(writer, &head))
        return;
    for (uint32_t i = 1; i < world->archetypes.count; i++) {
        const weft__archetype* archetype = &world->archetypes.items[i];
        weft__bytes_put_u16(&writer->bytes, (uint16_t)archetype->component_count);
        for (uint32_t j = 0; j < archetype->component_count; j++)
            weft__bytes_put_u16(&writer->bytes, archetype->components[j]);
    }
    close_section(writer);
}

static void put_chunk(weft__bytes* bytes, const weft__chunk* chunk) {
    weft__bytes_put_u32(bytes, chunk->archetype);
    weft__bytes_put_u32(bytes, chunk->shard);
    weft__bytes_put_u32(bytes, chunk->row_count);
}

static void write_chunks(state_writer* writer) {
    const weft_world* world = writer->world;
    weft__state_head head = {.kind = WEFT__STATE_CHUNKS,
                             .count = world->chunks.count,
                             .length = (uint64_t)WEFT__STATE_CHUNK * world->chunks.count};
    if (!open_section(writer, &head))
        return;
    for (uint32_t i = 0; i < world->chunks.count; i++) {
        WEFT_ASSERT(world->chunks.items[i]->id == i);
        put_chunk(&writer->bytes, world->chunks.items[i]);
    }
    close_section(writer);
}

// Handles and columns of a chunk of an archetype or of a presence table.
static void write_chunk_rows(state_writer* writer, weft__state_kind kind, uint32_t index,
                             const weft__chunk* chunk) {
    const weft_world* world = writer->world;
    const weft__archetype* table = weft__chunk_table(world, chunk);
    uint64_t row_size = WEFT__STATE_HANDLE;
    for (uint32_t i = 0; i < table->column_count; i++)
        row_size += table->column_sizes[i];
    weft__state_head head = {.kind = (uint32_t)kind,
                             .index = index,
                             .count = chunk->row_count,
                             .length = row_size * chunk->row_count};
    if (!open_section(writer, &head))
        return;
    put_handles(&writer->bytes, chunk->entities, chunk->row_count);
    for (uint32_t i = 0; i < table->column_count; i++)
        put_values(&writer->bytes, weft__type_at(world, table->column_types[i])->type,
                   chunk->columns[i], chunk->row_count);
    close_section(writer);
}

static void write_rows(state_writer* writer, uint32_t begin, uint32_t end) {
    const weft_world* world = writer->world;
    WEFT_ASSERT(begin <= end && end <= world->chunks.count);
    for (uint32_t i = begin; i < end; i++)
        if (world->chunks.items[i]->row_count > 0)
            write_chunk_rows(writer, WEFT__STATE_ROWS, i, world->chunks.items[i]);
}

static void write_presences(state_writer* writer) {
    const weft_world* world = writer->world;
    uint32_t count = presence_count(world);
    weft__state_head head = {.kind = WEFT__STATE_PRESENCES,
                             .count = count,
                             .length = (uint64_t)WEFT__STATE_CHUNK * count};
    bool wanted = open_section(writer, &head);
    for (uint32_t i = 0; i < world->sparse.count && wanted; i++)
        for (uint32_t j = 0; j < world->sparse.items[i].chunks.count; j++)
            if (world->sparse.items[i].chunks.items[j]->row_count > 0)
                put_chunk(&writer->bytes, world->sparse.items[i].chunks.items[j]);
    if (wanted)
        close_section(writer);
    uint32_t index = 0;
    for (uint32_t i = 0; i < world->sparse.count; i++)
        for (uint32_t j = 0; j < world->sparse.items[i].chunks.count; j++)
            if (world->sparse.items[i].chunks.items[j]->row_count > 0)
                write_chunk_rows(writer, WEFT__STATE_PRESENCE, index++,
                                 world->sparse.items[i].chunks.items[j]);
    WEFT_ASSERT(index == count);
}

static void write_free(state_writer* writer) {
    const weft_world* world = writer->world;
    uint32_t count = world->free_slots.count;
    for (uint32_t part = 0; part < weft__state_parts(count); part++) {
        weft__state_head head = {
            .kind = WEFT__STATE_FREE, .part = part, .count = weft__state_part_count(count, part)};
        head.length = (uint64_t)WEFT__STATE_HANDLE * head.count;
        if (!open_section(writer, &head))
            continue;
        put_handles(&writer->bytes, world->free_slots.items + (size_t)part * WEFT__STATE_PART,
                    head.count);
        close_section(writer);
    }
}

// A list of values, with their addressees where `targets` is given.
static void write_list(state_writer* writer, weft__state_kind kind, uint32_t index,
                       const weft_type* type, const void* values, const weft_entity* targets,
                       uint32_t count) {
    for (uint32_t part = 0; part < weft__state_parts(count); part++) {
        size_t at = (size_t)part * WEFT__STATE_PART;
        weft__state_head head = {.kind = (uint32_t)kind,
                                 .index = index,
                                 .part = part,
                                 .count = weft__state_part_count(count, part)};
        head.length =
            (uint64_t)head.count * (type->size + (targets != NULL ? WEFT__STATE_HANDLE : 0));
        if (!open_section(writer, &head))
            continue;
        if (targets != NULL)
            put_handles(&writer->bytes, targets + at, head.count);
        put_values(&writer->bytes, type, (const uint8_t*)values + at * type->size, head.count);
        close_section(writer);
    }
}

static void write_values(state_writer* writer) {
    const weft_world* world = writer->world;
    for (uint32_t i = 0; i < world->resources.count; i++) {
        const weft__resource* resource = &world->resources.items[i];
        write_list(writer, WEFT__STATE_RESOURCE, i, weft__type_at(world, resource->type)->type,
                   resource->values, NULL, resource->count);
    }
    for (uint32_t i = 0; i < world->reductions.count; i++) {
        const weft__reduction* reduction = &world->reductions.items[i];
        write_list(writer, WEFT__STATE_REDUCTION, i, weft__type_at(world, reduction->type)->type,
                   reduction->value, NULL, 1);
    }
    for (uint32_t i = 0; i < world->channels.count; i++) {
        const weft__channel* channel = &world->channels.items[i];
        if (channel->delivery != WEFT_DELIVERY_NEXT)
            continue;
        bool addressed = channel->target == WEFT_TARGET_ENTITY;
        write_list(writer, WEFT__STATE_MESSAGES, i, weft__type_at(world, channel->type)->type,
                   channel->next_payloads.items, addressed ? channel->next_targets.items : NULL,
                   channel->next_count);
    }
}

// What comes before the rows, and what comes behind them.
static void write_front(state_writer* writer) {
    write_schema(writer);
    write_world(writer);
    write_archetypes(writer);
    write_chunks(writer);
}

static void write_back(state_writer* writer) {
    write_presences(writer);
    write_free(writer);
    write_values(writer);
}

static void write_sections(state_writer* writer) {
    writer->size = WEFT__STATE_HEADER;
    write_front(writer);
    write_rows(writer, 0, writer->world->chunks.count);
    write_back(writer);
}

// The whole -------------------------------------------------------------------------------------

uint64_t weft_world_encoded_size(weft_world* world) {
    WEFT_ASSERT(world != NULL && !world->running);
    state_writer writer = {.world = world};
    write_sections(&writer);
    return writer.size;
}

static void write_header(state_writer* writer, uint64_t size) {
    uint8_t buffer[WEFT__STATE_HEADER];
    weft__bytes bytes;
    weft__bytes_init(&bytes, buffer, sizeof(buffer));
    weft__bytes_put_u64(&bytes, WEFT__STATE_MAGIC);
    weft__bytes_put_u32(&bytes, WEFT__STATE_VERSION);
    weft__bytes_put_u32(&bytes, 0);
    weft__bytes_put_u64(&bytes, weft_world_schema_hash(writer->world));
    weft__bytes_put_u64(&bytes, size);
    weft__bytes_put_u64(&bytes, weft_hash64_of(buffer, bytes.size, 0));
    WEFT_ASSERT(!bytes.overflow && bytes.size == sizeof(buffer));
    write_out(writer, buffer, sizeof(buffer));
}

weft_status weft__state_ready(weft_world* world) {
    if (world->failed)
        return WEFT_STATUS_WORLD_FAILED;
    if (world->host.streams.items[0].segments.count > 0 ||
        world->host.failure.status != WEFT_STATUS_OK)
        return weft__world_fail(world, WEFT_STATUS_WRONG_PHASE,
                                "the host has recorded commands that are no state yet; call "
                                "weft_world_commit() before weft_world_encode()");
    return WEFT_STATUS_OK;
}

weft_status weft_world_encode(weft_world* world, weft_sink_fn* sink, void* context) {
    WEFT_ASSERT(world != NULL && sink != NULL && !world->running);
    WEFT_TRY(weft__state_ready(world));
    uint64_t size = weft_world_encoded_size(world);
    state_writer writer = {.world = world, .sink = sink, .context = context};
    write_header(&writer, size);
    write_sections(&writer);
    WEFT_ASSERT(writer.status != WEFT_STATUS_OK || writer.size == size);
    return writer.status;
}

// Parts -----------------------------------------------------------------------------------------

static void write_part(state_writer* writer, weft__state_part part, uint64_t size) {
    if (part.kind == WEFT__STATE_PART_FRONT) {
        writer->size += WEFT__STATE_HEADER;
        if (writer->out != NULL)
            write_header(writer, size);
        write_front(writer);
    } else if (part.kind == WEFT__STATE_PART_ROWS) {
        write_rows(writer, part.begin, part.end);
    } else {
        write_back(writer);
    }
}

weft__state_part weft__state_part_next(weft_world* world, const weft__state_part* last,
                                       uint64_t size_wanted) {
    weft__state_part part = {.kind = WEFT__STATE_PART_FRONT};
    state_writer writer = {.world = world};
    if (last != NULL) {
        WEFT_ASSERT(last->kind != WEFT__STATE_PART_BACK);
        WEFT_ASSERT(last->end <= world->chunks.count);
        part.begin = part.end = last->end;
        part.kind =
            part.begin < world->chunks.count ? WEFT__STATE_PART_ROWS : WEFT__STATE_PART_BACK;
    }
    if (part.kind != WEFT__STATE_PART_ROWS)
        write_part(&writer, part, 0);
    while (part.kind == WEFT__STATE_PART_ROWS && part.end < world->chunks.count &&
           writer.size < size_wanted) {
        write_rows(&writer, part.end, part.end + 1);
        part.end++;
    }
    part.size = writer.size;
    return part;
}

void weft__state_part_encode(weft_world* world, const weft__state_part* part, uint64_t state_size,
                             uint8_t* out) {
    state_writer writer = {.world = world, .out = out};
    write_part(&writer, *part, state_size);
    WEFT_ASSERT(writer.size == part->size && writer.out == out + part->size);
}
