/// What the suites of pinned float32 share: bits, edge values, an oracle by double.
#pragma once

#include "math_test.h"
#include "weft/pinned.h"

#include <math.h>
#include <string.h>

#define NAN_BITS 0x7fc00000u
#define INFINITY_BITS 0x7f800000u

static inline float of(uint32_t bits) {
    return weft_float_from_bits(bits);
}

static inline uint32_t bits_of(float number) {
    return weft_float_to_bits(number);
}

/// The bits of a double rounded to float, every NaN the one. A sum, product, quotient or root of
/// floats in double has more than twice the bits, so that this second rounding is the right one.
static inline uint32_t rounded(double exact) {
    return isnan(exact) ? NAN_BITS : bits_of((float)exact);
}

#define FLOAT_EDGES 44
static const uint32_t float_edges[FLOAT_EDGES] = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x00400000, 0x007fffff, 0x807fffff, 0x00800000,
    0x80800000, 0x00800001, 0x33000000, 0x33800000, 0x34000000, 0x3effffff, 0x3f000000, 0xbf000000,
    0x3f000001, 0x3f7fffff, 0x3f800000, 0xbf800000, 0x3f800001, 0x3fc00000, 0x40200000, 0xc0200000,
    0x4affffff, 0x4b000000, 0x4b000001, 0xcb7fffff, 0x4b800000, 0x46ffffff, 0x47000000, 0xc7000000,
    0x4effffff, 0x4f000000, 0xcf000000, 0xcf000001, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000,
    0x7fc00000, 0xffc00000, 0x7f800001, 0xffd2f37a,
};

/// Any bits half of the time; else a number whose exponent is near that of 1, with low bits cleared
/// at random, so that ties and cancellation are common.
static inline uint32_t random_bits(uint64_t* state) {
    uint64_t random = test_next(state);
    uint32_t bits = (uint32_t)random;
    if (random >> 63)
        return bits;
    uint32_t exponent = 127 - 14 + (uint32_t)(random >> 32) % 40;
    bits = (bits & 0x807fffffu) | exponent << 23;
    return bits & (UINT32_MAX << ((random >> 48) % 24));
}

/// The distance in ulp of the exact value, infinite for a wrong kind of result.
static inline double ulps(float got, double exact) {
    uint32_t nearest = rounded(exact);
    bool is_special = (nearest & 0x7fffffffu) >= INFINITY_BITS || exact == 0;
    if (is_special || !weft_float_is_finite(got))
        return bits_of(got) == nearest ? 0 : HUGE_VAL;
    // An ulp is 2^(e - 23) for an exact value from 2^e to 2^(e + 1), and 2^-149 at least. Its
    // reciprocal is made of bits: this runs over all floats.
    uint64_t bits;
    memcpy(&bits, &exact, sizeof bits);
    uint64_t exponent = (bits >> 52) & 0x7ffu;
    exponent = exponent < 1023 - 126 ? 1023 - 126 : exponent;
    uint64_t reciprocal_bits = (2 * 1023 + 23 - exponent) << 52;
    double reciprocal;
    memcpy(&reciprocal, &reciprocal_bits, sizeof reciprocal);
    return fabs(((double)got - exact) * reciprocal);
}
