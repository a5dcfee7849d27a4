// Tables: rows in key order, of three sources, and no part of any result.

#include "worlds.h"

WEFT_COMPONENT(Body, (uint32_t, weight));
WEFT_TAG(Left);
WEFT_MESSAGE(Seen, (weft_entity, who), (uint32_t, word), (uint32_t, tick));
WEFT_MESSAGE(Made, (weft_entity, child), (weft_entity, parent));
WEFT_MESSAGE(Noise, (uint32_t, word));
WEFT_MESSAGE(Letter, (uint32_t, word));
WEFT_RESOURCE(Count, (uint64_t, ticks));
WEFT_PARTIAL(Rows, (uint64_t, count));

enum {
    ENTITIES = 2 * WEFT_SHARD_SLOTS + 10,
    TICKS = 3
};

static void add_rows(void* left, const void* right) {
    ((Rows*)left)->count += ((const Rows*)right)->count;
}

// Rows descending, so the order of sending is not the order of keys.
static weft_status see(weft_view* view, const void* context) {
    const weft_entity* entities = weft_view_entities(view);
    const uint32_t* word = context;
    uint32_t tick = (uint32_t)weft_view_tick(view);
    for (uint32_t row = weft_view_row_count(view); row-- > 0;) {
        if (entities[row].slot % 100 != 0)
            continue;
        WEFT_EMIT(view, row, WEFT_ENTITY_NULL, Seen, {entities[row], *word, tick});
        WEFT_EMIT(view, row, WEFT_ENTITY_NULL, Seen, {entities[row], *word + 1, tick});
    }
    return WEFT_STATUS_OK;
}

static weft_status count_rows(weft_view* view, const void* context) {
    (void)context;
    WEFT_PARTIAL_OF(view, Rows)->count = weft_view_row_count(view);
    return WEFT_STATUS_OK;
}

static weft_status count_ticks(weft_view* view, const void* context) {
    (void)context;
    WEFT_RESOURCE_WRITE(view, Count)->ticks++;
    WEFT_EMIT(view, 0, WEFT_ENTITY_NULL, Noise, {7});
    return WEFT_STATUS_OK;
}

static weft_status make(weft_view* view, const void* context) {
    (void)context;
    const weft_entity* entities = weft_view_entities(view);
    for (uint32_t row = 0; row < weft_view_row_count(view); row++) {
        if (entities[row].slot % 1000 != 0)
            continue;
        weft_entity child =
            WEFT_CREATE(weft_view_commands(view), row, WEFT_VALUE(Body, {entities[row].slot}));
        WEFT_EMIT(view, row, WEFT_ENTITY_NULL, Made, {child, entities[row]});
    }
    return WEFT_STATUS_OK;
}

static void build_unkept(weft_world* world, weft_schedule* schedule) {
    static const uint32_t words[] = {10, 20};
    world_component(world, WEFT_TYPE(Body), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Left), WEFT_STORAGE_DENSE);
    WORLD_OK(world, weft_world_register_channel(world, WEFT_TYPE(Seen), WEFT_TARGET_WORLD,
                                                WEFT_DELIVERY_LOG));
    WORLD_OK(world, weft_world_register_channel(world, WEFT_TYPE(Made), WEFT_TARGET_WORLD,
                                                WEFT_DELIVERY_LOG));
    WORLD_OK(world, weft_world_register_channel(world, WEFT_TYPE(Noise), WEFT_TARGET_WORLD,
                                                WEFT_DELIVERY_TICK));
    WORLD_OK(world, weft_world_register_resource(world, WEFT_TYPE(Count), 1, NULL));
    WORLD_OK(world, weft_world_register_reduction(world, WEFT_TYPE(Rows), NULL, add_rows));
    WORLD_OK(world, weft_world_register_table(world, WEFT_TYPE(Count)));
    WORLD_OK(world, weft_world_register_table(world, WEFT_TYPE(Rows)));
    WORLD_OK(world, weft_world_register_table(world, WEFT_TYPE(Noise)));
    weft_commands* commands = weft_world_commands(world);
    for (uint32_t i = 0; i < ENTITIES; i++) {
        weft_entity made = WEFT_CREATE(commands, 0, WEFT_VALUE(Body, {i}));
        if (i % 4 == 0) // Archetype 1: the first that is needed.
            WEFT_ADD_TAG(commands, 0, made, Left);
    }
    world_commit(world);
    run_add(schedule, WEFT_SYSTEM("first", see, .context = &words[0],
                                  WEFT_ACCESS(WEFT_WITH(Body), WEFT_EMITS(Seen))));
    run_add(schedule, WEFT_SYSTEM("second", see, .context = &words[1],
                                  WEFT_ACCESS(WEFT_WITH(Body), WEFT_EMITS(Seen))));
    run_add(schedule, WEFT_SYSTEM("make", make,
                                  WEFT_ACCESS(WEFT_WITH(Left), WEFT_EMITS(Made), WEFT_COMMANDS)));
    run_add(schedule, WEFT_SYSTEM("count_rows", count_rows,
                                  WEFT_ACCESS(WEFT_WITH(Body), WEFT_REDUCES(Rows))));
    run_add(schedule, WEFT_SYSTEM("count_ticks", count_ticks, .scope = WEFT_SCOPE_WORLD,
                                  WEFT_ACCESS(WEFT_WRITES_RESOURCE(Count), WEFT_EMITS(Noise))));
}

static void build(weft_world* world, weft_schedule* schedule) {
    build_unkept(world, schedule);
    weft_world_keep_tables(world, true);
}

static weft_table table_of(const weft_world* world, const char* name) {
    for (uint32_t i = 0; i < weft_world_table_count(world); i++) {
        weft_table table = weft_world_table(world, i);
        if (strcmp(table.type->name, name) == 0)
            return table;
    }
    cr_assert_fail("no table %s", name);
    return (weft_table){0};
}

// By rank, then archetype, then slot, then the order of one row's own.
static void check_order(const weft_table* table, uint64_t tick) {
    const Seen* rows = table->rows;
    uint32_t at = 0;
    for (uint32_t rank = 0; rank < 2; rank++)
        for (uint32_t left = 2; left-- > 0;)
            for (uint32_t slot = 0; slot < ENTITIES; slot += 100)
                for (uint32_t twice = 0; twice < 2 && (slot % 4 == 0) == (left == 1);
                     twice++, at++) {
                    cr_assert(at < table->count);
                    cr_assert_eq(rows[at].who.slot, slot);
                    cr_assert_eq(rows[at].word, 10 + 10 * rank + twice);
                    cr_assert_eq(rows[at].tick, tick - 1);
                }
    // The newborn have larger slots, and are not among them while there are fewer than 100.
    cr_assert_eq(at, table->count);
}

static void check(const sim* s, uint64_t tick) {
    if (tick == 0)
        return;
    weft_table seen = table_of(s->world, "Seen");
    check_order(&seen, tick);
    weft_table made = table_of(s->world, "Made");
    const Made* children = made.rows;
    cr_assert_eq(made.count, 9); // Slots 0, 1000, ... 8000: all are divisible by 4.
    for (uint32_t i = 0; i < made.count; i++) {
        cr_assert_eq(children[i].parent.slot, 1000 * i);
        const Body* body = weft_world_read(s->world, children[i].child, WEFT_TYPE(Body));
        cr_assert(body != NULL && body->weight == 1000 * i, "the child's handle is not real");
    }
    weft_table counts = table_of(s->world, "Count");
    cr_assert_eq(counts.count, 1);
    cr_assert_eq(((const Count*)counts.rows)->ticks, tick);
    weft_table sums = table_of(s->world, "Rows");
    cr_assert_eq(((const Rows*)sums.rows)->count, ENTITIES + 9 * (tick - 1));
    weft_table noise = table_of(s->world, "Noise");
    cr_assert_eq(noise.count, 1);
    cr_assert_eq(((const Noise*)noise.rows)->word, 7);
}

Test(table, rows_are_in_key_order_on_every_executor) {
    sim_same_everywhere(build, TICKS, check);
}

Test(table, keeping_rows_changes_no_digest) {
    sim kept = sim_open(&run_configs[0], build);
    sim unkept = sim_open(&run_configs[0], build_unkept);
    for (uint32_t tick = 0; tick < TICKS; tick++) {
        sim_tick(&kept);
        sim_tick(&unkept);
        DIGEST_EQ(weft_world_digest_full(kept.world), weft_world_digest_full(unkept.world));
        cr_assert_eq(table_of(unkept.world, "Seen").count, 0);
        cr_assert_eq(table_of(unkept.world, "Noise").count, 1, "a channel is delivered anyway");
        cr_assert(table_of(kept.world, "Seen").count > 0);
    }
    // Rows of the last tick are not those of the next.
    weft_world_keep_tables(kept.world, false);
    sim_tick(&kept);
    cr_assert_eq(table_of(kept.world, "Seen").count, 0);
    sim_close(&kept);
    sim_close(&unkept);
}

// Tables that are marked are no part of the schema; channels are.
Test(table, marking_changes_no_schema) {
    weft_world* plain = world_make();
    weft_world* marked = world_make();
    WORLD_OK(plain, weft_world_register_resource(plain, WEFT_TYPE(Count), 1, NULL));
    WORLD_OK(marked, weft_world_register_resource(marked, WEFT_TYPE(Count), 1, NULL));
    WORLD_OK(marked, weft_world_register_table(marked, WEFT_TYPE(Count)));
    cr_assert_eq(weft_world_schema_hash(plain), weft_world_schema_hash(marked));
    weft_world_destroy(plain);
    weft_world_destroy(marked);
}

Test(table, what_cannot_be_a_table_is_refused) {
    sim s = sim_open(&run_configs[0], build);
    weft_world* world = world_make();
    world_component(world, WEFT_TYPE(Body), WEFT_STORAGE_DENSE);
    cr_assert_eq(weft_world_register_table(world, WEFT_TYPE(Body)), WEFT_STATUS_BAD_ARGUMENT);
    TEXT_HAS(weft_world_error(world), "table Body: only a channel to the world");
    cr_assert_eq(weft_world_register_table(world, WEFT_TYPE(Count)), WEFT_STATUS_UNKNOWN_TYPE);
    TEXT_HAS(weft_world_error(world), "table Count: the type is not registered");
    cr_assert_eq(weft_world_register_channel(world, WEFT_TYPE(Letter), WEFT_TARGET_ENTITY,
                                             WEFT_DELIVERY_LOG),
                 WEFT_STATUS_BAD_ARGUMENT);
    TEXT_HAS(weft_world_error(world), "channel Letter: rows of a table have no addressee");
    WORLD_OK(world, weft_world_register_channel(world, WEFT_TYPE(Letter), WEFT_TARGET_ENTITY,
                                                WEFT_DELIVERY_TICK));
    cr_assert_eq(weft_world_register_table(world, WEFT_TYPE(Letter)), WEFT_STATUS_BAD_ARGUMENT);
    WORLD_OK(world, weft_world_register_channel(world, WEFT_TYPE(Noise), WEFT_TARGET_WORLD,
                                                WEFT_DELIVERY_LOG));
    cr_assert_eq(weft_world_register_table(world, WEFT_TYPE(Noise)), WEFT_STATUS_DUPLICATE);
    TEXT_HAS(weft_world_error(world), "Noise is a table already");
    weft_schedule* schedule = run_schedule(world);
    cr_assert_eq(weft_schedule_add_system(schedule, WEFT_SYSTEM("hear", count_ticks,
                                                                .scope = WEFT_SCOPE_WORLD,
                                                                WEFT_ACCESS(WEFT_CONSUMES(Noise)))),
                 WEFT_STATUS_BAD_ACCESS);
    TEXT_HAS(weft_schedule_error(schedule), "CONSUME(Noise): the rows of a table");
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);

    sim_tick(&s);
    cr_assert_eq(weft_world_register_table(s.world, WEFT_TYPE(Noise)), WEFT_STATUS_WRONG_PHASE);
    sim_close(&s);
}

WEFT_MESSAGE(Heat, (float, degrees), (bool, on), (array, uint8_t, pad, 3));

static weft_status burn(weft_view* view, const void* context) {
    (void)context;
    Heat heat = {0};
    uint32_t bits = 0x7fc00000u;
    uint8_t two = 2;
    memcpy(&heat.degrees, &bits, sizeof(bits));
    memcpy(&heat.on, &two, sizeof(two));
    weft_view_emit(view, 0, WEFT_TYPE(Heat), WEFT_ENTITY_NULL, &heat);
    return WEFT_STATUS_OK;
}

static void build_heat(weft_world* world, weft_schedule* schedule) {
    WORLD_OK(world, weft_world_register_channel(world, WEFT_TYPE(Heat), WEFT_TARGET_WORLD,
                                                WEFT_DELIVERY_LOG));
    weft_world_keep_tables(world, true);
    run_add(schedule,
            WEFT_SYSTEM("burn", burn, .scope = WEFT_SCOPE_WORLD, WEFT_ACCESS(WEFT_EMITS(Heat))));
}

// A run must not fail because it is logged.
Test(table, rows_may_hold_what_the_state_may_not) {
    run_config config = run_configs[0];
    config.math = WEFT_MATH_FLOAT_PINNED_32;
    sim s = sim_open(&config, build_heat);
    sim_tick(&s);
    weft_table heat = table_of(s.world, "Heat");
    cr_assert_eq(heat.count, 1);
    sim_close(&s);
}
