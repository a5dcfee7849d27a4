/// The last change of a value before a tick, looked for in kept states.
#pragma once

#include <weft/bisect.h>

#include "state_bytes.h"
#include "verify_run.h"

/// States are kept 1, 2, 4, ... ticks before the last one, and of tick 0.
#define WEFT__HISTORY_MAX 66u

/// Kept states, the latest first.
typedef struct weft__history {
    uint64_t end; // The tick whose state is the last one.
    uint32_t count;
    uint64_t ticks[WEFT__HISTORY_MAX];
    weft__state_bytes states[WEFT__HISTORY_MAX];
} weft__history;

/// Plans what is kept of a run whose last state is that after `end` ticks.
void weft__history_init(weft__history* history, weft__arena* arena, uint64_t end);

/// Keeps the state of a world that has come to its tick, if it is wanted.
WEFT_NODISCARD weft_status weft__history_keep(weft__history* history, weft_world* world);

/// Looks backwards for the last change of what a place names, whose values differ in the world of
/// `run`, a serial run after its last tick, and in `found`: each stretch between two kept states is
/// run once, and the tick that is found once more with a look after every task. The world of `run`
/// is left anywhere. `*ticks_run` is advanced.
WEFT_NODISCARD weft_status weft__history_write(
    weft__verify_state* state, const weft__history* history, const weft_world* found,
    const weft_verify_place* place, weft__verify_run* run, weft_write* write, uint64_t* ticks_run);
