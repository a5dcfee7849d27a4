/// Worker processes beside threads: every workload; a stage of next to nothing; what images cost;
/// and how long it takes to come back from a death.

#define _GNU_SOURCE

#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lockstep.h"

enum {
    THREADS = 0,
    PROCESSES = 1,
    SIDES = 2,
    STAGES = 200,
    DEATHS = 5,
    WARM = 20,
    PERCENT = 2,
    IMAGES = 3,
    STRETCH_TICKS = 20000,
};

typedef struct subject {
    const weft_module* module;
    uint64_t entity_count;
    uint64_t quick_count;
    double target; // Of the ratio; 0: none.
    bool images;   // Their share is measured too.
} subject;

static const subject subjects[] = {
    {&weft_workload_creatures, 1000000, 2000, 1.1, true},
    {&weft_workload_motion, 1000000, 2000, 0, true},
    {&weft_workload_motion_compute, 100000, 2000, 0, false},
    {&weft_workload_churn, 100000, 2000, 0, false},
    {&weft_workload_churn_sparse, 100000, 2000, 0, false},
    {&weft_workload_boids, 20000, 500, 0, false},
    {&weft_workload_tick10, 1000000, 2000, 0, false},
    {&weft_workload_orbits, 20000, 500, 0, false},
    {&weft_workload_overhead, 10, 10, 0, false},
};

static weft_executor_desc processes_of(uint32_t workers, const weft_topology* topology) {
    weft_executor_desc desc = weft_rig_threads(workers, topology);
    desc.kind = WEFT_EXECUTOR_PROCESSES;
    return desc;
}

static uint64_t size_of(const weft_measure_options* options, const subject* what) {
    if (options->entity_count > 0)
        return options->entity_count;
    return options->quick ? what->quick_count : what->entity_count;
}

// Workloads --------------------------------------------------------------------------------------

// What images take of the time of ticks, over a stretch that begins and ends with one.
static weft_status share(const weft_measure_options* options, const char* label, weft_rig* rig,
                         weft_measure_table* table) {
    weft_series taken = {.count = 0};
    weft_series image = {.count = 0};
    uint64_t ticks_max = options->quick ? 200 : STRETCH_TICKS;
    for (uint32_t i = 0; i <= IMAGES; ++i) {
        weft_executor_stats begin = weft_executor_stats_read(rig->executor[0]);
        weft_executor_stats end = begin;
        uint64_t start = weft_measure_now_ns();
        while (end.images == begin.images && end.ticks < begin.ticks + ticks_max) {
            WEFT_TRY(weft_rig_tick(rig, 0));
            end = weft_executor_stats_read(rig->executor[0]);
        }
        double ns = (double)(end.images_ns - begin.images_ns);
        if (i == 0 || end.images == begin.images)
            continue; // The first stretch began anywhere.
        weft_series_add(&taken, 100 * ns / (double)(weft_measure_now_ns() - start));
        weft_series_add(&image, ns);
    }
    if (image.count == 0)
        return WEFT_STATUS_OK; // Ticks are too short for one.
    weft_executor_stats stats = weft_executor_stats_read(rig->executor[0]);
    weft_measure_row* row = weft_measure_add(table, "ms", &image, 1e-6, "%s, one image", label);
    snprintf(row->note, sizeof(row->note), "%.1f MB", (double)stats.image_bytes / 1e6);
    row = weft_measure_add(table, "%", &taken, 1, "%s, images, share of the time", label);
    weft_measure_target(options, row, WEFT_MEASURE_AT_MOST, PERCENT);
    return WEFT_STATUS_OK;
}

static weft_status compare(const weft_measure_options* options, const weft_topology* topology,
                           uint32_t workers, const subject* what, weft_measure_table* table) {
    uint64_t entities = size_of(options, what);
    weft_lockstep_length length = weft_lockstep_length_of(options);
    weft_lockstep all[SIDES] = {
        {.name = "threads", .desc = weft_rig_threads(workers, topology), .pins_caller = true},
        {.name = "processes", .desc = processes_of(workers, topology), .aliased = true},
    };
    char label[64];
    length.warm = options->quick ? 2 : WARM;
    for (uint32_t i = 0; i < SIDES; ++i) {
        all[i].module = what->module;
        all[i].entity_count = entities;
    }
    weft_status status = weft_lockstep_run(options, what->module->name, length, all, SIDES, table);
    if (status == WEFT_STATUS_OK && !weft_lockstep_equal(&all[THREADS], &all[PROCESSES])) {
        snprintf(table->error, sizeof(table->error), "%s: processes end in another world",
                 what->module->name);
        status = WEFT_STATUS_DIVERGED;
    }
    if (status == WEFT_STATUS_OK) {
        weft_series ratio = weft_series_ratio(&all[PROCESSES].us, &all[THREADS].us);
        snprintf(label, sizeof(label), "%s, %llu", what->module->name,
                 (unsigned long long)entities);
        weft_measure_add(table, "us/tick", &all[THREADS].us, 1, "%s, %u threads", label, workers);
        weft_measure_add(table, "us/tick", &all[PROCESSES].us, 1, "%s, %u processes", label,
                         workers);
        weft_measure_row* row =
            weft_measure_add(table, "ratio", &ratio, 1, "%s, processes to threads", label);
        if (what->target > 0)
            weft_measure_target(options, row, WEFT_MEASURE_AT_MOST, what->target);
        if (what->images)
            status = share(options, label, &all[PROCESSES].rig, table);
    }
    weft_lockstep_close(all, SIDES);
    return status;
}

// Stages of next to nothing ----------------------------------------------------------------------

WEFT_COMPONENT(Ping, (uint32_t, count));
WEFT_COMPONENT(Pong, (uint32_t, count));

static weft_status ping(weft_view* view, const void* context) {
    (void)context;
    WEFT_WRITE(view, Ping)[0].count++;
    return WEFT_STATUS_OK;
}

static weft_status pong(weft_view* view, const void* context) {
    (void)context;
    WEFT_WRITE(view, Pong)[0].count++;
    return WEFT_STATUS_OK;
}

// Each system reads any row of what the one before wrote, so each is a stage. Two rows in two
// shards: a task for each worker.
static weft_status stages_build(const weft_module_options* options, weft_world* world,
                                weft_schedule* schedule) {
    (void)options;
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(Ping), WEFT_STORAGE_DENSE));
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(Pong), WEFT_STORAGE_DENSE));
    for (uint32_t i = 0; i < STAGES; ++i) {
        char name[16];
        snprintf(name, sizeof(name), "stage %u", i);
        const weft_system_desc* system =
            i % 2 == 0
                ? WEFT_SYSTEM(name, ping, WEFT_ACCESS(WEFT_WRITES(Ping), WEFT_READS_ANY(Pong)))
                : WEFT_SYSTEM(name, pong, WEFT_ACCESS(WEFT_WRITES(Pong), WEFT_READS_ANY(Ping)));
        WEFT_TRY(weft_schedule_add_system(schedule, system));
    }
    weft_commands* commands = weft_world_commands(world);
    for (uint32_t i = 0; i <= WEFT_SHARD_SLOTS; ++i) {
        weft_entity made = weft_commands_create(commands, 0);
        if (i % WEFT_SHARD_SLOTS != 0)
            continue;
        weft_commands_add(commands, 0, made, WEFT_TYPE(Ping), &(Ping){0});
        weft_commands_add(commands, 0, made, WEFT_TYPE(Pong), &(Pong){0});
    }
    return WEFT_STATUS_OK;
}

static const weft_module stages = {
    .abi = WEFT_MODULE_ABI, .name = "stages", .build = stages_build, .entity_count_default = 1};

static weft_status dispatch(const weft_measure_options* options, const weft_topology* topology,
                            uint32_t workers, weft_measure_table* table) {
    weft_lockstep all[SIDES] = {
        {.name = "threads", .desc = weft_rig_threads(workers, topology)},
        {.name = "processes", .desc = processes_of(workers, topology), .aliased = true},
    };
    weft_lockstep_length length = weft_lockstep_length_of(options);
    length.warm = WARM;
    if (!options->quick)
        length.ticks = 12;
    for (uint32_t i = 0; i < SIDES; ++i) {
        all[i].module = &stages;
        all[i].entity_count = 1;
        all[i].desc.everybody = true; // Else such stages would be run alone.
    }
    weft_status status = weft_lockstep_run(options, "stages", length, all, SIDES, table);
    if (status == WEFT_STATUS_OK) {
        weft_series ratio = weft_series_ratio(&all[PROCESSES].us, &all[THREADS].us);
        weft_measure_add(table, "us", &all[THREADS].us, 1.0 / STAGES,
                         "a stage of next to nothing, shared by %u threads", workers);
        weft_measure_add(table, "us", &all[PROCESSES].us, 1.0 / STAGES,
                         "a stage of next to nothing, shared by %u processes", workers);
        weft_measure_row* row =
            weft_measure_add(table, "ratio", &ratio, 1, "such a stage, processes to threads");
        weft_measure_target(options, row, WEFT_MEASURE_AT_MOST, 1.3);
    }
    weft_lockstep_close(all, SIDES);
    return status;
}

// Deaths -----------------------------------------------------------------------------------------

// Kills its process where the host has said so; once for each time.
static weft_status stumble(weft_view* view, const void* context) {
    volatile uint32_t* deadly = *(volatile uint32_t* const*)context;
    (void)view;
    if (*deadly == 0)
        return WEFT_STATUS_OK;
    *deadly = 0;
    (void)kill(getpid(), SIGKILL);
    return WEFT_STATUS_OK;
}

// Memory that workers share with the host: a build function has no context.
static volatile uint32_t* stumble_flag;

static weft_status mortal_build(const weft_module_options* options, weft_world* world,
                                weft_schedule* schedule) {
    WEFT_TRY(weft_workload_creatures.build(options, world, schedule));
    weft_system_desc desc = weft_system_desc_default();
    desc.name = "stumble";
    desc.run = stumble;
    desc.scope = WEFT_SCOPE_WORLD;
    desc.context = &stumble_flag;
    return weft_schedule_add_system(schedule, &desc);
}

static weft_status die_often(weft_rig* rig, uint32_t deaths, weft_series* back, weft_series* lost) {
    for (uint32_t i = 0; i < deaths; ++i) {
        weft_executor_stats before = weft_executor_stats_read(rig->executor[0]);
        uint64_t begin = weft_measure_now_ns();
        *stumble_flag = 1;
        WEFT_TRY(weft_rig_tick(rig, 0));
        weft_series_add(lost, (double)(weft_measure_now_ns() - begin));
        weft_executor_stats stats = weft_executor_stats_read(rig->executor[0]);
        if (stats.crashes != before.crashes + 1)
            return WEFT_STATUS_DIVERGED;
        weft_series_add(back, (double)(stats.recovery_ns - before.recovery_ns));
        for (uint32_t k = 0; k < 3; ++k)
            WEFT_TRY(weft_rig_tick(rig, 0));
    }
    return WEFT_STATUS_OK;
}

// An image before every tick, so that no other tick is run again.
static weft_status recover(const weft_measure_options* options, const weft_topology* topology,
                           uint32_t workers, weft_measure_table* table) {
    weft_module mortal = weft_workload_creatures;
    weft_rig rig = {0};
    weft_series back = {.count = 0};
    weft_series lost = {.count = 0};
    uint64_t entities = size_of(options, &subjects[0]);
    weft_rig_start start = {.entity_count = entities, .seed = options->seed, .aliased = true};
    weft_executor_desc desc = processes_of(workers, topology);
    desc.image_ticks = 1;
    desc.image_percent = 0;
    mortal.name = "mortal";
    mortal.build = mortal_build;
    void* shared = mmap(NULL, sizeof(*stumble_flag), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return WEFT_STATUS_OUT_OF_MEMORY;
    stumble_flag = shared;
    weft_measure_report(options, "deaths of workers", 0, 1);
    weft_status status = weft_rig_open_as(&rig, &mortal, &start);
    if (status == WEFT_STATUS_OK)
        status = weft_rig_add(&rig, &desc);
    for (uint32_t i = 0; i < 4 && status == WEFT_STATUS_OK; ++i)
        status = weft_rig_tick(&rig, 0);
    if (status == WEFT_STATUS_OK)
        status = die_often(&rig, options->quick ? 1 : DEATHS, &back, &lost);
    if (status == WEFT_STATUS_OK) {
        weft_measure_row* row = weft_measure_add(
            table, "ms", &back, 1e-6, "creatures, %llu, back after a death, without ticks again",
            (unsigned long long)entities);
        weft_measure_target(options, row, WEFT_MEASURE_AT_MOST, 50);
        weft_measure_add(table, "ms", &lost, 1e-6, "creatures, %llu, a tick in which a worker dies",
                         (unsigned long long)entities);
    } else {
        snprintf(table->error, sizeof(table->error), "deaths: %s",
                 rig.error[0] ? rig.error : weft_status_text(status));
    }
    weft_rig_close(&rig);
    (void)munmap(shared, sizeof(*stumble_flag));
    stumble_flag = NULL;
    return status;
}

static weft_status run(const weft_measure_options* options, weft_measure_table* table) {
    snprintf(table->title, sizeof(table->title), "worker processes beside threads");
    weft_topology* topology = NULL;
    WEFT_TRY(weft_topology_create(NULL, &topology));
    uint32_t workers = weft_rig_workers(options->worker_max, topology);
    weft_status status = workers > 1 ? dispatch(options, topology, workers, table) : WEFT_STATUS_OK;
    if (status == WEFT_STATUS_OK)
        status = recover(options, topology, workers, table);
    for (size_t i = 0; i < sizeof(subjects) / sizeof(subjects[0]); ++i)
        if (status == WEFT_STATUS_OK)
            status = compare(options, topology, workers, &subjects[i], table);
    weft_topology_destroy(topology);
    return status;
}

const weft_measure weft_measure_processes = {
    .name = "processes",
    .summary = "worker processes beside threads, images, and coming back from a death",
    .run = run,
};
