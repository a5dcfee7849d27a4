// The 128-bit helpers as a machine without a 128-bit type compiles them: hidden from this file, so
// that the bodies which 32-bit builds use are tried in every build.

#undef __SIZEOF_INT128__

#include "math_big.h"
#include "math_test.h"
#include "weft_wide128.h"

static big big_wide(weft__u128 n) {
    return big_add(big_mul(big_of_unsigned(n.high), big_power(64)), big_of_unsigned(n.low));
}

static big big_signed(weft__u128 n) {
    return big_add(big_mul(big_of((int64_t)n.high), big_power(64)), big_of_unsigned(n.low));
}

/// Of random size, with long runs of equal bits: carries and wrong guesses are rare otherwise.
static uint64_t random_word(uint64_t* state) {
    uint64_t word = test_next(state);
    uint64_t how = test_next(state);
    word >>= how % 64;
    if ((how >> 8) % 4 == 0)
        word |= UINT64_MAX << ((how >> 16) % 64);
    if ((how >> 24) % 4 == 0)
        word &= UINT64_MAX << ((how >> 32) % 64);
    return (how >> 40) % 4 == 0 ? ~word : word;
}

static void check_product(uint64_t a, uint64_t b) {
    big wide = big_mul(big_of_unsigned(a), big_of_unsigned(b));
    if (big_compare(big_wide(weft__mul_wide(a, b)), wide) != 0)
        TEST_FAIL("%" PRIu64 " * %" PRIu64, a, b);
    if (weft__mul_high(a, b) != weft__mul_wide(a, b).high)
        TEST_FAIL("high half of %" PRIu64 " * %" PRIu64, a, b);
    wide = big_mul(big_of((int64_t)a), big_of((int64_t)b));
    if (big_compare(big_signed(weft__mul_signed((int64_t)a, (int64_t)b)), wide) != 0)
        TEST_FAIL("%" PRId64 " * %" PRId64, (int64_t)a, (int64_t)b);
}

static void check_quotient(weft__u128 n, uint64_t d) {
    uint64_t rest;
    uint64_t quotient = weft__divide_wide(n, d, &rest);
    big back =
        big_add(big_mul(big_of_unsigned(quotient), big_of_unsigned(d)), big_of_unsigned(rest));
    if (rest >= d || big_compare(back, big_wide(n)) != 0)
        TEST_FAIL("(%" PRIu64 ", %" PRIu64 ") / %" PRIu64 " = %" PRIu64 ", %" PRIu64, n.high, n.low,
                  d, quotient, rest);
}

static void check_sums(weft__u128 n, int64_t addend) {
    weft__u128 sum = weft__add_signed(n, addend);
    big mask = big_power(128);
    big expected = big_add(big_signed(n), big_of(addend));
    // The sum wraps at 128 bits.
    big off = big_sub(big_signed(sum), expected);
    if (big_sign(off) != 0 && big_compare(big_abs(off), mask) != 0)
        TEST_FAIL("(%" PRIu64 ", %" PRIu64 ") + %" PRId64, n.high, n.low, addend);
    big negative = big_negate(big_signed(n));
    off = big_sub(big_signed(weft__negate_wide(n)), negative);
    if (big_sign(off) != 0 && big_compare(big_abs(off), mask) != 0)
        TEST_FAIL("-(%" PRIu64 ", %" PRIu64 ")", n.high, n.low);
    big scaled = big_add(big_signed(n), big_mul(big_of(addend), big_power(32)));
    if (!big_is_rounded(scaled, big_power(32), big_signed(weft__round32(n, addend))))
        TEST_FAIL("(%" PRIu64 ", %" PRIu64 ") / 2^32 + %" PRId64, n.high, n.low, addend);
}

Test(wide128, edges) {
    static const uint64_t words[] = {
        0,
        1,
        2,
        0x7fffffff,
        0x80000000,
        0xffffffff,
        0x100000000,
        0x1ffffffff,
        0x7fffffffffffffff,
        0x8000000000000000,
        0x8000000000000001,
        0x80000000ffffffff,
        0xfffffffe00000000,
        0xffffffff00000000,
        0xfffffffffffffffe,
        0xffffffffffffffff,
    };
    const int count = (int)(sizeof words / sizeof words[0]);
    for (int i = 0; i < count; ++i) {
        for (int j = 0; j < count; ++j) {
            check_product(words[i], words[j]);
            for (int k = 0; k < count; ++k) {
                weft__u128 n = {words[i], words[j]};
                check_sums(n, (int64_t)words[k]);
                if (n.high < words[k])
                    check_quotient(n, words[k]);
            }
        }
    }
}

Test(wide128, random_words) {
    uint64_t state = test_seed("random_words");
    int quotients = 0;
    for (int i = 0; i < 100000; ++i) {
        uint64_t a = random_word(&state);
        uint64_t b = random_word(&state);
        uint64_t c = random_word(&state);
        check_product(a, b);
        check_sums((weft__u128){a, b}, (int64_t)c);
        if (c == 0)
            continue;
        check_quotient((weft__u128){a % c, b}, c);
        // Next to a multiple, where a digit is guessed too large.
        weft__u128 near = weft__mul_wide(a, c);
        check_quotient(near, c == UINT64_MAX ? c : c + 1);
        quotients += a >= c;
    }
    cr_assert_gt(quotients, 3000);
}
