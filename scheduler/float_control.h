/// The floating-point control bits of a thread: round to nearest, denormals kept (C9).
///
/// Code linked with -ffast-math changes them for the thread that loads it, and threads started
/// later inherit them. So every worker sets them, and they are looked at after every task.
#pragma once

#include <weft/base.h>

#if defined(__SSE__)
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

/// Whether the calling thread's control bits are the pinned ones.
static inline bool weft__float_state_is_pinned(void) {
    return (weft__float_control_read() & WEFT__FLOAT_PINNED_BITS) == 0;
}

/// Pins the calling thread's control bits. Returns the word before, for
/// weft__float_control_write().
static inline uint64_t weft__float_state_pin(void) {
    uint64_t before = weft__float_control_read();
    if ((before & WEFT__FLOAT_PINNED_BITS) != 0)
        weft__float_control_write(before & ~WEFT__FLOAT_PINNED_BITS);
    WEFT_CHECK(weft__float_state_is_pinned());
    return before;
}
