// Task Bench's patterns are those of the paper, and a single dependence that is not kept is seen.

#include "net.h"
#include "taskgrid.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#define STEPS 6
#define NODES_MAX (8 * STEPS)

// The inputs of a task, as columns of the step before.
static void expect_inputs(weft_task_pattern pattern, uint32_t width, uint32_t step, uint32_t column,
                          const char* expected) {
    weft_task_grid grid;
    char text[64] = "";
    size_t at = 0;
    cr_assert_eq(weft_task_grid_create(&grid, pattern, WEFT_TASK_COMPUTE, width, STEPS),
                 WEFT_STATUS_OK);
    uint32_t node = grid.step_first[step] + column;
    cr_assert_lt(node, grid.step_first[step + 1]);
    cr_expect_eq(grid.column[node], column);
    for (uint32_t k = grid.edges.first[node]; k < grid.edges.first[node + 1]; ++k)
        at += (size_t)snprintf(text + at, sizeof(text) - at, "%u ",
                               grid.edges.from[k] - grid.step_first[step - 1]);
    cr_expect_str_eq(text, expected, "%s of width %u, step %u, column %u: %s",
                     weft_task_pattern_names[pattern], width, step, column, text);
    weft_task_grid_destroy(&grid);
}

Test(taskgrid, patterns_are_those_of_the_paper) {
    expect_inputs(WEFT_TASK_TRIVIAL, 8, 3, 4, "");
    expect_inputs(WEFT_TASK_STENCIL_1D, 8, 1, 0, "0 1 ");
    expect_inputs(WEFT_TASK_STENCIL_1D, 8, 5, 4, "3 4 5 ");
    expect_inputs(WEFT_TASK_STENCIL_1D, 8, 2, 7, "6 7 ");
    expect_inputs(WEFT_TASK_FFT, 8, 1, 3, "2 3 4 ");
    expect_inputs(WEFT_TASK_FFT, 8, 2, 3, "1 3 5 ");
    expect_inputs(WEFT_TASK_FFT, 8, 3, 3, "3 7 ");
    expect_inputs(WEFT_TASK_FFT, 8, 4, 0, "0 1 ");
    expect_inputs(WEFT_TASK_FFT, 2, 5, 1, "0 1 ");
    expect_inputs(WEFT_TASK_TREE, 8, 1, 1, "0 ");
    expect_inputs(WEFT_TASK_TREE, 8, 3, 5, "2 ");
    expect_inputs(WEFT_TASK_TREE, 8, 5, 7, "3 ");
    expect_inputs(WEFT_TASK_NEAREST, 8, 1, 0, "0 1 2 ");
    expect_inputs(WEFT_TASK_NEAREST, 8, 1, 3, "1 2 3 4 5 ");
    expect_inputs(WEFT_TASK_NEAREST, 2, 1, 1, "0 1 ");
    expect_inputs(WEFT_TASK_SPREAD, 8, 3, 0, "0 1 3 4 6 ");
    expect_inputs(WEFT_TASK_SPREAD, 8, 1, 0, "0 2 4 5 7 ");
    expect_inputs(WEFT_TASK_SPREAD, 8, 1, 5, "1 2 4 5 7 ");
    expect_inputs(WEFT_TASK_ALL_TO_ALL, 2, 4, 0, "0 1 ");
    expect_inputs(WEFT_TASK_ALL_TO_ALL, 8, 4, 3, "0 1 2 3 4 5 6 7 ");
}

// Runs a grid's tasks as some edges allow, one node as late as can be. The tasks read all their
// inputs, whatever the edges say.
static void run_late(const weft_peer_edges* edges, uint32_t late, weft_task_cells* cells) {
    bool done[NODES_MAX] = {false};
    for (uint32_t count = 0; count < edges->node_count; ++count) {
        uint32_t chosen = edges->node_count;
        for (uint32_t node = 0; node < edges->node_count; ++node) {
            bool ready = !done[node];
            for (uint32_t k = edges->first[node]; k < edges->first[node + 1]; ++k)
                ready = ready && done[edges->from[k]];
            if (ready && (chosen == edges->node_count || chosen == late))
                chosen = node;
        }
        weft_task_node(cells, chosen);
        done[chosen] = true;
    }
}

static bool same_cells(const weft_task_cells* a, const weft_task_cells* b) {
    bool same = true;
    for (uint32_t node = 0; node < a->grid->edges.node_count; ++node)
        same = same && memcmp(weft_task_cell_of(a, node), weft_task_cell_of(b, node),
                              sizeof(weft_task_cell)) == 0;
    return same;
}

// Without each edge in turn.
static void check_edges(weft_task_pattern pattern, weft_task_kernel kernel, uint32_t width) {
    weft_task_grid grid;
    weft_task_cells serial, late;
    cr_assert_eq(weft_task_grid_create(&grid, pattern, kernel, width, STEPS), WEFT_STATUS_OK);
    grid.iterations = 3;
    cr_assert_eq(weft_task_cells_create(&serial, &grid), WEFT_STATUS_OK);
    weft_task_serial(&serial);
    for (uint32_t node = 0; node < grid.edges.node_count; ++node) {
        for (uint32_t k = grid.edges.first[node]; k < grid.edges.first[node + 1]; ++k) {
            cr_assert_eq(weft_task_cells_create(&late, &grid), WEFT_STATUS_OK);
            run_late(&grid.edges, grid.edges.from[k], &late);
            cr_expect(same_cells(&serial, &late), "%s, width %u: node %u late",
                      weft_task_pattern_names[pattern], width, grid.edges.from[k]);
            weft_task_cells_destroy(&late);

            uint32_t first[NODES_MAX + 1], from[NODES_MAX * 8];
            weft_peer_edges broken = {grid.edges.node_count, first, from};
            uint32_t total = grid.edges.first[grid.edges.node_count];
            for (uint32_t i = 0; i <= grid.edges.node_count; ++i)
                first[i] = grid.edges.first[i] - (i > node);
            memcpy(from, grid.edges.from, k * sizeof(uint32_t));
            memcpy(from + k, grid.edges.from + k + 1, (total - k - 1) * sizeof(uint32_t));
            cr_assert_eq(weft_task_cells_create(&late, &grid), WEFT_STATUS_OK);
            run_late(&broken, grid.edges.from[k], &late);
            cr_expect_neq(weft_task_cell_of(&late, node)->runs, 1, "%s: edge %u to %u",
                          weft_task_pattern_names[pattern], grid.edges.from[k], node);
            weft_task_cells_destroy(&late);
        }
    }
    weft_task_cells_destroy(&serial);
    weft_task_grid_destroy(&grid);
}

Test(taskgrid, each_lost_dependence_is_seen) {
    for (uint32_t pattern = 0; pattern < WEFT_TASK_PATTERNS; ++pattern) {
        check_edges((weft_task_pattern)pattern, WEFT_TASK_COMPUTE, 2);
        check_edges((weft_task_pattern)pattern, WEFT_TASK_COMPUTE, 8);
    }
    check_edges(WEFT_TASK_STENCIL_1D, WEFT_TASK_MEMORY, 5);
}

// A wrong input is not forgotten in later runs.
Test(taskgrid, a_wrong_run_stays_wrong) {
    weft_task_grid grid;
    weft_task_cells cells;
    cr_assert_eq(weft_task_grid_create(&grid, WEFT_TASK_STENCIL_1D, WEFT_TASK_COMPUTE, 2, STEPS),
                 WEFT_STATUS_OK);
    cr_assert_eq(weft_task_cells_create(&cells, &grid), WEFT_STATUS_OK);
    weft_task_serial(&cells);
    weft_task_node(&cells, 4);
    for (int i = 0; i < 3; ++i)
        weft_task_serial(&cells);
    cr_expect_neq(weft_task_cell_of(&cells, 4)->runs, 4);
    cr_expect_neq(weft_task_cell_of(&cells, 2 * STEPS - 1)->runs, 4);
    weft_task_cells_destroy(&cells);
    weft_task_grid_destroy(&grid);
}

// Weft's own form --------------------------------------------------------------------------------

typedef struct step_context {
    const weft_net* net;
    const weft_task_grid* truth;
    uint32_t node;
} step_context;

// Reads all inputs that the task has in truth.
static weft_status step_system(weft_view* view, const void* context) {
    const step_context* one = context;
    const weft_peer_edges* edges = &one->truth->edges;
    const weft_task_cell* inputs[WEFT_TASK_WIDTH_MAX];
    const uint32_t* from = edges->from + edges->first[one->node];
    uint32_t count = edges->first[one->node + 1] - edges->first[one->node];
    for (uint32_t k = 0; k < count; ++k)
        inputs[k] = weft_view_resource(view, weft_net_type(one->net, from[k]));
    weft_task_run(one->truth, one->node, inputs, count,
                  weft_view_resource_write(view, weft_net_type(one->net, one->node)));
    return WEFT_STATUS_OK;
}

static void run_net(const weft_task_grid* grid, const weft_peer_edges* edges) {
    static weft_net net;
    step_context contexts[NODES_MAX];
    for (uint32_t node = 0; node < NODES_MAX; ++node)
        contexts[node] = (step_context){&net, grid, node};
    cr_assert_eq(weft_net_open(&net, edges, step_system, contexts, sizeof(contexts[0])),
                 WEFT_STATUS_OK, "%s", net.rig.error);
    weft_task_cells serial;
    cr_assert_eq(weft_task_cells_create(&serial, grid), WEFT_STATUS_OK);
    for (uint32_t seed = 0; seed < 20; ++seed) {
        weft_executor_desc desc = weft_rig_virtual(3, seed);
        cr_assert_eq(weft_rig_add(&net.rig, &desc), WEFT_STATUS_OK);
        cr_assert_eq(weft_rig_tick(&net.rig, 0), WEFT_STATUS_OK);
        weft_executor_destroy(net.rig.executor[--net.rig.executor_count]);
        weft_task_serial(&serial);
        for (uint32_t node = 0; node < grid->edges.node_count; ++node)
            cr_assert_eq(memcmp(weft_world_resource(net.rig.world, weft_net_type(&net, node)),
                                weft_task_cell_of(&serial, node), sizeof(weft_task_cell)),
                         0);
    }
    weft_task_cells_destroy(&serial);
    weft_net_close(&net);
}

Test(taskgrid, weft_keeps_all_patterns) {
    for (uint32_t pattern = 0; pattern < WEFT_TASK_PATTERNS; ++pattern) {
        weft_task_grid grid;
        cr_assert_eq(
            weft_task_grid_create(&grid, (weft_task_pattern)pattern, WEFT_TASK_COMPUTE, 8, STEPS),
            WEFT_STATUS_OK);
        run_net(&grid, &grid.edges);
        weft_task_grid_destroy(&grid);
    }
}

// A system that was not told of an input cannot reach it.
Test(taskgrid, weft_refuses_what_is_not_declared, .signal = SIGABRT) {
    weft_task_grid grid, other;
    cr_assert_eq(weft_task_grid_create(&grid, WEFT_TASK_ALL_TO_ALL, WEFT_TASK_COMPUTE, 8, STEPS),
                 WEFT_STATUS_OK);
    cr_assert_eq(weft_task_grid_create(&other, WEFT_TASK_STENCIL_1D, WEFT_TASK_COMPUTE, 8, STEPS),
                 WEFT_STATUS_OK);
    run_net(&grid, &other.edges);
}

// The access that makes an edge is the earlier node's where the later one has too many.
Test(taskgrid, many_inputs_make_the_same_edges) {
    static uint32_t first[202], from[200];
    weft_peer_edges edges = {201, first, from};
    for (uint32_t i = 0; i < 200; ++i)
        from[i] = i;
    first[201] = 200;
    static weft_net net;
    static step_context contexts[201];
    cr_assert_eq(weft_net_open(&net, &edges, step_system, contexts, sizeof(contexts[0])),
                 WEFT_STATUS_OK, "%s", net.rig.error);
    cr_expect_eq(weft_schedule_edge_count(net.rig.schedule), 200);
    cr_expect_eq(weft_schedule_stage_count(net.rig.schedule), 2);
    weft_net_close(&net);
}
