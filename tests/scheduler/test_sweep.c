// The order inside a stage: chosen by cost, never seen by a result.

#include "sweep.h"
#include "worlds.h"

#include <string.h>

WEFT_COMPONENT(Step, (uint32_t, first), (uint32_t, second));
WEFT_TAG(Left);
WEFT_RESOURCE(Gauge, (uint64_t, level));

enum {
    SHARDS = 6,
    TRIAL = 10, // Runs after which the first choice is made.
};

// Runs `count` stages that cost so much by chunk and by system. Returns how many went by system.
static uint32_t run_stages(weft__sweep* sweep, uint32_t count, uint64_t by_chunk_ns,
                           uint64_t by_system_ns) {
    uint32_t by_system = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool wanted = weft__sweep_next(sweep, WEFT_SWEEP_AUTO, 3);
        cr_assert(sweep->groups == 0 || sweep->groups == 3);
        by_system += sweep->groups != 0;
        if (wanted)
            weft__sweep_note(sweep, sweep->groups != 0 ? by_system_ns : by_chunk_ns);
    }
    return by_system;
}

Test(sweep, the_cheaper_order_is_taken) {
    weft__sweep sweep = {0};
    (void)run_stages(&sweep, TRIAL, 2000, 1000);
    cr_assert_eq(run_stages(&sweep, 100, 2000, 1000), 100);
    weft__sweep other = {0};
    (void)run_stages(&other, TRIAL, 1000, 2000);
    cr_assert_eq(run_stages(&other, 100, 1000, 2000), 0);
}

Test(sweep, equal_costs_change_nothing) {
    weft__sweep sweep = {0};
    (void)run_stages(&sweep, TRIAL, 1000, 990);
    cr_assert_eq(run_stages(&sweep, 100, 1000, 990), 0);
    weft__sweep free = {0};
    (void)run_stages(&free, TRIAL, 0, 0);
    cr_assert_eq(run_stages(&free, 100, 0, 0), 0);
}

Test(sweep, a_choice_is_made_again) {
    weft__sweep sweep = {0};
    (void)run_stages(&sweep, TRIAL, 1000, 2000);
    uint32_t by_system = run_stages(&sweep, 4000, 2000, 1000);
    cr_assert_gt(by_system, 2000);
    by_system = run_stages(&sweep, 4000, 1000, 2000);
    cr_assert_lt(by_system, 2000);
}

// What is not run by the worse order costs nothing: the trials are few.
Test(sweep, trials_are_rare) {
    weft__sweep sweep = {0};
    cr_assert_leq(run_stages(&sweep, 100000, 1000, 4000), 400);
}

Test(sweep, an_order_can_be_forced) {
    weft__sweep sweep = {0};
    for (uint32_t i = 0; i < 2 * TRIAL; i++) {
        cr_assert_not(weft__sweep_next(&sweep, WEFT_SWEEP_SYSTEM_MAJOR, 4));
        cr_assert_eq(sweep.groups, 4);
        cr_assert_not(weft__sweep_next(&sweep, WEFT_SWEEP_CHUNK_MAJOR, 4));
        cr_assert_eq(sweep.groups, 0);
        cr_assert_not(weft__sweep_next(&sweep, WEFT_SWEEP_SYSTEM_MAJOR, 0), "nothing to choose");
        cr_assert_eq(sweep.groups, 0);
    }
}

// In a world ------------------------------------------------------------------------------------

// Which task came when. Systems may not do this: it is what an order can be seen by.
typedef struct history {
    uint32_t count;
    uint32_t world_at;
} history;

static history seen;

static weft_status first(weft_view* view, const void* context) {
    (void)context;
    WEFT_WRITE(view, Step)[0].first = seen.count++;
    return WEFT_STATUS_OK;
}

static weft_status second(weft_view* view, const void* context) {
    (void)context;
    WEFT_WRITE(view, Step)[0].second = seen.count++;
    return WEFT_STATUS_OK;
}

static weft_status once(weft_view* view, const void* context) {
    (void)context;
    WEFT_RESOURCE_WRITE(view, Gauge)->level++;
    seen.world_at = seen.count++;
    return WEFT_STATUS_OK;
}

static void build_chunks(weft_world* world, weft_schedule* schedule) {
    world_component(world, WEFT_TYPE(Step), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Left), WEFT_STORAGE_DENSE);
    weft_commands* commands = weft_world_commands(world);
    for (uint32_t i = 0; i < SHARDS * WEFT_SHARD_SLOTS; i++) {
        weft_entity made = weft_commands_create(commands, 0);
        WEFT_ADD(commands, 0, made, Step, {0});
        if (i % 3 == 1)
            WEFT_ADD_TAG(commands, 0, made, Left);
    }
    world_commit(world);
    SCHEDULE_OK(schedule,
                weft_schedule_add_system(
                    schedule, WEFT_SYSTEM("first", first, WEFT_ACCESS(WEFT_WRITES(Step)))));
    SCHEDULE_OK(schedule,
                weft_schedule_add_system(
                    schedule, WEFT_SYSTEM("second", second,
                                          WEFT_ACCESS(WEFT_WRITES(Step), WEFT_WITHOUT(Left)))));
}

static void build_beside(weft_world* world, weft_schedule* schedule) {
    WORLD_OK(world, weft_world_register_resource(world, WEFT_TYPE(Gauge), 1, NULL));
    build_chunks(world, schedule);
    SCHEDULE_OK(schedule, weft_schedule_add_system(
                              schedule, WEFT_SYSTEM("once", once, .scope = WEFT_SCOPE_WORLD,
                                                    WEFT_ACCESS(WEFT_WRITES_RESOURCE(Gauge)))));
}

// The steps of the chunks, those with both systems first. Returns how many there are.
static uint32_t read_steps(const weft_world* world, Step steps[2 * SHARDS]) {
    const weft_access terms[2][2] = {{WEFT_READS(Step), WEFT_WITHOUT(Left)},
                                     {WEFT_READS(Step), WEFT_WITH(Left)}};
    uint32_t count = 0;
    for (uint32_t i = 0; i < 2; i++) {
        weft_cursor cursor = weft_world_visit(world, terms[i], 2);
        while (weft_cursor_next(&cursor))
            steps[count++] = WEFT_CURSOR_COLUMN(&cursor, Step)[0];
    }
    return count;
}

// On each chunk by rank; over the chunks as it was asked for.
Test(sweep, both_orders_keep_ranks, .timeout = 60) {
    static const weft_executor_kind kinds[] = {WEFT_EXECUTOR_SERIAL, WEFT_EXECUTOR_VIRTUAL};
    for (uint32_t i = 0; i < 4; i++) {
        run_config config = {.name = "order",
                             .kind = kinds[i / 2],
                             .workers = i / 2 == 0 ? 1 : 3,
                             .sweep =
                                 i % 2 == 0 ? WEFT_SWEEP_CHUNK_MAJOR : WEFT_SWEEP_SYSTEM_MAJOR};
        sim s = sim_open(&config, build_chunks);
        seen = (history){0};
        sim_tick(&s);
        Step steps[2 * SHARDS];
        cr_assert_eq(read_steps(s.world, steps), 2 * SHARDS);
        cr_assert_eq(seen.count, 3 * SHARDS);
        uint32_t next = 0;
        for (uint32_t j = 0; j < SHARDS; j++) {
            next += steps[j].second == steps[j].first + 1;
            cr_assert(steps[j].first < steps[j].second);
        }
        if (config.kind == WEFT_EXECUTOR_SERIAL)
            cr_assert_eq(next, i % 2 == 0 ? SHARDS : 0, "not in the order that was asked for");
        weft_executor_stats stats = weft_executor_stats_read(s.executor);
        cr_assert_eq(stats.sweeps, 1);
        cr_assert_eq(stats.sweeps_by_system, i % 2);
        sim_close(&s);
    }
}

// A canary: what hangs on the order is seen by the digests.
Test(sweep, hidden_order_shows, .timeout = 60) {
    weft_digest digests[2];
    for (uint32_t i = 0; i < 2; i++) {
        run_config config = {.name = "canary", .kind = WEFT_EXECUTOR_SERIAL, .workers = 1};
        config.sweep = i == 0 ? WEFT_SWEEP_CHUNK_MAJOR : WEFT_SWEEP_SYSTEM_MAJOR;
        sim s = sim_open(&config, build_chunks);
        seen = (history){0};
        sim_tick(&s);
        digests[i] = weft_world_digest_full(s.world);
        sim_close(&s);
    }
    cr_assert_not(weft_digest_equal(digests[0], digests[1]));
}

// A world-scope system that conflicts with nothing is one more item of the stage: any worker may
// run it between any two chunks.
Test(sweep, world_scope_runs_beside_chunks, .timeout = 60) {
    uint32_t first_count = 0;
    uint32_t last_count = 0;
    uint32_t between = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        run_config config = {.name = "beside",
                             .kind = WEFT_EXECUTOR_VIRTUAL,
                             .workers = 2,
                             .sweep = seed % 2 == 0 ? WEFT_SWEEP_AUTO : WEFT_SWEEP_SYSTEM_MAJOR,
                             .seed = seed};
        sim s = sim_open(&config, build_beside);
        seen = (history){0};
        sim_tick(&s);
        cr_assert_eq(seen.count, 3 * SHARDS + 1);
        first_count += seen.world_at == 0;
        last_count += seen.world_at + 1 == seen.count;
        between += seen.world_at > 0 && seen.world_at + 1 < seen.count;
        sim_close(&s);
    }
    cr_assert_gt(between, first_count + last_count);
}

// By system -------------------------------------------------------------------------------------

static weft_status create(const sim* s, const weft_system_sweep* sweeps, uint32_t count,
                          weft_executor** out) {
    weft_executor_desc desc = weft_executor_desc_default();
    desc.sweep = WEFT_SWEEP_CHUNK_MAJOR;
    desc.sweeps = sweeps;
    desc.sweep_count = count;
    return weft_executor_create(&desc, s->schedule, out);
}

// A stage goes as one of its systems asks, whatever the others do.
Test(sweep, a_stage_has_its_own_order, .timeout = 60) {
    run_config config = {.name = "own", .kind = WEFT_EXECUTOR_SERIAL, .workers = 1};
    sim s = sim_open(&config, build_chunks);
    const weft_system_sweep wanted[] = {{"second", WEFT_SWEEP_SYSTEM_MAJOR},
                                        {"first", WEFT_SWEEP_SYSTEM_MAJOR}};
    for (uint32_t count = 0; count <= 2; count++) {
        weft_executor* executor = NULL;
        WORLD_OK(s.world, create(&s, wanted, count, &executor));
        WORLD_OK(s.world, weft_executor_tick(executor));
        cr_assert_eq(weft_executor_stats_read(executor).sweeps_by_system, count > 0);
        weft_executor_destroy(executor);
    }
    sim_close(&s);
}

Test(sweep, wrong_orders_are_refused, .timeout = 60) {
    run_config config = {.name = "refused", .kind = WEFT_EXECUTOR_SERIAL, .workers = 1};
    sim s = sim_open(&config, build_beside);
    static const char* const names[] = {"third", "once"}; // Not there; not of chunk scope.
    weft_executor* executor = NULL;
    for (uint32_t i = 0; i < 2; i++) {
        const weft_system_sweep unknown = {names[i], WEFT_SWEEP_CHUNK_MAJOR};
        cr_assert_eq(create(&s, &unknown, 1, &executor), WEFT_STATUS_UNKNOWN_SYSTEM);
        cr_assert(strstr(weft_world_error(s.world), names[i]), "%s", weft_world_error(s.world));
    }
    const weft_system_sweep split[] = {{"first", WEFT_SWEEP_SYSTEM_MAJOR},
                                       {"second", WEFT_SWEEP_CHUNK_MAJOR}};
    cr_assert_eq(create(&s, split, 2, &executor), WEFT_STATUS_BAD_ARGUMENT);
    cr_assert(strstr(weft_world_error(s.world), "different orders"), "%s",
              weft_world_error(s.world));
    const weft_system_sweep none = {"first", (weft_sweep)7};
    cr_assert_eq(create(&s, &none, 1, &executor), WEFT_STATUS_BAD_ARGUMENT);
    cr_assert_null(executor);
    sim_close(&s);
}
