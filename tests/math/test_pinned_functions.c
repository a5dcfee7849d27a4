// The functions of pinned float32: special values, symmetry, errors over a stride, and the bits of
// many results. tests/judge has the errors over all inputs, by MPFR.

#include "float_test.h"
#include "weft/hash.h"

#include <string.h>

#define GOLDEN WEFT_TEST_DIR "/golden/float_digests.txt"

typedef float (*function)(float a);

static void is(function f, const char* name, uint32_t a, uint32_t wanted) {
    uint32_t got = bits_of(f(of(a)));
    cr_assert_eq(got, wanted, "%s(%08x) is %08x, not %08x", name, a, got, wanted);
}

Test(pinned_functions, special_values) {
    static const struct {
        function f;
        const char* name;
        uint32_t zero, minus_zero, infinity, minus_infinity, denormal, one;
    } cases[] = {
        {weft_float_sin, "sin", 0, 0x80000000, NAN_BITS, NAN_BITS, 1, 0x3f576aa4},
        {weft_float_cos, "cos", 0x3f800000, 0x3f800000, NAN_BITS, NAN_BITS, 0x3f800000, 0x3f0a5140},
        {weft_float_tan, "tan", 0, 0x80000000, NAN_BITS, NAN_BITS, 1, 0x3fc75923},
        {weft_float_atan, "atan", 0, 0x80000000, 0x3fc90fdb, 0xbfc90fdb, 1, 0x3f490fdb},
        {weft_float_exp, "exp", 0x3f800000, 0x3f800000, 0x7f800000, 0, 0x3f800000, 0x402df854},
        {weft_float_log, "log", 0xff800000, 0xff800000, 0x7f800000, NAN_BITS, 0xc2ce8ed0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        function f = cases[i].f;
        const char* name = cases[i].name;
        is(f, name, 0x00000000, cases[i].zero);
        is(f, name, 0x80000000, cases[i].minus_zero);
        is(f, name, 0x7f800000, cases[i].infinity);
        is(f, name, 0xff800000, cases[i].minus_infinity);
        is(f, name, 0x00000001, cases[i].denormal);
        is(f, name, 0x3f800000, cases[i].one);
        static const uint32_t nans[] = {0x7fc00000, 0xffc00000, 0x7f800001, 0xffffffff};
        for (int k = 0; k < 4; ++k)
            is(f, name, nans[k], NAN_BITS);
    }
}

Test(pinned_functions, edges_of_exp_and_log) {
    is(weft_float_exp, "exp", 0x42b17217, 0x7f7fff84); // the last finite result
    is(weft_float_exp, "exp", 0x42b17218, INFINITY_BITS);
    is(weft_float_exp, "exp", 0x7f7fffff, INFINITY_BITS);
    is(weft_float_exp, "exp", 0xc2cff1b4, 1); // just over half the smallest number
    is(weft_float_exp, "exp", 0xc2cff1b5, 0);
    is(weft_float_exp, "exp", 0xff7fffff, 0);
    is(weft_float_exp, "exp", 0x33000000, 0x3f800000);
    is(weft_float_log, "log", 0x3f7fffff, 0xb3800000);
    is(weft_float_log, "log", 0x3f800001, 0x33ffffff);
    is(weft_float_log, "log", 0x7f7fffff, 0x42b17218);
    is(weft_float_log, "log", 0x80000001, NAN_BITS);
    is(weft_float_log, "log", 0xbf800000, NAN_BITS);
}

Test(pinned_functions, huge_angles) {
    // The float that is nearest to a multiple of pi/2 among the large ones, and the largest.
    is(weft_float_cos, "cos", 0x6f79be45, rounded(cos((double)of(0x6f79be45))));
    is(weft_float_sin, "sin", 0x7f7fffff, rounded(sin((double)FLT_MAX)));
    is(weft_float_sin, "sin", 0x61a3db8f, rounded(sin((double)of(0x61a3db8f))));
    is(weft_float_cos, "cos", 0xff7fffff, rounded(cos((double)FLT_MAX)));
    is(weft_float_tan, "tan", 0x7f7fffff, rounded(tan((double)FLT_MAX)));
}

Test(pinned_functions, special_angles) {
    static const float infinity = __builtin_inff();
    static const struct {
        float y, x, angle;
    } cases[] = {
        {0, 1, 0},
        {0, 0, 0},
        {0, -0.0f, 0x1.921fb6p1f},
        {0, -1, 0x1.921fb6p1f},
        {1, 0, 0x1.921fb6p0f},
        {1, -0.0f, 0x1.921fb6p0f},
        {1, 1, 0x1.921fb6p-1f},
        {1, -1, 0x1.2d97c8p1f},
        {1, infinity, 0},
        {1, -infinity, 0x1.921fb6p1f},
        {infinity, 1, 0x1.921fb6p0f},
        {infinity, infinity, 0x1.921fb6p-1f},
        {infinity, -infinity, 0x1.2d97c8p1f},
        {0, infinity, 0},
        {0, -infinity, 0x1.921fb6p1f},
        {0x1p-149f, 0x1p127f, 0},
        {0x1p127f, 0x1p-149f, 0x1.921fb6p0f},
        {0x1p-149f, -0x1p127f, 0x1.921fb6p1f},
        {0x1p-149f, 0x1p-149f, 0x1.921fb6p-1f},
        {0x1p-149f, 1, 0x1p-149f},
        {0x1p-126f, 1, 0x1p-126f},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        uint32_t got = bits_of(weft_float_atan2(cases[i].y, cases[i].x));
        uint32_t below = bits_of(weft_float_atan2(-cases[i].y, cases[i].x));
        cr_assert_eq(got, bits_of(cases[i].angle), "case %zu: %08x", i, got);
        cr_assert_eq(below, bits_of(-cases[i].angle), "case %zu: %08x", i, below);
    }
    cr_assert_eq(bits_of(weft_float_atan2(of(0xffc00001), 1)), NAN_BITS);
    cr_assert_eq(bits_of(weft_float_atan2(infinity, of(0x7f800001))), NAN_BITS);
}

Test(pinned_functions, special_powers) {
    static const float infinity = __builtin_inff();
    static const float nan = __builtin_nanf("0x12345");
    static const struct {
        float a, b, power;
    } cases[] = {
        {2, 3, 8},
        {-2, 3, -8},
        {-2, 4, 16},
        {3, -1, 0x1.555556p-2f},
        {10, 10, 1e10f},
        {4, 0.5f, 2},
        {2, -149, 0x1p-149f},
        {2, -150, 0},
        {2, 127, 0x1p127f},
        {2, 128, infinity},
        {-2, 129, -infinity},
        {-2, -151, -0.0f},
        {0x1p-149f, -0.5f, 0x1.6a09e6p74f},
        {0x1.000002p0f, 0x1p31f, infinity},
        {0x1.fffffep-1f, 0x1p31f, 0},
        {1, nan, 1},
        {nan, 0, 1},
        {nan, -0.0f, 1},
        {infinity, -0.0f, 1},
        {-1, infinity, 1},
        {-1, -infinity, 1},
        {0, 3, 0},
        {-0.0f, 3, -0.0f},
        {-0.0f, 2, 0},
        {0, -2, infinity},
        {-0.0f, -3, -infinity},
        {-0.0f, -0.5f, infinity},
        {infinity, 0.5f, infinity},
        {infinity, -1, 0},
        {-infinity, 3, -infinity},
        {-infinity, 2, infinity},
        {-infinity, -3, -0.0f},
        {-infinity, 0.5f, infinity},
        {0.5f, infinity, 0},
        {0.5f, -infinity, infinity},
        {-2, infinity, infinity},
        {-2, -infinity, 0},
        {-2, 0x1.000002p0f, nan},
        {-2, 16777216, infinity},
        {-1, 8388607, -1},
        {-1, 16777216, 1},
        {-1, 8388608.0f, 1},
        {-0x1p-149f, 0.5f, nan},
        {nan, 1, nan},
        {2, nan, nan},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        uint32_t got = bits_of(weft_float_pow(cases[i].a, cases[i].b));
        uint32_t wanted = bits_of(weft_float_canonical(cases[i].power));
        cr_assert_eq(got, wanted, "case %zu: %08x, not %08x", i, got, wanted);
    }
}

/// The stated bound holds, with double for exact: its own error is 2^-28 ulp.
static void check_error(function f, double (*exact)(double), const char* name, uint32_t bits) {
    double error = ulps(f(of(bits)), exact((double)of(bits)));
    if (!(error <= 0.52))
        TEST_FAIL("%s(%08x) is %f ulp off", name, bits, error);
}

Test(pinned_functions, errors_over_a_stride) {
    for (uint64_t bits = 0; bits <= UINT32_MAX; bits += 8191) {
        check_error(weft_float_sin, sin, "sin", (uint32_t)bits);
        check_error(weft_float_cos, cos, "cos", (uint32_t)bits);
        check_error(weft_float_tan, tan, "tan", (uint32_t)bits);
        check_error(weft_float_atan, atan, "atan", (uint32_t)bits);
        check_error(weft_float_exp, exp, "exp", (uint32_t)bits);
        check_error(weft_float_log, log, "log", (uint32_t)bits);
    }
}

Test(pinned_functions, errors_of_random_angles) {
    uint64_t state = test_seed("errors_of_random_angles");
    for (int i = 0; i < 1000000; ++i) {
        uint32_t y = random_bits(&state);
        uint32_t x = i % 3 == 0 ? y + (uint32_t)(test_next(&state) % 64) : random_bits(&state);
        double error = ulps(weft_float_atan2(of(y), of(x)), atan2((double)of(y), (double)of(x)));
        if (!(error <= 0.52))
            TEST_FAIL("atan2(%08x, %08x) is %f ulp off", y, x, error);
    }
}

Test(pinned_functions, errors_of_random_powers) {
    uint64_t state = test_seed("errors_of_random_powers");
    int in_range = 0;
    for (int i = 0; i < 1000000; ++i) {
        uint32_t a = random_bits(&state);
        uint32_t b = random_bits(&state);
        double logarithm = log2(fabs((double)of(a)));
        if (i % 2 != 0 && isfinite(logarithm) && logarithm != 0) {
            double wanted = ((double)(test_next(&state) >> 11) * 0x1p-52 - 1) * 152;
            a &= 0x7fffffffu;
            b = bits_of((float)(wanted / logarithm));
        }
        double exact = pow((double)of(a), (double)of(b));
        double error = ulps(weft_float_pow(of(a), of(b)), exact);
        in_range += fabs(exact) > 0x1p-149 && fabs(exact) < FLT_MAX;
        if (!(error <= 0.52))
            TEST_FAIL("pow(%08x, %08x) is %f ulp off", a, b, error);
    }
    cr_assert_gt(in_range, 300000, "%d", in_range);
}

Test(pinned_functions, odd_and_even) {
    uint64_t state = test_seed("odd_and_even");
    for (int i = 0; i < 300000; ++i) {
        uint32_t a = random_bits(&state) & 0x7fffffffu;
        if (a > INFINITY_BITS)
            continue;
        uint32_t sign = a == INFINITY_BITS ? 0 : 0x80000000u;
        is(weft_float_sin, "sin", a | 0x80000000u, bits_of(weft_float_sin(of(a))) ^ sign);
        is(weft_float_cos, "cos", a | 0x80000000u, bits_of(weft_float_cos(of(a))));
        is(weft_float_tan, "tan", a | 0x80000000u, bits_of(weft_float_tan(of(a))) ^ sign);
        is(weft_float_atan, "atan", a | 0x80000000u, bits_of(weft_float_atan(of(a))) ^ 0x80000000u);
    }
}

// The digests. Results of a stride over all inputs, as little-endian words.

enum {
    COUNT = 1 << 20,
    STRIDE = 4099
};

#define UNARY(name)                                                                                \
    static uint32_t u_##name(float a, float b) {                                                   \
        (void)b;                                                                                   \
        return bits_of(weft_float_##name(a));                                                      \
    }
#define BINARY(name)                                                                               \
    static uint32_t u_##name(float a, float b) {                                                   \
        return bits_of(weft_float_##name(a, b));                                                   \
    }
UNARY(sqrt)
UNARY(sin)
UNARY(cos)
UNARY(tan)
UNARY(atan)
UNARY(exp)
UNARY(log)
UNARY(floor)
UNARY(ceil)
UNARY(trunc)
UNARY(round)
BINARY(add)
BINARY(sub)
BINARY(mul)
BINARY(div)
BINARY(min)
BINARY(max)
BINARY(atan2)
BINARY(pow)
static uint32_t u_muladd(float a, float b) {
    return bits_of(weft_float_muladd(a, b, a));
}
static uint32_t u_lerp(float a, float b) {
    return bits_of(weft_float_lerp(a, b, 0.3f));
}
static uint32_t u_to_int32(float a, float b) {
    (void)b;
    return (uint32_t)weft_float_to_int32(a);
}
static uint32_t u_to_fixed(float a, float b) {
    (void)b;
    return (uint32_t)weft_float_to_fixed(a).raw;
}
static uint32_t u_length2(float a, float b) {
    weft_float2 flat = {a, b};
    return bits_of(weft_float2_length(flat));
}
static uint32_t u_length3(float a, float b) {
    weft_float3 vector = {a, b, weft_float_mul(b, 0.7f)};
    return bits_of(weft_float3_length(vector));
}
static uint32_t u_normalize3(float a, float b) {
    weft_float3 vector = {a, b, weft_float_mul(b, 0.7f)};
    return bits_of(weft_float3_normalize(vector).x);
}

static const struct {
    const char* name;
    uint32_t (*f)(float a, float b);
} digested[] = {
#define X(name)                                                                                    \
    { #name, u_##name }
    X(add),   X(sub),  X(mul),     X(div),     X(sqrt),       X(min),      X(max),
    X(floor), X(ceil), X(trunc),   X(round),   X(to_int32),   X(to_fixed), X(muladd),
    X(lerp),  X(sin),  X(cos),     X(tan),     X(atan),       X(atan2),    X(pow),
    X(exp),   X(log),  X(length2), X(length3), X(normalize3),
#undef X
};

static weft_digest digest_of(uint32_t (*f)(float a, float b)) {
    static uint8_t bytes[COUNT][4];
    uint64_t state = 20240612;
    for (uint32_t i = 0; i < COUNT; ++i) {
        uint32_t result = f(of(i * STRIDE), of(random_bits(&state)));
        for (int k = 0; k < 4; ++k)
            bytes[i][k] = (uint8_t)(result >> (8 * k));
    }
    return weft_digest_of(bytes, sizeof bytes, 0);
}

// The bits of these functions are part of the format of every run that uses them.
// WEFT_UPDATE_GOLDEN=1 writes the file anew.
Test(pinned_functions, bits_are_the_committed_ones, .timeout = 120) {
    static char now[8192];
    static char committed[8192];
    size_t size = 0;
    for (size_t i = 0; i < sizeof digested / sizeof digested[0]; ++i) {
        char text[WEFT_DIGEST_TEXT];
        weft_digest_format(digest_of(digested[i].f), text);
        size += (size_t)snprintf(now + size, sizeof now - size, "%s %d %d %s\n", digested[i].name,
                                 COUNT, STRIDE, text);
    }
    const char* update = getenv("WEFT_UPDATE_GOLDEN");
    if (update != NULL && strcmp(update, "1") == 0) {
        FILE* file = fopen(GOLDEN, "w");
        cr_assert_not_null(file);
        cr_assert_eq(fwrite(now, 1, size, file), size);
        cr_assert_eq(fclose(file), 0);
    }
    FILE* file = fopen(GOLDEN, "r");
    cr_assert_not_null(file, "%s is missing; WEFT_UPDATE_GOLDEN=1 writes it", GOLDEN);
    committed[fread(committed, 1, sizeof committed - 1, file)] = '\0';
    fclose(file);
    cr_assert_str_eq(now, committed);
}
