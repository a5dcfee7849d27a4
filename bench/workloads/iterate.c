#include "iterate.h"

WEFT_KERNEL void weft_iterate_advance(IteratePosition* restrict position,
                                      const IterateVelocity* restrict velocity, size_t count) {
    for (size_t i = 0; i < count; ++i)
        position[i].at = weft_vec2_add(position[i].at, velocity[i].per_tick);
}

static weft_status advance(weft_view* view, const void* context) {
    (void)context;
    weft_iterate_advance(WEFT_WRITE(view, IteratePosition), WEFT_READ(view, IterateVelocity),
                         weft_view_row_count(view));
    return WEFT_STATUS_OK;
}

static weft_status build(const weft_module_options* options, weft_world* world,
                         weft_schedule* schedule) {
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(IteratePosition), WEFT_STORAGE_DENSE));
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(IterateVelocity), WEFT_STORAGE_DENSE));
    WEFT_TRY(weft_schedule_add_system(
        schedule,
        WEFT_SYSTEM("advance", advance,
                    WEFT_ACCESS(WEFT_WRITES(IteratePosition), WEFT_READS(IterateVelocity)))));
    if (options->entity_count > WEFT_SLOT_LIMIT_MAX)
        return WEFT_STATUS_BAD_ARGUMENT;
    weft_random_key key = {.seed = options->seed, .system = weft_hash64_of_name("iterate_start")};
    weft_commands* commands = weft_world_commands(world);
    for (uint32_t i = 0; i < options->entity_count; ++i) {
        weft_random_block draw = weft_random_block_at(key, i, 0);
        // Places in -1024..1024 and speeds in -1/16..1/16.
        WEFT_CREATE(commands, 0,
                    WEFT_VALUE(IteratePosition,
                               {{{(int32_t)draw.word[0] >> 5}, {(int32_t)draw.word[1] >> 5}}}),
                    WEFT_VALUE(IterateVelocity,
                               {{{(int32_t)draw.word[2] >> 19}, {(int32_t)draw.word[3] >> 19}}}));
    }
    return WEFT_STATUS_OK;
}

const weft_module weft_suite_iterate = {
    .abi = WEFT_MODULE_ABI,
    .name = "iterate",
    .summary = "position += velocity",
    .entity_count_default = 1000000,
    .tick_count_default = 100,
    .build = build,
};
