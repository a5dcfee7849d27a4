#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "simlog_sample.h"

#include <unistd.h>

uint32_t log_rows(uint64_t tick) {
    return (uint32_t)(tick * 5 % 7);
}

LogEvent log_event(uint64_t tick, uint32_t index) {
    uint64_t n = tick * 100 + index;
    LogEvent event = {.big = n * UINT64_C(0x9E3779B97F4A7C15)};
    event.at.x = weft_fixed_from_raw((int32_t)n * 1000 - 77777);
    event.at.y = weft_fixed_from_raw(-(int32_t)n);
    event.who = (weft_entity){(uint32_t)n, (uint32_t)n + 1};
    event.wide.raw = (int64_t)n * (1 << 30);
    event.small[0] = (int8_t)n;
    event.small[1] = (int8_t) - (int8_t)index;
    event.odd = n % 2 != 0;
    event.byte = (uint8_t)(n * 3);
    event.pair = (LogPair){(int16_t) - (int16_t)index, (int16_t)(n * 7)};
    return event;
}

log_folder log_folder_make(void) {
    log_folder made;
    made.folder = folder_open();
    (void)snprintf(made.path, sizeof(made.path), "%s/log", made.folder.path);
    return made;
}

void log_folder_remove(const log_folder* folder) {
    (void)unlink(folder->path);
    folder_close_empty(&folder->folder);
}

static weft_status log_system(weft_view* view, const void* context) {
    (void)context;
    uint64_t tick = weft_view_tick(view);
    LogTotal* total = WEFT_RESOURCE_WRITE(view, LogTotal);
    for (uint32_t i = 0; i < log_rows(tick); i++) {
        LogEvent event = log_event(tick, i);
        weft_view_emit(view, i, WEFT_TYPE(LogEvent), WEFT_ENTITY_NULL, &event);
        total->events++;
    }
    return WEFT_STATUS_OK;
}

void log_build(weft_world* world, weft_schedule* schedule) {
    WORLD_OK(world, weft_world_register_channel(world, WEFT_TYPE(LogEvent), WEFT_TARGET_WORLD,
                                                WEFT_DELIVERY_LOG));
    WORLD_OK(world, weft_world_register_resource(world, WEFT_TYPE(LogTotal), 1, NULL));
    WORLD_OK(world, weft_world_register_table(world, WEFT_TYPE(LogTotal)));
    run_add(schedule,
            WEFT_SYSTEM("log", log_system, .scope = WEFT_SCOPE_WORLD,
                        WEFT_ACCESS(WEFT_EMITS(LogEvent), WEFT_WRITES_RESOURCE(LogTotal))));
}

weft_simlog_desc log_desc(void) {
    weft_simlog_desc desc = weft_simlog_desc_default();
    desc.segment_ticks = 4;
    desc.sync = false;
    return desc;
}

weft_status log_run(const char* path, uint64_t ticks, const weft_simlog_desc* desc,
                    const weft__file_calls* calls, char line[WEFT_SIMLOG_LINE],
                    weft_simlog_stats* stats) {
    weft_simlog_desc usual = log_desc();
    char own_line[WEFT_SIMLOG_LINE];
    char* text = line != NULL ? line : own_line;
    sim s = sim_open(&run_configs[0], log_build);
    weft_simlog* log;
    weft_status status =
        weft__simlog_open(desc != NULL ? desc : &usual, path, s.world, calls, &log, text);
    for (uint64_t tick = 0; tick < ticks && status == WEFT_STATUS_OK; tick++) {
        sim_tick(&s);
        status = weft_simlog_tick(log);
    }
    if (log != NULL && stats != NULL)
        *stats = weft_simlog_stats_read(log);
    if (log != NULL) {
        weft_status closed = weft_simlog_close(log, text);
        cr_assert(status == WEFT_STATUS_OK || closed == status, "the first failure sticks");
        status = closed;
    }
    sim_close(&s);
    return status;
}

// The column's name, kind, and the value in a row, for each of them.
typedef struct expected_column {
    const char* name;
    weft_kind kind;
    size_t offset;
} expected_column;

static const expected_column event_columns[LOG_EVENT_COLUMNS] = {
    {"big", WEFT_KIND_U64, offsetof(LogEvent, big)},
    {"at.x", WEFT_KIND_FIXED, offsetof(LogEvent, at)},
    {"at.y", WEFT_KIND_FIXED, offsetof(LogEvent, at) + 4},
    {"who.slot", WEFT_KIND_U32, offsetof(LogEvent, who)},
    {"who.generation", WEFT_KIND_U32, offsetof(LogEvent, who) + 4},
    {"wide", WEFT_KIND_FIXED64, offsetof(LogEvent, wide)},
    {"small[0]", WEFT_KIND_I8, offsetof(LogEvent, small)},
    {"small[1]", WEFT_KIND_I8, offsetof(LogEvent, small) + 1},
    {"odd", WEFT_KIND_BOOL, offsetof(LogEvent, odd)},
    {"byte", WEFT_KIND_U8, offsetof(LogEvent, byte)},
    {"pair.low", WEFT_KIND_I16, offsetof(LogEvent, pair)},
    {"pair.high", WEFT_KIND_I16, offsetof(LogEvent, pair) + 2},
};

static void check_tables(const weft_simlog_reader* reader) {
    cr_assert_eq(weft_simlog_reader_table_count(reader), LOG_TABLES);
    const weft_simlog_table* events = weft_simlog_reader_table(reader, 0);
    cr_assert_str_eq(events->name, "LogEvent");
    cr_assert_eq(events->row_size, sizeof(LogEvent));
    cr_assert_eq(events->column_count, LOG_EVENT_COLUMNS);
    for (uint32_t i = 0; i < LOG_EVENT_COLUMNS; i++) {
        cr_assert_str_eq(events->columns[i].name, event_columns[i].name);
        cr_assert_eq(events->columns[i].kind, event_columns[i].kind);
        cr_assert_eq(events->columns[i].size, weft_kind_size(event_columns[i].kind));
    }
    const weft_simlog_table* totals = weft_simlog_reader_table(reader, 1);
    cr_assert_str_eq(totals->name, "LogTotal");
    cr_assert_eq(totals->column_count, 1);
}

static uint64_t load_little(const uint8_t* from, uint32_t size) {
    uint64_t value = 0;
    for (uint32_t i = 0; i < size; i++)
        value |= (uint64_t)from[i] << (8 * i);
    return value;
}

static uint64_t events_until(uint64_t tick) {
    uint64_t sum = 0;
    for (uint64_t i = 0; i < tick; i++)
        sum += log_rows(i);
    return sum;
}

static void check_segment(const weft_simlog_reader* reader, const weft_simlog_part* part) {
    uint64_t row = 0;
    for (uint64_t i = 0; i < part->tick_count; i++) {
        uint64_t tick = part->first_tick + i;
        cr_assert_eq(weft_simlog_reader_tick_rows(reader, 0, i), log_rows(tick));
        cr_assert_eq(weft_simlog_reader_tick_rows(reader, 1, i), 1);
        const uint8_t* total = weft_simlog_reader_column(reader, 1, 0) + 8 * i;
        cr_assert_eq(load_little(total, 8), events_until(tick + 1));
        for (uint32_t j = 0; j < log_rows(tick); j++, row++) {
            LogEvent event = log_event(tick, j);
            for (uint32_t column = 0; column < LOG_EVENT_COLUMNS; column++) {
                uint32_t size = weft_kind_size(event_columns[column].kind);
                const uint8_t* at =
                    weft_simlog_reader_column(reader, 0, column) + (size_t)row * size;
                uint64_t wanted =
                    weft__load_unit((const uint8_t*)&event + event_columns[column].offset, size);
                cr_assert_eq(load_little(at, size), wanted, "tick %llu, row %u, column %s",
                             (unsigned long long)tick, j, event_columns[column].name);
            }
        }
    }
    cr_assert_eq(row, part->row_counts[0]);
    cr_assert_eq(part->tick_count, part->row_counts[1]);
}

weft_status log_check(const char* path, log_survey* survey, char line[WEFT_SIMLOG_LINE]) {
    weft_simlog_reader* reader;
    *survey = (log_survey){0};
    WEFT_TRY(weft_simlog_reader_open(path, &reader, line));
    check_tables(reader);
    weft_status status;
    for (weft_simlog_part part;;) {
        status = weft_simlog_reader_next(reader, &part);
        if (status != WEFT_STATUS_OK || part.kind == WEFT_SIMLOG_END)
            break;
        cr_assert_eq(part.first_tick, survey->end_tick, "there is a hole");
        survey->end_tick += part.tick_count;
        if (part.kind == WEFT_SIMLOG_SEGMENT) {
            survey->segments++;
            survey->ticks += part.tick_count;
            check_segment(reader, &part);
        } else if (part.kind == WEFT_SIMLOG_UNSEEN) {
            survey->unseen_ticks += part.tick_count;
        } else {
            survey->dropped_ticks += part.tick_count;
            survey->dropped_rows += part.row_counts[0];
            survey->counted_gaps += part.counted;
            cr_assert(!part.counted ||
                      part.row_counts[0] == events_until(part.first_tick + part.tick_count) -
                                                events_until(part.first_tick));
        }
    }
    survey->torn = weft_simlog_reader_torn(reader);
    (void)snprintf(line, WEFT_SIMLOG_LINE, "%s", weft_simlog_reader_error(reader));
    weft_simlog_reader_close(reader);
    return status;
}
