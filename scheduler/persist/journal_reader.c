// Reading of journals (journal_format.h), for continuing them, running them again, comparing them.

#include <stdio.h>
#include <string.h>

#include "journal_format.h"

static weft_status refuse(weft__journal_reader* reader, const char* why) {
    (void)snprintf(reader->line, sizeof(reader->line),
                   "%.1000s: the journal %s at byte %llu; take another copy",
                   reader->frames.source.path, why, (unsigned long long)reader->whole);
    return WEFT_STATUS_BAD_FORMAT;
}

static weft_status next_frame(weft__journal_reader* reader, weft__frame* out) {
    reader->whole = reader->frames.offset;
    weft_status status = weft__frames_next(&reader->frames, out);
    if (status != WEFT_STATUS_OK)
        memcpy(reader->line, reader->frames.line, sizeof(reader->line));
    return status;
}

static weft_status read_start(weft__journal_reader* reader) {
    weft__frame frame;
    weft__reader bytes;
    WEFT_TRY(next_frame(reader, &frame));
    if (frame.content == NULL) {
        (void)snprintf(
            reader->line, sizeof(reader->line),
            "%.1000s: the journal is cut off in its first frame: there is nothing in it, "
            "remove it",
            reader->frames.source.path);
        return WEFT_STATUS_BAD_FORMAT;
    }
    weft__reader_init(&bytes, frame.content, frame.length);
    reader->tick = reader->first_tick = weft__reader_get_u64(&bytes);
    reader->full = reader->first_full = weft__reader_get_digest(&bytes);
    reader->has_digest = true;
    reader->identity_size = weft__reader_left(&bytes);
    reader->identity = weft__reader_view(&bytes, reader->identity_size);
    if (frame.kind != WEFT__JOURNAL_START || bytes.underflow)
        return refuse(reader, "is inconsistent: it has no start");
    reader->whole = reader->frames.offset;
    return WEFT_STATUS_OK;
}

weft_status weft__journal_reader_open(weft__journal_reader* reader, const char* path) {
    *reader = (weft__journal_reader){.tick = 0};
    weft_status status = weft__frames_open(&reader->frames, path, &weft__journal_format);
    if (status != WEFT_STATUS_OK) {
        memcpy(reader->line, reader->frames.line, sizeof(reader->line));
        return status;
    }
    status = read_start(reader);
    if (status != WEFT_STATUS_OK)
        weft__journal_reader_close(reader);
    return status;
}

weft_status weft__journal_reader_next(weft__journal_reader* reader, weft__journal_tick* out,
                                      bool* ended) {
    weft__frame frame;
    WEFT_TRY(next_frame(reader, &frame));
    *ended = frame.content == NULL;
    if (*ended)
        return WEFT_STATUS_OK;
    weft__reader_init(&out->inputs, frame.content, frame.length);
    out->tick = weft__reader_get_u64(&out->inputs);
    uint8_t has_digest = weft__reader_get_u8(&out->inputs);
    out->full = weft__reader_get_digest(&out->inputs);
    out->input_count = weft__reader_get_u32(&out->inputs);
    out->has_digest = has_digest == 1;
    if (frame.kind != WEFT__JOURNAL_TICK || has_digest > 1 || out->inputs.underflow)
        return refuse(reader, "is inconsistent: a frame is no tick");
    if (out->tick != reader->tick + 1)
        return refuse(reader, "is inconsistent: a tick is in the place of another");
    reader->tick = out->tick;
    reader->has_digest = out->has_digest;
    reader->full = out->full;
    reader->whole = reader->frames.offset;
    return WEFT_STATUS_OK;
}

weft_status weft__journal_reader_match(weft__journal_reader* reader, const weft_journal_desc* desc,
                                       weft_schedule* schedule) {
    weft__identity own = {0};
    char text[1100];
    weft_world* world = schedule->world;
    weft_status status = weft__identity_make(world, schedule, desc->pairs, desc->pair_count, &own);
    if (status == WEFT_STATUS_OK)
        status = weft__identity_compare(reader->identity, reader->identity_size, &own,
                                        WEFT__IDENTITY_RUN, text, sizeof(text));
    WEFT__VEC_FREE(&world->arena, own);
    if (status == WEFT_STATUS_IDENTITY_MISMATCH)
        return weft__world_fail(world, status, "%.200s: made by another run: %s",
                                reader->frames.source.path, text);
    if (status == WEFT_STATUS_BAD_FORMAT) {
        (void)refuse(reader, "is inconsistent: its identity cannot be read");
        return weft__world_fail(world, status, "%s", reader->line);
    }
    return status;
}

weft_status weft_journal_value(const char* path, const char* name, char* value,
                               size_t value_capacity, char* line, size_t line_capacity) {
    weft__journal_reader reader;
    WEFT_ASSERT(path != NULL && name != NULL && value != NULL && line != NULL);
    weft_status status = weft__journal_reader_open(&reader, path);
    value[0] = '\0';
    if (status == WEFT_STATUS_OK)
        weft__identity_value(reader.identity, reader.identity_size, name, value, value_capacity);
    else
        (void)snprintf(line, line_capacity, "%s", reader.line);
    weft__journal_reader_close(&reader);
    return status;
}

void weft__journal_reader_close(weft__journal_reader* reader) {
    weft__frames_close(&reader->frames);
}
