#include "harness.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

uint64_t weft_measure_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t weft_measure_switches(void) {
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_nivcsw : 0;
}

bool weft_measure_is_disturbed(uint64_t switches, uint64_t elapsed_ns) {
    return switches > elapsed_ns / 10000000;
}

// Statistics -------------------------------------------------------------------------------------

void weft_series_add(weft_series* series, double value) {
    if (series->count < WEFT_SERIES_MAX)
        series->value[series->count++] = value;
}

weft_series weft_series_ratio(const weft_series* a, const weft_series* b) {
    weft_series ratio = {.disturbed = a->disturbed > b->disturbed ? a->disturbed : b->disturbed};
    for (uint32_t i = 0; i < a->count && i < b->count; ++i)
        weft_series_add(&ratio, a->value[i] / b->value[i]);
    return ratio;
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

static int compare_doubles(const void* left, const void* right) {
    double a = *(const double*)left;
    double b = *(const double*)right;
    return (a > b) - (a < b);
}

static void summarize(const weft_series* series, double scale, double value[WEFT_MEASURE_COLUMNS]) {
    double sorted[WEFT_SERIES_MAX];
    uint32_t count = series->count;
    if (count == 0)
        return;
    memcpy(sorted, series->value, count * sizeof(double));
    qsort(sorted, count, sizeof(double), compare_doubles);
    uint32_t low, high;
    weft_series_confidence(count, &low, &high);
    value[WEFT_MEASURE_MEDIAN] = scale * (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
    value[WEFT_MEASURE_MIN] = scale * sorted[0];
    value[WEFT_MEASURE_LOW] = scale * sorted[low];
    value[WEFT_MEASURE_HIGH] = scale * sorted[high];
}

// Sampling ---------------------------------------------------------------------------------------

weft_sampling weft_sampling_of(const weft_measure_options* options) {
    if (options->quick)
        return (weft_sampling){.sample_ns = 100000, .samples = 3};
    return (weft_sampling){.sample_ns = 40000000, .samples = 15};
}

static weft_status take(weft_case* one, uint64_t repeat, uint64_t* elapsed_out) {
    if (one->prepare)
        one->prepare(one->context);
    uint64_t start = weft_measure_now_ns();
    weft_status status = one->run(one->context, repeat);
    *elapsed_out = weft_measure_now_ns() - start;
    if (one->finish)
        one->finish(one->context);
    return status;
}

// Doubles the repeats until a sample is long enough; that is the warm-up too.
static weft_status calibrate(weft_case* one, uint64_t sample_ns, uint64_t* repeat_out) {
    uint64_t elapsed = 0;
    for (uint64_t repeat = 1;; repeat *= 2) {
        WEFT_TRY(take(one, repeat, &elapsed));
        *repeat_out = repeat;
        if (elapsed >= sample_ns || repeat > UINT64_MAX / 4)
            return WEFT_STATUS_OK;
    }
}

#define CASES_MAX 32

weft_status weft_measure_cases(const weft_measure_options* options, const char* what,
                               weft_sampling sampling, weft_case* cases, uint32_t case_count) {
    uint64_t repeats[CASES_MAX];
    WEFT_ASSERT(case_count <= CASES_MAX);
    for (uint32_t i = 0; i < case_count; ++i)
        WEFT_TRY(calibrate(&cases[i], sampling.sample_ns, &repeats[i]));
    for (uint32_t round = 0; round < sampling.samples; ++round) {
        weft_measure_report(options, what, round, sampling.samples);
        for (uint32_t k = 0; k < case_count; ++k) {
            uint32_t i = (round + k) % case_count;
            uint64_t elapsed;
            uint64_t switches = weft_measure_switches();
            WEFT_TRY(take(&cases[i], repeats[i], &elapsed));
            switches = weft_measure_switches() - switches;
            cases[i].series.disturbed += weft_measure_is_disturbed(switches, elapsed);
            double units = (double)repeats[i] * cases[i].units;
            weft_series_add(&cases[i].series, (double)elapsed / units);
        }
    }
    weft_measure_report(options, what, sampling.samples, sampling.samples);
    return WEFT_STATUS_OK;
}

void weft_measure_report(const weft_measure_options* options, const char* what, uint64_t done,
                         uint64_t total) {
    if (options->progress)
        options->progress(options->progress_context, what, done, total);
}

// Tables -----------------------------------------------------------------------------------------

const char* const weft_measure_columns[WEFT_MEASURE_COLUMNS] = {"median", "min", "95% low",
                                                                "95% high"};

// A minimum far under the median, or switches in many samples: somebody else used the machine.
static void note_disturbance(const weft_series* series, weft_measure_row* row) {
    double low = row->value[WEFT_MEASURE_LOW];
    double high = row->value[WEFT_MEASURE_HIGH];
    if (series->disturbed * 4 > series->count)
        snprintf(row->note, sizeof(row->note), "disturbed: %u of %u samples", series->disturbed,
                 series->count);
    else if (high > low * 1.2)
        snprintf(row->note, sizeof(row->note), "unsteady: the interval is %.0f%% wide",
                 (high / low - 1) * 100);
}

weft_measure_row* weft_measure_add(weft_measure_table* table, const char* unit,
                                   const weft_series* series, double scale, const char* format,
                                   ...) {
    if (table->row_count < WEFT_MEASURE_ROWS_MAX)
        ++table->row_count;
    weft_measure_row* row = &table->row[table->row_count - 1];
    *row = (weft_measure_row){.sample_count = series->count};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(row->name, sizeof(row->name), format, arguments);
    va_end(arguments);
    snprintf(row->unit, sizeof(row->unit), "%s", unit);
    summarize(series, scale, row->value);
    note_disturbance(series, row);
    return row;
}

void weft_measure_target(const weft_measure_options* options, weft_measure_row* row,
                         weft_measure_sense sense, double target) {
    if (options->quick)
        return;
    double median = row->value[WEFT_MEASURE_MEDIAN];
    bool good = sense == WEFT_MEASURE_AT_MOST ? median <= target : median >= target;
    row->verdict = good ? WEFT_MEASURE_PASS : WEFT_MEASURE_FAIL;
    row->sense = sense;
    row->target = target;
}
