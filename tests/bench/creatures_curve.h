/// The population curve of the ecosystem against tests/golden/creatures_population.txt.
#pragma once

#include <stdbool.h>

/// Runs 10,000 creatures for `ticks` ticks and compares the curve with the beginning of the golden
/// one; with `update` the curve is written there first.
void curve_check(int ticks, bool update);
