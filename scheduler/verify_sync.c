// Each tick is run twice in the same world: by the executor, then serially after the state before
// it was decoded. So a difference is of this tick alone, both outcomes are at hand as bytes, and
// what is kept outside of the world does not come back with the state.
//
// The place of a difference is found without the ticks before it: the tick is run again from its
// state until it differs once more with the outputs of all tasks hashed. If it never does, its
// values are known all the same, and it is looked for from the beginning.

#include "verify_sync.h"

#include <string.h>
#include <weft/state.h>

#include "state_bytes.h"
#include "verify_compare.h"
#include "verify_locate.h"

/// A synchronised run under way.
typedef struct verify_sync {
    weft__verify_state* state;
    size_t index;
    weft__verify_run* run;    // With the executor that is compared.
    weft__verify_run serial;  // The same world and schedule, with a serial executor.
    weft__arena arena;        // Of what follows.
    weft__state_bytes before; // The tick.
    weft__state_bytes again;  // The same, decoded and encoded.
    weft__state_bytes after;  // The tick as the executor ran it.
} verify_sync;

/// Both encodings of the state before the tick, which must be the same, as must the digests.
static weft_status encode_twice(verify_sync* sync, const weft_verify_digests* digests) {
    weft_world* world = sync->run->world;
    weft_verify_digests found;
    WEFT_TRY(weft_world_digest_check(world)); // What was changed unseen would be seen from now on.
    WEFT_TRY(weft__state_bytes_encode(sync->run->world, &sync->before));
    WEFT_TRY(weft_world_decode(world, sync->before.data, sync->before.size));
    WEFT_TRY(weft_executor_digest(sync->run->executor, &found.view, &found.full));
    WEFT_TRY(weft__state_bytes_encode(sync->run->world, &sync->again));
    bool same = sync->before.size == sync->again.size &&
                memcmp(sync->before.data, sync->again.data, sync->before.size) == 0;
    if (same && weft__verify_digests_equal(&found, digests))
        return WEFT_STATUS_OK;
    return weft__world_fail(world, WEFT_STATUS_DIGEST_MISMATCH,
                            "the state after tick %llu has other %s once it is encoded and "
                            "decoded; this is a fault of weft, please report it",
                            (unsigned long long)weft_world_tick(world), same ? "digests" : "bytes");
}

// The place --------------------------------------------------------------------------------------

/// The tick again, from its state.
static weft_status tick_again(const verify_sync* sync, weft__verify_run* run, uint64_t tick,
                              weft__verify_outputs* outputs, weft_verify_digests* digests_out) {
    WEFT_TRY(weft_world_decode(run->world, sync->before.data, sync->before.size));
    return weft__verify_reach(sync->state, run, tick, outputs, digests_out);
}

/// One attempt to see the difference with all outputs; `*done_out` if it showed. Leaves the world
/// as the serial run has it.
static weft_status attempt(verify_sync* sync, weft__verify_run* suspect, uint64_t tick,
                           weft_verify_place* place, bool* done_out) {
    weft__verify_state* state = sync->state;
    weft_verify_digests found;
    weft_verify_digests serial;
    WEFT_TRY(tick_again(sync, suspect, tick, &state->suspect_outputs, &found));
    bool differs = !weft__verify_digests_equal(&found, &state->report->digests[tick]);
    if (differs)
        WEFT_TRY(weft__state_bytes_encode(sync->run->world, &sync->after));
    WEFT_TRY(tick_again(sync, &sync->serial, tick, &state->serial_outputs, &serial));
    place->unstable |= !weft__verify_digests_equal(&serial, &state->report->digests[tick]);
    *done_out = differs && !weft__verify_digests_equal(&serial, &found);
    if (!*done_out)
        return WEFT_STATUS_OK;
    place->repeated = place->traced = true;
    weft__verify_outputs_compare(&state->serial_outputs, &state->suspect_outputs, suspect->schedule,
                                 place);
    return WEFT_STATUS_OK;
}

/// Compares the values: the suspect's are decoded into a world of their own.
static weft_status compare_values(verify_sync* sync, weft_verify_place* place) {
    weft__verify_run mirror = {0};
    weft_executor_desc config = weft__verify_serial_config(sync->state->desc);
    weft_status status = weft__verify_open(sync->state->desc, &config, &mirror);
    if (status == WEFT_STATUS_OK)
        status = weft_world_decode(mirror.world, sync->after.data, sync->after.size);
    if (status == WEFT_STATUS_OK)
        weft__verify_compare_worlds(sync->run->world, mirror.world, place);
    weft__verify_close(&mirror);
    return status;
}

/// Finds the place of a difference between the suspect, whose state is in `after`, and the serial
/// run. What fails on the way leaves the place as far as it was found.
static void locate(verify_sync* sync, weft__verify_run* suspect, uint64_t tick,
                   weft_verify_place* place) {
    weft__verify_state* state = sync->state;
    bool done = false;
    weft_status status = WEFT_STATUS_OK;
    WEFT_ASSERT(tick > 0 && sync->before.size > 0);
    if (state->located >= state->desc->locate_limit)
        return;
    place->tick = tick;
    for (uint32_t i = 0; i < state->desc->attempt_limit && !done && status == WEFT_STATUS_OK; i++) {
        status = attempt(sync, suspect, tick, place, &done);
        place->attempt_count = i + 1;
        if (!weft__verify_goes_on(state, WEFT_VERIFY_LOCATE, sync->index, tick, tick))
            return;
    }
    if (status == WEFT_STATUS_OK)
        (void)compare_values(sync, place);
}

// The comparison ---------------------------------------------------------------------------------

/// Takes in the digests of a tick; false if they are not the serial run's.
static bool expect(const verify_sync* sync, weft_verify_result* result, uint64_t tick,
                   const weft_verify_digests* found) {
    WEFT_ASSERT(tick < sync->state->report->digest_count);
    result->tick = tick;
    result->found = *found;
    result->reference = sync->state->report->digests[tick];
    if (weft__verify_digests_equal(found, &result->reference))
        return true;
    result->outcome = WEFT_VERIFY_DIFFERENT;
    return false;
}

/// A write that nobody declared is seen once and not again, as the tick runs after a decode or not:
/// looked for before the serial run is said not to repeat itself.
static weft_status check_writes(verify_sync* sync, uint64_t tick) {
    weft_verify_digests unused;
    WEFT_TRY(weft_world_decode(sync->serial.world, sync->before.data, sync->before.size));
    WEFT_TRY(weft_executor_digest(sync->serial.executor, &unused.view, &unused.full));
    WEFT_TRY(weft__verify_reach(sync->state, &sync->serial, tick, NULL, &unused));
    return weft_world_digest_check(sync->serial.world);
}

/// One tick both ways. False if one of them differs, or the state was not to be had again.
static weft_status tick_compare(verify_sync* sync, uint64_t tick, weft_verify_result* result,
                                bool* equal_out) {
    weft__verify_state* state = sync->state;
    weft_verify_digests found;
    WEFT_ASSERT(tick > 0 && weft_world_tick(sync->run->world) + 1 == tick);
    WEFT_TRY(encode_twice(sync, &state->report->digests[tick - 1]));
    WEFT_TRY(weft__verify_reach(state, sync->run, tick, NULL, &found));
    *equal_out = expect(sync, result, tick, &found);
    if (!*equal_out) {
        WEFT_TRY(weft__state_bytes_encode(sync->run->world, &sync->after));
        locate(sync, sync->run, tick, &result->place);
        return WEFT_STATUS_OK;
    }
    WEFT_TRY(tick_again(sync, &sync->serial, tick, NULL, &found));
    *equal_out = expect(sync, result, tick, &found);
    if (!*equal_out) { // The serial run does not repeat itself.
        WEFT_TRY(weft__state_bytes_encode(sync->run->world, &sync->after));
        WEFT_TRY(check_writes(sync, tick));
        result->place.unstable = true;
        locate(sync, &sync->serial, tick, &result->place);
    }
    return WEFT_STATUS_OK;
}

static weft_status compare_all(verify_sync* sync, weft_verify_result* result) {
    weft__verify_state* state = sync->state;
    uint64_t last_tick = state->report->digest_count - 1;
    weft_executor_desc config = weft__verify_serial_config(state->desc);
    sync->serial = *sync->run;
    WEFT_TRY(weft_executor_create(&config, sync->run->schedule, &sync->serial.executor));
    for (uint64_t tick = 0; tick <= last_tick; tick++) {
        weft_verify_digests found;
        bool equal = true;
        if (tick > 0) {
            WEFT_TRY(tick_compare(sync, tick, result, &equal));
        } else {
            WEFT_TRY(weft__verify_reach(state, sync->run, 0, NULL, &found));
            equal = expect(sync, result, 0, &found);
        }
        if (!equal ||
            !weft__verify_goes_on(state, WEFT_VERIFY_COMPARE, sync->index, tick, last_tick))
            return WEFT_STATUS_OK;
    }
    result->outcome = WEFT_VERIFY_EQUAL;
    return WEFT_STATUS_OK;
}

weft_status weft__verify_sync(weft__verify_state* state, size_t index, weft__verify_run* run,
                              weft_verify_result* result) {
    verify_sync sync = {.state = state, .index = index, .run = run};
    weft__arena_init(&sync.arena, NULL);
    sync.before.arena = sync.again.arena = sync.after.arena = &sync.arena;
    weft_status status = compare_all(&sync, result);
    if (status != WEFT_STATUS_OK && sync.serial.executor != NULL)
        result->guard = *weft_executor_guard_report(sync.serial.executor);
    weft_executor_destroy(sync.serial.executor);
    weft__arena_deinit(&sync.arena);
    return status;
}
