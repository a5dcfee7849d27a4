/// Two worlds, value by value.
#pragma once

#include "verify_run.h"

/// Finds the first value that differs: entities, in the shard of the task that is named in the
/// place if there is one, then resources, reductions and messages. Fills the place.
void weft__verify_compare_worlds(const weft_world* serial, const weft_world* suspect,
                                 weft_verify_place* place);

/// Fills the place with two texts about an entity.
void weft__verify_texts(weft_verify_place* place, weft_verify_kind kind, weft_entity entity,
                        const char* reference, const char* found);

/// Fills the place with the first differing field of two values. False if they are equal.
bool weft__verify_values(weft_verify_place* place, weft_verify_kind kind, const weft_type* type,
                         const void* reference, const void* found);

/// Fills the place with the first difference in the components of an entity that lives in both
/// worlds. False if there is none.
bool weft__verify_entity(const weft_world* serial, const weft_world* suspect, weft_entity entity,
                         weft_verify_place* place);
