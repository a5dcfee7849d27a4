#include "math_test.h"
#include "weft/elementary.h"
#include "weft/hash.h"

#include <string.h>

// Accuracy is the judge's (tests/judge). Here are the edges by contract C9, the symmetries, flags,
// and digests of the outputs, which any other build must reproduce without MPFR.

#define GOLDEN WEFT_TEST_DIR "/golden/elementary_digests.txt"

static const int64_t one32 = INT64_C(1) << 32;

static weft_fixed fx(int32_t raw) {
    return weft_fixed_from_raw(raw);
}

static weft_fixed64 fx64(int64_t raw) {
    return (weft_fixed64){raw};
}

static int32_t fixed_of(int32_t whole) {
    return whole * 65536;
}

// Edges ------------------------------------------------------------------------------------------

Test(elementary, zero_and_one) {
    cr_assert_eq(weft_fixed_sin(fx(0)).raw, 0);
    cr_assert_eq(weft_fixed_cos(fx(0)).raw, 65536);
    cr_assert_eq(weft_fixed_tan(fx(0)).raw, 0);
    cr_assert_eq(weft_fixed_asin(fx(0)).raw, 0);
    cr_assert_eq(weft_fixed_acos(fx(0)).raw, 102944); // pi/2
    cr_assert_eq(weft_fixed_atan(fx(0)).raw, 0);
    cr_assert_eq(weft_fixed_exp(fx(0)).raw, 65536);
    cr_assert_eq(weft_fixed_exp2(fx(0)).raw, 65536);
    cr_assert_eq(weft_fixed_log(fx(65536)).raw, 0);
    cr_assert_eq(weft_fixed_log2(fx(65536)).raw, 0);
    cr_assert_eq(weft_fixed_rsqrt(fx(65536)).raw, 65536);
    cr_assert_eq(weft_fixed_exp(fx(65536)).raw, 178145); // e
    cr_assert_eq(weft_fixed_log(fx(178145)).raw, 65536);
    cr_assert_eq(weft_fixed64_sin(fx64(0)).raw, 0);
    cr_assert_eq(weft_fixed64_cos(fx64(0)).raw, one32);
    cr_assert_eq(weft_fixed64_tan(fx64(0)).raw, 0);
    cr_assert_eq(weft_fixed64_asin(fx64(0)).raw, 0);
    cr_assert_eq(weft_fixed64_acos(fx64(0)).raw, INT64_C(6746518852));
    cr_assert_eq(weft_fixed64_exp(fx64(0)).raw, one32);
    cr_assert_eq(weft_fixed64_exp(fx64(one32)).raw, INT64_C(11674931555));
    cr_assert_eq(weft_fixed64_log(fx64(one32)).raw, 0);
    cr_assert_eq(weft_fixed64_rsqrt(fx64(one32)).raw, one32);
    cr_assert_eq(weft_fixed64_rsqrt(fx64(1)).raw, INT64_C(1) << 48);
}

Test(elementary, powers_of_two_are_exact) {
    for (int32_t n = -16; n <= 14; ++n) {
        int32_t power = n < 0 ? 65536 >> -n : 65536 << n;
        cr_assert_eq(weft_fixed_exp2(fx(fixed_of(n))).raw, power, "2^%d", n);
        cr_assert_eq(weft_fixed_log2(fx(power)).raw, fixed_of(n), "log2 of 2^%d", n);
        cr_assert_eq(weft_fixed_pow(fx(131072), fx(fixed_of(n))).raw, power, "2^%d by pow", n);
    }
    cr_assert_eq(weft_fixed_exp2(fx(fixed_of(-17))).raw, 0, "a tie goes to even");
    cr_assert_eq(weft_fixed_exp2(fx(fixed_of(-17) + 1)).raw, 1);
    for (int n = -32; n <= 30; ++n) {
        int64_t power = n < 0 ? one32 >> -n : one32 << n;
        cr_assert_eq(weft_fixed64_exp2(fx64(n * one32)).raw, power, "2^%d", n);
        cr_assert_eq(weft_fixed64_log2(fx64(power)).raw, n * one32, "log2 of 2^%d", n);
        cr_assert_eq(weft_fixed64_pow(fx64(2 * one32), fx64(n * one32)).raw, power, "2^%d", n);
    }
    cr_assert_eq(weft_fixed64_exp2(fx64(-33 * one32)).raw, 0, "a tie goes to even");
}

Test(elementary, arcs_take_the_nearer_end_outside_their_domain) {
    static const int32_t beyond[] = {65536, 65537, 131072, INT32_MAX};
    for (size_t i = 0; i < sizeof beyond / sizeof beyond[0]; ++i) {
        cr_assert_eq(weft_fixed_asin(fx(beyond[i])).raw, 102944);
        cr_assert_eq(weft_fixed_asin(fx(-beyond[i])).raw, -102944);
        cr_assert_eq(weft_fixed_acos(fx(beyond[i])).raw, 0);
        cr_assert_eq(weft_fixed_acos(fx(-beyond[i])).raw, 205887); // pi
    }
    cr_assert_eq(weft_fixed_asin(WEFT_FIXED_MIN).raw, -102944);
    cr_assert_eq(weft_fixed_acos(WEFT_FIXED_MIN).raw, 205887);
    cr_assert_eq(weft_fixed64_asin(fx64(INT64_MIN)).raw, -INT64_C(6746518852));
    cr_assert_eq(weft_fixed64_acos(fx64(INT64_MIN)).raw, INT64_C(13493037705));
    cr_assert_eq(weft_fixed64_acos(fx64(INT64_MAX)).raw, 0);
}

Test(elementary, directions) {
    cr_assert_eq(weft_fixed_atan2(fx(0), fx(0)).raw, 0);
    cr_assert_eq(weft_fixed_atan2(fx(0), fx(1)).raw, 0);
    cr_assert_eq(weft_fixed_atan2(fx(0), fx(-1)).raw, 205887);
    cr_assert_eq(weft_fixed_atan2(fx(0), WEFT_FIXED_MIN).raw, 205887);
    cr_assert_eq(weft_fixed_atan2(fx(1), fx(0)).raw, 102944);
    cr_assert_eq(weft_fixed_atan2(fx(-1), fx(0)).raw, -102944);
    cr_assert_eq(weft_fixed_atan2(fx(7), fx(7)).raw, 51472); // pi/4
    cr_assert_eq(weft_fixed_atan2(fx(-7), fx(-7)).raw, -154416);
    cr_assert_eq(weft_fixed_atan2(WEFT_FIXED_MIN, WEFT_FIXED_MIN).raw, -154416);
    cr_assert_eq(weft_fixed64_atan2(fx64(0), fx64(0)).raw, 0);
    cr_assert_eq(weft_fixed64_atan2(fx64(0), fx64(INT64_MIN)).raw, INT64_C(13493037705));
    cr_assert_eq(weft_fixed64_atan2(fx64(INT64_MIN), fx64(0)).raw, -INT64_C(6746518852));
    cr_assert_eq(weft_fixed64_atan2(fx64(INT64_MIN), fx64(INT64_MIN)).raw, -INT64_C(10119778278));
}

Test(elementary, lengths) {
    cr_assert_eq(weft_fixed_hypot(fx(fixed_of(3)), fx(fixed_of(-4))).raw, fixed_of(5));
    cr_assert_eq(weft_fixed_hypot(fx(0), fx(-1)).raw, 1);
    cr_assert_eq(weft_fixed_hypot(fx(0), fx(0)).raw, 0);
    cr_assert_eq(weft_fixed_hypot(fx(0), WEFT_FIXED_MAX).raw, INT32_MAX);
    cr_assert_eq(weft_fixed64_hypot(fx64(3 * one32), fx64(-4 * one32)).raw, 5 * one32);
    cr_assert_eq(weft_fixed64_hypot(fx64(0), fx64(INT64_MAX)).raw, INT64_MAX);
    cr_assert_eq(weft_fixed64_hypot(fx64(0), fx64(-1)).raw, 1);
}

// Flags ------------------------------------------------------------------------------------------

#define SATURATED WEFT_NUMBER_SATURATED
#define DIVIDED WEFT_NUMBER_DIVIDED_BY_0
#define UNDEFINED WEFT_NUMBER_UNDEFINED

/// Result and flags of a sticky function, and that bits set before stay.
#define CHECK_ONE(format, make, name, a, result, expected)                                         \
    do {                                                                                           \
        weft_number_flags flags = 8;                                                               \
        cr_expect_eq(weft_##format##_##name##_sticky(make(a), &flags).raw, result, "%s %s(%s)",    \
                     #format, #name, #a);                                                          \
        cr_expect_eq(flags, 8u | (expected), "flags of %s(%s): %u", #name, #a, flags);             \
        cr_expect_eq(weft_##format##_##name(make(a)).raw, result);                                 \
    } while (0)

#define CHECK_TWO(format, make, name, a, b, result, expected)                                      \
    do {                                                                                           \
        weft_number_flags flags = 8;                                                               \
        cr_expect_eq(weft_##format##_##name##_sticky(make(a), make(b), &flags).raw, result,        \
                     "%s %s(%s, %s)", #format, #name, #a, #b);                                     \
        cr_expect_eq(flags, 8u | (expected), "flags of %s(%s, %s): %u", #name, #a, #b, flags);     \
        cr_expect_eq(weft_##format##_##name(make(a), make(b)).raw, result);                        \
    } while (0)

Test(elementary, flags_of_one_number) {
    CHECK_ONE(fixed, fx, rsqrt, 0, INT32_MAX, DIVIDED);
    CHECK_ONE(fixed, fx, rsqrt, -1, 0, UNDEFINED);
    CHECK_ONE(fixed, fx, rsqrt, INT32_MIN, 0, UNDEFINED);
    CHECK_ONE(fixed, fx, rsqrt, 1, 1 << 24, 0);
    CHECK_ONE(fixed, fx, log, 0, INT32_MIN, SATURATED);
    CHECK_ONE(fixed, fx, log, -1, 0, UNDEFINED);
    CHECK_ONE(fixed, fx, log, 1, -726817, 0);
    CHECK_ONE(fixed, fx, log2, 0, INT32_MIN, SATURATED);
    CHECK_ONE(fixed, fx, log2, INT32_MIN, 0, UNDEFINED);
    CHECK_ONE(fixed, fx, exp, fixed_of(11), INT32_MAX, SATURATED);
    CHECK_ONE(fixed, fx, exp, INT32_MAX, INT32_MAX, SATURATED);
    CHECK_ONE(fixed, fx, exp, INT32_MIN, 0, 0);
    CHECK_ONE(fixed, fx, exp2, fixed_of(15), INT32_MAX, SATURATED);
    CHECK_ONE(fixed, fx, exp2, fixed_of(15) - 1, 2147460935, 0);
    CHECK_ONE(fixed, fx, exp2, INT32_MIN, 0, 0);
    CHECK_ONE(fixed, fx, tan, 102944, INT32_MIN, SATURATED); // a little past pi/2
    CHECK_ONE(fixed, fx, tan, 102943, INT32_MAX, SATURATED);
    CHECK_ONE(fixed, fx, tan, 102941, 1585986627, 0);
    CHECK_ONE(fixed64, fx64, rsqrt, 0, INT64_MAX, DIVIDED);
    CHECK_ONE(fixed64, fx64, rsqrt, INT64_MIN, 0, UNDEFINED);
    CHECK_ONE(fixed64, fx64, log, 0, INT64_MIN, SATURATED);
    CHECK_ONE(fixed64, fx64, log, -1, 0, UNDEFINED);
    CHECK_ONE(fixed64, fx64, log2, 1, -32 * one32, 0);
    CHECK_ONE(fixed64, fx64, log2, INT64_MIN, 0, UNDEFINED);
    CHECK_ONE(fixed64, fx64, exp, 22 * one32, INT64_MAX, SATURATED);
    CHECK_ONE(fixed64, fx64, exp, INT64_MAX, INT64_MAX, SATURATED);
    CHECK_ONE(fixed64, fx64, exp, INT64_MIN, 0, 0);
    CHECK_ONE(fixed64, fx64, exp2, 31 * one32, INT64_MAX, SATURATED);
    CHECK_ONE(fixed64, fx64, exp2, INT64_MIN, 0, 0);
}

Test(elementary, flags_of_two_numbers) {
    CHECK_TWO(fixed, fx, pow, 0, 0, 65536, 0);
    CHECK_TWO(fixed, fx, pow, -5, 0, 65536, 0);
    CHECK_TWO(fixed, fx, pow, 0, 1, 0, 0);
    CHECK_TWO(fixed, fx, pow, 0, -1, INT32_MAX, DIVIDED);
    CHECK_TWO(fixed, fx, pow, 0, fixed_of(-3), INT32_MAX, DIVIDED);
    CHECK_TWO(fixed, fx, pow, fixed_of(-2), fixed_of(3), fixed_of(-8), 0);
    CHECK_TWO(fixed, fx, pow, fixed_of(-2), fixed_of(4), fixed_of(16), 0);
    CHECK_TWO(fixed, fx, pow, fixed_of(-2), fixed_of(-1), -32768, 0);
    CHECK_TWO(fixed, fx, pow, fixed_of(-2), 32768, 0, UNDEFINED);
    CHECK_TWO(fixed, fx, pow, fixed_of(-2), fixed_of(15), INT32_MIN, 0);
    CHECK_TWO(fixed, fx, pow, fixed_of(-2), fixed_of(17), INT32_MIN, SATURATED);
    CHECK_TWO(fixed, fx, pow, fixed_of(-2), fixed_of(16), INT32_MAX, SATURATED);
    CHECK_TWO(fixed, fx, pow, INT32_MIN, INT32_MIN, 0, 0);
    CHECK_TWO(fixed, fx, pow, 1, INT32_MIN, INT32_MAX, SATURATED);
    CHECK_TWO(fixed, fx, pow, 65536, INT32_MIN, 65536, 0);
    CHECK_TWO(fixed, fx, pow, fixed_of(-1), INT32_MIN, 65536, 0);
    CHECK_TWO(fixed, fx, hypot, INT32_MAX, INT32_MAX, INT32_MAX, SATURATED);
    CHECK_TWO(fixed, fx, hypot, INT32_MIN, 0, INT32_MAX, SATURATED);
    CHECK_TWO(fixed, fx, hypot, INT32_MIN, INT32_MIN, INT32_MAX, SATURATED);
    CHECK_TWO(fixed, fx, hypot, INT32_MAX, 0, INT32_MAX, 0);
    CHECK_TWO(fixed64, fx64, pow, 0, 0, one32, 0);
    CHECK_TWO(fixed64, fx64, pow, 0, -1, INT64_MAX, DIVIDED);
    CHECK_TWO(fixed64, fx64, pow, -one32, 1, 0, UNDEFINED);
    CHECK_TWO(fixed64, fx64, pow, -2 * one32, 31 * one32, INT64_MIN, 0);
    CHECK_TWO(fixed64, fx64, pow, -2 * one32, 33 * one32, INT64_MIN, SATURATED);
    CHECK_TWO(fixed64, fx64, pow, INT64_MIN, INT64_MIN, 0, 0);
    CHECK_TWO(fixed64, fx64, pow, 1, INT64_MIN, INT64_MAX, SATURATED);
    CHECK_TWO(fixed64, fx64, hypot, INT64_MIN, INT64_MIN, INT64_MAX, SATURATED);
    CHECK_TWO(fixed64, fx64, hypot, INT64_MAX, 0, INT64_MAX, 0);
}

// Symmetry and order -----------------------------------------------------------------------------

static int32_t negative(int32_t raw) {
    return raw == INT32_MIN ? INT32_MAX : -raw;
}

Test(elementary, odd_and_even) {
    uint64_t state = test_seed("odd_and_even");
    for (int i = 0; i < 200000; ++i) {
        int32_t a = test_raw(&state);
        int32_t b = test_raw(&state);
        int64_t wide = (int64_t)test_next(&state) >> (test_next(&state) % 63);
        if (a == INT32_MIN || b == INT32_MIN || wide == INT64_MIN)
            continue;
        bool well = weft_fixed_sin(fx(-a)).raw == -weft_fixed_sin(fx(a)).raw &&
                    weft_fixed_cos(fx(-a)).raw == weft_fixed_cos(fx(a)).raw &&
                    negative(weft_fixed_tan(fx(-a)).raw) == weft_fixed_tan(fx(a)).raw &&
                    weft_fixed_asin(fx(-a)).raw == -weft_fixed_asin(fx(a)).raw &&
                    weft_fixed_atan(fx(-a)).raw == -weft_fixed_atan(fx(a)).raw &&
                    weft_fixed_hypot(fx(-a), fx(b)).raw == weft_fixed_hypot(fx(b), fx(a)).raw;
        well = well && (a == 0 ||
                        weft_fixed_atan2(fx(-a), fx(b)).raw == -weft_fixed_atan2(fx(a), fx(b)).raw);
        if (!well)
            TEST_FAIL("asymmetric at %d, %d", a, b);
        well = weft_fixed64_sin(fx64(-wide)).raw == -weft_fixed64_sin(fx64(wide)).raw &&
               weft_fixed64_cos(fx64(-wide)).raw == weft_fixed64_cos(fx64(wide)).raw &&
               weft_fixed64_asin(fx64(-wide)).raw == -weft_fixed64_asin(fx64(wide)).raw &&
               weft_fixed64_atan(fx64(-wide)).raw == -weft_fixed64_atan(fx64(wide)).raw;
        if (!well)
            TEST_FAIL("asymmetric at %" PRId64, wide);
    }
}

typedef weft_fixed one_fixed(weft_fixed a);
typedef weft_fixed64 one_fixed64(weft_fixed64 a);

/// Neighbours never go the wrong way: here a fault of one segment against the next would show.
static void check_order(const char* name, one_fixed* function, one_fixed64* function64,
                        int64_t from, int64_t to, int sign) {
    uint64_t state = test_seed(name);
    uint64_t range = (uint64_t)to - (uint64_t)from;
    for (int i = 0; i < 60000; ++i) {
        int64_t wide = (int64_t)((uint64_t)from + test_next(&state) % range);
        if (i % 2 == 0)
            wide &= -(INT64_C(1) << (i / 2 % 40));
        if (wide < from)
            continue;
        int32_t a = (int32_t)(wide >> 16);
        if (a < INT32_MAX && (function(fx(a + 1)).raw - (int64_t)function(fx(a)).raw) * sign < 0)
            TEST_FAIL("%s falls at %d", name, a);
        int64_t low = function64(fx64(wide)).raw;
        int64_t high = function64(fx64(wide + 1)).raw;
        if (sign > 0 ? high < low : high > low)
            TEST_FAIL("%s falls at %" PRId64, name, wide);
    }
}

Test(elementary, monotonic) {
    const int64_t max = INT64_MAX;
    const int64_t quarter = INT64_C(6746518852); // a little below pi/2
    check_order("sin", weft_fixed_sin, weft_fixed64_sin, -quarter, quarter - 65536, 1);
    check_order("cos", weft_fixed_cos, weft_fixed64_cos, 0, 2 * quarter - 65536, -1);
    check_order("tan", weft_fixed_tan, weft_fixed64_tan, -quarter + 65536, quarter - 131072, 1);
    check_order("asin", weft_fixed_asin, weft_fixed64_asin, -one32, one32, 1);
    check_order("acos", weft_fixed_acos, weft_fixed64_acos, -one32, one32, -1);
    check_order("atan", weft_fixed_atan, weft_fixed64_atan, -max, max, 1);
    check_order("exp", weft_fixed_exp, weft_fixed64_exp, -23 * one32, 22 * one32, 1);
    check_order("exp2", weft_fixed_exp2, weft_fixed64_exp2, -33 * one32, 31 * one32, 1);
    check_order("log", weft_fixed_log, weft_fixed64_log, 0, max, 1);
    check_order("log2", weft_fixed_log2, weft_fixed64_log2, 0, max, 1);
    check_order("rsqrt", weft_fixed_rsqrt, weft_fixed64_rsqrt, 65536, max, -1);
}

// Digests ----------------------------------------------------------------------------------------

enum {
    SAMPLES = 1 << 16
};

/// Every 65521st Q16.16 number, and Q32.32 numbers of every size.
static weft_digest digest_of(int64_t (*call)(int64_t a, int64_t b), bool wide) {
    static uint8_t bytes[SAMPLES * 8];
    for (uint64_t i = 0; i < SAMPLES; ++i) {
        uint64_t seed = i * 2;
        uint64_t other = test_next(&seed);
        int64_t a = (int64_t)i * 65521 + INT32_MIN;
        int64_t b = (int32_t)(uint32_t)other >> (other >> 32) % 32;
        if (i % 4 == 1) // Next to 0, where exponentials are neither 0 nor saturated.
            a = a >> 12;
        if (wide) {
            a = (int64_t)test_next(&seed) >> (i % 40);
            b = (int64_t)other >> (test_next(&seed) % 40);
        }
        uint64_t result = (uint64_t)call(a, b);
        for (int k = 0; k < 8; ++k)
            bytes[i * 8 + (uint64_t)k] = (uint8_t)(result >> (8 * k));
    }
    return weft_digest_of(bytes, sizeof bytes, 0);
}

#define CALLS_ONE(name)                                                                            \
    static int64_t call_##name(int64_t a, int64_t b) {                                             \
        (void)b;                                                                                   \
        return weft_fixed_##name(fx((int32_t)a)).raw;                                              \
    }                                                                                              \
    static int64_t call64_##name(int64_t a, int64_t b) {                                           \
        (void)b;                                                                                   \
        return weft_fixed64_##name(fx64(a)).raw;                                                   \
    }

#define CALLS_TWO(name)                                                                            \
    static int64_t call_##name(int64_t a, int64_t b) {                                             \
        return weft_fixed_##name(fx((int32_t)a), fx((int32_t)b)).raw;                              \
    }                                                                                              \
    static int64_t call64_##name(int64_t a, int64_t b) {                                           \
        return weft_fixed64_##name(fx64(a), fx64(b)).raw;                                          \
    }

CALLS_ONE(rsqrt)
CALLS_ONE(sin)
CALLS_ONE(cos)
CALLS_ONE(tan)
CALLS_ONE(asin)
CALLS_ONE(acos)
CALLS_ONE(atan)
CALLS_ONE(exp)
CALLS_ONE(exp2)
CALLS_ONE(log)
CALLS_ONE(log2)
CALLS_TWO(atan2)
CALLS_TWO(pow)
CALLS_TWO(hypot)

#define BOTH(name)                                                                                 \
    {"fixed." #name, call_##name, false}, {                                                        \
        "fixed64." #name, call64_##name, true                                                      \
    }

static const struct {
    const char* name;
    int64_t (*call)(int64_t a, int64_t b);
    bool wide;
} calls[] = {
    BOTH(rsqrt), BOTH(sin),  BOTH(cos), BOTH(tan),  BOTH(asin),  BOTH(acos), BOTH(atan),
    BOTH(exp),   BOTH(exp2), BOTH(log), BOTH(log2), BOTH(atan2), BOTH(pow),  BOTH(hypot),
};

// A change of a result must be meant: WEFT_UPDATE_GOLDEN=1 writes the file anew.
Test(elementary, outputs_are_those_of_every_other_build) {
    static char now[4096], golden[4096];
    size_t size = 0;
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; ++i) {
        char text[WEFT_DIGEST_TEXT];
        weft_digest_format(digest_of(calls[i].call, calls[i].wide), text);
        size += (size_t)snprintf(now + size, sizeof now - size, "%s %s\n", calls[i].name, text);
    }
    const char* update = getenv("WEFT_UPDATE_GOLDEN");
    if (update != NULL && strcmp(update, "1") == 0) {
        FILE* file = fopen(GOLDEN, "w");
        cr_assert_not_null(file);
        cr_assert_eq(fwrite(now, 1, size, file), size);
        cr_assert_eq(fclose(file), 0);
    }
    FILE* file = fopen(GOLDEN, "r");
    cr_assert_not_null(file, "%s is missing", GOLDEN);
    golden[fread(golden, 1, sizeof golden - 1, file)] = '\0';
    fclose(file);
    cr_assert_str_eq(now, golden);
}
