// error: field Broken.next has type void* | weft_entity
#include <weft/type.h>

WEFT_COMPONENT(Broken, (int64_t, at), (void*, next));
