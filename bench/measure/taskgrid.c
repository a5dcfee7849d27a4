#include "taskgrid.h"

#include <stdlib.h>
#include <string.h>

enum {
    RADIX = 5,
    PERIOD = 3,
    BUFFER_LINES = 4096, // Of a column: 256 KiB.
    LINE_WORDS = 8
};

struct weft_task_line {
    _Alignas(64) weft_task_cell cell;
};

const char* const weft_task_pattern_names[WEFT_TASK_PATTERNS] = {
    "trivial", "stencil_1d", "fft", "tree", "nearest", "spread", "all_to_all",
};

const char* const weft_task_kernel_names[WEFT_TASK_KERNELS] = {"compute", "memory"};

// Patterns ---------------------------------------------------------------------------------------

static uint32_t width_at(const weft_task_grid* grid, uint32_t step) {
    if (grid->pattern != WEFT_TASK_TREE || step >= 31 || 1u << step > grid->width)
        return grid->width;
    return 1u << step;
}

// Columns from `low` to `high`, clipped.
static uint32_t list_range(const weft_task_grid* grid, int64_t low, int64_t high, uint32_t* out) {
    uint32_t count = 0;
    for (int64_t i = low < 0 ? 0 : low; i <= high && i < (int64_t)grid->width; ++i)
        out[count++] = (uint32_t)i;
    return count;
}

static uint32_t list_fft(const weft_task_grid* grid, uint32_t step, uint32_t column,
                         uint32_t* out) {
    uint32_t sets = 0;
    while (1u << sets < grid->width)
        ++sets;
    uint32_t distance = sets > 0 ? 1u << (step + sets - 1) % sets : 1;
    uint32_t count = 0;
    if (column >= distance)
        out[count++] = column - distance;
    out[count++] = column;
    if (column + distance < grid->width)
        out[count++] = column + distance;
    return count;
}

static uint32_t list_spread(const weft_task_grid* grid, uint32_t step, uint32_t column,
                            uint32_t* out) {
    bool taken[WEFT_TASK_WIDTH_MAX] = {false};
    uint32_t count = 0;
    for (uint32_t i = 0; i < RADIX; ++i)
        taken[(column + i * grid->width / RADIX + (i > 0 ? step % PERIOD : 0)) % grid->width] =
            true;
    for (uint32_t i = 0; i < grid->width; ++i) {
        if (taken[i])
            out[count++] = i;
    }
    return count;
}

// The columns of the step before that a task depends on, ascending.
static uint32_t list_inputs(const weft_task_grid* grid, uint32_t step, uint32_t column,
                            uint32_t out[WEFT_TASK_WIDTH_MAX]) {
    if (step == 0)
        return 0;
    switch (grid->pattern) {
    case WEFT_TASK_STENCIL_1D:
        return list_range(grid, (int64_t)column - 1, (int64_t)column + 1, out);
    case WEFT_TASK_FFT:
        return list_fft(grid, step, column, out);
    case WEFT_TASK_TREE:
        return list_range(grid, column / 2, column / 2, out);
    case WEFT_TASK_NEAREST:
        return list_range(grid, (int64_t)column - RADIX / 2, (int64_t)column + (RADIX - 1) / 2,
                          out);
    case WEFT_TASK_SPREAD:
        return list_spread(grid, step, column, out);
    case WEFT_TASK_ALL_TO_ALL:
        return list_range(grid, 0, (int64_t)grid->width - 1, out);
    default:
        return 0;
    }
}

static void fill_grid(weft_task_grid* grid, uint32_t* first, uint32_t* from) {
    uint32_t node = 0, edge = 0;
    for (uint32_t step = 0; step < grid->steps; ++step) {
        grid->step_first[step] = node;
        for (uint32_t column = 0; column < width_at(grid, step); ++column, ++node) {
            uint32_t inputs[WEFT_TASK_WIDTH_MAX];
            uint32_t count = list_inputs(grid, step, column, inputs);
            grid->column[node] = column;
            first[node] = edge;
            for (uint32_t k = 0; k < count; ++k)
                from[edge++] = grid->step_first[step - 1] + inputs[k];
        }
    }
    grid->step_first[grid->steps] = node;
    first[node] = edge;
    grid->edges = (weft_peer_edges){.node_count = node, .first = first, .from = from};
}

weft_status weft_task_grid_create(weft_task_grid* grid, weft_task_pattern pattern,
                                  weft_task_kernel kernel, uint32_t width, uint32_t steps) {
    WEFT_ASSERT(width > 0 && width <= WEFT_TASK_WIDTH_MAX && steps > 0);
    size_t nodes = (size_t)width * steps;
    size_t words = (size_t)width * BUFFER_LINES * LINE_WORDS;
    uint32_t* first = calloc(nodes + 1, sizeof(uint32_t));
    uint32_t* from = calloc(nodes * width, sizeof(uint32_t));
    *grid = (weft_task_grid){
        .pattern = pattern,
        .kernel = kernel,
        .width = width,
        .steps = steps,
        .edges = {.first = first, .from = from},
        .step_first = calloc((size_t)steps + 1, sizeof(uint32_t)),
        .column = calloc(nodes, sizeof(uint32_t)),
        .buffers = kernel == WEFT_TASK_MEMORY ? aligned_alloc(64, words * 8) : NULL,
    };
    if (!first || !from || !grid->step_first || !grid->column ||
        (kernel == WEFT_TASK_MEMORY && !grid->buffers))
        return WEFT_STATUS_OUT_OF_MEMORY;
    for (size_t i = 0; i < words && grid->buffers; ++i)
        grid->buffers[i] = i;
    fill_grid(grid, first, from);
    return WEFT_STATUS_OK;
}

void weft_task_grid_destroy(weft_task_grid* grid) {
    free((void*)(uintptr_t)grid->edges.first);
    free((void*)(uintptr_t)grid->edges.from);
    free(grid->step_first);
    free(grid->column);
    free(grid->buffers);
    *grid = (weft_task_grid){.width = 0};
}

// Tasks ------------------------------------------------------------------------------------------

static uint64_t mix(uint64_t value, uint64_t other) {
    value = (value ^ other) * UINT64_C(0x9E3779B97F4A7C15);
    return value ^ (value >> 29);
}

static uint64_t compute(uint64_t value, uint64_t iterations) {
    for (uint64_t i = 0; i < iterations; ++i) {
        value = value * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        __asm__ volatile("" : "+r"(value)); // No closed form.
    }
    return value;
}

// Each iteration reads a line of the column's buffer. Nothing is written there, since tasks of one
// column need not depend on each other.
static uint64_t read_lines(const uint64_t* buffer, uint64_t value, uint64_t iterations) {
    uint64_t at = value % BUFFER_LINES;
    for (uint64_t i = 0; i < iterations; ++i) {
        const uint64_t* line = buffer + at * LINE_WORDS;
        for (uint32_t k = 0; k < LINE_WORDS; ++k)
            value += line[k];
        at = at + 1 < BUFFER_LINES ? at + 1 : 0;
    }
    return value;
}

void weft_task_run(const weft_task_grid* grid, uint32_t node, const weft_task_cell* const* inputs,
                   uint32_t input_count, weft_task_cell* output) {
    uint64_t runs = output->runs + 1;
    uint64_t value = mix(node, runs);
    bool wrong = false;
    for (uint32_t k = 0; k < input_count; ++k) {
        wrong = wrong || inputs[k]->runs != runs;
        value = mix(value, inputs[k]->value);
    }
    if (grid->kernel == WEFT_TASK_COMPUTE) {
        value = compute(value, grid->iterations);
    } else {
        size_t column = grid->column[node];
        value =
            read_lines(grid->buffers + column * BUFFER_LINES * LINE_WORDS, value, grid->iterations);
    }
    output->value = value;
    output->runs = wrong ? runs | UINT64_C(1) << 63 : runs;
}

// Cells ------------------------------------------------------------------------------------------

weft_status weft_task_cells_create(weft_task_cells* cells, const weft_task_grid* grid) {
    size_t size = grid->edges.node_count * sizeof(struct weft_task_line);
    *cells = (weft_task_cells){.grid = grid, .lines = aligned_alloc(64, size)};
    if (!cells->lines)
        return WEFT_STATUS_OUT_OF_MEMORY;
    memset(cells->lines, 0, size);
    return WEFT_STATUS_OK;
}

void weft_task_cells_destroy(weft_task_cells* cells) {
    free(cells->lines);
    cells->lines = NULL;
}

weft_task_cell* weft_task_cell_of(const weft_task_cells* cells, uint32_t node) {
    return &cells->lines[node].cell;
}

void weft_task_node(void* context, uint32_t node) {
    weft_task_cells* cells = context;
    const weft_peer_edges* edges = &cells->grid->edges;
    const weft_task_cell* inputs[WEFT_TASK_WIDTH_MAX];
    const uint32_t* from = edges->from + edges->first[node];
    uint32_t count = edges->first[node + 1] - edges->first[node];
    for (uint32_t k = 0; k < count; ++k)
        inputs[k] = &cells->lines[from[k]].cell;
    weft_task_run(cells->grid, node, inputs, count, &cells->lines[node].cell);
}

void weft_task_columns(void* context, uint64_t sweep, size_t first, size_t end) {
    const weft_task_cells* cells = context;
    const uint32_t* step = cells->grid->step_first + sweep % cells->grid->steps;
    for (size_t i = first; i < end && step[0] + i < step[1]; ++i)
        weft_task_node(context, step[0] + (uint32_t)i);
}

void weft_task_nodes(void* context, uint64_t sweep, size_t first, size_t end) {
    (void)sweep;
    for (size_t i = first; i < end; ++i)
        weft_task_node(context, (uint32_t)i);
}

void weft_task_rows(const weft_task_grid* grid, const uint32_t* nodes, weft_task_cell* cells,
                    size_t count) {
    for (size_t i = 0; i < count; ++i)
        weft_task_run(grid, nodes[i], NULL, 0, &cells[i]);
}

void weft_task_serial(weft_task_cells* cells) {
    for (uint32_t node = 0; node < cells->grid->edges.node_count; ++node)
        weft_task_node(cells, node);
}
