// Scenes of the board: the first thread hands out batches, the others follow.

#include "scenes.h"

enum {
    BATCHES = 3,
    WORKERS = 3,
    BATCH_CELLS = 5,
};

typedef struct batch_plan {
    uint64_t cuts[WORKERS + 1];
    uint32_t grain;
    bool helps;
    bool caller_begins; // Else it waits first.
} batch_plan;

// Item 0 of `pair` is loose, the others are homed. In the first batches of `late` only the caller
// has any.
static const batch_plan pair_plans[] = {
    {{1, 2, UINT64_C(1) << 32 | 3}, 1, true, true},
    {{1, UINT64_C(1) << 32 | 1, UINT64_C(1) << 32 | 3}, 2, true, false},
};
static const batch_plan late_plans[] = {
    {{0, 1, 1}, 1, true, true},
    {{0, 1, 1}, 1, true, true},
    {{0, 1, 2}, 1, true, true},
};
// Nobody helps but in the last one, which lies on the line of the first.
static const batch_plan alone_plans[] = {
    {{0, 1, 1}, 1, false, true},
    {{0, 1, 1}, 1, false, true},
    {{0, 1, 2}, 1, true, true},
};
static const batch_plan crowd_plans[] = {
    {{0, 1, 2, 3}, 1, true, true},
    {{0, 0, 2, 2}, 1, true, false},
};

static weft__board board;
static scene_batch batches[BATCHES];
static const batch_plan* plans;
static uint32_t plan_count;
static uint32_t worker_count;

static void begin(const batch_plan* list, uint32_t count, uint32_t workers) {
    plans = list;
    plan_count = count;
    worker_count = workers;
    scene_board_init(&board, workers);
}

void board_pair_before(void) {
    begin(pair_plans, 2, 2);
}

void board_late_before(void) {
    begin(late_plans, 3, 2);
}

void board_alone_before(void) {
    begin(alone_plans, 3, 2);
}

void board_crowd_before(void) {
    begin(crowd_plans, 2, 3);
}

void board_after(void) {
    check_that(weft__board_done(&board), "all is finished");
    check_that(weft__park_sleepers(&board.done) == 0, "nobody is announced");
}

static void run_share(uint32_t worker, uint32_t owner, uint32_t epoch) {
    check_run_begin();
    (void)weft__board_run(&board, worker, owner, epoch);
    check_run_end();
}

static void help(uint32_t worker, uint32_t epoch) {
    for (uint32_t i = 1; i < worker_count; i++)
        run_share(worker, (worker + i) % worker_count, epoch);
}

static void follow(uint32_t worker) {
    uint32_t seen = 0;
    while (seen != plan_count) {
        uint32_t epoch = weft__board_look(&board, seen);
        if (epoch == seen) {
            weft__cpu_relax();
            continue;
        }
        seen = epoch;
        run_share(worker, worker, epoch);
        if (weft__board_helps(&board, epoch))
            help(worker, epoch);
    }
}

static void await_helping(void) {
    while (!weft__board_done(&board)) {
        weft__cpu_relax();
        help(0, board.epoch);
    }
}

static void await_sleeping(void) {
    while (!weft__board_done(&board)) {
        uint32_t ticket = weft__park_prepare(&board.done);
        if (weft__board_done(&board))
            weft__park_cancel(&board.done);
        else
            weft__park_sleep(&board.done, ticket, 0);
    }
}

static void lead(void (*await)(void)) {
    for (uint32_t i = 0; i < plan_count; i++) {
        const batch_plan* plan = &plans[i];
        scene_batch* batch = &batches[i];
        *batch = (scene_batch){i * BATCH_CELLS, i + 1, (uint32_t)plan->cuts[worker_count]};
        scene_batch_begin(batch);
        weft__job job = {.fn = scene_batch_item,
                         .context = batch,
                         .grain = plan->grain,
                         .helps = plan->helps,
                         .cuts = plan->cuts};
        weft__board_publish(&board, &job);
        if (plan->caller_begins || await == await_sleeping)
            run_share(0, 0, board.epoch);
        await();
        scene_batch_end(batch);
    }
}

void board_thread(uint32_t index) {
    if (index == 0)
        lead(await_helping);
    else
        follow(index);
}

void board_sleep_thread(uint32_t index) {
    if (index == 0)
        lead(await_sleeping);
    else
        follow(index);
}
