#include "os.h"
#include "park.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    THREADS_MAX = 64,
    HANDOVERS = 100000,
    BROADCASTS = 500,
};

// What is waited for here: a number that every signal makes larger by one.
typedef struct gate {
    weft__park park;
    weft__atomic_u32 value;
} gate;

static void gate_init(gate* one, bool shared) {
    weft__park_init(&one->park, shared);
    weft__atomic_u32_store_relaxed(&one->value, 0);
}

static uint32_t gate_value(const gate* one) {
    return weft__atomic_u32_load_acquire(&one->value);
}

static void gate_signal(gate* one) {
    weft__atomic_u32_fetch_add_acq_rel(&one->value, 1);
    weft__park_notify(&one->park);
}

// Looks up to `spin_limit` times, then sleeps until the value is another than `old`.
static uint32_t gate_wait(gate* one, uint32_t old, uint32_t spin_limit) {
    for (uint32_t i = 0; i < spin_limit && gate_value(one) == old; i++)
        weft__cpu_relax();
    while (gate_value(one) == old) {
        uint32_t ticket = weft__park_prepare(&one->park);
        if (gate_value(one) == old)
            weft__park_sleep(&one->park, ticket, 0);
        else
            weft__park_cancel(&one->park);
    }
    return gate_value(one);
}

Test(park, a_notification_without_sleepers_is_nothing) {
    gate one;
    gate_init(&one, false);
    gate_signal(&one);
    gate_signal(&one);
    cr_assert_eq(weft__atomic_u32_load_relaxed(&one.park.value), 0);
    cr_assert_eq(weft__park_sleepers(&one.park), 0);
    uint32_t ticket = weft__park_prepare(&one.park);
    cr_assert_eq(weft__park_sleepers(&one.park), 1);
    gate_signal(&one);
    cr_assert_neq(weft__atomic_u32_load_relaxed(&one.park.value), ticket);
    weft__park_sleep(&one.park, ticket, 0); // Returns at once.
    cr_assert_eq(weft__park_sleepers(&one.park), 0);
}

Test(park, what_has_come_is_not_waited_for, .timeout = 20) {
    gate one;
    gate_init(&one, false);
    gate_signal(&one);
    cr_assert_eq(gate_wait(&one, 0, 0), 1);
    cr_assert_eq(gate_wait(&one, 0, 100), 1);
}

Test(park, a_sleep_ends_at_its_deadline, .timeout = 20) {
    weft__park park;
    weft__park_init(&park, false);
    for (uint32_t i = 0; i < 10; i++) {
        uint32_t ticket = weft__park_prepare(&park);
        uint64_t deadline = weft__os_clock_ns() + i * 300000;
        weft__park_sleep(&park, ticket, deadline);
        cr_assert_geq(weft__os_clock_ns(), deadline);
        cr_assert_eq(weft__park_sleepers(&park), 0);
    }
}

// A ring of threads hands a token on. Each waits on its own event count, so a lost wake stops the
// ring for good and the test runs into its limit.
typedef struct ring {
    gate parks[THREADS_MAX];
    uint64_t token; // plain: only the handover orders the accesses to it
    uint32_t threads;
    uint32_t spin_limit;
} ring;

typedef struct ring_thread {
    ring* ring;
    uint32_t self;
} ring_thread;

static void hand_on(void* context) {
    ring_thread* mine = context;
    ring* shared = mine->ring;
    gate* park = &shared->parks[mine->self];
    gate* next = &shared->parks[(mine->self + 1) % shared->threads];
    uint32_t rounds = HANDOVERS / shared->threads;
    for (uint32_t round = 0; round < rounds; round++) {
        gate_wait(park, round, shared->spin_limit);
        shared->token++;
        gate_signal(next);
    }
}

struct ring_case {
    uint32_t threads;
    uint32_t spin_limit;
};

ParameterizedTestParameters(park, no_wake_is_lost) {
    static struct ring_case cases[] = {{2, 0}, {3, 0}, {8, 0}, {64, 0}, {2, 50}, {3, 50}, {8, 5}};
    return cr_make_param_array(struct ring_case, cases, sizeof cases / sizeof *cases);
}

ParameterizedTest(struct ring_case* parameters, park, no_wake_is_lost, .timeout = 20) {
    static ring shared;
    shared.threads = parameters->threads;
    shared.spin_limit = parameters->spin_limit;
    weft__os_thread threads[THREADS_MAX];
    ring_thread contexts[THREADS_MAX];
    for (uint32_t i = 0; i < shared.threads; i++)
        gate_init(&shared.parks[i], false);
    for (uint32_t i = 0; i < shared.threads; i++) {
        contexts[i] = (ring_thread){&shared, i};
        cr_assert_eq(weft__os_thread_start(&threads[i], hand_on, &contexts[i], "ring"),
                     WEFT_STATUS_OK);
    }
    gate_signal(&shared.parks[0]);
    for (uint32_t i = 0; i < shared.threads; i++)
        weft__os_thread_join(&threads[i]);
    cr_assert_gt(shared.threads, 0);
    uint32_t rounds = HANDOVERS / shared.threads;
    cr_assert_eq(shared.token, (uint64_t)rounds * shared.threads, "threads %u spin %u",
                 parameters->threads, parameters->spin_limit);
    for (uint32_t i = 0; i < shared.threads; i++) {
        cr_assert_eq(weft__park_sleepers(&shared.parks[i].park), 0);
        cr_assert_eq(gate_value(&shared.parks[i]), rounds + (i == 0));
    }
}

// A wake can be lost only in the few nanoseconds in which the waiter goes to sleep, and steady
// timing would hardly ever meet them. So one thread spins for a time that changes from round to
// round, then sleeps, while the other, which hardly ever sleeps, holds its signal back for a
// changing time.
typedef struct pair {
    gate ping;
    gate pong;
    weft__atomic_u32 stop;
} pair;

enum {
    PAIR_DELAY_MAX = 64,
};

static uint32_t draw_delay(uint32_t* draw) {
    *draw = *draw * 1664525 + 1013904223;
    return (*draw >> 16) % PAIR_DELAY_MAX;
}

static void hold_back(uint32_t relaxes) {
    for (uint32_t i = 0; i < relaxes; i++)
        weft__cpu_relax();
}

static void answer_pings(void* context) {
    pair* shared = context;
    uint32_t draw = 1;
    for (uint32_t round = 0;; round++) {
        gate_wait(&shared->ping, round, draw_delay(&draw));
        if (weft__atomic_u32_load_acquire(&shared->stop) != 0)
            return;
        gate_signal(&shared->pong);
    }
}

Test(park, no_wake_is_lost_at_the_edge_of_sleep, .timeout = 20) {
    static pair shared;
    gate_init(&shared.ping, false);
    gate_init(&shared.pong, false);
    weft__os_thread thread;
    cr_assert_eq(weft__os_thread_start(&thread, answer_pings, &shared, "pong"), WEFT_STATUS_OK);
    uint64_t end = weft__os_clock_ns() + UINT64_C(3000000000);
    uint32_t draw = 2;
    uint32_t round = 0;
    for (; weft__os_clock_ns() < end; round++) {
        hold_back(draw_delay(&draw));
        gate_signal(&shared.ping);
        gate_wait(&shared.pong, round, 100000);
    }
    weft__atomic_u32_store_release(&shared.stop, 1);
    gate_signal(&shared.ping);
    weft__os_thread_join(&thread);
    cr_assert_eq(gate_value(&shared.pong), round);
}

// One thread starts a round for all, as a tick does; all answer on a second event count.
typedef struct stage {
    gate start;
    gate done;
    weft__atomic_u32 remaining;
    uint32_t round;
    uint32_t spin_limit;
    weft__atomic_u32 wrong;
} stage;

static void answer_rounds(void* context) {
    stage* shared = *(stage**)context;
    for (uint32_t round = 0; round < BROADCASTS; round++) {
        gate_wait(&shared->start, round, shared->spin_limit);
        if (shared->round != round + 1)
            weft__atomic_u32_fetch_add_acq_rel(&shared->wrong, 1);
        if (weft__atomic_u32_fetch_sub_acq_rel(&shared->remaining, 1) == 1)
            gate_signal(&shared->done);
    }
}

ParameterizedTestParameters(park, every_sleeper_is_woken) {
    static struct ring_case cases[] = {{1, 0}, {2, 0}, {3, 20}, {8, 0}, {64, 0}};
    return cr_make_param_array(struct ring_case, cases, sizeof cases / sizeof *cases);
}

ParameterizedTest(struct ring_case* parameters, park, every_sleeper_is_woken, .timeout = 20) {
    static stage shared;
    gate_init(&shared.start, false);
    gate_init(&shared.done, false);
    shared.spin_limit = parameters->spin_limit;
    weft__os_thread threads[THREADS_MAX];
    stage* contexts[THREADS_MAX];
    for (uint32_t i = 0; i < parameters->threads; i++) {
        contexts[i] = &shared;
        cr_assert_eq(weft__os_thread_start(&threads[i], answer_rounds, &contexts[i], "stage"),
                     WEFT_STATUS_OK);
    }
    for (uint32_t round = 0; round < BROADCASTS; round++) {
        shared.round = round + 1;
        weft__atomic_u32_store_relaxed(&shared.remaining, parameters->threads);
        gate_signal(&shared.start);
        gate_wait(&shared.done, round, shared.spin_limit);
    }
    for (uint32_t i = 0; i < parameters->threads; i++)
        weft__os_thread_join(&threads[i]);
    cr_assert_eq(weft__atomic_u32_load_relaxed(&shared.wrong), 0);
}

Test(park, works_between_processes, .timeout = 20) {
    enum {
        ROUNDS = 2000
    };
    gate* parks =
        mmap(NULL, 2 * sizeof *parks, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(parks, MAP_FAILED);
    gate_init(&parks[0], true);
    gate_init(&parks[1], true);
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        for (uint32_t round = 0; round < ROUNDS; round++) {
            gate_wait(&parks[0], round, 0);
            gate_signal(&parks[1]);
        }
        _exit(0);
    }
    for (uint32_t round = 0; round < ROUNDS; round++) {
        gate_signal(&parks[0]);
        gate_wait(&parks[1], round, 0);
    }
    int status = -1;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_eq(status, 0);
    cr_assert_eq(gate_value(&parks[1]), ROUNDS);
    munmap(parks, 2 * sizeof *parks);
}
