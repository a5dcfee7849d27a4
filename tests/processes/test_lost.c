// A world that is lost: no image of it is kept, and a worker that died may have written anywhere.
// Calls say so, and all that the program has can be destroyed.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "doom.h"
#include "hosts.h"

#include <weft/rollback.h>
#include <weft/snapshot.h>
#include <weft/trace.h>

#include <sys/wait.h>
#include <unistd.h>

#include "folder.h"
#include "processes.h"

enum {
    TIMEOUT = 100
};

static weft_executor_desc desc_of(uint32_t workers) {
    weft_executor_desc desc = doom_desc(workers);
    desc.image_percent = 0;
    return desc;
}

static bool is_mapped(const char* name) {
    char line[512];
    bool found = false;
    FILE* maps = fopen("/proc/self/maps", "r");
    while (maps != NULL && fgets(line, sizeof(line), maps) != NULL)
        found |= strstr(line, name) != NULL;
    if (maps != NULL)
        (void)fclose(maps);
    return found;
}

static int ask_world(weft_world* world) {
    Push message = {1};
    uint32_t count;
    const weft_access none[1] = {{0}};
    weft_commands* commands = weft_world_commands(world);
    weft_entity made = weft_commands_create(commands, 0);
    weft_commands_destroy(commands, 0, made);
    EXPECT(weft_world_has_failed(world) && weft_world_error(world)[0] != '\0');
    EXPECT(weft_world_commit(world) == WEFT_STATUS_WORLD_FAILED);
    EXPECT(weft_world_post(world, WEFT_TYPE(Push), WEFT_ENTITY_NULL, &message) ==
           WEFT_STATUS_WORLD_FAILED);
    EXPECT(weft_world_register_component(world, WEFT_TYPE(Cargo), WEFT_STORAGE_DENSE) ==
           WEFT_STATUS_WORLD_FAILED);
    EXPECT(weft_world_entity_count(world) == 0 && weft_world_input_count(world) == 0);
    EXPECT(!weft_world_is_alive(world, (weft_entity){1, 1}));
    EXPECT(weft_world_read(world, (weft_entity){1, 1}, WEFT_TYPE(Hull)) == NULL);
    EXPECT(weft_world_resource(world, WEFT_TYPE(Gauge)) == NULL);
    EXPECT(weft_world_messages(world, WEFT_TYPE(Note), &count) == NULL && count == 0);
    EXPECT(weft_world_table_count(world) == 0);
    EXPECT(weft_world_digest_check(world) == WEFT_STATUS_WORLD_FAILED);
    (void)weft_world_digest_full(world);
    (void)weft_world_stats_read(world);
    weft_world_unpost(world);
    weft_world_checkpoint(world);
    weft_cursor cursor = weft_world_visit(world, none, 0);
    EXPECT(!weft_cursor_next(&cursor));
    return 0;
}

static int ask_executor(weft_executor* executor) {
    const weft_task_output* outputs;
    size_t count;
    EXPECT(weft_executor_tick(executor) == WEFT_STATUS_WORLD_FAILED);
    EXPECT(weft_executor_commit(executor) == WEFT_STATUS_WORLD_FAILED);
    EXPECT(weft_executor_digest(executor, NULL, NULL) == WEFT_STATUS_WORLD_FAILED);
    EXPECT(weft_executor_rollback(executor, 2) == WEFT_STATUS_WORLD_FAILED);
    EXPECT(weft_executor_tick_traced(executor, &outputs, &count) == WEFT_STATUS_WORLD_FAILED);
    return 0;
}

static int save(const sim* s) {
    weft_snapshot_desc how = weft_snapshot_desc_default();
    test_folder folder = folder_open();
    test_path path = folder_file(&folder, "snapshot");
    weft_status status = weft_snapshot_save(s->executor, path.text, &how);
    folder_close(&folder);
    EXPECT(status == WEFT_STATUS_WORLD_FAILED);
    return 0;
}

static int lose(void* context) {
    const weft_executor_desc* desc = context;
    const doom* f = doom_get();
    weft_executor_desc threads = weft_executor_desc_default();
    weft_schedule* other;
    weft_executor* second;
    weft_executor* third;
    sim s = doom_open(desc);
    threads.kind = WEFT_EXECUTOR_THREADS;
    threads.worker_count = 2;
    EXPECT(weft_executor_create(&threads, s.schedule, &second) == WEFT_STATUS_OK);
    EXPECT(weft_schedule_create(s.world, &other) == WEFT_STATUS_OK);
    EXPECT(is_mapped("memfd:"));
    while (weft_world_tick(s.world) < f->tick)
        EXPECT(weft_executor_tick(s.executor) == WEFT_STATUS_OK);
    EXPECT(weft_executor_tick(s.executor) == WEFT_STATUS_CRASHED);
    const weft_crash_report* report = weft_executor_crash_report(s.executor);
    EXPECT(report->kind != WEFT_CRASH_NONE && report->text[0] != '\0');
    EXPECT(strstr(weft_world_error(s.world), report->text) != NULL);
    EXPECT(strstr(weft_world_error(s.world), "no image of the world is kept") != NULL);
    EXPECT(weft_world_tick(s.world) == f->tick);
    EXPECT(weft_executor_stats_read(s.executor).crashes == 1);
    EXPECT(weft_executor_stats_read(s.executor).ticks == f->tick);
    EXPECT(ask_world(s.world) == 0 && ask_executor(s.executor) == 0 && save(&s) == 0);
    EXPECT(weft_executor_tick(second) == WEFT_STATUS_WORLD_FAILED);
    EXPECT(weft_trace_lost(s.executor, 0) == 0);
    EXPECT(weft_schedule_system_count(s.schedule) == 0 &&
           weft_schedule_stage_count(s.schedule) == 0);
    EXPECT(weft_executor_create(&threads, s.schedule, &third) == WEFT_STATUS_OK);
    EXPECT(weft_executor_tick(third) == WEFT_STATUS_WORLD_FAILED);
    weft_executor_destroy(third);
    weft_executor_destroy(second);
    weft_schedule_destroy(other);
    sim_close(&s);
    EXPECT(!is_mapped("memfd:"));
    return 0;
}

static void lose_by(const weft_executor_desc* desc, doom_kind kind) {
    weft_executor_desc own = *desc;
    doom_set(kind, DOOM_IN_CHUNK, 1);
    cr_assert_eq(hosts_fork(lose, &own), 0, "%s", doom_name(kind));
}

Test(lost, calls_say_so_and_all_can_be_destroyed, .timeout = TIMEOUT) {
    static const doom_kind kinds[] = {DOOM_KILL, DOOM_NULL, DOOM_WILD_WORLD, DOOM_WILD_ALL};
    for (uint32_t i = 0; i < 12; i++) {
        weft_executor_desc desc = desc_of(1 + i % 3);
        lose_by(&desc, kinds[i % 4]);
    }
}

Test(lost, with_states_traces_and_guards, .timeout = TIMEOUT) {
    weft_executor_desc desc = desc_of(2);
    desc.rollback_ticks = 2;
    desc.trace_records = 1000;
    lose_by(&desc, DOOM_WILD_WORLD);
    desc = desc_of(1);
    desc.guard = WEFT_GUARD_ALIAS; // It would find wild writes.
    lose_by(&desc, DOOM_KILL);
}

// What is known of the death does not come from the world.
Test(lost, the_report_names_the_system, .timeout = TIMEOUT) {
    weft_executor_desc desc = desc_of(2);
    const doom* f = doom_set(DOOM_KILL, DOOM_IN_CHUNK, 1);
    sim s = doom_open(&desc);
    while (weft_world_tick(s.world) < f->tick)
        doom_tick(&s);
    cr_assert_eq(weft_executor_tick(s.executor), WEFT_STATUS_CRASHED);
    const weft_crash_report* report = weft_executor_crash_report(s.executor);
    cr_assert_str_eq(report->system, "doomed");
    cr_assert_eq(report->tick, f->tick);
    TEXT_HAS(weft_world_error(s.world), "in system \"doomed\", archetype 2, shard 1");
    sim_close(&s);
}

// A process that was forked from the host before has the world as well.
Test(lost, a_stranger_may_destroy_what_it_has, .timeout = TIMEOUT) {
    int ends[2];
    int status;
    char byte = 0;
    weft_executor_desc desc = desc_of(2);
    const doom* f = doom_set(DOOM_WILD_WORLD, DOOM_IN_CHUNK, 1);
    sim s = doom_open(&desc);
    cr_assert_eq(pipe(ends), 0);
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        (void)!read(ends[0], &byte, 1);
        if (weft_executor_tick(s.executor) != WEFT_STATUS_UNSUPPORTED)
            _exit(1);
        weft_executor_destroy(s.executor);
        weft_schedule_destroy(s.schedule);
        weft_world_destroy(s.world);
        _exit(0);
    }
    while (weft_world_tick(s.world) < f->tick)
        doom_tick(&s);
    cr_assert_eq(weft_executor_tick(s.executor), WEFT_STATUS_CRASHED);
    cr_assert_eq(write(ends[1], &byte, 1), 1);
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%x", (unsigned)status);
    cr_assert(weft_world_has_failed(s.world));
    sim_close(&s);
}
