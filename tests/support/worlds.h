/// What tests of worlds share: making one, and running it on every executor.
#pragma once

#include <weft/executor.h>
#include <weft/memory.h>

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "effort.h"

/// Asserts that a call on a world succeeds; the message has the world's error.
#define WORLD_OK(world, call)                                                                      \
    do {                                                                                           \
        weft_status world_ok_status_ = (call);                                                     \
        cr_assert(world_ok_status_ == WEFT_STATUS_OK, "%s: %s (%s)", #call,                        \
                  weft_status_name(world_ok_status_), weft_world_error(world));                    \
    } while (0)

/// The same for a schedule.
#define SCHEDULE_OK(schedule, call)                                                                \
    do {                                                                                           \
        weft_status schedule_ok_status_ = (call);                                                  \
        cr_assert(schedule_ok_status_ == WEFT_STATUS_OK, "%s: %s (%s)", #call,                     \
                  weft_status_name(schedule_ok_status_), weft_schedule_error(schedule));           \
    } while (0)

/// Asserts that a text contains another.
#define TEXT_HAS(text, part)                                                                       \
    cr_assert(strstr((text), (part)) != NULL, "\"%s\" lacks \"%s\"", (text), (part))

#define ENTITY_EQ(a, b)                                                                            \
    do {                                                                                           \
        weft_entity entity_a_ = (a);                                                               \
        weft_entity entity_b_ = (b);                                                               \
        cr_assert(weft_entity_equal(entity_a_, entity_b_), "%s is %u:%u, %s is %u:%u", #a,         \
                  entity_a_.slot, entity_a_.generation, #b, entity_b_.slot, entity_b_.generation); \
    } while (0)

#define DIGEST_EQ(a, b)                                                                            \
    cr_assert(weft_digest_equal((a), (b)), "%s and %s are different digests", #a, #b)
#define DIGEST_NE(a, b)                                                                            \
    cr_assert(!weft_digest_equal((a), (b)), "%s and %s are the same digest", #a, #b)

static inline weft_world* world_make(void) {
    weft_world_desc desc = weft_world_desc_default();
    weft_world* world;
    cr_assert_eq(weft_world_create(&desc, NULL, &world), WEFT_STATUS_OK);
    return world;
}

/// In the memory that executors of this kind need.
static inline weft_world* world_make_for(weft_executor_kind kind, const weft_world_desc* desc) {
    bool shared = kind == WEFT_EXECUTOR_PROCESSES;
    weft_memory memory;
    weft_world* world;
    if (shared)
        cr_assert_eq(weft_memory_aliased(false, &memory), WEFT_STATUS_OK);
    cr_assert_eq(weft_world_create(desc, shared ? &memory : NULL, &world), WEFT_STATUS_OK);
    return world;
}

/// One that executors of all kinds can run.
static inline weft_world* world_make_shared(void) {
    weft_world_desc desc = weft_world_desc_default();
    return world_make_for(WEFT_EXECUTOR_PROCESSES, &desc);
}

static inline weft_world* world_make_limited(uint32_t slots, uint32_t archetypes) {
    weft_world_desc desc = weft_world_desc_default();
    desc.slot_limit = slots;
    desc.archetype_limit = archetypes;
    weft_world* world;
    cr_assert_eq(weft_world_create(&desc, NULL, &world), WEFT_STATUS_OK);
    return world;
}

static inline void world_component(weft_world* world, const weft_type* type, weft_storage storage) {
    WORLD_OK(world, weft_world_register_component(world, type, storage));
}

static inline void world_commit(weft_world* world) {
    WORLD_OK(world, weft_world_commit(world));
}

/// Creates `count` entities in a commit of their own; `entities` may be null.
static inline void world_create(weft_world* world, uint32_t count, weft_entity* entities) {
    weft_commands* commands = weft_world_commands(world);
    for (uint32_t i = 0; i < count; i++) {
        weft_entity made = weft_commands_create(commands, 0);
        if (entities != NULL)
            entities[i] = made;
    }
    world_commit(world);
    for (uint32_t i = 0; i < count && entities != NULL; i++)
        entities[i] = weft_world_resolve(world, entities[i]);
}

static inline weft_entity world_create_one(weft_world* world) {
    weft_entity entity;
    world_create(world, 1, &entity);
    return entity;
}

static inline void world_destroy(weft_world* world, weft_entity entity) {
    weft_commands_destroy(weft_world_commands(world), 0, entity);
    world_commit(world);
}

/// A placement to run with.
typedef struct run_config {
    const char* name;
    weft_executor_kind kind;
    uint32_t workers;
    bool no_fusion;
    weft_sweep sweep;
    bool no_pin;
    bool everybody;
    uint32_t grain;
    uint64_t seed;
    weft_math_backend math;
    uint32_t rollback_ticks;
    weft_guard guard;
} run_config;

/// The serial one first: the others are compared with it.
static const run_config run_configs[] = {
    {.name = "serial", .kind = WEFT_EXECUTOR_SERIAL, .workers = 1},
    {.name = "serial without fusion",
     .kind = WEFT_EXECUTOR_SERIAL,
     .workers = 1,
     .no_fusion = true},
    {.name = "serial by system",
     .kind = WEFT_EXECUTOR_SERIAL,
     .workers = 1,
     .sweep = WEFT_SWEEP_SYSTEM_MAJOR},
    {.name = "virtual 2", .kind = WEFT_EXECUTOR_VIRTUAL, .workers = 2, .seed = 1},
    {.name = "virtual 3", .kind = WEFT_EXECUTOR_VIRTUAL, .workers = 3, .seed = 77},
    {.name = "virtual 8 without fusion",
     .kind = WEFT_EXECUTOR_VIRTUAL,
     .workers = 8,
     .no_fusion = true,
     .seed = 5},
    {.name = "threads 1", .kind = WEFT_EXECUTOR_THREADS, .workers = 1},
    {.name = "threads 2", .kind = WEFT_EXECUTOR_THREADS, .workers = 2},
    {.name = "threads 2 by system",
     .kind = WEFT_EXECUTOR_THREADS,
     .workers = 2,
     .sweep = WEFT_SWEEP_SYSTEM_MAJOR},
    {.name = "threads 3 unpinned",
     .kind = WEFT_EXECUTOR_THREADS,
     .workers = 3,
     .no_pin = true,
     .everybody = true,
     .grain = 1},
#if TEST_HAS_PROCESSES
    {.name = "processes 1", .kind = WEFT_EXECUTOR_PROCESSES, .workers = 1},
    {.name = "processes 2", .kind = WEFT_EXECUTOR_PROCESSES, .workers = 2},
    {.name = "processes 3 unpinned",
     .kind = WEFT_EXECUTOR_PROCESSES,
     .workers = 3,
     .no_pin = true,
     .everybody = true,
     .grain = 1},
#endif
};

#define RUN_CONFIGS (sizeof(run_configs) / sizeof(run_configs[0]))

static inline weft_executor* run_executor(weft_schedule* schedule, const run_config* config) {
    weft_executor_desc desc = weft_executor_desc_default();
    desc.kind = config->kind;
    desc.worker_count = config->workers;
    desc.no_fusion = config->no_fusion;
    desc.sweep = config->sweep;
    desc.pin = !config->no_pin;
    desc.grain = config->grain;
    desc.everybody = config->everybody;
    desc.schedule_seed = config->seed;
    desc.rollback_ticks = config->rollback_ticks;
    desc.guard = config->guard;
    weft_executor* executor;
    weft_status status = weft_executor_create(&desc, schedule, &executor);
    cr_assert(status == WEFT_STATUS_OK, "%s: %s (%s)", config->name, weft_status_name(status),
              weft_schedule_error(schedule));
    return executor;
}

static inline weft_schedule* run_schedule(weft_world* world) {
    weft_schedule* schedule;
    WORLD_OK(world, weft_schedule_create(world, &schedule));
    return schedule;
}

static inline void run_add(weft_schedule* schedule, const weft_system_desc* system) {
    SCHEDULE_OK(schedule, weft_schedule_add_system(schedule, system));
}

/// A world with its schedule and one executor.
typedef struct sim {
    weft_world* world;
    weft_schedule* schedule;
    weft_executor* executor;
} sim;

/// Registers types, makes the first entities, adds systems.
typedef void sim_build_fn(weft_world* world, weft_schedule* schedule);

static inline sim sim_open(const run_config* config, sim_build_fn* build) {
    weft_world_desc desc = weft_world_desc_default();
    desc.math = config->math;
    sim s = {.world = world_make_for(config->kind, &desc)};
    s.schedule = run_schedule(s.world);
    build(s.world, s.schedule);
    s.executor = run_executor(s.schedule, config);
    return s;
}

static inline void sim_tick(sim* s) {
    WORLD_OK(s->world, weft_executor_tick(s->executor));
}

static inline void sim_close(sim* s) {
    weft_executor_destroy(s->executor);
    weft_schedule_destroy(s->schedule);
    weft_world_destroy(s->world);
}

/// Something to look at after each tick; the tick is the number of ticks done.
typedef void sim_check_fn(const sim* s, uint64_t tick);

/// Runs `ticks` ticks with every configuration and asserts that both digests are the serial run's
/// after every tick, and that the caches are right. `check` may be null.
static inline void sim_same_everywhere(sim_build_fn* build, uint32_t ticks, sim_check_fn* check) {
    weft_digest* expected = calloc(2 * ((size_t)ticks + 1), sizeof(weft_digest));
    cr_assert_not_null(expected);
    for (size_t i = 0; i < RUN_CONFIGS; i++) {
        sim s = sim_open(&run_configs[i], build);
        for (uint32_t tick = 0; tick <= ticks; tick++) {
            if (tick > 0)
                sim_tick(&s);
            weft_digest view;
            weft_digest full;
            WORLD_OK(s.world, weft_executor_digest(s.executor, &view, &full));
            if (i == 0) {
                expected[2 * tick] = view;
                expected[2 * tick + 1] = full;
            }
            cr_assert(weft_digest_equal(view, expected[2 * tick]) &&
                          weft_digest_equal(full, expected[2 * tick + 1]),
                      "%s: the digests differ after tick %u", run_configs[i].name, tick);
            WORLD_OK(s.world, weft_world_digest_check(s.world));
            if (check != NULL)
                check(&s, tick);
        }
        sim_close(&s);
    }
    free(expected);
}
