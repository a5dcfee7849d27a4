// error: field Broken.count has type long long | width differs between machines; use int8_t to
// uint64_t
#include <weft/type.h>

WEFT_COMPONENT(Broken, (long long, count));
