// From the logs to the targets of commands (C6). From here on nobody knows who recorded what.
//
//   order     all lanes' segments by key; those of a range of shards are a block
//   read      each block: its records in key order, its creates numbered, its commands counted by
//             the shard that they are for
//   place     the counts become places: by shard, within a shard by block
//   file      each block: its commands to their places
//   link      commands on creates of this commit: a chain for each create
//
// Reading and filing go block by block, in parallel: where a command comes to lie follows from the
// keys alone. A block is what tasks on some shards recorded, so as a rule its worker has it in its
// caches, and so does the worker who folds. Commands from several blocks do not lie in key order;
// each has its segment's place in the order, and chains that need it are sorted by that.

#include <string.h>

#include "weft_world.h"

// There are at most so many blocks.
#define BLOCKS_MAX 64u

static uint64_t provisional_number(weft_entity entity) {
    WEFT_CHECK(weft__entity_is_provisional(entity));
    return (uint64_t)(entity.slot - WEFT__PROVISIONAL_SLOT) << 32 | entity.generation;
}

// Where a provisional number's create is filed in create_map, if its unit is of this commit.
static uint64_t create_place(const weft_world* world, uint64_t number) {
    uint64_t unit = number >> world->create_bits; // weft-lint: allow(shift): at most 33 bits
    WEFT_CHECK(unit < world->unit_map.count);
    // weft-lint: allow(shift): at most 33 bits
    return (uint32_t)world->unit_map.items[unit] + (number - (unit << world->create_bits));
}

static uint32_t create_find(const weft_world* world, uint64_t number) {
    uint64_t unit = number >> world->create_bits; // weft-lint: allow(shift): at most 33 bits
    if (unit >= world->unit_map.count ||
        (uint32_t)(world->unit_map.items[unit] >> 32) != world->commit_number)
        return WEFT__NONE;
    uint64_t at = create_place(world, number);
    if (at >= world->create_map.count)
        return WEFT__NONE;
    uint32_t found = world->create_map.items[at];
    WEFT_ASSERT(found < world->creates.count);
    const weft__create* create = &world->creates.items[found];
    return number - create->number < create->count ? found : WEFT__NONE;
}

uint64_t weft__create_place(const weft_world* world, weft_entity entity) {
    WEFT_ASSERT(weft__entity_is_provisional(entity));
    uint64_t number = provisional_number(entity);
    uint64_t unit = number >> world->create_bits; // weft-lint: allow(shift): at most 33 bits
    if (unit >= world->unit_map.count ||
        (uint32_t)(world->unit_map.items[unit] >> 32) != world->commit_number)
        return UINT64_MAX;
    return create_place(world, number);
}

weft_entity weft__commit_resolve(const weft_world* world, weft_entity entity) {
    WEFT_ASSERT(weft__entity_is_provisional(entity));
    uint64_t number = provisional_number(entity);
    uint32_t found = create_find(world, number);
    if (found == WEFT__NONE)
        return WEFT_ENTITY_NULL;
    const weft__create* create = &world->creates.items[found];
    if (create->count == 1 || weft_entity_is_null(create->real))
        return create->real;
    return weft__bulk_member(world, create, (uint32_t)(number - create->number));
}

// Gives every segment with creates its run in create_map, and its units a way there.
static weft_status map_units(weft_world* world) {
    uint64_t total = 0;
    world->creates.count = 0;
    world->create_map.count = 0;
    world->bulk = false;
    for (uint32_t i = 0; i < world->segments.count; i++) {
        total += world->segments.items[i]->create_count;
        world->bulk |= world->segments.items[i]->bulk_records > 0;
    }
    WEFT_TRY(weft__commit_check_total(world, total));
    WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, world->create_map, total));
    world->create_map.count = (uint32_t)total;
    uint32_t base = 0;
    if (world->unit_map.count < world->create_units) {
        uint32_t extra = world->create_units - world->unit_map.count;
        WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, world->unit_map, extra));
        memset(world->unit_map.items + world->unit_map.count, 0, extra * sizeof(uint64_t));
        world->unit_map.count = world->create_units;
    }
    for (uint32_t i = 0; i < world->segments.count; i++) {
        weft__segment* segment = world->segments.items[i];
        segment->create_base = base;
        for (uint64_t first = 0; first < segment->create_count;
             // weft-lint: allow(shift): at most 33 bits
             first += (uint64_t)1 << world->create_bits) {
            // weft-lint: allow(shift): at most 33 bits
            uint32_t unit = segment->unit + (uint32_t)(first >> world->create_bits);
            WEFT_ASSERT(unit < world->unit_map.count);
            world->unit_map.items[unit] =
                (uint64_t)world->commit_number << 32 | (base + (uint32_t)first);
        }
        base += (uint32_t)segment->create_count;
    }
    WEFT_ASSERT(base == world->create_map.count);
    return WEFT_STATUS_OK;
}

static void register_create(weft_world* world, const weft__record* record, uint32_t index) {
    uint64_t number = provisional_number(record->entity);
    uint64_t at = create_place(world, number);
    WEFT_ASSERT(at < world->create_map.count && index < world->creates.capacity);
    world->create_map.items[at] = index;
    world->creates.items[index] = (weft__create){.number = number,
                                                 .record = record,
                                                 .count = 1,
                                                 .chain = WEFT__NONE,
                                                 .chain_end = WEFT__NONE,
                                                 .next = WEFT__NONE};
}

// Numbers the creates of a segment by key order: rows may have been recorded in any order.
static void register_segment(weft_world* world, const weft__segment* segment) {
    uint32_t index = segment->create_base;
    for (uint32_t i = 0; i < segment->count && segment->create_count > 0; i++) {
        const weft__record* record = world->records.items[segment->first_record + i];
        if (weft__op_creates(record->op))
            register_create(world, record, index++);
    }
    WEFT_ASSERT(index == segment->create_base + segment->create_count);
}

// The same for all segments where there are creates of many: how many creates these become is known
// only when all commands are read.
static weft_status register_bulk(weft_world* world) {
    uint64_t need = world->create_map.count;
    for (uint32_t i = 0; i < world->segments.count; i++) {
        need += world->segments.items[i]->bulk_records;
        need -= world->segments.items[i]->bulk_creates;
    }
    uint64_t marked = 0; // Each may split a run in two, and stands between them.
    weft__bulk_mark(world, &marked);
    WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, world->creates, need + 2 * marked));
    for (uint32_t i = 0; i < world->segments.count; i++) {
        const weft__segment* segment = world->segments.items[i];
        for (uint32_t j = 0; j < segment->count && segment->create_count > 0; j++) {
            const weft__record* record = world->records.items[segment->first_record + j];
            if (record->op == WEFT__OP_CREATE_MANY)
                weft__bulk_register(world, record, marked > 0);
            else if (weft__op_creates(record->op))
                register_create(world, record, world->creates.count++);
        }
    }
    WEFT_ASSERT(world->creates.count <= need + 2 * marked);
    return WEFT_STATUS_OK;
}

// The block that a segment is of: tasks of world scope count as shard 0.
static WEFT__INLINE uint32_t block_of(const weft_world* world, const weft__segment* segment) {
    return segment->shard / world->block_width; // weft-lint: allow(division): at least 1
}

// Deals the segments out to blocks, each in key order, and makes room for a row of counts for each.
static weft_status cut_blocks(weft_world* world) {
    uint32_t shards = world->shards.count > 0 ? world->shards.count : 1;
    // weft-lint: allow(division): at least 1
    uint32_t wanted = world->records.count / world->block_records;
    // Rows are as long as there are shards: no more of them than the records are worth.
    // weft-lint: allow(division): at least 1
    uint64_t worth = 4 * (uint64_t)world->records.count / shards;
    wanted = wanted < worth ? wanted : (uint32_t)worth;
    wanted = wanted < BLOCKS_MAX ? wanted : BLOCKS_MAX;
    wanted = wanted < 1 ? 1 : wanted;
    // weft-lint: allow(division): at least 1
    world->block_width = (shards + wanted - 1) / wanted;
    // weft-lint: allow(division): at least 1
    uint32_t count = (shards - 1) / world->block_width + 1;
    WEFT_ASSERT(count >= 1 && count <= BLOCKS_MAX);
    world->blocks.count = world->block_counts.count = world->block_segments.count = 0;
    WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, world->blocks, count + 1));
    WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, world->block_segments, world->segments.count));
    uint32_t* ends = world->blocks.items;
    memset(ends, 0, (count + 1) * sizeof(ends[0]));
    for (uint32_t i = 0; i < world->segments.count; i++) {
        uint32_t block = block_of(world, world->segments.items[i]);
        WEFT_ASSERT(block < count);
        ends[block + 1]++;
    }
    for (uint32_t i = 0; i < count; i++)
        ends[i + 1] += ends[i];
    for (uint32_t i = 0; i < world->segments.count; i++)
        world->block_segments.items[ends[block_of(world, world->segments.items[i])]++] = i;
    world->blocks.count = count; // Block i now ends at ends[i].
    WEFT_ASSERT(ends[count - 1] == world->segments.count);
    return WEFT__VEC_RESERVE(&world->arena, world->block_counts,
                             (uint64_t)count * (world->shards.count + 1u));
}

static uint32_t* counts_of(const weft_world* world, uint32_t block) {
    WEFT_ASSERT(block < world->blocks.count);
    return world->block_counts.items + (size_t)block * (world->shards.count + 1u);
}

static uint32_t block_begin(const weft_world* world, uint32_t block) {
    WEFT_ASSERT(block == 0 || world->blocks.items[block - 1] <= world->blocks.items[block]);
    return block == 0 ? 0 : world->blocks.items[block - 1];
}

static uint32_t block_shard(const void* context, uint32_t block) {
    return block * ((const weft_world*)context)->block_width;
}

// Where a handle's commands are counted: by shard, provisional ones behind them. WEFT__NONE: no
// such slot was ever used.
static WEFT__INLINE uint32_t column_of(const weft_world* world, weft_entity entity) {
    if (weft__entity_is_provisional(entity))
        return world->shards.count;
    uint32_t shard = entity.slot / WEFT_SHARD_SLOTS;
    return shard < world->shards.count ? shard : WEFT__NONE;
}

static WEFT__INLINE void count_one(const weft_world* world, weft__lane* lane, uint32_t* counts,
                                   weft_entity entity) {
    uint32_t column = column_of(world, entity);
    if (column == WEFT__NONE)
        lane->dropped++;
    else
        counts[column]++;
}

static void count_segment(const weft_world* world, weft__lane* lane, const weft__segment* segment,
                          uint32_t* counts) {
    WEFT_ASSERT(segment->first_record + segment->count <= world->records.count);
    const weft__record** records = world->records.items + segment->first_record;
    for (uint32_t i = 0; i < segment->count; i++) {
        if (weft__op_creates(records[i]->op))
            continue;
        if (records[i]->op != WEFT__OP_DESTROY_MANY) {
            count_one(world, lane, counts, records[i]->entity);
            continue;
        }
        const weft_entity* handles = weft__record_handles(records[i]);
        for (uint32_t j = 0; j < weft__record_many(records[i])->count; j++)
            count_one(world, lane, counts, handles[j]);
    }
}

static void read_block(void* context, uint32_t worker, uint32_t block) {
    weft_world* world = context;
    uint32_t* counts = counts_of(world, block);
    memset(counts, 0, (world->shards.count + 1u) * sizeof(counts[0]));
    for (uint32_t i = block_begin(world, block); i < world->blocks.items[block]; i++) {
        const weft__segment* segment = world->segments.items[world->block_segments.items[i]];
        weft__log_read(world, segment);
        if (!world->bulk)
            register_segment(world, segment);
        count_segment(world, &world->lanes[worker], segment, counts);
    }
}

// The sum of all counts before, by shard, within a shard by block.
static uint32_t place_counts(weft_world* world) {
    uint32_t columns = world->shards.count + 1u;
    uint32_t at = 0;
    world->touched.count = 0;
    for (uint32_t column = 0; column < columns; column++) {
        uint32_t begin = at;
        for (uint32_t block = 0; block < world->blocks.count; block++) {
            uint32_t* count = &world->block_counts.items[(size_t)block * columns + column];
            uint32_t before = at;
            at += *count;
            *count = before;
        }
        if (column + 1 == columns) {
            world->provisional_begin = begin;
        } else if (at > begin) {
            weft__shard* shard = world->shards.items[column];
            WEFT_ASSERT(!shard->touched && shard->newborn_first == WEFT__NONE);
            shard->touched = true;
            shard->edit_begin = begin;
            shard->reference_end = at;
            world->touched.items[world->touched.count++] = column;
        }
    }
    return at;
}

static WEFT__INLINE void file_one(weft_world* world, uint32_t* places, uint32_t segment,
                                  const weft__record* record, weft_entity entity) {
    uint32_t column = column_of(world, entity);
    if (column == WEFT__NONE)
        return;
    uint8_t op = record->op == WEFT__OP_DESTROY_MANY ? WEFT__OP_DESTROY : record->op;
    WEFT_CHECK(places[column] < world->references.count);
    world->references.items[places[column]++] = (weft__reference){.record = record,
                                                                  .entity = entity,
                                                                  .type = record->type,
                                                                  .op = op,
                                                                  .segment = segment,
                                                                  .then = WEFT__NONE};
}

static void file_segment(weft_world* world, uint32_t* places, uint32_t index) {
    WEFT_ASSERT(index < world->segments.count);
    const weft__segment* segment = world->segments.items[index];
    const weft__record** records = world->records.items + segment->first_record;
    for (uint32_t i = 0; i < segment->count; i++) {
        const weft__record* record = records[i];
        if (weft__op_creates(record->op))
            continue;
        if (record->op != WEFT__OP_DESTROY_MANY) {
            file_one(world, places, index, record, record->entity);
            continue;
        }
        const weft_entity* handles = weft__record_handles(record);
        for (uint32_t j = 0; j < weft__record_many(record)->count; j++)
            file_one(world, places, index, record, handles[j]);
    }
}

static void file_block(void* context, uint32_t worker, uint32_t block) {
    (void)worker;
    weft_world* world = context;
    for (uint32_t i = block_begin(world, block); i < world->blocks.items[block]; i++)
        file_segment(world, counts_of(world, block), world->block_segments.items[i]);
}

static void link_provisional(weft_world* world, uint32_t at) {
    weft__reference* reference = &world->references.items[at];
    uint32_t found = create_find(world, provisional_number(reference->entity));
    if (found == WEFT__NONE) {
        world->stats.commands_dropped++;
        return;
    }
    weft__create* create = &world->creates.items[found];
    WEFT_ASSERT(create->count == 1); // What is spoken of is no part of a run.
    WEFT_ASSERT((create->chain == WEFT__NONE) == (create->chain_end == WEFT__NONE));
    if (reference->op == WEFT__OP_DESTROY) {
        world->cancelled += !create->cancelled;
        create->cancelled = true;
        return;
    }
    if (create->chain == WEFT__NONE) {
        create->chain = at;
    } else {
        weft__reference* last = &world->references.items[create->chain_end];
        last->then = at;
        create->shuffled |= reference->segment < last->segment;
    }
    create->chain_end = at;
}

static weft_status reserve_references(weft_world* world) {
    uint64_t need = world->records.count;
    for (uint32_t i = 0; i < world->segments.count; i++)
        need += world->segments.items[i]->bulk_handles;
    if (need > UINT32_MAX)
        return WEFT_STATUS_OUT_OF_MEMORY;
    WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, world->touched, world->shards.count));
    return WEFT__VEC_RESERVE(&world->arena, world->references, need);
}

weft_status weft__route(weft_world* world, weft__runner* runner) {
    WEFT_ASSERT(world->records.count > 0);
    world->creates.count = world->references.count = world->touched.count = 0;
    WEFT_TRY(map_units(world));
    WEFT_TRY(cut_blocks(world));
    WEFT_TRY(reserve_references(world));
    if (!world->bulk) {
        WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, world->creates, world->create_map.count));
        world->creates.count = world->create_map.count;
    }
    weft__batch batch = {.count = world->blocks.count,
                         .cost_ns = world->records.count * (uint64_t)10,
                         .fn = read_block,
                         .context = world,
                         .shard_of = block_shard};
    WEFT_TRY(weft__commit_batch(world, runner, &batch));
    if (world->bulk)
        WEFT_TRY(register_bulk(world));
    world->references.count = place_counts(world);
    WEFT_ASSERT(world->provisional_begin <= world->references.count);
    WEFT_ASSERT(world->references.count <= world->references.capacity);
    batch.fn = file_block;
    WEFT_TRY(weft__commit_batch(world, runner, &batch));
    for (uint32_t at = world->provisional_begin; at < world->references.count; at++)
        link_provisional(world, at);
    return WEFT_STATUS_OK;
}
