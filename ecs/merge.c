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
    uint32_t slot; // In the shard.
    uint32_t row;
    uint32_t next;
} merge_gone;

// A row that arrives, ascending by slot.
typedef struct merge_come {
    weft_entity entity;
    uint32_t row;   // Old row before which it goes.
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
    uint32_t newborns[WEFT_SHARD_SLOTS]; // Creates, ascending by slot.
    uint32_t newborn_of[WEFT_SHARD_SLOTS];
    uint32_t newborn_count;
    uint32_t gone_count;
    uint32_t come_count;
    size_t carry_used;
    uint32_t run_count;
    uint32_t row_count; // After the merge.
} weft__merge;

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
    if (lane->column_size < need) {
        weft__arena_free(&world->arena, lane->column, lane->column_size);
        lane->column_size = weft__arena_block_size(need);
        lane->column = weft__arena_alloc(&world->arena, lane->column_size);
        if (lane->column == NULL)
            return WEFT_STATUS_OUT_OF_MEMORY;
    }
    return WEFT_STATUS_OK;
}

static void list_gone(weft__merge* merge, weft__chunk* chunk, uint32_t slot, uint32_t row) {
    WEFT_ASSERT(merge->gone_count < WEFT_SHARD_SLOTS);
    uint32_t at = merge->gone_count++;
    merge->gone[at] = (merge_gone){slot, row, WEFT__NONE};
    if (chunk->gone == WEFT__NONE)
        chunk->gone = at;
    else
        merge->gone[chunk->gone_last].next = at;
    chunk->gone_last = at;
}

static WEFT__INLINE uint8_t* list_come(weft__merge* merge, weft__lane* lane, weft__chunk* chunk,
                                       weft_entity entity, size_t pack_size) {
    WEFT_ASSERT(merge->come_count < WEFT_SHARD_SLOTS);
    WEFT_ASSERT(merge->carry_used + pack_size <= lane->carry_size || pack_size == 0);
    uint32_t at = merge->come_count++;
    uint32_t row = weft__members_rank(&chunk->members, entity.slot % WEFT_SHARD_SLOTS);
    merge->come[at] = (merge_come){entity, row, (uint32_t)merge->carry_used, WEFT__NONE};
    if (chunk->come == WEFT__NONE)
        chunk->come = at;
    else
        merge->come[chunk->come_last].next = at;
    chunk->come_last = at;
    uint8_t* packed = lane->carry + merge->carry_used;
    merge->carry_used += pack_size;
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
    weft__chunk* from = weft__slot_chunk(shard, shard->slots[edit->slot]);
    weft__chunk* to = edit->target;
    uint32_t row = weft__chunk_row_of(from, edit->slot);
    const weft__archetype* old = &world->archetypes.items[from->archetype];
    const weft__archetype* table = &world->archetypes.items[to->archetype];
    list_gone(lane->merge, from, edit->slot, row);
    shard->slots[edit->slot].chunk = to->local + 1;
    uint8_t* packed = list_come(lane->merge, lane, to, from->entities[row], table->pack_size);
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
static WEFT__INLINE void update_row(weft_world* world, weft__lane* lane, const weft__shard* shard,
                                    const weft__edit* edit) {
    weft__chunk* chunk = weft__slot_chunk(shard, shard->slots[edit->slot]);
    size_t row = weft__chunk_row_of(chunk, edit->slot);
    const weft__archetype* table = &world->archetypes.items[chunk->archetype];
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

// A part without a value is zero, also where an earlier part gave one.
static void store_part(const weft_world* world, const weft__type* type, const weft__part* part,
                       void* place) {
    store_bytes(world, type, part->has_value ? part + 1 : NULL, place);
}

// Writes a create's own components into a packed row.
static void pack_bundle(const weft_world* world, const weft__archetype* table,
                        const weft__record* record, uint8_t* packed) {
    if (record->op != WEFT__OP_CREATE_WITH)
        return;
    const weft__bundle* bundle = weft__record_value(record);
    const weft__part* part = weft__bundle_first(bundle);
    for (uint32_t i = 0; i < bundle->count; i++, part = weft__bundle_next(part)) {
        uint32_t column = weft__archetype_column(table, part->type);
        if (column != WEFT__NONE)
            store_part(world, weft__type_at(world, part->type), part,
                       packed + table->pack_offsets[column]);
    }
}

static WEFT__INLINE void bear_row(weft_world* world, weft__lane* lane, weft__shard* shard,
                                  const weft__create* create) {
    const weft__archetype* table = &world->archetypes.items[create->target->archetype];
    uint8_t* packed = list_come(lane->merge, lane, create->target, create->real, table->pack_size);
    if (table->pack_size > 0)
        memset(packed, 0, table->pack_size);
    pack_bundle(world, table, create->record, packed);
    pack_values(world, table, create->chain, packed);
    uint32_t local = create->real.slot % WEFT_SHARD_SLOTS;
    shard->slots[local] = (weft__slot){create->real.generation, create->target->local + 1};
    shard->live[local / 64] |= (uint64_t)1 << (local % 64);
}

// Sorts the shard's newborns by slot.
static void list_newborns(const weft_world* world, weft__merge* merge, const weft__shard* shard) {
    uint64_t born[WEFT__LIVE_WORDS] = {0};
    merge->newborn_count = 0;
    if (shard->newborn_first == WEFT__NONE)
        return;
    for (uint32_t i = shard->newborn_first; i != WEFT__NONE; i = world->creates.items[i].next) {
        uint32_t local = world->creates.items[i].real.slot % WEFT_SHARD_SLOTS;
        merge->newborn_of[local] = i;
        born[local / 64] |= (uint64_t)1 << (local % 64);
    }
    for (uint32_t word = 0; word < WEFT__LIVE_WORDS; word++)
        for (uint64_t bits = born[word]; bits != 0; bits &= bits - 1)
            merge->newborns[merge->newborn_count++] =
                merge->newborn_of[word * 64 + weft__ctz64(bits)];
}

// Rows that will be read soon: they lie anywhere in their chunks.
static WEFT__INLINE void prefetch_edit(const weft_world* world, const weft__shard* shard,
                                       const weft__edit* edit) {
    if (edit->chain != WEFT__NONE)
        __builtin_prefetch(world->references.items[edit->chain].record);
    weft__slot slot = shard->slots[edit->slot];
    if (slot.chunk == 0)
        return;
    const weft__chunk* chunk = weft__slot_chunk(shard, slot);
    uint32_t row = weft__members_rank(&chunk->members, edit->slot);
    __builtin_prefetch(&chunk->entities[row]);
    if (edit->kind != WEFT__EDIT_MOVE)
        return;
    size_t at = (size_t)row * sizeof(weft_entity); // Most columns are about as wide.
    for (uint32_t i = 0; i < chunk->column_count; i++)
        __builtin_prefetch((const uint8_t*)chunk->columns[i] + at);
}

// Creates come in the order of their keys, so their records lie anywhere.
static WEFT__INLINE void prefetch_create(const weft__create* create) {
    __builtin_prefetch(create->record);
    __builtin_prefetch((const uint8_t*)create->record + 64);
}

static WEFT__INLINE void edit_row(weft_world* world, weft__lane* lane, weft__shard* shard,
                                  const weft__edit* edit) {
    if (edit->kind == WEFT__EDIT_MOVE) {
        move_row(world, lane, shard, edit);
    } else if (edit->kind == WEFT__EDIT_UPDATE) {
        update_row(world, lane, shard, edit);
    } else {
        weft__chunk* chunk = weft__slot_chunk(shard, shard->slots[edit->slot]);
        list_gone(lane->merge, chunk, edit->slot, weft__chunk_row_of(chunk, edit->slot));
        shard->slots[edit->slot].chunk = 0;
        shard->live[edit->slot / 64] &= ~((uint64_t)1 << (edit->slot % 64));
    }
}

// Packs everything that moves or is born and lists everything that leaves, slots ascending. In a
// slot that is freed and taken at once, the death comes first.
WEFT__WIDE
static void list_rows(weft_world* world, weft__lane* lane, weft__shard* shard) {
    weft__merge* merge = lane->merge;
    merge->gone_count = merge->come_count = 0;
    merge->carry_used = 0;
    uint32_t edit = shard->edit_begin;
    uint32_t born = 0;
    while (edit < shard->edit_end || born < merge->newborn_count) {
        const weft__create* create =
            born < merge->newborn_count ? &world->creates.items[merge->newborns[born]] : NULL;
        if (born + 8 < merge->newborn_count)
            prefetch_create(&world->creates.items[merge->newborns[born + 8]]);
        if (edit + 16 < shard->edit_end)
            __builtin_prefetch(&shard->slots[world->edits.items[edit + 16].slot]);
        if (edit + 8 < shard->edit_end)
            prefetch_edit(world, shard, &world->edits.items[edit + 8]);
        bool first = edit < shard->edit_end &&
                     (create == NULL ||
                      world->edits.items[edit].slot <= create->real.slot % WEFT_SHARD_SLOTS);
        if (first) {
            edit_row(world, lane, shard, &world->edits.items[edit++]);
        } else {
            WEFT_ASSERT(create != NULL);
            bear_row(world, lane, shard, create);
            born++;
        }
    }
}

static void run_add(weft__merge* merge, uint32_t from, uint32_t count) {
    merge->runs[merge->run_count++] = (merge_run){from, count};
    merge->row_count += count == 0 ? 1 : count;
}

// The new content of a chunk as runs. An arrival whose slot is that of a row that leaves goes
// before it.
static void plan_runs(weft__merge* merge, const weft__chunk* chunk) {
    merge->run_count = 0;
    merge->row_count = 0;
    uint32_t row = 0;
    uint32_t gone = chunk->gone;
    uint32_t come = chunk->come;
    while (gone != WEFT__NONE || come != WEFT__NONE) {
        uint32_t gone_row = gone == WEFT__NONE ? WEFT__NONE : merge->gone[gone].row;
        uint32_t come_row = come == WEFT__NONE ? WEFT__NONE : merge->come[come].row;
        uint32_t stop = come_row <= gone_row ? come_row : gone_row;
        WEFT_ASSERT(row <= stop && stop <= chunk->row_count);
        if (stop > row)
            run_add(merge, row, stop - row);
        row = stop;
        if (come_row == stop) {
            run_add(merge, come, 0);
            come = merge->come[come].next;
        } else {
            gone = merge->gone[gone].next;
            row++;
        }
    }
    if (row < chunk->row_count)
        run_add(merge, row, chunk->row_count - row);
}

// Takes the leaving slots out of the chunk's set, then the arriving ones in: some may be both.
WEFT__WIDE
static void change_members(const weft__merge* merge, weft__chunk* chunk) {
    uint32_t first = WEFT_SHARD_SLOTS - 1;
    for (uint32_t i = chunk->gone; i != WEFT__NONE; i = merge->gone[i].next) {
        uint32_t slot = merge->gone[i].slot;
        WEFT_CHECK(weft__members_has(&chunk->members, slot));
        weft__members_remove(&chunk->members, slot);
        first = slot < first ? slot : first;
    }
    for (uint32_t i = chunk->come; i != WEFT__NONE; i = merge->come[i].next) {
        uint32_t slot = merge->come[i].entity.slot % WEFT_SHARD_SLOTS;
        WEFT_CHECK(!weft__members_has(&chunk->members, slot));
        weft__members_insert(&chunk->members, slot);
        first = slot < first ? slot : first;
    }
    chunk->row_count = weft__members_count(&chunk->members, first);
    WEFT_ASSERT(chunk->row_count == merge->row_count);
}

// Copies a run in steps of 64 bytes; may run over by less than a step into what is written next, or
// into the block's slack. Most runs are short, and a call costs more than they do.
static inline void copy_run(uint8_t* out, const uint8_t* in, size_t bytes) {
    _Static_assert(WEFT__CHUNK_SLACK >= 64, "copies go in steps of 64 bytes");
    if (bytes > 1024) {
        memcpy(out, in, bytes);
        return;
    }
    for (size_t at = 0; at < bytes; at += 64)
        memcpy(out + at, in + at, 64);
}

// Replays the runs on one column. `packed` + come.carry is where an arrival's value lies.
WEFT__WIDE
static void replay(const weft__merge* merge, const uint8_t* old, const uint8_t* packed, size_t size,
                   uint8_t* out) {
    for (uint32_t i = 0; i < merge->run_count; i++) {
        merge_run run = merge->runs[i];
        if (run.count > 0) {
            copy_run(out, old + (size_t)run.from * size, (size_t)run.count * size);
            out += (size_t)run.count * size;
            continue;
        }
        const uint8_t* value = packed + merge->come[run.from].carry;
        copy_value(out, value, size);
        out += size;
    }
}

WEFT__WIDE
static void replay_entities(const weft__merge* merge, const weft_entity* old, weft_entity* out) {
    for (uint32_t i = 0; i < merge->run_count; i++) {
        merge_run run = merge->runs[i];
        if (run.count == 0) {
            *out++ = merge->come[run.from].entity;
            continue;
        }
        copy_run((uint8_t*)out, (const uint8_t*)(old + run.from), run.count * sizeof(weft_entity));
        out += run.count;
    }
}

static void merge_chunk(weft_world* world, weft__lane* lane, weft__chunk* chunk) {
    weft__merge* merge = lane->merge;
    const weft__archetype* table = weft__chunk_table(world, chunk);
    if (chunk->gone == WEFT__NONE && chunk->come == WEFT__NONE)
        return;
    plan_runs(merge, chunk);
    uint32_t capacity = merge->row_count <= chunk->capacity
                            ? chunk->capacity
                            : weft__chunk_capacity_for(merge->row_count);
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
    replay_entities(merge, chunk->entities, entities); // Columns in the order that they lie in.
    weft__chunk_mark(lane, chunk, chunk->column_count);
    for (uint32_t i = 0; i < chunk->column_count; i++) {
        replay(merge, chunk->columns[i], lane->carry + table->pack_offsets[i],
               table->column_sizes[i], columns[i]);
        chunk->columns[i] = columns[i];
        chunk->backs[i] = backs[i];
        weft__chunk_mark(lane, chunk, i);
    }
    weft__block_give(world, lane, chunk);
    chunk->block = block;
    chunk->entities = entities;
    chunk->capacity = capacity;
    change_members(merge, chunk);
    chunk->gone = chunk->come = WEFT__NONE;
    WEFT_ASSERT(chunk->row_count <= chunk->capacity);
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
    uint32_t type_id = table->components[0];
    const weft__type* type = weft__type_at(world, type_id);
    const weft__record* value = NULL;
    bool before = row != WEFT__NONE;
    bool after = fold_presence(world, lane, chain, type_id, before, &value);
    if (before && !after)
        list_gone(lane->merge, chunk, entity.slot % WEFT_SHARD_SLOTS, row);
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

// The last of a create's own parts of a type, or null.
static const weft__part* bundle_part(const weft__record* record, uint32_t type_id) {
    if (record->op != WEFT__OP_CREATE_WITH)
        return NULL;
    const weft__bundle* bundle = weft__record_value(record);
    const weft__part* part = weft__bundle_first(bundle);
    const weft__part* found = NULL;
    for (uint32_t i = 0; i < bundle->count; i++, part = weft__bundle_next(part))
        found = part->type == type_id ? part : found;
    return found;
}

static void presence_newborn(weft_world* world, weft__lane* lane, weft__chunk* chunk,
                             const weft__create* create) {
    const weft__archetype* table = weft__chunk_table(world, chunk);
    uint32_t type_id = table->components[0];
    const weft__type* type = weft__type_at(world, type_id);
    const weft__part* part = bundle_part(create->record, type_id);
    const weft__record* value = NULL;
    if (!fold_presence(world, lane, create->chain, type_id, part != NULL, &value))
        return;
    uint8_t* place = list_come(lane->merge, lane, chunk, create->real, table->pack_size);
    if (type->type->size == 0)
        return;
    if (value != NULL) {
        store_value(world, type, value, place);
        return;
    }
    WEFT_ASSERT(part != NULL); // Else it is present by a command, which is `value`.
    store_part(world, type, part, place);
}

// One presence table in one shard.
static void merge_presence(weft_world* world, weft__lane* lane, weft__shard* shard,
                           uint32_t shard_number, weft__chunk* chunk) {
    weft__merge* merge = lane->merge;
    merge->gone_count = merge->come_count = 0;
    merge->carry_used = 0;
    uint32_t at = shard->edit_begin;
    uint32_t born = 0;
    while (at < shard->edit_end || born < merge->newborn_count) {
        const weft__create* create =
            born < merge->newborn_count ? &world->creates.items[merge->newborns[born]] : NULL;
        const weft__edit* edit = at < shard->edit_end ? &world->edits.items[at] : NULL;
        if (edit == NULL || (create != NULL && create->real.slot % WEFT_SHARD_SLOTS < edit->slot)) {
            WEFT_ASSERT(create != NULL); // One of the two lists is not at its end.
            presence_newborn(world, lane, chunk, create);
            born++;
            continue;
        }
        weft_entity entity = {shard_number * WEFT_SHARD_SLOTS + edit->slot, edit->generation};
        uint32_t row = weft__chunk_row(chunk, entity.slot);
        if (edit->kind != WEFT__EDIT_DEATH)
            presence_row(world, lane, chunk, entity, row, edit->chain);
        else if (row != WEFT__NONE)
            list_gone(merge, chunk, edit->slot, row);
        at++;
    }
    merge_chunk(world, lane, chunk);
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
    list_newborns(world, lane->merge, shard);
    list_rows(world, lane, shard);
    for (uint32_t i = 0; i < shard->chunks.count; i++) {
        if (i + 1 < shard->chunks.count)
            prefetch_chunk(shard->chunks.items[i + 1]);
        merge_chunk(world, lane, shard->chunks.items[i]);
    }
    for (uint32_t i = 0; i < world->sparse.count && shard->sparse; i++) {
        weft__chunk* chunk = weft__chunk_find(&world->sparse.items[i], shard_number);
        if (chunk != NULL)
            merge_presence(world, lane, shard, shard_number, chunk);
    }
    if (world->digest_wanted)
        digest_shard(world, lane, shard);
}
