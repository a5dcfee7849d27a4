/// Q16.16 fixed-point numbers: the default number of a simulation's state.
///
/// A value is raw / 65536, from -32768 to 32768 - 1/65536 in steps of 1/65536 (one ulp). Every
/// operation is a pure function of its arguments, saturates instead of wrapping or trapping, and is
/// correctly rounded: the exact result to nearest, ties to even. So rounding is symmetric about
/// zero and the same on every architecture, compiler and optimisation level. Values are compared
/// by comparing `raw`. Everything here may be called from any thread.
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
/// plain ones.
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

/// The nearest whole number, ties to even: -32768..32768.
static inline int32_t weft_fixed_to_int(weft_fixed a) {
    int32_t whole = a.raw >> 16;
    return whole + (((a.raw & 0xffff) + 0x7fff + (whole & 1)) >> 16);
}

/// A product or a sum of products in steps of 2^-32 (raw times raw), rounded to a number. For exact
/// sums: add up 64-bit products and round once.
static inline weft_fixed weft_fixed_from_product(int64_t product) {
    // Rounded on the low half alone: `product + 0x7fff` could overflow.
    int64_t whole = product >> 16;
    int64_t carry = ((product & 0xffff) + 0x7fff + (whole & 1)) >> 16;
    return weft_fixed_from_raw(weft__saturate32(whole + carry));
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

/// a * b, saturating and correctly rounded. Loops of it vectorise from SSE4.2 on.
static inline weft_fixed weft_fixed_mul(weft_fixed a, weft_fixed b) {
    // |product| <= 2^62, so rounding cannot overflow.
    int64_t product = (int64_t)a.raw * b.raw;
    return weft_fixed_from_raw(weft__saturate32((product + 0x7fff + ((product >> 16) & 1)) >> 16));
}

/// a / b, saturating and correctly rounded. x/0 is the limit of x's sign, and 0/0 is 0. A nonzero
/// quotient keeps its sign or rounds to zero. One hardware division: it does not vectorise.
static inline weft_fixed weft_fixed_div(weft_fixed a, weft_fixed b) {
    if (b.raw == 0)
        return weft_fixed_from_raw(a.raw == 0 ? 0 : (a.raw >> 31) ^ INT32_MAX);
    // Magnitudes, as ties to even is symmetric; they also have room for the smallest value's.
    uint64_t rounded =
        weft__divide_even((uint64_t)weft__magnitude32(a.raw) << 16, weft__magnitude32(b.raw));
    int64_t signed_quotient = (a.raw ^ b.raw) < 0 ? -(int64_t)rounded : (int64_t)rounded;
    return weft_fixed_from_raw(weft__saturate32(signed_quotient));
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

/// The whole number nearest to the square root of n: 0..2^32. No tie can occur. Integer arithmetic
/// only.
WEFT_API uint64_t weft_isqrt64(uint64_t n);

/// The square root, correctly rounded (no tie can occur). That of a negative number is 0.
static inline weft_fixed weft_fixed_sqrt(weft_fixed a) {
    uint64_t square = a.raw < 0 ? 0 : (uint64_t)a.raw << 16;
    return weft_fixed_from_raw((int32_t)weft_isqrt64(square));
}

#ifdef __cplusplus
}
#endif
