/// The operating system's memory for worlds.
#pragma once

#include <weft/topology.h>
#include <weft/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Segments straight from the operating system, in huge pages where it gives them. The value has
/// no state and needs no release.
WEFT_API weft_memory weft_memory_system(void);

/// The same in pages of the usual size: for worlds so small that huge pages cost more than they
/// save.
WEFT_API weft_memory weft_memory_small_pages(void);

/// Segments of that memory whose pages lie in turn on all NUMA nodes with usable CPUs, whoever
/// touches them first: for worlds whose systems read rows all over the world. `topology` is of this
/// machine and outlives the worlds. Tried once, and read back; a later segment that is refused lies
/// where it is touched. Status: UNSUPPORTED, OS, OUT_OF_MEMORY: as weft_topology_interleave().
WEFT_API WEFT_NODISCARD weft_status weft_memory_interleaved(const weft_topology* topology,
                                                            weft_memory* out);

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
