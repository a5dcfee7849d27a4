/// Two runs against each other, row by row: faster, slower or no difference, with the evidence.
///
/// Rows are paired by measurement, name, unit and, where a name comes twice, by turn. The ratio of
/// B to A and its 99% interval are those of weft_statistics_compare(). A row is slower, or faster,
/// if the whole interval is beyond the threshold; else no difference is shown, and the interval
/// says how large it may be at most.
///
/// What the interval cannot tell is what differs between runs as a whole: the machine, its load,
/// where the CPUs lie. What is recorded of these is compared too, and said as warnings.
#pragma once

#include "results.h"
#include "statistics.h"

/// The interval misses with this probability.
#define WEFT_COMPARE_ERROR 0.01

typedef enum weft_change {
    WEFT_CHANGE_NONE = 0,
    WEFT_CHANGE_FASTER = 1,
    WEFT_CHANGE_SLOWER = 2,
} weft_change;

/// "no difference", "faster", "slower".
extern const char* const weft_change_names[3];

typedef struct weft_compare_row {
    const char* measurement;
    const weft_measure_row* a;
    const weft_measure_row* b;
    weft_statistics_ratio ratio; // Of B to A, in the row's unit.
    double cost;                 // B's time to A's: above 1 is slower, whichever side is better.
    weft_change change;
    bool is_wide; // No difference, but the interval has room for one five times the threshold.
} weft_compare_row;

#define WEFT_COMPARE_LINE 480u

/// A list of lines.
typedef struct weft_compare_lines {
    char (*line)[WEFT_COMPARE_LINE];
    uint32_t count;
} weft_compare_lines;

typedef struct weft_comparison {
    double threshold;
    weft_compare_row* row;
    uint32_t row_count;
    uint32_t count[3];           // By weft_change.
    weft_compare_lines only[2];  // "measurement: row" that the other run has not.
    weft_compare_lines warnings; // What speaks against comparing.
} weft_comparison;

/// Compares. The runs must live as long as the comparison. `threshold` 0.02 is 2%.
weft_comparison weft_compare(const weft_run* a, const weft_run* b, double threshold);

/// Frees it.
void weft_comparison_deinit(weft_comparison* comparison);
