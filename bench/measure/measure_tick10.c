/// Ten systems over four archetypes against whole-column sweeps: system by system, each over the
/// columns of every archetype that has its components. With two threads each thread sweeps half of
/// every column and they join once a tick, which elementwise systems allow.

#include "duel.h"
#include "ten_systems.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// One archetype's columns, in the order of ten_systems.h; null where it lacks the component.
typedef struct columns {
    void* column[TEN_COMPONENTS];
    size_t count;
} columns;

typedef struct plain_world {
    columns archetype[TEN_ARCHETYPES];
    char* segment;
    size_t segment_size;
} plain_world;

enum {
    PLACE,
    SPEED,
    PUSH,
    MASS,
    HEALTH,
    DAMAGE,
    HEAT,
    NOISE
};

static const weft_access terms[TEN_COMPONENTS] = {
    WEFT_READS_OPTIONAL(TenPlace), WEFT_READS_OPTIONAL(TenSpeed),  WEFT_READS_OPTIONAL(TenPush),
    WEFT_READS_OPTIONAL(TenMass),  WEFT_READS_OPTIONAL(TenHealth), WEFT_READS_OPTIONAL(TenDamage),
    WEFT_READS_OPTIONAL(TenHeat),  WEFT_READS_OPTIONAL(TenNoise),
};

#define CELL_SIZE 8u // Of every component.

// Which of the four sets a step's rows have.
static columns* archetype_of(plain_world* plain, const weft_cursor* cursor) {
    uint32_t set = 0;
    for (uint32_t k = 0; k < TEN_COMPONENTS; ++k)
        set |= weft_cursor_column(cursor, terms[k].type) ? 1u << k : 0;
    for (uint32_t i = 0; i < TEN_ARCHETYPES; ++i) {
        if (weft_ten_sets[i] == set)
            return &plain->archetype[i];
    }
    return NULL;
}

static weft_status open_plain(void* hand, const weft_world* world) {
    plain_world* plain = hand;
    size_t quarter = (size_t)(weft_world_entity_count(world) + 3) / 4;
    size_t column = (quarter * CELL_SIZE + 4095) / 4096 * 4096;
    weft_memory memory = weft_memory_system();
    plain->segment_size = column * TEN_COMPONENTS * TEN_ARCHETYPES;
    plain->segment = memory.acquire(memory.context, plain->segment_size);
    if (!plain->segment)
        return WEFT_STATUS_OUT_OF_MEMORY;
    char* next = plain->segment;
    for (uint32_t i = 0; i < TEN_ARCHETYPES; ++i) {
        for (uint32_t k = 0; k < TEN_COMPONENTS; ++k) {
            if (weft_ten_sets[i] >> k & 1) {
                plain->archetype[i].column[k] = next;
                next += column;
            }
        }
    }
    weft_cursor cursor = weft_world_visit(world, terms, TEN_COMPONENTS);
    while (weft_cursor_next(&cursor)) {
        columns* rows = archetype_of(plain, &cursor);
        if (!rows)
            return WEFT_STATUS_BAD_FORMAT;
        for (uint32_t k = 0; k < TEN_COMPONENTS; ++k) {
            if (rows->column[k])
                memcpy((char*)rows->column[k] + rows->count * CELL_SIZE,
                       weft_cursor_column(&cursor, terms[k].type), cursor.row_count * CELL_SIZE);
        }
        rows->count += cursor.row_count;
    }
    return WEFT_STATUS_OK;
}

static void close_plain(void* hand) {
    plain_world* plain = hand;
    weft_memory memory = weft_memory_system();
    if (plain->segment)
        memory.release(memory.context, plain->segment, plain->segment_size);
}

static bool equal_plain(void* hand, const weft_world* world) {
    plain_world* plain = hand;
    size_t compared[TEN_ARCHETYPES] = {0};
    weft_cursor cursor = weft_world_visit(world, terms, TEN_COMPONENTS);
    while (weft_cursor_next(&cursor)) {
        const columns* rows = archetype_of(plain, &cursor);
        if (!rows)
            return false;
        size_t* at = &compared[rows - plain->archetype];
        for (uint32_t k = 0; k < TEN_COMPONENTS; ++k) {
            if (rows->column[k] && memcmp((char*)rows->column[k] + *at * CELL_SIZE,
                                          weft_cursor_column(&cursor, terms[k].type),
                                          cursor.row_count * CELL_SIZE) != 0)
                return false;
        }
        *at += cursor.row_count;
    }
    return true;
}

// Part of one column, and how many rows of it.
typedef struct column_part {
    const columns* rows;
    size_t first;
    size_t count;
} column_part;

static void* at(column_part part, uint32_t component) {
    return (char*)part.rows->column[component] + part.first * CELL_SIZE;
}

typedef void sweep(column_part part);

static void accelerate(column_part part) {
    weft_ten_accelerate(at(part, PUSH), at(part, PLACE), at(part, MASS), part.count);
}

static void speed(column_part part) {
    weft_ten_speed(at(part, SPEED), at(part, PUSH), part.count);
}

static void move(column_part part) {
    weft_ten_move(at(part, PLACE), at(part, SPEED), part.count);
}

static void bound(column_part part) {
    weft_ten_bound(at(part, SPEED), at(part, PLACE), part.count);
}

static void regenerate(column_part part) {
    weft_ten_regenerate(at(part, HEALTH), part.count);
}

static void hurt(column_part part) {
    weft_ten_hurt(at(part, HEALTH), at(part, DAMAGE), part.count);
}

static void warm(column_part part) {
    weft_ten_warm(at(part, HEAT), at(part, SPEED), part.count);
}

static void noise(column_part part) {
    weft_ten_noise(at(part, NOISE), part.count);
}

static void armor(column_part part) {
    weft_ten_armor(at(part, DAMAGE), at(part, HEAT), part.count);
}

static void weigh(column_part part) {
    weft_ten_weigh(at(part, MASS), part.count);
}

// The systems in order, and the components that each needs.
static const struct {
    sweep* run;
    uint32_t set;
} sweeps[TEN_SYSTEMS] = {
    {accelerate, 1u << PUSH | 1u << PLACE | 1u << MASS},
    {speed, 1u << SPEED | 1u << PUSH},
    {move, 1u << PLACE | 1u << SPEED},
    {bound, 1u << SPEED | 1u << PLACE},
    {regenerate, 1u << HEALTH},
    {hurt, 1u << HEALTH | 1u << DAMAGE},
    {warm, 1u << HEAT | 1u << SPEED},
    {noise, 1u << NOISE},
    {armor, 1u << DAMAGE | 1u << HEAT},
    {weigh, 1u << MASS},
};

static void tick_part(void* hand, uint32_t index, uint32_t count) {
    const plain_world* plain = hand;
    for (uint32_t system = 0; system < TEN_SYSTEMS; ++system) {
        for (uint32_t i = 0; i < TEN_ARCHETYPES; ++i) {
            if ((weft_ten_sets[i] & sweeps[system].set) != sweeps[system].set)
                continue;
            const columns* rows = &plain->archetype[i];
            size_t first = rows->count * index / count;
            size_t end = rows->count * (index + 1) / count;
            sweeps[system].run((column_part){rows, first, end - first});
        }
    }
}

// One size. Chunk by chunk pays where the columns do not fit into a cache, so the targets are for
// a million rows.
static weft_status run_size(const weft_measure_options* options, uint64_t count,
                            weft_measure_table* table) {
    plain_world arrays = {.segment = NULL};
    char label[32];
    bool big = count >= 1000000;
    snprintf(label, sizeof(label), "%llu rows: ", (unsigned long long)count);
    weft_duel duel = {
        .module = &weft_workload_tick10,
        .entity_count = count,
        .what = "ten systems",
        .unit = "us/tick",
        .units = 1000,
        .label = label,
        .target = {big ? 1 / 1.3 : 1.05, big ? 1 : 1.20},
        .speedup = big ? 1.85 : 0,
        .peers = true,
        .hand = &arrays,
        .open = open_plain,
        .part = tick_part,
        .equal = equal_plain,
        .close = close_plain,
    };
    return weft_duel_run(&duel, options, table);
}

static weft_status run(const weft_measure_options* options, weft_measure_table* table) {
    snprintf(table->title, sizeof(table->title), "ten systems over four archetypes");
    if (options->entity_count > 0 || options->quick)
        return run_size(options, options->entity_count > 0 ? options->entity_count : 2000, table);
    WEFT_TRY(run_size(options, 100000, table));
    return run_size(options, 1000000, table);
}

const weft_measure weft_measure_tick10 = {
    .name = "tick10",
    .summary = "ten systems over four archetypes, against hand-written sweeps",
    .run = run,
};
