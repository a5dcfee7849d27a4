// error: struct Broken has padding | fill gaps with named fields
#include <weft/type.h>

WEFT_COMPONENT(Broken, (int64_t, at), (int8_t, kind));
