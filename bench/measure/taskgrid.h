/// The grid of Task Bench (Slaughter et al., SC20): `width` columns times `steps` timesteps. A task
/// depends on tasks of the step before, by a pattern.
///
/// A task combines its inputs, runs a kernel on them and writes a cell of its own. A cell counts
/// how often it was written, and a task sees by this whether its inputs are of its own run: so
/// every run checks itself, and a dependence that was not kept stays visible to the end.
#pragma once

#include <weft/type.h>

#include "peer.h"

typedef enum weft_task_pattern {
    WEFT_TASK_TRIVIAL,    // On nothing.
    WEFT_TASK_STENCIL_1D, // On its column and its neighbours.
    WEFT_TASK_FFT,        // On its column and those 1, 2, 4, ... away, in turn.
    WEFT_TASK_TREE,       // On half its column; a step is twice as wide as the one before.
    WEFT_TASK_NEAREST,    // On the 5 nearest.
    WEFT_TASK_SPREAD,     // On 5 spread evenly, shifted from step to step, with a period of 3.
    WEFT_TASK_ALL_TO_ALL, // On all.
    WEFT_TASK_PATTERNS
} weft_task_pattern;

/// "trivial", "stencil_1d", ...
extern const char* const weft_task_pattern_names[WEFT_TASK_PATTERNS];

typedef enum weft_task_kernel {
    WEFT_TASK_COMPUTE, // An integer recurrence.
    WEFT_TASK_MEMORY,  // Reads of a buffer of the column's, of a fixed size.
    WEFT_TASK_KERNELS
} weft_task_kernel;

extern const char* const weft_task_kernel_names[WEFT_TASK_KERNELS];

#define WEFT_TASK_WIDTH_MAX 16

typedef struct weft_task_grid {
    weft_task_pattern pattern;
    weft_task_kernel kernel;
    uint32_t width;
    uint32_t steps;
    weft_peer_edges edges; // Nodes are tasks, step by step.
    uint32_t* step_first;  // steps + 1: the first node of each.
    uint32_t* column;      // Of each node.
    uint64_t iterations;   // Of each task's kernel. May be changed between runs.
    uint64_t* buffers;     // Of all columns; the memory kernel's.
} weft_task_grid;

/// OUT_OF_MEMORY. Destroy it all the same.
weft_status weft_task_grid_create(weft_task_grid* grid, weft_task_pattern pattern,
                                  weft_task_kernel kernel, uint32_t width, uint32_t steps);
void weft_task_grid_destroy(weft_task_grid* grid);

/// What a task writes: how often it did so, more than 2^63 after a wrong input, and a value.
WEFT_COMPONENT(TaskCell, (uint64_t, runs), (uint64_t, value));
typedef TaskCell weft_task_cell;

/// One task. `inputs` are in the order of the grid's edges, all of them.
void weft_task_run(const weft_task_grid* grid, uint32_t node, const weft_task_cell* const* inputs,
                   uint32_t input_count, weft_task_cell* output);

/// The cells of one run of a grid, each on a cache line of its own.
typedef struct weft_task_cells {
    const weft_task_grid* grid;
    struct weft_task_line* lines;
} weft_task_cells;

weft_status weft_task_cells_create(weft_task_cells* cells, const weft_task_grid* grid);
void weft_task_cells_destroy(weft_task_cells* cells);

/// The cell of a node.
weft_task_cell* weft_task_cell_of(const weft_task_cells* cells, uint32_t node);

/// A weft_peer_node whose context is weft_task_cells.
void weft_task_node(void* cells, uint32_t node);

/// A weft_peer_range over the columns of a step whose context is weft_task_cells; sweep n is step
/// n % steps.
void weft_task_columns(void* cells, uint64_t sweep, size_t first, size_t end);

/// A weft_peer_range over all nodes, for the pattern that has no dependences.
void weft_task_nodes(void* cells, uint64_t sweep, size_t first, size_t end);

/// Tasks without inputs, `count` of them, each with a cell of its own.
void weft_task_rows(const weft_task_grid* grid, const uint32_t* nodes, weft_task_cell* cells,
                    size_t count);

/// Runs the grid once, in order.
void weft_task_serial(weft_task_cells* cells);
