#include "harness.h"

#include "probe.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// Statistics -------------------------------------------------------------------------------------

void weft_series_add(weft_series* series, double value) {
    if (series->count < WEFT_SERIES_MAX)
        series->value[series->count++] = value;
}

weft_series weft_series_ratio(const weft_series* a, const weft_series* b) {
    weft_series ratio = {.disturbed = a->disturbed > b->disturbed ? a->disturbed : b->disturbed,
                         .repeated = a->repeated > b->repeated ? a->repeated : b->repeated};
    for (uint32_t i = 0; i < a->count && i < b->count; ++i)
        weft_series_add(&ratio, a->value[i] / b->value[i]);
    return ratio;
}

static void summarize(weft_measure_row* row) {
    double sorted[WEFT_SERIES_MAX];
    uint32_t count = row->sample_count;
    if (count == 0)
        return;
    memcpy(sorted, row->sample, count * sizeof(double));
    row->value[WEFT_MEASURE_MEDIAN] = weft_statistics_median(sorted, count);
    uint32_t low, high;
    weft_series_confidence(count, &low, &high);
    row->value[WEFT_MEASURE_MIN] = sorted[0];
    row->value[WEFT_MEASURE_LOW] = sorted[low];
    row->value[WEFT_MEASURE_HIGH] = sorted[high];
}

// The record -------------------------------------------------------------------------------------

weft_watch weft_measure_watch(const weft_measure_options* options) {
    if (options->conditions)
        return weft_watch_read(&options->conditions->cpus);
    return (weft_watch){.switches = weft_measure_switches(), .wall = weft_measure_now_ns()};
}

static bool was_disturbed(const weft_measure_options* options, const weft_watch* before,
                          bool restless) {
    weft_watch now = weft_measure_watch(options);
    if (restless)
        now.switches = before->switches;
    if (options->conditions)
        return weft_watch_compare(&options->conditions->cpus, before, &now).disturbed;
    return weft_measure_is_disturbed(now.switches - before->switches, now.wall - before->wall);
}

static void record(const weft_measure_options* options, uint32_t samples, uint32_t disturbed) {
    if (!options->conditions)
        return;
    options->conditions->samples += samples;
    options->conditions->disturbed += disturbed;
}

bool weft_measure_watched(const weft_measure_options* options, const weft_watch* before) {
    bool disturbed = was_disturbed(options, before, false);
    record(options, 1, disturbed);
    return disturbed;
}

void weft_measure_probe(const weft_measure_options* options) {
    weft_conditions* conditions = options->conditions;
    if (conditions && conditions->topology)
        weft_conditions_line(conditions,
                             weft_probe_line_ns(conditions->topology, conditions->probe_ns));
}

// Sampling ---------------------------------------------------------------------------------------

weft_sampling weft_sampling_of(const weft_measure_options* options) {
    if (options->quick)
        return (weft_sampling){.sample_ns = 100000, .samples = 3};
    return (weft_sampling){.sample_ns = 40000000, .samples = 15};
}

static weft_status take(weft_case* one, uint64_t repeat, uint64_t* elapsed_out) {
    weft_status status = WEFT_STATUS_OK;
    *elapsed_out = 0;
    if (one->prepare)
        one->prepare(one->context);
    if (one->once) {
        for (uint64_t i = 0; i < repeat && status == WEFT_STATUS_OK; ++i)
            status = one->once(one->context, elapsed_out);
    } else {
        uint64_t start = weft_measure_now_ns();
        status = one->run(one->context, repeat);
        *elapsed_out = weft_measure_now_ns() - start;
    }
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

// What a group of cases is sampled with. A round's flags are the bits of a word.
#define CASES_MAX 32

typedef struct sampler {
    const weft_measure_options* options;
    weft_case* cases;
    uint32_t case_count;
    uint64_t repeat[CASES_MAX];
    uint32_t disturbed[WEFT_SERIES_MAX]; // By round, a bit for each case.
} sampler;

typedef struct sampled_round {
    double value[CASES_MAX];
    uint32_t disturbed; // A bit for each case.
} sampled_round;

static weft_status take_round(const sampler* group, uint32_t turn, sampled_round* out) {
    out->disturbed = 0;
    for (uint32_t k = 0; k < group->case_count; ++k) {
        uint32_t i = (turn + k) % group->case_count;
        uint64_t elapsed;
        weft_watch before = weft_measure_watch(group->options);
        WEFT_TRY(take(&group->cases[i], group->repeat[i], &elapsed));
        if (was_disturbed(group->options, &before, group->cases[i].restless))
            out->disturbed |= 1u << i;
        out->value[i] = (double)elapsed / ((double)group->repeat[i] * group->cases[i].units);
    }
    return WEFT_STATUS_OK;
}

static void replace_round(sampler* group, uint32_t first, uint32_t round,
                          const sampled_round* taken) {
    for (uint32_t i = 0; i < group->case_count; ++i) {
        weft_series* series = &group->cases[i].series;
        series->value[first + round] = taken->value[i];
        if ((group->disturbed[round] & ~taken->disturbed) >> i & 1)
            ++series->repeated;
    }
    group->disturbed[round] = taken->disturbed;
}

// Passes over the rounds that were disturbed, until a pass brings nothing or `budget` is spent.
static weft_status take_again(sampler* group, uint32_t first, uint32_t rounds, uint32_t budget) {
    bool helped = true;
    while (helped && budget > 0) {
        helped = false;
        for (uint32_t round = 0; round < rounds && budget > 0; ++round) {
            if (group->disturbed[round] == 0)
                continue;
            sampled_round taken;
            --budget;
            WEFT_TRY(take_round(group, round, &taken));
            if (group->options->conditions)
                group->options->conditions->repeated += group->case_count;
            if (__builtin_popcount(taken.disturbed) >= __builtin_popcount(group->disturbed[round]))
                continue;
            replace_round(group, first, round, &taken);
            helped = true;
        }
    }
    return WEFT_STATUS_OK;
}

weft_status weft_measure_cases(const weft_measure_options* options, const char* what,
                               weft_sampling sampling, weft_case* cases, uint32_t case_count) {
    sampler group = {.options = options, .cases = cases, .case_count = case_count};
    WEFT_ASSERT(case_count <= CASES_MAX);
    for (uint32_t i = 0; i < case_count; ++i)
        WEFT_TRY(calibrate(&cases[i], sampling.sample_ns, &group.repeat[i]));
    weft_measure_probe(options);
    uint32_t first = cases[0].series.count;
    uint32_t rounds = sampling.samples;
    if (rounds > WEFT_SERIES_MAX - first)
        rounds = WEFT_SERIES_MAX - first;
    for (uint32_t round = 0; round < rounds; ++round) {
        weft_measure_report(options, what, round, rounds);
        sampled_round taken;
        WEFT_TRY(take_round(&group, round, &taken));
        group.disturbed[round] = taken.disturbed;
        for (uint32_t i = 0; i < case_count; ++i)
            weft_series_add(&cases[i].series, taken.value[i]);
    }
    weft_measure_report(options, what, rounds, rounds);
    if (!options->quick)
        WEFT_TRY(take_again(&group, first, rounds, rounds));
    for (uint32_t round = 0; round < rounds; ++round) {
        for (uint32_t i = 0; i < case_count; ++i)
            cases[i].series.disturbed += group.disturbed[round] >> i & 1;
        record(options, case_count, (uint32_t)__builtin_popcount(group.disturbed[round]));
    }
    weft_measure_probe(options);
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

static weft_measure_sense guess_sense(const weft_measure_row* row) {
    static const char speed_up[] = "speed-up";
    size_t length = strlen(row->unit);
    bool is_rate = length > 2 && strcmp(row->unit + length - 2, "/s") == 0;
    bool is_gain = strncmp(row->name, speed_up, sizeof(speed_up) - 1) == 0;
    return is_rate || is_gain ? WEFT_MEASURE_AT_LEAST : WEFT_MEASURE_AT_MOST;
}

weft_measure_row* weft_measure_add(weft_measure_table* table, const char* unit,
                                   const weft_series* series, double scale, const char* format,
                                   ...) {
    if (table->row_count < WEFT_MEASURE_ROWS_MAX)
        ++table->row_count;
    weft_measure_row* row = &table->row[table->row_count - 1];
    memset(row, 0, sizeof(*row));
    row->sample_count = series->count;
    row->disturbed = series->disturbed;
    row->repeated = series->repeated;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(row->name, sizeof(row->name), format, arguments);
    va_end(arguments);
    snprintf(row->unit, sizeof(row->unit), "%s", unit);
    for (uint32_t i = 0; i < series->count; ++i)
        row->sample[i] = series->value[i] * scale;
    summarize(row);
    row->sense = guess_sense(row);
    note_disturbance(series, row);
    return row;
}

void weft_measure_target(const weft_measure_options* options, weft_measure_row* row,
                         weft_measure_sense sense, double target) {
    row->sense = sense;
    if (options->quick)
        return;
    double median = row->value[WEFT_MEASURE_MEDIAN];
    bool good = sense == WEFT_MEASURE_AT_MOST ? median <= target : median >= target;
    row->verdict = good ? WEFT_MEASURE_PASS : WEFT_MEASURE_FAIL;
    row->target = target;
}
