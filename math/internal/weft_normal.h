/// The parts of weft_random_normal, for its tests. Pure.
#pragma once

#include "weft/base.h"

/// The magnitude that a normal number exceeds with a chance of tail * 2^-65, in Q16.16, to within
/// 0.501 ulp. tail >= 1; larger tails never give larger magnitudes.
uint32_t weft__normal_magnitude(uint64_t tail);

/// Whether a draw needs more than its first word: where 31 bits are too coarse for every value to
/// come, which are chances below 2^-17 on each side.
static inline bool weft__normal_is_far(uint32_t word) {
    return (word & 0x7fffffffu) < 0x8000u;
}

/// The tail of a draw's word, whose top bit is the sign, and 32 bits below it. Never 0, never above
/// a chance of 1/2.
static inline uint64_t weft__normal_tail(uint32_t word, uint32_t extra) {
    return (uint64_t)(word & 0x7fffffffu) << 33 | (uint64_t)extra << 1 | 1;
}
