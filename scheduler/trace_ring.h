/// Recording for <weft/trace.h>.
///
/// Rings lie in memory of their own, which worker processes share and which outlives them, and each
/// is written by its worker alone. Whoever takes records reads those that are published and far
/// enough from what could be written meanwhile: between batches a worker that comes late has at
/// most a share, a help and the wait before it to write.
///
/// Times in rings, though named _ns, are of the trace's own clock: the CPU's counter, where the
/// system trusts it. They become nanoseconds when they are taken, all by one line through two
/// readings of both clocks, so that what is in order stays in order.
#pragma once

#include <weft/trace.h>

#include "atomics.h"
#include "os.h"
#include "os_counters.h"
#include "weft_world.h"

/// Records that a ring can hold and nobody reads.
#define WEFT__TRACE_SLACK 16u
#define WEFT__TRACE_RECORDS_MIN 64u
#define WEFT__TRACE_RECORDS_MAX (UINT32_C(1) << 26)

typedef struct weft__trace_ring {
    WEFT_CACHE_ALIGNED weft__atomic_u64 written; // Records ever. Its worker's, as the next three.
    uint64_t own_ns;
    uint64_t* last_ns; // When the thread that runs this worker last looked at the clock.
    uint64_t wait_ns;  // Since when it waits, with nothing recorded since; 0: it does not.
    weft_trace_record* records;
    weft__atomic_u32 thread;           // Of the system, if the worker has one of its own; else 0.
    WEFT_CACHE_ALIGNED uint64_t taken; // The reader's.
    uint64_t lost;
    weft__os_counters counters;
    weft_trace_counts before;  // Of processes that are gone.
    weft_trace_counts counted; // At the last look.
} weft__trace_ring;

typedef struct weft__trace {
    uint32_t worker_count;
    uint32_t capacity; // Of each ring: a power of two.
    bool cycles;       // The clock is weft__os_cycles().
    size_t size;
    weft__trace_ring* rings;
    // Written by worker 0 before a batch, read by those who run it.
    WEFT_CACHE_ALIGNED weft__atomic_u64 tick;
    weft__atomic_u64 what;                  // Kind (high half, 0: nothing is recorded), stage.
    WEFT_CACHE_ALIGNED uint64_t host_ns;    // Worker 0's: since when the host is at it,
    uint64_t phase_ns;                      // and the running phase of a commit or digest.
    uint16_t phase;                         // 0: none.
    WEFT_CACHE_ALIGNED uint64_t base_clock; // The reader's: both clocks when it was made,
    uint64_t base_ns;
    uint64_t rate; // and 2^32 times the nanoseconds of a cycle; 0: not known yet.
} weft__trace;

/// Makes rings for so many records each, rounded up; `one_thread` runs all workers. Status:
/// OUT_OF_MEMORY.
WEFT_NODISCARD weft_status weft__trace_create(uint32_t worker_count, uint32_t records, bool shared,
                                              bool one_thread, weft__trace** trace_out);
/// Null is allowed.
void weft__trace_destroy(weft__trace* trace);

/// The record of the wait that ended at `end_ns`, if it took any time.
void weft__trace_end_wait(weft__trace* trace, weft__trace_ring* ring, uint64_t tick,
                          uint64_t end_ns);

/// Where the worker's next record is written, field by field: to copy one that was put together
/// elsewhere waits for its narrow stores. Before it goes the wait that a record from `begin_ns` on
/// ends.
static inline weft_trace_record* weft__trace_next(weft__trace* trace, uint32_t worker,
                                                  uint64_t tick, uint64_t begin_ns) {
    weft__trace_ring* ring = &trace->rings[worker];
    WEFT_CHECK(worker < trace->worker_count);
    if (__builtin_expect(ring->wait_ns != 0, 0) && begin_ns >= ring->wait_ns)
        weft__trace_end_wait(trace, ring, tick, begin_ns);
    uint64_t written = weft__atomic_u64_load_relaxed(&ring->written);
    return &ring->records[written & (trace->capacity - 1)];
}

/// It is written.
static inline void weft__trace_publish(weft__trace* trace, uint32_t worker,
                                       const weft_trace_record* record) {
    weft__trace_ring* ring = &trace->rings[worker];
    WEFT_CHECK(record->kind < WEFT_TRACE_KINDS && record->begin_ns <= record->end_ns);
    (void)record;
    uint64_t written = weft__atomic_u64_load_relaxed(&ring->written) + 1;
    weft__atomic_u64_store_release(&ring->written, written);
    // The line where the next one ends comes while its work is done, and not after it.
    __builtin_prefetch(&ring->records[written & (trace->capacity - 1)].count, 1);
}

static inline uint64_t weft__trace_last(const weft__trace* trace, uint32_t worker) {
    return *trace->rings[worker].last_ns;
}

static inline uint64_t weft__trace_stamp(weft__trace* trace, uint32_t worker) {
    uint64_t now = trace->cycles ? weft__os_cycles() : weft__os_clock_ns();
    return *trace->rings[worker].last_ns = now;
}

static inline uint64_t weft__trace_pack(weft_trace_kind kind, uint32_t stage) {
    return (uint64_t)kind << 32 | stage;
}

static inline uint64_t weft__trace_what(const weft__trace* trace) {
    return weft__atomic_u64_load_relaxed(&trace->what);
}

static inline void weft__trace_set_what(weft__trace* trace, uint64_t what) {
    weft__atomic_u64_store_relaxed(&trace->what, what);
}

// Worker 0, outside of batches.
/// The host's time ends; returns when.
uint64_t weft__trace_request(weft__trace* trace, uint64_t tick);
/// The host's time begins, and what was asked for is recorded.
void weft__trace_answer(weft__trace* trace, weft_trace_kind kind, uint64_t begin_ns, uint64_t tick);
/// The tick that is run, or run again.
void weft__trace_tick(weft__trace* trace, uint64_t tick);
/// Something has ended now.
void weft__trace_end(weft__trace* trace, weft_trace_kind kind, uint64_t begin_ns, uint32_t stage);
/// A runner's `phase`.
void weft__trace_phase(weft__runner* runner, weft__phase phase);

// Any worker, around what it runs of a batch.
/// It has run so many items of its own share; worker 0 has records for that already.
void weft__trace_share(weft__trace* trace, uint32_t worker, uint64_t what, uint64_t begin_ns,
                       uint32_t count);
/// The same of the share of `other`.
void weft__trace_help(weft__trace* trace, uint32_t worker, uint32_t other, uint64_t what,
                      uint64_t begin_ns, uint32_t count);
/// A thread that is this worker alone begins.
void weft__trace_begin(weft__trace* trace, uint32_t worker);
/// It has had nothing to do since it last looked at the clock, if it does not wait already.
void weft__trace_wait(weft__trace* trace, uint32_t worker);
/// The wait of worker 0 is over.
void weft__trace_wait_end(weft__trace* trace);
