/// Where a difference comes from: the first task whose output differs.
#pragma once

#include "verify_run.h"

/// Finds the first task whose output differs, by (stage, rank, archetype, shard), and names it in
/// the place. The arrays may be ordered by other stages than the schedule's, so systems are looked
/// up by rank.
void weft__verify_outputs_compare(const weft__verify_outputs* serial,
                                  const weft__verify_outputs* suspect,
                                  const weft_schedule* schedule, weft_verify_place* place);

/// Whether two traced ticks had the same outputs, in the same order.
bool weft__verify_outputs_equal(const weft__verify_outputs* serial,
                                const weft__verify_outputs* suspect);

/// Looks for the difference of a configuration again, up to the limit of attempts, and keeps the
/// best that was seen, or was known before.
void weft__verify_locate(weft__verify_state* state, const weft_executor_desc* config, size_t index,
                         weft_verify_result* result);
