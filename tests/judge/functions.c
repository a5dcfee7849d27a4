// The functions under test: how each is called, its double of the C library, its MPFR function and
// its edges by contract C9.

#include "judge.h"

#include "weft/elementary.h"

#include <math.h>

int64_t judge_min(const judge_function* function) {
    return function->bits == 16 ? INT32_MIN : INT64_MIN;
}

int64_t judge_max(const judge_function* function) {
    return function->bits == 16 ? INT32_MAX : INT64_MAX;
}

// Calls ------------------------------------------------------------------------------------------

#define ONE(name)                                                                                  \
    static int64_t call16_##name(int64_t a, int64_t b) {                                           \
        (void)b;                                                                                   \
        return weft_fixed_##name(weft_fixed_from_raw((int32_t)a)).raw;                             \
    }                                                                                              \
    static int64_t call32_##name(int64_t a, int64_t b) {                                           \
        (void)b;                                                                                   \
        return weft_fixed64_##name((weft_fixed64){a}).raw;                                         \
    }

#define TWO(name)                                                                                  \
    static int64_t call16_##name(int64_t a, int64_t b) {                                           \
        return weft_fixed_##name(weft_fixed_from_raw((int32_t)a), weft_fixed_from_raw((int32_t)b)) \
            .raw;                                                                                  \
    }                                                                                              \
    static int64_t call32_##name(int64_t a, int64_t b) {                                           \
        return weft_fixed64_##name((weft_fixed64){a}, (weft_fixed64){b}).raw;                      \
    }

ONE(rsqrt)
ONE(sin)
ONE(cos)
ONE(tan)
ONE(asin)
ONE(acos)
ONE(atan)
ONE(exp)
ONE(exp2)
ONE(log)
ONE(log2)
TWO(atan2)
TWO(pow)
TWO(hypot)

/// The sine, but for one result that is off by one ulp: the judge must find it.
static int64_t call_canary(int64_t a, int64_t b) {
    return call16_sin(a, b) + (a == 123456789);
}

// Doubles ----------------------------------------------------------------------------------------

#define ROUGH(name, expression)                                                                    \
    static double rough_##name(double a, double b) {                                               \
        (void)b;                                                                                   \
        return expression;                                                                         \
    }

ROUGH(rsqrt, 1 / sqrt(a))
ROUGH(sin, sin(a))
ROUGH(cos, cos(a))
ROUGH(tan, tan(a))
ROUGH(asin, asin(a))
ROUGH(acos, acos(a))
ROUGH(atan, atan(a))
ROUGH(exp, exp(a))
ROUGH(exp2, exp2(a))
ROUGH(log, log(a))
ROUGH(log2, log2(a))
ROUGH(atan2, atan2(a, b))
ROUGH(pow, pow(a, b))
ROUGH(hypot, hypot(a, b))

// MPFR -------------------------------------------------------------------------------------------

#define EXACT(name, function)                                                                      \
    static int exact_##name(mpfr_ptr result, mpfr_srcptr a, mpfr_srcptr b, mpfr_rnd_t round) {     \
        (void)b;                                                                                   \
        return function(result, a, round);                                                         \
    }

EXACT(rsqrt, mpfr_rec_sqrt)
EXACT(sin, mpfr_sin)
EXACT(cos, mpfr_cos)
EXACT(tan, mpfr_tan)
EXACT(asin, mpfr_asin)
EXACT(acos, mpfr_acos)
EXACT(atan, mpfr_atan)
EXACT(exp, mpfr_exp)
EXACT(exp2, mpfr_exp2)
EXACT(log, mpfr_log)
EXACT(log2, mpfr_log2)

#define exact_atan2 mpfr_atan2
#define exact_pow mpfr_pow
#define exact_hypot mpfr_hypot

// Edges ------------------------------------------------------------------------------------------

static bool none(const judge_function* function, int64_t a, int64_t b, int64_t* out) {
    (void)function, (void)a, (void)b, (void)out;
    return false;
}

static bool edge_rsqrt(const judge_function* function, int64_t a, int64_t b, int64_t* out) {
    (void)b;
    *out = a == 0 ? judge_max(function) : 0;
    return a <= 0;
}

static bool edge_log(const judge_function* function, int64_t a, int64_t b, int64_t* out) {
    (void)b;
    *out = a == 0 ? judge_min(function) : 0;
    return a <= 0;
}

/// The value at -1 or 1, from MPFR.
static int64_t at_end(const judge_function* function, int sign) {
    mpfr_t x;
    mpfr_init2(x, JUDGE_PRECISION);
    mpfr_set_si(x, sign, MPFR_RNDN);
    function->exact(x, x, x, MPFR_RNDN);
    mpfr_mul_2si(x, x, function->bits, MPFR_RNDN);
    int64_t raw = mpfr_get_si(x, MPFR_RNDN);
    mpfr_clear(x);
    return raw;
}

/// Outside -1..1: the value at the nearer end. A run is of one function, so its ends are kept.
static bool edge_arc(const judge_function* function, int64_t a, int64_t b, int64_t* out) {
    static const judge_function* kept;
    static int64_t low, high;
    int64_t one = INT64_C(1) << function->bits;
    (void)b;
    if (a >= -one && a <= one)
        return false;
    if (kept != function) {
        kept = function;
        low = at_end(function, -1);
        high = at_end(function, 1);
    }
    *out = a < 0 ? low : high;
    return true;
}

static bool edge_atan2(const judge_function* function, int64_t a, int64_t b, int64_t* out) {
    (void)function;
    *out = 0;
    return a == 0 && b == 0;
}

static bool edge_pow(const judge_function* function, int64_t a, int64_t b, int64_t* out) {
    int64_t one = INT64_C(1) << function->bits;
    if (b == 0 || a == 0) {
        *out = b == 0 ? one : b > 0 ? 0 : judge_max(function);
        return true;
    }
    *out = 0;
    return a < 0 && (b & (one - 1)) != 0;
}

#define BOTH(name, arity, bound16, bound32, edge)                                                  \
    {"fixed." #name, 16, arity, bound16, call16_##name, rough_##name, exact_##name, edge, true}, { \
        "fixed64." #name, 32, arity, bound32, call32_##name, rough_##name, exact_##name, edge,     \
            true                                                                                   \
    }

const judge_function judge_functions[] = {
    BOTH(rsqrt, 1, 0.5, 0.5, edge_rsqrt),
    BOTH(sin, 1, 0.5, 0.51, none),
    BOTH(cos, 1, 0.5, 0.51, none),
    BOTH(tan, 1, 0.5, 0.51, none),
    BOTH(asin, 1, 0.5, 0.51, edge_arc),
    BOTH(acos, 1, 0.5, 0.51, edge_arc),
    BOTH(atan, 1, 0.5, 0.51, none),
    BOTH(exp, 1, 0.5, 0.51, none),
    BOTH(exp2, 1, 0.5, 0.51, none),
    BOTH(log, 1, 0.5, 0.51, edge_log),
    BOTH(log2, 1, 0.5, 0.51, edge_log),
    BOTH(atan2, 2, 0.51, 0.51, edge_atan2),
    BOTH(pow, 2, 0.51, 0.51, edge_pow),
    BOTH(hypot, 2, 0.5, 0.5, none),
    {"canary", 16, 1, 0.5, call_canary, rough_sin, exact_sin, none, false},
};
const int judge_function_count = sizeof judge_functions / sizeof judge_functions[0];
