// laige's sample "hello" in Weft worlds: one entity walks along the diagonal of a box of 32 units
// and comes back in at the other end, for 300 ticks. The numbers are lines of its published
// baselines, samples/hello/baselines in its repository, one for each kind of number.

#include "canonical.h"

WEFT_COMPONENT(PlayerPos, (weft_vec2, pos));
// The bits of two floats: what a column holds is all that is asked of it here.
WEFT_COMPONENT(FloatPos, (uint32_t, x), (uint32_t, y));
WEFT_RESOURCE(PlayerStream, WEFT_STREAM_FIELDS);

#define SEED UINT64_C(0x1F055EED)

enum {
    CAPACITY = 8,
    TICKS = 300
};

/// A line of a baseline.
typedef struct published {
    uint64_t tick;
    uint64_t hash;
} published;

static const published fixed_lines[] = {
    {0, 0x1d0bee038913bfc2},   {1, 0x34ad0d068f9da541},   {2, 0xae74b303394975e8},
    {15, 0x1e5002bc6848691b},  {16, 0x2959e3050a6828e2},  {17, 0x729f4bdf464133c1},
    {32, 0xe201b99c31c68c62},  {37, 0x35e8d774af22da85},  {48, 0x79326b6d3848b282},
    {100, 0xe97f7771b03bf5a6}, {177, 0x8d8e37c14d0a94e1}, {256, 0x1453aa66ddc8d90f},
    {299, 0x7e441dd4ab472cda}, {300, 0xf043d40da7b5023b},
};

static const published float_lines[] = {
    {0, 0x1d0bee038913bfc2},   {1, 0x989290fee4e47de1},   {2, 0x91d9fa6ec346d648},
    {15, 0x146ff24c33673e7b},  {16, 0xf5a3055eebb3b442},  {17, 0x3624c672b949b0f1},
    {32, 0xe201b99c31c68c62},  {37, 0x65b2e55bf11cde55},  {48, 0xed98bcc902e332e2},
    {100, 0x46a319072fcde9e6}, {177, 0xeeffcaebf72d8011}, {256, 0x1453aa66ddc8d90f},
    {299, 0xe72d675ecccf79da}, {300, 0x7b87da468dd3e48b},
};

#define LINES(table) (sizeof(table) / sizeof((table)[0]))

/// One step of one axis; the velocity is the context.
static weft_fixed step_fixed(weft_fixed at, weft_fixed velocity) {
    const weft_fixed size = weft_fixed_from_int(32);
    at = weft_fixed_add(at, velocity);
    if (at.raw >= weft_fixed_from_int(16).raw)
        at = weft_fixed_sub(at, size);
    if (at.raw < weft_fixed_from_int(-16).raw)
        at = weft_fixed_add(at, size);
    return at;
}

static weft_status move_fixed(weft_view* view, const void* context) {
    const weft_fixed* velocity = context;
    PlayerPos* players = WEFT_WRITE(view, PlayerPos);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++) {
        players[i].pos.x = step_fixed(players[i].pos.x, *velocity);
        players[i].pos.y = step_fixed(players[i].pos.y, *velocity);
    }
    return WEFT_STATUS_OK;
}

static uint32_t step_float(uint32_t bits) {
    float at;
    memcpy(&at, &bits, sizeof at);
    at = at + 1.0f;
    if (at >= 16.0f)
        at = at - 32.0f;
    if (at < -16.0f)
        at = at + 32.0f;
    memcpy(&bits, &at, sizeof at);
    return bits;
}

static weft_status move_float(weft_view* view, const void* context) {
    (void)context;
    FloatPos* players = WEFT_WRITE(view, FloatPos);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++) {
        players[i].x = step_float(players[i].x);
        players[i].y = step_float(players[i].y);
    }
    return WEFT_STATUS_OK;
}

/// A kind of number: the component and the system that moves it.
typedef struct backend {
    const weft_type* type;
    const weft_access* access;
    weft_system_fn* run;
} backend;

static const weft_access fixed_access[] = {WEFT_WRITES(PlayerPos)};
static const weft_access float_access[] = {WEFT_WRITES(FloatPos)};
static const backend fixed_backend = {WEFT_TYPE(PlayerPos), fixed_access, move_fixed};
static const backend float_backend = {WEFT_TYPE(FloatPos), float_access, move_float};

/// laige hands out the slots of a world from the last down, so its player has slot 7 of 8, in the
/// first generation. Here it is the last of eight entities, and the others go before the first
/// tick.
static void place_player(weft_world* world, const backend* with) {
    static const uint32_t centre[2];
    weft_entity made[CAPACITY];
    world_create(world, CAPACITY, made);
    weft_commands* commands = weft_world_commands(world);
    for (uint32_t i = 0; i + 1 < CAPACITY; i++)
        weft_commands_destroy(commands, 0, made[i]);
    weft_commands_add(commands, 0, made[CAPACITY - 1], with->type, centre);
    world_commit(world);
}

static sim hello_open(const run_config* config, const backend* with, const weft_fixed* velocity) {
    weft_world_desc desc = weft_world_desc_default();
    desc.seed = SEED;
    desc.slot_limit = CAPACITY;
    sim s = {.world = world_make_for(config->kind, &desc)};
    // The generator of system 1. It is never asked, but it is state.
    weft_stream stream = weft_stream_seed(weft_stream_substream(SEED, 1));
    PlayerStream generator;
    WEFT_STREAM_STORE(&generator, stream);
    world_component(s.world, with->type, WEFT_STORAGE_DENSE);
    WORLD_OK(s.world,
             weft_world_register_resource(s.world, WEFT_TYPE(PlayerStream), 1, &generator));
    place_player(s.world, with);
    s.schedule = run_schedule(s.world);
    run_add(s.schedule, WEFT_SYSTEM("MovePlayer", with->run, .access = with->access,
                                    .access_count = 1, .context = velocity));
    s.executor = run_executor(s.schedule, config);
    return s;
}

static uint64_t hello_hash(const sim* s, const backend* with) {
    const PlayerStream* generator = weft_world_resource(s->world, WEFT_TYPE(PlayerStream));
    const canonical_system system = {weft_stream_substream(SEED, 1), WEFT_STREAM_LOAD(generator)};
    return canonical_hash(s->world, &with->type, 1, &system, 1);
}

/// Runs a backend on every executor and compares with the published lines.
static void hello_run(const backend* with, const published* lines, size_t line_count) {
    const weft_fixed velocity = WEFT_FIXED_ONE;
    for (size_t i = 0; i < RUN_CONFIGS; i++) {
        sim s = hello_open(&run_configs[i], with, &velocity);
        size_t line = 0;
        for (uint64_t tick = 0; tick <= TICKS; tick++) {
            if (tick > 0)
                sim_tick(&s);
            if (line == line_count || lines[line].tick != tick)
                continue;
            uint64_t hash = hello_hash(&s, with);
            cr_assert_eq(hash, lines[line].hash, "%s, tick %" PRIu64 ": %016" PRIx64,
                         run_configs[i].name, tick, hash);
            line++;
        }
        cr_assert_eq(line, line_count);
        sim_close(&s);
    }
}

Test(hello, fixed_point) {
    hello_run(&fixed_backend, fixed_lines, LINES(fixed_lines));
}

Test(hello, floats) {
    hello_run(&float_backend, float_lines, LINES(float_lines));
}

/// Its published proof that a change is seen: a velocity of 2 differs at tick 1, with this hash.
Test(hello, a_changed_constant_gives_the_published_difference) {
    const weft_fixed velocity = weft_fixed_from_int(2);
    sim s = hello_open(&run_configs[0], &fixed_backend, &velocity);
    cr_assert_eq(hello_hash(&s, &fixed_backend), fixed_lines[0].hash);
    sim_tick(&s);
    cr_assert_eq(hello_hash(&s, &fixed_backend), UINT64_C(0xd64c528f09f771f1));
    sim_close(&s);
}

/// A world without anything, at ticks 0 and 7: the words {tick, 0}. These two were not published
/// but computed from the description.
Test(hello, empty_worlds) {
    sim s = {.world = world_make()};
    s.schedule = run_schedule(s.world);
    s.executor = run_executor(s.schedule, &run_configs[0]);
    cr_assert_eq(canonical_hash(s.world, NULL, 0, NULL, 0), UINT64_C(0x88201fb960ff6465));
    for (int i = 0; i < 7; i++)
        sim_tick(&s);
    cr_assert_eq(canonical_hash(s.world, NULL, 0, NULL, 0), UINT64_C(0x8037ca2a50c2a9e0));
    sim_close(&s);
}

/// The identity of a run of hello, as its logs have it: of the components {count; id, size,
/// alignment}, and of the configuration {1, rate, capacity, churn, seed, determinism, numbers}.
/// Rate and churn have no counterpart here. Computed from the description.
Test(hello, identity) {
    fnv schema = fnv_start();
    const uint64_t words[] = {1, 1, WEFT_TYPE(PlayerPos)->size, WEFT_TYPE(PlayerPos)->align};
    for (size_t i = 0; i < LINES(words); i++)
        fnv_word(&schema, words[i], 8);
    cr_assert_eq(schema.hash, UINT64_C(0xdddd09da84419311));

    weft_world_desc desc = weft_world_desc_default();
    fnv config = fnv_start();
    const uint64_t parts[] = {1, 60, CAPACITY, 256, SEED, desc.deterministic, 0};
    for (size_t i = 0; i < LINES(parts); i++)
        fnv_word(&config, parts[i], 8);
    cr_assert_eq(config.hash, UINT64_C(0x46c3f70aa863c63d));
}
