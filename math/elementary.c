// The elementary functions of both formats: arguments to the kernels' form, the edges, and one
// rounding of the kernels' results, which are wide enough for it to be the right one.

#include "weft/elementary.h"

#include "elementary_kernel.h"

/// A result before rounding: a size in Q64.64, a sign, and what has happened so far.
typedef struct real {
    weft__u128 size;
    bool negative;
    weft_number_flags flags;
} real;

/// The kernels' argument: steps of 2^-32.
static inline int64_t widen(weft_fixed a) {
    return (int64_t)a.raw * 65536;
}

static inline uint64_t magnitude(int64_t number) {
    uint64_t sign = (uint64_t)(number >> 63); // No branch: signs are as good as random.
    return ((uint64_t)number ^ sign) - sign;
}

// Rounding ---------------------------------------------------------------------------------------

/// A limit that stands for an infinite result was reported already, by its cause.
static inline void note(const real* x, bool saturated, weft_number_flags* flags) {
    if (flags)
        *flags |= x->flags | (saturated && x->flags == 0 ? WEFT_NUMBER_SATURATED : 0);
}

static inline weft_fixed to_fixed(real x, weft_number_flags* flags) {
    uint64_t rest = x.size.low << 16;
    uint64_t raw = x.size.high << 16 | x.size.low >> 48;
    raw += rest > (UINT64_C(1) << 63) - (raw & 1);
    uint64_t limit = (uint64_t)INT32_MAX + x.negative;
    bool saturated = x.size.high > 65535 || raw > limit;
    note(&x, saturated, flags);
    raw = saturated ? limit : raw;
    uint64_t sign = 0 - (uint64_t)x.negative;
    return weft_fixed_from_raw((int32_t)((raw ^ sign) - sign));
}

static inline weft_fixed64 to_fixed64(real x, weft_number_flags* flags) {
    uint64_t rest = x.size.low << 32;
    uint64_t raw = x.size.high << 32 | x.size.low >> 32;
    raw += rest > (UINT64_C(1) << 63) - (raw & 1);
    uint64_t limit = (uint64_t)INT64_MAX + x.negative;
    bool saturated = x.size.high > UINT64_C(1) << 31 || raw > limit;
    note(&x, saturated, flags);
    raw = saturated ? limit : raw;
    uint64_t sign = 0 - (uint64_t)x.negative;
    return (weft_fixed64){(int64_t)((raw ^ sign) - sign)};
}

// Functions of steps of 2^-32 --------------------------------------------------------------------

static inline real sine(int64_t a) {
    weft__turn turn = weft__turn_of(magnitude(a));
    return (real){weft__sine_of(turn), (a < 0) != (turn.quadrant > 1), 0};
}

static inline real cosine(int64_t a) {
    weft__turn turn = weft__turn_of(magnitude(a));
    turn.quadrant = (turn.quadrant + 1) & 3;
    return (real){weft__sine_of(turn), turn.quadrant > 1, 0};
}

static inline real tangent(int64_t a) {
    weft__turn turn = weft__turn_of_fine(magnitude(a));
    return (real){weft__tangent_of(turn), (a < 0) != ((turn.quadrant & 1) != 0), 0};
}

static inline real arcsine(int64_t a) {
    uint64_t size = magnitude(a);
    if (size > UINT32_MAX)
        return (real){weft__half_pi, a < 0, 0};
    return (real){weft__angle_of(size << 32, weft__other_leg(size)), a < 0, 0};
}

/// pi - angle if `mirrored`, else the angle.
static inline weft__u128 from_pi(weft__u128 angle, bool mirrored) {
    uint64_t mask = 0 - (uint64_t)mirrored;
    weft__u128 base = {weft__pi.high & mask, weft__pi.low & mask};
    return weft__wide_add(base, weft__wide_sign(angle, mask));
}

static inline real arccosine(int64_t a) {
    uint64_t size = magnitude(a);
    weft__u128 angle = {0, 0};
    if (size <= UINT32_MAX)
        angle = weft__angle_of(weft__other_leg(size), size << 32);
    return (real){from_pi(angle, a < 0), false, 0};
}

static inline real arctangent(int64_t a) {
    return (real){weft__angle_of(magnitude(a), UINT64_C(1) << 32), a < 0, 0};
}

static inline real direction(int64_t y, int64_t x) {
    weft__u128 angle = {0, 0};
    if (x != 0 || y != 0)
        angle = weft__angle_of(magnitude(y), magnitude(x));
    return (real){from_pi(angle, x < 0), y < 0, 0};
}

static inline real exponential(int64_t a) {
    weft__u128 exponent = weft__wide_scale(magnitude(a), weft__log2_e);
    exponent = weft__wide_sign(exponent, 0 - (uint64_t)(a < 0));
    return (real){weft__power_of_2(exponent), false, 0};
}

static inline real exponential_2(int64_t a) {
    weft__u128 exponent = {(uint64_t)(a >> 8), (uint64_t)a << 56};
    return (real){weft__power_of_2(exponent), false, 0};
}

/// log2(a) * unit / 2^64, with unit 0 for 1.
static inline real logarithm_in(int64_t a, uint64_t unit) {
    if (a <= 0)
        return a == 0 ? (real){weft__infinite, true, 0}
                      : (real){{0, 0}, false, WEFT_NUMBER_UNDEFINED};
    weft__u128 log = weft__log2_of((uint64_t)a);
    bool negative = log.high >> 63 != 0;
    log = weft__wide_sign(log, 0 - (uint64_t)negative);
    if (unit != 0)
        log = weft__wide_scale(unit, log);
    return (real){weft__wide_right(log, 56), negative, 0};
}

static inline real logarithm(int64_t a) {
    return logarithm_in(a, weft__ln_2);
}

static inline real logarithm_2(int64_t a) {
    return logarithm_in(a, 0);
}

static inline real power(int64_t x, int64_t y) {
    bool whole = (y & UINT32_MAX) == 0;
    if (y == 0)
        return (real){{1, 0}, false, 0};
    if (x == 0)
        return y > 0 ? (real){{0, 0}, false, 0}
                     : (real){weft__infinite, false, WEFT_NUMBER_DIVIDED_BY_0};
    if (x < 0 && !whole)
        return (real){{0, 0}, false, WEFT_NUMBER_UNDEFINED};
    bool odd = ((y >> 32) & 1) != 0;
    return (real){weft__power_of(magnitude(x), magnitude(y), y < 0), x < 0 && odd, 0};
}

// Public functions -------------------------------------------------------------------------------

#define DEFINE_PLAIN(name, kernel)                                                                 \
    weft_fixed weft_fixed_##name(weft_fixed a) {                                                   \
        return to_fixed(kernel(widen(a)), NULL);                                                   \
    }                                                                                              \
    weft_fixed64 weft_fixed64_##name(weft_fixed64 a) {                                             \
        return to_fixed64(kernel(a.raw), NULL);                                                    \
    }

// The plain function is the sticky one with its flags forgotten.
#define DEFINE_STICKY(name, kernel)                                                                \
    weft_fixed weft_fixed_##name##_sticky(weft_fixed a, weft_number_flags* flags) {                \
        return to_fixed(kernel(widen(a)), flags);                                                  \
    }                                                                                              \
    weft_fixed64 weft_fixed64_##name##_sticky(weft_fixed64 a, weft_number_flags* flags) {          \
        return to_fixed64(kernel(a.raw), flags);                                                   \
    }                                                                                              \
    weft_fixed weft_fixed_##name(weft_fixed a) {                                                   \
        weft_number_flags flags = 0;                                                               \
        return weft_fixed_##name##_sticky(a, &flags);                                              \
    }                                                                                              \
    weft_fixed64 weft_fixed64_##name(weft_fixed64 a) {                                             \
        weft_number_flags flags = 0;                                                               \
        return weft_fixed64_##name##_sticky(a, &flags);                                            \
    }

DEFINE_PLAIN(sin, sine)
DEFINE_PLAIN(cos, cosine)
DEFINE_STICKY(tan, tangent)
DEFINE_PLAIN(asin, arcsine)
DEFINE_PLAIN(acos, arccosine)
DEFINE_PLAIN(atan, arctangent)
DEFINE_STICKY(exp, exponential)
DEFINE_STICKY(exp2, exponential_2)
DEFINE_STICKY(log, logarithm)
DEFINE_STICKY(log2, logarithm_2)

weft_fixed weft_fixed_atan2(weft_fixed y, weft_fixed x) {
    return to_fixed(direction(widen(y), widen(x)), NULL);
}

weft_fixed64 weft_fixed64_atan2(weft_fixed64 y, weft_fixed64 x) {
    return to_fixed64(direction(y.raw, x.raw), NULL);
}

weft_fixed weft_fixed_pow_sticky(weft_fixed x, weft_fixed y, weft_number_flags* flags) {
    return to_fixed(power(widen(x), widen(y)), flags);
}

weft_fixed64 weft_fixed64_pow_sticky(weft_fixed64 x, weft_fixed64 y, weft_number_flags* flags) {
    return to_fixed64(power(x.raw, y.raw), flags);
}

weft_fixed weft_fixed_pow(weft_fixed x, weft_fixed y) {
    weft_number_flags flags = 0;
    return weft_fixed_pow_sticky(x, y, &flags);
}

weft_fixed64 weft_fixed64_pow(weft_fixed64 x, weft_fixed64 y) {
    weft_number_flags flags = 0;
    return weft_fixed64_pow_sticky(x, y, &flags);
}

// Roots: exact, by integers ----------------------------------------------------------------------

/// What 1/sqrt of a number that is not positive is reported as.
static inline weft_number_flags rsqrt_flags(int64_t a) {
    return a == 0 ? WEFT_NUMBER_DIVIDED_BY_0 : WEFT_NUMBER_UNDEFINED;
}

// The raw result is sqrt(2^48 / a). Twice it, rounded down, is the root of 2^50 / a rounded down,
// and no tie can occur: it would make the square of an odd number divide 2^50.
weft_fixed weft_fixed_rsqrt_sticky(weft_fixed a, weft_number_flags* flags) {
    if (a.raw <= 0) {
        *flags |= rsqrt_flags(a.raw);
        return a.raw == 0 ? WEFT_FIXED_MAX : WEFT_FIXED_ZERO;
    }
    uint64_t square = (UINT64_C(1) << 50) / (uint64_t)a.raw;
    uint64_t twice = weft_isqrt64(square);
    twice -= twice * twice > square;
    return weft_fixed_from_raw((int32_t)((twice + 1) / 2));
}

weft_fixed weft_fixed_rsqrt(weft_fixed a) {
    weft_number_flags flags = 0;
    return weft_fixed_rsqrt_sticky(a, &flags);
}

// The same with sqrt(2^96 / a): 2^98 / a is 2^34 / a, and the rest of that times 2^64 / a.
weft_fixed64 weft_fixed64_rsqrt_sticky(weft_fixed64 a, weft_number_flags* flags) {
    if (a.raw <= 0) {
        *flags |= rsqrt_flags(a.raw);
        return (weft_fixed64){a.raw == 0 ? INT64_MAX : 0};
    }
    uint64_t divisor = (uint64_t)a.raw;
    uint64_t dividend = UINT64_C(1) << 34;
    unsigned shift = weft__leading_zeros(divisor);
    weft__u128 square = {dividend / divisor, 0};
    weft__u128 rest = {(dividend - square.high * divisor) << shift, 0};
    divisor <<= shift;
    uint64_t left;
    square.low = weft__divide_by_reciprocal(rest, divisor, weft__reciprocal(divisor), &left);
    return (weft_fixed64){(int64_t)((weft__wide_root(square) + 1) / 2)};
}

weft_fixed64 weft_fixed64_rsqrt(weft_fixed64 a) {
    weft_number_flags flags = 0;
    return weft_fixed64_rsqrt_sticky(a, &flags);
}

weft_fixed weft_fixed_hypot_sticky(weft_fixed x, weft_fixed y, weft_number_flags* flags) {
    uint64_t x_size = weft__magnitude32(x.raw);
    uint64_t y_size = weft__magnitude32(y.raw);
    uint64_t length = weft_isqrt64(x_size * x_size + y_size * y_size);
    if (length <= INT32_MAX)
        return weft_fixed_from_raw((int32_t)length);
    *flags |= WEFT_NUMBER_SATURATED;
    return WEFT_FIXED_MAX;
}

weft_fixed weft_fixed_hypot(weft_fixed x, weft_fixed y) {
    weft_number_flags flags = 0;
    return weft_fixed_hypot_sticky(x, y, &flags);
}

weft_fixed64 weft_fixed64_hypot_sticky(weft_fixed64 x, weft_fixed64 y, weft_number_flags* flags) {
    uint64_t x_size = magnitude(x.raw);
    uint64_t y_size = magnitude(y.raw);
    weft__u128 square =
        weft__wide_add(weft__mul_wide(x_size, x_size), weft__mul_wide(y_size, y_size));
    uint64_t length = weft__wide_root(square);
    weft__u128 rest = weft__wide_sub(square, weft__mul_wide(length, length));
    length += rest.high != 0 || rest.low > length; // over length + 1/2
    if (length <= INT64_MAX)
        return (weft_fixed64){(int64_t)length};
    *flags |= WEFT_NUMBER_SATURATED;
    return (weft_fixed64){INT64_MAX};
}

weft_fixed64 weft_fixed64_hypot(weft_fixed64 x, weft_fixed64 y) {
    weft_number_flags flags = 0;
    return weft_fixed64_hypot_sticky(x, y, &flags);
}
