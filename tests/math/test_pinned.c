#include "float_test.h"

#include <fenv.h>
#include <string.h>
#ifdef __SSE2__
#include <immintrin.h>
#endif

static void same(uint32_t got, uint32_t wanted, const char* what, uint32_t a, uint32_t b) {
    if (got != wanted)
        TEST_FAIL("%s of %08x %08x is %08x, not %08x", what, a, b, got, wanted);
}

static uint32_t canonical(uint32_t bits) {
    return (bits & 0x7fffffffu) > INFINITY_BITS ? NAN_BITS : bits;
}

static void check_pair(uint32_t a, uint32_t b) {
    double x = of(a);
    double y = of(b);
    same(bits_of(weft_float_add(of(a), of(b))), rounded(x + y), "sum", a, b);
    same(bits_of(weft_float_sub(of(a), of(b))), rounded(x - y), "difference", a, b);
    same(bits_of(weft_float_mul(of(a), of(b))), rounded(x * y), "product", a, b);
    same(bits_of(weft_float_div(of(a), of(b))), rounded(x / y), "quotient", a, b);
    same(bits_of(weft_float_min(of(a), of(b))), canonical(x < y ? a : b), "min", a, b);
    same(bits_of(weft_float_max(of(a), of(b))), canonical(x > y ? a : b), "max", a, b);
    uint32_t both = rounded((double)of(rounded(x * y)) + y);
    same(bits_of(weft_float_muladd(of(a), of(b), of(b))), both, "muladd", a, b);
}

static int32_t nearest_int(double exact) {
    double whole = rint(exact);
    if (isnan(whole))
        return 0;
    return whole >= 0x1p31 ? INT32_MAX : whole < -0x1p31 ? INT32_MIN : (int32_t)whole;
}

static void check_one(uint32_t a) {
    double x = of(a);
    uint32_t magnitude = a & 0x7fffffffu;
    same(bits_of(weft_float_neg(of(a))), canonical(a ^ 0x80000000u), "neg", a, 0);
    same(bits_of(weft_float_abs(of(a))), canonical(magnitude), "abs", a, 0);
    same(bits_of(weft_float_sqrt(of(a))), rounded(sqrt(x)), "sqrt", a, 0);
    same(bits_of(weft__float_sqrt(of(a))), rounded(sqrt(x)), "sqrt of the library", a, 0);
    same(bits_of(weft_float_trunc(of(a))), rounded(trunc(x)), "trunc", a, 0);
    same(bits_of(weft_float_floor(of(a))), rounded(floor(x)), "floor", a, 0);
    same(bits_of(weft_float_ceil(of(a))), rounded(ceil(x)), "ceil", a, 0);
    same(bits_of(weft_float_round(of(a))), rounded(rint(x)), "round", a, 0);
    same((uint32_t)weft_float_to_int32(of(a)), (uint32_t)nearest_int(x), "to_int32", a, 0);
    same((uint32_t)weft_float_to_fixed(of(a)).raw, (uint32_t)nearest_int(x * 65536), "to_fixed", a,
         0);
    same(bits_of(weft_float_from_int32((int32_t)a)), rounded((int32_t)a), "from_int32", a, 0);
    same(bits_of(weft_float_from_fixed(weft_fixed_from_raw((int32_t)a))),
         rounded((int32_t)a / 65536.0), "from_fixed", a, 0);
    same(weft_float_is_nan(of(a)), magnitude > INFINITY_BITS, "is_nan", a, 0);
    same(weft_float_is_finite(of(a)), magnitude < INFINITY_BITS, "is_finite", a, 0);
    same(bits_of(weft_float_canonical(of(a))), canonical(a), "canonical", a, 0);
}

Test(pinned, all_pairs_of_edges) {
    for (int i = 0; i < FLOAT_EDGES; ++i) {
        check_one(float_edges[i]);
        for (int j = 0; j < FLOAT_EDGES; ++j)
            check_pair(float_edges[i], float_edges[j]);
    }
}

Test(pinned, random_pairs) {
    uint64_t state = test_seed("random_pairs");
    for (int i = 0; i < 1000000; ++i) {
        uint32_t a = random_bits(&state);
        check_pair(a, random_bits(&state));
        check_one(a);
    }
}

Test(pinned, neighbours_of_whole_numbers) {
    // Halves and wholes of every size, and what is next to them: the ties of every rounding.
    for (int power = -2; power <= 33; ++power) {
        for (int half = 1; half <= 64; ++half) {
            uint32_t tie = bits_of((float)ldexp(half, power - 6));
            for (uint32_t near = tie - 2; near != tie + 3; ++near) {
                check_one(near);
                check_one(near | 0x80000000u);
            }
        }
    }
}

Test(pinned, conversions_known) {
    cr_assert_eq(weft_float_to_int32(0.5f), 0);
    cr_assert_eq(weft_float_to_int32(1.5f), 2);
    cr_assert_eq(weft_float_to_int32(2.5f), 2);
    cr_assert_eq(weft_float_to_int32(-2.5f), -2);
    cr_assert_eq(weft_float_to_int32(2147483520.0f), 2147483520);
    cr_assert_eq(weft_float_to_int32(2147483648.0f), INT32_MAX);
    cr_assert_eq(weft_float_to_int32(-2147483648.0f), INT32_MIN);
    cr_assert_eq(weft_float_to_int32(of(INFINITY_BITS)), INT32_MAX);
    cr_assert_eq(weft_float_to_int32(-of(INFINITY_BITS)), INT32_MIN);
    cr_assert_eq(weft_float_to_int32(of(0xffc00000)), 0);
    cr_assert_eq(weft_float_to_fixed(32767.998f).raw, 2147483520);
    cr_assert_eq(weft_float_to_fixed(32768.0f).raw, INT32_MAX);
    cr_assert_eq(weft_float_to_fixed(-32768.0f).raw, INT32_MIN);
    cr_assert_eq(weft_float_to_fixed(FLT_MAX).raw, INT32_MAX, "the product is an infinity");
    cr_assert_eq(weft_float_to_fixed(1.0f / 131072).raw, 0, "a tie goes to even");
    cr_assert_eq(weft_float_to_fixed(3.0f / 131072).raw, 2);
    cr_assert_eq(weft_float_from_int32(16777217), 16777216.0f, "a tie goes to even");
    cr_assert_eq(weft_float_from_int32(16777219), 16777220.0f);
}

Test(pinned, clamp) {
    cr_assert_eq(weft_float_clamp(-3.0f, -2.0f, 5.0f), -2.0f);
    cr_assert_eq(weft_float_clamp(3.0f, -2.0f, 5.0f), 3.0f);
    cr_assert_eq(weft_float_clamp(7.0f, -2.0f, 5.0f), 5.0f);
    cr_assert_eq(weft_float_clamp(of(INFINITY_BITS), -2.0f, 5.0f), 5.0f);
    cr_assert_eq(bits_of(weft_float_clamp(-0.0f, 0.0f, 1.0f)), 0x80000000u);
    cr_assert_eq(bits_of(weft_float_clamp(of(0xffc12345), 0.0f, 1.0f)), NAN_BITS);
}

Test(pinned, lerp) {
    uint64_t state = test_seed("lerp");
    for (int i = 0; i < 200000; ++i) {
        float a = of(random_bits(&state));
        float b = of(random_bits(&state));
        if (!weft_float_is_finite(a) || !weft_float_is_finite(b))
            continue;
        cr_assert_eq(weft_float_lerp(a, b, 0.0f), a);
        cr_assert_eq(weft_float_lerp(a, b, 1.0f), b);
        float t = (float)(test_next(&state) >> 40) * 0x1p-24f;
        uint32_t left = rounded((double)(1.0f - t) * a);
        uint32_t right = rounded((double)t * b);
        same(bits_of(weft_float_lerp(a, b, t)), rounded((double)of(left) + of(right)), "lerp",
             bits_of(a), bits_of(b));
    }
    cr_assert_eq(weft_float_lerp(-FLT_MAX, FLT_MAX, 0.5f), 0.0f);
}

Test(pinned, muladd_rounds_twice) {
    // Fused, it would be 2^-24.
    cr_assert_eq(weft_float_muladd(0x1.001p0f, 0x1.001p0f, -0x1.002p0f), 0.0f);
}

Test(pinned, self_test) {
    const char* line = "none";
    cr_assert_eq(weft_float_self_test(&line), WEFT_STATUS_OK);
    cr_assert_null(line);
    cr_assert_eq(weft_float_self_test(NULL), WEFT_STATUS_OK);
}

Test(pinned, self_test_sees_the_rounding_mode) {
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; ++i) {
        const char* line = NULL;
        cr_assert_eq(fesetround(modes[i]), 0);
        weft_status status = weft_float_self_test(&line);
        cr_assert_eq(fesetround(FE_TONEAREST), 0);
        cr_assert_eq(status, WEFT_STATUS_UNSUPPORTED, "mode %zu", i);
        cr_assert_not_null(strstr(line, "rounding mode"), "%s", line);
    }
    cr_assert_eq(weft_float_self_test(NULL), WEFT_STATUS_OK);
}

#ifdef __SSE2__
Test(pinned, self_test_sees_flushed_denormals) {
    static const unsigned bits[] = {0x8000, 0x0040}; // flush to zero; denormals are zero
    for (size_t i = 0; i < sizeof bits / sizeof bits[0]; ++i) {
        const char* line = NULL;
        unsigned before = _mm_getcsr();
        _mm_setcsr(before | bits[i]);
        weft_status status = weft_float_self_test(&line);
        _mm_setcsr(before);
        cr_assert_eq(status, WEFT_STATUS_UNSUPPORTED, "bit %zu", i);
        cr_assert_not_null(strstr(line, "denormals"), "%s", line);
    }
}
#endif

/// One number for a long sequence of every operation: it must be the same in every build.
Test(pinned, results_are_pinned) {
    uint64_t state = 20240611;
    uint64_t hash = TEST_FOLD_START;
    for (int i = 0; i < 100000; ++i) {
        float a = of(random_bits(&state));
        float b = of(random_bits(&state));
        float c = of(random_bits(&state));
        hash = test_fold(hash, bits_of(weft_float_add(a, b)));
        hash = test_fold(hash, bits_of(weft_float_sub(a, b)));
        hash = test_fold(hash, bits_of(weft_float_mul(a, b)));
        hash = test_fold(hash, bits_of(weft_float_div(a, b)));
        hash = test_fold(hash, bits_of(weft_float_muladd(a, b, c)));
        hash = test_fold(hash, bits_of(weft_float_lerp(a, b, c)));
        hash = test_fold(hash, bits_of(weft_float_sqrt(a)));
        hash = test_fold(hash, bits_of(weft_float_min(a, b)));
        hash = test_fold(hash, bits_of(weft_float_max(a, b)));
        hash = test_fold(hash, bits_of(weft_float_floor(a)));
        hash = test_fold(hash, bits_of(weft_float_ceil(a)));
        hash = test_fold(hash, bits_of(weft_float_round(a)));
        hash = test_fold(hash, (uint32_t)weft_float_to_int32(a));
        hash = test_fold(hash, (uint32_t)weft_float_to_fixed(a).raw);
    }
    cr_assert_eq(hash, UINT64_C(0x4dc277d51a1f28ec), "0x%" PRIx64, hash);
}
