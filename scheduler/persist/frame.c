// Files of frames (frame.h).
//
// The head has a checksum of its own, so its length can be believed before the content is there:
// what is missing is then known to be missing, and what follows a bad content is found at once.
// Only behind a bad head is the next one searched for, byte by byte.

#include "frame.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "os.h"
#include "weft_bytes.h"
#include "weft_hash.h"

#define FRAME_MAGIC UINT32_C(0x6d724657) // "WFrm"
#define ORDER_MARK UINT32_C(0x0a0b0c0d)
#define ORDER_MARK_SWAPPED UINT32_C(0x0d0c0b0a)
#define WINDOW ((size_t)1 << 20)
#define FETCH_STEP ((size_t)1 << 18)

// Writing ----------------------------------------------------------------------------------------

weft_status weft__frame_begin(weft__file* file, const weft__frame_format* format) {
    uint8_t header[WEFT__FRAME_FILE_HEADER];
    weft__bytes bytes;
    WEFT_ASSERT(file->size == 0 && strlen(format->magic) == 8);
    weft__bytes_init(&bytes, header, sizeof(header));
    weft__bytes_put_raw(&bytes, format->magic, 8);
    weft__bytes_put_u32(&bytes, ORDER_MARK);
    weft__bytes_put_u32(&bytes, format->version);
    weft__bytes_put_u64(&bytes, 0);
    weft__bytes_put_u64(&bytes, weft_hash64_of(header, bytes.size, 0));
    WEFT_ASSERT(!bytes.overflow && bytes.size == sizeof(header));
    return weft__file_append(file, header, sizeof(header));
}

void weft__frame_seal(uint8_t head[WEFT__FRAME_HEAD], uint32_t kind, uint64_t number,
                      const void* content, size_t length) {
    weft__bytes bytes;
    weft__bytes_init(&bytes, head, WEFT__FRAME_HEAD);
    weft__bytes_put_u32(&bytes, FRAME_MAGIC);
    weft__bytes_put_u32(&bytes, kind);
    weft__bytes_put_u64(&bytes, number);
    weft__bytes_put_u64(&bytes, length);
    weft__bytes_put_u64(&bytes, weft_hash64_of(content, length, number));
    weft__bytes_put_u64(&bytes, weft_hash64_of(head, bytes.size, number));
    WEFT_ASSERT(!bytes.overflow && bytes.size == WEFT__FRAME_HEAD);
}

weft_status weft__frame_append(weft__file* file, uint32_t kind, uint64_t number,
                               const void* content, size_t length) {
    uint8_t head[WEFT__FRAME_HEAD];
    weft__frame_seal(head, kind, number, content, length);
    WEFT_TRY(weft__file_append(file, head, sizeof(head)));
    return weft__file_append(file, content, length);
}

// Reading ----------------------------------------------------------------------------------------

/// A head that was read.
typedef struct frame_head {
    uint32_t kind;
    uint64_t number;
    uint64_t length;
    uint64_t sum;
} frame_head;

WEFT_PRINTF(2, 3)
static weft_status refuse(weft__frames* frames, const char* format, ...) {
    va_list args;
    int length = snprintf(frames->line, sizeof(frames->line), "%s: ", frames->source.path);
    WEFT_ASSERT(length > 0 && (size_t)length < sizeof(frames->line));
    va_start(args, format);
    (void)vsnprintf(frames->line + length, sizeof(frames->line) - (size_t)length, format, args);
    va_end(args);
    return WEFT_STATUS_BAD_FORMAT;
}

static weft_status no_memory(weft__frames* frames, uint64_t size) {
    (void)refuse(frames, "no memory is left to read %llu bytes at byte %llu",
                 (unsigned long long)size, (unsigned long long)frames->offset);
    return WEFT_STATUS_OUT_OF_MEMORY;
}

static weft_status window_grow(weft__frames* frames, size_t size) {
    void* window;
    size_t capacity = size < WINDOW ? WINDOW : size;
    if (weft__os_region_reserve(capacity, &window) != WEFT_STATUS_OK)
        return no_memory(frames, size);
    weft__os_region_release(frames->window, frames->window_capacity);
    frames->window = window;
    frames->window_capacity = capacity;
    frames->window_size = 0;
    return WEFT_STATUS_OK;
}

// Brings bytes that are inside the file into the window.
static weft_status window_show(weft__frames* frames, uint64_t offset, size_t size,
                               const uint8_t** out) {
    WEFT_ASSERT(size <= frames->source.size && offset <= frames->source.size - size);
    uint64_t end = offset + size;
    if (offset < frames->window_at || end > frames->window_at + frames->window_size) {
        if (size > frames->window_capacity)
            WEFT_TRY(window_grow(frames, size));
        uint64_t left = frames->source.size - offset;
        size_t now = left < frames->window_capacity ? (size_t)left : frames->window_capacity;
        frames->window_size = 0;
        weft_status status = weft__source_read(&frames->source, frames->window, now, offset);
        if (status != WEFT_STATUS_OK) {
            memcpy(frames->line, frames->source.line, sizeof(frames->line));
            return status;
        }
        frames->window_at = offset;
        frames->window_size = now;
    }
    *out = frames->window + (offset - frames->window_at);
    return WEFT_STATUS_OK;
}

// False if these bytes are no head.
static bool head_read(const uint8_t bytes[WEFT__FRAME_HEAD], frame_head* out) {
    weft__reader reader;
    weft__reader_init(&reader, bytes, WEFT__FRAME_HEAD);
    if (weft__reader_get_u32(&reader) != FRAME_MAGIC)
        return false;
    out->kind = weft__reader_get_u32(&reader);
    out->number = weft__reader_get_u64(&reader);
    out->length = weft__reader_get_u64(&reader);
    out->sum = weft__reader_get_u64(&reader);
    return weft__reader_get_u64(&reader) ==
           weft_hash64_of(bytes, WEFT__FRAME_HEAD - sizeof(uint64_t), out->number);
}

static weft_status header_check(weft__frames* frames) {
    const weft__frame_format* format = frames->format;
    const uint8_t* header;
    weft__reader reader;
    uint64_t size = frames->source.size;
    size_t there = size < WEFT__FRAME_FILE_HEADER ? (size_t)size : WEFT__FRAME_FILE_HEADER;
    WEFT_TRY(window_show(frames, 0, there, &header));
    if (there == 0 || memcmp(header, format->magic, there < 8 ? there : 8) != 0)
        return refuse(frames, "this is no %s: it does not begin with %s", format->what,
                      format->magic);
    if (there < WEFT__FRAME_FILE_HEADER)
        return refuse(frames, "the %s is cut off: %llu bytes are less than its header of %u",
                      format->what, (unsigned long long)size, WEFT__FRAME_FILE_HEADER);
    weft__reader_init(&reader, header + 8, WEFT__FRAME_FILE_HEADER - 8);
    uint32_t order = weft__reader_get_u32(&reader);
    uint32_t version = weft__reader_get_u32(&reader);
    uint64_t zero = weft__reader_get_u64(&reader);
    uint64_t sum = weft__reader_get_u64(&reader);
    if (order == ORDER_MARK_SWAPPED)
        return refuse(frames,
                      "the %s is in the other byte order: its mark is %08x, not %08x; its bytes "
                      "were swapped after it was written, take the original",
                      format->what, order, ORDER_MARK);
    if (order == ORDER_MARK && version != format->version)
        return refuse(frames,
                      "the %s has version %u of the format, and this library reads version %u; "
                      "read it with the library that wrote it",
                      format->what, version, format->version);
    if (order != ORDER_MARK || zero != 0 ||
        sum != weft_hash64_of(header, WEFT__FRAME_FILE_HEADER - sizeof(sum), 0))
        return refuse(frames, "the %s is damaged: its header fails its checksum; take another one",
                      format->what);
    frames->offset = WEFT__FRAME_FILE_HEADER;
    return WEFT_STATUS_OK;
}

weft_status weft__frames_open(weft__frames* frames, const char* path,
                              const weft__frame_format* format) {
    *frames = (weft__frames){.format = format};
    weft_status status = weft__source_open(&frames->source, path);
    if (status != WEFT_STATUS_OK) {
        memcpy(frames->line, frames->source.line, sizeof(frames->line));
        return status;
    }
    status = window_grow(frames, 0);
    if (status == WEFT_STATUS_OK)
        status = header_check(frames);
    if (status != WEFT_STATUS_OK)
        weft__frames_close(frames);
    return status;
}

// What is behind a frame that is not whole: nothing but a torn tail, or other frames.
static weft_status judge_rest(weft__frames* frames, uint64_t from, const char* fault,
                              weft__frame* out) {
    frame_head head;
    WEFT_ASSERT(from >= frames->offset);
    for (uint64_t at = from; at + WEFT__FRAME_HEAD <= frames->source.size; at++) {
        const uint8_t* bytes;
        WEFT_TRY(window_show(frames, at, WEFT__FRAME_HEAD, &bytes));
        if (bytes[0] == (FRAME_MAGIC & 0xff) && head_read(bytes, &head) &&
            head.number > frames->number)
            return refuse(frames,
                          "the %s is damaged at byte %llu: frame %llu %s, and frame %llu follows "
                          "at byte %llu; take another copy, or give up what follows: truncate -s "
                          "%llu FILE",
                          frames->format->what, (unsigned long long)frames->offset,
                          (unsigned long long)frames->number, fault,
                          (unsigned long long)head.number, (unsigned long long)at,
                          (unsigned long long)frames->offset);
    }
    frames->torn = frames->source.size - frames->offset;
    *out = (weft__frame){.number = frames->number, .offset = frames->offset};
    return WEFT_STATUS_OK;
}

weft_status weft__frames_next(weft__frames* frames, weft__frame* out) {
    const uint8_t* bytes;
    frame_head head;
    WEFT_ASSERT(frames->source.open && frames->offset <= frames->source.size);
    uint64_t left = frames->source.size - frames->offset;
    if (left < WEFT__FRAME_HEAD)
        return judge_rest(frames, frames->source.size, "", out);
    WEFT_TRY(window_show(frames, frames->offset, WEFT__FRAME_HEAD, &bytes));
    if (!head_read(bytes, &head))
        return judge_rest(frames, frames->offset + 1, "has a damaged head", out);
    if (head.number != frames->number || head.length > frames->format->length_max)
        return refuse(frames,
                      "the %s is inconsistent at byte %llu: frame %llu, of %llu bytes, is "
                      "in the place of frame %llu; take another copy",
                      frames->format->what, (unsigned long long)frames->offset,
                      (unsigned long long)head.number, (unsigned long long)head.length,
                      (unsigned long long)frames->number);
    left -= WEFT__FRAME_HEAD;
    if (head.length > left)
        return judge_rest(frames, frames->source.size, "", out);
    uint64_t next = frames->offset + WEFT__FRAME_HEAD + head.length;
    if (head.length > SIZE_MAX / 2)
        return no_memory(frames, head.length);
    WEFT_TRY(window_show(frames, frames->offset + WEFT__FRAME_HEAD, (size_t)head.length, &bytes));
    if (head.sum != weft_hash64_of(bytes, (size_t)head.length, head.number))
        return judge_rest(frames, next, "fails its checksum", out);
    *out = (weft__frame){.kind = head.kind,
                         .number = head.number,
                         .offset = frames->offset,
                         .length = (size_t)head.length,
                         .sum = head.sum,
                         .content = bytes};
    frames->offset = next;
    frames->number++;
    frames->torn = 0;
    return WEFT_STATUS_OK;
}

bool weft__frames_skip(weft__frames* frames, weft__frame* out) {
    uint8_t bytes[WEFT__FRAME_HEAD];
    frame_head head;
    WEFT_ASSERT(frames->source.open && frames->offset <= frames->source.size);
    uint64_t left = frames->source.size - frames->offset;
    if (left < WEFT__FRAME_HEAD ||
        weft__source_read_at(&frames->source, bytes, sizeof(bytes), frames->offset) != 0 ||
        !head_read(bytes, &head) || head.number != frames->number ||
        head.length > left - WEFT__FRAME_HEAD || head.length > SIZE_MAX / 2)
        return false;
    *out = (weft__frame){.kind = head.kind,
                         .number = head.number,
                         .offset = frames->offset,
                         .length = (size_t)head.length,
                         .sum = head.sum};
    weft__frames_go(frames, out, true);
    return true;
}

// In steps that a cache holds until they are hashed.
bool weft__frames_fetch(const weft__frames* frames, const weft__frame* frame, void* front,
                        size_t front_size, uint8_t* rest) {
    const weft__source* source = &frames->source;
    uint64_t at = frame->offset + WEFT__FRAME_HEAD;
    weft__hash64 sum;
    WEFT_ASSERT(front_size <= frame->length);
    if (weft__source_read_at(source, front, front_size, at) != 0)
        return false;
    weft__hash64_begin(&sum, frame->number);
    weft__hash64_add(&sum, front, front_size);
    for (size_t done = front_size; done < frame->length;) {
        size_t left = frame->length - done;
        size_t step = left < FETCH_STEP ? left : FETCH_STEP;
        if (weft__source_read_at(source, rest, step, at + done) != 0)
            return false;
        weft__hash64_add(&sum, rest, step);
        rest += step;
        done += step;
    }
    return weft__hash64_end(&sum) == frame->sum;
}

void weft__frames_go(weft__frames* frames, const weft__frame* frame, bool behind) {
    frames->number = frame->number + behind;
    frames->offset = frame->offset + (behind ? WEFT__FRAME_HEAD + (uint64_t)frame->length : 0);
    frames->torn = 0;
    WEFT_ASSERT(frames->offset <= frames->source.size);
}

void weft__frames_close(weft__frames* frames) {
    weft__source_close(&frames->source);
    weft__os_region_release(frames->window, frames->window_capacity);
    frames->window = NULL;
    frames->window_capacity = 0;
}
