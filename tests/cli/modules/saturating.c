// A system whose numbers leave their range in the fourth tick, and one that divides by zero in the
// second; both say so.
#include <weft/module.h>

WEFT_COMPONENT(Depth, (weft_fixed, at), (uint32_t, tick));

static weft_status dive(weft_view* view, const void* context) {
    (void)context;
    Depth* depths = WEFT_WRITE(view, Depth);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++)
        if (++depths[i].tick == 4 && i == 0)
            *weft_view_number_flags(view) |= WEFT_NUMBER_SATURATED;
    return WEFT_STATUS_OK;
}

static weft_status divide(weft_view* view, const void* context) {
    (void)context;
    if (WEFT_READ(view, Depth)->tick == 2)
        *weft_view_number_flags(view) |= WEFT_NUMBER_DIVIDED_BY_0;
    return WEFT_STATUS_OK;
}

static weft_status build(const weft_module_options* options, weft_world* world,
                         weft_schedule* schedule) {
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(Depth), WEFT_STORAGE_DENSE));
    for (uint32_t i = 0; i < options->entity_count; i++)
        WEFT_CREATE(weft_world_commands(world), 0, WEFT_VALUE(Depth, {{0}, 0}));
    WEFT_TRY(weft_schedule_add_system(schedule,
                                      WEFT_SYSTEM("dive", dive, WEFT_ACCESS(WEFT_WRITES(Depth)))));
    return weft_schedule_add_system(schedule,
                                    WEFT_SYSTEM("divide", divide, WEFT_ACCESS(WEFT_READS(Depth))));
}

WEFT_MODULE_EXPORT const weft_module weft_module_table = {
    .abi = WEFT_MODULE_ABI,
    .name = "saturating",
    .entity_count_default = 10000,
    .tick_count_default = 10,
    .build = build,
};
