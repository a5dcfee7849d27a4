/// One run of a verification, and what its parts share.
#pragma once

#include <weft/verify.h>

#include <stdio.h>

#include "weft_world.h"

/// A fresh world with its schedule and executor.
typedef struct weft__verify_run {
    weft_world* world;
    weft_schedule* schedule;
    weft_executor* executor;
} weft__verify_run;

/// Outputs of the tasks of one tick, copied.
typedef struct weft__verify_outputs {
    weft_task_output* items;
    size_t count;
    uint32_t capacity;
} weft__verify_outputs;

/// A report with the memory that it lives in.
typedef struct weft__verify_whole {
    weft_verify_report shown;
    weft__arena arena;
    uint32_t digest_capacity;
} weft__verify_whole;

/// Outputs of all ticks of the serial run, where they are kept.
typedef struct weft__verify_trace {
    WEFT__VEC(weft_task_output) items;
    WEFT__VEC(uint32_t) ends; // By tick.
} weft__verify_trace;

/// A verification under way.
typedef struct weft__verify_state {
    const weft_verify_desc* desc;
    weft_verify_report* report;
    weft__verify_whole* whole; // Of which `report` is a part.
    weft__verify_outputs serial_outputs;
    weft__verify_outputs suspect_outputs;
    weft__verify_trace trace;
    uint32_t located;
} weft__verify_state;

static inline bool weft__verify_digests_equal(const weft_verify_digests* a,
                                              const weft_verify_digests* b) {
    return weft_digest_equal(a->view, b->view) && weft_digest_equal(a->full, b->full);
}

static inline void weft__verify_text(char* to, size_t capacity, const char* from) {
    (void)snprintf(to, capacity, "%s", from);
}

/// The executor that all others are compared with.
weft_executor_desc weft__verify_serial_config(const weft_verify_desc* desc);

/// Makes a run. On failure it may be there in part, for its error line.
WEFT_NODISCARD weft_status weft__verify_open(const weft_verify_desc* desc,
                                             const weft_executor_desc* config,
                                             weft__verify_run* run);
void weft__verify_close(weft__verify_run* run);

/// Digests after `tick` ticks, the last of which is run now; the state before the first tick counts
/// too. With `traced`, the tasks' outputs of this tick are copied there.
WEFT_NODISCARD weft_status weft__verify_reach(weft__verify_state* state, weft__verify_run* run,
                                              uint64_t tick, weft__verify_outputs* traced,
                                              weft_verify_digests* digests_out);

/// Tells the caller where the verification stands; false ends it.
bool weft__verify_goes_on(weft__verify_state* state, weft_verify_phase phase, size_t config,
                          uint64_t tick, uint64_t tick_count);

/// The run has ended with a status.
void weft__verify_fail(weft_verify_result* result, const weft__verify_run* run, weft_status status);
