/// What scenes share: making the words of a park and of a board known.
#pragma once

#include "board.h"
#include "checker.h"

/// Starts an event count whose words are `value` and `sleepers`.
void scene_park_init(weft__park* park, const char* value, const char* sleepers);

/// Starts a board in memory of the scenes' own.
void scene_board_init(weft__board* board, uint32_t worker_count);

/// A batch of items of which each may run once, until the caller takes the batch away. Its data is
/// in cells: the number of the batch, then how often each item has run.
typedef struct scene_batch {
    uint32_t first_cell;
    uint32_t number;
    uint32_t count;
} scene_batch;

void scene_batch_begin(const scene_batch* batch);
void scene_batch_item(void* context, uint32_t worker, uint32_t item);
void scene_batch_end(const scene_batch* batch);

// The scenes.
void park_before(void);
void park_after(void);
void park_one_thread(uint32_t index);
void park_timed_thread(uint32_t index);
void park_many_thread(uint32_t index);
void park_signallers_thread(uint32_t index);
void park_rounds_thread(uint32_t index);
void board_pair_before(void);
void board_late_before(void);
void board_alone_before(void);
void board_crowd_before(void);
void board_thread(uint32_t index);
void board_sleep_thread(uint32_t index);
void board_after(void);
void pool_pair_before(void);
void pool_paced_before(void);
void pool_crowd_before(void);
void pool_thread(uint32_t index);
void pool_after(void);
