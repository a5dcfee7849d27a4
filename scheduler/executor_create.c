// Making an executor: how many workers it has, and what it is made of.

#include "exec.h"

#include "exec_processes.h"
#include "memory_alias.h"
#include "placement.h"
#include "pool.h"
#include "rollback_tick.h"
#include "trace_ring.h"

#define EXECUTOR_COOKIE 0x57455843u

weft_executor_desc weft_executor_desc_default(void) {
    return (weft_executor_desc){.kind = WEFT_EXECUTOR_SERIAL,
                                .pin = true,
                                .spin_ns = 100000,
                                .yield_ns = 20000,
                                .checkpoint_ticks = 64,
                                .image_percent = 2,
                                .crash_retries = 1,
                                .stuck_ns = UINT64_C(30000000000),
                                .cookie = EXECUTOR_COOKIE};
}

static weft_status choose_workers(weft_executor* executor) {
    executor->worker_count = executor->desc.worker_count;
    if (executor->desc.kind == WEFT_EXECUTOR_SERIAL) {
        executor->worker_count = 1;
    } else if (executor->worker_count == 0) {
        const weft_topology* topology = executor->desc.topology;
        weft_topology* own = NULL;
        if (topology == NULL)
            WEFT_TRY(weft_topology_create(NULL, &own));
        executor->worker_count = weft__placement_suggest(
            topology != NULL ? topology : own,
            executor->desc.pin ? &executor->desc.placement : (const weft_placement*)NULL);
        weft_topology_destroy(own);
    }
    return executor->worker_count <= WEFT__WORKERS_MAX ? WEFT_STATUS_OK : WEFT_STATUS_BAD_ARGUMENT;
}

static weft_status prepare_runs(weft_executor* executor) {
    uint32_t count = executor->plan.stage_count;
    executor->runs =
        weft__arena_alloc_zero(&executor->world->arena, (count + 1) * sizeof(*executor->runs));
    if (executor->runs == NULL)
        return WEFT_STATUS_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < count; i++)
        executor->runs[i] = (weft__stage_run){executor, &executor->plan.stages.items[i], 0};
    return WEFT_STATUS_OK;
}

static weft_status prepare_trace(weft_executor* executor) {
    const weft_executor_desc* desc = &executor->desc;
    if (desc->trace_records == 0)
        return WEFT_STATUS_OK;
    executor->runner.phase = weft__trace_phase;
    return weft__trace_create(executor->worker_count, desc->trace_records,
                              desc->kind == WEFT_EXECUTOR_PROCESSES,
                              desc->kind == WEFT_EXECUTOR_VIRTUAL, &executor->trace);
}

static weft_status executor_start(weft_executor* executor) {
    WEFT_TRY(choose_workers(executor));
    WEFT_ASSERT(executor->worker_count > 0);
    WEFT_TRY(weft__plan_init(&executor->plan, executor->schedule, !executor->desc.no_fusion));
    WEFT_TRY(weft__plan_order(&executor->plan, &executor->desc));
    WEFT_TRY(prepare_runs(executor));
    WEFT_TRY(weft__world_reserve_lanes(executor->world, executor->worker_count));
    bool processes = executor->desc.kind == WEFT_EXECUTOR_PROCESSES;
    bool one_at_a_time = executor->desc.kind < WEFT_EXECUTOR_THREADS || executor->worker_count == 1;
    bool own_pages = processes && executor->desc.guard == WEFT_GUARD_TRAP;
    WEFT_TRY(weft__guard_create(executor->world, executor->desc.guard, executor->worker_count,
                                one_at_a_time || own_pages, executor->desc.schedule_seed,
                                &executor->guard));
    if (executor->guard != NULL)
        executor->guard->own_pages = own_pages;
    WEFT_TRY(weft__rollback_create(executor));
    WEFT_TRY(prepare_trace(executor));
    executor->watched = processes || executor->guard != NULL || executor->trace != NULL;
    switch (executor->desc.kind) {
    case WEFT_EXECUTOR_SERIAL:
        executor->runner.run = weft__exec_serial_run;
        return WEFT_STATUS_OK;
    case WEFT_EXECUTOR_VIRTUAL:
        executor->runner.run = weft__exec_virtual_run;
        return WEFT_STATUS_OK;
    case WEFT_EXECUTOR_THREADS:
        executor->runner.run = weft__pool_run;
        return weft__exec_threads_start(executor);
    case WEFT_EXECUTOR_PROCESSES:
        executor->runner.run = weft__exec_processes_run;
        return weft__exec_processes_start(executor);
    }
    return WEFT_STATUS_BAD_ARGUMENT;
}

weft_status weft_executor_create(const weft_executor_desc* desc, weft_schedule* schedule,
                                 weft_executor** executor_out) {
    WEFT_ASSERT(schedule != NULL && executor_out != NULL);
    *executor_out = NULL;
    if (weft__memory_is_foreign(&schedule->world->arena.memory))
        return WEFT_STATUS_UNSUPPORTED;
    if (desc == NULL || desc->cookie != EXECUTOR_COOKIE || desc->kind > WEFT_EXECUTOR_PROCESSES ||
        desc->sweep > WEFT_SWEEP_SYSTEM_MAJOR || desc->checkpoint_ticks == 0 ||
        desc->guard > WEFT_GUARD_TRAP || desc->trace_records > WEFT__TRACE_RECORDS_MAX ||
        desc->rollback_percent > 100 || desc->image_percent > 100)
        return WEFT_STATUS_BAD_ARGUMENT;
    WEFT_TRY(weft_schedule_build(schedule));
    weft_executor* executor =
        weft__arena_alloc_zero(&schedule->world->arena, sizeof(weft_executor));
    if (executor == NULL)
        return WEFT_STATUS_OUT_OF_MEMORY;
    executor->desc = *desc;
    executor->schedule = schedule;
    executor->world = schedule->world;
    weft_status status = executor_start(executor);
    if (status != WEFT_STATUS_OK) {
        weft_executor_destroy(executor);
        return status;
    }
    *executor_out = executor;
    return WEFT_STATUS_OK;
}
