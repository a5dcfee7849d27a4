// error: field Broken.speed has type long double | use int8_t to uint64_t, weft_fixed
#include <weft/type.h>

WEFT_COMPONENT(Broken, (long double, speed));
