/// Keyed random numbers: Philox4x32-10, a function of (seed, system, tick, subject, draw) alone.
///
/// There is no state to store, advance or order, so a draw is the same on any worker, in any order
/// and in any process. Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1,
/// 2, 3" (2011). Not for secrets. Pure functions, callable from any thread.
///
/// Layout, fixed by the format: Philox key = {seed low, seed high}; counter = {block, subject, tick
/// low, fold(system) + tick high * 0x9e3779b9}, where fold(system) = low ^ high. A block has four
/// words, and draw d is word d % 4 of block d / 4. Blocks below 0x80000000 hold draws; blocks from
/// there on hold the extra words of rejected attempts (see weft_random_below), so the two never
/// meet.
///
/// Every function here that takes a draw number uses that draw, and nothing that the draw of
/// another number uses: number the draws of a subject 0, 1, 2, ... and all are independent. Those
/// that take several draws say so.
#pragma once

#include "weft/fixed.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Four random words.
typedef struct weft_random_block {
    uint32_t word[4];
} weft_random_block;

/// What the draws of one system in one tick have in common.
typedef struct weft_random_key {
    uint64_t seed;   ///< the run's seed
    uint64_t system; ///< weft_hash64_of_name of the system's name, so that order does not matter
    uint64_t tick;   ///< the tick that is being computed
} weft_random_key;

/// The Philox4x32-10 bijection of a counter under a key.
static inline weft_random_block weft_philox(const uint32_t counter[4], const uint32_t key[2]) {
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    uint32_t k0 = key[0], k1 = key[1];
#pragma GCC unroll 10
    for (int round = 0; round < 10; ++round) {
        uint64_t p0 = (uint64_t)0xd2511f53u * c0;
        uint64_t p1 = (uint64_t)0xcd9e8d57u * c2;
        c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)p1;
        c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)p0;
        k0 += 0x9e3779b9u;
        k1 += 0xbb67ae85u;
    }
    weft_random_block block = {{c0, c1, c2, c3}};
    return block;
}

/// One block as the layout above has it, whatever the block number is.
static inline weft_random_block weft__random_block(weft_random_key key, uint32_t subject,
                                                   uint32_t block) {
    uint32_t system = (uint32_t)(key.system ^ (key.system >> 32));
    uint32_t counter[4] = {
        block,
        subject,
        (uint32_t)key.tick,
        system + (uint32_t)(key.tick >> 32) * 0x9e3779b9u,
    };
    uint32_t words[2] = {(uint32_t)key.seed, (uint32_t)(key.seed >> 32)};
    return weft_philox(counter, words);
}

/// Draws 4 * block to 4 * block + 3 of a subject at once. block < 0x80000000; the subject is an
/// entity's slot, a chunk or a lane, as the system chooses.
static inline weft_random_block weft_random_block_at(weft_random_key key, uint32_t subject,
                                                     uint32_t block) {
    WEFT_CHECK(block < 0x80000000u);
    return weft__random_block(key, subject, block);
}

/// 32 random bits: draw number `draw` of a subject.
static inline uint32_t weft_random_u32(weft_random_key key, uint32_t subject, uint32_t draw) {
    return weft__random_block(key, subject, draw / 4).word[draw % 4];
}

/// 32 more bits that belong to a draw: its word of the first block past the draws, where a second
/// attempt of weft_random_below looks too.
static inline uint32_t weft__random_extra(weft_random_key key, uint32_t subject, uint32_t draw) {
    return weft__random_block(key, subject, 0x80000000u | draw / 4).word[draw % 4];
}

/// 64 random bits: the 32 of weft_random_u32 above 32 more of the same draw. Twice its cost.
static inline uint64_t weft_random_u64(weft_random_key key, uint32_t subject, uint32_t draw) {
    uint64_t high = weft_random_u32(key, subject, draw);
    return high << 32 | weft__random_extra(key, subject, draw);
}

/// The further attempts of weft_random_below, out of line because they are rare. Not called
/// directly.
WEFT_API uint32_t weft__random_below_retry(weft_random_key key, uint32_t subject, uint32_t draw,
                                           uint32_t n, uint64_t product);

/// A whole number in 0..n-1, every one equally likely. n >= 1. It uses draw number `draw` and
/// nothing that another draw uses.
///
/// Multiply-high with rejection (Lemire, "Fast random integer generation in an interval", 2019). A
/// rejected first word is followed by word draw % 4 of block 0x80000000 | draw / 4, and then by the
/// same word of the block whose counter is the block before with the top bit of its first word set.
static inline uint32_t weft_random_below(weft_random_key key, uint32_t subject, uint32_t draw,
                                         uint32_t n) {
    WEFT_ASSERT(n >= 1);
    uint64_t product = (uint64_t)weft_random_u32(key, subject, draw) * n;
    if (__builtin_expect((uint32_t)product < n, 0))
        return weft__random_below_retry(key, subject, draw, n, product);
    return (uint32_t)(product >> 32);
}

/// A whole number in 0..n-1 as weft_random_below gives it, for n up to 2^64 - 1. n >= 1.
///
/// Attempts are of 64 bits: the first is weft_random_u64, and each further one takes the draw's
/// word of the next two blocks of the chain above.
WEFT_API uint64_t weft_random_u64_below(weft_random_key key, uint32_t subject, uint32_t draw,
                                        uint64_t n);

/// A whole number from low to high, both included, every one equally likely. low <= high, at any
/// distance: a die is weft_random_i32_between(key, subject, draw, 1, 6).
static inline int32_t weft_random_i32_between(weft_random_key key, uint32_t subject, uint32_t draw,
                                              int32_t low, int32_t high) {
    WEFT_ASSERT(low <= high);
    uint32_t count = (uint32_t)high - (uint32_t)low + 1; // 0 stands for 2^32.
    uint32_t offset = count == 0 ? weft_random_u32(key, subject, draw)
                                 : weft_random_below(key, subject, draw, count);
    return (int32_t)((uint32_t)low + offset);
}

/// The same for 64-bit numbers without sign.
static inline uint64_t weft_random_u64_between(weft_random_key key, uint32_t subject, uint32_t draw,
                                               uint64_t low, uint64_t high) {
    WEFT_ASSERT(low <= high);
    uint64_t count = high - low + 1; // 0 stands for 2^64.
    return low + (count == 0 ? weft_random_u64(key, subject, draw)
                             : weft_random_u64_below(key, subject, draw, count));
}

/// A number in [0, 1), every multiple of 1/65536 equally likely: the top 16 bits of the draw.
static inline weft_fixed weft_random_fixed(weft_random_key key, uint32_t subject, uint32_t draw) {
    return weft_fixed_from_raw((int32_t)(weft_random_u32(key, subject, draw) >> 16));
}

/// A number in [low, high), every multiple of 1/65536 equally likely. low < high, at any distance.
static inline weft_fixed weft_random_fixed_range(weft_random_key key, uint32_t subject,
                                                 uint32_t draw, weft_fixed low, weft_fixed high) {
    WEFT_ASSERT(low.raw < high.raw);
    uint32_t width = (uint32_t)high.raw - (uint32_t)low.raw;
    uint32_t offset = weft_random_below(key, subject, draw, width);
    return weft_fixed_from_raw((int32_t)((uint32_t)low.raw + offset));
}

/// A number of the normal distribution, mean 0 and deviation 1: for another one, multiply and add.
/// Integer arithmetic only.
///
/// It is the exact quantile of the draw, off by less than 0.501 ulp, so the chance of every
/// interval is the exact one of the interval moved by as much; positive and negative mirror each
/// other. The quantile has 32 bits, and 64 where the chance is below 2^-16, so the largest value is
/// 9.15 and none up to 8 is missing for want of bits. One draw, without rejection. The method is in
/// math/normal.c.
WEFT_API weft_fixed weft_random_normal(weft_random_key key, uint32_t subject, uint32_t draw);

/// k different numbers of 0..n-1 in `out`, every ordered selection equally likely: a deal of k
/// cards from n. k <= n. The draws `draw` to draw + k - 1 are used, which must not pass 2^32 - 1.
/// No memory but `out` is used, and time grows with k * k: from a thousand or so on, shuffle an
/// array of all n, whose first k are the same selection.
WEFT_API void weft_random_sample(weft_random_key key, uint32_t subject, uint32_t draw, uint32_t n,
                                 uint32_t k, uint32_t* out);

/// Puts `count` numbers in a random order, every order equally likely (Fisher and Yates; the form
/// of Durstenfeld, 1964, from the front). The draws `draw` to draw + count - 1 are used, which must
/// not pass 2^32 - 1. `items` may be null when count is 0.
WEFT_API void weft_random_shuffle(weft_random_key key, uint32_t subject, uint32_t draw,
                                  uint32_t* items, uint32_t count);

#ifdef __cplusplus
}
#endif
