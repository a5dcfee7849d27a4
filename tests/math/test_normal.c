// The normal distribution against the error function of the C library, in long double.

#include "random_test.h"
#include "weft/hash.h"
#include "weft_normal.h"

#include <math.h>

/// The chance of a normal number above z.
static long double upper(long double z) {
    return erfcl(z * 0.70710678118654752440084436210484903928L) / 2;
}

static long double density(long double z) {
    return expl(-z * z / 2) * 0.39894228040143267793994605993438186848L;
}

/// How far the magnitude of a tail is from the exact one, in ulp: Newton's method from the answer.
static long double error_of(uint64_t tail) {
    long double answer = weft__normal_magnitude(tail) / 65536.0L;
    long double exact = answer;
    for (int i = 0; i < 3; ++i)
        exact += (upper(exact) - (long double)tail * 0x1p-65L) / density(exact);
    return fabsl(exact - answer) * 65536;
}

Test(normal, the_oracle_is_right) {
    // Quantiles of printed tables, and that a step off would be seen.
    cr_assert_lt(fabsl(upper(1.959963984540054235524594430520551527956L) - 0.025L), 1e-17L);
    cr_assert_lt(fabsl(upper(0.674489750196081743202227014541307184L) - 0.25L), 1e-17L);
    cr_assert_lt(fabsl(upper(6.0L) - 9.865876450376981407e-10L), 1e-25L);
    long double exact = 1.959963984540054235524594430520551527956L * 65536;
    uint32_t got = weft__normal_magnitude(UINT64_C(0x0ccccccccccccccd)); // 0.025 * 2^65
    cr_assert_lt(fabsl(exact - got), 0.51L, "%u", got);
    cr_assert_gt(fabsl(exact - (got + 1)), 0.51L);
}

/// Tails of every size: at both ends of every piece, and at random.
Test(normal, the_quantile_is_exact_to_the_ulp) {
    uint64_t state = test_seed("the_quantile_is_exact_to_the_ulp");
    long double worst = 0;
    for (unsigned octave = 0; octave < 64; ++octave) {
        uint64_t base = UINT64_C(1) << (63 - octave);
        for (uint64_t piece = 0; piece < 4 && base >= 4; ++piece) {
            for (uint64_t near = 0; near < 3 && near < base / 4; ++near) {
                worst = fmaxl(worst, error_of(base + piece * (base / 4) + near));
                worst = fmaxl(worst, error_of(base + (piece + 1) * (base / 4) - 1 - near));
            }
        }
        for (int i = 0; i < 2000; ++i)
            worst = fmaxl(worst, error_of(base + test_next(&state) % base));
    }
    fprintf(stderr, "worst error %.6Lf ulp\n", worst);
    cr_assert_lt(worst, 0.501L);
}

/// A larger tail is never farther out: over whole runs of neighbours, and across every border.
Test(normal, the_quantile_is_monotonic) {
    uint64_t state = test_seed("the_quantile_is_monotonic");
    uint32_t before = weft__normal_magnitude(1);
    cr_assert_eq(before, 600001u, "%u", before);
    for (unsigned octave = 64; octave-- > 0;) {
        uint64_t base = UINT64_C(1) << (63 - octave);
        uint64_t step = base / 20000 + 1;
        for (uint64_t at = 0; at < base; at += step) {
            uint32_t now = weft__normal_magnitude(base + at);
            if (now > before)
                TEST_FAIL("tail %" PRIu64, base + at);
            before = now;
            if (step > base - at)
                break;
        }
    }
    cr_assert_eq(weft__normal_magnitude(UINT64_MAX), 0);
    for (int run = 0; run < 200; ++run) {
        uint64_t tail = test_next(&state) >> (run % 40);
        before = weft__normal_magnitude(tail | 1);
        for (uint64_t i = 1; i < 10000 && (tail | 1) <= UINT64_MAX - i; ++i) {
            uint32_t now = weft__normal_magnitude((tail | 1) + i);
            if (now > before || before - now > 1 + (tail < 4 * i ? before : 0))
                TEST_FAIL("tail %" PRIu64, tail + i);
            before = now;
        }
    }
}

/// Moments over a grid of tails, one in the middle of each of 2^22 equal cells. The two ends, where
/// a cell is too coarse, are cut finer.
Test(normal, the_moments_are_those_of_the_normal_distribution) {
    long double second = 0;
    long double fourth = 0;
    for (unsigned level = 0; level < 6; ++level) {
        // The outermost 2^-7 of each level is left to the next.
        const uint64_t cells = UINT64_C(1) << 19;
        uint64_t top = UINT64_MAX >> (7 * level);
        uint64_t step = (top >> 19) + 1;
        for (uint64_t cell = level < 5 ? cells >> 7 : 0; cell < cells; ++cell) {
            long double x = weft__normal_magnitude(cell * step + step / 2) / 65536.0L;
            long double weight = (long double)step * 0x1p-64L;
            second += x * x * weight;
            fourth += x * x * x * x * weight;
        }
    }
    fprintf(stderr, "second %.9Lf, fourth %.9Lf\n", second, fourth);
    cr_assert_lt(fabsl(second - 1), 2e-6L);
    cr_assert_lt(fabsl(fourth - 3), 2e-5L);
}

Test(normal, tails_have_all_bits_and_are_never_zero) {
    cr_assert_eq(weft__normal_tail(0, 0), 1);
    cr_assert_eq(weft__normal_tail(0x80000000u, 0), 1);
    cr_assert_eq(weft__normal_tail(UINT32_MAX, UINT32_MAX), UINT64_MAX);
    cr_assert_eq(weft__normal_tail(5, 0x80000001u), UINT64_C(0xb00000003));
    cr_assert(weft__normal_is_far(0x7fff) && weft__normal_is_far(0x80007fffu));
    cr_assert(!weft__normal_is_far(0x8000) && !weft__normal_is_far(UINT32_MAX));
}

/// What a draw's words mean.
Test(normal, draws_follow_their_definition) {
    uint64_t state = test_seed("draws_follow_their_definition");
    int far = 0;
    for (int i = 0; i < 2000000; ++i) {
        weft_random_key key = key_of((uint64_t)state, 1, 2);
        uint32_t draw = (uint32_t)i;
        uint32_t word = weft_random_u32(key, 9, draw);
        uint64_t tail = 2 * (uint64_t)(word % 0x80000000u) + 1;
        tail *= UINT64_C(1) << 32; // The middle of what 32 bits stand for.
        if (word % 0x80000000u < 32768) {
            uint64_t both = (uint64_t)(word % 0x80000000u) << 32;
            tail = 2 * (both + (uint32_t)weft_random_u64(key, 9, draw)) + 1;
            ++far;
        }
        int32_t expected = (int32_t)weft__normal_magnitude(tail);
        expected = word < 0x80000000u ? expected : -expected;
        if (weft_random_normal(key, 9, draw).raw != expected)
            TEST_FAIL("draw %" PRIu32, draw);
    }
    cr_assert(far > 10 && far < 80, "%d draws used their second word", far);
}

static int order(const void* a, const void* b) {
    int32_t left = *(const int32_t*)a;
    int32_t right = *(const int32_t*)b;
    return (left > right) - (left < right);
}

/// The largest distance between the distribution of the sorted values and the normal one.
static double distance(const int32_t* sorted, uint32_t count) {
    double most = 0;
    for (uint32_t i = 0; i < count; ++i) {
        double chance = (double)upper(-sorted[i] / 65536.0L);
        most = fmax(most, fabs(chance - (double)i / count));
        most = fmax(most, fabs(chance - (double)(i + 1) / count));
    }
    return most;
}

/// Kolmogorov and Smirnov: 2.2 / sqrt(count) is exceeded once in 8000 seeds, and the seed is fixed.
Test(normal, draws_pass_kolmogorov_smirnov) {
    enum {
        COUNT = 400000
    };
    static int32_t values[COUNT];
    double limit = 2.2 / sqrt(COUNT);
    weft_random_key key = key_of(21, 22, 23);
    for (uint32_t i = 0; i < COUNT; ++i)
        values[i] = weft_random_normal(key, i, 0).raw;
    qsort(values, COUNT, sizeof values[0], order);
    cr_assert_lt(distance(values, COUNT), limit);
    // A deviation that is 3% off is seen.
    for (uint32_t i = 0; i < COUNT; ++i)
        values[i] += values[i] * 3 / 100;
    cr_assert_gt(distance(values, COUNT), limit);
    for (uint32_t i = 0; i < COUNT; ++i)
        values[i] = weft_random_normal(key, 5, i).raw;
    qsort(values, COUNT, sizeof values[0], order);
    cr_assert_lt(distance(values, COUNT), limit);
}

/// Cells of equal width to 5 deviations, with the tails as two cells: chi-square of 42 cells, 41
/// degrees of freedom; 85 is exceeded once in 10,000 seeds.
Test(normal, draws_pass_chi_square) {
    enum {
        COUNT = 2000000,
        CELLS = 42
    };
    uint32_t counts[CELLS] = {0};
    weft_random_key key = key_of(31, 32, 33);
    int64_t sum = 0;
    for (uint32_t i = 0; i < COUNT; ++i) {
        int32_t raw = weft_random_normal(key, i % 1000, i / 1000).raw;
        int32_t cell = (raw + 5 * 65536) < 0 ? 0 : (raw + 5 * 65536) / 16384 + 1;
        ++counts[cell >= CELLS ? CELLS - 1 : cell];
        sum += raw;
    }
    double chi = 0;
    for (int i = 0; i < CELLS; ++i) {
        long double low = i == 0 ? 1 : upper(-5 + (i - 1) * 0.25L);
        long double high = i == CELLS - 1 ? 0 : upper(-5 + i * 0.25L);
        double expected = (double)(low - high) * COUNT;
        chi += (counts[i] - expected) * (counts[i] - expected) / expected;
    }
    fprintf(stderr, "chi-square %.2f, mean %.6f\n", chi, (double)sum / 65536 / COUNT);
    cr_assert_lt(chi, 85);
    cr_assert_lt(fabs((double)sum / 65536 / COUNT), 4 / sqrt(COUNT));
}
