#define _GNU_SOURCE // pthread_getaffinity_np

#include "hand.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

typedef struct helper {
    _Alignas(128) atomic_uint_fast64_t joined; // Forks done by this one.
    weft_hand* hand;
    uint32_t index; // From 1.
    bool awake;     // Under the mutex.
    pthread_t thread;
} helper;

struct weft_hand {
    _Alignas(128) atomic_uint_fast64_t forked; // Forks so far, written by the caller.
    _Alignas(128) weft_hand_part* part;        // Of the current fork.
    void* context;
    const weft_topology* topology;
    uint32_t count; // Threads, the caller included.
    uint32_t started;
    cpu_set_t own; // The caller's CPUs, while awake.
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool stopped; // Under the mutex.
    atomic_bool parking;
    uint32_t cpu[WEFT_HAND_THREADS_MAX];
    helper helpers[]; // [count - 1]
};

// Serves forks until the caller parks it.
static void serve(helper* self) {
    weft_hand* hand = self->hand;
    uint_fast64_t served = atomic_load_explicit(&self->joined, memory_order_relaxed);
    while (!atomic_load_explicit(&hand->parking, memory_order_relaxed)) {
        if (atomic_load_explicit(&hand->forked, memory_order_acquire) == served) {
            weft_hand_pause();
            continue;
        }
        hand->part(hand->context, self->index, hand->count);
        atomic_store_explicit(&self->joined, ++served, memory_order_release);
    }
}

static void* help(void* argument) {
    helper* self = argument;
    weft_hand* hand = self->hand;
    (void)!weft_topology_pin_self(hand->topology, hand->cpu[self->index]);
    pthread_mutex_lock(&hand->mutex);
    while (!hand->stopped) {
        if (!self->awake) {
            pthread_cond_wait(&hand->changed, &hand->mutex);
            continue;
        }
        pthread_mutex_unlock(&hand->mutex);
        serve(self);
        pthread_mutex_lock(&hand->mutex);
        self->awake = false;
        pthread_cond_broadcast(&hand->changed);
    }
    pthread_mutex_unlock(&hand->mutex);
    return NULL;
}

uint32_t weft_hand_cpus(const weft_topology* topology, uint32_t* cpus, uint32_t capacity) {
    uint32_t count;
    uint32_t taken = 0;
    const weft_topology_cpu* all = weft_topology_cpus(topology, &count);
    if (capacity > WEFT_HAND_THREADS_MAX)
        capacity = WEFT_HAND_THREADS_MAX;
    for (uint32_t sibling = 0; sibling < count && taken < capacity; ++sibling) {
        for (uint32_t i = 0; i < count && taken < capacity; ++i) {
            if (all[i].sibling == sibling)
                cpus[taken++] = all[i].os_index;
        }
    }
    return taken;
}

static weft_status start_helpers(weft_hand* hand) {
    for (uint32_t i = 1; i < hand->count; ++i) {
        helper* self = &hand->helpers[i - 1];
        *self = (helper){.hand = hand, .index = i};
        if (pthread_create(&self->thread, NULL, help, self) != 0)
            return WEFT_STATUS_OS;
        ++hand->started;
    }
    return WEFT_STATUS_OK;
}

weft_status weft_hand_create_on(const weft_topology* topology, const uint32_t* cpus, uint32_t count,
                                weft_hand** out) {
    *out = NULL;
    WEFT_ASSERT(count >= 1 && count <= WEFT_HAND_THREADS_MAX);
    weft_hand* hand = aligned_alloc(128, sizeof(weft_hand) + (count - 1) * sizeof(helper));
    if (!hand)
        return WEFT_STATUS_OUT_OF_MEMORY;
    *hand = (weft_hand){.topology = topology, .count = count};
    for (uint32_t i = 0; i < count; ++i)
        hand->cpu[i] = cpus[i];
    pthread_mutex_init(&hand->mutex, NULL);
    pthread_cond_init(&hand->changed, NULL);
    weft_status status = start_helpers(hand);
    if (status == WEFT_STATUS_OK)
        *out = hand;
    else
        weft_hand_destroy(hand);
    return status;
}

weft_status weft_hand_create(const weft_topology* topology, weft_hand** out) {
    uint32_t cpus[2];
    *out = NULL;
    if (weft_hand_cpus(topology, cpus, 2) < 2)
        return WEFT_STATUS_UNSUPPORTED;
    return weft_hand_create_on(topology, cpus, 2, out);
}

void weft_hand_destroy(weft_hand* hand) {
    if (!hand)
        return;
    pthread_mutex_lock(&hand->mutex);
    hand->stopped = true;
    pthread_cond_broadcast(&hand->changed);
    pthread_mutex_unlock(&hand->mutex);
    for (uint32_t i = 0; i < hand->started; ++i)
        pthread_join(hand->helpers[i].thread, NULL);
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
    for (uint32_t i = 0; i < hand->started; ++i)
        hand->helpers[i].awake = true;
    atomic_store_explicit(&hand->parking, false, memory_order_relaxed);
    pthread_cond_broadcast(&hand->changed);
    pthread_mutex_unlock(&hand->mutex);
    weft_hand_fork(hand, do_nothing, NULL);
}

void weft_hand_park(weft_hand* hand) {
    atomic_store_explicit(&hand->parking, true, memory_order_relaxed);
    pthread_mutex_lock(&hand->mutex);
    for (uint32_t i = 0; i < hand->started; ++i) {
        while (hand->helpers[i].awake)
            pthread_cond_wait(&hand->changed, &hand->mutex);
    }
    pthread_mutex_unlock(&hand->mutex);
    pthread_setaffinity_np(pthread_self(), sizeof(hand->own), &hand->own);
}

void weft_hand_fork(weft_hand* hand, weft_hand_part* part, void* context) {
    uint_fast64_t fork = atomic_load_explicit(&hand->forked, memory_order_relaxed) + 1;
    hand->part = part;
    hand->context = context;
    atomic_store_explicit(&hand->forked, fork, memory_order_release);
    part(context, 0, hand->count);
    for (uint32_t i = 0; i < hand->started; ++i) {
        while (atomic_load_explicit(&hand->helpers[i].joined, memory_order_acquire) != fork)
            weft_hand_pause();
    }
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
