/// Pinned float32: arithmetic on `float` that gives the same bits on every machine.
///
/// Only + - * / and the square root of IEEE 754, to nearest with ties to even, without contraction,
/// excess precision or flushed denormals, and functions built of these alone (C9).
#pragma once

#include "weft/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A vector in the plane.
typedef struct weft_float2 {
    float x;
    float y;
} weft_float2;

/// A vector in space.
typedef struct weft_float3 {
    float x;
    float y;
    float z;
} weft_float3;

#ifdef __cplusplus
}
#endif
