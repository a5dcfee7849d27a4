// error: field Broken.cells has type long | width differs between machines; use int8_t to uint64_t
#include <weft/type.h>

WEFT_COMPONENT(Broken, (array, long, cells, 4));
