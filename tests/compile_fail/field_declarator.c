// error: field Broken.cells[4] is more than a name | (array, type, field, count)
#include <weft/type.h>

WEFT_COMPONENT(Broken, (int32_t, cells[4]));
