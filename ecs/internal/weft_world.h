/// The world struct: the map of the layer.
///
/// Ownership in a tick: while systems run, a chunk is written by the one worker that runs its task,
/// a lane by its worker, and everything else is read only. Between the stages and in the commit's
/// serial parts the whole world belongs to the caller.
#pragma once

#include <string.h>

#include <weft/commands.h>
#include <weft/view.h>

#include "weft_arena.h"
#include "weft_log.h"
#include "weft_members.h"
#include "weft_runner.h"

#define WEFT__NONE UINT32_MAX
#define WEFT__LIVE_WORDS (WEFT_SHARD_SLOTS / 64)

// Provisional handles: slot 2^32 - 2 or 2^32 - 1, which no entity can have, plus 32 bits, so 33
// bits of number. The number is (unit << bits) + sequence, see weft__world.create_bits.
#define WEFT__PROVISIONAL_SLOT 0xFFFFFFFEu
#define WEFT__PROVISIONAL_BITS 33u

/// What a registered type is in this world.
typedef enum weft__role {
    WEFT__ROLE_COMPONENT = 1,
    WEFT__ROLE_SPARSE = 2,
    WEFT__ROLE_RESOURCE = 3,
    WEFT__ROLE_CHANNEL = 4,
    WEFT__ROLE_REDUCTION = 5,
} weft__role;

/// A registered type. Index + 1 is its id; ids of all roles share one sequence.
typedef struct weft__type {
    const weft_type* type;
    weft__role role;
    uint32_t index;    // In the array of its role: sparse, resources, channels, reductions.
    uint64_t hash;     // Of name and layout.
    bool buffered;     // Component with two columns.
    bool has_entities; // Some field is a handle. These three look into nested structs too.
    bool has_float;    // Some field may hold NaN.
    bool has_bool;     // Some field may hold a byte that is neither 0 nor 1.
} weft__type;

/// Memory for the rows of one chunk (block.c): a block of its own, or a slice of a run, which the
/// full chunks of an archetype share.
typedef struct weft__block {
    uint8_t* start; // Of the handles.
    struct weft__run* run;
    uint32_t slice;
} weft__block;

/// The rows of one archetype (or sparse component) whose slots lie in one shard, ascending by slot.
/// Each column is aligned to 64 bytes.
typedef struct weft__chunk {
    weft_entity* entities;
    void** columns; // [column_count] world(t), or the only one.
    uint32_t row_count;
    uint16_t column_count;
    uint16_t dirty_count; // Leaves that must be rehashed.
    uint32_t archetype;   // Archetype id; for a presence chunk the index of the sparse table.
    uint32_t shard;
    uint32_t local; // In shard.locals; presence chunks have none.
    bool sparse;
    bool listed;           // In some lane's list of changed chunks.
    bool swap;             // In some lane's list of chunks with a filled back column.
    bool stale;            // Some leaf was hashed after `node`.
    uint32_t change;       // Merge's own: its place in the lane's scratch, or WEFT__NONE.
    uint32_t rewritten;    // Number of the last commit that did.
    uint8_t* dirty;        // [column_count + 1]: leaf must be rehashed; the last is the entities'.
    uint8_t* filled;       // [column_count]: the back column was taken for writing in this tick.
    void** backs;          // [column_count] world(t+1) of buffered components; null otherwise.
    uint64_t written_tick; // Tick + 1 in which a system last took a column for writing.
    weft_digest* leaves;   // [column_count + 1]
    weft_digest node;
    weft__block block; // Where entities and columns lie.
    uint32_t capacity;
    uint32_t id; // Dense over all chunks of archetypes, in order of creation.
    weft__members members;
} weft__chunk;

/// A component set and its chunks; also the presence table of one sparse component.
typedef struct weft__archetype {
    uint32_t set; // Its node in the transition graph; unused in presence tables.
    uint32_t component_count;
    uint16_t* components; // Type ids, ascending.
    uint32_t column_count;
    uint16_t* column_types; // Type id of each column: the components with a size.
    uint32_t* column_sizes; // Bytes of one value.
    uint32_t* pack_offsets; // Where each column's value lies in a packed row.
    uint32_t pack_size;     // Bytes of a packed row, handle included: a multiple of 8.
    bool has_entities;
    bool has_buffered;
    bool dirty;                     // Some chunk's node changed since `node` was hashed.
    WEFT__VEC(weft__chunk*) chunks; // By shard.
    weft__block slices;             // Free ones, the first; the others are a list (block.c).
    weft_digest node;
    bool node_empty; // No rows: left out of the view.
} weft__archetype;

/// Where an entity lives. Eight bytes, so that one load tells whether a handle is alive and which
/// chunk has its row.
typedef struct weft__slot {
    uint32_t generation; // Of the living entity.
    uint32_t chunk;      // Its number in shard.locals + 1; 0: the slot is free.
} weft__slot;

/// 4096 consecutive slots. An entity never leaves its shard.
typedef struct weft__shard {
    weft__slot* slots; // [4096]
    uint64_t live[WEFT__LIVE_WORDS];
    WEFT__VEC(weft__chunk*) chunks; // Of archetypes, by archetype id.
    WEFT__VEC(uint32_t) archetypes; // Ids of these.
    WEFT__VEC(weft__chunk*) locals; // The same by order of creation: slots name these.
    // Commit's own.
    bool touched;
    bool sparse;          // Some command or death may change a presence table.
    bool unknown;         // Some edit's set is not stored yet.
    bool missing;         // Some edit's target is not there yet.
    uint32_t edit_begin;  // This shard's run in world.edits: deaths, then survivors, each ascending
    uint32_t edit_deaths; // by slot; and where its commands begin in world.references.
    uint32_t edit_end;    //
    uint32_t reference_end; // Commands on this shard's entities, by block, then by key.
    uint32_t freed;         // Slots.
    uint32_t newborn_first; // Chain through world.creates, in no order.
    uint32_t birth_first;   // The same through world.births.
    size_t carry;           // Bytes of packed rows that arrive.
} weft__shard;

/// True for every kind of create.
static inline bool weft__op_creates(uint8_t op) {
    return op == WEFT__OP_CREATE || op == WEFT__OP_CREATE_WITH || op == WEFT__OP_CREATE_MANY;
}

static inline weft__chunk* weft__slot_chunk(const weft__shard* shard, weft__slot slot) {
    return slot.chunk == 0 ? NULL : shard->locals.items[slot.chunk - 1];
}

/// The row of a slot in a chunk; it has one there.
static inline uint32_t weft__chunk_row_of(const weft__chunk* chunk, uint32_t slot) {
    uint32_t local = slot % WEFT_SHARD_SLOTS;
    WEFT_CHECK(weft__members_has(&chunk->members, local));
    return weft__members_rank(&chunk->members, local);
}

/// The row of a slot in a chunk, or WEFT__NONE.
static inline uint32_t weft__chunk_row(const weft__chunk* chunk, uint32_t slot) {
    uint32_t local = slot % WEFT_SHARD_SLOTS;
    return weft__members_has(&chunk->members, local) ? weft__members_rank(&chunk->members, local)
                                                     : WEFT__NONE;
}

/// A set of components as a node of the transition graph: a memo, never state. Only sets that a
/// commit stores become archetypes.
typedef struct weft__set {
    uint64_t hash;
    uint32_t component_count;
    uint16_t* components;
    uint32_t archetype; // WEFT__NONE until stored.
    uint64_t last_edge; // Key of the step last taken from here, and where it led.
    uint32_t last_set;
    weft__chunk* last_chunk; // The chunk that a commit last sent a row of this set to.
} weft__set;

#define WEFT__BUNDLE_IDS 8u // Creates with so many components at most are remembered by kind.

typedef struct weft__resource {
    uint32_t type; // Id.
    uint32_t count;
    size_t size; // Of all values.
    void* values;
    bool dirty;
    weft_digest leaf;
    WEFT__VEC(weft_digest) pieces; // Of 4096 values each: what the leaf is made of.
} weft__resource;

/// Messages on their way to consumers, for the workers of a batch.
typedef struct weft__delivery {
    weft_entity* to_targets; // Where what was sent is copied to; null: nobody asks.
    uint8_t* to_payloads;
    const weft_entity* targets; // Pending, in key order, as the next.
    const uint8_t* payloads;
    uint32_t channel;
    uint32_t count;
} weft__delivery;

/// Values that may hold provisional handles, looked at by one worker.
typedef struct weft__handle_span {
    const weft_type* type;
    uint8_t* values;
    uint32_t count;
} weft__handle_span;

/// Some pieces of a resource, hashed by one worker.
typedef struct weft__digest_part {
    uint32_t resource;
    uint32_t first; // Piece.
    uint32_t count;
} weft__digest_part;

typedef struct weft__channel {
    uint32_t type;   // Id.
    uint32_t stream; // Of the lanes' logs.
    weft_target target;
    weft_delivery delivery;
    // Delivered: what consumers read. Payloads of `size` bytes each, and whom they are for.
    WEFT__VEC(uint8_t) payloads;
    WEFT__VEC(weft_entity) targets;
    uint32_t count;
    // Pending for the next tick, in key order.
    WEFT__VEC(uint8_t) next_payloads;
    WEFT__VEC(weft_entity) next_targets;
    uint32_t next_count;
    bool dirty;
    weft_digest leaf;
} weft__channel;

typedef struct weft__reduction {
    uint32_t type; // Id.
    weft_combine_fn* combine;
    void* identity;
    void* value;
    bool dirty;
    weft_digest leaf;
    uint32_t producer_count;     // Set by the plan.
    WEFT__VEC(uint8_t) partials; // [producer][chunk id] values.
    WEFT__VEC(uint64_t) stamps;  // [producer][chunk id]: tick + 1 in which it was started.
    WEFT__VEC(uint8_t) leaves;   // Scratch of the fixed tree.
} weft__reduction;

/// The failure with the smallest key so far.
typedef struct weft__failure {
    weft_status status; // OK: none.
    uint32_t rank;
    uint32_t archetype;
    uint32_t shard;
    char text[288];
} weft__failure;

/// What the tasks of a tick noted of their numbers, and the smallest key among those that did.
typedef struct weft__numbers {
    weft_number_flags flags;
    weft__key key;
    uint64_t task_count;
} weft__numbers;

/// One worker's private part: logs, scratch, lists. Picked by worker, never seen by a result.
typedef struct weft__lane {
    WEFT__VEC(weft__stream) streams; // [0] commands, [1 + c] channel c.
    WEFT__VEC(weft__chunk*) changed; // Chunks whose `listed` this lane set.
    WEFT__VEC(weft__chunk*) swaps;   // Chunks whose `swap` this lane set.
    // Presence chunks that tasks of this lane wrote, to be marked after the stage: tasks of several
    // archetypes share them, so nobody may mark them while systems run.
    WEFT__VEC(weft__chunk*) presences;
    weft__failure failure;
    uint8_t* column; // Scratch of the merge: one column of one full chunk; of the digest.
    size_t column_size;
    void* spares[WEFT__ARENA_CLASSES]; // Blocks by size class, for the merge's next chunk.
    weft__block slices;                // Free ones of one archetype, for the same.
    uint32_t slice_archetype;
    uint8_t* carry; // Scratch of the merge: packed rows that arrive in one shard.
    size_t carry_size;
    struct weft__merge* merge;      // Sets and steps of the merge.
    WEFT__VEC(void*) layout;        // Columns, then backs, of the block that the merge fills.
    struct weft__fold* fold;        // Chains and memos of the fold.
    uint16_t* selected;             // [4096] scratch of weft_view_selected().
    weft_number_flags number_flags; // Of the running task.
    weft__numbers numbers;
    uint64_t dropped;
    uint64_t moved;
    bool unknown; // Some create's set is not stored yet.
    uint64_t leaves_hashed;
    uint8_t pad[128];       // The caller reads what is above after every stage.
    uint64_t task;          // Serial number of the running task in this lane.
    uint8_t pad_after[128]; // Lanes of two workers never share a line.
} weft__lane;

struct weft_commands {
    weft_world* world;
    weft__lane* lane;
    // Key of the running task.
    uint32_t rank;
    uint32_t archetype;
    uint32_t shard;
    uint32_t unit;       // First unit of provisional numbers.
    uint32_t unit_count; // Units in a row.
};

/// An input event kept since the last checkpoint.
typedef struct weft__input {
    uint64_t tick;
    uint32_t channel;
    weft_entity target;
    uint32_t offset; // Of the payload in world.input_bytes.
} weft__input;

/// One create of the running commit, by key order: one entity, or a run of a create of many that
/// no other command of the commit speaks of.
typedef struct weft__create {
    uint64_t number; // Provisional; of a run, the first.
    const weft__record* record;
    weft_entity real; // Null if cancelled. Of a run, the first that takes a slot never used.
    union {
        weft__chunk* target;
        struct {
            uint32_t popped; // Of a run, so many take freed slots,
            uint32_t top;    // which are free_slots[top - 1] and down.
        };
    };
    uint32_t count; // Of a run; else 1.
    uint32_t index; // Of the first in the record's columns.
    uint32_t set;
    uint32_t chain; // Commands, first to last; see weft__reference. Runs have none.
    uint32_t chain_end;
    uint32_t next; // Next newborn of the same shard, in no order.
    bool cancelled;
    bool sparse;   // Some command names a sparse component.
    bool shuffled; // The chain is not in key order yet.
} weft__create;

/// Entities of a run that are born into one shard: in slots never used, ascending, or in freed
/// slots.
typedef struct weft__birth {
    weft__chunk* target;
    uint32_t create;
    uint32_t member; // In the run, of the first.
    uint32_t count;
    uint32_t next; // Of the same shard, in no order.
} weft__birth;

/// A command filed under its shard; or on a create of the commit, behind all these. Those that one
/// block of segments recorded lie in key order.
typedef struct weft__reference {
    const weft__record* record;
    weft_entity entity; // Copied from the record: the fold looks at these alone.
    uint16_t type;
    uint8_t op;
    uint32_t segment; // Place of its segment in key order.
    uint32_t then;    // The next of the same entity: a chain.
} weft__reference;

typedef enum weft__edit_kind {
    WEFT__EDIT_UPDATE = 1, // Values only, or presence.
    WEFT__EDIT_MOVE = 2,
    WEFT__EDIT_DEATH = 3,
} weft__edit_kind;

/// What happens to one entity that was alive before.
typedef struct weft__edit {
    uint16_t slot; // In the shard.
    uint16_t row;  // UPDATE, MOVE: in `from`.
    uint32_t kind;
    uint32_t chain;      // UPDATE, MOVE: first command.
    uint32_t generation; // Of the entity.
    uint32_t set;        // UPDATE, MOVE: final set.
    weft__chunk* from;   // UPDATE, MOVE: where it is,
    weft__chunk* target; // MOVE: and the chunk of its final set.
} weft__edit;

typedef struct weft__digests {
    weft_digest view;
    weft_digest full;
    bool valid;
} weft__digests;

struct weft_world {
    weft_world_desc desc;
    uint64_t tick;
    ptrdiff_t read_alias; // Of weft_memory: where systems read what is at p, and where they write.
    ptrdiff_t write_alias;
    weft__arena arena;
    bool running; // Inside a tick.
    bool failed;
    bool schema_broken; // Failed in a registration: no state makes it sound.
    bool started;       // Some tick ran: the schema is closed.
    char error[1600];

    // Schema.
    WEFT__VEC(weft__type) types;
    WEFT__VEC(uint32_t) type_index;    // Open addressing by name hash; looked up, never iterated.
    WEFT__VEC(uint32_t) address_index; // The same by the registered descriptor's address.
    WEFT__VEC(weft__archetype) sparse;
    WEFT__VEC(uint32_t) sparse_types;
    WEFT__VEC(weft__resource) resources;
    WEFT__VEC(weft__channel) channels;
    WEFT__VEC(weft__reduction) reductions;
    WEFT__VEC(uint32_t) tables; // Type ids.
    bool keep_tables;           // Messages of DELIVERY_LOG are recorded.
    weft__delivery delivery;    // Of the batch of messages that runs now.
    uint32_t component_size_max;
    size_t encode_size_max;    // Scratch for the digest of resources and messages, if big-endian.
    uint32_t column_count_max; // Of any archetype.
    uint32_t shard_chunks_max; // Chunks of any shard.

    // Entities.
    WEFT__VEC(weft__shard*) shards;
    uint32_t slot_count;               // Slots ever used.
    WEFT__VEC(weft_entity) free_slots; // LIFO: slot and the generation it will have next.
    uint64_t retired_count;
    uint64_t live_count;
    bool allocator_dirty;
    weft_digest allocator_leaf;

    // Archetypes.
    WEFT__VEC(weft__archetype) archetypes; // By id.
    WEFT__VEC(weft__set) sets;
    WEFT__VEC(uint32_t) set_index;
    WEFT__VEC(uint64_t) edge_keys; // Transition memo: (set, type, add or remove) to set.
    WEFT__VEC(uint32_t) edge_sets;
    uint32_t edge_count;
    weft_digest archetype_chain;    // Hash of all sets in id order.
    WEFT__VEC(weft__chunk*) chunks; // By chunk id.
    uint32_t sparse_chunk_count;
    uint32_t storage_epoch; // Advanced when all storage is replaced: who keeps chunks looks here.

    // Recording. Lane 0 to lane_count - 1 are the workers'; the host has its own.
    weft__lane* lanes;
    uint32_t lane_count;
    weft__lane host;
    weft_commands host_commands;
    uint32_t create_bits;  // Bits of the sequence in a provisional number.
    uint32_t create_units; // Units in use in this tick.

    // Commit's own.
    WEFT__VEC(weft__segment*) segments;
    WEFT__VEC(weft__segment*) segment_scratch;
    WEFT__VEC(const weft__record*) records;
    WEFT__VEC(const weft__record*) record_scratch;
    uint32_t block_records;             // So many records are worth a block. Tests set it.
    uint32_t block_width;               // Shards of a block.
    WEFT__VEC(uint32_t) block_segments; // Places in segments, by block.
    WEFT__VEC(uint32_t) blocks;         // Where each block ends in these.
    WEFT__VEC(uint32_t) block_counts;   // [block][shard + 1]: commands, then their places.
    WEFT__VEC(weft__reference) references;
    uint32_t provisional_begin; // In references: those on creates of this commit.
    uint32_t cancelled;         // Creates.
    bool bulk;                  // Some creates are of many.
    WEFT__VEC(weft__create) creates;
    WEFT__VEC(weft__birth) births;
    WEFT__VEC(uint32_t) create_map; // Sequence in segment to create.
    WEFT__VEC(uint64_t) unit_map;   // Unit to its run in create_map, stamped with the commit.
    WEFT__VEC(weft__edit) edits;
    uint64_t freed; // Slots that the running commit frees.
    WEFT__VEC(weft__handle_span) handle_spans;
    WEFT__VEC(uint32_t) touched;     // Shards.
    WEFT__VEC(uint32_t) wanted_sets; // Sets that this commit stores first, in order.
    WEFT__VEC(uint32_t) sort_keys;
    WEFT__VEC(uint32_t) sort_scratch;
    struct weft__run* runs;                    // All runs of blocks (block.c), a list.
    uint32_t slice_count;                      // In all of them.
    WEFT__VEC(weft__chunk*) changed;           // Gathered from the lanes.
    WEFT__VEC(weft__digest_part) digest_parts; // Of the resources that changed.
    WEFT__VEC(uint8_t) bytes;                  // Node under construction.
    uint32_t commit_number;
    bool digest_wanted; // The last tick was digested: the merge hashes while columns are warm.

    // Inputs since the last checkpoint.
    uint64_t host_changes; // Advanced by whatever changes the state between ticks and is no input.
    uint64_t pasts;        // Advanced where what was before leads here no more.
    uint64_t checkpoint_tick;
    WEFT__VEC(weft__input) inputs;
    WEFT__VEC(uint8_t) input_bytes;

    weft__digests digests;
    weft_world_stats stats;
};

// world.c
/// Sets the world's error line and returns `status`.
weft_status weft__world_fail(weft_world* world, weft_status status, const char* format, ...)
    WEFT_PRINTF(3, 4);
/// Marks the world failed, until a state is decoded, and returns `status`.
weft_status weft__world_break(weft_world* world, weft_status status, const char* format, ...)
    WEFT_PRINTF(3, 4);
/// Puts a failed world without anything in the place of one whose memory held anything and has been
/// given back, after so many ticks. Nothing of the old one is read. Status: OUT_OF_MEMORY; it may
/// then only be destroyed.
WEFT_NODISCARD weft_status weft__world_replace(weft_world* world, const weft_world_desc* desc,
                                               const weft_memory* memory, uint64_t tick);
/// Makes sure that lanes 0 to count - 1 exist and have room.
WEFT_NODISCARD weft_status weft__world_reserve_lanes(weft_world* world, uint32_t count);
/// Gives lanes room for every chunk and channel; after a commit that made chunks.
WEFT_NODISCARD weft_status weft__lanes_refresh(weft_world* world);
/// Id of a registered type, or 0. By address first, else by name and layout.
uint32_t weft__type_id(const weft_world* world, const weft_type* type);
static inline const weft__type* weft__type_at(const weft_world* world, uint32_t id) {
    WEFT_CHECK(id > 0 && id <= world->types.count);
    return &world->types.items[id - 1];
}
/// Forgets the inputs of before a tick.
void weft__inputs_forget(weft_world* world, uint64_t tick);
/// Starts a tick: delivers pending messages, clears per-tick state, fixes provisional numbers.
WEFT_NODISCARD weft_status weft__tick_begin(weft_world* world, uint32_t create_units,
                                            weft__runner* runner);
/// weft_world_commit() by a runner.
WEFT_NODISCARD weft_status weft__world_commit(weft_world* world, weft__runner* runner);
/// Ends a tick: buffered swap, commit, pending messages, tick + 1.
WEFT_NODISCARD weft_status weft__tick_end(weft_world* world, weft__runner* runner);
/// Gathers the lanes' failures: the smallest key, or null.
const weft__failure* weft__world_failure(const weft_world* world);
/// Records a failure in a lane if its key is smaller than the one there.
void weft__lane_fail(weft__lane* lane, weft_status status, uint32_t rank, uint32_t archetype,
                     uint32_t shard, const char* text);

// type.c
/// Status BAD_TYPE unless the description tiles the struct; `text` gets the reason.
WEFT_NODISCARD weft_status weft__type_check(const weft_type* type, char* text, size_t capacity);
uint64_t weft__type_hash(const weft_type* type);
bool weft__type_same(const weft_type* a, const weft_type* b);
/// Writes `count` values in little-endian field order; `out` holds count * type->size bytes.
void weft__type_encode(const weft_type* type, const void* values, size_t count, uint8_t* out);
/// Reads what weft__type_encode() writes; both at any address.
void weft__type_decode(const weft_type* type, const uint8_t* in, size_t count, void* values);
/// Makes provisional handles in entity fields of `count` values real.
void weft__type_resolve(const weft_world* world, const weft_type* type, void* values,
                        uint32_t count);
/// True if some entity field of the value is a provisional handle.
bool weft__type_has_provisional(const weft_type* type, const void* value);

/// What kinds a type's fields have, those of nested structs included.
typedef struct weft__traits {
    bool has_entities;
    bool has_float;
    bool has_bool;
    bool has_other; // Anything but float and bool.
} weft__traits;
weft__traits weft__type_traits(const weft_type* type);
/// Where the first float field of a type that has one begins.
uint32_t weft__type_float_offset(const weft_type* type);
/// Bytes of one element of a field.
uint32_t weft__field_stride(const weft_field* field);

/// The first of `count` values that holds NaN, and in it the path of the first field that does.
/// False, and nothing written, if none does. Infinities are numbers.
bool weft__type_find_nan(const weft_type* type, const void* values, uint32_t count,
                         uint32_t* index_out, char* path, size_t capacity);
/// The same for a bool whose byte is neither 0 nor 1: memory that was never set, or a wild write.
bool weft__type_find_bool(const weft_type* type, const void* values, uint32_t count,
                          uint32_t* index_out, char* path, size_t capacity);
/// Asserts that there is none: what the digest does before it hashes bools.
void weft__type_require_bools(const weft_type* type, const void* values, uint32_t count);

/// An unsigned integer of 1, 2, 4 or 8 bytes in the host's order, at any address.
static inline uint64_t weft__load_unit(const void* bytes, uint32_t size) {
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    switch (size) {
    case 1:
        memcpy(&u8, bytes, 1);
        return u8;
    case 2:
        memcpy(&u16, bytes, 2);
        return u16;
    case 4:
        memcpy(&u32, bytes, 4);
        return u32;
    default:
        memcpy(&u64, bytes, 8);
        return u64;
    }
}

/// Hash of up to 16 words in little-endian bytes: the same on every machine.
uint64_t weft__hash_words(const uint64_t* words, uint32_t count, uint64_t seed);

// entities.c
/// The handle's chunk and row, or null when it is dead.
static WEFT__INLINE weft__chunk* weft__entity_find(const weft_world* world, weft_entity entity,
                                                   uint32_t* row_out) {
    uint32_t number = entity.slot / WEFT_SHARD_SLOTS;
    uint32_t local = entity.slot % WEFT_SHARD_SLOTS;
    if (number >= world->shards.count)
        return NULL;
    const weft__shard* shard = world->shards.items[number];
    weft__slot slot = shard->slots[local];
    if (slot.chunk == 0 || slot.generation != entity.generation)
        return NULL;
    weft__chunk* chunk = weft__slot_chunk(shard, slot);
    if (!weft__members_has(&chunk->members, local))
        return NULL; // Memory ran out before its row arrived: the world has failed.
    *row_out = weft__members_rank(&chunk->members, local);
    WEFT_CHECK((shard->live[local / 64] >> (local % 64) & 1) != 0);
    WEFT_CHECK(chunk->entities[*row_out].slot == entity.slot);
    return chunk;
}
/// Shard by number, made on demand.
WEFT_NODISCARD weft_status weft__shard_ensure(weft_world* world, uint32_t shard);
static inline bool weft__entity_is_provisional(weft_entity entity) {
    return entity.slot >= WEFT__PROVISIONAL_SLOT;
}

// archetype.c
/// Set 0 is the empty set, archetype 0.
WEFT_NODISCARD weft_status weft__archetypes_init(weft_world* world);
/// The set reached by adding or removing one type; WEFT__NONE when memory is out.
uint32_t weft__set_step(weft_world* world, uint32_t set, uint32_t type_id, bool add);
/// The same as far as it is known; WEFT__NONE where it is not. Changes nothing.
uint32_t weft__set_known_step(const weft_world* world, uint32_t set, uint32_t type_id, bool add);
bool weft__set_has(const weft_world* world, uint32_t set, uint32_t type_id);
/// The set of an ascending list of types, made if need be; WEFT__NONE when memory is out.
uint32_t weft__set_of(weft_world* world, const uint16_t* components, uint32_t count);
/// Gives a set the next archetype id.
WEFT_NODISCARD weft_status weft__archetype_store(weft_world* world, uint32_t set);
/// Forgets all archetypes and the chunks in their lists; sets stay, as they are a memo.
void weft__archetypes_clear(weft_world* world);
/// Fills a table description for a sorted list of components.
WEFT_NODISCARD weft_status weft__archetype_init(weft_world* world, weft__archetype* archetype,
                                                const uint16_t* components, uint32_t count);
/// Column of a type in a table, or WEFT__NONE.
uint32_t weft__archetype_column(const weft__archetype* archetype, uint32_t type_id);
bool weft__archetype_has(const weft__archetype* archetype, uint32_t type_id);

// chunk.c
/// Fetches what a task reads of a chunk besides its rows.
static WEFT__INLINE void weft__chunk_fetch(const weft__chunk* chunk) {
    __builtin_prefetch(chunk);
    __builtin_prefetch((const uint8_t*)chunk + 64);
    __builtin_prefetch((const uint8_t*)(chunk + 1));
    __builtin_prefetch((const uint8_t*)(chunk + 1) + 64);
}
/// The chunk of a table in a shard, or null.
weft__chunk* weft__chunk_find(const weft__archetype* table, uint32_t shard);
/// Makes an empty chunk and files it.
WEFT_NODISCARD weft_status weft__chunk_create(weft_world* world, weft__archetype* table,
                                              uint32_t table_id, bool sparse, uint32_t shard,
                                              weft__chunk** chunk_out);
/// Gives a chunk's memory back, but for a slice of a run. Lists still have it.
void weft__chunk_destroy(weft_world* world, weft__chunk* chunk);
/// Position of the first chunk of a shard whose archetype is not below `archetype`.
uint32_t weft__shard_lower(const weft__shard* shard, uint32_t archetype);
/// Rows that a chunk with `rows` rows gets room for.
uint32_t weft__chunk_capacity_for(uint32_t rows);
/// The one place where a column becomes writable: marks it changed, fills the back column of a
/// buffered one.
void* weft__chunk_write(weft_world* world, weft__lane* lane, weft__chunk* chunk, uint32_t column,
                        uint32_t type_id);
/// Marks a leaf for rehashing and the chunk as changed. `leaf` = column, or column_count: entities.
void weft__chunk_mark(weft__lane* lane, weft__chunk* chunk, uint32_t leaf);
/// Takes a presence chunk for writing rows of one's own; marked by weft__presences_mark().
void* weft__presence_write(weft_world* world, weft__lane* lane, weft__chunk* chunk);
/// Marks what tasks wrote in presence chunks. After each stage, when nobody runs.
void weft__presences_mark(weft_world* world);
/// The table that a chunk belongs to.
static inline weft__archetype* weft__chunk_table(const weft_world* world,
                                                 const weft__chunk* chunk) {
    return chunk->sparse ? &world->sparse.items[chunk->archetype]
                         : &world->archetypes.items[chunk->archetype];
}

// block.c
/// Bytes from one column to the next, in memory for `capacity` rows.
size_t weft__column_bytes(const weft_world* world, uint32_t capacity, uint32_t size);
/// A block for `capacity` rows of a chunk. False when memory is out.
bool weft__block_take(weft_world* world, weft__lane* lane, const weft__chunk* chunk,
                      uint32_t capacity, weft__block* out);
/// Takes a chunk's block back; it may have none.
void weft__block_give(weft_world* world, weft__lane* lane, const weft__chunk* chunk);
/// The same where all storage goes: past the lanes, and without slices, which go with their runs.
void weft__block_free(weft_world* world, const weft__chunk* chunk);
/// Gives all runs back. Nothing may lie in them any more.
void weft__runs_free(weft_world* world);
/// Lays a block out: fills the pointers of entities, columns and backs.
void weft__block_layout(const weft_world* world, const weft__archetype* table, uint32_t capacity,
                        const weft__block* block, weft_entity** entities, void** columns,
                        void** backs);

// commands.c
/// True if one of some values may not enter the state: the task fails. `what` says where they
/// stand. Null values may.
bool weft__commands_refuse(weft_commands* commands, const weft__type* type, const char* what,
                           const void* values, uint32_t count);

// route.c
/// Reads all recorded commands and files them under their targets.
WEFT_NODISCARD weft_status weft__route(weft_world* world, weft__runner* runner);

// fold.c
/// Finds out what becomes of every entity that commands speak of, and of every create.
WEFT_NODISCARD weft_status weft__fold_all(weft_world* world, weft__runner* runner);
WEFT_NODISCARD weft_status weft__fold_reserve(weft_world* world, weft__lane* lane);

// commit.c
/// Applies all recorded commands (C6). ENTITY_LIMIT and ARCHETYPE_LIMIT leave the world unchanged.
WEFT_NODISCARD weft_status weft__commit(weft_world* world, weft__runner* runner);
/// Gives back what commits and the host's log keep for the next ones, which come to have it again:
/// after many commands at once that may be several times the state. Between ticks, with nothing
/// recorded; provisional handles of the last commit are void then.
void weft__commit_trim(weft_world* world);
/// Runs a batch of the commit. Status: that of the first failure.
WEFT_NODISCARD weft_status weft__commit_batch(weft_world* world, weft__runner* runner,
                                              const weft__batch* batch);
/// Makes provisional handles real in all that systems wrote in place (handles.c). Status:
/// OUT_OF_MEMORY.
WEFT_NODISCARD weft_status weft__handles_resolve(weft_world* world, weft__runner* runner);
/// Refuses a commit whose creates cannot fit whatever is cancelled, before memory is asked for.
WEFT_NODISCARD weft_status weft__commit_check_total(weft_world* world, uint64_t creates);
/// Real handle of a provisional one of the running or last commit; null if cancelled or unknown.
weft_entity weft__commit_resolve(const weft_world* world, weft_entity entity);

/// Where a provisional number is filed in world.create_map, if it is of this commit; else at least
/// create_map.count.
uint64_t weft__create_place(const weft_world* world, weft_entity entity);
/// Finds or makes the chunk that rows of a set go to in a shard.
WEFT_NODISCARD weft_status weft__commit_chunk(weft_world* world, uint32_t shard, uint32_t set,
                                              weft__chunk** out);

// bulk.c
/// Marks in world.create_map which entities of creates of many are spoken of by other commands of
/// the commit. `*marked` is their number; the map is not to be read if it is 0.
void weft__bulk_mark(weft_world* world, uint64_t* marked);
/// Files a create of many as runs, and as single creates where an entity is marked.
void weft__bulk_register(weft_world* world, const weft__record* record, bool marked);
/// Gives the entities of a run their slots and chunks.
WEFT_NODISCARD weft_status weft__bulk_assign(weft_world* world, uint32_t create);
/// The real handle of a member of a run.
static WEFT__INLINE weft_entity weft__bulk_member(const weft_world* world,
                                                  const weft__create* create, uint32_t member) {
    WEFT_CHECK(member < create->count && create->count > 1);
    if (member < create->popped)
        return world->free_slots.items[create->top - 1 - member];
    return (weft_entity){create->real.slot + (member - create->popped), 1};
}

// merge.c
/// Makes one shard's edits real: the sorted merge of each touched chunk. Shards are independent.
void weft__merge_shard(weft_world* world, weft__lane* lane, uint32_t shard);
WEFT_NODISCARD weft_status weft__merge_reserve(weft_world* world, weft__lane* lane);

// invariants.c
/// What is wrong with the storage of a shard between commits, as the text of the fact that does not
/// hold; null if nothing is.
const char* weft__shard_fault(const weft_world* world, uint32_t shard);

// state_apply.c
/// As weft_world_decode(), by a runner, but the inputs stay kept.
WEFT_NODISCARD weft_status weft__state_decode(weft_world* world, weft__runner* runner,
                                              const void* bytes, size_t size);

// values.c
/// NOT_A_NUMBER or BAD_BOOL if one of the values may not enter the state; the first such value's
/// index, and a text such as "Velocity.x is NaN".
WEFT_NODISCARD weft_status weft__values_check(const weft__type* type, const void* values,
                                              uint32_t count, uint32_t* index_out, char* text,
                                              size_t capacity);

// channel.c
/// Merges what was sent into the delivered list (TICK) or the pending one (NEXT).
WEFT_NODISCARD weft_status weft__channel_deliver(weft_world* world, uint32_t channel,
                                                 weft__runner* runner);
WEFT_NODISCARD weft_status weft__channel_collect(weft_world* world, uint32_t channel,
                                                 weft__runner* runner);
/// What was sent becomes rows (LOG). After the commit, as handles are made real.
WEFT_NODISCARD weft_status weft__channel_keep(weft_world* world, uint32_t channel,
                                              weft__runner* runner);
/// Pending becomes delivered, in the order that consumers read.
WEFT_NODISCARD weft_status weft__channel_turn(weft_world* world, uint32_t channel,
                                              weft__runner* runner);
WEFT_NODISCARD weft_status weft__channel_post(weft_world* world, uint32_t channel,
                                              weft_entity target, const void* message);

// table.c
/// Files a registered type as a table.
WEFT_NODISCARD weft_status weft__table_add(weft_world* world, uint32_t type_id);

// reduction.c
/// Makes room for every producer's and chunk's partial.
WEFT_NODISCARD weft_status weft__reduction_reserve(weft_world* world, uint32_t reduction);
/// The partial of a producer and chunk, started as the identity in this tick.
void* weft__reduction_partial(weft_world* world, uint32_t reduction, uint32_t producer,
                              const weft__chunk* chunk);
/// Combines all partials by the fixed tree. `producers` are the writers' accesses by their numbers.
struct weft__access;
WEFT_NODISCARD weft_status weft__reduction_finish(weft_world* world, uint32_t reduction,
                                                  const struct weft__access* const* producers);

// digest.c
/// Hashes columns of a chunk that no system of the running tick writes any more, as a rule while
/// they are warm. Not those of a chunk that the last commit rewrote: this one may as well, and then
/// the merge hashes them.
void weft__digest_final(const weft_world* world, weft__lane* lane, weft__chunk* chunk,
                        const uint32_t* columns, uint32_t count);
/// Hashes the leaves of one chunk that changed, and its node.
void weft__digest_chunk(weft_world* world, weft__lane* lane, weft__chunk* chunk);
/// Brings all leaves and nodes up to date.
WEFT_NODISCARD weft_status weft__digest_update(weft_world* world, weft__runner* runner);
/// Digest of one column of a chunk as it is now, also inside a tick.
weft_digest weft__digest_column(const weft_world* world, const weft__lane* lane,
                                const weft__chunk* chunk, uint32_t column, bool back);
