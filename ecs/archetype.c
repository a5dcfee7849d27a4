// Component sets and archetypes.
//
// A set is a node of a memo: adding or removing one type leads along an edge to another node. Nodes
// are made freely, in any order, and are never seen: only a set that a commit stores gets an
// archetype id (C1), so no intermediate set of a chain of commands ever exists in the world.

#include <string.h>

#include "weft_world.h"

#define INDEX_EMPTY 0u // Entries of set_index are set + 1.

static uint64_t set_hash(const uint16_t* components, uint32_t count) {
    return weft_hash64_of(components, count * sizeof(uint16_t), count);
}

static weft_status index_rebuild(weft_world* world, uint32_t size) {
    WEFT_ASSERT((size & (size - 1)) == 0 && size > world->sets.count);
    uint32_t* items = weft__arena_alloc_zero(&world->arena, size * sizeof(uint32_t));
    if (items == NULL)
        return WEFT_STATUS_OUT_OF_MEMORY;
    weft__arena_free(&world->arena, world->set_index.items,
                     world->set_index.capacity * sizeof(uint32_t));
    world->set_index.items = items;
    world->set_index.capacity = size;
    for (uint32_t set = 0; set < world->sets.count; set++) {
        uint32_t at = (uint32_t)world->sets.items[set].hash & (size - 1);
        while (items[at] != INDEX_EMPTY)
            at = (at + 1) & (size - 1);
        items[at] = set + 1;
    }
    return WEFT_STATUS_OK;
}

uint32_t weft__set_of(weft_world* world, const uint16_t* components, uint32_t count) {
    for (uint32_t i = 1; i < count; i++)
        WEFT_CHECK(components[i - 1] < components[i]);
    uint64_t hash = set_hash(components, count);
    uint32_t mask = world->set_index.capacity - 1;
    for (uint32_t at = (uint32_t)hash & mask; world->set_index.items[at] != INDEX_EMPTY;
         at = (at + 1) & mask) {
        uint32_t found = world->set_index.items[at] - 1;
        const weft__set* set = &world->sets.items[found];
        if (set->hash == hash && set->component_count == count &&
            (count == 0 || memcmp(set->components, components, count * sizeof(uint16_t)) == 0))
            return found;
    }
    if (WEFT__VEC_RESERVE(&world->arena, world->sets, 1) != WEFT_STATUS_OK)
        return WEFT__NONE;
    uint16_t* copy = weft__arena_alloc(&world->arena, count * sizeof(uint16_t));
    if (copy == NULL)
        return WEFT__NONE;
    if (count > 0)
        memcpy(copy, components, count * sizeof(uint16_t));
    uint32_t set = world->sets.count++;
    world->sets.items[set] = (weft__set){
        .hash = hash, .component_count = count, .components = copy, .archetype = WEFT__NONE};
    if (world->sets.count * 2 > world->set_index.capacity) {
        if (index_rebuild(world, world->set_index.capacity * 2) != WEFT_STATUS_OK) {
            world->sets.count--; // What the index does not know would be made a second time.
            weft__arena_free(&world->arena, copy, count * sizeof(uint16_t));
            return WEFT__NONE;
        }
    } else {
        uint32_t at = (uint32_t)hash & mask;
        while (world->set_index.items[at] != INDEX_EMPTY)
            at = (at + 1) & mask;
        world->set_index.items[at] = set + 1;
    }
    return set;
}

static uint64_t edge_key(uint32_t set, uint32_t type_id, bool add) {
    return ((uint64_t)set << 24 | (uint64_t)type_id << 1 | (uint64_t)add) + 1;
}

static uint32_t edge_slot(const weft_world* world, uint64_t key) {
    WEFT_CHECK(key != 0); // Of a free place.
    uint32_t mask = world->edge_keys.capacity - 1;
    uint32_t at = (uint32_t)((key * 0x9E3779B97F4A7C15u) >> 32) & mask;
    while (world->edge_keys.items[at] != 0 && world->edge_keys.items[at] != key)
        at = (at + 1) & mask;
    return at;
}

static weft_status edges_resize(weft_world* world, uint32_t size) {
    WEFT_ASSERT((size & (size - 1)) == 0 && size > world->edge_count);
    uint64_t* keys = weft__arena_alloc_zero(&world->arena, size * sizeof(uint64_t));
    uint32_t* sets = weft__arena_alloc_zero(&world->arena, size * sizeof(uint32_t));
    if (keys == NULL || sets == NULL) {
        weft__arena_free(&world->arena, keys, size * sizeof(uint64_t));
        weft__arena_free(&world->arena, sets, size * sizeof(uint32_t));
        return WEFT_STATUS_OUT_OF_MEMORY;
    }
    uint64_t* old_keys = world->edge_keys.items;
    uint32_t* old_sets = world->edge_sets.items;
    uint32_t old_size = world->edge_keys.capacity;
    world->edge_keys.items = keys;
    world->edge_keys.capacity = size;
    world->edge_sets.items = sets;
    world->edge_sets.capacity = size;
    for (uint32_t i = 0; i < old_size; i++) {
        if (old_keys[i] == 0)
            continue;
        uint32_t at = edge_slot(world, old_keys[i]);
        keys[at] = old_keys[i];
        sets[at] = old_sets[i];
    }
    weft__arena_free(&world->arena, old_keys, old_size * sizeof(uint64_t));
    weft__arena_free(&world->arena, old_sets, old_size * sizeof(uint32_t));
    return WEFT_STATUS_OK;
}

weft_status weft__archetypes_init(weft_world* world) {
    WEFT_ASSERT(world->sets.count == 0);
    WEFT_TRY(index_rebuild(world, 64));
    WEFT_TRY(edges_resize(world, 64));
    uint32_t empty = weft__set_of(world, NULL, 0);
    if (empty == WEFT__NONE)
        return WEFT_STATUS_OUT_OF_MEMORY;
    WEFT_ASSERT(empty == 0);
    return weft__archetype_store(world, empty);
}

bool weft__set_has(const weft_world* world, uint32_t set, uint32_t type_id) {
    WEFT_CHECK(set < world->sets.count);
    const weft__set* node = &world->sets.items[set];
    for (uint32_t i = 0; i < node->component_count; i++)
        if (node->components[i] >= type_id)
            return node->components[i] == type_id;
    return false;
}

// A step that is not in the memo yet.
static uint32_t step_new(weft_world* world, uint32_t set, uint32_t type_id, bool add) {
    const weft__set* node = &world->sets.items[set];
    uint32_t count = node->component_count;
    uint16_t* list = weft__arena_alloc(&world->arena, (count + 1) * sizeof(uint16_t));
    if (list == NULL)
        return WEFT__NONE;
    uint32_t out = 0;
    bool placed = !add;
    for (uint32_t i = 0; i < count; i++) {
        uint16_t component = node->components[i];
        if (!placed && component >= type_id) {
            placed = true;
            if (component != type_id)
                list[out++] = (uint16_t)type_id;
        }
        if (add || component != type_id)
            list[out++] = component;
    }
    if (!placed)
        list[out++] = (uint16_t)type_id;
    WEFT_ASSERT(out <= count + 1 && out + 1 >= count);
    uint32_t target = weft__set_of(world, list, out);
    weft__arena_free(&world->arena, list, (count + 1) * sizeof(uint16_t));
    if (target == WEFT__NONE)
        return WEFT__NONE;
    if ((world->edge_count + 1) * 2 > world->edge_keys.capacity &&
        edges_resize(world, world->edge_keys.capacity * 2) != WEFT_STATUS_OK)
        return WEFT__NONE;
    world->edge_count++;
    uint64_t key = edge_key(set, type_id, add);
    uint32_t at = edge_slot(world, key);
    world->edge_keys.items[at] = key;
    world->edge_sets.items[at] = target;
    return target;
}

uint32_t weft__set_step(weft_world* world, uint32_t set, uint32_t type_id, bool add) {
    WEFT_ASSERT(set < world->sets.count && type_id > 0);
    uint64_t key = edge_key(set, type_id, add);
    if (world->sets.items[set].last_edge == key)
        return world->sets.items[set].last_set;
    uint32_t at = edge_slot(world, key);
    uint32_t target = world->edge_keys.items[at] == key ? world->edge_sets.items[at]
                                                        : step_new(world, set, type_id, add);
    if (target != WEFT__NONE) {
        world->sets.items[set].last_edge = key;
        world->sets.items[set].last_set = target;
    }
    return target;
}

uint32_t weft__set_known_step(const weft_world* world, uint32_t set, uint32_t type_id, bool add) {
    WEFT_CHECK(set < world->sets.count && type_id > 0);
    uint64_t key = edge_key(set, type_id, add);
    uint32_t at = edge_slot(world, key);
    return world->edge_keys.items[at] == key ? world->edge_sets.items[at] : WEFT__NONE;
}

static void lists_free(weft_world* world, weft__archetype* archetype, uint32_t count) {
    size_t bytes = (size_t)count * sizeof(uint32_t);
    weft__arena_free(&world->arena, archetype->components, bytes);
    weft__arena_free(&world->arena, archetype->column_types, bytes);
    weft__arena_free(&world->arena, archetype->column_sizes, bytes);
    weft__arena_free(&world->arena, archetype->pack_offsets, bytes);
}

void weft__archetypes_clear(weft_world* world) {
    for (uint32_t i = 0; i < world->archetypes.count; i++) {
        weft__archetype* archetype = &world->archetypes.items[i];
        lists_free(world, archetype, archetype->component_count);
        WEFT__VEC_FREE(&world->arena, archetype->chunks);
    }
    for (uint32_t i = 0; i < world->sets.count; i++) {
        world->sets.items[i].archetype = WEFT__NONE;
        world->sets.items[i].last_chunk = NULL;
    }
    world->archetypes.count = 0;
    world->archetype_chain = (weft_digest){0, 0};
}

weft_status weft__archetype_init(weft_world* world, weft__archetype* archetype,
                                 const uint16_t* components, uint32_t count) {
    memset(archetype, 0, sizeof(*archetype));
    size_t bytes = (size_t)count * sizeof(uint32_t);
    archetype->components = weft__arena_alloc(&world->arena, bytes);
    archetype->column_types = weft__arena_alloc(&world->arena, bytes);
    archetype->column_sizes = weft__arena_alloc(&world->arena, bytes);
    archetype->pack_offsets = weft__arena_alloc(&world->arena, bytes);
    if (archetype->components == NULL || archetype->column_types == NULL ||
        archetype->column_sizes == NULL || archetype->pack_offsets == NULL) {
        lists_free(world, archetype, count);
        return WEFT_STATUS_OUT_OF_MEMORY;
    }
    archetype->component_count = count;
    uint64_t row_size = sizeof(weft_entity);
    archetype->pack_size = sizeof(weft_entity);
    for (uint32_t i = 0; i < count; i++) {
        WEFT_ASSERT(i == 0 || components[i - 1] < components[i]);
        archetype->components[i] = components[i];
        const weft__type* type = weft__type_at(world, components[i]);
        if (type->type->size == 0)
            continue;
        uint32_t column = archetype->column_count++;
        archetype->column_types[column] = components[i];
        archetype->column_sizes[column] = type->type->size;
        archetype->pack_offsets[column] = archetype->pack_size;
        archetype->pack_size += (type->type->size + 7u) & ~7u;
        row_size += (uint64_t)type->type->size * (type->buffered ? 2 : 1);
        archetype->has_entities |= type->has_entities;
        archetype->has_buffered |= type->buffered;
    }
    // A full chunk and what the merge carries to it fit one block. Only a 32-bit host says no.
    if (row_size > WEFT__ARENA_BLOCK_MAX / (2 * WEFT_SHARD_SLOTS))
        return WEFT_STATUS_OUT_OF_MEMORY;
    WEFT_ASSERT(archetype->column_count <= count && archetype->pack_size % 8 == 0);
    if (archetype->column_count > world->column_count_max)
        world->column_count_max = archetype->column_count;
    archetype->dirty = true;
    archetype->node_empty = true;
    return WEFT_STATUS_OK;
}

weft_status weft__archetype_store(weft_world* world, uint32_t set) {
    WEFT_ASSERT(set < world->sets.count);
    WEFT_ASSERT(world->sets.items[set].archetype == WEFT__NONE);
    if (world->archetypes.count > world->desc.archetype_limit)
        return WEFT_STATUS_ARCHETYPE_LIMIT;
    WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, world->archetypes, 1));
    const weft__set* node = &world->sets.items[set];
    weft__archetype* archetype = &world->archetypes.items[world->archetypes.count];
    WEFT_TRY(weft__archetype_init(world, archetype, node->components, node->component_count));
    archetype->set = set;
    world->sets.items[set].archetype = world->archetypes.count++;
    // The chain covers the ids: each link holds the set's types by their layout hash.
    uint64_t link[3] = {world->archetype_chain.low, world->archetype_chain.high,
                        node->component_count};
    uint64_t low = weft__hash_words(link, 3, 0);
    uint64_t high = weft__hash_words(link, 3, 1);
    for (uint32_t i = 0; i < node->component_count; i++) {
        uint64_t part[3] = {low, high, weft__type_at(world, node->components[i])->hash};
        low = weft__hash_words(part, 3, 2);
        high = weft__hash_words(part, 3, 3);
    }
    world->archetype_chain = (weft_digest){low, high};
    return WEFT_STATUS_OK;
}

uint32_t weft__archetype_column(const weft__archetype* archetype, uint32_t type_id) {
    for (uint32_t i = 0; i < archetype->column_count; i++)
        if (archetype->column_types[i] == type_id)
            return i;
    return WEFT__NONE;
}

bool weft__archetype_has(const weft__archetype* archetype, uint32_t type_id) {
    uint32_t low = 0;
    uint32_t high = archetype->component_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (archetype->components[middle] < type_id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < archetype->component_count && archetype->components[low] == type_id;
}
