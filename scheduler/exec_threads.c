// n threads, pinned; the caller is worker 0 and is pinned only if it asks to be.
//
// A batch is cut into one range per worker, by shard, the same every tick. A worker takes from its
// own range, then from the others', nearest first. Taking is one compare-and-swap on a claim word
// that holds the batch's epoch, so a worker that comes late can neither take work of a later batch
// nor read a batch that is no longer there: it looks at the batch only after it has taken from it,
// and the caller cannot leave the batch before everything taken is done.
//
// Waking a sleeper costs tens of microseconds. So the caller runs small batches alone, offers
// middling ones to those who happen to spin, and wakes sleepers only for what is worth it. Who runs
// what depends on time; what is run does not.

#include <stdio.h>
#include <string.h>

#include "atomics.h"
#include "exec.h"
#include "float_control.h"
#include "os.h"
#include "park.h"
#include "placement.h"

// A batch below runs on the caller alone: an exchange of cache lines costs about a microsecond.
#define ALONE_NS 5000u
// Sleepers are woken for a batch above: a wake costs the caller and the sleeper about 70 us.
#define WAKE_NS 150000u
// What one look of a spinning worker takes, about.
#define RELAX_NS 40u
// A claim should be worth its compare-and-swap.
#define CLAIM_NS 2000u

// What a worker may still take of its part of a batch.
typedef struct share {
    WEFT_CACHE_ALIGNED weft__atomic_u64 claim;
    uint32_t begin; // Written before the claim is reset, read after something was taken.
    uint32_t count;
} share;

typedef struct worker {
    WEFT_CACHE_ALIGNED struct weft__pool* pool;
    uint32_t index;
    uint32_t cpu;
    bool pinned;
    const uint32_t* help_order;
    weft__os_thread thread;
    uint64_t tasks; // Its own counters, read by the caller between batches.
    uint64_t helped;
} worker;

typedef struct weft__pool {
    weft__park work;
    weft__park done;
    WEFT_CACHE_ALIGNED weft__atomic_u32 epoch;
    weft__atomic_u32 stop;
    weft__atomic_u32 ready; // Workers that have started and pinned themselves.
    WEFT_CACHE_ALIGNED weft__atomic_u32 remaining;
    WEFT_CACHE_ALIGNED weft_executor* executor;
    const weft_topology* topology;
    weft_topology* own_topology; // Read here, when the description brought none.
    const weft__batch* batch;
    uint32_t grain;
    uint32_t spin_limit;
    uint32_t worker_count;
    uint32_t started;
    share* shares; // [worker_count + 1]; the last holds the items of no shard.
    worker* workers;
    uint32_t* cpus;
    uint32_t* help_orders;
    pthread_mutex_t guard;
} weft__pool;

static void pool_finish(weft__pool* pool, uint32_t worker_index, uint32_t count) {
    uint32_t before = weft__atomic_u32_fetch_sub_acq_rel(&pool->remaining, count);
    WEFT_ASSERT(before >= count);
    if (before == count && worker_index != 0)
        weft__park_signal(&pool->done, true);
}

// Takes from one share until nothing of this epoch is left. Returns the items run.
static uint32_t run_share(weft__pool* pool, share* from, uint32_t epoch, uint32_t worker_index) {
    uint32_t ran = 0;
    uint32_t taken;
    uint32_t left;
    uint32_t grain = 1;
    while (weft__claim_take(&from->claim, epoch, grain, &taken, &left)) {
        const weft__batch* batch = pool->batch;
        grain = pool->grain;
        uint32_t first = from->begin + (from->count - left);
        for (uint32_t i = 0; i < taken; i++)
            batch->fn(batch->context, worker_index, first + i);
        ran += taken;
        pool_finish(pool, worker_index, taken);
    }
    return ran;
}

static void work_on(weft__pool* pool, worker* self, uint32_t epoch) {
    self->tasks += run_share(pool, &pool->shares[pool->worker_count], epoch, self->index);
    self->tasks += run_share(pool, &pool->shares[self->index], epoch, self->index);
    for (uint32_t i = 0; i + 1 < pool->worker_count; i++) {
        uint32_t ran = run_share(pool, &pool->shares[self->help_order[i]], epoch, self->index);
        self->tasks += ran;
        self->helped += ran;
    }
}

static void worker_main(void* context) {
    worker* self = context;
    weft__pool* pool = self->pool;
    if (self->cpu != WEFT__PLACEMENT_UNPINNED)
        self->pinned = weft_topology_pin_self(pool->topology, self->cpu) == WEFT_STATUS_OK;
    (void)weft__float_state_pin();
    uint32_t seen = weft__park_value(&pool->work);
    (void)weft__atomic_u32_fetch_add_acq_rel(&pool->ready, 1);
    weft__park_signal(&pool->done, true);
    while (weft__atomic_u32_load_acquire(&pool->stop) == 0) {
        work_on(pool, self, weft__atomic_u32_load_acquire(&pool->epoch));
        seen = weft__park_wait(&pool->work, seen, pool->spin_limit);
    }
}

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

static void cut_shares(weft__pool* pool, const weft__batch* batch) {
    uint64_t shards = pool->executor->world->shards.count;
    uint64_t sharded = batch->count - batch->unsharded;
    uint32_t begin = batch->unsharded;
    for (uint32_t i = 0; i < pool->worker_count; i++) {
        uint32_t end = batch->count;
        if (i + 1 < pool->worker_count && batch->shard_of != NULL)
            end = item_lower(batch, (uint32_t)((shards * (i + 1) + pool->worker_count - 1) /
                                               pool->worker_count));
        else if (i + 1 < pool->worker_count)
            end = batch->unsharded + (uint32_t)(sharded * (i + 1) / pool->worker_count);
        WEFT_ASSERT(begin <= end && end <= batch->count);
        pool->shares[i].begin = begin;
        pool->shares[i].count = end - begin;
        begin = end;
    }
    pool->shares[pool->worker_count].begin = 0;
    pool->shares[pool->worker_count].count = batch->unsharded;
}

static uint32_t choose_grain(const weft__pool* pool, const weft__batch* batch) {
    if (pool->executor->desc.grain != 0)
        return pool->executor->desc.grain;
    uint64_t item_ns = batch->cost_ns / batch->count + 1;
    uint64_t grain = CLAIM_NS / item_ns;
    uint64_t most = batch->count / (8u * pool->worker_count);
    grain = grain < most ? grain : most;
    return grain == 0 ? 1 : (uint32_t)grain;
}

static void publish(weft__pool* pool, const weft__batch* batch, bool wake) {
    uint32_t epoch = weft__atomic_u32_load_relaxed(&pool->epoch) + 1;
    pool->batch = batch;
    pool->grain = choose_grain(pool, batch);
    cut_shares(pool, batch);
    weft__atomic_u32_store_relaxed(&pool->remaining, batch->count);
    for (uint32_t i = 0; i <= pool->worker_count; i++)
        weft__claim_reset(&pool->shares[i].claim, epoch, pool->shares[i].count);
    weft__atomic_u32_store_release(&pool->epoch, epoch);
    weft__park_signal(&pool->work, wake);
}

void weft__exec_threads_run(weft__runner* runner, const weft__batch* batch) {
    weft_executor* executor = (weft_executor*)runner;
    weft__pool* pool = executor->pool;
    uint32_t sleepers = pool->worker_count > 1 ? weft__park_sleepers(&pool->work) : 0;
    bool wake = batch->cost_ns >= WAKE_NS && sleepers > 0;
    executor->alone = pool->worker_count == 1 || batch->count < 2 || batch->cost_ns < ALONE_NS ||
                      (!wake && sleepers + 1 >= pool->worker_count);
    if (executor->alone) {
        for (uint32_t i = 0; i < batch->count; i++)
            batch->fn(batch->context, 0, i);
        executor->stats.stages_alone++;
        executor->stats.tasks += batch->count;
        return;
    }
    executor->stats.wakes += wake;
    publish(pool, batch, wake);
    work_on(pool, &pool->workers[0], weft__atomic_u32_load_relaxed(&pool->epoch));
    uint32_t seen = weft__park_value(&pool->done);
    while (weft__atomic_u32_load_acquire(&pool->remaining) != 0)
        seen = weft__park_wait(&pool->done, seen, pool->spin_limit);
    executor->stats.tasks += batch->count;
}

static void guard_enter(void* guard) {
    (void)pthread_mutex_lock(guard);
}

static void guard_leave(void* guard) {
    (void)pthread_mutex_unlock(guard);
}

void weft__exec_threads_guard(weft_executor* executor, bool on) {
    weft__arena* arena = &executor->world->arena;
    arena->guard = on ? &executor->pool->guard : NULL;
    arena->enter = on ? guard_enter : NULL;
    arena->leave = on ? guard_leave : NULL;
}

static weft_status pool_place(weft__pool* pool, const weft_executor_desc* desc) {
    if (desc->topology == NULL)
        WEFT_TRY(weft_topology_create(NULL, &pool->own_topology));
    const weft_topology* topology = desc->topology != NULL ? desc->topology : pool->own_topology;
    pool->topology = topology;
    weft__placement placement = {.cpus = pool->cpus, .help_order = pool->help_orders};
    WEFT_TRY(weft__placement_compute(topology, pool->worker_count,
                                     desc->pin ? WEFT__PLACEMENT_SPREAD : WEFT__PLACEMENT_NONE,
                                     &placement));
    uint32_t suggested = weft_topology_suggested_workers(topology);
    bool crowded =
        placement.oversubscribed || placement.over_quota || pool->worker_count > suggested;
    pool->executor->stats.oversubscribed = crowded;
    pool->spin_limit = crowded ? 0 : desc->spin_ns / RELAX_NS;
    // A topology of another machine places, but nothing can be pinned by it.
    bool pins = desc->pin && weft_topology_info_get(topology).is_this_machine;
    for (uint32_t i = 0; i < pool->worker_count; i++) {
        pool->workers[i].cpu = pins ? pool->cpus[i] : WEFT__PLACEMENT_UNPINNED;
        pool->workers[i].help_order = pool->help_orders + (size_t)i * (pool->worker_count - 1);
    }
    return WEFT_STATUS_OK;
}

// The pool's parts lie in the world's arena. The calling thread is worker 0 and keeps its own
// affinity: it belongs to the host program.
static weft_status pool_alloc(weft_executor* executor) {
    weft__arena* arena = &executor->world->arena;
    uint32_t count = executor->worker_count;
    size_t order_bytes = (size_t)count * count * sizeof(uint32_t);
    size_t slack = WEFT_CACHE_LINE; // The arena aligns to 64, the pool wants 128.
    executor->pool_block_size = sizeof(weft__pool) + sizeof(share) * (count + 1u) +
                                sizeof(worker) * count + count * sizeof(uint32_t) + order_bytes +
                                slack;
    executor->pool_block = weft__arena_alloc_zero(arena, executor->pool_block_size);
    if (executor->pool_block == NULL)
        return WEFT_STATUS_OUT_OF_MEMORY;
    uintptr_t at = ((uintptr_t)executor->pool_block + slack - 1) & ~(uintptr_t)(slack - 1);
    weft__pool* pool = (weft__pool*)at;
    pool->shares = (share*)(at + sizeof(weft__pool));
    pool->workers = (worker*)(void*)(pool->shares + count + 1);
    pool->cpus = (uint32_t*)(void*)(pool->workers + count);
    pool->help_orders = pool->cpus + count;
    pool->executor = executor;
    pool->worker_count = count;
    executor->pool = pool;
    weft__park_init(&pool->work, false);
    weft__park_init(&pool->done, false);
    return pthread_mutex_init(&pool->guard, NULL) == 0 ? WEFT_STATUS_OK : WEFT_STATUS_OS;
}

weft_status weft__exec_threads_start(weft_executor* executor) {
    WEFT_ASSERT(executor->pool == NULL);
    WEFT_TRY(pool_alloc(executor));
    weft__pool* pool = executor->pool;
    WEFT_TRY(pool_place(pool, &executor->desc));
    // The hash library fills its dispatch table at its first long input, without a lock.
    uint8_t warm[512] = {0};
    (void)weft_digest_of(warm, sizeof(warm), 0);
    for (uint32_t i = 0; i < pool->worker_count; i++) {
        pool->workers[i].pool = pool;
        pool->workers[i].index = i;
    }
    for (uint32_t i = 1; i < pool->worker_count; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "weft-%u", i);
        WEFT_TRY(
            weft__os_thread_start(&pool->workers[i].thread, worker_main, &pool->workers[i], name));
        pool->started = i;
    }
    uint32_t seen = weft__park_value(&pool->done);
    while (weft__atomic_u32_load_acquire(&pool->ready) + 1 < pool->worker_count)
        seen = weft__park_wait(&pool->done, seen, 0);
    for (uint32_t i = 1; i < pool->worker_count; i++)
        executor->stats.pinned_count += pool->workers[i].pinned;
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
    weft__atomic_u32_store_release(&pool->stop, 1);
    weft__park_signal(&pool->work, true);
    for (uint32_t i = 1; i <= pool->started; i++)
        weft__os_thread_join(&pool->workers[i].thread);
    (void)pthread_mutex_destroy(&pool->guard);
    weft_topology_destroy(pool->own_topology);
    weft__arena_free(&executor->world->arena, executor->pool_block, executor->pool_block_size);
    executor->pool = NULL;
    executor->pool_block = NULL;
}
