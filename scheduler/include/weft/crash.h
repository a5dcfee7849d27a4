/// What is known of a worker process that died (C11).
#pragma once

#include <weft/guard.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weft_executor weft_executor;

typedef enum weft_crash_kind {
    WEFT_CRASH_NONE = 0,
    WEFT_CRASH_SIGNAL = 1, // By a signal: its own fault, or somebody's kill.
    WEFT_CRASH_EXIT = 2,   // It called exit() or the like.
    WEFT_CRASH_STUCK = 3,  // It did not go on for weft_executor_desc.stuck_ns, and was killed.
    WEFT_CRASH_LOST = 4,   // The host program has waited for it, so nobody knows.
} weft_crash_kind;

#define WEFT_CRASH_FRAMES 16u
#define WEFT_CRASH_TEXT_SIZE 512u

/// Where a call stands in the sources.
typedef struct weft_crash_frame {
    char module[WEFT_GUARD_PATH_SIZE];   // The object's file.
    uint64_t offset;                     // In the object, as addr2line takes it.
    char function[WEFT_GUARD_NAME_SIZE]; // Empty if the object does not tell, as the next two.
    char file[WEFT_GUARD_PATH_SIZE];
    uint32_t line;
} weft_crash_frame;

/// The last death of a worker process.
typedef struct weft_crash_report {
    weft_crash_kind kind; // NONE: nobody has died; the rest is empty.
    int signal;           // SIGNAL.
    int exit_code;        // EXIT.
    uint32_t worker;
    uint32_t deaths;    // Of this tick's attempts, so far.
    bool recovered;     // The tick was run again and went well.
    uint64_t tick;      // That was running.
    bool in_system;     // Else it was merging, hashing or waiting, and the next three are empty.
    uint32_t archetype; // WORLD scope: 0, as the next.
    uint32_t shard;
    char system[WEFT_GUARD_NAME_SIZE];
    uint64_t address; // Of a fault of memory.
    uint32_t frame_count;
    weft_crash_frame frames[WEFT_CRASH_FRAMES]; // From the innermost on.
    char text[WEFT_CRASH_TEXT_SIZE];            // All but the frames in one line.
} weft_crash_report;

/// Reads it. Of executors without worker processes it is always empty. Lives as long as the
/// executor, and changes when the next worker dies.
WEFT_API const weft_crash_report* weft_executor_crash_report(const weft_executor* executor);

#ifdef __cplusplus
}
#endif
