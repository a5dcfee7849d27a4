/// What rollback costs: ticks of an executor that keeps states, two in a hundred of the time of its
/// ticks, against ticks of one that keeps none; what one state costs; and how long it takes to go
/// back. A state is taken in few ticks, so whole stretches of ticks are compared, of worlds that
/// take turns.

#include "harness.h"

#include <stdio.h>
#include <weft/rollback.h>

#include "rig.h"

enum {
    WITHOUT = 0,
    WITH = 1,
    SIDES = 2,
    ROUNDS = 3,
    PERCENT = 2,
    TICKS_MIN = 64, // Of a stretch.
};

/// A stretch holds about so many states, and takes at least so long.
#define STATES_WANTED 1
#define STRETCH_NS UINT64_C(300000000)

typedef struct subject {
    const weft_module* module;
    uint64_t entity_count;
    uint64_t quick_count;
} subject;

static const subject subjects[] = {
    {&weft_workload_creatures, 1000000, 3000},
    {&weft_workload_motion, 1000000, 3000},
};

/// One subject on one executor.
typedef struct duel {
    weft_rig rigs[SIDES];
    weft_series stretch[SIDES]; // ns a tick.
    weft_series state;          // ms each.
    weft_series share;          // Of the time, by the executor's own clock; percent.
    weft_series back;           // ms to the tick that just began.
    weft_series reruns;         // Ticks for it.
    uint64_t ticks;             // Of a stretch.
} duel;

static weft_status run_ticks(weft_rig* rig, uint64_t count, uint64_t* elapsed) {
    uint64_t begin = weft_measure_now_ns();
    for (uint64_t i = 0; i < count; ++i)
        WEFT_TRY(weft_rig_tick(rig, 0));
    *elapsed = weft_measure_now_ns() - begin;
    return WEFT_STATUS_OK;
}

static weft_status open_all(const weft_measure_options* options, const weft_executor_desc* desc,
                            const subject* what, duel* d) {
    uint64_t count = options->quick ? what->quick_count : what->entity_count;
    if (options->entity_count > 0)
        count = options->entity_count;
    for (uint32_t i = 0; i < SIDES; ++i) {
        weft_executor_desc own = *desc;
        own.rollback_percent = i == WITH ? PERCENT : 0;
        WEFT_TRY(weft_rig_open(&d->rigs[i], what->module, count, options->seed));
        WEFT_TRY(weft_rig_add(&d->rigs[i], &own));
    }
    return WEFT_STATUS_OK;
}

// Warms both up until two states are there, so that their memory is, and chooses the stretch.
static weft_status warm_up(const weft_measure_options* options, duel* d) {
    uint64_t elapsed = 0;
    uint64_t ticks = 0;
    uint64_t least = options->quick ? 4 : TICKS_MIN;
    weft_executor_stats stats;
    do {
        for (uint32_t i = 0; i < SIDES; ++i)
            WEFT_TRY(run_ticks(&d->rigs[i], 8, &elapsed));
        ticks += 8;
        stats = weft_executor_stats_read(d->rigs[WITH].executor[0]);
    } while (stats.states < 3 && ticks < (options->quick ? 16 : 20000));
    uint64_t tick_ns = elapsed / 8 + 1;
    uint64_t state_ns = stats.states_ns / stats.states;
    d->ticks = STATES_WANTED * state_ns * 100 / PERCENT / tick_ns;
    if (d->ticks < STRETCH_NS / tick_ns)
        d->ticks = STRETCH_NS / tick_ns;
    if (options->quick || d->ticks < least)
        d->ticks = least;
    return WEFT_STATUS_OK;
}

// Back to the tick that the world is at: what a tick that failed there would cost.
static weft_status go_back(duel* d) {
    weft_executor* executor = d->rigs[WITH].executor[0];
    uint64_t before = weft_executor_stats_read(executor).reruns;
    uint64_t begin = weft_measure_now_ns();
    WEFT_TRY(weft_executor_rollback(executor, weft_world_tick(d->rigs[WITH].world)));
    weft_series_add(&d->back, (double)(weft_measure_now_ns() - begin) / 1e6);
    weft_series_add(&d->reruns, (double)(weft_executor_stats_read(executor).reruns - before));
    return WEFT_STATUS_OK;
}

static weft_status run_round(const weft_measure_options* options, duel* d, uint32_t round) {
    weft_executor_stats before_all = weft_executor_stats_read(d->rigs[WITH].executor[0]);
    uint64_t taken = 1;
    for (uint32_t k = 0; k < SIDES; ++k) {
        uint32_t side = (round + k) % SIDES;
        uint64_t elapsed = 0;
        weft_watch before = weft_measure_watch(options);
        WEFT_TRY(run_ticks(&d->rigs[side], d->ticks, &elapsed));
        d->stretch[side].disturbed += weft_measure_watched(options, &before);
        weft_series_add(&d->stretch[side], (double)elapsed / (double)d->ticks);
        taken = side == WITH ? elapsed : taken;
    }
    weft_executor_stats stats = weft_executor_stats_read(d->rigs[WITH].executor[0]);
    uint64_t states = stats.states - before_all.states;
    double states_ns = (double)(stats.states_ns - before_all.states_ns);
    if (states == 0)
        return WEFT_STATUS_OK;
    weft_series_add(&d->state, states_ns / 1e6 / (double)states);
    weft_series_add(&d->share, 100 * states_ns / (double)taken);
    return WEFT_STATUS_OK;
}

static weft_status run_all(const weft_measure_options* options, const char* name, duel* d) {
    WEFT_TRY(warm_up(options, d));
    uint32_t rounds = options->quick ? 2 : ROUNDS;
    for (uint32_t round = 0; round < rounds; ++round) {
        weft_measure_report(options, name, round, rounds);
        weft_measure_probe(options);
        WEFT_TRY(run_round(options, d, round));
    }
    if (d->state.count == 0) { // No stretch had one: those of the warm-up.
        weft_executor_stats stats = weft_executor_stats_read(d->rigs[WITH].executor[0]);
        weft_series_add(&d->state, (double)stats.states_ns / 1e6 / (double)stats.states);
    }
    if (!weft_digest_equal(weft_world_digest_full(d->rigs[WITH].world),
                           weft_world_digest_full(d->rigs[WITHOUT].world)))
        return WEFT_STATUS_DIVERGED;
    for (uint32_t round = 0; round < rounds && round < 3; ++round)
        WEFT_TRY(go_back(d));
    return weft_digest_equal(weft_world_digest_full(d->rigs[WITH].world),
                             weft_world_digest_full(d->rigs[WITHOUT].world))
               ? WEFT_STATUS_OK
               : WEFT_STATUS_DIVERGED;
}

static void tabulate(const weft_measure_options* options, weft_measure_table* table,
                     const char* label, const duel* d) {
    weft_series ratio = weft_series_ratio(&d->stretch[WITH], &d->stretch[WITHOUT]);
    weft_executor_stats stats = weft_executor_stats_read(d->rigs[WITH].executor[0]);
    weft_measure_add(table, "us/tick", &d->stretch[WITHOUT], 1e-3, "%s, a tick without", label);
    weft_measure_row* row = weft_measure_add(table, "ratio", &ratio, 1, "%s, with rollback", label);
    weft_measure_target(options, row, WEFT_MEASURE_AT_MOST, 1 + PERCENT / 100.0);
    row = weft_measure_add(table, "ms", &d->state, 1, "%s, one state", label);
    snprintf(row->note, sizeof(row->note), "%.1f MB, one in %.0f ticks",
             (double)stats.state_bytes / 1e6,
             (double)(stats.ticks - stats.reruns) / (double)stats.states);
    if (d->share.count > 0)
        weft_measure_add(table, "%", &d->share, 1, "%s, states, share of the time", label);
    row = weft_measure_add(table, "ms", &d->back, 1, "%s, going back", label);
    snprintf(row->note, sizeof(row->note), "%.0f ticks run again", d->reruns.value[0]);
}

static weft_status measure(const weft_measure_options* options, const weft_executor_desc* desc,
                           const subject* what, weft_measure_table* table) {
    duel d = {0};
    char label[96];
    weft_status status = open_all(options, desc, what, &d);
    if (status == WEFT_STATUS_OK)
        status = run_all(options, what->module->name, &d);
    uint32_t workers = desc->worker_count > 0 ? desc->worker_count : 1;
    snprintf(label, sizeof(label), "%s, %u worker%s", what->module->name, workers,
             workers > 1 ? "s" : "");
    if (status == WEFT_STATUS_OK)
        tabulate(options, table, label, &d);
    else
        snprintf(table->error, sizeof(table->error), "%.40s: %s", label,
                 status == WEFT_STATUS_DIVERGED ? "other digests with rollback"
                 : d.rigs[WITHOUT].error[0]     ? d.rigs[WITHOUT].error
                 : d.rigs[WITH].error[0]        ? d.rigs[WITH].error
                                                : weft_status_text(status));
    for (uint32_t i = 0; i < SIDES; ++i)
        weft_rig_close(&d.rigs[i]);
    return status;
}

static weft_status run(const weft_measure_options* options, weft_measure_table* table) {
    snprintf(table->title, sizeof(table->title), "what rollback costs, and what going back takes");
    weft_topology* topology = NULL;
    WEFT_TRY(weft_topology_create(NULL, &topology));
    uint32_t workers = weft_rig_workers(options->worker_max, topology);
    weft_status status = WEFT_STATUS_OK;
    for (size_t i = 0; i < 2 * (sizeof(subjects) / sizeof(subjects[0])); ++i) {
        weft_executor_desc desc =
            i % 2 == 0 ? weft_rig_serial() : weft_rig_threads(workers, topology);
        if (status == WEFT_STATUS_OK && (i % 2 == 0 || workers > 1))
            status = measure(options, &desc, &subjects[i / 2], table);
    }
    weft_topology_destroy(topology);
    return status;
}

const weft_measure weft_measure_rollback = {
    .name = "rollback",
    .summary = "what keeping states costs a tick, and how long going back takes",
    .run = run,
};
