/// What WEFT_COMPONENT and WEFT_ENUM are made of. Included by type.h; not for direct use.
///
/// A field's first word is looked up by pasting: WEFT_FORM_array is ", ARRAY", so that the second
/// of (WEFT_FORM_array, PLAIN) is ARRAY, while an unknown WEFT_FORM_int32_t leaves PLAIN. Each
/// pass over the fields (BEFORE, DECLARE, AFTER, SIZE, TABLE) has one macro for each form. BEFORE
/// and AFTER stand around the struct and refuse what a field may not be; they come in an order in
/// which the first message is the telling one.
#pragma once

#include <weft/base.h>

#define WEFT_TYPE_SIZE_MAX 4096u
#define WEFT_TYPE_FIELDS_MAX 32u

// The scalar, by a name that macros can hold.
// weft-lint: allow(float): a kind of field
typedef float weft__float; // lint-ok(float): a kind of field

// Enums of each width. A plain enum is compatible with an integer type, but never with another
// enum: this is how it is told from int32_t and its like.
#define WEFT_PROBE_ __extension__ enum __attribute__((packed))
WEFT_PROBE_ weft__probe_i8{WEFT__PROBE_I8 = INT8_MIN};
WEFT_PROBE_ weft__probe_u8{WEFT__PROBE_U8 = UINT8_MAX};
WEFT_PROBE_ weft__probe_i16{WEFT__PROBE_I16 = INT16_MIN};
WEFT_PROBE_ weft__probe_u16{WEFT__PROBE_U16 = UINT16_MAX};
WEFT_PROBE_ weft__probe_i32{WEFT__PROBE_I32 = INT32_MIN};
WEFT_PROBE_ weft__probe_u32{WEFT__PROBE_U32 = UINT32_MAX};
WEFT_PROBE_ weft__probe_i64{WEFT__PROBE_I64 = INT64_MIN};
WEFT_PROBE_ weft__probe_u64{WEFT__PROBE_U64 = UINT64_MAX};

// True for int8_t to uint64_t and their other names, false for plain enums of the same width.
#define WEFT_IS_STATED_INT_(expression)                                                            \
    _Generic((expression), enum weft__probe_i8 : 1, enum weft__probe_u8 : 1,                       \
             enum weft__probe_i16 : 1, enum weft__probe_u16 : 1, enum weft__probe_i32 : 1,         \
             enum weft__probe_u32 : 1, enum weft__probe_i64 : 1, enum weft__probe_u64 : 1,         \
             default : 0)

#define WEFT_IS_INT_(expression)                                                                   \
    (WEFT_KIND_OF(expression) >= WEFT_KIND_I8 && WEFT_KIND_OF(expression) <= WEFT_KIND_U64)

// 5 is pointer_type_class, for arrays too.
#define WEFT_IS_POINTER_(expression) (__builtin_classify_type(expression) == 5)

// True where `mark` was declared as an array of one; a first mention declares it without a length,
// and that is compatible with a length of two.
#define WEFT_IS_MARKED_(mark) _Generic(&(mark), const char(*)[2] : 0, default : 1)

// Forms: a word, its form, and for banned ones what to write instead -----------------------------

#define WEFT_FORM_array , ARRAY,
#define WEFT_FORM_nested , NESTED,
#define WEFT_FORM_nested_array , NESTED_ARRAY,
#define WEFT_FORM_enumerated , ENUMERATED,
#define WEFT_ADVICE_WIDTH_ ", whose width differs between machines; use int8_t to uint64_t"
#define WEFT_ADVICE_PLAIN_ "; a field has a plain type without qualifiers"
#define WEFT_FORM_char , BANNED, WEFT_ADVICE_WIDTH_,
#define WEFT_FORM_signed , BANNED, WEFT_ADVICE_WIDTH_,
#define WEFT_FORM_unsigned , BANNED, WEFT_ADVICE_WIDTH_,
#define WEFT_FORM_short , BANNED, WEFT_ADVICE_WIDTH_,
#define WEFT_FORM_int , BANNED, WEFT_ADVICE_WIDTH_,
#define WEFT_FORM_long , BANNED, WEFT_ADVICE_WIDTH_ ", for long double weft_fixed64",
#define WEFT_FORM_double                                                                           \
    , BANNED,                                                                                      \
        ", which state never holds; use weft_fixed, weft_fixed64, or float in a world that "       \
        "allows it",
#define WEFT_FORM_size_t , BANNED, WEFT_ADVICE_WIDTH_,
#define WEFT_FORM_ssize_t , BANNED, WEFT_ADVICE_WIDTH_,
#define WEFT_FORM_ptrdiff_t , BANNED, WEFT_ADVICE_WIDTH_,
#define WEFT_FORM_intptr_t , BANNED, WEFT_ADVICE_WIDTH_,
#define WEFT_FORM_uintptr_t , BANNED, WEFT_ADVICE_WIDTH_,
#define WEFT_FORM_intmax_t , BANNED, WEFT_ADVICE_WIDTH_,
#define WEFT_FORM_uintmax_t , BANNED, WEFT_ADVICE_WIDTH_,
#define WEFT_FORM_wchar_t , BANNED, WEFT_ADVICE_WIDTH_,
#define WEFT_FORM_wint_t , BANNED, WEFT_ADVICE_WIDTH_,
#define WEFT_FORM_off_t , BANNED, WEFT_ADVICE_WIDTH_,
#define WEFT_FORM_time_t , BANNED, WEFT_ADVICE_WIDTH_,
#define WEFT_FORM_clock_t , BANNED, WEFT_ADVICE_WIDTH_,
#define WEFT_FORM_pid_t , BANNED, WEFT_ADVICE_WIDTH_,
#define WEFT_FORM_int_fast8_t , BANNED, WEFT_ADVICE_WIDTH_,
#define WEFT_FORM_int_fast16_t , BANNED, WEFT_ADVICE_WIDTH_,
#define WEFT_FORM_int_fast32_t , BANNED, WEFT_ADVICE_WIDTH_,
#define WEFT_FORM_int_fast64_t , BANNED, WEFT_ADVICE_WIDTH_,
#define WEFT_FORM_uint_fast8_t , BANNED, WEFT_ADVICE_WIDTH_,
#define WEFT_FORM_uint_fast16_t , BANNED, WEFT_ADVICE_WIDTH_,
#define WEFT_FORM_uint_fast32_t , BANNED, WEFT_ADVICE_WIDTH_,
#define WEFT_FORM_uint_fast64_t , BANNED, WEFT_ADVICE_WIDTH_,
#define WEFT_FORM_void                                                                             \
    , BANNED,                                                                                      \
        ", a pointer or nothing: addresses differ from run to run; use weft_entity or an index",
#define WEFT_FORM_struct , BANNED, "; declare it by WEFT_COMPONENT and write (nested, Type, field)",
#define WEFT_FORM_union                                                                            \
    , BANNED,                                                                                      \
        ", a union, which does not say what it holds; use a field for each alternative and an "    \
        "enumerated one that tells which is meant",
#define WEFT_FORM_enum                                                                             \
    , BANNED, ", whose width the compiler chooses; declare it by WEFT_ENUM(Name, uint8_t, ...)",
#define WEFT_FORM_const , BANNED, WEFT_ADVICE_PLAIN_,
#define WEFT_FORM_volatile , BANNED, WEFT_ADVICE_PLAIN_,
#define WEFT_FORM__Atomic , BANNED, WEFT_ADVICE_PLAIN_,
#define WEFT_FORM__Alignas , BANNED, WEFT_ADVICE_PLAIN_,

#define WEFT_CAT_(a, b) WEFT_CAT_RAW_(a, b)
#define WEFT_CAT_RAW_(a, b) a##b
#define WEFT_SECOND_(...) WEFT_SECOND_RAW_(__VA_ARGS__)
#define WEFT_SECOND_RAW_(a, b, ...) b
#define WEFT_THIRD_(...) WEFT_THIRD_RAW_(__VA_ARGS__)
#define WEFT_THIRD_RAW_(a, b, c, ...) c
#define WEFT_FORM_OF_(first) WEFT_SECOND_(WEFT_FORM_##first, PLAIN, )
#define WEFT_ADVICE_OF_(first) WEFT_THIRD_(WEFT_FORM_##first, , , )

// Before the struct: what can be told without it -------------------------------------------------

#define WEFT_BEFORE_PLAIN(name, type, field)                                                       \
    _Static_assert(sizeof(struct {                                                                 \
                       int8_t weft_first;                                                          \
                       uint64_t field;                                                             \
                   }) > sizeof(uint64_t),                                                          \
                   "weft: field " #name "." #field " is a bit-field, whose place the compiler "    \
                   "chooses; use bool, or one integer with masks");                                \
    _Static_assert(sizeof(struct {                                                                 \
                       int8_t weft_first;                                                          \
                       int8_t field;                                                               \
                   }) == 2,                                                                        \
                   "weft: field " #name "." #field " is more than a name; write an array as "      \
                   "(array, type, field, count)");
#define WEFT_BEFORE_BANNED(name, type, field)                                                      \
    _Static_assert(0, "weft: field " #name "." #field " has type " #type WEFT_ADVICE_OF_(type));
#define WEFT_BEFORE_COUNT_(name, field, count)                                                     \
    _Static_assert((count) > 0, "weft: array " #name "." #field " has " #count                     \
                                " elements; it needs at least one");
#define WEFT_BEFORE_ARRAY(name, word, type, field, count)                                          \
    WEFT_CAT_(WEFT_BEFORE_, WEFT_FORM_OF_(type))                                                   \
    (name, type, field) WEFT_BEFORE_COUNT_(name, field, count)
#define WEFT_BEFORE_NESTED(name, word, type, field)                                                \
    extern const char weft_declared_##type[];                                                      \
    extern const weft_type weft_type_##type;                                                       \
    _Static_assert(WEFT_IS_MARKED_(weft_declared_##type),                                          \
                   "weft: field " #name "." #field " nests " #type                                 \
                   ", which has no field table; declare it by WEFT_COMPONENT above " #name);
#define WEFT_BEFORE_NESTED_ARRAY(name, word, type, field, count)                                   \
    WEFT_BEFORE_NESTED(name, word, type, field) WEFT_BEFORE_COUNT_(name, field, count)
#define WEFT_BEFORE_ENUMERATED(name, word, type, field)                                            \
    extern const char weft_enumerated_##type[];                                                    \
    _Static_assert(WEFT_IS_MARKED_(weft_enumerated_##type),                                        \
                   "weft: field " #name "." #field " has type " #type                              \
                   ", which has no stated width; declare it by WEFT_ENUM(" #type                   \
                   ", uint8_t, ...) above " #name);
#define WEFT_BEFORE_TOO_MANY(name, type, field)                                                    \
    _Static_assert(0, "weft: struct " #name                                                        \
                      " has more than 32 fields; use several components, arrays, or nested "       \
                      "structs");

// The member -------------------------------------------------------------------------------------

#define WEFT_DECLARE_PLAIN(name, type, field) type field;
#define WEFT_DECLARE_BANNED(name, type, field) int8_t field;
#define WEFT_DECLARE_ARRAY(name, word, type, field, count) type field[count];
#define WEFT_DECLARE_NESTED(name, word, type, field) type field;
#define WEFT_DECLARE_NESTED_ARRAY(name, word, type, field, count) type field[count];
#define WEFT_DECLARE_ENUMERATED(name, word, type, field) type field;
#define WEFT_DECLARE_TOO_MANY(name, type, field) int8_t field;

// After the struct: what its members say ---------------------------------------------------------

#define WEFT_AFTER_KIND_(name, type, field, value)                                                 \
    _Static_assert(!WEFT_IS_POINTER_(value),                                                       \
                   "weft: field " #name "." #field " has type " #type                              \
                   ", a pointer or an array: addresses differ from run to run; use weft_entity, "  \
                   "an index, or (array, type, field, count)");                                    \
    _Static_assert(!WEFT_IS_INT_(value) || WEFT_IS_STATED_INT_(value),                             \
                   "weft: field " #name "." #field " has type " #type                              \
                   ", a plain enum, whose width the compiler chooses; declare it by "              \
                   "WEFT_ENUM(Name, uint8_t, ...)");                                               \
    _Static_assert(WEFT_KIND_OF(value) != WEFT_KIND_NONE || WEFT_IS_POINTER_(value),               \
                   "weft: field " #name "." #field " has type " #type                              \
                   ", which state may not hold; use bool, int8_t to uint64_t, weft_fixed, "        \
                   "weft_fixed64, weft_vec2, weft_vec3, float, weft_float2, weft_float3, "         \
                   "weft_entity, a type of WEFT_ENUM, or one of WEFT_COMPONENT as "                \
                   "(nested, Type, field) or (nested_array, Type, field, count)");
#define WEFT_AFTER_SIZE_(name, field)                                                              \
    _Static_assert(sizeof(((name*)0)->field) <= WEFT_TYPE_SIZE_MAX,                                \
                   "weft: array " #name "." #field " has more than 4096 bytes; use several "       \
                   "components, or a resource of many values");
#define WEFT_AFTER_PLAIN(name, type, field) WEFT_AFTER_KIND_(name, type, field, ((name*)0)->field)
#define WEFT_AFTER_BANNED(name, type, field)
#define WEFT_AFTER_ARRAY(name, word, type, field, count)                                           \
    WEFT_AFTER_KIND_(name, type, field, ((name*)0)->field[0]) WEFT_AFTER_SIZE_(name, field)
#define WEFT_AFTER_NESTED(name, word, type, field)
#define WEFT_AFTER_NESTED_ARRAY(name, word, type, field, count) WEFT_AFTER_SIZE_(name, field)
#define WEFT_AFTER_ENUMERATED(name, word, type, field)
#define WEFT_AFTER_TOO_MANY(name, type, field)

// Bytes without padding, as a sum ----------------------------------------------------------------

#define WEFT_SIZE_PLAIN(name, type, field) sizeof(type) +
#define WEFT_SIZE_BANNED(name, type, field) sizeof(int8_t) +
#define WEFT_SIZE_ARRAY(name, word, type, field, count) sizeof(type) * (count) +
#define WEFT_SIZE_NESTED(name, word, type, field) sizeof(type) +
#define WEFT_SIZE_NESTED_ARRAY(name, word, type, field, count) sizeof(type) * (count) +
#define WEFT_SIZE_ENUMERATED(name, word, type, field) sizeof(type) +
#define WEFT_SIZE_TOO_MANY(name, type, field) sizeof(int8_t) +

// The row of the field table ---------------------------------------------------------------------

#define WEFT_TABLE_PLAIN(name, type, field)                                                        \
    {#field, WEFT_KIND_OF(((name*)0)->field), offsetof(name, field), 0, 0, 0},
#define WEFT_TABLE_BANNED(name, type, field) {#field, WEFT_KIND_NONE, 0, 0, 0, 0},
#define WEFT_TABLE_ARRAY(name, word, type, field, count)                                           \
    {#field, WEFT_KIND_OF(((name*)0)->field[0]), offsetof(name, field), (count), 0, 0},
#define WEFT_TABLE_NESTED(name, word, type, field)                                                 \
    {#field, WEFT_KIND_NESTED, offsetof(name, field), 0, &weft_type_##type, 0},
#define WEFT_TABLE_NESTED_ARRAY(name, word, type, field, count)                                    \
    {#field, WEFT_KIND_NESTED, offsetof(name, field), (count), &weft_type_##type, 0},
#define WEFT_TABLE_ENUMERATED(name, word, type, field)                                             \
    {#field, WEFT_KIND_OF(((name*)0)->field), offsetof(name, field), 0, 0, weft_names_##type},
#define WEFT_TABLE_TOO_MANY(name, type, field) {#field, WEFT_KIND_NONE, 0, 0, 0, 0},

// The type of a WEFT_ENUM, by its first word -----------------------------------------------------

#define WEFT_ENUM_WIDTH_PLAIN(name, type)
#define WEFT_ENUM_WIDTH_BANNED(name, type)                                                         \
    _Static_assert(0, "weft: enum " #name " has type " #type WEFT_ADVICE_OF_(type));

// WEFT_EACH_(PASS, name, (...), ...) expands PASS followed by the form, once for each field.
#define WEFT_EACH_(pass, name, ...)                                                                \
    WEFT_EACH_PICK_(                                                                               \
        __VA_ARGS__, WEFT_EACH_MANY_, WEFT_EACH_MANY_, WEFT_EACH_MANY_, WEFT_EACH_MANY_,           \
        WEFT_EACH_MANY_, WEFT_EACH_MANY_, WEFT_EACH_MANY_, WEFT_EACH_MANY_, WEFT_EACH_MANY_,       \
        WEFT_EACH_MANY_, WEFT_EACH_MANY_, WEFT_EACH_MANY_, WEFT_EACH_MANY_, WEFT_EACH_MANY_,       \
        WEFT_EACH_MANY_, WEFT_EACH_MANY_, WEFT_EACH_MANY_, WEFT_EACH_MANY_, WEFT_EACH_MANY_,       \
        WEFT_EACH_MANY_, WEFT_EACH_MANY_, WEFT_EACH_MANY_, WEFT_EACH_MANY_, WEFT_EACH_MANY_,       \
        WEFT_EACH_MANY_, WEFT_EACH_MANY_, WEFT_EACH_MANY_, WEFT_EACH_MANY_, WEFT_EACH_MANY_,       \
        WEFT_EACH_MANY_, WEFT_EACH_MANY_, WEFT_EACH_MANY_, WEFT_EACH_32_, WEFT_EACH_31_,           \
        WEFT_EACH_30_, WEFT_EACH_29_, WEFT_EACH_28_, WEFT_EACH_27_, WEFT_EACH_26_, WEFT_EACH_25_,  \
        WEFT_EACH_24_, WEFT_EACH_23_, WEFT_EACH_22_, WEFT_EACH_21_, WEFT_EACH_20_, WEFT_EACH_19_,  \
        WEFT_EACH_18_, WEFT_EACH_17_, WEFT_EACH_16_, WEFT_EACH_15_, WEFT_EACH_14_, WEFT_EACH_13_,  \
        WEFT_EACH_12_, WEFT_EACH_11_, WEFT_EACH_10_, WEFT_EACH_9_, WEFT_EACH_8_, WEFT_EACH_7_,     \
        WEFT_EACH_6_, WEFT_EACH_5_, WEFT_EACH_4_, WEFT_EACH_3_, WEFT_EACH_2_, WEFT_EACH_1_, 0)     \
    (pass, name, __VA_ARGS__)
#define WEFT_EACH_PICK_(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, \
                        a17, a18, a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, \
                        a32, a33, a34, a35, a36, a37, a38, a39, a40, a41, a42, a43, a44, a45, a46, \
                        a47, a48, a49, a50, a51, a52, a53, a54, a55, a56, a57, a58, a59, a60, a61, \
                        a62, a63, pick, ...)                                                       \
    pick
#define WEFT_UNPAIR_(...) __VA_ARGS__
#define WEFT_CALL_(...) WEFT_FIELD_(__VA_ARGS__)
#define WEFT_FIELD_(pass, name, first, ...)                                                        \
    WEFT_CAT_(pass, WEFT_FORM_OF_(first))(name, first, __VA_ARGS__)
#define WEFT_EACH_MANY_(m, s, ...) WEFT_CAT_(m, TOO_MANY)(s, int8_t, weft_field)
#define WEFT_EACH_1_(m, s, x) WEFT_CALL_(m, s, WEFT_UNPAIR_ x)
#define WEFT_EACH_2_(m, s, x, ...) WEFT_EACH_1_(m, s, x) WEFT_EACH_1_(m, s, __VA_ARGS__)
#define WEFT_EACH_3_(m, s, x, ...) WEFT_EACH_1_(m, s, x) WEFT_EACH_2_(m, s, __VA_ARGS__)
#define WEFT_EACH_4_(m, s, x, ...) WEFT_EACH_1_(m, s, x) WEFT_EACH_3_(m, s, __VA_ARGS__)
#define WEFT_EACH_5_(m, s, x, ...) WEFT_EACH_1_(m, s, x) WEFT_EACH_4_(m, s, __VA_ARGS__)
#define WEFT_EACH_6_(m, s, x, ...) WEFT_EACH_1_(m, s, x) WEFT_EACH_5_(m, s, __VA_ARGS__)
#define WEFT_EACH_7_(m, s, x, ...) WEFT_EACH_1_(m, s, x) WEFT_EACH_6_(m, s, __VA_ARGS__)
#define WEFT_EACH_8_(m, s, x, ...) WEFT_EACH_1_(m, s, x) WEFT_EACH_7_(m, s, __VA_ARGS__)
#define WEFT_EACH_9_(m, s, x, ...) WEFT_EACH_1_(m, s, x) WEFT_EACH_8_(m, s, __VA_ARGS__)
#define WEFT_EACH_10_(m, s, x, ...) WEFT_EACH_1_(m, s, x) WEFT_EACH_9_(m, s, __VA_ARGS__)
#define WEFT_EACH_11_(m, s, x, ...) WEFT_EACH_1_(m, s, x) WEFT_EACH_10_(m, s, __VA_ARGS__)
#define WEFT_EACH_12_(m, s, x, ...) WEFT_EACH_1_(m, s, x) WEFT_EACH_11_(m, s, __VA_ARGS__)
#define WEFT_EACH_13_(m, s, x, ...) WEFT_EACH_1_(m, s, x) WEFT_EACH_12_(m, s, __VA_ARGS__)
#define WEFT_EACH_14_(m, s, x, ...) WEFT_EACH_1_(m, s, x) WEFT_EACH_13_(m, s, __VA_ARGS__)
#define WEFT_EACH_15_(m, s, x, ...) WEFT_EACH_1_(m, s, x) WEFT_EACH_14_(m, s, __VA_ARGS__)
#define WEFT_EACH_16_(m, s, x, ...) WEFT_EACH_1_(m, s, x) WEFT_EACH_15_(m, s, __VA_ARGS__)
#define WEFT_EACH_17_(m, s, x, ...) WEFT_EACH_1_(m, s, x) WEFT_EACH_16_(m, s, __VA_ARGS__)
#define WEFT_EACH_18_(m, s, x, ...) WEFT_EACH_1_(m, s, x) WEFT_EACH_17_(m, s, __VA_ARGS__)
#define WEFT_EACH_19_(m, s, x, ...) WEFT_EACH_1_(m, s, x) WEFT_EACH_18_(m, s, __VA_ARGS__)
#define WEFT_EACH_20_(m, s, x, ...) WEFT_EACH_1_(m, s, x) WEFT_EACH_19_(m, s, __VA_ARGS__)
#define WEFT_EACH_21_(m, s, x, ...) WEFT_EACH_1_(m, s, x) WEFT_EACH_20_(m, s, __VA_ARGS__)
#define WEFT_EACH_22_(m, s, x, ...) WEFT_EACH_1_(m, s, x) WEFT_EACH_21_(m, s, __VA_ARGS__)
#define WEFT_EACH_23_(m, s, x, ...) WEFT_EACH_1_(m, s, x) WEFT_EACH_22_(m, s, __VA_ARGS__)
#define WEFT_EACH_24_(m, s, x, ...) WEFT_EACH_1_(m, s, x) WEFT_EACH_23_(m, s, __VA_ARGS__)
#define WEFT_EACH_25_(m, s, x, ...) WEFT_EACH_1_(m, s, x) WEFT_EACH_24_(m, s, __VA_ARGS__)
#define WEFT_EACH_26_(m, s, x, ...) WEFT_EACH_1_(m, s, x) WEFT_EACH_25_(m, s, __VA_ARGS__)
#define WEFT_EACH_27_(m, s, x, ...) WEFT_EACH_1_(m, s, x) WEFT_EACH_26_(m, s, __VA_ARGS__)
#define WEFT_EACH_28_(m, s, x, ...) WEFT_EACH_1_(m, s, x) WEFT_EACH_27_(m, s, __VA_ARGS__)
#define WEFT_EACH_29_(m, s, x, ...) WEFT_EACH_1_(m, s, x) WEFT_EACH_28_(m, s, __VA_ARGS__)
#define WEFT_EACH_30_(m, s, x, ...) WEFT_EACH_1_(m, s, x) WEFT_EACH_29_(m, s, __VA_ARGS__)
#define WEFT_EACH_31_(m, s, x, ...) WEFT_EACH_1_(m, s, x) WEFT_EACH_30_(m, s, __VA_ARGS__)
#define WEFT_EACH_32_(m, s, x, ...) WEFT_EACH_1_(m, s, x) WEFT_EACH_31_(m, s, __VA_ARGS__)
