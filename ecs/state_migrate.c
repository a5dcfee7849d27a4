// States of another schema (weft_world_decode_migrated): rewritten section by section into a state
// of this world's schema, which is then decoded like any other. So what is new here need not be
// trusted: whatever it makes is looked through as a whole.
//
// Types keep their numbers, since archetypes and columns are lists of them: new ones come last.

#include <weft/state.h>

#include "state_format.h"
#include "weft_state.h"

/// A type of the state.
typedef struct old_type {
    const weft_type* type;           // As it was.
    const weft_migration* migration; // Null: it is the same here.
} old_type;

typedef struct migrator {
    weft_world* world;
    const weft_migration* table;
    size_t table_count;
    const uint8_t* data;
    size_t size;
    WEFT__VEC(old_type) types;
    WEFT__VEC(uint32_t) set_ends;    // Of each archetype in:
    WEFT__VEC(uint16_t) set_types;   // types of all archetypes.
    WEFT__VEC(uint32_t) chunk_sets;  // By chunk: its archetype.
    WEFT__VEC(uint32_t) presence_of; // By presence: its table.
    uint8_t* out;                    // Null: sizes are counted.
    uint64_t out_at;
    uint64_t section_at;  // Of the section that is being written,
    uint64_t section_end; // and where it is to end.
    bool resources_done;  // New ones are written,
    bool reductions_done;
    _Alignas(8) uint8_t from[WEFT_TYPE_SIZE_MAX];
    _Alignas(8) uint8_t to[WEFT_TYPE_SIZE_MAX];
} migrator;

static weft_status damaged(const migrator* m, const char* what) {
    return weft__world_fail(m->world, WEFT_STATUS_BAD_FORMAT,
                            "the state of another schema is damaged or inconsistent: %s; take "
                            "another one",
                            what);
}

// Writing ----------------------------------------------------------------------------------------

static void put(migrator* m, const void* bytes, size_t size) {
    if (m->out != NULL && size > 0)
        memcpy(m->out + m->out_at, bytes, size);
    m->out_at += size;
}

static void open_section(migrator* m, weft__state_head head, uint64_t length) {
    uint8_t buffer[WEFT__STATE_HEAD] = {0};
    weft__bytes bytes;
    head.length = length;
    weft__bytes_init(&bytes, buffer, sizeof(buffer));
    weft__state_put_head(&bytes, &head);
    WEFT_ASSERT(bytes.size == WEFT__STATE_SUMMED && !bytes.overflow);
    m->section_at = m->out_at;
    m->section_end = m->out_at + WEFT__STATE_HEAD + length;
    put(m, buffer, sizeof(buffer));
}

static void close_section(migrator* m) {
    WEFT_ASSERT(m->out_at == m->section_end);
    if (m->out == NULL)
        return;
    uint8_t* head = m->out + m->section_at;
    uint64_t length = m->out_at - m->section_at - WEFT__STATE_HEAD;
    weft__bytes place;
    weft__bytes_init(&place, head + WEFT__STATE_SUMMED, sizeof(uint64_t));
    weft__bytes_put_u64(&place,
                        weft__state_checksum(head, head + WEFT__STATE_HEAD, (size_t)length));
}

// Values -----------------------------------------------------------------------------------------

static const weft_field* field_of(const weft_type* type, const char* name) {
    for (uint32_t i = 0; i < type->field_count; i++)
        if (strcmp(type->fields[i].name, name) == 0)
            return &type->fields[i];
    return NULL;
}

static bool same_field(const weft_field* a, const weft_field* b) {
    return a->kind == b->kind && a->count == b->count &&
           (a->kind != WEFT_KIND_NESTED || weft__type_same(a->type, b->type));
}

static size_t field_size(const weft_field* field) {
    return (size_t)weft__field_stride(field) * (field->count > 0 ? field->count : 1);
}

static void convert_by_name(const weft_migration* migration, void* to, const void* from) {
    const weft_type* type = migration->to;
    if (migration->initial != NULL)
        memcpy(to, migration->initial, type->size);
    for (uint32_t i = 0; i < type->field_count; i++) {
        const weft_field* field = &type->fields[i];
        const weft_field* old = field_of(migration->from, field->name);
        if (old != NULL)
            memcpy((uint8_t*)to + field->offset, (const uint8_t*)from + old->offset,
                   field_size(field));
    }
}

// Values of one type, from the old state to the new one.
static void put_values(migrator* m, uint32_t type_id, const uint8_t* in, uint32_t count) {
    WEFT_ASSERT(type_id > 0 && type_id <= m->types.count);
    const old_type* old = &m->types.items[type_id - 1];
    const weft_type* type = weft__type_at(m->world, type_id)->type;
    if (old->migration == NULL) {
        put(m, in, (size_t)count * type->size);
        return;
    }
    WEFT_ASSERT(type->size <= WEFT_TYPE_SIZE_MAX && old->type->size <= WEFT_TYPE_SIZE_MAX);
    for (uint32_t i = 0; i < count && m->out != NULL; i++) {
        memset(m->to, 0, type->size);
        weft__type_decode(old->type, in + (size_t)i * old->type->size, 1, m->from);
        if (old->migration->convert != NULL)
            old->migration->convert(m->to, m->from);
        else
            convert_by_name(old->migration, m->to, m->from);
        weft__type_encode(type, m->to, 1, m->out + m->out_at + (size_t)i * type->size);
    }
    m->out_at += (uint64_t)count * type->size;
}

static uint32_t type_of_role(const weft_world* world, weft__role role, uint32_t index) {
    for (uint32_t i = 0; i < world->types.count; i++)
        if (world->types.items[i].role == role && world->types.items[i].index == index)
            return i + 1;
    return 0;
}

// A list of values of one type, behind `prefix` bytes for each that stay as they are.
static weft_status move_list(migrator* m, const weft__state_head* head, const uint8_t* content,
                             uint32_t type_id, size_t prefix) {
    if (type_id == 0 || type_id > m->types.count)
        return damaged(m, "a section is of a type that it does not have");
    uint64_t count = head->count;
    if (head->length != count * (prefix + m->types.items[type_id - 1].type->size))
        return damaged(m, "a section has another length than its values");
    open_section(m, *head, count * (prefix + weft__type_at(m->world, type_id)->type->size));
    put(m, content, (size_t)(count * prefix));
    put_values(m, type_id, content + count * prefix, head->count);
    close_section(m);
    return WEFT_STATUS_OK;
}

// Schema -----------------------------------------------------------------------------------------

static weft_status check_entry(const migrator* m, const weft_migration* entry) {
    char text[256] = "there is none";
    if (entry->to == NULL || weft__type_check(entry->to, text, sizeof(text)) != WEFT_STATUS_OK ||
        (entry->from != NULL &&
         weft__type_check(entry->from, text, sizeof(text)) != WEFT_STATUS_OK))
        return weft__world_fail(m->world, WEFT_STATUS_BAD_ARGUMENT,
                                "a type of the migration table is none: %s", text);
    if (entry->convert != NULL || entry->from == NULL)
        return WEFT_STATUS_OK;
    for (uint32_t i = 0; i < entry->to->field_count; i++) {
        const weft_field* field = &entry->to->fields[i];
        const weft_field* old = field_of(entry->from, field->name);
        if (old != NULL && !same_field(old, field))
            return weft__world_fail(m->world, WEFT_STATUS_BAD_ARGUMENT,
                                    "migration of %s: field %s is of another kind or length now; "
                                    "give a function that converts it",
                                    entry->to->name, field->name);
    }
    return WEFT_STATUS_OK;
}

static const weft_migration* find_entry(const migrator* m, const weft_type* to, bool is_new,
                                        uint64_t from_hash) {
    for (size_t i = 0; i < m->table_count; i++) {
        const weft_migration* entry = &m->table[i];
        if (weft__type_same(entry->to, to) &&
            (is_new ? entry->from == NULL
                    : entry->from != NULL && weft__type_hash(entry->from) == from_hash))
            return entry;
    }
    return NULL;
}

static weft_status mismatch(const migrator* m, uint32_t number, const char* name, int name_length,
                            const char* what) {
    return weft__world_fail(m->world, WEFT_STATUS_IDENTITY_MISMATCH,
                            "the state has another schema: type %u, %.*s, %s", number + 1,
                            name_length, name, what);
}

static weft_status read_type(migrator* m, uint32_t number, weft__reader* reader) {
    weft_world* world = m->world;
    uint32_t role = weft__reader_get_u8(reader);
    uint32_t flags = weft__reader_get_u8(reader);
    uint32_t values = weft__reader_get_u32(reader);
    uint64_t hash = weft__reader_get_u64(reader);
    uint32_t length = weft__reader_get_u32(reader);
    const char* name = (const char*)weft__reader_view(reader, length);
    int shown = length < 64 ? (int)length : 64;
    if (reader->underflow)
        return damaged(m, "its schema ends within a type");
    if (number >= world->types.count)
        return mismatch(m, number, name, shown, "is not there any more: types are only added");
    const weft__type* own = &world->types.items[number];
    if (role != (uint32_t)own->role || flags != weft__state_flags(world, own) ||
        values != weft__state_values(world, own))
        return mismatch(m, number, name, shown,
                        "has another role, storage, target or number of values here");
    old_type old = {.type = own->type};
    if (hash != own->hash) {
        old.migration = find_entry(m, own->type, false, hash);
        if (old.migration == NULL)
            return mismatch(m, number, name, shown,
                            "has a layout that no entry of the migration table starts from");
        old.type = old.migration->from;
    }
    return WEFT__VEC_PUSH(&world->arena, m->types, old);
}

static weft_status read_schema(migrator* m, const weft__state_head* head, const uint8_t* content) {
    weft_world* world = m->world;
    weft__reader reader;
    weft__reader_init(&reader, content, (size_t)head->length);
    m->types.count = 0;
    for (uint32_t i = 0; i < head->count; i++)
        WEFT_TRY(read_type(m, i, &reader));
    WEFT_ASSERT(m->types.count == head->count && m->types.count <= world->types.count);
    for (uint32_t i = m->types.count; i < world->types.count; i++) {
        const weft_type* type = world->types.items[i].type;
        if (find_entry(m, type, true, 0) == NULL)
            return mismatch(m, i, type->name, (int)strlen(type->name),
                            "is new here, and no entry of the migration table says so");
    }
    return WEFT_STATUS_OK;
}

// This world's own schema, out of its own front part.
static weft_status put_schema(migrator* m) {
    weft_world* world = m->world;
    weft__state_part part = weft__state_part_next(world, NULL, 0);
    uint8_t* front = weft__arena_alloc(&world->arena, (size_t)part.size);
    if (front == NULL)
        return WEFT_STATUS_OUT_OF_MEMORY;
    weft__state_part_encode(world, &part, 0, front);
    weft__reader reader;
    weft__state_head head;
    weft__reader_init(&reader, front + WEFT__STATE_HEADER, (size_t)part.size - WEFT__STATE_HEADER);
    const uint8_t* content = weft__state_take(&reader, &head);
    WEFT_ASSERT(head.kind == WEFT__STATE_SCHEMA);
    put(m, content - WEFT__STATE_HEAD, (size_t)head.length + WEFT__STATE_HEAD);
    weft__arena_free(&world->arena, front, (size_t)part.size);
    return WEFT_STATUS_OK;
}

// Sections ---------------------------------------------------------------------------------------

static weft_status move_world(migrator* m, weft__state_head head, const uint8_t* content) {
    uint32_t channels = m->world->channels.count;
    if (head.count > channels || head.length != WEFT__STATE_WORLD_SIZE + 4ull * head.count)
        return damaged(m, "it has other channels than its schema");
    uint32_t missing = channels - head.count;
    head.count = channels;
    open_section(m, head, WEFT__STATE_WORLD_SIZE + 4ull * channels);
    put(m, content, (size_t)head.length);
    for (uint32_t i = 0; i < missing; i++)
        put(m, "\0\0\0", 4);
    close_section(m);
    return WEFT_STATUS_OK;
}

static void copy_section(migrator* m, const weft__state_head* head, const uint8_t* content) {
    open_section(m, *head, head->length);
    put(m, content, (size_t)head->length);
    close_section(m);
}

static weft_status read_sets(migrator* m, const weft__state_head* head, const uint8_t* content) {
    weft__reader reader;
    weft__reader_init(&reader, content, (size_t)head->length);
    m->set_ends.count = m->set_types.count = 0;
    WEFT_TRY(WEFT__VEC_PUSH(&m->world->arena, m->set_ends, 0)); // The empty set.
    for (uint32_t i = 0; i < head->count; i++) {
        uint32_t count = weft__reader_get_u16(&reader);
        for (uint32_t j = 0; j < count; j++) {
            uint16_t type = weft__reader_get_u16(&reader);
            if (reader.underflow || type == 0 || type > m->types.count)
                return damaged(m, "an archetype has a type that is not there");
            WEFT_TRY(WEFT__VEC_PUSH(&m->world->arena, m->set_types, type));
        }
        WEFT_TRY(WEFT__VEC_PUSH(&m->world->arena, m->set_ends, m->set_types.count));
    }
    WEFT_ASSERT(m->set_ends.count == head->count + 1);
    return WEFT_STATUS_OK;
}

// The first number of each line of a list of chunks or presences.
static weft_status read_lines(migrator* m, const weft__state_head* head, const uint8_t* content,
                              bool presences) {
    weft__reader reader;
    weft__reader_init(&reader, content, (size_t)head->length);
    if (head->length != (uint64_t)head->count * WEFT__STATE_CHUNK)
        return damaged(m, "a list of chunks has another length than its count");
    m->chunk_sets.count = presences ? m->chunk_sets.count : 0;
    m->presence_of.count = 0;
    for (uint32_t i = 0; i < head->count; i++) {
        uint32_t number = weft__reader_get_u32(&reader);
        (void)weft__reader_get_u64(&reader);
        if (presences)
            WEFT_TRY(WEFT__VEC_PUSH(&m->world->arena, m->presence_of, number));
        else
            WEFT_TRY(WEFT__VEC_PUSH(&m->world->arena, m->chunk_sets, number));
    }
    return WEFT_STATUS_OK;
}

static weft_status move_rows(migrator* m, const weft__state_head* head, const uint8_t* content) {
    if (head->index >= m->chunk_sets.count || m->chunk_sets.items[head->index] >= m->set_ends.count)
        return damaged(m, "rows are of no chunk");
    uint32_t set = m->chunk_sets.items[head->index];
    uint32_t begin = set == 0 ? 0 : m->set_ends.items[set - 1];
    uint32_t end = m->set_ends.items[set];
    uint64_t old_row = WEFT__STATE_HANDLE;
    uint64_t new_row = WEFT__STATE_HANDLE;
    for (uint32_t i = begin; i < end; i++) {
        uint32_t type = m->set_types.items[i];
        old_row += m->types.items[type - 1].type->size;
        new_row += weft__type_at(m->world, type)->type->size;
    }
    if (head->length != head->count * old_row)
        return damaged(m, "rows have another length than their columns");
    open_section(m, *head, head->count * new_row);
    size_t handles = (size_t)head->count * WEFT__STATE_HANDLE;
    put(m, content, handles);
    content += handles;
    for (uint32_t i = begin; i < end; i++) {
        uint32_t type = m->set_types.items[i];
        put_values(m, type, content, head->count);
        content += (size_t)head->count * m->types.items[type - 1].type->size;
    }
    close_section(m);
    return WEFT_STATUS_OK;
}

// What the state does not have of a role: this world's own values, as it was made with.
static void put_new(migrator* m, weft__role role) {
    const weft_world* world = m->world;
    bool resource = role == WEFT__ROLE_RESOURCE;
    for (uint32_t i = m->types.count; i < world->types.count; i++) {
        const weft__type* type = &world->types.items[i];
        if (type->role != role)
            continue;
        uint32_t count = resource ? world->resources.items[type->index].count : 1;
        const uint8_t* values = resource ? world->resources.items[type->index].values
                                         : world->reductions.items[type->index].value;
        uint32_t size = type->type->size;
        for (uint32_t part = 0; part < weft__state_parts(count); part++) {
            weft__state_head head = {.kind =
                                         resource ? WEFT__STATE_RESOURCE : WEFT__STATE_REDUCTION,
                                     .index = type->index,
                                     .part = part,
                                     .count = weft__state_part_count(count, part)};
            open_section(m, head, (uint64_t)head.count * size);
            if (m->out != NULL && size > 0)
                weft__type_encode(type->type, values + (size_t)part * WEFT__STATE_PART * size,
                                  head.count, m->out + m->out_at);
            m->out_at += (uint64_t)head.count * size;
            close_section(m);
        }
    }
}

// New resources and reductions stand behind the old ones, before whatever comes next.
static void put_new_before(migrator* m, uint32_t kind) {
    if (kind > WEFT__STATE_RESOURCE && !m->resources_done) {
        m->resources_done = true;
        put_new(m, WEFT__ROLE_RESOURCE);
    }
    if (kind > WEFT__STATE_REDUCTION && !m->reductions_done) {
        m->reductions_done = true;
        put_new(m, WEFT__ROLE_REDUCTION);
    }
}

static weft_status move_section(migrator* m, const weft__state_head* head, const uint8_t* content) {
    weft_world* world = m->world;
    put_new_before(m, head->kind);
    switch (head->kind) {
    case WEFT__STATE_SCHEMA:
        WEFT_TRY(read_schema(m, head, content));
        return put_schema(m);
    case WEFT__STATE_WORLD:
        return move_world(m, *head, content);
    case WEFT__STATE_ARCHETYPES:
        WEFT_TRY(read_sets(m, head, content));
        break;
    case WEFT__STATE_CHUNKS:
    case WEFT__STATE_PRESENCES:
        WEFT_TRY(read_lines(m, head, content, head->kind == WEFT__STATE_PRESENCES));
        break;
    case WEFT__STATE_ROWS:
        return move_rows(m, head, content);
    case WEFT__STATE_PRESENCE:
        if (head->index >= m->presence_of.count)
            return damaged(m, "values are of no presence");
        return move_list(m, head, content,
                         type_of_role(world, WEFT__ROLE_SPARSE, m->presence_of.items[head->index]),
                         WEFT__STATE_HANDLE);
    case WEFT__STATE_FREE:
        break;
    case WEFT__STATE_RESOURCE:
        return move_list(m, head, content, type_of_role(world, WEFT__ROLE_RESOURCE, head->index),
                         0);
    case WEFT__STATE_REDUCTION:
        return move_list(m, head, content, type_of_role(world, WEFT__ROLE_REDUCTION, head->index),
                         0);
    case WEFT__STATE_MESSAGES: {
        bool addressed = head->index < world->channels.count &&
                         world->channels.items[head->index].target == WEFT_TARGET_ENTITY;
        return move_list(m, head, content, type_of_role(world, WEFT__ROLE_CHANNEL, head->index),
                         addressed ? WEFT__STATE_HANDLE : 0);
    }
    default:
        return damaged(m, "it has a section of an unknown kind");
    }
    copy_section(m, head, content);
    return WEFT_STATUS_OK;
}

// The whole -------------------------------------------------------------------------------------

// One walk through the state: to count, or to write.
static weft_status move_all(migrator* m) {
    weft__reader reader;
    uint32_t last = 0;
    weft__reader_init(&reader, m->data, m->size);
    (void)weft__reader_view(&reader, WEFT__STATE_HEADER);
    m->out_at = WEFT__STATE_HEADER;
    m->resources_done = m->reductions_done = false;
    while (weft__reader_left(&reader) > 0) {
        const uint8_t* start = m->data + reader.offset;
        weft__state_head head;
        head.kind = weft__reader_get_u32(&reader);
        head.index = weft__reader_get_u32(&reader);
        head.part = weft__reader_get_u32(&reader);
        head.count = weft__reader_get_u32(&reader);
        head.length = weft__reader_get_u64(&reader);
        uint64_t sum = weft__reader_get_u64(&reader);
        if (reader.underflow || head.length > weft__reader_left(&reader))
            return damaged(m, "it is cut off");
        const uint8_t* content = start + WEFT__STATE_HEAD;
        (void)weft__reader_view(&reader, (size_t)head.length);
        if (sum != weft__state_checksum(start, content, (size_t)head.length))
            return damaged(m, "a section fails its checksum");
        if (head.kind < last || (last == 0 && head.kind != WEFT__STATE_SCHEMA) ||
            (head.kind == WEFT__STATE_SCHEMA && last != 0))
            return damaged(m, "its sections are in another order");
        last = head.kind;
        WEFT_TRY(move_section(m, &head, content));
    }
    if (last == 0)
        return damaged(m, "it is cut off");
    put_new_before(m, UINT32_MAX);
    WEFT_ASSERT(m->resources_done && m->reductions_done);
    return WEFT_STATUS_OK;
}

static void put_header(migrator* m) {
    weft__bytes bytes;
    weft__bytes_init(&bytes, m->out, WEFT__STATE_HEADER);
    weft__bytes_put_u64(&bytes, WEFT__STATE_MAGIC);
    weft__bytes_put_u32(&bytes, WEFT__STATE_VERSION);
    weft__bytes_put_u32(&bytes, 0);
    weft__bytes_put_u64(&bytes, weft_world_schema_hash(m->world));
    weft__bytes_put_u64(&bytes, m->out_at);
    weft__bytes_put_u64(&bytes, weft_hash64_of(m->out, bytes.size, 0));
    WEFT_ASSERT(bytes.size == WEFT__STATE_HEADER && !bytes.overflow);
}

static weft_status migrate(migrator* m) {
    weft__reader reader;
    weft__reader_init(&reader, m->data, m->size);
    for (size_t i = 0; i < m->table_count; i++)
        WEFT_TRY(check_entry(m, &m->table[i]));
    uint64_t magic = weft__reader_get_u64(&reader);
    uint64_t version = weft__reader_get_u64(&reader);
    (void)weft__reader_get_u64(&reader);
    uint64_t total = weft__reader_get_u64(&reader);
    uint64_t sum = weft__reader_get_u64(&reader);
    if (reader.underflow || magic != WEFT__STATE_MAGIC || version != WEFT__STATE_VERSION ||
        total != m->size || sum != weft_hash64_of(m->data, WEFT__STATE_HEADER - sizeof(sum), 0))
        return weft_world_decode(m->world, m->data, m->size); // Which says what is wrong.
    WEFT_TRY(move_all(m));
    uint64_t size = m->out_at;
    m->out = size <= SIZE_MAX ? weft__arena_alloc(&m->world->arena, (size_t)size) : NULL;
    if (m->out == NULL)
        return WEFT_STATUS_OUT_OF_MEMORY;
    WEFT_TRY(move_all(m));
    WEFT_ASSERT(m->out_at == size);
    put_header(m);
    return weft_world_decode(m->world, m->out, (size_t)size);
}

weft_status weft_world_decode_migrated(weft_world* world, const void* bytes, size_t size,
                                       const weft_migration* table, size_t count) {
    WEFT_ASSERT(world != NULL && (bytes != NULL || size == 0) && !world->running);
    WEFT_ASSERT(table != NULL || count == 0);
    if (world->failed)
        return WEFT_STATUS_WORLD_FAILED;
    weft__arena* arena = &world->arena;
    migrator* m = weft__arena_alloc_zero(arena, sizeof(*m));
    if (m == NULL)
        return WEFT_STATUS_OUT_OF_MEMORY;
    m->world = world;
    m->table = table;
    m->table_count = count;
    m->data = bytes;
    m->size = size;
    weft_status status = migrate(m);
    if (status == WEFT_STATUS_OUT_OF_MEMORY && !world->failed)
        status = weft__world_fail(world, status,
                                  "no memory is left to migrate a state of %llu "
                                  "bytes",
                                  (unsigned long long)size);
    if (m->out != NULL)
        weft__arena_free(arena, m->out, (size_t)m->out_at);
    WEFT__VEC_FREE(arena, m->types);
    WEFT__VEC_FREE(arena, m->set_ends);
    WEFT__VEC_FREE(arena, m->set_types);
    WEFT__VEC_FREE(arena, m->chunk_sets);
    WEFT__VEC_FREE(arena, m->presence_of);
    weft__arena_free(arena, m, sizeof(*m));
    return status;
}
