/// Q16.16 fixed-point numbers: the default number of a simulation's state.
///
/// A value is raw / 65536, from -32768 to 32768 - 1/65536 in steps of 1/65536 (one ulp). Every
/// operation is a pure function of its arguments, saturates instead of wrapping or trapping, and is
/// correctly rounded: the exact result to nearest, ties to even. So rounding is symmetric about
/// zero and the same on every architecture, compiler and optimisation level. Values are compared
/// by comparing `raw`. Everything here may be called from any thread.
///
/// Three further forms of the operations that can saturate differ from the plain ones in that
/// alone: `_sticky` notes it in flags, `_checked` returns whether the result is in range, `_wrap`
/// keeps the low 32 bits of the rounded result.
#pragma once

#include "weft/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// One Q16.16 number. A struct, so that `a * b` does not compile by accident.
typedef struct weft_fixed {
    int32_t raw; ///< the value times 65536
} weft_fixed;

#ifdef __cplusplus
#define WEFT__FIXED_LITERAL(number) (weft_fixed{(number)})
#else
#define WEFT__FIXED_LITERAL(number) ((weft_fixed){(number)})
#endif

/// Zero, one, the largest value (32768 - 1/65536) and the smallest (-32768), as expressions.
#define WEFT_FIXED_ZERO WEFT__FIXED_LITERAL(0)
#define WEFT_FIXED_ONE WEFT__FIXED_LITERAL(65536)
#define WEFT_FIXED_MAX WEFT__FIXED_LITERAL(INT32_MAX)
#define WEFT_FIXED_MIN WEFT__FIXED_LITERAL(INT32_MIN)

/// An initialiser with this raw value, also for objects of static storage:
/// `static const weft_fixed half = WEFT_FIXED_RAW(32768);`. In an expression a cast goes before it:
/// `weft_fixed_mul(x, (weft_fixed)WEFT_FIXED_RAW(32768))`.
#define WEFT_FIXED_RAW(number)                                                                     \
    { (number) }

#define WEFT__RATIO_MAGNITUDE(number)                                                              \
    ((int64_t)(number) < 0 ? (uint64_t)0 - (uint64_t)(int64_t)(number)                             \
                           : (uint64_t)(int64_t)(number))
#define WEFT__RATIO_NEGATIVE(num, den) (((int64_t)(num) < 0) != ((int64_t)(den) < 0))
// num / den + 1/2 is TWICE / (2 * den). It is rounded down, and a tie, where nothing is left over,
// is made even.
#define WEFT__RATIO_TWICE(num, den)                                                                \
    ((WEFT__RATIO_MAGNITUDE(num) << 17) + WEFT__RATIO_MAGNITUDE(den))
#define WEFT__RATIO_HALF_UP(num, den)                                                              \
    (WEFT__RATIO_TWICE(num, den) / (2 * WEFT__RATIO_MAGNITUDE(den)))
#define WEFT__RATIO_ROUNDED(num, den)                                                              \
    (WEFT__RATIO_HALF_UP(num, den) -                                                               \
     (WEFT__RATIO_TWICE(num, den) % (2 * WEFT__RATIO_MAGNITUDE(den)) != 0                          \
          ? (uint64_t)0                                                                            \
          : WEFT__RATIO_HALF_UP(num, den) % 2))
#define WEFT__RATIO_FITS(num, den)                                                                 \
    (WEFT__RATIO_MAGNITUDE(num) < ((uint64_t)1 << 46) &&                                           \
     WEFT__RATIO_MAGNITUDE(den) < ((uint64_t)1 << 62) &&                                           \
     WEFT__RATIO_ROUNDED(num, den) <= (uint64_t)INT32_MAX + WEFT__RATIO_NEGATIVE(num, den))

/// The raw value of num / den, correctly rounded: an integer constant expression. Both arguments
/// are integer constants, |num| < 2^46 and |den| < 2^62. A quotient out of range, or den = 0, does
/// not compile.
#define WEFT_FIXED_RATIO_RAW(num, den)                                                             \
    ((int32_t)((WEFT__RATIO_NEGATIVE(num, den) ? -(int64_t)WEFT__RATIO_ROUNDED(num, den)           \
                                               : (int64_t)WEFT__RATIO_ROUNDED(num, den)) *         \
               (int64_t)sizeof(char[WEFT__RATIO_FITS(num, den) ? 1 : -1])))

/// An initialiser for num / den, as WEFT_FIXED_RATIO_RAW:
/// `static const weft_fixed drag = WEFT_FIXED_RATIO(99, 100);`.
#define WEFT_FIXED_RATIO(num, den) WEFT_FIXED_RAW(WEFT_FIXED_RATIO_RAW(num, den))

/// What has happened in a sequence of operations: bits that are set and never cleared by it. The
/// operations whose names end in _sticky take a pointer to one and give the same results as the
/// plain ones. In a loop it is best a local variable, which cannot be what a column's pointer
/// points to.
typedef uint32_t weft_number_flags;

#define WEFT_NUMBER_SATURATED 1u    ///< a result was out of range and became a limit
#define WEFT_NUMBER_DIVIDED_BY_0 2u ///< x/0 with x other than 0
#define WEFT_NUMBER_UNDEFINED 4u    ///< 0/0, or a function outside its domain

static inline uint32_t weft__magnitude32(int32_t number) {
    return number < 0 ? 0u - (uint32_t)number : (uint32_t)number;
}

static inline int32_t weft__saturate32(int64_t number) {
    int64_t low = number < INT32_MIN ? INT32_MIN : number;
    return (int32_t)(low > INT32_MAX ? INT32_MAX : low);
}

/// Saturates, and notes it.
static inline int32_t weft__saturate32_sticky(int64_t number, weft_number_flags* flags) {
    int32_t raw = weft__saturate32(number);
    *flags |= raw != number ? WEFT_NUMBER_SATURATED : 0u;
    return raw;
}

/// number + fraction / 2^16 to the nearest whole number, ties to even. 0 <= fraction < 2^16.
static inline int64_t weft__round16(int64_t number, int64_t fraction) {
    return number + ((fraction + 0x7fff + (number & 1)) >> 16);
}

/// n / d to nearest, ties to even. d > 0 and d < 2^63.
static inline uint64_t weft__divide_even(uint64_t n, uint64_t d) {
    uint64_t quotient = n / d; // weft-lint: allow(division): callers see to it that d > 0
    uint64_t rest = n - quotient * d;
    uint64_t gap = d - rest;
    return quotient + ((uint64_t)(rest > gap) | ((uint64_t)(rest == gap) & quotient & 1u));
}

/// The number with this raw value.
static inline weft_fixed weft_fixed_from_raw(int32_t raw) {
    return WEFT__FIXED_LITERAL(raw);
}

/// A whole number; outside -32768..32767 it saturates.
static inline weft_fixed weft_fixed_from_int(int32_t whole) {
    return weft_fixed_from_raw(weft__saturate32((int64_t)whole * 65536));
}

/// A whole number of 64 bits; outside -32768..32767 it saturates.
static inline weft_fixed weft_fixed_from_int64(int64_t whole) {
    return weft_fixed_from_int(weft__saturate32(whole));
}

/// The nearest whole number, ties to even: -32768..32768.
static inline int32_t weft_fixed_to_int(weft_fixed a) {
    int32_t whole = a.raw >> 16;
    return whole + (((a.raw & 0xffff) + 0x7fff + (whole & 1)) >> 16);
}

/// A product or a sum of products in steps of 2^-32 (raw times raw), rounded to a number. For exact
/// sums: add up 64-bit products and round once.
static inline weft_fixed weft_fixed_from_product(int64_t product) {
    // Rounded on the low half alone: `product + 0x7fff` could overflow.
    return weft_fixed_from_raw(weft__saturate32(weft__round16(product >> 16, product & 0xffff)));
}

/// a + b, saturating.
static inline weft_fixed weft_fixed_add(weft_fixed a, weft_fixed b) {
    // Selects on 32 bits and no wider sum: it vectorises at full width.
    uint32_t sum = (uint32_t)a.raw + (uint32_t)b.raw;
    int32_t overflow = (int32_t)(((uint32_t)a.raw ^ sum) & ((uint32_t)b.raw ^ sum)) >> 31;
    int32_t limit = (a.raw >> 31) ^ INT32_MAX;
    return weft_fixed_from_raw(((int32_t)sum & ~overflow) | (limit & overflow));
}

/// a - b, saturating.
static inline weft_fixed weft_fixed_sub(weft_fixed a, weft_fixed b) {
    uint32_t rest = (uint32_t)a.raw - (uint32_t)b.raw;
    int32_t overflow = (int32_t)(((uint32_t)a.raw ^ (uint32_t)b.raw) & ((uint32_t)a.raw ^ rest));
    int32_t limit = (a.raw >> 31) ^ INT32_MAX;
    overflow >>= 31;
    return weft_fixed_from_raw(((int32_t)rest & ~overflow) | (limit & overflow));
}

/// -a; the negative of the smallest value is the largest.
static inline weft_fixed weft_fixed_neg(weft_fixed a) {
    return weft_fixed_from_raw(~a.raw + (a.raw != INT32_MIN));
}

/// |a|; that of the smallest value is the largest.
static inline weft_fixed weft_fixed_abs(weft_fixed a) {
    return a.raw < 0 ? weft_fixed_neg(a) : a;
}

/// The raw value of a * b, correctly rounded: at most 2^46 in magnitude.
static inline int64_t weft__fixed_product(weft_fixed a, weft_fixed b) {
    // |product| <= 2^62, so rounding cannot overflow.
    int64_t product = (int64_t)a.raw * b.raw;
    return (product + 0x7fff + ((product >> 16) & 1)) >> 16;
}

/// a * b, saturating and correctly rounded. Loops of it vectorise from SSE4.2 on.
static inline weft_fixed weft_fixed_mul(weft_fixed a, weft_fixed b) {
    return weft_fixed_from_raw(weft__saturate32(weft__fixed_product(a, b)));
}

/// a * b + c: the exact value, saturating and rounded once.
static inline weft_fixed weft_fixed_muladd(weft_fixed a, weft_fixed b, weft_fixed c) {
    // At most 2^62 + 2^47 in magnitude.
    return weft_fixed_from_product((int64_t)a.raw * b.raw + (int64_t)c.raw * 65536);
}

/// The raw value of a / b, correctly rounded, at most 2^47 in magnitude. b is not 0.
static inline int64_t weft__fixed_quotient(weft_fixed a, weft_fixed b) {
    // Magnitudes, as ties to even is symmetric; they also have room for the smallest value's.
    uint64_t rounded =
        weft__divide_even((uint64_t)weft__magnitude32(a.raw) * 65536, weft__magnitude32(b.raw));
    return (a.raw ^ b.raw) < 0 ? -(int64_t)rounded : (int64_t)rounded;
}

/// a / b, saturating and correctly rounded. x/0 is the limit of x's sign, and 0/0 is 0. A nonzero
/// quotient keeps its sign or rounds to zero. One hardware division: it does not vectorise.
static inline weft_fixed weft_fixed_div(weft_fixed a, weft_fixed b) {
    if (b.raw == 0)
        return weft_fixed_from_raw(a.raw == 0 ? 0 : (a.raw >> 31) ^ INT32_MAX);
    return weft_fixed_from_raw(weft__saturate32(weft__fixed_quotient(a, b)));
}

/// What is left of a when b is taken from it as often as possible: a - b * trunc(a / b), exact. It
/// has the sign of a, as with C's %, and a rem 0 is 0.
static inline weft_fixed weft_fixed_rem(weft_fixed a, weft_fixed b) {
    // Nothing is left by one step; the smallest value and -1 would trap on some machines.
    if (b.raw == 0 || b.raw == -1)
        return weft_fixed_from_raw(0);
    // weft-lint: allow(division): 0 and -1 are gone
    return weft_fixed_from_raw(a.raw % b.raw);
}

/// a - b * floor(a / b), exact: from 0 up to b, or from 0 down to b, without b. It has the sign of
/// b, so that a position wraps around a world of size b; a mod 0 is 0.
static inline weft_fixed weft_fixed_mod(weft_fixed a, weft_fixed b) {
    int32_t rest = weft_fixed_rem(a, b).raw;
    return weft_fixed_from_raw(rest != 0 && (rest ^ b.raw) < 0 ? rest + b.raw : rest);
}

/// The smaller of two.
static inline weft_fixed weft_fixed_min(weft_fixed a, weft_fixed b) {
    return weft_fixed_from_raw(a.raw < b.raw ? a.raw : b.raw);
}

/// The larger of two.
static inline weft_fixed weft_fixed_max(weft_fixed a, weft_fixed b) {
    return weft_fixed_from_raw(a.raw > b.raw ? a.raw : b.raw);
}

/// The value in low..high that is nearest to a. low <= high.
static inline weft_fixed weft_fixed_clamp(weft_fixed a, weft_fixed low, weft_fixed high) {
    WEFT_CHECK(low.raw <= high.raw);
    return weft_fixed_max(low, weft_fixed_min(a, high));
}

/// The raw value of a + (b - a) * t, correctly rounded: at most 2^48 in magnitude.
static inline int64_t weft__fixed_blend(weft_fixed a, weft_fixed b, weft_fixed t) {
    // |b - a| < 2^32 and |t| <= 2^31.
    int64_t product = ((int64_t)b.raw - a.raw) * t.raw;
    return weft__round16((product >> 16) + a.raw, product & 0xffff);
}

/// a + (b - a) * t: the exact value, saturating and rounded once. So it is a at t = 0, b at t = 1,
/// and never runs backwards in between, however far a and b are apart. Any t: outside 0..1 it goes
/// on along the line.
static inline weft_fixed weft_fixed_lerp(weft_fixed a, weft_fixed b, weft_fixed t) {
    return weft_fixed_from_raw(weft__saturate32(weft__fixed_blend(a, b, t)));
}

/// The largest whole number <= a.
static inline weft_fixed weft_fixed_floor(weft_fixed a) {
    return weft_fixed_from_raw(a.raw & -65536);
}

/// The smallest whole number >= a; above 32767 it is the largest value, which is not whole.
static inline weft_fixed weft_fixed_ceil(weft_fixed a) {
    return weft_fixed_from_raw(a.raw > 0x7fff0000 ? INT32_MAX : (a.raw + 0xffff) & -65536);
}

/// The nearest whole number, ties to even; from 32767.5 on it is the largest value, which is not
/// whole.
static inline weft_fixed weft_fixed_round(weft_fixed a) {
    return weft_fixed_from_int(weft_fixed_to_int(a));
}

/// The whole part, towards zero.
static inline weft_fixed weft_fixed_trunc(weft_fixed a) {
    return weft_fixed_from_raw((a.raw + ((a.raw >> 31) & 0xffff)) & -65536);
}

/// a - floor(a): from 0 up to 1, without 1.
static inline weft_fixed weft_fixed_fract(weft_fixed a) {
    return weft_fixed_from_raw(a.raw & 0xffff);
}

/// The whole number nearest to the square root of n: 0..2^32. No tie can occur. Integer arithmetic
/// only.
WEFT_API uint64_t weft_isqrt64(uint64_t n);

/// The square root, correctly rounded (no tie can occur). That of a negative number is 0.
static inline weft_fixed weft_fixed_sqrt(weft_fixed a) {
    uint64_t square = a.raw < 0 ? 0 : (uint64_t)a.raw << 16;
    return weft_fixed_from_raw((int32_t)weft_isqrt64(square));
}

/// a + b; the low 32 bits of the raw sum.
static inline weft_fixed weft_fixed_add_wrap(weft_fixed a, weft_fixed b) {
    return weft_fixed_from_raw((int32_t)((uint32_t)a.raw + (uint32_t)b.raw));
}

/// a - b; the low 32 bits of the raw difference.
static inline weft_fixed weft_fixed_sub_wrap(weft_fixed a, weft_fixed b) {
    return weft_fixed_from_raw((int32_t)((uint32_t)a.raw - (uint32_t)b.raw));
}

/// a * b, correctly rounded; the low 32 bits of the raw product.
static inline weft_fixed weft_fixed_mul_wrap(weft_fixed a, weft_fixed b) {
    return weft_fixed_from_raw((int32_t)(uint32_t)weft__fixed_product(a, b));
}

/// Puts a + b into *out, saturating. Whether it was in range.
static inline WEFT_NODISCARD bool weft_fixed_add_checked(weft_fixed a, weft_fixed b,
                                                         weft_fixed* out) {
    *out = weft_fixed_add(a, b);
    return out->raw == (int64_t)a.raw + b.raw;
}

/// Puts a - b into *out, saturating. Whether it was in range.
static inline WEFT_NODISCARD bool weft_fixed_sub_checked(weft_fixed a, weft_fixed b,
                                                         weft_fixed* out) {
    *out = weft_fixed_sub(a, b);
    return out->raw == (int64_t)a.raw - b.raw;
}

/// Puts a * b into *out, saturating and correctly rounded. Whether the rounded product was in
/// range.
static inline WEFT_NODISCARD bool weft_fixed_mul_checked(weft_fixed a, weft_fixed b,
                                                         weft_fixed* out) {
    int64_t product = weft__fixed_product(a, b);
    *out = weft_fixed_from_raw(weft__saturate32(product));
    return out->raw == product;
}

/// As weft_fixed_from_int. SATURATED outside -32768..32767.
static inline weft_fixed weft_fixed_from_int_sticky(int32_t whole, weft_number_flags* flags) {
    return weft_fixed_from_raw(weft__saturate32_sticky((int64_t)whole * 65536, flags));
}

/// As weft_fixed_add. SATURATED where the sum is out of range.
static inline weft_fixed weft_fixed_add_sticky(weft_fixed a, weft_fixed b,
                                               weft_number_flags* flags) {
    return weft_fixed_from_raw(weft__saturate32_sticky((int64_t)a.raw + b.raw, flags));
}

/// As weft_fixed_sub. SATURATED where the difference is out of range.
static inline weft_fixed weft_fixed_sub_sticky(weft_fixed a, weft_fixed b,
                                               weft_number_flags* flags) {
    return weft_fixed_from_raw(weft__saturate32_sticky((int64_t)a.raw - b.raw, flags));
}

/// As weft_fixed_neg. SATURATED for the smallest value.
static inline weft_fixed weft_fixed_neg_sticky(weft_fixed a, weft_number_flags* flags) {
    return weft_fixed_from_raw(weft__saturate32_sticky(-(int64_t)a.raw, flags));
}

/// As weft_fixed_abs. SATURATED for the smallest value.
static inline weft_fixed weft_fixed_abs_sticky(weft_fixed a, weft_number_flags* flags) {
    return a.raw < 0 ? weft_fixed_neg_sticky(a, flags) : a;
}

/// As weft_fixed_mul. SATURATED where the rounded product is out of range.
static inline weft_fixed weft_fixed_mul_sticky(weft_fixed a, weft_fixed b,
                                               weft_number_flags* flags) {
    return weft_fixed_from_raw(weft__saturate32_sticky(weft__fixed_product(a, b), flags));
}

/// As weft_fixed_div. DIVIDED_BY_0 alone for x/0, UNDEFINED for 0/0, SATURATED where another
/// rounded quotient is out of range.
static inline weft_fixed weft_fixed_div_sticky(weft_fixed a, weft_fixed b,
                                               weft_number_flags* flags) {
    if (b.raw == 0) {
        *flags |= a.raw == 0 ? WEFT_NUMBER_UNDEFINED : WEFT_NUMBER_DIVIDED_BY_0;
        return weft_fixed_div(a, b);
    }
    return weft_fixed_from_raw(weft__saturate32_sticky(weft__fixed_quotient(a, b), flags));
}

/// As weft_fixed_sqrt. UNDEFINED for a negative number.
static inline weft_fixed weft_fixed_sqrt_sticky(weft_fixed a, weft_number_flags* flags) {
    *flags |= a.raw < 0 ? WEFT_NUMBER_UNDEFINED : 0u;
    return weft_fixed_sqrt(a);
}

/// As weft_fixed_lerp. SATURATED where the rounded value is out of range.
static inline weft_fixed weft_fixed_lerp_sticky(weft_fixed a, weft_fixed b, weft_fixed t,
                                                weft_number_flags* flags) {
    return weft_fixed_from_raw(weft__saturate32_sticky(weft__fixed_blend(a, b, t), flags));
}

/// As weft_fixed_ceil. SATURATED above 32767.
static inline weft_fixed weft_fixed_ceil_sticky(weft_fixed a, weft_number_flags* flags) {
    *flags |= a.raw > 0x7fff0000 ? WEFT_NUMBER_SATURATED : 0u;
    return weft_fixed_ceil(a);
}

/// As weft_fixed_round. SATURATED from 32767.5 on.
static inline weft_fixed weft_fixed_round_sticky(weft_fixed a, weft_number_flags* flags) {
    return weft_fixed_from_int_sticky(weft_fixed_to_int(a), flags);
}

/// Room for any number as weft_fixed_format and weft_fixed_format_exact write it, with its end.
#define WEFT_FIXED_TEXT_SIZE 24

/// Writes a number as the shortest decimal that weft_fixed_parse makes the same number of, as in
/// "-3", "0.1" or "32767.99998"; of several, the one nearest to the number. At most 12 characters
/// and a zero.
///
/// Returns the length without the zero. Where capacity is not larger than it, the text is only a
/// zero (nothing at all if capacity is 0). No locale.
WEFT_API size_t weft_fixed_format(weft_fixed value, char* text, size_t capacity);

/// As weft_fixed_format, with all digits of the exact value: up to 16 after the point.
WEFT_API size_t weft_fixed_format_exact(weft_fixed value, char* text, size_t capacity);

/// Reads a decimal of exactly `length` characters: an optional sign, digits, and optionally a point
/// and digits; a digit on one side of the point is enough. Any number of digits, correctly rounded
/// from all of them. No exponent, no spaces, no locale.
///
/// BAD_FORMAT where the text is anything else; *out is then as before. OUT_OF_RANGE where the
/// rounded number is out of range; *out is then the limit.
WEFT_API WEFT_NODISCARD weft_status weft_fixed_parse(const char* text, size_t length,
                                                     weft_fixed* out);

#ifdef __cplusplus
}
#endif
