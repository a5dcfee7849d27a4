// Looking through an encoded state (state_format.h). Nothing of the world changes here: what gets
// past this can be put into it without a further look.
//
// Lengths are checked before what they are the lengths of is read, and counts before memory is
// taken for them, so a damaged state costs no more than a sound one.
//
// Rows are looked through by all workers, each shard by one: the list of chunks says where each
// section is to begin, and only chunks of the same shard have to do with each other. What is told
// is the first fault in the order of the bytes: up to it all sections begin where they are to.

#include <weft/state.h>

#include <stdio.h>

#include "state_format.h"
#include "weft_sort.h"

#define GENERATION_FREE UINT32_MAX // Free slots; also the last generation of a living one.
#define FIRST_FREED 2u             // Freeing a slot advances its generation, from 1.
#define LENGTH_ANY UINT64_MAX      // Entries have no fixed size: the head's own length counts.

static const char* const kind_names[] = {
    [WEFT__STATE_SCHEMA] = "schema",
    [WEFT__STATE_WORLD] = "world",
    [WEFT__STATE_ARCHETYPES] = "archetypes",
    [WEFT__STATE_CHUNKS] = "chunks",
    [WEFT__STATE_ROWS] = "rows",
    [WEFT__STATE_PRESENCES] = "presences",
    [WEFT__STATE_PRESENCE] = "presence",
    [WEFT__STATE_FREE] = "free slots",
    [WEFT__STATE_RESOURCE] = "resource",
    [WEFT__STATE_REDUCTION] = "reduction",
    [WEFT__STATE_MESSAGES] = "messages",
};

// A section that is whole, but says what cannot be.
static weft_status refuse(const weft__state_image* image, const weft__state_head* head,
                          const char* what) {
    WEFT_ASSERT(head->kind >= WEFT__STATE_SCHEMA && head->kind <= WEFT__STATE_MESSAGES);
    if (image->quiet)
        return WEFT_STATUS_BAD_FORMAT;
    return weft__world_fail(image->world, WEFT_STATUS_BAD_FORMAT,
                            "the state is inconsistent: section %s %u, part %u: %s; it was not "
                            "written by weft_world_encode(), take another one",
                            kind_names[head->kind], head->index, head->part, what);
}

// Header and sections ----------------------------------------------------------------------------

static weft_status parse_header(weft__state_image* image, size_t size) {
    weft_world* world = image->world;
    weft__reader* reader = &image->reader;
    uint64_t magic = weft__reader_get_u64(reader);
    uint32_t version = weft__reader_get_u32(reader);
    uint32_t zero = weft__reader_get_u32(reader);
    uint64_t schema = weft__reader_get_u64(reader);
    uint64_t total = weft__reader_get_u64(reader);
    uint64_t sum = weft__reader_get_u64(reader);
    if (size >= sizeof(magic) && magic != WEFT__STATE_MAGIC)
        return weft__world_fail(world, WEFT_STATUS_BAD_FORMAT,
                                "these bytes are no state of a world: they do not begin with "
                                "WEFTSTAT");
    if (reader->underflow)
        return weft__world_fail(world, WEFT_STATUS_BAD_FORMAT,
                                "the state is cut off: %llu bytes are less than its header; take "
                                "a whole one",
                                (unsigned long long)size);
    if (version != WEFT__STATE_VERSION)
        return weft__world_fail(world, WEFT_STATUS_BAD_FORMAT,
                                "the state has version %u of the format, and this library reads "
                                "version %u; decode it with the library that wrote it",
                                version, WEFT__STATE_VERSION);
    if (zero != 0 || sum != weft_hash64_of(image->data, WEFT__STATE_HEADER - sizeof(sum), 0))
        return weft__world_fail(world, WEFT_STATUS_BAD_FORMAT,
                                "the state is damaged: its header fails its checksum; take "
                                "another one");
    if (total != size)
        return weft__world_fail(world, WEFT_STATUS_BAD_FORMAT,
                                "the state %s: it has %llu bytes, and there are %llu",
                                size < total ? "is cut off" : "is followed by something else",
                                (unsigned long long)total, (unsigned long long)size);
    return schema == weft_world_schema_hash(world) ? WEFT_STATUS_OK : WEFT_STATUS_IDENTITY_MISMATCH;
}

static weft__state_head get_head(weft__reader* reader) {
    weft__state_head head;
    head.kind = weft__reader_get_u32(reader);
    head.index = weft__reader_get_u32(reader);
    head.part = weft__reader_get_u32(reader);
    head.count = weft__reader_get_u32(reader);
    head.length = weft__reader_get_u64(reader);
    return head;
}

const uint8_t* weft__state_take(weft__reader* reader, weft__state_head* head_out) {
    *head_out = get_head(reader);
    (void)weft__reader_get_u64(reader);
    const uint8_t* content = weft__reader_view(reader, (size_t)head_out->length);
    WEFT_ASSERT(!reader->underflow);
    return content;
}

// The content of a reader's next section, which is to have this head. Empty content is not null.
static weft_status section_of(const weft__state_image* image, weft__reader* reader,
                              weft__state_head* wanted, const uint8_t** content_out) {
    WEFT_ASSERT(wanted->kind >= WEFT__STATE_SCHEMA && wanted->kind <= WEFT__STATE_MESSAGES);
    WEFT_ASSERT(reader->offset <= reader->size);
    const uint8_t* start = image->data + reader->offset;
    weft__state_head head = get_head(reader);
    uint64_t sum = weft__reader_get_u64(reader);
    bool whole = !reader->underflow && head.length <= weft__reader_left(reader);
    const uint8_t* content = whole ? start + WEFT__STATE_HEAD : NULL;
    if (whole)
        (void)weft__reader_view(reader, (size_t)head.length);
    bool sound = whole && sum == weft__state_checksum(start, content, (size_t)head.length);
    if (!sound && image->quiet)
        return WEFT_STATUS_BAD_FORMAT;
    if (!sound)
        return weft__world_fail(image->world, WEFT_STATUS_BAD_FORMAT,
                                "the state is damaged: section %s %u, part %u, fails its checksum "
                                "at byte %llu; take another one",
                                kind_names[wanted->kind], wanted->index, wanted->part,
                                (unsigned long long)(start - image->data));
    if (head.kind != wanted->kind || head.index != wanted->index || head.part != wanted->part)
        return refuse(image, wanted, "another one is in its place");
    if (head.count != wanted->count ||
        (wanted->length != LENGTH_ANY && head.length != wanted->length))
        return refuse(image, wanted, "it has another size than those before it say");
    wanted->length = head.length;
    *content_out = content;
    return WEFT_STATUS_OK;
}

static weft_status next_section(weft__state_image* image, weft__state_head* wanted,
                                const uint8_t** content_out) {
    weft_status status = section_of(image, &image->reader, wanted, content_out);
    WEFT_ASSERT(status != WEFT_STATUS_OK || *content_out != NULL);
    return status;
}

// Identity ---------------------------------------------------------------------------------------

static const char* role_name(uint32_t role) {
    static const char* const names[] = {
        [WEFT__ROLE_COMPONENT] = "component", [WEFT__ROLE_SPARSE] = "sparse component",
        [WEFT__ROLE_RESOURCE] = "resource",   [WEFT__ROLE_CHANNEL] = "channel",
        [WEFT__ROLE_REDUCTION] = "reduction",
    };
    return role >= WEFT__ROLE_COMPONENT && role <= WEFT__ROLE_REDUCTION ? names[role] : "unknown";
}

// What one type of the state says.
typedef struct type_entry {
    uint32_t role;
    uint32_t flags;
    uint32_t values;
    uint64_t hash;
    int name_length; // That is shown.
    const char* name;
} type_entry;

static type_entry get_type(weft__reader* reader) {
    type_entry entry = {.name = ""};
    entry.role = weft__reader_get_u8(reader);
    entry.flags = weft__reader_get_u8(reader);
    entry.values = weft__reader_get_u32(reader);
    entry.hash = weft__reader_get_u64(reader);
    uint32_t length = weft__reader_get_u32(reader);
    const uint8_t* name = weft__reader_view(reader, length);
    if (name != NULL) {
        entry.name = (const char*)name;
        entry.name_length = length < 64 ? (int)length : 64;
    }
    return entry;
}

static weft_status differ(const weft__state_image* image, uint32_t number, const type_entry* entry,
                          const char* how) {
    weft_world* world = image->world;
    char there[96] = "missing";
    char here[96] = "missing";
    if (entry != NULL)
        (void)snprintf(there, sizeof(there), "%s %.*s", role_name(entry->role), entry->name_length,
                       entry->name);
    if (number < world->types.count)
        (void)snprintf(here, sizeof(here), "%s %.64s",
                       role_name((uint32_t)world->types.items[number].role),
                       world->types.items[number].type->name);
    return weft__world_fail(world, WEFT_STATUS_IDENTITY_MISMATCH,
                            "the state has another schema: type %u is %s there and %s here%s; "
                            "decode it into a world that the code of its own version makes",
                            number + 1, there, here, how);
}

static weft_status compare_type(const weft__state_image* image, uint32_t number,
                                const type_entry* entry) {
    const weft_world* world = image->world;
    if (number >= world->types.count)
        return differ(image, number, entry, "");
    const weft__type* own = &world->types.items[number];
    size_t length = strlen(own->type->name);
    size_t shown = length < 64 ? length : 64;
    if (entry->role != (uint32_t)own->role || (size_t)entry->name_length != shown ||
        memcmp(entry->name, own->type->name, shown) != 0)
        return differ(image, number, entry, "");
    if (entry->hash != own->hash)
        return differ(image, number, entry, ", with other fields");
    if (entry->values != weft__state_values(world, own))
        return differ(image, number, entry, ", with another number of values");
    if (entry->flags != weft__state_flags(world, own))
        return differ(image, number, entry, ", with another storage, target or delivery");
    return WEFT_STATUS_OK;
}

// `other`: the hashes say that the schema is another one.
static weft_status parse_schema(weft__state_image* image, bool other) {
    WEFT_ASSERT(image->reader.offset == WEFT__STATE_HEADER);
    const uint8_t* start = image->data + image->reader.offset;
    weft__reader head_reader;
    weft__reader_init(&head_reader, start, image->reader.size - image->reader.offset);
    weft__state_head head = get_head(&head_reader); // How many types it has is its own matter.
    weft__state_head wanted = {
        .kind = WEFT__STATE_SCHEMA, .count = head.count, .length = LENGTH_ANY};
    const uint8_t* content = NULL;
    WEFT_TRY(next_section(image, &wanted, &content));
    weft__reader reader;
    weft__reader_init(&reader, content, (size_t)wanted.length);
    for (uint32_t i = 0; i < wanted.count; i++) {
        type_entry entry = get_type(&reader);
        if (reader.underflow)
            return refuse(image, &wanted, "it ends within a type");
        WEFT_TRY(compare_type(image, i, &entry));
    }
    if (weft__reader_finish(&reader) != WEFT_STATUS_OK)
        return refuse(image, &wanted, "something follows its last type");
    if (wanted.count != image->world->types.count)
        return differ(image, wanted.count, NULL, "");
    return other ? refuse(image, &wanted, "it is not what the header says") : WEFT_STATUS_OK;
}

static weft_status differ_number(weft_world* world, const char* what, uint64_t there,
                                 uint64_t here) {
    WEFT_ASSERT(there != here);
    return weft__world_fail(world, WEFT_STATUS_IDENTITY_MISMATCH,
                            "the state is of a world whose %s is %llu, and here it is %llu; "
                            "create the world with the same description",
                            what, (unsigned long long)there, (unsigned long long)here);
}

static weft_status parse_identity(weft__state_image* image, weft__reader* reader) {
    weft_world* world = image->world;
    uint64_t seed = weft__reader_get_u64(reader);
    uint32_t math = weft__reader_get_u32(reader);
    uint32_t flags = weft__reader_get_u32(reader);
    uint32_t slot_limit = weft__reader_get_u32(reader);
    uint32_t archetype_limit = weft__reader_get_u32(reader);
    uint32_t own_flags = weft__state_identity_flags(&world->desc);
    if (seed != world->desc.seed)
        return differ_number(world, "seed", seed, world->desc.seed);
    if (math != (uint32_t)world->desc.math)
        return differ_number(world, "math backend", math, (uint64_t)world->desc.math);
    if (flags != own_flags)
        return differ_number(world, "set of flags (1 allow_float, 2 deterministic, 4 unordered)",
                             flags, own_flags);
    if (slot_limit != world->desc.slot_limit)
        return differ_number(world, "slot limit", slot_limit, world->desc.slot_limit);
    if (archetype_limit != world->desc.archetype_limit)
        return differ_number(world, "archetype limit", archetype_limit,
                             world->desc.archetype_limit);
    return WEFT_STATUS_OK;
}

static weft_status parse_world(weft__state_image* image) {
    weft_world* world = image->world;
    weft__state_head head = {.kind = WEFT__STATE_WORLD,
                             .count = world->channels.count,
                             .length = WEFT__STATE_WORLD_SIZE + 4ull * world->channels.count};
    const uint8_t* content = NULL;
    WEFT_TRY(next_section(image, &head, &content));
    weft__reader reader;
    weft__reader_init(&reader, content, (size_t)head.length);
    WEFT_TRY(parse_identity(image, &reader));
    image->tick = weft__reader_get_u64(&reader);
    image->live_count = weft__reader_get_u64(&reader);
    image->retired_count = weft__reader_get_u64(&reader);
    image->slot_count = weft__reader_get_u32(&reader);
    image->free_count = weft__reader_get_u32(&reader);
    image->archetype_count = weft__reader_get_u32(&reader);
    image->chunk_count = weft__reader_get_u32(&reader);
    image->presence_count = weft__reader_get_u32(&reader);
    uint64_t left = image->slot_count;
    if (image->slot_count > world->desc.slot_limit)
        return refuse(image, &head, "it has more slots than its limit");
    if (image->live_count > left || image->free_count > left - image->live_count ||
        image->retired_count != left - image->live_count - image->free_count)
        return refuse(image, &head, "living, free and retired slots are not all slots");
    if (image->archetype_count == 0 || image->archetype_count - 1 > world->desc.archetype_limit)
        return refuse(image, &head, "it has another number of archetypes than its limit allows");
    WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, image->message_counts, world->channels.count));
    for (uint32_t i = 0; i < world->channels.count; i++) {
        uint32_t count = weft__reader_get_u32(&reader);
        image->message_counts.items[image->message_counts.count++] = count;
        if (count > 0 && world->channels.items[i].delivery != WEFT_DELIVERY_NEXT)
            return refuse(image, &head, "messages wait in a channel that delivers at once");
    }
    WEFT_ASSERT(weft__reader_finish(&reader) == WEFT_STATUS_OK);
    return WEFT_STATUS_OK;
}

// Structure --------------------------------------------------------------------------------------

// Interns one archetype's set: a memo, so nothing of the world changes.
static weft_status parse_set(weft__state_image* image, const weft__state_head* head,
                             weft__reader* reader, uint16_t* components) {
    weft_world* world = image->world;
    uint32_t count = weft__reader_get_u16(reader);
    if (reader->underflow || count > world->types.count)
        return refuse(image, head, "an archetype has more components than there are");
    for (uint32_t i = 0; i < count; i++) {
        components[i] = weft__reader_get_u16(reader);
        if (components[i] == 0 || components[i] > world->types.count ||
            weft__type_at(world, components[i])->role != WEFT__ROLE_COMPONENT ||
            (i > 0 && components[i] <= components[i - 1]))
            return refuse(image, head, "an archetype is no ascending list of dense components");
    }
    if (reader->underflow)
        return refuse(image, head, "it ends within an archetype");
    uint32_t set = weft__set_of(world, components, count);
    if (set == WEFT__NONE)
        return WEFT_STATUS_OUT_OF_MEMORY;
    while (image->set_seen.count < world->sets.count)
        WEFT_TRY(WEFT__VEC_PUSH(&world->arena, image->set_seen, 0));
    WEFT_ASSERT(set < image->set_seen.count);
    if (image->set_seen.items[set] != 0)
        return refuse(image, head, "two archetypes are the same set");
    image->set_seen.items[set] = 1;
    return WEFT__VEC_PUSH(&world->arena, image->sets, set);
}

static weft_status parse_archetypes(weft__state_image* image) {
    weft_world* world = image->world;
    weft__state_head head = {
        .kind = WEFT__STATE_ARCHETYPES, .count = image->archetype_count - 1, .length = LENGTH_ANY};
    const uint8_t* content = NULL;
    WEFT_TRY(next_section(image, &head, &content));
    weft__reader reader;
    weft__reader_init(&reader, content, (size_t)head.length);
    size_t bytes = ((size_t)world->types.count + 1) * sizeof(uint16_t);
    uint16_t* components = weft__arena_alloc(&world->arena, bytes);
    if (components == NULL)
        return WEFT_STATUS_OUT_OF_MEMORY;
    weft_status status = WEFT__VEC_PUSH(&world->arena, image->sets, 0); // The empty set.
    if (status == WEFT_STATUS_OK)
        status = WEFT__VEC_PUSH(&world->arena, image->set_seen, 1);
    for (uint32_t i = 1; i < image->archetype_count && status == WEFT_STATUS_OK; i++)
        status = parse_set(image, &head, &reader, components);
    weft__arena_free(&world->arena, components, bytes);
    WEFT_TRY(status);
    WEFT_ASSERT(image->sets.count == image->archetype_count);
    return weft__reader_finish(&reader) == WEFT_STATUS_OK
               ? WEFT_STATUS_OK
               : refuse(image, &head, "something follows its last archetype");
}

static bool key_before(uint64_t a, uint64_t b, const void* extra) {
    (void)extra;
    return a < b;
}

WEFT__SORT(sort_keys, uint64_t, void, key_before)

// No archetype has two chunks in a shard.
static weft_status check_keys(weft__state_image* image, const weft__state_head* head) {
    WEFT_ASSERT(image->keys.count == image->chunk_count);
    WEFT_TRY(WEFT__VEC_RESERVE(&image->world->arena, image->key_scratch, image->keys.count));
    sort_keys(image->keys.items, image->key_scratch.items, image->keys.count, NULL);
    for (uint32_t i = 1; i < image->keys.count; i++)
        if (image->keys.items[i] == image->keys.items[i - 1])
            return refuse(image, head, "an archetype has two chunks in one shard");
    return WEFT_STATUS_OK;
}

static uint32_t shard_count(const weft__state_image* image) {
    return image->slot_count / WEFT_SHARD_SLOTS + (image->slot_count % WEFT_SHARD_SLOTS != 0);
}

static uint64_t row_size(const weft_world* world, const uint16_t* components, uint32_t count) {
    uint64_t size = WEFT__STATE_HANDLE;
    for (uint32_t i = 0; i < count; i++)
        size += weft__type_at(world, components[i])->type->size;
    return size;
}

// Lists a chunk whose rows begin at `at`, behind the others of its shard; where the next begin.
static size_t add_line(weft__state_image* image, weft__state_line line, size_t at) {
    const weft_world* world = image->world;
    WEFT_ASSERT(line.archetype < image->sets.count && line.shard < image->shards.count);
    WEFT_ASSERT(image->lines.count < image->chunk_count && at <= image->reader.size);
    const weft__set* set = &world->sets.items[image->sets.items[line.archetype]];
    weft__state_shard* shard = &image->shards.items[line.shard];
    uint32_t id = image->lines.count;
    line.next = WEFT__NONE;
    line.at = at;
    image->lines.items[image->lines.count++] = line;
    if (shard->first == WEFT__NONE)
        shard->first = id;
    else
        image->lines.items[shard->last].next = id;
    shard->last = id;
    if (line.rows == 0)
        return at;
    uint64_t length =
        WEFT__STATE_HEAD + line.rows * row_size(world, set->components, set->component_count);
    size_t left = image->reader.size - at;
    return length < left ? at + (size_t)length : at + left; // What is cut off is found there.
}

static weft_status reserve_lines(weft__state_image* image) {
    weft__arena* arena = &image->world->arena;
    weft__state_shard none = {WEFT__NONE, WEFT__NONE, WEFT__NONE};
    uint32_t shards = shard_count(image);
    WEFT_TRY(WEFT__VEC_RESERVE(arena, image->keys, image->chunk_count));
    WEFT_TRY(WEFT__VEC_RESERVE(arena, image->lines, image->chunk_count));
    WEFT_TRY(WEFT__VEC_RESERVE(arena, image->shards, shards));
    while (image->shards.count < shards)
        image->shards.items[image->shards.count++] = none;
    return WEFT_STATUS_OK;
}

static weft_status parse_chunks(weft__state_image* image) {
    weft__state_head head = {.kind = WEFT__STATE_CHUNKS,
                             .count = image->chunk_count,
                             .length = (uint64_t)WEFT__STATE_CHUNK * image->chunk_count};
    const uint8_t* content = NULL;
    WEFT_TRY(next_section(image, &head, &content));
    weft__reader reader;
    weft__reader_init(&reader, content, (size_t)head.length);
    uint64_t rows = 0;
    size_t at = image->reader.offset;
    WEFT_TRY(reserve_lines(image));
    for (uint32_t i = 0; i < image->chunk_count; i++) {
        weft__state_line line = {.archetype = weft__reader_get_u32(&reader)};
        line.shard = weft__reader_get_u32(&reader);
        line.rows = weft__reader_get_u32(&reader);
        if (line.archetype >= image->archetype_count || line.shard >= shard_count(image) ||
            line.rows > WEFT_SHARD_SLOTS)
            return refuse(image, &head, "a chunk's archetype, shard or rows are out of range");
        image->keys.items[image->keys.count++] = (uint64_t)line.archetype << 32 | line.shard;
        rows += line.rows;
        at = add_line(image, line, at);
    }
    image->rows_end = at;
    if (rows != image->live_count)
        return refuse(image, &head, "the chunks have another number of rows than entities live");
    return check_keys(image, &head);
}

// Values -----------------------------------------------------------------------------------------

// NaN, bools that are neither 0 nor 1. A big-endian host looks at them in its scratch.
static weft_status check_values(const weft__state_image* image, const weft__state_head* head,
                                const weft__lane* lane, const weft__type* type,
                                const uint8_t* bytes, uint32_t count) {
    char text[192];
    uint32_t at;
    if (!type->has_float && !type->has_bool)
        return WEFT_STATUS_OK;
    const void* values = bytes;
    if (!WEFT__LITTLE_ENDIAN) {
        WEFT_ASSERT((size_t)count * type->type->size <= lane->column_size);
        weft__type_decode(type->type, bytes, count, lane->column);
        values = lane->column;
    }
    weft_status status = weft__values_check(type, values, count, &at, text, sizeof(text));
    if (status == WEFT_STATUS_OK || image->quiet)
        return status;
    return weft__world_fail(image->world, status,
                            "the state is inconsistent: section %s %u, part %u, value %u: %s; take "
                            "another one",
                            kind_names[head->kind], head->index, head->part, at, text);
}

// Handles of a shard, ascending. Those of an archetype's chunk are entered as living; those of a
// presence table must have been.
static weft_status parse_handles(const weft__state_image* image, const weft__state_head* head,
                                 uint32_t shard, const uint8_t* content) {
    uint32_t* generations = image->generations.items;
    uint64_t least = (uint64_t)shard * WEFT_SHARD_SLOTS;
    uint64_t end = least + WEFT_SHARD_SLOTS;
    bool enters = head->kind == WEFT__STATE_ROWS;
    WEFT_ASSERT(enters || head->kind == WEFT__STATE_PRESENCE);
    WEFT_ASSERT(least < image->slot_count);
    end = end < image->slot_count ? end : image->slot_count;
    for (uint32_t i = 0; i < head->count; i++) {
        weft_entity handle = weft__state_handle(content + (size_t)i * WEFT__STATE_HANDLE);
        if (handle.slot < least || handle.slot >= end)
            return refuse(image, head, "rows do not ascend within the slots of their shard");
        least = (uint64_t)handle.slot + 1;
        uint32_t before = generations[handle.slot];
        if (enters && (handle.generation == 0 || before != 0))
            return refuse(image, head, "an entity has no generation or two rows");
        if (!enters && (handle.generation == 0 || before != handle.generation))
            return refuse(image, head, "a row is of an entity that does not live");
        generations[handle.slot] = handle.generation;
    }
    return WEFT_STATUS_OK;
}

// The rows of one chunk whose line in a list of chunks says so.
static weft_status parse_rows(const weft__state_image* image, weft__reader* reader,
                              weft__state_head* head, const weft__lane* lane, uint32_t shard,
                              const uint16_t* components, uint32_t component_count) {
    const weft_world* world = image->world;
    head->length = row_size(world, components, component_count) * head->count;
    const uint8_t* content = NULL;
    WEFT_TRY(section_of(image, reader, head, &content));
    WEFT_TRY(parse_handles(image, head, shard, content));
    content += (size_t)head->count * WEFT__STATE_HANDLE;
    for (uint32_t i = 0; i < component_count; i++) {
        const weft__type* type = weft__type_at(world, components[i]);
        WEFT_TRY(check_values(image, head, lane, type, content, head->count));
        content += (size_t)head->count * type->type->size;
    }
    return WEFT_STATUS_OK;
}

// The rows of one shard: those of each chunk after those of the chunks before.
static weft_status parse_shard(weft__state_image* image, uint32_t worker, uint32_t number) {
    const weft_world* world = image->world;
    weft__state_shard* shard = &image->shards.items[number];
    uint32_t begin = number * WEFT_SHARD_SLOTS;
    WEFT_ASSERT(number < image->shards.count && begin < image->slot_count);
    WEFT_ASSERT(worker < world->lane_count);
    uint32_t left = image->slot_count - begin;
    uint32_t slots = left < WEFT_SHARD_SLOTS ? left : WEFT_SHARD_SLOTS;
    memset(image->generations.items + begin, 0, (size_t)slots * sizeof(uint32_t));
    for (uint32_t id = shard->first; id != WEFT__NONE; id = image->lines.items[id].next) {
        const weft__state_line* line = &image->lines.items[id];
        WEFT_ASSERT(line->shard == number);
        const weft__set* set = &world->sets.items[image->sets.items[line->archetype]];
        weft__state_head head = {.kind = WEFT__STATE_ROWS, .index = id, .count = line->rows};
        weft__reader reader = image->reader;
        reader.offset = line->at;
        if (line->rows == 0)
            continue;
        shard->fault = id;
        WEFT_TRY(parse_rows(image, &reader, &head, &world->lanes[worker], number, set->components,
                            set->component_count));
    }
    shard->fault = WEFT__NONE;
    return WEFT_STATUS_OK;
}

static void shard_item(void* context, uint32_t worker, uint32_t item) {
    (void)!parse_shard(context, worker, item);
}

static weft_status parse_all_rows(weft__state_image* image) {
    weft__reader* reader = &image->reader;
    weft__batch batch = {.count = image->shards.count,
                         .cost_ns = (reader->size - reader->offset) / 8,
                         .fn = shard_item,
                         .context = image};
    uint32_t first = WEFT__NONE;
    WEFT_ASSERT(image->rows_end >= reader->offset && image->rows_end <= reader->size);
    WEFT_TRY(WEFT__VEC_RESERVE(&image->world->arena, image->generations, image->slot_count));
    image->quiet = true;
    image->runner->run(image->runner, &batch);
    image->quiet = false;
    for (uint32_t i = 0; i < image->shards.count; i++)
        if (image->shards.items[i].fault < first)
            first = image->shards.items[i].fault;
    if (first != WEFT__NONE) // Once more, to say what it is.
        return parse_shard(image, 0, image->lines.items[first].shard);
    reader->offset = image->rows_end;
    return WEFT_STATUS_OK;
}

static weft_status parse_presences(weft__state_image* image) {
    const weft_world* world = image->world;
    weft__state_head head = {.kind = WEFT__STATE_PRESENCES,
                             .count = image->presence_count,
                             .length = (uint64_t)WEFT__STATE_CHUNK * image->presence_count};
    const uint8_t* content = NULL;
    WEFT_TRY(next_section(image, &head, &content));
    image->presences_at = image->reader.offset - (size_t)head.length;
    image->presence_at = image->reader.offset;
    weft__reader reader;
    weft__reader_init(&reader, content, (size_t)head.length);
    uint64_t least = 0;
    for (uint32_t i = 0; i < image->presence_count; i++) {
        uint32_t table = weft__reader_get_u32(&reader);
        uint32_t shard = weft__reader_get_u32(&reader);
        uint32_t rows = weft__reader_get_u32(&reader);
        uint64_t key = (uint64_t)table << 32 | shard;
        if (table >= world->sparse.count || shard >= shard_count(image) || rows == 0 ||
            rows > WEFT_SHARD_SLOTS || key < least)
            return refuse(image, &head, "a table, shard or rows are out of range or order");
        least = key + 1;
        weft__state_head rows_head = {.kind = WEFT__STATE_PRESENCE, .index = i, .count = rows};
        uint16_t component = (uint16_t)world->sparse_types.items[table];
        WEFT_TRY(
            parse_rows(image, &image->reader, &rows_head, &world->lanes[0], shard, &component, 1));
    }
    return WEFT_STATUS_OK;
}

static weft_status parse_free(weft__state_image* image) {
    uint32_t* generations = image->generations.items;
    for (uint32_t part = 0; part < weft__state_parts(image->free_count); part++) {
        weft__state_head head = {.kind = WEFT__STATE_FREE,
                                 .part = part,
                                 .count = weft__state_part_count(image->free_count, part)};
        head.length = (uint64_t)WEFT__STATE_HANDLE * head.count;
        const uint8_t* content = NULL;
        WEFT_TRY(next_section(image, &head, &content));
        for (uint32_t i = 0; i < head.count; i++) {
            weft_entity free = weft__state_handle(content + (size_t)i * WEFT__STATE_HANDLE);
            if (free.slot >= image->slot_count || generations[free.slot] != 0 ||
                free.generation < FIRST_FREED)
                return refuse(image, &head, "a free slot is out of range, taken, or free twice");
            generations[free.slot] = GENERATION_FREE;
        }
    }
    return WEFT_STATUS_OK;
}

// A handle that a message may be for: any, but no provisional one.
static weft_status check_targets(const weft__state_image* image, const weft__state_head* head,
                                 const uint8_t* content) {
    for (uint32_t i = 0; i < head->count; i++)
        if (weft__entity_is_provisional(
                weft__state_handle(content + (size_t)i * WEFT__STATE_HANDLE)))
            return refuse(image, head, "a message is for a provisional handle");
    return WEFT_STATUS_OK;
}

static weft_status parse_list(weft__state_image* image, weft__state_kind kind, uint32_t index,
                              uint32_t type_id, bool addressed, uint32_t count) {
    const weft__type* type = weft__type_at(image->world, type_id);
    uint32_t handle = addressed ? WEFT__STATE_HANDLE : 0;
    for (uint32_t part = 0; part < weft__state_parts(count); part++) {
        weft__state_head head = {.kind = (uint32_t)kind,
                                 .index = index,
                                 .part = part,
                                 .count = weft__state_part_count(count, part)};
        head.length = (uint64_t)head.count * (type->type->size + handle);
        const uint8_t* content = NULL;
        WEFT_TRY(next_section(image, &head, &content));
        if (addressed)
            WEFT_TRY(check_targets(image, &head, content));
        WEFT_TRY(check_values(image, &head, &image->world->lanes[0], type,
                              content + (size_t)head.count * handle, head.count));
    }
    return WEFT_STATUS_OK;
}

static weft_status parse_values(weft__state_image* image) {
    const weft_world* world = image->world;
    WEFT_ASSERT(image->message_counts.count == world->channels.count);
    for (uint32_t i = 0; i < world->resources.count; i++)
        WEFT_TRY(parse_list(image, WEFT__STATE_RESOURCE, i, world->resources.items[i].type, false,
                            world->resources.items[i].count));
    for (uint32_t i = 0; i < world->reductions.count; i++)
        WEFT_TRY(
            parse_list(image, WEFT__STATE_REDUCTION, i, world->reductions.items[i].type, false, 1));
    for (uint32_t i = 0; i < world->channels.count; i++)
        WEFT_TRY(parse_list(image, WEFT__STATE_MESSAGES, i, world->channels.items[i].type,
                            world->channels.items[i].target == WEFT_TARGET_ENTITY,
                            image->message_counts.items[i]));
    return WEFT_STATUS_OK;
}

// The whole -------------------------------------------------------------------------------------

static weft_status parse_sections(weft__state_image* image, size_t size) {
    weft_status schema = parse_header(image, size);
    if (schema != WEFT_STATUS_IDENTITY_MISMATCH)
        WEFT_TRY(schema);
    WEFT_TRY(parse_schema(image, schema != WEFT_STATUS_OK));
    WEFT_TRY(parse_world(image));
    WEFT_TRY(parse_archetypes(image));
    WEFT_TRY(parse_chunks(image));
    WEFT_TRY(parse_all_rows(image));
    WEFT_TRY(parse_presences(image));
    WEFT_TRY(parse_free(image));
    WEFT_TRY(parse_values(image));
    if (weft__reader_left(&image->reader) == 0)
        return WEFT_STATUS_OK;
    return weft__world_fail(image->world, WEFT_STATUS_BAD_FORMAT,
                            "the state is inconsistent: %llu bytes follow its last section; take "
                            "another one",
                            (unsigned long long)weft__reader_left(&image->reader));
}

weft_status weft__state_parse(weft__state_image* image, const void* bytes, size_t size) {
    WEFT_ASSERT(image->world != NULL && image->runner != NULL && !image->quiet);
    image->data = bytes;
    weft__reader_init(&image->reader, bytes, size);
    weft_status status = parse_sections(image, size);
    if (status == WEFT_STATUS_OUT_OF_MEMORY)
        return weft__world_fail(image->world, status,
                                "no memory is left to look through the state of %llu bytes",
                                (unsigned long long)size);
    return status;
}

void weft__state_forget(weft__state_image* image) {
    weft__arena* arena = &image->world->arena;
    WEFT__VEC_FREE(arena, image->message_counts);
    WEFT__VEC_FREE(arena, image->sets);
    WEFT__VEC_FREE(arena, image->set_seen);
    WEFT__VEC_FREE(arena, image->keys);
    WEFT__VEC_FREE(arena, image->key_scratch);
    WEFT__VEC_FREE(arena, image->lines);
    WEFT__VEC_FREE(arena, image->shards);
    WEFT__VEC_FREE(arena, image->generations);
}
