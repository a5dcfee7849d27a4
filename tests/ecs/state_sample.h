/// A simulation with every kind of state, its state as bytes, and the means to damage these.
#pragma once

#include <weft/state.h>

#include "state_format.h"
#include "worlds.h"

WEFT_COMPONENT(Barge, (weft_vec2, at), (int32_t, load), (bool, lit), (array, uint8_t, marks, 3));
WEFT_COMPONENT(Tide, (uint32_t, level)); // Buffered.
WEFT_COMPONENT(Tow, (weft_entity, by));
WEFT_TAG(Moored);
WEFT_COMPONENT(Pennant, (float, angle), (weft_entity, from)); // Sparse.
WEFT_TAG(Plague);                                             // Sparse.
WEFT_RESOURCE(Berth, (uint64_t, tons));
WEFT_RESOURCE(Gale, (weft_fixed64, wind));
WEFT_MESSAGE(Whistle, (uint32_t, tone)); // Next tick, to the world.
WEFT_MESSAGE(Order, (weft_entity, about), (uint32_t, word), (bool, urgent),
             (array, uint8_t, marks, 3)); // Next tick, to entities.
WEFT_MESSAGE(Call, (uint32_t, tone));     // Same tick.
WEFT_PARTIAL(Tonnage, (uint64_t, tons));

/// More than one part of a list.
#define SAMPLE_BERTHS 4100u

/// What a sample is made with.
typedef struct sample {
    const run_config* config;
    uint32_t entities;
    uint64_t seed;
    bool bare; // Types alone: nothing is created, no schedule.
} sample;

sim sample_open(const sample* what);
void sample_close(sim* s);

/// One tick, with an input event in some.
void sample_tick(sim* s);

/// An encoded state.
typedef struct state {
    uint8_t* bytes;
    size_t size;
} state;

state state_of(weft_world* world);
void state_free(state* one);
state state_copy(const state* one);

/// The first fault in the storage of any shard, or null.
const char* storage_fault(const weft_world* world);

/// A section in an encoded state.
typedef struct state_part {
    uint8_t* head;
    uint8_t* content;
    size_t length;
} state_part;

/// The first section of this kind; the test fails if there is none.
state_part state_find(const state* one, weft__state_kind kind);

/// Makes checksums right again, of a section or of the header.
void state_seal(state_part part);
void state_seal_header(const state* one);

/// Writes and reads little-endian integers.
void state_put(uint8_t* at, uint64_t value, size_t size);
uint64_t state_get(const uint8_t* at, size_t size);
