/// What a batch costs alone and together, as last seen, and which way it goes next.
///
/// Time decides who runs a batch, never what it does.
#pragma once

#include <stdbool.h>
#include <stdint.h>

/// The record of one batch that comes again in every tick. All zero: nothing is known.
typedef struct weft__pace {
    uint32_t skip;        // Runs that go as the last one and are not measured.
    bool goes_together;   // How the next run goes.
    bool together;        // How it goes when no trial is under way.
    uint16_t trial;       // Runs that the trial of the other way still has.
    uint32_t until_trial; // Runs before the next.
    uint32_t interval;    // Runs between trials: doubles as long as they change nothing.
    uint32_t stride;      // Runs that the next measurement stands for.
    uint32_t items;       // Of the last run that was measured.
    uint64_t alone_ns;    // Wall time on the caller alone; 0: unknown.
    uint64_t together_ns; // Wall time of all; 0: unknown.
    uint64_t trial_ns;    // The best of the trial.
} weft__pace;

/// What the record is judged by.
typedef struct weft__pace_terms {
    uint64_t join_ns; // A batch of nothing, handed out and joined.
    uint32_t workers; // That take part.
} weft__pace_terms;

/// Takes in the time of a run that was not skipped, and decides about the next ones.
void weft__pace_note(weft__pace* pace, const weft__pace_terms* terms, bool together,
                     uint64_t took_ns);

/// What one worker needs for it, as far as known; 0: unknown.
uint64_t weft__pace_cost(const weft__pace* pace, const weft__pace_terms* terms);

/// What a run gains by company, as far as known or, of something that costs `cost_ns` alone, to be
/// expected. A null record knows nothing.
uint64_t weft__pace_gain(const weft__pace* pace, const weft__pace_terms* terms, uint64_t cost_ns);
