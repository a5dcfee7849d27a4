/// What the ticks of a workload cost, part by part, by the records of <weft/trace.h>, and what the
/// machine's memory gives.
#pragma once

#include "layout.h"
#include "workload.h"

#include <weft/inspect.h>
#include <weft/trace.h>

typedef struct weft_cost_system {
    uint64_t calls;
    uint64_t rows;
    uint64_t ns;       // Of all calls, whoever made them.
    double read_bytes; // Of a row, as declared: columns that are read,
    double both_bytes; // and those that are written, which counts twice in traffic.
} weft_cost_system;

typedef struct weft_cost_stage {
    uint64_t ns;         // From its begin to its end.
    uint64_t work_ns;    // Systems and hashing, of all workers,
    uint64_t others_ns;  // and of those but worker 0.
    uint64_t longest_ns; // Of each tick the chunk, or system of world scope, that took longest.
    uint64_t items;      // Chunks and systems of world scope that were run.
} weft_cost_stage;

/// Sums over all ticks.
typedef struct weft_costs {
    uint32_t system_count;
    uint32_t stage_count;
    uint32_t worker_count;
    weft_cost_system* system; // By rank.
    weft_cost_stage* stage;
    uint64_t ticks;
    uint64_t tick_ns;                     // As worker 0 recorded them,
    uint64_t host_ns;                     // and as the host waited for them, with their inputs.
    uint64_t caller_ns[WEFT_TRACE_KINDS]; // Of worker 0,
    uint64_t others_ns[WEFT_TRACE_KINDS]; // and of the others.
    uint64_t visits;                      // Chunks that a stage ran on that it had run on before,
    uint64_t moves;     // and those of them where another worker did so the last time.
    uint64_t lost;      // Ticks that had more records than are kept: some are missing.
    double read_gbs;    // What so many workers get from memory together, reading,
    double update_gbs;  // and reading and writing; 0: not measured.
    double cache_bytes; // Of the second level, of so many workers; 0: not told.
} weft_costs;

typedef struct weft_costs_desc {
    const weft_module* module;
    uint64_t entity_count;
    uint64_t seed;
    const weft_topology* topology;
    const weft_layout* layout;
    double time_s; // For the ticks, at least so long.
    bool quick;    // A few ticks, and tiny arrays.
} weft_costs_desc;

/// Runs a world as the layout says and measures it. `line` says what failed. To be freed in any
/// case.
weft_status weft_costs_measure(const weft_costs_desc* desc, weft_costs* out, char* line,
                               size_t capacity);

void weft_costs_deinit(weft_costs* costs);

/// Bytes that a system moves for a row by its declaration.
double weft_cost_bytes(const weft_cost_system* system);

/// Bytes per nanosecond, by declaration, while the system runs; 0 where it has no rows.
double weft_cost_gbs(const weft_cost_system* system);

/// What one worker does alone in all ticks, while the others wait.
uint64_t weft_costs_serial_ns(const weft_costs* costs);

/// Of that what is before and between stages, not in the commit.
uint64_t weft_costs_between_ns(const weft_costs* costs);

/// What can be shared, of all workers.
uint64_t weft_costs_shared_ns(const weft_costs* costs);

/// The chain of edges that costs most, first to last, into `ranks` (room for all systems). Returns
/// their number; *ns_out is what they cost in all ticks on one worker.
uint32_t weft_costs_path(const weft_costs* costs, const weft_schedule* schedule, uint32_t* ranks,
                         uint64_t* ns_out);
