/// Going back in time: a failed tick that changes nothing, and any tick not long past (C11).
///
/// An executor with weft_executor_desc.rollback_ticks or .rollback_percent keeps two encoded states
/// of the world and, since the older one, every input event. Going back decodes a state, posts the
/// events again and runs the ticks again, which gives the same world because nothing else decides
/// it. What the host does between ticks otherwise (commands, a decoded state) is no input event:
/// after it a state is kept before the next tick, out of turn.
///
/// The states lie in the world's memory and have about the size of its columns, each.
#pragma once

#include <weft/executor.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Takes the world back to tick `tick`: as it was when that tick began, but without the input
/// events posted for it. Those, and all later ones, are forgotten: post them again, or others, and
/// run on. With the world's own tick it takes back what was posted, recorded and committed since
/// the last one. Handles and pointers into the world are void. A world that failed, in whatever
/// executor, is sound again. Host only, between ticks, from the thread that runs them.
///
/// It takes an executor, since it runs ticks: up to twice as many as states are apart. The tick
/// counts of weft_executor_stats show them; the number and guard reports stay those of before.
///
/// Digests that weft_executor_digest() gave are compared with those of the ticks that run again.
///
/// Status: UNSUPPORTED without rollback; OUT_OF_RANGE for a tick that has not been, or one older
/// than the older state, which the error names: both with the world as it was. DIVERGED: a tick
/// gave another digest, or failed, when it was run again, so it depends on what is not in the world
/// (docs/determinism.md lists what); OUT_OF_MEMORY: both fail the world.
WEFT_API WEFT_NODISCARD weft_status weft_executor_rollback(weft_executor* executor, uint64_t tick);

/// The oldest tick that weft_executor_rollback() reaches now. False if it reaches none: without
/// rollback, before the first tick, and after weft_world_checkpoint() or weft_world_decode().
WEFT_API bool weft_executor_rollback_oldest(const weft_executor* executor, uint64_t* tick_out);

#ifdef __cplusplus
}
#endif
