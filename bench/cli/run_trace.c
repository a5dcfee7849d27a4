// After each tick the rings are emptied, so that memory does not grow with the run.

#define _GNU_SOURCE // reallocarray

#include "run_trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace_sum.h"

#define RECORDS_MIN (1u << 16)
#define RECORDS_MAX (1u << 24)
#define SHARD_ROWS 4096u

struct run_trace {
    trace_source source;
    const char* path;
    uint64_t from; // Ticks that are shown.
    uint64_t to;
    weft_executor* executor;
    trace_file* file;
    trace_sum sum;
    weft_trace_record* records; // Of one worker.
    size_t capacity;
    trace_item* items;
    size_t item_capacity;
    weft_trace_counts* counts; // [worker_count] at the last tick,
    weft_trace_counts* round;  // and since.
    weft_world_stats stats;    // At the last tick.
    uint64_t lost;
    uint64_t skipped; // Ticks for which the file has no room.
    uint64_t events;
    char reason[256]; // Why something is not counted.
};

void run_trace_prepare(const weft_cli_options* options, const weft_module_options* sizes,
                       const weft_schedule* schedule, weft_executor_desc* desc) {
    if (options->trace_path == NULL)
        return;
    // Twice what a tick has if all entities are of one kind, and every call is followed by a hash.
    uint64_t calls = (sizes->entity_count / SHARD_ROWS + 16) * weft_schedule_system_count(schedule);
    uint64_t records = 4 * calls;
    records = records > RECORDS_MIN ? records : RECORDS_MIN;
    desc->trace_records = (uint32_t)(records < RECORDS_MAX ? records : RECORDS_MAX);
}

static bool alloc_all(run_trace* trace) {
    uint32_t workers = trace->source.worker_count;
    trace->capacity = weft_trace_capacity(trace->executor);
    trace->records = calloc(trace->capacity, sizeof *trace->records);
    trace->counts = calloc(2 * (size_t)workers, sizeof *trace->counts);
    if (trace->records == NULL || trace->counts == NULL)
        return false;
    trace->round = trace->counts + workers;
    return true;
}

weft_status run_trace_open(const weft_cli_options* options, const weft_module* module,
                           const weft_module_options* sizes, weft_world* world,
                           weft_schedule* schedule, weft_executor* executor,
                           const weft_executor_desc* desc, run_trace** trace_out, char* line,
                           size_t capacity) {
    if (options->trace_path == NULL)
        return WEFT_STATUS_OK;
    run_trace* trace = calloc(1, sizeof *trace);
    *trace_out = trace;
    (void)snprintf(line, capacity, "%s: no memory is left for the trace", options->trace_path);
    if (trace == NULL)
        return WEFT_STATUS_OUT_OF_MEMORY;
    trace->path = options->trace_path;
    trace->from = options->has_trace_ticks ? options->trace_from : 0;
    trace->to = options->has_trace_ticks ? options->trace_to : UINT64_MAX;
    trace->executor = executor;
    trace->source = (trace_source){.module = module,
                                   .sizes = sizes,
                                   .world = world,
                                   .schedule = schedule,
                                   .executor = weft_cli_executor_name(desc->kind)};
    trace->source.worker_count = weft_executor_stats_read(executor).worker_count;
    trace->source.counter_mask = weft_trace_count(executor, trace->reason, sizeof trace->reason);
    trace->stats = weft_world_stats_read(world);
    if (!alloc_all(trace) ||
        !trace_sum_open(&trace->source, desc->kind == WEFT_EXECUTOR_VIRTUAL, &trace->sum))
        return WEFT_STATUS_OUT_OF_MEMORY;
    line[0] = '\0';
    return trace_file_open(&trace->source, trace->path, &trace->file, line, capacity);
}

static int compare_items(const void* a, const void* b) {
    const weft_trace_record* x = &((const trace_item*)a)->record;
    const weft_trace_record* y = &((const trace_item*)b)->record;
    if (x->begin_ns != y->begin_ns)
        return x->begin_ns < y->begin_ns ? -1 : 1;
    if (x->end_ns != y->end_ns)
        return x->end_ns > y->end_ns ? -1 : 1;
    // What ends together comes the inner one first.
    uint32_t first = ((const trace_item*)a)->order;
    uint32_t second = ((const trace_item*)b)->order;
    return (first < second) - (first > second);
}

/// Adds one worker's records, and puts them in order.
static bool take_worker(run_trace* trace, uint32_t worker, size_t* count) {
    size_t taken = weft_trace_take(trace->executor, worker, trace->records, trace->capacity);
    if (*count + taken > trace->item_capacity) {
        size_t capacity = 2 * trace->item_capacity + taken;
        trace_item* items = reallocarray(trace->items, capacity, sizeof *items);
        if (items == NULL)
            return false;
        trace->items = items;
        trace->item_capacity = capacity;
    }
    trace_item* items = trace->items + *count;
    for (size_t i = 0; i < taken; i++)
        items[i] = (trace_item){trace->records[i], worker, (uint32_t)i};
    if (taken > 0)
        qsort(items, taken, sizeof *items, compare_items);
    *count += taken;
    return true;
}

static void count_round(run_trace* trace, trace_round* round) {
    weft_world_stats now = weft_world_stats_read(trace->source.world);
    uint64_t commands = now.commands - trace->stats.commands;
    uint64_t messages = now.messages - trace->stats.messages;
    // A world that was taken back has the counters of then.
    round->commands = now.commands >= trace->stats.commands ? commands : 0;
    round->messages = now.messages >= trace->stats.messages ? messages : 0;
    trace->stats = now;
    for (uint32_t i = 0; i < trace->source.worker_count && trace->source.counter_mask != 0; i++) {
        weft_trace_counts counts = weft_trace_counts_read(trace->executor, i);
        for (uint32_t j = 0; j < WEFT_TRACE_COUNTERS; j++)
            trace->round[i].value[j] = counts.value[j] - trace->counts[i].value[j];
        trace->counts[i] = counts;
    }
    round->counts = trace->round;
}

weft_status run_trace_tick(run_trace* trace, uint64_t tick) {
    if (trace == NULL)
        return WEFT_STATUS_OK;
    trace_round round = {.count = 0};
    for (uint32_t i = 0; i < trace->source.worker_count; i++)
        if (!take_worker(trace, i, &round.count))
            return WEFT_STATUS_OUT_OF_MEMORY;
    round.items = trace->items;
    count_round(trace, &round);
    if (tick < trace->from || tick > trace->to)
        return WEFT_STATUS_OK;
    trace_sum_add(&trace->sum, &round);
    trace->skipped += !trace_file_add(trace->file, &round);
    return WEFT_STATUS_OK;
}

weft_status run_trace_end(run_trace* trace, char* line, size_t capacity) {
    if (trace == NULL || trace->file == NULL)
        return WEFT_STATUS_OK;
    trace->events = trace_file_events(trace->file);
    for (uint32_t i = 0; i < trace->source.worker_count; i++)
        trace->lost += weft_trace_lost(trace->executor, i);
    weft_status status = trace_file_close(trace->file, line, capacity);
    trace->file = NULL;
    return status;
}

void run_trace_print(const run_trace* trace) {
    char events[WEFT_CLI_NUMBER_SIZE];
    char ticks[WEFT_CLI_NUMBER_SIZE];
    if (trace == NULL)
        return;
    printf("trace     %s: %s events of %s ticks\n", trace->path,
           weft_cli_number(trace->events, events), weft_cli_number(trace->sum.ticks, ticks));
    if (trace->lost > 0)
        printf("          %s records were lost: more came in one tick than were kept\n",
               weft_cli_number(trace->lost, events));
    if (trace->skipped > 0)
        printf("          %s ticks are not in the file, which is full: see --trace-ticks\n",
               weft_cli_number(trace->skipped, ticks));
    if (trace->sum.ticks > 0)
        trace_sum_print(&trace->sum);
    if (trace->reason[0] != '\0')
        printf("          not counted: %s\n", trace->reason);
}

json_t* run_trace_json(const run_trace* trace) {
    if (trace == NULL)
        return json_null();
    json_t* object = json_pack("{s:I, s:I, s:I, s:s}", "events", (json_int_t)trace->events,
                               "lost_records", (json_int_t)trace->lost, "skipped_ticks",
                               (json_int_t)trace->skipped, "not_counted", trace->reason);
    json_t* path = json_string(trace->path);
    (void)json_object_set_new(object, "file", path != NULL ? path : json_null());
    trace_sum_json(&trace->sum, object);
    return object;
}

void run_trace_close(run_trace* trace) {
    if (trace == NULL)
        return;
    char line[WEFT_CLI_LINE_SIZE];
    (void)run_trace_end(trace, line, sizeof line);
    trace_sum_close(&trace->sum);
    free(trace->records);
    free(trace->counts);
    free(trace->items);
    free(trace);
}
