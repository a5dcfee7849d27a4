// What the suites' workloads compute, and what their sides are made of.

#include "bench_run.h"
#include "births.h"
#include "ecs_bench_suite.h"
#include "ecs_benchmark.h"
#include "heavy_compute.h"
#include "iterate.h"
#include "plain.h"

#include <criterion/criterion.h>

static weft_rig open_serial(const weft_module* module, uint64_t entity_count) {
    weft_executor_desc desc = weft_rig_serial();
    return bench_open(module, entity_count, 5, &desc);
}

static void tick(weft_rig* rig, int count) {
    for (int i = 0; i < count; ++i)
        cr_assert_eq(weft_rig_tick(rig, 0), WEFT_STATUS_OK, "%s", rig->error);
}

Test(suites, every_workload_is_the_same_on_workers) {
    static const weft_module* const modules[] = {
        &weft_suite_iterate,           &weft_suite_simple,         &weft_suite_fragmented,
        &weft_suite_schedule,          &weft_suite_heavy,          &weft_suite_add_remove,
        &weft_suite_add_remove_sparse, &weft_suite_systems2,       &weft_suite_systems2_mixed,
        &weft_suite_systems7,          &weft_suite_systems7_mixed, &weft_suite_publish,
        &weft_suite_publish_update,    &weft_suite_remove_add,
    };
    weft_executor_desc desc = weft_rig_virtual(3, 11);
    for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); ++i)
        cr_expect_eq(bench_first_difference(modules[i], 9000, 2, 5, &desc), 0, "%s",
                     modules[i]->name);
}

Test(suites, iterate_adds_the_velocity) {
    static const weft_access terms[] = {WEFT_READS(IteratePosition), WEFT_READS(IterateVelocity)};
    weft_rig rig = open_serial(&weft_suite_iterate, 100);
    weft_plain start = {.terms = terms, .term_count = 2};
    cr_assert_eq(weft_plain_open(&start, rig.world), WEFT_STATUS_OK);
    tick(&rig, 3);
    cr_expect_not(weft_plain_equal(&start, rig.world));
    cr_assert_eq(start.table_count, 1);
    cr_assert_eq(start.table[0].count, 100);
    for (size_t i = 0; i < 100; ++i) {
        weft_vec2* at = &WEFT_PLAIN_AT(&start.table[0], 0, IteratePosition, i)->at;
        weft_vec2 way = WEFT_PLAIN_AT(&start.table[0], 1, IterateVelocity, i)->per_tick;
        at->x.raw += 3 * way.x.raw; // Far from the limits.
        at->y.raw += 3 * way.y.raw;
    }
    cr_expect(weft_plain_equal(&start, rig.world));
    weft_plain_close(&start);
    weft_rig_close(&rig);
}

// One byte of one row is enough to tell.
Test(suites, plain_arrays_see_every_difference) {
    static const weft_access terms[] = {WEFT_READS(SuiteA), WEFT_READS(SuiteB),
                                        WEFT_READS_OPTIONAL(SuiteC)};
    weft_rig rig = open_serial(&weft_suite_schedule, 20000);
    weft_plain plain = {.terms = terms, .term_count = 3};
    cr_assert_eq(weft_plain_open(&plain, rig.world), WEFT_STATUS_OK);
    cr_assert_eq(plain.table_count, SUITE_SCHEDULE_SETS);
    cr_expect_null(plain.table[0].column[2]);
    cr_expect(weft_plain_equal(&plain, rig.world));
    for (uint32_t i = 1; i < plain.table_count; ++i) {
        cr_assert_eq(plain.table[i].count, 5000);
        char* last = (char*)plain.table[i].column[2] + 4999 * sizeof(SuiteC);
        *last ^= 1;
        cr_expect_not(weft_plain_equal(&plain, rig.world), "archetype %u", i);
        *last ^= 1;
    }
    ++plain.table[2].count;
    cr_expect_not(weft_plain_equal(&plain, rig.world));
    --plain.table[2].count;
    cr_expect(weft_plain_equal(&plain, rig.world));
    weft_plain_close(&plain);
    weft_rig_close(&rig);
}

Test(suites, fragmented_doubles_in_26_archetypes) {
    static const weft_access terms[] = {WEFT_READS(SuiteData)};
    weft_rig rig = open_serial(&weft_suite_fragmented, 0);
    tick(&rig, 2);
    weft_cursor cursor = weft_world_visit(rig.world, terms, 1);
    uint32_t archetypes = 0;
    int32_t index = 0;
    while (weft_cursor_next(&cursor)) {
        ++archetypes;
        cr_assert_eq(cursor.row_count, SUITE_FRAGMENT_ROWS);
        for (uint32_t i = 0; i < cursor.row_count; ++i, ++index)
            cr_assert_eq(WEFT_CURSOR_COLUMN(&cursor, SuiteData)[i].value.raw, 4 * (index - 100));
    }
    cr_expect_eq(archetypes, SUITE_LETTER_COUNT);
    weft_rig_close(&rig);
}

static int32_t letter(const weft_rig* rig, uint32_t slot, int which) {
    const SuiteA* number =
        weft_world_read(rig->world, (weft_entity){slot, 1}, weft_suite_letters[which]);
    return number ? number->value.raw : -1;
}

Test(suites, schedule_swaps_three_pairs) {
    weft_rig rig = open_serial(&weft_suite_schedule, 8);
    // Two entities of each set; the numbers of entity i are 4 i and so on.
    tick(&rig, 1);
    cr_expect_eq(letter(&rig, 0, 0), 1);
    cr_expect_eq(letter(&rig, 0, 1), 0);
    cr_expect_eq(letter(&rig, 2, 2), 10); // ABC: C has no partner.
    cr_expect_eq(letter(&rig, 4, 2), 19); // ABCD
    cr_expect_eq(letter(&rig, 4, 3), 18);
    cr_expect_eq(letter(&rig, 4, 4), -1);
    cr_expect_eq(letter(&rig, 6, 2), 27); // ABCE
    cr_expect_eq(letter(&rig, 6, 4), 26);
    cr_expect_eq(letter(&rig, 6, 3), -1);
    weft_rig_close(&rig);
}

// A hundred inversions are none, and one is an inverse.
Test(suites, heavy_compute_inverts) {
    HeavyMatrix matrix = {{2, 1, 0, 3, 0, 4, 1, 0, 1, 0, 5, 2, 0, 1, 0, 3}};
    HeavyMatrix before = matrix;
    HeavyPosition position = {{1, 2, 3}};
    weft_heavy_invert(&matrix, &position, 1);
    for (int i = 0; i < 16; ++i)
        cr_expect_float_eq(matrix.cell[i], before.cell[i], 1e-3f, "cell %d", i);
    cr_expect_float_eq(position.at.x, 7, 1e-2f);
    cr_expect_float_eq(position.at.y, 11, 1e-2f);
    cr_expect_float_eq(position.at.z, 18, 1e-2f);
    HeavyMatrix flat = {{0}};
    weft_heavy_invert(&flat, &position, 1);
    for (int i = 0; i < 16; ++i)
        cr_expect_eq(flat.cell[i], 0);
}

Test(suites, add_remove_takes_turns) {
    static const weft_module* const modules[] = {&weft_suite_add_remove,
                                                 &weft_suite_add_remove_sparse};
    for (size_t i = 0; i < 2; ++i) {
        weft_rig rig = open_serial(modules[i], 5000);
        for (int t = 1; t <= 4; ++t) {
            tick(&rig, 1);
            for (uint32_t slot = 0; slot < 5000; slot += 99)
                cr_assert_eq(letter(&rig, slot, 1), t % 2 != 0 ? 65536 : -1);
        }
        cr_expect_eq(weft_world_entity_count(rig.world), 5000);
        weft_rig_close(&rig);
    }
}

Test(suites, mixed_entities_lack_a_few) {
    static const weft_access position[] = {WEFT_READS(BenchmarkPosition)};
    static const weft_access health[] = {WEFT_READS(BenchmarkHealth)};
    weft_rig rig = open_serial(&weft_suite_systems7_mixed, 2000);
    uint32_t with_position = 0;
    uint32_t with_health = 0;
    weft_cursor cursor = weft_world_visit(rig.world, position, 1);
    while (weft_cursor_next(&cursor))
        with_position += cursor.row_count;
    cursor = weft_world_visit(rig.world, health, 1);
    while (weft_cursor_next(&cursor))
        with_health += cursor.row_count;
    // Of the multiples of 10 from 1000 to 1500 those that 7 divides: 1050 to 1470 by 70.
    cr_expect_eq(with_position, 2000 - 7);
    cr_expect_eq(with_health, 1000);
    cr_expect_null(
        weft_world_read(rig.world, (weft_entity){1050, 1}, WEFT_TYPE(BenchmarkPosition)));
    weft_rig_close(&rig);
}

Test(suites, health_goes_round) {
    BenchmarkHealth health = {.points = 0, .limit = 9};
    BenchmarkDamage damage = {.attack = 7, .defense = 2};
    BenchmarkPlayer player = {.type = BENCHMARK_HERO};
    BenchmarkSprite sprite;
    static const uint32_t statuses[] = {BENCHMARK_DEAD, BENCHMARK_SPAWN, BENCHMARK_ALIVE,
                                        BENCHMARK_DEAD, BENCHMARK_SPAWN};
    static const int32_t points[] = {0, 4, 0, 0, 4};
    static const char sprites[] = {'|', '_', '@', '|', '_'};
    for (int i = 0; i < 5; ++i) {
        weft_benchmark_heal(&health, 1);
        weft_benchmark_dress(&sprite, &player, &health, 1);
        weft_benchmark_hurt(&health, &damage, 1);
        cr_expect_eq(health.status, statuses[i], "step %d", i);
        cr_expect_eq(health.points, points[i], "step %d", i);
        cr_expect_eq(sprite.character, (uint32_t)sprites[i], "step %d", i);
    }
}

Test(suites, messages_reach_their_rows) {
    weft_rig rig = open_serial(&weft_suite_publish_update, 10);
    tick(&rig, 3);
    for (uint32_t slot = 0; slot < 10; ++slot) {
        const BenchmarkData* data =
            weft_world_read(rig.world, (weft_entity){slot, 1}, WEFT_TYPE(BenchmarkData));
        cr_assert_not_null(data);
        cr_expect_eq(data->number, 3 * slot);
    }
    weft_rig_close(&rig);
}

Test(suites, remove_and_add_is_a_new_value) {
    weft_rig rig = open_serial(&weft_suite_remove_add, 10);
    tick(&rig, 1);
    const BenchmarkVelocity* velocity =
        weft_world_read(rig.world, (weft_entity){7, 1}, WEFT_TYPE(BenchmarkVelocity));
    cr_assert_not_null(velocity);
    cr_expect_eq(velocity->per_second.x.raw, 7);
    cr_expect_eq(weft_world_stats_read(rig.world).moved, 0);
    weft_rig_close(&rig);
}

// One by one, in bulk and on two workers it is the same world, and what is timed is something.
Test(suites, births_agree) {
    static SuiteA values[9000];
    weft_digest first = {0, 0};
    for (uint32_t i = 0; i < 9000; ++i)
        values[i].value.raw = (int32_t)i;
    for (uint32_t i = 0; i < 8; ++i) {
        weft_births births = {
            .entity_count = 9000,
            .type = {WEFT_TYPE(SuiteA)},
            .values = {values},
            .column_count = 1,
            .bulk = i % 2 != 0,
            .deaths = i / 2 % 2 != 0,
            .fresh = i >= 4,
            .worker_count = 1 + i % 2,
        };
        for (int k = 0; k < 3; ++k) {
            uint64_t elapsed = 0;
            cr_assert_eq(weft_births_once(&births, &elapsed), WEFT_STATUS_OK, "%s", births.error);
            cr_expect_gt(elapsed, 0);
            cr_expect_eq(births.world == NULL, births.fresh);
        }
        if (i == 0)
            first = births.digest;
        cr_expect(weft_digest_equal(births.digest, first), "way %u", i);
        weft_births_close(&births);
    }
}

static weft_status thousand(void* context, uint64_t* elapsed) {
    ++*(int*)context;
    *elapsed += 1000;
    return WEFT_STATUS_OK;
}

Test(suites, a_case_may_time_itself) {
    weft_measure_options options = {.quick = true};
    weft_sampling sampling = {.sample_ns = 3500, .samples = 2};
    int calls = 0;
    weft_case one = {.once = thousand, .context = &calls, .units = 10};
    cr_assert_eq(weft_measure_cases(&options, "test", sampling, &one, 1), WEFT_STATUS_OK);
    cr_expect_eq(calls, 1 + 2 + 4 + 2 * 4);
    cr_assert_eq(one.series.count, 2);
    cr_expect_float_eq(one.series.value[0], 100, 1e-9);
}
