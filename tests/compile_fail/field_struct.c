// error: field Broken.inner has type struct inner | declare it by WEFT_COMPONENT and write (nested,
// Type, field)
#include <weft/type.h>

struct inner {
    int32_t value;
};

WEFT_COMPONENT(Broken, (struct inner, inner));
