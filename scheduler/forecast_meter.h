/// The runner that stands before an executor's own while a tick is measured.
#pragma once

#include "forecast_play.h"

#include "atomics.h"

/// Of the two of a batch whose shares are run in turn: whether the second has come, and its turn.
typedef enum weft__turn {
    WEFT__TURN_AWAITED,
    WEFT__TURN_COME, // The second one is there, and waits.
    WEFT__TURN_LATE, // It was not, and is not waited for.
    WEFT__TURN_SECOND,
} weft__turn;

typedef struct weft__meter {
    weft_forecast* forecast;
    void (*run)(weft__runner* runner, const weft__batch* batch);
    const weft__batch* batch;
    uint64_t* times; // By item, as the next.
    uint32_t* ran_by;
    uint64_t clock_ns;
    uint64_t since_ns; // When the caller was last in a batch.
    uint32_t workers;
    bool limited;   // Caches do not hold the world.
    uint32_t stage; // The last one that ran, from 1 on.
    // While lines are measured.
    bool lines;
    weft__forecast_way way;
    uint64_t cut; // Between the shares of the two.
    weft__atomic_u32 turn;
    bool spoiled; // Somebody ran what was not its share.
    weft_status status;
} weft__meter;

/// Runs an item and keeps its time: the `fn` of batches whose context is a meter.
void weft__meter_item(void* context, uint32_t worker, uint32_t item);

// forecast_lines.c
/// The number of the part that the batch is of, for this tick. Status: OUT_OF_MEMORY.
WEFT_NODISCARD weft_status weft__forecast_part_find(weft_forecast* forecast, uint32_t stage,
                                                    weft__item_fn* fn, uint32_t* number_out);

/// Runs the batch as the way says and keeps the sums of its times with its part. Times have room.
/// Status: OUT_OF_MEMORY.
WEFT_NODISCARD weft_status weft__meter_run_lines(weft__meter* meter, weft_executor* executor,
                                                 double before_ns);

/// What comes after the last batch; then the tick's sums are samples, if it was good.
WEFT_NODISCARD weft_status weft__meter_end_lines(weft__meter* meter, double rest_ns, bool good);
