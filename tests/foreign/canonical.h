/// The canonical state hash of the laige engine, fed from what a Weft world shows.
///
/// laige (github.com/offdev/laige-cpp) is a deterministic ECS in C++ that nobody here wrote. It
/// publishes what its runs hash to; these tests run the same simulations in Weft worlds and must
/// come to the same numbers. The encoding is written from its description, not from its source:
/// FNV-1a of 64 bits over 64-bit words, highest byte first, and over the bytes of components as a
/// little-endian machine holds them.
///
///   1  ticks completed
///   2  entities alive; for each by ascending slot: slot, generation
///   3  for each component set that has entities, by ascending list of ids, a shorter list before a
///      longer one that it starts: how many ids, the ids, how many entities; for each entity by
///      ascending slot the values of its components, by id
///   4  for each system by id: the id, whether it has a generator, and if so its seed and state
#pragma once

#include "worlds.h"

#include <weft/stream.h>

/// A hash under way.
typedef struct fnv {
    uint64_t hash;
} fnv;

static inline fnv fnv_start(void) {
    return (fnv){UINT64_C(0xcbf29ce484222325)};
}

static inline void fnv_byte(fnv* into, uint8_t byte) {
    into->hash = (into->hash ^ byte) * UINT64_C(0x100000001b3);
}

/// The low `size` bytes of a number, highest first.
static inline void fnv_word(fnv* into, uint64_t word, unsigned size) {
    for (unsigned i = size; i-- > 0;)
        fnv_byte(into, (uint8_t)(word >> (8 * i)));
}

/// A system as the hash has it. Its id is its place in the list, from 1.
typedef struct canonical_system {
    uint64_t seed;
    weft_stream stream;
} canonical_system;

/// The hash of a world. Components are numbered by their place in `types`, from 1.
uint64_t canonical_hash(const weft_world* world, const weft_type* const* types, uint32_t type_count,
                        const canonical_system* systems, uint32_t system_count);
