#include "math_test.h"
#include "weft_hash.h"

#include <string.h>
#include <xxhash.h>

#define PRIME32 UINT64_C(2654435761)
#define BUFFER 4160

/// The input of the xxHash project's own known answers.
static void fill(uint8_t* buffer, size_t size) {
    uint64_t generator = PRIME32;
    for (size_t i = 0; i < size; ++i) {
        buffer[i] = (uint8_t)(generator >> 56);
        generator *= UINT64_C(11400714785074694797);
    }
}

typedef struct known {
    size_t size;
    uint64_t seed;
    uint64_t low;
    uint64_t high;
} known;

static const known known128[] = {
    {0, 0, 0x6001C324468D497F, 0x99AA06D3014798D8},
    {0, PRIME32, 0x5444F7869C671AB0, 0x92220AE55E14AB50},
    {1, 0, 0xC44BDFF4074EECDB, 0xA6CD5E9392000F6A},
    {1, PRIME32, 0xB53D5557E7F76F8D, 0x89B99554BA22467C},
    {6, 0, 0x3E7039BDDA43CFC6, 0x082AFE0B8162D12A},
    {12, 0, 0x061A192713F69AD9, 0x6E3EFD8FC7802B18},
    {24, 0, 0x1E7044D28B1B901D, 0x0CE966E4678D3761},
    {48, 0, 0xF942219AED80F67B, 0xA002AC4E5478227E},
    {81, 0, 0x5E8BAFB9F95FB803, 0x4952F58181AB0042},
    {222, 0, 0xF1AEBD597CEC6B3A, 0x337E09641B948717},
    {403, 0, 0xCDEB804D65C6DEA4, 0x1B6DE21E332DD73D},
    {512, 0, 0x617E49599013CB6B, 0x18D2D110DCC9BCA1},
    {2048, 0, 0xDD59E2C3A5F038E0, 0xF736557FD47073A5},
    {2240, 0, 0x6E73A90539CF2948, 0xCCB134FBFA7CE49D},
    {2367, 0, 0xCB37AEB9E5D361ED, 0xE89C0F6FF369B427},
};

Test(hash, known_answers_of_128_bits) {
    static uint8_t buffer[BUFFER];
    fill(buffer, sizeof buffer);
    for (size_t i = 0; i < sizeof known128 / sizeof known128[0]; ++i) {
        const known* k = &known128[i];
        weft_digest got = weft_digest_of(buffer, k->size, k->seed);
        cr_assert(got.low == k->low && got.high == k->high,
                  "size %zu: low %016" PRIx64 " high %016" PRIx64, k->size, got.low, got.high);
    }
}

Test(hash, empty_input) {
    char text[WEFT_DIGEST_TEXT];
    weft_digest_format(weft_digest_of(NULL, 0, 0), text);
    cr_assert_str_eq(text, "99aa06d3014798d86001c324468d497f");
}

Test(hash, known_answers_of_64_bits) {
    static uint8_t buffer[BUFFER];
    fill(buffer, sizeof buffer);
    cr_assert_eq(weft_hash64_of(NULL, 0, 0), UINT64_C(0x2D06800538D394C2));
    cr_assert_eq(weft_hash64_of(buffer, 1, 0), UINT64_C(0xC44BDFF4074EECDB));
    cr_assert_eq(weft_hash64_of_name(""), UINT64_C(0x2D06800538D394C2));
    cr_assert_eq(weft_hash64_of_name("move"), weft_hash64_of("move", 4, 0));
    cr_assert_neq(weft_hash64_of_name("move"), weft_hash64_of_name("mov"));
    cr_assert_neq(weft_hash64_of("move", 4, 0), weft_hash64_of("move", 4, 1));
}

/// Against the plain entry points, at every length across all of XXH3's paths and off alignment:
/// where the build uses the dispatched ones, both must agree.
Test(hash, dispatched_and_plain_agree) {
    static uint8_t buffer[BUFFER];
    fill(buffer, sizeof buffer);
    static const uint64_t seeds[] = {0, 1, PRIME32, UINT64_MAX};
    for (size_t size = 0; size + 4 < sizeof buffer; size += size < 1100 ? 1 : 61) {
        uint64_t seed = seeds[size % 4];
        size_t shift = (size / 4) % 4;
        weft_digest got = weft_digest_of(buffer + shift, size, seed);
        XXH128_hash_t plain = XXH3_128bits_withSeed(buffer + shift, size, seed);
        cr_assert(got.low == plain.low64 && got.high == plain.high64, "size %zu", size);
        cr_assert_eq(weft_hash64_of(buffer + shift, size, seed),
                     XXH3_64bits_withSeed(buffer + shift, size, seed), "size %zu", size);
    }
}

/// In pieces, cut at every length that is special to the library, and many at once.
Test(hash, pieces_hash_as_the_whole) {
    static uint8_t buffer[BUFFER];
    fill(buffer, sizeof buffer);
    static const size_t steps[] = {1, 8, 64, 240, 256, 257, 1024, sizeof buffer};
    for (size_t size = 0; size + 4 < sizeof buffer; size += size < 600 ? 1 : 61) {
        size_t step = steps[size % 8];
        uint64_t seed = size % 3;
        size_t shift = size % 4;
        weft__hash64 hash;
        memset(&hash, 0xa5, sizeof hash);
        weft__hash64_begin(&hash, seed);
        weft__hash64_add(&hash, buffer + shift, size < 8 ? size : 8);
        for (size_t done = 8; done < size; done += step)
            weft__hash64_add(&hash, buffer + shift + done, size - done < step ? size - done : step);
        weft__hash64_add(&hash, NULL, 0);
        cr_assert_eq(weft__hash64_end(&hash), weft_hash64_of(buffer + shift, size, seed),
                     "size %zu, step %zu", size, step);
    }
}

Test(hash, every_bit_matters) {
    uint8_t buffer[300];
    fill(buffer, sizeof buffer);
    weft_digest first = weft_digest_of(buffer, sizeof buffer, 0);
    cr_assert_not(weft_digest_equal(first, weft_digest_of(buffer, sizeof buffer - 1, 0)));
    cr_assert_not(weft_digest_equal(first, weft_digest_of(buffer, sizeof buffer, 1)));
    for (size_t bit = 0; bit < 8 * sizeof buffer; ++bit) {
        buffer[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        cr_assert_not(weft_digest_equal(first, weft_digest_of(buffer, sizeof buffer, 0)));
        buffer[bit / 8] ^= (uint8_t)(1u << (bit % 8));
    }
    cr_assert(weft_digest_equal(first, weft_digest_of(buffer, sizeof buffer, 0)));
}

Test(hash, equality_looks_at_both_halves) {
    weft_digest a = {.low = 1, .high = 2};
    cr_assert(weft_digest_equal(a, (weft_digest){.low = 1, .high = 2}));
    cr_assert_not(weft_digest_equal(a, (weft_digest){.low = 3, .high = 2}));
    cr_assert_not(weft_digest_equal(a, (weft_digest){.low = 1, .high = 3}));
    cr_assert_not(weft_digest_equal(a, (weft_digest){.low = 2, .high = 1}));
}

Test(hash, format_and_parse_are_inverse) {
    char text[WEFT_DIGEST_TEXT];
    weft_digest_format((weft_digest){.low = 0xfedcba9876543210, .high = 0x00123456789abcde}, text);
    cr_assert_str_eq(text, "00123456789abcdefedcba9876543210");
    uint64_t state = test_seed("format_and_parse_are_inverse");
    for (int i = 0; i < 10000; ++i) {
        weft_digest in;
        in.low = test_next(&state);
        in.high = test_next(&state) >> (i % 64);
        weft_digest out = {0, 0};
        weft_digest_format(in, text);
        cr_assert_eq(strlen(text), 32);
        cr_assert_eq(weft_digest_parse(text, &out), WEFT_STATUS_OK);
        cr_assert(weft_digest_equal(in, out));
    }
}

Test(hash, parse_is_strict) {
    static const char* const bad[] = {
        "",
        "0",
        "0123456789abcdef0123456789abcde",
        "0123456789abcdef0123456789abcdef0",
        "0123456789abcdef0123456789abcdef ",
        " 123456789abcdef0123456789abcdef",
        "0x23456789abcdef0123456789abcdef",
        "0123456789ABCDEF0123456789abcdef",
        "0123456789abcdeg0123456789abcdef",
        "0123456789abcde/0123456789abcdef",
        "0123456789abcde:0123456789abcdef",
        "0123456789abcde`0123456789abcdef",
        "+123456789abcdef0123456789abcdef",
        "0123456789abcd\303\2510123456789abcdef",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        weft_digest out = {7, 9};
        cr_assert_eq(weft_digest_parse(bad[i], &out), WEFT_STATUS_BAD_FORMAT, "\"%s\"", bad[i]);
        cr_assert(out.low == 7 && out.high == 9, "\"%s\" changed the output", bad[i]);
    }
}
