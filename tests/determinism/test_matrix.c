// Every executor gives the serial run's digests, and the serial run gives the committed ones. The
// committed digests are the same for every compiler, optimisation level and sanitizer.

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "matrix.h"

#define GOLDEN_PATH WEFT_TEST_DIR "/golden/workload_digests.txt"

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

typedef struct golden_run {
    const char* workload;
    uint64_t entity_count;
    uint64_t tick_count;
} golden_run;

static const golden_run golden_runs[] = {
    {"creatures", 5000, 100}, {"motion", 5000, 20}, {"motion_compute", 5000, 20},
    {"churn", 5000, 50},      {"boids", 1000, 20},  {"churn_sparse", 5000, 50},
    {"tick10", 5000, 20},     {"overhead", 10, 20}, {"orbits", 5000, 100},
};

static void golden_text(char* text, size_t capacity) {
    size_t length = 0;
    for (size_t i = 0; i < sizeof(golden_runs) / sizeof(golden_runs[0]); i++) {
        const golden_run* run = &golden_runs[i];
        weft_verify_digests digests =
            matrix_serial(run->workload, run->entity_count, 1, run->tick_count);
        char view[WEFT_DIGEST_TEXT];
        char full[WEFT_DIGEST_TEXT];
        weft_digest_format(digests.view, view);
        weft_digest_format(digests.full, full);
        length += (size_t)snprintf(text + length, capacity - length, "%s %llu %llu %s %s\n",
                                   run->workload, (unsigned long long)run->entity_count,
                                   (unsigned long long)run->tick_count, view, full);
        cr_assert_lt(length, capacity);
    }
}

Test(matrix, serial_runs_have_the_committed_digests, .timeout = 120) {
    char now[4096];
    char committed[4096] = "";
    golden_text(now, sizeof(now));
    if (getenv("WEFT_UPDATE_GOLDEN") != NULL) {
        FILE* file = fopen(GOLDEN_PATH, "w");
        cr_assert_not_null(file);
        (void)fputs(now, file);
        (void)fclose(file);
    }
    FILE* file = fopen(GOLDEN_PATH, "r");
    cr_assert_not_null(file, "%s is missing; WEFT_UPDATE_GOLDEN=1 writes it", GOLDEN_PATH);
    size_t size = fread(committed, 1, sizeof(committed) - 1, file);
    (void)fclose(file);
    committed[size] = '\0';
    cr_assert_str_eq(now, committed,
                     "the digests of the workloads changed; if that was meant, set "
                     "WEFT_UPDATE_GOLDEN=1 and say why in the commit");
}
