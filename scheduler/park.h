/// An event count to wait on: spin a little, then sleep.
///
/// The waiter reads the value, looks whether what it waits for has come, and if not waits for
/// another value than the one it read. The signaller first makes the thing come, then signals.
/// Whatever was written before a signal is visible to whoever sees its value.
#pragma once

#include "atomics.h"

#include <stdbool.h>
#include <stdint.h>

/// The event count. It may lie in memory that several processes share, if initialized as shared. It
/// must outlive every call on it: a signaller still looks at it after the waiter has returned.
typedef struct weft__park {
    WEFT_CACHE_ALIGNED weft__atomic_u32 value;
    weft__atomic_u32 sleepers;
    bool shared;
} weft__park;

/// Starts an event count at value 0. `shared`: threads of other processes wait on it or signal it.
void weft__park_init(weft__park* park, bool shared);

/// The value now, with acquire order. A value comes again after 2^32 signals.
uint32_t weft__park_value(const weft__park* park);

/// Returns, with acquire order, as soon as the value is another than `old_value`, and returns that
/// value. Looks up to `spin_limit` times with a relax between (0 never spins), then sleeps.
uint32_t weft__park_wait(weft__park* park, uint32_t old_value, uint32_t spin_limit);

/// Advances the value, with release order. If `wake` is true all sleepers are woken; if false only
/// those who spin or have not yet fallen asleep see it, and sleepers sleep on until a later signal
/// with wake.
void weft__park_signal(weft__park* park, bool wake);

/// How many threads sleep or are about to: a hint that may be old when it is read.
uint32_t weft__park_sleepers(const weft__park* park);
