// Twins: each system runs from the same state twice, first with garbage in all that it did not
// declare. What it leaves must be the same.
//
// The run that counts comes last, so the world ends as without a guard. What must not change is
// compared too, as guard_hash.c does. When the two differ, more
// runs find the first byte whose garbage makes the difference: a bisection over how much of the
// garbage is put in. One run without any tells a system that does not repeat itself from one that
// reads what it did not declare.

#include "guard_call.h"

#include <stdio.h>
#include <string.h>

void weft__guard_twin_free(weft__guard_lane* lane) {
    weft__arena* arena = &lane->guard->world->arena;
    WEFT__VEC_FREE(arena, lane->hidden);
    WEFT__VEC_FREE(arena, lane->before);
    WEFT__VEC_FREE(arena, lane->filled);
    WEFT__VEC_FREE(arena, lane->streams);
    WEFT__VEC_FREE(arena, lane->trial.bytes);
    WEFT__VEC_FREE(arena, lane->trial.records);
    WEFT__VEC_FREE(arena, lane->real.bytes);
    WEFT__VEC_FREE(arena, lane->real.records);
}

static bool is_hidden(const weft__span* span) {
    return span->access == WEFT__SPAN_HIDDEN || span->access == WEFT__SPAN_ROOM;
}

static bool is_written(const weft__span* span) {
    return span->access == WEFT__SPAN_WRITE;
}

// Bytes of the spans that `wanted` says yes to, and these copied to or from a buffer.
static size_t spans_bytes(const weft__guard_lane* lane, bool (*wanted)(const weft__span*)) {
    size_t bytes = 0;
    for (uint32_t i = 0; i < lane->spans.count; i++)
        bytes += wanted(&lane->spans.items[i]) ? lane->spans.items[i].bytes : 0;
    return bytes;
}

static void spans_copy(const weft__guard_lane* lane, bool (*wanted)(const weft__span*),
                       uint8_t* buffer, bool back) {
    for (uint32_t i = 0; i < lane->spans.count; i++) {
        const weft__span* span = &lane->spans.items[i];
        if (!wanted(span))
            continue;
        memcpy(back ? span->at : buffer, back ? buffer : span->at, span->bytes);
        buffer += span->bytes;
    }
}

// The state that a run leaves behind besides bytes ------------------------------------------------

/// Of the lane and the chunk; the rest is in the guard's lane.
typedef struct twin_marks {
    weft_number_flags flags;
    uint32_t swap_count;
    uint32_t presence_count;
    uint64_t written_tick;
    bool swap;
} twin_marks;

static weft_status marks_save(weft__guard_lane* lane, twin_marks* marks) {
    weft__lane* log = lane->view->lane;
    const weft__chunk* chunk = lane->view->chunk;
    weft__arena* arena = &lane->guard->world->arena;
    *marks = (twin_marks){.flags = log->number_flags,
                          .swap_count = log->swaps.count,
                          .presence_count = log->presences.count};
    lane->failure = log->failure;
    lane->streams.count = lane->filled.count = 0;
    WEFT_TRY(WEFT__VEC_RESERVE(arena, lane->streams, log->streams.count));
    for (uint32_t i = 0; i < log->streams.count; i++) {
        const weft__stream* stream = &log->streams.items[i];
        lane->streams.items[i] = (weft__twin_stream){
            stream->current, stream->current == NULL ? 0 : stream->current->used,
            stream->segments.count, stream->task};
    }
    if (chunk == NULL)
        return WEFT_STATUS_OK;
    WEFT_TRY(WEFT__VEC_RESERVE(arena, lane->filled, (size_t)chunk->column_count + 1));
    memcpy(lane->filled.items, chunk->filled, chunk->column_count);
    marks->written_tick = chunk->written_tick;
    marks->swap = chunk->swap;
    return WEFT_STATUS_OK;
}

// Columns that were marked as changed stay marked: that costs a hash and changes nothing.
static void marks_restore(weft__guard_lane* lane, const twin_marks* marks) {
    weft_view* view = lane->view;
    weft__lane* log = view->lane;
    weft__chunk* chunk = view->chunk;
    WEFT_ASSERT(log->swaps.count >= marks->swap_count);
    WEFT_ASSERT(log->presences.count >= marks->presence_count);
    log->number_flags = marks->flags;
    log->swaps.count = marks->swap_count;
    log->presences.count = marks->presence_count;
    log->failure = lane->failure;
    for (uint32_t i = 0; i < log->streams.count; i++) {
        const weft__twin_stream* saved = &lane->streams.items[i];
        weft__stream* stream = &log->streams.items[i];
        stream->current = saved->current;
        if (stream->current != NULL)
            stream->current->used = saved->used;
        stream->segments.count = saved->segment_count;
        stream->task = saved->task;
    }
    view->message[0] = '\0';
    view->selected_valid = false;
    if (chunk == NULL)
        return;
    memcpy(chunk->filled, lane->filled.items, chunk->column_count);
    chunk->written_tick = marks->written_tick;
    chunk->swap = marks->swap;
}

// Garbage ----------------------------------------------------------------------------------------

// Bytes that are not those there, from the place in the span alone: so a shorter piece of garbage
// is the beginning of a longer one.
static void garble(uint8_t* at, const uint8_t* original, size_t bytes, uint64_t seed) {
    const uint64_t low = 0x0101010101010101u; // The bits that are sure to differ.
    for (size_t i = 0; i < bytes; i += 8) {
        size_t part = bytes - i < 8 ? bytes - i : 8;
        uint64_t old = 0;
        uint64_t word = (seed + i) * 0x9E3779B97F4A7C15u;
        word ^= word >> 32;
        memcpy(&old, original + i, part);
        word = (word & ~low) | (~old & low);
        memcpy(at + i, &word, part);
    }
}

/// Which garbage is put in: in all hidden spans, or in the beginning of one.
typedef struct twin_dose {
    uint32_t span; // WEFT__NONE: all, whole.
    size_t bytes;
} twin_dose;

static void dose_put(const weft__guard_lane* lane, twin_dose dose) {
    const uint8_t* original = lane->hidden.items;
    uint64_t seed = lane->guard->seed + lane->guard->calls * 1000003u;
    for (uint32_t i = 0; i < lane->spans.count; i++) {
        const weft__span* span = &lane->spans.items[i];
        if (!is_hidden(span))
            continue;
        size_t bytes = dose.span == WEFT__NONE ? span->bytes : dose.span == i ? dose.bytes : 0;
        WEFT_ASSERT(bytes <= span->bytes);
        garble(span->at, original, bytes, seed + (uint64_t)i * 7919u);
        original += span->bytes;
    }
}

// Runs -------------------------------------------------------------------------------------------

/// Where records go.
typedef struct twin_sink {
    weft__guard_lane* lane;
    weft__twin_result* result;
    uint32_t stream;
    weft_status status;
} twin_sink;

static void sink_record(void* context, const weft__record* record, weft_digest digest) {
    twin_sink* sink = context;
    weft__twin_record kept = {sink->stream, record->row, digest};
    if (WEFT__VEC_PUSH(&sink->lane->guard->world->arena, sink->result->records, kept) !=
        WEFT_STATUS_OK)
        sink->status = WEFT_STATUS_OUT_OF_MEMORY;
}

// True if what the running call recorded was refused: the lane may have an older failure.
static bool is_refused(const weft__lane* log, const weft_commands* now) {
    const weft__failure* failure = &log->failure;
    return failure->rank == now->rank && failure->archetype == now->archetype &&
           failure->shard == now->shard;
}

// Runs the system, and keeps what it left.
static weft_status twin_run(weft__guard_lane* lane, weft__twin_result* result) {
    weft_world* world = lane->guard->world;
    weft__lane* log = lane->view->lane;
    size_t bytes = spans_bytes(lane, is_written);
    twin_sink sink = {lane, result, 0, WEFT_STATUS_OK};
    WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, result->bytes, bytes));
    result->status = weft__guard_run(lane);
    if (result->status == WEFT_STATUS_OK && is_refused(log, &lane->view->commands))
        result->status = log->failure.status;
    result->flags = log->number_flags;
    spans_copy(lane, is_written, result->bytes.items, false);
    result->records.count = 0;
    for (; sink.stream < log->streams.count; sink.stream++)
        weft__log_task_visit(world, log, sink.stream, sink_record, &sink);
    return sink.status;
}

// Runs it with a dose, from the state before the call, and leaves that state.
static weft_status twin_trial(weft__guard_lane* lane, const twin_marks* marks, twin_dose dose) {
    dose_put(lane, dose);
    weft_status status = twin_run(lane, &lane->trial);
    spans_copy(lane, is_hidden, lane->hidden.items, true);
    spans_copy(lane, is_written, lane->before.items, true);
    marks_restore(lane, marks);
    return status;
}

/// The first thing in which two results differ.
typedef struct twin_difference {
    bool found;
    const uint8_t* place; // Written bytes; null: something else.
    const char* what;     // If not bytes.
    uint32_t row;         // Of a command or message.
} twin_difference;

static twin_difference twin_compare(const weft__guard_lane* lane) {
    const weft__twin_result* a = &lane->trial;
    const weft__twin_result* b = &lane->real;
    size_t offset = 0;
    for (uint32_t i = 0; i < lane->spans.count; i++) {
        const weft__span* span = &lane->spans.items[i];
        if (!is_written(span))
            continue;
        const uint8_t* left = a->bytes.items + offset;
        const uint8_t* right = b->bytes.items + offset;
        for (size_t j = 0; memcmp(left, right, span->bytes) != 0; j++)
            if (left[j] != right[j])
                return (twin_difference){.found = true, .place = span->at + j};
        offset += span->bytes;
    }
    uint32_t count = a->records.count < b->records.count ? a->records.count : b->records.count;
    for (uint32_t i = 0; i <= count; i++) {
        bool more = i < a->records.count && i < b->records.count;
        if (i == count && a->records.count == b->records.count)
            break;
        const weft__twin_record* one =
            i < b->records.count ? &b->records.items[i] : &a->records.items[i];
        if (more && weft_digest_equal(a->records.items[i].digest, b->records.items[i].digest))
            continue;
        return (twin_difference){
            .found = true, .what = one->stream == 0 ? "a command" : "a message", .row = one->row};
    }
    if (a->status != b->status)
        return (twin_difference){.found = true, .what = "its status"};
    if (a->flags != b->flags)
        return (twin_difference){.found = true, .what = "its number flags"};
    return (twin_difference){.found = false};
}

// Who did it
// ---------------------------------------------------------------------------------------

static void difference_text(const weft__guard_lane* lane, const twin_difference* difference,
                            char* text, size_t capacity) {
    char what[128];
    WEFT_ASSERT(difference->found && (difference->place != NULL || difference->what != NULL));
    if (difference->place != NULL) {
        weft__spot spot = weft__guard_spot(lane->guard->world, difference->place);
        weft__guard_spot_text(lane->guard->world, &spot, what, sizeof(what));
        if (spot.place == WEFT_GUARD_NOWHERE)
            (void)snprintf(what, sizeof(what), "a partial");
    } else if (lane->view->chunk != NULL && difference->what[0] == 'a') {
        (void)snprintf(what, sizeof(what), "%s recorded on row %u", difference->what,
                       difference->row);
    } else {
        (void)snprintf(what, sizeof(what), "%s", difference->what);
    }
    (void)snprintf(text, capacity, "%s comes out different", what);
}

// The shortest beginning of a span whose garbage makes a difference; 0 if none does.
static weft_status dose_search(weft__guard_lane* lane, const twin_marks* marks, uint32_t span,
                               size_t* bytes_out) {
    WEFT_ASSERT(span < lane->spans.count && is_hidden(&lane->spans.items[span]));
    size_t low = 0;
    size_t high = lane->spans.items[span].bytes;
    *bytes_out = 0;
    WEFT_TRY(twin_trial(lane, marks, (twin_dose){span, high}));
    if (!twin_compare(lane).found)
        return WEFT_STATUS_OK;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        WEFT_TRY(twin_trial(lane, marks, (twin_dose){span, middle}));
        *(twin_compare(lane).found ? &high : &low) = middle;
    }
    WEFT_ASSERT(low < high);
    *bytes_out = high;
    return WEFT_STATUS_OK;
}

static weft_status twin_blame(weft__guard_lane* lane, const twin_marks* marks,
                              const twin_difference* difference) {
    char note[176];
    char text[256];
    difference_text(lane, difference, note, sizeof(note));
    spans_copy(lane, is_written, lane->before.items, true);
    marks_restore(lane, marks);
    WEFT_TRY(twin_trial(lane, marks, (twin_dose){WEFT__NONE - 1, 0}));
    if (twin_compare(lane).found) {
        (void)snprintf(text, sizeof(text),
                       "it does not repeat itself from the same state (%.150s): it keeps something "
                       "outside of the world",
                       note);
        return weft__guard_blame_text(lane, text);
    }
    for (uint32_t i = 0; i < lane->spans.count; i++) {
        size_t bytes = 0;
        if (is_hidden(&lane->spans.items[i]))
            WEFT_TRY(dose_search(lane, marks, i, &bytes));
        if (bytes == 0)
            continue;
        weft__spot spot = weft__guard_spot(lane->guard->world, lane->spans.items[i].at + bytes - 1);
        return weft__guard_blame(lane, WEFT_GUARD_READ, &spot, note);
    }
    (void)snprintf(text, sizeof(text), "it reads several things that it did not declare (%.150s)",
                   note);
    return weft__guard_blame_text(lane, text);
}

weft_status weft__guard_twin(weft__guard_lane* lane) {
    weft__arena* arena = &lane->guard->world->arena;
    twin_marks marks;
    const weft_world* world = lane->guard->world;
    WEFT_TRY(weft__guard_spans(lane));
    WEFT_TRY(weft__guard_keep(lane));
    WEFT_TRY(marks_save(lane, &marks));
    WEFT_TRY(WEFT__VEC_RESERVE(arena, lane->before, spans_bytes(lane, is_written)));
    WEFT_TRY(WEFT__VEC_RESERVE(arena, lane->hidden, spans_bytes(lane, is_hidden)));
    spans_copy(lane, is_written, lane->before.items, false);
    spans_copy(lane, is_hidden, lane->hidden.items, false);
    WEFT_TRY(twin_trial(lane, &marks, (twin_dose){WEFT__NONE, 0}));
    const uint8_t* changed = weft__guard_changed(lane); // Or the second run starts from elsewhere.
    if (changed == NULL) {
        WEFT_TRY(twin_run(lane, &lane->real));
        if (lane->faulted)
            return weft__guard_blame_fault(lane);
        changed = weft__guard_changed(lane);
    }
    if (changed != NULL) {
        weft__spot spot = weft__guard_spot(world, changed);
        return weft__guard_blame(lane, WEFT_GUARD_WRITE, &spot, "");
    }
    twin_difference difference = twin_compare(lane);
    if (difference.found)
        return twin_blame(lane, &marks, &difference);
    return lane->real.status;
}
