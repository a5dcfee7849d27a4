// Sets of slots with ranks against a plain model, and the check of a shard's storage: sound after
// every commit, and each planted fault is named.

#include "weft_world.h"
#include "worlds.h"

WEFT_COMPONENT(Rock, (uint32_t, mass));
WEFT_COMPONENT(Moss, (uint64_t, age));

static uint32_t model_rank(const bool* in, uint32_t slot) {
    uint32_t rank = 0;
    for (uint32_t i = 0; i < slot; i++)
        rank += in[i];
    return rank;
}

Test(invariants, members_rank_as_a_plain_count_does) {
    static bool in[WEFT_SHARD_SLOTS];
    weft__members members = {0};
    weft_random_key key = {.seed = 7, .system = 1};
    uint32_t count = 0;
    for (uint32_t round = 0; round < 200; round++) {
        weft_random_block draw = weft_random_block_at(key, round, 0);
        uint32_t changes = 1 + draw.word[0] % 60;
        uint32_t first = WEFT_SHARD_SLOTS - 1;
        for (uint32_t i = 0; i < changes; i++) {
            uint32_t slot = weft_random_block_at(key, round, i + 1).word[1] % WEFT_SHARD_SLOTS;
            slot = draw.word[2] % 4 == 0 ? WEFT_SHARD_SLOTS - 1 - slot % 64 : slot; // Crowded end.
            if (in[slot])
                weft__members_remove(&members, slot);
            else
                weft__members_insert(&members, slot);
            in[slot] = !in[slot];
            first = slot < first ? slot : first;
        }
        count = weft__members_count(&members, first);
        for (uint32_t slot = 0; slot < WEFT_SHARD_SLOTS; slot += 1 + slot % 7) {
            cr_assert_eq(weft__members_has(&members, slot), in[slot]);
            cr_assert_eq(weft__members_rank(&members, slot), model_rank(in, slot), "slot %u", slot);
        }
    }
    cr_assert_eq(count, model_rank(in, WEFT_SHARD_SLOTS));
    cr_assert_gt(count, 100);
}

Test(invariants, a_full_set_ranks_every_slot_as_itself) {
    weft__members members = {0};
    for (uint32_t slot = 0; slot < WEFT_SHARD_SLOTS; slot++)
        weft__members_insert(&members, slot);
    cr_assert_eq(weft__members_count(&members, 0), WEFT_SHARD_SLOTS);
    for (uint32_t slot = 0; slot < WEFT_SHARD_SLOTS; slot++)
        cr_assert_eq(weft__members_rank(&members, slot), slot);
}

// 300 rocks, every third with moss, which is sparse; one has died.
static weft_world* mossy_world(void) {
    weft_world* world = world_make();
    world_component(world, WEFT_TYPE(Rock), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Moss), WEFT_STORAGE_SPARSE);
    weft_commands* commands = weft_world_commands(world);
    weft_entity made[300];
    for (uint32_t i = 0; i < 300; i++) {
        made[i] = weft_commands_create(commands, 0);
        WEFT_ADD(commands, 0, made[i], Rock, {i});
        if (i % 3 == 0)
            WEFT_ADD(commands, 0, made[i], Moss, {i});
    }
    world_commit(world);
    weft_commands_destroy(commands, 0, weft_world_resolve(world, made[17]));
    world_commit(world);
    return world;
}

static void expect_fault(const weft_world* world, const char* fact) {
    const char* fault = weft__shard_fault(world, 0);
    cr_assert_not_null(fault, "nothing was found, expected \"%s\"", fact);
    TEXT_HAS(fault, fact);
}

Test(invariants, a_committed_shard_is_sound) {
    weft_world* world = mossy_world();
    cr_assert_null(weft__shard_fault(world, 0));
    cr_assert_eq(world->shards.items[0]->chunks.count, 1);
    weft_world_destroy(world);
}

Test(invariants, every_planted_fault_is_named) {
    weft_world* world = mossy_world();
    weft__shard* shard = world->shards.items[0];
    weft__chunk* chunk = shard->chunks.items[0];
    weft__chunk* moss = weft__chunk_find(&world->sparse.items[0], 0);
    cr_assert_not_null(moss);

    shard->slots[5].generation++;
    expect_fault(world, "generation");
    shard->slots[5].generation--;
    shard->slots[17].chunk = 1;
    expect_fault(world, "rows == taken");
    shard->slots[17].chunk = 0;
    shard->slots[5].chunk = 2;
    expect_fault(world, "chunk->local + 1");
    shard->slots[5].chunk = 1;
    shard->live[0] ^= 1u << 5;
    expect_fault(world, "live");
    shard->live[0] ^= 1u << 5;
    shard->live[10] = 1;
    expect_fault(world, "rows == living");
    shard->live[10] = 0;
    chunk->members.ranks[2]++;
    expect_fault(world, "ranks");
    chunk->members.ranks[2]--;
    chunk->members.words[63] |= 1;
    expect_fault(world, "row < chunk->row_count");
    chunk->members.words[63] = 0;
    chunk->entities[9].slot++;
    expect_fault(world, "entities[row].slot == slot");
    chunk->entities[9].slot--;
    chunk->change = 0;
    expect_fault(world, "change");
    chunk->change = WEFT__NONE;
    chunk->dirty_count++;
    expect_fault(world, "dirty");
    chunk->dirty_count--;
    shard->archetypes.items[0]++;
    expect_fault(world, "archetype");
    shard->archetypes.items[0]--;
    moss->entities[1].generation++;
    expect_fault(world, "generation");
    moss->entities[1].generation--;
    moss->members.words[0] ^= 1;
    expect_fault(world, "slot == slot");
    moss->members.words[0] ^= 1;
    cr_assert_null(weft__shard_fault(world, 0));
    weft_world_destroy(world);
}
