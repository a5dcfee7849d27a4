/// What holds a workload back, said from what was measured of it and what its systems declare.
///
/// Each piece of advice has the numbers that it was found by. What cannot be known from
/// declarations, such as the fields that a system really uses, is said as a condition.
#pragma once

#include "costs.h"

typedef enum weft_advice_kind {
    WEFT_ADVICE_SERIAL = 0, // One worker alone: Amdahl.
    WEFT_ADVICE_WIDTH = 1,  // A stage has too few chunks, or one that is too long.
    WEFT_ADVICE_WAIT = 2,   // A stage leaves workers without work.
    WEFT_ADVICE_SPLIT = 3,  // A system holds up a stage.
    WEFT_ADVICE_MERGE = 4,  // Two systems walk the same columns.
    WEFT_ADVICE_MEMORY = 5, // The machine's memory is the limit.
    WEFT_ADVICE_COLD = 6,   // Large components at the limit of memory: fields that are used seldom.
    WEFT_ADVICE_SMALL = 7,  // Chunks with few rows.
    WEFT_ADVICE_SHARING = 8, // Chunks go from worker to worker.
    WEFT_ADVICE_JOIN = 9,    // Components that only go together.
    WEFT_ADVICE_KINDS = 10,
} weft_advice_kind;

/// "serial", "width", "wait", "split", "merge", "memory", "cold", "small-chunks", "sharing",
/// "join".
extern const char* const weft_advice_names[WEFT_ADVICE_KINDS];

typedef struct weft_advice {
    weft_advice_kind kind;
    double share;   // Of the tick's time, or of the workers', that it is about; at most 1.
    char text[400]; // One sentence or two.
} weft_advice;

#define WEFT_ADVICE_MAX 64u

/// All there is to say, what is about most first. The schedule is of the same workload.
uint32_t weft_advise(const weft_costs* costs, const weft_schedule* schedule,
                     weft_advice out[WEFT_ADVICE_MAX]);
