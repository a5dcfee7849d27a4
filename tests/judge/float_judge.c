// The errors of the pinned float32 functions, by MPFR.
//
//   float_judge STRIDE [FUNCTION...]
//
// Goes over every STRIDE-th float from the first on, and over the neighbours of special values. The
// exact value comes from libm's double, whose error is about 2^-28 ulp of a float; MPFR decides
// where that could matter: at every new maximum, and at a sample of all inputs, on which double and
// MPFR must agree. Prints the worst error of each function, and fails if it is over the stated one.
// Functions of two arguments are judged on 2^32 / STRIDE pairs.

#include "float_test.h"

#include <mpfr.h>
#include <string.h>
#include <time.h>

typedef int (*exact_unary)(mpfr_t out, const mpfr_t in, mpfr_rnd_t rounding);

typedef struct judged {
    const char* name;
    float (*one)(float a);
    void (*column)(float* out, const float* a, size_t n);
    double (*near)(double a);
    exact_unary exact;
    double bound; // ulp
} judged;

static const judged unary[] = {
    {"sin", weft_float_sin, weft_float_sin_column, sin, mpfr_sin, 0.52},
    {"cos", weft_float_cos, weft_float_cos_column, cos, mpfr_cos, 0.52},
    {"tan", weft_float_tan, weft_float_tan_column, tan, mpfr_tan, 0.52},
    {"atan", weft_float_atan, weft_float_atan_column, atan, mpfr_atan, 0.52},
    {"exp", weft_float_exp, weft_float_exp_column, exp, mpfr_exp, 0.52},
    {"log", weft_float_log, weft_float_log_column, log, mpfr_log, 0.52},
};

typedef struct verdict {
    uint64_t inputs;
    uint64_t not_nearest; // double decides: a few near ties may be counted wrong
    uint64_t by_mpfr;
    double worst;
    uint32_t at;
    uint32_t at_other;
    int failures;
} verdict;

static mpfr_t argument;
static mpfr_t other;
static mpfr_t exact; // left by a `settle` function

/// |got - exact| in ulp of the exact value, for a finite nonzero exact value.
static double exact_ulps(float got) {
    long exponent = mpfr_get_exp(exact) - 24;
    if (exponent < -149)
        exponent = -149;
    mpfr_sub_d(exact, exact, (double)got, MPFR_RNDN);
    mpfr_mul_2si(exact, exact, -exponent, MPFR_RNDN);
    return fabs(mpfr_get_d(exact, MPFR_RNDA));
}

/// Takes an error found by double.
static void take(verdict* v, const char* name, float got, double near, uint32_t a, uint32_t b,
                 void (*settle)(const void* which), const void* which) {
    double error = ulps(got, near);
    v->inputs++;
    v->not_nearest += error > 0.5;
    bool sampled = v->inputs % 4096 == 0;
    if ((error <= v->worst - 1e-6 && !sampled) || error == 0)
        return;
    mpfr_set_flt(argument, of(a), MPFR_RNDN);
    mpfr_set_flt(other, of(b), MPFR_RNDN);
    settle(which);
    v->by_mpfr++;
    if (!mpfr_number_p(exact) || mpfr_zero_p(exact)) {
        // A special value: the exact one must be the same, and `error` says whether it was.
        if (error != 0 && v->failures++ < 10)
            printf("%s(%08x, %08x) is %08x\n", name, a, b, bits_of(got));
        return;
    }
    bool is_limit = weft_float_is_nan(got) || !weft_float_is_finite(got);
    double settled = is_limit ? HUGE_VAL : exact_ulps(got);
    if (is_limit ? error != 0 : fabs(settled - error) > 1e-5) {
        if (v->failures++ < 10)
            printf("%s(%08x, %08x) is %08x: %.9f ulp by double, %.9f by MPFR\n", name, a, b,
                   bits_of(got), error, settled);
    }
    if (!is_limit && settled > v->worst) {
        v->worst = settled;
        v->at = a;
        v->at_other = b;
    }
}

static void settle_unary(const void* which) {
    const judged* f = which;
    f->exact(exact, argument, MPFR_RNDN);
}

static void judge_block(const judged* f, verdict* v, const float* in, size_t n) {
    static float out[4096];
    f->column(out, in, n);
    for (size_t i = 0; i < n; ++i) {
        take(v, f->name, out[i], f->near((double)in[i]), bits_of(in[i]), 0, settle_unary, f);
        if (i % 64 == 0 && bits_of(f->one(in[i])) != bits_of(out[i]) && v->failures++ < 10)
            printf("%s(%08x) differs in a column\n", f->name, bits_of(in[i]));
    }
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static bool report(const char* name, const verdict* v, double bound, double start) {
    bool good = v->failures == 0 && v->worst <= bound;
    printf("%-6s %10" PRIu64 " inputs, worst %.6f ulp at %08x %08x, %.4f%% not nearest, "
           "%" PRIu64 " by MPFR, %.0f s%s\n",
           name, v->inputs, v->worst, v->at, v->at_other,
           100 * (double)v->not_nearest / (double)v->inputs, v->by_mpfr, seconds() - start,
           good ? "" : ": FAILED");
    fflush(stdout);
    return good;
}

static bool judge(const judged* f, uint64_t stride) {
    static float in[4096];
    verdict v = {0};
    double start = seconds();
    size_t n = 0;
    for (int i = 0; i < FLOAT_EDGES; ++i) {
        for (uint32_t near = 0; near < 16; ++near) {
            in[n++] = of(float_edges[i] + near - 8);
        }
    }
    judge_block(f, &v, in, n);
    n = 0;
    for (uint64_t bits = 0; bits <= UINT32_MAX; bits += stride) {
        in[n++] = of((uint32_t)bits);
        if (n == 4096 || bits + stride > UINT32_MAX) {
            judge_block(f, &v, in, n);
            n = 0;
        }
    }
    return report(f->name, &v, f->bound, start);
}

static void settle_atan2(const void* which) {
    (void)which;
    mpfr_atan2(exact, argument, other, MPFR_RNDN);
}

static void settle_pow(const void* which) {
    (void)which;
    mpfr_pow(exact, argument, other, MPFR_RNDN);
}

/// Pairs for atan2: of any size, and a third of them near the diagonal.
static uint32_t beside(uint64_t* state, uint32_t y) {
    bool is_near = test_next(state) % 3 == 0;
    return is_near ? y + (uint32_t)(test_next(state) % 4096) - 2048 : random_bits(state);
}

/// Pairs for pow: of any size, and two thirds with a result in range, small and denormal ones too.
static uint32_t exponent_for(uint64_t* state, uint32_t a) {
    double logarithm = log2(fabs((double)of(a)));
    if (test_next(state) % 3 == 0 || !isfinite(logarithm) || logarithm == 0)
        return random_bits(state);
    double wanted = ((double)(test_next(state) >> 11) * 0x1p-52 - 1) * 152;
    return bits_of((float)(wanted / logarithm));
}

typedef struct judged_pair {
    const char* name;
    float (*two)(float a, float b);
    double (*near)(double a, double b);
    void (*settle)(const void* which);
    uint32_t (*partner)(uint64_t* state, uint32_t a);
    double bound; // ulp
} judged_pair;

static const judged_pair binary[] = {
    {"atan2", weft_float_atan2, atan2, settle_atan2, beside, 0.52},
    {"pow", weft_float_pow, pow, settle_pow, exponent_for, 0.52},
};

static bool judge_pair(const judged_pair* f, uint64_t count) {
    verdict v = {0};
    double start = seconds();
    uint64_t state = test_seed(f->name);
    for (uint64_t i = 0; i < count; ++i) {
        bool is_edge = i < FLOAT_EDGES * FLOAT_EDGES;
        uint32_t a = is_edge ? float_edges[i / FLOAT_EDGES] : random_bits(&state);
        uint32_t b = is_edge ? float_edges[i % FLOAT_EDGES] : f->partner(&state, a);
        double near = f->near((double)of(a), (double)of(b));
        take(&v, f->name, f->two(of(a), of(b)), near, a, b, f->settle, f);
    }
    return report(f->name, &v, f->bound, start);
}

/// The judge must be able to fail: an error of one bit in one result is seen.
static bool is_awake(void) {
    verdict v = {0};
    float wrong = of(bits_of(weft_float_sin(0.5f)) + 1);
    take(&v, "canary", wrong, sin(0.5), bits_of(0.5f), 0, settle_unary, &unary[0]);
    return v.worst > 0.52 && v.failures == 0;
}

static bool is_wanted(int argc, char** argv, const char* name) {
    for (int k = 2; k < argc; ++k) {
        if (strcmp(argv[k], name) == 0)
            return true;
    }
    return argc == 2;
}

int main(int argc, char** argv) {
    uint64_t stride = argc > 1 ? strtoull(argv[1], NULL, 0) : 0;
    if (stride == 0) {
        fprintf(stderr, "usage: float_judge STRIDE [FUNCTION...]\n");
        return 2;
    }
    mpfr_inits2(160, argument, other, exact, (mpfr_ptr)0);
    bool good = is_awake();
    if (!good)
        printf("the canary was not seen\n");
    int judged_count = 0;
    for (size_t i = 0; i < sizeof unary / sizeof unary[0]; ++i) {
        if (!is_wanted(argc, argv, unary[i].name))
            continue;
        ++judged_count;
        bool passed = judge(&unary[i], stride);
        good = good && passed;
    }
    for (size_t i = 0; i < sizeof binary / sizeof binary[0]; ++i) {
        if (!is_wanted(argc, argv, binary[i].name))
            continue;
        ++judged_count;
        bool passed = judge_pair(&binary[i], (UINT64_C(1) << 32) / stride);
        good = good && passed;
    }
    if (judged_count == 0)
        printf("no such function\n");
    mpfr_clears(argument, other, exact, (mpfr_ptr)0);
    mpfr_free_cache();
    return good && judged_count > 0 ? 0 : 1;
}
