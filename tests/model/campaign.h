/// Campaigns: many episodes, each run by several configurations that must agree.
#pragma once

#include <criterion/criterion.h>

#include "effort.h"
#include "programs.h"

#if TEST_EFFORT_PART > 1
#define CAMPAIGN_SLOW 1
#endif

/// Part of a campaign: `programs` programs in episodes of `length`.
typedef struct campaign {
    const char* name;
    terrain ground;
    bool systems;
    uint32_t length;
    uint32_t programs;
    bool back; // By executors that go back.
} campaign;

/// Runs a campaign scaled by `scale` (a part of it under sanitizers and emulators) and fails the
/// test at the first difference, with the seed and the shrunk program. WEFT_TEST_SEED sets the
/// seed.
void campaign_run(const campaign* c, uint32_t scale);

/// Runs one episode of systems by every configuration, or by a few, and fails the test likewise.
void campaign_run_episode(const char* name, episode* e, bool few);
