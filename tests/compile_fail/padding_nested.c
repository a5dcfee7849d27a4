// error: struct Inner has padding | fill gaps with named fields
#include <weft/type.h>

WEFT_COMPONENT(Inner, (int32_t, value), (bool, set));
WEFT_COMPONENT(Broken, (nested_array, Inner, parts, 2));
