#include "weft/random.h"

#include "weft_wide.h"

// Numbering the further attempts of a draw does not fit: draw takes 32 of the 33 bits that block
// and word have. So the blocks past the first extra one are chained, each the counter of the next.
// The top bit keeps them from the blocks that hold draws.
static void chain_next(weft_random_key key, weft_random_block* block) {
    const uint32_t words[2] = {(uint32_t)key.seed, (uint32_t)(key.seed >> 32)};
    block->word[0] |= 0x80000000u;
    *block = weft_philox(block->word, words);
}

uint32_t weft__random_below_retry(weft_random_key key, uint32_t subject, uint32_t draw, uint32_t n,
                                  uint64_t product) {
    uint32_t threshold = (0u - n) % n; // 2^32 mod n
    uint32_t lane = draw % 4;
    if ((uint32_t)product >= threshold)
        return (uint32_t)(product >> 32);
    weft_random_block block = weft__random_block(key, subject, 0x80000000u | draw / 4);
    product = (uint64_t)block.word[lane] * n;
    while ((uint32_t)product < threshold) {
        chain_next(key, &block);
        product = (uint64_t)block.word[lane] * n;
    }
    return (uint32_t)(product >> 32);
}

uint64_t weft_random_u64_below(weft_random_key key, uint32_t subject, uint32_t draw, uint64_t n) {
    WEFT_ASSERT(n >= 1);
    uint32_t lane = draw % 4;
    uint64_t high = weft_random_u32(key, subject, draw);
    weft_random_block block = weft__random_block(key, subject, 0x80000000u | draw / 4);
    weft__u128 product = weft__mul_wide(high << 32 | block.word[lane], n);
    if (product.low >= n)
        return product.high;
    uint64_t threshold = (0u - n) % n; // 2^64 mod n
    while (product.low < threshold) {
        chain_next(key, &block);
        high = block.word[lane];
        chain_next(key, &block);
        product = weft__mul_wide(high << 32 | block.word[lane], n);
    }
    return product.high;
}

// Consecutive draws of weft_random_below, four to a block.
typedef struct draw_run {
    weft_random_key key;
    uint32_t subject;
    weft_random_block block; // Of the draw before.
    bool filled;
} draw_run;

static uint32_t run_below(draw_run* run, uint32_t draw, uint32_t n) {
    if (!run->filled || draw % 4 == 0)
        run->block = weft__random_block(run->key, run->subject, draw / 4);
    run->filled = true;
    uint64_t product = (uint64_t)run->block.word[draw % 4] * n;
    if (__builtin_expect((uint32_t)product < n, 0))
        return weft__random_below_retry(run->key, run->subject, draw, n, product);
    return (uint32_t)(product >> 32);
}

// The first k steps of a shuffle of 0..n-1, without the array. Step i takes what lies at places[i],
// and what lay at i goes there. So what step i finds is traced back through the steps before it;
// the last is traced first, as then its place is needed no more and its find can have the room.
void weft_random_sample(weft_random_key key, uint32_t subject, uint32_t draw, uint32_t n,
                        uint32_t k, uint32_t* out) {
    WEFT_ASSERT(k <= n);
    WEFT_ASSERT(k == 0 || draw <= UINT32_MAX - (k - 1));
    uint32_t* places = out;
    draw_run run = {.key = key, .subject = subject};
    for (uint32_t i = 0; i < k; i++)
        places[i] = i + run_below(&run, draw + i, n - i);
    for (uint32_t i = k; i-- > 0;) {
        uint32_t at = places[i];
        for (uint32_t step = i; step-- > 0;)
            at = places[step] == at ? step : at;
        out[i] = at;
    }
}

void weft_random_shuffle(weft_random_key key, uint32_t subject, uint32_t draw, uint32_t* items,
                         uint32_t count) {
    WEFT_ASSERT(count == 0 || draw <= UINT32_MAX - (count - 1));
    draw_run run = {.key = key, .subject = subject};
    for (uint32_t i = 0; i + 1 < count; i++) {
        uint32_t j = i + run_below(&run, draw + i, count - i);
        uint32_t item = items[i];
        items[i] = items[j];
        items[j] = item;
    }
}
