// error: struct Broken has padding | order its fields from wide to narrow
#include <weft/type.h>

WEFT_COMPONENT(Broken, (int8_t, kind), (int64_t, at));
