/// The world: entities, components and everything else that is hashed.
///
/// A world is independent of every other and reentrant: several may live in one process, each used
/// by one thread at a time. All its memory comes from its own arena. Functions here are called
/// between ticks, unless they say otherwise (C3).
#pragma once

#include <weft/access.h>
#include <weft/hash.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weft_world weft_world;
typedef struct weft_commands weft_commands;

/// Slots of one shard: a constant of the format.
#define WEFT_SHARD_SLOTS 4096u

/// The largest slot limit a world can have, 2^32 - 2.
#define WEFT_SLOT_LIMIT_MAX 4294967294u

/// What a run computes with (C9). Numbers and names enter files; none is reused.
typedef enum weft_math_backend {
    WEFT_MATH_FIXED_16_16 = 0,     // "fixed_point_16_16": integers and fixed-point numbers.
    WEFT_MATH_FLOAT_PINNED_32 = 1, // "float_pinned_32": also float, as pinned.h pins it.
} weft_math_backend;

/// The name of a backend ("fixed_point_16_16"), or "unknown". Never null.
WEFT_API const char* weft_math_name(weft_math_backend math);

/// Run identity of a world: every field may change results. Start from weft_world_desc_default().
typedef struct weft_world_desc {
    uint64_t seed;            // Keys every random draw (C8).
    weft_math_backend math;   // Default: fixed point. Float fields need FLOAT_PINNED_32, or
    bool allow_float;         // this: fields of float beside a fixed-point simulation.
    bool deterministic;       // False: no promise is asked for, and there is no generator (C8).
    bool unordered_commit;    // For measuring: commands and messages as they come, see below.
    uint32_t slot_limit;      // Entities alive at once, 1 to WEFT_SLOT_LIMIT_MAX.
    uint32_t archetype_limit; // Component sets ever stored, 1 to 2^20 - 2.
    uint32_t type_limit;      // Registered types of all roles, 1 to 65,535.
    uint32_t cookie;          // Set by the default function. Do not write.
} weft_world_desc;

/// Seed 0, fixed-point numbers alone, deterministic, ordered, 2^32 - 2 slots, 65,536 archetypes,
/// 4096 types.
WEFT_API weft_world_desc weft_world_desc_default(void);

/// Where a world's arena gets its segments from. Placement: never changes a result. `acquire`
/// returns zeroed memory aligned to 4096 bytes, or null. All are called by one thread at a time.
///
/// The aliases are for memory that is mapped twice (weft_memory_aliased): the byte at p is also at
/// p + alias. What systems are given to read is at `read_alias`, columns and resources to write are
/// at `write_alias`; the world itself works in place.
typedef struct weft_memory {
    void* (*acquire)(void* context, size_t size);
    void (*release)(void* context, void* segment, size_t size);
    void* context;
    void (*close)(void* context); // Once, by the world that it was given to, when that is destroyed
                                  // or could not be created. May be null.
    ptrdiff_t read_alias;         // 0: none.
    ptrdiff_t write_alias;        // 0: none.
    size_t apart; // Columns and resources lie on pages of this size of their own, with a page
                  // between them: a power of 2, 4096 at least. 0: side by side.
} weft_memory;

/// Creates a world. The description is copied; `memory` null means the C library's allocator. On
/// failure *world_out is null. Status: BAD_ARGUMENT, OUT_OF_MEMORY.
WEFT_API WEFT_NODISCARD weft_status weft_world_create(const weft_world_desc* desc,
                                                      const weft_memory* memory,
                                                      weft_world** world_out);

/// Destroys a world and everything in it. Null is allowed.
WEFT_API void weft_world_destroy(weft_world* world);

/// False where weft_world_desc.deterministic is off or unordered_commit on. Such runs are neither
/// verified nor kept as hashes.
///
/// Off is for programs whose systems draw from where no run can be repeated: systems get no
/// generator instead of one that is seeded from a clock. Everything else stays as it is.
///
/// An unordered commit is there to tell what order costs (weft bench price), and for nothing else.
/// What tasks record is taken worker by worker, as each recorded it, instead of in key order. So
/// which command on an entity wins, which slot a newborn gets and how messages follow each other
/// depend on the workers. The generator stays, so that the same workloads run.
WEFT_API bool weft_world_is_deterministic(const weft_world* world);

/// One line on the last call that failed in this world: what, where, why, what to do. Empty if none
/// did. Valid until the next failing call.
WEFT_API const char* weft_world_error(const weft_world* world);

// Schema -----------------------------------------------------------------------------------------
// Types are registered before the first tick, each in one role. Order is part of the schema.

typedef enum weft_storage {
    WEFT_STORAGE_DENSE = 0,    // A column of the archetype. Adding or removing moves the row.
    WEFT_STORAGE_SPARSE = 1,   // A presence table: sorted slots per shard. Rows do not move.
    WEFT_STORAGE_BUFFERED = 2, // Dense with two columns: readers see world(t) all tick long (C3).
} weft_storage;

/// Registers a component. Status: BAD_TYPE, also for a float field in a world that does not allow
/// it, DUPLICATE, COMPONENT_LIMIT, WRONG_PHASE.
WEFT_API WEFT_NODISCARD weft_status weft_world_register_component(weft_world* world,
                                                                  const weft_type* type,
                                                                  weft_storage storage);

/// Registers a resource: `count` values of `type` (1 for a singleton), all copies of `*initial`, or
/// zero where null. Status: as for components, and BAD_ARGUMENT for a count of 0.
WEFT_API WEFT_NODISCARD weft_status weft_world_register_resource(weft_world* world,
                                                                 const weft_type* type,
                                                                 uint32_t count,
                                                                 const void* initial);

typedef enum weft_delivery {
    WEFT_DELIVERY_TICK = 0, // Read in the same tick by systems after all emitters, then dropped.
    WEFT_DELIVERY_NEXT = 1, // Read in the next tick, then dropped. Pending between: part of state.
    WEFT_DELIVERY_LOG = 2,  // Read by no system: rows of a table, for the world alone to send to.
} weft_delivery;

typedef enum weft_target {
    WEFT_TARGET_WORLD = 0,  // One list in key order.
    WEFT_TARGET_ENTITY = 1, // By addressed entity, then key order; the dead get none.
} weft_target;

/// Registers a channel for messages of `type`. One of DELIVERY_LOG is to the world, and a table
/// from then on. Status: as for components; tags are BAD_TYPE; BAD_ARGUMENT.
WEFT_API WEFT_NODISCARD weft_status weft_world_register_channel(weft_world* world,
                                                                const weft_type* type,
                                                                weft_target target,
                                                                weft_delivery delivery);

/// Folds `right` into `left`. Associative by contract; called in the fixed tree's order.
typedef void weft_combine_fn(void* left, const void* right);

/// Registers a reduction: partials of `type` start as `*identity` (null: zero) in every chunk and
/// are combined in chunk order by a fixed tree. Status: as for components; tags are BAD_TYPE.
WEFT_API WEFT_NODISCARD weft_status weft_world_register_reduction(weft_world* world,
                                                                  const weft_type* type,
                                                                  const void* identity,
                                                                  weft_combine_fn* combine);

/// Makes a table of a registered type: what a run tells about itself, tick by tick. The rows are
/// the messages that a channel to the world delivered in the tick, or the values of a resource or
/// reduction after it. Tables are no part of the state, of a digest or of the schema. Before the
/// first tick. Status: UNKNOWN_TYPE, BAD_ARGUMENT, DUPLICATE, WRONG_PHASE, OUT_OF_MEMORY.
WEFT_API WEFT_NODISCARD weft_status weft_world_register_table(weft_world* world,
                                                              const weft_type* type);

/// Hash over all registered types: roles, names, fields, kinds, order. Part of a run's identity.
WEFT_API uint64_t weft_world_schema_hash(const weft_world* world);

// Structure --------------------------------------------------------------------------------------

/// The host's own recorder, for use between ticks. Its commands take effect at
/// weft_world_commit(), or at the start of the next tick, before its first system.
WEFT_API weft_commands* weft_world_commands(weft_world* world);

/// Applies the host's commands now (C6). Status: ENTITY_LIMIT or ARCHETYPE_LIMIT with nothing
/// changed and the commands dropped; OUT_OF_MEMORY fails the world; WORLD_FAILED.
WEFT_API WEFT_NODISCARD weft_status weft_world_commit(weft_world* world);

/// The real handle behind a provisional one of the last commit; a real handle is returned as it is.
/// Null for a create that was cancelled. Valid until commands are recorded again.
WEFT_API weft_entity weft_world_resolve(const weft_world* world, weft_entity entity);

/// True while the handle names a living entity. Any bits are allowed.
WEFT_API bool weft_world_is_alive(const weft_world* world, weft_entity entity);

/// Living entities.
WEFT_API uint64_t weft_world_entity_count(const weft_world* world);

/// The backend that the world was created with.
WEFT_API weft_math_backend weft_world_math(const weft_world* world);

/// Ticks completed.
WEFT_API uint64_t weft_world_tick(const weft_world* world);

/// The component of an entity, or null when it is dead or has none. Sparse ones too; for a tag, a
/// non-null pointer that may not be read. Valid until the next commit.
WEFT_API const void* weft_world_read(const weft_world* world, weft_entity entity,
                                     const weft_type* type);

/// A resource's values, or the finished value of a reduction; null when not registered as such.
WEFT_API const void* weft_world_resource(const weft_world* world, const weft_type* type);

/// Sets all values of a resource before the first tick. Status: UNKNOWN_TYPE, WRONG_PHASE.
WEFT_API WEFT_NODISCARD weft_status weft_world_set_resource(weft_world* world,
                                                            const weft_type* type,
                                                            const void* values);

/// Messages of a channel as they were last delivered, in order; null and 0 when there are none.
WEFT_API const void* weft_world_messages(const weft_world* world, const weft_type* type,
                                         uint32_t* count_out);

/// A table's rows of the last tick.
typedef struct weft_table {
    const weft_type* type;
    const void* rows; // `count` values in key order, handles made real; null when there are none.
    uint32_t count;
} weft_table;

/// Tables, in the order of their registration.
WEFT_API uint32_t weft_world_table_count(const weft_world* world);

/// One of them, 0 to count - 1. Valid until the next tick.
WEFT_API weft_table weft_world_table(const weft_world* world, uint32_t index);

/// Whether rows of DELIVERY_LOG are kept. They are not by default: then to send one costs a branch.
/// Changes no other result. Between ticks.
WEFT_API void weft_world_keep_tables(weft_world* world, bool keep);

/// An input event: a message of a DELIVERY_NEXT channel, read in the next tick after the messages
/// that systems sent. The only way for the outside to enter a running simulation; kept with its
/// tick since the last checkpoint (C11). Status: UNKNOWN_TYPE, BAD_ARGUMENT, WORLD_FAILED.
WEFT_API WEFT_NODISCARD weft_status weft_world_post(weft_world* world, const weft_type* type,
                                                    weft_entity target, const void* message);

/// Takes back the input events posted since the last tick. Host only, between ticks.
WEFT_API void weft_world_unpost(weft_world* world);

/// Input events kept since the last checkpoint, and a new checkpoint: forget them.
WEFT_API uint64_t weft_world_input_count(const weft_world* world);
WEFT_API void weft_world_checkpoint(weft_world* world);

// State ------------------------------------------------------------------------------------------

/// What C1 lets anybody see: live handles, archetypes in visit order, values, presence, resources,
/// reductions. Two worlds that converged have the same view digest (C7). WORLD_FAILED worlds
/// have none: returns zero.
WEFT_API weft_digest weft_world_digest_view(weft_world* world);

/// View and everything else that decides the future: allocator, archetype ids, pending messages,
/// tick, seed, determinism. Equal full digests mean equal futures (C7). Zero when the world failed.
WEFT_API weft_digest weft_world_digest_full(weft_world* world);

/// Rehashes everything without the caches and compares. Status: OK or DIGEST_MISMATCH, the error
/// names the archetype, shard and column.
WEFT_API WEFT_NODISCARD weft_status weft_world_digest_check(weft_world* world);

/// Counters. Not part of any digest. Where the world goes back (C11) they do, but for the leaves.
typedef struct weft_world_stats {
    uint64_t created;          // Entities ever created.
    uint64_t destroyed;        // Entities ever destroyed.
    uint64_t moved;            // Rows ever moved to another archetype.
    uint64_t commands_dropped; // On dead or dying entities, and sets on absent components.
    uint64_t messages_dropped; // Addressed to the dead.
    uint64_t archetypes;       // Stored sets, the empty set not counted.
    uint64_t chunks;           // Chunks with storage.
    uint64_t arena_used;       // Bytes handed out.
    uint64_t arena_reserved;   // Bytes taken from weft_memory.
    uint64_t leaves_hashed;    // Digest leaves ever computed.
    uint64_t commands;         // Ever brought to a commit; a create of many is one.
    uint64_t messages;         // Of systems, ever put in order to be delivered or kept.
} weft_world_stats;

/// The world's counters now.
WEFT_API weft_world_stats weft_world_stats_read(const weft_world* world);

/// True once a tick failed: every further tick, commit, digest is refused (C11).
WEFT_API bool weft_world_has_failed(const weft_world* world);

// Visiting ---------------------------------------------------------------------------------------

/// Walks a query's matches in the order of C1. One step is one chunk, or up to 64 entities for the
/// query without terms. Read the public fields between steps, write none.
typedef struct weft_cursor {
    const weft_entity* entities; // Handles of this step's rows, ascending by slot.
    uint32_t row_count;          // Rows of this step, at least 1.
    uint32_t archetype;          // Archetype id; 0 for the empty set and the query without terms.
    // Private.
    const weft_world* world;
    const weft_access* terms;
    uint32_t term_count;
    uint32_t position;
    uint32_t shard;
    uint32_t flags;
    const void* chunk;
    const void* view;
    weft_entity buffer[64];
} weft_cursor;

/// Starts a walk. Terms: READ, READ_OPTIONAL, WITH, WITHOUT of components, at most 16; they must
/// outlive the cursor. With a sparse type among the terms every step has one row. A type unknown to
/// this world matches nothing (as WITHOUT: everything).
WEFT_API weft_cursor weft_world_visit(const weft_world* world, const weft_access* terms,
                                      uint32_t term_count);

/// Goes on to the next step. False at the end.
WEFT_API bool weft_cursor_next(weft_cursor* cursor);

/// The column of a term in this step, `row_count` values, or null for an absent optional one, a tag
/// or a type that is not among the terms.
WEFT_API const void* weft_cursor_column(const weft_cursor* cursor, const weft_type* type);

#define WEFT_CURSOR_COLUMN(cursor, name)                                                           \
    ((const name*)weft_cursor_column((cursor), WEFT_TYPE(name)))

#ifdef __cplusplus
}
#endif
