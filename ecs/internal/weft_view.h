/// The view's inside and compiled access lists, for the executor that makes them.
#pragma once

#include "weft_world.h"

/// An access entry bound to a world's registered types.
typedef struct weft__term {
    weft_access_mode mode;
    const weft_type* type;
    uint32_t type_id;  // 0 for COMMANDS, and for a WITHOUT of an unknown type.
    uint32_t index;    // In its role's array; for REDUCE see `producer`.
    uint32_t producer; // REDUCE: this system's number among the reduction's writers.
    bool sparse;
    bool buffered;
    bool checked; // Written, and of a type that has values which the state may not hold.
} weft__term;

typedef struct weft__access {
    WEFT__VEC(weft__term) terms;
    bool commands;
    bool any_rows; // Some term is READ_ANY.
    bool selects;  // Some sparse term filters rows.
    bool checked;  // Some term is.
} weft__access;

/// Binds a list. On failure `text` says why. Status: UNKNOWN_TYPE, BAD_ACCESS, OUT_OF_MEMORY.
WEFT_NODISCARD weft_status weft__access_compile(weft_world* world, const weft_access* list,
                                                size_t count, weft__access* out, char* text,
                                                size_t capacity);

/// True if a chunk of this archetype can be among the system's.
bool weft__access_matches(const weft__access* access, const weft__archetype* archetype);

/// Column of every term in an archetype, WEFT__NONE where it has none; `columns` has one entry per
/// term.
void weft__access_columns(const weft__access* access, const weft__archetype* archetype,
                          uint32_t* columns);

/// Any-row look-ups remembered by a view, and the column of a tag.
#define WEFT__GETS 8u
#define WEFT__GET_TAG (WEFT__NONE - 1)

/// Where a term's type lies in the archetype of the last handle that was looked up.
typedef struct weft__get {
    uint64_t key; // Term and archetype, plus one; 0: nothing yet.
    uint32_t column;
} weft__get;

struct weft_view {
    weft_world* world;
    weft__lane* lane;
    const weft__access* access;
    weft__chunk* chunk; // Null in world scope.
    const uint32_t* columns;
    ptrdiff_t read_alias; // The world's.
    ptrdiff_t write_alias;
    weft__get* gets; // [WEFT__GETS]
    weft_commands commands;
    const char* system_name;
    uint64_t system_hash;
    uint32_t selected_count;
    bool selected_valid;
    bool selected_all;
    char message[288];
};

/// Where a system reads what the world has at `place`, which is not null.
static WEFT__INLINE const void* weft__view_alias(const weft_view* view, const void* place) {
    WEFT_CHECK(place != NULL);
    return (const uint8_t*)place + view->read_alias;
}
/// Where it writes it.
static WEFT__INLINE void* weft__view_alias_write(const weft_view* view, void* place) {
    WEFT_CHECK(place != NULL);
    return (uint8_t*)place + view->write_alias;
}

/// Looks through what a task may have written (values.c). NOT_A_NUMBER or BAD_BOOL with the type,
/// field and entity in view->message.
WEFT_NODISCARD weft_status weft__view_check(weft_view* view);

/// A system that reaches for what it did not declare is a bug: named, and fatal.
__attribute__((noreturn, cold)) void weft__view_undeclared(const weft_view* view,
                                                           const weft_type* type, const char* what);
