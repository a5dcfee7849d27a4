#include "verify_run.h"

#include <string.h>

/// The line of whoever failed: the world, else the schedule, else the status.
static void run_error(const weft__verify_run* run, weft_status status, char* line) {
    const char* text = run->world != NULL ? weft_world_error(run->world) : "";
    if (text[0] == '\0' && run->schedule != NULL)
        text = weft_schedule_error(run->schedule);
    if (text[0] == '\0')
        text = weft_status_text(status);
    weft__verify_text(line, WEFT_VERIFY_LINE_SIZE, text);
}

weft_status weft__verify_open(const weft_verify_desc* desc, const weft_executor_desc* config,
                              weft__verify_run* run) {
    *run = (weft__verify_run){0};
    WEFT_TRY(desc->make(desc->context, &run->world, &run->schedule));
    if (!weft_world_is_deterministic(run->world))
        return weft__world_fail(run->world, WEFT_STATUS_NOT_DETERMINISTIC,
                                "the world was made with weft_world_desc.deterministic off or "
                                "unordered_commit on, so equal runs are not promised and there is "
                                "nothing to verify");
    return weft_executor_create(config, run->schedule, &run->executor);
}

void weft__verify_close(weft__verify_run* run) {
    weft_executor_destroy(run->executor);
    weft_schedule_destroy(run->schedule);
    weft_world_destroy(run->world);
    *run = (weft__verify_run){0};
}

static weft_status outputs_copy(weft__verify_state* state, weft__verify_outputs* outputs,
                                const weft_task_output* tasks, size_t count) {
    void* items = outputs->items;
    weft_status status = weft__arena_grow(&state->whole->arena, &items, &outputs->capacity,
                                          sizeof *outputs->items, count);
    outputs->items = items;
    outputs->count = 0;
    if (status != WEFT_STATUS_OK)
        return status;
    if (count > 0)
        memcpy(outputs->items, tasks, count * sizeof *tasks);
    outputs->count = count;
    return WEFT_STATUS_OK;
}

/// One tick and its digests. With `traced`, the tasks' outputs are copied there.
static weft_status run_step(weft__verify_state* state, weft__verify_run* run,
                            weft__verify_outputs* traced, weft_verify_digests* digests_out) {
    const weft_verify_desc* desc = state->desc;
    WEFT_ASSERT(run->world != NULL && run->executor != NULL);
    if (desc->input != NULL)
        WEFT_TRY(desc->input(desc->context, run->world, weft_world_tick(run->world)));
    if (traced != NULL) {
        const weft_task_output* tasks = NULL;
        size_t count = 0;
        WEFT_TRY(weft_executor_tick_traced(run->executor, &tasks, &count));
        WEFT_TRY(outputs_copy(state, traced, tasks, count));
    } else {
        WEFT_TRY(weft_executor_tick(run->executor));
    }
    if (desc->digest_check)
        WEFT_TRY(weft_world_digest_check(run->world));
    return weft_executor_digest(run->executor, &digests_out->view, &digests_out->full);
}

/// Digests after `tick` ticks; the state before the first tick counts too.
weft_status weft__verify_reach(weft__verify_state* state, weft__verify_run* run, uint64_t tick,
                               weft__verify_outputs* traced, weft_verify_digests* digests_out) {
    if (tick == 0)
        return weft_executor_digest(run->executor, &digests_out->view, &digests_out->full);
    return run_step(state, run, traced, digests_out);
}

/// Tells the caller where the verification stands; false ends it.
bool weft__verify_goes_on(weft__verify_state* state, weft_verify_phase phase, size_t config,
                          uint64_t tick, uint64_t tick_count) {
    const weft_verify_desc* desc = state->desc;
    weft_verify_progress progress = {phase, config, tick, tick_count};
    if (desc->progress == NULL || desc->progress(desc->context, &progress))
        return true;
    state->report->stopped = true;
    return false;
}

void weft__verify_fail(weft_verify_result* result, const weft__verify_run* run,
                       weft_status status) {
    WEFT_ASSERT(status != WEFT_STATUS_OK);
    result->outcome = WEFT_VERIFY_FAILED;
    result->status = status;
    if (run->executor != NULL && weft_executor_guard_report(run->executor)->found)
        result->guard = *weft_executor_guard_report(run->executor);
    run_error(run, status, result->error);
}

weft_executor_desc weft__verify_serial_config(const weft_verify_desc* desc) {
    weft_executor_desc config = weft_executor_desc_default();
    config.kind = WEFT_EXECUTOR_SERIAL;
    config.worker_count = 1;
    config.guard = desc->guard;
    return config;
}
