// Before and after each system: whatever it did not declare to write must be the same.
//
// Compared is with a copy and not with a hash: of a chunk that is in the cache both cost about the
// same, and the copy tells which row it was. Of the other chunks one is looked at around each call,
// in turn, and of long lists a window.

#include "guard_call.h"

weft_status weft__guard_hash(weft__guard_lane* lane) {
    WEFT_TRY(weft__guard_spans(lane));
    WEFT_TRY(weft__guard_keep(lane));
    weft_status status = weft__guard_run(lane);
    if (lane->faulted)
        return weft__guard_blame_fault(lane);
    const uint8_t* changed = weft__guard_changed(lane);
    if (changed == NULL)
        return status;
    weft__spot spot = weft__guard_spot(lane->guard->world, changed);
    return weft__guard_blame(lane, WEFT_GUARD_WRITE, &spot, "");
}
