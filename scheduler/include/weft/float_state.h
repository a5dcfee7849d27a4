/// The floating-point state of the calling thread, for programs that load code of others.
///
/// Weft computes with rounding to nearest and denormals kept (C9). It pins both in every worker and
/// in the caller of a tick, and fails the tick of a system that changes them. Loading a library
/// that is linked with -ffast-math changes them for the thread that loads it: look here afterwards.
#pragma once

#include <weft/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Pins the calling thread's state. Returns the state before, for weft_float_state_restore().
WEFT_API uint64_t weft_float_state_pin(void);

/// Puts back what weft_float_state_pin() returned on this thread.
WEFT_API void weft_float_state_restore(uint64_t state);

/// What is wrong with the calling thread's state ("denormal numbers are switched off"); null if it
/// is as pinned, and on machines where Weft cannot tell (other than x86 with SSE, aarch64, riscv64
/// and s390x).
WEFT_API const char* weft_float_state_fault(void);

#ifdef __cplusplus
}
#endif
