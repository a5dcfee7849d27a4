// The bodies of the pinned functions that have column forms: float32 bits in, float32 bits out.
//
// Without branches, so that the same code makes one number and wide vectors of them. Inside are
// integers: fixed point in 32 bits with products in 64, which is exact or rounded down where it is
// written, and at the end one conversion from a whole number to a float. That is the only rounding
// that is not 2^-5 ulp or less, and scaling by a power of two after it is exact.
//
// "Q0.32" is a fraction in steps of 2^-32. The polynomials are minimax ones of the error that
// counts (Remez), their coefficients rounded to Q0.32.
#pragma once

#include "weft/pinned.h"
#include "weft_bits.h"

#define WEFT__FLOAT_INFINITY 0x7f800000u

/// The high half of a * b.
static WEFT__INLINE uint32_t weft__high32(uint32_t a, uint32_t b) {
    return (uint32_t)((uint64_t)a * b >> 32);
}

/// The same for signed numbers, rounded down.
static WEFT__INLINE int32_t weft__high32_signed(int32_t a, int32_t b) {
    return (int32_t)(uint32_t)((uint64_t)((int64_t)a * b) >> 32);
}

/// `yes` if the condition holds, else `no`. Where gcc makes a branch of ?: the loop stays narrow.
static WEFT__INLINE uint32_t weft__select(bool condition, uint32_t yes, uint32_t no) {
    uint32_t mask = 0u - (uint32_t)condition;
    return (yes & mask) | (no & ~mask);
}

/// The index of the highest set bit of a number below 2^31, by the exponent of its conversion; for
/// 0 some number in 0..31. The bit below the highest is cleared, so that it cannot round up.
static WEFT__INLINE uint32_t weft__high_bit(uint32_t number) {
    float converted = (float)(int32_t)(number & ~(number >> 1));
    return ((weft_float_to_bits(converted) >> 23) - 127u) & 31u;
}

/// number * 2^(exponent - 127) rounded to nearest even, and the sign. number < 2^31, exponent in
/// 1..254 and no result denormal or too large.
static WEFT__INLINE uint32_t weft__float_scaled(uint32_t number, uint32_t exponent, uint32_t sign) {
    float rounded = (float)(int32_t)number;
    return weft_float_to_bits(rounded * weft_float_from_bits(exponent << 23)) | sign;
}

/// An angle in quarter turns: quadrant + rest * 2^-62, with -1/2 <= rest * 2^-62 <= 1/2.
typedef struct weft__turn {
    uint32_t quadrant;    // modulo 4
    uint32_t is_negative; // all ones or 0, of the rest
    uint32_t square;      // of twice the rest, Q0.32
    uint32_t rest;        // |rest| * 2^-shift, top bit set unless the rest is under 2^31
    uint32_t shift;
} weft__turn;

/// floor(2/pi * 2^(8i - 8)) modulo 2^32.
static const uint32_t weft__two_over_pi[26] = {
    0x00000000, 0x00000000, 0x000000a2, 0x0000a2f9, 0x00a2f983, 0xa2f9836e, 0xf9836e4e,
    0x836e4e44, 0x6e4e4415, 0x4e441529, 0x441529fc, 0x1529fc27, 0x29fc2757, 0xfc2757d1,
    0x2757d1f5, 0x57d1f534, 0xd1f534dd, 0xf534ddc0, 0x34ddc0db, 0xddc0db62, 0xc0db6295,
    0xdb629599, 0x6295993c, 0x95993c43, 0x993c4390, 0x3c439041,
};

// x * 2/pi modulo 4 in steps of 2^-62: the mantissa, 31 bits with the low three of the exponent,
// times the 96 bits of 2/pi that matter at this exponent. What is cut off is under 1.5 steps; no
// float is nearer to a multiple of pi/2 than 2^-30 quarter turns, so that 32 bits are right in the
// worst case. Exponents under 112 are taken for 112: an angle under 2^-14, whatever it is.
static WEFT__INLINE weft__turn weft__turn_of(uint32_t magnitude) {
    uint32_t exponent = magnitude >> 23;
    exponent = weft__select(exponent < 112, 112, exponent);
    uint32_t mantissa = ((magnitude & 0x7fffffu) | 0x800000u) << (exponent & 7u);
    uint32_t word = (exponent >> 3) - 14u;
    uint64_t angle = (uint64_t)(mantissa * weft__two_over_pi[word]) << 32;
    angle += (uint64_t)mantissa * weft__two_over_pi[word + 4];
    angle += (uint64_t)mantissa * weft__two_over_pi[word + 8] >> 32;

    weft__turn turn;
    uint64_t quadrant = (angle + (UINT64_C(1) << 61)) >> 62;
    uint64_t rest = angle - (quadrant << 62);
    uint64_t sign = 0 - (rest >> 63);
    rest = (rest ^ sign) - sign;
    rest -= rest >> 61; // 2^61 would be too much for the two uses below.
    turn.quadrant = (uint32_t)quadrant;
    turn.is_negative = (uint32_t)sign;
    uint32_t twice = (uint32_t)(rest >> 29);
    turn.square = weft__high32(twice, twice);
    turn.shift = weft__high_bit((uint32_t)(rest >> 31));
    turn.rest = (uint32_t)(rest >> turn.shift);
    return turn;
}

/// T of sin(pi/2 f) = f (pi/2 - T) and of cos(pi/2 f) = 1 - T, in Q0.32, from (2f)^2: the first
/// where `odd` is 0, the second where it is all ones. Off by 2^-34 and by what rounding down costs.
static WEFT__INLINE uint32_t weft__turn_series(uint32_t square, uint32_t odd) {
    uint32_t sum = (0x00000a5fu & ~odd) | (0x00003b3fu & odd);
    sum = ((0x0004cb2du & ~odd) | (0x00155c66u & odd)) - weft__high32(square, sum);
    sum = ((0x01466bbcu & ~odd) | (0x040f077bu & odd)) - weft__high32(square, sum);
    sum = ((0x295779cbu & ~odd) | (0x4ef4f320u & odd)) - weft__high32(square, sum);
    return weft__high32(square, sum);
}

/// pi/2 in Q1.31.
#define WEFT__HALF_PI 0xc90fdaa2u

/// Sine, a quarter turn further for the cosine.
static WEFT__INLINE uint32_t weft__sine_bits(uint32_t bits, uint32_t quarter) {
    uint32_t magnitude = bits & 0x7fffffffu;
    weft__turn turn = weft__turn_of(magnitude);
    uint32_t quadrant = turn.quadrant + quarter;
    uint32_t odd = 0u - (quadrant & 1u);
    uint32_t series = weft__turn_series(turn.square, odd);
    uint32_t sine = weft__high32(turn.rest, WEFT__HALF_PI - (series >> 1));
    uint32_t number = (~series & odd) | (sine & ~odd);
    number = number >> 1 | (number & 1u);
    uint32_t exponent = (96u & odd) | ((67u + turn.shift) & ~odd);
    uint32_t sign = quadrant << 30 ^ (turn.is_negative & ~odd) ^ (quarter ? 0u : bits);
    uint32_t result = weft__float_scaled(number, exponent, sign & 0x80000000u);
    // Up to 2^-12 the sine is the angle, to nearest.
    if (quarter == 0)
        result = weft__select(magnitude < 0x39800000u, bits, result);
    return weft__select(magnitude >= WEFT__FLOAT_INFINITY, WEFT_FLOAT_NAN_BITS, result);
}

/// 2^(whole + f) for f in Q0.32 and whole in -150..127. 2^f - 1 is off by 2^-33.9 and what rounding
/// down costs. The result is rounded by shifting, as a denormal one must be rounded only once.
/// Other values of `whole` give some bits.
static WEFT__INLINE uint32_t weft__exp2_bits(int32_t whole, uint32_t f) {
    uint32_t sum = 0x00096301u + weft__high32(f, 0x00016a35u);
    sum = 0x0057fd80u + weft__high32(f, sum);
    sum = 0x02760cf7u + weft__high32(f, sum);
    sum = 0x0e359661u + weft__high32(f, sum);
    sum = 0x3d7f79e4u + weft__high32(f, sum);
    sum = 0xb172180du + weft__high32(f, sum); // < 2^32, as the coefficients add up to 2^32 - 1
    uint32_t part = weft__high32(f, sum);
    uint32_t number = 0x40000000u | part >> 2 | (0u - (part & 3u)) >> 31;

    uint32_t below = weft__select(whole < -126, (uint32_t)(-126 - whole), 0);
    uint32_t shift = weft__select(below > 24, 31, 7 + below);
    uint32_t half = (1u << (shift - 1u)) - 1u + ((number >> shift) & 1u);
    return (((uint32_t)whole + 126u + below) << 23) + ((number + half) >> shift);
}

// 2^(x log2(e)): the product with 40 bits of log2(e) is exact, and its whole part and 32 bits of
// its fraction are taken.
static WEFT__INLINE uint32_t weft__exp_bits(uint32_t bits) {
    uint32_t magnitude = bits & 0x7fffffffu;
    uint32_t exponent = magnitude >> 23;
    exponent = weft__select(exponent < 102, 102, exponent);
    exponent = weft__select(exponent > 133, 133, exponent);
    uint32_t mantissa = (magnitude & 0x7fffffu) | 0x800000u;
    uint64_t power = (uint64_t)mantissa * 0xaa3b295cu + ((uint64_t)(mantissa * 0xb8u) << 32);
    power >>= 157u - exponent;
    uint64_t sign = 0 - (uint64_t)(bits >> 31);
    power = (power ^ sign) - sign;
    uint32_t result = weft__exp2_bits((int32_t)(uint32_t)(power >> 32), (uint32_t)power);
    result = weft__select(magnitude < 0x33000000u, 0x3f800000u, result); // 2^-25: to nearest, 1
    bool is_negative = bits >> 31 != 0;
    uint32_t limit = weft__select(is_negative, 0, WEFT__FLOAT_INFINITY);
    // -150 ln 2, and the logarithm of 2^128 (1 - 2^-25).
    uint32_t last = weft__select(is_negative, 0x42cff1b5u, 0x42b17218u);
    result = weft__select(magnitude >= last, limit, result);
    return weft__select(magnitude > WEFT__FLOAT_INFINITY, WEFT_FLOAT_NAN_BITS, result);
}

/// Of z in 0.709..1.418 in 32 segments, 16 to a power of two, the one with 1 in it centred there:
/// 512 / z for a z in the middle, and the logarithm of 512 / that in steps of 2^-56, in
/// two halves, as gcc does not gather wider words by an index of 32 bits.
static const uint32_t weft__log_reciprocal[32] = {
    714, 699, 684, 670, 657, 644, 632, 620, 608, 597, 586, 576, 566, 557, 547, 538,
    530, 521, 512, 498, 484, 470, 457, 444, 433, 421, 411, 401, 391, 382, 373, 365,
};
static const uint32_t weft__log_high[32] = {
    0xffaadd74, 0xffb04cee, 0xffb5da97, 0xffbb25e3, 0xffc029fb, 0xffc547bd, 0xffca186d, 0xffcf00bf,
    0xffd4019f, 0xffd8ae29, 0xffdd70f4, 0xffe1d8f8, 0xffe654bd, 0xffea6f35, 0xffef127c, 0xfff351be,
    0xfff72793, 0xfffb8a02, 0x00000000, 0x000718f4, 0x000e65b9, 0x0015e95a, 0x001d1797, 0x00247ae2,
    0x002ae6f9, 0x003218db, 0x00384051, 0x003e8e96, 0x0045059f, 0x004afbc1, 0x00511647, 0x0056a32b,
};
static const uint32_t weft__log_low[32] = {
    0xf148b675, 0x7c4282c0, 0xb085e573, 0xf5b15d3f, 0x9833f067, 0x296088dd, 0x62fe801a, 0x35be6ddf,
    0x1eb0d858, 0xa59cb914, 0xf7317aa7, 0x91d50d1a, 0xb9dfcc53, 0x020fe3d8, 0x64aad902, 0x789b8e0a,
    0x3b6e1340, 0x05184506, 0x00000000, 0xbb052abc, 0xe6eed966, 0x4d9791cb, 0x88219364, 0x54938403,
    0x920319bb, 0x73f979b3, 0x562ff369, 0x269be452, 0xbcd9de0c, 0xf3724d4e, 0x814e7d23, 0x6efb7e84,
};

// x = 2^k z, and log(x) = k ln 2 + log(segment) + log(1 + r). r = z * reciprocal - 1 is exact, and
// the other two are 0 around 1, so that small results are right too. log(1 + r) = r - r q, with q
// off by 2^-35. The sum has steps of 2^-56: 32 bits remain of the smallest result.
static WEFT__INLINE uint32_t weft__log_bits(uint32_t bits) {
    bool is_denormal = bits < 0x800000u;
    uint32_t whole = weft_float_to_bits((float)(int32_t)weft__select(is_denormal, bits, 0));
    uint32_t normal = weft__select(is_denormal, whole, bits);
    uint32_t above = normal - 0x3f358000u;
    uint32_t segment = (above >> 18) & 31u;
    int32_t k = ((int32_t)above >> 23) - (int32_t)weft__select(is_denormal, 149, 0);
    uint32_t z = normal - (above & 0xff800000u);
    uint32_t mantissa = (z & 0x7fffffu) | 0x800000u;
    mantissa <<= (z >> 23) & 1u; // in steps of 2^-24: the exponent is 126 or 127

    // 2^33 * r, as 2^33 times 1 is 0 modulo 2^32. |r| < 2^-5.9.
    int32_t r = (int32_t)(mantissa * weft__log_reciprocal[segment]);
    int32_t r8 = r * 4; // 2^32 * 8r
    int32_t q = 0x00200298 - weft__high32_signed(r8, 0x00033391);
    q = 0x01555554 - weft__high32_signed(r8, q);
    q = 0x0ffffffc - weft__high32_signed(r8, q);
    q = weft__high32_signed(r8, q);
    // In steps of 2^-67, shifted as a number that is not negative.
    uint64_t rq = (uint64_t)((int64_t)r8 * q) + (UINT64_C(1) << 62);
    uint64_t sum = (uint64_t)((int64_t)r * (1 << 23)) - ((rq >> 11) - (UINT64_C(1) << 51));
    sum += (uint64_t)weft__log_high[segment] << 32 | weft__log_low[segment];
    sum += (uint64_t)((int64_t)k * 0x0b17217f) << 28; // ln 2 in two parts of 28 bits
    sum += (uint64_t)((int64_t)k * 0x07d1cf7a);

    uint64_t sign = 0 - (sum >> 63);
    sum = (sum ^ sign) - sign;
    uint32_t high = weft__high_bit((uint32_t)(sum >> 32));
    uint32_t number = (uint32_t)(sum >> (high + 2u));
    uint32_t result = weft__float_scaled(number, high + 73u, (uint32_t)sign & 0x80000000u);
    result = weft__select(bits >= WEFT__FLOAT_INFINITY, bits, result);
    result = weft__select(bits > WEFT__FLOAT_INFINITY, WEFT_FLOAT_NAN_BITS, result);
    return weft__select((bits & 0x7fffffffu) == 0, 0xff800000u, result);
}
