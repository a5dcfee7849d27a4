// Worker processes that are killed at random moments, a thousand times.

#include "kills.h"

#include <criterion/criterion.h>

#include "effort.h"

Test(kills, at_random_moments, .timeout = 1800) {
    kills_all(TEST_EFFORT(1000), 100);
}
