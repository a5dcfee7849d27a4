// What must hold in a shard between commits. Not a test of one function: any part of the layer that
// breaks the storage is found at the next commit of a build with checks.

#include "weft_world.h"

#define SOUND(fact)                                                                                \
    do {                                                                                           \
        if (!(fact))                                                                               \
            return #fact;                                                                          \
    } while (0)

// Members, ranks and rows of a chunk say the same.
static const char* chunk_fault(const weft__chunk* chunk) {
    SOUND(chunk->row_count <= chunk->capacity);
    SOUND(chunk->change == WEFT__NONE);
    uint32_t row = 0;
    for (uint32_t word = 0; word < WEFT__MEMBER_WORDS; word++) {
        SOUND(chunk->members.ranks[word] == row);
        for (uint64_t bits = chunk->members.words[word]; bits != 0; bits &= bits - 1, row++) {
            uint32_t slot = chunk->shard * WEFT_SHARD_SLOTS + word * 64 + weft__ctz64(bits);
            SOUND(row < chunk->row_count);
            SOUND(chunk->entities[row].slot == slot);
        }
    }
    SOUND(row == chunk->row_count);
    uint32_t dirty = 0;
    for (uint32_t leaf = 0; leaf <= chunk->column_count; leaf++)
        dirty += chunk->dirty[leaf] != 0;
    SOUND(dirty == chunk->dirty_count);
    return NULL;
}

// Every row of a chunk is the living entity that its slot names.
static const char* rows_fault(const weft__shard* shard, const weft__chunk* chunk) {
    for (uint32_t row = 0; row < chunk->row_count; row++) {
        uint32_t local = chunk->entities[row].slot % WEFT_SHARD_SLOTS;
        SOUND((shard->live[local / 64] >> (local % 64) & 1) != 0);
        SOUND(shard->slots[local].generation == chunk->entities[row].generation);
        SOUND(chunk->sparse || shard->slots[local].chunk == chunk->local + 1);
    }
    return NULL;
}

const char* weft__shard_fault(const weft_world* world, uint32_t number) {
    WEFT_ASSERT(number < world->shards.count);
    const weft__shard* shard = world->shards.items[number];
    uint32_t rows = 0;
    uint32_t living = 0;
    uint32_t taken = 0;
    SOUND(shard->archetypes.count == shard->chunks.count);
    SOUND(shard->locals.count == shard->chunks.count);
    for (uint32_t i = 0; i < shard->chunks.count; i++) {
        const weft__chunk* chunk = shard->chunks.items[i];
        SOUND(chunk->shard == number && !chunk->sparse);
        SOUND(shard->archetypes.items[i] == chunk->archetype);
        SOUND(i == 0 || shard->archetypes.items[i - 1] < chunk->archetype);
        SOUND(chunk->local < shard->locals.count && shard->locals.items[chunk->local] == chunk);
        const char* fault = chunk_fault(chunk);
        fault = fault == NULL ? rows_fault(shard, chunk) : fault;
        if (fault != NULL)
            return fault;
        rows += chunk->row_count;
    }
    for (uint32_t i = 0; i < world->sparse.count; i++) {
        const weft__chunk* chunk = weft__chunk_find(&world->sparse.items[i], number);
        const char* fault = chunk == NULL ? NULL : chunk_fault(chunk);
        fault = chunk == NULL || fault != NULL ? fault : rows_fault(shard, chunk);
        if (fault != NULL)
            return fault;
    }
    for (uint32_t word = 0; word < WEFT__LIVE_WORDS; word++)
        living += weft__popcount64(shard->live[word]);
    for (uint32_t slot = 0; slot < WEFT_SHARD_SLOTS; slot++)
        taken += shard->slots[slot].chunk != 0;
    SOUND(rows == living);
    SOUND(rows == taken);
    return NULL;
}
