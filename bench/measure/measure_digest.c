/// The digest: how fast all leaves are hashed, against reading as many bytes; what it costs when
/// only some were written; and its share of a tick of the ecosystem.

#include <stdio.h>

#include "bounds.h"
#include "lockstep.h"

WEFT_COMPONENT(DigestPlace, (weft_vec2, at));
WEFT_COMPONENT(DigestPace, (weft_vec2, at));

enum {
    ROW_BYTES = 16,
    FRACTIONS = 4,
    SIDES_MAX = 2 // One worker and all of them.
};

// Percent of the chunks that a tick marks; they take turns, tick by tick.
static const uint32_t fractions[FRACTIONS] = {0, 1, 10, 100};

// Takes both columns for writing, which marks them, and leaves the values alone: the digest cannot
// know, and nothing of them is in a cache.
static weft_status mark(weft_view* view, const void* context) {
    (void)context;
    uint32_t percent = fractions[weft_view_tick(view) % FRACTIONS];
    if ((uint64_t)weft_view_shard(view) * percent % 100 + percent < 100)
        return WEFT_STATUS_OK;
    (void)WEFT_WRITE(view, DigestPlace);
    (void)WEFT_WRITE(view, DigestPace);
    return WEFT_STATUS_OK;
}

static weft_status build(const weft_module_options* options, weft_world* world,
                         weft_schedule* schedule) {
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(DigestPlace), WEFT_STORAGE_DENSE));
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(DigestPace), WEFT_STORAGE_DENSE));
    weft_commands* commands = weft_world_commands(world);
    for (uint64_t i = 0; i < options->entity_count; ++i) {
        int32_t raw = (int32_t)i;
        WEFT_CREATE(commands, 0, WEFT_VALUE(DigestPlace, {{{raw}, {~raw}}}),
                    WEFT_VALUE(DigestPace, {{{raw ^ 5}, {raw + 7}}}));
    }
    return weft_schedule_add_system(
        schedule,
        WEFT_SYSTEM("mark", mark, WEFT_ACCESS(WEFT_WRITES(DigestPlace), WEFT_WRITES(DigestPace))));
}

static const weft_module module = {
    .abi = WEFT_MODULE_ABI,
    .name = "digest",
    .summary = "marks columns",
    .entity_count_default = 1000,
    .tick_count_default = FRACTIONS,
    .build = build,
};

typedef struct digest_side {
    uint32_t workers;
    weft_hand* hand;
    weft_series us[FRACTIONS];
    weft_series ns[3]; // Nanoseconds per byte: full digest, read, read in four places.
} digest_side;

typedef struct digest_run {
    const weft_measure_options* options;
    weft_measure_table* table;
    weft_topology* topology;
    uint64_t rows;
    weft_rig rig;
    weft_traffic sweep;
    digest_side sides[SIDES_MAX];
    uint32_t side_count;
} digest_run;

static weft_status open(digest_run* run) {
    const weft_measure_options* options = run->options;
    uint32_t cpus[WEFT_HAND_THREADS_MAX];
    WEFT_TRY(weft_topology_create(NULL, &run->topology));
    uint32_t workers = weft_rig_workers(options->worker_max, run->topology);
    workers = weft_hand_cpus(run->topology, cpus, workers);
    weft_measure_report(options, "building the world", 0, 1);
    WEFT_TRY(weft_rig_open(&run->rig, &module, run->rows, options->seed));
    run->side_count = workers > 1 ? 2 : 1;
    for (uint32_t i = 0; i < run->side_count; ++i) {
        digest_side* side = &run->sides[i];
        side->workers = i == 0 ? 1 : workers;
        weft_executor_desc desc = weft_rig_threads(side->workers, run->topology);
        WEFT_TRY(weft_rig_add(&run->rig, &desc));
        WEFT_TRY(weft_hand_create_on(run->topology, cpus, side->workers, &side->hand));
    }
    return weft_traffic_open(&run->sweep, run->sides[run->side_count - 1].hand, 1,
                             (size_t)run->rows * ROW_BYTES);
}

static void read_bytes(digest_run* run, digest_side* side, weft_traffic_kind kind,
                       weft_series* ns) {
    weft_traffic_work work = {.stream = &run->sweep, .kind = kind, .times = 1};
    weft_hand_wake(side->hand);
    uint64_t start = weft_measure_now_ns();
    weft_hand_fork(side->hand, weft_traffic_part, &work);
    uint64_t elapsed = weft_measure_now_ns() - start;
    weft_hand_park(side->hand);
    weft_series_add(ns, (double)elapsed / (double)run->sweep.count / 8);
}

// One tick of each fraction with its digest, then as much reading. The tick is timed as well:
// leaves are hashed in it, after the last system that writes them.
static weft_status sample(digest_run* run, uint32_t which, bool timed) {
    digest_side* side = &run->sides[which];
    weft_digest view, full;
    for (uint32_t i = 0; i < FRACTIONS; ++i) {
        uint64_t fraction = weft_world_tick(run->rig.world) % FRACTIONS;
        weft_watch before = weft_measure_watch(run->options);
        uint64_t start = weft_measure_now_ns();
        WEFT_TRY(weft_rig_tick(&run->rig, which));
        WEFT_TRY(weft_executor_digest(run->rig.executor[which], &view, &full));
        uint64_t elapsed = weft_measure_now_ns() - start;
        bool disturbed = weft_measure_watched(run->options, &before);
        if (!timed)
            continue;
        weft_series* us = &side->us[fraction];
        weft_series_add(us, (double)elapsed / 1000);
        us->disturbed += disturbed;
        if (fraction == FRACTIONS - 1)
            weft_series_add(&side->ns[0], (double)elapsed / (double)(run->rows * ROW_BYTES));
    }
    if (!timed)
        return WEFT_STATUS_OK;
    read_bytes(run, side, WEFT_TRAFFIC_READ, &side->ns[1]);
    read_bytes(run, side, WEFT_TRAFFIC_READ_FOUR, &side->ns[2]);
    return WEFT_STATUS_OK;
}

static void fill(digest_run* run) {
    static const char* const names[3] = {"digest, all leaves", "reading", "reading in four places"};
    for (uint32_t i = 0; i < run->side_count; ++i) {
        digest_side* side = &run->sides[i];
        const char* plural = side->workers > 1 ? "s" : "";
        weft_series rate[3];
        for (int k = 0; k < 3; ++k) {
            rate[k] = weft_series_rate(&side->ns[k]);
            weft_measure_add(run->table, "GB/s", &rate[k], 1, "%s, %u worker%s", names[k],
                             side->workers, plural);
        }
        for (int k = 1; k < 3; ++k) {
            weft_series share = weft_series_ratio(&rate[0], &rate[k]);
            weft_measure_row* row =
                weft_measure_add(run->table, "ratio", &share, 1, "digest against %s, %u worker%s",
                                 names[k], side->workers, plural);
            if (k == 1)
                weft_measure_target(run->options, row, WEFT_MEASURE_AT_LEAST, 0.7);
        }
        for (uint32_t k = 0; k < FRACTIONS; ++k)
            weft_measure_add(run->table, "us", &side->us[k], 1,
                             "digest, %u%% of the leaves written, %u worker%s", fractions[k],
                             side->workers, plural);
    }
}

static weft_status measure_leaves(digest_run* run) {
    WEFT_TRY(open(run));
    uint32_t rounds = run->options->quick ? 2 : 15;
    for (uint32_t round = 0; round <= rounds; ++round) {
        weft_measure_report(run->options, "digests", round, rounds + 1);
        for (uint32_t i = 0; i < run->side_count; ++i)
            WEFT_TRY(sample(run, (round + i) % run->side_count, round > 0));
    }
    weft_measure_report(run->options, "digests", rounds + 1, rounds + 1);
    fill(run);
    return WEFT_STATUS_OK;
}

static void close(digest_run* run) {
    weft_traffic_close(&run->sweep);
    weft_rig_close(&run->rig);
    for (uint32_t i = 0; i < run->side_count; ++i)
        weft_hand_destroy(run->sides[i].hand);
}

// Its share of a tick: the same ticks of two worlds, one of which is hashed.
static weft_status measure_share(const digest_run* run, uint32_t workers) {
    weft_lockstep both[2];
    for (uint32_t i = 0; i < 2; ++i) {
        both[i] = (weft_lockstep){.name = "creatures",
                                  .module = &weft_workload_creatures,
                                  .entity_count = run->options->quick ? 3000 : 1000000,
                                  .desc = weft_rig_threads(workers, run->topology),
                                  .digest = i == 1};
    }
    weft_lockstep_length length = weft_lockstep_length_of(run->options);
    weft_status status = weft_lockstep_run(run->options, "creatures", length, both, 2, run->table);
    if (status == WEFT_STATUS_OK && !weft_lockstep_equal(&both[0], &both[1])) {
        snprintf(run->table->error, sizeof(run->table->error),
                 "creatures with and without digests "
                 "ended in different worlds");
        status = WEFT_STATUS_DIVERGED;
    }
    if (status == WEFT_STATUS_OK) {
        weft_series share = weft_series_ratio(&both[1].us, &both[0].us);
        weft_measure_row* row = weft_measure_add(run->table, "ratio", &share, 1,
                                                 "a tick of creatures with its digest, %u worker%s",
                                                 workers, workers > 1 ? "s" : "");
        weft_measure_target(run->options, row, WEFT_MEASURE_AT_MOST, 1.03);
    }
    weft_lockstep_close(both, 2);
    return status;
}

static weft_status run(const weft_measure_options* options, weft_measure_table* table) {
    digest_run all = {.options = options, .table = table};
    all.rows = options->entity_count > 0 ? options->entity_count : options->quick ? 20000 : 8000000;
    snprintf(table->title, sizeof(table->title), "digests of %llu rows of two columns, %d bytes",
             (unsigned long long)all.rows, ROW_BYTES);
    weft_status status = measure_leaves(&all);
    if (status != WEFT_STATUS_OK && all.rig.error[0] != '\0')
        snprintf(table->error, sizeof(table->error), "%s", all.rig.error);
    close(&all);
    for (uint32_t i = 0; i < all.side_count && status == WEFT_STATUS_OK; ++i)
        status = measure_share(&all, all.sides[i].workers);
    weft_topology_destroy(all.topology);
    return status;
}

const weft_measure weft_measure_digest = {
    .name = "digest",
    .summary = "hashing against reading, by how much was written, and its share of a tick",
    .run = run,
};
