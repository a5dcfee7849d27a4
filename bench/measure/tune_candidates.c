// What may be changed about a layout, factor by factor.

#include "tune.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void name(weft_tune_candidate* out, const char* format, ...) WEFT_PRINTF(2, 3);

static void name(weft_tune_candidate* out, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(out->what, sizeof(out->what), format, arguments);
    va_end(arguments);
}

// Workers ----------------------------------------------------------------------------------------

// Whether so many workers are worth a try: few, powers of two and what lies in the middle of two,
// one for each core, all CPUs.
static bool is_step(uint32_t count, const weft_topology_info* info) {
    uint32_t odd = count;
    while (odd % 2 == 0)
        odd /= 2;
    return odd == 1 || odd == 3 || count == info->core_count || count == info->worker_cpu_count;
}

static bool workers_at(const weft_tune_desc* desc, uint32_t index, weft_tune_candidate* out) {
    weft_topology_info info = weft_topology_info_get(desc->topology);
    uint32_t most = desc->worker_max != 0 ? desc->worker_max : info.worker_cpu_count;
    bool processes = desc->start.kind == WEFT_EXECUTOR_PROCESSES;
    index += processes;
    if (index == 0) {
        out->layout.kind = WEFT_EXECUTOR_SERIAL;
        out->layout.worker_count = 1;
        name(out, "serial");
        return true;
    }
    uint32_t count = 0;
    while (index > 0 && count < most) {
        ++count;
        index -= is_step(count, &info) || count == most;
    }
    if (index > 0)
        return false;
    out->layout.kind = processes ? WEFT_EXECUTOR_PROCESSES : WEFT_EXECUTOR_THREADS;
    out->layout.worker_count = count;
    bool has_siblings = info.core_count < info.worker_cpu_count;
    name(out, "%u %s%s", count, count == 1 ? "worker" : "workers",
         has_siblings && count == info.core_count         ? ", one for each core"
         : has_siblings && count == info.worker_cpu_count ? ", on SMT siblings too"
                                                          : "");
    return true;
}

// Memory -----------------------------------------------------------------------------------------

static bool memory_at(const weft_tune_desc* desc, uint32_t index, weft_tune_candidate* out) {
    static const char* const names[] = {"huge pages", "small pages", "memory in turn on all nodes"};
    weft_topology_info info = weft_topology_info_get(desc->topology);
    if (desc->start.kind == WEFT_EXECUTOR_PROCESSES)
        return false; // Theirs is shared memory, whose pages the system chooses.
    if (index >= (info.node_count > 1 ? WEFT_LAYOUT_MEMORIES : WEFT_LAYOUT_INTERLEAVED))
        return false;
    out->layout.memory = (weft_layout_memory)index;
    name(out, "%s", names[index]);
    return true;
}

// Orders -----------------------------------------------------------------------------------------

// The first system of chunk scope of the index-th stage that has several; WEFT_TOPOLOGY_UNKNOWN if
// there are not so many.
static uint32_t stage_with_order(const weft_schedule* schedule, uint32_t index) {
    uint32_t stages = weft_schedule_stage_count(schedule);
    uint32_t systems = weft_schedule_system_count(schedule);
    for (uint32_t stage = 0; stage < stages; ++stage) {
        uint32_t first = WEFT_TOPOLOGY_UNKNOWN;
        uint32_t count = 0;
        for (uint32_t rank = 0; rank < systems; ++rank) {
            if (weft_schedule_system_stage(schedule, rank) != stage ||
                weft_schedule_system_scope(schedule, rank) != WEFT_SCOPE_CHUNK)
                continue;
            first = count++ == 0 ? rank : first;
        }
        if (count > 1 && index-- == 0)
            return first;
    }
    return WEFT_TOPOLOGY_UNKNOWN;
}

static bool order_at(const weft_tune_desc* desc, uint32_t index, weft_tune_candidate* out) {
    weft_sweep sweep = index % 2 == 0 ? WEFT_SWEEP_CHUNK_MAJOR : WEFT_SWEEP_SYSTEM_MAJOR;
    uint32_t rank = stage_with_order(desc->schedule, index / 2);
    if (rank == WEFT_TOPOLOGY_UNKNOWN)
        return false;
    const char* system = weft_schedule_system_name(desc->schedule, rank);
    name(out, "stage of %s by %s", system, index % 2 == 0 ? "chunk" : "system");
    return weft_layout_order(&out->layout, system, sweep);
}

// What is for several workers --------------------------------------------------------------------

static bool grain_at(uint32_t index, weft_tune_candidate* out) {
    static const uint32_t grains[] = {0, 1, 2, 4, 16, 64};
    if (index >= sizeof(grains) / sizeof(grains[0]))
        return false;
    out->layout.grain = grains[index];
    name(out, grains[index] == 0 ? "grain by cost" : "grain %u", grains[index]);
    return true;
}

static bool waiting_at(uint32_t index, weft_tune_candidate* out) {
    static const struct {
        uint32_t spin_ns;
        uint32_t yield_ns;
        const char* what;
    } ways[] = {
        {100000, 20000, "spin 100 us"},
        {0, 0, "sleep at once"},
        {10000, 20000, "spin 10 us"},
        {1000000, 20000, "spin 1 ms"},
        {10000, 1000000, "spin 10 us, yield 1 ms"},
    };
    if (index >= sizeof(ways) / sizeof(ways[0]))
        return false;
    out->layout.spin_ns = ways[index].spin_ns;
    out->layout.yield_ns = ways[index].yield_ns;
    name(out, "%s", ways[index].what);
    return true;
}

static bool seats_equal(const weft_topology* topology, const weft_layout* a, const weft_layout* b) {
    uint32_t count = a->worker_count;
    weft_seat* seats = calloc((size_t)count * 2, sizeof(*seats));
    WEFT_ASSERT(seats);
    const weft_layout* layouts[2] = {a, b};
    bool same = a->pin == b->pin;
    for (int i = 0; i < 2 && same; ++i) {
        weft_placement placement = {layouts[i]->policy,
                                    layouts[i]->cpu_count > 0 ? layouts[i]->cpus : NULL,
                                    layouts[i]->cpu_count};
        same = weft_topology_place(topology, &placement, count, seats + i * (int)count) ==
               WEFT_STATUS_OK;
    }
    for (uint32_t i = 0; i < count && same; ++i)
        same = seats[i].cpu == seats[count + i].cpu;
    free(seats);
    return same;
}

// A policy that puts workers where they are is left as it is.
static bool placement_at(const weft_tune_desc* desc, const weft_layout* best, uint32_t index,
                         weft_tune_candidate* out) {
    static const char* const names[] = {"spread", "compact", "per node", "not pinned"};
    if (index > WEFT_PLACEMENT_LIST)
        return false;
    out->layout.pin = index < WEFT_PLACEMENT_LIST;
    out->layout.policy =
        out->layout.pin ? (weft_placement_policy)index : weft_layout_default(1).policy;
    out->layout.cpu_count = 0;
    name(out, "%s", names[index]);
    if (out->layout.pin && seats_equal(desc->topology, best, &out->layout))
        out->layout = *best;
    return true;
}

bool weft_tune_candidate_at(const weft_tune_desc* desc, const weft_layout* best,
                            weft_tune_factor factor, uint32_t index, weft_tune_candidate* out) {
    bool several = weft_layout_is_parallel(best) && best->worker_count > 1;
    // One worker process and the host wait for each other.
    bool waits = several || best->kind == WEFT_EXECUTOR_PROCESSES;
    out->layout = *best;
    switch (factor) {
    case WEFT_TUNE_WORKERS:
        return workers_at(desc, index, out);
    case WEFT_TUNE_MEMORY:
        return memory_at(desc, index, out);
    case WEFT_TUNE_ORDER:
        return order_at(desc, index, out);
    case WEFT_TUNE_GRAIN:
        return several && grain_at(index, out);
    case WEFT_TUNE_WAITING:
        return waits && waiting_at(index, out);
    case WEFT_TUNE_PLACEMENT:
        return several && placement_at(desc, best, index, out);
    case WEFT_TUNE_FACTORS:
        break;
    }
    return false;
}
