// laige's mover of its replay and determinism tests: two entities, positions and velocities, and
// one draw in each tick that all velocities get. Its system is two here, as one that writes a
// resource has world scope: the draw, and the motion that reads it.
//
// laige prints these hashes and keeps none of them. The numbers were computed from its description
// by another program than this, in another language.

#include "canonical.h"

WEFT_COMPONENT(MoverPos, (weft_fixed, x), (weft_fixed, y));
WEFT_COMPONENT(MoverVel, (weft_fixed, x), (weft_fixed, y));
WEFT_RESOURCE(MoverStream, WEFT_STREAM_FIELDS);
WEFT_RESOURCE(Nudge, (weft_fixed, step));

enum {
    CAPACITY = 64
};

static weft_status draw(weft_view* view, const void* context) {
    (void)context;
    MoverStream* generator = WEFT_RESOURCE_WRITE(view, MoverStream);
    weft_stream stream = WEFT_STREAM_LOAD(generator);
    WEFT_RESOURCE_WRITE(view, Nudge)->step =
        weft_fixed_from_int((int32_t)weft_stream_range(&stream, 0, 5));
    WEFT_STREAM_STORE(generator, stream);
    return WEFT_STATUS_OK;
}

static weft_status move(weft_view* view, const void* context) {
    (void)context;
    const Nudge* nudge = WEFT_RESOURCE_READ(view, Nudge);
    MoverPos* positions = WEFT_WRITE(view, MoverPos);
    MoverVel* velocities = WEFT_WRITE(view, MoverVel);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++) {
        positions[i].x = weft_fixed_add(positions[i].x, velocities[i].x);
        positions[i].y = weft_fixed_add(positions[i].y, velocities[i].y);
        velocities[i].x = weft_fixed_add(velocities[i].x, nudge->step);
    }
    return WEFT_STATUS_OK;
}

/// The first entity has the last slot and the second the one before, as laige hands them out.
static void place_movers(weft_world* world) {
    weft_entity made[CAPACITY];
    world_create(world, CAPACITY, made);
    weft_commands* commands = weft_world_commands(world);
    for (uint32_t i = 0; i + 2 < CAPACITY; i++)
        weft_commands_destroy(commands, 0, made[i]);
    const weft_fixed zero = WEFT_FIXED_ZERO;
    const weft_fixed one = WEFT_FIXED_ONE;
    WEFT_ADD(commands, 0, made[63], MoverPos, {weft_fixed_from_int(3), weft_fixed_from_int(-2)});
    WEFT_ADD(commands, 0, made[63], MoverVel, {one, zero});
    WEFT_ADD(commands, 0, made[62], MoverPos, {weft_fixed_from_int(-1), weft_fixed_from_int(4)});
    WEFT_ADD(commands, 0, made[62], MoverVel, {zero, one});
    world_commit(world);
}

static sim mover_open(const run_config* config, uint64_t seed) {
    weft_world_desc desc = weft_world_desc_default();
    desc.seed = seed;
    desc.slot_limit = CAPACITY;
    sim s = {.world = world_make_for(config->kind, &desc)};
    weft_stream stream = weft_stream_seed(weft_stream_substream(seed, 1));
    MoverStream generator;
    WEFT_STREAM_STORE(&generator, stream);
    world_component(s.world, WEFT_TYPE(MoverPos), WEFT_STORAGE_DENSE);
    world_component(s.world, WEFT_TYPE(MoverVel), WEFT_STORAGE_DENSE);
    WORLD_OK(s.world, weft_world_register_resource(s.world, WEFT_TYPE(MoverStream), 1, &generator));
    WORLD_OK(s.world, weft_world_register_resource(s.world, WEFT_TYPE(Nudge), 1, NULL));
    place_movers(s.world);
    s.schedule = run_schedule(s.world);
    run_add(s.schedule,
            WEFT_SYSTEM("draw", draw,
                        WEFT_ACCESS(WEFT_WRITES_RESOURCE(MoverStream), WEFT_WRITES_RESOURCE(Nudge)),
                        .scope = WEFT_SCOPE_WORLD));
    run_add(s.schedule, WEFT_SYSTEM("move", move,
                                    WEFT_ACCESS(WEFT_WRITES(MoverPos), WEFT_WRITES(MoverVel),
                                                WEFT_READS_RESOURCE(Nudge))));
    s.executor = run_executor(s.schedule, config);
    return s;
}

static uint64_t mover_hash(const sim* s, uint64_t seed) {
    static const weft_type* const types[] = {WEFT_TYPE(MoverPos), WEFT_TYPE(MoverVel)};
    const MoverStream* generator = weft_world_resource(s->world, WEFT_TYPE(MoverStream));
    const canonical_system system = {weft_stream_substream(seed, 1), WEFT_STREAM_LOAD(generator)};
    return canonical_hash(s->world, types, 2, &system, 1);
}

/// 500 ticks, in which positions saturate, by the state hash.
Test(mover, the_replayed_scenario) {
    const uint64_t seed = UINT64_C(0x0123456789abcdef);
    for (size_t i = 0; i < RUN_CONFIGS; i++) {
        sim s = mover_open(&run_configs[i], seed);
        cr_assert_eq(mover_hash(&s, seed), UINT64_C(0xfcc19d8144764af9), "%016" PRIx64,
                     mover_hash(&s, seed));
        for (uint32_t tick = 0; tick < 500; tick++)
            sim_tick(&s);
        cr_assert_eq(mover_hash(&s, seed), UINT64_C(0xcddd11d85c9a7b99), "%s: %016" PRIx64,
                     run_configs[i].name, mover_hash(&s, seed));
        sim_close(&s);
    }
}

/// The hash of the determinism tests: tick, then for each entity in the order of a visit its handle
/// and numbers.
static uint64_t visit_hash(const weft_world* world) {
    static const weft_access terms[] = {WEFT_READS(MoverPos), WEFT_READS(MoverVel)};
    weft_cursor cursor = weft_world_visit(world, terms, 2);
    fnv hash = fnv_start();
    fnv_word(&hash, weft_world_tick(world), 8);
    while (weft_cursor_next(&cursor))
        for (uint32_t i = 0; i < cursor.row_count; i++) {
            const MoverPos* at = &WEFT_CURSOR_COLUMN(&cursor, MoverPos)[i];
            const MoverVel* velocity = &WEFT_CURSOR_COLUMN(&cursor, MoverVel)[i];
            const int32_t numbers[] = {at->x.raw, at->y.raw, velocity->x.raw, velocity->y.raw};
            fnv_word(&hash, cursor.entities[i].slot, 8);
            fnv_word(&hash, cursor.entities[i].generation, 8);
            for (int j = 0; j < 4; j++)
                fnv_word(&hash, (uint32_t)numbers[j], 8);
        }
    return hash.hash;
}

Test(mover, the_scenario_of_the_determinism_tests) {
    for (size_t i = 0; i < RUN_CONFIGS; i++) {
        sim s = mover_open(&run_configs[i], 42);
        sim_tick(&s);
        cr_assert_eq(visit_hash(s.world), UINT64_C(0x12927150e8db91b1));
        for (uint32_t tick = 1; tick < 256; tick++)
            sim_tick(&s);
        cr_assert_eq(visit_hash(s.world), UINT64_C(0xa08398d3b963da3b));
        sim_close(&s);
    }
}
