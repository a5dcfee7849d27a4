// Field tables: what is refused, how values are encoded and printed.

#include "weft_world.h"
#include "worlds.h"

WEFT_COMPONENT(Every, (int64_t, i64), (uint64_t, u64), (weft_entity, link), (weft_vec2, at),
               (int32_t, i32), (uint32_t, u32), (weft_fixed, fixed), (int16_t, i16),
               (uint16_t, u16), (int8_t, i8), (uint8_t, u8), (int16_t, rest), (uint32_t, last));
WEFT_TAG(Nothing);

static const Every sample = {
    .i64 = INT64_C(-0x0102030405060708),
    .u64 = UINT64_C(0xF1F2F3F4F5F6F7F8),
    .link = {0x01020304, 0x05060708},
    .at = {{0x11121314}, {-2}},
    .i32 = INT32_MIN,
    .u32 = 0xA1A2A3A4,
    .fixed = {-0x18000},
    .i16 = -2,
    .u16 = 0xB1B2,
    .i8 = -128,
    .u8 = 255,
    .rest = 0x0102,
    .last = 7,
};

// A description built by hand, as a binding for another language would.
typedef struct hand {
    weft_type type;
    weft_field fields[40];
} hand;

static hand make(const char* name, uint32_t size, uint32_t align, uint32_t count) {
    hand h = {.type = {name, size, align, count, NULL}};
    return h;
}

static weft_status check(hand* h, char* text) {
    h->type.fields = h->fields;
    return weft__type_check(&h->type, text, 256);
}

static void refuse(hand* h, const char* part) {
    char text[256] = "";
    cr_assert_eq(check(h, text), WEFT_STATUS_BAD_TYPE, "%s was accepted", h->type.name);
    TEXT_HAS(text, part);
    weft_world* world = world_make();
    cr_assert_eq(weft_world_register_component(world, &h->type, WEFT_STORAGE_DENSE),
                 WEFT_STATUS_BAD_TYPE);
    TEXT_HAS(weft_world_error(world), part);
    cr_assert_eq(weft_world_register_resource(world, &h->type, 1, NULL), WEFT_STATUS_BAD_TYPE);
    weft_world_destroy(world);
}

Test(type, a_declared_struct_passes_the_check) {
    char text[256];
    cr_assert_eq(weft__type_check(WEFT_TYPE(Every), text, sizeof(text)), WEFT_STATUS_OK);
    cr_assert_eq(weft__type_check(WEFT_TYPE(Nothing), text, sizeof(text)), WEFT_STATUS_OK);
    cr_assert_eq(WEFT_TYPE(Every)->field_count, 13);
    cr_assert_eq(WEFT_TYPE(Nothing)->size, 0);
}

Test(type, padding_is_refused_with_its_place) {
    hand middle = make("Gap", 16, 8, 2);
    middle.fields[0] = (weft_field){.name = "flag", .kind = WEFT_KIND_U8, .offset = 0};
    middle.fields[1] = (weft_field){.name = "wide", .kind = WEFT_KIND_U64, .offset = 8};
    refuse(&middle, "field wide");
    refuse(&middle, "byte 1 comes next");
    hand end = make("Tail", 16, 8, 2);
    end.fields[0] = (weft_field){.name = "wide", .kind = WEFT_KIND_U64, .offset = 0};
    end.fields[1] = (weft_field){.name = "flag", .kind = WEFT_KIND_U8, .offset = 8};
    refuse(&end, "Tail");
    hand overlap = make("Overlap", 8, 4, 2);
    overlap.fields[0] = (weft_field){.name = "a", .kind = WEFT_KIND_U32, .offset = 0};
    overlap.fields[1] = (weft_field){.name = "b", .kind = WEFT_KIND_U32, .offset = 2};
    refuse(&overlap, "field b");
}

Test(type, kinds_that_state_may_not_hold_are_refused) {
    static const uint32_t kinds[] = {WEFT_KIND_NONE, 19, 20, 255, UINT32_MAX};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        hand h = make("Real", 8, 8, 1);
        h.fields[0] = (weft_field){.name = "value", .kind = kinds[i], .offset = 0};
        refuse(&h, "field value");
        cr_assert_eq(weft_kind_size((weft_kind)kinds[i]), 0);
    }
    cr_assert_str_eq(weft_kind_name((weft_kind)19), "unknown");
    cr_assert_str_eq(weft_kind_name((weft_kind)UINT32_MAX), "unknown");
}

Test(type, overlong_and_malformed_descriptions_are_refused) {
    hand many = make("Many", 33, 1, 33);
    for (uint32_t i = 0; i < 33; i++)
        many.fields[i] = (weft_field){.name = "byte", .kind = WEFT_KIND_U8, .offset = i};
    refuse(&many, "33 fields");
    hand large = make("Large", 5000, 8, 1);
    large.fields[0] = (weft_field){.name = "value", .kind = WEFT_KIND_U64, .offset = 0};
    refuse(&large, "5000 bytes");
    hand unnamed = make("", 4, 4, 1);
    unnamed.fields[0] = (weft_field){.name = "value", .kind = WEFT_KIND_U32, .offset = 0};
    refuse(&unnamed, "no name");
    hand crooked = make("Crooked", 8, 3, 1);
    crooked.fields[0] = (weft_field){.name = "value", .kind = WEFT_KIND_U64, .offset = 0};
    refuse(&crooked, "Crooked");
    hand loose = make("Loose", 8, 16, 1);
    loose.fields[0] = (weft_field){.name = "value", .kind = WEFT_KIND_U64, .offset = 0};
    refuse(&loose, "Loose");
    hand nameless = make("Nameless", 4, 4, 1);
    nameless.fields[0] = (weft_field){.name = NULL, .kind = WEFT_KIND_U32, .offset = 0};
    char text[256];
    cr_assert_eq(check(&nameless, text), WEFT_STATUS_BAD_TYPE);
}

// No struct has such a size or such a place: the second row of a column would be read across its
// alignment.
Test(type, misaligned_descriptions_are_refused) {
    hand misaligned = make("Misaligned", 10, 8, 2);
    misaligned.fields[0] = (weft_field){.name = "low", .kind = WEFT_KIND_U16, .offset = 0};
    misaligned.fields[1] = (weft_field){.name = "value", .kind = WEFT_KIND_U64, .offset = 2};
    refuse(&misaligned, "Misaligned");
    hand ragged = make("Ragged", 12, 8, 2);
    ragged.fields[0] = (weft_field){.name = "value", .kind = WEFT_KIND_U64, .offset = 0};
    ragged.fields[1] = (weft_field){.name = "low", .kind = WEFT_KIND_U32, .offset = 8};
    refuse(&ragged, "Ragged");
    hand narrow = make("Narrow", 8, 1, 1);
    narrow.fields[0] = (weft_field){.name = "value", .kind = WEFT_KIND_U64, .offset = 0};
    refuse(&narrow, "Narrow");
}

Test(type, a_missing_field_table_is_refused) {
    static const weft_type type = {"Tableless", 4, 4, 1, NULL};
    char text[256];
    cr_assert_eq(weft__type_check(&type, text, sizeof(text)), WEFT_STATUS_BAD_TYPE);
}

// The bytes of `sample`, low byte first, field by field.
static const uint8_t sample_bytes[] = {
    0xF8, 0xF8, 0xF9, 0xFA, 0xFB, 0xFC, 0xFD, 0xFE, // i64
    0xF8, 0xF7, 0xF6, 0xF5, 0xF4, 0xF3, 0xF2, 0xF1, // u64
    0x04, 0x03, 0x02, 0x01, 0x08, 0x07, 0x06, 0x05, // link
    0x14, 0x13, 0x12, 0x11, 0xFE, 0xFF, 0xFF, 0xFF, // at
    0x00, 0x00, 0x00, 0x80,                         // i32
    0xA4, 0xA3, 0xA2, 0xA1,                         // u32
    0x00, 0x80, 0xFE, 0xFF,                         // fixed
    0xFE, 0xFF,                                     // i16
    0xB2, 0xB1,                                     // u16
    0x80, 0xFF,                                     // i8, u8
    0x02, 0x01,                                     // rest
    0x07, 0x00, 0x00, 0x00,                         // last
};

Test(type, values_are_encoded_in_little_endian_field_order) {
    cr_assert_eq(sizeof(sample_bytes), sizeof(Every));
    Every two[2] = {sample, sample};
    uint8_t out[2 * sizeof(Every)];
    memset(out, 0x55, sizeof(out));
    weft__type_encode(WEFT_TYPE(Every), two, 2, out);
    cr_assert_arr_eq(out, sample_bytes, sizeof(sample_bytes));
    cr_assert_arr_eq(out + sizeof(Every), sample_bytes, sizeof(sample_bytes));
    weft__type_encode(WEFT_TYPE(Every), NULL, 0, NULL);
}

Test(type, fields_print_in_full) {
    static const char* const texts[] = {"-72623859790382856",
                                        "17434265340928784376",
                                        "entity 16909060:84281096",
                                        NULL,
                                        "-2147483648",
                                        "2711790500",
                                        "-1.5 (raw -98304)",
                                        "-2",
                                        "45490",
                                        "-128",
                                        "255",
                                        "258",
                                        "7"};
    const weft_type* type = WEFT_TYPE(Every);
    for (uint32_t i = 0; i < type->field_count; i++) {
        char text[160];
        size_t length = weft_field_format(&type->fields[i], &sample, text, sizeof(text));
        cr_assert_eq(length, strlen(text));
        if (texts[i] != NULL)
            cr_assert_str_eq(text, texts[i], "field %s is \"%s\"", type->fields[i].name, text);
        else
            TEXT_HAS(text, "(raw -2)");
    }
}

Test(type, a_short_buffer_is_terminated_and_the_length_is_whole) {
    char text[8];
    memset(text, 'x', sizeof(text));
    size_t whole = weft_field_format(&WEFT_TYPE(Every)->fields[1], &sample, text, sizeof(text));
    cr_assert_eq(whole, 20);
    cr_assert_str_eq(text, "1743426");
    cr_assert_eq(weft_field_format(&WEFT_TYPE(Every)->fields[1], &sample, NULL, 0), 20);
}

Test(type, every_kind_has_a_size_and_a_name) {
    static const uint32_t sizes[] = {0, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 8, 1, 8, 12, 4, 8, 12, 0};
    static const char* const names[] = {
        "none", "i8",     "u8",   "i16",     "u16",  "i32",   "u32",    "i64",    "u64",   "fixed",
        "vec2", "entity", "bool", "fixed64", "vec3", "float", "float2", "float3", "nested"};
    for (uint32_t kind = 0; kind < 19; kind++) {
        cr_assert_eq(weft_kind_size((weft_kind)kind), sizes[kind]);
        cr_assert_str_eq(weft_kind_name((weft_kind)kind), names[kind]);
    }
}

Test(type, types_are_equal_by_name_and_layout) {
    hand a = make("Same", 8, 4, 2);
    a.fields[0] = (weft_field){.name = "x", .kind = WEFT_KIND_U32, .offset = 0};
    a.fields[1] = (weft_field){.name = "y", .kind = WEFT_KIND_I32, .offset = 4};
    hand b = a;
    a.type.fields = a.fields;
    b.type.fields = b.fields;
    cr_assert(weft__type_same(&a.type, &b.type));
    cr_assert_eq(weft__type_hash(&a.type), weft__type_hash(&b.type));
    b.fields[1].kind = WEFT_KIND_U32;
    cr_assert(!weft__type_same(&a.type, &b.type));
    cr_assert_neq(weft__type_hash(&a.type), weft__type_hash(&b.type));
    b.fields[1] = (weft_field){.name = "z", .kind = WEFT_KIND_I32, .offset = 4};
    cr_assert(!weft__type_same(&a.type, &b.type));
    cr_assert_neq(weft__type_hash(&a.type), weft__type_hash(&b.type));
    b = a;
    b.type.name = "Other";
    b.type.fields = b.fields;
    cr_assert(!weft__type_same(&a.type, &b.type));
    cr_assert_neq(weft__type_hash(&a.type), weft__type_hash(&b.type));
}

// The same declaration in two modules has two addresses.
Test(type, an_equal_description_at_another_address_names_the_same_type) {
    weft_world* world = world_make();
    weft_type copy = *WEFT_TYPE(Every);
    world_component(world, WEFT_TYPE(Every), WEFT_STORAGE_DENSE);
    cr_assert_eq(weft_world_register_component(world, &copy, WEFT_STORAGE_DENSE),
                 WEFT_STATUS_DUPLICATE);
    weft_entity entity = world_create_one(world);
    weft_commands_add(weft_world_commands(world), 0, entity, &copy, &sample);
    world_commit(world);
    const Every* found = weft_world_read(world, entity, WEFT_TYPE(Every));
    cr_assert_not_null(found);
    cr_assert_eq(memcmp(found, &sample, sizeof(sample)), 0);
    cr_assert_eq(weft_world_read(world, entity, &copy), (const void*)found);
    weft_world_destroy(world);
}

Test(type, a_kind_change_at_the_same_name_is_not_the_registered_type) {
    weft_world* world = world_make();
    hand other = make("Every", 4, 4, 1);
    other.fields[0] = (weft_field){.name = "i64", .kind = WEFT_KIND_U32, .offset = 0};
    other.type.fields = other.fields;
    world_component(world, WEFT_TYPE(Every), WEFT_STORAGE_DENSE);
    cr_assert_null(weft_world_read(world, world_create_one(world), &other.type));
    cr_assert_eq(weft_world_register_component(world, &other.type, WEFT_STORAGE_DENSE),
                 WEFT_STATUS_DUPLICATE);
    weft_world_destroy(world);
}
