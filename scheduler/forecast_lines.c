// What it costs that lines lie in the cache of another worker.
//
// With company a worker reads rows, messages and lists that others wrote, and each line of them
// comes from another core. What that takes no declaration tells. So two workers run a tick in turn:
// each does its own share of every batch while the other one waits. Against a tick of the caller
// alone nothing else differs: the same items, no joins, no memory that is shared. Of w workers
// (w - 1) / w of what is read was written by others, of two one half.
//
// Rejected: the bytes of rows that are read by handle, times a rate. Nobody declares how many rows,
// and a line that is looked up by chance costs six times as much as one of a stream.

#include "forecast_meter.h"

#include "board.h"
#include "os.h"
#include "pool.h"

#include <string.h>

// A worker that is not there after so long sleeps or has lost its CPU.
#define COME_NS 200000u
// Looks between two at the clock.
#define COME_LOOKS 64u

// Parts ------------------------------------------------------------------------------------------

weft_status weft__forecast_part_find(weft_forecast* forecast, uint32_t stage, weft__item_fn* fn,
                                     uint32_t* number_out) {
    for (uint32_t i = 0; i < forecast->parts.count; i++) {
        weft__forecast_part* part = &forecast->parts.items[i];
        if (part->stage == stage && part->fn == fn && part->seen != forecast->seen) {
            part->seen = forecast->seen;
            *number_out = i;
            return WEFT_STATUS_OK;
        }
    }
    *number_out = forecast->parts.count;
    weft__forecast_part part = {.stage = stage, .fn = fn, .seen = forecast->seen};
    return WEFT__VEC_PUSH(&forecast->arena, forecast->parts, part);
}

// The medians of both ways, or false without samples of both.
static bool compare_ways(const weft__forecast_part* part, bool before, double found[2]) {
    for (uint32_t way = 0; way < WEFT__FORECAST_WAYS; way++) {
        const weft__forecast_samples* samples = &part->ways[way];
        double values[WEFT__FORECAST_SAMPLES];
        if (samples->count == 0)
            return false;
        memcpy(values, before ? samples->before_ns : samples->items_ns,
               samples->count * sizeof(*values));
        found[way] = weft__forecast_median(values, samples->count);
    }
    return true;
}

void weft__forecast_parts_know(weft_forecast* forecast) {
    for (uint32_t i = 0; i < forecast->parts.count; i++) {
        weft__forecast_part* part = &forecast->parts.items[i];
        double found[WEFT__FORECAST_WAYS];
        part->lines = part->before_lines_ns = 0;
        if (compare_ways(part, false, found) && found[0] > 0 && found[1] > found[0])
            part->lines = found[1] / found[0] - 1;
        if (compare_ways(part, true, found) && found[1] > found[0])
            part->before_lines_ns = found[1] - found[0];
    }
}

// Turns ------------------------------------------------------------------------------------------

// Runs the first or the second share: loose items by number, the others by shard.
static void run_share(weft__meter* meter, uint32_t worker, bool second) {
    const weft__batch* batch = meter->batch;
    uint32_t loose = (uint32_t)(meter->cut >> 32);
    uint32_t homed = (uint32_t)meter->cut;
    for (uint32_t i = second ? loose : 0; i < (second ? batch->unsharded : loose); i++)
        weft__meter_item(meter, worker, i);
    for (uint32_t i = second ? homed : batch->unsharded; i < (second ? batch->count : homed); i++)
        weft__meter_item(meter, worker, i);
}

static bool await_second(weft__meter* meter) {
    uint64_t begin = weft__os_clock_ns();
    do {
        for (uint32_t i = 0; i < COME_LOOKS; i++) {
            if (weft__atomic_u32_load_acquire(&meter->turn) == WEFT__TURN_COME)
                return true;
            weft__cpu_relax();
        }
    } while (weft__os_clock_ns() - begin < COME_NS);
    uint32_t awaited = WEFT__TURN_AWAITED;
    return !weft__atomic_u32_compare_exchange_acq_rel(&meter->turn, &awaited, WEFT__TURN_LATE);
}

// The first of two items runs one share and hands on, the second one waits for its turn.
static void turn_item(void* context, uint32_t worker, uint32_t item) {
    weft__meter* meter = context;
    WEFT_ASSERT(item < 2);
    if (item == 0) {
        bool come = await_second(meter);
        run_share(meter, worker, false);
        if (!come || worker != 0)
            meter->spoiled = true;
        weft__atomic_u32_store_release(&meter->turn, WEFT__TURN_SECOND);
        return;
    }
    uint32_t awaited = WEFT__TURN_AWAITED;
    (void)weft__atomic_u32_compare_exchange_acq_rel(&meter->turn, &awaited, WEFT__TURN_COME);
    for (uint32_t i = 1; weft__atomic_u32_load_acquire(&meter->turn) != WEFT__TURN_SECOND; i++) {
        weft__cpu_relax();
        if (i % COME_LOOKS == 0 && i > COME_LOOKS * COME_LOOKS)
            weft__os_yield(); // The first one may be waiting for this CPU.
    }
    if (worker != 1)
        meter->spoiled = true;
    run_share(meter, worker, true);
}

// Whether two would share it, by what it costs the caller alone.
static bool is_shared(const weft__meter* meter, const weft__pool* pool,
                      const weft__forecast_part* part, uint64_t* cost_out) {
    const weft__batch* batch = meter->batch;
    const weft__forecast_samples* samples = &part->ways[WEFT__FORECAST_CALLER];
    double cost = samples->count > 0 ? samples->items_ns[samples->count - 1] : 0;
    *cost_out = cost > 0 ? (uint64_t)cost : batch->cost_ns;
    return batch->count > 1 && weft__sharing_gain(*cost_out, 2, pool->join_ns) > 0;
}

static void run_in_turn(weft__meter* meter, weft_executor* executor, uint64_t cost_ns) {
    const weft__pool* pool = executor->pool;
    weft__sharing sharing = {
        .join_ns = pool->join_ns, .shards = executor->world->shards.count, .active = 2};
    uint64_t each = weft__sharing_each(&sharing, meter->batch, cost_ns);
    meter->cut = weft__sharing_end(&sharing, meter->batch, each, 1);
    weft__atomic_u32_store_release(&meter->turn, WEFT__TURN_AWAITED);
    // A cost at which it is shared, in equal parts, and nobody waits for a record.
    weft__batch turns = {
        .count = 2, .unsharded = 2, .cost_ns = 1000000000u, .fn = turn_item, .context = meter};
    struct weft__pace* pace = executor->pace;
    executor->pace = NULL;
    meter->run(&executor->runner, &turns);
    executor->pace = pace;
}

weft_status weft__meter_run_lines(weft__meter* meter, weft_executor* executor, double before_ns) {
    weft_forecast* forecast = meter->forecast;
    const weft__batch* batch = meter->batch;
    uint32_t number;
    WEFT_TRY(weft__forecast_part_find(forecast, meter->stage, batch->fn, &number));
    weft__forecast_part* part = &forecast->parts.items[number];
    uint64_t cost = 0;
    if (meter->way == WEFT__FORECAST_TURNS && is_shared(meter, executor->pool, part, &cost)) {
        run_in_turn(meter, executor, cost);
    } else {
        for (uint32_t i = 0; i < batch->count; i++)
            weft__meter_item(meter, 0, i);
    }
    part->before_ns = before_ns;
    part->items_ns = 0;
    for (uint32_t i = 0; i < batch->count; i++)
        part->items_ns += (double)meter->times[i];
    return WEFT_STATUS_OK;
}

weft_status weft__meter_end_lines(weft__meter* meter, double rest_ns, bool good) {
    weft_forecast* forecast = meter->forecast;
    uint32_t number;
    WEFT_TRY(weft__forecast_part_find(forecast, meter->stage, NULL, &number));
    forecast->parts.items[number].before_ns = rest_ns;
    forecast->parts.items[number].items_ns = 0;
    for (uint32_t i = 0; good && i < forecast->parts.count; i++) {
        weft__forecast_part* part = &forecast->parts.items[i];
        weft__forecast_samples* samples = &part->ways[meter->way];
        if (part->seen != forecast->seen || samples->count == WEFT__FORECAST_SAMPLES)
            continue;
        samples->items_ns[samples->count] = part->items_ns;
        samples->before_ns[samples->count++] = part->before_ns;
    }
    return WEFT_STATUS_OK;
}
