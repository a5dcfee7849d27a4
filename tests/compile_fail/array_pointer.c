// error: field Broken.links has type int32_t* | use weft_entity
#include <weft/type.h>

WEFT_COMPONENT(Broken, (array, int32_t*, links, 4));
