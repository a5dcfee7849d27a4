// Identities (run_identity.h): kind (1), length of the name (1), of the value (2), name, value.

#include "run_identity.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "weft_bytes.h"

#define VALUE_SIZE 1024u

/// One value, as it lies in the bytes.
typedef struct entry {
    uint32_t kind;
    uint32_t name_length;
    uint32_t value_length;
    const char* name;
    const char* value;
} entry;

// Making -----------------------------------------------------------------------------------------

typedef struct maker {
    weft_world* world;
    weft__identity* out;
    weft_status status;
} maker;

static void put(maker* make, weft__identity_kind kind, const char* name, const char* format, ...)
    WEFT_PRINTF(4, 5);

static void put(maker* make, weft__identity_kind kind, const char* name, const char* format, ...) {
    char value[VALUE_SIZE];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(value, sizeof(value), format, args);
    va_end(args);
    size_t name_length = strlen(name);
    size_t value_length = strlen(value);
    size_t size = 4 + name_length + value_length;
    WEFT_ASSERT(name_length < 256 && value_length < VALUE_SIZE);
    if (make->status == WEFT_STATUS_OK)
        make->status = WEFT__VEC_RESERVE(&make->world->arena, *make->out, size);
    if (make->status != WEFT_STATUS_OK)
        return;
    weft__bytes bytes;
    weft__bytes_init(&bytes, make->out->items + make->out->count, size);
    weft__bytes_put_u8(&bytes, (uint8_t)kind);
    weft__bytes_put_u8(&bytes, (uint8_t)name_length);
    weft__bytes_put_u16(&bytes, (uint16_t)value_length);
    weft__bytes_put_raw(&bytes, name, name_length);
    weft__bytes_put_raw(&bytes, value, value_length);
    make->out->count += (uint32_t)size;
}

static void put_pairs(maker* make, const weft_identity_pair* pairs, size_t count) {
    for (size_t i = 0; i < count && make->status == WEFT_STATUS_OK; i++) {
        const weft_identity_pair* pair = &pairs[i];
        if (pair->name == NULL || pair->value == NULL || pair->name[0] == '\0' ||
            strlen(pair->name) > 63 || strlen(pair->value) > 255)
            make->status = weft__world_fail(
                make->world, WEFT_STATUS_BAD_ARGUMENT,
                "pair %zu of the identity needs a name of 1 to 63 characters and a value of at "
                "most 255",
                i);
        else
            put(make, pair->note ? WEFT__IDENTITY_NOTE : WEFT__IDENTITY_HOST, pair->name, "%s",
                pair->value);
    }
}

static void put_world(maker* make) {
    const weft_world* world = make->world;
    const weft_world_desc* desc = &world->desc;
    char name[32];
    put(make, WEFT__IDENTITY_NOTE, "weft", "%s", weft_version());
    put(make, WEFT__IDENTITY_WORLD, "seed", "0x%" PRIx64, desc->seed);
    put(make, WEFT__IDENTITY_WORLD, "numbers", "%s%s", weft_math_name(desc->math),
        desc->allow_float ? ", float allowed" : "");
    put(make, WEFT__IDENTITY_WORLD, "determinism", "%s%s", desc->deterministic ? "on" : "off",
        desc->unordered_commit ? ", unordered commit" : "");
    put(make, WEFT__IDENTITY_WORLD, "slot limit", "%" PRIu32, desc->slot_limit);
    put(make, WEFT__IDENTITY_WORLD, "archetype limit", "%" PRIu32, desc->archetype_limit);
    for (uint32_t i = 0; i < world->types.count; i++) {
        static const char* const roles[] = {"",         "component", "sparse component",
                                            "resource", "channel",   "reduction"};
        const weft__type* type = &world->types.items[i];
        WEFT_ASSERT((size_t)type->role < sizeof(roles) / sizeof(roles[0]));
        (void)snprintf(name, sizeof(name), "type %" PRIu32, i + 1);
        put(make, WEFT__IDENTITY_WORLD, name, "%s %s, layout %016" PRIx64, roles[type->role],
            type->type->name, type->hash);
    }
    put(make, WEFT__IDENTITY_WORLD, "schema", "%016" PRIx64, weft_world_schema_hash(world));
}

// Long lists are cut; the hash over everything stands at the end.
static void put_systems(maker* make, const weft_schedule* schedule) {
    uint32_t count = weft_schedule_system_count(schedule);
    for (uint32_t rank = 0; rank < count; rank++) {
        char text[VALUE_SIZE];
        char name[32];
        size_t length = (size_t)snprintf(
            text, sizeof(text), "%s, %s:", weft_schedule_system_name(schedule, rank),
            weft_schedule_system_scope(schedule, rank) == WEFT_SCOPE_CHUNK ? "chunk" : "world");
        for (uint32_t i = 0; i < weft_schedule_access_count(schedule, rank); i++) {
            weft_access access = weft_schedule_access(schedule, rank, i);
            if (length < sizeof(text))
                length += (size_t)snprintf(text + length, sizeof(text) - length, "%s %s%s%s",
                                           i > 0 ? "," : "", weft_access_mode_name(access.mode),
                                           access.type != NULL ? " " : "",
                                           access.type != NULL ? access.type->name : "");
        }
        (void)snprintf(name, sizeof(name), "system %" PRIu32, rank + 1);
        put(make, WEFT__IDENTITY_SYSTEM, name, "%s", text);
    }
    put(make, WEFT__IDENTITY_SYSTEM, "schedule", "%016" PRIx64, weft_schedule_hash(schedule));
}

weft_status weft__identity_make(weft_world* world, const weft_schedule* schedule,
                                const weft_identity_pair* pairs, size_t pair_count,
                                weft__identity* out) {
    maker make = {.world = world, .out = out};
    put_pairs(&make, pairs, pair_count);
    put_world(&make);
    if (schedule != NULL)
        put_systems(&make, schedule);
    return make.status;
}

// Comparing --------------------------------------------------------------------------------------

// False at the end, and where the bytes are no identity.
static bool next_entry(weft__reader* reader, entry* out) {
    if (weft__reader_left(reader) == 0)
        return false;
    out->kind = weft__reader_get_u8(reader);
    out->name_length = weft__reader_get_u8(reader);
    out->value_length = weft__reader_get_u16(reader);
    out->name = (const char*)weft__reader_view(reader, out->name_length);
    out->value = (const char*)weft__reader_view(reader, out->value_length);
    return !reader->underflow;
}

static bool find_entry(const void* bytes, size_t size, const entry* wanted, entry* out) {
    weft__reader reader;
    weft__reader_init(&reader, bytes, size);
    while (next_entry(&reader, out))
        if (out->name_length == wanted->name_length &&
            memcmp(out->name, wanted->name, wanted->name_length) == 0)
            return true;
    return false;
}

void weft__identity_value(const void* bytes, size_t size, const char* name, char* value,
                          size_t capacity) {
    entry wanted = {.name = name, .name_length = (uint32_t)strlen(name)};
    entry found = {.value_length = 0};
    if (!find_entry(bytes, size, &wanted, &found))
        found.value_length = 0;
    (void)snprintf(value, capacity, "%.*s", (int)found.value_length,
                   found.value_length > 0 ? found.value : "");
}

/// Differences in words.
typedef struct difference {
    char* text;
    size_t capacity;
    size_t length;
    uint32_t count;
} difference;

static void note(difference* all, const entry* there, const entry* here) {
    const entry* any = there != NULL ? there : here;
    static const entry missing = {.value = "missing", .value_length = 7};
    there = there != NULL ? there : &missing;
    here = here != NULL ? here : &missing;
    all->count++;
    if (all->length < all->capacity)
        all->length += (size_t)snprintf(
            all->text + all->length, all->capacity - all->length, "%s%.*s is %.*s there, %.*s here",
            all->length > 0 ? "; " : "", (int)any->name_length, any->name, (int)there->value_length,
            there->value, (int)here->value_length, here->value);
}

weft_status weft__identity_compare(const void* file, size_t file_size, const weft__identity* own,
                                   uint32_t kinds, char* text, size_t capacity) {
    difference all = {text, capacity, 0, 0};
    weft__reader reader;
    entry there;
    entry here;
    text[0] = '\0';
    weft__reader_init(&reader, file, file_size);
    while (next_entry(&reader, &there)) {
        if (there.kind > WEFT__IDENTITY_SYSTEM)
            return WEFT_STATUS_BAD_FORMAT;
        if ((kinds >> there.kind & 1u) == 0)
            continue;
        if (!find_entry(own->items, own->count, &there, &here))
            note(&all, &there, NULL);
        else if (here.value_length != there.value_length ||
                 memcmp(here.value, there.value, here.value_length) != 0)
            note(&all, &there, &here);
    }
    if (reader.underflow)
        return WEFT_STATUS_BAD_FORMAT;
    weft__reader_init(&reader, own->items, own->count);
    while (next_entry(&reader, &here))
        if ((kinds >> here.kind & 1u) != 0 && !find_entry(file, file_size, &here, &there))
            note(&all, NULL, &here);
    return all.count == 0 ? WEFT_STATUS_OK : WEFT_STATUS_IDENTITY_MISMATCH;
}
