#define _GNU_SOURCE // sched_setaffinity

#include "costs.h"

#include "bounds.h"
#include "rig.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    RECORDS = 1 << 17, // Kept of each worker: more than a tick of a million entities has.
    WARM_TICKS = 12,
    TICKS_LEAST = 20,
    TICKS_MOST = 20000,
    QUICK_TICKS = 3,
    BANDWIDTH_BYTES = 128 << 20, // Of an array.
};

// Which worker ran a stage on a chunk, and for how long in the current tick.
typedef struct place {
    uint32_t stage;
    uint32_t archetype;
    uint32_t shard;
    uint32_t worker;
    uint64_t tick; // Of the last visit, from 1; 0: free.
    uint64_t ns;   // In it.
} place;

typedef struct gauge {
    weft_costs* costs;
    weft_rig rig;
    weft_system_sweep sweeps[WEFT_LAYOUT_SWEEPS_MAX];
    weft_trace_record* records;
    place* places; // An open table; never walked.
    size_t place_count;
    size_t place_capacity;    // A power of two.
    uint64_t* longest;        // [stage_count] of the current tick.
    uint64_t tick;            // From 1.
    weft_trace_record commit; // The last one of worker 0.
} gauge;

// Places -----------------------------------------------------------------------------------------

static place* place_slot(place* places, size_t capacity, const weft_trace_record* record) {
    uint64_t key = ((uint64_t)record->archetype << 32 | record->shard) * 0x9e3779b97f4a7c15u +
                   record->stage * 0xd1b54a32d192ed03u;
    size_t at = (size_t)(key >> 32) & (capacity - 1);
    while (places[at].tick != 0 &&
           (places[at].stage != record->stage || places[at].archetype != record->archetype ||
            places[at].shard != record->shard))
        at = (at + 1) & (capacity - 1);
    return &places[at];
}

static void places_grow(gauge* all) {
    size_t capacity = all->place_capacity > 0 ? all->place_capacity * 2 : 1024;
    place* grown = calloc(capacity, sizeof(*grown));
    WEFT_ASSERT(grown);
    for (size_t i = 0; i < all->place_capacity; ++i) {
        const place* old = &all->places[i];
        weft_trace_record key = {
            .stage = old->stage, .archetype = old->archetype, .shard = old->shard};
        if (old->tick != 0)
            *place_slot(grown, capacity, &key) = *old;
    }
    free(all->places);
    all->places = grown;
    all->place_capacity = capacity;
}

// A call of a system belongs to an item: all calls of its stage on this chunk in this tick.
static void visit(gauge* all, uint32_t worker, const weft_trace_record* record) {
    weft_costs* costs = all->costs;
    if (all->place_count * 2 >= all->place_capacity)
        places_grow(all);
    place* at = place_slot(all->places, all->place_capacity, record);
    if (at->tick != all->tick) {
        bool known = at->tick != 0;
        costs->visits += known;
        costs->moves += known && at->worker != worker;
        all->place_count += !known;
        *at = (place){record->stage, record->archetype, record->shard, worker, all->tick, 0};
        ++costs->stage[record->stage].items;
    }
    at->ns += record->end_ns - record->begin_ns;
    if (at->ns > all->longest[record->stage])
        all->longest[record->stage] = at->ns;
}

// Records ----------------------------------------------------------------------------------------

static void add_system(gauge* all, uint32_t worker, const weft_trace_record* record) {
    weft_costs* costs = all->costs;
    uint64_t took = record->end_ns - record->begin_ns;
    WEFT_ASSERT(record->rank < costs->system_count && record->stage < costs->stage_count);
    weft_cost_system* system = &costs->system[record->rank];
    ++system->calls;
    system->rows += record->archetype == WEFT_TRACE_NONE ? 0 : record->count;
    system->ns += took;
    weft_trace_record key = *record;
    if (record->archetype == WEFT_TRACE_NONE)
        key.shard = record->rank; // World scope: an item of its own.
    visit(all, worker, &key);
}

static void add_record(gauge* all, uint32_t worker, const weft_trace_record* record) {
    weft_costs* costs = all->costs;
    uint64_t took = record->end_ns - record->begin_ns;
    (worker == 0 ? costs->caller_ns : costs->others_ns)[record->kind] += took;
    if (record->kind == WEFT_TRACE_COMMIT && worker == 0)
        all->commit = *record;
    // That of the host's commands lies inside, and is counted as a commit.
    if (record->kind == WEFT_TRACE_PREPARE && worker == 0 &&
        all->commit.begin_ns >= record->begin_ns)
        costs->caller_ns[WEFT_TRACE_PREPARE] -= all->commit.end_ns - all->commit.begin_ns;
    if (record->kind == WEFT_TRACE_SYSTEM || record->kind == WEFT_TRACE_HASH) {
        costs->stage[record->stage].work_ns += took;
        costs->stage[record->stage].others_ns += worker == 0 ? 0 : took;
    }
    if (record->kind == WEFT_TRACE_SYSTEM)
        add_system(all, worker, record);
    else if (record->kind == WEFT_TRACE_STAGE && worker == 0)
        costs->stage[record->stage].ns += took;
    else if (record->kind == WEFT_TRACE_TICK && worker == 0)
        costs->tick_ns += took;
}

// Takes what the last tick left.
static void take_tick(gauge* all, bool counts) {
    weft_executor* executor = all->rig.executor[0];
    weft_costs* costs = all->costs;
    uint64_t lost = 0;
    ++all->tick;
    memset(all->longest, 0, costs->stage_count * sizeof(*all->longest));
    for (uint32_t worker = 0; worker < costs->worker_count; ++worker) {
        uint64_t before = weft_trace_lost(executor, worker);
        size_t count;
        do {
            count = weft_trace_take(executor, worker, all->records, RECORDS);
            for (size_t i = 0; i < count && counts; ++i)
                add_record(all, worker, &all->records[i]);
        } while (count == RECORDS);
        lost += weft_trace_lost(executor, worker) - before;
    }
    for (uint32_t i = 0; i < costs->stage_count && counts; ++i)
        costs->stage[i].longest_ns += all->longest[i];
    costs->ticks += counts;
    costs->lost += counts && lost > 0;
}

// Declarations -----------------------------------------------------------------------------------

static void declare(const weft_schedule* schedule, weft_costs* costs) {
    for (uint32_t rank = 0; rank < costs->system_count; ++rank) {
        weft_cost_system* system = &costs->system[rank];
        uint32_t count = weft_schedule_access_count(schedule, rank);
        for (uint32_t i = 0; i < count; ++i) {
            weft_access access = weft_schedule_access(schedule, rank, i);
            if (access.mode == WEFT_ACCESS_READ || access.mode == WEFT_ACCESS_READ_OPTIONAL)
                system->read_bytes += access.type->size;
            if (access.mode == WEFT_ACCESS_WRITE || access.mode == WEFT_ACCESS_WRITE_OPTIONAL)
                system->both_bytes += access.type->size;
        }
    }
}

double weft_cost_bytes(const weft_cost_system* system) {
    return system->read_bytes + 2 * system->both_bytes;
}

double weft_cost_gbs(const weft_cost_system* system) {
    return system->ns > 0 ? weft_cost_bytes(system) * (double)system->rows / (double)system->ns : 0;
}

// Memory -----------------------------------------------------------------------------------------

static weft_status measure_kind(weft_traffic* stream, weft_hand* hand, weft_traffic_kind kind,
                                bool quick, double* gbs_out) {
    weft_measure_options options = {.quick = quick};
    weft_sampling sampling = {.sample_ns = quick ? 100000 : 20000000, .samples = quick ? 1 : 5};
    weft_traffic_work work = {.stream = stream, .kind = kind, .times = 1};
    weft_hand_side side = {hand, weft_traffic_part, &work};
    weft_case one = {.name = weft_traffic_names[kind],
                     .prepare = weft_hand_prepare,
                     .run = weft_hand_run,
                     .finish = weft_hand_finish,
                     .context = &side,
                     .units = weft_traffic_bytes(kind) * (double)stream->count};
    WEFT_TRY(weft_measure_cases(&options, one.name, sampling, &one, 1));
    *gbs_out = 1 / weft_statistics_median(one.series.value, one.series.count);
    return WEFT_STATUS_OK;
}

static double cache_bytes(const weft_topology* topology, uint32_t worker_count) {
    uint32_t count = 0;
    uint32_t taken = 0;
    double bytes = 0;
    const weft_topology_cache* caches = weft_topology_caches(topology, &count);
    for (uint32_t i = 0; i < count && taken < worker_count; ++i) {
        if (caches[i].level != 2)
            continue;
        bytes += (double)caches[i].bytes;
        ++taken;
    }
    return bytes;
}

static weft_status measure_memory(const weft_costs_desc* desc, weft_costs* costs) {
    uint32_t cpus[WEFT_HAND_THREADS_MAX];
    uint32_t count = weft_hand_cpus(desc->topology, cpus, costs->worker_count);
    weft_hand* hand = NULL;
    weft_traffic stream = {.count = 0};
    costs->cache_bytes = cache_bytes(desc->topology, costs->worker_count);
    WEFT_TRY(weft_hand_create_on(desc->topology, cpus, count, &hand));
    weft_status status =
        weft_traffic_open(&stream, hand, 2, desc->quick ? (size_t)1 << 20 : BANDWIDTH_BYTES);
    if (status == WEFT_STATUS_OK)
        status = measure_kind(&stream, hand, WEFT_TRAFFIC_READ_FOUR, desc->quick, &costs->read_gbs);
    if (status == WEFT_STATUS_OK)
        status = measure_kind(&stream, hand, WEFT_TRAFFIC_UPDATE, desc->quick, &costs->update_gbs);
    weft_traffic_close(&stream);
    weft_hand_destroy(hand);
    return status;
}

// The run ----------------------------------------------------------------------------------------

static weft_status open_world(const weft_costs_desc* desc, gauge* all) {
    weft_memory memory;
    WEFT_TRY(weft_layout_memory_of(desc->layout, desc->topology, &memory));
    weft_rig_start start = {.entity_count = desc->entity_count,
                            .seed = desc->seed,
                            .memory = &memory,
                            // Worker processes are forked from a world that is there.
                            .uncommitted = desc->layout->kind != WEFT_EXECUTOR_PROCESSES};
    WEFT_TRY(weft_rig_open_as(&all->rig, desc->module, &start));
    weft_executor_desc how = weft_layout_desc(desc->layout, all->sweeps);
    how.trace_records = RECORDS;
    WEFT_TRY(weft_rig_add(&all->rig, &how));
    WEFT_TRY(weft_executor_commit(all->rig.executor[0]));
    weft_costs* costs = all->costs;
    costs->worker_count = weft_executor_stats_read(all->rig.executor[0]).worker_count;
    costs->system_count = weft_schedule_system_count(all->rig.schedule);
    costs->stage_count = weft_schedule_stage_count(all->rig.schedule);
    costs->system = calloc((size_t)costs->system_count + 1, sizeof(*costs->system));
    costs->stage = calloc((size_t)costs->stage_count + 1, sizeof(*costs->stage));
    all->longest = calloc((size_t)costs->stage_count + 1, sizeof(*all->longest));
    all->records = malloc(RECORDS * sizeof(*all->records));
    if (!costs->system || !costs->stage || !all->longest || !all->records)
        return WEFT_STATUS_OUT_OF_MEMORY;
    declare(all->rig.schedule, costs);
    return WEFT_STATUS_OK;
}

static weft_status run_ticks(const weft_costs_desc* desc, gauge* all) {
    uint32_t warm = desc->quick ? 1 : WARM_TICKS;
    uint32_t least = desc->quick ? QUICK_TICKS : TICKS_LEAST;
    uint64_t begin = 0;
    for (uint32_t i = 0; i < warm + TICKS_MOST; ++i) {
        uint64_t now = weft_measure_now_ns();
        begin = i == warm ? now : begin;
        if (i >= warm + least && (desc->quick || (double)(now - begin) / 1e9 > desc->time_s))
            break;
        WEFT_TRY(weft_rig_tick(&all->rig, 0));
        if (i >= warm)
            all->costs->host_ns += weft_measure_now_ns() - now;
        take_tick(all, i >= warm);
    }
    return WEFT_STATUS_OK;
}

weft_status weft_costs_measure(const weft_costs_desc* desc, weft_costs* out, char* line,
                               size_t capacity) {
    cpu_set_t cpus;
    *out = (weft_costs){.ticks = 0};
    gauge* all = calloc(1, sizeof(*all));
    if (!all)
        return WEFT_STATUS_OUT_OF_MEMORY;
    all->costs = out;
    bool pinned = desc->layout->kind == WEFT_EXECUTOR_THREADS && desc->layout->pin &&
                  sched_getaffinity(0, sizeof(cpus), &cpus) == 0;
    weft_status status = open_world(desc, all);
    if (status == WEFT_STATUS_OK && pinned)
        (void)!weft_executor_pin_caller(all->rig.executor[0]);
    if (status == WEFT_STATUS_OK)
        status = run_ticks(desc, all);
    if (pinned)
        (void)sched_setaffinity(0, sizeof(cpus), &cpus);
    if (status != WEFT_STATUS_OK)
        snprintf(line, capacity, "%s",
                 all->rig.error[0] != '\0' ? all->rig.error : weft_status_text(status));
    weft_rig_close(&all->rig);
    free(all->longest);
    free(all->records);
    free(all->places);
    free(all);
    // What the machine's memory gives is worth having, not more.
    if (status == WEFT_STATUS_OK && measure_memory(desc, out) != WEFT_STATUS_OK)
        out->read_gbs = out->update_gbs = 0;
    return status;
}

void weft_costs_deinit(weft_costs* costs) {
    free(costs->system);
    free(costs->stage);
    *costs = (weft_costs){.ticks = 0};
}

// What follows from it ---------------------------------------------------------------------------

static const weft_trace_kind shared_kinds[] = {WEFT_TRACE_ROUTE, WEFT_TRACE_FOLD, WEFT_TRACE_MERGE};
#define SHARED_KINDS (sizeof(shared_kinds) / sizeof(shared_kinds[0]))
// Of these a part is shared: handles and messages.
static const weft_trace_kind mixed_kinds[] = {WEFT_TRACE_ASSIGN, WEFT_TRACE_MESSAGES,
                                              WEFT_TRACE_PREPARE, WEFT_TRACE_FINISH};
#define MIXED_KINDS (sizeof(mixed_kinds) / sizeof(mixed_kinds[0]))

// The caller's time in what is shared of a kind: as long as the others were in it, who are as many
// as the workers but one.
static uint64_t caller_shares(const weft_costs* costs, weft_trace_kind kind) {
    uint64_t others =
        costs->worker_count > 1 ? costs->others_ns[kind] / (costs->worker_count - 1) : 0;
    return others < costs->caller_ns[kind] ? others : costs->caller_ns[kind];
}

uint64_t weft_costs_between_ns(const weft_costs* costs) {
    return costs->caller_ns[WEFT_TRACE_PREPARE] - caller_shares(costs, WEFT_TRACE_PREPARE) +
           costs->caller_ns[WEFT_TRACE_FINISH] - caller_shares(costs, WEFT_TRACE_FINISH);
}

uint64_t weft_costs_serial_ns(const weft_costs* costs) {
    uint64_t commit = costs->caller_ns[WEFT_TRACE_COMMIT];
    uint64_t shared =
        caller_shares(costs, WEFT_TRACE_ASSIGN) + caller_shares(costs, WEFT_TRACE_MESSAGES);
    for (size_t i = 0; i < SHARED_KINDS; ++i)
        shared += costs->caller_ns[shared_kinds[i]];
    return weft_costs_between_ns(costs) + (shared < commit ? commit - shared : 0);
}

uint64_t weft_costs_shared_ns(const weft_costs* costs) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < costs->stage_count; ++i)
        sum += costs->stage[i].work_ns;
    for (size_t i = 0; i < SHARED_KINDS; ++i)
        sum += costs->caller_ns[shared_kinds[i]] + costs->others_ns[shared_kinds[i]];
    for (size_t i = 0; i < MIXED_KINDS; ++i)
        sum += caller_shares(costs, mixed_kinds[i]) + costs->others_ns[mixed_kinds[i]];
    return sum;
}

// For each system the ends of its costliest chain, and the system before it there; itself for none.
static void find_chains(const weft_costs* costs, const weft_schedule* schedule, uint64_t* ends,
                        uint32_t* before) {
    uint32_t count = costs->system_count;
    uint32_t edges = weft_schedule_edge_count(schedule);
    uint32_t* begin = calloc((size_t)count + 2, sizeof(*begin));
    uint32_t* from = calloc((size_t)edges + 1, sizeof(*from));
    WEFT_ASSERT(begin && from);
    // Edges by their later system.
    for (uint32_t i = 0; i < edges; ++i)
        ++begin[weft_schedule_edge(schedule, i).to + 2];
    for (uint32_t rank = 2; rank < count + 2; ++rank)
        begin[rank] += begin[rank - 1];
    for (uint32_t i = 0; i < edges; ++i) {
        weft_edge edge = weft_schedule_edge(schedule, i);
        from[begin[edge.to + 1]++] = edge.from;
    }
    // They go from smaller to larger ranks.
    for (uint32_t rank = 0; rank < count; ++rank) {
        uint64_t best = 0;
        before[rank] = rank;
        for (uint32_t i = begin[rank]; i < begin[rank + 1]; ++i) {
            WEFT_ASSERT(from[i] < rank);
            if (ends[from[i]] < best)
                continue;
            best = ends[from[i]];
            before[rank] = from[i];
        }
        ends[rank] = best + costs->system[rank].ns;
    }
    free(begin);
    free(from);
}

uint32_t weft_costs_path(const weft_costs* costs, const weft_schedule* schedule, uint32_t* ranks,
                         uint64_t* ns_out) {
    uint32_t count = costs->system_count;
    uint64_t* ends = calloc((size_t)count + 1, sizeof(*ends));
    uint32_t* before = calloc((size_t)count + 1, sizeof(*before));
    WEFT_ASSERT(ends && before);
    find_chains(costs, schedule, ends, before);
    uint32_t last = 0;
    for (uint32_t rank = 1; rank < count; ++rank)
        last = ends[rank] > ends[last] ? rank : last;
    uint32_t length = count > 0;
    *ns_out = count > 0 ? ends[last] : 0;
    for (uint32_t at = last; before[at] != at && count > 0; at = before[at])
        ++length;
    uint32_t at = last;
    for (uint32_t i = length; i-- > 0; at = before[at])
        ranks[i] = at;
    free(ends);
    free(before);
    return length;
}
