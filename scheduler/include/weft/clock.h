/// A clock for hosts that run ticks in real time: how many are due, in whole numbers.
///
/// After e nanoseconds floor(e * rate / 10^9) ticks are due, counted from the start: nothing is
/// added up, so nothing drifts, and how often the host asks changes nothing. Time decides when a
/// tick runs, and never reaches what it computes: systems see the tick's number alone, and whatever
/// else the time does comes in as an input event. A clock is used by one thread at a time.
#pragma once

#include <weft/base.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WEFT_CLOCK_RATE_MAX 1000000u

/// What becomes of ticks that are late.
typedef enum weft_clock_policy {
    WEFT_CLOCK_CATCH_UP = 0, // They are run later, at most `burst` at a time.
    WEFT_CLOCK_SKIP = 1,     // Those beyond `burst` are dropped: the run falls behind the wall.
} weft_clock_policy;

/// A clock. Read the counters; write nothing.
typedef struct weft_clock {
    uint64_t given;    // Ticks that were handed out.
    uint64_t dropped;  // Of SKIP.
    uint64_t backward; // Times that the time went back; it is taken to stand still.
    // Private.
    uint64_t start_ns;
    uint64_t last_ns;
    uint32_t rate;
    uint32_t burst;
    weft_clock_policy policy;
    bool started;
} weft_clock;

/// A clock of `rate` ticks a second, 1 to WEFT_CLOCK_RATE_MAX, that hands out at most `burst`
/// ticks, at least 1, at once. It starts when it is first asked.
WEFT_API weft_clock weft_clock_make(uint32_t rate, uint32_t burst, weft_clock_policy policy);

/// Ticks to run now; 0 when it is first asked. `now_ns` is of any clock that does not go back.
WEFT_API uint32_t weft_clock_due(weft_clock* clock, uint64_t now_ns);

/// When there will be a tick to run: sleep until then.
WEFT_API uint64_t weft_clock_next_ns(const weft_clock* clock);

/// The machine's time since an arbitrary start, in nanoseconds. Never goes back.
WEFT_API uint64_t weft_clock_now_ns(void);

#ifdef __cplusplus
}
#endif
