// Running journals again, and comparing two of them (journal.h).

#include <stdio.h>
#include <string.h>

#include "exec.h"
#include "journal_format.h"

struct weft_replay {
    weft__arena arena; // Not the world's, which a tick may take back. This lies in it.
    weft_world* world;
    weft__journal_reader reader;
    weft_replay_info info;
    WEFT__VEC(uint8_t) message; // One decoded input.
};

static weft_status reader_failed(weft_replay* replay, weft_status status) {
    return weft__world_fail(replay->world, status, "%s", replay->reader.line);
}

weft_status weft_replay_open(const weft_journal_desc* desc, weft_schedule* schedule,
                             const char* path, weft_replay** replay_out) {
    WEFT_ASSERT(schedule != NULL && path != NULL && replay_out != NULL);
    weft_world* world = schedule->world;
    *replay_out = NULL;
    WEFT_TRY(weft__journal_desc_check(desc, world));
    WEFT_TRY(weft_schedule_build(schedule));
    weft__arena arena;
    weft__arena_init(&arena, NULL);
    weft_replay* replay = weft__arena_alloc_zero(&arena, sizeof(*replay));
    if (replay == NULL)
        return weft__world_fail(world, WEFT_STATUS_OUT_OF_MEMORY,
                                "no memory is left to run a journal again");
    replay->arena = arena;
    replay->world = world;
    weft_status status = weft__journal_reader_open(&replay->reader, path);
    if (status != WEFT_STATUS_OK)
        (void)reader_failed(replay, status);
    else
        status = weft__journal_reader_match(&replay->reader, desc, schedule);
    replay->info.first_tick = replay->info.tick = replay->reader.first_tick;
    if (status == WEFT_STATUS_OK)
        *replay_out = replay;
    else
        weft_replay_close(replay);
    return status;
}

weft_replay_info weft_replay_info_read(const weft_replay* replay) {
    WEFT_ASSERT(replay != NULL);
    return replay->info;
}

// Reads the next tick, and notes it.
static weft_status next_tick(weft_replay* replay, weft__journal_tick* out) {
    weft_status status = weft__journal_reader_next(&replay->reader, out, &replay->info.ended);
    if (status != WEFT_STATUS_OK)
        return reader_failed(replay, status);
    replay->info.tick = replay->reader.tick;
    replay->info.torn = replay->reader.frames.torn;
    return WEFT_STATUS_OK;
}

static weft_status compare(weft_replay* replay, weft_digest expected, weft_digest found) {
    char there[WEFT_DIGEST_TEXT];
    char here[WEFT_DIGEST_TEXT];
    replay->info.compared++;
    if (weft_digest_equal(expected, found))
        return WEFT_STATUS_OK;
    weft_digest_format(expected, there);
    weft_digest_format(found, here);
    return weft__world_fail(replay->world, WEFT_STATUS_DIVERGED,
                            "%.1000s: the digest after tick %llu is %s there, %s here",
                            replay->reader.frames.source.path,
                            (unsigned long long)replay->world->tick, there, here);
}

weft_status weft_replay_seek(weft_replay* replay) {
    WEFT_ASSERT(replay != NULL);
    weft_world* world = replay->world;
    weft__journal_tick tick;
    while (replay->info.tick < world->tick && !replay->info.ended)
        WEFT_TRY(next_tick(replay, &tick));
    if (replay->info.tick != world->tick)
        return weft__world_fail(
            world, WEFT_STATUS_OUT_OF_RANGE,
            "%.1000s: the journal has ticks %llu to %llu, and the world is at "
            "tick %llu",
            replay->reader.frames.source.path, (unsigned long long)replay->info.first_tick,
            (unsigned long long)replay->info.tick, (unsigned long long)world->tick);
    if (!replay->reader.has_digest)
        return WEFT_STATUS_OK;
    return compare(replay, replay->reader.full, weft_world_digest_full(world));
}

static weft_status post_input(weft_replay* replay, weft__reader* inputs) {
    weft_world* world = replay->world;
    uint32_t channel = weft__reader_get_u32(inputs);
    weft_entity target = {.slot = weft__reader_get_u32(inputs)};
    target.generation = weft__reader_get_u32(inputs);
    uint32_t size = weft__reader_get_u32(inputs);
    const uint8_t* payload = weft__reader_view(inputs, size);
    const weft_type* type = channel < world->channels.count
                                ? weft__type_at(world, world->channels.items[channel].type)->type
                                : NULL;
    if (inputs->underflow || type == NULL || type->size != size)
        return weft__world_fail(world, WEFT_STATUS_BAD_FORMAT,
                                "%.1000s: the journal is inconsistent: an input of tick %llu is "
                                "none; take another copy",
                                replay->reader.frames.source.path,
                                (unsigned long long)replay->info.tick);
    replay->message.count = 0;
    if (WEFT__VEC_RESERVE(&replay->arena, replay->message, size) != WEFT_STATUS_OK)
        return weft__world_fail(world, WEFT_STATUS_OUT_OF_MEMORY,
                                "no memory is left for an input of %u bytes", size);
    weft__type_decode(type, payload, 1, replay->message.items);
    replay->info.inputs++;
    return weft_world_post(world, type, target, replay->message.items);
}

weft_status weft_replay_tick(weft_replay* replay, weft_executor* executor) {
    WEFT_ASSERT(replay != NULL && executor != NULL && executor->world == replay->world);
    weft_world* world = replay->world;
    weft__journal_tick tick;
    if (world->failed)
        return WEFT_STATUS_WORLD_FAILED;
    if (world->tick != replay->info.tick)
        return weft__world_fail(world, WEFT_STATUS_WRONG_PHASE,
                                "the world is at tick %llu, and the journal at tick %llu: go there "
                                "with weft_replay_seek()",
                                (unsigned long long)world->tick,
                                (unsigned long long)replay->info.tick);
    if (!replay->info.ended)
        WEFT_TRY(next_tick(replay, &tick));
    if (replay->info.ended)
        return WEFT_STATUS_OK;
    for (uint32_t i = 0; i < tick.input_count; i++)
        WEFT_TRY(post_input(replay, &tick.inputs));
    if (weft__reader_left(&tick.inputs) > 0)
        return weft__world_fail(world, WEFT_STATUS_BAD_FORMAT,
                                "%.1000s: the journal is inconsistent: bytes follow the inputs of "
                                "tick %llu; take another copy",
                                replay->reader.frames.source.path,
                                (unsigned long long)replay->info.tick);
    WEFT_TRY(weft_executor_tick(executor));
    weft_digest full;
    if (!tick.has_digest)
        return WEFT_STATUS_OK;
    WEFT_TRY(weft_executor_digest(executor, NULL, &full));
    return compare(replay, tick.full, full);
}

void weft_replay_close(weft_replay* replay) {
    if (replay == NULL)
        return;
    weft__journal_reader_close(&replay->reader);
    weft__arena arena = replay->arena;
    weft__arena_deinit(&arena);
}

// Comparing --------------------------------------------------------------------------------------

/// Two journals that are read side by side.
typedef struct pair {
    weft__journal_reader readers[2];
    weft__journal_tick ticks[2];
    bool ended[2];
} pair;

static bool same_inputs(const pair* both) {
    const weft__journal_tick* a = &both->ticks[0];
    const weft__journal_tick* b = &both->ticks[1];
    size_t size = weft__reader_left(&a->inputs);
    return a->input_count == b->input_count && size == weft__reader_left(&b->inputs) &&
           memcmp(a->inputs.data + a->inputs.offset, b->inputs.data + b->inputs.offset, size) == 0;
}

static weft_status compare_starts(pair* both, weft_journal_difference* out, char* line,
                                  size_t capacity) {
    const weft__journal_reader* a = &both->readers[0];
    const weft__journal_reader* b = &both->readers[1];
    char text[1024];
    // A file's bytes are an identity as good as one that was just made.
    weft__identity other = {.items = (uint8_t*)(uintptr_t)b->identity,
                            .count = (uint32_t)b->identity_size};
    weft_status status = weft__identity_compare(a->identity, a->identity_size, &other,
                                                WEFT__IDENTITY_RUN, text, sizeof(text));
    if (status == WEFT_STATUS_IDENTITY_MISMATCH)
        (void)snprintf(line, capacity, "the journals are of different runs: %s", text);
    else if (status != WEFT_STATUS_OK)
        (void)snprintf(line, capacity, "%s: the identity cannot be read", a->frames.source.path);
    if (status != WEFT_STATUS_OK)
        return status;
    if (a->first_tick != b->first_tick) {
        (void)snprintf(line, capacity, "the journals start at different ticks: %llu and %llu",
                       (unsigned long long)a->first_tick, (unsigned long long)b->first_tick);
        return WEFT_STATUS_OUT_OF_RANGE;
    }
    out->tick = a->first_tick;
    out->digests[0] = a->first_full;
    out->digests[1] = b->first_full;
    out->found = out->digest = !weft_digest_equal(a->first_full, b->first_full);
    return WEFT_STATUS_OK;
}

static weft_status compare_next(pair* both, weft_journal_difference* out, char* line,
                                size_t capacity) {
    for (int i = 0; i < 2; i++) {
        weft_status status =
            weft__journal_reader_next(&both->readers[i], &both->ticks[i], &both->ended[i]);
        out->last_ticks[i] = both->readers[i].tick;
        if (status == WEFT_STATUS_OK)
            continue;
        (void)snprintf(line, capacity, "%s", both->readers[i].line);
        return status;
    }
    if (both->ended[0] && both->ended[1])
        return WEFT_STATUS_OK;
    out->tick++;
    out->length = both->ended[0] != both->ended[1];
    if (!out->length) {
        out->inputs = !same_inputs(both);
        out->digests[0] = both->ticks[0].full;
        out->digests[1] = both->ticks[1].full;
        out->digest = both->ticks[0].has_digest && both->ticks[1].has_digest &&
                      !weft_digest_equal(out->digests[0], out->digests[1]);
    }
    out->found = out->length || out->inputs || out->digest;
    return WEFT_STATUS_OK;
}

weft_status weft_journal_compare(const char* path_a, const char* path_b,
                                 weft_journal_difference* out, char* line, size_t capacity) {
    WEFT_ASSERT(path_a != NULL && path_b != NULL && out != NULL && line != NULL);
    pair both = {.ended = {false, false}};
    const char* paths[2] = {path_a, path_b};
    weft_status status = WEFT_STATUS_OK;
    *out = (weft_journal_difference){.found = false};
    for (int i = 0; i < 2 && status == WEFT_STATUS_OK; i++) {
        status = weft__journal_reader_open(&both.readers[i], paths[i]);
        if (status != WEFT_STATUS_OK)
            (void)snprintf(line, capacity, "%s", both.readers[i].line);
        out->last_ticks[i] = both.readers[i].first_tick;
    }
    if (status == WEFT_STATUS_OK)
        status = compare_starts(&both, out, line, capacity);
    while (status == WEFT_STATUS_OK && !out->found && !(both.ended[0] && both.ended[1]))
        status = compare_next(&both, out, line, capacity);
    for (int i = 0; i < 2; i++)
        weft__journal_reader_close(&both.readers[i]);
    return status;
}
