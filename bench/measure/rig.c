#include "rig.h"

#include <stdio.h>
#include <string.h>

// Keeps the most telling line there is.
static weft_status failed(weft_rig* rig, weft_status status) {
    const char* line = rig->world ? weft_world_error(rig->world) : "";
    if (rig->schedule && line[0] == '\0')
        line = weft_schedule_error(rig->schedule);
    if (line[0] == '\0')
        line = weft_status_text(status);
    snprintf(rig->error, sizeof(rig->error), "%s: %s", rig->module->name, line);
    return status;
}

static weft_status open_all(weft_rig* rig, const weft_rig_start* start) {
    weft_module_options options = {
        .entity_count =
            start->entity_count > 0 ? start->entity_count : rig->module->entity_count_default,
        .seed = start->seed,
    };
    weft_world_desc desc = weft_world_desc_default();
    desc.seed = start->seed;
    desc.unordered_commit = start->unordered_commit;
    if (rig->module->describe)
        rig->module->describe(&options, &desc);
    weft_memory memory = start->memory ? *start->memory : weft_memory_system();
    if (start->aliased)
        WEFT_TRY(weft_memory_aliased(start->apart, &memory));
    WEFT_TRY(weft_world_create(&desc, &memory, &rig->world));
    WEFT_TRY(weft_schedule_create(rig->world, &rig->schedule));
    WEFT_TRY(rig->module->build(&options, rig->world, rig->schedule));
    if (!start->uncommitted)
        WEFT_TRY(weft_world_commit(rig->world));
    return weft_schedule_build(rig->schedule);
}

weft_status weft_rig_open_as(weft_rig* rig, const weft_module* module,
                             const weft_rig_start* start) {
    memset(rig, 0, sizeof(*rig));
    rig->module = module;
    weft_status status = open_all(rig, start);
    return status == WEFT_STATUS_OK ? status : failed(rig, status);
}

weft_status weft_rig_open(weft_rig* rig, const weft_module* module, uint64_t entity_count,
                          uint64_t seed) {
    weft_rig_start start = {.entity_count = entity_count, .seed = seed};
    return weft_rig_open_as(rig, module, &start);
}

weft_status weft_rig_add(weft_rig* rig, const weft_executor_desc* desc) {
    WEFT_ASSERT(rig->executor_count < WEFT_RIG_EXECUTORS_MAX);
    weft_status status =
        weft_executor_create(desc, rig->schedule, &rig->executor[rig->executor_count]);
    if (status != WEFT_STATUS_OK)
        return failed(rig, status);
    ++rig->executor_count;
    return WEFT_STATUS_OK;
}

weft_status weft_rig_tick(weft_rig* rig, uint32_t index) {
    return weft_rig_tick_journal(rig, index, NULL);
}

weft_status weft_rig_tick_journal(weft_rig* rig, uint32_t index, weft_journal* journal) {
    weft_status status = WEFT_STATUS_OK;
    if (rig->module->input)
        status = rig->module->input(rig->world, weft_world_tick(rig->world));
    if (status == WEFT_STATUS_OK)
        status = journal ? weft_journal_tick(journal, rig->executor[index])
                         : weft_executor_tick(rig->executor[index]);
    return status == WEFT_STATUS_OK ? status : failed(rig, status);
}

weft_status weft_rig_run(void* side, uint64_t repeat) {
    const weft_rig_side* work = side;
    for (uint64_t i = 0; i < repeat; ++i) {
        WEFT_TRY(weft_rig_tick(work->rig, work->executor));
        if (!work->digest)
            continue;
        weft_digest view, full;
        weft_status status =
            weft_executor_digest(work->rig->executor[work->executor], &view, &full);
        if (status != WEFT_STATUS_OK)
            return failed(work->rig, status);
    }
    return WEFT_STATUS_OK;
}

void weft_rig_close(weft_rig* rig) {
    for (uint32_t i = rig->executor_count; i > 0; --i)
        weft_executor_destroy(rig->executor[i - 1]);
    weft_schedule_destroy(rig->schedule);
    weft_world_destroy(rig->world);
    rig->executor_count = 0;
    rig->schedule = NULL;
    rig->world = NULL;
}

weft_executor_desc weft_rig_serial(void) {
    weft_executor_desc desc = weft_executor_desc_default();
    desc.kind = WEFT_EXECUTOR_SERIAL;
    return desc;
}

weft_executor_desc weft_rig_virtual(uint32_t worker_count, uint64_t schedule_seed) {
    weft_executor_desc desc = weft_executor_desc_default();
    desc.kind = WEFT_EXECUTOR_VIRTUAL;
    desc.worker_count = worker_count;
    desc.schedule_seed = schedule_seed;
    return desc;
}

uint32_t weft_rig_workers(uint32_t worker_max, const weft_topology* topology) {
    uint32_t suggested = weft_topology_suggested_workers(topology);
    return worker_max == 0 || worker_max > suggested ? suggested : worker_max;
}

weft_executor_desc weft_rig_threads(uint32_t worker_count, const weft_topology* topology) {
    weft_executor_desc desc = weft_executor_desc_default();
    desc.kind = WEFT_EXECUTOR_THREADS;
    desc.worker_count = worker_count;
    desc.topology = topology;
    return desc;
}
