// Guards against overflow that take the absolute value first fail for the smallest value, and so
// does -1 as a divisor. Every operation of both formats over all pairs of limits and their
// neighbours, and over random pairs, against exact numbers of 256 bits; and every form of an
// operation against the plain one.

#include "math_big.h"
#include "math_test.h"
#include "weft/fixed64.h"

/// A binary operation in all its forms, on raw values. What a format has not is null.
struct binary {
    int64_t (*plain)(int64_t a, int64_t b);
    int64_t (*sticky)(int64_t a, int64_t b, weft_number_flags* flags);
    int64_t (*wrap)(int64_t a, int64_t b);
    bool (*checked)(int64_t a, int64_t b, int64_t* out);
};

struct unary {
    int64_t (*plain)(int64_t a);
    int64_t (*sticky)(int64_t a, weft_number_flags* flags);
};

/// A format as the tests see it.
struct format {
    const char* name;
    unsigned bits; ///< after the point
    int64_t min;
    int64_t max;
    struct binary add, sub, mul, div;
    struct unary neg, abs, sqrt, floor, ceil, round, trunc, fract;
    int64_t (*mod)(int64_t a, int64_t b);
    int64_t (*rem)(int64_t a, int64_t b);
    int64_t (*lower)(int64_t a, int64_t b);
    int64_t (*upper)(int64_t a, int64_t b);
    int64_t (*muladd)(int64_t a, int64_t b, int64_t c);
    int64_t (*lerp)(int64_t a, int64_t b, int64_t t);
    int64_t (*lerp_sticky)(int64_t a, int64_t b, int64_t t, weft_number_flags* flags);
    int64_t (*to_int)(int64_t a);
    int64_t (*from_int)(int64_t whole);
    int64_t (*from_int_sticky)(int64_t whole, weft_number_flags* flags);
};

#define RAW(f, raw_type, x) weft_##f##_from_raw((raw_type)(x))

#define UNARY(f, raw_type, op)                                                                     \
    static int64_t f##_##op(int64_t a) {                                                           \
        return weft_##f##_##op(RAW(f, raw_type, a)).raw;                                           \
    }
#define UNARY_STICKY(f, raw_type, op)                                                              \
    UNARY(f, raw_type, op)                                                                         \
    static int64_t f##_##op##_sticky(int64_t a, weft_number_flags* flags) {                        \
        return weft_##f##_##op##_sticky(RAW(f, raw_type, a), flags).raw;                           \
    }
#define BINARY(f, raw_type, op)                                                                    \
    static int64_t f##_##op(int64_t a, int64_t b) {                                                \
        return weft_##f##_##op(RAW(f, raw_type, a), RAW(f, raw_type, b)).raw;                      \
    }
#define BINARY_STICKY(f, raw_type, op)                                                             \
    BINARY(f, raw_type, op)                                                                        \
    static int64_t f##_##op##_sticky(int64_t a, int64_t b, weft_number_flags* flags) {             \
        return weft_##f##_##op##_sticky(RAW(f, raw_type, a), RAW(f, raw_type, b), flags).raw;      \
    }
#define BINARY_ALL(f, raw_type, op)                                                                \
    BINARY_STICKY(f, raw_type, op)                                                                 \
    static int64_t f##_##op##_wrap(int64_t a, int64_t b) {                                         \
        return weft_##f##_##op##_wrap(RAW(f, raw_type, a), RAW(f, raw_type, b)).raw;               \
    }                                                                                              \
    static bool f##_##op##_checked(int64_t a, int64_t b, int64_t* out) {                           \
        weft_##f r = {77};                                                                         \
        bool fits = weft_##f##_##op##_checked(RAW(f, raw_type, a), RAW(f, raw_type, b), &r);       \
        *out = r.raw;                                                                              \
        return fits;                                                                               \
    }
#define ALL_FORMS(f, op)                                                                           \
    { f##_##op, f##_##op##_sticky, f##_##op##_wrap, f##_##op##_checked }
#define TWO_FORMS(f, op)                                                                           \
    { f##_##op, f##_##op##_sticky }

// clang-format off
#define FORMAT(f, raw_type, int_type, low, high)                                                   \
    BINARY_ALL(f, raw_type, add) BINARY_ALL(f, raw_type, sub) BINARY_ALL(f, raw_type, mul)         \
    BINARY_STICKY(f, raw_type, div)                                                                \
    BINARY(f, raw_type, mod) BINARY(f, raw_type, rem)                                              \
    BINARY(f, raw_type, min) BINARY(f, raw_type, max)                                              \
    UNARY_STICKY(f, raw_type, neg) UNARY_STICKY(f, raw_type, abs) UNARY_STICKY(f, raw_type, sqrt)  \
    UNARY_STICKY(f, raw_type, ceil) UNARY_STICKY(f, raw_type, round)                               \
    UNARY(f, raw_type, floor) UNARY(f, raw_type, trunc) UNARY(f, raw_type, fract)                  \
    static int64_t f##_muladd(int64_t a, int64_t b, int64_t c) {                                   \
        return weft_##f##_muladd(RAW(f, raw_type, a), RAW(f, raw_type, b),                         \
                                 RAW(f, raw_type, c)).raw;                                         \
    }                                                                                              \
    static int64_t f##_lerp(int64_t a, int64_t b, int64_t t) {                                     \
        return weft_##f##_lerp(RAW(f, raw_type, a), RAW(f, raw_type, b), RAW(f, raw_type, t)).raw; \
    }                                                                                              \
    static int64_t f##_lerp_sticky(int64_t a, int64_t b, int64_t t, weft_number_flags* flags) {    \
        return weft_##f##_lerp_sticky(RAW(f, raw_type, a), RAW(f, raw_type, b),                    \
                                      RAW(f, raw_type, t), flags).raw;                             \
    }                                                                                              \
    static int64_t f##_to_int(int64_t a) {                                                         \
        return weft_##f##_to_int(RAW(f, raw_type, a));                                             \
    }                                                                                              \
    static int64_t f##_from_int(int64_t whole) {                                                   \
        return weft_##f##_from_int((int_type)whole).raw;                                           \
    }                                                                                              \
    static int64_t f##_from_int_sticky(int64_t whole, weft_number_flags* flags) {                  \
        return weft_##f##_from_int_sticky((int_type)whole, flags).raw;                             \
    }                                                                                              \
    static const struct format format_##f = {                                                      \
        #f, (unsigned)sizeof(raw_type) * 4, low, high,                                             \
        ALL_FORMS(f, add), ALL_FORMS(f, sub), ALL_FORMS(f, mul),                                   \
        {f##_div, f##_div_sticky, NULL, NULL},                                                     \
        TWO_FORMS(f, neg), TWO_FORMS(f, abs), TWO_FORMS(f, sqrt),                                  \
        {f##_floor, NULL}, TWO_FORMS(f, ceil), TWO_FORMS(f, round),                                \
        {f##_trunc, NULL}, {f##_fract, NULL},                                                      \
        f##_mod, f##_rem, f##_min, f##_max, f##_muladd, f##_lerp, f##_lerp_sticky,                 \
        f##_to_int, f##_from_int, f##_from_int_sticky,                                             \
    };
// clang-format on

FORMAT(fixed, int32_t, int32_t, INT32_MIN, INT32_MAX)
FORMAT(fixed64, int64_t, int64_t, INT64_MIN, INT64_MAX)

static const struct format* const formats[2] = {&format_fixed, &format_fixed64};

/// An exact result n / d, d > 0, in steps of the format.
struct exact {
    big n;
    big d;
};

/// What a case was, for messages.
struct context {
    const struct format* format;
    const char* op;
    int64_t a, b, c;
};

static void fail(struct context at, const char* what, int64_t r) {
    TEST_FAIL("%s %s(%" PRId64 ", %" PRId64 ", %" PRId64 "): %s is %" PRId64, at.format->name,
              at.op, at.a, at.b, at.c, what, r);
}

static void check_plain(struct context at, struct exact x, int64_t r) {
    if (!big_is_saturated(x.n, x.d, r, at.format->min, at.format->max))
        fail(at, "plain", r);
}

/// The sticky form's result and flags; what was set before stays.
static void check_sticky(struct context at, int64_t plain, int64_t r, weft_number_flags flags,
                         weft_number_flags expected) {
    if (r != plain)
        fail(at, "sticky", r);
    if (flags != (expected | 0x100u))
        fail(at, "flags", flags);
}

static weft_number_flags saturation(struct context at, struct exact x) {
    bool fits = big_fits(x.n, x.d, at.format->min, at.format->max);
    return fits ? 0u : WEFT_NUMBER_SATURATED;
}

/// `shift` is the power of 2 that x.d is.
static void check_forms(struct context at, const struct binary* op, struct exact x,
                        unsigned shift) {
    const struct format* f = at.format;
    int64_t r = op->plain(at.a, at.b);
    check_plain(at, x, r);
    weft_number_flags flags = 0x100u;
    int64_t sticky = op->sticky(at.a, at.b, &flags);
    check_sticky(at, r, sticky, flags, saturation(at, x));

    int64_t out = 0;
    bool fits = op->checked(at.a, at.b, &out);
    if (out != r)
        fail(at, "checked", out);
    if (fits != big_fits(x.n, x.d, f->min, f->max))
        fail(at, "checked's answer", fits);

    uint64_t low = big_low(shift == 0 ? x.n : big_shift(x.n, shift));
    int64_t wrapped = f->bits == 16 ? (int32_t)(uint32_t)low : (int64_t)low;
    int64_t wrap = op->wrap(at.a, at.b);
    if (wrap != wrapped)
        fail(at, "wrap", wrap);
    if (fits && wrap != r)
        fail(at, "wrap in range", wrap);
}

static void check_div(const struct format* f, int64_t a, int64_t b) {
    struct context at = {f, "div", a, b, 0};
    int64_t r = f->div.plain(a, b);
    weft_number_flags flags = 0x100u, expected;
    int64_t sticky = f->div.sticky(a, b, &flags);
    if (b == 0) {
        if (r != (a > 0 ? f->max : a < 0 ? f->min : 0))
            fail(at, "plain", r);
        expected = a == 0 ? WEFT_NUMBER_UNDEFINED : WEFT_NUMBER_DIVIDED_BY_0;
    } else {
        struct exact x = {big_mul(big_of(a), big_power(f->bits)), big_abs(big_of(b))};
        if (b < 0)
            x.n = big_negate(x.n);
        check_plain(at, x, r);
        expected = saturation(at, x);
    }
    check_sticky(at, r, sticky, flags, expected);
}

static uint64_t magnitude(int64_t number) {
    return number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
}

static void check_mod(const struct format* f, int64_t a, int64_t b) {
    int64_t rem = f->rem(a, b);
    int64_t mod = f->mod(a, b);
    uint64_t left = b == 0 ? 0 : magnitude(a) % magnitude(b);
    if (magnitude(rem) != left || (rem != 0 && (rem < 0) != (a < 0)))
        fail((struct context){f, "rem", a, b, 0}, "plain", rem);
    bool other_side = left != 0 && (a < 0) != (b < 0);
    uint64_t expected = other_side ? magnitude(b) - left : left;
    if (magnitude(mod) != expected || (mod != 0 && (mod < 0) != (b < 0)))
        fail((struct context){f, "mod", a, b, 0}, "plain", mod);
}

static void check_pair(const struct format* f, int64_t a, int64_t b) {
    const big one = big_of(1);
    const big unit = big_power(f->bits);
    struct exact sum = {big_add(big_of(a), big_of(b)), one};
    struct exact rest = {big_sub(big_of(a), big_of(b)), one};
    struct exact product = {big_mul(big_of(a), big_of(b)), unit};
    check_forms((struct context){f, "add", a, b, 0}, &f->add, sum, 0);
    check_forms((struct context){f, "sub", a, b, 0}, &f->sub, rest, 0);
    check_forms((struct context){f, "mul", a, b, 0}, &f->mul, product, f->bits);
    check_div(f, a, b);
    check_mod(f, a, b);
    if (f->lower(a, b) != (a < b ? a : b))
        fail((struct context){f, "min", a, b, 0}, "plain", f->lower(a, b));
    if (f->upper(a, b) != (a < b ? b : a))
        fail((struct context){f, "max", a, b, 0}, "plain", f->upper(a, b));
}

static void check_three(const struct format* f, int64_t a, int64_t b, int64_t c) {
    const big unit = big_power(f->bits);
    struct context at = {f, "lerp", a, b, c};
    big gap = big_sub(big_of(b), big_of(a));
    big start = big_mul(big_of(a), unit);
    struct exact x = {big_add(start, big_mul(gap, big_of(c))), unit};
    int64_t r = f->lerp(a, b, c);
    check_plain(at, x, r);
    weft_number_flags flags = 0x100u;
    int64_t sticky = f->lerp_sticky(a, b, c, &flags);
    check_sticky(at, r, sticky, flags, saturation(at, x));

    at.op = "muladd";
    x.n = big_add(big_mul(big_of(a), big_of(b)), big_mul(big_of(c), unit));
    check_plain(at, x, f->muladd(a, b, c));
}

static void check_unary(struct context at, const struct unary* op, struct exact x,
                        weft_number_flags expected) {
    int64_t r = op->plain(at.a);
    check_plain(at, x, r);
    weft_number_flags flags = 0x100u;
    int64_t sticky = op->sticky(at.a, &flags);
    check_sticky(at, r, sticky, flags, expected);
}

static void check_wholes(const struct format* f, int64_t a) {
    const int64_t one = (int64_t)1 << f->bits;
    const struct exact step = {big_of(a), big_power(f->bits)};
    struct context at = {f, "floor", a, 0, 0};
    int64_t floor = f->floor.plain(a);
    int64_t fract = f->fract.plain(a);
    if (floor % one != 0 || floor > a || (uint64_t)a - (uint64_t)floor >= (uint64_t)one)
        fail(at, "plain", floor);
    if (fract < 0 || fract >= one || floor + fract != a)
        fail(at, "fract", fract);
    at.op = "trunc";
    int64_t trunc = f->trunc.plain(a);
    if (trunc % one != 0 || magnitude(trunc) > magnitude(a) ||
        magnitude(a) - magnitude(trunc) >= (uint64_t)one || (trunc != 0 && (trunc < 0) != (a < 0)))
        fail(at, "plain", trunc);

    at.op = "ceil";
    struct exact up = {big_of(floor), big_of(1)};
    if (fract != 0)
        up.n = big_add(up.n, big_of(one));
    check_unary(at, &f->ceil, up, saturation(at, up));
    at.op = "to_int";
    int64_t whole = f->to_int(a);
    if (!big_is_rounded(step.n, step.d, big_of(whole)))
        fail(at, "plain", whole);
    at.op = "round";
    struct exact near = {big_mul(big_of(whole), big_of(one)), big_of(1)};
    check_unary(at, &f->round, near, saturation(at, near));
}

static void check_one(const struct format* f, int64_t a) {
    const big one = big_of(1);
    struct context at = {f, "neg", a, 0, 0};
    struct exact x = {big_negate(big_of(a)), one};
    check_unary(at, &f->neg, x, saturation(at, x));
    at.op = "abs";
    x.n = big_abs(big_of(a));
    check_unary(at, &f->abs, x, saturation(at, x));
    check_wholes(f, a);

    at.op = "sqrt";
    int64_t root = f->sqrt.plain(a);
    if (a < 0 ? root != 0 : !big_is_root(big_mul(big_of(a), big_power(f->bits)), (uint64_t)root))
        fail(at, "plain", root);
    weft_number_flags flags = 0x100u;
    int64_t sticky = f->sqrt.sticky(a, &flags);
    check_sticky(at, root, sticky, flags, a < 0 ? WEFT_NUMBER_UNDEFINED : 0u);

    at.op = "from_int";
    x.n = big_mul(big_of(a), big_power(f->bits));
    int64_t whole = f->from_int(a);
    check_plain(at, x, whole);
    flags = 0x100u;
    sticky = f->from_int_sticky(a, &flags);
    check_sticky(at, whole, sticky, flags, saturation(at, x));
}

/// The limits, their neighbours, and the numbers that a division or a sign treats differently.
static int edges_of(const struct format* f, int64_t* edges) {
    const int64_t one = (int64_t)1 << f->bits;
    const int64_t list[] = {
        f->min,
        f->min + 1,
        -one,
        -1,
        0,
        1,
        one,
        f->max - 1,
        f->max,
        // Ties and what is beside them, halves of the range, the last whole number.
        -one / 2,
        one / 2,
        one / 2 + 1,
        one * 3 / 2,
        f->min / 2,
        f->max / 2 + 1,
        f->max - one + 1,
        f->max - one + 2,
        f->max - one / 2,
        f->max - one / 2 + 1,
        f->min + one / 2,
    };
    const int count = (int)(sizeof list / sizeof list[0]);
    for (int i = 0; i < count; ++i)
        edges[i] = list[i];
    return count;
}

enum {
    EDGES_MAX = 32
};

Test(fixed_edges, oracle_refuses_wrong_results) {
    const big unit = big_power(32);
    const big half = big_power(31);
    cr_assert(big_is_rounded(half, unit, big_of(0)), "a tie goes to even");
    cr_assert_not(big_is_rounded(half, unit, big_of(1)));
    cr_assert(big_is_rounded(big_negate(half), unit, big_of(0)));
    cr_assert_not(big_is_rounded(big_negate(half), unit, big_of(-1)));
    cr_assert(big_is_rounded(big_add(half, big_of(1)), unit, big_of(1)));
    cr_assert_not(big_is_rounded(big_add(half, big_of(1)), unit, big_of(0)));
    big square = big_mul(big_of(INT64_MIN), big_of(INT64_MIN));
    cr_assert_eq(big_compare(square, big_power(126)), 0);
    cr_assert(big_is_saturated(square, unit, INT64_MAX, INT64_MIN, INT64_MAX));
    cr_assert_not(big_is_saturated(square, unit, INT64_MAX - 1, INT64_MIN, INT64_MAX));
    cr_assert_not(big_is_saturated(square, unit, INT64_MIN, INT64_MIN, INT64_MAX));
    // The last tie: at the upper limit it is out of range, at the lower one it is in.
    big top = big_add(big_mul(big_of(INT64_MAX), unit), half);
    big bottom = big_sub(big_mul(big_of(INT64_MIN), unit), half);
    cr_assert_not(big_fits(top, unit, INT64_MIN, INT64_MAX));
    cr_assert(big_fits(big_sub(top, big_of(1)), unit, INT64_MIN, INT64_MAX));
    cr_assert(big_fits(bottom, unit, INT64_MIN, INT64_MAX));
    cr_assert_not(big_fits(big_sub(bottom, big_of(1)), unit, INT64_MIN, INT64_MAX));
    cr_assert_eq(big_low(big_shift(top, 32)), (uint64_t)INT64_MAX + 1);
    cr_assert_eq((int64_t)big_low(big_shift(big_of(-3), 1)), -2);
    cr_assert_eq((int64_t)big_low(big_shift(big_of(-5), 1)), -2);
    cr_assert(big_is_root(big_of(8), 3));
    cr_assert_not(big_is_root(big_of(8), 2));
    cr_assert_not(big_is_root(big_of(6), 3));
    cr_assert_not(big_is_root(big_of(0), 1));
}

Test(fixed_edges, all_pairs_of_limits) {
    for (int k = 0; k < 2; ++k) {
        const struct format* f = formats[k];
        int64_t edges[EDGES_MAX];
        const int count = edges_of(f, edges);
        for (int i = 0; i < count; ++i) {
            check_one(f, edges[i]);
            for (int j = 0; j < count; ++j) {
                check_pair(f, edges[i], edges[j]);
                for (int t = 0; t < count; ++t)
                    check_three(f, edges[i], edges[j], edges[t]);
            }
        }
    }
}

/// The documented results, written out.
Test(fixed_edges, limits_known) {
    for (int k = 0; k < 2; ++k) {
        const struct format* f = formats[k];
        const int64_t min = f->min, max = f->max, one = (int64_t)1 << f->bits;
        cr_assert_eq(f->neg.plain(min), max);
        cr_assert_eq(f->abs.plain(min), max);
        cr_assert_eq(f->div.plain(min, -1), max);
        cr_assert_eq(f->div.plain(min, -one), max);
        cr_assert_eq(f->div.plain(min, one), min);
        cr_assert_eq(f->div.plain(min, min), one);
        cr_assert_eq(f->div.plain(max, min), -one);
        cr_assert_eq(f->div.plain(0, min), 0);
        cr_assert_eq(f->div.plain(min, 0), min);
        cr_assert_eq(f->div.plain(-1, 0), min);
        cr_assert_eq(f->div.plain(1, 0), max);
        cr_assert_eq(f->div.plain(0, 0), 0);
        cr_assert_eq(f->mul.plain(min, min), max);
        cr_assert_eq(f->mul.plain(min, max), min);
        cr_assert_eq(f->mul.plain(min, -one), max);
        cr_assert_eq(f->mul.wrap(min, -one), min);
        cr_assert_eq(f->mul.plain(min, -1), one / 2);
        cr_assert_eq(f->mod(min, -1), 0);
        cr_assert_eq(f->rem(min, -1), 0);
        cr_assert_eq(f->mod(min, 0), 0);
        cr_assert_eq(f->mod(max, 0), 0);
        cr_assert_eq(f->mod(-1, max), max - 1);
        cr_assert_eq(f->mod(1, min), min + 1);
        cr_assert_eq(f->mod(min, max), max - 1);
        cr_assert_eq(f->rem(min, max), -1);
        cr_assert_eq(f->mod(-one / 4, one), one * 3 / 4);
        cr_assert_eq(f->mod(one / 4, -one), -one * 3 / 4);
        cr_assert_eq(f->rem(-one / 4, one), -one / 4);
        cr_assert_eq(f->sqrt.plain(min), 0);
        cr_assert_eq(f->sqrt.plain(-1), 0);
        cr_assert_eq(f->lerp(min, max, one), max);
        cr_assert_eq(f->lerp(max, min, one), min);
        cr_assert_eq(f->lerp(min, max, 0), min);
        cr_assert_eq(f->lerp(min, max, one / 2), 0, "rounded once: -1/2 goes to even");
        cr_assert_eq(f->lerp(min, max, min), min);
        cr_assert_eq(f->lerp(max, min, min), max);
        cr_assert_eq(f->ceil.plain(max), max);
        cr_assert_eq(f->round.plain(max), max);
        cr_assert_eq(f->floor.plain(max), max - one + 1);
        cr_assert_eq(f->trunc.plain(min + 1), min + one);
        cr_assert_eq(f->floor.plain(-1), -one);
        cr_assert_eq(f->fract.plain(-1), one - 1);
        cr_assert_eq(f->round.plain(one / 2), 0);
        cr_assert_eq(f->round.plain(-one * 3 / 2), -2 * one);
    }
}

/// A raw value of random size, with a random number of low bits cleared.
static int64_t random_raw(const struct format* f, uint64_t* state) {
    if (f->bits == 16)
        return test_raw(state);
    int64_t raw = (int64_t)test_next(state);
    uint64_t bits = test_next(state);
    return (raw >> (bits % 64)) & -((int64_t)1 << (bits >> 8) % 36);
}

Test(fixed_edges, random_pairs) {
    uint64_t state = test_seed("random_pairs");
    for (int i = 0; i < 50000; ++i) {
        const struct format* f = formats[i % 2];
        int64_t a = random_raw(f, &state);
        int64_t b = random_raw(f, &state);
        int64_t c = random_raw(f, &state);
        check_one(f, a);
        check_pair(f, a, b);
        check_three(f, a, b, c);
        // Parameters as they are used.
        check_three(f, a, b, c & (((int64_t)1 << f->bits) - 1));
    }
}

/// The forms that flags alone tell apart, in one sequence: nothing clears them.
Test(fixed_edges, flags_stay) {
    for (int k = 0; k < 2; ++k) {
        const struct format* f = formats[k];
        weft_number_flags flags = 0;
        f->add.sticky(1, 2, &flags);
        f->lerp_sticky(f->min, f->max, 1, &flags);
        cr_assert_eq(flags, 0);
        f->div.sticky(1, 0, &flags);
        cr_assert_eq(flags, WEFT_NUMBER_DIVIDED_BY_0);
        f->sqrt.sticky(-1, &flags);
        cr_assert_eq(flags, WEFT_NUMBER_DIVIDED_BY_0 | WEFT_NUMBER_UNDEFINED);
        f->neg.sticky(f->min, &flags);
        f->add.sticky(1, 2, &flags);
        cr_assert_eq(flags,
                     WEFT_NUMBER_DIVIDED_BY_0 | WEFT_NUMBER_UNDEFINED | WEFT_NUMBER_SATURATED);
    }
}
