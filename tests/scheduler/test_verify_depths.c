// Verify by other means than one digest a tick, against faults that each of them is for.

#include <weft/verify.h>

#include "worlds.h"

WEFT_COMPONENT(Clock, (uint32_t, hand));
WEFT_COMPONENT(Case, (weft_vec2, at));
WEFT_RESOURCE(Bell, (uint64_t, strokes));
WEFT_MESSAGE(Chime, (uint32_t, pitch));

enum {
    ENTITIES = 3 * WEFT_SHARD_SLOTS,
    TICKS = 5
};

typedef enum fault {
    FAULT_NONE,
    FAULT_ORDER,   // Depends on the order in which its tasks run.
    FAULT_ONCE,    // Strikes once, in the first run that is not the reference.
    FAULT_HIDDEN,  // Counts its ticks outside of the world.
    FAULT_DROPPED, // Sends another message in another order, which nobody reads.
    FAULT_SECRET,  // Writes a resource that it only reads.
    FAULT_FAILS,   // Returns an error in tick 3.
} fault;

/// What a world's systems keep outside of it.
typedef struct hidden {
    fault kind;
    uint32_t tasks; // Of this tick so far.
    uint64_t ticks;
    uint32_t* strikes; // Of all worlds: how often FAULT_ONCE may strike.
    bool reference;
} hidden;

/// The context of a verification: the worlds that it has made.
typedef struct maker {
    fault kind;
    uint32_t made;
    uint32_t strikes;
    bool shared; // Worlds are in memory that worker processes share.
    hidden kept[16];
} maker;

static weft_status begin(weft_view* view, const void* context) {
    hidden* own = (hidden*)(uintptr_t)context;
    own->tasks = 0;
    own->ticks++;
    if (own->kind == FAULT_SECRET)
        ((Bell*)(uintptr_t)WEFT_RESOURCE_READ(view, Bell))->strokes++;
    return WEFT_STATUS_OK;
}

static uint32_t advance(weft_view* view, hidden* own) {
    bool third = weft_view_tick(view) == 2 && weft_view_shard(view) == 1;
    switch (own->kind) {
    case FAULT_ORDER:
        return __atomic_add_fetch(&own->tasks, 1, __ATOMIC_RELAXED);
    case FAULT_ONCE:
        if (!third || own->reference || *own->strikes == 0)
            return 1;
        --*own->strikes;
        return 99;
    case FAULT_HIDDEN:
        return (uint32_t)own->ticks;
    case FAULT_DROPPED:
        WEFT_EMIT(view, 0, WEFT_ENTITY_NULL, Chime,
                  {__atomic_add_fetch(&own->tasks, 1, __ATOMIC_RELAXED)});
        return 1;
    default:
        return 1;
    }
}

static weft_status turn(weft_view* view, const void* context) {
    hidden* own = (hidden*)(uintptr_t)context;
    Clock* clocks = WEFT_WRITE(view, Clock);
    uint32_t step = advance(view, own);
    if (own->kind == FAULT_FAILS && weft_view_tick(view) == 2 && !own->reference)
        return weft_view_fail(view, "the spring is broken");
    for (uint32_t i = 0; i < weft_view_row_count(view); i++)
        clocks[i].hand += step;
    return WEFT_STATUS_OK;
}

static weft_status drift(weft_view* view, const void* context) {
    (void)context;
    Case* cases = WEFT_WRITE(view, Case);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++)
        cases[i].at.x.raw++;
    return WEFT_STATUS_OK;
}

static weft_status populate(weft_world* world, weft_schedule* schedule, hidden* own) {
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(Clock), WEFT_STORAGE_DENSE));
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(Case), WEFT_STORAGE_BUFFERED));
    WEFT_TRY(weft_world_register_resource(world, WEFT_TYPE(Bell), 1, NULL));
    WEFT_TRY(weft_world_register_channel(world, WEFT_TYPE(Chime), WEFT_TARGET_WORLD,
                                         WEFT_DELIVERY_TICK));
    WEFT_TRY(weft_schedule_add_system(
        schedule, WEFT_SYSTEM("begin", begin, .scope = WEFT_SCOPE_WORLD,
                              WEFT_ACCESS(WEFT_READS_RESOURCE(Bell)), .context = own)));
    static const char* const after[] = {"begin", NULL};
    WEFT_TRY(weft_schedule_add_system(
        schedule, WEFT_SYSTEM("turn", turn, WEFT_ACCESS(WEFT_WRITES(Clock), WEFT_EMITS(Chime)),
                              .context = own, .after = after)));
    WEFT_TRY(weft_schedule_add_system(schedule,
                                      WEFT_SYSTEM("drift", drift, WEFT_ACCESS(WEFT_WRITES(Case)))));
    weft_commands* commands = weft_world_commands(world);
    for (uint32_t i = 0; i < ENTITIES; i++)
        (void)WEFT_CREATE(commands, 0, WEFT_VALUE(Clock, {i % 7}), WEFT_VALUE(Case, {{{0}, {0}}}));
    return weft_world_commit(world);
}

static weft_status make(void* context, weft_world** world_out, weft_schedule** schedule_out) {
    maker* all = context;
    weft_world_desc desc = weft_world_desc_default();
    cr_assert_lt(all->made, 16);
    hidden* own = &all->kept[all->made];
    *own = (hidden){.kind = all->kind, .strikes = &all->strikes, .reference = all->made == 0};
    all->made++;
    *world_out =
        world_make_for(all->shared ? WEFT_EXECUTOR_PROCESSES : WEFT_EXECUTOR_SERIAL, &desc);
    WEFT_TRY(weft_schedule_create(*world_out, schedule_out));
    WEFT_TRY(populate(*world_out, *schedule_out, own));
    return weft_schedule_build(*schedule_out);
}

static weft_executor_desc config_of(weft_executor_kind kind, uint32_t workers) {
    weft_executor_desc config = weft_executor_desc_default();
    config.kind = kind;
    config.worker_count = workers;
    config.schedule_seed = 3;
    return config;
}

static weft_verify_report* verify(maker* all, weft_verify_depth depth, weft_executor_desc config,
                                  weft_status status) {
    weft_verify_desc desc = weft_verify_desc_default();
    weft_verify_report* report;
    desc.make = make;
    desc.context = all;
    desc.tick_count = TICKS;
    desc.configs = &config;
    desc.config_count = 1;
    desc.depth = depth;
    weft_status found = weft_verify(&desc, &report);
    cr_assert_not_null(report);
    cr_assert_eq(found, status, "%s, not %s: %s", weft_status_name(found), weft_status_name(status),
                 report->results[0].error);
    return report;
}

static void equal(fault kind, weft_verify_depth depth, weft_executor_kind executor,
                  uint32_t workers) {
    maker all = {.kind = kind, .shared = executor == WEFT_EXECUTOR_PROCESSES};
    weft_verify_report* report = verify(&all, depth, config_of(executor, workers), WEFT_STATUS_OK);
    cr_assert_eq(report->results[0].tick, (uint64_t)TICKS);
    weft_verify_report_destroy(report);
}

/// The result of a fault on virtual executors.
static weft_verify_result differs(maker* all, weft_verify_depth depth, weft_executor_kind executor,
                                  uint64_t tick) {
    weft_verify_report* report =
        verify(all, depth, config_of(executor, executor == WEFT_EXECUTOR_SERIAL ? 1 : 3),
               WEFT_STATUS_DIVERGED);
    weft_verify_result result = report->results[0];
    cr_assert_eq(result.outcome, WEFT_VERIFY_DIFFERENT);
    cr_assert_eq(result.tick, tick);
    cr_assert_eq(result.place.tick, tick);
    weft_verify_report_destroy(report);
    return result;
}

static void names_turn(const weft_verify_place* place) {
    cr_assert(place->traced && place->has_task && !place->task_missing);
    cr_assert_str_eq(place->system, "turn");
}

static void shows_hand(const weft_verify_place* place) {
    cr_assert(place->compared);
    cr_assert_eq(place->kind, WEFT_VERIFY_KIND_FIELD);
    cr_assert_str_eq(place->type, "Clock");
    cr_assert_str_eq(place->field, "hand");
}

Test(verify_depths, equal_executors, .timeout = 60) {
    for (int depth = WEFT_VERIFY_DEPTH_ROOT; depth <= WEFT_VERIFY_DEPTH_HEAVY; depth++) {
        equal(FAULT_NONE, (weft_verify_depth)depth, WEFT_EXECUTOR_SERIAL, 1);
        equal(FAULT_NONE, (weft_verify_depth)depth, WEFT_EXECUTOR_VIRTUAL, 3);
        equal(FAULT_NONE, (weft_verify_depth)depth, WEFT_EXECUTOR_THREADS, 2);
        if (TEST_HAS_PROCESSES)
            equal(FAULT_NONE, (weft_verify_depth)depth, WEFT_EXECUTOR_PROCESSES, 2);
    }
}

Test(verify_depths, an_order_bug_is_found_by_all) {
    for (int depth = WEFT_VERIFY_DEPTH_ROOT; depth <= WEFT_VERIFY_DEPTH_HEAVY; depth++) {
        maker all = {.kind = FAULT_ORDER};
        weft_verify_result result =
            differs(&all, (weft_verify_depth)depth, WEFT_EXECUTOR_VIRTUAL, 1);
        names_turn(&result.place);
        shows_hand(&result.place);
        cr_assert(result.place.repeated && !result.place.unstable);
    }
}

// Where a difference shows once and never again, re-runs say nothing.
Test(verify_depths, what_strikes_once_has_no_place_by_digests) {
    maker all = {.kind = FAULT_ONCE, .strikes = 1};
    weft_verify_report* report = verify(&all, WEFT_VERIFY_DEPTH_ROOT,
                                        config_of(WEFT_EXECUTOR_SERIAL, 1), WEFT_STATUS_DIVERGED);
    const weft_verify_place* place = &report->results[0].place;
    cr_assert(!place->repeated && !place->traced && !place->compared);
    weft_verify_report_destroy(report);
}

Test(verify_depths, what_strikes_once_shows_its_values_to_sync) {
    maker all = {.kind = FAULT_ONCE, .strikes = 1};
    weft_verify_result result = differs(&all, WEFT_VERIFY_DEPTH_SYNC, WEFT_EXECUTOR_SERIAL, 3);
    shows_hand(&result.place);
    cr_assert(!result.place.traced && !result.place.repeated && !result.place.unstable);
    cr_assert_eq(result.place.attempt_count, 4 + 4); // From its state, then from the beginning.
    cr_assert_eq(result.place.entity.slot, WEFT_SHARD_SLOTS);
    cr_assert_eq(result.place.entity_count, WEFT_SHARD_SLOTS);
    cr_assert_str_eq(result.place.reference_text, "4");
    cr_assert_str_eq(result.place.found_text, "102");
}

Test(verify_depths, what_strikes_once_is_named_by_heavy) {
    maker all = {.kind = FAULT_ONCE, .strikes = 1};
    weft_verify_result result = differs(&all, WEFT_VERIFY_DEPTH_HEAVY, WEFT_EXECUTOR_SERIAL, 3);
    names_turn(&result.place);
    cr_assert_eq(result.place.shard, 1);
    cr_assert(!result.place.compared && !result.place.repeated);
}

// Every fresh world keeps the same secret, so digests are equal. A tick that is run twice does not.
Test(verify_depths, what_is_kept_outside_is_found_by_sync_alone) {
    equal(FAULT_HIDDEN, WEFT_VERIFY_DEPTH_ROOT, WEFT_EXECUTOR_VIRTUAL, 3);
    equal(FAULT_HIDDEN, WEFT_VERIFY_DEPTH_HEAVY, WEFT_EXECUTOR_VIRTUAL, 3);
    maker all = {.kind = FAULT_HIDDEN};
    weft_verify_result result = differs(&all, WEFT_VERIFY_DEPTH_SYNC, WEFT_EXECUTOR_VIRTUAL, 1);
    cr_assert(result.place.unstable);
    names_turn(&result.place);
    shows_hand(&result.place);
}

Test(verify_depths, what_leaves_no_trace_is_found_by_heavy_alone) {
    equal(FAULT_DROPPED, WEFT_VERIFY_DEPTH_ROOT, WEFT_EXECUTOR_VIRTUAL, 3);
    equal(FAULT_DROPPED, WEFT_VERIFY_DEPTH_SYNC, WEFT_EXECUTOR_VIRTUAL, 3);
    maker all = {.kind = FAULT_DROPPED};
    weft_verify_result result = differs(&all, WEFT_VERIFY_DEPTH_HEAVY, WEFT_EXECUTOR_VIRTUAL, 1);
    names_turn(&result.place);
    cr_assert_eq(result.place.attempt_count, 0);
    DIGEST_EQ(result.found.full, result.reference.full);
    cr_assert_eq(all.made, 2);
}

Test(verify_depths, an_undeclared_write_is_named_by_sync) {
    maker all = {.kind = FAULT_SECRET};
    equal(FAULT_SECRET, WEFT_VERIFY_DEPTH_ROOT, WEFT_EXECUTOR_SERIAL, 1);
    weft_verify_report* report =
        verify(&all, WEFT_VERIFY_DEPTH_SYNC, config_of(WEFT_EXECUTOR_SERIAL, 1),
               WEFT_STATUS_DIGEST_MISMATCH);
    TEXT_HAS(report->results[0].error, "resource Bell was changed without a mark");
    weft_verify_report_destroy(report);
}

Test(verify_depths, a_failed_system_is_no_difference) {
    for (int depth = WEFT_VERIFY_DEPTH_ROOT; depth <= WEFT_VERIFY_DEPTH_HEAVY; depth++) {
        maker all = {.kind = FAULT_FAILS};
        weft_verify_report* report =
            verify(&all, (weft_verify_depth)depth, config_of(WEFT_EXECUTOR_VIRTUAL, 3),
                   WEFT_STATUS_SYSTEM_FAILED);
        cr_assert_eq(report->results[0].outcome, WEFT_VERIFY_FAILED);
        cr_assert_eq(report->results[0].tick, 2);
        TEXT_HAS(report->results[0].error, "the spring is broken");
        weft_verify_report_destroy(report);
    }
}

// Serial runs, with a virtual one as the third.
static bool draw(void* context, uint64_t number, weft_executor_desc* config_out) {
    (void)context;
    *config_out =
        number == 2 ? config_of(WEFT_EXECUTOR_VIRTUAL, 3) : config_of(WEFT_EXECUTOR_SERIAL, 1);
    return number < 5;
}

/// A verification of one configuration and five drawn ones.
static weft_verify_report* verify_draws(maker* all, weft_status status) {
    weft_executor_desc config = config_of(WEFT_EXECUTOR_SERIAL, 1);
    weft_verify_desc desc = weft_verify_desc_default();
    weft_verify_report* report;
    desc.make = make;
    desc.draw = draw;
    desc.context = all;
    desc.tick_count = TICKS;
    desc.configs = &config;
    desc.config_count = 1;
    weft_status found = weft_verify(&desc, &report);
    cr_assert_eq(found, status, "%s", weft_status_name(found));
    cr_assert_eq(report->results[0].outcome, WEFT_VERIFY_EQUAL);
    return report;
}

Test(verify_depths, draws_go_on_while_they_are_equal) {
    maker all = {0};
    weft_verify_report* report = verify_draws(&all, WEFT_STATUS_OK);
    cr_assert_eq(report->draw_count, 5);
    cr_assert_eq(report->drawn.outcome, WEFT_VERIFY_EQUAL);
    cr_assert_eq(all.made, 2 + 5);
    weft_verify_report_destroy(report);
}

Test(verify_depths, the_first_draw_that_differs_is_the_last) {
    maker all = {.kind = FAULT_ORDER};
    weft_verify_report* report = verify_draws(&all, WEFT_STATUS_DIVERGED);
    cr_assert_eq(report->draw_count, 3);
    cr_assert_eq(report->drawn.outcome, WEFT_VERIFY_DIFFERENT);
    cr_assert_eq(report->drawn.worker_count, 3);
    cr_assert_eq(report->drawn.tick, 1);
    names_turn(&report->drawn.place);
    shows_hand(&report->drawn.place);
    weft_verify_report_destroy(report);
}

Test(verify_depths, a_draw_that_fails_is_the_last) {
    maker all = {.kind = FAULT_FAILS};
    weft_verify_desc desc = weft_verify_desc_default();
    weft_verify_report* report;
    desc.make = make;
    desc.draw = draw;
    desc.context = &all;
    desc.tick_count = TICKS;
    cr_assert_eq(weft_verify(&desc, &report), WEFT_STATUS_SYSTEM_FAILED);
    cr_assert_eq(report->draw_count, 1);
    cr_assert_eq(report->drawn.status, WEFT_STATUS_SYSTEM_FAILED);
    TEXT_HAS(report->drawn.error, "the spring is broken");
    weft_verify_report_destroy(report);
}

static bool stop_at_tick_2(void* context, const weft_verify_progress* progress) {
    (void)context;
    return progress->phase == WEFT_VERIFY_REFERENCE || progress->tick < 2;
}

Test(verify_depths, a_stop_is_heard) {
    for (int depth = WEFT_VERIFY_DEPTH_ROOT; depth <= WEFT_VERIFY_DEPTH_HEAVY; depth++) {
        maker all = {0};
        weft_verify_desc desc = weft_verify_desc_default();
        weft_executor_desc config = config_of(WEFT_EXECUTOR_SERIAL, 1);
        weft_verify_report* report;
        desc.make = make;
        desc.progress = stop_at_tick_2;
        desc.context = &all;
        desc.tick_count = TICKS;
        desc.configs = &config;
        desc.config_count = 1;
        desc.depth = (weft_verify_depth)depth;
        cr_assert_eq(weft_verify(&desc, &report), WEFT_STATUS_OK);
        cr_assert(report->stopped);
        cr_assert_eq(report->results[0].outcome, WEFT_VERIFY_NOT_RUN);
        cr_assert_eq(report->results[0].tick, 2);
        weft_verify_report_destroy(report);
    }
    weft_verify_desc desc = weft_verify_desc_default();
    weft_verify_report* report;
    desc.make = make;
    desc.depth = (weft_verify_depth)3;
    cr_assert_eq(weft_verify(&desc, &report), WEFT_STATUS_BAD_ARGUMENT);
}
