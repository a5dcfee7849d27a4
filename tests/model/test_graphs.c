// Random graphs of up to thousands of systems, against the plain model.

#include "graphs.h"

#include <weft/world.h>

#include <criterion/criterion.h>

Test(graphs, of_few_systems) {
    graphs_run(&(graphs_campaign){"few", 14, 6000, true}, 1);
}

Test(graphs, of_dozens) {
    graphs_run(&(graphs_campaign){"dozens", 120, 500, true}, 1);
}

Test(graphs, of_hundreds) {
    graphs_run(&(graphs_campaign){"hundreds", 1500, 30, false}, 1);
}

Test(graphs, of_ten_thousand) {
    graphs_run_one("ten thousand", &(plain_shape){10000, 400, 4, 8000, 0, 1, false}, 0x7EA);
}

// A cycle of systems that stand far apart, behind thousands that are in none.
Test(graphs, of_ten_thousand_with_a_cycle) {
    graphs_run_one("ten thousand, cyclic", &(plain_shape){10000, 400, 4, 8000, 3, 9000, false},
                   0x7EB);
}

// Two worlds that know the same get the same plan, whoever lives in them.
Test(graphs, are_the_same_in_two_worlds) {
    for (uint32_t i = 0; i < 50; i++) {
        char problem[PLAIN_PROBLEM_SIZE];
        weft_world_desc desc = weft_world_desc_default();
        weft_world* worlds[2];
        weft_schedule* schedules[2];
        plain_graph g;
        plain_graph_init(&g, 40);
        plain_graph_draw(&g, &(plain_shape){40, 20, 4, 30, 0, 1, false}, i);
        plain_graph_solve(&g);
        for (uint32_t j = 0; j < 2; j++) {
            cr_assert_eq(weft_world_create(&desc, NULL, &worlds[j]), WEFT_STATUS_OK);
            cr_assert_eq(plain_graph_register(&g, worlds[j]), WEFT_STATUS_OK);
            for (uint32_t k = 0; k < 3 * j; k++)
                (void)weft_commands_create(weft_world_commands(worlds[j]), 0);
            cr_assert_eq(weft_world_commit(worlds[j]), WEFT_STATUS_OK);
            cr_assert_eq(weft_schedule_create(worlds[j], &schedules[j]), WEFT_STATUS_OK);
            cr_assert_eq(plain_graph_schedule(&g, schedules[j], NULL), WEFT_STATUS_OK);
            cr_assert(plain_graph_compare(&g, schedules[j], problem), "%s", problem);
        }
        cr_assert_eq(weft_schedule_hash(schedules[0]), weft_schedule_hash(schedules[1]));
        for (uint32_t k = 0; k < weft_schedule_edge_count(schedules[0]); k++) {
            weft_edge a = weft_schedule_edge(schedules[0], k);
            weft_edge b = weft_schedule_edge(schedules[1], k);
            cr_assert(a.type == b.type && a.reason == b.reason);
        }
        for (uint32_t j = 0; j < 2; j++) {
            weft_schedule_destroy(schedules[j]);
            weft_world_destroy(worlds[j]);
        }
        plain_graph_deinit(&g);
    }
}
