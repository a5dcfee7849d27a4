// The tables of math/elementary_tables.h and the constants of elementary_kernel.h, computed with
// MPFR. `judge_tables check` compares what is compiled in with what it computes, number by number;
// `canary` does the same with one number off by one, and succeeds if just that is found;
// `print-circle` and `print-log` write math/tables_circle.c and math/tables_log.c, but for the
// formatting.

#include "elementary_kernel.h"

#include <inttypes.h>
#include <mpfr.h>
#include <stdio.h>
#include <string.h>

enum {
    PRECISION = 320,
    TERMS_MAX = 8,
    ROW = 4
};

static bool checking, canary;
static uint64_t compared, wrong;

// Output -----------------------------------------------------------------------------------------

static void compare(const char* name, int index, bool equal) {
    ++compared;
    if (equal)
        return;
    ++wrong;
    printf("%s[%d] differs\n", name, index);
}

/// `x` times 2^scale, to nearest, as a two's complement number of 128 bits.
static weft__u128 scaled(mpfr_t x, int scale) {
    mpz_t whole, word;
    mpz_inits(whole, word, NULL);
    mpfr_t wide;
    mpfr_init2(wide, PRECISION);
    mpfr_mul_2si(wide, x, scale, MPFR_RNDN);
    mpfr_get_z(whole, wide, MPFR_RNDN);
    mpz_fdiv_r_2exp(word, whole, 64);
    weft__u128 result = {.low = mpz_get_ui(word)};
    mpz_fdiv_q_2exp(whole, whole, 64);
    mpz_fdiv_r_2exp(word, whole, 64);
    result.high = mpz_get_ui(word);
    mpz_clears(whole, word, NULL);
    mpfr_clear(wide);
    return result;
}

// Pieces -----------------------------------------------------------------------------------------

typedef void piece_function(mpfr_t x);

/// sin(x pi/2)
static void sine(mpfr_t x) {
    mpfr_t pi;
    mpfr_init2(pi, PRECISION);
    mpfr_const_pi(pi, MPFR_RNDN);
    mpfr_mul(x, x, pi, MPFR_RNDN);
    mpfr_div_ui(x, x, 2, MPFR_RNDN);
    mpfr_sin(x, x, MPFR_RNDN);
    mpfr_clear(pi);
}

static void arctangent(mpfr_t x) {
    mpfr_atan(x, x, MPFR_RNDN);
}

/// tan(x pi/2) / (2 x)
static void tangent(mpfr_t x) {
    mpfr_t angle;
    mpfr_init2(angle, PRECISION);
    mpfr_const_pi(angle, MPFR_RNDN);
    mpfr_mul(angle, angle, x, MPFR_RNDN);
    mpfr_div_ui(angle, angle, 2, MPFR_RNDN);
    mpfr_tan(angle, angle, MPFR_RNDN);
    mpfr_div(x, angle, x, MPFR_RNDN);
    mpfr_div_ui(x, x, 2, MPFR_RNDN);
    mpfr_clear(angle);
}

/// The polynomial through the Chebyshev nodes of 0..1: Newton's divided differences, expanded.
static void interpolate(piece_function* function, int index, int segments, int terms,
                        mpfr_t coefficient[]) {
    mpfr_t node[TERMS_MAX], gap;
    mpfr_init2(gap, PRECISION);
    for (int k = 0; k < terms; ++k) {
        mpfr_init2(node[k], PRECISION);
        mpfr_const_pi(node[k], MPFR_RNDN);
        mpfr_mul_ui(node[k], node[k], (unsigned long)(2 * k + 1), MPFR_RNDN);
        mpfr_div_ui(node[k], node[k], (unsigned long)(2 * terms), MPFR_RNDN);
        mpfr_cos(node[k], node[k], MPFR_RNDN);
        mpfr_ui_sub(node[k], 1, node[k], MPFR_RNDN);
        mpfr_div_ui(node[k], node[k], 2, MPFR_RNDN);
        mpfr_add_ui(coefficient[k], node[k], (unsigned long)index, MPFR_RNDN);
        mpfr_div_ui(coefficient[k], coefficient[k], (unsigned long)segments, MPFR_RNDN);
        function(coefficient[k]);
    }
    for (int order = 1; order < terms; ++order) {
        for (int k = terms - 1; k >= order; --k) {
            mpfr_sub(coefficient[k], coefficient[k], coefficient[k - 1], MPFR_RNDN);
            mpfr_sub(gap, node[k], node[k - order], MPFR_RNDN);
            mpfr_div(coefficient[k], coefficient[k], gap, MPFR_RNDN);
        }
    }
    for (int order = terms - 2; order >= 0; --order) {
        for (int k = order; k < terms - 1; ++k) {
            mpfr_mul(gap, coefficient[k + 1], node[order], MPFR_RNDN);
            mpfr_sub(coefficient[k], coefficient[k], gap, MPFR_RNDN);
        }
    }
    for (int k = 0; k < terms; ++k)
        mpfr_clear(node[k]);
    mpfr_clear(gap);
}

static void pieces(const char* name, const char* terms_name, piece_function* function, int segments,
                   int terms, const int64_t* compiled) {
    mpfr_t coefficient[TERMS_MAX];
    for (int k = 0; k < terms; ++k)
        mpfr_init2(coefficient[k], PRECISION);
    if (!checking)
        printf("\nconst int64_t %s[64][%s] = {\n", name, terms_name);
    for (int i = 0; i < 64; ++i) {
        interpolate(function, i, segments, terms, coefficient);
        if (!checking)
            printf("{");
        for (int k = 0; k < terms; ++k) {
            int64_t value = (int64_t)scaled(coefficient[k], 62).low;
            value += canary && function == tangent && i == 63 && k == terms - 1;
            if (checking)
                compare(name, i, compiled[i * terms + k] == value);
            else
                printf("%" PRId64 "%s", value, k + 1 < terms ? ", " : "},\n");
        }
    }
    if (!checking)
        printf("};\n");
    for (int k = 0; k < terms; ++k)
        mpfr_clear(coefficient[k]);
}

// Exponential ------------------------------------------------------------------------------------

static void exp2_tables(void) {
    mpfr_t x;
    mpfr_init2(x, PRECISION);
    if (!checking)
        printf("\nconst weft__u128 weft__exp2_coarse[128] = {\n");
    for (int i = 0; i < 128; ++i) {
        mpfr_set_si_2exp(x, i, -7, MPFR_RNDN);
        mpfr_exp2(x, x, MPFR_RNDN);
        weft__u128 value = scaled(x, 126);
        weft__u128 compiled = weft__exp2_coarse[i];
        if (checking)
            compare("weft__exp2_coarse", i,
                    compiled.high == value.high && compiled.low == value.low);
        else
            printf("{0x%016" PRIx64 ", 0x%016" PRIx64 "},\n", value.high, value.low);
    }
    if (!checking)
        printf("};\n\nconst uint64_t weft__exp2_fine[128] = {\n");
    for (int j = 0; j < 128; ++j) {
        mpfr_set_si_2exp(x, j, -14, MPFR_RNDN);
        mpfr_exp2(x, x, MPFR_RNDN);
        mpfr_sub_ui(x, x, 1, MPFR_RNDN);
        uint64_t value = scaled(x, 71).low;
        if (checking)
            compare("weft__exp2_fine", j, weft__exp2_fine[j] == value);
        else
            printf("0x%016" PRIx64 ",%s", value, j % ROW == ROW - 1 ? "\n" : " ");
    }
    if (!checking)
        printf("};\n");
    mpfr_clear(x);
}

// Logarithm --------------------------------------------------------------------------------------

/// The factor nearest to 1/middle in steps of 2^-bits.
static uint64_t nearest_factor(mpfr_t middle, int bits) {
    mpfr_ui_div(middle, 1, middle, MPFR_RNDN);
    return scaled(middle, bits).low;
}

static void log_step(const char* name, int index, uint64_t factor, int bits,
                     const weft__log_step* compiled) {
    mpfr_t x;
    mpfr_init2(x, PRECISION);
    mpfr_set_ui_2exp(x, factor, -bits, MPFR_RNDN);
    mpfr_log2(x, x, MPFR_RNDN);
    mpfr_neg(x, x, MPFR_RNDN);
    weft__u128 log = scaled(x, 120);
    if (checking)
        compare(name, index,
                compiled->factor == factor && compiled->log.high == log.high &&
                    compiled->log.low == log.low);
    else
        printf("{%" PRIu64 ", {0x%016" PRIx64 ", 0x%016" PRIx64 "}},\n", factor, log.high, log.low);
    mpfr_clear(x);
}

static void log_tables(void) {
    mpfr_t middle;
    mpfr_init2(middle, PRECISION);
    if (!checking)
        printf("\nconst weft__log_step weft__log_coarse[128] = {\n");
    for (int i = 0; i < 128; ++i) {
        mpfr_set_si_2exp(middle, 2 * i + 1 + 256, -8, MPFR_RNDN);
        uint64_t factor = nearest_factor(middle, 10);
        factor = i == 0 ? 1024 : i == 127 ? 512 : factor;
        log_step("weft__log_coarse", i, factor, 10, &weft__log_coarse[i]);
    }
    if (!checking)
        printf("};\n\nconst weft__log_step weft__log_fine[WEFT__LOG_FINE_COUNT] = {\n");
    for (int index = 0; index < WEFT__LOG_FINE_COUNT; ++index) {
        int j = index + WEFT__LOG_FINE_LOW;
        mpfr_set_si_2exp(middle, 2 * j + 1 + 32768, -15, MPFR_RNDN);
        uint64_t factor = nearest_factor(middle, 21);
        factor = j == 0 || j == -1 ? 1 << 21 : factor;
        log_step("weft__log_fine", index, factor, 21, &weft__log_fine[index]);
    }
    if (!checking)
        printf("};\n");
    mpfr_clear(middle);
}

static void reciprocal_table(void) {
    if (!checking)
        printf("\nconst uint16_t weft__reciprocal_start[256] = {\n");
    for (int i = 0; i < 256; ++i) {
        int value = ((1 << 19) - 3 * (1 << 8)) / (256 + i);
        if (checking)
            compare("weft__reciprocal_start", i, weft__reciprocal_start[i] == value);
        else
            printf("%d,%s", value, i % 16 == 15 ? "\n" : " ");
    }
    if (!checking)
        printf("};\n");
}

/// One constant of the kernels, in steps of 2^-scale.
static void constant(const char* name, mpfr_t exact, int scale, weft__u128 compiled) {
    weft__u128 value = scaled(exact, scale);
    compare(name, scale, compiled.high == value.high && compiled.low == value.low);
}

static weft__u128 word(uint64_t low) {
    return (weft__u128){0, low};
}

static void circle_constants(mpfr_t x) {
    mpfr_const_pi(x, MPFR_RNDN);
    constant("weft__pi", x, 64, weft__pi);
    mpfr_div_ui(x, x, 2, MPFR_RNDN);
    constant("weft__half_pi", x, 64, weft__half_pi);
    mpfr_div_ui(x, x, 2, MPFR_RNDN);
    constant("weft__quarter_pi", x, 64, weft__quarter_pi);
    mpfr_const_pi(x, MPFR_RNDN);
    mpfr_div_ui(x, x, 6, MPFR_RNDN);
    constant("weft__pi_sixth", x, 64, word(weft__pi_sixth));
    mpfr_const_pi(x, MPFR_RNDN);
    mpfr_ui_div(x, 2, x, MPFR_RNDN);
    constant("weft__two_over_pi_half", x, 127, weft__two_over_pi_half);
    constant("weft__two_over_pi", x, 192, (weft__u128){weft__two_over_pi[1], weft__two_over_pi[2]});
    mpfr_mul_2si(x, x, 64, MPFR_RNDN);
    mpfr_floor(x, x);
    constant("weft__two_over_pi", x, 0, word(weft__two_over_pi[0]));
}

static void log_constants(mpfr_t x) {
    mpfr_const_log2(x, MPFR_RNDN);
    constant("weft__ln_2", x, 64, word(weft__ln_2));
    mpfr_ui_div(x, 1, x, MPFR_RNDN);
    constant("weft__log2_e", x, 120, weft__log2_e);
    mpfr_sub_ui(x, x, 1, MPFR_RNDN);
    constant("weft__log2_e_less_1", x, 128, weft__log2_e_less_1);
    static const struct {
        const char* name;
        unsigned long divisor;
        int scale;
        const uint64_t* compiled;
    } ratios[] = {
        {"weft__third_63", 3, 63, &weft__third_63}, {"weft__fifth_63", 5, 63, &weft__fifth_63},
        {"weft__sixth_63", 6, 63, &weft__sixth_63}, {"weft__sixth_64", 6, 64, &weft__sixth_64},
        {"weft__24th_64", 24, 64, &weft__24th_64},
    };
    for (size_t i = 0; i < sizeof ratios / sizeof ratios[0]; ++i) {
        mpfr_set_ui(x, 1, MPFR_RNDN);
        mpfr_div_ui(x, x, ratios[i].divisor, MPFR_RNDN);
        constant(ratios[i].name, x, ratios[i].scale, word(*ratios[i].compiled));
    }
}

static void check_constants(void) {
    mpfr_t x;
    mpfr_init2(x, PRECISION);
    circle_constants(x);
    log_constants(x);
    mpfr_clear(x);
}

static void circle_tables(void) {
    pieces("weft__sine_pieces", "WEFT__SINE_TERMS", sine, 64, WEFT__SINE_TERMS,
           weft__sine_pieces[0]);
    pieces("weft__arctangent_pieces", "WEFT__ARCTANGENT_TERMS", arctangent, 64,
           WEFT__ARCTANGENT_TERMS, weft__arctangent_pieces[0]);
    pieces("weft__tangent_pieces", "WEFT__TANGENT_TERMS", tangent, 128, WEFT__TANGENT_TERMS,
           weft__tangent_pieces[0]);
    reciprocal_table();
}

int main(int argc, char** argv) {
    const char* what = argc == 2 ? argv[1] : "";
    canary = strcmp(what, "canary") == 0;
    checking = canary || strcmp(what, "check") == 0;
    bool circle = checking || strcmp(what, "print-circle") == 0;
    bool log = checking || strcmp(what, "print-log") == 0;
    if (!circle && !log) {
        fprintf(stderr, "usage: judge_tables check|canary|print-circle|print-log\n");
        return 2;
    }
    if (!checking)
        printf("// Written by tests/judge/tables.c %s.\n#include \"elementary_tables.h\"\n", what);
    if (circle)
        circle_tables();
    if (log) {
        exp2_tables();
        log_tables();
    }
    if (checking)
        check_constants();
    mpfr_free_cache();
    if (checking)
        printf("%" PRIu64 " numbers compared, %" PRIu64 " wrong\n", compared, wrong);
    return wrong != (canary ? 1 : 0) || fflush(stdout) != 0;
}
