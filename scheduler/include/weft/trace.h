/// What a tick's time went to: every stage, system call, wait, help, phase of the commit and digest
/// of an executor that was created with weft_executor_desc.trace_records.
///
/// Each worker writes into a ring of its own, the newest over the oldest. Nothing here is part of
/// any result. Times are nanoseconds of the clock of weft_clock_now_ns(), to a hundred thousandth.
/// One reading of a clock ends one record and begins the next, so a worker's records leave no gaps
/// inside a stage.
#pragma once

#include <weft/executor.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What was done from `begin_ns` to `end_ns`. Records of one worker are apart or one inside the
/// other, and come in the order in which they ended: what is inside comes first. On worker 0:
///
///   HOST | TICK { PREPARE, ( FINISH, STAGE { SYSTEM, HASH, WAIT, HELP { .. } } ).., COMMIT { .. }}
///
/// PREPARE, FINISH and most phases of COMMIT hold WAIT and HELP too. On the others WAIT, and STAGE,
/// MERGE and the like for their shares of these.
typedef enum weft_trace_kind {
    WEFT_TRACE_HOST = 1,      // Worker 0: what the caller did between its calls.
    WEFT_TRACE_TICK = 2,      // A call of weft_executor_tick().
    WEFT_TRACE_ROLLBACK = 3,  // A call of weft_executor_rollback().
    WEFT_TRACE_DIGEST = 4,    // A call of weft_executor_digest(), with LEAVES and TREE.
    WEFT_TRACE_PREPARE = 5,   // The host's commands, states for rollback, new chunks, messages.
    WEFT_TRACE_FINISH = 6,    // Channels and reductions made complete for `stage`.
    WEFT_TRACE_STAGE = 7,     // Worker 0: a whole stage; others: their own share of it.
    WEFT_TRACE_SYSTEM = 8,    // System `rank` on a chunk of `count` rows, or of world scope.
    WEFT_TRACE_HASH = 9,      // Columns hashed right after their last writer, `rank`.
    WEFT_TRACE_WAIT = 10,     // Nothing to do. Of worker 0: for the others to end.
    WEFT_TRACE_HELP = 11,     // `count` items of the share of worker `other`.
    WEFT_TRACE_COMMIT = 12,   // A commit and its messages: in a tick, or of the host's commands.
    WEFT_TRACE_ORDER = 13,    // Buffers swapped, logs in the order of keys.
    WEFT_TRACE_ROUTE = 14,    // Commands to their shards.
    WEFT_TRACE_FOLD = 15,     // Commands to final sets.
    WEFT_TRACE_ASSIGN = 16,   // Archetypes, slots and chunks handed out: worker 0 alone.
    WEFT_TRACE_MERGE = 17,    // Chunks rewritten.
    WEFT_TRACE_MESSAGES = 18, // Messages for the next tick, rows of tables.
    WEFT_TRACE_LEAVES = 19,   // Columns hashed for a digest.
    WEFT_TRACE_TREE = 20,     // Nodes of the digest: worker 0 alone.
    WEFT_TRACE_OTHER = 21,    // Items of something else, such as a snapshot.
} weft_trace_kind;

#define WEFT_TRACE_KINDS 22u // All kinds are below.

/// In a record: there is none.
#define WEFT_TRACE_NONE UINT32_MAX

/// One thing that a worker did.
typedef struct weft_trace_record {
    uint64_t begin_ns;
    uint64_t end_ns;
    uint64_t tick;      // Of the world when it began.
    uint16_t kind;      // weft_trace_kind.
    uint16_t other;     // HELP: whose share it was.
    uint32_t stage;     // FINISH, STAGE, SYSTEM, HASH, and HELP in a stage; else NONE.
    uint32_t rank;      // SYSTEM, HASH; else NONE.
    uint32_t archetype; // SYSTEM, HASH on a chunk; else NONE, as the next.
    uint32_t shard;
    uint32_t count; // Rows of a chunk; of HELP and shares: items; else 0.
} weft_trace_record;

/// The kind's name, such as "system"; "?" for what is none. Static.
WEFT_API const char* weft_trace_kind_name(weft_trace_kind kind);

/// Moves a worker's oldest records that were not taken yet to `records`; returns how many, at most
/// `capacity`. 0 if there are none, or the executor does not trace. Between the calls that run
/// something, by one thread at a time. The last record or two of a worker may come only after the
/// next such call.
WEFT_API size_t weft_trace_take(weft_executor* executor, uint32_t worker,
                                weft_trace_record* records, size_t capacity);

/// Records of a worker that were overwritten before they were taken, as of its last take.
WEFT_API uint64_t weft_trace_lost(const weft_executor* executor, uint32_t worker);

/// What the processor and the system count of a worker.
typedef enum weft_trace_counter {
    WEFT_TRACE_CYCLES = 0,       // These three in user mode,
    WEFT_TRACE_INSTRUCTIONS = 1, // by the processor.
    WEFT_TRACE_CACHE_MISSES = 2, // Of the last level.
    WEFT_TRACE_SWITCHES = 3,     // Times it lost its CPU, or gave it away.
    WEFT_TRACE_FAULTS = 4,       // Page faults.
    WEFT_TRACE_MIGRATIONS = 5,   // Times it came to another CPU.
} weft_trace_counter;

#define WEFT_TRACE_COUNTERS 6u

/// Counts, by weft_trace_counter.
typedef struct weft_trace_counts {
    uint64_t value[WEFT_TRACE_COUNTERS];
} weft_trace_counts;

/// The counter's name, such as "cache misses"; "?" for what is none. Static.
WEFT_API const char* weft_trace_counter_name(weft_trace_counter counter);

/// Starts to count for each worker of an executor that traces: by perf_event_open(2) on Linux.
/// Returns the counters that every worker has, 1 << weft_trace_counter each. `reason` says why
/// others are missing, in one line, or is empty. Once, by the thread that runs the ticks.
WEFT_API uint32_t weft_trace_count(weft_executor* executor, char* reason, size_t capacity);

/// What was counted of a worker since then; 0 for counters that it does not have. Between the calls
/// that run something, by one thread at a time. Some system calls.
WEFT_API weft_trace_counts weft_trace_counts_read(weft_executor* executor, uint32_t worker);

/// Records that each worker's ring holds for sure; 0 if the executor does not trace.
WEFT_API size_t weft_trace_capacity(const weft_executor* executor);

#ifdef __cplusplus
}
#endif
