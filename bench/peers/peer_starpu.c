/// StarPU: tasks with explicit dependences, which it runs faster than those that it finds by data.
///
/// It has no static graph that is run again: each run submits its tasks anew. Its workers are all
/// bound, and the thread that submits shares the first one's CPU. A start takes about a second.

#include "peer.h"

#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct starpu_team {
    weft_peer_place place;
    weft_peer_mask own; // The caller's CPUs, while awake.
} starpu_team;

typedef struct starpu_node {
    struct starpu_graph* graph;
    uint32_t index;
} starpu_node;

typedef struct starpu_graph {
    const weft_peer_edges* edges;
    weft_peer_node* run;
    void* context;
    struct starpu_task* tasks;
    starpu_node* nodes;
    struct starpu_task** from; // As edges->from.
} starpu_graph;

static void run_node(void* buffers[], void* argument) {
    const starpu_node* node = argument;
    (void)buffers;
    node->graph->run(node->graph->context, node->index);
}

static struct starpu_codelet codelet = {
    .where = STARPU_CPU,
    .cpu_funcs = {run_node},
    .nbuffers = 0,
};

static void starpu_peer_version(char* text, size_t size) {
    int major, minor, release;
    starpu_get_version(&major, &minor, &release);
    snprintf(text, size, "StarPU %d.%d.%d", major, minor, release);
}

static weft_status starpu_open(const weft_peer_place* place, void** team_out) {
    starpu_team* team = calloc(1, sizeof(starpu_team));
    *team_out = NULL;
    if (!team)
        return WEFT_STATUS_OUT_OF_MEMORY;
    team->place = *place;
    setenv("STARPU_SILENT", "1", 0);
    struct starpu_conf conf;
    starpu_conf_init(&conf);
    conf.sched_policy_name = "lws";
    conf.ncpus = (int)place->worker_count;
    conf.ncuda = 0;
    conf.nopencl = 0;
    conf.use_explicit_workers_bindid = 1;
    for (uint32_t i = 0; i < place->worker_count; ++i)
        conf.workers_bindid[i] = place->cpu[i];
    if (starpu_init(&conf) != 0) {
        free(team);
        return WEFT_STATUS_OS;
    }
    starpu_pause();
    *team_out = team;
    return WEFT_STATUS_OK;
}

static void starpu_close(void* opened) {
    starpu_resume();
    starpu_shutdown();
    free(opened);
}

static void starpu_wake(void* opened) {
    starpu_team* team = opened;
    weft_peer_pin(&team->place, &team->own);
    starpu_resume();
}

static void starpu_rest(void* opened) {
    starpu_team* team = opened;
    starpu_pause();
    weft_peer_unpin(&team->own);
    weft_peer_settle();
}

static void starpu_graph_destroy(void* created) {
    starpu_graph* graph = created;
    if (!graph)
        return;
    free(graph->tasks);
    free(graph->nodes);
    free(graph->from);
    free(graph);
}

static weft_status starpu_graph_create(void* opened, const weft_peer_edges* edges,
                                       weft_peer_node* run, void* context, void** graph_out) {
    starpu_graph* graph = calloc(1, sizeof(starpu_graph));
    size_t count = edges->node_count;
    (void)opened;
    *graph_out = NULL;
    if (!graph)
        return WEFT_STATUS_OUT_OF_MEMORY;
    *graph = (starpu_graph){
        .edges = edges,
        .run = run,
        .context = context,
        .tasks = calloc(count + 1, sizeof(struct starpu_task)),
        .nodes = calloc(count + 1, sizeof(starpu_node)),
        .from = calloc((size_t)edges->first[count] + 1, sizeof(struct starpu_task*)),
    };
    if (!graph->tasks || !graph->nodes || !graph->from) {
        starpu_graph_destroy(graph);
        return WEFT_STATUS_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < count; ++i)
        graph->nodes[i] = (starpu_node){graph, i};
    for (uint32_t i = 0; i < edges->first[count]; ++i)
        graph->from[i] = &graph->tasks[edges->from[i]];
    *graph_out = graph;
    return WEFT_STATUS_OK;
}

static void starpu_graph_run(void* created, uint64_t repeat) {
    starpu_graph* graph = created;
    const weft_peer_edges* edges = graph->edges;
    for (uint64_t k = 0; k < repeat; ++k) {
        for (uint32_t i = 0; i < edges->node_count; ++i) {
            struct starpu_task* task = &graph->tasks[i];
            starpu_task_init(task);
            task->cl = &codelet;
            task->cl_arg = &graph->nodes[i];
            task->cl_arg_size = sizeof(starpu_node);
            task->destroy = 0;
            uint32_t count = edges->first[i + 1] - edges->first[i];
            if (count > 0)
                starpu_task_declare_deps_array(task, count, graph->from + edges->first[i]);
            if (starpu_task_submit(task) != 0)
                abort(); // No worker for the task: not with workers that opened.
        }
        starpu_task_wait_for_all();
        for (uint32_t i = 0; i < edges->node_count; ++i)
            starpu_task_clean(&graph->tasks[i]);
    }
}

static const weft_peer starpu = {
    .name = "StarPU",
    .graph_name = "StarPU tasks",
    .version = starpu_peer_version,
    .open = starpu_open,
    .close = starpu_close,
    .wake = starpu_wake,
    .rest = starpu_rest,
    .graph_create = starpu_graph_create,
    .graph_run = starpu_graph_run,
    .graph_destroy = starpu_graph_destroy,
};

const weft_peer* const weft_peer_starpu = &starpu;
