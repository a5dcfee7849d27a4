/// Workers that somebody kills at random moments.
#pragma once

#include <weft/module.h>

/// Runs a module on `workers` processes, beside a serial run of it, while another process kills one
/// worker after the other, `kills` of them at moments drawn from `seed`. Every digest must be the
/// serial run's, and no tick and no event may be lost. Prints what it took.
void kills_run(const weft_module* module, uint64_t entities, uint32_t workers, uint32_t kills,
               uint64_t seed);

/// The three workloads, each on 2 and on 3 workers, with a sixth of the kills each.
void kills_all(uint32_t kills, uint64_t seed);
