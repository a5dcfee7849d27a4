// error: field Broken.mood has type Mood | declare it by WEFT_ENUM(Mood, uint8_t, ...) above Broken
#include <weft/type.h>

typedef enum Mood {
    CALM,
    ANGRY
} Mood;

WEFT_COMPONENT(Broken, (enumerated, Mood, mood));
