// error: field Broken.inner nests Inner | declare it by WEFT_COMPONENT above Broken
#include <weft/type.h>

typedef struct Inner {
    int32_t value;
} Inner;

WEFT_COMPONENT(Broken, (nested, Inner, inner));
