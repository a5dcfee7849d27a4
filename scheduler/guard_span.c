// What a system may touch, byte by byte, and what lies where.

#include "guard_call.h"

#include <string.h>

#include "weft_bits.h"

// Of a long resource or list of messages so much is looked at around one call, in turn: else a tick
// would cost the product of chunks and length.
#define WINDOW_BYTES ((size_t)1 << 16)

// Around every so many calls another chunk is looked at: it costs what the call's own does.
#define OTHER_CALLS 4u

// Of the room behind rows, so many bytes at each end: what goes past an end is near it.
#define ROOM_BYTES ((size_t)512)

#define MODES_READ (WEFT__MODE(READ) | WEFT__MODE(READ_OPTIONAL))
#define MODES_WRITE (WEFT__MODE(WRITE) | WEFT__MODE(WRITE_OPTIONAL))

const weft__term* weft__guard_term(const weft__access* access, uint32_t type_id, uint32_t modes) {
    for (uint32_t i = 0; i < access->terms.count; i++)
        if (access->terms.items[i].type_id == type_id &&
            (1u << access->terms.items[i].mode & modes) != 0)
            return &access->terms.items[i];
    return NULL;
}

static weft_status span_add(weft__guard_lane* lane, void* at, size_t bytes,
                            weft__span_access access, uint32_t shared) {
    if (bytes == 0)
        return WEFT_STATUS_OK;
    WEFT_ASSERT(at != NULL);
    weft__span span = {at, bytes, access, shared};
    return WEFT__VEC_PUSH(&lane->guard->world->arena, lane->spans, span);
}

// Rows, and the room behind them up to the next column. Pages guard most of that by themselves: to
// the end of the last page that is open.
static weft_status rows_add(weft__guard_lane* lane, const weft__chunk* chunk, void* at,
                            uint32_t size, weft__span_access access) {
    const weft_world* world = lane->guard->world;
    size_t used = (size_t)chunk->row_count * size;
    size_t all = weft__align_up((size_t)chunk->capacity * size, WEFT__ARENA_ALIGN);
    bool shared = chunk->sparse && access == WEFT__SPAN_WRITE;
    WEFT_TRY(span_add(lane, at, used, access, shared ? chunk->archetype + 1 : 0));
    if (lane->guard->mode == WEFT_GUARD_TRAP) {
        all = weft__align_up(used, world->arena.memory.apart);
        if (access != WEFT__SPAN_WRITE)
            return WEFT_STATUS_OK;
    }
    if (all - used <= 2 * ROOM_BYTES)
        return span_add(lane, (uint8_t*)at + used, all - used, WEFT__SPAN_ROOM, 0);
    WEFT_TRY(span_add(lane, (uint8_t*)at + used, ROOM_BYTES, WEFT__SPAN_ROOM, 0));
    return span_add(lane, (uint8_t*)at + all - ROOM_BYTES, ROOM_BYTES, WEFT__SPAN_ROOM, 0);
}

// What the running system may do with a component on rows of its own chunk, or on others'.
static weft__span_access component_access(const weft__access* access, uint32_t type_id, bool own) {
    if (own && weft__guard_term(access, type_id, MODES_WRITE) != NULL)
        return WEFT__SPAN_WRITE;
    uint32_t modes = WEFT__MODE(READ_ANY) | (own ? MODES_READ : 0);
    return weft__guard_term(access, type_id, modes) != NULL ? WEFT__SPAN_READ : WEFT__SPAN_HIDDEN;
}

static weft_status chunk_add(weft__guard_lane* lane, weft__chunk* chunk, bool own) {
    const weft_world* world = lane->guard->world;
    const weft__archetype* table = weft__chunk_table(world, chunk);
    if (chunk->row_count == 0)
        return WEFT_STATUS_OK;
    WEFT_TRY(rows_add(lane, chunk, chunk->entities, sizeof(weft_entity), WEFT__SPAN_READ));
    for (uint32_t i = 0; i < chunk->column_count; i++) {
        uint32_t size = table->column_sizes[i];
        weft__span_access access =
            component_access(lane->view->access, table->column_types[i], own);
        bool buffered = chunk->backs[i] != NULL;
        weft__span_access front = buffered && access == WEFT__SPAN_WRITE ? WEFT__SPAN_READ : access;
        WEFT_TRY(rows_add(lane, chunk, chunk->columns[i], size, front));
        if (buffered)
            WEFT_TRY(rows_add(lane, chunk, chunk->backs[i], size,
                              access == WEFT__SPAN_WRITE ? access : WEFT__SPAN_HIDDEN));
    }
    return WEFT_STATUS_OK;
}

// A list of values outside of chunks.
static weft_status list_add(weft__guard_lane* lane, void* at, size_t bytes, uint32_t type_id,
                            uint32_t read, uint32_t write) {
    weft__span_access access = WEFT__SPAN_HIDDEN;
    if (weft__guard_term(lane->view->access, type_id, write) != NULL)
        access = WEFT__SPAN_WRITE;
    else if (weft__guard_term(lane->view->access, type_id, read) != NULL)
        access = WEFT__SPAN_READ;
    size_t begin = 0;
    if (bytes > WINDOW_BYTES && access != WEFT__SPAN_WRITE &&
        lane->guard->mode != WEFT_GUARD_TRAP) {
        size_t windows = (bytes + WINDOW_BYTES - 1) / WINDOW_BYTES;
        begin = (size_t)(lane->guard->calls % windows) * WINDOW_BYTES;
        bytes = bytes - begin < WINDOW_BYTES ? bytes - begin : WINDOW_BYTES;
    }
    return span_add(lane, (uint8_t*)at + begin, bytes, access, 0);
}

// Messages and reductions lie on pages with other things, so these are not for the guard of pages.
static weft_status flows_add(weft__guard_lane* lane) {
    const weft_world* world = lane->guard->world;
    for (uint32_t i = 0; i < world->channels.count; i++) {
        const weft__channel* channel = &world->channels.items[i];
        size_t size = weft__type_at(world, channel->type)->type->size;
        if (channel->count > 0)
            WEFT_TRY(list_add(lane, channel->payloads.items, channel->count * size, channel->type,
                              WEFT__MODE(CONSUME), 0));
    }
    for (uint32_t i = 0; i < world->reductions.count; i++) {
        const weft__reduction* reduction = &world->reductions.items[i];
        WEFT_TRY(list_add(lane, reduction->value, weft__type_at(world, reduction->type)->type->size,
                          reduction->type, WEFT__MODE(REDUCED), 0));
    }
    return WEFT_STATUS_OK;
}

// The partials that the running system may write.
static weft_status partials_add(weft__guard_lane* lane) {
    weft_view* view = lane->view;
    for (uint32_t i = 0; i < view->access->terms.count; i++) {
        const weft__term* term = &view->access->terms.items[i];
        if (term->mode == WEFT_ACCESS_REDUCE)
            WEFT_TRY(span_add(
                lane,
                weft__reduction_partial(view->world, term->index, term->producer, view->chunk),
                term->type->size, WEFT__SPAN_WRITE, 0));
    }
    return WEFT_STATUS_OK;
}

weft_status weft__guard_spans(weft__guard_lane* lane) {
    weft_world* world = lane->guard->world;
    weft__chunk* own = lane->view->chunk;
    lane->spans.count = 0;
    if (own != NULL)
        WEFT_TRY(chunk_add(lane, own, true));
    for (uint32_t i = 0; own != NULL && i < world->sparse.count; i++) {
        weft__chunk* presence = weft__chunk_find(&world->sparse.items[i], own->shard);
        if (presence != NULL)
            WEFT_TRY(chunk_add(lane, presence, true));
    }
    for (uint32_t i = 0; i < world->resources.count; i++) {
        const weft__resource* resource = &world->resources.items[i];
        WEFT_TRY(list_add(lane, resource->values, resource->size, resource->type,
                          WEFT__MODE(RESOURCE_READ), WEFT__MODE(RESOURCE_WRITE)));
    }
    if (lane->guard->mode == WEFT_GUARD_TRAP)
        return WEFT_STATUS_OK;
    WEFT_TRY(flows_add(lane));
    if (lane->guard->mode == WEFT_GUARD_TWIN)
        WEFT_TRY(partials_add(lane));
    if (world->chunks.count == 0 || lane->guard->calls % OTHER_CALLS != 0)
        return WEFT_STATUS_OK;
    weft__chunk* other =
        world->chunks.items[lane->guard->calls / OTHER_CALLS % world->chunks.count];
    return other == own ? WEFT_STATUS_OK : chunk_add(lane, other, false);
}

// What must not change
// -----------------------------------------------------------------------------

static bool span_kept(const weft__guard_lane* lane, const weft__span* span) {
    if (lane->guard->mode == WEFT_GUARD_TRAP)
        return span->access == WEFT__SPAN_ROOM;
    return span->access != WEFT__SPAN_WRITE || span->shared != 0;
}

weft_status weft__guard_keep(weft__guard_lane* lane) {
    size_t all = 0;
    lane->copy.count = 0;
    for (uint32_t i = 0; i < lane->spans.count; i++)
        if (span_kept(lane, &lane->spans.items[i]))
            all += lane->spans.items[i].bytes;
    WEFT_TRY(WEFT__VEC_RESERVE(&lane->guard->world->arena, lane->copy, all));
    uint8_t* to = lane->copy.items;
    for (uint32_t i = 0; i < lane->spans.count; i++) {
        const weft__span* span = &lane->spans.items[i];
        if (!span_kept(lane, span))
            continue;
        memcpy(to, span->at, span->bytes);
        to += span->bytes;
    }
    return WEFT_STATUS_OK;
}

// Rows of a presence table that belong to the chunk at hand may change.
static bool row_is_own(const weft__guard_lane* lane, const weft__span* span, size_t byte) {
    if (span->shared == 0)
        return false;
    const weft__chunk* own = lane->view->chunk;
    const weft__archetype* table = &lane->guard->world->sparse.items[span->shared - 1];
    const weft__chunk* presence = weft__chunk_find(table, own->shard);
    WEFT_ASSERT(presence != NULL && byte < span->bytes);
    size_t row = byte / table->column_sizes[0];
    WEFT_ASSERT(row < presence->row_count);
    return weft__members_has(&own->members, presence->entities[row].slot % WEFT_SHARD_SLOTS);
}

const uint8_t* weft__guard_changed(const weft__guard_lane* lane) {
    const uint8_t* before = lane->copy.items;
    for (uint32_t i = 0; i < lane->spans.count; i++) {
        const weft__span* span = &lane->spans.items[i];
        if (!span_kept(lane, span))
            continue;
        if (memcmp(before, span->at, span->bytes) != 0)
            for (size_t j = 0; j < span->bytes; j++)
                if (before[j] != span->at[j] && !row_is_own(lane, span, j))
                    return span->at + j;
        before += span->bytes;
    }
    return NULL;
}

// What lies where
// ----------------------------------------------------------------------------------

const uint8_t* weft__guard_in_place(const weft_world* world, const uint8_t* address) {
    uintptr_t place = (uintptr_t)address - (uintptr_t)world->read_alias;
    const weft__arena_segment* segment = world->arena.segments;
    for (; segment != NULL; segment = segment->next)
        if (place - (uintptr_t)segment < segment->size)
            return (const uint8_t*)segment + (place - (uintptr_t)segment);
    return NULL;
}

// True if the address is among `count` values of `size` bytes, or in the room of `room` bytes that
// they have.
static bool spot_find(weft__spot* spot, const uint8_t* address, void* begin, uint32_t size,
                      uint32_t count, size_t room) {
    uintptr_t at = (uintptr_t)address - (uintptr_t)begin;
    if (begin == NULL || size == 0 || at >= room)
        return false;
    spot->row = (uint32_t)(at / size);
    spot->offset = (uint32_t)(at % size);
    spot->beyond = spot->row >= count;
    spot->begin = begin;
    spot->used = (size_t)count * size;
    return true;
}

static bool spot_in_chunk(const weft_world* world, const weft__chunk* chunk, const uint8_t* address,
                          weft__spot* spot) {
    const weft__archetype* table = weft__chunk_table(world, chunk);
    uint32_t rows = chunk->row_count;
    *spot = (weft__spot){.place = WEFT_GUARD_ENTITIES, .chunk = chunk};
    if (chunk->block.start == NULL)
        return false;
    if (spot_find(spot, address, chunk->entities, sizeof(weft_entity), rows,
                  weft__column_bytes(world, chunk->capacity, sizeof(weft_entity))))
        return true;
    spot->place = WEFT_GUARD_COMPONENT;
    for (uint32_t i = 0; i < chunk->column_count; i++) {
        uint32_t size = table->column_sizes[i];
        size_t room = weft__column_bytes(world, chunk->capacity, size);
        spot->type_id = table->column_types[i];
        if (spot_find(spot, address, chunk->columns[i], size, rows, room))
            return true;
        spot->back = spot_find(spot, address, chunk->backs[i], size, rows, room);
        if (spot->back)
            return true;
    }
    return false;
}

static bool spot_in_list(const weft_world* world, const uint8_t* address, weft__spot* spot) {
    for (uint32_t i = 0; i < world->resources.count; i++) {
        const weft__resource* resource = &world->resources.items[i];
        *spot = (weft__spot){.place = WEFT_GUARD_RESOURCE, .type_id = resource->type};
        if (spot_find(spot, address, resource->values,
                      weft__type_at(world, resource->type)->type->size, resource->count,
                      weft__arena_apart(&world->arena, resource->size)))
            return true;
    }
    for (uint32_t i = 0; i < world->channels.count; i++) {
        const weft__channel* channel = &world->channels.items[i];
        uint32_t size = weft__type_at(world, channel->type)->type->size;
        *spot = (weft__spot){.place = WEFT_GUARD_MESSAGE, .type_id = channel->type};
        if (spot_find(spot, address, channel->payloads.items, size, channel->count,
                      (size_t)channel->count * size))
            return true;
    }
    for (uint32_t i = 0; i < world->reductions.count; i++) {
        const weft__reduction* reduction = &world->reductions.items[i];
        uint32_t size = weft__type_at(world, reduction->type)->type->size;
        *spot = (weft__spot){.place = WEFT_GUARD_REDUCTION, .type_id = reduction->type};
        if (spot_find(spot, address, reduction->value, size, 1, size))
            return true;
    }
    return false;
}

weft__spot weft__guard_spot(const weft_world* world, const uint8_t* address) {
    weft__spot spot = {.place = WEFT_GUARD_NOWHERE};
    if (address == NULL)
        return spot;
    for (uint32_t i = 0; i < world->chunks.count; i++)
        if (spot_in_chunk(world, world->chunks.items[i], address, &spot))
            return spot;
    for (uint32_t i = 0; i < world->sparse.count; i++)
        for (uint32_t j = 0; j < world->sparse.items[i].chunks.count; j++)
            if (spot_in_chunk(world, world->sparse.items[i].chunks.items[j], address, &spot))
                return spot;
    if (spot_in_list(world, address, &spot))
        return spot;
    return (weft__spot){.place = WEFT_GUARD_NOWHERE};
}
