// error: struct Broken has more than 4096 bytes | use several components
#include <weft/type.h>

WEFT_COMPONENT(Broken, (array, int32_t, a, 1000), (array, int32_t, b, 25));
