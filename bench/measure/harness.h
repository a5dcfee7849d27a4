/// What measurements are made of: samples, their statistics and the rows of the table.
#pragma once

#include "measure.h"
#include "statistics.h"

/// Samples of one quantity, by round.
typedef struct weft_series {
    uint32_t count;
    uint32_t disturbed; // Samples in which the system took a CPU away.
    uint32_t repeated;  // Samples that were disturbed and were taken again.
    double value[WEFT_SERIES_MAX];
} weft_series;

/// Adds one sample; does nothing when full.
void weft_series_add(weft_series* series, double value);

/// Round by round a / b. Both have the same number of samples.
weft_series weft_series_ratio(const weft_series* a, const weft_series* b);

/// One alternative. A call of `run` does the work `repeat` times and is what is timed; `prepare`
/// and `finish`, which may be null, stand around it untimed. Work that has to be set up anew each
/// time has `once` instead: it does it one time and adds the nanoseconds that count.
typedef struct weft_case {
    const char* name;
    void (*prepare)(void* context);
    weft_status (*run)(void* context, uint64_t repeat);
    weft_status (*once)(void* context, uint64_t* elapsed);
    void (*finish)(void* context);
    void* context;
    double units;  // What one repeat's time is divided by: rows, or 1.
    bool restless; // Its threads start, stop and displace each other: switches say nothing.
    weft_series series;
} weft_case;

/// How long and how often.
typedef struct weft_sampling {
    uint64_t sample_ns; // Least time of a sample; repeats are chosen for it.
    uint32_t samples;   // Rounds.
} weft_sampling;

/// 15 samples of 40 ms, or a quick one.
weft_sampling weft_sampling_of(const weft_measure_options* options);

/// Warms up all cases, chooses repeats, then samples in rounds, each starting one case further.
/// Rounds with disturbed samples are then taken again, as many as there are rounds at most; a new
/// round replaces the old one as a whole, so that ratios stay between neighbours in time, and only
/// if fewer of its samples are disturbed. Values are nanoseconds per unit.
weft_status weft_measure_cases(const weft_measure_options* options, const char* what,
                               weft_sampling sampling, weft_case* cases, uint32_t case_count);

/// Reads who uses the CPUs, before a sample of a loop of one's own, untimed.
weft_watch weft_measure_watch(const weft_measure_options* options);

/// Whether the sample since then was disturbed; adds it to the record.
bool weft_measure_watched(const weft_measure_options* options, const weft_watch* before);

/// Probes the line's round trip and adds it to the record. weft_measure_cases does so by itself.
void weft_measure_probe(const weft_measure_options* options);

/// Appends a row with the series' statistics, times `scale`. Its sense is that less is better, but
/// for units that end in "/s" and for names that begin with "speed-up": set it where that is wrong.
/// Never null; the last row is overwritten when the table is full.
weft_measure_row* weft_measure_add(weft_measure_table* table, const char* unit,
                                   const weft_series* series, double scale, const char* format, ...)
    WEFT_PRINTF(5, 6);

/// Gives a row its target and verdict. Quick runs have none.
void weft_measure_target(const weft_measure_options* options, weft_measure_row* row,
                         weft_measure_sense sense, double target);

/// Reports progress where somebody listens.
void weft_measure_report(const weft_measure_options* options, const char* what, uint64_t done,
                         uint64_t total);
