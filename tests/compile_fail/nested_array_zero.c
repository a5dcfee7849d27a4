// error: array Broken.parts has 0 elements
#include <weft/type.h>

WEFT_COMPONENT(Inner, (int32_t, value));
WEFT_COMPONENT(Broken, (int32_t, at), (nested_array, Inner, parts, 0));
