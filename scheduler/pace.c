#include "pace.h"

#include "sharing.h"

// Batches that cost less than this many joins are measured now and then only: two looks at the
// clock would be a good part of them.
#define EACH_RUN_JOINS 8u
#define STRIDE 8u
#define STRIDE_TINY 32u

// A trial takes so many runs. The first brings the data to the other caches and does not count.
#define TRIAL_RUNS 4u
#define TRIAL_INTERVAL 64u
#define TRIAL_INTERVAL_MAX 4096u
// A batch of so many joins surely gains by company: it is not tried alone again.
#define SURE_JOINS 64u
// The other way must be better by a sixteenth: near the border every switch moves the data.
#define MARGIN 16u

static uint64_t smooth(uint64_t known, uint64_t took) {
    if (known == 0)
        return took + 1;
    // One preemption is no measure of the batch, but what really grows doubles with every run.
    uint64_t most = 2 * known + 100;
    took = took < most ? took : most;
    return (3 * known + took) / 4 + 1;
}

static uint64_t less(uint64_t a, uint64_t b) {
    return a > b ? a - b : 0;
}

uint64_t weft__pace_cost(const weft__pace* pace, const weft__pace_terms* terms) {
    return pace->alone_ns != 0 ? pace->alone_ns : pace->together_ns * terms->workers;
}

uint64_t weft__pace_gain(const weft__pace* pace, const weft__pace_terms* terms, uint64_t cost_ns) {
    // A trial is not to be missed because of what it may prove wrong.
    if (pace != NULL && pace->trial == 0 && pace->alone_ns != 0 && pace->together_ns != 0)
        return less(pace->alone_ns, pace->together_ns);
    return weft__sharing_gain(cost_ns, terms->workers, terms->join_ns);
}

static void settle(weft__pace* pace) {
    uint64_t* tried = pace->together ? &pace->alone_ns : &pace->together_ns;
    uint64_t usual = pace->together ? pace->together_ns : pace->alone_ns;
    WEFT_ASSERT(pace->trial == 0 && pace->trial_ns != UINT64_MAX);
    WEFT_ASSERT(pace->interval > 0);
    *tried = pace->trial_ns;
    bool better = *tried + *tried / MARGIN < usual;
    if (better)
        pace->together = !pace->together;
    pace->interval = better ? TRIAL_INTERVAL : 2 * pace->interval;
    if (pace->interval > TRIAL_INTERVAL_MAX)
        pace->interval = TRIAL_INTERVAL_MAX;
    pace->until_trial = pace->interval;
}

// Whether the other way could be the better one.
static bool is_border(const weft__pace* pace, const weft__pace_terms* terms) {
    if (pace->together)
        return pace->together_ns < SURE_JOINS * terms->join_ns;
    return pace->alone_ns > terms->join_ns;
}

static void start_trial(weft__pace* pace) {
    WEFT_ASSERT(pace->trial == 0 && pace->until_trial == 0);
    if (pace->interval == 0)
        pace->interval = TRIAL_INTERVAL;
    pace->trial = TRIAL_RUNS;
    pace->trial_ns = UINT64_MAX;
}

static void plan_next(weft__pace* pace, const weft__pace_terms* terms) {
    pace->until_trial = (uint32_t)less(pace->until_trial, pace->stride);
    pace->stride = 1;
    if (pace->trial == 0 && pace->until_trial == 0 && is_border(pace, terms))
        start_trial(pace);
    pace->goes_together = pace->trial > 0 ? !pace->together : pace->together;
    uint64_t known = pace->together ? pace->together_ns : pace->alone_ns;
    if (pace->trial == 0 && known != 0 && known < EACH_RUN_JOINS * terms->join_ns)
        pace->stride = 2 * known > terms->join_ns ? STRIDE : STRIDE_TINY;
    WEFT_ASSERT(pace->stride > 0);
    pace->skip = pace->stride - 1;
}

void weft__pace_note(weft__pace* pace, const weft__pace_terms* terms, bool together,
                     uint64_t took_ns) {
    WEFT_CHECK(pace->skip == 0 && terms->workers > 1);
    if (pace->trial > 0 && together != pace->together) {
        bool first = pace->trial == TRIAL_RUNS;
        pace->trial--;
        if (!first && took_ns + 1 < pace->trial_ns)
            pace->trial_ns = took_ns + 1;
        if (pace->trial == 0)
            settle(pace);
    } else {
        uint64_t* known = together ? &pace->together_ns : &pace->alone_ns;
        *known = smooth(*known, took_ns);
    }
    plan_next(pace, terms);
}
