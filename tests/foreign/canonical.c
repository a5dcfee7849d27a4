#include "canonical.h"

enum {
    TYPES_MAX = 6
};

/// A value as a little-endian machine without padding holds it, field by field.
static void feed_value(fnv* into, const weft_type* type, const uint8_t* value) {
    for (uint32_t i = 0; i < type->field_count; i++) {
        const uint8_t* at = value + type->fields[i].offset;
        uint32_t size = weft_kind_size((weft_kind)type->fields[i].kind);
        cr_assert(size % sizeof(uint32_t) == 0, "%s.%s", type->name, type->fields[i].name);
        for (uint32_t word = 0; word < size / sizeof(uint32_t); word++) {
            uint32_t bits;
            memcpy(&bits, at + word * sizeof bits, sizeof bits);
            for (uint32_t byte = 0; byte < sizeof bits; byte++)
                fnv_byte(into, (uint8_t)(bits >> (8 * byte)));
        }
    }
}

static void feed_handles(fnv* into, const weft_world* world) {
    weft_cursor cursor = weft_world_visit(world, NULL, 0);
    uint64_t count = 0;
    fnv_word(into, weft_world_entity_count(world), 8);
    while (weft_cursor_next(&cursor))
        for (uint32_t i = 0; i < cursor.row_count; i++) {
            fnv_word(into, cursor.entities[i].slot, 8);
            fnv_word(into, cursor.entities[i].generation, 8);
            count++;
        }
    cr_assert_eq(count, weft_world_entity_count(world));
}

/// The entities with exactly this set of components, a bit for each.
static void feed_set(fnv* into, const weft_world* world, const weft_type* const* types,
                     uint32_t type_count, uint32_t set) {
    weft_access terms[TYPES_MAX];
    uint64_t rows = 0;
    uint32_t ids = 0;
    for (uint32_t i = 0; i < type_count; i++) {
        bool has = (set >> i & 1) != 0;
        terms[i] = (weft_access){has ? WEFT_ACCESS_READ : WEFT_ACCESS_WITHOUT, types[i]};
        ids += has;
    }
    weft_cursor cursor = weft_world_visit(world, terms, type_count);
    while (weft_cursor_next(&cursor))
        rows += cursor.row_count;
    if (rows == 0)
        return;
    fnv_word(into, ids, 8);
    for (uint32_t i = 0; i < type_count; i++)
        if ((set >> i & 1) != 0)
            fnv_word(into, i + 1, 8);
    fnv_word(into, rows, 8);
    cursor = weft_world_visit(world, terms, type_count);
    while (weft_cursor_next(&cursor))
        for (uint32_t row = 0; row < cursor.row_count; row++)
            for (uint32_t i = 0; i < type_count; i++) {
                const uint8_t* column = weft_cursor_column(&cursor, types[i]);
                if ((set >> i & 1) != 0)
                    feed_value(into, types[i], column + (size_t)row * types[i]->size);
            }
}

/// Goes through all sets in the order of their lists of ids: what follows a set is the set with one
/// more id behind its last.
static void feed_sets(fnv* into, const weft_world* world, const weft_type* const* types,
                      uint32_t type_count, uint32_t set, uint32_t next) {
    for (uint32_t i = next; i < type_count; i++) {
        feed_set(into, world, types, type_count, set | 1u << i);
        feed_sets(into, world, types, type_count, set | 1u << i, i + 1);
    }
}

uint64_t canonical_hash(const weft_world* world, const weft_type* const* types, uint32_t type_count,
                        const canonical_system* systems, uint32_t system_count) {
    fnv hash = fnv_start();
    cr_assert_leq(type_count, TYPES_MAX);
    fnv_word(&hash, weft_world_tick(world), 8);
    feed_handles(&hash, world);
    feed_sets(&hash, world, types, type_count, 0, 0);
    for (uint32_t i = 0; i < system_count; i++) {
        fnv_word(&hash, i + 1, 8);
        fnv_word(&hash, 1, 8);
        fnv_word(&hash, systems[i].seed, 8);
        fnv_word(&hash, systems[i].stream.part1, 8);
        fnv_word(&hash, systems[i].stream.part2, 8);
    }
    return hash.hash;
}
