/// Pinned float32: arithmetic on `float` that gives the same bits on every machine.
///
/// Only + - * / and the square root of IEEE 754, to nearest with ties to even, without contraction,
/// excess precision or flushed denormals, and functions built of these and of integer operations in
/// a fixed order (C9, tier T2 of C10). Every NaN result is the one NaN WEFT_FLOAT_NAN_BITS: which
/// NaN an instruction gives differs between machines. Pure functions, callable from any thread
/// whose rounding mode and denormals are as at the start of a program.
///
/// A unit that includes this is compiled with -ffp-contract=off and without -ffast-math and its
/// parts, on 32-bit x86 also with -msse2 -mfpmath=sse. What a macro tells is refused here; the
/// rest, and the state of the processor, by weft_float_self_test. Operators on `float` in such a
/// unit are pinned too, except for the bits of a NaN.
#pragma once

#include "weft/base.h"
#include "weft/fixed.h"

#include <float.h>
#include <string.h>

#if FLT_RADIX != 2 || FLT_MANT_DIG != 24 || FLT_MAX_EXP != 128 || FLT_MIN_EXP != -125
#error "pinned float32 needs the binary32 format of IEEE 754"
#endif
// 16 widens or keeps only _Float16: gcc says so where the processor has that type.
#if FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 16
#error "pinned float32 needs FLT_EVAL_METHOD 0: -msse2 -mfpmath=sse on x86, -std=gnu17 on s390x"
#endif
#ifdef __FAST_MATH__
#error "pinned float32 does not work with -ffast-math or -Ofast"
#endif
#if defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
#error "pinned float32 does not work with -ffinite-math-only"
#endif
#if defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__)
#error "pinned float32 does not work with -funsafe-math-optimizations or a part of it"
#endif
#ifdef __NO_SIGNED_ZEROS__
#error "pinned float32 does not work with -fno-signed-zeros"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// The bits of the one NaN that results are.
#define WEFT_FLOAT_NAN_BITS 0x7fc00000u

/// A vector in the plane.
typedef struct weft_float2 {
    float x;
    float y;
} weft_float2;

/// A vector in space.
typedef struct weft_float3 {
    float x;
    float y;
    float z;
} weft_float3;

/// The number with these bits, as it is.
static inline float weft_float_from_bits(uint32_t bits) {
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

/// The bits of a number, as they are.
static inline uint32_t weft_float_to_bits(float a) {
    uint32_t bits;
    memcpy(&bits, &a, sizeof bits);
    return bits;
}

static inline uint32_t weft__float_magnitude(float a) {
    return weft_float_to_bits(a) & 0x7fffffffu;
}

/// Whether a is a NaN, of any bits.
static inline bool weft_float_is_nan(float a) {
    return weft__float_magnitude(a) > 0x7f800000u;
}

/// Whether a is neither an infinity nor a NaN.
static inline bool weft_float_is_finite(float a) {
    return weft__float_magnitude(a) < 0x7f800000u;
}

/// a, or the one NaN for any NaN.
///
/// Also what keeps a product a value of its own: as it is needed for the comparison, neither gcc
/// nor clang contracts it with a later sum, even under -ffp-contract=fast, and loops of it still
/// vectorise. gcc's __builtin_assoc_barrier is dropped by its vectoriser, and an `asm` stops it.
static inline float weft_float_canonical(float a) {
    // Bits and no selection: gcc would make branches of some, and loops with them stay narrow.
    uint32_t is_nan = 0u - (uint32_t)(a != a);
    return weft_float_from_bits((weft_float_to_bits(a) & ~is_nan) | (WEFT_FLOAT_NAN_BITS & is_nan));
}

/// a + b, correctly rounded.
static inline float weft_float_add(float a, float b) {
    return weft_float_canonical(a + b);
}

/// a - b, correctly rounded.
static inline float weft_float_sub(float a, float b) {
    return weft_float_canonical(a - b);
}

/// a * b, correctly rounded.
static inline float weft_float_mul(float a, float b) {
    return weft_float_canonical(a * b);
}

/// a / b, correctly rounded. x/0 is an infinity, 0/0 is NaN.
static inline float weft_float_div(float a, float b) {
    return weft_float_canonical(a / b);
}

/// a * b rounded, + c rounded: never fused.
static inline float weft_float_muladd(float a, float b, float c) {
    return weft_float_add(weft_float_mul(a, b), c);
}

WEFT_API float weft__float_sqrt(float a);

/// The square root, correctly rounded. That of -0 is -0, that of a negative number is NaN.
static inline float weft_float_sqrt(float a) {
    // With errno it would be a call of libm for negative numbers, which the user would have to
    // link.
#if defined(__NO_MATH_ERRNO__) && defined(__OPTIMIZE__)
    return weft_float_canonical(__builtin_sqrtf(a));
#else
    return weft__float_sqrt(a);
#endif
}

/// -a: the sign flipped, that of a zero too.
static inline float weft_float_neg(float a) {
    return weft_float_canonical(-a);
}

/// |a|.
static inline float weft_float_abs(float a) {
    return weft_float_canonical(weft_float_from_bits(weft__float_magnitude(a)));
}

/// a if a < b, else b: b of two zeros, and b if either is NaN.
static inline float weft_float_min(float a, float b) {
    return weft_float_canonical(a < b ? a : b);
}

/// a if a > b, else b: b of two zeros, and b if either is NaN.
static inline float weft_float_max(float a, float b) {
    return weft_float_canonical(a > b ? a : b);
}

/// low if a < low, high if a > high, else a: NaN stays NaN, and a zero keeps its sign. low <= high,
/// so neither is NaN.
static inline float weft_float_clamp(float a, float low, float high) {
    WEFT_CHECK(low <= high);
    float above = a < low ? low : a;
    return weft_float_canonical(above > high ? high : above);
}

/// (1 - t) * a + t * b, each operation rounded: exactly a at t = 0 and b at t = 1 for finite a and
/// b (a zero may lose its sign), and without overflow between.
static inline float weft_float_lerp(float a, float b, float t) {
    return weft_float_add(weft_float_mul(1.0f - t, a), weft_float_mul(t, b));
}

/// `yes` if the condition holds, else `no`, without a branch.
static inline float weft__float_select(bool condition, float yes, float no) {
    uint32_t mask = 0u - (uint32_t)condition;
    return weft_float_from_bits((weft_float_to_bits(yes) & mask) |
                                (weft_float_to_bits(no) & ~mask));
}

static inline float weft__float_with_sign(float magnitude, float sign) {
    return weft_float_from_bits(weft_float_to_bits(magnitude) |
                                (weft_float_to_bits(sign) & 0x80000000u));
}

/// a without its fraction, as it is where it has none; a zero keeps its sign.
static inline float weft_float_trunc(float a) {
    // From 2^23 on there are no fractions. A NaN is not below it.
    float magnitude = weft_float_from_bits(weft__float_magnitude(a));
    bool is_small = magnitude < 8388608.0f;
    float whole = (float)(int32_t)weft__float_select(is_small, magnitude, 0.0f);
    return weft_float_canonical(weft__float_select(is_small, weft__float_with_sign(whole, a), a));
}

/// The largest whole number that is not above a. That of -0 is -0.
static inline float weft_float_floor(float a) {
    float whole = weft_float_trunc(a);
    return weft__float_select(whole > a, whole - 1.0f, whole);
}

/// The smallest whole number that is not below a. That of -0.5 and of -0 is -0.
static inline float weft_float_ceil(float a) {
    float whole = weft_float_trunc(a);
    return weft__float_select(whole < a, whole + 1.0f, whole);
}

/// The nearest whole number, ties to even; the sign is kept, that of a zero too.
static inline float weft_float_round(float a) {
    float magnitude = weft_float_from_bits(weft__float_magnitude(a));
    bool is_small = magnitude < 8388608.0f;
    // The sum has no room for a fraction.
    float whole = (weft__float_select(is_small, magnitude, 0.0f) + 8388608.0f) - 8388608.0f;
    return weft_float_canonical(weft__float_select(is_small, weft__float_with_sign(whole, a), a));
}

/// The nearest number to a whole one, ties to even.
static inline float weft_float_from_int32(int32_t whole) {
    return (float)whole;
}

/// The nearest whole number, ties to even, saturating. That of NaN is 0. For other roundings,
/// weft_float_trunc or weft_float_floor first.
static inline int32_t weft_float_to_int32(float a) {
    float whole = weft_float_round(a);
    uint32_t above = 0u - (uint32_t)(whole >= 2147483648.0f);
    uint32_t below = 0u - (uint32_t)(whole < -2147483648.0f);
    bool fits = (above | below | (uint32_t)(whole != whole)) == 0;
    int32_t number = (int32_t)weft__float_select(fits, whole, 0.0f);
    return (int32_t)((uint32_t)number | (above & 0x7fffffffu) | (below & 0x80000000u));
}

/// The nearest number to a Q16.16 one, ties to even.
static inline float weft_float_from_fixed(weft_fixed a) {
    return (float)a.raw * (1.0f / 65536.0f);
}

/// The nearest Q16.16 number, ties to even, saturating. That of NaN is 0.
static inline weft_fixed weft_float_to_fixed(float a) {
    // Exact, or an infinity that saturates.
    return weft_fixed_from_raw(weft_float_to_int32(a * 65536.0f));
}

/// Sine, cosine and tangent of an angle in radians, of any size. An infinity gives NaN. Within
/// 0.52 ulp of the exact value, over all inputs.
WEFT_API float weft_float_sin(float a);
WEFT_API float weft_float_cos(float a);
WEFT_API float weft_float_tan(float a);

/// The arc tangent, -pi/2..pi/2. Within 0.52 ulp of the exact value, over all inputs.
WEFT_API float weft_float_atan(float a);

/// a to the power of b. Within 0.52 ulp of the exact value, denormal results included; special
/// values as in Annex F of C: 1 to any power and anything to the power 0 are 1, NaN too; a negative
/// number to a power that is not whole is NaN.
WEFT_API float weft_float_pow(float a, float b);

/// The angle of (x, y) with the x axis, -pi..pi, with the signs of zeros and the infinities as in
/// Annex F of C. Within 0.52 ulp of the exact value, denormal results included.
WEFT_API float weft_float_atan2(float y, float x);

/// e to the power of a. Within 0.52 ulp of the exact value, over all inputs, denormal results
/// included; infinity from 88.72284 on, 0 from -103.97209 on down.
WEFT_API float weft_float_exp(float a);

/// The natural logarithm. That of a zero is -infinity, that of a negative number NaN. Within
/// 0.52 ulp of the exact value, over all inputs.
WEFT_API float weft_float_log(float a);

/// a + b, component by component.
static inline weft_float2 weft_float2_add(weft_float2 a, weft_float2 b) {
    weft_float2 sum = {weft_float_add(a.x, b.x), weft_float_add(a.y, b.y)};
    return sum;
}
static inline weft_float3 weft_float3_add(weft_float3 a, weft_float3 b) {
    weft_float3 sum = {weft_float_add(a.x, b.x), weft_float_add(a.y, b.y),
                       weft_float_add(a.z, b.z)};
    return sum;
}

/// a - b, component by component.
static inline weft_float2 weft_float2_sub(weft_float2 a, weft_float2 b) {
    weft_float2 difference = {weft_float_sub(a.x, b.x), weft_float_sub(a.y, b.y)};
    return difference;
}
static inline weft_float3 weft_float3_sub(weft_float3 a, weft_float3 b) {
    weft_float3 difference = {weft_float_sub(a.x, b.x), weft_float_sub(a.y, b.y),
                              weft_float_sub(a.z, b.z)};
    return difference;
}

/// a * factor, component by component.
static inline weft_float2 weft_float2_scale(weft_float2 a, float factor) {
    weft_float2 product = {weft_float_mul(a.x, factor), weft_float_mul(a.y, factor)};
    return product;
}
static inline weft_float3 weft_float3_scale(weft_float3 a, float factor) {
    weft_float3 product = {weft_float_mul(a.x, factor), weft_float_mul(a.y, factor),
                           weft_float_mul(a.z, factor)};
    return product;
}

/// The dot product: a.x * b.x + a.y * b.y, and (a.x * b.x + a.y * b.y) + a.z * b.z, each operation
/// rounded.
static inline float weft_float2_dot(weft_float2 a, weft_float2 b) {
    return weft_float_add(weft_float_mul(a.x, b.x), weft_float_mul(a.y, b.y));
}
static inline float weft_float3_dot(weft_float3 a, weft_float3 b) {
    float xy = weft_float_mul(a.x, b.x) + weft_float_mul(a.y, b.y);
    return weft_float_add(xy, weft_float_mul(a.z, b.z));
}

/// a.x * b.y - a.y * b.x, each operation rounded: the z of the cross product in space.
static inline float weft_float2_cross(weft_float2 a, weft_float2 b) {
    return weft_float_sub(weft_float_mul(a.x, b.y), weft_float_mul(a.y, b.x));
}

/// The cross product: x is a.y * b.z - a.z * b.y, and so on in a circle; each operation rounded.
static inline weft_float3 weft_float3_cross(weft_float3 a, weft_float3 b) {
    weft_float3 product = {
        weft_float_sub(weft_float_mul(a.y, b.z), weft_float_mul(a.z, b.y)),
        weft_float_sub(weft_float_mul(a.z, b.x), weft_float_mul(a.x, b.z)),
        weft_float_sub(weft_float_mul(a.x, b.y), weft_float_mul(a.y, b.x)),
    };
    return product;
}

/// The exponent field, 1..253, of a power of two near the largest component, whose reciprocal is a
/// normal number too. A vector divided by it has no square that overflows, and none that underflows
/// unless it is negligible.
static inline uint32_t weft__float_scale(uint32_t largest) {
    uint32_t exponent = largest >> 23;
    exponent = exponent < 1 ? 1 : exponent;
    return exponent > 253 ? 253 : exponent;
}
static inline uint32_t weft__float2_scale(weft_float2 a) {
    uint32_t x = weft__float_magnitude(a.x);
    uint32_t y = weft__float_magnitude(a.y);
    return weft__float_scale(x > y ? x : y);
}
static inline uint32_t weft__float3_scale(weft_float3 a) {
    uint32_t x = weft__float_magnitude(a.x);
    uint32_t y = weft__float_magnitude(a.y);
    uint32_t z = weft__float_magnitude(a.z);
    uint32_t xy = x > y ? x : y;
    return weft__float_scale(xy > z ? xy : z);
}

/// The length: with a scaled by a power of two, so that nothing overflows or underflows before the
/// result does, the square root of weft_float2_dot(a, a) or weft_float3_dot(a, a). Within 2 ulp of
/// the exact one in the plane and 2.5 ulp in space, over the whole range. Infinity if a component
/// is infinite and none is NaN.
static inline float weft_float2_length(weft_float2 a) {
    uint32_t scale = weft__float2_scale(a);
    weft_float2 scaled = weft_float2_scale(a, weft_float_from_bits((254u - scale) << 23));
    float root = weft_float_sqrt(weft_float2_dot(scaled, scaled));
    return weft_float_mul(root, weft_float_from_bits(scale << 23));
}
static inline float weft_float3_length(weft_float3 a) {
    uint32_t scale = weft__float3_scale(a);
    weft_float3 scaled = weft_float3_scale(a, weft_float_from_bits((254u - scale) << 23));
    float root = weft_float_sqrt(weft_float3_dot(scaled, scaled));
    return weft_float_mul(root, weft_float_from_bits(scale << 23));
}

/// The length of a - b, whose components are rounded.
static inline float weft_float2_distance(weft_float2 a, weft_float2 b) {
    return weft_float2_length(weft_float2_sub(a, b));
}
static inline float weft_float3_distance(weft_float3 a, weft_float3 b) {
    return weft_float3_length(weft_float3_sub(a, b));
}

/// The vector of length 1 in the direction of a: a scaled by a power of two, divided by the length
/// of that. Each component is within 3 ulp in the plane and 3.5 ulp in space, over the whole range
/// of a. A zero vector stays as it is; one with an infinite component has a NaN.
static inline weft_float2 weft_float2_normalize(weft_float2 a) {
    uint32_t scale = weft__float2_scale(a);
    weft_float2 scaled = weft_float2_scale(a, weft_float_from_bits((254u - scale) << 23));
    float length = weft_float_sqrt(weft_float2_dot(scaled, scaled));
    length = length == 0.0f ? 1.0f : length;
    weft_float2 unit = {weft_float_div(scaled.x, length), weft_float_div(scaled.y, length)};
    return unit;
}
static inline weft_float3 weft_float3_normalize(weft_float3 a) {
    uint32_t scale = weft__float3_scale(a);
    weft_float3 scaled = weft_float3_scale(a, weft_float_from_bits((254u - scale) << 23));
    float length = weft_float_sqrt(weft_float3_dot(scaled, scaled));
    length = length == 0.0f ? 1.0f : length;
    weft_float3 unit = {weft_float_div(scaled.x, length), weft_float_div(scaled.y, length),
                        weft_float_div(scaled.z, length)};
    return unit;
}

/// The operations on columns of n numbers: `out[i] = weft_float_<op>(a[i], ...)`, the same bits as
/// one by one. `out` may be the same column as an argument; columns do not overlap otherwise. All
/// but those of tan, atan, atan2 and pow use wide vectors where the machine has them.
WEFT_API void weft_float_add_column(float* out, const float* a, const float* b, size_t n);
WEFT_API void weft_float_sub_column(float* out, const float* a, const float* b, size_t n);
WEFT_API void weft_float_mul_column(float* out, const float* a, const float* b, size_t n);
WEFT_API void weft_float_div_column(float* out, const float* a, const float* b, size_t n);
WEFT_API void weft_float_min_column(float* out, const float* a, const float* b, size_t n);
WEFT_API void weft_float_max_column(float* out, const float* a, const float* b, size_t n);
WEFT_API void weft_float_muladd_column(float* out, const float* a, const float* b, const float* c,
                                       size_t n);
WEFT_API void weft_float_lerp_column(float* out, const float* a, const float* b, const float* t,
                                     size_t n);
WEFT_API void weft_float_clamp_column(float* out, const float* a, float low, float high, size_t n);
WEFT_API void weft_float_sqrt_column(float* out, const float* a, size_t n);
WEFT_API void weft_float_sin_column(float* out, const float* a, size_t n);
WEFT_API void weft_float_cos_column(float* out, const float* a, size_t n);
WEFT_API void weft_float_tan_column(float* out, const float* a, size_t n);
WEFT_API void weft_float_atan_column(float* out, const float* a, size_t n);
WEFT_API void weft_float_atan2_column(float* out, const float* y, const float* x, size_t n);
WEFT_API void weft_float_exp_column(float* out, const float* a, size_t n);
WEFT_API void weft_float_log_column(float* out, const float* a, size_t n);
WEFT_API void weft_float_pow_column(float* out, const float* a, const float* b, size_t n);
WEFT_API void weft_float_from_fixed_column(float* out, const weft_fixed* a, size_t n);
WEFT_API void weft_float_to_fixed_column(weft_fixed* out, const float* a, size_t n);

// The self test. Its inputs are volatile, so that the compiler cannot do it.

static inline const char* weft__float_contraction_fault(void) {
    volatile float input = 1.000244140625f; // 1 + 2^-12
    volatile float square = 1.00048828125f; // its square without the last bit
    // Read anew for each: a product that is also needed for itself is not contracted.
    float a = input;
    float b = input;
    float c = square;
    bool raw = a * b - c == 0.0f;
    a = input;
    b = input;
    c = square;
    raw = raw && c - a * b == 0.0f;
    a = input;
    b = input;
    c = -square;
    float product = a * b;
    float sum = product + c;
    raw = raw && sum == 0.0f;
    a = input;
    c = -square;
    bool inlined = weft_float_muladd(a, a, c) == 0.0f;
    return raw && inlined ? NULL : "a * b + c was fused into one rounding: use -ffp-contract=off";
}

static inline const char* weft__float_algebra_fault(void) {
    volatile float large_input = 33554432.0f; // 2^25
    volatile float one_input = 1.0f;
    volatile float zero_input = -0.0f;
    volatile float largest_input = FLT_MAX;
    float large = large_input;
    float one = one_input;
    float zero = zero_input;
    float largest = largest_input;
    if ((large + one) - large != 0.0f || (one + large) + -large != 0.0f)
        return "a sum was reassociated: do without -fassociative-math";
    if (weft_float_to_bits(zero + 0.0f) != 0 || weft_float_to_bits(0.0f - -zero) != 0)
        return "the sign of a zero was lost: do without -fno-signed-zeros";
    if ((largest * 2.0f) * 0.5f == largest)
        return "a result had more range than a float: use -msse2 -mfpmath=sse";
    // 5, 9 and 10 times the rounded 1/25 are other numbers.
    volatile float divisor_input = 25.0f;
    float divisor = divisor_input;
    float five = 5.0f * one;
    float nine = 9.0f * one;
    bool exact = weft_float_to_bits(five / 25.0f) == 0x3e4ccccdu &&
                 weft_float_to_bits(five / divisor) == 0x3e4ccccdu &&
                 weft_float_to_bits(nine / divisor) == 0x3eb851ecu &&
                 weft_float_to_bits((five + five) / divisor) == 0x3ecccccdu;
    return exact ? NULL : "a division became a product: do without -freciprocal-math";
}

static inline const char* weft__float_nan_fault(void) {
    volatile uint32_t nan_input = 0xffc12345u;
    volatile uint32_t infinity_input = 0x7f800000u;
    float nan = weft_float_from_bits(nan_input);
    float infinity = weft_float_from_bits(infinity_input);
    bool plain = nan != nan && !(nan == nan) && !(nan < nan) && infinity > FLT_MAX;
    bool canonical =
        weft_float_to_bits(weft_float_sub(infinity, infinity)) == WEFT_FLOAT_NAN_BITS &&
        weft_float_to_bits(weft_float_mul(nan, infinity)) == WEFT_FLOAT_NAN_BITS;
    return plain && canonical ? NULL
                              : "NaN or infinity was taken for impossible: do without "
                                "-ffinite-math-only";
}

static inline const char* weft__float_state_fault(void) {
    volatile float least_normal_input = FLT_MIN;
    volatile uint32_t denormal_input = 0x00400000u;
    volatile float one_input = 1.0f;
    volatile float step_input = FLT_EPSILON;
    float half_least = least_normal_input * 0.5f;
    float denormal = weft_float_from_bits(denormal_input);
    if (weft_float_to_bits(half_least) != 0x00400000u ||
        weft_float_to_bits(denormal * 2.0f) != 0x00800000u)
        return "denormals are flushed to zero: link without -ffast-math, and leave the control "
               "word";
    float one = one_input;
    float half = step_input * 0.5f;
    bool nearest = one + half == one && one + half * 1.5f > one && -one - half == -one &&
                   -one - half * 1.5f < -one && one + half * 0.5f == one;
    return nearest ? NULL : "the rounding mode is not to nearest: leave the control word alone";
}

static inline const char* weft__float_unit_fault(void) {
    // The state of the processor first: it also makes other sums come out wrong.
    const char* fault = weft__float_state_fault();
    fault = fault != NULL ? fault : weft__float_contraction_fault();
    fault = fault != NULL ? fault : weft__float_algebra_fault();
    return fault != NULL ? fault : weft__float_nan_fault();
}

WEFT_API const char* weft__float_library_fault(void);

/// Whether this unit and the library are compiled as pinned float32 needs it, and the calling
/// thread's rounding mode and denormals are right: OK, or UNSUPPORTED with a line in `line` (unless
/// it is null) that says what is wrong and which flag does it. It also tests the unit that it is
/// compiled in, so it is called once in every unit that computes with `float`.
static inline WEFT_NODISCARD weft_status weft_float_self_test(const char** line) {
    const char* fault = weft__float_unit_fault();
    fault = fault != NULL ? fault : weft__float_library_fault();
    if (line != NULL)
        *line = fault;
    return fault == NULL ? WEFT_STATUS_OK : WEFT_STATUS_UNSUPPORTED;
}

#ifdef __cplusplus
}
#endif
