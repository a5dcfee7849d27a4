#define _GNU_SOURCE // sched_setaffinity

#include "tune_rig.h"

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "watch.h"

enum {
    WARM_TICKS = 12,     // An executor tries the orders of its stages in the first ten.
    BLOCK_NS = 10000000, // Of a round, each.
    BLOCK_MAX = 256,
};

typedef struct tune_side {
    weft_rig rig;
    weft_memory memory;
    weft_system_sweep sweeps[WEFT_LAYOUT_SWEEPS_MAX];
    bool pins; // The thread that ticks stays on worker 0's CPU, as in `weft run`.
} tune_side;

struct weft_tune_rig {
    weft_tune_rig_desc desc;
    tune_side side[2];
    cpu_set_t cpus; // Of the caller, before it was pinned.
    uint32_t block; // Ticks of a round.
    uint32_t first; // The side that begins the next one.
    bool has_begun;
    uint64_t warm_tick;      // Where every comparison begins,
    weft_digest warm_digest; // and the digest there, of the first one.
    uint64_t compared;
    bool compares;
    char error[320];
};

static weft_status failed(weft_tune_rig* all, const tune_side* side, weft_status status) {
    if (all->error[0] == '\0')
        snprintf(all->error, sizeof(all->error), "%s",
                 side->rig.error[0] != '\0' ? side->rig.error : weft_status_text(status));
    return status;
}

// Before its ticks: the caller goes where this side's worker 0 is, or may go anywhere.
static void take_place(const weft_tune_rig* all, const tune_side* side) {
    if (!side->pins || weft_executor_pin_caller(side->rig.executor[0]) != WEFT_STATUS_OK)
        (void)sched_setaffinity(0, sizeof(all->cpus), &all->cpus);
}

static weft_status run_ticks(weft_tune_rig* all, tune_side* side, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        weft_status status = weft_rig_tick(&side->rig, 0);
        if (status != WEFT_STATUS_OK)
            return failed(all, side, status);
    }
    return WEFT_STATUS_OK;
}

static weft_status open_side(weft_tune_rig* all, tune_side* side, const weft_layout* layout) {
    *side = (tune_side){.pins = layout->kind == WEFT_EXECUTOR_THREADS && layout->pin};
    WEFT_TRY(weft_layout_memory_of(layout, all->desc.topology, &side->memory));
    weft_rig_start start = {.entity_count = all->desc.entity_count,
                            .seed = all->desc.seed,
                            .memory = &side->memory,
                            .uncommitted = true};
    weft_status status = weft_rig_open_as(&side->rig, all->desc.module, &start);
    if (status != WEFT_STATUS_OK)
        return failed(all, side, status);
    weft_executor_desc desc = weft_layout_desc(layout, side->sweeps);
    status = weft_rig_add(&side->rig, &desc);
    if (status != WEFT_STATUS_OK)
        return status; // A layout that cannot be had: no failure of the search.
    take_place(all, side);
    status = weft_executor_commit(side->rig.executor[0]);
    return status == WEFT_STATUS_OK ? status : failed(all, side, status);
}

// Both are at the same tick.
static weft_status compare(weft_tune_rig* all) {
    weft_digest full[2];
    for (int i = 0; i < 2; ++i) {
        weft_status status = weft_executor_digest(all->side[i].rig.executor[0], NULL, &full[i]);
        if (status != WEFT_STATUS_OK)
            return failed(all, &all->side[i], status);
    }
    if (all->compares && !weft_digest_equal(full[0], full[1])) {
        snprintf(all->error, sizeof(all->error),
                 "after tick %" PRIu64 " the digests of two layouts differ",
                 weft_world_tick(all->side[0].rig.world));
        return WEFT_STATUS_DIVERGED;
    }
    all->compared += all->compares;
    if (weft_world_tick(all->side[0].rig.world) == all->warm_tick) {
        // What hangs on something outside of the world may be the same for two at a time.
        if (all->compares && all->has_begun && !weft_digest_equal(full[0], all->warm_digest)) {
            snprintf(all->error, sizeof(all->error),
                     "after tick %" PRIu64
                     " the digests of two layouts differ: of the same run, made "
                     "twice",
                     all->warm_tick);
            return WEFT_STATUS_DIVERGED;
        }
        all->has_begun = true;
        all->warm_digest = full[0];
    }
    return WEFT_STATUS_OK;
}

static weft_status rig_open(void* context, const weft_layout* a, const weft_layout* b) {
    weft_tune_rig* all = context;
    WEFT_TRY(open_side(all, &all->side[0], a));
    WEFT_TRY(open_side(all, &all->side[1], b));
    all->compares = weft_world_is_deterministic(all->side[0].rig.world);
    uint32_t warm = all->desc.quick ? 1 : WARM_TICKS;
    uint64_t slower = 0;
    for (int i = 0; i < 2; ++i) {
        take_place(all, &all->side[i]);
        WEFT_TRY(run_ticks(all, &all->side[i], warm));
        uint64_t begin = weft_measure_now_ns();
        WEFT_TRY(run_ticks(all, &all->side[i], 1));
        uint64_t took = weft_measure_now_ns() - begin;
        slower = took > slower ? took : slower;
    }
    uint64_t block = BLOCK_NS / (slower + 1) + 1;
    all->block = all->desc.quick ? 1 : block > BLOCK_MAX ? BLOCK_MAX : (uint32_t)block;
    all->warm_tick = weft_world_tick(all->side[0].rig.world);
    return compare(all);
}

// The first tick of each, which brings the world back into the caches, is not timed.
static weft_status rig_round(void* context, double ns[2]) {
    weft_tune_rig* all = context;
    for (uint32_t i = 0; i < 2; ++i) {
        uint32_t at = (all->first + i) % 2;
        tune_side* side = &all->side[at];
        take_place(all, side);
        WEFT_TRY(run_ticks(all, side, 1));
        uint64_t begin = weft_measure_now_ns();
        WEFT_TRY(run_ticks(all, side, all->block));
        uint64_t took = weft_measure_now_ns() - begin;
        ns[at] = (double)(took > 0 ? took : 1) / all->block;
    }
    all->first = 1 - all->first;
    return compare(all);
}

static void rig_close(void* context) {
    weft_tune_rig* all = context;
    for (int i = 0; i < 2; ++i)
        weft_rig_close(&all->side[i].rig);
    (void)sched_setaffinity(0, sizeof(all->cpus), &all->cpus);
}

static double rig_seconds(void* context) {
    (void)context;
    return (double)weft_measure_now_ns() / 1e9;
}

static bool rig_stopped(void* context) {
    const weft_tune_rig* all = context;
    return all->desc.stopped && all->desc.stopped(all->desc.context);
}

static void rig_progress(void* context, const char* what, double share) {
    const weft_tune_rig* all = context;
    if (all->desc.progress)
        all->desc.progress(all->desc.context, what, share);
}

weft_status weft_tune_rig_create(const weft_tune_rig_desc* desc, weft_tune_rig** out) {
    *out = calloc(1, sizeof(**out));
    if (!*out)
        return WEFT_STATUS_OUT_OF_MEMORY;
    (*out)->desc = *desc;
    if (sched_getaffinity(0, sizeof((*out)->cpus), &(*out)->cpus) == 0)
        return WEFT_STATUS_OK;
    free(*out);
    *out = NULL;
    return WEFT_STATUS_OS;
}

void weft_tune_rig_destroy(weft_tune_rig* rig) {
    free(rig);
}

weft_tune_ground weft_tune_rig_ground(weft_tune_rig* rig) {
    return (weft_tune_ground){.context = rig,
                              .open = rig_open,
                              .round = rig_round,
                              .close = rig_close,
                              .seconds = rig_seconds,
                              .stopped = rig_stopped,
                              .progress = rig_progress};
}

const char* weft_tune_rig_error(const weft_tune_rig* rig) {
    return rig->error;
}

uint64_t weft_tune_rig_compared(const weft_tune_rig* rig) {
    return rig->compared;
}

bool weft_tune_rig_compares(const weft_tune_rig* rig) {
    return rig->compares;
}
