// Recording and merging in key order. The merge forgets which lane a record came from.

#include <string.h>

#include "weft_sort.h"
#include "weft_world.h"

static weft__log_block* log_block_next(weft_world* world, weft__stream* stream, uint32_t need) {
    WEFT_ASSERT(need >= sizeof(weft__record) && need % 8 == 0);
    weft__log_block* next = stream->current == NULL ? stream->first : stream->current->next;
    // A block that is too small for a large value is skipped for this tick, not freed.
    while (next != NULL && next->size < need) {
        next->used = 0;
        next = next->next;
    }
    if (next == NULL) {
        uint32_t size = need > WEFT__LOG_BLOCK_BYTES ? need : WEFT__LOG_BLOCK_BYTES;
        next = weft__arena_alloc(&world->arena, sizeof(weft__log_block) + size);
        if (next == NULL)
            return NULL;
        next->next = NULL;
        next->size = size;
        // From the current block on: behind it lie only those that were just skipped.
        weft__log_block** tail = stream->current == NULL ? &stream->first : &stream->current->next;
        while (*tail != NULL)
            tail = &(*tail)->next;
        *tail = next;
    }
    WEFT_ASSERT(next->size >= need);
    next->used = 0;
    stream->current = next;
    return next;
}

static weft__segment* log_segment(weft_commands* commands, weft__stream* stream) {
    weft_world* world = commands->world;
    if (WEFT__VEC_RESERVE(&world->arena, stream->segments, 1) != WEFT_STATUS_OK)
        return NULL;
    weft__segment* segment = &stream->segments.items[stream->segments.count++];
    *segment = (weft__segment){.rank = commands->rank,
                               .archetype = commands->archetype,
                               .shard = commands->shard,
                               .unit = commands->unit,
                               .unit_count = commands->unit_count};
    stream->task = commands->lane->task;
    return segment;
}

// The rare part of an append: a task's first record, or a full block.
__attribute__((noinline)) static bool log_prepare(weft_commands* commands, weft__stream* stream,
                                                  uint32_t need) {
    bool first = stream->task != commands->lane->task || stream->segments.count == 0;
    weft__segment* segment =
        first ? log_segment(commands, stream) : &stream->segments.items[stream->segments.count - 1];
    weft__log_block* block = stream->current;
    if (block == NULL || block->size - block->used < need)
        block = log_block_next(commands->world, stream, need);
    if (segment == NULL || block == NULL) {
        weft__lane_fail(commands->lane, WEFT_STATUS_OUT_OF_MEMORY, commands->rank,
                        commands->archetype, commands->shard,
                        "no memory is left for recorded commands or messages");
        return false;
    }
    WEFT_ASSERT(block == stream->current && block->size - block->used >= need);
    if (segment->count == 0) {
        segment->block = block;
        segment->offset = block->used;
    }
    return true;
}

weft__record* weft__log_append(weft_commands* commands, uint32_t stream_index, uint32_t row,
                               uint32_t value_size) {
    weft__lane* lane = commands->lane;
    WEFT_CHECK(stream_index < lane->streams.count);
    weft__stream* stream = &lane->streams.items[stream_index];
    uint32_t need = (uint32_t)sizeof(weft__record) + ((value_size + 7u) & ~7u);
    weft__log_block* block = stream->current;
    bool rare = stream->task != lane->task || stream->segments.count == 0 || block == NULL ||
                block->size - block->used < need;
    if (__builtin_expect(rare, 0)) {
        if (!log_prepare(commands, stream, need))
            return NULL;
        block = stream->current;
    }
    weft__segment* segment = &stream->segments.items[stream->segments.count - 1];
    WEFT_CHECK(block->size - block->used >= need && segment->rank == commands->rank);
    segment->unsorted |= row < segment->last_row;
    segment->last_row = row;
    segment->count++;
    weft__record* record = (weft__record*)(void*)((uint8_t*)(block + 1) + block->used);
    block->used += need;
    record->row = row;
    return record;
}

// Walks a segment's records; blocks hold whole records only.
typedef struct log_reader {
    weft__log_block* block;
    uint32_t offset;
} log_reader;

weft__segment* weft__log_segment(const weft_commands* commands, uint32_t stream_index) {
    WEFT_ASSERT(stream_index < commands->lane->streams.count);
    const weft__stream* stream = &commands->lane->streams.items[stream_index];
    if (stream->task != commands->lane->task || stream->segments.count == 0)
        return NULL;
    return &stream->segments.items[stream->segments.count - 1];
}

// Bytes behind a record's head.
static uint32_t record_tail(const weft_world* world, const weft__record* record) {
    if (record->op == WEFT__OP_CREATE_WITH)
        return weft__record_bundle(record)->size;
    if (record->op == WEFT__OP_CREATE_MANY)
        return (uint32_t)sizeof(weft__many) + weft__record_bundle(record)->size;
    if (record->op == WEFT__OP_DESTROY_MANY)
        return (uint32_t)sizeof(weft__many) +
               weft__record_many(record)->count * (uint32_t)sizeof(weft_entity);
    return record->has_value ? weft__type_at(world, record->type)->type->size : 0;
}

static const weft__record* log_read(log_reader* reader, const weft_world* world) {
    while (reader->offset >= reader->block->used) {
        reader->block = reader->block->next;
        reader->offset = 0;
        WEFT_ASSERT(reader->block != NULL);
    }
    const weft__record* record =
        (const weft__record*)(const void*)((uint8_t*)(reader->block + 1) + reader->offset);
    uint32_t size = record_tail(world, record);
    reader->offset += (uint32_t)sizeof(weft__record) + ((size + 7u) & ~7u);
    WEFT_CHECK(reader->offset <= reader->block->used);
    return record;
}

static bool segment_before(const weft__segment* a, const weft__segment* b, const void* extra) {
    (void)extra;
    return weft__key_before((weft__key){a->rank, a->archetype, a->shard},
                            (weft__key){b->rank, b->archetype, b->shard});
}

static bool record_before(const weft__record* a, const weft__record* b, const void* extra) {
    (void)extra;
    return a->row < b->row;
}

WEFT__SORT(sort_segments, weft__segment*, void, segment_before)
WEFT__SORT(sort_records, const weft__record*, void, record_before)

static weft_status gather_segments(weft_world* world, weft__stream* stream,
                                   uint32_t* record_count) {
    WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, world->segments, stream->segments.count));
    for (uint32_t i = 0; i < stream->segments.count; i++) {
        world->segments.items[world->segments.count++] = &stream->segments.items[i];
        *record_count += stream->segments.items[i].count;
    }
    return WEFT_STATUS_OK;
}

weft_status weft__log_order(weft_world* world, uint32_t stream, bool host) {
    uint32_t record_count = 0;
    bool unsorted = false;
    bool ordered = !world->desc.unordered_commit;
    WEFT_ASSERT(stream < world->host.streams.count);
    world->segments.count = 0;
    world->records.count = world->record_scratch.count = 0;
    if (host) {
        WEFT_TRY(gather_segments(world, &world->host.streams.items[stream], &record_count));
    } else {
        for (uint32_t i = 0; i < world->lane_count; i++)
            WEFT_TRY(gather_segments(world, &world->lanes[i].streams.items[stream], &record_count));
    }
    WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, world->records, record_count));
    world->segment_scratch.count = 0;
    WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, world->segment_scratch, world->segments.count));
    if (ordered)
        sort_segments(world->segments.items, world->segment_scratch.items, world->segments.count,
                      NULL);
    for (uint32_t i = 0; i < world->segments.count; i++) {
        weft__segment* segment = world->segments.items[i];
        WEFT_ASSERT(!ordered || i == 0 ||
                    segment_before(world->segments.items[i - 1], segment, NULL));
        segment->first_record = world->records.count;
        world->records.count += segment->count;
        unsorted |= segment->unsorted && ordered;
    }
    WEFT_ASSERT(world->records.count == record_count);
    *(stream == 0 ? &world->stats.commands : &world->stats.messages) += record_count;
    return unsorted ? WEFT__VEC_RESERVE(&world->arena, world->record_scratch, record_count)
                    : WEFT_STATUS_OK;
}

void weft__log_read(weft_world* world, const weft__segment* segment) {
    log_reader reader = {segment->block, segment->offset};
    WEFT_ASSERT(segment->first_record + segment->count <= world->records.count);
    const weft__record** begin = world->records.items + segment->first_record;
    for (uint32_t i = 0; i < segment->count; i++)
        begin[i] = log_read(&reader, world);
    if (!segment->unsorted || world->desc.unordered_commit)
        return;
    WEFT_ASSERT(segment->first_record + segment->count <= world->record_scratch.capacity);
    sort_records(begin, world->record_scratch.items + segment->first_record, segment->count, NULL);
}

static void stream_clear(weft__stream* stream) {
    if (stream->first != NULL)
        stream->first->used = 0;
    stream->current = stream->first;
    stream->segments.count = 0;
}

void weft__log_clear(weft_world* world, uint32_t stream) {
    for (uint32_t i = 0; i < world->lane_count; i++)
        if (stream < world->lanes[i].streams.count) // Else there was no memory for the lane.
            stream_clear(&world->lanes[i].streams.items[stream]);
    stream_clear(&world->host.streams.items[stream]);
}

void weft__log_task_visit(const weft_world* world, const weft__lane* lane, uint32_t stream_index,
                          weft__record_fn* fn, void* context) {
    WEFT_ASSERT(fn != NULL && stream_index < lane->streams.count);
    const weft__stream* stream = &lane->streams.items[stream_index];
    if (stream->segments.count == 0 || stream->task != lane->task)
        return;
    const weft__segment* segment = &stream->segments.items[stream->segments.count - 1];
    log_reader reader = {segment->block, segment->offset};
    for (uint32_t i = 0; i < segment->count; i++) {
        const weft__record* record = log_read(&reader, world);
        uint32_t bytes = (uint32_t)sizeof(*record) + record_tail(world, record);
        fn(context, record, weft_digest_of(record, bytes, i));
    }
}

// Chains the records' digests.
static void digest_record(void* context, const weft__record* record, weft_digest part) {
    weft_digest* digest = context;
    (void)record;
    uint64_t both[4] = {digest->low, digest->high, part.low, part.high};
    *digest = weft_digest_of(both, sizeof(both), 0);
}

weft_digest weft__log_task_digest(const weft_world* world, const weft__lane* lane,
                                  uint32_t stream_index) {
    weft_digest digest = {0, 0};
    weft__log_task_visit(world, lane, stream_index, digest_record, &digest);
    return digest;
}
