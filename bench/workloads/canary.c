/// A system that lies about its access, to test the instruments.
///
/// It declares that it reads the odometer, casts the const away and counts in it, and stamps the
/// count on its rows. So the order in which tasks run leaks into the state: any comparison of the
/// serial run with a `virtual` run must find it. It is also a data race, so threads have no defined
/// result at all.

#include "workload.h"

WEFT_RESOURCE(Odometer, (uint32_t, tasks));
WEFT_COMPONENT(Stamp, (uint32_t, tasks));

static weft_status stamp(weft_view* view, const void* context) {
    (void)context;
    // The lie.
    // weft-lint: allow(address): this system is to be caught at run time
    Odometer* odometer = (Odometer*)(uintptr_t)WEFT_RESOURCE_READ(view, Odometer);
    ++odometer->tasks;
    Stamp* stamps = WEFT_WRITE(view, Stamp);
    uint32_t count = weft_view_row_count(view);
    for (uint32_t row = 0; row < count; ++row)
        stamps[row].tasks = odometer->tasks;
    return WEFT_STATUS_OK;
}

static weft_status build(const weft_module_options* options, weft_world* world,
                         weft_schedule* schedule) {
    if (options->entity_count > WEFT_SLOT_LIMIT_MAX)
        return WEFT_STATUS_BAD_ARGUMENT;
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(Stamp), WEFT_STORAGE_DENSE));
    WEFT_TRY(weft_world_register_resource(world, WEFT_TYPE(Odometer), 1, NULL));
    WEFT_TRY(weft_schedule_add_system(
        schedule, WEFT_SYSTEM("stamp", stamp,
                              WEFT_ACCESS(WEFT_WRITES(Stamp), WEFT_READS_RESOURCE(Odometer)))));
    weft_commands* commands = weft_world_commands(world);
    for (uint32_t i = 0; i < options->entity_count; ++i) {
        WEFT_CREATE(commands, 0, WEFT_VALUE(Stamp, {0}));
    }
    return WEFT_STATUS_OK;
}

const weft_module weft_workload_canary = {
    .abi = WEFT_MODULE_ABI,
    .name = "canary",
    .summary = "lies about its access: a test of the instruments, must diverge",
    .entity_count_default = 8 * WEFT_SHARD_SLOTS,
    .tick_count_default = 20,
    .build = build,
};
