// Failures: a tick that fails names its first failure, and the world refuses to go on, or with
// rollback is what it was (C11).

#include "shared.h"
#include "worlds.h"

WEFT_COMPONENT(Body, (uint32_t, mass));
WEFT_COMPONENT(Cargo, (uint32_t, crates));
WEFT_TAG(Left);
WEFT_RESOURCE(Gauge, (uint64_t, level));

enum {
    ENTITIES = 6 * WEFT_SHARD_SLOTS,
    FAIL_TICK = 3,
    END_TICK = 7
};

// The host's choice, between ticks alone.
static uint64_t* fail_tick;

static void choose_tick(void) {
    fail_tick = shared_make(sizeof(*fail_tick));
    *fail_tick = FAIL_TICK;
}

TestSuite(failure, .init = choose_tick);

static void populate(weft_world* world) {
    world_component(world, WEFT_TYPE(Body), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Cargo), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Left), WEFT_STORAGE_DENSE);
    WORLD_OK(world, weft_world_register_resource(world, WEFT_TYPE(Gauge), 1, NULL));
    weft_commands* commands = weft_world_commands(world);
    for (uint32_t i = 0; i < ENTITIES; i++) {
        weft_entity made = weft_commands_create(commands, 0);
        WEFT_ADD(commands, 0, made, Body, {i});
        WEFT_ADD(commands, 0, made, Cargo, {i});
        if (i % 2 == 1) // Archetype 2.
            WEFT_ADD_TAG(commands, 0, made, Left);
    }
    world_commit(world);
}

// More counts of workers than usual: with one worker nobody else ends a failed tick.
static const run_config configs[] = {
    {.name = "serial", .kind = WEFT_EXECUTOR_SERIAL, .workers = 1},
    {.name = "serial without fusion",
     .kind = WEFT_EXECUTOR_SERIAL,
     .workers = 1,
     .no_fusion = true},
    {.name = "serial by system",
     .kind = WEFT_EXECUTOR_SERIAL,
     .workers = 1,
     .sweep = WEFT_SWEEP_SYSTEM_MAJOR},
    {.name = "virtual 4 by system",
     .kind = WEFT_EXECUTOR_VIRTUAL,
     .workers = 4,
     .sweep = WEFT_SWEEP_SYSTEM_MAJOR,
     .seed = 6},
    {.name = "threads 4 by system",
     .kind = WEFT_EXECUTOR_THREADS,
     .workers = 4,
     .sweep = WEFT_SWEEP_SYSTEM_MAJOR},
    {.name = "virtual 1", .kind = WEFT_EXECUTOR_VIRTUAL, .workers = 1, .seed = 3},
    {.name = "virtual 4", .kind = WEFT_EXECUTOR_VIRTUAL, .workers = 4, .seed = 4},
    {.name = "virtual 4 without fusion",
     .kind = WEFT_EXECUTOR_VIRTUAL,
     .workers = 4,
     .no_fusion = true,
     .seed = 5},
    {.name = "threads 1", .kind = WEFT_EXECUTOR_THREADS, .workers = 1},
    {.name = "threads 2", .kind = WEFT_EXECUTOR_THREADS, .workers = 2},
    {.name = "threads 4",
     .kind = WEFT_EXECUTOR_THREADS,
     .workers = 4,
     .everybody = true,
     .grain = 1},
    {.name = "threads 4 without fusion",
     .kind = WEFT_EXECUTOR_THREADS,
     .workers = 4,
     .no_fusion = true},
#if TEST_HAS_PROCESSES
    {.name = "processes 1", .kind = WEFT_EXECUTOR_PROCESSES, .workers = 1},
    {.name = "processes 2 by system",
     .kind = WEFT_EXECUTOR_PROCESSES,
     .workers = 2,
     .sweep = WEFT_SWEEP_SYSTEM_MAJOR},
    {.name = "processes 4 without fusion",
     .kind = WEFT_EXECUTOR_PROCESSES,
     .workers = 4,
     .no_fusion = true},
    {.name = "processes 3",
     .kind = WEFT_EXECUTOR_PROCESSES,
     .workers = 3,
     .everybody = true,
     .grain = 1},
#endif
};

#define CONFIGS (sizeof(configs) / sizeof(configs[0]))

// The world is the one of before the tick, or it says that it is not.
static void check_refuses(sim* s, const char* name) {
    char error[512];
    cr_assert(weft_world_has_failed(s->world), "%s", name);
    snprintf(error, sizeof(error), "%s", weft_world_error(s->world));
    cr_assert_eq(weft_executor_tick(s->executor), WEFT_STATUS_WORLD_FAILED);
    cr_assert_eq(weft_world_commit(s->world), WEFT_STATUS_WORLD_FAILED);
    weft_digest view = {1, 1};
    cr_assert_neq(weft_executor_digest(s->executor, &view, NULL), WEFT_STATUS_OK);
    view = weft_world_digest_view(s->world);
    cr_assert(view.low == 0 && view.high == 0);
    view = weft_world_digest_full(s->world);
    cr_assert(view.low == 0 && view.high == 0);
    cr_assert_neq(weft_world_digest_check(s->world), WEFT_STATUS_OK);
    TEXT_HAS(weft_world_error(s->world), "\"");
    cr_assert_str_eq(weft_world_error(s->world), error, "the first error is lost");
}

static weft_digest digest_of(sim* s) {
    weft_digest full;
    WORLD_OK(s->world, weft_executor_digest(s->executor, NULL, &full));
    return full;
}

// Goes on to the last tick, in which none fails.
static weft_digest run_calmly(sim* s) {
    *fail_tick = UINT64_MAX;
    while (weft_world_tick(s->world) < END_TICK)
        sim_tick(s);
    *fail_tick = FAIL_TICK;
    WORLD_OK(s->world, weft_world_digest_check(s->world));
    return digest_of(s);
}

// A failing tick of an executor with rollback changes nothing, however often it is tried.
static void check_changes_nothing(sim* s, const char* name, weft_status expected,
                                  weft_digest at_end) {
    char error[512] = "";
    for (uint32_t tick = 0; tick < FAIL_TICK; tick++)
        sim_tick(s);
    for (uint32_t i = 0; i < 3; i++) {
        weft_digest before = digest_of(s);
        cr_assert_eq(weft_executor_tick(s->executor), expected, "%s: %s", name,
                     weft_world_error(s->world));
        cr_assert(!weft_world_has_failed(s->world), "%s: %s", name, weft_world_error(s->world));
        cr_assert_eq(weft_world_tick(s->world), FAIL_TICK);
        TEXT_HAS(weft_world_error(s->world), "tick 3");
        TEXT_HAS(weft_world_error(s->world), "; the world is back at the start of tick 3");
        cr_assert_null(strstr(weft_world_error(s->world), "refuses"));
        if (i > 0)
            cr_assert_str_eq(weft_world_error(s->world), error, "%s", name);
        snprintf(error, sizeof(error), "%s", weft_world_error(s->world));
        DIGEST_EQ(digest_of(s), before);
        WORLD_OK(s->world, weft_world_digest_check(s->world));
    }
    cr_assert(weft_digest_equal(run_calmly(s), at_end), "%s: not as if it had never failed", name);
}

// The same kind of failure with states every tick, every other tick, and of the first tick alone.
static void check_rollback(sim_build_fn* build, weft_status expected) {
    static const uint32_t distances[] = {1, 2, 100};
    sim calm = sim_open(&configs[0], build);
    weft_digest at_end = run_calmly(&calm);
    sim_close(&calm);
    for (size_t i = 0; i < CONFIGS; i++) {
        run_config config = configs[i];
        config.rollback_ticks = distances[i % 3];
        sim s = sim_open(&config, build);
        check_changes_nothing(&s, config.name, expected, at_end);
        sim_close(&s);
    }
}

// Runs until tick FAIL_TICK, which must fail with this error.
static void run_to_failure(sim_build_fn* build, weft_status expected, const char* const* parts) {
    for (size_t i = 0; i < CONFIGS; i++) {
        sim s = sim_open(&configs[i], build);
        for (uint32_t tick = 0; tick < FAIL_TICK; tick++)
            sim_tick(&s);
        weft_status status = weft_executor_tick(s.executor);
        cr_assert(status == expected, "%s: %s", configs[i].name, weft_status_name(status));
        for (const char* const* part = parts; *part != NULL; part++)
            cr_assert(strstr(weft_world_error(s.world), *part) != NULL, "%s: \"%s\" lacks \"%s\"",
                      configs[i].name, weft_world_error(s.world), *part);
        cr_assert_eq(weft_world_tick(s.world), FAIL_TICK);
        check_refuses(&s, configs[i].name);
        sim_close(&s);
    }
    check_rollback(build, expected);
}

// One task
// -----------------------------------------------------------------------------------------

static weft_status work(weft_view* view, const void* context) {
    (void)context;
    Body* bodies = WEFT_WRITE(view, Body);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++)
        bodies[i].mass = bodies[i].mass * 3 + 1;
    return WEFT_STATUS_OK;
}

static weft_status fail_in_one_chunk(weft_view* view, const void* context) {
    (void)context;
    if (weft_view_tick(view) == *fail_tick && weft_view_shard(view) == 4)
        return weft_view_fail(view, "the engine of %u is on fire",
                              weft_view_entities(view)[0].slot);
    return WEFT_STATUS_OK;
}

static void build_one(weft_world* world, weft_schedule* schedule) {
    populate(world);
    run_add(schedule, WEFT_SYSTEM("work", work, WEFT_ACCESS(WEFT_WRITES(Body))));
    run_add(schedule, WEFT_SYSTEM("engine", fail_in_one_chunk,
                                  WEFT_ACCESS(WEFT_READS(Body), WEFT_WITH(Left))));
    run_add(schedule, WEFT_SYSTEM("after", work, WEFT_ACCESS(WEFT_WRITES(Body))));
}

Test(failure, an_error_ends_the_tick_and_names_its_place, .timeout = 60) {
    static const char* const parts[] = {
        "\"engine\"", "tick 3", "archetype 2", "shard 4", "the engine of 16385 is on fire",
        "refuses",    NULL};
    run_to_failure(build_one, WEFT_STATUS_SYSTEM_FAILED, parts);
}

static weft_status fail_in_world(weft_view* view, const void* context) {
    (void)context;
    return weft_view_tick(view) == *fail_tick ? weft_view_fail(view, "no more") : WEFT_STATUS_OK;
}

static void build_world_scope(weft_world* world, weft_schedule* schedule) {
    populate(world);
    run_add(schedule, WEFT_SYSTEM("work", work, WEFT_ACCESS(WEFT_WRITES(Body))));
    run_add(schedule, WEFT_SYSTEM("clock", fail_in_world, .scope = WEFT_SCOPE_WORLD,
                                  WEFT_ACCESS(WEFT_READS_ANY(Body))));
}

Test(failure, a_world_scope_system_fails_the_same_way, .timeout = 60) {
    static const char* const parts[] = {"\"clock\"", "tick 3", "no more", NULL};
    run_to_failure(build_world_scope, WEFT_STATUS_SYSTEM_FAILED, parts);
}

// A status without a text has the status's own.
static weft_status fail_silently(weft_view* view, const void* context) {
    (void)context;
    return weft_view_tick(view) == *fail_tick ? WEFT_STATUS_BAD_ARGUMENT : WEFT_STATUS_OK;
}

static void build_silent(weft_world* world, weft_schedule* schedule) {
    populate(world);
    run_add(schedule, WEFT_SYSTEM("mute", fail_silently, WEFT_ACCESS(WEFT_READS(Body))));
}

Test(failure, a_status_without_a_text_is_explained, .timeout = 60) {
    static const char* const parts[] = {"\"mute\"", "tick 3", "argument", "shard 0", NULL};
    run_to_failure(build_silent, WEFT_STATUS_BAD_ARGUMENT, parts);
}

// Several tasks
// --------------------------------------------------------------------------------------

// Fails in every chunk but those that the context spares.
typedef struct fault {
    const char* name;
    uint32_t from_archetype;
    uint32_t from_shard;
} fault;

static weft_status fail_from(weft_view* view, const void* context) {
    const fault* f = context;
    if (weft_view_tick(view) != *fail_tick)
        return WEFT_STATUS_OK;
    uint32_t archetype = weft_view_entities(view)[0].slot % 2 + 1;
    if (archetype >= f->from_archetype && weft_view_shard(view) >= f->from_shard)
        return weft_view_fail(view, "%s at %u, %u", f->name, archetype, weft_view_shard(view));
    return WEFT_STATUS_OK;
}

static void build_many_chunks(weft_world* world, weft_schedule* schedule) {
    static const fault f = {"leak", 1, 2};
    populate(world);
    run_add(schedule, WEFT_SYSTEM("pump", fail_from, .context = &f, WEFT_ACCESS(WEFT_READS(Body))));
}

Test(failure, of_many_chunks_the_smallest_archetype_then_shard_is_named, .timeout = 60) {
    static const char* const parts[] = {"\"pump\"", "leak at 1, 2", "archetype 1, shard 2", NULL};
    run_to_failure(build_many_chunks, WEFT_STATUS_SYSTEM_FAILED, parts);
}

static const fault late_fault = {"late", 1, 0};
static const fault early_fault = {"early", 2, 5};
static const fault middle_fault = {"middle", 1, 1};

// In one stage: the smallest rank wins, though its chunk is the last of all.
static void build_many_systems(weft_world* world, weft_schedule* schedule) {
    populate(world);
    run_add(schedule, WEFT_SYSTEM("early", fail_from, .context = &early_fault,
                                  WEFT_ACCESS(WEFT_READS(Body))));
    run_add(schedule, WEFT_SYSTEM("middle", fail_from, .context = &middle_fault,
                                  WEFT_ACCESS(WEFT_READS(Body))));
    run_add(schedule,
            WEFT_SYSTEM("late", fail_from, .context = &late_fault, WEFT_ACCESS(WEFT_READS(Body))));
}

Test(failure, of_many_systems_the_smallest_rank_is_named, .timeout = 60) {
    static const char* const parts[] = {"\"early\"", "early at 2, 5", "archetype 2, shard 5", NULL};
    run_to_failure(build_many_systems, WEFT_STATUS_SYSTEM_FAILED, parts);
}

static weft_status read_all(weft_view* view, const void* context) {
    (void)context;
    return weft_view_tick(view) == *fail_tick ? weft_view_fail(view, "all") : WEFT_STATUS_OK;
}

// A barrier puts the system of smaller rank into a later stage than one of larger rank.
static void build_stages(weft_world* world, weft_schedule* schedule) {
    populate(world);
    run_add(schedule, WEFT_SYSTEM("work", work, WEFT_ACCESS(WEFT_WRITES(Body))));
    run_add(schedule, WEFT_SYSTEM("survey", read_all, .scope = WEFT_SCOPE_WORLD,
                                  WEFT_ACCESS(WEFT_READS_ANY(Body))));
    run_add(schedule,
            WEFT_SYSTEM("late", fail_from, .context = &late_fault, WEFT_ACCESS(WEFT_READS(Cargo))));
}

Test(failure, fusion_does_not_change_which_failure_is_named, .timeout = 60) {
    static const char* const parts[] = {"\"survey\"", "all", "tick 3", NULL};
    run_to_failure(build_stages, WEFT_STATUS_SYSTEM_FAILED, parts);
}

// Limits in the commit
// -----------------------------------------------------------------------------

static weft_status multiply(weft_view* view, const void* context) {
    (void)context;
    for (uint32_t i = 0; i < weft_view_row_count(view) && weft_view_tick(view) == *fail_tick; i++)
        (void)weft_commands_create(weft_view_commands(view), i);
    return WEFT_STATUS_OK;
}

static weft_status scatter(weft_view* view, const void* context) {
    (void)context;
    const weft_entity* entities = weft_view_entities(view);
    if (weft_view_tick(view) == *fail_tick)
        WEFT_REMOVE(weft_view_commands(view), 0, entities[0], Body);
    return WEFT_STATUS_OK;
}

static sim limited_open(const run_config* config, uint32_t slots, uint32_t archetypes,
                        weft_system_fn* run) {
    weft_world_desc desc = weft_world_desc_default();
    desc.slot_limit = slots;
    desc.archetype_limit = archetypes;
    sim s = {.world = world_make_for(config->kind, &desc)};
    s.schedule = run_schedule(s.world);
    populate(s.world);
    run_add(s.schedule, WEFT_SYSTEM("greedy", run, WEFT_ACCESS(WEFT_READS(Body), WEFT_COMMANDS)));
    s.executor = run_executor(s.schedule, config);
    return s;
}

static void check_limit(uint32_t slots, uint32_t archetypes, weft_system_fn* run,
                        weft_status expected, const char* part) {
    sim calm = limited_open(&configs[0], slots, archetypes, run);
    weft_digest at_end = run_calmly(&calm);
    sim_close(&calm);
    for (size_t i = 0; i < CONFIGS; i++) {
        sim s = limited_open(&configs[i], slots, archetypes, run);
        for (uint32_t tick = 0; tick < FAIL_TICK; tick++)
            sim_tick(&s);
        cr_assert_eq(weft_executor_tick(s.executor), expected);
        TEXT_HAS(weft_world_error(s.world), part);
        TEXT_HAS(weft_world_error(s.world), "tick 3");
        cr_assert(weft_world_has_failed(s.world));
        cr_assert_eq(weft_executor_tick(s.executor), WEFT_STATUS_WORLD_FAILED);
        sim_close(&s);
        run_config config = configs[i];
        config.rollback_ticks = 2;
        s = limited_open(&config, slots, archetypes, run);
        check_changes_nothing(&s, config.name, expected, at_end);
        sim_close(&s);
    }
}

Test(failure, the_entity_limit_inside_a_tick_fails_the_world, .timeout = 60) {
    check_limit(ENTITIES + 5, 10, multiply, WEFT_STATUS_ENTITY_LIMIT, "slot_limit");
}

Test(failure, the_archetype_limit_inside_a_tick_fails_the_world, .timeout = 60) {
    check_limit(ENTITIES, 2, scatter, WEFT_STATUS_ARCHETYPE_LIMIT, "archetype_limit");
}

// Commands of the host that are refused are the host's affair: the world goes on.
Test(failure, a_refused_commit_of_the_host_is_not_the_ticks, .timeout = 60) {
    sim s = {.world = world_make_limited(ENTITIES, 10)};
    s.schedule = run_schedule(s.world);
    populate(s.world);
    s.executor = run_executor(s.schedule, &configs[0]);
    (void)weft_commands_create(weft_world_commands(s.world), 0);
    cr_assert_eq(weft_executor_tick(s.executor), WEFT_STATUS_ENTITY_LIMIT);
    cr_assert(!weft_world_has_failed(s.world));
    cr_assert_eq(weft_world_tick(s.world), 0);
    sim_tick(&s);
    cr_assert_eq(weft_world_tick(s.world), 1);
    sim_close(&s);
}

// After it
// -----------------------------------------------------------------------------------------

Test(failure, another_executor_of_a_failed_world_refuses_too, .timeout = 60) {
    sim s = sim_open(&configs[0], build_one);
    sim other = sim_open(&configs[0], build_one);
    for (uint32_t tick = 0; tick < FAIL_TICK; tick++)
        sim_tick(&s);
    cr_assert_eq(weft_executor_tick(s.executor), WEFT_STATUS_SYSTEM_FAILED);
    weft_executor_destroy(s.executor);
    s.executor = run_executor(s.schedule, &configs[6]);
    cr_assert_eq(weft_executor_tick(s.executor), WEFT_STATUS_WORLD_FAILED);
    cr_assert_eq(weft_world_post(s.world, WEFT_TYPE(Body), WEFT_ENTITY_NULL, &(Body){1}),
                 WEFT_STATUS_WORLD_FAILED);
    // The neighbour does not care.
    sim_tick(&other);
    WORLD_OK(other.world, weft_world_digest_check(other.world));
    sim_close(&s);
    sim_close(&other);
}

// Relations
// ----------------------------------------------------------------------------------------

static void check_relation(bool before, const char* wanted, const char* near) {
    const char* const names[] = {wanted, NULL};
    weft_world* world = world_make();
    weft_schedule* schedule = run_schedule(world);
    run_add(schedule, WEFT_SYSTEM("render", fail_in_world, .scope = WEFT_SCOPE_WORLD));
    run_add(schedule, WEFT_SYSTEM("sound", fail_in_world, .scope = WEFT_SCOPE_WORLD));
    run_add(schedule, WEFT_SYSTEM("physics", fail_in_world, .scope = WEFT_SCOPE_WORLD,
                                  .before = before ? names : NULL, .after = before ? NULL : names));
    weft_executor_desc desc = weft_executor_desc_default();
    weft_executor* executor;
    cr_assert_eq(weft_schedule_build(schedule), WEFT_STATUS_UNKNOWN_SYSTEM);
    cr_assert_eq(weft_executor_create(&desc, schedule, &executor), WEFT_STATUS_UNKNOWN_SYSTEM);
    cr_assert_null(executor);
    const char* error = weft_schedule_error(schedule);
    TEXT_HAS(error, "\"physics\"");
    TEXT_HAS(error, wanted);
    TEXT_HAS(error, before ? "before" : "after");
    TEXT_HAS(error, "not registered");
    if (near != NULL)
        TEXT_HAS(error, near);
    else
        cr_assert_null(strstr(error, "did you mean"), "%s", error);
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
}

Test(failure, a_relation_to_a_system_that_is_not_there_names_both_and_a_near_match) {
    check_relation(true, "rendr", "did you mean \"render\"");
    check_relation(false, "rendr", "did you mean \"render\"");
    check_relation(true, "Sound", "did you mean \"sound\"");
    check_relation(false, "something else altogether", NULL);
}

static void check_bad_name(const char* wanted) {
    const char* const names[] = {wanted, NULL};
    weft_world* world = world_make();
    weft_schedule* schedule = run_schedule(world);
    cr_assert_eq(
        weft_schedule_add_system(schedule, WEFT_SYSTEM("physics", fail_in_world,
                                                       .scope = WEFT_SCOPE_WORLD, .before = names)),
        WEFT_STATUS_BAD_ARGUMENT);
    TEXT_HAS(weft_schedule_error(schedule), "\"physics\"");
    // Nothing was registered: the name is free.
    run_add(schedule, WEFT_SYSTEM("physics", fail_in_world, .scope = WEFT_SCOPE_WORLD));
    SCHEDULE_OK(schedule, weft_schedule_build(schedule));
    cr_assert_eq(weft_schedule_system_count(schedule), 1);
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
}

Test(failure, a_relation_to_what_can_be_no_name_is_refused) {
    char longest[100];
    memset(longest, 'x', sizeof(longest));
    longest[99] = '\0';
    check_bad_name("");
    check_bad_name(longest);
}
