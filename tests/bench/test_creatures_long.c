// The whole golden curve: 10,000 ticks, each with the population within half to twice its start.
//
// It changes only with the rules of the workload; WEFT_UPDATE_GOLDEN=1 writes it anew.

#include "creatures_curve.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

Test(creatures_long, population_follows_the_golden_curve) {
    const char* update = getenv("WEFT_UPDATE_GOLDEN");
    curve_check(10000, update && strcmp(update, "1") == 0);
}
