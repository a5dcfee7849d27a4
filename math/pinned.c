#include "pinned_core.h"

_Static_assert(sizeof(float) == 4, "a float is stored and hashed as four bytes");
_Static_assert(sizeof(weft_float2) == 8, "a vector is stored and hashed as two numbers");
_Static_assert(sizeof(weft_float3) == 12, "a vector is stored and hashed as three numbers");

const char* weft__float_library_fault(void) {
    return weft__float_unit_fault();
}

float weft__float_sqrt(float a) {
    return weft_float_canonical(__builtin_sqrtf(a));
}

float weft_float_sin(float a) {
    return weft_float_from_bits(weft__sine_bits(weft_float_to_bits(a), 0));
}

float weft_float_cos(float a) {
    return weft_float_from_bits(weft__sine_bits(weft_float_to_bits(a), 1));
}

float weft_float_exp(float a) {
    return weft_float_from_bits(weft__exp_bits(weft_float_to_bits(a)));
}

float weft_float_log(float a) {
    return weft_float_from_bits(weft__log_bits(weft_float_to_bits(a)));
}

/// number * 2^exponent to nearest even, denormals included, and the sign. number is not 0, and no
/// result too large.
static float packed(uint64_t number, int exponent, uint32_t sign) {
    int zeros = __builtin_clzll(number);
    number <<= zeros;
    number = number >> 1 | (number & 1u);
    int power = exponent - zeros + 63; // of the top bit
    int below = power < -126 ? -126 - power : 0;
    if (below > 24)
        return weft_float_from_bits(sign);
    int shift = 39 + below;
    uint64_t half = (UINT64_C(1) << (shift - 1)) - 1u + ((number >> shift) & 1u);
    uint32_t rounded = (uint32_t)((number + half) >> shift);
    return weft_float_from_bits((((uint32_t)(power + 126 + below) << 23) + rounded) | sign);
}

// Quotients of the two series, by integer division.
float weft_float_tan(float a) {
    uint32_t bits = weft_float_to_bits(a);
    uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude >= WEFT__FLOAT_INFINITY)
        return weft_float_from_bits(WEFT_FLOAT_NAN_BITS);
    if (magnitude < 0x39800000u)
        return a; // to nearest, up to 2^-12
    weft__turn turn = weft__turn_of(magnitude);
    uint32_t factor = WEFT__HALF_PI - (weft__turn_series(turn.square, 0) >> 1);
    uint32_t cosine = ~weft__turn_series(turn.square, UINT32_MAX);
    uint32_t sign = (bits ^ turn.is_negative) & 0x80000000u;
    int shift = (int)turn.shift;
    if ((turn.quadrant & 1u) == 0)
        return packed((uint64_t)turn.rest * factor / cosine, shift - 61, sign);
    uint32_t sine = weft__high32(turn.rest, factor);
    return packed(((uint64_t)cosine << 31) / sine, -2 - shift, sign ^ 0x80000000u);
}

/// A positive finite number as mantissa * 2^exponent / 2^150 with 24 bits of mantissa.
static uint32_t normalized(uint32_t magnitude, int* exponent) {
    *exponent = (int)(magnitude >> 23);
    if (*exponent > 0)
        return (magnitude & 0x7fffffu) | 0x800000u;
    int shift = __builtin_clz(magnitude) - 8;
    *exponent = 1 - shift;
    return magnitude << shift;
}

/// atan(u)/u = 1 - this, Q0.32. u in Q0.32, up to tan(pi/8). Off by 2^-35.
static uint32_t arc_series(uint32_t u) {
    uint32_t square = weft__high32(u, u);
    uint32_t sum = 0x15b46829u - weft__high32(square, 0x0c27d3b5u);
    sum = 0x1c468321u - weft__high32(square, sum);
    sum = 0x248fe10bu - weft__high32(square, sum);
    sum = 0x3333234bu - weft__high32(square, sum);
    sum = 0x55555532u - weft__high32(square, sum);
    return weft__high32(square, sum);
}

/// `eighths` * pi/4 + v or - v, v in steps of 2^-60, and the sign.
static float arc_sum(uint32_t eighths, bool minus, uint64_t v, uint32_t sign) {
    uint64_t base = UINT64_C(0x0c90fdaa22168c23) * eighths;
    return packed(minus ? base - v : base + v, -60, sign);
}

// The angle of two positive finite magnitudes, by octants. The smaller over the larger is t; it is
// taken as pi/4 - atan((1 - t)/(1 + t)) from tan(pi/8) on.
static float arc(uint32_t y, uint32_t x, bool x_is_negative, uint32_t sign) {
    bool is_steep = y > x;
    int y_exponent;
    int x_exponent;
    uint32_t y_mantissa = normalized(y, &y_exponent);
    uint32_t x_mantissa = normalized(x, &x_exponent);
    uint32_t low = is_steep ? x_mantissa : y_mantissa;
    uint32_t high = is_steep ? y_mantissa : x_mantissa;
    int apart = is_steep ? y_exponent - x_exponent : x_exponent - y_exponent; // >= 0

    uint32_t eighths = 0;
    bool minus = false;
    uint64_t quotient; // u * 2^shift
    int shift = 36;
    uint64_t wide = apart <= 2 ? (uint64_t)high << apart : 0;
    if (wide != 0 && (uint64_t)low << 32 > wide * 0x6a09e668u) {
        eighths = 1;
        minus = true;
        quotient = ((wide - low) << 36) / (wide + low);
    } else {
        int more = low < high ? 40 : 39;
        quotient = ((uint64_t)low << more) / high; // 2^39..2^40
        shift = more + apart;
    }
    if (is_steep) {
        eighths = 2 - eighths;
        minus = !minus;
    }
    if (x_is_negative) {
        eighths = 4 - eighths;
        minus = !minus;
    }
    uint32_t u = shift < 96 ? (uint32_t)(quotient >> (shift - 32)) : 0;
    uint32_t factor = ~arc_series(u);
    if (eighths == 0)
        return packed((quotient >> 8) * factor, 8 - 32 - shift, sign);
    return arc_sum(eighths, minus, (uint64_t)u * factor >> 4, sign);
}

float weft_float_atan2(float y, float x) {
    uint32_t sign = weft_float_to_bits(y) & 0x80000000u;
    bool x_is_negative = weft_float_to_bits(x) >> 31 != 0;
    uint32_t up = weft_float_to_bits(y) & 0x7fffffffu;
    uint32_t right = weft_float_to_bits(x) & 0x7fffffffu;
    if (up > WEFT__FLOAT_INFINITY || right > WEFT__FLOAT_INFINITY)
        return weft_float_from_bits(WEFT_FLOAT_NAN_BITS);
    bool is_tall = up == WEFT__FLOAT_INFINITY;
    bool is_wide = right == WEFT__FLOAT_INFINITY;
    if (is_tall && is_wide)
        return arc_sum(x_is_negative ? 3 : 1, false, 0, sign);
    if (up == 0 || is_wide)
        return x_is_negative ? arc_sum(4, false, 0, sign) : weft_float_from_bits(sign);
    if (right == 0 || is_tall)
        return arc_sum(2, false, 0, sign);
    return arc(up, right, x_is_negative, sign);
}

float weft_float_atan(float a) {
    return weft_float_atan2(a, 1.0f);
}
