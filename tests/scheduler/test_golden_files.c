// Files that were written on x86-64: loaded and run again wherever this test runs, also on machines
// of the other byte order. WEFT_UPDATE_GOLDEN=1 writes them anew, when a format is meant to change.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <weft/journal.h>
#include <weft/snapshot.h>

#include "folder.h"
#include "game.h"
#include "workload.h"

#define SNAPSHOT WEFT_TEST_DIR "/golden/orbits.snapshot"
#define JOURNAL WEFT_TEST_DIR "/golden/orbits.journal"
#define STOP 5u
#define TICKS 12u

static const weft_module_options few = {5, 7};

static void write_files(void) {
    weft_journal_desc desc = weft_journal_desc_default();
    weft_snapshot_desc how = weft_snapshot_desc_default();
    weft_journal* journal;
    char line[512];
    (void)unlink(JOURNAL);
    game g = game_open(&weft_workload_orbits, &few, &run_configs[0]);
    WORLD_OK(g.world, weft_journal_create(&desc, g.schedule, JOURNAL, &journal));
    for (uint32_t tick = 0; tick < TICKS; tick++) {
        if (tick == STOP)
            WORLD_OK(g.world, weft_snapshot_save(g.executor, SNAPSHOT, &how));
        WORLD_OK(g.world, weft_journal_tick(journal, g.executor));
    }
    cr_assert_eq(weft_journal_close(journal, line, sizeof(line)), WEFT_STATUS_OK);
    game_close(&g);
}

static void run_again(const char* snapshot, const run_config* config, uint64_t compared) {
    weft_journal_desc desc = weft_journal_desc_default();
    weft_snapshot_desc how = weft_snapshot_desc_default();
    weft_replay* replay;
    game g = game_open(&weft_workload_orbits, &few, config);
    if (snapshot != NULL)
        WORLD_OK(g.world, weft_snapshot_load(g.world, snapshot, &how));
    WORLD_OK(g.world, weft_replay_open(&desc, g.schedule, JOURNAL, &replay));
    WORLD_OK(g.world, weft_replay_seek(replay));
    while (!weft_replay_info_read(replay).ended)
        WORLD_OK(g.world, weft_replay_tick(replay, g.executor));
    cr_assert_eq(weft_replay_info_read(replay).tick, TICKS);
    cr_assert_eq(weft_replay_info_read(replay).compared, compared);
    weft_replay_close(replay);
    game_close(&g);
}

Test(golden_files, written_elsewhere) {
    if (getenv("WEFT_UPDATE_GOLDEN") != NULL)
        write_files();
    run_again(NULL, &run_configs[0], TICKS + 1);
    run_again(SNAPSHOT, &run_configs[4], TICKS - STOP + 1);
    run_again(SNAPSHOT, &run_configs[7], TICKS - STOP + 1);
}

// Equal states have equal files.
Test(golden_files, the_same_bytes_here) {
    weft_snapshot_desc how = weft_snapshot_desc_default();
    test_folder folder = folder_open();
    test_path path = folder_file(&folder, "again");
    game g = game_open(&weft_workload_orbits, &few, &run_configs[0]);
    WORLD_OK(g.world, weft_snapshot_load(g.world, SNAPSHOT, &how));
    WORLD_OK(g.world, weft_snapshot_save(g.executor, path.text, &how));
    test_bytes there = bytes_load(SNAPSHOT);
    test_bytes here = bytes_load(path.text);
    cr_assert_eq(there.size, here.size);
    cr_assert_eq(memcmp(there.data, here.data, here.size), 0);
    free(there.data);
    free(here.data);
    game_close(&g);
    folder_close(&folder);
}
