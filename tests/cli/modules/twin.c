// A simulation of which there are two builds. The second makes another number for one entity, in
// one tick.
#include <weft/module.h>

#ifndef TWIN
#define TWIN 0
#endif

WEFT_COMPONENT(Height, (int64_t, metres), (int64_t, slope));

enum {
    TICK = 72,
    SLOT = WEFT_SHARD_SLOTS + 99
};

static weft_status climb(weft_view* view, const void* context) {
    (void)context;
    Height* heights = WEFT_WRITE(view, Height);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++) {
        bool other =
            TWIN != 0 && weft_view_tick(view) == TICK && weft_view_entities(view)[i].slot == SLOT;
        heights[i].metres += heights[i].slope + other;
    }
    return WEFT_STATUS_OK;
}

static weft_status tilt(weft_view* view, const void* context) {
    (void)context;
    Height* heights = WEFT_WRITE(view, Height);
    if (weft_view_tick(view) == 60)
        for (uint32_t i = 0; i < weft_view_row_count(view); i++)
            heights[i].slope = 0;
    return WEFT_STATUS_OK;
}

static weft_status build(const weft_module_options* options, weft_world* world,
                         weft_schedule* schedule) {
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(Height), WEFT_STORAGE_DENSE));
    for (uint32_t i = 0; i < options->entity_count; i++) {
        WEFT_CREATE(weft_world_commands(world), 0, WEFT_VALUE(Height, {0, i % 5 + 1}));
    }
    WEFT_TRY(weft_schedule_add_system(
        schedule, WEFT_SYSTEM("climb", climb, WEFT_ACCESS(WEFT_WRITES(Height)))));
    return weft_schedule_add_system(schedule,
                                    WEFT_SYSTEM("tilt", tilt, WEFT_ACCESS(WEFT_WRITES(Height))));
}

WEFT_MODULE_EXPORT const weft_module weft_module_table = {
    .abi = WEFT_MODULE_ABI,
    .name = "twin",
    .summary = "one of two builds",
    .entity_count_default = 2 * WEFT_SHARD_SLOTS,
    .tick_count_default = 100,
    .build = build,
};
