// error: field Broken.mood has type Missing | declare it by WEFT_ENUM(Missing, uint8_t, ...) above
// Broken
#include <weft/type.h>

WEFT_COMPONENT(Broken, (enumerated, Missing, mood));
