// Snapshots that are damaged, foreign or of another run, and disks that fail: each is refused by
// name, and the world is as it was.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "snapshot_format.h"

#include "compress.h"
#include "effort.h"
#include "file_faults.h"
#include "folder.h"
#include "game.h"
#include "weft_bytes.h"
#include "workload.h"

WEFT_COMPONENT(CrateThen, (uint32_t, weight));
WEFT_COMPONENT(CrateNow, (uint32_t, height), (uint32_t, weight));

typedef struct fixture {
    test_folder folder;
    test_path path;
    game game;
    weft_digest before;
    test_bytes bytes;
    weft_snapshot_desc desc;
} fixture;

static const weft_module_options few = {3, 7};

static fixture fixture_open(bool compress) {
    fixture f = {.folder = folder_open(), .desc = weft_snapshot_desc_default()};
    f.path = folder_file(&f.folder, "world");
    f.game = game_open(&weft_workload_orbits, &few, &run_configs[0]);
    for (int i = 0; i < 5; i++)
        game_tick(&weft_workload_orbits, &f.game);
    f.desc.compress = compress;
    WORLD_OK(f.game.world, weft_snapshot_save(f.game.executor, f.path.text, &f.desc));
    f.bytes = bytes_load(f.path.text);
    game_tick(&weft_workload_orbits, &f.game);
    f.before = game_full(&f.game);
    return f;
}

static void fixture_close(fixture* f) {
    DIGEST_EQ(game_full(&f->game), f->before);
    free(f->bytes.data);
    game_close(&f->game);
    folder_close(&f->folder);
}

static void expect(fixture* f, const uint8_t* bytes, size_t size, weft_status expected,
                   const char* words) {
    bytes_store(f->path.text, bytes, size);
    weft_status status = weft_snapshot_load(f->game.world, f->path.text, &f->desc);
    cr_assert_eq(status, expected, "%s: %s", weft_status_name(status),
                 weft_world_error(f->game.world));
    TEXT_HAS(weft_world_error(f->game.world), f->path.text);
    TEXT_HAS(weft_world_error(f->game.world), words);
}

Test(snapshot_refusals, cut_anywhere) {
    fixture f = fixture_open(false);
    for (size_t size = 0; size < f.bytes.size; size++)
        expect(&f, f.bytes.data, size, WEFT_STATUS_BAD_FORMAT,
               size == 0 ? "no snapshot" : "cut off");
    fixture_close(&f);
}

static void flip_all(bool compress) {
    fixture f = fixture_open(compress);
    for (size_t bit = 0; bit<8 * f.bytes.size; bit += TEST_EFFORT_PART> 1 ? 7 : 1) {
        f.bytes.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        bytes_store(f.path.text, f.bytes.data, f.bytes.size);
        cr_assert_eq(weft_snapshot_load(f.game.world, f.path.text, &f.desc), WEFT_STATUS_BAD_FORMAT,
                     "bit %zu", bit);
        TEXT_HAS(weft_world_error(f.game.world), " snapshot"); // By the file's own checksums.
        f.bytes.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    fixture_close(&f);
}

Test(snapshot_refusals, flipped_anywhere, .timeout = 100) {
    flip_all(false);
    if (weft__compress_available())
        flip_all(true);
}

// Makes the checksums of frames right again.
static void seal_frames(test_bytes bytes) {
    weft__reader reader;
    weft__reader_init(&reader, bytes.data, bytes.size);
    (void)weft__reader_view(&reader, WEFT__FRAME_FILE_HEADER);
    while (weft__reader_left(&reader) > 0) {
        uint8_t* head = bytes.data + reader.offset;
        (void)weft__reader_get_u32(&reader);
        uint32_t kind = weft__reader_get_u32(&reader);
        uint64_t number = weft__reader_get_u64(&reader);
        size_t length = (size_t)weft__reader_get_u64(&reader);
        (void)weft__reader_view(&reader, WEFT__FRAME_HEAD - 24 + length);
        weft__frame_seal(head, kind, number, head + WEFT__FRAME_HEAD, length);
    }
}

// Several parts of several shards with two faults: all executors tell the same one.
static void many_faults(bool compress, bool seal) {
    static const weft_module_options many = {90000, 7};
    test_folder folder = folder_open();
    test_path path = folder_file(&folder, "many");
    weft_snapshot_desc desc = weft_snapshot_desc_default();
    weft_random_key key = {.seed = 4};
    char told[1600];
    game one = game_open(&weft_workload_motion, &many, &run_configs[0]);
    weft_executor* others[] = {run_executor(one.schedule, &run_configs[4]),
                               run_executor(one.schedule, &run_configs[7])};
    weft_digest full = game_full(&one);
    desc.compress = compress;
    WORLD_OK(one.world, weft_snapshot_save(one.executor, path.text, &desc));
    test_bytes good = bytes_load(path.text);
    for (uint32_t i = 0; i < 30; i++) {
        test_bytes bad = bytes_load(path.text);
        size_t at[2];
        for (uint32_t j = 0; j < 2; j++) {
            at[j] = 1000 + (size_t)weft_random_u64_below(key, j, i, bad.size - 1100);
            bad.data[at[j]] ^= 16;
        }
        if (seal)
            seal_frames(bad);
        bytes_store(path.text, bad.data, bad.size);
        for (uint32_t j = 0; j < 3; j++) {
            desc.executor = j == 0 ? NULL : others[j - 1];
            cr_assert_eq(weft_snapshot_load(one.world, path.text, &desc), WEFT_STATUS_BAD_FORMAT,
                         "bytes %zu and %zu", at[0], at[1]);
            if (j == 0)
                memcpy(told, weft_world_error(one.world), sizeof(told));
            cr_assert_str_eq(weft_world_error(one.world), told);
        }
        DIGEST_EQ(game_full(&one), full);
        bytes_store(path.text, good.data, good.size);
        free(bad.data);
    }
    free(good.data);
    for (uint32_t j = 0; j < 2; j++)
        weft_executor_destroy(others[j]);
    game_close(&one);
    folder_close(&folder);
}

Test(snapshot_refusals, all_executors_tell_the_same) {
    many_faults(false, false);
    many_faults(false, true);
    if (weft__compress_available())
        many_faults(true, false);
}

Test(snapshot_refusals, bytes_behind_the_end) {
    fixture f = fixture_open(false);
    uint8_t* longer = malloc(f.bytes.size + 1);
    memcpy(longer, f.bytes.data, f.bytes.size);
    longer[f.bytes.size] = 0;
    expect(&f, longer, f.bytes.size + 1, WEFT_STATUS_BAD_FORMAT, "another size");
    free(longer);
    fixture_close(&f);
}

// The frame's head is at 32, its content at 72.
static void reseal(test_bytes bytes, size_t length) {
    weft__frame_seal(bytes.data + 32, WEFT__SNAPSHOT_HEAD, 0, bytes.data + 72, length);
}

static uint64_t head_length(test_bytes bytes) {
    weft__reader reader;
    weft__reader_init(&reader, bytes.data + 48, 8);
    return weft__reader_get_u64(&reader);
}

// What cannot be is refused before memory is taken for it.
Test(snapshot_refusals, heads_that_cannot_be) {
    static const struct {
        size_t at;
        size_t size;
        uint64_t value;
        const char* words;
    } rows[] = {
        {80, 8, UINT64_C(1) << 60, "head cannot be"}, // Bytes of the state.
        {80, 8, 0, "head cannot be"},
        {80, 8, 100, "another size"},
        {88, 4, UINT32_MAX, "is not whole"}, // Parts.
        {88, 4, 1, "another size"},
        {92, 1, 2, "head cannot be"}, // Compressed.
        {93, 1, 9, "head cannot be"}, // Digest.
        {94, 2, 1, "head cannot be"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        fixture f = fixture_open(false);
        for (size_t j = 0; j < rows[i].size; j++)
            f.bytes.data[rows[i].at + j] = (uint8_t)(rows[i].value >> 8 * j);
        reseal(f.bytes, head_length(f.bytes));
        expect(&f, f.bytes.data, f.bytes.size, WEFT_STATUS_BAD_FORMAT, rows[i].words);
        fixture_close(&f);
    }
}

Test(snapshot_refusals, foreign_ones) {
    fixture f = fixture_open(false);
    uint8_t* header = f.bytes.data;
    memcpy(header + 8, "\x0a\x0b\x0c\x0d", 4);
    expect(&f, f.bytes.data, f.bytes.size, WEFT_STATUS_BAD_FORMAT, "other byte order");
    memcpy(header + 8, "\x0d\x0c\x0b\x0a", 4);
    header[12] = 9;
    expect(&f, f.bytes.data, f.bytes.size, WEFT_STATUS_BAD_FORMAT, "version 9");
    memcpy(header, "WEFTJRNL", 8);
    expect(&f, f.bytes.data, f.bytes.size, WEFT_STATUS_BAD_FORMAT, "no snapshot");
    cr_assert_eq(weft_snapshot_load(f.game.world, "/no/such/file", &f.desc),
                 WEFT_STATUS_FILE_ERROR);
    TEXT_HAS(weft_world_error(f.game.world), "/no/such/file: cannot be read: No such file");
    fixture_close(&f);
}

// A wrong digest in the head is found when the world is there, and fails it.
Test(snapshot_refusals, another_world_than_was_saved) {
    fixture f = fixture_open(false);
    f.bytes.data[100] ^= 1;
    reseal(f.bytes, head_length(f.bytes));
    expect(&f, f.bytes.data, f.bytes.size, WEFT_STATUS_DIGEST_MISMATCH, "another world");
    cr_assert(weft_world_has_failed(f.game.world));
    cr_assert_eq(weft_snapshot_load(f.game.world, f.path.text, &f.desc), WEFT_STATUS_WORLD_FAILED);
    free(f.bytes.data);
    game_close(&f.game);
    folder_close(&f.folder);
}

static void expect_mismatch(const weft_module* module, const weft_module_options* options,
                            const weft_identity_pair* pairs, size_t count, const char* words) {
    fixture f = fixture_open(false);
    game other = game_open(module, options, &run_configs[0]);
    f.desc.pairs = pairs;
    f.desc.pair_count = count;
    cr_assert_eq(weft_snapshot_load(other.world, f.path.text, &f.desc),
                 WEFT_STATUS_IDENTITY_MISMATCH);
    TEXT_HAS(weft_world_error(other.world), words);
    game_close(&other);
    fixture_close(&f);
}

Test(snapshot_refusals, other_runs_are_named_with_both_values) {
    static const weft_module_options seed = {3, 8};
    static const weft_identity_pair pair = {"module", "orbits", false};
    static const weft_identity_pair note = {"build", "another", true};
    expect_mismatch(&weft_workload_orbits, &seed, NULL, 0, "seed is 0x7 there, 0x8 here");
    expect_mismatch(&weft_workload_churn, &few, NULL, 0, "type 1 is component ");
    expect_mismatch(&weft_workload_orbits, &few, &pair, 1, "module is missing there, orbits here");
    fixture f = fixture_open(false);
    f.desc.pairs = &note;
    f.desc.pair_count = 1;
    game other = game_open(&weft_workload_orbits, &few, &run_configs[0]);
    WORLD_OK(other.world, weft_snapshot_load(other.world, f.path.text, &f.desc));
    game_close(&other);
    fixture_close(&f);
}

Test(snapshot_refusals, descriptions) {
    static const weft_identity_pair pair = {"", "x", false};
    fixture f = fixture_open(false);
    weft_snapshot_desc desc = {0};
    cr_assert_eq(weft_snapshot_save(f.game.executor, f.path.text, &desc), WEFT_STATUS_BAD_ARGUMENT);
    cr_assert_eq(weft_snapshot_load(f.game.world, f.path.text, &desc), WEFT_STATUS_BAD_ARGUMENT);
    f.desc.pairs = &pair;
    f.desc.pair_count = 1;
    cr_assert_eq(weft_snapshot_save(f.game.executor, f.path.text, &f.desc),
                 WEFT_STATUS_BAD_ARGUMENT);
    TEXT_HAS(weft_world_error(f.game.world), "pair 0");
    cr_assert_eq(weft_snapshot_load(f.game.world, f.path.text, &f.desc), WEFT_STATUS_BAD_ARGUMENT);
    f.desc.pair_count = 0;
    game other = game_open(&weft_workload_orbits, &few, &run_configs[0]);
    f.desc.executor = other.executor;
    cr_assert_eq(weft_snapshot_load(f.game.world, f.path.text, &f.desc), WEFT_STATUS_BAD_ARGUMENT);
    TEXT_HAS(weft_world_error(f.game.world), "executor is of another world");
    f.desc.executor = NULL;
    game_close(&other);
    f.desc.compress = true;
    if (!weft__compress_available())
        cr_assert_eq(weft_snapshot_save(f.game.executor, f.path.text, &f.desc),
                     WEFT_STATUS_UNSUPPORTED);
    f.desc.compress = false;
    (void)weft_commands_create(weft_world_commands(f.game.world), 0);
    cr_assert_eq(weft_snapshot_save(f.game.executor, f.path.text, &f.desc),
                 WEFT_STATUS_WRONG_PHASE);
    WORLD_OK(f.game.world, weft_snapshot_load(f.game.world, f.path.text, &f.desc));
    f.before = game_full(&f.game);
    fixture_close(&f);
}

// The old file stays, nothing is left behind, and short writes do no harm.
Test(snapshot_refusals, disks_that_fail) {
    fixture f = fixture_open(false);
    for (uint64_t room = 0; room < f.bytes.size + 400; room += 61) {
        file_faults faults = file_faults_none();
        weft__file_calls calls = file_faults_calls(&faults);
        faults.room = room;
        faults.write_max = 100;
        weft_status status = weft__snapshot_save(f.game.executor, f.path.text, &f.desc, &calls);
        cr_assert_eq(folder_count(&f.folder), 1);
        if (status == WEFT_STATUS_OK)
            break;
        cr_assert_eq(status, WEFT_STATUS_FILE_ERROR);
        TEXT_HAS(weft_world_error(f.game.world), "No space left on device");
        test_bytes now = bytes_load(f.path.text);
        cr_assert_eq(now.size, f.bytes.size);
        cr_assert_eq(memcmp(now.data, f.bytes.data, now.size), 0);
        free(now.data);
        cr_assert(room < f.bytes.size + 300, "it never fits");
    }
    WORLD_OK(f.game.world, weft_snapshot_load(f.game.world, f.path.text, &f.desc));
    fixture_close(&f);
}

Test(snapshot_refusals, inspection) {
    fixture f = fixture_open(false);
    weft_snapshot_info info;
    char line[512];
    cr_assert_eq(weft_snapshot_inspect(f.path.text, &info, line, sizeof(line)), WEFT_STATUS_OK);
    cr_assert(info.tick == 5 && info.file_size == f.bytes.size && info.has_digest);
    cr_assert_lt(info.state_size, info.file_size);
    bytes_store(f.path.text, f.bytes.data, 50);
    cr_assert_eq(weft_snapshot_inspect(f.path.text, &info, line, sizeof(line)),
                 WEFT_STATUS_BAD_FORMAT);
    TEXT_HAS(line, "cut off");
    fixture_close(&f);
}

// One of another schema: by the table, or refused by the type that has changed.
Test(snapshot_refusals, another_schema) {
    weft_type then = *WEFT_TYPE(CrateThen);
    weft_type now = *WEFT_TYPE(CrateNow);
    then.name = now.name = "Crate";
    static const CrateNow initial = {.height = 4};
    const weft_migration table[] = {{&then, &now, NULL, &initial}};
    test_folder folder = folder_open();
    test_path path = folder_file(&folder, "crates");
    weft_snapshot_desc desc = weft_snapshot_desc_default();
    weft_world* worlds[2] = {world_make(), world_make()};
    world_component(worlds[0], &then, WEFT_STORAGE_DENSE);
    world_component(worlds[1], &now, WEFT_STORAGE_DENSE);
    weft_entity crate = world_create_one(worlds[0]);
    weft_commands_add(weft_world_commands(worlds[0]), 0, crate, &then, &(CrateThen){30});
    world_commit(worlds[0]);
    weft_schedule* schedule = run_schedule(worlds[0]);
    weft_executor* executor = run_executor(schedule, &run_configs[0]);
    WORLD_OK(worlds[0], weft_snapshot_save(executor, path.text, &desc));
    cr_assert_eq(weft_snapshot_load(worlds[1], path.text, &desc), WEFT_STATUS_IDENTITY_MISMATCH);
    TEXT_HAS(weft_world_error(worlds[1]), "type 1 is component Crate, layout ");
    desc.migrations = table;
    desc.migration_count = 1;
    WORLD_OK(worlds[1], weft_snapshot_load(worlds[1], path.text, &desc));
    const CrateNow* moved = weft_world_read(worlds[1], crate, &now);
    cr_assert(moved != NULL && moved->weight == 30 && moved->height == 4);
    weft_executor_destroy(executor);
    weft_schedule_destroy(schedule);
    weft_world_destroy(worlds[0]);
    weft_world_destroy(worlds[1]);
    folder_close(&folder);
}
