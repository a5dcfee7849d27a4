// error: field Broken.moods has type Mood | a plain enum
#include <weft/type.h>

typedef enum Mood {
    CALM,
    ANGRY
} Mood;

WEFT_COMPONENT(Broken, (array, Mood, moods, 4));
