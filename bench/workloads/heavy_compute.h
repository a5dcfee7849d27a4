/// ecs_bench_suite's heavy_compute, in pinned float: a matrix inverted a hundred times a row. For
/// measurements; not in the list of workloads.
#pragma once

#include "kernel.h"
#include "workload.h"

WEFT_COMPONENT(HeavyMatrix, (array, float, cell, 16)); // By rows.
WEFT_COMPONENT(HeavyPosition, (weft_float3, at));

enum {
    HEAVY_INVERSIONS = 100
};

/// Replaces each matrix by its inverse a hundred times, then each position by matrix * position.
/// A matrix without an inverse stays as it is.
void weft_heavy_invert(HeavyMatrix* matrix, HeavyPosition* position, size_t count);

/// 1,000 entities with a rotation.
extern const weft_module weft_suite_heavy;
