// A part of processes.kills_long.

#include "kills.h"

#include <criterion/criterion.h>

#include "effort.h"

Test(kills, at_random_moments, .timeout = 100) {
    kills_all(TEST_EFFORT(60), 1);
}
