/// The hand-written peer: what two spinning threads can do at most, and on one thread plain loops.
///
/// A graph is cut once: level by level, the first half of a level's nodes for the caller and the
/// rest for the helper. Each thread runs its own list and publishes how far it is, on a line of its
/// own; a node waits until the other thread is past the last of its predecessors there. Sweeps are
/// halves with a barrier of two counters.

#include "hand.h"
#include "peer.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct hand_line {
    _Alignas(128) atomic_uint_fast64_t count;
} hand_line;

typedef struct hand_team {
    hand_line progress[2]; // What each thread has done, since the team was opened.
    weft_hand* hand;       // Null: one thread.
} hand_team;

typedef struct hand_graph {
    hand_team* team;
    weft_peer_node* run;
    void* context;
    uint32_t node_count;
    uint32_t own_count[2]; // Of each thread's list.
    uint32_t* own[2];      // Nodes in order.
    uint32_t* await[2];    // How much of the other list must be done before each.
} hand_graph;

static void hand_version(char* text, size_t size) {
    snprintf(text, size, "by hand");
}

static weft_status hand_open(const weft_peer_place* place, void** team_out) {
    hand_team* team = aligned_alloc(128, sizeof(hand_team));
    *team_out = NULL;
    if (!team)
        return WEFT_STATUS_OUT_OF_MEMORY;
    *team = (hand_team){.hand = NULL};
    weft_status status = WEFT_STATUS_OK;
    if (place->worker_count == 2)
        status = weft_hand_create(place->topology, &team->hand);
    if (status == WEFT_STATUS_OK)
        *team_out = team;
    else
        free(team);
    return status;
}

static void hand_close(void* opened) {
    hand_team* team = opened;
    weft_hand_destroy(team->hand);
    free(team);
}

static void hand_wake(void* opened) {
    hand_team* team = opened;
    if (team->hand)
        weft_hand_wake(team->hand);
}

static void hand_rest(void* opened) {
    hand_team* team = opened;
    if (team->hand)
        weft_hand_park(team->hand);
}

static inline void await(const hand_line* other, uint64_t count) {
    while (atomic_load_explicit(&other->count, memory_order_acquire) < count)
        weft_hand_pause();
}

// Graphs -----------------------------------------------------------------------------------------

// The longest path to each node.
static uint32_t find_levels(const weft_peer_edges* edges, uint32_t* level) {
    uint32_t count = 0;
    for (uint32_t node = 0; node < edges->node_count; ++node) {
        level[node] = 0;
        for (uint32_t k = edges->first[node]; k < edges->first[node + 1]; ++k) {
            if (level[edges->from[k]] >= level[node])
                level[node] = level[edges->from[k]] + 1;
        }
        if (level[node] >= count)
            count = level[node] + 1;
    }
    return count;
}

// Fills the lists; `place` holds the place of each node in its list from 1, negative for thread 1.
static void fill_lists(const weft_peer_edges* edges, const uint32_t* level, uint32_t level_count,
                       int64_t* place, hand_graph* graph) {
    for (uint32_t k = 0; k < level_count; ++k) {
        uint32_t width = 0;
        for (uint32_t node = 0; node < edges->node_count; ++node)
            width += level[node] == k;
        uint32_t seen = 0;
        for (uint32_t node = 0; node < edges->node_count; ++node) {
            if (level[node] != k)
                continue;
            uint32_t who = seen++ >= (width + 1) / 2;
            graph->own[who][graph->own_count[who]++] = node;
            place[node] = who ? -(int64_t)graph->own_count[1] : (int64_t)graph->own_count[0];
        }
    }
    for (uint32_t who = 0; who < 2; ++who) {
        for (uint32_t i = 0; i < graph->own_count[who]; ++i) {
            uint32_t node = graph->own[who][i];
            int64_t last = 0;
            for (uint32_t k = edges->first[node]; k < edges->first[node + 1]; ++k) {
                int64_t at = who ? place[edges->from[k]] : -place[edges->from[k]];
                last = at > last ? at : last;
            }
            graph->await[who][i] = (uint32_t)last;
        }
    }
}

static void hand_graph_destroy(void* created) {
    hand_graph* graph = created;
    if (!graph)
        return;
    free(graph->own[0]);
    free(graph);
}

static weft_status hand_graph_create(void* opened, const weft_peer_edges* edges,
                                     weft_peer_node* run, void* context, void** graph_out) {
    hand_graph* graph = calloc(1, sizeof(hand_graph));
    uint32_t count = edges->node_count;
    uint32_t* lists = calloc((size_t)count * 4 + 1, sizeof(uint32_t));
    uint32_t* level = calloc((size_t)count + 1, sizeof(uint32_t));
    int64_t* place = calloc((size_t)count + 1, sizeof(int64_t));
    *graph_out = NULL;
    if (graph && lists && level && place) {
        *graph = (hand_graph){.team = opened, .run = run, .context = context, .node_count = count};
        for (uint32_t who = 0; who < 2; ++who) {
            graph->own[who] = lists + (size_t)who * count;
            graph->await[who] = lists + (size_t)(who + 2) * count;
        }
        fill_lists(edges, level, find_levels(edges, level), place, graph);
        *graph_out = graph;
    } else {
        free(graph);
        free(lists);
    }
    free(level);
    free(place);
    return *graph_out ? WEFT_STATUS_OK : WEFT_STATUS_OUT_OF_MEMORY;
}

typedef struct hand_run {
    const hand_graph* graph;
    uint64_t repeat;
    uint64_t base[2]; // Progress before.
} hand_run;

static void run_list(void* context, uint32_t who, uint32_t thread_count) {
    const hand_run* what = context;
    const hand_graph* graph = what->graph;
    hand_line* own = &graph->team->progress[who];
    const hand_line* other = &graph->team->progress[1 - who];
    uint64_t done = what->base[who];
    uint64_t base = what->base[1 - who];
    (void)thread_count;
    for (uint64_t i = 0; i < what->repeat; ++i, base += graph->own_count[1 - who]) {
        await(other, base); // The run before is over.
        for (uint32_t k = 0; k < graph->own_count[who]; ++k) {
            if (graph->await[who][k] > 0)
                await(other, base + graph->await[who][k]);
            graph->run(graph->context, graph->own[who][k]);
            atomic_store_explicit(&own->count, ++done, memory_order_release);
        }
    }
}

static uint64_t progress_of(const hand_team* team, uint32_t who) {
    return atomic_load_explicit(&team->progress[who].count, memory_order_relaxed);
}

static void hand_graph_run(void* created, uint64_t repeat) {
    const hand_graph* graph = created;
    const hand_team* team = graph->team;
    if (team->hand) {
        hand_run what = {graph, repeat, {progress_of(team, 0), progress_of(team, 1)}};
        weft_hand_fork(team->hand, run_list, &what);
        return;
    }
    for (uint64_t i = 0; i < repeat; ++i) {
        for (uint32_t node = 0; node < graph->node_count; ++node)
            graph->run(graph->context, node);
    }
}

// Sweeps -----------------------------------------------------------------------------------------

typedef struct hand_sweeps {
    hand_team* team;
    const weft_peer_loop* loop;
    uint64_t count;
    uint64_t base[2];
} hand_sweeps;

static void run_half(void* context, uint32_t who, uint32_t thread_count) {
    const hand_sweeps* what = context;
    const weft_peer_loop* loop = what->loop;
    size_t first = loop->count * who / thread_count;
    size_t end = loop->count * (who + 1) / thread_count;
    for (uint64_t sweep = 0; sweep < what->count; ++sweep) {
        if (sweep > 0)
            await(&what->team->progress[1 - who], what->base[1 - who] + sweep);
        if (first < end)
            loop->run(loop->context, sweep, first, end);
        atomic_store_explicit(&what->team->progress[who].count, what->base[who] + sweep + 1,
                              memory_order_release);
    }
}

static void hand_sweep(void* opened, const weft_peer_loop* loop, uint64_t sweep_count) {
    hand_team* team = opened;
    if (team->hand) {
        hand_sweeps what = {team, loop, sweep_count, {progress_of(team, 0), progress_of(team, 1)}};
        weft_hand_fork(team->hand, run_half, &what);
        return;
    }
    for (uint64_t sweep = 0; sweep < sweep_count; ++sweep)
        loop->run(loop->context, sweep, 0, loop->count);
}

const weft_peer weft_peer_hand = {
    .name = "by hand",
    .graph_name = "by hand, counters",
    .loop_name = "by hand, barrier",
    .bound = true,
    .version = hand_version,
    .open = hand_open,
    .close = hand_close,
    .wake = hand_wake,
    .rest = hand_rest,
    .graph_create = hand_graph_create,
    .graph_run = hand_graph_run,
    .graph_destroy = hand_graph_destroy,
    .sweep = hand_sweep,
};
