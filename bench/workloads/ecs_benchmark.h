/// The workloads of abeimler/ecs_benchmark, in integers and fixed-point numbers. For measurements;
/// not in the list of workloads.
#pragma once

#include "kernel.h"
#include "workload.h"

WEFT_COMPONENT(BenchmarkPosition, (weft_vec2, at));
WEFT_COMPONENT(BenchmarkVelocity, (weft_vec2, per_second));
WEFT_COMPONENT(BenchmarkData, (int32_t, thingy), (weft_fixed, dingy), (uint32_t, mingy),
               (uint32_t, seed), (uint32_t, number));
WEFT_COMPONENT(BenchmarkHealth, (int32_t, points), (int32_t, limit), (uint32_t, status));
WEFT_COMPONENT(BenchmarkDamage, (int32_t, attack), (int32_t, defense));
WEFT_COMPONENT(BenchmarkPlayer, (uint32_t, seed), (uint32_t, type));
WEFT_COMPONENT(BenchmarkSprite, (uint32_t, character));

enum {
    BENCHMARK_SPAWN = 0, // Of health.
    BENCHMARK_DEAD = 1,
    BENCHMARK_ALIVE = 2,
    BENCHMARK_NPC = 0, // Of players.
    BENCHMARK_MONSTER = 1,
    BENCHMARK_HERO = 2,
    BENCHMARK_FRAME_WIDTH = 80,
    BENCHMARK_FRAME_HEIGHT = 40
};

/// What the sprites are drawn into.
WEFT_RESOURCE(BenchmarkFrame,
              (array, uint8_t, cell, BENCHMARK_FRAME_WIDTH* BENCHMARK_FRAME_HEIGHT));
WEFT_MESSAGE(BenchmarkEvent, (int32_t, value));

// The six systems that go over their own rows.
void weft_benchmark_move(BenchmarkPosition* position, const BenchmarkVelocity* velocity,
                         size_t count);
void weft_benchmark_count(BenchmarkData* data, size_t count);
void weft_benchmark_steer(BenchmarkVelocity* velocity, BenchmarkData* data,
                          const BenchmarkPosition* position, size_t count);
void weft_benchmark_heal(BenchmarkHealth* health, size_t count);
void weft_benchmark_hurt(BenchmarkHealth* health, const BenchmarkDamage* damage, size_t count);
void weft_benchmark_dress(BenchmarkSprite* sprite, const BenchmarkPlayer* player,
                          const BenchmarkHealth* health, size_t count);

/// Position, velocity and data on every entity; movement and data.
extern const weft_module weft_suite_systems2;
/// The same where a few entities of the third quarter lack one of the three.
extern const weft_module weft_suite_systems2_mixed;
/// Every second entity is a hero, a monster or neither, with health, damage, player and sprite; all
/// seven systems, the last of which draws the sprites into one frame.
extern const weft_module weft_suite_systems7;
extern const weft_module weft_suite_systems7_mixed;
/// Every entity with data gets a message in every tick, which nobody reads.
extern const weft_module weft_suite_publish;
/// The same, and its data change by it.
extern const weft_module weft_suite_publish_update;
/// Every entity's velocity is removed and added again in the same tick.
extern const weft_module weft_suite_remove_add;
