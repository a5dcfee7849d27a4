/// Descending two digest trees.
#pragma once

#include <weft/bisect.h>
#include <weft/schedule.h>

/// weft_descend(), told what the named task's system writes, so that this is looked at first. The
/// schedule may be null.
WEFT_NODISCARD weft_status weft__descend(weft_world* reference, weft_world* found,
                                         const weft_schedule* schedule, weft_verify_place* place,
                                         weft_descent* descent);
