/// The set of slots of a shard that have a row in a chunk, with ranks: rows ascend by slot, so a
/// slot's row is the number of members below it.
///
/// Rows are found in a few instructions without a table of rows by slot, which every merge would
/// have to rewrite.
#pragma once

#include "weft/base.h"
#include "weft_bits.h"

#define WEFT__MEMBER_WORDS 64u

/// Slots are local: 0 to 4095.
typedef struct weft__members {
    uint64_t words[WEFT__MEMBER_WORDS];
    uint16_t ranks[WEFT__MEMBER_WORDS]; // Members in the words before.
} weft__members;

static inline bool weft__members_has(const weft__members* members, uint32_t slot) {
    return (members->words[slot / 64] >> (slot % 64) & 1) != 0;
}

/// The number of members below a slot: its row if it is one, else the row before which it goes.
static inline uint32_t weft__members_rank(const weft__members* members, uint32_t slot) {
    uint64_t below = members->words[slot / 64] & (((uint64_t)1 << (slot % 64)) - 1);
    return members->ranks[slot / 64] + weft__popcount64(below);
}

/// Changes one slot; ranks are stale until weft__members_count().
static inline void weft__members_insert(weft__members* members, uint32_t slot) {
    members->words[slot / 64] |= (uint64_t)1 << (slot % 64);
}

static inline void weft__members_insert_run(weft__members* members, uint32_t slot, uint32_t count) {
    for (uint32_t end = slot + count; slot < end;) {
        uint32_t bits = 64 - slot % 64 < end - slot ? 64 - slot % 64 : end - slot;
        // weft-lint: allow(shift): 1 to 64 bits from the right
        members->words[slot / 64] |= UINT64_MAX >> (64 - bits) << (slot % 64);
        slot += bits;
    }
}

static inline void weft__members_remove(weft__members* members, uint32_t slot) {
    members->words[slot / 64] &= ~((uint64_t)1 << (slot % 64));
}

/// Recounts the ranks behind a slot that changed; the words before it did not. Returns the number
/// of members.
static inline uint32_t weft__members_count(weft__members* members, uint32_t first_slot) {
    uint32_t word = first_slot / 64;
    uint32_t rank = members->ranks[word];
    for (; word < WEFT__MEMBER_WORDS; word++) {
        members->ranks[word] = (uint16_t)rank;
        rank += weft__popcount64(members->words[word]);
    }
    return rank;
}
