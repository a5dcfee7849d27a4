// error: struct Broken has padding | fill gaps with named fields
#include <weft/type.h>

WEFT_RESOURCE(Broken, (weft_entity, owner), (int16_t, kind));
