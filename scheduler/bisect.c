// The way to a cause: the tick again from the state before it, serially and as the suspect, so that
// a difference is of that tick alone. If it does not show from the state, the suspect keeps
// something outside of its world or hangs on timing, and is run from tick 0.

#include <weft/state.h>

#include "descent.h"
#include "history.h"
#include "inputs.h"
#include "verify_compare.h"
#include "verify_locate.h"

#define BISECT_COOKIE 0x57424953u

/// A report with the memory that it lives in.
typedef struct bisect_whole {
    weft_bisect_report shown;
    weft__verify_whole inner;
} bisect_whole;

/// A bisection under way.
typedef struct bisect {
    const weft_bisect_desc* desc;
    weft_bisect_report* report;
    weft_verify_desc verify; // What the parts of verify are told.
    weft__verify_state state;
    weft__arena* arena;
    weft__history history;
    weft__state_bytes before;
    weft__verify_run serial;
    weft__verify_run suspect;
} bisect;

weft_bisect_desc weft_bisect_desc_default(void) {
    return (weft_bisect_desc){
        .config = weft_executor_desc_default(), .attempt_limit = 4, .cookie = BISECT_COOKIE};
}

// Callbacks --------------------------------------------------------------------------------------

static weft_status bisect_make(void* context, weft_world** world_out,
                               weft_schedule** schedule_out) {
    const weft_bisect_desc* desc = context;
    return desc->make(desc->context, world_out, schedule_out);
}

static weft_status bisect_input(void* context, weft_world* world, uint64_t tick) {
    const weft_bisect_desc* desc = context;
    if (desc->inputs != NULL)
        return weft__inputs_post(world, desc->inputs, desc->inputs_size);
    return desc->input == NULL ? WEFT_STATUS_OK : desc->input(desc->context, world, tick);
}

static bool bisect_progress(void* context, const weft_verify_progress* progress) {
    const weft_bisect_desc* desc = context;
    return desc->progress == NULL || desc->progress(desc->context, progress);
}

// Runs -------------------------------------------------------------------------------------------

static weft_status step(bisect* b, weft__verify_run* run, uint64_t tick,
                        weft__verify_outputs* outputs, weft_verify_digests* digests) {
    b->report->ticks_run += tick > 0;
    return weft__verify_reach(&b->state, run, tick, outputs, digests);
}

/// True if the caller wants it to end.
static bool stops(bisect* b, uint64_t tick) {
    b->report->stopped =
        !weft__verify_goes_on(&b->state, WEFT_VERIFY_LOCATE, 0, tick, b->desc->tick);
    return b->report->stopped;
}

/// The reference up to the tick before, keeping states.
static weft_status reference_run(bisect* b) {
    WEFT_ASSERT(b->desc->tick > 0 && b->desc->before == NULL);
    uint64_t end = b->desc->tick - 1;
    weft__history_init(&b->history, b->arena, end);
    for (uint64_t tick = 0; tick <= end; tick++) {
        WEFT_TRY(step(b, &b->serial, tick, NULL, &b->report->before));
        WEFT_TRY(weft__history_keep(&b->history, b->serial.world));
        if (stops(b, tick))
            return WEFT_STATUS_OK;
    }
    b->before = b->history.states[0];
    b->report->state_count = b->history.count;
    return WEFT_STATUS_OK;
}

/// The state that was given instead.
static weft_status reference_take(bisect* b) {
    weft_verify_digests* before = &b->report->before;
    WEFT_ASSERT(b->desc->tick > 0 && b->desc->before != NULL);
    b->before.arena = b->arena;
    WEFT_TRY(weft__state_bytes_copy(&b->before, b->desc->before, b->desc->before_size));
    WEFT_TRY(weft_world_decode(b->serial.world, b->before.data, b->before.size));
    if (weft_world_tick(b->serial.world) + 1 != b->desc->tick)
        return weft__world_fail(b->serial.world, WEFT_STATUS_IDENTITY_MISMATCH,
                                "the state is that after tick %llu, not the one before tick %llu",
                                (unsigned long long)weft_world_tick(b->serial.world),
                                (unsigned long long)b->desc->tick);
    return weft_executor_digest(b->serial.executor, &before->view, &before->full);
}

static weft_status keep_inputs(bisect* b) {
    weft_bisect_report* report = b->report;
    report->inputs_size = weft__inputs_size(b->serial.world);
    uint8_t* bytes = weft__arena_alloc(b->arena, report->inputs_size);
    if (bytes == NULL)
        return WEFT_STATUS_OUT_OF_MEMORY;
    weft__inputs_put(b->serial.world, bytes);
    report->inputs = bytes;
    report->state = b->before.data;
    report->state_size = b->before.size;
    return WEFT_STATUS_OK;
}

/// The reference after the tick in question, with the outputs of its tasks.
static weft_status reference_finish(bisect* b) {
    weft_bisect_report* report = b->report;
    uint64_t tick = b->desc->tick;
    if (tick > 0) {
        WEFT_TRY(b->desc->before != NULL ? reference_take(b) : reference_run(b));
        if (report->stopped)
            return WEFT_STATUS_OK;
        // From the bytes, as the suspect: what is kept outside of the world is left to show itself.
        WEFT_TRY(weft_world_decode(b->serial.world, b->before.data, b->before.size));
    }
    WEFT_TRY(step(b, &b->serial, tick, &b->state.serial_outputs, &report->reference));
    if (tick > 0)
        WEFT_TRY(keep_inputs(b));
    report->unstable = !weft__verify_digests_equal(&report->reference, &b->desc->reference);
    return WEFT_STATUS_OK;
}

static void judge(bisect* b) {
    b->report->different = !weft__verify_digests_equal(&b->report->reference, &b->report->found);
}

/// The suspect from a recorded state.
static weft_status suspect_take(bisect* b) {
    weft_bisect_report* report = b->report;
    weft_executor_desc config = weft__verify_serial_config(&b->verify);
    WEFT_ASSERT(b->suspect.world == NULL && b->desc->after != NULL);
    WEFT_TRY(weft__verify_open(&b->verify, &config, &b->suspect));
    WEFT_TRY(weft_world_decode(b->suspect.world, b->desc->after, b->desc->after_size));
    WEFT_TRY(weft_executor_digest(b->suspect.executor, &report->found.view, &report->found.full));
    judge(b);
    return WEFT_STATUS_OK;
}

/// The suspect from the state before the tick.
static weft_status suspect_run(bisect* b) {
    weft_bisect_report* report = b->report;
    WEFT_ASSERT(b->suspect.world == NULL && b->desc->attempt_limit > 0);
    WEFT_TRY(weft__verify_open(&b->verify, &b->desc->config, &b->suspect));
    report->worker_count = weft_executor_stats_read(b->suspect.executor).worker_count;
    for (uint32_t i = 0; i < b->desc->attempt_limit && !report->different; i++) {
        if (b->desc->tick > 0)
            WEFT_TRY(weft_world_decode(b->suspect.world, b->before.data, b->before.size));
        WEFT_TRY(step(b, &b->suspect, b->desc->tick, &b->state.suspect_outputs, &report->found));
        report->place.attempt_count++;
        judge(b);
        if (stops(b, b->desc->tick) || b->desc->tick == 0)
            return WEFT_STATUS_OK;
    }
    return WEFT_STATUS_OK;
}

/// The suspect from tick 0.
static weft_status suspect_run_all(bisect* b) {
    weft_bisect_report* report = b->report;
    WEFT_ASSERT(!report->different && !report->stopped);
    weft__verify_close(&b->suspect);
    WEFT_TRY(weft__verify_open(&b->verify, &b->desc->config, &b->suspect));
    for (uint64_t tick = 0; tick <= b->desc->tick; tick++) {
        weft__verify_outputs* traced = tick == b->desc->tick ? &b->state.suspect_outputs : NULL;
        WEFT_TRY(step(b, &b->suspect, tick, traced, &report->found));
        if (stops(b, tick))
            return WEFT_STATUS_OK;
    }
    report->place.attempt_count++;
    judge(b);
    report->from_start = report->different;
    return WEFT_STATUS_OK;
}

static weft_status suspect_find(bisect* b) {
    const weft_bisect_desc* desc = b->desc;
    if (desc->after != NULL)
        return suspect_take(b);
    WEFT_TRY(suspect_run(b));
    bool again = desc->before == NULL && desc->tick > 0;
    for (uint32_t i = 0; again && i < desc->attempt_limit; i++) {
        if (b->report->different || b->report->stopped)
            return WEFT_STATUS_OK;
        WEFT_TRY(suspect_run_all(b));
    }
    return WEFT_STATUS_OK;
}

// The place --------------------------------------------------------------------------------------

static weft_status locate(bisect* b) {
    weft_bisect_report* report = b->report;
    weft_verify_place* place = &report->place;
    weft__verify_outputs given = {(weft_task_output*)(uintptr_t)b->desc->outputs,
                                  b->desc->output_count, 0};
    bool recorded = b->desc->after != NULL;
    WEFT_ASSERT(report->different && !report->stopped);
    place->repeated = true;
    place->unstable = report->unstable;
    place->tick = b->desc->tick;
    place->traced = b->desc->tick > 0 && (!recorded || b->desc->outputs != NULL);
    if (place->traced)
        weft__verify_outputs_compare(&b->state.serial_outputs,
                                     recorded ? &given : &b->state.suspect_outputs,
                                     b->serial.schedule, place);
    WEFT_TRY(weft__descend(b->serial.world, b->suspect.world, b->serial.schedule, place,
                           &report->descent));
    // How many entities differ is no question of the way to the first.
    weft_verify_place all = {0};
    weft__verify_compare_worlds(b->serial.world, b->suspect.world, &all);
    place->entity_count = all.entity_count;
    if (b->desc->tick == 0 || b->desc->before != NULL)
        return WEFT_STATUS_OK;
    return weft__history_write(&b->state, &b->history, b->suspect.world, place, &b->serial,
                               &report->write, &report->ticks_run);
}

static weft_status run_all(bisect* b) {
    weft_executor_desc config = weft__verify_serial_config(&b->verify);
    config.checkpoint_ticks = UINT32_MAX; // Inputs of the tick are wanted after it.
    WEFT_TRY(weft__verify_open(&b->verify, &config, &b->serial));
    b->report->schema_hash = weft_world_schema_hash(b->serial.world);
    b->report->schedule_hash = weft_schedule_hash(b->serial.schedule);
    WEFT_TRY(reference_finish(b));
    if (b->report->stopped)
        return WEFT_STATUS_OK;
    WEFT_TRY(suspect_find(b));
    if (!b->report->different || b->report->stopped)
        return WEFT_STATUS_OK;
    WEFT_TRY(locate(b));
    b->report->stopped = b->state.report->stopped;
    return WEFT_STATUS_DIVERGED;
}

/// The line of the run that failed.
static void keep_error(bisect* b, weft_status status) {
    weft_verify_result result = {0};
    const weft__verify_run* run = &b->serial;
    WEFT_ASSERT(status != WEFT_STATUS_OK && status != WEFT_STATUS_DIVERGED);
    if (b->suspect.world != NULL && weft_world_error(b->suspect.world)[0] != '\0')
        run = &b->suspect;
    weft__verify_fail(&result, run, status);
    weft__verify_text(b->report->error, sizeof b->report->error, result.error);
}

weft_status weft_bisect(const weft_bisect_desc* desc, weft_bisect_report** report_out) {
    weft__arena arena;
    WEFT_ASSERT(desc != NULL && report_out != NULL);
    *report_out = NULL;
    if (desc->cookie != BISECT_COOKIE || desc->make == NULL || desc->tick == UINT64_MAX ||
        desc->attempt_limit == 0 || (desc->before != NULL && desc->tick == 0))
        return WEFT_STATUS_BAD_ARGUMENT;
    weft__arena_init(&arena, NULL);
    bisect_whole* whole = weft__arena_alloc_zero(&arena, sizeof *whole);
    if (whole == NULL) {
        weft__arena_deinit(&arena);
        return WEFT_STATUS_OUT_OF_MEMORY;
    }
    whole->inner.arena = arena;
    whole->shown.tick = desc->tick;
    bisect b = {.desc = desc,
                .report = &whole->shown,
                .verify = weft_verify_desc_default(),
                .arena = &whole->inner.arena};
    b.verify.make = bisect_make;
    b.verify.input = bisect_input;
    b.verify.progress = bisect_progress;
    b.verify.context = (void*)(uintptr_t)desc;
    b.state = (weft__verify_state){
        .desc = &b.verify, .report = &whole->inner.shown, .whole = &whole->inner};
    weft_status status = run_all(&b);
    whole->shown.status = status;
    if (status != WEFT_STATUS_OK && status != WEFT_STATUS_DIVERGED)
        keep_error(&b, status);
    weft__verify_close(&b.suspect);
    weft__verify_close(&b.serial);
    *report_out = &whole->shown;
    return status;
}

void weft_bisect_report_destroy(weft_bisect_report* report) {
    if (report == NULL)
        return;
    bisect_whole* whole = (bisect_whole*)(void*)report;
    weft__arena arena = whole->inner.arena; // The report itself lies in it.
    weft__arena_deinit(&arena);
}

weft_tick_search weft_bisect_ticks(const weft_verify_digests* a, const weft_verify_digests* b,
                                   uint64_t count) {
    weft_tick_search search = {0};
    uint64_t first = 0;
    uint64_t low = 0;
    uint64_t high = count;
    WEFT_ASSERT(count == 0 || (a != NULL && b != NULL));
    while (low < high) { // Before `low` all are equal, if differences stay; at `high` they differ.
        uint64_t middle = low + (high - low) / 2;
        search.steps++;
        if (weft__verify_digests_equal(&a[middle], &b[middle]))
            low = middle + 1;
        else
            high = middle;
    }
    while (first < count && weft__verify_digests_equal(&a[first], &b[first]))
        first++;
    search.different = first < count;
    search.tick = first;
    for (uint64_t tick = first; tick < count; tick++) {
        if (!weft__verify_digests_equal(&a[tick], &b[tick]))
            continue;
        search.equal_after++;
        search.last_equal = tick;
    }
    search.resumes = search.equal_after > 0;
    WEFT_ASSERT(search.resumes || high == first);
    return search;
}
