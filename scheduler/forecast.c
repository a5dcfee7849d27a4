// Forecasts: the measured ticks, and what comes out when they are played.

#include "forecast_play.h"

#include <string.h>

#define FORECAST_COOKIE 0x5746434Eu
#define MACHINE_COOKIE 0x57464D43u

weft_forecast_desc weft_forecast_desc_default(void) {
    return (weft_forecast_desc){.crowding = 1, .cookie = FORECAST_COOKIE};
}

weft_forecast_machine weft_forecast_machine_default(void) {
    return (weft_forecast_machine){.speed = 1, .smt = 1, .crowding = 1, .cookie = MACHINE_COOKIE};
}

// Not below `least`, and a number.
static bool is_sound(double value, double least) {
    return value >= least && value < 1e18;
}

weft_status weft_forecast_create(const weft_forecast_desc* desc, weft_forecast** forecast_out) {
    WEFT_ASSERT(forecast_out != NULL);
    *forecast_out = NULL;
    if (desc == NULL || desc->cookie != FORECAST_COOKIE || !is_sound(desc->crowding, 1) ||
        !is_sound(desc->core_bytes_per_ns, 0) || !is_sound(desc->move_bytes_per_ns, 0) ||
        !is_sound(desc->all_bytes_per_ns, 0))
        return WEFT_STATUS_BAD_ARGUMENT;
    weft__arena arena;
    weft__arena_init(&arena, NULL);
    weft_forecast* forecast = weft__arena_alloc_zero(&arena, sizeof(*forecast));
    if (forecast == NULL)
        return WEFT_STATUS_OUT_OF_MEMORY;
    forecast->arena = arena;
    forecast->desc = *desc;
    *forecast_out = forecast;
    return WEFT_STATUS_OK;
}

void weft_forecast_destroy(weft_forecast* forecast) {
    if (forecast == NULL)
        return;
    weft__arena arena = forecast->arena; // The forecast itself lies in it.
    weft__arena_deinit(&arena);
}

weft_status weft_forecast_add_tick(weft_forecast* forecast, uint32_t shard_count,
                                   uint64_t world_bytes) {
    WEFT_ASSERT(forecast != NULL);
    weft__forecast_tick tick = {.begin = forecast->batches.count,
                                .shard_count = shard_count,
                                .world_bytes = world_bytes,
                                .workers = 1};
    return WEFT__VEC_PUSH(&forecast->arena, forecast->ticks, tick);
}

weft_status weft_forecast_add_batch(weft_forecast* forecast, const weft_forecast_batch* batch) {
    WEFT_ASSERT(forecast != NULL && batch != NULL);
    if (forecast->ticks.count == 0 || !is_sound(batch->before_ns, 0) ||
        !is_sound(batch->lines, 0) || !is_sound(batch->before_lines_ns, 0))
        return WEFT_STATUS_BAD_ARGUMENT;
    weft__forecast_tick* tick = &forecast->ticks.items[forecast->ticks.count - 1];
    weft__forecast_batch added = {.before_ns = batch->before_ns,
                                  .guess_ns = batch->guess_ns,
                                  .part = WEFT__NONE,
                                  .lines = batch->lines,
                                  .before_lines_ns = batch->before_lines_ns,
                                  .begin = forecast->items.count,
                                  .count = batch->item_count};
    uint32_t shard = 0;
    for (uint32_t i = 0; i < batch->item_count; i++) {
        const weft_forecast_item* item = &batch->items[i];
        bool loose = item->shard == WEFT_FORECAST_LOOSE;
        if (!is_sound(item->cost_ns, 0) || !is_sound(item->bytes, 0) ||
            !is_sound(item->touched, 0) || item->chunk == UINT32_MAX ||
            (loose ? added.loose != i : item->shard < shard || item->shard >= tick->shard_count))
            return WEFT_STATUS_BAD_ARGUMENT;
        added.loose += loose;
        shard = loose ? 0 : item->shard;
        if (item->chunk >= forecast->chunk_count)
            forecast->chunk_count = item->chunk + 1;
    }
    WEFT_TRY(WEFT__VEC_RESERVE(&forecast->arena, forecast->items, batch->item_count));
    WEFT_TRY(WEFT__VEC_PUSH(&forecast->arena, forecast->batches, added));
    if (batch->item_count > 0)
        memcpy(forecast->items.items + forecast->items.count, batch->items,
               batch->item_count * sizeof(*batch->items));
    forecast->items.count += batch->item_count;
    tick->count++;
    return WEFT_STATUS_OK;
}

void weft_forecast_drop(weft_forecast* forecast) {
    WEFT_ASSERT(forecast != NULL && forecast->ticks.count > 0);
    const weft__forecast_tick* tick = &forecast->ticks.items[--forecast->ticks.count];
    if (tick->count > 0)
        forecast->items.count = forecast->batches.items[tick->begin].begin;
    forecast->batches.count = tick->begin;
}

uint32_t weft_forecast_ticks(const weft_forecast* forecast, uint32_t* disturbed_out) {
    WEFT_ASSERT(forecast != NULL);
    uint32_t disturbed = 0;
    for (uint32_t i = 0; i < forecast->ticks.count; i++)
        disturbed += forecast->ticks.items[i].disturbed;
    if (disturbed_out != NULL)
        *disturbed_out = disturbed;
    return forecast->ticks.count;
}

double weft__forecast_median(double* values, uint32_t count) {
    for (uint32_t i = 1; i < count; i++) {
        double value = values[i];
        uint32_t at = i;
        for (; at > 0 && values[at - 1] > value; at--)
            values[at] = values[at - 1];
        values[at] = value;
    }
    return count % 2 == 1 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

// Playing ----------------------------------------------------------------------------------------

// Work of all of a batch's items at the speed of the fastest, and the longest one.
static void batch_bounds(const weft__forecast_play* play, const weft__forecast_batch* batch,
                         double fastest, double* work_out, double* longest_out, double* bytes_out) {
    *work_out = *longest_out = *bytes_out = 0;
    for (uint32_t i = 0; i < batch->count; i++) {
        const weft_forecast_item* item = &play->forecast->items.items[batch->begin + i];
        double time = weft__forecast_item_time(play, batch, item, fastest);
        *work_out += time;
        *longest_out = time > *longest_out ? time : *longest_out;
        if (weft__forecast_memory_part(play, batch, item) > 0)
            *bytes_out += item->bytes;
    }
}

// Cores' worth of work that the workers do, where those on a core of several gain by that.
static double capacity(const weft__forecast_play* play) {
    double sum = 0;
    for (uint32_t core = 0; core < play->core_count; core++) {
        uint32_t workers = 0;
        for (uint32_t i = 0; i < play->active; i++)
            workers += play->players[i].core == core;
        sum += workers > 1 ? play->machine->smt : 1;
    }
    return sum;
}

static double batch_bound(const weft__forecast_play* play, const weft__forecast_batch* batch,
                          double cores) {
    double fastest = 0;
    for (uint32_t i = 0; i < play->active; i++)
        fastest = play->players[i].speed > fastest ? play->players[i].speed : fastest;
    double work, longest, bytes;
    batch_bounds(play, batch, fastest, &work, &longest, &bytes);
    double bound = work / cores > longest ? work / cores : longest;
    double rate = play->machine->node_bytes_per_ns * play->node_count;
    double moved = play->limited && rate > 0 ? bytes / rate : 0;
    return (bound > moved ? bound : moved) +
           weft__forecast_before(play, batch) / play->players[0].speed;
}

// What so many workers read of what others wrote, if each writes as much as another, against two.
static double far_of(uint32_t workers) {
    WEFT_ASSERT(workers > 0);
    return 2 - 2.0 / workers;
}

static double play_tick(weft__forecast_play* play, const weft__forecast_tick* tick, double cores,
                        weft_forecast_result* result, double* bound_out, double* work_out) {
    double time = 0;
    *bound_out = *work_out = 0;
    play->shard_count = tick->shard_count;
    play->limited = tick->world_bytes > play->cache_bytes;
    play->far_measured = far_of(tick->workers);
    result->cached = !play->limited;
    for (uint32_t i = 0; i < tick->count; i++) {
        const weft__forecast_batch* batch = &play->forecast->batches.items[tick->begin + i];
        bool shared = false;
        time += weft__forecast_batch_time(play, batch, &shared);
        *bound_out += batch_bound(play, batch, cores);
        *work_out += weft__forecast_before(play, batch);
        for (uint32_t k = 0; k < batch->count; k++)
            *work_out +=
                weft__forecast_cost(play, batch, &play->forecast->items.items[batch->begin + k]);
        result->batch_count += batch->count > 0;
        result->batches_shared += shared;
    }
    return time;
}

// `times` has room for three for each tick.
static void play_ticks(weft__forecast_play* play, double* times, weft_forecast_result* result) {
    const weft_forecast* forecast = play->forecast;
    uint32_t disturbed = 0;
    uint32_t all = weft_forecast_ticks(forecast, &disturbed);
    double* bounds = times + all;
    double* works = bounds + all;
    double cores = capacity(play);
    play->far = far_of(play->active);
    double sum = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < all; i++) {
        const weft__forecast_tick* tick = &forecast->ticks.items[i];
        if (tick->disturbed && disturbed < all)
            continue;
        times[count] = play_tick(play, tick, cores, result, &bounds[count], &works[count]);
        sum += times[count++];
    }
    result->tick_ns = weft__forecast_median(times, count);
    result->bound_ns = weft__forecast_median(bounds, count);
    result->work_ns = weft__forecast_median(works, count);
    double whole = sum * play->active;
    result->busy = whole > 0 ? play->busy_ns / whole : 1;
    result->memory = whole > 0 ? play->memory_ns / whole : 0;
    result->lines = whole > 0 ? play->lines_ns / whole : 0;
    result->alone = whole > 0 ? play->alone_ns / whole : 0;
    double waiting = 1 - result->busy - result->memory - result->lines - result->alone;
    result->waiting = waiting > 0 ? waiting : 0; // But for what rounding makes of none.
    result->active = play->active;
    result->core_count = play->core_count;
    result->node_count = play->node_count;
}

static bool machine_is_sound(const weft_forecast_machine* machine) {
    return machine != NULL && machine->cookie == MACHINE_COOKIE && machine->topology != NULL &&
           is_sound(machine->speed, 1e-3) && is_sound(machine->smt, 1) &&
           is_sound(machine->crowding, 1) && is_sound(machine->core_bytes_per_ns, 0) &&
           is_sound(machine->node_bytes_per_ns, 0) && is_sound(machine->join_ns, 0) &&
           is_sound(machine->move_bytes_per_ns, 0) && is_sound(machine->line_ns, 0) &&
           is_sound(machine->claim_ns, 0);
}

weft_status weft_forecast_play(weft_forecast* forecast, const weft_forecast_machine* machine,
                               uint32_t worker_count, weft_forecast_result* result_out) {
    WEFT_ASSERT(forecast != NULL && result_out != NULL);
    *result_out = (weft_forecast_result){0};
    if (!machine_is_sound(machine) || worker_count == 0 ||
        worker_count > WEFT_FORECAST_WORKERS_MAX || forecast->ticks.count == 0)
        return WEFT_STATUS_BAD_ARGUMENT;
    size_t n = worker_count;
    size_t times_size = 3 * (size_t)forecast->ticks.count * sizeof(double);
    size_t last_size = (forecast->chunk_count + (size_t)1) * sizeof(uint32_t);
    size_t sizes[] = {n * sizeof(weft__forecast_player),
                      n * sizeof(weft__forecast_share),
                      n * sizeof(uint32_t),
                      n * sizeof(double),
                      (n * n) * sizeof(uint32_t),
                      last_size,
                      (forecast->items.count + (size_t)1) * sizeof(uint32_t),
                      times_size};
    enum {
        BLOCKS = sizeof(sizes) / sizeof(sizes[0])
    };
    void* blocks[BLOCKS];
    bool some = true;
    for (size_t i = 0; i < BLOCKS; i++) {
        blocks[i] = weft__arena_alloc_zero(&forecast->arena, sizes[i]);
        some = some && blocks[i] != NULL;
    }
    weft__forecast_play play = {.forecast = forecast,
                                .machine = machine,
                                .worker_count = worker_count,
                                .players = blocks[0],
                                .shares = blocks[1],
                                .on_core = blocks[2],
                                .slow = blocks[3],
                                .help_order = blocks[4],
                                .last = blocks[5],
                                .ran_by = blocks[6]};
    weft_status status = some ? weft__forecast_seats(&play) : WEFT_STATUS_OUT_OF_MEMORY;
    if (status == WEFT_STATUS_OK) {
        memset(play.last, 0xFF, last_size); // WEFT__NONE.
        weft__forecast_parts_know(forecast);
        play_ticks(&play, blocks[BLOCKS - 1], result_out);
    }
    for (size_t i = 0; i < BLOCKS; i++)
        weft__arena_free(&forecast->arena, blocks[i], sizes[i]);
    return status;
}
