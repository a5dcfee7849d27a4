/// The state of a world as bytes: what snapshots are made of (C13).
///
/// Encoded is everything that decides the future: identity, tick, slots with generations, free
/// slots in order, archetypes by id, chunks by id, rows, presence tables, resources, reductions,
/// messages for the next tick. Decode it and go on, and every digest is that of a run that never
/// stopped. Not encoded is what the past has left: counters, messages that were delivered, inputs
/// kept since the last checkpoint. The format is in docs/determinism.md; the bytes of equal states
/// are equal, on every machine.
///
/// Between ticks only; a world may be used by one thread at a time.
#pragma once

#include <weft/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Takes the next bytes, at most a few megabytes for usual components. They are valid for the time
/// of the call. Anything but OK ends the encoding, which returns it.
typedef weft_status weft_sink_fn(void* context, const void* bytes, size_t size);

/// How many bytes weft_world_encode() will write; the state must not change in between.
WEFT_API uint64_t weft_world_encoded_size(weft_world* world);

/// Writes the state to a sink, front to back. Commands that the host recorded must be committed
/// before. Status: WORLD_FAILED, WRONG_PHASE, OUT_OF_MEMORY, and what the sink returns.
WEFT_API WEFT_NODISCARD weft_status weft_world_encode(weft_world* world, weft_sink_fn* sink,
                                                      void* context);

/// Replaces all contents of a world by an encoded state, which need not be aligned. The world has
/// the same types in the same roles and order, and the same seed, limits and numbers, as one made
/// by the same code has. What it held before is gone, commands of its host too; handles of it, and
/// pointers into it, are void. Schedules and executors of the world go on with it. The decoded
/// state is a checkpoint. A world that failed is sound again.
///
/// Everything is looked through first. Status, with the world as it was: BAD_FORMAT (no state,
/// another version, cut off, damaged, inconsistent), IDENTITY_MISMATCH (another schema, seed or
/// limit; the error names the first type that differs), NOT_A_NUMBER, BAD_BOOL, WORLD_FAILED (it
/// failed in the registration of a type), OUT_OF_MEMORY. Memory may also run out later, when the
/// old contents are gone: then the world has failed, and weft_world_has_failed() says so.
WEFT_API WEFT_NODISCARD weft_status weft_world_decode(weft_world* world, const void* bytes,
                                                      size_t size);

/// What becomes of the values of one type that has changed since a state was encoded.
typedef struct weft_migration {
    const weft_type* from; // As it was, name and fields. Null: the state does not have this type.
    const weft_type* to;   // As it is registered here.
    /// Makes one value, which starts as zero. Null: fields of the same name are kept, and others
    /// are those of `initial`.
    void (*convert)(void* to, const void* from);
    const void* initial; // One value of `to`; null: zero.
} weft_migration;

/// Like weft_world_decode(), of a state whose types may have had other layouts or names, which the
/// table tells, and may lack the last ones. New resources and reductions have the values that this
/// world was made with; nobody has a new component; nothing waits in a new channel. Status: also
/// IDENTITY_MISMATCH for a type that has changed and is not in the table, BAD_ARGUMENT for a field
/// that has changed its kind where there is no function.
WEFT_API WEFT_NODISCARD weft_status weft_world_decode_migrated(weft_world* world, const void* bytes,
                                                               size_t size,
                                                               const weft_migration* table,
                                                               size_t count);

#ifdef __cplusplus
}
#endif
