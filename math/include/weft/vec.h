/// Vectors of two and three Q16.16 numbers.
///
/// Sums and differences round nothing; a result that mixes components is computed exactly and
/// rounded once. All saturate. Pure functions, callable from any thread.
#pragma once

#include "weft/fixed.h"

#ifdef __cplusplus
extern "C" {
#endif

/// a * b - c * d: the exact difference, saturating and correctly rounded.
static inline weft_fixed weft__cross(weft_fixed a, weft_fixed b, weft_fixed c, weft_fixed d) {
    // A product goes from -2^62 + 2^31 to 2^62, so the difference has room.
    return weft_fixed_from_product((int64_t)a.raw * b.raw - (int64_t)c.raw * d.raw);
}

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

/// The cross product a.x * b.y - a.y * b.x: positive where b lies to the left of a. The exact
/// difference, saturating and correctly rounded.
static inline weft_fixed weft_vec2_cross(weft_vec2 a, weft_vec2 b) {
    return weft__cross(a.x, b.y, a.y, b.x);
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

/// The point at t on the line from a to b: each component as weft_fixed_lerp.
static inline weft_vec2 weft_vec2_lerp(weft_vec2 a, weft_vec2 b, weft_fixed t) {
    weft_vec2 point = {weft_fixed_lerp(a.x, b.x, t), weft_fixed_lerp(a.y, b.y, t)};
    return point;
}

/// The smaller of each pair of components: with weft_vec2_max, the corners of a box.
static inline weft_vec2 weft_vec2_min(weft_vec2 a, weft_vec2 b) {
    weft_vec2 low = {weft_fixed_min(a.x, b.x), weft_fixed_min(a.y, b.y)};
    return low;
}

/// The larger of each pair of components.
static inline weft_vec2 weft_vec2_max(weft_vec2 a, weft_vec2 b) {
    weft_vec2 high = {weft_fixed_max(a.x, b.x), weft_fixed_max(a.y, b.y)};
    return high;
}

/// a + b, each component saturating.
static inline weft_vec3 weft_vec3_add(weft_vec3 a, weft_vec3 b) {
    weft_vec3 sum = {weft_fixed_add(a.x, b.x), weft_fixed_add(a.y, b.y), weft_fixed_add(a.z, b.z)};
    return sum;
}

/// a - b, each component saturating.
static inline weft_vec3 weft_vec3_sub(weft_vec3 a, weft_vec3 b) {
    weft_vec3 difference = {weft_fixed_sub(a.x, b.x), weft_fixed_sub(a.y, b.y),
                            weft_fixed_sub(a.z, b.z)};
    return difference;
}

/// a * factor, each component saturating and correctly rounded.
static inline weft_vec3 weft_vec3_scale(weft_vec3 a, weft_fixed factor) {
    weft_vec3 product = {weft_fixed_mul(a.x, factor), weft_fixed_mul(a.y, factor),
                         weft_fixed_mul(a.z, factor)};
    return product;
}

/// The dot product: the exact sum, saturating and correctly rounded.
static inline weft_fixed weft_vec3_dot(weft_vec3 a, weft_vec3 b) {
    int64_t x = (int64_t)a.x.raw * b.x.raw;
    int64_t y = (int64_t)a.y.raw * b.y.raw;
    int64_t z = (int64_t)a.z.raw * b.z.raw;
    // Up to 3 * 2^62, so the low 16 bits are summed apart.
    int64_t low = (x & 0xffff) + (y & 0xffff) + (z & 0xffff);
    int64_t high = (x >> 16) + (y >> 16) + (z >> 16) + (low >> 16);
    return weft_fixed_from_raw(weft__saturate32(weft__round16(high, low & 0xffff)));
}

/// The cross product, right-handed: x cross y is z. Each component is an exact difference,
/// saturating and correctly rounded.
static inline weft_vec3 weft_vec3_cross(weft_vec3 a, weft_vec3 b) {
    weft_vec3 normal = {weft__cross(a.y, b.z, a.z, b.y), weft__cross(a.z, b.x, a.x, b.z),
                        weft__cross(a.x, b.y, a.y, b.x)};
    return normal;
}

/// The squared length, correctly rounded. It saturates from a length of 181.02 on; compare lengths
/// with weft_vec3_length where vectors may be longer.
static inline weft_fixed weft_vec3_length_squared(weft_vec3 a) {
    return weft_vec3_dot(a, a);
}

/// The square root of x * x + y * y + z * z, to nearest. None above 2^31: the sum has room.
static inline uint64_t weft__root3(uint64_t x, uint64_t y, uint64_t z) {
    return weft_isqrt64(x * x + y * y + z * z);
}

/// The length, correctly rounded over the whole range; longer than the largest number saturates.
static inline weft_fixed weft_vec3_length(weft_vec3 a) {
    uint64_t root = weft__root3(weft__magnitude32(a.x.raw), weft__magnitude32(a.y.raw),
                                weft__magnitude32(a.z.raw));
    return weft_fixed_from_raw((int32_t)(root > INT32_MAX ? INT32_MAX : root));
}

/// The length of the exact a - b, correctly rounded; longer than the largest number saturates.
static inline weft_fixed weft_vec3_distance(weft_vec3 a, weft_vec3 b) {
    // A component that saturates here makes the exact distance saturate too.
    return weft_vec3_length(weft_vec3_sub(a, b));
}

/// The vector of length 1 in the direction of a; the zero vector stays zero. Each component is
/// within 0.501 ulp of the exact one, over the whole range of a, and never beyond -1..1.
static inline weft_vec3 weft_vec3_normalize(weft_vec3 a) {
    uint64_t x = weft__magnitude32(a.x.raw);
    uint64_t y = weft__magnitude32(a.y.raw);
    uint64_t z = weft__magnitude32(a.z.raw);
    uint32_t bits = (uint32_t)(x | y | z);
    if (bits == 0)
        return a;
    // Scaled so that the length has at least 31 bits, as in weft_vec2_normalize.
    unsigned zeros = (unsigned)__builtin_clz(bits);
    unsigned shift = zeros > 0 ? zeros - 1u : 0u;
    x <<= shift; // weft-lint: allow(shift): under 31
    y <<= shift; // weft-lint: allow(shift): under 31
    z <<= shift; // weft-lint: allow(shift): under 31
    uint64_t length = weft__root3(x, y, z);
    weft_vec3 unit = {weft__unit(a.x.raw, x, length), weft__unit(a.y.raw, y, length),
                      weft__unit(a.z.raw, z, length)};
    return unit;
}

/// The point at t on the line from a to b: each component as weft_fixed_lerp.
static inline weft_vec3 weft_vec3_lerp(weft_vec3 a, weft_vec3 b, weft_fixed t) {
    weft_vec3 point = {weft_fixed_lerp(a.x, b.x, t), weft_fixed_lerp(a.y, b.y, t),
                       weft_fixed_lerp(a.z, b.z, t)};
    return point;
}

/// The smaller of each pair of components: with weft_vec3_max, the corners of a box.
static inline weft_vec3 weft_vec3_min(weft_vec3 a, weft_vec3 b) {
    weft_vec3 low = {weft_fixed_min(a.x, b.x), weft_fixed_min(a.y, b.y), weft_fixed_min(a.z, b.z)};
    return low;
}

/// The larger of each pair of components.
static inline weft_vec3 weft_vec3_max(weft_vec3 a, weft_vec3 b) {
    weft_vec3 high = {weft_fixed_max(a.x, b.x), weft_fixed_max(a.y, b.y), weft_fixed_max(a.z, b.z)};
    return high;
}

#ifdef __cplusplus
}
#endif
