/// The interface of scheduler/atomics.h with a body that asks the checker. The build puts this in
/// the place of that header beside copies of the sources that are checked.
///
/// A word's memory holds nothing: its value and history are the checker's.
#pragma once

#include <weft/base.h>

#include "checker.h"

#define WEFT_CACHE_LINE 128
#define WEFT_CACHE_ALIGNED __attribute__((aligned(WEFT_CACHE_LINE)))

typedef struct weft__atomic_u32 {
    uint32_t unused;
} weft__atomic_u32;

typedef struct weft__atomic_u64 {
    uint64_t unused;
} weft__atomic_u64;

#define WEFT__ATOMIC_OPERATIONS(bits)                                                              \
    static inline uint##bits##_t weft__atomic_u##bits##_load_relaxed(                              \
        const weft__atomic_u##bits* word) {                                                        \
        return (uint##bits##_t)check_load(word, CHECK_RELAXED);                                    \
    }                                                                                              \
    static inline uint##bits##_t weft__atomic_u##bits##_load_acquire(                              \
        const weft__atomic_u##bits* word) {                                                        \
        return (uint##bits##_t)check_load(word, CHECK_ORDERED);                                    \
    }                                                                                              \
    static inline void weft__atomic_u##bits##_store_relaxed(weft__atomic_u##bits* word,            \
                                                            uint##bits##_t value) {                \
        check_store(word, value, CHECK_RELAXED);                                                   \
    }                                                                                              \
    static inline void weft__atomic_u##bits##_store_release(weft__atomic_u##bits* word,            \
                                                            uint##bits##_t value) {                \
        check_store(word, value, CHECK_ORDERED);                                                   \
    }                                                                                              \
    static inline uint##bits##_t weft__atomic_u##bits##_fetch_add_acq_rel(                         \
        weft__atomic_u##bits* word, uint##bits##_t value) {                                        \
        return (uint##bits##_t)check_add(word, value);                                             \
    }                                                                                              \
    static inline uint##bits##_t weft__atomic_u##bits##_fetch_sub_acq_rel(                         \
        weft__atomic_u##bits* word, uint##bits##_t value) {                                        \
        return (uint##bits##_t)check_add(word, UINT64_C(0) - value);                               \
    }                                                                                              \
    static inline bool weft__atomic_u##bits##_compare_exchange_acq_rel(                            \
        weft__atomic_u##bits* word, uint##bits##_t* expected, uint##bits##_t desired) {            \
        uint64_t held = *expected;                                                                 \
        bool done = check_compare_exchange(word, &held, desired);                                  \
        *expected = (uint##bits##_t)held;                                                          \
        return done;                                                                               \
    }

WEFT__ATOMIC_OPERATIONS(32)
WEFT__ATOMIC_OPERATIONS(64)

#undef WEFT__ATOMIC_OPERATIONS

static inline void weft__atomic_fence_seq_cst(void) {
    check_fence();
}

static inline void weft__cpu_relax(void) {
    check_relax();
}
