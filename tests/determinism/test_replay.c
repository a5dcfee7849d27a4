// Every workload with a journal: run again alone and from snapshots, by other executors, with every
// digest compared.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <weft/journal.h>
#include <weft/random.h>
#include <weft/snapshot.h>

#include "folder.h"
#include "game.h"
#include "workload.h"

#define TICKS 16u

static uint64_t replay_all(game* g, const char* path, bool seek) {
    weft_journal_desc desc = weft_journal_desc_default();
    weft_replay* replay;
    WORLD_OK(g->world, weft_replay_open(&desc, g->schedule, path, &replay));
    if (seek)
        WORLD_OK(g->world, weft_replay_seek(replay));
    uint64_t first = weft_world_tick(g->world);
    while (!weft_replay_info_read(replay).ended)
        WORLD_OK(g->world, weft_replay_tick(replay, g->executor));
    weft_replay_info info = weft_replay_info_read(replay);
    cr_assert_eq(info.torn, 0);
    cr_assert_eq(info.compared, info.tick - first + seek);
    weft_replay_close(replay);
    return info.tick;
}

static void record(const weft_module* module, game* g, const char* path, uint64_t snapshot_tick,
                   const char* snapshot) {
    weft_journal_desc desc = weft_journal_desc_default();
    weft_snapshot_desc how = weft_snapshot_desc_default();
    weft_journal* journal;
    char line[512];
    WORLD_OK(g->world, weft_journal_create(&desc, g->schedule, path, &journal));
    while (weft_world_tick(g->world) < TICKS) {
        if (weft_world_tick(g->world) == snapshot_tick)
            WORLD_OK(g->world, weft_snapshot_save(g->executor, snapshot, &how));
        game_input(module, g);
        WORLD_OK(g->world, weft_journal_tick(journal, g->executor));
    }
    cr_assert_eq(weft_journal_close(journal, line, sizeof(line)), WEFT_STATUS_OK);
}

static void check_workload(const weft_module* module, uint64_t entities, uint32_t draw) {
    weft_module_options options = {entities, 1};
    weft_snapshot_desc how = weft_snapshot_desc_default();
    test_folder folder = folder_open();
    test_path journal = folder_file(&folder, "journal");
    test_path snapshot = folder_file(&folder, "snapshot");
    uint64_t stop = weft_random_below((weft_random_key){.seed = 23}, draw, 0, TICKS);
    game one = game_open(module, &options, &run_configs[draw % RUN_CONFIGS]);
    record(module, &one, journal.text, stop, snapshot.text);
    weft_digest last = game_full(&one);
    for (uint32_t i = 0; i < 2; i++) {
        game other = game_open(module, &options, &run_configs[(draw + 3 + 2 * i) % RUN_CONFIGS]);
        if (i == 1)
            WORLD_OK(other.world, weft_snapshot_load(other.world, snapshot.text, &how));
        cr_assert_eq(replay_all(&other, journal.text, i == 1), TICKS);
        DIGEST_EQ(game_full(&other), last);
        game_close(&other);
    }
    game_close(&one);
    folder_close(&folder);
}

Test(replay, every_workload_alone_and_from_snapshots, .timeout = 120) {
    size_t count;
    const weft_module* const* modules = weft_workloads(&count);
    for (uint32_t i = 0; i < count; i++)
        if (modules[i] != &weft_workload_canary) // Which keeps no promise.
            check_workload(modules[i], modules[i] == &weft_workload_overhead ? 10 : 9000, i);
}
