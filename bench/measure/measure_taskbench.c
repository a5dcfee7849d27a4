/// METG(50%), as the Task Bench paper defines it: the smallest granularity of tasks at which a run
/// still reaches half of the rate that this machine reaches with large tasks.
///
/// The granularity is wall time x workers / tasks. Each alternative's kernel is shortened until the
/// efficiency is between two near values, one above a half; then both are sampled in rounds, side
/// by side with all other alternatives and with the peak, and each round gives one METG by log-log
/// interpolation.
///
/// Weft runs a grid as systems of the world, one for each task, so that a tick is a block of steps
/// and stages carry the dependences; tasks without dependences are the rows of one system.

#include "net.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

WEFT_COMPONENT(BenchTask, (uint32_t, node));

enum {
    STEPS = 96,          // A multiple of all periods of the patterns.
    STEPS_TRIVIAL = 480, // Of the pattern whose runs have no join but the last.
    STEPS_QUICK = 12,
    PEAK_ITERATIONS = 20000,
    ITERATIONS_MAX = 1 << 17, // About 150 us: half of the peak is never reached.
    CHECK_RUNS = 3,
    LEARN_RUNS = 24,  // In which a new executor finds out how to run its stages.
    WARM_NS = 300000, // Before each sample: sleepers wake, and caches fill.
    FORMS_MAX = 2 * WEFT_PEERS_MAX + 1,
    CASES_MAX = 2 * FORMS_MAX + 1
};

// One task of Weft's.
typedef struct system_context {
    const struct form* form;
    uint32_t node;
} system_context;

// One way of running the grid.
typedef struct form {
    const char* name;
    struct field* field;
    bool rival;
    uint64_t runs; // Of the grid so far.
    // A peer's, with a graph or without.
    const weft_peer_team* team;
    void* graph;
    weft_peer_loop loop;
    uint32_t sweeps; // Of a run of the grid.
    weft_task_cells cells;
    // Weft's.
    weft_net net;
    system_context* contexts;
    weft_peer_mask own;
    uint32_t executor; // That runs next.
} form;

// A form with so many iterations, as a case of the measurement. Weft's executors learn what stages
// cost, so each point has one of its own.
typedef struct point {
    form* form;
    uint64_t iterations;
    uint32_t executor;
} point;

// All that is compared on one grid.
typedef struct field {
    const weft_measure_options* options;
    const weft_peer_place* place;
    const weft_peer_teams* teams;
    weft_task_grid grid;
    weft_task_cells expected;
    form forms[FORMS_MAX];
    uint32_t form_count;
    point points[CASES_MAX];
    weft_case cases[CASES_MAX]; // The peak, then two for each form.
    bool reached[FORMS_MAX];
    weft_task_grid peak_grid; // A large task for each worker.
    weft_task_cells peak_cells;
    const char* error; // The form whose tasks had wrong inputs.
} field;

// Weft's form ------------------------------------------------------------------------------------

static weft_status task_system(weft_view* view, const void* context) {
    const system_context* one = context;
    const weft_task_grid* grid = &one->form->field->grid;
    const weft_net* net = &one->form->net;
    const weft_task_cell* inputs[WEFT_TASK_WIDTH_MAX];
    const uint32_t* from = grid->edges.from + grid->edges.first[one->node];
    uint32_t count = grid->edges.first[one->node + 1] - grid->edges.first[one->node];
    for (uint32_t k = 0; k < count; ++k)
        inputs[k] = weft_view_resource(view, weft_net_type(net, from[k]));
    weft_task_run(grid, one->node, inputs, count,
                  weft_view_resource_write(view, weft_net_type(net, one->node)));
    return WEFT_STATUS_OK;
}

static weft_status rows_system(weft_view* view, const void* context) {
    const system_context* one = context;
    const uint32_t* nodes = (const uint32_t*)(const void*)WEFT_READ(view, BenchTask);
    weft_task_cell* cells = WEFT_WRITE(view, TaskCell);
    weft_task_rows(&one->form->field->grid, nodes, cells, weft_view_row_count(view));
    return WEFT_STATUS_OK;
}

#define SHARD_SLOTS 4096

// Each column's tasks in a shard of their own: what a shard has left is filled, and emptied again.
static weft_status add_rows(form* one) {
    weft_rig* rig = &one->net.rig;
    const weft_task_grid* grid = &one->field->grid;
    weft_commands* commands = weft_world_commands(rig->world);
    for (uint32_t column = 0; column < grid->width; ++column) {
        for (uint32_t step = 0; step < SHARD_SLOTS; ++step) {
            if (step < grid->steps)
                WEFT_CREATE(commands, 0, WEFT_VALUE(TaskCell, {0, 0}),
                            WEFT_VALUE(BenchTask, {grid->step_first[step] + column}));
            else
                weft_commands_create(commands, 0);
        }
    }
    WEFT_TRY(weft_world_commit(rig->world));
    weft_cursor cursor = weft_world_visit(rig->world, NULL, 0);
    while (weft_cursor_next(&cursor)) {
        for (uint32_t row = 0; row < cursor.row_count; ++row) {
            if (!weft_world_read(rig->world, cursor.entities[row], WEFT_TYPE(BenchTask)))
                weft_commands_destroy(commands, 0, cursor.entities[row]);
        }
    }
    return weft_world_commit(rig->world);
}

static weft_status open_rows(form* one) {
    static const weft_module module = {.abi = WEFT_MODULE_ABI, .name = "taskbench"};
    weft_rig* rig = &one->net.rig;
    rig->module = &module;
    weft_world_desc desc = weft_world_desc_default();
    weft_memory memory = weft_memory_system();
    WEFT_TRY(weft_world_create(&desc, &memory, &rig->world));
    WEFT_TRY(weft_schedule_create(rig->world, &rig->schedule));
    WEFT_TRY(weft_world_register_component(rig->world, WEFT_TYPE(TaskCell), WEFT_STORAGE_DENSE));
    WEFT_TRY(weft_world_register_component(rig->world, WEFT_TYPE(BenchTask), WEFT_STORAGE_DENSE));
    WEFT_TRY(weft_schedule_add_system(
        rig->schedule, WEFT_SYSTEM("tasks", rows_system, .context = one->contexts,
                                   WEFT_ACCESS(WEFT_WRITES(TaskCell), WEFT_READS(BenchTask)))));
    WEFT_TRY(add_rows(one));
    return weft_schedule_build(rig->schedule);
}

// The iterations are in the context and change between ticks: a host that wants its runs repeated
// posts such a thing as an input.
static weft_status add_weft(field* all) {
    form* one = &all->forms[all->form_count++];
    *one = (form){.name = "weft", .field = all};
    uint32_t count = all->grid.edges.node_count;
    one->contexts = calloc(count, sizeof(*one->contexts));
    if (!one->contexts)
        return WEFT_STATUS_OUT_OF_MEMORY;
    for (uint32_t node = 0; node < count; ++node)
        one->contexts[node] = (system_context){one, node};
    if (all->grid.pattern == WEFT_TASK_TRIVIAL)
        WEFT_TRY(open_rows(one));
    else
        WEFT_TRY(weft_net_open(&one->net, &all->grid.edges, task_system, one->contexts,
                               sizeof(*one->contexts)));
    return WEFT_STATUS_OK;
}

static const weft_task_cell* cell_of(const form* one, uint32_t node) {
    if (one->team)
        return weft_task_cell_of(&one->cells, node);
    if (one->field->grid.pattern != WEFT_TASK_TRIVIAL)
        return weft_world_resource(one->net.rig.world, weft_net_type(&one->net, node));
    return NULL; // In rows.
}

// Peers' forms -----------------------------------------------------------------------------------

static weft_status add_graph(field* all, const weft_peer_team* team) {
    form* one = &all->forms[all->form_count++];
    *one = (form){
        .name = team->peer->graph_name, .field = all, .rival = !team->peer->bound, .team = team};
    WEFT_TRY(weft_task_cells_create(&one->cells, &all->grid));
    return team->peer->graph_create(team->team, &all->grid.edges, weft_task_node, &one->cells,
                                    &one->graph);
}

static weft_status add_loop(field* all, const weft_peer_team* team) {
    form* one = &all->forms[all->form_count++];
    bool trivial = all->grid.pattern == WEFT_TASK_TRIVIAL;
    size_t count = trivial ? all->grid.edges.node_count : all->grid.width;
    uint32_t workers = all->place->worker_count;
    *one = (form){.name = team->peer->loop_name,
                  .field = all,
                  .rival = !team->peer->bound,
                  .team = team,
                  .sweeps = trivial ? 1 : all->grid.steps};
    one->loop = (weft_peer_loop){.count = count,
                                 .grain = (count + workers - 1) / workers,
                                 .run = trivial ? weft_task_nodes : weft_task_columns,
                                 .context = &one->cells};
    return weft_task_cells_create(&one->cells, &all->grid);
}

// Running ----------------------------------------------------------------------------------------

static weft_status run_form(form* one, uint64_t repeat) {
    one->runs += repeat;
    if (!one->team) {
        weft_rig_side side = {.rig = &one->net.rig, .executor = one->executor};
        return weft_rig_run(&side, repeat);
    }
    const weft_peer* peer = one->team->peer;
    if (one->graph)
        peer->graph_run(one->graph, repeat);
    else
        peer->sweep(one->team->team, &one->loop, repeat * one->sweeps);
    return WEFT_STATUS_OK;
}

static void wake_form(form* one) {
    if (one->team)
        one->team->peer->wake(one->team->team);
    else
        weft_peer_pin(one->field->place, &one->own);
}

static void rest_form(form* one) {
    if (one->team) {
        one->team->peer->rest(one->team->team);
        return;
    }
    weft_peer_unpin(&one->own);
    weft_peer_settle();
}

// Whatever is to be found out or set up before runs of these iterations.
static weft_status open_point(point* at) {
    form* one = at->form;
    one->field->grid.iterations = at->iterations;
    if (one->team)
        return WEFT_STATUS_OK;
    const weft_peer_place* place = one->field->place;
    weft_executor_desc desc = weft_rig_threads(place->worker_count, place->topology);
    at->executor = one->net.rig.executor_count;
    one->executor = at->executor;
    WEFT_TRY(weft_rig_add(&one->net.rig, &desc));
    wake_form(one);
    weft_status status = run_form(one, LEARN_RUNS);
    rest_form(one);
    return status;
}

// The last one that was opened.
static void close_point(const point* at) {
    weft_rig* rig = &at->form->net.rig;
    if (!at->form->team && rig->executor_count > 0)
        weft_executor_destroy(rig->executor[--rig->executor_count]);
}

static void prepare_point(void* context) {
    const point* at = context;
    uint64_t start = weft_measure_now_ns();
    at->form->field->grid.iterations = at->iterations;
    at->form->executor = at->executor;
    wake_form(at->form);
    do
        (void)!run_form(at->form, 1); // A failure comes again in the run.
    while (weft_measure_now_ns() - start < WARM_NS);
}

static weft_status run_point(void* context, uint64_t repeat) {
    return run_form(((const point*)context)->form, repeat);
}

static void finish_point(void* context) {
    rest_form(((const point*)context)->form);
}

// The peak: large tasks without dependences, one on every worker, by hand.
static void prepare_peak(void* context) {
    const field* all = context;
    all->teams->team[0].peer->wake(all->teams->team[0].team);
}

static weft_status run_peak(void* context, uint64_t repeat) {
    field* all = context;
    weft_peer_loop loop = {.count = all->peak_grid.width,
                           .grain = 1,
                           .run = weft_task_nodes,
                           .context = &all->peak_cells};
    all->teams->team[0].peer->sweep(all->teams->team[0].team, &loop, repeat);
    return WEFT_STATUS_OK;
}

static void finish_peak(void* context) {
    const field* all = context;
    all->teams->team[0].peer->rest(all->teams->team[0].team);
}

// Checking ---------------------------------------------------------------------------------------

static bool same_cell(const form* one, uint32_t node, const weft_task_cell* cell) {
    const weft_task_cell* expected = weft_task_cell_of(&one->field->expected, node);
    return cell->runs == expected->runs && cell->value == expected->value;
}

// Whether all cells hold what the serial run gives.
static bool same_cells(const form* one) {
    static const weft_access terms[] = {WEFT_READS(TaskCell), WEFT_READS(BenchTask)};
    bool same = true;
    if (one->team || one->field->grid.pattern != WEFT_TASK_TRIVIAL) {
        for (uint32_t node = 0; node < one->field->grid.edges.node_count; ++node)
            same = same && same_cell(one, node, cell_of(one, node));
        return same;
    }
    weft_cursor cursor = weft_world_visit(one->net.rig.world, terms, 2);
    while (weft_cursor_next(&cursor)) {
        const TaskCell* cell = WEFT_CURSOR_COLUMN(&cursor, TaskCell);
        const BenchTask* task = WEFT_CURSOR_COLUMN(&cursor, BenchTask);
        for (uint32_t row = 0; row < cursor.row_count; ++row)
            same = same && same_cell(one, task[row].node, &cell[row]);
    }
    return same;
}

// After all samples: no task of any run had a wrong input.
static bool kept_order(const form* one) {
    bool kept = true;
    if (!one->team && one->field->grid.pattern == WEFT_TASK_TRIVIAL)
        return true; // No inputs.
    for (uint32_t node = 0; node < one->field->grid.edges.node_count; ++node)
        kept = kept && cell_of(one, node)->runs == one->runs;
    return kept;
}

static weft_status run_checked(form* one) {
    const weft_peer_place* place = one->field->place;
    weft_executor_desc desc = weft_rig_threads(place->worker_count, place->topology);
    if (!one->team)
        WEFT_TRY(weft_rig_add(&one->net.rig, &desc));
    wake_form(one);
    weft_status status = run_form(one, CHECK_RUNS);
    rest_form(one);
    close_point(&(point){.form = one});
    return status;
}

static weft_status check_forms(field* all) {
    all->grid.iterations = 3;
    for (uint32_t run = 0; run < CHECK_RUNS; ++run)
        weft_task_serial(&all->expected);
    for (uint32_t i = 0; i < all->form_count; ++i) {
        form* one = &all->forms[i];
        WEFT_TRY(run_checked(one));
        if (!same_cells(one)) {
            all->error = one->name;
            return WEFT_STATUS_DIVERGED;
        }
    }
    return WEFT_STATUS_OK;
}

// Finding METG -----------------------------------------------------------------------------------

// Workers' time for each task.
static double granularity(const field* all, double run_ns) {
    return run_ns * all->place->worker_count / all->grid.edges.node_count;
}

// Nanoseconds of one run of the grid: the least of three short samples.
static weft_status probe(form* one, uint64_t iterations, double* run_ns) {
    point at = {.form = one, .iterations = iterations};
    WEFT_TRY(open_point(&at));
    weft_status status = WEFT_STATUS_OK;
    prepare_point(&at);
    *run_ns = INFINITY;
    for (uint32_t i = 0; i < 3 && status == WEFT_STATUS_OK; ++i) {
        uint64_t start = weft_measure_now_ns();
        uint64_t elapsed = 0;
        uint32_t runs = 0;
        for (; elapsed < 300000 && status == WEFT_STATUS_OK; ++runs) {
            status = run_form(one, 1);
            elapsed = weft_measure_now_ns() - start;
        }
        double here = (double)elapsed / runs;
        *run_ns = here < *run_ns ? here : *run_ns;
    }
    finish_point(&at);
    close_point(&at);
    return status;
}

static weft_status probe_half(form* one, uint64_t iterations, double iteration_ns, bool* good) {
    double run_ns;
    WEFT_TRY(probe(one, iterations, &run_ns));
    *good = (double)iterations * iteration_ns >= granularity(one->field, run_ns) / 2;
    return WEFT_STATUS_OK;
}

// Two counts of iterations, near together, with half of the peak between them.
static weft_status find_points(form* one, double iteration_ns, uint64_t found[2], bool* reached) {
    double run_ns;
    bool good;
    WEFT_TRY(probe(one, 1, &run_ns));
    uint64_t at = (uint64_t)(granularity(one->field, run_ns) / iteration_ns / 4) + 1;
    at = at < ITERATIONS_MAX / 2 ? at : ITERATIONS_MAX / 2;
    WEFT_TRY(probe_half(one, at, iteration_ns, &good));
    uint64_t low = at, high = at;
    *reached = good;
    while (good && low > 1) {
        high = low;
        low /= 2;
        WEFT_TRY(probe_half(one, low, iteration_ns, &good));
    }
    while (!*reached && high < ITERATIONS_MAX) {
        low = high;
        high *= 2;
        WEFT_TRY(probe_half(one, high, iteration_ns, reached));
    }
    for (uint32_t i = 0; i < 3 && *reached && high > low + 1; ++i) {
        uint64_t middle = (uint64_t)sqrt((double)low * (double)high);
        middle = middle > low ? middle : low + 1;
        WEFT_TRY(probe_half(one, middle, iteration_ns, &good));
        if (good)
            high = middle;
        else
            low = middle;
    }
    found[0] = low - low / 10;
    found[1] = high + high / 10 > found[0] ? high + high / 10 : found[0] + 1;
    return WEFT_STATUS_OK;
}

// The granularity at half of the peak, on the line through both points in log-log. Noise must not
// turn the line: with overhead alone its slope is 1 there.
static double interpolate(const double grain[2], const double efficiency[2]) {
    double run = log(grain[1] / grain[0]);
    double slope = run > 0.02 ? log(efficiency[1] / efficiency[0]) / run : 1;
    slope = slope > 0.5 && slope < 4 ? slope : 1;
    double middle_grain = sqrt(grain[0] * grain[1]);
    double middle_efficiency = sqrt(efficiency[0] * efficiency[1]);
    return middle_grain * exp(log(0.5 / middle_efficiency) / slope);
}

// By round, in nanoseconds.
static weft_series metg_of(const field* all, uint32_t index) {
    weft_series iterations = all->cases[0].series; // Sorted by the median; rounds stay in order.
    double iteration_ns = weft_statistics_median(iterations.value, iterations.count);
    const weft_case* cases = &all->cases[1 + 2 * index];
    const point* points = &all->points[1 + 2 * index];
    weft_series metg = {.disturbed = cases[1].series.disturbed};
    for (uint32_t round = 0; round < cases[0].series.count; ++round) {
        double grain[2], efficiency[2];
        for (uint32_t k = 0; k < 2; ++k) {
            grain[k] = granularity(all, cases[k].series.value[round]);
            efficiency[k] = (double)points[k].iterations * iteration_ns / grain[k];
        }
        weft_series_add(&metg, all->reached[index] ? interpolate(grain, efficiency) : grain[1]);
    }
    return metg;
}

// Measuring --------------------------------------------------------------------------------------

static weft_status choose_points(field* all) {
    double best = INFINITY;
    prepare_peak(all);
    for (uint32_t i = 0; i < 5; ++i) {
        uint64_t start = weft_measure_now_ns();
        (void)!run_peak(all, 20);
        double here = (double)(weft_measure_now_ns() - start) / (20.0 * PEAK_ITERATIONS);
        best = here < best ? here : best;
    }
    finish_peak(all);
    for (uint32_t i = 0; i < all->form_count; ++i) {
        uint64_t found[2] = {20, 80};
        all->reached[i] = true;
        if (!all->options->quick)
            WEFT_TRY(find_points(&all->forms[i], best, found, &all->reached[i]));
        for (uint32_t k = 0; k < 2; ++k) {
            point* at = &all->points[1 + 2 * i + k];
            *at = (point){.form = &all->forms[i], .iterations = found[k]};
            WEFT_TRY(open_point(at));
        }
    }
    return WEFT_STATUS_OK;
}

static weft_status sample(field* all) {
    weft_sampling sampling = weft_sampling_of(all->options);
    if (!all->options->quick)
        sampling = (weft_sampling){.sample_ns = 2000000, .samples = 9};
    all->cases[0] = (weft_case){.name = "peak",
                                .prepare = prepare_peak,
                                .run = run_peak,
                                .finish = finish_peak,
                                .context = all,
                                .units = PEAK_ITERATIONS};
    uint32_t count = 1 + 2 * all->form_count;
    for (uint32_t i = 1; i < count; ++i)
        all->cases[i] = (weft_case){.name = all->points[i].form->name,
                                    .prepare = prepare_point,
                                    .run = run_point,
                                    .finish = finish_point,
                                    .context = &all->points[i],
                                    .units = 1,
                                    .restless = all->points[i].form->team != NULL};
    WEFT_TRY(weft_measure_cases(all->options, weft_task_pattern_names[all->grid.pattern], sampling,
                                all->cases, count));
    for (uint32_t i = 0; i < all->form_count; ++i) {
        if (!kept_order(&all->forms[i])) {
            all->error = all->forms[i].name;
            return WEFT_STATUS_DIVERGED;
        }
    }
    return WEFT_STATUS_OK;
}

static void fill(const field* all, weft_measure_table* table) {
    weft_series own = metg_of(all, 0);
    weft_series best = {.count = 0};
    char what[64];
    snprintf(what, sizeof(what), "%s, width %u, %s", weft_task_pattern_names[all->grid.pattern],
             all->grid.width, weft_task_kernel_names[all->grid.kernel]);
    for (uint32_t i = 0; i < all->form_count; ++i) {
        weft_series metg = metg_of(all, i);
        weft_measure_row* row =
            weft_measure_add(table, "us", &metg, 0.001, "%s: %s", what, all->forms[i].name);
        if (!all->reached[i])
            snprintf(row->note, sizeof(row->note), "half of the peak was not reached");
        if (!all->forms[i].rival || !all->reached[i])
            continue;
        if (best.count == 0)
            best = metg;
        for (uint32_t k = 0; k < best.count; ++k)
            best.value[k] = metg.value[k] < best.value[k] ? metg.value[k] : best.value[k];
    }
    if (best.count == 0)
        return;
    weft_series ratio = weft_series_ratio(&own, &best);
    weft_measure_row* row =
        weft_measure_add(table, "ratio", &ratio, 1, "%s: weft against the best peer", what);
    if (all->place->worker_count == 2)
        weft_measure_target(all->options, row, WEFT_MEASURE_AT_MOST, 1.0);
}

static weft_status open_forms(field* all, weft_task_kernel kernel) {
    WEFT_TRY(weft_task_cells_create(&all->expected, &all->grid));
    WEFT_TRY(weft_task_grid_create(&all->peak_grid, WEFT_TASK_TRIVIAL, kernel,
                                   all->place->worker_count, 1));
    WEFT_TRY(weft_task_cells_create(&all->peak_cells, &all->peak_grid));
    all->peak_grid.iterations = PEAK_ITERATIONS;
    WEFT_TRY(add_weft(all));
    for (uint32_t i = 0; i < all->teams->count; ++i) {
        const weft_peer_team* team = &all->teams->team[i];
        if (team->peer->graph_create)
            WEFT_TRY(add_graph(all, team));
        if (team->peer->sweep)
            WEFT_TRY(add_loop(all, team));
    }
    return WEFT_STATUS_OK;
}

static void close_forms(field* all) {
    for (uint32_t i = 0; i < all->form_count; ++i) {
        form* one = &all->forms[i];
        if (one->graph)
            one->team->peer->graph_destroy(one->graph);
        weft_net_close(&one->net);
        free(one->contexts);
        weft_task_cells_destroy(&one->cells);
    }
    weft_task_cells_destroy(&all->expected);
    weft_task_cells_destroy(&all->peak_cells);
    weft_task_grid_destroy(&all->peak_grid);
    weft_task_grid_destroy(&all->grid);
}

typedef struct grid_desc {
    weft_task_pattern pattern;
    weft_task_kernel kernel;
    uint32_t width;
} grid_desc;

static weft_status measure(field* all, grid_desc desc, weft_measure_table* table) {
    weft_status status = weft_task_grid_create(&all->grid, desc.pattern, desc.kernel, desc.width,
                                               all->options->quick ? (uint32_t)STEPS_QUICK : STEPS);
    if (status == WEFT_STATUS_OK)
        status = open_forms(all, desc.kernel);
    if (status == WEFT_STATUS_OK)
        status = check_forms(all);
    if (status == WEFT_STATUS_OK)
        status = choose_points(all);
    if (status == WEFT_STATUS_OK)
        status = sample(all);
    if (status == WEFT_STATUS_OK)
        fill(all, table);
    else if (status == WEFT_STATUS_DIVERGED && all->error)
        snprintf(table->error, sizeof(table->error),
                 "taskbench, %s of width %u: %s runs in a "
                 "wrong order",
                 weft_task_pattern_names[desc.pattern], desc.width, all->error);
    else
        snprintf(table->error, sizeof(table->error), "taskbench: %s",
                 all->form_count > 0 && all->forms[0].net.rig.error[0] ? all->forms[0].net.rig.error
                                                                       : weft_status_text(status));
    close_forms(all);
    return status;
}

// All patterns in widths 2 and 8, and with the memory kernel in width 2.
static weft_status measure_all(const weft_measure_options* options, const weft_peer_place* place,
                               weft_measure_table* table) {
    weft_peer_teams teams;
    WEFT_TRY(weft_peers_open(place, &teams));
    weft_status status = WEFT_STATUS_OK;
    for (uint32_t i = 0; i < 3 * WEFT_TASK_PATTERNS && status == WEFT_STATUS_OK; ++i) {
        grid_desc desc = {(weft_task_pattern)(i % WEFT_TASK_PATTERNS),
                          i / WEFT_TASK_PATTERNS == 2 ? WEFT_TASK_MEMORY : WEFT_TASK_COMPUTE,
                          i / WEFT_TASK_PATTERNS == 1 ? 8 : 2};
        if (options->quick && i % 3 != 0)
            continue;
        field* all = calloc(1, sizeof(field));
        status = WEFT_STATUS_OUT_OF_MEMORY;
        if (all) {
            *all = (field){.options = options, .place = place, .teams = &teams};
            status = measure(all, desc, table);
            free(all);
        }
    }
    weft_peers_close(&teams);
    return status;
}

static weft_status run(const weft_measure_options* options, weft_measure_table* table) {
    weft_topology* topology = NULL;
    weft_peer_place place = {.worker_count = 0};
    weft_peers_describe(table->note, sizeof(table->note));
    weft_status status = weft_topology_create(NULL, &topology);
    if (status == WEFT_STATUS_OK)
        status = weft_peer_place_choose(topology, options->worker_max == 1 ? 1 : 2, &place);
    if (status == WEFT_STATUS_UNSUPPORTED) // One CPU.
        status = weft_peer_place_choose(topology, 1, &place);
    snprintf(table->title, sizeof(table->title), "METG(50%%) of Task Bench's patterns, %u worker%s",
             place.worker_count, place.worker_count == 1 ? "" : "s");
    if (status == WEFT_STATUS_OK)
        status = measure_all(options, &place, table);
    if (status != WEFT_STATUS_OK && table->error[0] == '\0')
        snprintf(table->error, sizeof(table->error), "taskbench: %s", weft_status_text(status));
    weft_topology_destroy(topology);
    return status;
}

const weft_measure weft_measure_taskbench = {
    .name = "taskbench",
    .summary = "the smallest tasks that still pay (METG), against other runtimes",
    .run = run,
};
