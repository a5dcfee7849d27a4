#include "atomics.h"
#include "os.h"

#include <criterion/criterion.h>
#include <sched.h>

enum {
    THREADS_MAX = 64,
};

static const uint32_t thread_counts[] = {1, 2, 3, 8, 64};
#define THREAD_COUNTS (sizeof thread_counts / sizeof *thread_counts)

// Runs `function` on `count` threads and waits for them. `contexts` are `size` bytes apart.
static void run_threads(uint32_t count, weft__os_thread_function function, void* contexts,
                        size_t size) {
    weft__os_thread threads[THREADS_MAX];
    for (uint32_t i = 0; i < count; i++) {
        void* context = (char*)contexts + i * size;
        cr_assert_eq(weft__os_thread_start(&threads[i], function, context, "test"), WEFT_STATUS_OK);
    }
    for (uint32_t i = 0; i < count; i++)
        weft__os_thread_join(&threads[i]);
}

Test(atomics, operations_on_32_bits) {
    weft__atomic_u32 word = {0};
    cr_assert_eq(weft__atomic_u32_load_relaxed(&word), 0);
    weft__atomic_u32_store_relaxed(&word, 7);
    cr_assert_eq(weft__atomic_u32_load_acquire(&word), 7);
    weft__atomic_u32_store_release(&word, UINT32_MAX);
    cr_assert_eq(weft__atomic_u32_fetch_add_acq_rel(&word, 3), UINT32_MAX);
    cr_assert_eq(weft__atomic_u32_fetch_sub_acq_rel(&word, 3), 2);
    cr_assert_eq(weft__atomic_u32_exchange_acq_rel(&word, 5), UINT32_MAX);
    uint32_t expected = 4;
    cr_assert_not(weft__atomic_u32_compare_exchange_acq_rel(&word, &expected, 9));
    cr_assert_eq(expected, 5);
    cr_assert(weft__atomic_u32_compare_exchange_acq_rel(&word, &expected, 9));
    cr_assert_eq(expected, 5);
    cr_assert_eq(weft__atomic_u32_load_relaxed(&word), 9);
}

Test(atomics, operations_on_64_bits) {
    weft__atomic_u64 word = {0};
    cr_assert_eq(weft__atomic_u64_load_relaxed(&word), 0);
    weft__atomic_u64_store_relaxed(&word, UINT64_C(1) << 40);
    cr_assert_eq(weft__atomic_u64_load_acquire(&word), UINT64_C(1) << 40);
    weft__atomic_u64_store_release(&word, UINT64_MAX);
    cr_assert_eq(weft__atomic_u64_fetch_add_acq_rel(&word, 3), UINT64_MAX);
    cr_assert_eq(weft__atomic_u64_fetch_sub_acq_rel(&word, 3), 2);
    cr_assert_eq(weft__atomic_u64_exchange_acq_rel(&word, UINT64_C(5) << 32), UINT64_MAX);
    uint64_t expected = 5;
    cr_assert_not(weft__atomic_u64_compare_exchange_acq_rel(&word, &expected, 9));
    cr_assert_eq(expected, UINT64_C(5) << 32);
    cr_assert(weft__atomic_u64_compare_exchange_acq_rel(&word, &expected, 9));
    cr_assert_eq(weft__atomic_u64_load_relaxed(&word), 9);
}

Test(atomics, words_have_no_padding_and_lines_are_apart) {
    struct {
        WEFT_CACHE_ALIGNED weft__atomic_u32 a;
        WEFT_CACHE_ALIGNED weft__atomic_u64 b;
    } pair;
    cr_assert_eq(sizeof(weft__atomic_u32), 4);
    cr_assert_eq(sizeof(weft__atomic_u64), 8);
    cr_assert_eq((uintptr_t)&pair.a % WEFT_CACHE_LINE, 0);
    cr_assert_eq((uintptr_t)&pair.b - (uintptr_t)&pair.a, WEFT_CACHE_LINE);
}

typedef struct counters {
    weft__atomic_u32 narrow;
    weft__atomic_u64 wide;
    weft__atomic_u64 by_exchange;
} counters;

enum {
    COUNTS_PER_THREAD = 2000,
};

static void count_up(void* context) {
    counters* shared = *(counters**)context;
    for (uint32_t i = 0; i < COUNTS_PER_THREAD; i++) {
        weft__atomic_u32_fetch_add_acq_rel(&shared->narrow, 3);
        weft__atomic_u32_fetch_sub_acq_rel(&shared->narrow, 2);
        weft__atomic_u64_fetch_add_acq_rel(&shared->wide, (UINT64_C(1) << 32) + 1);
        uint64_t seen = weft__atomic_u64_load_relaxed(&shared->by_exchange);
        while (!weft__atomic_u64_compare_exchange_acq_rel(&shared->by_exchange, &seen, seen + 1))
            weft__cpu_relax();
    }
}

Test(atomics, no_update_is_lost, .timeout = 20) {
    for (size_t i = 0; i < THREAD_COUNTS; i++) {
        uint32_t threads = thread_counts[i];
        counters shared = {0};
        counters* contexts[THREADS_MAX];
        for (uint32_t t = 0; t < threads; t++)
            contexts[t] = &shared;
        run_threads(threads, count_up, contexts, sizeof *contexts);
        uint64_t total = (uint64_t)threads * COUNTS_PER_THREAD;
        cr_assert_eq(weft__atomic_u32_load_relaxed(&shared.narrow), total);
        cr_assert_eq(weft__atomic_u64_load_relaxed(&shared.wide), (total << 32) + total);
        cr_assert_eq(weft__atomic_u64_load_relaxed(&shared.by_exchange), total);
    }
}

// Each of two threads writes its own flag, then reads the other's. Without a full fence between
// them both may read the old value.
typedef struct flags {
    WEFT_CACHE_ALIGNED weft__atomic_u32 flag[2][WEFT_CACHE_LINE / 4];
    WEFT_CACHE_ALIGNED weft__atomic_u32 arrived;
    uint32_t both_missed;
} flags;

typedef struct flag_thread {
    flags* shared;
    uint32_t self;
    uint32_t* seen;
} flag_thread;

enum {
    FLAG_ROUNDS = 20000,
};

static void raise_flags(void* context) {
    flag_thread* mine = context;
    flags* shared = mine->shared;
    for (uint32_t round = 1; round <= FLAG_ROUNDS; round++) {
        weft__atomic_u32_fetch_add_acq_rel(&shared->arrived, 1);
        for (uint32_t spins = 0; weft__atomic_u32_load_acquire(&shared->arrived) < 2 * round;) {
            weft__cpu_relax();
            if (++spins % 256 == 0)
                sched_yield();
        }
        weft__atomic_u32_store_relaxed(&shared->flag[mine->self][0], round);
        weft__atomic_fence_seq_cst();
        mine->seen[round - 1] = weft__atomic_u32_load_relaxed(&shared->flag[1 - mine->self][0]);
    }
}

Test(atomics, fence_orders_a_store_before_a_load, .timeout = 20) {
    static flags shared;
    static uint32_t seen[2][FLAG_ROUNDS];
    flag_thread threads[2] = {{&shared, 0, seen[0]}, {&shared, 1, seen[1]}};
    run_threads(2, raise_flags, threads, sizeof *threads);
    for (uint32_t round = 1; round <= FLAG_ROUNDS; round++)
        cr_assert(seen[0][round - 1] >= round || seen[1][round - 1] >= round);
}

typedef struct message {
    uint64_t payload[4];
    weft__atomic_u32 sequence;
    weft__atomic_u32 answer;
    uint32_t torn;
} message;

enum {
    MESSAGES = 5000,
};

static void receive_messages(void* context) {
    message* box = *(message**)context;
    for (uint32_t i = 1; i <= MESSAGES; i++) {
        while (weft__atomic_u32_load_acquire(&box->sequence) != i)
            sched_yield();
        for (size_t word = 0; word < 4; word++)
            box->torn += box->payload[word] != i * UINT64_C(0x100000001);
        weft__atomic_u32_store_release(&box->answer, i);
    }
}

Test(atomics, release_publishes_to_acquire, .timeout = 20) {
    message box = {0};
    message* context = &box;
    weft__os_thread thread;
    cr_assert_eq(weft__os_thread_start(&thread, receive_messages, &context, NULL), WEFT_STATUS_OK);
    for (uint32_t i = 1; i <= MESSAGES; i++) {
        for (size_t word = 0; word < 4; word++)
            box.payload[word] = i * UINT64_C(0x100000001);
        weft__atomic_u32_store_release(&box.sequence, i);
        while (weft__atomic_u32_load_acquire(&box.answer) != i)
            sched_yield();
    }
    weft__os_thread_join(&thread);
    cr_assert_eq(box.torn, 0);
}
