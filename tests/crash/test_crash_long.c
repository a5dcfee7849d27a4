// Processes that are killed while they write, a thousand times.

#include "crash.h"

#include <criterion/criterion.h>

#include "effort.h"

Test(crash, killed_while_writing, .timeout = 1800) {
    crash_rounds(TEST_EFFORT(1000), 2);
}
