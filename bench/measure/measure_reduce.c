/// A sum over all rows: Weft's reduction, a partial for each chunk and a fixed tree over them,
/// against the loop by hand and other runtimes' loops with a partial for each piece.

#include <stdio.h>

#include "kernel.h"
#include "peer.h"
#include "rig.h"

#include <weft/memory.h>

WEFT_COMPONENT(ReduceValue, (int64_t, value));
WEFT_PARTIAL(ReduceSum, (int64_t, sum));

enum {
    PIECE = WEFT_SHARD_SLOTS, // Rows of one partial, as in Weft.
    COUNTS_MAX = 2,
    CASES_MAX = WEFT_PEERS_MAX + 1
};

WEFT_KERNEL static int64_t sum_of(const ReduceValue* values, size_t count) {
    int64_t sum = 0;
    for (size_t i = 0; i < count; ++i)
        sum += values[i].value;
    return sum;
}

// Weft -------------------------------------------------------------------------------------------

static weft_status sum_chunk(weft_view* view, const void* context) {
    (void)context;
    WEFT_PARTIAL_OF(view, ReduceSum)->sum +=
        sum_of(WEFT_READ(view, ReduceValue), weft_view_row_count(view));
    return WEFT_STATUS_OK;
}

static void combine(void* left, const void* right) {
    ((ReduceSum*)left)->sum += ((const ReduceSum*)right)->sum;
}

static int64_t value_of(uint64_t row) {
    return (int64_t)(row * 0x9E3779B97F4A7C15u >> 20);
}

static weft_status build(const weft_module_options* options, weft_world* world,
                         weft_schedule* schedule) {
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(ReduceValue), WEFT_STORAGE_DENSE));
    WEFT_TRY(weft_world_register_reduction(world, WEFT_TYPE(ReduceSum), NULL, combine));
    weft_commands* commands = weft_world_commands(world);
    for (uint64_t i = 0; i < options->entity_count; ++i)
        WEFT_CREATE(commands, 0, WEFT_VALUE(ReduceValue, {value_of(i)}));
    return weft_schedule_add_system(
        schedule, WEFT_SYSTEM("sum", sum_chunk,
                              WEFT_ACCESS(WEFT_READS(ReduceValue), WEFT_REDUCES(ReduceSum))));
}

static const weft_module module = {
    .abi = WEFT_MODULE_ABI,
    .name = "reduce",
    .summary = "a sum over all rows",
    .entity_count_default = 1000000,
    .tick_count_default = 1,
    .build = build,
};

// Others -----------------------------------------------------------------------------------------

// A line each: pieces of two threads never meet.
typedef struct reduce_partial {
    _Alignas(128) int64_t sum;
} reduce_partial;

typedef struct reduce_arrays {
    ReduceValue* values;
    reduce_partial* partials;
    size_t count;
    size_t piece_count;
    void* segment;
    size_t segment_size;
} reduce_arrays;

static weft_status open_arrays(reduce_arrays* arrays, size_t count) {
    weft_memory memory = weft_memory_system();
    size_t values = (count * sizeof(ReduceValue) + 4095) / 4096 * 4096;
    arrays->count = count;
    arrays->piece_count = (count + PIECE - 1) / PIECE;
    arrays->segment_size = values + arrays->piece_count * sizeof(reduce_partial);
    arrays->segment = memory.acquire(memory.context, arrays->segment_size);
    if (!arrays->segment)
        return WEFT_STATUS_OUT_OF_MEMORY;
    arrays->values = arrays->segment;
    arrays->partials = (reduce_partial*)(void*)((char*)arrays->segment + values);
    for (size_t i = 0; i < count; ++i)
        arrays->values[i].value = value_of(i);
    return WEFT_STATUS_OK;
}

static void close_arrays(reduce_arrays* arrays) {
    weft_memory memory = weft_memory_system();
    if (arrays->segment)
        memory.release(memory.context, arrays->segment, arrays->segment_size);
}

// Items are pieces.
static void sum_pieces(void* context, uint64_t sweep, size_t first, size_t end) {
    const reduce_arrays* arrays = context;
    (void)sweep;
    for (size_t i = first; i < end; ++i) {
        size_t begin = i * PIECE;
        size_t count = arrays->count - begin < PIECE ? arrays->count - begin : PIECE;
        arrays->partials[i].sum = sum_of(arrays->values + begin, count);
    }
}

typedef struct reduce_side {
    weft_peer_side peer; // First: its prepare and finish are this one's.
    reduce_arrays* arrays;
    int64_t sum;
} reduce_side;

static weft_status run_peer(void* context, uint64_t repeat) {
    reduce_side* side = context;
    for (uint64_t i = 0; i < repeat; ++i) {
        weft_peer_for(side->peer.team, side->arrays->piece_count, 1, sum_pieces, side->arrays);
        int64_t sum = 0;
        for (size_t k = 0; k < side->arrays->piece_count; ++k)
            sum += side->arrays->partials[k].sum;
        side->sum = sum;
    }
    return WEFT_STATUS_OK;
}

// Measuring --------------------------------------------------------------------------------------

typedef struct reduce_run {
    const weft_measure_options* options;
    weft_measure_table* table;
    weft_topology* topology;
    weft_rig rig;
    reduce_arrays arrays;
    weft_series weft[COUNTS_MAX]; // By number of workers.
} reduce_run;

static weft_status compare(reduce_run* run, const reduce_side* sides, uint32_t count) {
    const ReduceSum* reduced = weft_world_resource(run->rig.world, WEFT_TYPE(ReduceSum));
    for (uint32_t i = 0; i < count; ++i) {
        if (sides[i].sum == reduced->sum)
            continue;
        snprintf(run->table->error, sizeof(run->table->error), "%s finds another sum",
                 sides[i].peer.team->peer->name);
        return WEFT_STATUS_DIVERGED;
    }
    return WEFT_STATUS_OK;
}

static void fill(reduce_run* run, const weft_case* cases, uint32_t count, uint32_t workers) {
    const char* plural = workers > 1 ? "s" : "";
    for (uint32_t i = 0; i < count; ++i)
        weft_measure_add(run->table, "us", &cases[i].series, 0.001, "%s, %u worker%s",
                         cases[i].name, workers, plural);
    for (uint32_t i = 1; i < count; ++i) {
        weft_series ratio = weft_series_ratio(&cases[0].series, &cases[i].series);
        weft_measure_add(run->table, "ratio", &ratio, 1, "weft against %s, %u worker%s",
                         cases[i].name, workers, plural);
    }
    run->weft[workers - 1] = cases[0].series;
}

// The hand-written peer is the first of the teams.
static weft_status measure_teams(reduce_run* run, const weft_peer_teams* teams, uint32_t workers) {
    weft_case cases[CASES_MAX];
    reduce_side sides[WEFT_PEERS_MAX];
    weft_rig_side weft = {.rig = &run->rig, .executor = workers - 1};
    uint32_t count = 0;
    cases[count++] = (weft_case){.name = "weft", .run = weft_rig_run, .context = &weft, .units = 1};
    for (uint32_t i = 0; i < teams->count; ++i) {
        const weft_peer* peer = teams->team[i].peer;
        if (!peer->loop_name)
            continue;
        sides[count - 1] = (reduce_side){.peer = {.team = &teams->team[i]}, .arrays = &run->arrays};
        cases[count] = (weft_case){.name = peer->loop_name,
                                   .prepare = weft_peer_prepare,
                                   .run = run_peer,
                                   .finish = weft_peer_finish,
                                   .context = &sides[count - 1],
                                   .units = 1};
        ++count;
    }
    WEFT_TRY(weft_measure_cases(run->options, "reductions", weft_sampling_of(run->options), cases,
                                count));
    WEFT_TRY(compare(run, sides, count - 1));
    fill(run, cases, count, workers);
    return WEFT_STATUS_OK;
}

static weft_status measure_workers(reduce_run* run, uint32_t workers) {
    weft_executor_desc desc = weft_rig_threads(workers, run->topology);
    weft_peer_place place;
    weft_peer_teams teams = {.count = 0};
    WEFT_TRY(weft_rig_add(&run->rig, &desc));
    WEFT_TRY(weft_peer_place_choose(run->topology, workers, &place));
    weft_status status = weft_peers_open(&place, &teams);
    if (status == WEFT_STATUS_OK)
        status = measure_teams(run, &teams, workers);
    weft_peers_close(&teams);
    return status;
}

static weft_status measure(reduce_run* run, uint64_t rows) {
    uint32_t cpus;
    WEFT_TRY(weft_topology_create(NULL, &run->topology));
    (void)weft_topology_cpus(run->topology, &cpus);
    weft_measure_report(run->options, "building the world", 0, 1);
    WEFT_TRY(weft_rig_open(&run->rig, &module, rows, run->options->seed));
    WEFT_TRY(open_arrays(&run->arrays, (size_t)rows));
    WEFT_TRY(measure_workers(run, 1));
    if (run->options->worker_max == 1 || cpus < 2)
        return WEFT_STATUS_OK;
    WEFT_TRY(measure_workers(run, 2));
    weft_series gain = weft_series_ratio(&run->weft[0], &run->weft[1]);
    weft_measure_add(run->table, "ratio", &gain, 1, "speed-up of 2 workers");
    return WEFT_STATUS_OK;
}

static weft_status run(const weft_measure_options* options, weft_measure_table* table) {
    uint64_t rows = options->entity_count > 0 ? options->entity_count
                    : options->quick          ? 20000
                                              : 1000000;
    snprintf(table->title, sizeof(table->title), "the sum of %llu rows of 8 bytes",
             (unsigned long long)rows);
    reduce_run all = {.options = options, .table = table};
    weft_status status = measure(&all, rows);
    if (status == WEFT_STATUS_OK)
        weft_peers_describe(table->note, sizeof(table->note));
    else if (table->error[0] == '\0')
        snprintf(table->error, sizeof(table->error), "%s",
                 all.rig.error[0] ? all.rig.error : weft_status_text(status));
    close_arrays(&all.arrays);
    weft_rig_close(&all.rig);
    weft_topology_destroy(all.topology);
    return status;
}

const weft_measure weft_measure_reduce = {
    .name = "reduce",
    .summary = "a reduction over a million rows, against loops and other runtimes",
    .run = run,
};
