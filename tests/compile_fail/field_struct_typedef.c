// error: field Broken.inner has type Inner | one of WEFT_COMPONENT as (nested, Type, field)
#include <weft/type.h>

typedef struct Inner {
    int32_t value;
} Inner;

WEFT_COMPONENT(Broken, (Inner, inner));
