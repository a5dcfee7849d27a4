// Columns of pinned numbers: the bodies one by one, in loops that the compiler makes wide. Which
// width runs does not show in the bits: nothing is summed up across elements.

#include "pinned_core.h"

// An element of `out` depends on the same element of the arguments alone, so that `out` may be one
// of them; the compiler is told, as it would otherwise test for it and give up. clang warns where
// it is told in vain, so not on machines without vectors.
#if defined(__clang__) && !defined(__SSE2__) && !defined(__ARM_NEON)
#define EACH(n) for (size_t i = 0; i < (n); i++)
#elif defined(__clang__)
#define EACH(n) _Pragma("clang loop vectorize(assume_safety)") for (size_t i = 0; i < (n); i++)
#else
#define EACH(n) _Pragma("GCC ivdep") for (size_t i = 0; i < (n); i++)
#endif

WEFT__WIDE void weft_float_add_column(float* out, const float* a, const float* b, size_t n) {
    EACH(n)
    out[i] = weft_float_add(a[i], b[i]);
}

WEFT__WIDE void weft_float_sub_column(float* out, const float* a, const float* b, size_t n) {
    EACH(n)
    out[i] = weft_float_sub(a[i], b[i]);
}

WEFT__WIDE void weft_float_mul_column(float* out, const float* a, const float* b, size_t n) {
    EACH(n)
    out[i] = weft_float_mul(a[i], b[i]);
}

WEFT__WIDE void weft_float_div_column(float* out, const float* a, const float* b, size_t n) {
    EACH(n)
    out[i] = weft_float_div(a[i], b[i]);
}

WEFT__WIDE void weft_float_min_column(float* out, const float* a, const float* b, size_t n) {
    EACH(n)
    out[i] = weft_float_min(a[i], b[i]);
}

WEFT__WIDE void weft_float_max_column(float* out, const float* a, const float* b, size_t n) {
    EACH(n)
    out[i] = weft_float_max(a[i], b[i]);
}

WEFT__WIDE void weft_float_muladd_column(float* out, const float* a, const float* b, const float* c,
                                         size_t n) {
    EACH(n)
    out[i] = weft_float_muladd(a[i], b[i], c[i]);
}

WEFT__WIDE void weft_float_lerp_column(float* out, const float* a, const float* b, const float* t,
                                       size_t n) {
    EACH(n)
    out[i] = weft_float_lerp(a[i], b[i], t[i]);
}

WEFT__WIDE void weft_float_clamp_column(float* out, const float* a, float low, float high,
                                        size_t n) {
    WEFT_CHECK(low <= high);
    EACH(n)
    out[i] = weft_float_clamp(a[i], low, high);
}

WEFT__WIDE void weft_float_sqrt_column(float* out, const float* a, size_t n) {
    EACH(n)
    out[i] = weft_float_canonical(__builtin_sqrtf(a[i]));
}

WEFT__WIDE void weft_float_from_fixed_column(float* out, const weft_fixed* a, size_t n) {
    EACH(n)
    out[i] = weft_float_from_fixed(a[i]);
}

WEFT__WIDE void weft_float_to_fixed_column(weft_fixed* out, const float* a, size_t n) {
    EACH(n)
    out[i] = weft_float_to_fixed(a[i]);
}

WEFT__WIDE void weft_float_sin_column(float* out, const float* a, size_t n) {
    EACH(n)
    out[i] = weft_float_from_bits(weft__sine_bits(weft_float_to_bits(a[i]), 0));
}

WEFT__WIDE void weft_float_cos_column(float* out, const float* a, size_t n) {
    EACH(n)
    out[i] = weft_float_from_bits(weft__sine_bits(weft_float_to_bits(a[i]), 1));
}

WEFT__WIDE void weft_float_exp_column(float* out, const float* a, size_t n) {
    EACH(n)
    out[i] = weft_float_from_bits(weft__exp_bits(weft_float_to_bits(a[i])));
}

WEFT__WIDE void weft_float_log_column(float* out, const float* a, size_t n) {
    EACH(n)
    out[i] = weft_float_from_bits(weft__log_bits(weft_float_to_bits(a[i])));
}

// Integer division and branches: these stay as they are.
void weft_float_tan_column(float* out, const float* a, size_t n) {
    for (size_t i = 0; i < n; i++)
        out[i] = weft_float_tan(a[i]);
}

void weft_float_atan_column(float* out, const float* a, size_t n) {
    for (size_t i = 0; i < n; i++)
        out[i] = weft_float_atan(a[i]);
}

void weft_float_atan2_column(float* out, const float* y, const float* x, size_t n) {
    for (size_t i = 0; i < n; i++)
        out[i] = weft_float_atan2(y[i], x[i]);
}

void weft_float_pow_column(float* out, const float* a, const float* b, size_t n) {
    for (size_t i = 0; i < n; i++)
        out[i] = weft_float_pow(a[i], b[i]);
}
