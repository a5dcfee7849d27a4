#include "peer_fixmath.h"

#include <libfixmath/fix16.h>

#define LOOP_ONE(name)                                                                             \
    static void loop_##name(const int32_t* a, const int32_t* b, int32_t* out, size_t count) {      \
        (void)b;                                                                                   \
        for (size_t i = 0; i < count; ++i)                                                         \
            out[i] = fix16_##name(a[i]);                                                           \
    }

#define LOOP_TWO(name)                                                                             \
    static void loop_##name(const int32_t* a, const int32_t* b, int32_t* out, size_t count) {      \
        for (size_t i = 0; i < count; ++i)                                                         \
            out[i] = fix16_##name(a[i], b[i]);                                                     \
    }

// Saturating, as ours are.
LOOP_TWO(smul)
LOOP_TWO(sdiv)
LOOP_ONE(sqrt)
LOOP_ONE(sin)
LOOP_ONE(cos)
LOOP_TWO(atan2)
LOOP_ONE(exp)
LOOP_ONE(log)

weft_number_loop* const weft_peer_fixmath[WEFT_NUMBER_OPERATIONS] = {
    loop_smul, loop_sdiv, loop_sqrt, loop_sin, loop_cos, loop_atan2, loop_exp, loop_log,
};
