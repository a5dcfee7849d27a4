/// The statistics of measurements. Nothing is assumed about how samples are distributed.
#pragma once

#include <stdbool.h>
#include <stdint.h>

/// The median; the mean of the two in the middle for an even number. 0 without samples. Sorts.
double weft_statistics_median(double* values, uint32_t count);

/// Sorts ascending.
void weft_statistics_sort(double* values, uint64_t count);

/// Ranks, from 0, of the order statistics that enclose the median of `count` samples with at least
/// 95% confidence, as near together as they can be. Fewer than 6 samples have no such pair: all.
void weft_series_confidence(uint32_t count, uint32_t* low_out, uint32_t* high_out);

/// How many times as large the samples of b are as those of a.
typedef struct weft_statistics_ratio {
    double estimate;
    double low;      // The interval,
    double high;     //
    bool is_certain; // which has the confidence that was asked for. False: too few samples.
} weft_statistics_ratio;

/// The Hodges-Lehmann estimate of the ratio, the median of all b[j] / a[i], and the interval for it
/// by the Mann-Whitney test, with the exact distribution for up to 2500 pairs and the normal one
/// beyond. `error` is the probability, at most, that the interval misses: 0.01 for 99%. Both
/// estimate and interval take the logarithms of a and of b as equally distributed but for a shift.
/// Samples must be positive.
///
/// Source: Hodges, Lehmann, "Estimates of location based on rank tests" (1963); Hollander, Wolfe,
/// Chicken, "Nonparametric statistical methods", 3rd edition (2014), 4.2 and 4.3.
weft_statistics_ratio weft_statistics_compare(const double* a, uint32_t a_count, const double* b,
                                              uint32_t b_count, double error);

/// The same for pairs: `ratios` are b to a of one pair each, and the estimate is the median of the
/// geometric means of two of them or one twice, the interval that of Wilcoxon's signed-rank test
/// with its exact distribution. The logarithms are taken as distributed symmetrically. At most 256.
///
/// Source: as above, 3.1 to 3.3.
weft_statistics_ratio weft_statistics_paired(const double* ratios, uint32_t count, double error);

/// The largest k for which the k-th smallest pair (from 1) and the k-th largest enclose the ratio
/// with that error at most; 0 if there is none.
uint32_t weft_statistics_rank(uint32_t a_count, uint32_t b_count, double error);
