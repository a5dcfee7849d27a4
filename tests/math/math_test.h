/// What the suites of the math layer share: the seed, a generator of their own, edge values.
#pragma once

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t test_seed_in_use;

/// Fails the test with a message that has the seed.
#define TEST_FAIL(format, ...)                                                                     \
    cr_assert_fail("WEFT_TEST_SEED=0x%" PRIX64 ": " format, test_seed_in_use, __VA_ARGS__)

/// The seed of random cases: WEFT_TEST_SEED (decimal or 0x hexadecimal), else a fixed one. Printed,
/// so that a failure repeats.
static inline uint64_t test_seed(const char* test) {
    const char* text = getenv("WEFT_TEST_SEED");
    uint64_t seed = text != NULL ? strtoull(text, NULL, 0) : UINT64_C(0x1F055EED);
    test_seed_in_use = seed;
    fprintf(stderr, "%s: WEFT_TEST_SEED=0x%" PRIX64 "\n", test, seed);
    return seed;
}

/// splitmix64: nothing of the code under test.
static inline uint64_t test_next(uint64_t* state) {
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/// A raw value of random size, with a random number of low bits cleared: so that ties, small
/// quotients and saturation are all common.
static inline int32_t test_raw(uint64_t* state) {
    uint64_t bits = test_next(state);
    int32_t raw = (int32_t)(uint32_t)bits >> ((bits >> 32) % 32);
    return (int32_t)((uint32_t)raw & (UINT32_MAX << ((bits >> 40) % 20)));
}

#define TEST_EDGES 9
static const int32_t test_edges[TEST_EDGES] = {
    INT32_MIN, INT32_MIN + 1, -65536, -1, 0, 1, 65536, INT32_MAX - 1, INT32_MAX,
};

/// One step of FNV-1a over a value's bytes, low byte first: for pinned results of long sequences.
static inline uint64_t test_fold(uint64_t hash, uint64_t value) {
    for (int i = 0; i < 8; ++i) {
        hash = (hash ^ ((value >> (8 * i)) & 0xff)) * UINT64_C(0x100000001b3);
    }
    return hash;
}

#define TEST_FOLD_START UINT64_C(0xcbf29ce484222325)
