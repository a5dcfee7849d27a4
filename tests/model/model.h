/// A model of a world: plain arrays, one command at a time, in the three steps of C6. It shares
/// nothing with the layer under test but the handle's struct, and prefers loops to cleverness.
#pragma once

#include <weft/type.h>

#define MODEL_TYPES_MAX 8u
#define MODEL_VALUE_MAX 24u
#define MODEL_ARCHETYPES_MAX 512u

/// Stands for the entity that create `number` of the same commit makes.
#define MODEL_NEW(number) ((weft_entity){UINT32_MAX, (number)})

static inline bool model_is_new(weft_entity entity) {
    return entity.slot == UINT32_MAX;
}

/// A component as the model knows it. Its bit in a set is 1 << index.
typedef struct model_type {
    uint32_t size;
    bool sparse;       // Not part of the archetype.
    int32_t entity_at; // Byte offset of its handle, or -1.
} model_type;

typedef enum model_op {
    MODEL_CREATE,
    MODEL_DESTROY,
    MODEL_ADD,
    MODEL_REMOVE,
    MODEL_SET,
} model_op;

typedef struct model_command {
    uint32_t rank; // The key: rank, archetype, slot of the row at hand, sequence.
    uint32_t archetype;
    uint32_t slot;
    uint32_t sequence;
    model_op op;
    uint32_t number;    // CREATE.
    weft_entity target; // The others: a handle or MODEL_NEW().
    uint32_t type;
    bool own;       // An ADD that the create brings along: before every other command on it.
    bool has_value; // Else all zero.
    uint8_t value[MODEL_VALUE_MAX];
} model_command;

typedef struct model_slot {
    uint32_t generation; // Of the living entity or of the next one.
    uint32_t archetype;
    uint32_t set; // Dense and sparse.
    uint8_t values[MODEL_TYPES_MAX][MODEL_VALUE_MAX];
} model_slot;

typedef enum model_state {
    MODEL_FREE,
    MODEL_ALIVE,
    MODEL_DYING,
} model_state;

typedef enum model_result {
    MODEL_OK,
    MODEL_ENTITY_LIMIT,
    MODEL_ARCHETYPE_LIMIT,
} model_result;

typedef struct model_newborn {
    uint32_t number;
    weft_entity real; // Null if cancelled.
    bool cancelled;
} model_newborn;

typedef struct model {
    model_type types[MODEL_TYPES_MAX];
    uint32_t type_count;
    uint32_t slot_limit;
    uint32_t archetype_limit;
    model_slot* slots;
    uint8_t* states;     // Of each slot: a model_state.
    uint32_t slot_count; // Ever used.
    uint32_t slot_capacity;
    uint32_t* free_slots; // The last one is taken first.
    uint32_t free_count;
    uint32_t archetypes[MODEL_ARCHETYPES_MAX]; // Id to set; 0 is the empty set.
    uint32_t archetype_count;
    uint64_t alive_count;
    uint64_t created;
    uint64_t destroyed;
    uint64_t moved;
    uint64_t dropped;
    // Of the last commit.
    model_newborn* newborns; // In key order.
    uint32_t newborn_count;
    uint32_t newborn_capacity;
    uint32_t* touched; // Slots with values that may hold MODEL_NEW().
    uint32_t touched_count;
    uint32_t touched_capacity;
} model;

/// One step of a visit.
typedef struct model_visit_item {
    weft_entity entity;
    uint32_t archetype;
} model_visit_item;

void model_init(model* m, const model_type* types, uint32_t type_count, uint32_t slot_limit,
                uint32_t archetype_limit);
void model_deinit(model* m);

/// Applies commands in any order of recording: they are sorted by key here. On a limit nothing has
/// changed.
model_result model_commit(model* m, model_command* commands, uint32_t count);

/// The real handle of a create of the last commit; others are returned as they are.
weft_entity model_resolve(const model* m, weft_entity entity);

/// True while the handle names a living entity.
bool model_alive(const model* m, weft_entity entity);

/// Value of a component, or null.
const uint8_t* model_read(const model* m, weft_entity entity, uint32_t type);

/// Writes a component in place, as a system does. The value may hold MODEL_NEW() of the commit that
/// comes next.
void model_write(model* m, weft_entity entity, uint32_t type, const uint8_t* value);

/// The visit of C1: entities with all of `with` and none of `without`. With `grouped` false the
/// query without terms. `items` has room for alive_count; returns how many.
uint32_t model_visit(const model* m, bool grouped, uint32_t with, uint32_t without,
                     model_visit_item* items);
