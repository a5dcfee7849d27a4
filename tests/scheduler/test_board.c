// Litmus tests of the board: every item of every batch is run once, by whoever takes it, and nobody
// touches a batch that is over.

#include "board.h"
#include "os.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum {
    WORKERS_MAX = 8,
    ITEMS_MAX = 97,
    BATCHES = 3000,
};

// A batch that is gone once it is done, like those on the caller's stack: its memory is overwritten
// and its context has another address in every batch.
typedef struct batch {
    uint32_t number;
    uint32_t runs[ITEMS_MAX]; // Plain: only the protocol keeps two workers from one item.
    uint32_t wrong_number;
    struct crew* crew;
} batch;

typedef struct crew {
    weft__board board;
    void* memory;
    weft__atomic_u32 stop;
    weft__atomic_u32 wrong;
    uint32_t worker_count;
    batch batches[3];
} crew;

typedef struct crew_thread {
    crew* crew;
    uint32_t self;
} crew_thread;

static void crew_init(crew* shared, uint32_t worker_count) {
    memset(shared, 0, sizeof *shared);
    size_t size = weft__board_size(worker_count);
    shared->memory = aligned_alloc(WEFT_CACHE_LINE, size);
    cr_assert_not_null(shared->memory);
    memset(shared->memory, 0, size);
    shared->worker_count = worker_count;
    weft__board_init(&shared->board, worker_count, false, shared->memory);
}

static void run_item(void* context, uint32_t worker, uint32_t item) {
    batch* mine = context;
    if (mine->number == 0 || worker >= mine->crew->worker_count || item >= ITEMS_MAX)
        (void)weft__atomic_u32_fetch_add_acq_rel(&mine->crew->wrong, 1);
    else
        mine->runs[item]++;
}

// Draws the ends of the shares: some are empty, some workers have loose items only.
static uint32_t draw_cuts(uint32_t worker_count, uint32_t* draw, uint64_t* cuts) {
    *draw = *draw * 1664525 + 1013904223;
    uint32_t loose = (*draw >> 20) % 9;
    uint32_t count = loose + (*draw >> 8) % (ITEMS_MAX - 8);
    cuts[0] = weft__cut(0, loose);
    for (uint32_t i = 1; i < worker_count; i++) {
        *draw = *draw * 1664525 + 1013904223;
        uint32_t homed = loose + (count - loose) * i / worker_count;
        bool empty = *draw >> 30 == 0;
        cuts[i] = empty ? cuts[i - 1] : weft__cut(loose * i / worker_count, homed);
    }
    cuts[worker_count] = weft__cut(loose, count);
    return count;
}

static void follow(void* context) {
    crew_thread* mine = context;
    crew* shared = mine->crew;
    weft__board* board = &shared->board;
    uint32_t seen = 0;
    uint32_t draw = mine->self;
    while (weft__atomic_u32_load_acquire(&shared->stop) == 0) {
        uint32_t epoch = weft__board_look(board, seen);
        draw = draw * 1664525 + 1013904223;
        if (epoch == seen || draw >> 29 == 0) {
            sched_yield(); // Late now and then.
            continue;
        }
        seen = epoch;
        (void)weft__board_run(board, mine->self, mine->self, epoch);
        if (weft__board_helps(board, epoch))
            for (uint32_t i = 1; i < shared->worker_count; i++)
                (void)weft__board_run(board, mine->self, (mine->self + i) % shared->worker_count,
                                      epoch);
    }
}

static void lead(crew* shared) {
    weft__board* board = &shared->board;
    uint32_t draw = 5;
    for (uint32_t number = 1; number <= BATCHES; number++) {
        uint64_t cuts[WORKERS_MAX + 1];
        uint32_t count = draw_cuts(shared->worker_count, &draw, cuts);
        batch* now = &shared->batches[number % 3];
        *now = (batch){.number = number, .crew = shared};
        weft__job job = {.fn = run_item,
                         .context = now,
                         .grain = 1 + number % 7,
                         .helps = number % 4 != 0,
                         .cuts = cuts};
        weft__board_publish(board, &job);
        if (number % 5 != 0) // Else the others have to begin.
            (void)weft__board_run(board, 0, 0, board->epoch);
        for (uint32_t looks = 0; !weft__board_done(board); looks++) {
            for (uint32_t i = 0; looks > 3 && i < shared->worker_count; i++)
                (void)weft__board_run(board, 0, i, board->epoch);
            sched_yield();
        }
        for (uint32_t i = 0; i < ITEMS_MAX; i++)
            cr_assert_eq(now->runs[i], i < count, "batch %u, item %u of %u: run %u times", number,
                         i, count, now->runs[i]);
        memset(now, 0, sizeof *now);
        now->crew = shared;
    }
}

ParameterizedTestParameters(board, every_item_is_run_once) {
    static uint32_t counts[] = {1, 2, 3, 5, 8};
    return cr_make_param_array(uint32_t, counts, sizeof counts / sizeof *counts);
}

ParameterizedTest(uint32_t* worker_count, board, every_item_is_run_once, .timeout = 60) {
    static crew shared;
    crew_init(&shared, *worker_count);
    weft__os_thread threads[WORKERS_MAX];
    crew_thread contexts[WORKERS_MAX];
    for (uint32_t i = 1; i < *worker_count; i++) {
        contexts[i] = (crew_thread){&shared, i};
        cr_assert_eq(weft__os_thread_start(&threads[i], follow, &contexts[i], "crew"),
                     WEFT_STATUS_OK);
    }
    lead(&shared);
    weft__atomic_u32_store_release(&shared.stop, 1);
    for (uint32_t i = 1; i < *worker_count; i++)
        weft__os_thread_join(&threads[i]);
    cr_assert_eq(weft__atomic_u32_load_acquire(&shared.wrong), 0);
    free(shared.memory);
}

// A worker that still means an old batch finds nothing there, however many have come since.
Test(board, a_late_worker_takes_nothing) {
    static crew shared;
    crew_init(&shared, 2);
    weft__board* board = &shared.board;
    uint64_t cuts[3] = {weft__cut(0, 0), weft__cut(0, 0), weft__cut(0, 4)};
    for (uint32_t number = 1; number < 10; number++) {
        batch* now = &shared.batches[number % 3];
        *now = (batch){.number = number, .crew = &shared};
        weft__job job = {.fn = run_item, .context = now, .grain = 2, .cuts = cuts};
        weft__board_publish(board, &job);
        for (uint32_t epoch = 0; epoch < number; epoch++)
            cr_assert_eq(weft__board_run(board, 1, 1, epoch), 0);
        cr_assert_not(weft__board_done(board));
        cr_assert_eq(weft__board_run(board, 0, 0, number), 0);
        cr_assert_eq(weft__board_run(board, number % 2, 1, number), 4);
        cr_assert(weft__board_done(board));
        cr_assert_eq(weft__board_run(board, 1, 1, number), 0);
    }
    free(shared.memory);
}

// Epochs come round after 2^32 batches. A share that was empty all the time is not mistaken for one
// of today that is used up.
Test(board, epochs_come_round) {
    static crew shared;
    crew_init(&shared, 2);
    weft__board* board = &shared.board;
    uint64_t full[3] = {weft__cut(0, 0), weft__cut(0, 3), weft__cut(0, 5)};
    uint64_t empty[3] = {weft__cut(0, 0), weft__cut(0, 0), weft__cut(0, 0)};
    batch* now = &shared.batches[0];
    *now = (batch){.number = 1, .crew = &shared};
    weft__job job = {.fn = run_item, .context = now, .grain = 8, .cuts = full};
    weft__board_publish(board, &job); // Epoch 1.
    cr_assert_eq(weft__board_run(board, 0, 0, 1) + weft__board_run(board, 1, 1, 1), 5);
    job.cuts = empty;
    for (uint32_t quarter = 1; quarter <= 4; quarter++) {
        board->epoch = quarter * (UINT32_C(1) << 30) - 2;
        weft__board_publish(board, &job);
        weft__board_publish(board, &job); // A multiple of 2^30; the last is 0.
        cr_assert(weft__board_done(board));
    }
    cr_assert_eq(board->epoch, 0);
    job.cuts = full;
    weft__board_publish(board, &job);
    cr_assert_eq(board->epoch, 1);
    cr_assert_eq(weft__board_look(board, 0), 1);
    cr_assert_eq(weft__board_run(board, 0, 0, 1) + weft__board_run(board, 1, 1, 1), 5);
    cr_assert(weft__board_done(board));
    free(shared.memory);
}
