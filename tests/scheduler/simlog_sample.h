/// A small run that is logged: rows are known from the tick, so files can be checked without it.
#pragma once

#include "folder.h"
#include "simlog_format.h"
#include "worlds.h"

/// What is logged: a channel of rows, a resource.
WEFT_COMPONENT(LogPair, (int16_t, low), (int16_t, high));
WEFT_MESSAGE(LogEvent, (uint64_t, big), (weft_vec2, at), (weft_entity, who), (weft_fixed64, wide),
             (array, int8_t, small, 2), (bool, odd), (uint8_t, byte), (nested, LogPair, pair));
WEFT_RESOURCE(LogTotal, (uint64_t, events));

enum {
    LOG_TABLES = 2,
    LOG_EVENT_COLUMNS = 12
};

/// Rows of LogEvent in a tick: 0 to 6.
uint32_t log_rows(uint64_t tick);
LogEvent log_event(uint64_t tick, uint32_t index);

typedef struct log_folder {
    test_folder folder;
    char path[96];
} log_folder;

log_folder log_folder_make(void);
void log_folder_remove(const log_folder* folder);

/// Types and the one system that logs.
void log_build(weft_world* world, weft_schedule* schedule);

/// Segments of 4 ticks, not synced: what is tested dies, the machine does not.
weft_simlog_desc log_desc(void);

/// Runs a world of its own from tick 0 to `ticks` with a log. The status of whatever failed first,
/// its line, and the counters before the log was closed; all but the path may be null.
weft_status log_run(const char* path, uint64_t ticks, const weft_simlog_desc* desc,
                    const weft__file_calls* calls, char line[WEFT_SIMLOG_LINE],
                    weft_simlog_stats* stats);

/// What a file was found to hold.
typedef struct log_survey {
    uint64_t segments;
    uint64_t ticks;         // Of segments.
    uint64_t dropped_ticks; // Of DROPPED.
    uint64_t unseen_ticks;
    uint64_t dropped_rows; // Of LogEvent, where counted.
    uint64_t counted_gaps;
    uint64_t end_tick; // After the last.
    uint64_t torn;
} log_survey;

/// Reads a file and asserts that every row in it is as the run had it. A status other than OK is
/// that of the reader, with its line.
weft_status log_check(const char* path, log_survey* survey, char line[WEFT_SIMLOG_LINE]);
