// error: field Broken.inner has type struct inner | use int8_t to uint64_t
#include <weft/type.h>

struct inner {
    int32_t value;
};

WEFT_COMPONENT(Broken, (struct inner, inner));
