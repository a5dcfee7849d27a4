// What is chosen from forecasts that are made up.

#include "tune_forecast.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum {
    COUNTS = 4,
};

// Ticks in microseconds with each policy and number of workers.
static tune_forecast* make(uint32_t policies, uint32_t* counts,
                           const double us[TUNE_POLICIES_MAX][COUNTS]) {
    tune_forecast* all = calloc(1, sizeof *all);
    cr_assert_not_null(all);
    all->report.counts = counts;
    all->report.count = COUNTS;
    all->policy_count = policies;
    for (uint32_t i = 0; i < policies; i++) {
        all->policy[i].results = calloc(COUNTS, sizeof *all->policy[i].results);
        cr_assert_not_null(all->policy[i].results);
        for (uint32_t k = 0; k < COUNTS; k++)
            all->policy[i].results[k].tick_ns = us[i][k] * 1000;
    }
    tune_forecast_choose(all);
    return all;
}

static void drop(tune_forecast* all) {
    for (uint32_t i = 0; i < all->policy_count; i++)
        free(all->policy[i].results);
    free(all);
}

Test(tune_forecast, the_fewest_workers_that_are_as_good) {
    uint32_t counts[COUNTS] = {1, 4, 16, 64};
    const double us[TUNE_POLICIES_MAX][COUNTS] = {
        {1000, 300, 104, 100}, {1000, 290, 101.9, 101}, {1000, 300, 104, 100}};
    tune_forecast* all = make(3, counts, us);
    cr_expect_eq(all->best, 0);
    cr_expect_eq(all->policy[0].best, 3);
    cr_expect_eq(all->chosen, 1, "16 workers of the second are within 2%%");
    cr_expect_eq(all->at, 2);
    cr_expect_eq(all->policy[0].same_as, 0);
    cr_expect_eq(all->policy[1].same_as, 1);
    cr_expect_eq(all->policy[2].same_as, 0);
    drop(all);
}

Test(tune_forecast, what_is_worse_by_more_is_not_taken) {
    uint32_t counts[COUNTS] = {1, 4, 16, 64};
    const double us[TUNE_POLICIES_MAX][COUNTS] = {{1000, 300, 104, 102.1}, {1000, 290, 102.1, 100}};
    tune_forecast* all = make(2, counts, us);
    cr_expect_eq(all->best, 1);
    cr_expect_eq(all->chosen, 1);
    cr_expect_eq(all->at, 3);
    drop(all);
}

// The list may have any order, and a number twice.
Test(tune_forecast, of_as_many_workers_the_shortest_tick_then_the_first_policy) {
    uint32_t counts[COUNTS] = {64, 16, 4, 16};
    const double us[TUNE_POLICIES_MAX][COUNTS] = {{100, 101.5, 300, 101.5},
                                                  {100, 101, 300, 101},
                                                  {100, 101, 290, 101},
                                                  {99.9, 105, 300, 105}};
    tune_forecast* all = make(4, counts, us);
    cr_expect_eq(all->best, 3);
    cr_expect_eq(all->chosen, 1);
    cr_expect_eq(all->report.counts[all->at], 16);
    drop(all);
    const double equal[TUNE_POLICIES_MAX][COUNTS] = {{100, 100, 300, 100}, {100, 100, 300, 100}};
    all = make(2, counts, equal);
    cr_expect_eq(all->chosen, 0);
    cr_expect_eq(all->report.counts[all->at], 16);
    drop(all);
}

Test(tune_forecast, one_worker_may_be_enough) {
    uint32_t counts[COUNTS] = {1, 2, 3, 4};
    const double us[TUNE_POLICIES_MAX][COUNTS] = {{100, 99, 103, 110}};
    tune_forecast* all = make(1, counts, us);
    cr_expect_eq(all->policy[0].best, 1);
    cr_expect_eq(all->at, 0);
    drop(all);
}

Test(tune_forecast, a_grain_is_taken_where_it_is_better_by_more) {
    uint32_t counts[COUNTS] = {1, 2, 3, 4};
    const double us[TUNE_POLICIES_MAX][COUNTS] = {{100, 80, 70, 60}};
    static const double grains[][2] = {{59, 58.83}, {59, 58.8}};
    for (int taken = 0; taken < 2; taken++) {
        tune_forecast* all = make(1, counts, us);
        tune_forecast_choose_grain(all);
        cr_expect_not(all->has_grain, "there is none");
        for (uint32_t i = 0; i < 2; i++) {
            all->grain[i].grain = 1 + i;
            all->grain[i].result.tick_ns = grains[taken][i] * 1000;
        }
        all->grain_count = 2;
        tune_forecast_choose_grain(all);
        cr_expect_eq(all->grain_best, 1);
        cr_expect_eq(all->has_grain, taken == 1);
        drop(all);
    }
}
