/// Whole numbers of 256 bits for oracles: exact on any machine, and nothing of the code under test.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
    BIG_LIMBS = 8
};

/// In two's complement, the lowest limb first.
typedef struct big {
    uint32_t limb[BIG_LIMBS];
} big;

static inline big big_of(int64_t number) {
    big r;
    for (int i = 0; i < BIG_LIMBS; ++i)
        r.limb[i] = (uint32_t)((uint64_t)(i < 2 ? number : number >> 63) >> (i == 1 ? 32 : 0));
    return r;
}

static inline big big_of_unsigned(uint64_t number) {
    big r = big_of((int64_t)(number & INT64_MAX));
    r.limb[1] |= (uint32_t)(number >> 63) << 31;
    return r;
}

static inline big big_add(big a, big b) {
    uint64_t carry = 0;
    for (int i = 0; i < BIG_LIMBS; ++i) {
        carry += (uint64_t)a.limb[i] + b.limb[i];
        a.limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    return a;
}

static inline big big_negate(big a) {
    for (int i = 0; i < BIG_LIMBS; ++i)
        a.limb[i] = ~a.limb[i];
    return big_add(a, big_of(1));
}

static inline big big_sub(big a, big b) {
    return big_add(a, big_negate(b));
}

/// Its low 256 bits, which are right for signed numbers too.
static inline big big_mul(big a, big b) {
    big r = {{0}};
    for (int i = 0; i < BIG_LIMBS; ++i) {
        uint64_t carry = 0;
        for (int j = 0; i + j < BIG_LIMBS; ++j) {
            carry += (uint64_t)a.limb[i] * b.limb[j] + r.limb[i + j];
            r.limb[i + j] = (uint32_t)carry;
            carry >>= 32;
        }
    }
    return r;
}

/// 2^bit, bit < 255.
static inline big big_power(unsigned bit) {
    big r = {{0}};
    r.limb[bit / 32] = (uint32_t)1 << (bit % 32);
    return r;
}

static inline int big_sign(big a) {
    if (a.limb[BIG_LIMBS - 1] >> 31 != 0)
        return -1;
    for (int i = 0; i < BIG_LIMBS; ++i) {
        if (a.limb[i] != 0)
            return 1;
    }
    return 0;
}

static inline big big_abs(big a) {
    return big_sign(a) < 0 ? big_negate(a) : a;
}

/// The sign of a - b.
static inline int big_compare(big a, big b) {
    return big_sign(big_sub(a, b));
}

/// The low 64 bits.
static inline uint64_t big_low(big a) {
    return a.limb[0] | (uint64_t)a.limb[1] << 32;
}

/// Whether r is n / d to nearest, ties to even. d > 0.
static inline bool big_is_rounded(big n, big d, big r) {
    big off = big_abs(big_sub(n, big_mul(d, r)));
    int side = big_compare(big_add(off, off), d);
    return side < 0 || (side == 0 && (r.limb[0] & 1) == 0);
}

/// Whether r is n / d to nearest even, or the limit that this is beyond. d > 0.
static inline bool big_is_saturated(big n, big d, int64_t r, int64_t min, int64_t max) {
    int side = big_compare(n, big_mul(d, big_of(r)));
    if ((r == max && side >= 0) || (r == min && side <= 0))
        return true;
    return r >= min && r <= max && big_is_rounded(n, d, big_of(r));
}

/// Whether n / d to nearest even is in min..max, of which min is even and max odd. d > 0.
static inline bool big_fits(big n, big d, int64_t min, int64_t max) {
    big twice = big_add(n, n);
    big above = big_mul(d, big_add(big_mul(big_of(max), big_of(2)), big_of(1)));
    big below = big_mul(d, big_sub(big_mul(big_of(min), big_of(2)), big_of(1)));
    return big_compare(twice, above) < 0 && big_compare(twice, below) >= 0;
}

/// n / 2^shift to nearest even. shift <= 32.
static inline big big_shift(big n, unsigned shift) {
    big down = n;
    for (int i = 0; i < BIG_LIMBS; ++i) {
        uint32_t above = i + 1 < BIG_LIMBS ? n.limb[i + 1] : 0u - (n.limb[i] >> 31);
        down.limb[i] = (uint32_t)(((uint64_t)above << 32 | n.limb[i]) >> shift);
    }
    return big_is_rounded(n, big_power(shift), down) ? down : big_add(down, big_of(1));
}

/// Whether r is the square root of n to nearest; no tie can occur. n >= 0.
static inline bool big_is_root(big n, uint64_t r) {
    big root = big_of_unsigned(r);
    big square = big_mul(root, root);
    bool above = r == 0 ? big_sign(n) == 0 : big_compare(n, big_sub(square, root)) > 0;
    return above && big_compare(n, big_add(square, root)) <= 0;
}
