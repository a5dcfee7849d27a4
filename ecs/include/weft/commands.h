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

/// Destroys an entity. Twice is once. Destroying a provisional handle cancels its create.
WEFT_API void weft_commands_destroy(weft_commands* commands, uint32_t row, weft_entity entity);

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
