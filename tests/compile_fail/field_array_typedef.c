// error: field Broken.cells has type four | (array, type, field, count)
#include <weft/type.h>

typedef int32_t four[4];

WEFT_COMPONENT(Broken, (four, cells));
