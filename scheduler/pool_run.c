// The caller of a pool: how a batch is cut, handed out and joined, and whether it is.
//
// A batch is cut into one share per worker, the same every tick: by shard, and items of no shard by
// their number. A worker does its own share, then helps the others, nearest first (board.h has the
// protocol). Small batches run on the caller alone; which are small is measured (pace.h).

#include "pool.h"

#include "os.h"
#include "perturb.h"
#include "sharing.h"
#include "trace_ring.h"

#define STALL_MAX_NS 10000000u
// Wakes that do not pay, since ticks are short and far apart, come to cost a 64th.
#define RELUCTANCE_MAX 6u
// How often the join of an empty batch is measured: the host moves CPUs nearer and farther.
#define PROBE_PERIOD_NS 50000000u
#define PROBE_ROUNDS 32u
// Of the cost of measured batches, what waking for that alone may cost.
#define PROBE_SHARE 64u
// A count of preemptions speaks for so many times the batch that was long.
#define RECENT_BATCHES 16u

static weft__sharing sharing_of(const weft__pool* pool) {
    return (weft__sharing){.join_ns = pool->join_ns,
                           .shards = pool->executor->world->shards.count,
                           .active = pool->active,
                           .grain = pool->executor->desc.grain};
}

// Shares for those who take part; nothing for those who rest.
static void cut_shares(weft__pool* pool, const weft__batch* batch, uint64_t cost_ns) {
    weft__sharing sharing = sharing_of(pool);
    uint64_t each = weft__sharing_each(&sharing, batch, cost_ns);
    uint64_t number = 0;
    pool->cuts[0] = weft__cut(0, batch->unsharded);
    for (uint32_t i = 0; i < pool->worker_count; i++) {
        number += weft__atomic_u32_load_relaxed(&pool->workers[i].resting) == 0;
        pool->cuts[i + 1] = weft__sharing_end(&sharing, batch, each, number);
        WEFT_CHECK(pool->cuts[i] <= pool->cuts[i + 1]);
    }
    WEFT_ASSERT(pool->cuts[pool->worker_count] == weft__cut(batch->unsharded, batch->count));
}

static void choose_claims(const weft__pool* pool, const weft__batch* batch, uint64_t cost_ns,
                          weft__job* job) {
    const weft_executor_desc* desc = &pool->executor->desc;
    weft__sharing sharing = sharing_of(pool);
    weft__claims claims = weft__sharing_claims(&sharing, batch->count, cost_ns);
    job->grain = desc->everybody && desc->grain == 0 ? 1 : claims.grain;
    job->helps = desc->everybody || claims.helps;
}

// Yields and sleeps until the batch is done, with a look now and then for who holds it up.
static void join_long(weft__pool* pool) {
    uint64_t begin = weft__os_clock_ns();
    uint64_t wait_ns = WEFT__STALL_NS;
    while (!weft__board_done(&pool->board) && weft__os_clock_ns() - begin < pool->yield_ns)
        weft__os_yield();
    bool looked = false;
    uint64_t since = 0;
    while (!weft__board_done(&pool->board)) {
        uint64_t now = weft__os_clock_ns();
        if (pool->active > 1 && !pool->executor->desc.everybody) {
            weft__pool_look_for_stalls(pool, looked ? now - since : 0);
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
        weft__pool_rest_stalled(pool, begin);
}

static void help_waiting(weft__pool* pool) {
    weft__trace* trace = pool->executor->trace;
    if (trace != NULL)
        (void)weft__trace_stamp(trace, 0);
    weft__pool_help_all(pool, &pool->workers[0], pool->board.epoch);
    if (trace != NULL)
        weft__trace_wait(trace, 0);
}

// A worker that has not even begun after a while has been put aside: its share is done here.
static void join(weft__pool* pool) {
    uint64_t begin = 0;
    uint64_t waited = 0;
    do {
        for (uint32_t i = 0; i < WEFT__LOOKS; i++) {
            if (weft__board_done(&pool->board))
                return;
            weft__cpu_relax();
        }
        uint64_t now = weft__os_clock_ns();
        begin = begin == 0 ? now : begin;
        waited = now - begin;
        if (waited >= pool->join_ns)
            help_waiting(pool);
    } while (waited < pool->spin_ns);
    help_waiting(pool);
    join_long(pool);
}

static void run_together(weft__pool* pool, const weft__job* job) {
    weft__board_publish(&pool->board, job);
    uint32_t epoch = pool->board.epoch;
    weft__trace* trace = pool->executor->trace;
    uint32_t count = weft__board_run(&pool->board, 0, 0, epoch);
    if (trace != NULL)
        weft__trace_share(trace, 0, weft__trace_what(trace), weft__trace_last(trace, 0), count);
    if (job->helps)
        weft__pool_help_all(pool, &pool->workers[0], epoch);
    if (trace != NULL)
        weft__trace_wait(trace, 0);
    join(pool);
    if (trace != NULL)
        weft__trace_wait_end(trace);
}

static void nothing(void* context, uint32_t worker_index, uint32_t item) {
    (void)context;
    (void)worker_index;
    (void)item;
}

void weft__pool_probe(weft__pool* pool, uint64_t now) {
    uint64_t best = UINT64_MAX;
    weft__batch batch = {.count = pool->active, .unsharded = pool->active};
    cut_shares(pool, &batch, 0);
    weft__job job = {.fn = nothing, .grain = 1, .cuts = pool->cuts};
    weft__trace* trace = pool->executor->trace;
    uint64_t what = trace == NULL ? 0 : weft__trace_what(trace);
    if (trace != NULL)
        weft__trace_set_what(trace, 0);
    for (uint32_t i = 0; i < PROBE_ROUNDS; i++) {
        uint64_t begin = weft__os_clock_ns();
        run_together(pool, &job);
        uint64_t took = weft__os_clock_ns() - begin;
        best = took < best ? took : best;
    }
    if (trace != NULL)
        weft__trace_set_what(trace, what);
    if (best < 50 * WEFT__JOIN_NS)
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
    WEFT_ASSERT(pool->active > 1 && pool->reluctance <= RELUCTANCE_MAX);
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
    worth = late != 0 && worth < 4 * WEFT__WAKE_NS ? worth : WEFT__WAKE_NS;
    pool->wake_ns = (3 * pool->wake_ns + worth) / 4;
}

static void noted_item(void* context, uint32_t worker, uint32_t item) {
    const weft__noted* noted = context;
    weft__task_note* note = &noted->notes[worker];
    note->rank = WEFT__NONE;
    weft__task_note_step(note, 1);
    noted->fn(noted->context, worker, item);
    weft__task_note_step(note, 1);
}

// What items do: where workers are watched, they say when.
static weft__job job_of(weft__pool* pool, const weft__batch* batch) {
    if (!pool->shared || pool->executor->pace != NULL)
        return (weft__job){.fn = batch->fn, .context = batch->context, .cuts = pool->cuts};
    pool->noted = (weft__noted){pool->notes, batch->fn, batch->context};
    return (weft__job){.fn = noted_item, .context = &pool->noted, .cuts = pool->cuts};
}

static void run_alone(weft__pool* pool, const weft__batch* batch) {
    weft__job job = job_of(pool, batch);
    for (uint32_t i = 0; i < batch->count; i++)
        job.fn(job.context, 0, i);
    pool->executor->stats.stages_alone++;
}

#define PERTURB_GRAIN_MAX 4u

// Draws how the batch is shared, and puts delays before its items.
static void perturb_job(weft__pool* pool, const weft__batch* batch, weft__job* job) {
    weft_executor* executor = pool->executor;
    weft__perturb* perturb = &pool->perturb;
    *perturb = weft__perturb_batch(pool->perturb_seed, executor->world->tick,
                                   executor->batch_count++, batch);
    perturb->fn = job->fn;
    perturb->context = job->context;
    job->fn = weft__perturb_item;
    job->context = perturb;
    job->helps = weft__perturb_choose(perturb, 0, 2) == 1;
    job->grain = 1 + weft__perturb_choose(perturb, 1, PERTURB_GRAIN_MAX);
}

static void run_shared(weft__pool* pool, const weft__batch* batch, uint64_t cost_ns) {
    weft__job job = job_of(pool, batch);
    choose_claims(pool, batch, cost_ns, &job);
    if (pool->perturb_seed != 0)
        perturb_job(pool, batch, &job);
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

// The caller itself has lost its CPU, or the world grew, or its rows had left the caches: what is
// far over the usual is looked into. What the count was long ago says nothing: the caller does
// other things between ticks.
static void check_caller(weft__pool* pool, uint64_t usual_ns, uint64_t took_ns, uint64_t now) {
    if (usual_ns == 0 || took_ns < 3 * usual_ns + WEFT__STALL_NS || took_ns < pool->last_gain_ns)
        return;
    uint64_t preemptions = weft__os_preemptions();
    bool recent = now - pool->preemptions_ns < RECENT_BATCHES * took_ns;
    bool lost = recent && preemptions != pool->preemptions;
    pool->preemptions = preemptions;
    pool->preemptions_ns = now;
    for (uint32_t i = pool->worker_count; lost && i > 1; i--) {
        if (weft__atomic_u32_load_relaxed(&pool->workers[i - 1].resting) != 0)
            continue;
        weft__pool_give_rest(pool, &pool->workers[i - 1], now,
                             took_ns); // Its CPU is for the caller.
        return;
    }
}

static void run_paced(weft__pool* pool, const weft__batch* batch, weft__pace* pace) {
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
        run_alone(pool, batch);
    if (!measures)
        return;
    uint64_t now = weft__os_clock_ns();
    if (together)
        check_caller(pool, pace->together_ns, now - begin, now);
    pace->items = batch->count;
    weft__pace_note(pace, &terms, together, now - begin);
    if (now - pool->probed_ns > PROBE_PERIOD_NS && awake_count(pool) + 1 == pool->active)
        weft__pool_probe(pool, now);
}

void weft__pool_orphan(weft__pool* pool) {
    pool->started = 0;
    pool->active = 1;
    pool->resting_count = 0;
}

void weft__pool_run(weft__runner* runner, const weft__batch* batch) {
    weft_executor* executor = (weft_executor*)runner;
    weft__pool* pool = executor->pool;
    WEFT_ASSERT(pool != NULL && batch->fn != NULL && batch->unsharded <= batch->count);
    executor->stats.tasks += batch->count;
    if (*pool->fork_mark == 0)
        weft__pool_orphan(pool);
    if (pool->active < 2 || batch->count < 2) {
        run_alone(pool, batch);
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
        run_alone(pool, batch);
        return;
    }
    run_paced(pool, batch, pace);
}
