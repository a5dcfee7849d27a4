/// The ecosystem at a million creatures: how fast it runs on every kind of executor, and whether
/// all of them compute the same world.
///
/// Each executor has a world of its own. They take turns, ten ticks each, and after every tick the
/// digests must agree with the first executor's.

#include "creatures.h"
#include "harness.h"
#include "rig.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    RUNS_MAX = 4,
    BLOCK_TICKS = 10,
    VIRTUAL_WORKERS = 3
};

typedef struct contestant {
    char name[32];
    weft_executor_desc desc;
    weft_rig rig;
    weft_series tick;   // Milliseconds: systems and commit, which hashes what it merged.
    weft_series digest; // Milliseconds: everything else that was written.
    weft_series rate;   // Ticks per second over a block, digests included.
    weft_digest last;
} contestant;

typedef struct contest {
    const weft_measure_options* options;
    contestant runners[RUNS_MAX];
    uint32_t count;
    weft_digest block[BLOCK_TICKS]; // Digests of the first runner.
    weft_measure_table* table;
} contest;

static void choose_runners(contest* all, const weft_topology* topology) {
    uint32_t workers = weft_rig_workers(all->options->worker_max, topology);
    contestant* runners = all->runners;
    runners[0] = (contestant){.name = "serial", .desc = weft_rig_serial()};
    runners[1] = (contestant){.name = "threads 1", .desc = weft_rig_threads(1, topology)};
    runners[2] = (contestant){.desc = weft_rig_virtual(VIRTUAL_WORKERS, 1)};
    snprintf(runners[2].name, sizeof(runners[2].name), "virtual %d", VIRTUAL_WORKERS);
    all->count = 3;
    if (workers < 2)
        return;
    runners[3] = (contestant){.desc = weft_rig_threads(workers, topology)};
    snprintf(runners[3].name, sizeof(runners[3].name), "threads %u", workers);
    all->count = 4;
}

static weft_status failed(contest* all, const contestant* one, weft_status status) {
    snprintf(all->table->error, sizeof(all->table->error), "%s: %s", one->name,
             one->rig.error[0] ? one->rig.error : weft_status_text(status));
    return status;
}

static weft_status diverged(contest* all, const contestant* one) {
    snprintf(all->table->error, sizeof(all->table->error),
             "tick %" PRIu64 ": the digest of %s is not that of %s",
             weft_world_tick(one->rig.world), one->name, all->runners[0].name);
    return WEFT_STATUS_DIVERGED;
}

static weft_status run_block(contest* all, contestant* one, uint64_t ticks) {
    uint64_t total = 0;
    weft_watch before = weft_measure_watch(all->options);
    for (uint64_t i = 0; i < ticks; ++i) {
        weft_digest view;
        uint64_t start = weft_measure_now_ns();
        weft_status status = weft_rig_tick(&one->rig, 0);
        uint64_t middle = weft_measure_now_ns();
        if (status == WEFT_STATUS_OK)
            status = weft_executor_digest(one->rig.executor[0], &view, &one->last);
        uint64_t end = weft_measure_now_ns();
        if (status != WEFT_STATUS_OK)
            return failed(all, one, status);
        weft_series_add(&one->tick, (double)(middle - start) / 1e6);
        weft_series_add(&one->digest, (double)(end - middle) / 1e6);
        total += end - start;
        if (one == all->runners)
            all->block[i] = one->last;
        else if (!weft_digest_equal(one->last, all->block[i]))
            return diverged(all, one);
    }
    weft_series_add(&one->rate, (double)ticks * 1e9 / (double)total);
    one->rate.disturbed += weft_measure_watched(all->options, &before);
    char line[WEFT_MEASURE_TEXT];
    if (!one->rig.module->check(one->rig.world, line, sizeof(line))) {
        snprintf(one->rig.error, sizeof(one->rig.error), "%s", line);
        return failed(all, one, WEFT_STATUS_DIVERGED);
    }
    return WEFT_STATUS_OK;
}

// The table that a reader wants: one line an executor. `rows` are the rows of each one's rate, time
// and speed-up.
static void summarize(contest* all, weft_measure_row* rows[RUNS_MAX][3]) {
    weft_measure_table* table = all->table;
    size_t size = sizeof(table->summary);
    size_t used = (size_t)snprintf(table->summary, size, "%-10s  %8s  %8s  %9s  %s\n", "executor",
                                   "ticks/s", "speed-up", "ms a tick", "final digest");
    for (uint32_t i = 0; i < all->count && used < size; ++i) {
        if (!rows[i][0] || !rows[i][1])
            continue; // The table was full.
        char text[WEFT_DIGEST_TEXT];
        weft_digest_format(all->runners[i].last, text);
        double speed_up = rows[i][2] ? rows[i][2]->value[WEFT_MEASURE_MEDIAN] : 1;
        used +=
            (size_t)snprintf(table->summary + used, size - used, "%-10s  %8.2f  %8.2f  %9.2f  %s\n",
                             all->runners[i].name, rows[i][0]->value[WEFT_MEASURE_MEDIAN], speed_up,
                             rows[i][1]->value[WEFT_MEASURE_MEDIAN], text);
    }
}

static void fill(contest* all) {
    weft_measure_table* table = all->table;
    weft_measure_row* rows[RUNS_MAX][3] = {0};
    for (uint32_t i = 0; i < all->count; ++i) {
        const contestant* one = &all->runners[i];
        rows[i][0] = weft_measure_add(table, "ticks/s", &one->rate, 1, "%s", one->name);
        rows[i][1] = weft_measure_add(table, "ms", &one->tick, 1, "a tick of %s", one->name);
        weft_measure_add(table, "ms", &one->digest, 1, "what is left of its digest");
    }
    for (uint32_t i = 1; i < all->count; ++i) {
        const contestant* one = &all->runners[i];
        weft_series ratio = weft_series_ratio(&one->rate, &all->runners[0].rate);
        rows[i][2] = weft_measure_add(table, "ratio", &ratio, 1, "speed-up of %s", one->name);
    }
    all->runners[0].rig.module->describe_state(all->runners[0].rig.world, table->note,
                                               sizeof(table->note));
    summarize(all, rows);
}

static weft_status measure(contest* all, uint64_t entity_count, uint64_t tick_count) {
    const weft_measure_options* options = all->options;
    for (uint32_t i = 0; i < all->count; ++i) {
        contestant* one = &all->runners[i];
        weft_measure_report(options, "building worlds", i, all->count);
        weft_status status =
            weft_rig_open(&one->rig, &weft_workload_creatures, entity_count, options->seed);
        if (status == WEFT_STATUS_OK)
            status = weft_rig_add(&one->rig, &one->desc);
        if (status != WEFT_STATUS_OK)
            return failed(all, one, status);
    }
    for (uint64_t tick = 0; tick < tick_count; tick += BLOCK_TICKS) {
        uint64_t ticks = tick_count - tick < BLOCK_TICKS ? tick_count - tick : BLOCK_TICKS;
        weft_measure_report(options, "ticks", tick, tick_count);
        for (uint32_t i = 0; i < all->count; ++i)
            WEFT_TRY(run_block(all, &all->runners[i], ticks));
    }
    weft_measure_report(options, "ticks", tick_count, tick_count);
    fill(all);
    return WEFT_STATUS_OK;
}

static weft_status run(const weft_measure_options* options, weft_measure_table* table) {
    uint64_t entity_count = options->entity_count;
    uint64_t tick_count = options->tick_count;
    if (entity_count == 0)
        entity_count = options->quick ? 5000 : 1000000;
    if (tick_count == 0)
        tick_count = options->quick ? 12 : 200;
    snprintf(table->title, sizeof(table->title), "%" PRIu64 " creatures over %" PRIu64 " ticks",
             entity_count, tick_count);
    contest all = {.options = options, .table = table};
    weft_topology* topology = NULL;
    weft_status status = weft_topology_create(NULL, &topology);
    if (status == WEFT_STATUS_OK) {
        choose_runners(&all, topology);
        status = measure(&all, entity_count, tick_count);
    }
    for (uint32_t i = 0; i < all.count; ++i)
        weft_rig_close(&all.runners[i].rig);
    weft_topology_destroy(topology);
    return status;
}

const weft_measure weft_measure_headline = {
    .name = "headline",
    .summary = "a million creatures on every executor: speed, and the same digests",
    .run = run,
};
