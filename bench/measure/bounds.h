/// What the machine can do at best: memory sweeps, a barrier, a sleeper. A line between two CPUs is
/// in probe.h.
///
/// Each is a part for weft_hand_fork(), so that any measurement can let it take turns with what it
/// measures. Speed is in bytes that the loop names; a plain store to a line that is not in the
/// cache also reads it, which is not counted.
#pragma once

#include <stdatomic.h>

#include "hand.h"
#include "harness.h"

typedef enum weft_traffic_kind {
    WEFT_TRAFFIC_READ = 0,        // sum += a[i]
    WEFT_TRAFFIC_READ_FOUR = 1,   // The same in four places at once: more lines on their way.
    WEFT_TRAFFIC_COPY = 2,        // a[i] = b[i]
    WEFT_TRAFFIC_TRIAD = 3,       // a[i] = b[i] + 3 * c[i]
    WEFT_TRAFFIC_UPDATE = 4,      // a[i] += 3 * b[i]: the traffic of `motion`, nothing hidden.
    WEFT_TRAFFIC_COPY_PAST = 5,   // Stores past the cache, where the machine has them.
    WEFT_TRAFFIC_TRIAD_PAST = 6,  //
    WEFT_TRAFFIC_UPDATE_PAST = 7, //
    WEFT_TRAFFIC_KINDS = 8
} weft_traffic_kind;

/// "read", "copy", ... "update, stores past the cache".
extern const char* const weft_traffic_names[WEFT_TRAFFIC_KINDS];

/// Whether this build has stores that go past the cache; if not, _PAST kinds are plain.
bool weft_traffic_can_bypass(void);

/// Bytes that one element of this kind counts for: 8, 16 or 24.
double weft_traffic_bytes(weft_traffic_kind kind);

/// Up to three arrays of 64-bit numbers.
typedef struct weft_traffic {
    uint64_t* array[3];
    size_t count; // Elements of each.
    void* segment;
    size_t segment_size;
} weft_traffic;

/// Acquires `array_count` arrays of `bytes` each from the system, in huge pages where it gives
/// them, and touches them first with the threads of `hand` (null: here). OUT_OF_MEMORY.
weft_status weft_traffic_open(weft_traffic* stream, weft_hand* hand, uint32_t array_count,
                              size_t bytes);

/// Gives the arrays back. A zeroed stream is allowed.
void weft_traffic_close(weft_traffic* stream);

/// The context of weft_traffic_part().
typedef struct weft_traffic_work {
    weft_traffic* stream;
    weft_traffic_kind kind;
    uint32_t times; // Over each part, in one fork; at least 1.
} weft_traffic_work;

/// Runs `times` sweeps over one part of the arrays: a weft_hand_part.
void weft_traffic_part(void* stream_work, uint32_t index, uint32_t count);

/// Bytes per nanosecond, which are GB/s, from nanoseconds per byte.
weft_series weft_series_rate(const weft_series* ns_per_byte);

/// A spinning barrier over one counter.
typedef struct weft_barrier {
    _Alignas(128) atomic_uint_fast32_t arrived;
    _Alignas(128) atomic_uint_fast32_t round;
    _Alignas(128) uint64_t rounds; // Of one fork.
} weft_barrier;

/// Crosses it `rounds` times: a weft_hand_part.
void weft_barrier_part(void* barrier, uint32_t index, uint32_t count);

/// A thread that sleeps on a futex.
typedef struct weft_sleeper weft_sleeper;

/// Starts one, pinned to a CPU. OS, OUT_OF_MEMORY.
weft_status weft_sleeper_create(const weft_topology* topology, uint32_t cpu, weft_sleeper** out);

/// Lets it sleep for `idle_ns` while this thread spins, then wakes it. Nanoseconds until it ran,
/// and until the call that woke it came back.
void weft_sleeper_wake(weft_sleeper* sleeper, uint64_t idle_ns, double* until_run_out,
                       double* call_out);

/// Ends and joins it. Null is allowed.
void weft_sleeper_destroy(weft_sleeper* sleeper);
