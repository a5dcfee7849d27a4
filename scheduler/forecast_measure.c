// Measuring: a tick is run by the executor's own runner, with a look at the clock around each item.
//
// What is between batches is what the caller does alone. Nothing of a batch but its function is
// changed, so who runs what and what is computed stay as they are.

#include "forecast_meter.h"

#include "os.h"
#include "pool.h"

#define CLOCK_ROUNDS 64u

void weft__meter_item(void* context, uint32_t worker, uint32_t item) {
    weft__meter* meter = context;
    uint64_t begin = weft__os_clock_ns();
    meter->batch->fn(meter->batch->context, worker, item);
    uint64_t took = weft__os_clock_ns() - begin;
    meter->times[item] = took > meter->clock_ns ? took - meter->clock_ns : 0;
    meter->ran_by[item] = worker;
}

static uint32_t timed_shard(const void* context, uint32_t item) {
    const weft__meter* meter = context;
    return meter->batch->shard_of(meter->batch->context, item);
}

// Bytes of one row that the systems of an archetype in a stage take from memory and bring back,
// and that they touch. A column that is written is also read.
static uint64_t row_bytes(const weft_world* world, const weft__stage* stage, uint32_t archetype,
                          uint64_t* touched_out) {
    const weft__program* program = &stage->programs.items[archetype];
    const weft__archetype* type = &world->archetypes.items[archetype];
    uint64_t bytes = 0;
    *touched_out = 0;
    for (uint32_t column = 0; column < type->column_count; column++) {
        bool reads = false;
        bool writes = false;
        bool buffered = false;
        for (uint32_t i = 0; i < program->count; i++) {
            const weft__entry* entry = &stage->entries.items[program->begin + i];
            const weft__access* access = &entry->system->access;
            for (uint32_t k = 0; k < access->terms.count; k++) {
                const weft__term* term = &access->terms.items[k];
                if (stage->columns.items[entry->columns + k] != column)
                    continue;
                bool write =
                    term->mode == WEFT_ACCESS_WRITE || term->mode == WEFT_ACCESS_WRITE_OPTIONAL;
                writes = writes || write;
                reads = reads || !write;
                buffered = buffered || term->buffered;
            }
        }
        uint64_t times = (writes ? 2u : 0u) + (reads && (buffered || !writes) ? 1u : 0u);
        bytes += times * type->column_sizes[column];
        *touched_out += (reads || writes ? 1u : 0u) * type->column_sizes[column];
    }
    return bytes;
}

// What a stage's item has to do with memory. Of a group of chunks the first one stands for all.
static void set_bytes(const weft__stage_run* run, uint32_t number, weft_forecast_item* item) {
    const weft__stage* stage = run->stage;
    if (number < stage->world_systems.count)
        return;
    uint32_t begin = number - stage->world_systems.count;
    uint32_t end = begin + 1;
    if (stage->sweep.groups != 0) {
        end = weft__stage_cut(stage, begin + 1, stage->sweep.groups);
        begin = weft__stage_cut(stage, begin, stage->sweep.groups);
    }
    item->chunk = stage->tasks.items[begin]->id;
    for (uint32_t i = begin; i < end; i++) {
        const weft__chunk* chunk = stage->tasks.items[i];
        uint64_t touched;
        uint64_t bytes = row_bytes(run->executor->world, stage, chunk->archetype, &touched);
        item->bytes += (double)(chunk->row_count * bytes);
        item->touched += (double)(chunk->row_count * touched);
    }
}

// What it took to get what the item touched to its worker, and notes who has it now.
static double move_time(weft__meter* meter, const weft_forecast_item* item, uint32_t worker) {
    weft_forecast* forecast = meter->forecast;
    if (item->touched <= 0)
        return 0;
    uint32_t* last = &forecast->last.items[item->chunk];
    bool moved = *last != WEFT__NONE && *last != worker && !meter->limited;
    double rate = forecast->desc.move_bytes_per_ns;
    *last = worker;
    return moved && rate > 0 ? item->touched / rate : 0;
}

// What the item would have taken on a core that is alone, as far as company made it longer.
static double cost_alone(const weft__meter* meter, double took, double bytes, bool together) {
    const weft_forecast_desc* desc = &meter->forecast->desc;
    if (!together)
        return took;
    double memory = 0;
    double slow = 1;
    if (meter->limited && desc->core_bytes_per_ns > 0 && bytes > 0) {
        double wanted = desc->core_bytes_per_ns * meter->workers;
        if (desc->all_bytes_per_ns > 0 && wanted > desc->all_bytes_per_ns)
            slow = wanted / desc->all_bytes_per_ns;
        memory = bytes / desc->core_bytes_per_ns;
        memory = memory * slow < took ? memory : took / slow;
    }
    return memory + (took - memory * slow) / desc->crowding;
}

static weft_status keep_batch(weft__meter* meter, weft_executor* executor, double before_ns,
                              bool together) {
    weft_forecast* forecast = meter->forecast;
    const weft__batch* batch = meter->batch;
    uint32_t at = forecast->items.count;
    uint32_t part;
    WEFT_TRY(weft__forecast_part_find(forecast, meter->stage, batch->fn, &part));
    WEFT_TRY(WEFT__VEC_RESERVE(&forecast->arena, forecast->items, batch->count));
    weft_forecast_item* items = forecast->items.items + at;
    uint32_t loose = batch->unsharded;
    for (uint32_t i = 0; i < batch->count; i++) {
        // Of the tick's batches only stages keep a record of their times.
        weft_forecast_item item = {.shard = i < loose ? WEFT_FORECAST_LOOSE : 0};
        if (executor->pace != NULL)
            set_bytes(batch->context, i, &item);
        double took = (double)meter->times[i];
        double moved = move_time(meter, &item, meter->ran_by[i]);
        took -= moved < took / 2 ? moved : took / 2; // A part at least is its own.
        item.cost_ns = cost_alone(meter, took, item.bytes, together);
        items[i] = item;
        if (i >= loose)
            items[i].shard = batch->shard_of != NULL ? batch->shard_of(batch->context, i)
                                                     : (uint32_t)((uint64_t)(i - loose) *
                                                                  executor->world->shards.count /
                                                                  (batch->count - loose));
    }
    forecast->items.count += batch->count;
    weft__forecast_batch kept = {.before_ns = before_ns,
                                 .guess_ns = executor->pace != NULL ? 0 : batch->cost_ns,
                                 .part = part,
                                 .begin = at,
                                 .count = batch->count,
                                 .loose = loose};
    if (executor->pace == NULL && kept.guess_ns == 0)
        kept.guess_ns = 1;
    WEFT_TRY(WEFT__VEC_PUSH(&forecast->arena, forecast->batches, kept));
    forecast->ticks.items[forecast->ticks.count - 1].count++;
    return WEFT_STATUS_OK;
}

static weft_status know_chunks(weft__meter* meter, const weft_world* world) {
    weft_forecast* forecast = meter->forecast;
    while (forecast->last.count < world->chunks.count)
        WEFT_TRY(WEFT__VEC_PUSH(&forecast->arena, forecast->last, WEFT__NONE));
    if (forecast->chunk_count < world->chunks.count)
        forecast->chunk_count = world->chunks.count;
    return WEFT_STATUS_OK;
}

// Room for the times of a batch.
static weft_status make_room(weft__meter* meter, const weft_executor* executor,
                             const weft__batch* batch) {
    weft_forecast* forecast = meter->forecast;
    WEFT_TRY(WEFT__VEC_RESERVE(&forecast->arena, forecast->times, batch->count));
    WEFT_TRY(WEFT__VEC_RESERVE(&forecast->arena, forecast->workers, batch->count));
    return know_chunks(meter, executor->world);
}

static weft_status measure_batch(weft__meter* meter, weft_executor* executor,
                                 const weft__batch* batch, double before_ns) {
    weft__batch timed = *batch;
    timed.fn = weft__meter_item;
    timed.context = meter;
    timed.shard_of = batch->shard_of != NULL ? timed_shard : NULL;
    uint64_t alone = executor->stats.stages_alone;
    meter->run(&executor->runner, &timed);
    bool together = meter->workers > 1 && executor->stats.stages_alone == alone;
    return batch->count > 0 ? keep_batch(meter, executor, before_ns, together) : WEFT_STATUS_OK;
}

// Of the stage that runs now.
static uint32_t stage_number(const weft_executor* executor) {
    uint32_t number = 1;
    while (&executor->plan.stages.items[number - 1].pace != executor->pace)
        number++;
    WEFT_ASSERT(number <= executor->plan.stages.count);
    return number;
}

static void meter_run(weft__runner* runner, const weft__batch* batch) {
    weft_executor* executor = (weft_executor*)runner;
    weft__meter* meter = executor->meter;
    uint64_t begin = weft__os_clock_ns();
    double before_ns = (double)(begin - meter->since_ns);
    if (meter->status == WEFT_STATUS_OK)
        meter->status = make_room(meter, executor, batch);
    if (meter->status != WEFT_STATUS_OK) {
        meter->run(runner, batch);
        return;
    }
    meter->batch = batch;
    meter->times = meter->forecast->times.items;
    meter->ran_by = meter->forecast->workers.items;
    meter->stage = executor->pace != NULL ? stage_number(executor) : meter->stage;
    meter->status = meter->lines ? weft__meter_run_lines(meter, executor, before_ns)
                                 : measure_batch(meter, executor, batch, before_ns);
    meter->since_ns = weft__os_clock_ns();
    if (batch->count == 0)
        meter->since_ns -= (uint64_t)before_ns; // The next one has it.
}

static uint64_t clock_cost(void) {
    uint64_t best = UINT64_MAX;
    for (uint32_t i = 0; i < CLOCK_ROUNDS; i++) {
        uint64_t begin = weft__os_clock_ns();
        uint64_t took = weft__os_clock_ns() - begin;
        best = took < best ? took : best;
    }
    return best;
}

static uint64_t world_bytes(const weft_world* world) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < world->archetypes.count; i++) {
        const weft__archetype* archetype = &world->archetypes.items[i];
        uint64_t row = sizeof(weft_entity);
        for (uint32_t column = 0; column < archetype->column_count; column++) {
            const weft__type* type = weft__type_at(world, archetype->column_types[column]);
            row += archetype->column_sizes[column] * (type->buffered ? 2u : 1u);
        }
        for (uint32_t k = 0; k < archetype->chunks.count; k++)
            bytes += archetype->chunks.items[k]->row_count * row;
    }
    return bytes;
}

// Runs a tick with the meter before the runner. What is after the last batch is in `rest_out`.
static weft_status metered_tick(weft__meter* meter, weft_executor* executor, bool digest,
                                double* rest_out, bool* disturbed_out) {
    weft_digest view, full;
    uint64_t preemptions = weft__os_preemptions();
    meter->forecast->seen++;
    meter->run = executor->runner.run;
    executor->meter = meter;
    executor->runner.run = meter_run;
    meter->since_ns = weft__os_clock_ns();
    weft_status status = weft_executor_tick(executor);
    if (status == WEFT_STATUS_OK && digest)
        status = weft_executor_digest(executor, &view, &full);
    *rest_out = (double)(weft__os_clock_ns() - meter->since_ns);
    executor->runner.run = meter->run;
    executor->meter = NULL;
    *disturbed_out = weft__os_preemptions() != preemptions;
    return status == WEFT_STATUS_OK ? meter->status : status;
}

static uint32_t workers_of(const weft_executor* executor) {
    return executor->pool != NULL ? executor->pool->active : 1;
}

weft_status weft_forecast_measure(weft_forecast* forecast, weft_executor* executor, bool digest) {
    WEFT_ASSERT(forecast != NULL && executor != NULL && executor->meter == NULL);
    const weft_executor_desc* desc = &executor->desc;
    if (desc->kind != WEFT_EXECUTOR_SERIAL && desc->kind != WEFT_EXECUTOR_THREADS)
        return WEFT_STATUS_UNSUPPORTED;
    weft_world* world = executor->world;
    uint64_t bytes = world_bytes(world);
    WEFT_TRY(weft_forecast_add_tick(forecast, world->shards.count, bytes));
    weft__meter meter = {.forecast = forecast,
                         .clock_ns = clock_cost(),
                         .workers = workers_of(executor),
                         .limited = bytes > forecast->desc.cache_bytes};
    weft__forecast_batch rest = {0};
    bool disturbed = false;
    weft_status status = metered_tick(&meter, executor, digest, &rest.before_ns, &disturbed);
    if (status == WEFT_STATUS_OK)
        status = weft__forecast_part_find(forecast, meter.stage, NULL, &rest.part);
    rest.begin = forecast->items.count;
    if (status == WEFT_STATUS_OK)
        status = WEFT__VEC_PUSH(&forecast->arena, forecast->batches, rest);
    weft__forecast_tick* tick = &forecast->ticks.items[forecast->ticks.count - 1];
    tick->count += status == WEFT_STATUS_OK;
    tick->workers = meter.workers;
    tick->disturbed = disturbed;
    if (tick->shard_count < world->shards.count)
        tick->shard_count = world->shards.count;
    if (status != WEFT_STATUS_OK)
        weft_forecast_drop(forecast);
    return status;
}

weft_status weft_forecast_measure_lines(weft_forecast* forecast, weft_executor* executor,
                                        bool digest, bool in_turns, bool* counts_out) {
    WEFT_ASSERT(forecast != NULL && executor != NULL && executor->meter == NULL);
    const weft__pool* pool = executor->pool;
    if (counts_out != NULL)
        *counts_out = false;
    if (executor->desc.kind != WEFT_EXECUTOR_THREADS || pool == NULL || pool->worker_count != 2 ||
        pool->perturb_seed != 0)
        return WEFT_STATUS_UNSUPPORTED;
    weft__meter meter = {.forecast = forecast,
                         .clock_ns = clock_cost(),
                         .lines = true,
                         .way = in_turns ? WEFT__FORECAST_TURNS : WEFT__FORECAST_CALLER};
    double rest_ns = 0;
    bool disturbed = false;
    bool same = forecast->way == meter.way && forecast->way_known;
    forecast->way_known = false;
    WEFT_TRY(metered_tick(&meter, executor, digest, &rest_ns, &disturbed));
    bool counts = !disturbed && !meter.spoiled && same;
    forecast->way = meter.way;
    forecast->way_known = !meter.spoiled;
    if (counts_out != NULL)
        *counts_out = counts;
    return weft__meter_end_lines(&meter, rest_ns, counts);
}

double weft_forecast_join_ns(const weft_executor* executor) {
    WEFT_ASSERT(executor != NULL);
    return executor->pool == NULL || executor->pool->active < 2 ? 0
                                                                : (double)executor->pool->join_ns;
}
