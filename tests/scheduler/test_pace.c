// What is learnt of a batch, from times that the test makes up.

#include "pace.h"

#include <criterion/criterion.h>

typedef struct fake {
    uint64_t alone_ns;
    uint64_t together_ns;
} fake;

// Runs the batch as often; returns how often it ran together.
static uint32_t run(weft__pace* pace, fake costs, uint64_t join_ns, uint32_t times) {
    weft__pace_terms terms = {.join_ns = join_ns, .workers = 2};
    uint32_t together = 0;
    for (uint32_t i = 0; i < times; i++) {
        together += pace->goes_together;
        if (pace->skip > 0)
            pace->skip--;
        else
            weft__pace_note(pace, &terms, pace->goes_together,
                            pace->goes_together ? costs.together_ns : costs.alone_ns);
    }
    return together;
}

Test(pace, tiny_batches_are_never_tried_together) {
    weft__pace pace = {0};
    cr_assert_eq(run(&pace, (fake){300, 1200}, 1000, 100000), 0);
}

Test(pace, batches_that_gain_run_together) {
    weft__pace pace = {0};
    uint32_t together = run(&pace, (fake){4000, 3000}, 1000, 10000);
    cr_assert_gt(together, 9500, "%u of 10000", together);
}

Test(pace, batches_that_lose_run_alone) {
    weft__pace pace = {0};
    uint32_t together = run(&pace, (fake){2000, 2500}, 1000, 10000);
    cr_assert_gt(together, 0, "it was never tried");
    cr_assert_lt(together, 100, "%u of 10000", together);
}

// The host moves the CPUs nearer, then farther: the other way is tried again in time.
Test(pace, it_follows_the_machine) {
    weft__pace pace = {0};
    (void)run(&pace, (fake){2000, 2500}, 1000, 5000);
    cr_assert_not(pace.together);
    (void)run(&pace, (fake){2000, 1200}, 200, 5000);
    cr_assert(pace.together);
    (void)run(&pace, (fake){2000, 2500}, 1000, 5000);
    cr_assert_not(pace.together);
}

Test(pace, one_preemption_is_forgotten) {
    weft__pace pace = {0};
    weft__pace_terms terms = {.join_ns = 1000, .workers = 2};
    (void)run(&pace, (fake){300, 1200}, 1000, 64);
    while (pace.skip > 0)
        pace.skip--;
    weft__pace_note(&pace, &terms, false, 4000000);
    cr_assert_lt(weft__pace_cost(&pace, &terms), 1000);
}

Test(pace, gain_is_expected_until_it_is_known) {
    weft__pace_terms terms = {.join_ns = 1000, .workers = 2};
    cr_assert_eq(weft__pace_gain(NULL, &terms, 1500), 0);
    cr_assert_eq(weft__pace_gain(NULL, &terms, 10000), 4000);
    weft__pace pace = {.alone_ns = 10000, .together_ns = 9000};
    cr_assert_eq(weft__pace_gain(&pace, &terms, 10000), 1000);
    pace.together_ns = 12000;
    cr_assert_eq(weft__pace_gain(&pace, &terms, 10000), 0);
}

// A first run together that was slow (cold memory, say) must not keep sleepers from being woken for
// the trial that would show better.
Test(pace, trials_go_by_expectation) {
    weft__pace_terms terms = {.join_ns = 1000, .workers = 2};
    weft__pace pace = {.alone_ns = 10000, .together_ns = 50000, .trial = 1};
    cr_assert_eq(weft__pace_gain(&pace, &terms, 10000), 4000);
}

// The first run goes by a guess. What the other way costs is unknown then, not nothing.
Test(pace, a_first_run_together_is_no_verdict) {
    weft__pace_terms terms = {.join_ns = 500, .workers = 2};
    weft__pace pace = {0};
    weft__pace_note(&pace, &terms, true, 900000);
    uint32_t together = run(&pace, (fake){700000, 360000}, 500, 1000);
    cr_assert_gt(together, 950, "%u of 1000", together);
}
