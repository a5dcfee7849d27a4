/// The floating-point control bits of a thread: round to nearest, denormals kept (C9).
///
/// Code linked with -ffast-math changes them for the thread that loads it, and threads started
/// later inherit them. So every worker sets them, and they are looked at after every task.
#pragma once

#include <weft/base.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__SSE__)
#include <xmmintrin.h>
#endif

// The pinned bits are all zero in the control word. What arithmetic raises on its own (sticky
// exception flags) is not among them.
#if defined(__SSE__) // MXCSR: flush to zero, denormals are zero, rounding.
#define WEFT__FLOAT_PINNED_BITS UINT64_C(0xE040)
static inline uint64_t weft__float_control_read(void) {
    return _mm_getcsr();
}
static inline void weft__float_control_write(uint64_t control) {
    _mm_setcsr((uint32_t)control);
}
#elif defined(__aarch64__) // FPCR: flush to zero (both), default NaN, rounding, alternate handling.
#define WEFT__FLOAT_PINNED_BITS UINT64_C(0x07C80003)
static inline uint64_t weft__float_control_read(void) {
    uint64_t control;
    __asm__ __volatile__("mrs %0, fpcr" : "=r"(control));
    return control;
}
static inline void weft__float_control_write(uint64_t control) {
    __asm__ __volatile__("msr fpcr, %0" ::"r"(control) : "memory");
}
#elif defined(__riscv_flen) // fcsr: rounding. It has no flushing.
#define WEFT__FLOAT_PINNED_BITS UINT64_C(0xE0)
static inline uint64_t weft__float_control_read(void) {
    unsigned long control;
    __asm__ __volatile__("frcsr %0" : "=r"(control));
    return control;
}
static inline void weft__float_control_write(uint64_t control) {
    __asm__ __volatile__("fscsr %0" ::"r"((unsigned long)control) : "memory");
}
#elif defined(__s390x__) // fpc: rounding. It has no flushing.
#define WEFT__FLOAT_PINNED_BITS UINT64_C(0x7)
static inline uint64_t weft__float_control_read(void) {
    uint32_t control;
    __asm__ __volatile__("efpc %0" : "=d"(control));
    return control;
}
static inline void weft__float_control_write(uint64_t control) {
    __asm__ __volatile__("sfpc %0" ::"d"((uint32_t)control) : "memory");
}
#else // Unknown machines are not checked.
#define WEFT__FLOAT_PINNED_BITS UINT64_C(0)
static inline uint64_t weft__float_control_read(void) {
    return 0;
}
static inline void weft__float_control_write(uint64_t control) {
    (void)control;
}
#endif

/// Whether the calling thread's control bits are the pinned ones. This stands behind every task.
#if defined(__SSE2__) // By what they do: to read the word takes six times as long as this sum.
static inline bool weft__float_state_is_pinned(void) {
    // Each way to spoil the state shows in some lane: a denormal number that becomes 0; a tie that
    // is rounded up; three quarters of a unit that are rounded down; a tie that is rounded away
    // from 0 below it.
    static const uint32_t left_bits[4] = {0x00000001, 0x3f800000, 0x3f800000, 0xbf800000};
    static const uint32_t right_bits[4] = {0x00000000, 0x33800000, 0x33c00000, 0xb3800000};
    static const uint32_t sum_bits[4] = {0x00000001, 0x3f800000, 0x3f800001, 0xbf800000};
    __m128 left = _mm_castsi128_ps(_mm_loadu_si128((const __m128i*)(const void*)left_bits));
    __m128 right = _mm_castsi128_ps(_mm_loadu_si128((const __m128i*)(const void*)right_bits));
    __asm__ __volatile__("" : "+x"(left)); // Not a sum that the compiler may do.
    __m128i sum = _mm_castps_si128(_mm_add_ps(left, right));
    __m128i wanted = _mm_loadu_si128((const __m128i*)(const void*)sum_bits);
    return _mm_movemask_epi8(_mm_cmpeq_epi32(sum, wanted)) == 0xffff;
}
#else
static inline bool weft__float_state_is_pinned(void) {
    return (weft__float_control_read() & WEFT__FLOAT_PINNED_BITS) == 0;
}
#endif

/// Pins the calling thread's control bits. Returns the word before, for
/// weft__float_control_write().
static inline uint64_t weft__float_state_pin(void) {
    uint64_t before = weft__float_control_read();
    if ((before & WEFT__FLOAT_PINNED_BITS) != 0)
        weft__float_control_write(before & ~WEFT__FLOAT_PINNED_BITS);
    WEFT_CHECK(weft__float_state_is_pinned());
    return before;
}
