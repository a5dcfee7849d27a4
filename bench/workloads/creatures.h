/// The ecosystem: creatures wander over a torus, eat, divide and starve.
///
/// The box is `side` units wide and one unit is one cell. Time is nominally 30 ticks a second, and
/// every rate below is per tick. Food sprouts at a fixed rate, so energy limits the population: it
/// settles where sprouts x meal = creatures x burn.
///
/// One tick, in the systems' order: food_spawn puts food into empty cells; motion moves and burns;
/// classify_hungry and classify_fed keep the tag Hungry true to the energy; seek_food bites at the
/// food of the hungry one's cell; next_event sends each creature at most one of fission and
/// starvation; apply_eat gives each food to its first biter; apply_meal, apply_reproduce and
/// apply_starve carry the events out; aging adds a tick to every age; mow clears the eaten cells;
/// inspect counts. Births and deaths take effect at the boundary: a newborn's first tick is the one
/// after its birth, and all of that tick sees age 0.
#pragma once

#include "workload.h"

WEFT_COMPONENT(Position, (weft_vec2, at));
WEFT_COMPONENT(Velocity, (weft_vec2, per_tick));
WEFT_COMPONENT(Energy, (weft_fixed, level));
WEFT_COMPONENT(Age, (uint32_t, ticks));
/// Energy is under Climate.hungry. Sparse: hunger comes and goes and moves no row.
WEFT_TAG(Hungry);
WEFT_COMPONENT(Food, (uint32_t, cell), (weft_fixed, value));

/// All parameters. Nothing changes them during a run.
WEFT_RESOURCE(Climate,                 //
              (uint64_t, sprouts_raw), // Food sprouting per tick, in 1/65536.
              (uint32_t, side),        // Width and height of the box, units and cells.
              (uint32_t, start),       // Creatures at tick 0.
              (weft_fixed, burn),      // Energy that living costs.
              (weft_fixed, speed),     // Largest magnitude of each component of a velocity.
              (weft_fixed, turn),      // Largest change of each component in a turn.
              (weft_fixed, meal),      // Energy in one food.
              (weft_fixed, hungry),    // Under this a creature looks for food.
              (weft_fixed, divide));   // From this on a creature divides.

/// One value for each cell, row by row: the food that lies there, or the null handle.
WEFT_RESOURCE(Meadow, (weft_entity, food));

/// Counts after the tick, and totals since the start.
WEFT_RESOURCE(Population,            //
              (uint64_t, tick),      // Ticks completed.
              (uint64_t, creatures), // Alive.
              (uint64_t, food),      // Lying in the meadow.
              (uint64_t, born),      //
              (uint64_t, divided),   // Parents consumed by fission.
              (uint64_t, starved),   //
              (uint64_t, sprouted),  //
              (uint64_t, eaten));

WEFT_MESSAGE(Bite, (weft_entity, creature));   // To the food.
WEFT_MESSAGE(Meal, (weft_fixed, value));       // To the creature.
WEFT_MESSAGE(Fission, (weft_fixed, level));    // To the creature itself, as the next.
WEFT_MESSAGE(Starvation, (weft_fixed, level)); //
WEFT_MESSAGE(Sprouted, (uint32_t, count));     // Logs, to the world.
WEFT_MESSAGE(Eaten, (weft_entity, food), (weft_entity, creature), (uint32_t, cell));
WEFT_MESSAGE(Born, (weft_entity, child), (weft_entity, parent), (weft_fixed, level));
WEFT_MESSAGE(Dead, (weft_entity, creature), (uint32_t, age), (uint32_t, cause));

enum {
    DEAD_STARVED = 0,
    DEAD_DIVIDED = 1
};
