// ck_ec is not used: its increment always wakes, and its sleepers flag shares the value's word.
#include "park.h"

#include "os.h"

void weft__park_init(weft__park* park, bool shared) {
    WEFT_ASSERT(park != NULL);
    *park = (weft__park){.shared = shared};
}

uint32_t weft__park_value(const weft__park* park) {
    return weft__atomic_u32_load_acquire(&park->value);
}

// A waiter writes `sleepers`, then reads `value`; a signaller writes `value`, then reads
// `sleepers`. With a full fence between the two on both sides at least one sees the other: either
// the waiter does not sleep, or the signaller wakes it. The kernel reads `value` once more under
// the lock that the wake takes, so a signal between the check and the sleep is not lost either.
static uint32_t park_sleep(weft__park* park, uint32_t old_value) {
    uint32_t before = weft__atomic_u32_fetch_add_acq_rel(&park->sleepers, 1);
    WEFT_ASSERT(before != UINT32_MAX);
    weft__atomic_fence_seq_cst();
    uint32_t value = weft__atomic_u32_load_acquire(&park->value);
    while (value == old_value) {
        weft__os_futex_wait(&park->value, old_value, park->shared);
        value = weft__atomic_u32_load_acquire(&park->value);
    }
    before = weft__atomic_u32_fetch_sub_acq_rel(&park->sleepers, 1);
    WEFT_ASSERT(before > 0);
    return value;
}

uint32_t weft__park_wait(weft__park* park, uint32_t old_value, uint32_t spin_limit) {
    WEFT_ASSERT(park != NULL);
    uint32_t value = weft__atomic_u32_load_acquire(&park->value);
    for (uint32_t i = 0; value == old_value && i < spin_limit; i++) {
        weft__cpu_relax();
        value = weft__atomic_u32_load_acquire(&park->value);
    }
    if (value == old_value)
        value = park_sleep(park, old_value);
    WEFT_ASSERT(value != old_value);
    return value;
}

void weft__park_signal(weft__park* park, bool wake) {
    WEFT_ASSERT(park != NULL);
    (void)weft__atomic_u32_fetch_add_acq_rel(&park->value, 1);
    if (!wake)
        return;
    weft__atomic_fence_seq_cst();
    if (weft__atomic_u32_load_relaxed(&park->sleepers) > 0)
        weft__os_futex_wake(&park->value, UINT32_MAX, park->shared);
}

uint32_t weft__park_sleepers(const weft__park* park) {
    return weft__atomic_u32_load_relaxed(&park->sleepers);
}
