// error: field Broken.flags : 3 is a bit-field | use bool, or one integer with masks
#include <weft/type.h>

WEFT_COMPONENT(Broken, (uint32_t, flags : 3), (uint32_t, rest : 29));
