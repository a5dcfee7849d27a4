/// The kernels of the elementary functions: integer arithmetic on numbers of 64 and 128 bits, wide
/// enough for Q16.16 and Q32.32 alike.
///
/// Arguments are magnitudes in steps of 2^-32, and results magnitudes of 128 bits in steps of 2^-64
/// ("Q64.64"), unless a comment says otherwise. All steps truncate, so a kernel's result does not
/// depend on a rounding mode, a compiler or a 128-bit type. Pure functions.
#pragma once

#include "elementary_tables.h"
#include "weft/fixed.h"

/// 2/pi in steps of 2^-192, high word first.
static const uint64_t weft__two_over_pi[3] = {0xa2f9836e4e441529, 0xfc2757d1f534ddc0,
                                              0xdb6295993c439042};
/// 2/pi in steps of 2^-127.
static const weft__u128 weft__two_over_pi_half = {0x517cc1b727220a94, 0xfe13abe8fa9a6ee0};
/// log2(e) in steps of 2^-120, and log2(e) - 1 in steps of 2^-128.
static const weft__u128 weft__log2_e = {0x0171547652b82fe1, 0x777d0ffda0d23a7d};
static const weft__u128 weft__log2_e_less_1 = {0x71547652b82fe177, 0x7d0ffda0d23a7d12};
/// ln(2) and pi/6 in steps of 2^-64.
static const uint64_t weft__ln_2 = 0xb17217f7d1cf79ac;
static const uint64_t weft__pi_sixth = 0x860a91c16b9b2c23;
/// pi/4, pi/2 and pi in Q64.64.
static const weft__u128 weft__quarter_pi = {0, 0xc90fdaa22168c235};
static const weft__u128 weft__half_pi = {1, 0x921fb54442d1846a};
static const weft__u128 weft__pi = {3, 0x243f6a8885a308d3};
/// 1/3, 1/5 and 1/6 in steps of 2^-63, and 1/6 and 1/24 in steps of 2^-64.
static const uint64_t weft__third_63 = 0x2aaaaaaaaaaaaaab;
static const uint64_t weft__fifth_63 = 0x199999999999999a;
static const uint64_t weft__sixth_63 = 0x1555555555555555;
static const uint64_t weft__sixth_64 = 0x2aaaaaaaaaaaaaab;
static const uint64_t weft__24th_64 = 0x0aaaaaaaaaaaaaab;

/// Beyond every number of either format.
static const weft__u128 weft__infinite = {UINT64_MAX, UINT64_MAX};

/// The number of zeros above the highest bit that is set; number is not 0.
static inline unsigned weft__leading_zeros(uint64_t number) {
#ifdef __x86_64__
    // The instruction waits for the old value of its result's register, which the compilers do not
    // know: mostly that of the call before. A zero is ready at once, and calls overlap.
    // Log and atan2 take 1.6 times as long with the builtin.
    uint64_t highest = 0;
    // weft-lint: allow(asm): the same number as the other branch
    __asm__("bsrq %1, %0" : "+r"(highest) : "r"(number) : "cc");
    return 63 ^ (unsigned)highest;
#else
    return (unsigned)__builtin_clzll(number);
#endif
}

/// All ones if a < b, else 0: the borrow of a - b. As a comparison it would become an instruction
/// that waits for its register's old value, as above.
static inline uint64_t weft__mask_less(uint64_t a, uint64_t b) {
    return (uint64_t)((int64_t)((~a & b) | (~(a ^ b) & (a - b))) >> 63);
}

// Numbers of 128 bits ----------------------------------------------------------------------------

/// -a where the mask is all ones, a where it is 0. Signs are as good as random, so a branch on one
/// would be mispredicted.
static inline weft__u128 weft__wide_sign(weft__u128 a, uint64_t mask) {
    return weft__wide_sub((weft__u128){a.high ^ mask, a.low ^ mask}, (weft__u128){mask, mask});
}

/// a * b / 2^64, rounded down. It fits.
static inline weft__u128 weft__wide_scale(uint64_t a, weft__u128 b) {
    return weft__wide_add(weft__mul_wide(a, b.high), (weft__u128){0, weft__mul_high(a, b.low)});
}

/// a * b / 2^64 of a signed a, rounded down, as two's complement.
static inline uint64_t weft__signed_high(uint64_t a, uint64_t b) {
    return weft__mul_high(a, b) - ((uint64_t)((int64_t)a >> 63) & b);
}

static inline uint64_t weft__shift_signed(uint64_t a, unsigned count) {
    return (uint64_t)((int64_t)a >> count);
}

// Division and roots -----------------------------------------------------------------------------

/// (2^128 - 1) / d - 2^64, rounded down; d >= 2^63. Source: Moller and Granlund, Improved division
/// by invariant integers, 2011, algorithm 2.
static inline uint64_t weft__reciprocal(uint64_t d) {
    uint64_t v0 = weft__reciprocal_start[(d >> 55) - 256];
    uint64_t d40 = (d >> 24) + 1;
    uint64_t v1 = (v0 << 11) - ((v0 * v0 * d40) >> 40) - 1;
    uint64_t v2 = (v1 << 13) + ((v1 * ((UINT64_C(1) << 60) - v1 * d40)) >> 47);
    uint64_t odd = d & 1;
    uint64_t e = ((v2 >> 1) & (0 - odd)) - v2 * ((d >> 1) + odd);
    uint64_t v3 = (weft__mul_high(v2, e) >> 1) + (v2 << 31);
    weft__u128 product = weft__wide_add(weft__mul_wide(v3, d), (weft__u128){0, d});
    return v3 - (product.high + d);
}

/// n / d, rounded down, and what is left over. n.high < d, d >= 2^63, and v = weft__reciprocal(d).
/// Source: the same, algorithm 4.
static inline uint64_t weft__divide_by_reciprocal(weft__u128 n, uint64_t d, uint64_t v,
                                                  uint64_t* rest_out) {
    weft__u128 q = weft__wide_add(weft__mul_wide(n.high, v), n);
    uint64_t quotient = q.high + 1;
    uint64_t rest = n.low - quotient * d;
    uint64_t over = 0 - (uint64_t)(rest > q.low);
    quotient += over;
    rest += over & d;
    if (rest >= d) {
        ++quotient;
        rest -= d;
    }
    *rest_out = rest;
    return quotient;
}

/// The square root of n, rounded down. Source: Zimmermann, Karatsuba square root, 1999.
static inline uint64_t weft__wide_root(weft__u128 n) {
    if ((n.high | n.low) == 0)
        return 0;
    unsigned shift = n.high != 0 ? weft__leading_zeros(n.high) : 64 + weft__leading_zeros(n.low);
    shift &= ~1u;
    weft__u128 scaled = weft__wide_left(n, shift);
    uint64_t top = weft_isqrt64(scaled.high);
    // Rounded down, and in 32 bits also where the nearest root is 2^32.
    if (top > UINT32_MAX || top * top > scaled.high)
        --top;
    uint64_t rest = scaled.high - top * top; // at most 2 top, 33 bits
    uint64_t low = (rest << 31 | scaled.low >> 33) / top;
    if (low > UINT32_MAX)
        low = UINT32_MAX;
    uint64_t root = (top << 32) + low;
    // The candidate is the root, or above it by one.
    weft__u128 square = weft__mul_wide(root, root);
    if (square.high > scaled.high || (square.high == scaled.high && square.low > scaled.low))
        --root;
    return root >> (shift / 2);
}

// Circle -----------------------------------------------------------------------------------------

/// A piece at h, a fraction in steps of 2^-64.
static inline uint64_t weft__piece_at(const int64_t* coefficient, int terms, uint64_t h) {
    uint64_t sum = (uint64_t)coefficient[terms - 1];
    for (int k = terms - 2; k >= 0; --k)
        sum = (uint64_t)coefficient[k] + weft__signed_high(sum, h);
    return sum;
}

/// An angle in quarter turns: the whole ones modulo 4, and the fraction in steps of 2^-128.
typedef struct weft__turn {
    unsigned quadrant;
    weft__u128 fraction;
} weft__turn;

/// x radians, off by less than 2^-94 of a quarter turn.
static inline weft__turn weft__turn_of(uint64_t x) {
    weft__u128 turn = weft__wide_add(weft__mul_wide(x, weft__two_over_pi[0]),
                                     (weft__u128){0, weft__mul_high(x, weft__two_over_pi[1])});
    return (weft__turn){(unsigned)(turn.high >> 32) & 3, weft__wide_left(turn, 32)};
}

/// x radians, off by less than 2^-127 of a quarter turn: for the neighbourhood of a pole.
static inline weft__turn weft__turn_of_fine(uint64_t x) {
    weft__u128 low = weft__wide_scale(
        x, (weft__u128){weft__two_over_pi[1], weft__two_over_pi[2]}); // steps of 2^-160
    weft__u128 turn =
        weft__wide_add(weft__mul_wide(x, weft__two_over_pi[0]), (weft__u128){0, low.high});
    weft__u128 fraction = weft__wide_left(turn, 32);
    fraction.low |= low.low >> 32;
    return (weft__turn){(unsigned)(turn.high >> 32) & 3, fraction};
}

/// The sine of a turn without its sign: quadrant / 2 odd means negative. Off by less than 2^-59.
static inline weft__u128 weft__sine_of(weft__turn turn) {
    uint64_t x = turn.fraction.high ^ (0 - (uint64_t)(turn.quadrant & 1));
    uint64_t sine = weft__piece_at(weft__sine_pieces[x >> 58], WEFT__SINE_TERMS, x << 6);
    sine &= ~weft__shift_signed(sine, 63); // Next to 0 the polynomial may be one step below it.
    return (weft__u128){sine >> 62, sine << 2};
}

/// tan(z pi/2) / (2 z) of z < 1/2 in steps of 2^-64; the result is in steps of 2^-63, to a relative
/// 2^-60.
static inline uint64_t weft__tangent_ratio(uint64_t z) {
    return weft__piece_at(weft__tangent_pieces[z >> 57], WEFT__TANGENT_TERMS, z << 7) << 1;
}

/// 1 / tan(z pi/2) for z < 2^-16 quarter turns: with d = z pi/2, 1/d - d/3, as the next term is
/// under 2^-51. To a relative 2^-100 but for that.
static inline weft__u128 weft__cotangent_near_pole(weft__u128 z) {
    unsigned shift = weft__leading_zeros(z.high);
    weft__u128 scaled = weft__wide_left(z, shift);
    uint64_t v = weft__reciprocal(scaled.high);
    // The quotient by the high word, then its correction for the low word.
    uint64_t rest;
    weft__u128 quotient;
    quotient.high = weft__divide_by_reciprocal(weft__two_over_pi_half, scaled.high, v, &rest);
    quotient.low = weft__divide_by_reciprocal((weft__u128){rest, 0}, scaled.high, v, &rest);
    uint64_t half = scaled.low >> 1;
    uint64_t ratio = half + weft__mul_high(half, v); // low / high in steps of 2^-63
    weft__u128 correction = {0, weft__mul_high(quotient.high, ratio)};
    quotient = weft__wide_sub(quotient, weft__wide_left(correction, 1));
    uint64_t third = weft__mul_high(z.high, weft__pi_sixth);
    return weft__wide_sub(weft__wide_right(quotient, 63 - shift), (weft__u128){0, third});
}

/// 1 / tan(z pi/2) for z < 1/2 quarter turns.
static inline weft__u128 weft__cotangent_of(weft__u128 z) {
    if (z.high < UINT64_C(1) << 20)
        return weft__infinite; // over 2^43
    if (z.high < UINT64_C(1) << 48)
        return weft__cotangent_near_pole(z);
    unsigned shift = weft__leading_zeros(z.high);
    uint64_t scaled = weft__wide_left(z, shift).high;
    weft__u128 tangent = weft__mul_wide(scaled, weft__tangent_ratio(z.high));
    unsigned more = weft__leading_zeros(tangent.high);
    uint64_t divisor = weft__wide_left(tangent, more).high;
    weft__u128 inverse = {1, weft__reciprocal(divisor)};
    return weft__wide_left(inverse, shift + more - 2); // Both are 1 or more.
}

/// The tangent of a turn without its sign: an odd quadrant means negative.
static inline weft__u128 weft__tangent_of(weft__turn turn) {
    uint64_t mirror = 0 - (turn.fraction.high >> 63); // past 45 degrees
    weft__u128 z = {turn.fraction.high ^ mirror, turn.fraction.low ^ mirror};
    if (((turn.quadrant ^ mirror) & 1) != 0)
        return weft__cotangent_of(z);
    weft__u128 tangent = weft__mul_wide(z.high, weft__tangent_ratio(z.high));
    return (weft__u128){0, weft__wide_left(tangent, 2).high};
}

/// The angle whose tangent is y/x, in 0..pi/2. Not both are 0. Off by less than 2^-60.
static inline weft__u128 weft__angle_of(uint64_t y, uint64_t x) {
    if (y == x)
        return weft__quarter_pi;
    uint64_t steep = weft__mask_less(x, y);
    uint64_t swap = (x ^ y) & steep;
    uint64_t low = y ^ swap;
    uint64_t high = x ^ swap;
    unsigned shift = weft__leading_zeros(high);
    uint64_t rest;
    high <<= shift;
    uint64_t ratio = weft__divide_by_reciprocal((weft__u128){low << shift, 0}, high,
                                                weft__reciprocal(high), &rest);
    uint64_t angle =
        weft__piece_at(weft__arctangent_pieces[ratio >> 58], WEFT__ARCTANGENT_TERMS, ratio << 6);
    weft__u128 base = {weft__half_pi.high & steep, weft__half_pi.low & steep};
    return weft__wide_add(base, weft__wide_sign((weft__u128){0, angle << 2}, steep));
}

/// sqrt(1 - a^2) in steps of 2^-64, less than 1, for a in 0..1 in steps of 2^-32.
static inline uint64_t weft__other_leg(uint64_t a) {
    uint64_t square = a == 0 ? UINT64_MAX : 0 - a * a;
    return weft__wide_root((weft__u128){square, 0});
}

// Exponential and logarithm ----------------------------------------------------------------------

/// 2^x of a two's complement x in steps of 2^-88. To a relative 2^-70; exact for whole x.
static inline weft__u128 weft__power_of_2(weft__u128 x) {
    int64_t whole = (int64_t)x.high >> 24;
    if (whole >= 32)
        return weft__infinite;
    if (whole < -66)
        return (weft__u128){0, 0};
    weft__u128 fraction = weft__wide_left(x, 40);
    weft__u128 coarse = weft__exp2_coarse[fraction.high >> 57];
    uint64_t fine = weft__exp2_fine[(fraction.high >> 50) & 127];
    // e^y - 1 of the rest y < 2^-14 ln 2, in steps of 2^-78.
    uint64_t y = weft__mul_high(weft__wide_left(fraction, 14).high, weft__ln_2);
    uint64_t y2 = weft__mul_high(y, y);   // steps of 2^-92
    uint64_t y3 = weft__mul_high(y2, y);  // 2^-106
    uint64_t y4 = weft__mul_high(y2, y2); // 2^-120
    uint64_t rest = y + (y2 >> 15) + (weft__mul_high(y3, weft__sixth_64) >> 28) +
                    (weft__mul_high(y4, weft__24th_64) >> 42);
    rest += weft__mul_high(fine, rest) >> 7;
    uint64_t factor = fine + ((rest + 64) >> 7); // 2^-71
    weft__u128 power = weft__wide_right(weft__wide_scale(factor, coarse), 7);
    return weft__wide_right(weft__wide_add(coarse, power), (unsigned)(62 - whole));
}

/// log2(1 + z) in steps of 2^-128, two's complement, for z in steps of 2^-94, two's complement,
/// |z| <= 2^-14. To a relative 2^-76.
static inline weft__u128 weft__log2_near_1(weft__u128 z) {
    uint64_t negative = 0 - (z.high >> 63);
    weft__u128 size = weft__wide_sign(z, negative);
    uint64_t step = weft__wide_right(size, 17).low; // 2^-77
    uint64_t signed_step = (step ^ negative) - negative;
    // ln(1 + z) = z (1 - z a), a = 1/2 - z (1/3 - z (1/4 - z (1/5 - z/6))) in steps of 2^-63.
    uint64_t a = weft__sixth_63;
    a = weft__fifth_63 - weft__shift_signed(weft__signed_high(signed_step, a), 13);
    a = (UINT64_C(1) << 61) - weft__shift_signed(weft__signed_high(signed_step, a), 13);
    a = weft__third_63 - weft__shift_signed(weft__signed_high(signed_step, a), 13);
    a = (UINT64_C(1) << 62) - weft__shift_signed(weft__signed_high(signed_step, a), 13);
    uint64_t za = weft__mul_high(step, a << 1); // 2^-77
    size = weft__wide_left(size, 34);           // 2^-128
    weft__u128 second = weft__wide_right(weft__wide_scale(za, size), 13);
    size = weft__wide_add(size, weft__wide_sign(second, ~negative));
    weft__u128 more =
        weft__wide_add(weft__wide_scale(size.high, weft__log2_e_less_1),
                       (weft__u128){0, weft__mul_high(size.low, weft__log2_e_less_1.high)});
    size = weft__wide_add(size, more);
    return weft__wide_sign(size, negative);
}

/// log2(x) in steps of 2^-120, two's complement, of x > 0. To a relative 2^-76 also next to x = 1.
static inline weft__u128 weft__log2_of(uint64_t x) {
    unsigned shift = weft__leading_zeros(x);
    uint64_t m = x << shift; // 1..2 in steps of 2^-63
    const weft__log_step* coarse = &weft__log_coarse[(m >> 56) & 127];
    weft__u128 near = weft__mul_wide(m, coarse->factor); // steps of 2^-73
    uint64_t index = (near.high << 5 | near.low >> 59) - (1 << 14) - (uint64_t)WEFT__LOG_FINE_LOW;
    const weft__log_step* fine = &weft__log_fine[index];
    weft__u128 nearer = weft__mul_wide(near.low, fine->factor); // 2^-94
    nearer.high += near.high * fine->factor - (UINT64_C(1) << 30);
    weft__u128 rest = weft__log2_near_1(nearer);
    rest = (weft__u128){weft__shift_signed(rest.high, 8), rest.high << 56 | rest.low >> 8};
    weft__u128 sum = weft__wide_add(weft__wide_add(coarse->log, fine->log), rest);
    sum.high += (31 - (uint64_t)shift) << 56;
    return sum;
}

/// x^y for x > 0 and y with the sign given.
static inline weft__u128 weft__power_of(uint64_t x, uint64_t y, bool y_negative) {
    weft__u128 log = weft__log2_of(x);
    uint64_t negative = 0 - (log.high >> 63);
    weft__u128 exponent = weft__wide_scale(y, weft__wide_sign(log, negative));
    return weft__power_of_2(weft__wide_sign(exponent, negative ^ (0 - (uint64_t)y_negative)));
}
