/// Sums, roundings and quotients of 128-bit numbers, the same with and without a 128-bit type. Pure
/// functions. A signed number is one in two's complement.
#pragma once

#include "weft_wide.h"

/// a + b and a - b, modulo 2^128.
static inline weft__u128 weft__wide_add(weft__u128 a, weft__u128 b) {
    uint64_t low = a.low + b.low;
    return (weft__u128){a.high + b.high + (low < a.low), low};
}

static inline weft__u128 weft__wide_sub(weft__u128 a, weft__u128 b) {
    return (weft__u128){a.high - b.high - (a.low < b.low), a.low - b.low};
}

/// a * 2^count for count in 0..127.
static inline weft__u128 weft__wide_left(weft__u128 a, unsigned count) {
    if (count == 0)
        return a;
    if (count < 64)
        return (weft__u128){a.high << count | a.low >> (64 - count), a.low << count};
    return (weft__u128){a.low << (count - 64), 0};
}

/// a / 2^count, rounded down, for any count.
static inline weft__u128 weft__wide_right(weft__u128 a, unsigned count) {
    if (count == 0)
        return a;
    if (count < 64)
        return (weft__u128){a.high >> count, a.low >> count | a.high << (64 - count)};
    return (weft__u128){0, count < 128 ? a.high >> (count - 64) : 0};
}

/// The signed product of two signed numbers.
static inline weft__u128 weft__mul_signed(int64_t a, int64_t b) {
    weft__u128 product = weft__mul_wide((uint64_t)a, (uint64_t)b);
    // A negative factor was taken for one that is 2^64 larger.
    product.high -= ((uint64_t)(a >> 63) & (uint64_t)b) + ((uint64_t)(b >> 63) & (uint64_t)a);
    return product;
}

/// -n.
static inline weft__u128 weft__negate_wide(weft__u128 n) {
    return weft__wide_sub((weft__u128){0, 0}, n);
}

/// n + addend, both signed.
static inline weft__u128 weft__add_signed(weft__u128 n, int64_t addend) {
    return weft__wide_add(n, (weft__u128){(uint64_t)(addend >> 63), (uint64_t)addend});
}

/// n / 2^32 + addend to the nearest whole number, ties to even, all signed.
static inline weft__u128 weft__round32(weft__u128 n, int64_t addend) {
    weft__u128 whole = {(uint64_t)((int64_t)n.high >> 32), n.high << 32 | n.low >> 32};
    whole = weft__add_signed(whole, addend);
    uint64_t carry = ((n.low & 0xffffffff) + 0x7fffffff + (whole.low & 1)) >> 32;
    return weft__add_signed(whole, (int64_t)carry);
}

/// n / d rounded down, and what is left. n.high < d, so that the quotient fits.
static inline uint64_t weft__divide_wide(weft__u128 n, uint64_t d, uint64_t* rest) {
    WEFT_CHECK(n.high < d);
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 wide;
    wide whole = (wide)n.high << 64 | n.low;
    uint64_t quotient = (uint64_t)(whole / d);
    *rest = n.low - quotient * d;
    return quotient;
#else
    // Two digits of 32 bits (Knuth, volume 2, 4.3.1, algorithm D). With the top bit of d set, a
    // digit guessed by the high half of d is too large by two at most.
    unsigned shift = (unsigned)__builtin_clzll(d);
    uint64_t top = shift == 0 ? n.high : n.high << shift | n.low >> (64 - shift);
    uint64_t below = n.low << shift;
    d <<= shift;
    uint64_t d1 = d >> 32, d0 = (uint32_t)d, quotient = 0;
    WEFT_ASSERT(d1 != 0);
    for (int digit = 0; digit < 2; ++digit) {
        uint64_t next = digit == 0 ? below >> 32 : (uint32_t)below;
        uint64_t guess = top / d1;
        uint64_t left = top - guess * d1;
        while (guess >> 32 != 0 || guess * d0 > (left << 32 | next)) {
            --guess;
            left += d1;
            if (left >> 32 != 0)
                break;
        }
        // Wraps, and the true value fits.
        top = (top << 32 | next) - guess * d;
        quotient = quotient << 32 | guess;
    }
    *rest = top >> shift;
    return quotient;
#endif
}
