// Bodies around stars, in float: the workload that other machines are compared on.
//
// Only + - * / and the square root, which IEEE 754 rounds correctly, so that every machine that
// keeps the rules of pinned.h has the same bits (C9, C10). The layouts have what digests must walk:
// nested structs, arrays, bools and enums beside float.

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "workload.h"

// 16 is 0 with a rule of its own for _Float16.
_Static_assert(FLT_EVAL_METHOD == 0 || FLT_EVAL_METHOD == 16, "float must be computed in float");

// Of the field: a body beyond `edge` has left, one within `core` of a star has fallen in.
static const float edge = 64.0f;
static const float core = 0.5f;

enum {
    STARS = 3,
    RINGS = 8
};

WEFT_ENUM(OrbitFate, uint8_t, ORBIT_FALLEN, ORBIT_LEFT);

WEFT_COMPONENT(OrbitPath, (weft_float2, at), (weft_float2, speed));
WEFT_COMPONENT(OrbitBody, (float, mass), (float, heat), (uint16_t, age), (bool, warm), (bool, old));
WEFT_COMPONENT(OrbitLit, (float, light)); // Sparse: bodies near a star.

WEFT_COMPONENT(OrbitStar, (weft_float2, at), (float, pull), (float, glow));
WEFT_RESOURCE(OrbitSky, (nested_array, OrbitStar, stars, STARS), (uint32_t, bodies), (float, step));
WEFT_MESSAGE(OrbitEnd, (float, mass), (array, uint8_t, spare, 3), (enumerated, OrbitFate, fate));
WEFT_PARTIAL(OrbitRings, (array, float, mass, RINGS), (weft_float2, momentum), (uint32_t, bodies),
             (uint32_t, lit));
WEFT_RESOURCE(OrbitCount, (uint64_t, born), (uint64_t, fallen), (uint64_t, left), (float, lost),
              (float, born_mass));

// Draws ------------------------------------------------------------------------------------------

// A number in [0, 1): 24 bits, so that neither the conversion nor the product rounds.
static float unit_of(uint32_t word) {
    return (float)(int32_t)(word >> 8) * 0x1p-24f;
}

static float between(uint32_t word, float low, float high) {
    return low + (high - low) * unit_of(word);
}

static float length_of(weft_float2 v) {
    return sqrtf(v.x * v.x + v.y * v.y);
}

// A body on a rough orbit: at right angles to the way from the middle, at about the speed of a
// circle.
static OrbitPath path_of(const uint32_t word[4], const OrbitSky* sky) {
    weft_float2 at = {between(word[0], -32.0f, 32.0f), between(word[1], -32.0f, 32.0f)};
    float distance = length_of(at) + 1.0f;
    float pull = 0;
    for (uint32_t i = 0; i < STARS; ++i)
        pull += sky->stars[i].pull;
    float speed = sqrtf(pull / distance) * between(word[2], 0.5f, 1.25f) / distance;
    return (OrbitPath){at, {-at.y * speed, at.x * speed}};
}

static OrbitBody body_of(uint32_t word) {
    return (OrbitBody){.mass = between(word, 0.25f, 4.0f)};
}

// Systems ----------------------------------------------------------------------------------------

static weft_float2 pull_at(const OrbitSky* sky, weft_float2 at) {
    weft_float2 sum = {0, 0};
    for (uint32_t i = 0; i < STARS; ++i) {
        const OrbitStar* star = &sky->stars[i];
        float x = star->at.x - at.x;
        float y = star->at.y - at.y;
        float square = x * x + y * y + core * core;
        float factor = star->pull / (square * sqrtf(square));
        sum.x += x * factor;
        sum.y += y * factor;
    }
    return sum;
}

static weft_status fly(weft_view* view, const void* context) {
    (void)context;
    const OrbitSky* sky = WEFT_RESOURCE_READ(view, OrbitSky);
    OrbitPath* path = WEFT_WRITE(view, OrbitPath);
    uint32_t count = weft_view_row_count(view);
    for (uint32_t row = 0; row < count; ++row) {
        weft_float2 pull = pull_at(sky, path[row].at);
        path[row].speed.x += pull.x * sky->step;
        path[row].speed.y += pull.y * sky->step;
        path[row].at.x += path[row].speed.x * sky->step;
        path[row].at.y += path[row].speed.y * sky->step;
    }
    return WEFT_STATUS_OK;
}

// Heat comes from the nearest star and goes by a share, with a little noise.
static weft_status warm(weft_view* view, const void* context) {
    (void)context;
    const OrbitSky* sky = WEFT_RESOURCE_READ(view, OrbitSky);
    const OrbitPath* path = WEFT_READ(view, OrbitPath);
    OrbitBody* body = WEFT_WRITE(view, OrbitBody);
    const weft_entity* entities = weft_view_entities(view);
    weft_random_key key = weft_view_random(view);
    uint32_t count = weft_view_row_count(view);
    for (uint32_t row = 0; row < count; ++row) {
        float light = 0;
        for (uint32_t i = 0; i < STARS; ++i) {
            weft_float2 way = {sky->stars[i].at.x - path[row].at.x,
                               sky->stars[i].at.y - path[row].at.y};
            light += sky->stars[i].glow / (1.0f + way.x * way.x + way.y * way.y);
        }
        float noise = between(weft_random_u32(key, entities[row].slot, 0), 0.75f, 1.25f);
        body[row].heat = body[row].heat * 0.875f + light * noise / body[row].mass;
        body[row].warm = body[row].heat > 1.0f;
        body[row].age = (uint16_t)(body[row].age + (body[row].age < UINT16_MAX));
        body[row].old = body[row].age >= 100;
    }
    return WEFT_STATUS_OK;
}

static weft_status light_up(weft_view* view, const void* context) {
    (void)context;
    const OrbitBody* body = WEFT_READ(view, OrbitBody);
    const weft_entity* entities = weft_view_entities(view);
    weft_commands* commands = weft_view_commands(view);
    const uint16_t* rows;
    uint32_t count = weft_view_selected(view, &rows);
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t row = rows ? rows[i] : i;
        if (body[row].warm)
            WEFT_ADD(commands, row, entities[row], OrbitLit, {sqrtf(body[row].heat)});
    }
    return WEFT_STATUS_OK;
}

static weft_status go_dark(weft_view* view, const void* context) {
    (void)context;
    const OrbitBody* body = WEFT_READ(view, OrbitBody);
    const weft_entity* entities = weft_view_entities(view);
    weft_commands* commands = weft_view_commands(view);
    const uint16_t* rows;
    uint32_t count = weft_view_selected(view, &rows);
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t row = rows ? rows[i] : i;
        if (!body[row].warm)
            WEFT_REMOVE(commands, row, entities[row], OrbitLit);
    }
    return WEFT_STATUS_OK;
}

static weft_status end_bodies(weft_view* view, const void* context) {
    (void)context;
    const OrbitSky* sky = WEFT_RESOURCE_READ(view, OrbitSky);
    const OrbitPath* path = WEFT_READ(view, OrbitPath);
    const OrbitBody* body = WEFT_READ(view, OrbitBody);
    const weft_entity* entities = weft_view_entities(view);
    weft_commands* commands = weft_view_commands(view);
    uint32_t count = weft_view_row_count(view);
    for (uint32_t row = 0; row < count; ++row) {
        bool left = !(length_of(path[row].at) < edge);
        bool fallen = false;
        for (uint32_t i = 0; i < STARS; ++i) {
            weft_float2 way = {sky->stars[i].at.x - path[row].at.x,
                               sky->stars[i].at.y - path[row].at.y};
            fallen |= length_of(way) < core;
        }
        if (!left && !fallen)
            continue;
        WEFT_EMIT(view, row, WEFT_ENTITY_NULL, OrbitEnd,
                  {.mass = body[row].mass, .fate = left ? ORBIT_LEFT : ORBIT_FALLEN});
        weft_commands_destroy(commands, row, entities[row]);
    }
    return WEFT_STATUS_OK;
}

// Sums of float depend on their order, so this is where a wrong one would show.
static weft_status weigh(weft_view* view, const void* context) {
    (void)context;
    const OrbitPath* path = WEFT_READ(view, OrbitPath);
    const OrbitBody* body = WEFT_READ(view, OrbitBody);
    OrbitRings* rings = WEFT_PARTIAL_OF(view, OrbitRings);
    uint32_t count = weft_view_row_count(view);
    for (uint32_t row = 0; row < count; ++row) {
        float distance = length_of(path[row].at);
        uint32_t ring = distance < edge ? (uint32_t)(distance * ((float)RINGS / edge)) : RINGS - 1;
        rings->mass[ring] += body[row].mass;
        rings->momentum.x += body[row].mass * path[row].speed.x;
        rings->momentum.y += body[row].mass * path[row].speed.y;
        rings->bodies++;
        rings->lit += body[row].warm;
    }
    return WEFT_STATUS_OK;
}

static void rings_combine(void* left, const void* right) {
    OrbitRings* sum = left;
    const OrbitRings* part = right;
    for (uint32_t i = 0; i < RINGS; ++i)
        sum->mass[i] += part->mass[i];
    sum->momentum.x += part->momentum.x;
    sum->momentum.y += part->momentum.y;
    sum->bodies += part->bodies;
    sum->lit += part->lit;
}

// As many are born as ended in the tick before, so that the number of bodies stays about the same.
static weft_status bear(weft_view* view, const void* context) {
    (void)context;
    const OrbitSky* sky = WEFT_RESOURCE_READ(view, OrbitSky);
    OrbitCount* counts = WEFT_RESOURCE_WRITE(view, OrbitCount);
    weft_commands* commands = weft_view_commands(view);
    weft_random_key key = weft_view_random(view);
    uint32_t ended;
    const OrbitEnd* ends = weft_view_messages(view, WEFT_TYPE(OrbitEnd), &ended);
    for (uint32_t i = 0; i < ended; ++i) {
        counts->fallen += ends[i].fate == ORBIT_FALLEN;
        counts->left += ends[i].fate == ORBIT_LEFT;
        counts->lost += ends[i].mass;
        weft_random_block draw = weft_random_block_at(key, i, 0);
        OrbitPath path = path_of(draw.word, sky);
        OrbitBody body = body_of(draw.word[3]);
        counts->born_mass += body.mass;
        WEFT_CREATE(commands, 0, {WEFT_TYPE(OrbitPath), &path}, {WEFT_TYPE(OrbitBody), &body});
    }
    counts->born += ended;
    return WEFT_STATUS_OK;
}

// The start --------------------------------------------------------------------------------------

static void describe(const weft_module_options* options, weft_world_desc* desc) {
    (void)options;
    desc->math = WEFT_MATH_FLOAT_PINNED_32;
}

static weft_status register_types(weft_world* world, const OrbitSky* sky) {
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(OrbitPath), WEFT_STORAGE_DENSE));
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(OrbitBody), WEFT_STORAGE_DENSE));
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(OrbitLit), WEFT_STORAGE_SPARSE));
    WEFT_TRY(weft_world_register_resource(world, WEFT_TYPE(OrbitSky), 1, sky));
    WEFT_TRY(weft_world_register_resource(world, WEFT_TYPE(OrbitCount), 1, NULL));
    WEFT_TRY(weft_world_register_channel(world, WEFT_TYPE(OrbitEnd), WEFT_TARGET_WORLD,
                                         WEFT_DELIVERY_NEXT));
    return weft_world_register_reduction(world, WEFT_TYPE(OrbitRings), NULL, rings_combine);
}

static weft_status add_systems(weft_schedule* schedule) {
    const weft_system_desc* const systems[] = {
        WEFT_SYSTEM("bear", bear, .scope = WEFT_SCOPE_WORLD,
                    WEFT_ACCESS(WEFT_READS_RESOURCE(OrbitSky), WEFT_WRITES_RESOURCE(OrbitCount),
                                WEFT_CONSUMES(OrbitEnd), WEFT_COMMANDS)),
        WEFT_SYSTEM("fly", fly, WEFT_ACCESS(WEFT_WRITES(OrbitPath), WEFT_READS_RESOURCE(OrbitSky))),
        WEFT_SYSTEM("warm", warm,
                    WEFT_ACCESS(WEFT_READS(OrbitPath), WEFT_WRITES(OrbitBody),
                                WEFT_READS_RESOURCE(OrbitSky))),
        WEFT_SYSTEM("light_up", light_up,
                    WEFT_ACCESS(WEFT_READS(OrbitBody), WEFT_WITHOUT(OrbitLit), WEFT_COMMANDS)),
        WEFT_SYSTEM("go_dark", go_dark,
                    WEFT_ACCESS(WEFT_READS(OrbitBody), WEFT_WITH(OrbitLit), WEFT_COMMANDS)),
        WEFT_SYSTEM("end_bodies", end_bodies,
                    WEFT_ACCESS(WEFT_READS(OrbitPath), WEFT_READS(OrbitBody),
                                WEFT_READS_RESOURCE(OrbitSky), WEFT_EMITS(OrbitEnd),
                                WEFT_COMMANDS)),
        WEFT_SYSTEM(
            "weigh", weigh,
            WEFT_ACCESS(WEFT_READS(OrbitPath), WEFT_READS(OrbitBody), WEFT_REDUCES(OrbitRings))),
    };
    for (size_t i = 0; i < sizeof(systems) / sizeof(systems[0]); ++i)
        WEFT_TRY(weft_schedule_add_system(schedule, systems[i]));
    return WEFT_STATUS_OK;
}

static weft_status build(const weft_module_options* options, weft_world* world,
                         weft_schedule* schedule) {
    if (options->entity_count > WEFT_SLOT_LIMIT_MAX)
        return WEFT_STATUS_BAD_ARGUMENT;
    const OrbitSky sky = {
        .stars = {{{0, 0}, 16.0f, 8.0f}, {{12.0f, 5.0f}, 4.0f, 3.0f}, {{-7.5f, 20.0f}, 2.0f, 6.0f}},
        .bodies = (uint32_t)options->entity_count,
        .step = 0.125f,
    };
    WEFT_TRY(register_types(world, &sky));
    WEFT_TRY(add_systems(schedule));
    weft_random_key key = {.seed = options->seed, .system = weft_hash64_of_name("orbits_start")};
    weft_commands* commands = weft_world_commands(world);
    for (uint32_t i = 0; i < sky.bodies; ++i) {
        weft_random_block draw = weft_random_block_at(key, i, 0);
        OrbitPath path = path_of(draw.word, &sky);
        OrbitBody body = body_of(draw.word[3]);
        WEFT_CREATE(commands, 0, {WEFT_TYPE(OrbitPath), &path}, {WEFT_TYPE(OrbitBody), &body});
    }
    return WEFT_STATUS_OK;
}

// What has ended is born again one tick later, and a body that still is where it should have ended
// was overlooked. Comparisons are such that NaN fails them.
static bool check(const weft_world* world, char* message, size_t capacity) {
    static const weft_access terms[] = {WEFT_READS(OrbitPath), WEFT_READS(OrbitBody)};
    const OrbitSky* sky = weft_world_resource(world, WEFT_TYPE(OrbitSky));
    uint64_t count = weft_world_entity_count(world);
    weft_cursor cursor = weft_world_visit(world, terms, 2);
    uint64_t seen = 0;
    while (weft_cursor_next(&cursor)) {
        const OrbitPath* path = WEFT_CURSOR_COLUMN(&cursor, OrbitPath);
        const OrbitBody* body = WEFT_CURSOR_COLUMN(&cursor, OrbitBody);
        for (uint32_t row = 0; row < cursor.row_count; ++row, ++seen) {
            if (length_of(path[row].at) < edge && body[row].mass >= 0.25f &&
                body[row].mass <= 4.0f && body[row].heat >= 0 && body[row].heat < 1000.0f)
                continue;
            snprintf(message, capacity, "body %u: out of bounds", cursor.entities[row].slot);
            return false;
        }
    }
    const OrbitCount* counts = weft_world_resource(world, WEFT_TYPE(OrbitCount));
    if (seen == count && count <= sky->bodies && counts->born == counts->fallen + counts->left)
        return true;
    snprintf(message, capacity,
             "%" PRIu64 " bodies, %" PRIu64 " entities, at most %u; %" PRIu64 " born, %" PRIu64
             " fallen, %" PRIu64 " left",
             seen, count, sky->bodies, counts->born, counts->fallen, counts->left);
    return false;
}

static void describe_state(const weft_world* world, char* line, size_t capacity) {
    const OrbitRings* rings = weft_world_resource(world, WEFT_TYPE(OrbitRings));
    const OrbitCount* counts = weft_world_resource(world, WEFT_TYPE(OrbitCount));
    float mass = 0;
    for (uint32_t i = 0; i < RINGS; ++i)
        mass += rings->mass[i];
    snprintf(line, capacity,
             "%u bodies, %u lit, mass %.9g, born %" PRIu64 ", fallen %" PRIu64 ", left %" PRIu64,
             rings->bodies, rings->lit, (double)mass, counts->born, counts->fallen, counts->left);
}

const weft_module weft_workload_orbits = {
    .abi = WEFT_MODULE_ABI,
    .name = "orbits",
    .summary = "bodies around stars in pinned float, with births, deaths and presence",
    .entity_count_default = 10000,
    .tick_count_default = 500,
    .describe = describe,
    .build = build,
    .check = check,
    .describe_state = describe_state,
};
