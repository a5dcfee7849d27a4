// error: array Broken.cells has 0 elements | at least one
#include <weft/type.h>

WEFT_COMPONENT(Broken, (int32_t, at), (array, int32_t, cells, 0));
