// What the host does between ticks outlives the death of workers, and so does what it keeps.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "doom.h"

#include <weft/journal.h>
#include <weft/rollback.h>
#include <weft/simlog.h>
#include <weft/snapshot.h>

#include <signal.h>

#include "folder.h"
#include "processes.h"

enum {
    TIMEOUT = 100
};

/// What is done before a tick: to the serial run and to the one whose workers die.
typedef struct host {
    sim s;
    const weft_executor_desc* desc;
    test_path snapshot;
    uint64_t rounds; // Times that the run went back.
} host;

typedef void host_fn(host* h, uint64_t tick);

static void push(weft_world* world, uint64_t force) {
    Push message = {force};
    WORLD_OK(world, weft_world_post(world, WEFT_TYPE(Push), WEFT_ENTITY_NULL, &message));
}

static void make_one(weft_world* world, uint64_t tick) {
    weft_commands* commands = weft_world_commands(world);
    weft_entity made = weft_commands_create(commands, 0);
    WEFT_ADD(commands, 0, made, Hull, {tick, 0, 0});
    WEFT_ADD(commands, 0, made, Cargo, {(uint32_t)tick});
    weft_commands_destroy(commands, 0, (weft_entity){(uint32_t)tick * 5 + 2, 1});
}

static void posts(host* h, uint64_t tick) {
    for (uint64_t i = 0; i < tick % 4; i++)
        push(h->s.world, tick * 10 + i + h->rounds * 1000);
}

static void records(host* h, uint64_t tick) {
    make_one(h->s.world, tick);
}

static void commits(host* h, uint64_t tick) {
    make_one(h->s.world, tick);
    world_commit(h->s.world);
    if (tick % 2 == 0)
        push(h->s.world, tick);
}

static void sets(host* h, uint64_t tick) {
    Dial dial = {tick + 77};
    if (tick == 0)
        WORLD_OK(h->s.world, weft_world_set_resource(h->s.world, WEFT_TYPE(Dial), &dial));
    else
        cr_assert_eq(weft_world_set_resource(h->s.world, WEFT_TYPE(Dial), &dial),
                     WEFT_STATUS_WRONG_PHASE);
}

static void unposts(host* h, uint64_t tick) {
    push(h->s.world, tick);
    push(h->s.world, tick + 1);
    if (tick % 2 == 0)
        weft_world_unpost(h->s.world);
    push(h->s.world, tick + 2);
}

static void keeps(host* h, uint64_t tick) {
    weft_world_keep_tables(h->s.world, tick % 4 < 2);
    if (tick % 3 == 0)
        weft_world_checkpoint(h->s.world);
    push(h->s.world, tick);
}

// A tick by threads in between.
static void alternates(host* h, uint64_t tick) {
    const run_config config = {.name = "threads", .kind = WEFT_EXECUTOR_THREADS, .workers = 2};
    push(h->s.world, tick);
    if (tick % 3 != 1)
        return;
    weft_executor* other = run_executor(h->s.schedule, &config);
    WORLD_OK(h->s.world, weft_executor_tick(other));
    weft_executor_destroy(other);
}

static void starts_again(host* h, uint64_t tick) {
    push(h->s.world, tick);
    if (tick % 4 != 3)
        return;
    weft_executor_destroy(h->s.executor);
    WORLD_OK(h->s.world, weft_executor_create(h->desc, h->s.schedule, &h->s.executor));
}

static void goes_back(host* h, uint64_t tick) {
    if (tick == 8 && h->rounds < 2) {
        h->rounds++;
        WORLD_OK(h->s.world, weft_executor_rollback(h->s.executor, 7 - h->rounds));
        tick = weft_world_tick(h->s.world);
    }
    posts(h, tick);
}

static void loads(host* h, uint64_t tick) {
    weft_snapshot_desc how = weft_snapshot_desc_default();
    if (tick == 4)
        WORLD_OK(h->s.world, weft_snapshot_save(h->s.executor, h->snapshot.text, &how));
    if (tick == 9 && h->rounds == 0) {
        h->rounds++;
        WORLD_OK(h->s.world, weft_snapshot_load(h->s.world, h->snapshot.text, &how));
        tick = weft_world_tick(h->s.world);
    }
    posts(h, tick);
}

// Only the process run has workers to kill.
typedef struct deaths {
    uint32_t idle;    // One dies before each tick that this divides; 0: none.
    bool busy;        // One dies in a system of tick 5.
    uint32_t digests; // Digests are asked for after ticks that this divides.
    bool rolls;       // The executor keeps states to go back to.
    uint32_t image_ticks;
    uint32_t image_percent;
} deaths;

static weft_digest run(const weft_executor_desc* desc, host_fn* act, const deaths* d) {
    test_folder folder = folder_open();
    host h = {.desc = desc, .snapshot = folder_file(&folder, "snapshot")};
    bool mortal = desc->kind == WEFT_EXECUTOR_PROCESSES;
    weft_digest full;
    h.s = doom_open(desc);
    while (weft_world_tick(h.s.world) < DOOM_TICKS) {
        uint64_t tick = weft_world_tick(h.s.world);
        act(&h, tick);
        if (mortal && d->idle != 0 && tick % d->idle == 0)
            doom_kill(&h.s, (uint32_t)(tick % desc->worker_count));
        sim_tick(&h.s);
        if (d->digests != 0 && weft_world_tick(h.s.world) % d->digests == 0)
            WORLD_OK(h.s.world, weft_executor_digest(h.s.executor, NULL, NULL));
    }
    WORLD_OK(h.s.world, weft_executor_digest(h.s.executor, NULL, &full));
    WORLD_OK(h.s.world, weft_world_digest_check(h.s.world));
    sim_close(&h.s);
    folder_close(&folder);
    return full;
}

static void compare(const char* name, host_fn* act, const deaths* d) {
    weft_executor_desc serial = weft_executor_desc_default();
    weft_executor_desc desc = doom_desc(2);
    serial.rollback_ticks = desc.rollback_ticks = d->rolls ? 2 : 0;
    desc.crash_retries = 3; // One may die before a tick and one in it.
    desc.image_ticks = d->image_ticks;
    desc.image_percent = d->image_percent;
    const doom* f = doom_set(DOOM_KILL, DOOM_IN_CHUNK, 0);
    weft_digest expected = run(&serial, act, d);
    doom_set(DOOM_KILL, DOOM_IN_CHUNK, d->busy);
    weft_digest found = run(&desc, act, d);
    cr_assert_eq(f->deaths, d->busy, "%s", name);
    cr_assert(weft_digest_equal(expected, found),
              "%s: another digest (idle %u, busy %d, digests %u, images %u ticks %u percent)", name,
              d->idle, d->busy, d->digests, d->image_ticks, d->image_percent);
}

static const deaths all_deaths[] = {
    {.idle = 0, .busy = true, .digests = 1, .image_percent = 2},
    {.idle = 0, .busy = true, .digests = 5, .image_ticks = 7},
    {.idle = 1, .busy = false, .digests = 0, .image_ticks = 1},
    {.idle = 3, .busy = true, .digests = 2, .image_ticks = 100},
    {.idle = 2, .busy = true, .digests = 1, .image_ticks = 3, .image_percent = 50},
};

static void with_all_deaths(const char* name, host_fn* act, bool rolls) {
    for (uint32_t i = 0; i < sizeof(all_deaths) / sizeof(all_deaths[0]); i++) {
        deaths d = all_deaths[i];
        d.rolls = rolls;
        compare(name, act, &d);
    }
}

Test(between, events_that_were_posted, .timeout = TIMEOUT) {
    with_all_deaths("posts", posts, false);
    with_all_deaths("posts, with rollback", posts, true);
}

Test(between, commands_that_were_recorded_and_committed, .timeout = TIMEOUT) {
    with_all_deaths("records", records, false);
    with_all_deaths("commits", commits, false);
    with_all_deaths("commits, with rollback", commits, true);
}

Test(between, resources_that_were_set, .timeout = TIMEOUT) {
    with_all_deaths("sets", sets, false);
}

Test(between, events_that_were_taken_back, .timeout = TIMEOUT) {
    with_all_deaths("unposts", unposts, false);
}

Test(between, tables_and_checkpoints, .timeout = TIMEOUT) {
    with_all_deaths("keeps", keeps, false);
}

Test(between, ticks_of_another_executor, .timeout = TIMEOUT) {
    with_all_deaths("alternates", alternates, false);
}

Test(between, executors_that_come_and_go, .timeout = TIMEOUT) {
    with_all_deaths("starts again", starts_again, false);
}

Test(between, rollbacks, .timeout = TIMEOUT) {
    with_all_deaths("goes back", goes_back, true);
}

Test(between, snapshots, .timeout = TIMEOUT) {
    with_all_deaths("loads", loads, false);
}

// Requests that are not ticks
// ----------------------------------------------------------------------

Test(between, death_before_a_digest_a_rollback_and_a_save, .timeout = TIMEOUT) {
    weft_digest expected[DOOM_TICKS + 1];
    weft_executor_desc desc = doom_desc(2);
    weft_snapshot_desc how = weft_snapshot_desc_default();
    test_folder folder = folder_open();
    test_path path = folder_file(&folder, "snapshot");
    desc.rollback_ticks = 1;
    doom_set(DOOM_NONE, DOOM_IN_CHUNK, 0);
    doom_expected(expected);
    sim s = doom_open(&desc);
    for (uint32_t worker = 0; worker < 2; worker++) {
        uint64_t tick = 6 + 3 * worker;
        while (weft_world_tick(s.world) < tick)
            doom_tick(&s);
        doom_kill(&s, worker);
        doom_check(&s, expected, "digest");
        cr_assert_eq(weft_executor_stats_read(s.executor).crashes, 3 * worker + 1);
        cr_assert(!weft_executor_crash_report(s.executor)->in_system);
        cr_assert_eq(weft_executor_crash_report(s.executor)->worker, worker);
        doom_kill(&s, worker);
        WORLD_OK(s.world, weft_executor_rollback(s.executor, tick - 1));
        doom_check(&s, expected, "rollback");
        doom_tick(&s);
        doom_kill(&s, worker);
        WORLD_OK(s.world, weft_snapshot_save(s.executor, path.text, &how));
        WORLD_OK(s.world, weft_snapshot_load(s.world, path.text, &how));
        doom_check(&s, expected, "save");
        cr_assert_eq(weft_executor_stats_read(s.executor).crashes, 3 * worker + 3);
    }
    while (weft_world_tick(s.world) < DOOM_TICKS)
        doom_tick(&s);
    doom_check(&s, expected, "end");
    sim_close(&s);
    folder_close(&folder);
}

// Those of the tick at hand alone, however often it was begun.
Test(between, outputs_of_tasks, .timeout = TIMEOUT) {
    weft_task_output expected[DOOM_TICKS][32];
    size_t counts[DOOM_TICKS];
    for (uint32_t images = 0; images < 4; images++) {
        weft_executor_desc desc = images == 0 ? weft_executor_desc_default() : doom_desc(2);
        if (images > 0) {
            desc.image_ticks = images * 2 - 1;
            desc.image_percent = 0;
        }
        doom* f = doom_set(DOOM_KILL, DOOM_IN_CHUNK, images > 0);
        f->tick = 7;
        sim s = doom_open(&desc);
        for (uint32_t tick = 0; tick < DOOM_TICKS; tick++) {
            const weft_task_output* outputs;
            size_t count = 0;
            doom_input(s.world);
            if (tick % 4 != 3) { // The image of tick 4 has outputs of tick 3.
                sim_tick(&s);
                continue;
            }
            WORLD_OK(s.world, weft_executor_tick_traced(s.executor, &outputs, &count));
            cr_assert(count > 0 && count <= 32);
            if (images == 0) {
                counts[tick] = count;
                memcpy(expected[tick], outputs, count * sizeof(outputs[0]));
            }
            cr_assert_eq(count, counts[tick], "images %u, tick %u: %zu outputs", images, tick,
                         count);
            cr_assert_eq(memcmp(outputs, expected[tick], count * sizeof(outputs[0])), 0);
        }
        cr_assert_eq(f->deaths, images > 0);
        sim_close(&s);
    }
}

// Deaths of ticks that run again ------------------------------------------------------------------

Test(between, ticks_that_run_again_may_die_again, .timeout = TIMEOUT) {
    weft_digest expected[DOOM_TICKS + 1];
    weft_executor_desc desc = doom_desc(2);
    desc.image_ticks = 100;
    desc.image_percent = 0;
    doom* f = doom_set(DOOM_ABORT, DOOM_IN_CHUNK, 0);
    doom_expected(expected);
    sim s = doom_open(&desc);
    while (weft_world_tick(s.world) < 7)
        doom_tick(&s);
    f->tick = 6;
    f->left = 5; // The first in tick 7, the others where it comes from.
    doom_tick(&s);
    doom_check(&s, expected, "again");
    cr_assert_eq(f->deaths, 5);
    cr_assert_eq(weft_executor_stats_read(s.executor).crashes, 5);
    cr_assert_eq(weft_executor_crash_report(s.executor)->tick, 7);
    cr_assert_eq(weft_executor_crash_report(s.executor)->deaths, 1);
    cr_assert_geq(weft_executor_stats_read(s.executor).reruns, 1);
    sim_close(&s);
}

// So many that the lists of what is posted do not grow in later ticks: that takes an image.
static void post_many(weft_world* world) {
    for (uint64_t i = 0; weft_world_tick(world) < 3 && i < 30; i++)
        push(world, i);
    doom_input(world);
}

static void run_to(sim* s, uint64_t end, weft_digest digests[DOOM_TICKS + 1]) {
    while (weft_world_tick(s->world) < end) {
        post_many(s->world);
        sim_tick(s);
        WORLD_OK(s->world,
                 weft_executor_digest(s->executor, NULL, &digests[weft_world_tick(s->world)]));
    }
}

// Two deaths: in tick 10, and in tick 8 when that comes again. Where the budget allows it, half of
// the way is kept.
static void die_on_the_way(bool allowed) {
    weft_digest expected[DOOM_TICKS + 1];
    weft_digest found[DOOM_TICKS + 1];
    weft_executor_desc desc = weft_executor_desc_default();
    doom* f = doom_set(DOOM_ABORT, DOOM_IN_CHUNK, 0);
    sim serial = doom_open(&desc);
    run_to(&serial, DOOM_TICKS, expected);
    sim_close(&serial);
    desc = doom_desc(2);
    desc.image_ticks = 1;
    sim s = doom_open(&desc);
    weft__recovery* recovery = &s.executor->processes->recovery;
    run_to(&s, 4, found);
    recovery->cost_ns = UINT64_MAX / 1000; // None, for now.
    uint64_t images = weft_executor_stats_read(s.executor).images;
    uint64_t first = recovery->tick;
    uint64_t half = first + (10 - first + 1) / 2;
    run_to(&s, 10, found);
    cr_assert_eq(weft_executor_stats_read(s.executor).images, images);
    cr_assert_leq(first, 4);
    if (allowed) // One tick more, and it is due.
        recovery->cost_ns = recovery->ticks_ns * desc.image_percent / 100 + 1;
    f->tick = 8;
    f->left = 2;
    run_to(&s, 11, found);
    weft_executor_stats stats = weft_executor_stats_read(s.executor);
    cr_assert_eq(f->deaths, 2);
    cr_assert_eq(stats.crashes, 2);
    cr_assert_eq(stats.images, images + allowed);
    cr_assert_eq(recovery->tick, allowed ? half : first, "%" PRIu64, recovery->tick);
    cr_assert_eq(stats.reruns, 8 - first + 10 - (allowed ? half : first), "%" PRIu64, stats.reruns);
    run_to(&s, DOOM_TICKS, found);
    for (uint32_t tick = 1; tick <= DOOM_TICKS; tick++)
        cr_assert(weft_digest_equal(found[tick], expected[tick]), "another digest after tick %u",
                  tick);
    sim_close(&s);
}

Test(between, an_image_is_taken_on_the_way, .timeout = TIMEOUT) {
    die_on_the_way(false);
    die_on_the_way(true);
}

// What is not in the world ------------------------------------------------------------------------

Test(between, a_system_that_counts_outside_of_the_world_is_found, .timeout = TIMEOUT) {
    weft_executor_desc desc = doom_desc(2);
    desc.image_ticks = 100;
    desc.image_percent = 0;
    for (uint32_t asked = 0; asked < 2; asked++) {
        doom* f = doom_set(DOOM_KILL, DOOM_IN_CHUNK, 1);
        f->unsound = true;
        sim s = doom_open(&desc);
        while (weft_world_tick(s.world) < f->tick) {
            doom_tick(&s);
            if (asked != 0)
                WORLD_OK(s.world, weft_executor_digest(s.executor, NULL, NULL));
        }
        doom_input(s.world);
        // Where nobody was told a digest, nobody can be told another one.
        weft_status expected = asked != 0 ? WEFT_STATUS_DIVERGED : WEFT_STATUS_OK;
        cr_assert_eq(weft_executor_tick(s.executor), expected, "%s", weft_world_error(s.world));
        cr_assert_eq(weft_world_has_failed(s.world), asked != 0);
        if (asked != 0) {
            TEXT_HAS(weft_world_error(s.world), "run again after a worker process had died");
            TEXT_HAS(weft_world_error(s.world), " begins with another digest");
            TEXT_HAS(weft_world_error(s.world), "depends on what is not in the world");
            cr_assert_eq(weft_executor_tick(s.executor), WEFT_STATUS_WORLD_FAILED);
        }
        sim_close(&s);
    }
}

// Files -------------------------------------------------------------------------------------------

// Runs a journal again while workers die.
static void replay(const char* path) {
    weft_journal_desc journal_desc = weft_journal_desc_default();
    weft_executor_desc desc = doom_desc(2);
    weft_replay* again;
    uint64_t tick = 0;
    desc.crash_retries = 3;
    desc.image_ticks = 100;
    desc.image_percent = 0;
    const doom* f = doom_set(DOOM_EXIT, DOOM_IN_WORLD, 1);
    sim s = doom_open(&desc);
    WORLD_OK(s.world, weft_replay_open(&journal_desc, s.schedule, path, &again));
    while (!weft_replay_info_read(again).ended) {
        if (++tick % 4 == 0)
            doom_kill(&s, (uint32_t)(tick / 4 % 2));
        WORLD_OK(s.world, weft_replay_tick(again, s.executor));
    }
    cr_assert_eq(weft_replay_info_read(again).tick, DOOM_TICKS);
    cr_assert_eq(weft_replay_info_read(again).compared, DOOM_TICKS);
    cr_assert_eq(weft_world_tick(s.world), DOOM_TICKS);
    cr_assert_eq(f->deaths, 1);
    cr_assert_geq(weft_executor_stats_read(s.executor).crashes, 4);
    weft_replay_close(again);
    sim_close(&s);
}

// Runs with a journal and a log.
static void keep_files(const weft_executor_desc* desc, const char* journal_path,
                       const char* log_path) {
    weft_journal_desc journal_desc = weft_journal_desc_default();
    weft_simlog_desc log_desc = weft_simlog_desc_default();
    weft_journal* journal;
    weft_simlog* log;
    char line[WEFT_SIMLOG_LINE] = "";
    sim s = doom_open(desc);
    log_desc.segment_ticks = 4;
    WORLD_OK(s.world, weft_journal_create(&journal_desc, s.schedule, journal_path, &journal));
    cr_assert_eq(weft_simlog_open(&log_desc, log_path, s.world, &log, line), WEFT_STATUS_OK, "%s",
                 line);
    while (weft_world_tick(s.world) < DOOM_TICKS) {
        uint64_t tick = weft_world_tick(s.world);
        doom_input(s.world);
        if (desc->kind == WEFT_EXECUTOR_PROCESSES && tick % 3 == 2)
            doom_kill(&s, (uint32_t)(tick % desc->worker_count));
        WORLD_OK(s.world, weft_journal_tick(journal, s.executor));
        cr_assert_eq(weft_simlog_tick(log), WEFT_STATUS_OK, "%s", weft_simlog_error(log));
    }
    cr_assert_eq(weft_simlog_close(log, line), WEFT_STATUS_OK, "%s", line);
    cr_assert_eq(weft_journal_close(journal, line, sizeof(line)), WEFT_STATUS_OK, "%s", line);
    sim_close(&s);
}

Test(between, journals_and_logs, .timeout = TIMEOUT) {
    static const char* const names[] = {"serial", "images 1", "images 100"};
    test_folder folder = folder_open();
    test_bytes expected = {.data = NULL};
    test_path first = folder_file(&folder, "serial journal");
    for (uint32_t i = 0; i < 3; i++) {
        char name[64];
        char line[512] = "";
        weft_executor_desc desc = i == 0 ? weft_executor_desc_default() : doom_desc(2);
        weft_journal_difference difference;
        doom* f = doom_set(DOOM_NULL, DOOM_IN_CHUNK, i > 0);
        if (i > 0) {
            desc.crash_retries = 3;
            desc.image_ticks = i == 1 ? 1 : 100;
            desc.image_percent = 0;
        }
        (void)snprintf(name, sizeof(name), "%s journal", names[i]);
        test_path journal = folder_file(&folder, name);
        (void)snprintf(name, sizeof(name), "%s log", names[i]);
        test_path log = folder_file(&folder, name);
        keep_files(&desc, journal.text, log.text);
        cr_assert_eq(f->deaths, i > 0);
        test_bytes bytes = bytes_load(log.text);
        if (i == 0)
            expected = bytes;
        cr_assert_eq(bytes.size, expected.size, "%s: a log of another size", names[i]);
        cr_assert_eq(memcmp(bytes.data, expected.data, bytes.size), 0, "%s: another log", names[i]);
        cr_assert_eq(
            weft_journal_compare(first.text, journal.text, &difference, line, sizeof(line)),
            WEFT_STATUS_OK, "%s", line);
        cr_assert(!difference.found, "%s: another journal: %s", names[i], line);
        replay(journal.text);
        if (i > 0)
            free(bytes.data);
    }
    free(expected.data);
    folder_close(&folder);
}
