// error: field Broken.next has type int32_t* | a pointer or an array | use weft_entity
#include <weft/type.h>

WEFT_COMPONENT(Broken, (int32_t*, next));
