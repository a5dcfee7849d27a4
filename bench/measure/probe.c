#include "probe.h"

#include "hand.h"
#include "statistics.h"
#include "watch.h"

#include <pthread.h>
#include <stdatomic.h>

// The line ---------------------------------------------------------------------------------------

enum {
    BATCHES = 48,
    TRIPS = 32,        // In a batch.
    SPINS_BLIND = 2048 // Loads between two looks at the clock.
};

// Two threads count one word up in turns: the first makes it odd, the second even.
typedef struct line_game {
    _Alignas(128) atomic_uint_fast64_t word;
    _Alignas(128) atomic_bool over;
    const weft_topology* topology;
    uint32_t cpu[2];
    uint64_t deadline;
    uint32_t batch_count;
    double batch[BATCHES];
} line_game;

// Whether the word came to the value in time.
static bool await(line_game* game, uint64_t value) {
    for (uint32_t spins = 1;; ++spins) {
        if (atomic_load_explicit(&game->word, memory_order_acquire) == value)
            return true;
        if (spins % SPINS_BLIND == 0 && (atomic_load_explicit(&game->over, memory_order_relaxed) ||
                                         weft_measure_now_ns() >= game->deadline))
            return false;
    }
}

static void* play_even(void* argument) {
    line_game* game = argument;
    (void)!weft_topology_pin_self(game->topology, game->cpu[1]);
    for (uint64_t value = 1; await(game, value); value += 2)
        atomic_store_explicit(&game->word, value + 1, memory_order_release);
    return NULL;
}

static void* play_odd(void* argument) {
    line_game* game = argument;
    (void)!weft_topology_pin_self(game->topology, game->cpu[0]);
    uint64_t value = 0;
    // The first batch waits for the other thread to start.
    for (uint32_t batch = 0; batch <= BATCHES; ++batch) {
        uint64_t start = weft_measure_now_ns();
        for (uint32_t trip = 0; trip < TRIPS; ++trip, value += 2) {
            atomic_store_explicit(&game->word, value + 1, memory_order_release);
            if (!await(game, value + 2))
                goto done;
        }
        uint64_t end = weft_measure_now_ns();
        if (batch > 0)
            game->batch[game->batch_count++] = (double)(end - start) / TRIPS;
        if (end >= game->deadline)
            break;
    }
done:
    atomic_store_explicit(&game->over, true, memory_order_relaxed);
    return NULL;
}

double weft_probe_line_ns(const weft_topology* topology, uint64_t limit_ns) {
    uint32_t cpu[2];
    return weft_hand_cpus(topology, cpu, 2) < 2 ? 0 : weft_probe_pair_ns(topology, cpu, limit_ns);
}

double weft_probe_pair_ns(const weft_topology* topology, const uint32_t cpu[2], uint64_t limit_ns) {
    line_game game = {.topology = topology,
                      .cpu = {cpu[0], cpu[1]},
                      .deadline = weft_measure_now_ns() + limit_ns};
    pthread_t odd, even;
    if (pthread_create(&even, NULL, play_even, &game) != 0)
        return 0;
    if (pthread_create(&odd, NULL, play_odd, &game) == 0)
        pthread_join(odd, NULL);
    else
        atomic_store_explicit(&game.over, true, memory_order_relaxed);
    pthread_join(even, NULL);
    return weft_statistics_median(game.batch, game.batch_count);
}

// The clock --------------------------------------------------------------------------------------

#ifdef __OPTIMIZE__

enum {
    CLOCK_BATCHES = 16,
    ADDITIONS = 32768
};

// Registers are added, since some cores add constants without taking time.
static uint64_t add_in_a_chain(uint64_t sum, uint64_t step) {
    for (uint32_t i = 0; i < ADDITIONS / 16; ++i) {
#pragma GCC unroll 16
        for (uint32_t k = 0; k < 16; ++k) {
            sum += step;
            __asm__ volatile("" : "+r"(sum), "+r"(step));
        }
    }
    return sum;
}

double weft_probe_ghz(void) {
    double best = 0;
    uint64_t sum = 0;
    for (int batch = 0; batch < CLOCK_BATCHES; ++batch) {
        uint64_t start = weft_measure_now_ns();
        sum = add_in_a_chain(sum, 1);
        uint64_t elapsed = weft_measure_now_ns() - start;
        double ghz = elapsed > 0 ? (double)ADDITIONS / (double)elapsed : 0;
        best = ghz > best ? ghz : best;
    }
    return best;
}

#else

double weft_probe_ghz(void) {
    return 0;
}

#endif
