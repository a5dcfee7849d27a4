// error: field Broken.inner has type Inner | (nested, Type, field)
#include <weft/type.h>

WEFT_COMPONENT(Inner, (int32_t, value));
WEFT_COMPONENT(Broken, (Inner, inner));
