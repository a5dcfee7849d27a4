// Descending two digest trees, against a comparison of everything.

#include <weft/bisect.h>
#include <weft/random.h>

#include "verify_compare.h"
#include "worlds.h"

WEFT_COMPONENT(Depth, (int32_t, metres), (weft_vec2, at), (bool, dry), (array, uint8_t, unused, 3));
WEFT_COMPONENT(Silt, (uint64_t, grains));
WEFT_COMPONENT(Wreck, (uint32_t, year)); // Sparse.
WEFT_TAG(Dredged);
WEFT_RESOURCE(Level, (int64_t, millimetres));
WEFT_MESSAGE(Ping, (uint32_t, echo));
WEFT_PARTIAL(Volume, (uint64_t, litres));

enum {
    ENTITIES = 3 * WEFT_SHARD_SLOTS + 200,
    LEVELS = 9000,
    ROUNDS = 120
};

static void volume_combine(void* left, const void* right) {
    ((Volume*)left)->litres += ((const Volume*)right)->litres;
}

/// A world of three archetypes in four shards. Equal seeds make equal worlds.
static weft_world* sea_make(uint64_t seed) {
    weft_random_key key = {.seed = seed};
    weft_entity* entities = calloc(ENTITIES, sizeof(*entities));
    weft_world* world = world_make();
    world_component(world, WEFT_TYPE(Depth), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Silt), WEFT_STORAGE_BUFFERED);
    world_component(world, WEFT_TYPE(Wreck), WEFT_STORAGE_SPARSE);
    world_component(world, WEFT_TYPE(Dredged), WEFT_STORAGE_DENSE);
    WORLD_OK(world, weft_world_register_resource(world, WEFT_TYPE(Level), LEVELS, NULL));
    WORLD_OK(world, weft_world_register_channel(world, WEFT_TYPE(Ping), WEFT_TARGET_WORLD,
                                                WEFT_DELIVERY_NEXT));
    WORLD_OK(world, weft_world_register_reduction(world, WEFT_TYPE(Volume), NULL, volume_combine));
    for (uint32_t i = 0; i < ENTITIES; i++)
        entities[i] = weft_commands_create(weft_world_commands(world), 0);
    for (uint32_t i = 0; i < ENTITIES; i++) {
        weft_commands* commands = weft_world_commands(world);
        uint32_t draw = weft_random_below(key, i, 0, 8);
        WEFT_ADD(commands, 0, entities[i], Depth, {.metres = (int32_t)i});
        if (draw > 3)
            WEFT_ADD(commands, 0, entities[i], Silt, {i});
        if (draw == 7)
            WEFT_ADD_TAG(commands, 0, entities[i], Dredged);
        if (draw == 6)
            WEFT_ADD(commands, 0, entities[i], Wreck, {1900 + i % 100});
    }
    world_commit(world);
    free(entities);
    return world;
}

/// Two equal worlds; what they were found to differ in.
typedef struct pair {
    weft_world* a;
    weft_world* b;
    weft_verify_place place;
    weft_descent descent;
} pair;

static pair pair_make(uint64_t seed) {
    return (pair){.a = sea_make(seed), .b = sea_make(seed)};
}

static void pair_destroy(pair* both) {
    weft_world_destroy(both->a);
    weft_world_destroy(both->b);
}

/// Bits of a number.
static uint64_t bits(uint64_t number) {
    uint64_t count = 0;
    for (; number > 0; number >>= 1)
        count++;
    return count;
}

/// Descends; the cost is a few comparisons and the halves of each level's list.
static void descend(pair* both) {
    both->place = (weft_verify_place){0};
    WORLD_OK(both->a, weft_descend(both->a, both->b, &both->place, &both->descent));
    cr_assert(both->place.compared);
    cr_assert_leq(both->descent.comparisons, 2 * bits(both->descent.nodes) + 12);
    cr_assert_leq(both->descent.levels, 9);
    cr_assert_gt(both->descent.nodes, (uint64_t)ENTITIES);
}

static void expect(const pair* both, weft_verify_kind kind, uint32_t slot, const char* type,
                   const char* field, const char* a, const char* b) {
    cr_assert_eq(both->place.kind, kind, "kind %d at %s", (int)both->place.kind,
                 both->descent.node);
    cr_assert_eq(both->place.entity.slot, slot);
    cr_assert_str_eq(both->place.type, type);
    cr_assert_str_eq(both->place.field, field);
    cr_assert_str_eq(both->place.reference_text, a);
    cr_assert_str_eq(both->place.found_text, b);
}

static weft_entity entity_at(uint32_t slot) {
    return (weft_entity){slot, 1};
}

Test(descent, equal_worlds) {
    pair both = pair_make(1);
    descend(&both);
    cr_assert_eq(both.place.kind, WEFT_VERIFY_KIND_NONE);
    cr_assert_str_eq(both.descent.node, "");
    cr_assert_eq(both.descent.comparisons, 2u);
    pair_destroy(&both);
}

Test(descent, one_field_of_one_entity) {
    pair both = pair_make(2);
    weft_random_key key = {.seed = 9};
    for (uint32_t i = 0; i < ROUNDS; i++) {
        weft_entity entity = entity_at(weft_random_below(key, i, 1, ENTITIES));
        const Depth* depth = weft_world_read(both.b, entity, WEFT_TYPE(Depth));
        Depth before = *depth;
        Depth after = before;
        after.dry = true;
        char a[32];
        char b[32];
        weft_commands_set(weft_world_commands(both.b), 0, entity, WEFT_TYPE(Depth), &after);
        world_commit(both.b);
        descend(&both);
        expect(&both, WEFT_VERIFY_KIND_FIELD, entity.slot, "Depth", "dry", "false", "true");
        cr_assert_str_eq(both.descent.node, "Depth.dry");
        after.metres = -7;
        weft_commands_set(weft_world_commands(both.b), 0, entity, WEFT_TYPE(Depth), &after);
        world_commit(both.b);
        descend(&both);
        snprintf(a, sizeof a, "%d", before.metres);
        snprintf(b, sizeof b, "%d", after.metres);
        expect(&both, WEFT_VERIFY_KIND_FIELD, entity.slot, "Depth", "metres", a, b);
        weft_commands_set(weft_world_commands(both.b), 0, entity, WEFT_TYPE(Depth), &before);
        world_commit(both.b);
    }
    descend(&both);
    cr_assert_eq(both.place.kind, WEFT_VERIFY_KIND_NONE);
    pair_destroy(&both);
}

/// Something at random in the second world.
static void change(weft_world* world, weft_random_key key, uint32_t round) {
    weft_entity entity = entity_at(weft_random_below(key, round, 2, ENTITIES));
    weft_commands* commands = weft_world_commands(world);
    switch (weft_random_below(key, round, 3, 7)) {
    case 0:
        WEFT_SET(commands, 0, entity, Depth, {.metres = (int32_t)(round + 1000000)});
        break;
    case 1:
        WEFT_ADD(commands, 0, entity, Silt, {round + UINT64_C(1000000)});
        break;
    case 2:
        WEFT_ADD(commands, 0, entity, Wreck, {round});
        break;
    case 3:
        WEFT_REMOVE(commands, 0, entity, Silt);
        break;
    case 4:
        weft_commands_destroy(commands, 0, entity);
        break;
    case 5:
        (void)WEFT_CREATE(commands, 0, WEFT_VALUE(Silt, {round}));
        break;
    default:
        WEFT_ADD_TAG(commands, 0, entity, Dredged);
        break;
    }
    world_commit(world);
}

/// True if the place is a difference in the eyes of a reader who knows no digests.
static bool is_difference(const pair* both) {
    const weft_verify_place* place = &both->place;
    weft_verify_place seen = {0};
    bool a = weft_world_is_alive(both->a, place->entity);
    bool b = weft_world_is_alive(both->b, place->entity);
    if (place->kind == WEFT_VERIFY_KIND_ALIVE)
        return a != b;
    return a && b && weft__verify_entity(both->a, both->b, place->entity, &seen);
}

// A model that compares everything says whether there is a difference at all.
Test(descent, many_changes) {
    weft_random_key key = {.seed = 4};
    pair both = pair_make(3);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        weft_verify_place all = {0};
        change(both.b, key, round);
        if (round % 3 == 0) // Both go on from another state now and then.
            change(both.a, key, round);
        weft__verify_compare_worlds(both.a, both.b, &all);
        descend(&both);
        if (all.kind == WEFT_VERIFY_KIND_NONE)
            cr_assert_eq(both.place.kind, WEFT_VERIFY_KIND_NONE);
        else
            cr_assert(is_difference(&both), "round %u: %s is no difference", round,
                      both.descent.node);
    }
    pair_destroy(&both);
}

Test(descent, an_entity_that_one_has) {
    pair both = pair_make(5);
    weft_commands_destroy(weft_world_commands(both.b), 0, entity_at(5000));
    world_commit(both.b);
    descend(&both);
    cr_assert_eq(both.place.kind, WEFT_VERIFY_KIND_ALIVE);
    cr_assert_eq(both.place.entity.slot, 5000u);
    cr_assert_str_eq(both.place.reference_text, "alive");
    cr_assert_str_eq(both.place.found_text, "dead");
    pair_destroy(&both);
}

Test(descent, a_component_that_one_has) {
    pair both = pair_make(5);
    weft_entity entity = entity_at(9000);
    bool had = weft_world_read(both.a, entity, WEFT_TYPE(Silt)) != NULL;
    if (had)
        WEFT_REMOVE(weft_world_commands(both.b), 0, entity, Silt);
    else
        WEFT_ADD(weft_world_commands(both.b), 0, entity, Silt, {1});
    world_commit(both.b);
    descend(&both);
    expect(&both, WEFT_VERIFY_KIND_PRESENCE, 9000, "Silt", "", had ? "present" : "absent",
           had ? "absent" : "present");
    pair_destroy(&both);
}

Test(descent, resources_by_piece) {
    pair both = pair_make(6);
    Level* levels = calloc(LEVELS, sizeof(*levels));
    levels[8191].millimetres = 12;
    WORLD_OK(both.b, weft_world_set_resource(both.b, WEFT_TYPE(Level), levels));
    descend(&both);
    expect(&both, WEFT_VERIFY_KIND_RESOURCE, 0, "Level", "millimetres", "0", "12");
    cr_assert_eq(both.place.index, 8191u);
    free(levels);
    pair_destroy(&both);
}

Test(descent, what_the_view_does_not_show) {
    pair both = pair_make(7);
    const Ping one = {4};
    const Ping two = {5};
    WORLD_OK(both.a, weft_world_post(both.a, WEFT_TYPE(Ping), WEFT_ENTITY_NULL, &one));
    WORLD_OK(both.b, weft_world_post(both.b, WEFT_TYPE(Ping), WEFT_ENTITY_NULL, &one));
    WORLD_OK(both.a, weft_world_post(both.a, WEFT_TYPE(Ping), WEFT_ENTITY_NULL, &one));
    descend(&both);
    expect(&both, WEFT_VERIFY_KIND_COUNT, 0, "Ping", "", "2 messages", "1 messages");
    WORLD_OK(both.b, weft_world_post(both.b, WEFT_TYPE(Ping), WEFT_ENTITY_NULL, &two));
    descend(&both);
    expect(&both, WEFT_VERIFY_KIND_MESSAGE, 0, "Ping", "echo", "4", "5");
    cr_assert_eq(both.place.index, 1u);
    pair_destroy(&both);
    // Two slots that are freed in another order.
    both = pair_make(7);
    for (uint32_t i = 0; i < 2; i++) {
        weft_commands_destroy(weft_world_commands(both.a), 0, entity_at(10 + i));
        world_commit(both.a);
        weft_commands_destroy(weft_world_commands(both.b), 0, entity_at(11 - i));
        world_commit(both.b);
    }
    descend(&both);
    cr_assert_eq(both.place.kind, WEFT_VERIFY_KIND_NONE);
    cr_assert_str_eq(both.descent.node, "free slots");
    pair_destroy(&both);
}

Test(descent, the_named_task_is_looked_at_first) {
    pair both = pair_make(8);
    WEFT_SET(weft_world_commands(both.b), 0, entity_at(3), Depth, {.metres = -1});
    WEFT_SET(weft_world_commands(both.b), 0, entity_at(12290), Depth, {.metres = -1});
    world_commit(both.b);
    descend(&both);
    cr_assert_lt(both.place.entity.slot, 12290u);
    for (uint32_t archetype = 1; archetype < 4; archetype++) {
        both.place = (weft_verify_place){.has_task = true, .archetype = archetype, .shard = 3};
        WORLD_OK(both.a, weft_descend(both.a, both.b, &both.place, &both.descent));
        if (both.place.entity.slot == 12290)
            break;
    }
    cr_assert_eq(both.place.entity.slot, 12290u);
    pair_destroy(&both);
}

Test(descent, other_types_are_refused) {
    pair both = pair_make(1);
    weft_world* other = world_make();
    cr_assert_eq(weft_descend(both.a, other, &both.place, &both.descent),
                 WEFT_STATUS_IDENTITY_MISMATCH);
    weft_world_destroy(other);
    pair_destroy(&both);
}
