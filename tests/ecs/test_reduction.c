// Reductions: a partial per chunk, combined by a tree whose shape is a function of the chunks
// alone.

#include "worlds.h"

WEFT_COMPONENT(Body, (uint32_t, mass));
WEFT_TAG(Left);
WEFT_TAG(Right);
WEFT_PARTIAL(Total, (uint64_t, mass), (uint64_t, rows));
WEFT_PARTIAL(Affine, (uint64_t, scale), (uint64_t, offset)); // x -> scale * x + offset.
WEFT_PARTIAL(Shape, (uint64_t, hash), (uint64_t, leaves));   // Not even associative.
WEFT_RESOURCE(Seen, (uint64_t, mass), (uint64_t, hash));

enum {
    SHARDS = 5
};

static void total_combine(void* left, const void* right) {
    ((Total*)left)->mass += ((const Total*)right)->mass;
    ((Total*)left)->rows += ((const Total*)right)->rows;
}

// Composition: associative, not commutative.
static void affine_combine(void* left, const void* right) {
    Affine* a = left;
    const Affine* b = right;
    a->offset = b->scale * a->offset + b->offset;
    a->scale *= b->scale;
}

static uint64_t mix(uint64_t a, uint64_t b) {
    uint64_t z = a * UINT64_C(0x9E3779B97F4A7C15) ^ (b + UINT64_C(0x7F4A7C15));
    return (z ^ z >> 29) * UINT64_C(0xBF58476D1CE4E5B9);
}

static void shape_combine(void* left, const void* right) {
    Shape* a = left;
    const Shape* b = right;
    a->hash = mix(a->hash, b->hash);
    a->leaves += b->leaves;
}

static uint64_t leaf_hash(uint32_t producer, uint32_t first_slot, uint32_t rows) {
    return mix(mix(producer, first_slot), rows);
}

static weft_status add_up(weft_view* view, const void* context) {
    const uint32_t* producer = context;
    const weft_entity* entities = weft_view_entities(view);
    const Body* bodies = WEFT_READ(view, Body);
    Total* total = WEFT_PARTIAL_OF(view, Total);
    Affine* affine = WEFT_PARTIAL_OF(view, Affine);
    Shape* shape = WEFT_PARTIAL_OF(view, Shape);
    if (total->rows != 0 || affine->scale != 1 || shape->leaves != 0 || shape->hash != 7)
        return weft_view_fail(view, "a partial does not start as the identity");
    for (uint32_t i = 0; i < weft_view_row_count(view); i++) {
        total->mass += bodies[i].mass;
        total->rows++;
        affine->offset = affine->offset * 3 + bodies[i].mass;
        affine->scale *= 3;
    }
    *shape = (Shape){leaf_hash(*producer, entities[0].slot, weft_view_row_count(view)), 1};
    return WEFT_STATUS_OK;
}

static weft_status look(weft_view* view, const void* context) {
    (void)context;
    Seen* seen = WEFT_RESOURCE_WRITE(view, Seen);
    seen->mass = WEFT_REDUCED_OF(view, Total)->mass;
    seen->hash = WEFT_REDUCED_OF(view, Shape)->hash;
    return WEFT_STATUS_OK;
}

static void register_all(weft_world* world) {
    world_component(world, WEFT_TYPE(Body), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Left), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Right), WEFT_STORAGE_DENSE);
    WORLD_OK(world, weft_world_register_reduction(world, WEFT_TYPE(Total), NULL, total_combine));
    WORLD_OK(world, weft_world_register_reduction(world, WEFT_TYPE(Affine), &(Affine){1, 0},
                                                  affine_combine));
    WORLD_OK(world,
             weft_world_register_reduction(world, WEFT_TYPE(Shape), &(Shape){7, 0}, shape_combine));
    WORLD_OK(world, weft_world_register_resource(world, WEFT_TYPE(Seen), 1, NULL));
}

// Archetypes {Left, Body}, {Body}, {Right, Body} by id, slots taken in turn.
static void populate(weft_world* world, uint32_t count) {
    weft_commands* commands = weft_world_commands(world);
    for (uint32_t i = 0; i < count; i++) {
        weft_entity made = weft_commands_create(commands, 0);
        WEFT_ADD(commands, 0, made, Body, {i % 97 + 1});
        if (i % 3 == 0)
            WEFT_ADD_TAG(commands, 0, made, Left);
        if (i % 3 == 2)
            WEFT_ADD_TAG(commands, 0, made, Right);
    }
    world_commit(world);
}

static const uint32_t producers[] = {0, 1};

static void add_systems(weft_schedule* schedule) {
    run_add(schedule, WEFT_SYSTEM("all", add_up, .context = &producers[0],
                                  WEFT_ACCESS(WEFT_READS(Body), WEFT_REDUCES(Total),
                                              WEFT_REDUCES(Affine), WEFT_REDUCES(Shape))));
    run_add(schedule,
            WEFT_SYSTEM("some", add_up, .context = &producers[1],
                        WEFT_ACCESS(WEFT_READS(Body), WEFT_WITHOUT(Left), WEFT_REDUCES(Total),
                                    WEFT_REDUCES(Affine), WEFT_REDUCES(Shape))));
    run_add(schedule, WEFT_SYSTEM("look", look, .scope = WEFT_SCOPE_WORLD,
                                  WEFT_ACCESS(WEFT_REDUCED(Total), WEFT_REDUCED(Shape),
                                              WEFT_WRITES_RESOURCE(Seen))));
}

static void build(weft_world* world, weft_schedule* schedule) {
    register_all(world);
    populate(world, SHARDS * WEFT_SHARD_SLOTS - 100);
    add_systems(schedule);
}

// The tree by its own rule: producers by rank, archetypes by id, shards; neighbours are paired
// level by level.
static uint64_t expected_shape(uint32_t count) {
    uint64_t leaves[2 * 3 * SHARDS];
    uint32_t leaf_count = 0;
    for (uint32_t producer = 0; producer < 2; producer++)
        for (uint32_t archetype = producer; archetype < 3; archetype++)
            for (uint32_t shard = 0; shard < SHARDS; shard++) {
                uint32_t rows = 0;
                uint32_t first = 0;
                for (uint32_t slot = shard * WEFT_SHARD_SLOTS;
                     slot < (shard + 1) * WEFT_SHARD_SLOTS && slot < count; slot++) {
                    if (slot % 3 != archetype)
                        continue;
                    first = rows == 0 ? slot : first;
                    rows++;
                }
                leaves[leaf_count++] = leaf_hash(producer, first, rows);
            }
    while (leaf_count > 1) {
        uint32_t out = 0;
        for (uint32_t i = 0; i < leaf_count; i += 2)
            leaves[out++] = i + 1 < leaf_count ? mix(leaves[i], leaves[i + 1]) : leaves[i];
        leaf_count = out;
    }
    return leaves[0];
}

static void check(const sim* s, uint64_t tick) {
    uint32_t count = SHARDS * WEFT_SHARD_SLOTS - 100;
    Total expected = {0, 0};
    if (tick == 0)
        return;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t times = i % 3 == 0 ? 1 : 2;
        expected.mass += (uint64_t)times * (i % 97 + 1);
        expected.rows += times;
    }
    const Total* total = weft_world_resource(s->world, WEFT_TYPE(Total));
    const Shape* shape = weft_world_resource(s->world, WEFT_TYPE(Shape));
    const Seen* seen = weft_world_resource(s->world, WEFT_TYPE(Seen));
    cr_assert_eq(total->mass, expected.mass);
    cr_assert_eq(total->rows, expected.rows);
    cr_assert_eq(seen->mass, expected.mass);
    cr_assert_eq(shape->leaves, 5 * SHARDS);
    cr_assert_eq(shape->hash, expected_shape(count));
    cr_assert_eq(seen->hash, shape->hash);
}

Test(reduction, the_tree_is_the_same_on_every_executor) {
    sim_same_everywhere(build, 4, check);
}

// Order is kept: composing maps left to right over rows, chunks, archetypes and producers.
static void check_affine(const sim* s, uint64_t tick) {
    uint32_t count = SHARDS * WEFT_SHARD_SLOTS - 100;
    uint64_t value = 0;
    if (tick == 0)
        return;
    for (uint32_t producer = 0; producer < 2; producer++)
        for (uint32_t archetype = producer; archetype < 3; archetype++)
            for (uint32_t slot = archetype; slot < count; slot += 3)
                value = value * 3 + slot % 97 + 1;
    const Affine* affine = weft_world_resource(s->world, WEFT_TYPE(Affine));
    cr_assert_eq(affine->offset, value);
}

Test(reduction, an_associative_combine_is_a_fold_in_order) {
    sim_same_everywhere(build, 2, check_affine);
}

// Chunks come and go while it runs.
static weft_status churn(weft_view* view, const void* context) {
    (void)context;
    const weft_entity* entities = weft_view_entities(view);
    weft_commands* commands = weft_view_commands(view);
    uint32_t tick = (uint32_t)weft_view_tick(view);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++) {
        uint32_t draw = (entities[i].slot * 2654435761u + tick * 40503u) >> 16;
        if (draw % 5 == 0)
            WEFT_ADD_TAG(commands, i, entities[i], Left);
        if (draw % 7 == 0)
            WEFT_REMOVE(commands, i, entities[i], Left);
        if (draw % 11 == 0)
            weft_commands_destroy(commands, i, entities[i]);
        if (draw % 13 == 0)
            WEFT_ADD(commands, i, weft_commands_create(commands, i), Body, {draw});
    }
    return WEFT_STATUS_OK;
}

static void build_churn(weft_world* world, weft_schedule* schedule) {
    register_all(world);
    populate(world, 2000);
    add_systems(schedule);
    run_add(schedule, WEFT_SYSTEM("churn", churn, WEFT_ACCESS(WEFT_WITH(Body), WEFT_COMMANDS)));
}

Test(reduction, chunks_may_come_and_go) {
    sim_same_everywhere(build_churn, 12, NULL);
}

static void build_empty(weft_world* world, weft_schedule* schedule) {
    register_all(world);
    add_systems(schedule);
}

static void check_identity(const sim* s, uint64_t tick) {
    (void)tick;
    const Affine* affine = weft_world_resource(s->world, WEFT_TYPE(Affine));
    const Shape* shape = weft_world_resource(s->world, WEFT_TYPE(Shape));
    cr_assert_eq(affine->scale, 1);
    cr_assert_eq(shape->hash, 7);
}

Test(reduction, of_nothing_it_is_the_identity) {
    sim_same_everywhere(build_empty, 2, check_identity);
}

// A reader that stands before the writers sees the value of the tick before.
static weft_status look_first(weft_view* view, const void* context) {
    (void)context;
    uint64_t expected = weft_view_tick(view) == 0 ? 0 : 100;
    if (WEFT_REDUCED_OF(view, Total)->rows != expected)
        return weft_view_fail(view, "%u rows", (unsigned)WEFT_REDUCED_OF(view, Total)->rows);
    return WEFT_STATUS_OK;
}

static weft_status count_rows(weft_view* view, const void* context) {
    (void)context;
    WEFT_PARTIAL_OF(view, Total)->rows = weft_view_row_count(view);
    return WEFT_STATUS_OK;
}

static void build_reader_first(weft_world* world, weft_schedule* schedule) {
    register_all(world);
    populate(world, 100);
    run_add(schedule, WEFT_SYSTEM("look", look_first, .scope = WEFT_SCOPE_WORLD,
                                  WEFT_ACCESS(WEFT_REDUCED(Total))));
    run_add(schedule,
            WEFT_SYSTEM("count", count_rows, WEFT_ACCESS(WEFT_READS(Body), WEFT_REDUCES(Total))));
}

Test(reduction, a_reader_before_the_writers_sees_the_last_tick) {
    sim_same_everywhere(build_reader_first, 3, NULL);
}

// A writer of smaller rank in a later stage than one of larger rank: both enter, by rank.
static weft_status grow(weft_view* view, const void* context) {
    (void)context;
    WEFT_WRITE(view, Body)[0].mass++;
    return WEFT_STATUS_OK;
}

static weft_status hash_one(weft_view* view, const void* context) {
    WEFT_PARTIAL_OF(view, Shape)->hash = *(const uint64_t*)context;
    return WEFT_STATUS_OK;
}

static const uint64_t late_hash = 11;
static const uint64_t early_hash = 22;

static void build_stages(weft_world* world, weft_schedule* schedule) {
    register_all(world);
    weft_entity made = world_create_one(world);
    WEFT_ADD(weft_world_commands(world), 0, made, Body, {1});
    world_commit(world);
    run_add(schedule, WEFT_SYSTEM("grow", grow, WEFT_ACCESS(WEFT_WRITES(Body))));
    run_add(schedule, WEFT_SYSTEM("late", hash_one, .context = &late_hash,
                                  WEFT_ACCESS(WEFT_READS_ANY(Body), WEFT_REDUCES(Shape))));
    run_add(schedule, WEFT_SYSTEM("early", hash_one, .context = &early_hash,
                                  WEFT_ACCESS(WEFT_REDUCES(Shape))));
    run_add(schedule, WEFT_SYSTEM("look", look, .scope = WEFT_SCOPE_WORLD,
                                  WEFT_ACCESS(WEFT_REDUCED(Total), WEFT_REDUCED(Shape),
                                              WEFT_WRITES_RESOURCE(Seen))));
}

static void check_stages(const sim* s, uint64_t tick) {
    const Seen* seen = weft_world_resource(s->world, WEFT_TYPE(Seen));
    cr_assert_eq(weft_schedule_system_stage(s->schedule, 1), 1);
    cr_assert_eq(weft_schedule_system_stage(s->schedule, 2), 0);
    cr_assert_eq(seen->hash, tick == 0 ? 0 : mix(late_hash, early_hash));
}

Test(reduction, writers_in_several_stages_all_enter) {
    sim_same_everywhere(build_stages, 3, check_stages);
}

Test(reduction, a_reader_between_two_writers_is_refused) {
    weft_world* world = world_make();
    weft_schedule* schedule = run_schedule(world);
    register_all(world);
    run_add(schedule,
            WEFT_SYSTEM("one", count_rows, WEFT_ACCESS(WEFT_READS(Body), WEFT_REDUCES(Total))));
    run_add(schedule, WEFT_SYSTEM("look", look_first, .scope = WEFT_SCOPE_WORLD,
                                  WEFT_ACCESS(WEFT_REDUCED(Total))));
    run_add(schedule,
            WEFT_SYSTEM("two", count_rows, WEFT_ACCESS(WEFT_READS(Body), WEFT_REDUCES(Total))));
    cr_assert_eq(weft_schedule_build(schedule), WEFT_STATUS_BAD_ACCESS);
    TEXT_HAS(weft_schedule_error(schedule), "\"look\"");
    TEXT_HAS(weft_schedule_error(schedule), "\"two\"");
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
}

Test(reduction, a_missing_combine_is_refused) {
    weft_world* world = world_make();
    cr_assert_eq(weft_world_register_reduction(world, WEFT_TYPE(Total), NULL, NULL),
                 WEFT_STATUS_BAD_ARGUMENT);
    TEXT_HAS(weft_world_error(world), "Total");
    WORLD_OK(world, weft_world_register_reduction(world, WEFT_TYPE(Total), NULL, total_combine));
    weft_world_destroy(world);
}
