// Snapshots (snapshot.h, snapshot_format.h).
//
// Saving goes in rounds: all workers encode, compress and seal parts into one region, their places
// in the file are counted out, all workers write. So the file is the same for every number of
// workers, and memory is bounded by a round, not by the state.
//
// Loading goes twice over the parts: by their heads, after which all workers read, check and place
// them; then in order, where a part that did not come out whole is read again, so that one piece of
// code says what is wrong, and of several faults always the first.

#include <weft/snapshot.h>

#include <stdio.h>
#include <string.h>

#include "compress.h"
#include "exec.h"
#include "os.h"
#include "run_identity.h"
#include "snapshot_format.h"
#include "weft_bytes.h"
#include "weft_state.h"

#define SNAPSHOT_COOKIE 0x57534e50u
// Bytes of a round's parts, or one part that is larger: as few as keep the workers busy, since the
// first touch of memory costs as much as writing it.
#define ROUND_MIN ((uint64_t)8 << 20)
#define ROUND_EACH ((uint64_t)4 << 20) // For each worker.
#define PART_HEAD (WEFT__FRAME_HEAD + WEFT__SNAPSHOT_DATA_HEAD)
#define SCRATCH ((size_t)4 << 20) // Of a worker, for a compressed part that is loaded.
#define RATIO_MAX 100000u         // Of bytes to compressed ones: zstd does not reach it.

weft_snapshot_desc weft_snapshot_desc_default(void) {
    return (weft_snapshot_desc){.cookie = SNAPSHOT_COOKIE};
}

// Saving -----------------------------------------------------------------------------------------

/// One part on its way to the file.
typedef struct save_part {
    weft__state_part part;
    size_t place;     // In the round's region: head, then bytes as they are stored.
    size_t raw;       // Where they are encoded if that is another place.
    uint64_t stored;  // With the head; 0: no memory to compress.
    uint64_t file_at; // In the file.
    int error;        // Of writing: an errno, or 0.
} save_part;

typedef struct saver {
    weft_world* world;
    weft_executor* executor;
    bool compress;
    uint64_t state_size;
    WEFT__VEC(save_part) parts;
    uint32_t first; // Of the round.
    uint8_t* region;
    size_t region_size;
    weft__file file;
} saver;

static uint64_t part_room(const saver* save, uint64_t size) {
    uint64_t room = PART_HEAD + (save->compress ? weft__compress_bound((size_t)size) + size : size);
    return (room + 63) & ~UINT64_C(63);
}

static weft_status list_parts(saver* save) {
    save_part next = {.file_at = 0};
    const weft__state_part* last = NULL;
    save->state_size = 0;
    do {
        next.part = weft__state_part_next(save->world, last, WEFT__SNAPSHOT_PART);
        save->state_size += next.part.size;
        WEFT_TRY(WEFT__VEC_PUSH(&save->world->arena, save->parts, next));
        last = &next.part;
    } while (next.part.kind != WEFT__STATE_PART_BACK);
    WEFT_ASSERT(save->state_size == weft_world_encoded_size(save->world));
    return WEFT_STATUS_OK;
}

static void encode_item(void* context, uint32_t worker, uint32_t item) {
    const saver* save = context;
    save_part* part = &save->parts.items[save->first + item];
    uint8_t* place = save->region + part->place;
    uint8_t* content = place + WEFT__FRAME_HEAD;
    uint8_t* raw = save->region + part->raw;
    size_t size = (size_t)part->part.size;
    size_t stored = size;
    weft__bytes bytes;
    (void)worker;
    WEFT_ASSERT(part->place + PART_HEAD <= part->raw && part->raw + size <= save->region_size);
    weft__state_part_encode(save->world, &part->part, save->state_size, raw);
    if (save->compress)
        stored = weft__compress(raw, size, place + PART_HEAD, weft__compress_bound(size));
    part->stored = stored == 0 ? 0 : PART_HEAD + stored;
    weft__bytes_init(&bytes, content, WEFT__SNAPSHOT_DATA_HEAD);
    weft__bytes_put_u64(&bytes, size);
    weft__frame_seal(place, WEFT__SNAPSHOT_DATA, save->first + item + 1, content,
                     WEFT__SNAPSHOT_DATA_HEAD + stored);
}

static void write_item(void* context, uint32_t worker, uint32_t item) {
    const saver* save = context;
    save_part* part = &save->parts.items[save->first + item];
    (void)worker;
    WEFT_ASSERT(part->stored > 0 && part->place + part->stored <= save->region_size);
    part->error = weft__file_write_at(&save->file, save->region + part->place, (size_t)part->stored,
                                      part->file_at);
}

static void run_items(saver* save, uint32_t count, uint64_t bytes, weft__item_fn* fn) {
    weft__batch batch = {.count = count, .cost_ns = bytes / 4, .fn = fn, .context = save};
    weft__runner* runner = &save->executor->runner;
    runner->run(runner, &batch);
}

static weft_status save_round(saver* save, uint32_t count, uint64_t bytes) {
    uint64_t at = save->file.size;
    save_part* parts = save->parts.items + save->first;
    WEFT_ASSERT(count > 0 && count <= save->parts.count - save->first);
    run_items(save, count, bytes, encode_item);
    for (uint32_t i = 0; i < count; i++) {
        if (parts[i].stored == 0)
            return WEFT_STATUS_OUT_OF_MEMORY;
        parts[i].file_at = at;
        at += parts[i].stored;
    }
    run_items(save, count, bytes, write_item);
    for (uint32_t i = 0; i < count; i++)
        if (parts[i].error != 0)
            return weft__file_fail(&save->file, parts[i].error);
    weft__file_extend(&save->file, at - save->file.size);
    return WEFT_STATUS_OK;
}

// Fits the parts from `first` on into rounds; how many are in the first one, and what room it has.
static uint32_t fill_round(saver* save, uint32_t first, uint64_t* room_out, uint64_t* bytes_out) {
    uint32_t count = 0;
    uint64_t round = ROUND_EACH * save->executor->worker_count;
    round = round > ROUND_MIN ? round : ROUND_MIN;
    *room_out = *bytes_out = 0;
    while (first + count < save->parts.count) {
        save_part* part = &save->parts.items[first + count];
        uint64_t room = part_room(save, part->part.size);
        if (count > 0 && *room_out + room > round)
            break;
        part->place = (size_t)*room_out;
        part->raw = part->place + PART_HEAD +
                    (save->compress ? weft__compress_bound((size_t)part->part.size) : 0);
        *room_out += room;
        *bytes_out += part->part.size;
        count++;
    }
    WEFT_ASSERT(count > 0 || first == save->parts.count);
    return count;
}

static weft_status save_parts(saver* save) {
    uint64_t room;
    uint64_t bytes;
    uint64_t room_max = 0;
    void* region;
    for (uint32_t i = 0; i < save->parts.count;) {
        i += fill_round(save, i, &room, &bytes);
        room_max = room > room_max ? room : room_max;
    }
    if (room_max > SIZE_MAX || weft__os_region_reserve((size_t)room_max, &region) != WEFT_STATUS_OK)
        return WEFT_STATUS_OUT_OF_MEMORY;
    save->region = region;
    save->region_size = (size_t)room_max;
    for (save->first = 0; save->first < save->parts.count;) {
        uint32_t count = fill_round(save, save->first, &room, &bytes);
        WEFT_TRY(save_round(save, count, bytes));
        save->first += count;
    }
    return WEFT_STATUS_OK;
}

static weft_status save_head(saver* save, const weft_snapshot_desc* desc) {
    weft__identity content = {0};
    weft_digest full = {0, 0};
    weft_world* world = save->world;
    uint8_t head[WEFT__SNAPSHOT_HEAD_SIZE];
    weft__bytes bytes;
    if (!desc->no_digest)
        WEFT_TRY(weft_executor_digest(save->executor, NULL, &full));
    weft__bytes_init(&bytes, head, sizeof(head));
    weft__bytes_put_u64(&bytes, world->tick);
    weft__bytes_put_u64(&bytes, save->state_size);
    weft__bytes_put_u32(&bytes, save->parts.count);
    weft__bytes_put_u8(&bytes, save->compress);
    weft__bytes_put_u8(&bytes, !desc->no_digest);
    weft__bytes_put_u16(&bytes, 0);
    weft__bytes_put_digest(&bytes, full);
    WEFT_ASSERT(!bytes.overflow && bytes.size == sizeof(head));
    weft_status status = WEFT__VEC_RESERVE(&world->arena, content, sizeof(head));
    if (status == WEFT_STATUS_OK) {
        memcpy(content.items, head, sizeof(head));
        content.count = sizeof(head);
        status = weft__identity_make(world, save->executor->schedule, desc->pairs, desc->pair_count,
                                     &content);
    }
    if (status == WEFT_STATUS_OK)
        status = weft__frame_begin(&save->file, &weft__snapshot_format);
    if (status == WEFT_STATUS_OK)
        status =
            weft__frame_append(&save->file, WEFT__SNAPSHOT_HEAD, 0, content.items, content.count);
    WEFT__VEC_FREE(&world->arena, content);
    return status;
}

static weft_status save_file(saver* save, const char* path, const weft_snapshot_desc* desc,
                             const weft__file_calls* calls) {
    WEFT_TRY(weft__file_create(&save->file, path, calls));
    WEFT_TRY(list_parts(save));
    WEFT_TRY(save_head(save, desc));
    WEFT_TRY(save_parts(save));
    return weft__file_publish(&save->file, true);
}

weft_status weft_snapshot_save(weft_executor* executor, const char* path,
                               const weft_snapshot_desc* desc) {
    return weft__snapshot_save(executor, path, desc, NULL);
}

weft_status weft__snapshot_save(weft_executor* executor, const char* path,
                                const weft_snapshot_desc* desc, const weft__file_calls* calls) {
    WEFT_ASSERT(executor != NULL && path != NULL);
    weft_world* world = executor->world;
    saver save = {.world = world, .executor = executor, .compress = desc->compress};
    if (desc->cookie != SNAPSHOT_COOKIE || (desc->pairs == NULL && desc->pair_count > 0))
        return weft__world_fail(world, WEFT_STATUS_BAD_ARGUMENT,
                                "the description of the snapshot did not start from "
                                "weft_snapshot_desc_default()");
    if (desc->compress && !weft__compress_available())
        return weft__world_fail(world, WEFT_STATUS_UNSUPPORTED,
                                "%s: this build cannot compress; build it with zstd (WEFT_ZSTD)",
                                path);
    WEFT_TRY(weft__state_ready(world));
    weft_status status = save_file(&save, path, desc, calls);
    if (save.file.status != WEFT_STATUS_OK)
        status = weft__world_fail(world, save.file.status, "%s", save.file.line);
    else if (status == WEFT_STATUS_OUT_OF_MEMORY)
        status =
            weft__world_fail(world, status, "%s: no memory is left to write the snapshot", path);
    weft__file_close(&save.file);
    weft__os_region_release(save.region, save.region_size);
    WEFT__VEC_FREE(&world->arena, save.parts);
    return status;
}

// Loading ----------------------------------------------------------------------------------------

/// One part on its way from the file.
typedef struct load_part {
    weft__frame frame;
    uint64_t at; // In the state.
    uint64_t size;
    bool whole; // Checked, and in its place.
} load_part;

typedef struct loader {
    weft__frames frames;
    weft__runner* runner;
    uint32_t worker_count;
    weft_snapshot_info info;
    uint32_t part_count;
    const uint8_t* identity; // Until the next frame is read.
    size_t identity_size;
    uint8_t* state;
    WEFT__VEC(load_part) ahead;
    uint8_t* scratch; // SCRATCH bytes for each worker, where parts are compressed.
    char line[WEFT__FILE_LINE];
} loader;

static weft_status refuse(loader* load, const char* why) {
    (void)snprintf(load->line, sizeof(load->line), "%.1000s: the snapshot %s",
                   load->frames.source.path, why);
    return WEFT_STATUS_BAD_FORMAT;
}

static weft_status next_frame(loader* load, uint32_t kind, weft__frame* out) {
    weft_status status = weft__frames_next(&load->frames, out);
    if (status != WEFT_STATUS_OK) {
        memcpy(load->line, load->frames.line, sizeof(load->line));
        return status;
    }
    if (out->content == NULL) {
        (void)snprintf(load->line, sizeof(load->line),
                       "%.1000s: the snapshot is cut off or damaged: frame %llu of %llu is not "
                       "whole at byte %llu of %llu; take another one",
                       load->frames.source.path, (unsigned long long)load->frames.number,
                       (unsigned long long)load->part_count + 1,
                       (unsigned long long)load->frames.offset,
                       (unsigned long long)load->frames.source.size);
        return WEFT_STATUS_BAD_FORMAT;
    }
    return out->kind == kind ? WEFT_STATUS_OK
                             : refuse(load, "is inconsistent: a frame is in the place of another");
}

static weft_status load_head(loader* load, const char* path) {
    weft__frame frame;
    weft__reader reader;
    weft_status status = weft__frames_open(&load->frames, path, &weft__snapshot_format);
    if (status != WEFT_STATUS_OK) {
        memcpy(load->line, load->frames.line, sizeof(load->line));
        return status;
    }
    WEFT_TRY(next_frame(load, WEFT__SNAPSHOT_HEAD, &frame));
    weft__reader_init(&reader, frame.content, frame.length);
    load->info.tick = weft__reader_get_u64(&reader);
    load->info.state_size = weft__reader_get_u64(&reader);
    load->part_count = weft__reader_get_u32(&reader);
    uint8_t compressed = weft__reader_get_u8(&reader);
    uint8_t has_digest = weft__reader_get_u8(&reader);
    uint16_t zero = weft__reader_get_u16(&reader);
    load->info.full = weft__reader_get_digest(&reader);
    load->info.file_size = load->frames.source.size;
    load->info.compressed = compressed == 1;
    load->info.has_digest = has_digest == 1;
    load->identity_size = weft__reader_left(&reader);
    load->identity = weft__reader_view(&reader, load->identity_size);
    uint64_t size_max = load->info.file_size;
    if (load->info.compressed)
        size_max *= RATIO_MAX;
    if (reader.underflow || compressed > 1 || has_digest > 1 || zero != 0 ||
        load->info.state_size == 0 || load->info.state_size > size_max)
        return refuse(load, "is inconsistent: its head cannot be; take another one");
    return WEFT_STATUS_OK;
}

// Bytes that a content says it is of. False where it is none of a part that goes to `at`.
static bool part_size(const loader* load, const uint8_t* content, size_t length, uint64_t at,
                      uint64_t* size_out) {
    weft__reader reader;
    WEFT_ASSERT(length >= WEFT__SNAPSHOT_DATA_HEAD && at <= load->info.state_size);
    weft__reader_init(&reader, content, WEFT__SNAPSHOT_DATA_HEAD);
    *size_out = weft__reader_get_u64(&reader);
    return *size_out <= load->info.state_size - at &&
           (load->info.compressed || *size_out == length - WEFT__SNAPSHOT_DATA_HEAD);
}

// The next part by its heads. False where there is something about it that the second pass says.
static bool part_ahead(loader* load, uint64_t at, load_part* out) {
    uint8_t head[WEFT__SNAPSHOT_DATA_HEAD];
    *out = (load_part){.at = at};
    return weft__frames_skip(&load->frames, &out->frame) &&
           out->frame.kind == WEFT__SNAPSHOT_DATA && out->frame.length >= sizeof(head) &&
           weft__source_read_at(&load->frames.source, head, sizeof(head),
                                out->frame.offset + WEFT__FRAME_HEAD) == 0 &&
           part_size(load, head, out->frame.length, at, &out->size);
}

static void ahead_item(void* context, uint32_t worker, uint32_t item) {
    loader* load = context;
    load_part* part = &load->ahead.items[item];
    uint8_t head[WEFT__SNAPSHOT_DATA_HEAD];
    size_t stored = part->frame.length - sizeof(head);
    uint8_t* place = load->state + part->at;
    uint8_t* rest = load->info.compressed ? load->scratch + (size_t)worker * SCRATCH : place;
    uint64_t size;
    WEFT_ASSERT(worker < load->worker_count);
    WEFT_ASSERT(part->at + part->size <= load->info.state_size);
    if (load->info.compressed && stored > SCRATCH)
        return;
    part->whole = weft__frames_fetch(&load->frames, &part->frame, head, sizeof(head), rest) &&
                  part_size(load, head, part->frame.length, part->at, &size) &&
                  size == part->size &&
                  (!load->info.compressed || weft__expand(rest, stored, place, (size_t)size));
}

// What has no room or is not sound is left to the second pass.
static void load_ahead(loader* load, weft_world* world) {
    weft__frame first = {.number = load->frames.number, .offset = load->frames.offset};
    load_part part;
    void* scratch = NULL;
    uint64_t at = 0;
    if (load->info.compressed &&
        weft__os_region_reserve(load->worker_count * SCRATCH, &scratch) != WEFT_STATUS_OK)
        return;
    load->scratch = scratch;
    while (load->ahead.count < load->part_count && part_ahead(load, at, &part) &&
           WEFT__VEC_PUSH(&world->arena, load->ahead, part) == WEFT_STATUS_OK)
        at += part.size;
    weft__frames_go(&load->frames, &first, false);
    weft__batch batch = {.count = load->ahead.count,
                         .cost_ns = load->info.file_size / 4,
                         .fn = ahead_item,
                         .context = load};
    load->runner->run(load->runner, &batch);
}

static weft_status load_next(loader* load, uint64_t at, uint64_t* size_out) {
    weft__frame frame;
    WEFT_TRY(next_frame(load, WEFT__SNAPSHOT_DATA, &frame));
    if (frame.length < WEFT__SNAPSHOT_DATA_HEAD ||
        !part_size(load, frame.content, frame.length, at, size_out))
        return refuse(load, "is inconsistent: a part has another size than its head says");
    const uint8_t* stored = frame.content + WEFT__SNAPSHOT_DATA_HEAD;
    uint8_t* place = load->state + at;
    size_t size = (size_t)*size_out;
    if (!load->info.compressed && size > 0)
        memcpy(place, stored, size);
    if (load->info.compressed &&
        !weft__expand(stored, frame.length - WEFT__SNAPSHOT_DATA_HEAD, place, size))
        return refuse(load, "is inconsistent: a part does not expand; take another one");
    return WEFT_STATUS_OK;
}

static weft_status load_parts(loader* load) {
    uint64_t at = 0;
    for (uint32_t i = 0; i < load->part_count; i++) {
        const load_part* part = i < load->ahead.count ? &load->ahead.items[i] : NULL;
        uint64_t size = 0;
        if (part != NULL && part->whole) {
            WEFT_ASSERT(part->at == at && part->frame.number == load->frames.number);
            weft__frames_go(&load->frames, &part->frame, true);
            size = part->size;
        } else {
            WEFT_TRY(load_next(load, at, &size));
        }
        at += size;
    }
    if (at != load->info.state_size || load->frames.offset != load->frames.source.size)
        return refuse(load, "is inconsistent: it has another size than its head says");
    return WEFT_STATUS_OK;
}

static weft_status load_identity(loader* load, weft_world* world, const weft_snapshot_desc* desc) {
    weft__identity own = {0};
    char text[1024];
    weft_status status = weft__identity_make(world, NULL, desc->pairs, desc->pair_count, &own);
    if (status == WEFT_STATUS_OK)
        status = weft__identity_compare(load->identity, load->identity_size, &own,
                                        desc->migration_count > 0 ? 1u << WEFT__IDENTITY_HOST
                                                                  : WEFT__IDENTITY_STATE,
                                        text, sizeof(text));
    WEFT__VEC_FREE(&world->arena, own);
    if (status == WEFT_STATUS_IDENTITY_MISMATCH)
        (void)snprintf(load->line, sizeof(load->line), "%.200s: made by another run: %s",
                       load->frames.source.path, text);
    else if (status == WEFT_STATUS_BAD_FORMAT)
        (void)refuse(load, "is inconsistent: its identity cannot be read; take another one");
    else if (status == WEFT_STATUS_BAD_ARGUMENT)
        (void)snprintf(load->line, sizeof(load->line), "%s", weft_world_error(world));
    return status;
}

static weft_status load_state(loader* load, weft_world* world, const char* path,
                              const weft_snapshot_desc* desc) {
    void* state;
    WEFT_TRY(load_head(load, path));
    WEFT_TRY(load_identity(load, world, desc));
    if (load->info.compressed && !weft__compress_available()) {
        (void)refuse(load, "is compressed, and this build cannot expand it; build with zstd "
                           "(WEFT_ZSTD)");
        return WEFT_STATUS_UNSUPPORTED;
    }
    if (load->info.state_size > SIZE_MAX ||
        weft__os_region_reserve((size_t)load->info.state_size, &state) != WEFT_STATUS_OK)
        return WEFT_STATUS_OUT_OF_MEMORY;
    load->state = state;
    load_ahead(load, world);
    return load_parts(load);
}

// The state itself, when all of the file was looked through.
static weft_status load_world(const loader* load, weft_world* world, const char* path,
                              const weft_snapshot_desc* desc) {
    bool migrated = desc->migration_count > 0;
    bool compare = load->info.has_digest && !desc->no_digest && !migrated;
    size_t size = (size_t)load->info.state_size;
    if (migrated) {
        WEFT_TRY(weft_world_decode_migrated(world, load->state, size, desc->migrations,
                                            desc->migration_count));
    } else {
        WEFT_TRY(weft__state_decode(world, load->runner, load->state, size));
        weft_world_checkpoint(world);
    }
    if (compare)
        WEFT_TRY(weft__digest_update(world, load->runner));
    if (world->tick == load->info.tick &&
        (!compare || weft_digest_equal(world->digests.full, load->info.full)))
        return WEFT_STATUS_OK;
    return weft__world_break(world, WEFT_STATUS_DIGEST_MISMATCH,
                             "%s: the snapshot of tick %llu decodes to another world than was "
                             "saved; take another one",
                             path, (unsigned long long)load->info.tick);
}

static weft_status load_with(loader* load, weft_world* world, const char* path,
                             const weft_snapshot_desc* desc) {
    weft_status status = load_state(load, world, path, desc);
    if (status == WEFT_STATUS_OUT_OF_MEMORY && load->line[0] == '\0')
        (void)snprintf(load->line, sizeof(load->line),
                       "%.1000s: no memory is left to load the snapshot", path);
    if (status != WEFT_STATUS_OK)
        status = weft__world_fail(world, status, "%s", load->line);
    else
        status = load_world(load, world, path, desc);
    weft__frames_close(&load->frames);
    weft__os_region_release(load->state, (size_t)load->info.state_size);
    weft__os_region_release(load->scratch, load->worker_count * SCRATCH);
    WEFT__VEC_FREE(&world->arena, load->ahead);
    return status;
}

weft_status weft_snapshot_load(weft_world* world, const char* path,
                               const weft_snapshot_desc* desc) {
    WEFT_ASSERT(world != NULL && path != NULL);
    weft__runner serial = weft__runner_serial();
    loader load = {.runner = &serial, .worker_count = 1};
    if (desc->cookie != SNAPSHOT_COOKIE || (desc->pairs == NULL && desc->pair_count > 0))
        return weft__world_fail(world, WEFT_STATUS_BAD_ARGUMENT,
                                "the description of the snapshot did not start from "
                                "weft_snapshot_desc_default()");
    if (desc->executor != NULL && desc->executor->world != world)
        return weft__world_fail(world, WEFT_STATUS_BAD_ARGUMENT,
                                "weft_snapshot_desc.executor is of another world; take one of "
                                "this world, or none");
    if (world->failed)
        return WEFT_STATUS_WORLD_FAILED;
    if (desc->executor != NULL) {
        load.runner = &desc->executor->runner;
        load.worker_count = desc->executor->worker_count;
    }
    return load_with(&load, world, path, desc);
}

weft_status weft_snapshot_inspect(const char* path, weft_snapshot_info* out, char* line,
                                  size_t capacity) {
    WEFT_ASSERT(path != NULL && out != NULL && line != NULL);
    loader load = {.part_count = 0};
    weft_status status = load_head(&load, path);
    *out = load.info;
    (void)snprintf(line, capacity, "%s", load.line);
    weft__frames_close(&load.frames);
    return status;
}
