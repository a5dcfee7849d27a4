#include "math_test.h"
#include "weft/vec.h"

static weft_vec2 vec(int32_t x, int32_t y) {
    return (weft_vec2){weft_fixed_from_raw(x), weft_fixed_from_raw(y)};
}

static weft_vec2 random_vec(uint64_t* state) {
    // Two statements: the order of arguments is the compiler's choice.
    int32_t x = test_raw(state);
    return vec(x, test_raw(state));
}

/// Whether r is the square root of x*x + y*y to nearest, or the limit where that is larger.
/// Magnitudes up to 2^31.
static bool is_length(uint64_t x, uint64_t y, int32_t r) {
    uint64_t square = x * x + y * y;
    uint64_t root = (uint64_t)r;
    if (r < 0)
        return false;
    bool above = r == 0 ? true : square > root * (root - 1);
    bool below = square <= root * (root + 1) || r == INT32_MAX;
    return above && below;
}

static uint64_t size_of(int64_t number) {
    return (uint64_t)(number < 0 ? -number : number);
}

static void check_length(weft_vec2 a) {
    int32_t length = weft_vec2_length(a).raw;
    if (!is_length(size_of(a.x.raw), size_of(a.y.raw), length))
        TEST_FAIL("length(%d, %d) = %d", a.x.raw, a.y.raw, length);
}

static void check_distance(weft_vec2 a, weft_vec2 b) {
    uint64_t x = size_of((int64_t)a.x.raw - b.x.raw);
    uint64_t y = size_of((int64_t)a.y.raw - b.y.raw);
    int32_t distance = weft_vec2_distance(a, b).raw;
    bool far = x > INT32_MAX || y > INT32_MAX;
    if (far ? distance != INT32_MAX : !is_length(x, y, distance))
        TEST_FAIL("distance((%d, %d), (%d, %d)) = %d", a.x.raw, a.y.raw, b.x.raw, b.y.raw,
                  distance);
    cr_assert_eq(distance, weft_vec2_distance(b, a).raw);
}

#ifdef __SIZEOF_INT128__
__extension__ typedef __int128 wide;

static int32_t dot_oracle(weft_vec2 a, weft_vec2 b) {
    wide sum = (wide)a.x.raw * b.x.raw + (wide)a.y.raw * b.y.raw;
    wide whole = sum / 65536;
    wide rest = sum % 65536;
    wide twice = 2 * (rest < 0 ? -rest : rest);
    if (twice > 65536 || (twice == 65536 && whole % 2 != 0))
        whole += sum < 0 ? -1 : 1;
    if (whole > INT32_MAX)
        return INT32_MAX;
    return whole < INT32_MIN ? INT32_MIN : (int32_t)whole;
}

/// Whether unit is within 0.501 ulp of 65536 * part / sqrt(square), all magnitudes.
static bool is_unit(uint64_t part, wide square, int32_t unit) {
    wide exact = (wide)part * 65536 * 1000;
    wide low = (wide)unit * 1000 - 501;
    wide high = (wide)unit * 1000 + 501;
    exact *= exact; // under 2^114
    return (low < 0 || low * low * square <= exact) && exact <= high * high * square;
}

static void check_normalize(weft_vec2 a) {
    weft_vec2 unit = weft_vec2_normalize(a);
    wide square = (wide)a.x.raw * a.x.raw + (wide)a.y.raw * a.y.raw;
    bool good = size_of(unit.x.raw) <= 65536 && size_of(unit.y.raw) <= 65536;
    good = good && is_unit(size_of(a.x.raw), square, abs(unit.x.raw));
    good = good && is_unit(size_of(a.y.raw), square, abs(unit.y.raw));
    good = good && (int64_t)unit.x.raw * a.x.raw >= 0 && (int64_t)unit.y.raw * a.y.raw >= 0;
    if (!good)
        TEST_FAIL("normalize(%d, %d) = (%d, %d)", a.x.raw, a.y.raw, unit.x.raw, unit.y.raw);
}

static void check_dot(weft_vec2 a, weft_vec2 b) {
    int32_t dot = weft_vec2_dot(a, b).raw;
    if (dot != dot_oracle(a, b))
        TEST_FAIL("(%d, %d) . (%d, %d) = %d", a.x.raw, a.y.raw, b.x.raw, b.y.raw, dot);
}
#else
// Without a 128-bit integer the pinned results stand for these.
static void check_normalize(weft_vec2 a) {
    (void)a;
}

static void check_dot(weft_vec2 a, weft_vec2 b) {
    (void)a;
    (void)b;
}
#endif

Test(vec, all_pairs_of_edges) {
    const int n = TEST_EDGES;
    for (int i = 0; i < n * n; ++i) {
        weft_vec2 a = vec(test_edges[i / n], test_edges[i % n]);
        check_length(a);
        check_normalize(a);
        for (int j = 0; j < n * n; ++j) {
            weft_vec2 b = vec(test_edges[j / n], test_edges[j % n]);
            check_dot(a, b);
            check_distance(a, b);
        }
    }
}

Test(vec, random_vectors) {
    uint64_t state = test_seed("random_vectors");
    for (int i = 0; i < 1000000; ++i) {
        weft_vec2 a = random_vec(&state);
        weft_vec2 b = random_vec(&state);
        check_length(a);
        check_distance(a, b);
        check_dot(a, b);
        check_normalize(a);
    }
}

Test(vec, componentwise) {
    weft_vec2 sum = weft_vec2_add(vec(100, 20), vec(-3, 4));
    cr_assert_eq(sum.x.raw, 97);
    cr_assert_eq(sum.y.raw, 24);
    weft_vec2 difference = weft_vec2_sub(vec(100, 20), vec(-3, 4));
    cr_assert_eq(difference.x.raw, 103);
    cr_assert_eq(difference.y.raw, 16);
    weft_vec2 limits = weft_vec2_add(vec(INT32_MAX, INT32_MIN), vec(1, -1));
    cr_assert_eq(limits.x.raw, INT32_MAX);
    cr_assert_eq(limits.y.raw, INT32_MIN);
    weft_vec2 scaled = weft_vec2_scale(vec(3, -65536), weft_fixed_from_raw(32768));
    cr_assert_eq(scaled.x.raw, 2, "a tie goes to even");
    cr_assert_eq(scaled.y.raw, -32768);
}

Test(vec, dot_is_rounded_once) {
    // Two halves of a step make a whole one; rounded apart they would vanish.
    cr_assert_eq(weft_vec2_dot(vec(1, 1), vec(32768, 32768)).raw, 1);
    // The only sum that does not fit 64 bits.
    cr_assert_eq(weft_vec2_dot(vec(INT32_MIN, INT32_MIN), vec(INT32_MIN, INT32_MIN)).raw,
                 INT32_MAX);
    // Large terms that cancel.
    cr_assert_eq(weft_vec2_dot(vec(INT32_MAX, INT32_MAX), vec(INT32_MAX, -INT32_MAX)).raw, 0);
    cr_assert_eq(weft_vec2_dot(vec(INT32_MIN, INT32_MIN), vec(INT32_MAX, INT32_MAX)).raw,
                 INT32_MIN);
}

Test(vec, length_over_the_whole_range) {
    cr_assert_eq(weft_vec2_length(vec(3 * 65536, -4 * 65536)).raw, 5 * 65536);
    cr_assert_eq(weft_vec2_length(vec(3, 4)).raw, 5);
    cr_assert_eq(weft_vec2_length(vec(1, 1)).raw, 1);
    cr_assert_eq(weft_vec2_length(vec(0, 0)).raw, 0);
    cr_assert_eq(weft_vec2_length(vec(182 * 65536, 0)).raw, 182 * 65536);
    cr_assert_eq(weft_vec2_length(vec(INT32_MAX, 0)).raw, INT32_MAX);
    cr_assert_eq(weft_vec2_length(vec(INT32_MIN, 0)).raw, INT32_MAX);
    cr_assert_eq(weft_vec2_length(vec(INT32_MIN, INT32_MIN)).raw, INT32_MAX);
    cr_assert_eq(weft_vec2_length(vec(1200000000, 1600000000)).raw, 2000000000);
    cr_assert_eq(weft_vec2_length_squared(vec(2 * 65536, 3 * 65536)).raw, 13 * 65536);
    cr_assert_eq(weft_vec2_length_squared(vec(182 * 65536, 0)).raw, INT32_MAX);
}

Test(vec, distance_over_the_whole_range) {
    cr_assert_eq(weft_vec2_distance(vec(-20000 * 65536, 0), vec(20000 * 65536, 0)).raw, INT32_MAX);
    cr_assert_eq(weft_vec2_distance(vec(INT32_MIN, INT32_MIN), vec(INT32_MAX, INT32_MAX)).raw,
                 INT32_MAX);
    cr_assert_eq(weft_vec2_distance(vec(-1, -2), vec(2, 2)).raw, 5);
    cr_assert_eq(weft_vec2_distance(vec(-1000000000, 0), vec(1000000000, 0)).raw, 2000000000);
}

Test(vec, normalize_known) {
    weft_vec2 zero = weft_vec2_normalize(vec(0, 0));
    cr_assert_eq(zero.x.raw, 0);
    cr_assert_eq(zero.y.raw, 0);
    weft_vec2 slope = weft_vec2_normalize(vec(3, -4));
    cr_assert_eq(slope.x.raw, 39322);
    cr_assert_eq(slope.y.raw, -52429);
    for (int i = 0; i < TEST_EDGES; ++i) {
        int32_t raw = test_edges[i];
        int32_t sign = (raw > 0) - (raw < 0);
        weft_vec2 axis = weft_vec2_normalize(vec(0, raw));
        cr_assert_eq(axis.x.raw, 0);
        cr_assert_eq(axis.y.raw, sign * 65536);
        weft_vec2 diagonal = weft_vec2_normalize(vec(raw, raw));
        cr_assert_eq(diagonal.x.raw, sign * 46341);
        cr_assert_eq(diagonal.y.raw, sign * 46341);
    }
}

/// One number for a long sequence of every operation: it must be the same in every build.
Test(vec, results_are_pinned) {
    uint64_t state = 20240608;
    uint64_t hash = TEST_FOLD_START;
    for (int i = 0; i < 100000; ++i) {
        weft_vec2 a = random_vec(&state);
        weft_vec2 b = random_vec(&state);
        weft_vec2 unit = weft_vec2_normalize(a);
        hash = test_fold(hash, (uint32_t)weft_vec2_dot(a, b).raw);
        hash = test_fold(hash, (uint32_t)weft_vec2_length(a).raw);
        hash = test_fold(hash, (uint32_t)weft_vec2_distance(a, b).raw);
        hash = test_fold(hash, (uint32_t)unit.x.raw);
        hash = test_fold(hash, (uint32_t)unit.y.raw);
    }
    cr_assert_eq(hash, UINT64_C(0x24c3b538b304a967), "0x%" PRIx64, hash);
}
