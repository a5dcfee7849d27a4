// Field tables: checking, hashing, the canonical encoding, printing.

#include <stdio.h>
#include <string.h>

#include "weft_bytes.h"
#include "weft_world.h"

#define TYPE_FIELDS_MAX 16u
#define TYPE_SIZE_MAX 4096u

uint32_t weft_kind_size(weft_kind kind) {
    switch (kind) {
    case WEFT_KIND_I8:
    case WEFT_KIND_U8:
        return 1;
    case WEFT_KIND_I16:
    case WEFT_KIND_U16:
        return 2;
    case WEFT_KIND_I32:
    case WEFT_KIND_U32:
    case WEFT_KIND_FIXED:
        return 4;
    case WEFT_KIND_I64:
    case WEFT_KIND_U64:
    case WEFT_KIND_VEC2:
    case WEFT_KIND_ENTITY:
        return 8;
    case WEFT_KIND_NONE:
        break;
    }
    return 0;
}

const char* weft_kind_name(weft_kind kind) {
    static const char* const names[] = {"none", "i8",  "u8",  "i16",   "u16",  "i32",
                                        "u32",  "i64", "u64", "fixed", "vec2", "entity"};
    return (size_t)kind < sizeof(names) / sizeof(names[0]) ? names[kind] : "unknown";
}

// Bytes of the units that a kind is stored in: what a foreign byte order would swap.
static uint32_t kind_unit(uint32_t kind) {
    uint32_t size = weft_kind_size((weft_kind)kind);
    return kind == WEFT_KIND_VEC2 || kind == WEFT_KIND_ENTITY ? 4 : size;
}

static int format_fixed(char* text, size_t capacity, int32_t raw) {
    // Exact: 65,536 divides 10^16, and 16 digits of the fraction are all there are.
    uint64_t magnitude = raw < 0 ? (uint64_t) - (int64_t)raw : (uint64_t)raw;
    uint64_t fraction = (magnitude & 0xFFFFu) * 152587890625u; // 10^16 / 2^16
    char digits[24];
    (void)snprintf(digits, sizeof(digits), "%016llu", (unsigned long long)fraction);
    size_t length = 16;
    while (length > 1 && digits[length - 1] == '0')
        digits[--length] = '\0';
    return snprintf(text, capacity, "%s%llu.%s (raw %ld)", raw < 0 ? "-" : "",
                    (unsigned long long)(magnitude >> 16), digits, (long)raw);
}

static int64_t load_signed(const void* bytes, uint32_t size) {
    int8_t i8;
    int16_t i16;
    int32_t i32;
    int64_t i64;
    switch (size) {
    case 1:
        memcpy(&i8, bytes, 1);
        return i8;
    case 2:
        memcpy(&i16, bytes, 2);
        return i16;
    case 4:
        memcpy(&i32, bytes, 4);
        return i32;
    default:
        memcpy(&i64, bytes, 8);
        return i64;
    }
}

size_t weft_field_format(const weft_field* field, const void* value, char* text, size_t capacity) {
    WEFT_ASSERT(field != NULL && value != NULL);
    const uint8_t* bytes = (const uint8_t*)value + field->offset;
    uint32_t size = weft_kind_size((weft_kind)field->kind);
    int length = 0;
    switch ((weft_kind)field->kind) {
    case WEFT_KIND_I8:
    case WEFT_KIND_I16:
    case WEFT_KIND_I32:
    case WEFT_KIND_I64:
        length = snprintf(text, capacity, "%lld", (long long)load_signed(bytes, size));
        break;
    case WEFT_KIND_U8:
    case WEFT_KIND_U16:
    case WEFT_KIND_U32:
    case WEFT_KIND_U64: {
        // weft-lint: allow(shift): sizes are 1, 2, 4 and 8
        uint64_t mask = size == 8 ? UINT64_MAX : ((uint64_t)1 << (8 * size)) - 1;
        uint64_t bits = (uint64_t)load_signed(bytes, size) & mask;
        length = snprintf(text, capacity, "%llu", (unsigned long long)bits);
        break;
    }
    case WEFT_KIND_FIXED:
        length = format_fixed(text, capacity, (int32_t)load_signed(bytes, 4));
        break;
    case WEFT_KIND_VEC2: {
        char x[64];
        char y[64];
        (void)format_fixed(x, sizeof(x), (int32_t)load_signed(bytes, 4));
        (void)format_fixed(y, sizeof(y), (int32_t)load_signed(bytes + 4, 4));
        length = snprintf(text, capacity, "(%s, %s)", x, y);
        break;
    }
    case WEFT_KIND_ENTITY:
        length = snprintf(text, capacity, "entity %u:%u", (unsigned)load_signed(bytes, 4),
                          (unsigned)load_signed(bytes + 4, 4));
        break;
    case WEFT_KIND_NONE:
        length = snprintf(text, capacity, "?");
        break;
    }
    return length < 0 ? 0 : (size_t)length;
}

weft_status weft__type_check(const weft_type* type, char* text, size_t capacity) {
    WEFT_ASSERT(text != NULL && capacity > 0);
    if (type == NULL || type->name == NULL || type->name[0] == '\0') {
        (void)snprintf(text, capacity, "the type has no name");
        return WEFT_STATUS_BAD_TYPE;
    }
    if (type->size > TYPE_SIZE_MAX || type->field_count > TYPE_FIELDS_MAX) {
        (void)snprintf(text, capacity, "type %s has %u bytes and %u fields; at most %u and %u",
                       type->name, type->size, type->field_count, TYPE_SIZE_MAX, TYPE_FIELDS_MAX);
        return WEFT_STATUS_BAD_TYPE;
    }
    if (type->field_count > 0 && type->fields == NULL) {
        (void)snprintf(text, capacity, "type %s has %u fields but no field table", type->name,
                       type->field_count);
        return WEFT_STATUS_BAD_TYPE;
    }
    uint32_t end = 0;
    uint32_t align = 1; // What the fields need.
    for (uint32_t i = 0; i < type->field_count; i++) {
        const weft_field* field = &type->fields[i];
        uint32_t size = weft_kind_size((weft_kind)field->kind);
        if (size == 0 || field->offset != end || field->name == NULL) {
            (void)snprintf(
                text, capacity,
                "type %s, field %s: kind %u at byte %u, where byte %u comes next; fields "
                "must tile the struct without padding",
                type->name, field->name != NULL ? field->name : "?", field->kind, field->offset,
                end);
            return WEFT_STATUS_BAD_TYPE;
        }
        uint32_t unit = kind_unit(field->kind);
        align = unit > align ? unit : align;
        // weft-lint: allow(division): a kind that is known has a size
        if (field->offset % unit != 0) {
            (void)snprintf(text, capacity,
                           "type %s, field %s: byte %u is no multiple of %u; order the fields from "
                           "wide to narrow",
                           type->name, field->name, field->offset, unit);
            return WEFT_STATUS_BAD_TYPE;
        }
        end += size;
    }
    if (end != type->size) {
        (void)snprintf(text, capacity, "type %s has %u bytes, its fields tile %u: %u are padding",
                       type->name, type->size, end, type->size - end);
        return WEFT_STATUS_BAD_TYPE;
    }
    bool known = type->align == 1 || type->align == 2 || type->align == 4 || type->align == 8;
    // weft-lint: allow(division): a power of two if it is known
    if (!known || type->align < align || type->size % type->align != 0) {
        (void)snprintf(
            text, capacity,
            "type %s has an alignment of %u; its fields need %u, and its %u bytes must be "
            "a multiple of it",
            type->name, type->align, align, type->size);
        return WEFT_STATUS_BAD_TYPE;
    }
    return WEFT_STATUS_OK;
}

uint64_t weft__type_hash(const weft_type* type) {
    WEFT_ASSERT(type != NULL && type->name != NULL);
    uint64_t hash = weft_hash64_of_name(type->name);
    for (uint32_t i = 0; i < type->field_count; i++) {
        const weft_field* field = &type->fields[i];
        hash = weft_hash64_of(field->name, strlen(field->name), hash + field->kind);
    }
    return hash;
}

bool weft__type_same(const weft_type* a, const weft_type* b) {
    if (a == b)
        return true;
    if (a->size != b->size || a->field_count != b->field_count || strcmp(a->name, b->name) != 0)
        return false;
    for (uint32_t i = 0; i < a->field_count; i++)
        if (a->fields[i].kind != b->fields[i].kind ||
            strcmp(a->fields[i].name, b->fields[i].name) != 0)
            return false;
    return true;
}

void weft__type_encode(const weft_type* type, const void* values, size_t count, uint8_t* out) {
    WEFT_ASSERT(type != NULL && (count == 0 || (values != NULL && out != NULL)));
    const uint8_t* in = values;
    for (size_t row = 0; row < count; row++) {
        for (uint32_t i = 0; i < type->field_count; i++) {
            const weft_field* field = &type->fields[i];
            uint32_t size = weft_kind_size((weft_kind)field->kind);
            uint32_t unit = kind_unit(field->kind);
            for (uint32_t at = 0; at < size; at += unit) {
                uint64_t bits = (uint64_t)load_signed(in + field->offset + at, unit);
                for (uint32_t byte = 0; byte < unit; byte++)
                    // weft-lint: allow(shift): units are at most 8 bytes
                    out[field->offset + at + byte] = (uint8_t)(bits >> (8 * byte));
            }
        }
        in += type->size;
        out += type->size;
    }
}

void weft__type_resolve(const weft_world* world, const weft_type* type, void* values,
                        uint32_t count) {
    for (uint32_t i = 0; i < type->field_count; i++) {
        if (type->fields[i].kind != WEFT_KIND_ENTITY)
            continue;
        uint8_t* at = (uint8_t*)values + type->fields[i].offset;
        for (uint32_t row = 0; row < count; row++, at += type->size) {
            weft_entity entity;
            memcpy(&entity, at, sizeof(entity));
            if (!weft__entity_is_provisional(entity))
                continue;
            entity = weft__commit_resolve(world, entity);
            memcpy(at, &entity, sizeof(entity));
        }
    }
}

uint64_t weft__hash_words(const uint64_t* words, uint32_t count, uint64_t seed) {
    uint8_t buffer[16 * sizeof(uint64_t)];
    weft__bytes bytes;
    weft__bytes_init(&bytes, buffer, sizeof(buffer));
    for (uint32_t i = 0; i < count; i++)
        weft__bytes_put_u64(&bytes, words[i]);
    WEFT_ASSERT(!bytes.overflow);
    return weft_hash64_of(buffer, bytes.size, seed);
}
