/// OpenMP: tasks with depend clauses, and a worksharing loop inside one parallel region.
///
/// OpenMP has no static graph that is run again, so each run creates its tasks anew; the region
/// lives for all runs of a call. Each node depends on one address of its own, so that the lists of
/// waiting tasks by address stay short.

#include "peer.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct openmp_team {
    weft_peer_place place;
    weft_peer_mask own; // The caller's CPUs, while awake.
} openmp_team;

typedef struct openmp_graph {
    const openmp_team* team;
    const weft_peer_edges* edges;
    weft_peer_node* run;
    void* context;
    char* done; // An address for each node; never read.
} openmp_graph;

static void openmp_version(char* text, size_t size) {
#ifdef __clang__
    snprintf(text, size, "LLVM OpenMP %d", __clang_major__);
#else
    snprintf(text, size, "GNU OpenMP %d.%d", __GNUC__, __GNUC_MINOR__);
#endif
}

static weft_status openmp_open(const weft_peer_place* place, void** team_out) {
    openmp_team* team = calloc(1, sizeof(openmp_team));
    *team_out = team;
    if (!team)
        return WEFT_STATUS_OUT_OF_MEMORY;
    team->place = *place;
    omp_set_dynamic(0);
    return WEFT_STATUS_OK;
}

static void openmp_close(void* opened) {
    free(opened);
}

static void openmp_wake(void* opened) {
    openmp_team* team = opened;
    weft_peer_pin(&team->place, &team->own);
#pragma omp parallel num_threads((int)team->place.worker_count)
    (void)!weft_topology_pin_self(team->place.topology, team->place.cpu[omp_get_thread_num()]);
}

static void openmp_rest(void* opened) {
    openmp_team* team = opened;
    // Ends the threads that would spin for a while after a region. Not the hard pause: after one,
    // LLVM's runtime aborts in every child that is forked.
    omp_pause_resource(omp_pause_soft, omp_get_initial_device());
    weft_peer_unpin(&team->own);
    weft_peer_settle();
}

static weft_status openmp_graph_create(void* opened, const weft_peer_edges* edges,
                                       weft_peer_node* run, void* context, void** graph_out) {
    openmp_graph* graph = calloc(1, sizeof(openmp_graph));
    char* done = calloc((size_t)edges->node_count + 1, 1);
    *graph_out = NULL;
    if (!graph || !done) {
        free(graph);
        free(done);
        return WEFT_STATUS_OUT_OF_MEMORY;
    }
    *graph = (openmp_graph){opened, edges, run, context, done};
    *graph_out = graph;
    return WEFT_STATUS_OK;
}

static void openmp_graph_destroy(void* created) {
    openmp_graph* graph = created;
    if (graph)
        free(graph->done);
    free(graph);
}

// Clauses that are written out are cheaper than an iterator, which gathers addresses first.
static void create_task(const openmp_graph* graph, uint32_t node) {
    const weft_peer_edges* edges = graph->edges;
    const uint32_t* from = edges->from + edges->first[node];
    uint32_t count = edges->first[node + 1] - edges->first[node];
    weft_peer_node* run = graph->run;
    void* context = graph->context;
    char* const done = graph->done;
    (void)done; // Compilers and analysers do not see that the clauses use them.
    (void)from;
    switch (count) {
    case 0:
#pragma omp task depend(out : done[node]) default(none) firstprivate(run, context, node)
        run(context, node);
        break;
    case 1:
#pragma omp task depend(in                                                                         \
                        : done[from[0]]) depend(out                                                \
                                                : done[node]) default(none)                        \
    firstprivate(run, context, node)
        run(context, node);
        break;
    case 2:
#pragma omp task depend(in                                                                         \
                        : done[from[0]], done[from[1]]) depend(out                                 \
                                                               : done[node]) default(none)         \
    firstprivate(run, context, node)
        run(context, node);
        break;
    case 3:
#pragma omp task depend(in                                                                         \
                        : done[from[0]], done[from[1]], done[from[2]])                             \
    depend(out                                                                                     \
           : done[node]) default(none) firstprivate(run, context, node)
        run(context, node);
        break;
    default:
#pragma omp task depend(iterator(uint32_t k = 0                                                    \
                                 : count),                                                         \
                        in                                                                         \
                        : done[from[k]]) depend(out                                                \
                                                : done[node]) default(none)                        \
    firstprivate(run, context, node)
        run(context, node);
        break;
    }
}

static void openmp_graph_run(void* created, uint64_t repeat) {
    const openmp_graph* graph = created;
#pragma omp parallel num_threads((int)graph->team->place.worker_count) firstprivate(graph, repeat)
#pragma omp single
    for (uint64_t i = 0; i < repeat; ++i) {
        for (uint32_t node = 0; node < graph->edges->node_count; ++node)
            create_task(graph, node);
#pragma omp taskwait
    }
}

static void openmp_sweep(void* opened, const weft_peer_loop* loop, uint64_t sweep_count) {
    const openmp_team* team = opened;
    size_t pieces = (loop->count + loop->grain - 1) / loop->grain;
#pragma omp parallel num_threads((int)team->place.worker_count)                                    \
    firstprivate(loop, sweep_count, pieces)
    for (uint64_t sweep = 0; sweep < sweep_count; ++sweep) {
#pragma omp for schedule(static)
        for (size_t i = 0; i < pieces; ++i) {
            size_t first = i * loop->grain;
            size_t end = first + loop->grain < loop->count ? first + loop->grain : loop->count;
            loop->run(loop->context, sweep, first, end);
        }
    }
}

static const weft_peer openmp = {
    .name = "OpenMP",
    .graph_name = "OpenMP task depend",
    .loop_name = "OpenMP for",
    .version = openmp_version,
    .open = openmp_open,
    .close = openmp_close,
    .wake = openmp_wake,
    .rest = openmp_rest,
    .graph_create = openmp_graph_create,
    .graph_run = openmp_graph_run,
    .graph_destroy = openmp_graph_destroy,
    .sweep = openmp_sweep,
};

const weft_peer* const weft_peer_openmp = &openmp;
