// error: field Broken.mood has type Mood | a plain enum | declare it by WEFT_ENUM
#include <weft/type.h>

typedef enum Mood {
    BAD = -1,
    GOOD
} Mood;

WEFT_COMPONENT(Broken, (Mood, mood));
