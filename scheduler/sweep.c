#include "sweep.h"

// Runs before the first trial, which comes early for programs that run a few ticks only, and from
// one trial to the next: a way that costs four times as much then takes a hundredth of the time.
#define TRIAL_FIRST 4u
#define TRIAL_PERIOD 1024u
// Runs of a trial, in turn by chunk and by system. The least of each counts: what disturbs a run
// makes it longer.
#define TRIAL_RUNS 6u
// The other way is taken if it needs less than so many hundredths: equal ones would alternate.
#define GAIN_PERCENT 97u

bool weft__sweep_next(weft__sweep* sweep, weft_sweep wanted, uint32_t group_count) {
    WEFT_ASSERT(sweep != NULL && wanted <= WEFT_SWEEP_SYSTEM_MAJOR);
    if (wanted != WEFT_SWEEP_AUTO || group_count == 0) {
        sweep->groups = wanted == WEFT_SWEEP_SYSTEM_MAJOR ? group_count : 0;
        return false;
    }
    if (sweep->runs == TRIAL_PERIOD)
        sweep->runs = TRIAL_FIRST;
    uint32_t run = sweep->runs++;
    bool trial = run >= TRIAL_FIRST && run < TRIAL_FIRST + TRIAL_RUNS;
    bool by_system = trial ? (run - TRIAL_FIRST) % 2 == 1 : sweep->by_system;
    sweep->groups = by_system ? group_count : 0;
    return trial;
}

void weft__sweep_note(weft__sweep* sweep, uint64_t took_ns) {
    WEFT_ASSERT(sweep != NULL);
    WEFT_ASSERT(sweep->runs > TRIAL_FIRST && sweep->runs <= TRIAL_FIRST + TRIAL_RUNS);
    uint64_t* best = &sweep->best_ns[sweep->groups != 0];
    if (*best == 0 || took_ns < *best)
        *best = took_ns == 0 ? 1 : took_ns;
    if (sweep->runs < TRIAL_FIRST + TRIAL_RUNS)
        return;
    uint64_t held = sweep->best_ns[sweep->by_system];
    uint64_t other = sweep->best_ns[!sweep->by_system];
    if (other * 100 < held * GAIN_PERCENT)
        sweep->by_system = !sweep->by_system;
    sweep->best_ns[0] = sweep->best_ns[1] = 0;
}
