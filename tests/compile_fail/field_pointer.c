// error: field Broken.next has type void* | use weft_entity or an index
#include <weft/type.h>

WEFT_COMPONENT(Broken, (int64_t, at), (void*, next));
