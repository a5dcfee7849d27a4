// error: array Broken.parts has more than 4096 bytes
#include <weft/type.h>

WEFT_COMPONENT(Inner, (int64_t, value));
WEFT_COMPONENT(Broken, (nested_array, Inner, parts, 513));
