// Churn does the structural work that it claims.

#include "bench_run.h"
#include "churn.h"

#include <criterion/criterion.h>

enum {
    ENTITIES = 20000,
    TICKS = 40
};

static void run_churn(const weft_module* module, uint64_t moved_min, uint64_t moved_max) {
    weft_executor_desc desc = weft_rig_serial();
    weft_rig rig = bench_open(module, ENTITIES, 5, &desc);
    weft_world_stats before = weft_world_stats_read(rig.world);
    for (int tick = 0; tick < TICKS; ++tick)
        (void)bench_tick(&rig);
    weft_world_stats after = weft_world_stats_read(rig.world);
    const ChurnTotals* totals = weft_world_resource(rig.world, WEFT_TYPE(ChurnTotals));

    // 1% of each kind in every tick, within the noise of the draws.
    uint64_t expected = (uint64_t)ENTITIES * TICKS / 100;
    cr_expect_geq(totals->died, expected * 9 / 10);
    cr_expect_leq(totals->died, expected * 11 / 10);
    cr_expect_geq(totals->marked, expected * 9 / 10);
    cr_expect_leq(totals->marked, expected * 11 / 10);

    // Deaths were of different entities: none was merged with another.
    cr_expect_eq(after.destroyed - before.destroyed, totals->died);
    cr_expect_eq(after.created - before.created, totals->born);

    // A tag is taken off one tick after it was put on, unless its bearer died in between.
    cr_expect_geq(totals->unmarked, expected * 8 / 10);
    cr_expect_eq(weft_churn_operations(rig.world),
                 totals->born + totals->died + totals->marked + totals->unmarked);
    uint64_t moved = after.moved - before.moved;
    cr_expect_geq(moved, moved_min, "%llu", (unsigned long long)moved);
    cr_expect_leq(moved, moved_max, "%llu", (unsigned long long)moved);
    weft_rig_close(&rig);
}

Test(churn, dense_tag_moves_rows) {
    uint64_t tags = (uint64_t)ENTITIES * TICKS / 100 * 2;
    run_churn(&weft_workload_churn, tags * 8 / 10, tags * 12 / 10);
}

Test(churn, sparse_tag_moves_none) {
    run_churn(&weft_workload_churn_sparse, 0, 0);
}

Test(churn, every_set_of_components_is_used) {
    weft_executor_desc desc = weft_rig_serial();
    weft_rig rig = bench_open(&weft_workload_churn_sparse, 1000, 5, &desc);
    static const weft_access neither[] = {WEFT_WITH(ChurnA), WEFT_WITHOUT(ChurnC),
                                          WEFT_WITHOUT(ChurnD)};
    static const weft_access both[] = {WEFT_WITH(ChurnB), WEFT_WITH(ChurnC), WEFT_WITH(ChurnD)};
    static const weft_access one[] = {WEFT_WITH(ChurnC), WEFT_WITHOUT(ChurnD)};
    static const weft_access other[] = {WEFT_WITH(ChurnD), WEFT_WITHOUT(ChurnC)};
    const weft_access* const queries[] = {neither, both, one, other};
    static const uint32_t terms[] = {3, 3, 2, 2};
    uint64_t sum = 0;
    for (int i = 0; i < 4; ++i) {
        weft_cursor cursor = weft_world_visit(rig.world, queries[i], terms[i]);
        uint64_t rows = 0;
        while (weft_cursor_next(&cursor))
            rows += cursor.row_count;
        cr_expect_gt(rows, 150);
        sum += rows;
    }
    cr_expect_eq(sum, 1000);
    weft_rig_close(&rig);
}
