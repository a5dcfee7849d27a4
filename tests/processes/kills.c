#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "kills.h"

#include <weft/memory.h>
#include <weft/random.h>

#include <dirent.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "game.h"
#include "workload.h"

#define CHILDREN_MAX 64
// Now and then one follows the other so fast that it meets the recovery.
#define DELAY_US 30000u
#define LOOK_TICKS 4u

/// What the killer and the host tell each other.
typedef struct scene {
    _Atomic uint32_t kills;
    _Atomic bool over;
} scene;

// The killer --------------------------------------------------------------------------------------

// Adds the children that one thread has made.
static uint32_t read_children(const char* path, pid_t all[CHILDREN_MAX], uint32_t count) {
    FILE* file = fopen(path, "r");
    int id;
    while (file != NULL && count < CHILDREN_MAX && fscanf(file, "%d", &id) == 1)
        all[count++] = id;
    if (file != NULL)
        (void)fclose(file);
    return count;
}

static uint32_t find_children(pid_t host, pid_t all[CHILDREN_MAX]) {
    char path[320];
    uint32_t count = 0;
    (void)snprintf(path, sizeof(path), "/proc/%d/task", host);
    DIR* tasks = opendir(path);
    for (const struct dirent* task = tasks != NULL ? readdir(tasks) : NULL; task != NULL;
         task = readdir(tasks)) {
        (void)snprintf(path, sizeof(path), "/proc/%d/task/%s/children", host, task->d_name);
        if (task->d_name[0] != '.')
            count = read_children(path, all, count);
    }
    if (tasks != NULL)
        (void)closedir(tasks);
    return count;
}

// True if it is a worker of the host, looked at while the descriptor holds its id.
static bool is_worker(pid_t id, pid_t host) {
    char path[64];
    char name[32] = "";
    int parent = 0;
    (void)snprintf(path, sizeof(path), "/proc/%d/stat", id);
    FILE* file = fopen(path, "r");
    if (file == NULL)
        return false;
    int found = fscanf(file, "%*d (%31[^)]) %*c %d", name, &parent);
    (void)fclose(file);
    return found == 2 && parent == host && strncmp(name, "weft-", 5) == 0;
}

static bool kill_one(pid_t id, pid_t host) {
    int descriptor = (int)syscall(SYS_pidfd_open, id, 0);
    if (descriptor < 0)
        return false;
    bool killed =
        is_worker(id, host) && syscall(SYS_pidfd_send_signal, descriptor, SIGKILL, NULL, 0) == 0;
    (void)close(descriptor);
    return killed;
}

// Until the host says that it is enough, or is gone.
static void kill_on(scene* stage, pid_t host, uint32_t kills, uint64_t seed) {
    weft_random_key key = {.seed = seed};
    for (uint32_t draw = 0; !stage->over && getppid() == host; draw++) {
        pid_t children[CHILDREN_MAX];
        struct timespec wait = {0, (long)weft_random_below(key, 0, draw, DELAY_US) * 1000};
        (void)nanosleep(&wait, NULL);
        uint32_t count = find_children(host, children);
        if (stage->kills < kills && count > 0 &&
            kill_one(children[weft_random_below(key, 1, draw, count)], host))
            stage->kills++;
    }
    _exit(0);
}

// The host ----------------------------------------------------------------------------------------

static game open_on(const weft_module* module, uint64_t entities, uint32_t workers) {
    weft_module_options options = {entities, 7};
    weft_world_desc desc = weft_world_desc_default();
    weft_executor_desc executor_desc = weft_executor_desc_default();
    weft_memory memory;
    game g = {0};
    desc.seed = options.seed;
    if (module->describe != NULL)
        module->describe(&options, &desc);
    if (workers > 0) {
        cr_assert_eq(weft_memory_aliased(false, &memory), WEFT_STATUS_OK);
        executor_desc.kind = WEFT_EXECUTOR_PROCESSES;
        executor_desc.worker_count = workers;
        executor_desc.everybody = true;
        executor_desc.crash_retries = 1000;
    }
    cr_assert_eq(weft_world_create(&desc, workers > 0 ? &memory : NULL, &g.world), WEFT_STATUS_OK);
    g.schedule = run_schedule(g.world);
    WORLD_OK(g.world, module->build(&options, g.world, g.schedule));
    world_commit(g.world);
    WORLD_OK(g.world, weft_executor_create(&executor_desc, g.schedule, &g.executor));
    return g;
}

static void compare(game* serial, game* g, const char* name, uint64_t seed) {
    cr_assert_eq(weft_world_tick(g->world), weft_world_tick(serial->world));
    cr_assert(weft_digest_equal(game_full(serial), game_full(g)),
              "%s, seed %" PRIu64 ": another digest after tick %" PRIu64, name, seed,
              weft_world_tick(g->world));
}

static void report(const weft_module* module, game* g, uint32_t workers, uint32_t kills,
                   uint64_t seed, uint64_t slowest_ns) {
    weft_executor_stats stats = weft_executor_stats_read(g->executor);
    (void)fprintf(stderr,
                  "%s on %u workers, seed %" PRIu64 ": %u kills seen as %" PRIu64
                  " deaths in %" PRIu64 " ticks; %" PRIu64 " ticks run again; back in %.1f ms on "
                  "average, %.1f ms at most\n",
                  module->name, workers, seed, kills, stats.crashes, weft_world_tick(g->world),
                  stats.reruns, (double)stats.recovery_ns / 1e6 / (double)(stats.crashes + 1),
                  (double)slowest_ns / 1e6);
}

void kills_run(const weft_module* module, uint64_t entities, uint32_t workers, uint32_t kills,
               uint64_t seed) {
    scene* stage =
        mmap(NULL, sizeof(*stage), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(stage, MAP_FAILED);
    pid_t host = getpid();
    uint64_t slowest_ns = 0;
    int status;
    game serial = open_on(module, entities, 0);
    game g = open_on(module, entities, workers);
    pid_t killer = fork();
    cr_assert_geq(killer, 0);
    if (killer == 0)
        kill_on(stage, host, kills, seed);
    while (stage->kills < kills) {
        uint64_t before = weft_executor_stats_read(g.executor).recovery_ns;
        game_tick(module, &serial);
        game_tick(module, &g);
        if (weft_world_tick(g.world) % LOOK_TICKS == 0)
            compare(&serial, &g, module->name, seed);
        uint64_t took = weft_executor_stats_read(g.executor).recovery_ns - before;
        slowest_ns = took > slowest_ns ? took : slowest_ns;
    }
    stage->over = true;
    cr_assert_eq(waitpid(killer, &status, 0), killer);
    game_tick(module, &serial);
    game_tick(module, &g);
    compare(&serial, &g, module->name, seed);
    WORLD_OK(g.world, weft_world_digest_check(g.world));
    weft_executor_stats stats = weft_executor_stats_read(g.executor);
    // Several may be killed before the first is seen.
    cr_assert_geq(stats.crashes, kills / 2);
    cr_assert_leq(stats.crashes, kills);
    report(module, &g, workers, kills, seed, slowest_ns);
    game_close(&g);
    game_close(&serial);
    (void)munmap(stage, sizeof(*stage));
}

void kills_all(uint32_t kills, uint64_t seed) {
    static const struct {
        const weft_module* module;
        uint64_t entities;
    } loads[] = {{&weft_workload_creatures, 20000},
                 {&weft_workload_churn, 20000},
                 {&weft_workload_boids, 3000}};
    uint32_t part = (kills + 5) / 6;
    for (uint32_t i = 0; i < 6; i++)
        kills_run(loads[i % 3].module, loads[i % 3].entities, 2 + i / 3, part, seed + i);
}
