// Systems of every kind that `weft graph` tells apart.
#include <weft/module.h>

WEFT_COMPONENT(Place, (int32_t, metres));
WEFT_COMPONENT(Goal, (int32_t, metres));
WEFT_COMPONENT(Ghost, (int32_t, age));
WEFT_TAG(Frozen);

static weft_status nothing(weft_view* view, const void* context) {
    (void)view;
    (void)context;
    return WEFT_STATUS_OK;
}

static weft_status build(const weft_module_options* options, weft_world* world,
                         weft_schedule* schedule) {
    static const char* const choose[] = {"choose", NULL};
    (void)options;
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(Place), WEFT_STORAGE_DENSE));
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(Goal), WEFT_STORAGE_DENSE));
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(Ghost), WEFT_STORAGE_DENSE));
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(Frozen), WEFT_STORAGE_DENSE));
    WEFT_CREATE(weft_world_commands(world), 0, WEFT_VALUE(Place, {0}), WEFT_VALUE(Goal, {0}));
    // Registration says walk before choose, the relation turns it round.
    WEFT_TRY(weft_schedule_add_system(
        schedule,
        WEFT_SYSTEM("walk", nothing, .after = choose,
                    WEFT_ACCESS(WEFT_WRITES(Place), WEFT_READS(Goal), WEFT_WITHOUT(Frozen)))));
    WEFT_TRY(weft_schedule_add_system(
        schedule,
        WEFT_SYSTEM("choose", nothing, WEFT_ACCESS(WEFT_WRITES(Goal), WEFT_READS_ANY(Place)))));
    WEFT_TRY(weft_schedule_add_system(
        schedule,
        WEFT_SYSTEM("drift", nothing, WEFT_ACCESS(WEFT_WRITES(Place), WEFT_WITH(Frozen)))));
    WEFT_TRY(weft_schedule_add_system(
        schedule, WEFT_SYSTEM("haunt", nothing, WEFT_ACCESS(WEFT_WRITES(Ghost)))));
    return weft_schedule_add_system(schedule,
                                    WEFT_SYSTEM("watch", nothing, WEFT_ACCESS(WEFT_READS(Place))));
}

WEFT_MODULE_EXPORT const weft_module weft_module_table = {
    .abi = WEFT_MODULE_ABI,
    .name = "wiring",
    .entity_count_default = 1,
    .tick_count_default = 1,
    .build = build,
};
