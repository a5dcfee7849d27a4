#include "ten_systems.h"

#include <stdio.h>
#include <string.h>

// Kernels ----------------------------------------------------------------------------------------
// Sums go through unsigned numbers, which wrap. Where a row keeps one of its two fields it is read
// and written as one word of 64 bits: storing single fields would take an instruction for each.

static inline int32_t plus(int32_t a, int32_t b) {
    return (int32_t)((uint32_t)a + (uint32_t)b);
}

static inline int32_t minus(int32_t a, int32_t b) {
    return (int32_t)((uint32_t)a - (uint32_t)b);
}

static inline int32_t magnitude(int32_t a) {
    return minus(a ^ (a >> 31), a >> 31);
}

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define FIRST 0
#else
#define FIRST 32
#endif
#define SECOND (32 - FIRST)

static inline uint64_t load(const void* row) {
    uint64_t word;
    memcpy(&word, row, sizeof(word));
    return word;
}

static inline void store(void* row, int32_t first, int32_t second) {
    uint64_t word = (uint64_t)(uint32_t)first << FIRST | (uint64_t)(uint32_t)second << SECOND;
    memcpy(row, &word, sizeof(word));
}

static inline int32_t first_of(uint64_t word) {
    return (int32_t)(uint32_t)(word >> FIRST);
}

static inline int32_t second_of(uint64_t word) {
    return (int32_t)(uint32_t)(word >> SECOND);
}

// A spring to the middle, softened by the mass.
WEFT_KERNEL void weft_ten_accelerate(TenPush* restrict push, const TenPlace* restrict place,
                                     const TenMass* restrict mass, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        push[i].x = minus(mass[i].mass, place[i].x >> 6);
        push[i].y = minus(mass[i].mass, place[i].y >> 6);
    }
}

WEFT_KERNEL void weft_ten_speed(TenSpeed* restrict speed, const TenPush* restrict push,
                                size_t count) {
    for (size_t i = 0; i < count; ++i) {
        speed[i].x = plus(speed[i].x, push[i].x >> 5);
        speed[i].y = plus(speed[i].y, push[i].y >> 5);
    }
}

WEFT_KERNEL void weft_ten_move(TenPlace* restrict place, const TenSpeed* restrict speed,
                               size_t count) {
    for (size_t i = 0; i < count; ++i) {
        place[i].x = plus(place[i].x, speed[i].x >> 4);
        place[i].y = plus(place[i].y, speed[i].y >> 4);
    }
}

static inline int32_t reflected(int32_t speed, int32_t place) {
    const int32_t limit = 1 << 20;
    int32_t above = -(place > limit);
    int32_t below = -(place < -limit);
    int32_t back = magnitude(speed);
    return (above & minus(0, back)) | (below & back) | (~(above | below) & speed);
}

WEFT_KERNEL void weft_ten_bound(TenSpeed* restrict speed, const TenPlace* restrict place,
                                size_t count) {
    for (size_t i = 0; i < count; ++i) {
        speed[i].x = reflected(speed[i].x, place[i].x);
        speed[i].y = reflected(speed[i].y, place[i].y);
    }
}

WEFT_KERNEL void weft_ten_regenerate(TenHealth* restrict health, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        uint64_t row = load(&health[i]);
        int32_t limit = second_of(row);
        int32_t points = plus(first_of(row), 7);
        store(&health[i], points < limit ? points : limit, limit);
    }
}

WEFT_KERNEL void weft_ten_hurt(TenHealth* restrict health, const TenDamage* restrict damage,
                               size_t count) {
    for (size_t i = 0; i < count; ++i) {
        uint64_t row = load(&health[i]);
        uint64_t hit = load(&damage[i]);
        int32_t blow = minus(first_of(hit), second_of(hit));
        int32_t points = minus(first_of(row), blow > 0 ? blow : 0);
        store(&health[i], points > 0 ? points : second_of(row), second_of(row));
    }
}

WEFT_KERNEL void weft_ten_warm(TenHeat* restrict heat, const TenSpeed* restrict speed,
                               size_t count) {
    for (size_t i = 0; i < count; ++i) {
        int32_t motion = plus(magnitude(speed[i].x), magnitude(speed[i].y));
        heat[i].flow = minus(motion >> 4, heat[i].heat >> 6);
        heat[i].heat = plus(heat[i].heat, heat[i].flow);
    }
}

WEFT_KERNEL void weft_ten_noise(TenNoise* restrict noise, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        noise[i].a = noise[i].a * 1664525u + 1013904223u;
        noise[i].b ^= noise[i].a >> 7;
    }
}

WEFT_KERNEL void weft_ten_armor(TenDamage* restrict damage, const TenHeat* restrict heat,
                                size_t count) {
    for (size_t i = 0; i < count; ++i) {
        uint64_t row = load(&damage[i]);
        int32_t armor = plus(second_of(row), first_of(load(&heat[i])) >> 12);
        store(&damage[i], first_of(row), armor & 0xffff);
    }
}

WEFT_KERNEL void weft_ten_weigh(TenMass* restrict mass, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        mass[i].mass = plus(mass[i].mass, mass[i].change);
        mass[i].change = minus(0, mass[i].change);
    }
}

// Systems ----------------------------------------------------------------------------------------

static weft_status accelerate(weft_view* view, const void* context) {
    (void)context;
    weft_ten_accelerate(WEFT_WRITE(view, TenPush), WEFT_READ(view, TenPlace),
                        WEFT_READ(view, TenMass), weft_view_row_count(view));
    return WEFT_STATUS_OK;
}

static weft_status speed(weft_view* view, const void* context) {
    (void)context;
    weft_ten_speed(WEFT_WRITE(view, TenSpeed), WEFT_READ(view, TenPush), weft_view_row_count(view));
    return WEFT_STATUS_OK;
}

static weft_status move(weft_view* view, const void* context) {
    (void)context;
    weft_ten_move(WEFT_WRITE(view, TenPlace), WEFT_READ(view, TenSpeed), weft_view_row_count(view));
    return WEFT_STATUS_OK;
}

static weft_status bound(weft_view* view, const void* context) {
    (void)context;
    weft_ten_bound(WEFT_WRITE(view, TenSpeed), WEFT_READ(view, TenPlace),
                   weft_view_row_count(view));
    return WEFT_STATUS_OK;
}

static weft_status regenerate(weft_view* view, const void* context) {
    (void)context;
    weft_ten_regenerate(WEFT_WRITE(view, TenHealth), weft_view_row_count(view));
    return WEFT_STATUS_OK;
}

static weft_status hurt(weft_view* view, const void* context) {
    (void)context;
    weft_ten_hurt(WEFT_WRITE(view, TenHealth), WEFT_READ(view, TenDamage),
                  weft_view_row_count(view));
    return WEFT_STATUS_OK;
}

static weft_status warm(weft_view* view, const void* context) {
    (void)context;
    weft_ten_warm(WEFT_WRITE(view, TenHeat), WEFT_READ(view, TenSpeed), weft_view_row_count(view));
    return WEFT_STATUS_OK;
}

static weft_status noise(weft_view* view, const void* context) {
    (void)context;
    weft_ten_noise(WEFT_WRITE(view, TenNoise), weft_view_row_count(view));
    return WEFT_STATUS_OK;
}

static weft_status armor(weft_view* view, const void* context) {
    (void)context;
    weft_ten_armor(WEFT_WRITE(view, TenDamage), WEFT_READ(view, TenHeat),
                   weft_view_row_count(view));
    return WEFT_STATUS_OK;
}

static weft_status weigh(weft_view* view, const void* context) {
    (void)context;
    weft_ten_weigh(WEFT_WRITE(view, TenMass), weft_view_row_count(view));
    return WEFT_STATUS_OK;
}

static weft_status add_ten(weft_schedule* schedule) {
    const weft_system_desc* const systems[TEN_SYSTEMS] = {
        WEFT_SYSTEM("accelerate", accelerate,
                    WEFT_ACCESS(WEFT_WRITES(TenPush), WEFT_READS(TenPlace), WEFT_READS(TenMass))),
        WEFT_SYSTEM("speed", speed, WEFT_ACCESS(WEFT_WRITES(TenSpeed), WEFT_READS(TenPush))),
        WEFT_SYSTEM("move", move, WEFT_ACCESS(WEFT_WRITES(TenPlace), WEFT_READS(TenSpeed))),
        WEFT_SYSTEM("bound", bound, WEFT_ACCESS(WEFT_WRITES(TenSpeed), WEFT_READS(TenPlace))),
        WEFT_SYSTEM("regenerate", regenerate, WEFT_ACCESS(WEFT_WRITES(TenHealth))),
        WEFT_SYSTEM("hurt", hurt, WEFT_ACCESS(WEFT_WRITES(TenHealth), WEFT_READS(TenDamage))),
        WEFT_SYSTEM("warm", warm, WEFT_ACCESS(WEFT_WRITES(TenHeat), WEFT_READS(TenSpeed))),
        WEFT_SYSTEM("noise", noise, WEFT_ACCESS(WEFT_WRITES(TenNoise))),
        WEFT_SYSTEM("armor", armor, WEFT_ACCESS(WEFT_WRITES(TenDamage), WEFT_READS(TenHeat))),
        WEFT_SYSTEM("weigh", weigh, WEFT_ACCESS(WEFT_WRITES(TenMass))),
    };
    for (size_t i = 0; i < TEN_SYSTEMS; ++i)
        WEFT_TRY(weft_schedule_add_system(schedule, systems[i]));
    return WEFT_STATUS_OK;
}

// The start --------------------------------------------------------------------------------------

static const weft_type* const ten_types[TEN_COMPONENTS] = {
    WEFT_TYPE(TenPlace),  WEFT_TYPE(TenSpeed),  WEFT_TYPE(TenPush), WEFT_TYPE(TenMass),
    WEFT_TYPE(TenHealth), WEFT_TYPE(TenDamage), WEFT_TYPE(TenHeat), WEFT_TYPE(TenNoise),
};

const uint32_t weft_ten_sets[TEN_ARCHETYPES] = {0x0f, 0x3f, 0xd3, 0xff};

void weft_ten_start(uint64_t seed, uint32_t index, uint32_t word[TEN_COMPONENTS][2]) {
    weft_random_key key = {.seed = seed, .system = weft_hash64_of_name("ten_start")};
    for (uint32_t i = 0; i < TEN_COMPONENTS; ++i) {
        weft_random_block draw = weft_random_block_at(key, index, i);
        // 16 bits each, so that no kernel starts near a limit.
        word[i][0] = draw.word[0] >> 16;
        word[i][1] = draw.word[1] >> 16;
    }
}

static weft_status ten_build(const weft_module_options* options, weft_world* world,
                             weft_schedule* schedule) {
    if (options->entity_count > WEFT_SLOT_LIMIT_MAX)
        return WEFT_STATUS_BAD_ARGUMENT;
    for (size_t i = 0; i < TEN_COMPONENTS; ++i)
        WEFT_TRY(weft_world_register_component(world, ten_types[i], WEFT_STORAGE_DENSE));
    WEFT_TRY(add_ten(schedule));
    weft_commands* commands = weft_world_commands(world);
    uint64_t quarter = (options->entity_count + TEN_ARCHETYPES - 1) / TEN_ARCHETYPES;
    for (uint32_t i = 0; i < options->entity_count; ++i) {
        uint32_t word[TEN_COMPONENTS][2];
        weft_ten_start(options->seed, i, word);
        weft_entity entity = weft_commands_create(commands, 0);
        for (uint32_t k = 0; k < TEN_COMPONENTS; ++k) {
            if (weft_ten_sets[i / quarter] >> k & 1)
                weft_commands_add(commands, 0, entity, ten_types[k], word[k]);
        }
    }
    return WEFT_STATUS_OK;
}

weft_status weft_overhead_build(uint64_t entity_count, uint32_t system_count, weft_world* world,
                                weft_schedule* schedule) {
    if (entity_count > WEFT_SLOT_LIMIT_MAX)
        return WEFT_STATUS_BAD_ARGUMENT;
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(TenPlace), WEFT_STORAGE_DENSE));
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(TenSpeed), WEFT_STORAGE_DENSE));
    for (unsigned i = 0; i < system_count; ++i) {
        char name[16];
        snprintf(name, sizeof(name), "step_%02u", i);
        WEFT_TRY(weft_schedule_add_system(
            schedule,
            WEFT_SYSTEM(name, move, WEFT_ACCESS(WEFT_WRITES(TenPlace), WEFT_READS(TenSpeed)))));
    }
    weft_commands* commands = weft_world_commands(world);
    for (uint32_t i = 0; i < entity_count; ++i) {
        WEFT_CREATE(commands, 0, WEFT_VALUE(TenPlace, {0, 0}),
                    WEFT_VALUE(TenSpeed, {16 * (int32_t)(i % 64), 16}));
    }
    return WEFT_STATUS_OK;
}

static weft_status overhead_build(const weft_module_options* options, weft_world* world,
                                  weft_schedule* schedule) {
    return weft_overhead_build(options->entity_count, OVERHEAD_SYSTEMS, world, schedule);
}

const weft_module weft_workload_tick10 = {
    .abi = WEFT_MODULE_ABI,
    .name = "tick10",
    .summary = "ten elementwise systems over four archetypes",
    .entity_count_default = 100000,
    .tick_count_default = 1000,
    .build = ten_build,
};

const weft_module weft_workload_overhead = {
    .abi = WEFT_MODULE_ABI,
    .name = "overhead",
    .summary = "a hundred systems over ten rows: what the framework itself costs",
    .entity_count_default = 10,
    .tick_count_default = 10000,
    .build = overhead_build,
};
