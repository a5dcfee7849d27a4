// Field tables with every kind, arrays and nested structs: bytes, text, places, and what may not
// be in a value. Beside the hand-written cases, random types are walked by a model that knows each
// scalar by its own offset.

#include "weft_world.h"
#include "worlds.h"

#include <signal.h>

WEFT_ENUM(Mood, uint8_t, CALM, ANGRY, ASLEEP);
WEFT_ENUM(Step, int16_t, BACK = -1, REST, FORTH);

WEFT_COMPONENT(Wing, (weft_entity, link), (array, int16_t, flaps, 3), (bool, bent),
               (enumerated, Mood, mood));
WEFT_COMPONENT(Engine, (nested, Wing, fin), (float, heat), (array, bool, lit, 4));
WEFT_COMPONENT(Ship, (weft_fixed64, far), (weft_vec3, at), (weft_float3, pull), (weft_float2, turn),
               (weft_entity, base), (nested, Wing, left), (nested_array, Engine, engines, 2),
               (array, weft_vec2, path, 2), (array, weft_float2, glow, 2), (enumerated, Step, step),
               (enumerated, Mood, mood), (bool, docked), (Mood, plain), (array, Mood, moods, 3));

static const weft_type* const ship = WEFT_TYPE(Ship);

static float of_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static Ship sample_ship(void) {
    return (Ship){
        .far = {INT64_C(-0x0102030405060708)},
        .at = {{0x11121314}, {-2}, {0x15161718}},
        .pull = {1.0f, -2.0f, 0.1f},
        .turn = {of_bits(0x7F800000), of_bits(0x80000000)},
        .base = {0x01020304, 0x05060708},
        .left = {{1, 2}, {3, -4, 0x0506}, true, ASLEEP},
        .engines = {{{{7, 8}, {9, 10, 11}, false, ANGRY}, 0.5f, {true, false, true, true}},
                    {{{12, 13}, {14, 15, 16}, true, CALM}, -0.25f, {false, true, false, false}}},
        .path = {{{1}, {2}}, {{3}, {4}}},
        .glow = {{1.5f, 2.5f}, {3.5f, 4.5f}},
        .step = BACK,
        .mood = ANGRY,
        .docked = true,
        .plain = 200,
        .moods = {CALM, ANGRY, ASLEEP},
    };
}

static const uint8_t ship_bytes[] = {
    0xF8, 0xF8, 0xF9, 0xFA, 0xFB, 0xFC, 0xFD, 0xFE, // far
    0x14, 0x13, 0x12, 0x11, 0xFE, 0xFF, 0xFF, 0xFF, // at.x, at.y
    0x18, 0x17, 0x16, 0x15,                         // at.z
    0x00, 0x00, 0x80, 0x3F, 0x00, 0x00, 0x00, 0xC0, // pull.x 1, pull.y -2
    0xCD, 0xCC, 0xCC, 0x3D,                         // pull.z 0.1
    0x00, 0x00, 0x80, 0x7F, 0x00, 0x00, 0x00, 0x80, // turn: infinity, -0
    0x04, 0x03, 0x02, 0x01, 0x08, 0x07, 0x06, 0x05, // base
    0x01, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, // left.link
    0x03, 0x00, 0xFC, 0xFF, 0x06, 0x05, 0x01, 0x02, // left.flaps, bent, mood
    0x07, 0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00, // engines[0].fin.link
    0x09, 0x00, 0x0A, 0x00, 0x0B, 0x00, 0x00, 0x01, // engines[0].fin: flaps, bent, mood
    0x00, 0x00, 0x00, 0x3F, 0x01, 0x00, 0x01, 0x01, // engines[0]: heat, lit
    0x0C, 0x00, 0x00, 0x00, 0x0D, 0x00, 0x00, 0x00, // engines[1].fin.link
    0x0E, 0x00, 0x0F, 0x00, 0x10, 0x00, 0x01, 0x00, // engines[1].fin: flaps, bent, mood
    0x00, 0x00, 0x80, 0xBE, 0x00, 0x01, 0x00, 0x00, // engines[1]: heat, lit
    0x01, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, // path[0]
    0x03, 0x00, 0x00, 0x00, 0x04, 0x00, 0x00, 0x00, // path[1]
    0x00, 0x00, 0xC0, 0x3F, 0x00, 0x00, 0x20, 0x40, // glow[0]
    0x00, 0x00, 0x60, 0x40, 0x00, 0x00, 0x90, 0x40, // glow[1]
    0xFF, 0xFF, 0x01, 0x01, 0xC8, 0x00, 0x01, 0x02, // step, mood, docked, plain, moods
};

Test(type_nested, every_kind_is_encoded_in_little_endian_field_order) {
    char text[256] = "";
    cr_assert_eq(weft__type_check(ship, text, sizeof(text)), WEFT_STATUS_OK, "%s", text);
    cr_assert_eq(sizeof(ship_bytes), sizeof(Ship));
    Ship two[2] = {sample_ship(), sample_ship()};
    uint8_t out[2 * sizeof(Ship)];
    memset(out, 0x55, sizeof(out));
    weft__type_encode(ship, two, 2, out);
    for (size_t i = 0; i < sizeof(out); i++)
        cr_assert_eq(out[i], ship_bytes[i % sizeof(Ship)], "byte %zu is %02x", i, out[i]);
}

// The digest sees values through the same bytes on both byte orders.
Test(type_nested, the_leaf_of_a_column_is_the_hash_of_the_encoding) {
    Ship values[3] = {sample_ship(), sample_ship(), sample_ship()};
    values[1].engines[1].heat = 9.0f;
    uint8_t bytes[sizeof(values)];
    weft__type_encode(ship, values, 3, bytes);
    weft_world_desc desc = weft_world_desc_default();
    desc.math = WEFT_MATH_FLOAT_PINNED_32;
    weft_world* world;
    cr_assert_eq(weft_world_create(&desc, NULL, &world), WEFT_STATUS_OK);
    world_component(world, ship, WEFT_STORAGE_DENSE);
    for (uint32_t i = 0; i < 3; i++)
        WEFT_CREATE(weft_world_commands(world), 0, {ship, &values[i]});
    world_commit(world);
    (void)weft_world_digest_view(world);
    weft_digest inner = weft_digest_of(bytes, sizeof(bytes), 0);
    uint64_t words[2] = {inner.low, inner.high};
    uint8_t node[16];
    for (uint32_t i = 0; i < 16; i++)
        node[i] = (uint8_t)(words[i / 8] >> (8 * (i % 8)));
    uint64_t seed = weft__type_hash(ship) + 3 * UINT64_C(0x9E3779B97F4A7C15);
    DIGEST_EQ(world->chunks.items[0]->leaves[0], weft_digest_of(node, sizeof(node), seed));
    weft_world_destroy(world);
}

Test(type_nested, traits_look_inside) {
    weft__traits traits = weft__type_traits(ship);
    cr_assert(traits.has_entities && traits.has_float && traits.has_bool && traits.has_other);
    traits = weft__type_traits(WEFT_TYPE(Wing));
    cr_assert(traits.has_entities && !traits.has_float && traits.has_bool && traits.has_other);
}

// Text -------------------------------------------------------------------------------------------

typedef struct place_case {
    uint32_t offset;
    const char* path;
    const char* text;
} place_case;

Test(type_nested, every_place_has_a_path_and_a_text) {
    static const place_case cases[] = {
        {offsetof(Ship, far), "far",
         "-16909060.01962322182953357696533203125 "
         "(raw -72623859790382856)"},
        {offsetof(Ship, at.y), "at", NULL},
        {offsetof(Ship, pull.z), "pull",
         "(1 (raw 0x3f800000), -2 (raw 0xc0000000), 0.100000001 (raw 0x3dcccccd))"},
        {offsetof(Ship, turn), "turn", "(inf (raw 0x7f800000), -0 (raw 0x80000000))"},
        {offsetof(Ship, left.link), "left.link", "entity 1:2"},
        {offsetof(Ship, left.flaps[1]), "left.flaps[1]", "-4"},
        {offsetof(Ship, left.flaps[2]) + 1, "left.flaps[2]", "1286"},
        {offsetof(Ship, left.mood), "left.mood", "ASLEEP (2)"},
        {offsetof(Ship, engines[1].heat), "engines[1].heat", "-0.25 (raw 0xbe800000)"},
        {offsetof(Ship, engines[1].lit[1]), "engines[1].lit[1]", "true"},
        {offsetof(Ship, engines[0].fin.flaps[2]), "engines[0].fin.flaps[2]", "11"},
        {offsetof(Ship, engines[0].fin.bent), "engines[0].fin.bent", "false"},
        {offsetof(Ship, engines[0].fin.mood), "engines[0].fin.mood", "ANGRY (1)"},
        {offsetof(Ship, path[1].y), "path[1]", NULL},
        {offsetof(Ship, step), "step", "-1"},
        {offsetof(Ship, mood), "mood", "ANGRY (1)"},
        {offsetof(Ship, plain), "plain", "200"},
        {offsetof(Ship, moods[2]), "moods[2]", "2"},
    };
    const Ship value = sample_ship();
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[160];
        cr_assert_eq(weft_type_path(ship, cases[i].offset, text, sizeof(text)), strlen(text));
        cr_assert_str_eq(text, cases[i].path);
        cr_assert_eq(weft_type_format(ship, &value, cases[i].offset, text, sizeof(text)),
                     strlen(text));
        if (cases[i].text != NULL)
            cr_assert_str_eq(text, cases[i].text, "%s is \"%s\"", cases[i].path, text);
    }
}

Test(type_nested, odd_values_are_told_apart) {
    Ship value = sample_ship();
    char text[96];
    value.mood = 77; // None of the constants.
    (void)weft_type_format(ship, &value, offsetof(Ship, mood), text, sizeof(text));
    cr_assert_str_eq(text, "77");
    memset((char*)&value + offsetof(Ship, docked), 2, 1);
    (void)weft_type_format(ship, &value, offsetof(Ship, docked), text, sizeof(text));
    cr_assert_str_eq(text, "neither true nor false (byte 2)");
    value.engines[0].heat = of_bits(0x7FC01234);
    (void)weft_type_format(ship, &value, offsetof(Ship, engines[0].heat), text, sizeof(text));
    TEXT_HAS(text, "(raw 0x7fc01234)");
    value.far.raw = INT64_MIN;
    (void)weft_type_format(ship, &value, offsetof(Ship, far), text, sizeof(text));
    cr_assert_str_eq(text, "-2147483648.0 (raw -9223372036854775808)");
}

Test(type_nested, whole_fields_print_arrays_and_structs) {
    const Ship value = sample_ship();
    char text[512];
    const weft_field* left = &ship->fields[5];
    cr_assert_str_eq(left->name, "left");
    size_t length = weft_field_format(left, &value, text, sizeof(text));
    cr_assert_str_eq(text, "{link entity 1:2, flaps [3, -4, 1286], bent true, mood ASLEEP (2)}");
    cr_assert_eq(length, strlen(text));
    char small[12];
    memset(small, 'x', sizeof(small));
    cr_assert_eq(weft_field_format(left, &value, small, sizeof(small)), length);
    cr_assert_str_eq(small, "{link entit");
    cr_assert_eq(weft_field_format(left, &value, NULL, 0), length);
    cr_assert_eq(weft_type_path(ship, offsetof(Ship, engines[1].lit), small, 4), 17);
    cr_assert_str_eq(small, "eng");
}

// Identity ---------------------------------------------------------------------------------------

static const weft_field inner_fields[] = {{"x", WEFT_KIND_U32, 0, 0, NULL, NULL}};
static const weft_type inner_type = {"Inner", 4, 4, 1, inner_fields};
static const weft_field other_fields[] = {{"y", WEFT_KIND_U32, 0, 0, NULL, NULL}};
static const weft_type other_type = {"Inner", 4, 4, 1, other_fields};
static const weft_field big_fields[] = {{"a", WEFT_KIND_U32, 0, 2, NULL, NULL}};
static const weft_type big_type = {"Inner", 8, 4, 1, big_fields};

// Layouts that differ in nothing but an array, a count or what is nested.
Test(type_nested, layouts_that_differ_have_other_hashes) {
    static const weft_field fields[] = {
        {"f", WEFT_KIND_U32, 0, 0, NULL, NULL},
        {"f", WEFT_KIND_U32, 0, 1, NULL, NULL},
        {"f", WEFT_KIND_U32, 0, 2, NULL, NULL},
        {"f", WEFT_KIND_U32, 0, 3, NULL, NULL},
        {"f", WEFT_KIND_NESTED, 0, 0, &inner_type, NULL},
        {"f", WEFT_KIND_NESTED, 0, 1, &inner_type, NULL},
        {"f", WEFT_KIND_NESTED, 0, 2, &inner_type, NULL},
        {"f", WEFT_KIND_NESTED, 0, 0, &other_type, NULL},
        {"f", WEFT_KIND_NESTED, 0, 0, &big_type, NULL},
        {"f", WEFT_KIND_BOOL, 0, 4, NULL, NULL},
        {"f", WEFT_KIND_FLOAT, 0, 0, NULL, NULL},
    };
    enum {
        COUNT = sizeof(fields) / sizeof(fields[0])
    };
    weft_type types[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t stride = weft__field_stride(&fields[i]);
        uint32_t size = stride * (fields[i].count > 0 ? fields[i].count : 1);
        types[i] =
            (weft_type){"Layout", size, fields[i].kind == WEFT_KIND_BOOL ? 1 : 4, 1, &fields[i]};
        char text[256] = "";
        cr_assert_eq(weft__type_check(&types[i], text, sizeof(text)), WEFT_STATUS_OK, "%s", text);
        for (uint32_t j = 0; j < i; j++) {
            cr_assert_neq(weft__type_hash(&types[i]), weft__type_hash(&types[j]), "%u, %u", i, j);
            cr_assert(!weft__type_same(&types[i], &types[j]), "%u, %u", i, j);
        }
    }
    // The format in docs/determinism.md, step by step.
    uint64_t word = weft_hash64_of_name("Inner");
    word = weft_hash64_of("x", 1, word + WEFT_KIND_U32);
    uint64_t hash = weft_hash64_of_name("Layout");
    hash = weft_hash64_of("f", 1, hash + WEFT_KIND_NESTED);
    hash = weft__hash_words(&word, 1, hash + 0x4E455354u);
    word = 2;
    hash = weft__hash_words(&word, 1, hash + 0x41525259u);
    cr_assert_eq(weft__type_hash(&types[6]), hash);
}

Test(type_nested, constants_names_are_no_part_of_the_layout) {
    weft_field named = {"f", WEFT_KIND_U8, 0, 0, NULL, "A, B"};
    weft_field plain = {"f", WEFT_KIND_U8, 0, 0, NULL, NULL};
    weft_type a = {"Layout", 1, 1, 1, &named};
    weft_type b = {"Layout", 1, 1, 1, &plain};
    cr_assert(weft__type_same(&a, &b));
    cr_assert_eq(weft__type_hash(&a), weft__type_hash(&b));
}

static void refuse(const weft_type* type, const char* part) {
    char text[256] = "";
    cr_assert_eq(weft__type_check(type, text, sizeof(text)), WEFT_STATUS_BAD_TYPE, "%s", part);
    TEXT_HAS(text, part);
}

Test(type_nested, malformed_descriptions_are_refused) {
    weft_field field = {"f", WEFT_KIND_NESTED, 0, 0, NULL, NULL};
    weft_type type = {"Hand", 8, 4, 1, &field};
    refuse(&type, "type Hand, field f: nested, but of no type");
    field.type = &type; // Itself.
    refuse(&type, "nested deeper than 8 levels");
    static const weft_type tag = {"Mark", 0, 1, 0, NULL};
    field.type = &tag;
    refuse(&type, "field f: Mark has no fields");
    weft_field gap = {"g", WEFT_KIND_U8, 1, 0, NULL, NULL};
    weft_type gapped = {"Gapped", 2, 1, 1, &gap};
    field.type = &gapped;
    refuse(&type, "type Gapped, field g");
    weft_field array = {"a", WEFT_KIND_U32, 0, 0x40000001u, NULL, NULL};
    weft_type wrapped = {"Wrapped", 4, 4, 1, &array};
    refuse(&wrapped, "type Wrapped, field a: 1073741825 elements of 4 bytes");
    array.count = 3;
    refuse(&wrapped, "Wrapped has 4 bytes, its fields tile 12");
    weft_field wide[2] = {{"b", WEFT_KIND_U8, 0, 4, NULL, NULL},
                          {"n", WEFT_KIND_NESTED, 4, 0, WEFT_TYPE(Wing), NULL}};
    weft_type narrow = {"Narrow", 20, 2, 2, wide};
    refuse(&narrow, "alignment of 2; its fields need 4");
}

// Handles ----------------------------------------------------------------------------------------

WEFT_COMPONENT(Pair, (array, weft_entity, ends, 2));
WEFT_COMPONENT(Web, (uint32_t, knots), (nested_array, Pair, threads, 3), (uint32_t, more));
WEFT_MESSAGE(News, (nested, Web, web));

Test(type_nested, provisional_handles_in_arrays_and_nested_structs_become_real) {
    weft_world* world = world_make();
    world_component(world, WEFT_TYPE(Web), WEFT_STORAGE_DENSE);
    WORLD_OK(world, weft_world_register_channel(world, WEFT_TYPE(News), WEFT_TARGET_WORLD,
                                                WEFT_DELIVERY_NEXT));
    weft_commands* commands = weft_world_commands(world);
    weft_entity made[6];
    Web web = {.knots = 6, .more = 7};
    for (uint32_t i = 0; i < 6; i++) {
        made[i] = weft_commands_create(commands, 0);
        web.threads[i / 2].ends[i % 2] = made[i];
    }
    weft_entity owner = WEFT_CREATE(commands, 0, {WEFT_TYPE(Web), &web});
    cr_assert(weft__type_has_provisional(WEFT_TYPE(Web), &web));
    News news = {web};
    cr_assert_eq(weft_world_post(world, WEFT_TYPE(News), WEFT_ENTITY_NULL, &news),
                 WEFT_STATUS_BAD_ARGUMENT);
    world_commit(world);
    const Web* stored = weft_world_read(world, weft_world_resolve(world, owner), WEFT_TYPE(Web));
    cr_assert_not_null(stored);
    cr_assert(stored->knots == 6 && stored->more == 7);
    for (uint32_t i = 0; i < 6; i++)
        ENTITY_EQ(stored->threads[i / 2].ends[i % 2], weft_world_resolve(world, made[i]));
    cr_assert(!weft__type_has_provisional(WEFT_TYPE(Web), stored));
    weft_world_destroy(world);
}

// What may not be in a value ---------------------------------------------------------------------

WEFT_COMPONENT(AllFloat, (weft_float2, at), (array, float, weights, 5), (weft_float3, pull));
WEFT_COMPONENT(AllBool, (bool, a), (array, bool, rest, 6));

typedef bool find_fn(const weft_type* type, const void* values, uint32_t count, uint32_t* index_out,
                     char* path, size_t capacity);

/// Puts `bytes` at one place of one value and expects them to be found there, and nothing before.
static void expect_found(find_fn* find, const weft_type* type, void* values, uint32_t count,
                         uint32_t row, uint32_t offset, const void* bytes, uint32_t size) {
    char path[64];
    char found[64] = "untouched";
    uint32_t index = 12345;
    uint8_t* at = (uint8_t*)values + (size_t)row * type->size + offset;
    uint8_t before[8];
    cr_assert(!find(type, values, count, &index, found, sizeof(found)));
    cr_assert(index == 12345 && strcmp(found, "untouched") == 0, "written without a find");
    memcpy(before, at, size);
    memcpy(at, bytes, size);
    (void)weft_type_path(type, offset, path, sizeof(path));
    cr_assert(find(type, values, count, &index, found, sizeof(found)), "%s.%s of %u", type->name,
              path, row);
    cr_assert_eq(index, row, "%s.%s: %u, not %u", type->name, path, index, row);
    cr_assert_str_eq(found, path);
    cr_assert(!find(type, values, row, &index, found, sizeof(found)), "found past the end");
    memcpy(at, before, size);
}

Test(type_nested, every_nan_is_found_and_nothing_else) {
    static const uint32_t nans[] = {0x7F800001, 0x7FC00000, 0xFF800001, 0xFFFFFFFF, 0x7FFFFFFF};
    static const uint32_t numbers[] = {0x7F800000, 0xFF800000, 0x7F7FFFFF, 1, 0x80000000, 0};
    enum {
        ROWS = 700
    };
    static AllFloat dense[ROWS];
    static Ship mixed[ROWS];
    static const uint32_t places[] = {
        offsetof(Ship, pull.x),          offsetof(Ship, pull.z),          offsetof(Ship, turn.y),
        offsetof(Ship, engines[0].heat), offsetof(Ship, engines[1].heat), offsetof(Ship, glow[1].y),
    };
    for (uint32_t i = 0; i < ROWS; i++) {
        mixed[i] = sample_ship();
        for (uint32_t at = 0; at < sizeof(AllFloat); at += 4)
            memcpy((char*)&dense[i] + at, &numbers[(i + at / 4) % 6], 4);
    }
    for (uint32_t n = 0; n < 5; n++)
        for (uint32_t row = 0; row < ROWS; row += 233) {
            for (uint32_t at = 0; at < sizeof(AllFloat); at += 4)
                expect_found(weft__type_find_nan, WEFT_TYPE(AllFloat), dense, ROWS, row, at,
                             &nans[n], 4);
            for (uint32_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
                expect_found(weft__type_find_nan, ship, mixed, ROWS, row, places[i], &nans[n], 4);
        }
    // The first value wins over the first field, and in one value the first field.
    uint32_t index;
    char path[64];
    mixed[3].pull.y = of_bits(nans[0]);
    mixed[2].glow[0].x = of_bits(nans[1]);
    mixed[2].engines[1].heat = of_bits(nans[1]);
    cr_assert(weft__type_find_nan(ship, mixed, ROWS, &index, path, sizeof(path)));
    cr_assert_eq(index, 2);
    cr_assert_str_eq(path, "engines[1].heat");
    // The bits of NaN in an integer are a number.
    static const uint32_t word = 0x7FC00000;
    mixed[0] = sample_ship();
    mixed[0].at.x.raw = (int32_t)word;
    cr_assert(!weft__type_find_nan(ship, mixed, 1, &index, path, sizeof(path)));
    cr_assert(!weft__type_find_nan(WEFT_TYPE(Wing), mixed, 1, &index, path, sizeof(path)));
}

Test(type_nested, every_odd_bool_is_found) {
    static const uint8_t odd[] = {2, 128, 255};
    enum {
        ROWS = 500
    };
    static AllBool dense[ROWS];
    static Ship mixed[ROWS];
    static const uint32_t places[] = {offsetof(Ship, left.bent), offsetof(Ship, engines[0].lit[3]),
                                      offsetof(Ship, engines[1].fin.bent), offsetof(Ship, docked)};
    for (uint32_t i = 0; i < ROWS; i++) {
        mixed[i] = sample_ship();
        dense[i].a = i % 2 == 0;
        dense[i].rest[i % 6] = true;
    }
    for (uint32_t n = 0; n < 3; n++)
        for (uint32_t row = 0; row < ROWS; row += 166) {
            for (uint32_t at = 0; at < sizeof(AllBool); at++)
                expect_found(weft__type_find_bool, WEFT_TYPE(AllBool), dense, ROWS, row, at,
                             &odd[n], 1);
            for (uint32_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
                expect_found(weft__type_find_bool, ship, mixed, ROWS, row, places[i], &odd[n], 1);
        }
}

static weft_world* make_world(weft_math_backend math, bool allow_float) {
    weft_world_desc desc = weft_world_desc_default();
    weft_world* world;
    desc.math = math;
    desc.allow_float = allow_float;
    cr_assert_eq(weft_world_create(&desc, NULL, &world), WEFT_STATUS_OK);
    cr_assert_eq(weft_world_math(world), math);
    return world;
}

Test(type_nested, float_needs_a_world_that_allows_it) {
    weft_world* fixed = make_world(WEFT_MATH_FIXED_16_16, false);
    cr_assert_eq(weft_world_register_component(fixed, ship, WEFT_STORAGE_DENSE),
                 WEFT_STATUS_BAD_TYPE);
    TEXT_HAS(weft_world_error(fixed), "type Ship, field pull: float in a world of "
                                      "fixed_point_16_16");
    TEXT_HAS(weft_world_error(fixed), "WEFT_MATH_FLOAT_PINNED_32");
    TEXT_HAS(weft_world_error(fixed), ".allow_float");
    cr_assert_eq(weft_world_register_resource(fixed, WEFT_TYPE(Engine), 1, NULL),
                 WEFT_STATUS_BAD_TYPE);
    TEXT_HAS(weft_world_error(fixed), "type Engine, field heat");
    // Nothing was registered, and what has no float still can be.
    world_component(fixed, WEFT_TYPE(Wing), WEFT_STORAGE_DENSE);
    cr_assert_eq(fixed->types.count, 1);
    cr_assert(fixed->types.items[0].has_bool && !fixed->types.items[0].has_float);
    weft_world* allowed = make_world(WEFT_MATH_FIXED_16_16, true);
    weft_world* pinned = make_world(WEFT_MATH_FLOAT_PINNED_32, false);
    world_component(allowed, ship, WEFT_STORAGE_DENSE);
    world_component(pinned, ship, WEFT_STORAGE_DENSE);
    cr_assert(pinned->types.items[0].has_float && pinned->types.items[0].has_entities);
    // What a world computes with is part of its future, what it allows is not.
    weft_world* plain = make_world(WEFT_MATH_FIXED_16_16, false);
    weft_world* empty = make_world(WEFT_MATH_FLOAT_PINNED_32, false);
    DIGEST_EQ(weft_world_digest_view(empty), weft_world_digest_view(plain));
    DIGEST_NE(weft_world_digest_full(empty), weft_world_digest_full(plain));
    weft_world_destroy(fixed);
    weft_world_destroy(allowed);
    weft_world_destroy(pinned);
    weft_world_destroy(plain);
    weft_world_destroy(empty);
    cr_assert_str_eq(weft_math_name(WEFT_MATH_FIXED_16_16), "fixed_point_16_16");
    cr_assert_str_eq(weft_math_name(WEFT_MATH_FLOAT_PINNED_32), "float_pinned_32");
    cr_assert_str_eq(weft_math_name((weft_math_backend)2), "unknown");
}

// The last line of defence, where nothing before has refused the value.
Test(type_nested, an_odd_bool_never_reaches_a_digest, .signal = SIGABRT) {
    weft_world* world = world_make();
    world_component(world, WEFT_TYPE(AllBool), WEFT_STORAGE_DENSE);
    AllBool value;
    memset(&value, 0, sizeof(value));
    weft_entity made = WEFT_CREATE(weft_world_commands(world), 0, {WEFT_TYPE(AllBool), &value});
    world_commit(world);
    made = weft_world_resolve(world, made);
    AllBool* wild = (AllBool*)weft_world_read(world, made, WEFT_TYPE(AllBool));
    memset(&wild->rest[4], 3, 1);
    (void)weft_world_digest_view(world);
    weft_world_destroy(world);
}

// Random types -----------------------------------------------------------------------------------

/// Types made at random, and for the outermost one each scalar by its place.
typedef struct random_types {
    weft_type types[4]; // Each may nest those before it.
    weft_field fields[4][8];
    char names[4][8];
    uint64_t state;
} random_types;

typedef struct scalar {
    uint32_t kind;
    uint32_t offset;
    char path[96];
} scalar;

static uint32_t draw(random_types* r, uint32_t below) {
    r->state = r->state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)((r->state >> 33) % below);
}

static uint32_t unit_of(const weft_field* field) {
    if (field->type != NULL)
        return field->type->align;
    uint32_t size = weft_kind_size((weft_kind)field->kind);
    bool words = size == 12 || field->kind == WEFT_KIND_VEC2 || field->kind == WEFT_KIND_ENTITY ||
                 field->kind == WEFT_KIND_FLOAT2;
    return words ? 4 : size;
}

/// Wide fields first, then bytes until the size is a multiple of the alignment.
static void make_type(random_types* r, uint32_t number) {
    weft_type* type = &r->types[number];
    weft_field* fields = r->fields[number];
    static const char* const field_names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    (void)snprintf(r->names[number], sizeof(r->names[number]), "R%u", number);
    *type = (weft_type){r->names[number], 0, 1, 0, fields};
    uint32_t count = 1 + draw(r, 6);
    for (uint32_t unit = 8; unit > 0; unit /= 2)
        for (uint32_t i = 0; i < count; i++) {
            weft_field field = {.name = field_names[type->field_count], .offset = type->size};
            bool nested = number > 0 && draw(r, 3) == 0;
            field.kind = nested ? WEFT_KIND_NESTED : 1 + draw(r, 17);
            field.type = nested ? &r->types[draw(r, number)] : NULL;
            field.count = draw(r, 2) == 0 ? 0 : 1 + draw(r, draw(r, 8) == 0 ? 40 : 4);
            if (unit_of(&field) != unit || type->field_count == 7)
                continue;
            fields[type->field_count++] = field;
            type->size += weft__field_stride(&field) * (field.count > 0 ? field.count : 1);
            type->align = unit > type->align ? unit : type->align;
        }
    uint32_t rest = (type->align - type->size % type->align) % type->align;
    if (type->size == 0)
        rest = 1;
    if (rest > 0) {
        fields[type->field_count] = (weft_field){.name = field_names[type->field_count],
                                                 .kind = WEFT_KIND_BOOL,
                                                 .offset = type->size,
                                                 .count = rest};
        type->field_count++;
        type->size += rest;
    }
}

static uint32_t list_scalars(const weft_type* type, uint32_t base, const char* before,
                             scalar* out) {
    uint32_t made = 0;
    for (uint32_t i = 0; i < type->field_count; i++) {
        const weft_field* field = &type->fields[i];
        uint32_t stride = weft__field_stride(field);
        for (uint32_t j = 0; j < (field->count > 0 ? field->count : 1); j++) {
            char path[96];
            char index[16] = "";
            if (field->count > 0)
                (void)snprintf(index, sizeof(index), "[%u]", j);
            (void)snprintf(path, sizeof(path), "%.60s%s%s", before, field->name, index);
            uint32_t offset = base + field->offset + j * stride;
            if (field->kind == WEFT_KIND_NESTED) {
                char inner[96];
                (void)snprintf(inner, sizeof(inner), "%.90s.", path);
                made += list_scalars(field->type, offset, inner, out + made);
            } else {
                out[made] = (scalar){field->kind, offset, ""};
                (void)snprintf(out[made++].path, sizeof(out[0].path), "%s", path);
            }
        }
    }
    return made;
}

/// The bytes of a scalar, lowest byte first in each of its words, from the host's memory.
static void model_encode(const scalar* s, const uint8_t* value, uint8_t* out) {
    uint32_t size = weft_kind_size((weft_kind)s->kind);
    weft_field field = {.kind = s->kind};
    cr_assert_neq(s->kind, WEFT_KIND_NESTED);
    uint32_t unit = unit_of(&field);
    const uint16_t probe = 1;
    bool little = *(const uint8_t*)&probe == 1;
    for (uint32_t i = 0; i < size; i++)
        out[s->offset + i] =
            value[s->offset + (little ? i : i / unit * unit + unit - 1 - i % unit)];
}

static void check_random(random_types* r, const weft_type* type, scalar* scalars) {
    enum {
        ROWS = 5
    };
    static uint8_t values[ROWS * 4096];
    static uint8_t out[ROWS * 4096];
    static uint8_t expected[4096];
    uint32_t count = list_scalars(type, 0, "", scalars);
    uint32_t covered = 0;
    for (uint32_t i = 0; i < ROWS * type->size; i++)
        values[i] = (uint8_t)draw(r, 2); // Neither NaN nor an odd bool.
    weft__type_encode(type, values, ROWS, out);
    for (uint32_t row = 0; row < ROWS; row++) {
        for (uint32_t i = 0; i < count; i++)
            model_encode(&scalars[i], values + (size_t)row * type->size, expected);
        cr_assert_eq(memcmp(out + (size_t)row * type->size, expected, type->size), 0);
    }
    for (uint32_t i = 0; i < count; i++) {
        const scalar* s = &scalars[i];
        uint32_t size = weft_kind_size((weft_kind)s->kind);
        char path[96];
        cr_assert_eq(s->offset, covered);
        covered += size;
        (void)weft_type_path(type, s->offset + draw(r, size), path, sizeof(path));
        cr_assert_str_eq(path, s->path);
        static const uint8_t nan[] = {0xFF, 0xFF, 0xFF, 0xFF};
        if (s->kind >= WEFT_KIND_FLOAT && s->kind <= WEFT_KIND_FLOAT3)
            expect_found(weft__type_find_nan, type, values, ROWS, draw(r, ROWS),
                         s->offset + 4 * draw(r, size / 4), nan, 4);
        if (s->kind == WEFT_KIND_BOOL)
            expect_found(weft__type_find_bool, type, values, ROWS, draw(r, ROWS), s->offset, nan,
                         1);
    }
    cr_assert_eq(covered, type->size);
}

Test(type_nested, random_types_agree_with_a_model, .timeout = 60) {
    const char* wanted = getenv("WEFT_TEST_SEED");
    const uint64_t seed = wanted != NULL ? strtoull(wanted, NULL, 0) : 20261130;
    (void)printf("random types: seed %" PRIu64 " (WEFT_TEST_SEED)\n", seed);
    static scalar scalars[4096];
    uint32_t checked = 0;
    for (uint32_t round = 0; round < 300; round++) {
        random_types r = {.state = seed + round};
        for (uint32_t i = 0; i < 4; i++) {
            char text[256] = "";
            make_type(&r, i);
            weft_status status = weft__type_check(&r.types[i], text, sizeof(text));
            if (r.types[i].size > 4096) {
                cr_assert_eq(status, WEFT_STATUS_BAD_TYPE);
                break;
            }
            cr_assert_eq(status, WEFT_STATUS_OK, "seed %" PRIu64 ", round %u, type %u: %s", seed,
                         round, i, text);
            check_random(&r, &r.types[i], scalars);
            checked++;
        }
    }
    cr_assert_gt(checked, 900);
}
