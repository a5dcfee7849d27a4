// error: array Broken.cells has more than 4096 bytes | a resource of many values
#include <weft/type.h>

WEFT_COMPONENT(Broken, (array, int32_t, cells, 1025));
