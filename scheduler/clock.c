// Due ticks (clock.h), in 64 bits for as long as the time itself fits: whole seconds and the rest
// are multiplied apart, which gives the same floor.

#include <weft/clock.h>

#include "os.h"

#define SECOND_NS UINT64_C(1000000000)

weft_clock weft_clock_make(uint32_t rate, uint32_t burst, weft_clock_policy policy) {
    WEFT_ASSERT(rate > 0 && rate <= WEFT_CLOCK_RATE_MAX && burst > 0);
    WEFT_ASSERT(policy <= WEFT_CLOCK_SKIP);
    return (weft_clock){.rate = rate, .burst = burst, .policy = policy};
}

static uint64_t due_after(const weft_clock* clock, uint64_t elapsed_ns) {
    return elapsed_ns / SECOND_NS * clock->rate + elapsed_ns % SECOND_NS * clock->rate / SECOND_NS;
}

uint32_t weft_clock_due(weft_clock* clock, uint64_t now_ns) {
    WEFT_ASSERT(clock != NULL && clock->rate > 0);
    if (!clock->started) {
        clock->started = true;
        clock->start_ns = clock->last_ns = now_ns;
    }
    clock->backward += now_ns < clock->last_ns;
    clock->last_ns = now_ns < clock->last_ns ? clock->last_ns : now_ns;
    uint64_t due = due_after(clock, clock->last_ns - clock->start_ns);
    uint64_t late = due - clock->given - clock->dropped;
    WEFT_ASSERT(due >= clock->given + clock->dropped);
    uint32_t now = late < clock->burst ? (uint32_t)late : clock->burst;
    clock->given += now;
    // Dropped once: what is dropped now is not late in the next call.
    if (clock->policy == WEFT_CLOCK_SKIP)
        clock->dropped += late - now;
    return now;
}

uint64_t weft_clock_next_ns(const weft_clock* clock) {
    WEFT_ASSERT(clock != NULL && clock->rate > 0);
    uint64_t next = clock->given + clock->dropped + 1;
    uint64_t rest = next % clock->rate * SECOND_NS;
    return clock->start_ns + next / clock->rate * SECOND_NS +
           (rest + clock->rate - 1) / clock->rate;
}

uint64_t weft_clock_now_ns(void) {
    return weft__os_clock_ns();
}
