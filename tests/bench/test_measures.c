// Every measurement runs in a quick form, and the statistics are right.

#include "harness.h"

#include <criterion/criterion.h>
#include <math.h>

static void count_progress(void* context, const char* what, uint64_t done, uint64_t total) {
    cr_expect_not_null(what);
    cr_expect_leq(done, total);
    ++*(int*)context;
}

static void run_quick(const weft_measure* measure, uint32_t worker_max) {
    static weft_measure_table table;
    int calls = 0;
    weft_measure_options options = {
        .worker_max = worker_max,
        .quick = true,
        .seed = 3,
        .progress = count_progress,
        .progress_context = &calls,
    };
    weft_status status = weft_measure_run(measure, &options, &table);
    cr_assert_eq(status, WEFT_STATUS_OK, "%s: %s", measure->name, table.error);
    cr_expect_gt(calls, 0);
    cr_expect_str_eq(table.name, measure->name);
    cr_expect_neq(table.title[0], '\0');
    cr_assert_gt(table.row_count, 0);
    for (uint32_t i = 0; i < table.row_count; ++i) {
        const weft_measure_row* row = &table.row[i];
        const double* value = row->value;
        cr_expect_neq(row->name[0], '\0');
        cr_expect_neq(row->unit[0], '\0');
        cr_expect_gt(row->sample_count, 0, "%s: %s", measure->name, row->name);
        for (int k = 0; k < WEFT_MEASURE_COLUMNS; ++k)
            cr_expect(isfinite(value[k]) && value[k] > 0, "%s: %s", measure->name, row->name);
        cr_expect_leq(value[WEFT_MEASURE_MIN], value[WEFT_MEASURE_LOW]);
        cr_expect_leq(value[WEFT_MEASURE_LOW], value[WEFT_MEASURE_MEDIAN]);
        cr_expect_leq(value[WEFT_MEASURE_MEDIAN], value[WEFT_MEASURE_HIGH]);
        // Tiny sizes prove nothing about speed.
        cr_expect_eq(row->verdict, WEFT_MEASURE_NO_TARGET);
    }
    cr_expect(table.passed);
}

Test(measures, limits_runs) {
    run_quick(&weft_measure_limits, 0);
}

Test(measures, motion_runs) {
    run_quick(&weft_measure_motion, 0);
}

Test(measures, iterate_runs) {
    run_quick(&weft_measure_iterate, 0);
}

Test(measures, tick10_runs) {
    run_quick(&weft_measure_tick10, 0);
}

Test(measures, overhead_runs) {
    run_quick(&weft_measure_overhead, 0);
}

Test(measures, waiting_runs) {
    run_quick(&weft_measure_waiting, 0);
}

Test(measures, dag_runs) {
    run_quick(&weft_measure_dag, 0);
}

Test(measures, taskbench_runs) {
    run_quick(&weft_measure_taskbench, 0);
}

Test(measures, churn_runs) {
    run_quick(&weft_measure_churn, 0);
}

Test(measures, create_runs) {
    run_quick(&weft_measure_create, 0);
}

Test(measures, ecs_bench_suite_runs) {
    run_quick(&weft_measure_ecs_bench_suite, 0);
}

Test(measures, ecs_benchmark_runs) {
    run_quick(&weft_measure_ecs_benchmark, 0);
}

Test(measures, presence_runs) {
    run_quick(&weft_measure_presence, 0);
}

Test(measures, numbers_runs) {
    run_quick(&weft_measure_numbers, 0);
}

Test(measures, headline_runs) {
    run_quick(&weft_measure_headline, 0);
}

Test(measures, creatures_runs) {
    run_quick(&weft_measure_creatures, 0);
}

Test(measures, guard_runs) {
    run_quick(&weft_measure_guard, 0);
}

Test(measures, trace_runs) {
    run_quick(&weft_measure_trace, 0);
}

Test(measures, log_runs) {
    run_quick(&weft_measure_log, 0);
}

Test(measures, persist) {
    run_quick(&weft_measure_persist, 0);
}

Test(measures, rollback_runs) {
    run_quick(&weft_measure_rollback, 0);
}

Test(measures, processes_run) {
    run_quick(&weft_measure_processes, 0);
}

Test(measures, forecast_runs) {
    run_quick(&weft_measure_forecast, 0);
}

Test(measures, price_runs) {
    run_quick(&weft_measure_price, 0);
}

Test(measures, digest_runs) {
    run_quick(&weft_measure_digest, 0);
}

Test(measures, reduce_runs) {
    run_quick(&weft_measure_reduce, 0);
}

Test(measures, messages_runs) {
    run_quick(&weft_measure_messages, 0);
}

Test(measures, false_sharing_runs) {
    run_quick(&weft_measure_false_sharing, 0);
}

Test(measures, memory_runs) {
    run_quick(&weft_measure_memory, 0);
}

Test(measures, one_worker_is_enough) {
    size_t count;
    const weft_measure* const* measures = weft_measures(&count);
    for (size_t i = 0; i < count; ++i)
        run_quick(measures[i], 1);
}

Test(measures, registry_is_complete) {
    size_t count;
    const weft_measure* const* measures = weft_measures(&count);
    cr_assert_gt(count, 0);
    for (size_t i = 0; i < count; ++i) {
        cr_expect_not_null(measures[i]->summary);
        cr_expect_eq(weft_measure_find(measures[i]->name), measures[i]);
    }
    cr_expect_null(weft_measure_find("no such measure"));
}

// Ranks as in tables of the binomial distribution, from 1 there.
Test(statistics, confidence_ranks_are_those_of_the_tables) {
    static const struct {
        uint32_t count, low, high;
    } known[] = {{6, 1, 6},   {8, 1, 8},   {9, 2, 8},    {10, 2, 9},   {11, 2, 10},  {15, 4, 12},
                 {20, 6, 15}, {25, 8, 18}, {30, 10, 21}, {50, 18, 33}, {100, 40, 61}};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); ++i) {
        uint32_t low, high;
        weft_series_confidence(known[i].count, &low, &high);
        cr_expect_eq(low + 1, known[i].low, "%u samples: %u", known[i].count, low + 1);
        cr_expect_eq(high + 1, known[i].high, "%u samples: %u", known[i].count, high + 1);
    }
}

Test(statistics, too_few_samples_give_their_range) {
    for (uint32_t count = 1; count < 6; ++count) {
        uint32_t low, high;
        weft_series_confidence(count, &low, &high);
        cr_expect_eq(low, 0);
        cr_expect_eq(high, count - 1);
    }
}

static weft_series series_of(const double* values, uint32_t count) {
    weft_series series = {.count = 0};
    for (uint32_t i = 0; i < count; ++i)
        weft_series_add(&series, values[i]);
    return series;
}

Test(statistics, median_of_odd_and_even_counts) {
    static weft_measure_table table;
    static const double values[] = {9, 1, 8, 2, 7, 100};
    weft_series five = series_of(values, 5);
    weft_series six = series_of(values, 6);
    weft_measure_row* row = weft_measure_add(&table, "us", &five, 1, "%d values", 5);
    cr_expect_float_eq(row->value[WEFT_MEASURE_MEDIAN], 7, 1e-12);
    cr_expect_float_eq(row->value[WEFT_MEASURE_MIN], 1, 1e-12);
    cr_expect_str_eq(row->name, "5 values");
    row = weft_measure_add(&table, "ns", &six, 1000, "six");
    cr_expect_float_eq(row->value[WEFT_MEASURE_MEDIAN], 7500, 1e-9);
    cr_expect_float_eq(row->value[WEFT_MEASURE_HIGH], 100000, 1e-9);
    cr_expect_eq(table.row_count, 2);
}

Test(statistics, ratio_pairs_the_rounds) {
    static const double a[] = {2, 6, 12};
    static const double b[] = {1, 2, 3};
    weft_series left = series_of(a, 3);
    weft_series right = series_of(b, 3);
    weft_series ratio = weft_series_ratio(&left, &right);
    cr_assert_eq(ratio.count, 3);
    cr_expect_float_eq(ratio.value[0], 2, 1e-12);
    cr_expect_float_eq(ratio.value[1], 3, 1e-12);
    cr_expect_float_eq(ratio.value[2], 4, 1e-12);
}

Test(statistics, targets_have_a_side) {
    weft_measure_options options = {.quick = false};
    weft_measure_row row = {.value = {5, 4, 5, 6}};
    weft_measure_target(&options, &row, WEFT_MEASURE_AT_MOST, 5);
    cr_expect_eq(row.verdict, WEFT_MEASURE_PASS);
    weft_measure_target(&options, &row, WEFT_MEASURE_AT_MOST, 4.9);
    cr_expect_eq(row.verdict, WEFT_MEASURE_FAIL);
    weft_measure_target(&options, &row, WEFT_MEASURE_AT_LEAST, 5.1);
    cr_expect_eq(row.verdict, WEFT_MEASURE_FAIL);
}

Test(statistics, a_full_table_keeps_its_size) {
    static weft_measure_table table;
    weft_series one = {.count = 1, .value = {1}};
    for (int i = 0; i < WEFT_MEASURE_ROWS_MAX + 3; ++i)
        weft_measure_add(&table, "x", &one, 1, "row %d", i);
    cr_expect_eq(table.row_count, WEFT_MEASURE_ROWS_MAX);
    weft_series full = {.count = 0};
    for (int i = 0; i < WEFT_SERIES_MAX + 3; ++i)
        weft_series_add(&full, i);
    cr_expect_eq(full.count, WEFT_SERIES_MAX);
}
