/// The hand-written rival's threads: pinned, spinning, one fork and join of 0.4 us or so. The bound
/// that a framework is measured against, not a peer.
#pragma once

#include <weft/topology.h>

typedef struct weft_hand weft_hand;

/// Part `index` of the work cut into `count` parts, one for each thread.
typedef void weft_hand_part(void* context, uint32_t index, uint32_t count);

#define WEFT_HAND_THREADS_MAX 256

/// The CPUs that a hand of many threads takes, one of each core before the siblings; returns how
/// many there are, at most `capacity` and WEFT_HAND_THREADS_MAX.
uint32_t weft_hand_cpus(const weft_topology* topology, uint32_t* cpus, uint32_t capacity);

/// Two threads: starts the helper, parked, pinned to the topology's second core. UNSUPPORTED when
/// there is only one CPU; OS, OUT_OF_MEMORY.
weft_status weft_hand_create(const weft_topology* topology, weft_hand** out);

/// The caller and `count` - 1 helpers, one to each of these CPUs. OS, OUT_OF_MEMORY.
weft_status weft_hand_create_on(const weft_topology* topology, const uint32_t* cpus, uint32_t count,
                                weft_hand** out);

/// Joins the helpers. Null is allowed.
void weft_hand_destroy(weft_hand* hand);

/// Sets the helpers spinning, and pins the caller to the first CPU. Untimed.
void weft_hand_wake(weft_hand* hand);

/// Puts the helpers to sleep and gives the caller its CPUs back. Untimed.
void weft_hand_park(weft_hand* hand);

/// Runs part 0 here and each of the others on its helper, and returns when all are done.
void weft_hand_fork(weft_hand* hand, weft_hand_part* part, void* context);

/// Hand-written work as a case of a measurement: on threads, or on one where `hand` is null.
typedef struct weft_hand_side {
    weft_hand* hand;
    weft_hand_part* part;
    void* context;
} weft_hand_side;

/// The three calls of a weft_case whose context is a weft_hand_side.
void weft_hand_prepare(void* side);
weft_status weft_hand_run(void* side, uint64_t repeat);
void weft_hand_finish(void* side);

/// What a spinning thread does between two looks.
static inline void weft_hand_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}
