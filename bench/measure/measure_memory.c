/// Memory of a world: what it takes from the system for each entity, against the columns' own bytes
/// and 24 bytes a slot: after a build by batches, after ticks with digests, after churn, and after
/// a build in one commit, which keeps the room that its commands took.

#include <inttypes.h>
#include <stdio.h>
#include <weft/memory.h>

#include "harness.h"
#include "motion.h"
#include "rig.h"

enum {
    BATCH = 65536,
    COLUMN_BYTES = sizeof(MotionPosition) + sizeof(MotionVelocity),
    SLOT_BYTES = 24,
    TICKS = 3,
    CHURN_ROUNDS = 20
};

// Counts what the world takes. It is the judge: the world's own counter must say the same.
typedef struct counted {
    weft_memory system;
    uint64_t bytes;
} counted;

static void* acquire(void* context, size_t size) {
    counted* all = context;
    void* segment = all->system.acquire(all->system.context, size);
    all->bytes += segment ? size : 0;
    return segment;
}

static void release(void* context, void* segment, size_t size) {
    counted* all = context;
    all->system.release(all->system.context, segment, size);
    all->bytes -= size;
}

typedef struct memory_run {
    const weft_measure_options* options;
    weft_measure_table* table;
    uint64_t rows;
    counted memory;
    weft_world* world;
    weft_schedule* schedule;
    weft_executor* executor;
} memory_run;

static weft_status open(memory_run* run, uint64_t built_in) {
    weft_world_desc desc = weft_world_desc_default();
    weft_module_options options = {.entity_count = built_in, .seed = run->options->seed};
    weft_memory memory = {.acquire = acquire, .release = release, .context = &run->memory};
    run->memory = (counted){.system = weft_memory_system()};
    WEFT_TRY(weft_world_create(&desc, &memory, &run->world));
    WEFT_TRY(weft_schedule_create(run->world, &run->schedule));
    WEFT_TRY(weft_workload_motion.build(&options, run->world, run->schedule));
    return weft_world_commit(run->world);
}

static void close(memory_run* run) {
    weft_executor_destroy(run->executor);
    weft_schedule_destroy(run->schedule);
    weft_world_destroy(run->world);
    run->executor = NULL;
    run->schedule = NULL;
    run->world = NULL;
}

static void record_one(weft_commands* commands, uint64_t number) {
    int32_t raw = (int32_t)number;
    WEFT_CREATE(commands, 0, WEFT_VALUE(MotionPosition, {{{raw}, {raw ^ 1}}}),
                WEFT_VALUE(MotionVelocity, {{{raw & 255}, {raw & 511}}}));
}

static weft_status build_by_batches(memory_run* run) {
    weft_commands* commands = weft_world_commands(run->world);
    for (uint64_t i = 0; i < run->rows; ++i) {
        record_one(commands, i);
        if ((i + 1) % BATCH == 0 || i + 1 == run->rows) {
            weft_measure_report(run->options, "building", i, run->rows);
            WEFT_TRY(weft_world_commit(run->world));
        }
    }
    return WEFT_STATUS_OK;
}

static weft_status run_ticks(memory_run* run) {
    weft_executor_desc desc = weft_rig_threads(run->options->worker_max == 1 ? 1 : 0, NULL);
    WEFT_TRY(weft_executor_create(&desc, run->schedule, &run->executor));
    for (uint32_t i = 0; i < TICKS; ++i) {
        weft_digest view, full;
        WEFT_TRY(weft_executor_tick(run->executor));
        WEFT_TRY(weft_executor_digest(run->executor, &view, &full));
    }
    return WEFT_STATUS_OK;
}

// Every hundredth row goes, another one in each round, and as many come.
static weft_status churn(memory_run* run) {
    static const weft_access terms[] = {WEFT_READS(MotionPosition)};
    weft_commands* commands = weft_world_commands(run->world);
    for (uint32_t round = 0; round < CHURN_ROUNDS; ++round) {
        weft_measure_report(run->options, "churn", round, CHURN_ROUNDS);
        uint64_t at = 0;
        weft_cursor cursor = weft_world_visit(run->world, terms, 1);
        while (weft_cursor_next(&cursor)) {
            for (uint32_t row = 0; row < cursor.row_count; ++row, ++at) {
                if (at % 100 != round)
                    continue;
                weft_commands_destroy(commands, 0, cursor.entities[row]);
                record_one(commands, at);
            }
        }
        WEFT_TRY(weft_world_commit(run->world));
    }
    return WEFT_STATUS_OK;
}

static weft_status report(const memory_run* run, const char* when, bool aimed) {
    weft_world_stats stats = weft_world_stats_read(run->world);
    if (stats.arena_reserved != run->memory.bytes ||
        weft_world_entity_count(run->world) != run->rows) {
        snprintf(run->table->error, sizeof(run->table->error),
                 "%s: the world says %" PRIu64 " bytes and took %" PRIu64, when,
                 stats.arena_reserved, run->memory.bytes);
        return WEFT_STATUS_DIVERGED;
    }
    double rows = (double)run->rows;
    double own = rows * (COLUMN_BYTES + SLOT_BYTES);
    weft_series taken = {.count = 1, .value = {(double)stats.arena_reserved / rows}};
    weft_series used = {.count = 1, .value = {(double)stats.arena_used / rows}};
    weft_series ratio = {.count = 1, .value = {(double)stats.arena_reserved / own}};
    weft_measure_add(run->table, "bytes/row", &taken, 1, "taken from the system, %s", when);
    weft_measure_add(run->table, "bytes/row", &used, 1, "in blocks that are in use, %s", when);
    weft_measure_row* row =
        weft_measure_add(run->table, "ratio", &ratio, 1, "against columns and %d bytes a slot, %s",
                         SLOT_BYTES, when);
    if (aimed)
        weft_measure_target(run->options, row, WEFT_MEASURE_AT_MOST, 1.15);
    return WEFT_STATUS_OK;
}

static weft_status measure(memory_run* run) {
    WEFT_TRY(open(run, 0));
    WEFT_TRY(build_by_batches(run));
    WEFT_TRY(report(run, "built by batches", true));
    WEFT_TRY(run_ticks(run));
    WEFT_TRY(report(run, "after ticks with digests", true));
    WEFT_TRY(churn(run));
    WEFT_TRY(report(run, "after churn", false));
    close(run);
    weft_measure_report(run->options, "building", 0, 1);
    WEFT_TRY(open(run, run->rows));
    return report(run, "built in one commit", false);
}

static weft_status run(const weft_measure_options* options, weft_measure_table* table) {
    memory_run all = {.options = options, .table = table};
    all.rows = options->entity_count > 0 ? options->entity_count
               : options->quick          ? 20000
                                         : 10000000;
    snprintf(table->title, sizeof(table->title),
             "the memory of %" PRIu64 " entities with two columns of %d bytes", all.rows,
             COLUMN_BYTES / 2);
    weft_status status = measure(&all);
    if (status != WEFT_STATUS_OK && table->error[0] == '\0')
        snprintf(table->error, sizeof(table->error), "%s",
                 all.world && weft_world_error(all.world)[0] ? weft_world_error(all.world)
                                                             : weft_status_text(status));
    close(&all);
    return status;
}

const weft_measure weft_measure_memory = {
    .name = "memory",
    .summary = "bytes that a world takes for each entity, when built, run and churned",
    .run = run,
};
