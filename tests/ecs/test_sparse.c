// Sparse components: presence tables beside the archetypes.

#include "worlds.h"

WEFT_COMPONENT(Body, (uint32_t, mass));
WEFT_TAG(Left);
WEFT_COMPONENT(Wound, (uint64_t, depth));                 // Sparse.
WEFT_TAG(Seen);                                           // Sparse.
WEFT_COMPONENT(Debt, (weft_entity, to), (uint32_t, sum)); // Sparse.

static void register_all(weft_world* world) {
    world_component(world, WEFT_TYPE(Body), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Left), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Wound), WEFT_STORAGE_SPARSE);
    world_component(world, WEFT_TYPE(Seen), WEFT_STORAGE_SPARSE);
    world_component(world, WEFT_TYPE(Debt), WEFT_STORAGE_SPARSE);
}

static weft_world* make(void) {
    weft_world* world = world_make();
    register_all(world);
    return world;
}

static const Wound* wound(const weft_world* world, weft_entity entity) {
    return weft_world_read(world, entity, WEFT_TYPE(Wound));
}

Test(sparse, adding_and_removing_moves_no_row) {
    weft_world* world = make();
    weft_entity made[40];
    weft_commands* commands = weft_world_commands(world);
    for (uint32_t i = 0; i < 40; i++) {
        made[i] = weft_commands_create(commands, 0);
        WEFT_ADD(commands, 0, made[i], Body, {i});
    }
    world_commit(world);
    const void* row = weft_world_read(world, (weft_entity){17, 1}, WEFT_TYPE(Body));
    for (uint32_t i = 0; i < 40; i += 2) {
        WEFT_ADD(weft_world_commands(world), 0, ((weft_entity){i, 1}), Wound, {i});
        WEFT_ADD_TAG(weft_world_commands(world), 0, ((weft_entity){i + 1, 1}), Seen);
    }
    world_commit(world);
    cr_assert_eq(weft_world_read(world, (weft_entity){17, 1}, WEFT_TYPE(Body)), row);
    cr_assert_eq(weft_world_stats_read(world).moved, 0);
    cr_assert_eq(weft_world_stats_read(world).archetypes, 1);
    for (uint32_t i = 0; i < 40; i++) {
        weft_entity entity = {i, 1};
        cr_assert_eq(wound(world, entity) != NULL, i % 2 == 0);
        cr_assert(i % 2 == 1 || wound(world, entity)->depth == i);
        cr_assert_eq(weft_world_read(world, entity, WEFT_TYPE(Seen)) != NULL, i % 2 == 1);
        WEFT_REMOVE(weft_world_commands(world), 0, entity, Wound);
    }
    world_commit(world);
    for (uint32_t i = 0; i < 40; i++)
        cr_assert_null(wound(world, (weft_entity){i, 1}));
    cr_assert_eq(weft_world_stats_read(world).moved, 0);
    weft_world_destroy(world);
}

Test(sparse, commands_fold_as_for_dense_components) {
    weft_world* world = make();
    weft_entity entity = world_create_one(world);
    weft_commands* commands = weft_world_commands(world);
    WEFT_ADD(commands, 0, entity, Wound, {1});
    WEFT_REMOVE(commands, 0, entity, Wound);
    WEFT_ADD(commands, 0, entity, Wound, {2});
    WEFT_SET(commands, 0, entity, Wound, {3});
    world_commit(world);
    cr_assert_eq(wound(world, entity)->depth, 3);
    commands = weft_world_commands(world);
    WEFT_SET(commands, 0, entity, Wound, {4});
    weft_commands_add(commands, 0, entity, WEFT_TYPE(Wound), NULL);
    world_commit(world);
    cr_assert_eq(wound(world, entity)->depth, 0);
    commands = weft_world_commands(world);
    WEFT_SET(commands, 0, entity, Wound, {5});
    WEFT_REMOVE(commands, 0, entity, Wound);
    WEFT_SET(commands, 0, entity, Wound, {6});
    world_commit(world);
    cr_assert_null(wound(world, entity));
    weft_world_destroy(world);
}

// The count must not depend on what other entities of the shard once had.
Test(sparse, a_set_on_an_absent_component_is_counted_in_every_history) {
    for (uint32_t history = 0; history < 3; history++) {
        weft_world* world = make();
        weft_entity made[2];
        world_create(world, 2, made);
        if (history > 0)
            WEFT_ADD(weft_world_commands(world), 0, made[1], Wound, {1});
        world_commit(world);
        if (history > 1)
            WEFT_REMOVE(weft_world_commands(world), 0, made[1], Wound);
        world_commit(world);
        WEFT_SET(weft_world_commands(world), 0, made[0], Wound, {1});
        WEFT_SET(weft_world_commands(world), 0, weft_commands_create(weft_world_commands(world), 0),
                 Wound, {1});
        world_commit(world);
        cr_assert_eq(weft_world_stats_read(world).commands_dropped, 2, "history %u", history);
        cr_assert_null(wound(world, made[0]));
        weft_world_destroy(world);
    }
}

Test(sparse, presence_ends_with_the_entity) {
    weft_world* world = make();
    weft_entity old = world_create_one(world);
    WEFT_ADD(weft_world_commands(world), 0, old, Wound, {9});
    WEFT_ADD_TAG(weft_world_commands(world), 0, old, Seen);
    world_commit(world);
    weft_digest before = weft_world_digest_view(world);
    // The slot is freed and taken again in one commit.
    weft_commands* commands = weft_world_commands(world);
    weft_commands_destroy(commands, 0, old);
    weft_entity made = weft_commands_create(commands, 0);
    world_commit(world);
    made = weft_world_resolve(world, made);
    cr_assert_eq(made.slot, old.slot);
    cr_assert_null(wound(world, made));
    cr_assert_null(weft_world_read(world, made, WEFT_TYPE(Seen)));
    cr_assert_null(wound(world, old));
    DIGEST_NE(weft_world_digest_view(world), before);
    // And once more with the component on the newborn.
    commands = weft_world_commands(world);
    weft_commands_destroy(commands, 0, made);
    weft_entity again = weft_commands_create(commands, 0);
    WEFT_ADD(commands, 0, again, Wound, {10});
    world_commit(world);
    cr_assert_eq(wound(world, weft_world_resolve(world, again))->depth, 10);
    WORLD_OK(world, weft_world_digest_check(world));
    weft_world_destroy(world);
}

Test(sparse, values_survive_a_move_of_the_row) {
    weft_world* world = make();
    weft_entity made[3];
    world_create(world, 3, made);
    for (uint32_t i = 0; i < 3; i++)
        WEFT_ADD(weft_world_commands(world), 0, made[i], Wound, {70 + i});
    world_commit(world);
    WEFT_ADD_TAG(weft_world_commands(world), 0, made[1], Left);
    world_commit(world);
    for (uint32_t i = 0; i < 3; i++)
        cr_assert_eq(wound(world, made[i])->depth, 70 + i);
    weft_world_destroy(world);
}

Test(sparse, provisional_handles_in_values_become_real) {
    weft_world* world = make();
    weft_commands* commands = weft_world_commands(world);
    weft_entity a = weft_commands_create(commands, 0);
    weft_entity b = weft_commands_create(commands, 0);
    weft_entity gone = weft_commands_create(commands, 0);
    WEFT_ADD(commands, 0, a, Debt, {b, 1});
    WEFT_ADD(commands, 0, b, Debt, {gone, 2});
    weft_commands_destroy(commands, 0, gone);
    world_commit(world);
    a = weft_world_resolve(world, a);
    b = weft_world_resolve(world, b);
    ENTITY_EQ(((const Debt*)weft_world_read(world, a, WEFT_TYPE(Debt)))->to, b);
    cr_assert(weft_entity_is_null(((const Debt*)weft_world_read(world, b, WEFT_TYPE(Debt)))->to));
    weft_world_destroy(world);
}

Test(sparse, presence_spans_shards) {
    enum {
        COUNT = 3 * WEFT_SHARD_SLOTS
    };
    weft_world* world = make();
    world_create(world, COUNT, NULL);
    weft_commands* commands = weft_world_commands(world);
    for (uint32_t i = COUNT; i-- > 0;) // Descending: the table ascends all the same.
        if (i % 1000 < 3)
            WEFT_ADD(commands, 0, ((weft_entity){i, 1}), Wound, {i});
    world_commit(world);
    static const weft_access terms[] = {WEFT_READS(Wound)};
    weft_cursor cursor = weft_world_visit(world, terms, 1);
    uint32_t last = 0;
    uint32_t seen = 0;
    while (weft_cursor_next(&cursor)) {
        uint32_t slot = cursor.entities[0].slot;
        cr_assert(seen == 0 || slot > last);
        cr_assert_eq(WEFT_CURSOR_COLUMN(&cursor, Wound)->depth, slot);
        last = slot;
        seen++;
    }
    cr_assert_eq(seen, 39);
    weft_world_destroy(world);
}

// Systems ----------------------------------------------------------------------------------------

static weft_status count_selected(weft_view* view, const void* context) {
    (void)context;
    const uint16_t* rows;
    uint32_t count = weft_view_selected(view, &rows);
    const weft_entity* entities = weft_view_entities(view);
    if (rows == NULL)
        return weft_view_fail(view, "no selection");
    uint32_t at = 0;
    for (uint32_t row = 0; row < weft_view_row_count(view); row++) {
        bool wanted = entities[row].slot % 3 == 0 && entities[row].slot % 5 != 0;
        if (wanted && (at == count || rows[at] != row))
            return weft_view_fail(view, "row %u is missing", row);
        at += wanted;
        const Wound* found = weft_view_sparse_read(view, row, WEFT_TYPE(Wound));
        if ((found != NULL) != (entities[row].slot % 3 == 0))
            return weft_view_fail(view, "row %u is wrong", row);
    }
    return at == count ? WEFT_STATUS_OK : weft_view_fail(view, "%u rows, not %u", count, at);
}

static weft_status select_all(weft_view* view, const void* context) {
    (void)context;
    const uint16_t* rows;
    uint32_t count = weft_view_selected(view, &rows);
    if (rows != NULL || count != weft_view_row_count(view))
        return weft_view_fail(view, "rows are filtered without a filter");
    return WEFT_STATUS_OK;
}

// Every wounded row gets worse, by rows that descend so that no hint helps.
static weft_status worsen(weft_view* view, const void* context) {
    (void)context;
    const uint16_t* rows;
    const weft_entity* entities = weft_view_entities(view);
    for (uint32_t i = weft_view_selected(view, &rows); i-- > 0;) {
        Wound* found = weft_view_sparse_write(view, rows[i], WEFT_TYPE(Wound));
        found->depth = found->depth * 3 + entities[rows[i]].slot + weft_view_tick(view);
    }
    return WEFT_STATUS_OK;
}

static weft_status worsen_optional(weft_view* view, const void* context) {
    (void)context;
    for (uint32_t row = 0; row < weft_view_row_count(view); row++) {
        Wound* found = weft_view_sparse_write(view, row, WEFT_TYPE(Wound));
        if (found != NULL)
            found->depth += 1;
    }
    return WEFT_STATUS_OK;
}

// Two archetypes in each of three shards, all with rows in the same presence tables.
static void build_mixed(weft_world* world, weft_schedule* schedule) {
    register_all(world);
    weft_commands* commands = weft_world_commands(world);
    for (uint32_t i = 0; i < 3 * WEFT_SHARD_SLOTS; i++) {
        weft_entity made = weft_commands_create(commands, 0);
        WEFT_ADD(commands, 0, made, Body, {i});
        if (i % 2 == 0)
            WEFT_ADD_TAG(commands, 0, made, Left);
        if (i % 3 == 0)
            WEFT_ADD(commands, 0, made, Wound, {i});
        if (i % 5 == 0)
            WEFT_ADD_TAG(commands, 0, made, Seen);
    }
    world_commit(world);
    run_add(schedule, WEFT_SYSTEM("count", count_selected,
                                  WEFT_ACCESS(WEFT_READS(Wound), WEFT_WITHOUT(Seen))));
    run_add(schedule, WEFT_SYSTEM("all", select_all, WEFT_ACCESS(WEFT_READS(Body))));
    run_add(schedule, WEFT_SYSTEM("worsen", worsen, WEFT_ACCESS(WEFT_WRITES(Wound))));
    run_add(schedule,
            WEFT_SYSTEM("more", worsen_optional, WEFT_ACCESS(WEFT_WRITES_OPTIONAL(Wound))));
}

static void check_depth(const sim* s, uint64_t tick) {
    for (uint32_t slot = 0; slot < 3 * WEFT_SHARD_SLOTS; slot += 333) {
        uint64_t expected = slot;
        for (uint64_t t = 0; t < tick; t++)
            expected = expected * 3 + slot + t + 1;
        const Wound* found = wound(s->world, (weft_entity){slot, 1});
        cr_assert_eq(found->depth, expected, "slot %u", slot);
    }
}

Test(sparse, systems_select_read_and_write_rows) {
    sim_same_everywhere(build_mixed, 6, check_depth);
}

// Chunks of two archetypes share a presence chunk: workers that write their own rows of it must not
// disturb what is noted about the whole.
static void write_one_table(weft_executor_kind kind) {
    const run_config many = {
        .name = "four", .kind = kind, .workers = 4, .no_pin = true, .everybody = true, .grain = 1};
    sim serial = sim_open(&run_configs[0], build_mixed);
    sim shared = sim_open(&many, build_mixed);
    for (uint32_t tick = 0; tick < 100; tick++) {
        weft_digest expected;
        weft_digest found;
        sim_tick(&serial);
        sim_tick(&shared);
        WORLD_OK(serial.world, weft_executor_digest(serial.executor, &expected, NULL));
        WORLD_OK(shared.world, weft_executor_digest(shared.executor, &found, NULL));
        cr_assert(weft_digest_equal(expected, found), "tick %u", tick);
        WORLD_OK(shared.world, weft_world_digest_check(shared.world));
    }
    sim_close(&serial);
    sim_close(&shared);
}

Test(sparse, two_archetypes_of_one_shard_write_one_table, .timeout = 60) {
    write_one_table(WEFT_EXECUTOR_THREADS);
#if TEST_HAS_PROCESSES
    write_one_table(WEFT_EXECUTOR_PROCESSES);
#endif
}

// What a task wrote is its own rows, not its neighbour's.
Test(sparse, traced_outputs_are_equal_on_every_executor) {
    for (size_t i = 1; i < RUN_CONFIGS; i++) {
        if (run_configs[i].no_fusion)
            continue;
        sim other = sim_open(&run_configs[i], build_mixed);
        sim again = sim_open(&run_configs[0], build_mixed);
        for (uint32_t tick = 0; tick < 4; tick++) {
            const weft_task_output* expected;
            const weft_task_output* found;
            size_t expected_count;
            size_t found_count;
            WORLD_OK(again.world,
                     weft_executor_tick_traced(again.executor, &expected, &expected_count));
            WORLD_OK(other.world, weft_executor_tick_traced(other.executor, &found, &found_count));
            cr_assert_eq(expected_count, found_count);
            for (size_t k = 0; k < found_count; k++)
                cr_assert(expected[k].rank == found[k].rank &&
                              expected[k].archetype == found[k].archetype &&
                              expected[k].shard == found[k].shard &&
                              weft_digest_equal(expected[k].digest, found[k].digest),
                          "%s, tick %u: rank %u, archetype %u, shard %u", run_configs[i].name, tick,
                          found[k].rank, found[k].archetype, found[k].shard);
        }
        sim_close(&other);
        sim_close(&again);
    }
}
