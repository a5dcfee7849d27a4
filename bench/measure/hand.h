/// The hand-written rival's two threads: pinned, spinning, one fork and join of 0.4 us or so. The
/// bound that a framework is measured against, not a peer.
#pragma once

#include <weft/topology.h>

typedef struct weft_hand weft_hand;

/// The OS indices of the CPUs of two threads: the topology's first CPU, and the first one of
/// another core if there is any. False when there is only one CPU.
bool weft_hand_cpus(const weft_topology* topology, uint32_t cpu[2]);

/// Part `index` of the work cut into `count` parts.
typedef void weft_hand_part(void* context, uint32_t index, uint32_t count);

/// Starts the helper, parked, pinned to the topology's second core. UNSUPPORTED when there is only
/// one CPU; OS, OUT_OF_MEMORY.
weft_status weft_hand_create(const weft_topology* topology, weft_hand** out);

/// Joins the helper. Null is allowed.
void weft_hand_destroy(weft_hand* hand);

/// Sets the helper spinning, and pins the caller to the topology's first CPU. Untimed.
void weft_hand_wake(weft_hand* hand);

/// Puts the helper to sleep and gives the caller its CPUs back. Untimed.
void weft_hand_park(weft_hand* hand);

/// The pause of a spinning thread.
static inline void weft_hand_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/// Runs part 1 of 2 on the helper and part 0 here, and returns when both are done.
void weft_hand_fork(weft_hand* hand, weft_hand_part* part, void* context);

/// Hand-written work as a case of a measurement: on two threads, or on one where `hand` is null.
typedef struct weft_hand_side {
    weft_hand* hand;
    weft_hand_part* part;
    void* context;
} weft_hand_side;

/// The three calls of a weft_case whose context is a weft_hand_side.
void weft_hand_prepare(void* side);
weft_status weft_hand_run(void* side, uint64_t repeat);
void weft_hand_finish(void* side);
