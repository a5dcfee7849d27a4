/// Entities, field tables and the macros that declare components once.
///
/// A component, resource, message or partial of a reduction is a plain struct that one macro
/// declares together with its field table, so neither can lie about the other (C4, C7). Padding,
/// `double`, pointers and types of unstated width do not compile.
#pragma once

#include <weft/base.h>
#include <weft/fixed.h>
#include <weft/vec.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Names one entity for as long as it lives. Slot: 0 to the world's limit - 1. Generation: from 1,
/// advanced each time the slot is freed. All zero is the null handle (C2).
typedef struct weft_entity {
    uint32_t slot;
    uint32_t generation;
} weft_entity;

#define WEFT_ENTITY_NULL ((weft_entity){0, 0})

/// True when two handles name the same entity.
static inline bool weft_entity_equal(weft_entity a, weft_entity b) {
    return a.slot == b.slot && a.generation == b.generation;
}

/// True for the null handle.
static inline bool weft_entity_is_null(weft_entity entity) {
    return entity.slot == 0 && entity.generation == 0;
}

/// Kinds of field. Numbers enter the schema hash and files; none is reused.
typedef enum weft_kind {
    WEFT_KIND_NONE = 0, // Not a type that state may have.
    WEFT_KIND_I8 = 1,
    WEFT_KIND_U8 = 2,
    WEFT_KIND_I16 = 3,
    WEFT_KIND_U16 = 4,
    WEFT_KIND_I32 = 5,
    WEFT_KIND_U32 = 6,
    WEFT_KIND_I64 = 7,
    WEFT_KIND_U64 = 8,
    WEFT_KIND_FIXED = 9,   // weft_fixed, Q16.16
    WEFT_KIND_VEC2 = 10,   // weft_vec2, two Q16.16
    WEFT_KIND_ENTITY = 11, // weft_entity; provisional handles in it are made real at commit
} weft_kind;

/// One field of a type: name, kind and byte offset. Fields tile the struct without a gap.
typedef struct weft_field {
    const char* name;
    uint32_t kind;
    uint32_t offset;
} weft_field;

/// A struct's description. Static and immutable; named by address, equal by name and layout.
typedef struct weft_type {
    const char* name;
    uint32_t size;  // Bytes of one value; 0 for a tag.
    uint32_t align; // _Alignof: power of two, at most 8 (4 on 32-bit x86); 1 for a tag.
    uint32_t field_count;
    const weft_field* fields;
} weft_type;

/// Bytes that a field kind takes; 0 for WEFT_KIND_NONE and unknown numbers.
WEFT_API uint32_t weft_kind_size(weft_kind kind);

/// Lower-case name of a kind for messages ("fixed"), or "unknown".
WEFT_API const char* weft_kind_name(weft_kind kind);

/// Prints one field of a value as text: decimal and, for fixed, the raw integer too. Always
/// terminates; returns the length that was needed without the terminator.
WEFT_API size_t weft_field_format(const weft_field* field, const void* value, char* text,
                                  size_t capacity);

/// The type descriptor of a declared struct.
#define WEFT_TYPE(name) (&weft_type_##name)

/// Declares struct `name` and its field table: WEFT_COMPONENT(Position, (weft_vec2, at),
/// (int32_t, layer)). The name is one symbol in the whole program: two files that declare it must
/// declare the same. One to sixteen fields, at most 4096 bytes. Use at file scope; it may stand in
/// a header.
#define WEFT_COMPONENT(name, ...)                                                                  \
    typedef struct name {                                                                          \
        WEFT_EACH_(WEFT_FIELD_DECLARE_, name, __VA_ARGS__)                                         \
    } name;                                                                                        \
    WEFT_EACH_(WEFT_FIELD_CHECK_, name, __VA_ARGS__)                                               \
    _Static_assert(sizeof(name) == (WEFT_EACH_(WEFT_FIELD_SIZE_, name, __VA_ARGS__) 0),            \
                   "weft: struct " #name " has padding; order its fields from wide to narrow "     \
                   "and fill gaps with named fields");                                             \
    static const weft_field weft_fields_##name[] = {                                               \
        WEFT_EACH_(WEFT_FIELD_TABLE_, name, __VA_ARGS__)};                                         \
    extern const weft_type weft_type_##name;                                                       \
    __attribute__((weak)) const weft_type weft_type_##name = {                                     \
        #name, sizeof(name), _Alignof(name), sizeof(weft_fields_##name) / sizeof(weft_field),      \
        weft_fields_##name}

/// Resources, messages and partials are declared like components; the name tells the reader.
#define WEFT_RESOURCE WEFT_COMPONENT
#define WEFT_MESSAGE WEFT_COMPONENT
#define WEFT_PARTIAL WEFT_COMPONENT

/// Declares a tag: a component without fields.
#define WEFT_TAG(name)                                                                             \
    typedef struct name name;                                                                      \
    extern const weft_type weft_type_##name;                                                       \
    __attribute__((weak)) const weft_type weft_type_##name = {#name, 0, 1, 0, 0}

/// The kind of an expression's type, WEFT_KIND_NONE for all that state may not hold.
#define WEFT_KIND_OF(expression)                                                                   \
    _Generic((expression), int8_t                                                                  \
             : WEFT_KIND_I8, uint8_t                                                               \
             : WEFT_KIND_U8, int16_t                                                               \
             : WEFT_KIND_I16, uint16_t                                                             \
             : WEFT_KIND_U16, int32_t                                                              \
             : WEFT_KIND_I32, uint32_t                                                             \
             : WEFT_KIND_U32, int64_t                                                              \
             : WEFT_KIND_I64, uint64_t                                                             \
             : WEFT_KIND_U64, weft_fixed                                                           \
             : WEFT_KIND_FIXED, weft_vec2                                                          \
             : WEFT_KIND_VEC2, weft_entity                                                         \
             : WEFT_KIND_ENTITY, default                                                           \
             : WEFT_KIND_NONE)

#define WEFT_FIELD_DECLARE_(name, type, field) type field;
#define WEFT_FIELD_SIZE_(name, type, field) sizeof(type) +
#define WEFT_FIELD_TABLE_(name, type, field)                                                       \
    {#field, WEFT_KIND_OF(((name*)0)->field), offsetof(name, field)},
#define WEFT_FIELD_CHECK_(name, type, field)                                                       \
    _Static_assert(WEFT_KIND_OF(((name*)0)->field) != WEFT_KIND_NONE,                              \
                   "weft: field " #name "." #field " has type " #type                              \
                   ", which state may not hold; use int8_t to uint64_t, weft_fixed, weft_vec2 "    \
                   "or weft_entity");

// WEFT_EACH_(macro, name, (type, field), ...) expands macro(name, type, field) for each pair.
#define WEFT_EACH_(macro, name, ...)                                                               \
    WEFT_EACH_PICK_(__VA_ARGS__, WEFT_EACH_16_, WEFT_EACH_15_, WEFT_EACH_14_, WEFT_EACH_13_,       \
                    WEFT_EACH_12_, WEFT_EACH_11_, WEFT_EACH_10_, WEFT_EACH_9_, WEFT_EACH_8_,       \
                    WEFT_EACH_7_, WEFT_EACH_6_, WEFT_EACH_5_, WEFT_EACH_4_, WEFT_EACH_3_,          \
                    WEFT_EACH_2_, WEFT_EACH_1_, 0)                                                 \
    (macro, name, __VA_ARGS__)
#define WEFT_EACH_PICK_(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, pick, ...) pick
#define WEFT_UNPAIR_(...) __VA_ARGS__
#define WEFT_CALL_(macro, ...) macro(__VA_ARGS__)
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

#ifdef __cplusplus
}
#endif
