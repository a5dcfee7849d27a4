// The digest tree (C7): what enters it, what does not, and that its format stays.

#include "weft_world.h"
#include "worlds.h"

WEFT_COMPONENT(Every, (int64_t, i64), (uint64_t, u64), (weft_entity, link), (weft_vec2, at),
               (int32_t, i32), (uint32_t, u32), (weft_fixed, fixed), (int16_t, i16),
               (uint16_t, u16), (int8_t, i8), (uint8_t, u8), (int16_t, rest), (uint32_t, last));
WEFT_COMPONENT(Body, (uint32_t, mass));
WEFT_COMPONENT(Cargo, (uint32_t, mass));
WEFT_TAG(Left);
WEFT_COMPONENT(Wound, (uint64_t, depth));             // Sparse.
WEFT_TAG(Seen);                                       // Sparse.
WEFT_COMPONENT(Cell, (int16_t, age), (int16_t, sum)); // Buffered.
WEFT_RESOURCE(Gauge, (weft_fixed, level), (uint32_t, count));
WEFT_MESSAGE(Letter, (uint32_t, word));
WEFT_PARTIAL(Total, (uint64_t, mass));
// Wider than any component.
WEFT_RESOURCE(Chart, (uint64_t, sum), (array, int32_t, heights, 20), (array, uint16_t, marks, 4));
WEFT_MESSAGE(Parcel, (uint64_t, weight), (weft_entity, from), (array, uint32_t, parts, 30));

static void total_combine(void* left, const void* right) {
    ((Total*)left)->mass += ((const Total*)right)->mass;
}

static void register_all(weft_world* world) {
    world_component(world, WEFT_TYPE(Every), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Body), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Cargo), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Left), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Wound), WEFT_STORAGE_SPARSE);
    world_component(world, WEFT_TYPE(Seen), WEFT_STORAGE_SPARSE);
    world_component(world, WEFT_TYPE(Cell), WEFT_STORAGE_BUFFERED);
    WORLD_OK(world, weft_world_register_resource(world, WEFT_TYPE(Gauge), 3, &(Gauge){{5}, 6}));
    WORLD_OK(world, weft_world_register_channel(world, WEFT_TYPE(Letter), WEFT_TARGET_ENTITY,
                                                WEFT_DELIVERY_NEXT));
    WORLD_OK(world, weft_world_register_reduction(world, WEFT_TYPE(Total), NULL, total_combine));
}

static weft_world* make(void) {
    weft_world* world = world_make();
    register_all(world);
    return world;
}

static Every every(uint32_t i) {
    return (Every){.i64 = INT64_C(-1000000000000) * i,
                   .u64 = UINT64_C(0xFEDCBA9876543210) + i,
                   .link = {i, 1},
                   .at = {{(int32_t)i << 16}, {-(int32_t)i}},
                   .i32 = -(int32_t)i,
                   .u32 = 0xF0000000u + i,
                   .fixed = {(int32_t)i * 7},
                   .i16 = (int16_t)-i,
                   .u16 = (uint16_t)(60000 + i),
                   .i8 = (int8_t)-i,
                   .u8 = (uint8_t)(200 + i),
                   .rest = (int16_t)i,
                   .last = i * i};
}

// A little of everything.
static weft_world* small_world(void) {
    weft_world* world = make();
    weft_commands* commands = weft_world_commands(world);
    for (uint32_t i = 0; i < 10; i++) {
        weft_entity made = weft_commands_create(commands, 0);
        Every value = every(i);
        if (i % 2 == 0)
            weft_commands_add(commands, 0, made, WEFT_TYPE(Every), &value);
        if (i % 3 == 0)
            WEFT_ADD(commands, 0, made, Body, {i});
        if (i % 4 == 1)
            WEFT_ADD_TAG(commands, 0, made, Left);
        if (i % 5 == 2)
            WEFT_ADD(commands, 0, made, Wound, {i});
        if (i % 5 == 3)
            WEFT_ADD_TAG(commands, 0, made, Seen);
        if (i > 6)
            WEFT_ADD(commands, 0, made, Cell, {(int16_t)i, -1});
    }
    world_commit(world);
    return world;
}

// View and full ----------------------------------------------------------------------------------

Test(digest, equal_worlds_are_equal_and_asking_changes_nothing) {
    weft_world* a = small_world();
    weft_world* b = small_world();
    weft_digest view = weft_world_digest_view(a);
    weft_digest full = weft_world_digest_full(a);
    DIGEST_NE(view, full);
    DIGEST_EQ(weft_world_digest_full(b), full);
    DIGEST_EQ(weft_world_digest_view(b), view);
    DIGEST_EQ(weft_world_digest_view(a), view);
    uint64_t hashed = weft_world_stats_read(a).leaves_hashed;
    DIGEST_EQ(weft_world_digest_full(a), full);
    cr_assert_eq(weft_world_stats_read(a).leaves_hashed, hashed, "hashed again for nothing");
    weft_world_destroy(a);
    weft_world_destroy(b);
}

// An entity that came and went is history, not view.
Test(digest, allocator_history_enters_the_full_digest_only) {
    weft_world* a = small_world();
    weft_world* b = small_world();
    world_destroy(b, world_create_one(b));
    DIGEST_EQ(weft_world_digest_view(a), weft_world_digest_view(b));
    DIGEST_NE(weft_world_digest_full(a), weft_world_digest_full(b));
    // The same slots freed in another order: another future, the same view.
    weft_world* c[2];
    for (uint32_t i = 0; i < 2; i++) {
        c[i] = small_world();
        world_destroy(c[i], (weft_entity){i == 0 ? 5 : 7, 1});
        world_destroy(c[i], (weft_entity){i == 0 ? 7 : 5, 1});
    }
    DIGEST_EQ(weft_world_digest_view(c[0]), weft_world_digest_view(c[1]));
    DIGEST_NE(weft_world_digest_full(c[0]), weft_world_digest_full(c[1]));
    weft_world_destroy(a);
    weft_world_destroy(b);
    weft_world_destroy(c[0]);
    weft_world_destroy(c[1]);
}

Test(digest, archetype_history_enters_the_full_digest_only) {
    weft_world* a = small_world();
    weft_world* b = small_world();
    // A set that nobody has any more keeps its id.
    WEFT_ADD(weft_world_commands(b), 0, ((weft_entity){1, 1}), Cargo, {1});
    world_commit(b);
    WEFT_REMOVE(weft_world_commands(b), 0, ((weft_entity){1, 1}), Cargo);
    world_commit(b);
    DIGEST_EQ(weft_world_digest_view(a), weft_world_digest_view(b));
    DIGEST_NE(weft_world_digest_full(a), weft_world_digest_full(b));
    weft_world_destroy(a);
    weft_world_destroy(b);
}

// The visit order is what anybody can see: worlds that walk differently look different.
Test(digest, another_order_of_archetypes_is_another_view) {
    weft_world* worlds[2];
    for (uint32_t i = 0; i < 2; i++) {
        worlds[i] = make();
        weft_entity made[2];
        world_create(worlds[i], 2, made);
        for (uint32_t step = 0; step < 2; step++) {
            uint32_t which = step ^ i;
            if (which == 0)
                WEFT_ADD(weft_world_commands(worlds[i]), 0, made[0], Body, {1});
            else
                WEFT_ADD(weft_world_commands(worlds[i]), 0, made[1], Cargo, {1});
            world_commit(worlds[i]);
        }
    }
    DIGEST_NE(weft_world_digest_view(worlds[0]), weft_world_digest_view(worlds[1]));
    weft_world_destroy(worlds[0]);
    weft_world_destroy(worlds[1]);
}

Test(digest, seed_and_limits_enter_the_full_digest_only) {
    weft_world_desc descs[4];
    weft_world* worlds[4];
    for (uint32_t i = 0; i < 4; i++)
        descs[i] = weft_world_desc_default();
    descs[1].seed = 1;
    descs[2].slot_limit = 1000;
    descs[3].archetype_limit = 1000;
    for (uint32_t i = 0; i < 4; i++) {
        cr_assert_eq(weft_world_create(&descs[i], NULL, &worlds[i]), WEFT_STATUS_OK);
        DIGEST_EQ(weft_world_digest_view(worlds[0]), weft_world_digest_view(worlds[i]));
        for (uint32_t j = 0; j < i; j++)
            DIGEST_NE(weft_world_digest_full(worlds[j]), weft_world_digest_full(worlds[i]));
    }
    for (uint32_t i = 0; i < 4; i++)
        weft_world_destroy(worlds[i]);
}

Test(digest, the_tick_enters_the_full_digest_only) {
    weft_world* world = world_make();
    weft_schedule* schedule = run_schedule(world);
    weft_executor* executor = run_executor(schedule, &run_configs[0]);
    weft_digest view = weft_world_digest_view(world);
    weft_digest full = weft_world_digest_full(world);
    WORLD_OK(world, weft_executor_tick(executor));
    DIGEST_EQ(weft_world_digest_view(world), view);
    DIGEST_NE(weft_world_digest_full(world), full);
    weft_executor_destroy(executor);
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
}

// Sensitivity ------------------------------------------------------------------------------------

// Every digest that was seen is another one.
typedef struct seen_digests {
    weft_digest items[256];
    uint32_t count;
} seen_digests;

static void see(seen_digests* seen, weft_digest digest, const char* what) {
    for (uint32_t i = 0; i < seen->count; i++)
        cr_assert(!weft_digest_equal(seen->items[i], digest), "%s changes nothing", what);
    seen->items[seen->count++] = digest;
}

Test(digest, every_bit_of_every_field_kind_changes_it) {
    weft_world* world = make();
    weft_entity entity = world_create_one(world);
    Every value = every(3);
    weft_commands_add(weft_world_commands(world), 0, entity, WEFT_TYPE(Every), &value);
    world_commit(world);
    weft_digest before = weft_world_digest_view(world);
    for (uint32_t bit = 0; bit < 8 * sizeof(Every); bit++) {
        Every changed = value;
        uint8_t* bytes = (uint8_t*)&changed;
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        weft_commands_set(weft_world_commands(world), 0, entity, WEFT_TYPE(Every), &changed);
        world_commit(world);
        cr_assert(!weft_digest_equal(weft_world_digest_view(world), before), "bit %u", bit);
        weft_commands_set(weft_world_commands(world), 0, entity, WEFT_TYPE(Every), &value);
        world_commit(world);
        DIGEST_EQ(weft_world_digest_view(world), before);
    }
    weft_world_destroy(world);
}

// Sums and exclusive ors of parts would miss these.
Test(digest, swapped_values_change_it) {
    weft_world* world = make();
    weft_entity made[4];
    seen_digests seen = {.count = 0};
    world_create(world, 4, made);
    static const uint32_t orders[6][3] = {{1, 2, 3}, {1, 3, 2}, {2, 1, 3},
                                          {2, 3, 1}, {3, 1, 2}, {3, 2, 1}};
    for (uint32_t i = 0; i < 6; i++) {
        for (uint32_t j = 0; j < 3; j++)
            WEFT_ADD(weft_world_commands(world), 0, made[j], Body, {orders[i][j]});
        world_commit(world);
        see(&seen, weft_world_digest_view(world), "a swap of rows");
    }
    for (uint32_t i = 0; i < 2; i++) {
        for (uint32_t j = 0; j < 2; j++)
            WEFT_ADD(weft_world_commands(world), 0, made[j], Wound, {orders[2 * i][j]});
        world_commit(world);
        see(&seen, weft_world_digest_view(world), "a swap of sparse rows");
    }
    for (uint32_t i = 0; i < 2; i++) {
        Gauge gauges[3] = {{{1}, 2}, {{3}, 4}, {{5}, 6}};
        Gauge first = gauges[0];
        gauges[0] = i == 0 ? first : gauges[1];
        gauges[1] = i == 0 ? gauges[1] : first;
        WORLD_OK(world, weft_world_set_resource(world, WEFT_TYPE(Gauge), gauges));
        see(&seen, weft_world_digest_view(world), "a swap in a resource");
    }
    weft_world_destroy(world);
}

// Two columns of the same kind with the same bytes are still two components.
Test(digest, where_a_value_is_changes_it) {
    seen_digests seen = {.count = 0};
    for (uint32_t i = 0; i < 8; i++) {
        weft_world* world = make();
        world_create(world, WEFT_SHARD_SLOTS + 2, NULL);
        weft_commands* commands = weft_world_commands(world);
        static const weft_entity places[] = {{0, 1}, {1, 1}, {4095, 1}, {4096, 1}};
        if (i < 4)
            WEFT_ADD(commands, 0, places[i], Body, {7});
        else if (i < 6)
            WEFT_ADD(commands, 0, places[i - 4], Cargo, {7});
        else if (i == 6)
            WEFT_ADD_TAG(commands, 0, places[0], Left);
        else
            WEFT_ADD_TAG(commands, 0, places[0], Seen);
        world_commit(world);
        see(&seen, weft_world_digest_view(world), "another place");
        weft_world_destroy(world);
    }
}

Test(digest, a_generation_changes_it) {
    weft_world* a = make();
    weft_world* b = make();
    world_create(a, 2, NULL);
    world_create(b, 2, NULL);
    world_destroy(b, (weft_entity){1, 1});
    (void)world_create_one(b);
    cr_assert_eq(weft_world_entity_count(a), weft_world_entity_count(b));
    DIGEST_NE(weft_world_digest_view(a), weft_world_digest_view(b));
    weft_world_destroy(a);
    weft_world_destroy(b);
}

// Incremental ------------------------------------------------------------------------------------

Test(digest, only_what_was_written_is_hashed_again) {
    weft_world* world = make();
    weft_commands* commands = weft_world_commands(world);
    for (uint32_t i = 0; i < 10 * WEFT_SHARD_SLOTS; i++) {
        weft_entity made = weft_commands_create(commands, 0);
        WEFT_ADD(commands, 0, made, Body, {i});
        WEFT_ADD(commands, 0, made, Cargo, {i});
    }
    world_commit(world);
    (void)weft_world_digest_full(world);
    uint64_t before = weft_world_stats_read(world).leaves_hashed;
    WEFT_SET(weft_world_commands(world), 0, ((weft_entity){5000, 1}), Body, {1});
    world_commit(world);
    (void)weft_world_digest_full(world);
    cr_assert_leq(weft_world_stats_read(world).leaves_hashed - before, 2);
    WORLD_OK(world, weft_world_digest_check(world));
    weft_world_destroy(world);
}

// The same end by many small commits with digests between, and by one big one without.
Test(digest, caches_give_what_a_fresh_world_gives) {
    weft_world* a = make();
    weft_world* b = make();
    weft_commands* all = weft_world_commands(b);
    for (uint32_t i = 0; i < 300; i++) {
        Every value = every(i);
        weft_entity made = world_create_one(a);
        weft_entity other = weft_commands_create(all, 0);
        weft_commands_add(weft_world_commands(a), 0, made, WEFT_TYPE(Every), &value);
        weft_commands_add(all, 0, other, WEFT_TYPE(Every), &value);
        world_commit(a);
        if (i % 3 == 0)
            (void)weft_world_digest_view(a);
        if (i % 10 == 0)
            WORLD_OK(a, weft_world_digest_check(a));
    }
    world_commit(b);
    DIGEST_EQ(weft_world_digest_view(a), weft_world_digest_view(b));
    weft_world_destroy(a);
    weft_world_destroy(b);
}

// A write that nobody marked is found and named.
Test(digest, the_check_names_what_was_changed_behind_its_back) {
    weft_world* world = small_world();
    weft_entity entity = {3, 1};
    WORLD_OK(world, weft_world_digest_check(world));
    Body* body = (Body*)(uintptr_t)weft_world_read(world, entity, WEFT_TYPE(Body));
    body->mass ^= 1;
    cr_assert_eq(weft_world_digest_check(world), WEFT_STATUS_DIGEST_MISMATCH);
    TEXT_HAS(weft_world_error(world), "Body");
    TEXT_HAS(weft_world_error(world), "shard 0");
    body->mass ^= 1;
    WORLD_OK(world, weft_world_digest_check(world));
    Gauge* gauge = (Gauge*)(uintptr_t)weft_world_resource(world, WEFT_TYPE(Gauge));
    gauge[2].count++;
    cr_assert_eq(weft_world_digest_check(world), WEFT_STATUS_DIGEST_MISMATCH);
    TEXT_HAS(weft_world_error(world), "Gauge");
    gauge[2].count--;
    WORLD_OK(world, weft_world_digest_check(world));
    Wound* wound = (Wound*)(uintptr_t)weft_world_read(world, (weft_entity){2, 1}, WEFT_TYPE(Wound));
    wound->depth++;
    cr_assert_eq(weft_world_digest_check(world), WEFT_STATUS_DIGEST_MISMATCH);
    TEXT_HAS(weft_world_error(world), "Wound");
    weft_world_destroy(world);
}

// Known answers ----------------------------------------------------------------------------------

#define GOLDEN WEFT_TEST_DIR "/golden/digest_small.txt"

typedef struct report {
    char text[4096];
    size_t size;
} report;

static void add_line(report* r, const char* what, weft_world* world) {
    char view[WEFT_DIGEST_TEXT];
    char full[WEFT_DIGEST_TEXT];
    weft_digest_format(weft_world_digest_view(world), view);
    weft_digest_format(weft_world_digest_full(world), full);
    r->size += (size_t)snprintf(r->text + r->size, sizeof(r->text) - r->size, "%s %s %s\n", what,
                                view, full);
    cr_assert_lt(r->size, sizeof(r->text));
}

static weft_status weigh(weft_view* view, const void* context) {
    (void)context;
    Body* bodies = WEFT_WRITE(view, Body);
    Total* total = WEFT_PARTIAL_OF(view, Total);
    weft_commands* commands = weft_view_commands(view);
    const weft_entity* entities = weft_view_entities(view);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++) {
        total->mass += bodies[i].mass++;
        WEFT_EMIT(view, i, entities[i], Letter, {bodies[i].mass});
        if (entities[i].slot % 2 == 1)
            WEFT_ADD(commands, i, weft_commands_create(commands, i), Body, {100});
    }
    return WEFT_STATUS_OK;
}

// Steps that touch every node of the tree.
// Many values of types wider than any component: a big-endian host needs room to encode them.
static void add_wide(report* r) {
    enum {
        CHARTS = WEFT_SHARD_SLOTS + 100,
        PARCELS = 1000
    };
    static Chart charts[CHARTS];
    weft_world* world = world_make();
    world_component(world, WEFT_TYPE(Body), WEFT_STORAGE_DENSE);
    WORLD_OK(world, weft_world_register_resource(world, WEFT_TYPE(Chart), CHARTS, NULL));
    WORLD_OK(world, weft_world_register_channel(world, WEFT_TYPE(Parcel), WEFT_TARGET_WORLD,
                                                WEFT_DELIVERY_NEXT));
    world_create(world, 3, NULL);
    for (uint32_t i = 0; i < CHARTS; i++) {
        charts[i].sum = UINT64_C(0x0102030405060708) * i;
        charts[i].heights[i % 20] = -(int32_t)i;
        charts[i].marks[i % 4] = (uint16_t)i;
    }
    WORLD_OK(world, weft_world_set_resource(world, WEFT_TYPE(Chart), charts));
    for (uint32_t i = 0; i < PARCELS; i++) {
        Parcel parcel = {.weight = i, .from = {i % 3, 1}};
        parcel.parts[i % 30] = i;
        WORLD_OK(world, weft_world_post(world, WEFT_TYPE(Parcel), WEFT_ENTITY_NULL, &parcel));
    }
    add_line(r, "wide", world);
    WORLD_OK(world, weft_world_digest_check(world));
    weft_world_destroy(world);
}

static void write_report(report* r) {
    r->size = 0;
    weft_world* empty = world_make();
    add_line(r, "empty", empty);
    weft_world_destroy(empty);
    weft_world* world = make();
    add_line(r, "schema", world);
    weft_world_destroy(world);
    world = small_world();
    add_line(r, "small", world);
    world_destroy(world, (weft_entity){4, 1});
    world_destroy(world, (weft_entity){9, 1});
    add_line(r, "freed", world);
    WORLD_OK(world, weft_world_post(world, WEFT_TYPE(Letter), (weft_entity){1, 1}, &(Letter){9}));
    add_line(r, "posted", world);
    weft_schedule* schedule = run_schedule(world);
    run_add(schedule, WEFT_SYSTEM("weigh", weigh,
                                  WEFT_ACCESS(WEFT_WRITES(Body), WEFT_REDUCES(Total),
                                              WEFT_EMITS(Letter), WEFT_COMMANDS)));
    weft_executor* executor = run_executor(schedule, &run_configs[0]);
    for (uint32_t tick = 0; tick < 3; tick++) {
        WORLD_OK(world, weft_executor_tick(executor));
        add_line(r, "ticked", world);
    }
    world_create(world, 2 * WEFT_SHARD_SLOTS, NULL);
    add_line(r, "shards", world);
    uint64_t schema = weft_world_schema_hash(world);
    uint64_t plan = weft_schedule_hash(schedule);
    add_wide(r);
    r->size += (size_t)snprintf(r->text + r->size, sizeof(r->text) - r->size,
                                "hashes %016" PRIx64 " %016" PRIx64 "\n", schema, plan);
    weft_executor_destroy(executor);
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
}

// A change of the format must be meant: WEFT_UPDATE_GOLDEN=1 writes the file anew.
Test(digest, known_answers_of_a_small_world) {
    static report now;
    static char golden[sizeof(now.text)];
    write_report(&now);
    const char* update = getenv("WEFT_UPDATE_GOLDEN");
    if (update != NULL && strcmp(update, "1") == 0) {
        FILE* file = fopen(GOLDEN, "w");
        cr_assert_not_null(file);
        cr_assert_eq(fwrite(now.text, 1, now.size, file), now.size);
        cr_assert_eq(fclose(file), 0);
    }
    FILE* file = fopen(GOLDEN, "r");
    cr_assert_not_null(file, "%s is missing", GOLDEN);
    golden[fread(golden, 1, sizeof(golden) - 1, file)] = '\0';
    fclose(file);
    cr_assert_str_eq(now.text, golden);
}
