/// Small integer helpers for the layers above. Pure functions, callable from any thread.
#pragma once

#include "weft/base.h"

// Sanitizers are not set up yet when the loader asks which version to take, and clang 14 gives the
// versions names that other files do not find.
#if defined(__x86_64__) && defined(__OPTIMIZE__) && defined(__gnu_linux__) &&                      \
    !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/// A function of integer loops, compiled for wide vectors too and chosen when the program starts.
#define WEFT__WIDE __attribute__((target_clones("avx512f", "avx2", "default")))
/// The same for short copies to any address: vectors of a whole line nearly always cross one.
#define WEFT__HALF_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WEFT__WIDE
#define WEFT__HALF_WIDE
#endif

/// For parts of a WEFT__WIDE function, and for functions that only prefetch: gcc takes a call of
/// such a function for one without effect and drops it.
#define WEFT__INLINE inline __attribute__((always_inline))

/// The number of zero bits below the lowest set one. word is not 0.
static inline unsigned weft__ctz64(uint64_t word) {
    WEFT_CHECK(word != 0);
    return (unsigned)__builtin_ctzll(word);
}

/// The number of set bits, 0..64. In steps that compilers know for what they are where the machine
/// has an instruction; where it has none __builtin_popcountll() is a call.
static inline unsigned weft__popcount64(uint64_t word) {
    word -= word >> 1 & 0x5555555555555555u;
    word = (word & 0x3333333333333333u) + (word >> 2 & 0x3333333333333333u);
    word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (unsigned)(word * 0x0101010101010101u >> 56);
}

/// Whether the number is a power of two; 0 is not.
static inline bool weft__is_pow2(uint64_t number) {
    return number != 0 && (number & (number - 1)) == 0;
}

/// The smallest k with 2^k >= number, 0..64; 0 for 0 and 1.
static inline unsigned weft__ceil_log2(uint64_t number) {
    return number <= 1 ? 0u : 64u - (unsigned)__builtin_clzll(number - 1);
}

/// The smallest multiple of `alignment` (a power of two) that is >= size. The caller knows that it
/// fits size_t.
static inline size_t weft__align_up(size_t size, size_t alignment) {
    WEFT_CHECK(weft__is_pow2(alignment));
    WEFT_CHECK(size <= SIZE_MAX - (alignment - 1));
    return (size + (alignment - 1)) & ~(alignment - 1);
}

/// a * b into out. False when it does not fit; out then holds no meaningful value.
static inline WEFT_NODISCARD bool weft__size_mul(size_t a, size_t b, size_t* out) {
    return !__builtin_mul_overflow(a, b, out);
}

/// a + b into out. False when it does not fit; out then holds no meaningful value.
static inline WEFT_NODISCARD bool weft__size_add(size_t a, size_t b, size_t* out) {
    return !__builtin_add_overflow(a, b, out);
}
