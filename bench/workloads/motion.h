/// Two workloads over one loop each: one that waits for memory and one that waits for arithmetic.
#pragma once

#include "kernel.h"
#include "workload.h"

WEFT_COMPONENT(MotionPosition, (weft_vec2, at));
WEFT_COMPONENT(MotionVelocity, (weft_vec2, per_second));
/// Seconds that one tick takes, 1/30.
WEFT_RESOURCE(MotionStep, (weft_fixed, seconds));

/// An angle in -1..1 radian, and sin^2 + cos^2 of it, which stays near 1.
WEFT_COMPONENT(ComputeAngle, (weft_fixed, radians));
WEFT_COMPONENT(ComputeUnity, (weft_fixed, value));

/// position += velocity * seconds for `count` rows: reads 16 bytes and writes 8 for each.
void weft_motion_advance(MotionPosition* position, const MotionVelocity* velocity, size_t count,
                         weft_fixed seconds);

/// Turns each angle by 1/64 and evaluates sin^2 + cos^2 by Taylor polynomials: 11 products and 9
/// sums a row.
void weft_motion_evaluate(ComputeAngle* angle, ComputeUnity* unity, size_t count);
