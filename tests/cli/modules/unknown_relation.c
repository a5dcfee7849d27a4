// "physics" is to run before a system that nobody registered.
#include <weft/module.h>

WEFT_COMPONENT(Mass, (int32_t, grams));

static weft_status nothing(weft_view* view, const void* context) {
    (void)view;
    (void)context;
    return WEFT_STATUS_OK;
}

static weft_status build(const weft_module_options* options, weft_world* world,
                         weft_schedule* schedule) {
    static const char* const later[] = {"rendr", NULL};
    (void)options;
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(Mass), WEFT_STORAGE_DENSE));
    WEFT_TRY(weft_schedule_add_system(
        schedule, WEFT_SYSTEM("render", nothing, WEFT_ACCESS(WEFT_READS(Mass)))));
    return weft_schedule_add_system(
        schedule, WEFT_SYSTEM("physics", nothing, WEFT_ACCESS(WEFT_WRITES(Mass)), .before = later));
}

WEFT_MODULE_EXPORT const weft_module weft_module_table = {
    .abi = WEFT_MODULE_ABI,
    .name = "unknown_relation",
    .entity_count_default = 1,
    .tick_count_default = 1,
    .build = build,
};
