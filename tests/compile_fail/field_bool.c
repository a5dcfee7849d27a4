// error: field Broken.open has type | use int8_t to uint64_t
#include <weft/type.h>

WEFT_COMPONENT(Broken, (bool, open));
