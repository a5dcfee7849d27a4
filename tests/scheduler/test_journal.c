// Journals: torn ends, damage, disks that fail, other runs, and what cannot be recorded.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "journal_format.h"

#include "file_faults.h"
#include "folder.h"
#include "game.h"

WEFT_COMPONENT(Buoy, (uint64_t, sum));
WEFT_MESSAGE(Wave, (uint64_t, height), (array, uint8_t, spray, 8));
WEFT_MESSAGE(Hail, (weft_entity, from), (uint64_t, word));
WEFT_MESSAGE(Flood, (array, uint64_t, water, 500));

// Everything that comes in changes the sums, in order.
static weft_status drift(weft_view* view, const void* context) {
    Buoy* buoys = WEFT_WRITE(view, Buoy);
    uint32_t count;
    (void)context;
    const Wave* waves = weft_view_messages(view, WEFT_TYPE(Wave), &count);
    for (uint32_t row = 0; row < weft_view_row_count(view); row++)
        for (uint32_t i = 0; i < count; i++)
            buoys[row].sum = buoys[row].sum * 31 + waves[i].height + waves[i].spray[3];
    const Flood* floods = weft_view_messages(view, WEFT_TYPE(Flood), &count);
    for (uint32_t i = 0; i < count; i++)
        buoys[0].sum = buoys[0].sum * 31 + floods[i].water[i % 500];
    for (uint32_t row = 0; row < weft_view_row_count(view); row++)
        buoys[row].sum = buoys[row].sum * 3 + 1;
    return WEFT_STATUS_OK;
}

static weft_status sea_build(const weft_module_options* options, weft_world* world,
                             weft_schedule* schedule) {
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(Buoy), WEFT_STORAGE_DENSE));
    WEFT_TRY(
        weft_world_register_channel(world, WEFT_TYPE(Wave), WEFT_TARGET_WORLD, WEFT_DELIVERY_NEXT));
    WEFT_TRY(weft_world_register_channel(world, WEFT_TYPE(Hail), WEFT_TARGET_ENTITY,
                                         WEFT_DELIVERY_NEXT));
    WEFT_TRY(weft_world_register_channel(world, WEFT_TYPE(Flood), WEFT_TARGET_WORLD,
                                         WEFT_DELIVERY_NEXT));
    WEFT_TRY(weft_schedule_add_system(
        schedule,
        WEFT_SYSTEM("drift", drift,
                    WEFT_ACCESS(WEFT_WRITES(Buoy), WEFT_CONSUMES(Wave), WEFT_CONSUMES(Flood)))));
    for (uint64_t i = 0; i < options->entity_count; i++) {
        Buoy buoy = {i};
        weft_entity made = weft_commands_create(weft_world_commands(world), 0);
        weft_commands_add(weft_world_commands(world), 0, made, WEFT_TYPE(Buoy), &buoy);
    }
    return WEFT_STATUS_OK;
}

static weft_status sea_input(weft_world* world, uint64_t tick) {
    static const weft_entity none = {0, 0};
    for (uint64_t i = 0; i < tick % 4; i++) {
        Wave wave = {tick * 100 + i, {0, 0, 0, (uint8_t)i}};
        WEFT_TRY(weft_world_post(world, WEFT_TYPE(Wave), none, &wave));
    }
    Hail hail = {{1, 1}, tick};
    return weft_world_post(world, WEFT_TYPE(Hail), (weft_entity){0, 1}, &hail);
}

static const weft_module sea = {
    .abi = WEFT_MODULE_ABI, .name = "sea", .build = sea_build, .input = sea_input};
static const weft_module_options three = {3, 5};

#define TICKS 30u

/// A run that was recorded, and its digests.
typedef struct fixture {
    test_folder folder;
    test_path path;
    weft_journal_desc desc;
    weft_digest digests[2 * TICKS];
    uint64_t ends[2 * TICKS]; // Of the file after each tick.
    test_bytes bytes;
    char line[2048];
} fixture;

static game sea_open(void) {
    return game_open(&sea, &three, &run_configs[0]);
}

static void ticks(fixture* f, game* g, weft_journal* journal, uint64_t last) {
    while (weft_world_tick(g->world) < last) {
        game_input(&sea, g);
        WORLD_OK(g->world, weft_journal_tick(journal, g->executor));
        f->digests[weft_world_tick(g->world)] = game_full(g);
        f->ends[weft_world_tick(g->world)] = weft_journal_progress_read(journal).bytes;
    }
}

static fixture fixture_open(void) {
    fixture f = {.folder = folder_open(), .desc = weft_journal_desc_default()};
    f.path = folder_file(&f.folder, "journal");
    f.desc.sync_ticks = 1; // So that the file's size is known after each tick.
    weft_journal* journal;
    game g = sea_open();
    f.digests[0] = game_full(&g);
    WORLD_OK(g.world, weft_journal_create(&f.desc, g.schedule, f.path.text, &journal));
    f.ends[0] = weft_journal_progress_read(journal).bytes;
    ticks(&f, &g, journal, TICKS);
    cr_assert_eq(weft_journal_progress_read(journal).durable_tick, TICKS);
    cr_assert_eq(weft_journal_close(journal, f.line, sizeof(f.line)), WEFT_STATUS_OK);
    game_close(&g);
    f.bytes = bytes_load(f.path.text);
    cr_assert_eq(f.bytes.size, f.ends[TICKS]);
    return f;
}

static void fixture_close(fixture* f) {
    free(f->bytes.data);
    folder_close(&f->folder);
}

// Runs a journal to its end, or to what stops it.
static weft_status replay(fixture* f, game* g, weft_replay_info* info) {
    weft_replay* again;
    *info = (weft_replay_info){.tick = 0};
    weft_status status = weft_replay_open(&f->desc, g->schedule, f->path.text, &again);
    while (status == WEFT_STATUS_OK && !info->ended) {
        status = weft_replay_tick(again, g->executor);
        *info = weft_replay_info_read(again);
    }
    weft_replay_close(again);
    return status;
}

// D09. What was whole is there, and what is written after a repair is not lost.
static void cut_and_go_on(fixture* f, size_t size) {
    weft_replay_info info;
    weft_journal* journal;
    uint64_t whole = 0;
    while (whole < TICKS && f->ends[whole + 1] <= size)
        whole++;
    bytes_store(f->path.text, f->bytes.data, size);
    game g = sea_open();
    WORLD_OK(g.world, replay(f, &g, &info));
    cr_assert_eq(info.tick, whole);
    cr_assert_eq(info.torn, size - f->ends[whole]);
    DIGEST_EQ(game_full(&g), f->digests[whole]);
    WORLD_OK(g.world, weft_journal_continue(&f->desc, g.schedule, f->path.text, &journal));
    ticks(f, &g, journal, whole + 20);
    cr_assert_eq(weft_journal_close(journal, f->line, sizeof(f->line)), WEFT_STATUS_OK);
    game second = sea_open();
    WORLD_OK(second.world, replay(f, &second, &info));
    cr_assert_eq(info.tick, whole + 20);
    cr_assert_eq(info.torn, 0);
    DIGEST_EQ(game_full(&second), f->digests[whole + 20]);
    game_close(&second);
    game_close(&g);
}

Test(journal, torn_ends_are_cut_and_nothing_later_is_lost, .timeout = 100) {
    fixture f = fixture_open();
    for (size_t size = f.ends[TICKS - 2]; size < f.bytes.size; size++)
        cut_and_go_on(&f, size);
    cut_and_go_on(&f, f.ends[0]);
    cut_and_go_on(&f, f.ends[7]);
    fixture_close(&f);
}

// Against the run that never stopped.
Test(journal, a_repaired_run_is_the_unbroken_one) {
    fixture f = fixture_open();
    weft_digest expected = f.digests[TICKS];
    cut_and_go_on(&f, f.ends[12] + 5);
    DIGEST_EQ(f.digests[TICKS], expected);
    fixture_close(&f);
}

Test(journal, cut_in_its_start) {
    fixture f = fixture_open();
    weft_replay_info info;
    game g = sea_open();
    for (size_t size = 0; size < f.ends[0]; size += 3) {
        bytes_store(f.path.text, f.bytes.data, size);
        cr_assert_eq(replay(&f, &g, &info), WEFT_STATUS_BAD_FORMAT);
        TEXT_HAS(weft_world_error(g.world), f.path.text);
        TEXT_HAS(weft_world_error(g.world), size == 0 ? "no journal" : "cut off");
    }
    game_close(&g);
    fixture_close(&f);
}

// A bit in the middle: refused with its place, by replay and by whoever wants to go on; not cut.
Test(journal, damage_is_refused_and_kept, .timeout = 100) {
    fixture f = fixture_open();
    game g = sea_open();
    for (size_t bit = 0; bit < 8 * f.ends[TICKS - 1]; bit += bit < 8 * f.ends[0] ? 61 : 7) {
        weft_replay_info info;
        weft_journal* journal;
        char place[64];
        f.bytes.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        bytes_store(f.path.text, f.bytes.data, f.bytes.size);
        weft_status status = weft_journal_continue(&f.desc, g.schedule, f.path.text, &journal);
        cr_assert_eq(status, WEFT_STATUS_BAD_FORMAT, "bit %zu", bit);
        if (bit / 8 >= f.ends[0]) {
            uint64_t tick = 0;
            while (f.ends[tick + 1] <= bit / 8)
                tick++;
            (void)snprintf(place, sizeof(place), "damaged at byte %llu",
                           (unsigned long long)f.ends[tick]);
            TEXT_HAS(weft_world_error(g.world), place);
        }
        cr_assert_null(journal);
        game again = sea_open();
        cr_assert_eq(replay(&f, &again, &info), WEFT_STATUS_BAD_FORMAT, "bit %zu", bit);
        game_close(&again);
        test_bytes now = bytes_load(f.path.text);
        cr_assert_eq(now.size, f.bytes.size);
        free(now.data);
        f.bytes.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    game_close(&g);
    fixture_close(&f);
}

// Disks that fail ---------------------------------------------------------------------------------

// The run stops at a boundary and says why; what was written is readable, and what was said to be
// durable is in it; with room again the run goes on where the file ends.
static void fail_and_go_on(fixture* f, const file_faults* how, const char* words) {
    file_faults faults = *how;
    weft__file_calls calls = file_faults_calls(&faults);
    weft_journal* journal;
    weft_replay_info info;
    weft_status status = WEFT_STATUS_OK;
    uint64_t durable = 0;
    game g = sea_open();
    (void)unlink(f->path.text);
    WORLD_OK(g.world, weft__journal_create(&f->desc, g.schedule, f->path.text, &calls, &journal));
    while (weft_world_tick(g.world) < TICKS && status == WEFT_STATUS_OK) {
        game_input(&sea, &g);
        status = weft_journal_tick(journal, g.executor);
        if (status == WEFT_STATUS_OK)
            DIGEST_EQ(game_full(&g), f->digests[weft_world_tick(g.world)]);
        durable = weft_journal_progress_read(journal).durable_tick;
    }
    if (status != WEFT_STATUS_OK) {
        cr_assert_eq(status, WEFT_STATUS_FILE_ERROR);
        TEXT_HAS(weft_world_error(g.world), words);
        TEXT_HAS(weft_world_error(g.world), "the run stops after tick");
        uint64_t stopped = weft_world_tick(g.world);
        cr_assert_eq(weft_journal_tick(journal, g.executor), WEFT_STATUS_FILE_ERROR);
        cr_assert_eq(weft_world_tick(g.world), stopped, "a tick that is not recorded");
        cr_assert_not(weft_world_has_failed(g.world));
    }
    weft_status closed = weft_journal_close(journal, f->line, sizeof(f->line));
    cr_assert_eq(closed, WEFT_STATUS_FILE_ERROR);
    TEXT_HAS(f->line, words);
    game_close(&g);
    g = sea_open();
    WORLD_OK(g.world, replay(f, &g, &info));
    cr_assert_geq(info.tick, durable);
    DIGEST_EQ(game_full(&g), f->digests[info.tick]);
    WORLD_OK(g.world, weft_journal_continue(&f->desc, g.schedule, f->path.text, &journal));
    ticks(f, &g, journal, TICKS);
    cr_assert_eq(weft_journal_close(journal, f->line, sizeof(f->line)), WEFT_STATUS_OK);
    game_close(&g);
}

Test(journal, full_disks, .timeout = 100) {
    fixture f = fixture_open();
    for (uint64_t room = f.ends[0]; room < f.bytes.size; room += 37) {
        file_faults faults = file_faults_none();
        faults.room = room;
        faults.write_max = room % 2 == 0 ? 11 : SIZE_MAX;
        f.desc.sync_ticks = (uint32_t)(room % 3);
        fail_and_go_on(&f, &faults, "No space left on device; make room");
    }
    fixture_close(&f);
}

Test(journal, failing_writes_and_syncs) {
    fixture f = fixture_open();
    file_faults faults = file_faults_none();
    faults.room = f.ends[9] + 1;
    faults.write_error = EIO;
    fail_and_go_on(&f, &faults, "cannot be written: Input/output error");
    faults = file_faults_none();
    faults.sync_count = 12; // Of which the start takes two.
    fail_and_go_on(&f, &faults, "cannot be made durable: Input/output error");
    fixture_close(&f);
}

// One that cannot even start leaves nothing.
Test(journal, no_room_to_start) {
    fixture f = fixture_open();
    file_faults faults = file_faults_none();
    weft__file_calls calls = file_faults_calls(&faults);
    weft_journal* journal;
    game g = sea_open();
    (void)unlink(f.path.text);
    faults.room = 100;
    cr_assert_eq(weft__journal_create(&f.desc, g.schedule, f.path.text, &calls, &journal),
                 WEFT_STATUS_FILE_ERROR);
    TEXT_HAS(weft_world_error(g.world), "No space left");
    cr_assert_null(journal);
    cr_assert_eq(folder_count(&f.folder), 0);
    game_close(&g);
    fixture_close(&f);
}

// A snapshot may be saved then: whatever happens, the journal reaches as far.
Test(journal, what_is_asked_for_is_durable) {
    fixture f = fixture_open();
    file_faults faults = file_faults_none();
    weft__file_calls calls = file_faults_calls(&faults);
    weft_journal* journal;
    game g = sea_open();
    (void)unlink(f.path.text);
    f.desc.sync_ticks = 0;
    WORLD_OK(g.world, weft__journal_create(&f.desc, g.schedule, f.path.text, &calls, &journal));
    for (uint64_t tick = 1; tick <= TICKS; tick++) {
        ticks(&f, &g, journal, tick);
        if (tick % 7 != 0)
            continue;
        uint64_t syncs = faults.syncs;
        WORLD_OK(g.world, weft_journal_sync(journal));
        cr_assert_eq(weft_journal_progress_read(journal).durable_tick, tick);
        cr_assert_eq(faults.syncs, syncs + 1);
        WORLD_OK(g.world, weft_journal_sync(journal)); // There is nothing new.
        cr_assert_eq(faults.syncs, syncs + 1);
        test_bytes now = bytes_load(f.path.text);
        cr_assert_eq(now.size, weft_journal_progress_read(journal).bytes);
        free(now.data);
    }
    faults.sync_count = faults.syncs;
    cr_assert_eq(weft_journal_sync(journal), WEFT_STATUS_FILE_ERROR);
    TEXT_HAS(weft_world_error(g.world), "cannot be made durable");
    cr_assert_eq(weft_journal_close(journal, f.line, sizeof(f.line)), WEFT_STATUS_FILE_ERROR);
    game_close(&g);
    fixture_close(&f);
}

// Frames that are longer than the ring, and a ring that is always full.
Test(journal, long_frames_and_a_small_ring) {
    fixture f = fixture_open();
    weft_replay_info info;
    weft_journal* journal;
    static Flood flood;
    game g = sea_open();
    (void)unlink(f.path.text);
    f.desc.ring_size = 4096;
    f.desc.sync_ticks = 3;
    WORLD_OK(g.world, weft_journal_create(&f.desc, g.schedule, f.path.text, &journal));
    for (uint32_t tick = 0; tick < 20; tick++) {
        for (uint32_t i = 0; i < tick; i++) {
            flood.water[i] = tick * i;
            WORLD_OK(g.world,
                     weft_world_post(g.world, WEFT_TYPE(Flood), (weft_entity){0, 0}, &flood));
        }
        WORLD_OK(g.world, weft_journal_tick(journal, g.executor));
        weft_journal_progress progress = weft_journal_progress_read(journal);
        cr_assert_lt(progress.recorded_tick - progress.durable_tick, 6);
    }
    weft_digest last = game_full(&g);
    cr_assert_gt(weft_journal_progress_read(journal).waits, 0);
    cr_assert_eq(weft_journal_close(journal, f.line, sizeof(f.line)), WEFT_STATUS_OK);
    game again = sea_open();
    WORLD_OK(again.world, replay(&f, &again, &info));
    cr_assert_eq(info.tick, 20);
    cr_assert_eq(info.inputs, 190);
    DIGEST_EQ(game_full(&again), last);
    game_close(&again);
    game_close(&g);
    fixture_close(&f);
}

Test(journal, digests_of_some_ticks) {
    fixture f = fixture_open();
    weft_replay_info info;
    weft_journal* journal;
    game g = sea_open();
    (void)unlink(f.path.text);
    f.desc.digest_ticks = 8;
    WORLD_OK(g.world, weft_journal_create(&f.desc, g.schedule, f.path.text, &journal));
    ticks(&f, &g, journal, TICKS);
    cr_assert_eq(weft_journal_close(journal, f.line, sizeof(f.line)), WEFT_STATUS_OK);
    game again = sea_open();
    WORLD_OK(again.world, replay(&f, &again, &info));
    cr_assert(info.tick == TICKS && info.compared == TICKS / 8);
    game_close(&again);
    game_close(&g);
    fixture_close(&f);
}

// Other runs --------------------------------------------------------------------------------------

static void expect_open(fixture* f, game* g, weft_status expected, const char* words) {
    weft_replay* again;
    weft_journal* journal;
    cr_assert_eq(weft_replay_open(&f->desc, g->schedule, f->path.text, &again), expected);
    TEXT_HAS(weft_world_error(g->world), words);
    cr_assert_null(again);
    cr_assert_eq(weft_journal_continue(&f->desc, g->schedule, f->path.text, &journal), expected);
    TEXT_HAS(weft_world_error(g->world), words);
    cr_assert_null(journal);
}

static weft_status other_build(const weft_module_options* options, weft_world* world,
                               weft_schedule* schedule) {
    WEFT_TRY(sea_build(options, world, schedule));
    return weft_schedule_add_system(
        schedule,
        WEFT_SYSTEM("look", drift,
                    WEFT_ACCESS(WEFT_WRITES(Buoy), WEFT_CONSUMES(Wave), WEFT_CONSUMES(Flood))));
}

Test(journal, other_runs_are_named_with_both_values) {
    static const weft_identity_pair pair = {"sea state", "rough", false};
    static const weft_module_options other_seed = {3, 6};
    weft_module other = sea;
    fixture f = fixture_open();
    game g = game_open(&sea, &other_seed, &run_configs[0]);
    expect_open(&f, &g, WEFT_STATUS_IDENTITY_MISMATCH, "seed is 0x5 there, 0x6 here");
    game_close(&g);
    other.build = other_build;
    g = game_open(&other, &three, &run_configs[0]);
    expect_open(&f, &g, WEFT_STATUS_IDENTITY_MISMATCH,
                "system 2 is missing there, look, chunk: writes Buoy, consumes Wave, consumes "
                "Flood here");
    game_close(&g);
    g = sea_open();
    f.desc.pairs = &pair;
    f.desc.pair_count = 1;
    expect_open(&f, &g, WEFT_STATUS_IDENTITY_MISMATCH, "sea state is missing there, rough here");
    game_close(&g);
    fixture_close(&f);
}

// The same identity, another world: found by the first digest.
Test(journal, another_start_diverges) {
    static const weft_module_options four = {4, 5};
    fixture f = fixture_open();
    weft_replay_info info;
    weft_journal* journal;
    game g = game_open(&sea, &four, &run_configs[0]);
    cr_assert_eq(replay(&f, &g, &info), WEFT_STATUS_DIVERGED);
    TEXT_HAS(weft_world_error(g.world), "the digest after tick 1 is ");
    game_close(&g);
    g = game_open(&sea, &four, &run_configs[0]);
    cr_assert_eq(weft_journal_continue(&f.desc, g.schedule, f.path.text, &journal),
                 WEFT_STATUS_DIVERGED);
    TEXT_HAS(weft_world_error(g.world), "ends with tick 30, and the world is at tick 0");
    while (weft_world_tick(g.world) < TICKS)
        game_tick(&sea, &g);
    cr_assert_eq(weft_journal_continue(&f.desc, g.schedule, f.path.text, &journal),
                 WEFT_STATUS_DIVERGED);
    TEXT_HAS(weft_world_error(g.world), "is not the world's");
    game_close(&g);
    fixture_close(&f);
}

Test(journal, ticks_of_their_own) {
    fixture f = fixture_open();
    weft_journal* journal;
    weft_replay* again;
    game g = sea_open();
    cr_assert_eq(weft_journal_create(&f.desc, g.schedule, f.path.text, &journal),
                 WEFT_STATUS_FILE_ERROR);
    TEXT_HAS(weft_world_error(g.world), "File exists; take another name");
    (void)unlink(f.path.text);
    WORLD_OK(g.world, weft_journal_create(&f.desc, g.schedule, f.path.text, &journal));
    (void)weft_commands_create(weft_world_commands(g.world), 0);
    cr_assert_eq(weft_journal_tick(journal, g.executor), WEFT_STATUS_WRONG_PHASE);
    TEXT_HAS(weft_world_error(g.world), "post messages");
    world_commit(g.world);
    WORLD_OK(g.world, weft_executor_tick(g.executor));
    cr_assert_eq(weft_journal_tick(journal, g.executor), WEFT_STATUS_WRONG_PHASE);
    TEXT_HAS(weft_world_error(g.world), "the world is at tick 1, and its journal at tick 0");
    cr_assert_eq(weft_journal_close(journal, f.line, sizeof(f.line)), WEFT_STATUS_OK);
    WORLD_OK(g.world, weft_replay_open(&f.desc, g.schedule, f.path.text, &again));
    cr_assert_eq(weft_replay_seek(again), WEFT_STATUS_OUT_OF_RANGE);
    TEXT_HAS(weft_world_error(g.world), "has ticks 0 to 0, and the world is at tick 1");
    WORLD_OK(g.world, weft_executor_tick(g.executor));
    cr_assert_eq(weft_replay_tick(again, g.executor), WEFT_STATUS_WRONG_PHASE);
    weft_replay_close(again);
    game_close(&g);
    fixture_close(&f);
}

Test(journal, descriptions) {
    fixture f = fixture_open();
    weft_journal* journal;
    weft_journal_desc desc = f.desc;
    game g = sea_open();
    desc.ring_size = 5000;
    cr_assert_eq(weft_journal_create(&desc, g.schedule, f.path.text, &journal),
                 WEFT_STATUS_BAD_ARGUMENT);
    desc = f.desc;
    desc.digest_ticks = 0;
    cr_assert_eq(weft_journal_create(&desc, g.schedule, f.path.text, &journal),
                 WEFT_STATUS_BAD_ARGUMENT);
    desc.cookie = 0;
    cr_assert_eq(weft_journal_create(&desc, g.schedule, f.path.text, &journal),
                 WEFT_STATUS_BAD_ARGUMENT);
    cr_assert_eq(weft_journal_close(NULL, f.line, sizeof(f.line)), WEFT_STATUS_OK);
    weft_replay_close(NULL);
    game_close(&g);
    fixture_close(&f);
}

// Two journals ------------------------------------------------------------------------------------

static void record_other(const fixture* f, const char* path, uint64_t last, uint64_t odd_tick) {
    weft_journal* journal;
    char line[512];
    game g = sea_open();
    weft_journal_desc desc = weft_journal_desc_default();
    (void)f;
    WORLD_OK(g.world, weft_journal_create(&desc, g.schedule, path, &journal));
    while (weft_world_tick(g.world) < last) {
        game_input(&sea, &g);
        Wave wave = {77, {0}};
        if (weft_world_tick(g.world) == odd_tick)
            WORLD_OK(g.world,
                     weft_world_post(g.world, WEFT_TYPE(Wave), (weft_entity){0, 0}, &wave));
        WORLD_OK(g.world, weft_journal_tick(journal, g.executor));
    }
    cr_assert_eq(weft_journal_close(journal, line, sizeof(line)), WEFT_STATUS_OK);
    game_close(&g);
}

Test(journal, two_are_compared) {
    fixture f = fixture_open();
    weft_journal_difference out;
    test_path other = folder_file(&f.folder, "other");
    record_other(&f, other.text, TICKS, TICKS);
    cr_assert_eq(weft_journal_compare(f.path.text, other.text, &out, f.line, sizeof(f.line)),
                 WEFT_STATUS_OK);
    cr_assert(!out.found && out.last_ticks[0] == TICKS && out.last_ticks[1] == TICKS);
    (void)unlink(other.text);
    record_other(&f, other.text, TICKS, 11);
    cr_assert_eq(weft_journal_compare(f.path.text, other.text, &out, f.line, sizeof(f.line)),
                 WEFT_STATUS_OK);
    cr_assert(out.found && out.inputs && out.digest && !out.length && out.tick == 12);
    DIGEST_EQ(out.digests[0], f.digests[12]);
    (void)unlink(other.text);
    record_other(&f, other.text, 9, TICKS);
    cr_assert_eq(weft_journal_compare(f.path.text, other.text, &out, f.line, sizeof(f.line)),
                 WEFT_STATUS_OK);
    cr_assert(out.found && out.length && !out.inputs && !out.digest && out.tick == 10);
    cr_assert_eq(weft_journal_compare(f.path.text, "/no/such", &out, f.line, sizeof(f.line)),
                 WEFT_STATUS_FILE_ERROR);
    TEXT_HAS(f.line, "/no/such");
    fixture_close(&f);
}
