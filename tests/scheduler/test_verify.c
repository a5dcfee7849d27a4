// Verify against worlds with a planted fault. Worlds are made in this order: the reference, the
// suspect, and to locate a difference the suspect again and the serial run again. So a world's
// number says whether it is to be faulty.

#include <weft/verify.h>

#include "worlds.h"

WEFT_COMPONENT(Point, (weft_vec2, at), (int32_t, weight), (uint32_t, color));
WEFT_TAG(Marked);
WEFT_RESOURCE(Needle, (uint64_t, base), (array, uint32_t, marks, 2));
WEFT_RESOURCE(Gauge, (uint64_t, high), (nested_array, Needle, needles, 2));
WEFT_MESSAGE(Note, (uint32_t, pitch));
WEFT_MESSAGE(Letter, (uint32_t, stamps));
WEFT_PARTIAL(Total, (int64_t, weight));

enum {
    ENTITIES = 2 * WEFT_SHARD_SLOTS,
    TICKS = 6,
    FAULT_TICK = 3,
    SLOT = WEFT_SHARD_SLOTS + 9
};

typedef enum fault_kind {
    FAULT_NONE,
    FAULT_FIELD,
    FAULT_PRESENCE,
    FAULT_ALIVE,
    FAULT_BORN,
    FAULT_RESOURCE,
    FAULT_MESSAGE,
    FAULT_MESSAGE_COUNT,
    FAULT_PENDING,
    FAULT_REDUCTION,
    FAULT_ERROR,
} fault_kind;

/// What a test wants: which fault, and in which worlds.
typedef struct fault_plan {
    fault_kind fault;
    uint32_t made;         // Worlds so far.
    uint32_t only;         // If not 0: only this world is faulty,
    uint32_t also;         // and this one.
    bool every;            // All worlds but the first are faulty.
    uint64_t calls;        // Of progress.
    uint64_t stop_at_call; // If not 0: progress ends it there.
    uint64_t check_fails;  // If not 0: the check fails after this tick.
    weft_status make_fails;
    bool shared; // Worlds are in memory that worker processes share.
} fault_plan;

static const fault_kind faults[] = {
    FAULT_NONE,    FAULT_FIELD,         FAULT_PRESENCE, FAULT_ALIVE,     FAULT_BORN, FAULT_RESOURCE,
    FAULT_MESSAGE, FAULT_MESSAGE_COUNT, FAULT_PENDING,  FAULT_REDUCTION, FAULT_ERROR};

static bool strikes(const weft_view* view, const void* context, fault_kind fault) {
    return *(const fault_kind*)context == fault && weft_view_tick(view) == FAULT_TICK;
}

static weft_status move(weft_view* view, const void* context) {
    Point* points = WEFT_WRITE(view, Point);
    Total* total = WEFT_PARTIAL_OF(view, Total);
    const weft_entity* entities = weft_view_entities(view);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++) {
        points[i].at.x = weft_fixed_add(points[i].at.x, WEFT_FIXED_ONE);
        if (strikes(view, context, FAULT_FIELD) && entities[i].slot >= SLOT)
            points[i].weight = 1000;
        total->weight += points[i].weight;
    }
    if (strikes(view, context, FAULT_REDUCTION) && weft_view_shard(view) == 1)
        total->weight++;
    return WEFT_STATUS_OK;
}

static void total_combine(void* left, const void* right) {
    ((Total*)left)->weight += ((const Total*)right)->weight;
}

static weft_status change(weft_view* view, const void* context) {
    const weft_entity* entities = weft_view_entities(view);
    weft_commands* commands = weft_view_commands(view);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++) {
        if (entities[i].slot != SLOT)
            continue;
        if (strikes(view, context, FAULT_PRESENCE))
            WEFT_ADD_TAG(commands, i, entities[i], Marked);
        if (strikes(view, context, FAULT_ALIVE))
            weft_commands_destroy(commands, i, entities[i]);
        if (strikes(view, context, FAULT_BORN))
            (void)weft_commands_create(commands, i);
        if (strikes(view, context, FAULT_ERROR))
            return weft_view_fail(view, "slot %u is out of order", entities[i].slot);
    }
    return WEFT_STATUS_OK;
}

static weft_status signal(weft_view* view, const void* context) {
    Gauge* gauges = WEFT_RESOURCE_WRITE(view, Gauge);
    uint32_t pitch = strikes(view, context, FAULT_MESSAGE) ? 7 : 5;
    uint32_t stamps = strikes(view, context, FAULT_PENDING) ? 2 : 1;
    gauges[2].needles[1].marks[1] += strikes(view, context, FAULT_RESOURCE) ? 3 : 1;
    WEFT_EMIT(view, 0, WEFT_ENTITY_NULL, Note, {pitch});
    if (strikes(view, context, FAULT_MESSAGE_COUNT))
        WEFT_EMIT(view, 0, WEFT_ENTITY_NULL, Note, {5});
    WEFT_EMIT(view, 0, WEFT_ENTITY_NULL, Letter, {stamps});
    return WEFT_STATUS_OK;
}

static weft_status listen(weft_view* view, const void* context) {
    uint32_t count;
    (void)context;
    (void)weft_view_messages(view, WEFT_TYPE(Note), &count);
    (void)weft_view_messages(view, WEFT_TYPE(Letter), &count);
    return WEFT_STATUS_OK;
}

static weft_status populate(weft_world* world, weft_schedule* schedule, const fault_kind* context) {
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(Point), WEFT_STORAGE_DENSE));
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(Marked), WEFT_STORAGE_DENSE));
    WEFT_TRY(weft_world_register_resource(world, WEFT_TYPE(Gauge), 4, NULL));
    WEFT_TRY(
        weft_world_register_channel(world, WEFT_TYPE(Note), WEFT_TARGET_WORLD, WEFT_DELIVERY_TICK));
    WEFT_TRY(weft_world_register_channel(world, WEFT_TYPE(Letter), WEFT_TARGET_WORLD,
                                         WEFT_DELIVERY_NEXT));
    WEFT_TRY(weft_world_register_reduction(world, WEFT_TYPE(Total), NULL, total_combine));
    for (uint32_t i = 0; i < ENTITIES; i++) {
        weft_entity entity = weft_commands_create(weft_world_commands(world), 0);
        WEFT_ADD(weft_world_commands(world), 0, entity, Point, {.weight = (int32_t)i % 10});
    }
    WEFT_TRY(weft_world_commit(world));
    WEFT_TRY(weft_schedule_add_system(
        schedule, WEFT_SYSTEM("change", change, WEFT_ACCESS(WEFT_WITH(Point), WEFT_COMMANDS),
                              .context = context)));
    WEFT_TRY(weft_schedule_add_system(
        schedule, WEFT_SYSTEM("move", move, WEFT_ACCESS(WEFT_WRITES(Point), WEFT_REDUCES(Total)),
                              .context = context)));
    WEFT_TRY(weft_schedule_add_system(
        schedule,
        WEFT_SYSTEM("signal", signal,
                    WEFT_ACCESS(WEFT_WRITES_RESOURCE(Gauge), WEFT_EMITS(Note), WEFT_EMITS(Letter)),
                    .scope = WEFT_SCOPE_WORLD, .context = context)));
    WEFT_TRY(weft_schedule_add_system(
        schedule,
        WEFT_SYSTEM("listen", listen, WEFT_ACCESS(WEFT_CONSUMES(Note), WEFT_CONSUMES(Letter)),
                    .scope = WEFT_SCOPE_WORLD)));
    return weft_schedule_build(schedule);
}

static weft_status make(void* context, weft_world** world_out, weft_schedule** schedule_out) {
    fault_plan* plan = context;
    weft_world_desc desc = weft_world_desc_default();
    plan->made++;
    bool suspect = plan->made == 2 || (plan->made > 2 && plan->made % 2 == 1);
    bool faulty = plan->only != 0 ? plan->made == plan->only || plan->made == plan->also
                                  : suspect || (plan->every && plan->made > 1);
    WEFT_TRY(plan->make_fails);
    *world_out =
        world_make_for(plan->shared ? WEFT_EXECUTOR_PROCESSES : WEFT_EXECUTOR_SERIAL, &desc);
    WEFT_TRY(weft_schedule_create(*world_out, schedule_out));
    return populate(*world_out, *schedule_out, &faults[faulty ? plan->fault : FAULT_NONE]);
}

static bool progress(void* context, const weft_verify_progress* progress) {
    fault_plan* plan = context;
    (void)progress;
    plan->calls++;
    return plan->stop_at_call == 0 || plan->calls < plan->stop_at_call;
}

static bool check(void* context, const weft_world* world, char* line, size_t capacity) {
    const fault_plan* plan = context;
    if (plan->check_fails == 0 || weft_world_tick(world) != plan->check_fails)
        return true;
    snprintf(line, capacity, "the sum is wrong");
    return false;
}

static weft_verify_desc desc_of(fault_plan* plan, const weft_executor_desc* configs, size_t count) {
    weft_verify_desc desc = weft_verify_desc_default();
    desc.make = make;
    desc.check = check;
    desc.progress = progress;
    desc.context = plan;
    desc.tick_count = TICKS;
    desc.configs = configs;
    desc.config_count = count;
    return desc;
}

static weft_executor_desc config_of(weft_executor_kind kind, uint32_t workers) {
    weft_executor_desc config = weft_executor_desc_default();
    config.kind = kind;
    config.worker_count = workers;
    return config;
}

/// Verifies a serial run with a fault against the serial run without.
static weft_verify_report* verify_fault(fault_plan* plan, weft_status status) {
    weft_executor_desc config = config_of(WEFT_EXECUTOR_SERIAL, 1);
    weft_verify_desc desc = desc_of(plan, &config, 1);
    weft_verify_report* report = NULL;
    weft_status found = weft_verify(&desc, &report);
    cr_assert_eq(found, status, "%s", weft_status_name(found));
    cr_assert_not_null(report);
    return report;
}

/// The place of a fault that shows in the tick after FAULT_TICK.
static weft_verify_place place_of(fault_kind fault) {
    fault_plan plan = {.fault = fault};
    weft_verify_report* report = verify_fault(&plan, WEFT_STATUS_DIVERGED);
    const weft_verify_result* result = &report->results[0];
    weft_verify_place place = result->place;
    cr_assert_eq(report->reference.outcome, WEFT_VERIFY_EQUAL);
    cr_assert_eq(result->outcome, WEFT_VERIFY_DIFFERENT);
    cr_assert_eq(result->tick, FAULT_TICK + 1u);
    cr_assert_not(weft_digest_equal(result->found.full, result->reference.full));
    cr_assert(place.repeated);
    cr_assert_not(place.unstable);
    cr_assert_eq(place.attempt_count, 1u);
    cr_assert_eq(place.tick, result->tick);
    cr_assert_eq(plan.made, 4u);
    weft_verify_report_destroy(report);
    return place;
}

static void expect_task(const weft_verify_place* place, const char* system, uint32_t shard) {
    cr_assert(place->has_task);
    cr_assert_not(place->task_missing);
    cr_assert_str_eq(place->system, system);
    cr_assert_eq(place->shard, shard);
}

Test(verify, equal_executors) {
    const weft_executor_desc configs[] = {
        config_of(WEFT_EXECUTOR_SERIAL, 1),   config_of(WEFT_EXECUTOR_VIRTUAL, 2),
        config_of(WEFT_EXECUTOR_VIRTUAL, 5),  config_of(WEFT_EXECUTOR_THREADS, 1),
        config_of(WEFT_EXECUTOR_THREADS, 3),  config_of(WEFT_EXECUTOR_PROCESSES, 1),
        config_of(WEFT_EXECUTOR_PROCESSES, 3)};
    const size_t count = TEST_HAS_PROCESSES ? 7 : 5;
    fault_plan plan = {.shared = true};
    weft_verify_desc desc = desc_of(&plan, configs, count);
    weft_verify_report* report;
    desc.digest_check = true;
    cr_assert_eq(weft_verify(&desc, &report), WEFT_STATUS_OK);
    cr_assert_not(report->stopped);
    cr_assert_eq(report->digest_count, TICKS + 1u);
    cr_assert_eq(report->result_count, count);
    cr_assert_eq(plan.made, count + 1);
    cr_assert_eq(plan.calls, (count + 1) * (TICKS + 1u));
    for (size_t i = 0; i < count; i++) {
        cr_assert_eq(report->results[i].outcome, WEFT_VERIFY_EQUAL);
        cr_assert_eq(report->results[i].tick, (uint64_t)TICKS);
        cr_assert_eq(report->results[i].worker_count, configs[i].worker_count);
        cr_assert(weft_digest_equal(report->results[i].found.full, report->digests[TICKS].full));
    }
    weft_verify_report_destroy(report);
}

Test(verify, no_ticks_and_no_configs) {
    fault_plan plan = {0};
    weft_verify_desc desc = desc_of(&plan, NULL, 0);
    weft_verify_report* report;
    desc.tick_count = 0;
    cr_assert_eq(weft_verify(&desc, &report), WEFT_STATUS_OK);
    cr_assert_eq(report->digest_count, 1u);
    weft_verify_report_destroy(report);
}

Test(verify, field) {
    weft_verify_place place = place_of(FAULT_FIELD);
    expect_task(&place, "move", 1);
    cr_assert_eq(place.kind, WEFT_VERIFY_KIND_FIELD);
    cr_assert_eq(place.entity.slot, (uint32_t)SLOT);
    cr_assert_eq(place.entity.generation, 1u);
    cr_assert_str_eq(place.type, "Point");
    cr_assert_str_eq(place.field, "weight");
    cr_assert_str_eq(place.reference_text, "5");
    cr_assert_str_eq(place.found_text, "1000");
    cr_assert_eq(place.entity_count, (uint64_t)ENTITIES - SLOT);
}

Test(verify, presence) {
    weft_verify_place place = place_of(FAULT_PRESENCE);
    expect_task(&place, "change", 1);
    cr_assert_eq(place.kind, WEFT_VERIFY_KIND_PRESENCE);
    cr_assert_eq(place.entity.slot, (uint32_t)SLOT);
    cr_assert_str_eq(place.type, "Marked");
    cr_assert_str_eq(place.reference_text, "absent");
    cr_assert_str_eq(place.found_text, "present");
    cr_assert_eq(place.entity_count, 1u);
}

Test(verify, alive) {
    weft_verify_place place = place_of(FAULT_ALIVE);
    expect_task(&place, "change", 1);
    cr_assert_eq(place.kind, WEFT_VERIFY_KIND_ALIVE);
    cr_assert_eq(place.entity.slot, (uint32_t)SLOT);
    cr_assert_str_eq(place.reference_text, "alive");
    cr_assert_str_eq(place.found_text, "dead");
    cr_assert_eq(place.entity_count, 1u);
}

// What is born lies in another shard than the task that bore it.
Test(verify, born) {
    weft_verify_place place = place_of(FAULT_BORN);
    expect_task(&place, "change", 1);
    cr_assert_eq(place.kind, WEFT_VERIFY_KIND_ALIVE);
    cr_assert_eq(place.entity.slot, (uint32_t)ENTITIES);
    cr_assert_str_eq(place.reference_text, "dead");
    cr_assert_str_eq(place.found_text, "alive");
}

Test(verify, resource) {
    weft_verify_place place = place_of(FAULT_RESOURCE);
    expect_task(&place, "signal", 0);
    cr_assert_eq(place.kind, WEFT_VERIFY_KIND_RESOURCE);
    cr_assert_eq(place.index, 2u);
    cr_assert_str_eq(place.type, "Gauge");
    cr_assert_str_eq(place.field, "needles[1].marks[1]");
    cr_assert_str_eq(place.reference_text, "4");
    cr_assert_str_eq(place.found_text, "6");
    cr_assert_eq(place.entity_count, 0u);
}

Test(verify, reduction) {
    weft_verify_place place = place_of(FAULT_REDUCTION);
    expect_task(&place, "move", 1);
    cr_assert_eq(place.kind, WEFT_VERIFY_KIND_REDUCTION);
    cr_assert_str_eq(place.type, "Total");
    cr_assert_str_eq(place.field, "weight");
}

// Messages that are read and dropped in the same tick are no state.
Test(verify, message_without_consequence) {
    fault_plan plan = {.fault = FAULT_MESSAGE};
    weft_verify_report* report = verify_fault(&plan, WEFT_STATUS_OK);
    cr_assert_eq(report->results[0].outcome, WEFT_VERIFY_EQUAL);
    weft_verify_report_destroy(report);
}

// Messages for the next tick are: the view is equal, the future is not.
Test(verify, pending_message) {
    weft_verify_place place = place_of(FAULT_PENDING);
    expect_task(&place, "signal", 0);
    cr_assert_eq(place.kind, WEFT_VERIFY_KIND_NONE);
    cr_assert_eq(place.entity_count, 0u);
}

Test(verify, a_difference_that_does_not_show_again) {
    fault_plan plan = {.fault = FAULT_FIELD, .only = 2};
    weft_verify_report* report = verify_fault(&plan, WEFT_STATUS_DIVERGED);
    const weft_verify_place* place = &report->results[0].place;
    cr_assert_eq(report->results[0].outcome, WEFT_VERIFY_DIFFERENT);
    cr_assert_eq(report->results[0].tick, FAULT_TICK + 1u);
    cr_assert_not(place->repeated);
    cr_assert_eq(place->attempt_count, 4u);
    cr_assert_eq(plan.made, 2u + 4u);
    weft_verify_report_destroy(report);
}

// It shows again in the third re-run only, in which every tick is traced.
Test(verify, a_difference_that_shows_again_late) {
    fault_plan plan = {.fault = FAULT_FIELD, .only = 2, .also = 5};
    weft_verify_report* report = verify_fault(&plan, WEFT_STATUS_DIVERGED);
    const weft_verify_place* place = &report->results[0].place;
    cr_assert(place->repeated);
    cr_assert_eq(place->attempt_count, 3u);
    cr_assert_eq(plan.made, 6u);
    expect_task(place, "move", 1);
    weft_verify_report_destroy(report);
}

// All worlds after the first differ from it: the serial run does not repeat itself.
Test(verify, unstable_reference) {
    fault_plan plan = {.fault = FAULT_FIELD, .every = true};
    weft_verify_report* report = verify_fault(&plan, WEFT_STATUS_DIVERGED);
    cr_assert(report->results[0].place.unstable);
    cr_assert_not(report->results[0].place.repeated);
    weft_verify_report_destroy(report);
}

Test(verify, only_so_many_are_located) {
    const weft_executor_desc configs[] = {config_of(WEFT_EXECUTOR_SERIAL, 1),
                                          config_of(WEFT_EXECUTOR_SERIAL, 1)};
    fault_plan plan = {.fault = FAULT_RESOURCE};
    weft_verify_desc desc = desc_of(&plan, configs, 2);
    weft_verify_report* report;
    desc.locate_limit = 0;
    cr_assert_eq(weft_verify(&desc, &report), WEFT_STATUS_DIVERGED);
    cr_assert_eq(report->results[0].outcome, WEFT_VERIFY_DIFFERENT);
    cr_assert_eq(report->results[0].place.attempt_count, 0u);
    weft_verify_report_destroy(report);
}

Test(verify, failed_system) {
    fault_plan plan = {.fault = FAULT_ERROR};
    weft_verify_report* report = verify_fault(&plan, WEFT_STATUS_SYSTEM_FAILED);
    const weft_verify_result* result = &report->results[0];
    cr_assert_eq(result->outcome, WEFT_VERIFY_FAILED);
    cr_assert_eq(result->status, WEFT_STATUS_SYSTEM_FAILED);
    cr_assert_eq(result->tick, (uint64_t)FAULT_TICK);
    cr_assert_not_null(strstr(result->error, "change"), "%s", result->error);
    cr_assert_not_null(strstr(result->error, "is out of order"), "%s", result->error);
    weft_verify_report_destroy(report);
}

Test(verify, failed_reference) {
    fault_plan plan = {.fault = FAULT_ERROR, .only = 1};
    weft_verify_report* report = verify_fault(&plan, WEFT_STATUS_SYSTEM_FAILED);
    cr_assert_eq(report->reference.outcome, WEFT_VERIFY_FAILED);
    cr_assert_eq(report->reference.tick, (uint64_t)FAULT_TICK);
    cr_assert_eq(report->digest_count, FAULT_TICK + 1u);
    cr_assert_eq(report->results[0].outcome, WEFT_VERIFY_NOT_RUN);
    weft_verify_report_destroy(report);
}

Test(verify, failed_make) {
    fault_plan plan = {.make_fails = WEFT_STATUS_BAD_MODULE};
    weft_verify_report* report = verify_fault(&plan, WEFT_STATUS_BAD_MODULE);
    cr_assert_eq(report->reference.outcome, WEFT_VERIFY_FAILED);
    cr_assert_str_eq(report->reference.error, weft_status_text(WEFT_STATUS_BAD_MODULE));
    cr_assert_eq(report->digest_count, 0u);
    weft_verify_report_destroy(report);
}

Test(verify, failed_check) {
    fault_plan plan = {.check_fails = 2};
    weft_verify_report* report = verify_fault(&plan, WEFT_STATUS_SYSTEM_FAILED);
    cr_assert_not_null(strstr(report->reference.error, "after tick 2: the sum is wrong"), "%s",
                       report->reference.error);
    weft_verify_report_destroy(report);
}

Test(verify, stopped_in_the_reference) {
    fault_plan plan = {.stop_at_call = 3};
    weft_verify_report* report = verify_fault(&plan, WEFT_STATUS_OK);
    cr_assert(report->stopped);
    cr_assert_eq(report->reference.outcome, WEFT_VERIFY_NOT_RUN);
    cr_assert_eq(report->reference.tick, 2u);
    cr_assert_eq(report->results[0].outcome, WEFT_VERIFY_NOT_RUN);
    cr_assert_eq(plan.calls, 3u);
    weft_verify_report_destroy(report);
}

Test(verify, stopped_in_a_run) {
    fault_plan plan = {.stop_at_call = TICKS + 1 + 2};
    weft_verify_report* report = verify_fault(&plan, WEFT_STATUS_OK);
    cr_assert(report->stopped);
    cr_assert_eq(report->reference.outcome, WEFT_VERIFY_EQUAL);
    cr_assert_eq(report->results[0].outcome, WEFT_VERIFY_NOT_RUN);
    weft_verify_report_destroy(report);
}

/// Verifies against digests of an earlier run in which some ticks are changed.
static weft_verify_report* verify_expected(uint64_t from, uint64_t to, weft_status status) {
    fault_plan first = {0};
    fault_plan second = {0};
    weft_verify_digests expected[TICKS + 1];
    weft_verify_report* report = verify_fault(&first, WEFT_STATUS_OK);
    memcpy(expected, report->digests, sizeof expected);
    weft_verify_report_destroy(report);
    for (uint64_t tick = from; tick < to; tick++)
        expected[tick].view.low ^= 1;
    weft_verify_desc desc = desc_of(&second, NULL, 0);
    desc.expected = expected;
    desc.expected_count = TICKS + 1;
    cr_assert_eq(weft_verify(&desc, &report), status);
    return report;
}

Test(verify, expected_equal) {
    weft_verify_report* report = verify_expected(0, 0, WEFT_STATUS_OK);
    cr_assert_eq(report->reference.outcome, WEFT_VERIFY_EQUAL);
    weft_verify_report_destroy(report);
}

Test(verify, expected_different_from_a_tick_on) {
    weft_verify_report* report = verify_expected(4, TICKS + 1, WEFT_STATUS_DIVERGED);
    cr_assert_eq(report->reference.outcome, WEFT_VERIFY_DIFFERENT);
    cr_assert_eq(report->reference.tick, 4u);
    cr_assert_eq(report->reference.found.view.low ^ 1, report->reference.reference.view.low);
    cr_assert_not(report->expected_resumes);
    weft_verify_report_destroy(report);
}

Test(verify, expected_different_in_one_tick) {
    weft_verify_report* report = verify_expected(2, 3, WEFT_STATUS_DIVERGED);
    cr_assert_eq(report->reference.tick, 2u);
    cr_assert(report->expected_resumes);
    weft_verify_report_destroy(report);
}

Test(verify, bad_arguments) {
    fault_plan plan = {0};
    weft_verify_report* report;
    weft_verify_desc desc = desc_of(&plan, NULL, 1);
    cr_assert_eq(weft_verify(&desc, &report), WEFT_STATUS_BAD_ARGUMENT);
    cr_assert_null(report);
    desc = desc_of(&plan, NULL, 0);
    desc.make = NULL;
    cr_assert_eq(weft_verify(&desc, &report), WEFT_STATUS_BAD_ARGUMENT);
    desc = desc_of(&plan, NULL, 0);
    desc.cookie = 0;
    cr_assert_eq(weft_verify(&desc, &report), WEFT_STATUS_BAD_ARGUMENT);
    desc = desc_of(&plan, NULL, 0);
    weft_verify_digests one = {0};
    desc.expected = &one;
    desc.expected_count = TICKS + 2;
    cr_assert_eq(weft_verify(&desc, &report), WEFT_STATUS_BAD_ARGUMENT);
    weft_verify_report_destroy(NULL);
}
