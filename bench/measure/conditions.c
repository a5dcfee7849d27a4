// What the machine was like while a table was measured.

#include "measure.h"

#include <stdio.h>

// Near is 55 to 130 ns and far is 470 ns; between two near ones the factor is rarely above this.
#define LINE_FACTOR 2.0

void weft_conditions_line(weft_conditions* conditions, double line_ns) {
    if (line_ns <= 0)
        return;
    if (conditions->line_min <= 0 || line_ns < conditions->line_min)
        conditions->line_min = line_ns;
    if (line_ns > conditions->line_max)
        conditions->line_max = line_ns;
}

bool weft_conditions_line_changed(const weft_conditions* conditions) {
    return conditions->line_max > conditions->line_min * LINE_FACTOR;
}

// What snprintf returned, cut to what there is room for.
static size_t grown(size_t used, int written) {
    size_t sum = used + (size_t)(written > 0 ? written : 0);
    return sum < WEFT_CONDITIONS_TEXT ? sum : WEFT_CONDITIONS_TEXT - 1;
}

void weft_conditions_text(const weft_conditions* conditions, char text[WEFT_CONDITIONS_TEXT]) {
    const weft_conditions* is = conditions;
    size_t used = grown(0, snprintf(text, WEFT_CONDITIONS_TEXT, "%.1f s", is->seconds));
#define ADD(...) used = grown(used, snprintf(text + used, WEFT_CONDITIONS_TEXT - used, __VA_ARGS__))
    if (is->ghz[0] > 0)
        ADD(", %.2f GHz", is->ghz[0]);
    if (is->ghz[1] > is->ghz[0] * 1.05 || is->ghz[1] < is->ghz[0] / 1.05)
        ADD(" before and %.2f after", is->ghz[1]);
    if (is->line_max > 0)
        ADD(", a line goes to and fro in %.0f ns", is->line_ns[0]);
    if (is->line_max > is->line_min)
        ADD(" (%.0f to %.0f)", is->line_min, is->line_max);
    if (is->shares_known)
        ADD(", other processes had %.0f%% of the CPUs", is->others * 100);
    if (is->stolen >= 0.005)
        ADD(", other machines %.0f%%", is->stolen * 100);
    if (is->disturbed > 0)
        ADD(", %u of %u samples disturbed", is->disturbed, is->samples);
    if (is->repeated > 0)
        ADD(" (%u taken again)", is->repeated);
    if (weft_conditions_line_changed(is))
        ADD("; the CPUs were near and far in turn: times of several workers are of two machines");
#undef ADD
    (void)used;
}
