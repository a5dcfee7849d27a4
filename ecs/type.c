// Field tables: checking, hashing, the canonical encoding, and what may not be in a value.

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "weft_bytes.h"
#include "weft_world.h"

#define TYPE_DEPTH_MAX 8u
#define HASH_NESTED 0x4E455354u
#define HASH_ARRAY 0x41525259u

uint32_t weft_kind_size(weft_kind kind) {
    switch (kind) {
    case WEFT_KIND_I8:
    case WEFT_KIND_U8:
    case WEFT_KIND_BOOL:
        return 1;
    case WEFT_KIND_I16:
    case WEFT_KIND_U16:
        return 2;
    case WEFT_KIND_I32:
    case WEFT_KIND_U32:
    case WEFT_KIND_FIXED:
    case WEFT_KIND_FLOAT:
        return 4;
    case WEFT_KIND_I64:
    case WEFT_KIND_U64:
    case WEFT_KIND_VEC2:
    case WEFT_KIND_ENTITY:
    case WEFT_KIND_FIXED64:
    case WEFT_KIND_FLOAT2:
        return 8;
    case WEFT_KIND_VEC3:
    case WEFT_KIND_FLOAT3:
        return 12;
    case WEFT_KIND_NONE:
    case WEFT_KIND_NESTED:
        break;
    }
    return 0;
}

const char* weft_kind_name(weft_kind kind) {
    static const char* const names[] = {
        "none", "i8",     "u8",   "i16",     "u16",  "i32",   "u32",    "i64",    "u64",   "fixed",
        "vec2", "entity", "bool", "fixed64", "vec3", "float", "float2", "float3", "nested"};
    return (size_t)kind < sizeof(names) / sizeof(names[0]) ? names[kind] : "unknown";
}

// Bytes of the units that a kind is stored in: what a foreign byte order would swap, and what the
// kind is aligned to.
static uint32_t kind_unit(uint32_t kind) {
    switch ((weft_kind)kind) {
    case WEFT_KIND_VEC2:
    case WEFT_KIND_VEC3:
    case WEFT_KIND_ENTITY:
    case WEFT_KIND_FLOAT2:
    case WEFT_KIND_FLOAT3:
        return 4;
    default:
        return weft_kind_size((weft_kind)kind);
    }
}

static bool kind_is_float(uint32_t kind) {
    return kind == WEFT_KIND_FLOAT || kind == WEFT_KIND_FLOAT2 || kind == WEFT_KIND_FLOAT3;
}

uint32_t weft__field_stride(const weft_field* field) {
    return field->kind == WEFT_KIND_NESTED ? field->type->size
                                           : weft_kind_size((weft_kind)field->kind);
}

// Runs -------------------------------------------------------------------------------------------
// A value is a sequence of runs: a run is one scalar, vector or handle, or an array of them. Nested
// structs are gone through, so that whoever walks runs need not know of them.

/// Gets one run: `count` values of `kind` from byte `offset` on. False ends the walk.
typedef bool run_fn(void* context, uint32_t kind, uint32_t offset, uint32_t count);

static bool visit_runs(const weft_type* type, uint32_t base, run_fn* fn, void* context) {
    for (uint32_t i = 0; i < type->field_count; i++) {
        const weft_field* field = &type->fields[i];
        uint32_t count = field->count > 0 ? field->count : 1;
        uint32_t offset = base + field->offset;
        if (field->kind != WEFT_KIND_NESTED) {
            if (!fn(context, field->kind, offset, count))
                return false;
            continue;
        }
        for (uint32_t j = 0; j < count; j++)
            if (!visit_runs(field->type, offset + j * field->type->size, fn, context))
                return false;
    }
    return true;
}

static bool note_trait(void* context, uint32_t kind, uint32_t offset, uint32_t count) {
    weft__traits* traits = context;
    (void)offset;
    (void)count;
    traits->has_entities |= kind == WEFT_KIND_ENTITY;
    traits->has_bool |= kind == WEFT_KIND_BOOL;
    traits->has_float |= kind_is_float(kind);
    traits->has_other |= kind != WEFT_KIND_BOOL && !kind_is_float(kind);
    return true;
}

weft__traits weft__type_traits(const weft_type* type) {
    weft__traits traits = {false, false, false, false};
    (void)visit_runs(type, 0, note_trait, &traits);
    return traits;
}

static bool find_float(void* context, uint32_t kind, uint32_t offset, uint32_t count) {
    (void)count;
    *(uint32_t*)context = offset;
    return !kind_is_float(kind);
}

uint32_t weft__type_float_offset(const weft_type* type) {
    uint32_t offset = 0;
    bool none = visit_runs(type, 0, find_float, &offset);
    WEFT_ASSERT(!none);
    return offset;
}

// Checking ---------------------------------------------------------------------------------------

// What the machine's structs give to 64-bit members: 4 on 32-bit x86, 8 elsewhere.
typedef struct wide_member {
    uint8_t before;
    uint64_t wide;
} wide_member;
#define MEMBER_ALIGN_MAX ((uint32_t)offsetof(wide_member, wide))

/// Where a check writes its reason.
typedef struct check_text {
    char* text;
    size_t capacity;
} check_text;

static weft_status refuse(const check_text* out, const char* format, ...) WEFT_PRINTF(2, 3);

static weft_status refuse(const check_text* out, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(out->text, out->capacity, format, arguments);
    va_end(arguments);
    return WEFT_STATUS_BAD_TYPE;
}

static weft_status check_head(const weft_type* type, const check_text* out) {
    if (type == NULL || type->name == NULL || type->name[0] == '\0')
        return refuse(out, "the type has no name");
    if (type->size > WEFT_TYPE_SIZE_MAX || type->field_count > WEFT_TYPE_FIELDS_MAX)
        return refuse(out, "type %s has %u bytes and %u fields; at most %u and %u", type->name,
                      type->size, type->field_count, WEFT_TYPE_SIZE_MAX, WEFT_TYPE_FIELDS_MAX);
    if (type->field_count > 0 && type->fields == NULL)
        return refuse(out, "type %s has %u fields but no field table", type->name,
                      type->field_count);
    return WEFT_STATUS_OK;
}

/// *align_out: what the widest field is aligned to where nothing is packed tighter.
static weft_status check_type(const weft_type* type, uint32_t depth, uint32_t* align_out,
                              const check_text* out);

static weft_status check_nested(const weft_type* type, const weft_field* field, uint32_t depth,
                                uint32_t* align_out, const check_text* out) {
    if (field->type == NULL || depth + 1 == TYPE_DEPTH_MAX)
        return refuse(out, "type %s, field %s: %s", type->name, field->name,
                      field->type == NULL ? "nested, but of no type"
                                          : "nested deeper than 8 levels; flatten the inner ones");
    weft_status status = check_type(field->type, depth + 1, align_out, out);
    if (status == WEFT_STATUS_OK && field->type->size == 0)
        return refuse(out, "type %s, field %s: %s has no fields; only components can be tags",
                      type->name, field->name, field->type->name);
    return status;
}

/// Checks one field, which must begin at *end, and moves *end behind it.
static weft_status check_field(const weft_type* type, const weft_field* field, uint32_t depth,
                               uint32_t* end, uint32_t* align, const check_text* out) {
    const char* name = field->name != NULL ? field->name : "?";
    bool nested = field->kind == WEFT_KIND_NESTED;
    uint32_t unit = nested ? 1 : kind_unit(field->kind);
    if (nested && field->name != NULL)
        WEFT_TRY(check_nested(type, field, depth, &unit, out));
    uint32_t stride = nested && field->name == NULL ? 0 : weft__field_stride(field);
    if (stride == 0 || field->offset != *end || field->name == NULL)
        return refuse(out,
                      "type %s, field %s: kind %u at byte %u, where byte %u comes next; fields "
                      "must tile the struct without padding",
                      type->name, name, field->kind, field->offset, *end);
    *align = unit > *align ? unit : *align;
    WEFT_ASSERT(unit > 0);
    // weft-lint: allow(division): a kind has units of 1 to 8 bytes
    if (field->offset % unit != 0)
        return refuse(out,
                      "type %s, field %s: byte %u is no multiple of %u; order the fields from "
                      "wide to narrow",
                      type->name, name, field->offset, unit);
    uint64_t bytes = (uint64_t)stride * (field->count > 0 ? field->count : 1);
    if (bytes > WEFT_TYPE_SIZE_MAX)
        return refuse(out, "type %s, field %s: %u elements of %u bytes; at most %u bytes",
                      type->name, name, field->count, stride, WEFT_TYPE_SIZE_MAX);
    *end += (uint32_t)bytes;
    return WEFT_STATUS_OK;
}

static weft_status check_type(const weft_type* type, uint32_t depth, uint32_t* align_out,
                              const check_text* out) {
    WEFT_ASSERT(depth < TYPE_DEPTH_MAX);
    WEFT_TRY(check_head(type, out));
    uint32_t end = 0;
    uint32_t align = 1; // What the fields need.
    for (uint32_t i = 0; i < type->field_count; i++)
        WEFT_TRY(check_field(type, &type->fields[i], depth, &end, &align, out));
    if (end != type->size)
        return refuse(out, "type %s has %u bytes, its fields tile %u: %u are padding", type->name,
                      type->size, end, type->size - end);
    // The size is a multiple of the widest field everywhere, so that a type that is good on one
    // machine is good on all.
    *align_out = align;
    bool known = type->align == 1 || type->align == 2 || type->align == 4 || type->align == 8;
    // weft-lint: allow(division): an alignment is 1 or more
    bool ragged = type->size % align != 0;
    align = align < MEMBER_ALIGN_MAX ? align : MEMBER_ALIGN_MAX;
    // weft-lint: allow(division): known says that it is 1 or more
    if (!known || ragged || type->align < align || type->size % type->align != 0)
        return refuse(out,
                      "type %s has an alignment of %u; its fields need %u, and its %u bytes must "
                      "be a multiple of it",
                      type->name, type->align, align, type->size);
    return WEFT_STATUS_OK;
}

weft_status weft__type_check(const weft_type* type, char* text, size_t capacity) {
    WEFT_ASSERT(text != NULL && capacity > 0);
    check_text out = {text, capacity};
    uint32_t align;
    return check_type(type, 0, &align, &out);
}

// Identity ---------------------------------------------------------------------------------------

uint64_t weft__type_hash(const weft_type* type) {
    WEFT_ASSERT(type != NULL && type->name != NULL);
    uint64_t hash = weft_hash64_of_name(type->name);
    for (uint32_t i = 0; i < type->field_count; i++) {
        const weft_field* field = &type->fields[i];
        hash = weft_hash64_of(field->name, strlen(field->name), hash + field->kind);
        if (field->kind == WEFT_KIND_NESTED) {
            uint64_t inner = weft__type_hash(field->type);
            hash = weft__hash_words(&inner, 1, hash + HASH_NESTED);
        }
        if (field->count > 0) {
            uint64_t count = field->count;
            hash = weft__hash_words(&count, 1, hash + HASH_ARRAY);
        }
    }
    return hash;
}

bool weft__type_same(const weft_type* a, const weft_type* b) {
    if (a == b)
        return true;
    if (a->size != b->size || a->field_count != b->field_count || strcmp(a->name, b->name) != 0)
        return false;
    for (uint32_t i = 0; i < a->field_count; i++) {
        const weft_field* left = &a->fields[i];
        const weft_field* right = &b->fields[i];
        if (left->kind != right->kind || left->count != right->count ||
            strcmp(left->name, right->name) != 0)
            return false;
        if (left->kind == WEFT_KIND_NESTED && !weft__type_same(left->type, right->type))
            return false;
    }
    return true;
}

// Encoding ---------------------------------------------------------------------------------------

/// Values on their way into canonical bytes.
typedef struct encoding {
    const uint8_t* in;
    uint8_t* out;
    size_t rows;
    uint32_t size; // Of one value.
} encoding;

static void encode_unit(const uint8_t* in, uint8_t* out, uint32_t unit) {
    WEFT_CHECK(unit == 1 || unit == 2 || unit == 4 || unit == 8);
    uint64_t bits = weft__load_unit(in, unit);
    for (uint32_t byte = 0; byte < unit; byte++)
        // weft-lint: allow(shift): a unit has 8 bytes at most
        out[byte] = (uint8_t)(bits >> (8 * byte));
}

static bool encode_run(void* context, uint32_t kind, uint32_t offset, uint32_t count) {
    const encoding* all = context;
    uint32_t unit = kind_unit(kind);
    uint32_t bytes = weft_kind_size((weft_kind)kind) * count;
    WEFT_ASSERT(unit > 0 && offset + bytes <= all->size);
    for (size_t row = 0; row < all->rows; row++)
        for (uint32_t at = 0; at < bytes; at += unit)
            encode_unit(all->in + row * all->size + offset + at,
                        all->out + row * all->size + offset + at, unit);
    return true;
}

void weft__type_encode(const weft_type* type, const void* values, size_t count, uint8_t* out) {
    WEFT_ASSERT(type != NULL && (count == 0 || (values != NULL && out != NULL)));
    encoding all = {values, out, count, type->size};
    if (count > 0)
        (void)visit_runs(type, 0, encode_run, &all);
}

// Turning the bytes of a unit round is its own inverse.
void weft__type_decode(const weft_type* type, const uint8_t* in, size_t count, void* values) {
    weft__type_encode(type, in, count, values);
}

// Provisional handles ----------------------------------------------------------------------------

enum {
    RESOLVE_ROWS = 256, // Looked at as a whole.
};

/// Values whose handles are looked at, and made real where there is a world.
typedef struct resolving {
    const weft_world* world; // Null: only look.
    uint8_t* values;
    uint32_t rows;
    uint32_t size;
} resolving;

static inline bool rows_have_provisional(const uint8_t* at, uint32_t rows, size_t stride) {
    uint32_t some = 0;
    for (uint32_t row = 0; row < rows; row++) {
        uint32_t slot;
        memcpy(&slot, at + row * stride + offsetof(weft_entity, slot), sizeof(slot));
        some |= slot >= WEFT__PROVISIONAL_SLOT;
    }
    return some != 0;
}

// Makes the handle in each of these rows real. False if there is one to be and no world.
static bool resolve_rows(const resolving* all, uint8_t* at, uint32_t rows) {
    for (uint32_t row = 0; row < rows; row++, at += all->size) {
        weft_entity entity;
        memcpy(&entity, at, sizeof(entity));
        if (!weft__entity_is_provisional(entity))
            continue;
        if (all->world == NULL)
            return false;
        entity = weft__commit_resolve(all->world, entity);
        memcpy(at, &entity, sizeof(entity));
    }
    return true;
}

// Nearly all blocks have none, and that is seen without a branch for each row.
static bool resolve_run(void* context, uint32_t kind, uint32_t offset, uint32_t count) {
    const resolving* all = context;
    if (kind != WEFT_KIND_ENTITY)
        return true;
    WEFT_ASSERT(offset + count * sizeof(weft_entity) <= all->size);
    for (uint32_t i = 0; i < count; i++) {
        uint8_t* at = all->values + offset + (size_t)i * sizeof(weft_entity);
        for (uint32_t row = 0; row < all->rows; row += RESOLVE_ROWS) {
            uint32_t rows = all->rows - row < RESOLVE_ROWS ? all->rows - row : RESOLVE_ROWS;
            uint8_t* first = at + (size_t)row * all->size;
            bool some = all->size == sizeof(weft_entity)
                            ? rows_have_provisional(first, rows, sizeof(weft_entity))
                            : rows_have_provisional(first, rows, all->size);
            if (some && !resolve_rows(all, first, rows))
                return false;
        }
    }
    return true;
}

void weft__type_resolve(const weft_world* world, const weft_type* type, void* values,
                        uint32_t count) {
    resolving all = {world, values, count, type->size};
    (void)visit_runs(type, 0, resolve_run, &all);
}

bool weft__type_has_provisional(const weft_type* type, const void* value) {
    // weft-lint: allow(address): const is taken off, nothing is read from it as a number
    resolving all = {NULL, (uint8_t*)(uintptr_t)value, 1, type->size};
    return !visit_runs(type, 0, resolve_run, &all);
}

// What may not be in a value ---------------------------------------------------------------------

#define FLOAT_MAGNITUDE 0x7FFFFFFFu
#define FLOAT_INFINITY 0x7F800000u

/// A search for NaN or for a byte of a bool that is neither 0 nor 1.
typedef struct search {
    const uint8_t* values;
    uint32_t size;
    bool floats; // Else bools.
    bool found;
    uint32_t rows; // To be searched; once something is found, those before it.
    uint32_t offset;
} search;

// 1 for a bad unit. Searches look at blocks as a whole first, which is a few instructions for many
// units, and for the place only in a block that has one.
static inline uint32_t bad_unit(const uint8_t* at, bool floats) {
    uint32_t bits;
    if (!floats)
        return *at > 1;
    memcpy(&bits, at, sizeof(bits));
    return (bits & FLOAT_MAGNITUDE) > FLOAT_INFINITY;
}

// The first of `rows` units, `stride` bytes apart, that is bad, or `rows`.
static inline size_t bad_strided(const uint8_t* at, size_t rows, size_t stride, bool floats) {
    for (size_t i = 0; i < rows;) {
        size_t end = rows - i < 256 ? rows : i + 256;
        uint32_t bad = 0;
        for (size_t j = i; j < end; j++)
            bad |= bad_unit(at + j * stride, floats);
        for (; bad != 0; i++)
            if (bad_unit(at + i * stride, floats))
                return i;
        i = end;
    }
    return rows;
}

// The strides as constants, so that whole columns are searched with vectors.
static size_t bad_in_column(const uint8_t* at, size_t units, bool floats) {
    return floats ? bad_strided(at, units, 4, true) : bad_strided(at, units, 1, false);
}

// A run of more bytes than this is searched row by row: column by column, each cache line would be
// loaded many times.
#define RUN_WIDE 64u

static void search_wide_run(search* all, uint32_t offset, uint32_t bytes, uint32_t unit) {
    // weft-lint: allow(division): a unit has 1 byte or more
    size_t units = bytes / unit;
    for (uint32_t row = 0; row < all->rows; row++) {
        const uint8_t* at = all->values + (size_t)row * all->size + offset;
        size_t bad = bad_in_column(at, units, all->floats);
        if (bad == units)
            continue;
        all->found = true;
        all->rows = row;
        all->offset = offset + (uint32_t)(bad * unit);
    }
}

static bool search_run(void* context, uint32_t kind, uint32_t offset, uint32_t count) {
    search* all = context;
    if (all->floats ? !kind_is_float(kind) : kind != WEFT_KIND_BOOL)
        return true;
    uint32_t unit = all->floats ? 4 : 1;
    uint32_t bytes = count * weft_kind_size((weft_kind)kind);
    WEFT_ASSERT(offset + bytes <= all->size);
    if (bytes > RUN_WIDE) {
        search_wide_run(all, offset, bytes, unit);
        return true;
    }
    for (uint32_t at = offset; at < offset + bytes; at += unit) {
        // Only in rows before what is found already: the first value wins, then the first field.
        size_t row = all->floats ? bad_strided(all->values + at, all->rows, all->size, true)
                                 : bad_strided(all->values + at, all->rows, all->size, false);
        if (row == all->rows)
            continue;
        all->found = true;
        all->rows = (uint32_t)row;
        all->offset = at;
    }
    return true;
}

static bool find_bad(const weft_type* type, const void* values, uint32_t count, bool floats,
                     uint32_t* index_out, char* path, size_t capacity) {
    WEFT_ASSERT(type != NULL && (count == 0 || values != NULL) && index_out != NULL);
    search all = {.values = values, .size = type->size, .floats = floats, .rows = count};
    weft__traits traits = weft__type_traits(type);
    if (count == 0 || !(floats ? traits.has_float : traits.has_bool))
        return false;
    if (!traits.has_other && traits.has_float != traits.has_bool) {
        // Nothing else is in the column: it is one array.
        size_t unit = floats ? 4 : 1;
        size_t units = (size_t)count * type->size / unit;
        size_t bad = bad_in_column(values, units, floats);
        all.found = bad < units;
        // weft-lint: allow(division): a type with values has a size
        all.rows = (uint32_t)(bad * unit / type->size);
        // weft-lint: allow(division): a type with values has a size
        all.offset = (uint32_t)(bad * unit % type->size);
    } else {
        (void)visit_runs(type, 0, search_run, &all);
    }
    if (!all.found)
        return false;
    WEFT_ASSERT(all.rows < count && all.offset < type->size);
    *index_out = all.rows;
    (void)weft_type_path(type, all.offset, path, capacity);
    return true;
}

bool weft__type_find_nan(const weft_type* type, const void* values, uint32_t count,
                         uint32_t* index_out, char* path, size_t capacity) {
    return find_bad(type, values, count, true, index_out, path, capacity);
}

bool weft__type_find_bool(const weft_type* type, const void* values, uint32_t count,
                          uint32_t* index_out, char* path, size_t capacity) {
    return find_bad(type, values, count, false, index_out, path, capacity);
}

void weft__type_require_bools(const weft_type* type, const void* values, uint32_t count) {
    char path[128];
    char text[320];
    uint32_t index;
    if (!weft__type_find_bool(type, values, count, &index, path, sizeof(path)))
        return;
    (void)snprintf(text, sizeof(text),
                   "%s.%s of value %u is a bool of 0 or 1; it was set through a pointer of another "
                   "type or never",
                   type->name, path, index);
    weft_assert_failed(text, __FILE__, __LINE__);
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
