/// The built-in workloads: one source for the program, the tests, the measurements and the manual.
#pragma once

#include <weft/module.h>

/// The ecosystem: motion, hunger, food, fission and starvation on a torus (creatures.h).
extern const weft_module weft_workload_creatures;
/// Bound by memory: positions advance by velocity times a step (motion.h).
extern const weft_module weft_workload_motion;
/// Bound by arithmetic: a polynomial of 20 operations a row (motion.h).
extern const weft_module weft_workload_motion_compute;
/// Bound by structure: births, deaths and a dense tag that moves rows (churn.h).
extern const weft_module weft_workload_churn;
/// The same with the tag in a presence table, so that tagging moves no row.
extern const weft_module weft_workload_churn_sparse;
/// Reads of other rows over a grid: flocking.
extern const weft_module weft_workload_boids;
/// Ten systems over four archetypes (ten_systems.h).
extern const weft_module weft_workload_tick10;
/// A hundred systems over ten rows: what the framework itself costs (ten_systems.h).
extern const weft_module weft_workload_overhead;
/// In float: births, deaths, presence, sums that depend on their order, every kind of layout.
extern const weft_module weft_workload_orbits;
/// Lies about its access. A test of the instruments: it must never pass a comparison.
extern const weft_module weft_workload_canary;

/// All workloads in the order of `weft list`; the canary is the last.
const weft_module* const* weft_workloads(size_t* count_out);

/// The workload of this name, or null.
const weft_module* weft_workload_find(const char* name);
