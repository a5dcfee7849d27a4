#include "ecs_benchmark.h"

// A thirtieth of a second, the length of a tick.
#define STEP WEFT_FIXED_RATIO_RAW(1, 30)

// Kernels ----------------------------------------------------------------------------------------

WEFT_KERNEL void weft_benchmark_move(BenchmarkPosition* restrict position,
                                     const BenchmarkVelocity* restrict velocity, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        weft_vec2 way = weft_vec2_scale(velocity[i].per_second, weft_fixed_from_raw(STEP));
        position[i].at = weft_vec2_add(position[i].at, way);
    }
}

// The generator of the data: its own, so that the loops by hand can do the same.
static inline uint32_t next_of(uint32_t seed) {
    return seed * 1664525u + 1013904223u;
}

WEFT_KERNEL void weft_benchmark_count(BenchmarkData* data, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        int32_t thingy = data[i].thingy + 1;
        data[i].thingy = thingy >= 1000000 ? 0 : thingy;
        data[i].dingy = weft_fixed_add(data[i].dingy, weft_fixed_from_raw(1));
        data[i].mingy ^= 1;
        data[i].seed = next_of(data[i].seed);
        data[i].number = data[i].seed >> 8;
    }
}

// A whole number from low to high.
static inline weft_fixed between(BenchmarkData* data, int32_t low, uint32_t span) {
    data->seed = next_of(data->seed);
    uint32_t drawn = (uint32_t)((uint64_t)data->seed * span >> 32);
    return weft_fixed_from_raw((low + (int32_t)drawn) * 65536);
}

void weft_benchmark_steer(BenchmarkVelocity* restrict velocity, BenchmarkData* restrict data,
                          const BenchmarkPosition* restrict position, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        if (data[i].thingy % 10 != 0)
            continue;
        bool right = position[i].at.x.raw > position[i].at.y.raw;
        weft_fixed fast = between(&data[i], -7, 17);
        weft_fixed slow = between(&data[i], 0, 6);
        velocity[i].per_second = right ? (weft_vec2){fast, slow} : (weft_vec2){slow, fast};
    }
}

void weft_benchmark_heal(BenchmarkHealth* health, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        BenchmarkHealth* one = &health[i];
        if (one->points <= 0 && one->status != BENCHMARK_DEAD) {
            one->points = 0;
            one->status = BENCHMARK_DEAD;
        } else if (one->status == BENCHMARK_DEAD && one->points == 0) {
            one->points = one->limit;
            one->status = BENCHMARK_SPAWN;
        } else {
            one->points = one->points < one->limit ? one->points : one->limit;
            one->status = BENCHMARK_ALIVE;
        }
    }
}

WEFT_KERNEL void weft_benchmark_hurt(BenchmarkHealth* restrict health,
                                     const BenchmarkDamage* restrict damage, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        int32_t total = damage[i].attack - damage[i].defense;
        int32_t left = health[i].points - (total > 0 ? total : 0);
        int32_t after = left > 0 ? left : 0;
        health[i].points = health[i].points > 0 ? after : health[i].points;
    }
}

void weft_benchmark_dress(BenchmarkSprite* restrict sprite, const BenchmarkPlayer* restrict player,
                          const BenchmarkHealth* restrict health, size_t count) {
    static const uint8_t alive[] = {'o', 'k', '@'};
    for (size_t i = 0; i < count; ++i) {
        uint32_t status = health[i].status;
        sprite[i].character = status == BENCHMARK_DEAD    ? '|'
                              : status == BENCHMARK_SPAWN ? '_'
                                                          : alive[player[i].type % 3];
    }
}

// Systems ----------------------------------------------------------------------------------------

static weft_status move(weft_view* view, const void* context) {
    (void)context;
    weft_benchmark_move(WEFT_WRITE(view, BenchmarkPosition), WEFT_READ(view, BenchmarkVelocity),
                        weft_view_row_count(view));
    return WEFT_STATUS_OK;
}

static weft_status count_up(weft_view* view, const void* context) {
    (void)context;
    weft_benchmark_count(WEFT_WRITE(view, BenchmarkData), weft_view_row_count(view));
    return WEFT_STATUS_OK;
}

static weft_status steer(weft_view* view, const void* context) {
    (void)context;
    weft_benchmark_steer(WEFT_WRITE(view, BenchmarkVelocity), WEFT_WRITE(view, BenchmarkData),
                         WEFT_READ(view, BenchmarkPosition), weft_view_row_count(view));
    return WEFT_STATUS_OK;
}

static weft_status heal(weft_view* view, const void* context) {
    (void)context;
    weft_benchmark_heal(WEFT_WRITE(view, BenchmarkHealth), weft_view_row_count(view));
    return WEFT_STATUS_OK;
}

static weft_status hurt(weft_view* view, const void* context) {
    (void)context;
    weft_benchmark_hurt(WEFT_WRITE(view, BenchmarkHealth), WEFT_READ(view, BenchmarkDamage),
                        weft_view_row_count(view));
    return WEFT_STATUS_OK;
}

static weft_status dress(weft_view* view, const void* context) {
    (void)context;
    weft_benchmark_dress(WEFT_WRITE(view, BenchmarkSprite), WEFT_READ(view, BenchmarkPlayer),
                         WEFT_READ(view, BenchmarkHealth), weft_view_row_count(view));
    return WEFT_STATUS_OK;
}

// In world scope: sprites of all rows meet in the frame, and the last one in visit order stays.
static weft_status render(weft_view* view, const void* context) {
    static const weft_access terms[] = {WEFT_READS_ANY(BenchmarkPosition),
                                        WEFT_READS_ANY(BenchmarkSprite)};
    (void)context;
    BenchmarkFrame* frame = WEFT_RESOURCE_WRITE(view, BenchmarkFrame);
    weft_cursor cursor = weft_view_visit(view, terms, 2);
    while (weft_cursor_next(&cursor)) {
        const BenchmarkPosition* position = WEFT_CURSOR_COLUMN(&cursor, BenchmarkPosition);
        const BenchmarkSprite* sprite = WEFT_CURSOR_COLUMN(&cursor, BenchmarkSprite);
        for (uint32_t i = 0; i < cursor.row_count; ++i) {
            int32_t x = position[i].at.x.raw / 65536;
            int32_t y = position[i].at.y.raw / 65536;
            if (x >= 0 && x < BENCHMARK_FRAME_WIDTH && y >= 0 && y < BENCHMARK_FRAME_HEIGHT)
                frame->cell[y * BENCHMARK_FRAME_WIDTH + x] = (uint8_t)sprite[i].character;
        }
    }
    return WEFT_STATUS_OK;
}

static weft_status publish(weft_view* view, const void* context) {
    (void)context;
    const weft_entity* entities = weft_view_entities(view);
    uint32_t count = weft_view_row_count(view);
    for (uint32_t row = 0; row < count; ++row)
        WEFT_EMIT(view, row, entities[row], BenchmarkEvent, {(int32_t)row});
    return WEFT_STATUS_OK;
}

static weft_status handle(weft_view* view, const void* context) {
    (void)context;
    BenchmarkData* data = WEFT_WRITE(view, BenchmarkData);
    weft_inbox inbox = weft_view_inbox(view, WEFT_TYPE(BenchmarkEvent));
    while (weft_inbox_next(&inbox))
        data[inbox.row].number += (uint32_t)((const BenchmarkEvent*)inbox.message)->value;
    return WEFT_STATUS_OK;
}

static weft_status remove_add(weft_view* view, const void* context) {
    (void)context;
    const weft_entity* entities = weft_view_entities(view);
    weft_commands* commands = weft_view_commands(view);
    uint32_t count = weft_view_row_count(view);
    for (uint32_t row = 0; row < count; ++row) {
        WEFT_REMOVE(commands, row, entities[row], BenchmarkVelocity);
        WEFT_ADD(commands, row, entities[row], BenchmarkVelocity,
                 {{WEFT_FIXED_RAW((int32_t)row), WEFT_FIXED_ONE}});
    }
    return WEFT_STATUS_OK;
}

// Worlds -----------------------------------------------------------------------------------------

static const weft_type* const types[] = {
    WEFT_TYPE(BenchmarkPosition), WEFT_TYPE(BenchmarkVelocity), WEFT_TYPE(BenchmarkData),
    WEFT_TYPE(BenchmarkHealth),   WEFT_TYPE(BenchmarkDamage),   WEFT_TYPE(BenchmarkPlayer),
    WEFT_TYPE(BenchmarkSprite),
};

enum {
    TYPES = sizeof(types) / sizeof(types[0]),
    TYPES_PLAIN = 3 // The first ones, that every entity has.
};

// All components of one entity, in the order of `types`.
typedef struct components {
    BenchmarkPosition position;
    BenchmarkVelocity velocity;
    BenchmarkData data;
    BenchmarkHealth health;
    BenchmarkDamage damage;
    BenchmarkPlayer player;
    BenchmarkSprite sprite;
} components;

static components components_of(uint32_t index) {
    components all = {
        .position.at = {WEFT_FIXED_RAW((int32_t)(index % 80) * 65536),
                        WEFT_FIXED_RAW((int32_t)(index % 37) * 65536)},
        .velocity.per_second = {WEFT_FIXED_ONE, WEFT_FIXED_RAW((int32_t)(index % 3) * 32768)},
        .data = {.thingy = (int32_t)(index % 10), .seed = next_of(index)},
    };
    uint32_t type = index % 6 == 0   ? BENCHMARK_HERO
                    : index % 4 == 0 ? BENCHMARK_MONSTER
                                     : BENCHMARK_NPC;
    int32_t draw = (int32_t)(next_of(index + 7) >> 28);
    all.player = (BenchmarkPlayer){next_of(index + 1), type};
    all.health.limit = type == BENCHMARK_HERO      ? 50 + draw
                       : type == BENCHMARK_MONSTER ? 40 + draw
                                                   : 6;
    all.damage.attack = type == BENCHMARK_HERO ? 10 : type == BENCHMARK_MONSTER ? 8 : 0;
    all.damage.defense = type == BENCHMARK_HERO ? 6 : type == BENCHMARK_MONSTER ? 5 : 4;
    all.sprite.character = '_';
    return all;
}

// Whether entity `index` lacks one of its first components, in the third quarter.
static bool lacks(uint32_t index, uint64_t count, uint32_t component) {
    static const uint32_t every[TYPES_PLAIN] = {7, 11, 13};
    bool few = count < 100;
    if (!few && (index < count / 2 || index > count * 3 / 4 || (index - count / 2) % 10 != 0))
        return false;
    return component < TYPES_PLAIN && index % every[component] == 0;
}

static void create(weft_commands* commands, uint32_t index, uint64_t count, bool mixed,
                   bool players) {
    components all = components_of(index);
    const void* const values[TYPES] = {&all.position, &all.velocity, &all.data,  &all.health,
                                       &all.damage,   &all.player,   &all.sprite};
    weft_value kept[TYPES];
    uint32_t used = 0;
    for (uint32_t i = 0; i < (players && index % 2 == 0 ? (uint32_t)TYPES : TYPES_PLAIN); ++i) {
        if (!mixed || !lacks(index, count, i))
            kept[used++] = (weft_value){types[i], values[i]};
    }
    (void)weft_commands_create_with(commands, 0, kept, used);
}

static weft_status build(const weft_module_options* options, weft_world* world,
                         weft_schedule* schedule, bool mixed, uint32_t system_count) {
    const weft_system_desc* const systems[] = {
        WEFT_SYSTEM("move", move,
                    WEFT_ACCESS(WEFT_WRITES(BenchmarkPosition), WEFT_READS(BenchmarkVelocity))),
        WEFT_SYSTEM("count", count_up, WEFT_ACCESS(WEFT_WRITES(BenchmarkData))),
        WEFT_SYSTEM("steer", steer,
                    WEFT_ACCESS(WEFT_WRITES(BenchmarkVelocity), WEFT_WRITES(BenchmarkData),
                                WEFT_READS(BenchmarkPosition))),
        WEFT_SYSTEM("heal", heal, WEFT_ACCESS(WEFT_WRITES(BenchmarkHealth))),
        WEFT_SYSTEM("hurt", hurt,
                    WEFT_ACCESS(WEFT_WRITES(BenchmarkHealth), WEFT_READS(BenchmarkDamage))),
        WEFT_SYSTEM("dress", dress,
                    WEFT_ACCESS(WEFT_WRITES(BenchmarkSprite), WEFT_READS(BenchmarkPlayer),
                                WEFT_READS(BenchmarkHealth))),
        WEFT_SYSTEM("render", render, .scope = WEFT_SCOPE_WORLD,
                    WEFT_ACCESS(WEFT_READS_ANY(BenchmarkPosition), WEFT_READS_ANY(BenchmarkSprite),
                                WEFT_WRITES_RESOURCE(BenchmarkFrame))),
    };
    for (uint32_t i = 0; i < TYPES; ++i)
        WEFT_TRY(weft_world_register_component(world, types[i], WEFT_STORAGE_DENSE));
    WEFT_TRY(weft_world_register_resource(world, WEFT_TYPE(BenchmarkFrame), 1, NULL));
    for (uint32_t i = 0; i < system_count; ++i)
        WEFT_TRY(weft_schedule_add_system(schedule, systems[i]));
    for (uint32_t i = 0; i < options->entity_count; ++i)
        create(weft_world_commands(world), i, options->entity_count, mixed, system_count > 2);
    return WEFT_STATUS_OK;
}

static weft_status systems2(const weft_module_options* options, weft_world* world,
                            weft_schedule* schedule) {
    return build(options, world, schedule, false, 2);
}

static weft_status systems2_mixed(const weft_module_options* options, weft_world* world,
                                  weft_schedule* schedule) {
    return build(options, world, schedule, true, 2);
}

static weft_status systems7(const weft_module_options* options, weft_world* world,
                            weft_schedule* schedule) {
    return build(options, world, schedule, false, 7);
}

static weft_status systems7_mixed(const weft_module_options* options, weft_world* world,
                                  weft_schedule* schedule) {
    return build(options, world, schedule, true, 7);
}

static weft_status publish_build(const weft_module_options* options, weft_world* world,
                                 weft_schedule* schedule) {
    WEFT_TRY(weft_world_register_channel(world, WEFT_TYPE(BenchmarkEvent), WEFT_TARGET_ENTITY,
                                         WEFT_DELIVERY_TICK));
    WEFT_TRY(build(options, world, schedule, false, 0));
    return weft_schedule_add_system(
        schedule, WEFT_SYSTEM("publish", publish,
                              WEFT_ACCESS(WEFT_WITH(BenchmarkData), WEFT_EMITS(BenchmarkEvent))));
}

static weft_status publish_update_build(const weft_module_options* options, weft_world* world,
                                        weft_schedule* schedule) {
    WEFT_TRY(publish_build(options, world, schedule));
    return weft_schedule_add_system(
        schedule,
        WEFT_SYSTEM("handle", handle,
                    WEFT_ACCESS(WEFT_WRITES(BenchmarkData), WEFT_CONSUMES(BenchmarkEvent))));
}

static weft_status remove_add_build(const weft_module_options* options, weft_world* world,
                                    weft_schedule* schedule) {
    WEFT_TRY(build(options, world, schedule, false, 0));
    return weft_schedule_add_system(
        schedule, WEFT_SYSTEM("remove_add", remove_add,
                              WEFT_ACCESS(WEFT_WITH(BenchmarkVelocity), WEFT_COMMANDS)));
}

#define BENCHMARK_MODULE(module_name, what, build_function)                                        \
    {                                                                                              \
        .abi = WEFT_MODULE_ABI, .name = (module_name), .summary = (what),                          \
        .entity_count_default = 65536, .tick_count_default = 100, .build = (build_function)        \
    }

const weft_module weft_suite_systems2 = BENCHMARK_MODULE("systems2", "movement and data", systems2);
const weft_module weft_suite_systems2_mixed =
    BENCHMARK_MODULE("systems2_mixed", "movement and data, mixed entities", systems2_mixed);
const weft_module weft_suite_systems7 = BENCHMARK_MODULE("systems7", "seven systems", systems7);
const weft_module weft_suite_systems7_mixed =
    BENCHMARK_MODULE("systems7_mixed", "seven systems, mixed entities", systems7_mixed);
const weft_module weft_suite_publish =
    BENCHMARK_MODULE("publish", "a message to every entity", publish_build);
const weft_module weft_suite_publish_update =
    BENCHMARK_MODULE("publish_update", "a message to every entity, read", publish_update_build);
const weft_module weft_suite_remove_add =
    BENCHMARK_MODULE("remove_add", "a component removed and added again", remove_add_build);
