#include "math_big.h"
#include "math_test.h"
#include "weft/vec.h"

static weft_vec3 vec(int32_t x, int32_t y, int32_t z) {
    return (weft_vec3){weft_fixed_from_raw(x), weft_fixed_from_raw(y), weft_fixed_from_raw(z)};
}

static weft_vec3 random_vec(uint64_t* state) {
    // Three statements: the order of arguments is the compiler's choice.
    int32_t x = test_raw(state);
    int32_t y = test_raw(state);
    return vec(x, y, test_raw(state));
}

static bool is_vec(weft_vec3 a, int32_t x, int32_t y, int32_t z) {
    return a.x.raw == x && a.y.raw == y && a.z.raw == z;
}

static big product(weft_fixed a, weft_fixed b) {
    return big_mul(big_of(a.raw), big_of(b.raw));
}

static big dot(weft_vec3 a, weft_vec3 b) {
    return big_add(product(a.x, b.x), big_add(product(a.y, b.y), product(a.z, b.z)));
}

/// Whether r is the sum of products n, saturated and rounded once.
static bool is_number(big n, int32_t r) {
    return big_is_saturated(n, big_of(65536), r, INT32_MIN, INT32_MAX);
}

/// Whether r is the square root of n, or the limit where that is larger.
static bool is_length(big n, int32_t r) {
    if (r == INT32_MAX && big_compare(n, big_mul(big_of(r), big_of(r))) >= 0)
        return true;
    return r >= 0 && big_is_root(n, (uint64_t)r);
}

/// Whether unit is within 0.501 ulp of 65536 * part / sqrt(square), and has its sign.
static bool is_unit(int32_t part, big square, int32_t unit) {
    big exact = big_mul(big_of(part), big_of(65536 * 1000));
    big low = big_of(llabs((int64_t)unit) * 1000 - 501);
    big high = big_of(llabs((int64_t)unit) * 1000 + 501);
    exact = big_mul(exact, exact);
    return (big_sign(low) < 0 || big_compare(big_mul(big_mul(low, low), square), exact) <= 0) &&
           big_compare(exact, big_mul(big_mul(high, high), square)) <= 0 && abs(unit) <= 65536 &&
           (int64_t)unit * part >= 0;
}

static void check_one(weft_vec3 a) {
    big square = dot(a, a);
    int32_t length = weft_vec3_length(a).raw;
    if (!is_length(square, length))
        TEST_FAIL("length(%d, %d, %d) = %d", a.x.raw, a.y.raw, a.z.raw, length);
    int32_t squared = weft_vec3_length_squared(a).raw;
    if (!is_number(square, squared))
        TEST_FAIL("length_squared(%d, %d, %d) = %d", a.x.raw, a.y.raw, a.z.raw, squared);
    weft_vec3 unit = weft_vec3_normalize(a);
    if (!is_unit(a.x.raw, square, unit.x.raw) || !is_unit(a.y.raw, square, unit.y.raw) ||
        !is_unit(a.z.raw, square, unit.z.raw))
        TEST_FAIL("normalize(%d, %d, %d) = (%d, %d, %d)", a.x.raw, a.y.raw, a.z.raw, unit.x.raw,
                  unit.y.raw, unit.z.raw);
}

static void check_pair(weft_vec3 a, weft_vec3 b) {
    int32_t sum = weft_vec3_dot(a, b).raw;
    bool good = is_number(dot(a, b), sum);
    weft_vec3 n = weft_vec3_cross(a, b);
    good = good && is_number(big_sub(product(a.y, b.z), product(a.z, b.y)), n.x.raw);
    good = good && is_number(big_sub(product(a.z, b.x), product(a.x, b.z)), n.y.raw);
    good = good && is_number(big_sub(product(a.x, b.y), product(a.y, b.x)), n.z.raw);
    big square = big_of(0);
    const weft_fixed as[3] = {a.x, a.y, a.z}, bs[3] = {b.x, b.y, b.z};
    for (int i = 0; i < 3; ++i) {
        big gap = big_of((int64_t)as[i].raw - bs[i].raw);
        square = big_add(square, big_mul(gap, gap));
    }
    int32_t distance = weft_vec3_distance(a, b).raw;
    good = good && is_length(square, distance) && distance == weft_vec3_distance(b, a).raw;
    if (!good)
        TEST_FAIL("(%d, %d, %d) and (%d, %d, %d): dot %d, cross (%d, %d, %d), distance %d", a.x.raw,
                  a.y.raw, a.z.raw, b.x.raw, b.y.raw, b.z.raw, sum, n.x.raw, n.y.raw, n.z.raw,
                  distance);
}

Test(vec3, oracle_refuses_wrong_results) {
    cr_assert_not(is_length(big_of(49), 6));
    cr_assert_not(is_length(big_of(49), 8));
    cr_assert_not(is_length(big_power(64), INT32_MAX - 1));
    cr_assert(is_unit(2, big_of(9), 43691));
    cr_assert_not(is_unit(2, big_of(9), 43690));
    cr_assert_not(is_unit(2, big_of(9), 43692));
    cr_assert_not(is_unit(2, big_of(9), -43691));
}

Test(vec3, all_pairs_of_edges) {
    enum {
        N = TEST_EDGES * TEST_EDGES * TEST_EDGES
    };
    weft_vec3 edges[N];
    for (int i = 0; i < N; ++i) {
        edges[i] = vec(test_edges[i % TEST_EDGES], test_edges[i / TEST_EDGES % TEST_EDGES],
                       test_edges[i / TEST_EDGES / TEST_EDGES]);
        check_one(edges[i]);
    }
    // A seventh of them against all: a stride that meets every edge in every place.
    for (int i = 0; i < N; i += 7) {
        for (int j = 0; j < N; ++j)
            check_pair(edges[i], edges[j]);
    }
}

Test(vec3, random_vectors) {
    uint64_t state = test_seed("random_vectors");
    for (int i = 0; i < 40000; ++i) {
        weft_vec3 a = random_vec(&state);
        weft_vec3 b = random_vec(&state);
        check_one(a);
        check_pair(a, b);
        // Near each other, and of one size: lengths that just fit.
        check_pair(a, weft_vec3_add(a, vec(b.x.raw >> 16, b.y.raw >> 16, b.z.raw >> 16)));
        check_one(vec(a.x.raw | 0x40000000, a.y.raw >> 1, a.z.raw >> 2));
    }
}

Test(vec3, componentwise) {
    const weft_fixed half = weft_fixed_from_raw(32768);
    weft_vec3 a = vec(100, -20, INT32_MAX), b = vec(-3, 4, 1);
    cr_assert(is_vec(weft_vec3_add(a, b), 97, -16, INT32_MAX));
    cr_assert(is_vec(weft_vec3_sub(a, b), 103, -24, INT32_MAX - 1));
    cr_assert(is_vec(weft_vec3_scale(vec(3, -65536, 1), half), 2, -32768, 0));
    cr_assert(is_vec(weft_vec3_min(a, b), -3, -20, 1));
    cr_assert(is_vec(weft_vec3_max(a, b), 100, 4, INT32_MAX));
    cr_assert(is_vec(weft_vec3_lerp(vec(INT32_MIN, 10, 5), vec(INT32_MAX, 21, 5), half), 0, 16, 5));
    cr_assert(is_vec(weft_vec3_lerp(a, b, WEFT_FIXED_ONE), -3, 4, 1));
}

Test(vec3, dot_beyond_64_bits) {
    const weft_vec3 low = vec(INT32_MIN, INT32_MIN, INT32_MIN);
    const weft_vec3 high = vec(INT32_MAX, INT32_MAX, INT32_MAX);
    cr_assert_eq(weft_vec3_dot(low, low).raw, INT32_MAX);
    cr_assert_eq(weft_vec3_dot(low, high).raw, INT32_MIN);
    cr_assert_eq(weft_vec3_dot(high, high).raw, INT32_MAX);
    // 2^62 + 2^62 - 2^31 * (2^31 - 1) is 2^62 + 2^31, though the first two make 2^63.
    cr_assert_eq(weft_vec3_dot(low, vec(INT32_MIN, INT32_MIN, INT32_MAX)).raw, INT32_MAX);
    // Large terms that cancel.
    cr_assert_eq(weft_vec3_dot(vec(INT32_MIN, INT32_MIN, INT32_MIN), vec(-2, 1, 1)).raw, 0);
    cr_assert_eq(weft_vec3_dot(vec(INT32_MIN, INT32_MIN, 65536), vec(-2, 2, 7)).raw, 7);
    // Three halves of a step go to 2; rounded apart, each would go to 0.
    cr_assert_eq(weft_vec3_dot(vec(1, 1, 1), vec(32768, 32768, 32768)).raw, 2);
}

Test(vec3, cross_known) {
    const weft_vec3 x = vec(65536, 0, 0), y = vec(0, 65536, 0), z = vec(0, 0, 65536);
    cr_assert(is_vec(weft_vec3_cross(x, y), 0, 0, 65536));
    cr_assert(is_vec(weft_vec3_cross(y, z), 65536, 0, 0));
    cr_assert(is_vec(weft_vec3_cross(z, x), 0, 65536, 0));
    cr_assert(is_vec(weft_vec3_cross(y, x), 0, 0, -65536));
    // (1, 2, 3) x (4, 5, 6)
    weft_vec3 a = vec(65536, 131072, 196608), b = vec(262144, 327680, 393216);
    cr_assert(is_vec(weft_vec3_cross(a, b), -3 * 65536, 6 * 65536, -3 * 65536));
    cr_assert(is_vec(weft_vec3_cross(a, a), 0, 0, 0));
}

Test(vec3, length_over_the_whole_range) {
    cr_assert_eq(weft_vec3_length(vec(2 * 65536, -3 * 65536, 6 * 65536)).raw, 7 * 65536);
    cr_assert_eq(weft_vec3_length(vec(0, 0, 0)).raw, 0);
    cr_assert_eq(weft_vec3_length(vec(1, 1, 1)).raw, 2);
    cr_assert_eq(weft_vec3_length(vec(600000000, -900000000, 1800000000)).raw, 2100000000);
    cr_assert_eq(weft_vec3_length(vec(INT32_MIN, INT32_MIN, INT32_MIN)).raw, INT32_MAX);
    cr_assert_eq(weft_vec3_length(vec(0, INT32_MIN, 0)).raw, INT32_MAX);
    cr_assert_eq(weft_vec3_length_squared(vec(65536, 131072, 131072)).raw, 9 * 65536);
    cr_assert_eq(weft_vec3_length_squared(vec(0, 0, 182 * 65536)).raw, INT32_MAX);
    cr_assert_eq(weft_vec3_distance(vec(-1, -2, 1), vec(1, 1, 7)).raw, 7);
    cr_assert_eq(weft_vec3_distance(vec(INT32_MIN, 0, 0), vec(INT32_MAX, 0, 0)).raw, INT32_MAX);
}

Test(vec3, normalize_known) {
    cr_assert(is_vec(weft_vec3_normalize(vec(0, 0, 0)), 0, 0, 0));
    cr_assert(is_vec(weft_vec3_normalize(vec(1, -2, 2)), 21845, -43691, 43691));
    for (int i = 0; i < TEST_EDGES; ++i) {
        int32_t raw = test_edges[i];
        int32_t sign = (raw > 0) - (raw < 0);
        cr_assert(is_vec(weft_vec3_normalize(vec(0, 0, raw)), 0, 0, sign * 65536));
        // 65536 / sqrt(3) is 37837.2.
        cr_assert(is_vec(weft_vec3_normalize(vec(raw, raw, raw)), sign * 37837, sign * 37837,
                         sign * 37837));
    }
}

/// One number for a long sequence of every operation: it must be the same in every build.
Test(vec3, results_are_pinned) {
    uint64_t state = 20240610;
    uint64_t hash = TEST_FOLD_START;
    for (int i = 0; i < 100000; ++i) {
        weft_vec3 a = random_vec(&state);
        weft_vec3 b = random_vec(&state);
        weft_vec3 unit = weft_vec3_normalize(a);
        weft_vec3 normal = weft_vec3_cross(a, b);
        hash = test_fold(hash, (uint32_t)weft_vec3_dot(a, b).raw);
        hash = test_fold(hash, (uint32_t)weft_vec3_length(a).raw);
        hash = test_fold(hash, (uint32_t)weft_vec3_distance(a, b).raw);
        hash = test_fold(hash, (uint32_t)(unit.x.raw ^ unit.y.raw * 3 ^ unit.z.raw * 5));
        hash = test_fold(hash, (uint32_t)normal.x.raw);
        hash = test_fold(hash, (uint32_t)normal.y.raw);
        hash = test_fold(hash, (uint32_t)normal.z.raw);
    }
    cr_assert_eq(hash, UINT64_C(0x8fbd43f98279611e), "0x%" PRIx64, hash);
}
