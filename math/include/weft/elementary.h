/// Elementary functions of the fixed-point numbers. Integer arithmetic alone.
///
/// Of the functions of one Q16.16 number every result is correctly rounded (to nearest, ties to
/// even): each of the 2^32 inputs is compared with MPFR by tests/judge. Functions of two numbers
/// and those of Q32.32 numbers state their bound, in ulp (2^-16 or 2^-32); it is checked on edges
/// and samples. No bound rests on the 128-bit type of a compiler: results are the same without it.
///
/// Angles are in radians, over the whole range: the reduction knows as many digits of pi as the
/// largest argument asks for. A result out of range saturates. Outside a function's domain the
/// result is its limit where there is one, else 0; for arcsine and arccosine it is the value at the
/// nearer end. Where `flags` is taken, it is not null, and bits are added to it as each comment
/// says; the result is that of the plain function. Everything here is a pure function and may be
/// called from any thread. Source: contract C9.
#pragma once

#include "weft/fixed64.h"

#ifdef __cplusplus
extern "C" {
#endif

// Q16.16 -----------------------------------------------------------------------------------------

/// 1 / sqrt(a), correctly rounded. That of 0 is the largest number; that of a negative number is 0.
WEFT_API weft_fixed weft_fixed_rsqrt(weft_fixed a);

/// weft_fixed_rsqrt; flags: DIVIDED_BY_0 for 0, UNDEFINED for a negative number.
WEFT_API weft_fixed weft_fixed_rsqrt_sticky(weft_fixed a, weft_number_flags* flags);

/// The sine of a radians, correctly rounded.
WEFT_API weft_fixed weft_fixed_sin(weft_fixed a);

/// The cosine of a radians, correctly rounded.
WEFT_API weft_fixed weft_fixed_cos(weft_fixed a);

/// The tangent of a radians, correctly rounded. Near a pole it saturates, with the sign of the
/// exact value; no number is a pole.
WEFT_API weft_fixed weft_fixed_tan(weft_fixed a);

/// weft_fixed_tan; flags: SATURATED when it leaves the range.
WEFT_API weft_fixed weft_fixed_tan_sticky(weft_fixed a, weft_number_flags* flags);

/// The angle in -pi/2..pi/2 whose sine is a, correctly rounded. Below -1 it is that of -1, above 1
/// that of 1.
WEFT_API weft_fixed weft_fixed_asin(weft_fixed a);

/// The angle in 0..pi whose cosine is a, correctly rounded. Below -1 it is that of -1, above 1 that
/// of 1.
WEFT_API weft_fixed weft_fixed_acos(weft_fixed a);

/// The angle in -pi/2..pi/2 whose tangent is a, correctly rounded.
WEFT_API weft_fixed weft_fixed_atan(weft_fixed a);

/// The angle of the point (x, y) from the positive x axis, in -pi..pi, at most 0.51 ulp off. On the
/// negative x axis it is pi, and in (0, 0) it is 0.
WEFT_API weft_fixed weft_fixed_atan2(weft_fixed y, weft_fixed x);

/// e to the power a, correctly rounded. Saturates; too small a result is 0.
WEFT_API weft_fixed weft_fixed_exp(weft_fixed a);

/// weft_fixed_exp; flags: SATURATED when it leaves the range.
WEFT_API weft_fixed weft_fixed_exp_sticky(weft_fixed a, weft_number_flags* flags);

/// 2 to the power a, correctly rounded. Saturates; too small a result is 0.
WEFT_API weft_fixed weft_fixed_exp2(weft_fixed a);

/// weft_fixed_exp2; flags: SATURATED when it leaves the range.
WEFT_API weft_fixed weft_fixed_exp2_sticky(weft_fixed a, weft_number_flags* flags);

/// The natural logarithm, correctly rounded. That of 0 is the smallest number; that of a negative
/// number is 0.
WEFT_API weft_fixed weft_fixed_log(weft_fixed a);

/// weft_fixed_log; flags: SATURATED for 0, UNDEFINED for a negative number.
WEFT_API weft_fixed weft_fixed_log_sticky(weft_fixed a, weft_number_flags* flags);

/// The logarithm to base 2, correctly rounded. That of 0 is the smallest number; that of a negative
/// number is 0.
WEFT_API weft_fixed weft_fixed_log2(weft_fixed a);

/// weft_fixed_log2; flags: SATURATED for 0, UNDEFINED for a negative number.
WEFT_API weft_fixed weft_fixed_log2_sticky(weft_fixed a, weft_number_flags* flags);

/// x to the power y, at most 0.51 ulp off, saturating. x^0 is 1 for every x; 0^y is 0 for y > 0 and
/// the largest number for y < 0. A negative x takes a whole y, and the result is negative when y is
/// odd; for any other y it is 0.
WEFT_API weft_fixed weft_fixed_pow(weft_fixed x, weft_fixed y);

/// weft_fixed_pow; flags: SATURATED when it leaves the range, DIVIDED_BY_0 for 0^y with y < 0,
/// UNDEFINED for a negative x with a y that is not whole.
WEFT_API weft_fixed weft_fixed_pow_sticky(weft_fixed x, weft_fixed y, weft_number_flags* flags);

/// sqrt(x^2 + y^2), the length of a vector, correctly rounded and saturating. The squares are
/// summed in full.
WEFT_API weft_fixed weft_fixed_hypot(weft_fixed x, weft_fixed y);

/// weft_fixed_hypot; flags: SATURATED when it leaves the range.
WEFT_API weft_fixed weft_fixed_hypot_sticky(weft_fixed x, weft_fixed y, weft_number_flags* flags);

// Q32.32 ------------------------------------------------------------------------------------------

/// 1 / sqrt(a), correctly rounded. That of 0 is the largest number; that of a negative number is 0.
WEFT_API weft_fixed64 weft_fixed64_rsqrt(weft_fixed64 a);

/// weft_fixed64_rsqrt; flags: DIVIDED_BY_0 for 0, UNDEFINED for a negative number.
WEFT_API weft_fixed64 weft_fixed64_rsqrt_sticky(weft_fixed64 a, weft_number_flags* flags);

/// The sine of a radians, at most 0.51 ulp off.
WEFT_API weft_fixed64 weft_fixed64_sin(weft_fixed64 a);

/// The cosine of a radians, at most 0.51 ulp off.
WEFT_API weft_fixed64 weft_fixed64_cos(weft_fixed64 a);

/// The tangent of a radians, at most 0.51 ulp off. Near a pole it saturates, with the sign of the
/// exact value; no number is a pole.
WEFT_API weft_fixed64 weft_fixed64_tan(weft_fixed64 a);

/// weft_fixed64_tan; flags: SATURATED when it leaves the range.
WEFT_API weft_fixed64 weft_fixed64_tan_sticky(weft_fixed64 a, weft_number_flags* flags);

/// The angle in -pi/2..pi/2 whose sine is a, at most 0.51 ulp off. Below -1 it is that of -1, above
/// 1 that of 1.
WEFT_API weft_fixed64 weft_fixed64_asin(weft_fixed64 a);

/// The angle in 0..pi whose cosine is a, at most 0.51 ulp off. Below -1 it is that of -1, above 1
/// that of 1.
WEFT_API weft_fixed64 weft_fixed64_acos(weft_fixed64 a);

/// The angle in -pi/2..pi/2 whose tangent is a, at most 0.51 ulp off.
WEFT_API weft_fixed64 weft_fixed64_atan(weft_fixed64 a);

/// The angle of the point (x, y) from the positive x axis, in -pi..pi, at most 0.51 ulp off. On the
/// negative x axis it is pi, and in (0, 0) it is 0.
WEFT_API weft_fixed64 weft_fixed64_atan2(weft_fixed64 y, weft_fixed64 x);

/// e to the power a, at most 0.51 ulp off. Saturates; too small a result is 0.
WEFT_API weft_fixed64 weft_fixed64_exp(weft_fixed64 a);

/// weft_fixed64_exp; flags: SATURATED when it leaves the range.
WEFT_API weft_fixed64 weft_fixed64_exp_sticky(weft_fixed64 a, weft_number_flags* flags);

/// 2 to the power a, at most 0.51 ulp off. Saturates; too small a result is 0.
WEFT_API weft_fixed64 weft_fixed64_exp2(weft_fixed64 a);

/// weft_fixed64_exp2; flags: SATURATED when it leaves the range.
WEFT_API weft_fixed64 weft_fixed64_exp2_sticky(weft_fixed64 a, weft_number_flags* flags);

/// The natural logarithm, at most 0.51 ulp off. That of 0 is the smallest number; that of a
/// negative number is 0.
WEFT_API weft_fixed64 weft_fixed64_log(weft_fixed64 a);

/// weft_fixed64_log; flags: SATURATED for 0, UNDEFINED for a negative number.
WEFT_API weft_fixed64 weft_fixed64_log_sticky(weft_fixed64 a, weft_number_flags* flags);

/// The logarithm to base 2, at most 0.51 ulp off. That of 0 is the smallest number; that of a
/// negative number is 0.
WEFT_API weft_fixed64 weft_fixed64_log2(weft_fixed64 a);

/// weft_fixed64_log2; flags: SATURATED for 0, UNDEFINED for a negative number.
WEFT_API weft_fixed64 weft_fixed64_log2_sticky(weft_fixed64 a, weft_number_flags* flags);

/// x to the power y, at most 0.51 ulp off, saturating. x^0 is 1 for every x; 0^y is 0 for y > 0 and
/// the largest number for y < 0. A negative x takes a whole y, and the result is negative when y is
/// odd; for any other y it is 0.
WEFT_API weft_fixed64 weft_fixed64_pow(weft_fixed64 x, weft_fixed64 y);

/// weft_fixed64_pow; flags: SATURATED when it leaves the range, DIVIDED_BY_0 for 0^y with y < 0,
/// UNDEFINED for a negative x with a y that is not whole.
WEFT_API weft_fixed64 weft_fixed64_pow_sticky(weft_fixed64 x, weft_fixed64 y,
                                              weft_number_flags* flags);

/// sqrt(x^2 + y^2), the length of a vector, correctly rounded and saturating. The squares are
/// summed in full.
WEFT_API weft_fixed64 weft_fixed64_hypot(weft_fixed64 x, weft_fixed64 y);

/// weft_fixed64_hypot; flags: SATURATED when it leaves the range.
WEFT_API weft_fixed64 weft_fixed64_hypot_sticky(weft_fixed64 x, weft_fixed64 y,
                                                weft_number_flags* flags);

#ifdef __cplusplus
}
#endif
