// laige's known answer for the order of visits: 16 entities in slots 19 down to 4 go through the
// sets {A}, {A, B} and {A, B, C}, some die, and five queries see the rest.

#include "canonical.h"

WEFT_COMPONENT(IterA, (int32_t, v));
WEFT_COMPONENT(IterB, (int32_t, v));
WEFT_COMPONENT(IterC, (int32_t, v));

enum {
    CAPACITY = 20,
    ENTITIES = 16,
    TYPES = 3
};

/// Every step is a commit of its own, as laige changes sets at once: sets that are passed through
/// count.
static void set(weft_world* world, weft_entity entity, uint32_t type, int32_t value) {
    const weft_type* types[TYPES] = {WEFT_TYPE(IterA), WEFT_TYPE(IterB), WEFT_TYPE(IterC)};
    if (value == 0)
        weft_commands_remove(weft_world_commands(world), 0, entity, types[type]);
    else
        weft_commands_add(weft_world_commands(world), 0, entity, types[type], &value);
    world_commit(world);
}

static void run_script(weft_world* world, weft_entity entity, int32_t i) {
    set(world, entity, 0, 100 * i + 1);
    set(world, entity, 1, 100 * i + 2);
    if (i % 2 != 0) {
        set(world, entity, 1, 0);
        set(world, entity, 1, 100 * i + 2);
        return;
    }
    set(world, entity, 2, 100 * i + 3);
    set(world, entity, 2, 0);
    set(world, entity, 1, 0);
    if (i == 4)
        set(world, entity, 0, 0);
}

static weft_world* scenario(void) {
    weft_world* world = world_make_limited(CAPACITY, 16);
    weft_entity made[CAPACITY];
    world_component(world, WEFT_TYPE(IterA), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(IterB), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(IterC), WEFT_STORAGE_DENSE);
    world_create(world, CAPACITY, made);
    for (uint32_t slot = 0; slot < CAPACITY - ENTITIES; slot++)
        world_destroy(world, made[slot]); // laige has not handed these out.
    for (int32_t i = 0; i < ENTITIES; i++)
        run_script(world, made[CAPACITY - 1 - i], i);
    for (int32_t i = 2; i < ENTITIES; i += 5)
        world_destroy(world, made[CAPACITY - 1 - i]);
    return world;
}

/// Compares a query's visits with the known slots; the hash is over slot and generation in one
/// word, and the values of what the query names.
static uint64_t visit(const weft_world* world, uint32_t query, const uint32_t* slots,
                      uint32_t count) {
    const weft_type* types[TYPES] = {WEFT_TYPE(IterA), WEFT_TYPE(IterB), WEFT_TYPE(IterC)};
    weft_access terms[TYPES];
    uint32_t term_count = 0;
    uint32_t visits = 0;
    fnv hash = fnv_start();
    for (uint32_t i = 0; i < TYPES; i++)
        if ((query >> i & 1) != 0)
            terms[term_count++] = (weft_access){WEFT_ACCESS_READ, types[i]};
    weft_cursor cursor = weft_world_visit(world, term_count == 0 ? NULL : terms, term_count);
    while (weft_cursor_next(&cursor))
        for (uint32_t row = 0; row < cursor.row_count; row++, visits++) {
            weft_entity entity = cursor.entities[row];
            cr_assert_lt(visits, count);
            cr_assert_eq(entity.slot, slots[visits], "query %u, visit %u: slot %u", query, visits,
                         entity.slot);
            fnv_word(&hash, entity.slot | entity.generation << 16, 8);
            for (uint32_t i = 0; i < TYPES; i++) {
                const int32_t* column = weft_cursor_column(&cursor, types[i]);
                bool named = (query >> i & 1) != 0;
                fnv_word(&hash, named ? (uint32_t)column[row] : 0, 8);
            }
        }
    cr_assert_eq(visits, count, "query %u", query);
    return hash.hash;
}

Test(visit, the_known_orders) {
    static const uint32_t all[] = {4, 5, 6, 8, 9, 10, 11, 13, 14, 15, 16, 18, 19};
    static const uint32_t with_a[] = {5, 9, 11, 13, 19, 4, 6, 8, 10, 14, 16, 18};
    static const uint32_t with_b[] = {4, 6, 8, 10, 14, 16, 18};
    weft_world* world = scenario();
    uint64_t empty = visit(world, 0, all, 13);
    uint64_t a = visit(world, 1, with_a, 12);
    (void)visit(world, 2, with_b, 7);
    uint64_t ab = visit(world, 3, with_b, 7);
    (void)visit(world, 4, NULL, 0);
    cr_assert_eq(weft_world_stats_read(world).archetypes, 3);
    // The line that laige prints for it, computed from its description by another program.
    uint64_t line = 31 * empty + 31 * a + ab;
    cr_assert_eq(line, UINT64_C(0x12fc225187f3b359), "%016" PRIx64, line);
    weft_world_destroy(world);
}
