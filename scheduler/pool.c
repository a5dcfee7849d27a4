// What a pool is made of, and the tick's frame around it.

#include "pool.h"

#include "float_control.h"
#include "os.h"
#include "placement.h"

static void guard_enter(void* guard) {
    (void)pthread_mutex_lock(guard);
}

static void guard_leave(void* guard) {
    (void)pthread_mutex_unlock(guard);
}

void weft__pool_tick_begin(weft_executor* executor) {
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
        weft__pool_end_rests(pool, now);
}

void weft__pool_tick_end(weft_executor* executor) {
    weft__arena* arena = &executor->world->arena;
    arena->guard = NULL;
    arena->enter = NULL;
    arena->leave = NULL;
}

uint64_t weft__pool_helped(const weft_executor* executor) {
    uint64_t helped = 0;
    for (uint32_t i = 0; executor->pool != NULL && i < executor->pool->worker_count; i++)
        helped += weft__atomic_u64_load_acquire(&executor->pool->workers[i].helped);
    return helped;
}

static weft_status placement_refuse(weft__pool* pool, uint32_t cpu) {
    weft_world* world = pool->executor->world;
    if (cpu == WEFT_TOPOLOGY_UNKNOWN)
        return weft__world_fail(world, WEFT_STATUS_BAD_ARGUMENT,
                                "placement: WEFT_PLACEMENT_LIST wants a list of CPUs, and the "
                                "other policies none");
    return weft__world_fail(world, WEFT_STATUS_BAD_ARGUMENT,
                            "placement: CPU %u is listed twice, or is not one that this process "
                            "may use; `weft topo` shows those",
                            cpu);
}

static weft_status pool_place(weft__pool* pool, const weft_executor_desc* desc) {
    if (desc->topology == NULL)
        WEFT_TRY(weft_topology_create(NULL, &pool->own_topology));
    const weft_topology* topology = desc->topology != NULL ? desc->topology : pool->own_topology;
    pool->topology = topology;
    weft__placement placement = {.cpus = pool->cpus, .help_order = pool->help_orders};
    weft_status placed = weft__placement_compute(topology, pool->worker_count,
                                                 desc->pin ? &desc->placement : NULL, &placement);
    if (placed == WEFT_STATUS_BAD_ARGUMENT)
        return placement_refuse(pool, placement.refused);
    WEFT_TRY(placed);
    // A topology of another machine places, but nothing can be pinned by it.
    bool pins = desc->pin && weft_topology_info_get(topology).is_this_machine;
    for (uint32_t i = 0; i < pool->worker_count; i++) {
        pool->workers[i].cpu = pins ? pool->cpus[i] : WEFT__PLACEMENT_UNPINNED;
        pool->workers[i].help_order = pool->help_orders + (size_t)i * (pool->worker_count - 1);
    }
    // Workers without a CPU, or beyond the quota, could only take time from the others.
    uint32_t room = placement.room;
    bool crowded = pool->worker_count > room;
    pool->executor->stats.oversubscribed = crowded;
    pool->spin_ns = crowded && desc->everybody ? 0 : desc->spin_ns;
    pool->yield_ns = desc->yield_ns;
    pool->period_ns = desc->tick_period_ns;
    pool->perturb_seed = desc->perturb_seed;
    pool->active = pool->worker_count;
    for (uint32_t i = room; i < pool->worker_count && !desc->everybody; i++)
        weft__pool_set_resting(pool, &pool->workers[i], true, UINT64_MAX);
    return WEFT_STATUS_OK;
}

// Null if there is no memory.
static weft__pool* pool_alloc(weft_executor* executor, bool shared) {
    uint32_t count = executor->worker_count;
    size_t board = weft__board_size(count);
    size_t size =
        sizeof(weft__pool) + board + (sizeof(weft__worker) + sizeof(weft__task_note)) * count +
        ((size_t)count + 1) * sizeof(uint64_t) + ((size_t)count + 1) * count * sizeof(uint32_t);
    void* block;
    weft_status status =
        shared ? weft__os_shared_reserve(size, &block) : weft__os_region_reserve(size, &block);
    if (status != WEFT_STATUS_OK)
        return NULL;
    uint8_t* at = block;
    weft__pool* pool = block;
    weft__board_init(&pool->board, count, shared, at + sizeof(weft__pool));
    pool->workers = (weft__worker*)(void*)(at + sizeof(weft__pool) + board);
    pool->notes = (weft__task_note*)(void*)(pool->workers + count);
    pool->cuts = (uint64_t*)(void*)(pool->notes + count);
    pool->cpus = (uint32_t*)(void*)(pool->cuts + count + 1);
    pool->help_orders = pool->cpus + count;
    WEFT_ASSERT((uint8_t*)(pool->help_orders + (size_t)count * count) == at + size);
    pool->worker_count = count;
    pool->shared = shared;
    pool->block_size = size;
    return pool;
}

static weft_status lock_init(pthread_mutex_t* lock, bool shared) {
    pthread_mutexattr_t attributes;
    if (pthread_mutexattr_init(&attributes) != 0)
        return WEFT_STATUS_OS;
    bool made =
        (!shared || pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED) == 0) &&
        pthread_mutex_init(lock, &attributes) == 0;
    (void)pthread_mutexattr_destroy(&attributes);
    return made ? WEFT_STATUS_OK : WEFT_STATUS_OS;
}

weft_status weft__pool_create(weft_executor* executor, bool shared) {
    WEFT_ASSERT(executor->pool == NULL && executor->worker_count > 0);
    weft__pool* pool = pool_alloc(executor, shared);
    if (pool == NULL)
        return WEFT_STATUS_OUT_OF_MEMORY;
    executor->pool = pool;
    pool->executor = executor;
    pool->join_ns = WEFT__JOIN_NS;
    pool->wake_ns = WEFT__WAKE_NS;
    weft__park_init(&pool->work, shared);
    weft__park_init(&pool->rest, shared);
    for (uint32_t i = 0; i < pool->worker_count; i++) {
        pool->workers[i].pool = pool;
        pool->workers[i].index = i;
    }
    WEFT_TRY(lock_init(&pool->guard, shared));
    pool->fork_mark = weft__os_fork_mark_create();
    if (pool->fork_mark == NULL)
        return WEFT_STATUS_OUT_OF_MEMORY;
    // The hash library fills its dispatch table at its first long input, without a lock.
    uint8_t warm[512] = {0};
    (void)weft_digest_of(warm, sizeof(warm), 0);
    return pool_place(pool, &executor->desc);
}

void weft__pool_destroy(weft__pool* pool) {
    if (pool == NULL)
        return;
    (void)pthread_mutex_destroy(&pool->guard);
    weft__os_fork_mark_destroy(pool->fork_mark);
    weft_topology_destroy(pool->own_topology);
    weft__os_region_release(pool, pool->block_size);
}

void weft__pool_started(weft__pool* pool) {
    weft__pool_await_ready(pool);
    pool->preemptions = weft__os_preemptions();
    pool->executor->stats.pinned_count = 0;
    for (uint32_t i = 0; i < pool->worker_count; i++)
        pool->executor->stats.pinned_count += pool->workers[i].pinned;
    if (pool->active > 1 && pool->spin_ns > 0)
        weft__pool_probe(pool, weft__os_clock_ns());
}

void weft__pool_stop(weft__pool* pool) {
    weft__atomic_u32_store_release(&pool->stop, 1);
    if (pool->started == 0)
        return;
    weft__park_notify(&pool->work);
    weft__park_notify(&pool->rest);
}

void weft__pool_await_ready(weft__pool* pool) {
    while (weft__atomic_u32_load_acquire(&pool->ready) + 1 < pool->worker_count) {
        uint32_t ticket = weft__park_prepare(&pool->board.done);
        if (weft__atomic_u32_load_acquire(&pool->ready) + 1 < pool->worker_count)
            weft__park_sleep(&pool->board.done, ticket, 0);
        else
            weft__park_cancel(&pool->board.done);
    }
}

weft_status weft_executor_pin_caller(weft_executor* executor) {
    WEFT_ASSERT(executor != NULL);
    weft__pool* pool = executor->pool;
    if (pool == NULL || pool->shared || pool->workers[0].cpu == WEFT__PLACEMENT_UNPINNED)
        return WEFT_STATUS_UNSUPPORTED;
    WEFT_TRY(weft_topology_pin_self(pool->topology, pool->workers[0].cpu));
    executor->stats.pinned_count += !pool->workers[0].pinned;
    pool->workers[0].pinned = true;
    return WEFT_STATUS_OK;
}
