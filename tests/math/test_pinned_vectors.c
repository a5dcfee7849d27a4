#include "float_test.h"

static weft_float3 random_vector(uint64_t* state) {
    weft_float3 a;
    a.x = of(random_bits(state));
    a.y = of(random_bits(state));
    a.z = of(random_bits(state));
    return a;
}

/// Components of like size: of random_vector's most are negligible next to the largest.
static weft_float3 near_vector(uint64_t* state) {
    uint32_t exponent = (uint32_t)(test_next(state) % 252);
    weft_float3 a;
    float* parts[] = {&a.x, &a.y, &a.z};
    for (int i = 0; i < 3; ++i) {
        uint64_t random = test_next(state);
        uint32_t bits = ((uint32_t)random & 0x807fffffu) | (exponent + (random >> 32) % 3) << 23;
        *parts[i] = of(bits);
    }
    return a;
}

static double double_length(double x, double y, double z) {
    return sqrt(x * x + y * y + z * z); // no square of a float overflows or vanishes in double
}

typedef struct worst_errors {
    double length2, length3, unit2, unit3;
} worst_errors;

static void raise_to(double* worst, double error, double limit, const char* what, weft_float3 a) {
    if (!(error <= limit))
        TEST_FAIL("%s of %a %a %a is %f ulp off", what, (double)a.x, (double)a.y, (double)a.z,
                  error);
    *worst = error > *worst ? error : *worst;
}

static void check_length(weft_float3 a, worst_errors* worst) {
    weft_float2 flat = {a.x, a.y};
    double exact2 = double_length(a.x, a.y, 0);
    double exact3 = double_length(a.x, a.y, a.z);
    raise_to(&worst->length2, ulps(weft_float2_length(flat), exact2), 2, "length2", a);
    raise_to(&worst->length3, ulps(weft_float3_length(a), exact3), 2.5, "length3", a);
    if (isfinite(exact2) && exact2 > 0) {
        weft_float2 unit = weft_float2_normalize(flat);
        raise_to(&worst->unit2, ulps(unit.x, a.x / exact2), 3, "unit2.x", a);
        raise_to(&worst->unit2, ulps(unit.y, a.y / exact2), 3, "unit2.y", a);
    }
    if (isfinite(exact3) && exact3 > 0) {
        weft_float3 unit = weft_float3_normalize(a);
        raise_to(&worst->unit3, ulps(unit.x, a.x / exact3), 3.5, "unit3.x", a);
        raise_to(&worst->unit3, ulps(unit.y, a.y / exact3), 3.5, "unit3.y", a);
        raise_to(&worst->unit3, ulps(unit.z, a.z / exact3), 3.5, "unit3.z", a);
    }
}

Test(pinned_vectors, lengths_of_edges) {
    worst_errors worst = {0, 0, 0, 0};
    const int n = FLOAT_EDGES;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n * n; ++j) {
            weft_float3 a = {of(float_edges[i]), of(float_edges[j / n]), of(float_edges[j % n])};
            check_length(a, &worst);
        }
    }
}

Test(pinned_vectors, lengths_of_random_vectors) {
    uint64_t state = test_seed("lengths_of_random_vectors");
    worst_errors worst = {0, 0, 0, 0};
    for (int i = 0; i < 300000; ++i) {
        check_length(random_vector(&state), &worst);
        check_length(near_vector(&state), &worst);
    }
    fprintf(stderr, "length %.3f %.3f ulp, unit %.3f %.3f ulp\n", worst.length2, worst.length3,
            worst.unit2, worst.unit3);
    cr_assert_gt(worst.unit3, 0.6, "the vectors are too easy");
}

Test(pinned_vectors, lengths_known) {
    weft_float2 huge = {2.5e38f, 3e38f};
    cr_assert_eq(bits_of(weft_float2_length(huge)), INFINITY_BITS, "beyond the largest number");
    weft_float2 large = {0x1.8p126f, 0x1p127f};
    cr_assert_eq(weft_float2_length(large), 0x1.4p127f);
    weft_float2 tiny = {of(3), of(4)};
    cr_assert_eq(bits_of(weft_float2_length(tiny)), 5);
    weft_float3 box = {2, 3, 6};
    cr_assert_eq(weft_float3_length(box), 7.0f);
    weft_float3 none = {0.0f, -0.0f, 0.0f};
    cr_assert_eq(bits_of(weft_float3_length(none)), 0);
    weft_float3 same = weft_float3_normalize(none);
    cr_assert_eq(bits_of(same.x), 0);
    cr_assert_eq(bits_of(same.y), 0x80000000u);
    weft_float2 endless = {of(0xff800000), 1.0f};
    cr_assert_eq(bits_of(weft_float2_length(endless)), INFINITY_BITS);
    cr_assert_eq(bits_of(weft_float2_normalize(endless).x), NAN_BITS);
    endless.y = of(0xffc00001);
    cr_assert_eq(bits_of(weft_float2_length(endless)), NAN_BITS);
    weft_float2 left = {-2e38f, 1.0f};
    weft_float2 right = {2e38f, 1.0f};
    cr_assert_eq(bits_of(weft_float2_distance(left, right)), INFINITY_BITS);
    weft_float3 from = {1, 1, 1};
    weft_float3 to = {3, 4, 7};
    cr_assert_eq(weft_float3_distance(from, to), 7.0f);
    cr_assert_eq(weft_float3_distance(to, from), 7.0f);
}

/// The stated order, step by step.
static uint32_t sum_of(uint32_t a, uint32_t b) {
    return rounded((double)of(a) + of(b));
}
static uint32_t product_of(float a, float b) {
    return rounded((double)a * b);
}

Test(pinned_vectors, order_of_evaluation) {
    uint64_t state = test_seed("order_of_evaluation");
    for (int i = 0; i < 200000; ++i) {
        weft_float3 a = random_vector(&state);
        weft_float3 b = random_vector(&state);
        weft_float2 c = {a.x, a.y};
        weft_float2 d = {b.x, b.y};
        uint32_t xy = sum_of(product_of(a.x, b.x), product_of(a.y, b.y));
        cr_assert_eq(bits_of(weft_float2_dot(c, d)), xy);
        cr_assert_eq(bits_of(weft_float3_dot(a, b)), sum_of(xy, product_of(a.z, b.z)));
        uint32_t z = sum_of(product_of(a.x, b.y), product_of(-a.y, b.x));
        cr_assert_eq(bits_of(weft_float2_cross(c, d)), z);
        weft_float3 cross = weft_float3_cross(a, b);
        cr_assert_eq(bits_of(cross.x), sum_of(product_of(a.y, b.z), product_of(-a.z, b.y)));
        cr_assert_eq(bits_of(cross.y), sum_of(product_of(a.z, b.x), product_of(-a.x, b.z)));
        cr_assert_eq(bits_of(cross.z), z);
        weft_float3 sum = weft_float3_add(a, b);
        weft_float3 rest = weft_float3_sub(a, b);
        weft_float3 scaled = weft_float3_scale(a, b.x);
        cr_assert_eq(bits_of(sum.z), rounded((double)a.z + b.z));
        cr_assert_eq(bits_of(rest.z), rounded((double)a.z - b.z));
        cr_assert_eq(bits_of(scaled.z), product_of(a.z, b.x));
        cr_assert_eq(bits_of(weft_float2_add(c, d).y), rounded((double)a.y + b.y));
        cr_assert_eq(bits_of(weft_float2_sub(c, d).y), rounded((double)a.y - b.y));
        cr_assert_eq(bits_of(weft_float2_scale(c, b.z).y), product_of(a.y, b.z));
    }
}
