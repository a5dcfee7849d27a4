/// A plain model of the schedule: systems, what they reach and their relations to edges, ranks and
/// stages, by loops over all pairs (C5). It shares nothing with the code under test but names of
/// access modes.
#pragma once

#include <weft/schedule.h>

enum {
    PLAIN_TYPES_MAX = 512,
    PLAIN_TERMS_MAX = 8,
    PLAIN_PROBLEM_SIZE = 512,
};

/// What a type is registered as.
typedef enum plain_kind {
    PLAIN_DENSE,
    PLAIN_BUFFERED,
    PLAIN_SPARSE,
    PLAIN_RESOURCE,
    PLAIN_CHANNEL, // Delivered in the same tick.
    PLAIN_REDUCTION,
    PLAIN_KIND_COUNT
} plain_kind;

typedef struct plain_term {
    uint32_t type;
    weft_access_mode mode;
    plain_kind kind; // Of the type.
} plain_term;

typedef struct plain_system {
    char name[48]; // Ends with "s" and the index.
    uint32_t index;
    weft_scope scope;
    uint32_t term_count;
    plain_term terms[PLAIN_TERMS_MAX];
} plain_system;

/// `first` runs before `second`, as one of them says.
typedef struct plain_relation {
    uint32_t first;
    uint32_t second;
    bool told_by_first;
} plain_relation;

typedef struct plain_graph {
    plain_kind kinds[PLAIN_TYPES_MAX];
    uint32_t type_count;
    plain_system* systems; // By registration.
    uint32_t count;
    plain_relation* relations;
    uint32_t relation_count;
    uint32_t capacity; // Of systems; of relations 4 times as many.
    // What comes of it.
    weft_status result;
    uint32_t words;     // Of a row of bits.
    uint64_t* declared; // [count][words]: runs before, by relations alone.
    uint64_t* edges;    // [count][words]
    uint64_t* barriers; // [count][words]: those that end a stage.
    uint16_t* modes;    // [count][type_count]: bits of modes.
    uint32_t* order;    // Rank to registration.
    uint32_t* stages;   // By registration.
    uint32_t stage_count;
} plain_graph;

/// A graph without systems, with room for `capacity`.
void plain_graph_init(plain_graph* g, uint32_t capacity);
void plain_graph_deinit(plain_graph* g);

/// Adds a system and returns its index; adds a term to the last one.
uint32_t plain_graph_add(plain_graph* g, weft_scope scope);
void plain_graph_term(plain_graph* g, uint32_t type, weft_access_mode mode);
void plain_graph_relate(plain_graph* g, uint32_t first, uint32_t second, bool told_by_first);

/// How a random graph is drawn.
typedef struct plain_shape {
    uint32_t count;
    uint32_t types;
    uint32_t terms;     // At most, of a system.
    uint32_t relations; // Along the order of registration,
    uint32_t backward;  // and against it.
    uint32_t reach;     // Of those against it: systems that one goes back at most.
    bool messages;      // Channels and reductions too.
} plain_shape;

void plain_graph_draw(plain_graph* g, const plain_shape* shape, uint64_t seed);

/// Fills in what comes of it. `result` is OK, GRAPH_CYCLE or BAD_ACCESS.
void plain_graph_solve(plain_graph* g);

/// 0: no conflict, 1: on the same row, 2: any other.
uint32_t plain_graph_conflict(const plain_graph* g, uint32_t a, uint32_t b);

/// The type of an index, for worlds.
const weft_type* plain_graph_type(uint32_t index);

/// Registers the types.
weft_status plain_graph_register(const plain_graph* g, weft_world* world);

/// Adds the systems. `run` gets the plain_system as its context; null: it does nothing.
weft_status plain_graph_schedule(const plain_graph* g, weft_schedule* schedule,
                                 weft_system_fn* run);

/// Builds the schedule and compares all that it shows. False with the first difference in
/// `problem`.
bool plain_graph_compare(const plain_graph* g, weft_schedule* schedule,
                         char problem[PLAIN_PROBLEM_SIZE]);
