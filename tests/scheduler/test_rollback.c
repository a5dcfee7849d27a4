// Going back (C11): after a failed tick, and to any tick not long past.

#include <weft/memory.h>
#include <weft/random.h>
#include <weft/rollback.h>
#include <weft/state.h>

#include <fenv.h>
#include <math.h>

#include "rig.h"
#include "shared.h"
#include "worlds.h"

WEFT_COMPONENT(Boat, (int32_t, at), (uint32_t, sum));
WEFT_COMPONENT(Salt, (float, share), (bool, iodised), (uint8_t, a), (uint8_t, b), (uint8_t, c));
WEFT_TAG(Ashore);
WEFT_COMPONENT(Leak, (uint32_t, depth)); // Sparse.
WEFT_RESOURCE(Log, (uint64_t, orders), (uint64_t, hash));
WEFT_MESSAGE(Order, (int32_t, steer), (uint32_t, word)); // To a boat.
WEFT_MESSAGE(Signal, (uint32_t, word));                  // To all.

enum {
    BOATS = WEFT_SHARD_SLOTS + 500,
    TICKS = 40
};

static weft_status sail(weft_view* view, const void* context) {
    (void)context;
    Boat* boats = WEFT_WRITE(view, Boat);
    const weft_entity* entities = weft_view_entities(view);
    weft_commands* commands = weft_view_commands(view);
    weft_inbox inbox = weft_view_inbox(view, WEFT_TYPE(Order));
    while (weft_inbox_next(&inbox)) {
        const Order* order = inbox.message;
        boats[inbox.row].at += order->steer;
        boats[inbox.row].sum = boats[inbox.row].sum * 31 + order->word;
    }
    for (uint32_t i = 0; i < weft_view_row_count(view); i++) {
        boats[i].at++;
        boats[i].sum += (uint32_t)boats[i].at;
        if (boats[i].sum % 64 == 1)
            WEFT_ADD(commands, i, entities[i], Leak, {boats[i].sum});
        if (boats[i].sum % 64 == 2)
            WEFT_ADD_TAG(commands, i, entities[i], Ashore);
        if (boats[i].sum % 256 == 3)
            weft_commands_destroy(commands, i, entities[i]);
        if (boats[i].sum % 256 == 4)
            WEFT_CREATE(commands, i, WEFT_VALUE(Boat, {boats[i].at, 5}));
        if (boats[i].sum % 128 == 5) // Waits with the host's.
            WEFT_EMIT(view, i, WEFT_ENTITY_NULL, Signal, {boats[i].sum});
    }
    return WEFT_STATUS_OK;
}

static weft_status keep_log(weft_view* view, const void* context) {
    (void)context;
    uint32_t count;
    const Signal* signals = weft_view_messages(view, WEFT_TYPE(Signal), &count);
    Log* log = WEFT_RESOURCE_WRITE(view, Log);
    log->orders += count;
    for (uint32_t i = 0; i < count; i++)
        log->hash = log->hash * 33 + signals[i].word;
    return WEFT_STATUS_OK;
}

static void build_fleet(weft_world* world, weft_schedule* schedule) {
    world_component(world, WEFT_TYPE(Boat), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Ashore), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Leak), WEFT_STORAGE_SPARSE);
    WORLD_OK(world, weft_world_register_resource(world, WEFT_TYPE(Log), 1, NULL));
    WORLD_OK(world, weft_world_register_channel(world, WEFT_TYPE(Order), WEFT_TARGET_ENTITY,
                                                WEFT_DELIVERY_NEXT));
    WORLD_OK(world, weft_world_register_channel(world, WEFT_TYPE(Signal), WEFT_TARGET_WORLD,
                                                WEFT_DELIVERY_NEXT));
    for (uint32_t i = 0; i < BOATS; i++)
        WEFT_CREATE(weft_world_commands(world), 0, WEFT_VALUE(Boat, {(int32_t)i, i * i}));
    world_commit(world);
    run_add(schedule, WEFT_SYSTEM("sail", sail,
                                  WEFT_ACCESS(WEFT_WRITES(Boat), WEFT_CONSUMES(Order),
                                              WEFT_EMITS(Signal), WEFT_COMMANDS)));
    run_add(schedule, WEFT_SYSTEM("log", keep_log, .scope = WEFT_SCOPE_WORLD,
                                  WEFT_ACCESS(WEFT_CONSUMES(Signal), WEFT_WRITES_RESOURCE(Log))));
}

static weft_digest digest_of(const sim* s) {
    weft_digest full;
    WORLD_OK(s->world, weft_executor_digest(s->executor, NULL, &full));
    return full;
}

// Ticks that began in the world's present past: commands that came before them are in it.
static uint64_t begun;

static sim fleet_open(size_t config, uint32_t ticks) {
    run_config with = run_configs[config % RUN_CONFIGS];
    with.rollback_ticks = ticks;
    begun = 0;
    return sim_open(&with, build_fleet);
}

enum {
    NO_COMMANDS = 10 // In stories from here on.
};

// What the host does before a tick: up to three events, and now and then commands. `story` makes
// the difference between two hosts.
static void host(const sim* s, uint64_t story) {
    weft_random_key key = {.seed = story};
    uint64_t tick = weft_world_tick(s->world);
    uint64_t events = weft_random_below(key, tick, 0, 4);
    for (uint64_t i = 0; i < events; i++) {
        uint32_t word = (uint32_t)weft_random_below(key, tick, 1 + i, 1000);
        weft_entity boat = {word * 4, 1};
        WORLD_OK(s->world, weft_world_post(s->world, WEFT_TYPE(Order), boat, &(Order){2, word}));
        WORLD_OK(s->world,
                 weft_world_post(s->world, WEFT_TYPE(Signal), WEFT_ENTITY_NULL, &(Signal){word}));
    }
    if (story >= NO_COMMANDS || tick < begun || weft_random_below(key, tick, 9, 6) != 0)
        return;
    weft_commands* commands = weft_world_commands(s->world);
    weft_commands_destroy(commands, 0,
                          (weft_entity){(uint32_t)weft_random_below(key, tick, 10, BOATS), 1});
    WEFT_CREATE(commands, 0, WEFT_VALUE(Boat, {7, (uint32_t)tick}));
    if (tick % 2 == 0)
        world_commit(s->world); // Else the tick does.
}

static void go(const sim* s, uint64_t story) {
    host(s, story);
    WORLD_OK(s->world, weft_executor_tick(s->executor));
    begun = begun > weft_world_tick(s->world) ? begun : weft_world_tick(s->world);
}

static void go_back(const sim* s, uint64_t tick) {
    WORLD_OK(s->world, weft_executor_rollback(s->executor, tick));
    cr_assert_eq(weft_world_tick(s->world), tick);
    begun = begun < tick + 1 ? begun : tick + 1;
}

static void go_to(const sim* s, uint64_t tick, uint64_t story) {
    while (weft_world_tick(s->world) < tick)
        go(s, story);
}

// Digests of a run with one host up to `turn`, and another one from there.
static void expect(weft_digest* digests, uint64_t before, uint64_t turn, uint64_t after) {
    sim s = sim_open(&run_configs[0], build_fleet);
    begun = 0;
    for (uint64_t tick = 0; tick <= TICKS; tick++) {
        digests[tick] = digest_of(&s);
        go(&s, tick < turn ? before : after);
    }
    sim_close(&s);
}

Test(rollback, random_ticks_back_and_forth_with_the_same_host, .timeout = 100) {
    static weft_digest expected[TICKS + 1];
    expect(expected, 1, TICKS, 1);
    for (size_t i = 0; i < RUN_CONFIGS; i++) {
        weft_random_key key = {.seed = 100 + i};
        sim s = fleet_open(i, 1 + i % 7);
        bool digests = i % 3 != 0; // Asked for in each tick, or at the end alone.
        for (uint64_t step = 0; step < 30; step++) {
            uint64_t oldest;
            uint64_t now = weft_world_tick(s.world);
            uint64_t next = now + 1 + weft_random_below(key, step, 0, 6);
            for (next = next < TICKS ? next : TICKS; now < next; now++) {
                go(&s, 1);
                if (digests)
                    DIGEST_EQ(digest_of(&s), expected[now + 1]);
            }
            cr_assert(weft_executor_rollback_oldest(s.executor, &oldest));
            cr_assert_leq(oldest, now);
            uint64_t target = oldest + weft_random_below(key, step, 1, now - oldest + 1);
            if (weft_random_below(key, step, 2, 2) == 0)
                host(&s, 7); // Taken back.
            go_back(&s, target);
            WORLD_OK(s.world, weft_world_digest_check(s.world));
            if (weft_random_below(key, step, 3, 2) == 0)
                go_to(&s, now, 1);
        }
        go_to(&s, TICKS, 1);
        DIGEST_EQ(digest_of(&s), expected[TICKS]);
        sim_close(&s);
    }
}

// A lockstep game: what the others did becomes known late.
Test(rollback, other_events_from_a_tick_on_make_another_past, .timeout = 100) {
    static weft_digest expected[TICKS + 1];
    for (size_t i = 0; i < RUN_CONFIGS; i++) {
        uint64_t turn = 11 + i;
        expect(expected, NO_COMMANDS, turn, NO_COMMANDS + 1);
        sim s = fleet_open(i, 8);
        go_to(&s, turn + 7, NO_COMMANDS);
        go_back(&s, turn);
        while (weft_world_tick(s.world) < TICKS) {
            go(&s, NO_COMMANDS + 1);
            DIGEST_EQ(digest_of(&s), expected[weft_world_tick(s.world)]);
        }
        sim_close(&s);
    }
}

// Commands before a tick that began are in world(tick); those of a tick that has not are taken
// back.
Test(rollback, commands_of_the_host_belong_to_the_tick_that_they_came_before) {
    sim s = fleet_open(0, 4);
    go_to(&s, 5, 1);
    weft_digest before = digest_of(&s);
    weft_commands_destroy(weft_world_commands(s.world), 0, (weft_entity){17, 1});
    world_commit(s.world);
    weft_digest without = digest_of(&s);
    DIGEST_NE(before, without);
    WORLD_OK(s.world, weft_executor_rollback(s.executor, 5));
    DIGEST_EQ(digest_of(&s), before);
    weft_commands_destroy(weft_world_commands(s.world), 0, (weft_entity){17, 1});
    sim_tick(&s);
    sim_tick(&s);
    WORLD_OK(s.world, weft_executor_rollback(s.executor, 5));
    DIGEST_EQ(digest_of(&s), without);
    weft_commands_destroy(weft_world_commands(s.world), 0, (weft_entity){18, 1});
    WORLD_OK(s.world, weft_executor_rollback(s.executor, 4)); // Recorded: gone too.
    sim_tick(&s);
    cr_assert(weft_world_is_alive(s.world, (weft_entity){18, 1}));
    sim_close(&s);
}

static void alternate(size_t first, size_t with) {
    static weft_digest expected[TICKS + 1];
    expect(expected, 1, TICKS, 1);
    sim s = fleet_open(first, 3);
    run_config other_config = run_configs[with];
    other_config.rollback_ticks = 5;
    weft_executor* executors[] = {s.executor, run_executor(s.schedule, &other_config),
                                  run_executor(s.schedule, &run_configs[4])};
    uint64_t oldest;
    for (uint64_t tick = 0; tick < TICKS; tick++) {
        s.executor = executors[tick / 3 % 3];
        go(&s, 1);
        if (tick % 5 != 4 || !weft_executor_rollback_oldest(s.executor, &oldest))
            continue;
        go_back(&s, oldest);
        go_to(&s, tick + 1, 1);
        DIGEST_EQ(digest_of(&s), expected[tick + 1]);
    }
    s.executor = executors[0];
    weft_executor_destroy(executors[1]);
    weft_executor_destroy(executors[2]);
    sim_close(&s);
}

Test(rollback, executors_may_alternate, .timeout = 60) {
    alternate(0, 7);
#if TEST_HAS_PROCESSES
    alternate(RUN_CONFIGS - 1, 7);
#endif
}

// Refusals ---------------------------------------------------------------------------------------

static void refused(const sim* s, uint64_t tick, weft_status status, const char* part) {
    bool failed = weft_world_has_failed(s->world);
    uint64_t now = weft_world_tick(s->world);
    cr_assert_eq(weft_executor_rollback(s->executor, tick), status);
    TEXT_HAS(weft_world_error(s->world), part);
    cr_assert_eq(weft_world_has_failed(s->world), failed);
    cr_assert_eq(weft_world_tick(s->world), now);
}

static weft_status collect(void* context, const void* bytes, size_t size) {
    FILE* file = context;
    return fwrite(bytes, 1, size, file) == size ? WEFT_STATUS_OK : WEFT_STATUS_FILE_ERROR;
}

Test(rollback, what_is_refused) {
    uint64_t oldest;
    sim off = sim_open(&run_configs[0], build_fleet);
    sim_tick(&off);
    refused(&off, 0, WEFT_STATUS_UNSUPPORTED, "rollback_ticks");
    cr_assert(!weft_executor_rollback_oldest(off.executor, &oldest));
    sim_close(&off);

    sim s = fleet_open(0, 10);
    refused(&s, 0, WEFT_STATUS_OUT_OF_RANGE, "the first one is taken in the next tick");
    go_to(&s, 35, 1);
    weft_digest now = digest_of(&s);
    refused(&s, 36, WEFT_STATUS_OUT_OF_RANGE, "tick 36 has not been: the world is at tick 35");
    refused(&s, 2, WEFT_STATUS_OUT_OF_RANGE, "tick 2 is too long ago: the oldest state");
    DIGEST_EQ(digest_of(&s), now);
    cr_assert(weft_executor_rollback_oldest(s.executor, &oldest));
    refused(&s, oldest - 1, WEFT_STATUS_OUT_OF_RANGE, "too long ago");
    WORLD_OK(s.world, weft_executor_rollback(s.executor, oldest));

    // Another past: by a checkpoint, and by a decoded state.
    weft_world_checkpoint(s.world);
    refused(&s, oldest, WEFT_STATUS_OUT_OF_RANGE, "no state is kept");
    sim_tick(&s);
    char* bytes = NULL;
    size_t size = 0;
    FILE* file = open_memstream(&bytes, &size);
    WORLD_OK(s.world, weft_world_encode(s.world, collect, file));
    fclose(file);
    WORLD_OK(s.world, weft_executor_rollback(s.executor, oldest));
    WORLD_OK(s.world, weft_world_decode(s.world, bytes, size));
    free(bytes);
    refused(&s, oldest, WEFT_STATUS_OUT_OF_RANGE, "no state is kept");
    sim_close(&s);

    sim third = sim_open(&run_configs[0], build_fleet);
    weft_executor_desc desc = weft_executor_desc_default();
    weft_executor* executor;
    desc.rollback_percent = 101;
    cr_assert_eq(weft_executor_create(&desc, third.schedule, &executor), WEFT_STATUS_BAD_ARGUMENT);
    sim_close(&third);
}

// How far apart states are is chosen by cost, but what is given as the least holds.
Test(rollback, a_share_of_the_time_chooses_the_distance) {
    static weft_digest expected[TICKS + 1];
    expect(expected, 1, TICKS, 1);
    sim s = sim_open(&run_configs[0], build_fleet);
    weft_executor_destroy(s.executor);
    weft_executor_desc desc = weft_executor_desc_default();
    desc.rollback_percent = 100;
    desc.rollback_ticks = 9;
    WORLD_OK(s.world, weft_executor_create(&desc, s.schedule, &s.executor));
    for (uint64_t tick = 0; tick < TICKS; tick++)
        sim_tick(&s);
    weft_executor_stats stats = weft_executor_stats_read(s.executor);
    cr_assert(stats.states >= 1 && stats.states <= 1 + TICKS / 9, "%d states", (int)stats.states);
    cr_assert_gt(stats.states_ns, 0);
    cr_assert_eq(stats.rollbacks + stats.reruns, 0);
    cr_assert_gt(stats.state_bytes, BOATS * sizeof(Boat));
    uint64_t oldest;
    cr_assert(weft_executor_rollback_oldest(s.executor, &oldest));
    WORLD_OK(s.world, weft_executor_rollback(s.executor, oldest));
    WORLD_OK(s.world, weft_executor_rollback(s.executor, oldest)); // Again.
    cr_assert_eq(weft_executor_stats_read(s.executor).rollbacks, 2);
    sim_close(&s);
}

// Kinds of failure --------------------------------------------------------------------------------
// Those that test_failure.c does not have.

typedef enum slip {
    CALM,
    NOT_A_NUMBER,
    BAD_BOOL,
    FLOAT_STATE,
    WRITE_UNDECLARED,
    WRITE_FROM_OUTSIDE, // Depends on what is not in the world.
    FAIL_FROM_OUTSIDE,
} slip;

// The host's choice between ticks.
static slip* slips;
static uint32_t outside;

static void choose_slip(void) {
    slips = shared_make(sizeof(*slips));
}

TestSuite(rollback, .init = choose_slip);

enum {
    SLIP_TICK = 5
};

static weft_status slip_up(weft_view* view, const void* context) {
    (void)context;
    Salt* salts = WEFT_WRITE(view, Salt);
    const Boat* boats = WEFT_READ(view, Boat);
    bool now = weft_view_tick(view) == SLIP_TICK && weft_view_shard(view) == 1;
    for (uint32_t i = 0; i < weft_view_row_count(view); i++)
        salts[i].share = salts[i].share * 0.5f + (float)(boats[i].at & 7);
    if (*slips == WRITE_FROM_OUTSIDE)
        salts[0].share += (float)outside;
    if (*slips == FAIL_FROM_OUTSIDE && outside == 1)
        return weft_view_fail(view, "the sea is high");
    if (now && *slips == NOT_A_NUMBER)
        salts[3].share = NAN;
    if (now && *slips == BAD_BOOL)
        memset(&salts[3].iodised, 2, 1);
    if (now && *slips == FLOAT_STATE)
        fesetround(FE_UPWARD);
    if (now && *slips == WRITE_UNDECLARED)
        ((Boat*)(uintptr_t)boats)[3].at = 9;
    return WEFT_STATUS_OK;
}

static void build_salt(weft_world* world, weft_schedule* schedule) {
    world_component(world, WEFT_TYPE(Boat), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Salt), WEFT_STORAGE_DENSE);
    for (uint32_t i = 0; i < BOATS; i++)
        WEFT_CREATE(weft_world_commands(world), 0, WEFT_VALUE(Boat, {(int32_t)i, i}),
                    WEFT_VALUE(Salt, {0}));
    world_commit(world);
    run_add(schedule,
            WEFT_SYSTEM("slip", slip_up, WEFT_ACCESS(WEFT_READS(Boat), WEFT_WRITES(Salt))));
}

static sim salt_open(const run_config* config, bool aliased) {
    weft_world_desc desc = weft_world_desc_default();
    weft_memory memory = {0};
    desc.math = WEFT_MATH_FLOAT_PINNED_32;
    sim s = {0};
    aliased |= config->kind == WEFT_EXECUTOR_PROCESSES;
    *slips = CALM;
    if (aliased)
        cr_assert_eq(weft_memory_aliased(config->guard == WEFT_GUARD_TRAP, &memory),
                     WEFT_STATUS_OK);
    cr_assert_eq(weft_world_create(&desc, aliased ? &memory : NULL, &s.world), WEFT_STATUS_OK);
    s.schedule = run_schedule(s.world);
    build_salt(s.world, s.schedule);
    s.executor = run_executor(s.schedule, config);
    return s;
}

static void check_slip(const run_config* with, slip what, weft_status expected, bool aliased) {
    run_config config = *with;
    config.rollback_ticks = 3;
    sim calm = salt_open(&run_configs[0], false);
    sim s = salt_open(&config, aliased);
    for (uint32_t tick = 0; tick < SLIP_TICK + 4; tick++)
        sim_tick(&calm);
    for (uint32_t tick = 0; tick < SLIP_TICK; tick++)
        sim_tick(&s);
    weft_digest before = digest_of(&s);
    *slips = what;
    char error[512] = "";
    for (uint32_t i = 0; i < 3; i++) {
        cr_assert_eq(weft_executor_tick(s.executor), expected, "%s, slip %d: %s", config.name,
                     (int)what, weft_world_error(s.world));
        cr_assert(!weft_world_has_failed(s.world), "%s", weft_world_error(s.world));
        if (i > 0)
            cr_assert_str_eq(weft_world_error(s.world), error);
        snprintf(error, sizeof(error), "%s", weft_world_error(s.world));
        TEXT_HAS(error, "system \"slip\" failed in tick 5, archetype 1, shard 1");
        DIGEST_EQ(digest_of(&s), before);
        const weft_guard_report* report = weft_executor_guard_report(s.executor);
        cr_assert_eq(report->found, what == WRITE_UNDECLARED);
        if (report->found)
            cr_assert_eq(report->tick, SLIP_TICK);
    }
    *slips = CALM;
    for (uint32_t tick = 0; tick < 4; tick++)
        sim_tick(&s);
    DIGEST_EQ(digest_of(&s), digest_of(&calm));
    WORLD_OK(s.world, weft_world_digest_check(s.world));
    sim_close(&s);
    sim_close(&calm);
}

Test(rollback, values_and_float_states_that_are_refused_change_nothing, .timeout = 60) {
    for (size_t i = 0; i < RUN_CONFIGS; i++) {
        check_slip(&run_configs[i], NOT_A_NUMBER, WEFT_STATUS_NOT_A_NUMBER, false);
        check_slip(&run_configs[i], BAD_BOOL, WEFT_STATUS_BAD_BOOL, false);
        check_slip(&run_configs[i], FLOAT_STATE, WEFT_STATUS_FLOAT_STATE, false);
    }
}

Test(rollback, what_a_guard_finds_changes_nothing, .timeout = 60) {
    for (size_t i = 0; i < RUN_CONFIGS; i++)
        for (weft_guard guard = WEFT_GUARD_ALIAS; guard <= WEFT_GUARD_TRAP; guard++) {
            run_config config = run_configs[i];
            config.guard = guard;
            bool own_pages = guard == WEFT_GUARD_TRAP && config.kind == WEFT_EXECUTOR_PROCESSES;
            if (guard > WEFT_GUARD_ALIAS && config.kind >= WEFT_EXECUTOR_THREADS &&
                config.workers > 1 && !own_pages)
                continue;
            check_slip(&config, WRITE_UNDECLARED, WEFT_STATUS_UNDECLARED, true);
        }
}

Test(rollback, a_world_that_another_executor_failed_is_sound_again) {
    run_config config = run_configs[0];
    config.rollback_ticks = 3;
    sim s = salt_open(&config, false);
    weft_executor* keeper = s.executor;
    for (uint32_t tick = 0; tick < SLIP_TICK; tick++)
        sim_tick(&s);
    weft_digest before = digest_of(&s);
    s.executor = run_executor(s.schedule, &run_configs[7]);
    *slips = NOT_A_NUMBER;
    cr_assert_eq(weft_executor_tick(s.executor), WEFT_STATUS_NOT_A_NUMBER);
    cr_assert(weft_world_has_failed(s.world));
    cr_assert_eq(weft_executor_tick(keeper), WEFT_STATUS_WORLD_FAILED);
    *slips = CALM;
    WORLD_OK(s.world, weft_executor_rollback(keeper, SLIP_TICK));
    cr_assert(!weft_world_has_failed(s.world));
    DIGEST_EQ(digest_of(&s), before);
    sim_tick(&s);
    weft_executor_destroy(keeper);
    sim_close(&s);
}

// Hidden inputs ----------------------------------------------------------------------------------

static sim salt_to_ten(slip what) {
    run_config config = run_configs[0];
    config.rollback_ticks = 4;
    outside = 0;
    sim s = salt_open(&config, false);
    *slips = what;
    for (uint32_t tick = 0; tick < 10; tick++) {
        sim_tick(&s);
        (void)digest_of(&s);
    }
    return s;
}

Test(rollback, a_hidden_input_is_found_by_the_digests) {
    sim s = salt_to_ten(WRITE_FROM_OUTSIDE);
    outside = 1;
    cr_assert_eq(weft_executor_rollback(s.executor, 9), WEFT_STATUS_DIVERGED);
    TEXT_HAS(weft_world_error(s.world), "run again from tick 8, the world has another digest "
                                        "after 9 ticks than before");
    cr_assert(weft_world_has_failed(s.world));
    cr_assert_eq(weft_executor_tick(s.executor), WEFT_STATUS_WORLD_FAILED);
    outside = 0; // The states are still good.
    WORLD_OK(s.world, weft_executor_rollback(s.executor, 9));
    sim_tick(&s);
    // On the way back from a failed tick.
    *slips = FAIL_FROM_OUTSIDE;
    outside = 1;
    cr_assert_eq(weft_executor_tick(s.executor), WEFT_STATUS_DIVERGED);
    TEXT_HAS(weft_world_error(s.world), "fails when it is run again");
    TEXT_HAS(weft_world_error(s.world), "failed in tick 10");
    cr_assert(weft_world_has_failed(s.world));
    sim_close(&s);
}

// Digests that were never asked for cannot be compared: what is there is told by the manual.
Test(rollback, ticks_without_digests_are_not_compared) {
    run_config config = run_configs[0];
    config.rollback_ticks = 4;
    sim s = salt_open(&config, false);
    *slips = WRITE_FROM_OUTSIDE;
    for (uint32_t tick = 0; tick < 10; tick++)
        sim_tick(&s);
    outside = 1;
    WORLD_OK(s.world, weft_executor_rollback(s.executor, 9));
    outside = 0;
    sim_close(&s);
}

// Worker processes share the way back, and see no more of who asks for it than the world.
Test(rollback, by_worker_processes, .timeout = 60) {
    weft_rig rig;
    weft_executor_desc desc = weft_executor_desc_default();
    weft_rig_start start = {.entity_count = 20 * WEFT_SHARD_SLOTS, .seed = 1, .aliased = true};
    weft_digest digests[7];
    desc.kind = WEFT_EXECUTOR_PROCESSES;
    desc.worker_count = 2;
    desc.everybody = true;
    desc.rollback_ticks = 2;
    cr_assert_eq(weft_rig_open_as(&rig, &weft_workload_motion, &start), WEFT_STATUS_OK);
    cr_assert_eq(weft_rig_add(&rig, &desc), WEFT_STATUS_OK);
    for (uint32_t i = 0; i < 7; i++) {
        WORLD_OK(rig.world, weft_rig_tick(&rig, 0));
        WORLD_OK(rig.world, weft_executor_digest(rig.executor[0], NULL, &digests[i]));
    }
    for (uint64_t tick = 7; tick-- > 5;) {
        weft_digest now;
        WORLD_OK(rig.world, weft_executor_rollback(rig.executor[0], tick));
        WORLD_OK(rig.world, weft_executor_digest(rig.executor[0], NULL, &now));
        DIGEST_EQ(now, digests[tick - 1]);
    }
    cr_assert_eq(weft_executor_stats_read(rig.executor[0]).crashes, 0);
    weft_rig_close(&rig);
}
