// error: field Broken.letter has type char | use int8_t to uint64_t
#include <weft/type.h>

WEFT_COMPONENT(Broken, (char, letter));
