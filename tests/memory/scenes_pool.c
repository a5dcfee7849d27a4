// Scenes of the pool: the functions of pool*.c and exec_threads.c themselves, with the workers as
// threads and the operating system played. The caller waits until all are ready, hands out batches,
// lets the first of the others rest and come back, and stops.

#include "scenes.h"

// NOLINTBEGIN(bugprone-suspicious-include): their static functions and atomics are looked at here.
#include "pool_worker.c"

#include "pool_rest.c"

#include "pool_run.c"

#include "pool.c"

#include "exec_threads.c"
// NOLINTEND(bugprone-suspicious-include)

enum {
    ROUNDS = 3,
    COUNT_MAX = 3,
    ITEMS = 3,
};

static struct {
    weft__pool pool;
    weft_executor executor;
    weft_world world;
    weft__worker workers[COUNT_MAX];
    weft__atomic_u32 left[COUNT_MAX]; // Set when a worker has returned.
    uint64_t cuts[COUNT_MAX + 1];
    uint32_t help_orders[COUNT_MAX * (COUNT_MAX - 1)];
    scene_batch batches[ROUNDS];
    uint64_t clock_ns;
} s;

// Time passes whenever somebody looks.
uint64_t weft__os_clock_ns(void) {
    return s.clock_ns += 20000000;
}

int weft__os_thread_id(void) {
    return 1;
}

void weft__os_yield(void) {
    check_relax();
}

void weft__os_timer_exact(void) {
}

// The thread is found by its place in the pool.
void weft__os_thread_join(weft__os_thread* thread) {
    for (uint32_t i = 1; i < s.pool.worker_count; i++)
        while (&s.workers[i].thread == thread && weft__atomic_u32_load_acquire(&s.left[i]) == 0)
            (void)check_futex_wait(&s.left[i], 0, false);
}

weft__os_cpu_clock weft__os_cpu_clock_own(void) {
    return 0;
}

int weft__os_process_id(void) {
    return 1;
}

bool weft__os_cpu_wait_ns(int process, uint64_t* wait_ns) {
    (void)process;
    (void)wait_ns;
    return false; // Only of workers that are processes.
}

uint64_t weft__os_cpu_clock_ns(weft__os_cpu_clock clock) {
    (void)clock;
    return 0; // Whoever is awake and awaited is found without a CPU, and rests.
}

uint64_t weft__os_preemptions(void) {
    return 0;
}

void weft__os_fork_mark_destroy(const volatile uint32_t* mark) {
    (void)mark;
}

weft_status weft_topology_pin_self(const weft_topology* topology, uint32_t cpu) {
    (void)topology;
    (void)cpu;
    return WEFT_STATUS_UNSUPPORTED;
}

void weft_topology_destroy(weft_topology* topology) {
    (void)topology;
}

void weft__os_region_release(void* base, size_t size) {
    (void)base;
    (void)size;
}

static void begin(uint32_t worker_count) {
    static const uint32_t fork_mark = 1;
    memset(&s, 0, sizeof(s));
    scene_board_init(&s.pool.board, worker_count);
    scene_park_init(&s.pool.work, "work.value", "work.sleepers");
    scene_park_init(&s.pool.rest, "rest.value", "rest.sleepers");
    check_word(&s.pool.stop, "stop");
    check_word(&s.pool.ready, "ready");
    check_word(&s.pool.tick_ns, "tick_ns");
    check_word(&s.pool.woken_ns, "woken_ns");
    s.executor.world = &s.world;
    s.executor.pool = &s.pool;
    s.executor.desc.everybody = true;
    s.executor.desc.grain = 1;
    s.pool.executor = &s.executor;
    s.pool.fork_mark = &fork_mark;
    s.pool.workers = s.workers;
    s.pool.cuts = s.cuts;
    s.pool.worker_count = s.pool.active = worker_count;
    s.pool.started = worker_count - 1;
    s.pool.join_ns = WEFT__JOIN_NS;
    s.pool.wake_ns = WEFT__WAKE_NS;
    for (uint32_t i = 0; i < worker_count; i++) {
        uint32_t* order = s.help_orders + i * (worker_count - 1);
        s.workers[i] = (weft__worker){.pool = &s.pool, .index = i, .cpu = WEFT__PLACEMENT_UNPINNED};
        s.workers[i].help_order = order;
        for (uint32_t j = 1; j < worker_count; j++)
            order[j - 1] = (i + j) % worker_count;
        check_word(&s.workers[i].resting, "resting");
        check_word(&s.workers[i].helped, "helped");
        check_word(&s.workers[i].late_ns, "late_ns");
        check_word(&s.workers[i].asleep, "asleep");
        check_word(&s.left[i], "left");
    }
    (void)pthread_mutex_init(&s.pool.guard, NULL);
}

void pool_pair_before(void) {
    begin(2);
}

// Others are called when they are thought to pay, and rest for a while when they are late.
void pool_paced_before(void) {
    begin(2);
    s.executor.desc.everybody = false;
}

void pool_crowd_before(void) {
    begin(3);
}

static void lead(void) {
    bool everybody = s.executor.desc.everybody;
    weft__pool_await_ready(&s.pool);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        scene_batch* mine = &s.batches[i];
        *mine = (scene_batch){i * (ITEMS + 1), i + 1, ITEMS};
        weft__batch batch = {.fn = scene_batch_item,
                             .context = mine,
                             .count = ITEMS,
                             .unsharded = ITEMS,
                             .cost_ns = everybody ? 0 : 1000000};
        scene_batch_begin(mine);
        weft__pool_tick_begin(&s.executor);
        weft__pool_run(&s.executor.runner, &batch);
        weft__pool_tick_end(&s.executor);
        scene_batch_end(mine);
        if (everybody && i + 1 < ROUNDS)
            weft__pool_set_resting(&s.pool, &s.workers[1], i == 0, UINT64_MAX);
    }
    weft__exec_threads_stop(&s.executor);
}

void pool_thread(uint32_t index) {
    if (index == 0) {
        lead();
        return;
    }
    weft__pool_worker_main(&s.workers[index]);
    weft__atomic_u32_store_release(&s.left[index], 1);
    check_futex_wake(&s.left[index]);
}

void pool_after(void) {
    check_that(weft__park_sleepers(&s.pool.work) == 0, "nobody is announced");
    check_that(weft__park_sleepers(&s.pool.rest) == 0, "nobody is announced");
    check_that(weft__park_sleepers(&s.pool.board.done) == 0, "nobody is announced");
}
