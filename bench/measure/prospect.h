/// What a forecast is made from: what this machine can do, and ticks of a workload on it.
#pragma once

#include "measure.h"
#include "rig.h"

#include <weft/forecast.h>

/// This machine, as far as forecasts ask.
typedef struct weft_prospect_machine {
    uint32_t worker_count;    // That it suggests.
    double core_bytes_per_ns; // Memory, read and written as `update` of bounds.h: one core alone,
    double all_bytes_per_ns;  // and all workers.
    double move_bytes_per_ns; // From the cache of another core; 0: as if at once.
    double crowding;          // How much longer arithmetic takes with all workers than with one.
    double line_ns;           // The round trip of a cache line,
    double join_ns;           // a batch of nothing by two workers: both are guesses where
    bool alone;               // there is one CPU only.
    double claim_ns;          // A compare-and-swap on a line of one's own.
} weft_prospect_machine;

/// Measures all that in about a second, or a quick one in some milliseconds. OS, OUT_OF_MEMORY.
weft_status weft_prospect_machine_measure(const weft_topology* topology, bool quick,
                                          weft_prospect_machine* out);

/// The description of forecasts from ticks of so many workers here.
weft_forecast_desc weft_prospect_desc(const weft_prospect_machine* here,
                                      const weft_topology* topology, uint32_t worker_count);

/// A machine of this topology whose cores, nodes and lines are as here.
weft_forecast_machine weft_prospect_there(const weft_prospect_machine* here,
                                          const weft_topology* topology);

/// An executor whose ticks can be measured: serial for one worker, else threads; chunk by chunk.
weft_executor_desc weft_prospect_executor(uint32_t worker_count, const weft_topology* topology);

/// Measures what lines of other workers cost, by some 80 ticks on the executor of this index, which
/// has two threads; then `known_out` is true. It does nothing if there is one CPU, or if the ticks
/// that the forecast has tell that the caches of two do not hold the world: then lines come from
/// memory.
weft_status weft_prospect_lines(const weft_prospect_machine* here, const weft_topology* topology,
                                weft_rig* rig, uint32_t index, weft_forecast* forecast, bool digest,
                                bool* known_out);

/// Posts the tick's input and measures one tick on the executor of this index.
weft_status weft_prospect_tick(weft_rig* rig, uint32_t index, weft_forecast* forecast, bool digest);
