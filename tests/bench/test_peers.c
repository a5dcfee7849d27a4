// Every peer that was found runs graphs and loops as they are ordered; and the checks that say so
// can fail.

#include "peer.h"

#include <criterion/criterion.h>
#include <stdatomic.h>
#include <string.h>

#define NODES_MAX 256

// What ran: each node notes its turn, and whether its predecessors had theirs.
typedef struct watch {
    const weft_peer_edges* edges;
    atomic_uint turn[NODES_MAX]; // Runs of each node so far.
    atomic_uint too_early;
} watch;

static void watch_node(void* context, uint32_t node) {
    watch* all = context;
    unsigned turn = atomic_fetch_add(&all->turn[node], 1) + 1;
    for (uint32_t k = all->edges->first[node]; k < all->edges->first[node + 1]; ++k) {
        if (atomic_load(&all->turn[all->edges->from[k]]) != turn)
            atomic_fetch_add(&all->too_early, 1);
    }
    // Gives the others time to come too early.
    for (volatile int i = 0; i < 200; ++i) {
    }
}

typedef struct net {
    uint32_t first[NODES_MAX + 1];
    uint32_t from[NODES_MAX * 8];
    weft_peer_edges edges;
} net;

static void add_node(net* graph) {
    ++graph->edges.node_count;
    graph->first[graph->edges.node_count] = graph->first[graph->edges.node_count - 1];
}

static void add_edge(net* graph, uint32_t from) {
    graph->from[graph->first[graph->edges.node_count]++] = from;
}

static void start(net* graph) {
    memset(graph, 0, sizeof(*graph));
    graph->edges.first = graph->first;
    graph->edges.from = graph->from;
}

// Each node waits for up to six others, drawn from a fixed sequence.
static void make_random(net* graph, uint32_t count, uint32_t edges_max) {
    uint32_t state = 1;
    start(graph);
    for (uint32_t node = 0; node < count; ++node) {
        add_node(graph);
        for (uint32_t k = 0; k < edges_max && k < node; ++k) {
            state = state * 1664525u + 1013904223u;
            uint32_t from = (state >> 8) % node;
            bool known = false;
            for (uint32_t i = graph->first[node]; i < graph->first[node + 1]; ++i)
                known = known || graph->from[i] == from;
            if (!known)
                add_edge(graph, from);
        }
    }
}

// Runs it a few times, and expects every node to have run as often, after its predecessors.
static void check_graph(const weft_peer_team* team, const net* graph) {
    static watch all;
    memset(&all, 0, sizeof(all));
    all.edges = &graph->edges;
    void* made = NULL;
    cr_assert_eq(team->peer->graph_create(team->team, &graph->edges, watch_node, &all, &made),
                 WEFT_STATUS_OK);
    weft_peer_side side = {.team = team, .graph = made};
    for (unsigned round = 1; round <= 3; ++round) {
        weft_peer_prepare(&side);
        cr_assert_eq(weft_peer_run(&side, 7), WEFT_STATUS_OK);
        weft_peer_finish(&side);
        for (uint32_t node = 0; node < graph->edges.node_count; ++node)
            cr_assert_eq(atomic_load(&all.turn[node]), 7 * round, "%s: node %u",
                         team->peer->graph_name, node);
    }
    cr_expect_eq(atomic_load(&all.too_early), 0, "%s: %u too early", team->peer->graph_name,
                 atomic_load(&all.too_early));
    team->peer->graph_destroy(made);
}

#define ITEMS 1000

typedef struct items {
    atomic_uint done[ITEMS];
    atomic_uint wrong;
} items;

static void watch_range(void* context, uint64_t sweep, size_t first, size_t end) {
    items* all = context;
    for (size_t i = first; i < end; ++i) {
        // Its neighbours had their turn in the sweep before, and have at most this one now.
        unsigned near = atomic_load(&all->done[(i + ITEMS / 2) % ITEMS]);
        if (atomic_fetch_add(&all->done[i], 1) != sweep || (near != sweep && near != sweep + 1))
            atomic_fetch_add(&all->wrong, 1);
    }
}

static void check_loop(const weft_peer_team* team, size_t grain) {
    static items all;
    memset(&all, 0, sizeof(all));
    weft_peer_side side = {
        .team = team,
        .loop = {.count = ITEMS, .grain = grain, .run = watch_range, .context = &all}};
    weft_peer_prepare(&side);
    cr_assert_eq(weft_peer_run(&side, 20), WEFT_STATUS_OK);
    weft_peer_finish(&side);
    for (size_t i = 0; i < ITEMS; ++i)
        cr_assert_eq(atomic_load(&all.done[i]), 20, "%s: item %zu", team->peer->loop_name, i);
    cr_expect_eq(atomic_load(&all.wrong), 0, "%s", team->peer->loop_name);
}

static void check_peer(const weft_peer* peer, const weft_peer_place* place) {
    static net graph;
    weft_peer_team team;
    cr_assert_eq(weft_peer_open(peer, place, &team), WEFT_STATUS_OK, "%s", peer->name);
    if (peer->graph_create) {
        start(&graph);
        add_node(&graph);
        check_graph(&team, &graph);
        make_random(&graph, NODES_MAX, 1);
        check_graph(&team, &graph);
        make_random(&graph, NODES_MAX, 6);
        check_graph(&team, &graph);
    }
    if (peer->sweep) {
        check_loop(&team, 1);
        check_loop(&team, 300);
        check_loop(&team, 5000);
    }
    weft_peer_close(&team);
    weft_peer_close(&team); // Twice is allowed.
}

Test(peers, all_run_what_they_are_given) {
    weft_topology* topology;
    cr_assert_eq(weft_topology_create(NULL, &topology), WEFT_STATUS_OK);
    const weft_peer* peers[WEFT_PEERS_MAX];
    uint32_t count = weft_peers(peers);
    cr_assert_eq(peers[0], &weft_peer_hand);
    for (uint32_t workers = 1; workers <= 2; ++workers) {
        weft_peer_place place;
        if (weft_peer_place_choose(topology, workers, &place) != WEFT_STATUS_OK)
            continue;
        for (uint32_t i = 0; i < count; ++i)
            check_peer(peers[i], &place);
    }
    weft_topology_destroy(topology);
}

Test(peers, are_described) {
    char text[128];
    weft_peers_describe(text, sizeof(text));
    cr_expect_neq(strstr(text, "TBB"), NULL, "%s", text);
    cr_expect_neq(strstr(text, "StarPU"), NULL, "%s", text);
    char small[8];
    weft_peers_describe(small, sizeof(small));
    cr_expect_eq(strlen(small), sizeof(small) - 1);
}

// A runtime that knows nothing of edges is found out.
Test(peers, a_wrong_order_is_seen) {
    static net graph;
    static watch all;
    make_random(&graph, 100, 3);
    all.edges = &graph.edges;
    for (uint32_t node = 100; node > 0; --node)
        watch_node(&all, node - 1);
    cr_expect_gt(atomic_load(&all.too_early), 0);
}
