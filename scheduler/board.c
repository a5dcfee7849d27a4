#include "board.h"

// A share that gets nothing keeps its claim of an old epoch. Before the numbers come round all are
// closed, so that none can be taken for a claim of today.
#define EPOCH_REFRESH (UINT32_C(1) << 30)

static size_t notice_size(uint32_t worker_count) {
    size_t size = sizeof(weft__notice) + ((size_t)worker_count + 1) * sizeof(weft__atomic_u64);
    return (size + WEFT_CACHE_LINE - 1) / WEFT_CACHE_LINE * WEFT_CACHE_LINE;
}

size_t weft__board_size(uint32_t worker_count) {
    return 2 * notice_size(worker_count) + (size_t)worker_count * sizeof(weft__share);
}

void weft__board_init(weft__board* board, uint32_t worker_count, bool shared, void* memory) {
    WEFT_ASSERT(worker_count > 0);
    WEFT_ASSERT((uintptr_t)memory % WEFT_CACHE_LINE == 0);
    uint8_t* at = memory;
    board->worker_count = worker_count;
    board->notice_size = (uint32_t)notice_size(worker_count);
    board->notices = at;
    board->shares = (weft__share*)(void*)(at + 2 * notice_size(worker_count));
    board->epoch = board->published = 0;
    weft__atomic_u32_store_relaxed(&weft__board_notice(board, 0)->epoch, 0);
    weft__atomic_u32_store_relaxed(&weft__board_notice(board, 1)->epoch, UINT32_MAX);
    weft__park_init(&board->done, shared);
}

static uint32_t cut_count(uint64_t from, uint64_t to) {
    return ((uint32_t)(to >> 32) - (uint32_t)(from >> 32)) + ((uint32_t)to - (uint32_t)from);
}

void weft__board_publish(weft__board* board, const weft__job* job) {
    WEFT_CHECK(weft__board_done(board));
    WEFT_ASSERT(job->grain > 0 && job->grain <= WEFT__GRAIN_MAX);
    uint32_t epoch = ++board->epoch;
    if (epoch % EPOCH_REFRESH == 0)
        for (uint32_t i = 0; i < board->worker_count; i++)
            weft__atomic_u64_store_release(&board->shares[i].claim, (uint64_t)(epoch - 1) << 32);
    board->published += cut_count(job->cuts[0], job->cuts[board->worker_count]);
    board->own_open = true;
    weft__notice* notice = weft__board_notice(board, epoch);
    // Released one by one: who sees any of them also sees the epoch before on the other line.
    weft__atomic_u32_store_release(&notice->grain,
                                   job->grain | (job->helps ? WEFT__GRAIN_HELPS : 0));
    weft__atomic_u64_store_release(&notice->fn, (uint64_t)(uintptr_t)job->fn);
    weft__atomic_u64_store_release(&notice->context, (uint64_t)(uintptr_t)job->context);
    for (uint32_t i = 0; i <= board->worker_count; i++)
        weft__atomic_u64_store_release(&notice->cuts[i], job->cuts[i]);
    weft__atomic_u32_store_release(&notice->epoch, epoch);
}

// Whether no later epoch has been announced: what was read of this one before is whole.
static bool is_current(const weft__board* board, uint32_t epoch) {
    uint32_t next = weft__atomic_u32_load_acquire(&weft__board_notice(board, epoch + 1)->epoch);
    return (int32_t)(next - epoch) <= 0;
}

// One share as the notice tells it.
typedef struct share_view {
    weft__item_fn* fn;
    void* context;
    uint32_t grain;
    uint32_t loose_begin;
    uint32_t loose_count;
    uint32_t homed_begin;
    uint32_t count;
} share_view;

static share_view read_share(const weft__board* board, uint32_t owner, uint32_t epoch) {
    const weft__notice* notice = weft__board_notice(board, epoch);
    uint64_t from = weft__atomic_u64_load_acquire(&notice->cuts[owner]);
    uint64_t to = weft__atomic_u64_load_acquire(&notice->cuts[owner + 1]);
    share_view view = {.fn = (weft__item_fn*)(uintptr_t)weft__atomic_u64_load_acquire(&notice->fn),
                       .context = (void*)(uintptr_t)weft__atomic_u64_load_acquire(&notice->context),
                       .grain = weft__atomic_u32_load_acquire(&notice->grain) & WEFT__GRAIN_MAX,
                       .loose_begin = (uint32_t)(from >> 32),
                       .loose_count = (uint32_t)(to >> 32) - (uint32_t)(from >> 32),
                       .homed_begin = (uint32_t)from,
                       .count = cut_count(from, to)};
    return view;
}

static void run_items(const share_view* share, uint32_t worker, uint32_t first, uint32_t end) {
    uint32_t i = first;
    for (; i < end && i < share->loose_count; i++)
        share->fn(share->context, worker, share->loose_begin + i);
    for (; i < end; i++)
        share->fn(share->context, worker, share->homed_begin + (i - share->loose_count));
}

static void finish(weft__board* board, uint32_t worker, uint32_t count) {
    weft__atomic_u32* finished = &board->shares[worker].finished;
    weft__atomic_u32_store_release(finished, weft__atomic_u32_load_relaxed(finished) + count);
    if (worker != 0)
        weft__park_notify(&board->done);
}

// The caller's own share of a batch in which nobody helps.
static uint32_t run_own(weft__board* board, const share_view* share) {
    if (!board->own_open)
        return 0;
    board->own_open = false;
    run_items(share, 0, 0, share->count);
    finish(board, 0, share->count);
    return share->count;
}

uint32_t weft__board_run(weft__board* board, uint32_t worker, uint32_t owner, uint32_t epoch) {
    WEFT_CHECK(worker < board->worker_count && owner < board->worker_count);
    weft__atomic_u64* claim = &board->shares[owner].claim;
    share_view share = read_share(board, owner, epoch);
    if (worker == 0 && owner == 0 && !weft__board_helps(board, epoch))
        return run_own(board, &share);
    uint64_t seen = weft__atomic_u64_load_acquire(claim);
    uint32_t ran = 0;
    while (is_current(board, epoch) && share.count > 0) {
        uint32_t left = (uint32_t)(seen >> 32) == epoch ? (uint32_t)seen : share.count;
        if (left == 0)
            break;
        WEFT_ASSERT(left <= share.count);
        uint32_t taken = left < share.grain ? left : share.grain;
        uint64_t next = (uint64_t)epoch << 32 | (left - taken);
        if (!weft__atomic_u64_compare_exchange_acq_rel(claim, &seen, next))
            continue;
        seen = next;
        uint32_t first = share.count - left;
        run_items(&share, worker, first, first + taken);
        ran += taken;
        if (left == taken)
            break;
    }
    if (ran > 0) // Told once: the line is the one that the caller watches.
        finish(board, worker, ran);
    return ran;
}

bool weft__board_done(const weft__board* board) {
    uint32_t finished = 0;
    for (uint32_t i = 0; i < board->worker_count; i++)
        finished += weft__atomic_u32_load_acquire(&board->shares[i].finished);
    return finished == board->published;
}
