// error: field Broken.speed has type double | weft_fixed
#include <weft/type.h>

WEFT_MESSAGE(Broken, (double, speed));
