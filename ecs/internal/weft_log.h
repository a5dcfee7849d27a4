/// Logs: what tasks record, filed under the task's key and merged in key order (C6).
///
/// Each lane has a stream for commands and one per channel. A task's records lie together in one
/// segment, which carries the task's key: system rank, archetype, shard. Which lane a segment is in
/// is forgotten by the merge.
#pragma once

#include <weft/type.h>

#include "weft_arena.h"

typedef enum weft__op {
    WEFT__OP_CREATE = 1,
    WEFT__OP_DESTROY = 2,
    WEFT__OP_ADD = 3,
    WEFT__OP_REMOVE = 4,
    WEFT__OP_SET = 5,
    WEFT__OP_MESSAGE = 6,
    WEFT__OP_CREATE_WITH = 7,  // A weft__bundle follows.
    WEFT__OP_CREATE_MANY = 8,  // A weft__many and a weft__bundle follow.
    WEFT__OP_DESTROY_MANY = 9, // A weft__many and its handles follow.
} weft__op;

/// What orders tasks wherever a result could depend on who was first (C6, C11).
typedef struct weft__key {
    uint32_t rank;
    uint32_t archetype;
    uint32_t shard;
} weft__key;

static inline bool weft__key_before(weft__key a, weft__key b) {
    if (a.rank != b.rank)
        return a.rank < b.rank;
    return a.archetype != b.archetype ? a.archetype < b.archetype : a.shard < b.shard;
}

/// One record; its value follows, padded to 8 bytes.
typedef struct weft__record {
    weft_entity entity; // Target, or the provisional handle of a create.
    uint32_t row;       // Row at hand: part of the key.
    uint16_t type;      // Type id of a component; 0 for none.
    uint8_t op;
    uint8_t has_value;
} weft__record;

_Static_assert(sizeof(weft__record) == 16, "records are packed back to back in 8-byte steps");

/// What follows a create with components: a head, then for each a part and its value, padded to 8.
typedef struct weft__bundle {
    uint32_t size; // Bytes of all that follows the record, this head included.
    uint32_t count;
} weft__bundle;

typedef enum weft__part_kind {
    WEFT__PART_ZERO = 0,
    WEFT__PART_VALUE = 1,  // One value, for each entity of the record.
    WEFT__PART_COLUMN = 2, // A value for each entity.
} weft__part_kind;

typedef struct weft__part {
    uint16_t type;
    uint16_t kind;
    uint32_t size; // Bytes of the values, padded.
} weft__part;

/// Of how many entities a record speaks. Large numbers are cut into several records, so that none
/// is larger than a block of the log.
typedef struct weft__many {
    uint32_t count;
    uint32_t pad;
} weft__many;

static inline const weft__part* weft__bundle_first(const weft__bundle* bundle) {
    return (const weft__part*)(const void*)(bundle + 1);
}

static inline const weft__part* weft__bundle_next(const weft__part* part) {
    return (const weft__part*)(const void*)((const uint8_t*)(part + 1) + part->size);
}

static inline void* weft__record_value(const weft__record* record) {
    // weft-lint: allow(address): drops the const, keeps no number
    return (void*)(uintptr_t)(record + 1);
}

static inline const weft__many* weft__record_many(const weft__record* record) {
    return weft__record_value(record);
}

/// The components that a create brings along; null if it is of the kind that brings none.
static inline const weft__bundle* weft__record_bundle(const weft__record* record) {
    if (record->op == WEFT__OP_CREATE_WITH)
        return weft__record_value(record);
    if (record->op == WEFT__OP_CREATE_MANY)
        return (const weft__bundle*)(const void*)(weft__record_many(record) + 1);
    return NULL;
}

/// The handles of a destroy of many.
static inline const weft_entity* weft__record_handles(const weft__record* record) {
    return (const weft_entity*)(const void*)(weft__record_many(record) + 1);
}

typedef struct weft__log_block {
    struct weft__log_block* next;
    uint32_t size; // Payload bytes.
    uint32_t used;
} weft__log_block;

/// The records of one task in one stream.
typedef struct weft__segment {
    uint32_t rank;
    uint32_t archetype;
    uint32_t shard;
    uint32_t count;
    uint64_t create_count; // Entities.
    uint32_t bulk_records; // Creates of many,
    uint64_t bulk_creates; // and entities of these.
    uint64_t bulk_handles; // Of destroys of many.
    uint32_t create_base;  // In world.create_map, set by the commit.
    uint32_t first_record; // In world.records, set by the gathering.
    uint32_t unit;
    uint32_t unit_count;
    uint32_t last_row;
    bool unsorted; // Rows did not ascend: the commit sorts them, stably.
    weft__log_block* block;
    uint32_t offset; // Of the first record in its block.
} weft__segment;

typedef struct weft__stream {
    uint64_t task; // Task serial that the last segment belongs to.
    weft__log_block* current;
    weft__log_block* first;
    WEFT__VEC(weft__segment) segments;
} weft__stream;

struct weft__lane;
struct weft_world;
struct weft_commands;

/// Payload bytes of a block of a log, except for one that a single record needs larger: with its
/// head it fills a size class of the arena.
#define WEFT__LOG_BLOCK_BYTES (65536u - (uint32_t)sizeof(weft__log_block))

/// Appends a record with room for `value_size` bytes to a stream under the recorder's key. Null
/// when memory is out; the lane then carries the failure.
weft__record* weft__log_append(struct weft_commands* commands, uint32_t stream, uint32_t row,
                               uint32_t value_size);

/// The running task's segment of a stream, or null if it recorded nothing there.
weft__segment* weft__log_segment(const struct weft_commands* commands, uint32_t stream);

/// All segments of one stream of all lanes (or of the host's alone) in key order, in
/// world.segments, and the place of each one's records in world.records.
WEFT_NODISCARD weft_status weft__log_order(struct weft_world* world, uint32_t stream, bool host);

/// Reads the records of a segment to their places, in key order. Segments are independent.
void weft__log_read(struct weft_world* world, const weft__segment* segment);

/// Forgets the records of one stream in every lane and the host's.
void weft__log_clear(struct weft_world* world, uint32_t stream);

/// Visits what the running task recorded in a stream so far. `digest` is of the record and its
/// place.
typedef void weft__record_fn(void* context, const weft__record* record, weft_digest digest);
void weft__log_task_visit(const struct weft_world* world, const struct weft__lane* lane,
                          uint32_t stream, weft__record_fn* fn, void* context);

/// Hash of it all.
weft_digest weft__log_task_digest(const struct weft_world* world, const struct weft__lane* lane,
                                  uint32_t stream);
