// Leaves that are hashed inside the tick, after the last system that writes them: the digests are
// those of a world that is asked for its digest at the end only, and no leaf is hashed twice.

#include "worlds.h"

WEFT_COMPONENT(Place, (int32_t, x), (int32_t, y));
WEFT_COMPONENT(Speed, (int32_t, x));
WEFT_COMPONENT(Echo, (int32_t, now)); // Buffered.
WEFT_COMPONENT(Friend, (weft_entity, who));
WEFT_COMPONENT(Rare, (uint32_t, value));
WEFT_TAG(Odd);
WEFT_MESSAGE(Born, (weft_entity, who));

enum {
    SHARDS = 5,
    ENTITIES = SHARDS * WEFT_SHARD_SLOTS,
    TICKS = 6,
};

static bool lively; // Structure changes in some ticks.

static weft_status push(weft_view* view, const void* context) {
    (void)context;
    Place* places = WEFT_WRITE(view, Place);
    const Speed* speeds = WEFT_READ(view, Speed);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++)
        places[i].x += speeds[i].x;
    return WEFT_STATUS_OK;
}

// Only the odd: for the others, `push` is the last.
static weft_status bend(weft_view* view, const void* context) {
    (void)context;
    Place* places = WEFT_WRITE(view, Place);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++)
        places[i].y ^= places[i].x;
    return WEFT_STATUS_OK;
}

static weft_status echo(weft_view* view, const void* context) {
    (void)context;
    Echo* echoes = WEFT_WRITE(view, Echo);
    const Place* places = WEFT_READ(view, Place);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++)
        echoes[i].now = echoes[i].now * 3 + places[i].x;
    return WEFT_STATUS_OK;
}

// Declares a write and makes it now and then.
static weft_status rarely(weft_view* view, const void* context) {
    (void)context;
    if ((weft_view_tick(view) + weft_view_shard(view)) % 3 == 0)
        WEFT_WRITE(view, Rare)[0].value++;
    return WEFT_STATUS_OK;
}

// What is provisional becomes real only in the commit.
static weft_status befriend(weft_view* view, const void* context) {
    (void)context;
    Friend* friends = WEFT_WRITE(view, Friend);
    if (!lively || weft_view_tick(view) % 2 != 0)
        return WEFT_STATUS_OK;
    weft_commands* commands = weft_view_commands(view);
    const weft_entity* entities = weft_view_entities(view);
    for (uint32_t i = 0; i < weft_view_row_count(view); i += 1000)
        friends[i].who = WEFT_CREATE(commands, i, WEFT_VALUE(Place, {(int32_t)i, 7}),
                                     WEFT_VALUE(Speed, {1}), WEFT_VALUE(Echo, {2}));
    if (weft_view_shard(view) == 2)
        WEFT_SET(commands, 0, entities[0], Place, {1, 2});
    if (weft_view_shard(view) == 3)
        weft_commands_destroy(commands, 1, entities[1]);
    return WEFT_STATUS_OK;
}

static void build(weft_world* world, weft_schedule* schedule) {
    const weft_type* const dense[] = {WEFT_TYPE(Place), WEFT_TYPE(Speed), WEFT_TYPE(Friend),
                                      WEFT_TYPE(Rare), WEFT_TYPE(Odd)};
    for (size_t i = 0; i < sizeof(dense) / sizeof(dense[0]); i++)
        world_component(world, dense[i], WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Echo), WEFT_STORAGE_BUFFERED);
    weft_commands* commands = weft_world_commands(world);
    WEFT_CREATE_MANY(commands, 0, ENTITIES / 2, WEFT_COLUMN_SAME(Place, {1, 1}),
                     WEFT_COLUMN_SAME(Speed, {3}), WEFT_COLUMN_TAG(Echo), WEFT_COLUMN_TAG(Friend),
                     WEFT_COLUMN_TAG(Rare));
    WEFT_CREATE_MANY(commands, 0, ENTITIES / 2, WEFT_COLUMN_SAME(Place, {2, 1}),
                     WEFT_COLUMN_SAME(Speed, {5}), WEFT_COLUMN_TAG(Odd), WEFT_COLUMN_TAG(Friend));
    world_commit(world);
    run_add(schedule,
            WEFT_SYSTEM("push", push, WEFT_ACCESS(WEFT_WRITES(Place), WEFT_READS(Speed))));
    run_add(schedule, WEFT_SYSTEM("bend", bend, WEFT_ACCESS(WEFT_WRITES(Place), WEFT_WITH(Odd))));
    run_add(schedule, WEFT_SYSTEM("echo", echo, WEFT_ACCESS(WEFT_WRITES(Echo), WEFT_READS(Place))));
    run_add(schedule, WEFT_SYSTEM("rarely", rarely, WEFT_ACCESS(WEFT_WRITES(Rare))));
    run_add(schedule,
            WEFT_SYSTEM("befriend", befriend, WEFT_ACCESS(WEFT_WRITES(Friend), WEFT_COMMANDS)));
}

static void same_at_the_end(const run_config* config, bool no_fusion) {
    run_config own = *config;
    own.no_fusion = no_fusion;
    sim each = sim_open(&own, build);
    sim end = sim_open(&own, build);
    for (uint32_t tick = 0; tick < TICKS; tick++) {
        weft_digest view;
        weft_digest full;
        WORLD_OK(each.world, weft_executor_digest(each.executor, &view, &full));
        sim_tick(&each);
        sim_tick(&end);
        WORLD_OK(each.world, weft_world_digest_check(each.world));
    }
    DIGEST_EQ(weft_world_digest_full(each.world), weft_world_digest_full(end.world));
    sim_close(&each);
    sim_close(&end);
}

Test(final_leaves, the_digest_is_that_of_a_world_asked_at_the_end) {
    for (uint32_t i = 0; i < 2; i++) {
        lively = i == 1;
        for (size_t j = 0; j < RUN_CONFIGS; j++) {
            same_at_the_end(&run_configs[j], false);
            same_at_the_end(&run_configs[j], true);
        }
    }
}

Test(final_leaves, executors_agree) {
    lively = true;
    sim_same_everywhere(build, TICKS, NULL);
}

// Chunks of the first kind have Place, Echo, Friend and in a third of the ticks Rare written, those
// of the second Place and Friend.
Test(final_leaves, none_is_hashed_twice) {
    lively = false;
    for (size_t i = 0; i < RUN_CONFIGS; i++) {
        sim s = sim_open(&run_configs[i], build);
        (void)weft_world_digest_full(s.world);
        for (uint32_t tick = 0; tick < TICKS; tick++) {
            uint64_t before = weft_world_stats_read(s.world).leaves_hashed;
            uint64_t expected = 0;
            for (uint32_t shard = 0; shard < SHARDS; shard++) {
                bool first = shard <= SHARDS / 2; // The middle one has both.
                bool second = shard >= SHARDS / 2;
                expected += first ? 3 + ((tick + shard) % 3 == 0) : 0;
                expected += second ? 2 : 0;
            }
            sim_tick(&s);
            WORLD_OK(s.world, weft_executor_digest(s.executor, NULL, NULL));
            cr_assert_eq(weft_world_stats_read(s.world).leaves_hashed - before, expected,
                         "%s, tick %u", run_configs[i].name, tick);
        }
        sim_close(&s);
    }
}
