#include "bench_run.h"

#include <criterion/criterion.h>

weft_rig bench_open(const weft_module* module, uint64_t entity_count, uint64_t seed,
                    const weft_executor_desc* desc) {
    weft_rig rig;
    weft_status status = weft_rig_open(&rig, module, entity_count, seed);
    cr_assert_eq(status, WEFT_STATUS_OK, "%s", rig.error);
    status = weft_rig_add(&rig, desc);
    cr_assert_eq(status, WEFT_STATUS_OK, "%s", rig.error);
    return rig;
}

weft_digest bench_tick(weft_rig* rig) {
    weft_status status = weft_rig_tick(rig, 0);
    cr_assert_eq(status, WEFT_STATUS_OK, "%s", rig->error);
    char message[256] = "";
    if (rig->module->check)
        cr_assert(rig->module->check(rig->world, message, sizeof(message)), "%s, tick %llu: %s",
                  rig->module->name, (unsigned long long)weft_world_tick(rig->world), message);
    weft_digest view, full;
    status = weft_executor_digest(rig->executor[0], &view, &full);
    cr_assert_eq(status, WEFT_STATUS_OK, "%s", weft_status_text(status));
    return full;
}

uint64_t bench_first_difference(const weft_module* module, uint64_t entity_count, uint64_t seed,
                                uint64_t ticks, const weft_executor_desc* desc) {
    weft_executor_desc serial_desc = weft_rig_serial();
    weft_rig serial = bench_open(module, entity_count, seed, &serial_desc);
    weft_rig other = bench_open(module, entity_count, seed, desc);
    uint64_t different = 0;
    for (uint64_t tick = 1; tick <= ticks && different == 0; ++tick) {
        weft_digest left = bench_tick(&serial);
        weft_digest right = bench_tick(&other);
        if (!weft_digest_equal(left, right))
            different = tick;
    }
    if (different == 0 && module != &weft_workload_canary) {
        cr_assert_eq(weft_world_digest_check(serial.world), WEFT_STATUS_OK, "%s",
                     weft_world_error(serial.world));
        cr_assert_eq(weft_world_digest_check(other.world), WEFT_STATUS_OK, "%s",
                     weft_world_error(other.world));
    }
    weft_rig_close(&serial);
    weft_rig_close(&other);
    return different;
}
