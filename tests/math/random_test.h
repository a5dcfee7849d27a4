/// What the suites of random numbers share: a reference of the layout, keys, chi-square.
#pragma once

#include "math_test.h"
#include "weft/random.h"

#include <string.h>

/// Philox4x32-10 from the paper's description, with the round keys computed ahead.
static inline void reference(uint32_t word[4], uint64_t seed) {
    uint32_t round_keys[10][2];
    for (uint32_t i = 0; i < 10; ++i) {
        round_keys[i][0] = (uint32_t)seed + i * 0x9E3779B9u;
        round_keys[i][1] = (uint32_t)(seed >> 32) + i * 0xBB67AE85u;
    }
    for (int i = 0; i < 10; ++i) {
        uint64_t left = (uint64_t)word[0] * 0xD2511F53u;
        uint64_t right = (uint64_t)word[2] * 0xCD9E8D57u;
        uint32_t next[4] = {
            (uint32_t)(right >> 32) ^ word[1] ^ round_keys[i][0],
            (uint32_t)(right & 0xffffffffu),
            (uint32_t)(left >> 32) ^ word[3] ^ round_keys[i][1],
            (uint32_t)(left & 0xffffffffu),
        };
        memcpy(word, next, sizeof next);
    }
}

static inline void reference_block(weft_random_key key, uint32_t subject, uint32_t block,
                                   uint32_t word[4]) {
    uint32_t fold = (uint32_t)(key.system & 0xffffffffu) ^ (uint32_t)(key.system >> 32);
    word[0] = block;
    word[1] = subject;
    word[2] = (uint32_t)(key.tick & 0xffffffffu);
    word[3] = fold + 0x9E3779B9u * (uint32_t)(key.tick >> 32);
    reference(word, key.seed);
}

static inline weft_random_key key_of(uint64_t seed, uint64_t system, uint64_t tick) {
    return (weft_random_key){.seed = seed, .system = system, .tick = tick};
}

static inline weft_random_key random_key(uint64_t* state) {
    weft_random_key key;
    key.seed = test_next(state);
    key.system = test_next(state);
    key.tick = test_next(state);
    return key;
}

/// Chi-square of `cells` equally likely cells; for the degrees of freedom here a mean of
/// cells - 1 and a deviation of sqrt(2 * (cells - 1)).
static inline uint64_t chi_square_times_1000(const uint32_t* counts, uint32_t cells,
                                             uint64_t total) {
    // sum (c - e)^2 / e with e = total / cells, in whole numbers.
    uint64_t sum = 0;
    for (uint32_t i = 0; i < cells; ++i) {
        int64_t off = (int64_t)(counts[i] * (uint64_t)cells) - (int64_t)total;
        sum += (uint64_t)(off * off);
    }
    return sum / cells * 1000 / total;
}
