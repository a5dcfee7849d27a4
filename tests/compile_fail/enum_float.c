// error: enum Mood has type float | use int8_t to uint64_t
#include <weft/type.h>

WEFT_ENUM(Mood, float, CALM, ANGRY);
