// Worlds: the schema's rules, errors, independence.

#include "worlds.h"

WEFT_COMPONENT(Body, (uint32_t, mass));
WEFT_COMPONENT(Cargo, (uint32_t, crates));
WEFT_TAG(Mark);
WEFT_RESOURCE(Gauge, (uint64_t, level));
WEFT_MESSAGE(Letter, (uint32_t, word));
WEFT_PARTIAL(Total, (uint64_t, mass));

static void total_combine(void* left, const void* right) {
    ((Total*)left)->mass += ((const Total*)right)->mass;
}

// Registers a type in role `role`, 0 to 5.
static weft_status register_as(weft_world* world, const weft_type* type, uint32_t role) {
    switch (role) {
    case 0:
        return weft_world_register_component(world, type, WEFT_STORAGE_DENSE);
    case 1:
        return weft_world_register_component(world, type, WEFT_STORAGE_SPARSE);
    case 2:
        return weft_world_register_component(world, type, WEFT_STORAGE_BUFFERED);
    case 3:
        return weft_world_register_resource(world, type, 1, NULL);
    case 4:
        return weft_world_register_channel(world, type, WEFT_TARGET_WORLD, WEFT_DELIVERY_NEXT);
    default:
        return weft_world_register_reduction(world, type, NULL, total_combine);
    }
}

// Schema -----------------------------------------------------------------------------------------

Test(world, a_name_has_one_role) {
    for (uint32_t first = 0; first < 6; first++) {
        for (uint32_t second = 0; second < 6; second++) {
            weft_world* world = world_make();
            WORLD_OK(world, register_as(world, WEFT_TYPE(Body), first));
            uint64_t schema = weft_world_schema_hash(world);
            weft_digest view = weft_world_digest_view(world);
            cr_assert_eq(register_as(world, WEFT_TYPE(Body), second), WEFT_STATUS_DUPLICATE);
            TEXT_HAS(weft_world_error(world), "Body");
            TEXT_HAS(weft_world_error(world), "already");
            cr_assert_eq(weft_world_schema_hash(world), schema);
            DIGEST_EQ(weft_world_digest_view(world), view);
            // And the refusal left room for others.
            WORLD_OK(world, register_as(world, WEFT_TYPE(Cargo), second));
            weft_world_destroy(world);
        }
    }
}

Test(world, tags_are_components_only) {
    for (uint32_t role = 0; role < 6; role++) {
        weft_world* world = world_make();
        weft_status expected = role < 2 ? WEFT_STATUS_OK : WEFT_STATUS_BAD_TYPE;
        cr_assert_eq(register_as(world, WEFT_TYPE(Mark), role), expected, "role %u", role);
        if (expected != WEFT_STATUS_OK)
            TEXT_HAS(weft_world_error(world), "Mark");
        weft_world_destroy(world);
    }
}

Test(world, storages_that_do_not_exist_are_refused) {
    weft_world* world = world_make();
    cr_assert_eq(weft_world_register_component(world, WEFT_TYPE(Body), (weft_storage)3),
                 WEFT_STATUS_BAD_ARGUMENT);
    TEXT_HAS(weft_world_error(world), "Body");
    WORLD_OK(world, register_as(world, WEFT_TYPE(Body), 0));
    weft_world_destroy(world);
}

Test(world, the_schema_closes_with_the_first_tick) {
    weft_world* world = world_make();
    weft_schedule* schedule = run_schedule(world);
    WORLD_OK(world, register_as(world, WEFT_TYPE(Body), 0));
    weft_executor* executor = run_executor(schedule, &run_configs[0]);
    world_create(world, 1, NULL); // A commit is no tick.
    WORLD_OK(world, register_as(world, WEFT_TYPE(Letter), 4));
    weft_executor_destroy(executor);
    executor = run_executor(schedule, &run_configs[0]);
    WORLD_OK(world, weft_executor_tick(executor));
    for (uint32_t role = 0; role < 6; role++) {
        cr_assert_eq(register_as(world, WEFT_TYPE(Cargo), role), WEFT_STATUS_WRONG_PHASE);
        TEXT_HAS(weft_world_error(world), "Cargo");
        TEXT_HAS(weft_world_error(world), "first tick");
    }
    weft_executor_destroy(executor);
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
}

// Types may be registered when entities live already, and used at once.
Test(world, late_types_work_on_living_entities) {
    weft_world* world = world_make();
    weft_entity made[3];
    world_create(world, 3, made);
    for (uint32_t role = 0; role < 3; role++) {
        const weft_type* types[] = {WEFT_TYPE(Body), WEFT_TYPE(Cargo), WEFT_TYPE(Letter)};
        static const uint32_t value = 7;
        WORLD_OK(world, register_as(world, types[role], role));
        weft_commands_add(weft_world_commands(world), 0, made[1], types[role], &value);
        world_commit(world);
        const uint32_t* found = weft_world_read(world, made[1], types[role]);
        cr_assert(found != NULL && *found == 7);
        WORLD_OK(world, weft_world_digest_check(world));
    }
    weft_world_destroy(world);
}

Test(world, the_schema_hash_covers_roles_order_and_layout) {
    uint64_t seen[64];
    uint32_t count = 0;
    for (uint32_t role = 0; role < 6; role++)
        for (uint32_t order = 0; order < 2; order++) {
            weft_world* world = world_make();
            WORLD_OK(world, register_as(world, order == 0 ? WEFT_TYPE(Body) : WEFT_TYPE(Cargo),
                                        order == 0 ? role : 0));
            WORLD_OK(world, register_as(world, order == 0 ? WEFT_TYPE(Cargo) : WEFT_TYPE(Body),
                                        order == 0 ? 0 : role));
            seen[count++] = weft_world_schema_hash(world);
            weft_world_destroy(world);
        }
    weft_world* worlds[3];
    for (uint32_t i = 0; i < 3; i++)
        worlds[i] = world_make();
    WORLD_OK(worlds[0], weft_world_register_channel(worlds[0], WEFT_TYPE(Letter),
                                                    WEFT_TARGET_ENTITY, WEFT_DELIVERY_NEXT));
    WORLD_OK(worlds[1], weft_world_register_channel(worlds[1], WEFT_TYPE(Letter),
                                                    WEFT_TARGET_ENTITY, WEFT_DELIVERY_TICK));
    WORLD_OK(worlds[2], weft_world_register_resource(worlds[2], WEFT_TYPE(Letter), 2, NULL));
    for (uint32_t i = 0; i < 3; i++) {
        seen[count++] = weft_world_schema_hash(worlds[i]);
        weft_world_destroy(worlds[i]);
    }
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < i; j++)
            cr_assert_neq(seen[i], seen[j], "schemas %u and %u hash alike", i, j);
}

// Errors -----------------------------------------------------------------------------------------

Test(world, the_error_line_is_empty_until_something_fails) {
    weft_world* world = world_make();
    cr_assert_str_eq(weft_world_error(world), "");
    WORLD_OK(world, register_as(world, WEFT_TYPE(Body), 0));
    cr_assert_str_eq(weft_world_error(world), "");
    cr_assert_eq(register_as(world, WEFT_TYPE(Body), 0), WEFT_STATUS_DUPLICATE);
    cr_assert_str_neq(weft_world_error(world), "");
    // One line, and it stays until the next failure.
    cr_assert_null(strchr(weft_world_error(world), '\n'));
    WORLD_OK(world, register_as(world, WEFT_TYPE(Cargo), 0));
    TEXT_HAS(weft_world_error(world), "Body");
    weft_world_destroy(world);
}

Test(world, null_may_be_destroyed) {
    weft_world_destroy(NULL);
    weft_schedule_destroy(NULL);
    weft_executor_destroy(NULL);
}

Test(world, reading_what_is_not_registered_is_null) {
    weft_world* world = world_make();
    WORLD_OK(world, register_as(world, WEFT_TYPE(Body), 0));
    WORLD_OK(world, register_as(world, WEFT_TYPE(Gauge), 3));
    weft_entity entity = world_create_one(world);
    cr_assert_null(weft_world_read(world, entity, WEFT_TYPE(Cargo)));
    cr_assert_null(weft_world_read(world, entity, WEFT_TYPE(Body)));
    cr_assert_null(weft_world_read(world, entity, WEFT_TYPE(Gauge)));
    cr_assert_null(weft_world_resource(world, WEFT_TYPE(Body)));
    cr_assert_null(weft_world_resource(world, WEFT_TYPE(Total)));
    weft_world_destroy(world);
}

Test(world, a_tag_reads_as_a_pointer) {
    weft_world* world = world_make();
    WORLD_OK(world, register_as(world, WEFT_TYPE(Mark), 0));
    weft_entity made[2];
    world_create(world, 2, made);
    WEFT_ADD_TAG(weft_world_commands(world), 0, made[0], Mark);
    world_commit(world);
    cr_assert_not_null(weft_world_read(world, made[0], WEFT_TYPE(Mark)));
    cr_assert_null(weft_world_read(world, made[1], WEFT_TYPE(Mark)));
    weft_world_destroy(world);
}

// Independence -----------------------------------------------------------------------------------

enum {
    WORLDS = 4,
    STEPS = 30
};

static void populate_step(weft_world* world, uint32_t step) {
    weft_commands* commands = weft_world_commands(world);
    for (uint32_t i = 0; i < 20; i++)
        WEFT_ADD(commands, 0, weft_commands_create(commands, 0), Body, {step * 100 + i});
    if (step > 0)
        weft_commands_destroy(commands, 0, (weft_entity){step * 3, 1});
    WEFT_ADD_TAG(commands, 0, ((weft_entity){step, 1}), Mark);
    world_commit(world);
}

static weft_status gain(weft_view* view, const void* context) {
    (void)context;
    Body* bodies = WEFT_WRITE(view, Body);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++)
        bodies[i].mass = bodies[i].mass * 3 + (uint32_t)weft_view_tick(view);
    return WEFT_STATUS_OK;
}

static void build(weft_world* world, weft_schedule* schedule) {
    WORLD_OK(world, register_as(world, WEFT_TYPE(Body), 0));
    WORLD_OK(world, register_as(world, WEFT_TYPE(Mark), 0));
    run_add(schedule, WEFT_SYSTEM("gain", gain, WEFT_ACCESS(WEFT_WRITES(Body))));
}

// Worlds that take turns end as one that runs alone.
Test(world, several_worlds_take_turns) {
    sim alone = sim_open(&run_configs[0], build);
    sim turns[WORLDS];
    for (uint32_t i = 0; i < WORLDS; i++)
        turns[i] = sim_open(&run_configs[i * 2], build);
    for (uint32_t step = 0; step < STEPS; step++) {
        populate_step(alone.world, step);
        sim_tick(&alone);
    }
    for (uint32_t step = 0; step < STEPS + WORLDS; step++)
        for (uint32_t i = 0; i < WORLDS; i++) {
            if (step < i || step >= STEPS + i) // Each starts a step later.
                continue;
            populate_step(turns[i].world, step - i);
            sim_tick(&turns[i]);
        }
    for (uint32_t i = 0; i < WORLDS; i++) {
        DIGEST_EQ(weft_world_digest_full(turns[i].world), weft_world_digest_full(alone.world));
        sim_close(&turns[i]);
    }
    sim_close(&alone);
}

// The handle of one world means nothing in another, but must not do harm there.
Test(world, handles_of_other_worlds_do_no_harm) {
    sim a = sim_open(&run_configs[0], build);
    sim b = sim_open(&run_configs[0], build);
    world_create(a.world, 5000, NULL);
    cr_assert(!weft_world_is_alive(b.world, (weft_entity){4999, 1}));
    WEFT_ADD(weft_world_commands(b.world), 0, ((weft_entity){4999, 1}), Body, {1});
    world_commit(b.world);
    cr_assert_eq(weft_world_stats_read(b.world).commands_dropped, 1);
    sim_close(&a);
    sim_close(&b);
}

Test(world, worlds_come_and_go) {
    weft_digest first = {0, 0};
    for (uint32_t i = 0; i < 200; i++) {
        weft_world* world = world_make();
        WORLD_OK(world, register_as(world, WEFT_TYPE(Body), 0));
        WORLD_OK(world, register_as(world, WEFT_TYPE(Mark), 0));
        for (uint32_t step = 0; step < 3; step++)
            populate_step(world, step);
        weft_digest full = weft_world_digest_full(world);
        if (i == 0)
            first = full;
        DIGEST_EQ(full, first);
        weft_world_destroy(world);
    }
}

// Destroying schedule and executor leaves the world usable.
Test(world, executors_come_and_go_on_one_world) {
    weft_world* world = world_make_shared();
    sim alone = sim_open(&run_configs[0], build);
    weft_schedule* schedule = run_schedule(world);
    build(world, schedule);
    for (uint32_t i = 0; i < 2 * RUN_CONFIGS; i++) {
        weft_executor* executor = run_executor(schedule, &run_configs[i % RUN_CONFIGS]);
        populate_step(world, i);
        populate_step(alone.world, i);
        WORLD_OK(world, weft_executor_tick(executor));
        sim_tick(&alone);
        DIGEST_EQ(weft_world_digest_full(world), weft_world_digest_full(alone.world));
        weft_executor_destroy(executor);
    }
    weft_schedule_destroy(schedule);
    schedule = run_schedule(world);
    run_add(schedule, WEFT_SYSTEM("gain", gain, WEFT_ACCESS(WEFT_WRITES(Body))));
    weft_executor* executor = run_executor(schedule, &run_configs[0]);
    WORLD_OK(world, weft_executor_tick(executor));
    sim_tick(&alone);
    DIGEST_EQ(weft_world_digest_full(world), weft_world_digest_full(alone.world));
    weft_executor_destroy(executor);
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
    sim_close(&alone);
}

// Counters ---------------------------------------------------------------------------------------

Test(world, counters_count) {
    weft_world* world = world_make();
    WORLD_OK(world, register_as(world, WEFT_TYPE(Body), 0));
    WORLD_OK(world, register_as(world, WEFT_TYPE(Mark), 0));
    WORLD_OK(world, register_as(world, WEFT_TYPE(Cargo), 1));
    weft_entity made[10];
    world_create(world, 10, made);
    weft_commands* commands = weft_world_commands(world);
    for (uint32_t i = 0; i < 4; i++)
        WEFT_ADD(commands, 0, made[i], Body, {i});
    WEFT_ADD(commands, 0, made[9], Cargo, {1});
    weft_commands_destroy(commands, 0, made[8]);
    WEFT_SET(commands, 0, made[7], Body, {1});
    world_commit(world);
    weft_world_stats stats = weft_world_stats_read(world);
    cr_assert_eq(stats.created, 10);
    cr_assert_eq(stats.destroyed, 1);
    cr_assert_eq(stats.moved, 4);
    cr_assert_eq(stats.commands_dropped, 1);
    cr_assert_eq(stats.archetypes, 1);
    cr_assert_eq(stats.chunks, 3); // The empty set, {Body}, and a presence table.
    cr_assert_leq(stats.arena_used, stats.arena_reserved);
    cr_assert_eq(weft_world_entity_count(world), 9);
    cr_assert_eq(weft_world_tick(world), 0);
    weft_world_destroy(world);
}

// Inputs are kept from one checkpoint to the next.
Test(world, inputs_are_counted_until_the_checkpoint) {
    weft_world* world = world_make();
    weft_schedule* schedule = run_schedule(world);
    WORLD_OK(world, register_as(world, WEFT_TYPE(Letter), 4));
    weft_executor* executor = run_executor(schedule, &run_configs[0]);
    for (uint32_t i = 1; i <= 10; i++) {
        WORLD_OK(world, weft_world_post(world, WEFT_TYPE(Letter), WEFT_ENTITY_NULL, &(Letter){i}));
        cr_assert_eq(weft_world_input_count(world), i);
        WORLD_OK(world, weft_executor_tick(executor));
        uint32_t count;
        const Letter* letters = weft_world_messages(world, WEFT_TYPE(Letter), &count);
        cr_assert(count == 1 && letters[0].word == i);
    }
    weft_world_checkpoint(world);
    cr_assert_eq(weft_world_input_count(world), 0);
    weft_executor_destroy(executor);
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
}
