// Two worlds, and who runs them.
//
// Where memory and first touch are no part of what is compared, each world has an executor of both
// layouts, and they change places in every round: what one world has by the luck of its pages, both
// layouts have. Then the worlds are also kept for the next comparison, as they are at the same
// tick.
//
// Only one executor of a world can have worker processes, so to change places these are made anew;
// that takes as long as some rounds, so it is done once in several.

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
    BLOCK_MAX = 1024,
    SWAP_ROUNDS = 8, // With the worlds this way or the other; the first time half as many.
};

/// Which world a side has.
typedef enum tune_places {
    TUNE_APART = 0,   // World i is side i's.
    TUNE_CROSSED = 1, // Each has an executor of both sides, by side.
    TUNE_SWAPPED = 2, // Each has an executor of one side, and now and then of the other.
} tune_places;

// A layout in the running comparison.
typedef struct tune_side {
    const weft_layout* layout;
    weft_executor_desc desc;
    weft_system_sweep sweeps[WEFT_LAYOUT_SWEEPS_MAX];
    bool pins; // The thread that ticks stays on worker 0's CPU, as in `weft run`.
} tune_side;

struct weft_tune_rig {
    weft_tune_rig_desc desc;
    weft_rig world[2];
    weft_layout_memory memory; // Of both, if they are to be kept.
    bool keeps;
    bool fresh; // Nothing was compared yet since they were made.
    tune_side side[2];
    tune_places places;
    bool swapped;   // TUNE_SWAPPED: the executor of side i is on world 1 - i.
    cpu_set_t cpus; // Of the caller, before it was pinned.
    uint32_t block; // Ticks of a round.
    uint32_t round; // Of this comparison.
    bool has_begun;
    weft_digest first_digest; // Of fresh worlds after warming up, the first time.
    uint64_t compared;
    bool compares;
    char error[320];
};

static weft_status failed(weft_tune_rig* all, const weft_rig* world, weft_status status) {
    if (all->error[0] == '\0')
        snprintf(all->error, sizeof(all->error), "%s",
                 world->error[0] != '\0' ? world->error : weft_status_text(status));
    return status;
}

// Worlds -----------------------------------------------------------------------------------------

static void close_executors(weft_tune_rig* all) {
    for (int i = 0; i < 2; ++i) {
        weft_rig* world = &all->world[i];
        while (world->executor_count > 0)
            weft_executor_destroy(world->executor[--world->executor_count]);
    }
}

static void close_worlds(weft_tune_rig* all) {
    for (int i = 0; i < 2; ++i)
        weft_rig_close(&all->world[i]);
    all->keeps = false;
}

static weft_status open_world(weft_tune_rig* all, weft_rig* world, const weft_layout* layout) {
    weft_memory memory;
    WEFT_TRY(weft_layout_memory_of(layout, all->desc.topology, &memory));
    weft_rig_start start = {.entity_count = all->desc.entity_count,
                            .seed = all->desc.seed,
                            .memory = &memory,
                            // Worker processes are forked from a world that is there.
                            .uncommitted = layout->kind != WEFT_EXECUTOR_PROCESSES};
    weft_status status = weft_rig_open_as(world, all->desc.module, &start);
    return status == WEFT_STATUS_OK ? status : failed(all, world, status);
}

// Whether the worlds of the last comparison can be gone on with. What a module's run is like after
// more ticks than it usually has is not asked.
static bool can_keep(const weft_tune_rig* all, tune_places before) {
    uint64_t limit = all->desc.module->tick_count_default;
    return all->keeps && all->places != TUNE_APART && all->places == before &&
           all->memory == all->side[0].layout->memory &&
           (limit == 0 || weft_world_tick(all->world[0].world) < limit);
}

static weft_status open_worlds(weft_tune_rig* all) {
    weft_topology_info info = weft_topology_info_get(all->desc.topology);
    tune_places before = all->places;
    bool processes = all->side[0].layout->kind == WEFT_EXECUTOR_PROCESSES;
    WEFT_ASSERT(processes == (all->side[1].layout->kind == WEFT_EXECUTOR_PROCESSES));
    if (info.node_count > 1 || all->side[0].layout->memory != all->side[1].layout->memory)
        all->places = TUNE_APART;
    else
        all->places = processes ? TUNE_SWAPPED : TUNE_CROSSED;
    if (can_keep(all, before))
        return WEFT_STATUS_OK;
    close_worlds(all);
    for (int i = 0; i < 2; ++i)
        WEFT_TRY(open_world(all, &all->world[i], all->side[i].layout));
    all->compares = weft_world_is_deterministic(all->world[0].world);
    all->memory = all->side[0].layout->memory;
    all->fresh = true;
    return WEFT_STATUS_OK;
}

// Ticks ------------------------------------------------------------------------------------------

// The executor of a side on a world that has one.
static uint32_t executor_of(const weft_tune_rig* all, int side) {
    return all->places == TUNE_CROSSED ? (uint32_t)side : 0;
}

// A world that has an executor of the side.
static weft_rig* world_of(weft_tune_rig* all, int side) {
    return &all->world[all->swapped ? 1 - side : side];
}

// Before its ticks: the caller goes where this side's worker 0 is, or may go anywhere.
static void take_place(const weft_tune_rig* all, int side, const weft_rig* world) {
    weft_executor* executor = world->executor[executor_of(all, side)];
    if (!all->side[side].pins || weft_executor_pin_caller(executor) != WEFT_STATUS_OK)
        (void)sched_setaffinity(0, sizeof(all->cpus), &all->cpus);
}

static weft_status run_ticks(weft_tune_rig* all, int side, weft_rig* world, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        weft_status status = weft_rig_tick(world, executor_of(all, side));
        if (status != WEFT_STATUS_OK)
            return failed(all, world, status);
    }
    return WEFT_STATUS_OK;
}

// Both worlds are at the same tick.
static weft_status compare(weft_tune_rig* all, weft_digest* digest_out) {
    weft_digest full[2];
    for (int i = 0; i < 2; ++i) {
        weft_status status = weft_executor_digest(all->world[i].executor[0], NULL, &full[i]);
        if (status != WEFT_STATUS_OK)
            return failed(all, &all->world[i], status);
    }
    if (digest_out)
        *digest_out = full[0];
    all->compared += all->compares;
    if (!all->compares || weft_digest_equal(full[0], full[1]))
        return WEFT_STATUS_OK;
    snprintf(all->error, sizeof(all->error),
             "after tick %" PRIu64 " the digests of two layouts differ",
             weft_world_tick(all->world[0].world));
    return WEFT_STATUS_DIVERGED;
}

// What hangs on something outside of the worlds may be the same for two at a time, and differ from
// what those before had.
static weft_status compare_first(weft_tune_rig* all) {
    weft_digest digest;
    WEFT_TRY(compare(all, &digest));
    bool differs = all->fresh && all->has_begun && !weft_digest_equal(digest, all->first_digest);
    if (all->fresh)
        all->first_digest = digest;
    all->fresh = false;
    all->has_begun = true;
    if (!differs || !all->compares)
        return WEFT_STATUS_OK;
    snprintf(all->error, sizeof(all->error),
             "after tick %" PRIu64 " the digests of two layouts differ: of one run, made twice",
             weft_world_tick(all->world[0].world));
    return WEFT_STATUS_DIVERGED;
}

// Some ticks by one executor, the last one timed.
static weft_status warm(weft_tune_rig* all, int side, weft_rig* world, uint32_t count,
                        uint64_t* slowest) {
    take_place(all, side, world);
    WEFT_TRY(run_ticks(all, side, world, count - 1));
    uint64_t begin = weft_measure_now_ns();
    WEFT_TRY(run_ticks(all, side, world, 1));
    uint64_t took = weft_measure_now_ns() - begin;
    *slowest = took > *slowest ? took : *slowest;
    return WEFT_STATUS_OK;
}

static weft_status warm_all(weft_tune_rig* all) {
    uint32_t count = all->desc.quick ? 1 : WARM_TICKS;
    uint64_t slowest = 0;
    for (int i = 0; i < 2; ++i) {
        weft_rig* world = world_of(all, i);
        WEFT_TRY(warm(all, i, world, count, &slowest));
        WEFT_TRY(warm(all, all->places == TUNE_CROSSED ? 1 - i : i, world, count, &slowest));
    }
    uint64_t block = BLOCK_NS / (slowest + 1) + 1;
    all->block = all->desc.quick ? 1 : block > BLOCK_MAX ? BLOCK_MAX : (uint32_t)block;
    return WEFT_STATUS_OK;
}

// The ground -------------------------------------------------------------------------------------

// One that cannot be had is no failure of the search.
static weft_status add_executors(weft_tune_rig* all) {
    for (int i = 0; i < 2; ++i) {
        weft_rig* world = world_of(all, i);
        WEFT_TRY(weft_rig_add(world, &all->side[all->places == TUNE_CROSSED ? 0 : i].desc));
        if (all->places == TUNE_CROSSED)
            WEFT_TRY(weft_rig_add(world, &all->side[1].desc));
    }
    return WEFT_STATUS_OK;
}

static weft_status rig_open(void* context, const weft_layout* a, const weft_layout* b) {
    weft_tune_rig* all = context;
    all->round = 0;
    all->swapped = false;
    for (int i = 0; i < 2; ++i) {
        tune_side* side = &all->side[i];
        side->layout = i == 0 ? a : b;
        side->desc = weft_layout_desc(side->layout, side->sweeps);
        side->pins = side->layout->kind == WEFT_EXECUTOR_THREADS && side->layout->pin;
    }
    WEFT_TRY(open_worlds(all));
    WEFT_TRY(add_executors(all));
    for (int i = 0; i < 2; ++i) {
        take_place(all, i, &all->world[i]);
        weft_executor* executor = all->world[i].executor[executor_of(all, i)];
        weft_status status = weft_executor_commit(executor);
        if (status != WEFT_STATUS_OK)
            return failed(all, &all->world[i], status);
    }
    WEFT_TRY(warm_all(all));
    WEFT_TRY(compare_first(all));
    all->keeps = true;
    return WEFT_STATUS_OK;
}

// The sides change places, if it is time for that.
static weft_status change_places(weft_tune_rig* all) {
    uint32_t span = all->desc.quick ? 1 : SWAP_ROUNDS;
    bool wanted = (all->round + span / 2) / span % 2 == 1;
    uint64_t slowest = 0;
    if (all->places != TUNE_SWAPPED || wanted == all->swapped)
        return WEFT_STATUS_OK;
    close_executors(all);
    all->swapped = wanted;
    for (int i = 0; i < 2; ++i) {
        weft_rig* world = world_of(all, i);
        weft_status status = weft_rig_add(world, &all->side[i].desc);
        if (status != WEFT_STATUS_OK)
            return failed(all, world, status);
        WEFT_TRY(warm(all, i, world, all->desc.quick ? 1 : WARM_TICKS, &slowest));
    }
    return WEFT_STATUS_OK;
}

// The first tick of each, which brings the world back into the caches, is not timed. Who begins and
// who has which world changes, so that each of the four ways comes once in four rounds.
static weft_status rig_round(void* context, double ns[2]) {
    weft_tune_rig* all = context;
    int begins = (int)(all->round % 2);
    bool crossed = all->places == TUNE_CROSSED && all->round / 2 % 2 == 1;
    WEFT_TRY(change_places(all));
    for (int i = 0; i < 2; ++i) {
        int side = (begins + i) % 2;
        weft_rig* world = world_of(all, crossed ? 1 - side : side);
        take_place(all, side, world);
        WEFT_TRY(run_ticks(all, side, world, 1));
        uint64_t begin = weft_measure_now_ns();
        WEFT_TRY(run_ticks(all, side, world, all->block));
        uint64_t took = weft_measure_now_ns() - begin;
        ns[side] = (double)(took > 0 ? took : 1) / all->block;
    }
    ++all->round;
    return compare(all, NULL);
}

static void rig_close(void* context) {
    weft_tune_rig* all = context;
    close_executors(all);
    if (!all->keeps || all->places == TUNE_APART)
        close_worlds(all);
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
    if (!rig)
        return;
    close_worlds(rig);
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
