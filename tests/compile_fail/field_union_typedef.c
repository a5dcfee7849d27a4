// error: field Broken.either has type Either | which state may not hold
#include <weft/type.h>

typedef union Either {
    int32_t number;
    uint32_t bits;
} Either;

WEFT_COMPONENT(Broken, (Either, either));
