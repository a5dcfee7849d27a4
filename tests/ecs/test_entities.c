// Slots and generations (C2).

#include "weft_world.h"
#include "worlds.h"

WEFT_COMPONENT(Body, (uint32_t, mass));
WEFT_COMPONENT(Cargo, (uint32_t, crates));

static const weft_entity none = {0, 0};

Test(entities, slots_ascend_from_zero_in_a_new_world) {
    weft_world* world = world_make();
    weft_entity made[100];
    world_create(world, 100, made);
    for (uint32_t i = 0; i < 100; i++)
        ENTITY_EQ(made[i], ((weft_entity){i, 1}));
    cr_assert_eq(weft_world_entity_count(world), 100);
    weft_world_destroy(world);
}

Test(entities, the_null_handle_and_handles_never_given_are_dead) {
    weft_world* world = world_make();
    static const weft_entity handles[] = {{0, 0},
                                          {0, 1},
                                          {0, 2},
                                          {7, 1},
                                          {4096, 1},
                                          {UINT32_MAX - 2, 1},
                                          {UINT32_MAX - 1, 0},
                                          {UINT32_MAX, UINT32_MAX}};
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < sizeof(handles) / sizeof(handles[0]); i++) {
            bool first = pass == 1 && handles[i].slot == 0 && handles[i].generation == 1;
            cr_assert_eq(weft_world_is_alive(world, handles[i]), first);
            cr_assert_null(weft_world_read(world, handles[i], WEFT_TYPE(Body)));
        }
        world_create(world, 1, NULL);
    }
    weft_world_destroy(world);
}

// Freed slots are pushed ascending, so the largest is taken first.
Test(entities, freed_slots_are_taken_last_first) {
    weft_world* world = world_make();
    weft_entity made[6];
    weft_entity again[4];
    world_create(world, 6, made);
    weft_commands* commands = weft_world_commands(world);
    weft_commands_destroy(commands, 0, made[4]);
    weft_commands_destroy(commands, 0, made[1]);
    weft_commands_destroy(commands, 0, made[3]);
    world_commit(world);
    world_create(world, 4, again);
    ENTITY_EQ(again[0], ((weft_entity){4, 2}));
    ENTITY_EQ(again[1], ((weft_entity){3, 2}));
    ENTITY_EQ(again[2], ((weft_entity){1, 2}));
    ENTITY_EQ(again[3], ((weft_entity){6, 1}));
    weft_world_destroy(world);
}

Test(entities, later_frees_are_on_top_of_earlier_ones) {
    weft_world* world = world_make();
    weft_entity made[6];
    weft_entity again[3];
    world_create(world, 6, made);
    world_destroy(world, made[5]);
    world_destroy(world, made[0]);
    world_destroy(world, made[2]);
    world_create(world, 3, again);
    cr_assert_eq(again[0].slot, 2);
    cr_assert_eq(again[1].slot, 0);
    cr_assert_eq(again[2].slot, 5);
    weft_world_destroy(world);
}

Test(entities, a_slot_freed_and_taken_in_one_commit_has_a_new_generation) {
    weft_world* world = world_make();
    weft_entity old = world_create_one(world);
    weft_commands* commands = weft_world_commands(world);
    weft_entity made = weft_commands_create(commands, 0);
    weft_commands_destroy(commands, 0, old);
    world_commit(world);
    ENTITY_EQ(weft_world_resolve(world, made), ((weft_entity){0, 2}));
    cr_assert(!weft_world_is_alive(world, old));
    cr_assert_eq(weft_world_entity_count(world), 1);
    weft_world_destroy(world);
}

// Brings the slot of a living entity to its last generation.
static weft_entity age(weft_world* world, weft_entity entity, uint32_t generation) {
    uint32_t row;
    weft__chunk* chunk = weft__entity_find(world, entity, &row);
    weft__shard* shard = world->shards.items[entity.slot / WEFT_SHARD_SLOTS];
    shard->slots[entity.slot % WEFT_SHARD_SLOTS].generation = generation;
    chunk->entities[row].generation = generation;
    return (weft_entity){entity.slot, generation};
}

Test(entities, a_slot_whose_generations_are_used_up_is_retired) {
    weft_world* world = world_make();
    weft_entity made[3];
    world_create(world, 3, made);
    weft_entity last = age(world, made[1], UINT32_MAX);
    cr_assert(weft_world_is_alive(world, last));
    world_destroy(world, last);
    cr_assert(!weft_world_is_alive(world, last));
    cr_assert(!weft_world_is_alive(world, (weft_entity){last.slot, 0}));
    weft_entity again[2];
    world_create(world, 2, again);
    ENTITY_EQ(again[0], ((weft_entity){3, 1}));
    ENTITY_EQ(again[1], ((weft_entity){4, 1}));
    for (uint32_t generation = 0; generation < 3; generation++)
        cr_assert(!weft_world_is_alive(world, (weft_entity){last.slot, generation}));
    cr_assert_eq(weft_world_entity_count(world), 4);
    weft_world_destroy(world);
}

Test(entities, a_retired_slot_makes_no_room_under_the_limit) {
    weft_world* world = world_make_limited(2, 16);
    weft_entity made[2];
    world_create(world, 2, made);
    weft_entity last = age(world, made[0], UINT32_MAX);
    weft_commands* commands = weft_world_commands(world);
    weft_commands_destroy(commands, 0, last);
    (void)weft_commands_create(commands, 0);
    cr_assert_eq(weft_world_commit(world), WEFT_STATUS_ENTITY_LIMIT);
    cr_assert(weft_world_is_alive(world, last));
    world_destroy(world, last);
    (void)weft_commands_create(weft_world_commands(world), 0);
    cr_assert_eq(weft_world_commit(world), WEFT_STATUS_ENTITY_LIMIT);
    world_destroy(world, made[1]);
    ENTITY_EQ(world_create_one(world), ((weft_entity){1, 2}));
    weft_world_destroy(world);
}

Test(entities, a_million_stale_handles_never_resolve) {
    enum {
        HANDLES = 1000000,
        ALIVE = 1000
    };
    weft_world* world = world_make();
    world_component(world, WEFT_TYPE(Body), WEFT_STORAGE_DENSE);
    weft_entity* stale = malloc(HANDLES * sizeof(*stale));
    weft_entity made[ALIVE];
    cr_assert_not_null(stale);
    for (uint32_t done = 0; done < HANDLES; done += ALIVE) {
        world_create(world, ALIVE, made);
        memcpy(stale + done, made, sizeof(made));
        weft_commands* commands = weft_world_commands(world);
        for (uint32_t i = 0; i < ALIVE; i++)
            weft_commands_destroy(commands, 0, made[i]);
        world_commit(world);
    }
    world_create(world, ALIVE, made);
    for (uint32_t i = 0; i < HANDLES; i++)
        cr_assert(!weft_world_is_alive(world, stale[i]) &&
                      weft_world_read(world, stale[i], WEFT_TYPE(Body)) == NULL,
                  "handle %u:%u came alive again", stale[i].slot, stale[i].generation);
    cr_assert_eq(made[0].generation, HANDLES / ALIVE + 1);
    free(stale);
    weft_world_destroy(world);
}

// Records 5 creates with a component and some changes of what is there.
static void overfill(weft_world* world, const weft_entity* living) {
    weft_commands* commands = weft_world_commands(world);
    for (uint32_t i = 0; i < 5; i++) {
        weft_entity made = weft_commands_create(commands, 0);
        WEFT_ADD(commands, 0, made, Cargo, {i});
    }
    weft_commands_destroy(commands, 0, living[0]);
    WEFT_ADD(commands, 0, living[1], Cargo, {9});
    WEFT_SET(commands, 0, living[2], Body, {77});
}

Test(entities, a_create_past_the_limit_changes_nothing) {
    weft_world* world = world_make_limited(10, 100);
    weft_entity living[8];
    world_component(world, WEFT_TYPE(Body), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Cargo), WEFT_STORAGE_DENSE);
    world_create(world, 8, living);
    for (uint32_t i = 0; i < 8; i++)
        WEFT_ADD(weft_world_commands(world), 0, living[i], Body, {i});
    world_commit(world);
    weft_digest full = weft_world_digest_full(world);
    weft_world_stats stats = weft_world_stats_read(world);
    for (uint32_t times = 0; times < 3; times++) {
        overfill(world, living);
        cr_assert_eq(weft_world_commit(world), WEFT_STATUS_ENTITY_LIMIT);
        TEXT_HAS(weft_world_error(world), "5 creates");
        TEXT_HAS(weft_world_error(world), "slot_limit");
        DIGEST_EQ(weft_world_digest_full(world), full);
        cr_assert_eq(weft_world_stats_read(world).created, stats.created);
        cr_assert_eq(weft_world_stats_read(world).archetypes, stats.archetypes);
        WORLD_OK(world, weft_world_digest_check(world));
    }
    cr_assert(!weft_world_has_failed(world));
    // Usable: two creates fit, and one more by the destroy.
    weft_entity more[3];
    weft_commands_destroy(weft_world_commands(world), 0, living[7]);
    world_create(world, 3, more);
    cr_assert_eq(weft_world_entity_count(world), 10);
    ENTITY_EQ(more[0], ((weft_entity){7, 2}));
    cr_assert(weft_world_is_alive(world, living[0]));
    const Body* body = weft_world_read(world, living[2], WEFT_TYPE(Body));
    cr_assert_eq(body->mass, 2);
    weft_world_destroy(world);
}

Test(entities, a_refused_commit_leaves_no_future_difference) {
    weft_world* worlds[2];
    for (uint32_t i = 0; i < 2; i++) {
        weft_entity living[8];
        worlds[i] = world_make_limited(10, 100);
        world_component(worlds[i], WEFT_TYPE(Body), WEFT_STORAGE_DENSE);
        world_component(worlds[i], WEFT_TYPE(Cargo), WEFT_STORAGE_DENSE);
        world_create(worlds[i], 8, living);
        if (i == 1) {
            overfill(worlds[i], living);
            cr_assert_eq(weft_world_commit(worlds[i]), WEFT_STATUS_ENTITY_LIMIT);
        }
        weft_commands* commands = weft_world_commands(worlds[i]);
        weft_commands_destroy(commands, 0, living[3]);
        WEFT_ADD(commands, 0, living[4], Body, {4});
        WEFT_ADD(commands, 0, weft_commands_create(commands, 0), Cargo, {1});
        world_commit(worlds[i]);
    }
    DIGEST_EQ(weft_world_digest_full(worlds[0]), weft_world_digest_full(worlds[1]));
    DIGEST_EQ(weft_world_digest_view(worlds[0]), weft_world_digest_view(worlds[1]));
    weft_world_destroy(worlds[0]);
    weft_world_destroy(worlds[1]);
}

Test(entities, small_limits_hold_exactly) {
    for (uint32_t limit = 1; limit <= 3; limit++) {
        weft_world* world = world_make_limited(limit, 4);
        world_create(world, limit, NULL);
        (void)weft_commands_create(weft_world_commands(world), 0);
        cr_assert_eq(weft_world_commit(world), WEFT_STATUS_ENTITY_LIMIT);
        for (uint32_t i = 0; i < 10; i++) {
            weft_commands* commands = weft_world_commands(world);
            weft_commands_destroy(commands, 0, (weft_entity){0, i + 1});
            weft_entity made = weft_commands_create(commands, 0);
            world_commit(world);
            ENTITY_EQ(weft_world_resolve(world, made), ((weft_entity){0, i + 2}));
        }
        weft_world_destroy(world);
    }
}

Test(entities, a_cancelled_create_takes_no_slot) {
    weft_world* world = world_make_limited(1, 4);
    weft_commands* commands = weft_world_commands(world);
    weft_entity cancelled = weft_commands_create(commands, 0);
    weft_entity kept = weft_commands_create(commands, 0);
    weft_commands_destroy(commands, 0, cancelled);
    world_commit(world);
    ENTITY_EQ(weft_world_resolve(world, cancelled), none);
    ENTITY_EQ(weft_world_resolve(world, kept), ((weft_entity){0, 1}));
    weft_world_destroy(world);
}

Test(entities, a_description_out_of_range_is_refused) {
    weft_world_desc bad[8];
    for (uint32_t i = 0; i < 8; i++)
        bad[i] = weft_world_desc_default();
    bad[0].slot_limit = 0;
    bad[1].slot_limit = WEFT_SLOT_LIMIT_MAX + 1;
    bad[2].archetype_limit = 0;
    bad[3].archetype_limit = UINT32_MAX;
    bad[4].type_limit = 0;
    bad[5].type_limit = 65536;
    bad[6].cookie = 0;
    bad[7].math = (weft_math_backend)2;
    for (uint32_t i = 0; i < 8; i++) {
        weft_world* world = (weft_world*)&bad;
        cr_assert_eq(weft_world_create(&bad[i], NULL, &world), WEFT_STATUS_BAD_ARGUMENT);
        cr_assert_null(world);
    }
    weft_world* world;
    cr_assert_eq(weft_world_create(NULL, NULL, &world), WEFT_STATUS_BAD_ARGUMENT);
}

Test(entities, slots_cross_shards_without_a_seam) {
    weft_world* world = world_make();
    world_component(world, WEFT_TYPE(Body), WEFT_STORAGE_DENSE);
    weft_commands* commands = weft_world_commands(world);
    for (uint32_t i = 0; i < 3 * WEFT_SHARD_SLOTS + 5; i++)
        WEFT_ADD(commands, 0, weft_commands_create(commands, 0), Body, {i});
    world_commit(world);
    for (uint32_t i = 0; i < 3 * WEFT_SHARD_SLOTS + 5; i++) {
        const Body* body = weft_world_read(world, (weft_entity){i, 1}, WEFT_TYPE(Body));
        cr_assert(body != NULL && body->mass == i, "slot %u", i);
    }
    cr_assert_eq(weft_world_stats_read(world).chunks, 4);
    weft_world_destroy(world);
}
