// The sequential stream: the published values of the generator it is, and its own properties.

#include "math_test.h"
#include "weft/stream.h"

#define SEED UINT64_C(0x1234567890ABCDEF)

/// The definition by another path: the state as 128 bits in an array that turns.
static uint64_t reference_next(uint64_t state[2]) {
    uint64_t x = state[0];
    uint64_t y = state[1];
    state[0] = y;
    x = x ^ x << 23;
    state[1] = x ^ y ^ x >> 18 ^ y >> 5;
    return state[1] + y;
}

static uint64_t reference_seed(uint64_t* state) {
    return test_next(state); // splitmix64 of the tests' own.
}

Test(stream, follows_its_definition) {
    uint64_t seeds = test_seed("follows_its_definition");
    for (int round = 0; round < 1000; ++round) {
        uint64_t seed = test_next(&seeds);
        uint64_t splitmix = seed;
        uint64_t state[2];
        state[0] = reference_seed(&splitmix);
        state[1] = reference_seed(&splitmix);
        weft_stream stream = weft_stream_seed(seed);
        for (int i = 0; i < 100; ++i) {
            uint64_t expected = reference_next(state);
            uint64_t got = weft_stream_next(&stream);
            if (got != expected || stream.part1 != state[0] || stream.part2 != state[1])
                TEST_FAIL("seed %" PRIx64 ", draw %d", seed, i);
        }
    }
}

Test(stream, substreams_compose) {
    cr_assert_eq(weft_stream_substream(SEED, 0), SEED);
    cr_assert_eq(weft_stream_substream(weft_stream_substream(SEED, 1), 2),
                 weft_stream_substream(SEED, 3));
    cr_assert_eq(weft_stream_substream(SEED, UINT32_MAX),
                 SEED + UINT64_C(0xffffffff) * UINT64_C(0x9e3779b97f4a7c15));
}

/// The weakness that the header names. If this fails the header is to be changed, not the test.
Test(stream, neighbours_share_a_word) {
    for (uint32_t id = 0; id < 100; ++id) {
        weft_stream here = weft_stream_seed(weft_stream_substream(SEED, id));
        weft_stream next = weft_stream_seed(weft_stream_substream(SEED, id + 1));
        cr_assert_eq(here.part2, next.part1);
        cr_assert_neq(here.part1, next.part1);
    }
    cr_assert_eq(weft_stream_seed(weft_stream_substream(SEED, 1)).part2,
                 UINT64_C(0x7a2988d31f16e86e));
}

/// The state before a given one, to reach draws at will: the step backwards.
static weft_stream step_back(weft_stream after) {
    uint64_t second = after.part1;
    uint64_t t = after.part2 ^ second ^ second >> 5;
    t = t ^ t >> 18 ^ t >> 36 ^ t >> 54;
    uint64_t first = t ^ t << 23 ^ t << 46;
    return (weft_stream){first, second};
}

/// A state whose next draw is `number`.
static weft_stream stream_before(uint64_t number, uint64_t part1) {
    weft_stream after = {part1, number - part1};
    return step_back(after);
}

Test(stream, the_step_back_is_one) {
    weft_stream stream = weft_stream_seed(SEED);
    for (int i = 0; i < 1000; ++i) {
        weft_stream before = stream;
        (void)weft_stream_next(&stream);
        weft_stream back = step_back(stream);
        cr_assert(back.part1 == before.part1 && back.part2 == before.part2);
    }
    weft_stream planted = stream_before(42, 7);
    cr_assert_eq(weft_stream_next(&planted), 42);
}

/// Of 2^64 draws the last 2^64 mod n are rejected and no other: exactly fair.
Test(stream, ranges_reject_exactly_the_rest) {
    static const uint32_t counts[] = {1, 2, 3, 5, 7, 1000, 65536, 3000000001u, UINT32_MAX};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
        uint64_t n = counts[i];
        uint64_t rest = (UINT64_MAX % n + 1) % n;
        uint64_t first_rejected = 0 - rest; // 0: none is.
        for (uint64_t near = 0; near < 4; ++near) {
            uint64_t kept = first_rejected - 1 - near;
            weft_stream stream = stream_before(kept, 99);
            cr_assert_eq(weft_stream_range(&stream, 0, (uint32_t)n), kept % n);
            if (near >= rest)
                continue;
            weft_stream again = stream_before(first_rejected + near, 99);
            weft_stream copy = again;
            (void)weft_stream_next(&copy);
            uint64_t second = weft_stream_next(&copy);
            cr_assert_lt(second, first_rejected);
            cr_assert_eq(weft_stream_range(&again, 0, (uint32_t)n), second % n);
            cr_assert(again.part1 == copy.part1 && again.part2 == copy.part2);
        }
        // So each residue has as many of the draws that are kept.
        cr_assert_eq((first_rejected - 1) % n, n - 1);
    }
}

Test(stream, units_are_the_top_bits) {
    weft_stream a = weft_stream_seed(SEED);
    weft_stream b = a;
    weft_stream c = a;
    for (int i = 0; i < 10000; ++i) {
        uint64_t number = weft_stream_next(&a);
        cr_assert_eq(weft_stream_unit24(&b), number / (UINT64_C(1) << 40));
        cr_assert_eq(weft_stream_fixed(&c).raw, (int32_t)(number / (UINT64_C(1) << 48)));
    }
    weft_stream top = stream_before(UINT64_MAX, 1);
    cr_assert_eq(weft_stream_fixed(&top).raw, 65535);
    weft_stream zero = stream_before(0, 1);
    cr_assert_eq(weft_stream_fixed(&zero).raw, 0);
}

Test(stream, a_resource_keeps_it) {
    struct {
        uint64_t before, part1, part2;
    } resource = {5, 0, 0};
    weft_stream stream = weft_stream_seed(SEED);
    WEFT_STREAM_STORE(&resource, stream);
    cr_assert_eq(resource.before, 5);
    weft_stream loaded = WEFT_STREAM_LOAD(&resource);
    cr_assert_eq(weft_stream_next(&loaded), weft_stream_next(&stream));
}
