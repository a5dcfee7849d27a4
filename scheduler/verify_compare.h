/// Two worlds, value by value.
#pragma once

#include "verify_run.h"

/// Finds the first value that differs: entities, in the shard of the task that is named in the
/// place if there is one, then resources, reductions and messages. Fills the place.
void weft__verify_compare_worlds(const weft_world* serial, const weft_world* suspect,
                                 weft_verify_place* place);
