// ck_ec is not used: its increment always wakes, and its sleepers flag shares the value's word.
#include "park.h"

#include "os.h"

void weft__park_init(weft__park* park, bool shared) {
    WEFT_ASSERT(park != NULL);
    *park = (weft__park){.shared = shared};
}

// A waiter writes `sleepers`, then reads what it waits for; a signaller writes that, then reads
// `sleepers`. With a full fence between the two on both sides at least one sees the other: either
// the waiter does not sleep, or the signaller wakes it. The ticket is read after the announcement,
// so a notification that saw it changes the value to another than the ticket, or came before it and
// then the look after it sees what came. The kernel reads the value once more under the lock that
// the wake takes.
uint32_t weft__park_prepare(weft__park* park) {
    WEFT_ASSERT(park != NULL);
    uint32_t before = weft__atomic_u32_fetch_add_acq_rel(&park->sleepers, 1);
    WEFT_ASSERT(before != UINT32_MAX);
    weft__atomic_fence_seq_cst();
    return weft__atomic_u32_load_acquire(&park->value);
}

void weft__park_cancel(weft__park* park) {
    uint32_t before = weft__atomic_u32_fetch_sub_acq_rel(&park->sleepers, 1);
    WEFT_ASSERT(before > 0);
}

void weft__park_sleep(weft__park* park, uint32_t ticket, uint64_t deadline_ns) {
    while (weft__atomic_u32_load_acquire(&park->value) == ticket)
        if (!weft__os_futex_wait(&park->value, ticket, deadline_ns, park->shared))
            break;
    weft__park_cancel(park);
}

void weft__park_notify(weft__park* park) {
    WEFT_ASSERT(park != NULL);
    weft__atomic_fence_seq_cst();
    if (weft__atomic_u32_load_relaxed(&park->sleepers) == 0)
        return;
    (void)weft__atomic_u32_fetch_add_acq_rel(&park->value, 1);
    weft__os_futex_wake(&park->value, UINT32_MAX, park->shared);
}

uint32_t weft__park_sleepers(const weft__park* park) {
    return weft__atomic_u32_load_relaxed(&park->sleepers);
}
