/// The workloads of abeimler/ecs_benchmark at a few of its entity counts.
///
/// All worlds are kept warm: what a fresh one costs is told by `create`. What changes structure is
/// recorded in a system and counts with the commit behind it. Every number is of one worker but
/// where two are named.

#include "births.h"
#include "duel.h"
#include "ecs_bench_suite.h"
#include "ecs_benchmark.h"
#include "plain.h"

#include <stdio.h>
#include <stdlib.h>

static const uint32_t counts[] = {1, 64, 4096, 65536, 1048576};

typedef struct bench {
    const weft_measure_options* options;
    weft_measure_table* table;
    weft_topology* topology;
    weft_sampling sampling;
    uint32_t count;
} bench;

// Adds a row "name, n entities" for each case.
static void add_rows(const bench* all, const weft_case* cases, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i)
        weft_measure_add(all->table, "ns/entity", &cases[i].series, 1, "%s, %u entities",
                         cases[i].name, all->count);
}

static weft_status failed(const bench* all, const char* line, weft_status status) {
    if (all->table->error[0] == '\0')
        snprintf(all->table->error, sizeof(all->table->error), "%u entities: %s", all->count,
                 line[0] ? line : weft_status_text(status));
    return status;
}

// Births and deaths ------------------------------------------------------------------------------

typedef struct birth_way {
    const char* name;
    uint32_t column_count;
    bool bulk;
    bool deaths;
} birth_way;

static const birth_way birth_ways[] = {
    {"create empty", 0, false, false},        {"create empty in bulk", 0, true, false},
    {"create 2 components", 2, false, false}, {"create 2 components in bulk", 2, true, false},
    {"destroy 2 components", 2, false, true}, {"destroy 2 components in bulk", 2, true, true},
};

enum {
    BIRTH_WAYS = sizeof(birth_ways) / sizeof(birth_ways[0])
};

static weft_status measure_births(bench* all, const void* rows) {
    weft_births births[BIRTH_WAYS];
    weft_case cases[BIRTH_WAYS];
    for (uint32_t i = 0; i < BIRTH_WAYS; ++i) {
        births[i] = (weft_births){
            .entity_count = all->count,
            .type = {WEFT_TYPE(BenchmarkPosition), WEFT_TYPE(BenchmarkVelocity)},
            .values = {rows, rows},
            .column_count = birth_ways[i].column_count,
            .bulk = birth_ways[i].bulk,
            .deaths = birth_ways[i].deaths,
            .worker_count = 1,
            .topology = all->topology,
        };
        cases[i] = (weft_case){.name = birth_ways[i].name,
                               .once = weft_births_once,
                               .context = &births[i],
                               .units = all->count};
    }
    weft_status status =
        weft_measure_cases(all->options, "create and destroy", all->sampling, cases, BIRTH_WAYS);
    for (uint32_t i = 0; i < BIRTH_WAYS; ++i) {
        uint32_t first = birth_ways[i].column_count == 0 ? 0 : 2;
        if (status == WEFT_STATUS_OK &&
            !weft_digest_equal(births[i].digest, births[first].digest)) {
            snprintf(births[i].error, sizeof(births[i].error),
                     "\"%s\" gives another world than "
                     "\"%s\"",
                     cases[i].name, cases[first].name);
            status = WEFT_STATUS_DIVERGED;
        }
        if (births[i].error[0] != '\0')
            (void)failed(all, births[i].error, status);
        weft_births_close(&births[i]);
    }
    if (status != WEFT_STATUS_OK)
        return failed(all, "", status);
    add_rows(all, cases, BIRTH_WAYS);
    return WEFT_STATUS_OK;
}

// By handle and by query -------------------------------------------------------------------------

typedef struct reading {
    const weft_world* world;
    const weft_entity* handles;
    uint32_t count;
    uint32_t components; // How many are read.
    bool by_query;
    uint64_t sum; // Of what was read in one pass; the same for all that read as much.
} reading;

static const weft_access read_terms[] = {WEFT_READS(BenchmarkPosition),
                                         WEFT_READS(BenchmarkVelocity), WEFT_READS(BenchmarkData)};

static uint64_t read_by_handle(const reading* all) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < all->count; ++i) {
        if (all->components == 0)
            sum += weft_world_is_alive(all->world, all->handles[i]);
        for (uint32_t k = 0; k < all->components; ++k)
            sum +=
                *(const uint32_t*)weft_world_read(all->world, all->handles[i], read_terms[k].type);
    }
    return sum;
}

static uint64_t read_by_query(const reading* all) {
    uint64_t sum = 0;
    weft_cursor cursor = weft_world_visit(all->world, read_terms, all->components);
    while (weft_cursor_next(&cursor)) {
        for (uint32_t k = 0; k < all->components; ++k) {
            const char* column = weft_cursor_column(&cursor, read_terms[k].type);
            size_t step = read_terms[k].type->size;
            for (uint32_t i = 0; i < cursor.row_count; ++i)
                sum += *(const uint32_t*)(const void*)(column + i * step);
        }
    }
    return sum;
}

static weft_status read_run(void* context, uint64_t repeat) {
    reading* all = context;
    for (uint64_t i = 0; i < repeat; ++i) {
        all->sum = all->by_query ? read_by_query(all) : read_by_handle(all);
        __asm__ volatile("" : : : "memory"); // Every pass reads anew.
    }
    return WEFT_STATUS_OK;
}

static weft_status read_all(bench* all, const weft_world* world, const weft_entity* handles) {
    static const char* const names[] = {
        "unpack 0 components", "unpack 1 component",   "unpack 2 components", "unpack 3 components",
        "iterate 1 component", "iterate 2 components", "iterate 3 components"};
    reading readings[7];
    weft_case cases[7];
    for (uint32_t i = 0; i < 7; ++i) {
        readings[i] = (reading){.world = world,
                                .handles = handles,
                                .count = all->count,
                                .components = i < 4 ? i : i - 3,
                                .by_query = i >= 4};
        cases[i] = (weft_case){
            .name = names[i], .run = read_run, .context = &readings[i], .units = all->count};
    }
    WEFT_TRY(weft_measure_cases(all->options, "unpack and iterate", all->sampling, cases, 7));
    for (uint32_t i = 4; i < 7; ++i) {
        if (readings[i].sum != readings[i - 3].sum)
            return failed(all, "queries read other values than handles", WEFT_STATUS_DIVERGED);
    }
    add_rows(all, cases, 7);
    return WEFT_STATUS_OK;
}

static weft_status measure_reads(bench* all) {
    weft_rig rig;
    weft_status status = weft_rig_open(&rig, &weft_suite_systems2, all->count, all->options->seed);
    weft_entity* handles = malloc(all->count * sizeof(weft_entity));
    uint32_t count = 0;
    if (!handles)
        status = WEFT_STATUS_OUT_OF_MEMORY;
    if (status == WEFT_STATUS_OK) {
        weft_cursor cursor = weft_world_visit(rig.world, NULL, 0);
        while (weft_cursor_next(&cursor)) {
            for (uint32_t i = 0; i < cursor.row_count; ++i)
                handles[count++] = cursor.entities[i];
        }
        status = read_all(all, rig.world, handles);
    }
    if (status != WEFT_STATUS_OK)
        (void)failed(all, rig.error, status);
    weft_rig_close(&rig);
    free(handles);
    return status;
}

// Components on and off --------------------------------------------------------------------------

// A rig of two ticks in turn, one of which counts.
typedef struct turns {
    weft_rig rig;
    bool second;
} turns;

static weft_status turns_once(void* context, uint64_t* elapsed) {
    turns* all = context;
    for (int i = 0; i < 2; ++i) {
        uint64_t start = weft_measure_now_ns();
        WEFT_TRY(weft_rig_tick(&all->rig, 0));
        if ((i == 1) == all->second)
            *elapsed += weft_measure_now_ns() - start;
    }
    return WEFT_STATUS_OK;
}

static weft_status measure_turns(bench* all) {
    static const struct {
        const char* name;
        const weft_module* module;
        bool second;
    } ways[3] = {
        {"add a component", &weft_suite_add_remove, false},
        {"remove a component", &weft_suite_add_remove, true},
        {"remove and add a component, folded", &weft_suite_remove_add, false},
    };
    turns rigs[3] = {0};
    weft_case cases[3];
    weft_status status = WEFT_STATUS_OK;
    for (uint32_t i = 0; i < 3; ++i) {
        weft_executor_desc desc = weft_rig_threads(1, all->topology);
        rigs[i].second = ways[i].second;
        cases[i] = (weft_case){
            .name = ways[i].name, .once = turns_once, .context = &rigs[i], .units = all->count};
        if (status == WEFT_STATUS_OK)
            status = weft_rig_open(&rigs[i].rig, ways[i].module, all->count, all->options->seed);
        if (status == WEFT_STATUS_OK)
            status = weft_rig_add(&rigs[i].rig, &desc);
    }
    if (status == WEFT_STATUS_OK)
        status = weft_measure_cases(all->options, "components", all->sampling, cases, 3);
    if (status == WEFT_STATUS_OK)
        add_rows(all, cases, 3);
    for (uint32_t i = 0; i < 3; ++i) {
        if (rigs[i].rig.error[0] != '\0')
            (void)failed(all, rigs[i].rig.error, status);
        weft_rig_close(&rigs[i].rig);
    }
    return status;
}

// Systems and events -----------------------------------------------------------------------------

static void systems2_part(void* hand, uint32_t index, uint32_t count) {
    const weft_plain* plain = hand;
    for (uint32_t i = 0; i < plain->table_count; ++i) {
        const weft_plain_table* table = &plain->table[i];
        size_t first, end;
        weft_plain_cut(table, index, count, &first, &end);
        weft_benchmark_move(WEFT_PLAIN_AT(table, 0, BenchmarkPosition, first),
                            WEFT_PLAIN_AT(table, 1, BenchmarkVelocity, first), end - first);
        weft_benchmark_count(WEFT_PLAIN_AT(table, 2, BenchmarkData, first), end - first);
    }
}

static weft_status measure_systems(bench* all) {
    static const struct {
        const char* name;
        const weft_module* module;
        weft_hand_part* part;
    } ways[] = {
        {"2 systems", &weft_suite_systems2, systems2_part},
        {"2 systems mixed", &weft_suite_systems2_mixed, NULL},
        {"7 systems", &weft_suite_systems7, NULL},
        {"7 systems mixed", &weft_suite_systems7_mixed, NULL},
        {"events, published", &weft_suite_publish, NULL},
        {"events, published and handled", &weft_suite_publish_update, NULL},
    };
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); ++i) {
        char label[64];
        snprintf(label, sizeof(label), "%s, %u entities: ", ways[i].name, all->count);
        weft_plain plain = {.terms = read_terms, .term_count = 3};
        weft_duel duel = {
            .module = ways[i].module,
            .entity_count = all->count,
            .label = label,
            .what = ways[i].name,
            .unit = "ns/entity",
            .units = all->count,
            .sampling = all->sampling,
            .hand = &plain,
            .open = weft_plain_open,
            .part = ways[i].part,
            .equal = weft_plain_equal,
            .close = weft_plain_close,
        };
        WEFT_TRY(weft_duel_run(&duel, all->options, all->table));
    }
    return WEFT_STATUS_OK;
}

static weft_status measure_count(bench* all) {
    void* rows = calloc(all->count, sizeof(BenchmarkPosition));
    weft_status status = rows ? WEFT_STATUS_OK : WEFT_STATUS_OUT_OF_MEMORY;
    if (status == WEFT_STATUS_OK)
        status = measure_births(all, rows);
    free(rows);
    WEFT_TRY(status);
    WEFT_TRY(measure_reads(all));
    WEFT_TRY(measure_turns(all));
    return measure_systems(all);
}

static weft_status run(const weft_measure_options* options, weft_measure_table* table) {
    bench all = {.options = options,
                 .table = table,
                 .sampling = {.sample_ns = options->quick ? 50000 : 1000000,
                              .samples = options->quick ? 3 : 9}};
    snprintf(table->title, sizeof(table->title),
             "the workloads of abeimler/ecs_benchmark, which has powers of two up to 2,097,152");
    weft_status status = weft_topology_create(NULL, &all.topology);
    size_t sizes = options->quick ? 2 : sizeof(counts) / sizeof(counts[0]);
    if (options->entity_count > 0)
        sizes = 1;
    for (size_t i = 0; i < sizes && status == WEFT_STATUS_OK; ++i) {
        all.count = options->entity_count > 0 && options->entity_count <= UINT32_MAX
                        ? (uint32_t)options->entity_count
                        : counts[i];
        status = measure_count(&all);
    }
    if (status != WEFT_STATUS_OK)
        (void)failed(&all, "", status);
    weft_topology_destroy(all.topology);
    return status;
}

const weft_measure weft_measure_ecs_benchmark = {
    .name = "ecs_benchmark",
    .summary = "the workloads of abeimler/ecs_benchmark, at 1 to 1,048,576 entities",
    .run = run,
};
