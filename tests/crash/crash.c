#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "crash.h"

#include <weft/journal.h>
#include <weft/random.h>
#include <weft/snapshot.h>

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#include "folder.h"
#include "game.h"
#include "workload.h"

#define TICKS_MAX 4000u
#define DELAY_US 20000u

/// What the writing process was told, in memory that outlives it.
typedef struct told {
    volatile uint64_t durable_tick;
    volatile uint64_t snapshot_tick;
    volatile bool started;
} told;

static const weft_module_options few = {60, 3};

static weft_journal_desc journal_desc(uint32_t round) {
    static const uint32_t syncs[] = {1, 0, 3};
    weft_journal_desc desc = weft_journal_desc_default();
    desc.sync_ticks = syncs[round % 3];
    desc.ring_size = 4096;
    return desc;
}

// Runs until it is killed. No test's assertions here: it is another process.
static void write_on(const char* journal_path, const char* snapshot_path, uint32_t round,
                     told* what) {
    weft_journal_desc desc = journal_desc(round);
    weft_snapshot_desc how = weft_snapshot_desc_default();
    weft_journal* journal;
    game g = game_open(&weft_workload_churn, &few, &run_configs[0]);
    if (weft_journal_create(&desc, g.schedule, journal_path, &journal) != WEFT_STATUS_OK)
        _exit(1);
    what->started = true;
    while (weft_world_tick(g.world) < TICKS_MAX) {
        if (weft_journal_tick(journal, g.executor) != WEFT_STATUS_OK)
            _exit(2);
        // What is written outlives the process, what is durable the machine too.
        weft_journal_progress progress = weft_journal_progress_read(journal);
        what->durable_tick = desc.sync_ticks > 0 ? progress.durable_tick : progress.written_tick;
        if (weft_world_tick(g.world) % 5 == 0) {
            if (weft_snapshot_save(g.executor, snapshot_path, &how) != WEFT_STATUS_OK)
                _exit(3);
            what->snapshot_tick = weft_world_tick(g.world);
        }
    }
    _exit(4);
}

static void kill_one(const char* journal_path, const char* snapshot_path, uint32_t round,
                     uint64_t seed, told* what) {
    int status;
    *what = (told){.started = false};
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0)
        write_on(journal_path, snapshot_path, round, what);
    // Every other one has begun for certain, however busy the machine is.
    for (uint32_t i = 0; i < 30000 && round % 2 == 0 && !what->started; i++) {
        struct timespec moment = {0, 1000000};
        (void)nanosleep(&moment, NULL);
    }
    uint32_t delay = weft_random_below((weft_random_key){.seed = seed}, 0, round, DELAY_US);
    struct timespec wait = {0, (long)delay * 1000};
    (void)nanosleep(&wait, NULL);
    cr_assert_eq(kill(child, SIGKILL), 0);
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFSIGNALED(status) || WEXITSTATUS(status) == 4, "the writer failed: %d",
              WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

// The journal alone: up to what was told at least; then on with it.
static uint64_t look_at_journal(const char* path, uint32_t round, const told* what,
                                weft_digest* end_out) {
    weft_journal_desc desc = journal_desc(round);
    weft_replay* replay;
    weft_journal* journal;
    char line[512];
    game g = game_open(&weft_workload_churn, &few, &run_configs[round % RUN_CONFIGS]);
    WORLD_OK(g.world, weft_replay_open(&desc, g.schedule, path, &replay));
    while (!weft_replay_info_read(replay).ended)
        WORLD_OK(g.world, weft_replay_tick(replay, g.executor));
    uint64_t last = weft_replay_info_read(replay).tick;
    cr_assert_geq(last, what->durable_tick, "round %u: an acknowledged tick is lost", round);
    weft_replay_close(replay);
    WORLD_OK(g.world, weft_journal_continue(&desc, g.schedule, path, &journal));
    for (int i = 0; i < 3; i++)
        WORLD_OK(g.world, weft_journal_tick(journal, g.executor));
    cr_assert_eq(weft_journal_close(journal, line, sizeof(line)), WEFT_STATUS_OK);
    *end_out = game_full(&g);
    game_close(&g);
    return last + 3;
}

// The snapshot, if there is one, and the journal from there to what was written after the repair.
static void look_at_snapshot(const char* path, const char* journal_path, uint32_t round,
                             const told* what, uint64_t last, weft_digest end) {
    weft_journal_desc desc = journal_desc(round);
    weft_snapshot_desc how = weft_snapshot_desc_default();
    weft_replay* replay;
    cr_assert(what->snapshot_tick == 0 || access(path, F_OK) == 0, "an acknowledged file is lost");
    game g = game_open(&weft_workload_churn, &few, &run_configs[(round + 1) % RUN_CONFIGS]);
    if (access(path, F_OK) == 0)
        WORLD_OK(g.world, weft_snapshot_load(g.world, path, &how));
    cr_assert_geq(weft_world_tick(g.world), what->snapshot_tick);
    WORLD_OK(g.world, weft_replay_open(&desc, g.schedule, journal_path, &replay));
    // A machine that lives keeps both, but the snapshot may be of a tick still in the ring.
    if (weft_world_tick(g.world) <= last) {
        WORLD_OK(g.world, weft_replay_seek(replay));
        while (!weft_replay_info_read(replay).ended)
            WORLD_OK(g.world, weft_replay_tick(replay, g.executor));
        cr_assert_eq(weft_world_tick(g.world), last);
        DIGEST_EQ(game_full(&g), end);
    }
    weft_replay_close(replay);
    game_close(&g);
}

void crash_rounds(uint32_t rounds, uint64_t seed) {
    told* what =
        mmap(NULL, sizeof(told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(what, MAP_FAILED);
    uint32_t looked = 0;
    for (uint32_t round = 0; round < rounds; round++) {
        test_folder folder = folder_open();
        test_path journal = folder_file(&folder, "journal");
        test_path snapshot = folder_file(&folder, "snapshot");
        kill_one(journal.text, snapshot.text, round, seed, what);
        bool there = access(journal.text, F_OK) == 0;
        cr_assert(there || !what->started);
        if (there) {
            weft_digest end;
            uint64_t last = look_at_journal(journal.text, round, what, &end);
            look_at_snapshot(snapshot.text, journal.text, round, what, last, end);
            looked++;
        }
        folder_close(&folder);
    }
    cr_assert_geq(looked, rounds / 2, "most were killed before they began");
    (void)munmap(what, sizeof(told));
}
