#include "float_control.h"

#include <weft/float_state.h>

#if defined(__SSE__)
#define FLUSHING UINT64_C(0x8040)
#elif defined(__aarch64__)
#define FLUSHING UINT64_C(0x01080000)
#else
#define FLUSHING UINT64_C(0)
#endif

uint64_t weft_float_state_pin(void) {
    return weft__float_state_pin();
}

void weft_float_state_restore(uint64_t state) {
    weft__float_control_write(state);
}

const char* weft_float_state_fault(void) {
    uint64_t control = weft__float_control_read() & WEFT__FLOAT_PINNED_BITS;
    if (control == 0)
        return NULL;
    return (control & FLUSHING) != 0 ? "denormal numbers are switched off" : "rounding is changed";
}
