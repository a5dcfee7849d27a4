// Damaged files by chance, with checksums made right again so that the damage is reached: readers
// refuse or take them, and never crash. With clang's libFuzzer: target/fuzz_readers.c.

#include "feed.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <weft/random.h>

#include "effort.h"

#define ROUNDS 40000u

typedef struct draws {
    uint32_t draw;
    uint64_t seed;
} draws;

static uint32_t roll(draws* dice, uint32_t below) {
    return weft_random_below((weft_random_key){.seed = dice->seed}, 0, dice->draw++, below);
}

// A few bytes, a number, or a part of the file that is doubled or gone.
static size_t damage(draws* dice, uint8_t* bytes, size_t size) {
    static const uint64_t numbers[] = {0,      1,          0x7f,       0xff,
                                       0xffff, 0xffffffff, UINT64_MAX, UINT64_C(1) << 60};
    for (uint32_t i = roll(dice, 4) + 1; i > 0; i--) {
        size_t at = roll(dice, (uint32_t)size);
        size_t length = roll(dice, 64) + 1;
        size_t left = size - at;
        uint64_t number = numbers[roll(dice, 8)];
        length = length < left ? length : left;
        switch (roll(dice, 5)) {
        case 0:
            bytes[at] ^= (uint8_t)(1u << roll(dice, 8));
            break;
        case 1:
            memcpy(bytes + at, &number, left < 8 ? left : 8);
            break;
        case 2:
            memcpy(bytes + at, &number, left < 4 ? left : 4);
            break;
        case 3:
            memmove(bytes + at, bytes + at + length, left - length);
            size -= size > length ? length : 0;
            break;
        default:
            memmove(bytes + at + length, bytes + at, left - length);
        }
    }
    return size;
}

Test(readers, damaged_files, .timeout = 600) {
    feed* all = feed_open();
    uint32_t taken[2] = {0};
    draws dice = {.seed = 31};
    for (uint32_t round = 0; round < TEST_EFFORT(ROUNDS); round++) {
        size_t size;
        feed_kind kind = round % 2 == 0 ? FEED_SNAPSHOT : FEED_JOURNAL;
        const uint8_t* sample = feed_sample(all, kind, &size);
        uint8_t* bytes = malloc(size);
        cr_assert_not_null(bytes);
        memcpy(bytes, sample, size);
        if (round >= 2)
            size = damage(&dice, bytes, size);
        bool fine = feed_give(all, kind, bytes, size, round >= 2 && round % 5 != 0);
        cr_assert(fine || round >= 2, "a whole file is refused");
        taken[kind] += fine;
        free(bytes);
    }
    // Where nothing is ever taken, nothing is reached.
    cr_assert(taken[0] > 1 && taken[1] > 1);
    feed_close(all);
}
