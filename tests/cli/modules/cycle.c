// "draw" is to run before "move", whose writes it reads from any row, and "move" before "draw".
#include <weft/module.h>

WEFT_COMPONENT(Place, (int32_t, metres));

static weft_status nothing(weft_view* view, const void* context) {
    (void)view;
    (void)context;
    return WEFT_STATUS_OK;
}

static weft_status build(const weft_module_options* options, weft_world* world,
                         weft_schedule* schedule) {
    static const char* const draw[] = {"draw", NULL};
    static const char* const move[] = {"move", NULL};
    (void)options;
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(Place), WEFT_STORAGE_DENSE));
    WEFT_TRY(weft_schedule_add_system(
        schedule, WEFT_SYSTEM("move", nothing, WEFT_ACCESS(WEFT_WRITES(Place)), .before = draw)));
    return weft_schedule_add_system(
        schedule, WEFT_SYSTEM("draw", nothing, WEFT_ACCESS(WEFT_READS_ANY(Place)), .before = move));
}

WEFT_MODULE_EXPORT const weft_module weft_module_table = {
    .abi = WEFT_MODULE_ABI,
    .name = "cycle",
    .entity_count_default = 1,
    .tick_count_default = 1,
    .build = build,
};
