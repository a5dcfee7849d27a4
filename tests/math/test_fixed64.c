// What is particular to Q32.32; its limits and random pairs are in test_fixed_edges.c.

#include "math_big.h"
#include "math_test.h"
#include "weft/fixed64.h"

static weft_fixed64 fx(int64_t raw) {
    return weft_fixed64_from_raw(raw);
}

static weft_fixed64 whole(int64_t number) {
    return weft_fixed64_from_int(number);
}

static int64_t random_raw(uint64_t* state) {
    int64_t raw = (int64_t)test_next(state);
    uint64_t bits = test_next(state);
    return (raw >> (bits % 64)) & -((int64_t)1 << (bits >> 8) % 36);
}

Test(fixed64, constants) {
    static const weft_fixed64 three_fifths = WEFT_FIXED64_RATIO(3, 5);
    static const weft_fixed64 table[2] = {WEFT_FIXED64_RAW(-7), WEFT_FIXED64_RATIO(-1, 3)};
    _Static_assert(WEFT_FIXED64_RATIO_RAW(1, 3) == 1431655765, "an integer constant expression");
    static const int64_t ratios[][2] = {
        {WEFT_FIXED64_RATIO_RAW(0, -5), 0},
        {WEFT_FIXED64_RATIO_RAW(1, INT64_C(8589934592)), 0}, // ties go to even
        {WEFT_FIXED64_RATIO_RAW(3, INT64_C(8589934592)), 2},
        {WEFT_FIXED64_RATIO_RAW(5, INT64_C(8589934592)), 2},
        {WEFT_FIXED64_RATIO_RAW(-1, INT64_C(8589934592)), 0},
        {WEFT_FIXED64_RATIO_RAW(3, INT64_C(-8589934592)), -2},
        {WEFT_FIXED64_RATIO_RAW(1, INT64_C(8589934591)), 1}, // on either side of a tie
        {WEFT_FIXED64_RATIO_RAW(1, INT64_C(8589934593)), 0},
        {WEFT_FIXED64_RATIO_RAW(INT64_C(31415926535898), INT64_C(10000000000000)), 13493037705},
        {WEFT_FIXED64_RATIO_RAW(INT64_C(-2147483648), 1), INT64_MIN},
        {WEFT_FIXED64_RATIO_RAW(INT64_C(2147483648), -1), INT64_MIN},
        {WEFT_FIXED64_RATIO_RAW(INT64_MAX, INT64_C(4294967296)), INT64_MAX},
        {WEFT_FIXED64_RATIO_RAW(INT64_MIN, INT64_C(4294967296)), INT64_MIN},
        // A carry into the upper digit: 65535.99999 of 65536 parts of 2^-16.
        {WEFT_FIXED64_RATIO_RAW(INT64_C(35184372088831), INT64_C(35184372088832)), 4294967296},
    };
    for (size_t i = 0; i < sizeof ratios / sizeof ratios[0]; ++i)
        cr_assert_eq(ratios[i][0], ratios[i][1], "ratio %zu is %" PRId64, i, ratios[i][0]);
    cr_assert_eq(three_fifths.raw, 2576980378);
    cr_assert_eq(table[0].raw, -7);
    cr_assert_eq(table[1].raw, -1431655765);
    cr_assert_eq(WEFT_FIXED64_ZERO.raw, 0);
    cr_assert_eq(WEFT_FIXED64_ONE.raw, INT64_C(4294967296));
    cr_assert_eq(WEFT_FIXED64_MAX.raw, INT64_MAX);
    cr_assert_eq(WEFT_FIXED64_MIN.raw, INT64_MIN);
}

/// The expressions of the macro are those of any numbers, so they are tried on random ones.
Test(fixed64, ratios) {
    uint64_t state = test_seed("ratios");
    int fitting = 0;
    for (int i = 0; i < 60000; ++i) {
        int64_t num = random_raw(&state);
        int64_t den = random_raw(&state) >> 18;
        if (den == 0)
            continue;
        big n = big_mul(big_of(den < 0 ? -1 : 1), big_mul(big_of(num), big_power(32)));
        big d = big_abs(big_of(den));
        bool fits = WEFT__RATIO64_FITS(num, den);
        if (fits != big_fits(n, d, INT64_MIN, INT64_MAX))
            TEST_FAIL("fits(%" PRId64 ", %" PRId64 ") = %d", num, den, fits);
        if (!fits)
            continue;
        ++fitting;
        uint64_t rounded = WEFT__RATIO64_ROUNDED(num, den);
        int64_t raw = (int64_t)(WEFT__RATIO_NEGATIVE(num, den) ? 0 - rounded : rounded);
        if (!big_is_rounded(n, d, big_of(raw)))
            TEST_FAIL("ratio(%" PRId64 ", %" PRId64 ") = %" PRId64, num, den, raw);
    }
    cr_assert_gt(fitting, 10000);
}

Test(fixed64, known_values) {
    const weft_fixed64 one = WEFT_FIXED64_ONE;
    cr_assert_eq(weft_fixed64_div(one, whole(3)).raw, 1431655765);
    cr_assert_eq(weft_fixed64_div(one, whole(6)).raw, 715827883);
    cr_assert_eq(weft_fixed64_div(whole(3), whole(5)).raw, 2576980378);
    cr_assert_eq(weft_fixed64_div(fx(-1), fx(INT64_C(6442450944))).raw, -1,
                 "the sign of a tiny quotient is kept");
    cr_assert_eq(weft_fixed64_div(fx(1), fx(INT64_C(-6442450944))).raw, -1);
    cr_assert_eq(weft_fixed64_div(fx(-1), fx(INT64_C(-6442450944))).raw, 1);
    cr_assert_eq(weft_fixed64_sqrt(whole(2)).raw, INT64_C(6074001000));
    cr_assert_eq(weft_fixed64_sqrt(whole(3)).raw, INT64_C(7439101574));
    cr_assert_eq(weft_fixed64_sqrt(WEFT_FIXED64_MAX).raw, INT64_C(199032864766430));
    cr_assert_eq(weft_fixed64_sqrt(fx(1)).raw, 65536);
    cr_assert_eq(weft_fixed64_mul(fx(3), fx(INT64_C(2147483648))).raw, 2, "a tie goes to even");
    cr_assert_eq(weft_fixed64_mul(fx(-3), fx(INT64_C(2147483648))).raw, -2);
    cr_assert_eq(weft_fixed64_mul(whole(46340), whole(46340)).raw, INT64_C(2147395600) << 32);
    cr_assert_eq(weft_fixed64_mul(whole(46341), whole(46341)).raw, INT64_MAX);
    cr_assert_eq(weft_fixed64_clamp(fx(-6), fx(-5), fx(9)).raw, -5);
    cr_assert_eq(weft_fixed64_clamp(fx(10), fx(-5), fx(9)).raw, 9);
    cr_assert_eq(weft_fixed64_clamp(fx(3), fx(-5), fx(9)).raw, 3);
    cr_assert_eq(weft_fixed64_clamp(WEFT_FIXED64_MIN, fx(7), fx(7)).raw, 7);
}

Test(fixed64, conversions) {
    cr_assert_eq(whole(INT64_C(2147483647)).raw, INT64_C(0x7fffffff00000000));
    cr_assert_eq(whole(INT64_C(2147483648)).raw, INT64_MAX);
    cr_assert_eq(whole(INT64_MAX).raw, INT64_MAX);
    cr_assert_eq(whole(INT64_C(-2147483648)).raw, INT64_MIN);
    cr_assert_eq(whole(INT64_C(-2147483649)).raw, INT64_MIN);
    cr_assert_eq(whole(INT64_MIN).raw, INT64_MIN);
    cr_assert_eq(weft_fixed64_to_int(WEFT_FIXED64_MAX), INT64_C(2147483648));
    cr_assert_eq(weft_fixed64_to_int(WEFT_FIXED64_MIN), INT64_C(-2147483648));
    cr_assert_eq(weft_fixed64_to_int(fx(INT64_C(0x80000000))), 0);
    cr_assert_eq(weft_fixed64_to_int(fx(INT64_C(0x180000000))), 2);
    cr_assert_eq(weft_fixed64_to_int(fx(INT64_C(-0x80000000))), 0);

    // To Q16.16 and back.
    weft_number_flags flags = 0;
    const int64_t last_tie = INT64_C(0x7fffffff8000);
    cr_assert_eq(weft_fixed64_to_fixed_sticky(fx(last_tie - 1), &flags).raw, INT32_MAX);
    cr_assert_eq(weft_fixed64_to_fixed_sticky(fx(-INT64_C(0x800000008000)), &flags).raw, INT32_MIN);
    cr_assert_eq(flags, 0);
    cr_assert_eq(weft_fixed64_to_fixed_sticky(fx(last_tie), &flags).raw, INT32_MAX);
    cr_assert_eq(flags, WEFT_NUMBER_SATURATED);
    flags = 0;
    cr_assert_eq(weft_fixed64_to_fixed_sticky(fx(-INT64_C(0x800000008001)), &flags).raw, INT32_MIN);
    cr_assert_eq(flags, WEFT_NUMBER_SATURATED);
    cr_assert_eq(weft_fixed64_to_fixed(fx(0x8000)).raw, 0);
    cr_assert_eq(weft_fixed64_to_fixed(fx(0x18000)).raw, 2);
    cr_assert_eq(weft_fixed64_to_fixed(WEFT_FIXED64_MIN).raw, INT32_MIN);
    uint64_t state = test_seed("conversions");
    for (int i = 0; i < 100000; ++i) {
        weft_fixed a = weft_fixed_from_raw(test_raw(&state));
        weft_fixed b = weft_fixed_from_raw(test_raw(&state));
        weft_fixed64 wide = weft_fixed64_from_fixed(a);
        cr_assert_eq(wide.raw, (int64_t)a.raw * 65536);
        cr_assert_eq(weft_fixed64_to_fixed(wide).raw, a.raw);
        weft_fixed64 product = weft_fixed64_from_fixed_product(a, b);
        cr_assert_eq(product.raw, weft_fixed64_mul(wide, weft_fixed64_from_fixed(b)).raw);
        cr_assert_eq(weft_fixed64_to_fixed(product).raw, weft_fixed_mul(a, b).raw);
        // The narrow quotient is that of the wide numbers, where it is exact to 16 bits.
        int64_t r = random_raw(&state);
        int32_t narrow = weft_fixed64_to_fixed(fx(r)).raw;
        cr_assert(big_is_saturated(big_of(r), big_of(65536), narrow, INT32_MIN, INT32_MAX));
    }
}

/// Both sides of every kind of boundary between two roots: n = r * r + r is the last square whose
/// root is r, and here only multiples of 2^32 are squares of numbers.
Test(fixed64, sqrt_boundaries) {
    uint64_t state = test_seed("sqrt_boundaries");
    for (int i = 0; i < 100000; ++i) {
        uint64_t root = (test_next(&state) >> 17) >> (test_next(&state) % 32);
        big r = big_of_unsigned(root);
        big last = big_add(big_mul(r, r), r);
        big down = last;
        for (int limb = 0; limb < BIG_LIMBS; ++limb)
            down.limb[limb] = limb + 1 < BIG_LIMBS ? last.limb[limb + 1] : 0;
        uint64_t raw = big_low(down); // last / 2^32
        for (uint64_t near = raw == 0 ? 0 : raw - 1; near <= raw + 1; ++near) {
            if (near > INT64_MAX)
                break;
            int64_t got = weft_fixed64_sqrt(fx((int64_t)near)).raw;
            if (!big_is_root(big_mul(big_of_unsigned(near), big_power(32)), (uint64_t)got))
                TEST_FAIL("sqrt(%" PRIu64 ") = %" PRId64, near, got);
        }
    }
    for (int64_t raw = 0; raw < 20000; ++raw) {
        int64_t high = weft_fixed64_sqrt(fx(INT64_MAX - raw)).raw;
        int64_t low = weft_fixed64_sqrt(fx(raw)).raw;
        cr_assert(big_is_root(big_mul(big_of(INT64_MAX - raw), big_power(32)), (uint64_t)high));
        cr_assert(big_is_root(big_mul(big_of(raw), big_power(32)), (uint64_t)low));
    }
}

/// Quotients that are ties, and their neighbours.
Test(fixed64, div_ties) {
    uint64_t state = test_seed("div_ties");
    for (int i = 0; i < 200000; ++i) {
        // a * 2^32 / b = q + 1/2 for b = 2^33 * m and a = (2q + 1) * m.
        int64_t m = 1 + (int64_t)(test_next(&state) % 1000000000);
        int64_t q = (int64_t)(test_next(&state) % 4000000000);
        int64_t a = (2 * q + 1) * m;
        int64_t b = m * INT64_C(8589934592);
        int64_t even = q + (q & 1);
        cr_assert_eq(weft_fixed64_div(fx(a), fx(b)).raw, even);
        cr_assert_eq(weft_fixed64_div(fx(-a), fx(b)).raw, -even);
        cr_assert_eq(weft_fixed64_div(fx(a - 1), fx(b)).raw, q);
        cr_assert_eq(weft_fixed64_div(fx(a + 1), fx(b)).raw, q + 1);
    }
}

/// The body for machines without a 128-bit type is there on all, and gives the same.
Test(fixed64, both_bodies_of_mul) {
    uint64_t state = test_seed("both_bodies_of_mul");
    for (int i = 0; i < 500000; ++i) {
        weft_fixed64 a = fx(random_raw(&state));
        weft_fixed64 b = fx(random_raw(&state));
        if (weft__fixed64_mul(a, b).raw != weft_fixed64_mul(a, b).raw)
            TEST_FAIL("mul(%" PRId64 ", %" PRId64 ")", a.raw, b.raw);
    }
}

/// One number for a long sequence of every operation: it must be the same in every build.
Test(fixed64, results_are_pinned) {
    uint64_t state = 20240609;
    uint64_t hash = TEST_FOLD_START;
    for (int i = 0; i < 100000; ++i) {
        weft_fixed64 a = fx(random_raw(&state));
        weft_fixed64 b = fx(random_raw(&state));
        weft_fixed64 t = fx(random_raw(&state) & INT64_C(0x1ffffffff));
        hash = test_fold(hash, (uint64_t)weft_fixed64_add(a, b).raw);
        hash = test_fold(hash, (uint64_t)weft_fixed64_sub(a, b).raw);
        hash = test_fold(hash, (uint64_t)weft_fixed64_mul(a, b).raw);
        hash = test_fold(hash, (uint64_t)weft_fixed64_muladd(a, b, t).raw);
        hash = test_fold(hash, (uint64_t)weft_fixed64_div(a, b).raw);
        hash = test_fold(hash, (uint64_t)weft_fixed64_mod(a, b).raw);
        hash = test_fold(hash, (uint64_t)weft_fixed64_sqrt(a).raw);
        hash = test_fold(hash, (uint64_t)weft_fixed64_lerp(a, b, t).raw);
        hash = test_fold(hash, (uint64_t)weft_fixed64_round(a).raw);
    }
    cr_assert_eq(hash, UINT64_C(0xb51960640e5f2d84), "0x%" PRIx64, hash);
}
