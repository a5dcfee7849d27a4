// Commands (C6): keys, folding, dead targets, and what is born when.

#include "worlds.h"

WEFT_COMPONENT(Age, (uint32_t, years));
WEFT_COMPONENT(Body, (uint32_t, mass));
WEFT_COMPONENT(Friend, (weft_entity, who), (uint32_t, trust));
WEFT_TAG(Mark);
WEFT_TAG(Doomed);
WEFT_COMPONENT(Wound, (uint32_t, depth)); // Sparse.
WEFT_MESSAGE(Born, (weft_entity, who));
WEFT_RESOURCE(Log, (uint64_t, seen), (uint64_t, order));

static void register_all(weft_world* world) {
    world_component(world, WEFT_TYPE(Age), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Body), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Friend), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Mark), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Doomed), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Wound), WEFT_STORAGE_SPARSE);
    WORLD_OK(world, weft_world_register_channel(world, WEFT_TYPE(Born), WEFT_TARGET_WORLD,
                                                WEFT_DELIVERY_TICK));
    WORLD_OK(world, weft_world_register_resource(world, WEFT_TYPE(Log), 1, NULL));
}

static weft_world* make(void) {
    weft_world* world = world_make();
    register_all(world);
    return world;
}

static uint32_t years(const weft_world* world, weft_entity entity) {
    const Age* age = weft_world_read(world, entity, WEFT_TYPE(Age));
    return age == NULL ? UINT32_MAX : age->years;
}

static uint32_t mass(const weft_world* world, weft_entity entity) {
    const Body* body = weft_world_read(world, entity, WEFT_TYPE(Body));
    return body == NULL ? UINT32_MAX : body->mass;
}

// Folding ----------------------------------------------------------------------------------------

Test(commands, an_add_is_not_lost_to_a_remove_of_another_component) {
    weft_world* world = make();
    weft_entity made[3];
    weft_commands* commands = weft_world_commands(world);
    world_create(world, 3, made);
    for (uint32_t i = 0; i < 3; i++)
        WEFT_ADD(commands, 0, made[i], Age, {5});
    world_commit(world);
    commands = weft_world_commands(world);
    WEFT_ADD(commands, 0, made[0], Body, {1});
    WEFT_REMOVE(commands, 0, made[0], Age);
    WEFT_REMOVE(commands, 0, made[1], Age);
    WEFT_ADD(commands, 0, made[1], Body, {1});
    WEFT_ADD(commands, 0, made[2], Body, {1});
    WEFT_REMOVE(commands, 0, made[2], Body);
    WEFT_ADD(commands, 0, made[2], Body, {2});
    world_commit(world);
    for (uint32_t i = 0; i < 3; i++) {
        cr_assert_eq(years(world, made[i]), i == 2 ? 5 : UINT32_MAX);
        cr_assert_eq(mass(world, made[i]), i == 2 ? 2 : 1);
    }
    weft_world_destroy(world);
}

Test(commands, the_last_value_wins_and_null_means_zero) {
    weft_world* world = make();
    weft_entity entity = world_create_one(world);
    weft_commands* commands = weft_world_commands(world);
    WEFT_ADD(commands, 0, entity, Age, {1});
    WEFT_SET(commands, 0, entity, Age, {2});
    WEFT_ADD(commands, 0, entity, Age, {3});
    world_commit(world);
    cr_assert_eq(years(world, entity), 3);
    commands = weft_world_commands(world);
    WEFT_SET(commands, 0, entity, Age, {4});
    weft_commands_add(commands, 0, entity, WEFT_TYPE(Age), NULL);
    world_commit(world);
    cr_assert_eq(years(world, entity), 0);
    commands = weft_world_commands(world);
    WEFT_SET(commands, 0, entity, Age, {6});
    WEFT_REMOVE(commands, 0, entity, Age);
    weft_commands_add(commands, 0, entity, WEFT_TYPE(Age), NULL);
    world_commit(world);
    cr_assert_eq(years(world, entity), 0);
    weft_world_destroy(world);
}

Test(commands, a_set_counts_only_where_the_component_is_at_that_point) {
    weft_world* world = make();
    weft_entity entity = world_create_one(world);
    weft_commands* commands = weft_world_commands(world);
    WEFT_SET(commands, 0, entity, Age, {1}); // Dropped.
    WEFT_ADD(commands, 0, entity, Age, {2});
    WEFT_SET(commands, 0, entity, Age, {3});
    WEFT_REMOVE(commands, 0, entity, Age);
    WEFT_SET(commands, 0, entity, Age, {4}); // Dropped.
    world_commit(world);
    cr_assert_eq(years(world, entity), UINT32_MAX);
    cr_assert_eq(weft_world_stats_read(world).commands_dropped, 2);
    commands = weft_world_commands(world);
    WEFT_SET(commands, 0, entity, Age, {5}); // Dropped: the add that follows does not reach back.
    weft_commands_add(commands, 0, entity, WEFT_TYPE(Age), NULL);
    world_commit(world);
    cr_assert_eq(years(world, entity), 0);
    cr_assert_eq(weft_world_stats_read(world).commands_dropped, 3);
    weft_world_destroy(world);
}

Test(commands, removing_what_is_absent_is_no_error) {
    weft_world* world = make();
    weft_entity entity = world_create_one(world);
    WEFT_REMOVE(weft_world_commands(world), 0, entity, Age);
    world_commit(world);
    cr_assert_eq(weft_world_stats_read(world).commands_dropped, 0);
    cr_assert_eq(weft_world_stats_read(world).moved, 0);
    weft_world_destroy(world);
}

// The dead ---------------------------------------------------------------------------------------

Test(commands, destroyed_twice_is_destroyed_once) {
    weft_world* world = make();
    weft_entity made[2];
    world_create(world, 2, made);
    weft_commands* commands = weft_world_commands(world);
    for (uint32_t i = 0; i < 5; i++)
        weft_commands_destroy(commands, 0, made[0]);
    world_commit(world);
    cr_assert_eq(weft_world_entity_count(world), 1);
    cr_assert_eq(weft_world_stats_read(world).destroyed, 1);
    cr_assert_eq(weft_world_stats_read(world).commands_dropped, 0);
    // The slot was freed once: two creates take two slots.
    weft_entity again[2];
    world_create(world, 2, again);
    cr_assert_neq(again[0].slot, again[1].slot);
    weft_world_destroy(world);
}

Test(commands, commands_on_the_dead_and_the_dying_are_dropped_and_counted) {
    weft_world* world = make();
    weft_entity made[3];
    world_create(world, 3, made);
    world_destroy(world, made[0]);
    weft_commands* commands = weft_world_commands(world);
    WEFT_ADD(commands, 0, made[0], Age, {1}); // Dead.
    WEFT_SET(commands, 0, made[0], Age, {1});
    WEFT_REMOVE(commands, 0, made[0], Age);
    weft_commands_destroy(commands, 0, made[0]);
    WEFT_ADD(commands, 0, made[1], Age, {1}); // Dying, before and after the destroy.
    weft_commands_destroy(commands, 0, made[1]);
    WEFT_ADD(commands, 0, made[1], Age, {1});
    WEFT_ADD(commands, 0, WEFT_ENTITY_NULL, Age, {1});
    weft_commands_destroy(commands, 0, WEFT_ENTITY_NULL);
    weft_commands_destroy(commands, 0, (weft_entity){4000000000u, 1});
    world_commit(world);
    cr_assert_eq(weft_world_stats_read(world).commands_dropped, 9);
    cr_assert_eq(weft_world_entity_count(world), 1);
    cr_assert_eq(weft_world_stats_read(world).archetypes, 0);
    weft_world_destroy(world);
}

Test(commands, destroying_a_provisional_handle_cancels_the_create) {
    weft_world* world = make();
    weft_entity old = world_create_one(world);
    weft_commands* commands = weft_world_commands(world);
    weft_entity made = weft_commands_create(commands, 0);
    WEFT_ADD(commands, 0, made, Age, {1});
    WEFT_ADD(commands, 0, old, Friend, {made, 9});
    weft_commands_destroy(commands, 0, made);
    weft_commands_destroy(commands, 0, made);
    WEFT_ADD(commands, 0, made, Body, {1});
    world_commit(world);
    cr_assert(weft_entity_is_null(weft_world_resolve(world, made)));
    cr_assert_eq(weft_world_entity_count(world), 1);
    cr_assert_eq(weft_world_stats_read(world).created, 1);
    cr_assert_eq(weft_world_stats_read(world).commands_dropped, 2);
    const Friend* friend = weft_world_read(world, old, WEFT_TYPE(Friend));
    cr_assert(weft_entity_is_null(friend->who));
    cr_assert_eq(friend->trust, 9);
    weft_world_destroy(world);
}

// A handle of an earlier commit means nobody, never somebody else.
Test(commands, a_provisional_handle_ends_with_its_commit) {
    weft_world* world = make();
    weft_entity made = weft_commands_create(weft_world_commands(world), 0);
    world_commit(world);
    ENTITY_EQ(weft_world_resolve(world, made), ((weft_entity){0, 1}));
    world_commit(world);
    cr_assert(weft_entity_is_null(weft_world_resolve(world, made)));
    WEFT_ADD(weft_world_commands(world), 0, made, Age, {1});
    world_commit(world);
    cr_assert_eq(weft_world_stats_read(world).commands_dropped, 1);
    cr_assert_eq(years(world, (weft_entity){0, 1}), UINT32_MAX);
    cr_assert(!weft_world_is_alive(world, made));
    weft_world_destroy(world);
}

Test(commands, newborns_may_name_each_other) {
    weft_world* world = make();
    weft_commands* commands = weft_world_commands(world);
    weft_entity made[3];
    for (uint32_t i = 0; i < 3; i++)
        made[i] = weft_commands_create(commands, 0);
    for (uint32_t i = 0; i < 3; i++)
        WEFT_ADD(commands, 0, made[i], Friend, {made[(i + 1) % 3], i});
    world_commit(world);
    for (uint32_t i = 0; i < 3; i++) {
        weft_entity entity = weft_world_resolve(world, made[i]);
        const Friend* friend = weft_world_read(world, entity, WEFT_TYPE(Friend));
        ENTITY_EQ(friend->who, weft_world_resolve(world, made[(i + 1) % 3]));
    }
    weft_world_destroy(world);
}

// Creates with components
// --------------------------------------------------------------------------

Test(commands, a_create_may_bring_its_components) {
    weft_world* world = make();
    weft_commands* commands = weft_world_commands(world);
    weft_entity first = weft_commands_create(commands, 0);
    weft_entity made = WEFT_CREATE(commands, 0, WEFT_VALUE(Age, {3}), WEFT_VALUE_TAG(Mark),
                                   WEFT_VALUE(Friend, {first, 4}), WEFT_VALUE(Wound, {5}));
    weft_entity bare = weft_commands_create_with(commands, 0, NULL, 0);
    world_commit(world);
    made = weft_world_resolve(world, made);
    cr_assert_eq(years(world, made), 3);
    cr_assert_not_null(weft_world_read(world, made, WEFT_TYPE(Mark)));
    cr_assert_eq(((const Wound*)weft_world_read(world, made, WEFT_TYPE(Wound)))->depth, 5);
    ENTITY_EQ(((const Friend*)weft_world_read(world, made, WEFT_TYPE(Friend)))->who,
              ((weft_entity){0, 1}));
    ENTITY_EQ(weft_world_resolve(world, bare), ((weft_entity){2, 1}));
    cr_assert_eq(weft_world_stats_read(world).archetypes, 1);
    weft_world_destroy(world);
}

Test(commands, of_a_component_brought_twice_the_last_counts) {
    weft_world* world = make();
    weft_commands* commands = weft_world_commands(world);
    weft_value nulls[] = {WEFT_VALUE(Age, {1}),
                          WEFT_VALUE(Wound, {1}),
                          {WEFT_TYPE(Age), NULL},
                          {WEFT_TYPE(Wound), NULL}};
    weft_entity zero = weft_commands_create_with(commands, 0, nulls, 4);
    weft_entity two = WEFT_CREATE(commands, 0, WEFT_VALUE(Age, {1}), WEFT_VALUE(Wound, {1}),
                                  WEFT_VALUE(Age, {2}), WEFT_VALUE(Wound, {2}));
    world_commit(world);
    zero = weft_world_resolve(world, zero);
    two = weft_world_resolve(world, two);
    cr_assert_eq(years(world, zero), 0);
    cr_assert_eq(((const Wound*)weft_world_read(world, zero, WEFT_TYPE(Wound)))->depth, 0);
    cr_assert_eq(years(world, two), 2);
    cr_assert_eq(((const Wound*)weft_world_read(world, two, WEFT_TYPE(Wound)))->depth, 2);
    weft_world_destroy(world);
}

// Whatever the keys: the host's rows stand for the rows of a chunk here.
Test(commands, what_a_create_brings_comes_before_every_other_command_on_it) {
    weft_world* world = make();
    weft_commands* commands = weft_world_commands(world);
    weft_entity made = WEFT_CREATE(commands, 5, WEFT_VALUE(Age, {1}), WEFT_VALUE(Wound, {1}),
                                   WEFT_VALUE(Body, {1}));
    WEFT_SET(commands, 3, made, Age, {2});
    WEFT_SET(commands, 3, made, Wound, {2});
    WEFT_REMOVE(commands, 2, made, Body);
    world_commit(world);
    made = weft_world_resolve(world, made);
    cr_assert_eq(years(world, made), 2);
    cr_assert_eq(((const Wound*)weft_world_read(world, made, WEFT_TYPE(Wound)))->depth, 2);
    cr_assert_eq(mass(world, made), UINT32_MAX);
    cr_assert_eq(weft_world_stats_read(world).commands_dropped, 0);
    weft_world_destroy(world);
}

Test(commands, what_a_cancelled_create_brings_is_dropped_and_counted) {
    weft_world* world = make();
    weft_commands* commands = weft_world_commands(world);
    weft_entity made = WEFT_CREATE(commands, 0, WEFT_VALUE(Age, {1}), WEFT_VALUE(Wound, {1}),
                                   WEFT_VALUE_TAG(Mark));
    weft_commands_destroy(commands, 0, made);
    world_commit(world);
    cr_assert_eq(weft_world_stats_read(world).commands_dropped, 3);
    cr_assert_eq(weft_world_stats_read(world).archetypes, 0);
    cr_assert_eq(weft_world_entity_count(world), 0);
    weft_world_destroy(world);
}

// The largest that can be: 64 components of 128 bytes each.
Test(commands, a_create_may_bring_sixty_four_large_components) {
    enum {
        PARTS = 64,
        WORDS = 16,
        COUNT = 40
    };
    static weft_field fields[WORDS];
    static weft_type types[PARTS];
    static char names[PARTS][16];
    static char words[WORDS][16];
    static uint64_t bytes[PARTS][WORDS];
    weft_value values[PARTS];
    weft_world* world = world_make();
    for (uint32_t i = 0; i < WORDS; i++) {
        snprintf(words[i], sizeof(words[i]), "word%u", i);
        fields[i] = (weft_field){.name = words[i], .kind = WEFT_KIND_U64, .offset = 8 * i};
    }
    for (uint32_t i = 0; i < PARTS; i++) {
        snprintf(names[i], sizeof(names[i]), "Part%u", i);
        types[i] = (weft_type){names[i], 8 * WORDS, 8, WORDS, fields};
        world_component(world, &types[i], i % 8 == 7 ? WEFT_STORAGE_SPARSE : WEFT_STORAGE_DENSE);
        values[i] = (weft_value){&types[i], bytes[i]};
    }
    for (uint32_t made = 0; made < COUNT; made++) {
        for (uint32_t i = 0; i < PARTS * WORDS; i++)
            bytes[i / WORDS][i % WORDS] = (uint64_t)made << 32 | i;
        (void)weft_commands_create_with(weft_world_commands(world), 0, values, PARTS);
    }
    world_commit(world);
    for (uint32_t made = 0; made < COUNT; made++)
        for (uint32_t i = 0; i < PARTS * WORDS; i++) {
            const uint64_t* found =
                weft_world_read(world, (weft_entity){made, 1}, &types[i / WORDS]);
            cr_assert_eq(found[i % WORDS], (uint64_t)made << 32 | i);
        }
    weft_world_destroy(world);
}

// Keys -------------------------------------------------------------------------------------------

enum {
    WALKERS = WEFT_SHARD_SLOTS + 300
};

// Each row sets the age of entity 0 and makes one entity: the last row by key wins, and the
// newborns lie in key order. The rows are walked as the context says.
static weft_status write_one(weft_view* view, const void* context) {
    const char* direction = context;
    const weft_entity* entities = weft_view_entities(view);
    weft_commands* commands = weft_view_commands(view);
    uint32_t count = weft_view_row_count(view);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t row = i;
        if (direction[0] == 'd')
            row = count - 1 - i;
        else if (direction[0] == 's')
            row = (uint32_t)((uint64_t)i * 2654435761u % count); // May repeat.
        uint32_t slot = entities[row].slot;
        WEFT_ADD(commands, row, ((weft_entity){0, 1}), Age, {slot});
        if (direction[0] == 's' && weft_view_tick(view) == 0)
            continue;
        weft_entity made = weft_commands_create(commands, row);
        WEFT_ADD(commands, row, made, Body, {slot});
    }
    return WEFT_STATUS_OK;
}

static void build_walk(weft_world* world, weft_schedule* schedule, const char* direction) {
    register_all(world);
    weft_commands* commands = weft_world_commands(world);
    for (uint32_t i = 0; i < WALKERS; i++) {
        weft_entity made = weft_commands_create(commands, 0);
        WEFT_ADD_TAG(commands, 0, made, Doomed);
        if (i % 2 == 0) // Archetype 1.
            WEFT_ADD_TAG(commands, 0, made, Mark);
    }
    world_commit(world);
    run_add(schedule, WEFT_SYSTEM("walk", write_one, .context = direction,
                                  WEFT_ACCESS(WEFT_WITH(Doomed), WEFT_COMMANDS)));
}

static void build_ascending(weft_world* world, weft_schedule* schedule) {
    build_walk(world, schedule, "ascending");
}

static void build_descending(weft_world* world, weft_schedule* schedule) {
    build_walk(world, schedule, "descending");
}

static void build_shuffled(weft_world* world, weft_schedule* schedule) {
    build_walk(world, schedule, "shuffled");
}

// Evens are archetype 1, odds archetype 2: by key all evens come before all odds.
static void check_walk(const sim* s, uint64_t tick) {
    if (tick != 1)
        return;
    cr_assert_eq(years(s->world, (weft_entity){0, 1}), WALKERS - 1);
    for (uint32_t i = 0; i < WALKERS; i++) {
        uint32_t half = (WALKERS + 1) / 2;
        uint32_t author = i < half ? 2 * i : 2 * (i - half) + 1;
        cr_assert_eq(mass(s->world, (weft_entity){WALKERS + i, 1}), author, "newborn %u", i);
    }
}

Test(commands, keys_go_by_rank_archetype_and_slot) {
    sim_same_everywhere(build_ascending, 2, check_walk);
}

Test(commands, the_order_in_which_rows_are_walked_does_not_matter) {
    sim_same_everywhere(build_descending, 2, check_walk);
    sim up = sim_open(&run_configs[0], build_ascending);
    sim down = sim_open(&run_configs[0], build_descending);
    for (uint32_t tick = 0; tick < 2; tick++) {
        sim_tick(&up);
        sim_tick(&down);
        DIGEST_EQ(weft_world_digest_full(up.world), weft_world_digest_full(down.world));
    }
    sim_close(&up);
    sim_close(&down);
}

static void check_shuffled(const sim* s, uint64_t tick) {
    if (tick == 1) // The largest key is an odd row of the last shard, whichever was walked last.
        cr_assert_eq(years(s->world, (weft_entity){0, 1}) % 2, 1);
}

Test(commands, rows_may_be_walked_in_any_order) {
    sim_same_everywhere(build_shuffled, 2, check_shuffled);
}

// Creating and destroying in one tick
// --------------------------------------------------------------

// One system makes an entity, fills it and tells its handle; another destroys what it hears of.
static weft_status make_and_tell(weft_view* view, const void* context) {
    (void)context;
    weft_commands* commands = weft_view_commands(view);
    weft_entity kept = weft_commands_create(commands, 0);
    weft_entity made = weft_commands_create(commands, 0);
    WEFT_ADD(commands, 0, made, Age, {1});
    WEFT_ADD(commands, 0, kept, Friend, {made, (uint32_t)weft_view_tick(view)});
    WEFT_EMIT(view, 0, WEFT_ENTITY_NULL, Born, {made});
    return WEFT_STATUS_OK;
}

static weft_status hear_and_destroy(weft_view* view, const void* context) {
    (void)context;
    uint32_t count;
    const Born* born = weft_view_messages(view, WEFT_TYPE(Born), &count);
    weft_commands* commands = weft_view_commands(view);
    for (uint32_t i = 0; i < count; i++) {
        WEFT_ADD(commands, 0, born[i].who, Body, {2});
        weft_commands_destroy(commands, 0, born[i].who);
        WEFT_ADD_TAG(commands, 0, born[i].who, Mark);
    }
    return WEFT_STATUS_OK;
}

// The destroy by a handle that another system keeps: a living one, one tick later.
static weft_status destroy_marked(weft_view* view, const void* context) {
    (void)context;
    const weft_entity* entities = weft_view_entities(view);
    weft_commands* commands = weft_view_commands(view);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++)
        weft_commands_destroy(commands, i, entities[i]);
    return WEFT_STATUS_OK;
}

static weft_status fill_marked(weft_view* view, const void* context) {
    (void)context;
    const weft_entity* entities = weft_view_entities(view);
    weft_commands* commands = weft_view_commands(view);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++) {
        WEFT_ADD(commands, i, entities[i], Age, {7});
        weft_entity made = weft_commands_create(commands, i);
        WEFT_ADD_TAG(commands, i, made, Doomed);
    }
    return WEFT_STATUS_OK;
}

static void build_told(weft_world* world, weft_schedule* schedule) {
    register_all(world);
    run_add(schedule, WEFT_SYSTEM("make", make_and_tell, .scope = WEFT_SCOPE_WORLD,
                                  WEFT_ACCESS(WEFT_COMMANDS, WEFT_EMITS(Born))));
    run_add(schedule, WEFT_SYSTEM("destroy", hear_and_destroy, .scope = WEFT_SCOPE_WORLD,
                                  WEFT_ACCESS(WEFT_COMMANDS, WEFT_CONSUMES(Born))));
}

static void check_told(const sim* s, uint64_t tick) {
    cr_assert_eq(weft_world_entity_count(s->world), tick);
    // One add of the maker and two of the destroyer a tick.
    cr_assert_eq(weft_world_stats_read(s->world).commands_dropped, 3 * tick);
    cr_assert_eq(weft_world_stats_read(s->world).archetypes, tick == 0 ? 0 : 1);
    for (uint32_t i = 0; i < tick; i++) {
        const Friend* friend = weft_world_read(s->world, (weft_entity){i, 1}, WEFT_TYPE(Friend));
        cr_assert(weft_entity_is_null(friend->who) && friend->trust == i);
    }
}

Test(commands, filled_by_one_system_and_destroyed_by_another_in_one_tick) {
    sim_same_everywhere(build_told, 20, check_told);
}

static void build_fill(weft_world* world, weft_schedule* schedule, bool fill_first, bool ordered) {
    static const char* const before_destroy[] = {"destroy", NULL};
    static const char* const before_fill[] = {"fill", NULL};
    register_all(world);
    weft_commands* commands = weft_world_commands(world);
    for (uint32_t i = 0; i < WALKERS; i++)
        WEFT_ADD_TAG(commands, 0, weft_commands_create(commands, 0), Doomed);
    world_commit(world);
    for (uint32_t step = 0; step < 2; step++) {
        if ((step == 0) == fill_first)
            run_add(schedule, WEFT_SYSTEM("fill", fill_marked,
                                          .before = ordered && fill_first ? before_destroy : NULL,
                                          WEFT_ACCESS(WEFT_WITH(Doomed), WEFT_COMMANDS)));
        else
            run_add(schedule, WEFT_SYSTEM("destroy", destroy_marked,
                                          .before = ordered && !fill_first ? before_fill : NULL,
                                          WEFT_ACCESS(WEFT_WITH(Doomed), WEFT_COMMANDS)));
    }
}

static void build_fill_first(weft_world* world, weft_schedule* schedule) {
    build_fill(world, schedule, true, true);
}

static void build_destroy_first(weft_world* world, weft_schedule* schedule) {
    build_fill(world, schedule, false, true);
}

static void build_no_order(weft_world* world, weft_schedule* schedule) {
    build_fill(world, schedule, true, false);
}

// Destroys come first whoever ran first: everybody dies and is replaced, and every add is dropped.
static void check_fill(const sim* s, uint64_t tick) {
    cr_assert_eq(weft_world_entity_count(s->world), WALKERS);
    cr_assert_eq(weft_world_stats_read(s->world).destroyed, WALKERS * tick);
    cr_assert_eq(weft_world_stats_read(s->world).commands_dropped, WALKERS * tick);
    cr_assert_eq(weft_world_stats_read(s->world).archetypes, 1);
}

Test(commands, fill_before_destroy_in_one_tick) {
    sim_same_everywhere(build_fill_first, 5, check_fill);
}

Test(commands, destroy_before_fill_in_one_tick) {
    sim_same_everywhere(build_destroy_first, 5, check_fill);
}

Test(commands, fill_and_destroy_without_a_declared_order) {
    sim_same_everywhere(build_no_order, 5, check_fill);
}

// When -------------------------------------------------------------------------------------------

// Grows up: born in t, counted from t + 1 on.
static weft_status grow_up(weft_view* view, const void* context) {
    (void)context;
    Age* ages = WEFT_WRITE(view, Age);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++)
        ages[i].years++;
    return WEFT_STATUS_OK;
}

static weft_status bear(weft_view* view, const void* context) {
    (void)context;
    weft_commands* commands = weft_view_commands(view);
    weft_entity made = weft_commands_create(commands, 0);
    WEFT_ADD(commands, 0, made, Age, {0});
    WEFT_ADD(commands, 0, made, Body, {(uint32_t)weft_view_tick(view)});
    return WEFT_STATUS_OK;
}

static weft_status bury(weft_view* view, const void* context) {
    (void)context;
    const weft_entity* entities = weft_view_entities(view);
    const Age* ages = WEFT_READ(view, Age);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++)
        if (ages[i].years == 3)
            weft_commands_destroy(weft_view_commands(view), i, entities[i]);
    return WEFT_STATUS_OK;
}

// The dying are still seen in the tick in which they are destroyed, and no more in the next.
static weft_status census(weft_view* view, const void* context) {
    (void)context;
    static const weft_access terms[] = {WEFT_READS(Age)};
    Log* log = WEFT_RESOURCE_WRITE(view, Log);
    uint64_t count = 0;
    weft_cursor cursor = weft_view_visit(view, terms, 1);
    while (weft_cursor_next(&cursor))
        count += cursor.row_count;
    uint64_t tick = weft_view_tick(view);
    uint64_t expected = tick < 3 ? tick : 3;
    if (count != expected)
        return weft_view_fail(view, "%u living, not %u", (unsigned)count, (unsigned)expected);
    log->seen = count;
    return WEFT_STATUS_OK;
}

static void build_lives(weft_world* world, weft_schedule* schedule) {
    register_all(world);
    run_add(schedule,
            WEFT_SYSTEM("bear", bear, .scope = WEFT_SCOPE_WORLD, WEFT_ACCESS(WEFT_COMMANDS)));
    run_add(schedule, WEFT_SYSTEM("grow", grow_up, WEFT_ACCESS(WEFT_WRITES(Age))));
    run_add(schedule, WEFT_SYSTEM("bury", bury, WEFT_ACCESS(WEFT_READS(Age), WEFT_COMMANDS)));
    run_add(schedule, WEFT_SYSTEM("census", census, .scope = WEFT_SCOPE_WORLD,
                                  WEFT_ACCESS(WEFT_READS_ANY(Age), WEFT_WRITES_RESOURCE(Log))));
}

static void check_lives(const sim* s, uint64_t tick) {
    cr_assert_eq(weft_world_entity_count(s->world), tick < 3 ? tick : 3);
    static const weft_access terms[] = {WEFT_READS(Age), WEFT_READS(Body)};
    weft_cursor cursor = weft_world_visit(s->world, terms, 2);
    while (weft_cursor_next(&cursor))
        for (uint32_t i = 0; i < cursor.row_count; i++)
            cr_assert_eq(WEFT_CURSOR_COLUMN(&cursor, Age)[i].years,
                         tick - 1 - WEFT_CURSOR_COLUMN(&cursor, Body)[i].mass);
}

Test(commands, born_in_a_tick_is_seen_first_in_the_next) {
    sim_same_everywhere(build_lives, 12, check_lives);
}

// Commands of the host that no commit has taken come before the first system of the next tick.
Test(commands, commands_of_the_host_come_before_the_next_tick) {
    sim s = sim_open(&run_configs[0], build_lives);
    weft_commands* commands = weft_world_commands(s.world);
    weft_entity made = weft_commands_create(commands, 0);
    WEFT_ADD(commands, 0, made, Body, {1});
    sim_tick(&s);
    cr_assert_eq(weft_world_entity_count(s.world), 2);
    cr_assert_eq(mass(s.world, (weft_entity){0, 1}), 1);
    cr_assert_eq(mass(s.world, (weft_entity){1, 1}), 0);
    sim_close(&s);
}

// Removals first, then inserts: slots are used again, and what is left is compact and in order.
Test(commands, half_go_and_as_many_come) {
    weft_world* world = make();
    weft_commands* commands = weft_world_commands(world);
    for (uint32_t i = 0; i < 1000; i++)
        WEFT_ADD(commands, 0, weft_commands_create(commands, 0), Age, {i});
    world_commit(world);
    commands = weft_world_commands(world);
    for (uint32_t i = 0; i < 500; i++) {
        WEFT_ADD(commands, 0, weft_commands_create(commands, 0), Age, {5000 + i});
        weft_commands_destroy(commands, 0, (weft_entity){2 * i, 1});
    }
    world_commit(world);
    static const weft_access terms[] = {WEFT_READS(Age)};
    weft_cursor cursor = weft_world_visit(world, terms, 1);
    cr_assert(weft_cursor_next(&cursor));
    cr_assert_eq(cursor.row_count, 1000);
    for (uint32_t i = 0; i < 1000; i++) {
        ENTITY_EQ(cursor.entities[i], ((weft_entity){i, i % 2 == 0 ? 2 : 1}));
        // The last freed slot is the first taken.
        cr_assert_eq(WEFT_CURSOR_COLUMN(&cursor, Age)[i].years,
                     i % 2 == 0 ? 5000 + (998 - i) / 2 : i);
    }
    cr_assert(!weft_cursor_next(&cursor));
    weft_world_destroy(world);
}
