/// Atomic words whose memory order is part of the operation's name.
///
/// The only header of the framework with atomic operations. Two bodies give the same interface:
/// Concurrency Kit by default, C11 when WEFT_ATOMICS_C11 is defined (for ThreadSanitizer, which
/// does not see through inline assembly, and for cross builds). A word has no address-dependent
/// state, so it may lie in memory that several processes share.
///
/// For N in 32, 64 and a word of type weft__atomic_uN the operations are weft__atomic_uN_...
///
///   - load_relaxed(word): the value, without order
///   - load_acquire(word): the value; later accesses stay later
///   - store_relaxed(word, value): sets, without order
///   - store_release(word, value): sets; earlier accesses stay earlier
///   - fetch_add_acq_rel(word, value): adds, returns the value before
///   - fetch_sub_acq_rel(word, value): subtracts, returns the value before
///   - exchange_acq_rel(word, value): sets, returns the value before
///   - compare_exchange_acq_rel(word, &expected, desired): sets the word to `desired` if it holds
///     `expected` and returns whether it did; else `expected` becomes what the word held
///
/// and weft__atomic_fence_seq_cst(), weft__cpu_relax(). A word that is all zero bytes holds 0.
#pragma once

#include <weft/base.h>

#include <stdbool.h>
#include <stdint.h>

/// Two lines of 64 bytes: the adjacent-line prefetcher of x86 and the 128-byte lines of some
/// aarch64 and POWER machines make 64 too few to keep two writers apart.
#define WEFT_CACHE_LINE 128

/// Aligns a variable, a member or a type to WEFT_CACHE_LINE.
#define WEFT_CACHE_ALIGNED __attribute__((aligned(WEFT_CACHE_LINE)))

#ifdef WEFT_ATOMICS_C11

#include <stdatomic.h>

/// A 32-bit atomic word.
typedef struct weft__atomic_u32 {
    _Atomic uint32_t value;
} weft__atomic_u32;

/// A 64-bit atomic word.
typedef struct weft__atomic_u64 {
    _Atomic uint64_t value;
} weft__atomic_u64;

/// The operations on words of `bits` bits; see the top of the file.
#define WEFT__ATOMIC_OPERATIONS(bits)                                                              \
    static inline uint##bits##_t weft__atomic_u##bits##_load_relaxed(                              \
        const weft__atomic_u##bits* word) {                                                        \
        return atomic_load_explicit(&word->value, memory_order_relaxed);                           \
    }                                                                                              \
    static inline uint##bits##_t weft__atomic_u##bits##_load_acquire(                              \
        const weft__atomic_u##bits* word) {                                                        \
        return atomic_load_explicit(&word->value, memory_order_acquire);                           \
    }                                                                                              \
    static inline void weft__atomic_u##bits##_store_relaxed(weft__atomic_u##bits* word,            \
                                                            uint##bits##_t value) {                \
        atomic_store_explicit(&word->value, value, memory_order_relaxed);                          \
    }                                                                                              \
    static inline void weft__atomic_u##bits##_store_release(weft__atomic_u##bits* word,            \
                                                            uint##bits##_t value) {                \
        atomic_store_explicit(&word->value, value, memory_order_release);                          \
    }                                                                                              \
    static inline uint##bits##_t weft__atomic_u##bits##_fetch_add_acq_rel(                         \
        weft__atomic_u##bits* word, uint##bits##_t value) {                                        \
        return atomic_fetch_add_explicit(&word->value, value, memory_order_acq_rel);               \
    }                                                                                              \
    static inline uint##bits##_t weft__atomic_u##bits##_fetch_sub_acq_rel(                         \
        weft__atomic_u##bits* word, uint##bits##_t value) {                                        \
        return atomic_fetch_sub_explicit(&word->value, value, memory_order_acq_rel);               \
    }                                                                                              \
    static inline uint##bits##_t weft__atomic_u##bits##_exchange_acq_rel(                          \
        weft__atomic_u##bits* word, uint##bits##_t value) {                                        \
        return atomic_exchange_explicit(&word->value, value, memory_order_acq_rel);                \
    }                                                                                              \
    static inline bool weft__atomic_u##bits##_compare_exchange_acq_rel(                            \
        weft__atomic_u##bits* word, uint##bits##_t* expected, uint##bits##_t desired) {            \
        return atomic_compare_exchange_strong_explicit(                                            \
            &word->value, expected, desired, memory_order_acq_rel, memory_order_acquire);          \
    }

// ThreadSanitizer does not model fences, and gcc says so as a warning. What it cannot see is only
// the store-load order between two words; every happens-before edge that data relies on here goes
// through an acquire load of a released word, which it does see.
#if defined(__SANITIZE_THREAD__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wtsan"
#endif
/// Orders every access before it against every access after it, store before load included.
static inline void weft__atomic_fence_seq_cst(void) {
    atomic_thread_fence(memory_order_seq_cst);
}
#if defined(__SANITIZE_THREAD__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

/// Tells the CPU that it is in a waiting loop. Never gives the CPU away.
static inline void weft__cpu_relax(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
    __asm__ __volatile__("yield" ::: "memory");
#else
    atomic_signal_fence(memory_order_seq_cst);
#endif
}

#else // Concurrency Kit

#include <ck_pr.h>

/// A 32-bit atomic word.
typedef struct weft__atomic_u32 {
    uint32_t value;
} weft__atomic_u32;

/// A 64-bit atomic word.
typedef struct weft__atomic_u64 {
    uint64_t value;
} weft__atomic_u64;

/// The operations on words of `bits` bits; see the top of the file. Where the machine is strongly
/// ordered the acquire and release fences are compiler barriers only.
#define WEFT__ATOMIC_OPERATIONS(bits)                                                              \
    static inline uint##bits##_t weft__atomic_u##bits##_load_relaxed(                              \
        const weft__atomic_u##bits* word) {                                                        \
        return ck_pr_load_##bits(&word->value);                                                    \
    }                                                                                              \
    static inline uint##bits##_t weft__atomic_u##bits##_load_acquire(                              \
        const weft__atomic_u##bits* word) {                                                        \
        uint##bits##_t value = ck_pr_load_##bits(&word->value);                                    \
        ck_pr_fence_acquire();                                                                     \
        return value;                                                                              \
    }                                                                                              \
    static inline void weft__atomic_u##bits##_store_relaxed(weft__atomic_u##bits* word,            \
                                                            uint##bits##_t value) {                \
        ck_pr_store_##bits(&word->value, value);                                                   \
    }                                                                                              \
    static inline void weft__atomic_u##bits##_store_release(weft__atomic_u##bits* word,            \
                                                            uint##bits##_t value) {                \
        ck_pr_fence_release();                                                                     \
        ck_pr_store_##bits(&word->value, value);                                                   \
    }                                                                                              \
    static inline uint##bits##_t weft__atomic_u##bits##_fetch_add_acq_rel(                         \
        weft__atomic_u##bits* word, uint##bits##_t value) {                                        \
        ck_pr_fence_release();                                                                     \
        uint##bits##_t before = ck_pr_faa_##bits(&word->value, value);                             \
        ck_pr_fence_acquire();                                                                     \
        return before;                                                                             \
    }                                                                                              \
    static inline uint##bits##_t weft__atomic_u##bits##_fetch_sub_acq_rel(                         \
        weft__atomic_u##bits* word, uint##bits##_t value) {                                        \
        return weft__atomic_u##bits##_fetch_add_acq_rel(word, (uint##bits##_t)0 - value);          \
    }                                                                                              \
    static inline uint##bits##_t weft__atomic_u##bits##_exchange_acq_rel(                          \
        weft__atomic_u##bits* word, uint##bits##_t value) {                                        \
        ck_pr_fence_release();                                                                     \
        uint##bits##_t before = ck_pr_fas_##bits(&word->value, value);                             \
        ck_pr_fence_acquire();                                                                     \
        return before;                                                                             \
    }                                                                                              \
    static inline bool weft__atomic_u##bits##_compare_exchange_acq_rel(                            \
        weft__atomic_u##bits* word, uint##bits##_t* expected, uint##bits##_t desired) {            \
        ck_pr_fence_release();                                                                     \
        bool done = ck_pr_cas_##bits##_value(&word->value, *expected, desired, expected);          \
        ck_pr_fence_acquire();                                                                     \
        return done;                                                                               \
    }

/// Orders every access before it against every access after it, store before load included.
static inline void weft__atomic_fence_seq_cst(void) {
    ck_pr_fence_strict_memory();
}

/// Tells the CPU that it is in a waiting loop. Never gives the CPU away.
static inline void weft__cpu_relax(void) {
    ck_pr_stall();
}

#endif

WEFT__ATOMIC_OPERATIONS(32)
WEFT__ATOMIC_OPERATIONS(64)

#undef WEFT__ATOMIC_OPERATIONS
