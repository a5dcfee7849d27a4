/// What two systems have to do with each other (C5): which of their access entries conflict.
#pragma once

#include "system.h"

typedef struct weft__conflict {
    const char* reason; // Null: none. Static.
    const weft_type* type;
    bool barrier; // Else on own rows alone, and settled chunk by chunk.
} weft__conflict;

/// Conflict of two entries on one type, whatever rows the two systems have.
weft__conflict weft__conflict_of_terms(const weft_world* world, const weft__term* a,
                                       const weft__term* b);

/// The dense component that `a` requires and `b` excludes, so that no archetype matches both; null
/// if there is none.
const weft_type* weft__conflict_excludes(const weft__access* a, const weft__access* b);

/// The gravest conflict of two systems: a barrier if there is one.
weft__conflict weft__conflict_of(const weft_world* world, const weft__system* a,
                                 const weft__system* b);

/// Why two entries on one type do not conflict, whatever rows the two systems have. Static.
const char* weft__conflict_none_reason(const weft_world* world, const weft__term* a,
                                       const weft__term* b);
