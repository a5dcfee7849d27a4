/// A world's state in parts that may be encoded at once: what snapshots are written by.
#pragma once

#include <weft/state.h>

typedef enum weft__state_part_kind {
    WEFT__STATE_PART_FRONT = 0, // Header, schema, counts, lists: the first one.
    WEFT__STATE_PART_ROWS = 1,  // Rows of chunks.
    WEFT__STATE_PART_BACK = 2,  // Presence tables, free slots, values: the last one.
} weft__state_part_kind;

/// A part. The encoded state is its parts, one behind the other.
typedef struct weft__state_part {
    weft__state_part_kind kind;
    uint32_t begin; // Of chunks, by id.
    uint32_t end;
    uint64_t size;
} weft__state_part;

/// WORLD_FAILED, or WRONG_PHASE where the host has recorded commands, as weft_world_encode().
WEFT_NODISCARD weft_status weft__state_ready(weft_world* world);

/// The part that follows `last`, or the first one where null. A part of rows has `size_wanted`
/// bytes or a chunk more.
weft__state_part weft__state_part_next(weft_world* world, const weft__state_part* last,
                                       uint64_t size_wanted);

/// Writes a part to memory of its size. `state_size` is that of the whole. Several threads may
/// encode parts of a world that does not change.
void weft__state_part_encode(weft_world* world, const weft__state_part* part, uint64_t state_size,
                             uint8_t* out);
