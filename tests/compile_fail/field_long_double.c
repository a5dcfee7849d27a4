// error: field Broken.speed has type long double | for long double weft_fixed64
#include <weft/type.h>

WEFT_COMPONENT(Broken, (long double, speed));
