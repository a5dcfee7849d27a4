// The merge: one shard's deaths, moves, births and value writes, as one sorted merge per chunk.
//
// Rows that arrive are packed first, while all old rows are still in place; then each chunk is
// rewritten once. A merge is a list of runs (old rows that stay, one row that arrives) computed
// from the slots and replayed on every column, so a column is read once, front to back.

#include <string.h>

#include "weft_bits.h"
#include "weft_world.h"

// A row that leaves. Lists are in ascending row order because slots are walked ascending.
typedef struct merge_gone {
    uint32_t row;
    uint32_t next;
} merge_gone;

// A row that arrives, ascending by slot.
typedef struct merge_come {
    weft_entity entity;
    uint32_t carry; // Offset of its packed values.
    uint32_t next;
} merge_come;

// Part of a chunk's new content: `count` old rows from `from`, or with count 0 the arrival `from`.
typedef struct merge_run {
    uint32_t from;
    uint32_t count;
} merge_run;

typedef struct weft__merge {
    merge_gone gone[WEFT_SHARD_SLOTS];
    merge_come come[WEFT_SHARD_SLOTS];
    merge_run runs[2 * WEFT_SHARD_SLOTS + 1];
    uint32_t newborns[WEFT_SHARD_SLOTS]; // Slot to create.
    uint64_t born[WEFT__LIVE_WORDS];
    uint32_t gone_count;
    uint32_t come_count;
    size_t carry_used;
    uint32_t run_count;
    uint32_t first_row; // Rows before it keep their place.
    uint32_t row_count; // After the merge.
} weft__merge;

weft_status weft__merge_reserve(weft_world* world, weft__lane* lane) {
    size_t need = (size_t)WEFT_SHARD_SLOTS * (world->component_size_max < sizeof(weft_entity)
                                                  ? sizeof(weft_entity)
                                                  : world->component_size_max);
    if (lane->merge == NULL) {
        lane->merge = weft__arena_alloc_zero(&world->arena, sizeof(weft__merge));
        if (lane->merge == NULL)
            return WEFT_STATUS_OUT_OF_MEMORY;
    }
    if (lane->column_size < need) {
        weft__arena_free(&world->arena, lane->column, lane->column_size);
        lane->column_size = weft__arena_block_size(need);
        lane->column = weft__arena_alloc(&world->arena, lane->column_size);
        if (lane->column == NULL)
            return WEFT_STATUS_OUT_OF_MEMORY;
    }
    return WEFT_STATUS_OK;
}

static void list_gone(weft__merge* merge, weft__chunk* chunk, uint32_t row) {
    WEFT_ASSERT(merge->gone_count < WEFT_SHARD_SLOTS);
    uint32_t at = merge->gone_count++;
    merge->gone[at] = (merge_gone){row, WEFT__NONE};
    if (chunk->gone == WEFT__NONE)
        chunk->gone = at;
    else
        merge->gone[chunk->gone_last].next = at;
    chunk->gone_last = at;
}

static uint8_t* list_come(weft__merge* merge, weft__lane* lane, weft__chunk* chunk,
                          weft_entity entity, size_t pack_size) {
    WEFT_ASSERT(merge->come_count < WEFT_SHARD_SLOTS);
    WEFT_ASSERT(merge->carry_used + pack_size <= lane->carry_size || pack_size == 0);
    uint32_t at = merge->come_count++;
    merge->come[at] = (merge_come){entity, (uint32_t)merge->carry_used, WEFT__NONE};
    if (chunk->come == WEFT__NONE)
        chunk->come = at;
    else
        merge->come[chunk->come_last].next = at;
    chunk->come_last = at;
    uint8_t* packed = lane->carry + merge->carry_used;
    merge->carry_used += pack_size;
    return packed;
}

// Copies a recorded value to its place; handles in it become real.
static void store_value(const weft_world* world, const weft__type* type, const weft__record* record,
                        void* place) {
    if (!record->has_value) {
        memset(place, 0, type->type->size);
        return;
    }
    memcpy(place, weft__record_value(record), type->type->size);
    if (type->has_entities)
        weft__type_resolve(world, type->type, place, 1);
}

// Writes a chain's values into a packed row of its final set. In key order, so the last one wins; a
// value for a component that the final set lacks is superseded by the remove that follows it.
static void pack_values(const weft_world* world, const weft__archetype* table, uint32_t chain,
                        uint8_t* packed) {
    for (; chain != WEFT__NONE; chain = world->references.items[chain].next) {
        const weft__record* record = world->references.items[chain].record;
        const weft__type* type = weft__type_at(world, record->type);
        if (record->op == WEFT__OP_REMOVE || type->role == WEFT__ROLE_SPARSE)
            continue;
        uint32_t column = weft__archetype_column(table, record->type);
        if (column != WEFT__NONE)
            store_value(world, type, record, packed + table->pack_offsets[column]);
    }
}

static void move_row(weft_world* world, weft__lane* lane, weft__shard* shard,
                     const weft__edit* edit) {
    weft__chunk* from = shard->chunk_of[edit->slot];
    weft__chunk* to = edit->target;
    uint32_t row = shard->row_of[edit->slot];
    const weft__archetype* old = &world->archetypes.items[from->archetype];
    const weft__archetype* table = &world->archetypes.items[to->archetype];
    list_gone(lane->merge, from, row);
    uint8_t* packed = list_come(lane->merge, lane, to, from->entities[row], table->pack_size);
    uint32_t other = 0;
    for (uint32_t i = 0; i < table->column_count; i++) {
        while (other < old->column_count && old->column_types[other] < table->column_types[i])
            other++;
        uint32_t size = table->column_sizes[i];
        uint8_t* place = packed + table->pack_offsets[i];
        if (other < old->column_count && old->column_types[other] == table->column_types[i])
            memcpy(place, (uint8_t*)from->columns[other] + (size_t)row * size, size);
        else
            memset(place, 0, size);
    }
    pack_values(world, table, shard->chains[edit->slot], packed);
    shard->chunk_of[edit->slot] = to;
    lane->moved++;
}

// Values for a row that stays where it is.
static void update_row(weft_world* world, weft__lane* lane, weft__shard* shard, uint32_t slot) {
    weft__chunk* chunk = shard->chunk_of[slot];
    const weft__archetype* table = &world->archetypes.items[chunk->archetype];
    for (uint32_t at = shard->chains[slot]; at != WEFT__NONE;
         at = world->references.items[at].next) {
        const weft__record* record = world->references.items[at].record;
        const weft__type* type = weft__type_at(world, record->type);
        if (record->op == WEFT__OP_REMOVE || type->role == WEFT__ROLE_SPARSE)
            continue;
        uint32_t column = weft__archetype_column(table, record->type);
        if (column == WEFT__NONE)
            continue;
        uint8_t* place =
            (uint8_t*)chunk->columns[column] + (size_t)shard->row_of[slot] * type->type->size;
        store_value(world, type, record, place);
        weft__chunk_mark(lane, chunk, column);
    }
}

static void bear_row(weft_world* world, weft__lane* lane, weft__shard* shard, uint32_t slot) {
    const weft__create* create = &world->creates.items[lane->merge->newborns[slot]];
    const weft__archetype* table = &world->archetypes.items[create->target->archetype];
    uint8_t* packed = list_come(lane->merge, lane, create->target, create->real, table->pack_size);
    if (table->pack_size > 0)
        memset(packed, 0, table->pack_size);
    pack_values(world, table, create->chain, packed);
    shard->chunk_of[slot] = create->target;
    shard->live[slot / 64] |= (uint64_t)1 << (slot % 64);
}

static void list_newborns(const weft_world* world, weft__merge* merge, const weft__shard* shard) {
    memset(merge->born, 0, sizeof(merge->born));
    for (uint32_t i = shard->newborn_first; i != WEFT__NONE; i = world->creates.items[i].next) {
        uint32_t slot = world->creates.items[i].real.slot % WEFT_SHARD_SLOTS;
        merge->newborns[slot] = i;
        merge->born[slot / 64] |= (uint64_t)1 << (slot % 64);
    }
}

// Packs everything that moves or is born and lists everything that leaves, slots ascending. In a
// slot that is freed and taken at once, the death comes first.
static void list_rows(weft_world* world, weft__lane* lane, weft__shard* shard) {
    weft__merge* merge = lane->merge;
    merge->gone_count = merge->come_count = 0;
    merge->carry_used = 0;
    uint32_t edit = shard->edit_begin;
    for (uint32_t word = 0; word < WEFT__LIVE_WORDS; word++) {
        uint64_t bits = shard->work[word] | shard->dying[word] | merge->born[word];
        for (; bits != 0; bits &= bits - 1) {
            uint32_t slot = word * 64 + weft__ctz64(bits);
            uint64_t bit = (uint64_t)1 << (slot % 64);
            if ((shard->dying[word] & bit) != 0) {
                list_gone(merge, shard->chunk_of[slot], shard->row_of[slot]);
                shard->chunk_of[slot] = NULL;
                shard->live[word] &= ~bit;
            } else if ((shard->work[word] & bit) != 0) {
                WEFT_ASSERT(edit < shard->edit_end && world->edits.items[edit].slot == slot);
                if (world->edits.items[edit].moves)
                    move_row(world, lane, shard, &world->edits.items[edit]);
                else
                    update_row(world, lane, shard, slot);
                edit++;
            }
            if ((merge->born[word] & bit) != 0)
                bear_row(world, lane, shard, slot);
        }
    }
    WEFT_ASSERT(edit == shard->edit_end);
}

// First row at or after `from` whose slot is not below `slot`.
static uint32_t row_lower(const weft__chunk* chunk, uint32_t from, uint32_t slot) {
    uint32_t low = from;
    uint32_t high = chunk->row_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (chunk->entities[middle].slot < slot)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void run_add(weft__merge* merge, uint32_t from, uint32_t count) {
    merge->runs[merge->run_count++] = (merge_run){from, count};
    merge->row_count += count == 0 ? 1 : count;
}

// The new content of a chunk as runs.
static void plan_runs(weft__merge* merge, const weft__chunk* chunk) {
    merge->run_count = 0;
    merge->row_count = 0;
    uint32_t row = 0;
    uint32_t gone = chunk->gone;
    uint32_t come = chunk->come;
    uint32_t come_row =
        come == WEFT__NONE ? WEFT__NONE : row_lower(chunk, 0, merge->come[come].entity.slot);
    while (row < chunk->row_count || come != WEFT__NONE) {
        uint32_t stop = gone == WEFT__NONE ? chunk->row_count : merge->gone[gone].row;
        if (come != WEFT__NONE && come_row < stop)
            stop = come_row;
        if (stop > row) {
            run_add(merge, row, stop - row);
            row = stop;
        } else if (come != WEFT__NONE && come_row == row) {
            run_add(merge, come, 0);
            come = merge->come[come].next;
            if (come != WEFT__NONE)
                come_row = row_lower(chunk, row, merge->come[come].entity.slot);
        } else {
            WEFT_ASSERT(gone != WEFT__NONE && merge->gone[gone].row == row);
            gone = merge->gone[gone].next;
            row++;
        }
    }
    WEFT_ASSERT(gone == WEFT__NONE);
    bool prefix = merge->run_count > 0 && merge->runs[0].count > 0 && merge->runs[0].from == 0;
    merge->first_row = prefix ? merge->runs[0].count : 0;
}

// Replays the runs on one column. `packed` + come.carry is where an arrival's value lies.
static void replay(const weft__merge* merge, const uint8_t* old, const uint8_t* packed, size_t size,
                   uint32_t first_run, uint8_t* out) {
    for (uint32_t i = first_run; i < merge->run_count; i++) {
        merge_run run = merge->runs[i];
        if (run.count > 0) {
            memcpy(out, old + (size_t)run.from * size, (size_t)run.count * size);
            out += (size_t)run.count * size;
            continue;
        }
        const uint8_t* value = packed + merge->come[run.from].carry;
        if (size == 4)
            memcpy(out, value, 4);
        else if (size == 8)
            memcpy(out, value, 8);
        else
            memcpy(out, value, size);
        out += size;
    }
}

static void rewrite_column(const weft__merge* merge, weft__lane* lane, void* old, void* target,
                           const uint8_t* packed, size_t size) {
    if (target != old) {
        replay(merge, old, packed, size, 0, target);
        return;
    }
    size_t rows = merge->row_count - merge->first_row;
    WEFT_ASSERT(rows * size <= lane->column_size);
    replay(merge, old, packed, size, merge->first_row > 0 ? 1 : 0, lane->column);
    memcpy((uint8_t*)target + merge->first_row * size, lane->column, rows * size);
}

static void rewrite_entities(const weft__merge* merge, weft__lane* lane, const weft__chunk* chunk,
                             weft_entity* target) {
    weft_entity* out = (weft_entity*)(void*)lane->column;
    for (uint32_t i = 0; i < merge->run_count; i++) {
        merge_run run = merge->runs[i];
        if (run.count == 0) {
            *out++ = merge->come[run.from].entity;
            continue;
        }
        memcpy(out, chunk->entities + run.from, run.count * sizeof(weft_entity));
        out += run.count;
    }
    memcpy(target, lane->column, merge->row_count * sizeof(weft_entity));
}

static void merge_chunk(weft_world* world, weft__lane* lane, weft__shard* shard,
                        weft__chunk* chunk) {
    weft__merge* merge = lane->merge;
    const weft__archetype* table = weft__chunk_table(world, chunk);
    if (chunk->gone == WEFT__NONE && chunk->come == WEFT__NONE)
        return;
    plan_runs(merge, chunk);
    void* old_block = chunk->block;
    size_t old_size = chunk->block_size;
    weft_entity* entities = chunk->entities;
    bool grows = chunk->grown != NULL;
    if (grows)
        weft__chunk_layout(world, table, chunk->grown_capacity, chunk->grown, &entities,
                           chunk->grown_columns, chunk->grown_backs);
    for (uint32_t i = 0; i < chunk->column_count; i++) {
        void* target = grows ? chunk->grown_columns[i] : chunk->columns[i];
        rewrite_column(merge, lane, chunk->columns[i], target, lane->carry + table->pack_offsets[i],
                       table->column_sizes[i]);
        if (grows) {
            chunk->columns[i] = chunk->grown_columns[i];
            chunk->backs[i] = chunk->grown_backs[i];
        }
        weft__chunk_mark(lane, chunk, i);
    }
    rewrite_entities(merge, lane, chunk, entities);
    weft__chunk_mark(lane, chunk, chunk->column_count);
    chunk->entities = entities;
    chunk->row_count = merge->row_count;
    chunk->gone = chunk->come = WEFT__NONE;
    if (grows) {
        chunk->block = chunk->grown;
        chunk->block_size = chunk->grown_size;
        chunk->capacity = chunk->grown_capacity;
        chunk->grown = old_block; // Freed by the commit's clean-up.
        chunk->grown_size = old_size;
    }
    WEFT_ASSERT(chunk->row_count <= chunk->capacity);
    for (uint32_t row = merge->first_row; row < chunk->row_count && !chunk->sparse; row++)
        shard->row_of[entities[row].slot % WEFT_SHARD_SLOTS] = (uint16_t)row;
}

// Presence of one slot after its chain; `*value` is the last record that gave a value.
static bool fold_presence(const weft_world* world, weft__lane* lane, uint32_t chain,
                          uint32_t type_id, bool present, const weft__record** value) {
    for (; chain != WEFT__NONE; chain = world->references.items[chain].next) {
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
    uint32_t type_id = table->components[0];
    const weft__type* type = weft__type_at(world, type_id);
    const weft__record* value = NULL;
    bool before = row != WEFT__NONE;
    bool after = fold_presence(world, lane, chain, type_id, before, &value);
    if (before && !after)
        list_gone(lane->merge, chunk, row);
    if (!after || (before && value == NULL))
        return;
    uint8_t* place = before ? NULL : list_come(lane->merge, lane, chunk, entity, table->pack_size);
    if (type->type->size == 0)
        return;
    if (before) {
        place = (uint8_t*)chunk->columns[0] + (size_t)row * type->type->size;
        weft__chunk_mark(lane, chunk, 0);
    }
    store_value(world, type, value, place);
}

// One presence table in one shard.
static void merge_presence(weft_world* world, weft__lane* lane, weft__shard* shard,
                           uint32_t shard_number, weft__chunk* chunk) {
    weft__merge* merge = lane->merge;
    merge->gone_count = merge->come_count = 0;
    merge->carry_used = 0;
    for (uint32_t word = 0; word < WEFT__LIVE_WORDS; word++) {
        uint64_t bits = shard->work[word] | shard->dying[word] | merge->born[word];
        for (; bits != 0; bits &= bits - 1) {
            uint32_t local = word * 64 + weft__ctz64(bits);
            uint64_t bit = (uint64_t)1 << (local % 64);
            uint32_t slot = shard_number * WEFT_SHARD_SLOTS + local;
            uint32_t row = weft__chunk_row(chunk, slot);
            if ((shard->dying[word] & bit) != 0) {
                if (row != WEFT__NONE)
                    list_gone(merge, chunk, row);
            } else if ((shard->work[word] & bit) != 0) {
                weft_entity entity = {slot, shard->generations[local]};
                presence_row(world, lane, chunk, entity, row, shard->chains[local]);
            }
            if ((merge->born[word] & bit) != 0) {
                const weft__create* create = &world->creates.items[merge->newborns[local]];
                presence_row(world, lane, chunk, create->real, WEFT__NONE, create->chain);
            }
        }
    }
    merge_chunk(world, lane, shard, chunk);
}

void weft__merge_shard(weft_world* world, weft__lane* lane, uint32_t shard_number) {
    weft__shard* shard = world->shards.items[shard_number];
    WEFT_ASSERT(lane->merge != NULL && shard->touched);
    list_newborns(world, lane->merge, shard);
    list_rows(world, lane, shard);
    for (uint32_t i = 0; i < shard->chunks.count; i++)
        merge_chunk(world, lane, shard, shard->chunks.items[i]);
    for (uint32_t i = 0; i < world->sparse.count && shard->sparse; i++) {
        weft__chunk* chunk = weft__chunk_find(&world->sparse.items[i], shard_number);
        if (chunk != NULL)
            merge_presence(world, lane, shard, shard_number, chunk);
    }
}
