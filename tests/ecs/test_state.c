// The state of a world as bytes: decoded, it is the same world, and goes on as if it had never
// stopped.

#include "state_sample.h"

#define TICKS 12u

static const run_config serial = {.name = "serial", .kind = WEFT_EXECUTOR_SERIAL, .workers = 1};

// Full and view digest, freshly hashed, and storage that is sound.
static void same_world(weft_world* a, weft_world* b) {
    DIGEST_EQ(weft_world_digest_view(a), weft_world_digest_view(b));
    DIGEST_EQ(weft_world_digest_full(a), weft_world_digest_full(b));
    WORLD_OK(b, weft_world_digest_check(b));
    cr_assert_null(storage_fault(b), "%s", storage_fault(b));
    cr_assert_eq(weft_world_entity_count(a), weft_world_entity_count(b));
    cr_assert_eq(weft_world_tick(a), weft_world_tick(b));
}

static void same_bytes(const state* a, const state* b) {
    cr_assert_eq(a->size, b->size, "%zu and %zu bytes", a->size, b->size);
    cr_assert_eq(memcmp(a->bytes, b->bytes, a->size), 0);
}

// Decodes into a world that something else has run in, at an odd address.
static void decode(weft_world* world, const state* one) {
    uint8_t* bytes = malloc(one->size + 1);
    cr_assert_not_null(bytes);
    memcpy(bytes + 1, one->bytes, one->size);
    WORLD_OK(world, weft_world_decode(world, bytes + 1, one->size));
    free(bytes);
}

static void goes_on(const run_config* config, uint32_t entities, uint32_t stop) {
    sample what = {.config = &serial, .entities = entities, .seed = 5};
    sample other = {.config = config, .entities = entities / 3 + 1, .seed = 5};
    sim a = sample_open(&what);
    sim b = sample_open(&other);
    for (uint32_t i = 0; i < stop; i++)
        sample_tick(&a);
    for (uint32_t i = 0; i < 3; i++)
        sample_tick(&b);
    state first = state_of(a.world);
    decode(b.world, &first);
    same_world(a.world, b.world);
    state again = state_of(b.world);
    same_bytes(&first, &again);
    for (uint32_t i = 0; i < TICKS; i++) {
        sample_tick(&a);
        sample_tick(&b);
        same_world(a.world, b.world);
    }
    state last = state_of(a.world);
    state also = state_of(b.world);
    same_bytes(&last, &also);
    decode(a.world, &first); // Back, in the world that it came from.
    for (uint32_t i = 0; i < TICKS; i++)
        sample_tick(&a);
    same_world(b.world, a.world);
    state_free(&also);
    state_free(&last);
    state_free(&again);
    state_free(&first);
    sample_close(&a);
    sample_close(&b);
}

Test(state, a_decoded_world_goes_on_as_if_never_stopped, .timeout = 60) {
    for (size_t i = 0; i < RUN_CONFIGS; i++)
        for (uint32_t stop = 0; stop < 9; stop += 4)
            goes_on(&run_configs[i], 300, stop);
}

Test(state, worlds_of_many_shards_too, .timeout = 60) {
    goes_on(&run_configs[0], 3 * WEFT_SHARD_SLOTS + 5, 4);
    goes_on(&run_configs[4], 2 * WEFT_SHARD_SLOTS, 1);
    goes_on(&run_configs[9], 2 * WEFT_SHARD_SLOTS + 77, 6);
    goes_on(&run_configs[RUN_CONFIGS - 1], 2 * WEFT_SHARD_SLOTS + 77, 6);
}

Test(state, an_empty_world_is_a_state) {
    sample bare = {.seed = 5, .bare = true};
    sample full = {.config = &serial, .entities = 100, .seed = 5};
    sim a = sample_open(&bare);
    sim b = sample_open(&full);
    sample_tick(&b);
    state one = state_of(a.world);
    decode(b.world, &one);
    same_world(a.world, b.world);
    cr_assert_eq(weft_world_stats_read(b.world).archetypes, 0);
    cr_assert_eq(weft_world_stats_read(b.world).chunks, 0);
    sample_tick(&b);
    ENTITY_EQ(world_create_one(b.world), ((weft_entity){0, 1}));
    state_free(&one);
    sim_close(&a);
    sample_close(&b);
}

// The same tick once more, so that what is stamped with ticks meets its own stamp.
Test(state, each_tick_twice_is_each_tick_once, .timeout = 60) {
    for (size_t i = 0; i < RUN_CONFIGS; i++) {
        sample what = {.config = &run_configs[i], .entities = 500, .seed = 5};
        sim a = sample_open(&what);
        sim b = sample_open(&what);
        for (uint32_t tick = 0; tick < TICKS; tick++) {
            state before = state_of(a.world);
            sample_tick(&a);
            sample_tick(&b);
            same_world(b.world, a.world);
            decode(a.world, &before);
            sample_tick(&a);
            same_world(b.world, a.world);
            state_free(&before);
        }
        sample_close(&a);
        sample_close(&b);
    }
}

// Free slots come in the same order, with their generations; a retired one never does.
Test(state, slots_come_back_in_their_order) {
    sample bare = {.seed = 5, .bare = true};
    sim a = sample_open(&bare);
    sim b = sample_open(&bare);
    weft_entity made[6];
    world_create(a.world, 6, made);
    uint32_t row;
    weft__chunk* chunk = weft__entity_find(a.world, made[3], &row);
    a.world->shards.items[0]->slots[3].generation = UINT32_MAX;
    chunk->entities[row].generation = UINT32_MAX;
    world_destroy(a.world, (weft_entity){3, UINT32_MAX});
    world_destroy(a.world, made[4]);
    world_destroy(a.world, made[1]);
    world_destroy(a.world, made[2]);
    state one = state_of(a.world);
    decode(b.world, &one);
    same_world(a.world, b.world);
    weft_entity again[4];
    world_create(b.world, 4, again);
    ENTITY_EQ(again[0], ((weft_entity){2, 2}));
    ENTITY_EQ(again[1], ((weft_entity){1, 2}));
    ENTITY_EQ(again[2], ((weft_entity){4, 2}));
    ENTITY_EQ(again[3], ((weft_entity){6, 1}));
    state_free(&one);
    sim_close(&a);
    sim_close(&b);
}

// An archetype keeps its id when it is empty, and an empty chunk its place among the others: the
// number of chunks is in provisional handles.
Test(state, empty_archetypes_and_chunks_keep_their_ids) {
    sample bare = {.seed = 5, .bare = true};
    sim a = sample_open(&bare);
    sim b = sample_open(&bare);
    weft_entity one = world_create_one(a.world);
    WEFT_ADD_TAG(weft_world_commands(a.world), 0, one, Moored);
    world_commit(a.world);
    WEFT_ADD(weft_world_commands(a.world), 0, one, Tow, {one});
    world_commit(a.world);
    weft_entity other = world_create_one(b.world);
    WEFT_ADD(weft_world_commands(b.world), 0, other, Tow, {other});
    world_commit(b.world);
    state bytes = state_of(a.world);
    decode(b.world, &bytes);
    same_world(a.world, b.world);
    cr_assert_eq(b.world->archetypes.count, 3);
    cr_assert_eq(b.world->chunks.count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        cr_assert_eq(b.world->chunks.items[i]->archetype, a.world->chunks.items[i]->archetype);
        cr_assert_eq(b.world->chunks.items[i]->row_count, a.world->chunks.items[i]->row_count);
    }
    const Tow* tow = weft_world_read(b.world, one, WEFT_TYPE(Tow));
    cr_assert_not_null(tow);
    ENTITY_EQ(tow->by, one);
    state_free(&bytes);
    sim_close(&a);
    sim_close(&b);
}

Test(state, what_the_host_recorded_is_gone_after_a_decode) {
    sample what = {.config = &serial, .entities = 40, .seed = 5};
    sim a = sample_open(&what);
    sample_tick(&a);
    state one = state_of(a.world);
    weft_entity made = weft_commands_create(weft_world_commands(a.world), 0);
    decode(a.world, &one);
    cr_assert(weft_entity_is_null(weft_world_resolve(a.world, made)));
    state again = state_of(a.world); // Nothing is left to be committed.
    same_bytes(&one, &again);
    made = world_create_one(a.world);
    decode(a.world, &one);
    cr_assert(!weft_world_is_alive(a.world, made));
    state_free(&again);
    state_free(&one);
    sample_close(&a);
}

// A state of tick 0 leaves the world as it was before its first tick: resources may be set.
Test(state, a_world_at_tick_0_is_open_again) {
    sample what = {.config = &serial, .entities = 10, .seed = 5};
    sim a = sample_open(&what);
    state one = state_of(a.world);
    const Gale gale = {{77}};
    sample_tick(&a);
    cr_assert_eq(weft_world_set_resource(a.world, WEFT_TYPE(Gale), &gale), WEFT_STATUS_WRONG_PHASE);
    decode(a.world, &one);
    WORLD_OK(a.world, weft_world_set_resource(a.world, WEFT_TYPE(Gale), &gale));
    sample_tick(&a);
    cr_assert_eq(weft_world_tick(a.world), 1);
    state_free(&one);
    sample_close(&a);
}

Test(state, a_decode_is_a_checkpoint) {
    sample what = {.config = &serial, .entities = 10, .seed = 5};
    sim a = sample_open(&what);
    for (uint32_t i = 0; i < 6; i++)
        sample_tick(&a);
    cr_assert_eq(weft_world_input_count(a.world), 2);
    state one = state_of(a.world);
    decode(a.world, &one);
    cr_assert_eq(weft_world_input_count(a.world), 0);
    state_free(&one);
    sample_close(&a);
}

// The old contents' memory is used again.
Test(state, decoding_again_and_again_takes_no_memory, .timeout = 60) {
    sample what = {.config = &serial, .entities = 2 * WEFT_SHARD_SLOTS, .seed = 5};
    sim a = sample_open(&what);
    for (uint32_t i = 0; i < 4; i++)
        sample_tick(&a);
    state one = state_of(a.world);
    uint64_t reserved = 0;
    uint64_t used = 0;
    for (uint32_t i = 0; i < 40; i++) {
        decode(a.world, &one);
        sample_tick(&a);
        weft_world_stats stats = weft_world_stats_read(a.world);
        if (i == 3) {
            reserved = stats.arena_reserved;
            used = stats.arena_used;
        }
        cr_assert(i <= 3 || stats.arena_reserved == reserved, "%u: %llu bytes, not %llu", i,
                  (unsigned long long)stats.arena_reserved, (unsigned long long)reserved);
        cr_assert(i <= 3 || stats.arena_used == used);
    }
    state_free(&one);
    sample_close(&a);
}

// The same bytes on every machine.
Test(state, the_format_is_pinned) {
    sample what = {.config = &serial, .entities = 60, .seed = 5};
    sim a = sample_open(&what);
    for (uint32_t i = 0; i < 8; i++)
        sample_tick(&a);
    state one = state_of(a.world);
    char text[WEFT_DIGEST_TEXT];
    weft_digest_format(weft_digest_of(one.bytes, one.size, 0), text);
    cr_assert_str_eq(text, "81ca444903e64d65c43b6b61fea48b7e");
    state_free(&one);
    sample_close(&a);
}
