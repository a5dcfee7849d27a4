#include "creatures_curve.h"

#include "bench_run.h"
#include "creatures.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#ifndef WEFT_TEST_DIR
#define WEFT_TEST_DIR "tests"
#endif

#define GOLDEN WEFT_TEST_DIR "/golden/creatures_population.txt"

enum {
    START = 10000,
    STEP = 100,
    SIZE = 8192
};

static void write_curve(char* text, int ticks) {
    weft_executor_desc desc = weft_rig_serial();
    weft_rig rig = bench_open(&weft_workload_creatures, START, 42, &desc);
    size_t used = (size_t)snprintf(text, SIZE, "tick creatures food\n");
    for (int tick = 0; tick <= ticks; ++tick) {
        if (tick > 0)
            (void)bench_tick(&rig);
        if (tick % STEP != 0)
            continue;
        const Population* population = weft_world_resource(rig.world, WEFT_TYPE(Population));
        used += (size_t)snprintf(text + used, SIZE - used, "%d %" PRIu64 " %" PRIu64 "\n", tick,
                                 population->creatures, population->food);
        cr_assert_lt(used, SIZE);
    }
    weft_rig_close(&rig);
}

void curve_check(int ticks, bool update) {
    static char curve[SIZE];
    static char golden[SIZE];
    write_curve(curve, ticks);
    if (update) {
        FILE* file = fopen(GOLDEN, "w");
        cr_assert_not_null(file, "cannot write %s", GOLDEN);
        fputs(curve, file);
        cr_assert_eq(fclose(file), 0);
    }
    FILE* file = fopen(GOLDEN, "r");
    cr_assert_not_null(file, "no %s", GOLDEN);
    size_t size = fread(golden, 1, sizeof(golden) - 1, file);
    fclose(file);
    golden[size < strlen(curve) ? size : strlen(curve)] = '\0';
    cr_assert_str_eq(curve, golden);
}
