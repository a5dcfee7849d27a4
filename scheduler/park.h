/// An event count: where threads sleep until something that they look for has come.
///
/// The waiter announces itself, looks once more, and then sleeps or takes it back:
///
///     uint32_t ticket = weft__park_prepare(park);
///     if (it has come)
///         weft__park_cancel(park);
///     else
///         weft__park_sleep(park, ticket, 0);
///
/// The signaller first makes the thing come, then notifies. Sleeps end for no reason too: look
/// again. Spinning is the waiter's own affair.
#pragma once

#include "atomics.h"

#include <stdbool.h>
#include <stdint.h>

/// The event count. It may lie in memory that several processes share, if initialized as shared. It
/// must outlive every call on it: a signaller still looks at it after the waiter has returned.
typedef struct weft__park {
    WEFT_CACHE_ALIGNED weft__atomic_u32 value; // Notifications that found somebody.
    weft__atomic_u32 sleepers;
    bool shared;
} weft__park;

/// Starts an event count. `shared`: threads of other processes wait on it or notify.
void weft__park_init(weft__park* park, bool shared);

/// Announces a sleeper. What was made before a notification that does not see the sleeper is seen
/// by looks from here on.
WEFT_NODISCARD uint32_t weft__park_prepare(weft__park* park);

/// Takes the announcement back.
void weft__park_cancel(weft__park* park);

/// Sleeps until a notification after the ticket's prepare, or until the clock (weft__os_clock_ns)
/// shows `deadline_ns`, if that is not 0; and takes the announcement back.
void weft__park_sleep(weft__park* park, uint32_t ticket, uint64_t deadline_ns);

/// Wakes all who have announced themselves. Without any it costs a fence.
void weft__park_notify(weft__park* park);

/// How many threads sleep or are about to: a hint that may be old when it is read.
uint32_t weft__park_sleepers(const weft__park* park);
