/// The operating system's memory for worlds.
#pragma once

#include <weft/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Segments straight from the operating system, in huge pages where it gives them. The value has
/// no state and needs no release.
WEFT_API weft_memory weft_memory_system(void);

/// Memory that is mapped twice, for one world: what is declared to be read is handed out of a
/// read-only mapping, so that a write to it faults (WEFT_GUARD_ALIAS names it). It is also the
/// memory that worker processes share (WEFT_EXECUTOR_PROCESSES). With `apart`, each column and
/// resource also lies on pages of its own and is written through the second mapping too, which
/// WEFT_GUARD_TRAP closes and opens; that takes more memory. No huge pages, unless the system gives
/// them to shared memory. It belongs to the world that it is given to and goes with it, or if that
/// cannot be created.
///
/// A process that is forked from this one shares the memory instead of having a copy: there the
/// world may be read while this process leaves it alone, and destroyed, and ticks are refused.
///
/// No file is left behind, whatever ends the process. Status: OUT_OF_MEMORY, UNSUPPORTED.
WEFT_API WEFT_NODISCARD weft_status weft_memory_aliased(bool apart, weft_memory* out);

#ifdef __cplusplus
}
#endif
