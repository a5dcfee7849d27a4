// error: field Broken.next has type link | a pointer or an array | use weft_entity
#include <weft/type.h>

typedef struct item* link;

WEFT_COMPONENT(Broken, (link, next));
