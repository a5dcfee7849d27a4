// error: field Broken.letter has type signed char | width differs between machines; use int8_t to
// uint64_t
#include <weft/type.h>

WEFT_COMPONENT(Broken, (signed char, letter));
