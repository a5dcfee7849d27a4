#include "duel.h"

#include "peer.h"

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

// A duel while it runs.
typedef struct fight {
    const weft_duel* duel;
    const weft_measure_options* options;
    weft_measure_table* table;
    weft_topology* topology;
    weft_hand* hand;       // Null where there is one CPU.
    weft_peer_teams teams; // Of two, if peers take part.
    weft_rig rig;
} fight;

static const char* label(const fight* all) {
    return all->duel->label ? all->duel->label : "";
}

static weft_status diverged(const fight* all, const char* what) {
    snprintf(all->table->error, sizeof(all->table->error), "%s%s: %s", label(all),
             all->duel->module->name, what);
    return WEFT_STATUS_DIVERGED;
}

static weft_status compare_by_hand(fight* all) {
    const weft_duel* duel = all->duel;
    WEFT_TRY(duel->open(duel->hand, all->rig.world));
    for (int i = 0; i < TICKS_COMPARED; ++i) {
        WEFT_TRY(weft_rig_tick(&all->rig, 0));
        duel->part(duel->hand, 0, 1);
    }
    return duel->equal(duel->hand, all->rig.world)
               ? WEFT_STATUS_OK
               : diverged(all, "the hand-written loop computes other values");
}

// The executors take turns on their world; the serial run has one of its own.
static weft_status compare_with_serial(fight* all, weft_rig* serial) {
    weft_executor_desc desc = weft_rig_serial();
    WEFT_TRY(weft_rig_open(serial, all->duel->module, all->duel->entity_count, all->options->seed));
    WEFT_TRY(weft_rig_add(serial, &desc));
    for (uint32_t i = 0; i < TICKS_COMPARED * all->rig.executor_count; ++i) {
        WEFT_TRY(weft_rig_tick(serial, 0));
        WEFT_TRY(weft_rig_tick(&all->rig, i % all->rig.executor_count));
        if (!weft_digest_equal(weft_world_digest_full(serial->world),
                               weft_world_digest_full(all->rig.world)))
            return diverged(all, "workers compute another world than the serial run");
    }
    return WEFT_STATUS_OK;
}

static void fill(const fight* all, const weft_case* cases, const bool* present) {
    static const char* const titles[2] = {"1 worker against the loop",
                                          "2 workers against two threads by hand"};
    const weft_duel* duel = all->duel;
    for (uint32_t i = 0; i < CASES; ++i) {
        if (!present[i])
            continue;
        weft_measure_row* row = weft_measure_add(all->table, duel->unit, &cases[i].series, 1,
                                                 "%s%s", label(all), cases[i].name);
        if (duel->times != NULL && (i == ONE_WEFT || i == TWO_WEFT))
            duel->times[i == TWO_WEFT] = cases[i].series;
        if (i == ONE_WEFT && duel->limit > 0)
            weft_measure_target(all->options, row, WEFT_MEASURE_AT_MOST, duel->limit);
    }
    for (uint32_t i = 0; i < CASES; i += 2) {
        if (!present[i] || !present[i + 1])
            continue;
        weft_series ratio = weft_series_ratio(&cases[i].series, &cases[i + 1].series);
        weft_measure_row* row =
            weft_measure_add(all->table, "ratio", &ratio, 1, "%s%s", label(all), titles[i / 2]);
        if (duel->target[i / 2] > 0)
            weft_measure_target(all->options, row, WEFT_MEASURE_AT_MOST, duel->target[i / 2]);
    }
    if (!present[TWO_WEFT])
        return;
    weft_series gain = weft_series_ratio(&cases[ONE_WEFT].series, &cases[TWO_WEFT].series);
    weft_measure_row* row =
        weft_measure_add(all->table, "ratio", &gain, 1, "%sspeed-up of 2 workers", label(all));
    if (duel->speedup > 0)
        weft_measure_target(all->options, row, WEFT_MEASURE_AT_LEAST, duel->speedup);
    if (!present[TWO_HAND])
        return;
    gain = weft_series_ratio(&cases[ONE_HAND].series, &cases[TWO_HAND].series);
    weft_measure_add(all->table, "ratio", &gain, 1, "%sspeed-up of two threads by hand",
                     label(all));
}

// Peers ------------------------------------------------------------------------------------------

static void run_parts(void* context, uint64_t sweep, size_t first, size_t end) {
    const weft_duel* duel = context;
    (void)sweep;
    for (size_t i = first; i < end; ++i)
        duel->part(duel->hand, (uint32_t)i, 2);
}

// Appends a case for each runtime that has loops.
static uint32_t add_peers(const fight* all, weft_peer_side* sides, weft_case* cases) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < all->teams.count; ++i) {
        const weft_peer* peer = all->teams.team[i].peer;
        if (peer->bound || !peer->sweep)
            continue;
        sides[count] = (weft_peer_side){
            .team = &all->teams.team[i],
            .loop = {.count = 2, .grain = 1, .run = run_parts, .context = (void*)all->duel}};
        cases[count] = (weft_case){.name = peer->loop_name,
                                   .prepare = weft_peer_prepare,
                                   .run = weft_peer_run,
                                   .finish = weft_peer_finish,
                                   .context = &sides[count],
                                   .units = all->duel->units,
                                   .restless = true};
        ++count;
    }
    return count;
}

static void fill_peers(const fight* all, const weft_case* weft, const weft_case* cases,
                       uint32_t count) {
    for (uint32_t i = 0; i < count; ++i)
        weft_measure_add(all->table, all->duel->unit, &cases[i].series, 1, "%s%s, 2 threads",
                         label(all), cases[i].name);
    for (uint32_t i = 0; i < count; ++i) {
        weft_series ratio = weft_series_ratio(&weft->series, &cases[i].series);
        weft_measure_add(all->table, "ratio", &ratio, 1, "%s2 workers against %s", label(all),
                         cases[i].name);
    }
}

static weft_status open_peers(fight* all) {
    weft_peer_place place;
    if (!all->duel->peers || !all->hand)
        return WEFT_STATUS_OK;
    WEFT_TRY(weft_peer_place_choose(all->topology, 2, &place));
    if (all->table->note[0] == '\0')
        weft_peers_describe(all->table->note, sizeof(all->table->note));
    return weft_peers_open(&place, &all->teams);
}

static weft_status measure(fight* all) {
    const weft_duel* duel = all->duel;
    weft_rig_side weft[2] = {{.rig = &all->rig, .executor = 0}, {.rig = &all->rig, .executor = 1}};
    weft_hand_side hands[2] = {{NULL, duel->part, duel->hand}, {all->hand, duel->part, duel->hand}};
    weft_case all_cases[CASES] = {
        {.name = "weft, 1 worker", .run = weft_rig_run, .context = &weft[0]},
        {.name = "loop, 1 thread", .run = weft_hand_run, .context = &hands[0]},
        {.name = "weft, 2 workers", .run = weft_rig_run, .context = &weft[1]},
        {.name = "loop, 2 threads",
         .prepare = weft_hand_prepare,
         .run = weft_hand_run,
         .finish = weft_hand_finish,
         .context = &hands[1]},
    };
    bool present[CASES];
    weft_case cases[CASES + WEFT_PEERS_MAX];
    weft_peer_side sides[WEFT_PEERS_MAX];
    uint32_t count = 0;
    for (uint32_t i = 0; i < CASES; ++i) {
        present[i] = (i % 2 == 0 || duel->part) && (i < TWO_WEFT || all->hand);
        all_cases[i].units = duel->units;
        if (present[i])
            cases[count++] = all_cases[i];
    }
    uint32_t peers = add_peers(all, sides, cases + count);
    weft_sampling sampling = duel->sampling;
    if (sampling.samples == 0)
        sampling = weft_sampling_of(all->options);
    WEFT_TRY(weft_measure_cases(all->options, duel->what, sampling, cases, count + peers));
    const weft_case* peer_cases = cases + count;
    for (uint32_t i = CASES; i-- > 0;) {
        if (present[i])
            all_cases[i] = cases[--count];
    }
    fill(all, all_cases, present);
    fill_peers(all, &all_cases[TWO_WEFT], peer_cases, peers);
    return WEFT_STATUS_OK;
}

static weft_status run_on(fight* all) {
    const weft_duel* duel = all->duel;
    weft_measure_report(all->options, "building the world", 0, 1);
    WEFT_TRY(weft_rig_open(&all->rig, duel->module, duel->entity_count, all->options->seed));
    for (uint32_t workers = 1; workers <= (all->hand ? 2u : 1u); ++workers) {
        weft_executor_desc desc = weft_rig_threads(workers, all->topology);
        WEFT_TRY(weft_rig_add(&all->rig, &desc));
    }
    if (duel->part) {
        WEFT_TRY(compare_by_hand(all));
    } else {
        weft_rig serial = {.module = duel->module};
        weft_status status = compare_with_serial(all, &serial);
        weft_rig_close(&serial);
        WEFT_TRY(status);
    }
    return measure(all);
}

weft_status weft_duel_run(const weft_duel* duel, const weft_measure_options* options,
                          weft_measure_table* table) {
    fight all = {.duel = duel, .options = options, .table = table, .rig = {.module = duel->module}};
    weft_status status = weft_topology_create(NULL, &all.topology);
    if (status == WEFT_STATUS_OK && options->worker_max != 1) {
        status = weft_hand_create(all.topology, &all.hand);
        if (status == WEFT_STATUS_UNSUPPORTED) {
            snprintf(table->note, sizeof(table->note), "one CPU: nothing to compare two with");
            status = WEFT_STATUS_OK;
        }
    }
    if (status == WEFT_STATUS_OK)
        status = open_peers(&all);
    if (status == WEFT_STATUS_OK)
        status = run_on(&all);
    if (status != WEFT_STATUS_OK && table->error[0] == '\0')
        snprintf(table->error, sizeof(table->error), "%s",
                 all.rig.error[0] ? all.rig.error : weft_status_text(status));
    if (duel->close)
        duel->close(duel->hand);
    weft_rig_close(&all.rig);
    weft_peers_close(&all.teams);
    weft_hand_destroy(all.hand);
    weft_topology_destroy(all.topology);
    return status;
}
