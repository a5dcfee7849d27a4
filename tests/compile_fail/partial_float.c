// error: field Broken.sum has type float | weft_fixed
#include <weft/type.h>

WEFT_PARTIAL(Broken, (float, sum));
