// error: field Broken.parts nests Missing | declare it by WEFT_COMPONENT above Broken
#include <weft/type.h>

WEFT_COMPONENT(Broken, (nested_array, Missing, parts, 2));
