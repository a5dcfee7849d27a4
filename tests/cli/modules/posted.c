// Input events in every tick. WEFT_TEST_ODD_TICK names one that gets another.

#include <stdlib.h>

#include <weft/module.h>

WEFT_COMPONENT(Ear, (uint64_t, heard));
WEFT_MESSAGE(Word, (uint64_t, said));

static weft_status listen(weft_view* view, const void* context) {
    uint32_t count;
    const Word* words = weft_view_messages(view, WEFT_TYPE(Word), &count);
    Ear* ears = WEFT_WRITE(view, Ear);
    (void)context;
    for (uint32_t row = 0; row < weft_view_row_count(view); row++)
        for (uint32_t i = 0; i < count; i++)
            ears[row].heard = ears[row].heard * 31 + words[i].said;
    return WEFT_STATUS_OK;
}

static weft_status build(const weft_module_options* options, weft_world* world,
                         weft_schedule* schedule) {
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(Ear), WEFT_STORAGE_DENSE));
    WEFT_TRY(
        weft_world_register_channel(world, WEFT_TYPE(Word), WEFT_TARGET_WORLD, WEFT_DELIVERY_NEXT));
    for (uint64_t i = 0; i < options->entity_count; i++) {
        weft_commands* commands = weft_world_commands(world);
        WEFT_ADD(commands, 0, weft_commands_create(commands, 0), Ear, {i});
    }
    return weft_schedule_add_system(
        schedule,
        WEFT_SYSTEM("listen", listen, WEFT_ACCESS(WEFT_WRITES(Ear), WEFT_CONSUMES(Word))));
}

static weft_status input(weft_world* world, uint64_t tick) {
    const char* odd = getenv("WEFT_TEST_ODD_TICK");
    Word word = {odd != NULL && strtoull(odd, NULL, 10) == tick ? 1000000 : tick};
    return weft_world_post(world, WEFT_TYPE(Word), (weft_entity){0, 0}, &word);
}

WEFT_MODULE_EXPORT const weft_module weft_module_table = {
    .abi = WEFT_MODULE_ABI,
    .name = "posted",
    .entity_count_default = 100,
    .tick_count_default = 50,
    .build = build,
    .input = input,
};
