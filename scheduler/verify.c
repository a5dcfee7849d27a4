// Verify: every configuration against the serial run.
//
// The comparison itself is one digest per tick, unless more is asked for. What this does not see: a
// fault that the serial run has too, and writes that no later tick reads and no column holds.

#include <string.h>

#include "verify_locate.h"
#include "verify_sync.h"

#define VERIFY_COOKIE 0x57564552u

weft_verify_desc weft_verify_desc_default(void) {
    return (weft_verify_desc){.locate_limit = 1, .attempt_limit = 4, .cookie = VERIFY_COOKIE};
}

// The serial run ---------------------------------------------------------------------------------

static weft_status report_keep(weft__verify_whole* whole, weft_verify_digests digests) {
    weft_verify_report* report = &whole->shown;
    void* items = report->digests;
    weft_status status = weft__arena_grow(&whole->arena, &items, &whole->digest_capacity,
                                          sizeof *report->digests, report->digest_count + 1);
    report->digests = items;
    if (status == WEFT_STATUS_OK)
        report->digests[report->digest_count++] = digests;
    return status;
}

static weft_status reference_check(const weft_verify_desc* desc, const weft__verify_run* run,
                                   weft_verify_result* result) {
    char line[WEFT_VERIFY_LINE_SIZE - 128] = "";
    if (desc->check == NULL || desc->check(desc->context, run->world, line, sizeof line))
        return WEFT_STATUS_OK;
    result->outcome = WEFT_VERIFY_FAILED;
    result->status = WEFT_STATUS_SYSTEM_FAILED;
    (void)snprintf(result->error, sizeof result->error,
                   "the simulation's own check failed after tick %llu: %s",
                   (unsigned long long)weft_world_tick(run->world), line);
    return result->status;
}

/// Keeps what the tasks of the reference's last tick gave, for those who compare them.
static weft_status reference_trace(weft__verify_state* state) {
    weft__arena* arena = &state->whole->arena;
    weft__verify_trace* trace = &state->trace;
    const weft__verify_outputs* outputs = &state->serial_outputs;
    if (state->desc->depth != WEFT_VERIFY_DEPTH_HEAVY)
        return WEFT_STATUS_OK;
    WEFT_TRY(WEFT__VEC_RESERVE(arena, trace->items, outputs->count));
    if (outputs->count > 0)
        memcpy(trace->items.items + trace->items.count, outputs->items,
               outputs->count * sizeof outputs->items[0]);
    trace->items.count += (uint32_t)outputs->count;
    return WEFT__VEC_PUSH(arena, trace->ends, trace->items.count);
}

/// Runs the reference and keeps its digests. Its outcome is EQUAL, NOT_RUN or FAILED.
static weft_status reference_run(weft__verify_state* state, weft__verify_run* run) {
    const weft_verify_desc* desc = state->desc;
    weft_verify_report* report = state->report;
    weft_verify_result* result = &report->reference;
    weft_executor_desc config = weft__verify_serial_config(desc);
    bool traced = desc->depth == WEFT_VERIFY_DEPTH_HEAVY;
    WEFT_TRY(weft__verify_open(desc, &config, run));
    result->worker_count = 1;
    report->schema_hash = weft_world_schema_hash(run->world);
    report->schedule_hash = weft_schedule_hash(run->schedule);
    for (uint64_t tick = 0; tick <= desc->tick_count; tick++) {
        weft_verify_digests digests;
        WEFT_TRY(
            weft__verify_reach(state, run, tick, traced ? &state->serial_outputs : NULL, &digests));
        WEFT_TRY(reference_check(desc, run, result));
        WEFT_TRY(report_keep(state->whole, digests));
        WEFT_TRY(reference_trace(state));
        result->tick = tick;
        result->found = digests;
        if (!weft__verify_goes_on(state, WEFT_VERIFY_REFERENCE, 0, tick, desc->tick_count))
            return WEFT_STATUS_OK;
    }
    result->outcome = WEFT_VERIFY_EQUAL;
    return WEFT_STATUS_OK;
}

/// Compares the reference with the digests of an earlier run.
static void reference_expect(const weft_verify_desc* desc, weft_verify_report* report) {
    weft_verify_result* result = &report->reference;
    uint64_t count = report->digest_count;
    if (desc->expected == NULL || count == 0)
        return;
    if (count > desc->expected_count)
        count = desc->expected_count;
    for (uint64_t tick = 0; tick < count; tick++) {
        if (weft__verify_digests_equal(&desc->expected[tick], &report->digests[tick]))
            continue;
        result->outcome = WEFT_VERIFY_DIFFERENT;
        result->tick = tick;
        result->reference = desc->expected[tick];
        result->found = report->digests[tick];
        report->expected_resumes =
            weft__verify_digests_equal(&desc->expected[count - 1], &report->digests[count - 1]);
        return;
    }
    result->reference = result->found;
}

// Comparing configurations -----------------------------------------------------------------------

/// Compares the outputs of the suspect's last tick; a difference is the first task's.
static bool outputs_differ(weft__verify_state* state, const weft__verify_run* run, uint64_t tick,
                           weft_verify_place* place) {
    const weft__verify_trace* trace = &state->trace;
    if (state->desc->depth != WEFT_VERIFY_DEPTH_HEAVY || tick == 0)
        return false;
    WEFT_ASSERT(tick < trace->ends.count && trace->ends.items[tick - 1] <= trace->ends.items[tick]);
    uint32_t begin = trace->ends.items[tick - 1];
    weft__verify_outputs serial = {.items = trace->items.items + begin,
                                   .count = trace->ends.items[tick] - begin};
    place->traced = true;
    place->tick = tick;
    if (weft__verify_outputs_equal(&serial, &state->suspect_outputs))
        return false;
    weft__verify_outputs_compare(&serial, &state->suspect_outputs, run->schedule, place);
    return place->has_task;
}

/// One run, tick by tick.
static weft_status ticks_compare(weft__verify_state* state, size_t index, weft__verify_run* run,
                                 weft_verify_result* result) {
    const weft_verify_report* report = state->report;
    WEFT_ASSERT(report->digest_count > 0);
    uint64_t last_tick = report->digest_count - 1;
    bool traced = state->desc->depth == WEFT_VERIFY_DEPTH_HEAVY;
    for (uint64_t tick = 0; tick <= last_tick; tick++) {
        weft_verify_digests found;
        weft_verify_place place = {0};
        WEFT_TRY(
            weft__verify_reach(state, run, tick, traced ? &state->suspect_outputs : NULL, &found));
        result->tick = tick;
        result->found = found;
        result->reference = report->digests[tick];
        if (outputs_differ(state, run, tick, &place) ||
            !weft__verify_digests_equal(&found, &report->digests[tick])) {
            result->outcome = WEFT_VERIFY_DIFFERENT;
            result->place = place;
            return WEFT_STATUS_OK;
        }
        if (!weft__verify_goes_on(state, WEFT_VERIFY_COMPARE, index, tick, last_tick))
            return WEFT_STATUS_OK;
    }
    result->outcome = WEFT_VERIFY_EQUAL;
    return WEFT_STATUS_OK;
}

static weft_status config_compare(weft__verify_state* state, const weft_executor_desc* config,
                                  size_t index, weft__verify_run* run, weft_verify_result* result) {
    const weft_verify_report* report = state->report;
    WEFT_TRY(weft__verify_open(state->desc, config, run));
    if (weft_world_schema_hash(run->world) != report->schema_hash ||
        weft_schedule_hash(run->schedule) != report->schedule_hash)
        return WEFT_STATUS_IDENTITY_MISMATCH;
    result->worker_count = weft_executor_stats_read(run->executor).worker_count;
    if (state->desc->depth == WEFT_VERIFY_DEPTH_SYNC)
        return weft__verify_sync(state, index, run, result);
    return ticks_compare(state, index, run, result);
}

/// Compares one configuration; what it finds is looked for again as long as that is wanted.
static void config_run(weft__verify_state* state, const weft_executor_desc* config, size_t index,
                       weft_verify_result* result) {
    weft__verify_run run = {0};
    weft_status status = config_compare(state, config, index, &run, result);
    if (status != WEFT_STATUS_OK)
        weft__verify_fail(result, &run, status);
    weft__verify_close(&run);
    if (result->outcome != WEFT_VERIFY_DIFFERENT || state->located >= state->desc->locate_limit)
        return;
    state->located++;
    bool placed = state->desc->depth == WEFT_VERIFY_DEPTH_SYNC && result->place.traced;
    bool dropped = weft__verify_digests_equal(&result->found, &result->reference);
    if (!placed && !dropped) // Else there is nothing more to be found.
        weft__verify_locate(state, config, index, result);
}

static void configs_compare(weft__verify_state* state) {
    weft_verify_report* report = state->report;
    for (size_t i = 0; i < report->result_count && !report->stopped; i++)
        config_run(state, &state->desc->configs[i], i, &report->results[i]);
}

/// Configurations are drawn until one is not equal.
static void draws_compare(weft__verify_state* state) {
    const weft_verify_desc* desc = state->desc;
    weft_verify_report* report = state->report;
    weft_executor_desc config;
    bool goes_on = desc->draw != NULL;
    while (goes_on && !report->stopped && desc->draw(desc->context, report->draw_count, &config)) {
        report->drawn = (weft_verify_result){0};
        config_run(state, &config, report->result_count + (size_t)report->draw_count,
                   &report->drawn);
        report->draw_count += report->drawn.outcome != WEFT_VERIFY_NOT_RUN;
        goes_on = report->drawn.outcome == WEFT_VERIFY_EQUAL;
    }
}

static weft_status report_status(const weft_verify_report* report) {
    weft_status status = report->reference.status;
    bool diverged = report->reference.outcome == WEFT_VERIFY_DIFFERENT ||
                    report->drawn.outcome == WEFT_VERIFY_DIFFERENT;
    for (size_t i = 0; i < report->result_count; i++) {
        diverged = diverged || report->results[i].outcome == WEFT_VERIFY_DIFFERENT;
        if (status == WEFT_STATUS_OK)
            status = report->results[i].status;
    }
    if (status == WEFT_STATUS_OK)
        status = report->drawn.status;
    return diverged ? WEFT_STATUS_DIVERGED : status;
}

/// Makes an empty report in an arena of its own.
static weft_status report_create(size_t result_count, weft__verify_whole** whole_out) {
    weft__arena arena;
    weft__arena_init(&arena, NULL);
    weft__verify_whole* whole = weft__arena_alloc_zero(&arena, sizeof *whole);
    weft_verify_result* results =
        result_count < SIZE_MAX / sizeof *results
            ? weft__arena_alloc_zero(&arena, (result_count + 1) * sizeof *results)
            : NULL;
    if (whole == NULL || results == NULL) {
        weft__arena_deinit(&arena);
        return WEFT_STATUS_OUT_OF_MEMORY;
    }
    whole->shown.results = results;
    whole->shown.result_count = result_count;
    whole->arena = arena;
    *whole_out = whole;
    return WEFT_STATUS_OK;
}

weft_status weft_verify(const weft_verify_desc* desc, weft_verify_report** report_out) {
    WEFT_ASSERT(desc != NULL && report_out != NULL);
    *report_out = NULL;
    if (desc->cookie != VERIFY_COOKIE || desc->make == NULL ||
        (desc->configs == NULL && desc->config_count > 0) || desc->tick_count == UINT64_MAX ||
        desc->depth > WEFT_VERIFY_DEPTH_HEAVY ||
        (desc->expected != NULL && desc->expected_count > desc->tick_count + 1))
        return WEFT_STATUS_BAD_ARGUMENT;
    weft__verify_whole* whole;
    WEFT_TRY(report_create(desc->config_count, &whole));
    weft__verify_state state = {.desc = desc, .report = &whole->shown, .whole = whole};
    weft__verify_run run = {0};
    weft_status status = reference_run(&state, &run);
    if (status != WEFT_STATUS_OK && state.report->reference.outcome != WEFT_VERIFY_FAILED)
        weft__verify_fail(&state.report->reference, &run, status);
    weft__verify_close(&run);
    if (status == WEFT_STATUS_OK) {
        reference_expect(desc, state.report);
        configs_compare(&state);
        draws_compare(&state);
    }
    *report_out = state.report;
    return report_status(state.report);
}

void weft_verify_report_destroy(weft_verify_report* report) {
    if (report == NULL)
        return;
    weft__verify_whole* whole = (weft__verify_whole*)(void*)report;
    weft__arena arena = whole->arena; // The report itself lies in it.
    weft__arena_deinit(&arena);
}
