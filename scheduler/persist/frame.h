/// Files of frames: a file header, then frames, each with kind, number, length and checksums.
///
/// Header, 32 bytes: magic (8), byte order mark (4), version (4), zero (8), XXH3-64 of these (8).
/// Frame: head of 40 bytes, content. Head: magic "WFrm" (4), kind (4), number (8), length of the
/// content (8), XXH3-64 of the content (8), XXH3-64 of these (8), seeded with the number. Numbers
/// count from 0. All integers are little-endian, on every machine.
///
/// A file whose writer died ends inside a frame: what follows the last whole frame is *torn*, and a
/// writer goes on there. A frame that is not whole and has others behind it is *damage*, and the
/// file is refused there: nothing is shortened unseen.
#pragma once

#include "file.h"

#define WEFT__FRAME_FILE_HEADER 32u
#define WEFT__FRAME_HEAD 40u

/// A kind of file.
typedef struct weft__frame_format {
    const char* what;    // "journal", for lines.
    char magic[9];       // Eight characters.
    uint32_t version;    // That is written, and read.
    uint64_t length_max; // Of a content.
} weft__frame_format;

/// One frame that was read.
typedef struct weft__frame {
    uint32_t kind;
    uint64_t number;
    uint64_t offset; // Of its head in the file.
    size_t length;
    uint64_t sum;           // Of the content, as the head has it.
    const uint8_t* content; // Until the next call. Not null, also where empty.
} weft__frame;

// Writing ----------------------------------------------------------------------------------------

/// Appends the file's header. Status: FILE_ERROR.
WEFT_NODISCARD weft_status weft__frame_begin(weft__file* file, const weft__frame_format* format);

/// Fills the head of a frame with this content.
void weft__frame_seal(uint8_t head[WEFT__FRAME_HEAD], uint32_t kind, uint64_t number,
                      const void* content, size_t length);

/// Appends a frame. Status: FILE_ERROR.
WEFT_NODISCARD weft_status weft__frame_append(weft__file* file, uint32_t kind, uint64_t number,
                                              const void* content, size_t length);

// Reading ----------------------------------------------------------------------------------------

/// A file of frames that is read front to back. Zeroed, it is none.
typedef struct weft__frames {
    weft__source source;
    const weft__frame_format* format;
    uint64_t offset; // Of the next frame: the end of the last whole one.
    uint64_t number; // Of the next frame.
    uint64_t torn;   // At the end: bytes that follow the last whole frame.
    uint8_t* window; // Part of the file in memory.
    size_t window_capacity;
    uint64_t window_at;
    size_t window_size;
    char line[WEFT__FILE_LINE]; // On the last failure.
} weft__frames;

/// Opens a file and looks at its header. Status: FILE_ERROR, BAD_FORMAT (another kind of file,
/// another version or byte order, cut off or damaged in its header), OUT_OF_MEMORY.
WEFT_NODISCARD weft_status weft__frames_open(weft__frames* frames, const char* path,
                                             const weft__frame_format* format);

/// Reads the next frame. At the end `out->content` is null, and `torn` is set. Status: BAD_FORMAT
/// (damage), FILE_ERROR, OUT_OF_MEMORY.
WEFT_NODISCARD weft_status weft__frames_next(weft__frames* frames, weft__frame* out);

/// Reads only the head of the next frame, and moves on: `out->content` is null. False, and nothing
/// moved, where no frame is whole there by its head; weft__frames_next() says what is.
WEFT_NODISCARD bool weft__frames_skip(weft__frames* frames, weft__frame* out);

/// Reads the content of a frame that was skipped: its first bytes to `front`, the others to `rest`.
/// False where it cannot be read or fails its checksum; weft__frames_next() says why. Several
/// threads may call it at once.
WEFT_NODISCARD bool weft__frames_fetch(const weft__frames* frames, const weft__frame* frame,
                                       void* front, size_t front_size, uint8_t* rest);

/// Goes to a frame that was skipped, or behind it.
void weft__frames_go(weft__frames* frames, const weft__frame* frame, bool behind);

/// Closes it. A zeroed one is allowed.
void weft__frames_close(weft__frames* frames);
