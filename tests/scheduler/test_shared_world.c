// A world in memory that worker processes share: where that is short, refused, or not shared at
// all.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <weft/crash.h>

#include "worlds.h"

#include <sys/resource.h>

#if TEST_HAS_PROCESSES
WEFT_COMPONENT(Sheep, (array, uint64_t, wool, 8));

enum {
    MIB = 1 << 20,
    FLOCK = 5000
};

// Each tick as many again as a row says.
static weft_status breed(weft_view* view, const void* context) {
    const uint32_t* lambs = context;
    Sheep* sheep = WEFT_WRITE(view, Sheep);
    weft_commands* commands = weft_view_commands(view);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++)
        sheep[i].wool[weft_view_tick(view) % 8] += i;
    for (uint32_t i = 0; i < *lambs; i++)
        WEFT_ADD(commands, 0, weft_commands_create(commands, 0), Sheep, {{i}});
    return WEFT_STATUS_OK;
}

static weft_schedule* flock(weft_world* world, const uint32_t* lambs) {
    weft_schedule* schedule = run_schedule(world);
    world_component(world, WEFT_TYPE(Sheep), WEFT_STORAGE_DENSE);
    for (uint32_t i = 0; i < FLOCK; i++)
        WEFT_CREATE(weft_world_commands(world), 0, WEFT_VALUE(Sheep, {{i}}));
    world_commit(world);
    run_add(schedule, WEFT_SYSTEM("breed", breed, .context = lambs,
                                  WEFT_ACCESS(WEFT_WRITES(Sheep), WEFT_COMMANDS)));
    return schedule;
}

static weft_executor_desc processes(void) {
    weft_executor_desc desc = weft_executor_desc_default();
    desc.kind = WEFT_EXECUTOR_PROCESSES;
    desc.worker_count = 2;
    return desc;
}

static void limit(int what, rlim_t bytes) {
    struct rlimit now;
    cr_assert_eq(getrlimit(what, &now), 0);
    now.rlim_cur = bytes;
    cr_assert_eq(setrlimit(what, &now), 0);
}

static weft_digest after_ticks(weft_executor_kind kind, uint32_t ticks) {
    static const uint32_t lambs = 3;
    weft_world_desc world_desc = weft_world_desc_default();
    weft_executor_desc desc = processes();
    sim s = {.world = world_make_for(kind, &world_desc)};
    weft_digest full;
    desc.kind = kind;
    s.schedule = flock(s.world, &lambs);
    WORLD_OK(s.world, weft_executor_create(&desc, s.schedule, &s.executor));
    for (uint32_t i = 0; i < ticks; i++)
        sim_tick(&s);
    WORLD_OK(s.world, weft_executor_digest(s.executor, NULL, &full));
    sim_close(&s);
    return full;
}

Test(shared_world, other_memory_is_refused_with_the_way_out) {
    static const uint32_t lambs = 0;
    weft_memory memories[] = {{0}, weft_memory_system()};
    for (int i = 0; i < 2; i++) {
        weft_world_desc world_desc = weft_world_desc_default();
        weft_executor_desc desc = processes();
        sim s = {0};
        cr_assert_eq(weft_world_create(&world_desc, i == 0 ? NULL : &memories[i], &s.world),
                     WEFT_STATUS_OK);
        s.schedule = flock(s.world, &lambs);
        cr_assert_eq(weft_executor_create(&desc, s.schedule, &s.executor),
                     WEFT_STATUS_BAD_ARGUMENT);
        cr_assert_null(s.executor);
        TEXT_HAS(weft_world_error(s.world), "weft_memory_aliased()");
        s.executor = run_executor(s.schedule, &run_configs[0]); // The world is none the worse.
        sim_tick(&s);
        sim_close(&s);
    }
}

// The first address that a limit takes away is no signal but a refusal.
Test(shared_world, a_limit_of_file_sizes_is_a_smaller_range, .timeout = 60) {
    weft_digest expected = after_ticks(WEFT_EXECUTOR_SERIAL, 5);
    weft_memory memory;
    limit(RLIMIT_FSIZE, (rlim_t)300 * MIB + 77);
    DIGEST_EQ(after_ticks(WEFT_EXECUTOR_PROCESSES, 5), expected);
    cr_assert_eq(weft_memory_aliased(false, &memory), WEFT_STATUS_OK);
    cr_assert(memory.read_alias > 0 && memory.read_alias <= 300 * (ptrdiff_t)MIB);
    cr_assert_null(memory.acquire(memory.context, (size_t)300 * MIB));
    cr_assert_not_null(memory.acquire(memory.context, MIB));
    memory.close(memory.context);
    limit(RLIMIT_FSIZE, MIB);
    cr_assert_eq(weft_memory_aliased(false, &memory), WEFT_STATUS_OUT_OF_MEMORY);
}

// Grows until the limit, in the workers' own doing.
Test(shared_world, a_tick_beyond_the_limit_fails_the_world_and_nobody_dies, .timeout = 60) {
    static const uint32_t lambs = 200000;
    weft_world_desc world_desc = weft_world_desc_default();
    weft_executor_desc desc = processes();
    weft_status status = WEFT_STATUS_OK;
    limit(RLIMIT_FSIZE, (rlim_t)257 * MIB);
    sim s = {.world = world_make_for(WEFT_EXECUTOR_PROCESSES, &world_desc)};
    s.schedule = flock(s.world, &lambs);
    desc.image_percent = 0;
    WORLD_OK(s.world, weft_executor_create(&desc, s.schedule, &s.executor));
    for (uint32_t i = 0; i < 100 && status == WEFT_STATUS_OK; i++)
        status = weft_executor_tick(s.executor);
    cr_assert_eq(status, WEFT_STATUS_OUT_OF_MEMORY, "%s", weft_world_error(s.world));
    cr_assert(weft_world_has_failed(s.world));
    cr_assert_eq(weft_executor_tick(s.executor), WEFT_STATUS_WORLD_FAILED);
    cr_assert_eq(weft_executor_crash_report(s.executor)->kind, WEFT_CRASH_NONE);
    cr_assert_eq(weft_executor_stats_read(s.executor).crashes, 0);
    sim_close(&s);
}

// Sanitizers have all addresses for themselves.
#if TEST_EFFORT_PART == 1
static size_t addresses_in_use(void) {
    unsigned long pages = 0;
    FILE* file = fopen("/proc/self/statm", "r");
    cr_assert_not_null(file);
    cr_assert_eq(fscanf(file, "%lu", &pages), 1);
    (void)fclose(file);
    return (size_t)pages * 4096;
}

Test(shared_world, a_limit_of_addresses_is_a_smaller_range_or_a_refusal, .timeout = 60) {
    weft_digest expected = after_ticks(WEFT_EXECUTOR_SERIAL, 5);
    weft_memory memory;
    limit(RLIMIT_AS, addresses_in_use() + (rlim_t)3000 * MIB);
    cr_assert_eq(weft_memory_aliased(false, &memory), WEFT_STATUS_OK);
    cr_assert_lt(memory.read_alias, 1500 * (ptrdiff_t)MIB);
    memory.close(memory.context);
    DIGEST_EQ(after_ticks(WEFT_EXECUTOR_PROCESSES, 5), expected);
    limit(RLIMIT_AS, addresses_in_use() + (rlim_t)300 * MIB);
    cr_assert_eq(weft_memory_aliased(false, &memory), WEFT_STATUS_OUT_OF_MEMORY);
}
#endif

Test(shared_world, no_more_descriptors_are_a_refusal, .timeout = 60) {
    static const uint32_t lambs = 0;
    weft_world_desc world_desc = weft_world_desc_default();
    weft_executor_desc desc = processes();
    sim s = {.world = world_make_for(WEFT_EXECUTOR_PROCESSES, &world_desc)};
    s.schedule = flock(s.world, &lambs);
    limit(RLIMIT_NOFILE, 3); // No event can be opened.
    cr_assert_eq(weft_executor_create(&desc, s.schedule, &s.executor), WEFT_STATUS_OS);
    TEXT_HAS(weft_world_error(s.world), "no memory, or no descriptor, for worker processes");
    limit(RLIMIT_NOFILE, 256);
    WORLD_OK(s.world, weft_executor_create(&desc, s.schedule, &s.executor));
    sim_tick(&s);
    sim_close(&s);
}
#endif
