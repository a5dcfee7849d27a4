// The canary must be found: a comparison that lets it pass finds nothing.

#include "bench_run.h"

#include <criterion/criterion.h>

Test(canary, serial_run_repeats) {
    weft_executor_desc desc = weft_rig_serial();
    uint64_t tick = bench_first_difference(&weft_workload_canary, 0, 1, 5, &desc);
    cr_expect_eq(tick, 0, "the serial order is not fixed");
}

Test(canary, virtual_workers_diverge) {
    for (uint64_t seed = 1; seed <= 5; ++seed) {
        weft_executor_desc desc = weft_rig_virtual(3, seed);
        uint64_t tick = bench_first_difference(&weft_workload_canary, 0, 1, 20, &desc);
        cr_expect_gt(tick, 0, "seed %llu let the canary pass", (unsigned long long)seed);
    }
}

// The second tick's count is not in the cached digest, which a full rehash sees.
Test(canary, full_rehash_finds_the_undeclared_write) {
    weft_executor_desc desc = weft_rig_serial();
    weft_rig rig = bench_open(&weft_workload_canary, 0, 1, &desc);
    (void)bench_tick(&rig);
    (void)bench_tick(&rig);
    cr_expect_eq(weft_world_digest_check(rig.world), WEFT_STATUS_DIGEST_MISMATCH);
    cr_expect_neq(weft_world_error(rig.world)[0], '\0');
    weft_rig_close(&rig);
}
