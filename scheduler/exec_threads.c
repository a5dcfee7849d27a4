// n threads, pinned; the caller is worker 0 and is pinned only if it asks to be.
//
// A batch is cut into one share per worker, the same every tick: by shard, and items of no shard by
// their number. A worker does its own share, then helps the others, nearest first (board.h has the
// protocol). Small batches run on the caller alone; which are small is measured (pace.h).
//
// Who has nothing to do spins for a while, then yields, then sleeps. Waking a sleeper costs tens of
// microseconds, so it is done for what is worth it only. A worker that has no CPU to itself rests:
// it gets no share and is not woken. Who runs what depends on time; what is run does not.

#include <stdio.h>
#include <string.h>

#include "atomics.h"
#include "board.h"
#include "exec.h"
#include "float_control.h"
#include "os.h"
#include "pace.h"
#include "perturb.h"
#include "placement.h"

// Before anything was measured: a line goes to and fro in half a microsecond, a sleeper comes
// in 70.
#define JOIN_NS 1000u
#define WAKE_NS 60000u
// A claim should be worth its compare-and-swap, and a share is not cut finer than this.
#define CLAIM_NS 2000u
// A share of so few joins is taken whole: what could be gained by helping is less than it costs.
#define WHOLE_JOINS 8u
// A batch of fewer joins is cut unevenly.
#define UNEVEN_JOINS 16u
// Looks at a word between two at the clock: about a microsecond.
#define LOOKS 32u
// A join that takes longer than everything before looks whether somebody has lost its CPU.
#define STALL_NS 200000u
#define STALL_MAX_NS 10000000u
// Wakes that do not pay, since ticks are short and far apart, come to cost a 64th.
#define RELUCTANCE_MAX 6u
// Somebody who has lost its CPU rests so many times as long as that took: what the kernel does now
// and then is over at once, another program's turn comes again. Doubled if it happens soon again.
#define REST_LOSSES 16u
#define REST_MAX_NS 1000000000u
// How often the join of an empty batch is measured: the host moves CPUs nearer and farther.
#define PROBE_PERIOD_NS 50000000u
#define PROBE_ROUNDS 32u
// Of the cost of measured batches, what waking for that alone may cost.
#define PROBE_SHARE 64u
// With a told period workers are awake this long before the tick, and what a timer is late.
#define EARLY_NS 30000u

typedef struct worker {
    WEFT_CACHE_ALIGNED struct weft__pool* pool;
    uint32_t index;
    uint32_t cpu;
    bool pinned;
    const uint32_t* help_order;
    weft__os_thread thread;
    weft__atomic_u32 resting; // Written by the caller, seldom.
    uint64_t rest_until;      // The caller's: UINT64_MAX for good.
    uint64_t rest_ns;
    uint64_t cpu_ns;                            // CPU time when the caller last looked.
    bool stalled;                               // It has had none for a while.
    WEFT_CACHE_ALIGNED weft__atomic_u64 helped; // From here on written by the worker.
    weft__atomic_u64 late_ns;                   // From the last wake to its first look.
    weft__atomic_u32 asleep;
} worker;

typedef struct weft__pool {
    weft__board board;
    weft__park work;                            // Where workers wait for a batch.
    weft__park rest;                            // Where they rest.
    WEFT_CACHE_ALIGNED weft_executor* executor; // Read by all from here on, written at the start.
    const weft_topology* topology;
    weft_topology* own_topology; // Read here, when the description brought none.
    const volatile uint32_t* fork_mark;
    uint64_t spin_ns;
    uint64_t yield_ns;
    uint64_t period_ns;
    uint64_t perturb_seed;
    uint32_t worker_count;
    uint32_t started;
    worker* workers;
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
    uint64_t lost_ns;    // What it would have gained since the last wake.
    uint64_t won_ns;     // What it has gained since the last wake.
    uint32_t reluctance; // Wakes that did not pay make the next ones rarer.
    uint64_t preemptions;
    pthread_mutex_t guard;
} weft__pool;

// Workers ----------------------------------------------------------------------------------------

static bool must_leave(const weft__pool* pool, const worker* self) {
    return weft__atomic_u32_load_relaxed(&pool->stop) != 0 ||
           weft__atomic_u32_load_relaxed(&self->resting) != 0;
}

// Spins until there is another epoch, or the clock shows `until_ns`, or it must leave.
static uint32_t watch(const weft__pool* pool, const worker* self, uint32_t seen,
                      uint64_t until_ns) {
    do {
        for (uint32_t i = 0; i < LOOKS; i++) {
            uint32_t epoch = weft__board_look(&pool->board, seen);
            if (epoch != seen)
                return epoch;
            weft__cpu_relax();
        }
    } while (!must_leave(pool, self) && weft__os_clock_ns() < until_ns);
    return seen;
}

static uint32_t watch_yielding(const weft__pool* pool, const worker* self, uint32_t seen,
                               uint64_t until_ns) {
    uint32_t epoch = seen;
    while (epoch == seen && !must_leave(pool, self) && weft__os_clock_ns() < until_ns) {
        weft__os_yield();
        epoch = weft__board_look(&pool->board, seen);
    }
    return epoch;
}

static void sleep_for_work(weft__pool* pool, worker* self, uint32_t seen, uint64_t deadline_ns) {
    weft__park* park =
        weft__atomic_u32_load_acquire(&self->resting) != 0 ? &pool->rest : &pool->work;
    uint32_t ticket = weft__park_prepare(park);
    bool rests = weft__atomic_u32_load_acquire(&self->resting) != 0;
    bool awaited =
        park == &pool->rest ? rests : !rests && weft__board_look(&pool->board, seen) == seen;
    if (!awaited || weft__atomic_u32_load_acquire(&pool->stop) != 0) {
        weft__park_cancel(park);
        return;
    }
    weft__atomic_u32_store_release(&self->asleep, 1);
    weft__park_sleep(park, ticket, park == &pool->rest ? 0 : deadline_ns);
    weft__atomic_u32_store_release(&self->asleep, 0);
    uint64_t woken = weft__atomic_u64_load_acquire(&pool->woken_ns);
    uint64_t now = weft__os_clock_ns();
    if (deadline_ns == 0 && woken != 0 && woken < now)
        weft__atomic_u64_store_release(&self->late_ns, now - woken);
}

// When the tick after the last one is expected; 0 if nobody knows, or it is overdue.
static uint64_t next_tick(const weft__pool* pool, uint64_t now) {
    uint64_t last = weft__atomic_u64_load_acquire(&pool->tick_ns);
    uint64_t due = last + pool->period_ns;
    return pool->period_ns != 0 && last != 0 && due + pool->spin_ns > now ? due : 0;
}

// Sleeps until shortly before the tick that is due, then watches until it is overdue.
static uint32_t await_tick(weft__pool* pool, worker* self, uint32_t seen, uint64_t due,
                           uint64_t* early_ns) {
    uint64_t wake = due - *early_ns;
    if (weft__os_clock_ns() < wake) {
        sleep_for_work(pool, self, seen, wake);
        uint64_t now = weft__os_clock_ns();
        if (now > wake && weft__board_look(&pool->board, seen) == seen) {
            uint64_t early = EARLY_NS + 2 * (now - wake);
            early = early < pool->period_ns / 2 ? early : pool->period_ns / 2;
            *early_ns = (3 * *early_ns + early) / 4;
        }
    }
    return watch(pool, self, seen, due + pool->spin_ns);
}

// Returns another epoch than `seen`, or `seen` if the pool stops.
static uint32_t wait_for_work(weft__pool* pool, worker* self, uint32_t seen, uint64_t* early_ns) {
    while (weft__atomic_u32_load_acquire(&pool->stop) == 0) {
        uint32_t epoch = seen;
        if (weft__atomic_u32_load_acquire(&self->resting) == 0) {
            uint64_t begin = pool->spin_ns != 0 ? weft__os_clock_ns() : 0;
            epoch = watch(pool, self, seen, begin + pool->spin_ns);
            if (epoch == seen && pool->yield_ns != 0)
                epoch = watch_yielding(pool, self, seen, weft__os_clock_ns() + pool->yield_ns);
            uint64_t due =
                epoch == seen && pool->period_ns != 0 ? next_tick(pool, weft__os_clock_ns()) : 0;
            if (due != 0 && !must_leave(pool, self))
                epoch = await_tick(pool, self, seen, due, early_ns);
        }
        if (epoch != seen)
            return epoch;
        sleep_for_work(pool, self, seen, 0);
    }
    return seen;
}

static void help_all(weft__pool* pool, worker* self, uint32_t epoch) {
    uint32_t others = pool->worker_count - 1;
    uint32_t ran = 0;
    uint32_t turn = 0; // Nearest first.
    if (pool->perturb_seed != 0 && others > 0)
        turn = weft__perturb_turn(pool->perturb_seed, epoch, self->index, others);
    for (uint32_t i = 0; i < others; i++) {
        uint32_t at = turn + i < others ? turn + i : turn + i - others;
        ran += weft__board_run(&pool->board, self->index, self->help_order[at], epoch);
    }
    if (ran > 0)
        weft__atomic_u64_store_release(&self->helped,
                                       weft__atomic_u64_load_relaxed(&self->helped) + ran);
}

static void worker_main(void* context) {
    worker* self = context;
    weft__pool* pool = self->pool;
    if (self->cpu != WEFT__PLACEMENT_UNPINNED)
        self->pinned = weft_topology_pin_self(pool->topology, self->cpu) == WEFT_STATUS_OK;
    (void)weft__float_state_pin();
    weft__os_timer_exact();
    (void)weft__atomic_u32_fetch_add_acq_rel(&pool->ready, 1);
    weft__park_notify(&pool->board.done);
    uint64_t early_ns = 4 * EARLY_NS;
    uint32_t seen = 0;
    for (;;) {
        uint32_t epoch = wait_for_work(pool, self, seen, &early_ns);
        if (epoch == seen)
            return;
        seen = epoch;
        if (pool->perturb_seed != 0 && weft__board_helps(&pool->board, epoch) && epoch % 2 == 1)
            help_all(pool, self, epoch); // Others' shares before its own.
        (void)weft__board_run(&pool->board, self->index, self->index, epoch);
        if (weft__board_helps(&pool->board, epoch))
            help_all(pool, self, epoch);
    }
}

// Resting ----------------------------------------------------------------------------------------

static void set_resting(weft__pool* pool, worker* one, bool rests, uint64_t until_ns) {
    WEFT_ASSERT(one->index != 0);
    bool rested = weft__atomic_u32_load_relaxed(&one->resting) != 0;
    WEFT_ASSERT(rested != rests);
    one->rest_until = until_ns;
    weft__atomic_u32_store_release(&one->resting, rests);
    pool->active += rests ? UINT32_MAX : 1;
    if (until_ns != UINT64_MAX)
        pool->resting_count += rests ? 1 : UINT32_MAX;
    if (!rests)
        weft__park_notify(&pool->rest);
}

static void give_rest(weft__pool* pool, worker* one, uint64_t now, uint64_t lost_ns) {
    if (weft__atomic_u32_load_relaxed(&one->resting) != 0)
        return;
    bool again = one->rest_ns != 0 && now < one->rest_until + 2 * one->rest_ns;
    uint64_t least = again ? 2 * one->rest_ns : 0;
    one->rest_ns = REST_LOSSES * lost_ns > least ? REST_LOSSES * lost_ns : least;
    if (one->rest_ns > REST_MAX_NS)
        one->rest_ns = REST_MAX_NS;
    set_resting(pool, one, true, now + one->rest_ns);
    pool->executor->stats.rests++;
}

static void end_rests(weft__pool* pool, uint64_t now) {
    for (uint32_t i = 1; i < pool->worker_count; i++) {
        worker* one = &pool->workers[i];
        bool resting = weft__atomic_u32_load_relaxed(&one->resting) != 0;
        if (resting && one->rest_until != UINT64_MAX && one->rest_until <= now)
            set_resting(pool, one, false, one->rest_until);
    }
}

// Finds who is awake and has not had its CPU since the last look.
static void look_for_stalls(weft__pool* pool, uint64_t elapsed_ns) {
    for (uint32_t i = 1; i < pool->worker_count; i++) {
        worker* one = &pool->workers[i];
        uint64_t cpu = weft__os_thread_cpu_ns(&one->thread);
        uint64_t had = cpu - one->cpu_ns;
        one->cpu_ns = cpu;
        bool asleep = weft__atomic_u32_load_acquire(&one->asleep) != 0;
        one->stalled |= elapsed_ns != 0 && !asleep && had < elapsed_ns / 4;
    }
}

// Who has none rests, if that cost more than company gains in a tick.
static void rest_stalled(weft__pool* pool, uint64_t begin) {
    uint64_t now = weft__os_clock_ns();
    uint64_t lost_ns = now - begin;
    for (uint32_t i = 1; i < pool->worker_count; i++) {
        worker* one = &pool->workers[i];
        if (one->stalled && lost_ns > pool->last_gain_ns)
            give_rest(pool, one, now, lost_ns);
        one->stalled = false;
    }
}

// The caller -------------------------------------------------------------------------------------

// First sharded item whose shard is not below `shard`.
static uint32_t item_lower(const weft__batch* batch, uint32_t shard) {
    uint32_t low = batch->unsharded;
    uint32_t high = batch->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (batch->shard_of(batch->context, middle) < shard)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// How many loose items each of the others gets: where the way to them and back is a good part of
// the batch, the caller does more meanwhile. `cost_ns` is 0 if it is not known.
static uint64_t loose_each(const weft__pool* pool, const weft__batch* batch, uint64_t cost_ns) {
    uint64_t parts = pool->active;
    if (cost_ns <= pool->join_ns || cost_ns > UNEVEN_JOINS * pool->join_ns)
        return 0;
    parts *= cost_ns;
    uint64_t each = (batch->unsharded * (cost_ns - pool->join_ns) + parts / 2) / parts;
    each = each > 0 ? each : 1;
    return each * (pool->active - 1) < batch->unsharded ? each : 0;
}

// Items of shards by shard, the others by number; nothing for those who rest.
static void cut_shares(weft__pool* pool, const weft__batch* batch, uint64_t cost_ns) {
    uint64_t shards = pool->executor->world->shards.count;
    uint64_t homed = batch->count - batch->unsharded;
    uint64_t active = pool->active;
    uint64_t each = homed == 0 ? loose_each(pool, batch, cost_ns) : 0;
    uint64_t number = 0;
    pool->cuts[0] = weft__cut(0, batch->unsharded);
    for (uint32_t i = 0; i < pool->worker_count; i++) {
        number += weft__atomic_u32_load_relaxed(&pool->workers[i].resting) == 0;
        uint64_t behind = each * (active - number); // For those after this one.
        uint64_t loose = batch->unsharded * number / active;
        if (each != 0)
            loose = batch->unsharded - behind;
        uint32_t end = batch->count;
        if (homed == 0 || number == 0)
            end = batch->unsharded;
        else if (number < active && batch->shard_of != NULL)
            end = item_lower(batch, (uint32_t)((shards * number + active - 1) / active));
        else if (number < active)
            end = batch->unsharded + (uint32_t)(homed * number / active);
        pool->cuts[i + 1] = weft__cut((uint32_t)loose, end);
        WEFT_CHECK(pool->cuts[i] <= pool->cuts[i + 1]);
    }
}

// Pieces that are worth a claim and the way of its lines to a helper and back, but not so large
// that the end of the batch is uneven.
static void choose_claims(const weft__pool* pool, const weft__batch* batch, uint64_t cost_ns,
                          weft__job* job) {
    const weft_executor_desc* desc = &pool->executor->desc;
    uint64_t item_ns = cost_ns / batch->count + 1;
    uint64_t steal_ns = 2 * pool->join_ns;
    bool small = cost_ns <= WHOLE_JOINS * pool->active * pool->join_ns && item_ns <= steal_ns;
    uint64_t piece_ns = cost_ns / (8u * pool->active);
    piece_ns = piece_ns < CLAIM_NS ? piece_ns : CLAIM_NS;
    piece_ns = piece_ns > steal_ns ? piece_ns : steal_ns;
    uint64_t grain = small ? WEFT__GRAIN_MAX : piece_ns / item_ns;
    if (desc->everybody)
        grain = 1;
    if (desc->grain != 0)
        grain = desc->grain;
    grain = grain < WEFT__GRAIN_MAX ? grain : WEFT__GRAIN_MAX;
    job->grain = grain == 0 ? 1 : (uint32_t)grain;
    job->helps = !small || desc->everybody;
}

// Yields and sleeps until the batch is done, with a look now and then for who holds it up.
static void join_long(weft__pool* pool) {
    uint64_t begin = weft__os_clock_ns();
    uint64_t wait_ns = STALL_NS;
    while (!weft__board_done(&pool->board) && weft__os_clock_ns() - begin < pool->yield_ns)
        weft__os_yield();
    bool looked = false;
    uint64_t since = 0;
    while (!weft__board_done(&pool->board)) {
        uint64_t now = weft__os_clock_ns();
        if (pool->active > 1 && !pool->executor->desc.everybody) {
            look_for_stalls(pool, looked ? now - since : 0);
            since = now;
            looked = true;
        }
        uint32_t ticket = weft__park_prepare(&pool->board.done);
        if (weft__board_done(&pool->board))
            weft__park_cancel(&pool->board.done);
        else
            weft__park_sleep(&pool->board.done, ticket, now + wait_ns);
        wait_ns = 2 * wait_ns < STALL_MAX_NS ? 2 * wait_ns : STALL_MAX_NS;
    }
    if (looked)
        rest_stalled(pool, begin);
}

// A worker that has not even begun after a while has been put aside: its share is done here.
static void join(weft__pool* pool) {
    uint64_t begin = 0;
    uint64_t waited = 0;
    do {
        for (uint32_t i = 0; i < LOOKS; i++) {
            if (weft__board_done(&pool->board))
                return;
            weft__cpu_relax();
        }
        uint64_t now = weft__os_clock_ns();
        begin = begin == 0 ? now : begin;
        waited = now - begin;
        if (waited >= pool->join_ns)
            help_all(pool, &pool->workers[0], pool->board.epoch);
    } while (waited < pool->spin_ns);
    help_all(pool, &pool->workers[0], pool->board.epoch);
    join_long(pool);
}

static void run_together(weft__pool* pool, const weft__job* job) {
    weft__board_publish(&pool->board, job);
    uint32_t epoch = pool->board.epoch;
    (void)weft__board_run(&pool->board, 0, 0, epoch);
    if (job->helps)
        help_all(pool, &pool->workers[0], epoch);
    join(pool);
}

static void nothing(void* context, uint32_t worker_index, uint32_t item) {
    (void)context;
    (void)worker_index;
    (void)item;
}

// Measures the join of a batch in which everybody has one item and nobody helps.
static void probe_join(weft__pool* pool, uint64_t now) {
    uint64_t best = UINT64_MAX;
    weft__batch batch = {.count = pool->active, .unsharded = pool->active};
    cut_shares(pool, &batch, 0);
    weft__job job = {.fn = nothing, .grain = 1, .cuts = pool->cuts};
    for (uint32_t i = 0; i < PROBE_ROUNDS; i++) {
        uint64_t begin = weft__os_clock_ns();
        run_together(pool, &job);
        uint64_t took = weft__os_clock_ns() - begin;
        best = took < best ? took : best;
    }
    if (best < 50 * JOIN_NS)
        pool->join_ns = best;
    pool->probed_ns = now;
}

static uint32_t awake_count(const weft__pool* pool) {
    uint32_t sleepers = weft__park_sleepers(&pool->work);
    return sleepers + 1 < pool->active ? pool->active - 1 - sleepers : 0;
}

// Wakes those who sleep, once what has been lost without them, or is to be expected of the rest of
// the tick, is what a wake costs: so at most twice the cost of the better choice is ever paid.
static void wake(weft__pool* pool, uint64_t gain_ns) {
    uint64_t left = pool->last_gain_ns > pool->gain_ns ? pool->last_gain_ns - pool->gain_ns : 0;
    pool->lost_ns += gain_ns;
    if (pool->lost_ns + left < pool->wake_ns << pool->reluctance)
        return;
    uint64_t begin = weft__os_clock_ns();
    if (begin - weft__atomic_u64_load_relaxed(&pool->woken_ns) < 2 * pool->wake_ns)
        return; // They are on their way.
    uint64_t late = 0;
    for (uint32_t i = 1; i < pool->worker_count; i++) {
        uint64_t one = weft__atomic_u64_load_acquire(&pool->workers[i].late_ns);
        late = one > late ? one : late;
    }
    weft__atomic_u64_store_release(&pool->woken_ns, begin);
    weft__park_notify(&pool->work);
    uint64_t called = weft__os_clock_ns() - begin;
    pool->executor->stats.wakes++;
    if (pool->won_ns >= pool->wake_ns)
        pool->reluctance = 0;
    else if (pool->reluctance < RELUCTANCE_MAX)
        pool->reluctance++;
    pool->lost_ns = pool->won_ns = 0;
    // The others lose the time that they are late, the caller that of the call.
    uint64_t worth = (called + (pool->active - 1) * late) / pool->active;
    worth = late != 0 && worth < 4 * WAKE_NS ? worth : WAKE_NS;
    pool->wake_ns = (3 * pool->wake_ns + worth) / 4;
}

static void run_alone(weft_executor* executor, const weft__batch* batch) {
    for (uint32_t i = 0; i < batch->count; i++)
        batch->fn(batch->context, 0, i);
    executor->stats.stages_alone++;
}

#define PERTURB_GRAIN_MAX 4u

// Draws how the batch is shared, and puts delays before its items.
static weft__perturb perturb_job(weft__pool* pool, const weft__batch* batch, weft__job* job) {
    weft_executor* executor = pool->executor;
    weft__perturb perturb = weft__perturb_batch(pool->perturb_seed, executor->world->tick,
                                                executor->batch_count++, batch);
    job->fn = weft__perturb_item;
    job->helps = weft__perturb_choose(&perturb, 0, 2) == 1;
    job->grain = 1 + weft__perturb_choose(&perturb, 1, PERTURB_GRAIN_MAX);
    return perturb;
}

static void run_shared(weft__pool* pool, const weft__batch* batch, uint64_t cost_ns) {
    weft__perturb perturb;
    weft__job job = {.fn = batch->fn, .context = batch->context, .cuts = pool->cuts};
    choose_claims(pool, batch, cost_ns, &job);
    if (pool->perturb_seed != 0) {
        perturb = perturb_job(pool, batch, &job);
        job.context = &perturb;
    }
    cut_shares(pool, batch, pool->executor->desc.everybody ? 0 : cost_ns);
    run_together(pool, &job);
}

// Whether to run the batch together, by its record or the guess that comes with it.
static bool choose(weft__pool* pool, const weft__pace* pace, const weft__pace_terms* terms,
                   uint64_t cost_ns) {
    uint64_t gain = weft__pace_gain(pace, terms, cost_ns);
    bool together = gain > 0;
    if (pace != NULL && weft__pace_cost(pace, terms) != 0)
        together = pace->goes_together;
    pool->gain_ns += gain;
    if (awake_count(pool) > 0) {
        pool->won_ns += together ? gain : 0;
        return together;
    }
    // A join that was once found to be dear is measured again; seldom, if nobody is awake for it.
    if (gain > 0 || 2 * cost_ns > pool->join_ns)
        wake(pool, gain > 0 ? gain : cost_ns / PROBE_SHARE);
    bool worth = together && gain > pool->wake_ns; // Else it is over before they come.
    pool->won_ns += worth ? gain : 0;
    return worth;
}

// The caller itself has lost its CPU, or the world grew: what is far over the usual is looked into.
static void check_caller(weft__pool* pool, uint64_t usual_ns, uint64_t took_ns, uint64_t now) {
    if (usual_ns == 0 || took_ns < 3 * usual_ns + STALL_NS || took_ns < pool->last_gain_ns)
        return;
    uint64_t preemptions = weft__os_preemptions();
    bool lost = preemptions != pool->preemptions;
    pool->preemptions = preemptions;
    for (uint32_t i = pool->worker_count; lost && i > 1; i--) {
        if (weft__atomic_u32_load_relaxed(&pool->workers[i - 1].resting) != 0)
            continue;
        give_rest(pool, &pool->workers[i - 1], now, took_ns); // Its CPU is for the caller.
        return;
    }
}

static void run_paced(weft__pool* pool, const weft__batch* batch, weft__pace* pace) {
    weft_executor* executor = pool->executor;
    weft__pace_terms terms = {.join_ns = pool->join_ns, .workers = pool->active};
    uint64_t known = pace != NULL ? weft__pace_cost(pace, &terms) : 0;
    uint64_t cost_ns = known != 0 ? known : batch->cost_ns;
    bool together = choose(pool, pace, &terms, cost_ns);
    bool measures = pace != NULL && pace->skip == 0;
    if (pace != NULL && !measures)
        pace->skip--;
    uint64_t begin = measures ? weft__os_clock_ns() : 0;
    if (together)
        run_shared(pool, batch, cost_ns);
    else
        run_alone(executor, batch);
    if (!measures)
        return;
    uint64_t now = weft__os_clock_ns();
    if (together)
        check_caller(pool, pace->together_ns, now - begin, now);
    pace->items = batch->count;
    weft__pace_note(pace, &terms, together, now - begin);
    if (now - pool->probed_ns > PROBE_PERIOD_NS && awake_count(pool) + 1 == pool->active)
        probe_join(pool, now);
}

// A forked child has the caller's thread only.
static void become_orphan(weft__pool* pool) {
    pool->started = 0;
    pool->active = 1;
    pool->resting_count = 0;
}

void weft__exec_threads_run(weft__runner* runner, const weft__batch* batch) {
    weft_executor* executor = (weft_executor*)runner;
    weft__pool* pool = executor->pool;
    executor->stats.tasks += batch->count;
    if (*pool->fork_mark == 0)
        become_orphan(pool);
    if (pool->active < 2 || batch->count < 2) {
        run_alone(executor, batch);
        return;
    }
    if (executor->desc.everybody) {
        weft__park_notify(&pool->work);
        run_shared(pool, batch, batch->cost_ns);
        return;
    }
    weft__pace* pace = executor->pace;
    if (pace != NULL && batch->count > 2 * pace->items)
        pace->skip = 0; // The world has grown.
    if (pace != NULL && pace->skip > 0 && !pace->goes_together) {
        pace->skip--;
        run_alone(executor, batch);
        return;
    }
    run_paced(pool, batch, pace);
}

static void guard_enter(void* guard) {
    (void)pthread_mutex_lock(guard);
}

static void guard_leave(void* guard) {
    (void)pthread_mutex_unlock(guard);
}

void weft__exec_threads_tick_begin(weft_executor* executor) {
    weft__pool* pool = executor->pool;
    weft__arena* arena = &executor->world->arena;
    arena->guard = &pool->guard;
    arena->enter = guard_enter;
    arena->leave = guard_leave;
    pool->last_gain_ns = pool->gain_ns;
    pool->gain_ns = 0;
    if (pool->period_ns == 0 && pool->resting_count == 0)
        return;
    uint64_t now = weft__os_clock_ns();
    weft__atomic_u64_store_release(&pool->tick_ns, now);
    if (pool->resting_count > 0)
        end_rests(pool, now);
}

void weft__exec_threads_tick_end(weft_executor* executor) {
    weft__arena* arena = &executor->world->arena;
    arena->guard = NULL;
    arena->enter = NULL;
    arena->leave = NULL;
}

uint64_t weft__exec_threads_helped(const weft_executor* executor) {
    uint64_t helped = 0;
    for (uint32_t i = 0; executor->pool != NULL && i < executor->pool->worker_count; i++)
        helped += weft__atomic_u64_load_acquire(&executor->pool->workers[i].helped);
    return helped;
}

// Start and stop ---------------------------------------------------------------------------------

static weft_status pool_place(weft__pool* pool, const weft_executor_desc* desc) {
    if (desc->topology == NULL)
        WEFT_TRY(weft_topology_create(NULL, &pool->own_topology));
    const weft_topology* topology = desc->topology != NULL ? desc->topology : pool->own_topology;
    pool->topology = topology;
    weft__placement placement = {.cpus = pool->cpus, .help_order = pool->help_orders};
    WEFT_TRY(weft__placement_compute(topology, pool->worker_count,
                                     desc->pin ? WEFT__PLACEMENT_SPREAD : WEFT__PLACEMENT_NONE,
                                     &placement));
    // A topology of another machine places, but nothing can be pinned by it.
    bool pins = desc->pin && weft_topology_info_get(topology).is_this_machine;
    for (uint32_t i = 0; i < pool->worker_count; i++) {
        pool->workers[i].cpu = pins ? pool->cpus[i] : WEFT__PLACEMENT_UNPINNED;
        pool->workers[i].help_order = pool->help_orders + (size_t)i * (pool->worker_count - 1);
    }
    // Workers without a CPU, or beyond the quota, could only take time from the others.
    uint32_t room = weft_topology_suggested_workers(topology);
    bool crowded = pool->worker_count > room;
    pool->executor->stats.oversubscribed = crowded;
    pool->spin_ns = crowded && desc->everybody ? 0 : desc->spin_ns;
    pool->yield_ns = desc->yield_ns;
    pool->period_ns = desc->tick_period_ns;
    pool->perturb_seed = desc->perturb_seed;
    pool->active = pool->worker_count;
    for (uint32_t i = room; i < pool->worker_count && !desc->everybody; i++)
        set_resting(pool, &pool->workers[i], true, UINT64_MAX);
    return WEFT_STATUS_OK;
}

// The pool's parts lie in the world's arena. The calling thread is worker 0 and keeps its own
// affinity: it belongs to the host program.
static weft_status pool_alloc(weft_executor* executor) {
    weft__arena* arena = &executor->world->arena;
    uint32_t count = executor->worker_count;
    size_t slack = WEFT_CACHE_LINE; // The arena aligns to 64, the pool wants 128.
    size_t board = weft__board_size(count);
    executor->pool_block_size = sizeof(weft__pool) + board + sizeof(worker) * count +
                                ((size_t)count + 1) * sizeof(uint64_t) +
                                ((size_t)count + 1) * count * sizeof(uint32_t) + slack;
    executor->pool_block = weft__arena_alloc_zero(arena, executor->pool_block_size);
    if (executor->pool_block == NULL)
        return WEFT_STATUS_OUT_OF_MEMORY;
    uintptr_t at = ((uintptr_t)executor->pool_block + slack - 1) & ~(uintptr_t)(slack - 1);
    weft__pool* pool = (weft__pool*)at;
    weft__board_init(&pool->board, count, (void*)(at + sizeof(weft__pool)));
    pool->workers = (worker*)(at + sizeof(weft__pool) + board);
    pool->cuts = (uint64_t*)(void*)(pool->workers + count);
    pool->cpus = (uint32_t*)(void*)(pool->cuts + count + 1);
    pool->help_orders = pool->cpus + count;
    pool->executor = executor;
    pool->worker_count = count;
    pool->join_ns = JOIN_NS;
    pool->wake_ns = WAKE_NS;
    executor->pool = pool;
    weft__park_init(&pool->work, false);
    weft__park_init(&pool->rest, false);
    for (uint32_t i = 0; i < count; i++) {
        pool->workers[i].pool = pool;
        pool->workers[i].index = i;
    }
    pool->fork_mark = weft__os_fork_mark_create();
    if (pool->fork_mark == NULL)
        return WEFT_STATUS_OUT_OF_MEMORY;
    return pthread_mutex_init(&pool->guard, NULL) == 0 ? WEFT_STATUS_OK : WEFT_STATUS_OS;
}

static void await_ready(weft__pool* pool) {
    while (weft__atomic_u32_load_acquire(&pool->ready) + 1 < pool->worker_count) {
        uint32_t ticket = weft__park_prepare(&pool->board.done);
        if (weft__atomic_u32_load_acquire(&pool->ready) + 1 < pool->worker_count)
            weft__park_sleep(&pool->board.done, ticket, 0);
        else
            weft__park_cancel(&pool->board.done);
    }
}

weft_status weft__exec_threads_start(weft_executor* executor) {
    WEFT_ASSERT(executor->pool == NULL);
    WEFT_TRY(pool_alloc(executor));
    weft__pool* pool = executor->pool;
    WEFT_TRY(pool_place(pool, &executor->desc));
    // The hash library fills its dispatch table at its first long input, without a lock.
    uint8_t warm[512] = {0};
    (void)weft_digest_of(warm, sizeof(warm), 0);
    for (uint32_t i = 1; i < pool->worker_count; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "weft-%u", i);
        WEFT_TRY(
            weft__os_thread_start(&pool->workers[i].thread, worker_main, &pool->workers[i], name));
        pool->started = i;
    }
    await_ready(pool);
    pool->preemptions = weft__os_preemptions();
    for (uint32_t i = 1; i < pool->worker_count; i++)
        executor->stats.pinned_count += pool->workers[i].pinned;
    if (pool->active > 1 && pool->spin_ns > 0)
        probe_join(pool, weft__os_clock_ns());
    return WEFT_STATUS_OK;
}

weft_status weft_executor_pin_caller(weft_executor* executor) {
    WEFT_ASSERT(executor != NULL);
    weft__pool* pool = executor->pool;
    if (pool == NULL || pool->workers[0].cpu == WEFT__PLACEMENT_UNPINNED)
        return WEFT_STATUS_UNSUPPORTED;
    WEFT_TRY(weft_topology_pin_self(pool->topology, pool->workers[0].cpu));
    executor->stats.pinned_count += !pool->workers[0].pinned;
    pool->workers[0].pinned = true;
    return WEFT_STATUS_OK;
}

void weft__exec_threads_stop(weft_executor* executor) {
    weft__pool* pool = executor->pool;
    if (executor->pool_block == NULL)
        return;
    if (pool->fork_mark != NULL && *pool->fork_mark == 0)
        become_orphan(pool);
    weft__atomic_u32_store_release(&pool->stop, 1);
    if (pool->started > 0) {
        weft__park_notify(&pool->work);
        weft__park_notify(&pool->rest);
    }
    for (uint32_t i = 1; i <= pool->started; i++)
        weft__os_thread_join(&pool->workers[i].thread);
    (void)pthread_mutex_destroy(&pool->guard);
    weft__os_fork_mark_destroy(pool->fork_mark);
    weft_topology_destroy(pool->own_topology);
    weft__arena_free(&executor->world->arena, executor->pool_block, executor->pool_block_size);
    executor->pool = NULL;
    executor->pool_block = NULL;
}
