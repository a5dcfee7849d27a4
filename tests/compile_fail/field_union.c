// error: field Broken.either has type union either | a union | a field for each alternative
#include <weft/type.h>

union either {
    int32_t number;
    uint32_t bits;
};

WEFT_COMPONENT(Broken, (union either, either));
