// error: struct Broken has padding | fill gaps with named fields
#include <weft/type.h>

WEFT_COMPONENT(Inner, (int32_t, value), (int32_t, set));
WEFT_COMPONENT(Broken, (uint8_t, first), (nested, Inner, inner));
