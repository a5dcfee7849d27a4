/// Executors run a plan. All give the same digests (C10); they differ in speed only.
#pragma once

#include <weft/guard.h>
#include <weft/schedule.h>
#include <weft/topology.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weft_executor weft_executor;

typedef enum weft_executor_kind {
    WEFT_EXECUTOR_SERIAL = 0,  // The reference every other kind is compared with.
    WEFT_EXECUTOR_VIRTUAL = 1, // n workers on one thread, (worker, task) drawn from a seed.
    WEFT_EXECUTOR_THREADS = 2, // n pinned threads; the caller is worker 0.
    // n pinned processes, forked when the executor is created; the caller is none of them. A world
    // of weft_memory_aliased() is wanted. Systems run in the workers, so what they see of the
    // program besides the world is what was there at the fork, and what they write there is lost. A
    // worker that dies costs nothing but time (<weft/crash.h>). One such executor at a time on a
    // world.
    WEFT_EXECUTOR_PROCESSES = 3,
} weft_executor_kind;

/// The order of the systems of a stage, which meet on the same rows only.
typedef enum weft_sweep {
    WEFT_SWEEP_AUTO = 0,        // Whichever takes less time, tried now and then. VIRTUAL: by chunk.
    WEFT_SWEEP_CHUNK_MAJOR = 1, // All systems on one chunk, then the next chunk.
    WEFT_SWEEP_SYSTEM_MAJOR = 2, // One system on a worker's chunks, then the next system.
} weft_sweep;

/// The order of the stage that a system of chunk scope is in.
typedef struct weft_system_sweep {
    const char* system;
    weft_sweep sweep;
} weft_system_sweep;

/// Placement: nothing here can change a result, and `verify` permutes all of it. Start from
/// weft_executor_desc_default().
typedef struct weft_executor_desc {
    weft_executor_kind kind;
    uint32_t worker_count;         // 0: what the topology suggests. At most 1024.
    uint64_t schedule_seed;        // VIRTUAL: seed of the draws.
    const weft_topology* topology; // Null: this machine is read at creation.
    bool pin;                 // THREADS, PROCESSES: pin each worker to one CPU of the allowed set.
    weft_placement placement; // The same, pinned: which. The list is read at creation only.
    bool no_fusion;           // One system per stage: slower, for finding faults.
    weft_sweep sweep;         // The order inside a stage, but for those
    const weft_system_sweep* sweeps; // that these systems are in. Read at creation only; two of
    uint32_t sweep_count;            // one stage must say the same.
    uint32_t grain;                  // Chunks claimed at once; 0: chosen by cost.
    bool everybody;            // THREADS: every batch is shared by all, however small, and more
                               // workers than CPUs do take part: slower, for finding faults.
    uint64_t perturb_seed;     // THREADS: if not 0, items of shared batches wait up to 40 us
                               // before they run, and who helps whom and what is claimed at
                               // once is drawn, all from this seed: for finding faults.
    uint32_t spin_ns;          // How long an idle worker spins,
    uint32_t yield_ns;         // and then gives its CPU away again and again, before it sleeps.
    uint64_t tick_period_ns;   // THREADS: ticks begin so far apart, and workers are awake when
                               // the next is due; 0: not told, they may sleep.
    weft_guard guard;          // What systems touch is watched. From HASH on with one worker at
                               // a time: SERIAL, VIRTUAL, or THREADS with one.
    uint32_t checkpoint_ticks; // Input events are kept for so many ticks; at least 1.
    uint32_t rollback_ticks;   // If this or the next is not 0, a failed tick changes nothing and
                               // the world can be taken back: see <weft/rollback.h>. States are
                               // kept at least so many ticks apart,
    uint32_t rollback_percent; // and so far apart that they cost at most so many percent of the
                               // time in ticks; 0: exactly rollback_ticks apart. At most 100.
    // PROCESSES. If one of the next two is not 0, an image of the world's memory is kept, which the
    // world comes back from when a worker dies; else that fails the world, which is then empty, as
    // nothing that it held is trusted. Images are taken at least so many ticks apart,
    uint32_t image_ticks;
    uint32_t image_percent; // and so far apart that they cost at most so many percent of the time
                            // in ticks; 0: exactly image_ticks apart. At most 100.
    uint32_t crash_retries; // After so many deaths in one tick the next ends the attempts.
    uint64_t stuck_ns;      // Who does not go on for so long, in one task, in one part of a commit
                            // or a digest, or stopped by a signal, is killed; 0: nobody is.
    uint32_t trace_records; // Records of time kept for each worker (<weft/trace.h>), rounded up;
                            // 48 bytes each, at most 2^26. 0: none are, and no time is spent on it.
    uint32_t cookie;        // Set by the default function. Do not write.
} weft_executor_desc;

/// Serial, pinned, spin of 100,000 ns, then 20,000 ns of yielding; a checkpoint every 64 ticks; no
/// rollback; no trace. For processes images at 2 percent, one retry, and 30 seconds for a task.
WEFT_API weft_executor_desc weft_executor_desc_default(void);

/// Creates an executor for a schedule, building the schedule if need be. One executor of a world
/// runs at a time; executors of one schedule may alternate between ticks. Status: BAD_ARGUMENT, OS,
/// UNKNOWN_SYSTEM (of a sweep), OUT_OF_MEMORY, UNSUPPORTED as of ticks, and those of
/// weft_schedule_build(). If it is about the guard, the placement or a system's sweep,
/// weft_world_error() has the line.
WEFT_API WEFT_NODISCARD weft_status weft_executor_create(const weft_executor_desc* desc,
                                                         weft_schedule* schedule,
                                                         weft_executor** executor_out);

/// Stops and joins the workers. Null is allowed.
WEFT_API void weft_executor_destroy(weft_executor* executor);

/// Pins the calling thread, which is worker 0, to that worker's CPU. Executors leave it alone by
/// themselves: it belongs to the host program. Call it from the thread that will run the ticks.
/// Status: UNSUPPORTED for executors without pinned threads; OS.
WEFT_API WEFT_NODISCARD weft_status weft_executor_pin_caller(weft_executor* executor);

/// Applies the host's commands now, as weft_world_commit() does and a tick would before its first
/// stage, by all workers. A chunk's memory comes to be where it is first written: here, and in
/// ticks, on the node of the worker that merges the chunk's shard, which is its owner if nobody
/// helped. Status: those of weft_world_commit().
WEFT_API WEFT_NODISCARD weft_status weft_executor_commit(weft_executor* executor);

/// Runs one tick: every stage, then the commit. Any status other than OK fails the world (C11), or
/// with rollback leaves it as it was before the tick:
/// SYSTEM_FAILED, UNDECLARED, ENTITY_LIMIT, ARCHETYPE_LIMIT, CREATE_LIMIT, OUT_OF_MEMORY, OS (of a
/// guard), WORLD_FAILED. With processes also CRASHED, with the world as it was before the tick;
/// DIVERGED, OUT_OF_MEMORY, OS if it could not be brought back; and UNSUPPORTED, without a line, in
/// a process that was forked from the one that created the executor, which shares the world's
/// memory with it (<weft/memory.h>). weft_world_error() has the line. If commands of the host's own
/// are refused (a limit), that status comes back before the tick starts, and nothing fails. Never
/// waits for ever: workers always come back, and in a forked child, which has none, the caller does
/// everything alone.
WEFT_API WEFT_NODISCARD weft_status weft_executor_tick(weft_executor* executor);

/// View and full digest of the world, leaves hashed by all workers. Same values as
/// weft_world_digest_view() and _full().
WEFT_API WEFT_NODISCARD weft_status weft_executor_digest(weft_executor* executor,
                                                         weft_digest* view_out,
                                                         weft_digest* full_out);

/// What happened so far. Not part of any result.
typedef struct weft_executor_stats {
    uint64_t ticks;
    uint64_t tasks;        // (stage, chunk) tasks run; a group of chunks swept by system is one.
    uint64_t tasks_helped; // Of these, by a worker that is not the shard's own.
    uint64_t stages_alone; // Batches that worker 0 ran alone because they were small.
    uint64_t sweeps;       // Runs of stages with several systems on several chunks,
    uint64_t sweeps_by_system; // and of these, run system by system.
    uint64_t wakes;            // System calls made to wake sleeping workers.
    uint64_t rests;            // Times a worker was sent to rest because its CPU was taken from it.
    uint64_t states;           // Kept for rollback,
    uint64_t states_ns;        // and the time that took.
    uint64_t state_bytes;      // Of the last one.
    uint64_t rollbacks;        // Times the world was taken back.
    uint64_t reruns;           // Ticks run again, for that or after a crash; also among `ticks`.
    uint64_t images;           // Of the world's memory, kept in case a worker dies,
    uint64_t images_ns;        // and the time that took.
    uint64_t image_bytes;      // Of the last one.
    uint64_t crashes;          // Worker processes that died,
    uint64_t recovery_ns;      // and the time it took to bring the world back.
    uint32_t worker_count;
    uint32_t pinned_count; // Workers whose pin was read back right.
    bool oversubscribed;   // More workers than CPUs that the process may use: the surplus rests.
} weft_executor_stats;

/// The executor's counters now.
WEFT_API weft_executor_stats weft_executor_stats_read(const weft_executor* executor);

/// What the tasks of the last tick noted of their numbers (weft_view_number_flags). The same for
/// every executor: the system named is the one with the smallest (rank, archetype, shard).
typedef struct weft_number_report {
    weft_number_flags flags; // Of all tasks together; 0: nothing was noted, the rest is empty.
    uint32_t archetype;
    uint32_t shard;
    uint64_t task_count; // Tasks that noted something.
    const char* system;  // Lives as long as the schedule.
} weft_number_report;

/// Reads it; empty before the first tick.
WEFT_API weft_number_report weft_executor_numbers(const weft_executor* executor);

/// What the guard found in the last tick. Lives as long as the executor, until its next tick.
WEFT_API const weft_guard_report* weft_executor_guard_report(const weft_executor* executor);

/// Outputs of one task in a traced tick: what a system wrote in one chunk, hashed.
typedef struct weft_task_output {
    uint32_t rank;
    uint32_t archetype;
    uint32_t shard;
    weft_digest digest;
} weft_task_output;

/// Runs one tick like weft_executor_tick() and records the output of every task: written columns,
/// commands, messages, partials, resources. Ordered by (stage, rank, archetype, shard). The array
/// belongs to the executor and is valid until its next call. This is how a difference is blamed on
/// a system.
WEFT_API WEFT_NODISCARD weft_status weft_executor_tick_traced(weft_executor* executor,
                                                              const weft_task_output** outputs_out,
                                                              size_t* count_out);

#ifdef __cplusplus
}
#endif
