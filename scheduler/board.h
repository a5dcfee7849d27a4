/// How a caller hands batches to workers, and how they share one, by as few cache lines as can be.
///
/// A batch is announced on one line that the workers watch; there are two such lines, used in turn.
/// Every worker has one line of its own: the claim on its share of the batch, and how much it has
/// ever finished. So where each worker does its own share, a batch costs two hand-overs of a line:
/// the announcement, and what is finished. Nobody writes what another one will want to write, and
/// no share is reset: a claim of an older epoch stands for a whole share.
///
/// Why a late worker does no harm. It reads the notice of some epoch, then looks at the other
/// notice. If the next epoch has not been announced there, what it read is whole, because a line is
/// written again only after that. If the batch is over all the same, every share that had anything
/// in it has been claimed in this epoch, so the word that it saw before it looked is gone, and its
/// compare-and-swap fails. Whoever has taken something keeps the batch open until it has finished
/// it; only then does anybody touch what the batch points to.
///
/// Where nobody helps, nobody but the caller looks at the caller's share, and it is run without a
/// claim: a compare-and-swap would first wait until the announcement has left for the workers.
#pragma once

#include "park.h"

#include "weft_world.h"

/// A line that tells of one batch.
typedef struct weft__notice {
    WEFT_CACHE_ALIGNED weft__atomic_u32 epoch;
    weft__atomic_u32 grain; // With WEFT__GRAIN_HELPS.
    weft__atomic_u64 fn;
    weft__atomic_u64 context;
    weft__atomic_u64 cuts[]; // [worker_count + 1]: loose items (high half), homed items (low half).
} weft__notice;

/// What one worker writes.
typedef struct weft__share {
    WEFT_CACHE_ALIGNED weft__atomic_u64 claim;    // Epoch (high half), what remains (low half).
    WEFT_CACHE_ALIGNED weft__atomic_u32 finished; // Items ever. The caller watches this line.
} weft__share;

typedef struct weft__board {
    uint32_t worker_count;
    uint32_t notice_size;
    uint8_t* notices;
    weft__share* shares;
    WEFT_CACHE_ALIGNED uint32_t epoch;  // The caller's own from here on.
    uint32_t published;                 // Items ever.
    bool own_open;                      // The caller has not begun its own share.
    WEFT_CACHE_ALIGNED weft__park done; // The caller waits for the end of a batch.
} weft__board;

/// A batch to announce. Worker i has the loose items [cuts[i], cuts[i + 1]) by the high halves,
/// then the homed ones by the low halves.
typedef struct weft__job {
    weft__item_fn* fn;
    void* context;
    uint32_t grain; // Items to take at once, at most WEFT__GRAIN_MAX.
    bool helps;     // Whoever is done with its share looks for work in the others'.
    const uint64_t* cuts;
} weft__job;

#define WEFT__GRAIN_MAX UINT32_C(0x7FFFFFFF)
#define WEFT__GRAIN_HELPS UINT32_C(0x80000000)

static inline uint64_t weft__cut(uint32_t loose, uint32_t homed) {
    return (uint64_t)loose << 32 | homed;
}

/// Bytes that a board needs for its lines.
size_t weft__board_size(uint32_t worker_count);

/// Starts a board over zeroed memory, aligned to WEFT_CACHE_LINE. Worker 0 is the caller. `shared`:
/// workers are other processes, which have it at the same address.
void weft__board_init(weft__board* board, uint32_t worker_count, bool shared, void* memory);

/// Caller: announces a batch, after the one before is done. Nobody is woken.
void weft__board_publish(weft__board* board, const weft__job* job);

static inline weft__notice* weft__board_notice(const weft__board* board, uint32_t epoch) {
    return (weft__notice*)(void*)(board->notices + (size_t)(epoch & 1) * board->notice_size);
}

/// Worker: the newest epoch on the line where the one after `seen` will be, or `seen`.
static inline uint32_t weft__board_look(const weft__board* board, uint32_t seen) {
    uint32_t epoch = weft__atomic_u32_load_acquire(&weft__board_notice(board, seen + 1)->epoch);
    return (int32_t)(epoch - seen) > 0 ? epoch : seen;
}

/// Whether helping is meant in the batch of this epoch: a hint, if it is over. Who is misled by a
/// later batch reads the same word in weft__board_run, in order, and then sees that it is late.
static inline bool weft__board_helps(const weft__board* board, uint32_t epoch) {
    const weft__notice* notice = weft__board_notice(board, epoch);
    return (weft__atomic_u32_load_relaxed(&notice->grain) & WEFT__GRAIN_HELPS) != 0;
}

/// Runs, as `worker`, what is left of the share of `owner`. Returns the items run.
uint32_t weft__board_run(weft__board* board, uint32_t worker, uint32_t owner, uint32_t epoch);

/// Caller: whether all of the announced batch is finished.
bool weft__board_done(const weft__board* board);
