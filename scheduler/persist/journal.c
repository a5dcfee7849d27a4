// Writing of journals (journal.h, journal_format.h).
//
// The run puts frames into a ring, and the writer's thread takes bytes out and writes them: one
// producer, one consumer, positions that only grow. The mutex guards positions and what is said of
// them, never bytes: each side copies or writes those that the positions say are its own. When the
// ring is full the run waits, so memory is bounded and nothing is dropped.

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "exec.h"
#include "journal_format.h"
#include "os.h"

#define RING_MIN 4096u

struct weft_journal {
    weft_journal_desc desc;
    weft_world* world;
    weft_schedule* schedule;
    uint64_t tick;                 // Of the last frame: what the world's must be.
    uint64_t number;               // Of the next frame.
    weft__arena arena;             // Not the world's, which a tick may take back.
    WEFT__VEC(uint8_t) tick_bytes; // The frame under construction.
    uint8_t* ring;
    weft__os_thread thread;
    pthread_mutex_t mutex; // Guards what follows.
    pthread_cond_t filled; // Something for the writer.
    pthread_cond_t drained;
    uint64_t head; // Bytes ever put in,
    uint64_t tail; // and ever written.
    bool closing;
    bool sync_wanted;   // What is recorded is to be made durable now.
    uint64_t frame_end; // Position of the end of the last whole frame, and its tick.
    uint64_t frame_tick;
    weft_journal_progress progress;
    char line[WEFT__FILE_LINE];
    weft__file file; // The writer's own, once it runs.
};

weft_journal_desc weft_journal_desc_default(void) {
    return (weft_journal_desc){
        .digest_ticks = 1, .ring_size = 1u << 20, .cookie = WEFT__JOURNAL_COOKIE};
}

weft_status weft__journal_desc_check(const weft_journal_desc* desc, weft_world* world) {
    if (desc != NULL && desc->cookie == WEFT__JOURNAL_COOKIE && desc->digest_ticks > 0 &&
        desc->ring_size >= RING_MIN && (desc->ring_size & (desc->ring_size - 1)) == 0 &&
        (desc->pairs != NULL || desc->pair_count == 0))
        return WEFT_STATUS_OK;
    return weft__world_fail(world, WEFT_STATUS_BAD_ARGUMENT,
                            "the description of the journal did not start from "
                            "weft_journal_desc_default(), or has no digests, or a ring that is no "
                            "power of 2 from %u on",
                            RING_MIN);
}

// The writer -------------------------------------------------------------------------------------

/// What the writer is to do next.
typedef struct job {
    uint64_t from;
    uint64_t to;
    uint64_t frame_end;
    uint64_t frame_tick;
    bool wanted; // To be durable, when all that is recorded has been written.
    bool last;
} job;

static bool sync_due(const weft_journal* journal, const job* now, uint64_t written_tick) {
    uint64_t behind = written_tick - journal->progress.durable_tick;
    return now->last || now->wanted ||
           (journal->desc.sync_ticks > 0 && behind >= journal->desc.sync_ticks);
}

// Waits for something to do. The mutex is held.
static job next_job(weft_journal* journal) {
    while (journal->head == journal->tail && !journal->closing && !journal->sync_wanted)
        (void)pthread_cond_wait(&journal->filled, &journal->mutex);
    job next = {.from = journal->tail,
                .to = journal->head,
                .frame_end = journal->frame_end,
                .frame_tick = journal->frame_tick,
                .last = journal->closing && journal->head == journal->tail};
    uint64_t size = journal->desc.ring_size;
    uint64_t to_wrap = size - (next.from & (size - 1));
    if (next.to - next.from > to_wrap)
        next.to = next.from + to_wrap;
    WEFT_ASSERT(next.from <= next.to && next.to <= journal->head);
    WEFT_ASSERT(journal->head - journal->tail <= size);
    next.wanted = journal->sync_wanted && next.to == journal->head;
    return next;
}

// Writes a job's bytes. The mutex is not held.
static weft_status do_job(weft_journal* journal, const job* now, bool sync) {
    const uint8_t* bytes = journal->ring + (now->from & (journal->desc.ring_size - 1));
    WEFT_TRY(weft__file_append(&journal->file, bytes, (size_t)(now->to - now->from)));
    return sync ? weft__file_sync(&journal->file) : WEFT_STATUS_OK;
}

static void writer_main(void* context) {
    weft_journal* journal = context;
    job now;
    (void)pthread_mutex_lock(&journal->mutex);
    do {
        now = next_job(journal);
        // A frame that is longer than the ring is written in pieces.
        bool whole = now.to >= now.frame_end;
        uint64_t written = whole ? now.frame_tick : journal->progress.written_tick;
        bool sync = sync_due(journal, &now, written);
        weft_status status = journal->progress.status;
        (void)pthread_mutex_unlock(&journal->mutex);
        if (status == WEFT_STATUS_OK)
            status = do_job(journal, &now, sync);
        (void)pthread_mutex_lock(&journal->mutex);
        WEFT_ASSERT(journal->tail == now.from); // Nobody else takes bytes out.
        journal->tail = now.to; // Also of what is lost, so that nobody waits for it.
        if (now.wanted)
            journal->sync_wanted = false;
        if (status == WEFT_STATUS_OK) {
            journal->progress.written_tick = written;
            journal->progress.bytes = journal->file.size;
            if (sync)
                journal->progress.durable_tick = written;
        } else if (journal->progress.status == WEFT_STATUS_OK) {
            journal->progress.status = status;
            memcpy(journal->line, journal->file.line, sizeof(journal->line));
        }
        (void)pthread_cond_broadcast(&journal->drained);
    } while (!now.last);
    (void)pthread_mutex_unlock(&journal->mutex);
}

// The run's side ---------------------------------------------------------------------------------

// Puts a frame into the ring, in pieces where it does not fit. True if it had to wait.
static bool ring_put(weft_journal* journal, const uint8_t* bytes, size_t size) {
    uint64_t mask = journal->desc.ring_size - 1;
    bool waited = false;
    (void)pthread_mutex_lock(&journal->mutex);
    while (size > 0) {
        while (journal->head - journal->tail > mask) {
            waited = true;
            (void)pthread_cond_wait(&journal->drained, &journal->mutex);
        }
        uint64_t at = journal->head & mask;
        uint64_t room = journal->desc.ring_size - (journal->head - journal->tail);
        uint64_t now = journal->desc.ring_size - at;
        now = now < room ? now : room;
        now = now < size ? now : size;
        WEFT_ASSERT(now > 0 && at + now <= journal->desc.ring_size);
        (void)pthread_mutex_unlock(&journal->mutex);
        memcpy(journal->ring + at, bytes, (size_t)now);
        bytes += now;
        size -= (size_t)now;
        (void)pthread_mutex_lock(&journal->mutex);
        journal->head += now;
        if (size == 0) { // With its last bytes, so that the writer never sees these without it.
            journal->frame_end = journal->head;
            journal->frame_tick = journal->progress.recorded_tick = journal->tick;
        }
        (void)pthread_cond_signal(&journal->filled);
    }
    (void)pthread_mutex_unlock(&journal->mutex);
    return waited;
}

// Waits where too much is not durable yet.
static weft_status wait_durable(weft_journal* journal, bool waited) {
    uint64_t sync_ticks = journal->desc.sync_ticks;
    uint64_t behind_max = sync_ticks > 1 ? 2 * sync_ticks : 1;
    weft_journal_progress* progress = &journal->progress;
    (void)pthread_mutex_lock(&journal->mutex);
    while (sync_ticks > 0 && progress->status == WEFT_STATUS_OK &&
           progress->recorded_tick - progress->durable_tick >= behind_max) {
        waited = true;
        (void)pthread_cond_wait(&journal->drained, &journal->mutex);
    }
    progress->waits += waited;
    weft_status status = sync_ticks > 0 ? progress->status : WEFT_STATUS_OK;
    (void)pthread_mutex_unlock(&journal->mutex);
    return status;
}

static void put_inputs(const weft_journal* journal, weft__bytes* bytes) {
    const weft_world* world = journal->world;
    for (uint32_t i = 0; i < world->inputs.count; i++) {
        const weft__input* input = &world->inputs.items[i];
        const weft__channel* channel = &world->channels.items[input->channel];
        const weft_type* type = weft__type_at(world, channel->type)->type;
        if (input->tick != world->tick)
            continue;
        weft__bytes_put_u32(bytes, input->channel);
        weft__bytes_put_u32(bytes, input->target.slot);
        weft__bytes_put_u32(bytes, input->target.generation);
        weft__bytes_put_u32(bytes, type->size);
        uint8_t* place = weft__bytes_reserve(bytes, type->size);
        if (place != NULL)
            weft__type_encode(type, world->input_bytes.items + input->offset, 1, place);
    }
    WEFT_ASSERT(!bytes->overflow);
}

// The frame of the tick that is about to run: its inputs, with room for head and digest.
static weft_status frame_begin(weft_journal* journal) {
    weft_world* world = journal->world;
    uint64_t size = WEFT__FRAME_HEAD + WEFT__JOURNAL_TICK_HEAD;
    uint32_t count = 0;
    for (uint32_t i = 0; i < world->inputs.count; i++) {
        const weft__input* input = &world->inputs.items[i];
        if (input->tick != world->tick)
            continue;
        size += WEFT__JOURNAL_INPUT_HEAD +
                weft__type_at(world, world->channels.items[input->channel].type)->type->size;
        count++;
    }
    journal->tick_bytes.count = 0;
    if (WEFT__VEC_RESERVE(&journal->arena, journal->tick_bytes, size) != WEFT_STATUS_OK)
        return weft__world_fail(world, WEFT_STATUS_OUT_OF_MEMORY,
                                "no memory is left for the inputs of tick %llu in the journal",
                                (unsigned long long)world->tick);
    weft__bytes bytes;
    weft__bytes_init(&bytes, journal->tick_bytes.items, (size_t)size);
    (void)weft__bytes_reserve(&bytes, WEFT__FRAME_HEAD);
    weft__bytes_put_u64(&bytes, world->tick + 1);
    weft__bytes_put_u8(&bytes, 0);
    weft__bytes_put_digest(&bytes, (weft_digest){0, 0});
    weft__bytes_put_u32(&bytes, count);
    put_inputs(journal, &bytes);
    WEFT_ASSERT(bytes.size == size);
    journal->tick_bytes.count = (uint32_t)bytes.size;
    return WEFT_STATUS_OK;
}

// The digest into the frame, and the frame into the ring.
static weft_status frame_end(weft_journal* journal, weft_executor* executor) {
    uint8_t* frame = journal->tick_bytes.items;
    uint8_t* content = frame + WEFT__FRAME_HEAD;
    WEFT_ASSERT(journal->world->tick == journal->tick + 1);
    if (journal->world->tick % journal->desc.digest_ticks == 0) {
        weft_digest full;
        weft__bytes bytes;
        WEFT_TRY(weft_executor_digest(executor, NULL, &full));
        weft__bytes_init(&bytes, content + sizeof(uint64_t), 1 + sizeof(full));
        weft__bytes_put_u8(&bytes, 1);
        weft__bytes_put_digest(&bytes, full);
    }
    weft__frame_seal(frame, WEFT__JOURNAL_TICK, journal->number++, content,
                     journal->tick_bytes.count - WEFT__FRAME_HEAD);
    journal->tick = journal->world->tick;
    return wait_durable(journal, ring_put(journal, frame, journal->tick_bytes.count));
}

// The line of a failed writer, as the world's error.
static weft_status writer_failed(weft_journal* journal) {
    weft_world* world = journal->world;
    (void)pthread_mutex_lock(&journal->mutex);
    weft_status status = weft__world_fail(
        world, journal->progress.status,
        "%s; the journal ends with tick %llu, and the run stops after tick %llu", journal->line,
        (unsigned long long)journal->progress.written_tick, (unsigned long long)world->tick);
    (void)pthread_mutex_unlock(&journal->mutex);
    return status;
}

weft_status weft_journal_tick(weft_journal* journal, weft_executor* executor) {
    WEFT_ASSERT(journal != NULL && executor != NULL && executor->world == journal->world);
    weft_world* world = journal->world;
    if (world->failed)
        return WEFT_STATUS_WORLD_FAILED;
    if (weft_journal_progress_read(journal).status != WEFT_STATUS_OK)
        return writer_failed(journal);
    if (world->tick != journal->tick)
        return weft__world_fail(world, WEFT_STATUS_WRONG_PHASE,
                                "the world is at tick %llu, and its journal at tick %llu: every "
                                "tick is run by weft_journal_tick()",
                                (unsigned long long)world->tick, (unsigned long long)journal->tick);
    if (world->host.streams.items[0].segments.count > 0)
        return weft__world_fail(world, WEFT_STATUS_WRONG_PHASE,
                                "the host has recorded commands, which are no input events and "
                                "could not be run again; post messages (weft_world_post)");
    WEFT_TRY(frame_begin(journal));
    WEFT_TRY(weft_executor_tick(executor));
    weft_status status = frame_end(journal, executor);
    return status == WEFT_STATUS_FILE_ERROR ? writer_failed(journal) : status;
}

weft_status weft_journal_sync(weft_journal* journal) {
    WEFT_ASSERT(journal != NULL);
    const weft_journal_progress* progress = &journal->progress;
    (void)pthread_mutex_lock(&journal->mutex);
    while (progress->status == WEFT_STATUS_OK && progress->durable_tick < progress->recorded_tick) {
        journal->sync_wanted = true;
        (void)pthread_cond_signal(&journal->filled);
        (void)pthread_cond_wait(&journal->drained, &journal->mutex);
    }
    weft_status status = progress->status;
    (void)pthread_mutex_unlock(&journal->mutex);
    return status == WEFT_STATUS_OK ? status : writer_failed(journal);
}

weft_journal_progress weft_journal_progress_read(weft_journal* journal) {
    WEFT_ASSERT(journal != NULL);
    (void)pthread_mutex_lock(&journal->mutex);
    weft_journal_progress progress = journal->progress;
    (void)pthread_mutex_unlock(&journal->mutex);
    return progress;
}

// Opening and closing ----------------------------------------------------------------------------

static weft_status open_check(const weft_journal_desc* desc, weft_schedule* schedule) {
    weft_world* world = schedule->world;
    WEFT_TRY(weft__journal_desc_check(desc, world));
    WEFT_TRY(weft_schedule_build(schedule));
    if (world->failed)
        return WEFT_STATUS_WORLD_FAILED;
    if (!weft_world_is_deterministic(world))
        return weft__world_fail(world, WEFT_STATUS_NOT_DETERMINISTIC,
                                "a journal of a run that cannot be repeated is none: turn "
                                "determinism on (weft_world_desc)");
    if (world->host.streams.items[0].segments.count > 0)
        return weft__world_fail(world, WEFT_STATUS_WRONG_PHASE,
                                "the host has recorded commands that are no state yet; call "
                                "weft_world_commit() before the journal is started");
    return WEFT_STATUS_OK;
}

// All but the file and the thread.
static weft_status journal_make(const weft_journal_desc* desc, weft_schedule* schedule,
                                weft_journal** out) {
    void* memory;
    weft_world* world = schedule->world;
    size_t offset = (sizeof(weft_journal) + 63) & ~(size_t)63;
    if (weft__os_region_reserve(offset + desc->ring_size, &memory) != WEFT_STATUS_OK)
        return weft__world_fail(world, WEFT_STATUS_OUT_OF_MEMORY,
                                "no memory is left for a journal with a ring of %u bytes",
                                desc->ring_size);
    weft_journal* journal = memory;
    *journal = (weft_journal){.desc = *desc,
                              .world = world,
                              .schedule = schedule,
                              .tick = world->tick,
                              .ring = (uint8_t*)memory + offset};
    weft__arena_init(&journal->arena, NULL);
    journal->progress.recorded_tick = journal->progress.written_tick = world->tick;
    journal->progress.durable_tick = journal->frame_tick = world->tick;
    (void)pthread_mutex_init(&journal->mutex, NULL);
    (void)pthread_cond_init(&journal->filled, NULL);
    (void)pthread_cond_init(&journal->drained, NULL);
    *out = journal;
    return WEFT_STATUS_OK;
}

static void journal_free(weft_journal* journal) {
    weft__file_close(&journal->file);
    (void)pthread_cond_destroy(&journal->drained);
    (void)pthread_cond_destroy(&journal->filled);
    (void)pthread_mutex_destroy(&journal->mutex);
    weft__arena_deinit(&journal->arena);
    size_t offset = (size_t)(journal->ring - (uint8_t*)journal);
    weft__os_region_release(journal, offset + journal->desc.ring_size);
}

// From here on the file is the writer's.
static weft_status journal_start(weft_journal* journal) {
    journal->progress.bytes = journal->file.size;
    if (weft__os_thread_start(&journal->thread, writer_main, journal, "weft journal") !=
        WEFT_STATUS_OK)
        return weft__world_fail(journal->world, WEFT_STATUS_OS,
                                "the thread that writes the journal could not be started");
    return WEFT_STATUS_OK;
}

static weft_status write_start(weft_journal* journal, const char* path,
                               const weft__file_calls* calls) {
    weft_world* world = journal->world;
    weft__identity content = {0};
    weft__bytes bytes;
    WEFT_TRY(weft__file_create(&journal->file, path, calls));
    WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, content, WEFT__JOURNAL_START_HEAD));
    weft__bytes_init(&bytes, content.items, WEFT__JOURNAL_START_HEAD);
    weft__bytes_put_u64(&bytes, world->tick);
    weft__bytes_put_digest(&bytes, weft_world_digest_full(world));
    content.count = (uint32_t)bytes.size;
    weft_status status = weft__identity_make(world, journal->schedule, journal->desc.pairs,
                                             journal->desc.pair_count, &content);
    if (status == WEFT_STATUS_OK)
        status = weft__frame_begin(&journal->file, &weft__journal_format);
    if (status == WEFT_STATUS_OK)
        status = weft__frame_append(&journal->file, WEFT__JOURNAL_START, journal->number++,
                                    content.items, content.count);
    if (status == WEFT_STATUS_OK)
        status = weft__file_publish(&journal->file, false);
    WEFT__VEC_FREE(&world->arena, content);
    return status;
}

weft_status weft__journal_create(const weft_journal_desc* desc, weft_schedule* schedule,
                                 const char* path, const weft__file_calls* calls,
                                 weft_journal** journal_out) {
    WEFT_ASSERT(schedule != NULL && path != NULL && journal_out != NULL);
    weft_journal* journal = NULL;
    *journal_out = NULL;
    WEFT_TRY(open_check(desc, schedule));
    WEFT_TRY(journal_make(desc, schedule, &journal));
    WEFT_ASSERT(journal != NULL);
    weft_status status = write_start(journal, path, calls);
    if (journal->file.status != WEFT_STATUS_OK)
        (void)weft__world_fail(schedule->world, status, "%s", journal->file.line);
    if (status == WEFT_STATUS_OK)
        status = journal_start(journal);
    if (status == WEFT_STATUS_OK)
        *journal_out = journal;
    else
        journal_free(journal);
    return status;
}

// Reads a journal to its end, which must be where the world is.
static weft_status find_end(weft__journal_reader* reader, const weft_journal_desc* desc,
                            weft_schedule* schedule, const char* path) {
    weft_world* world = schedule->world;
    weft__journal_tick tick;
    bool ended = false;
    weft_status status = weft__journal_reader_open(reader, path);
    if (status == WEFT_STATUS_OK)
        WEFT_TRY(weft__journal_reader_match(reader, desc, schedule));
    while (status == WEFT_STATUS_OK && !ended)
        status = weft__journal_reader_next(reader, &tick, &ended);
    if (status != WEFT_STATUS_OK)
        return weft__world_fail(world, status, "%s", reader->line);
    if (reader->tick != world->tick)
        return weft__world_fail(world, WEFT_STATUS_DIVERGED,
                                "%.1000s: the journal ends with tick %llu, and the world is at "
                                "tick %llu; run it again to its end before going on with it",
                                path, (unsigned long long)reader->tick,
                                (unsigned long long)world->tick);
    if (reader->has_digest && !weft_digest_equal(reader->full, weft_world_digest_full(world)))
        return weft__world_fail(world, WEFT_STATUS_DIVERGED,
                                "%.1000s: the journal's digest of tick %llu is not the world's: "
                                "it is of another run",
                                path, (unsigned long long)world->tick);
    return WEFT_STATUS_OK;
}

weft_status weft_journal_continue(const weft_journal_desc* desc, weft_schedule* schedule,
                                  const char* path, weft_journal** journal_out) {
    WEFT_ASSERT(schedule != NULL && path != NULL && journal_out != NULL);
    weft_journal* journal = NULL;
    weft__journal_reader reader;
    *journal_out = NULL;
    WEFT_TRY(open_check(desc, schedule));
    weft_status status = find_end(&reader, desc, schedule, path);
    uint64_t end = reader.whole;
    uint64_t number = reader.frames.number;
    weft__journal_reader_close(&reader);
    WEFT_TRY(status);
    WEFT_TRY(journal_make(desc, schedule, &journal));
    WEFT_ASSERT(journal != NULL);
    journal->number = number;
    status = weft__file_continue(&journal->file, path, end, NULL);
    if (status != WEFT_STATUS_OK)
        (void)weft__world_fail(schedule->world, status, "%s", journal->file.line);
    else
        status = journal_start(journal);
    if (status == WEFT_STATUS_OK)
        *journal_out = journal;
    else
        journal_free(journal);
    return status;
}

weft_status weft_journal_create(const weft_journal_desc* desc, weft_schedule* schedule,
                                const char* path, weft_journal** journal_out) {
    return weft__journal_create(desc, schedule, path, NULL, journal_out);
}

weft_status weft_journal_close(weft_journal* journal, char* line, size_t capacity) {
    if (journal == NULL)
        return WEFT_STATUS_OK;
    (void)pthread_mutex_lock(&journal->mutex);
    journal->closing = true;
    (void)pthread_cond_signal(&journal->filled);
    (void)pthread_mutex_unlock(&journal->mutex);
    weft__os_thread_join(&journal->thread);
    weft_status status = journal->progress.status;
    if (status != WEFT_STATUS_OK)
        (void)snprintf(line, capacity, "%s; the journal ends with tick %llu", journal->line,
                       (unsigned long long)journal->progress.written_tick);
    journal_free(journal);
    return status;
}
