#include "duel.h"

#include <stdio.h>

// Ticks after which both sides are compared.
#define TICKS_COMPARED 3

enum {
    ONE_WEFT,
    ONE_HAND,
    TWO_WEFT,
    TWO_HAND,
    CASES
};

static weft_status compare(const weft_duel* duel, weft_rig* rig, weft_measure_table* table) {
    for (int i = 0; i < TICKS_COMPARED; ++i) {
        WEFT_TRY(weft_rig_tick(rig, 0));
        duel->part(duel->hand, 0, 1);
    }
    if (duel->equal(duel->hand, rig->world))
        return WEFT_STATUS_OK;
    snprintf(table->error, sizeof(table->error), "%s: the hand-written loop computes other values",
             duel->module->name);
    return WEFT_STATUS_DIVERGED;
}

static void fill(const weft_duel* duel, const weft_measure_options* options, const weft_case* cases,
                 uint32_t case_count, weft_measure_table* table) {
    static const char* const titles[2] = {"1 worker against the loop",
                                          "2 workers against two threads by hand"};
    for (uint32_t i = 0; i < case_count; ++i)
        weft_measure_add(table, duel->unit, &cases[i].series, 1, "%s%s", duel->prefix,
                         cases[i].name);
    for (uint32_t i = 0; i < case_count; i += 2) {
        weft_series ratio = weft_series_ratio(&cases[i].series, &cases[i + 1].series);
        weft_measure_row* row =
            weft_measure_add(table, "ratio", &ratio, 1, "%s%s", duel->prefix, titles[i / 2]);
        if (duel->target[i / 2] > 0)
            weft_measure_target(options, row, WEFT_MEASURE_AT_MOST, duel->target[i / 2]);
        if (duel->times != NULL)
            duel->times[i / 2] = cases[i].series;
    }
    if (case_count < CASES)
        return;
    weft_series gain = weft_series_ratio(&cases[ONE_WEFT].series, &cases[TWO_WEFT].series);
    weft_measure_row* row =
        weft_measure_add(table, "ratio", &gain, 1, "%sspeed-up of 2 workers", duel->prefix);
    if (duel->speedup > 0)
        weft_measure_target(options, row, WEFT_MEASURE_AT_LEAST, duel->speedup);
    gain = weft_series_ratio(&cases[ONE_HAND].series, &cases[TWO_HAND].series);
    weft_measure_add(table, "ratio", &gain, 1, "%sspeed-up of two threads by hand", duel->prefix);
}

static weft_status measure(const weft_duel* duel, const weft_measure_options* options,
                           weft_rig* rig, weft_hand* hand, weft_measure_table* table) {
    weft_rig_side weft[2] = {{.rig = rig, .executor = 0}, {.rig = rig, .executor = 1}};
    weft_hand_side hands[2] = {{NULL, duel->part, duel->hand}, {hand, duel->part, duel->hand}};
    weft_case cases[CASES] = {
        {.name = "weft, 1 worker", .run = weft_rig_run, .context = &weft[0]},
        {.name = "loop, 1 thread", .run = weft_hand_run, .context = &hands[0]},
        {.name = "weft, 2 workers", .run = weft_rig_run, .context = &weft[1]},
        {.name = "loop, 2 threads",
         .prepare = weft_hand_prepare,
         .run = weft_hand_run,
         .finish = weft_hand_finish,
         .context = &hands[1]},
    };
    for (uint32_t i = 0; i < CASES; ++i)
        cases[i].units = duel->units;
    uint32_t case_count = hand ? CASES : 2;
    WEFT_TRY(weft_measure_cases(options, duel->what, weft_sampling_of(options), cases, case_count));
    fill(duel, options, cases, case_count, table);
    return WEFT_STATUS_OK;
}

static weft_status run_on(const weft_duel* duel, const weft_measure_options* options,
                          const weft_topology* topology, weft_rig* rig, weft_hand* hand,
                          weft_measure_table* table) {
    weft_measure_report(options, "building the world", 0, 1);
    WEFT_TRY(weft_rig_open(rig, duel->module, duel->entity_count, options->seed));
    for (uint32_t workers = 1; workers <= (hand ? 2u : 1u); ++workers) {
        weft_executor_desc desc = weft_rig_threads(workers, topology);
        WEFT_TRY(weft_rig_add(rig, &desc));
    }
    WEFT_TRY(duel->open(duel->hand, rig->world));
    WEFT_TRY(compare(duel, rig, table));
    return measure(duel, options, rig, hand, table);
}

weft_status weft_duel_run(const weft_duel* duel, const weft_measure_options* options,
                          weft_measure_table* table) {
    weft_topology* topology = NULL;
    weft_hand* hand = NULL;
    weft_rig rig = {.module = duel->module};
    weft_status status = weft_topology_create(NULL, &topology);
    if (status == WEFT_STATUS_OK && options->worker_max != 1) {
        status = weft_hand_create(topology, &hand);
        if (status == WEFT_STATUS_UNSUPPORTED) {
            snprintf(table->note, sizeof(table->note), "one CPU: nothing to compare two with");
            status = WEFT_STATUS_OK;
        }
    }
    if (status == WEFT_STATUS_OK)
        status = run_on(duel, options, topology, &rig, hand, table);
    if (status != WEFT_STATUS_OK && table->error[0] == '\0')
        snprintf(table->error, sizeof(table->error), "%s",
                 rig.error[0] ? rig.error : weft_status_text(status));
    duel->close(duel->hand);
    weft_rig_close(&rig);
    weft_hand_destroy(hand);
    weft_topology_destroy(topology);
    return status;
}
