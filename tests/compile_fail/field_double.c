// error: field Broken.speed has type double | use int8_t to uint64_t, weft_fixed
#include <weft/type.h>

WEFT_COMPONENT(Broken, (int64_t, at), (double, speed));
