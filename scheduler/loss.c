// A world whose worker died and of which no image is kept.
//
// Nothing in its memory is read then: the worker may have written anywhere. All of it is given
// back, and reads as zeroes. An empty world that has failed is put where the old one was, and so
// are the executor and its schedule, as the host program has pointers to them. What else it has
// there, such as other executors, is nothing but zeroes now: calls see that it has no world.

#include <string.h>

#include "processes.h"
#include "trace_ring.h"

weft_status weft__processes_keep(weft__processes* processes) {
    const weft_executor* executor = processes->executor;
    const weft_schedule* schedule = executor->schedule;
    uint32_t count = weft_schedule_system_count(schedule);
    void* block = NULL;
    if (count > 0)
        WEFT_TRY(weft__os_region_reserve(count * sizeof(*processes->systems), &block));
    processes->systems = block;
    processes->system_count = count;
    for (uint32_t i = 0; i < count; i++) {
        const weft__system* system = weft__schedule_at(schedule, i);
        weft__system_card* card = &processes->systems[i];
        memcpy(card->name, system->name, sizeof(card->name));
        card->run = system->run;
        card->scope = system->scope;
    }
    processes->guarded = executor->guard != NULL;
    processes->desc = executor->desc;
    processes->world_desc = processes->world->desc;
    processes->memory = processes->world->arena.memory;
    processes->schedule = executor->schedule;
    processes->trace = executor->trace;
    processes->trace_size = executor->trace == NULL ? 0 : executor->trace->size;
    return WEFT_STATUS_OK;
}

// Has memory again where the host has a pointer to. Nothing could have been given back that is not
// enough for so little.
static void take(const weft__alias_memory* alias, const void* place, size_t size) {
    size_t at = (size_t)((const uint8_t*)place - alias->pair.base);
    size_t begin = at & ~(alias->page - 1);
    size_t end = (at + size + alias->page - 1) & ~(alias->page - 1);
    (void)!weft__os_pair_take(&alias->pair, begin, end - begin);
}

void weft__processes_lose(weft__processes* processes, uint64_t tick) {
    const weft__alias_memory* alias = &processes->alias;
    weft_executor* executor = processes->executor;
    weft_schedule* schedule = processes->schedule;
    WEFT_ASSERT(processes->pool == NULL && !processes->lost);
    weft__crash_describe(processes);
    weft__os_pair_give(&alias->pair, 0, alias->pair.range);
    take(alias, processes->recovery.memory, sizeof(*alias));
    take(alias, processes->world, sizeof(*processes->world));
    take(alias, executor, sizeof(*executor));
    take(alias, schedule, sizeof(*schedule));
    *processes->recovery.memory = *alias; // The next segment comes after all that ever was.
    *executor = (weft_executor){.runner = {.run = weft__exec_processes_run},
                                .desc = processes->desc,
                                .schedule = schedule,
                                .world = processes->world,
                                .worker_count = processes->worker_count,
                                .processes = processes,
                                .stats = processes->stats};
    executor->stats.crashes++;
    memset(schedule, 0, sizeof(*schedule));
    schedule->world = processes->world;
    schedule->built = true;
    (void)!weft__world_replace(processes->world, &processes->world_desc, &processes->memory, tick);
    if (processes->guarded)
        weft__os_faults_end();
    weft__os_region_release(processes->trace, processes->trace_size);
    processes->trace = NULL;
    processes->lost = true;
}
