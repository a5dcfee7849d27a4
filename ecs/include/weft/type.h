/// Entities, field tables and the macros that declare components once.
///
/// A component, resource, message or partial of a reduction is a plain struct that one macro
/// declares together with its field table, so neither can lie about the other (C4, C7). Padding,
/// `double`, pointers, unions, bit-fields, plain enums and types of unstated width do not compile.
#pragma once

#include <weft/declare.h>
#include <weft/fixed64.h>
#include <weft/pinned.h>
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
    WEFT_KIND_FIXED = 9,    // weft_fixed, Q16.16
    WEFT_KIND_VEC2 = 10,    // weft_vec2, two Q16.16
    WEFT_KIND_ENTITY = 11,  // weft_entity; provisional handles in it are made real at commit
    WEFT_KIND_BOOL = 12,    // bool: one byte, 0 or 1; another value never reaches a digest
    WEFT_KIND_FIXED64 = 13, // weft_fixed64, Q32.32
    WEFT_KIND_VEC3 = 14,    // weft_vec3, three Q16.16
    WEFT_KIND_FLOAT = 15,   // float; this and the next two in worlds that allow it
    WEFT_KIND_FLOAT2 = 16,  // weft_float2
    WEFT_KIND_FLOAT3 = 17,  // weft_float3
    WEFT_KIND_NESTED = 18,  // A declared struct; weft_field.type describes it
} weft_kind;

struct weft_type;

/// One field of a type. Fields tile the struct without a gap. A description made by hand leaves
/// what it does not use zero.
typedef struct weft_field {
    const char* name;
    uint32_t kind;                // A weft_kind: of the element in an array.
    uint32_t offset;              // In bytes.
    uint32_t count;               // Elements of an array; 0: one value, no array.
    const struct weft_type* type; // Of WEFT_KIND_NESTED; else null.
    const char* names;            // Constants of an enumerated field, "CALM, ANGRY"; else null.
} weft_field;

/// A struct's description. Static and immutable; named by address, equal by name and layout.
typedef struct weft_type {
    const char* name;
    uint32_t size;  // Bytes of one value; 0 for a tag.
    uint32_t align; // _Alignof: power of two, at most 8 (4 on 32-bit x86); 1 for a tag.
    uint32_t field_count;
    const weft_field* fields;
} weft_type;

/// Bytes of one value of a kind; 0 for WEFT_KIND_NONE, WEFT_KIND_NESTED and unknown numbers.
WEFT_API uint32_t weft_kind_size(weft_kind kind);

/// Lower-case name of a kind for messages ("fixed"), or "unknown".
WEFT_API const char* weft_kind_name(weft_kind kind);

/// Prints one field of a value as text: decimal and, for fixed and float, the raw bits too; an
/// array as "[a, b]", a nested struct as "{name a, name b}". Always terminates; returns the length
/// that was needed without the terminator.
WEFT_API size_t weft_field_format(const weft_field* field, const void* value, char* text,
                                  size_t capacity);

/// The path of the scalar, vector or handle that holds byte `offset` of a value of `type`:
/// "speed", "parts[2].speed". Asserts that the offset lies in the value. Always terminates; returns
/// the length that was needed without the terminator.
WEFT_API size_t weft_type_path(const weft_type* type, uint32_t offset, char* text, size_t capacity);

/// Prints what weft_type_path() names, as weft_field_format() does. The same rules.
WEFT_API size_t weft_type_format(const weft_type* type, const void* value, uint32_t offset,
                                 char* text, size_t capacity);

/// The type descriptor of a declared struct.
#define WEFT_TYPE(name) (&weft_type_##name)

/// Declares struct `name` and its field table: WEFT_COMPONENT(Ship, (weft_vec2, at),
/// (int32_t, layer)). A field is one of
///
///   (type, field)                       bool, int8_t to uint64_t, weft_fixed, weft_fixed64,
///                                       weft_vec2, weft_vec3, float, weft_float2, weft_float3,
///                                       weft_entity, or a type of WEFT_ENUM, shown as a number
///   (array, type, field, count)         a fixed number of these
///   (enumerated, Mood, field)           a type of WEFT_ENUM, shown by its constants' names
///   (nested, Wing, field)               a struct that WEFT_COMPONENT has declared
///   (nested_array, Wing, field, count)  a fixed number of these
///
/// The name is one symbol in the whole program: two files that declare it must declare the same.
/// One to 32 fields, at most 4096 bytes, at most 8 levels of nesting. Use at file scope; it may
/// stand in a header. A typedef of one's own for a type of unstated width is not seen through.
#define WEFT_COMPONENT(name, ...)                                                                  \
    WEFT_EACH_(WEFT_BEFORE_, name, __VA_ARGS__)                                                    \
    typedef struct name {                                                                          \
        WEFT_EACH_(WEFT_DECLARE_, name, __VA_ARGS__)                                               \
    } name;                                                                                        \
    WEFT_EACH_(WEFT_AFTER_, name, __VA_ARGS__)                                                     \
    _Static_assert(sizeof(name) == (WEFT_EACH_(WEFT_SIZE_, name, __VA_ARGS__) 0),                  \
                   "weft: struct " #name " has padding; order its fields from wide to narrow "     \
                   "and fill gaps with named fields");                                             \
    _Static_assert(sizeof(name) <= WEFT_TYPE_SIZE_MAX,                                             \
                   "weft: struct " #name " has more than 4096 bytes; use several components, or "  \
                   "a resource of many values");                                                   \
    extern const char weft_declared_##name[1];                                                     \
    static const weft_field weft_fields_##name[] = {WEFT_EACH_(WEFT_TABLE_, name, __VA_ARGS__)};   \
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

/// Declares an enumeration of a stated width: WEFT_ENUM(Mood, uint8_t, CALM, ANGRY). `type` is
/// int8_t to uint64_t; the constants are ints from 0 in this order. A value that is none of them
/// is allowed and shown as a number. The constants' names do not enter the schema.
#define WEFT_ENUM(name, type, ...)                                                                 \
    WEFT_CAT_(WEFT_ENUM_WIDTH_, WEFT_FORM_OF_(type))(name, type) typedef type name;                \
    enum {                                                                                         \
        __VA_ARGS__,                                                                               \
        weft_end_##name                                                                            \
    };                                                                                             \
    _Static_assert(WEFT_IS_STATED_INT_((name)0),                                                   \
                   "weft: enum " #name " has type " #type "; use int8_t to uint64_t");             \
    _Static_assert((type)(weft_end_##name - 1) == weft_end_##name - 1,                             \
                   "weft: enum " #name " has more constants than " #type " can number");           \
    extern const char weft_enumerated_##name[1];                                                   \
    static const char weft_names_##name[] __attribute__((unused)) = #__VA_ARGS__

/// The kind of an expression's type, WEFT_KIND_NONE for all that is no kind of its own.
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
             : WEFT_KIND_ENTITY, bool                                                              \
             : WEFT_KIND_BOOL, weft_fixed64                                                        \
             : WEFT_KIND_FIXED64, weft_vec3                                                        \
             : WEFT_KIND_VEC3, weft__float                                                         \
             : WEFT_KIND_FLOAT, weft_float2                                                        \
             : WEFT_KIND_FLOAT2, weft_float3                                                       \
             : WEFT_KIND_FLOAT3, default                                                           \
             : WEFT_KIND_NONE)

#ifdef __cplusplus
}
#endif
