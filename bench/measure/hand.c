#define _GNU_SOURCE // pthread_getaffinity_np

#include "hand.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct weft_hand {
    _Alignas(128) atomic_uint_fast64_t forked; // Forks so far, written by the caller.
    _Alignas(128) atomic_uint_fast64_t joined; // Forks done by the helper.
    _Alignas(128) weft_hand_part* part;        // Of the current fork.
    void* context;
    const weft_topology* topology;
    uint32_t cpu[2];
    cpu_set_t own; // The caller's CPUs, while awake.
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool awake;   // Under the mutex.
    bool stopped; // Under the mutex.
    atomic_bool parking;
};

// Serves forks until the caller parks it.
static void serve(weft_hand* hand) {
    uint_fast64_t served = atomic_load_explicit(&hand->joined, memory_order_relaxed);
    while (!atomic_load_explicit(&hand->parking, memory_order_relaxed)) {
        if (atomic_load_explicit(&hand->forked, memory_order_acquire) == served) {
            weft_hand_pause();
            continue;
        }
        hand->part(hand->context, 1, 2);
        atomic_store_explicit(&hand->joined, ++served, memory_order_release);
    }
}

static void* helper(void* argument) {
    weft_hand* hand = argument;
    (void)!weft_topology_pin_self(hand->topology, hand->cpu[1]);
    pthread_mutex_lock(&hand->mutex);
    while (!hand->stopped) {
        if (!hand->awake) {
            pthread_cond_wait(&hand->changed, &hand->mutex);
            continue;
        }
        pthread_mutex_unlock(&hand->mutex);
        serve(hand);
        pthread_mutex_lock(&hand->mutex);
        hand->awake = false;
        pthread_cond_broadcast(&hand->changed);
    }
    pthread_mutex_unlock(&hand->mutex);
    return NULL;
}

bool weft_hand_cpus(const weft_topology* topology, uint32_t cpu[2]) {
    uint32_t count;
    const weft_topology_cpu* cpus = weft_topology_cpus(topology, &count);
    if (count < 2)
        return false;
    cpu[0] = cpus[0].os_index;
    cpu[1] = cpus[1].os_index;
    for (uint32_t i = count; i > 1; --i) {
        if (cpus[i - 1].core != cpus[0].core && cpus[i - 1].sibling == 0)
            cpu[1] = cpus[i - 1].os_index;
    }
    return true;
}

weft_status weft_hand_create(const weft_topology* topology, weft_hand** out) {
    *out = NULL;
    uint32_t cpu[2];
    if (!weft_hand_cpus(topology, cpu))
        return WEFT_STATUS_UNSUPPORTED;
    weft_hand* hand = aligned_alloc(128, (sizeof(weft_hand) + 127) / 128 * 128);
    if (!hand)
        return WEFT_STATUS_OUT_OF_MEMORY;
    *hand = (weft_hand){.topology = topology, .cpu = {cpu[0], cpu[1]}};
    pthread_mutex_init(&hand->mutex, NULL);
    pthread_cond_init(&hand->changed, NULL);
    if (pthread_create(&hand->thread, NULL, helper, hand) != 0) {
        pthread_cond_destroy(&hand->changed);
        pthread_mutex_destroy(&hand->mutex);
        free(hand);
        return WEFT_STATUS_OS;
    }
    *out = hand;
    return WEFT_STATUS_OK;
}

void weft_hand_destroy(weft_hand* hand) {
    if (!hand)
        return;
    pthread_mutex_lock(&hand->mutex);
    hand->stopped = true;
    pthread_cond_broadcast(&hand->changed);
    pthread_mutex_unlock(&hand->mutex);
    pthread_join(hand->thread, NULL);
    pthread_cond_destroy(&hand->changed);
    pthread_mutex_destroy(&hand->mutex);
    free(hand);
}

static void do_nothing(void* context, uint32_t index, uint32_t count) {
    (void)context;
    (void)index;
    (void)count;
}

void weft_hand_wake(weft_hand* hand) {
    pthread_getaffinity_np(pthread_self(), sizeof(hand->own), &hand->own);
    (void)!weft_topology_pin_self(hand->topology, hand->cpu[0]);
    pthread_mutex_lock(&hand->mutex);
    hand->awake = true;
    atomic_store_explicit(&hand->parking, false, memory_order_relaxed);
    pthread_cond_broadcast(&hand->changed);
    pthread_mutex_unlock(&hand->mutex);
    weft_hand_fork(hand, do_nothing, NULL);
}

void weft_hand_park(weft_hand* hand) {
    atomic_store_explicit(&hand->parking, true, memory_order_relaxed);
    pthread_mutex_lock(&hand->mutex);
    while (hand->awake)
        pthread_cond_wait(&hand->changed, &hand->mutex);
    pthread_mutex_unlock(&hand->mutex);
    pthread_setaffinity_np(pthread_self(), sizeof(hand->own), &hand->own);
}

void weft_hand_fork(weft_hand* hand, weft_hand_part* part, void* context) {
    uint_fast64_t fork = atomic_load_explicit(&hand->forked, memory_order_relaxed) + 1;
    hand->part = part;
    hand->context = context;
    atomic_store_explicit(&hand->forked, fork, memory_order_release);
    part(context, 0, 2);
    while (atomic_load_explicit(&hand->joined, memory_order_acquire) != fork)
        weft_hand_pause();
}

void weft_hand_prepare(void* side) {
    weft_hand* hand = ((weft_hand_side*)side)->hand;
    if (hand)
        weft_hand_wake(hand);
}

weft_status weft_hand_run(void* side, uint64_t repeat) {
    const weft_hand_side* work = side;
    for (uint64_t i = 0; i < repeat; ++i) {
        if (work->hand)
            weft_hand_fork(work->hand, work->part, work->context);
        else
            work->part(work->context, 0, 1);
    }
    return WEFT_STATUS_OK;
}

void weft_hand_finish(void* side) {
    weft_hand* hand = ((weft_hand_side*)side)->hand;
    if (hand)
        weft_hand_park(hand);
}
