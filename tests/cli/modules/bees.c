// Bees that gather nectar. There is a mistake in it, and docs/debugging.md is how it is found. With
// BEES_MENDED what the bee before carried is looked up where it follows from the state alone.

#include <weft/module.h>

WEFT_COMPONENT(Bee, (uint32_t, nectar), (uint32_t, flights));

#ifndef BEES_MENDED
static uint32_t last_load; // What the bee before carried.
#endif

static weft_status gather(weft_view* view, const void* context) {
    (void)context;
    Bee* bees = WEFT_WRITE(view, Bee);
    const weft_entity* entities = weft_view_entities(view);
    weft_random_key key = weft_view_random(view);
#ifdef BEES_MENDED
    uint32_t last_load = 0; // Of this chunk's rows, which are the same in every run.
#endif
    for (uint32_t row = 0; row < weft_view_row_count(view); row++) {
        uint32_t load = weft_random_below(key, entities[row].slot, 0, 10);
        if (load == 9 && last_load == 9)
            load++; // The two danced for each other.
        bees[row].nectar += load;
        bees[row].flights++;
        last_load = load;
    }
    return WEFT_STATUS_OK;
}

static weft_status build(const weft_module_options* options, weft_world* world,
                         weft_schedule* schedule) {
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(Bee), WEFT_STORAGE_DENSE));
    for (uint64_t i = 0; i < options->entity_count; i++)
        WEFT_CREATE(weft_world_commands(world), 0, WEFT_VALUE(Bee, {0, 0}));
    return weft_schedule_add_system(schedule,
                                    WEFT_SYSTEM("gather", gather, WEFT_ACCESS(WEFT_WRITES(Bee))));
}

WEFT_MODULE_EXPORT const weft_module weft_module_table = {
    .abi = WEFT_MODULE_ABI,
    .name = "bees",
    .summary = "bees that gather nectar",
    .entity_count_default = 20000,
    .tick_count_default = 200,
    .build = build,
};
