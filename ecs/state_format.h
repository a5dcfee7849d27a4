/// The format of an encoded state: a header, then sections, each with its length and checksum.
///
/// Which sections follow, and how long they are, follows from those before, so nothing can be left
/// out, added or exchanged unseen. Lists are cut into parts of 4096 values: neither side needs a
/// scratch that grows with them.
#pragma once

#include "weft_bytes.h"
#include "weft_world.h"

#define WEFT__STATE_MAGIC UINT64_C(0x5441545354464557) // "WEFTSTAT"
#define WEFT__STATE_VERSION 1u
#define WEFT__STATE_HEADER 40u // Magic, version, zero, schema, bytes in all, checksum of these.
#define WEFT__STATE_HEAD 32u   // Of a section.
#define WEFT__STATE_SUMMED 24u // Bytes of a head that seed the checksum of its content.
#define WEFT__STATE_PART WEFT_SHARD_SLOTS

/// Sections in the order in which they come. Numbers enter files; none is reused.
typedef enum weft__state_kind {
    WEFT__STATE_SCHEMA = 1,     // Each type: role, flags, values, layout, name.
    WEFT__STATE_WORLD = 2,      // Identity, tick and counts.
    WEFT__STATE_ARCHETYPES = 3, // Each but the empty set, by id: its types.
    WEFT__STATE_CHUNKS = 4,     // Each, by id: archetype, shard, rows.
    WEFT__STATE_ROWS = 5,       // Of one chunk that has some: handles, then columns.
    WEFT__STATE_PRESENCES = 6,  // Each with rows, by table and shard: table, shard, rows.
    WEFT__STATE_PRESENCE = 7,   // Of one of these: handles, then values.
    WEFT__STATE_FREE = 8,       // Free slots with the generations they will have, next last.
    WEFT__STATE_RESOURCE = 9,   // Values of one.
    WEFT__STATE_REDUCTION = 10, // Value of one.
    WEFT__STATE_MESSAGES = 11,  // Of one channel, for the next tick: addressees, then payloads.
} weft__state_kind;

/// The head of a section.
typedef struct weft__state_head {
    uint32_t kind;
    uint32_t index;  // Which chunk, presence, resource, reduction, channel.
    uint32_t part;   // Of a list.
    uint32_t count;  // Entries.
    uint64_t length; // Bytes of the content.
} weft__state_head;

/// Sizes of parts of sections.
#define WEFT__STATE_TYPE 18u // Before the name.
#define WEFT__STATE_WORLD_SIZE 68u
#define WEFT__STATE_CHUNK 12u
#define WEFT__STATE_HANDLE 8u

/// What a type is besides its name and layout.
static inline uint32_t weft__state_flags(const weft_world* world, const weft__type* type) {
    uint32_t flags = type->buffered;
    if (type->role == WEFT__ROLE_CHANNEL) {
        const weft__channel* channel = &world->channels.items[type->index];
        flags |= (uint32_t)channel->target << 1 | (uint32_t)channel->delivery << 2;
    }
    return flags;
}

/// Values that a type has of itself: of a resource, else 0.
static inline uint32_t weft__state_values(const weft_world* world, const weft__type* type) {
    return type->role == WEFT__ROLE_RESOURCE ? world->resources.items[type->index].count : 0;
}

static inline uint32_t weft__state_identity_flags(const weft_world_desc* desc) {
    return (uint32_t)desc->allow_float | (uint32_t)desc->deterministic << 1 |
           (uint32_t)desc->unordered_commit << 2;
}

/// Entries of part `part` of a list.
static inline uint32_t weft__state_part_count(uint32_t count, uint32_t part) {
    uint32_t left = count - part * WEFT__STATE_PART;
    return left < WEFT__STATE_PART ? left : WEFT__STATE_PART;
}

static inline uint32_t weft__state_parts(uint32_t count) {
    return count / WEFT__STATE_PART + (count % WEFT__STATE_PART != 0);
}

static inline void weft__state_put_head(weft__bytes* bytes, const weft__state_head* head) {
    weft__bytes_put_u32(bytes, head->kind);
    weft__bytes_put_u32(bytes, head->index);
    weft__bytes_put_u32(bytes, head->part);
    weft__bytes_put_u32(bytes, head->count);
    weft__bytes_put_u64(bytes, head->length);
}

/// Checksum of a section: every bit of head and content counts. `head` are its first bytes.
static inline uint64_t weft__state_checksum(const uint8_t* head, const void* content,
                                            size_t length) {
    return weft_hash64_of(content, length, weft_hash64_of(head, WEFT__STATE_SUMMED, 0));
}

/// A line of the list of chunks, and where the section of its rows begins, if those before are as
/// long as their lines say.
typedef struct weft__state_line {
    uint32_t archetype;
    uint32_t shard;
    uint32_t rows;
    uint32_t next; // Of the same shard, by id, or WEFT__NONE.
    size_t at;
} weft__state_line;

/// The chunks of a shard.
typedef struct weft__state_shard {
    uint32_t first; // Or WEFT__NONE.
    uint32_t last;
    uint32_t fault; // The first with something wrong, or WEFT__NONE.
} weft__state_shard;

/// A state that was looked through: where everything is, and what it says of the world.
typedef struct weft__state_image {
    weft_world* world;
    weft__runner* runner;
    bool quiet; // Several workers look through it: none may write the world's error.
    weft__reader reader;
    const uint8_t* data; // The reader's bytes.
    uint64_t tick;
    uint64_t live_count;
    uint64_t retired_count;
    uint32_t slot_count;
    uint32_t free_count;
    uint32_t archetype_count; // The empty set too.
    uint32_t chunk_count;
    uint32_t presence_count;
    WEFT__VEC(uint32_t) message_counts; // By channel; 0 for those of DELIVERY_TICK.
    WEFT__VEC(uint32_t) sets;           // By archetype id.
    WEFT__VEC(uint8_t) set_seen;        // By set.
    WEFT__VEC(uint64_t) keys;           // Of chunks, sorted.
    WEFT__VEC(uint64_t) key_scratch;
    WEFT__VEC(weft__state_line) lines; // By chunk id.
    WEFT__VEC(weft__state_shard) shards;
    WEFT__VEC(uint32_t) generations; // By slot: of the living; FREE for free ones; else 0.
    size_t rows_end;                 // Of the sections of rows in the bytes;
    size_t presences_at;             // of the list of presences,
    size_t presence_at;              // and of the first section behind it.
} weft__state_image;

/// The handle at a place of the bytes.
static inline weft_entity weft__state_handle(const uint8_t* in) {
    weft_entity handle;
    _Static_assert(sizeof(handle) == WEFT__STATE_HANDLE, "a handle is two words");
    if (WEFT__LITTLE_ENDIAN) {
        memcpy(&handle, in, sizeof(handle));
    } else {
        weft__reader reader;
        weft__reader_init(&reader, in, WEFT__STATE_HANDLE);
        handle.slot = weft__reader_get_u32(&reader);
        handle.generation = weft__reader_get_u32(&reader);
    }
    return handle;
}

/// Reads the next section, of a kind that is known to come, and moves on. Its head and checksum
/// were found right before.
const uint8_t* weft__state_take(weft__reader* reader, weft__state_head* head_out);

/// Looks through all of a state, for a world and by a runner that the image has. Fills the rest of
/// the image, which is to be forgotten in any case.
WEFT_NODISCARD weft_status weft__state_parse(weft__state_image* image, const void* bytes,
                                             size_t size);
void weft__state_forget(weft__state_image* image);
