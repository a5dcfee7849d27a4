/// Rollback from the inside: what an executor's tick asks of it.
#pragma once

#include <weft/rollback.h>

#include "exec.h"

/// Prepares rollback where the description asks for it.
WEFT_NODISCARD weft_status weft__rollback_create(weft_executor* executor);
void weft__rollback_destroy(weft_executor* executor);

/// One tick of an executor with rollback, of a world that has not failed. After a failure the world
/// is what it was, unless its error says why not.
WEFT_NODISCARD weft_status weft__rollback_tick(weft_executor* executor);

/// Notes the digest that was just asked for.
void weft__rollback_note(weft_executor* executor);

/// As weft_executor_rollback(), here.
WEFT_NODISCARD weft_status weft__rollback_to(weft_executor* executor, uint64_t tick);
