// Creation, schema, recorders, and the frame of a tick.

#include "weft_world.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "weft_bits.h"
#include "weft_bytes.h"

#define WORLD_COOKIE 0x57574C44u
// A place has 20 bits for a shard's chunks, and one of them is the empty set's.
#define WORLD_ARCHETYPES_MAX ((1u << 20) - 2)
// About what handing a block to a worker is worth.
#define BLOCK_RECORDS 128u
#define RESOURCE_BYTES_MAX ((uint64_t)1 << 36)

static void runner_serial_run(weft__runner* runner, const weft__batch* batch) {
    (void)runner;
    for (uint32_t i = 0; i < batch->count; i++)
        batch->fn(batch->context, 0, i);
}

weft__runner weft__runner_serial(void) {
    return (weft__runner){runner_serial_run, NULL};
}

weft_world_desc weft_world_desc_default(void) {
    return (weft_world_desc){.seed = 0,
                             .math = WEFT_MATH_FIXED_16_16,
                             .deterministic = true,
                             .slot_limit = WEFT_SLOT_LIMIT_MAX,
                             .archetype_limit = 65536,
                             .type_limit = 4096,
                             .cookie = WORLD_COOKIE};
}

const char* weft_math_name(weft_math_backend math) {
    static const char* const names[] = {"fixed_point_16_16", "float_pinned_32"};
    return (size_t)math < sizeof(names) / sizeof(names[0]) ? names[math] : "unknown";
}

// Of zeroed memory.
static weft_status world_begin(weft_world* world, const weft_world_desc* desc,
                               const weft__arena* arena) {
    world->desc = *desc;
    world->read_alias = arena->memory.read_alias;
    world->write_alias = arena->memory.write_alias;
    world->arena = *arena;
    world->allocator_dirty = true;
    world->block_records = BLOCK_RECORDS;
    WEFT_TRY(weft__archetypes_init(world));
    return weft__world_reserve_lanes(world, 1);
}

weft_status weft__world_replace(weft_world* world, const weft_world_desc* desc,
                                const weft_memory* memory, uint64_t tick) {
    weft__arena arena;
    weft__arena_init(&arena, memory);
    memset(world, 0, sizeof(*world));
    weft_status status = world_begin(world, desc, &arena);
    world->tick = tick;
    world->started = true;
    world->failed = true;
    return status;
}

weft_status weft_world_create(const weft_world_desc* desc, const weft_memory* memory,
                              weft_world** world_out) {
    WEFT_ASSERT(world_out != NULL);
    *world_out = NULL;
    if (desc == NULL || desc->cookie != WORLD_COOKIE || desc->slot_limit == 0 ||
        desc->slot_limit > WEFT_SLOT_LIMIT_MAX || desc->archetype_limit == 0 ||
        desc->archetype_limit > WORLD_ARCHETYPES_MAX || desc->type_limit == 0 ||
        desc->type_limit > 65535 ||
        (desc->math != WEFT_MATH_FIXED_16_16 && desc->math != WEFT_MATH_FLOAT_PINNED_32)) {
        if (memory != NULL && memory->close != NULL)
            memory->close(memory->context);
        return WEFT_STATUS_BAD_ARGUMENT;
    }
    weft__arena arena;
    weft__arena_init(&arena, memory);
    weft_world* world = weft__arena_alloc_zero(&arena, sizeof(*world));
    if (world == NULL) {
        weft__arena_deinit(&arena);
        return WEFT_STATUS_OUT_OF_MEMORY;
    }
    weft_status status = world_begin(world, desc, &arena);
    if (status != WEFT_STATUS_OK) {
        weft_world_destroy(world);
        return status;
    }
    *world_out = world;
    return WEFT_STATUS_OK;
}

void weft_world_destroy(weft_world* world) {
    if (world == NULL)
        return;
    weft__arena arena = world->arena; // The world itself lies in it.
    weft__arena_deinit(&arena);
}

bool weft_world_is_deterministic(const weft_world* world) {
    WEFT_ASSERT(world != NULL);
    return world->desc.deterministic && !world->desc.unordered_commit;
}

const char* weft_world_error(const weft_world* world) {
    WEFT_ASSERT(world != NULL);
    return world->error;
}

static void world_error(weft_world* world, const char* format, va_list arguments) {
    (void)vsnprintf(world->error, sizeof(world->error), format, arguments);
}

weft_status weft__world_fail(weft_world* world, weft_status status, const char* format, ...) {
    WEFT_ASSERT(status != WEFT_STATUS_OK);
    va_list arguments;
    va_start(arguments, format);
    world_error(world, format, arguments);
    va_end(arguments);
    return status;
}

weft_status weft__world_break(weft_world* world, weft_status status, const char* format, ...) {
    WEFT_ASSERT(status != WEFT_STATUS_OK);
    va_list arguments;
    va_start(arguments, format);
    world_error(world, format, arguments);
    va_end(arguments);
    world->failed = true;
    world->running = false;
    world->digests.valid = false;
    return status;
}

// Schema -----------------------------------------------------------------------------------------

// Addresses speed a look-up up; they order nothing.
static uint32_t address_hash(const weft_type* type) {
    // weft-lint: allow(address): places in a table that is only looked up in
    return (uint32_t)(((uint64_t)(uintptr_t)type * 0x9E3779B97F4A7C15u) >> 40);
}

uint32_t weft__type_id(const weft_world* world, const weft_type* type) {
    if (type == NULL || world->type_index.capacity == 0)
        return 0;
    uint32_t mask = world->type_index.capacity - 1;
    uint32_t at = address_hash(type) & mask;
    for (; world->address_index.items[at] != 0; at = (at + 1) & mask)
        if (world->types.items[world->address_index.items[at] - 1].type == type)
            return world->address_index.items[at];
    at = (uint32_t)weft_hash64_of_name(type->name) & mask;
    for (; world->type_index.items[at] != 0; at = (at + 1) & mask) {
        uint32_t id = world->type_index.items[at];
        if (weft__type_same(world->types.items[id - 1].type, type))
            return id;
    }
    return 0;
}

static bool name_taken(const weft_world* world, const char* name) {
    for (uint32_t i = 0; i < world->types.count; i++)
        if (strcmp(world->types.items[i].type->name, name) == 0)
            return true;
    return false;
}

static void index_put(uint32_t* items, uint32_t size, uint32_t at, uint32_t id) {
    WEFT_ASSERT(id > 0 && id < size && (size & (size - 1)) == 0);
    for (at &= size - 1; items[at] != 0;)
        at = (at + 1) & (size - 1);
    items[at] = id;
}

// Files the newest type in both indexes, or all types in larger ones.
static weft_status index_types(weft_world* world) {
    uint32_t size = world->type_index.capacity;
    uint32_t first = world->types.count;
    if (world->types.count * 2 > size) {
        uint32_t grown = size == 0 ? 64 : size * 2;
        uint32_t* names = weft__arena_alloc_zero(&world->arena, grown * sizeof(uint32_t));
        uint32_t* addresses = weft__arena_alloc_zero(&world->arena, grown * sizeof(uint32_t));
        if (names == NULL || addresses == NULL)
            return WEFT_STATUS_OUT_OF_MEMORY;
        weft__arena_free(&world->arena, world->type_index.items, size * sizeof(uint32_t));
        weft__arena_free(&world->arena, world->address_index.items, size * sizeof(uint32_t));
        world->type_index.items = names;
        world->address_index.items = addresses;
        world->type_index.capacity = world->address_index.capacity = size = grown;
        first = 1;
    }
    for (uint32_t id = first; id <= world->types.count; id++) {
        const weft_type* type = world->types.items[id - 1].type;
        index_put(world->type_index.items, size, (uint32_t)weft_hash64_of_name(type->name), id);
        index_put(world->address_index.items, size, address_hash(type), id);
    }
    return WEFT_STATUS_OK;
}

static weft_status refuse_float(weft_world* world, const weft_type* type) {
    char path[128];
    (void)weft_type_path(type, weft__type_float_offset(type), path, sizeof(path));
    return weft__world_fail(world, WEFT_STATUS_BAD_TYPE,
                            "type %s, field %s: float in a world of %s; use weft_fixed, or set "
                            "weft_world_desc.math to WEFT_MATH_FLOAT_PINNED_32, or .allow_float "
                            "for float beside fixed-point numbers",
                            type->name, path, weft_math_name(world->desc.math));
}

// Checks what all roles ask for and files the type; `role_index` is its place in its role's array.
static weft_status type_register(weft_world* world, const weft_type* type, weft__role role,
                                 uint32_t role_index, bool buffered) {
    char reason[256];
    if (world->failed)
        return WEFT_STATUS_WORLD_FAILED;
    if (world->started || world->running)
        return weft__world_fail(world, WEFT_STATUS_WRONG_PHASE,
                                "type %s: types are registered before the first tick", type->name);
    weft_status status = weft__type_check(type, reason, sizeof(reason));
    if (status != WEFT_STATUS_OK)
        return weft__world_fail(world, status, "%s", reason);
    if (name_taken(world, type->name))
        return weft__world_fail(world, WEFT_STATUS_DUPLICATE,
                                "type %s is registered already; each name has one role",
                                type->name);
    if (world->types.count >= world->desc.type_limit)
        return weft__world_fail(world, WEFT_STATUS_COMPONENT_LIMIT,
                                "type %s would be number %u; raise weft_world_desc.type_limit (%u)",
                                type->name, world->types.count + 1, world->desc.type_limit);
    if (type->size == 0 && (role != WEFT__ROLE_COMPONENT && role != WEFT__ROLE_SPARSE))
        return weft__world_fail(world, WEFT_STATUS_BAD_TYPE,
                                "type %s has no fields; only components can be tags", type->name);
    weft__traits traits = weft__type_traits(type);
    if (traits.has_float && world->desc.math == WEFT_MATH_FIXED_16_16 && !world->desc.allow_float)
        return refuse_float(world, type);
    WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, world->types, 1));
    world->types.items[world->types.count++] = (weft__type){
        .type = type,
        .role = role,
        .index = role_index,
        .hash = weft__type_hash(type),
        .buffered = buffered,
        .has_entities = traits.has_entities,
        .has_float = traits.has_float,
        .has_bool = traits.has_bool,
    };
    WEFT_ASSERT(world->types.count <= world->desc.type_limit);
    world->digests.valid = false;
    return index_types(world);
}

// NaN and bad bools stay out; `role` says what the values are for.
static weft_status refuse_values(weft_world* world, const char* role, const weft__type* type,
                                 const void* values, uint32_t count) {
    char text[192];
    uint32_t index;
    weft_status status = weft__values_check(type, values, count, &index, text, sizeof(text));
    if (status == WEFT_STATUS_OK)
        return status;
    return weft__world_fail(world, status, "%s %s, value %u: %s", role, type->type->name, index,
                            text);
}

static weft_status register_component(weft_world* world, const weft_type* type,
                                      weft_storage storage) {
    WEFT_ASSERT(world != NULL && type != NULL);
    if (storage != WEFT_STORAGE_DENSE && storage != WEFT_STORAGE_SPARSE &&
        storage != WEFT_STORAGE_BUFFERED)
        return weft__world_fail(world, WEFT_STATUS_BAD_ARGUMENT, "type %s: no storage %d exists",
                                type->name, (int)storage);
    if (storage == WEFT_STORAGE_BUFFERED && type->size == 0)
        return weft__world_fail(world, WEFT_STATUS_BAD_TYPE,
                                "type %s has no fields; a tag cannot be buffered", type->name);
    bool sparse = storage == WEFT_STORAGE_SPARSE;
    if (sparse) {
        WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, world->sparse, 1));
        WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, world->sparse_types, 1));
    }
    WEFT_TRY(type_register(world, type, sparse ? WEFT__ROLE_SPARSE : WEFT__ROLE_COMPONENT,
                           world->sparse.count, storage == WEFT_STORAGE_BUFFERED));
    if (type->size > world->component_size_max)
        world->component_size_max = type->size;
    if (sparse) {
        uint16_t id = (uint16_t)world->types.count;
        WEFT_TRY(weft__archetype_init(world, &world->sparse.items[world->sparse.count], &id, 1));
        world->sparse_types.items[world->sparse_types.count++] = id;
        world->sparse.count++;
    }
    return WEFT_STATUS_OK;
}

// A big-endian host encodes what it hashes; components have their room in any case.
static weft_status reserve_encoding(weft_world* world, const weft_type* type, uint32_t count) {
    size_t bytes = (size_t)(count < WEFT_SHARD_SLOTS ? count : WEFT_SHARD_SLOTS) * type->size;
    if (bytes <= world->encode_size_max || WEFT__LITTLE_ENDIAN)
        return WEFT_STATUS_OK;
    world->encode_size_max = bytes;
    return weft__lanes_refresh(world);
}

static weft_status register_resource(weft_world* world, const weft_type* type, uint32_t count,
                                     const void* initial) {
    WEFT_ASSERT(world != NULL && type != NULL);
    uint64_t size = (uint64_t)count * type->size;
    if (count == 0 || size > RESOURCE_BYTES_MAX)
        return weft__world_fail(world, WEFT_STATUS_BAD_ARGUMENT,
                                "resource %s: a count of %u is not possible", type->name, count);
    WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, world->resources, 1));
    WEFT_TRY(type_register(world, type, WEFT__ROLE_RESOURCE, world->resources.count, false));
    weft__resource* resource = &world->resources.items[world->resources.count];
    memset(resource, 0, sizeof(*resource));
    resource->type = world->types.count;
    resource->count = count;
    resource->size = (size_t)size; // Fits if the allocation succeeds.
    if (size <= WEFT__ARENA_BLOCK_MAX)
        resource->values =
            weft__arena_alloc_zero(&world->arena, weft__arena_apart(&world->arena, (size_t)size));
    if (resource->values == NULL)
        return weft__world_fail(world, WEFT_STATUS_OUT_OF_MEMORY,
                                "resource %s: no memory for %llu bytes", type->name,
                                (unsigned long long)size);
    for (uint32_t i = 0; i < count && initial != NULL; i++)
        memcpy((uint8_t*)resource->values + (size_t)i * type->size, initial, type->size);
    WEFT_TRY(refuse_values(world, "resource", weft__type_at(world, resource->type),
                           resource->values, count));
    resource->dirty = true;
    world->resources.count++;
    return reserve_encoding(world, type, count);
}

static weft_status register_channel(weft_world* world, const weft_type* type, weft_target target,
                                    weft_delivery delivery) {
    WEFT_ASSERT(world != NULL && type != NULL);
    if (delivery == WEFT_DELIVERY_LOG && target != WEFT_TARGET_WORLD)
        return weft__world_fail(world, WEFT_STATUS_BAD_ARGUMENT,
                                "channel %s: rows of a table have no addressee; use "
                                "WEFT_TARGET_WORLD",
                                type->name);
    WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, world->channels, 1));
    WEFT_TRY(type_register(world, type, WEFT__ROLE_CHANNEL, world->channels.count, false));
    weft__channel* channel = &world->channels.items[world->channels.count];
    memset(channel, 0, sizeof(*channel));
    channel->type = world->types.count;
    channel->stream = 1 + world->channels.count;
    channel->target = target;
    channel->delivery = delivery;
    channel->dirty = true;
    world->channels.count++;
    WEFT_TRY(reserve_encoding(world, type, WEFT_SHARD_SLOTS));
    WEFT_TRY(weft__lanes_refresh(world));
    return delivery == WEFT_DELIVERY_LOG ? weft__table_add(world, channel->type) : WEFT_STATUS_OK;
}

static weft_status register_reduction(weft_world* world, const weft_type* type,
                                      const void* identity, weft_combine_fn* combine) {
    WEFT_ASSERT(world != NULL && type != NULL);
    if (combine == NULL)
        return weft__world_fail(world, WEFT_STATUS_BAD_ARGUMENT,
                                "reduction %s has no combine function", type->name);
    WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, world->reductions, 1));
    WEFT_TRY(type_register(world, type, WEFT__ROLE_REDUCTION, world->reductions.count, false));
    weft__reduction* reduction = &world->reductions.items[world->reductions.count];
    memset(reduction, 0, sizeof(*reduction));
    reduction->type = world->types.count;
    reduction->combine = combine;
    reduction->identity = weft__arena_alloc_zero(&world->arena, type->size);
    reduction->value = weft__arena_alloc_zero(&world->arena, type->size);
    if (reduction->identity == NULL || reduction->value == NULL)
        return WEFT_STATUS_OUT_OF_MEMORY;
    if (identity != NULL)
        memcpy(reduction->identity, identity, type->size);
    memcpy(reduction->value, reduction->identity, type->size);
    WEFT_TRY(refuse_values(world, "reduction", weft__type_at(world, reduction->type),
                           reduction->value, 1));
    reduction->dirty = true;
    world->reductions.count++;
    return WEFT_STATUS_OK;
}

// A registration that runs out of memory half-way breaks the world: the schema would be a lie.
static weft_status registered(weft_world* world, weft_status status) {
    world->host_changes++;
    if (status != WEFT_STATUS_OUT_OF_MEMORY)
        return status;
    world->schema_broken = true;
    return weft__world_break(world, status, "no memory is left to register a type");
}

weft_status weft_world_register_component(weft_world* world, const weft_type* type,
                                          weft_storage storage) {
    return registered(world, register_component(world, type, storage));
}

weft_status weft_world_register_resource(weft_world* world, const weft_type* type, uint32_t count,
                                         const void* initial) {
    return registered(world, register_resource(world, type, count, initial));
}

weft_status weft_world_register_channel(weft_world* world, const weft_type* type,
                                        weft_target target, weft_delivery delivery) {
    return registered(world, register_channel(world, type, target, delivery));
}

weft_status weft_world_register_reduction(weft_world* world, const weft_type* type,
                                          const void* identity, weft_combine_fn* combine) {
    return registered(world, register_reduction(world, type, identity, combine));
}

uint64_t weft_world_schema_hash(const weft_world* world) {
    uint64_t hash = weft_hash64_of_name("weft schema 1");
    for (uint32_t i = 0; i < world->types.count; i++) {
        const weft__type* type = &world->types.items[i];
        uint64_t parts[6] = {hash, type->hash, (uint64_t)type->role, type->buffered, 0, 0};
        if (type->role == WEFT__ROLE_CHANNEL) {
            parts[4] = (uint64_t)world->channels.items[type->index].target;
            parts[5] = (uint64_t)world->channels.items[type->index].delivery;
        } else if (type->role == WEFT__ROLE_RESOURCE) {
            parts[4] = world->resources.items[type->index].count;
        }
        hash = weft__hash_words(parts, 6, i);
    }
    return hash;
}

const void* weft_world_resource(const weft_world* world, const weft_type* type) {
    uint32_t id = weft__type_id(world, type);
    if (id == 0)
        return NULL;
    const weft__type* registered = weft__type_at(world, id);
    if (world->failed && world->tick == 0)
        return NULL; // The schema may be half-registered.
    if (registered->role == WEFT__ROLE_RESOURCE)
        return world->resources.items[registered->index].values;
    if (registered->role == WEFT__ROLE_REDUCTION)
        return world->reductions.items[registered->index].value;
    return NULL;
}

weft_status weft_world_set_resource(weft_world* world, const weft_type* type, const void* values) {
    WEFT_ASSERT(world != NULL && type != NULL && values != NULL);
    uint32_t id = weft__type_id(world, type);
    if (id == 0 || weft__type_at(world, id)->role != WEFT__ROLE_RESOURCE)
        return weft__world_fail(world, WEFT_STATUS_UNKNOWN_TYPE, "%s is not a resource here",
                                type->name);
    if (world->started)
        return weft__world_fail(world, WEFT_STATUS_WRONG_PHASE,
                                "resource %s: set before the first tick only; afterwards post an "
                                "input event that a system reads",
                                type->name);
    weft__resource* resource = &world->resources.items[weft__type_at(world, id)->index];
    WEFT_TRY(refuse_values(world, "resource", weft__type_at(world, id), values, resource->count));
    memcpy(resource->values, values, resource->size);
    resource->dirty = true;
    world->digests.valid = false;
    world->host_changes++;
    return WEFT_STATUS_OK;
}

// Lanes ------------------------------------------------------------------------------------------

static weft_status lane_refresh(weft_world* world, weft__lane* lane) {
    weft__arena* arena = &world->arena;
    uint32_t streams = 1 + world->channels.count;
    if (lane->streams.count < streams) {
        WEFT_TRY(WEFT__VEC_RESERVE(arena, lane->streams, streams - lane->streams.count));
        memset(lane->streams.items + lane->streams.count, 0,
               (streams - lane->streams.count) * sizeof(weft__stream));
        lane->streams.count = streams;
    }
    uint32_t chunks = world->chunks.count + world->sparse_chunk_count;
    if (chunks > lane->changed.capacity)
        WEFT_TRY(WEFT__VEC_RESERVE(arena, lane->changed, chunks - lane->changed.count));
    if (chunks > lane->swaps.capacity)
        WEFT_TRY(WEFT__VEC_RESERVE(arena, lane->swaps, chunks - lane->swaps.count));
    if (2 * world->column_count_max > lane->layout.capacity)
        WEFT_TRY(WEFT__VEC_RESERVE(arena, lane->layout, 2 * (size_t)world->column_count_max));
    if (lane->selected == NULL)
        lane->selected = weft__arena_alloc(arena, WEFT_SHARD_SLOTS * sizeof(uint16_t));
    if (lane->selected == NULL)
        return WEFT_STATUS_OUT_OF_MEMORY;
    WEFT_TRY(weft__fold_reserve(world, lane));
    return weft__merge_reserve(world, lane);
}

weft_status weft__lanes_refresh(weft_world* world) {
    for (uint32_t i = 0; i < world->lane_count; i++)
        WEFT_TRY(lane_refresh(world, &world->lanes[i]));
    return lane_refresh(world, &world->host);
}

weft_status weft__world_reserve_lanes(weft_world* world, uint32_t count) {
    WEFT_ASSERT(!world->running && count > 0);
    if (count > world->lane_count) {
        weft__lane* lanes = weft__arena_alloc_zero(&world->arena, count * sizeof(*lanes));
        if (lanes == NULL)
            return WEFT_STATUS_OUT_OF_MEMORY;
        if (world->lane_count > 0)
            memcpy(lanes, world->lanes, world->lane_count * sizeof(*lanes));
        weft__arena_free(&world->arena, world->lanes, world->lane_count * sizeof(*lanes));
        world->lanes = lanes;
        world->lane_count = count;
    }
    return weft__lanes_refresh(world);
}

static bool failure_before(const weft__failure* a, const weft__failure* b) {
    return weft__key_before((weft__key){a->rank, a->archetype, a->shard},
                            (weft__key){b->rank, b->archetype, b->shard});
}

void weft__lane_fail(weft__lane* lane, weft_status status, uint32_t rank, uint32_t archetype,
                     uint32_t shard, const char* text) {
    WEFT_ASSERT(status != WEFT_STATUS_OK && text != NULL);
    weft__failure* old = &lane->failure;
    weft__failure failure = {status, rank, archetype, shard, {0}};
    if (old->status != WEFT_STATUS_OK && !failure_before(&failure, old))
        return;
    *old = failure;
    (void)snprintf(old->text, sizeof(old->text), "%s", text);
}

const weft__failure* weft__world_failure(const weft_world* world) {
    const weft__failure* first = NULL;
    for (uint32_t i = 0; i < world->lane_count; i++) {
        const weft__failure* failure = &world->lanes[i].failure;
        if (failure->status == WEFT_STATUS_OK)
            continue;
        if (first == NULL || failure_before(failure, first))
            first = failure;
    }
    return first;
}

// The tick's frame -------------------------------------------------------------------------------

// The bits left for the sequence when `units` tasks may create.
static uint32_t create_bits_for(uint32_t units) {
    uint32_t unit_bits = weft__ceil_log2(units);
    WEFT_ASSERT(unit_bits < WEFT__PROVISIONAL_BITS);
    return WEFT__PROVISIONAL_BITS - unit_bits;
}

static weft_status host_commit(weft_world* world, weft__runner* runner) {
    WEFT_ASSERT(world->host.failure.status == WEFT_STATUS_OK);
    world->create_bits = create_bits_for(1);
    world->create_units = 1;
    world->host_changes += world->host.streams.items[0].segments.count > 0;
    weft_status status = weft__commit(world, runner);
    world->host.failure.status = WEFT_STATUS_OK;
    return status;
}

weft_commands* weft_world_commands(weft_world* world) {
    WEFT_ASSERT(world != NULL && !world->running);
    world->host_commands =
        (weft_commands){.world = world, .lane = &world->host, .unit = 0, .unit_count = 1};
    world->create_bits = create_bits_for(1);
    return &world->host_commands;
}

weft_status weft_world_commit(weft_world* world) {
    weft__runner serial = weft__runner_serial();
    return weft__world_commit(world, &serial);
}

weft_status weft__world_commit(weft_world* world, weft__runner* runner) {
    WEFT_ASSERT(world != NULL && !world->running);
    WEFT_ASSERT(runner != NULL);
    if (world->failed)
        return WEFT_STATUS_WORLD_FAILED;
    weft__failure* failure = &world->host.failure;
    weft_status status = failure->status;
    if (status == WEFT_STATUS_NOT_A_NUMBER || status == WEFT_STATUS_BAD_BOOL ||
        status == WEFT_STATUS_CREATE_LIMIT) {
        weft__log_clear(world, 0); // Refused as a whole: nothing has changed.
        failure->status = WEFT_STATUS_OK;
        return weft__world_fail(world, status, "the host's commands are dropped: %s",
                                failure->text);
    }
    if (status != WEFT_STATUS_OK)
        return weft__world_break(world, status, "%s", failure->text);
    return host_commit(world, runner);
}

weft_status weft__tick_begin(weft_world* world, uint32_t create_units, weft__runner* runner) {
    WEFT_ASSERT(!world->running);
    if (world->failed)
        return WEFT_STATUS_WORLD_FAILED;
    world->started = true;
    WEFT_ASSERT(world->host.streams.items[0].segments.count == 0);
    for (uint32_t i = 0; i < world->lane_count; i++)
        world->lanes[i].failure.status = WEFT_STATUS_OK;
    for (uint32_t i = 0; i < world->channels.count; i++) {
        weft__channel* channel = &world->channels.items[i];
        weft_status status = WEFT_STATUS_OK;
        if (channel->delivery == WEFT_DELIVERY_NEXT)
            status = weft__channel_turn(world, i, runner);
        else
            channel->count = 0;
        if (status != WEFT_STATUS_OK)
            return weft__world_break(world, status,
                                     "tick %llu: no memory is left to deliver messages",
                                     (unsigned long long)world->tick);
    }
    world->create_units = create_units == 0 ? 1 : create_units;
    world->create_bits = create_bits_for(world->create_units);
    world->running = true;
    world->digest_wanted = world->digests.valid;
    world->digests.valid = false;
    return WEFT_STATUS_OK;
}

// Back columns become world(t+1).
static void swap_buffered(weft_world* world) {
    for (uint32_t i = 0; i < world->lane_count; i++) {
        weft__lane* lane = &world->lanes[i];
        for (uint32_t j = 0; j < lane->swaps.count; j++) {
            weft__chunk* chunk = lane->swaps.items[j];
            WEFT_ASSERT(chunk->swap);
            for (uint32_t column = 0; column < chunk->column_count; column++) {
                if (!chunk->filled[column])
                    continue;
                WEFT_ASSERT(chunk->backs[column] != NULL);
                void* front = chunk->columns[column];
                chunk->columns[column] = chunk->backs[column];
                chunk->backs[column] = front;
                chunk->filled[column] = 0;
            }
            chunk->swap = false;
        }
        lane->swaps.count = 0;
    }
}

weft_status weft__tick_end(weft_world* world, weft__runner* runner) {
    WEFT_ASSERT(world->running && !world->failed);
    weft__runner_phase(runner, WEFT__PHASE_ORDER);
    swap_buffered(world);
    weft_status status = weft__commit(world, runner);
    weft__runner_phase(runner, WEFT__PHASE_MESSAGES);
    for (uint32_t i = 0; status == WEFT_STATUS_OK && i < world->channels.count; i++) {
        if (world->channels.items[i].delivery == WEFT_DELIVERY_NEXT)
            status = weft__channel_collect(world, i, runner);
        else if (world->channels.items[i].delivery == WEFT_DELIVERY_LOG)
            status = weft__channel_keep(world, i, runner);
    }
    if (status != WEFT_STATUS_OK) {
        char reason[sizeof(world->error)];
        memcpy(reason, world->error, sizeof(reason));
        return weft__world_break(world, status, "tick %llu, commit: %s",
                                 (unsigned long long)world->tick, reason);
    }
    world->tick++;
    world->running = false;
    return WEFT_STATUS_OK;
}

// Reading ----------------------------------------------------------------------------------------

uint64_t weft_world_entity_count(const weft_world* world) {
    return world->live_count;
}

uint64_t weft_world_tick(const weft_world* world) {
    return world->tick;
}

bool weft_world_has_failed(const weft_world* world) {
    return world->failed;
}

weft_math_backend weft_world_math(const weft_world* world) {
    return world->desc.math;
}

weft_entity weft_world_resolve(const weft_world* world, weft_entity entity) {
    return weft__entity_is_provisional(entity) ? weft__commit_resolve(world, entity) : entity;
}

const void* weft_world_messages(const weft_world* world, const weft_type* type,
                                uint32_t* count_out) {
    WEFT_ASSERT(count_out != NULL);
    *count_out = 0;
    uint32_t id = weft__type_id(world, type);
    if (id == 0 || weft__type_at(world, id)->role != WEFT__ROLE_CHANNEL)
        return NULL;
    const weft__channel* channel = &world->channels.items[weft__type_at(world, id)->index];
    *count_out = channel->count;
    return channel->count == 0 ? NULL : channel->payloads.items;
}

weft_status weft_world_post(weft_world* world, const weft_type* type, weft_entity target,
                            const void* message) {
    WEFT_ASSERT(world != NULL && !world->running && message != NULL);
    if (world->failed)
        return WEFT_STATUS_WORLD_FAILED;
    uint32_t id = weft__type_id(world, type);
    if (id == 0 || weft__type_at(world, id)->role != WEFT__ROLE_CHANNEL)
        return weft__world_fail(world, WEFT_STATUS_UNKNOWN_TYPE, "%s is not a channel here",
                                type->name);
    uint32_t index = weft__type_at(world, id)->index;
    const weft__channel* channel = &world->channels.items[index];
    if (channel->delivery != WEFT_DELIVERY_NEXT)
        return weft__world_fail(world, WEFT_STATUS_BAD_ARGUMENT,
                                "channel %s is delivered within a tick; inputs need "
                                "WEFT_DELIVERY_NEXT",
                                type->name);
    if (weft__entity_is_provisional(target) ||
        (channel->target == WEFT_TARGET_WORLD && !weft_entity_is_null(target)))
        return weft__world_fail(world, WEFT_STATUS_BAD_ARGUMENT,
                                "channel %s: the target must be %s", type->name,
                                channel->target == WEFT_TARGET_WORLD ? "null" : "a real handle");
    if (weft__type_has_provisional(type, message))
        return weft__world_fail(world, WEFT_STATUS_BAD_ARGUMENT,
                                "channel %s: the message holds a provisional handle; commit, and "
                                "post what weft_world_resolve() gives",
                                type->name);
    WEFT_TRY(refuse_values(world, "channel", weft__type_at(world, id), message, 1));
    WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, world->inputs, 1));
    WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, world->input_bytes, type->size));
    WEFT_TRY(weft__channel_post(world, index, target, message));
    world->inputs.items[world->inputs.count++] =
        (weft__input){world->tick, index, target, world->input_bytes.count};
    memcpy(world->input_bytes.items + world->input_bytes.count, message, type->size);
    world->input_bytes.count += type->size;
    return WEFT_STATUS_OK;
}

// What was posted stands at the ends of the lists of what waits.
void weft_world_unpost(weft_world* world) {
    WEFT_ASSERT(world != NULL && !world->running);
    while (world->inputs.count > 0) {
        const weft__input* input = &world->inputs.items[world->inputs.count - 1];
        if (input->tick != world->tick)
            return;
        weft__channel* channel = &world->channels.items[input->channel];
        WEFT_ASSERT(channel->next_count > 0 && input->offset <= world->input_bytes.count);
        channel->next_count--;
        channel->dirty = true;
        world->digests.valid = false;
        world->host_changes++;
        world->input_bytes.count = input->offset;
        world->inputs.count--;
    }
}

uint64_t weft_world_input_count(const weft_world* world) {
    return world->inputs.count;
}

void weft_world_checkpoint(weft_world* world) {
    WEFT_ASSERT(world != NULL && !world->running);
    world->inputs.count = 0;
    world->input_bytes.count = 0;
    world->checkpoint_tick = world->tick;
    world->pasts++;
}

void weft__inputs_forget(weft_world* world, uint64_t tick) {
    WEFT_ASSERT(tick <= world->tick);
    if (tick <= world->checkpoint_tick)
        return;
    uint32_t gone = 0;
    while (gone < world->inputs.count && world->inputs.items[gone].tick < tick)
        gone++;
    uint32_t left = world->inputs.count - gone;
    uint32_t begin = left > 0 ? world->inputs.items[gone].offset : world->input_bytes.count;
    WEFT_ASSERT(begin <= world->input_bytes.count);
    world->input_bytes.count -= begin;
    if (world->input_bytes.count > 0)
        memmove(world->input_bytes.items, world->input_bytes.items + begin,
                world->input_bytes.count);
    for (uint32_t i = 0; i < left; i++) {
        world->inputs.items[i] = world->inputs.items[gone + i];
        world->inputs.items[i].offset -= begin;
    }
    world->inputs.count = left;
    world->checkpoint_tick = tick;
}

weft_world_stats weft_world_stats_read(const weft_world* world) {
    weft_world_stats stats = world->stats;
    stats.archetypes = world->archetypes.count - 1;
    stats.chunks = world->chunks.count + world->sparse_chunk_count;
    stats.arena_used = world->arena.used;
    stats.arena_reserved = world->arena.reserved;
    return stats;
}
