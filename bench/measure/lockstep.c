#include "lockstep.h"

#include <stdio.h>

weft_lockstep_length weft_lockstep_length_of(const weft_measure_options* options) {
    if (options->quick)
        return (weft_lockstep_length){.warm = 1, .blocks = 1, .ticks = 3};
    weft_lockstep_length length = {.warm = 3, .blocks = 5, .ticks = 6};
    if (options->tick_count > 0) {
        uint64_t ticks =
            options->tick_count < WEFT_SERIES_MAX ? options->tick_count : WEFT_SERIES_MAX;
        length.ticks = ticks < 6 ? (uint32_t)ticks : 6;
        length.blocks = (uint32_t)ticks / length.ticks;
    }
    return length;
}

static weft_status tick(weft_lockstep* one) {
    weft_digest view, full;
    if (one->journal != NULL)
        return weft_rig_tick_journal(&one->rig, 0, one->journal);
    weft_status status = weft_rig_tick(&one->rig, 0);
    if (status == WEFT_STATUS_OK && one->digest)
        status = weft_executor_digest(one->rig.executor[0], &view, &full);
    if (status == WEFT_STATUS_OK && one->log != NULL)
        status = weft_simlog_tick(one->log);
    if (status != WEFT_STATUS_OK && one->log != NULL && weft_simlog_error(one->log)[0] != '\0')
        snprintf(one->rig.error, sizeof(one->rig.error), "%.250s", weft_simlog_error(one->log));
    return status;
}

static weft_status open_log(weft_lockstep* one) {
    char line[WEFT_SIMLOG_LINE];
    if (one->log_path == NULL)
        return WEFT_STATUS_OK;
    weft_status status =
        weft_simlog_open(&one->log_desc, one->log_path, one->rig.world, &one->log, line);
    if (status != WEFT_STATUS_OK)
        snprintf(one->rig.error, sizeof(one->rig.error), "%.250s", line);
    return status;
}

static weft_status open_one(const weft_measure_options* options, weft_lockstep* one) {
    weft_rig_start start = {.entity_count = one->entity_count,
                            .seed = options->seed,
                            .unordered_commit = one->unordered,
                            .aliased = one->aliased,
                            .apart = one->desc.guard == WEFT_GUARD_TRAP};
    WEFT_TRY(weft_rig_open_as(&one->rig, one->module, &start));
    WEFT_TRY(weft_rig_add(&one->rig, &one->desc));
    if (one->pins_caller)
        (void)!weft_executor_pin_caller(one->rig.executor[0]);
    WEFT_TRY(open_log(one));
    if (one->journal_path == NULL)
        return WEFT_STATUS_OK;
    weft_journal_desc desc = weft_journal_desc_default();
    weft_status status =
        weft_journal_create(&desc, one->rig.schedule, one->journal_path, &one->journal);
    if (status != WEFT_STATUS_OK)
        snprintf(one->rig.error, sizeof(one->rig.error), "%s", weft_world_error(one->rig.world));
    return status;
}

static weft_status run_block(const weft_measure_options* options, weft_lockstep* one,
                             uint32_t ticks) {
    WEFT_TRY(tick(one));
    for (uint32_t i = 0; i < ticks; ++i) {
        weft_watch before = weft_measure_watch(options);
        uint64_t start = weft_measure_now_ns();
        WEFT_TRY(tick(one));
        uint64_t elapsed = weft_measure_now_ns() - start;
        one->us.disturbed += weft_measure_watched(options, &before);
        weft_series_add(&one->us, (double)elapsed / 1000);
    }
    return WEFT_STATUS_OK;
}

// Everybody's block, each round beginning one further.
static weft_status run_round(const weft_measure_options* options, weft_lockstep* all,
                             uint32_t count, uint32_t round, uint32_t ticks,
                             weft_lockstep** failed) {
    for (uint32_t k = 0; k < count; ++k) {
        *failed = &all[(round + k) % count];
        WEFT_TRY(run_block(options, *failed, ticks));
    }
    return WEFT_STATUS_OK;
}

static weft_status check(weft_lockstep* one) {
    char line[sizeof(one->rig.error)];
    if (!one->module->check || one->module->check(one->rig.world, line, sizeof(line)))
        return WEFT_STATUS_OK;
    snprintf(one->rig.error, sizeof(one->rig.error), "%s", line);
    return WEFT_STATUS_DIVERGED;
}

static weft_status run_all(const weft_measure_options* options, const char* what,
                           weft_lockstep_length length, weft_lockstep* all, uint32_t count,
                           weft_lockstep** failed) {
    for (uint32_t i = 0; i < count; ++i) {
        *failed = &all[i];
        weft_measure_report(options, "building worlds", i, count);
        WEFT_TRY(open_one(options, &all[i]));
        for (uint32_t k = 0; k < length.warm; ++k)
            WEFT_TRY(tick(&all[i]));
    }
    for (uint32_t round = 0; round < length.blocks; ++round) {
        weft_measure_report(options, what, round, length.blocks);
        weft_measure_probe(options);
        WEFT_TRY(run_round(options, all, count, round, length.ticks, failed));
    }
    weft_measure_report(options, what, length.blocks, length.blocks);
    for (uint32_t i = 0; i < count; ++i) {
        *failed = &all[i];
        WEFT_TRY(check(&all[i]));
    }
    return WEFT_STATUS_OK;
}

weft_status weft_lockstep_run(const weft_measure_options* options, const char* what,
                              weft_lockstep_length length, weft_lockstep* all, uint32_t count,
                              weft_measure_table* table) {
    WEFT_ASSERT(count > 0);
    weft_lockstep* failed = all;
    weft_status status = run_all(options, what, length, all, count, &failed);
    if (status != WEFT_STATUS_OK)
        snprintf(table->error, sizeof(table->error), "%s: %s", failed->name,
                 failed->rig.error[0] ? failed->rig.error : weft_status_text(status));
    return status;
}

static weft_status each(const weft_measure_options* options, const weft_topology* topology,
                        weft_executor_kind one, const void* subject, weft_lockstep_measure* measure,
                        weft_measure_table* table) {
    uint32_t workers = weft_rig_workers(options->worker_max, topology);
    weft_executor_desc desc =
        one == WEFT_EXECUTOR_SERIAL ? weft_rig_serial() : weft_rig_threads(1, topology);
    WEFT_TRY(measure(options, &desc, 1, subject, table));
    if (workers == 1)
        return WEFT_STATUS_OK;
    desc = weft_rig_threads(workers, topology);
    return measure(options, &desc, workers, subject, table);
}

weft_status weft_lockstep_each(const weft_measure_options* options, weft_executor_kind one,
                               const void* subjects, size_t count, size_t size,
                               weft_lockstep_measure* measure, weft_measure_table* table) {
    WEFT_ASSERT(one == WEFT_EXECUTOR_SERIAL || one == WEFT_EXECUTOR_THREADS);
    weft_topology* topology = NULL;
    weft_status status = weft_topology_create(NULL, &topology);
    for (size_t i = 0; i < count && status == WEFT_STATUS_OK; ++i)
        status = each(options, topology, one, (const char*)subjects + i * size, measure, table);
    weft_topology_destroy(topology);
    return status;
}

void weft_lockstep_close(weft_lockstep* all, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        char line[64]; // Ticks have told whether they failed.
        (void)weft_journal_close(all[i].journal, line, sizeof(line));
        (void)!weft_simlog_close(all[i].log, NULL);
        all[i].journal = NULL;
        all[i].log = NULL;
        weft_rig_close(&all[i].rig);
    }
}

bool weft_lockstep_equal(weft_lockstep* a, weft_lockstep* b) {
    weft_digest one = weft_world_digest_full(a->rig.world);
    weft_digest two = weft_world_digest_full(b->rig.world);
    return weft_digest_equal(one, two);
}
