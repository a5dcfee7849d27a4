// What needs 128 bits in between. Exact results are rounded to nearest even without a limit, as
// signed 128-bit numbers; the forms differ only in what becomes of those out of range.

#include "weft/fixed64.h"

#include "weft_wide128.h"

_Static_assert(sizeof(weft_fixed64) == 8, "a fixed number is stored and hashed as eight bytes");

static bool fits(weft__u128 n) {
    return n.high == (uint64_t)((int64_t)n.low >> 63);
}

static weft_fixed64 saturated(weft__u128 n) {
    int64_t limit = ((int64_t)n.high >> 63) ^ INT64_MAX;
    return weft_fixed64_from_raw(fits(n) ? (int64_t)n.low : limit);
}

static weft_fixed64 saturated_sticky(weft__u128 n, weft_number_flags* flags) {
    *flags |= fits(n) ? 0u : WEFT_NUMBER_SATURATED;
    return saturated(n);
}

static uint64_t magnitude(int64_t number) {
    return number < 0 ? 0u - (uint64_t)number : (uint64_t)number;
}

static weft__u128 product(weft_fixed64 a, weft_fixed64 b) {
    return weft__round32(weft__mul_signed(a.raw, b.raw), 0);
}

weft_fixed64 weft__fixed64_mul(weft_fixed64 a, weft_fixed64 b) {
    return saturated(product(a, b));
}

weft_fixed64 weft_fixed64_mul_wrap(weft_fixed64 a, weft_fixed64 b) {
    return weft_fixed64_from_raw((int64_t)product(a, b).low);
}

bool weft_fixed64_mul_checked(weft_fixed64 a, weft_fixed64 b, weft_fixed64* out) {
    weft__u128 exact = product(a, b);
    *out = saturated(exact);
    return fits(exact);
}

weft_fixed64 weft_fixed64_mul_sticky(weft_fixed64 a, weft_fixed64 b, weft_number_flags* flags) {
    return saturated_sticky(product(a, b), flags);
}

weft_fixed64 weft_fixed64_muladd(weft_fixed64 a, weft_fixed64 b, weft_fixed64 c) {
    return saturated(weft__round32(weft__mul_signed(a.raw, b.raw), c.raw));
}

/// a + (b - a) * t.
static weft__u128 blend(weft_fixed64 a, weft_fixed64 b, weft_fixed64 t) {
    // The difference has 65 bits with its sign, and the product less than 128.
    bool down = b.raw < a.raw;
    uint64_t gap = down ? (uint64_t)a.raw - (uint64_t)b.raw : (uint64_t)b.raw - (uint64_t)a.raw;
    weft__u128 step = weft__mul_wide(gap, magnitude(t.raw));
    return weft__round32(down != (t.raw < 0) ? weft__negate_wide(step) : step, a.raw);
}

weft_fixed64 weft_fixed64_lerp(weft_fixed64 a, weft_fixed64 b, weft_fixed64 t) {
    return saturated(blend(a, b, t));
}

weft_fixed64 weft_fixed64_lerp_sticky(weft_fixed64 a, weft_fixed64 b, weft_fixed64 t,
                                      weft_number_flags* flags) {
    return saturated_sticky(blend(a, b, t), flags);
}

/// a / b where b is not 0. What needs more than 65 bits is only some number out of range.
static weft__u128 quotient(weft_fixed64 a, weft_fixed64 b) {
    uint64_t n = magnitude(a.raw);
    uint64_t d = magnitude(b.raw);
    weft__u128 rounded = {1, 0};
    if (n >> 32 < d) {
        uint64_t rest;
        uint64_t whole = weft__divide_wide((weft__u128){n >> 32, n << 32}, d, &rest);
        uint64_t gap = d - rest;
        uint64_t up = (uint64_t)(rest > gap) | ((uint64_t)(rest == gap) & whole & 1u);
        rounded = (weft__u128){whole + up < whole, whole + up};
    }
    return (a.raw ^ b.raw) < 0 ? weft__negate_wide(rounded) : rounded;
}

weft_fixed64 weft_fixed64_div(weft_fixed64 a, weft_fixed64 b) {
    if (b.raw == 0)
        return weft_fixed64_from_raw(a.raw == 0 ? 0 : (a.raw >> 63) ^ INT64_MAX);
    return saturated(quotient(a, b));
}

weft_fixed64 weft_fixed64_div_sticky(weft_fixed64 a, weft_fixed64 b, weft_number_flags* flags) {
    if (b.raw == 0) {
        *flags |= a.raw == 0 ? WEFT_NUMBER_UNDEFINED : WEFT_NUMBER_DIVIDED_BY_0;
        return weft_fixed64_div(a, b);
    }
    return saturated_sticky(quotient(a, b), flags);
}

// With h the number shifted to 63 or 64 bits and s the nearest root of h, 2^32 * sqrt(h) is
// 2^32 * s + 2^31 * (h - s^2) / s, less 2^32 * (h - s^2)^2 / (8 * s^3), which is under 1/4, as s is
// at least 2^31 and h - s^2 at most s. So a unit of the result, 2^16 of these or more, is missed by
// next to nothing before it is rounded: the candidate is the nearest or beside it, and the
// remainder decides.
weft_fixed64 weft_fixed64_sqrt(weft_fixed64 a) {
    if (a.raw <= 0)
        return weft_fixed64_from_raw(0);
    unsigned shift = (unsigned)__builtin_clzll((uint64_t)a.raw) & ~1u;
    uint64_t h = (uint64_t)a.raw << shift;
    uint64_t s = weft_isqrt64(h);
    // In -s < left <= s; at s = 2^32 both squares wrap alike.
    int64_t left = (int64_t)(h - s * s);
    uint64_t root = (s << 32) + (uint64_t)(left * INT64_C(0x80000000) / (int64_t)s);
    unsigned drop = 16 + shift / 2;
    uint64_t candidate = (root >> drop) + (root >> (drop - 1) & 1);

    // Below 2^48 in magnitude, though the square has up to 96 bits: the low 64 bits tell it.
    int64_t rest = (int64_t)(((uint64_t)a.raw << 32) - candidate * candidate);
    candidate += rest > (int64_t)candidate;
    candidate -= rest <= -(int64_t)candidate;
    return weft_fixed64_from_raw((int64_t)candidate);
}
