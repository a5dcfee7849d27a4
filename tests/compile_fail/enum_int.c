// error: enum Mood has type int | width differs between machines; use int8_t to uint64_t
#include <weft/type.h>

WEFT_ENUM(Mood, int, CALM, ANGRY);
