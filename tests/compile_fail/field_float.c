// error: field Broken.speed has type float | use int8_t to uint64_t, weft_fixed
#include <weft/type.h>

WEFT_COMPONENT(Broken, (int32_t, at), (float, speed));
