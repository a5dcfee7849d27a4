// Due ticks: exact at every rate, the same however often they are asked for, late ones by policy.

#include <weft/clock.h>

#include <criterion/criterion.h>

#define SECOND UINT64_C(1000000000)

static uint64_t run(uint32_t rate, uint64_t step_ns, uint64_t end_ns) {
    weft_clock clock = weft_clock_make(rate, UINT32_MAX, WEFT_CLOCK_CATCH_UP);
    uint64_t start = 12345;
    uint64_t ticks = weft_clock_due(&clock, start);
    cr_assert_eq(ticks, 0, "the first call starts the clock");
    for (uint64_t at = step_ns; at < end_ns; at += step_ns)
        ticks += weft_clock_due(&clock, start + at);
    ticks += weft_clock_due(&clock, start + end_ns);
    cr_assert_eq(ticks, clock.given);
    return ticks;
}

Test(clock, exact_at_every_rate_and_step) {
    static const uint64_t steps[] = {1000003, 16666667, 6666666, 100000000, 3 * SECOND};
    for (uint32_t rate = 20; rate <= 120; rate++)
        for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
            cr_assert_eq(run(rate, steps[i], 10 * SECOND), 10 * (uint64_t)rate);
    cr_assert_eq(run(60, 16666667, 10 * SECOND), 600);
    cr_assert_eq(run(60, 16666667, UINT64_C(6666666800)), 400);
    cr_assert_eq(run(60, 16666667, UINT64_C(6666666666)), 399);
}

// Centuries at the highest rate.
Test(clock, nothing_overflows) {
    weft_clock clock = weft_clock_make(WEFT_CLOCK_RATE_MAX, 7, WEFT_CLOCK_SKIP);
    cr_assert_eq(weft_clock_due(&clock, 0), 0);
    cr_assert_eq(weft_clock_due(&clock, UINT64_MAX), 7);
    cr_assert_eq(clock.given + clock.dropped, UINT64_MAX / 1000);
}

// Three frames of ten ticks, two at once: dropped ones are dropped once.
Test(clock, late_ticks_are_dropped_once) {
    weft_clock clock = weft_clock_make(10, 2, WEFT_CLOCK_SKIP);
    (void)weft_clock_due(&clock, 0);
    for (uint64_t frame = 1; frame <= 3; frame++)
        cr_assert_eq(weft_clock_due(&clock, frame * SECOND), 2);
    cr_assert(clock.given == 6 && clock.dropped == 24);
    cr_assert_eq(weft_clock_due(&clock, 3 * SECOND), 0);
}

Test(clock, late_ticks_are_caught_up_with) {
    weft_clock clock = weft_clock_make(10, 4, WEFT_CLOCK_CATCH_UP);
    (void)weft_clock_due(&clock, 0);
    cr_assert_eq(weft_clock_due(&clock, SECOND), 4);
    cr_assert_eq(weft_clock_next_ns(&clock), SECOND / 2, "in the past: at once");
    cr_assert_eq(weft_clock_due(&clock, SECOND), 4);
    cr_assert_eq(weft_clock_due(&clock, SECOND), 2);
    cr_assert_eq(weft_clock_due(&clock, SECOND), 0);
    cr_assert(clock.given == 10 && clock.dropped == 0);
}

// At the time that it names there is a tick, and a nanosecond before there is none.
Test(clock, the_next_tick) {
    for (uint32_t rate = 1; rate < 2000; rate += 7) {
        weft_clock clock = weft_clock_make(rate, 1, WEFT_CLOCK_CATCH_UP);
        (void)weft_clock_due(&clock, 99);
        for (uint32_t i = 0; i < 50; i++) {
            uint64_t next = weft_clock_next_ns(&clock);
            cr_assert_eq(weft_clock_due(&clock, next - 1), 0);
            cr_assert_eq(weft_clock_due(&clock, next), 1, "rate %u, tick %u", rate, i);
        }
    }
}

Test(clock, time_that_goes_back_stands_still) {
    weft_clock clock = weft_clock_make(10, 100, WEFT_CLOCK_CATCH_UP);
    (void)weft_clock_due(&clock, 5 * SECOND);
    cr_assert_eq(weft_clock_due(&clock, 6 * SECOND), 10);
    cr_assert_eq(weft_clock_due(&clock, 4 * SECOND), 0);
    cr_assert_eq(weft_clock_due(&clock, 7 * SECOND), 10);
    cr_assert_eq(clock.backward, 1);
    cr_assert_leq(weft_clock_now_ns(), weft_clock_now_ns());
}
