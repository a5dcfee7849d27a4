// Creates and destroys of many: what as many single commands do, in every particular that the full
// digest and the counts show.

#include "worlds.h"

#include "weft_world.h"

WEFT_COMPONENT(Place, (int32_t, x), (int32_t, y));
WEFT_COMPONENT(Link, (weft_entity, next), (uint32_t, rank));
WEFT_COMPONENT(Byte, (uint8_t, value));
WEFT_TAG(Mark);
WEFT_COMPONENT(Wound, (uint64_t, depth)); // Sparse.
WEFT_TAG(Seen);                           // Sparse.
WEFT_COMPONENT(Echo, (int32_t, now));     // Buffered.
WEFT_MESSAGE(Born, (weft_entity, who));

enum {
    MOST = 3 * WEFT_SHARD_SLOTS,
};

static Place places[MOST];
static Link links[MOST];
static Byte bytes[MOST];
static Wound wounds[MOST];
static weft_entity victims[MOST];

static void register_all(weft_world* world) {
    world_component(world, WEFT_TYPE(Place), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Link), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Byte), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Mark), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Wound), WEFT_STORAGE_SPARSE);
    world_component(world, WEFT_TYPE(Seen), WEFT_STORAGE_SPARSE);
    world_component(world, WEFT_TYPE(Echo), WEFT_STORAGE_BUFFERED);
    WORLD_OK(world, weft_world_register_channel(world, WEFT_TYPE(Born), WEFT_TARGET_WORLD,
                                                WEFT_DELIVERY_TICK));
}

// Either way of recording the same.
static weft_entity create(weft_commands* commands, bool many, uint32_t count,
                          const weft_column* columns, uint32_t column_count) {
    if (many)
        return weft_commands_create_many(commands, 0, count, columns, column_count);
    weft_entity first = WEFT_ENTITY_NULL;
    for (uint32_t i = 0; i < count; i++) {
        weft_value values[8];
        for (uint32_t j = 0; j < column_count; j++) {
            const uint8_t* from = columns[j].values;
            if (from != NULL && columns[j].count > 1)
                from += (size_t)i * columns[j].type->size;
            values[j] = (weft_value){columns[j].type, from};
        }
        weft_entity made = weft_commands_create_with(commands, 0, values, column_count);
        first = i == 0 ? made : first;
    }
    return first;
}

static void destroy(weft_commands* commands, bool many, const weft_entity* entities,
                    uint32_t count) {
    if (many)
        weft_commands_destroy_many(commands, 0, entities, count);
    for (uint32_t i = 0; i < count && !many; i++)
        weft_commands_destroy(commands, 0, entities[i]);
}

static void fill(weft_entity first) {
    for (uint32_t i = 0; i < MOST; i++) {
        places[i] = (Place){(int32_t)i, -(int32_t)i};
        links[i] = (Link){weft_entity_nth(first, (i * 7 + 1) % MOST), i};
        bytes[i] = (Byte){(uint8_t)(i * 31)};
        wounds[i] = (Wound){(uint64_t)i << 33};
    }
}

// One commit of each kind, on top of each other. `story` picks what else happens in the commits.
static weft_world* tell(bool many, uint32_t story) {
    weft_world* world = world_make();
    register_all(world);
    const Echo echo = {5};
    for (uint32_t round = 0; round < 4; round++) {
        weft_commands* commands = weft_world_commands(world);
        weft_entity next = weft_commands_next(commands);
        fill(next);
        uint32_t count = story == 0 ? 1 + 4000 * round : 900 * (round + 1) + story;
        weft_column full[] = {{WEFT_TYPE(Place), places, count}, {WEFT_TYPE(Link), links, count},
                              {WEFT_TYPE(Echo), &echo, 1},       {WEFT_TYPE(Mark), NULL, 1},
                              {WEFT_TYPE(Byte), NULL, count},    {WEFT_TYPE(Wound), wounds, count},
                              {WEFT_TYPE(Seen), NULL, 1},        {WEFT_TYPE(Byte), bytes, count}};
        weft_entity first = create(commands, many, count, full, story % 2 == 0 ? 5 : 8);
        ENTITY_EQ(first, next);
        WEFT_CREATE(commands, 0, WEFT_VALUE(Place, {1, 2}));
        full[0].count = full[1].count = count / 2;
        weft_entity second = create(commands, many, count / 2, full, 2);
        create(commands, many, 3, NULL, 0);
        if (story >= 2) { // Members that other commands speak of, at the ends and within.
            WEFT_ADD(commands, 0, first, Wound, {99});
            WEFT_REMOVE(commands, 0, weft_entity_nth(first, count - 1), Place);
            WEFT_SET(commands, 0, weft_entity_nth(second, 7), Place, {8, 9});
            for (uint32_t i = 0; i < 100; i++)
                victims[i] = weft_entity_nth(second, 3 * i);
            destroy(commands, many, victims, 100);
        }
        for (uint32_t i = 0; i < 400 && round > 0; i++) // Some twice, some dead, one nobody.
            victims[i] = (weft_entity){(i * 37) % 1500, 1 + i % 2};
        destroy(commands, many, victims, round > 0 ? 400 : 0);
        world_commit(world);
        if (story == 3)
            WORLD_OK(world, weft_world_digest_check(world));
    }
    return world;
}

Test(bulk, as_many_single_commands_do_the_same) {
    for (uint32_t story = 0; story < 4; story++) {
        weft_world* one = tell(false, story);
        weft_world* many = tell(true, story);
        weft_world_stats a = weft_world_stats_read(one);
        weft_world_stats b = weft_world_stats_read(many);
        cr_assert_eq(a.created, b.created);
        cr_assert_eq(a.destroyed, b.destroyed);
        cr_assert_eq(a.commands_dropped, b.commands_dropped, "story %u", story);
        cr_assert_eq(a.archetypes, b.archetypes);
        cr_assert_eq(a.chunks, b.chunks);
        DIGEST_EQ(weft_world_digest_full(one), weft_world_digest_full(many));
        WORLD_OK(many, weft_world_digest_check(many));
        weft_world_destroy(one);
        weft_world_destroy(many);
    }
}

Test(bulk, values_come_by_row_and_handles_in_them_become_real) {
    weft_world* world = world_make();
    register_all(world);
    weft_entity old = world_create_one(world);
    weft_commands* commands = weft_world_commands(world);
    weft_entity first = weft_commands_next(commands);
    fill(first);
    links[0].next = old;
    ENTITY_EQ(WEFT_CREATE_MANY(commands, 0, MOST, WEFT_COLUMN(Place, places, MOST),
                               WEFT_COLUMN(Link, links, MOST), WEFT_COLUMN_SAME(Echo, {-4}),
                               WEFT_COLUMN_TAG(Mark)),
              first);
    ENTITY_EQ(weft_commands_next(commands), weft_entity_nth(first, MOST));
    world_commit(world);
    for (uint32_t i = 0; i < MOST; i++) {
        weft_entity entity = weft_world_resolve(world, weft_entity_nth(first, i));
        ENTITY_EQ(entity, ((weft_entity){1 + i, 1}));
        const Place* place = weft_world_read(world, entity, WEFT_TYPE(Place));
        const Link* link = weft_world_read(world, entity, WEFT_TYPE(Link));
        const Echo* echo = weft_world_read(world, entity, WEFT_TYPE(Echo));
        cr_assert(place->x == (int32_t)i && place->y == -(int32_t)i);
        ENTITY_EQ(link->next, i == 0 ? old : ((weft_entity){1 + (i * 7 + 1) % MOST, 1}));
        cr_assert(link->rank == i && echo->now == -4);
        cr_assert_not_null(weft_world_read(world, entity, WEFT_TYPE(Mark)));
    }
    cr_assert(weft_entity_is_null(weft_world_resolve(world, weft_entity_nth(first, MOST))));
    weft_world_destroy(world);
}

Test(bulk, of_nothing_is_nothing) {
    weft_world* world = world_make();
    register_all(world);
    weft_commands* commands = weft_world_commands(world);
    weft_entity none = WEFT_CREATE_MANY(commands, 0, 0, WEFT_COLUMN(Place, places, 0));
    cr_assert(weft_entity_is_null(none));
    cr_assert(weft_entity_is_null(weft_entity_nth(none, 5)));
    weft_commands_destroy_many(commands, 0, NULL, 0);
    world_commit(world);
    cr_assert_eq(weft_world_entity_count(world), 0);
    cr_assert_eq(weft_world_stats_read(world).commands_dropped, 0);
    weft_world_destroy(world);
}

// A value that is larger than a block of the log: a record for each entity.
Test(bulk, values_may_be_larger_than_a_block_of_the_log) {
    enum {
        PARTS = 20,
        WORDS = 512,
        COUNT = 3
    };
    static const weft_field words = {.name = "words", .kind = WEFT_KIND_U64, .count = WORDS};
    static weft_type types[PARTS];
    static char names[PARTS][16];
    static uint64_t values[PARTS][COUNT][WORDS];
    weft_column columns[PARTS];
    weft_world* world = world_make();
    for (uint32_t i = 0; i < PARTS; i++) {
        snprintf(names[i], sizeof(names[i]), "Part%u", i);
        types[i] = (weft_type){names[i], 8 * WORDS, 8, 1, &words};
        world_component(world, &types[i], WEFT_STORAGE_DENSE);
        columns[i] = (weft_column){&types[i], values[i], COUNT};
        for (uint32_t j = 0; j < COUNT * WORDS; j++)
            values[i][j / WORDS][j % WORDS] = i * 1000000 + j;
    }
    (void)weft_commands_create_many(weft_world_commands(world), 0, COUNT, columns, PARTS);
    world_commit(world);
    for (uint32_t i = 0; i < PARTS; i++)
        for (uint32_t j = 0; j < COUNT; j++)
            cr_assert_eq(memcmp(weft_world_read(world, (weft_entity){j, 1}, &types[i]),
                                values[i][j], sizeof(values[i][j])),
                         0);
    weft_world_destroy(world);
}

// Limits -----------------------------------------------------------------------------------------

Test(bulk, past_the_slots_is_refused_and_nothing_changes) {
    weft_world* world = world_make_limited(100, 10);
    register_all(world);
    weft_entity old = world_create_one(world);
    weft_digest before = weft_world_digest_full(world);
    for (uint32_t i = 0; i < 3; i++) {
        weft_commands* commands = weft_world_commands(world);
        weft_commands_destroy(commands, 0, old);
        weft_entity made = WEFT_CREATE_MANY(commands, 0,
                                            i == 0   ? 101
                                            : i == 1 ? 4000000000u
                                                     : UINT32_MAX,
                                            WEFT_COLUMN_TAG(Mark));
        cr_assert_eq(weft_world_commit(world), WEFT_STATUS_ENTITY_LIMIT);
        TEXT_HAS(weft_world_error(world), "slot_limit");
        cr_assert(weft_entity_is_null(weft_world_resolve(world, made)));
        DIGEST_EQ(weft_world_digest_full(world), before);
    }
    // What is cancelled does not count.
    weft_commands* commands = weft_world_commands(world);
    weft_entity made = WEFT_CREATE_MANY(commands, 0, 105, WEFT_COLUMN_TAG(Mark));
    for (uint32_t i = 0; i < 6; i++)
        victims[i] = weft_entity_nth(made, 10 * i);
    weft_commands_destroy_many(commands, 0, victims, 6);
    world_commit(world);
    cr_assert_eq(weft_world_entity_count(world), 100);
    ENTITY_EQ(weft_world_resolve(world, weft_entity_nth(made, 1)), ((weft_entity){1, 1}));
    cr_assert(weft_entity_is_null(weft_world_resolve(world, weft_entity_nth(made, 10))));
    weft_world_destroy(world);
}

Test(bulk, past_the_archetypes_is_refused_and_nothing_changes) {
    weft_world* world = world_make_limited(10000, 1);
    register_all(world);
    WEFT_CREATE_MANY(weft_world_commands(world), 0, 10, WEFT_COLUMN_TAG(Mark));
    world_commit(world);
    weft_digest before = weft_world_digest_full(world);
    weft_commands* commands = weft_world_commands(world);
    WEFT_CREATE_MANY(commands, 0, 10, WEFT_COLUMN_TAG(Mark));
    WEFT_CREATE_MANY(commands, 0, 10, WEFT_COLUMN_SAME(Place, {1, 1}));
    cr_assert_eq(weft_world_commit(world), WEFT_STATUS_ARCHETYPE_LIMIT);
    DIGEST_EQ(weft_world_digest_full(world), before);
    weft_world_destroy(world);
}

// Provisional handles have 33 bits of number.
Test(bulk, past_the_provisional_numbers_the_hosts_are_dropped) {
    weft_world* world = world_make();
    register_all(world);
    weft_digest before = weft_world_digest_full(world);
    weft_commands* commands = weft_world_commands(world);
    cr_assert_not(weft_entity_is_null(weft_commands_create_many(commands, 0, UINT32_MAX, NULL, 0)));
    weft_entity second = weft_commands_create_many(commands, 0, UINT32_MAX, NULL, 0);
    ENTITY_EQ(second, weft_entity_nth((weft_entity){WEFT__PROVISIONAL_SLOT, 0}, UINT32_MAX));
    ENTITY_EQ(weft_entity_nth(second, 1), ((weft_entity){WEFT__PROVISIONAL_SLOT + 1, 0}));
    cr_assert(weft_entity_is_null(weft_commands_create_many(commands, 0, 3, NULL, 0)));
    cr_assert_eq(weft_world_commit(world), WEFT_STATUS_CREATE_LIMIT);
    TEXT_HAS(weft_world_error(world), "provisional");
    cr_assert_not(weft_world_has_failed(world));
    DIGEST_EQ(weft_world_digest_full(world), before);
    WEFT_CREATE_MANY(weft_world_commands(world), 0, 5, WEFT_COLUMN_TAG(Mark));
    world_commit(world);
    cr_assert_eq(weft_world_entity_count(world), 5);
    weft_world_destroy(world);
}

// By systems -------------------------------------------------------------------------------------

// Every row makes a few and destroys some of them and itself, and tells of one.
static weft_status spawn(weft_view* view, const void* context) {
    (void)context;
    weft_commands* commands = weft_view_commands(view);
    const weft_entity* entities = weft_view_entities(view);
    const Place* rows = WEFT_READ(view, Place);
    for (uint32_t i = weft_view_row_count(view); i-- > 0;) {
        uint32_t count = entities[i].slot % 7;
        if (rows[i].x > 3 || count == 0)
            continue;
        Place made[8];
        Link chain[8];
        weft_entity first = weft_commands_next(commands);
        for (uint32_t j = 0; j < count; j++) {
            made[j] = (Place){rows[i].x + 1, (int32_t)j};
            chain[j] = (Link){weft_entity_nth(first, (j + 1) % count), j};
        }
        (void)WEFT_CREATE_MANY(commands, i, count, WEFT_COLUMN(Place, made, count),
                               WEFT_COLUMN(Link, chain, count));
        WEFT_EMIT(view, i, WEFT_ENTITY_NULL, Born, {weft_entity_nth(first, count - 1)});
        weft_entity gone[] = {entities[i], weft_entity_nth(first, 3), entities[i]};
        weft_commands_destroy_many(commands, i, gone, count > 3 ? 3 : 1);
    }
    return WEFT_STATUS_OK;
}

// Speaks of what the others have made.
static weft_status tend(weft_view* view, const void* context) {
    (void)context;
    uint32_t count;
    const Born* born = weft_view_messages(view, WEFT_TYPE(Born), &count);
    for (uint32_t i = 0; i < count; i += 5)
        WEFT_ADD(weft_view_commands(view), 0, born[i].who, Wound, {i});
    return WEFT_STATUS_OK;
}

static void build(weft_world* world, weft_schedule* schedule) {
    register_all(world);
    memset(places, 0, sizeof(places));
    WEFT_CREATE_MANY(weft_world_commands(world), 0, 2 * WEFT_SHARD_SLOTS + 100,
                     WEFT_COLUMN(Place, places, 2 * WEFT_SHARD_SLOTS + 100));
    world_commit(world);
    run_add(schedule, WEFT_SYSTEM("spawn", spawn,
                                  WEFT_ACCESS(WEFT_READS(Place), WEFT_COMMANDS, WEFT_EMITS(Born))));
    run_add(schedule, WEFT_SYSTEM("tend", tend, .scope = WEFT_SCOPE_WORLD,
                                  WEFT_ACCESS(WEFT_CONSUMES(Born), WEFT_COMMANDS)));
}

Test(bulk, systems_give_the_same_on_every_executor) {
    sim_same_everywhere(build, 6, NULL);
}
