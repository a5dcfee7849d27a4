// What may not enter the state (C7): NaN, and bools that are neither 0 nor 1. Every way in is
// refused, and who wrote it is named.

#include "worlds.h"

#include "weft_world.h"

WEFT_COMPONENT(Speed, (float, x), (array, float, gusts, 3));
WEFT_COMPONENT(Glow, (weft_float2, at), (uint32_t, seen));
WEFT_COMPONENT(Warmth, (float, degrees));
WEFT_COMPONENT(Switch, (bool, on));
WEFT_RESOURCE(Wind, (float, strength));
WEFT_MESSAGE(Puff, (float, force));
WEFT_PARTIAL(Heat, (float, sum));

enum {
    ENTITIES = 4 * WEFT_SHARD_SLOTS,
    BAD_SLOT = 2 * WEFT_SHARD_SLOTS + 77,
    BAD_TICK = 2
};

// Where the running case writes its NaN.
typedef enum spoil_place {
    SPOIL_NOTHING,
    SPOIL_DENSE,
    SPOIL_BUFFERED,
    SPOIL_SPARSE,
    SPOIL_BOOL,
    SPOIL_RESOURCE,
    SPOIL_MESSAGE,
    SPOIL_PARTIAL,
    SPOIL_COMBINE,
    SPOIL_SET,
    SPOIL_ADD,
    SPOIL_CREATE,
    SPOIL_CREATE_MANY,
} spoil_place;

static spoil_place place;

static float nan_of(bool bad) {
    uint32_t bits = bad ? 0xffc12345u : 0x3f800000u;
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static float infinity_of(bool negative) {
    uint32_t bits = negative ? 0xff800000u : 0x7f800000u;
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static weft_status blow(weft_view* view, const void* context) {
    (void)context;
    Speed* speeds = WEFT_WRITE(view, Speed);
    Warmth* warmths = WEFT_WRITE(view, Warmth);
    Switch* switches = WEFT_WRITE(view, Switch);
    const weft_entity* entities = weft_view_entities(view);
    weft_commands* commands = weft_view_commands(view);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++) {
        bool bad = weft_view_tick(view) == BAD_TICK && entities[i].slot >= BAD_SLOT;
        speeds[i].gusts[1] = nan_of(bad && place == SPOIL_DENSE);
        speeds[i].x = infinity_of(i % 2 == 0); // Infinities are numbers.
        warmths[i].degrees = nan_of(bad && place == SPOIL_BUFFERED);
        uint8_t byte = bad && place == SPOIL_BOOL ? 2 : i % 2;
        memcpy(&switches[i].on, &byte, 1);
        Glow* glow = weft_view_sparse_write(view, i, WEFT_TYPE(Glow));
        if (glow != NULL)
            glow->at.y = nan_of(bad && place == SPOIL_SPARSE);
        if (!bad)
            continue;
        if (place == SPOIL_MESSAGE)
            WEFT_EMIT(view, i, entities[i], Puff, {nan_of(true)});
        if (place == SPOIL_SET)
            WEFT_SET(commands, i, entities[i], Speed, {nan_of(true), {0}});
        if (place == SPOIL_ADD)
            WEFT_ADD(commands, i, entities[i], Glow, {{0, nan_of(true)}, 0});
        if (place == SPOIL_CREATE)
            WEFT_CREATE(commands, i, WEFT_VALUE(Warmth, {nan_of(true)}));
        if (place == SPOIL_CREATE_MANY) {
            Warmth many[5] = {[3] = {nan_of(true)}};
            WEFT_CREATE_MANY(commands, i, 5, WEFT_COLUMN(Warmth, many, 5));
        }
    }
    bool here = weft_view_tick(view) == BAD_TICK && weft_view_shard(view) >= 2;
    Heat* heat = WEFT_PARTIAL_OF(view, Heat);
    heat->sum = nan_of(here && place == SPOIL_PARTIAL);
    if (weft_view_tick(view) == BAD_TICK && place == SPOIL_COMBINE)
        heat->sum = infinity_of(weft_view_shard(view) == 2);
    return WEFT_STATUS_OK;
}

static weft_status turn(weft_view* view, const void* context) {
    (void)context;
    bool bad = weft_view_tick(view) == BAD_TICK && place == SPOIL_RESOURCE;
    WEFT_RESOURCE_WRITE(view, Wind)->strength = nan_of(bad);
    return WEFT_STATUS_OK;
}

static void combine(void* left, const void* right) {
    ((Heat*)left)->sum += ((const Heat*)right)->sum;
}

static void build(weft_world* world, weft_schedule* schedule) {
    world_component(world, WEFT_TYPE(Speed), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Switch), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Warmth), WEFT_STORAGE_BUFFERED);
    world_component(world, WEFT_TYPE(Glow), WEFT_STORAGE_SPARSE);
    WORLD_OK(world, weft_world_register_resource(world, WEFT_TYPE(Wind), 1, NULL));
    WORLD_OK(world, weft_world_register_channel(world, WEFT_TYPE(Puff), WEFT_TARGET_ENTITY,
                                                WEFT_DELIVERY_NEXT));
    WORLD_OK(world, weft_world_register_reduction(world, WEFT_TYPE(Heat), NULL, combine));
    for (uint32_t i = 0; i < ENTITIES; i++)
        WEFT_CREATE(weft_world_commands(world), 0, WEFT_VALUE(Speed, {0, {0}}),
                    WEFT_VALUE(Switch, {true}), WEFT_VALUE(Warmth, {0}),
                    WEFT_VALUE(Glow, {{0, 0}, i}));
    world_commit(world);
    SCHEDULE_OK(schedule,
                weft_schedule_add_system(
                    schedule,
                    WEFT_SYSTEM("blow", blow,
                                WEFT_ACCESS(WEFT_WRITES(Speed), WEFT_WRITES(Switch),
                                            WEFT_WRITES(Warmth), WEFT_WRITES_OPTIONAL(Glow),
                                            WEFT_EMITS(Puff), WEFT_REDUCES(Heat), WEFT_COMMANDS))));
    SCHEDULE_OK(schedule, weft_schedule_add_system(
                              schedule, WEFT_SYSTEM("turn", turn, .scope = WEFT_SCOPE_WORLD,
                                                    WEFT_ACCESS(WEFT_WRITES_RESOURCE(Wind)))));
}

typedef struct spoil_case {
    spoil_place place;
    weft_status status;
    const char* parts[3]; // Of the message.
} spoil_case;

static const spoil_case cases[] = {
    {SPOIL_DENSE, WEFT_STATUS_NOT_A_NUMBER, {"\"blow\"", "Speed.gusts[1] is NaN", "entity 8269:1"}},
    {SPOIL_BUFFERED, WEFT_STATUS_NOT_A_NUMBER, {"\"blow\"", "Warmth.degrees", "entity 8269:1"}},
    {SPOIL_SPARSE, WEFT_STATUS_NOT_A_NUMBER, {"\"blow\"", "Glow.at", "entity 8269:1"}},
    {SPOIL_BOOL, WEFT_STATUS_BAD_BOOL, {"\"blow\"", "Switch.on is a bool", "entity 8269:1"}},
    {SPOIL_RESOURCE, WEFT_STATUS_NOT_A_NUMBER, {"\"turn\"", "Wind.strength is NaN", "value 0"}},
    {SPOIL_MESSAGE, WEFT_STATUS_NOT_A_NUMBER, {"\"blow\"", "Puff.force", "in a message"}},
    {SPOIL_PARTIAL, WEFT_STATUS_NOT_A_NUMBER, {"\"blow\"", "Heat.sum is NaN", "shard 2"}},
    {SPOIL_COMBINE,
     WEFT_STATUS_NOT_A_NUMBER,
     {"\"blow\" failed in tick 2, after its last chunk", "Heat.sum is NaN", "combined"}},
    {SPOIL_SET, WEFT_STATUS_NOT_A_NUMBER, {"\"blow\"", "Speed.x is NaN", "command set"}},
    {SPOIL_ADD, WEFT_STATUS_NOT_A_NUMBER, {"\"blow\"", "Glow.at", "command add"}},
    {SPOIL_CREATE, WEFT_STATUS_NOT_A_NUMBER, {"\"blow\"", "Warmth.degrees", "command create"}},
    {SPOIL_CREATE_MANY,
     WEFT_STATUS_NOT_A_NUMBER,
     {"\"blow\"", "Warmth.degrees", "command create, value 3 of 5"}},
};

static const run_config configs[] = {
    {.name = "serial",
     .kind = WEFT_EXECUTOR_SERIAL,
     .workers = 1,
     .math = WEFT_MATH_FLOAT_PINNED_32},
    {.name = "virtual 3",
     .kind = WEFT_EXECUTOR_VIRTUAL,
     .workers = 3,
     .seed = 9,
     .math = WEFT_MATH_FLOAT_PINNED_32},
    {.name = "threads 2",
     .kind = WEFT_EXECUTOR_THREADS,
     .workers = 2,
     .everybody = true,
     .grain = 1,
     .math = WEFT_MATH_FLOAT_PINNED_32},
#if TEST_HAS_PROCESSES
    {.name = "processes 2",
     .kind = WEFT_EXECUTOR_PROCESSES,
     .workers = 2,
     .everybody = true,
     .grain = 1,
     .math = WEFT_MATH_FLOAT_PINNED_32},
#endif
};

Test(values, a_task_that_writes_one_fails_by_name_on_every_executor) {
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        for (size_t j = 0; j < sizeof(configs) / sizeof(configs[0]); j++) {
            place = cases[i].place;
            sim s = sim_open(&configs[j], build);
            for (uint32_t tick = 0; tick < BAD_TICK; tick++)
                sim_tick(&s);
            weft_status status = weft_executor_tick(s.executor);
            const char* error = weft_world_error(s.world);
            cr_assert_eq(status, cases[i].status, "case %zu on %s: %s (%s)", i, configs[j].name,
                         weft_status_name(status), error);
            for (size_t part = 0; part < 3; part++)
                TEXT_HAS(error, cases[i].parts[part]);
            cr_assert(weft_world_has_failed(s.world));
            sim_close(&s);
        }
    }
}

Test(values, sound_values_run_on) {
    place = SPOIL_NOTHING;
    for (size_t j = 0; j < sizeof(configs) / sizeof(configs[0]); j++) {
        sim s = sim_open(&configs[j], build);
        for (uint32_t tick = 0; tick < BAD_TICK + 3; tick++)
            sim_tick(&s);
        sim_close(&s);
    }
}

Test(values, the_hosts_are_refused_and_the_world_lives_on) {
    place = SPOIL_NOTHING;
    sim s = sim_open(&configs[0], build);
    weft_digest before = weft_world_digest_full(s.world);
    weft_entity entity = {5, 1};
    Puff puff = {nan_of(true)};
    Wind wind = {nan_of(true)};

    weft_commands* commands = weft_world_commands(s.world);
    weft_commands_destroy(commands, 0, entity);
    WEFT_SET(commands, 0, entity, Warmth, {nan_of(true)});
    cr_assert_eq(weft_world_commit(s.world), WEFT_STATUS_NOT_A_NUMBER);
    TEXT_HAS(weft_world_error(s.world), "commands are dropped: Warmth.degrees is NaN");
    cr_assert_not(weft_world_has_failed(s.world));
    DIGEST_EQ(weft_world_digest_full(s.world), before);
    cr_assert(weft_world_is_alive(s.world, entity));

    cr_assert_eq(weft_world_post(s.world, WEFT_TYPE(Puff), entity, &puff),
                 WEFT_STATUS_NOT_A_NUMBER);
    TEXT_HAS(weft_world_error(s.world), "channel Puff");
    cr_assert_eq(weft_world_set_resource(s.world, WEFT_TYPE(Wind), &wind),
                 WEFT_STATUS_NOT_A_NUMBER);
    TEXT_HAS(weft_world_error(s.world), "resource Wind");
    DIGEST_EQ(weft_world_digest_full(s.world), before);
    sim_tick(&s);
    sim_close(&s);
}

Test(values, first_values_are_looked_at) {
    weft_world_desc desc = weft_world_desc_default();
    desc.allow_float = true;
    weft_world* world;
    Wind wind = {nan_of(true)};
    Heat heat = {nan_of(true)};
    cr_assert_eq(weft_world_create(&desc, NULL, &world), WEFT_STATUS_OK);
    cr_assert_eq(weft_world_register_resource(world, WEFT_TYPE(Wind), 3, &wind),
                 WEFT_STATUS_NOT_A_NUMBER);
    TEXT_HAS(weft_world_error(world), "resource Wind, value 0: Wind.strength is NaN");
    weft_world_destroy(world);
    cr_assert_eq(weft_world_create(&desc, NULL, &world), WEFT_STATUS_OK);
    cr_assert_eq(weft_world_register_reduction(world, WEFT_TYPE(Heat), &heat, combine),
                 WEFT_STATUS_NOT_A_NUMBER);
    TEXT_HAS(weft_world_error(world), "reduction Heat");
    weft_world_destroy(world);
}
