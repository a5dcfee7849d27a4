// error: field Broken.cells has type double | use weft_fixed
#include <weft/type.h>

WEFT_COMPONENT(Broken, (array, double, cells, 4));
