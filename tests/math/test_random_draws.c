// The draws of several words or several numbers: 64 bits, ranges, shuffles, samples.

#include "random_test.h"
#include "weft/hash.h"

/// The 64 bits of an attempt, 1, 2, ..., of a draw, word by word as the header has it.
static uint64_t reference_attempt(weft_random_key key, uint32_t subject, uint32_t draw,
                                  int attempt) {
    uint32_t word[4];
    reference_block(key, subject, draw / 4, word);
    uint64_t high = word[draw % 4];
    reference_block(key, subject, 0x80000000u + draw / 4, word);
    uint64_t low = word[draw % 4];
    for (int i = 1; i < attempt; ++i) {
        word[0] |= 0x80000000u;
        reference(word, key.seed);
        high = word[draw % 4];
        word[0] |= 0x80000000u;
        reference(word, key.seed);
        low = word[draw % 4];
    }
    return high << 32 | low;
}

/// number * n / 2^64 and the rest, by long multiplication.
static uint64_t multiply_high(uint64_t number, uint64_t n, uint64_t* low_out) {
    uint64_t high = 0;
    uint64_t low = 0;
    for (int bit = 63; bit >= 0; --bit) {
        high = high << 1 | low >> 63;
        low <<= 1;
        if ((n >> bit & 1) != 0) {
            low += number;
            high += low < number;
        }
    }
    *low_out = low;
    return high;
}

static uint64_t reference_below(weft_random_key key, uint32_t subject, uint32_t draw, uint64_t n,
                                int* attempts) {
    uint64_t unfair = (UINT64_MAX % n + 1) % n; // 2^64 mod n
    for (*attempts = 1;; ++*attempts) {
        uint64_t low;
        uint64_t high = multiply_high(reference_attempt(key, subject, draw, *attempts), n, &low);
        if (low >= unfair)
            return high;
    }
}

Test(random_draws, u64_follows_its_definition) {
    uint64_t state = test_seed("u64_follows_its_definition");
    for (int i = 0; i < 100000; ++i) {
        weft_random_key key = random_key(&state);
        uint32_t subject = (uint32_t)test_next(&state);
        uint32_t draw = (uint32_t)test_next(&state);
        uint64_t got = weft_random_u64(key, subject, draw);
        if (got != reference_attempt(key, subject, draw, 1))
            TEST_FAIL("draw %" PRIu32 " is %016" PRIx64, draw, got);
        cr_assert_eq(got >> 32, weft_random_u32(key, subject, draw));
    }
}

Test(random_draws, u64_below_follows_its_definition) {
    static const uint64_t bounds[] = {
        1,
        2,
        3,
        1000003,
        UINT64_C(1) << 32,
        UINT64_C(1) << 63,
        (UINT64_C(1) << 63) + 1,
        UINT64_C(0xc000000000000000),
        UINT64_C(0xaaaaaaaaaaaaaaab),
        UINT64_MAX,
    };
    uint64_t state = test_seed("u64_below_follows_its_definition");
    int most = 0;
    int retried = 0;
    for (int i = 0; i < 50000; ++i) {
        uint64_t n = bounds[i % 10];
        weft_random_key key = random_key(&state);
        uint32_t subject = (uint32_t)test_next(&state);
        uint32_t draw = (uint32_t)test_next(&state);
        int attempts = 0;
        uint64_t expected = reference_below(key, subject, draw, n, &attempts);
        uint64_t got = weft_random_u64_below(key, subject, draw, n);
        if (got != expected || got >= n)
            TEST_FAIL("below(%" PRIu64 ") = %" PRIu64, n, got);
        most = attempts > most ? attempts : most;
        retried += attempts > 1;
    }
    cr_assert_geq(most, 4, "the chain of attempts was not exercised");
    cr_assert_gt(retried, 1000);
}

/// How many of the 2^bits words give a result, by the rule of the multiplication: those w with
/// w * n in [result * 2^bits + unfair, (result + 1) * 2^bits).
static uint64_t words_of(unsigned bits, uint64_t n, uint64_t result) {
    uint64_t size = UINT64_C(1) << bits;
    uint64_t first = (result * size + size % n + n - 1) / n;
    uint64_t end = ((result + 1) * size + n - 1) / n;
    return end - first;
}

/// The rule that the references follow is fair: every result has as many words as every other. All
/// results of all bounds up to 3000 for words of 32 bits, where a rule without rejection is not.
Test(random_draws, every_result_has_equally_many_words) {
    bool unfair_seen = false;
    for (uint64_t n = 1; n <= 3000; ++n) {
        uint64_t size = UINT64_C(1) << 32;
        for (uint64_t result = 0; result < n; ++result) {
            if (words_of(32, n, result) != size / n)
                cr_assert_fail("%" PRIu64 " below %" PRIu64, result, n);
            uint64_t all = ((result + 1) * size + n - 1) / n - (result * size + n - 1) / n;
            unfair_seen = unfair_seen || all != size / n;
        }
    }
    cr_assert(unfair_seen, "the test cannot tell a biased rule");
    // And by brute force for words of 12 bits.
    for (uint32_t n = 1; n <= 4096; ++n) {
        static uint32_t counts[4096];
        memset(counts, 0, sizeof counts);
        for (uint32_t word = 0; word < 4096; ++word)
            if (word * n % 4096 >= 4096 % n)
                ++counts[word * n / 4096];
        for (uint32_t result = 0; result < n; ++result)
            cr_assert_eq(counts[result], 4096 / n);
        cr_assert_eq(counts[n - 1], words_of(12, n, n - 1));
    }
}

Test(random_draws, ranges_have_both_ends) {
    weft_random_key key = key_of(3, 1, 4);
    bool low_seen = false;
    bool high_seen = false;
    uint32_t faces[6] = {0};
    for (uint32_t i = 0; i < 60000; ++i) {
        int32_t face = weft_random_i32_between(key, i, 0, -2, 3);
        cr_assert(face >= -2 && face <= 3, "%" PRId32, face);
        ++faces[face + 2];
        int32_t any = weft_random_i32_between(key, i, 0, INT32_MIN, INT32_MAX);
        cr_assert_eq((uint32_t)any, weft_random_u32(key, i, 0) + 0x80000000u);
        int32_t wide = weft_random_i32_between(key, i, 1, INT32_MIN + 1, INT32_MAX);
        cr_assert_neq(wide, INT32_MIN);
        low_seen = low_seen || wide < -2147000000;
        high_seen = high_seen || wide > 2147000000;
        cr_assert_eq(weft_random_i32_between(key, i, 2, INT32_MAX, INT32_MAX), INT32_MAX);
        cr_assert_eq(weft_random_i32_between(key, i, 2, INT32_MIN, INT32_MIN), INT32_MIN);

        cr_assert_eq(weft_random_u64_between(key, i, 0, 0, UINT64_MAX), weft_random_u64(key, i, 0));
        cr_assert_eq(weft_random_u64_between(key, i, 0, UINT64_MAX, UINT64_MAX), UINT64_MAX);
        uint64_t top = weft_random_u64_between(key, i, 0, UINT64_MAX - 9, UINT64_MAX);
        cr_assert_eq(top - (UINT64_MAX - 9), weft_random_u64_below(key, i, 0, 10));
    }
    cr_assert(low_seen && high_seen);
    cr_assert_lt(chi_square_times_1000(faces, 6, 60000), 30000);
}

/// What draws of all kinds gave when they were made: part of the format.
Test(random_draws, draws_are_pinned) {
    weft_random_key key = key_of(0x1234567890ABCDEF, weft_hash64_of_name("move"), 77);
    uint64_t fold = TEST_FOLD_START;
    for (uint32_t i = 0; i < 1000; ++i) {
        fold = test_fold(fold, weft_random_u64(key, 5, i));
        fold = test_fold(fold, weft_random_u64_below(key, 5, i, UINT64_C(0xc000000000000001)));
        fold = test_fold(fold, (uint32_t)weft_random_i32_between(key, 5, i, -1000, 2000));
        fold = test_fold(fold, weft_random_u64_between(key, 5, i, 7, UINT64_C(1) << 40));
        fold = test_fold(fold, (uint32_t)weft_random_normal(key, 5, i).raw);
    }
    cr_assert_eq(weft_random_u64(key, 5, 0), UINT64_C(0xe0b7fec365fdce64), "0x%016" PRIx64,
                 weft_random_u64(key, 5, 0));
    cr_assert_eq(fold, UINT64_C(0x4be59c7fdfbb5595), "0x%016" PRIx64, fold);
}

// Orders -----------------------------------------------------------------------------------------

/// The orders that Fisher and Yates reach from choice i in 0..n-1-i: the definition.
static void reference_shuffle(const uint32_t* choices, uint32_t* items, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t item = items[i + choices[i]];
        items[i + choices[i]] = items[i];
        items[i] = item;
    }
}

static void fill(uint32_t* items, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i)
        items[i] = i;
}

/// The lexicographic number of the first k of a selection of n, below n! / (n - k)!.
static uint32_t selection_number(const uint32_t* items, uint32_t n, uint32_t k) {
    uint32_t number = 0;
    for (uint32_t i = 0; i < k; ++i) {
        uint32_t smaller = items[i];
        for (uint32_t j = 0; j < i; ++j)
            smaller -= items[j] < items[i];
        number = number * (n - i) + smaller;
    }
    return number;
}

static uint32_t selections(uint32_t n, uint32_t k) {
    uint32_t count = 1;
    for (uint32_t i = 0; i < k; ++i)
        count *= n - i;
    return count;
}

/// Every sequence of choices gives another order, for all n to 7 and all k: so equally likely
/// choices give equally likely selections.
Test(random_draws, choices_and_selections_are_one_to_one) {
    static bool seen[5040];
    for (uint32_t n = 1; n <= 7; ++n) {
        for (uint32_t k = 1; k <= n; ++k) {
            memset(seen, 0, sizeof seen);
            for (uint32_t code = 0; code < selections(n, k); ++code) {
                uint32_t choices[7] = {0};
                uint32_t items[7];
                uint32_t rest = code;
                for (uint32_t i = 0; i < k; ++i) {
                    choices[i] = rest % (n - i);
                    rest /= n - i;
                }
                fill(items, n);
                reference_shuffle(choices, items, n);
                uint32_t number = selection_number(items, n, k);
                cr_assert(number < selections(n, k) && !seen[number], "n %u, k %u", n, k);
                seen[number] = true;
            }
        }
    }
}

/// Both functions are the reference with choice i drawn below n - i by draw number draw + i.
Test(random_draws, shuffles_and_samples_follow_their_definition) {
    uint64_t state = test_seed("shuffles_and_samples_follow_their_definition");
    static uint32_t expected[300];
    static uint32_t shuffled[300];
    static uint32_t sampled[300];
    static uint32_t choices[300];
    for (int round = 0; round < 3000; ++round) {
        weft_random_key key = random_key(&state);
        uint32_t subject = (uint32_t)test_next(&state);
        uint32_t n = (uint32_t)(test_next(&state) % (round % 10 == 0 ? 300 : 12));
        uint32_t k = n == 0 ? 0 : (uint32_t)(test_next(&state) % (n + 1));
        uint32_t draw = (uint32_t)(test_next(&state) % 1000);
        if (round % 5 == 0)
            draw = UINT32_MAX - (n == 0 ? 0 : n - 1); // The last draws that there are.
        for (uint32_t i = 0; i < n; ++i)
            choices[i] = weft_random_below(key, subject, draw + i, n - i);
        fill(expected, n);
        fill(shuffled, n);
        reference_shuffle(choices, expected, n);
        weft_random_shuffle(key, subject, draw, shuffled, n);
        if (memcmp(shuffled, expected, n * sizeof(uint32_t)) != 0)
            TEST_FAIL("shuffle of %" PRIu32, n);
        memset(sampled, 0xff, sizeof sampled);
        weft_random_sample(key, subject, draw, n, k, sampled);
        if (memcmp(sampled, expected, k * sizeof(uint32_t)) != 0)
            TEST_FAIL("sample of %" PRIu32 " of %" PRIu32, k, n);
        for (uint32_t i = k; i < 300; ++i)
            cr_assert_eq(sampled[i], UINT32_MAX, "wrote past its room");
    }
}

/// A few of very many: no array of n is needed, and all are different.
Test(random_draws, samples_of_huge_sets) {
    static uint32_t out[2000];
    weft_random_key key = key_of(1, 2, 3);
    weft_random_sample(key, 0, 0, UINT32_MAX, 2000, out);
    uint32_t upper = 0;
    for (uint32_t i = 0; i < 2000; ++i) {
        cr_assert_neq(out[i], UINT32_MAX);
        upper += out[i] >= 0x80000000u;
        for (uint32_t j = 0; j < i; ++j)
            cr_assert_neq(out[i], out[j]);
    }
    cr_assert(upper > 1000 - 112 && upper < 1000 + 112, "%u in the upper half", upper);
    weft_random_sample(key, 0, 0, 5, 0, NULL);
    weft_random_shuffle(key, 0, 0, NULL, 0);
}

/// All 120 orders of 5 and all 60 ordered selections of 3 of 5, by subject and by draw number. 119
/// degrees of freedom: 190 is exceeded once in 30,000 seeds, and the seed is fixed.
Test(random_draws, orders_are_equally_likely) {
    static uint32_t orders[120];
    static uint32_t selected[60];
    weft_random_key key = key_of(11, 12, 13);
    for (uint32_t i = 0; i < 120000; ++i) {
        uint32_t items[5];
        fill(items, 5);
        weft_random_shuffle(key, i, 3, items, 5);
        ++orders[selection_number(items, 5, 5)];
        weft_random_sample(key, 7, 3 * i, 5, 3, items);
        ++selected[selection_number(items, 5, 3)];
    }
    uint64_t full = chi_square_times_1000(orders, 120, 120000);
    uint64_t part = chi_square_times_1000(selected, 60, 120000);
    cr_assert_lt(full, 190000, "%" PRIu64, full);
    cr_assert_lt(part, 112000, "%" PRIu64, part);
    cr_assert_gt(full, 60000, "too even to be random");
}
