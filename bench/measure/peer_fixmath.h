/// libfixmath's Q16.16 functions, as loops over arrays: what weft_fixed is compared with.
///
/// The library is optional. Only the program is linked with it, so weft_main, which is installed,
/// has the body without it.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// The operations of the measurement `numbers`, in its order.
typedef enum weft_number_operation {
    WEFT_NUMBER_MUL,
    WEFT_NUMBER_DIV,
    WEFT_NUMBER_SQRT,
    WEFT_NUMBER_SIN,
    WEFT_NUMBER_COS,
    WEFT_NUMBER_ATAN2,
    WEFT_NUMBER_EXP,
    WEFT_NUMBER_LOG,
    WEFT_NUMBER_OPERATIONS
} weft_number_operation;

/// Raw values in, raw values out; `b` is read by operations of two numbers.
typedef void weft_number_loop(const int32_t* a, const int32_t* b, int32_t* out, size_t count);

/// One loop for each operation; null where the library is not there.
extern weft_number_loop* const weft_peer_fixmath[WEFT_NUMBER_OPERATIONS];
