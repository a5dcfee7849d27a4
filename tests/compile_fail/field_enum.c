// error: field Broken.mood has type enum mood | declare it by WEFT_ENUM
#include <weft/type.h>

enum mood {
    CALM,
    ANGRY
};

WEFT_COMPONENT(Broken, (enum mood, mood));
