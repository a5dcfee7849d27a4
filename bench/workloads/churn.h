/// Structural change and nothing else: every tick destroys 1% of the entities, creates as many,
/// tags 1% and takes the tag off those that were tagged the tick before.
///
/// Entities have two to four components in four sets. `churn` stores the tag densely, so that both
/// tag operations move a row; `churn_sparse` stores it in a presence table.
#pragma once

#include "workload.h"

WEFT_COMPONENT(ChurnA, (uint32_t, serial), (uint32_t, draw));
WEFT_COMPONENT(ChurnB, (weft_vec2, at));
WEFT_COMPONENT(ChurnC, (uint64_t, bits));
WEFT_COMPONENT(ChurnD, (weft_entity, parent));
WEFT_TAG(ChurnMark);

/// Structural operations of one tick, as requested.
WEFT_PARTIAL(ChurnOperations, (uint32_t, born), (uint32_t, died), (uint32_t, marked),
             (uint32_t, unmarked));

/// The same since the start. Their sum is the number of structural operations.
WEFT_RESOURCE(ChurnTotals, (uint64_t, born), (uint64_t, died), (uint64_t, marked),
              (uint64_t, unmarked), (uint64_t, start));

/// Structural operations since the start of a world of this workload.
uint64_t weft_churn_operations(const weft_world* world);

/// One kind of operation alone, on 1% of the entities: the world grows, shrinks, or has more or
/// fewer tags every tick.
extern const weft_module weft_churn_create;
extern const weft_module weft_churn_destroy;
extern const weft_module weft_churn_tag;
extern const weft_module weft_churn_untag;
