/// A static graph of empty tasks, run again and again: what a runtime itself costs.
///
/// Weft's graph is one of systems whose accesses make exactly the edges; a run is a tick. Each
/// alternative is first checked with tasks that look whether their predecessors have run.

#include "net.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    NODES_MAX = 100,
    EDGES_MAX = 3 * NODES_MAX,
    CASES_MAX = WEFT_PEERS_MAX + 1,
    CHECK_RUNS = 5
};

typedef struct dag {
    weft_peer_edges edges;
    uint32_t first[NODES_MAX + 1];
    uint32_t from[EDGES_MAX];
} dag;

// Shapes -----------------------------------------------------------------------------------------

static void begin_node(dag* graph) {
    uint32_t node = graph->edges.node_count++;
    graph->first[node + 1] = graph->first[node];
}

static void wait_for(dag* graph, uint32_t from) {
    uint32_t* end = &graph->first[graph->edges.node_count];
    for (uint32_t k = graph->first[graph->edges.node_count - 1]; k < *end; ++k) {
        if (graph->from[k] == from)
            return;
    }
    WEFT_ASSERT(*end < EDGES_MAX);
    graph->from[(*end)++] = from;
}

static void make_chain(dag* graph, uint32_t count) {
    for (uint32_t node = 0; node < count; ++node) {
        begin_node(graph);
        if (node > 0)
            wait_for(graph, node - 1);
    }
}

// One, all but two, one.
static void make_fan(dag* graph, uint32_t count) {
    for (uint32_t node = 0; node < count; ++node) {
        begin_node(graph);
        if (node > 0 && node + 1 < count)
            wait_for(graph, 0);
    }
    for (uint32_t node = 1; node + 1 < count; ++node)
        wait_for(graph, node);
}

// Layers of a tenth of the nodes, at least two; each node waits for one to three of the layer
// before.
static void make_layered(dag* graph, uint32_t count) {
    uint32_t width = count / 10 > 2 ? count / 10 : 2;
    uint32_t state = 20;
    for (uint32_t node = 0; node < count; ++node) {
        begin_node(graph);
        uint32_t layer = node / width * width;
        state = state * 1664525u + 1013904223u;
        uint32_t waits = layer == 0 ? 0 : 1 + (state >> 16) % 3;
        for (uint32_t k = 0; k < waits; ++k) {
            state = state * 1664525u + 1013904223u;
            wait_for(graph, layer - width + (state >> 16) % width);
        }
    }
}

static const struct {
    const char* name;
    void (*make)(dag* graph, uint32_t count);
} shapes[] = {{"chain", make_chain}, {"fan", make_fan}, {"layered", make_layered}};

static const uint32_t sizes[] = {10, NODES_MAX};

// Checking ---------------------------------------------------------------------------------------

// What ran so far, by node.
typedef struct watch {
    const weft_peer_edges* edges;
    atomic_uint runs[NODES_MAX];
    atomic_uint too_early;
} watch;

typedef struct watch_context {
    watch* all;
    uint32_t node;
} watch_context;

static void watch_node(void* context, uint32_t node) {
    watch* all = context;
    unsigned runs = atomic_fetch_add(&all->runs[node], 1) + 1;
    for (uint32_t k = all->edges->first[node]; k < all->edges->first[node + 1]; ++k) {
        if (atomic_load(&all->runs[all->edges->from[k]]) != runs)
            atomic_fetch_add(&all->too_early, 1);
    }
}

static weft_status watch_system(weft_view* view, const void* context) {
    const watch_context* one = context;
    (void)view;
    watch_node(one->all, one->node);
    return WEFT_STATUS_OK;
}

static bool watch_is_good(const watch* all) {
    for (uint32_t node = 0; node < all->edges->node_count; ++node) {
        if (atomic_load(&all->runs[node]) != CHECK_RUNS)
            return false;
    }
    return atomic_load(&all->too_early) == 0;
}

static weft_status check_weft(const dag* graph, const weft_executor_desc* desc) {
    watch all = {.edges = &graph->edges};
    watch_context contexts[NODES_MAX];
    for (uint32_t node = 0; node < NODES_MAX; ++node)
        contexts[node] = (watch_context){&all, node};
    weft_net net;
    weft_status status =
        weft_net_open(&net, &graph->edges, watch_system, contexts, sizeof(contexts[0]));
    if (status == WEFT_STATUS_OK)
        status = weft_rig_add(&net.rig, desc);
    for (uint32_t i = 0; i < CHECK_RUNS && status == WEFT_STATUS_OK; ++i)
        status = weft_rig_tick(&net.rig, 0);
    weft_net_close(&net);
    if (status == WEFT_STATUS_OK && !watch_is_good(&all))
        status = WEFT_STATUS_DIVERGED;
    return status;
}

static weft_status check_peer(const dag* graph, const weft_peer_team* team) {
    watch all = {.edges = &graph->edges};
    void* made;
    WEFT_TRY(team->peer->graph_create(team->team, &graph->edges, watch_node, &all, &made));
    weft_peer_side side = {.team = team, .graph = made};
    weft_peer_prepare(&side);
    weft_status status = weft_peer_run(&side, CHECK_RUNS);
    weft_peer_finish(&side);
    team->peer->graph_destroy(made);
    if (status == WEFT_STATUS_OK && !watch_is_good(&all))
        status = WEFT_STATUS_DIVERGED;
    return status;
}

// Measuring --------------------------------------------------------------------------------------

static void empty_node(void* context, uint32_t node) {
    (void)context;
    (void)node;
}

static weft_status empty_system(weft_view* view, const void* context) {
    (void)view;
    (void)context;
    return WEFT_STATUS_OK;
}

// All that is compared on one graph.
typedef struct field {
    const weft_measure_options* options;
    const weft_peer_place* place;
    const weft_peer_teams* teams;
    weft_net net;
    weft_net_side weft;
    weft_peer_side peers[WEFT_PEERS_MAX];
    weft_case cases[CASES_MAX];
    uint32_t case_count;
    bool rival[CASES_MAX];
} field;

static weft_status add_weft(field* all, const dag* graph) {
    weft_executor_desc desc = weft_rig_threads(all->place->worker_count, all->place->topology);
    WEFT_TRY(check_weft(graph, &desc));
    WEFT_TRY(weft_net_open(&all->net, &graph->edges, empty_system, NULL, 0));
    WEFT_TRY(weft_rig_add(&all->net.rig, &desc));
    all->weft = (weft_net_side){.net = &all->net, .place = all->place};
    all->cases[all->case_count++] = (weft_case){.name = "weft",
                                                .prepare = weft_net_prepare,
                                                .run = weft_net_run,
                                                .finish = weft_net_finish,
                                                .context = &all->weft,
                                                .units = 1000};
    return WEFT_STATUS_OK;
}

static weft_status add_peer(field* all, const dag* graph, const weft_peer_team* team) {
    weft_peer_side* side = &all->peers[all->case_count - 1];
    WEFT_TRY(check_peer(graph, team));
    WEFT_TRY(team->peer->graph_create(team->team, &graph->edges, empty_node, NULL, &side->graph));
    side->team = team;
    all->rival[all->case_count] = !team->peer->bound;
    all->cases[all->case_count++] = (weft_case){.name = team->peer->graph_name,
                                                .prepare = weft_peer_prepare,
                                                .run = weft_peer_run,
                                                .finish = weft_peer_finish,
                                                .context = side,
                                                .units = 1000,
                                                .restless = true};
    return WEFT_STATUS_OK;
}

// Round by round the fastest of the rivals.
static weft_series best_rival(const field* all) {
    weft_series best = {.count = 0};
    for (uint32_t i = 0; i < all->case_count; ++i) {
        const weft_series* one = &all->cases[i].series;
        if (!all->rival[i])
            continue;
        if (best.count == 0)
            best = *one;
        for (uint32_t k = 0; k < best.count; ++k)
            best.value[k] = one->value[k] < best.value[k] ? one->value[k] : best.value[k];
    }
    return best;
}

static void fill(const field* all, const char* shape, uint32_t size, weft_measure_table* table) {
    uint32_t workers = all->place->worker_count;
    const char* plural = workers == 1 ? "" : "s";
    for (uint32_t i = 0; i < all->case_count; ++i) {
        weft_measure_row* row =
            weft_measure_add(table, "us/run", &all->cases[i].series, 1, "%s %u, %u worker%s: %s",
                             shape, size, workers, plural, all->cases[i].name);
        if (i == 0 && workers == 2 && size == NODES_MAX && shape == shapes[2].name)
            weft_measure_target(all->options, row, WEFT_MEASURE_AT_MOST, 6.0);
    }
    weft_series best = best_rival(all);
    if (best.count == 0)
        return;
    weft_series ratio = weft_series_ratio(&all->cases[0].series, &best);
    weft_measure_add(table, "ratio", &ratio, 1, "%s %u, %u worker%s: weft against the fastest",
                     shape, size, workers, plural);
}

static weft_status measure(field* all, uint32_t shape, uint32_t size, weft_measure_table* table) {
    dag graph = {.edges = {.first = graph.first, .from = graph.from}};
    shapes[shape].make(&graph, size);
    weft_sampling sampling = weft_sampling_of(all->options);
    if (!all->options->quick)
        sampling.sample_ns /= 4;
    weft_status status = add_weft(all, &graph);
    for (uint32_t i = 0; i < all->teams->count && status == WEFT_STATUS_OK; ++i) {
        if (all->teams->team[i].peer->graph_create)
            status = add_peer(all, &graph, &all->teams->team[i]);
    }
    if (status == WEFT_STATUS_OK)
        status = weft_measure_cases(all->options, shapes[shape].name, sampling, all->cases,
                                    all->case_count);
    if (status == WEFT_STATUS_OK)
        fill(all, shapes[shape].name, size, table);
    else
        snprintf(table->error, sizeof(table->error), "dag, %s of %u, case %u: %s",
                 shapes[shape].name, size, all->case_count,
                 all->net.rig.error[0] ? all->net.rig.error : weft_status_text(status));
    for (uint32_t i = 0; i < WEFT_PEERS_MAX; ++i) {
        if (all->peers[i].graph)
            all->peers[i].team->peer->graph_destroy(all->peers[i].graph);
    }
    weft_net_close(&all->net);
    return status;
}

static weft_status measure_at(const weft_measure_options* options, const weft_peer_place* place,
                              weft_measure_table* table) {
    weft_peer_teams teams;
    weft_status status = weft_peers_open(place, &teams);
    uint32_t step = options->quick ? 2 : 1; // The small graphs.
    for (uint32_t i = 0; i < 3 * 2 && status == WEFT_STATUS_OK; i += step) {
        field* all = calloc(1, sizeof(field));
        status = WEFT_STATUS_OUT_OF_MEMORY;
        if (all) {
            *all = (field){.options = options, .place = place, .teams = &teams};
            status = measure(all, i / 2, sizes[i % 2], table);
            free(all);
        }
    }
    weft_peers_close(&teams);
    return status;
}

static weft_status run(const weft_measure_options* options, weft_measure_table* table) {
    snprintf(table->title, sizeof(table->title), "static graphs of empty tasks, run again");
    weft_peers_describe(table->note, sizeof(table->note));
    weft_topology* topology = NULL;
    weft_status status = weft_topology_create(NULL, &topology);
    for (uint32_t workers = 1; workers <= 2 && status == WEFT_STATUS_OK; ++workers) {
        weft_peer_place place;
        if (workers == 2 && options->worker_max == 1)
            break;
        status = weft_peer_place_choose(topology, workers, &place);
        if (workers == 2 && status == WEFT_STATUS_UNSUPPORTED) {
            status = WEFT_STATUS_OK; // One CPU.
            break;
        }
        if (status == WEFT_STATUS_OK)
            status = measure_at(options, &place, table);
    }
    if (status != WEFT_STATUS_OK && table->error[0] == '\0')
        snprintf(table->error, sizeof(table->error), "dag: %s", weft_status_text(status));
    weft_topology_destroy(topology);
    return status;
}

const weft_measure weft_measure_dag = {
    .name = "dag",
    .summary = "graphs of empty tasks, against other runtimes",
    .run = run,
};
