// error: warn_unused_result
#include <weft/world.h>

void careless(weft_world* world);

void careless(weft_world* world) {
    weft_world_commit(world);
}
