// Systems whose names a careless writer of JSON stumbles over.

#include <weft/module.h>

WEFT_COMPONENT(Cell, (uint32_t, value));
WEFT_RESOURCE(Sum, (uint64_t, value));

static weft_status step(weft_view* view, const void* context) {
    Cell* cells = WEFT_WRITE(view, Cell);
    (void)context;
    for (uint32_t row = 0; row < weft_view_row_count(view); row++)
        cells[row].value = cells[row].value * 5 + 1;
    return WEFT_STATUS_OK;
}

static weft_status count(weft_view* view, const void* context) {
    (void)context;
    WEFT_RESOURCE_WRITE(view, Sum)->value++;
    return WEFT_STATUS_OK;
}

static weft_status build(const weft_module_options* options, weft_world* world,
                         weft_schedule* schedule) {
    static const char* const names[] = {
        "a \"quoted\" \\ name", "gr\xC3\xBC\xC3\x9F \xF0\x9F\x90\x9D", "two\nlines\tand \x01\x7F",
        "not \xFF UTF-8 \xC3", "</script>{}[]:,"};
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(Cell), WEFT_STORAGE_DENSE));
    WEFT_TRY(weft_world_register_resource(world, WEFT_TYPE(Sum), 1, NULL));
    for (uint64_t i = 0; i < options->entity_count; i++) {
        weft_commands* commands = weft_world_commands(world);
        WEFT_ADD(commands, 0, weft_commands_create(commands, 0), Cell, {(uint32_t)i});
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        WEFT_TRY(weft_schedule_add_system(
            schedule, WEFT_SYSTEM(names[i], step, WEFT_ACCESS(WEFT_WRITES(Cell)))));
    return weft_schedule_add_system(
        schedule, WEFT_SYSTEM("count", count, .scope = WEFT_SCOPE_WORLD,
                              WEFT_ACCESS(WEFT_READS_ANY(Cell), WEFT_WRITES_RESOURCE(Sum))));
}

WEFT_MODULE_EXPORT const weft_module weft_module_table = {
    .abi = WEFT_MODULE_ABI,
    .name = "odd\"names\"",
    .entity_count_default = 10000,
    .tick_count_default = 10,
    .build = build,
};
