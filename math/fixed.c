#include "weft/fixed.h"

#include "weft/vec.h"

_Static_assert(sizeof(weft_fixed) == 4, "a fixed number is stored and hashed as four bytes");
_Static_assert(sizeof(weft_vec2) == 8, "a vector is stored and hashed as two numbers");
_Static_assert(sizeof(weft_vec3) == 12, "a vector is stored and hashed as three numbers");
_Static_assert((-1 >> 1) == -1, "rounding relies on arithmetic right shifts of signed integers");
_Static_assert((int32_t)0x80000000u == INT32_MIN, "conversions to signed wrap");

/// 1/sqrt(x) on [1/4, 1) in 24 equal segments: a line each, off by less than one part in 2^10.5.
/// The lines are the minimax ones, in units of 2^-15.
static const uint16_t rsqrt_base[24] = {
    65495, 61757, 58593, 55870, 53494, 51398, 49530, 47852, 46333, 44951, 43685, 42520,
    41444, 40446, 39516, 38648, 37834, 37070, 36350, 35671, 35028, 34419, 33841, 33291,
};
static const uint16_t rsqrt_slope[24] = {
    3748, 3171, 2728, 2379, 2099, 1870, 1680, 1520, 1384, 1267, 1165, 1077,
    999,  930,  869,  814,  764,  720,  680,  643,  609,  579,  550,  524,
};

// The relative error is 2^-10.5 on the line, 2^-20 after one Newton step on it, and 2^-39 after the
// second-order step on the root: under 2^-7 units, and towards zero but for 2^-18 units, as every
// step but the first falls short and all is rounded down. So the candidate is the nearest or one
// less, at any shift, and the remainder decides. Wrapped squares give the right remainder, since
// the true one fits 64 bits.
uint64_t weft_isqrt64(uint64_t n) {
    if (n == 0)
        return 0;
    unsigned shift = (unsigned)__builtin_clzll(n) & ~1u;
    uint64_t scaled = n << shift;
    uint32_t segment = (uint32_t)(scaled >> 59) - 8u;
    uint32_t part = (uint32_t)(scaled >> 43) & 0xffffu;
    uint64_t x = scaled >> 32;
    uint32_t line = rsqrt_base[segment] - ((rsqrt_slope[segment] * part) >> 16);
    uint64_t square = (x * (line * line)) >> 32;
    uint64_t rsqrt = (line * (0xc0000000u - square)) >> 16;
    uint64_t root = (x * rsqrt) >> 30;
    int64_t rest = (int64_t)(scaled - root * root);
    int64_t step = ((rest >> 15) * (int64_t)rsqrt) >> 48;

    uint64_t candidate = (root + (uint64_t)step) >> (shift / 2);
    // Signed: the candidate may be above the root by those 2^-18 units.
    rest = (int64_t)(n - candidate * candidate);
    return candidate + (rest > (int64_t)candidate);
}
