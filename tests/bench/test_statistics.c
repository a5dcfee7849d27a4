// Two samples are compared as the tables of the Mann-Whitney test say.

#include "statistics.h"

#include <criterion/criterion.h>

// Critical values of U as printed in every textbook, two-sided; the rank is one more.
Test(compare, ranks_are_those_of_the_tables) {
    static const struct {
        uint32_t a, b;
        double error;
        uint32_t rank;
    } known[] = {
        {3, 3, 0.05, 0},      {4, 4, 0.05, 1},      {5, 5, 0.05, 3},     {5, 5, 0.01, 1},
        {8, 12, 0.05, 23},    {12, 8, 0.01, 16},    {10, 10, 0.05, 24},  {10, 10, 0.01, 17},
        {15, 15, 0.05, 65},   {15, 15, 0.01, 52},   {20, 20, 0.05, 128}, {20, 20, 0.01, 106},
        {1, 1000, 0.0019, 0}, {1, 1000, 0.0021, 1}, {2, 3, 0.2, 1},      {0, 5, 0.05, 0},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); ++i) {
        uint32_t rank = weft_statistics_rank(known[i].a, known[i].b, known[i].error);
        cr_expect_eq(rank, known[i].rank, "%u and %u samples, %g: %u", known[i].a, known[i].b,
                     known[i].error, rank);
    }
}

// Where the exact distribution ends, the normal one goes on.
Test(compare, many_samples_have_nearly_the_exact_rank) {
    uint32_t exact = weft_statistics_rank(50, 50, 0.01);
    uint32_t normal = weft_statistics_rank(50, 51, 0.01);
    cr_expect(normal > exact && normal < exact + 40, "%u and %u", exact, normal);
    cr_expect_eq(weft_statistics_rank(60, 60, 0.05), 1426); // 1800 - 1.95996 * sqrt(36300)
}

// Ratios 1/2 1 1 2 2 2 4 4 8.
Test(compare, estimate_is_the_median_of_all_ratios) {
    static const double a[] = {4, 1, 2};
    static const double b[] = {2, 8, 4};
    weft_statistics_ratio ratio = weft_statistics_compare(a, 3, b, 3, 0.01);
    cr_expect_float_eq(ratio.estimate, 2, 1e-12);
    cr_expect_float_eq(ratio.low, 0.5, 1e-12);
    cr_expect_float_eq(ratio.high, 8, 1e-12);
    cr_expect_not(ratio.is_certain);
    ratio = weft_statistics_compare(a, 3, b, 3, 0.1);
    cr_expect(ratio.is_certain); // All of one sample below all of the other: 2 of 20 orders.
}

// Ratios of five to five, of which the third on each side bounds 95%.
Test(compare, interval_is_between_pairs_of_the_rank) {
    static const double a[] = {1, 1, 1, 1, 1};
    static const double b[] = {1.1, 1.2, 1.3, 1.4, 1.5};
    weft_statistics_ratio ratio = weft_statistics_compare(a, 5, b, 5, 0.05);
    cr_expect_float_eq(ratio.estimate, 1.3, 1e-12);
    cr_expect_float_eq(ratio.low, 1.1, 1e-12);  // The first five pairs are 1.1.
    cr_expect_float_eq(ratio.high, 1.5, 1e-12); //
    cr_expect(ratio.is_certain);
    ratio = weft_statistics_compare(b, 5, b, 5, 0.05);
    cr_expect_float_eq(ratio.estimate, 1, 1e-12);
    cr_expect_float_eq(ratio.low * ratio.high, 1, 1e-12);
}

Test(compare, no_samples_give_no_ratio) {
    static const double a[] = {1};
    cr_expect_not(weft_statistics_compare(a, 0, a, 1, 0.5).is_certain);
    cr_expect_not(weft_statistics_compare(a, 1, a, 0, 0.5).is_certain);
}

Test(compare, median_sorts) {
    double odd[] = {3, 1, 2};
    double even[] = {4, 1, 3, 2};
    cr_expect_float_eq(weft_statistics_median(odd, 3), 2, 1e-12);
    cr_expect_float_eq(weft_statistics_median(even, 4), 2.5, 1e-12);
    cr_expect_float_eq(even[3], 4, 1e-12);
    cr_expect_float_eq(weft_statistics_median(odd, 0), 0, 1e-12);
}

// Critical values of the signed-rank test: 8 of 10 pairs' 55 for 5% on two sides. Sums of two of 1
// to 10 are 2, 3, 4, 4, 5, 5, 6, 6, 6, ...
Test(compare, pairs_have_the_signed_rank_interval) {
    double ratios[10];
    for (int i = 0; i < 10; i++)
        ratios[i] = (double)(2u << (i * 7 % 10)); // In no order.
    weft_statistics_ratio ratio = weft_statistics_paired(ratios, 10, 0.05);
    cr_expect(ratio.is_certain);
    cr_expect_float_eq(ratio.low, 8, 1e-9);
    cr_expect_float_eq(ratio.high, 256, 1e-9);
    cr_expect_float_eq(ratio.estimate, 45.254834, 1e-5);
}

// All of 5 on one side happen by chance once in 16, of 6 once in 32, of 8 once in 128.
Test(compare, few_pairs_are_not_certain) {
    static const double ratios[] = {0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.97, 0.99};
    cr_expect_not(weft_statistics_paired(ratios, 5, 0.05).is_certain);
    cr_expect(weft_statistics_paired(ratios, 6, 0.05).is_certain);
    cr_expect_not(weft_statistics_paired(ratios, 7, 0.01).is_certain);
    weft_statistics_ratio ratio = weft_statistics_paired(ratios, 8, 0.01);
    cr_expect(ratio.is_certain);
    cr_expect_float_eq(ratio.low, 0.5, 1e-12);
    cr_expect_float_eq(ratio.high, 0.99, 1e-12);
    cr_expect_not(weft_statistics_paired(ratios, 0, 0.5).is_certain);
}
