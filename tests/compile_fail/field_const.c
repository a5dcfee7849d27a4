// error: field Broken.value has type const int32_t | a plain type without qualifiers
#include <weft/type.h>

WEFT_COMPONENT(Broken, (const int32_t, value));
