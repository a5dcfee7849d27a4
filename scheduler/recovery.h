/// How a world comes back after a worker process has died: an image of its memory, and all that has
/// happened since by way of events, in memory of this process alone.
#pragma once

#include "exec.h"
#include "image.h"

/// An input event since the image.
typedef struct weft__recovery_input {
    uint64_t tick;
    uint32_t channel;
    weft_entity target;
    uint32_t offset; // Of the payload.
    uint32_t size;
} weft__recovery_input;

/// A digest that the host was given.
typedef struct weft__recovery_known {
    uint64_t tick;
    weft_digest full;
} weft__recovery_known;

/// What tells whether something has happened that is no event.
typedef struct weft__recovery_mark {
    uint64_t tick;
    uint64_t arena_changes;
    uint64_t host_changes;
    uint64_t pasts;
} weft__recovery_mark;

typedef struct weft__recovery {
    weft_executor* executor;
    weft__alias_memory* memory; // Of the world.
    weft__arena arena;          // Of the lists.
    weft__image image;
    bool whole;               // There is an image, and
    uint64_t tick;            // it is of this tick.
    weft__recovery_mark mark; // As the last request left the world.
    uint64_t logged_tick;     // Of the events last logged,
    uint32_t logged;          // and how many of these are in the image or in the log.
    uint64_t ticks_ns;        // In ticks since the image, also those that ran again.
    uint64_t reached;         // While ticks run again: where the last attempt ended.
    uint64_t cost_ns;         // Of the image.
    WEFT__VEC(weft__recovery_input) inputs;
    WEFT__VEC(uint8_t) bytes;
    WEFT__VEC(weft__recovery_known) known;
} weft__recovery;

void weft__recovery_init(weft__recovery* recovery, weft_executor* executor);
void weft__recovery_deinit(weft__recovery* recovery);

/// Before workers are asked for anything; `trims` before a tick, when the host's last handles are
/// void anyway: logs what was posted, and takes an image if one is due or the last one does not
/// lead here. Status: OUT_OF_MEMORY, with the line as the world's error, where no image leads here.
WEFT_NODISCARD weft_status weft__recovery_before(weft__recovery* recovery, bool trims);

/// After they have answered. `took_ns` is the time of a tick, or 0.
void weft__recovery_after(weft__recovery* recovery, uint64_t took_ns);

/// The world has gone another way than from the image on.
void weft__recovery_forget(weft__recovery* recovery);

/// Notes the digest of the world as it is.
void weft__recovery_note(weft__recovery* recovery);

/// Puts the image back, counters and all. No worker lives.
void weft__recovery_put_back(weft__recovery* recovery);

/// Posts the events of the world's tick that are not in the image, again.
WEFT_NODISCARD weft_status weft__recovery_post(const weft__recovery* recovery);

/// Between two ticks that run again, the last of which took so long: takes an image on the way if
/// one may be paid for, half of the way at least to where the last attempt ended. So those who die
/// again and again are outrun, as long as somebody gets so far at all.
void weft__recovery_on_the_way(weft__recovery* recovery, uint64_t took_ns);

/// The digest that the world must have now, before its tick's events are posted; null if none is
/// known.
const weft_digest* weft__recovery_expected(const weft__recovery* recovery, uint64_t tick);
