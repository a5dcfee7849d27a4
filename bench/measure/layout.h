/// A layout: all that may be chosen about a run without changing its result, in one value.
#pragma once

#include <weft/executor.h>
#include <weft/memory.h>

/// Where a world's memory comes from.
typedef enum weft_layout_memory {
    WEFT_LAYOUT_HUGE_PAGES = 0,
    WEFT_LAYOUT_SMALL_PAGES = 1,
    WEFT_LAYOUT_INTERLEAVED = 2, // Huge pages, in turn on all NUMA nodes.
} weft_layout_memory;

#define WEFT_LAYOUT_MEMORIES 3u

/// "huge-pages", "small-pages", "interleaved".
extern const char* const weft_layout_memory_names[WEFT_LAYOUT_MEMORIES];

#define WEFT_LAYOUT_CPUS_MAX 1024u
#define WEFT_LAYOUT_SWEEPS_MAX 256u
#define WEFT_LAYOUT_NAME 64u

/// The order of the stage that a system is in.
typedef struct weft_layout_sweep {
    char system[WEFT_LAYOUT_NAME];
    weft_sweep sweep;
} weft_layout_sweep;

/// Of the fields those that do not apply to the kind are as in the default.
typedef struct weft_layout {
    weft_executor_kind kind; // SERIAL, THREADS or PROCESSES.
    uint32_t worker_count;   // At least 1.
    bool pin;
    weft_placement_policy policy;
    uint32_t cpus[WEFT_LAYOUT_CPUS_MAX]; // LIST.
    uint32_t cpu_count;
    uint32_t grain; // 0: chosen by cost.
    weft_sweep sweep;
    weft_layout_sweep sweeps[WEFT_LAYOUT_SWEEPS_MAX]; // Stages that have an order of their own.
    uint32_t sweep_count;
    uint32_t spin_ns;
    uint32_t yield_ns;
    weft_layout_memory memory; // Not of PROCESSES, which share memory of a kind of its own.
} weft_layout;

/// What `weft run` does when nothing is said: so many threads, and all else as in
/// weft_executor_desc_default().
weft_layout weft_layout_default(uint32_t worker_count);

/// Whether the workers of a layout run at the same time, on CPUs that may be chosen.
bool weft_layout_is_parallel(const weft_layout* layout);

/// What an executor's description says besides the layout, with the layout. It points into the
/// layout and into `sweeps`, which has room for WEFT_LAYOUT_SWEEPS_MAX.
weft_executor_desc weft_layout_desc(const weft_layout* layout, weft_system_sweep* sweeps);

/// The memory for one world. The topology is of this machine, for INTERLEAVED, and outlives the
/// world. Status: those of weft_memory_interleaved() and, for PROCESSES, weft_memory_aliased().
weft_status weft_layout_memory_of(const weft_layout* layout, const weft_topology* topology,
                                  weft_memory* out);

/// Sets the order of the stage of a system. False where there is no room.
bool weft_layout_order(weft_layout* layout, const char* system, weft_sweep sweep);

/// Whether two layouts say the same.
bool weft_layout_equal(const weft_layout* a, const weft_layout* b);

#define WEFT_LAYOUT_TEXT 320u

/// The layout in words: "threads, 2 workers, compact, grain 4, stage of "motion" by system". Only
/// what differs from the default is said after the workers.
void weft_layout_text(const weft_layout* layout, char text[WEFT_LAYOUT_TEXT]);
