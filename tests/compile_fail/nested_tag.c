// error: field Broken.inner nests Mark | declare it by WEFT_COMPONENT above Broken
#include <weft/type.h>

WEFT_TAG(Mark);
WEFT_COMPONENT(Broken, (nested, Mark, inner));
