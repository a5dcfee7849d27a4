/// Vectors of two and three Q16.16 numbers.
///
/// Sums and differences round nothing; a result that mixes components is computed exactly in 64
/// bits and rounded once. All saturate. Pure functions, callable from any thread.
#pragma once

#include "weft/fixed.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A vector in the plane.
typedef struct weft_vec2 {
    weft_fixed x;
    weft_fixed y;
} weft_vec2;

/// A vector in space.
typedef struct weft_vec3 {
    weft_fixed x;
    weft_fixed y;
    weft_fixed z;
} weft_vec3;

/// a + b, each component saturating.
static inline weft_vec2 weft_vec2_add(weft_vec2 a, weft_vec2 b) {
    weft_vec2 sum = {weft_fixed_add(a.x, b.x), weft_fixed_add(a.y, b.y)};
    return sum;
}

/// a - b, each component saturating.
static inline weft_vec2 weft_vec2_sub(weft_vec2 a, weft_vec2 b) {
    weft_vec2 difference = {weft_fixed_sub(a.x, b.x), weft_fixed_sub(a.y, b.y)};
    return difference;
}

/// a * factor, each component saturating and correctly rounded.
static inline weft_vec2 weft_vec2_scale(weft_vec2 a, weft_fixed factor) {
    weft_vec2 product = {weft_fixed_mul(a.x, factor), weft_fixed_mul(a.y, factor)};
    return product;
}

/// The dot product: the exact sum, saturating and correctly rounded.
static inline weft_fixed weft_vec2_dot(weft_vec2 a, weft_vec2 b) {
    uint64_t sum = (uint64_t)((int64_t)a.x.raw * b.x.raw) + (uint64_t)((int64_t)a.y.raw * b.y.raw);
    // The sums go from -2^63 + 2^32 to 2^63: only the very last does not fit, and it alone looks
    // like -2^63.
    int64_t exact = sum == (uint64_t)1 << 63 ? INT64_MAX : (int64_t)sum;
    return weft_fixed_from_product(exact);
}

/// The squared length, correctly rounded. It saturates from a length of 181.02 on; compare lengths
/// with weft_vec2_length where vectors may be longer.
static inline weft_fixed weft_vec2_length_squared(weft_vec2 a) {
    return weft_vec2_dot(a, a);
}

/// The length, correctly rounded over the whole range; longer than the largest number saturates.
static inline weft_fixed weft_vec2_length(weft_vec2 a) {
    uint64_t x = weft__magnitude32(a.x.raw);
    uint64_t y = weft__magnitude32(a.y.raw);
    uint64_t root = weft_isqrt64(x * x + y * y);
    return weft_fixed_from_raw((int32_t)(root > INT32_MAX ? INT32_MAX : root));
}

/// The length of the exact a - b, correctly rounded; longer than the largest number saturates.
static inline weft_fixed weft_vec2_distance(weft_vec2 a, weft_vec2 b) {
    // A component that saturates here makes the exact distance saturate too.
    return weft_vec2_length(weft_vec2_sub(a, b));
}

/// One component of a unit vector: magnitude / length with the sign of `number`.
static inline weft_fixed weft__unit(int32_t number, uint64_t magnitude, uint64_t length) {
    int32_t unit = (int32_t)weft__divide_even(magnitude << 16, length);
    return weft_fixed_from_raw(number < 0 ? -unit : unit);
}

/// The vector of length 1 in the direction of a; the zero vector stays zero. Each component is
/// within 0.501 ulp of the exact one, over the whole range of a, and never beyond -1..1.
static inline weft_vec2 weft_vec2_normalize(weft_vec2 a) {
    uint64_t x = weft__magnitude32(a.x.raw);
    uint64_t y = weft__magnitude32(a.y.raw);
    uint32_t bits = (uint32_t)(x | y);
    if (bits == 0)
        return a;
    // Scaled so that the length has at least 31 bits: its rounding then costs under 2^-14 ulp.
    unsigned zeros = (unsigned)__builtin_clz(bits);
    unsigned shift = zeros > 0 ? zeros - 1u : 0u;
    x <<= shift; // weft-lint: allow(shift): at most 30
    y <<= shift; // weft-lint: allow(shift): at most 30
    uint64_t length = weft_isqrt64(x * x + y * y);
    weft_vec2 unit = {weft__unit(a.x.raw, x, length), weft__unit(a.y.raw, y, length)};
    return unit;
}

#ifdef __cplusplus
}
#endif
