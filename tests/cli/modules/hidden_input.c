// Counts the worlds that were made of it, outside of any world: no two runs are equal, the serial
// one included.
#include <weft/module.h>

WEFT_COMPONENT(Number, (uint32_t, value));

static uint32_t world_count;

static weft_status count(weft_view* view, const void* context) {
    (void)context;
    Number* numbers = WEFT_WRITE(view, Number);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++)
        numbers[i].value += world_count;
    return WEFT_STATUS_OK;
}

static weft_status build(const weft_module_options* options, weft_world* world,
                         weft_schedule* schedule) {
    world_count++;
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(Number), WEFT_STORAGE_DENSE));
    for (uint32_t i = 0; i < options->entity_count; i++) {
        WEFT_CREATE(weft_world_commands(world), 0, WEFT_VALUE(Number, {0}));
    }
    return weft_schedule_add_system(schedule,
                                    WEFT_SYSTEM("count", count, WEFT_ACCESS(WEFT_WRITES(Number))));
}

WEFT_MODULE_EXPORT const weft_module weft_module_table = {
    .abi = WEFT_MODULE_ABI,
    .name = "hidden_input",
    .entity_count_default = 10,
    .tick_count_default = 4,
    .build = build,
};
