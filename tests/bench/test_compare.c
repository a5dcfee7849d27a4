// Comparison of runs: what is slower is found, what is equal is not, whatever the noise.

#include "compare.h"
#include "harness.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <weft/random.h>

enum {
    SAMPLES = 15
};

// A draw from 0 to 1, never the same twice.
static double draw(uint32_t run, uint32_t row, uint32_t sample, uint32_t which) {
    const uint32_t counter[4] = {run, row, sample, which};
    const uint32_t key[2] = {0x57454654, 7};
    return ((double)weft_philox(counter, key).word[0] + 0.5) / 4294967296.0;
}

// The noise of a busy machine: one-sided and with a long tail, `level` at the median.
static double noisy(double value, double level, uint32_t run, uint32_t row, uint32_t sample) {
    return value * (1 - level * log(draw(run, row, sample, 0)));
}

static weft_measure_row* add_row(weft_run_table* to, const char* name, const char* unit,
                                 double value, double level, uint32_t run, uint32_t count) {
    weft_series series = {.count = 0};
    for (uint32_t i = 0; i < count; ++i)
        weft_series_add(&series, noisy(value, level, run, to->table.row_count, i));
    return weft_measure_add(&to->table, unit, &series, 1, "%s", name);
}

static weft_run_table* add_table(weft_run* run, const char* name, const char* title) {
    weft_run_table* table = weft_run_add(run, name);
    cr_assert_not_null(table);
    (void)snprintf(table->table.title, sizeof(table->table.title), "%s", title);
    strcpy(table->status, "OK");
    return table;
}

static weft_change change_of(double before, double after, double level, uint32_t round,
                             const char* unit) {
    weft_run a = {.table_count = 0};
    weft_run b = {.table_count = 0};
    add_row(add_table(&a, "m", "t"), "row", unit, before, level, 2 * round, SAMPLES);
    add_row(add_table(&b, "m", "t"), "row", unit, after, level, 2 * round + 1, SAMPLES);
    weft_comparison comparison = weft_compare(&a, &b, 0.02);
    cr_assert_eq(comparison.row_count, 1);
    cr_expect_eq(comparison.warnings.count, 0, "%s", comparison.warnings.line[0]);
    weft_change change = comparison.row[0].change;
    cr_expect_eq(comparison.count[change], 1);
    weft_comparison_deinit(&comparison);
    weft_run_deinit(&a);
    weft_run_deinit(&b);
    return change;
}

// The canary: a tenth slower must be found, in every run of a usual noise.
Test(compare_runs, slower_by_a_tenth_is_found) {
    for (uint32_t round = 0; round < 60; ++round) {
        cr_expect_eq(change_of(100, 110, 0.02, round, "ns"), WEFT_CHANGE_SLOWER, "%u", round);
        cr_expect_eq(change_of(110, 100, 0.02, round, "ns"), WEFT_CHANGE_FASTER, "%u", round);
        cr_expect_eq(change_of(100, 110, 0, round, "ns"), WEFT_CHANGE_SLOWER);
    }
}

Test(compare_runs, more_is_better_for_rates) {
    cr_expect_eq(change_of(100, 110, 0.02, 0, "ticks/s"), WEFT_CHANGE_FASTER);
    cr_expect_eq(change_of(110, 100, 0.02, 0, "GB/s"), WEFT_CHANGE_SLOWER);
    cr_expect_eq(change_of(110, 100, 0.02, 0, "/s"), WEFT_CHANGE_FASTER); // No rate of anything.
}

// Of 600 pairs of equal runs the interval alone would be wrong about 1% of the time, and the
// threshold makes it less.
Test(compare_runs, equal_runs_have_no_difference) {
    static const double levels[] = {0, 0.01, 0.05, 0.3};
    for (size_t k = 0; k < sizeof(levels) / sizeof(levels[0]); ++k) {
        uint32_t wrong = 0;
        for (uint32_t round = 0; round < 150; ++round)
            wrong += change_of(100, 100, levels[k], round, "ns") != WEFT_CHANGE_NONE;
        cr_expect_leq(wrong, levels[k] < 0.1 ? 0 : 2, "noise %g: %u of 150", levels[k], wrong);
    }
}

// A change below the threshold is none, however sure it is.
Test(compare_runs, threshold_is_kept) {
    cr_expect_eq(change_of(100, 101.9, 0, 0, "ns"), WEFT_CHANGE_NONE);
    cr_expect_eq(change_of(100, 102.1, 0, 0, "ns"), WEFT_CHANGE_SLOWER);
    cr_expect_eq(change_of(102.1, 100, 0, 0, "ns"), WEFT_CHANGE_FASTER);
}

static bool has_line(const weft_compare_lines* lines, const char* text) {
    for (uint32_t i = 0; i < lines->count; ++i) {
        if (strstr(lines->line[i], text))
            return true;
    }
    return false;
}

Test(compare_runs, rows_are_paired_by_name_unit_and_turn) {
    weft_run a = {.table_count = 0};
    weft_run b = {.table_count = 0};
    weft_run_table* left = add_table(&a, "m", "t");
    weft_run_table* right = add_table(&b, "m", "t");
    add_row(left, "twice", "ns", 10, 0, 0, SAMPLES);
    add_row(left, "twice", "ns", 20, 0, 0, SAMPLES);
    add_row(left, "gone", "ns", 1, 0, 0, SAMPLES);
    add_row(left, "unit", "ns", 1, 0, 0, SAMPLES);
    add_row(right, "new", "ns", 1, 0, 0, SAMPLES);
    add_row(right, "twice", "ns", 10, 0, 0, SAMPLES);
    add_row(right, "unit", "us", 1, 0, 0, SAMPLES);
    add_row(right, "twice", "ns", 40, 0, 0, SAMPLES);
    add_row(right, "twice", "ns", 1, 0, 0, SAMPLES);
    add_row(add_table(&a, "old", "t"), "row", "ns", 1, 0, 0, SAMPLES);
    add_row(add_table(&b, "fresh", "t"), "row", "ns", 1, 0, 0, SAMPLES);
    add_row(add_table(&a, "sizes", "1 row"), "row", "ns", 1, 0, 0, SAMPLES);
    add_row(add_table(&b, "sizes", "2 rows"), "row", "ns", 1, 0, 0, SAMPLES);
    weft_comparison all = weft_compare(&a, &b, 0.02);
    cr_assert_eq(all.row_count, 2);
    cr_expect_eq(all.row[0].change, WEFT_CHANGE_NONE);
    cr_expect_eq(all.row[1].change, WEFT_CHANGE_SLOWER);
    cr_expect_float_eq(all.row[1].cost, 2, 1e-12);
    cr_expect_eq(all.only[0].count, 3);
    cr_expect(has_line(&all.only[0], "m: gone") && has_line(&all.only[0], "m: unit") &&
              has_line(&all.only[0], "old: row"));
    cr_expect_eq(all.only[1].count, 4);
    cr_expect(has_line(&all.only[1], "m: new") && has_line(&all.only[1], "m: twice") &&
              has_line(&all.only[1], "fresh: row"));
    cr_expect(has_line(&all.warnings, "sizes: not compared: '1 row' in A, '2 rows' in B"));
    weft_comparison_deinit(&all);
    weft_run_deinit(&a);
    weft_run_deinit(&b);
}

Test(compare_runs, few_samples_show_nothing) {
    weft_run a = {.table_count = 0};
    weft_run b = {.table_count = 0};
    weft_run_table* left = add_table(&a, "m", "t");
    weft_run_table* right = add_table(&b, "m", "t");
    add_row(left, "few", "ns", 1, 0, 0, 3);
    add_row(right, "few", "ns", 9, 0, 0, 3);
    add_row(left, "five", "ns", 1, 0, 0, 5);
    add_row(right, "five", "ns", 9, 0, 0, 5);
    add_row(left, "none", "ns", 1, 0, 0, 0);
    add_row(right, "none", "ns", 1, 0, 0, 5);
    add_row(left, "zero", "ns", 0, 0, 0, 5);
    add_row(right, "zero", "ns", 1, 0, 0, 5);
    weft_comparison all = weft_compare(&a, &b, 0.02);
    cr_assert_eq(all.row_count, 2);
    cr_expect_eq(all.row[0].change, WEFT_CHANGE_NONE);
    cr_expect_not(all.row[0].ratio.is_certain);
    cr_expect(all.row[0].is_wide);
    cr_expect_eq(all.row[1].change, WEFT_CHANGE_SLOWER);
    cr_expect(has_line(&all.warnings, "none: has samples") || has_line(&all.warnings, "not above"));
    weft_comparison_deinit(&all);
    weft_run_deinit(&a);
    weft_run_deinit(&b);
}

Test(compare_runs, what_differs_between_the_machines_is_said) {
    weft_run a = {.table_count = 0};
    weft_run b = {.table_count = 0};
    weft_machine_add(&a.head.machine, "cpu", "fast");
    weft_machine_add(&b.head.machine, "cpu", "slow");
    weft_machine_add(&a.head.machine, "commit", "1");
    weft_machine_add(&b.head.machine, "commit", "2");
    weft_machine_add(&b.head.machine, "governor", "powersave");
    weft_machine_add(&b.head.options, "quick", "yes");
    weft_conditions* near = &add_table(&a, "m", "t")->table.conditions;
    weft_conditions* far = &add_table(&b, "m", "t")->table.conditions;
    near->line_min = near->line_max = 85;
    far->line_min = 440;
    far->line_max = 490;
    near->ghz[0] = 3.5;
    far->ghz[0] = 2.5;
    far->others = 0.4;
    weft_run_table* failed = add_table(&b, "n", "t");
    strcpy(failed->status, "DIVERGED");
    strcpy(failed->table.error, "they differ");
    weft_comparison all = weft_compare(&a, &b, 0.02);
    cr_expect(has_line(&all.warnings, "cpu: 'fast' in A, 'slow' in B"));
    cr_expect(has_line(&all.warnings, "governor: '' in A, 'powersave' in B"));
    cr_expect(has_line(&all.warnings, "quick runs"));
    cr_expect(has_line(&all.warnings, "m: a line went to and fro in 85 ns in A and in 464 in B"));
    cr_expect(has_line(&all.warnings, "m: the clock was 3.50 GHz in A and 2.50 in B"));
    cr_expect(has_line(&all.warnings, "m: in B other processes had 40%"));
    cr_expect(has_line(&all.warnings, "n: failed in B: they differ [DIVERGED]"));
    cr_expect_not(has_line(&all.warnings, "commit"));
    weft_comparison_deinit(&all);
    far->line_min = 80;
    all = weft_compare(&a, &b, 0.02);
    cr_expect(has_line(&all.warnings, "m: in B the CPUs were near and far in turn"));
    weft_comparison_deinit(&all);
    weft_run_deinit(&a);
    weft_run_deinit(&b);
}
