#include "random_test.h"
#include "weft/hash.h"

static void check_known(const uint32_t counter[4], const uint32_t key[2],
                        const uint32_t expected[4]) {
    weft_random_block block = weft_philox(counter, key);
    for (int i = 0; i < 4; ++i)
        cr_assert_eq(block.word[i], expected[i], "word %d is %08" PRIx32, i, block.word[i]);
}

Test(random, philox_known_answers) {
    check_known((uint32_t[]){0, 0, 0, 0}, (uint32_t[]){0, 0},
                (uint32_t[]){0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
    check_known((uint32_t[]){UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX},
                (uint32_t[]){UINT32_MAX, UINT32_MAX},
                (uint32_t[]){0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
    check_known((uint32_t[]){0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                (uint32_t[]){0xa4093822, 0x299f31d0},
                (uint32_t[]){0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

Test(random, draws_follow_the_layout) {
    uint64_t state = test_seed("draws_follow_the_layout");
    for (int i = 0; i < 100000; ++i) {
        weft_random_key key = random_key(&state);
        key.tick >>= i % 64;
        uint32_t subject = (uint32_t)test_next(&state);
        uint32_t draw = (uint32_t)test_next(&state);
        uint32_t word[4];
        reference_block(key, subject, draw >> 2, word);
        if (weft_random_u32(key, subject, draw) != word[draw & 3])
            TEST_FAIL("draw %" PRIu32, draw);
        weft_random_block block = weft_random_block_at(key, subject, draw >> 2);
        cr_assert_eq(memcmp(block.word, word, sizeof word), 0);
        cr_assert_eq(weft_random_fixed(key, subject, draw).raw, (int32_t)(word[draw & 3] >> 16));
    }
}

/// The values of one key, pinned: they are part of the format.
Test(random, draws_are_pinned) {
    weft_random_key key = key_of(0x1234567890ABCDEF, weft_hash64_of_name("move"), 77);
    static const uint32_t expected[6] = {
        0xe0b7fec3, 0x9da2fc62, 0x62435ce6, 0xe37b35e6, 0x7c5d7cc3, 0x2b4d7588,
    };
    for (uint32_t i = 0; i < 6; ++i) {
        uint32_t got = weft_random_u32(key, 5, i);
        cr_assert_eq(got, expected[i], "draw %" PRIu32 " is 0x%08" PRIx32, i, got);
    }
}

Test(random, every_part_of_the_key_matters) {
    const weft_random_key base = key_of(1, 2, 3);
    uint32_t first = weft_random_u32(base, 4, 5);
    for (int bit = 0; bit < 64; ++bit) {
        uint64_t flip = (uint64_t)1 << bit;
        cr_assert_neq(first, weft_random_u32(key_of(1 ^ flip, 2, 3), 4, 5), "seed %d", bit);
        cr_assert_neq(first, weft_random_u32(key_of(1, 2 ^ flip, 3), 4, 5), "system %d", bit);
        cr_assert_neq(first, weft_random_u32(key_of(1, 2, 3 ^ flip), 4, 5), "tick %d", bit);
        if (bit < 32) {
            cr_assert_neq(first, weft_random_u32(base, 4 ^ (uint32_t)flip, 5), "subject %d", bit);
            cr_assert_neq(first, weft_random_u32(base, 4, 5 ^ (uint32_t)flip), "draw %d", bit);
        }
    }
}

/// What below() is defined to give, attempt by attempt; counts the attempts.
static uint32_t reference_below(weft_random_key key, uint32_t subject, uint32_t draw, uint32_t n,
                                int* attempts) {
    uint64_t fair = (UINT64_C(1) << 32) / n * n; // the products' low halves must leave this many
    uint32_t word[4];
    reference_block(key, subject, draw / 4, word);
    for (*attempts = 1;; ++*attempts) {
        uint64_t product = (uint64_t)word[draw % 4] * n;
        if ((product & 0xffffffffu) >= (UINT64_C(1) << 32) - fair)
            return (uint32_t)(product >> 32);
        if (*attempts == 1) {
            reference_block(key, subject, 0x80000000u + draw / 4, word);
        } else {
            word[0] |= 0x80000000u;
            reference(word, key.seed);
        }
    }
}

Test(random, below_follows_its_definition) {
    static const uint32_t bounds[] = {
        1, 2, 3, 10, 65536, 1000003, 0x7fffffff, 0x80000000, 0x80000001, 0xc0000000, 0xffffffff,
    };
    uint64_t state = test_seed("below_follows_its_definition");
    int most = 0;
    int retried = 0;
    for (int i = 0; i < 110000; ++i) {
        uint32_t n = bounds[i % 11];
        weft_random_key key = random_key(&state);
        uint32_t subject = (uint32_t)test_next(&state);
        uint32_t draw = (uint32_t)test_next(&state);
        int attempts = 0;
        uint32_t expected = reference_below(key, subject, draw, n, &attempts);
        uint32_t got = weft_random_below(key, subject, draw, n);
        if (got != expected || got >= n)
            TEST_FAIL("below(%" PRIu32 ") = %" PRIu32, n, got);
        most = attempts > most ? attempts : most;
        retried += attempts > 1;
    }
    cr_assert_geq(most, 4, "the chain of attempts was not exercised");
    cr_assert_gt(retried, 1000);
}

Test(random, below_is_unbiased) {
    // 16 cells, 15 degrees of freedom: 50 is exceeded once in 10^5 seeds, and the seed is fixed.
    uint32_t counts[16] = {0};
    weft_random_key key = key_of(7, 8, 9);
    for (uint32_t i = 0; i < 320000; ++i)
        ++counts[weft_random_below(key, i, 0, 16)];
    cr_assert_lt(chi_square_times_1000(counts, 16, 320000), 50000);

    uint32_t digits[10] = {0};
    for (uint32_t i = 0; i < 320000; ++i)
        ++digits[weft_random_below(key, 11, i, 10)];
    cr_assert_lt(chi_square_times_1000(digits, 10, 320000), 40000);

    // Without rejection one residue of three would come up twice as often as the others.
    uint32_t residues[3] = {0};
    for (uint32_t i = 0; i < 300000; ++i)
        ++residues[weft_random_below(key, i, 1, 0xc0000000u) % 3];
    cr_assert_lt(chi_square_times_1000(residues, 3, 300000), 25000);
}

Test(random, chi_square_sees_a_bias) {
    uint32_t counts[3] = {75000, 75000, 150000};
    cr_assert_gt(chi_square_times_1000(counts, 3, 300000), 25000000);
}

Test(random, below_reaches_both_ends) {
    weft_random_key key = key_of(1, 1, 1);
    bool seen[6] = {false};
    for (uint32_t i = 0; i < 300; ++i) {
        seen[weft_random_below(key, i, 0, 6)] = true;
        cr_assert_eq(weft_random_below(key, i, 0, 1), 0);
    }
    for (int i = 0; i < 6; ++i)
        cr_assert(seen[i], "%d never came", i);
}

Test(random, bits_are_balanced) {
    weft_random_key key = key_of(2, 3, 4);
    uint32_t ones[32] = {0};
    const uint32_t total = 100000;
    for (uint32_t i = 0; i < total; ++i) {
        uint32_t word = weft_random_u32(key, i % 1000, i / 1000);
        for (int bit = 0; bit < 32; ++bit)
            ones[bit] += (word >> bit) & 1u;
    }
    for (int bit = 0; bit < 32; ++bit) {
        // Five deviations of sqrt(total) / 2.
        cr_assert(ones[bit] > total / 2 - 791 && ones[bit] < total / 2 + 791, "bit %d: %" PRIu32,
                  bit, ones[bit]);
    }
}

Test(random, fixed_stays_in_range) {
    weft_random_key key = key_of(5, 6, 7);
    int32_t least = INT32_MAX;
    int32_t most = INT32_MIN;
    for (uint32_t i = 0; i < 1000000; ++i) {
        int32_t raw = weft_random_fixed(key, i, 3).raw;
        least = raw < least ? raw : least;
        most = raw > most ? raw : most;
    }
    cr_assert(least >= 0 && least < 10, "least %d", least);
    cr_assert(most <= 65535 && most > 65525, "most %d", most);
}

Test(random, fixed_range_is_exact) {
    weft_random_key key = key_of(8, 9, 10);
    bool seen[5] = {false};
    bool low_half = false;
    bool high_half = false;
    for (uint32_t i = 0; i < 1000; ++i) {
        weft_fixed narrow =
            weft_random_fixed_range(key, i, 0, weft_fixed_from_raw(-2), weft_fixed_from_raw(3));
        cr_assert(narrow.raw >= -2 && narrow.raw < 3, "%d", narrow.raw);
        seen[narrow.raw + 2] = true;
        weft_fixed only =
            weft_random_fixed_range(key, i, 0, weft_fixed_from_raw(INT32_MAX - 1), WEFT_FIXED_MAX);
        cr_assert_eq(only.raw, INT32_MAX - 1);
        weft_fixed wide = weft_random_fixed_range(key, i, 0, WEFT_FIXED_MIN, WEFT_FIXED_MAX);
        cr_assert_neq(wide.raw, INT32_MAX);
        low_half = low_half || wide.raw < -1000000000;
        high_half = high_half || wide.raw > 1000000000;
        // The offset is a draw of below with the width as the bound.
        cr_assert_eq(wide.raw, (int32_t)(weft_random_below(key, i, 0, UINT32_MAX) + 0x80000000u));
    }
    for (int i = 0; i < 5; ++i)
        cr_assert(seen[i], "%d never came", i - 2);
    cr_assert(low_half && high_half);
}
