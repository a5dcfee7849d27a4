#include "statistics.h"

#include <weft/base.h>

#include <math.h>
#include <stdlib.h>

static int compare_doubles(const void* left, const void* right) {
    double a = *(const double*)left;
    double b = *(const double*)right;
    return (a > b) - (a < b);
}

void weft_statistics_sort(double* values, uint64_t count) {
    qsort(values, (size_t)count, sizeof(double), compare_doubles);
}

static double middle(const double* sorted, uint64_t count) {
    return count > 0 ? (sorted[(count - 1) / 2] + sorted[count / 2]) / 2 : 0;
}

double weft_statistics_median(double* values, uint32_t count) {
    weft_statistics_sort(values, count);
    return middle(values, count);
}

void weft_series_confidence(uint32_t count, uint32_t* low_out, uint32_t* high_out) {
    // The number of samples under the median is binomial with p = 1/2. The interval from rank k to
    // rank count - 1 - k misses it when at most k samples are on one side of it.
    double probability = 1.0;
    for (uint32_t i = 0; i < count; ++i)
        probability /= 2;
    double tail = 0;
    uint32_t low = 0;
    for (uint32_t k = 0; k < count / 2; ++k) {
        tail += probability;
        if (tail > 0.025)
            break;
        low = k;
        probability = probability * (count - k) / (k + 1);
    }
    *low_out = low;
    *high_out = count > 0 ? count - 1 - low : 0;
}

// Two samples ------------------------------------------------------------------------------------

// Pairs for which the exact distribution is quickly computed.
#define PAIRS_EXACT 2500u

// The largest k with P(U <= k - 1) <= error / 2, where U counts the pairs with b < a. With i values
// of a and j of b, the largest of all is an a with probability i / (i + j), and then it is above
// all j: that gives P(i, j) from P(i - 1, j) and P(i, j - 1), without a subtraction.
static uint32_t rank_exact(uint32_t less, uint32_t more, double error) {
    uint32_t width = less * more / 2 + 1;
    double* table = calloc((size_t)(less + 1) * width, sizeof(double));
    WEFT_ASSERT(table);
    for (uint32_t i = 0; i <= less; ++i)
        table[(size_t)i * width] = 1; // j = 0: no pairs.
    for (uint32_t j = 1; j <= more; ++j) {
        for (uint32_t i = 1; i <= less; ++i) {
            const double* without = table + (size_t)(i - 1) * width;
            double* here = table + (size_t)i * width;
            double share = (double)i / (i + j);
            for (uint32_t u = 0; u < width; ++u)
                here[u] = (1 - share) * here[u] + (u >= j ? share * without[u - j] : 0);
        }
    }
    const double* probability = table + (size_t)less * width;
    double tail = 0;
    uint32_t rank = 0;
    for (; rank < width; ++rank) {
        tail += probability[rank];
        if (tail > error / 2)
            break;
    }
    free(table);
    return rank;
}

// The normal distribution's z with that much outside of -z to z.
static double normal_bound(double error) {
    double low = 0;
    double high = 40;
    for (int i = 0; i < 100; ++i) {
        double z = (low + high) / 2;
        if (erfc(z / sqrt(2)) > error)
            low = z;
        else
            high = z;
    }
    return high;
}

uint32_t weft_statistics_rank(uint32_t a_count, uint32_t b_count, double error) {
    uint32_t less = a_count < b_count ? a_count : b_count;
    uint32_t more = a_count < b_count ? b_count : a_count;
    if (less == 0)
        return 0;
    if ((uint64_t)less * more <= PAIRS_EXACT)
        return rank_exact(less, more, error);
    double pairs = (double)less * more;
    double rank = pairs / 2 - normal_bound(error) * sqrt(pairs * (less + more + 1) / 12);
    return rank >= 1 ? (uint32_t)rank : 0;
}

weft_statistics_ratio weft_statistics_compare(const double* a, uint32_t a_count, const double* b,
                                              uint32_t b_count, double error) {
    uint64_t count = (uint64_t)a_count * b_count;
    if (count == 0)
        return (weft_statistics_ratio){.is_certain = false};
    double* pairs = malloc((size_t)count * sizeof(double));
    WEFT_ASSERT(pairs);
    for (uint32_t i = 0; i < a_count; ++i) {
        for (uint32_t j = 0; j < b_count; ++j)
            pairs[(size_t)i * b_count + j] = b[j] / a[i];
    }
    weft_statistics_sort(pairs, count);
    uint32_t rank = weft_statistics_rank(a_count, b_count, error);
    uint64_t skipped = rank > 0 ? rank - 1 : 0;
    weft_statistics_ratio ratio = {
        .estimate = middle(pairs, count),
        .low = pairs[skipped],
        .high = pairs[count - 1 - skipped],
        .is_certain = rank > 0,
    };
    free(pairs);
    return ratio;
}

// Pairs ------------------------------------------------------------------------------------------

#define PAIRED_MAX 256u

// The largest k with P(W <= k - 1) <= error / 2, where W is the sum of those ranks 1 to `count`
// whose signs came out positive, each with probability 1/2.
static uint32_t rank_signed(uint32_t count, double error) {
    uint32_t width = count * (count + 1) / 2 + 1;
    double* probability = calloc(width, sizeof(double));
    WEFT_ASSERT(probability);
    probability[0] = 1;
    for (uint32_t rank = 1; rank <= count; ++rank) {
        for (uint32_t sum = width; sum-- > 0;)
            probability[sum] = (probability[sum] + (sum >= rank ? probability[sum - rank] : 0)) / 2;
    }
    double tail = 0;
    uint32_t k = 0;
    for (; k < width; ++k) {
        tail += probability[k];
        if (tail > error / 2)
            break;
    }
    free(probability);
    return k;
}

weft_statistics_ratio weft_statistics_paired(const double* ratios, uint32_t count, double error) {
    WEFT_ASSERT(count <= PAIRED_MAX);
    if (count == 0)
        return (weft_statistics_ratio){.is_certain = false};
    uint64_t means = (uint64_t)count * (count + 1) / 2;
    double* mean = malloc((size_t)means * sizeof(double));
    WEFT_ASSERT(mean);
    size_t at = 0;
    for (uint32_t i = 0; i < count; ++i) {
        for (uint32_t j = i; j < count; ++j)
            mean[at++] = sqrt(ratios[i] * ratios[j]);
    }
    weft_statistics_sort(mean, means);
    uint32_t rank = rank_signed(count, error);
    uint64_t skipped = rank > 0 ? rank - 1 : 0;
    weft_statistics_ratio ratio = {.estimate = middle(mean, means),
                                   .low = mean[skipped],
                                   .high = mean[means - 1 - skipped],
                                   .is_certain = rank > 0};
    free(mean);
    return ratio;
}
