#include "creatures.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

// The widest box: positions and their sums stay far from the limits of Q16.16.
#define SIDE_MAX 16384u

// A shard's creatures turn together, once in this many ticks.
#define TURN_PERIOD 32u

static uint32_t selected_row(const uint16_t* rows, uint32_t index) {
    return rows ? rows[index] : index;
}

// A number in -limit..limit - 1 ulp from one random word.
static weft_fixed spread(uint32_t word, weft_fixed limit) {
    uint64_t width = (uint64_t)(uint32_t)limit.raw * 2;
    return weft_fixed_from_raw((int32_t)((word * width) >> 32) - limit.raw);
}

static uint32_t cell_of(weft_vec2 at, uint32_t side) {
    return ((uint32_t)at.y.raw >> 16) * side + ((uint32_t)at.x.raw >> 16);
}

// Food --------------------------------------------------------------------------------------------

// What may be eaten in a cell, or null: sprouts of this tick are still provisional and not food.
static const Food* food_in(const weft_view* view, const Meadow* meadow, uint32_t cell) {
    return weft_entity_is_null(meadow[cell].food) ? NULL : WEFT_GET(view, meadow[cell].food, Food);
}

// Whole sprouts of a tick, so that any run of ticks gets the rate to within one.
static uint32_t sprout_count(const Climate* climate, uint64_t tick) {
    uint64_t part = climate->sprouts_raw & 0xffff;
    uint64_t carried = ((tick + 1) * part >> 16) - (tick * part >> 16);
    return (uint32_t)((climate->sprouts_raw >> 16) + carried);
}

// The box is cut into as many equal runs of cells as there are sprouts, and each sprout draws its
// place in its own run: no two can meet.
static weft_status food_spawn(weft_view* view, const void* context) {
    (void)context;
    const Climate* climate = WEFT_RESOURCE_READ(view, Climate);
    Meadow* meadow = WEFT_RESOURCE_WRITE(view, Meadow);
    weft_commands* commands = weft_view_commands(view);
    weft_random_key key = weft_view_random(view);
    uint64_t cells = (uint64_t)climate->side * climate->side;
    uint32_t count = sprout_count(climate, weft_view_tick(view));
    uint32_t sprouted = 0;
    for (uint32_t i = 0; i < count; ++i) {
        // weft-lint: allow(division): i is below count
        uint32_t first = (uint32_t)(cells * i / count);
        // weft-lint: allow(division): i is below count
        uint32_t width = (uint32_t)(cells * (i + 1) / count) - first;
        uint32_t cell = first + weft_random_below(key, i, 0, width);
        if (food_in(view, meadow, cell))
            continue;
        weft_entity food = WEFT_CREATE(commands, 0, WEFT_VALUE(Food, {cell, climate->meal}));
        meadow[cell].food = food;
        ++sprouted;
    }
    WEFT_EMIT(view, 0, WEFT_ENTITY_NULL, Sprouted, {sprouted});
    return WEFT_STATUS_OK;
}

// The first bite in order gets the food; the others go hungry.
static weft_status apply_eat(weft_view* view, const void* context) {
    (void)context;
    const Food* food = WEFT_READ(view, Food);
    const weft_entity* entities = weft_view_entities(view);
    weft_commands* commands = weft_view_commands(view);
    weft_inbox inbox = weft_view_inbox(view, WEFT_TYPE(Bite));
    uint32_t eaten_row = UINT32_MAX;
    while (weft_inbox_next(&inbox)) {
        uint32_t row = inbox.row;
        if (row == eaten_row)
            continue;
        eaten_row = row;
        weft_entity eater = ((const Bite*)inbox.message)->creature;
        WEFT_EMIT(view, row, eater, Meal, {food[row].value});
        WEFT_EMIT(view, row, WEFT_ENTITY_NULL, Eaten, {entities[row], eater, food[row].cell});
        weft_commands_destroy(commands, row, entities[row]);
    }
    return WEFT_STATUS_OK;
}

static weft_status mow(weft_view* view, const void* context) {
    (void)context;
    uint32_t count;
    const Eaten* eaten = weft_view_messages(view, WEFT_TYPE(Eaten), &count);
    if (count == 0)
        return WEFT_STATUS_OK;
    Meadow* meadow = WEFT_RESOURCE_WRITE(view, Meadow);
    for (uint32_t i = 0; i < count; ++i)
        meadow[eaten[i].cell].food = WEFT_ENTITY_NULL;
    return WEFT_STATUS_OK;
}

// Creatures ---------------------------------------------------------------------------------------

static inline weft_fixed wrapped(weft_fixed at, int32_t side_raw) {
    int32_t raw = at.raw + (at.raw < 0 ? side_raw : 0);
    return weft_fixed_from_raw(raw - (raw >= side_raw ? side_raw : 0));
}

static void turn(const weft_view* view, Velocity* velocity, const Climate* climate) {
    weft_random_key key = weft_view_random(view);
    const weft_entity* entities = weft_view_entities(view);
    uint32_t count = weft_view_row_count(view);
    weft_fixed fast = climate->speed;
    weft_fixed back = weft_fixed_neg(fast);
    for (uint32_t row = 0; row < count; ++row) {
        weft_random_block draw = weft_random_block_at(key, entities[row].slot, 0);
        weft_vec2 change = {spread(draw.word[0], climate->turn),
                            spread(draw.word[1], climate->turn)};
        weft_vec2 speed = weft_vec2_add(velocity[row].per_tick, change);
        velocity[row].per_tick.x = weft_fixed_clamp(speed.x, back, fast);
        velocity[row].per_tick.y = weft_fixed_clamp(speed.y, back, fast);
    }
}

static void move(Position* restrict position, Energy* restrict energy,
                 const Velocity* restrict velocity, uint32_t count, const Climate* climate) {
    int32_t side_raw = (int32_t)(climate->side << 16);
    weft_fixed burn = climate->burn;
    for (uint32_t row = 0; row < count; ++row) {
        weft_vec2 at = weft_vec2_add(position[row].at, velocity[row].per_tick);
        position[row].at.x = wrapped(at.x, side_raw);
        position[row].at.y = wrapped(at.y, side_raw);
        energy[row].level = weft_fixed_sub(energy[row].level, burn);
    }
}

static weft_status motion(weft_view* view, const void* context) {
    (void)context;
    const Climate* climate = WEFT_RESOURCE_READ(view, Climate);
    move(WEFT_WRITE(view, Position), WEFT_WRITE(view, Energy), WEFT_READ(view, Velocity),
         weft_view_row_count(view), climate);
    // Spread over the shards, so that no tick draws for everyone and most velocities stay clean.
    if ((weft_view_tick(view) + weft_view_shard(view)) % TURN_PERIOD == 0)
        turn(view, WEFT_WRITE(view, Velocity), climate);
    return WEFT_STATUS_OK;
}

static weft_status classify_hungry(weft_view* view, const void* context) {
    (void)context;
    int32_t limit = WEFT_RESOURCE_READ(view, Climate)->hungry.raw;
    const Energy* energy = WEFT_READ(view, Energy);
    const weft_entity* entities = weft_view_entities(view);
    weft_commands* commands = weft_view_commands(view);
    const uint16_t* rows;
    uint32_t count = weft_view_selected(view, &rows);
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t row = selected_row(rows, i);
        if (energy[row].level.raw < limit)
            WEFT_ADD_TAG(commands, row, entities[row], Hungry);
    }
    return WEFT_STATUS_OK;
}

static weft_status classify_fed(weft_view* view, const void* context) {
    (void)context;
    int32_t limit = WEFT_RESOURCE_READ(view, Climate)->hungry.raw;
    const Energy* energy = WEFT_READ(view, Energy);
    const weft_entity* entities = weft_view_entities(view);
    weft_commands* commands = weft_view_commands(view);
    const uint16_t* rows;
    uint32_t count = weft_view_selected(view, &rows);
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t row = selected_row(rows, i);
        if (energy[row].level.raw >= limit)
            WEFT_REMOVE(commands, row, entities[row], Hungry);
    }
    return WEFT_STATUS_OK;
}

// Rows looked up together: their cells are on the way from memory while the last ones are computed.
#define SEEK_BATCH 32u

// Those that next_event will starve or divide do not bite: a creature has one event a tick.
static weft_status seek_food(weft_view* view, const void* context) {
    (void)context;
    const Climate* climate = WEFT_RESOURCE_READ(view, Climate);
    const Meadow* meadow = WEFT_RESOURCE_READ(view, Meadow);
    const Position* position = WEFT_READ(view, Position);
    const Energy* energy = WEFT_READ(view, Energy);
    const weft_entity* entities = weft_view_entities(view);
    const uint16_t* rows;
    uint32_t count = weft_view_selected(view, &rows);
    for (uint32_t first = 0; first < count; first += SEEK_BATCH) {
        uint32_t batch = count - first < SEEK_BATCH ? count - first : SEEK_BATCH;
        uint32_t cell[SEEK_BATCH];
        for (uint32_t i = 0; i < batch; ++i) {
            cell[i] = cell_of(position[selected_row(rows, first + i)].at, climate->side);
            __builtin_prefetch(&meadow[cell[i]]);
        }
        for (uint32_t i = 0; i < batch; ++i) {
            uint32_t row = selected_row(rows, first + i);
            int32_t level = energy[row].level.raw;
            bool seeks = level > 0 && level < climate->divide.raw;
            if (seeks && food_in(view, meadow, cell[i]))
                WEFT_EMIT(view, row, meadow[cell[i]].food, Bite, {entities[row]});
        }
    }
    return WEFT_STATUS_OK;
}

static weft_status next_event(weft_view* view, const void* context) {
    (void)context;
    int32_t divide = WEFT_RESOURCE_READ(view, Climate)->divide.raw;
    const Energy* energy = WEFT_READ(view, Energy);
    const weft_entity* entities = weft_view_entities(view);
    uint32_t count = weft_view_row_count(view);
    for (uint32_t row = 0; row < count; ++row) {
        weft_fixed level = energy[row].level;
        if (level.raw <= 0)
            WEFT_EMIT(view, row, entities[row], Starvation, {level});
        else if (level.raw >= divide)
            WEFT_EMIT(view, row, entities[row], Fission, {level});
    }
    return WEFT_STATUS_OK;
}

static weft_status apply_meal(weft_view* view, const void* context) {
    (void)context;
    Energy* energy = NULL;
    weft_inbox inbox = weft_view_inbox(view, WEFT_TYPE(Meal));
    while (weft_inbox_next(&inbox)) {
        // A chunk in which nobody ate stays unwritten.
        if (!energy)
            energy = WEFT_WRITE(view, Energy);
        weft_fixed value = ((const Meal*)inbox.message)->value;
        energy[inbox.row].level = weft_fixed_add(energy[inbox.row].level, value);
    }
    return WEFT_STATUS_OK;
}

static void bear(weft_view* view, uint32_t row, weft_vec2 at, weft_fixed level,
                 weft_random_block draw) {
    weft_fixed fast = WEFT_RESOURCE_READ(view, Climate)->speed;
    weft_commands* commands = weft_view_commands(view);
    weft_entity child = WEFT_CREATE(
        commands, row, WEFT_VALUE(Position, {at}),
        WEFT_VALUE(Velocity, {{spread(draw.word[0], fast), spread(draw.word[1], fast)}}),
        WEFT_VALUE(Energy, {level}), WEFT_VALUE(Age, {0}));
    weft_entity parent = weft_view_entities(view)[row];
    WEFT_EMIT(view, row, WEFT_ENTITY_NULL, Born, {child, parent, level});
}

// The parent is consumed; two or three offspring share its energy, the first takes the remainder.
static weft_status apply_reproduce(weft_view* view, const void* context) {
    (void)context;
    const Position* position = WEFT_READ(view, Position);
    const Age* age = WEFT_READ(view, Age);
    const weft_entity* entities = weft_view_entities(view);
    weft_commands* commands = weft_view_commands(view);
    weft_random_key key = weft_view_random(view);
    weft_inbox inbox = weft_view_inbox(view, WEFT_TYPE(Fission));
    while (weft_inbox_next(&inbox)) {
        uint32_t row = inbox.row;
        uint32_t slot = entities[row].slot;
        int32_t level = ((const Fission*)inbox.message)->level.raw;
        int32_t children = 2 + (int32_t)weft_random_below(key, slot, 0, 2);
        int32_t share = level / children; // weft-lint: allow(division): two or three
        int32_t rest = level - share * children;
        for (int32_t i = 0; i < children; ++i) {
            weft_fixed part = weft_fixed_from_raw(share + (i == 0 ? rest : 0));
            bear(view, row, position[row].at, part,
                 weft_random_block_at(key, slot, 1 + (uint32_t)i));
        }
        weft_commands_destroy(commands, row, entities[row]);
        WEFT_EMIT(view, row, WEFT_ENTITY_NULL, Dead, {entities[row], age[row].ticks, DEAD_DIVIDED});
    }
    return WEFT_STATUS_OK;
}

static weft_status apply_starve(weft_view* view, const void* context) {
    (void)context;
    const Age* age = WEFT_READ(view, Age);
    const weft_entity* entities = weft_view_entities(view);
    weft_commands* commands = weft_view_commands(view);
    weft_inbox inbox = weft_view_inbox(view, WEFT_TYPE(Starvation));
    while (weft_inbox_next(&inbox)) {
        uint32_t row = inbox.row;
        weft_commands_destroy(commands, row, entities[row]);
        WEFT_EMIT(view, row, WEFT_ENTITY_NULL, Dead, {entities[row], age[row].ticks, DEAD_STARVED});
    }
    return WEFT_STATUS_OK;
}

static weft_status aging(weft_view* view, const void* context) {
    (void)context;
    Age* age = WEFT_WRITE(view, Age);
    uint32_t count = weft_view_row_count(view);
    for (uint32_t row = 0; row < count; ++row)
        ++age[row].ticks;
    return WEFT_STATUS_OK;
}

static weft_status inspect(weft_view* view, const void* context) {
    (void)context;
    Population* population = WEFT_RESOURCE_WRITE(view, Population);
    uint32_t sprout_logs, eaten, born, dead;
    const Sprouted* sprouted = weft_view_messages(view, WEFT_TYPE(Sprouted), &sprout_logs);
    (void)weft_view_messages(view, WEFT_TYPE(Eaten), &eaten);
    (void)weft_view_messages(view, WEFT_TYPE(Born), &born);
    const Dead* deaths = weft_view_messages(view, WEFT_TYPE(Dead), &dead);
    uint32_t divided = 0;
    for (uint32_t i = 0; i < dead; ++i)
        divided += deaths[i].cause == DEAD_DIVIDED;
    for (uint32_t i = 0; i < sprout_logs; ++i) {
        population->sprouted += sprouted[i].count;
        population->food += sprouted[i].count;
    }
    population->tick = weft_view_tick(view) + 1;
    population->creatures = population->creatures + born - dead;
    population->food -= eaten;
    population->born += born;
    population->divided += divided;
    population->starved += dead - divided;
    population->eaten += eaten;
    return WEFT_STATUS_OK;
}

// The start --------------------------------------------------------------------------------------

// Tuned so that a box of one creature a unit is near its equilibrium: about 45 of 100 creatures are
// hungry and one cell in seven holds food.
static Climate climate_of(uint32_t creatures) {
    uint32_t side = 1;
    while ((uint64_t)side * side < creatures)
        ++side;
    return (Climate){
        .sprouts_raw = (uint64_t)creatures * 65536 * 44 / 10000,
        .side = side,
        .start = creatures,
        .burn = WEFT_FIXED_RATIO(1, 30), // One unit of energy a second.
        .speed = WEFT_FIXED_RATIO(1, 32),
        .turn = WEFT_FIXED_RATIO(1, 64),
        .meal = WEFT_FIXED_RATIO(9, 1),
        .hungry = WEFT_FIXED_RATIO(4, 1),
        .divide = WEFT_FIXED_RATIO(12, 1),
    };
}

static void record_creatures(const Climate* climate, uint64_t seed, weft_commands* commands) {
    weft_random_key key = {.seed = seed, .system = weft_hash64_of_name("creatures_start")};
    weft_fixed side = weft_fixed_from_int((int32_t)climate->side);
    weft_fixed level_low = WEFT_FIXED_RATIO(1, 2);
    weft_fixed level_high = WEFT_FIXED_RATIO(17, 2);
    for (uint32_t i = 0; i < climate->start; ++i) {
        weft_random_block draw = weft_random_block_at(key, i, 1);
        weft_vec2 at = {weft_random_fixed_range(key, i, 0, WEFT_FIXED_ZERO, side),
                        weft_random_fixed_range(key, i, 1, WEFT_FIXED_ZERO, side)};
        weft_fixed level = weft_random_fixed_range(key, i, 2, level_low, level_high);
        WEFT_CREATE(commands, 0, WEFT_VALUE(Position, {at}),
                    WEFT_VALUE(Velocity, {{spread(draw.word[0], climate->speed),
                                           spread(draw.word[1], climate->speed)}}),
                    WEFT_VALUE(Energy, {level}), WEFT_VALUE(Age, {0}));
    }
}

// Fills the meadow with the provisional handles of its first food; returns how many.
static uint64_t record_food(const Climate* climate, uint64_t seed, weft_commands* commands,
                            Meadow* meadow) {
    weft_random_key key = {.seed = seed, .system = weft_hash64_of_name("meadow_start")};
    uint32_t cells = climate->side * climate->side;
    uint64_t count = 0;
    for (uint32_t cell = 0; cell < cells; ++cell) {
        if (weft_random_below(key, cell, 0, 100) >= 14)
            continue;
        weft_entity food = WEFT_CREATE(commands, 0, WEFT_VALUE(Food, {cell, climate->meal}));
        meadow[cell].food = food;
        ++count;
    }
    return count;
}

static weft_status record_start(const Climate* climate, uint64_t seed, weft_world* world) {
    Meadow* meadow = calloc((size_t)climate->side * climate->side, sizeof(Meadow));
    if (!meadow)
        return WEFT_STATUS_OUT_OF_MEMORY;
    weft_commands* commands = weft_world_commands(world);
    record_creatures(climate, seed, commands);
    Population population = {.creatures = climate->start};
    population.food = record_food(climate, seed, commands, meadow);
    weft_status status = weft_world_set_resource(world, WEFT_TYPE(Meadow), meadow);
    free(meadow);
    WEFT_TRY(status);
    return weft_world_set_resource(world, WEFT_TYPE(Population), &population);
}

static weft_status register_types(const Climate* climate, weft_world* world) {
    static const weft_type* const dense[] = {WEFT_TYPE(Position), WEFT_TYPE(Velocity),
                                             WEFT_TYPE(Energy), WEFT_TYPE(Age), WEFT_TYPE(Food)};
    static const weft_type* const to_entity[] = {WEFT_TYPE(Bite), WEFT_TYPE(Meal),
                                                 WEFT_TYPE(Fission), WEFT_TYPE(Starvation)};
    static const weft_type* const to_world[] = {WEFT_TYPE(Sprouted), WEFT_TYPE(Eaten),
                                                WEFT_TYPE(Born), WEFT_TYPE(Dead)};
    for (size_t i = 0; i < sizeof(dense) / sizeof(dense[0]); ++i)
        WEFT_TRY(weft_world_register_component(world, dense[i], WEFT_STORAGE_DENSE));
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(Hungry), WEFT_STORAGE_SPARSE));
    for (size_t i = 0; i < 4; ++i) {
        WEFT_TRY(weft_world_register_channel(world, to_entity[i], WEFT_TARGET_ENTITY,
                                             WEFT_DELIVERY_TICK));
        WEFT_TRY(
            weft_world_register_channel(world, to_world[i], WEFT_TARGET_WORLD, WEFT_DELIVERY_TICK));
    }
    uint32_t cells = climate->side * climate->side;
    WEFT_TRY(weft_world_register_resource(world, WEFT_TYPE(Climate), 1, climate));
    WEFT_TRY(weft_world_register_resource(world, WEFT_TYPE(Meadow), cells, NULL));
    WEFT_TRY(weft_world_register_resource(world, WEFT_TYPE(Population), 1, NULL));
    static const weft_type* const tables[] = {WEFT_TYPE(Eaten), WEFT_TYPE(Born), WEFT_TYPE(Dead),
                                              WEFT_TYPE(Population)};
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); ++i)
        WEFT_TRY(weft_world_register_table(world, tables[i]));
    return WEFT_STATUS_OK;
}

static weft_status add_systems(weft_schedule* schedule) {
    const weft_system_desc* const systems[] = {
        WEFT_SYSTEM("food_spawn", food_spawn, .scope = WEFT_SCOPE_WORLD,
                    WEFT_ACCESS(WEFT_READS_RESOURCE(Climate), WEFT_WRITES_RESOURCE(Meadow),
                                WEFT_READS_ANY(Food), WEFT_EMITS(Sprouted), WEFT_COMMANDS)),
        WEFT_SYSTEM("motion", motion,
                    WEFT_ACCESS(WEFT_WRITES(Position), WEFT_WRITES(Velocity), WEFT_WRITES(Energy),
                                WEFT_READS_RESOURCE(Climate))),
        WEFT_SYSTEM("classify_hungry", classify_hungry,
                    WEFT_ACCESS(WEFT_READS(Energy), WEFT_WITHOUT(Hungry),
                                WEFT_READS_RESOURCE(Climate), WEFT_COMMANDS)),
        WEFT_SYSTEM("classify_fed", classify_fed,
                    WEFT_ACCESS(WEFT_READS(Energy), WEFT_WITH(Hungry), WEFT_READS_RESOURCE(Climate),
                                WEFT_COMMANDS)),
        WEFT_SYSTEM("seek_food", seek_food,
                    WEFT_ACCESS(WEFT_READS(Position), WEFT_READS(Energy), WEFT_WITH(Hungry),
                                WEFT_READS_ANY(Food), WEFT_READS_RESOURCE(Meadow),
                                WEFT_READS_RESOURCE(Climate), WEFT_EMITS(Bite))),
        WEFT_SYSTEM("next_event", next_event,
                    WEFT_ACCESS(WEFT_READS(Energy), WEFT_READS_RESOURCE(Climate),
                                WEFT_EMITS(Fission), WEFT_EMITS(Starvation))),
        WEFT_SYSTEM("apply_eat", apply_eat,
                    WEFT_ACCESS(WEFT_READS(Food), WEFT_CONSUMES(Bite), WEFT_EMITS(Meal),
                                WEFT_EMITS(Eaten), WEFT_COMMANDS)),
        WEFT_SYSTEM("apply_meal", apply_meal,
                    WEFT_ACCESS(WEFT_WRITES(Energy), WEFT_CONSUMES(Meal))),
        WEFT_SYSTEM("apply_reproduce", apply_reproduce,
                    WEFT_ACCESS(WEFT_READS(Position), WEFT_READS(Age), WEFT_CONSUMES(Fission),
                                WEFT_READS_RESOURCE(Climate), WEFT_EMITS(Born), WEFT_EMITS(Dead),
                                WEFT_COMMANDS)),
        WEFT_SYSTEM("apply_starve", apply_starve,
                    WEFT_ACCESS(WEFT_READS(Age), WEFT_CONSUMES(Starvation), WEFT_EMITS(Dead),
                                WEFT_COMMANDS)),
        WEFT_SYSTEM("aging", aging, WEFT_ACCESS(WEFT_WRITES(Age))),
        WEFT_SYSTEM("mow", mow, .scope = WEFT_SCOPE_WORLD,
                    WEFT_ACCESS(WEFT_CONSUMES(Eaten), WEFT_WRITES_RESOURCE(Meadow))),
        WEFT_SYSTEM("inspect", inspect, .scope = WEFT_SCOPE_WORLD,
                    WEFT_ACCESS(WEFT_CONSUMES(Sprouted), WEFT_CONSUMES(Eaten), WEFT_CONSUMES(Born),
                                WEFT_CONSUMES(Dead), WEFT_WRITES_RESOURCE(Population))),
    };
    for (size_t i = 0; i < sizeof(systems) / sizeof(systems[0]); ++i)
        WEFT_TRY(weft_schedule_add_system(schedule, systems[i]));
    return WEFT_STATUS_OK;
}

static void creatures_describe(const weft_module_options* options, weft_world_desc* desc) {
    // Room for twice the creatures and for food in every cell, with as much again to spare.
    uint64_t slots = options->entity_count * 8 + 4096;
    if (slots < desc->slot_limit)
        desc->slot_limit = (uint32_t)slots;
}

static weft_status creatures_build(const weft_module_options* options, weft_world* world,
                                   weft_schedule* schedule) {
    if (options->entity_count == 0 || options->entity_count > SIDE_MAX * SIDE_MAX)
        return WEFT_STATUS_BAD_ARGUMENT;
    Climate climate = climate_of((uint32_t)options->entity_count);
    WEFT_TRY(register_types(&climate, world));
    WEFT_TRY(add_systems(schedule));
    return record_start(&climate, options->seed, world);
}

// Living entities of one component, chunk by chunk.
static uint64_t count_of(const weft_world* world, const weft_type* type) {
    const weft_access term = {WEFT_ACCESS_WITH, type};
    weft_cursor cursor = weft_world_visit(world, &term, 1);
    uint64_t count = 0;
    while (weft_cursor_next(&cursor))
        count += cursor.row_count;
    return count;
}

static bool creatures_check(const weft_world* world, char* message, size_t capacity) {
    const Climate* climate = weft_world_resource(world, WEFT_TYPE(Climate));
    const Population* population = weft_world_resource(world, WEFT_TYPE(Population));
    uint64_t creatures = count_of(world, WEFT_TYPE(Energy));
    uint64_t food = count_of(world, WEFT_TYPE(Food));
    if (creatures != population->creatures || food != population->food) {
        snprintf(message, capacity,
                 "inspect counted %" PRIu64 " creatures and %" PRIu64 " food, alive are %" PRIu64
                 " and %" PRIu64,
                 population->creatures, population->food, creatures, food);
        return false;
    }
    if (creatures * 2 < climate->start || creatures > (uint64_t)climate->start * 2) {
        snprintf(message, capacity, "%" PRIu64 " creatures are not half to twice the first %u",
                 creatures, climate->start);
        return false;
    }
    return true;
}

static void creatures_describe_state(const weft_world* world, char* line, size_t capacity) {
    const Population* population = weft_world_resource(world, WEFT_TYPE(Population));
    snprintf(line, capacity,
             "creatures %" PRIu64 ", food %" PRIu64 ", born %" PRIu64 ", divided %" PRIu64
             ", starved %" PRIu64 ", eaten %" PRIu64,
             population->creatures, population->food, population->born, population->divided,
             population->starved, population->eaten);
}

const weft_module weft_workload_creatures = {
    .abi = WEFT_MODULE_ABI,
    .name = "creatures",
    .summary = "the ecosystem: motion, hunger, food, fission and starvation",
    .entity_count_default = 10000,
    .tick_count_default = 1000,
    .describe = creatures_describe,
    .build = creatures_build,
    .check = creatures_check,
    .describe_state = creatures_describe_state,
};
