// The record of time: whole, nested, in the order of its end, the same work on every executor, and
// no part of a result.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <weft/rollback.h>
#include <weft/snapshot.h>
#include <weft/trace.h>

#include <time.h>

#include "effort.h"
#include "folder.h"
#include "rig.h"
#include "worlds.h"

enum {
    TICKS = 12,
    ENTITIES = 12000,
    RECORDS = 1 << 16
};

typedef struct placement {
    const char* name;
    weft_executor_kind kind;
    uint32_t workers;
    uint64_t perturb_seed;
    weft_sweep sweep;
} placement;

static const placement placements[] = {
    {"serial", WEFT_EXECUTOR_SERIAL, 1, 0, WEFT_SWEEP_AUTO},
    {"serial by system", WEFT_EXECUTOR_SERIAL, 1, 0, WEFT_SWEEP_SYSTEM_MAJOR},
    {"virtual 3", WEFT_EXECUTOR_VIRTUAL, 3, 0, WEFT_SWEEP_AUTO},
    {"threads 1", WEFT_EXECUTOR_THREADS, 1, 0, WEFT_SWEEP_AUTO},
    {"threads 2", WEFT_EXECUTOR_THREADS, 2, 0, WEFT_SWEEP_AUTO},
    {"threads 3 perturbed", WEFT_EXECUTOR_THREADS, 3, 9, WEFT_SWEEP_AUTO},
    {"threads 3 perturbed by system", WEFT_EXECUTOR_THREADS, 3, 4, WEFT_SWEEP_SYSTEM_MAJOR},
    {"processes 1", WEFT_EXECUTOR_PROCESSES, 1, 0, WEFT_SWEEP_AUTO},
    {"processes 2", WEFT_EXECUTOR_PROCESSES, 2, 0, WEFT_SWEEP_AUTO},
    {"processes 3 perturbed", WEFT_EXECUTOR_PROCESSES, 3, 5, WEFT_SWEEP_AUTO},
};
#define PLACEMENTS (sizeof placements / sizeof placements[0])

static weft_executor_desc desc_of(const placement* place, uint32_t records) {
    weft_executor_desc desc = weft_executor_desc_default();
    desc.kind = place->kind;
    desc.worker_count = place->workers;
    desc.perturb_seed = place->perturb_seed;
    desc.everybody = place->perturb_seed != 0;
    desc.sweep = place->sweep;
    desc.schedule_seed = 3;
    desc.trace_records = records;
    return desc;
}

static weft_rig open_rig(const weft_module* module, uint64_t entities,
                         const weft_executor_desc* desc) {
    weft_rig rig;
    weft_rig_start start = {
        .entity_count = entities, .seed = 7, .aliased = desc->kind == WEFT_EXECUTOR_PROCESSES};
    cr_assert_eq(weft_rig_open_as(&rig, module, &start), WEFT_STATUS_OK, "%s", rig.error);
    cr_assert_eq(weft_rig_add(&rig, desc), WEFT_STATUS_OK, "%s", rig.error);
    return rig;
}

// What must hold of the records of one worker, and what is counted of them.
typedef struct look {
    weft_trace_record* open; // Those that are in nothing yet, by time.
    size_t open_count;
    uint64_t end_ns;
    uint64_t kinds[WEFT_TRACE_KINDS];
    uint64_t work; // A sum over all calls that no order changes.
    uint64_t in_help;
} look;

static bool holds(uint16_t outer, uint16_t inner) {
    static const uint32_t phases = 1u << WEFT_TRACE_ORDER | 1u << WEFT_TRACE_ROUTE |
                                   1u << WEFT_TRACE_FOLD | 1u << WEFT_TRACE_ASSIGN |
                                   1u << WEFT_TRACE_MERGE | 1u << WEFT_TRACE_MESSAGES;
    static const uint32_t calls = 1u << WEFT_TRACE_SYSTEM | 1u << WEFT_TRACE_HASH;
    static const uint32_t team = 1u << WEFT_TRACE_WAIT | 1u << WEFT_TRACE_HELP;
    static const uint32_t inside[WEFT_TRACE_KINDS] = {
        [WEFT_TRACE_HOST] = team | 1u << WEFT_TRACE_COMMIT,
        [WEFT_TRACE_TICK] = 1u << WEFT_TRACE_PREPARE | 1u << WEFT_TRACE_FINISH |
                            1u << WEFT_TRACE_STAGE | 1u << WEFT_TRACE_COMMIT,
        [WEFT_TRACE_DIGEST] = 1u << WEFT_TRACE_LEAVES | 1u << WEFT_TRACE_TREE,
        [WEFT_TRACE_ROLLBACK] = 1u << WEFT_TRACE_PREPARE | 1u << WEFT_TRACE_FINISH |
                                1u << WEFT_TRACE_STAGE | 1u << WEFT_TRACE_COMMIT |
                                1u << WEFT_TRACE_LEAVES | 1u << WEFT_TRACE_TREE,
        [WEFT_TRACE_STAGE] = calls | team,
        [WEFT_TRACE_HELP] = calls,
        [WEFT_TRACE_COMMIT] = phases,
        [WEFT_TRACE_ROUTE] = team,
        [WEFT_TRACE_FOLD] = team,
        [WEFT_TRACE_MERGE] = team,
        [WEFT_TRACE_ASSIGN] = team,
        [WEFT_TRACE_PREPARE] = team,
        [WEFT_TRACE_FINISH] = team,
        [WEFT_TRACE_MESSAGES] = team,
        [WEFT_TRACE_LEAVES] = team,
    };
    return (inside[outer] >> inner & 1) != 0;
}

// Records come by their end, so what the new one holds are the last that are open.
static void look_at(look* seen, const weft_trace_record* record, const char* name,
                    uint32_t worker) {
    cr_assert(record->kind > 0 && record->kind < WEFT_TRACE_KINDS);
    cr_assert_leq(record->begin_ns, record->end_ns);
    cr_assert_geq(record->end_ns, seen->end_ns, "%s, worker %u: a %s ends before the last record",
                  name, worker, weft_trace_kind_name(record->kind));
    seen->end_ns = record->end_ns;
    seen->kinds[record->kind]++;
    while (seen->open_count > 0) {
        const weft_trace_record* last = &seen->open[seen->open_count - 1];
        if (last->begin_ns < record->begin_ns || !holds(record->kind, last->kind))
            break;
        seen->open_count--;
        seen->in_help += record->kind == WEFT_TRACE_HELP;
    }
    if (seen->open_count > 0) {
        const weft_trace_record* last = &seen->open[seen->open_count - 1];
        cr_assert_leq(last->end_ns, record->begin_ns, "%s, worker %u: a %s and a %s overlap", name,
                      worker, weft_trace_kind_name(last->kind), weft_trace_kind_name(record->kind));
    }
    cr_assert_lt(seen->open_count, (size_t)RECORDS);
    seen->open[seen->open_count++] = *record;
    if (record->kind == WEFT_TRACE_SYSTEM) {
        uint64_t words[5] = {record->tick, record->rank, record->archetype, record->shard,
                             record->count};
        seen->work += weft_digest_of(words, sizeof words, record->stage).low;
    }
}

static void take_all(weft_executor* executor, look* seen, const char* name, uint32_t workers) {
    static weft_trace_record records[100]; // Several rounds for one tick.
    for (uint32_t worker = 0; worker < workers; worker++) {
        for (;;) {
            size_t count = weft_trace_take(executor, worker, records, 100);
            for (size_t i = 0; i < count; i++)
                look_at(&seen[worker], &records[i], name, worker);
            if (count == 0)
                break;
        }
        cr_assert_eq(weft_trace_lost(executor, worker), 0u);
    }
}

// A call whose share is not there yet: the worker notes that after it has told that all is done, so
// the tick may be over before.
static bool awaits_share(const look* seen, const placement* place) {
    for (uint32_t i = 1; i < place->workers; i++)
        for (size_t j = 0; j < seen[i].open_count; j++)
            if (seen[i].open[j].kind == WEFT_TRACE_SYSTEM ||
                seen[i].open[j].kind == WEFT_TRACE_HASH)
                return true;
    return false;
}

typedef struct result {
    weft_digest digests[TICKS + 1];
    uint64_t kinds[WEFT_TRACE_KINDS]; // Of all workers,
    uint64_t frame[WEFT_TRACE_KINDS]; // and of worker 0.
    uint64_t work;
} result;

static result run_traced(const weft_module* module, const placement* place) {
    weft_executor_desc desc = desc_of(place, RECORDS);
    weft_rig rig = open_rig(module, TEST_EFFORT(ENTITIES), &desc);
    look* seen = calloc(place->workers, sizeof *seen);
    result out = {.work = 0};
    for (uint32_t i = 0; i < place->workers; i++)
        cr_assert_not_null(seen[i].open = calloc(RECORDS, sizeof(weft_trace_record)));
    for (uint32_t tick = 0; tick <= TICKS; tick++) {
        if (tick > 0)
            cr_assert_eq(weft_rig_tick(&rig, 0), WEFT_STATUS_OK, "%s", rig.error);
        cr_assert_eq(weft_executor_digest(rig.executor[0], NULL, &out.digests[tick]),
                     WEFT_STATUS_OK);
        take_all(rig.executor[0], seen, place->name, place->workers);
    }
    const struct timespec moment = {.tv_nsec = 1000000};
    bool late = place->kind >= WEFT_EXECUTOR_THREADS;
    for (uint32_t i = 0; late && i < 5000 && awaits_share(seen, place); i++) {
        (void)nanosleep(&moment, NULL);
        take_all(rig.executor[0], seen, place->name, place->workers);
    }
    for (uint32_t i = 0; i < place->workers; i++) {
        for (uint32_t kind = 0; kind < WEFT_TRACE_KINDS; kind++) {
            out.kinds[kind] += seen[i].kinds[kind];
            out.frame[kind] += i == 0 ? seen[i].kinds[kind] : 0;
        }
        out.work += seen[i].work;
        // What is in nothing is a frame of worker 0, or a share, a wait, a help of another.
        for (size_t j = 0; j < seen[i].open_count; j++) {
            uint16_t kind = seen[i].open[j].kind;
            bool alone = place->kind == WEFT_EXECUTOR_VIRTUAL && i > 0;
            cr_assert(alone || (kind != WEFT_TRACE_SYSTEM && kind != WEFT_TRACE_HASH),
                      "%s, worker %u: a call in no stage", place->name, i);
            cr_assert(i > 0 || kind <= WEFT_TRACE_DIGEST, "%s: a %s in nothing", place->name,
                      weft_trace_kind_name(kind));
        }
        free(seen[i].open);
    }
    free(seen);
    weft_rig_close(&rig);
    return out;
}

static void untraced_digests(const weft_module* module, weft_digest* digests) {
    weft_executor_desc desc = desc_of(&placements[0], 0);
    weft_rig rig = open_rig(module, TEST_EFFORT(ENTITIES), &desc);
    weft_trace_record record;
    for (uint32_t tick = 0; tick <= TICKS; tick++) {
        if (tick > 0)
            cr_assert_eq(weft_rig_tick(&rig, 0), WEFT_STATUS_OK);
        cr_assert_eq(weft_executor_digest(rig.executor[0], NULL, &digests[tick]), WEFT_STATUS_OK);
    }
    cr_assert_eq(weft_trace_take(rig.executor[0], 0, &record, 1), 0u);
    cr_assert_eq(weft_trace_capacity(rig.executor[0]), 0u);
    cr_assert_eq(weft_trace_lost(rig.executor[0], 0), 0u);
    weft_rig_close(&rig);
}

static void same_everywhere(const weft_module* module) {
    weft_digest expected[TICKS + 1];
    result first = {.work = 0};
    untraced_digests(module, expected);
    for (size_t i = 0; i < PLACEMENTS; i++) {
        const char* name = placements[i].name;
        result now = run_traced(module, &placements[i]);
        first = i == 0 ? now : first;
        for (uint32_t tick = 0; tick <= TICKS; tick++)
            cr_assert(weft_digest_equal(now.digests[tick], expected[tick]),
                      "%s: the digests differ after tick %u", name, tick);
        cr_assert_eq(now.kinds[WEFT_TRACE_SYSTEM], first.kinds[WEFT_TRACE_SYSTEM], "%s", name);
        cr_assert_eq(now.kinds[WEFT_TRACE_HASH], first.kinds[WEFT_TRACE_HASH], "%s", name);
        cr_assert_eq(now.work, first.work, "%s: other work is recorded", name);
        cr_assert_eq(now.frame[WEFT_TRACE_TICK], (uint64_t)TICKS);
        cr_assert_eq(now.frame[WEFT_TRACE_DIGEST], (uint64_t)TICKS + 1);
        cr_assert_eq(now.frame[WEFT_TRACE_COMMIT], (uint64_t)TICKS);
        cr_assert_eq(now.frame[WEFT_TRACE_STAGE], first.frame[WEFT_TRACE_STAGE]);
        cr_assert_eq(now.frame[WEFT_TRACE_HOST], 2u * TICKS + 1);
        for (uint32_t kind = WEFT_TRACE_ORDER; kind <= WEFT_TRACE_TREE; kind++)
            cr_assert_eq(now.frame[kind], first.frame[kind], "%s: %s", name,
                         weft_trace_kind_name(kind));
        if (placements[i].workers > 1 && placements[i].kind >= WEFT_EXECUTOR_THREADS)
            cr_assert_gt(now.kinds[WEFT_TRACE_WAIT], 0u, "%s", name);
        else
            cr_assert_eq(now.kinds[WEFT_TRACE_WAIT] + now.kinds[WEFT_TRACE_HELP], 0u, "%s", name);
    }
    cr_assert_gt(first.kinds[WEFT_TRACE_SYSTEM], 0u);
    cr_assert_gt(first.kinds[WEFT_TRACE_HASH], 0u);
}

Test(trace, creatures_are_recorded_alike_by_every_executor) {
    same_everywhere(&weft_workload_creatures);
}

Test(trace, orbits_are_recorded_alike_by_every_executor) {
    same_everywhere(&weft_workload_orbits);
}

Test(trace, every_kind_is_recorded) {
    placement place = {"threads 3", WEFT_EXECUTOR_THREADS, 3, 11, WEFT_SWEEP_AUTO};
    weft_executor_desc desc = desc_of(&place, RECORDS);
    desc.rollback_ticks = 2;
    weft_rig rig = open_rig(&weft_workload_creatures, TEST_EFFORT(ENTITIES), &desc);
    uint64_t kinds[WEFT_TRACE_KINDS] = {0};
    test_folder folder = folder_open();
    test_path path = folder_file(&folder, "x.wss");
    weft_snapshot_desc how = weft_snapshot_desc_default();
    bool all = false;
    for (uint32_t round = 0; round < 200 && !all; round++) {
        weft_trace_record record;
        cr_assert_eq(weft_rig_tick(&rig, 0), WEFT_STATUS_OK, "%s", rig.error);
        cr_assert_eq(weft_executor_digest(rig.executor[0], NULL, NULL), WEFT_STATUS_OK);
        cr_assert_eq(weft_snapshot_save(rig.executor[0], path.text, &how), WEFT_STATUS_OK);
        if (round % 4 == 3)
            WORLD_OK(rig.world,
                     weft_executor_rollback(rig.executor[0], weft_world_tick(rig.world) - 1));
        for (uint32_t worker = 0; worker < 3; worker++)
            while (weft_trace_take(rig.executor[0], worker, &record, 1) == 1)
                kinds[record.kind]++;
        all = true;
        for (uint32_t kind = 1; kind < WEFT_TRACE_KINDS; kind++)
            all = all && kinds[kind] > 0;
    }
    for (uint32_t kind = 1; kind < WEFT_TRACE_KINDS; kind++)
        cr_assert_gt(kinds[kind], 0u, "no %s", weft_trace_kind_name(kind));
    weft_rig_close(&rig);
    folder_close(&folder);
}

// What the host has committed between ticks is a commit in its time.
Test(trace, commits_of_the_host_are_recorded) {
    for (size_t i = 0; i < PLACEMENTS; i++) {
        if (placements[i].kind == WEFT_EXECUTOR_PROCESSES)
            continue; // There the host's commit is a part of the next tick.
        weft_executor_desc desc = desc_of(&placements[i], RECORDS);
        weft_rig rig = open_rig(&weft_workload_creatures, TEST_EFFORT(ENTITIES), &desc);
        (void)weft_commands_create(weft_world_commands(rig.world), 0);
        WORLD_OK(rig.world, weft_executor_commit(rig.executor[0]));
        cr_assert_eq(weft_rig_tick(&rig, 0), WEFT_STATUS_OK);
        look seen = {.open = calloc(RECORDS, sizeof(weft_trace_record))};
        weft_trace_record record;
        bool host = false;
        while (weft_trace_take(rig.executor[0], 0, &record, 1) == 1) {
            look_at(&seen, &record, placements[i].name, 0);
            if (record.kind == WEFT_TRACE_HOST && !host) {
                host = true;
                cr_assert_eq(seen.kinds[WEFT_TRACE_COMMIT], 1u);
                cr_assert_eq(seen.kinds[WEFT_TRACE_MERGE], 1u);
                cr_assert_eq(seen.open_count, 1u, "%s: it is not in the host's time",
                             placements[i].name);
            }
        }
        cr_assert(host);
        free(seen.open);
        weft_rig_close(&rig);
    }
}

// The same ticks with a ring that holds all and with one that does not: what is left are the last.
static void compare_rings(uint32_t small, uint32_t between_takes) {
    weft_trace_record* all = calloc(RECORDS, sizeof *all);
    weft_trace_record* some = calloc(RECORDS, sizeof *some);
    weft_executor_desc large_desc = desc_of(&placements[0], RECORDS);
    weft_executor_desc small_desc = desc_of(&placements[0], small);
    weft_rig large_rig = open_rig(&weft_workload_creatures, 300, &large_desc);
    weft_rig small_rig = open_rig(&weft_workload_creatures, 300, &small_desc);
    size_t capacity = weft_trace_capacity(small_rig.executor[0]);
    cr_assert_geq(capacity, (size_t)small);
    uint64_t written = 0;
    uint64_t lost = 0;
    for (uint32_t tick = 1; tick <= 3 * between_takes; tick++) {
        cr_assert_eq(weft_rig_tick(&large_rig, 0), WEFT_STATUS_OK);
        cr_assert_eq(weft_rig_tick(&small_rig, 0), WEFT_STATUS_OK);
        if (tick % between_takes != 0)
            continue;
        size_t all_count = weft_trace_take(large_rig.executor[0], 0, all, RECORDS);
        size_t some_count = weft_trace_take(small_rig.executor[0], 0, some, RECORDS);
        size_t kept = all_count < capacity ? all_count : capacity;
        cr_assert_eq(some_count, kept, "%zu of %zu are left", some_count, all_count);
        written += all_count;
        lost += all_count - kept;
        for (size_t i = 0; i < some_count; i++) {
            const weft_trace_record* a = &all[all_count - some_count + i];
            const weft_trace_record* b = &some[i];
            cr_assert(a->kind == b->kind && a->rank == b->rank && a->tick == b->tick &&
                      a->archetype == b->archetype && a->shard == b->shard && a->count == b->count);
        }
    }
    cr_assert_gt(written, 0u);
    cr_assert_eq(weft_trace_lost(small_rig.executor[0], 0), lost);
    cr_assert_eq(weft_trace_lost(large_rig.executor[0], 0), 0u);
    weft_rig_close(&large_rig);
    weft_rig_close(&small_rig);
    free(all);
    free(some);
}

Test(trace, a_full_ring_keeps_the_newest_and_counts_the_rest) {
    for (uint32_t ticks = 1; ticks <= 5; ticks++) {
        compare_rings(1, ticks);
        compare_rings(100, ticks);
        compare_rings(1000, ticks);
    }
}

Test(trace, the_size_is_checked) {
    weft_executor_desc desc = desc_of(&placements[0], (UINT32_C(1) << 26) + 1);
    weft_rig rig;
    cr_assert_eq(weft_rig_open(&rig, &weft_workload_creatures, 10, 1), WEFT_STATUS_OK);
    cr_assert_eq(weft_rig_add(&rig, &desc), WEFT_STATUS_BAD_ARGUMENT);
    weft_rig_close(&rig);
}

Test(trace, kinds_have_names) {
    for (uint32_t i = 1; i < WEFT_TRACE_KINDS; i++)
        for (uint32_t j = 1; j < i; j++)
            cr_assert_str_neq(weft_trace_kind_name(i), weft_trace_kind_name(j));
    cr_assert_str_eq(weft_trace_kind_name(0), "?");
    cr_assert_str_eq(weft_trace_kind_name(WEFT_TRACE_KINDS), "?");
}

// What a machine counts depends on it; what is missing is explained, and what is had goes up.
static void look_at_counters(const placement* place) {
    weft_executor_desc desc = desc_of(place, RECORDS);
    weft_rig rig = open_rig(&weft_workload_creatures, TEST_EFFORT(ENTITIES), &desc);
    weft_executor* executor = rig.executor[0];
    char reason[256] = "?";
    uint32_t had = weft_trace_count(executor, reason, sizeof reason);
    cr_assert_lt(had, 1u << WEFT_TRACE_COUNTERS);
    if (had == (1u << WEFT_TRACE_COUNTERS) - 1)
        cr_assert_str_eq(reason, "");
    else
        TEXT_HAS(reason, ": ");
    weft_trace_counts before[3] = {{{0}}};
    uint64_t sum = 0;
    for (uint32_t tick = 0; tick < TICKS; tick++) {
        cr_assert_eq(weft_rig_tick(&rig, 0), WEFT_STATUS_OK);
        for (uint32_t i = 0; i < place->workers; i++) {
            weft_trace_counts now = weft_trace_counts_read(executor, i);
            for (uint32_t j = 0; j < WEFT_TRACE_COUNTERS; j++) {
                cr_assert_geq(now.value[j], before[i].value[j]);
                if ((had >> j & 1) == 0 && place->workers == 1)
                    cr_assert_eq(now.value[j], 0u);
                sum += now.value[j];
            }
            before[i] = now;
        }
    }
    // The first ticks touch new memory.
    if ((had >> WEFT_TRACE_FAULTS & 1) != 0)
        cr_assert_gt(sum, 0u, "%s: nothing was counted", place->name);
    weft_trace_counts none = weft_trace_counts_read(executor, place->workers);
    for (uint32_t j = 0; j < WEFT_TRACE_COUNTERS; j++)
        cr_assert_eq(none.value[j], 0u);
    weft_rig_close(&rig);
}

Test(trace, counters_are_had_or_explained) {
    for (size_t i = 0; i < PLACEMENTS; i++)
        look_at_counters(&placements[i]);
}

Test(trace, nothing_is_counted_without_a_trace) {
    weft_executor_desc desc = desc_of(&placements[0], 0);
    weft_rig rig = open_rig(&weft_workload_creatures, 10, &desc);
    char reason[256];
    cr_assert_eq(weft_trace_count(rig.executor[0], reason, sizeof reason), 0u);
    TEXT_HAS(reason, "trace_records");
    cr_assert_eq(weft_trace_counts_read(rig.executor[0], 0).value[0], 0u);
    cr_assert_str_eq(weft_trace_counter_name(WEFT_TRACE_COUNTERS), "?");
    weft_rig_close(&rig);
}
