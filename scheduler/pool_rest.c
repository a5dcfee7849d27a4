// Who has no CPU to itself rests: it gets no share and is not woken.

#include "pool.h"

#include "os.h"

// Somebody who has lost its CPU rests so many times as long as that took: what the kernel does now
// and then is over at once, another program's turn comes again. Doubled if it happens soon again.
#define REST_LOSSES 16u
#define REST_MAX_NS 1000000000u

void weft__pool_set_resting(weft__pool* pool, weft__worker* one, bool rests, uint64_t until_ns) {
    WEFT_ASSERT(one->index != 0);
    bool rested = weft__atomic_u32_load_relaxed(&one->resting) != 0;
    WEFT_ASSERT(rested != rests);
    one->rest_until = until_ns;
    weft__atomic_u32_store_release(&one->resting, rests);
    pool->active += rests ? UINT32_MAX : 1;
    WEFT_ASSERT(pool->active >= 1 && pool->active <= pool->worker_count);
    if (until_ns != UINT64_MAX)
        pool->resting_count += rests ? 1 : UINT32_MAX;
    if (!rests)
        weft__park_notify(&pool->rest);
}

void weft__pool_give_rest(weft__pool* pool, weft__worker* one, uint64_t now, uint64_t lost_ns) {
    if (weft__atomic_u32_load_relaxed(&one->resting) != 0)
        return;
    bool again = one->rest_ns != 0 && now < one->rest_until + 2 * one->rest_ns;
    uint64_t least = again ? 2 * one->rest_ns : 0;
    one->rest_ns = REST_LOSSES * lost_ns > least ? REST_LOSSES * lost_ns : least;
    if (one->rest_ns > REST_MAX_NS)
        one->rest_ns = REST_MAX_NS;
    weft__pool_set_resting(pool, one, true, now + one->rest_ns);
    pool->executor->stats.rests++;
}

void weft__pool_end_rests(weft__pool* pool, uint64_t now) {
    for (uint32_t i = 1; i < pool->worker_count; i++) {
        weft__worker* one = &pool->workers[i];
        bool resting = weft__atomic_u32_load_relaxed(&one->resting) != 0;
        if (resting && one->rest_until != UINT64_MAX && one->rest_until <= now)
            weft__pool_set_resting(pool, one, false, one->rest_until);
    }
}

// Of a process what it has had is not told while it runs, but afterwards how long it waited.
static void begin_wait(weft__worker* one) {
    bool asleep = weft__atomic_u32_load_acquire(&one->asleep) != 0;
    one->stalled = !asleep && weft__os_cpu_wait_ns(one->process, &one->cpu_ns);
}

static bool has_waited(const weft__worker* one, uint64_t elapsed_ns) {
    uint64_t wait_ns;
    return weft__os_cpu_wait_ns(one->process, &wait_ns) &&
           wait_ns - one->cpu_ns > elapsed_ns - elapsed_ns / 4;
}

static void look_at_thread(weft__worker* one, uint64_t elapsed_ns) {
    uint64_t cpu = weft__os_cpu_clock_ns(one->cpu_clock);
    uint64_t had = cpu - one->cpu_ns;
    one->cpu_ns = cpu;
    bool asleep = weft__atomic_u32_load_acquire(&one->asleep) != 0;
    one->stalled |= elapsed_ns != 0 && !asleep && had < elapsed_ns / 4;
}

void weft__pool_look_for_stalls(weft__pool* pool, uint64_t elapsed_ns) {
    for (uint32_t i = 1; i < pool->worker_count; i++) {
        if (!pool->shared)
            look_at_thread(&pool->workers[i], elapsed_ns);
        else if (elapsed_ns == 0)
            begin_wait(&pool->workers[i]);
    }
}

void weft__pool_rest_stalled(weft__pool* pool, uint64_t begin) {
    uint64_t now = weft__os_clock_ns();
    uint64_t lost_ns = now - begin;
    for (uint32_t i = 1; i < pool->worker_count; i++) {
        weft__worker* one = &pool->workers[i];
        if (one->stalled && lost_ns > pool->last_gain_ns &&
            (!pool->shared || has_waited(one, lost_ns)))
            weft__pool_give_rest(pool, one, now, lost_ns);
        one->stalled = false;
    }
}
