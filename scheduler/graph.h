/// The conflict graph, the canonical rank and the stages (C5).
#pragma once

#include "system.h"

/// Fills edges, order, ranks and stages of a schedule. Status: GRAPH_CYCLE, UNKNOWN_SYSTEM,
/// BAD_ACCESS, OUT_OF_MEMORY; the schedule's error names systems and causes.
WEFT_NODISCARD weft_status weft__graph_build(weft_schedule* schedule);
