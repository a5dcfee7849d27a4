/// What a running system sees: one chunk (or the world), through its declared access only.
///
/// A view lives for one call of a system and is used by that call's thread alone. Reaching for what
/// was not declared is a bug and asserts, naming the system and the type.
#pragma once

#include <weft/commands.h>
#include <weft/random.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weft_view weft_view;

/// A system: called once per matching chunk, or once per tick in world scope. It is a pure function
/// of what the view shows and of `context`, which must not change while the schedule lives. A
/// status other than OK fails the tick (C11).
typedef weft_status weft_system_fn(weft_view* view, const void* context);

/// Rows of the chunk; 0 in world scope.
WEFT_API uint32_t weft_view_row_count(const weft_view* view);

/// Handles of the chunk's rows, ascending by slot.
WEFT_API const weft_entity* weft_view_entities(const weft_view* view);

/// A declared column to read, `row_count` values; null for an absent optional component. A buffered
/// component shows world(t).
WEFT_API const void* weft_view_read(const weft_view* view, const weft_type* type);

/// A declared column to write; marks it changed. A buffered component gives world(t+1), which
/// starts as a copy of world(t).
WEFT_API void* weft_view_write(weft_view* view, const weft_type* type);

#define WEFT_READ(view, name) ((const name*)weft_view_read((view), WEFT_TYPE(name)))
#define WEFT_WRITE(view, name) ((name*)weft_view_write((view), WEFT_TYPE(name)))

/// Rows that pass the sparse WITH and WITHOUT terms (READ and WRITE of a sparse type count as
/// WITH), ascending; all rows where the list has no such term. `*rows_out` is null when all pass:
/// then the rows are 0 to the returned count - 1.
WEFT_API uint32_t weft_view_selected(weft_view* view, const uint16_t** rows_out);

/// The value of a sparse component for row `row` of the chunk (declared READ, WRITE or
/// READ_OPTIONAL), or null where absent; for a sparse tag non-null means present. Logarithmic in
/// the shard's presence list, constant when rows ascend.
WEFT_API const void* weft_view_sparse_read(const weft_view* view, uint32_t row,
                                           const weft_type* type);

/// The same, to write (declared WRITE or WRITE_OPTIONAL); marks it changed.
WEFT_API void* weft_view_sparse_write(weft_view* view, uint32_t row, const weft_type* type);

/// Another entity's component by handle (declared READ_ANY), or null when dead or absent.
WEFT_API const void* weft_view_get(const weft_view* view, weft_entity entity,
                                   const weft_type* type);

/// Walks other rows (terms' types declared READ_ANY, or WITH/WITHOUT freely), in the order of C1.
WEFT_API weft_cursor weft_view_visit(const weft_view* view, const weft_access* terms,
                                     uint32_t term_count);

#define WEFT_GET(view, entity, name) ((const name*)weft_view_get((view), (entity), WEFT_TYPE(name)))

/// A declared resource, its `count` values.
WEFT_API const void* weft_view_resource(const weft_view* view, const weft_type* type);
WEFT_API void* weft_view_resource_write(weft_view* view, const weft_type* type);

#define WEFT_RESOURCE_READ(view, name) ((const name*)weft_view_resource((view), WEFT_TYPE(name)))
#define WEFT_RESOURCE_WRITE(view, name) ((name*)weft_view_resource_write((view), WEFT_TYPE(name)))

/// Sends a message. `target` is null for channels to the world and a real handle for channels to
/// entities; anything else is a bug and asserts.
WEFT_API void weft_view_emit(weft_view* view, uint32_t row, const weft_type* type,
                             weft_entity target, const void* message);

#define WEFT_EMIT(view, row, target, name, ...)                                                    \
    weft_view_emit((view), (row), WEFT_TYPE(name), (target), &(name)__VA_ARGS__)

/// All messages of a declared channel: in key order for channels to the world, by slot then key
/// for channels to entities.
WEFT_API const void* weft_view_messages(const weft_view* view, const weft_type* type,
                                        uint32_t* count_out);

/// Steps through the messages to this chunk's entities, rows ascending.
typedef struct weft_inbox {
    uint32_t row;        // Row that the message is for.
    const void* message; // Its value.
    // Private.
    const weft_view* view;
    const void* channel;
    uint32_t position;
    uint32_t end;
} weft_inbox;

/// Starts at the first message (declared CONSUME, channel to entities, chunk scope).
WEFT_API weft_inbox weft_view_inbox(const weft_view* view, const weft_type* type);

/// Goes on to the next message. False at the end.
WEFT_API bool weft_inbox_next(weft_inbox* inbox);

/// This chunk's partial of a declared reduction; starts as the identity in every tick.
WEFT_API void* weft_view_partial(weft_view* view, const weft_type* type);

/// The finished value of a declared reduction: of this tick if its writers ran before, which the
/// plan sees to.
WEFT_API const void* weft_view_reduced(const weft_view* view, const weft_type* type);

#define WEFT_PARTIAL_OF(view, name) ((name*)weft_view_partial((view), WEFT_TYPE(name)))
#define WEFT_REDUCED_OF(view, name) ((const name*)weft_view_reduced((view), WEFT_TYPE(name)))

/// The recorder of a system that declared COMMANDS.
WEFT_API weft_commands* weft_view_commands(weft_view* view);

/// Ticks completed before this one: the t of world(t).
WEFT_API uint64_t weft_view_tick(const weft_view* view);

/// False in a world whose determinism is off: then there is no generator, and to ask for a key is a
/// bug that asserts.
WEFT_API bool weft_view_has_random(const weft_view* view);

/// Key of this system's draws in this tick (C8): use with weft_random_u32() and friends, with the
/// entity's slot as the subject; in world scope any number of the system's own, from 0.
WEFT_API weft_random_key weft_view_random(const weft_view* view);

/// The same for draws per chunk instead of per entity: another key, and the subject is
/// weft_view_shard().
WEFT_API weft_random_key weft_view_random_chunk(const weft_view* view);

/// The shard of the chunk; 0 in world scope.
WEFT_API uint32_t weft_view_shard(const weft_view* view);

/// Where this task notes what happened to its numbers: give it to the operations that end in
/// _sticky. The tick reports which system saturated first, see weft_executor_numbers().
WEFT_API weft_number_flags* weft_view_number_flags(weft_view* view);

/// Fails the tick with one line of text; returns SYSTEM_FAILED to be passed on.
WEFT_API weft_status weft_view_fail(weft_view* view, const char* format, ...) WEFT_PRINTF(2, 3);

#ifdef __cplusplus
}
#endif
