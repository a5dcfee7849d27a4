/// Motion at several sizes: A waits for memory and runs against one loop over two plain arrays, B
/// waits for arithmetic. A tick should cost by the row, whatever the size.

#include "duel.h"
#include "motion.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct plain {
    MotionPosition* position;
    MotionVelocity* velocity;
    size_t count;
    weft_fixed seconds;
    void* segment;
    size_t segment_size;
} plain;

static weft_status open_plain(void* hand, const weft_world* world) {
    static const weft_access terms[] = {WEFT_READS(MotionPosition), WEFT_READS(MotionVelocity)};
    plain* arrays = hand;
    size_t count = (size_t)weft_world_entity_count(world);
    size_t column = (count * sizeof(MotionPosition) + 4095) / 4096 * 4096;
    weft_memory memory = weft_memory_system();
    arrays->segment_size = column * 2;
    arrays->segment = memory.acquire(memory.context, arrays->segment_size);
    if (!arrays->segment)
        return WEFT_STATUS_OUT_OF_MEMORY;
    arrays->position = arrays->segment;
    arrays->velocity = (MotionVelocity*)((char*)arrays->segment + column);
    arrays->count = count;
    arrays->seconds =
        ((const MotionStep*)weft_world_resource(world, WEFT_TYPE(MotionStep)))->seconds;
    size_t at = 0;
    weft_cursor cursor = weft_world_visit(world, terms, 2);
    while (weft_cursor_next(&cursor)) {
        for (uint32_t row = 0; row < cursor.row_count; ++row, ++at) {
            arrays->position[at] = WEFT_CURSOR_COLUMN(&cursor, MotionPosition)[row];
            arrays->velocity[at] = WEFT_CURSOR_COLUMN(&cursor, MotionVelocity)[row];
        }
    }
    return WEFT_STATUS_OK;
}

static void close_plain(void* hand) {
    plain* arrays = hand;
    weft_memory memory = weft_memory_system();
    if (arrays->segment)
        memory.release(memory.context, arrays->segment, arrays->segment_size);
}

static void advance_part(void* hand, uint32_t index, uint32_t count) {
    const plain* arrays = hand;
    size_t first = arrays->count * index / count;
    size_t end = arrays->count * (index + 1) / count;
    weft_motion_advance(arrays->position + first, arrays->velocity + first, end - first,
                        arrays->seconds);
}

static bool equal_plain(void* hand, const weft_world* world) {
    static const weft_access terms[] = {WEFT_READS(MotionPosition)};
    const plain* arrays = hand;
    size_t at = 0;
    weft_cursor cursor = weft_world_visit(world, terms, 1);
    while (weft_cursor_next(&cursor)) {
        const MotionPosition* position = WEFT_CURSOR_COLUMN(&cursor, MotionPosition);
        for (uint32_t row = 0; row < cursor.row_count; ++row, ++at) {
            if (position[row].at.x.raw != arrays->position[at].at.x.raw ||
                position[row].at.y.raw != arrays->position[at].at.y.raw)
                return false;
        }
    }
    return at == arrays->count;
}

#define SIZES_MAX 4
// While a world is built, its creates are recorded, sorted and stored.
#define BYTES_PER_ROW 220u

typedef struct motion_times {
    weft_series a[2]; // With one worker and with two.
    weft_series b[2];
} motion_times;

static weft_status run_memory(const weft_measure_options* options, uint64_t count,
                              motion_times* times, weft_measure_table* table) {
    plain arrays = {.count = 0};
    char label[32];
    snprintf(label, sizeof(label), "A, %llu rows: ", (unsigned long long)count);
    weft_duel duel = {
        .module = &weft_workload_motion,
        .entity_count = count,
        .what = "motion A",
        .unit = "ns/row",
        .units = (double)count,
        .label = label,
        .target = {count <= 1000000 ? 1.05 : 0, count <= 1000000 ? 1.05 : 0},
        .speedup = count == 1000000 ? 1.7 : 0,
        .times = times->a,
        .peers = true,
        .hand = &arrays,
        .open = open_plain,
        .part = advance_part,
        .equal = equal_plain,
        .close = close_plain,
    };
    return weft_duel_run(&duel, options, table);
}

static weft_status sample_compute(const weft_measure_options* options, uint64_t count,
                                  weft_rig* rig, motion_times* times, weft_measure_table* table) {
    weft_rig_side side[2] = {{.rig = rig, .executor = 0}, {.rig = rig, .executor = 1}};
    weft_case cases[2] = {
        {.name = "1 worker", .run = weft_rig_run, .context = &side[0], .units = (double)count},
        {.name = "2 workers", .run = weft_rig_run, .context = &side[1], .units = (double)count},
    };
    uint32_t case_count = options->worker_max == 1 ? 1 : 2;
    weft_measure_report(options, "building the world", 0, 1);
    WEFT_TRY(weft_rig_open(rig, &weft_workload_motion_compute, count, options->seed));
    for (uint32_t i = 0; i < case_count; ++i) {
        weft_executor_desc desc = weft_rig_threads(i + 1, NULL);
        WEFT_TRY(weft_rig_add(rig, &desc));
    }
    WEFT_TRY(weft_measure_cases(options, "motion B", weft_sampling_of(options), cases, case_count));
    for (uint32_t i = 0; i < case_count; ++i) {
        weft_measure_add(table, "ns/row", &cases[i].series, 1, "B, %llu rows: weft, %s",
                         (unsigned long long)count, cases[i].name);
        times->b[i] = cases[i].series;
    }
    if (case_count < 2)
        return WEFT_STATUS_OK;
    weft_series gain = weft_series_ratio(&cases[0].series, &cases[1].series);
    weft_measure_row* row = weft_measure_add(
        table, "ratio", &gain, 1, "B, %llu rows: speed-up of 2 workers", (unsigned long long)count);
    if (count >= 1000000)
        weft_measure_target(options, row, WEFT_MEASURE_AT_LEAST, 1.95);
    return WEFT_STATUS_OK;
}

static weft_status run_compute(const weft_measure_options* options, uint64_t count,
                               motion_times* times, weft_measure_table* table) {
    weft_rig rig = {.module = &weft_workload_motion_compute};
    weft_status status = sample_compute(options, count, &rig, times, table);
    if (status != WEFT_STATUS_OK && table->error[0] == '\0')
        snprintf(table->error, sizeof(table->error), "%s",
                 rig.error[0] ? rig.error : weft_status_text(status));
    weft_rig_close(&rig);
    return status;
}

// Whether a world of so many rows can be built in the memory that is free.
static bool fits(uint64_t count) {
    long pages = sysconf(_SC_AVPHYS_PAGES);
    long page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 && count <= (uint64_t)pages * (uint64_t)page / BYTES_PER_ROW;
}

// What a row costs at the largest size against the smallest.
static void add_slope(const weft_measure_options* options, const motion_times* times,
                      uint32_t count, weft_measure_table* table) {
    weft_series slope = weft_series_ratio(&times[count - 1].a[0], &times[0].a[0]);
    weft_measure_row* row =
        weft_measure_add(table, "ratio", &slope, 1, "A: a row at the largest size");
    weft_measure_target(options, row, WEFT_MEASURE_AT_MOST, 1.2);
    slope = weft_series_ratio(&times[count - 1].b[0], &times[0].b[0]);
    row = weft_measure_add(table, "ratio", &slope, 1, "B: a row at the largest size");
    weft_measure_target(options, row, WEFT_MEASURE_AT_MOST, 1.2);
}

static weft_status run(const weft_measure_options* options, weft_measure_table* table) {
    static const uint64_t full[SIZES_MAX] = {100000, 1000000, 10000000, 100000000};
    static const uint64_t tiny[] = {5000, 10000};
    const uint64_t* sizes = options->quick ? tiny : full;
    uint32_t count = options->quick ? 2 : SIZES_MAX;
    motion_times times[SIZES_MAX];
    memset(times, 0, sizeof(times));
    if (options->entity_count > 0) {
        sizes = &options->entity_count;
        count = 1;
    }
    snprintf(table->title, sizeof(table->title), "motion: A bound by memory, B by arithmetic");
    uint32_t done = 0;
    for (; done < count; ++done) {
        if (done > 0 && !fits(sizes[done])) {
            snprintf(table->note, sizeof(table->note),
                     "%llu rows are left out: there is no memory for them",
                     (unsigned long long)sizes[done]);
            break;
        }
        WEFT_TRY(run_memory(options, sizes[done], &times[done], table));
        WEFT_TRY(run_compute(options, sizes[done], &times[done], table));
    }
    if (done > 1)
        add_slope(options, times, done, table);
    return WEFT_STATUS_OK;
}

const weft_measure weft_measure_motion = {
    .name = "motion",
    .summary = "loops bound by memory and by arithmetic, 1e5 to 1e8 rows",
    .run = run,
};
