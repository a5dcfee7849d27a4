// Every 32-bit draw of the normal distribution.

#include "math_test.h"
#include "weft_normal.h"

#include <math.h>

/// How far a magnitude is from the exact one of a tail, in ulp.
static long double error_of(uint64_t tail, uint32_t magnitude) {
    long double answer = magnitude / 65536.0L;
    long double exact = answer;
    for (int i = 0; i < 2; ++i) {
        long double above = erfcl(exact * 0.70710678118654752440084436210484903928L) / 2;
        long double density = expl(-exact * exact / 2) * 0.39894228040143267793994605993438186848L;
        exact += (above - (long double)tail * 0x1p-65L) / density;
    }
    return fabsl(exact - answer) * 65536;
}

/// All 2^31 tails that are not refined, upwards. Between two steps of the answer the error is
/// largest at one of them, so the exact function is asked at the steps only.
Test(normal_long, every_draw_is_exact_to_the_ulp, .timeout = 900) {
    uint64_t last = UINT64_C(32769) << 33 | UINT64_C(1) << 32;
    uint32_t before = weft__normal_magnitude(last);
    long double worst = error_of(last, before);
    for (uint64_t bits = 32770; bits < UINT64_C(1) << 31; ++bits) {
        uint64_t tail = bits << 33 | UINT64_C(1) << 32;
        uint32_t now = weft__normal_magnitude(tail);
        if (now != before) {
            cr_assert_lt(now, before, "tail %" PRIx64, tail);
            worst = fmaxl(worst, fmaxl(error_of(last, before), error_of(tail, now)));
            cr_assert_eq(before - now, 1, "nothing between %u and %u", now, before);
        }
        before = now;
        last = tail;
    }
    worst = fmaxl(worst, error_of(last, before));
    fprintf(stderr, "worst error %.6Lf ulp\n", worst);
    cr_assert_eq(before, 0);
    cr_assert_lt(worst, 0.501L);
}
