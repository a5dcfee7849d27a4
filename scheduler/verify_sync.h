/// The check that goes back: every tick on the executor and serially, from the same encoded state.
#pragma once

#include "verify_run.h"

/// Compares a run that was just made with the serial run's digests. A difference is located in
/// place, if that is still wanted.
WEFT_NODISCARD weft_status weft__verify_sync(weft__verify_state* state, size_t index,
                                             weft__verify_run* run, weft_verify_result* result);
