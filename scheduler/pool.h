/// A pool: the workers that share the batches of one executor, one of them the caller.
///
/// What it does is the same whether the workers are threads (exec_threads.c) or processes
/// (exec_processes.c). Nothing in it is state of the world, and it lies outside of the world's
/// memory: of processes, in memory that all of them have at the same address.
///
/// Who runs what depends on time; what is run does not.
#pragma once

#include "board.h"
#include "exec.h"
#include "os.h"
#include "perturb.h"

/// Before anything was measured: a line goes to and fro in half a microsecond, a sleeper comes
/// in 70.
#define WEFT__JOIN_NS 1000u
#define WEFT__WAKE_NS 60000u
/// Looks at a word between two at the clock: about a microsecond.
#define WEFT__LOOKS 32u
/// A join that takes longer than everything before looks whether somebody has lost its CPU.
#define WEFT__STALL_NS 200000u

typedef struct weft__worker {
    WEFT_CACHE_ALIGNED struct weft__pool* pool;
    uint32_t index;
    uint32_t cpu;
    bool pinned;
    const uint32_t* help_order;
    weft__os_thread thread;   // Of threads.
    weft__atomic_u32 resting; // Written by the caller, seldom.
    uint64_t rest_until;      // The caller's: UINT64_MAX for good.
    uint64_t rest_ns;
    uint64_t cpu_ns;                            // CPU time when the caller last looked; of
                                                // processes what they waited for it.
    bool stalled;                               // It has had none for a while.
    WEFT_CACHE_ALIGNED weft__atomic_u64 helped; // From here on written by the worker.
    weft__atomic_u64 late_ns;                   // From the last wake to its first look.
    weft__atomic_u32 asleep;
    weft__os_cpu_clock cpu_clock; // Of threads;
    int process;                  // else its id.
} weft__worker;

typedef struct weft__pool {
    weft__board board;
    weft__park work;                            // Where workers wait for a batch.
    weft__park rest;                            // Where they rest.
    WEFT_CACHE_ALIGNED weft_executor* executor; // Read by all from here on, written at the start.
    const weft_topology* topology;
    weft_topology* own_topology; // Read here, when the description brought none.
    const volatile uint32_t* fork_mark;
    bool shared; // Workers are processes.
    uint64_t spin_ns;
    uint64_t yield_ns;
    uint64_t period_ns;
    uint64_t perturb_seed;
    uint32_t worker_count;
    uint32_t started;
    weft__worker* workers;
    weft__task_note* notes; // Of processes.
    uint32_t* cpus;
    uint32_t* help_orders;
    weft__atomic_u32 stop;
    weft__atomic_u32 ready;                      // Workers that have started and pinned themselves.
    WEFT_CACHE_ALIGNED weft__atomic_u64 tick_ns; // When the last tick began, if there is a period.
    weft__atomic_u64 woken_ns;                   // When somebody was last woken.
    WEFT_CACHE_ALIGNED uint64_t* cuts;           // The caller's own from here on.
    uint32_t active;                             // Workers that take part, the caller among them.
    uint32_t resting_count;                      // Of the others, those who may come back.
    uint64_t join_ns;
    uint64_t probed_ns; // When that was measured.
    uint64_t wake_ns;   // What a wake costs.
    uint64_t gain_ns;   // What company could gain, or gained, in this tick so far.
    uint64_t last_gain_ns;
    uint64_t lost_ns;        // What it would have gained since the last wake.
    uint64_t won_ns;         // What it has gained since the last wake.
    weft__perturb perturb;   // Of the running batch,
    weft__noted noted;       // as this.
    uint32_t reluctance;     // Wakes that did not pay make the next ones rarer.
    uint64_t preemptions;    // Of the caller,
    uint64_t preemptions_ns; // as of then.
    pthread_mutex_t guard;   // Of the arena, while workers run.
    size_t block_size;
} weft__pool;

// pool.c
/// Makes a pool of executor->worker_count workers and places them; starts nobody. Status: OS,
/// OUT_OF_MEMORY, and those of topologies.
WEFT_NODISCARD weft_status weft__pool_create(weft_executor* executor, bool shared);
/// Forgets it; nobody runs any more. Null is allowed.
void weft__pool_destroy(weft__pool* pool);
/// Waits until all who were started have pinned themselves.
void weft__pool_await_ready(weft__pool* pool);
/// After they are ready.
void weft__pool_started(weft__pool* pool);
/// Tells everybody to return from weft__pool_worker_main().
void weft__pool_stop(weft__pool* pool);
/// Between the two the arena is guarded, since several workers may record.
void weft__pool_tick_begin(weft_executor* executor);
void weft__pool_tick_end(weft_executor* executor);
/// Items that were run by another worker than the one they were meant for.
uint64_t weft__pool_helped(const weft_executor* executor);

// pool_worker.c
/// What a worker other than the caller does until the pool stops. The context is its weft__worker.
void weft__pool_worker_main(void* context);
/// Pins the calling worker and sets its thread up.
void weft__pool_worker_begin(weft__worker* self);
/// Runs what is left of the others' shares.
void weft__pool_help_all(weft__pool* pool, weft__worker* self, uint32_t epoch);

// pool_rest.c
void weft__pool_set_resting(weft__pool* pool, weft__worker* one, bool rests, uint64_t until_ns);
void weft__pool_give_rest(weft__pool* pool, weft__worker* one, uint64_t now, uint64_t lost_ns);
void weft__pool_end_rests(weft__pool* pool, uint64_t now);
/// Finds who is awake and has not had its CPU since the last look.
void weft__pool_look_for_stalls(weft__pool* pool, uint64_t elapsed_ns);
/// Who has none rests, if that cost more than company gains in a tick.
void weft__pool_rest_stalled(weft__pool* pool, uint64_t begin);

// pool_run.c
/// A runner's `run`.
void weft__pool_run(weft__runner* runner, const weft__batch* batch);
/// Measures the join of a batch in which everybody has one item and nobody helps.
void weft__pool_probe(weft__pool* pool, uint64_t now);
/// A forked child has the caller's thread only.
void weft__pool_orphan(weft__pool* pool);
