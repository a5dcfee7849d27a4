// Where workers are on a machine that is not at hand: cores, nodes, speeds, caches.

#include "forecast_play.h"

#include "placement.h"

// Of a cache of the third level no CPU counts on more. A guest is told of the whole cache of a host
// that others use too; on desktops and servers there are 2 to 4 MiB for each core.
#define THIRD_LEVEL_BYTES ((uint64_t)4 << 20)
// Each worker beyond two makes a join so much longer, in round trips of a line: the caller looks at
// one more line that another CPU has written. Loads of lines overlap.
#define JOIN_PART 0.25

static const weft_topology_cpu* cpu_of(const weft_topology* topology, uint32_t os_index) {
    uint32_t count = 0;
    const weft_topology_cpu* cpus = weft_topology_cpus(topology, &count);
    for (uint32_t i = 0; i < count; i++)
        if (cpus[i].os_index == os_index)
            return &cpus[i];
    WEFT_ASSERT(false);
    return NULL;
}

// Kinds whose frequencies are not told are equally fast.
static double kind_speed(const weft_topology* topology, uint32_t kind) {
    uint32_t count = 0;
    const weft_topology_kind* kinds = weft_topology_kinds(topology, &count);
    uint32_t fastest = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (kinds[i].mhz == 0)
            return 1;
        fastest = kinds[i].mhz > fastest ? kinds[i].mhz : fastest;
    }
    return kind < count ? (double)kinds[kind].mhz / fastest : 1;
}

// CPUs that share an identity share a number; those that have none have one of their own, or the
// same, if nothing is known of any.
static uint32_t number_of(const uint32_t* known, uint32_t* count, uint32_t identity) {
    for (uint32_t i = 0; i < *count; i++)
        if (known[i] == identity && identity != WEFT_TOPOLOGY_UNKNOWN)
            return i;
    return (*count)++;
}

// What the caches above these CPUs hold, each counted once.
static uint64_t cache_sum(const weft_topology* topology, const weft_topology_cpu* const* cpus,
                          uint32_t active) {
    uint32_t count = 0;
    const weft_topology_cache* caches = weft_topology_caches(topology, &count);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        const weft_topology_cache* cache = &caches[i];
        bool used = false;
        for (uint32_t worker = 0; worker < active && !used; worker++) {
            uint32_t own = cache->level == 2 ? cpus[worker]->l2 : cpus[worker]->l3;
            used = (cache->level == 2 || cache->level == 3) && own == cache->identity;
        }
        uint64_t most = cache->bytes;
        if (cache->level == 3 && most > THIRD_LEVEL_BYTES * cache->cpu_count)
            most = THIRD_LEVEL_BYTES * cache->cpu_count;
        sum += used ? most : 0;
    }
    return sum;
}

// The CPUs of workers that take part, in a block for all.
static weft_status find_cpus(weft__arena* arena, const weft_topology* topology,
                             const weft_placement* placement, uint32_t worker_count,
                             const weft_topology_cpu*** cpus_out, uint32_t* active_out) {
    size_t size = worker_count * sizeof(weft_seat);
    weft_seat* seats = weft__arena_alloc(arena, size);
    const weft_topology_cpu** cpus = weft__arena_alloc(arena, worker_count * sizeof(*cpus));
    weft_status status = seats == NULL || cpus == NULL
                             ? WEFT_STATUS_OUT_OF_MEMORY
                             : weft_topology_place(topology, placement, worker_count, seats);
    uint32_t active = 0;
    for (; status == WEFT_STATUS_OK && active < worker_count && !seats[active].rests; active++)
        cpus[active] = cpu_of(topology, seats[active].cpu);
    weft__arena_free(arena, seats, size);
    if (status != WEFT_STATUS_OK)
        weft__arena_free(arena, (void*)cpus, worker_count * sizeof(*cpus));
    *cpus_out = cpus;
    *active_out = active;
    return status;
}

weft_status weft_forecast_cache_bytes(const weft_topology* topology,
                                      const weft_placement* placement, uint32_t worker_count,
                                      uint64_t* bytes_out) {
    WEFT_ASSERT(topology != NULL && placement != NULL && bytes_out != NULL);
    *bytes_out = 0;
    if (worker_count == 0 || worker_count > WEFT_FORECAST_WORKERS_MAX)
        return WEFT_STATUS_BAD_ARGUMENT;
    weft__arena arena;
    weft__arena_init(&arena, NULL);
    const weft_topology_cpu** cpus = NULL;
    uint32_t active = 0;
    weft_status status = find_cpus(&arena, topology, placement, worker_count, &cpus, &active);
    if (status == WEFT_STATUS_OK)
        *bytes_out = cache_sum(topology, cpus, active);
    weft__arena_deinit(&arena);
    return status;
}

// Numbers cores and nodes; `known` has room for two for each worker.
static void number_seats(weft__forecast_play* play, const weft_topology_cpu* const* cpus,
                         uint32_t* known) {
    uint32_t* nodes = known + play->worker_count;
    for (uint32_t i = 0; i < play->active; i++) {
        weft__forecast_player* player = &play->players[i];
        uint32_t count = play->core_count;
        player->core = number_of(known, &play->core_count, cpus[i]->core);
        if (play->core_count > count)
            known[count] = cpus[i]->core;
        count = play->node_count;
        if (cpus[i]->node == WEFT_TOPOLOGY_UNKNOWN && count > 0)
            player->node = 0; // Who tells of no nodes has one.
        else
            player->node = number_of(nodes, &play->node_count, cpus[i]->node);
        if (play->node_count > count)
            nodes[count] = cpus[i]->node;
        player->speed = play->machine->speed * kind_speed(play->machine->topology, cpus[i]->kind);
    }
}

weft_status weft__forecast_seats(weft__forecast_play* play) {
    const weft_forecast_machine* machine = play->machine;
    uint32_t count = play->worker_count;
    weft__arena* arena = &play->forecast->arena;
    const weft_topology_cpu** cpus = NULL;
    WEFT_TRY(find_cpus(arena, machine->topology, &machine->placement, count, &cpus, &play->active));
    WEFT_ASSERT(play->active > 0);
    size_t size = 3 * count * sizeof(uint32_t);
    uint32_t* known = weft__arena_alloc_zero(arena, size);
    weft_status status = known == NULL ? WEFT_STATUS_OUT_OF_MEMORY : WEFT_STATUS_OK;
    if (status == WEFT_STATUS_OK) {
        weft__placement placement = {.cpus = known + (size_t)2 * count,
                                     .help_order = play->help_order};
        status = weft__placement_compute(machine->topology, count, &machine->placement, &placement);
    }
    if (status == WEFT_STATUS_OK) {
        play->cpu_count = weft_topology_info_get(machine->topology).worker_cpu_count;
        play->cache_bytes = cache_sum(machine->topology, cpus, play->active);
        number_seats(play, cpus, known);
        play->join_ns = play->active > 1 ? machine->join_ns : 0;
        if (play->active > 2)
            play->join_ns += JOIN_PART * machine->line_ns * (play->active - 2);
    }
    weft__arena_free(arena, known, size);
    weft__arena_free(arena, (void*)cpus, count * sizeof(*cpus));
    return status;
}
