// error: field Broken.parts has type Inner | (nested_array, Type, field, count)
#include <weft/type.h>

WEFT_COMPONENT(Inner, (int32_t, value));
WEFT_COMPONENT(Broken, (array, Inner, parts, 4));
