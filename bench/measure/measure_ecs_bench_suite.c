/// The workloads of rust-gamedev's ecs_bench_suite, at its entity counts.
///
/// Its names: simple_insert, simple_iter, fragmented_iter, schedule (outer parallelism),
/// heavy_compute (inner parallelism), add_remove_component. The loops by hand run over one plain
/// array for each component and archetype. The target of a pass of fragmented_iter is what the
/// fastest peer needs: a pass is a tick here, with its plan, its commit and its marks.

#include "births.h"
#include "duel.h"
#include "ecs_bench_suite.h"
#include "heavy_compute.h"
#include "plain.h"

#include <stdio.h>
#include <stdlib.h>

// Sides by hand ----------------------------------------------------------------------------------

static void advance_part(void* hand, uint32_t index, uint32_t count) {
    const weft_plain* plain = hand;
    for (uint32_t i = 0; i < plain->table_count; ++i) {
        const weft_plain_table* table = &plain->table[i];
        size_t first, end;
        weft_plain_cut(table, index, count, &first, &end);
        weft_suite_advance(WEFT_PLAIN_AT(table, 0, SuitePosition, first),
                           WEFT_PLAIN_AT(table, 1, SuiteVelocity, first), end - first);
    }
}

// The archetypes are cut, not their few rows.
static void double_part(void* hand, uint32_t index, uint32_t count) {
    const weft_plain* plain = hand;
    uint32_t end = plain->table_count * (index + 1) / count;
    for (uint32_t i = plain->table_count * index / count; i < end; ++i)
        weft_suite_double(WEFT_PLAIN_AT(&plain->table[i], 0, SuiteData, 0), plain->table[i].count);
}

static void swap_part(void* hand, uint32_t index, uint32_t count) {
    static const uint32_t pairs[3][2] = {{0, 1}, {2, 3}, {2, 4}};
    const weft_plain* plain = hand;
    for (uint32_t system = 0; system < 3; ++system) {
        for (uint32_t i = 0; i < plain->table_count; ++i) {
            const weft_plain_table* table = &plain->table[i];
            size_t first, end;
            if (!table->column[pairs[system][0]] || !table->column[pairs[system][1]])
                continue;
            weft_plain_cut(table, index, count, &first, &end);
            weft_suite_swap(WEFT_PLAIN_AT(table, pairs[system][0], weft_fixed, first),
                            WEFT_PLAIN_AT(table, pairs[system][1], weft_fixed, first), end - first);
        }
    }
}

static void heavy_part(void* hand, uint32_t index, uint32_t count) {
    const weft_plain* plain = hand;
    for (uint32_t i = 0; i < plain->table_count; ++i) {
        const weft_plain_table* table = &plain->table[i];
        size_t first, end;
        weft_plain_cut(table, index, count, &first, &end);
        weft_heavy_invert(WEFT_PLAIN_AT(table, 0, HeavyMatrix, first),
                          WEFT_PLAIN_AT(table, 1, HeavyPosition, first), end - first);
    }
}

static const weft_access simple_terms[] = {WEFT_READS(SuitePosition), WEFT_READS(SuiteVelocity)};
static const weft_access data_terms[] = {WEFT_READS(SuiteData)};
static const weft_access letter_terms[] = {WEFT_READS(SuiteA), WEFT_READS(SuiteB),
                                           WEFT_READS_OPTIONAL(SuiteC), WEFT_READS_OPTIONAL(SuiteD),
                                           WEFT_READS_OPTIONAL(SuiteE)};
static const weft_access heavy_terms[] = {WEFT_READS(HeavyMatrix), WEFT_READS(HeavyPosition)};

// One workload that is run tick by tick.
typedef struct entry {
    const char* label;
    const weft_module* module;
    const char* unit;
    double units;
    double limit;
    const weft_access* terms; // Null: nothing by hand.
    uint32_t term_count;
    weft_hand_part* part;
} entry;

static const entry entries[] = {
    {"simple_iter: ", &weft_suite_simple, "us/pass", 1000, 0, simple_terms, 2, advance_part},
    {"fragmented_iter: ", &weft_suite_fragmented, "ns/pass", 1, 250, data_terms, 1, double_part},
    {"schedule: ", &weft_suite_schedule, "us/pass", 1000, 0, letter_terms, 5, swap_part},
    {"heavy_compute: ", &weft_suite_heavy, "us/pass", 1000, 0, heavy_terms, 2, heavy_part},
    // A pass is two ticks.
    {"add_remove_component: ", &weft_suite_add_remove, "us/pass", 500, 0, NULL, 0, NULL},
    {"add_remove_component, presence table: ", &weft_suite_add_remove_sparse, "us/pass", 500, 0,
     NULL, 0, NULL},
};

static weft_status run_entry(const entry* one, const weft_measure_options* options,
                             weft_measure_table* table) {
    weft_plain plain = {.terms = one->terms, .term_count = one->term_count};
    weft_duel duel = {
        .module = one->module,
        .entity_count = one->module->entity_count_default,
        .label = one->label,
        .what = one->module->name,
        .unit = one->unit,
        .units = one->units,
        .limit = one->limit,
        .hand = &plain,
        .open = weft_plain_open,
        .part = one->part,
        .equal = weft_plain_equal,
        .close = weft_plain_close,
    };
    return weft_duel_run(&duel, options, table);
}

// simple_insert ----------------------------------------------------------------------------------

#define INSERTED 10000u

typedef struct insertion {
    SuiteTransform transform[INSERTED];
    SuitePosition position[INSERTED];
    SuiteRotation rotation[INSERTED];
    SuiteVelocity velocity[INSERTED];
} insertion;

static weft_status insert(const weft_measure_options* options, const insertion* rows,
                          weft_measure_table* table) {
    weft_births each = {
        .entity_count = INSERTED,
        .type = {WEFT_TYPE(SuiteTransform), WEFT_TYPE(SuitePosition), WEFT_TYPE(SuiteRotation),
                 WEFT_TYPE(SuiteVelocity)},
        .values = {rows->transform, rows->position, rows->rotation, rows->velocity},
        .column_count = 4,
        .fresh = true,
        .worker_count = 1,
    };
    weft_births all = each;
    all.bulk = true;
    weft_case cases[] = {
        {.name = "simple_insert: one by one", .once = weft_births_once, .context = &each},
        {.name = "simple_insert: in bulk", .once = weft_births_once, .context = &all},
    };
    cases[0].units = cases[1].units = 1000;
    weft_sampling sampling = weft_sampling_of(options);
    sampling.sample_ns /= 10; // The worlds take time too.
    weft_status status = weft_measure_cases(options, "simple_insert", sampling, cases, 2);
    if (status == WEFT_STATUS_OK && !weft_digest_equal(each.digest, all.digest)) {
        snprintf(all.error, sizeof(all.error), "simple_insert: both ways give other worlds");
        status = WEFT_STATUS_DIVERGED;
    }
    if (status != WEFT_STATUS_OK) {
        snprintf(table->error, sizeof(table->error), "%s", each.error[0] ? each.error : all.error);
        return status;
    }
    for (int i = 0; i < 2; ++i)
        weft_measure_add(table, "us/pass", &cases[i].series, 1, "%s", cases[i].name);
    return WEFT_STATUS_OK;
}

static weft_status run_insert(const weft_measure_options* options, weft_measure_table* table) {
    insertion* rows = malloc(sizeof(insertion));
    if (!rows)
        return WEFT_STATUS_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < INSERTED; ++i) {
        weft_suite_entity entity = weft_suite_entity_at(i);
        rows->transform[i] = entity.transform;
        rows->position[i] = entity.position;
        rows->rotation[i] = entity.rotation;
        rows->velocity[i] = entity.velocity;
    }
    weft_status status = insert(options, rows, table);
    free(rows);
    return status;
}

static weft_status run(const weft_measure_options* options, weft_measure_table* table) {
    snprintf(table->title, sizeof(table->title),
             "the workloads of rust-gamedev/ecs_bench_suite, at its entity counts");
    WEFT_TRY(run_insert(options, table));
    for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); ++i)
        WEFT_TRY(run_entry(&entries[i], options, table));
    snprintf(table->note, sizeof(table->note),
             "serialize_text and serialize_binary are left out: there are no snapshots yet");
    return WEFT_STATUS_OK;
}

const weft_measure weft_measure_ecs_bench_suite = {
    .name = "ecs_bench_suite",
    .summary = "the workloads of rust-gamedev's suite of that name",
    .run = run,
};
