/// All pairs and triples of commands, each from a system of its own and in a world that is the same
/// for all, against the model of the commit.
#pragma once

#include "programs.h"

enum {
    TUPLE_MAX = 3,
    CHOICES_MAX = 160,
};

/// Whom a command is about. The first four live, in two archetypes and two shards.
typedef enum subject {
    SUBJECT_SELF,
    SUBJECT_TWIN,  // Of the same archetype as SELF, and in its shard if anybody is.
    SUBJECT_OTHER, // Of another archetype, likewise.
    SUBJECT_FAR,   // In another shard.
    SUBJECT_NEW,   // Is created in the same tick.
    SUBJECT_COUNT
} subject;

/// One command that a system may record.
typedef struct choice {
    model_op op;
    subject who;
    uint32_t type;
    uint32_t form; // Of a create or destroy: 0 of one; 1 of a create: with components, of a
                   // destroy: of many living ones; 2: of many, the new one among those destroyed.
} choice;

/// What each place of a tuple is taken from, and who records it.
typedef struct tuple_plan {
    const char* name;
    uint32_t length;
    choice choices[TUPLE_MAX][CHOICES_MAX];
    uint32_t choice_counts[TUPLE_MAX];
    recorder by[TUPLE_MAX];
    subject rows[TUPLE_MAX]; // At hand.
} tuple_plan;

/// Adds commands on one subject to a place: its destruction, and adds, removes and sets of the
/// types in the set.
void tuples_add_subject(tuple_plan* plan, uint32_t place, subject who, uint32_t types);

/// Adds creates in every form, and destroys of many.
void tuples_add_many(tuple_plan* plan, uint32_t place);

/// Runs all tuples of a plan, by a few configurations or by all.
void tuples_run(const tuple_plan* plan, bool few);
