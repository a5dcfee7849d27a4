// The suspect and the serial run are made again from nothing up to the tick in which they part, so
// that the outputs of single tasks can be compared: the first one that differs had equal inputs, so
// its system is to blame, or what it reads was changed by one that did not declare it. A schedule
// that depends on time need not fail again in the same tick: the first attempt traces that tick
// alone, the others trace every tick and take the first difference that comes.

#include "verify_locate.h"

#include "verify_compare.h"

/// Outputs of one system: a run of the array, ordered by (archetype, shard).
static weft__verify_outputs outputs_of(const weft__verify_outputs* outputs, uint32_t rank) {
    size_t first = 0;
    while (first < outputs->count && outputs->items[first].rank != rank)
        first++;
    size_t end = first;
    while (end < outputs->count && outputs->items[end].rank == rank)
        end++;
    return (weft__verify_outputs){.items = outputs->items + first, .count = end - first};
}

static int place_order(const weft_task_output* a, const weft_task_output* b) {
    if (a->archetype != b->archetype)
        return a->archetype < b->archetype ? -1 : 1;
    return (a->shard > b->shard) - (a->shard < b->shard);
}

/// The first task of one system whose output differs, or null.
static const weft_task_output* outputs_differ(const weft__verify_outputs* serial,
                                              const weft__verify_outputs* suspect,
                                              bool* missing_out) {
    for (size_t i = 0; i < serial->count || i < suspect->count; i++) {
        const weft_task_output* left = i < serial->count ? &serial->items[i] : NULL;
        const weft_task_output* right = i < suspect->count ? &suspect->items[i] : NULL;
        int order = left == NULL ? 1 : right == NULL ? -1 : place_order(left, right);
        *missing_out = order != 0;
        if (order != 0)
            return order < 0 ? left : right;
        if (!weft_digest_equal(left->digest, right->digest))
            return left;
    }
    return NULL;
}

void weft__verify_outputs_compare(const weft__verify_outputs* serial,
                                  const weft__verify_outputs* suspect,
                                  const weft_schedule* schedule, weft_verify_place* place) {
    uint32_t systems = weft_schedule_system_count(schedule);
    uint32_t stages = weft_schedule_stage_count(schedule);
    for (uint32_t stage = 0; stage < stages; stage++) {
        for (uint32_t rank = 0; rank < systems; rank++) {
            if (weft_schedule_system_stage(schedule, rank) != stage)
                continue;
            weft__verify_outputs left = outputs_of(serial, rank);
            weft__verify_outputs right = outputs_of(suspect, rank);
            const weft_task_output* task = outputs_differ(&left, &right, &place->task_missing);
            if (task == NULL)
                continue;
            place->has_task = true;
            place->rank = rank;
            place->stage = stage;
            place->world_scope = weft_schedule_system_scope(schedule, rank) == WEFT_SCOPE_WORLD;
            place->archetype = task->archetype;
            place->shard = task->shard;
            weft__verify_text(place->system, sizeof place->system,
                              weft_schedule_system_name(schedule, rank));
            return;
        }
    }
}

bool weft__verify_outputs_equal(const weft__verify_outputs* serial,
                                const weft__verify_outputs* suspect) {
    bool equal = serial->count == suspect->count;
    for (size_t i = 0; i < serial->count && equal; i++) {
        const weft_task_output* left = &serial->items[i];
        const weft_task_output* right = &suspect->items[i];
        equal = left->rank == right->rank && place_order(left, right) == 0 &&
                weft_digest_equal(left->digest, right->digest);
    }
    return equal;
}

/// What one attempt needs.
typedef struct verify_attempt {
    const weft_executor_desc* config;
    size_t index; // Of the configuration, for progress.
    weft__verify_run serial;
    weft__verify_run suspect;
    uint64_t trace_from; // First tick of the suspect that is traced.
    uint64_t tick_count;
} verify_attempt;

/// Runs the suspect until it differs from the kept digests. False if it does not, or fails.
static bool attempt_suspect(weft__verify_state* state, verify_attempt* attempt, uint64_t* tick_out,
                            weft_verify_digests* digests_out) {
    WEFT_ASSERT(attempt->tick_count < state->report->digest_count);
    if (weft__verify_open(state->desc, attempt->config, &attempt->suspect) != WEFT_STATUS_OK)
        return false;
    for (uint64_t tick = 0; tick <= attempt->tick_count; tick++) {
        weft__verify_outputs* traced = tick >= attempt->trace_from ? &state->suspect_outputs : NULL;
        if (weft__verify_reach(state, &attempt->suspect, tick, traced, digests_out) !=
            WEFT_STATUS_OK)
            return false;
        *tick_out = tick;
        if (!weft__verify_digests_equal(digests_out, &state->report->digests[tick]))
            return true;
        if (!weft__verify_goes_on(state, WEFT_VERIFY_LOCATE, attempt->index, tick,
                                  attempt->tick_count))
            return false;
    }
    return false;
}

/// Runs the serial run again up to the tick in which the suspect differed, which it traces.
static bool attempt_serial(weft__verify_state* state, verify_attempt* attempt, uint64_t last_tick,
                           weft_verify_digests* digests_out) {
    WEFT_ASSERT(last_tick <= attempt->tick_count && attempt->serial.world == NULL);
    weft_executor_desc config = weft__verify_serial_config(state->desc);
    if (weft__verify_open(state->desc, &config, &attempt->serial) != WEFT_STATUS_OK)
        return false;
    for (uint64_t tick = 0; tick <= last_tick; tick++) {
        weft__verify_outputs* traced = tick == last_tick ? &state->serial_outputs : NULL;
        if (weft__verify_reach(state, &attempt->serial, tick, traced, digests_out) !=
                WEFT_STATUS_OK ||
            !weft__verify_goes_on(state, WEFT_VERIFY_LOCATE, attempt->index, tick, last_tick))
            return false;
    }
    return true;
}

/// Runs both one after the other, so that they do not meet in what a faulty simulation keeps
/// outside of its world. True when the place is as good as it gets.
static bool attempt_run(weft__verify_state* state, verify_attempt* attempt,
                        weft_verify_place* place) {
    uint64_t tick = 0;
    weft_verify_digests suspect;
    weft_verify_digests serial;
    if (!attempt_suspect(state, attempt, &tick, &suspect) ||
        !attempt_serial(state, attempt, tick, &serial))
        return false;
    place->unstable = !weft__verify_digests_equal(&serial, &state->report->digests[tick]);
    if (weft__verify_digests_equal(&serial, &suspect))
        return false;
    place->repeated = true;
    place->tick = tick;
    place->traced = tick >= attempt->trace_from && tick > 0;
    if (place->traced)
        weft__verify_outputs_compare(&state->serial_outputs, &state->suspect_outputs,
                                     attempt->serial.schedule, place);
    weft__verify_compare_worlds(attempt->serial.world, attempt->suspect.world, place);
    return place->traced || tick == 0;
}

/// A task that the compared run itself has named stays named.
static void keep_task(const weft_verify_place* known, weft_verify_place* place) {
    if (!known->traced || place->has_task)
        return;
    place->traced = true;
    place->has_task = known->has_task;
    place->task_missing = known->task_missing;
    place->world_scope = known->world_scope;
    place->rank = known->rank;
    place->stage = known->stage;
    place->archetype = known->archetype;
    place->shard = known->shard;
    weft__verify_text(place->system, sizeof place->system, known->system);
}

void weft__verify_locate(weft__verify_state* state, const weft_executor_desc* config, size_t index,
                         weft_verify_result* result) {
    uint64_t last_tick = state->report->digest_count - 1;
    weft_verify_place known = result->place;
    bool unstable = false;
    for (uint32_t i = 0; i < state->desc->attempt_limit && !state->report->stopped; i++) {
        verify_attempt attempt = {
            .config = config,
            .index = index,
            .trace_from = i == 0 ? result->tick : 1,
            .tick_count = i == 0 ? result->tick : last_tick,
        };
        weft_verify_place place = {0};
        bool done = attempt_run(state, &attempt, &place);
        weft__verify_close(&attempt.suspect);
        weft__verify_close(&attempt.serial);
        unstable = unstable || place.unstable;
        if (place.repeated)
            result->place = place;
        result->place.attempt_count = known.attempt_count + i + 1;
        result->place.unstable = known.unstable || unstable;
        if (done)
            break;
    }
    keep_task(&known, &result->place);
}
