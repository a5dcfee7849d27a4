// Archetype ids: dense, in the order in which a commit first needs a set (C1).

#include "worlds.h"

WEFT_TAG(A);
WEFT_TAG(B);
WEFT_TAG(C);
WEFT_COMPONENT(Value, (uint32_t, number));

static weft_world* make(uint32_t archetypes) {
    weft_world* world = world_make_limited(WEFT_SLOT_LIMIT_MAX, archetypes);
    world_component(world, WEFT_TYPE(A), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(B), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(C), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Value), WEFT_STORAGE_DENSE);
    return world;
}

// The archetype that the public walk shows for an entity.
static uint32_t archetype_of(const weft_world* world, weft_entity entity) {
    static const weft_access terms[] = {WEFT_READS_OPTIONAL(Value)};
    weft_cursor cursor = weft_world_visit(world, terms, 1);
    while (weft_cursor_next(&cursor))
        for (uint32_t i = 0; i < cursor.row_count; i++)
            if (weft_entity_equal(cursor.entities[i], entity))
                return cursor.archetype;
    cr_assert_fail("entity %u:%u is not visited", entity.slot, entity.generation);
    return 0;
}

Test(archetype, the_empty_set_is_zero_and_not_counted) {
    weft_world* world = make(16);
    cr_assert_eq(archetype_of(world, world_create_one(world)), 0);
    cr_assert_eq(weft_world_stats_read(world).archetypes, 0);
    weft_world_destroy(world);
}

// Survivors come by slot, whatever the order of recording; then newborns by key.
Test(archetype, ids_follow_survivors_by_slot_then_newborns) {
    weft_world* world = make(16);
    weft_entity old[3];
    world_create(world, 3, old);
    weft_commands* commands = weft_world_commands(world);
    weft_entity first = weft_commands_create(commands, 0);
    WEFT_ADD_TAG(commands, 0, first, C);
    WEFT_ADD_TAG(commands, 0, old[2], A);
    WEFT_ADD_TAG(commands, 0, old[0], B);
    weft_entity second = weft_commands_create(commands, 0);
    WEFT_ADD_TAG(commands, 0, second, A);
    WEFT_ADD_TAG(commands, 0, second, B);
    world_commit(world);
    cr_assert_eq(archetype_of(world, old[0]), 1);
    cr_assert_eq(archetype_of(world, old[1]), 0);
    cr_assert_eq(archetype_of(world, old[2]), 2);
    cr_assert_eq(archetype_of(world, weft_world_resolve(world, first)), 3);
    cr_assert_eq(archetype_of(world, weft_world_resolve(world, second)), 4);
    weft_world_destroy(world);
}

Test(archetype, only_final_sets_are_stored) {
    weft_world* world = make(16);
    weft_entity entity = world_create_one(world);
    weft_commands* commands = weft_world_commands(world);
    WEFT_ADD_TAG(commands, 0, entity, A);
    WEFT_ADD_TAG(commands, 0, entity, B);
    WEFT_ADD_TAG(commands, 0, entity, C);
    WEFT_REMOVE(commands, 0, entity, A);
    WEFT_REMOVE(commands, 0, entity, B);
    weft_entity gone = weft_commands_create(commands, 0);
    WEFT_ADD_TAG(commands, 0, gone, A);
    weft_commands_destroy(commands, 0, gone);
    world_commit(world);
    cr_assert_eq(weft_world_stats_read(world).archetypes, 1);
    cr_assert_eq(archetype_of(world, entity), 1);
    weft_world_destroy(world);
}

Test(archetype, the_same_set_from_other_orders_is_one_archetype) {
    weft_world* world = make(16);
    weft_entity made[6];
    static const uint8_t orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                         {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    const weft_type* types[] = {WEFT_TYPE(A), WEFT_TYPE(B), WEFT_TYPE(C)};
    world_create(world, 6, made);
    // One add a commit: now the sets in between are stored, too.
    for (uint32_t step = 0; step < 3; step++) {
        for (uint32_t i = 0; i < 6; i++)
            weft_commands_add(weft_world_commands(world), 0, made[i], types[orders[i][step]], NULL);
        world_commit(world);
    }
    for (uint32_t i = 1; i < 6; i++)
        cr_assert_eq(archetype_of(world, made[i]), archetype_of(world, made[0]));
    cr_assert_eq(weft_world_stats_read(world).archetypes, 7);
    weft_world_destroy(world);
}

Test(archetype, an_empty_archetype_keeps_its_id) {
    weft_world* world = make(16);
    weft_entity made[2];
    world_create(world, 2, made);
    WEFT_ADD_TAG(weft_world_commands(world), 0, made[0], A);
    world_commit(world);
    WEFT_ADD_TAG(weft_world_commands(world), 0, made[1], B);
    world_commit(world);
    world_destroy(world, made[0]);
    cr_assert_eq(weft_world_stats_read(world).archetypes, 2);
    weft_commands* commands = weft_world_commands(world);
    weft_entity again = weft_commands_create(commands, 0);
    WEFT_ADD_TAG(commands, 0, again, A);
    world_commit(world);
    cr_assert_eq(archetype_of(world, weft_world_resolve(world, again)), 1);
    cr_assert_eq(archetype_of(world, made[1]), 2);
    weft_world_destroy(world);
}

Test(archetype, a_set_past_the_limit_changes_nothing) {
    weft_world* world = make(2);
    weft_entity made[3];
    world_create(world, 3, made);
    weft_commands* commands = weft_world_commands(world);
    WEFT_ADD_TAG(commands, 0, made[0], A);
    WEFT_ADD_TAG(commands, 0, made[1], B);
    world_commit(world);
    weft_digest full = weft_world_digest_full(world);
    for (uint32_t times = 0; times < 3; times++) {
        commands = weft_world_commands(world);
        WEFT_ADD_TAG(commands, 0, made[2], C);
        WEFT_REMOVE(commands, 0, made[0], A);
        weft_commands_destroy(commands, 0, made[1]);
        (void)weft_commands_create(commands, 0);
        cr_assert_eq(weft_world_commit(world), WEFT_STATUS_ARCHETYPE_LIMIT);
        TEXT_HAS(weft_world_error(world), "archetype_limit");
        DIGEST_EQ(weft_world_digest_full(world), full);
        WORLD_OK(world, weft_world_digest_check(world));
    }
    cr_assert(!weft_world_has_failed(world));
    cr_assert(weft_world_is_alive(world, made[1]));
    // Sets that exist may still be used.
    WEFT_ADD_TAG(weft_world_commands(world), 0, made[2], A);
    world_commit(world);
    cr_assert_eq(archetype_of(world, made[2]), 1);
    weft_world_destroy(world);
}

Test(archetype, a_set_passed_on_the_way_needs_no_room) {
    weft_world* world = make(1);
    weft_entity entity = world_create_one(world);
    weft_commands* commands = weft_world_commands(world);
    WEFT_ADD_TAG(commands, 0, entity, A);
    WEFT_ADD_TAG(commands, 0, entity, B);
    WEFT_REMOVE(commands, 0, entity, A);
    world_commit(world);
    cr_assert_eq(archetype_of(world, entity), 1);
    weft_world_destroy(world);
}

// Types made at run time, as a binding would.
typedef struct tags {
    weft_type types[4096];
    char names[4096][16];
} tags;

static tags* make_tags(uint32_t count) {
    tags* t = calloc(1, sizeof(*t));
    cr_assert_not_null(t);
    for (uint32_t i = 0; i < count; i++) {
        snprintf(t->names[i], sizeof(t->names[i]), "Tag%u", i);
        t->types[i] = (weft_type){t->names[i], 0, 1, 0, NULL};
    }
    return t;
}

Test(archetype, sixty_five_thousand_sets_fit_and_one_more_does_not) {
    enum {
        BITS = 16,
        SETS = 1 << BITS
    };
    weft_world* world = world_make();
    tags* t = make_tags(BITS + 1);
    for (uint32_t i = 0; i <= BITS; i++)
        world_component(world, &t->types[i], WEFT_STORAGE_DENSE);
    weft_commands* commands = weft_world_commands(world);
    for (uint32_t set = 0; set < SETS; set++) {
        weft_entity made = weft_commands_create(commands, 0);
        for (uint32_t i = 0; i < BITS; i++)
            if ((set >> i & 1) != 0)
                weft_commands_add(commands, 0, made, &t->types[i], NULL);
    }
    weft_commands_add(commands, 0, weft_commands_create(commands, 0), &t->types[BITS], NULL);
    world_commit(world);
    cr_assert_eq(weft_world_stats_read(world).archetypes, SETS);
    weft_digest full = weft_world_digest_full(world);
    commands = weft_world_commands(world);
    weft_entity more = weft_commands_create(commands, 0);
    weft_commands_add(commands, 0, more, &t->types[BITS], NULL);
    weft_commands_add(commands, 0, more, &t->types[0], NULL);
    cr_assert_eq(weft_world_commit(world), WEFT_STATUS_ARCHETYPE_LIMIT);
    DIGEST_EQ(weft_world_digest_full(world), full);
    // Entity i has the set i: the walk goes by id, which here is the order of slots.
    weft_access terms[] = {{WEFT_ACCESS_WITH, &t->types[3]}};
    uint32_t visited = 0;
    weft_cursor cursor = weft_world_visit(world, terms, 1);
    while (weft_cursor_next(&cursor)) {
        cr_assert_eq(cursor.row_count, 1);
        cr_assert_eq(cursor.archetype, cursor.entities[0].slot);
        visited++;
    }
    cr_assert_eq(visited, SETS / 2);
    weft_world_destroy(world);
    free(t);
}

Test(archetype, four_thousand_types_fit_and_one_more_does_not) {
    weft_world* world = world_make();
    tags* t = make_tags(4096);
    static const weft_type extra = {"Extra", 0, 1, 0, NULL};
    for (uint32_t i = 0; i < 4096; i++)
        world_component(world, &t->types[i], WEFT_STORAGE_DENSE);
    cr_assert_eq(weft_world_register_component(world, &extra, WEFT_STORAGE_DENSE),
                 WEFT_STATUS_COMPONENT_LIMIT);
    TEXT_HAS(weft_world_error(world), "Extra");
    TEXT_HAS(weft_world_error(world), "type_limit");
    // One entity with all of them.
    weft_entity entity = world_create_one(world);
    for (uint32_t i = 0; i < 4096; i++)
        weft_commands_add(weft_world_commands(world), 0, entity, &t->types[i], NULL);
    world_commit(world);
    for (uint32_t i = 0; i < 4096; i++)
        cr_assert_not_null(weft_world_read(world, entity, &t->types[i]));
    cr_assert_eq(weft_world_stats_read(world).archetypes, 1);
    WORLD_OK(world, weft_world_digest_check(world));
    weft_world_destroy(world);
    free(t);
}

Test(archetype, an_archetype_beyond_the_16_bit_ids_holds_values) {
    enum {
        BITS = 17
    };
    weft_world* world = world_make_limited(WEFT_SLOT_LIMIT_MAX, 1 << 18);
    tags* t = make_tags(BITS);
    world_component(world, WEFT_TYPE(Value), WEFT_STORAGE_DENSE);
    for (uint32_t i = 0; i < BITS; i++)
        world_component(world, &t->types[i], WEFT_STORAGE_DENSE);
    weft_commands* commands = weft_world_commands(world);
    for (uint32_t set = 0; set < 1 << BITS; set++) {
        weft_entity made = weft_commands_create(commands, 0);
        for (uint32_t i = 0; i < BITS; i++)
            if ((set >> i & 1) != 0)
                weft_commands_add(commands, 0, made, &t->types[i], NULL);
        WEFT_ADD(commands, 0, made, Value, {set});
    }
    world_commit(world);
    for (uint32_t set = 0; set < 1 << BITS; set += 4099) {
        const Value* value = weft_world_read(world, (weft_entity){set, 1}, WEFT_TYPE(Value));
        cr_assert_not_null(value);
        cr_assert_eq(value->number, set);
    }
    cr_assert_eq(weft_world_stats_read(world).archetypes, 1 << BITS);
    weft_world_destroy(world);
    free(t);
}

// On a 32-bit host sizes of chunks must not wrap: such an archetype is refused.
Test(archetype, rows_of_any_width_are_stored_or_refused) {
    enum {
        TYPES = 40,
        SIZE = 4096
    };
    static char names[TYPES][16];
    static weft_type types[TYPES];
    static const weft_field field = {.name = "bytes", .kind = WEFT_KIND_U8, .count = SIZE};
    weft_world* world = world_make();
    weft_entity entity = world_create_one(world);
    for (uint32_t i = 0; i < TYPES; i++) {
        (void)snprintf(names[i], sizeof(names[i]), "Wide%u", i);
        types[i] = (weft_type){names[i], SIZE, 1, 1, &field};
        world_component(world, &types[i], WEFT_STORAGE_DENSE);
        weft_commands_add(weft_world_commands(world), 0, entity, &types[i], NULL);
    }
    bool fits = sizeof(size_t) > 4;
    cr_assert_eq(weft_world_commit(world), fits ? WEFT_STATUS_OK : WEFT_STATUS_OUT_OF_MEMORY);
    if (fits)
        cr_assert_not_null(weft_world_read(world, entity, &types[TYPES - 1]));
    weft_world_destroy(world);
}
