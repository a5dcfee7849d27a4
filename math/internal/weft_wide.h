/// Products of 64-bit numbers in full, the same with and without a 128-bit type. Pure functions.
#pragma once

#include "weft/base.h"

/// A 128-bit number.
typedef struct weft__u128 {
    uint64_t high;
    uint64_t low;
} weft__u128;

/// a * b in full.
static inline weft__u128 weft__mul_wide(uint64_t a, uint64_t b) {
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)a * b;
    return (weft__u128){(uint64_t)(product >> 64), (uint64_t)product};
#else
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t low = a0 * b0;
    uint64_t middle = a1 * b0 + (low >> 32); // < 2^64: (2^32 - 1)^2 + 2^32 - 1
    uint64_t cross = a0 * b1 + (uint32_t)middle;
    return (weft__u128){a1 * b1 + (middle >> 32) + (cross >> 32), cross << 32 | (uint32_t)low};
#endif
}

/// The high half of a * b: the product of two fractions in steps of 2^-64, rounded down.
static inline uint64_t weft__mul_high(uint64_t a, uint64_t b) {
    return weft__mul_wide(a, b).high;
}
