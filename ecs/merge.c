// The merge: one shard's deaths, moves, births and value writes, as one sorted merge per chunk.
//
// Rows that arrive are packed first, while all old rows are still in place; then each chunk is
// rewritten once. Which slots leave a chunk and which arrive are sets of bits, so they are
// collected in any order and read in ascending order. A merge is a list of steps (old rows that
// stay, then perhaps one that arrives) computed from the sets and replayed on every column, so a
// column is read once, front to back.

#include <string.h>

#include "weft_bits.h"
#include "weft_world.h"

// What happens to one chunk of the shard.
typedef struct merge_change {
    weft__chunk* chunk;
    uint32_t block_count;
    uint64_t gone[WEFT__MEMBER_WORDS]; // Slots that leave.
    uint64_t come[WEFT__MEMBER_WORDS]; // Slots that arrive; of a block, the first. May be in both.
} merge_change;

// Newborns in a row of slots never used before: their values are `index` on in the columns of a
// create of many.
typedef struct merge_block {
    const weft__record* record;
    weft_entity first;
    uint32_t index;
    uint32_t count;
    uint32_t change;
} merge_block;

// Part of a chunk's new content: `count` old rows from `from`, then `come` rows that arrive.
typedef struct merge_step {
    uint16_t from;
    uint16_t count;
    uint16_t come;
    uint16_t block; // What arrives is a block.
    uint32_t carry; // Offset of its packed row; of a block, its place in `blocks`.
} merge_step;

// One column of the chunk that is rewritten, or its handles.
typedef struct merge_column {
    const uint8_t* old;
    const uint8_t* old_end; // Of its room.
    const uint8_t* packed;  // + carry is where an arrival's value lies.
    uint8_t* out;
    const uint8_t* end; // Of its room.
    size_t size;        // Of a value.
    uint32_t type_id;   // 0: handles.
} merge_column;

typedef struct weft__merge {
    uint32_t carry_of[WEFT_SHARD_SLOTS]; // By slot that arrives: as in merge_step.
    merge_block blocks[WEFT_SHARD_SLOTS];
    merge_step steps[WEFT_SHARD_SLOTS + 1];
    merge_column* columns;
    uint32_t column_capacity;
    merge_change* changes; // Of the shard's chunks, by weft__chunk.change.
    uint32_t change_count;
    uint32_t change_capacity;
    uint32_t block_count;
    uint32_t step_count;
    size_t carry_used;
} weft__merge;

// A newborn of the shard, or a block of them in a row of slots never used before.
typedef struct newborn {
    const weft__create* create;
    weft__chunk* target;
    weft_entity real; // Of a block, the first.
    uint32_t index;   // In the columns of its record.
    uint32_t block;   // How many; 0: one, that is packed like any row.
} newborn;

// Grows an array whose contents do not matter.
static void* regrow(weft_world* world, void* items, uint32_t* capacity, size_t size,
                    uint32_t need) {
    if (need <= *capacity)
        return items;
    weft__arena_free(&world->arena, items, *capacity * size);
    *capacity = need < 8 ? 8 : 2 * need;
    items = weft__arena_alloc(&world->arena, *capacity * size);
    *capacity = items == NULL ? 0 : *capacity;
    return items;
}

weft_status weft__merge_reserve(weft_world* world, weft__lane* lane) {
    // Also room for the digest node of the widest chunk: 24 bytes a component.
    size_t widest = world->component_size_max < sizeof(weft_entity) ? sizeof(weft_entity)
                                                                    : world->component_size_max;
    size_t need = (size_t)WEFT_SHARD_SLOTS * widest;
    if (need < 64 + 24 * (size_t)world->types.count)
        need = 64 + 24 * (size_t)world->types.count;
    if (need < world->encode_size_max)
        need = world->encode_size_max;
    if (lane->merge == NULL) {
        lane->merge = weft__arena_alloc_zero(&world->arena, sizeof(weft__merge));
        if (lane->merge == NULL)
            return WEFT_STATUS_OUT_OF_MEMORY;
    }
    weft__merge* merge = lane->merge;
    merge->changes = regrow(world, merge->changes, &merge->change_capacity, sizeof(merge_change),
                            1 + world->shard_chunks_max);
    merge->columns = regrow(world, merge->columns, &merge->column_capacity, sizeof(merge_column),
                            1 + world->column_count_max);
    if (merge->changes == NULL || merge->columns == NULL)
        return WEFT_STATUS_OUT_OF_MEMORY;
    if (lane->column_size < need) {
        weft__arena_free(&world->arena, lane->column, lane->column_size);
        lane->column_size = 0;
        lane->column = weft__arena_alloc(&world->arena, weft__arena_block_size(need));
        if (lane->column == NULL)
            return WEFT_STATUS_OUT_OF_MEMORY;
        lane->column_size = weft__arena_block_size(need);
    }
    WEFT_ASSERT(merge->change_capacity > world->shard_chunks_max);
    WEFT_ASSERT(lane->column_size >= need);
    return WEFT_STATUS_OK;
}

static void changes_begin(weft__merge* merge) {
    merge->change_count = merge->block_count = 0;
    merge->carry_used = 0;
}

static WEFT__INLINE merge_change* change_of(weft__merge* merge, weft__chunk* chunk) {
    if (__builtin_expect(chunk->change != WEFT__NONE, 1)) {
        WEFT_CHECK(chunk->change < merge->change_count);
        return &merge->changes[chunk->change];
    }
    WEFT_ASSERT(merge->change_count < merge->change_capacity);
    chunk->change = merge->change_count++;
    merge_change* change = &merge->changes[chunk->change];
    memset(change, 0, sizeof(*change));
    change->chunk = chunk;
    return change;
}

static WEFT__INLINE void note_gone(weft__merge* merge, weft__chunk* chunk, uint32_t slot) {
    merge_change* change = change_of(merge, chunk);
    WEFT_CHECK(weft__members_has(&chunk->members, slot));
    change->gone[slot / 64] |= (uint64_t)1 << (slot % 64);
}

// Takes a slot in and gives the place for its packed row, which begins with its handle.
static WEFT__INLINE uint8_t* note_come(weft__merge* merge, const weft__lane* lane,
                                       weft__chunk* chunk, weft_entity entity, size_t pack_size) {
    WEFT_ASSERT(merge->carry_used + pack_size <= lane->carry_size);
    WEFT_CHECK(pack_size >= sizeof(entity) && pack_size % 8 == 0);
    uint32_t slot = entity.slot % WEFT_SHARD_SLOTS;
    merge_change* change = change_of(merge, chunk);
    change->come[slot / 64] |= (uint64_t)1 << (slot % 64);
    merge->carry_of[slot] = (uint32_t)merge->carry_used;
    uint8_t* packed = lane->carry + merge->carry_used;
    merge->carry_used += pack_size;
    memcpy(packed, &entity, sizeof(entity));
    return packed;
}

// Most values have 4 or 8 bytes, and a call for them costs more than they do.
static inline void copy_value(void* out, const void* in, size_t size) {
    if (size == 8)
        memcpy(out, in, 8);
    else if (size == 4)
        memcpy(out, in, 4);
    else
        memcpy(out, in, size);
}

// Copies a value to its place, zero where it is null; handles in it become real.
static void store_bytes(const weft_world* world, const weft__type* type, const void* value,
                        void* place) {
    if (value == NULL) {
        memset(place, 0, type->type->size);
        return;
    }
    copy_value(place, value, type->type->size);
    if (type->has_entities)
        weft__type_resolve(world, type->type, place, 1);
}

static void store_value(const weft_world* world, const weft__type* type, const weft__record* record,
                        void* place) {
    store_bytes(world, type, record->has_value ? weft__record_value(record) : NULL, place);
}

// Writes a chain's values into a packed row of its final set. In key order, so the last one wins; a
// value for a component that the final set lacks is superseded by the remove that follows it.
static void pack_values(const weft_world* world, const weft__archetype* table, uint32_t chain,
                        uint8_t* packed) {
    const weft__reference* reference;
    for (; chain != WEFT__NONE; chain = reference->then) {
        reference = &world->references.items[chain];
        const weft__type* type = weft__type_at(world, reference->type);
        if (reference->op == WEFT__OP_REMOVE || type->role == WEFT__ROLE_SPARSE)
            continue;
        uint32_t column = weft__archetype_column(table, reference->type);
        if (column != WEFT__NONE)
            store_value(world, type, reference->record, packed + table->pack_offsets[column]);
    }
}

static WEFT__INLINE void move_row(weft_world* world, weft__lane* lane, weft__shard* shard,
                                  const weft__edit* edit) {
    weft__chunk* from = edit->from;
    weft__chunk* to = edit->target;
    uint32_t row = edit->row;
    const weft__archetype* old = &world->archetypes.items[from->archetype];
    const weft__archetype* table = &world->archetypes.items[to->archetype];
    WEFT_CHECK(from != to && from->shard == to->shard && row < from->row_count);
    WEFT_CHECK(from->entities[row].slot % WEFT_SHARD_SLOTS == edit->slot);
    note_gone(lane->merge, from, edit->slot);
    shard->slots[edit->slot].chunk = to->local + 1;
    uint8_t* packed = note_come(lane->merge, lane, to, from->entities[row], table->pack_size);
    uint32_t other = 0;
    for (uint32_t i = 0; i < table->column_count; i++) {
        while (other < old->column_count && old->column_types[other] < table->column_types[i])
            other++;
        uint32_t size = table->column_sizes[i];
        uint8_t* place = packed + table->pack_offsets[i];
        if (other < old->column_count && old->column_types[other] == table->column_types[i])
            copy_value(place, (uint8_t*)from->columns[other] + (size_t)row * size, size);
        else
            memset(place, 0, size);
    }
    pack_values(world, table, edit->chain, packed);
    lane->moved++;
}

// Values for a row that stays where it is.
static WEFT__INLINE void update_row(weft_world* world, weft__lane* lane, const weft__edit* edit) {
    weft__chunk* chunk = edit->from;
    size_t row = edit->row;
    const weft__archetype* table = &world->archetypes.items[chunk->archetype];
    WEFT_CHECK(row < chunk->row_count && !chunk->sparse);
    for (uint32_t at = edit->chain; at != WEFT__NONE; at = world->references.items[at].then) {
        const weft__record* record = world->references.items[at].record;
        const weft__type* type = weft__type_at(world, record->type);
        if (record->op == WEFT__OP_REMOVE || type->role == WEFT__ROLE_SPARSE)
            continue;
        uint32_t column = weft__archetype_column(table, record->type);
        if (column == WEFT__NONE)
            continue;
        uint8_t* place = (uint8_t*)chunk->columns[column] + row * type->type->size;
        store_value(world, type, record, place);
        weft__chunk_mark(lane, chunk, column);
    }
}

// The value of entity `index` of a record. A part without a value is zero, also where an earlier
// part gave one.
static void store_part(const weft_world* world, const weft__type* type, const weft__part* part,
                       uint32_t index, void* place) {
    const uint8_t* values = part->kind == WEFT__PART_ZERO ? NULL : (const uint8_t*)(part + 1);
    if (part->kind == WEFT__PART_COLUMN)
        values += (size_t)index * type->type->size;
    store_bytes(world, type, values, place);
}

// Writes a create's own components into a packed row.
static void pack_bundle(const weft_world* world, const weft__archetype* table, const newborn* born,
                        uint8_t* packed) {
    const weft__bundle* bundle = weft__record_bundle(born->create->record);
    if (bundle == NULL)
        return;
    const weft__part* part = weft__bundle_first(bundle);
    for (uint32_t i = 0; i < bundle->count; i++, part = weft__bundle_next(part)) {
        uint32_t column = weft__archetype_column(table, part->type);
        if (column != WEFT__NONE)
            store_part(world, weft__type_at(world, part->type), part, born->index,
                       packed + table->pack_offsets[column]);
    }
}

// A block's rows need not be packed: nothing but its record speaks of them.
static void bear_block(weft__merge* merge, weft__shard* shard, const newborn* born) {
    uint32_t local = born->real.slot % WEFT_SHARD_SLOTS;
    WEFT_ASSERT(local + born->block <= WEFT_SHARD_SLOTS);
    WEFT_ASSERT(merge->block_count < WEFT_SHARD_SLOTS);
    merge_change* change = change_of(merge, born->target);
    change->come[local / 64] |= (uint64_t)1 << (local % 64);
    change->block_count++;
    merge->carry_of[local] = merge->block_count;
    merge->blocks[merge->block_count++] = (merge_block){
        born->create->record, born->real, born->index, born->block, born->target->change};
    for (uint32_t i = local; i < local + born->block; i++) {
        WEFT_CHECK(shard->slots[i].chunk == 0);
        shard->slots[i] = (weft__slot){born->real.generation, born->target->local + 1};
        shard->live[i / 64] |= (uint64_t)1 << (i % 64);
    }
}

static WEFT__INLINE void bear_row(weft_world* world, weft__lane* lane, weft__shard* shard,
                                  const newborn* born) {
    if (born->block > 0) {
        bear_block(lane->merge, shard, born);
        return;
    }
    const weft__archetype* table = &world->archetypes.items[born->target->archetype];
    uint8_t* packed = note_come(lane->merge, lane, born->target, born->real, table->pack_size);
    memset(packed + sizeof(weft_entity), 0, table->pack_size - sizeof(weft_entity));
    pack_bundle(world, table, born, packed);
    pack_values(world, table, born->create->chain, packed);
    uint32_t local = born->real.slot % WEFT_SHARD_SLOTS;
    WEFT_CHECK(shard->slots[local].chunk == 0 && born->real.generation != 0);
    shard->slots[local] = (weft__slot){born->real.generation, born->target->local + 1};
    shard->live[local / 64] |= (uint64_t)1 << (local % 64);
}

static WEFT__INLINE newborn newborn_single(const weft__create* create) {
    return (newborn){create, create->target, create->real, create->index, 0};
}

// A run's members in slots never used are one newborn, those in freed slots are one each.
static newborn newborn_member(const weft_world* world, const weft__birth* birth, uint32_t i) {
    const weft__create* run = &world->creates.items[birth->create];
    WEFT_CHECK(birth->create < world->creates.count && i < birth->count);
    uint32_t member = birth->member + i;
    return (newborn){run, birth->target, weft__bulk_member(world, run, member), run->index + member,
                     member >= run->popped ? birth->count : 0};
}

static uint32_t newborns_of(const weft_world* world, const weft__birth* birth) {
    return birth->member >= world->creates.items[birth->create].popped ? 1 : birth->count;
}

// Rows that will be read soon: they lie anywhere in their chunks.
static WEFT__INLINE void prefetch_edit(const weft_world* world, const weft__edit* edit) {
    __builtin_prefetch(world->references.items[edit->chain].record);
    if (edit->kind != WEFT__EDIT_MOVE)
        return;
    const weft__chunk* chunk = edit->from;
    __builtin_prefetch(&chunk->entities[edit->row]);
    size_t at = (size_t)edit->row * sizeof(weft_entity); // Most columns are about as wide.
    for (uint32_t i = 0; i < chunk->column_count; i++)
        __builtin_prefetch((const uint8_t*)chunk->columns[i] + at);
}

// Creates come in the order of their keys, so their records lie anywhere.
static WEFT__INLINE void prefetch_create(const weft__create* create) {
    __builtin_prefetch(create->record);
    __builtin_prefetch((const uint8_t*)create->record + 64);
}

// Packs everything that moves or is born and notes everything that leaves. Deaths come before
// births, since a slot may be freed and taken at once.
WEFT__WIDE
static void pack_rows(weft_world* world, weft__lane* lane, weft__shard* shard) {
    const weft__edit* edits = world->edits.items;
    WEFT_ASSERT(shard->edit_begin <= shard->edit_deaths && shard->edit_deaths <= shard->edit_end);
    for (uint32_t i = shard->edit_begin; i < shard->edit_deaths; i++) {
        uint32_t slot = edits[i].slot;
        WEFT_CHECK(edits[i].kind == WEFT__EDIT_DEATH && shard->slots[slot].chunk != 0);
        if (i + 16 < shard->edit_deaths)
            __builtin_prefetch(&shard->slots[edits[i + 16].slot]);
        note_gone(lane->merge, weft__slot_chunk(shard, shard->slots[slot]), slot);
        shard->slots[slot].chunk = 0;
        shard->live[slot / 64] &= ~((uint64_t)1 << (slot % 64));
    }
    for (uint32_t i = shard->edit_deaths; i < shard->edit_end; i++) {
        if (i + 8 < shard->edit_end)
            prefetch_edit(world, &edits[i + 8]);
        if (edits[i].kind == WEFT__EDIT_MOVE)
            move_row(world, lane, shard, &edits[i]);
        else
            update_row(world, lane, &edits[i]);
    }
    const weft__create* creates = world->creates.items;
    for (uint32_t i = shard->newborn_first; i != WEFT__NONE; i = creates[i].next) {
        newborn born = newborn_single(&creates[i]);
        if (creates[i].next != WEFT__NONE)
            prefetch_create(&creates[creates[i].next]);
        bear_row(world, lane, shard, &born);
    }
    for (uint32_t i = shard->birth_first; i != WEFT__NONE; i = world->births.items[i].next) {
        const weft__birth* birth = &world->births.items[i];
        for (uint32_t j = 0; j < newborns_of(world, birth); j++) {
            newborn born = newborn_member(world, birth, j);
            bear_row(world, lane, shard, &born);
        }
    }
}

// The new content of a chunk as steps; returns its rows. How many changes fall into a word of slots
// cannot be foreseen, so one loop goes over the changes and steps from word to word without a jump.
WEFT__WIDE
static uint32_t plan_steps(weft__merge* merge, const merge_change* change) {
    const weft__members* members = &change->chunk->members;
    uint64_t words = 0; // Those with changes.
    uint32_t count = 0;
    for (uint32_t word = 0; word < WEFT__MEMBER_WORDS; word++) {
        uint64_t bits = change->gone[word] | change->come[word];
        words |= (uint64_t)(bits != 0) << word;
        count += weft__popcount64(bits);
    }
    WEFT_ASSERT(count > 0 && count <= WEFT_SHARD_SLOTS);
    uint32_t word = weft__ctz64(words);
    uint64_t bits = change->gone[word] | change->come[word];
    uint32_t rows = 0;
    uint32_t row = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t bit = bits & (0 - bits);
        uint32_t slot = word * 64 + weft__ctz64(bits);
        uint32_t at =
            members->ranks[word] + (uint32_t)weft__popcount64(members->words[word] & (bit - 1));
        uint32_t comes = (change->come[word] & bit) != 0;
        merge->steps[i] = (merge_step){.from = (uint16_t)row,
                                       .count = (uint16_t)(at - row),
                                       .come = (uint16_t)comes,
                                       .carry = comes * merge->carry_of[slot]};
        rows += at - row + comes;
        row = at + ((change->gone[word] & bit) != 0);
        bits ^= bit;
        uint64_t done = 0 - (uint64_t)(bits == 0);
        words &= words - (done & 1);
        word = weft__ctz64(words | (uint64_t)1 << 63);
        bits |= (change->gone[word] | change->come[word]) & done;
    }
    WEFT_ASSERT(row <= change->chunk->row_count && rows <= WEFT_SHARD_SLOTS);
    uint32_t left = change->chunk->row_count - row;
    merge->steps[count] = (merge_step){.from = (uint16_t)row, .count = (uint16_t)left};
    merge->step_count = count + 1;
    return rows + left;
}

// Says of which steps' arrivals are blocks; returns how many more rows come with them. Both lists
// ascend by slot only within themselves, so blocks are found by their place.
static uint32_t plan_blocks(weft__merge* merge, const merge_change* change) {
    uint32_t more = 0;
    for (uint32_t i = 0; i < merge->block_count; i++) {
        const merge_block* block = &merge->blocks[i];
        if (&merge->changes[block->change] != change)
            continue;
        uint32_t local = block->first.slot % WEFT_SHARD_SLOTS;
        WEFT_ASSERT(block->count > 0 && local + block->count <= WEFT_SHARD_SLOTS);
        uint32_t before = 0; // Events below its slot, each a step.
        for (uint32_t word = 0; word < local / 64; word++)
            before += weft__popcount64(change->gone[word] | change->come[word]);
        uint64_t below = ((uint64_t)1 << (local % 64)) - 1;
        before += weft__popcount64((change->gone[local / 64] | change->come[local / 64]) & below);
        merge_step* step = &merge->steps[before];
        WEFT_ASSERT(step->come == 1 && step->carry == i);
        step->come = (uint16_t)block->count;
        step->block = 1;
        more += block->count - 1;
    }
    return more;
}

// Takes the leaving slots out of the chunk's set, then the arriving ones in: some may be both.
WEFT__WIDE
static void change_members(const weft__merge* merge, const merge_change* change) {
    weft__members* members = &change->chunk->members;
    for (uint32_t word = 0; word < WEFT__MEMBER_WORDS; word++) {
        WEFT_CHECK((change->gone[word] & ~members->words[word]) == 0);
        WEFT_CHECK((change->come[word] & members->words[word] & ~change->gone[word]) == 0);
        members->words[word] = (members->words[word] & ~change->gone[word]) | change->come[word];
    }
    for (uint32_t i = 0; change->block_count > 0 && i < merge->block_count; i++) {
        const merge_block* block = &merge->blocks[i];
        if (&merge->changes[block->change] == change)
            weft__members_insert_run(members, block->first.slot % WEFT_SHARD_SLOTS, block->count);
    }
    change->chunk->row_count = weft__members_count(members, 0);
}

// Left to itself gcc copies in quarters.
typedef uint8_t half_line __attribute__((vector_size(32), aligned(1), may_alias));

// Copies old rows to the column's end in steps of 64 bytes while these run over neither end: what
// lies behind may be another worker's. Most runs are short, and a call costs more than they do.
static WEFT__INLINE void copy_run(const merge_column* column, uint32_t from, size_t bytes) {
    uint8_t* out = column->out;
    const uint8_t* in = column->old + from * column->size;
    // weft-lint: allow(address): both are of one column
    size_t room = (size_t)(column->end - out);
    // weft-lint: allow(address): both are of one column
    size_t left = (size_t)(column->old_end - in);
    size_t whole = (bytes + 63) & ~(size_t)63;
    WEFT_CHECK(bytes <= room && bytes <= left);
    if (bytes > 1024 || whole > room || whole > left) {
        memcpy(out, in, bytes);
        return;
    }
    for (size_t at = 0; at < bytes; at += 64) {
        __builtin_prefetch(in + at + 512);
        half_line first = *(const half_line*)(const void*)(in + at);
        half_line second = *(const half_line*)(const void*)(in + at + 32);
        *(half_line*)(void*)(out + at) = first;
        *(half_line*)(void*)(out + at + 32) = second;
    }
}

// The last of a create's own parts of a type, or null.
static const weft__part* bundle_part(const weft__record* record, uint32_t type_id) {
    const weft__bundle* bundle = weft__record_bundle(record);
    if (bundle == NULL)
        return NULL;
    const weft__part* part = weft__bundle_first(bundle);
    const weft__part* found = NULL;
    for (uint32_t i = 0; i < bundle->count; i++, part = weft__bundle_next(part))
        found = part->type == type_id ? part : found;
    return found;
}

// One column of a block of newborns, from the log; their handles if the type is 0.
static void replay_block(const weft_world* world, const merge_block* block, uint32_t type_id,
                         uint8_t* out) {
    for (uint32_t i = 0; type_id == 0 && i < block->count; i++) {
        weft_entity entity = {block->first.slot + i, block->first.generation};
        memcpy(out + i * sizeof(entity), &entity, sizeof(entity));
    }
    if (type_id == 0)
        return;
    const weft__type* type = weft__type_at(world, type_id);
    const weft__part* part = bundle_part(block->record, type_id);
    size_t size = type->type->size;
    WEFT_ASSERT(part != NULL && size > 0); // Its set is that of its parts.
    if (part->kind == WEFT__PART_ZERO) {
        memset(out, 0, block->count * size);
        return;
    }
    if (part->kind == WEFT__PART_COLUMN)
        memcpy(out, (const uint8_t*)(part + 1) + block->index * size, block->count * size);
    for (uint32_t i = 0; i < block->count && part->kind == WEFT__PART_VALUE; i++)
        copy_value(out + i * size, part + 1, size);
    if (type->has_entities)
        weft__type_resolve(world, type->type, out, block->count);
}

// Replays the steps on all columns of a chunk at once: how long a run is cannot be foreseen, but
// once it is known for the first column the branches of the others follow it.
WEFT__HALF_WIDE
static void replay(const weft__merge* merge, uint32_t column_count) {
    for (uint32_t i = 0; i < merge->step_count; i++) {
        merge_step step = merge->steps[i];
        for (uint32_t j = 0; j < column_count; j++) {
            merge_column* column = &merge->columns[j];
            size_t size = column->size;
            size_t bytes = step.count * size;
            copy_run(column, step.from, bytes);
            uint8_t* out = column->out + bytes;
            if (step.come > 0)
                copy_value(out, column->packed + step.carry, size);
            column->out = out + step.come * size;
            WEFT_CHECK(column->out <= column->end);
        }
    }
}

// The same where blocks arrive.
static void replay_blocks(const weft_world* world, const weft__merge* merge,
                          uint32_t column_count) {
    for (uint32_t i = 0; i < merge->step_count; i++) {
        merge_step step = merge->steps[i];
        WEFT_CHECK(!step.block || step.carry < merge->block_count);
        const merge_block* block = &merge->blocks[step.block ? step.carry : 0];
        for (uint32_t j = 0; j < column_count; j++) {
            merge_column* column = &merge->columns[j];
            size_t size = column->size;
            copy_run(column, step.from, step.count * size);
            uint8_t* out = column->out + step.count * size;
            if (step.block)
                replay_block(world, block, column->type_id, out);
            else if (step.come > 0)
                copy_value(out, column->packed + step.carry, size);
            column->out = out + step.come * size;
            WEFT_CHECK(column->out <= column->end);
        }
    }
}

static WEFT__INLINE void set_column(weft__merge* merge, uint32_t index, const uint8_t* old,
                                    uint32_t old_capacity, const uint8_t* packed, void* out,
                                    uint32_t capacity, size_t size, uint32_t type_id) {
    WEFT_ASSERT(index < merge->column_capacity && capacity >= old_capacity);
    if (old == NULL) // A new chunk, of which no row is copied.
        old = out;
    merge->columns[index] = (merge_column){old,    old + old_capacity * size,       packed,
                                           out,    (uint8_t*)out + capacity * size, size,
                                           type_id};
}

static void merge_chunk(weft_world* world, weft__lane* lane, const merge_change* change) {
    weft__merge* merge = lane->merge;
    weft__chunk* chunk = change->chunk;
    const weft__archetype* table = weft__chunk_table(world, chunk);
    WEFT_ASSERT(&merge->changes[chunk->change] == change);
    chunk->change = WEFT__NONE;
    uint32_t rows = plan_steps(merge, change);
    if (change->block_count > 0)
        rows += plan_blocks(merge, change);
    uint32_t capacity = rows <= chunk->capacity ? chunk->capacity : weft__chunk_capacity_for(rows);
    // The lane's spare block if it has one, warm from the chunk that was merged before. The old
    // block becomes the spare, so nothing is copied back.
    weft__block block;
    if (!weft__block_take(world, lane, chunk, capacity, &block)) {
        weft__lane_fail(lane, WEFT_STATUS_OUT_OF_MEMORY, 0, chunk->archetype, chunk->shard,
                        "no memory is left for a chunk");
        return;
    }
    weft_entity* entities;
    void** columns = lane->layout.items;
    void** backs = columns + chunk->column_count;
    WEFT_ASSERT(2 * chunk->column_count <= lane->layout.capacity);
    weft__block_layout(world, table, capacity, &block, &entities, columns, backs);
    set_column(merge, 0, (const uint8_t*)chunk->entities, chunk->capacity, lane->carry, entities,
               capacity, sizeof(weft_entity), 0);
    weft__chunk_mark(lane, chunk, chunk->column_count);
    for (uint32_t i = 0; i < chunk->column_count; i++) {
        set_column(merge, 1 + i, chunk->columns[i], chunk->capacity,
                   lane->carry + table->pack_offsets[i], columns[i], capacity,
                   table->column_sizes[i], table->column_types[i]);
        chunk->columns[i] = columns[i];
        chunk->backs[i] = backs[i];
        weft__chunk_mark(lane, chunk, i);
    }
    if (change->block_count > 0)
        replay_blocks(world, merge, 1u + chunk->column_count);
    else
        replay(merge, 1u + chunk->column_count);
    weft__block_give(world, lane, chunk);
    chunk->block = block;
    chunk->entities = entities;
    chunk->capacity = capacity;
    chunk->rewritten = world->commit_number;
    change_members(merge, change);
    WEFT_ASSERT(chunk->row_count == rows && rows <= chunk->capacity);
}

// Presence of one slot after its chain; `*value` is the last record that gave a value.
static bool fold_presence(const weft_world* world, weft__lane* lane, uint32_t chain,
                          uint32_t type_id, bool present, const weft__record** value) {
    for (; chain != WEFT__NONE; chain = world->references.items[chain].then) {
        const weft__record* record = world->references.items[chain].record;
        if (record->type != type_id)
            continue;
        if (record->op == WEFT__OP_SET && !present) {
            lane->dropped++;
            continue;
        }
        present = record->op != WEFT__OP_REMOVE;
        *value = present ? record : NULL;
    }
    return present;
}

static void presence_row(weft_world* world, weft__lane* lane, weft__chunk* chunk,
                         weft_entity entity, uint32_t row, uint32_t chain) {
    const weft__archetype* table = weft__chunk_table(world, chunk);
    WEFT_CHECK(chunk->sparse && table->component_count == 1);
    uint32_t type_id = table->components[0];
    const weft__type* type = weft__type_at(world, type_id);
    const weft__record* value = NULL;
    bool before = row != WEFT__NONE;
    bool after = fold_presence(world, lane, chain, type_id, before, &value);
    if (before && !after)
        note_gone(lane->merge, chunk, entity.slot % WEFT_SHARD_SLOTS);
    if (!after || (before && value == NULL))
        return;
    uint8_t* place = NULL;
    if (!before)
        place = note_come(lane->merge, lane, chunk, entity, table->pack_size) + sizeof(weft_entity);
    if (type->type->size == 0)
        return;
    if (before) {
        place = (uint8_t*)chunk->columns[0] + (size_t)row * type->type->size;
        weft__chunk_mark(lane, chunk, 0);
    }
    store_value(world, type, value, place);
}

static void presence_newborn(weft_world* world, weft__lane* lane, weft__chunk* chunk,
                             const newborn* born) {
    const weft__archetype* table = weft__chunk_table(world, chunk);
    WEFT_CHECK(chunk->sparse && table->component_count == 1);
    uint32_t type_id = table->components[0];
    const weft__type* type = weft__type_at(world, type_id);
    const weft__part* part = bundle_part(born->create->record, type_id);
    const weft__record* value = NULL;
    if (!fold_presence(world, lane, born->create->chain, type_id, part != NULL, &value))
        return;
    uint8_t* place = note_come(lane->merge, lane, chunk, born->real, table->pack_size);
    place += sizeof(weft_entity);
    if (type->type->size == 0)
        return;
    if (value != NULL) {
        store_value(world, type, value, place);
        return;
    }
    WEFT_ASSERT(part != NULL); // Else it is present by a command, which is `value`.
    store_part(world, type, part, born->index, place);
}

// The newborns of a block one by one: presences are packed.
static void presence_newborns(weft_world* world, weft__lane* lane, weft__chunk* chunk,
                              newborn born) {
    presence_newborn(world, lane, chunk, &born);
    for (uint32_t i = 1; i < born.block; i++) {
        born.real.slot++;
        born.index++;
        presence_newborn(world, lane, chunk, &born);
    }
}

// One presence table in one shard.
static void merge_presence(weft_world* world, weft__lane* lane, weft__shard* shard,
                           uint32_t shard_number, weft__chunk* chunk) {
    WEFT_ASSERT(chunk->sparse && chunk->shard == shard_number);
    changes_begin(lane->merge);
    for (uint32_t i = shard->edit_begin; i < shard->edit_end; i++) {
        const weft__edit* edit = &world->edits.items[i];
        weft_entity entity = {shard_number * WEFT_SHARD_SLOTS + edit->slot, edit->generation};
        uint32_t row = weft__chunk_row(chunk, entity.slot);
        if (edit->kind != WEFT__EDIT_DEATH)
            presence_row(world, lane, chunk, entity, row, edit->chain);
        else if (row != WEFT__NONE)
            note_gone(lane->merge, chunk, edit->slot);
    }
    for (uint32_t i = shard->newborn_first; i != WEFT__NONE; i = world->creates.items[i].next) {
        newborn born = newborn_single(&world->creates.items[i]);
        presence_newborn(world, lane, chunk, &born);
    }
    for (uint32_t i = shard->birth_first; i != WEFT__NONE; i = world->births.items[i].next) {
        const weft__birth* birth = &world->births.items[i];
        for (uint32_t j = 0; j < newborns_of(world, birth); j++)
            presence_newborns(world, lane, chunk, newborn_member(world, birth, j));
    }
    WEFT_ASSERT(lane->merge->change_count <= 1 && lane->merge->block_count == 0);
    if (lane->merge->change_count > 0)
        merge_chunk(world, lane, &lane->merge->changes[0]);
}

static void digest_shard(weft_world* world, weft__lane* lane, const weft__shard* shard) {
    for (uint32_t i = 0; i < shard->chunks.count; i++)
        if (shard->chunks.items[i]->row_count > 0)
            weft__digest_chunk(world, lane, shard->chunks.items[i]);
}

static WEFT__INLINE void prefetch_head(const weft__chunk* chunk) {
    for (size_t at = 0; at < sizeof(*chunk); at += 64)
        __builtin_prefetch((const uint8_t*)chunk + at);
}

// Asks for the head of a chunk and of each of its columns: they are many short streams, and the
// start of each would be waited for. Asking for all of them was measured to be slower.
static WEFT__INLINE void prefetch_chunk(const weft__chunk* chunk) {
    __builtin_prefetch(chunk->entities);
    for (uint32_t i = 0; i < chunk->column_count; i++)
        __builtin_prefetch(chunk->columns[i]);
    __builtin_prefetch(chunk->leaves);
}

void weft__merge_shard(weft_world* world, weft__lane* lane, uint32_t shard_number) {
    weft__shard* shard = world->shards.items[shard_number];
    WEFT_ASSERT(lane->merge != NULL && shard->touched);
    for (uint32_t i = 0; i < shard->chunks.count; i++) // Before rows are looked up in them.
        prefetch_head(shard->chunks.items[i]);
    weft__merge* merge = lane->merge;
    changes_begin(merge);
    pack_rows(world, lane, shard);
    for (uint32_t i = 0; i < merge->change_count; i++) {
        if (i + 1 < merge->change_count)
            prefetch_chunk(merge->changes[i + 1].chunk);
        merge_chunk(world, lane, &merge->changes[i]);
    }
    for (uint32_t i = 0; i < world->sparse.count && shard->sparse; i++) {
        weft__chunk* chunk = weft__chunk_find(&world->sparse.items[i], shard_number);
        if (chunk == NULL)
            continue;
        merge_presence(world, lane, shard, shard_number, chunk);
        if (world->digest_wanted && chunk->row_count > 0)
            weft__digest_chunk(world, lane, chunk);
    }
    if (world->digest_wanted)
        digest_shard(world, lane, shard);
}
