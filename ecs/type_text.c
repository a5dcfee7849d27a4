// Field tables: values and places in them as text.

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "weft_world.h"

/// Text under construction. `length` counts what would have been written.
typedef struct writer {
    char* text;
    size_t capacity;
    size_t length;
} writer;

static void put(writer* out, const char* format, ...) WEFT_PRINTF(2, 3);

static void put(writer* out, const char* format, ...) {
    bool room = out->length < out->capacity;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(room ? out->text + out->length : NULL,
                           room ? out->capacity - out->length : 0, format, arguments);
    va_end(arguments);
    out->length += length > 0 ? (size_t)length : 0;
}

// Scalars ----------------------------------------------------------------------------------------

static int64_t load_signed(const uint8_t* bytes, uint32_t size) {
    unsigned unused = 64 - 8 * size;
    // weft-lint: allow(shift): sizes are 1, 2, 4 and 8
    return (int64_t)(weft__load_unit(bytes, size) << unused) >> unused;
}

// Exact: a fraction of n bits has at most n decimal digits.
static void put_fixed(writer* out, int64_t raw, uint32_t fraction_bits) {
    uint64_t magnitude = raw < 0 ? (uint64_t)0 - (uint64_t)raw : (uint64_t)raw;
    // weft-lint: allow(shift): a fraction has 16 or 32 bits
    uint64_t mask = ((uint64_t)1 << fraction_bits) - 1;
    uint64_t fraction = magnitude & mask;
    char digits[40];
    size_t length = 0;
    do {
        fraction *= 10;
        // weft-lint: allow(shift): a fraction has 16 or 32 bits
        digits[length++] = (char)('0' + (fraction >> fraction_bits));
        fraction &= mask;
    } while (fraction != 0);
    put(out, "%s%llu.%.*s (raw %lld)", raw < 0 ? "-" : "",
        // weft-lint: allow(shift): a fraction has 16 or 32 bits
        (unsigned long long)(magnitude >> fraction_bits), (int)length, digits, (long long)raw);
}

static void put_float(writer* out, uint32_t bits) {
    // weft-lint: allow(float): to print it
    weft__float value;
    // weft-lint: allow(float): to print it
    memcpy(&value, &bits, sizeof(value));
    // 9 digits tell any two numbers apart; NaNs and zeros are told apart by their bits.
    // weft-lint: allow(vararg-float): it is printed and forgotten
    put(out, "%.9g (raw 0x%08lx)", value, (unsigned long)bits);
}

/// The name of constant number `number` in a list "CALM, ANGRY", or null. A list that gives numbers
/// of its own is not taken apart.
static const char* constant_name(const char* names, uint64_t number, int* length_out) {
    if (strchr(names, '=') != NULL)
        return NULL;
    for (; number > 0; number--) {
        names = strchr(names, ',');
        if (names == NULL)
            return NULL;
        names++;
    }
    names += strspn(names, " ");
    *length_out = (int)strcspn(names, " ,");
    return *length_out > 0 ? names : NULL;
}

static void put_integer(writer* out, const weft_field* field, const uint8_t* bytes) {
    uint32_t size = weft_kind_size((weft_kind)field->kind);
    uint64_t bits = weft__load_unit(bytes, size);
    int length = 0;
    const char* name = field->names != NULL ? constant_name(field->names, bits, &length) : NULL;
    if (name != NULL)
        put(out, "%.*s (%llu)", length, name, (unsigned long long)bits);
    else if (field->kind % 2 != 0) // Signed kinds are odd.
        put(out, "%lld", (long long)load_signed(bytes, size));
    else
        put(out, "%llu", (unsigned long long)bits);
}

static void put_vector(writer* out, const uint8_t* bytes, uint32_t count, bool floats) {
    for (uint32_t i = 0; i < count; i++) {
        put(out, i == 0 ? "(" : ", ");
        if (floats)
            put_float(out, (uint32_t)weft__load_unit(bytes + (size_t)4 * i, 4));
        else
            put_fixed(out, load_signed(bytes + (size_t)4 * i, 4), 16);
    }
    put(out, ")");
}

static void put_scalar(writer* out, const weft_field* field, const uint8_t* bytes) {
    switch ((weft_kind)field->kind) {
    case WEFT_KIND_I8:
    case WEFT_KIND_U8:
    case WEFT_KIND_I16:
    case WEFT_KIND_U16:
    case WEFT_KIND_I32:
    case WEFT_KIND_U32:
    case WEFT_KIND_I64:
    case WEFT_KIND_U64:
        put_integer(out, field, bytes);
        return;
    case WEFT_KIND_FIXED:
        put_fixed(out, load_signed(bytes, 4), 16);
        return;
    case WEFT_KIND_FIXED64:
        put_fixed(out, load_signed(bytes, 8), 32);
        return;
    case WEFT_KIND_VEC2:
    case WEFT_KIND_FLOAT2:
        put_vector(out, bytes, 2, field->kind == WEFT_KIND_FLOAT2);
        return;
    case WEFT_KIND_VEC3:
    case WEFT_KIND_FLOAT3:
        put_vector(out, bytes, 3, field->kind == WEFT_KIND_FLOAT3);
        return;
    case WEFT_KIND_FLOAT:
        put_float(out, (uint32_t)weft__load_unit(bytes, 4));
        return;
    case WEFT_KIND_BOOL:
        if (bytes[0] <= 1)
            put(out, "%s", bytes[0] == 1 ? "true" : "false");
        else
            put(out, "neither true nor false (byte %u)", bytes[0]);
        return;
    case WEFT_KIND_ENTITY:
        put(out, "entity %llu:%llu", (unsigned long long)weft__load_unit(bytes, 4),
            (unsigned long long)weft__load_unit(bytes + 4, 4));
        return;
    case WEFT_KIND_NONE:
    case WEFT_KIND_NESTED:
        break;
    }
    put(out, "?");
}

// Whole fields -----------------------------------------------------------------------------------

static void put_field(writer* out, const weft_field* field, const uint8_t* bytes);

static void put_element(writer* out, const weft_field* field, const uint8_t* bytes) {
    if (field->kind != WEFT_KIND_NESTED) {
        put_scalar(out, field, bytes);
        return;
    }
    for (uint32_t i = 0; i < field->type->field_count; i++) {
        const weft_field* inner = &field->type->fields[i];
        put(out, "%s%s ", i == 0 ? "{" : ", ", inner->name);
        put_field(out, inner, bytes + inner->offset);
    }
    put(out, "}");
}

static void put_field(writer* out, const weft_field* field, const uint8_t* bytes) {
    if (field->count == 0) {
        put_element(out, field, bytes);
        return;
    }
    for (uint32_t i = 0; i < field->count; i++) {
        put(out, i == 0 ? "[" : ", ");
        put_element(out, field, bytes + (size_t)i * weft__field_stride(field));
    }
    put(out, "]");
}

size_t weft_field_format(const weft_field* field, const void* value, char* text, size_t capacity) {
    WEFT_ASSERT(field != NULL && value != NULL);
    writer out = {text, capacity, 0};
    put_field(&out, field, (const uint8_t*)value + field->offset);
    return out.length;
}

// Places -----------------------------------------------------------------------------------------

/// The field of a scalar, and where in the outermost value the scalar begins.
typedef struct place {
    const weft_field* field;
    uint32_t offset;
} place;

/// Finds the scalar at a byte and writes its path.
static place place_find(const weft_type* type, uint32_t offset, writer* path) {
    WEFT_ASSERT(type != NULL && offset < type->size);
    uint32_t base = 0;
    for (;;) {
        uint32_t i = type->field_count - 1;
        while (type->fields[i].offset > offset - base)
            i--;
        const weft_field* field = &type->fields[i];
        uint32_t stride = weft__field_stride(field);
        // weft-lint: allow(division): an element has a byte or more
        uint32_t index = (offset - base - field->offset) / stride;
        put(path, "%s%s", path->length > 0 ? "." : "", field->name);
        if (field->count > 0)
            put(path, "[%lu]", (unsigned long)index);
        base += field->offset + index * stride;
        if (field->kind != WEFT_KIND_NESTED)
            return (place){field, base};
        type = field->type;
    }
}

size_t weft_type_path(const weft_type* type, uint32_t offset, char* text, size_t capacity) {
    writer path = {text, capacity, 0};
    (void)place_find(type, offset, &path);
    return path.length;
}

size_t weft_type_format(const weft_type* type, const void* value, uint32_t offset, char* text,
                        size_t capacity) {
    WEFT_ASSERT(value != NULL);
    writer path = {NULL, 0, 0};
    writer out = {text, capacity, 0};
    place found = place_find(type, offset, &path);
    put_scalar(&out, found.field, (const uint8_t*)value + found.offset);
    return out.length;
}
