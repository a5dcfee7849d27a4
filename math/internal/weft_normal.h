/// The quantile function behind weft_random_normal, for its tests. Pure.
#pragma once

#include "weft/base.h"

/// The magnitude that a normal number exceeds with a chance of tail * 2^-65, in Q16.16, to within
/// 0.501 ulp. tail >= 1; larger tails never give larger magnitudes.
uint32_t weft__normal_magnitude(uint64_t tail);
