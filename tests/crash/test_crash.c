// A part of crash.crash_long.

#include "crash.h"

#include <criterion/criterion.h>

#include "effort.h"

Test(crash, killed_while_writing, .timeout = 100) {
    crash_rounds(TEST_EFFORT(50), 1);
}
