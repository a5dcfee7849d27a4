/// A tick of ten systems over four archetypes, and a tick of a hundred systems over ten rows.
///
/// The ten kernels are elementwise over eight components of 8 bytes. `tick10` calls them chunk by
/// chunk, the hand-written rival column by column.
#pragma once

#include "kernel.h"
#include "workload.h"

WEFT_COMPONENT(TenPlace, (int32_t, x), (int32_t, y));
WEFT_COMPONENT(TenSpeed, (int32_t, x), (int32_t, y));
WEFT_COMPONENT(TenPush, (int32_t, x), (int32_t, y));
WEFT_COMPONENT(TenMass, (int32_t, mass), (int32_t, change));
WEFT_COMPONENT(TenHealth, (int32_t, points), (int32_t, limit));
WEFT_COMPONENT(TenDamage, (int32_t, attack), (int32_t, armor));
WEFT_COMPONENT(TenHeat, (int32_t, heat), (int32_t, flow));
WEFT_COMPONENT(TenNoise, (uint32_t, a), (uint32_t, b));

/// Four sets of a quarter of the entities each: place, speed, push, mass; the same with health and
/// damage; place, speed, health, heat and noise; all eight.
enum {
    TEN_ARCHETYPES = 4,
    TEN_COMPONENTS = 8,
    TEN_SYSTEMS = 10,
    OVERHEAD_SYSTEMS = 100
};

/// The components of an archetype as bits, in the order of declaration above.
extern const uint32_t weft_ten_sets[TEN_ARCHETYPES];

/// The first value of each component of the entity number `index`, both halves.
void weft_ten_start(uint64_t seed, uint32_t index, uint32_t word[TEN_COMPONENTS][2]);

void weft_ten_accelerate(TenPush* push, const TenPlace* place, const TenMass* mass, size_t count);
void weft_ten_speed(TenSpeed* speed, const TenPush* push, size_t count);
void weft_ten_move(TenPlace* place, const TenSpeed* speed, size_t count);
void weft_ten_bound(TenSpeed* speed, const TenPlace* place, size_t count);
void weft_ten_regenerate(TenHealth* health, size_t count);
void weft_ten_hurt(TenHealth* health, const TenDamage* damage, size_t count);
void weft_ten_warm(TenHeat* heat, const TenSpeed* speed, size_t count);
void weft_ten_noise(TenNoise* noise, size_t count);
void weft_ten_armor(TenDamage* damage, const TenHeat* heat, size_t count);
void weft_ten_weigh(TenMass* mass, size_t count);

/// So many systems in a chain over so many rows: all write the place and read the speed.
weft_status weft_overhead_build(uint64_t entity_count, uint32_t system_count, weft_world* world,
                                weft_schedule* schedule);
