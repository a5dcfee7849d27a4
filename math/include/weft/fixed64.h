/// Q32.32 fixed-point numbers, for state that needs more range or finer steps than Q16.16.
///
/// A value is raw / 2^32, from -2^31 to 2^31 - 2^-32. As in fixed.h, every operation is a pure
/// function, saturates, and is correctly rounded, ties to even, unless its comment says otherwise.
#pragma once

#include "weft/fixed.h"

#ifdef __cplusplus
extern "C" {
#endif

/// One Q32.32 number. A struct, so that `a * b` does not compile by accident.
typedef struct weft_fixed64 {
    int64_t raw; ///< the value times 2^32
} weft_fixed64;

#ifdef __cplusplus
}
#endif
