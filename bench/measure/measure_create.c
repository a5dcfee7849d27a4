/// A million entities created and destroyed, one by one and in bulk, the commit included.
///
/// Every sample has a fresh world, whose memory the system has not given yet, as in the peers'
/// tests: a good part of the time is page faults. What two arrays cost that are filled by hand in
/// fresh memory is there as the bound.

#include "births.h"
#include "iterate.h"

#include <stdio.h>
#include <string.h>
#include <weft/memory.h>

enum {
    WAYS_MAX = 12,
    TARGET_NS = 60 // Bulk create with two components, one worker.
};

// The rows that are created, in one segment.
typedef struct rows {
    IteratePosition* position;
    IterateVelocity* velocity;
    uint32_t count;
    void* segment;
    size_t size;
} rows;

static weft_status open_rows(rows* all, uint32_t count) {
    weft_memory memory = weft_memory_system();
    all->count = count;
    all->size =
        ((size_t)count * (sizeof(IteratePosition) + sizeof(IterateVelocity)) + 4095) / 4096 * 4096;
    all->segment = memory.acquire(memory.context, all->size);
    if (!all->segment)
        return WEFT_STATUS_OUT_OF_MEMORY;
    all->position = all->segment;
    all->velocity = (IterateVelocity*)(void*)(all->position + count);
    for (uint32_t i = 0; i < count; ++i) {
        all->position[i].at = (weft_vec2){WEFT_FIXED_RAW((int32_t)i), WEFT_FIXED_RAW(-(int32_t)i)};
        all->velocity[i].per_tick = (weft_vec2){WEFT_FIXED_RAW((int32_t)(i % 64)), WEFT_FIXED_ONE};
    }
    return WEFT_STATUS_OK;
}

static void close_rows(rows* all) {
    weft_memory memory = weft_memory_system();
    if (all->segment)
        memory.release(memory.context, all->segment, all->size);
}

// The bound: the same values in fresh memory.
static weft_status copy_once(void* context, uint64_t* elapsed) {
    const rows* all = context;
    weft_memory memory = weft_memory_system();
    uint64_t start = weft_measure_now_ns();
    void* copy = memory.acquire(memory.context, all->size);
    if (!copy)
        return WEFT_STATUS_OUT_OF_MEMORY;
    memcpy(copy, all->segment, (size_t)all->count * 16);
    __asm__ volatile("" : : "r"(copy) : "memory"); // It is read.
    *elapsed += weft_measure_now_ns() - start;
    memory.release(memory.context, copy, all->size);
    return WEFT_STATUS_OK;
}

// One way to create or to destroy.
typedef struct way {
    const char* name;
    uint32_t column_count;
    bool bulk;
    bool deaths;
    uint32_t worker_count;
} way;

static const way ways[] = {
    {"create, 2 components, one by one", 2, false, false, 1},
    {"create, 2 components, in bulk", 2, true, false, 1},
    {"create, 2 components, in bulk, 2 workers", 2, true, false, 2},
    {"create, no component, one by one", 0, false, false, 1},
    {"create, no component, in bulk", 0, true, false, 1},
    {"destroy, 2 components, one by one", 2, false, true, 1},
    {"destroy, 2 components, in bulk", 2, true, true, 1},
    {"destroy, 2 components, in bulk, 2 workers", 2, true, true, 2},
};

typedef struct contest {
    const weft_measure_options* options;
    weft_measure_table* table;
    weft_births births[WAYS_MAX];
    const way* way[WAYS_MAX];
    weft_case cases[WAYS_MAX + 1];
    uint32_t count;
} contest;

static void choose(contest* all, const rows* values, const weft_topology* topology) {
    bool two =
        all->options->worker_max != 1 && weft_topology_info_get(topology).worker_cpu_count >= 2;
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); ++i) {
        if (ways[i].worker_count > 1 && !two)
            continue;
        uint32_t at = all->count++;
        all->way[at] = &ways[i];
        all->births[at] = (weft_births){
            .entity_count = values->count,
            .type = {WEFT_TYPE(IteratePosition), WEFT_TYPE(IterateVelocity)},
            .values = {values->position, values->velocity},
            .column_count = ways[i].column_count,
            .bulk = ways[i].bulk,
            .deaths = ways[i].deaths,
            .fresh = true,
            .worker_count = ways[i].worker_count,
            .topology = topology,
        };
        all->cases[at] = (weft_case){.name = ways[i].name,
                                     .once = weft_births_once,
                                     .context = &all->births[at],
                                     .units = values->count};
    }
}

// All worlds with the same components are the same world.
static weft_status compare(contest* all) {
    for (uint32_t i = 1; i < all->count; ++i) {
        for (uint32_t k = 0; k < i; ++k) {
            if (all->way[i]->column_count != all->way[k]->column_count ||
                weft_digest_equal(all->births[i].digest, all->births[k].digest))
                continue;
            snprintf(all->table->error, sizeof(all->table->error),
                     "\"%s\" gives another world than \"%s\"", all->way[i]->name,
                     all->way[k]->name);
            return WEFT_STATUS_DIVERGED;
        }
    }
    return WEFT_STATUS_OK;
}

static weft_status measure(contest* all, rows* values) {
    weft_sampling sampling = {.samples = all->options->quick ? 3 : 9};
    uint32_t count = all->count;
    all->cases[count] = (weft_case){.name = "the bound: both arrays copied by hand",
                                    .once = copy_once,
                                    .context = values,
                                    .units = values->count};
    WEFT_TRY(weft_measure_cases(all->options, "create", sampling, all->cases, count + 1));
    WEFT_TRY(compare(all));
    for (uint32_t i = 0; i <= count; ++i) {
        weft_measure_row* row = weft_measure_add(all->table, "ns/entity", &all->cases[i].series, 1,
                                                 "%s", all->cases[i].name);
        if (i < count && all->way[i] == &ways[1] && all->options->entity_count == 0)
            weft_measure_target(all->options, row, WEFT_MEASURE_AT_MOST, TARGET_NS);
    }
    return WEFT_STATUS_OK;
}

static weft_status run(const weft_measure_options* options, weft_measure_table* table) {
    uint64_t count = options->entity_count > 0 ? options->entity_count
                     : options->quick          ? 5000
                                               : 1000000;
    snprintf(table->title, sizeof(table->title), "%llu entities into a fresh world, and out of it",
             (unsigned long long)count);
    if (count > UINT32_MAX / 2)
        return WEFT_STATUS_BAD_ARGUMENT;
    rows values = {.count = 0};
    contest all = {.options = options, .table = table};
    weft_topology* topology = NULL;
    weft_status status = weft_topology_create(NULL, &topology);
    if (status == WEFT_STATUS_OK)
        status = open_rows(&values, (uint32_t)count);
    if (status == WEFT_STATUS_OK) {
        choose(&all, &values, topology);
        status = measure(&all, &values);
    }
    for (uint32_t i = 0; i < all.count; ++i) {
        if (status != WEFT_STATUS_OK && all.births[i].error[0] != '\0')
            snprintf(table->error, sizeof(table->error), "%s: %s", all.way[i]->name,
                     all.births[i].error);
        weft_births_close(&all.births[i]);
    }
    close_rows(&values);
    weft_topology_destroy(topology);
    return status;
}

const weft_measure weft_measure_create = {
    .name = "create",
    .summary = "a million entities created and destroyed, one by one and in bulk",
    .run = run,
};
