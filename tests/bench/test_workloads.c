// Every workload builds, keeps its invariants, and is the same on every executor.

#include "bench_run.h"

#include <criterion/criterion.h>

// Big enough for several shards, so that there is an order to get wrong.
static uint64_t small_count(const weft_module* module) {
    if (module == &weft_workload_overhead)
        return 10;
    return module == &weft_workload_boids ? 5000 : 10000;
}

static void compare_all(const weft_executor_desc* desc, uint64_t ticks, const char* what) {
    size_t count;
    const weft_module* const* modules = weft_workloads(&count);
    for (size_t i = 0; i < count; ++i) {
        if (modules[i] == &weft_workload_canary)
            continue;
        uint64_t tick = bench_first_difference(modules[i], small_count(modules[i]), 7, ticks, desc);
        cr_expect_eq(tick, 0, "%s: %s differs from serial at tick %llu", modules[i]->name, what,
                     (unsigned long long)tick);
    }
}

Test(workloads, serial_run_repeats) {
    weft_executor_desc desc = weft_rig_serial();
    compare_all(&desc, 10, "a second serial run");
}

Test(workloads, virtual_workers_agree) {
    weft_executor_desc desc = weft_rig_virtual(3, 11);
    compare_all(&desc, 50, "virtual 3");
}

Test(workloads, threads_agree) {
    weft_executor_desc desc = weft_rig_threads(2, NULL);
    compare_all(&desc, 50, "threads 2");
}

Test(workloads, unfused_stages_agree) {
    weft_executor_desc desc = weft_rig_serial();
    desc.no_fusion = true;
    compare_all(&desc, 10, "serial without fusion");
}

// The negative control: what is compared depends on the seed.
Test(workloads, seeds_give_different_runs) {
    static const weft_module* const drawn[] = {&weft_workload_creatures, &weft_workload_motion,
                                               &weft_workload_churn,     &weft_workload_boids,
                                               &weft_workload_tick10,    &weft_workload_orbits};
    weft_executor_desc desc = weft_rig_serial();
    for (size_t i = 0; i < sizeof(drawn) / sizeof(drawn[0]); ++i) {
        weft_rig a = bench_open(drawn[i], 2000, 1, &desc);
        weft_rig b = bench_open(drawn[i], 2000, 2, &desc);
        cr_expect(!weft_digest_equal(bench_tick(&a), bench_tick(&b)), "%s", drawn[i]->name);
        weft_rig_close(&a);
        weft_rig_close(&b);
    }
}

Test(workloads, one_entity_is_enough) {
    size_t count;
    const weft_module* const* modules = weft_workloads(&count);
    weft_executor_desc desc = weft_rig_serial();
    for (size_t i = 0; i < count; ++i) {
        // One creature alone may die or divide at once, which its own invariants refuse.
        if (modules[i] == &weft_workload_creatures)
            continue;
        weft_rig rig = bench_open(modules[i], 1, 3, &desc);
        for (int tick = 0; tick < 3; ++tick)
            (void)bench_tick(&rig);
        weft_rig_close(&rig);
    }
}

Test(workloads, registry_is_complete) {
    size_t count;
    const weft_module* const* modules = weft_workloads(&count);
    cr_assert_geq(count, 9);
    for (size_t i = 0; i < count; ++i) {
        cr_expect_eq(modules[i]->abi, WEFT_MODULE_ABI);
        cr_expect_not_null(modules[i]->build);
        cr_expect_not_null(modules[i]->summary);
        cr_expect_gt(modules[i]->entity_count_default, 0);
        cr_expect_gt(modules[i]->tick_count_default, 0);
        // Names are unique: each finds itself.
        cr_expect_eq(weft_workload_find(modules[i]->name), modules[i]);
    }
    cr_expect_eq(modules[count - 1], &weft_workload_canary);
    cr_expect_null(weft_workload_find("no such workload"));
}
