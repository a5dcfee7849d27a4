// Columns give the bits of the scalar functions: at every length, alignment and width, with every
// kind of value side by side, in place and out of place.

#include "float_test.h"

#include <string.h>

enum {
    N = 1 << 14
};

static float a[N + 64];
static float b[N + 64];
static float c[N + 64];
static float out[N + 64];

static void fill(uint64_t* state) {
    for (int i = 0; i < N + 64; ++i) {
        // Edges all over, so that they share vectors with other numbers.
        uint64_t random = test_next(state);
        a[i] = of(random % 7 == 0 ? float_edges[(random >> 8) % FLOAT_EDGES] : random_bits(state));
        b[i] = of(random % 5 == 0 ? float_edges[(random >> 16) % FLOAT_EDGES] : random_bits(state));
        c[i] = of(random_bits(state));
    }
}

#define SENTINEL 0x12345678u

/// Fails unless out[first..first + n) has the scalar results and nothing else was written.
#define EXPECT(what, first, n, scalar)                                                             \
    do {                                                                                           \
        for (size_t i = (first); i < (first) + (n); ++i) {                                         \
            uint32_t wanted = bits_of(scalar);                                                     \
            if (bits_of(out[i]) != wanted)                                                         \
                TEST_FAIL("%s, element %zu of %08x %08x %08x: %08x, not %08x", what, i,            \
                          bits_of(a[i]), bits_of(b[i]), bits_of(c[i]), bits_of(out[i]), wanted);   \
        }                                                                                          \
        for (size_t i = 0; i < N + 64; ++i) {                                                      \
            if (i - (first) >= (n) && bits_of(out[i]) != SENTINEL)                                 \
                TEST_FAIL("%s wrote to element %zu", what, i);                                     \
        }                                                                                          \
    } while (0)

static void clear(void) {
    for (int i = 0; i < N + 64; ++i)
        out[i] = of(SENTINEL);
}

#define ONE(name, f, n)                                                                            \
    clear();                                                                                       \
    weft_float_##name##_column(out + (f), a + (f), n);                                             \
    EXPECT(#name, f, n, weft_float_##name(a[i]))
#define TWO(name, f, n)                                                                            \
    clear();                                                                                       \
    weft_float_##name##_column(out + (f), a + (f), b + (f), n);                                    \
    EXPECT(#name, f, n, weft_float_##name(a[i], b[i]))
#define THREE(name, f, n)                                                                          \
    clear();                                                                                       \
    weft_float_##name##_column(out + (f), a + (f), b + (f), c + (f), n);                           \
    EXPECT(#name, f, n, weft_float_##name(a[i], b[i], c[i]))

static void check_arithmetic(size_t f, size_t n) {
    TWO(add, f, n);
    TWO(sub, f, n);
    TWO(mul, f, n);
    TWO(div, f, n);
    TWO(min, f, n);
    TWO(max, f, n);
    THREE(muladd, f, n);
    THREE(lerp, f, n);
    ONE(sqrt, f, n);
    clear();
    weft_float_clamp_column(out + f, a + f, -2.5f, 1e6f, n);
    EXPECT("clamp", f, n, weft_float_clamp(a[i], -2.5f, 1e6f));
}

static void check_functions(size_t f, size_t n) {
    ONE(sin, f, n);
    ONE(cos, f, n);
    ONE(tan, f, n);
    ONE(atan, f, n);
    ONE(exp, f, n);
    ONE(log, f, n);
    TWO(atan2, f, n);
    TWO(pow, f, n);
}

static void check_fixed(size_t f, size_t n) {
    static weft_fixed fixed[N + 64];
    static weft_fixed same[N + 64];
    weft_float_to_fixed_column(fixed + f, a + f, n);
    for (size_t i = f; i < f + n; ++i)
        cr_assert_eq(fixed[i].raw, weft_float_to_fixed(a[i]).raw, "%08x", bits_of(a[i]));
    for (size_t i = f; i < f + n; ++i)
        fixed[i] = weft_fixed_from_raw((int32_t)bits_of(a[i]));
    memcpy(same, fixed, sizeof same);
    clear();
    weft_float_from_fixed_column(out + f, fixed + f, n);
    EXPECT("from_fixed", f, n, weft_float_from_fixed(same[i]));
}

Test(pinned_columns, equal_the_scalar_functions, .timeout = 60) {
    uint64_t state = test_seed("equal_the_scalar_functions");
    for (int round = 0; round < 12; ++round) {
        fill(&state);
        check_arithmetic(0, N);
        check_functions(0, N);
        check_fixed(0, N);
    }
}

Test(pinned_columns, every_length_and_offset, .timeout = 60) {
    uint64_t state = test_seed("every_length_and_offset");
    fill(&state);
    for (size_t n = 0; n <= 40; ++n) {
        size_t f = (size_t)(test_next(&state) % 17);
        check_arithmetic(f, n);
        check_functions(f, n);
        check_fixed(f, n);
    }
}

Test(pinned_columns, results_in_place) {
    uint64_t state = test_seed("results_in_place");
    static float before[N];
    fill(&state);
    memcpy(before, b, sizeof before);
    weft_float_sub_column(b, a, b, N);
    for (int i = 0; i < N; ++i)
        cr_assert_eq(bits_of(b[i]), bits_of(weft_float_sub(a[i], before[i])));
    fill(&state);
    memcpy(before, a, sizeof before);
    weft_float_sin_column(a, a, N);
    weft_float_muladd_column(b, b, b, b, N);
    for (int i = 0; i < N; ++i)
        cr_assert_eq(bits_of(a[i]), bits_of(weft_float_sin(before[i])));
    fill(&state);
    memcpy(before, a, sizeof before);
    weft_float_lerp_column(a, a, a, a, N);
    for (int i = 0; i < N; ++i)
        cr_assert_eq(bits_of(a[i]), bits_of(weft_float_lerp(before[i], before[i], before[i])));
}

/// Every 997th input, so that each exponent has thousands.
Test(pinned_columns, functions_over_a_stride, .timeout = 120) {
    uint32_t bits = 0;
    for (int round = 0; round < 263; ++round) {
        for (int i = 0; i < N; ++i, bits += 997)
            a[i] = of(bits);
        ONE(sin, 0, N);
        ONE(cos, 0, N);
        ONE(exp, 0, N);
        ONE(log, 0, N);
    }
    cr_assert_gt((uint64_t)263 * N * 997, UINT32_MAX - 997, "the stride goes over everything");
}
