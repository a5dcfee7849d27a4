// Systems that lie about what they touch, one lie for each seed: canaries for the guards. Every
// lie is told in tick 2, by one system, about one entity. Seed 0 is honest.
#include <weft/module.h>

WEFT_COMPONENT(Place, (int32_t, x), (int32_t, y));
WEFT_COMPONENT(Pace, (int32_t, x), (int32_t, y));
WEFT_COMPONENT(Secret, (int32_t, a), (int32_t, b));
WEFT_RESOURCE(Wind, (int32_t, force));
WEFT_RESOURCE(Purse, (int32_t, coins));

enum {
    HONEST = 0,
    WRITES_CONST = 1,
    WRITES_UNDECLARED = 2,
    READS_UNDECLARED = 3,
    OVERRUNS = 4,
    WRITES_RESOURCE = 5,
    REMEMBERS = 6,
    ROW = 41 // Of the entity that is lied about: in the first chunk its slot.
};

static uint64_t lie;            // Of the module that was built last.
static const Secret* secrets;   // Handed out to a system that may see them.
static Secret* secrets_written; // The same, to write.
static Purse* purse;
static int32_t calls;

static weft_status peek(weft_view* view, const void* context) {
    (void)context;
    if (weft_view_shard(view) == 0) {
        secrets_written = WEFT_WRITE(view, Secret);
        secrets = WEFT_READ(view, Secret);
        secrets_written[ROW].a++;
    }
    return WEFT_STATUS_OK;
}

static weft_status hold(weft_view* view, const void* context) {
    (void)context;
    purse = WEFT_RESOURCE_WRITE(view, Purse);
    purse->coins++;
    return WEFT_STATUS_OK;
}

static weft_status walk(weft_view* view, const void* context) {
    (void)context;
    Place* places = WEFT_WRITE(view, Place);
    const Pace* paces = WEFT_READ(view, Pace);
    const Wind* wind = WEFT_RESOURCE_READ(view, Wind);
    uint32_t count = weft_view_row_count(view);
    for (uint32_t i = 0; i < count; i++) {
        places[i].x += paces[i].x + wind->force;
        places[i].y += paces[i].y;
    }
    if (weft_view_tick(view) != 2 || weft_view_shard(view) != 0)
        return WEFT_STATUS_OK;
    if (lie == WRITES_CONST)
        ((Pace*)(uintptr_t)paces)[ROW].y = 7; // A line that reports name.
    if (lie == WRITES_UNDECLARED)
        secrets_written[ROW].b = 7;
    if (lie == READS_UNDECLARED)
        places[ROW].x += secrets[ROW].b;
    if (lie == OVERRUNS)
        ((volatile Place*)places)[count].x = 7;
    if (lie == WRITES_RESOURCE)
        purse->coins = 0;
    if (lie == REMEMBERS)
        places[ROW].x = calls++;
    return WEFT_STATUS_OK;
}

static weft_status build(const weft_module_options* options, weft_world* world,
                         weft_schedule* schedule) {
    lie = options->seed;
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(Place), WEFT_STORAGE_DENSE));
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(Pace), WEFT_STORAGE_DENSE));
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(Secret), WEFT_STORAGE_DENSE));
    WEFT_TRY(weft_world_register_resource(world, WEFT_TYPE(Wind), 1, NULL));
    WEFT_TRY(weft_world_register_resource(world, WEFT_TYPE(Purse), 1, NULL));
    for (uint32_t i = 0; i < options->entity_count; i++) {
        WEFT_CREATE(weft_world_commands(world), 0, WEFT_VALUE(Place, {(int32_t)i, 0}),
                    WEFT_VALUE(Pace, {1, 2}), WEFT_VALUE(Secret, {3, 4}));
    }
    WEFT_TRY(weft_schedule_add_system(schedule,
                                      WEFT_SYSTEM("peek", peek, WEFT_ACCESS(WEFT_WRITES(Secret)))));
    WEFT_TRY(
        weft_schedule_add_system(schedule, WEFT_SYSTEM("hold", hold, .scope = WEFT_SCOPE_WORLD,
                                                       WEFT_ACCESS(WEFT_WRITES_RESOURCE(Purse)))));
    return weft_schedule_add_system(
        schedule,
        WEFT_SYSTEM("walk", walk,
                    WEFT_ACCESS(WEFT_WRITES(Place), WEFT_READS(Pace), WEFT_READS_RESOURCE(Wind))));
}

WEFT_MODULE_EXPORT const weft_module weft_module_table = {
    .abi = WEFT_MODULE_ABI,
    .name = "liar",
    .summary = "touches what it did not declare",
    .entity_count_default = 5000,
    .tick_count_default = 5,
    .build = build,
};
