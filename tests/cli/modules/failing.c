// A system that returns an error in its fourth tick.
#include <weft/module.h>

WEFT_COMPONENT(Fuse, (uint32_t, ticks));

static weft_status burn(weft_view* view, const void* context) {
    (void)context;
    Fuse* fuses = WEFT_WRITE(view, Fuse);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++) {
        if (++fuses[i].ticks == 4)
            return weft_view_fail(view, "the fuse of slot %u has burned down",
                                  weft_view_entities(view)[i].slot);
    }
    return WEFT_STATUS_OK;
}

static weft_status build(const weft_module_options* options, weft_world* world,
                         weft_schedule* schedule) {
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(Fuse), WEFT_STORAGE_DENSE));
    for (uint32_t i = 0; i < options->entity_count; i++) {
        WEFT_CREATE(weft_world_commands(world), 0, WEFT_VALUE(Fuse, {0}));
    }
    return weft_schedule_add_system(schedule,
                                    WEFT_SYSTEM("burn", burn, WEFT_ACCESS(WEFT_WRITES(Fuse))));
}

WEFT_MODULE_EXPORT const weft_module weft_module_table = {
    .abi = WEFT_MODULE_ABI,
    .name = "failing",
    .entity_count_default = 20000,
    .tick_count_default = 10,
    .build = build,
};
