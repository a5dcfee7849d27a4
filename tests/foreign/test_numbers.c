// laige's known answers for numbers, generators and schedules, from Weft's public interface. They
// stand in its tests and documents: math_fixed_tests, prng_tests, docs/testing.md, scheduler_tests.

#include "canonical.h"

#define SEED UINT64_C(0x1234567890ABCDEF)

// Fixed point ------------------------------------------------------------------------------------

WEFT_COMPONENT(Body, (weft_vec2, pos), (weft_vec2, vel));

static weft_fixed clamp_to(weft_fixed number, int32_t limit) {
    return weft_fixed_clamp(number, weft_fixed_from_int(-limit), weft_fixed_from_int(limit));
}

/// a + (b - a) * t, rounded twice.
static weft_fixed lerp(weft_fixed a, weft_fixed b, weft_fixed t) {
    return weft_fixed_add(a, weft_fixed_mul(weft_fixed_sub(b, a), t));
}

/// Over the length that rounds each square and their sum; weft_vec2_normalize rounds less.
static weft_vec2 normalize(weft_vec2 a) {
    weft_fixed square = weft_fixed_add(weft_fixed_mul(a.x, a.x), weft_fixed_mul(a.y, a.y));
    weft_fixed length = weft_fixed_sqrt(square);
    if (length.raw == 0)
        return (weft_vec2){WEFT_FIXED_ZERO, WEFT_FIXED_ZERO};
    return (weft_vec2){weft_fixed_div(a.x, length), weft_fixed_div(a.y, length)};
}

/// One of 4096 ticks: gravity, drag, limits; now and then a pull home, a kick, half the speed.
static weft_status integrate(weft_view* view, const void* context) {
    (void)context;
    static const weft_fixed gravity = WEFT_FIXED_RATIO(1, 64);
    static const weft_fixed drag = WEFT_FIXED_RATIO(127, 128);
    static const weft_fixed eighth = WEFT_FIXED_RATIO(1, 8);
    static const weft_fixed kick = WEFT_FIXED_RATIO(1, 10);
    uint64_t tick = weft_view_tick(view);
    Body* bodies = WEFT_WRITE(view, Body);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++) {
        weft_vec2 pos = bodies[i].pos;
        weft_vec2 vel = bodies[i].vel;
        vel.y = weft_fixed_add(vel.y, weft_fixed_neg(gravity));
        vel = weft_vec2_scale(vel, drag);
        vel = (weft_vec2){clamp_to(vel.x, 16), clamp_to(vel.y, 16)};
        pos = weft_vec2_add(pos, vel);
        pos = (weft_vec2){clamp_to(pos.x, 32), clamp_to(pos.y, 32)};
        if (tick % 512 == 255) {
            pos.x = lerp(pos.x, weft_fixed_from_int(5), eighth);
            pos.y = lerp(pos.y, weft_fixed_from_int(-3), eighth);
        }
        if (tick % 1024 == 511)
            vel = normalize((weft_vec2){weft_fixed_add(vel.x, kick), vel.y});
        if (tick % 2048 == 1023)
            vel.x = weft_fixed_div(vel.x, weft_fixed_from_int(2));
        bodies[i] = (Body){pos, vel};
    }
    return WEFT_STATUS_OK;
}

static void body_build(weft_world* world, weft_schedule* schedule) {
    world_component(world, WEFT_TYPE(Body), WEFT_STORAGE_DENSE);
    WEFT_CREATE(weft_world_commands(world), 0,
                WEFT_VALUE(Body, {{WEFT_FIXED_RATIO(3, 2), WEFT_FIXED_RATIO(-9, 4)},
                                  {WEFT_FIXED_RATIO(1, 4), WEFT_FIXED_RATIO(3, 4)}}));
    world_commit(world);
    run_add(schedule, WEFT_SYSTEM("integrate", integrate, WEFT_ACCESS(WEFT_WRITES(Body))));
}

Test(numbers, the_sequence_of_4096_ticks) {
    for (size_t i = 0; i < RUN_CONFIGS; i++) {
        sim s = sim_open(&run_configs[i], body_build);
        for (uint32_t tick = 0; tick < 4096; tick++)
            sim_tick(&s);
        const Body* body = weft_world_read(s.world, (weft_entity){0, 1}, WEFT_TYPE(Body));
        const int32_t found[] = {body->pos.x.raw, body->pos.y.raw, body->vel.x.raw,
                                 body->vel.y.raw};
        static const int32_t expected[] = {1925574, -2097152, 64, -128882};
        fnv hash = fnv_start();
        for (int j = 0; j < 4; j++) {
            cr_assert_eq(found[j], expected[j], "number %d is %" PRId32, j, found[j]);
            fnv_word(&hash, (uint32_t)found[j], 4);
        }
        cr_assert_eq(hash.hash, UINT64_C(0xF02728762777C581));
        sim_close(&s);
    }
}

// The generator ----------------------------------------------------------------------------------

Test(numbers, first_draws) {
    static const uint64_t draws[] = {
        0x6C6322B836E9CA2A,
        0x80CBB0CE4F5F5B15,
        0xC1C40F25ED01D33B,
        0xD9AE3642D165A892,
    };
    static const uint32_t units[] = {7103266, 8440752, 12698639, 14265910, 7052825, 11703785};
    weft_stream stream = weft_stream_seed(SEED);
    for (size_t i = 0; i < 4; i++)
        cr_assert_eq(weft_stream_next(&stream), draws[i]);
    stream = weft_stream_seed(SEED);
    for (size_t i = 0; i < 6; i++)
        cr_assert_eq(weft_stream_unit24(&stream), units[i]);
}

/// Of many draws: the golden one, and its seeded tests' two.
Test(numbers, many_draws) {
    static const struct {
        uint64_t seed;
        uint32_t id;
        uint32_t count;
        uint64_t hash;
    } streams[] = {
        {SEED, 0, 4096, 0xB64E76173859B6D8},
        {0x1F055EED, 1, 65536, 0x7ea4049545656830},
        {0x2468acce01234567, 2, 65536, 0x535d2ca741b61cbf},
    };
    for (size_t i = 0; i < 3; i++) {
        weft_stream stream =
            weft_stream_seed(weft_stream_substream(streams[i].seed, streams[i].id));
        fnv hash = fnv_start();
        for (uint32_t j = 0; j < streams[i].count; j++)
            fnv_word(&hash, weft_stream_next(&stream), 8);
        cr_assert_eq(hash.hash, streams[i].hash, "stream %zu: %016" PRIx64, i, hash.hash);
    }
}

Test(numbers, substreams) {
    static const uint64_t draws[] = {
        0x6C6322B836E9CA2A, 0x7CFF34A370249EC4, 0xE486F33C42EB03B8, 0x50A8E8673127AD76,
        0x2239DB320458242D, 0xE9CBBCC11E178E69, 0x1CED7136F1BF5FC4, 0xEB23C2C7B799A9AE,
    };
    for (uint32_t id = 0; id < 8; id++) {
        weft_stream stream = weft_stream_seed(weft_stream_substream(SEED, id));
        cr_assert_eq(weft_stream_next(&stream), draws[id], "substream %u", id);
    }
}

Test(numbers, ranges) {
    static const uint32_t ranges[][3] = {
        {5, 9, 7}, {0, 7, 3}, {0, 1, 0}, {1000000, 2000000, 1190186}};
    for (size_t i = 0; i < 4; i++) {
        weft_stream stream = weft_stream_seed(SEED);
        cr_assert_eq(weft_stream_range(&stream, ranges[i][0], ranges[i][1]), ranges[i][2]);
    }
}

// The schedule -----------------------------------------------------------------------------------

static weft_status idle(weft_view* view, const void* context) {
    (void)view;
    (void)context;
    return WEFT_STATUS_OK;
}

/// A after B, B, C after B and A, D, E after D and C run as B, A, C, D, E.
Test(numbers, the_schedule) {
    static const char* const after_b[] = {"B", NULL};
    static const char* const after_b_a[] = {"B", "A", NULL};
    static const char* const after_d_c[] = {"D", "C", NULL};
    static const struct {
        const char* name;
        const char* const* after;
    } systems[] = {{"A", after_b}, {"B", NULL}, {"C", after_b_a}, {"D", NULL}, {"E", after_d_c}};
    weft_world* world = world_make();
    weft_schedule* schedule = run_schedule(world);
    for (size_t i = 0; i < 5; i++)
        run_add(schedule, WEFT_SYSTEM(systems[i].name, idle, .scope = WEFT_SCOPE_WORLD,
                                      .after = systems[i].after));
    SCHEDULE_OK(schedule, weft_schedule_build(schedule));
    fnv hash = fnv_start();
    for (uint32_t rank = 0; rank < weft_schedule_system_count(schedule); rank++) {
        const char* name = weft_schedule_system_name(schedule, rank);
        cr_assert_eq(name[0], "BACDE"[rank]);
        fnv_word(&hash, (uint64_t)(name[0] - 'A') + 1, 8); // The id: its place in registration.
    }
    cr_assert_eq(hash.hash, UINT64_C(0xaef3282f393ab332), "%016" PRIx64, hash.hash);
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
}
