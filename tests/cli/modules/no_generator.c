// Turns determinism off, and counts the ticks in which a generator was there all the same.
#include <weft/module.h>

#include <stdio.h>

WEFT_COMPONENT(Tally, (uint32_t, ticks), (uint32_t, generators));

static weft_status count(weft_view* view, const void* context) {
    (void)context;
    Tally* tallies = WEFT_WRITE(view, Tally);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++) {
        tallies[i].ticks++;
        tallies[i].generators += weft_view_has_random(view);
    }
    return WEFT_STATUS_OK;
}

static void describe(const weft_module_options* options, weft_world_desc* desc) {
    (void)options;
    desc->deterministic = false;
}

static weft_status build(const weft_module_options* options, weft_world* world,
                         weft_schedule* schedule) {
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(Tally), WEFT_STORAGE_DENSE));
    for (uint32_t i = 0; i < options->entity_count; i++) {
        WEFT_CREATE(weft_world_commands(world), 0, WEFT_VALUE(Tally, {0, 0}));
    }
    return weft_schedule_add_system(schedule,
                                    WEFT_SYSTEM("count", count, WEFT_ACCESS(WEFT_WRITES(Tally))));
}

static bool check(const weft_world* world, char* message, size_t capacity) {
    const Tally* tally = weft_world_read(world, (weft_entity){0, 1}, WEFT_TYPE(Tally));
    if (tally != NULL && tally->ticks == weft_world_tick(world) && tally->generators == 0)
        return true;
    (void)snprintf(message, capacity, "there was a generator");
    return false;
}

WEFT_MODULE_EXPORT const weft_module weft_module_table = {
    .abi = WEFT_MODULE_ABI,
    .name = "no_generator",
    .entity_count_default = 10,
    .tick_count_default = 4,
    .describe = describe,
    .build = build,
    .check = check,
};
