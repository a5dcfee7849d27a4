// The list of scenes and of the faults that must be found in them.

#include "scenes.h"

#include <string.h>

#include "os.h"

const check_scene check_scenes[] = {
    {"park_one", 2, park_before, park_one_thread, park_after, CHECK_ALL},
    {"park_timed", 2, park_before, park_timed_thread, park_after, CHECK_ALL},
    {"park_many", 3, park_before, park_many_thread, park_after, 3},
    {"park_signallers", 3, park_before, park_signallers_thread, park_after, 3},
    {"park_rounds", 2, park_before, park_rounds_thread, park_after, 3},
    {"board_pair", 2, board_pair_before, board_thread, board_after, 2},
    {"board_late", 2, board_late_before, board_thread, board_after, 1},
    {"board_alone", 2, board_alone_before, board_thread, board_after, 1},
    {"board_crowd", 3, board_crowd_before, board_thread, board_after, 0},
    {"board_sleep", 3, board_crowd_before, board_sleep_thread, board_after, 0},
    {"pool_pair", 2, pool_pair_before, pool_thread, pool_after, 1},
    {"pool_paced", 2, pool_paced_before, pool_thread, pool_after, 1},
    {"pool_crowd", 3, pool_crowd_before, pool_thread, pool_after, 0},
};
const uint32_t check_scene_count = sizeof(check_scenes) / sizeof(check_scenes[0]);

const check_canary check_canaries[] = {
    {"park_one", FAULT_NO_FENCE, "first"},
    {"park_one", FAULT_NO_FENCE, "others"},
    {"park_one", FAULT_NO_WAKE, "value"},
    {"park_one", FAULT_STUCK, "value"},
    {"park_one", FAULT_STUCK, "sleepers"},
    {"park_one", FAULT_RELAXED_LOAD, "value"},
    {"park_many", FAULT_NO_FENCE, "first"},
    {"park_signallers", FAULT_NO_FENCE, "others"},
    {"park_rounds", FAULT_STUCK, "value"},
    {"board_pair", FAULT_RELAXED_STORE, "notice.epoch"},
    {"board_pair", FAULT_RELAXED_LOAD, "notice.epoch"},
    {"board_pair", FAULT_RELAXED_STORE, "finished"},
    {"board_pair", FAULT_RELAXED_LOAD, "finished"},
    {"board_pair", FAULT_RELAXED_LOAD, "claim"},
    {"board_pair", FAULT_RELAXED_RMW, "claim"},
    {"board_pair", FAULT_NO_SECOND_LOOK, "notice.epoch"},
    {"board_late", FAULT_RELAXED_STORE, "notice.cuts"},
    {"board_late", FAULT_RELAXED_LOAD, "notice.cuts"},
    {"board_late", FAULT_NO_SECOND_LOOK, "notice.epoch"},
    {"board_alone", FAULT_RELAXED_LOAD, "notice.grain"},
    {"board_alone", FAULT_RELAXED_STORE, "notice.grain"},
    {"board_crowd", FAULT_RELAXED_STORE, "notice.epoch"},
    {"board_crowd", FAULT_RELAXED_RMW, "claim"},
    {"board_sleep", FAULT_NO_FENCE, "others"},
    {"board_sleep", FAULT_NO_FENCE, "first"},
    {"board_sleep", FAULT_NO_WAKE, "done.value"},
    {"pool_pair", FAULT_NO_FENCE, "first"},
    {"pool_pair", FAULT_NO_FENCE, "others"},
    {"pool_pair", FAULT_NO_WAKE, "work.value"},
    {"pool_pair", FAULT_NO_WAKE, "rest.value"},
    {"pool_pair", FAULT_STUCK, "work.value"},
    {"pool_pair", FAULT_RELAXED_LOAD, "done.value"},
    {"pool_paced", FAULT_NO_FENCE, "first"},
    {"pool_paced", FAULT_NO_WAKE, "work.value"},
    {"pool_crowd", FAULT_NO_FENCE, "first"},
    {"pool_crowd", FAULT_RELAXED_STORE, "notice.epoch"},
};
const uint32_t check_canary_count = sizeof(check_canaries) / sizeof(check_canaries[0]);

// The operating system as the code sees it ------------------------------------------------------

bool weft__os_futex_wait(const weft__atomic_u32* word, uint32_t expected, uint64_t deadline_ns,
                         bool shared) {
    (void)shared;
    return check_futex_wait(word, expected, deadline_ns != 0);
}

void weft__os_futex_wake(const weft__atomic_u32* word, uint32_t count, bool shared) {
    (void)count;
    (void)shared;
    check_futex_wake(word);
}

// Shared by the scenes --------------------------------------------------------------------------

void scene_park_init(weft__park* park, const char* value, const char* sleepers) {
    weft__park_init(park, false);
    check_word(&park->value, value);
    check_word(&park->sleepers, sleepers);
}

void scene_board_init(weft__board* board, uint32_t worker_count) {
    static WEFT_CACHE_ALIGNED uint8_t memory[WEFT_CACHE_LINE * (4 + 2 * CHECK_THREADS_MAX)];
    size_t line = sizeof(weft__notice) + (worker_count + 1) * sizeof(weft__atomic_u64);
    line = (line + WEFT_CACHE_LINE - 1) / WEFT_CACHE_LINE * WEFT_CACHE_LINE;
    check_that(weft__board_size(worker_count) <= sizeof(memory), "room for the board");
    memset(memory, 0, sizeof(memory));
    memset(board, 0, sizeof(*board));
    for (uint32_t i = 0; i < 2; i++) {
        weft__notice* notice = (weft__notice*)(void*)(memory + i * line);
        check_word(&notice->epoch, "notice.epoch");
        check_word(&notice->grain, "notice.grain");
        check_word(&notice->fn, "notice.fn");
        check_word(&notice->context, "notice.context");
        for (uint32_t j = 0; j <= worker_count; j++)
            check_word(&notice->cuts[j], "notice.cuts");
    }
    weft__share* shares = (weft__share*)(void*)(memory + 2 * line);
    for (uint32_t i = 0; i < worker_count; i++) {
        check_word(&shares[i].claim, "claim");
        check_word(&shares[i].finished, "finished");
    }
    weft__board_init(board, worker_count, false, memory);
    check_word(&board->done.value, "done.value");
    check_word(&board->done.sleepers, "done.sleepers");
}

void scene_batch_begin(const scene_batch* batch) {
    check_cell_write(batch->first_cell, batch->number);
    for (uint32_t i = 0; i < batch->count; i++)
        check_cell_write(batch->first_cell + 1 + i, 0);
}

void scene_batch_item(void* context, uint32_t worker, uint32_t item) {
    const scene_batch* batch = context;
    (void)worker;
    check_that(item < batch->count, "an item of this batch");
    check_that(check_cell_read(batch->first_cell) == batch->number, "the batch is there");
    uint32_t cell = batch->first_cell + 1 + item;
    check_cell_write(cell, check_cell_read(cell) + 1);
}

void scene_batch_end(const scene_batch* batch) {
    for (uint32_t i = 0; i < batch->count; i++)
        check_that(check_cell_read(batch->first_cell + 1 + i) == 1, "each item has run once");
    check_cell_write(batch->first_cell, 0);
}
