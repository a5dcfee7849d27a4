// The workers of a pool: they wait for a batch, do their share, and help the others.
//
// Who has nothing to do spins for a while, then yields, then sleeps. Waking a sleeper costs tens of
// microseconds, so it is done for what is worth it only (pool_run.c).

#include "pool.h"

#include "float_control.h"
#include "os.h"
#include "perturb.h"
#include "placement.h"
#include "trace_ring.h"

// With a told period workers are awake this long before the tick, and what a timer is late.
#define EARLY_NS 30000u

static bool must_leave(const weft__pool* pool, const weft__worker* self) {
    return weft__atomic_u32_load_relaxed(&pool->stop) != 0 ||
           weft__atomic_u32_load_relaxed(&self->resting) != 0;
}

// Spins until there is another epoch, or the clock shows `until_ns`, or it must leave.
static uint32_t watch(const weft__pool* pool, const weft__worker* self, uint32_t seen,
                      uint64_t until_ns) {
    do {
        for (uint32_t i = 0; i < WEFT__LOOKS; i++) {
            uint32_t epoch = weft__board_look(&pool->board, seen);
            if (epoch != seen)
                return epoch;
            weft__cpu_relax();
        }
    } while (!must_leave(pool, self) && weft__os_clock_ns() < until_ns);
    return seen;
}

static uint32_t watch_yielding(const weft__pool* pool, const weft__worker* self, uint32_t seen,
                               uint64_t until_ns) {
    uint32_t epoch = seen;
    while (epoch == seen && !must_leave(pool, self) && weft__os_clock_ns() < until_ns) {
        weft__os_yield();
        epoch = weft__board_look(&pool->board, seen);
    }
    return epoch;
}

// Who is awake and does not come by here for long is stuck (processes.c).
static void go_on(const weft__pool* pool, const weft__worker* self) {
    if (pool->shared)
        weft__task_note_step(&pool->notes[self->index], 2);
}

static void sleep_for_work(weft__pool* pool, weft__worker* self, uint32_t seen,
                           uint64_t deadline_ns) {
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
    go_on(pool, self);
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
static uint32_t await_tick(weft__pool* pool, weft__worker* self, uint32_t seen, uint64_t due,
                           uint64_t* early_ns) {
    WEFT_ASSERT(pool->period_ns != 0 && due > *early_ns);
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
static uint32_t wait_for_work(weft__pool* pool, weft__worker* self, uint32_t seen,
                              uint64_t* early_ns) {
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

void weft__pool_help_all(weft__pool* pool, weft__worker* self, uint32_t epoch) {
    uint32_t others = pool->worker_count - 1;
    uint32_t ran = 0;
    uint32_t turn = 0; // Nearest first.
    weft__trace* trace = pool->executor->trace;
    uint64_t what = trace == NULL ? 0 : weft__trace_what(trace);
    if (pool->perturb_seed != 0 && others > 0)
        turn = weft__perturb_turn(pool->perturb_seed, epoch, self->index, others);
    for (uint32_t i = 0; i < others; i++) {
        uint32_t at = turn + i < others ? turn + i : turn + i - others;
        WEFT_CHECK(at < others && self->help_order[at] != self->index);
        uint64_t begin = trace == NULL ? 0 : weft__trace_last(trace, self->index);
        uint32_t count = weft__board_run(&pool->board, self->index, self->help_order[at], epoch);
        ran += count;
        if (trace != NULL)
            weft__trace_help(trace, self->index, self->help_order[at], what, begin, count);
    }
    if (ran > 0)
        weft__atomic_u64_store_release(&self->helped,
                                       weft__atomic_u64_load_relaxed(&self->helped) + ran);
}

void weft__pool_worker_begin(weft__worker* self) {
    const weft__pool* pool = self->pool;
    if (self->cpu != WEFT__PLACEMENT_UNPINNED)
        self->pinned = weft_topology_pin_self(pool->topology, self->cpu) == WEFT_STATUS_OK;
    if (pool->shared)
        self->process = weft__os_process_id();
    else
        self->cpu_clock = weft__os_cpu_clock_own();
    (void)weft__float_state_pin();
    weft__os_timer_exact();
    if (pool->executor->trace != NULL)
        weft__trace_begin(pool->executor->trace, self->index);
}

// Its own share, and what it can get of the others'.
static void take_part(weft__pool* pool, weft__worker* self, uint32_t epoch) {
    go_on(pool, self);
    weft__trace* trace = pool->executor->trace;
    if (trace != NULL)
        (void)weft__trace_stamp(trace, self->index);
    if (pool->perturb_seed != 0 && weft__board_helps(&pool->board, epoch) && epoch % 2 == 1)
        weft__pool_help_all(pool, self, epoch); // Others' shares before its own.
    uint64_t what = trace == NULL ? 0 : weft__trace_what(trace);
    uint64_t begin = trace == NULL ? 0 : weft__trace_last(trace, self->index);
    uint32_t count = weft__board_run(&pool->board, self->index, self->index, epoch);
    if (trace != NULL)
        weft__trace_share(trace, self->index, what, begin, count);
    if (weft__board_helps(&pool->board, epoch))
        weft__pool_help_all(pool, self, epoch);
    if (trace != NULL)
        weft__trace_wait(trace, self->index);
}

void weft__pool_worker_main(void* context) {
    weft__worker* self = context;
    weft__pool* pool = self->pool;
    WEFT_ASSERT(self->index > 0 && self->index < pool->worker_count); // The caller is worker 0.
    weft__pool_worker_begin(self);
    (void)weft__atomic_u32_fetch_add_acq_rel(&pool->ready, 1);
    weft__park_notify(&pool->board.done);
    uint64_t early_ns = 4 * EARLY_NS;
    uint32_t seen = 0;
    for (;;) {
        uint32_t epoch = wait_for_work(pool, self, seen, &early_ns);
        if (epoch == seen)
            return;
        seen = epoch;
        take_part(pool, self, epoch);
    }
}
