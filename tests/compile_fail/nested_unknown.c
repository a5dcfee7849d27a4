// error: field Broken.inner nests Missing | declare it by WEFT_COMPONENT above Broken
#include <weft/type.h>

WEFT_COMPONENT(Broken, (nested, Missing, inner));
