// error: field Broken.speed has type double | use weft_fixed, weft_fixed64, or float
#include <weft/type.h>

WEFT_COMPONENT(Broken, (double, speed));
