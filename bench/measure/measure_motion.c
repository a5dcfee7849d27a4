/// Motion over a million rows against one loop over two plain arrays.

#include "duel.h"
#include "motion.h"

#include <stdio.h>

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

static weft_status run(const weft_measure_options* options, weft_measure_table* table) {
    plain arrays = {.count = 0};
    weft_duel duel = {
        .module = &weft_workload_motion,
        .entity_count = options->quick ? 10000 : 1000000,
        .what = "motion",
        .unit = "ns/row",
        .target = {1.10, 1.10},
        .peers = true,
        .hand = &arrays,
        .open = open_plain,
        .part = advance_part,
        .equal = equal_plain,
        .close = close_plain,
    };
    if (options->entity_count > 0)
        duel.entity_count = options->entity_count;
    duel.units = (double)duel.entity_count;
    snprintf(table->title, sizeof(table->title), "motion of %llu rows",
             (unsigned long long)duel.entity_count);
    return weft_duel_run(&duel, options, table);
}

const weft_measure weft_measure_motion = {
    .name = "motion",
    .summary = "position += velocity * step, against a hand-written loop",
    .run = run,
};
