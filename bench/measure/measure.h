/// Measurements: how they are asked for, taken and reported.
///
/// A measurement compares alternatives in one run: after a warm-up the alternatives take turns, one
/// sample each, so that whatever disturbs the machine disturbs all of them. It reports the median,
/// the minimum and a 95% confidence interval of the median by order statistics, which assumes
/// nothing about the distribution. Samples in which somebody else had the CPUs are taken again, and
/// what the machine was like is recorded with the table. The only clock of the folder is
/// weft_measure_now_ns().
#pragma once

#include "watch.h"

#include <weft/topology.h>

/// Called now and then by long measurements: what is being done, and how far it is.
typedef void weft_measure_progress(void* context, const char* what, uint64_t done, uint64_t total);

/// What the machine was like while a table was measured.
typedef struct weft_conditions {
    double line_ns[2]; // A cache line's round trip (probe.h) before and after; 0: not known.
    double line_min;   // The least and the largest of these two and of those that were probed
    double line_max;   // around each group of samples.
    double ghz[2];     // The clock before and after; 0: not known.
    double others;     // Share of the CPUs' time that other processes used.
    double stolen;     // Share that other machines took.
    bool shares_known; // Whether the system tells these two.
    double seconds;
    uint32_t samples;   // Of all cases,
    uint32_t disturbed; // those of them in which the CPUs were taken away,
    uint32_t repeated;  // and those that were taken again.
    // While it runs:
    const weft_topology* topology; // Null: nothing is probed.
    weft_watch_cpus cpus;
    uint64_t probe_ns; // The longest that a probe may take.
} weft_conditions;

typedef struct weft_measure_options {
    uint32_t worker_max;   // Workers at most; 0: what the topology suggests.
    bool quick;            // Tiny sizes and few samples, to test the measurement itself.
    uint64_t entity_count; // 0: the measurement's own.
    uint64_t tick_count;   // 0: the measurement's own; those that count samples ignore it.
    uint64_t seed;
    weft_measure_progress* progress; // May be null.
    void* progress_context;
    weft_conditions* conditions; // Set by weft_measure_run; null: not recorded.
} weft_measure_options;

/// Columns of every table.
enum {
    WEFT_MEASURE_MEDIAN,
    WEFT_MEASURE_MIN,
    WEFT_MEASURE_LOW,  // The confidence interval of the median.
    WEFT_MEASURE_HIGH, //
    WEFT_MEASURE_COLUMNS
};

/// "median", "min", "95% low", "95% high".
extern const char* const weft_measure_columns[WEFT_MEASURE_COLUMNS];

typedef enum weft_measure_verdict {
    WEFT_MEASURE_NO_TARGET = 0,
    WEFT_MEASURE_PASS = 1,
    WEFT_MEASURE_FAIL = 2,
} weft_measure_verdict;

/// Which side of the target is good.
typedef enum weft_measure_sense {
    WEFT_MEASURE_AT_MOST = 0,
    WEFT_MEASURE_AT_LEAST = 1,
} weft_measure_sense;

#define WEFT_MEASURE_TEXT 128
#define WEFT_MEASURE_ROWS_MAX 256

/// Samples of one quantity at most.
#define WEFT_SERIES_MAX 256

typedef struct weft_measure_row {
    char name[WEFT_MEASURE_TEXT]; // "1 worker against the loop"
    char unit[16];                // "ns/row", "ratio", ...
    double value[WEFT_MEASURE_COLUMNS];
    double sample[WEFT_SERIES_MAX]; // As they were taken, in the unit.
    uint32_t sample_count;
    uint32_t disturbed;           // Samples in which the CPUs were taken away, though they were
    uint32_t repeated;            // taken again, and those for which it helped.
    weft_measure_verdict verdict; // On the median.
    weft_measure_sense sense;     // Which side is better, with a verdict or without.
    double target;                // With a verdict.
    char note[WEFT_MEASURE_TEXT]; // Empty, or what is remarkable ("disturbed: 4 of 11 samples").
} weft_measure_row;

typedef struct weft_measure_table {
    const char* name;              // The measurement's.
    char title[WEFT_MEASURE_TEXT]; // With the sizes.
    char note[WEFT_MEASURE_TEXT];  // On the whole; may be empty.
    char summary[1024];            // Lines for people, printed last; may be empty.
    char error[320];            // The line of a run that failed, by weft_measure_run() if need be.
    bool passed;                // No row fails its target.
    weft_conditions conditions; // Of the machine.
    uint32_t row_count;
    weft_measure_row row[WEFT_MEASURE_ROWS_MAX];
} weft_measure_table;

/// The sizes of the text that weft_conditions_text writes.
#define WEFT_CONDITIONS_TEXT 320

/// Adds one round trip to the least and the largest; 0 is none.
void weft_conditions_line(weft_conditions* conditions, double line_ns);

/// Whether the CPUs were near at one time and far at another: the round trip more than doubled.
bool weft_conditions_line_changed(const weft_conditions* conditions);

/// Writes what a reader must know of the machine, in one line without its end.
void weft_conditions_text(const weft_conditions* conditions, char text[WEFT_CONDITIONS_TEXT]);

/// One measurement.
typedef struct weft_measure {
    const char* name;
    const char* summary;
    /// Status: OK with a table, targets met or not; DIVERGED when alternatives that must agree do
    /// not; else what failed, with the table's error line.
    weft_status (*run)(const weft_measure_options* options, weft_measure_table* table);
} weft_measure;

/// All measurements, in the order of `weft bench`.
const weft_measure* const* weft_measures(size_t* count_out);

/// The measurement of this name, or null.
const weft_measure* weft_measure_find(const char* name);

/// Runs one: empties the table, fills it, probes the machine before and after, and sets `passed`.
weft_status weft_measure_run(const weft_measure* measure, const weft_measure_options* options,
                             weft_measure_table* table);

extern const weft_measure weft_measure_limits;
extern const weft_measure weft_measure_motion;
extern const weft_measure weft_measure_iterate;
extern const weft_measure weft_measure_tick10;
extern const weft_measure weft_measure_overhead;
extern const weft_measure weft_measure_dag;
extern const weft_measure weft_measure_taskbench;
extern const weft_measure weft_measure_waiting;
extern const weft_measure weft_measure_churn;
extern const weft_measure weft_measure_create;
extern const weft_measure weft_measure_ecs_bench_suite;
extern const weft_measure weft_measure_ecs_benchmark;
extern const weft_measure weft_measure_presence;
extern const weft_measure weft_measure_creatures;
extern const weft_measure weft_measure_digest;
extern const weft_measure weft_measure_reduce;
extern const weft_measure weft_measure_messages;
extern const weft_measure weft_measure_false_sharing;
extern const weft_measure weft_measure_memory;
extern const weft_measure weft_measure_price;
extern const weft_measure weft_measure_guard;
extern const weft_measure weft_measure_trace;
extern const weft_measure weft_measure_log;
extern const weft_measure weft_measure_persist;
extern const weft_measure weft_measure_rollback;
extern const weft_measure weft_measure_processes;
extern const weft_measure weft_measure_forecast;
extern const weft_measure weft_measure_numbers;
extern const weft_measure weft_measure_headline;
