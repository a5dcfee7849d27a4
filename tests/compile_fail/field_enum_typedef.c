// error: field Broken.mood has type Mood | a plain enum | declare it by WEFT_ENUM
#include <weft/type.h>

typedef enum Mood {
    CALM,
    ANGRY
} Mood;

WEFT_COMPONENT(Broken, (Mood, mood));
