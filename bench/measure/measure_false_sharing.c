/// What it costs when two threads write one cache line, or two that are fetched together; and that
/// Weft's partials, which lie side by side, do not do so: their writers are of one worker but for
/// those at the border between two.

#include <stdio.h>

#include "hand.h"
#include "harness.h"
#include "rig.h"

WEFT_COMPONENT(ShareValue, (uint32_t, value));
WEFT_PARTIAL(ShareCount, (uint64_t, count));

enum {
    INCREMENTS = 100000,
    SPACINGS = 3,
    CASES = SPACINGS + 1
};

// By hand ----------------------------------------------------------------------------------------

typedef struct counters {
    _Alignas(256) char bytes[512];
    size_t spacing;
} counters;

// Each increment is a load and a store, as of a counter in memory.
static void count_up(void* context, uint32_t index, uint32_t count) {
    counters* all = context;
    volatile uint64_t* own = (volatile uint64_t*)(void*)(all->bytes + index * all->spacing);
    (void)count;
    for (uint32_t i = 0; i < INCREMENTS; ++i)
        *own = *own + 1;
}

static weft_status measure_counters(const weft_measure_options* options, weft_hand* hand,
                                    weft_measure_table* table) {
    static const size_t spacings[SPACINGS] = {8, 64, 128};
    static const char* const names[CASES] = {"two threads, one line",
                                             "two threads, lines side by side",
                                             "two threads, 128 bytes apart", "one thread"};
    counters all[CASES] = {{.spacing = 0}};
    weft_hand_side sides[CASES];
    weft_case cases[CASES];
    for (uint32_t i = 0; i < CASES; ++i) {
        all[i].spacing = i < SPACINGS ? spacings[i] : 0;
        sides[i] = (weft_hand_side){i < SPACINGS ? hand : NULL, count_up, &all[i]};
        cases[i] = (weft_case){.name = names[i],
                               .prepare = weft_hand_prepare,
                               .run = weft_hand_run,
                               .finish = weft_hand_finish,
                               .context = &sides[i],
                               .units = INCREMENTS};
    }
    uint32_t first = hand ? 0 : SPACINGS;
    WEFT_TRY(weft_measure_cases(options, "counters", weft_sampling_of(options), cases + first,
                                CASES - first));
    for (uint32_t i = first; i < CASES; ++i)
        weft_measure_add(table, "ns", &cases[i].series, 1, "an increment, %s", names[i]);
    for (uint32_t i = first; i < SPACINGS; ++i) {
        weft_series ratio = weft_series_ratio(&cases[i].series, &cases[SPACINGS].series);
        weft_measure_add(table, "ratio", &ratio, 1, "%s against one thread", names[i]);
    }
    return WEFT_STATUS_OK;
}

// Weft -------------------------------------------------------------------------------------------

// Writes its partial for each row, which no program should, to make the most of what is shared.
static weft_status count_rows(weft_view* view, const void* context) {
    (void)context;
    const ShareValue* values = WEFT_READ(view, ShareValue);
    volatile uint64_t* count = &WEFT_PARTIAL_OF(view, ShareCount)->count;
    uint32_t rows = weft_view_row_count(view);
    for (uint32_t row = 0; row < rows; ++row)
        *count = *count + values[row].value;
    return WEFT_STATUS_OK;
}

static void combine(void* left, const void* right) {
    ((ShareCount*)left)->count += ((const ShareCount*)right)->count;
}

static weft_status build(const weft_module_options* options, weft_world* world,
                         weft_schedule* schedule) {
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(ShareValue), WEFT_STORAGE_DENSE));
    WEFT_TRY(weft_world_register_reduction(world, WEFT_TYPE(ShareCount), NULL, combine));
    weft_commands* commands = weft_world_commands(world);
    for (uint64_t i = 0; i < options->entity_count; ++i)
        WEFT_CREATE(commands, 0, WEFT_VALUE(ShareValue, {(uint32_t)i & 7}));
    return weft_schedule_add_system(
        schedule, WEFT_SYSTEM("count", count_rows,
                              WEFT_ACCESS(WEFT_READS(ShareValue), WEFT_REDUCES(ShareCount))));
}

static const weft_module module = {
    .abi = WEFT_MODULE_ABI,
    .name = "false_sharing",
    .summary = "a partial that is written for each row",
    .entity_count_default = 65536,
    .tick_count_default = 1,
    .build = build,
};

// By hand with a line for each thread's counter: what two workers can gain at best.
typedef struct share_rows {
    counters all;
    const uint32_t* values;
    size_t count;
} share_rows;

static void count_part(void* context, uint32_t index, uint32_t count) {
    share_rows* rows = context;
    volatile uint64_t* own = (volatile uint64_t*)(void*)(rows->all.bytes + index * 256);
    size_t end = rows->count * (index + 1) / count;
    for (size_t i = rows->count * index / count; i < end; ++i)
        *own = *own + rows->values[i];
}

static void fill_rows(const weft_world* world, uint32_t* values) {
    static const weft_access terms[] = {WEFT_READS(ShareValue)};
    size_t at = 0;
    weft_cursor cursor = weft_world_visit(world, terms, 1);
    while (weft_cursor_next(&cursor)) {
        for (uint32_t row = 0; row < cursor.row_count; ++row)
            values[at++] = WEFT_CURSOR_COLUMN(&cursor, ShareValue)[row].value;
    }
}

static weft_status measure_partials(const weft_measure_options* options,
                                    const weft_topology* topology, weft_hand* hand, weft_rig* rig,
                                    uint32_t* values, weft_measure_table* table) {
    share_rows rows = {.values = values, .count = (size_t)weft_world_entity_count(rig->world)};
    fill_rows(rig->world, values);
    weft_rig_side weft[2] = {{.rig = rig, .executor = 0}, {.rig = rig, .executor = 1}};
    weft_hand_side hands[2] = {{NULL, count_part, &rows}, {hand, count_part, &rows}};
    weft_case cases[4] = {
        {.name = "weft, 1 worker", .run = weft_rig_run, .context = &weft[0]},
        {.name = "by hand, 1 thread", .run = weft_hand_run, .context = &hands[0]},
        {.name = "weft, 2 workers", .run = weft_rig_run, .context = &weft[1]},
        {.name = "by hand, 2 threads",
         .prepare = weft_hand_prepare,
         .run = weft_hand_run,
         .finish = weft_hand_finish,
         .context = &hands[1]},
    };
    uint32_t count = hand ? 4 : 2;
    for (uint32_t i = 0; i < count; ++i) {
        weft_executor_desc desc = weft_rig_threads(i / 2 + 1, topology);
        if (i % 2 == 0)
            WEFT_TRY(weft_rig_add(rig, &desc));
        cases[i].units = (double)rows.count;
    }
    WEFT_TRY(weft_measure_cases(options, "partials", weft_sampling_of(options), cases, count));
    for (uint32_t i = 0; i < count; ++i)
        weft_measure_add(table, "ns/row", &cases[i].series, 1, "a partial written for each row, %s",
                         cases[i].name);
    for (uint32_t i = 0; i + 2 < count; ++i) {
        weft_series gain = weft_series_ratio(&cases[i].series, &cases[i + 2].series);
        weft_measure_add(table, "ratio", &gain, 1, "speed-up of %s", cases[i + 2].name);
    }
    return WEFT_STATUS_OK;
}

static weft_status run_on(const weft_measure_options* options, const weft_topology* topology,
                          weft_hand* hand, weft_rig* rig, weft_measure_table* table) {
    static uint32_t values[256 * WEFT_SHARD_SLOTS];
    size_t shards = options->quick ? 4 : 256;
    WEFT_TRY(measure_counters(options, hand, table));
    WEFT_TRY(weft_rig_open(rig, &module, shards * WEFT_SHARD_SLOTS, options->seed));
    return measure_partials(options, topology, hand, rig, values, table);
}

static weft_status run(const weft_measure_options* options, weft_measure_table* table) {
    snprintf(table->title, sizeof(table->title), "writing near to what another thread writes");
    weft_topology* topology = NULL;
    weft_hand* hand = NULL;
    weft_rig rig = {.module = &module};
    weft_status status = weft_topology_create(NULL, &topology);
    if (status == WEFT_STATUS_OK && options->worker_max != 1) {
        status = weft_hand_create(topology, &hand);
        if (status == WEFT_STATUS_UNSUPPORTED) {
            snprintf(table->note, sizeof(table->note), "one CPU: nothing is shared");
            status = WEFT_STATUS_OK;
        }
    }
    if (status == WEFT_STATUS_OK)
        status = run_on(options, topology, hand, &rig, table);
    if (status != WEFT_STATUS_OK)
        snprintf(table->error, sizeof(table->error), "%s",
                 rig.error[0] ? rig.error : weft_status_text(status));
    weft_rig_close(&rig);
    weft_hand_destroy(hand);
    weft_topology_destroy(topology);
    return status;
}

const weft_measure weft_measure_false_sharing = {
    .name = "false_sharing",
    .summary = "writing near to what another thread writes, by hand and in Weft's partials",
    .run = run,
};
