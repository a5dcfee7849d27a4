/// A sequential stream of random numbers: xorshift128+ seeded by splitmix64.
///
/// For systems of world scope that want one number after the other: a card game's deck, a port of
/// code that draws in sequence. The state is two numbers in a resource of yours, moved on in place,
/// so it is in the digest, in snapshots and in every roll-back like all state:
///
///     WEFT_RESOURCE(Dice, WEFT_STREAM_FIELDS);
///     ...
///     Dice* dice = WEFT_RESOURCE_WRITE(view, Dice);
///     weft_stream stream = WEFT_STREAM_LOAD(dice);
///     uint32_t roll = weft_stream_range(&stream, 1, 7);
///     WEFT_STREAM_STORE(dice, stream);
///
/// Systems of chunk scope use <weft/random.h> and cannot use this: what a stream gives depends on
/// how many draws came before, so the order of the draws is part of the result, and chunks have no
/// order in time (C8). For the same reason a resource can be written in world scope only. Adding a
/// draw moves all later ones; a keyed draw moves none.
///
/// Substreams of one seed are not independent by construction: the second word of the first state
/// of substream i is the first word of that of substream i + 1, as both are steps of one splitmix64
/// sequence. Their outputs pass for independent, but a design that needs proof of it uses keys.
/// Not for secrets; the lowest bit of the draws is a linear sequence.
///
/// Sources: Vigna, "Further scramblings of Marsaglia's xorshift generators" (2017), with the shifts
/// 23, 18, 5 of its earlier form; Steele, Lea, Flood, "Fast splittable pseudorandom number
/// generators" (2014). The values are those of the generator of the same name in the laige engine.
/// A stream is used by one thread at a time; no function allocates or keeps anything.
#pragma once

#include "weft/fixed.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A stream's state. Never both zero, which would stay so; weft_stream_seed gives no such state.
typedef struct weft_stream {
    uint64_t part1;
    uint64_t part2;
} weft_stream;

/// The fields of a stream in the declaration of a resource, alone or among others.
#define WEFT_STREAM_FIELDS (uint64_t, part1), (uint64_t, part2)

/// The stream that a resource with these fields holds, by a pointer to the resource.
#define WEFT_STREAM_LOAD(resource) weft_stream_of((resource)->part1, (resource)->part2)

/// Puts a stream back into its resource.
#define WEFT_STREAM_STORE(resource, stream)                                                        \
    ((void)((resource)->part1 = (stream).part1, (resource)->part2 = (stream).part2))

/// The state with these words, at least one of them not 0: a resource that was never seeded is a
/// bug and asserts.
static inline weft_stream weft_stream_of(uint64_t part1, uint64_t part2) {
    WEFT_ASSERT((part1 | part2) != 0);
    weft_stream stream = {part1, part2};
    return stream;
}

/// The step from one seed to the next: 2^64 divided by the golden ratio, odd.
#define WEFT_STREAM_STEP 0x9e3779b97f4a7c15u

/// The output function of splitmix64.
static inline uint64_t weft__stream_mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/// The start of the stream of a seed; any seed is good.
static inline weft_stream weft_stream_seed(uint64_t seed) {
    // A bijection of two different numbers: not both are 0.
    weft_stream stream = {weft__stream_mix(seed + WEFT_STREAM_STEP),
                          weft__stream_mix(seed + 2 * (uint64_t)WEFT_STREAM_STEP)};
    return stream;
}

/// The seed of substream `id` of a seed. Substream 0 is the seed's own, and ids add up: substream b
/// of substream a is substream a + b. Give each user of a world's seed an id of its own, from 1.
static inline uint64_t weft_stream_substream(uint64_t seed, uint32_t id) {
    return seed + id * (uint64_t)WEFT_STREAM_STEP;
}

/// The next 64 bits. The period is 2^128 - 1.
static inline uint64_t weft_stream_next(weft_stream* stream) {
    uint64_t first = stream->part1;
    uint64_t second = stream->part2;
    first ^= first << 23;
    first ^= second ^ (first >> 18) ^ (second >> 5);
    stream->part1 = second;
    stream->part2 = first;
    return first + second;
}

/// A whole number from low to high - 1, every one equally likely. low < high. One draw, and another
/// for each that is rejected: of the 2^64 values the last 2^64 mod (high - low), so next to none.
static inline uint32_t weft_stream_range(weft_stream* stream, uint32_t low, uint32_t high) {
    WEFT_ASSERT(low < high);
    uint64_t count = high - low;
    // weft-lint: allow(division): low < high
    uint64_t rejected = (0 - count) % count; // 2^64 mod count
    uint64_t number;
    do
        number = weft_stream_next(stream);
    while (number > UINT64_MAX - rejected);
    // weft-lint: allow(division): low < high
    return low + (uint32_t)(number % count);
}

/// The top 24 bits of a draw: the integer k of the unit float k * 2^-24.
static inline uint32_t weft_stream_unit24(weft_stream* stream) {
    return (uint32_t)(weft_stream_next(stream) >> 40);
}

/// A number in [0, 1), every multiple of 1/65536 equally likely: the top 16 bits of a draw.
static inline weft_fixed weft_stream_fixed(weft_stream* stream) {
    return weft_fixed_from_raw((int32_t)(weft_stream_next(stream) >> 48));
}

#ifdef __cplusplus
}
#endif
