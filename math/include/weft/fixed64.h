/// Q32.32 fixed-point numbers, for state that needs more range or finer steps than Q16.16.
///
/// A value is raw / 2^32, from -2^31 to 2^31 - 2^-32 in steps of 2^-32 (one ulp). As in fixed.h,
/// every operation is a pure function, saturates, and is correctly rounded, ties to even; values
/// are compared by comparing `raw`, and the forms _sticky, _checked and _wrap mean the same.
/// Everything here may be called from any thread.
#pragma once

#include "weft/fixed.h"

#ifdef __cplusplus
extern "C" {
#endif

/// One Q32.32 number. A struct, so that `a * b` does not compile by accident.
typedef struct weft_fixed64 {
    int64_t raw; ///< the value times 2^32
} weft_fixed64;

#ifdef __cplusplus
#define WEFT__FIXED64_LITERAL(number) (weft_fixed64{(number)})
#else
#define WEFT__FIXED64_LITERAL(number) ((weft_fixed64){(number)})
#endif

/// Zero, one, the largest value (2^31 - 2^-32) and the smallest (-2^31), as expressions.
#define WEFT_FIXED64_ZERO WEFT__FIXED64_LITERAL(0)
#define WEFT_FIXED64_ONE WEFT__FIXED64_LITERAL(INT64_C(4294967296))
#define WEFT_FIXED64_MAX WEFT__FIXED64_LITERAL(INT64_MAX)
#define WEFT_FIXED64_MIN WEFT__FIXED64_LITERAL(INT64_MIN)

/// An initialiser with this raw value, as WEFT_FIXED_RAW.
#define WEFT_FIXED64_RAW(number)                                                                   \
    { (number) }

// A long division in two digits of 16 bits, since no constant has 96 bits: the whole part, the
// first 16 bits after the point, and the last 16 with rounding as WEFT_FIXED_RATIO_RAW has it.
#define WEFT__RATIO64_WHOLE(num, den) (WEFT__RATIO_MAGNITUDE(num) / WEFT__RATIO_MAGNITUDE(den))
#define WEFT__RATIO64_FIRST(num, den)                                                              \
    ((WEFT__RATIO_MAGNITUDE(num) % WEFT__RATIO_MAGNITUDE(den)) << 16)
#define WEFT__RATIO64_TWICE(num, den)                                                              \
    (((WEFT__RATIO64_FIRST(num, den) % WEFT__RATIO_MAGNITUDE(den)) << 17) +                        \
     WEFT__RATIO_MAGNITUDE(den))
#define WEFT__RATIO64_HALF_UP(num, den)                                                            \
    (WEFT__RATIO64_TWICE(num, den) / (2 * WEFT__RATIO_MAGNITUDE(den)))
#define WEFT__RATIO64_ROUNDED(num, den)                                                            \
    ((WEFT__RATIO64_WHOLE(num, den) << 32) +                                                       \
     ((WEFT__RATIO64_FIRST(num, den) / WEFT__RATIO_MAGNITUDE(den)) << 16) +                        \
     WEFT__RATIO64_HALF_UP(num, den) -                                                             \
     (WEFT__RATIO64_TWICE(num, den) % (2 * WEFT__RATIO_MAGNITUDE(den)) != 0                        \
          ? (uint64_t)0                                                                            \
          : WEFT__RATIO64_HALF_UP(num, den) % 2))
#define WEFT__RATIO64_FITS(num, den)                                                               \
    (WEFT__RATIO_MAGNITUDE(den) < ((uint64_t)1 << 46) &&                                           \
     WEFT__RATIO64_WHOLE(num, den) <= ((uint64_t)1 << 31) &&                                       \
     WEFT__RATIO64_ROUNDED(num, den) < ((uint64_t)1 << 63) + WEFT__RATIO_NEGATIVE(num, den))

/// The raw value of num / den, correctly rounded: an integer constant expression. Both arguments
/// are integer constants of 64 bits, |den| < 2^46. A quotient out of range, or den = 0, does not
/// compile.
#define WEFT_FIXED64_RATIO_RAW(num, den)                                                           \
    ((int64_t)((WEFT__RATIO_NEGATIVE(num, den) ? (uint64_t)0 - WEFT__RATIO64_ROUNDED(num, den)     \
                                               : WEFT__RATIO64_ROUNDED(num, den)) *                \
               (uint64_t)sizeof(char[WEFT__RATIO64_FITS(num, den) ? 1 : -1])))

/// An initialiser for num / den, as WEFT_FIXED64_RATIO_RAW.
#define WEFT_FIXED64_RATIO(num, den) WEFT_FIXED64_RAW(WEFT_FIXED64_RATIO_RAW(num, den))

/// The number with this raw value.
static inline weft_fixed64 weft_fixed64_from_raw(int64_t raw) {
    return WEFT__FIXED64_LITERAL(raw);
}

/// A whole number; outside -2^31..2^31 - 1 it saturates.
static inline weft_fixed64 weft_fixed64_from_int(int64_t whole) {
    int32_t low = weft__saturate32(whole);
    // The smallest value is whole, the largest is not.
    return weft_fixed64_from_raw(whole > low ? INT64_MAX : low * INT64_C(4294967296));
}

/// The nearest whole number, ties to even: -2^31..2^31.
static inline int64_t weft_fixed64_to_int(weft_fixed64 a) {
    int64_t whole = a.raw >> 32;
    return whole + (((a.raw & 0xffffffff) + 0x7fffffff + (whole & 1)) >> 32);
}

/// A Q16.16 number, exact.
static inline weft_fixed64 weft_fixed64_from_fixed(weft_fixed a) {
    return weft_fixed64_from_raw((int64_t)a.raw * 65536);
}

/// The nearest Q16.16 number, ties to even, saturating.
static inline weft_fixed weft_fixed64_to_fixed(weft_fixed64 a) {
    return weft_fixed_from_product(a.raw);
}

/// a * b as an exact Q32.32 number.
static inline weft_fixed64 weft_fixed64_from_fixed_product(weft_fixed a, weft_fixed b) {
    return weft_fixed64_from_raw((int64_t)a.raw * b.raw);
}

/// a + b; the low 64 bits of the raw sum.
static inline weft_fixed64 weft_fixed64_add_wrap(weft_fixed64 a, weft_fixed64 b) {
    return weft_fixed64_from_raw((int64_t)((uint64_t)a.raw + (uint64_t)b.raw));
}

/// a - b; the low 64 bits of the raw difference.
static inline weft_fixed64 weft_fixed64_sub_wrap(weft_fixed64 a, weft_fixed64 b) {
    return weft_fixed64_from_raw((int64_t)((uint64_t)a.raw - (uint64_t)b.raw));
}

/// a + b, saturating.
static inline weft_fixed64 weft_fixed64_add(weft_fixed64 a, weft_fixed64 b) {
    int64_t sum = weft_fixed64_add_wrap(a, b).raw;
    // Selects without a jump, as in weft_fixed_add.
    int64_t overflow = ((a.raw ^ sum) & (b.raw ^ sum)) >> 63;
    int64_t limit = (a.raw >> 63) ^ INT64_MAX;
    return weft_fixed64_from_raw((sum & ~overflow) | (limit & overflow));
}

/// a - b, saturating.
static inline weft_fixed64 weft_fixed64_sub(weft_fixed64 a, weft_fixed64 b) {
    int64_t rest = weft_fixed64_sub_wrap(a, b).raw;
    int64_t overflow = ((a.raw ^ b.raw) & (a.raw ^ rest)) >> 63;
    int64_t limit = (a.raw >> 63) ^ INT64_MAX;
    return weft_fixed64_from_raw((rest & ~overflow) | (limit & overflow));
}

/// Puts a + b into *out, saturating. Whether it was in range.
static inline WEFT_NODISCARD bool weft_fixed64_add_checked(weft_fixed64 a, weft_fixed64 b,
                                                           weft_fixed64* out) {
    *out = weft_fixed64_add(a, b);
    // A sum out of range wraps to the other sign.
    return out->raw == weft_fixed64_add_wrap(a, b).raw;
}

/// Puts a - b into *out, saturating. Whether it was in range.
static inline WEFT_NODISCARD bool weft_fixed64_sub_checked(weft_fixed64 a, weft_fixed64 b,
                                                           weft_fixed64* out) {
    *out = weft_fixed64_sub(a, b);
    return out->raw == weft_fixed64_sub_wrap(a, b).raw;
}

/// -a; the negative of the smallest value is the largest.
static inline weft_fixed64 weft_fixed64_neg(weft_fixed64 a) {
    return weft_fixed64_from_raw(~a.raw + (a.raw != INT64_MIN));
}

/// |a|; that of the smallest value is the largest.
static inline weft_fixed64 weft_fixed64_abs(weft_fixed64 a) {
    return a.raw < 0 ? weft_fixed64_neg(a) : a;
}

/// The body of weft_fixed64_mul where there is no 128-bit type. Not called directly.
WEFT_API weft_fixed64 weft__fixed64_mul(weft_fixed64 a, weft_fixed64 b);

/// a * b, saturating and correctly rounded.
static inline weft_fixed64 weft_fixed64_mul(weft_fixed64 a, weft_fixed64 b) {
#ifdef __SIZEOF_INT128__
    // |product| <= 2^126, so rounding cannot overflow.
    __extension__ __int128 product = (__int128)a.raw * b.raw;
    product = (product + 0x7fffffff + ((uint64_t)product >> 32 & 1)) >> 32;
    int64_t raw = (int64_t)product;
    int64_t limit = (int64_t)(product >> 127) ^ INT64_MAX;
    return weft_fixed64_from_raw(raw == product ? raw : limit);
#else
    return weft__fixed64_mul(a, b);
#endif
}

/// a * b, correctly rounded; the low 64 bits of the raw product.
WEFT_API weft_fixed64 weft_fixed64_mul_wrap(weft_fixed64 a, weft_fixed64 b);

/// Puts a * b into *out, saturating and correctly rounded. Whether the rounded product was in
/// range.
WEFT_API WEFT_NODISCARD bool weft_fixed64_mul_checked(weft_fixed64 a, weft_fixed64 b,
                                                      weft_fixed64* out);

/// a * b + c: the exact value, saturating and rounded once.
WEFT_API weft_fixed64 weft_fixed64_muladd(weft_fixed64 a, weft_fixed64 b, weft_fixed64 c);

/// a / b, saturating and correctly rounded. x/0 is the limit of x's sign, and 0/0 is 0. A nonzero
/// quotient keeps its sign or rounds to zero.
WEFT_API weft_fixed64 weft_fixed64_div(weft_fixed64 a, weft_fixed64 b);

/// The square root, correctly rounded (no tie can occur). That of a negative number is 0.
WEFT_API weft_fixed64 weft_fixed64_sqrt(weft_fixed64 a);

/// a + (b - a) * t: the exact value, saturating and rounded once, for any t, as weft_fixed_lerp.
WEFT_API weft_fixed64 weft_fixed64_lerp(weft_fixed64 a, weft_fixed64 b, weft_fixed64 t);

/// a - b * trunc(a / b), exact, with the sign of a; a rem 0 is 0. As weft_fixed_rem.
static inline weft_fixed64 weft_fixed64_rem(weft_fixed64 a, weft_fixed64 b) {
    // Nothing is left by one step; the smallest value and -1 would trap on some machines.
    if (b.raw == 0 || b.raw == -1)
        return weft_fixed64_from_raw(0);
    // weft-lint: allow(division): 0 and -1 are gone
    return weft_fixed64_from_raw(a.raw % b.raw);
}

/// a - b * floor(a / b), exact, with the sign of b; a mod 0 is 0. As weft_fixed_mod.
static inline weft_fixed64 weft_fixed64_mod(weft_fixed64 a, weft_fixed64 b) {
    int64_t rest = weft_fixed64_rem(a, b).raw;
    return weft_fixed64_from_raw(rest != 0 && (rest ^ b.raw) < 0 ? rest + b.raw : rest);
}

/// The smaller of two.
static inline weft_fixed64 weft_fixed64_min(weft_fixed64 a, weft_fixed64 b) {
    return weft_fixed64_from_raw(a.raw < b.raw ? a.raw : b.raw);
}

/// The larger of two.
static inline weft_fixed64 weft_fixed64_max(weft_fixed64 a, weft_fixed64 b) {
    return weft_fixed64_from_raw(a.raw > b.raw ? a.raw : b.raw);
}

/// The value in low..high that is nearest to a. low <= high.
static inline weft_fixed64 weft_fixed64_clamp(weft_fixed64 a, weft_fixed64 low, weft_fixed64 high) {
    WEFT_CHECK(low.raw <= high.raw);
    return weft_fixed64_max(low, weft_fixed64_min(a, high));
}

/// The largest whole number <= a.
static inline weft_fixed64 weft_fixed64_floor(weft_fixed64 a) {
    return weft_fixed64_from_raw(a.raw & INT64_C(-4294967296));
}

/// The smallest whole number >= a; above 2^31 - 1 it is the largest value, which is not whole.
static inline weft_fixed64 weft_fixed64_ceil(weft_fixed64 a) {
    const int64_t last = INT64_C(0x7fffffff00000000);
    if (a.raw > last)
        return WEFT_FIXED64_MAX;
    return weft_fixed64_from_raw((a.raw + INT64_C(0xffffffff)) & INT64_C(-4294967296));
}

/// The nearest whole number, ties to even; from 2^31 - 1/2 on it is the largest value, which is not
/// whole.
static inline weft_fixed64 weft_fixed64_round(weft_fixed64 a) {
    return weft_fixed64_from_int(weft_fixed64_to_int(a));
}

/// The whole part, towards zero.
static inline weft_fixed64 weft_fixed64_trunc(weft_fixed64 a) {
    int64_t up = (a.raw >> 63) & INT64_C(0xffffffff);
    return weft_fixed64_from_raw((a.raw + up) & INT64_C(-4294967296));
}

/// a - floor(a): from 0 up to 1, without 1.
static inline weft_fixed64 weft_fixed64_fract(weft_fixed64 a) {
    return weft_fixed64_from_raw(a.raw & INT64_C(0xffffffff));
}

/// As weft_fixed64_from_int. SATURATED outside -2^31..2^31 - 1.
static inline weft_fixed64 weft_fixed64_from_int_sticky(int64_t whole, weft_number_flags* flags) {
    *flags |= whole != weft__saturate32(whole) ? WEFT_NUMBER_SATURATED : 0u;
    return weft_fixed64_from_int(whole);
}

/// As weft_fixed64_to_fixed. SATURATED where the rounded number is out of the range of Q16.16.
static inline weft_fixed weft_fixed64_to_fixed_sticky(weft_fixed64 a, weft_number_flags* flags) {
    int64_t rounded = weft__round16(a.raw >> 16, a.raw & 0xffff);
    return weft_fixed_from_raw(weft__saturate32_sticky(rounded, flags));
}

/// As weft_fixed64_add. SATURATED where the sum is out of range.
static inline weft_fixed64 weft_fixed64_add_sticky(weft_fixed64 a, weft_fixed64 b,
                                                   weft_number_flags* flags) {
    weft_fixed64 sum;
    *flags |= weft_fixed64_add_checked(a, b, &sum) ? 0u : WEFT_NUMBER_SATURATED;
    return sum;
}

/// As weft_fixed64_sub. SATURATED where the difference is out of range.
static inline weft_fixed64 weft_fixed64_sub_sticky(weft_fixed64 a, weft_fixed64 b,
                                                   weft_number_flags* flags) {
    weft_fixed64 rest;
    *flags |= weft_fixed64_sub_checked(a, b, &rest) ? 0u : WEFT_NUMBER_SATURATED;
    return rest;
}

/// As weft_fixed64_neg. SATURATED for the smallest value.
static inline weft_fixed64 weft_fixed64_neg_sticky(weft_fixed64 a, weft_number_flags* flags) {
    *flags |= a.raw == INT64_MIN ? WEFT_NUMBER_SATURATED : 0u;
    return weft_fixed64_neg(a);
}

/// As weft_fixed64_abs. SATURATED for the smallest value.
static inline weft_fixed64 weft_fixed64_abs_sticky(weft_fixed64 a, weft_number_flags* flags) {
    return a.raw < 0 ? weft_fixed64_neg_sticky(a, flags) : a;
}

/// As weft_fixed64_mul. SATURATED where the rounded product is out of range.
WEFT_API weft_fixed64 weft_fixed64_mul_sticky(weft_fixed64 a, weft_fixed64 b,
                                              weft_number_flags* flags);

/// As weft_fixed64_div. DIVIDED_BY_0 alone for x/0, UNDEFINED for 0/0, SATURATED where another
/// rounded quotient is out of range.
WEFT_API weft_fixed64 weft_fixed64_div_sticky(weft_fixed64 a, weft_fixed64 b,
                                              weft_number_flags* flags);

/// As weft_fixed64_lerp. SATURATED where the rounded value is out of range.
WEFT_API weft_fixed64 weft_fixed64_lerp_sticky(weft_fixed64 a, weft_fixed64 b, weft_fixed64 t,
                                               weft_number_flags* flags);

/// As weft_fixed64_sqrt. UNDEFINED for a negative number.
static inline weft_fixed64 weft_fixed64_sqrt_sticky(weft_fixed64 a, weft_number_flags* flags) {
    *flags |= a.raw < 0 ? WEFT_NUMBER_UNDEFINED : 0u;
    return weft_fixed64_sqrt(a);
}

/// As weft_fixed64_ceil. SATURATED above 2^31 - 1.
static inline weft_fixed64 weft_fixed64_ceil_sticky(weft_fixed64 a, weft_number_flags* flags) {
    *flags |= a.raw > INT64_C(0x7fffffff00000000) ? WEFT_NUMBER_SATURATED : 0u;
    return weft_fixed64_ceil(a);
}

/// As weft_fixed64_round. SATURATED from 2^31 - 1/2 on.
static inline weft_fixed64 weft_fixed64_round_sticky(weft_fixed64 a, weft_number_flags* flags) {
    return weft_fixed64_from_int_sticky(weft_fixed64_to_int(a), flags);
}

/// Room for any number as weft_fixed64_format and weft_fixed64_format_exact write it, with its end.
#define WEFT_FIXED64_TEXT_SIZE 45

/// Writes a number as the shortest decimal that weft_fixed64_parse makes the same number of, as
/// weft_fixed_format: at most 22 characters and a zero.
WEFT_API size_t weft_fixed64_format(weft_fixed64 value, char* text, size_t capacity);

/// As weft_fixed64_format, with all digits of the exact value: up to 32 after the point.
WEFT_API size_t weft_fixed64_format_exact(weft_fixed64 value, char* text, size_t capacity);

/// Reads a decimal of exactly `length` characters, correctly rounded: form, errors and results as
/// of weft_fixed_parse.
WEFT_API WEFT_NODISCARD weft_status weft_fixed64_parse(const char* text, size_t length,
                                                       weft_fixed64* out);

#ifdef __cplusplus
}
#endif
