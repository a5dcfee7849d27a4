// Executors are equal (C10): nothing of placement changes a result.

#include "effort.h"
#include "worlds.h"

WEFT_COMPONENT(Place, (weft_vec2, at), (uint32_t, steps), (uint32_t, salt));
WEFT_COMPONENT(Motion, (weft_vec2, by));
WEFT_COMPONENT(Echo, (uint32_t, heard)); // Buffered.
WEFT_TAG(Left);
WEFT_COMPONENT(Wound, (uint32_t, depth)); // Sparse.
WEFT_RESOURCE(Gauge, (uint64_t, mass), (uint64_t, count));
WEFT_MESSAGE(Hit, (uint32_t, force));
WEFT_MESSAGE(Note, (weft_entity, about), (uint32_t, word));
WEFT_PARTIAL(Total, (uint64_t, hash), (uint64_t, rows));

static void total_combine(void* left, const void* right) {
    Total* a = left;
    const Total* b = right;
    a->hash = a->hash * UINT64_C(0x9E3779B97F4A7C15) + b->hash;
    a->rows += b->rows;
}

// A world with all there is: random draws, messages, sparse and buffered components, births, deaths
// and moves.
static weft_status move(weft_view* view, const void* context) {
    (void)context;
    const weft_entity* entities = weft_view_entities(view);
    weft_random_key key = weft_view_random(view);
    Place* places = WEFT_WRITE(view, Place);
    const Motion* motions = WEFT_READ(view, Motion);
    Total* total = WEFT_PARTIAL_OF(view, Total);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++) {
        places[i].at = weft_vec2_add(places[i].at, motions[i].by);
        places[i].salt ^= weft_random_u32(key, entities[i].slot, 0);
        places[i].steps++;
        total->hash = total->hash * 31 + places[i].salt;
        total->rows++;
    }
    return WEFT_STATUS_OK;
}

static weft_status strike(weft_view* view, const void* context) {
    (void)context;
    const weft_entity* entities = weft_view_entities(view);
    const Place* places = WEFT_READ(view, Place);
    for (uint32_t i = weft_view_row_count(view); i-- > 0;)
        if (places[i].salt % 16 == 0)
            WEFT_EMIT(view, i, ((weft_entity){places[i].salt % 9000, 1}), Hit,
                      {entities[i].slot % 100});
    return WEFT_STATUS_OK;
}

static weft_status suffer(weft_view* view, const void* context) {
    (void)context;
    const weft_entity* entities = weft_view_entities(view);
    weft_commands* commands = weft_view_commands(view);
    Echo* echoes = WEFT_WRITE(view, Echo);
    weft_inbox inbox = weft_view_inbox(view, WEFT_TYPE(Hit));
    while (weft_inbox_next(&inbox)) {
        uint32_t force = ((const Hit*)inbox.message)->force;
        echoes[inbox.row].heard = echoes[inbox.row].heard * 7 + force;
        if (force % 3 == 0)
            WEFT_ADD(commands, inbox.row, entities[inbox.row], Wound, {force});
        if (force % 5 == 0)
            WEFT_ADD_TAG(commands, inbox.row, entities[inbox.row], Left);
        if (force % 7 == 0)
            WEFT_REMOVE(commands, inbox.row, entities[inbox.row], Left);
        if (force > 90)
            weft_commands_destroy(commands, inbox.row, entities[inbox.row]);
    }
    return WEFT_STATUS_OK;
}

static weft_status heal(weft_view* view, const void* context) {
    (void)context;
    const uint16_t* rows;
    uint32_t count = weft_view_selected(view, &rows);
    for (uint32_t i = 0; i < count; i++) {
        Wound* wound = weft_view_sparse_write(view, rows[i], WEFT_TYPE(Wound));
        wound->depth = wound->depth / 2 + (uint32_t)weft_view_tick(view);
    }
    return WEFT_STATUS_OK;
}

static weft_status breed(weft_view* view, const void* context) {
    (void)context;
    weft_commands* commands = weft_view_commands(view);
    Gauge* gauge = WEFT_RESOURCE_WRITE(view, Gauge);
    uint32_t count;
    const Note* notes = weft_view_messages(view, WEFT_TYPE(Note), &count);
    for (uint32_t i = 0; i < count; i++) {
        const Place* place = WEFT_GET(view, notes[i].about, Place);
        gauge->count += place == NULL ? notes[i].word : place->steps;
    }
    gauge->mass = gauge->mass * 5 + WEFT_REDUCED_OF(view, Total)->hash;
    for (uint32_t i = 0; i < 40; i++) {
        weft_entity made = weft_commands_create(commands, 0);
        WEFT_ADD(commands, 0, made, Place, {{{(int32_t)i}, {1}}, 0, (uint32_t)gauge->mass + i});
        WEFT_ADD(commands, 0, made, Motion, {{{65536}, {(int32_t)i}}});
        if (i % 2 == 0)
            WEFT_ADD(commands, 0, made, Echo, {i});
        WEFT_EMIT(view, 0, WEFT_ENTITY_NULL, Note, {made, i});
    }
    return WEFT_STATUS_OK;
}

static void register_all(weft_world* world) {
    world_component(world, WEFT_TYPE(Place), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Motion), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Echo), WEFT_STORAGE_BUFFERED);
    world_component(world, WEFT_TYPE(Left), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Wound), WEFT_STORAGE_SPARSE);
    WORLD_OK(world, weft_world_register_resource(world, WEFT_TYPE(Gauge), 1, NULL));
    WORLD_OK(world, weft_world_register_channel(world, WEFT_TYPE(Hit), WEFT_TARGET_ENTITY,
                                                WEFT_DELIVERY_TICK));
    WORLD_OK(world, weft_world_register_channel(world, WEFT_TYPE(Note), WEFT_TARGET_WORLD,
                                                WEFT_DELIVERY_NEXT));
    WORLD_OK(world, weft_world_register_reduction(world, WEFT_TYPE(Total), NULL, total_combine));
}

static void add_systems(weft_schedule* schedule) {
    run_add(schedule,
            WEFT_SYSTEM("move", move,
                        WEFT_ACCESS(WEFT_WRITES(Place), WEFT_READS(Motion), WEFT_REDUCES(Total))));
    run_add(schedule,
            WEFT_SYSTEM("strike", strike, WEFT_ACCESS(WEFT_READS(Place), WEFT_EMITS(Hit))));
    run_add(schedule,
            WEFT_SYSTEM("suffer", suffer,
                        WEFT_ACCESS(WEFT_WRITES(Echo), WEFT_CONSUMES(Hit), WEFT_COMMANDS)));
    run_add(schedule, WEFT_SYSTEM("heal", heal, WEFT_ACCESS(WEFT_WRITES(Wound))));
    run_add(schedule, WEFT_SYSTEM("breed", breed, .scope = WEFT_SCOPE_WORLD,
                                  WEFT_ACCESS(WEFT_COMMANDS, WEFT_READS_ANY(Place),
                                              WEFT_REDUCED(Total), WEFT_CONSUMES(Note),
                                              WEFT_EMITS(Note), WEFT_WRITES_RESOURCE(Gauge))));
}

static void populate(weft_world* world, uint32_t count) {
    weft_commands* commands = weft_world_commands(world);
    for (uint32_t i = 0; i < count; i++) {
        weft_entity made = weft_commands_create(commands, 0);
        WEFT_ADD(commands, 0, made, Place, {{{(int32_t)i}, {0}}, 0, i * 2654435761u});
        WEFT_ADD(commands, 0, made, Motion, {{{(int32_t)i}, {-65536}}});
        if (i % 3 != 0)
            WEFT_ADD(commands, 0, made, Echo, {i});
        if (i % 4 == 0)
            WEFT_ADD_TAG(commands, 0, made, Left);
        if (i % 10 == 0)
            WEFT_ADD(commands, 0, made, Wound, {i});
    }
    world_commit(world);
}

static void build(weft_world* world, weft_schedule* schedule) {
    register_all(world);
    populate(world, TEST_EFFORT_PART > 1 ? 6000 : 9000);
    add_systems(schedule);
}

// Enough rows that threads are woken for them.
static void build_big(weft_world* world, weft_schedule* schedule) {
    register_all(world);
    populate(world, (TEST_EFFORT_PART > 1 ? 12 : 30) * WEFT_SHARD_SLOTS);
    add_systems(schedule);
}

static void build_empty(weft_world* world, weft_schedule* schedule) {
    register_all(world);
    add_systems(schedule);
}

static void build_nothing(weft_world* world, weft_schedule* schedule) {
    (void)schedule;
    register_all(world);
    populate(world, 100);
}

Test(executor, all_kinds_give_the_same_digests, .timeout = 60) {
    sim_same_everywhere(build, 12, NULL);
}

Test(executor, an_empty_world_runs, .timeout = 60) {
    sim_same_everywhere(build_empty, 3, NULL);
}

static void check_nothing(const sim* s, uint64_t tick) {
    cr_assert_eq(weft_world_tick(s->world), tick);
    cr_assert_eq(weft_world_entity_count(s->world), 100);
    cr_assert_eq(weft_schedule_stage_count(s->schedule), 0);
}

Test(executor, an_empty_schedule_runs, .timeout = 60) {
    sim_same_everywhere(build_nothing, 3, check_nothing);
}

#define LAST_KIND (TEST_HAS_PROCESSES ? WEFT_EXECUTOR_PROCESSES : WEFT_EXECUTOR_THREADS)

// Runs `ticks` ticks and returns the last full digest.
static weft_digest run_with(sim_build_fn* fn, const run_config* config, uint32_t ticks,
                            weft_executor_stats* stats) {
    sim s = sim_open(config, fn);
    weft_digest full;
    for (uint32_t i = 0; i < ticks; i++)
        sim_tick(&s);
    WORLD_OK(s.world, weft_executor_digest(s.executor, NULL, &full));
    if (stats != NULL)
        *stats = weft_executor_stats_read(s.executor);
    sim_close(&s);
    return full;
}

// More workers than chunks, than shards, than CPUs.
Test(executor, any_number_of_workers, .timeout = 60) {
    static const uint32_t counts[] = {1, 2, 3, 8, 64};
    weft_digest expected = run_with(build, &run_configs[0], 8, NULL);
    for (uint32_t i = 0; i < 5; i++) {
        for (uint32_t kind = WEFT_EXECUTOR_VIRTUAL; kind <= LAST_KIND; kind++) {
            weft_executor_stats stats;
            run_config config = {.name = "many",
                                 .kind = (weft_executor_kind)kind,
                                 .workers = counts[i],
                                 .grain = i % 2};
            weft_digest found = run_with(build, &config, 8, &stats);
            cr_assert(weft_digest_equal(found, expected), "kind %u, %u workers", kind, counts[i]);
            cr_assert_eq(stats.worker_count, counts[i]);
            cr_assert_eq(stats.ticks, 8);
            cr_assert_leq(stats.pinned_count, counts[i]);
        }
    }
}

Test(executor, big_stages_wake_the_workers, .timeout = 100) {
    weft_digest expected = run_with(build_big, &run_configs[0], 4, NULL);
    for (uint32_t kind = WEFT_EXECUTOR_THREADS; kind <= LAST_KIND; kind++)
        for (uint32_t workers = 2; workers <= 4; workers++) {
            weft_executor_stats stats;
            run_config config = {
                .name = "big", .kind = (weft_executor_kind)kind, .workers = workers};
            weft_digest found = run_with(build_big, &config, 4, &stats);
            cr_assert(weft_digest_equal(found, expected), "kind %u, %u workers", kind, workers);
            cr_assert_gt(stats.wakes + stats.tasks_helped, 0, "kind %u, %u workers: nobody helped",
                         kind, workers);
        }
}

Test(executor, no_placement_option_changes_anything, .timeout = 100) {
    weft_digest expected = run_with(build, &run_configs[0], 6, NULL);
    static const uint32_t grains[] = {0, 1, 2, 7, 1000, UINT32_MAX};
    for (uint32_t i = 0; i < (TEST_HAS_PROCESSES ? 48 : 24); i++) {
        run_config config = {.name = "placement",
                             .kind = i < 24 ? WEFT_EXECUTOR_THREADS : WEFT_EXECUTOR_PROCESSES,
                             .workers = 3,
                             .grain = grains[i % 6],
                             .no_pin = i / 6 % 2 == 1,
                             .no_fusion = i / 12 % 2 == 1};
        cr_assert(weft_digest_equal(run_with(build, &config, 6, NULL), expected),
                  "kind %d, grain %u, no_pin %d, no_fusion %d", (int)config.kind, config.grain,
                  config.no_pin, config.no_fusion);
    }
}

Test(executor, the_schedule_seed_is_irrelevant_to_results, .timeout = 60) {
    weft_digest expected = run_with(build, &run_configs[0], 5, NULL);
    for (uint64_t seed = 0; seed < (TEST_EFFORT_PART > 1 ? 5 : 20); seed++) {
        run_config config = {.name = "seed",
                             .kind = WEFT_EXECUTOR_VIRTUAL,
                             .workers = 2 + (uint32_t)(seed % 6),
                             .no_fusion = seed % 5 == 4,
                             .seed = seed * UINT64_C(0x9E3779B97F4A7C15)};
        cr_assert(weft_digest_equal(run_with(build, &config, 5, NULL), expected),
                  "schedule seed 0x%" PRIX64, config.seed);
    }
}

// A spin of nothing, one that never ends in practice, and a topology that the caller brings.
Test(executor, spin_and_topology_are_irrelevant_to_results, .timeout = 60) {
    weft_digest expected = run_with(build, &run_configs[0], 5, NULL);
    weft_topology* topology;
    cr_assert_eq(weft_topology_create(NULL, &topology), WEFT_STATUS_OK);
    for (uint32_t i = 0; i < (TEST_HAS_PROCESSES ? 6 : 3); i++) {
        sim s = {.world = world_make_shared()};
        s.schedule = run_schedule(s.world);
        build(s.world, s.schedule);
        weft_executor_desc desc = weft_executor_desc_default();
        desc.kind = i < 3 ? WEFT_EXECUTOR_THREADS : WEFT_EXECUTOR_PROCESSES;
        desc.worker_count = i % 3 == 2 ? 0 : 2;
        desc.spin_ns = i % 3 == 0 ? 0 : 1000000;
        desc.topology = topology;
        SCHEDULE_OK(s.schedule, weft_executor_create(&desc, s.schedule, &s.executor));
        for (uint32_t tick = 0; tick < 5; tick++)
            sim_tick(&s);
        DIGEST_EQ(weft_world_digest_full(s.world), expected);
        cr_assert_geq(weft_executor_stats_read(s.executor).worker_count, 1);
        sim_close(&s);
    }
    weft_topology_destroy(topology);
}

/// Births, deaths and changes of the host's, enough for every worker.
static void host_record(weft_world* world, const weft_entity* entities, uint32_t count) {
    weft_commands* commands = weft_world_commands(world);
    for (uint32_t i = 0; i < 30000; i++) {
        WEFT_CREATE(commands, 0, WEFT_VALUE(Place, {.salt = i}), WEFT_VALUE(Motion, {{{3}, {4}}}));
    }
    for (uint32_t i = 0; i < count; i++) {
        if (i % 3 == 0)
            weft_commands_destroy(commands, 0, entities[i]);
        else
            WEFT_SET(commands, 0, entities[i], Place, {.steps = i});
    }
}

// The host's commands, between ticks and before the first one: by the caller alone, by all workers
// at once, by all workers in a tick.
Test(executor, the_hosts_commands_are_merged_by_all_workers, .timeout = 100) {
    enum {
        MINE = 9000
    };
    static weft_entity entities[MINE];
    weft_digest expected[3] = {{0}};
    for (uint32_t i = 0; i < 3 * RUN_CONFIGS; i++) {
        sim s = sim_open(&run_configs[i / 3], build);
        world_create(s.world, MINE, entities);
        for (uint32_t step = 0; step < 3; step++) {
            host_record(s.world, step == 0 ? entities : NULL, step == 0 ? MINE : 0);
            if (i % 3 == 0)
                WORLD_OK(s.world, weft_world_commit(s.world));
            else if (i % 3 == 1)
                WORLD_OK(s.world, weft_executor_commit(s.executor));
            sim_tick(&s);
            weft_digest found = weft_world_digest_full(s.world);
            if (i == 0)
                expected[step] = found;
            cr_assert(weft_digest_equal(found, expected[step]), "%s, way %u, step %u",
                      run_configs[i / 3].name, i % 3, step);
        }
        WORLD_OK(s.world, weft_executor_commit(s.executor)); // Of nothing.
        sim_close(&s);
    }
}

Test(executor, a_commit_is_refused_as_a_whole) {
    weft_world_desc desc = weft_world_desc_default();
    desc.slot_limit = 5000;
    sim s = {0};
    cr_assert_eq(weft_world_create(&desc, NULL, &s.world), WEFT_STATUS_OK);
    s.schedule = run_schedule(s.world);
    WORLD_OK(s.world, weft_world_register_component(s.world, WEFT_TYPE(Wound), WEFT_STORAGE_DENSE));
    s.executor = run_executor(s.schedule, &run_configs[7]);
    for (uint32_t i = 0; i < 6000; i++) {
        WEFT_CREATE(weft_world_commands(s.world), 0, WEFT_VALUE(Wound, {i}));
    }
    cr_assert_eq(weft_executor_commit(s.executor), WEFT_STATUS_ENTITY_LIMIT);
    cr_assert_eq(weft_world_entity_count(s.world), 0);
    WORLD_OK(s.world, weft_executor_commit(s.executor));
    sim_tick(&s);
    sim_close(&s);
}

// Each tick by another executor of one schedule.
Test(executor, executors_alternate_on_one_world, .timeout = 60) {
    sim alone = sim_open(&run_configs[0], build);
    sim s = sim_open(&run_configs[RUN_CONFIGS - 1], build);
    weft_executor* executors[RUN_CONFIGS];
    // Only one of them may have worker processes.
    for (uint32_t i = 0; i < RUN_CONFIGS; i++)
        executors[i] = run_configs[i].kind == WEFT_EXECUTOR_PROCESSES
                           ? s.executor
                           : run_executor(s.schedule, &run_configs[i]);
    for (uint32_t tick = 0; tick < 3 * RUN_CONFIGS; tick++) {
        weft_executor* executor = executors[tick * 5 % RUN_CONFIGS];
        weft_digest view;
        weft_digest full;
        sim_tick(&alone);
        WORLD_OK(s.world, weft_executor_tick(executor));
        // And the digest by yet another one.
        WORLD_OK(s.world, weft_executor_digest(executors[tick * 3 % RUN_CONFIGS], &view, &full));
        DIGEST_EQ(view, weft_world_digest_view(alone.world));
        DIGEST_EQ(full, weft_world_digest_full(alone.world));
    }
    for (uint32_t i = 0; i < RUN_CONFIGS; i++)
        if (executors[i] != s.executor)
            weft_executor_destroy(executors[i]);
    sim_close(&s);
    sim_close(&alone);
}

// Traced -----------------------------------------------------------------------------------------

static int output_order(const weft_schedule* schedule, const weft_task_output* a,
                        const weft_task_output* b) {
    uint32_t x = weft_schedule_system_stage(schedule, a->rank);
    uint32_t y = weft_schedule_system_stage(schedule, b->rank);
    const uint32_t keys[4][2] = {
        {x, y}, {a->rank, b->rank}, {a->archetype, b->archetype}, {a->shard, b->shard}};
    for (uint32_t i = 0; i < 4; i++)
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? -1 : 1;
    return 0;
}

Test(executor, traced_ticks_are_equal_to_untraced_ones, .timeout = 60) {
    for (size_t i = 0; i < RUN_CONFIGS; i++) {
        sim plain = sim_open(&run_configs[0], build);
        sim reference = sim_open(&run_configs[0], build);
        sim traced = sim_open(&run_configs[i], build);
        for (uint32_t tick = 0; tick < 5; tick++) {
            const weft_task_output* expected;
            const weft_task_output* found;
            size_t expected_count;
            size_t count;
            sim_tick(&plain);
            WORLD_OK(reference.world,
                     weft_executor_tick_traced(reference.executor, &expected, &expected_count));
            WORLD_OK(traced.world, weft_executor_tick_traced(traced.executor, &found, &count));
            DIGEST_EQ(weft_world_digest_full(traced.world), weft_world_digest_full(plain.world));
            cr_assert_eq(count, expected_count, "%s", run_configs[i].name);
            for (size_t k = 0; k < count; k++) {
                cr_assert(k == 0 || output_order(traced.schedule, &found[k - 1], &found[k]) < 0);
                cr_assert(output_order(traced.schedule, &expected[k], &found[k]) == 0 &&
                              weft_digest_equal(expected[k].digest, found[k].digest),
                          "%s, tick %u: rank %u, archetype %u, shard %u", run_configs[i].name, tick,
                          found[k].rank, found[k].archetype, found[k].shard);
            }
        }
        sim_close(&plain);
        sim_close(&reference);
        sim_close(&traced);
    }
}

// A task's output is another when what it writes is another.
Test(executor, a_traced_output_shows_a_change_of_one_row, .timeout = 60) {
    sim a = sim_open(&run_configs[0], build);
    sim b = sim_open(&run_configs[0], build);
    WEFT_SET(weft_world_commands(b.world), 0, ((weft_entity){5001, 1}), Motion, {{{1}, {1}}});
    world_commit(b.world);
    const weft_task_output* x;
    const weft_task_output* y;
    size_t count;
    size_t other;
    WORLD_OK(a.world, weft_executor_tick_traced(a.executor, &x, &count));
    WORLD_OK(b.world, weft_executor_tick_traced(b.executor, &y, &other));
    cr_assert_eq(count, other);
    uint32_t differing = 0;
    for (size_t i = 0; i < count; i++)
        if (!weft_digest_equal(x[i].digest, y[i].digest)) {
            cr_assert(x[i].rank == 0 && x[i].shard == 1, "rank %u, shard %u", x[i].rank,
                      x[i].shard);
            differing++;
        }
    cr_assert_eq(differing, 1);
    sim_close(&a);
    sim_close(&b);
}

// Descriptions
// -------------------------------------------------------------------------------------

Test(executor, bad_descriptions_are_refused) {
    weft_world* world = world_make();
    weft_schedule* schedule = run_schedule(world);
    weft_executor_desc descs[3];
    for (uint32_t i = 0; i < 3; i++)
        descs[i] = weft_executor_desc_default();
    descs[0].cookie = 0;
    descs[1].kind = (weft_executor_kind)(WEFT_EXECUTOR_PROCESSES + 1);
    descs[2].kind = WEFT_EXECUTOR_VIRTUAL;
    descs[2].worker_count = 1025;
    for (uint32_t i = 0; i < 3; i++) {
        weft_executor* executor = (weft_executor*)world;
        cr_assert_eq(weft_executor_create(&descs[i], schedule, &executor), WEFT_STATUS_BAD_ARGUMENT,
                     "%u", i);
        cr_assert_null(executor);
    }
    weft_executor* executor;
    cr_assert_eq(weft_executor_create(NULL, schedule, &executor), WEFT_STATUS_BAD_ARGUMENT);
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
}

// One task may create as many entities as its handles can number, and says so when it is more. With
// so many chunks that a number has few bits left this is soon.
enum {
    SET_BITS = 16,
    CREATORS = 16
};

static weft_status create_many(weft_view* view, const void* context) {
    const uint32_t* count = context;
    if (weft_view_entities(view)[0].slot != 1)
        return WEFT_STATUS_OK;
    weft_commands* commands = weft_view_commands(view);
    weft_entity last = WEFT_ENTITY_NULL;
    for (uint32_t i = 0; i < *count; i++)
        last = weft_commands_create(commands, 0);
    if (!weft_entity_is_null(last))
        WEFT_ADD_TAG(commands, 0, last, Left);
    return WEFT_STATUS_OK;
}

static weft_status run_creators(const uint32_t* count, weft_world** world_out) {
    static weft_type tags[SET_BITS];
    static char names[SET_BITS][16];
    weft_world* world = world_make_limited(WEFT_SLOT_LIMIT_MAX, 1 << 17);
    weft_schedule* schedule = run_schedule(world);
    world_component(world, WEFT_TYPE(Left), WEFT_STORAGE_DENSE);
    weft_commands* commands = weft_world_commands(world);
    for (uint32_t i = 0; i < SET_BITS; i++) {
        snprintf(names[i], sizeof(names[i]), "Tag%u", i);
        tags[i] = (weft_type){names[i], 0, 1, 0, NULL};
        world_component(world, &tags[i], WEFT_STORAGE_DENSE);
    }
    for (uint32_t set = 0; set < 1 << SET_BITS; set++) {
        weft_entity made = weft_commands_create(commands, 0);
        for (uint32_t i = 0; i < SET_BITS; i++)
            if ((set >> i & 1) != 0)
                weft_commands_add(commands, 0, made, &tags[i], NULL);
    }
    world_commit(world);
    for (uint32_t i = 0; i < CREATORS; i++) {
        char name[16];
        snprintf(name, sizeof(name), "creator %u", i);
        run_add(schedule,
                WEFT_SYSTEM(name, create_many, .context = count, WEFT_ACCESS(WEFT_COMMANDS)));
    }
    weft_executor* executor = run_executor(schedule, &run_configs[3]);
    weft_status status = weft_executor_tick(executor);
    weft_executor_destroy(executor);
    weft_schedule_destroy(schedule);
    *world_out = world;
    return status;
}

Test(executor, a_task_may_create_what_its_handles_can_number, .timeout = 60) {
    // 2^16 chunks of 16 systems are 2^20 tasks: 13 of 33 bits are left for each.
    uint32_t count = 1 << 13;
    weft_world* world;
    WORLD_OK(world, run_creators(&count, &world));
    cr_assert_eq(weft_world_entity_count(world), (1 << SET_BITS) + CREATORS * count);
    static const weft_access terms[] = {WEFT_WITH(Left)};
    weft_cursor cursor = weft_world_visit(world, terms, 1);
    uint32_t marked = 0;
    while (weft_cursor_next(&cursor))
        marked += cursor.row_count;
    cr_assert_eq(marked, CREATORS);
    weft_world_destroy(world);
    count++;
    cr_assert_eq(run_creators(&count, &world), WEFT_STATUS_CREATE_LIMIT);
    TEXT_HAS(weft_world_error(world), "\"creator 0\"");
    cr_assert(weft_world_has_failed(world));
    weft_world_destroy(world);
}
