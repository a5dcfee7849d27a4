// Flips one bit of one component of one entity, in one tick, when the second shard is run before
// the first: in some parallel runs, never in the serial one; or with BIT_FLIP_ELSEWHERE in whatever
// process has not built the world: in all runs by worker processes. A hundred ticks before, if
// there are so many, another system has written the component.
#include <weft/module.h>

#ifdef BIT_FLIP_ELSEWHERE
#include <unistd.h>
#endif

WEFT_COMPONENT(Place, (weft_vec2, at), (int32_t, layer));
WEFT_COMPONENT(Speed, (weft_vec2, by));

#ifndef BIT_FLIP_TICK
#define BIT_FLIP_TICK 5
#endif

enum {
    TICK = BIT_FLIP_TICK,
    SLOT = WEFT_SHARD_SLOTS + 7,
    LAYER = 40,
    BIT = 2
};

// What no system may have: state outside the world.
#ifdef BIT_FLIP_ELSEWHERE
static pid_t home;

static void settle(void) {
    home = getpid();
}

static bool is_wrong(const weft_view* view) {
    (void)view;
    return getpid() != home;
}
#else
static uint64_t first_shard_ticks;

static void settle(void) {
    first_shard_ticks = 0;
}

static bool is_wrong(const weft_view* view) {
    uint64_t tick = weft_view_tick(view);
    if (weft_view_shard(view) == 0)
        first_shard_ticks = tick + 1;
    return first_shard_ticks != tick + 1;
}
#endif

static weft_status move(weft_view* view, const void* context) {
    (void)context;
    Place* places = WEFT_WRITE(view, Place);
    const Speed* speeds = WEFT_READ(view, Speed);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++) {
        places[i].at = weft_vec2_add(places[i].at, speeds[i].by);
        if (weft_view_tick(view) + 100 == TICK)
            places[i].layer++;
    }
    return WEFT_STATUS_OK;
}

static weft_status flip(weft_view* view, const void* context) {
    (void)context;
    Place* places = WEFT_WRITE(view, Place);
    const weft_entity* entities = weft_view_entities(view);
    bool wrong = is_wrong(view);
    if (weft_view_tick(view) != TICK || weft_view_shard(view) != 1 || !wrong)
        return WEFT_STATUS_OK;
    for (uint32_t i = 0; i < weft_view_row_count(view); i++) {
        if (entities[i].slot == SLOT)
            places[i].layer ^= 1 << BIT;
    }
    return WEFT_STATUS_OK;
}

static weft_status build(const weft_module_options* options, weft_world* world,
                         weft_schedule* schedule) {
    settle();
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(Speed), WEFT_STORAGE_DENSE));
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(Place), WEFT_STORAGE_DENSE));
    for (uint32_t i = 0; i < options->entity_count; i++) {
        WEFT_CREATE(weft_world_commands(world), 0, WEFT_VALUE(Place, {.layer = LAYER}),
                    WEFT_VALUE(Speed, {{WEFT_FIXED_RAW((int32_t)i), WEFT_FIXED_RAW(1)}}));
    }
    WEFT_TRY(weft_schedule_add_system(
        schedule, WEFT_SYSTEM("move", move, WEFT_ACCESS(WEFT_WRITES(Place), WEFT_READS(Speed)))));
    return weft_schedule_add_system(schedule,
                                    WEFT_SYSTEM("flip", flip, WEFT_ACCESS(WEFT_WRITES(Place))));
}

WEFT_MODULE_EXPORT const weft_module weft_module_table = {
    .abi = WEFT_MODULE_ABI,
    .name = "bit_flip",
    .summary = "one bit of one component of one entity",
    .entity_count_default = 2 * WEFT_SHARD_SLOTS,
    .tick_count_default = TICK + 5,
    .build = build,
};
