#include "perturb.h"

#include <weft/random.h>

#include "atomics.h"
#include "os.h"

// Draws of different uses never meet: items have their number as the subject, choices have one that
// no item has, as batches are smaller.
#define SUBJECT_CHOICE UINT32_MAX
#define SYSTEM_TURN UINT64_C(0x5455524E)
#define SHORT_NS 4000u
#define LONG_NS 40000u
#define YIELD_ONE_IN 16u

weft__perturb weft__perturb_batch(uint64_t seed, uint64_t tick, uint32_t batch,
                                  const weft__batch* what) {
    WEFT_ASSERT(seed != 0);
    return (weft__perturb){
        {.seed = seed, .system = (uint64_t)batch << 32 | 1, .tick = tick}, what->fn, what->context};
}

uint32_t weft__perturb_delay_ns(const weft__perturb* perturb, uint32_t item) {
    WEFT_CHECK(item != SUBJECT_CHOICE);
    weft_random_block block = weft_random_block_at(perturb->key, item, 0);
    uint32_t part = block.word[0] % 8;
    if (part < 4)
        return 0;
    return block.word[1] % (part < 7 ? SHORT_NS : LONG_NS);
}

void weft__perturb_item(void* context, uint32_t worker, uint32_t item) {
    const weft__perturb* perturb = context;
    uint32_t delay = weft__perturb_delay_ns(perturb, item);
    uint64_t end = delay == 0 ? 0 : weft__os_clock_ns() + delay;
    if (delay != 0 && delay % YIELD_ONE_IN == 0)
        weft__os_yield();
    while (delay != 0 && weft__os_clock_ns() < end)
        weft__cpu_relax();
    perturb->fn(perturb->context, worker, item);
}

uint32_t weft__perturb_choose(const weft__perturb* perturb, uint32_t what, uint32_t count) {
    return weft_random_below(perturb->key, SUBJECT_CHOICE, what, count);
}

uint32_t weft__perturb_turn(uint64_t seed, uint32_t epoch, uint32_t worker, uint32_t count) {
    weft_random_key key = {.seed = seed, .system = SYSTEM_TURN, .tick = epoch};
    return weft_random_below(key, worker, 0, count);
}
