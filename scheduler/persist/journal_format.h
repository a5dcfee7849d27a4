/// The format of journals: a start, then ticks, each a frame.
#pragma once

#include <weft/journal.h>

#include "frame.h"
#include "run_identity.h"
#include "weft_bytes.h"

/// Kinds of frames.
#define WEFT__JOURNAL_START 1u // Tick (8), full digest (16), identity.
#define WEFT__JOURNAL_TICK 2u  // The next lines.

/// Tick that is complete (8), has digest (1), full digest or zero (16), inputs (4); then each
/// input: channel (4), target (8), size (4), payload.
#define WEFT__JOURNAL_TICK_HEAD 29u
#define WEFT__JOURNAL_INPUT_HEAD 16u
#define WEFT__JOURNAL_START_HEAD 24u

#define WEFT__JOURNAL_COOKIE 0x574a524eu

static const weft__frame_format weft__journal_format = {
    .what = "journal", .magic = "WEFTJRNL", .version = 1, .length_max = UINT64_C(1) << 40};

/// The head of a tick.
typedef struct weft__journal_tick {
    uint64_t tick;
    bool has_digest;
    weft_digest full;
    uint32_t input_count;
    weft__reader inputs; // What follows.
} weft__journal_tick;

/// A journal that is read.
typedef struct weft__journal_reader {
    weft__frames frames;
    uint64_t first_tick;
    weft_digest first_full;
    uint64_t tick;           // Of the last tick that was read; the first one before any.
    weft_digest full;        // Its digest,
    bool has_digest;         // if it has one.
    uint64_t whole;          // Bytes up to the end of that frame.
    const uint8_t* identity; // Until the next frame is read.
    size_t identity_size;
    char line[WEFT__FILE_LINE]; // On the last failure.
} weft__journal_reader;

/// Opens a journal and reads its start. Status: FILE_ERROR, BAD_FORMAT, OUT_OF_MEMORY.
WEFT_NODISCARD weft_status weft__journal_reader_open(weft__journal_reader* reader,
                                                     const char* path);

/// Reads the next tick; `*ended` if there is none. Status: FILE_ERROR, BAD_FORMAT, OUT_OF_MEMORY.
WEFT_NODISCARD weft_status weft__journal_reader_next(weft__journal_reader* reader,
                                                     weft__journal_tick* out, bool* ended);

/// Compares the identity, before the first tick is read, with that of a schedule's run; fails the
/// world's call. Status: IDENTITY_MISMATCH, BAD_FORMAT, BAD_ARGUMENT, OUT_OF_MEMORY.
WEFT_NODISCARD weft_status weft__journal_reader_match(weft__journal_reader* reader,
                                                      const weft_journal_desc* desc,
                                                      weft_schedule* schedule);

/// Closes it. A zeroed one is allowed.
void weft__journal_reader_close(weft__journal_reader* reader);

/// OK for a description that a journal can be kept or read with, else BAD_ARGUMENT.
WEFT_NODISCARD weft_status weft__journal_desc_check(const weft_journal_desc* desc,
                                                    weft_world* world);

/// weft_journal_create() on a disk with other calls; null: the system's.
WEFT_NODISCARD weft_status weft__journal_create(const weft_journal_desc* desc,
                                                weft_schedule* schedule, const char* path,
                                                const weft__file_calls* calls,
                                                weft_journal** journal_out);
