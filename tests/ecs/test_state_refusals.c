// States that are not taken: each is refused by a line that names what is wrong, and the world
// stays as it was.

#include "state_sample.h"

static const run_config serial = {.name = "serial", .kind = WEFT_EXECUTOR_SERIAL, .workers = 1};

/// A world, its state before and after a tick: the first is damaged, the second is what it holds.
typedef struct victim {
    sim s;
    state good;
    weft_digest full;
} victim;

static victim victim_open(uint32_t entities) {
    sample what = {.config = &serial, .entities = entities, .seed = 5};
    victim v = {.s = sample_open(&what)};
    for (uint32_t i = 0; i < 8; i++)
        sample_tick(&v.s);
    v.good = state_of(v.s.world);
    sample_tick(&v.s);
    v.full = weft_world_digest_full(v.s.world);
    return v;
}

static void victim_close(victim* v) {
    state_free(&v->good);
    sample_close(&v->s);
}

// Nothing has changed, and the world goes on.
static void unharmed(const victim* v) {
    cr_assert(!weft_world_has_failed(v->s.world));
    DIGEST_EQ(weft_world_digest_full(v->s.world), v->full);
    cr_assert_null(storage_fault(v->s.world));
}

static void run_backward(weft__runner* runner, const weft__batch* batch) {
    (void)runner;
    for (uint32_t i = batch->count; i-- > 0;)
        batch->fn(batch->context, 0, i);
}

static void refused(const victim* v, const state* bad, weft_status status, const char* line) {
    weft__runner backward = {.run = run_backward};
    char told[sizeof(v->s.world->error)];
    cr_assert_eq(weft__state_decode(v->s.world, &backward, bad->bytes, bad->size), status);
    memcpy(told, weft_world_error(v->s.world), sizeof(told));
    weft_status found = weft_world_decode(v->s.world, bad->bytes, bad->size);
    cr_assert_eq(found, status, "%s, not %s: %s", weft_status_name(found), weft_status_name(status),
                 weft_world_error(v->s.world));
    TEXT_HAS(weft_world_error(v->s.world), line);
    cr_assert_str_eq(weft_world_error(v->s.world), told);
    unharmed(v);
}

// Damage -----------------------------------------------------------------------------------------

Test(state_refusals, every_truncation, .timeout = 60) {
    victim v = victim_open(30);
    for (size_t size = 0; size < v.good.size; size++) {
        weft_status status = weft_world_decode(v.s.world, size == 0 ? NULL : v.good.bytes, size);
        cr_assert_eq(status, WEFT_STATUS_BAD_FORMAT, "%zu bytes of %zu", size, v.good.size);
        TEXT_HAS(weft_world_error(v.s.world), "cut off");
    }
    unharmed(&v);
    WORLD_OK(v.s.world, weft_world_decode(v.s.world, v.good.bytes, v.good.size));
    victim_close(&v);
}

static size_t section_end(state_part part, const state* one) {
    return (size_t)(part.content + part.length - one->bytes);
}

// Of faults in several chunks, shards and lists the one that comes first in the bytes is told, in
// whatever order they are found.
Test(state_refusals, the_first_fault_is_told) {
    victim v = victim_open(5 * WEFT_SHARD_SLOTS);
    weft_random_key key = {.seed = 8};
    char first[sizeof(v.s.world->error)];
    size_t begin = (size_t)(state_find(&v.good, WEFT__STATE_ROWS).head - v.good.bytes);
    size_t end = section_end(state_find(&v.good, WEFT__STATE_PRESENCE), &v.good);
    for (uint32_t i = 0; i < 60; i++) {
        size_t a = begin + weft_random_u64_below(key, 1, i, end - begin);
        size_t b = begin + weft_random_u64_below(key, 2, i, end - begin);
        state bad = state_copy(&v.good);
        bad.bytes[a < b ? a : b] ^= 1;
        refused(&v, &bad, WEFT_STATUS_BAD_FORMAT, "fails its checksum");
        memcpy(first, weft_world_error(v.s.world), sizeof(first));
        bad.bytes[a < b ? b : a] ^= 2;
        refused(&v, &bad, WEFT_STATUS_BAD_FORMAT, first);
        state_free(&bad);
    }
    victim_close(&v);
}

// Cut off with a header that knows of it, so that what is missing is met further in.
Test(state_refusals, every_truncation_with_a_header_that_fits, .timeout = 60) {
    victim v = victim_open(30);
    for (size_t size = WEFT__STATE_HEADER; size < v.good.size; size += 1 + size / 3000) {
        state cut = {v.good.bytes, size};
        uint8_t header[WEFT__STATE_HEADER];
        memcpy(header, v.good.bytes, sizeof(header));
        state_put(v.good.bytes + 24, size, 8);
        state_seal_header(&cut);
        weft_status status = weft_world_decode(v.s.world, cut.bytes, cut.size);
        cr_assert_eq(status, WEFT_STATUS_BAD_FORMAT, "%zu bytes of %zu", size, v.good.size);
        memcpy(v.good.bytes, header, sizeof(header));
    }
    unharmed(&v);
    victim_close(&v);
}

static void flip(const victim* v, size_t bit) {
    v->good.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    weft_status status = weft_world_decode(v->s.world, v->good.bytes, v->good.size);
    cr_assert_eq(status, WEFT_STATUS_BAD_FORMAT, "bit %zu: %s", bit, weft_status_name(status));
    cr_assert_str_neq(weft_world_error(v->s.world), "");
    v->good.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
}

Test(state_refusals, flipped_bits, .timeout = 60) {
    victim v = victim_open(30);
    weft_random_key key = {.seed = 3};
    for (size_t bit = 0; bit < 8 * 600; bit++) // The header and the first sections: every one.
        flip(&v, bit);
    for (uint32_t i = 0; i < 6000; i++)
        flip(&v, weft_random_u64_below(key, 0, i, 8 * v.good.size));
    unharmed(&v);
    WORLD_OK(v.s.world, weft_world_decode(v.s.world, v.good.bytes, v.good.size));
    victim_close(&v);
}

Test(state_refusals, what_is_no_state_or_of_another_version) {
    victim v = victim_open(30);
    state bad = state_copy(&v.good);
    memcpy(bad.bytes, "PK\3\4....", 8);
    refused(&v, &bad, WEFT_STATUS_BAD_FORMAT, "do not begin with WEFTSTAT");
    memcpy(bad.bytes, v.good.bytes, bad.size);
    state_put(bad.bytes + 8, 2, 4);
    state_seal_header(&bad);
    refused(&v, &bad, WEFT_STATUS_BAD_FORMAT, "version 2 of the format");
    state longer = {realloc(bad.bytes, bad.size + 8), bad.size + 8};
    cr_assert_not_null(longer.bytes);
    memcpy(longer.bytes, v.good.bytes, v.good.size);
    refused(&v, &longer, WEFT_STATUS_BAD_FORMAT, "is followed by something else");
    state_put(longer.bytes + 24, longer.size, 8);
    state_seal_header(&longer);
    refused(&v, &longer, WEFT_STATUS_BAD_FORMAT, "8 bytes follow its last section");
    state_free(&longer);
    victim_close(&v);
}

// Another identity -------------------------------------------------------------------------------

static void register_other(weft_world* world, uint32_t way) {
    static const weft_field fields[] = {{.name = "height", .kind = WEFT_KIND_U32}};
    static const weft_type tide = {"Tide", 4, 4, 1, fields};
    world_component(world, WEFT_TYPE(Barge), WEFT_STORAGE_DENSE);
    if (way == 0)
        world_component(world, WEFT_TYPE(Tow), WEFT_STORAGE_DENSE);
    if (way == 1)
        world_component(world, WEFT_TYPE(Tide), WEFT_STORAGE_DENSE);
    if (way == 2)
        world_component(world, &tide, WEFT_STORAGE_BUFFERED);
    if (way == 3)
        world_component(world, WEFT_TYPE(Tide), WEFT_STORAGE_SPARSE);
    if (way == 4)
        WORLD_OK(world, weft_world_register_resource(world, WEFT_TYPE(Tide), 1, NULL));
}

static void other_schema(const victim* v, uint32_t way, const char* line) {
    weft_world_desc desc = weft_world_desc_default();
    desc.seed = 5;
    desc.allow_float = true;
    weft_world* world;
    cr_assert_eq(weft_world_create(&desc, NULL, &world), WEFT_STATUS_OK);
    register_other(world, way);
    weft_digest before = weft_world_digest_full(world);
    cr_assert_eq(weft_world_decode(world, v->good.bytes, v->good.size),
                 WEFT_STATUS_IDENTITY_MISMATCH);
    TEXT_HAS(weft_world_error(world), line);
    DIGEST_EQ(weft_world_digest_full(world), before);
    weft_world_destroy(world);
}

Test(state_refusals, another_schema_by_the_first_type_that_differs) {
    victim v = victim_open(30);
    other_schema(&v, 0, "type 2 is component Tide there and component Tow here");
    other_schema(&v, 1,
                 "type 2 is component Tide there and component Tide here, with another "
                 "storage");
    other_schema(&v, 2,
                 "type 2 is component Tide there and component Tide here, with other fields");
    other_schema(&v, 3, "type 2 is component Tide there and sparse component Tide here");
    other_schema(&v, 4, "type 2 is component Tide there and resource Tide here");
    other_schema(&v, 5, "type 2 is component Tide there and missing here");
    weft_world* one = world_make();
    weft_world* two = world_make();
    WORLD_OK(one, weft_world_register_resource(one, WEFT_TYPE(Gale), 3, NULL));
    WORLD_OK(two, weft_world_register_resource(two, WEFT_TYPE(Gale), 2, NULL));
    state bytes = state_of(one);
    cr_assert_eq(weft_world_decode(two, bytes.bytes, bytes.size), WEFT_STATUS_IDENTITY_MISMATCH);
    TEXT_HAS(weft_world_error(two), "with another number of values");
    weft_world* three = world_make();
    state empty = state_of(three);
    cr_assert_eq(weft_world_decode(two, empty.bytes, empty.size), WEFT_STATUS_IDENTITY_MISMATCH);
    TEXT_HAS(weft_world_error(two), "type 1 is missing there and resource Gale here");
    state_free(&empty);
    state_free(&bytes);
    weft_world_destroy(one);
    weft_world_destroy(two);
    weft_world_destroy(three);
    victim_close(&v);
}

static void other_world(const weft_world_desc* desc, weft_status status, const char* line) {
    weft_world* one = world_make();
    weft_world* two;
    cr_assert_eq(weft_world_create(desc, NULL, &two), WEFT_STATUS_OK);
    state bytes = state_of(one);
    cr_assert_eq(weft_world_decode(two, bytes.bytes, bytes.size), status);
    TEXT_HAS(weft_world_error(two), line);
    state_free(&bytes);
    weft_world_destroy(one);
    weft_world_destroy(two);
}

Test(state_refusals, another_identity) {
    weft_world_desc desc = weft_world_desc_default();
    desc.seed = 9;
    other_world(&desc, WEFT_STATUS_IDENTITY_MISMATCH, "whose seed is 0, and here it is 9");
    desc = weft_world_desc_default();
    desc.slot_limit = 100;
    other_world(&desc, WEFT_STATUS_IDENTITY_MISMATCH, "whose slot limit is 4294967294");
    desc = weft_world_desc_default();
    desc.archetype_limit = 10;
    other_world(&desc, WEFT_STATUS_IDENTITY_MISMATCH, "whose archetype limit is 65536");
    desc = weft_world_desc_default();
    desc.math = WEFT_MATH_FLOAT_PINNED_32;
    other_world(&desc, WEFT_STATUS_IDENTITY_MISMATCH, "whose math backend is 0");
    desc = weft_world_desc_default();
    desc.deterministic = false;
    other_world(&desc, WEFT_STATUS_IDENTITY_MISMATCH, "whose set of flags");
}

// Inconsistent, with checksums that are right ---------------------------------------------------

// Puts a number into a section and makes its checksum right.
static void contradicts(const victim* v, weft__state_kind kind, size_t at, uint64_t value,
                        size_t size, weft_status status, const char* line) {
    state bad = state_copy(&v->good);
    state_part part = state_find(&bad, kind);
    cr_assert_leq(at + size, part.length);
    state_put(part.content + at, value, size);
    state_seal(part);
    refused(v, &bad, status, line);
    state_free(&bad);
}

#define BAD WEFT_STATUS_BAD_FORMAT

Test(state_refusals, counts_that_cannot_be) {
    victim v = victim_open(60);
    contradicts(&v, WEFT__STATE_WORLD, 48, UINT32_MAX, 4, BAD, "more slots than its limit");
    contradicts(&v, WEFT__STATE_WORLD, 32, 1, 8, BAD, "are not all slots");
    contradicts(&v, WEFT__STATE_WORLD, 40, 1, 8, BAD, "are not all slots");
    contradicts(&v, WEFT__STATE_WORLD, 56, 0, 4, BAD, "number of archetypes");
    contradicts(&v, WEFT__STATE_WORLD, 56, 70000, 4, BAD, "number of archetypes");
    contradicts(&v, WEFT__STATE_WORLD, 56, 2, 4, BAD, "another size than those before it say");
    contradicts(&v, WEFT__STATE_WORLD, 60, 1, 4, BAD, "another size than those before it say");
    contradicts(&v, WEFT__STATE_WORLD, 64, 0, 4, BAD, "another size than those before it say");
    contradicts(&v, WEFT__STATE_WORLD, 68, 1000, 4, BAD, "another size than those before it say");
    contradicts(&v, WEFT__STATE_WORLD, 76, 1, 4, BAD, "a channel that delivers at once");
    victim_close(&v);
}

Test(state_refusals, structure_that_cannot_be) {
    victim v = victim_open(60);
    weft__state_kind archetypes = WEFT__STATE_ARCHETYPES;
    contradicts(&v, archetypes, 0, 60000, 2, BAD, "more components than there are");
    contradicts(&v, archetypes, 2, 0, 2, BAD, "no ascending list of dense components");
    contradicts(&v, archetypes, 2, 2, 2, BAD, "no ascending list of dense components");
    contradicts(&v, archetypes, 4, 5, 2, BAD, "no ascending list of dense components"); // Sparse.
    contradicts(&v, archetypes, 4, 7, 2, BAD, "no ascending list of dense components"); // Resource.
    contradicts(&v, archetypes, 0, 0, 2, BAD, "two archetypes are the same set"); // The empty one.
    weft__state_kind chunks = WEFT__STATE_CHUNKS;
    contradicts(&v, chunks, 0, 1000, 4, BAD, "archetype, shard or rows are out of range");
    contradicts(&v, chunks, 4, 1, 4, BAD, "archetype, shard or rows are out of range");
    contradicts(&v, chunks, 8, 4097, 4, BAD, "archetype, shard or rows are out of range");
    contradicts(&v, chunks, 8, 0, 4, BAD, "another number of rows than entities live");
    contradicts(&v, chunks, 12, 1, 4, BAD, "two chunks in one shard");
    weft__state_kind presences = WEFT__STATE_PRESENCES;
    contradicts(&v, presences, 0, 2, 4, BAD, "out of range or order");
    contradicts(&v, presences, 12, 0, 4, BAD, "out of range or order"); // As the one before.
    contradicts(&v, presences, 4, 1, 4, BAD, "out of range or order");
    contradicts(&v, presences, 8, 0, 4, BAD, "out of range or order");
    victim_close(&v);
}

Test(state_refusals, rows_that_cannot_be) {
    victim v = victim_open(60);
    state_part rows = state_find(&v.good, WEFT__STATE_ROWS);
    uint64_t second = state_get(rows.content + 8, 4);
    contradicts(&v, WEFT__STATE_ROWS, 0, second, 4, BAD, "rows do not ascend");
    contradicts(&v, WEFT__STATE_ROWS, 0, 4096, 4, BAD, "rows do not ascend");
    contradicts(&v, WEFT__STATE_ROWS, 4, 0, 4, BAD, "no generation or two rows");
    state_part presence = state_find(&v.good, WEFT__STATE_PRESENCE);
    uint64_t generation = state_get(presence.content + 4, 4);
    contradicts(&v, WEFT__STATE_PRESENCE, 4, generation + 1, 4, BAD, "entity that does not live");
    contradicts(&v, WEFT__STATE_PRESENCE, 4, 0, 4, BAD, "entity that does not live");
    state_part free = state_find(&v.good, WEFT__STATE_FREE);
    uint64_t living = state_get(rows.content, 4);
    cr_assert_gt(free.length, 8);
    contradicts(&v, WEFT__STATE_FREE, 0, living, 4, BAD, "out of range, taken, or free twice");
    contradicts(&v, WEFT__STATE_FREE, 0, state_get(free.content + 8, 4), 4, BAD,
                "out of range, taken, or free twice");
    contradicts(&v, WEFT__STATE_FREE, 0, 5000, 4, BAD, "out of range, taken, or free twice");
    contradicts(&v, WEFT__STATE_FREE, 4, 1, 4, BAD, "out of range, taken, or free twice");
    victim_close(&v);
}

Test(state_refusals, an_entity_with_two_rows) {
    victim v = victim_open(60);
    state bad = state_copy(&v.good);
    state_part first = state_find(&bad, WEFT__STATE_ROWS);
    state rest = {first.content + first.length - WEFT__STATE_HEADER,
                  bad.size - (size_t)(first.content + first.length - bad.bytes) +
                      WEFT__STATE_HEADER};
    state_part second = state_find(&rest, WEFT__STATE_ROWS);
    uint64_t slot = state_get(first.content, 4);
    cr_assert_lt(slot, state_get(second.content + 8, 4));
    state_put(second.content, slot, 4);
    state_seal(second);
    refused(&v, &bad, BAD, "no generation or two rows");
    state_free(&bad);
    victim_close(&v);
}

Test(state_refusals, values_that_may_not_be) {
    victim v = victim_open(60);
    state_part rows = state_find(&v.good, WEFT__STATE_ROWS);
    size_t count = (size_t)state_get(rows.head + 12, 4);
    contradicts(&v, WEFT__STATE_ROWS, count * 8 + 16 + 12, 2, 1, WEFT_STATUS_BAD_BOOL,
                "section rows 0, part 0, value 1: Barge.lit is a bool");
    state_part presence = state_find(&v.good, WEFT__STATE_PRESENCE);
    count = (size_t)state_get(presence.head + 12, 4);
    contradicts(&v, WEFT__STATE_PRESENCE, count * 8, 0x7FC00000, 4, WEFT_STATUS_NOT_A_NUMBER,
                "Pennant.angle is NaN");
    victim_close(&v);
}

// A message is read where it stands in the state: what lies behind whistles are orders.
Test(state_refusals, messages_that_may_not_be) {
    victim v = victim_open(300);
    state bad = state_copy(&v.good);
    state_part part = state_find(&bad, WEFT__STATE_MESSAGES);
    if (state_get(part.head + 4, 4) == 0) { // Whistles, which have no addressee.
        size_t skip = (size_t)(part.content + part.length - bad.bytes) - WEFT__STATE_HEADER;
        state rest = {bad.bytes + skip, bad.size - skip};
        part = state_find(&rest, WEFT__STATE_MESSAGES);
    }
    cr_assert_eq(state_get(part.head + 4, 4), 1);
    size_t count = (size_t)state_get(part.head + 12, 4);
    uint64_t slot = state_get(part.content, 4);
    state_put(part.content, WEFT__PROVISIONAL_SLOT, 4);
    state_seal(part);
    refused(&v, &bad, BAD, "a message is for a provisional handle");
    state_put(part.content, slot, 4);
    state_put(part.content + count * 8 + 12, 3, 1);
    state_seal(part);
    refused(&v, &bad, WEFT_STATUS_BAD_BOOL, "Order.urgent is a bool");
    state_free(&bad);
    victim_close(&v);
}

Test(state_refusals, a_schema_that_contradicts_itself) {
    victim v = victim_open(60);
    state bad = state_copy(&v.good);
    state_put(bad.bytes + 16, 12345, 8);
    state_seal_header(&bad);
    refused(&v, &bad, BAD, "it is not what the header says");
    memcpy(bad.bytes, v.good.bytes, bad.size);
    state_part schema = state_find(&bad, WEFT__STATE_SCHEMA);
    state_put(schema.head + 12, state_get(schema.head + 12, 4) - 1, 4);
    state_seal(schema);
    refused(&v, &bad, BAD, "something follows its last type");
    state_put(schema.head + 12, state_get(schema.head + 12, 4) + 2, 4);
    state_seal(schema);
    refused(&v, &bad, BAD, "it ends within a type");
    state_free(&bad);
    victim_close(&v);
}

Test(state_refusals, sections_in_another_order) {
    victim v = victim_open(60);
    state bad = state_copy(&v.good);
    state_part part = state_find(&bad, WEFT__STATE_RESOURCE);
    state_put(part.head + 8, 1, 4);
    state_seal(part);
    refused(&v, &bad, BAD, "another one is in its place");
    state_free(&bad);
    victim_close(&v);
}

// Encoding ---------------------------------------------------------------------------------------

static weft_status full_disk(void* context, const void* bytes, size_t size) {
    (void)bytes;
    uint64_t* room = context;
    if (size > *room)
        return WEFT_STATUS_FILE_ERROR;
    *room -= size;
    return WEFT_STATUS_OK;
}

Test(state_refusals, what_is_not_encoded) {
    victim v = victim_open(60);
    uint64_t room = 3000;
    cr_assert_eq(weft_world_encode(v.s.world, full_disk, &room), WEFT_STATUS_FILE_ERROR);
    room = UINT64_MAX;
    (void)weft_commands_create(weft_world_commands(v.s.world), 0);
    cr_assert_eq(weft_world_encode(v.s.world, full_disk, &room), WEFT_STATUS_WRONG_PHASE);
    TEXT_HAS(weft_world_error(v.s.world), "call weft_world_commit()");
    world_commit(v.s.world);
    WORLD_OK(v.s.world, weft_world_encode(v.s.world, full_disk, &room));
    (void)weft__world_break(v.s.world, WEFT_STATUS_SYSTEM_FAILED, "broken");
    cr_assert_eq(weft_world_encode(v.s.world, full_disk, &room), WEFT_STATUS_WORLD_FAILED);
    // A refusal leaves it failed; a state makes it sound.
    cr_assert_eq(weft_world_decode(v.s.world, v.good.bytes, v.good.size - 1),
                 WEFT_STATUS_BAD_FORMAT);
    cr_assert(weft_world_has_failed(v.s.world));
    WORLD_OK(v.s.world, weft_world_decode(v.s.world, v.good.bytes, v.good.size));
    cr_assert(!weft_world_has_failed(v.s.world));
    cr_assert_eq(weft_world_input_count(v.s.world), 0);
    WORLD_OK(v.s.world, weft_world_digest_check(v.s.world));
    victim_close(&v);
}

// Memory -----------------------------------------------------------------------------------------

typedef struct provider {
    uint64_t left; // Calls that are granted.
} provider;

static void* provide(void* context, size_t size) {
    provider* p = context;
    if (p->left == 0)
        return NULL;
    p->left--;
    void* segment = aligned_alloc(4096, (size + 4095) & ~(size_t)4095);
    if (segment != NULL)
        memset(segment, 0, size);
    return segment;
}

static void take_back(void* context, void* segment, size_t size) {
    (void)context;
    (void)size;
    free(segment);
}

static weft_world* short_world(provider* p) {
    weft_memory memory = {.acquire = provide, .release = take_back, .context = p};
    weft_world_desc desc = weft_world_desc_default();
    weft_world* world;
    cr_assert_eq(weft_world_create(&desc, &memory, &world), WEFT_STATUS_OK);
    world_component(world, WEFT_TYPE(Tow), WEFT_STORAGE_DENSE);
    return world;
}

// Whatever segment is refused: the world is as it was, or has failed and says so.
Test(state_refusals, no_memory, .timeout = 60) {
    provider all = {UINT64_MAX};
    weft_world* full = short_world(&all);
    weft_commands* commands = weft_world_commands(full);
    (void)WEFT_CREATE_MANY(commands, 0, 60 * WEFT_SHARD_SLOTS, WEFT_COLUMN_TAG(Tow));
    world_commit(full);
    state good = state_of(full);
    uint32_t unharmed_count = 0;
    uint32_t failed_count = 0;
    weft_status status = WEFT_STATUS_OUT_OF_MEMORY;
    for (uint64_t granted = 0; status != WEFT_STATUS_OK; granted++) {
        provider p = {UINT64_MAX};
        weft_world* world = short_world(&p);
        weft_entity made = world_create_one(world);
        weft_digest before = weft_world_digest_full(world);
        p.left = granted;
        status = weft_world_decode(world, good.bytes, good.size);
        cr_assert(status == WEFT_STATUS_OK || status == WEFT_STATUS_OUT_OF_MEMORY);
        if (status != WEFT_STATUS_OK)
            TEXT_HAS(weft_world_error(world), "no memory is left");
        bool failed = weft_world_has_failed(world);
        failed_count += failed;
        unharmed_count += status != WEFT_STATUS_OK && !failed;
        if (status != WEFT_STATUS_OK && !failed) {
            DIGEST_EQ(weft_world_digest_full(world), before);
            cr_assert(weft_world_is_alive(world, made));
        }
        if (failed) { // With memory it is sound again.
            p.left = UINT64_MAX;
            WORLD_OK(world, weft_world_decode(world, good.bytes, good.size));
            DIGEST_EQ(weft_world_digest_full(world), weft_world_digest_full(full));
            WORLD_OK(world, weft_world_digest_check(world));
        }
        weft_world_destroy(world);
    }
    cr_assert_gt(unharmed_count, 0);
    cr_assert_gt(failed_count, 0);
    state_free(&good);
    weft_world_destroy(full);
}
