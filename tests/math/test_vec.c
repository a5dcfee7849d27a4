#include "math_big.h"
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

static big product(weft_fixed a, weft_fixed b) {
    return big_mul(big_of(a.raw), big_of(b.raw));
}

/// Whether r is the sum of products n, saturated and rounded once.
static bool is_number(big n, int32_t r) {
    return big_is_saturated(n, big_of(65536), r, INT32_MIN, INT32_MAX);
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

/// Whether unit is within 0.501 ulp of 65536 * part / sqrt(square), all magnitudes.
static bool is_unit(int64_t part, big square, int64_t unit) {
    big exact = big_mul(big_of(part), big_of(65536 * 1000));
    big low = big_of(unit * 1000 - 501);
    big high = big_of(unit * 1000 + 501);
    exact = big_mul(exact, exact);
    return (big_sign(low) < 0 || big_compare(big_mul(big_mul(low, low), square), exact) <= 0) &&
           big_compare(exact, big_mul(big_mul(high, high), square)) <= 0;
}

static void check_normalize(weft_vec2 a) {
    weft_vec2 unit = weft_vec2_normalize(a);
    big square = big_add(product(a.x, a.x), product(a.y, a.y));
    bool good = size_of(unit.x.raw) <= 65536 && size_of(unit.y.raw) <= 65536;
    good = good && is_unit((int64_t)size_of(a.x.raw), square, abs(unit.x.raw));
    good = good && is_unit((int64_t)size_of(a.y.raw), square, abs(unit.y.raw));
    good = good && (int64_t)unit.x.raw * a.x.raw >= 0 && (int64_t)unit.y.raw * a.y.raw >= 0;
    if (!good)
        TEST_FAIL("normalize(%d, %d) = (%d, %d)", a.x.raw, a.y.raw, unit.x.raw, unit.y.raw);
}

static void check_products(weft_vec2 a, weft_vec2 b) {
    int32_t dot = weft_vec2_dot(a, b).raw;
    if (!is_number(big_add(product(a.x, b.x), product(a.y, b.y)), dot))
        TEST_FAIL("(%d, %d) . (%d, %d) = %d", a.x.raw, a.y.raw, b.x.raw, b.y.raw, dot);
    int32_t cross = weft_vec2_cross(a, b).raw;
    if (!is_number(big_sub(product(a.x, b.y), product(a.y, b.x)), cross))
        TEST_FAIL("(%d, %d) x (%d, %d) = %d", a.x.raw, a.y.raw, b.x.raw, b.y.raw, cross);
}

Test(vec, all_pairs_of_edges) {
    const int n = TEST_EDGES;
    for (int i = 0; i < n * n; ++i) {
        weft_vec2 a = vec(test_edges[i / n], test_edges[i % n]);
        check_length(a);
        check_normalize(a);
        for (int j = 0; j < n * n; ++j) {
            weft_vec2 b = vec(test_edges[j / n], test_edges[j % n]);
            check_products(a, b);
            check_distance(a, b);
        }
    }
}

Test(vec, random_vectors) {
    uint64_t state = test_seed("random_vectors");
    for (int i = 0; i < 150000; ++i) {
        weft_vec2 a = random_vec(&state);
        weft_vec2 b = random_vec(&state);
        check_length(a);
        check_distance(a, b);
        check_products(a, b);
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

Test(vec, oracle_refuses_wrong_results) {
    cr_assert(is_number(big_of(32768), 0), "a tie goes to even");
    cr_assert_not(is_number(big_of(32768), 1));
    cr_assert_not(is_number(big_power(63), INT32_MIN));
    // 3/5 is 39321.6 steps.
    cr_assert(is_unit(3, big_of(25), 39322));
    cr_assert_not(is_unit(3, big_of(25), 39321));
    cr_assert_not(is_unit(3, big_of(25), 39323));
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

Test(vec, cross_known) {
    cr_assert_eq(weft_vec2_cross(vec(65536, 0), vec(0, 65536)).raw, 65536);
    cr_assert_eq(weft_vec2_cross(vec(0, 65536), vec(65536, 0)).raw, -65536);
    // Two halves of a step; the largest and the smallest difference; large terms that cancel.
    cr_assert_eq(weft_vec2_cross(vec(1, -1), vec(32768, 32768)).raw, 1);
    cr_assert_eq(weft_vec2_cross(vec(INT32_MIN, INT32_MAX), vec(INT32_MIN, INT32_MIN)).raw,
                 INT32_MAX);
    cr_assert_eq(weft_vec2_cross(vec(INT32_MAX, INT32_MIN), vec(INT32_MIN, INT32_MIN)).raw,
                 INT32_MIN);
    cr_assert_eq(weft_vec2_cross(vec(INT32_MIN, INT32_MIN), vec(INT32_MIN, INT32_MIN)).raw, 0);
}

Test(vec, lerp_and_corners) {
    const weft_fixed half = weft_fixed_from_raw(32768);
    weft_vec2 middle = weft_vec2_lerp(vec(INT32_MIN, 10), vec(INT32_MAX, 21), half);
    cr_assert_eq(middle.x.raw, 0);
    cr_assert_eq(middle.y.raw, 16, "15.5 goes to even");
    weft_vec2 end = weft_vec2_lerp(vec(INT32_MIN, 10), vec(INT32_MAX, 21), WEFT_FIXED_ONE);
    cr_assert_eq(end.x.raw, INT32_MAX);
    cr_assert_eq(end.y.raw, 21);
    weft_vec2 low = weft_vec2_min(vec(1, -5), vec(-3, 4));
    weft_vec2 high = weft_vec2_max(vec(1, -5), vec(-3, 4));
    cr_assert_eq(low.x.raw, -3);
    cr_assert_eq(low.y.raw, -5);
    cr_assert_eq(high.x.raw, 1);
    cr_assert_eq(high.y.raw, 4);
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
