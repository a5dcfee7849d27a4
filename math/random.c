#include "weft/random.h"

uint32_t weft__random_below_retry(weft_random_key key, uint32_t subject, uint32_t draw, uint32_t n,
                                  uint64_t product) {
    const uint32_t words[2] = {(uint32_t)key.seed, (uint32_t)(key.seed >> 32)};
    uint32_t threshold = (0u - n) % n; // 2^32 mod n
    uint32_t lane = draw % 4;
    if ((uint32_t)product >= threshold)
        return (uint32_t)(product >> 32);
    // Numbering the attempts does not fit: draw takes 32 of the 33 bits that block and word have.
    // So the blocks after the first one are chained.
    weft_random_block block = weft__random_block(key, subject, 0x80000000u | draw / 4);
    product = (uint64_t)block.word[lane] * n;
    while ((uint32_t)product < threshold) {
        block.word[0] |= 0x80000000u;
        block = weft_philox(block.word, words);
        product = (uint64_t)block.word[lane] * n;
    }
    return (uint32_t)(product >> 32);
}
