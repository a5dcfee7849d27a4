/// Runs of workloads for tests: side by side, compared after every tick.
#pragma once

#include "rig.h"

/// Opens a rig with one executor; fails the test otherwise.
weft_rig bench_open(const weft_module* module, uint64_t entity_count, uint64_t seed,
                    const weft_executor_desc* desc);

/// Runs one tick, checks the module's invariants and returns the full digest.
weft_digest bench_tick(weft_rig* rig);

/// Runs the serial executor and another side by side. Returns the first tick after which their
/// digests differ, or 0 when all are equal.
uint64_t bench_first_difference(const weft_module* module, uint64_t entity_count, uint64_t seed,
                                uint64_t ticks, const weft_executor_desc* desc);
