// The long form of the matrix: ten thousand ticks on every thread count, a hundred schedules of
// each virtual worker count, a hundred seeds.

#include <criterion/criterion.h>

#include "matrix.h"

Test(matrix_long, creatures_ten_thousand_ticks, .timeout = 3000) {
    matrix run = {"creatures", 10000, 1, 10000, 100, 100};
    (void)matrix_run(&run);
}

Test(matrix_long, churn_ten_thousand_ticks, .timeout = 3000) {
    matrix run = {"churn", 10000, 1, 10000, 100, 100};
    (void)matrix_run(&run);
}

Test(matrix_long, boids_ten_thousand_ticks, .timeout = 3000) {
    matrix run = {"boids", 1000, 1, 10000, 50, 100};
    (void)matrix_run(&run);
}

Test(matrix_long, a_hundred_seeds_of_a_hundred_ticks, .timeout = 3000) {
    static weft_verify_digests seen[100];
    for (uint32_t seed = 0; seed < 100; seed++) {
        seen[seed] = matrix_serial("creatures", 2000, seed, 100);
        weft_verify_digests again = matrix_serial("creatures", 2000, seed, 100);
        cr_assert(weft_digest_equal(seen[seed].full, again.full), "seed %u does not repeat", seed);
        for (uint32_t other = 0; other < seed; other++)
            cr_assert(!weft_digest_equal(seen[seed].view, seen[other].view),
                      "seeds %u and %u give one world", seed, other);
    }
}
