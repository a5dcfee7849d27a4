// The ecosystem keeps its books and its population.

#include "bench_run.h"
#include "creatures.h"
#include "creatures_curve.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static weft_rig open_creatures(uint64_t count, uint64_t seed) {
    weft_executor_desc desc = weft_rig_serial();
    return bench_open(&weft_workload_creatures, count, seed, &desc);
}

static const void* resource(const weft_rig* rig, const weft_type* type) {
    const void* values = weft_world_resource(rig->world, type);
    cr_assert_not_null(values);
    return values;
}

// The beginning of the curve; the whole of it is creatures_long's.
Test(creatures, population_follows_the_golden_curve) {
    curve_check(2000, false);
}

// Sum of all energies, and the number of creatures.
static int64_t total_energy(const weft_world* world, int64_t* count_out) {
    static const weft_access terms[] = {WEFT_READS(Energy)};
    weft_cursor cursor = weft_world_visit(world, terms, 1);
    int64_t sum = 0;
    *count_out = 0;
    while (weft_cursor_next(&cursor)) {
        const Energy* energy = WEFT_CURSOR_COLUMN(&cursor, Energy);
        for (uint32_t row = 0; row < cursor.row_count; ++row)
            sum += energy[row].level.raw;
        *count_out += cursor.row_count;
    }
    return sum;
}

// What burns and what is eaten is all that changes the energy: fission loses nothing, and what the
// starved owed is gone.
Test(creatures, energy_is_conserved) {
    weft_rig rig = open_creatures(3000, 1);
    const Climate* climate = resource(&rig, WEFT_TYPE(Climate));
    for (int tick = 0; tick < 300; ++tick) {
        int64_t before_count, after_count;
        int64_t expected = total_energy(rig.world, &before_count);
        (void)bench_tick(&rig);
        uint32_t eaten, starved;
        (void)weft_world_messages(rig.world, WEFT_TYPE(Eaten), &eaten);
        const Starvation* end = weft_world_messages(rig.world, WEFT_TYPE(Starvation), &starved);
        expected -= before_count * climate->burn.raw;
        expected += (int64_t)eaten * climate->meal.raw;
        for (uint32_t i = 0; i < starved; ++i) {
            cr_assert_leq(end[i].level.raw, 0);
            expected -= end[i].level.raw;
        }
        cr_assert_eq(total_energy(rig.world, &after_count), expected, "tick %d", tick);
    }
    weft_rig_close(&rig);
}

static void check_births(const weft_rig* rig) {
    uint32_t count;
    const Born* born = weft_world_messages(rig->world, WEFT_TYPE(Born), &count);
    for (uint32_t i = 0; i < count; ++i) {
        // The child is alive, and its first tick is still to come.
        weft_entity child = weft_world_resolve(rig->world, born[i].child);
        cr_assert(weft_world_is_alive(rig->world, child));
        cr_assert(!weft_world_is_alive(rig->world, born[i].parent));
        const Age* age = weft_world_read(rig->world, child, WEFT_TYPE(Age));
        const Energy* energy = weft_world_read(rig->world, child, WEFT_TYPE(Energy));
        cr_assert_eq(age->ticks, 0);
        cr_assert_eq(energy->level.raw, born[i].level.raw);
        cr_assert_null(weft_world_read(rig->world, child, WEFT_TYPE(Hungry)));
    }
}

static void check_deaths(const weft_rig* rig, uint32_t* divided_out) {
    uint32_t count;
    const Dead* dead = weft_world_messages(rig->world, WEFT_TYPE(Dead), &count);
    for (uint32_t i = 0; i < count; ++i) {
        cr_assert(!weft_world_is_alive(rig->world, dead[i].creature));
        *divided_out += dead[i].cause == DEAD_DIVIDED;
    }
}

// Removals come before inserts, births are delayed by a tick, a parent is consumed and has two or
// three offspring.
Test(creatures, births_and_deaths_follow_the_rules) {
    weft_rig rig = open_creatures(3000, 2);
    uint64_t born = 0;
    uint32_t divided = 0;
    for (int tick = 0; tick < 400; ++tick) {
        (void)bench_tick(&rig);
        check_births(&rig);
        check_deaths(&rig, &divided);
        uint32_t count;
        (void)weft_world_messages(rig.world, WEFT_TYPE(Born), &count);
        born += count;
    }
    cr_expect_gt(divided, 100);
    cr_expect_geq(born, 2 * (uint64_t)divided);
    cr_expect_leq(born, 3 * (uint64_t)divided);
    const Population* population = resource(&rig, WEFT_TYPE(Population));
    cr_expect_eq(population->born, born);
    cr_expect_eq(population->divided, divided);
    cr_expect_eq(population->tick, 400);
    weft_rig_close(&rig);
}

// The newborn's second boundary is the first that counts a tick of its life.
Test(creatures, age_counts_the_ticks_of_a_life) {
    weft_rig rig = open_creatures(3000, 3);
    uint32_t count = 0;
    weft_entity child = WEFT_ENTITY_NULL;
    while (count == 0) {
        (void)bench_tick(&rig);
        const Born* born = weft_world_messages(rig.world, WEFT_TYPE(Born), &count);
        if (count > 0)
            child = weft_world_resolve(rig.world, born[0].child);
    }
    for (uint32_t ticks = 0; ticks < 20; ++ticks) {
        const Age* age = weft_world_read(rig.world, child, WEFT_TYPE(Age));
        cr_assert_not_null(age);
        cr_assert_eq(age->ticks, ticks);
        (void)bench_tick(&rig);
    }
    weft_rig_close(&rig);
}

static bool ate(const weft_world* world, weft_entity creature) {
    uint32_t count;
    const Eaten* eaten = weft_world_messages(world, WEFT_TYPE(Eaten), &count);
    for (uint32_t i = 0; i < count; ++i) {
        if (weft_entity_equal(eaten[i].creature, creature))
            return true;
    }
    return false;
}

// Hungry holds exactly those under the threshold when they were classified: since then only a meal
// can have changed the energy.
Test(creatures, hungry_holds_exactly_those_under_the_threshold) {
    static const weft_access terms[] = {WEFT_READS(Energy), WEFT_READS(Age)};
    weft_rig rig = open_creatures(1000, 4);
    const Climate* climate = resource(&rig, WEFT_TYPE(Climate));
    for (int tick = 0; tick < 100; ++tick) {
        (void)bench_tick(&rig);
        weft_cursor cursor = weft_world_visit(rig.world, terms, 2);
        while (weft_cursor_next(&cursor)) {
            const Energy* energy = WEFT_CURSOR_COLUMN(&cursor, Energy);
            const Age* age = WEFT_CURSOR_COLUMN(&cursor, Age);
            for (uint32_t row = 0; row < cursor.row_count; ++row) {
                weft_entity creature = cursor.entities[row];
                bool hungry = weft_world_read(rig.world, creature, WEFT_TYPE(Hungry)) != NULL;
                int32_t level = energy[row].level.raw;
                level -= ate(rig.world, creature) ? climate->meal.raw : 0;
                bool expected = age[row].ticks > 0 && level < climate->hungry.raw;
                cr_assert_eq(hungry, expected, "tick %d, slot %u", tick, creature.slot);
            }
        }
    }
    weft_rig_close(&rig);
}

// Every cell names the food that lies in it, and every food lies in the cell that names it.
Test(creatures, meadow_and_food_agree) {
    static const weft_access terms[] = {WEFT_READS(Food)};
    weft_rig rig = open_creatures(2000, 5);
    const Climate* climate = resource(&rig, WEFT_TYPE(Climate));
    for (int tick = 0; tick <= 200; ++tick) {
        if (tick > 0)
            (void)bench_tick(&rig);
        const Meadow* meadow = resource(&rig, WEFT_TYPE(Meadow));
        uint64_t food = 0;
        for (uint32_t cell = 0; cell < climate->side * climate->side; ++cell)
            food += !weft_entity_is_null(meadow[cell].food);
        weft_cursor cursor = weft_world_visit(rig.world, terms, 1);
        uint64_t found = 0;
        while (weft_cursor_next(&cursor)) {
            const Food* lying = WEFT_CURSOR_COLUMN(&cursor, Food);
            for (uint32_t row = 0; row < cursor.row_count; ++row)
                cr_assert(weft_entity_equal(meadow[lying[row].cell].food, cursor.entities[row]),
                          "tick %d, cell %u", tick, lying[row].cell);
            found += cursor.row_count;
        }
        cr_assert_eq(food, found, "tick %d", tick);
    }
    weft_rig_close(&rig);
}

Test(creatures, everybody_stays_in_the_box_and_alive) {
    static const weft_access terms[] = {WEFT_READS(Position), WEFT_READS(Velocity),
                                        WEFT_READS(Energy)};
    weft_rig rig = open_creatures(2000, 6);
    const Climate* climate = resource(&rig, WEFT_TYPE(Climate));
    uint32_t limit = climate->side << 16;
    for (int tick = 0; tick < 200; ++tick) {
        (void)bench_tick(&rig);
        weft_cursor cursor = weft_world_visit(rig.world, terms, 3);
        while (weft_cursor_next(&cursor)) {
            const Position* position = WEFT_CURSOR_COLUMN(&cursor, Position);
            const Velocity* velocity = WEFT_CURSOR_COLUMN(&cursor, Velocity);
            const Energy* energy = WEFT_CURSOR_COLUMN(&cursor, Energy);
            for (uint32_t row = 0; row < cursor.row_count; ++row) {
                cr_assert_lt((uint32_t)position[row].at.x.raw, limit);
                cr_assert_lt((uint32_t)position[row].at.y.raw, limit);
                cr_assert_leq(abs(velocity[row].per_tick.x.raw), climate->speed.raw);
                cr_assert_leq(abs(velocity[row].per_tick.y.raw), climate->speed.raw);
                cr_assert_gt(energy[row].level.raw, 0);
            }
        }
    }
    weft_rig_close(&rig);
}

Test(creatures, impossible_sizes_are_refused) {
    weft_rig rig;
    cr_expect_eq(weft_rig_open(&rig, &weft_workload_creatures, (uint64_t)1 << 40, 1),
                 WEFT_STATUS_BAD_ARGUMENT);
    cr_expect_neq(rig.error[0], '\0');
    weft_rig_close(&rig);
}
