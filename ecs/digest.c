// The digest tree (C7).
//
//   leaf       one column of one chunk: its values in little-endian by the field table are hashed,
//              then the result under a seed of kind, type and row count
//   chunk      shard, rows, the entities' leaf, each component's layout hash and leaf
//   archetype  the layout hashes of its set, and its non-empty chunks by shard
//   view       non-empty archetypes in visit order, presence tables, resources, reductions
//   full       view, tick, seed, limits, archetype ids, allocator, pending messages
//
// Combining is ordered everywhere; xor and sum of parts would hide swaps. Only leaves whose chunk
// was written are hashed again: a mark too many costs time, a mark too few is what
// weft_world_digest_check() finds.

#include "weft_bytes.h"
#include "weft_world.h"

#define DIGEST_VERSION 1u
#define SEED_ENTITIES 0x454E5449u
#define SEED_CHUNK 0x43484E4Bu
#define SEED_ARCHETYPE 0x41524348u
#define SEED_VIEW 0x56494557u
#define SEED_FULL 0x46554C4Cu
#define SEED_FULL_LOOSE 0x46554E44u // The same node where determinism is off.
#define SEED_FREE 0x46524545u
#define SEED_CHANNEL 0x4348414Eu
#define SEED_RESOURCE 0x5245534Fu
#define MARK_MATH 0x4D415448u
#define SEED_MIX 0x9E3779B97F4A7C15u

static uint64_t leaf_seed(uint64_t kind, uint64_t count) {
    return kind + count * SEED_MIX;
}

// A leaf: the hash of the bytes, then of that with the prefix. Seeding the long hash itself costs
// it a secret of its own each time, which for small chunks is more than the hash.
static weft_digest hash_leaf(const void* bytes, size_t size, uint64_t seed) {
    weft_digest digest = weft_digest_of(bytes, size, 0);
    uint8_t buffer[sizeof(weft_digest)];
    weft__bytes node;
    if (WEFT__LITTLE_ENDIAN)
        return weft_digest_of(&digest, sizeof(digest), seed);
    weft__bytes_init(&node, buffer, sizeof(buffer));
    weft__bytes_put_digest(&node, digest);
    return weft__bytes_digest(&node, seed);
}

// Hash of up to 4096 values in canonical bytes. A big-endian host makes them in the lane's scratch.
// A bool has one form for each truth, or equal states would have two digests.
static weft_digest hash_values(const weft__type* entry, const void* values, size_t count,
                               uint64_t seed, const weft__lane* lane) {
    const weft_type* type = entry->type;
    WEFT_ASSERT(count <= WEFT_SHARD_SLOTS);
    if (entry->has_bool)
        weft__type_require_bools(type, values, (uint32_t)count);
    if (WEFT__LITTLE_ENDIAN)
        return hash_leaf(values, count * type->size, seed);
    WEFT_ASSERT(count * type->size <= lane->column_size);
    weft__type_encode(type, values, count, lane->column);
    return hash_leaf(lane->column, count * type->size, seed);
}

static weft_digest hash_words32(const uint32_t* words, size_t count, uint64_t seed,
                                const weft__lane* lane) {
    if (WEFT__LITTLE_ENDIAN)
        return hash_leaf(words, count * sizeof(words[0]), seed);
    weft__bytes bytes;
    weft__bytes_init(&bytes, lane->column, lane->column_size);
    for (size_t i = 0; i < count; i++)
        weft__bytes_put_u32(&bytes, words[i]);
    WEFT_ASSERT(!bytes.overflow);
    return hash_leaf(lane->column, bytes.size, seed);
}

// Long lists of words are a chain of pieces too.
static weft_digest hash_word_list(const uint32_t* words, size_t count, uint64_t kind,
                                  weft_digest start, const weft__lane* lane) {
    weft_digest digest = start;
    uint8_t buffer[2 * sizeof(weft_digest)];
    for (size_t at = 0; at < count; at += WEFT_SHARD_SLOTS) {
        size_t part = count - at < WEFT_SHARD_SLOTS ? count - at : WEFT_SHARD_SLOTS;
        weft__bytes bytes;
        weft__bytes_init(&bytes, buffer, sizeof(buffer));
        weft__bytes_put_digest(&bytes, digest);
        weft__bytes_put_digest(&bytes, hash_words32(words + at, part, leaf_seed(kind, part), lane));
        digest = weft__bytes_digest(&bytes, leaf_seed(kind, at));
    }
    return digest;
}

static weft_digest hash_entities(const weft__chunk* chunk, const weft__lane* lane) {
    _Static_assert(sizeof(weft_entity) == 2 * sizeof(uint32_t), "handles are two words");
    return hash_words32(&chunk->entities[0].slot, (size_t)chunk->row_count * 2,
                        leaf_seed(SEED_ENTITIES, chunk->row_count), lane);
}

static weft_digest hash_column(const weft_world* world, const weft__chunk* chunk, uint32_t column,
                               const void* values, const weft__lane* lane) {
    const weft__archetype* table = weft__chunk_table(world, chunk);
    WEFT_CHECK(column < table->column_count && table->column_count == chunk->column_count);
    const weft__type* type = weft__type_at(world, table->column_types[column]);
    return hash_values(type, values, chunk->row_count, leaf_seed(type->hash, chunk->row_count),
                       lane);
}

weft_digest weft__digest_column(const weft_world* world, const weft__lane* lane,
                                const weft__chunk* chunk, uint32_t column, bool back) {
    WEFT_ASSERT(column < chunk->column_count);
    const void* values = back ? chunk->backs[column] : chunk->columns[column];
    return hash_column(world, chunk, column, values, lane);
}

static void hash_chunk_node(const weft_world* world, weft__chunk* chunk, weft__lane* lane) {
    const weft__archetype* table = weft__chunk_table(world, chunk);
    weft__bytes bytes;
    weft__bytes_init(&bytes, lane->column, lane->column_size);
    weft__bytes_put_u32(&bytes, chunk->shard);
    weft__bytes_put_u32(&bytes, chunk->row_count);
    weft__bytes_put_u32(&bytes, table->component_count);
    weft__bytes_put_digest(&bytes, chunk->leaves[chunk->column_count]);
    uint32_t column = 0;
    for (uint32_t i = 0; i < table->component_count; i++) {
        weft__bytes_put_u64(&bytes, weft__type_at(world, table->components[i])->hash);
        if (column < table->column_count && table->column_types[column] == table->components[i])
            weft__bytes_put_digest(&bytes, chunk->leaves[column++]);
    }
    WEFT_ASSERT(!bytes.overflow && column == table->column_count);
    chunk->node = weft__bytes_digest(&bytes, SEED_CHUNK);
}

void weft__digest_chunk(weft_world* world, weft__lane* lane, weft__chunk* chunk) {
    if (chunk->dirty_count == 0 && !chunk->stale) // As a rule the merge has hashed it.
        return;
    if (chunk->dirty[chunk->column_count]) { // First, as they lie.
        chunk->dirty[chunk->column_count] = 0;
        chunk->leaves[chunk->column_count] = hash_entities(chunk, lane);
        lane->leaves_hashed++;
    }
    for (uint32_t i = 0; i < chunk->column_count; i++) {
        if (!chunk->dirty[i])
            continue;
        chunk->dirty[i] = 0;
        chunk->leaves[i] = hash_column(world, chunk, i, chunk->columns[i], lane);
        lane->leaves_hashed++;
    }
    chunk->dirty_count = 0;
    chunk->stale = false;
    hash_chunk_node(world, chunk, lane);
}

void weft__digest_final(const weft_world* world, weft__lane* lane, weft__chunk* chunk,
                        const uint32_t* columns, uint32_t count) {
    WEFT_CHECK(world->running && !chunk->sparse);
    if (chunk->rewritten == world->commit_number)
        return;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t column = columns[i];
        if (!chunk->dirty[column])
            continue;
        const void* values = chunk->filled[column] ? chunk->backs[column] : chunk->columns[column];
        chunk->leaves[column] = hash_column(world, chunk, column, values, lane);
        chunk->dirty[column] = 0;
        WEFT_ASSERT(chunk->dirty_count > 0);
        chunk->dirty_count--;
        chunk->stale = true;
        lane->leaves_hashed++;
    }
}

// Large arrays are a chain of pieces, so that no scratch grows with them.
static weft_digest hash_piece(const weft__type* type, const void* values, size_t count, size_t at,
                              uint64_t kind, const weft__lane* lane) {
    WEFT_ASSERT(at < count);
    size_t part = count - at < WEFT_SHARD_SLOTS ? count - at : WEFT_SHARD_SLOTS;
    return hash_values(type, (const uint8_t*)values + at * type->type->size, part,
                       leaf_seed(kind, part), lane);
}

static weft_digest chain_piece(weft_digest before, weft_digest piece, size_t at, uint64_t kind) {
    uint8_t buffer[2 * sizeof(weft_digest)];
    weft__bytes bytes;
    weft__bytes_init(&bytes, buffer, sizeof(buffer));
    weft__bytes_put_digest(&bytes, before);
    weft__bytes_put_digest(&bytes, piece);
    return weft__bytes_digest(&bytes, leaf_seed(kind, at));
}

static weft_digest hash_array(const weft__type* type, const void* values, size_t count,
                              uint64_t kind, const weft__lane* lane) {
    weft_digest digest = {0, 0};
    for (size_t at = 0; at < count; at += WEFT_SHARD_SLOTS)
        digest = chain_piece(digest, hash_piece(type, values, count, at, kind, lane), at, kind);
    return digest;
}

// Chunks are walked in any order, so the hardware foresees nothing of the next one: what is looked
// at of its head, and the head of its block. The leaves lie behind each other.
static WEFT__INLINE void prefetch_head(const weft__chunk* chunk) {
    __builtin_prefetch(chunk);
    __builtin_prefetch((const uint8_t*)chunk + 64);
    __builtin_prefetch((const uint8_t*)(chunk + 1));
    __builtin_prefetch((const uint8_t*)(chunk + 1) + 64);
}

static WEFT__INLINE void prefetch_leaves(const weft__chunk* chunk) {
    for (uint32_t at = 0; at < 512; at += 64) // Then the hash looks ahead for itself.
        __builtin_prefetch((const uint8_t*)chunk->entities + at);
}

static void update_part(weft_world* world, const weft__lane* lane, const weft__digest_part* part) {
    weft__resource* resource = &world->resources.items[part->resource];
    const weft__type* type = weft__type_at(world, resource->type);
    WEFT_ASSERT(resource->dirty && part->first + part->count <= resource->pieces.capacity);
    for (uint32_t i = part->first; i < part->first + part->count; i++)
        resource->pieces.items[i] =
            hash_piece(type, resource->values, resource->count, (size_t)i * WEFT_SHARD_SLOTS,
                       type->hash + SEED_RESOURCE, lane);
}

static void update_item(void* context, uint32_t worker, uint32_t item) {
    weft_world* world = context;
    weft__lane* lane = &world->lanes[worker];
    WEFT_ASSERT(worker < world->lane_count);
    if (item < world->digest_parts.count) {
        update_part(world, lane, &world->digest_parts.items[item]);
        return;
    }
    uint32_t at = item - world->digest_parts.count;
    weft__chunk* chunk = world->changed.items[at];
    if (chunk->dirty_count > 0 || chunk->stale) {
        if (at + 2 < world->changed.count)
            prefetch_head(world->changed.items[at + 2]);
        if (at + 1 < world->changed.count)
            prefetch_leaves(world->changed.items[at + 1]);
        weft__digest_chunk(world, lane, chunk);
    }
    chunk->listed = false;
}

// Cuts the resources that changed into parts of about 256 KiB.
static weft_status gather_parts(weft_world* world, uint64_t* bytes) {
    world->digest_parts.count = 0;
    for (uint32_t i = 0; i < world->resources.count; i++) {
        weft__resource* resource = &world->resources.items[i];
        if (!resource->dirty)
            continue;
        uint32_t pieces = (resource->count + WEFT_SHARD_SLOTS - 1) / WEFT_SHARD_SLOTS;
        uint32_t size = weft__type_at(world, resource->type)->type->size;
        uint32_t step = size == 0 || size > 64 ? 1 : 64 / size; // weft-lint: allow(division): not 0
        WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, resource->pieces, pieces));
        for (uint32_t first = 0; first < pieces; first += step) {
            weft__digest_part part = {i, first, pieces - first < step ? pieces - first : step};
            WEFT_TRY(WEFT__VEC_PUSH(&world->arena, world->digest_parts, part));
        }
        *bytes += resource->size;
    }
    return WEFT_STATUS_OK;
}

static void chain_resources(weft_world* world) {
    for (uint32_t i = 0; i < world->resources.count; i++) {
        weft__resource* resource = &world->resources.items[i];
        if (!resource->dirty)
            continue;
        uint64_t kind = weft__type_at(world, resource->type)->hash + SEED_RESOURCE;
        weft_digest leaf = {0, 0};
        for (size_t at = 0; at < resource->count; at += WEFT_SHARD_SLOTS)
            leaf = chain_piece(leaf, resource->pieces.items[at / WEFT_SHARD_SLOTS], at, kind);
        resource->leaf = leaf;
        resource->dirty = false;
        world->stats.leaves_hashed++;
    }
}

static weft_status gather_changed(weft_world* world, uint64_t* bytes) {
    world->changed.count = 0;
    for (uint32_t i = 0; i < world->lane_count; i++) {
        weft__lane* lane = &world->lanes[i];
        WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, world->changed, lane->changed.count));
        for (uint32_t j = 0; j < lane->changed.count; j++) {
            weft__chunk* chunk = lane->changed.items[j];
            if (j + 8 < lane->changed.count) { // Its flags, and the node that is hashed later.
                __builtin_prefetch(lane->changed.items[j + 8]);
                __builtin_prefetch(&lane->changed.items[j + 8]->node);
            }
            WEFT_CHECK(chunk->listed);
            world->changed.items[world->changed.count++] = chunk;
            weft__chunk_table(world, chunk)->dirty = true;
            *bytes += (uint64_t)chunk->row_count * 16;
        }
        lane->changed.count = 0;
    }
    return gather_parts(world, bytes);
}

// Room for a node of `size` bytes in the world's scratch.
static weft_status node_begin(weft_world* world, weft__bytes* bytes, size_t size) {
    world->bytes.count = 0;
    WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, world->bytes, size));
    weft__bytes_init(bytes, world->bytes.items, world->bytes.capacity);
    return WEFT_STATUS_OK;
}

static weft_status hash_archetype(weft_world* world, weft__archetype* table) {
    weft__bytes bytes;
    WEFT_TRY(node_begin(world, &bytes,
                        16 + (size_t)table->component_count * 8 +
                            (size_t)table->chunks.count * sizeof(weft_digest)));
    weft__bytes_put_u32(&bytes, table->component_count);
    for (uint32_t i = 0; i < table->component_count; i++)
        weft__bytes_put_u64(&bytes, weft__type_at(world, table->components[i])->hash);
    table->node_empty = true;
    for (uint32_t i = 0; i < table->chunks.count; i++) {
        const weft__chunk* chunk = table->chunks.items[i];
        if (chunk->row_count == 0)
            continue;
        WEFT_ASSERT(chunk->dirty_count == 0 && !chunk->stale);
        weft__bytes_put_digest(&bytes, chunk->node);
        table->node_empty = false;
    }
    WEFT_ASSERT(!bytes.overflow);
    table->node = weft__bytes_digest(&bytes, SEED_ARCHETYPE);
    table->dirty = false;
    return WEFT_STATUS_OK;
}

static weft_status update_view(weft_world* world) {
    for (uint32_t i = 0; i < world->archetypes.count; i++)
        if (world->archetypes.items[i].dirty)
            WEFT_TRY(hash_archetype(world, &world->archetypes.items[i]));
    for (uint32_t i = 0; i < world->sparse.count; i++)
        if (world->sparse.items[i].dirty)
            WEFT_TRY(hash_archetype(world, &world->sparse.items[i]));
    size_t parts = (size_t)world->archetypes.count + world->sparse.count + world->resources.count +
                   world->reductions.count;
    weft__bytes bytes;
    WEFT_TRY(node_begin(world, &bytes, 32 + parts * (sizeof(weft_digest) + 8)));
    weft__bytes_put_u32(&bytes, DIGEST_VERSION);
    weft__bytes_put_u64(&bytes, world->live_count);
    for (uint32_t i = 0; i < world->archetypes.count; i++)
        if (!world->archetypes.items[i].node_empty)
            weft__bytes_put_digest(&bytes, world->archetypes.items[i].node);
    for (uint32_t i = 0; i < world->sparse.count; i++)
        if (!world->sparse.items[i].node_empty)
            weft__bytes_put_digest(&bytes, world->sparse.items[i].node);
    for (uint32_t i = 0; i < world->resources.count; i++) {
        weft__bytes_put_u64(&bytes, weft__type_at(world, world->resources.items[i].type)->hash);
        weft__bytes_put_digest(&bytes, world->resources.items[i].leaf);
    }
    for (uint32_t i = 0; i < world->reductions.count; i++) {
        weft__reduction* reduction = &world->reductions.items[i];
        const weft__type* type = weft__type_at(world, reduction->type);
        weft__bytes_put_u64(&bytes, type->hash);
        weft__bytes_put_digest(
            &bytes, hash_values(type, reduction->value, 1, type->hash, &world->lanes[0]));
    }
    WEFT_ASSERT(!bytes.overflow);
    world->digests.view = weft__bytes_digest(&bytes, SEED_VIEW);
    return WEFT_STATUS_OK;
}

// Free slots with the generations they will have; a retired slot is one that is neither living nor
// free. Generations of the living are in their handles.
static void update_allocator(weft_world* world) {
    if (!world->allocator_dirty)
        return;
    const uint32_t* free_words =
        world->free_slots.count > 0 ? &world->free_slots.items[0].slot : NULL;
    weft_digest counts = {world->slot_count, world->retired_count};
    world->allocator_leaf = hash_word_list(free_words, (size_t)world->free_slots.count * 2,
                                           SEED_FREE, counts, &world->lanes[0]);
    world->allocator_dirty = false;
}

static void update_channel(weft_world* world, weft__channel* channel) {
    if (!channel->dirty)
        return;
    const weft__type* type = weft__type_at(world, channel->type);
    uint8_t buffer[2 * sizeof(weft_digest) + 8];
    weft__bytes bytes;
    weft__bytes_init(&bytes, buffer, sizeof(buffer));
    const uint32_t* words = channel->next_count > 0 ? &channel->next_targets.items[0].slot : NULL;
    weft_digest targets = hash_word_list(words, (size_t)channel->next_count * 2, SEED_CHANNEL,
                                         (weft_digest){0, 0}, &world->lanes[0]);
    weft__bytes_put_u64(&bytes, channel->next_count);
    weft__bytes_put_digest(&bytes, targets);
    weft__bytes_put_digest(&bytes,
                           hash_array(type, channel->next_payloads.items, channel->next_count,
                                      type->hash + SEED_CHANNEL, &world->lanes[0]));
    channel->leaf = weft__bytes_digest(&bytes, type->hash);
    channel->dirty = false;
}

static weft_status update_full(weft_world* world) {
    update_allocator(world);
    weft__bytes bytes;
    size_t parts = (size_t)world->channels.count + 8;
    WEFT_TRY(node_begin(world, &bytes, 64 + parts * sizeof(weft_digest)));
    weft__bytes_put_digest(&bytes, world->digests.view);
    weft__bytes_put_u64(&bytes, world->tick);
    weft__bytes_put_u64(&bytes, world->desc.seed);
    weft__bytes_put_u32(&bytes, world->desc.slot_limit);
    weft__bytes_put_u32(&bytes, world->desc.archetype_limit);
    if (world->desc.math != WEFT_MATH_FIXED_16_16) {
        weft__bytes_put_u32(&bytes, MARK_MATH);
        weft__bytes_put_u32(&bytes, (uint32_t)world->desc.math);
    }
    weft__bytes_put_digest(&bytes, world->archetype_chain);
    weft__bytes_put_digest(&bytes, world->allocator_leaf);
    for (uint32_t i = 0; i < world->channels.count; i++) {
        if (world->channels.items[i].delivery != WEFT_DELIVERY_NEXT)
            continue;
        update_channel(world, &world->channels.items[i]);
        weft__bytes_put_digest(&bytes, world->channels.items[i].leaf);
    }
    WEFT_ASSERT(!bytes.overflow);
    world->digests.full = weft__bytes_digest(
        &bytes, weft_world_is_deterministic(world) ? SEED_FULL : SEED_FULL_LOOSE);
    return WEFT_STATUS_OK;
}

weft_status weft__digest_update(weft_world* world, weft__runner* runner) {
    WEFT_ASSERT(world != NULL && runner != NULL && !world->running);
    if (world->failed)
        return WEFT_STATUS_WORLD_FAILED;
    if (world->digests.valid)
        return WEFT_STATUS_OK;
    uint64_t bytes = 0;
    weft__runner_phase(runner, WEFT__PHASE_LEAVES);
    WEFT_TRY(gather_changed(world, &bytes));
    weft__batch batch = {.count = world->digest_parts.count + world->changed.count,
                         .cost_ns = bytes / 8,
                         .fn = update_item,
                         .context = world};
    runner->run(runner, &batch);
    weft__runner_phase(runner, WEFT__PHASE_TREE);
    chain_resources(world);
    for (uint32_t i = 0; i < world->lane_count; i++) {
        world->stats.leaves_hashed += world->lanes[i].leaves_hashed;
        world->lanes[i].leaves_hashed = 0;
    }
    WEFT_TRY(update_view(world));
    WEFT_TRY(update_full(world));
    world->digests.valid = true;
    return WEFT_STATUS_OK;
}

weft_digest weft_world_digest_view(weft_world* world) {
    weft__runner serial = weft__runner_serial();
    if (weft__digest_update(world, &serial) != WEFT_STATUS_OK)
        return (weft_digest){0, 0};
    return world->digests.view;
}

weft_digest weft_world_digest_full(weft_world* world) {
    weft__runner serial = weft__runner_serial();
    if (weft__digest_update(world, &serial) != WEFT_STATUS_OK)
        return (weft_digest){0, 0};
    return world->digests.full;
}

static weft_status check_chunk(weft_world* world, const weft__chunk* chunk) {
    const weft__archetype* table = weft__chunk_table(world, chunk);
    for (uint32_t at = 0; at <= chunk->column_count && chunk->row_count > 0; at++) {
        uint32_t i = at == 0 ? chunk->column_count : at - 1; // As they lie.
        if (chunk->dirty[i])
            continue;
        weft_digest now = i == chunk->column_count
                              ? hash_entities(chunk, &world->lanes[0])
                              : hash_column(world, chunk, i, chunk->columns[i], &world->lanes[0]);
        if (weft_digest_equal(now, chunk->leaves[i]))
            continue;
        const char* name = i == chunk->column_count
                               ? "(entities)"
                               : weft__type_at(world, table->column_types[i])->type->name;
        return weft__world_fail(world, WEFT_STATUS_DIGEST_MISMATCH,
                                "%s %u, shard %u, column %s was changed without a mark: some "
                                "system wrote what it did not declare or kept a pointer",
                                chunk->sparse ? "presence table" : "archetype", chunk->archetype,
                                chunk->shard, name);
    }
    return WEFT_STATUS_OK;
}

weft_status weft_world_digest_check(weft_world* world) {
    WEFT_ASSERT(world != NULL && !world->running);
    weft__runner serial = weft__runner_serial();
    WEFT_TRY(weft__digest_update(world, &serial));
    for (uint32_t i = 0; i < world->chunks.count; i++) {
        if (i + 2 < world->chunks.count)
            prefetch_head(world->chunks.items[i + 2]);
        if (i + 1 < world->chunks.count)
            prefetch_leaves(world->chunks.items[i + 1]);
        WEFT_TRY(check_chunk(world, world->chunks.items[i]));
    }
    for (uint32_t i = 0; i < world->sparse.count; i++)
        for (uint32_t j = 0; j < world->sparse.items[i].chunks.count; j++)
            WEFT_TRY(check_chunk(world, world->sparse.items[i].chunks.items[j]));
    for (uint32_t i = 0; i < world->resources.count; i++) {
        const weft__resource* resource = &world->resources.items[i];
        const weft__type* type = weft__type_at(world, resource->type);
        weft_digest now = hash_array(type, resource->values, resource->count,
                                     type->hash + SEED_RESOURCE, &world->lanes[0]);
        if (!weft_digest_equal(now, resource->leaf))
            return weft__world_fail(world, WEFT_STATUS_DIGEST_MISMATCH,
                                    "resource %s was changed without a mark: some system wrote "
                                    "what it did not declare",
                                    type->type->name);
    }
    return WEFT_STATUS_OK;
}
