/// Structural commands: recorded now, merged at the tick boundary in one fixed order (C6).
///
/// `row` is the row at hand in a system's chunk; pass 0 in world-scope systems and on the host. It
/// is part of the command's key, so the result does not depend on the order in which a system walks
/// its rows. Recording never fails visibly: running out of memory or of provisional numbers fails
/// the tick with a status.
#pragma once

#include <weft/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Creates an entity without components. Returns a provisional handle, valid in commands and in
/// entity fields (of components, messages and resources) until the commit makes it real. A handle
/// in a message that is read in the same tick is still provisional then.
WEFT_API weft_entity weft_commands_create(weft_commands* commands, uint32_t row);

/// A component and its value; `value` null means all zero.
typedef struct weft_value {
    const weft_type* type;
    const void* value;
} weft_value;

/// Creates an entity with components, in one record: a create that is at once followed by an add of
/// each, before every other command on it. At most 64 components.
WEFT_API weft_entity weft_commands_create_with(weft_commands* commands, uint32_t row,
                                               const weft_value* values, uint32_t count);

/// A component and its values on many entities: one for each, or the same for all.
typedef struct weft_column {
    const weft_type* type;
    const void* values; // Null: all zero.
    uint32_t count;     // As many as there are entities, or 1: that one for all.
} weft_column;

/// Creates `entity_count` entities with the same components. The outcome is that of as many
/// weft_commands_create_with() one after the other, for a fraction of the time. At most 64 columns;
/// the values are copied now. Returns the first handle of a run: weft_entity_nth() gives the
/// others. Null, and nothing is created, if `entity_count` is 0 or if the tick fails for it.
WEFT_API weft_entity weft_commands_create_many(weft_commands* commands, uint32_t row,
                                               uint32_t entity_count, const weft_column* columns,
                                               uint32_t column_count);

/// The handle that the next create recorded here returns: values of a weft_commands_create_many()
/// can name the entities of the same call by weft_entity_nth() of it.
WEFT_API weft_entity weft_commands_next(const weft_commands* commands);

/// The handle of entity `index` of a run of provisional handles that begins with `first`. Real
/// handles have no such order: resolve each by weft_world_resolve().
static inline weft_entity weft_entity_nth(weft_entity first, uint32_t index) {
    if (weft_entity_is_null(first))
        return first;
    uint64_t low = (uint64_t)first.generation + index;
    weft_entity nth = {first.slot + (uint32_t)(low >> 32), (uint32_t)low};
    return nth;
}

/// Destroys an entity. Twice is once. Destroying a provisional handle cancels its create.
WEFT_API void weft_commands_destroy(weft_commands* commands, uint32_t row, weft_entity entity);

/// Destroys each of `count` entities, real or provisional: as many weft_commands_destroy().
WEFT_API void weft_commands_destroy_many(weft_commands* commands, uint32_t row,
                                         const weft_entity* entities, uint32_t count);

/// Adds a component with a value, or overwrites it where present. `value` null means all zero.
WEFT_API void weft_commands_add(weft_commands* commands, uint32_t row, weft_entity entity,
                                const weft_type* type, const void* value);

/// Removes a component. Absent is no error.
WEFT_API void weft_commands_remove(weft_commands* commands, uint32_t row, weft_entity entity,
                                   const weft_type* type);

/// Overwrites a component where present at that point of the key order; else it is dropped and
/// counted.
WEFT_API void weft_commands_set(weft_commands* commands, uint32_t row, weft_entity entity,
                                const weft_type* type, const void* value);

/// WEFT_CREATE(commands, row, WEFT_VALUE(Position, {{x, y}}), WEFT_VALUE_TAG(Alive)).
#define WEFT_CREATE(commands, row, ...)                                                            \
    weft_commands_create_with((commands), (row), (const weft_value[]){__VA_ARGS__},                \
                              sizeof((const weft_value[]){__VA_ARGS__}) / sizeof(weft_value))
#define WEFT_VALUE(name, ...)                                                                      \
    { WEFT_TYPE(name), &(const name)__VA_ARGS__ }
#define WEFT_VALUE_TAG(name)                                                                       \
    { WEFT_TYPE(name), NULL }
/// WEFT_CREATE_MANY(commands, row, n, WEFT_COLUMN(Position, positions, n),
/// WEFT_COLUMN_SAME(Speed, {{1}}), WEFT_COLUMN_TAG(Alive)): `positions` is an array of n Position.
#define WEFT_CREATE_MANY(commands, row, entity_count, ...)                                         \
    weft_commands_create_many((commands), (row), (entity_count),                                   \
                              (const weft_column[]){__VA_ARGS__},                                  \
                              sizeof((const weft_column[]){__VA_ARGS__}) / sizeof(weft_column))
#define WEFT_COLUMN(name, array, count)                                                            \
    { WEFT_TYPE(name), (const name*){(array)}, (count) }
#define WEFT_COLUMN_SAME(name, ...)                                                                \
    { WEFT_TYPE(name), &(const name)__VA_ARGS__, 1 }
#define WEFT_COLUMN_TAG(name)                                                                      \
    { WEFT_TYPE(name), NULL, 1 }
#define WEFT_ADD(commands, row, entity, name, ...)                                                 \
    weft_commands_add((commands), (row), (entity), WEFT_TYPE(name), &(name)__VA_ARGS__)
#define WEFT_ADD_TAG(commands, row, entity, name)                                                  \
    weft_commands_add((commands), (row), (entity), WEFT_TYPE(name), NULL)
#define WEFT_REMOVE(commands, row, entity, name)                                                   \
    weft_commands_remove((commands), (row), (entity), WEFT_TYPE(name))
#define WEFT_SET(commands, row, entity, name, ...)                                                 \
    weft_commands_set((commands), (row), (entity), WEFT_TYPE(name), &(name)__VA_ARGS__)

#ifdef __cplusplus
}
#endif
