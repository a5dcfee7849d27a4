// Columns of a type: its scalars, in the order in which they lie.

#include "simlog_format.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "weft_bytes.h"

const weft__frame_format weft__simlog_format = {
    .what = "log", .magic = "WEFT-LOG", .version = 1, .length_max = UINT64_C(1) << 40};

/// The path to what is visited, and who wants to know.
typedef struct column_walk {
    weft__column_fn* fn;
    void* context;
    char name[WEFT__SIMLOG_NAME];
    size_t length;
    bool cut;
} column_walk;

// Appends to the path; returns the length to go back to.
WEFT_PRINTF(2, 3)
static size_t walk_into(column_walk* walk, const char* format, ...) {
    size_t before = walk->length;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(walk->name + before, sizeof(walk->name) - before, format, arguments);
    va_end(arguments);
    WEFT_ASSERT(length >= 0);
    walk->length += (size_t)length;
    if (walk->length >= sizeof(walk->name)) {
        walk->cut = true;
        walk->length = sizeof(walk->name) - 1;
    }
    return before;
}

static void walk_back(column_walk* walk, size_t length) {
    WEFT_ASSERT(length <= walk->length && length < sizeof(walk->name));
    walk->length = length;
    walk->name[length] = '\0';
}

static void walk_parts(column_walk* walk, const char* const* names, uint32_t count, weft_kind kind,
                       uint32_t offset) {
    for (uint32_t i = 0; i < count; i++) {
        size_t before = walk_into(walk, ".%s", names[i]);
        walk->fn(walk->context, walk->name, kind, offset + i * weft_kind_size(kind));
        walk_back(walk, before);
    }
}

static void walk_value(column_walk* walk, weft_kind kind, uint32_t offset) {
    static const char* const axes[] = {"x", "y", "z"};
    static const char* const handle[] = {"slot", "generation"};
    switch (kind) {
    case WEFT_KIND_VEC2:
    case WEFT_KIND_VEC3:
        walk_parts(walk, axes, kind == WEFT_KIND_VEC2 ? 2 : 3, WEFT_KIND_FIXED, offset);
        return;
    case WEFT_KIND_FLOAT2:
    case WEFT_KIND_FLOAT3:
        walk_parts(walk, axes, kind == WEFT_KIND_FLOAT2 ? 2 : 3, WEFT_KIND_FLOAT, offset);
        return;
    case WEFT_KIND_ENTITY:
        walk_parts(walk, handle, 2, WEFT_KIND_U32, offset);
        return;
    default:
        walk->fn(walk->context, walk->name, kind, offset);
    }
}

// Types nest 8 levels at most, which their registration has checked.
static void walk_type(column_walk* walk, const weft_type* type, uint32_t base) {
    for (uint32_t i = 0; i < type->field_count; i++) {
        const weft_field* field = &type->fields[i];
        bool nested = field->kind == WEFT_KIND_NESTED;
        uint32_t stride = nested ? field->type->size : weft_kind_size((weft_kind)field->kind);
        uint32_t count = field->count == 0 ? 1 : field->count;
        for (uint32_t j = 0; j < count; j++) {
            size_t before = walk_into(walk, "%s%s", walk->length > 0 ? "." : "", field->name);
            if (field->count != 0)
                (void)walk_into(walk, "[%u]", j);
            uint32_t offset = base + field->offset + j * stride;
            if (nested)
                walk_type(walk, field->type, offset);
            else
                walk_value(walk, (weft_kind)field->kind, offset);
            walk_back(walk, before);
        }
    }
}

weft_status weft__columns_visit(const weft_type* type, weft__column_fn* fn, void* context) {
    WEFT_ASSERT(type != NULL && fn != NULL);
    column_walk walk = {.fn = fn, .context = context};
    walk_type(&walk, type, 0);
    return walk.cut ? WEFT_STATUS_BAD_TYPE : WEFT_STATUS_OK;
}

uint32_t weft__column_size(uint32_t kind) {
    bool scalar = (kind >= WEFT_KIND_I8 && kind <= WEFT_KIND_FIXED) || kind == WEFT_KIND_BOOL ||
                  kind == WEFT_KIND_FIXED64 || kind == WEFT_KIND_FLOAT;
    return scalar ? weft_kind_size((weft_kind)kind) : 0;
}

// A loop for each size, so that the copies are loads and stores.
#define GATHER(bits)                                                                               \
    for (size_t i = 0; i < count; i++)                                                             \
    memcpy(out + i * ((bits) / 8), rows + i * row_size + offset, (bits) / 8)

void weft__column_gather(const uint8_t* rows, uint32_t row_size, uint32_t offset, uint32_t size,
                         size_t count, uint8_t* out) {
    WEFT_ASSERT(offset + size <= row_size);
    if (!WEFT__LITTLE_ENDIAN) {
        for (size_t i = 0; i < count; i++) {
            uint64_t value = weft__load_unit(rows + i * row_size + offset, size);
            for (uint32_t byte = 0; byte < size; byte++)
                out[i * size + byte] = (uint8_t)(value >> (8 * byte));
        }
        return;
    }
    if (size == 1) {
        GATHER(8);
    } else if (size == 2) {
        GATHER(16);
    } else if (size == 4) {
        GATHER(32);
    } else {
        WEFT_ASSERT(size == 8);
        GATHER(64);
    }
}

// The schema -------------------------------------------------------------------------------------

static void schema_put(weft__schema* schema, uint64_t value, uint32_t size) {
    WEFT_ASSERT(size <= sizeof(value));
    if (schema->status != WEFT_STATUS_OK)
        return;
    schema->status = WEFT__VEC_RESERVE(schema->arena, schema->bytes, size);
    for (uint32_t i = 0; schema->status == WEFT_STATUS_OK && i < size; i++)
        schema->bytes.items[schema->bytes.count++] = (uint8_t)(value >> (8 * i));
}

static void schema_put_name(weft__schema* schema, const char* name) {
    size_t length = strlen(name);
    schema_put(schema, length, 4);
    for (size_t i = 0; i < length; i++)
        schema_put(schema, (uint8_t)name[i], 1);
}

void weft__schema_begin(weft__schema* schema, const weft_world* world, uint32_t table_count) {
    WEFT_ASSERT(schema->bytes.count == 0 && table_count > 0);
    schema_put(schema, weft_world_schema_hash(world), 8);
    schema_put(schema, world->desc.seed, 8);
    schema_put(schema, table_count, 4);
}

static void count_column(void* context, const char* name, weft_kind kind, uint32_t offset) {
    (void)name, (void)kind, (void)offset;
    ++*(uint32_t*)context;
}

static void put_column(void* context, const char* name, weft_kind kind, uint32_t offset) {
    (void)offset;
    schema_put(context, (uint64_t)kind, 4);
    schema_put_name(context, name);
}

void weft__schema_table(weft__schema* schema, const weft__type* type, bool entities) {
    uint32_t columns = entities ? 2 : 0;
    weft_status visited = weft__columns_visit(type->type, count_column, &columns);
    schema_put(schema, type->type->size + (entities ? sizeof(weft_entity) : 0), 4);
    schema_put(schema, type->hash, 8);
    schema_put(schema, columns, 4);
    schema_put_name(schema, type->type->name);
    if (entities) {
        put_column(schema, "entity.slot", WEFT_KIND_U32, 0);
        put_column(schema, "entity.generation", WEFT_KIND_U32, 4);
    }
    if (visited == WEFT_STATUS_OK)
        visited = weft__columns_visit(type->type, put_column, schema);
    if (schema->status == WEFT_STATUS_OK)
        schema->status = visited;
}
