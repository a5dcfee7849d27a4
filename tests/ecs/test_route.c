// Commands for other shards than the recorder's: whatever the blocks that they are read in, they
// are applied in key order.

#include "worlds.h"

#include "weft_world.h"

WEFT_COMPONENT(Note, (uint32_t, by), (uint32_t, tick));
WEFT_COMPONENT(Friend, (weft_entity, who));
WEFT_TAG(Mark);
WEFT_COMPONENT(Scar, (uint64_t, depth)); // Sparse.

enum {
    ENTITIES = 5 * WEFT_SHARD_SLOTS + 100,
    TARGETS = 64,
    TICKS = 12,
};

// The same entities for everybody, from all shards.
static weft_entity targets[TARGETS];

// Every 32nd row speaks of some target, most of them in another shard; several speak of each.
static weft_status gossip(weft_view* view, const void* context) {
    const uint32_t kind = *(const uint32_t*)context;
    const weft_entity* entities = weft_view_entities(view);
    weft_commands* commands = weft_view_commands(view);
    uint32_t tick = (uint32_t)weft_view_tick(view);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++) {
        uint32_t slot = entities[i].slot;
        if (slot % 32 != kind + tick % 8)
            continue;
        weft_entity target = targets[(slot / 32 * 7 + tick) % TARGETS];
        switch ((slot / 32 + kind) % 6) {
        case 0:
            WEFT_ADD(commands, i, target, Note, {slot, tick});
            break;
        case 1:
            WEFT_SET(commands, i, target, Note, {slot, tick});
            break;
        case 2:
            WEFT_REMOVE(commands, i, target, Note);
            break;
        case 3:
            WEFT_ADD_TAG(commands, i, target, Mark);
            break;
        case 4:
            WEFT_ADD(commands, i, target, Scar, {slot});
            break;
        default: {
            weft_entity made = weft_commands_create(commands, i);
            WEFT_ADD(commands, i, made, Friend, {target});
            weft_commands_destroy(commands, i, entities[i]);
        }
        }
    }
    return WEFT_STATUS_OK;
}

static weft_digest run(weft_executor_kind kind, uint32_t workers, uint32_t block_records,
                       weft_world_stats* stats) {
    static const uint32_t kinds[] = {0, 3, 5};
    static const char* const names[] = {"first", "second", "third"};
    weft_world_desc world_desc = weft_world_desc_default();
    weft_world* world = world_make_for(kind, &world_desc);
    world_component(world, WEFT_TYPE(Note), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Friend), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Mark), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Scar), WEFT_STORAGE_SPARSE);
    if (block_records > 0)
        world->block_records = block_records;
    weft_schedule* schedule;
    WORLD_OK(world, weft_schedule_create(world, &schedule));
    for (uint32_t i = 0; i < 3; i++)
        WORLD_OK(world, weft_schedule_add_system(schedule,
                                                 WEFT_SYSTEM(names[i], gossip, .context = &kinds[i],
                                                             WEFT_ACCESS(WEFT_COMMANDS))));
    weft_commands* commands = weft_world_commands(world);
    for (uint32_t i = 0; i < ENTITIES; i++) {
        weft_entity made = weft_commands_create(commands, 0);
        if (i % 2 == 0)
            WEFT_ADD(commands, 0, made, Friend, {made});
    }
    WORLD_OK(world, weft_world_commit(world));
    for (uint32_t i = 0; i < TARGETS; i++) // Before workers are forked.
        targets[i] = (weft_entity){i * (ENTITIES / TARGETS), 1};
    WORLD_OK(world, weft_schedule_build(schedule));
    weft_executor_desc desc = weft_executor_desc_default();
    desc.kind = kind;
    desc.worker_count = workers;
    weft_executor* executor;
    WORLD_OK(world, weft_executor_create(&desc, schedule, &executor));
    for (uint32_t i = 0; i < TICKS; i++)
        WORLD_OK(world, weft_executor_tick(executor));
    weft_digest digest = weft_world_digest_full(world);
    WORLD_OK(world, weft_world_digest_check(world));
    *stats = weft_world_stats_read(world);
    weft_executor_destroy(executor);
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
    return digest;
}

Test(route, blocks_and_workers_do_not_show) {
    static const struct {
        weft_executor_kind kind;
        uint32_t workers;
        uint32_t block_records;
    } ways[] = {
        {WEFT_EXECUTOR_SERIAL, 1, 1},
        {WEFT_EXECUTOR_SERIAL, 1, 0},
        {WEFT_EXECUTOR_VIRTUAL, 3, 1},
        {WEFT_EXECUTOR_VIRTUAL, 5, 0},
        {WEFT_EXECUTOR_THREADS, 2, 1},
        {WEFT_EXECUTOR_THREADS, 3, 300},
#if TEST_HAS_PROCESSES
        {WEFT_EXECUTOR_PROCESSES, 2, 1},
        {WEFT_EXECUTOR_PROCESSES, 3, 300},
#endif
    };
    weft_world_stats expected;
    weft_digest digest = run(WEFT_EXECUTOR_SERIAL, 1, UINT32_MAX, &expected);
    cr_assert_gt(expected.commands_dropped, 0);
    cr_assert_gt(expected.moved, 100);
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        weft_world_stats stats;
        DIGEST_EQ(run(ways[i].kind, ways[i].workers, ways[i].block_records, &stats), digest);
        cr_assert_eq(stats.commands_dropped, expected.commands_dropped);
        cr_assert_eq(stats.moved, expected.moved);
        cr_assert_eq(stats.created, expected.created);
        cr_assert_eq(stats.archetypes, expected.archetypes);
        cr_assert_eq(stats.chunks, expected.chunks);
    }
}
