/// position += velocity and nothing else: the loop that every entity-component system is timed by.
#pragma once

#include "kernel.h"
#include "workload.h"

WEFT_COMPONENT(IteratePosition, (weft_vec2, at));
WEFT_COMPONENT(IterateVelocity, (weft_vec2, per_tick));

/// position += velocity for `count` rows: reads 16 bytes and writes 8 for each.
void weft_iterate_advance(IteratePosition* position, const IterateVelocity* velocity, size_t count);

/// One system over one archetype. For measurements; not in the list of workloads.
extern const weft_module weft_suite_iterate;
