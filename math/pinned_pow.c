// Powers: 2^(b log2 a), with log2 a to about 2^-42 of itself, so that even 128 of it is right to
// 2^-34 and the exponential has its 32 bits of fraction. One by one: the products have 64 bits.

#include "pinned_core.h"
#include "weft_wide.h"

/// As weft__log_reciprocal: the binary logarithm of 512 / that, in steps of 2^-55.
static const int64_t log2_segment[32] = {
    -0x3d69708fa2b79d,
    -0x397db3eb7710d4,
    -0x357c30f2fe3e92,
    -0x31aa8ce76b86e3,
    -0x2e0c460a2ada3b,
    -0x2a5b7bf8992d67,
    -0x26e2499d499bda,
    -0x23580b6523e0e1,
    -0x1fbc16b902680a,
    -0x1c5cf77f860826,
    -0x18edcae8352b6c,
    -0x15c01a39fbd688,
    -0x1284294b07a640,
    -0xf8e69092bf0c6,
    -0xc35f83a83d064,
    -0x925adbf09ad1e,
    -0x6616ff0d25465,
    -0x337c5eee93598,
    0x0,
    0x51ea81cd5dc14,
    0xa62b07f3457c4,
    0xfce4aee0e88b2,
    0x14fc4d4d9bb313,
    0x1a5094b54d2828,
    0x1ef28aacd72231,
    0x24232dd0e8e7a1,
    0x2893a22bdefb0f,
    0x2d2015106da1aa,
    0x31c9f07f428bdb,
    0x3616cfe9e8d020,
    0x3a7deeeda87fe8,
    0x3e7ee39836c537,
};

/// The high half of a signed product, rounded down.
static int64_t high_signed(int64_t a, int64_t b) {
    uint64_t high = weft__mul_high((uint64_t)a, (uint64_t)b);
    high -= a < 0 ? (uint64_t)b : 0;
    high -= b < 0 ? (uint64_t)a : 0;
    return (int64_t)high;
}

/// size * 2^-scale or its negative; the top bit of size is set.
typedef struct logarithm {
    uint64_t size;
    int scale;
    bool is_negative;
} logarithm;

// As weft__log_bits: x = 2^k z, and the logarithm of 1 + r is r - r q. Around 1 the sum has this
// term alone, and its scale is finer.
static logarithm binary_log(uint32_t bits) {
    int k = 0;
    if (bits < 0x800000u) {
        bits = weft_float_to_bits((float)(int32_t)bits);
        k = -149;
    }
    uint32_t above = bits - 0x3f358000u;
    uint32_t segment = (above >> 18) & 31u;
    k += (int32_t)above >> 23;
    uint32_t z = bits - (above & 0xff800000u);
    uint32_t mantissa = ((z & 0x7fffffu) | 0x800000u) << ((z >> 23) & 1u);
    int64_t r = (int32_t)(mantissa * weft__log_reciprocal[segment]); // 2^33 r
    r *= INT64_C(1) << 35;                                           // 2^64 * 16r, under 2^63

    // (1/2, 1/3, ... 1/8) / 16^n in steps of 2^-62.
    static const int64_t terms[7] = {
        0x200000000000000, 0x15555555555555, 0x1000000000000, 0xccccccccccd,
        0xaaaaaaaaab,      0x924924925,      0x80000000,
    };
    int64_t q = terms[6];
    for (int n = 5; n >= 0; n--)
        q = terms[n] - high_signed(r, q);
    q = high_signed(r, q);
    int64_t natural = r - high_signed(r, q) * 4;              // in steps of 2^-68
    int64_t value = high_signed(natural, 0x5c551d94ae0bf85e); // times log2(e): 2^-66
    int scale = 66;
    if (k != 0 || log2_segment[segment] != 0) {
        value = (value >> 11) + log2_segment[segment] + k * (INT64_C(1) << 55);
        scale = 55;
    }
    uint64_t size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    int zeros = __builtin_clzll(size);
    return (logarithm){size << zeros, scale + zeros, value < 0};
}

/// a^b for a positive finite a other than 1, and a finite b other than 0.
static uint32_t power(uint32_t a, uint32_t b) {
    logarithm log = binary_log(a);
    uint32_t magnitude = b & 0x7fffffffu;
    int exponent = (int)(magnitude >> 23);
    uint32_t mantissa = (magnitude & 0x7fffffu) | 0x800000u;
    if (exponent == 0)
        return 0x3f800000u; // 1, as |log2 a| < 2^8
    // |b log2 a| is product * 2^scale.
    uint64_t product = weft__mul_high(log.size, (uint64_t)mantissa << 40);
    int scale = exponent - 126 - log.scale;
    bool is_negative = log.is_negative != (b >> 31 != 0);
    uint32_t limit = is_negative ? 0 : WEFT__FLOAT_INFINITY;
    if (scale > -55)
        return limit; // 2^8 or more, as product >= 2^62
    int shift = -32 - scale;
    int64_t fixed = shift < 64 ? (int64_t)(product >> shift) : 0;
    fixed = is_negative ? -fixed : fixed;
    int32_t whole = (int32_t)(fixed >> 32);
    if (whole > 127 || whole < -150)
        return limit;
    return weft__exp2_bits(whole, (uint32_t)fixed);
}

typedef enum parity {
    NOT_WHOLE,
    EVEN,
    ODD
} parity;

static parity parity_of(uint32_t magnitude) {
    uint32_t exponent = magnitude >> 23;
    if (exponent > 150)
        return EVEN; // an infinity too
    if (exponent < 127)
        return magnitude == 0 ? EVEN : NOT_WHOLE;
    uint32_t mantissa = (magnitude & 0x7fffffu) | 0x800000u;
    uint32_t fraction = 150 - exponent; // bits
    if ((mantissa & ((1u << fraction) - 1u)) != 0)
        return NOT_WHOLE;
    return (mantissa >> fraction) & 1u ? ODD : EVEN;
}

float weft_float_pow(float a, float b) {
    const uint32_t one = 0x3f800000u;
    uint32_t base = weft_float_to_bits(a);
    uint32_t exponent = weft_float_to_bits(b);
    uint32_t size = base & 0x7fffffffu;
    uint32_t exponent_size = exponent & 0x7fffffffu;
    if (base == one || exponent_size == 0)
        return 1.0f;
    if (size > WEFT__FLOAT_INFINITY || exponent_size > WEFT__FLOAT_INFINITY)
        return weft_float_from_bits(WEFT_FLOAT_NAN_BITS);
    parity whole = parity_of(exponent_size);
    uint32_t sign = whole == ODD ? base & 0x80000000u : 0;
    bool shrinks = (size < one) != (exponent >> 31 != 0);
    if (size == one && exponent_size == WEFT__FLOAT_INFINITY)
        return 1.0f; // -1
    if (size == 0 || size == WEFT__FLOAT_INFINITY || exponent_size == WEFT__FLOAT_INFINITY)
        return weft_float_from_bits((shrinks ? 0 : WEFT__FLOAT_INFINITY) | sign);
    if (base != size && whole == NOT_WHOLE)
        return weft_float_from_bits(WEFT_FLOAT_NAN_BITS);
    return weft_float_from_bits((size == one ? one : power(size, exponent)) | sign);
}
