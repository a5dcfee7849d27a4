#define _GNU_SOURCE // syscall

#include "bounds.h"

#include <linux/futex.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <weft/memory.h>

#include "kernel.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

// Streams ----------------------------------------------------------------------------------------

const char* const weft_traffic_names[WEFT_TRAFFIC_KINDS] = {
    "read",
    "read in four places",
    "copy",
    "triad",
    "update",
    "copy, stores past the cache",
    "triad, stores past the cache",
    "update, stores past the cache",
};

double weft_traffic_bytes(weft_traffic_kind kind) {
    static const double bytes[WEFT_TRAFFIC_KINDS] = {8, 8, 16, 24, 24, 16, 24, 24};
    return bytes[kind];
}

WEFT_KERNEL static uint64_t read_all(const uint64_t* a, size_t count) {
    uint64_t sum = 0;
    for (size_t i = 0; i < count; ++i)
        sum += a[i];
    return sum;
}

// One line of eight numbers: left to itself the compiler mixes lines, which costs more than memory.
typedef uint64_t line_of_eight __attribute__((vector_size(64), may_alias));

WEFT_KERNEL static uint64_t read_four(const uint64_t* a, size_t count) {
    const line_of_eight* at = (const line_of_eight*)(const void*)a;
    line_of_eight sum[4] = {{0}};
    size_t part = count / 32;
    for (size_t i = 0; i < part; ++i) {
        for (size_t k = 0; k < 4; ++k)
            sum[k] += at[k * part + i];
    }
    line_of_eight all = sum[0] + sum[1] + sum[2] + sum[3];
    return all[0] + all[7] + read_all(a + part * 32, count - part * 32);
}

// Not by memcpy, which goes past the cache or not as it likes.
WEFT_KERNEL static void copy(uint64_t* restrict a, const uint64_t* restrict b, size_t count) {
    for (size_t i = 0; i < count; ++i)
        a[i] = b[i] ^ 1;
}

WEFT_KERNEL static void triad(uint64_t* restrict a, const uint64_t* restrict b,
                              const uint64_t* restrict c, size_t count) {
    for (size_t i = 0; i < count; ++i)
        a[i] = b[i] + 3 * c[i];
}

WEFT_KERNEL static void update(uint64_t* restrict a, const uint64_t* restrict b, size_t count) {
    for (size_t i = 0; i < count; ++i)
        a[i] += 3 * b[i];
}

#if defined(__SSE2__)

bool weft_traffic_can_bypass(void) {
    return true;
}

static __m128i load(const uint64_t* at) {
    return _mm_load_si128((const __m128i*)(const void*)at);
}

static void store_past(uint64_t* at, __m128i value) {
    _mm_stream_si128((__m128i*)(void*)at, value);
}

static __m128i thrice(__m128i value) {
    return _mm_add_epi64(value, _mm_slli_epi64(value, 1));
}

static void copy_past(uint64_t* a, const uint64_t* b, size_t count) {
    for (size_t i = 0; i < count; i += 2)
        store_past(a + i, load(b + i));
    _mm_sfence();
}

// Also the update, whose first term is the array that it stores to.
static void triad_past(uint64_t* a, const uint64_t* b, const uint64_t* c, size_t count) {
    for (size_t i = 0; i < count; i += 2)
        store_past(a + i, _mm_add_epi64(load(b + i), thrice(load(c + i))));
    _mm_sfence();
}

#else

bool weft_traffic_can_bypass(void) {
    return false;
}

static void copy_past(uint64_t* a, const uint64_t* b, size_t count) {
    copy(a, b, count);
}

static void triad_past(uint64_t* a, const uint64_t* b, const uint64_t* c, size_t count) {
    for (size_t i = 0; i < count; ++i)
        a[i] = b[i] + 3 * c[i];
}

#endif

static void sweep(const weft_traffic* stream, weft_traffic_kind kind, size_t first, size_t count) {
    uint64_t* a = stream->array[0] + first;
    uint64_t* b = stream->array[1] + first;
    uint64_t* c = stream->array[2] + first;
    switch (kind) {
    case WEFT_TRAFFIC_READ:
        if (read_all(a, count) == UINT64_MAX) // The sum is used, or there would be no loop.
            a[0] = 0;
        break;
    case WEFT_TRAFFIC_READ_FOUR:
        if (read_four(a, count) == UINT64_MAX)
            a[0] = 0;
        break;
    case WEFT_TRAFFIC_COPY:
        copy(a, b, count);
        break;
    case WEFT_TRAFFIC_TRIAD:
        triad(a, b, c, count);
        break;
    case WEFT_TRAFFIC_UPDATE:
        update(a, b, count);
        break;
    case WEFT_TRAFFIC_COPY_PAST:
        copy_past(a, b, count);
        break;
    case WEFT_TRAFFIC_TRIAD_PAST:
        triad_past(a, b, c, count);
        break;
    case WEFT_TRAFFIC_UPDATE_PAST:
        triad_past(a, a, b, count);
        break;
    case WEFT_TRAFFIC_KINDS:
        break;
    }
}

// Parts begin on a line.
static size_t part_begin(size_t count, uint32_t index, uint32_t parts) {
    return index == parts ? count : count * index / parts / 8 * 8;
}

void weft_traffic_part(void* stream_work, uint32_t index, uint32_t count) {
    const weft_traffic_work* work = stream_work;
    const weft_traffic* stream = work->stream;
    size_t first = part_begin(stream->count, index, count);
    size_t end = part_begin(stream->count, index + 1, count);
    for (uint32_t i = 0; i < work->times; ++i)
        sweep(stream, work->kind, first, end - first);
}

static void fill_part(void* context, uint32_t index, uint32_t count) {
    const weft_traffic* stream = context;
    size_t end = part_begin(stream->count, index + 1, count);
    for (int k = 0; k < 3; ++k) {
        for (size_t i = part_begin(stream->count, index, count); i < end; ++i)
            stream->array[k][i] = i;
    }
}

weft_status weft_traffic_open(weft_traffic* stream, weft_hand* hand, uint32_t array_count,
                              size_t bytes) {
    WEFT_ASSERT(array_count >= 1 && array_count <= 3);
    bytes = (bytes + 4095) / 4096 * 4096;
    weft_memory memory = weft_memory_system();
    *stream = (weft_traffic){.count = bytes / 8, .segment_size = bytes * array_count};
    stream->segment = memory.acquire(memory.context, stream->segment_size);
    if (!stream->segment)
        return WEFT_STATUS_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < 3; ++i) {
        uint32_t place = i < array_count ? i : 0; // Those that are not there are never used.
        stream->array[i] = (uint64_t*)stream->segment + place * stream->count;
    }
    if (!hand) {
        fill_part(stream, 0, 1);
        return WEFT_STATUS_OK;
    }
    weft_hand_wake(hand);
    weft_hand_fork(hand, fill_part, stream);
    weft_hand_park(hand);
    return WEFT_STATUS_OK;
}

void weft_traffic_close(weft_traffic* stream) {
    weft_memory memory = weft_memory_system();
    if (stream->segment)
        memory.release(memory.context, stream->segment, stream->segment_size);
    *stream = (weft_traffic){.count = 0};
}

weft_series weft_series_rate(const weft_series* ns_per_byte) {
    weft_series rate = {.disturbed = ns_per_byte->disturbed};
    for (uint32_t i = 0; i < ns_per_byte->count; ++i)
        weft_series_add(&rate, 1 / ns_per_byte->value[i]);
    return rate;
}

// Barriers ---------------------------------------------------------------------------------------

void weft_barrier_part(void* barrier, uint32_t index, uint32_t count) {
    weft_barrier* shared = barrier;
    (void)index;
    for (uint64_t i = 0; i < shared->rounds; ++i) {
        uint_fast32_t round = atomic_load_explicit(&shared->round, memory_order_relaxed);
        uint_fast32_t before = atomic_fetch_add_explicit(&shared->arrived, 1, memory_order_acq_rel);
        if (before + 1 == count) {
            atomic_store_explicit(&shared->arrived, 0, memory_order_relaxed);
            atomic_store_explicit(&shared->round, round + 1, memory_order_release);
            continue;
        }
        while (atomic_load_explicit(&shared->round, memory_order_acquire) == round)
            weft_hand_pause();
    }
}

// Sleepers ---------------------------------------------------------------------------------------

struct weft_sleeper {
    _Alignas(128) atomic_uint word;              // Calls so far; the sleeper waits for the next.
    _Alignas(128) atomic_uint ready;             // The call that the sleeper waits for.
    _Alignas(128) atomic_uint_fast64_t woken_at; // When it ran after the last one.
    atomic_bool stopped;
    const weft_topology* topology;
    uint32_t cpu;
    pthread_t thread;
};

static void* sleep_on(void* argument) {
    weft_sleeper* self = argument;
    (void)!weft_topology_pin_self(self->topology, self->cpu);
    for (unsigned call = 1; !atomic_load_explicit(&self->stopped, memory_order_acquire); ++call) {
        atomic_store_explicit(&self->ready, call, memory_order_release);
        while (atomic_load_explicit(&self->word, memory_order_acquire) != call)
            (void)syscall(SYS_futex, &self->word, FUTEX_WAIT_PRIVATE, call - 1, NULL, NULL, 0);
        atomic_store_explicit(&self->woken_at, weft_measure_now_ns(), memory_order_release);
    }
    return NULL;
}

weft_status weft_sleeper_create(const weft_topology* topology, uint32_t cpu, weft_sleeper** out) {
    *out = NULL;
    weft_sleeper* sleeper = aligned_alloc(128, sizeof(weft_sleeper));
    if (!sleeper)
        return WEFT_STATUS_OUT_OF_MEMORY;
    *sleeper = (weft_sleeper){.topology = topology, .cpu = cpu};
    if (pthread_create(&sleeper->thread, NULL, sleep_on, sleeper) != 0) {
        free(sleeper);
        return WEFT_STATUS_OS;
    }
    *out = sleeper;
    return WEFT_STATUS_OK;
}

static void call_sleeper(weft_sleeper* sleeper) {
    atomic_fetch_add_explicit(&sleeper->word, 1, memory_order_release);
    (void)syscall(SYS_futex, &sleeper->word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

void weft_sleeper_wake(weft_sleeper* sleeper, uint64_t idle_ns, double* until_run_out,
                       double* call_out) {
    unsigned next = atomic_load_explicit(&sleeper->word, memory_order_relaxed) + 1;
    while (atomic_load_explicit(&sleeper->ready, memory_order_acquire) != next)
        weft_hand_pause();
    uint64_t idle_until = weft_measure_now_ns() + idle_ns;
    while (weft_measure_now_ns() < idle_until)
        weft_hand_pause();
    atomic_store_explicit(&sleeper->woken_at, 0, memory_order_relaxed);
    uint64_t start = weft_measure_now_ns();
    call_sleeper(sleeper);
    uint64_t end = weft_measure_now_ns();
    uint64_t woken_at;
    while ((woken_at = atomic_load_explicit(&sleeper->woken_at, memory_order_acquire)) == 0)
        weft_hand_pause();
    *until_run_out = woken_at > start ? (double)(woken_at - start) : 1;
    *call_out = (double)(end - start);
}

void weft_sleeper_destroy(weft_sleeper* sleeper) {
    if (!sleeper)
        return;
    atomic_store_explicit(&sleeper->stopped, true, memory_order_release);
    call_sleeper(sleeper);
    pthread_join(sleeper->thread, NULL);
    free(sleeper);
}
