// error: array Broken.cells has -1 elements | at least one
#include <weft/type.h>

WEFT_COMPONENT(Broken, (array, int32_t, cells, -1));
