// The columnar log: what is in it, that it is the same everywhere, and what becomes of it when the
// disk is slow or full. Deaths of its writer are test_simlog_crash's.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "simlog_sample.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "compress.h"
#include "effort.h"
#include "file_faults.h"
#include "rig.h"

#define OK(call)                                                                                   \
    do {                                                                                           \
        weft_status ok_ = (call);                                                                  \
        cr_assert_eq(ok_, WEFT_STATUS_OK, "%s: %s", weft_status_name(ok_), line);                  \
    } while (0)

// The file is sound, and has so many ticks.
static log_survey check_ticks(const log_folder* folder, uint64_t ticks) {
    char line[WEFT_SIMLOG_LINE];
    log_survey found;
    OK(log_check(folder->path, &found, line));
    cr_assert_eq(found.ticks, ticks);
    return found;
}

// Content ----------------------------------------------------------------------------------------

Test(simlog, every_row_is_there) {
    char line[WEFT_SIMLOG_LINE];
    log_folder folder = log_folder_make();
    weft_simlog_stats stats;
    OK(log_run(folder.path, 30, NULL, NULL, line, &stats));
    cr_assert_eq(stats.ticks, 30);
    cr_assert_eq(stats.ticks_dropped + stats.ticks_passed, 0);
    cr_assert_eq(stats.file_first, UINT64_MAX);
    log_survey found = check_ticks(&folder, 30);
    cr_assert_eq(found.segments, 8, "seven of four ticks, one of two");
    cr_assert_eq(found.torn, 0);
    log_folder_remove(&folder);
}

Test(simlog, segments_end_where_their_rows_are_enough) {
    char line[WEFT_SIMLOG_LINE];
    log_folder folder = log_folder_make();
    weft_simlog_desc desc = log_desc();
    log_survey found;
    desc.segment_bytes = 1; // Every tick has the row of LogTotal.
    OK(log_run(folder.path, 5, &desc, NULL, line, NULL));
    OK(log_check(folder.path, &found, line));
    cr_assert_eq(found.segments, 5);
    log_folder_remove(&folder);
}

Test(simlog, compressed_columns_are_the_same_rows) {
    char line[WEFT_SIMLOG_LINE];
    log_folder folder = log_folder_make();
    weft_simlog_desc desc = log_desc();
    OK(log_run(folder.path, 30, NULL, NULL, line, NULL));
    test_bytes plain = bytes_load(folder.path);
    (void)unlink(folder.path);
    desc.compress = true;
    desc.segment_ticks = 15;
    weft_status status = log_run(folder.path, 30, &desc, NULL, line, NULL);
    if (!weft__compress_available()) {
        cr_assert_eq(status, WEFT_STATUS_UNSUPPORTED);
        TEXT_HAS(line, "this build has no zstd");
    } else {
        OK(status);
        check_ticks(&folder, 30);
        test_bytes packed = bytes_load(folder.path);
        cr_assert(packed.size < plain.size, "%zu bytes are not less than %zu", packed.size,
                  plain.size);
        free(packed.data);
        // A file may have segments of both kinds.
        OK(log_run(folder.path, 40, NULL, NULL, line, NULL));
        check_ticks(&folder, 40);
    }
    free(plain.data);
    log_folder_remove(&folder);
}

// Order ------------------------------------------------------------------------------------------

static weft_digest log_creatures(const char* path, const weft_executor_desc* executor) {
    char line[WEFT_SIMLOG_LINE];
    weft_rig rig;
    cr_assert_eq(weft_rig_open(&rig, &weft_workload_creatures, TEST_EFFORT(12000), 7),
                 WEFT_STATUS_OK, "%s", rig.error);
    cr_assert_eq(weft_rig_add(&rig, executor), WEFT_STATUS_OK, "%s", rig.error);
    weft_simlog_desc desc = weft_simlog_desc_default();
    desc.segment_ticks = 16;
    desc.sync = false;
    weft_simlog* log = NULL;
    if (path != NULL)
        OK(weft_simlog_open(&desc, path, rig.world, &log, line));
    for (int tick = 0; tick < 60; tick++) {
        cr_assert_eq(weft_rig_tick(&rig, 0), WEFT_STATUS_OK, "%s", rig.error);
        if (path != NULL)
            cr_assert_eq(weft_simlog_tick(log), WEFT_STATUS_OK, "%s", weft_simlog_error(log));
    }
    if (path != NULL)
        cr_assert(weft_simlog_stats_read(log).rows > TEST_EFFORT(12000) / 10);
    OK(weft_simlog_close(log, line));
    weft_digest full = weft_world_digest_full(rig.world);
    weft_rig_close(&rig);
    return full;
}

Test(simlog, files_are_the_same_on_every_executor) {
    log_folder folder = log_folder_make();
    const weft_executor_desc executors[] = {
        weft_rig_serial(),         weft_rig_virtual(2, 5),    weft_rig_virtual(3, 77),
        weft_rig_virtual(8, 1),    weft_rig_threads(1, NULL), weft_rig_threads(2, NULL),
        weft_rig_threads(3, NULL), weft_rig_threads(8, NULL),
    };
    weft_executor_desc serial = weft_rig_serial();
    weft_digest unlogged = log_creatures(NULL, &serial);
    test_bytes first = {0};
    for (size_t i = 0; i < sizeof(executors) / sizeof(executors[0]); i++) {
        DIGEST_EQ(log_creatures(folder.path, &executors[i]), unlogged);
        test_bytes bytes = bytes_load(folder.path);
        if (i == 0)
            first = bytes;
        cr_assert(bytes.size == first.size && memcmp(bytes.data, first.data, first.size) == 0,
                  "executor %zu wrote another file", i);
        if (i != 0)
            free(bytes.data);
        (void)unlink(folder.path);
    }
    free(first.data);
    log_folder_remove(&folder);
}

// Going on ---------------------------------------------------------------------------------------

Test(simlog, a_run_that_is_started_again_goes_on_in_its_file) {
    char line[WEFT_SIMLOG_LINE];
    log_folder folder = log_folder_make();
    weft_simlog_stats stats;
    OK(log_run(folder.path, 8, NULL, NULL, line, NULL));
    OK(log_run(folder.path, 20, NULL, NULL, line, &stats));
    cr_assert_eq(stats.ticks_passed, 8);
    cr_assert_eq(stats.ticks, 12);
    cr_assert_eq(stats.file_first, 0);
    check_ticks(&folder, 20);
    OK(log_run(folder.path, 5, NULL, NULL, line, &stats));
    cr_assert_eq(stats.ticks_passed, 5, "nothing is written twice");
    check_ticks(&folder, 20);
    log_folder_remove(&folder);
}

Test(simlog, ticks_that_nobody_logged_are_named) {
    char line[WEFT_SIMLOG_LINE];
    log_folder folder = log_folder_make();
    log_survey found;
    weft_simlog* log;
    weft_simlog_desc desc = log_desc();
    OK(log_run(folder.path, 6, NULL, NULL, line, NULL));
    sim s = sim_open(&run_configs[0], log_build);
    for (int tick = 0; tick < 10; tick++)
        sim_tick(&s);
    OK(weft_simlog_open(&desc, folder.path, s.world, &log, line));
    for (int tick = 10; tick < 20; tick++) {
        sim_tick(&s);
        if (tick != 13) // Nor is one in the middle of a segment.
            OK(weft_simlog_tick(log));
    }
    OK(weft_simlog_close(log, line));
    sim_close(&s);
    OK(log_check(folder.path, &found, line));
    cr_assert_eq(found.unseen_ticks, 5);
    cr_assert_eq(found.ticks, 15);
    cr_assert_eq(found.end_tick, 20);
    log_folder_remove(&folder);
}

WEFT_RESOURCE(OtherTotal, (uint64_t, events), (uint64_t, more));

Test(simlog, a_file_of_another_run_is_refused) {
    char line[WEFT_SIMLOG_LINE];
    log_folder folder = log_folder_make();
    weft_simlog* log;
    weft_simlog_desc desc = log_desc();
    OK(log_run(folder.path, 6, NULL, NULL, line, NULL));
    test_bytes before = bytes_load(folder.path);

    weft_world* other = world_make();
    WORLD_OK(other, weft_world_register_resource(other, WEFT_TYPE(OtherTotal), 1, NULL));
    cr_assert_eq(weft_simlog_open(&desc, folder.path, other, &log, line), WEFT_STATUS_BAD_ARGUMENT);
    TEXT_HAS(line, "the world has no tables");
    WORLD_OK(other, weft_world_register_table(other, WEFT_TYPE(OtherTotal)));
    cr_assert_eq(weft_simlog_open(&desc, folder.path, other, &log, line),
                 WEFT_STATUS_IDENTITY_MISMATCH);
    TEXT_HAS(line, "is of another run (seed 0, here 0; another schema)");
    cr_assert_null(log);
    weft_world_destroy(other);

    weft_world_desc seeded = weft_world_desc_default();
    seeded.seed = 9;
    cr_assert_eq(weft_world_create(&seeded, NULL, &other), WEFT_STATUS_OK);
    weft_schedule* schedule = run_schedule(other);
    log_build(other, schedule);
    cr_assert_eq(weft_simlog_open(&desc, folder.path, other, &log, line),
                 WEFT_STATUS_IDENTITY_MISMATCH);
    TEXT_HAS(line, "seed 0, here 9; the same schema");
    weft_schedule_destroy(schedule);
    weft_world_destroy(other);

    test_bytes after = bytes_load(folder.path);
    cr_assert(after.size == before.size && memcmp(after.data, before.data, before.size) == 0,
              "a refusal changes nothing");
    free(before.data);
    free(after.data);
    log_folder_remove(&folder);
}

Test(simlog, descriptions_out_of_range_are_refused) {
    char line[WEFT_SIMLOG_LINE];
    log_folder folder = log_folder_make();
    sim s = sim_open(&run_configs[0], log_build);
    weft_simlog* log;
    weft_simlog_desc descs[5];
    for (size_t i = 0; i < 5; i++)
        descs[i] = log_desc();
    descs[0].cookie = 0;
    descs[1].policy = WEFT_SIMLOG_COUNT + 1;
    descs[2].segment_ticks = 0;
    descs[3].segment_ticks = 1000001;
    descs[4].segment_bytes = 0;
    for (size_t i = 0; i < 5; i++) {
        cr_assert_eq(weft_simlog_open(&descs[i], folder.path, s.world, &log, line),
                     WEFT_STATUS_BAD_ARGUMENT);
        cr_assert_null(log);
    }
    weft_simlog_desc desc = log_desc();
    cr_assert_eq(weft_simlog_open(&desc, "/tmp/weft-no-such-folder/log", s.world, &log, line),
                 WEFT_STATUS_FILE_ERROR);
    TEXT_HAS(line, "/tmp/weft-no-such-folder/log: cannot be written: No such file");
    sim_close(&s);
    log_folder_remove(&folder);
}

// Disks ------------------------------------------------------------------------------------------

Test(simlog, writes_that_take_little_at_once_are_gone_on_with) {
    char line[WEFT_SIMLOG_LINE];
    log_folder folder = log_folder_make();
    file_faults faults = file_faults_none();
    faults.write_max = 7;
    weft__file_calls calls = file_faults_calls(&faults);
    OK(log_run(folder.path, 30, NULL, &calls, line, NULL));
    check_ticks(&folder, 30);
    log_folder_remove(&folder);
}

// However much there is room for: the failure is told, nothing hangs, and what is whole is read.
Test(simlog, a_full_disk_is_told_and_leaves_whole_segments) {
    char line[WEFT_SIMLOG_LINE];
    log_folder folder = log_folder_make();
    log_survey found;
    OK(log_run(folder.path, 12, NULL, NULL, line, NULL));
    test_bytes whole = bytes_load(folder.path);
    (void)unlink(folder.path);
    for (size_t room = 1; room < whole.size; room += 37) {
        file_faults faults = file_faults_none();
        faults.room = room;
        weft__file_calls calls = file_faults_calls(&faults);
        cr_assert_eq(log_run(folder.path, 12, NULL, &calls, line, NULL), WEFT_STATUS_FILE_ERROR);
        TEXT_HAS(line, "cannot be written: No space left on device; make room on its disk");
        if (access(folder.path, F_OK) != 0)
            continue; // It had no room for the tables: no file has the name.
        OK(log_check(folder.path, &found, line));
        cr_assert(found.ticks < 12 && found.ticks % 4 == 0);
        // With room again the run goes on, to the same file.
        OK(log_run(folder.path, 12, NULL, NULL, line, NULL));
        test_bytes again = bytes_load(folder.path);
        cr_assert(again.size == whole.size && memcmp(again.data, whole.data, whole.size) == 0);
        free(again.data);
        (void)unlink(folder.path);
    }
    free(whole.data);
    log_folder_remove(&folder);
}

Test(simlog, a_failure_comes_back_at_a_tick_and_leaves_the_world_alone) {
    char line[WEFT_SIMLOG_LINE];
    log_folder folder = log_folder_make();
    weft_simlog_desc desc = log_desc();
    file_faults faults = file_faults_none();
    weft__file_calls calls = file_faults_calls(&faults);
    sim s = sim_open(&run_configs[0], log_build);
    weft_simlog* log;
    OK(weft__simlog_open(&desc, folder.path, s.world, &calls, &log, line));
    faults.room = faults.written; // Nobody writes now.
    weft_status status = WEFT_STATUS_OK;
    for (int tick = 0; tick < 10000 && status == WEFT_STATUS_OK; tick++) {
        sim_tick(&s);
        status = weft_simlog_tick(log);
        (void)usleep(1000);
    }
    cr_assert_eq(status, WEFT_STATUS_FILE_ERROR);
    TEXT_HAS(weft_simlog_error(log), "cannot be written: No space left on device");
    sim_tick(&s);
    cr_assert_not(weft_world_has_failed(s.world));
    cr_assert_eq(weft_simlog_close(log, line), WEFT_STATUS_FILE_ERROR);
    TEXT_HAS(line, "No space left on device");
    sim_close(&s);
    log_folder_remove(&folder);
}

Test(simlog, a_disk_that_does_not_sync_is_told) {
    char line[WEFT_SIMLOG_LINE];
    log_folder folder = log_folder_make();
    weft_simlog_desc desc = log_desc();
    desc.sync = true;
    for (uint64_t count = 0; count < 5; count++) {
        file_faults faults = file_faults_none();
        faults.sync_count = count;
        weft__file_calls calls = file_faults_calls(&faults);
        cr_assert_eq(log_run(folder.path, 12, &desc, &calls, line, NULL), WEFT_STATUS_FILE_ERROR);
        TEXT_HAS(line, "cannot be made durable");
        (void)unlink(folder.path);
    }
    desc.sync = false;
    file_faults faults = file_faults_none();
    weft__file_calls calls = file_faults_calls(&faults);
    OK(log_run(folder.path, 12, &desc, &calls, line, NULL));
    cr_assert_eq(faults.syncs, 3, "the file, its name, and when it is closed");
    log_folder_remove(&folder);
}

// Policies ---------------------------------------------------------------------------------------

// A disk that stands still while it is closed.
typedef struct gate {
    pthread_mutex_t mutex;
    pthread_cond_t opened;
    bool closed;
} gate;

static void gate_set(gate* g, bool closed) {
    pthread_mutex_lock(&g->mutex);
    g->closed = closed;
    pthread_cond_broadcast(&g->opened);
    pthread_mutex_unlock(&g->mutex);
}

static ptrdiff_t gated_pwrite(void* context, int descriptor, const void* bytes, size_t size,
                              uint64_t offset) {
    gate* g = context;
    pthread_mutex_lock(&g->mutex);
    while (g->closed)
        pthread_cond_wait(&g->opened, &g->mutex);
    pthread_mutex_unlock(&g->mutex);
    return pwrite(descriptor, bytes, size, (off_t)offset);
}

static int gated_fsync(void* context, int descriptor) {
    (void)context;
    (void)descriptor;
    return 0;
}

static int gated_rename(void* context, const char* from, const char* to) {
    (void)context;
    return rename(from, to);
}

static weft__file_calls gate_calls(gate* g) {
    *g = (gate){.closed = false};
    pthread_mutex_init(&g->mutex, NULL);
    pthread_cond_init(&g->opened, NULL);
    return (weft__file_calls){g, gated_pwrite, gated_fsync, gated_rename};
}

static double seconds(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

// A run whose log is on such a disk.
typedef struct gated_run {
    gate disk;
    weft__file_calls calls; // The log's too.
    log_folder folder;
    sim sim;
    weft_simlog* log;
} gated_run;

static void gated_open(gated_run* run, const weft_simlog_desc* desc) {
    char line[WEFT_SIMLOG_LINE];
    run->calls = gate_calls(&run->disk);
    run->folder = log_folder_make();
    run->sim = sim_open(&run_configs[0], log_build);
    OK(weft__simlog_open(desc, run->folder.path, run->sim.world, &run->calls, &run->log, line));
    gate_set(&run->disk, true);
}

static void gated_ticks(gated_run* run, int count) {
    for (int i = 0; i < count; i++) {
        sim_tick(&run->sim);
        cr_assert_eq(weft_simlog_tick(run->log), WEFT_STATUS_OK, "%s", weft_simlog_error(run->log));
    }
}

static weft_status gated_close(gated_run* run) {
    char line[WEFT_SIMLOG_LINE];
    gate_set(&run->disk, false);
    weft_status status = weft_simlog_close(run->log, line);
    sim_close(&run->sim);
    return status;
}

Test(simlog, block_waits_no_longer_than_it_says) {
    weft_simlog_desc desc = log_desc();
    desc.wait_ns = 30000000;
    gated_run run;
    gated_open(&run, &desc);
    // Two containers of four ticks; the ninth has no room.
    gated_ticks(&run, 8);
    weft_simlog* log = run.log;
    cr_assert_eq(weft_simlog_stats_read(log).waits, 0);
    sim_tick(&run.sim);
    double started = seconds();
    cr_assert_eq(weft_simlog_tick(log), WEFT_STATUS_TOO_LATE);
    double waited = seconds() - started;
    cr_assert(waited >= 0.03 && waited < 20, "%g s", waited);
    TEXT_HAS(weft_simlog_error(log), "tick 8 found the log still busy");
    TEXT_HAS(weft_simlog_error(log), "after 30 ms");
    cr_assert_eq(weft_simlog_stats_read(log).waits, 1);
    cr_assert_eq(weft_simlog_tick(log), WEFT_STATUS_TOO_LATE, "it sticks");
    cr_assert_eq(gated_close(&run), WEFT_STATUS_TOO_LATE);
    check_ticks(&run.folder, 4); // What was handed over is there.
    log_folder_remove(&run.folder);
}

static void* open_later(void* context) {
    (void)usleep(50000);
    gate_set(context, false);
    return NULL;
}

Test(simlog, block_loses_nothing_when_the_disk_comes_back) {
    weft_simlog_desc desc = log_desc();
    gated_run run;
    pthread_t thread;
    gated_open(&run, &desc);
    cr_assert_eq(pthread_create(&thread, NULL, open_later, &run.disk), 0);
    gated_ticks(&run, 20);
    cr_assert(weft_simlog_stats_read(run.log).waits > 0);
    cr_assert(weft_simlog_stats_read(run.log).wait_ns > 0);
    pthread_join(thread, NULL);
    cr_assert_eq(gated_close(&run), WEFT_STATUS_OK);
    check_ticks(&run.folder, 20);
    log_folder_remove(&run.folder);
}

// Ticks 8 to 11 have no room; from tick 12 on there is some again.
static log_survey run_dropping(weft_simlog_policy policy, bool end_inside) {
    char line[WEFT_SIMLOG_LINE];
    weft_simlog_desc desc = log_desc();
    desc.policy = policy;
    gated_run run;
    gated_open(&run, &desc);
    gated_ticks(&run, 12);
    if (!end_inside) {
        gate_set(&run.disk, false);
        (void)usleep(300000); // The thread is done long before.
        gated_ticks(&run, 9);
    }
    cr_assert_eq(weft_simlog_stats_read(run.log).waits, 0);
    cr_assert(weft_simlog_stats_read(run.log).ticks_dropped >= 4);
    cr_assert_eq(gated_close(&run), WEFT_STATUS_OK);
    log_survey found;
    OK(log_check(run.folder.path, &found, line));
    log_folder_remove(&run.folder);
    return found;
}

Test(simlog, drop_leaves_ticks_out_and_says_which) {
    log_survey found = run_dropping(WEFT_SIMLOG_DROP, false);
    cr_assert(found.dropped_ticks >= 4);
    cr_assert_eq(found.ticks + found.dropped_ticks, 21);
    cr_assert_eq(found.counted_gaps, 0);
    found = run_dropping(WEFT_SIMLOG_DROP, true);
    cr_assert_eq(found.dropped_ticks, 4);
    cr_assert_eq(found.end_tick, 12, "ticks left out at the end are named too");
}

Test(simlog, count_says_how_many_rows_were_left_out) {
    log_survey found = run_dropping(WEFT_SIMLOG_COUNT, false);
    cr_assert(found.dropped_ticks >= 4);
    cr_assert_eq(found.ticks + found.dropped_ticks, 21);
    cr_assert(found.counted_gaps >= 1);
    cr_assert(found.dropped_rows > 0);
}

// States -----------------------------------------------------------------------------------------

WEFT_COMPONENT(Mass, (uint32_t, grams), (weft_vec2, at));
WEFT_COMPONENT(Warm, (int16_t, degrees));
WEFT_TAG(Red);
WEFT_PARTIAL(MassSum, (uint64_t, grams));

static void add_mass(void* left, const void* right) {
    ((MassSum*)left)->grams += ((const MassSum*)right)->grams;
}

static uint64_t column_value(const weft_simlog_reader* reader, uint32_t table, uint32_t column,
                             uint64_t row) {
    uint32_t size = weft_simlog_reader_table(reader, table)->columns[column].size;
    const uint8_t* at = weft_simlog_reader_column(reader, table, column) + (size_t)row * size;
    uint64_t value = 0;
    for (uint32_t i = 0; i < size; i++)
        value |= (uint64_t)at[i] << (8 * i);
    return value;
}

// Every row of a component in visit order, with `value` of its first column.
static void check_component(const weft_simlog_reader* reader, uint32_t table, uint64_t rows,
                            const weft_world* world, const weft_type* type, uint32_t value_size) {
    const weft_access term = {value_size > 0 ? WEFT_ACCESS_READ : WEFT_ACCESS_WITH, type};
    weft_cursor cursor = weft_world_visit(world, &term, 1);
    uint64_t row = 0;
    cr_assert_str_eq(weft_simlog_reader_table(reader, table)->name, type->name);
    while (weft_cursor_next(&cursor)) {
        const uint8_t* values = value_size > 0 ? weft_cursor_column(&cursor, type) : NULL;
        for (uint32_t i = 0; i < cursor.row_count; i++, row++) {
            cr_assert_eq(column_value(reader, table, 0, row), cursor.entities[i].slot);
            cr_assert_eq(column_value(reader, table, 1, row), cursor.entities[i].generation);
            if (value_size > 0)
                cr_assert_eq(column_value(reader, table, 2, row),
                             weft__load_unit(values + (size_t)i * type->size, value_size));
        }
    }
    cr_assert_eq(row, rows);
}

// Those of a presence table ascend by slot.
static void check_sparse(const weft_simlog_reader* reader, uint32_t table, uint64_t rows,
                         const weft_world* world) {
    uint64_t last = 0;
    for (uint64_t row = 0; row < rows; row++) {
        weft_entity entity = {(uint32_t)column_value(reader, table, 0, row),
                              (uint32_t)column_value(reader, table, 1, row)};
        const Warm* warm = weft_world_read(world, entity, WEFT_TYPE(Warm));
        cr_assert(warm != NULL && (row == 0 || entity.slot > last));
        cr_assert_eq(column_value(reader, table, 2, row), (uint16_t)warm->degrees);
        last = entity.slot;
    }
    cr_assert_eq(rows, (WEFT_SHARD_SLOTS + 100 + 4) / 5);
}

Test(simlog, a_state_is_a_log_of_one_tick) {
    char line[WEFT_SIMLOG_LINE];
    log_folder folder = log_folder_make();
    weft_world* world = world_make();
    cr_assert_eq(weft_simlog_write_state(world, folder.path, line), WEFT_STATUS_BAD_ARGUMENT);
    TEXT_HAS(line, "the world has no components and no resources");
    world_component(world, WEFT_TYPE(Mass), WEFT_STORAGE_BUFFERED);
    world_component(world, WEFT_TYPE(Warm), WEFT_STORAGE_SPARSE);
    world_component(world, WEFT_TYPE(Red), WEFT_STORAGE_DENSE);
    WORLD_OK(world, weft_world_register_channel(world, WEFT_TYPE(LogEvent), WEFT_TARGET_WORLD,
                                                WEFT_DELIVERY_LOG));
    WORLD_OK(world, weft_world_register_resource(world, WEFT_TYPE(LogTotal), 3, NULL));
    WORLD_OK(world,
             weft_world_register_reduction(world, WEFT_TYPE(MassSum), &(MassSum){77}, add_mass));
    for (uint32_t i = 0; i < WEFT_SHARD_SLOTS + 100; i++) {
        weft_commands* commands = weft_world_commands(world);
        weft_entity made = WEFT_CREATE(commands, 0, WEFT_VALUE(Mass, {i, {{1}, {2}}}));
        if (i % 3 == 0)
            WEFT_ADD_TAG(commands, 0, made, Red);
        if (i % 5 == 0)
            WEFT_ADD(commands, 0, made, Warm, {(int16_t) - (int16_t)i});
    }
    world_commit(world);
    OK(weft_simlog_write_state(world, folder.path, line));
    weft_simlog_reader* reader;
    weft_simlog_part part;
    OK(weft_simlog_reader_open(folder.path, &reader, line));
    OK(weft_simlog_reader_next(reader, &part));
    cr_assert_eq(part.first_tick, 0);
    cr_assert_eq(part.tick_count, 1);
    cr_assert_eq(weft_simlog_reader_table_count(reader), 5, "the channel is none");
    check_component(reader, 0, part.row_counts[0], world, WEFT_TYPE(Mass), 4);
    check_sparse(reader, 1, part.row_counts[1], world);
    check_component(reader, 2, part.row_counts[2], world, WEFT_TYPE(Red), 0);
    cr_assert_eq(part.row_counts[3], 3);
    cr_assert_eq(column_value(reader, 4, 0, 0), 77);
    cr_assert_eq(column_value(reader, 0, 4, 5), 2, "Mass.at.y");
    weft_simlog_reader_close(reader);
    weft_world_destroy(world);
    log_folder_remove(&folder);
}

// Readers ----------------------------------------------------------------------------------------

Test(simlog, what_is_no_log_is_refused_by_name) {
    char line[WEFT_SIMLOG_LINE];
    log_folder folder = log_folder_make();
    weft_simlog_reader* reader;
    cr_assert_eq(weft_simlog_reader_open(folder.path, &reader, line), WEFT_STATUS_FILE_ERROR);
    TEXT_HAS(line, "cannot be read: No such file");
    bytes_store(folder.path, (const uint8_t*)"tick,eater\n", 11);
    cr_assert_eq(weft_simlog_reader_open(folder.path, &reader, line), WEFT_STATUS_BAD_FORMAT);
    TEXT_HAS(line, "this is no log: it does not begin with WEFT-LOG");
    (void)unlink(folder.path);
    OK(log_run(folder.path, 6, NULL, NULL, line, NULL));
    test_bytes bytes = bytes_load(folder.path);
    bytes.data[12] = 2;
    bytes_store(folder.path, bytes.data, bytes.size);
    cr_assert_eq(weft_simlog_reader_open(folder.path, &reader, line), WEFT_STATUS_BAD_FORMAT);
    TEXT_HAS(line, "the log has version 2 of the format, and this library reads version 1");
    free(bytes.data);
    log_folder_remove(&folder);
}

// Frames whose checksums are right, of a program that writes something else.
static weft_status check_forged(const log_folder* folder, uint32_t kind, const void* content,
                                size_t size, char line[WEFT_SIMLOG_LINE]) {
    weft__file file;
    cr_assert_eq(weft__file_create(&file, folder->path, NULL), WEFT_STATUS_OK);
    cr_assert_eq(weft__frame_begin(&file, &weft__simlog_format), WEFT_STATUS_OK);
    // One table T with one column, x of one byte.
    static const uint8_t schema[] = {1, 0, 0, 0, 0, 0, 0,   0, 2, 0, 0, 0, 0, 0, 0, 0,  1,
                                     0, 0, 0, 1, 0, 0, 0,   3, 0, 0, 0, 0, 0, 0, 0, 1,  0,
                                     0, 0, 1, 0, 0, 0, 'T', 2, 0, 0, 0, 1, 0, 0, 0, 'x'};
    uint64_t number = 0;
    if (kind != WEFT__SIMLOG_SCHEMA)
        cr_assert_eq(
            weft__frame_append(&file, WEFT__SIMLOG_SCHEMA, number++, schema, sizeof(schema)),
            WEFT_STATUS_OK);
    cr_assert_eq(weft__frame_append(&file, kind, number, content, size), WEFT_STATUS_OK);
    cr_assert_eq(weft__file_publish(&file, true), WEFT_STATUS_OK);
    weft__file_close(&file);
    weft_simlog_reader* reader;
    WEFT_TRY(weft_simlog_reader_open(folder->path, &reader, line));
    weft_simlog_part part;
    weft_status status = weft_simlog_reader_next(reader, &part);
    (void)snprintf(line, WEFT_SIMLOG_LINE, "%s", weft_simlog_reader_error(reader));
    weft_simlog_reader_close(reader);
    return status;
}

Test(simlog, counts_that_do_not_fit_are_refused) {
    char line[WEFT_SIMLOG_LINE];
    log_folder folder = log_folder_make();
    // First tick 3, one tick, two rows, two in that tick, and two values.
    uint8_t segment[30] = {3, [8] = 1, [16] = 2, [24] = 2, [28] = 7, [29] = 8};
    OK(check_forged(&folder, WEFT__SIMLOG_SEGMENT, segment, sizeof(segment), line));
    // One byte too few, one too many.
    cr_assert_eq(check_forged(&folder, WEFT__SIMLOG_SEGMENT, segment, 29, line),
                 WEFT_STATUS_BAD_FORMAT);
    TEXT_HAS(line, "is inconsistent, though its checksum is right");
    uint8_t longer[31] = {0};
    memcpy(longer, segment, 30);
    cr_assert_eq(check_forged(&folder, WEFT__SIMLOG_SEGMENT, longer, 31, line),
                 WEFT_STATUS_BAD_FORMAT);
    static const uint8_t places[] = {8, 9, 10, 12, 15, 16, 17, 23, 24, 25, 27};
    for (size_t i = 0; i < sizeof(places); i++) {
        uint8_t changed[30];
        memcpy(changed, segment, 30);
        changed[places[i]] ^= 0xff;
        cr_assert_eq(check_forged(&folder, WEFT__SIMLOG_SEGMENT, changed, 30, line),
                     WEFT_STATUS_BAD_FORMAT, "byte %u", places[i]);
    }
    // No block of zstd.
    cr_assert_eq(check_forged(&folder, WEFT__SIMLOG_PACKED, segment, 30, line),
                 weft__compress_available() ? WEFT_STATUS_BAD_FORMAT : WEFT_STATUS_UNSUPPORTED);
    uint8_t gap[24] = {3, [8] = 1, [16] = 2};
    cr_assert_eq(check_forged(&folder, WEFT__SIMLOG_DROPPED, gap, 24, line),
                 WEFT_STATUS_BAD_FORMAT);
    cr_assert_eq(check_forged(&folder, 9, gap, 24, line), WEFT_STATUS_BAD_FORMAT);
    TEXT_HAS(line, "is of kind 9, which a log does not have");
    cr_assert_eq(check_forged(&folder, WEFT__SIMLOG_SCHEMA, gap, 24, line), WEFT_STATUS_BAD_FORMAT);
    TEXT_HAS(line, "the description of the log's tables is inconsistent");
    log_folder_remove(&folder);
}

// Five levels of names of 60 characters.
#define LONG_NAME a_name_of_sixty_characters_that_is_not_too_long_by_itself_12
WEFT_COMPONENT(Level1, (uint8_t, LONG_NAME));
WEFT_COMPONENT(Level2, (nested, Level1, LONG_NAME));
WEFT_COMPONENT(Level3, (nested, Level2, LONG_NAME));
WEFT_RESOURCE(Level4, (nested, Level3, LONG_NAME));
WEFT_RESOURCE(Level5, (nested, Level4, LONG_NAME));

Test(simlog, a_column_whose_name_is_too_long_is_refused) {
    char line[WEFT_SIMLOG_LINE];
    log_folder folder = log_folder_make();
    weft_world* world = world_make();
    weft_simlog* log;
    weft_simlog_desc desc = log_desc();
    WORLD_OK(world, weft_world_register_resource(world, WEFT_TYPE(Level4), 1, NULL));
    WORLD_OK(world, weft_world_register_table(world, WEFT_TYPE(Level4)));
    OK(weft_simlog_open(&desc, folder.path, world, &log, line));
    OK(weft_simlog_close(log, line));
    WORLD_OK(world, weft_world_register_resource(world, WEFT_TYPE(Level5), 1, NULL));
    WORLD_OK(world, weft_world_register_table(world, WEFT_TYPE(Level5)));
    weft_status status = weft_simlog_open(&desc, folder.path, world, &log, line);
    cr_assert_eq(status, WEFT_STATUS_BAD_TYPE, "%s", weft_status_name(status));
    TEXT_HAS(line, "more than 255 characters");
    weft_world_destroy(world);
    log_folder_remove(&folder);
}
