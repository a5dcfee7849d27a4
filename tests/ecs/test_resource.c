// Resources: singletons and arrays of the world.

#include "worlds.h"

WEFT_COMPONENT(Body, (uint32_t, mass));
WEFT_RESOURCE(Gauge, (uint64_t, level));
WEFT_RESOURCE(Grid, (weft_entity, owner), (uint32_t, height));
WEFT_TAG(Nothing);

enum {
    CELLS = 10000
};

static void register_all(weft_world* world) {
    world_component(world, WEFT_TYPE(Body), WEFT_STORAGE_DENSE);
    WORLD_OK(world, weft_world_register_resource(world, WEFT_TYPE(Gauge), 1, &(Gauge){42}));
    WORLD_OK(world, weft_world_register_resource(world, WEFT_TYPE(Grid), CELLS, NULL));
}

Test(resource, initial_values_fill_all_of_it) {
    weft_world* world = world_make();
    WORLD_OK(world, weft_world_register_resource(world, WEFT_TYPE(Gauge), 5, &(Gauge){42}));
    WORLD_OK(world, weft_world_register_resource(world, WEFT_TYPE(Grid), 3, NULL));
    const Gauge* gauge = weft_world_resource(world, WEFT_TYPE(Gauge));
    const Grid* grid = weft_world_resource(world, WEFT_TYPE(Grid));
    for (uint32_t i = 0; i < 5; i++)
        cr_assert_eq(gauge[i].level, 42);
    for (uint32_t i = 0; i < 3; i++)
        cr_assert(grid[i].height == 0 && weft_entity_is_null(grid[i].owner));
    cr_assert_null(weft_world_resource(world, WEFT_TYPE(Body)));
    weft_world_destroy(world);
}

Test(resource, impossible_counts_and_tags_are_refused) {
    weft_world* world = world_make();
    cr_assert_eq(weft_world_register_resource(world, WEFT_TYPE(Gauge), 0, NULL),
                 WEFT_STATUS_BAD_ARGUMENT);
    TEXT_HAS(weft_world_error(world), "Gauge");
    cr_assert_eq(weft_world_register_resource(world, WEFT_TYPE(Nothing), 1, NULL),
                 WEFT_STATUS_BAD_TYPE);
    TEXT_HAS(weft_world_error(world), "Nothing");
    cr_assert_null(weft_world_resource(world, WEFT_TYPE(Gauge)));
    weft_world_destroy(world);
}

Test(resource, it_is_set_before_the_first_tick_only) {
    weft_world* world = world_make();
    weft_schedule* schedule = run_schedule(world);
    register_all(world);
    weft_digest view = weft_world_digest_view(world);
    WORLD_OK(world, weft_world_set_resource(world, WEFT_TYPE(Gauge), &(Gauge){43}));
    cr_assert_eq(((const Gauge*)weft_world_resource(world, WEFT_TYPE(Gauge)))->level, 43);
    DIGEST_NE(weft_world_digest_view(world), view);
    WORLD_OK(world, weft_world_set_resource(world, WEFT_TYPE(Gauge), &(Gauge){42}));
    DIGEST_EQ(weft_world_digest_view(world), view);
    cr_assert_eq(weft_world_set_resource(world, WEFT_TYPE(Body), &(Body){1}),
                 WEFT_STATUS_UNKNOWN_TYPE);
    TEXT_HAS(weft_world_error(world), "Body");
    weft_executor* executor = run_executor(schedule, &run_configs[0]);
    WORLD_OK(world, weft_executor_tick(executor));
    cr_assert_eq(weft_world_set_resource(world, WEFT_TYPE(Gauge), &(Gauge){44}),
                 WEFT_STATUS_WRONG_PHASE);
    TEXT_HAS(weft_world_error(world), "Gauge");
    TEXT_HAS(weft_world_error(world), "input event");
    cr_assert_eq(((const Gauge*)weft_world_resource(world, WEFT_TYPE(Gauge)))->level, 42);
    weft_executor_destroy(executor);
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
}

// One writer, then readers, in one tick; a second writer after them.
static weft_status fill(weft_view* view, const void* context) {
    const uint32_t* factor = context;
    weft_commands* commands = weft_view_commands(view);
    Grid* grid = WEFT_RESOURCE_WRITE(view, Grid);
    Gauge* gauge = WEFT_RESOURCE_WRITE(view, Gauge);
    for (uint32_t i = 0; i < CELLS; i++)
        grid[i].height += i * *factor;
    gauge->level = gauge->level * 5 + *factor;
    weft_entity made = weft_commands_create(commands, 0);
    WEFT_ADD(commands, 0, made, Body, {*factor});
    grid[weft_view_tick(view) * 10 + *factor].owner = made;
    return WEFT_STATUS_OK;
}

static weft_status weigh(weft_view* view, const void* context) {
    (void)context;
    const weft_entity* entities = weft_view_entities(view);
    const Grid* grid = WEFT_RESOURCE_READ(view, Grid);
    const Gauge* gauge = WEFT_RESOURCE_READ(view, Gauge);
    Body* bodies = WEFT_WRITE(view, Body);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++)
        bodies[i].mass += grid[entities[i].slot % CELLS].height + (uint32_t)gauge->level;
    return WEFT_STATUS_OK;
}

static void build(weft_world* world, weft_schedule* schedule) {
    static const uint32_t factors[] = {1, 2};
    register_all(world);
    weft_commands* commands = weft_world_commands(world);
    for (uint32_t i = 0; i < 2 * WEFT_SHARD_SLOTS; i++)
        WEFT_ADD(commands, 0, weft_commands_create(commands, 0), Body, {i});
    world_commit(world);
    run_add(schedule, WEFT_SYSTEM("fill", fill, .scope = WEFT_SCOPE_WORLD, .context = &factors[0],
                                  WEFT_ACCESS(WEFT_WRITES_RESOURCE(Grid), WEFT_COMMANDS,
                                              WEFT_WRITES_RESOURCE(Gauge))));
    run_add(schedule, WEFT_SYSTEM("weigh", weigh,
                                  WEFT_ACCESS(WEFT_READS_RESOURCE(Grid), WEFT_WRITES(Body),
                                              WEFT_READS_RESOURCE(Gauge))));
    run_add(schedule, WEFT_SYSTEM("refill", fill, .scope = WEFT_SCOPE_WORLD, .context = &factors[1],
                                  WEFT_ACCESS(WEFT_WRITES_RESOURCE(Grid), WEFT_COMMANDS,
                                              WEFT_WRITES_RESOURCE(Gauge))));
}

static void check(const sim* s, uint64_t tick) {
    uint64_t level = 42;
    uint32_t mass = 5;
    uint32_t height = 0;
    for (uint64_t t = 0; t < tick; t++) {
        level = level * 5 + 1;
        height += 5;
        mass += height + (uint32_t)level;
        level = level * 5 + 2;
        height += 10;
    }
    const Gauge* gauge = weft_world_resource(s->world, WEFT_TYPE(Gauge));
    const Body* body = weft_world_read(s->world, (weft_entity){5, 1}, WEFT_TYPE(Body));
    cr_assert_eq(gauge->level, level);
    cr_assert_eq(body->mass, mass);
    // Provisional handles in it have become real.
    const Grid* grid = weft_world_resource(s->world, WEFT_TYPE(Grid));
    for (uint32_t i = 0; i < CELLS; i++) {
        uint32_t factor = i % 10;
        bool owned = i / 10 < tick && (factor == 1 || factor == 2);
        cr_assert_eq(weft_world_is_alive(s->world, grid[i].owner), owned, "cell %u", i);
        if (!owned)
            continue;
        const Body* made = weft_world_read(s->world, grid[i].owner, WEFT_TYPE(Body));
        cr_assert_eq(grid[i].owner.slot, 2 * WEFT_SHARD_SLOTS + i / 10 * 2 + factor - 1);
        cr_assert_not_null(made);
    }
}

Test(resource, writers_and_readers_run_in_order) {
    sim_same_everywhere(build, 4, check);
}

Test(resource, chunk_systems_may_not_write_it) {
    weft_world* world = world_make();
    weft_schedule* schedule = run_schedule(world);
    register_all(world);
    cr_assert_eq(weft_schedule_add_system(
                     schedule, WEFT_SYSTEM("fill", fill, WEFT_ACCESS(WEFT_WRITES_RESOURCE(Grid)))),
                 WEFT_STATUS_BAD_ACCESS);
    TEXT_HAS(weft_schedule_error(schedule), "\"fill\"");
    TEXT_HAS(weft_schedule_error(schedule), "Grid");
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
}
