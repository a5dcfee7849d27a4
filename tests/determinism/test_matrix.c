// Every executor gives the serial run's digests.

#include <criterion/criterion.h>

#include "matrix.h"

Test(matrix, creatures_is_equal_on_every_executor, .timeout = 120) {
    matrix run = {"creatures", 12000, 1, 120, 40, 12};
    (void)matrix_run(&run);
}

Test(matrix, churn_is_equal_on_every_executor, .timeout = 120) {
    matrix run = {"churn", 12000, 1, 120, 40, 12};
    (void)matrix_run(&run);
}

Test(matrix, churn_of_presence_is_equal_on_every_executor, .timeout = 120) {
    matrix run = {"churn_sparse", 12000, 1, 120, 40, 12};
    (void)matrix_run(&run);
}

Test(matrix, boids_are_equal_on_every_executor, .timeout = 120) {
    matrix run = {"boids", 5000, 1, 30, 8, 4};
    (void)matrix_run(&run);
}

Test(matrix, orbits_in_float_are_equal_on_every_executor, .timeout = 120) {
    matrix run = {"orbits", 9000, 1, 60, 20, 8};
    (void)matrix_run(&run);
}

Test(matrix, same_seed_equal_other_seed_different, .timeout = 120) {
    weft_verify_digests seen[20];
    for (uint32_t seed = 0; seed < 20; seed++) {
        seen[seed] = matrix_serial("creatures", 500, seed, 100);
        weft_verify_digests again = matrix_serial("creatures", 500, seed, 100);
        cr_assert(weft_digest_equal(seen[seed].full, again.full), "seed %u does not repeat", seed);
        for (uint32_t other = 0; other < seed; other++)
            cr_assert(!weft_digest_equal(seen[seed].view, seen[other].view),
                      "seeds %u and %u give one world", seed, other);
    }
}
