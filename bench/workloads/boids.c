/// Flocking on a torus: reads of other rows through a grid of handles.
///
/// Every tick a world-scope system sorts all handles by cell into a resource; then each boid looks
/// at up to 16 neighbours in the 3 x 3 cells around it, steers away from the close ones, along with
/// their mean velocity and towards their middle, and moves. Velocity is buffered: steering reads
/// world(t) of everybody while it writes world(t+1) of its own row.

#include "workload.h"

#include <inttypes.h>
#include <stdio.h>

WEFT_COMPONENT(BoidPosition, (weft_vec2, at));
WEFT_COMPONENT(BoidVelocity, (weft_vec2, per_tick));

/// Width of the box in units. A cell is one unit; about two boids share one.
WEFT_RESOURCE(BoidBox, (uint32_t, side), (uint32_t, count));
/// For each cell where its boids begin in the order; one more value gives the end of the last.
WEFT_RESOURCE(BoidCell, (uint32_t, first));
/// Boids by cell, and by slot within a cell.
WEFT_RESOURCE(BoidOrder, (weft_entity, boid));

#define SIDE_MAX 16384u
#define NEIGHBOURS_MAX 16

static const weft_fixed speed_max = WEFT_FIXED_RATIO(1, 16);
static const weft_fixed near_distance = WEFT_FIXED_RATIO(1, 2);
static const weft_fixed apart_weight = WEFT_FIXED_RATIO(1, 64);
static const weft_fixed align_weight = WEFT_FIXED_RATIO(1, 16);
static const weft_fixed middle_weight = WEFT_FIXED_RATIO(1, 256);

// 1/n, to turn sums over neighbours into means.
static const weft_fixed reciprocal[NEIGHBOURS_MAX + 1] = {
    WEFT_FIXED_RAW(0),       WEFT_FIXED_RATIO(1, 1),  WEFT_FIXED_RATIO(1, 2),
    WEFT_FIXED_RATIO(1, 3),  WEFT_FIXED_RATIO(1, 4),  WEFT_FIXED_RATIO(1, 5),
    WEFT_FIXED_RATIO(1, 6),  WEFT_FIXED_RATIO(1, 7),  WEFT_FIXED_RATIO(1, 8),
    WEFT_FIXED_RATIO(1, 9),  WEFT_FIXED_RATIO(1, 10), WEFT_FIXED_RATIO(1, 11),
    WEFT_FIXED_RATIO(1, 12), WEFT_FIXED_RATIO(1, 13), WEFT_FIXED_RATIO(1, 14),
    WEFT_FIXED_RATIO(1, 15), WEFT_FIXED_RATIO(1, 16),
};

static uint32_t cell_of(weft_vec2 at, uint32_t side) {
    return ((uint32_t)at.y.raw >> 16) * side + ((uint32_t)at.x.raw >> 16);
}

// Counting sort by cell: counts, then starts, then places. Both walks go in the order of C1.
static weft_status sort_by_cell(weft_view* view, const void* context) {
    (void)context;
    static const weft_access terms[] = {WEFT_READS(BoidPosition)};
    uint32_t side = WEFT_RESOURCE_READ(view, BoidBox)->side;
    BoidCell* cell = WEFT_RESOURCE_WRITE(view, BoidCell);
    BoidOrder* order = WEFT_RESOURCE_WRITE(view, BoidOrder);
    uint32_t cells = side * side;
    for (uint32_t i = 0; i <= cells; ++i)
        cell[i].first = 0;
    weft_cursor cursor = weft_view_visit(view, terms, 1);
    while (weft_cursor_next(&cursor)) {
        const BoidPosition* position = WEFT_CURSOR_COLUMN(&cursor, BoidPosition);
        for (uint32_t row = 0; row < cursor.row_count; ++row)
            ++cell[cell_of(position[row].at, side)].first;
    }
    uint32_t sum = 0;
    for (uint32_t i = 0; i <= cells; ++i) {
        uint32_t count = cell[i].first;
        cell[i].first = sum;
        sum += count;
    }
    // Placing advances each start to the next cell's; one step to the right restores them.
    cursor = weft_view_visit(view, terms, 1);
    while (weft_cursor_next(&cursor)) {
        const BoidPosition* position = WEFT_CURSOR_COLUMN(&cursor, BoidPosition);
        for (uint32_t row = 0; row < cursor.row_count; ++row)
            order[cell[cell_of(position[row].at, side)].first++].boid = cursor.entities[row];
    }
    for (uint32_t i = cells; i > 0; --i)
        cell[i].first = cell[i - 1].first;
    cell[0].first = 0;
    return WEFT_STATUS_OK;
}

// What a boid sees of its neighbours.
typedef struct flock {
    uint32_t count;
    weft_vec2 apart;  // Sum of the ways from the near ones.
    weft_vec2 along;  // Sum of velocities.
    weft_vec2 middle; // Sum of the ways to all.
} flock;

// The shorter way round the torus.
static weft_fixed way(weft_fixed from, weft_fixed to, int32_t side_raw) {
    int32_t raw = to.raw - from.raw;
    raw -= raw > side_raw / 2 ? side_raw : 0;
    raw += raw < -(side_raw / 2) ? side_raw : 0;
    return weft_fixed_from_raw(raw);
}

static void see(const weft_view* view, weft_vec2 at, weft_entity other, int32_t side_raw,
                flock* seen) {
    weft_vec2 there = WEFT_GET(view, other, BoidPosition)->at;
    weft_vec2 to = {way(at.x, there.x, side_raw), way(at.y, there.y, side_raw)};
    weft_fixed square = weft_vec2_length_squared(to);
    if (square.raw > WEFT_FIXED_ONE.raw)
        return;
    if (square.raw < weft_fixed_mul(near_distance, near_distance).raw)
        seen->apart = weft_vec2_sub(seen->apart, to);
    seen->along = weft_vec2_add(seen->along, WEFT_GET(view, other, BoidVelocity)->per_tick);
    seen->middle = weft_vec2_add(seen->middle, to);
    ++seen->count;
}

static flock look_around(const weft_view* view, weft_entity self) {
    weft_vec2 at = WEFT_GET(view, self, BoidPosition)->at;
    uint32_t side = WEFT_RESOURCE_READ(view, BoidBox)->side;
    const BoidCell* cell = WEFT_RESOURCE_READ(view, BoidCell);
    const BoidOrder* order = WEFT_RESOURCE_READ(view, BoidOrder);
    uint32_t column = (uint32_t)at.x.raw >> 16;
    uint32_t line = (uint32_t)at.y.raw >> 16;
    flock seen = {.count = 0};
    for (uint32_t dy = 0; dy < 3; ++dy) {
        for (uint32_t dx = 0; dx < 3; ++dx) {
            // weft-lint: allow(division): a box has four cells a side or more
            uint32_t near = (line + side + dy - 1) % side * side + (column + side + dx - 1) % side;
            for (uint32_t i = cell[near].first; i < cell[near + 1].first; ++i) {
                if (seen.count == NEIGHBOURS_MAX)
                    return seen;
                if (!weft_entity_equal(order[i].boid, self))
                    see(view, at, order[i].boid, (int32_t)(side << 16), &seen);
            }
        }
    }
    return seen;
}

static weft_vec2 steered(weft_vec2 velocity, const flock* seen) {
    weft_fixed share = reciprocal[seen->count];
    weft_vec2 along = weft_vec2_sub(weft_vec2_scale(seen->along, share), velocity);
    weft_vec2 middle = weft_vec2_scale(seen->middle, share);
    velocity = weft_vec2_add(velocity, weft_vec2_scale(seen->apart, apart_weight));
    velocity = weft_vec2_add(velocity, weft_vec2_scale(along, align_weight));
    velocity = weft_vec2_add(velocity, weft_vec2_scale(middle, middle_weight));
    weft_fixed back = weft_fixed_neg(speed_max);
    velocity.x = weft_fixed_clamp(velocity.x, back, speed_max);
    velocity.y = weft_fixed_clamp(velocity.y, back, speed_max);
    return velocity;
}

static weft_status steer(weft_view* view, const void* context) {
    (void)context;
    const weft_entity* entities = weft_view_entities(view);
    BoidVelocity* velocity = WEFT_WRITE(view, BoidVelocity);
    uint32_t count = weft_view_row_count(view);
    for (uint32_t row = 0; row < count; ++row) {
        flock seen = look_around(view, entities[row]);
        if (seen.count > 0)
            velocity[row].per_tick = steered(velocity[row].per_tick, &seen);
    }
    return WEFT_STATUS_OK;
}

static weft_fixed moved(weft_fixed at, weft_fixed by, int32_t side_raw) {
    int32_t raw = weft_fixed_add(at, by).raw;
    raw += raw < 0 ? side_raw : 0;
    return weft_fixed_from_raw(raw - (raw >= side_raw ? side_raw : 0));
}

static weft_status move(weft_view* view, const void* context) {
    (void)context;
    int32_t side_raw = (int32_t)(WEFT_RESOURCE_READ(view, BoidBox)->side << 16);
    BoidPosition* position = WEFT_WRITE(view, BoidPosition);
    const BoidVelocity* velocity = WEFT_READ(view, BoidVelocity);
    uint32_t count = weft_view_row_count(view);
    for (uint32_t row = 0; row < count; ++row) {
        weft_vec2* at = &position[row].at;
        at->x = moved(at->x, velocity[row].per_tick.x, side_raw);
        at->y = moved(at->y, velocity[row].per_tick.y, side_raw);
    }
    return WEFT_STATUS_OK;
}

static weft_status register_all(weft_world* world, weft_schedule* schedule, const BoidBox* box) {
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(BoidPosition), WEFT_STORAGE_DENSE));
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(BoidVelocity), WEFT_STORAGE_BUFFERED));
    WEFT_TRY(weft_world_register_resource(world, WEFT_TYPE(BoidBox), 1, box));
    WEFT_TRY(
        weft_world_register_resource(world, WEFT_TYPE(BoidCell), box->side * box->side + 1, NULL));
    WEFT_TRY(weft_world_register_resource(world, WEFT_TYPE(BoidOrder), box->count, NULL));
    WEFT_TRY(weft_schedule_add_system(
        schedule,
        WEFT_SYSTEM("sort_by_cell", sort_by_cell, .scope = WEFT_SCOPE_WORLD,
                    WEFT_ACCESS(WEFT_READS_ANY(BoidPosition), WEFT_READS_RESOURCE(BoidBox),
                                WEFT_WRITES_RESOURCE(BoidCell), WEFT_WRITES_RESOURCE(BoidOrder)))));
    WEFT_TRY(weft_schedule_add_system(
        schedule,
        WEFT_SYSTEM("steer", steer,
                    WEFT_ACCESS(WEFT_READS_ANY(BoidPosition), WEFT_WRITES(BoidVelocity),
                                WEFT_READS_ANY(BoidVelocity), WEFT_READS_RESOURCE(BoidBox),
                                WEFT_READS_RESOURCE(BoidCell), WEFT_READS_RESOURCE(BoidOrder)))));
    return weft_schedule_add_system(
        schedule, WEFT_SYSTEM("move", move,
                              WEFT_ACCESS(WEFT_WRITES(BoidPosition), WEFT_READS(BoidVelocity),
                                          WEFT_READS_RESOURCE(BoidBox))));
}

static weft_status build(const weft_module_options* options, weft_world* world,
                         weft_schedule* schedule) {
    if (options->entity_count == 0 || options->entity_count > SIDE_MAX * SIDE_MAX)
        return WEFT_STATUS_BAD_ARGUMENT;
    BoidBox box = {.side = 4, .count = (uint32_t)options->entity_count};
    while (box.side * box.side * 2 < box.count)
        ++box.side;
    WEFT_TRY(register_all(world, schedule, &box));
    weft_random_key key = {.seed = options->seed, .system = weft_hash64_of_name("boids_start")};
    weft_fixed side = weft_fixed_from_int((int32_t)box.side);
    weft_fixed back = weft_fixed_neg(speed_max);
    weft_commands* commands = weft_world_commands(world);
    for (uint32_t i = 0; i < box.count; ++i) {
        weft_vec2 at = {weft_random_fixed_range(key, i, 0, WEFT_FIXED_ZERO, side),
                        weft_random_fixed_range(key, i, 1, WEFT_FIXED_ZERO, side)};
        weft_vec2 velocity = {weft_random_fixed_range(key, i, 2, back, speed_max),
                              weft_random_fixed_range(key, i, 3, back, speed_max)};
        WEFT_CREATE(commands, 0, WEFT_VALUE(BoidPosition, {at}),
                    WEFT_VALUE(BoidVelocity, {velocity}));
    }
    return WEFT_STATUS_OK;
}

static bool check(const weft_world* world, char* message, size_t capacity) {
    const BoidBox* box = weft_world_resource(world, WEFT_TYPE(BoidBox));
    uint64_t count = weft_world_entity_count(world);
    if (count != box->count) {
        snprintf(message, capacity, "%" PRIu64 " boids, not %u", count, box->count);
        return false;
    }
    static const weft_access terms[] = {WEFT_READS(BoidPosition)};
    weft_cursor cursor = weft_world_visit(world, terms, 1);
    while (weft_cursor_next(&cursor)) {
        const BoidPosition* position = WEFT_CURSOR_COLUMN(&cursor, BoidPosition);
        for (uint32_t row = 0; row < cursor.row_count; ++row) {
            if ((uint32_t)position[row].at.x.raw < box->side << 16 &&
                (uint32_t)position[row].at.y.raw < box->side << 16)
                continue;
            snprintf(message, capacity, "boid %u left the box", cursor.entities[row].slot);
            return false;
        }
    }
    return true;
}

const weft_module weft_workload_boids = {
    .abi = WEFT_MODULE_ABI,
    .name = "boids",
    .summary = "flocking: reads of other rows through a grid of handles",
    .entity_count_default = 10000,
    .tick_count_default = 300,
    .build = build,
    .check = check,
};
